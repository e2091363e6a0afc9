//! Turns: what a client starts, with all its feedback, until the last answer.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::session::Session;
use crate::gate::Approval;
use crate::gate::approval::Plan;
use crate::sexp::Form;
use crate::signal::frames::Upshot;
use crate::signal::{Meta, Signal};
use crate::skill::SkillSet;

/// One turn that waits in a session's queue.
#[derive(Debug)]
pub struct Job {
    /// What starts it.
    pub entry: Entry,
    /// Who is told how it ends.
    pub meta: Meta,
    /// Stops it.
    pub cancel: CancellationToken,
}

impl Job {
    /// A turn that nothing has stopped yet.
    pub fn new(entry: Entry, meta: Meta) -> Job {
        Job {
            entry,
            meta,
            cancel: CancellationToken::new(),
        }
    }
}

/// What starts a turn, or goes on with it.
#[derive(Debug)]
pub enum Entry {
    /// A signal to perceive.
    Signal(Signal),
    /// A signal once more, whose cycle failed before anything was carried out, or before which a turn was stopped.
    Again(Signal),
    /// A proposal that a person typed, and the signal it came in.
    Proposal(Form, Signal),
    /// A plan that a person approved.
    Approved(Box<Plan>, Approval),
    /// A plan that a person denied.
    Denied(Box<Plan>),
    /// Go on where the last turn was stopped, for its depth or for repeating itself.
    Continue,
}

/// Who stopped a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopper {
    /// A person, who knows.
    Person,
    /// The daemon, which ends.
    Daemon,
}

impl Stopper {
    /// As the subject of a sentence.
    pub(super) fn name(self) -> &'static str {
        match self {
            Stopper::Person => "the person",
            Stopper::Daemon => "the end of the daemon",
        }
    }
}

/// What a cycle runs in.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    /// Its conversation.
    pub(super) session: &'a Arc<Session>,
    /// The skills that it began with.
    pub(super) set: &'a Arc<SkillSet>,
    /// What stops its turn.
    pub(super) cancel: &'a CancellationToken,
}

/// What became of what a turn set out to do, so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TurnUpshot {
    upshot: Option<Upshot>,
    kept: bool,
    last: Option<Upshot>,
}

impl TurnUpshot {
    /// Takes note of another one, unless that of before is kept.
    pub(super) fn became(&mut self, upshot: Upshot) {
        self.last = Some(upshot);
        if !self.kept {
            self.upshot = Some(upshot);
        }
    }

    /// Takes note of no other one.
    pub(super) fn keep(&mut self) {
        self.kept = true;
    }

    pub(super) fn upshot(self) -> Option<Upshot> {
        self.upshot
    }

    /// The one that was noted last, whichever is kept.
    pub(super) fn last(self) -> Option<Upshot> {
        self.last
    }
}
