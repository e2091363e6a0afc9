//! `offline`: what answers where no model is configured.
//!
//! It is no model and says so. What it can do is let a person write proposals by hand: a message with a plist on a line
//! of its own comes back as it is, and the loop treats it like a model's answer, gates and all. It never makes a
//! proposal of anything that a person did not type: whatever else it shows is quoted, so that a plist in a tool's
//! output stays text.

use std::path::Path;

use super::{Answer, Asking, Message, Meter, ModelRequest, Provider, Role};
use crate::sexp::{Brackets, Form, ReadError, read_prefix};

/// The heading under which the loop tells a model what gates refused.
const REJECTED: &str = "REJECTED";

/// What stands between a person's words and those that a skill adds to them. The loop writes it.
pub const SKILL_PROMPT_MARK: &str = "\n\n[from the skill ";

/// How many lines of a refusal that is no plist are shown.
const REFUSAL_LINES: usize = 20;

/// How much of a refusal is searched for rejections, in bytes: far more than three gates write, and little enough that
/// unbalanced text, which is looked at from each bracket anew, costs nothing.
const REFUSAL_BYTES: usize = 16 << 10;

const HELP: &str = "I am not a language model: none is configured, so I can't understand prose. What I can do:
- carry out a proposal that you type by hand, once every gate has judged it, for example
> (:TYPE :REQUEST :TARGET :SHELL :PAYLOAD (:CMD \"ls\" :EXPLANATION \"list the files of the workspace\"))
> (:TOOL \"eval\" :ARGS (:CODE \"(+ 1 2)\") :EXPLANATION \"add two numbers in the jail\")
- show what came of it.
When a gate asks, answer with /approve and the plan's id, or /deny.
To talk to a model instead, name it in ";

/// What follows the name of the file in which a model is named.
const HOW: &str = ", for example by these two lines:
> [model]
> cascade = [\"openai\"]
and give the daemon its key: `passepartout-host vault set OPENAI_API_KEY`. Known are openai, anthropic, openrouter, groq and \
gemini, each with a key of its name (ANTHROPIC_API_KEY and so on), and without a key ollama, llamacpp, vllm and lmstudio. For \
one start alone, set the variables PROVIDER_CASCADE and OPENAI_API_KEY.";

/// The provider that is no model.
#[derive(Debug)]
pub struct Offline {
    /// What it answers to prose.
    help: String,
}

impl Offline {
    /// One that says that a model can be named in `file`.
    pub fn new(file: &Path) -> Offline {
        Offline {
            help: format!("{HELP}{}{HOW}", one_line(&file.display().to_string())),
        }
    }

    fn answer(&self, request: &ModelRequest) -> String {
        match request.messages.last() {
            // The newest word about a refusal. Answering it with the person's proposal would only be refused again.
            Some(Message { role: Role::Tool, text }) => match refusal_at_start(text) {
                Some(refusal) => refused(&refusal),
                None => result(text),
            },
            last => match refusal_in_prompt(&request.system) {
                Some(refusal) => refused(&refusal),
                None => last
                    .filter(|last| last.role == Role::User)
                    .map_or_else(|| self.help.clone(), |last| self.reply(&last.text)),
            },
        }
    }

    fn reply(&self, text: &str) -> String {
        // A skill's words are not the person's, and an example in them is no proposal.
        let own = text.split(SKILL_PROMPT_MARK).next().unwrap_or(text);
        if !holds_proposal(own) {
            return self.help.clone();
        }
        match why_no_proposal(own) {
            None => own.to_owned(),
            Some(why) => format!(
                "What you typed begins like a proposal and is none: {why}. Nothing was done.\n{}",
                quoted(own)
            ),
        }
    }
}

impl Provider for Offline {
    fn name(&self) -> &str {
        "offline"
    }

    fn ask<'a>(&'a self, request: &'a ModelRequest, _: &'a Meter) -> Asking<'a> {
        let answer = Answer {
            text: self.answer(request),
            calls: Vec::new(),
            provider: "offline".to_owned(),
        };
        Box::pin(async move { Ok(answer) })
    }
}

/// What keeps each list that begins a line from being a proposal, where it would be taken for text without a word: it does
/// not end, or it has not the keys. What can't be read at all the loop tells of.
fn why_no_proposal(text: &str) -> Option<String> {
    let mut why = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if !line.trim_start_matches(' ').starts_with(['(', '[']) {
            continue;
        }
        match read_prefix(&text[start..], Brackets::AsList) {
            Ok((form, _)) => {
                let form = form.with_envelope_keys();
                let has = |key: &str| form.get(key).is_some();
                if has("TOOL") || (has("TYPE") && has("PAYLOAD")) {
                    return None;
                }
                why = Some("it has neither :TOOL nor :TYPE and :PAYLOAD".to_owned());
            }
            // It goes to the end of what was typed.
            Err(error @ ReadError::Unfinished { .. }) => return Some(error.to_string()),
            Err(_) => return None,
        }
    }
    why
}

fn result(text: &str) -> String {
    if text.trim().is_empty() {
        return "It was done; there was no output.".to_owned();
    }
    format!("The result:\n{}", quoted(text))
}

fn refused(section: &str) -> String {
    let rejections = rejections_in(section);
    // What was done before an answer that says it is done all the same.
    let is_answer = |rejection: &Form| rejection.text_at("field") == Some("payload.text");
    let is_withheld = !rejections.is_empty() && rejections.iter().all(is_answer);
    let mut answer = String::from(if is_withheld {
        "What I would have answered was withheld; what was done before stays done."
    } else {
        "That was refused."
    });
    if rejections.is_empty() {
        let lines: Vec<&str> = section
            .lines()
            .filter(|line| !line.trim().is_empty())
            .take(REFUSAL_LINES)
            .collect();
        if !lines.is_empty() {
            answer.push('\n');
            answer.push_str(&quoted(&lines.join("\n")));
        }
    }
    for rejection in &rejections {
        answer.push('\n');
        answer.push_str(&rejection_line(rejection));
    }
    answer.push_str("\nI am not a language model, so I know no other way: change the proposal and send it again.");
    answer
}

/// One line about one rejection. One line, so that nothing in it can begin a line of its own.
fn rejection_line(rejection: &Form) -> String {
    let field = |key: &str| {
        rejection
            .get(key)
            .filter(|value| value.is_true() && value.as_str() != Some(""))
            .map(|value| value.designator().map_or_else(|| value.shortened(200), one_line))
    };
    let mut line = format!("- gate {}", field("GATE").unwrap_or_else(|| "(unnamed)".to_owned()));
    if let Some(rule) = field("RULE") {
        line.push_str(&format!(", rule {rule}"));
    }
    if let Some(at) = field("FIELD") {
        line.push_str(&format!(", at {at}"));
    }
    if let Some(reason) = field("REASON") {
        line.push_str(&format!(": {reason}"));
    }
    if let Some(repair) = field("REPAIR") {
        line.push_str(&format!(" (repair: {repair})"));
    }
    line
}

/// All of a tool's message that begins with the heading `REJECTED`, without that word.
fn refusal_at_start(text: &str) -> Option<String> {
    let (first, rest) = text.trim_start().split_once('\n').unwrap_or((text.trim(), ""));
    after_heading(first).map(|own| format!("{own}\n{rest}"))
}

/// What stands under a heading `REJECTED` in the system prompt, up to the next heading, and in that heading itself.
fn refusal_in_prompt(system: &str) -> Option<String> {
    let mut lines = system.lines();
    let own = lines.find_map(after_heading)?;
    let section: Vec<&str> = std::iter::once(own)
        .chain(lines.take_while(|line| !is_other_heading(line)))
        .collect();
    Some(section.join("\n"))
}

/// What follows in `REJECTED`, `## REJECTED`, `REJECTED: the reason`, `REJECTED (2 of 3)`; none in a sentence that only
/// begins with that word.
fn after_heading(line: &str) -> Option<&str> {
    let rest = line
        .trim()
        .trim_start_matches('#')
        .trim_start()
        .strip_prefix(REJECTED)?
        .trim();
    if rest.is_empty() || (rest.starts_with('(') && rest.ends_with(')')) {
        return Some("");
    }
    rest.strip_prefix(':').map(str::trim_start)
}

/// A line that begins with `#`, or is one or more words in capitals and nothing else.
fn is_other_heading(line: &str) -> bool {
    let line = line.trim_end();
    line.starts_with("# ")
        || line.starts_with("## ")
        || (line.len() > 2
            && line.starts_with(|first: char| first.is_ascii_uppercase())
            && line
                .chars()
                .all(|char| char.is_ascii_uppercase() || matches!(char, ' ' | '-' | ':')))
}

/// Every plist in `section` that says why something was refused, at any depth of nesting.
fn rejections_in(section: &str) -> Vec<Form> {
    let mut found = Vec::new();
    let mut rest = &section[..section.floor_char_boundary(REFUSAL_BYTES)];
    while let Some(at) = rest.find('(') {
        match read_prefix(&rest[at..], Brackets::Refuse) {
            Ok((form, length)) => {
                collect_rejections(&form, &mut found);
                rest = &rest[at + length.max(1)..];
            }
            Err(_) => rest = &rest[at + 1..],
        }
    }
    found
}

fn collect_rejections(form: &Form, found: &mut Vec<Form>) {
    let Some(items) = form.items() else { return };
    if form.get("REASON").is_some() && (form.get("GATE").is_some() || form.get("RULE").is_some()) {
        found.push(form.clone());
        return;
    }
    // The reader bounds nesting, so this recursion is bounded.
    for item in items {
        collect_rejections(item, found);
    }
}

/// Whether a line of `text` begins a plist that means to be a proposal. Whether it is one, the loop decides.
fn holds_proposal(text: &str) -> bool {
    text.lines().any(|line| {
        let Some(inside) = line.trim_start().strip_prefix(['(', '[']) else {
            return false;
        };
        let inside = inside.trim_start();
        let word: String = inside.chars().take_while(|char| !char.is_whitespace()).collect();
        word.starts_with(':')
            || ["TYPE", "TOOL", "TARGET", "PAYLOAD"]
                .iter()
                .any(|key| word.eq_ignore_ascii_case(key))
    })
}

/// `text` as a quotation, which no reader of proposals looks into.
fn quoted(text: &str) -> String {
    // A carriage return begins a line on a terminal too.
    let text = text.replace("\r\n", "\n");
    let lines: Vec<String> = text
        .trim_end()
        .split(['\n', '\r'])
        .map(|line| format!("> {line}"))
        .collect();
    lines.join("\n")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
