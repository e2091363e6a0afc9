//! Requests that are over and got no answer: their conversation says so, in the host's words, before a model is asked about
//! anything else. Two messages of a person with nothing in between look like one, and what was stopped would be done after
//! all.
//!
//! What can be continued is open still, until something else is said. Where a daemon was killed, or could not write, the
//! conversation ends in the middle of a request when it is opened again.

use super::Core;
use super::kept::{for_continue, said};
use super::session::{Session, State};
use super::tell::{BROKEN_OFF, NAMED};
use super::turn::Stopper;
use crate::audit::LogError;
use crate::context::{Line, Speaker, cut};
use crate::sexp::{Form, kw, visible_line};
use crate::signal::frames::Outcome;

/// Why a request got no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    Stopped(Stopper),
    Refused,
    NoModel,
    Failed,
    /// It could have been continued, and something else was said.
    NotContinued,
    /// The daemon had ended before its turn came.
    NotBegun,
    /// Nobody knows more: the daemon was killed, or could not write.
    BrokenOff,
}

/// What they are called in what waits for `/continue`.
const NAMES: &[(&str, Over)] = &[
    ("PERSON", Over::Stopped(Stopper::Person)),
    ("DAEMON", Over::Stopped(Stopper::Daemon)),
    ("REFUSED", Over::Refused),
    ("NO-MODEL", Over::NoModel),
    ("FAILED", Over::Failed),
];

impl Over {
    /// Why what waits for `/continue` has no answer, once it is over: as the turn ended that went on with it last, if one did.
    pub(super) fn of_waiting(stored: &Form) -> Over {
        let ended = stored.at("ended").and_then(Form::keyword);
        let found = NAMES.iter().find(|(name, _)| ended == Some(*name));
        found.map_or(Over::NotContinued, |(_, over)| *over)
    }

    /// The same of what waits still, although a turn has gone on with it that ended so.
    fn noted_in(self, stored: &Form) -> Form {
        match NAMES.iter().find(|(_, over)| *over == self) {
            Some((name, _)) => stored.clone().with("ENDED", kw(name)),
            None => stored.clone(),
        }
    }

    fn of(outcome: Outcome, stopper: Stopper) -> Option<Over> {
        match outcome {
            Outcome::Answered | Outcome::Waiting => None,
            Outcome::Cancelled => Some(Over::Stopped(stopper)),
            Outcome::Refused => Some(Over::Refused),
            Outcome::Exhausted => Some(Over::NoModel),
            Outcome::Failed | Outcome::Timeout => Some(Over::Failed),
        }
    }

    fn line(self) -> Line {
        let why = match self {
            Over::Stopped(Stopper::Person) => "the person stopped it",
            Over::Stopped(Stopper::Daemon) => "the daemon ended",
            Over::Refused => "all that was proposed for it was refused",
            Over::NoModel => "no model answered",
            Over::Failed => "it failed",
            Over::NotContinued => "the host stopped it",
            Over::NotBegun => "it was never begun",
            Over::BrokenOff => "it was broken off",
        };
        // As a fact: a model is told to follow nothing else that stands where results do.
        let text = format!(
            "The request above is over without an answer: {why}. No more of it is wanted unless the person asks again."
        );
        Line {
            speaker: Speaker::Host,
            text: text.into(),
            tainted: false,
        }
    }
}

/// Whether the conversation with these entries ends in the middle of a request.
pub(super) fn is_broken_off(entries: &[Form]) -> bool {
    let mut is_open = false;
    for entry in entries {
        let Some(line) = Line::from_form(entry) else {
            continue;
        };
        match line.speaker {
            Speaker::User => is_open = true,
            // What is carried out has a decision; an answer has none, nor has what waits for a person or says nothing.
            Speaker::Assistant => is_open = entry.get("DECISION").is_some(),
            Speaker::Host => is_open = false,
            // What came of a plan may go to a model, or be told to whoever comes. One that was cut off leads to no more.
            Speaker::Tool => {
                let cut_off = line.text.contains(BROKEN_OFF) && line.text.contains(":ORIGIN :MODEL");
                is_open |= cut_off || entry.at("asked").is_some_and(Form::is_true);
            }
        }
    }
    is_open && for_continue(entries).is_none()
}

impl State {
    /// Adds a line that a model is asked about, behind what has to be said of the request before. `taken` names the request
    /// that it says, if that waited.
    pub(super) fn ask_as(&mut self, line: Line, end: Option<&str>, taken: Option<&str>) -> Result<(), LogError> {
        let waiting = self.deferred.clone().filter(|_| !self.asks);
        self.say_over(waiting.as_ref().map(Over::of_waiting).or(self.over))?;
        let entry = said(&line, end);
        let entry = match (line.speaker, taken) {
            (_, Some(taken)) => entry.with("TAKEN", taken),
            (Speaker::Tool, None) if end.is_some() => entry.with("ASKED", true),
            _ => entry,
        };
        // Where it can't be kept, what was said to be over just now stays over: it would be said twice.
        self.keep(line, &entry)?;
        self.asks = true;
        Ok(())
    }

    /// Says that a request is over, if it is.
    pub(super) fn say_over(&mut self, over: Option<Over>) -> Result<(), LogError> {
        if let Some(over) = over {
            self.say(over.line(), None)?;
            self.over = None;
        }
        Ok(())
    }
}

impl Session {
    /// Notes that the turn has ended so, and says in the conversation that its request is over where that got no answer. Where
    /// this can't be kept, it is said before a model is asked again.
    pub(super) fn is_over(&self, outcome: Outcome) {
        let stopper = self.stopper();
        let mut state = self.state();
        let asked = std::mem::take(&mut state.asks);
        let went_on = std::mem::take(&mut state.goes_on);
        if !asked {
            return;
        }
        if let Some(stored) = state.deferred.clone() {
            if let Some(over) = Over::of(outcome, stopper).filter(|_| went_on) {
                state.defer(over.noted_in(&stored));
            }
            return;
        }
        state.over = Over::of(outcome, stopper);
        drop(state);
        self.say_what_is_over();
    }

    /// The beginning of the request that was broken off when the daemon was killed, if one was and that was not said yet. What
    /// was being carried out for it then was told by itself, with what it was.
    fn broken_off_request(&self) -> Option<String> {
        let state = self.state();
        if state.over != Some(Over::BrokenOff) {
            return None;
        }
        let lines = state.conversation.lines();
        let at = lines.iter().rposition(|line| line.speaker == Speaker::User)?;
        let (asked, since) = lines.get(at..)?.split_first()?;
        let is_told = |line: &Line| line.speaker == Speaker::Tool && line.text.contains(BROKEN_OFF);
        if !state.broken_off.is_empty() || since.iter().any(is_told) {
            return None;
        }
        Some(cut(&visible_line(&asked.text), NAMED))
    }

    /// Says that the request before is over, if that was not said. Where it can't be kept now, it is tried again.
    pub(super) fn say_what_is_over(&self) {
        let mut state = self.state();
        let over = state.over;
        if let Err(error) = state.say_over(over) {
            tracing::warn!(session = %self.id(), "that a request is over can't be kept yet: {error}");
        }
    }
}

impl Core {
    /// Tells whoever comes that the request of `session` which a kill broke off has no answer, and its conversation too, so
    /// that it is told once. Blocks.
    pub fn tell_broken_off_request(&self, session: &Session) {
        if let Some(asked) = session.broken_off_request() {
            self.note_for_whoever_comes(
                session.id(),
                &format!("it ended without an answer, because the daemon was killed or could not write: {asked}"),
            );
            session.say_what_is_over();
        }
    }
}
