//! Rules of the bundled gates that stand in the configuration. One that can't be what it should be is a fault, which closes
//! the gates; it is never no rule.

use std::path::{Path, PathBuf};

use toml::de::DeValue;

use super::Config;
use super::home::resolved;
use super::keys::{choice, texts};

/// What a tool or a target may do: the gate takes its name in lower case.
pub(super) fn permission(config: &mut Config, kind: &str, names: &[&str], value: &DeValue<'_>) -> Result<(), String> {
    let permission = choice(value, &[("allow", "allow"), ("ask", "ask"), ("deny", "deny")])?;
    let written = names.first().copied().unwrap_or_default();
    // Plans and messages show names as keywords.
    let name = written.strip_prefix(':').unwrap_or(written);
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if name.is_empty() || !name.bytes().all(is_name) {
        return Err(format!(
            "names {written:?}, which nothing can be called; write one name of letters, digits, `-` and `_`"
        ));
    }
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
/// When it could match nothing, or not what is meant: paths are compared step by step, as they are.
pub(super) fn check_path(rule: &str) -> Result<(), String> {
    check_rule(rule)?;
    let rule_is = |what: &str| Err(format!("holds {rule:?}, {what}"));
    let first = rule.split('/').next().unwrap_or_default();
    if rule.contains("://") {
        return rule_is("which is no path; write it from the root, as \"/srv/notes\"");
    }
    if rule.split('/').any(|step| matches!(step, "." | "..")) || first.starts_with('~') {
        return rule_is(
            "which matches nothing; write the path without `.`, `..` and `~`: below the workspace as \"notes\", or from the \
             root as \"/srv/notes\"",
        );
    }
    if rule.starts_with('!') {
        return rule_is("and nothing is taken out of what is protected; write `?` for a `!` that a name begins with");
    }
    if rule.contains(['$', '\\']) {
        return rule_is(
            "and neither variables nor backslashes mean anything; write the path out, and `?` for such a character in a name",
        );
    }
    if rule.contains(['{', '}']) {
        return rule_is(
            "and braces stand for nothing else; write one pattern for each, and `?` for a brace in a name",
        );
    }
    Ok(())
}

/// The patterns, one a line, and beside each from the root the others by which the same files are known: where it leads, and
/// beneath the workspace as it is named and as it is found. Those who look at what is asked for know the one, and those who
/// look at files the other.
pub(super) fn in_every_spelling(patterns: &str, workspace: &Path) -> String {
    let real = resolved(workspace);
    let mut all: Vec<String> = Vec::new();
    for pattern in patterns.lines() {
        let mut spellings = vec![PathBuf::from(pattern)];
        if pattern.trim().starts_with('/') {
            spellings.push(leading_to(Path::new(pattern.trim())));
            let beneath = |spelling: &PathBuf| {
                Some(
                    below(spelling, workspace)
                        .or_else(|| below(spelling, &real))?
                        .to_owned(),
                )
            };
            let places: Vec<PathBuf> = spellings.iter().filter_map(beneath).collect();
            for place in places {
                let plain = |root: &Path| literal(root).iter().chain(&place).collect();
                spellings.extend([plain(workspace), plain(&real)]);
            }
        }
        for spelling in spellings.iter().filter_map(|spelling| spelling.to_str()) {
            if !spelling.contains('\n') && !all.iter().any(|own| own == spelling) {
                all.push(spelling.to_owned());
            }
        }
    }
    all.join("\n")
}

/// Where a pattern leads: the steps before the first one with a sign, with links seen through.
fn leading_to(pattern: &Path) -> PathBuf {
    let plain = pattern.iter().take_while(|step| !has_sign(&step.to_string_lossy()));
    let plain: PathBuf = plain.collect();
    let rest = pattern.strip_prefix(&plain).unwrap_or(Path::new(""));
    literal(&resolved(&plain)).iter().chain(rest).collect()
}

/// What of a pattern lies beneath `root`, if it may be there.
fn below<'p>(pattern: &'p Path, root: &Path) -> Option<&'p Path> {
    let mut steps = pattern.iter();
    let may_be = |own: &std::ffi::OsStr| {
        let step = steps.next();
        step.is_some_and(|step| step == own || has_sign(&step.to_string_lossy()))
    };
    root.iter().all(may_be).then_some(steps.as_path())
}

fn has_sign(step: &str) -> bool {
    step.contains(['*', '?', '['])
}

/// A path as a pattern, in which no character of it is a sign.
fn literal(path: &Path) -> PathBuf {
    match path.to_str() {
        Some(text) => PathBuf::from(text.replace(['*', '[', ']'], "?")),
        None => path.to_owned(),
    }
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
