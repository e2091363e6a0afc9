//! What a question costs, as it becomes known: also where the answer is of no use, or nobody waits for its end.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most tokens of a question or an answer that a server is believed to have counted: no context is larger than some
/// millions, and one wrong figure must not lock a day whose bound could be raised.
pub(super) const MOST_TOLD: u64 = 10_000_000;

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

    /// So much is known now.
    pub fn note(&self, consumed: Consumed) {
        *self.lock() = consumed;
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
