//! A daemon that goes on with an older configuration than the files hold now.

use super::health::{Check, Level};
use crate::config::{Config, Variables};

/// What the files of the configuration hold now, where that is not what the daemon read at its start: but for what concerns
/// models only, which is taken up. `variables` are those of the process.
pub(super) fn of_files(config: &Config, variables: &Variables) -> Option<Check> {
    let changed = changed_files(config)?;
    if !Config::load(config.home.clone(), variables)
        .0
        .sources
        .differs_beside_models(&config.sources)
    {
        return None;
    }
    let text = format!(
        "{changed} changed after the daemon read it. What concerns models is taken up by itself; nothing else in it takes effect before \
         the next start: {}",
        start_anew()
    );
    // A running daemon's doctor tells of what it read.
    Some(match then(config).first_fault("config") {
        None => Check::new("configuration", Level::Note, text),
        Some(fault) => {
            let text = format!("{text}. With what it says now no gate would pass anything: {fault}");
            Check::new("configuration", Level::Degraded, text)
        }
    })
}

/// That the daemon judges by an older configuration than the files hold, where they would judge by another.
pub(super) fn judges_by_older(config: &Config) -> Option<String> {
    let changed = changed_files(config)?;
    let then = then(config);
    let same = (&then.gates, &then.settings, &then.skills) == (&config.gates, &config.settings, &config.skills);
    if same && then.faults == config.faults {
        return None;
    }
    let faulty = then.first_fault("config");
    let faulty = faulty.map(|fault| format!(". With what it says now no gate would pass anything: {fault}"));
    Some(format!(
        "{changed} changed after the daemon read it, and it judges by what it read until the next start: {}{}",
        start_anew(),
        faulty.unwrap_or_default()
    ))
}

fn changed_files(config: &Config) -> Option<String> {
    let changed = config.sources.changed();
    let changed: Vec<String> = changed.iter().map(|path| path.display().to_string()).collect();
    (!changed.is_empty()).then(|| changed.join(" and "))
}

/// The configuration of the next start. Only of the files: the variables that it will have are not known here.
fn then(config: &Config) -> Config {
    Config::load(config.home.clone(), &Variables::new()).0
}

fn start_anew() -> String {
    format!(
        "stop the daemon (`kill {}`), then `passepartout-host run`",
        std::process::id()
    )
}
