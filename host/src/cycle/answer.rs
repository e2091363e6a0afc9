//! Reading a model's answer: which part of it is a proposal, and which is text.
//!
//! A proposal is a form that starts a line or fills a fence of its own and has `:type` and `:payload`, or `:tool`.
//! Everything else, quotations above all, is text. Nothing is evaluated.

use super::native::proposal_of;
use crate::model::Answer;
use crate::sexp::{Brackets, Form, ReadError, read_begun, read_prefix};

/// Why a proposal can't be read that the answer ends in.
const UNFINISHED: &str = "it ends before its last parenthesis";

/// Why a call can't be read that a model wrote as it was trained to.
const FOREIGN: &str = "a <tool_call> is not read here; a call is written (:TOOL \"name\" :ARGS (:KEY \"value\") :EXPLANATION \
                       \"why\")";

/// The marks around such a call.
const FOREIGN_MARKS: (&str, &str) = ("<tool_call>", "</tool_call>");

/// What a model's answer is.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// A form that proposes something.
    Proposal(Form),
    /// Text for the user.
    Prose(String),
    /// A form that was meant as a proposal and must not be read: why.
    Unreadable(String),
}

/// Reads `answer`: its first native call where it has any, else the first complete proposal in its text, else all of that
/// as text.
pub fn read_answer(answer: &Answer) -> Reading {
    match answer.calls.first().map(proposal_of) {
        Some(Ok(form)) => Reading::Proposal(form),
        Some(Err(why)) => Reading::Unreadable(why),
        None => read_text(&answer.text),
    }
}

/// What the model wrote, for showing it to the model again: its native call as the form that it was taken for.
pub fn written(answer: &Answer) -> String {
    match answer.calls.first() {
        None => answer.text.clone(),
        Some(call) => match proposal_of(call) {
            Ok(form) => form.to_string(),
            Err(_) => format!("{} {}", call.name, call.arguments),
        },
    }
}

/// The first complete proposal in `answer`, else all of it as text.
fn read_text(answer: &str) -> Reading {
    let mut at = 0;
    let mut fence: Option<Fence> = None;
    while at < answer.len() {
        let end = answer[at..].find('\n').map_or(answer.len(), |end| at + end + 1);
        let line = &answer[at..end];
        match &fence {
            Some(open) if open.closed_by(line) => {
                let is_last = answer[end..].trim_start().is_empty();
                if let Some(reading) = filled_fence(&answer[open.content..at], is_last) {
                    return reading;
                }
                fence = None;
            }
            Some(_) => {}
            None => {
                if let Some(open) = Fence::opened_by(line, end) {
                    fence = Some(open);
                } else if starts_form(line) {
                    let start = at + line.len() - line.trim_start().len();
                    match form_at(&answer[start..]) {
                        Found::Reading(reading) => return reading,
                        // A form that proposes nothing is text, and so is all that it holds.
                        Found::Text(length) => {
                            let after = start + length;
                            at = answer[after..].find('\n').map_or(answer.len(), |end| after + end + 1);
                            continue;
                        }
                    }
                }
            }
        }
        at = end;
    }
    // Models cut the closing fence off.
    if let Some(open) = fence
        && let Some(reading) = filled_fence(&answer[open.content..], true)
    {
        return reading;
    }
    if is_foreign_call(answer) {
        return Reading::Unreadable(FOREIGN.to_owned());
    }
    Reading::Prose(answer.trim().to_owned())
}

/// An open code fence: three or more backticks or tildes.
struct Fence {
    mark: char,
    width: usize,
    content: usize,
}

impl Fence {
    fn opened_by(line: &str, content: usize) -> Option<Fence> {
        let trimmed = unindented(line)?;
        let mark = trimmed.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let width = trimmed.chars().take_while(|char| *char == mark).count();
        // A backtick in the rest makes it code inside a sentence.
        (width >= 3 && !trimmed[width..].contains('`')).then_some(Fence { mark, width, content })
    }

    fn closed_by(&self, line: &str) -> bool {
        let Some(trimmed) = unindented(line) else { return false };
        let width = trimmed.chars().take_while(|char| *char == self.mark).count();
        width >= self.width && trimmed[width..].trim().is_empty()
    }
}

/// The line without up to three blanks in front; more make it quoted code.
fn unindented(line: &str) -> Option<&str> {
    let trimmed = line.trim_start_matches(' ');
    (line.len() - trimmed.len() <= 3).then_some(trimmed)
}

fn starts_form(line: &str) -> bool {
    unindented(line).is_some_and(|line| line.starts_with(['(', '[']))
}

enum Found {
    Reading(Reading),
    Text(usize),
}

fn form_at(text: &str) -> Found {
    match read_prefix(text, Brackets::AsList) {
        Ok((form, _)) if proposes(&form) => Found::Reading(Reading::Proposal(form)),
        Ok((_, length)) => Found::Text(length),
        // A text that ends too early is shown to the user as it is; an action that does, and what must not be read, is said
        // to the model.
        Err(ReadError::Unfinished { .. }) if begins_action(text) => {
            Found::Reading(Reading::Unreadable(UNFINISHED.to_owned()))
        }
        Err(ReadError::Unfinished { .. } | ReadError::Empty) => Found::Text(text.len()),
        Err(error) if looks_like_proposal(text) => Found::Reading(Reading::Unreadable(error.to_string())),
        // All that was read of it is text, so that nothing is read twice, however the answer is made.
        Err(
            ReadError::Unopened { at, .. }
            | ReadError::Trailing { at }
            | ReadError::Refused { at, .. }
            | ReadError::TooLarge { at, .. },
        ) => Found::Text(at.min(text.len())),
    }
}

/// What a fence holds, if forms fill it and the first one proposes something. An unfinished one in the midst of an answer is
/// shown for an example.
fn filled_fence(content: &str, is_last: bool) -> Option<Reading> {
    if !content.trim_start().starts_with(['(', '[']) {
        return None;
    }
    match read_prefix(content, Brackets::AsList) {
        Ok((form, mut at)) if proposes(&form) => {
            while !content[at..].trim_start().is_empty() {
                let (_, length) = read_prefix(&content[at..], Brackets::AsList).ok()?;
                at += length;
            }
            Some(Reading::Proposal(form))
        }
        Err(ReadError::Unfinished { .. }) if is_last && begins_action(content.trim_start()) => {
            Some(Reading::Unreadable(UNFINISHED.to_owned()))
        }
        Err(ReadError::Unfinished { .. }) => None,
        Err(error) if looks_like_proposal(content) => Some(Reading::Unreadable(error.to_string())),
        _ => None,
    }
}

fn proposes(form: &Form) -> bool {
    let Form::List(items) = form else { return false };
    let has = |key: &str| items.iter().step_by(2).any(|own| is_bare_key(own, key));
    (has("TYPE") && has("PAYLOAD")) || has("TOOL")
}

/// Whether `form` is the key `:KEY`, or the bare symbol that models write for it.
fn is_bare_key(form: &Form, key: &str) -> bool {
    match form {
        Form::Symbol(name) => name.is_key(key),
        other => other.is_kw(key),
    }
}

/// Whether the unfinished form that `text` is would do something, other than say a text to the user.
fn begins_action(text: &str) -> bool {
    if !looks_like_proposal(text) {
        return false;
    }
    let Some(form) = read_begun(text, Brackets::AsList) else {
        return false;
    };
    let Form::List(items) = &form else { return false };
    // A bare word is a key only before what is no word itself: in brackets, prose begins with `Tool` and `Target` too.
    let names = |pair: &[Form], key: &str| match pair {
        [own, value] => {
            own.is_kw(key) || (is_bare_key(own, key) && matches!(value, Form::String(_) | Form::Keyword(_)))
        }
        _ => false,
    };
    let is_message = form.at("payload.action").is_some_and(|verb| verb.is_kw("MESSAGE"));
    !is_message && items.chunks(2).any(|pair| names(pair, "TOOL") || names(pair, "TARGET"))
}

/// Whether `answer` is nothing but calls as models are trained to write them.
fn is_foreign_call(answer: &str) -> bool {
    let (begin, end) = FOREIGN_MARKS;
    let mut rest = answer.trim();
    let mut found = false;
    while let Some(call) = rest.strip_prefix(begin) {
        if !call.trim_start().starts_with(['{', '<', '(']) {
            return false;
        }
        found = true;
        // Models leave the last mark out.
        rest = call.split_once(end).map_or("", |(_, rest)| rest).trim_start();
    }
    found && rest.is_empty()
}

fn looks_like_proposal(text: &str) -> bool {
    let start: String = text
        .chars()
        .skip(1)
        .filter(|char| !char.is_whitespace())
        .take(6)
        .collect();
    let start = start.trim_start_matches(':').to_ascii_uppercase();
    ["TYPE", "TOOL", "TARGE", "PAYLO"]
        .iter()
        .any(|key| start.starts_with(key))
}

#[cfg(test)]
mod tests;
