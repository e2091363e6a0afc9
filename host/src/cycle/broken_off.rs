//! What became of a plan that was approved when the daemon was killed, as far as the record says it.
//!
//! The decision is in the record before anything of it begins, and what came of it as soon as it has ended. So a plan of
//! which the record has no decision had not begun, if nothing is missing from the record since the plan was made.

use super::Core;
use crate::gate::approval::{Plan, PlanState};
use crate::sexp::Form;

/// Why a plan waits again, or lapsed, that was approved and had not begun.
const NOT_BEGUN: &str = "the daemon ended before it had begun";

impl Core {
    /// Notes of each plan that was approved when the daemon was killed, or whose end could not be kept, how it turned out, by
    /// what the `record` has, and by what the daemon knows where the record is whole and does not say it.
    pub(super) fn find_out(&self, untold: &[Plan], record: &[Form], is_whole: bool, now: u64) {
        let is_open = |plan: &&Plan| matches!(plan.state, PlanState::Unknown | PlanState::Approved);
        for plan in untold.iter().filter(is_open) {
            let exists = |id: &str| self.plans().get(id).is_some();
            let (state, reason) = match turned_out(plan, record, exists) {
                (PlanState::Waiting, reason) if plan.until() <= now => (PlanState::Expired, reason),
                found => found,
            };
            let (state, reason) = match plan.state {
                // It has ended while the daemon runs. What was a reply, or reached nobody, has no outcome in the record.
                PlanState::Approved if state != PlanState::Done => {
                    match self.untold.line_of(&plan.id).filter(|_| is_whole) {
                        Some(line) => (PlanState::Done, Some(line)),
                        None => continue,
                    }
                }
                _ => (state, reason),
            };
            self.notes_outcome(plan, state, reason);
        }
    }

    /// Notes how a plan turned out, and the line that tells it, or why it waits.
    pub(super) fn notes_outcome(&self, plan: &Plan, state: PlanState, reason: Option<String>) {
        if let Err(error) = self.plans().turned_out(&plan.id, state, reason) {
            tracing::error!(
                plan = plan.id,
                "how it turned out can't be kept, and is looked up again: {error}"
            );
        }
    }
}

/// How `plan` turned out, and the line that tells it, or why it waits. `exists` says whether there is a plan of that id.
fn turned_out(plan: &Plan, record: &[Form], exists: impl Fn(&str) -> bool) -> (PlanState, Option<String>) {
    let not_begun = || (PlanState::Waiting, Some(NOT_BEGUN.to_owned()));
    let is_its = |entry: &&Form| entry.text_at("approval") == Some(&plan.id);
    let Some(decision) = record.iter().rfind(is_its) else {
        return if is_whole_since(plan, record) {
            not_begun()
        } else {
            (PlanState::Unknown, None)
        };
    };
    let label = plan.action.label();
    match decision.at("outcome").and_then(Form::keyword) {
        Some("CLEARED") => match came_of(record, decision) {
            Some(came) => (PlanState::Done, Some(format!("{label}: {came}"))),
            None => (PlanState::Unknown, None),
        },
        Some("REJECTED") => {
            let rejection = decision.get("REJECTION").cloned().unwrap_or(Form::Nil);
            (PlanState::Done, Some(rejected_now(&rejection)))
        }
        Some("FUTILE") => (PlanState::Done, Some(format!("{label}: {}", futile(decision)))),
        // Asked again: the proposal waits as another plan, unless the kill came before that was made.
        Some("WAITING") if decision.text_at("plan").is_some_and(exists) => (PlanState::Done, None),
        Some("WAITING") => not_begun(),
        _ => (PlanState::Unknown, None),
    }
}

/// What came of a decision, if that is known.
pub(super) fn came_of(record: &[Form], decision: &Form) -> Option<String> {
    if decision.at("outcome").is_some_and(|outcome| outcome.is_kw("FUTILE")) {
        return Some(futile(decision).to_owned());
    }
    let number = decision.at("sequence")?.as_int()?;
    let of = |entry: &&Form| entry.at("of").and_then(Form::as_int) == Some(number);
    let entry = record.iter().rfind(of)?;
    let is = |result: &str| entry.get("RESULT").is_some_and(|own| own.is_kw(result));
    if is("UNKNOWN") {
        return None;
    }
    if is("STOPPED") {
        return Some("it was stopped; what of it was done by then is not known".to_owned());
    }
    Some(entry.text_at("text").unwrap_or_default().to_owned())
}

/// Why what was decided on could not be carried out, where that was seen before it began.
fn futile(decision: &Form) -> &str {
    decision.text_at("reason").unwrap_or("it could not be carried out")
}

/// Whether the record has each entry since the decision that made `plan`.
fn is_whole_since(plan: &Plan, record: &[Form]) -> bool {
    let made = |entry: &Form| {
        entry.get("KIND").is_some_and(|kind| kind.is_kw("DECISION")) && entry.text_at("plan") == Some(&plan.id)
    };
    let number = |entry: &Form| entry.at("sequence").and_then(Form::as_int);
    let follows = |pair: &[Form]| number(&pair[0]).is_some_and(|first| number(&pair[1]) == first.checked_add(1));
    let since = record.iter().position(made).map(|at| &record[at..]);
    since.is_some_and(|since| since.windows(2).all(follows))
}

/// What the model hears of a plan that was approved and met a gate that refused it.
pub(super) fn rejected_now(rejection: &Form) -> String {
    format!("REJECTED: a person approved it, but a gate rejects it now: {rejection}")
}
