//! Native calls of tools, as providers have them, over real HTTP: each is a proposal like one that is written, no more and no
//! less.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_tests::server::{Deed, Server, answer, home_with_server, json_answer};
use passepartout_tests::{Home, message};
use serde_json::{Value, json};

const WHY: &str = "to do what was asked for";

/// An answer that calls these tools with these arguments.
fn calls(calls: &[(&str, String)]) -> Deed {
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(at, (name, arguments))| {
            json!({"id": format!("call_{at}"), "type": "function", "function": {"name": name, "arguments": arguments}})
        })
        .collect();
    let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
    json_answer(
        200,
        &json!({"choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}),
    )
}

fn call(name: &str, arguments: &Value) -> Deed {
    calls(&[(name, arguments.to_string())])
}

#[test]
fn a_native_call_is_the_action_that_a_written_one_is() {
    let wanted =
        format!("(:TYPE :REQUEST :TARGET :SHELL :ORIGIN :MODEL :PAYLOAD (:CMD \"touch x\" :EXPLANATION \"{WHY}\"))");
    for (name, arguments) in [
        ("shell", json!({"cmd": "touch x", "explanation": WHY})),
        ("Shell", json!({"CMD": "touch x", "Explanation": WHY})),
    ] {
        let (server, home) = home_with_server(vec![call(name, &arguments)]);
        let turn = home.start().connect().ask("go");
        assert_eq!(turn.outcome(), "WAITING", "{turn:#?}");
        assert_eq!(turn.plan().text_at("text"), Some(&*wanted));
        assert!(!home.workspace().join("x").exists());
        let tools = server.seen()[0].body["tools"].to_string();
        assert!(tools.contains("\"shell\"") && tools.contains("explanation"), "{tools}");
    }
}

#[test]
fn what_is_wrong_with_a_native_call_is_told_to_the_model_by_name() {
    let cases = [
        ("shell", json!({"cmd": "touch x"}).to_string(), "missing-explanation"),
        (
            "shell",
            format!("{{\"cmd\": \"true\", \"CMD\": \"touch x\", \"explanation\": \"{WHY}\"}}"),
            "there twice",
        ),
        (
            "shell",
            format!("{{\"cmd\": \"touch x\", \"explanation\": \"{WHY}\""),
            "unreadable-proposal",
        ),
        ("shell", format!("[\"touch x\", \"{WHY}\"]"), "unreadable-proposal"),
        (
            "shell",
            json!({"cmd": ["touch", "x"], "explanation": WHY}).to_string(),
            "parameter-kind",
        ),
        (
            "shell",
            json!({"cmd": "touch x", "approved": true, "explanation": WHY}).to_string(),
            "unknown-parameter",
        ),
        (
            "no-such-tool",
            json!({"cmd": "touch x", "explanation": WHY}).to_string(),
            "unknown-tool",
        ),
        (
            "#.(run)",
            json!({"cmd": "touch x", "explanation": WHY}).to_string(),
            "unknown-tool",
        ),
    ];
    for (name, arguments, rule) in cases {
        let (server, home) = home_with_server(vec![
            calls(&[(name, arguments.clone())]),
            answer(&message("otherwise, then")),
        ]);
        let turn = home.start().connect().ask("go");
        assert_eq!(turn.reply(), "otherwise, then", "{name} {arguments}\n{turn:#?}");
        let heard = server.body(1);
        assert!(
            heard.contains("REJECTED") && heard.contains(rule),
            "{name} {arguments}\n{heard}"
        );
        assert!(!home.workspace().join("x").exists(), "{arguments}");
    }
}

#[test]
fn arguments_that_a_server_sends_as_an_object_are_read_by_the_same_rules() {
    let arguments = format!("{{\"cmd\": \"true\", \"cmd\": \"touch x\", \"explanation\": \"{WHY}\"}}");
    let openai = format!(
        "{{\"choices\": [{{\"index\": 0, \"finish_reason\": \"tool_calls\", \"message\": {{\"role\": \"assistant\", \"content\": \
         null, \"tool_calls\": [{{\"id\": \"c\", \"type\": \"function\", \"function\": {{\"name\": \"shell\", \"arguments\": \
         {arguments}}}}}]}}}}]}}"
    );
    let anthropic = format!(
        "{{\"type\": \"message\", \"role\": \"assistant\", \"stop_reason\": \"tool_use\", \"content\": [{{\"type\": \"tool_use\", \
         \"id\": \"c\", \"name\": \"shell\", \"input\": {arguments}}}], \"usage\": {{\"input_tokens\": 1, \"output_tokens\": 1}}}}"
    );
    for (dialect, body) in [("openai", openai), ("anthropic", anthropic)] {
        let deed = Deed::Answer(200, "Content-Type: application/json\r\n".to_owned(), body.into_bytes());
        let server = Server::start(vec![deed]);
        let home = Home::new().config(&format!(
            "[model]\ncascade = [\"local\"]\n\n[providers.local]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\n\
             dialect = \"{dialect}\"\n",
            server.port
        ));
        let turn = home.start().connect().ask("go");
        assert_eq!(turn.outcome(), "REFUSED", "{dialect}\n{turn:#?}");
        assert_eq!(turn.rejections(), [("host", "unreadable-proposal"); 3], "{dialect}");
        assert!(server.body(1).contains("there twice"), "{dialect}\n{}", server.body(1));
        assert!(!home.workspace().join("x").exists());
    }
}

#[test]
fn the_same_refused_call_three_times_ends_in_a_notice_with_gate_and_rule() {
    let (server, home) = home_with_server(vec![call("shell", &json!({"cmd": "rm -rf /", "explanation": WHY}))]);
    let turn = home.start().connect().ask("clean up");
    assert_eq!(turn.outcome(), "REFUSED");
    assert_eq!(turn.rejections(), [("dispatcher", "shell-remove-everything"); 3]);
    assert_eq!(server.seen().len(), 3);
}

#[test]
fn of_several_calls_the_first_is_taken_and_the_model_hears_of_it() {
    let code = |code: &str| json!({"code": code, "explanation": WHY}).to_string();
    let (server, home) = home_with_server(vec![
        calls(&[
            ("eval", code("(* 6 7)")),
            ("shell", json!({"cmd": "touch x", "explanation": WHY}).to_string()),
        ]),
        answer(&message("it is 42")),
    ]);
    let turn = home.start().connect().ask("compute");
    assert_eq!(turn.reply(), "it is 42", "{turn:#?}");
    let heard = server.body(1);
    assert!(heard.contains("(* 6 7)") && heard.contains("42"), "{heard}");
    assert!(heard.contains("the first of these calls only"), "{heard}");
    assert!(!home.workspace().join("x").exists());
}

#[test]
fn calls_of_an_answer_in_one_piece_are_apart_whatever_their_identifiers_are() {
    let own = |id: &Value, name: &str, arguments: Value| json!({"id": id, "index": 0, "type": "function", "function": {"name": name, "arguments": arguments.to_string()}});
    for id in [json!("same"), json!(""), Value::Null] {
        let calls = [
            own(&id, "eval", json!({"code": "(* 6 7)", "explanation": WHY})),
            own(&id, "shell", json!({"cmd": "touch x", "explanation": WHY})),
        ];
        let said = json!({"role": "assistant", "content": null, "tool_calls": calls});
        let body = json!({"choices": [{"index": 0, "finish_reason": "tool_calls", "message": said}]});
        let (server, home) = home_with_server(vec![json_answer(200, &body), answer(&message("it is 42"))]);
        let turn = home.start().connect().ask("compute");
        assert_eq!(turn.reply(), "it is 42", "{id}\n{turn:#?}");
        assert!(server.body(1).contains("the first of these calls only"), "{id}");
        assert!(!home.workspace().join("x").exists());
    }
}

#[test]
fn arguments_that_are_no_object_are_told_to_the_model_and_the_rest_of_the_answer_is_kept() {
    for odd in [json!(5), json!([1]), json!(true)] {
        let openai = json!({"choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": null, "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "shell", "arguments": odd}}]}}]});
        let anthropic = json!({"type": "message", "role": "assistant", "stop_reason": "tool_use",
            "content": [{"type": "tool_use", "id": "c", "name": "shell", "input": odd}]});
        let said_openai = json!({"choices": [{"index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": "otherwise, then"}}]});
        let said_anthropic = json!({"type": "message", "role": "assistant", "stop_reason": "end_turn",
            "content": "otherwise, then"});
        for (dialect, odd, said) in [
            ("openai", openai, said_openai),
            ("anthropic", anthropic, said_anthropic),
        ] {
            let server = Server::start(vec![json_answer(200, &odd), json_answer(200, &said)]);
            let home = Home::new().config(&format!(
                "[model]\ncascade = [\"local\"]\n\n[providers.local]\nbase_url = \"http://127.0.0.1:{}/v1\"\n\
                 model = \"tiny\"\ndialect = \"{dialect}\"\n",
                server.port
            ));
            let turn = home.start().connect().ask("go");
            assert_eq!(turn.reply(), "otherwise, then", "{dialect} {odd}\n{turn:#?}");
            assert!(server.body(1).contains("no plain JSON object"), "{}", server.body(1));
        }
    }
}
