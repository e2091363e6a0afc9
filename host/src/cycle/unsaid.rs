//! What came of an action that a model proposed and nobody was asked about, where its conversation does not say it yet.
//!
//! The proposal stands there before anything begins, with the number of its decision, by which the record is searched, and
//! with a name of its own, which the line that says what came of it bears as well: a record that is begun anew, or has lost
//! its end, gives the same numbers again. A line that can't be kept is owed to its session, as the ends of plans are. Where the daemon was
//! killed in between, the proposal stands without that line when the session is opened again, and the record says the rest.

use super::Core;
use super::broken_off::came_of;
use super::condition::PipelineError;
use super::kept::proposed;
use super::session::{Session, State};
use super::tell::{BROKEN_OFF, NAMED};
use crate::audit::LogError;
use crate::context::{Line, Speaker, cut};
use crate::sexp::{Form, Limits, kw, read_with};
use crate::signal::{Action, SessionId, random_hex};

/// An outcome that the running turn has to say, and the line that says it where nothing else does.
#[derive(Debug)]
pub(super) struct Unsaid {
    pub(super) end: String,
    pub(super) line: Line,
}

impl Unsaid {
    /// That of an action, of which nothing is known yet.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub(super) fn of(label: &str) -> Result<Unsaid, PipelineError> {
        let text = format!("{label}: the host could not go on with it; what of it was done by then is not known");
        let name = random_hex(8).map_err(|error| PipelineError::Internal(error.to_string()))?;
        Ok(Unsaid {
            end: format!("proposal {name}"),
            line: by_tool(text, false),
        })
    }
}

/// A proposal that stands in a conversation without a line that says what came of it.
#[derive(Clone, Debug)]
pub(super) struct BrokenOff {
    /// What a line names that says what came of it.
    pub(super) end: String,
    decision: u64,
    proposal: Line,
}

impl BrokenOff {
    /// All of them among the entries of a conversation that nobody goes on with.
    pub(super) fn among(entries: &[Form]) -> Vec<BrokenOff> {
        let mut open: Vec<BrokenOff> = Vec::new();
        for entry in entries {
            if let Some(end) = entry.text_at("about") {
                // A line says nothing of what was proposed after it.
                open.retain(|own| own.end != end);
            }
            open.extend(BrokenOff::read(entry, &open));
        }
        open
    }

    /// What `entry` proposes, if it does; it stands behind those that are `open`.
    fn read(entry: &Form, open: &[BrokenOff]) -> Option<BrokenOff> {
        let decision = u64::try_from(entry.at("decision")?.as_int()?).ok()?;
        let proposal = Line::from_form(entry)?;
        let end = match entry.text_at("end") {
            Some(end) => end.to_owned(),
            // As older versions name it, by what may come again.
            None => {
                let mut end = format!("decision {decision}");
                while open.iter().any(|own| own.end == end) {
                    end.push_str(" again");
                }
                end
            }
        };
        Some(BrokenOff {
            end,
            decision,
            proposal,
        })
    }

    /// The line that says what came of it, as far as the `record` has it.
    pub(super) fn line(&self, record: &[Form]) -> Line {
        let action = read_with(&self.proposal.text, Limits::STORED)
            .ok()
            .and_then(|form| Action::from_stored(&form.with("ORIGIN", kw("MODEL"))));
        let label = action.as_ref().map_or_else(|| "the action".to_owned(), Action::label);
        // A record that somebody began anew counts anew.
        let digest = action.map(|action| action.digest().to_string());
        let is_own = |entry: &&Form| {
            entry.at("sequence").and_then(Form::as_int) == i64::try_from(self.decision).ok()
                && entry
                    .text_at("digest")
                    .is_some_and(|own| digest.as_deref() == Some(own))
        };
        let decision = record.iter().rfind(is_own);
        match decision.and_then(|decision| came_of(record, decision)) {
            // Whether it is from outside, the record does not say.
            Some(came) => by_tool(format!("{label}: {came}"), true),
            None => {
                let named = cut(&self.proposal.text, NAMED);
                by_tool(format!("{label}: {BROKEN_OFF}: {named}"), self.proposal.tainted)
            }
        }
    }
}

fn by_tool(text: String, tainted: bool) -> Line {
    Line {
        speaker: Speaker::Tool,
        text: text.into(),
        tainted,
    }
}

impl State {
    /// Adds the line that says what came of what the turn does; the line is kept for later where it can't be.
    pub(super) fn say_outcome(&mut self, line: Line) -> Result<(), LogError> {
        let Some(Unsaid { end, .. }) = self.unsaid.take() else {
            return self.say(line, None);
        };
        let said = self.say(line.clone(), Some(&end));
        if said.is_err() {
            self.unsaid = Some(Unsaid { end, line });
        }
        said
    }
}

impl Session {
    /// Adds what a model proposed and is carried out by `decision`, before it begins. The next line of a tool says what came
    /// of it; or `unsaid` does, as soon as it can be.
    ///
    /// # Errors
    /// As [`Session::say`].
    pub(super) fn propose(&self, line: Line, decision: u64, unsaid: Unsaid) -> Result<(), LogError> {
        let mut state = self.state();
        let entry = proposed(&line, decision, &unsaid.end);
        state.keep(line, &entry)?;
        state.unsaid = Some(unsaid);
        Ok(())
    }

    /// Adds a word of the host's, which says nothing of what came of what is done.
    ///
    /// # Errors
    /// As [`Session::say`].
    pub(super) fn remark(&self, line: Line) -> Result<(), LogError> {
        self.state().say(line, None)
    }

    /// Whether what came of what the running turn does has still to be said.
    pub(super) fn has_unsaid(&self) -> bool {
        self.state().unsaid.is_some()
    }

    /// What the turn had to say and did not.
    pub(super) fn take_unsaid(&self) -> Option<Unsaid> {
        self.state().unsaid.take()
    }

    /// What stood here, when the session was opened, without what came of it: for whoever finds that out.
    pub(super) fn take_broken_off(&self) -> Vec<BrokenOff> {
        std::mem::take(&mut self.state().broken_off)
    }
}

impl Core {
    /// Owes what the turn that has just ended could not say of what it did.
    pub(super) fn owe_unsaid(&self, session: &Session) {
        if let Some(Unsaid { end, line }) = session.take_unsaid() {
            tracing::error!(
                session = %session.id(),
                "what came of {end} can't be kept in the conversation, which is tried again"
            );
            self.untold.owes(session.id(), end, line);
        }
    }

    /// Fails where the conversation does not say yet what came of something in it, or may not: a model that is asked would do
    /// it again.
    pub(super) fn is_all_said(&self, session: &Session) -> Result<(), PipelineError> {
        let why = self.why_unsaid(session.id());
        why.map_or(Ok(()), |why| Err(PipelineError::Unsaid(why)))
    }

    /// Tries again to say what is owed to conversations of what nobody was asked about: to that of `session`, or to all.
    pub(super) fn say_again(&self, session: Option<SessionId>) {
        for (id, owed) in self.untold.owed_lines(session) {
            let mut stood = Vec::new();
            let said = self.sessions.tell_ends(id, &owed, &mut stood);
            self.untold.are_said(id, stood.len());
            if let Err(error) = &said {
                tracing::error!(session = %id, "what came of what was done still can't be told: {error}");
            }
            self.untold.notes_saying(id, said.err().map(|error| error.to_string()));
        }
    }
}
