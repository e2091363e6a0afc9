//! Budgets that are too small for what is asked: whoever set them is told so, and not to wait for what no waiting brings.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::thread::sleep;
use std::time::{Duration, Instant};

use passepartout_tests::server::{Server, answer};
use passepartout_tests::{Home, message};

/// What a question and then `doctor` say where these are the bounds.
fn said(bounds: &str) -> [String; 2] {
    let server = Server::start(vec![answer(&message("hi"))]);
    let home = Home::new().config(&format!(
        "[model]\ncascade = [\"local\"]\n\
         [providers.local]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\n[budget]\n{bounds}\n",
        server.port
    ));
    let _daemon = home.start();
    let asked = home.run(&["send", "hello"]);
    assert_eq!((asked.code, server.seen().len()), (6, 0), "{asked:?}");
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<&str>>().join(" ");
    [one_line(&asked.err), one_line(&home.run(&["doctor"]).out)]
}

#[test]
fn a_day_whose_whole_budget_pays_no_question_is_never_waited_for() {
    for (bounds, key, more) in [
        ("day_cents = 5", "`budget.day_cents` raises it", "`[prices]`"),
        (
            "day_tokens = 16500",
            "`budget.day_tokens` raises it",
            "`model.answer_tokens`",
        ),
        ("session_cents = 5", "`budget.session_cents` raises it", "`[prices]`"),
    ] {
        let [asked, _] = said(bounds);
        assert!(asked.contains("is too small for this question"), "{asked}");
        assert!(asked.contains(key) && asked.contains(more), "{asked}");
        for wrong in ["used up", "next day", "new session"] {
            assert!(!asked.contains(wrong), "{asked}");
        }
    }
}

#[test]
fn doctor_says_that_a_budget_pays_no_question() {
    for (bounds, told) in [
        (
            "day_cents = 5",
            "budget.day_cents = 5 is too little for any question to local",
        ),
        (
            "session_cents = 5",
            "budget.session_cents = 5 is too little for any question to local",
        ),
        (
            "day_tokens = 16000",
            "budget.day_tokens = 16000 is too little for any question",
        ),
        // Only with the text of the question it is too much.
        (
            "session_tokens = 16500",
            "the last question could not be paid: the budget of this session is too small",
        ),
        (
            "day_tokens = 16500",
            "the last question could not be paid: the budget of this day (UTC) is too small",
        ),
    ] {
        let [_, doctor] = said(bounds);
        assert!(
            doctor.contains("degraded budget") && doctor.contains(told),
            "{bounds}: {doctor}"
        );
    }
}

#[test]
fn doctor_reckons_with_the_answers_that_are_asked_for_now() {
    let home = Home::new();
    let file = home.file("config/config.toml", b"");
    let write = |answer_tokens: u64| {
        let text = format!(
            "[model]\ncascade = [\"offline\"]\nanswer_tokens = {answer_tokens}\n[budget]\nsession_tokens = 10000\n"
        );
        std::fs::write(&file, text).unwrap();
    };
    let is_short = || home.run(&["doctor"]).out.contains("session_tokens");
    write(1_000);
    let _daemon = home.start();
    assert!(!is_short());
    for (answer_tokens, expected) in [(20_000, true), (2_000, false)] {
        write(answer_tokens);
        let until = Instant::now() + Duration::from_secs(20);
        while is_short() != expected {
            assert!(Instant::now() < until, "{answer_tokens} is not heeded");
            sleep(Duration::from_millis(100));
        }
    }
}
