//! The body of an answer: one JSON object, or a stream of events, read within a bound as it arrives.
//!
//! What is no answer in any dialect is told apart here: a web page, nothing at all, a stream that stops.

use super::dialect::Dialect;
use super::partial::{Completion, Partial};
use crate::model::{Consumed, ProviderError};

/// How many bytes may travel for one byte of answer. A stream wraps each word in some hundred bytes of JSON, and both
/// forms may carry the model's thoughts, which are not kept.
const OVERHEAD_STREAM: usize = 128;
const OVERHEAD_JSON: usize = 8;

/// The same for what is understood as one: a line of a stream, which is held whole until it has ended.
const OVERHEAD_LINE: usize = 8;

/// Least that is read whatever the bound on the answer: the wrapping of a short answer.
const LEAST: usize = 64 << 10;

/// Whether more of the body is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// It is.
    Incomplete,
    /// The stream has said that it is over, whether or not the connection stays open.
    Complete,
}

/// Reads an answer as it comes.
pub(super) struct Reader {
    dialect: &'static dyn Dialect,
    form: Form,
    /// Bytes that may still travel.
    allowance: usize,
    /// What has come and has not been understood yet: everything, or the last line.
    pending: Vec<u8>,
    /// Longest line of a stream.
    longest: usize,
    /// Bytes that came and could not be understood.
    unread: usize,
    answer: Partial,
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Json,
    Stream,
    Html,
}

impl Reader {
    /// For a body of this type; text and calls of the answer may have `limit` bytes.
    pub(super) fn new(dialect: &'static dyn Dialect, content_type: &str, limit: usize) -> Reader {
        let kind = content_type.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
        let (form, overhead) = match kind.as_str() {
            "text/event-stream" => (Form::Stream, OVERHEAD_STREAM),
            "text/html" | "application/xhtml+xml" => (Form::Html, OVERHEAD_JSON),
            _ => (Form::Json, OVERHEAD_JSON),
        };
        Reader {
            dialect,
            form,
            allowance: limit.saturating_mul(overhead).max(LEAST),
            pending: Vec::new(),
            longest: limit.saturating_mul(OVERHEAD_LINE).max(LEAST),
            unread: 0,
            answer: Partial::new(limit),
        }
    }

    /// Takes the next bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<Body, ProviderError> {
        match self.form {
            Form::Html => return Err(ProviderError::Html),
            Form::Json if self.pending.is_empty() && bytes.trim_ascii_start().starts_with(b"<") => {
                return Err(ProviderError::Html);
            }
            _ => {}
        }
        let Some(left) = self.allowance.checked_sub(bytes.len()) else {
            self.unread = self.unread.saturating_add(bytes.len());
            return Err(self.answer.too_large());
        };
        self.allowance = left;
        if self.form == Form::Json {
            self.pending.extend_from_slice(bytes);
            return Ok(Body::Incomplete);
        }
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.pending.extend_from_slice(piece);
            if self.pending.len() > self.longest {
                return Err(self.answer.too_large());
            }
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.pending);
                self.line(&line)?;
            }
            if self.answer.done {
                return Ok(Body::Complete);
            }
        }
        Ok(Body::Incomplete)
    }

    /// What the answer costs, as far as that is known. What has not been understood, yet or at all, was answered too.
    pub(super) fn consumed(&self) -> Consumed {
        let known = self.answer.consumed();
        let other = self.unread.saturating_add(self.pending.len());
        Consumed {
            bytes: known.bytes.saturating_add(other),
            ..known
        }
    }

    /// The body is over: the rest of it is read.
    pub(super) fn end(&mut self) -> Result<(), ProviderError> {
        let rest = std::mem::take(&mut self.pending);
        match self.form {
            Form::Html => return Err(ProviderError::Html),
            Form::Json if rest.trim_ascii().is_empty() => return Err(ProviderError::Empty),
            Form::Json => {
                // What came in one piece has come to its end, whatever it says of that.
                self.answer.done = true;
                let outcome = self.dialect.whole(&rest, &mut self.answer);
                self.understood(outcome, rest.len())?;
            }
            Form::Stream => {
                self.line(&rest)?;
                if !self.answer.has_ended() {
                    return Err(ProviderError::Closed {
                        problem: "the stream stopped without an end mark".to_owned(),
                    });
                }
            }
        }
        Ok(())
    }

    /// What it has come to.
    pub(super) fn finish(self) -> Result<Completion, ProviderError> {
        self.answer.finish()
    }

    /// One line of the stream. Everything but data (comments, event names, blank lines) means nothing here.
    fn line(&mut self, line: &[u8]) -> Result<(), ProviderError> {
        match line.strip_prefix(b"data:").map(<[u8]>::trim_ascii) {
            Some(data) if !data.is_empty() => {
                let outcome = self.dialect.event(data, &mut self.answer);
                self.understood(outcome, data.len())
            }
            _ => Ok(()),
        }
    }

    /// Notes whether so many bytes could be read.
    fn understood(&mut self, outcome: Result<(), ProviderError>, bytes: usize) -> Result<(), ProviderError> {
        if matches!(outcome, Err(ProviderError::NotJson { .. })) {
            self.unread = self.unread.saturating_add(bytes);
        }
        outcome
    }
}

/// What is no JSON, or another one, as an error. `whole` says what it should have been.
pub(in crate::model) fn unreadable(cause: &serde_json::Error, whole: &str) -> ProviderError {
    let problem = if cause.is_eof() {
        "it is half a JSON: it ends in the middle".to_owned()
    } else if cause.is_data() {
        format!("it is JSON, but no {whole}: {cause}")
    } else {
        format!("it is no JSON: {cause}")
    };
    ProviderError::NotJson { problem }
}
