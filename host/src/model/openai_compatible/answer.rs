//! The answer: one JSON object, or a stream of events, read within a bound as it arrives.
//!
//! What is no answer is told apart here: a web page, half a JSON, an error inside a 200, an answer without text, one
//! that was cut off.

use serde::Deserialize;

use crate::model::{ProviderError, Usage};

/// How many bytes may travel for one byte of answer. A stream wraps each word in some hundred bytes of JSON, and both
/// forms may carry the model's thoughts, which are not kept.
const OVERHEAD_STREAM: usize = 128;
const OVERHEAD_JSON: usize = 8;

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

/// What the server answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Completion {
    pub(super) text: String,
    pub(super) usage: Option<Usage>,
}

/// Reads an answer as it comes.
pub(super) struct Reader {
    form: Form,
    limit: usize,
    /// Bytes that may still travel.
    allowance: usize,
    /// What has come and has not been understood yet: everything, or the last line.
    pending: Vec<u8>,
    answer: Partial,
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Json,
    Stream,
    Html,
}

/// What has been put together so far.
#[derive(Default)]
struct Partial {
    text: String,
    finish: Option<String>,
    usage: Option<Usage>,
    done: bool,
}

impl Reader {
    /// For a body of this type; the answer's text may have `limit` bytes.
    pub(super) fn new(content_type: &str, limit: usize) -> Reader {
        let kind = content_type.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
        let (form, overhead) = match kind.as_str() {
            "text/event-stream" => (Form::Stream, OVERHEAD_STREAM),
            "text/html" | "application/xhtml+xml" => (Form::Html, OVERHEAD_JSON),
            _ => (Form::Json, OVERHEAD_JSON),
        };
        let allowance = limit.saturating_mul(overhead).max(LEAST);
        Reader {
            form,
            limit,
            allowance,
            pending: Vec::new(),
            answer: Partial::default(),
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
        self.allowance = self
            .allowance
            .checked_sub(bytes.len())
            .ok_or_else(|| self.too_large())?;
        if self.form == Form::Json {
            self.pending.extend_from_slice(bytes);
            return Ok(Body::Incomplete);
        }
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.pending.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.pending);
                self.event(&line)?;
            }
            if self.answer.done {
                return Ok(Body::Complete);
            }
        }
        Ok(Body::Incomplete)
    }

    /// The body is over.
    pub(super) fn finish(mut self) -> Result<Completion, ProviderError> {
        match self.form {
            Form::Html => return Err(ProviderError::Html),
            Form::Json => self.object()?,
            Form::Stream => {
                let line = std::mem::take(&mut self.pending);
                self.event(&line)?;
                if !self.answer.done && self.answer.finish.is_none() {
                    return Err(ProviderError::Closed {
                        problem: "the stream stopped without an end mark".to_owned(),
                    });
                }
            }
        }
        let Partial {
            text, finish, usage, ..
        } = self.answer;
        match finish.as_deref() {
            Some("length") => Err(ProviderError::CutOff {
                reason: "it reached the model's limit on tokens (finish_reason length)".to_owned(),
            }),
            Some("content_filter") => Err(ProviderError::CutOff {
                reason: "the provider's content filter withheld it (finish_reason content_filter)".to_owned(),
            }),
            _ if text.trim().is_empty() => Err(ProviderError::Empty),
            _ => Ok(Completion { text, usage }),
        }
    }

    /// The whole body as one JSON object.
    fn object(&mut self) -> Result<(), ProviderError> {
        if self.pending.trim_ascii().is_empty() {
            return Err(ProviderError::Empty);
        }
        let body = std::mem::take(&mut self.pending);
        let chunk: Chunk = serde_json::from_slice(&body).map_err(|cause| unreadable(&cause))?;
        self.add(chunk)
    }

    /// One line of the stream. Everything but data (comments, event names, blank lines) means nothing here.
    fn event(&mut self, line: &[u8]) -> Result<(), ProviderError> {
        let Some(data) = line.strip_prefix(b"data:") else {
            return Ok(());
        };
        let data = data.trim_ascii();
        if data == b"[DONE]" {
            self.answer.done = true;
        } else if !data.is_empty() {
            let chunk: Chunk = serde_json::from_slice(data).map_err(|cause| unreadable(&cause))?;
            self.add(chunk)?;
        }
        Ok(())
    }

    fn add(&mut self, chunk: Chunk) -> Result<(), ProviderError> {
        if let Some(error) = chunk.error {
            return Err(error.into_status());
        }
        if let Some(usage) = chunk.usage {
            self.answer.usage = Some(Usage {
                input_tokens: usage.prompt_tokens,
                output_tokens: usage.completion_tokens,
            });
        }
        // More than one choice is never asked for.
        let Some(choice) = chunk.choices.into_iter().flatten().next() else {
            return Ok(());
        };
        if choice.finish_reason.is_some() {
            self.answer.finish = choice.finish_reason;
        }
        let Some(said) = choice.message.or(choice.delta) else {
            return Ok(());
        };
        // A model's own refusal is an answer: prose, for the person.
        for text in said.content.map(Content::into_text).into_iter().chain(said.refusal) {
            if self.answer.text.len() + text.len() > self.limit {
                return Err(self.too_large());
            }
            self.answer.text.push_str(&text);
        }
        Ok(())
    }

    fn too_large(&self) -> ProviderError {
        ProviderError::TooLarge { limit: self.limit }
    }
}

/// Both the object and one event of a stream: they differ in `message` and `delta` only.
#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    #[serde(default)]
    usage: Option<WireUsage>,
    #[serde(default)]
    error: Option<WireError>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    message: Option<Said>,
    #[serde(default)]
    delta: Option<Said>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Said {
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    refusal: Option<String>,
}

/// Text, or a list of parts, as some servers have it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: Option<String>,
}

impl Content {
    fn into_text(self) -> String {
        match self {
            Content::Text(text) => text,
            Content::Parts(parts) => parts.into_iter().filter_map(|part| part.text).collect(),
        }
    }
}

#[derive(Deserialize)]
struct WireUsage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

/// An error as an object with a message, or as a bare text.
#[derive(Deserialize)]
#[serde(untagged)]
enum WireError {
    Object {
        #[serde(default)]
        message: Option<String>,
        #[serde(default)]
        code: Option<serde_json::Value>,
        #[serde(default)]
        param: Option<String>,
    },
    Text(String),
}

impl WireError {
    fn message(&self) -> &str {
        match self {
            WireError::Object { message, .. } => message.as_deref().unwrap_or(""),
            WireError::Text(text) => text,
        }
    }

    /// An error inside an answer that began as a success: with the status it names, if that is one.
    fn into_status(self) -> ProviderError {
        let code = match &self {
            WireError::Object { code: Some(code), .. } => code.as_u64().and_then(|code| u16::try_from(code).ok()),
            _ => None,
        };
        let code = code.filter(|code| (400..600).contains(code)).unwrap_or(500);
        ProviderError::Status {
            code,
            message: self.message().to_owned(),
            retry_after: None,
        }
    }
}

/// What a server says in the body of an error: its message, or the body's beginning where it is no JSON of that kind.
pub(super) fn error_message(body: &[u8]) -> String {
    if let Ok(Chunk { error: Some(error), .. }) = serde_json::from_slice::<Chunk>(body) {
        return error.message().to_owned();
    }
    let text = String::from_utf8_lossy(body);
    // A proxy's error page says nothing that the status does not.
    if text.trim_start().starts_with('<') {
        String::new()
    } else {
        text.into_owned()
    }
}

/// Whether an error's body says that streaming is what the server won't do.
pub(super) fn refuses_stream(body: &[u8]) -> bool {
    match serde_json::from_slice::<Chunk>(body) {
        Ok(Chunk {
            error: Some(WireError::Object { param: Some(param), .. }),
            ..
        }) => param.starts_with("stream"),
        _ => String::from_utf8_lossy(body).contains("stream_options"),
    }
}

fn unreadable(cause: &serde_json::Error) -> ProviderError {
    let problem = if cause.is_eof() {
        "it is half a JSON: it ends in the middle".to_owned()
    } else if cause.is_data() {
        format!("it is JSON, but no chat completion: {cause}")
    } else {
        format!("it is no JSON: {cause}")
    };
    ProviderError::NotJson { problem }
}
