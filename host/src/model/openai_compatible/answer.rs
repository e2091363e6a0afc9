//! The answer: one object, or events which differ from it in a word only.

use serde::Deserialize;

use crate::model::ProviderError;
use crate::model::exchange::{Partial, Piece, Told, unreadable};
use crate::model::lenient::{Maybe, Word};
use crate::model::shape::{Content, Few, First, Length};
use crate::model::usage::{Count, Usage};
use crate::model::verbatim::Arguments;

/// With which words servers say that an answer is whole. Whatever else they may say is none of it: the model's context is
/// full, or the server broke down.
const ENDS: [&str; 9] = [
    "stop",
    "tool_calls",
    "function_call",
    "tool_use",
    "end_turn",
    "stop_sequence",
    "eos",
    "eos_token",
    "complete",
];

/// Takes the object.
pub(super) fn whole(json: &[u8], answer: &mut Partial) -> Result<(), ProviderError> {
    take(json, answer, Partial::begin_call)
}

/// Takes the data of one event.
pub(super) fn event(json: &[u8], answer: &mut Partial) -> Result<(), ProviderError> {
    take(json, answer, Partial::call)
}

/// What is done with each call, or each piece of one.
type Calling = fn(&mut Partial, &Piece<'_>) -> Result<(), ProviderError>;

fn take(json: &[u8], answer: &mut Partial, calling: Calling) -> Result<(), ProviderError> {
    let chunk: Chunk = serde_json::from_slice(json).map_err(|cause| unreadable(&cause, "chat completion"))?;
    if let Some(error) = chunk.error {
        return Err(error.into_status());
    }
    // More than one choice is never asked for.
    let choice = chunk.choices.0.unwrap_or_default();
    end(choice.finish_reason.as_deref(), answer);
    answer.cost(chunk.usage.prompt, chunk.usage.completion);
    let Some(said) = choice.message.or(choice.delta) else {
        return Ok(());
    };
    // Some servers tell the same thoughts under two names.
    let thoughts = [said.reasoning_content, said.reasoning, said.thinking].map(|own| own.0);
    answer.think(thoughts.into_iter().max().unwrap_or(0));
    let content = said.content.unwrap_or_default();
    answer.think(content.thoughts);
    // A model's own refusal is an answer: prose, for the person.
    for text in [Some(content.text), said.refusal].into_iter().flatten() {
        answer.say(&text)?;
    }
    // What of them can't be read is none of them.
    for call in said.tool_calls.0.into_iter().filter_map(|call| call.0) {
        let function = call.function.0.unwrap_or_default();
        let piece = Piece {
            index: call.index.0,
            id: &call.id.0,
            name: &function.name.0,
            arguments: &function.arguments.unwrap_or_default().0,
        };
        calling(answer, &piece)?;
    }
    Ok(())
}

fn end(reason: Option<&str>, answer: &mut Partial) {
    match reason {
        // Some servers write an empty one as long as there is none.
        None | Some("") => {}
        Some("length") => answer.was_cut(
            "it reached the bound on tokens (finish_reason length); `model.answer_tokens` raises ours, and the model has \
             one of its own",
        ),
        Some("content_filter") => {
            answer.was_cut("the provider's content filter withheld it (finish_reason content_filter)");
        }
        Some(own) if ENDS.iter().any(|end| own.eq_ignore_ascii_case(end)) => answer.is_whole(),
        Some(other) => answer.was_cut(format!("its server ended it (finish_reason {other})")),
    }
}

/// Both the object and one event of a stream: they differ in `message` and `delta` only.
#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: First<Choice>,
    #[serde(default)]
    usage: Usage,
    #[serde(default)]
    error: Option<Told>,
}

#[derive(Default, Deserialize)]
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
    #[serde(default)]
    tool_calls: Few<Maybe<Call>>,
    #[serde(default)]
    reasoning_content: Length,
    #[serde(default)]
    reasoning: Length,
    #[serde(default)]
    thinking: Length,
}

/// A call, or a piece of one.
#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    index: Count,
    #[serde(default)]
    id: Word,
    #[serde(default)]
    function: Maybe<Function>,
}

#[derive(Default, Deserialize)]
struct Function {
    #[serde(default)]
    name: Word,
    #[serde(default)]
    arguments: Option<Arguments>,
}
