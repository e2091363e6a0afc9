//! Rules of the bundled gates that stand in the configuration. One that can't be what it should be is a fault, which closes
//! the gates; it is never no rule.

use toml::de::DeValue;

use super::Config;
use super::keys::{choice, texts};

/// What a tool or a target may do: the gate takes its name in lower case.
pub(super) fn permission(config: &mut Config, kind: &str, names: &[&str], value: &DeValue<'_>) -> Result<(), String> {
    let permission = choice(value, &[("allow", "allow"), ("ask", "ask"), ("deny", "deny")])?;
    let name = names.first().copied().unwrap_or_default();
    let key = format!("dispatcher.{kind}.{}", name.to_lowercase());
    if config.settings.get(&key).is_some_and(|own| own != permission) {
        return Err(format!(
            "and another spelling of {name} are set to different permissions"
        ));
    }
    config.settings.insert(key, permission.to_owned());
    Ok(())
}

/// A list of rules, each of which must be one.
pub(super) fn rules(
    config: &mut Config,
    name: &str,
    value: &DeValue<'_>,
    check: fn(&str) -> Result<(), String>,
) -> Result<(), String> {
    let rules = texts(value)?;
    for rule in &rules {
        check(rule)?;
    }
    config.settings.insert(name.to_owned(), rules.join("\n"));
    Ok(())
}

/// # Errors
/// When it is empty or has several lines.
pub(super) fn check_rule(rule: &str) -> Result<(), String> {
    if rule.trim().is_empty() || rule.contains(['\n', '\r']) {
        return Err(format!("holds {rule:?}, which is empty or of several lines"));
    }
    Ok(())
}

/// A path below the workspace or from the root, perhaps with patterns.
///
/// # Errors
/// When it could match nothing: paths are compared step by step, as they are, and these steps are in none.
pub(super) fn check_path(rule: &str) -> Result<(), String> {
    check_rule(rule)?;
    let steps = rule.split('/');
    if steps.clone().any(|step| matches!(step, "." | ".."))
        || steps.clone().next().is_some_and(|first| first.starts_with('~'))
    {
        return Err(format!(
            "holds {rule:?}, which matches nothing; write the path without `.`, `..` and `~`: below the workspace as \"notes\", \
             or from the root as \"/srv/notes\""
        ));
    }
    Ok(())
}

/// A host alone, or `*.` and a host for all below it.
pub(super) fn check_host(rule: &str) -> Result<(), String> {
    let host = rule.strip_prefix("*.").unwrap_or(rule);
    let is_host = host
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':'));
    if is_host && !host.is_empty() && !host.starts_with('.') && (host.matches(':').count() != 1) {
        return Ok(());
    }
    Err(format!(
        "holds {rule:?}, which is no host; write \"example.org\" for that host alone, or \"*.example.org\" for all below it, \
         without scheme, port and path"
    ))
}
