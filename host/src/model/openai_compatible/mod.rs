//! Any server that speaks OpenAI's chat completions, as nearly all do.
//!
//! One request, one answer, every wait bounded: connecting, the first byte, silences, the whole; and the answer's size
//! while it is read. An answer is asked for as a stream, because only then is a first byte soon, however long the
//! answer: a local model may think for minutes before it has written the last word. A server that can't stream, or
//! answers in one piece anyway, is understood too. Nothing is tried again here but that.

mod answer;
mod http;
mod request;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Response, StatusCode, Url};
use tokio::time::{Instant, timeout, timeout_at};

use super::{Answer, Asking, ModelRequest, Provider, ProviderError, TimeoutStage, retry_after};
use crate::config::{ModelConfig, ProviderConfig};
use crate::sexp::visible;
use answer::{Body, Reader};
use http::Http;

/// How much of an error's body is read, in bytes. Servers put the sentence that matters first.
const ERROR_BYTES: usize = 16 << 10;

/// How much of a server's error is shown, in characters.
const ERROR_CHARS: usize = 300;

/// One endpoint.
pub struct OpenAiCompatible {
    name: String,
    endpoint: Url,
    model: String,
    key_variable: Option<String>,
    /// The secret in the vault that is the key, where it must come from there.
    key_secret: Option<String>,
    key: Option<Key>,
    bounds: Bounds,
    http: Http,
    /// Set once the server has said that it can't stream this model.
    plain: AtomicBool,
}

/// The key as it travels, and as it must never be shown.
struct Key {
    header: HeaderValue,
    text: String,
}

#[derive(Clone, Copy, Debug)]
struct Bounds {
    connect: Duration,
    first_byte: Duration,
    idle: Duration,
    whole: Duration,
    answer_bytes: usize,
}

impl OpenAiCompatible {
    /// The endpoint that `provider` describes, with the bounds of `config`. Connects to nothing yet.
    ///
    /// # Errors
    /// [`ProviderError::Misconfigured`] when the address or the key can't be used.
    pub fn new(
        name: &str,
        provider: &ProviderConfig,
        config: &ModelConfig,
    ) -> Result<OpenAiCompatible, ProviderError> {
        let endpoint = endpoint(&provider.base_url)?;
        let key = match provider
            .key
            .as_ref()
            .map(|secret| secret.0.trim())
            .filter(|text| !text.is_empty())
        {
            Some(text) => Some(Key::new(
                text,
                provider.key_secret.as_deref().or(provider.key_variable.as_deref()),
            )?),
            None => None,
        };
        if key.is_some() && endpoint.scheme() == "http" && !http::is_loopback(&endpoint) {
            tracing::warn!(
                provider = name,
                "the key of this provider travels without encryption: use an https base_url"
            );
        }
        Ok(OpenAiCompatible {
            name: name.to_owned(),
            http: Http::new(&endpoint, config.connect_timeout),
            endpoint,
            model: provider.model.clone(),
            key_variable: provider.key_variable.clone(),
            key_secret: provider.key_secret.clone(),
            key,
            bounds: Bounds {
                connect: config.connect_timeout,
                first_byte: config.first_byte_timeout,
                idle: config.idle_timeout,
                whole: config.answer_timeout,
                answer_bytes: config.answer_bytes,
            },
            plain: AtomicBool::new(false),
        })
    }

    async fn ask_once(&self, request: &ModelRequest) -> Result<Answer, ProviderError> {
        if let (Some(name), None) = (&self.key_secret, &self.key) {
            return Err(ProviderError::NoSecret { name: name.clone() });
        }
        if let (Some(variable), None) = (&self.key_variable, &self.key) {
            return Err(ProviderError::NoKey {
                variable: variable.clone(),
            });
        }
        let plain = self.plain.load(Ordering::Relaxed);
        match self.exchange(request, !plain).await {
            // OpenAI streams some models to verified organisations only and answers 400 with `"param": "stream"`;
            // older servers refuse `stream_options`. This is no retry of a failure: the first request was not taken.
            Err(Failure::NoStream) => {
                self.plain.store(true, Ordering::Relaxed);
                self.exchange(request, false)
                    .await
                    .map_err(|failure| failure.into_error(self))
            }
            outcome => outcome.map_err(|failure| failure.into_error(self)),
        }
    }

    async fn exchange(&self, request: &ModelRequest, stream: bool) -> Result<Answer, Failure> {
        let start = Instant::now();
        let body = request::encode(&self.model, request, stream).map_err(|cause| ProviderError::NotJson {
            problem: format!("the request can't be written: {cause}"),
        })?;
        let mut sending = self.http.client().await?.post(self.endpoint.clone());
        sending = sending.header(CONTENT_TYPE, "application/json").body(body);
        if let Some(key) = &self.key {
            sending = sending.header(AUTHORIZATION, key.header.clone());
        }
        let first_byte = start + self.bounds.first_byte;
        let response = match timeout_at(first_byte, sending.send()).await {
            Err(_) => return Err(self.late(TimeoutStage::FirstByte).into()),
            Ok(Err(cause)) => return Err(self.unsent(cause).into()),
            Ok(Ok(response)) => response,
        };
        if !response.status().is_success() {
            return Err(self.refused(response, stream).await);
        }
        self.read(response, first_byte)
            .await
            .map_err(|error| Failure::Error(self.without_key(error)))
    }

    /// Reads the answer as it comes.
    async fn read(&self, mut response: Response, first_byte: Instant) -> Result<Answer, ProviderError> {
        let content_type = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or("");
        let mut reader = Reader::new(content_type, self.bounds.answer_bytes);
        let mut begun = false;
        loop {
            let chunk = if begun {
                timeout(self.bounds.idle, response.chunk())
                    .await
                    .map_err(|_| self.late(TimeoutStage::Idle))?
            } else {
                timeout_at(first_byte, response.chunk())
                    .await
                    .map_err(|_| self.late(TimeoutStage::FirstByte))?
            };
            begun = true;
            match chunk {
                Ok(Some(bytes)) => {
                    if reader.feed(&bytes)? == Body::Complete {
                        break;
                    }
                }
                Ok(None) => break,
                Err(cause) => {
                    return Err(ProviderError::Closed {
                        problem: self.cause(cause),
                    });
                }
            }
        }
        let completion = reader.finish()?;
        Ok(Answer {
            text: completion.text,
            calls: Vec::new(),
            provider: self.name.clone(),
            usage: completion.usage,
        })
    }

    /// The error that a response with another status than 2xx is.
    async fn refused(&self, mut response: Response, stream: bool) -> Failure {
        let status = response.status();
        let retry_after = wish(response.headers());
        let mut body = Vec::new();
        // What the server says is a courtesy: nobody waits for it beyond a silence, and how it ends does not matter.
        while body.len() < ERROR_BYTES {
            match timeout(self.bounds.idle, response.chunk()).await {
                Ok(Ok(Some(bytes))) => body.extend_from_slice(&bytes),
                _ => break,
            }
        }
        body.truncate(ERROR_BYTES);
        if stream && matches!(status.as_u16(), 400 | 422) && answer::refuses_stream(&body) {
            return Failure::NoStream;
        }
        Failure::Error(match status {
            StatusCode::UNAUTHORIZED | StatusCode::PAYMENT_REQUIRED | StatusCode::FORBIDDEN => {
                // Not the body: servers repeat the key there, or parts of it.
                ProviderError::Unauthorised {
                    code: status.as_u16(),
                    key_variable: self.key_secret.clone().or_else(|| self.key_variable.clone()),
                }
            }
            _ => {
                let message = self.presentable(&answer::error_message(&body));
                ProviderError::Status {
                    code: status.as_u16(),
                    message,
                    retry_after,
                }
            }
        })
    }

    fn unsent(&self, cause: reqwest::Error) -> ProviderError {
        if cause.is_connect() && cause.is_timeout() {
            self.late(TimeoutStage::Connect)
        } else if cause.is_connect() {
            ProviderError::Unreachable {
                address: address(&self.endpoint),
                problem: self.cause(cause),
            }
        } else {
            ProviderError::Closed {
                problem: self.cause(cause),
            }
        }
    }

    fn late(&self, stage: TimeoutStage) -> ProviderError {
        let after = match stage {
            TimeoutStage::Connect => self.bounds.connect,
            TimeoutStage::FirstByte => self.bounds.first_byte,
            TimeoutStage::Idle => self.bounds.idle,
            TimeoutStage::Whole | TimeoutStage::Cascade => self.bounds.whole,
        };
        ProviderError::Timeout { stage, after }
    }

    /// The innermost cause: the outer ones only say that sending failed.
    fn cause(&self, error: reqwest::Error) -> String {
        let error = error.without_url();
        let mut cause: &dyn std::error::Error = &error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        self.presentable(&cause.to_string())
    }

    /// A foreign text on one line, short, without the key and without anything that a terminal would obey.
    fn presentable(&self, text: &str) -> String {
        let text = match &self.key {
            Some(key) => text.replace(&key.text, "***"),
            None => text.to_owned(),
        };
        let line = visible(&text.split_whitespace().collect::<Vec<_>>().join(" "));
        match line.char_indices().nth(ERROR_CHARS) {
            Some((at, _)) => format!("{}…", &line[..at]),
            None => line,
        }
    }

    /// The same error, with what it quotes of the answer made presentable.
    fn without_key(&self, error: ProviderError) -> ProviderError {
        match error {
            ProviderError::Status {
                code,
                message,
                retry_after,
            } => ProviderError::Status {
                code,
                message: self.presentable(&message),
                retry_after,
            },
            ProviderError::NotJson { problem } => ProviderError::NotJson {
                problem: self.presentable(&problem),
            },
            other => other,
        }
    }
}

impl Provider for OpenAiCompatible {
    fn name(&self) -> &str {
        &self.name
    }

    fn model(&self) -> Option<&str> {
        Some(&self.model)
    }

    fn ask<'a>(&'a self, request: &'a ModelRequest) -> Asking<'a> {
        Box::pin(async move {
            match timeout(self.bounds.whole, self.ask_once(request)).await {
                Ok(outcome) => outcome,
                Err(_) => Err(self.late(TimeoutStage::Whole)),
            }
        })
    }
}

/// How one exchange ended without an answer.
enum Failure {
    Error(ProviderError),
    /// The server takes the request only without streaming.
    NoStream,
}

impl Failure {
    fn into_error(self, provider: &OpenAiCompatible) -> ProviderError {
        match self {
            Failure::Error(error) => error,
            Failure::NoStream => ProviderError::Misconfigured {
                problem: format!("the server neither streams {} nor answers in one piece", provider.model),
                remedy: "use another model".to_owned(),
            },
        }
    }
}

impl From<ProviderError> for Failure {
    fn from(error: ProviderError) -> Failure {
        Failure::Error(error)
    }
}

impl Key {
    fn new(text: &str, variable: Option<&str>) -> Result<Key, ProviderError> {
        let mut header =
            HeaderValue::from_str(&format!("Bearer {text}")).map_err(|_| ProviderError::Misconfigured {
                problem: format!(
                    "the key in {} holds a character that no key has",
                    variable.unwrap_or("the configuration")
                ),
                remedy: "copy it again, without line breaks".to_owned(),
            })?;
        header.set_sensitive(true);
        Ok(Key {
            header,
            text: text.to_owned(),
        })
    }
}

/// Where to post to.
fn endpoint(base_url: &str) -> Result<Url, ProviderError> {
    let misconfigured = |problem: String| ProviderError::Misconfigured {
        problem,
        remedy: "write `base_url` as in https://api.openai.com/v1, up to and without /chat/completions".to_owned(),
    };
    let base = base_url.trim().trim_end_matches('/');
    let base = base.strip_suffix("/chat/completions").unwrap_or(base);
    // The address is not repeated here: a key may have been put into it.
    let mut url = Url::parse(base).map_err(|cause| misconfigured(format!("`base_url` is no address: {cause}")))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(misconfigured(
            "`base_url` begins with neither http:// nor https://".to_owned(),
        ));
    }
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
        return Err(misconfigured(
            "`base_url` holds a user name, a password, a `?` or a `#`".to_owned(),
        ));
    }
    url.set_path(&format!("{}/chat/completions", url.path().trim_end_matches('/')));
    Ok(url)
}

/// Scheme, host and port, for people.
fn address(url: &Url) -> String {
    url.origin().ascii_serialization()
}

fn wish(headers: &HeaderMap) -> Option<Duration> {
    let text = |value: Option<&HeaderValue>| value.and_then(|value| value.to_str().ok()).map(str::to_owned);
    let seconds = text(headers.get(RETRY_AFTER));
    let milliseconds = text(headers.get("retry-after-ms"));
    retry_after::parse(seconds.as_deref(), milliseconds.as_deref(), SystemTime::now())
}
