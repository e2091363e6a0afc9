//! A task by native calls in each dialect, as its servers stream them: the call waits for a person, what came of it goes
//! back as the dialect has it, and a server that won't hear of tools is served without.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_tests::Home;
use passepartout_tests::server::{Deed, Server, answer, failure};
use serde_json::{Value, json};

const WHY: &str = "to do what was asked for";

fn home(port: u16, dialect: &str) -> Home {
    Home::new().config(&format!(
        "[model]\ncascade = [\"only\"]\n[providers.only]\nbase_url = \"http://127.0.0.1:{port}/v1\"\nmodel = \"tiny\"\n\
         dialect = \"{dialect}\"\n"
    ))
}

/// A stream of these events, which stays open behind them.
fn stream(events: &[Value]) -> Deed {
    let mut text = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n".to_owned();
    for event in events {
        match event.as_str() {
            Some(plain) => text.push_str(&format!("data: {plain}\n\n")),
            None => text.push_str(&format!(
                "event: {}\ndata: {event}\n\n",
                event["type"].as_str().unwrap_or("message")
            )),
        }
    }
    Deed::Stall(text.into_bytes())
}

fn arguments() -> String {
    json!({"cmd": "echo $((6*7)) > made; cat made", "explanation": WHY}).to_string()
}

/// Asks for the task, approves the call, and gives the second request's body.
fn task(deeds: Vec<Deed>, dialect: &str) -> Value {
    let server = Server::start(deeds);
    let home = home(server.port, dialect);
    let daemon = home.start();
    let mut peer = daemon.connect();
    let turn = peer.ask("compute");
    assert_eq!(turn.outcome(), "WAITING", "{turn:#?}");
    assert!(
        turn.plan().text_at("text").unwrap().contains(":TARGET :SHELL"),
        "{turn:#?}"
    );
    assert!(!home.workspace().join("made").exists(), "it ran unasked");
    let turn = peer.ask(&format!("/approve {}", turn.plan_id()));
    assert_eq!(turn.reply(), "it is 42", "{turn:#?}");
    assert_eq!(std::fs::read_to_string(home.workspace().join("made")).unwrap(), "42\n");
    server.seen()[1].body.clone()
}

#[test]
fn a_call_that_comes_in_pieces_is_carried_out_once_approved_and_its_result_goes_back() {
    let piece =
        |call: Value| json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": null}]});
    let whole = arguments();
    let (one, two) = whole.split_at(20);
    let call = stream(&[
        piece(
            json!({"index": 0, "id": "call_a", "type": "function", "function": {"name": "shell", "arguments": ""}}),
        ),
        piece(json!({"index": 0, "function": {"arguments": one}})),
        piece(json!({"index": 0, "function": {"arguments": two}})),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
        json!("[DONE]"),
    ]);
    let body = task(vec![call, answer("it is 42")], "openai");
    let messages = body["messages"].as_array().unwrap();
    let (caller, result) = (&messages[messages.len() - 2], messages.last().unwrap());
    assert_eq!(
        (&caller["role"], &result["role"]),
        (&json!("assistant"), &json!("tool"))
    );
    assert_eq!(caller["tool_calls"][0]["id"], result["tool_call_id"]);
    let said = result["content"].as_str().unwrap();
    assert!(said.contains("42") && said.contains("data, no instructions"), "{said}");
}

#[test]
fn so_it_is_in_the_other_dialect() {
    let whole = arguments();
    let (one, two) = whole.split_at(20);
    let delta = |delta: Value| json!({"type": "content_block_delta", "index": 1, "delta": delta});
    let call = stream(&[
        json!({"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 9, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "I compute it."}}),
        json!({"type": "content_block_start", "index": 1,
               "content_block": {"type": "tool_use", "id": "toolu_1", "name": "shell", "input": {}}}),
        delta(json!({"type": "input_json_delta", "partial_json": one})),
        json!({"type": "ping"}),
        delta(json!({"type": "input_json_delta", "partial_json": two})),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 30}}),
        json!({"type": "message_stop"}),
    ]);
    let said = stream(&[
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "it is 42"}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}}),
        json!({"type": "message_stop"}),
    ]);
    let body = task(vec![call, said], "anthropic");
    let messages = body["messages"].as_array().unwrap();
    let (caller, result) = (&messages[messages.len() - 2], messages.last().unwrap());
    assert_eq!(
        (&caller["role"], &result["role"]),
        (&json!("assistant"), &json!("user"))
    );
    let call = caller["content"].as_array().unwrap().last().unwrap();
    let block = &result["content"][0];
    assert_eq!(
        (&call["type"], &block["type"]),
        (&json!("tool_use"), &json!("tool_result"))
    );
    assert_eq!(call["id"], block["tool_use_id"]);
    let said = block["content"].as_str().unwrap();
    assert!(said.contains("42") && said.contains("data, no instructions"), "{said}");
    assert_eq!(messages[0]["role"], "user");
}

/// The pieces of calls as a stream has them; what is null is not in a piece.
fn called(pieces: &[[Value; 4]]) -> Deed {
    let without_nulls = |mut own: Value| {
        if let Some(object) = own.as_object_mut() {
            object.retain(|_, value| !value.is_null());
        }
        own
    };
    let mut events: Vec<Value> = pieces
        .iter()
        .map(|[index, id, name, arguments]| {
            let function = without_nulls(json!({"name": name, "arguments": arguments}));
            let call = without_nulls(json!({"index": index, "id": id, "type": "function", "function": function}));
            json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": null}]})
        })
        .collect();
    events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}));
    events.push(json!("[DONE]"));
    stream(&events)
}

#[test]
fn however_servers_number_and_name_the_pieces_of_calls_the_first_call_is_the_one_that_was_meant() {
    let none = || Value::Null;
    let own = || json!("shell");
    let whole = json!({"cmd": "touch x", "explanation": WHY}).to_string();
    let other = json!({"path": ".", "explanation": WHY}).to_string();
    let (one, two) = whole.split_at(12);
    let (one, two, whole, other) = (|| json!(one), || json!(two), || json!(whole), || json!(other));
    let list = || json!("list-directory");
    let cases: [(&str, Vec<[Value; 4]>); 14] = [
        (
            "another identifier in each piece",
            vec![
                [json!(0), json!("a"), own(), json!("")],
                [json!(0), json!("b"), none(), one()],
                [json!(0), json!("c"), json!(""), two()],
            ],
        ),
        (
            "another identifier and the name in each piece",
            vec![
                [json!(0), json!("a"), own(), one()],
                [json!(0), json!("b"), own(), two()],
            ],
        ),
        (
            "the name in each piece, nothing else",
            vec![[none(), none(), own(), one()], [none(), none(), own(), two()]],
        ),
        (
            "a number in the first piece only",
            vec![
                [json!(0), json!("a"), own(), json!("")],
                [none(), none(), none(), one()],
                [none(), none(), none(), two()],
            ],
        ),
        (
            "another number in each piece",
            vec![[json!(0), json!("a"), own(), one()], [json!(1), none(), none(), two()]],
        ),
        (
            "all numbered 0, empty identifiers, two tools",
            vec![
                [json!(0), json!(""), own(), whole()],
                [json!(0), json!(""), list(), other()],
            ],
        ),
        (
            "all numbered 0, no identifiers, two tools",
            vec![[json!(0), none(), own(), whole()], [json!(0), none(), list(), other()]],
        ),
        (
            "all numbered 0, no identifiers, one tool twice",
            vec![
                [json!(0), none(), own(), whole()],
                [json!(0), none(), own(), json!("{\"cmd\":\"touch y\"}")],
            ],
        ),
        (
            "all numbered 0, identifiers of their own",
            vec![
                [json!(0), json!("a"), own(), whole()],
                [json!(0), json!("b"), list(), other()],
            ],
        ),
        (
            "numbers out of order, in turns",
            vec![
                [json!(1), json!("a"), own(), json!("")],
                [json!(0), json!("b"), list(), json!("")],
                [json!(1), none(), none(), one()],
                [json!(0), none(), none(), other()],
                [json!(1), none(), none(), two()],
            ],
        ),
        (
            "one identifier for all, in turns",
            vec![
                [json!(0), json!("a"), own(), json!("")],
                [json!(1), json!("a"), list(), json!("")],
                [json!(0), json!("a"), none(), one()],
                [json!(1), json!("a"), none(), other()],
                [json!(0), json!("a"), none(), two()],
            ],
        ),
        (
            "an empty object first",
            vec![
                [json!(0), json!("a"), own(), json!({})],
                [json!(0), none(), none(), one()],
                [json!(0), none(), none(), two()],
            ],
        ),
        (
            "an object instead of a text, twice",
            vec![
                [json!(0), none(), own(), json!({"cmd": "touch x", "explanation": WHY})],
                [json!(0), none(), own(), json!({"cmd": "touch y", "explanation": WHY})],
            ],
        ),
        (
            "the whole call once more at the end",
            vec![
                [json!(0), json!("a"), own(), one()],
                [json!(0), json!("a"), none(), two()],
                [json!(0), json!("a"), own(), whole()],
            ],
        ),
    ];
    let server = Server::start(cases.iter().map(|(_, pieces)| called(pieces)).collect());
    let home = home(server.port, "openai");
    let daemon = home.start();
    for (case, _) in &cases {
        let turn = daemon.connect().ask("go");
        assert_eq!(turn.outcome(), "WAITING", "{case}\n{turn:#?}");
        assert_eq!(
            turn.plan().text_at("text"),
            Some(&*format!(
                "(:TYPE :REQUEST :TARGET :SHELL :ORIGIN :MODEL :PAYLOAD (:CMD \"touch x\" :EXPLANATION \"{WHY}\"))"
            )),
            "{case}"
        );
    }
    assert_eq!(server.seen().len(), cases.len(), "a model was asked twice");
    assert!(!home.workspace().join("x").exists() && !home.workspace().join("y").exists());
}

#[test]
fn a_server_that_refuses_tools_is_asked_without_and_a_written_call_does_the_same() {
    let written = format!("(:TOOL \"shell\" :ARGS (:CMD \"touch made\" :EXPLANATION \"{WHY}\"))");
    let server = Server::start(vec![
        failure(400, "registry/library/tiny does not support tools"),
        answer(&written),
        answer("done"),
    ]);
    let home = home(server.port, "openai");
    let daemon = home.start();
    let mut peer = daemon.connect();
    let turn = peer.ask("make it");
    assert_eq!(turn.outcome(), "WAITING", "{turn:#?}");
    assert_eq!(peer.ask(&format!("/approve {}", turn.plan_id())).reply(), "done");
    let told: Vec<bool> = server
        .seen()
        .iter()
        .map(|seen| seen.body.get("tools").is_some())
        .collect();
    assert_eq!(told, [true, false, false]);
    let ran = home.run(&["status"]);
    assert!(
        ran.out.contains("only (tiny): ready; 2 answered, 0 failed"),
        "{}",
        ran.out
    );
}
