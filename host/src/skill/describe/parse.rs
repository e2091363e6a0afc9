//! Reading a description: every key has one meaning, and what can't have one is an error that names the field.

use std::collections::BTreeSet;

use super::bounds::{self, shown};
use super::{
    DescribeError, Description, FUNCTIONS, Function, KINDS, Parameter, TargetClaim, ToolDeclaration, TriggerRule,
    check_free, is_name,
};
use crate::capability::own::own_target;
use crate::sexp::{Form, is_hidden, read, visible_line};
use crate::signal::Sensor;

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
pub(crate) fn parse(text: &str) -> Parsed<Description> {
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
        .map(
            |name| match FUNCTIONS.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)) {
                Some((_, function)) => Ok(*function),
                None => {
                    let name = shown(&name.to_uppercase());
                    let problem = format!("there is no function :{name}; there are {}", listed(FUNCTIONS));
                    wrong(":FUNCTIONS", problem)
                }
            },
        )
        .collect::<Parsed<BTreeSet<Function>>>()?;
    let description = Description {
        name: string(&form, ":NAME", "NAME")?,
        version: string(&form, ":VERSION", "VERSION")?,
        priority: priority(&form)?,
        gate_targets: match form.get("GATE-TARGETS") {
            Some(_) => Some(
                names(&form, ":GATE-TARGETS", "GATE-TARGETS")?
                    .into_iter()
                    .map(|name| good(":GATE-TARGETS", bounds::target(name)))
                    .collect::<Parsed<_>>()?,
            ),
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
            .map(|item| match item.designator().map(str::to_lowercase) {
                // What can't be a skill's name would be waited for in vain.
                Some(name) if is_name(&name) && check_free(&name).is_ok() => Ok(name),
                Some(name) => wrong(":DEPENDS-ON", format!("`{}` can't name a skill", shown(&name))),
                None => wrong(":DEPENDS-ON", "names of skills belong here"),
            })
            .collect::<Parsed<_>>()?,
        rights: list(&form, ":RIGHTS", "RIGHTS")?
            .iter()
            .map(|item| match item.designator().map(str::parse) {
                Some(Ok(right)) => Ok(right),
                Some(Err(error)) => wrong(":RIGHTS", format!("{error}")),
                None => wrong(":RIGHTS", "names of rights belong here, keywords or strings"),
            })
            .collect::<Parsed<_>>()?,
        functions,
    };
    check_sense(&description)?;
    Ok(description)
}

/// Most entries of each list in a description: all tools are told to the model, and all claims are compared with others'.
const ENTRIES: usize = 200;

/// Most parameters of one tool.
const PARAMETERS: usize = 50;

/// Longest version, in bytes: it is shown in tables and in the log.
const LONGEST_VERSION: usize = 64;

/// Claims that no function could honour are slips of the author's.
fn check_sense(description: &Description) -> Parsed<()> {
    let has = |function| description.functions.contains(&function);
    if description.version.len() > LONGEST_VERSION {
        return wrong(
            ":VERSION",
            format!(
                "it has {} bytes, and a version has at most {LONGEST_VERSION}",
                description.version.len()
            ),
        );
    }
    if description.version.chars().any(is_hidden) {
        return wrong(
            ":VERSION",
            format!(
                "it has a character that can't be seen, as a line break is: {}",
                visible_line(&description.version)
            ),
        );
    }
    if description.functions.is_empty() {
        let needed = if !description.tools.is_empty() {
            "it declares a tool, which needs :CALL-TOOL (`.function(Function::CallTool)` in Rust)"
        } else {
            "name each function that is real, such as :GATE (`.function(Function::Gate)` in Rust)"
        };
        return wrong(
            ":FUNCTIONS",
            format!("it names none, so that the skill could do nothing: {needed}"),
        );
    }
    if !is_name(&description.name) {
        return wrong(
            ":NAME",
            "a name is lower-case letters, digits and `-`, and begins with a letter",
        );
    }
    good(":NAME", check_free(&description.name))?;
    if let Some(claim) = description
        .targets
        .iter()
        .find(|claim| own_target(&claim.target).is_some())
    {
        return wrong(
            ":TARGETS",
            format!(
                ":{} is the host's own, for what skills propose; claim a target of another name, or offer a tool",
                claim.target
            ),
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
    check_once(":TOOLS", "tool", description.tools.iter().map(|tool| tool.name.clone()))?;
    for tool in &description.tools {
        // As arguments are compared.
        let names = tool.parameters.iter().map(|own| own.name.replace('_', "-"));
        check_once(&format!("the tool {}", tool.name), "parameter", names)?;
    }
    let told: usize = description.tools.iter().map(told_of).sum();
    if told > bounds::TOOLS {
        return wrong(
            ":TOOLS",
            format!(
                "all of it together is {told} bytes of names and descriptions, and {} is the most, since each request to the \
                 model has it: say it in fewer words, or make several skills of it",
                bounds::TOOLS
            ),
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

/// What is named twice could be called by neither.
fn check_once(field: &str, what: &str, names: impl Iterator<Item = String>) -> Parsed<()> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name.clone()) {
            return wrong(field, format!("the {what} {name} is declared twice"));
        }
    }
    Ok(())
}

fn good<T>(field: &str, checked: Result<T, String>) -> Parsed<T> {
    checked.or_else(|problem| wrong(field, problem))
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
            wrong(field, format!("there is no key :{}{near}", shown(key)))
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
    let items = match form.get(key) {
        None => return Ok(&[]),
        Some(value) => value.items().map_or_else(|| wrong(field, "a list belongs here"), Ok)?,
    };
    let allowed = if key == "PARAMETERS" { PARAMETERS } else { ENTRIES };
    if items.len() > allowed {
        return wrong(
            field,
            format!(
                "it has {} entries, and {allowed} is the most; make several skills of it",
                items.len()
            ),
        );
    }
    Ok(items)
}

fn names<'a>(form: &'a Form, field: &str, key: &str) -> Parsed<Vec<&'a str>> {
    list(form, field, key)?
        .iter()
        .map(|item| match item.designator() {
            Some(name) => Ok(name),
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
    let name = |form: &Form, what: &str| match form.designator() {
        Some(name) => good(":TARGETS", bounds::target(name)),
        None => wrong(":TARGETS", what),
    };
    const ONE: &str = "a keyword, or (:TARGET :ACTION), belongs here";
    const TWO: &str = "(:TARGET :ACTION) has two keywords";
    match form.items() {
        None => Ok(TargetClaim {
            target: name(form, ONE)?,
            action: None,
        }),
        Some([target, action]) => Ok(TargetClaim {
            target: name(target, TWO)?,
            action: Some(name(action, TWO)?),
        }),
        Some(_) => wrong(":TARGETS", ONE),
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
    let at_description = format!("{field} :DESCRIPTION");
    let told = string(form, &at_description, "DESCRIPTION")?;
    Ok(ToolDeclaration {
        name,
        description: good(&at_description, bounds::told_of_tool(&told))?.to_owned(),
        parameters: list(form, &inside, "PARAMETERS")?
            .iter()
            .enumerate()
            .map(|(at, item)| parameter(item, &format!("{inside} {at}")))
            .collect::<Parsed<_>>()?,
    })
}

/// How much the model is told of a tool, in bytes, with the words of the schema around what is said.
fn told_of(tool: &ToolDeclaration) -> usize {
    let parameters = tool.parameters.iter();
    let parameters: usize = parameters
        .map(|own| bounds::AROUND + own.name.len() + own.description.len())
        .sum();
    bounds::AROUND + tool.name.len() + tool.description.len() + parameters
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
            format!("there is no type :{}; there are {}", shown(&kind), KINDS.join(" ")),
        );
    }
    let at_name = format!("{field} :NAME");
    let told = form.get("DESCRIPTION").and_then(Form::as_str).unwrap_or_default();
    Ok(Parameter {
        name: good(&at_name, bounds::parameter(&string(form, &at_name, "NAME")?))?,
        kind,
        required: form.get("REQUIRED").is_some_and(Form::is_true),
        description: good(&format!("{field} :DESCRIPTION"), bounds::told_of_parameter(told))?.to_owned(),
    })
}

fn trigger(form: &Form, field: &str) -> Parsed<TriggerRule> {
    check_keys(form, field, &["SENSOR", "SOURCE", "FIELD", "EQUALS"])?;
    let text = |key| form.get(key).and_then(Form::designator);
    let origin = |key| {
        text(key)
            .map(|name| good(&format!("{field} :{key}"), bounds::origin(name)))
            .transpose()
    };
    let compared = |key, text| good(&format!("{field} :{key}"), bounds::compared(text)).map(str::to_owned);
    let rule = TriggerRule {
        sensor: origin("SENSOR")?.map(Sensor::from_name),
        source: origin("SOURCE")?.map(str::to_uppercase),
        field: match (text("FIELD"), text("EQUALS")) {
            (Some(path), Some(value)) => Some((compared("FIELD", path)?, compared("EQUALS", value)?)),
            (None, None) => None,
            _ => return wrong(field, ":FIELD and :EQUALS belong together"),
        },
    };
    if rule.sensor.is_none() && rule.source.is_none() && rule.field.is_none() {
        return wrong(field, "a trigger needs :SENSOR, :SOURCE, or :FIELD with :EQUALS");
    }
    Ok(rule)
}
