//! What a skill says of itself, read into types: the plist that `describe` returns.
//!
//! A key we don't know is an error that names the field, since a misspelt one would otherwise silently mean nothing.
//! What is claimed here is not yet granted; that is for the loader.

use std::collections::BTreeSet;

use super::right::Right;
use crate::sexp::{Form, read};
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
    /// Rights of influence it asks for.
    pub rights: BTreeSet<Right>,
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
        self.target == other.target
            && (self.action.is_none() || other.action.is_none() || self.action == other.action)
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

type Parsed<T> = Result<T, DescribeError>;

fn wrong<T>(field: &str, problem: impl Into<String>) -> Parsed<T> {
    Err(DescribeError {
        field: field.to_owned(),
        problem: problem.into(),
    })
}

/// Reads what `describe` returned.
///
/// # Errors
/// The first thing that is wrong, with the field.
pub fn parse(text: &str) -> Parsed<Description> {
    const KEYS: &[&str] = &[
        "NAME",
        "VERSION",
        "PRIORITY",
        "FUNCTIONS",
        "GATE-TARGETS",
        "TARGETS",
        "TOOLS",
        "TRIGGERS",
        "STATE",
        "DEPENDS-ON",
        "RIGHTS",
    ];
    let form = match read(text) {
        Ok(form) => form,
        Err(error) => return wrong("the whole", error.to_string()),
    };
    check_keys(&form, "the whole", KEYS)?;
    let functions = names(&form, ":FUNCTIONS", "FUNCTIONS")?
        .iter()
        .map(|name| match FUNCTIONS.iter().find(|(own, _)| own == name) {
            Some((_, function)) => Ok(*function),
            None => wrong(
                ":FUNCTIONS",
                format!("there is no function :{name}; there are {}", listed(FUNCTIONS)),
            ),
        })
        .collect::<Parsed<BTreeSet<Function>>>()?;
    let description = Description {
        name: string(&form, ":NAME", "NAME")?,
        version: string(&form, ":VERSION", "VERSION")?,
        priority: priority(&form)?,
        gate_targets: match form.get("GATE-TARGETS") {
            Some(_) => Some(names(&form, ":GATE-TARGETS", "GATE-TARGETS")?),
            None => None,
        },
        targets: list(&form, ":TARGETS", "TARGETS")?
            .iter()
            .map(target)
            .collect::<Parsed<_>>()?,
        tools: each(&form, "TOOLS", tool)?,
        triggers: each(&form, "TRIGGERS", trigger)?,
        state: form.get("STATE").is_some_and(Form::is_true),
        depends_on: list(&form, ":DEPENDS-ON", "DEPENDS-ON")?
            .iter()
            .map(|item| match item.designator() {
                Some(name) => Ok(name.to_lowercase()),
                None => wrong(":DEPENDS-ON", "names of skills belong here"),
            })
            .collect::<Parsed<_>>()?,
        rights: list(&form, ":RIGHTS", "RIGHTS")?
            .iter()
            .map(|item| match item.designator().map(str::parse) {
                Some(Ok(right)) => Ok(right),
                Some(Err(error)) => wrong(":RIGHTS", format!("{error}")),
                None => wrong(":RIGHTS", "names of rights belong here"),
            })
            .collect::<Parsed<_>>()?,
        functions,
    };
    check_sense(&description)?;
    Ok(description)
}

/// Claims that no function could honour are slips of the author's.
fn check_sense(description: &Description) -> Parsed<()> {
    let has = |function| description.functions.contains(&function);
    if description.functions.is_empty() {
        return wrong(":FUNCTIONS", "it names none, so that the skill could do nothing");
    }
    if !is_name(&description.name) {
        return wrong(
            ":NAME",
            "a name is lower-case letters, digits and `-`, and begins with a letter",
        );
    }
    if !description.targets.is_empty() && !has(Function::Act) {
        return wrong(":TARGETS", "targets are claimed, but :ACT is not among :FUNCTIONS");
    }
    if has(Function::Act) && description.targets.is_empty() {
        return wrong(":FUNCTIONS", ":ACT is named, but :TARGETS claims no target to act for");
    }
    if !description.tools.is_empty() && !has(Function::CallTool) && !has(Function::Act) {
        return wrong(
            ":TOOLS",
            "tools are declared, but neither :CALL-TOOL nor :ACT is among :FUNCTIONS",
        );
    }
    if description.gate_targets.is_some() && !has(Function::Gate) {
        return wrong(
            ":GATE-TARGETS",
            "targets of a gate are given, but :GATE is not among :FUNCTIONS",
        );
    }
    Ok(())
}

/// Whether `name` can name a skill: what is safe as the stem of a file, everywhere.
pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|char: char| char.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && name.len() <= 64
}

fn listed(table: &[(&str, Function)]) -> String {
    table
        .iter()
        .map(|(name, _)| format!(":{name}"))
        .collect::<Vec<_>>()
        .join(" ")
}

fn check_keys(form: &Form, field: &str, known: &[&str]) -> Parsed<()> {
    if let Err(error) = form.check_plist(field) {
        return wrong(field, error.to_string());
    }
    match form
        .pairs()
        .find(|(key, _)| !known.iter().any(|own| own.eq_ignore_ascii_case(key)))
    {
        None => Ok(()),
        Some((key, _)) => {
            let near = known.iter().max_by(|a, b| {
                let distance = |own: &&str| strsim::jaro_winkler(own, &key.to_uppercase());
                distance(a).total_cmp(&distance(b))
            });
            let near = near.map(|near| format!("; did you mean :{near}?")).unwrap_or_default();
            wrong(field, format!("there is no key :{key}{near}"))
        }
    }
}

fn string(form: &Form, field: &str, key: &str) -> Parsed<String> {
    match form.get(key).and_then(Form::as_str).map(str::trim) {
        Some("") | None => wrong(field, "a string that is not empty belongs here"),
        Some(text) => Ok(text.to_owned()),
    }
}

fn priority(form: &Form) -> Parsed<i64> {
    match form.get("PRIORITY") {
        None => Ok(0),
        Some(value) => match value.as_int() {
            Some(number) => Ok(number),
            None => wrong(":PRIORITY", "an integer belongs here"),
        },
    }
}

fn list<'a>(form: &'a Form, field: &str, key: &str) -> Parsed<&'a [Form]> {
    match form.get(key) {
        None => Ok(&[]),
        Some(value) => value.items().map_or_else(|| wrong(field, "a list belongs here"), Ok),
    }
}

fn names(form: &Form, field: &str, key: &str) -> Parsed<Vec<String>> {
    list(form, field, key)?
        .iter()
        .map(|item| match item.designator() {
            Some(name) => Ok(name.to_uppercase()),
            None => wrong(field, format!("keywords belong here, not {}", item.shortened(40))),
        })
        .collect()
}

fn each<T>(form: &Form, key: &str, parse: fn(&Form, &str) -> Parsed<T>) -> Parsed<Vec<T>> {
    let field = format!(":{key}");
    list(form, &field, key)?
        .iter()
        .enumerate()
        .map(|(at, item)| parse(item, &format!("{field} {at}")))
        .collect()
}

fn target(form: &Form) -> Parsed<TargetClaim> {
    let name = |form: &Form| form.designator().map(str::to_uppercase);
    match form.items() {
        None => match name(form) {
            Some(target) => Ok(TargetClaim { target, action: None }),
            None => wrong(":TARGETS", "a keyword, or (:TARGET :ACTION), belongs here"),
        },
        Some([target, action]) => match (name(target), name(action)) {
            (Some(target), Some(action)) => Ok(TargetClaim {
                target,
                action: Some(action),
            }),
            _ => wrong(":TARGETS", "(:TARGET :ACTION) has two keywords"),
        },
        Some(_) => wrong(":TARGETS", "a keyword, or (:TARGET :ACTION), belongs here"),
    }
}

fn tool(form: &Form, field: &str) -> Parsed<ToolDeclaration> {
    check_keys(form, field, &["NAME", "DESCRIPTION", "PARAMETERS"])?;
    let name = string(form, &format!("{field} :NAME"), "NAME")?;
    if !is_name(&name) {
        return wrong(
            &format!("{field} :NAME"),
            "a tool's name is lower-case letters, digits and `-`",
        );
    }
    let inside = format!("{field} :PARAMETERS");
    Ok(ToolDeclaration {
        name,
        description: string(form, &format!("{field} :DESCRIPTION"), "DESCRIPTION")?,
        parameters: list(form, &inside, "PARAMETERS")?
            .iter()
            .enumerate()
            .map(|(at, item)| parameter(item, &format!("{inside} {at}")))
            .collect::<Parsed<_>>()?,
    })
}

fn parameter(form: &Form, field: &str) -> Parsed<Parameter> {
    check_keys(form, field, &["NAME", "TYPE", "REQUIRED", "DESCRIPTION"])?;
    let kind = form
        .get("TYPE")
        .and_then(Form::designator)
        .unwrap_or("ANY")
        .to_uppercase();
    if !KINDS.contains(&kind.as_str()) {
        return wrong(
            &format!("{field} :TYPE"),
            format!("there is no type :{kind}; there are {}", KINDS.join(" ")),
        );
    }
    Ok(Parameter {
        name: string(form, &format!("{field} :NAME"), "NAME")?.to_lowercase(),
        kind,
        required: form.get("REQUIRED").is_some_and(Form::is_true),
        description: form
            .get("DESCRIPTION")
            .and_then(Form::as_str)
            .unwrap_or_default()
            .to_owned(),
    })
}

fn trigger(form: &Form, field: &str) -> Parsed<TriggerRule> {
    check_keys(form, field, &["SENSOR", "SOURCE", "FIELD", "EQUALS"])?;
    let text = |key| form.get(key).and_then(Form::designator);
    let rule = TriggerRule {
        sensor: text("SENSOR").map(Sensor::from_name),
        source: text("SOURCE").map(str::to_uppercase),
        field: match (text("FIELD"), text("EQUALS")) {
            (Some(path), Some(value)) => Some((path.to_owned(), value.to_owned())),
            (None, None) => None,
            _ => return wrong(field, ":FIELD and :EQUALS belong together"),
        },
    };
    if rule.sensor.is_none() && rule.source.is_none() && rule.field.is_none() {
        return wrong(field, "a trigger needs :SENSOR, :SOURCE, or :FIELD with :EQUALS");
    }
    Ok(rule)
}
