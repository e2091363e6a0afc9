//! The answer: one message of several blocks, or the events from which one is put together.
//!
//! Text and calls are kept; a model's thoughts, and whatever else there will be, are not.

use serde::Deserialize;

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
    let blocks = (0..).zip(message.content.0);
    // What of them can't be read is none of them.
    for (index, block) in blocks.filter_map(|(index, block)| Some((index, block.0?))) {
        begin(index, block, answer)?;
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
            if let Some(block) = event.content_block {
                begin(event.index.0.unwrap_or(0), block, answer)?;
            }
        }
        "content_block_delta" => {
            let delta = event.delta.unwrap_or_default();
            match delta.kind.as_deref() {
                Some("text_delta") => answer.say(&delta.text.unwrap_or_default())?,
                Some("input_json_delta") => answer.call(&Piece {
                    index: Some(event.index.0.unwrap_or(0)),
                    arguments: &delta.partial_json.unwrap_or_default(),
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
fn begin(index: u64, block: Block, answer: &mut Partial) -> Result<(), ProviderError> {
    match block.kind.as_str() {
        "text" => answer.say(&block.text.unwrap_or_default()),
        "tool_use" => {
            // In a stream the object is empty here, and its text follows in pieces.
            let arguments = block.input.unwrap_or_default().0;
            answer.call(&Piece {
                index: Some(index),
                id: &block.id.0,
                name: &block.name.0,
                arguments: if arguments == "{}" { "" } else { &arguments },
            })
        }
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
    content: Few<Maybe<Block>>,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Usage,
    #[serde(default)]
    error: Option<Told>,
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
    content_block: Option<Block>,
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
    partial_json: Option<String>,
    #[serde(default)]
    thinking: Length,
    #[serde(default)]
    stop_reason: Option<String>,
}
