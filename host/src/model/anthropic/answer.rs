//! The answer: one message of several blocks, or the events from which one is put together.
//!
//! Text and calls are kept; a model's thoughts, and whatever else there will be, are not.

use std::fmt;

use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

use crate::model::ProviderError;
use crate::model::exchange::{Partial, Piece, Told, unreadable};
use crate::model::lenient::{Maybe, Word};
use crate::model::shape::{Few, Length};
use crate::model::usage::{Count, Usage};
use crate::model::verbatim::Arguments;

/// Takes a whole message.
pub(super) fn whole(body: &[u8], answer: &mut Partial) -> Result<(), ProviderError> {
    let message: Message = read(body)?;
    if let Some(error) = message.error {
        return Err(error.into_status());
    }
    end(message.stop_reason.as_deref(), answer);
    count(&message.usage, answer);
    let blocks = match message.content {
        Content::Text(text) => return answer.say(&text),
        Content::Blocks(blocks) => blocks.0,
    };
    // What of them can't be read is none of them.
    for block in blocks.into_iter().filter_map(|block| block.0) {
        begin(None, block, answer)?;
    }
    Ok(())
}

/// Takes one event of a stream.
pub(super) fn event(data: &[u8], answer: &mut Partial) -> Result<(), ProviderError> {
    let event: Event = read(data)?;
    match event.kind.as_str() {
        "error" => {
            let told = event.error.unwrap_or_default();
            return Err(told.into_status());
        }
        "message_start" => count(&event.message.map(|message| message.usage).unwrap_or_default(), answer),
        "content_block_start" => {
            if let Some(block) = event.content_block.0 {
                begin(event.index.0, block, answer)?;
            }
        }
        "content_block_delta" => {
            let delta = event.delta.unwrap_or_default();
            match delta.kind.as_deref() {
                Some("text_delta") => answer.say(&delta.text.unwrap_or_default())?,
                Some("input_json_delta") => answer.call(&Piece {
                    index: event.index.0,
                    arguments: &delta.partial_json.unwrap_or_default().0,
                    ..Piece::default()
                })?,
                Some("thinking_delta") => answer.think(delta.thinking.0),
                _ => {}
            }
        }
        "message_delta" => {
            end(event.delta.and_then(|delta| delta.stop_reason).as_deref(), answer);
            count(&event.usage, answer);
        }
        "message_stop" => answer.done = true,
        // Pings, the ends of blocks, and kinds of event that do not exist yet.
        _ => {}
    }
    Ok(())
}

fn read<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Result<T, ProviderError> {
    serde_json::from_slice(json).map_err(|cause| unreadable(&cause, "message of this interface"))
}

/// A block begins; in a whole message it also ends there.
fn begin(index: Option<u64>, block: Block, answer: &mut Partial) -> Result<(), ProviderError> {
    match block.kind.as_str() {
        "text" => answer.say(&block.text.unwrap_or_default()),
        // In a stream the object is empty here, and its text follows in pieces.
        "tool_use" => answer.begin_call(&Piece {
            index,
            id: &block.id.0,
            name: &block.name.0,
            arguments: &block.input.unwrap_or_default().0,
        }),
        "thinking" | "redacted_thinking" => {
            answer.think(block.thinking.0.saturating_add(block.data.0));
            Ok(())
        }
        _ => Ok(()),
    }
}

fn end(reason: Option<&str>, answer: &mut Partial) {
    match reason {
        None => {}
        Some("max_tokens") => {
            answer
                .was_cut("it reached the bound on tokens (stop_reason max_tokens); `model.answer_tokens` raises it");
        }
        Some("model_context_window_exceeded") => {
            answer.was_cut("the model's context is full (stop_reason model_context_window_exceeded)");
        }
        Some("refusal") => answer.was_cut("the provider's filter ended it (stop_reason refusal)"),
        Some("end_turn" | "stop_sequence" | "tool_use") => answer.is_whole(),
        Some(other) => answer.was_cut(format!("its server ended it (stop_reason {other})")),
    }
}

fn count(usage: &Usage, answer: &mut Partial) {
    let cached = [usage.cache_written, usage.cache_read];
    let input = usage
        .input
        .map(|fresh| cached.into_iter().flatten().fold(fresh, u64::saturating_add));
    answer.cost(input, usage.output);
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Content,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Usage,
    #[serde(default)]
    error: Option<Told>,
}

/// What a message holds: blocks, or a bare text, as some servers have it.
enum Content {
    Text(String),
    Blocks(Few<Maybe<Block>>),
}

impl Default for Content {
    fn default() -> Content {
        Content::Blocks(Few::default())
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Content, D::Error> {
        struct Reading;
        impl<'de> Visitor<'de> for Reading {
            type Value = Content;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of blocks or a text")
            }

            fn visit_unit<E: Error>(self) -> Result<Content, E> {
                Ok(Content::default())
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Content, E> {
                Ok(Content::Text(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, blocks: A) -> Result<Content, A::Error> {
                Few::deserialize(SeqAccessDeserializer::new(blocks)).map(Content::Blocks)
            }
        }
        deserializer.deserialize_any(Reading)
    }
}

#[derive(Deserialize)]
struct Event {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    index: Count,
    #[serde(default)]
    message: Option<Message>,
    #[serde(default)]
    content_block: Maybe<Block>,
    #[serde(default)]
    delta: Option<Delta>,
    #[serde(default)]
    usage: Usage,
    #[serde(default)]
    error: Option<Told>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    id: Word,
    #[serde(default)]
    name: Word,
    #[serde(default)]
    input: Option<Arguments>,
    #[serde(default)]
    thinking: Length,
    #[serde(default)]
    data: Length,
}

#[derive(Default, Deserialize)]
struct Delta {
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    partial_json: Option<Arguments>,
    #[serde(default)]
    thinking: Length,
    #[serde(default)]
    stop_reason: Option<String>,
}
