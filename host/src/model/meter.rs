//! What a question costs, as it becomes known: also where the answer is of no use, or nobody waits for its end.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Written by whoever reads an answer, read by whoever pays for it.
#[derive(Debug, Default)]
pub struct Meter(Mutex<Consumed>);

/// What is known of the cost of one question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Consumed {
    /// Tokens of what was asked, where the server has told.
    pub input_tokens: Option<u64>,
    /// Tokens of what was answered, where the server has told.
    pub output_tokens: Option<u64>,
    /// Bytes of text and calls that came.
    pub bytes: usize,
}

impl Meter {
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
