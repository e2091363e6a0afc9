//! From the configuration to a cascade.
//!
//! A line that can't be used costs that provider and nothing else: the fault is returned, and the provider keeps its
//! place as one that always fails with it, so that `status` and a refusal both say why.

use std::path::Path;
use std::sync::Arc;

use super::breaker::BreakerPolicy;
use super::line::{Line, Pace};
use super::recipe::Recipe;
use super::slot::Slot;
use super::{Asking, Cascade, Meter, ModelRequest, Offline, Provider, ProviderError, Remote, Script, known};
use crate::config::{ConfigFault, ModelConfig, ProviderConfig};

/// The provider that is no model.
const OFFLINE: &str = "offline";

/// What the name of a script begins with.
const SCRIPT: &str = "script:";

impl Cascade {
    /// The cascade that `config` names, and what was wrong with it. Nothing is connected to; script files are read.
    ///
    /// Keys come from `config` alone: [`known::complete`] puts them there.
    pub fn from_config(config: &ModelConfig) -> (Cascade, Vec<ConfigFault>) {
        let (line, faults) = line(config, None);
        (Cascade::over(line), faults)
    }

    /// What would be wrong with the servers that `config` names, without making a cascade of them.
    pub fn check(config: &ModelConfig) -> Vec<ConfigFault> {
        let servers = config.names().into_iter().filter(|name| !name.starts_with(SCRIPT));
        let faults = servers.filter_map(|name| provider(name, config).err());
        faults.chain(aimless_rules(config)).collect()
    }

    /// Whether every question is refused for how `config` is, whoever is asked: nobody in the cascade can be used.
    pub fn is_hopeless(config: &ModelConfig) -> bool {
        let is_usable = |name: &String| {
            let lacks_key = config.providers.get(name).is_some_and(ProviderConfig::lacks_key);
            name.starts_with(SCRIPT) || (!lacks_key && provider(name, config).is_ok())
        };
        !config.cascade.is_empty() && !config.cascade.iter().any(is_usable)
    }

    /// Puts what `config` names in place of what is asked now. A provider whose configuration is the same stays as it is,
    /// with all that is remembered of it. Who is being asked at this moment goes on. Also gives what is wrong with `config`
    /// although it is used: faults that are among the `accepted`.
    ///
    /// # Errors
    /// The other faults: then nothing has changed.
    pub fn renew(
        &self,
        config: &ModelConfig,
        accepted: &[ConfigFault],
    ) -> Result<Vec<ConfigFault>, Vec<ConfigFault>> {
        let (line, faults) = line(config, Some(&self.line()));
        let (old, new): (Vec<_>, Vec<_>) = faults
            .into_iter()
            .partition(|fault| accepted.iter().any(|own| own.is_same_as(fault)));
        if !new.is_empty() {
            return Err(new);
        }
        self.put(line);
        Ok(old)
    }
}

fn line(config: &ModelConfig, before: Option<&Line>) -> (Line, Vec<ConfigFault>) {
    let mut faults = Vec::new();
    let mut line = Line::empty(Pace {
        total_timeout: config.total_timeout,
        retry_after_cap: config.retry_after_cap,
        retry_pause: config.retry_pause,
    });
    for name in config.names() {
        let recipe = recipe(name, config);
        if let Some(slot) = recipe.as_ref().and_then(|recipe| before?.made_from(recipe)) {
            line.add(slot, recipe);
            continue;
        }
        let (provider, recipe) = match provider(name, config) {
            Ok(provider) => (provider, recipe),
            Err(fault) => {
                faults.push(fault.clone());
                let name = name.clone();
                let unusable: Arc<dyn Provider> = Arc::new(Unusable { name, fault });
                (unusable, None)
            }
        };
        line.add(Arc::new(Slot::new(provider, BreakerPolicy::DEFAULT)), recipe);
    }
    line.set_order(&config.cascade);
    faults.extend(aimless_rules(config));
    for rule in config.select.values() {
        // It was meant to keep such questions from others.
        line.add_rule(rule.clone());
    }
    (line, faults)
}

fn aimless_rules(config: &ModelConfig) -> impl Iterator<Item = ConfigFault> {
    let aimless = config.select.iter().filter(|(_, rule)| rule.cascade.is_empty());
    aimless.map(|(name, _)| {
        config.fault(
            &format!("select.{name}"),
            "it names no provider, so that nobody is asked where it holds",
            "add `cascade = [\"…\"]`, or remove the rule",
        )
    })
}

/// From what the provider `name` is made; none where there is none of that name.
fn recipe(name: &str, config: &ModelConfig) -> Option<Recipe> {
    if name.starts_with(SCRIPT) {
        return Some(Recipe::Name(name.to_owned()));
    }
    let own = config.providers.get(name).cloned();
    match own.or_else(|| known::find(name).map(|known| known.config())) {
        Some(own) => Some(Recipe::remote(name, &own, config)),
        None => (name == OFFLINE).then(|| Recipe::Name(name.to_owned())),
    }
}

fn provider(name: &str, config: &ModelConfig) -> Result<Arc<dyn Provider>, ConfigFault> {
    if let Some(file) = name.strip_prefix(SCRIPT) {
        return match Script::open(Path::new(file)) {
            Ok(script) => Ok(Arc::new(script)),
            Err(cause) => Err(config.fault(
                &named_at(name, config),
                format!("`{name}`: {cause}"),
                "name a file of answers separated by lines of `---`",
            )),
        };
    }
    let own = match (config.providers.get(name), known::find(name)) {
        (Some(own), _) => own.clone(),
        (None, _) if name == OFFLINE => return Ok(Arc::new(Offline::new(&config.file))),
        (None, Some(known)) => known.config(),
        (None, None) => return Err(unknown(name, config)),
    };
    let fault =
        |key: &str, problem: String, remedy: String| config.fault(&format!("providers.{name}{key}"), problem, remedy);
    if own.model.trim().is_empty() {
        return Err(fault(
            ".model",
            "no model is named".to_owned(),
            format!("add `model = \"…\"` under [providers.{name}], as the server calls it"),
        ));
    }
    match Remote::new(name, &own, config) {
        Ok(remote) => Ok(Arc::new(remote)),
        Err(ProviderError::Misconfigured { problem, remedy }) => {
            let key = match problem.contains("`base_url`") {
                true => ".base_url",
                false => "",
            };
            Err(fault(key, problem, remedy))
        }
        Err(other) => Err(fault("", other.to_string(), "correct this provider".to_owned())),
    }
}

fn unknown(name: &str, config: &ModelConfig) -> ConfigFault {
    let configured = config.providers.keys().map(String::as_str);
    // One that is known may be configured as well.
    let known = known::KNOWN.iter().map(|known| known.name);
    let unconfigured = known.filter(|known| !config.providers.contains_key(*known));
    let names: Vec<&str> = configured
        .chain(unconfigured)
        .chain(["offline", "script:FILE"])
        .collect();
    let nearest = names
        .iter()
        .map(|known| (strsim::damerau_levenshtein(&name.to_lowercase(), known), *known))
        .min_by_key(|(distance, _)| *distance)
        // A third of a word may be wrong before it is another word.
        .filter(|(distance, known)| *distance <= (known.len() / 3).max(1));
    let remedy = match nearest {
        Some((_, nearest)) => format!("did you mean `{nearest}`?"),
        None => format!(
            "use one of {}, or describe it under [providers.{name}]",
            names.join(", ")
        ),
    };
    config.fault(
        &named_at(name, config),
        format!("there is no provider `{name}`"),
        remedy,
    )
}

/// The key that names the provider `name`.
fn named_at(name: &str, config: &ModelConfig) -> String {
    let named = |cascade: &[String]| cascade.iter().any(|own| own == name);
    let rule = config.select.iter().find(|(_, rule)| named(&rule.cascade));
    match rule {
        _ if named(&config.cascade) => "model.cascade".to_owned(),
        Some((rule, _)) => format!("select.{rule}.cascade"),
        None => "consensus.providers".to_owned(),
    }
}

/// A provider that can't work as it is configured.
struct Unusable {
    name: String,
    fault: ConfigFault,
}

impl Provider for Unusable {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_usable(&self) -> bool {
        false
    }

    fn ask<'a>(&'a self, _: &'a ModelRequest, _: &'a Meter) -> Asking<'a> {
        let ConfigFault { place, problem, remedy } = self.fault.clone();
        Box::pin(async move {
            Err(ProviderError::Misconfigured {
                problem: format!("{place}: {problem}"),
                remedy,
            })
        })
    }
}
