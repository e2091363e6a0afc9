//! What a person typed themselves, and was being carried out when the daemon ended: no plan and no model's proposal tells of
//! it, so that it is found in the record.

use super::Core;
use super::tell::{BROKEN_OFF, NAMED};
use crate::audit::{Durability, Entry, LogError};
use crate::context::{Line, Speaker, cut};
use crate::plist;
use crate::sexp::{Form, kw};
use crate::signal::{Action, SessionId};

/// One of those.
#[derive(Clone, Debug)]
pub struct Unfinished {
    decision: u64,
    session: SessionId,
    /// Names it for good: a number alone may come again.
    name: String,
    text: String,
    tainted: bool,
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
        // Of what a plan was made, the plan tells; an answer has no outcome.
        let is_one = is("kind", "DECISION")
            && is("outcome", "CLEARED")
            && is("action.origin", "PERSON")
            && form.get("APPROVAL").is_none()
            && !is("action.payload.action", "MESSAGE");
        let action = Action::from_stored(form.get("ACTION").filter(|_| is_one)?)?;
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
        })
    }
}

impl Core {
    /// Tells of what was `unfinished` when the daemon last ended, once: its conversation, whoever comes, and last the record.
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
        let stood = self.sessions.tell_end(own.session, line, &own.name)?;
        if !stood {
            self.note_unheard_of(own.session, &own.text);
        }
        let entry = plist!(
            "KIND" => kw("OUTCOME"), "OF" => own.decision, "RESULT" => kw("UNKNOWN"), "TEXT" => BROKEN_OFF,
        );
        self.keep(entry, Durability::Synced).map(drop)
    }
}
