//! The body of an answer: one JSON object, or a stream of events, read within a bound as it arrives.
//!
//! What is no answer in any dialect is told apart here: a web page, nothing at all, a stream that stops. Which of the forms it
//! is, the first bytes say: servers call one by the other's name.

use super::dialect::Dialect;
use super::events::Events;
use super::partial::{Completion, Partial};
use super::surrogates;
use crate::model::{Consumed, ProviderError};

/// How many bytes may travel for one byte of answer. A stream wraps each word in some hundred bytes of JSON, and both
/// forms may carry the model's thoughts, which are not kept.
const OVERHEAD_STREAM: usize = 128;
const OVERHEAD_JSON: usize = 8;

/// The same for what is understood as one: a line of a stream, which is held whole until it has ended.
const OVERHEAD_LINE: usize = 8;

/// Least that is read whatever the bound on the answer: the wrapping of a short answer.
const LEAST: usize = 64 << 10;

/// What may stand before a text in UTF-8, and is none of it.
const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// What a stream of events begins with.
const FIELDS: [&[u8]; 5] = [b"data", b"event:", b"id:", b"retry:", b":"];

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
    /// Whether it is called a stream.
    is_called_stream: bool,
    /// Longest text and calls of the answer, in bytes.
    limit: usize,
    /// Bytes that have travelled.
    received: usize,
    /// What has come in one piece and has not been understood yet, or what does not say yet which form it is.
    pending: Vec<u8>,
    events: Events,
    /// Bytes that came and could not be understood.
    unread: usize,
    answer: Partial,
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// Not known yet.
    Untold,
    Json,
    Stream,
    Html,
}

impl Reader {
    /// For a body of this type; text and calls of the answer may have `limit` bytes.
    pub(super) fn new(dialect: &'static dyn Dialect, content_type: &str, limit: usize) -> Reader {
        let kind = content_type.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
        let form = match kind.as_str() {
            "text/html" | "application/xhtml+xml" => Form::Html,
            _ => Form::Untold,
        };
        Reader {
            dialect,
            form,
            is_called_stream: kind == "text/event-stream",
            limit,
            received: 0,
            pending: Vec::new(),
            events: Events::default(),
            unread: 0,
            answer: Partial::new(limit),
        }
    }

    /// How many bytes may travel, and be held.
    fn bounds(&self) -> (usize, usize) {
        let bound = |overhead| self.limit.saturating_mul(overhead).max(LEAST);
        let is_stream = self.form == Form::Stream || (self.form == Form::Untold && self.is_called_stream);
        let all = bound(if is_stream { OVERHEAD_STREAM } else { OVERHEAD_JSON });
        (all, bound(OVERHEAD_LINE))
    }

    /// Takes the next bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<Body, ProviderError> {
        if self.form == Form::Html {
            return Err(ProviderError::Html);
        }
        self.received = self.received.saturating_add(bytes.len());
        if self.received > self.bounds().0 {
            self.unread = self.unread.saturating_add(bytes.len());
            return Err(self.answer.too_large());
        }
        match self.form {
            Form::Stream => self.take(bytes),
            Form::Json => {
                self.pending.extend_from_slice(bytes);
                Ok(Body::Incomplete)
            }
            Form::Html | Form::Untold => {
                self.pending.extend_from_slice(bytes);
                self.tell(false)
            }
        }
    }

    /// Finds out by its first bytes which form it is, if they say so; at the `end` there will be no others.
    fn tell(&mut self, end: bool) -> Result<Body, ProviderError> {
        let (begun, is_cut_mark) = match self.pending.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) => (rest, false),
            None => (self.pending.as_slice(), BYTE_ORDER_MARK.starts_with(&self.pending)),
        };
        let first = begun.trim_ascii_start();
        let fields = || FIELDS.iter();
        let may_be_field = !end && fields().any(|field| field.starts_with(first));
        self.form = match first.first() {
            None if !end => return Ok(Body::Incomplete),
            _ if is_cut_mark && !end => return Ok(Body::Incomplete),
            Some(b'<') => return Err(ProviderError::Html),
            Some(b'{' | b'[' | b'"') => Form::Json,
            _ if self.is_called_stream || fields().any(|field| first.starts_with(field)) => Form::Stream,
            _ if may_be_field => return Ok(Body::Incomplete),
            _ => Form::Json,
        };
        let begun = begun.to_vec();
        self.pending.clear();
        if self.form == Form::Stream {
            return self.take(&begun);
        }
        self.pending = begun;
        Ok(Body::Incomplete)
    }

    /// Takes the next bytes of a stream.
    fn take(&mut self, bytes: &[u8]) -> Result<Body, ProviderError> {
        let longest = self.bounds().1;
        for byte in bytes {
            if let Some(data) = self.events.take(*byte) {
                self.event(&data)?;
            }
            if self.events.held() > longest {
                return Err(self.answer.too_large());
            }
            if self.answer.done {
                return Ok(Body::Complete);
            }
        }
        Ok(Body::Incomplete)
    }

    /// Whether the answer has come to its end, though the body may not have.
    pub(super) fn has_ended(&self) -> bool {
        self.answer.has_ended()
    }

    /// What the answer costs, as far as that is known. What has not been understood, yet or at all, was answered too.
    pub(super) fn consumed(&self) -> Consumed {
        let known = self.answer.consumed();
        let other = self.unread + self.pending.len() + self.events.held();
        Consumed {
            bytes: known.bytes.saturating_add(other),
            ..known
        }
    }

    /// The body is over: the rest of it is read.
    pub(super) fn end(&mut self) -> Result<(), ProviderError> {
        if self.form == Form::Untold {
            self.tell(true)?;
        }
        match self.form {
            Form::Html => return Err(ProviderError::Html),
            Form::Json | Form::Untold => {
                let rest = std::mem::take(&mut self.pending);
                if rest.trim_ascii().is_empty() {
                    return Err(ProviderError::Empty);
                }
                // What came in one piece has come to its end, whatever it says of that.
                self.answer.done = true;
                let outcome = self.dialect.whole(&surrogates::marked(&rest), &mut self.answer);
                self.understood(outcome, rest.len())?;
            }
            Form::Stream => {
                for data in self.events.end() {
                    self.event(&data)?;
                }
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

    /// One event of the stream.
    fn event(&mut self, data: &[u8]) -> Result<(), ProviderError> {
        let outcome = self.dialect.event(&surrogates::marked(data), &mut self.answer);
        self.understood(outcome, data.len())
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
