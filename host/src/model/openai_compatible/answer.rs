//! The answer: one object, or events which differ from it in a word only.

use serde::Deserialize;
use serde_json::Value;

use crate::model::ProviderError;
use crate::model::exchange::{Partial, Piece, Told, tokens, unreadable};
use crate::model::verbatim::Arguments;

/// Takes the object, or the data of one event.
pub(super) fn take(json: &[u8], answer: &mut Partial) -> Result<(), ProviderError> {
    let chunk: Chunk = serde_json::from_slice(json).map_err(|cause| unreadable(&cause, "chat completion"))?;
    if let Some(error) = chunk.error {
        return Err(error.into_status());
    }
    if let Some(usage) = chunk.usage {
        answer.cost(tokens(&usage, "prompt_tokens"), tokens(&usage, "completion_tokens"));
    }
    // More than one choice is never asked for.
    let Some(choice) = chunk.choices.into_iter().flatten().next() else {
        return Ok(());
    };
    match choice.finish_reason.as_deref() {
        None => {}
        Some("length") => answer.was_cut(
            "it reached the bound on tokens (finish_reason length); `model.answer_tokens` raises ours, and the model has \
             one of its own",
        ),
        Some("content_filter") => {
            answer.was_cut("the provider's content filter withheld it (finish_reason content_filter)");
        }
        Some(_) => answer.is_whole(),
    }
    let Some(said) = choice.message.or(choice.delta) else {
        return Ok(());
    };
    // A model's own refusal is an answer: prose, for the person.
    for text in said.content.map(Content::into_text).into_iter().chain(said.refusal) {
        answer.say(&text)?;
    }
    for call in said.tool_calls.into_iter().flatten() {
        let function = call.function.unwrap_or_default();
        answer.call(&Piece {
            index: call.index,
            id: call.id.as_deref().unwrap_or(""),
            name: function.name.as_deref().unwrap_or(""),
            arguments: &function.arguments.unwrap_or_default().0,
        })?;
    }
    Ok(())
}

/// Both the object and one event of a stream: they differ in `message` and `delta` only.
#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    #[serde(default)]
    usage: Option<Value>,
    #[serde(default)]
    error: Option<Told>,
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
    #[serde(default)]
    tool_calls: Option<Vec<Call>>,
}

/// A call, or a piece of one.
#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Option<Function>,
}

#[derive(Default, Deserialize)]
struct Function {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<Arguments>,
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
