//! Rules of `[select]` that can't hold as they were meant: nobody is asked whom they were to keep questions from.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_tests::server::{Server, answer};
use passepartout_tests::{Home, message};

fn home_with(rule: &str, server: &Server) -> Home {
    Home::new().config(&format!(
        "[model]\ncascade = [\"usual\"]\n\n[select.own]\n{rule}\n\n[providers.usual]\nbase_url = \
         \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\n",
        server.port
    ))
}

/// A text whose lines may break anywhere, on one line.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_rule_that_names_nobody_keeps_its_questions_from_everybody() {
    for rule in ["sensor = \"user-input\"\ncascade = []", "sensor = \"user-input\""] {
        let server = Server::start(vec![answer(&message("heard"))]);
        let home = home_with(rule, &server);
        let daemon = home.start();
        let turn = daemon.connect().ask("for nobody");
        assert_eq!(turn.outcome(), "EXHAUSTED", "{turn:#?}");
        assert_eq!(server.seen().len(), 0, "{rule}");
        let doctor = unwrapped(&home.run(&["doctor"]).out);
        assert!(
            doctor.contains("select.own") && doctor.contains("names no provider"),
            "{doctor}"
        );
    }
}

#[test]
fn a_rule_that_can_hold_for_nothing_is_a_finding() {
    let server = Server::start(vec![answer(&message("heard"))]);
    for (rule, said) in [
        ("sensor = \"usr-input\"", "no turn begins with the sensor"),
        ("sensor = \"tool-output\"", "no turn begins with the sensor"),
        ("skill = \"nosuch\"", "no skill \"nosuch\" is loaded"),
    ] {
        let home = home_with(&format!("{rule}\ncascade = [\"usual\"]"), &server);
        let doctor = unwrapped(&home.run(&["doctor"]).out);
        assert!(doctor.contains(said), "{rule}: {doctor}");
    }
}

#[test]
fn an_empty_cascade_is_a_finding_and_no_offline_one() {
    let home = Home::new().config("[model]\ncascade = []\n");
    let daemon = home.start();
    assert_eq!(daemon.connect().ask("hello").outcome(), "EXHAUSTED");
    let doctor = unwrapped(&home.run(&["doctor"]).out);
    assert!(doctor.contains("model.cascade names nobody"), "{doctor}");
}
