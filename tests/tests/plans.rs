//! Plans over time: a daemon that is killed, a person who doesn't answer, gates that change their mind.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::thread::sleep;
use std::time::{Duration, Instant};

use passepartout_host::sexp::Form;
use passepartout_tests::daemon::PATIENCE;
use passepartout_tests::guest::Guest;
use passepartout_tests::script::{last_message, waiting};
use passepartout_tests::skills::{Folder, Watcher};
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
fn a_plan_that_was_shown_for_another_workspace_is_not_carried_out_in_this_one_and_waits() {
    let home = Home::new();
    for workspace in ["a", "b"] {
        home.file(&format!("{workspace}/build/important"), b"x");
    }
    let at = |workspace: &str| home.path().join(workspace);
    let start = |workspace: &str, answer: String| {
        let provider = home.script(&[answer]);
        let folder = at(workspace).display().to_string();
        home.start_with(&["--provider", &provider, "--workspace", &folder])
    };
    let daemon = start("a", proposal("rm -r build"));
    let mut peer = daemon.connect();
    let id = peer.ask("clean up").plan_id().to_owned();
    let session = peer.session().to_owned();
    assert!(daemon.stop().success());

    let daemon = start("b", message("unused"));
    let status = home.run(&["status"]);
    let folder = at("a").display().to_string();
    assert!(
        status.out.contains(&id) && status.out.contains(&format!("the workspace {folder}")),
        "{status:?}"
    );
    assert!(!status.out.contains(&format!("approve {id}")), "{status:?}");
    let ran = home.run(&["approve", &id, "--yes"]);
    assert!(
        ran.code == 1 && ran.err.contains("was shown for the workspace"),
        "{ran:?}"
    );
    let mut peer = daemon.connect();
    peer.join(&session);
    assert_eq!(peer.ask(&format!("/approve {id}")).outcome(), "REFUSED-MESSAGE");
    assert!(daemon.stop().success());
    assert!(at("a").join("build").exists() && at("b").join("build").exists());

    // It is there when its workspace is back.
    let daemon = start("a", message("it is gone"));
    assert_eq!(home.run(&["approve", &id, "--yes"]).code, 0);
    assert!(!at("a").join("build").exists() && at("b").join("build").exists());
    drop(daemon);
}

#[test]
fn a_denial_whose_turn_was_stopped_is_recorded_and_the_model_hears_of_it_later() {
    let home = Home::new().config("loop.shutdown_seconds = 0\n");
    let daemon = home.start_scripted(&[proposal("touch begun; sleep 300"), proposal("touch second")]);
    let mut peer = daemon.connect();
    let first = peer.ask("one").plan_id().to_owned();
    let second = peer.ask("two").plan_id().to_owned();
    let session = peer.session().to_owned();
    peer.say(&format!("/approve {first}"));
    let denied = peer.say(&format!("/deny {second} not this one"));
    wait_until("the first has begun", || home.workspace().join("begun").exists());
    let again = peer.say("/plans");
    assert_eq!(peer.turn(&again).reply(), "Nothing waits for you in this session.");
    assert!(daemon.stop().success());
    assert_eq!(peer.turn(&denied).outcome(), "CANCELLED");

    let daemon = home.start_scripted(&[message("I see")]);
    let mut peer = daemon.connect();
    peer.join(&session);
    assert_eq!(peer.ask("go on").reply(), "I see");
    let told = home.prompts().pop().unwrap().to_string();
    assert!(
        told.contains("REJECTED: the person denied") && told.contains("not this one"),
        "{told}"
    );
    let explained = home.run(&["explain", &second]);
    assert!(
        explained
            .out
            .contains(&format!("denial of plan {second}: not this one")),
        "{explained:?}"
    );
    assert!(!home.workspace().join("second").exists());
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

#[test]
fn approving_while_nothing_can_pass_leaves_the_plan_waiting() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("touch made.txt")]);
    let mut peer = daemon.connect();
    let id = peer.ask("make a file").plan_id().to_owned();
    let session = peer.session().to_owned();
    daemon.kill();

    let home = home.config("no-such-key = 1\n");
    let daemon = home.start_scripted(&[message("unused")]);
    let mut peer = daemon.connect();
    peer.join(&session);
    let turn = peer.ask(&format!("/approve {id}"));
    assert_eq!(turn.outcome(), "REFUSED-MESSAGE", "{turn:?}");
    assert!(
        turn.errors()[0].contains("no-such-key") && turn.errors()[0].contains("still waits"),
        "{turn:?}"
    );
    assert_eq!(waiting(&mut peer).len(), 1);
    daemon.kill();

    let home = home.config("");
    let daemon = home.start_scripted(&[message("now it is there")]);
    let mut peer = daemon.connect();
    peer.join(&session);
    assert_eq!(peer.ask(&format!("/approve {id}")).reply(), "now it is there");
    assert!(home.workspace().join("made.txt").exists());
}

#[test]
fn what_a_new_gate_asks_by_then_is_asked_before_anything_runs() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start_scripted(&[proposal("touch made.txt"), message("both were asked")]);
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    let first = peer.ask("make a file");
    let mut guard = Guest::new("(:NAME \"guard\" :VERSION \"v1\" :FUNCTIONS (:GATE) :GATE-TARGETS (:SHELL))");
    let text = guard.text("(:RULE \"new\" :SUMMARY \"runs a command\" :RISK \"low\")");
    guard.gate = format!("(call $say (i32.const 3) {text})");
    folder.copy("guard", &guard.build());
    watcher.wait_version("guard", "v1");

    let second = peer.ask(&format!("/approve {}", first.plan_id()));
    assert_eq!(second.outcome(), "WAITING", "{second:?}");
    let asks = second.plan().get("ASKS").and_then(Form::items).unwrap();
    let rules: Vec<_> = asks.iter().filter_map(|ask| ask.text_at("rule")).collect();
    // With what was asked before: else the two gates would take turns.
    assert!(rules.contains(&"new") && rules.len() == 2, "{rules:?}");
    assert!(
        !home.workspace().join("made.txt").exists(),
        "it ran without the new gate's ask"
    );
    let again = peer.ask(&format!("/approve {}", first.plan_id()));
    assert_eq!(again.outcome(), "REFUSED-MESSAGE", "a used plan is used: {again:?}");
    let third = peer.ask(&format!("/approve {}", second.plan_id()));
    assert_eq!(third.outcome(), "ANSWERED", "{third:?}");
    assert!(home.workspace().join("made.txt").exists());
}

#[test]
fn a_plan_that_was_changed_by_a_byte_on_disk_is_no_plan() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("touch made1.txt"), proposal("touch other.txt")]);
    let mut peer = daemon.connect();
    let id = peer.ask("make a file").plan_id().to_owned();
    let other = peer.ask("and another").plan_id().to_owned();
    let session = peer.session().to_owned();
    daemon.kill();

    let path = home.path().join("data/plans.log");
    let mut bytes = std::fs::read(&path).unwrap();
    let name = b"made1.txt";
    let at = bytes.windows(name.len()).position(|window| window == name).unwrap();
    bytes[at + 4] = b'2';
    std::fs::write(&path, bytes).unwrap();

    let daemon = home.start_scripted(&[message("unused")]);
    let mut peer = daemon.connect();
    peer.join(&session);
    let turn = peer.ask(&format!("/approve {id}"));
    assert!(turn.errors()[0].contains("there is no plan"), "{turn:?}");
    let ids: Vec<_> = waiting(&mut peer);
    assert_eq!(
        ids.iter().filter_map(|plan| plan.text_at("plan")).collect::<Vec<_>>(),
        [other.as_str()]
    );
    for name in ["made1.txt", "made2.txt"] {
        assert!(!home.workspace().join(name).exists(), "{name}");
    }
}

#[test]
fn two_plans_of_one_text_are_explained_each_by_itself() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("touch made.txt"), proposal("touch made.txt"), message("done")]);
    let mut peer = daemon.connect();
    let first = peer.ask("one").plan_id().to_owned();
    // In one session, what waits already is not made twice.
    let second = daemon.connect().ask("two").plan_id().to_owned();
    peer.ask(&format!("/deny {first} not twice"));
    let explained = |id: &str| home.run(&["explain", id]).out;
    let check = || {
        let (one, two) = (explained(&first), explained(&second));
        assert!(one.contains(&format!("denial of plan {first}: not twice")), "{one}");
        assert!(two.contains(&format!("waits as plan {second}")), "{two}");
        assert!(!one.contains(&second) && !two.contains(&first), "{one}\n{two}");
        assert_eq!((one.matches("waiting").count(), two.matches("waiting").count()), (1, 1));
    };
    check();
    daemon.kill();
    check();
}

#[test]
fn a_time_out_is_recorded_as_a_time_out_before_anybody_hears_of_it() {
    let home = Home::new().config("loop.heartbeat_seconds = 3600\ngates.approval_expiry_seconds = 1\n");
    let daemon = home.start_scripted(&[proposal("touch made.txt")]);
    let mut peer = daemon.connect();
    let id = peer.ask("make a file").plan_id().to_owned();
    wait_until("it is no longer offered", || waiting(&mut peer).is_empty());
    // Nobody has noted it yet, and whoever asks what came of it is told all the same.
    let explained = home.run(&["explain", &id]);
    assert!(explained.out.contains(&format!("expiry of plan {id}")), "{explained:?}");
    let late = peer.ask(&format!("/approve {id}"));
    assert!(late.errors().iter().any(|text| text.contains("expired")), "{late:?}");
    let explained = home.run(&["explain", &id]);
    assert!(explained.out.contains(&format!("expiry of plan {id}")), "{explained:?}");
    assert!(!explained.out.contains("denial"), "{explained:?}");
    assert!(!home.workspace().join("made.txt").exists());
}

#[test]
fn an_action_that_was_stopped_is_recorded_as_stopped() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("touch begun; sleep 300")]);
    let mut peer = daemon.connect();
    let id = peer.ask("go").plan_id().to_owned();
    let running = peer.say(&format!("/approve {id}"));
    wait_until("it has begun", || home.workspace().join("begun").exists());
    peer.say("/stop");
    assert_eq!(peer.turn(&running).outcome(), "CANCELLED");
    let explained = home.run(&["explain", &id]);
    assert!(
        explained.out.contains("outcome of") && explained.out.contains("stopped"),
        "{explained:?}"
    );
}

/// Waits until `done`, but not for ever.
fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < PATIENCE, "waited in vain until {what}");
        sleep(Duration::from_millis(20));
    }
}
