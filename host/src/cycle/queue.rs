//! The turns that wait in a session for the one that runs.

use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::session::Session;
use super::turn::Job;
use crate::sexp::{Form, Text};

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
    /// How many [hold](Held) the session.
    holders: usize,
}

/// A turn that runs or waits.
#[derive(Debug)]
pub(super) struct Queued {
    /// What its client named it.
    pub(super) request: Option<Form>,
    /// What was asked for, if a person did.
    pub(super) named: Option<Text>,
    /// Stops it.
    pub(super) cancel: CancellationToken,
}

impl Queued {
    /// What it is for, in words.
    pub(super) fn told(&self) -> Text {
        let of_nobody = || "what no person asked for".into();
        self.named.clone().unwrap_or_else(of_nobody)
    }
}

impl Queue {
    /// One that gives its turns to `sender`.
    pub(super) fn to(sender: mpsc::Sender<Job>) -> Queue {
        Queue {
            sender: Some(sender),
            turns: VecDeque::new(),
            ending: false,
            holders: 0,
        }
    }

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

/// A session that is not put away as long as this lives, for whoever works on it outside its turns: what has been put away
/// may have been opened anew, and two would add to one file without knowing of each other.
#[derive(Debug)]
pub struct Held {
    session: Arc<Session>,
}

impl Deref for Held {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.session.queue().holders -= 1;
    }
}

impl Session {
    /// Holds it; nothing where it was put away already, and has to be found again.
    pub fn hold(self: Arc<Session>) -> Option<Held> {
        let mut queue = self.queue();
        queue.sender.as_ref()?;
        queue.holders += 1;
        drop(queue);
        Some(Held { session: self })
    }

    /// Takes no more turns, if none is left and nobody holds it. Says whether it does so.
    pub(super) fn put_away(&self) -> bool {
        let mut queue = self.queue();
        let may = queue.is_idle() && queue.holders == 0;
        if may {
            queue.sender = None;
        }
        may
    }

    /// Whether a turn that is queued now has to wait.
    pub fn is_busy(&self) -> bool {
        !self.queue().turns.is_empty()
    }

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
        // Behind a turn of which only the end has still to be told it begins at once.
        if !queue.turns.is_empty() {
            job.kept = self.keep_waiting(&job.entry)?;
        }
        let queued = Queued {
            request: job.meta.request_id.clone(),
            named: job.entry.named(),
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use std::sync::Arc;

    use crate::audit::Writes;
    use crate::cycle::{Owner, Sessions};
    use crate::signal::SessionId;

    #[test]
    fn a_session_that_somebody_works_on_is_not_put_away_and_one_that_was_can_be_worked_on_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let sessions = Sessions::new(folder.path(), 10, Writes::default());
        let id = SessionId::random().unwrap();
        let own = sessions.create(id, Owner::Operator).unwrap().session;
        let (first, second) = (own.clone().hold().unwrap(), own.clone().hold().unwrap());
        let is_kept = || {
            sessions.put_away(id);
            sessions.all().iter().any(|open| Arc::ptr_eq(open, &own))
        };
        assert!(is_kept());
        drop(first);
        assert!(is_kept(), "one of two holds it still");
        drop(second);
        assert!(!is_kept());
        assert!(own.clone().hold().is_none(), "it may be open anew by now");
        let anew = sessions.find(id).unwrap().unwrap().session;
        assert!(!Arc::ptr_eq(&anew, &own) && anew.hold().is_some());
    }
}
