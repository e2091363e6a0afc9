//! What `status` and `doctor` say of the providers.

use std::time::{Duration, SystemTime};

use super::health::{Check, Level};
use super::reload::Reload;
use crate::config::{ModelConfig, ProviderConfig, Variables};
use crate::cycle::Core;
use crate::model::{Cascade, ProviderState, ProviderStatus, known};
use crate::plist;
use crate::sexp::Form;

/// What is wrong with how the models are configured, and whether anybody answers.
pub(super) fn checks(core: &Core, reload: &Reload) -> Vec<Check> {
    let model = reload.model();
    let mut checks: Vec<Check> = reload
        .faults()
        .iter()
        .map(|fault| degraded(fault.to_string()))
        .collect();
    checks.extend(reload.refused().map(degraded));
    let is_usable = |name: &String| {
        let own = model.providers.get(name);
        let mut states = core.cascade.status().into_iter();
        !own.is_some_and(ProviderConfig::lacks_key) && states.any(|own| own.name == *name && own.is_usable)
    };
    let is_hopeless = !model.cascade.is_empty() && !model.cascade.iter().any(is_usable);
    checks.extend(of_configuration(&model, is_hopeless, || reload.variables()));
    if core.cascade.is_exhausted() {
        let text = "nobody answered the last question: each is asked again with the next one. This stands until a question is \
                    answered, or a change to who is asked, or to a key, is taken up from your files or the vault";
        let failed = core.cascade.status();
        let causes = failed.iter().filter(|own| own.failed_last).filter_map(|own| {
            let (_, cause) = own.last_failure.as_ref()?;
            Some(format!("  {}: {cause}", own.name))
        });
        let parts = std::iter::once(text.to_owned()).chain(causes);
        checks.push(degraded(text.to_owned()).in_parts(parts.collect()));
    }
    if checks.is_empty() {
        let said = in_order(&model, || key_at_hand(&reload.variables(), &reload.secrets()));
        checks.push(Check::new("model", Level::Good, said));
    }
    checks
}

/// The same, as far as it can be known without a daemon. `secrets` are the names in the vault.
pub(super) fn without_daemon(model: &ModelConfig, variables: &Variables, secrets: &[String]) -> Vec<Check> {
    let faults = Cascade::check(model);
    let mut checks: Vec<Check> = faults.iter().map(|fault| degraded(fault.to_string())).collect();
    checks.extend(of_configuration(model, Cascade::is_hopeless(model), || {
        variables.clone()
    }));
    if checks.is_empty() {
        let said = in_order(model, || key_at_hand(variables, secrets));
        checks.push(Check::new("model", Level::Good, said));
    }
    checks
}

fn degraded(text: String) -> Check {
    Check::new("model", Level::Degraded, text)
}

/// What is known to be in the way of questions without asking one.
fn of_configuration(model: &ModelConfig, is_hopeless: bool, variables: impl FnOnce() -> Variables) -> Vec<Check> {
    let mut checks = without_key(model, variables);
    if is_hopeless {
        let text = format!(
            "nobody in model.cascade ({}) can be used, so that every question is refused",
            model.cascade.join(", ")
        );
        checks.push(Check::new("model", Level::Broken, text));
    }
    if model.cascade.is_empty() {
        checks.push(degraded(format!(
            "{}model.cascade names nobody: no model is asked, and none answers",
            model.at("model.cascade")
        )));
    }
    checks
}

/// `key` finds the well-known provider whose key is there.
fn in_order(model: &ModelConfig, key: impl FnOnce() -> Option<&'static str>) -> String {
    if model.cascade.iter().all(|name| name == "offline") {
        return unconfigured(model, key);
    }
    format!("the cascade is {}", model.cascade.join(", "))
}

/// How to come by a model, where there is none.
fn unconfigured(model: &ModelConfig, key: impl FnOnce() -> Option<&'static str>) -> String {
    if model.given {
        return "the offline provider answers, as it was given at the start".to_owned();
    }
    let line = |name: &str| format!("`cascade = [\"{name}\"]` under [model] in {}", model.file.display());
    let said = "no provider is configured: the offline one answers";
    match key() {
        Some(name) => format!("{said}. The key of {name} is there: put {}", line(name)),
        None => format!(
            "{said}. Put {}, for example, and run `passepartout-host vault set OPENAI_API_KEY`",
            line("openai")
        ),
    }
}

/// The first well-known provider whose key is among the `variables`, or the `secrets` of the vault.
fn key_at_hand(variables: &Variables, secrets: &[String]) -> Option<&'static str> {
    let has = |name: &str| {
        variables.get(name).is_some_and(|value| !value.trim().is_empty()) || secrets.iter().any(|own| own == name)
    };
    let known = known::KNOWN.iter().find(|known| known.key_variable.is_some_and(has))?;
    Some(known.name)
}

/// How each provider has done, as checks of its own.
pub(super) fn reports(core: &Core) -> Vec<Check> {
    let report = |status: &ProviderStatus| {
        let level = if status.failed_last || !status.is_usable {
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
        _ if !status.is_usable => "can't be used as it is configured".to_owned(),
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
fn without_key(model: &ModelConfig, variables: impl FnOnce() -> Variables) -> Vec<Check> {
    let names = model.names().into_iter();
    let named = names.filter_map(|name| Some((name, model.providers.get(name)?)));
    let without: Vec<_> = named.filter(|(_, own)| own.lacks_key()).collect();
    if without.is_empty() {
        return Vec::new();
    }
    let variables = variables();
    without
        .into_iter()
        .map(|(name, own)| {
            let remedy = match (&own.key_secret, &own.key_variable) {
                (Some(secret), _) => format!("run `passepartout-host vault set {secret}`"),
                (None, variable) => {
                    let variable = variable.as_deref().unwrap_or_default();
                    let slip = slip_of(variable, &variables)
                        .map(|slip| format!("; {slip} is set, and nothing reads a variable of that name"));
                    format!(
                        "set {variable} in config/env, or run `passepartout-host vault set {variable}`{}",
                        slip.unwrap_or_default()
                    )
                }
            };
            degraded(format!("the provider {name} has no key: {remedy}"))
        })
        .collect()
}

/// The variable that is set and whose name was meant to be `name`, as far as that can be told.
fn slip_of<'v>(name: &str, variables: &'v Variables) -> Option<&'v str> {
    let bare = |name: &str| name.to_uppercase().replace(['_', '-'], "");
    let near = variables.iter().filter(|(other, value)| {
        let is_known = known::KNOWN
            .iter()
            .any(|known| known.key_variable == Some(other.as_str()));
        !is_known && !value.trim().is_empty() && strsim::damerau_levenshtein(&bare(name), &bare(other)) <= MISTYPED
    });
    near.map(|(other, _)| other.as_str()).next()
}

/// In how many letters the name of a variable may be wrong.
const MISTYPED: usize = 2;
