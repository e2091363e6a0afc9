//! An answer as far as it has come, within its bound.

use super::calls::{Calls, Piece};
use super::surrogates::settled;
use super::thoughts::{Thoughts, without_unopened};
use crate::model::{Consumed, NativeCall, ProviderError};

/// What one call counts for beside its own text, in bytes, so that calls without end are no way round the bound.
const CALL: usize = 64;

/// Most calls of one answer. Nobody proposes as many, and each piece of an answer is held against all of them.
const MOST_CALLS: usize = 128;

/// What a piece counts at least, so that empty ones without end are no way round the bound either.
const PIECE: usize = 1;

/// What has been put together so far.
pub(in crate::model) struct Partial {
    limit: usize,
    used: usize,
    consumed: Consumed,
    text: String,
    thoughts: Thoughts,
    calls: Calls,
    end: Option<End>,
    /// Whether the stream has said that it is over, whether or not the connection stays open.
    pub(in crate::model) done: bool,
}

enum End {
    Whole,
    Cut(String),
}

/// What the server answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Completion {
    pub(super) text: String,
    pub(super) calls: Vec<NativeCall>,
}

impl Partial {
    /// Of an answer that may have `limit` bytes of text and calls.
    pub(super) fn new(limit: usize) -> Partial {
        Partial {
            limit,
            used: 0,
            consumed: Consumed::default(),
            text: String::new(),
            thoughts: Thoughts::default(),
            calls: Calls::default(),
            end: None,
            done: false,
        }
    }

    /// Adds text, which may begin with thoughts.
    ///
    /// # Errors
    /// When it passes the bound.
    pub(in crate::model) fn say(&mut self, text: &str) -> Result<(), ProviderError> {
        let sorted = self.thoughts.sort(text);
        self.think(sorted.thoughts);
        self.count(sorted.answer.len(), 0)?;
        self.text.push_str(&sorted.answer);
        Ok(())
    }

    /// Adds a piece of a call.
    ///
    /// # Errors
    /// When it passes the bound.
    pub(in crate::model) fn call(&mut self, piece: &Piece<'_>) -> Result<(), ProviderError> {
        match self.calls.continued_by(piece) {
            Some(at) => {
                self.count(piece.name.len() + piece.arguments.len(), 0)?;
                self.calls.go_on(at, piece);
                Ok(())
            }
            None => self.begin_call(piece),
        }
    }

    /// Begins a call where the dialect says that one begins, whatever its number and identifier are.
    ///
    /// # Errors
    /// When it passes the bound.
    pub(in crate::model) fn begin_call(&mut self, piece: &Piece<'_>) -> Result<(), ProviderError> {
        self.count(piece.name.len() + piece.arguments.len(), CALL + piece.id.len())?;
        if self.calls.len() >= MOST_CALLS {
            return Err(ProviderError::NotJson {
                problem: format!("it calls more than {MOST_CALLS} tools"),
            });
        }
        self.calls.begin(piece);
        Ok(())
    }

    /// The model thought so many bytes. They cost what text costs, and are not kept.
    pub(in crate::model) fn think(&mut self, bytes: usize) {
        self.consumed.bytes = self.consumed.bytes.saturating_add(bytes);
    }

    /// The server tells tokens. What it tells later replaces what it told before; what it does not tell again stays. What
    /// it tells before the answer's end is where its count stood then.
    pub(in crate::model) fn cost(&mut self, input: Option<u64>, output: Option<u64>) {
        let ended = self.has_ended();
        let known = &mut self.consumed;
        known.input_tokens = input.or(known.input_tokens);
        known.output_tokens = output.or(known.output_tokens);
        known.is_final |= ended && output.is_some();
    }

    /// What it costs, as far as that is known.
    pub(super) fn consumed(&self) -> Consumed {
        let held = self.thoughts.held();
        Consumed {
            bytes: self.consumed.bytes.saturating_add(held),
            ..self.consumed
        }
    }

    /// The server says that the answer is whole. What was cut off stays so, whatever it says later.
    pub(in crate::model) fn is_whole(&mut self) {
        self.end.get_or_insert(End::Whole);
    }

    /// The server says that the answer was cut off.
    pub(in crate::model) fn was_cut(&mut self, reason: impl Into<String>) {
        self.end = Some(End::Cut(reason.into()));
    }

    /// Whether the server has said that the answer has an end.
    pub(super) fn has_ended(&self) -> bool {
        self.done || self.end.is_some()
    }

    pub(super) fn too_large(&self) -> ProviderError {
        ProviderError::TooLarge { limit: self.limit }
    }

    /// What it has come to.
    ///
    /// # Errors
    /// When that is no answer.
    pub(super) fn finish(self) -> Result<Completion, ProviderError> {
        if let Some(End::Cut(reason)) = self.end {
            let reason = settled(reason);
            return Err(ProviderError::CutOff { reason });
        }
        let text = without_unopened(settled(self.text + &self.thoughts.rest()));
        if text.trim().is_empty() && self.calls.is_empty() {
            return Err(ProviderError::Empty);
        }
        let calls = self.calls.finish();
        Ok(Completion { text, calls })
    }

    /// Counts a piece of so many bytes, and what it takes beside them.
    fn count(&mut self, bytes: usize, beside: usize) -> Result<(), ProviderError> {
        self.consumed.bytes = self.consumed.bytes.saturating_add(bytes);
        self.used = self.used.saturating_add(bytes.saturating_add(beside).max(PIECE));
        if self.used > self.limit {
            return Err(self.too_large());
        }
        Ok(())
    }
}
