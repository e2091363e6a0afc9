//! What a server says in an error: servers of all dialects have it in one shape, more or less.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use super::dialect::{Extra, Limit, Manner};
use crate::model::ProviderError;
use crate::model::usage::Count;

/// The error in an answer: an object with a message, or a bare text, which is then the message.
#[derive(Default, Deserialize)]
#[serde(remote = "Self")]
pub(in crate::model) struct Told {
    /// What it says.
    #[serde(default)]
    message: Option<String>,
    /// The status, or a word.
    #[serde(default)]
    code: Count,
    /// What of the request it is about.
    #[serde(default)]
    param: Option<String>,
    /// The kind of error, as a word.
    #[serde(default, rename = "type")]
    kind: Option<String>,
}

impl<'de> Deserialize<'de> for Told {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Told, D::Error> {
        struct Reading;
        impl<'de> Visitor<'de> for Reading {
            type Value = Told;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object or a text")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Told, E> {
                let message = Some(text.to_owned());
                Ok(Told {
                    message,
                    ..Told::default()
                })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Told, A::Error> {
                Told::deserialize(MapAccessDeserializer::new(map))
            }
        }
        deserializer.deserialize_any(Reading)
    }
}

#[derive(Deserialize)]
struct Envelope {
    error: Told,
}

impl Told {
    fn message(&self) -> &str {
        self.message.as_deref().unwrap_or("")
    }

    fn param(&self) -> Option<&str> {
        self.param.as_deref()
    }

    /// An error inside an answer that began as a success: with the status that it names, or that its kind stands for.
    pub(in crate::model) fn into_status(self) -> ProviderError {
        let named = self.code.0.and_then(|code| u16::try_from(code).ok());
        let meant = match self.kind.as_deref() {
            Some("invalid_request_error") => Some(400),
            Some("authentication_error") => Some(401),
            Some("permission_error") => Some(403),
            Some("not_found_error") => Some(404),
            Some("request_too_large") => Some(413),
            Some("rate_limit_error") => Some(429),
            Some("overloaded_error") => Some(529),
            _ => None,
        };
        ProviderError::Status {
            code: named.filter(|code| (400..600).contains(code)).or(meant).unwrap_or(500),
            message: self.message().to_owned(),
            retry_after: None,
            asked: None,
        }
    }
}

/// What a server says in the body of an error: its message, or the body's beginning where it is no JSON of that kind.
pub(super) fn message(body: &[u8]) -> String {
    if let Ok(Envelope { error }) = serde_json::from_slice(body) {
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

/// Which of the things that it was asked for beside the answer this error says that the server won't do.
pub(super) fn declined(code: u16, body: &[u8], manner: Manner) -> Option<Extra> {
    if !matches!(code, 400 | 404 | 422 | 500 | 501) {
        return None;
    }
    let told = serde_json::from_slice::<Envelope>(body).ok().map(|own| own.error);
    let param = told.as_ref().and_then(Told::param).unwrap_or("");
    let text = match &told {
        Some(told) => told.message().to_lowercase(),
        None => String::from_utf8_lossy(body).to_lowercase(),
    };
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    // OpenAI streams some models to verified organisations only and answers 400 with `"param": "stream"`; older servers
    // refuse `stream_options`.
    if manner.stream && (param.starts_with("stream") || (param.is_empty() && says(&["stream_options"]))) {
        return Some(Extra::Stream);
    }
    if manner.one_call
        && (param == "parallel_tool_calls" || says(&["parallel_tool_calls", "disable_parallel_tool_use"]))
    {
        return Some(Extra::OneCall);
    }
    // OpenAI's reasoning models want the other name; vLLM, and models of short answers, refuse what is beyond their room.
    let about_limit = ["max_tokens", "max_completion_tokens"].contains(&param)
        || (param.is_empty() && says(&["max_tokens", "max_completion_tokens", "in the completion"]));
    if manner.limit != Limit::Untold && about_limit {
        return Some(Extra::Limit);
    }
    // Ollama names the model that has no tools, vLLM and llama.cpp the option that was not given, OpenRouter says that
    // nobody has them.
    let about_tools = ["tools", "tool_choice", "functions"]
        .iter()
        .any(|own| param.starts_with(own));
    let words = [
        "tools",
        "tool use",
        "tool choice",
        "tool_choice",
        "tool calling",
        "function call",
    ];
    (manner.tools && (about_tools || (param.is_empty() && says(&words)))).then_some(Extra::Tools)
}
