//! A server that answers over HTTP, whatever its dialect.
//!
//! One request, one answer, every wait bounded: connecting, the first byte, silences, the whole; and the answer's size
//! while it is read. An answer is asked for as a stream, because only then is a first byte soon, however long the
//! answer: a local model may think for minutes before it has written the last word. A server that can't stream, or
//! answers in one piece anyway, is understood too; so is one that won't hear of tools. Nothing is tried again here but
//! that.

mod address;
mod calls;
mod declined;
mod dialect;
mod events;
mod failure;
mod http;
mod key;
mod partial;
mod read;
mod surrogates;
mod thoughts;
mod told;

use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Response, StatusCode, Url};
use tokio::time::{Instant, timeout, timeout_at};

pub(super) use calls::Piece;
pub(super) use dialect::{Dialect, Limit, OUTPUT, Question, call_id, delimited};
pub(super) use partial::Partial;
pub(super) use read::unreadable;
pub(super) use told::Told;

use super::anthropic::Anthropic;
use super::openai_compatible::OpenAiCompatible;
use super::{Answer, Asking, Heard, Meter, ModelRequest, Provider, ProviderError, Sent, TimeoutStage};
use crate::config::{self, ModelConfig, ProviderConfig};
use address::{endpoint, shown};
use declined::Declined;
use dialect::{Extra, Manner};
use failure::{Failure, wish};
use http::Http;
use key::{Key, presentable, quoted};
use read::{Body, Reader};

/// How much of an error's body is read, in bytes. Servers put the sentence that matters first.
const ERROR_BYTES: usize = 16 << 10;

/// How long what follows the end of an answer is waited for at most: what it cost comes there.
const AFTER_END: Duration = Duration::from_secs(5);

/// One server.
pub struct Remote {
    name: String,
    dialect: &'static dyn Dialect,
    endpoint: Url,
    model: String,
    key_variable: Option<String>,
    /// The secret in the vault that is the key, where it must come from there.
    key_secret: Option<String>,
    /// Where the key was found.
    key_place: Option<config::KeyPlace>,
    key: Option<Key>,
    bounds: Bounds,
    http: Http,
    declined: Declined,
}

#[derive(Clone, Copy, Debug)]
struct Bounds {
    connect: Duration,
    first_byte: Duration,
    idle: Duration,
    whole: Duration,
    answer_bytes: usize,
    answer_tokens: u64,
}

impl Remote {
    /// The server that `provider` describes, with the bounds of `config`. Connects to nothing yet.
    ///
    /// # Errors
    /// [`ProviderError::Misconfigured`] when the address or the key can't be used.
    pub fn new(name: &str, provider: &ProviderConfig, config: &ModelConfig) -> Result<Remote, ProviderError> {
        let dialect: &'static dyn Dialect = match provider.dialect.unwrap_or_default() {
            config::Dialect::OpenAi => &OpenAiCompatible,
            config::Dialect::Anthropic => &Anthropic,
        };
        let endpoint = endpoint(&provider.base_url, dialect.path())?;
        let key = match provider
            .key
            .as_ref()
            .map(|secret| secret.0.trim())
            .filter(|text| !text.is_empty())
        {
            Some(text) => Some(Key::new(
                text,
                dialect,
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
        Ok(Remote {
            name: name.to_owned(),
            dialect,
            http: Http::new(&endpoint, config.connect_timeout),
            endpoint,
            model: provider.model.clone(),
            key_variable: provider.key_variable.clone(),
            key_secret: provider.key_secret.clone(),
            key_place: provider.key_place,
            key,
            bounds: Bounds {
                connect: config.connect_timeout,
                first_byte: config.first_byte_timeout,
                idle: config.idle_timeout,
                whole: config.answer_timeout,
                answer_bytes: config.answer_bytes,
                answer_tokens: config.answer_tokens,
            },
            declined: Declined::default(),
        })
    }

    async fn ask_once(&self, request: &ModelRequest, meter: &Meter) -> Result<Answer, ProviderError> {
        if let (Some(name), None) = (&self.key_secret, &self.key) {
            return Err(ProviderError::NoSecret { name: name.clone() });
        }
        if let (Some(variable), None) = (&self.key_variable, &self.key) {
            return Err(ProviderError::NoKey {
                variable: variable.clone(),
            });
        }
        let mut manner = self.declined.manner();
        if meter.is_bounded() && manner.limit == Limit::Untold {
            // Another question may have been asked without a bound. This one isn't.
            manner.limit = Limit::default();
        }
        let mut left_away = Vec::new();
        loop {
            match self.exchange(request, manner, meter).await {
                Ok(answer) => {
                    // Only now is it known that it was this which the server would not take.
                    if !left_away.is_empty() {
                        self.declined.remember(manner);
                        tracing::info!(
                            provider = self.name,
                            "asked without {left_away:?} from now on, as the server wants it"
                        );
                    }
                    return Ok(answer);
                }
                // This is no retry of a failure: the request before was not taken. Each can be left away once.
                Err(Failure::Declined(extra)) => {
                    manner = manner.without(extra);
                    if meter.is_bounded() && extra == Extra::Limit && manner.limit == Limit::Untold {
                        return Err(ProviderError::Unlimited {
                            tokens: self.bounds.answer_tokens,
                        });
                    }
                    left_away.push(extra);
                }
                Err(Failure::Error(error)) => return Err(error),
            }
        }
    }

    async fn exchange(&self, request: &ModelRequest, manner: Manner, meter: &Meter) -> Result<Answer, Failure> {
        let start = Instant::now();
        let question = Question {
            model: &self.model,
            answer_tokens: self.bounds.answer_tokens,
            request,
            manner,
        };
        let body = self.dialect.encode(&question).map_err(|cause| ProviderError::NotJson {
            problem: format!("the request can't be written: {cause}"),
        })?;
        let is_limited = manner.limit != Limit::Untold || !self.dialect.may_leave_limit();
        meter.send(Sent {
            bytes: Some(body.len()),
            limit: is_limited.then_some(self.bounds.answer_tokens),
        });
        let http = self.http.ready().await?;
        let mut sending = http.client.post(self.endpoint.clone());
        sending = sending.header(CONTENT_TYPE, "application/json").body(body);
        for (name, value) in self.dialect.headers() {
            sending = sending.header(*name, *value);
        }
        if let Some(key) = &self.key {
            sending = sending.header(key.name.clone(), key.header.clone());
        }
        let first_byte = start + self.bounds.first_byte;
        let response = match timeout_at(first_byte, http.apart.spawn(sending.send())).await {
            Err(_) => return Err(self.late(TimeoutStage::FirstByte).into()),
            Ok(Err(cause)) => {
                let problem = format!("its thread ended: {cause}");
                return Err(ProviderError::Closed { problem }.into());
            }
            Ok(Ok(Err(cause))) => return Err(self.unsent(cause).into()),
            Ok(Ok(Ok(response))) => response,
        };
        if !response.status().is_success() {
            let sent = Manner {
                tools: manner.tools && !request.tools.is_empty(),
                one_call: manner.one_call && !request.tools.is_empty(),
                limit: if self.dialect.may_leave_limit() {
                    manner.limit
                } else {
                    Limit::Untold
                },
                ..manner
            };
            return Err(self.refused(response, sent).await);
        }
        let mut reader = self.reader(&response);
        let outcome = self.read(&mut reader, response, request, first_byte, meter).await;
        meter.note(reader.consumed());
        outcome
            .and_then(|()| self.answer(reader))
            .map_err(|error| Failure::Error(quoted(self.key.as_ref(), error)))
    }

    fn reader(&self, response: &Response) -> Reader {
        let content_type = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or("");
        Reader::new(self.dialect, content_type, self.bounds.answer_bytes)
    }

    /// Reads the answer as it comes. Whoever no longer waits for its end finds on the meter what it had cost by then.
    async fn read(
        &self,
        reader: &mut Reader,
        mut response: Response,
        request: &ModelRequest,
        first_byte: Instant,
        meter: &Meter,
    ) -> Result<(), ProviderError> {
        let (mut begun, mut received) = (false, 0);
        // Nobody waits long for what follows an answer that is whole, and nothing that goes wrong then makes it less so.
        let mut ended: Option<Instant> = None;
        loop {
            if ended.is_none() && reader.has_ended() {
                ended = Some(Instant::now() + self.bounds.idle.min(AFTER_END));
            }
            let chunk = if let Some(until) = ended {
                match timeout_at(until, response.chunk()).await {
                    Ok(Ok(chunk)) => Ok(chunk),
                    Ok(Err(_)) | Err(_) => break,
                }
            } else if begun {
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
                    received += bytes.len();
                    request.watch.hear(|| Heard::Received {
                        provider: self.name.clone(),
                        bytes: received,
                    });
                    let body = reader.feed(&bytes)?;
                    meter.note(reader.consumed());
                    if body == Body::Complete {
                        break;
                    }
                    // A server that sends as fast as it can must not keep everybody else from their turn.
                    tokio::task::yield_now().await;
                }
                Ok(None) => break,
                Err(cause) => {
                    return Err(ProviderError::Closed {
                        problem: self.cause(cause),
                    });
                }
            }
        }
        reader.end()
    }

    fn answer(&self, reader: Reader) -> Result<Answer, ProviderError> {
        let completion = reader.finish()?;
        Ok(Answer {
            text: completion.text,
            calls: completion.calls,
            provider: self.name.clone(),
        })
    }

    /// The error that a response with another status than 2xx is.
    async fn refused(&self, mut response: Response, manner: Manner) -> Failure {
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
        let body = surrogates::marked(&body);
        if let Some(extra) = told::declined(status.as_u16(), &body, manner) {
            return Failure::Declined(extra);
        }
        Failure::Error(match status {
            StatusCode::UNAUTHORIZED | StatusCode::PAYMENT_REQUIRED | StatusCode::FORBIDDEN => {
                // Not the body: servers repeat the key there, or parts of it.
                ProviderError::Unauthorised {
                    code: status.as_u16(),
                    key_variable: self.key_secret.clone().or_else(|| self.key_variable.clone()),
                    place: self.key_place.filter(|_| self.key.is_some()),
                }
            }
            _ => ProviderError::Status {
                code: status.as_u16(),
                message: presentable(self.key.as_ref(), &told::message(&body)),
                retry_after,
                asked: Some(address::asked(&self.endpoint, self.dialect.path())),
            },
        })
    }

    fn unsent(&self, cause: reqwest::Error) -> ProviderError {
        if cause.is_connect() && cause.is_timeout() {
            self.late(TimeoutStage::Connect)
        } else if cause.is_connect() {
            ProviderError::Unreachable {
                address: shown(&self.endpoint),
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
        presentable(self.key.as_ref(), &cause.to_string())
    }
}

impl Provider for Remote {
    fn name(&self) -> &str {
        &self.name
    }

    fn model(&self) -> Option<&str> {
        Some(&self.model)
    }

    fn answer_tokens(&self) -> u64 {
        self.bounds.answer_tokens
    }

    fn ask<'a>(&'a self, request: &'a ModelRequest, meter: &'a Meter) -> Asking<'a> {
        Box::pin(async move {
            match timeout(self.bounds.whole, self.ask_once(request, meter)).await {
                Ok(outcome) => outcome,
                Err(_) => Err(self.late(TimeoutStage::Whole)),
            }
        })
    }
}
