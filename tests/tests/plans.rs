//! Plans over time: a daemon that is killed, a person who doesn't answer, gates that change their mind.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::thread::sleep;
use std::time::{Duration, Instant};

use passepartout_tests::daemon::PATIENCE;
use passepartout_tests::script::{last_message, waiting};
use passepartout_tests::{Home, message, proposal};

#[test]
fn after_a_kill_between_ask_and_approval_the_plan_is_there_and_can_be_approved_once() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("echo once >> count.txt")]);
    let mut peer = daemon.connect();
    let asked = peer.ask("count");
    let (id, session) = (asked.plan_id().to_owned(), peer.session().to_owned());
    let shown = waiting(&mut peer);
    daemon.kill();

    let daemon = home.start_scripted(&[message("counted after all")]);
    let mut peer = daemon.connect();
    assert_eq!(
        waiting(&mut peer),
        shown,
        "the same plan waits: id, text, asks, digest, session, expiry"
    );
    let mut peer = daemon.connect();
    peer.join(&session);
    let approved = peer.ask(&format!("/approve {id}"));
    assert_eq!(
        (approved.reply(), approved.outcome()),
        ("counted after all", "ANSWERED")
    );
    let prompts = home.prompts();
    let (role, text) = last_message(prompts.last().unwrap());
    assert!(role == "TOOL" && text.contains("exit code 0"), "{role}: {text}");
    assert_eq!(peer.ask(&format!("/approve {id}")).outcome(), "REFUSED-MESSAGE");
    daemon.kill();

    // Nor does another kill bring it back.
    let daemon = home.start_scripted(&[message("unused")]);
    let mut peer = daemon.connect();
    assert!(waiting(&mut peer).is_empty());
    peer.join(&session);
    let again = peer.ask(&format!("/approve {id}"));
    assert_eq!(again.outcome(), "REFUSED-MESSAGE");
    assert!(again.errors()[0].contains("done"), "{again:?}");
    let text = std::fs::read_to_string(home.workspace().join("count.txt")).unwrap();
    assert_eq!(text, "once\n");
}

#[test]
fn a_kill_while_an_approved_action_runs_leaves_it_unknown_and_it_is_not_tried_again() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("echo begun >> count.txt; sleep 300")]);
    let mut peer = daemon.connect();
    let id = peer.ask("go").plan_id().to_owned();
    let session = peer.session().to_owned();
    peer.say(&format!("/approve {id}"));
    wait_until("the command has begun", || home.workspace().join("count.txt").exists());
    daemon.kill();

    let daemon = home.start_scripted(&[message("unused")]);
    let mut peer = daemon.connect();
    assert!(waiting(&mut peer).is_empty());
    peer.join(&session);
    let again = peer.ask(&format!("/approve {id}"));
    assert_eq!(again.outcome(), "REFUSED-MESSAGE");
    assert!(again.errors()[0].contains("unknown"), "{again:?}");
    let text = std::fs::read_to_string(home.workspace().join("count.txt")).unwrap();
    assert_eq!(text, "begun\n", "it was tried again");
}

#[test]
fn an_approval_that_was_not_taken_up_before_the_daemon_stopped_leaves_its_plan_waiting() {
    let home = Home::new().config("loop.shutdown_seconds = 0\n");
    let daemon = home.start_scripted(&[proposal("touch begun; sleep 300"), proposal("touch second")]);
    let mut peer = daemon.connect();
    let first = peer.ask("one").plan_id().to_owned();
    let second = peer.ask("two").plan_id().to_owned();
    let running = peer.say(&format!("/approve {first}"));
    let queued = peer.say(&format!("/approve {second}"));
    wait_until("the first has begun", || home.workspace().join("begun").exists());
    // The second has been taken: it is answered in the order in which it came.
    let again = peer.say("/plans");
    let listed = peer.turn(&again);
    assert_eq!(listed.reply(), "Nothing waits for you in this session.");
    assert!(daemon.stop().success());
    assert_eq!(peer.turn(&running).outcome(), "CANCELLED");
    assert_eq!(peer.turn(&queued).outcome(), "CANCELLED");
    assert!(!home.workspace().join("second").exists());

    let daemon = home.start_scripted(&[message("the second is there")]);
    let plans = waiting(&mut daemon.connect());
    let ids: Vec<&str> = plans.iter().filter_map(|plan| plan.text_at("plan")).collect();
    assert_eq!(ids, [&*second], "what had begun is not tried again, what had not waits");
    let ran = home.run(&["approve", &second, "--yes"]);
    assert_eq!((&*ran.out, ran.code), ("the second is there\n", 0), "{ran:?}");
    assert!(home.workspace().join("second").exists());
}

#[test]
fn a_plan_that_nobody_answers_lapses_and_its_session_is_told() {
    let home = Home::new().config("loop.heartbeat_seconds = 1\ngates.approval_expiry_seconds = 1\n");
    let daemon = home.start_scripted(&[proposal("touch made.txt")]);
    let mut peer = daemon.connect();
    let id = peer.ask("make a file").plan_id().to_owned();
    let notice = peer.next();
    assert!(
        notice.at("payload.code").is_some_and(|code| code.is_kw("PLAN-EXPIRED")),
        "{notice}"
    );
    assert!(notice.text_at("payload.text").unwrap().contains(&id), "{notice}");
    let late = peer.ask(&format!("/approve {id}"));
    assert_eq!(late.outcome(), "REFUSED-MESSAGE");
    assert!(late.errors()[0].contains("expired"), "{late:?}");
    assert!(waiting(&mut peer).is_empty());
    assert!(!home.workspace().join("made.txt").exists());
}

#[test]
fn a_plan_lapses_across_a_restart_too() {
    let home = Home::new().config("loop.heartbeat_seconds = 1\ngates.approval_expiry_seconds = 1\n");
    let daemon = home.start_scripted(&[proposal("touch made.txt")]);
    let mut peer = daemon.connect();
    let id = peer.ask("make a file").plan_id().to_owned();
    let session = peer.session().to_owned();
    daemon.kill();

    let daemon = home.start_scripted(&[message("unused")]);
    let mut peer = daemon.connect();
    wait_until("the plan lapses", || waiting(&mut peer).is_empty());
    let mut peer = daemon.connect();
    peer.join(&session);
    let late = peer.ask(&format!("/approve {id}"));
    assert!(late.errors().iter().any(|text| text.contains("expired")), "{late:?}");
    assert!(!home.workspace().join("made.txt").exists());
}

#[test]
fn what_a_gate_rejects_by_then_is_not_carried_out_although_a_person_approved_it() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("cat notes.txt > copy.txt")]);
    let mut peer = daemon.connect();
    let id = peer.ask("copy").plan_id().to_owned();
    let session = peer.session().to_owned();
    daemon.kill();

    // The operator protects that file now: the gates of this moment judge.
    let home = home.config("settings.dispatcher.protected = [\"notes.txt\"]\n");
    home.file("workspace/notes.txt", b"private");
    let daemon = home.start_scripted(&[message("so it is protected")]);
    let mut peer = daemon.connect();
    peer.join(&session);
    let turn = peer.ask(&format!("/approve {id}"));
    assert_eq!(turn.rejections(), [("dispatcher", "path-protected")]);
    assert_eq!(turn.reply(), "so it is protected", "the model is told");
    assert!(!home.workspace().join("copy.txt").exists(), "it was carried out");
    assert!(waiting(&mut peer).is_empty());
}

/// Waits until `done`, but not for ever.
fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < PATIENCE, "waited in vain until {what}");
        sleep(Duration::from_millis(20));
    }
}
