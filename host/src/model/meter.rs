//! What a question costs, as it becomes known: also where the answer is of no use, or nobody waits for its end.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most tokens of a question or an answer that a server is believed to have counted, whatever was sent: no context is
/// larger than some millions, and one wrong figure must not lock a day whose bound could be raised.
const MOST_TOLD: u64 = 10_000_000;

/// Bytes of text that are counted as a token where nobody tells how many there were: what English has on average.
const BYTES_A_TOKEN: usize = 4;

/// Most tokens of a question that no byte of the request stands for: what a template of the server's puts around it. Those
/// that are known to explain tools to a model take some hundred.
const TEMPLATE: u64 = 4_096;

/// Written by whoever reads an answer, read by whoever pays for it.
#[derive(Debug, Default)]
pub struct Meter {
    consumed: Mutex<Consumed>,
    bounded: bool,
}

/// What is known of the cost of one question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Consumed {
    /// Tokens of what was asked, where the server has told.
    pub input_tokens: Option<u64>,
    /// Tokens of what was answered, where the server has told.
    pub output_tokens: Option<u64>,
    /// Whether it has told them of the whole answer, and not of what had been answered by then.
    pub is_final: bool,
    /// Bytes of text, thoughts and calls that came, and of what came and could not be read.
    pub bytes: usize,
    /// What the server was sent, which the meter keeps beside what is noted.
    pub sent: Sent,
}

/// What a server was sent: it bounds what there can have been to count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Bytes of the whole request, where they are known.
    pub bytes: Option<usize>,
    /// The longest answer, in tokens, where the server was told one.
    pub limit: Option<u64>,
}

/// What a count is worth that a server may have told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// It told none.
    Untold,
    /// It may be true.
    Tokens(u64),
    /// It is more than can be.
    Impossible,
}

impl Figure {
    fn of(told: Option<u64>, most: u64) -> Figure {
        match told {
            None => Figure::Untold,
            Some(told) if told <= most.min(MOST_TOLD) => Figure::Tokens(told),
            Some(_) => Figure::Impossible,
        }
    }
}

impl Consumed {
    /// Tokens of what was asked. No token is less than a byte of the request, which holds more than the question, or else
    /// it is the template's.
    pub fn asked(&self) -> Figure {
        let most = self.sent.bytes.map(|bytes| (bytes as u64).saturating_add(TEMPLATE));
        Figure::of(self.input_tokens, most.unwrap_or(MOST_TOLD))
    }

    /// Tokens of what was answered. Thoughts that are not shown count, so that a short answer may have cost all of the
    /// limit; where more came than that, its server keeps no limit, and what came is the measure.
    pub fn answered(&self) -> Figure {
        let most = self.sent.limit.map(|limit| limit.max(tokens_in(self.bytes)));
        Figure::of(self.output_tokens, most.unwrap_or(MOST_TOLD))
    }
}

/// Tokens of so many bytes, where nobody tells.
pub(super) fn tokens_in(bytes: usize) -> u64 {
    bytes.div_ceil(BYTES_A_TOKEN) as u64
}

impl Meter {
    /// One for a question that, where `bounded`, must not cost more than was put aside for it.
    pub fn new(bounded: bool) -> Meter {
        Meter {
            bounded,
            ..Meter::default()
        }
    }

    /// Whether it may only be asked of a server that takes a bound on its answer.
    pub fn is_bounded(&self) -> bool {
        self.bounded
    }

    /// This is sent to a server now.
    pub fn send(&self, sent: Sent) {
        self.lock().sent = sent;
    }

    /// So much is known now.
    pub fn note(&self, consumed: Consumed) {
        let mut known = self.lock();
        *known = Consumed {
            sent: known.sent,
            ..consumed
        };
    }

    /// What is known.
    pub fn read(&self) -> Consumed {
        *self.lock()
    }

    /// A poisoned lock only means that a thread died between two plain assignments.
    fn lock(&self) -> MutexGuard<'_, Consumed> {
        self.consumed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
