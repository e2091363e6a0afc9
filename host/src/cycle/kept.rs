//! What the file of a session holds: first whose it is, then what was said, and last what `/continue` goes on with.

use super::over::is_broken_off;
use super::unbegun::{Unbegun, is_about_waiting};
use super::unsaid::BrokenOff;
use crate::context::Line;
use crate::plist;
use crate::sexp::{Form, kw};
use crate::signal::{Began, Meta, Sensor, Signal};

/// Whose a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The operator's, or the daemon's own.
    Operator,
    /// That of somebody who has not proven to be the operator: what the operator approved once and for all does not count
    /// in it.
    Stranger,
}

impl Owner {
    fn name(self) -> &'static str {
        match self {
            Owner::Operator => "OPERATOR",
            Owner::Stranger => "STRANGER",
        }
    }

    /// `(:OWNER …)`, the first entry of a session's file.
    pub(super) fn to_form(self) -> Form {
        plist!("OWNER" => kw(self.name()))
    }

    fn from_form(form: &Form) -> Option<Owner> {
        let name = form.get("OWNER")?.keyword()?;
        [Owner::Operator, Owner::Stranger]
            .into_iter()
            .find(|own| own.name() == name)
    }
}

/// What was read from the file of a session.
#[derive(Debug)]
pub(super) struct Kept {
    /// Whose it is, where the file says so; those of older versions don't.
    pub(super) owner: Option<Owner>,
    pub(super) lines: Vec<Line>,
    /// The proposals that lack a line which says what came of them.
    pub(super) broken_off: Vec<BrokenOff>,
    /// Whether the last request was broken off.
    pub(super) is_broken_off: bool,
    /// What waits for `/continue`.
    pub(super) deferred: Option<Form>,
    /// The requests that never began.
    pub(super) unbegun: Vec<Unbegun>,
}

impl Kept {
    /// What `entries` say.
    pub(super) fn read(entries: &[Form]) -> Kept {
        Kept {
            // No other entry counts: nothing that is said later can change whose it is.
            owner: entries.first().and_then(Owner::from_form),
            lines: entries.iter().filter_map(Line::from_form).collect(),
            broken_off: BrokenOff::among(entries),
            is_broken_off: is_broken_off(entries),
            deferred: for_continue(entries).and_then(|entry| entry.get("DEFERRED")).cloned(),
            unbegun: Unbegun::among(entries),
        }
    }
}

/// The entry of a line; of one that tells how a plan ended with the name of that [end](crate::gate::approval::Plan::end).
pub(super) fn said(line: &Line, end: Option<&str>) -> Form {
    match end {
        Some(end) => line.to_form().with("ABOUT", end),
        None => line.to_form(),
    }
}

/// The entry of what a model proposed and may be carried out, with the number of the `decision`, and what the line will name
/// that says what came of it.
pub(super) fn proposed(line: &Line, decision: u64, end: &str) -> Form {
    line.to_form().with("DECISION", decision).with("END", end)
}

/// Whether the end of a plan, or what came of a proposal, is told among `entries`, behind it where that stands there.
pub(super) fn is_told(entries: &[Form], end: &str) -> bool {
    let told = entries.iter().any(|entry| entry.text_at("about") == Some(end));
    told && BrokenOff::among(entries).iter().all(|own| own.end != end)
}

/// The entry of what waits for `/continue`, if anything does: whatever was said since has taken its place.
pub(super) fn for_continue(entries: &[Form]) -> Option<&Form> {
    let last = entries.iter().rfind(|entry| !is_about_waiting(entry));
    last.filter(|entry| entry.get("DEFERRED").is_some())
}

/// The entry of what waits for `/continue`.
pub(super) fn deferred(stored: &Form) -> Form {
    plist!("DEFERRED" => stored.clone())
}

/// What is kept of a signal, so that a turn of its own can go on: source, taint, how its turn began, payload.
pub(super) fn stored(signal: &Signal) -> Form {
    plist!(
        "SOURCE" => kw(&signal.meta.source), "TAINTED" => signal.tainted, "BEGAN" => signal.beginning().to_form(),
        "PAYLOAD" => signal.payload.clone(),
    )
}

/// The signal that [`stored`] kept, addressed to `meta`.
pub(super) fn restored(stored: &Form, meta: Meta) -> Signal {
    let payload = stored.at("payload").cloned().unwrap_or(Form::Nil);
    Signal {
        sensor: payload
            .at("sensor")
            .and_then(Form::keyword)
            .map_or(Sensor::UserInput, Sensor::from_name),
        meta,
        // A person stands between this turn and the one that it came from: it is no runaway loop.
        depth: 0,
        tainted: stored.at("tainted").is_some_and(Form::is_true),
        began: stored.at("began").and_then(Began::from_form),
        payload,
    }
}
