//! Tools as servers want to be told of them: a name and a JSON schema.

use serde_json::{Map, Value, json};

use super::ToolSchema;

/// How many tools the strictest server takes.
const MOST: usize = 128;

/// Longest name that the strictest server takes, of a tool and of a parameter.
const NAME: usize = 64;

/// Longest description of a tool that the strictest server takes, in bytes at most.
const DESCRIPTION: usize = 1_024;

/// The parameter that every action needs, whichever tool it calls.
const EXPLANATION: &str = "explanation";

/// The tools that can be told of natively. The others can still be called by a proposal in text.
pub(super) fn native(tools: &[ToolSchema]) -> impl Iterator<Item = &ToolSchema> {
    tools.iter().filter(|tool| is_native(tool)).take(MOST)
}

fn is_native(tool: &ToolSchema) -> bool {
    is_name(&tool.name) && tool.parameters.iter().all(|parameter| is_name(&parameter.name))
}

fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !name.is_empty() && name.len() <= NAME && name.bytes().all(plain)
}

/// What the tool does, as far as servers take it. The system prompt has all of it.
pub(super) fn description(tool: &ToolSchema) -> &str {
    &tool.description[..tool.description.floor_char_boundary(DESCRIPTION)]
}

/// What the tool takes. An explanation must always be given: without one no action passes.
pub(super) fn parameters(tool: &ToolSchema) -> Value {
    let mut properties = Map::new();
    let mut required: Vec<&str> = Vec::new();
    for parameter in &tool.parameters {
        let mut about = Map::new();
        if let Some(kind) = json_type(&parameter.kind) {
            about.insert("type".to_owned(), kind.into());
        }
        about.insert("description".to_owned(), parameter.description.as_str().into());
        // Servers that check schemas want to know of what a list is.
        if parameter.kind == "list" {
            about.insert("items".to_owned(), json!({}));
        }
        properties.insert(parameter.name.clone(), about.into());
        if parameter.required {
            required.push(&parameter.name);
        }
    }
    if !properties.contains_key(EXPLANATION) {
        properties.insert(
            EXPLANATION.to_owned(),
            json!({
                "type": "string",
                "description": "Why this is done, in a sentence of more than ten characters, for the person who may have to approve it.",
            }),
        );
    }
    if !required.contains(&EXPLANATION) {
        required.push(EXPLANATION);
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

/// The type that JSON has for a declared kind; none where any value will do.
fn json_type(kind: &str) -> Option<&'static str> {
    match kind {
        "string" => Some("string"),
        "integer" => Some("integer"),
        "number" => Some("number"),
        "boolean" => Some("boolean"),
        "list" => Some("array"),
        _ => None,
    }
}
