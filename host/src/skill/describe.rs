//! What a skill says of itself, read into types: the plist that `describe` returns.
//!
//! A key we don't know is an error that names the field, since a misspelt one would otherwise silently mean nothing.
//! What is claimed here is not yet granted; that is for the loader.

mod bounds;
mod parse;
mod told;

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

pub(super) use parse::parse;

use super::right::Right;
use crate::gate::chain::HOST;
use crate::sexp::Form;
use crate::signal::{Action, Sensor};

/// What a skill says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// Its name, which its file must bear.
    pub name: String,
    /// Its own version.
    pub version: String,
    /// Higher runs first; ties by name.
    pub priority: i64,
    /// Which of the exported functions are real.
    pub functions: BTreeSet<Function>,
    /// The targets its gate is about, upper case; all if none are given.
    pub gate_targets: Option<Vec<String>>,
    /// What it carries out.
    pub targets: Vec<TargetClaim>,
    /// Its tools.
    pub tools: Vec<ToolDeclaration>,
    /// When its prompt is meant, as far as it can be said without a call.
    pub triggers: Vec<TriggerRule>,
    /// Whether it keeps state, one instance a session.
    pub state: bool,
    /// Skills that must be loaded before it.
    pub depends_on: Vec<String>,
    /// Rights of influence it asks for, and how far it would like its capabilities to reach.
    pub rights: BTreeSet<Right>,
}

impl Description {
    /// Whether it has a function in which it can act: all others are called where nothing is real.
    pub fn acts(&self) -> bool {
        let acting = [Function::Act, Function::CallTool];
        acting.iter().any(|own| self.functions.contains(own))
    }
}

impl FromStr for Description {
    type Err = DescribeError;

    /// Reads what `describe` returned.
    fn from_str(text: &str) -> Result<Description, DescribeError> {
        parse(text)
    }
}

/// One function of the exported interface that is real.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Function {
    /// Judges actions.
    Gate,
    /// Carries out actions.
    Act,
    /// Runs tools.
    CallTool,
    /// Says something to the model beside the user's text.
    Prompt,
    /// Chooses when its prompt is meant.
    Trigger,
    /// Adds to the system prompt.
    Mandate,
    /// Is asked when a cycle failed.
    Recover,
}

const FUNCTIONS: &[(&str, Function)] = &[
    ("GATE", Function::Gate),
    ("ACT", Function::Act),
    ("CALL-TOOL", Function::CallTool),
    ("PROMPT", Function::Prompt),
    ("TRIGGER", Function::Trigger),
    ("MANDATE", Function::Mandate),
    ("RECOVER", Function::Recover),
];

impl Function {
    /// The keyword's name in lower case.
    pub fn name(self) -> String {
        FUNCTIONS
            .iter()
            .find(|(_, own)| *own == self)
            .map_or("", |(name, _)| name)
            .to_lowercase()
    }
}

/// A target, or one action of a target, that a skill carries out. Upper case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetClaim {
    /// The target.
    pub target: String,
    /// The payload's `:ACTION`, if only one is meant.
    pub action: Option<String>,
}

impl TargetClaim {
    /// Whether `action` is what is claimed.
    pub fn covers(&self, action: &Action) -> bool {
        let asked = action.payload().get("ACTION").and_then(Form::designator);
        self.target == action.target()
            && self
                .action
                .as_deref()
                .is_none_or(|own| asked.is_some_and(|asked| asked.eq_ignore_ascii_case(own)))
    }

    /// Whether some action would be both this one's and `other`'s.
    pub fn meets(&self, other: &TargetClaim) -> bool {
        self.target == other.target && actions_meet(self.action.as_deref(), other.action.as_deref())
    }
}

/// Whether two claims to one target, each to this action of it or else to all, have an action in common.
pub(super) fn actions_meet(own: Option<&str>, other: Option<&str>) -> bool {
    own.is_none() || other.is_none() || own == other
}

impl fmt::Display for TargetClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.target.to_lowercase())?;
        match &self.action {
            Some(action) => write!(f, " {}", action.to_lowercase()),
            None => Ok(()),
        }
    }
}

/// One tool that a model can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolDeclaration {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
}

/// One parameter of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, lower case.
    pub name: String,
    /// What kind of value: `STRING`, `INTEGER`, `BOOLEAN`, `LIST`, `ANY`.
    pub kind: String,
    /// Whether it must be given.
    pub required: bool,
    /// What it is for.
    pub description: String,
}

const KINDS: &[&str] = &["STRING", "INTEGER", "NUMBER", "BOOLEAN", "LIST", "ANY"];

/// One declared trigger: all that is given must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriggerRule {
    /// The sensor.
    pub sensor: Option<Sensor>,
    /// The source, upper case.
    pub source: Option<String>,
    /// A path into the signal, and the text that must stand there.
    pub field: Option<(String, String)>,
}

impl TriggerRule {
    /// Whether the rule holds for the signal `form`.
    pub fn matches(&self, form: &Form) -> bool {
        let said = |path: &str| form.at(path).and_then(Form::designator);
        let same = |path: &str, wanted: &str| said(path).is_some_and(|text| text.eq_ignore_ascii_case(wanted));
        self.sensor
            .as_ref()
            .is_none_or(|sensor| same("payload.sensor", sensor.name()))
            && self.source.as_ref().is_none_or(|source| same("meta.source", source))
            && self
                .field
                .as_ref()
                .is_none_or(|(path, value)| said(path) == Some(value))
    }
}

/// What is wrong with a description.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its description is wrong at {field}: {problem}")]
pub struct DescribeError {
    /// The key, such as `:TOOLS 0 :NAME`.
    pub field: String,
    /// What is wrong there.
    pub problem: String,
}

/// How a skill is named, for whoever named one otherwise.
pub const NAME_RULE: &str = "write at most 64 lower-case letters, digits and `-`, beginning with a letter";

/// Whether `name` can name a skill: what is safe as the stem of a file, everywhere.
pub fn is_name(name: &str) -> bool {
    name.starts_with(|char: char| char.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && name.len() <= 64
}

/// Names that no skill may have: under this one the host itself refuses, and a refusal names no more than who refused.
const RESERVED: [&str; 1] = [HOST];

/// What is against a skill's being called so, though the name is well made.
///
/// # Errors
/// Whose name it is.
pub fn check_free(name: &str) -> Result<(), String> {
    match RESERVED.contains(&name) {
        false => Ok(()),
        true => Err(format!(
            "`{name}` is the name under which the daemon itself refuses, so that no skill can be called that; choose another name"
        )),
    }
}

/// The name that a file of this stem is meant for. Cargo writes `no_shouting.wasm` for `no-shouting`.
pub fn name_of_stem(stem: &str) -> String {
    let own = stem.replace('_', "-");
    if is_name(&own) { own } else { stem.to_owned() }
}
