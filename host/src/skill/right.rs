//! Rights: what an operator can grant a skill, and what the bundled ones come with.
//!
//! Reading forms and settings, logging, prompts, mandates and names of a skill's own need none.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use super::describe::{Description, Function};
use super::grants::Grants;
use super::loaded::Source;
use crate::capability::bound::BadBound;
use crate::capability::http::{Reach, reach};
use crate::capability::{Bound, Class, Interface, Rights};
use crate::config::shell_word;
use crate::sexp::Digest;
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
    /// To have a capability, as far as the bound reaches.
    Capability(Bound),
}

impl Right {
    /// Whether it is a bound of this capability.
    pub(super) fn is_of(&self, class: Class) -> bool {
        matches!(self, Right::Capability(bound) if bound.class() == class)
    }

    /// What is to be known of it before it is granted: that it reaches nothing, or nearer than it looks.
    pub fn reach(&self) -> Option<Reach> {
        match self {
            Right::Capability(bound) => reach(bound),
            _ => None,
        }
    }
}

/// Targets that mean something to the host itself.
pub(super) const CORE_TARGETS: &[&str] = &["CLI", "TUI", "EMACS", "TOOL", "SYSTEM", "SHELL"];

/// Whether `target` means something to the host itself, whatever skills there are.
fn is_core_target(target: &str) -> bool {
    CORE_TARGETS.iter().any(|own| own.eq_ignore_ascii_case(target))
}

/// Tools whose names the host closes into actions of its own.
const CORE_TOOLS: &[&str] = &["shell", "eval", "message"];

/// The least that the bundled skills need.
const BUNDLED: &[(&str, &[&str])] = &[
    ("policy", &[]),
    ("dispatcher", &["contains-secret"]),
    ("shell", &["process", "target:shell", "tool:shell"]),
    ("repl", &["target:system/eval", "tool:eval"]),
    ("files", &["files:read:workspace", "files:write:workspace"]),
    ("memory", &["memory:read", "memory:write"]),
    // Public addresses only, and each request is an action, for which the dispatcher asks.
    ("web", &["http:*"]),
];

/// What the skill `name` of this digest may have: what the operator granted it, and what it comes with if it is bundled.
pub(super) fn granted(name: &str, digest: &Digest, source: &Source, grants: &Grants) -> BTreeSet<Right> {
    let mut rights = grants.rights_of(name, digest);
    if *source == Source::Bundled {
        rights.extend(comes_with(name));
    }
    rights
}

/// What the bundled skill `name` may do without a grant; nothing, if there is none.
pub fn comes_with(name: &str) -> BTreeSet<Right> {
    let own = BUNDLED.iter().filter(|(own, _)| *own == name);
    own.flat_map(|(_, rights)| *rights)
        .filter_map(|right| right.parse().ok())
        .collect()
}

/// Everything that a skill needs the operator for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// Rights without which it can't be used.
    exactly: BTreeSet<Right>,
    /// Capabilities of which it needs at least one bound, and those bounds that it would like. How far a capability
    /// reaches is the operator's choice: less than a skill would like is enough to use it.
    capabilities: BTreeMap<Class, BTreeSet<Bound>>,
}

impl Needs {
    /// What the `imports` of a skill need, and what it says of itself, if it says anything. What has no function that acts
    /// needs no right to: whatever it then calls of such an interface ends the call, granted or not.
    pub(super) fn new(imports: &[Interface], description: Option<&Description>) -> Needs {
        let mut needs = Needs::default();
        let acts = description.is_none_or(Description::acts);
        for import in imports.iter().filter(|own| acts || own.is_pure()) {
            match import {
                Interface::Process => drop(needs.exactly.insert(Right::Process)),
                Interface::Secrets => drop(needs.exactly.insert(Right::ContainsSecret)),
                Interface::Files => drop(needs.capabilities.entry(Class::Files).or_default()),
                Interface::Http => drop(needs.capabilities.entry(Class::Http).or_default()),
                Interface::Memory => drop(needs.capabilities.entry(Class::Memory).or_default()),
                Interface::Model => drop(needs.capabilities.entry(Class::Model).or_default()),
                Interface::Vault => drop(needs.capabilities.entry(Class::Vault).or_default()),
                Interface::Schedule => drop(needs.capabilities.entry(Class::Schedule).or_default()),
                Interface::Forms | Interface::Log | Interface::Settings => {}
            }
        }
        for right in description.map(of_description).unwrap_or_default() {
            match right {
                Right::Capability(_) | Right::Process if !acts => {}
                Right::Capability(bound) => drop(needs.capabilities.entry(bound.class()).or_default().insert(bound)),
                other => drop(needs.exactly.insert(other)),
            }
        }
        needs
    }

    /// What of it is not among the `granted`: rights that can be granted as they are, and capabilities for which the
    /// operator must say how far they reach, because the skill does not.
    pub(super) fn missing(&self, granted: &BTreeSet<Right>) -> (Vec<Right>, Vec<Class>) {
        let mut rights: Vec<Right> = self.exactly.difference(granted).cloned().collect();
        let mut open = Vec::new();
        let has = |class: Class| granted.iter().any(|right| right.is_of(class));
        for (class, wished) in self.capabilities.iter().filter(|(class, _)| !has(**class)) {
            let example = class.example().parse::<Bound>().ok();
            let asked: Vec<Bound> = match example {
                Some(only) if wished.is_empty() => vec![only],
                _ => wished.iter().cloned().collect(),
            };
            if asked.is_empty() {
                open.push(*class);
            }
            rights.extend(asked.into_iter().map(Right::Capability));
        }
        (rights, open)
    }

    /// Bounds that it would like beside the `granted`, of capabilities of which it has one: it can be used without them.
    pub(super) fn beyond(&self, granted: &BTreeSet<Right>) -> Vec<Right> {
        let bounds = || {
            granted.iter().filter_map(|right| match right {
                Right::Capability(bound) => Some(bound),
                _ => None,
            })
        };
        let begun = |class: Class| bounds().any(|own| own.class() == class);
        let wished = self.capabilities.iter().filter(|(class, _)| begun(**class));
        let lacking = wished
            .flat_map(|(_, wished)| wished)
            .filter(|wished| !bounds().any(|own| own.covers(wished)));
        lacking.cloned().map(Right::Capability).collect()
    }

    /// Those of the `granted` that it makes use of: what it needs, and every bound of a capability that it has.
    pub(super) fn used(&self, granted: &BTreeSet<Right>) -> BTreeSet<Right> {
        granted.iter().filter(|right| self.can_use(right)).cloned().collect()
    }

    /// Whether it imports, or asks for, what this right is about.
    pub(super) fn can_use(&self, right: &Right) -> bool {
        match right {
            Right::Capability(bound) => {
                let has = |class| self.capabilities.contains_key(&class);
                match bound.class() {
                    // A secret may also stand in the header of a request, of which no import tells.
                    Class::Vault => has(Class::Vault) || has(Class::Http),
                    // What an earlier build has scheduled goes on as long as it may.
                    Class::Schedule => true,
                    class => has(class),
                }
            }
            _ => self.exactly.contains(right),
        }
    }
}

/// The bounds of capabilities among `rights`, as a skill holds them.
pub(super) fn bounds(rights: &BTreeSet<Right>) -> Rights {
    Rights::new(rights.iter().filter_map(|right| match right {
        Right::Capability(bound) => Some(bound.clone()),
        _ => None,
    }))
}

/// Rights in words, and capabilities that are open, with words in capitals for what the operator must choose.
pub(super) fn wanted(rights: &[Right], open: &[Class]) -> Vec<String> {
    let open = open.iter().map(|class| class.example().to_owned());
    rights.iter().map(Right::to_string).chain(open).collect()
}

/// The command that grants all of them to `skill`, a name or a file.
pub(super) fn command(skill: &str, rights: &[Right], open: &[Class]) -> String {
    let words: Vec<String> = wanted(rights, open).iter().map(|right| shell_word(right)).collect();
    format!(
        "passepartout-host skill grant {} {}",
        shell_word(skill),
        words.join(" ")
    )
}

/// What a skill says of itself that needs a right.
fn of_description(description: &Description) -> BTreeSet<Right> {
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
    for claim in description.targets.iter().filter(|claim| is_core_target(&claim.target)) {
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
            Right::Capability(bound) => bound.fmt(f),
        }
    }
}

/// Longest right, in bytes: a path has at most 4096, and the rest says what it is for.
const LONGEST: usize = 4096 + 32;

/// A text that names no right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSuchRight {
    /// It looks like none.
    #[error(
        "there is no right `{0}`; there are process, contains-secret, revise, recover, heartbeat, target:NAME, \
         target:NAME/ACTION, tool:NAME, {forms}", forms = Bound::FORMS
    )]
    Unknown(String),
    /// No right is so long.
    #[error("a right has at most {allowed} bytes, and this one has {asked}", allowed = LONGEST)]
    TooLong {
        /// How long it is, in bytes.
        asked: usize,
    },
    /// It looks like a bound of a capability, and is none.
    #[error("`{text}` is no right: {problem}")]
    Wrong {
        /// The text.
        text: String,
        /// What is wrong with it, and what to write.
        problem: BadBound,
    },
}

impl FromStr for Right {
    type Err = NoSuchRight;

    fn from_str(text: &str) -> Result<Right, NoSuchRight> {
        if text.len() > LONGEST {
            return Err(NoSuchRight::TooLong { asked: text.len() });
        }
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
                // As it was written: folders and secrets are told apart by case.
                _ => match text.parse() {
                    Ok(bound) => Right::Capability(bound),
                    Err(BadBound::NoBound) => return Err(NoSuchRight::Unknown(text.to_owned())),
                    Err(problem) => {
                        return Err(NoSuchRight::Wrong {
                            text: text.to_owned(),
                            problem,
                        });
                    }
                },
            },
        };
        Ok(right)
    }
}
