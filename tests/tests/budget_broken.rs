//! What is paid for answers that broke off, could not be read or never came, and for those that nothing bounds.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_tests::server::{Deed, Server, answer, failure, json_answer};
use passepartout_tests::{Home, message};
use serde_json::{Value, json};

/// A text that four bytes of which are a token each are 100000 of.
fn long() -> String {
    "z".repeat(400_000)
}

fn home(port: u16, dialect: &str, answer_tokens: u64, lines: &str, budget: &str) -> Home {
    Home::new().config(&format!(
        "[model]\ncascade = [\"local\"]\nanswer_tokens = {answer_tokens}\nretry_pause_milliseconds = 0\n{lines}\n\
         [providers.local]\nbase_url = \"http://127.0.0.1:{port}/v1\"\nmodel = \"tiny\"\ndialect = \"{dialect}\"\n\
         [budget]\n{budget}\n"
    ))
}

fn day(home: &Home) -> Value {
    let ran = home.run(&["status", "--json"]);
    let status: Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    let budgets = status["budgets"].as_array().expect("budgets").clone();
    let day = budgets.into_iter().find(|own| own["of"] == "this day (UTC)");
    day.expect("the day's budget")
}

fn stream(events: &[Value]) -> Vec<u8> {
    let mut text = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n".to_owned();
    for event in events {
        text.push_str(&format!("data: {event}\n\n"));
    }
    text.into_bytes()
}

/// Anthropic's beginning, which tells a token of the answer before there is any.
fn begun() -> Value {
    json!({"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 100, "output_tokens": 1}}})
}

/// The beginning of an answer in one piece, of which so much is missing at its end.
fn piece(missing: usize, promised: bool) -> Deed {
    let choices = json!([{"finish_reason": "stop", "message": {"content": long()}}]);
    let body = json!({ "choices": choices }).to_string();
    let sent = &body[..body.len() - missing];
    let length = if promised { body.len() } else { sent.len() };
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
    Deed::Bytes(format!("{head}\r\nContent-Length: {length}\r\n\r\n{sent}").into_bytes())
}

#[test]
fn an_answer_that_broke_off_or_cannot_be_read_costs_what_had_come_of_it() {
    let delta = |kind: &str, key: &str| json!({"type": "content_block_delta", "delta": {"type": kind, key: long()}});
    let said = |key: &str| json!({"choices": [{"delta": {key: long()}}]});
    let unreadable = json!({"choices": "none", "text": long()});
    for (what, dialect, deed) in [
        (
            "text",
            "anthropic",
            Deed::Bytes(stream(&[begun(), delta("text_delta", "text")])),
        ),
        (
            "thoughts",
            "anthropic",
            Deed::Bytes(stream(&[begun(), delta("thinking_delta", "thinking")])),
        ),
        ("text", "openai", Deed::Bytes(stream(&[said("content")]))),
        ("thoughts", "openai", Deed::Bytes(stream(&[said("reasoning_content")]))),
        ("an event that is none", "openai", Deed::Bytes(stream(&[unreadable]))),
        ("a piece without its end", "openai", piece(5, false)),
        ("a piece that is cut", "openai", piece(5, true)),
    ] {
        let server = Server::start(vec![deed]);
        let home = home(server.port, dialect, 100, "", "");
        let daemon = home.start();
        assert_eq!(daemon.connect().ask("hello").outcome(), "EXHAUSTED", "{what}");
        let asked = server.seen().len() as u64;
        let spent = day(&home)["tokens"].as_u64().unwrap();
        assert!(
            (asked * 100_000..asked * 110_000).contains(&spent),
            "{dialect}, {what}: {spent}"
        );
    }
}

#[test]
fn what_a_server_tells_of_a_whole_answer_is_believed_and_what_it_tells_before_is_the_least() {
    let ends = |output: Option<u64>| {
        let usage = output.map(|output| json!({"output_tokens": output}));
        let said =
            json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "x".repeat(40_000)}});
        let end = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage});
        Deed::Bytes(stream(&[begun(), said, end, json!({"type": "message_stop"})]))
    };
    for (told, expected) in [(Some(7_000), 7_100), (None, 10_100)] {
        let server = Server::start(vec![ends(told)]);
        let home = home(server.port, "anthropic", 100, "", "");
        let daemon = home.start();
        assert_eq!(daemon.connect().ask("hello").outcome(), "ANSWERED", "{told:?}");
        assert_eq!(day(&home)["tokens"], expected, "{told:?}");
    }
}

#[test]
fn what_a_server_can_not_have_counted_costs_what_was_put_aside_or_came_is_said_once_and_shown_nowhere() {
    const LIE: u64 = 9_000_000;
    let openai = |text: &str| {
        let choices = json!([{"finish_reason": "stop", "message": {"content": message(text)}}]);
        let usage = json!({"prompt_tokens": LIE, "completion_tokens": LIE});
        json_answer(200, &json!({"choices": choices, "usage": usage}))
    };
    // Told in several events: what was asked lies in the cache, and what was answered was true at first.
    let anthropic = |text: &str| {
        let asked = json!({"input_tokens": 7, "cache_read_input_tokens": LIE - 7, "output_tokens": 1});
        Deed::Bytes(stream(&[
            json!({"type": "message_start", "message": {"content": [], "usage": asked}}),
            json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": message(text)}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": LIE}}),
            json!({"type": "message_stop"}),
        ]))
    };
    for (dialect, deed, least) in [
        ("openai", openai("hi"), 500),
        ("anthropic", anthropic("hi"), 500),
        ("openai", openai(&long()), 100_000),
        ("anthropic", anthropic(&long()), 100_000),
    ] {
        let server = Server::start(vec![deed]);
        let home = home(server.port, dialect, 500, "", "day_tokens = 1_000_000");
        let daemon = home.start();
        for asked in 1..=2 {
            assert_eq!(daemon.connect().ask("hello").outcome(), "ANSWERED", "{dialect}");
            let spent = day(&home)["tokens"].as_u64().unwrap();
            assert!(
                (asked * least..asked * (least + 5_000)).contains(&spent),
                "{dialect}: {spent} after {asked} answers of {least} tokens at least"
            );
        }
        let status = daemon.connect().admin("(:ACTION :STATUS)").to_string();
        assert!(
            status.contains(":ANSWERS 2") && status.contains(":INPUT-TOKENS 0 :OUTPUT-TOKENS 0"),
            "{status}"
        );
        let log = daemon.log();
        assert_eq!(log.matches("it tells more tokens than can be").count(), 1, "{log}");
    }
}

#[test]
fn an_answer_for_which_nobody_waits_any_longer_costs_all_that_was_put_aside() {
    let half = Deed::Stall(stream(&[json!({"choices": [{"delta": {"content": "half"}}]})]));
    for (bound, deed) in [
        ("first_byte_timeout_seconds = 1", Deed::Silence),
        ("idle_timeout_seconds = 1", half.clone()),
        ("answer_timeout_seconds = 1", half.clone()),
        ("total_timeout_seconds = 1", half),
    ] {
        let server = Server::start(vec![deed]);
        let home = home(server.port, "openai", 90_000, bound, "day_tokens = 150_000");
        let daemon = home.start();
        assert_eq!(daemon.connect().ask("hello").outcome(), "EXHAUSTED", "{bound}");
        let spent = day(&home)["tokens"].as_u64().unwrap();
        assert!((90_000..100_000).contains(&spent), "{bound}: {spent}");
        assert_eq!(server.seen().len(), 1, "{bound}");
    }
}

#[test]
fn a_server_that_takes_no_bound_on_its_answer_is_asked_only_where_none_is_needed() {
    let refuses = || failure(400, "max_tokens and max_completion_tokens are not supported");
    for (budget, answered) in [
        ("", true),
        ("day_cents = 100", false),
        ("session_tokens = 100_000", false),
        ("day_cents = 100\n[prices.tiny]\ninput = 0\noutput = 0", true),
    ] {
        let server = Server::start(vec![refuses(), refuses(), answer(&message("without a bound"))]);
        let home = home(server.port, "openai", 100, "", budget);
        let daemon = home.start();
        let turn = daemon.connect().ask("hello");
        if answered {
            assert_eq!(turn.reply(), "without a bound", "{budget}");
            continue;
        }
        let told = turn.errors().concat();
        assert!(
            told.contains("it takes no bound of 100 tokens on its answer"),
            "{budget}: {told}"
        );
        let seen = server.seen();
        assert_eq!(
            (&seen[0].body["max_tokens"], &seen[1].body["max_completion_tokens"]),
            (&json!(100), &json!(100))
        );
        assert_eq!(seen.len(), 2, "{budget}");
    }
}

#[test]
fn who_takes_no_bound_costs_nothing_and_does_not_rest_however_often_it_is_asked() {
    let refuses = || failure(400, "max_tokens and max_completion_tokens are not supported");
    let server = Server::start(vec![refuses()]);
    // No more than a few questions of that length are within it.
    let home = home(server.port, "openai", 100, "", "day_tokens = 20_000");
    let daemon = home.start();
    let mut peer = daemon.connect();
    for asked in 1..=4 {
        let told = peer.ask(&"word ".repeat(4_000)).errors().concat();
        assert!(told.contains("it takes no bound"), "{told}");
        assert_eq!(server.seen().len(), 2 * asked);
        assert_eq!(day(&home)["tokens"], 0);
    }
    let status: Value = serde_json::from_str(&home.run(&["status", "--json"]).out).unwrap();
    // It is asked in its turn, and it is not well: it answers nothing.
    assert_eq!(status["providers"][0]["state"], "failing", "{status}");
    assert_eq!(status["health"], "degraded", "{status}");
}

#[test]
fn who_would_cost_more_than_is_left_is_passed_over_and_one_that_costs_nothing_answers() {
    let usage = json!({"prompt_tokens": 4_000, "completion_tokens": 10_000});
    let said = |text: &str| {
        let choices = json!([{"finish_reason": "stop", "message": {"content": message(text)}}]);
        json_answer(200, &json!({"choices": choices, "usage": usage}))
    };
    let (paid, free) = (
        Server::start(vec![said("for money")]),
        Server::start(vec![said("for nothing")]),
    );
    let config = |price: &str| {
        format!(
            "[model]\ncascade = [\"paid\", \"own\"]\nanswer_tokens = 10_000\n\
             [providers.paid]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"dear\"\n\
             [providers.own]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"mine\"\n\
             [budget]\nday_cents = 19\nunknown_price = {{ input = 10, output = 15 }}\n{price}\n",
            paid.port, free.port
        )
    };
    let home = Home::new().config(&config("[prices.mine]\ninput = 0\noutput = 0"));
    let daemon = home.start();
    assert_eq!(daemon.connect().ask("hello").reply(), "for money");
    assert_eq!(daemon.connect().ask("hello").reply(), "for nothing");
    assert_eq!((paid.seen().len(), free.seen().len()), (1, 1));
    let ran = home.run(&["doctor"]);
    let out = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(out.contains("models that cost money are not asked"), "{out}");
    // It did what it was asked, and no more was asked of it.
    assert!(
        out.contains("paid (dear): ready; 1 answer and 0 failures since it was configured; passed over 1 time, last"),
        "{out}"
    );
    let status = home.run(&["status"]).out;
    assert!(
        status.contains("; 1 answered, 0 failed") && status.contains("; passed over 1, last"),
        "{status}"
    );
    assert!(daemon.stop().success());

    let home = home.config(&config(""));
    let daemon = home.start();
    let told = daemon.connect().ask("hello").errors().concat();
    for name in ["paid: the budget of", "own: the budget of"] {
        assert!(told.contains(name), "{told}");
    }
    assert_eq!((paid.seen().len(), free.seen().len()), (1, 1));
}
