//! Finding what the record says about one thing.

use std::collections::BTreeSet;

use crate::sexp::Form;

/// The id of the newest decision, whatever its number is.
pub const LAST: &str = "last";

/// How much of a plan's id stands for it at least.
const SHORTEST: usize = 4;

/// The entries that `id` names, and what came of the decisions among them: by their number, by a plan's id, by a standing
/// approval's, by the beginning of an action's digest, of at least eight digits, or as the [`LAST`].
pub fn about(entries: Vec<Form>, id: &str) -> Vec<Form> {
    if id == LAST {
        return newest_decision(entries);
    }
    let named: Vec<bool> = entries.iter().map(|entry| names(entry, id)).collect();
    let decisions: Vec<i64> = entries
        .iter()
        .zip(&named)
        .filter(|(_, named)| **named)
        .filter_map(|(entry, _)| entry.at("sequence")?.as_int())
        .collect();
    let follows = |entry: &Form| {
        let of = entry.at("of").and_then(Form::as_int);
        of.is_some_and(|of| decisions.contains(&of))
    };
    let chosen = entries.into_iter().zip(named);
    chosen
        .filter(|(entry, named)| *named || follows(entry))
        .map(|(entry, _)| entry)
        .collect()
}

/// What `id` stands for: itself where something is called so, else the one plan whose id begins with it, in at least four
/// characters. What nothing is called like stands for itself.
///
/// # Errors
/// The ids of all plans that begin so, where there are several.
pub fn meant(entries: &[Form], id: &str) -> Result<String, Vec<String>> {
    if id == LAST || id.len() < SHORTEST || entries.iter().any(|entry| names(entry, id)) {
        return Ok(id.to_owned());
    }
    let plans = entries
        .iter()
        .flat_map(|entry| [entry.text_at("plan"), entry.text_at("approval")]);
    let found: BTreeSet<&str> = plans.flatten().filter(|plan| plan.starts_with(id)).collect();
    match found.len() {
        0 | 1 => Ok(found.first().copied().unwrap_or(id).to_owned()),
        _ => Err(found.into_iter().map(str::to_owned).collect()),
    }
}

/// What to say of an `id` with which several plans begin.
pub fn ambiguous(id: &str, plans: &[String]) -> String {
    format!(
        "several plans have an id that begins with {id}: {}; write more of the one that you mean",
        plans.join(", ")
    )
}

fn names(entry: &Form, id: &str) -> bool {
    let number = |key: &str| {
        let number = entry.at(key).and_then(Form::as_int);
        number.is_some_and(|number| number.to_string() == id)
    };
    // Ids in a decision that a standing approval covered; the approvals themselves where they were made.
    let standing = || {
        let all = entry.get("STANDING").and_then(Form::items).unwrap_or_default();
        all.iter()
            .any(|own| own.as_str() == Some(id) || own.text_at("id") == Some(id))
    };
    let digest = entry.text_at("digest").unwrap_or_default();
    number("sequence")
        || number("of")
        || entry.text_at("plan") == Some(id)
        || entry.text_at("approval") == Some(id)
        || standing()
        || (id.len() >= 8 && digest.starts_with(id))
}

/// The newest decision, and what was recorded about it afterwards. Each turn ends with an answer, which the gates judge like
/// everything else: one that was let through is hardly what somebody asks about, nor is a heartbeat, unless there is nothing
/// else.
fn newest_decision(mut entries: Vec<Form>) -> Vec<Form> {
    let is_decision = |entry: &Form| entry.get("KIND").is_some_and(|own| own.is_kw("DECISION"));
    let at = entries
        .iter()
        .rposition(|entry| is_decision(entry) && !is_answer_let_through(entry) && !is_beat_let_through(entry))
        .or_else(|| entries.iter().rposition(is_decision));
    let Some(at) = at else { return Vec::new() };
    let mut later = entries.split_off(at);
    let decision = later.remove(0);
    let number = |entry: &Form, key: &str| entry.at(key).and_then(Form::as_int);
    let own = number(&decision, "sequence");
    let plans: Vec<&str> = ["plan", "approval"]
        .iter()
        .filter_map(|key| decision.text_at(key))
        .collect();
    later.retain(|entry| {
        let is_of_plan = entry.text_at("plan").is_some_and(|plan| plans.contains(&plan));
        !is_decision(entry) && (is_of_plan || (own.is_some() && number(entry, "of") == own))
    });
    later.insert(0, decision);
    later
}

/// The decisions among `entries` that are of interest: answers and heartbeats that were let through are not.
pub fn decisions(entries: &[Form]) -> impl DoubleEndedIterator<Item = &Form> {
    let is_decision = |entry: &&Form| entry.get("KIND").is_some_and(|own| own.is_kw("DECISION"));
    let all = entries.iter().filter(is_decision);
    all.filter(|entry| !is_answer_let_through(entry) && !is_beat_let_through(entry))
}

/// Whether a decision let a message through of itself, without a person.
fn is_answer_let_through(entry: &Form) -> bool {
    is_verb(entry, "MESSAGE")
        && is_cleared(entry)
        && entry.get("APPROVAL").is_none()
        && entry.get("STANDING").is_none()
}

/// Whether a decision let a skill be called on the heartbeat, which happens again and again.
fn is_beat_let_through(entry: &Form) -> bool {
    is_verb(entry, "FIRED") && entry.text_at("action.payload.id") == Some("heartbeat") && is_cleared(entry)
}

fn is_verb(entry: &Form, verb: &str) -> bool {
    let own = entry.at("action.payload.action");
    own.is_some_and(|own| own.is_kw(verb))
}

fn is_cleared(entry: &Form) -> bool {
    entry.get("OUTCOME").is_some_and(|own| own.is_kw("CLEARED"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::plist;
    use crate::sexp::kw;

    #[test]
    fn the_beginning_of_a_plans_id_stands_for_it_where_no_other_begins_so() {
        let decision =
            |number: u64, key: &str, plan: &str| plist!("KIND" => kw("DECISION"), "SEQUENCE" => number, key => plan);
        let entries = [
            decision(1234, "PLAN", "aaaa0001"),
            decision(2, "APPROVAL", "aaaa0001"),
            decision(3, "PLAN", "aaaa0002"),
            decision(4, "PLAN", "12345678"),
        ];
        assert_eq!(meant(&entries, "aaaa0001").unwrap(), "aaaa0001");
        assert_eq!(meant(&entries, "12345").unwrap(), "12345678");
        assert_eq!(meant(&entries, "1234").unwrap(), "1234", "a decision has this number");
        assert_eq!(meant(&entries, "123").unwrap(), "123", "too short");
        assert_eq!(meant(&entries, "bbbb").unwrap(), "bbbb");
        let several = meant(&entries, "aaaa").unwrap_err();
        assert_eq!(several, ["aaaa0001", "aaaa0002"]);
        assert!(ambiguous("aaaa", &several).contains("aaaa0001, aaaa0002; write more"));
    }
}
