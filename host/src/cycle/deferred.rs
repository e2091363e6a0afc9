//! What `/continue` goes on with: what a turn was stopped before, kept until somebody says something else. What the host adds
//! by itself, such as what came of something that was done before, is nothing that somebody says.

use super::kept::{deferred, restored, stored};
use super::session::{Session, State};
use crate::audit::{Durability, LogError};
use crate::context::{Line, Speaker};
use crate::sexp::Form;
use crate::signal::{Meta, Signal};

impl State {
    /// Keeps it on disk, so that the session can be put away; where that fails, until then.
    fn defer(&mut self, stored: Form) {
        if let Err(error) = self.log.append(&deferred(&stored), Durability::Written) {
            tracing::warn!("what a turn could go on with can't be kept: {error}");
        }
        self.deferred = Some(stored);
    }

    /// Adds a line of the host's that tells an `end`.
    fn tell(&mut self, line: Line, end: &str) -> Result<(), LogError> {
        let waiting = self.deferred.clone();
        self.say(line, Some(end))?;
        if let Some(stored) = waiting {
            self.over = None;
            self.defer(stored);
        }
        Ok(())
    }

    /// Whether this was said last, but for what the host has added since.
    pub(super) fn was_said_last(&self, line: &Line) -> bool {
        let mut newest = self.conversation.lines().iter().rev();
        let found = newest.find(|own| *own == line || !matches!(own.speaker, Speaker::Tool | Speaker::Host));
        found == Some(line)
    }
}

impl Session {
    /// Adds a line to the conversation that tells the `end` of a plan, or what came of a proposal, whatever the running turn
    /// tells. What could be gone on with still can be.
    ///
    /// # Errors
    /// As [`Session::say`].
    pub(super) fn tell_end(&self, line: Line, end: &str) -> Result<(), LogError> {
        self.state().tell(line, end)
    }

    /// Keeps a signal that the turn stops before, for `/continue`, until something else is said.
    pub(super) fn defer(&self, signal: &Signal) {
        self.state().defer(stored(signal));
    }

    /// The signal that was kept, addressed to `meta`, with which the turn goes on. It stays: a turn that is stopped before it
    /// says anything can be begun again.
    pub(super) fn continues(&self, meta: &Meta) -> Option<Signal> {
        let mut state = self.state();
        let stored = state.deferred.clone()?;
        state.asks = true;
        Some(restored(&stored, meta.clone()))
    }
}
