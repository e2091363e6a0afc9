//! What models may cost: counted on disk, refused before anybody is asked, and never forgotten.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::time::Instant;

use passepartout_tests::daemon::PATIENCE;
use passepartout_tests::peer::Turn;
use passepartout_tests::server::{Deed, Server, json_answer};
use passepartout_tests::{Daemon, Home, Peer, message};
use serde_json::{Value, json};

/// A home with one provider, on this port, and these bounds. An answer is expected to have 100 tokens at most.
fn home(port: u16, budget: &str) -> Home {
    home_expecting(100, port, budget)
}

/// The same, with answers of so many tokens.
fn home_expecting(answer_tokens: u64, port: u16, budget: &str) -> Home {
    Home::new().config(&format!(
        "[model]\ncascade = [\"local\"]\nanswer_tokens = {answer_tokens}\n\
         [providers.local]\nbase_url = \"http://127.0.0.1:{port}/v1\"\nmodel = \"tiny\"\n\
         [budget]\n{budget}\n"
    ))
}

/// An answer that says that it cost so many tokens.
fn costing(input: u64, output: u64) -> Deed {
    told(
        Some(json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output})),
        "hi",
    )
}

fn told(usage: Option<Value>, text: &str) -> Deed {
    let said = message(text);
    let choices = json!([{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}]);
    json_answer(200, &json!({"choices": choices, "usage": usage}))
}

/// How the day's budget stands, as `status` tells it.
fn day(home: &Home) -> Value {
    let ran = home.run(&["status", "--json"]);
    let status: Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    let budgets = status["budgets"].as_array().expect("budgets").clone();
    let day = budgets.into_iter().find(|own| own["of"] == "this day (UTC)");
    day.expect("the day's budget")
}

fn assert_refused(turn: &Turn, of: &str) {
    let said = turn.errors().join("\n") + &turn.replies().join("\n");
    let of = format!("the budget of {of} ");
    let lacks = ["is used up", "has too little left for this question"];
    assert!(
        lacks.iter().any(|lack| said.contains(&format!("{of}{lack}"))),
        "{turn:#?}"
    );
    assert_ne!(turn.outcome(), "ANSWERED", "{turn:#?}");
}

fn assert_refused_by_cause(turn: &Turn, cause: &str) {
    let said = turn.errors().join("\n") + &turn.replies().join("\n");
    assert!(said.contains(cause), "{turn:#?}");
}

fn ask(daemon: &Daemon<'_>) -> Turn {
    daemon.connect().ask("hello")
}

#[test]
fn a_session_that_has_used_up_its_budget_is_told_before_the_server_hears_of_it_and_another_goes_on() {
    let server = Server::start(vec![costing(4_000, 10)]);
    let home = home(server.port, "session_tokens = 8_000");
    let daemon = home.start();
    let mut peer = daemon.connect();
    assert_eq!(peer.ask("hello").reply(), "hi");
    let session = peer.session().to_owned();
    // What is left is more than any question here; only the next answer's cost is not known beforehand.
    assert_eq!(peer.ask("hello").reply(), "hi");
    assert_refused(&peer.ask("hello"), "this session");
    assert_eq!(server.seen().len(), 2);
    assert_eq!(ask(&daemon).reply(), "hi");

    // Neither a stop nor a kill gives it back.
    daemon.kill();
    let daemon = home.start();
    let mut peer = daemon.connect();
    peer.join(&session);
    assert_refused(&peer.ask("hello"), "this session");
    assert_eq!(server.seen().len(), 3);
}

#[test]
fn the_days_budget_holds_for_all_sessions_and_over_a_restart_and_status_says_what_is_left() {
    let server = Server::start(vec![costing(4_000, 100)]);
    let home = home(server.port, "day_tokens = 4_600");
    let daemon = home.start();
    assert_eq!(day(&home)["tokens_left"], 4_600);
    assert_eq!(ask(&daemon).reply(), "hi");
    assert_eq!(
        (day(&home)["tokens"].clone(), day(&home)["tokens_left"].clone()),
        (json!(4_100), json!(500))
    );
    assert_refused(&ask(&daemon), "this day (UTC)");
    assert!(daemon.stop().success());
    let daemon = home.start();
    assert_refused(&ask(&daemon), "this day (UTC)");
    assert_eq!(server.seen().len(), 1);
    assert_eq!(day(&home)["tokens"], 4_100, "who is not asked costs nothing");
    let ran = home.run(&["status"]);
    assert!(
        ran.out.contains("this day (UTC): 4100 tokens") && ran.out.contains("left: 500 tokens"),
        "{ran:?}"
    );
    let ran = home.run(&["doctor"]);
    assert!(
        ran.out.contains("budget") && ran.out.contains("500 tokens left"),
        "{ran:?}"
    );
}

#[test]
fn killed_while_a_model_is_asked_it_counts_what_the_answer_may_have_cost() {
    let server = Server::start(vec![Deed::Silence]);
    let home = home_expecting(90_000, server.port, "day_tokens = 100_000");
    let daemon = home.start();
    let mut peer = daemon.connect();
    peer.say("hello");
    let begun = Instant::now();
    while server.seen().is_empty() {
        assert!(begun.elapsed() < PATIENCE, "the server is not asked");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    daemon.kill();

    let daemon = home.start();
    let spent = day(&home)["tokens"].as_u64().unwrap();
    assert!(spent > 90_000 && spent < 100_000, "{spent}");
    assert_refused(&ask(&daemon), "this day (UTC)");
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn an_answer_that_does_not_say_what_it_cost_is_counted_by_its_length() {
    let server = Server::start(vec![told(None, &"x".repeat(400_000))]);
    let home = home(server.port, "day_tokens = 120_000");
    let daemon = home.start();
    assert_eq!(ask(&daemon).outcome(), "ANSWERED");
    let spent = day(&home)["tokens"].as_u64().unwrap();
    assert!((100_000..120_000).contains(&spent), "{spent}");
}

#[test]
fn an_answer_that_is_of_no_use_is_paid_and_the_server_was_told_how_long_it_may_become() {
    let cut = json!([{"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": "(:TOOL"}}]);
    let usage = json!({"prompt_tokens": 4_000, "completion_tokens": 100});
    let server = Server::start(vec![json_answer(200, &json!({"choices": cut, "usage": usage}))]);
    let home = home(server.port, "day_tokens = 8_200");
    let daemon = home.start();
    assert_refused_by_cause(&ask(&daemon), "finish_reason length");
    assert_eq!(server.seen()[0].body["max_tokens"], 100);
    assert_eq!(day(&home)["tokens"], 4_100);
    assert_refused_by_cause(&ask(&daemon), "finish_reason length");
    assert_eq!(day(&home)["tokens"], 8_200);
    assert_refused(&ask(&daemon), "this day (UTC)");
    assert_eq!(server.seen().len(), 2);
}

#[test]
fn what_a_server_refuses_costs_nothing() {
    for status in [400, 401, 402, 404, 429] {
        let refusal = json_answer(status, &json!({"error": {"message": "not like this"}}));
        let server = Server::start(vec![refusal]);
        let home = home(server.port, "day_tokens = 100_000");
        let daemon = home.start();
        assert_refused_by_cause(&ask(&daemon), &status.to_string());
        assert!(!server.seen().is_empty(), "{status}");
        assert_eq!(day(&home)["tokens"], 0, "{status}");
    }
}

#[test]
fn a_bound_of_a_session_that_no_question_fits_into_is_told_before_anybody_asks() {
    let server = Server::start(vec![costing(10, 10)]);
    let home = home(server.port, "session_tokens = 100");
    let _daemon = home.start();
    let doctor = home.run(&["doctor"]);
    assert!(doctor.out.contains("budget.session_tokens = 100"), "{doctor:?}");
    assert!(doctor.out.contains("degraded  budget"), "{doctor:?}");
}

#[test]
fn money_is_counted_by_the_operators_price_or_by_the_one_for_unknown_models() {
    let prices = "[prices.tiny]\ninput = 10\noutput = 20.5\n";
    for (prices, expected) in [(prices, "$0.2450"), ("", "$0.1900")] {
        let server = Server::start(vec![costing(4_000, 10_000)]);
        let budget = format!("day_cents = 25\nunknown_price = {{ input = 10, output = 15 }}\n{prices}");
        let home = home_expecting(10_000, server.port, &budget);
        let daemon = home.start();
        assert_eq!(ask(&daemon).reply(), "hi");
        let day = day(&home);
        assert_eq!(day["money"], expected, "{day}");
        if !prices.is_empty() {
            assert_eq!(day["money_left"], "$0.0050");
            assert_refused(&ask(&daemon), "this day (UTC)");
            assert_eq!(server.seen().len(), 1);
        }
    }
}

#[test]
fn what_models_cost_is_counted_also_where_nothing_bounds_it_and_a_scripted_one_costs_nothing() {
    let server = Server::start(vec![costing(7, 3)]);
    let home = home(server.port, "");
    let daemon = home.start();
    ask(&daemon);
    assert_eq!(
        (day(&home)["tokens"].clone(), day(&home)["tokens_left"].clone()),
        (json!(10), Value::Null)
    );
    drop(daemon);
    let daemon = home.start_scripted(&[message("for nothing")]);
    assert_eq!(ask(&daemon).reply(), "for nothing");
    assert_eq!(day(&home)["tokens"], 10);
}

#[test]
fn a_price_that_is_none_closes_the_gates_and_is_named_with_its_line() {
    let home = Home::new().config("[prices.\"gpt-5-mini\"]\ninput = -1\noutput = 2\n");
    let ran = home.run(&["doctor"]);
    assert!(ran.out.contains("gpt-5-mini") && ran.out.contains("-1"), "{ran:?}");
}

#[test]
fn what_is_asked_by_a_connection_of_a_session_shows_that_sessions_budget_too() {
    let server = Server::start(vec![costing(7, 3)]);
    let home = home(server.port, "session_tokens = 100_000");
    let daemon = home.start();
    let mut peer: Peer = daemon.connect();
    peer.ask("hello");
    let status = peer.admin("(:ACTION :STATUS)").to_string();
    assert!(
        status.contains("\"this session\" :TOKENS 10") && status.contains(":TOKENS-LEFT 99990"),
        "{status}"
    );
}

#[test]
fn figures_that_can_not_be_true_are_shown_of_no_provider() {
    let server = Server::start(vec![costing(1 << 62, 1 << 62)]);
    let home = home(server.port, "");
    let daemon = home.start();
    let mut peer: Peer = daemon.connect();
    peer.ask("hello");
    let status = peer.admin("(:ACTION :STATUS)").to_string();
    assert!(
        status.contains(":ANSWERS 1") && status.contains(":INPUT-TOKENS 0") && !status.contains("46116860184"),
        "{status}"
    );
}
