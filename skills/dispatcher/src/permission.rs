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

fn read(text: &str) -> Option<Permission> {
    match text.trim().to_ascii_lowercase().as_str() {
        "allow" => Some(Permission::Allow),
        "ask" => Some(Permission::Ask),
        "deny" => Some(Permission::Deny),
        _ => None,
    }
}
