//! What was being carried out when the daemon ended, without a plan that tells of it: found in the record, and told to whoever
//! comes. A model's proposal stands in its conversation, which says by itself what came of it; what a person typed does not.

use super::Core;
use super::tell::{BROKEN_OFF, NAMED};
use crate::audit::{Durability, Entry, LogError};
use crate::capability::schedule::is_fired;
use crate::context::{Line, Speaker, cut};
use crate::plist;
use crate::sexp::{Form, kw};
use crate::signal::{Action, Origin, Sensor, SessionId};

/// Marks the decision on a message that is more than an answer or a note: a skill sends it somewhere, and says what came of it.
pub(super) const DEED: &str = "DEED";

/// One of those.
#[derive(Clone, Debug)]
pub struct Unfinished {
    decision: u64,
    session: SessionId,
    /// Names it for good: a number alone may come again.
    name: String,
    text: String,
    tainted: bool,
    /// Whether its conversation has a proposal of it.
    stands: bool,
}

impl Unfinished {
    /// Those among the entries of the record.
    pub fn among(entries: &[Entry]) -> Vec<Unfinished> {
        let mut open: Vec<Unfinished> = Vec::new();
        for entry in entries {
            let form = &entry.form;
            if let Some(of) = form
                .at("of")
                .and_then(Form::as_int)
                .and_then(|of| u64::try_from(of).ok())
            {
                open.retain(|own| own.decision != of);
            }
            open.extend(Unfinished::read(entry));
        }
        open
    }

    fn read(entry: &Entry) -> Option<Unfinished> {
        let form = &entry.form;
        let is = |path: &str, name: &str| form.at(path).is_some_and(|own| own.is_kw(name));
        // Of what a plan was made, the plan tells; an answer has no outcome, nor has a note.
        let says = is("action.payload.action", "MESSAGE") && !form.get(DEED).is_some_and(Form::is_true);
        let is_one = is("kind", "DECISION") && is("outcome", "CLEARED") && form.get("APPROVAL").is_none() && !says;
        let action = Action::from_stored(form.get("ACTION").filter(|_| is_one)?)?;
        let is_beat = || is_fired(&action) && is("signal.payload.sensor", Sensor::Heartbeat.name());
        let is_told_of = match action.origin() {
            Origin::Person | Origin::Model => true,
            // The schedule tells of its own, and what a skill did while it acted belongs to that action.
            Origin::Skill(_) => is_beat(),
        };
        if !is_told_of {
            return None;
        }
        Some(Unfinished {
            decision: entry.sequence,
            session: form.text_at("signal.meta.session-id")?.parse().ok()?,
            name: format!(
                "decision {} of {}",
                entry.sequence,
                form.text_at("at").unwrap_or_default()
            ),
            text: format!("{}: {BROKEN_OFF}: {}", action.label(), cut(action.canonical(), NAMED)),
            tainted: form.at("signal.meta.tainted").is_some_and(Form::is_true),
            stands: *action.origin() == Origin::Model,
        })
    }
}

impl Core {
    /// Tells of what was `unfinished` when the daemon last ended, once: its conversation where nothing else does, whoever comes,
    /// and last the record.
    /// What can't be told is logged, and is told at the next start. Blocks.
    pub fn tell_unfinished(&self, unfinished: &[Unfinished]) {
        for own in unfinished {
            tracing::warn!(session = %own.session, "{}", own.text);
            if let Err(error) = self.tell_of_unfinished(own) {
                tracing::error!(session = %own.session, "that can't be told, and is at the next start: {error}");
            }
        }
    }

    fn tell_of_unfinished(&self, own: &Unfinished) -> Result<(), LogError> {
        let line = Line {
            speaker: Speaker::Tool,
            text: own.text.clone().into(),
            tainted: own.tainted,
        };
        let stood = !own.stands && self.sessions.tell_end(own.session, line, &own.name)?;
        if !stood {
            self.note_unheard_of(own.session, &own.text);
        }
        let entry = plist!(
            "KIND" => kw("OUTCOME"), "OF" => own.decision, "RESULT" => kw("UNKNOWN"), "TEXT" => BROKEN_OFF,
        );
        self.keep(entry, Durability::Synced).map(drop)
    }
}
