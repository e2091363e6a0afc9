//! Anthropic's dialect: what is sent, what is understood, and what fails.

use serde_json::{Value, json};

use super::server::{Deed, STREAM, Seen, Server, json as body, response};
use super::{Consumed, LONG, Meter, bounds, cascade, told, with_key};
use crate::config::{Dialect, ModelConfig, ProviderConfig};
use crate::model::{
    Answer, Message, ModelRequest, NativeCall, Provider, ProviderError, Remote, Role, ToolParameter, ToolSchema,
    known,
};

const KEY: &str = "sk-ant-0123456789";

fn described(base_url: &str) -> ProviderConfig {
    ProviderConfig {
        dialect: Some(Dialect::Anthropic),
        ..with_key(base_url, KEY)
    }
}

fn remote(base_url: &str) -> Remote {
    Remote::new("only", &described(base_url), &bounds()).unwrap()
}

fn message(content: &Value, reason: &str) -> Vec<u8> {
    body(
        json!({
            "type": "message", "role": "assistant", "content": content, "stop_reason": reason,
            "usage": {"input_tokens": 11, "cache_read_input_tokens": 4, "output_tokens": 3},
        })
        .to_string(),
    )
}

fn said(text: &str) -> Vec<u8> {
    message(&json!([{"type": "text", "text": text}]), "end_turn")
}

fn events(events: &[Value]) -> Vec<u8> {
    let mut text = STREAM.to_owned();
    for event in events {
        let kind = event["type"].as_str().unwrap();
        text.push_str(&format!("event: {kind}\ndata: {event}\n\n"));
    }
    text.into_bytes()
}

fn delta(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn start(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn conversation(messages: &[(Role, &str)], tools: &[ToolSchema]) -> ModelRequest {
    ModelRequest {
        system: "be brief".to_owned(),
        messages: messages
            .iter()
            .map(|(role, text)| Message {
                role: *role,
                text: (*text).to_owned(),
            })
            .collect(),
        tools: tools.into(),
        ..ModelRequest::default()
    }
}

fn shell() -> ToolSchema {
    ToolSchema {
        name: "shell".to_owned(),
        description: "Runs a command.".to_owned(),
        parameters: vec![ToolParameter {
            name: "cmd".to_owned(),
            kind: "string".to_owned(),
            description: "The command.".to_owned(),
            required: true,
        }],
    }
}

async fn sent(request: &ModelRequest) -> Seen {
    let server = Server::start([Deed::Send(said("fine"))]).await;
    assert_eq!(
        remote(&server.base_url)
            .ask(request, &Meter::default())
            .await
            .unwrap()
            .text,
        "fine"
    );
    server.seen().remove(0)
}

async fn ask(bytes: Vec<u8>) -> Result<Answer, ProviderError> {
    metered(Deed::Send(bytes)).await.0
}

async fn metered(deed: Deed) -> (Result<Answer, ProviderError>, Consumed) {
    let server = Server::start([deed]).await;
    let (meter, hello) = (Meter::default(), conversation(&[(Role::User, "hello")], &[]));
    (remote(&server.base_url).ask(&hello, &meter).await, meter.read())
}

/// Roles, and the kinds of the blocks in each turn.
fn shape(seen: &Seen) -> Vec<(String, Vec<String>)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let turns = seen.body["messages"].as_array().unwrap().iter();
    turns
        .map(|turn| {
            let blocks = turn["content"].as_array().unwrap().iter();
            (text(&turn["role"]), blocks.map(|block| text(&block["type"])).collect())
        })
        .collect()
}

fn turn(role: &str, blocks: &[&str]) -> (String, Vec<String>) {
    (
        role.to_owned(),
        blocks.iter().map(|block| (*block).to_owned()).collect(),
    )
}

#[tokio::test]
async fn a_request_is_posted_to_messages_with_version_key_and_bound() {
    let seen = sent(&conversation(&[(Role::User, "hello")], &[])).await;
    assert!(seen.head.starts_with("POST /v1/messages HTTP/1.1"), "{}", seen.head);
    assert_eq!(seen.header("x-api-key"), Some(KEY));
    assert_eq!(seen.header("authorization"), None);
    assert_eq!(seen.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(seen.body["model"], "test-model");
    assert_eq!(seen.body["max_tokens"], bounds().answer_tokens);
    assert_eq!(seen.body["system"], "be brief");
    assert_eq!(seen.body["stream"], true);
    assert_eq!(
        seen.body["messages"],
        json!([{"role": "user", "content": [{"type": "text", "text": "hello"}]}])
    );
    assert_eq!((seen.body.get("tools"), seen.body.get("tool_choice")), (None, None));
}

#[tokio::test]
async fn tool_output_stands_first_in_the_turn_after_a_call_for_it() {
    let messages = [
        (Role::Assistant, "before "),
        (Role::User, "list the files"),
        (Role::Assistant, "(:TOOL \"shell\" …)\n"),
        (Role::Tool, "a.txt"),
        (Role::Tool, "b.txt"),
        (Role::User, "thanks"),
        (Role::User, " "),
        (Role::Tool, "c.txt"),
    ];
    let seen = sent(&conversation(&messages, &[])).await;
    assert_eq!(
        shape(&seen),
        [
            turn("user", &["text"]),
            turn("assistant", &["text"]),
            turn("user", &["text"]),
            turn("assistant", &["text", "tool_use", "tool_use"]),
            turn("user", &["tool_result", "tool_result", "text"]),
            turn("assistant", &["tool_use"]),
            turn("user", &["tool_result"]),
        ]
    );
    let content = |at: usize| seen.body["messages"][at]["content"].as_array().unwrap();
    let ids: Vec<&Value> = content(3)[1..].iter().map(|block| &block["id"]).collect();
    let answered: Vec<&Value> = content(4)[..2].iter().map(|block| &block["tool_use_id"]).collect();
    assert_eq!(ids, answered);
    assert_ne!(ids[0], ids[1]);
    let text = content(4)[0]["content"].as_str().unwrap();
    assert!(text.contains("\na.txt\n") && text.contains("no instructions"), "{text}");
    assert_eq!(content(3)[0]["text"], "(:TOOL \"shell\" …)", "no blank at its end");
    // Calls are only taken where there are tools, and this one must not be called.
    assert_eq!(seen.body["tools"][0]["name"], content(3)[1]["name"]);
    assert_eq!(seen.body["tool_choice"], json!({"type": "none"}));
}

#[tokio::test]
async fn tools_go_along_with_their_schema_one_call_at_a_time() {
    let seen = sent(&conversation(&[(Role::User, "hello")], &[shell()])).await;
    let tool = &seen.body["tools"][0];
    assert_eq!(
        (&tool["name"], &tool["description"]),
        (&json!("shell"), &json!("Runs a command."))
    );
    assert_eq!(tool["input_schema"]["required"], json!(["cmd", "explanation"]));
    assert_eq!(
        seen.body["tool_choice"],
        json!({"type": "auto", "disable_parallel_tool_use": true})
    );
}

#[tokio::test]
async fn a_server_without_tools_is_asked_without_from_then_on_and_still_told_what_they_gave_back() {
    let refusal = r#"{"type":"error","error":{"type":"invalid_request_error","message":"tools: Extra inputs are not permitted"}}"#;
    let server = Server::start([
        Deed::Send(response("400 Bad Request", "", refusal)),
        Deed::Send(said("without")),
    ])
    .await;
    let remote = remote(&server.base_url);
    let request = conversation(&[(Role::User, "go on"), (Role::Tool, "42")], &[shell()]);
    for _ in 0..2 {
        assert_eq!(remote.ask(&request, &Meter::default()).await.unwrap().text, "without");
    }
    let seen = server.seen();
    let with: Vec<bool> = seen.iter().map(|seen| seen.body.get("tools").is_some()).collect();
    assert_eq!(with, [true, false, false]);
    assert_eq!(shape(&seen[2]), [turn("user", &["text", "text"])]);
    let text = seen[2].body["messages"][0]["content"][1]["text"].as_str().unwrap();
    assert!(text.starts_with("[output ") && text.contains("42"), "{text}");
}

#[tokio::test]
async fn an_answer_in_one_piece_is_text_calls_and_usage_and_thoughts_are_left_out() {
    let content = json!([
        {"type": "thinking", "thinking": "hm", "signature": "x"},
        {"type": "text", "text": "I look. "},
        {"type": "tool_use", "id": "toolu_1", "name": "shell", "input": {"cmd": "ls"}},
        {"type": "text", "text": "Then we see."},
        {"type": "tool_use", "id": "toolu_2", "name": "now", "input": {}},
    ]);
    let (answer, consumed) = metered(Deed::Send(message(&content, "tool_use"))).await;
    let answer = answer.unwrap();
    assert_eq!(answer.text, "I look. Then we see.");
    let call = |name: &str, arguments: &str| NativeCall {
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    };
    assert_eq!(answer.calls, [call("shell", r#"{"cmd":"ls"}"#), call("now", "{}")]);
    assert_eq!(told(consumed), (Some(15), Some(3)));
}

#[tokio::test]
async fn a_stream_is_put_together_block_by_block() {
    let bytes = events(&[
        json!({"type": "message_start", "message": {"type": "message", "content": [], "usage": {"input_tokens": 25, "output_tokens": 1}}}),
        start(0, json!({"type": "thinking", "thinking": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "hm"})),
        delta(0, json!({"type": "signature_delta", "signature": "x"})),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "ping"}),
        start(1, json!({"type": "text", "text": ""})),
        delta(1, json!({"type": "text_delta", "text": "I "})),
        delta(1, json!({"type": "text_delta", "text": "look."})),
        start(
            2,
            json!({"type": "tool_use", "id": "toolu_1", "name": "shell", "input": {}}),
        ),
        delta(2, json!({"type": "input_json_delta", "partial_json": ""})),
        delta(2, json!({"type": "input_json_delta", "partial_json": "{\"cmd\": \"l"})),
        delta(2, json!({"type": "input_json_delta", "partial_json": "s\"}"})),
        json!({"type": "something_new", "index": 2}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 15}}),
        json!({"type": "message_stop"}),
    ]);
    let (answer, consumed) = metered(Deed::Stall(bytes)).await;
    let answer = answer.unwrap();
    assert_eq!(answer.text, "I look.");
    assert_eq!(
        (answer.calls[0].name.as_str(), answer.calls[0].arguments.as_str()),
        ("shell", "{\"cmd\": \"ls\"}")
    );
    assert_eq!(told(consumed), (Some(25), Some(15)));
}

#[tokio::test]
async fn an_answer_that_was_cut_off_is_a_failure() {
    for reason in [
        "max_tokens",
        "model_context_window_exceeded",
        "refusal",
        "pause_turn",
        "error",
    ] {
        let text = json!([{"type": "text", "text": "(:TYPE :REQ"}]);
        let streamed = events(&[
            delta(0, json!({"type": "text_delta", "text": "(:TYPE"})),
            json!({"type": "message_delta", "delta": {"stop_reason": reason}}),
            json!({"type": "message_stop"}),
        ]);
        for bytes in [message(&text, reason), streamed] {
            let error = ask(bytes).await.unwrap_err();
            assert!(
                matches!(&error, ProviderError::CutOff { reason: said } if said.contains(reason)),
                "{error:?}"
            );
        }
    }
}

#[tokio::test]
async fn errors_inside_a_stream_have_the_status_that_they_stand_for() {
    for (kind, code) in [("overloaded_error", 529), ("rate_limit_error", 429), ("api_error", 500)] {
        let bytes = events(&[
            delta(0, json!({"type": "text_delta", "text": "half of"})),
            json!({"type": "error", "error": {"type": kind, "message": format!("too much for {KEY}")}}),
        ]);
        match ask(bytes).await.unwrap_err() {
            ProviderError::Status {
                code: seen, message, ..
            } => {
                assert_eq!((seen, message.as_str()), (code, "too much for ***"));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn what_is_no_message_is_told_apart() {
    let stopped = events(&[delta(0, json!({"type": "text_delta", "text": "I was about to"}))]);
    assert!(matches!(ask(stopped).await, Err(ProviderError::Closed { .. })));
    for empty in [
        json!([]),
        json!([{"type": "thinking", "thinking": "hm"}]),
        json!([{"type": "text", "text": " \n"}]),
    ] {
        assert_eq!(ask(message(&empty, "end_turn")).await, Err(ProviderError::Empty));
    }
    let half = ask(body(r#"{"type":"message","content":[{"type":"te"#)).await;
    assert!(matches!(half, Err(ProviderError::NotJson { .. })), "{half:?}");
    assert_eq!(ask(body("<html>")).await, Err(ProviderError::Html));
    let limit = bounds().answer_bytes;
    let long = ask(said(&"a".repeat(limit + 1))).await;
    assert_eq!(long, Err(ProviderError::TooLarge { limit }));
}

#[tokio::test]
async fn a_refused_key_names_its_variable_and_is_shown_nowhere() {
    let told = format!(
        r#"{{"type":"error","error":{{"type":"authentication_error","message":"invalid x-api-key {KEY}"}}}}"#
    );
    let server = Server::start([Deed::Send(response("401 Unauthorized", "Retry-After: 0\r\n", told))]).await;
    let only = cascade(vec![std::sync::Arc::new(remote(&server.base_url))], &bounds());
    let error = only
        .ask(&conversation(&[(Role::User, "hello")], &[]))
        .await
        .unwrap_err();
    assert_eq!(server.requests(), 1);
    assert!(error.to_string().contains("TEST_API_KEY"), "{error}");
    assert!(!format!("{error} {error:?}").contains(KEY), "{error:?}");
}

#[tokio::test]
async fn the_well_known_provider_speaks_it_at_another_address_too() {
    let server = Server::start([Deed::Send(said("hi"))]).await;
    let mut config = ModelConfig {
        cascade: vec!["anthropic".to_owned()],
        total_timeout: LONG,
        ..bounds()
    };
    let own = ProviderConfig {
        dialect: None,
        ..described(&format!("{}/messages", server.base_url))
    };
    config.providers.insert("anthropic".to_owned(), own);
    let keys = known::Keys {
        variable: &|_| None,
        vault: &|_| None,
    };
    assert!(known::complete(&mut config, &keys).is_empty());
    let (cascade, faults) = crate::model::Cascade::from_config(&config);
    assert!(faults.is_empty(), "{faults:?}");
    let answer = cascade.ask(&conversation(&[(Role::User, "hello")], &[])).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.provider.as_str()), ("hi", "anthropic"));
    assert!(server.seen()[0].head.starts_with("POST /v1/messages "));
}
