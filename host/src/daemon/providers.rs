//! What `status` and `doctor` say of the providers.

use std::time::{Duration, SystemTime};

use super::health::{Check, Level};
use super::reload::Reload;
use crate::config::ModelConfig;
use crate::cycle::Core;
use crate::model::{ProviderState, ProviderStatus};
use crate::plist;
use crate::sexp::Form;

/// What is wrong with how the models are configured, and whether anybody answers.
pub(super) fn checks(core: &Core, reload: &Reload) -> Vec<Check> {
    let degraded = |text: String| Check::new("model", Level::Degraded, text);
    let mut checks: Vec<Check> = reload
        .faults()
        .iter()
        .map(|fault| degraded(fault.to_string()))
        .collect();
    checks.extend(reload.refused().map(degraded));
    checks.extend(without_key(&reload.model()));
    if core.cascade.is_exhausted() {
        let text = "nobody answered the last question; it is tried again with the next one";
        let failed = core.cascade.status();
        let causes = failed.iter().filter(|own| own.failed_last).filter_map(|own| {
            let (_, cause) = own.last_failure.as_ref()?;
            Some(format!("  {}: {cause}", own.name))
        });
        let parts = std::iter::once(text.to_owned()).chain(causes);
        checks.push(degraded(text.to_owned()).in_parts(parts.collect()));
    }
    if core.cascade.names().is_empty() {
        checks.push(degraded(
            "model.cascade names nobody: no model is asked, and none answers".to_owned(),
        ));
    }
    if checks.is_empty() {
        checks.push(Check::new("model", Level::Good, in_order(core, reload)));
    }
    checks
}

fn in_order(core: &Core, reload: &Reload) -> String {
    let names = core.cascade.names();
    if names.iter().all(|name| name == "offline") {
        return unconfigured(reload);
    }
    format!("the cascade is {}", names.join(", "))
}

/// How to come by a model, where there is none.
fn unconfigured(reload: &Reload) -> String {
    let model = reload.model();
    if model.given {
        return "the offline provider answers, as it was given at the start".to_owned();
    }
    let line = |name: &str| format!("`cascade = [\"{name}\"]` under [model] in {}", model.file.display());
    let said = "no provider is configured: the offline one answers";
    match reload.has_key_of() {
        Some(name) => format!("{said}. The key of {name} is there: put {}", line(name)),
        None => format!(
            "{said}. Put {}, for example, and run `passepartout-host vault set OPENAI_API_KEY`",
            line("openai")
        ),
    }
}

/// How each provider has done, as checks of its own.
pub(super) fn reports(core: &Core) -> Vec<Check> {
    let report = |status: &ProviderStatus| {
        let level = if status.failed_last {
            Level::Degraded
        } else {
            Level::Good
        };
        Check::new("provider", level, report(status))
    };
    core.cascade.status().iter().map(report).collect()
}

/// The same as forms.
pub(super) fn forms(core: &Core) -> Vec<Form> {
    core.cascade.status().iter().map(form).collect()
}

fn form(status: &ProviderStatus) -> Form {
    let failure = status.last_failure.as_ref();
    let passed_over = status.last_passed_over.as_ref();
    plist!(
        "NAME" => &status.name, "MODEL" => status.model.clone(), "STATE" => state(status), "ANSWERS" => status.answers,
        "FAILURES" => status.failures, "LAST-FAILURE" => failure.map(|(_, cause)| cause.to_string()),
        "LAST-FAILURE-SECONDS-AGO" => failure.map(|(when, _)| since(*when).as_secs()),
        "PASSED-OVER" => status.passed_over, "LAST-PASSED-OVER" => passed_over.map(|(_, cause)| cause.to_string()),
        "LAST-PASSED-OVER-SECONDS-AGO" => passed_over.map(|(when, _)| since(*when).as_secs()),
        "INPUT-TOKENS" => status.usage.input_tokens, "OUTPUT-TOKENS" => status.usage.output_tokens,
    )
}

/// One line about a provider.
fn report(status: &ProviderStatus) -> String {
    let model = status
        .model
        .as_ref()
        .map(|model| format!(" ({model})"))
        .unwrap_or_default();
    let mut text = format!("{}{model}: {}", status.name, state(status));
    let count = |count: u64, one: &str| match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {one}s"),
    };
    text.push_str(&format!(
        "; {} and {} since it was configured",
        count(status.answers, "answer"),
        count(status.failures, "failure")
    ));
    if let Some((when, cause)) = &status.last_failure {
        text.push_str(&format!("; the last one {} s ago: {cause}", since(*when).as_secs()));
    }
    if let Some((when, cause)) = &status.last_passed_over {
        text.push_str(&format!(
            "; passed over {}, last {} s ago: {cause}",
            count(status.passed_over, "time"),
            since(*when).as_secs()
        ));
    }
    text
}

fn state(status: &ProviderStatus) -> String {
    match &status.state {
        ProviderState::Ready if status.failed_last => "failing".to_owned(),
        ProviderState::Ready if !status.is_asked => "not asked yet".to_owned(),
        ProviderState::Ready => "ready".to_owned(),
        ProviderState::Resting { remaining } => format!("failing; asked last for {} s more", remaining.as_secs()),
        ProviderState::Due => "failing; tried again with the next question".to_owned(),
        ProviderState::Probing => "being tried again".to_owned(),
    }
}

fn since(when: SystemTime) -> Duration {
    // A clock that was put back makes it this moment.
    when.elapsed().unwrap_or_default()
}

/// Providers that are asked and whose key is not there.
pub(super) fn without_key(model: &ModelConfig) -> Vec<Check> {
    let named = model
        .names()
        .into_iter()
        .filter_map(|name| Some((name, model.providers.get(name)?)));
    let without = named.filter(|(_, own)| own.key.is_none());
    without
        .filter_map(|(name, own)| {
            let remedy = match (&own.key_secret, &own.key_variable) {
                (Some(secret), _) => format!("run `passepartout-host vault set {secret}`"),
                (None, Some(variable)) => {
                    format!("set {variable} in config/env, or run `passepartout-host vault set {variable}`")
                }
                (None, None) => return None,
            };
            Some(Check::new(
                "model",
                Level::Degraded,
                format!("the provider {name} has no key: {remedy}"),
            ))
        })
        .collect()
}
