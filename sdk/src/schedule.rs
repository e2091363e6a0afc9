//! What happens later. Needs the grant `schedule`, and cannot be called from a gate.
//!
//! An entry is `(:EVERY "15m" :TEXT "…")`, `(:CRON "0 7 * * 1-5" :TEXT "…")` with minute, hour, day of the month, month and
//! day of the week in UTC, or `(:AT "2026-12-24T18:00:00Z" :TEXT "…")`; the shortest interval is a minute.
//! When it is due, the skill's [`act`](crate::Skill::act) is called with an action for `:SCHEDULE` whose payload is
//! `(:ACTION :FIRED :ID "…" :TEXT "…")`, and what it returns is a message to the person. A skill that acts claims a
//! target: one of its own name will do. After a crash a firing may be left out; none happens twice.

pub use crate::capability::Failure;
use crate::{Action, imports};

/// Adds the entry that stands at `path` of the cleared action: `payload.entry` of `:SCHEDULE`, or `payload.args` of a call
/// of a tool. Each action adds one. Returns its id.
///
/// # Errors
/// Why it was not added.
pub fn add(action: &Action, path: &str) -> Result<String, Failure> {
    imports::schedule::add(action.handle(), path)
}

/// Proposes an entry of the skill's own making. It is an action of its own, meets every gate, and needs an explanation.
/// Returns its id.
///
/// # Errors
/// Why it was not added.
pub fn propose_add(entry: &str, explanation: &str) -> Result<String, Failure> {
    imports::schedule::propose_add(entry, explanation)
}

/// This skill's own entries, as canonical plists with `:ID` and `:NEXT`.
///
/// # Errors
/// Why they can't be told.
pub fn list() -> Result<Vec<String>, Failure> {
    imports::schedule::list()
}

/// Removes an entry of this skill's own; false if there is none of this id.
///
/// # Errors
/// Why it was not removed.
pub fn remove(id: &str) -> Result<bool, Failure> {
    imports::schedule::remove(id)
}
