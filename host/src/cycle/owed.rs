//! Adding to the decision record, and what is owed to it.
//!
//! A decision is recorded before its effect, and what can't be recorded does not happen. What is taken back is the other
//! way round: it counts no more at once, whatever can be written, and the record must not go on saying that it does. Such
//! an entry is owed until it is there, and nothing is recorded before it.

use std::collections::VecDeque;
use std::sync::Arc;

use super::condition::PipelineError;
use super::session::Session;
use super::{Core, lock, now};
use crate::audit::{Durability, LogError, read_entries};
use crate::sexp::Form;

/// The entries that the record lacks, of what is so already, in the order in which it came to be so.
pub(super) type Owed = VecDeque<Form>;

impl Core {
    /// Adds an entry to the decision record, without the operator's secrets, and returns its number. What is owed comes
    /// first.
    pub(super) fn keep(&self, entry: Form, durability: Durability) -> Result<u64, LogError> {
        let mut owed = lock(&self.owed);
        self.pay(&mut owed)?;
        self.append(entry, durability)
    }

    /// Adds an entry about what is so already, whether it can be recorded or not. Where it can't, it is owed: added later,
    /// with the time from which it holds as `:SINCE`.
    pub(super) fn keep_or_owe(&self, entry: Form, durability: Durability) -> Result<(), PipelineError> {
        let mut owed = lock(&self.owed);
        let kept = self
            .pay(&mut owed)
            .and_then(|()| self.append(entry.clone(), durability));
        kept.map(drop).map_err(|error| {
            owed.push_back(entry.with("SINCE", now()));
            PipelineError::Owed(error)
        })
    }

    /// Tries again to write what is so already and could not be written: what counts of the standing approvals, what is owed
    /// to the record, what became of plans, what nobody has heard, and the schedule.
    ///
    /// # Errors
    /// When any of it still can't be written; the rest is, and this can be tried again.
    pub fn write_again(&self) -> Result<(), PipelineError> {
        let standing = self.standing().save();
        let owed = self.pay(&mut lock(&self.owed)).map_err(PipelineError::Owed);
        self.tell_again(None);
        let unheard = self.unheard.save_again();
        let schedule = self.services.schedule.as_ref().map_or(Ok(()), |own| own.save_again());
        standing?;
        owed?;
        unheard.and(schedule).map_err(PipelineError::Store)
    }

    /// What the record has. Nothing where it is not at its place: then it can say nothing, however long one waits.
    ///
    /// # Errors
    /// When it can't be read.
    pub(super) fn read_record(&self) -> Result<Option<Vec<Form>>, LogError> {
        match read_entries(&self.record_path()) {
            Err(error) if error.is_missing() => Ok(None),
            read => read.map(Some),
        }
    }

    /// Whether the file of the record is the one that is added to: none has been put in its place, nor was it taken away.
    pub fn is_record_in_place(&self) -> bool {
        lock(&self.record).is_in_place()
    }

    /// Whether the record has all that is so.
    pub(super) fn is_recorded(&self) -> bool {
        lock(&self.owed).is_empty()
    }

    /// Records what is owed before a turn of `session` begins, and tells what is owed to that one, so that its question is not
    /// asked as if that had not been, and that its last request is over. What still can't be is logged. What is owed to others
    /// waits for them, or the heartbeat.
    pub(super) async fn settle_owed(self: &Arc<Core>, session: &Arc<Session>) {
        self.takes_broken_off(session);
        if !self.is_recorded() || self.untold.is_owing() {
            self.settle(session.clone()).await;
        }
        session.say_what_is_over();
        if session.has_left() {
            let own = session.clone();
            let told = self.blocking(move |core| {
                core.tell_never_begun(&own);
                Ok(())
            });
            if let Err(error) = told.await {
                tracing::error!("what was never begun still can't be told: {error}");
            }
        }
    }

    async fn settle(self: &Arc<Core>, session: Arc<Session>) {
        let settled = self.blocking(move |core| {
            let owed = core.pay(&mut lock(&core.owed)).map_err(PipelineError::Owed);
            core.tell_again(Some(session.id()));
            owed
        });
        if let Err(error) = settled.await {
            tracing::error!("what is owed still can't be written: {error}");
        }
    }

    /// Adds what is owed to the record, if anything is.
    ///
    /// # Errors
    /// When it can't be added; then nothing else can be recorded either.
    pub(super) async fn pay_owed(self: &Arc<Core>) -> Result<(), PipelineError> {
        if self.is_recorded() {
            return Ok(());
        }
        self.blocking(|core| Ok(core.pay(&mut lock(&core.owed))?)).await
    }

    fn pay(&self, owed: &mut Owed) -> Result<(), LogError> {
        while let Some(entry) = owed.front() {
            self.append(entry.clone(), Durability::Synced)?;
            owed.pop_front();
        }
        Ok(())
    }

    fn append(&self, entry: Form, durability: Durability) -> Result<u64, LogError> {
        let redacted = self.secrets.now().redact(&entry);
        let entry = match redacted {
            Some(form) => form.with("REDACTED", true),
            None => entry,
        };
        lock(&self.record).append(entry, &now(), durability)
    }
}
