//! Reading a model's answer: which part of it is a proposal, and which is text.
//!
//! A proposal is a form that starts a line or fills a fence of its own and has `:type` and `:payload`, or `:tool`.
//! Everything else, quotations above all, is text. Nothing is evaluated.

use super::native::proposal_of;
use crate::model::Answer;
use crate::sexp::{Brackets, Form, ReadError, read_prefix};

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
                if let Some(reading) = filled_fence(&answer[open.content..at]) {
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
        && let Some(reading) = filled_fence(&answer[open.content..])
    {
        return reading;
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
        // A text that ends too early is shown to the user as it is; what must not be read is said to the model.
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

/// What a fence holds, if forms fill it and the first one proposes something.
fn filled_fence(content: &str) -> Option<Reading> {
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
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use proptest::prelude::*;

    use super::*;
    use crate::model::NativeCall;

    const PROPOSAL: &str = r#"(:TYPE :REQUEST :TARGET :SHELL :PAYLOAD (:CMD "ls"))"#;

    fn is_proposal(answer: &str) -> bool {
        matches!(read_text(answer), Reading::Proposal(form) if form.text_at("payload.cmd") == Some("ls"))
    }

    fn is_prose(answer: &str) -> bool {
        matches!(read_text(answer), Reading::Prose(text) if text == answer.trim())
    }

    #[test]
    fn a_plist_alone_in_a_fence_before_or_after_prose_is_the_proposal() {
        assert!(is_proposal(PROPOSAL));
        assert!(is_proposal(&format!("```lisp\n{PROPOSAL}\n```")));
        assert!(
            is_proposal(&format!("```lisp\n{PROPOSAL}\n")),
            "a fence without its end"
        );
        assert!(is_proposal(&format!("I will look.\n\n{PROPOSAL}")));
        assert!(is_proposal(&format!("{PROPOSAL}\nThat lists the files.")));
        assert!(is_proposal(&format!(
            "{PROPOSAL}\n(:TYPE :REQUEST :TARGET :SHELL :PAYLOAD (:CMD \"rm x\"))"
        )));
        assert!(is_proposal(&format!("```\n{PROPOSAL}\n(:TOOL \"other\")\n```")));
    }

    #[test]
    fn brackets_and_bare_keys_are_read_as_models_mean_them() {
        assert!(is_proposal(r#"[TYPE :REQUEST TARGET :SHELL :payload (:cmd "ls")]"#));
        assert!(matches!(
            read_text(r#"(:tool "read-file" :args (:path "x"))"#),
            Reading::Proposal(_)
        ));
    }

    #[test]
    fn what_is_quoted_is_text() {
        assert!(is_prose(&format!("> {PROPOSAL}")));
        assert!(is_prose(&format!("The file says {PROPOSAL} and more.")));
        assert!(is_prose(&format!("    {PROPOSAL}")), "indented code");
        assert!(
            is_prose(&format!("```sh\necho hi\n{PROPOSAL}\n```")),
            "a fence that holds more than forms"
        );
        assert!(is_prose(&format!("(list\n{PROPOSAL}\n)")), "inside another form");
        assert!(
            is_prose(&format!("(\"a string with\n{PROPOSAL}\n\")")),
            "inside a string"
        );
        assert!(is_prose("(defun f (x) x) is a function."));
    }

    #[test]
    fn a_message_whose_text_has_fences_and_brackets_is_unharmed() {
        let text = "Use:\n```lisp\n(:TOOL \"shell\")\n```\nand ((( too";
        let answer = crate::plist!(
            "TYPE" => crate::sexp::kw("REQUEST"),
            "PAYLOAD" => crate::plist!("ACTION" => crate::sexp::kw("MESSAGE"), "TEXT" => text),
        );
        match read_text(&answer.to_string()) {
            Reading::Proposal(form) => assert_eq!(form.text_at("payload.text"), Some(text)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_would_execute_is_unreadable_and_said_so() {
        for answer in ["(:TYPE :REQUEST :PAYLOAD #.(run))", "(:tool \"x\" :args #1=(#1#))"] {
            assert!(
                matches!(read_text(answer), Reading::Unreadable(why) if why.contains('#')),
                "{answer}"
            );
        }
    }

    #[test]
    fn an_answer_made_to_be_read_again_and_again_is_read_once() {
        // Read anew at each step, they take minutes.
        let forms = format!("```\n(:TOOL \"x\"){}{}\n```", "()".repeat(90_000), " ".repeat(900_000));
        assert!(matches!(read_text(&forms), Reading::Proposal(_)));
        let line = format!("({}\n", "#|x|#".repeat(20));
        assert!(is_prose(&format!("{}#.x", line.repeat(10_000))));
    }

    #[test]
    fn what_a_broken_form_holds_is_text_up_to_where_it_breaks() {
        assert!(is_prose(&format!("(list\n{PROPOSAL}\n#.x)")));
        assert!(is_proposal(&format!("(e.g. a, b)\n{PROPOSAL}")));
    }

    #[test]
    fn unbalanced_brackets_are_text_for_the_user() {
        assert!(is_prose("(:TYPE :REQUEST :PAYLOAD (:ACTION :MESSAGE :TEXT \"hi\""));
        assert!(is_prose("(:TYPE :REQUEST :PAYLOAD (:ACTION :MESSAGE :TEXT \"hi"));
        assert!(is_prose(")))"));
    }

    #[test]
    fn the_first_native_call_is_the_proposal_whatever_stands_in_the_text() {
        let call = |arguments: &str| NativeCall {
            name: "shell".to_owned(),
            arguments: arguments.to_owned(),
        };
        let answer = |calls| Answer {
            text: format!("I look.\n{PROPOSAL}"),
            calls,
            provider: String::new(),
        };
        let two = answer(vec![call(r#"{"cmd": "pwd"}"#), call(r#"{"cmd": "rm x"}"#)]);
        match read_answer(&two) {
            Reading::Proposal(form) => assert_eq!(form.to_string(), r#"(:TOOL "shell" :ARGS (:CMD "pwd"))"#),
            other => panic!("{other:?}"),
        }
        // One that can't be read is not passed over for the next, nor for the text.
        let broken = answer(vec![call(r#"{"cmd": "ls", "CMD": "rm"}"#), call(r#"{"cmd": "pwd"}"#)]);
        assert!(matches!(read_answer(&broken), Reading::Unreadable(why) if why.contains("twice")));
        assert!(matches!(read_answer(&answer(Vec::new())), Reading::Proposal(_)));
    }

    proptest! {
        #[test]
        fn no_answer_panics(answer in "(\\PC|\\n|[(`\"):])*") {
            let _ = read_text(&answer);
        }

        #[test]
        fn no_quotation_is_a_proposal(before in "[a-z ]{1,20}") {
            let quoted = format!("{before}{PROPOSAL}");
            prop_assert!(before.trim().is_empty() || is_prose(&quoted));
        }
    }
}
