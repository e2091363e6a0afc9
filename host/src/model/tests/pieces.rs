//! How servers cut calls of tools into the pieces of a stream, and that each way is put together as it was meant.

use serde_json::{Value, json};

use super::server::{Deed, Server, finish, json as body, stream};
use super::{Meter, ask, bounds, endpoint, request};
use crate::config::{Dialect, ProviderConfig};
use crate::model::{Answer, Provider, Remote};

async fn streamed(pieces: &[Value]) -> Answer {
    let mut events: Vec<String> = pieces
        .iter()
        .map(|call| json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}).to_string())
        .collect();
    events.extend([finish("tool_calls"), "[DONE]".to_owned()]);
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    ask(Deed::Send(stream(&events)), &bounds()).await.unwrap()
}

async fn by_anthropic(bytes: Vec<u8>) -> Answer {
    let server = Server::start([Deed::Send(bytes)]).await;
    let described = ProviderConfig {
        dialect: Some(Dialect::Anthropic),
        ..endpoint(&server.base_url)
    };
    let remote = Remote::new("only", &described, &bounds()).unwrap();
    remote.ask(&request(), &Meter::default()).await.unwrap()
}

/// A piece; what is null is not in it.
fn piece(index: Value, id: Value, name: Value, arguments: Value) -> Value {
    let mut piece = json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}});
    let pruned = |object: &mut Value| object.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    pruned(&mut piece);
    pruned(&mut piece["function"]);
    piece
}

fn calls(answer: &Answer) -> Vec<(&str, &str)> {
    let calls = answer.calls.iter();
    calls
        .map(|call| (call.name.as_str(), call.arguments.as_str()))
        .collect()
}

#[tokio::test]
async fn one_call_is_one_whatever_its_later_pieces_repeat_or_leave_out() {
    let none = || Value::Null;
    let empty = || json!("");
    // The first piece says this, and each later one that.
    let firsts = [
        (json!(0), json!("a")),
        (json!(3), json!("a")),
        (json!(0), empty()),
        (json!(0), none()),
        (none(), json!("a")),
        (none(), empty()),
        (none(), none()),
    ];
    let laters = [
        (none(), none(), none()),
        (none(), empty(), empty()),
        (none(), none(), json!("t")),
        (none(), json!("b"), none()),
        (none(), json!("b"), json!("t")),
    ];
    for (index, id) in &firsts {
        let numbered = laters.iter().map(|(_, id, name)| (index, id, name));
        let unnumbered = laters.iter().map(|(none, id, name)| (none, id, name));
        for (later, other, name) in numbered.chain(unnumbered) {
            for held in [none(), empty(), json!("{\"a\": ")] {
                let missing = if held == json!("{\"a\": ") { "" } else { "{\"a\": " };
                let pieces = [
                    piece(index.clone(), id.clone(), json!("t"), held),
                    piece(
                        later.clone(),
                        other.clone(),
                        name.clone(),
                        json!(format!("{missing}\"{{\\\"}}\"")),
                    ),
                    piece(later.clone(), other.clone(), name.clone(), json!("}")),
                    piece(later.clone(), other.clone(), none(), empty()),
                ];
                let answer = streamed(&pieces).await;
                assert_eq!(calls(&answer), [("t", r#"{"a": "{\"}"}"#)], "{pieces:#?}");
            }
        }
    }
}

#[tokio::test]
async fn another_identifier_in_each_piece_or_another_number_makes_no_other_call() {
    let by_identifier = [
        piece(json!(0), json!("x1"), json!("t"), json!("")),
        piece(json!(0), json!("x2"), Value::Null, json!("{\"a\":")),
        piece(json!(0), json!("x3"), Value::Null, json!("1}")),
    ];
    let by_number = [
        piece(json!(0), json!("a"), json!("t"), json!("")),
        piece(json!(1), json!(""), Value::Null, json!("{\"a\":")),
        piece(json!(2), json!(""), Value::Null, json!("1}")),
    ];
    let numbered_later = [
        piece(Value::Null, json!(""), json!("t"), json!("")),
        piece(json!(0), json!(""), json!("t"), json!("{\"a\":")),
        piece(json!(0), json!(""), json!("t"), json!("1}")),
    ];
    let named_late = [
        piece(json!(0), json!("a"), Value::Null, json!("")),
        piece(json!(0), json!(""), json!("t"), json!("{\"a\":")),
        piece(json!(0), json!(""), Value::Null, json!("1}")),
    ];
    for pieces in [by_identifier, by_number, numbered_later, named_late] {
        let answer = streamed(&pieces).await;
        assert_eq!(calls(&answer), [("t", r#"{"a":1}"#)], "{pieces:#?}");
    }
}

#[tokio::test]
async fn calls_that_share_a_number_and_an_identifier_are_told_apart_by_names_and_complete_arguments() {
    for index in [json!(0), json!(7), Value::Null] {
        for id in [json!("same"), json!(""), Value::Null] {
            for second in ["t", "other"] {
                let answer = streamed(&[
                    piece(index.clone(), id.clone(), json!("t"), json!(r#"{"a":1}"#)),
                    piece(index.clone(), id.clone(), json!(second), json!("")),
                    piece(index.clone(), id.clone(), Value::Null, json!(r#"{"b":"#)),
                    piece(index.clone(), id.clone(), Value::Null, json!("2}")),
                ])
                .await;
                assert_eq!(calls(&answer), [("t", r#"{"a":1}"#), (second, r#"{"b":2}"#)]);
            }
        }
    }
    // One without arguments before one with some.
    let answer = streamed(&[
        piece(json!(0), json!(""), json!("now"), json!("")),
        piece(json!(0), json!(""), json!("t"), json!(r#"{"a":1}"#)),
    ])
    .await;
    assert_eq!(calls(&answer), [("now", "{}"), ("t", r#"{"a":1}"#)]);
}

#[tokio::test]
async fn pieces_of_several_calls_may_alternate_by_number_in_any_order_or_by_identifier() {
    for keys in [
        [(json!(0), json!("a")), (json!(1), json!("b"))],
        [(json!(1), json!("same")), (json!(0), json!("same"))],
        [(json!(1), json!("")), (json!(0), json!(""))],
        [(json!(0), json!("a")), (json!(0), json!("b"))],
        [(Value::Null, json!("a")), (Value::Null, json!("b"))],
    ] {
        for is_repeated in [false, true] {
            let own = |at: usize, name: &str, arguments: &str, first: bool| {
                let name = if first || is_repeated { json!(name) } else { Value::Null };
                piece(keys[at].0.clone(), keys[at].1.clone(), name, json!(arguments))
            };
            let pieces = [
                own(0, "t", "", true),
                own(1, "u", "{\"b\"", true),
                own(0, "t", "{\"a\":", false),
                own(1, "u", ":2}", false),
                own(0, "t", "1}", false),
            ];
            let answer = streamed(&pieces).await;
            let wanted = [("t", r#"{"a":1}"#), ("u", r#"{"b":2}"#)];
            assert_eq!(calls(&answer), wanted, "{pieces:#?}");
        }
    }
}

#[tokio::test]
async fn an_empty_object_before_the_arguments_only_holds_their_place() {
    for held in [json!("{}"), json!({}), json!("{ }")] {
        for name in [Value::Null, json!("t")] {
            let answer = streamed(&[
                piece(json!(0), json!("a"), json!("t"), held.clone()),
                piece(json!(0), json!("a"), name, json!(r#"{"a":"#)),
                piece(json!(0), Value::Null, Value::Null, json!("1}")),
            ])
            .await;
            assert_eq!(calls(&answer), [("t", r#"{"a":1}"#)]);
        }
    }
    // Two calls that share nothing but their tool are two.
    let bare = piece(json!(0), Value::Null, json!("now"), json!("{}"));
    assert_eq!(calls(&streamed(&[bare.clone(), bare]).await), [("now", "{}"); 2]);
}

#[tokio::test]
async fn arguments_that_come_as_an_object_are_whole() {
    let answer = streamed(&[
        piece(json!(0), json!(""), json!("t"), json!({"a": 1})),
        piece(json!(0), json!(""), json!("t"), json!({"a": 2})),
    ])
    .await;
    assert_eq!(calls(&answer), [("t", r#"{"a":1}"#), ("t", r#"{"a":2}"#)]);
}

#[tokio::test]
async fn calls_of_an_answer_in_one_piece_are_never_joined() {
    for key in [json!({"id": "same"}), json!({"id": "same", "index": 0}), json!({})] {
        let own = |name: Value, arguments: &str| {
            let mut call = key.clone();
            call["function"] = json!({"name": name, "arguments": arguments});
            call
        };
        let called = json!([
            own(json!("t"), "{\"a\":"),
            own(json!("t"), "1}"),
            own(Value::Null, "{}"),
            own(json!("u"), ""),
        ]);
        let whole = json!({"choices": [{"message": {"tool_calls": called}, "finish_reason": "tool_calls"}]});
        let answer = ask(Deed::Send(body(whole.to_string())), &bounds()).await.unwrap();
        assert_eq!(calls(&answer), [("t", "{\"a\":"), ("t", "1}"), ("", "{}"), ("u", "{}")]);
    }
}

#[tokio::test]
async fn arguments_that_are_no_object_are_kept_for_the_model_to_hear_of() {
    for odd in [json!(5), json!([1]), json!(true), json!(-1.5)] {
        let called = json!([{"id": "a", "function": {"name": "t", "arguments": odd}}]);
        let whole =
            json!({"choices": [{"message": {"content": "x", "tool_calls": called}, "finish_reason": "stop"}]});
        let answer = ask(Deed::Send(body(whole.to_string())), &bounds()).await.unwrap();
        assert_eq!(calls(&answer), [("t", odd.to_string().as_str())]);
        let block = json!({"type": "tool_use", "id": "a", "name": "t", "input": odd});
        let whole = json!({"content": [{"type": "text", "text": "x"}, block], "stop_reason": "tool_use"});
        let answer = by_anthropic(body(whole.to_string())).await;
        assert_eq!(calls(&answer), [("t", odd.to_string().as_str())]);
    }
    let bare = json!({"content": "only text", "stop_reason": "end_turn"});
    assert_eq!(by_anthropic(body(bare.to_string())).await.text, "only text");
}

#[tokio::test]
async fn each_block_that_begins_is_a_call_and_deltas_go_to_that_of_their_number_or_the_newest() {
    let start = |index: &Value, name: &str| {
        json!({"type": "content_block_start", "index": index,
               "content_block": {"type": "tool_use", "id": "same", "name": name, "input": {}}})
    };
    let delta = |index: &Value, json: Value| {
        json!({"type": "content_block_delta", "index": index,
               "delta": {"type": "input_json_delta", "partial_json": json}})
    };
    for (first, second) in [
        (json!(1), json!(2)),
        (json!(0), json!(0)),
        (Value::Null, Value::Null),
        (json!(1), Value::Null),
    ] {
        let events = [
            start(&first, "t"),
            delta(&first, json!("{\"a\"")),
            delta(&Value::Null, json!(":1}")),
            start(&second, "t"),
            delta(&second, json!({"b": 2})),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
            json!({"type": "message_stop"}),
        ];
        let events = events.map(|event| event.to_string());
        let answer = by_anthropic(stream(&events.each_ref().map(String::as_str))).await;
        assert_eq!(
            calls(&answer),
            [("t", r#"{"a":1}"#), ("t", r#"{"b":2}"#)],
            "{first} {second}"
        );
    }
}
