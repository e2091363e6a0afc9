//! How long what a description names and tells may be, and what names are made of: all of it is kept in lists of the host's,
//! compared with others', and shown to people, and some of it goes into each request to the model.

use super::is_name;
use crate::sexp::{is_hidden, visible_line};

/// Longest description of a tool, and of one of its parameters, in bytes.
const TOOL: usize = 2_000;
const PARAMETER: usize = 500;

/// Most text about all tools of one skill, in bytes.
pub(super) const TOOLS: usize = 32_000;

/// What a tool or a parameter takes in a request beside its own words, in bytes.
pub(super) const AROUND: usize = 80;

/// Longest name that is a skill's, a target's or a parameter's, in bytes.
const NAME: usize = 64;

/// Longest text that a trigger compares, in bytes.
const COMPARED: usize = 500;

/// A text of the file's own within a message: its beginning, in one line.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", visible_line(&text[..end])),
        None => visible_line(text),
    }
}

/// A target's name, or an action's, in upper case. It is made as a skill's is, so that what is printed of it is read again as
/// the same, and never looks like anything else.
///
/// # Errors
/// What is wrong with it.
pub(super) fn target(name: &str) -> Result<String, String> {
    match is_name(&name.to_ascii_lowercase()) {
        true => Ok(name.to_ascii_uppercase()),
        false => Err(format!(
            "`{}` can't name a target or an action: that has letters, digits and `-`, begins with a letter, and has at most \
             {NAME} bytes",
            shown(name)
        )),
    }
}

/// A parameter's name, in lower case.
///
/// # Errors
/// What is wrong with it.
pub(super) fn parameter(name: &str) -> Result<String, String> {
    // Compared with arguments, `_` is `-`.
    match is_name(&name.to_ascii_lowercase().replace('_', "-")) {
        true => Ok(name.to_ascii_lowercase()),
        false => Err(format!(
            "`{}` can't name a parameter: that has letters, digits, `-` and `_`, begins with a letter, and has at most {NAME} \
             bytes",
            shown(name)
        )),
    }
}

/// The name of a sensor or a source: whatever a client may send, as far as it can be seen.
///
/// # Errors
/// What is wrong with it.
pub(super) fn origin(name: &str) -> Result<&str, String> {
    within(name, NAME)?;
    match name.chars().any(is_hidden) {
        true => Err(format!("it has a character that can't be seen: {}", shown(name))),
        false => Ok(name),
    }
}

/// A text that a trigger compares with another.
///
/// # Errors
/// When it is too long.
pub(super) fn compared(text: &str) -> Result<&str, String> {
    within(text, COMPARED)
}

/// What is told of a tool.
///
/// # Errors
/// When it is too long.
pub(super) fn told_of_tool(text: &str) -> Result<&str, String> {
    within(text, TOOL)
}

/// What is told of a parameter.
///
/// # Errors
/// When it is too long.
pub(super) fn told_of_parameter(text: &str) -> Result<&str, String> {
    within(text, PARAMETER)
}

fn within(text: &str, most: usize) -> Result<&str, String> {
    match text.len() {
        length if length > most => Err(format!("it has {length} bytes, and {most} is the most here")),
        _ => Ok(text),
    }
}
