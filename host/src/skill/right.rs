//! Rights: what an operator can grant a skill, and what the bundled ones come with.
//!
//! Reading forms and settings, logging, prompts, mandates and names of a skill's own need none.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use super::describe::{Description, Function};
use crate::signal::Sensor;

/// One thing that needs a grant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// To run commands: the import `process`.
    Process,
    /// To ask whether a text contains a secret: the import `secrets`.
    ContainsSecret,
    /// To revise payloads as a gate.
    Revise,
    /// To be asked when a cycle fails.
    Recover,
    /// To be called on the heartbeat.
    Heartbeat,
    /// To carry out what goes to a core target, or to one action of it. Upper case.
    Target {
        /// The target.
        target: String,
        /// Only this `:ACTION`.
        action: Option<String>,
    },
    /// To offer a core tool. Lower case.
    Tool(String),
}

/// Targets that mean something to the host itself.
const CORE_TARGETS: &[&str] = &["CLI", "TUI", "EMACS", "TOOL", "SYSTEM", "SHELL"];

/// Tools whose names the host closes into actions of its own.
const CORE_TOOLS: &[&str] = &["shell", "eval", "message"];

/// The least that the bundled skills need.
const BUNDLED: &[(&str, &[&str])] = &[
    ("policy", &[]),
    ("dispatcher", &["contains-secret"]),
    ("shell", &["process", "target:shell", "tool:shell"]),
    ("repl", &["target:system/eval", "tool:eval"]),
];

/// What the bundled skill `name` comes with.
pub(super) fn bundled(name: &str) -> BTreeSet<Right> {
    let rights = BUNDLED
        .iter()
        .find(|(own, _)| *own == name)
        .map_or(&[] as &[&str], |(_, rights)| rights);
    rights.iter().filter_map(|right| right.parse().ok()).collect()
}

/// The right that importing `interface` of our package needs: `None` if it needs none.
pub(super) fn of_import(interface: &str) -> Option<Right> {
    match interface {
        "process" => Some(Right::Process),
        "secrets" => Some(Right::ContainsSecret),
        _ => None,
    }
}

/// The rights that what a skill says of itself needs, beside those of its imports.
pub(super) fn of_description(description: &Description) -> BTreeSet<Right> {
    let mut needed = description.rights.clone();
    if description.functions.contains(&Function::Recover) {
        needed.insert(Right::Recover);
    }
    if description
        .triggers
        .iter()
        .any(|rule| rule.sensor == Some(Sensor::Heartbeat))
    {
        needed.insert(Right::Heartbeat);
    }
    for claim in description
        .targets
        .iter()
        .filter(|claim| CORE_TARGETS.contains(&claim.target.as_str()))
    {
        needed.insert(Right::Target {
            target: claim.target.clone(),
            action: claim.action.clone(),
        });
    }
    for tool in description
        .tools
        .iter()
        .filter(|tool| CORE_TOOLS.contains(&tool.name.as_str()))
    {
        needed.insert(Right::Tool(tool.name.clone()));
    }
    needed
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Right::Process => f.write_str("process"),
            Right::ContainsSecret => f.write_str("contains-secret"),
            Right::Revise => f.write_str("revise"),
            Right::Recover => f.write_str("recover"),
            Right::Heartbeat => f.write_str("heartbeat"),
            Right::Target { target, action: None } => write!(f, "target:{}", target.to_lowercase()),
            Right::Target {
                target,
                action: Some(action),
            } => {
                write!(f, "target:{}/{}", target.to_lowercase(), action.to_lowercase())
            }
            Right::Tool(name) => write!(f, "tool:{name}"),
        }
    }
}

/// A text that names no right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no right `{0}`; there are process, contains-secret, revise, recover, heartbeat, target:NAME, \
     target:NAME/ACTION and tool:NAME"
)]
pub struct NoSuchRight(String);

impl FromStr for Right {
    type Err = NoSuchRight;

    fn from_str(text: &str) -> Result<Right, NoSuchRight> {
        let lower = text.to_lowercase();
        let right = match lower.as_str() {
            "process" => Right::Process,
            "contains-secret" => Right::ContainsSecret,
            "revise" => Right::Revise,
            "recover" => Right::Recover,
            "heartbeat" => Right::Heartbeat,
            other => match other.split_once(':') {
                Some(("target", name)) if !name.is_empty() => {
                    let (target, action) = match name.split_once('/') {
                        Some((target, action)) => (target, Some(action.to_uppercase())),
                        None => (name, None),
                    };
                    Right::Target {
                        target: target.to_uppercase(),
                        action,
                    }
                }
                Some(("tool", name)) if !name.is_empty() => Right::Tool(name.to_owned()),
                _ => return Err(NoSuchRight(text.to_owned())),
            },
        };
        Ok(right)
    }
}
