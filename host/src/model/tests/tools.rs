//! Calls of tools as providers have them: how tools are told of, and what is understood as a call.

use serde_json::{Value, json};

use super::server::{Deed, Seen, Server, answer, finish, json as body, response, stream};
use super::{Meter, Provider, bounds, endpoint, request};
use crate::model::{Answer, ModelRequest, NativeCall, ProviderError, Remote, ToolParameter, ToolSchema};

fn parameter(name: &str, kind: &str, required: bool) -> ToolParameter {
    ToolParameter {
        name: name.to_owned(),
        kind: kind.to_owned(),
        description: format!("the {name}"),
        required,
    }
}

fn tool(name: &str, parameters: Vec<ToolParameter>) -> ToolSchema {
    ToolSchema {
        name: name.to_owned(),
        description: format!("does {name}"),
        parameters,
    }
}

fn asking(tools: Vec<ToolSchema>) -> ModelRequest {
    ModelRequest {
        tools: tools.into(),
        ..request()
    }
}

fn shell() -> ModelRequest {
    asking(vec![tool("shell", vec![parameter("cmd", "string", true)])])
}

async fn sent(request: &ModelRequest) -> Seen {
    let server = Server::start([Deed::Send(answer("fine"))]).await;
    let remote = Remote::new("only", &endpoint(&server.base_url), &bounds()).unwrap();
    remote.ask(request, &Meter::default()).await.unwrap();
    server.seen().remove(0)
}

async fn answered(bytes: Vec<u8>) -> Result<Answer, ProviderError> {
    let server = Server::start([Deed::Send(bytes)]).await;
    Remote::new("only", &endpoint(&server.base_url), &bounds())
        .unwrap()
        .ask(&shell(), &Meter::default())
        .await
}

fn message(message: &Value, reason: &str) -> Vec<u8> {
    body(json!({"choices": [{"index": 0, "finish_reason": reason, "message": message}]}).to_string())
}

fn pieces(calls: &[Value]) -> Vec<u8> {
    let mut events: Vec<String> = calls
        .iter()
        .map(|call| json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}).to_string())
        .collect();
    events.extend([finish("tool_calls"), "[DONE]".to_owned()]);
    stream(&events.iter().map(String::as_str).collect::<Vec<&str>>())
}

fn call(name: &str, arguments: &str) -> NativeCall {
    NativeCall {
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    }
}

#[tokio::test]
async fn each_tool_is_told_of_with_its_types_and_an_explanation_that_must_be_given() {
    let kinds = ["string", "integer", "number", "boolean", "list", "any"];
    let parameters = kinds
        .iter()
        .map(|kind| parameter(kind, kind, *kind == "string"))
        .collect();
    let own = vec![parameter("explanation", "string", false)];
    let seen = sent(&asking(vec![
        tool("all", parameters),
        tool("own", own),
        tool("none", Vec::new()),
    ]))
    .await;
    let tools = seen.body["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["function"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["all", "own", "none"]);
    assert!(tools.iter().all(|tool| tool["type"] == "function"));
    let schema = |at: usize| &tools[at]["function"]["parameters"];
    let types: Vec<Option<&str>> = kinds
        .iter()
        .map(|kind| schema(0)["properties"][kind].get("type").and_then(Value::as_str))
        .collect();
    let told = ["string", "integer", "number", "boolean", "array"];
    assert_eq!(types[..5], told.map(Some));
    assert_eq!(types[5], None);
    assert_eq!(schema(0)["properties"]["integer"]["description"], "the integer");
    assert_eq!(schema(0)["required"], json!(["string", "explanation"]));
    assert_eq!(schema(1)["properties"]["explanation"]["description"], "the explanation");
    assert_eq!(schema(1)["required"], json!(["explanation"]));
    assert_eq!(schema(2)["required"], json!(["explanation"]));
    assert_eq!(seen.body["parallel_tool_calls"], false);
}

#[tokio::test]
async fn names_that_servers_refuse_and_more_tools_than_they_take_are_left_out() {
    let mut tools = vec![
        tool("two words", Vec::new()),
        tool(&"n".repeat(65), Vec::new()),
        tool("odd", vec![parameter("ü", "string", true)]),
    ];
    tools.extend((0..130).map(|number| tool(&format!("t{number}"), Vec::new())));
    let seen = sent(&asking(tools)).await;
    let told = seen.body["tools"].as_array().unwrap();
    assert_eq!((told.len(), &told[0]["function"]["name"]), (128, &json!("t0")));
    let long = ToolSchema {
        description: "ü".repeat(1_000),
        ..tool("long", Vec::new())
    };
    let seen = sent(&asking(vec![long])).await;
    assert_eq!(seen.body["tools"][0]["function"]["description"], "ü".repeat(512));
    let seen = sent(&asking(vec![tool("two words", Vec::new())])).await;
    assert_eq!(
        (seen.body.get("tools"), seen.body.get("parallel_tool_calls")),
        (None, None)
    );
}

#[tokio::test]
async fn a_call_without_any_text_is_an_answer() {
    for content in [Value::Null, json!(""), json!("I look.")] {
        let calls =
            json!([{"id": "a", "type": "function", "function": {"name": "shell", "arguments": "{\"cmd\":\"ls\"}"}}]);
        let said = json!({"role": "assistant", "content": content, "tool_calls": calls});
        let answer = answered(message(&said, "tool_calls")).await.unwrap();
        assert_eq!(answer.calls, [call("shell", r#"{"cmd":"ls"}"#)]);
        assert_eq!(answer.text, content.as_str().unwrap_or(""));
    }
}

#[tokio::test]
async fn pieces_of_calls_are_put_together_by_their_number() {
    let answer = answered(pieces(&[
        json!({"index": 0, "id": "a", "type": "function", "function": {"name": "shell", "arguments": ""}}),
        json!({"index": 0, "function": {"arguments": "{\"cmd\":"}}),
        json!({"index": 1, "id": "b", "function": {"name": "now", "arguments": null}}),
        json!({"index": 0, "function": {"arguments": "\"ls\"}"}}),
    ]))
    .await
    .unwrap();
    assert_eq!(answer.calls, [call("shell", r#"{"cmd":"ls"}"#), call("now", "{}")]);
}

#[tokio::test]
async fn whole_calls_that_all_have_one_number_or_none_are_told_apart() {
    for number in [json!(0), Value::Null] {
        let answer = answered(pieces(&[
            json!({"index": number, "id": "a", "function": {"name": "shell", "arguments": "{\"cmd\":\"ls\"}"}}),
            json!({"index": number, "id": "b", "function": {"name": "shell", "arguments": "{\"cmd\":\"pwd\"}"}}),
        ]))
        .await
        .unwrap();
        assert_eq!(
            answer.calls,
            [call("shell", r#"{"cmd":"ls"}"#), call("shell", r#"{"cmd":"pwd"}"#)]
        );
    }
    let bare = json!({"function": {"name": "now", "arguments": "{}"}});
    let answer = answered(pieces(&[bare.clone(), bare])).await.unwrap();
    assert_eq!(answer.calls.len(), 2);
}

#[tokio::test]
async fn arguments_stay_as_they_were_written_even_where_they_are_no_good() {
    for text in ["{\"cmd\": \"ls\", \"cmd\": \"rm\"}", "{\"cmd\":", "ls", "[1]"] {
        let answer = answered(pieces(&[
            json!({"index": 0, "function": {"name": "shell", "arguments": text}}),
        ]))
        .await
        .unwrap();
        assert_eq!(answer.calls, [call("shell", text)]);
    }
    // As an object, in a text of its own: a value in a macro would have lost one of the keys.
    let twice = r#"{"choices":[{"finish_reason":"tool_calls","message":{"tool_calls":[{"function":{"name":"shell","arguments":{"cmd":"ls","cmd":"rm"}}}]}}]}"#;
    let answer = answered(body(twice)).await.unwrap();
    assert_eq!(answer.calls, [call("shell", r#"{"cmd":"ls","cmd":"rm"}"#)]);
}

#[tokio::test]
async fn calls_count_towards_the_bound_on_an_answer() {
    let limit = bounds().answer_bytes;
    let long = json!({"index": 0, "function": {"name": "shell", "arguments": "a".repeat(limit)}});
    assert_eq!(answered(pieces(&[long])).await, Err(ProviderError::TooLarge { limit }));
    let names: Vec<Value> = (0..101)
        .map(|number| json!({"index": number, "id": "i".repeat(40)}))
        .collect();
    assert_eq!(answered(pieces(&names)).await, Err(ProviderError::TooLarge { limit }));
    let empty = vec![json!({"index": 0}); limit + 1];
    assert_eq!(answered(pieces(&empty)).await, Err(ProviderError::TooLarge { limit }));
}

#[tokio::test]
async fn an_answer_has_a_bounded_number_of_calls_in_pieces_and_as_a_whole() {
    let calls = |count: usize| -> Vec<Value> {
        (0..count)
            .map(|number| json!({"index": number, "function": {"name": "t"}}))
            .collect()
    };
    let whole = |count| message(&json!({"tool_calls": calls(count)}), "tool_calls");
    assert_eq!(answered(pieces(&calls(128))).await.unwrap().calls.len(), 128);
    assert_eq!(answered(whole(128)).await.unwrap().calls.len(), 128);
    for many in [pieces(&calls(129)), whole(129)] {
        let error = answered(many).await.unwrap_err();
        assert!(error.to_string().contains("more than 128 tools"), "{error}");
    }
}

#[tokio::test]
async fn a_call_that_was_cut_off_is_a_failure() {
    let said = json!({"tool_calls": [{"function": {"name": "shell", "arguments": "{\"cmd\":\"rm -r"}}]});
    let error = answered(message(&said, "length")).await.unwrap_err();
    assert!(matches!(error, ProviderError::CutOff { .. }), "{error:?}");
}

#[tokio::test]
async fn a_server_that_refuses_tools_is_asked_without_from_then_on() {
    for (status, told) in [
        (
            "400 Bad Request",
            json!({"error": {"message": "registry.ollama.ai/library/tiny does not support tools"}}),
        ),
        (
            "400 Bad Request",
            json!({"error": {"message": "unknown field", "param": "tools"}}),
        ),
        (
            "404 Not Found",
            json!({"error": {"message": "No endpoints found that support tool use."}}),
        ),
        (
            "400 Bad Request",
            json!({"message": "\"auto\" tool choice requires --enable-auto-tool-choice"}),
        ),
        (
            "500 Internal Server Error",
            json!({"error": {"message": "tools param requires --jinja flag"}}),
        ),
    ] {
        let refusal = response(status, "Content-Type: application/json\r\n", told.to_string());
        let server = Server::start([Deed::Send(refusal), Deed::Send(answer("without"))]).await;
        let remote = Remote::new("only", &endpoint(&server.base_url), &bounds()).unwrap();
        for _ in 0..2 {
            assert_eq!(
                remote.ask(&shell(), &Meter::default()).await.unwrap().text,
                "without",
                "{told}"
            );
        }
        let with: Vec<bool> = server
            .seen()
            .iter()
            .map(|seen| seen.body.get("tools").is_some())
            .collect();
        assert_eq!(with, [true, false, false], "{told}");
    }
}

#[tokio::test]
async fn a_server_that_only_refuses_one_call_at_a_time_keeps_its_tools() {
    let told = r#"{"error":{"message":"Unsupported parameter","param":"parallel_tool_calls"}}"#;
    let server = Server::start([
        Deed::Send(response("400 Bad Request", "", told)),
        Deed::Send(answer("many")),
    ])
    .await;
    let remote = Remote::new("only", &endpoint(&server.base_url), &bounds()).unwrap();
    assert_eq!(remote.ask(&shell(), &Meter::default()).await.unwrap().text, "many");
    let last = &server.seen()[1].body;
    assert!(
        last.get("tools").is_some() && last.get("parallel_tool_calls").is_none(),
        "{last}"
    );
}

#[tokio::test]
async fn another_fault_is_not_blamed_on_tools_for_good() {
    let told = r#"{"error":{"message":"this model knows no tools today"}}"#;
    let server = Server::start([
        Deed::Send(response("400 Bad Request", "", told)),
        Deed::Send(response("400 Bad Request", "", r#"{"error":{"message":"too long"}}"#)),
        Deed::Send(answer("fine")),
    ])
    .await;
    let remote = Remote::new("only", &endpoint(&server.base_url), &bounds()).unwrap();
    let error = remote.ask(&shell(), &Meter::default()).await.unwrap_err();
    assert!(matches!(error, ProviderError::Status { code: 400, .. }), "{error:?}");
    remote.ask(&shell(), &Meter::default()).await.unwrap();
    assert!(
        server.seen()[2].body.get("tools").is_some(),
        "it was never shown that tools were the fault"
    );
}
