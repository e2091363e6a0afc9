//! The REPL: Lisp through the running daemon, through every gate and past any model.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::io::Write;
use std::process::Stdio;

use passepartout_tests::script::{string, turn_behind};
use passepartout_tests::{Home, Peer, message};

fn evaluate(peer: &mut Peer, code: &str) -> (String, String) {
    let request = peer.event(&format!("(:SENSOR :REPL-EVAL :CODE {})", string(code)));
    let turn = peer.turn(&request);
    (turn.reply().trim_end().to_owned(), turn.outcome().to_owned())
}

#[test]
fn a_form_on_the_command_line_prints_its_value_and_asks_no_model() {
    let home = Home::new();
    let _daemon = home.start_scripted(&[message("a model was asked")]);
    let ran = home.run(&["repl", "(+ 1 2)"]);
    assert_eq!((&*ran.out, ran.code), ("3\n", 0), "{ran:?}");
    assert!(ran.err.is_empty(), "{ran:?}");
    assert!(home.prompts().is_empty(), "a model was asked");
}

#[test]
fn the_decision_on_a_form_is_in_the_record_with_every_gate() {
    let home = Home::new();
    let daemon = home.start();
    assert_eq!(home.run(&["repl", "(+ 1 2)"]).code, 0);
    let trace = daemon.connect().admin("(:ACTION :TRACE)").to_string();
    assert!(
        trace.contains(":ORIGIN :PERSON :PAYLOAD (:ACTION :EVAL :CODE \"(+ 1 2)\")"),
        "{trace}"
    );
    assert!(
        trace.contains("\"policy\"") && trace.contains("\"dispatcher\""),
        "{trace}"
    );
}

#[test]
fn without_a_daemon_the_command_says_so() {
    let home = Home::new();
    let ran = home.run(&["repl", "(+ 1 2)"]);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.err.contains("passepartout-host run"), "{ran:?}");
}

#[test]
fn definitions_stay_for_the_forms_of_one_input() {
    let home = Home::new();
    let _daemon = home.start();
    let mut child = home
        .command()
        .arg("repl")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let forms = "(defun twice (x) (* 2 x))\n(defparameter *n* 20)\n\n(twice (+ *n* 1))\n";
    child.stdin.take().unwrap().write_all(forms.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed.lines().last(), Some("42"), "{printed}");
}

#[test]
fn definitions_belong_to_their_session_and_last_from_one_connection_to_the_next() {
    let home = Home::new();
    let daemon = home.start();
    let mut first = daemon.connect();
    assert_eq!(evaluate(&mut first, "(setf kept 42)").1, "ANSWERED");
    let mut second = daemon.connect();
    assert_eq!(evaluate(&mut second, "kept").1, "FAILED", "another session sees it");
    let mut again = daemon.connect();
    again.join(first.session());
    assert_eq!(evaluate(&mut again, "kept"), ("42".to_owned(), "ANSWERED".to_owned()));
    let ran = home.run(&["repl", "--session", first.session(), "(+ kept 1)"]);
    assert_eq!((&*ran.out, ran.code), ("43\n", 0), "{ran:?}");
}

#[test]
fn an_error_is_said_with_its_reason_and_the_session_goes_on() {
    let home = Home::new();
    let daemon = home.start();
    let mut peer = daemon.connect();
    evaluate(&mut peer, "(setf kept 42)");
    for (code, word) in [
        ("(/ 1 0)", "zero"),
        ("(undefined-thing 1)", "UNDEFINED-THING"),
        ("(+ 1", "end"),
        ("#.(+ 1 2)", "#."),
    ] {
        let (text, outcome) = evaluate(&mut peer, code);
        assert_eq!(outcome, "FAILED", "{code}: {text}");
        assert!(text.to_lowercase().contains(&word.to_lowercase()), "{code}: {text}");
    }
    assert_eq!(evaluate(&mut peer, "kept").0, "42");
    let ran = home.run(&["repl", "(/ 1 0)"]);
    assert_eq!(ran.code, 1, "{ran:?}");
}

#[test]
fn code_without_end_or_measure_ends_with_an_error_and_the_daemon_lives() {
    let home = Home::new();
    let mut daemon = home.start();
    let mut peer = daemon.connect();
    for code in [
        "(loop)",
        "(let ((x nil)) (loop (setf x (cons x x))))",
        "(let ((x (list 1))) (loop (setf x (append x x))))",
        "(defun f (x) (+ 1 (f x))) (f 1)",
        "(let ((x 2)) (loop (setf x (* x x))))",
        "(make-list 100000000000)",
    ] {
        let (text, outcome) = evaluate(&mut peer, code);
        assert_eq!(outcome, "FAILED", "{code}: {text}");
        assert!(!text.is_empty(), "{code} failed without a reason");
        assert_eq!(evaluate(&mut peer, "(+ 1 2)").0, "3", "after {code}");
    }
    daemon.assert_healthy();
    let ran = home.run(&["repl", "(loop)"]);
    assert_eq!(ran.code, 1, "{ran:?}");
}

#[test]
fn the_administrative_request_does_the_same_as_the_event() {
    let home = Home::new();
    let daemon = home.start_scripted(&[message("a model was asked")]);
    let mut peer = daemon.connect();
    let request = peer.request(":PAYLOAD (:ACTION :REPL :CODE \"(+ 1 2)\")");
    let turn = turn_behind(&mut peer, &request);
    assert_eq!((turn.reply().trim_end(), turn.outcome()), ("3", "ANSWERED"));
    assert!(home.prompts().is_empty());
}
