//! What the operator said of a tool or a target: allow, ask or deny. What is set and none of these closes it.

use crate::finding::{Finding, Risk, line};

/// What may happen without a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permission {
    /// What else the gate has against it stands; being what it is does not ask.
    Allow,
    /// A person is asked each time.
    Ask,
    /// Never.
    Deny,
}

/// Of what a permission is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Of<'a> {
    /// `tool` or `target`: what it is called in the settings.
    pub(crate) kind: Kind,
    /// Its name.
    pub(crate) name: &'a str,
    /// The part of the action that names it.
    pub(crate) field: &'a str,
}

/// Tools and targets have permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A tool.
    Tool,
    /// A target.
    Target,
}

impl Of<'_> {
    /// The permission that `set`, the setting's value, gives; `None` where nothing is set.
    ///
    /// # Errors
    /// The finding that follows from it, unless it allows.
    pub(crate) fn permission(self, set: Option<&str>) -> Result<Option<Permission>, Finding> {
        let shown = line(self.name, 60);
        let (word, denied, asks, setting) = match self.kind {
            Kind::Tool => ("tool", "tool-denied", "tool-ask", "tool-setting"),
            Kind::Target => ("target", "target-denied", "target-ask", "target-setting"),
        };
        let Some(set) = set else {
            return Ok(None);
        };
        match read(set) {
            Some(Permission::Allow) => Ok(Some(Permission::Allow)),
            Some(Permission::Deny) => Err(Finding::reject(
                denied,
                self.field,
                format!("the operator denied the {word} {shown}"),
                format!("Use another {word}, or ask the person for what you need."),
            )),
            Some(Permission::Ask) => Err(Finding::ask(
                asks,
                self.field,
                format!("uses the {word} {shown}"),
                Risk::Medium,
            )),
            None => Err(Finding::reject(
                setting,
                self.field,
                format!("the setting dispatcher.{word}s.{shown} is `{set}`, which is none of allow, ask, deny"),
                format!("Use another {word}, and tell the person that the setting needs to be mended."),
            )),
        }
    }
}

/// What the operator can set so that an ask of this `rule` is answered for good, in words for a person; nothing for rules
/// that ask whatever is permitted, and for names that can't be written as a key.
pub(crate) fn setting_for(rule: &str, target: &str, tool: Option<&str>) -> Option<String> {
    let (table, name) = match rule {
        "tool-unknown" | "tool-writes" | "tool-sends" => ("tools", tool?),
        "target-unknown" | "message-elsewhere" | "emacs-action" | "file-write" | "http-sends" => ("targets", target),
        _ => return None,
    };
    let is_key = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    is_key.then(|| {
        let name = name.to_lowercase();
        format!("for good: {table}.{name} = \"allow\" under [settings.dispatcher] in config.toml")
    })
}

fn read(text: &str) -> Option<Permission> {
    match text.trim().to_ascii_lowercase().as_str() {
        "allow" => Some(Permission::Allow),
        "ask" => Some(Permission::Ask),
        "deny" => Some(Permission::Deny),
        _ => None,
    }
}
