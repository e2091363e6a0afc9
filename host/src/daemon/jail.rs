//! How commands are held, as a check of health tells it: by what the kernel gives, and what it does not.

use super::health::{Check, Level};
use crate::capability::process;
use crate::config::{Config, JailMode};

/// How far commands see, in one sentence.
const VIEWS: &str = "Commands that a person approved see the machine but for the places of keys and our own folders, and in the \
                     workspace .env files and keys of other names too; others only read the workspace, without these, and \
                     what is everyone's";

/// What is said of weak walls where stronger ones could be had.
const NEEDLESS: &str = "shell.jail is weak although the kernel can jail commands here: they are jailed, and all that comes of it is \
                        that every command asks. Remove it from config.toml";

/// How commands are held here.
pub(super) fn check(config: &Config) -> Check {
    let report = process::probe();
    let shell = &config.shell;
    let network = if shell.network { "the network" } else { "no network" };
    if report.jailed() {
        let missing = if report.missing.is_empty() {
            String::new()
        } else {
            format!("; {}", report.missing.join("; "))
        };
        let bounds = format!(
            "{network}, {} s, {} MiB, {} processes, and {} s of processor time",
            shell.timeout.as_secs(),
            shell.memory >> 20,
            shell.processes,
            shell.cpu.as_secs()
        );
        let text = format!(
            "the kernel holds {}{missing}. {VIEWS}. They have {bounds}",
            report.enforced.join(", ")
        );
        let needless = shell.jail == JailMode::Weak;
        let text = if needless { format!("{NEEDLESS}. {text}") } else { text };
        let mut parts: Vec<String> = needless.then(|| NEEDLESS.to_owned()).into_iter().collect();
        parts.push(format!("commands have {bounds}"));
        parts.push(VIEWS.to_owned());
        parts.push("the kernel holds them:".to_owned());
        parts.extend(report.enforced.iter().map(|wall| format!("  {wall}")));
        let but = match report.missing.len() {
            0 => String::new(),
            count => format!("{count} missing, "),
        };
        let glance = format!(
            "held by namespaces, Landlock and a filter of system calls; {network}, {} processes; {but}\
             `passepartout-host doctor` says all",
            shell.processes
        );
        parts.extend(report.missing);
        let level = if needless { Level::Degraded } else { Level::Good };
        return Check::new("jail", level, text).in_parts(parts).at_a_glance(glance);
    }
    let problem = report.problem.map_or_else(
        || "the kernel can't jail commands".to_owned(),
        |problem| problem.to_string(),
    );
    let text = match shell.jail {
        JailMode::Enforced => format!("{problem}. Shell commands will not run"),
        JailMode::Weak => {
            format!("{problem}. shell.jail is weak: commands run without it, and what they print counts as foreign")
        }
    };
    Check::new("jail", Level::Degraded, text)
}
