//! Turns: what a client starts, with all its feedback, until the last answer.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::perceive::said_by;
use super::session::Session;
use crate::gate::Approval;
use crate::gate::approval::Plan;
use crate::sexp::{Form, Text};
use crate::signal::frames::Upshot;
use crate::signal::{Meta, Sensor, Signal};
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
    /// What its session's file calls it, if it waits there.
    pub(super) kept: Option<String>,
}

impl Job {
    /// A turn that nothing has stopped yet.
    pub fn new(entry: Entry, meta: Meta) -> Job {
        Job {
            entry,
            meta,
            cancel: CancellationToken::new(),
            kept: None,
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

impl Entry {
    /// What a person asks for by it, and whether the conversation is told so. Answers to plans and what goes on with a turn ask
    /// for nothing new.
    pub(super) fn asks(&self) -> Option<(Text, bool)> {
        match self {
            Entry::Signal(signal) => match signal.sensor {
                Sensor::UserInput | Sensor::ChatMessage => Some((said_by(signal).1, true)),
                Sensor::ReplEval => {
                    let code = signal.payload.get("CODE").or_else(|| signal.payload.get("TEXT"))?;
                    let text = code.as_text().cloned();
                    Some((text.unwrap_or_else(|| code.to_string().into()), false))
                }
                _ => None,
            },
            Entry::Proposal(form, _) => Some((form.to_string().into(), false)),
            Entry::Again(_) | Entry::Approved(..) | Entry::Denied(_) | Entry::Continue => None,
        }
    }

    /// Which turn it is, for whoever hears of its end later; none where no person began it.
    pub(super) fn named(&self) -> Option<Text> {
        match self {
            Entry::Approved(plan, _) | Entry::Denied(plan) => Some(format!("plan {}", plan.id).into()),
            Entry::Continue => Some("/continue".into()),
            entry => entry.asks().map(|(text, _)| text),
        }
    }
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
