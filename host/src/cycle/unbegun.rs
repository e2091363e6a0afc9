//! Requests that wait for their turn: kept with their session before they count as taken, so that whoever comes is told of
//! each that never began. None is worked at by itself then: what it asks for may be wrong by now, and a person sends it again.
//!
//! A request that finds its session idle needs no such entry: what it says is kept in its turn, which begins at once.

use super::Core;
use super::over::Over;
use super::queue::NotQueued;
use super::session::{Session, State};
use super::turn::{Entry, Stopper};
use crate::audit::{Durability, LogError};
use crate::context::{Line, Speaker};
use crate::plist;
use crate::sexp::{Form, Text, visible_line};
use crate::signal::frames::{self, Upshot};
use crate::signal::{Meta, random_hex};

/// How much of a request names it, in characters.
const BEGINNING: usize = 200;

/// Why one never began, where the daemon was killed; and where nobody knows.
const KILLED: &str = "it was never begun, because the daemon was killed";
const NEVER: &str = "it was never begun, and nothing of it was done";

/// A request that waited when the daemon ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unbegun {
    id: String,
    text: Text,
    /// Whether its text is a line of the conversation, as no proposal that a person typed is.
    is_said: bool,
}

impl Unbegun {
    /// Those among the entries of a conversation, oldest first.
    pub(super) fn among(entries: &[Form]) -> Vec<Unbegun> {
        let mut waiting: Vec<Unbegun> = Vec::new();
        for entry in entries {
            if let Some(taken) = entry.text_at("taken") {
                waiting.retain(|own| own.id != taken);
            }
            waiting.extend(Unbegun::from_form(entry));
        }
        waiting
    }

    fn from_form(form: &Form) -> Option<Unbegun> {
        Some(Unbegun {
            id: form.text_at("queued")?.to_owned(),
            text: form.get("TEXT")?.as_text()?.clone(),
            is_said: form.get("SAID").is_some_and(Form::is_true),
        })
    }

    fn to_form(&self) -> Form {
        plist!("QUEUED" => &self.id, "TEXT" => self.text.clone(), "SAID" => self.is_said)
    }
}

/// That the request of this name has begun, or waits no longer.
fn taken(id: &str) -> Form {
    plist!("TAKEN" => id)
}

/// Whether an entry only says which request waits, or does so no longer.
pub(super) fn is_about_waiting(entry: &Form) -> bool {
    entry.get("ROLE").is_none() && (entry.get("QUEUED").is_some() || entry.get("TAKEN").is_some())
}

/// What a session has to know of requests that wait.
#[derive(Debug, Default)]
pub(super) struct Waits {
    /// Those that were left when it was opened.
    left: Vec<Unbegun>,
    /// Names the request of the running turn, as long as its file does not say that it has begun.
    turn: Option<String>,
    /// Those that wait no longer, where the file can't say so yet.
    over: Vec<String>,
}

impl Waits {
    pub(super) fn left(left: Vec<Unbegun>) -> Waits {
        Waits {
            left,
            ..Waits::default()
        }
    }
}

impl State {
    /// Adds a line that a model is asked about; what a person says in the turn of a request that waited says that it has begun.
    pub(super) fn ask(&mut self, line: Line, end: Option<&str>) -> Result<(), LogError> {
        let id = self.waits.turn.clone().filter(|_| line.speaker == Speaker::User);
        self.ask_as(line, end, id.as_deref())?;
        if id.is_some() {
            self.waits.turn = None;
        }
        Ok(())
    }

    fn take(&mut self, id: &str) -> Result<(), LogError> {
        self.log.append(&taken(id), Durability::Written)
    }

    /// Says in the conversation what was left, each with the word that it is over.
    fn say_left(&mut self) -> Result<(), LogError> {
        while let Some(own) = self.waits.left.first().cloned() {
            if own.is_said {
                let line = Line {
                    speaker: Speaker::User,
                    text: own.text,
                    tainted: false,
                };
                self.ask_as(line, None, Some(&own.id))?;
                self.asks = false;
                self.over = Some(Over::NotBegun);
            } else {
                self.take(&own.id)?;
            }
            self.waits.left.remove(0);
            self.say_over(self.over)?;
        }
        Ok(())
    }
}

impl Session {
    /// Keeps what `entry` asks for, which waits now, and returns its name; nothing where it is no request.
    pub(super) fn keep_waiting(&self, entry: &Entry) -> Result<Option<String>, NotQueued> {
        let Some((text, is_said)) = entry.asks() else {
            return Ok(None);
        };
        let id = random_hex(8).map_err(|error| NotQueued::NotKept(error.to_string()))?;
        let waits = Unbegun { id, text, is_said };
        let kept = self.state().log.append(&waits.to_form(), Durability::Written);
        kept.map_err(|error| NotQueued::NotKept(error.to_string()))?;
        Ok(Some(waits.id))
    }

    /// Notes that the turn of the request of this name begins.
    pub(super) fn takes(&self, id: Option<String>) {
        self.state().waits.turn = id;
    }

    /// Says that the request of the running turn has begun, where no line of the conversation does.
    ///
    /// # Errors
    /// When that can't be kept; then it must not begin, or it would be said that it never did.
    pub(super) fn has_begun(&self) -> Result<(), LogError> {
        let mut state = self.state();
        if let Some(id) = state.waits.turn.clone() {
            state.take(&id)?;
            state.waits.turn = None;
        }
        Ok(())
    }

    /// Notes that the request of the turn that has ended waits no longer, however it ended. Where that can't be kept, it is
    /// tried again with the next one.
    pub(super) fn waits_no_longer(&self) {
        let mut state = self.state();
        let ended = state.waits.turn.take();
        state.waits.over.extend(ended);
        while let Some(id) = state.waits.over.first().cloned() {
            if let Err(error) = state.take(&id) {
                tracing::warn!(session = %self.id(), "that a request waits no longer can't be kept yet: {error}");
                return;
            }
            state.waits.over.remove(0);
        }
    }

    /// Whether requests were left here that never began, and nobody has been told.
    pub(super) fn has_left(&self) -> bool {
        !self.state().waits.left.is_empty()
    }
}

impl Core {
    /// Tells whoever comes of each request that was left in `session` when the daemon was killed and had not begun, and its
    /// conversation too, so that it is told once. Blocks.
    pub fn tell_unbegun(&self, session: &Session) {
        self.tell_left(session, KILLED);
    }

    /// The same where nobody knows how that daemon ended.
    pub(super) fn tell_never_begun(&self, session: &Session) {
        self.tell_left(session, NEVER);
    }

    fn tell_left(&self, session: &Session, why: &str) {
        let left = session.state().waits.left.clone();
        for own in left {
            let text = format!("{why}: {}", self.beginning(&own.text));
            tracing::warn!(session = %session.id(), "{text}");
            self.note_for_whoever_comes(session.id(), &text);
        }
        // Whoever is first says all of it.
        if let Err(error) = session.state().say_left() {
            tracing::error!(
                session = %session.id(),
                "that a request was never begun can't be kept, and is told again: {error}"
            );
        }
    }

    /// Keeps what a request says whose turn the end of the daemon has stopped before it began.
    pub(super) fn keep_unbegun(&self, session: &Session, entry: &Entry) {
        let Some((text, true)) = entry.asks().filter(|_| session.stopper() == Stopper::Daemon) else {
            return;
        };
        let heard = session.hear(Line {
            speaker: Speaker::User,
            text,
            tainted: false,
        });
        if let Err(error) = heard {
            tracing::warn!(session = %session.id(), "what was asked and never begun can't be kept: {error}");
        }
    }

    /// Tells why a turn was stopped, and `which`, where nobody in its session has done that.
    pub(super) fn tell_stopped(&self, session: &Session, meta: &Meta, which: Option<Text>, has_begun: bool) {
        session.note("the turn was stopped");
        // Of a plan that waits again it was said with that.
        if session.stopper() == Stopper::Daemon && session.upshot() != Some(Upshot::Waiting) {
            let when = if has_begun { "ended" } else { "begun" };
            let which = which.map_or_else(String::new, |which| format!(": {}", self.beginning(&which)));
            let text =
                format!("the daemon was told to stop, and this turn was stopped with it before it had {when}{which}");
            self.outlet
                .send(session.id(), frames::turn_error(meta, "stopped", &text));
        }
    }

    /// The beginning of a text on one line, for a person.
    pub fn beginning(&self, text: &str) -> String {
        // A secret that is cut is not known any more.
        let text = visible_line(&self.hidden(text));
        match text.char_indices().nth(BEGINNING) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }
}

#[cfg(test)]
mod tests;
