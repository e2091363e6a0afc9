//! How plans end while the disk is full: what can't be told then is told as soon as there is room, by the same daemon, and
//! nobody hears that nothing was done where something was.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use passepartout_host::sexp::Form;
use passepartout_tests::full::{append, bound, bounded, unbound};
use passepartout_tests::{Daemon, Home, message, proposal};

/// A home with a session in which something was said.
fn home_with_session(config: &str) -> (Home, String) {
    let home = Home::new().config(config);
    let daemon = home.start_scripted(&[message("hello")]);
    let mut peer = daemon.connect();
    assert_eq!(peer.ask("hello").reply(), "hello");
    let session = peer.session().to_owned();
    assert!(daemon.stop().success());
    (home, session)
}

const QUICK: &str = "loop.heartbeat_seconds = 1\n";

/// The file `name`, or the turns of the session.
fn path(home: &Home, session: &str, name: &str) -> PathBuf {
    match name {
        "turns" => home.path().join(format!("data/turns/{session}.turns")),
        name => home.path().join("data").join(name),
    }
}

fn text(home: &Home, session: &str, name: &str) -> String {
    fs::read_to_string(path(home, session, name)).unwrap()
}

/// Makes a file longer than all others, so that it is the one that a full disk hits.
fn lengthen(home: &Home, session: &str, name: &str) {
    let entry = Form::plist([("NOTHING", "x".repeat(200_000).as_str().into())]);
    append(&path(home, session, name), &entry);
}

/// From now on nothing more can be written to this file, which is the longest.
fn fill(daemon: &Daemon<'_>, home: &Home, session: &str, name: &str) {
    bound(daemon, fs::metadata(path(home, session, name)).unwrap().len());
}

/// Whether `status` says, as a fault, that the end of one plan has still to be told.
fn is_owed(home: &Home) -> bool {
    let ran = home.run(&["status", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let checks = status["checks"].as_array().unwrap();
    let owed = checks.iter().any(|own| {
        let text = own["text"].as_str().unwrap();
        text.contains("what became of 1 plan has still to be told")
    });
    assert!(!owed || status["health"] == "degraded", "{status}");
    owed
}

#[test]
fn a_plan_that_lapses_while_the_record_can_t_be_written_is_told_once_there_is_room_and_not_before() {
    let (home, session) = home_with_session("loop.heartbeat_seconds = 1\ngates.approval_expiry_seconds = 3\n");
    lengthen(&home, &session, "record.log");
    let provider = home.script(&[proposal("touch made")]);
    let daemon = home.start_command(&mut bounded(&home, &provider));
    let mut peer = daemon.connect();
    peer.join(&session);
    peer.ask("make it").plan_id();
    assert!(!is_owed(&home));
    fill(&daemon, &home, &session, "record.log");
    daemon.wait_until("it has lapsed, and that can't be told", || is_owed(&home));
    let counts = || {
        let count = |name: &str, said: &str| text(&home, &session, name).matches(said).count();
        [
            count("record.log", ":KIND :EXPIRY"),
            count("turns", "REJECTED: nobody answered in time"),
        ]
    };
    assert_eq!(counts(), [0, 0]);
    // Who comes now hears of it still: nobody was told before.
    let mut other = daemon.connect();
    other.join(&session);
    assert_eq!(other.ask("/plans").outcome(), "ANSWERED");
    unbound(&daemon);
    while !other.next().to_string().to_lowercase().contains("plan-expired") {}
    assert_eq!(counts(), [1, 1]);
    daemon.wait_until("nothing is owed", || !is_owed(&home));
    daemon.kill();
    home.start().kill();
    assert_eq!(counts(), [1, 1]);
}

#[test]
fn a_denial_that_the_conversation_can_t_hold_is_one_and_its_model_hears_of_it_once_there_is_room() {
    let (home, session) = home_with_session(QUICK);
    lengthen(&home, &session, "turns");
    let provider = home.script(&[proposal("touch made"), message("as you wish")]);
    let daemon = home.start_command(&mut bounded(&home, &provider));
    let mut peer = daemon.connect();
    peer.join(&session);
    let id = peer.ask("make it").plan_id().to_owned();
    fill(&daemon, &home, &session, "turns");
    let ran = home.run(&["deny", &id, "--reason", "not now"]);
    let said = "it is denied, and the conversation does not say so yet";
    assert!(ran.code == 0 && ran.out.contains(said), "{ran:?}");
    assert!(is_owed(&home));
    unbound(&daemon);
    daemon.wait_until("nothing is owed", || !is_owed(&home));
    let heard = || {
        let turns = text(&home, &session, "turns");
        turns.matches("REJECTED: the person denied").count()
    };
    assert_eq!(heard(), 1);
    let mut peer = daemon.connect();
    peer.join(&session);
    assert_eq!(peer.ask("well?").reply(), "as you wish");
    assert!(home.prompts().pop().unwrap().to_string().contains("not now"));
    assert_eq!(text(&home, &session, "record.log").matches(":KIND :DENIAL").count(), 1);
    daemon.kill();
    home.start().kill();
    assert_eq!(heard(), 1);
}

#[test]
fn what_was_carried_out_is_said_to_be_and_told_once_there_is_room_whichever_file_could_not_be_written() {
    for name in ["turns", "record.log", "plans.log"] {
        let (home, session) = home_with_session(QUICK);
        lengthen(&home, &session, name);
        let command = "touch begun; while [ ! -e go ]; do sleep 0.1; done; echo it came to this";
        let provider = home.script(&[proposal(command), message("I see"), message("I see")]);
        let daemon = home.start_command(&mut bounded(&home, &provider));
        let mut peer = daemon.connect();
        peer.join(&session);
        let id = peer.ask("do it").plan_id().to_owned();
        let mut approve = home.command();
        approve.args(["approve", &id, "--yes"]);
        approve.stdout(Stdio::piped()).stderr(Stdio::piped());
        let approve = approve.spawn().unwrap();
        daemon.wait_until("it has begun", || home.workspace().join("begun").exists());
        fill(&daemon, &home, &session, name);
        home.file("workspace/go", b"");
        let ended = approve.wait_with_output().unwrap();
        let said = format!(
            "{}{}",
            String::from_utf8_lossy(&ended.stdout),
            String::from_utf8_lossy(&ended.stderr)
        );
        assert!(!said.contains("nothing was done"), "{name}: {said}");
        let wanted = match name {
            "plans.log" => "I see",
            _ => "it was done, and what came of it could not be kept",
        };
        assert!(said.contains(wanted) && ended.status.success(), "{name}: {said}");
        daemon.wait_until("the end is owed", || is_owed(&home));
        assert_eq!(peer.ask("/plans").outcome(), "ANSWERED");
        unbound(&daemon);
        daemon.wait_until("nothing is owed", || !is_owed(&home));
        let is_told = || {
            let told = |name: &str, said: &str| text(&home, &session, name).matches(said).count();
            [
                told("turns", ":ABOUT"),
                told("turns", "it came to this\\n"),
                told("record.log", ":KIND :OUTCOME"),
                told("plans.log", ":UNTOLD"),
            ]
        };
        let turns = text(&home, &session, "turns");
        assert_eq!(turns.matches(":ABOUT").count(), 1, "{name}: {turns}");
        assert!(text(&home, &session, "plans.log").contains(":DONE"), "{name}");
        let before = is_told();
        daemon.kill();
        let daemon = home.start_scripted(&[message("I see")]);
        assert!(
            !daemon.log().contains("had come to its end"),
            "{name}: {}",
            daemon.log()
        );
        assert_eq!(is_told(), before, "{name}");
        let mut peer = daemon.connect();
        peer.join(&session);
        assert_eq!(peer.ask("well?").reply(), "I see");
        let prompt = home.prompts().pop().unwrap().to_string();
        assert!(prompt.contains("it came to this"), "{name}: {prompt}");
    }
}
