//! From the configuration to a cascade.
//!
//! A line that can't be used costs that provider and nothing else: the fault is returned, and the provider keeps its
//! place as one that always fails with it, so that `status` and a refusal both say why.

use std::path::Path;
use std::sync::Arc;

use super::breaker::BreakerPolicy;
use super::{Asking, Cascade, ModelRequest, Offline, Provider, ProviderError, Remote, Script, known};
use crate::config::{ConfigFault, ModelConfig};

/// Below this likeness (0 to 1, Jaro-Winkler) a known name is no suggestion. `olama` has 0.96, `chat` less than 0.6.
const ALIKE: f64 = 0.75;

impl Cascade {
    /// The cascade that `config` names, and what was wrong with it. Nothing is connected to; script files are read.
    ///
    /// Keys come from `config` alone: [`known::complete`] puts them there.
    pub fn from_config(config: &ModelConfig) -> (Cascade, Vec<ConfigFault>) {
        let mut faults = Vec::new();
        let providers: Vec<Arc<dyn Provider>> = config
            .cascade
            .iter()
            .map(|name| {
                provider(name, config).unwrap_or_else(|fault| {
                    faults.push(fault.clone());
                    Arc::new(Unusable {
                        name: name.clone(),
                        fault,
                    })
                })
            })
            .collect();
        (
            Cascade::new(
                providers,
                config.total_timeout,
                config.retry_after_cap,
                BreakerPolicy::DEFAULT,
            ),
            faults,
        )
    }
}

fn provider(name: &str, config: &ModelConfig) -> Result<Arc<dyn Provider>, ConfigFault> {
    if let Some(file) = name.strip_prefix("script:") {
        return match Script::open(Path::new(file)) {
            Ok(script) => Ok(Arc::new(script)),
            Err(cause) => Err(ConfigFault {
                place: format!("model.cascade, `{name}`"),
                problem: cause.to_string(),
                remedy: "name a file of answers separated by lines of `---`".to_owned(),
            }),
        };
    }
    let own = match (config.providers.get(name), known::find(name)) {
        (Some(own), _) => own.clone(),
        (None, _) if name == "offline" => return Ok(Arc::new(Offline)),
        (None, Some(known)) => known.config(),
        (None, None) => return Err(unknown(name, config)),
    };
    let fault = |problem: String, remedy: String| ConfigFault {
        place: format!("providers.{name}"),
        problem,
        remedy,
    };
    if own.model.trim().is_empty() {
        return Err(fault(
            "no model is named".to_owned(),
            "add `model = \"…\"`, as the server calls it".to_owned(),
        ));
    }
    match Remote::new(name, &own, config) {
        Ok(remote) => Ok(Arc::new(remote)),
        Err(ProviderError::Misconfigured { problem, remedy }) => Err(fault(problem, remedy)),
        Err(other) => Err(fault(other.to_string(), "correct this provider".to_owned())),
    }
}

fn unknown(name: &str, config: &ModelConfig) -> ConfigFault {
    let configured = config.providers.keys().map(String::as_str);
    let names: Vec<&str> = configured
        .chain(known::KNOWN.iter().map(|known| known.name))
        .chain(["offline", "script:FILE"])
        .collect();
    let nearest = names
        .iter()
        .map(|known| (strsim::jaro_winkler(&name.to_lowercase(), known), *known))
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .filter(|(likeness, _)| *likeness >= ALIKE);
    ConfigFault {
        place: "model.cascade".to_owned(),
        problem: format!("there is no provider `{name}`"),
        remedy: match nearest {
            Some((_, nearest)) => format!("did you mean `{nearest}`?"),
            None => format!(
                "use one of {}, or describe it under [providers.{name}]",
                names.join(", ")
            ),
        },
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

    fn ask<'a>(&'a self, _request: &'a ModelRequest) -> Asking<'a> {
        let ConfigFault { place, problem, remedy } = self.fault.clone();
        Box::pin(async move {
            Err(ProviderError::Misconfigured {
                problem: format!("{place}: {problem}"),
                remedy,
            })
        })
    }
}
