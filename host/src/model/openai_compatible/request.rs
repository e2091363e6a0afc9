//! The request: a conversation as chat completions spell it.
//!
//! What a tool gave back goes in the tool's role. That role is only taken right after an assistant's message that
//! called for it, so each run of tool output gets such a call, made up, on the assistant's message before it.

use serde::Serialize;
use serde_json::Value;

use crate::model::exchange::{Limit, OUTPUT, Question, call_id, delimited};
use crate::model::{ModelRequest, Role, ToolSchema, tools};

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    messages: Vec<Entry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
}

#[derive(Serialize)]
struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: Declaration<'a>,
}

#[derive(Serialize)]
struct Declaration<'a> {
    name: &'a str,
    description: &'a str,
    parameters: Value,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct Entry {
    role: &'static str,
    content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
}

#[derive(Serialize)]
struct ToolCall {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function,
}

#[derive(Serialize)]
struct Function {
    name: &'static str,
    arguments: &'static str,
}

/// The request's body.
pub(super) fn encode(question: &Question<'_>) -> Result<Vec<u8>, serde_json::Error> {
    let (request, manner) = (question.request, question.manner);
    let tools: Vec<Tool<'_>> = if manner.tools {
        tools::native(&request.tools).map(Tool::of).collect()
    } else {
        Vec::new()
    };
    let told_as = |way: Limit| (manner.limit == way).then_some(question.answer_tokens);
    serde_json::to_vec(&Request {
        model: question.model,
        max_tokens: told_as(Limit::MaxTokens),
        max_completion_tokens: told_as(Limit::MaxCompletionTokens),
        messages: entries(request),
        stream: manner.stream,
        stream_options: manner.stream.then_some(StreamOptions { include_usage: true }),
        parallel_tool_calls: (manner.one_call && !tools.is_empty()).then_some(false),
        tools,
    })
}

impl<'a> Tool<'a> {
    fn of(own: &'a ToolSchema) -> Tool<'a> {
        Tool {
            kind: "function",
            function: Declaration {
                name: &own.name,
                description: tools::description(own),
                parameters: tools::parameters(own),
            },
        }
    }
}

fn entries(request: &ModelRequest) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::with_capacity(request.messages.len() + 2);
    if !request.system.trim().is_empty() {
        entries.push(Entry::said("system", request.system.clone()));
    }
    for (number, message) in request.messages.iter().enumerate() {
        match message.role {
            Role::User => say(&mut entries, "user", &message.text),
            Role::Assistant => say(&mut entries, "assistant", &message.text),
            Role::Tool => give_back(&mut entries, number, &message.text),
        }
    }
    entries
}

/// Adds what someone said; to their last entry if that is the newest, because some servers insist on turns.
fn say(entries: &mut Vec<Entry>, role: &'static str, text: &str) {
    // Servers refuse an empty message.
    if text.trim().is_empty() {
        return;
    }
    match entries.last_mut() {
        Some(Entry {
            role: last,
            content: Some(content),
            ..
        }) if *last == role => {
            content.push_str("\n\n");
            content.push_str(text);
        }
        _ => entries.push(Entry::said(role, text.to_owned())),
    }
}

fn give_back(entries: &mut Vec<Entry>, number: usize, text: &str) {
    let id = call_id(number);
    let call = ToolCall {
        id: id.clone(),
        kind: "function",
        function: Function {
            name: OUTPUT,
            arguments: "{}",
        },
    };
    // Parallel calls stand together on the assistant's message, before the first result.
    let results = entries.iter().rev().take_while(|entry| entry.role == "tool").count();
    let caller = entries.len() - results;
    match caller.checked_sub(1).and_then(|at| entries.get_mut(at)) {
        Some(entry) if entry.role == "assistant" => entry.tool_calls.push(call),
        _ => {
            let asking = Entry {
                role: "assistant",
                content: None,
                tool_calls: vec![call],
                tool_call_id: None,
            };
            entries.insert(caller, asking);
        }
    }
    entries.push(Entry {
        role: "tool",
        content: Some(delimited(text)),
        tool_calls: Vec::new(),
        tool_call_id: Some(id),
    });
}

impl Entry {
    fn said(role: &'static str, text: String) -> Entry {
        Entry {
            role,
            content: Some(text),
            tool_calls: Vec::new(),
            tool_call_id: None,
        }
    }
}
