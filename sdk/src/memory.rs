//! Reading memory objects, and keeping some. Needs the grants `memory:read` and `memory:write`, and cannot be called from
//! a gate.
//!
//! Objects are canonical plists: `(:ID "…" :TYPE :NOTE :ATTRIBUTES (…) :CONTENT "…" … :ORIGIN (…))`. What is private is
//! not there. What a skill keeps is its own: no other skill can write over it, and where it came from is set by the host.

pub use crate::capability::Failure;
use crate::{Action, imports};

/// The object with the id `id`; nothing if there is none, or if it is private.
///
/// # Errors
/// When reading was not granted.
pub fn get(id: &str) -> Result<Option<String>, Failure> {
    imports::memory::get(id)
}

/// The objects in which `text` occurs, without regard to case, the last changed first: at most `limit`, and no more than
/// the host's bound of 50.
///
/// # Errors
/// When reading was not granted, or there is no text to search for.
pub fn search(text: &str, limit: u32) -> Result<Vec<String>, Failure> {
    imports::memory::search(text, limit)
}

/// Keeps the object that stands at `path` of the cleared action: `payload.object` of `:MEMORY`, or `payload.args` of a
/// call of a tool. Each action keeps one. Returns its id.
///
/// The object is a plist with `:CONTENT`, `:ATTRIBUTES` or both, and perhaps `:ID`, `:TYPE` and `:TAGS`. One of this
/// skill's with the same id is replaced.
///
/// # Errors
/// Why it was not kept.
pub fn write(action: &Action, path: &str) -> Result<String, Failure> {
    imports::memory::write(action.handle(), path)
}

/// Proposes to keep an object of the skill's own making, a plist as for [`write()`]. It is an action of its own, meets every
/// gate, and needs an explanation. Returns its id.
///
/// # Errors
/// Why it was not kept.
pub fn propose_write(object: &str, explanation: &str) -> Result<String, Failure> {
    imports::memory::propose_write(object, explanation)
}
