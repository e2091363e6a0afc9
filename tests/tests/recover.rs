//! Skills that may recover: what each restart does to a turn that failed, and where they are not asked.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_tests::guest::Guest;
use passepartout_tests::script::{messages, unexplained};
use passepartout_tests::server::{answer, failure, home_with_server};
use passepartout_tests::{Home, message};

/// A home with a skill that answers every failure with `restart`, and is granted these rights.
fn home_with(home: Home, restart: &str, rights: &[&str]) -> Home {
    let mut guest = Guest::new("(:NAME \"nurse\" :VERSION \"1\" :FUNCTIONS (:RECOVER))");
    let restart = guest.text(restart);
    guest.recover = format!("(call $say (i32.const 1) {restart})");
    home.file("skills/nurse.wasm", &guest.build());
    for right in rights {
        let ran = home.run(&["skill", "grant", "nurse", right]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    home
}

#[test]
fn a_fallback_is_the_answer_as_a_message_of_the_skill() {
    let home = home_with(
        Home::new(),
        "(:RESTART :USE-FALLBACK :TEXT \"try me later\")",
        &["recover"],
    );
    let mut daemon = home.start_scripted(&[message("my only answer")]);
    let mut peer = daemon.connect();
    assert_eq!(peer.ask("one").reply(), "my only answer");
    let turn = peer.ask("two");
    assert_eq!((turn.reply(), turn.outcome()), ("try me later", "ANSWERED"));
    assert!(turn.errors().is_empty(), "{turn:#?}");
    let record = std::fs::read_to_string(home.path().join("data/record.log")).unwrap();
    assert!(
        record.contains(":ORIGIN (:SKILL \"nurse\")"),
        "the gates judged it as the skill's"
    );
    daemon.assert_healthy();
}

#[test]
fn a_fallback_meets_the_gates() {
    let home = home_with(
        Home::new(),
        "(:RESTART :USE-FALLBACK :TEXT \"never said\")",
        &["recover"],
    );
    home.file("config/config.toml", b"[settings.dispatcher.targets]\ntui = \"deny\"\n");
    let daemon = home.start_scripted(&[message("refused as well")]);
    let turn = daemon.connect().ask("one");
    assert!(turn.replies().is_empty(), "{turn:#?}");
    assert_eq!(turn.outcome(), "REFUSED");
}

#[test]
fn a_retry_asks_again_and_says_nothing_twice() {
    let (server, home) = home_with_server(vec![failure(401, "no"), answer(&message("there you are"))]);
    let home = home_with(home, "(:RESTART :RETRY)", &["recover"]);
    let turn = home.start().connect().ask("are you there?");
    assert_eq!((turn.reply(), turn.outcome()), ("there you are", "ANSWERED"));
    assert_eq!(
        server.body(1).matches("are you there?").count(),
        1,
        "{}",
        server.body(1)
    );
}

#[test]
fn a_signal_is_tried_again_twice_and_then_the_user_is_told() {
    let (server, home) = home_with_server(vec![failure(401, "no")]);
    let home = home_with(home, "(:RESTART :RETRY)", &["recover"]);
    let turn = home.start().connect().ask("are you there?");
    assert_eq!(turn.outcome(), "EXHAUSTED");
    assert!(turn.errors()[0].contains("401"), "{turn:#?}");
    assert_eq!(server.seen().len(), 3);
}

#[test]
fn whoever_only_says_try_again_does_not_keep_another_from_answering() {
    let (server, home) = home_with_server(vec![failure(401, "no")]);
    let home = home_with(home, "(:RESTART :RETRY)", &["recover"]);
    let mut other = Guest::new("(:NAME \"other\" :VERSION \"1\" :PRIORITY -1 :FUNCTIONS (:RECOVER))");
    let restart = other.text("(:RESTART :USE-FALLBACK :TEXT \"try me later\")");
    other.recover = format!("(call $say (i32.const 1) {restart})");
    home.file("skills/other.wasm", &other.build());
    assert_eq!(home.run(&["skill", "grant", "other", "recover"]).code, 0);
    let turn = home.start().connect().ask("are you there?");
    assert_eq!(turn.reply(), "try me later", "{turn:#?}");
    assert_eq!(server.seen().len(), 3);
}

#[test]
fn a_signal_that_is_skipped_and_a_turn_that_is_ended_are_told_to_the_user() {
    for (restart, code, outcome) in [
        ("(:RESTART :SKIP-SIGNAL)", "SKIPPED", "EXHAUSTED"),
        ("(:RESTART :ABORT-PIPELINE)", "PROVIDERS-EXHAUSTED", "EXHAUSTED"),
    ] {
        let (server, home) = home_with_server(vec![failure(401, "no")]);
        let home = home_with(home, restart, &["recover"]);
        let turn = home.start().connect().ask("are you there?");
        assert_eq!(turn.outcome(), outcome, "{restart}");
        let [error] = turn.all("ERROR")[..] else {
            panic!("{turn:#?}")
        };
        assert!(error.at("code").is_some_and(|own| own.is_kw(code)), "{error}");
        assert_eq!(server.seen().len(), 1, "{restart}");
    }
}

#[test]
fn what_gates_refused_can_be_recovered_from_and_stays_refused() {
    let home = home_with(
        Home::new(),
        "(:RESTART :USE-FALLBACK :TEXT \"I may not\")",
        &["recover"],
    );
    let daemon = home.start_scripted(&vec![unexplained("touch made.txt"); 3]);
    let turn = daemon.connect().ask("go");
    assert_eq!((turn.reply(), turn.outcome()), ("I may not", "ANSWERED"));
    assert!(!home.workspace().join("made.txt").exists());
    assert_eq!(messages(&home.prompts()[2]).first(), Some(&("USER", "go")));
}

#[test]
fn nonsense_is_no_restart_and_without_the_grant_nobody_is_asked() {
    for (restart, rights) in [
        ("(:RESTART :DANCE)", &["recover"] as &[&str]),
        ("(:RESTART :USE-FALLBACK :TEXT \" \")", &["recover"]),
        ("(:RESTART :USE-FALLBACK :TEXT \"never said\")", &[]),
    ] {
        let (_server, home) = home_with_server(vec![failure(401, "no")]);
        let home = home_with(home, restart, rights);
        let turn = home.start().connect().ask("are you there?");
        assert_eq!(turn.outcome(), "EXHAUSTED", "{restart}");
        assert!(turn.replies().is_empty(), "{turn:#?}");
    }
}
