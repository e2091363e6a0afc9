//! The turns that wait in a session for the one that runs.

use std::collections::VecDeque;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::session::Session;
use super::turn::Job;
use crate::sexp::Form;

/// How many turns may wait in one session: a client that sends faster than a model answers is told so.
pub(super) const QUEUE: usize = 64;

/// The way to whoever works the turns off, until the session is put away, and what stops each turn that has not ended
/// yet, in order: the first one is running, or is the next to run.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) sender: Option<mpsc::Sender<Job>>,
    pub(super) turns: VecDeque<Queued>,
    /// Whether the end of a turn has still to be told.
    pub(super) ending: bool,
}

/// A turn that runs or waits.
#[derive(Debug)]
pub(super) struct Queued {
    /// What its client named it.
    pub(super) request: Option<Form>,
    /// Stops it.
    pub(super) cancel: CancellationToken,
}

impl Queue {
    pub(super) fn is_idle(&self) -> bool {
        self.turns.is_empty() && !self.ending
    }
}

/// Why a turn can't be queued.
#[derive(Debug, thiserror::Error)]
pub enum NotQueued {
    /// Too many wait already.
    #[error("this session has {QUEUE} turns waiting already; wait for one to end, or send /stop")]
    Full,
    /// It would have to wait, and could not be kept so that it is there after a kill.
    #[error("it was not taken, because it would have to wait and could not be kept until its turn: {0}")]
    NotKept(String),
    /// The session was put away; find it again.
    #[error("this session was just put away; send it again")]
    PutAway(Box<Job>),
}

impl Session {
    /// Queues a turn. A request that has to wait is kept first, so that it is there after a kill. Blocks then.
    ///
    /// # Errors
    /// When too many wait already, it can't be kept, or the session has been put away.
    pub fn enqueue(&self, mut job: Job) -> Result<(), NotQueued> {
        let mut queue = self.queue();
        let Some(sender) = queue.sender.as_ref().filter(|sender| !sender.is_closed()) else {
            return Err(NotQueued::PutAway(Box::new(job)));
        };
        // Others only take: there is room still when it has been kept.
        if sender.capacity() == 0 {
            return Err(NotQueued::Full);
        }
        if !queue.is_idle() {
            job.kept = self.keep_waiting(&job.entry)?;
        }
        let queued = Queued {
            request: job.meta.request_id.clone(),
            cancel: job.cancel.clone(),
        };
        match sender.try_send(job) {
            Ok(()) => {
                queue.turns.push_back(queued);
                Ok(())
            }
            Err(mpsc::error::TrySendError::Full(_)) => Err(NotQueued::Full),
            Err(mpsc::error::TrySendError::Closed(job)) => Err(NotQueued::PutAway(Box::new(job))),
        }
    }
}
