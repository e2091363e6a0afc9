//! How frames look on a terminal. Whatever a model, a tool or a peer wrote has its control characters made visible.

use super::approve::moment;
use super::time;
use crate::gate::standing;
use crate::sexp::{Form, visible, visible_line};
use std::time::SystemTime;

/// What a person reads of a frame; none where there is nothing to read.
pub(super) fn frame(frame: &Form, place: Place) -> Option<String> {
    let payload = frame.get("PAYLOAD")?;
    let text = |key: &str| visible(payload.text_at(key).unwrap_or_default());
    let action = payload.get("ACTION").and_then(Form::keyword)?;
    Some(match action {
        "MESSAGE" => text("text"),
        "UNHEARD" => return Some(text("text")).filter(|text| !text.is_empty()),
        "PLAN" => plan(payload, place),
        "REFUSAL" => {
            let rejections = payload.get("REJECTIONS").and_then(Form::items).unwrap_or_default();
            let told = rejections.iter().map(|own| Refused::new(reasons(own), own));
            format!("Refused:\n{}", Refused::lines(told).join("\n"))
        }
        "ERROR" => format!("error: {}", text("text")),
        "PROGRESS" if payload.get("STAGE").is_some_and(|stage| stage.is_kw("PLANS")) => text("detail"),
        "PROGRESS" => return carried_out(payload),
        // The answer to an approval says what was remembered with it.
        "APPROVE" => {
            let standing = payload.get("STANDING").and_then(Form::items).unwrap_or_default();
            let lines = standing.iter().map(|own| {
                let id = visible(own.text_at("id").unwrap_or_default());
                format!("Approved once and for all as {id}; `passepartout-host approvals revoke {id}` takes it back")
            });
            let lines: Vec<String> = lines.collect();
            return (!lines.is_empty()).then(|| lines.join("\n"));
        }
        _ => return None,
    })
}

/// What the loop is doing, for a terminal that shows it.
pub(super) fn progress(frame: &Form) -> Option<String> {
    let payload = frame.get("PAYLOAD")?;
    if !payload.get("ACTION")?.is_kw("PROGRESS") {
        return None;
    }
    let detail = visible(payload.text_at("detail").unwrap_or_default());
    Some(match explained(payload) {
        Some(command) => format!("{detail} ({command})"),
        None => detail,
    })
}

/// What the host saw come of an action that a person approved, or that failed: the model may say something else. Of the rest
/// only [`progress`] tells.
fn carried_out(payload: &Form) -> Option<String> {
    let is = |key: &str| payload.get(key).is_some_and(Form::is_true);
    let is_it = payload.get("STAGE")?.is_kw("CARRIED-OUT");
    if !is_it || !(is("APPROVED") || is("FAILED")) {
        return None;
    }
    let detail = visible_line(payload.text_at("detail").unwrap_or_default());
    Some(match explained(payload) {
        Some(command) => format!("{detail}; more: {command}"),
        None => detail,
    })
}

/// A proposal that was rejected, if that is what the frame tells of: the turn goes on, and whoever sees only how it ends
/// would not know.
pub(super) fn rejected_on_the_way(frame: &Form) -> Option<Refused> {
    let payload = frame.get("PAYLOAD")?;
    let is_rejected = payload.get("STAGE").is_some_and(|stage| stage.is_kw("REJECTED"));
    let detail = visible(payload.text_at("detail").filter(|_| is_rejected)?);
    Some(Refused::new(format!("On the way {detail}"), payload))
}

/// One of the proposals that a turn had refused.
pub(super) struct Refused {
    text: String,
    more: Option<String>,
}

impl Refused {
    fn new(text: String, of: &Form) -> Refused {
        let more = explained(of).map(|command| format!("\n    more: {command}"));
        Refused { text, more }
    }

    /// Each in its lines. What was tried again and refused in the same words is told once, with how often and the last
    /// decision.
    pub(super) fn lines(all: impl IntoIterator<Item = Refused>) -> Vec<String> {
        let mut counted: Vec<(Refused, usize)> = Vec::new();
        for own in all {
            match counted.last_mut() {
                Some((last, times)) if last.text == own.text => {
                    *times += 1;
                    last.more = own.more;
                }
                _ => counted.push((own, 1)),
            }
        }
        let line = |(own, times): (Refused, usize)| {
            let again = match times {
                1 => String::new(),
                _ => format!("\n    {times} times in a row"),
            };
            format!("{}{again}{}", own.text, own.more.unwrap_or_default())
        };
        counted.into_iter().map(line).collect()
    }
}

/// The command that explains the decision that `form` names.
fn explained(form: &Form) -> Option<String> {
    let decision = form.get("DECISION").and_then(Form::as_int)?;
    Some(format!("passepartout-host explain {decision}"))
}

/// Where something is shown, which decides how it can be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a chat: by a command that begins with a slash.
    Chat,
    /// In a shell: by a command of this program.
    Shell,
}

/// A plan, whole, with how to answer it.
pub(super) fn plan(payload: &Form, place: Place) -> String {
    let id = visible(payload.text_at("plan").unwrap_or_default());
    let how = match place {
        Place::Chat => "/",
        Place::Shell => "passepartout-host ",
    };
    let whole = if is_cut(payload) {
        format!("\n  that is not all of it: {how}approve {id} shows the whole before it asks")
    } else {
        String::new()
    };
    let answers = match payload.text_at("elsewhere") {
        None => format!(
            "{how}approve {id}   or   {how}deny {id}{whole}{}",
            once_and_for_all(payload)
        ),
        Some("") => format!("an older version made it, and it can't be approved any more: {how}deny {id}"),
        Some(workspace) => format!(
            "it was shown for the workspace {}, where the daemon does not work now, and can be approved there only; or {how}deny \
             {id}",
            visible(workspace)
        ),
    };
    format!("{}\n{}\n  {answers}", waits(payload), plan_itself(payload))
}

/// That a plan waits, and for how long.
fn waits(payload: &Form) -> String {
    let until = match payload.get("EXPIRES") {
        Some(Form::String(until)) => visible_line(until),
        Some(_) => moment(payload, "EXPIRES"),
        None => return "Waits for you:".to_owned(),
    };
    format!("Waits for you until {}:", time::until(&until, SystemTime::now()))
}

/// A plan, whole, for whoever is about to answer it.
pub(super) fn plan_to_answer(payload: &Form) -> String {
    if payload.text_at("elsewhere").is_some() {
        return plan(payload, Place::Shell);
    }
    format!(
        "{}\n{}{}",
        waits(payload),
        plan_itself(payload),
        once_and_for_all(payload)
    )
}

/// What a plan would do, and why it asks.
pub(super) fn plan_itself(payload: &Form) -> String {
    let text = |key: &str| visible(payload.text_at(key).unwrap_or_default());
    let asks = payload.get("ASKS").and_then(Form::items).unwrap_or_default();
    let lines: Vec<String> = asks.iter().map(ask).collect();
    let diff = match text("diff") {
        diff if diff.is_empty() => diff,
        diff => format!("    {}\n", diff.replace('\n', "\n    ")),
    };
    format!("{}\n{diff}{}", with_margin(&text("text")), lines.join("\n"))
}

/// Whether only the beginning of a plan is there, as in a list.
fn is_cut(payload: &Form) -> bool {
    payload.get("TEXT-BYTES").is_some()
}

/// How to approve a plan once and for all, where every gate offers it. What is bound to a content covers nothing afterwards.
fn once_and_for_all(payload: &Form) -> String {
    let asks = payload.get("ASKS").and_then(Form::items).unwrap_or_default();
    let offered = !asks.is_empty() && asks.iter().all(|ask| ask.text_at("remember").is_some());
    let faulty = payload.get("NOT-REMEMBERED").is_some();
    if !offered || faulty || is_cut(payload) || is_bound_to_content(payload) {
        return String::new();
    }
    let id = visible(payload.text_at("plan").unwrap_or_default());
    format!("\n  once and for all: passepartout-host approve {id} --remember")
}

/// How many entries of the list `key` there was no room for in an answer.
pub(super) fn left_out(answer: &Form, key: &str) -> i64 {
    answer
        .get(&format!("{key}-LEFT-OUT"))
        .and_then(Form::as_int)
        .unwrap_or(0)
}

/// Whether the plan would replace what a file holds, and says what that is.
pub(super) fn is_bound_to_content(plan: &Form) -> bool {
    let action = plan.text_at("text").and_then(|text| crate::sexp::read(text).ok());
    let payload = action.as_ref().and_then(|action| action.get("PAYLOAD"));
    payload.is_some_and(standing::is_bound_to_content)
}

/// The text of an action. Where it has several lines each has a mark in front, and their number is said first, so that
/// nothing in it can pass for what stands around it.
fn with_margin(text: &str) -> String {
    match text.lines().count() {
        0 | 1 => format!("  {text}"),
        lines => format!("  {lines} lines:\n  | {}", text.replace('\n', "\n  | ")),
    }
}

/// An ask: gate, rule, risk, what would happen, and where it says so.
pub(super) fn ask(form: &Form) -> String {
    let part = |key: &str| visible(form.text_at(key).unwrap_or_default());
    let (gate, rule, risk) = (part("gate"), part("rule"), part("risk"));
    let line = format!("  {gate} ({rule}, risk {risk}): {}", part("summary"));
    match place(form) {
        None => line,
        Some(place) => format!("{line}\n    at {place}"),
    }
}

/// The field that a finding is about, and the part of its text where it named one.
pub(super) fn place(form: &Form) -> Option<String> {
    let text = |key: &str| form.text_at(key).filter(|text| !text.is_empty()).map(visible);
    // Blanks at its ends are seen only between quotes.
    let part = text("part").map(|part| match part.trim() == part {
        true => part,
        false => format!("\"{part}\""),
    });
    match (text("field"), part) {
        (Some(field), Some(part)) => Some(format!("{field}: {part}")),
        (None, Some(part)) => Some(part),
        (Some(_), None) | (None, None) => None,
    }
}

/// A rejection: gate, rule, reason, where, repair, and how it can be explained.
pub(super) fn rejection(form: &Form) -> String {
    Refused::lines([Refused::new(reasons(form), form)]).join("\n")
}

/// Gate, rule, reason, where, and repair of a rejection.
fn reasons(form: &Form) -> String {
    let part = |key: &str| visible(form.text_at(key).unwrap_or_default());
    let mut line = format!("  {} ({}): {}", part("gate"), part("rule"), part("reason"));
    if let Some(place) = place(form) {
        line.push_str(&format!("\n    at {place}"));
    }
    if !part("repair").is_empty() {
        line.push_str(&format!("\n    instead: {}", part("repair")));
    }
    line
}

/// How wide what is broken into lines may be, in characters.
const WIDTH: usize = 100;

/// What a check found, in lines of at most [`WIDTH`] characters behind `label`, which stands before the first. Piece by piece
/// where it has pieces.
pub(super) fn check(form: &Form, label: &str) -> String {
    let parts = form.get("PARTS").and_then(Form::items).unwrap_or_default();
    let pieces: Vec<String> = parts.iter().filter_map(Form::as_str).map(visible).collect();
    if pieces.is_empty() {
        return check_in_short(form, label);
    }
    set_in(label, &pieces)
}

/// As [`check`], in as few lines as it takes.
pub(super) fn check_in_short(form: &Form, label: &str) -> String {
    let text = form.text_at("glance").or_else(|| form.text_at("text"));
    set_in(label, &[visible(text.unwrap_or_default())])
}

/// `pieces`, each in lines of at most [`WIDTH`] characters behind `label`, which stands before the first.
pub(super) fn set_in(label: &str, pieces: &[String]) -> String {
    let indent = " ".repeat(label.chars().count());
    let room = WIDTH.saturating_sub(indent.len());
    let lines: Vec<String> = pieces.iter().flat_map(|piece| broken(piece, room)).collect();
    format!("{label}{}", lines.join(&format!("\n{indent}")))
}

/// `text` in lines of at most `room` characters, broken between words and not within a command, so that it can be copied:
/// one in backquotes, or one of ours up to the end of its clause. Where it is set in, what follows is set in further. A longer word has a line of its own.
fn broken(text: &str, room: usize) -> Vec<String> {
    let start: String = text.chars().take_while(|char| *char == ' ').collect();
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match words.last_mut() {
            Some(last) if last.matches('`').count() % 2 == 1 || is_begun(last) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= room => {
                line.push(' ');
                line.push_str(&word);
            }
            Some(_) => lines.push(format!("{start}{start}{word}")),
            None => lines.push(format!("{start}{word}")),
        }
    }
    lines
}

/// Whether `words` are a command of ours that may go on.
fn is_begun(words: &str) -> bool {
    words.starts_with("passepartout-host") && !words.ends_with([';', ',', '.', ':', ')'])
}

/// Keys whose values are lists, also when there is nothing in them: Lisp writes an empty list as it writes nothing.
const LISTS: &[&str] = &[
    "APPROVALS",
    "ASKS",
    "BUDGETS",
    "CAPABILITIES",
    "CHECKS",
    "FUNCTIONS",
    "GATE-TRACE",
    "MESSAGES",
    "PARTS",
    "PLANS",
    "PROVIDERS",
    "REJECTIONS",
    "REVISIONS",
    "RIGHTS",
    "REVOKED",
    "SKILLS",
    "STANDING",
    "STEPS",
];

/// A form as JSON, for programs: plists become objects, other lists arrays, keywords strings.
pub(super) fn json(form: &Form) -> serde_json::Value {
    use serde_json::Value;
    match form {
        Form::Nil => Value::Null,
        Form::Symbol(name) if &**name == "T" => Value::Bool(true),
        Form::Keyword(name) | Form::Symbol(name) => Value::String(name.to_lowercase()),
        Form::String(text) | Form::Pathname(text) => Value::String(text.to_string()),
        Form::Number(number) => {
            serde_json::from_str(number.text()).unwrap_or_else(|_| Value::String(number.text().to_owned()))
        }
        Form::Char(char) => Value::String(char.to_string()),
        Form::List(items) if items.len() % 2 == 0 && items.iter().step_by(2).all(|key| key.keyword().is_some()) => {
            let pairs = form.pairs().map(|(key, value)| {
                let value = match value {
                    Form::Nil if LISTS.contains(&key) => Value::Array(Vec::new()),
                    other => json(other),
                };
                (key.to_lowercase().replace('-', "_"), value)
            });
            Value::Object(pairs.collect())
        }
        Form::List(items) | Form::Vector(items) => Value::Array(items.iter().map(json).collect()),
        Form::Dotted(items, tail) => Value::Array(items.iter().chain([&**tail]).map(json).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::broken;

    #[test]
    fn lines_are_broken_between_words_and_a_command_stays_in_one() {
        let text = "stop it with `kill 1234 --now`, then begin";
        assert_eq!(broken(text, 20), ["stop it with", "`kill 1234 --now`,", "then begin"]);
        assert_eq!(broken("  files: read-only", 13), ["  files:", "    read-only"]);
        let text = "grant it: passepartout-host skill grant x model; or not";
        let command = "passepartout-host skill grant x model;";
        assert_eq!(broken(text, 20), ["grant it:", command, "or not"]);
        assert_eq!(broken("a-word-that-is-longer x", 10), ["a-word-that-is-longer", "x"]);
        assert!(broken("", 10).is_empty());
    }
}
