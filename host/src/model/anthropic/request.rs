//! The request: a conversation as Anthropic's messages spell it.
//!
//! The two voices take turns and the user's begins. What a tool gave back is a block of its own kind, which is only taken
//! first in the user's turn right after a call for it, so each run of tool output gets such calls, made up.

use serde::Serialize;
use serde_json::{Value, json};

use crate::model::exchange::{OUTPUT, Question, call_id, delimited};
use crate::model::{ModelRequest, Role, ToolSchema, tools};

/// What the user is made to say where a conversation begins in the middle.
const BEFORE: &str = "[what was said before is left out]";

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    max_tokens: u64,
    #[serde(skip_serializing_if = "str::is_empty")]
    system: &'a str,
    messages: Vec<Turn>,
    stream: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: Value,
}

#[derive(Serialize)]
struct Turn {
    role: Voice,
    content: Vec<Block>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Voice {
    User,
    Assistant,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        text: String,
    },
    ToolUse {
        id: String,
        name: &'static str,
        input: Value,
    },
    ToolResult {
        tool_use_id: String,
        content: String,
    },
}

/// The request's body.
pub(super) fn encode(question: &Question<'_>) -> Result<Vec<u8>, serde_json::Error> {
    let (request, manner) = (question.request, question.manner);
    let mut own: Vec<Tool<'_>> = Vec::new();
    let mut tool_choice = None;
    if manner.tools {
        own.extend(tools::native(&request.tools).map(Tool::of));
        let gives_back = request.messages.iter().any(|message| message.role == Role::Tool);
        if !own.is_empty() && manner.one_call {
            tool_choice = Some(json!({ "type": "auto", "disable_parallel_tool_use": true }));
        } else if own.is_empty() && gives_back {
            // Calls in the conversation are only taken where there are tools. This one can't be called.
            own.push(Tool {
                name: OUTPUT,
                description: "Carries out what was proposed.",
                input_schema: json!({ "type": "object" }),
            });
            tool_choice = Some(json!({ "type": "none" }));
        }
    }
    serde_json::to_vec(&Request {
        model: question.model,
        max_tokens: question.answer_tokens,
        system: request.system.trim(),
        messages: turns(request, manner.tools),
        stream: manner.stream,
        tools: own,
        tool_choice,
    })
}

impl<'a> Tool<'a> {
    fn of(own: &'a ToolSchema) -> Tool<'a> {
        Tool {
            name: &own.name,
            description: tools::description(own),
            input_schema: tools::parameters(own),
        }
    }
}

fn turns(request: &ModelRequest, tools: bool) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::with_capacity(request.messages.len() + 1);
    for (number, message) in request.messages.iter().enumerate() {
        match message.role {
            Role::User => say(&mut turns, Voice::User, &message.text),
            Role::Assistant => say(&mut turns, Voice::Assistant, &message.text),
            Role::Tool if tools => give_back(&mut turns, number, &message.text),
            // A server without tools has no other voice for it. The marks around it say whose words it is not.
            Role::Tool => say(&mut turns, Voice::User, &delimited(&message.text)),
        }
    }
    if turns.first().is_some_and(|first| first.role == Voice::Assistant) {
        turns.insert(0, Turn::of(Voice::User, Block::text(BEFORE)));
    }
    turns
}

/// Adds what someone said, to their turn if it is theirs.
fn say(turns: &mut Vec<Turn>, role: Voice, text: &str) {
    // A blank text is refused, and so is a blank at the end of what the assistant said.
    let text = text.trim_end();
    if text.is_empty() {
        return;
    }
    match turns.last_mut() {
        Some(turn) if turn.role == role => turn.content.push(Block::text(text)),
        _ => turns.push(Turn::of(role, Block::text(text))),
    }
}

fn give_back(turns: &mut Vec<Turn>, number: usize, text: &str) {
    let id = call_id(number);
    let call = Block::ToolUse {
        id: id.clone(),
        name: OUTPUT,
        input: json!({}),
    };
    let result = Block::ToolResult {
        tool_use_id: id,
        content: delimited(text),
    };
    // Parallel calls stand together on the assistant's turn, before the first result.
    let in_run =
        |turn: &Turn| turn.role == Voice::User && matches!(turn.content.last(), Some(Block::ToolResult { .. }));
    if turns.last().is_some_and(in_run) {
        let caller = turns.len().checked_sub(2).and_then(|at| turns.get_mut(at));
        if let Some(caller) = caller {
            caller.content.push(call);
        }
        if let Some(last) = turns.last_mut() {
            last.content.push(result);
        }
        return;
    }
    match turns.last_mut() {
        Some(turn) if turn.role == Voice::Assistant => turn.content.push(call),
        _ => turns.push(Turn::of(Voice::Assistant, call)),
    }
    turns.push(Turn::of(Voice::User, result));
}

impl Turn {
    fn of(role: Voice, block: Block) -> Turn {
        Turn {
            role,
            content: vec![block],
        }
    }
}

impl Block {
    fn text(text: &str) -> Block {
        Block::Text { text: text.to_owned() }
    }
}
