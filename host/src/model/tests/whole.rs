//! Answers that are whole though something about them is not as it should be, and thoughts that stand in them.

use std::time::Duration;

use serde_json::{Value, json};

use super::server::{Deed, STREAM, Server, answer, delta, finish, json as body, response, stream};
use super::{SHORT, ask, bounds, endpoint, request};
use crate::config::{Dialect, ModelConfig, ProviderConfig};
use crate::model::{Meter, Provider, ProviderError, Remote};

async fn text(bytes: impl Into<Vec<u8>>) -> String {
    match ask(Deed::Send(bytes.into()), &bounds()).await {
        Ok(answer) => answer.text.trim().to_owned(),
        Err(error) => panic!("{error}"),
    }
}

async fn by_anthropic(bytes: Vec<u8>) -> String {
    let server = Server::start([Deed::Send(bytes)]).await;
    let described = ProviderConfig {
        dialect: Some(Dialect::Anthropic),
        ..endpoint(&server.base_url)
    };
    let remote = Remote::new("only", &described, &bounds()).unwrap();
    remote.ask(&request(), &Meter::default()).await.unwrap().text
}

#[tokio::test]
async fn thoughts_in_the_text_are_no_answer_in_one_piece_or_many() {
    let said = "<think>\nI could\n(:TOOL \"shell\" :ARGS (:CMD \"touch x\"))\n</think>\n\nNothing is to be done.";
    assert_eq!(text(answer(said)).await, "Nothing is to be done.");
    let mut pieces: Vec<String> = said
        .as_bytes()
        .chunks(3)
        .map(|own| delta(&String::from_utf8_lossy(own)))
        .collect();
    pieces.push(finish("stop"));
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    assert_eq!(text(stream(&pieces)).await, "Nothing is to be done.");
    assert_eq!(text(answer("I could\n(:TOOL \"x\")\n</think>\nNo.")).await, "No.");
    let blocks = json!({"content": [{"type": "text", "text": said}], "stop_reason": "end_turn"}).to_string();
    assert_eq!(by_anthropic(body(blocks)).await.trim(), "Nothing is to be done.");
    let open = ask(Deed::Send(answer("<think>I could (:TOOL \"x\")")), &bounds()).await;
    assert!(matches!(open, Err(ProviderError::Empty)), "{open:?}");
    let cut = stream(&[&delta("<think>I could"), &finish("length")]);
    let cut = ask(Deed::Send(cut), &bounds()).await;
    assert!(matches!(cut, Err(ProviderError::CutOff { .. })), "{cut:?}");
}

#[tokio::test]
async fn thoughts_in_the_text_count_no_more_against_the_bound_than_those_beside_it() {
    let long = format!("<think>{}</think>", "x".repeat(40_000));
    assert_eq!(
        text(stream(&[&delta(&long), &delta("yes"), &finish("stop")])).await,
        "yes"
    );
}

#[tokio::test]
async fn halves_of_a_letter_are_joined_and_lone_ones_replaced_in_both_dialects() {
    let piece = |text: &str| format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}}}}]}}"#);
    let events = [piece(r"ok \ud83d"), piece(r"\ude00 \ud83d."), finish("stop")];
    assert_eq!(
        text(stream(&events.each_ref().map(String::as_str))).await,
        "ok 😀 \u{fffd}."
    );
    let whole = r#"{"choices":[{"message":{"content":"a \ude00 b"},"finish_reason":"stop"}]}"#;
    assert_eq!(text(body(whole)).await, "a \u{fffd} b");
    let piece = |text: &str| {
        format!(r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{text}"}}}}"#)
    };
    let end = r#"{"type":"message_stop"}"#;
    let events = stream(&[&piece(r"ok \ud83d"), &piece(r"\ude00"), &piece(r"\ud83d"), end]);
    assert_eq!(by_anthropic(events).await, "ok 😀\u{fffd}");
}

#[tokio::test]
async fn halves_in_the_arguments_of_a_call_are_mended_as_well() {
    let call = |arguments: &str| {
        format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,"function":{{"name":"shell","arguments":"{arguments}"}}}}]}}}}]}}"#
        )
    };
    let events = [
        call(r#"{\"cmd\":\"a \ud83d"#),
        call(r#"\ude00 \\ud83d\"}"#),
        finish("tool_calls"),
    ];
    let events = stream(&events.each_ref().map(String::as_str));
    let answer = ask(Deed::Send(events), &bounds()).await.unwrap();
    let arguments: Value = serde_json::from_str(&answer.calls[0].arguments).unwrap();
    assert_eq!(arguments["cmd"], "a 😀 \u{fffd}");
}

#[tokio::test]
async fn silence_and_a_broken_connection_after_the_end_take_nothing_away() {
    let bounds = ModelConfig {
        idle_timeout: SHORT,
        ..bounds()
    };
    let mut open = stream(&[&delta("whole"), &finish("stop")]);
    assert_eq!(ask(Deed::Stall(open.clone()), &bounds).await.unwrap().text, "whole");
    // A chunk that is none.
    let chunked = STREAM.replace("Connection", "Transfer-Encoding: chunked\r\nConnection");
    open = open.split_off(STREAM.len());
    let mut broken = format!("{chunked}{:x}\r\n", open.len()).into_bytes();
    broken.extend_from_slice(&open);
    broken.extend_from_slice(b"\r\nzz\r\n");
    assert_eq!(ask(Deed::Send(broken), &bounds).await.unwrap().text, "whole");
    // Nor does a server that never falls silent keep anybody.
    let head = stream(&[&delta("whole"), &finish("stop"), "{}"]);
    let trickle = Deed::Trickle(head, Duration::from_millis(20));
    assert_eq!(ask(trickle, &bounds).await.unwrap().text, "whole");
}

#[tokio::test]
async fn a_stream_is_read_as_the_specification_of_its_events_has_it() {
    let said = format!("data: {}\n\n", delta("whole"));
    let end = format!("data: {}\n\ndata: [DONE]\n\n", finish("stop"));
    let several = "data: {\"choices\":[{\"delta\":\ndata: {\"content\":\"whole\"}}]}\n\n";
    for events in [
        (said.clone() + &end).replace('\n', "\r"),
        (said.clone() + &end).replace('\n', "\r\n"),
        format!("\u{feff}{said}{end}"),
        format!(": comment\nevent: message\nid: 1\n{several}{end}"),
        (said.clone() + &end).replace("\n\n", "\n"),
    ] {
        assert_eq!(text(format!("{STREAM}{events}")).await, "whole", "{events:?}");
    }
}

#[tokio::test]
async fn what_an_answer_is_its_first_bytes_say_and_not_its_name() {
    let whole = r#"{"choices":[{"message":{"content":"whole"},"finish_reason":"stop"}]}"#;
    let events = format!("data: {}\n\ndata: {}\n\n", delta("whole"), finish("stop"));
    let called = |kind: &str, body: &str| response("200 OK", &format!("Content-Type: {kind}\r\n"), body);
    for bytes in [
        called("text/event-stream", whole),
        called("text/event-stream", &format!("\n {whole}")),
        called("application/json", &events),
        called("text/plain", &format!(": hello\n\n{events}")),
        called("application/json", &format!("\u{feff}{whole}")),
    ] {
        assert_eq!(text(bytes).await, "whole");
    }
}

#[tokio::test]
async fn parts_of_a_call_that_mean_nothing_do_no_harm() {
    let calls = json!([
        null, 5, "x",
        {"id": 5, "index": -1, "function": {"name": "list-directory", "arguments": "{}"}},
        {"id": "b", "function": null},
    ]);
    let whole =
        json!({"choices": [{"message": {"content": "x", "tool_calls": calls}, "finish_reason": "tool_calls"}]});
    let answer = ask(Deed::Send(body(whole.to_string())), &bounds()).await.unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.calls[0].name.as_str()),
        ("x", "list-directory")
    );
    let blocks = json!({"content": [null, 1, {"type": "text", "text": "said"}], "stop_reason": "end_turn"});
    assert_eq!(by_anthropic(body(blocks.to_string())).await, "said");
}

#[tokio::test]
async fn a_key_that_is_broken_encoded_or_cut_off_in_an_error_is_not_shown() {
    const KEY: &str = "sk-abcdef-0123456789";
    let cut = format!("{}{KEY}{}", " ".repeat((16 << 10) - 12), "x".repeat(50));
    for said in [
        json!({"error": {"message": "sk-abcdef\n-0123456789"}}).to_string(),
        "auth c2stYWJjZGVmLTAxMjM0NTY3ODk=".to_owned(),
        cut,
    ] {
        let server = Server::start([Deed::Send(response("500 X", "", &said))]).await;
        let remote = Remote::new("only", &super::with_key(&server.base_url, KEY), &bounds()).unwrap();
        let text = format!("{:?}", remote.ask(&request(), &Meter::default()).await.unwrap_err());
        assert!(!text.contains("abcdef") && !text.contains("c2stYWJj"), "{text}");
    }
}
