//! How plans end while the disk is full: what can't be told then is told as soon as there is room, by the same daemon, and
//! nobody hears that nothing was done where something was.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::process::Stdio;

use passepartout_host::sexp::Form;
use passepartout_tests::full::{append, bound, bounded, kept, session_of, unbound};
use passepartout_tests::guest::Guest;
use passepartout_tests::skills::Folder;
use passepartout_tests::{Daemon, Home, Peer, message, proposal};

/// A home with a session in which something was said.
fn home_with_session(config: &str) -> (Home, String) {
    let home = Home::new().config(config);
    let session = session_of(&home);
    (home, session)
}

const QUICK: &str = "loop.heartbeat_seconds = 1\n";

fn text(home: &Home, session: &str, name: &str) -> String {
    fs::read_to_string(kept(home, session, name)).unwrap()
}

/// Makes a file longer than all others, so that it is the one that a full disk hits.
fn lengthen(home: &Home, session: &str, name: &str) {
    let entry = Form::plist([("NOTHING", "x".repeat(200_000).as_str().into())]);
    append(&kept(home, session, name), &entry);
}

/// From now on nothing more can be written to this file, which is the longest.
fn fill(daemon: &Daemon<'_>, home: &Home, session: &str, name: &str) {
    bound(daemon, fs::metadata(kept(home, session, name)).unwrap().len());
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

const QUIET: &str = "loop.heartbeat_seconds = 3600\n";

/// A plan that waits, in the session, of a command that ends with this line once it is [let go](carried_out).
fn planned(daemon: &Daemon<'_>, session: &str) -> (Peer, String) {
    let mut peer = daemon.connect();
    peer.join(session);
    let id = peer.ask("do it").plan_id().to_owned();
    (peer, id)
}

const COMMAND: &str = "touch begun; while [ ! -e go ]; do sleep 0.1; done; echo it came to this";

/// Approves the plan, and does `full` while it is carried out. Returns what the person hears.
fn carried_out(home: &Home, daemon: &Daemon<'_>, id: &str, full: impl FnOnce()) -> (String, bool) {
    let mut approve = home.command();
    approve.args(["approve", id, "--yes"]);
    approve.stdout(Stdio::piped()).stderr(Stdio::piped());
    let approve = approve.spawn().unwrap();
    daemon.wait_until("it has begun", || home.workspace().join("begun").exists());
    full();
    home.file("workspace/go", b"");
    let ended = approve.wait_with_output().unwrap();
    let [out, err] = [&ended.stdout, &ended.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    (out + &err, ended.status.success())
}

#[test]
fn what_was_carried_out_is_said_to_be_and_told_once_there_is_room_whichever_file_could_not_be_written() {
    for name in ["turns", "record.log", "plans.log"] {
        let (home, session) = home_with_session(QUICK);
        lengthen(&home, &session, name);
        let provider = home.script(&[proposal(COMMAND), message("I see"), message("I see")]);
        let daemon = home.start_command(&mut bounded(&home, &provider));
        let (mut peer, id) = planned(&daemon, &session);
        let (said, succeeded) = carried_out(&home, &daemon, &id, || fill(&daemon, &home, &session, name));
        assert!(!said.contains("nothing was done"), "{name}: {said}");
        let wanted = match name {
            "plans.log" => "I see",
            _ => "it was done, and what came of it could not be kept",
        };
        assert!(said.contains(wanted) && succeeded, "{name}: {said}");
        daemon.wait_until("the end is owed", || is_owed(&home));
        assert_eq!(peer.ask("/plans").outcome(), "ANSWERED");
        unbound(&daemon);
        daemon.wait_until("nothing is owed", || !is_owed(&home));
        let is_told = || {
            let told = |name: &str, said: &str| text(&home, &session, name).matches(said).count();
            [
                told("turns", ":ABOUT"),
                told("turns", "it came to this\n"),
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

#[test]
fn what_failed_is_never_said_to_be_done_whichever_file_could_not_be_written() {
    let exits = "echo no such account >&2; exit 3";
    for (name, ends, config) in [
        ("record.log", exits, ""),
        ("turns", exits, ""),
        ("record.log", "sleep 60", "shell.timeout_seconds = 3\n"),
    ] {
        let (home, session) = home_with_session(&format!("{QUIET}{config}"));
        lengthen(&home, &session, name);
        let command = format!("touch begun; while [ ! -e go ]; do sleep 0.1; done; {ends}");
        let provider = home.script(&[proposal(&command)]);
        let daemon = home.start_command(&mut bounded(&home, &provider));
        let (_peer, id) = planned(&daemon, &session);
        let (said, _) = carried_out(&home, &daemon, &id, || fill(&daemon, &home, &session, name));
        assert!(
            said.contains("it did not succeed, and why could not be kept") && !said.contains("it was done"),
            "{name}, {ends}: {said}"
        );
    }
}

#[test]
fn a_question_is_asked_with_what_was_owed_to_its_session_as_soon_as_there_is_room() {
    for name in ["turns", "record.log"] {
        // No heartbeat comes meanwhile.
        let (home, session) = home_with_session(QUIET);
        lengthen(&home, &session, name);
        let provider = home.script(&[proposal(COMMAND), message("I see")]);
        let daemon = home.start_command(&mut bounded(&home, &provider));
        let (mut peer, id) = planned(&daemon, &session);
        carried_out(&home, &daemon, &id, || fill(&daemon, &home, &session, name));
        assert!(is_owed(&home), "{name}");
        // Nor is a model asked in vain, as long as there is no room.
        let asked = home.prompts().len();
        let turn = peer.ask("how did it go?");
        assert_eq!(
            (home.prompts().len(), turn.outcome()),
            (asked, "FAILED"),
            "{name}: {turn:#?}"
        );
        unbound(&daemon);
        assert_eq!(peer.ask("well?").reply(), "I see", "{name}");
        let prompt = home.prompts().pop().unwrap().to_string();
        assert_eq!(prompt.matches("it came to this\n").count(), 1, "{name}: {prompt}");
        assert!(!is_owed(&home), "{name}");
        let record = text(&home, &session, "record.log");
        assert_eq!(record.matches("it came to this\n").count(), 1, "{name}: {record}");
        daemon.kill();
        home.start().kill();
        assert_eq!(text(&home, &session, "turns").matches(":ABOUT").count(), 1, "{name}");
    }
}

#[test]
fn where_the_next_step_can_t_be_recorded_nobody_hears_that_nothing_was_done() {
    let (home, session) = home_with_session(QUIET);
    lengthen(&home, &session, "record.log");
    let long = format!("echo {}", "x".repeat(100_000));
    let provider = home.script(&[proposal(COMMAND), proposal(&long)]);
    let daemon = home.start_command(&mut bounded(&home, &provider));
    let (_peer, id) = planned(&daemon, &session);
    // There is room for what came of it, and for no long decision.
    let record = kept(&home, &session, "record.log");
    let (said, _) = carried_out(&home, &daemon, &id, || {
        bound(&daemon, fs::metadata(&record).unwrap().len() + 50_000);
    });
    assert_eq!(home.prompts().len(), 3, "the model goes on");
    assert!(
        said.contains("the next step was not done") && !said.contains("nothing was done"),
        "{said}"
    );
    assert!(!is_owed(&home));
}

#[test]
fn what_was_approved_and_leaves_no_outcome_in_the_record_is_told_by_the_same_daemon_too() {
    let mut guest =
        Guest::new("(:NAME \"warden\" :VERSION \"v1\" :FUNCTIONS (:GATE) :GATE-TARGETS (:TUI))".to_owned());
    let ask = guest.text("(:RULE \"says\" :FIELD \"payload.text\" :SUMMARY \"says something\" :RISK \"low\")");
    guest.gate = format!("(call $say (i32.const 3) {ask})");
    let (home, session) = home_with_session(QUIET);
    Folder::of(&home).copy("warden", &guest.build());
    lengthen(&home, &session, "turns");
    let provider = home.script(&[message("here you are"), proposal("touch made")]);
    let daemon = home.start_command(&mut bounded(&home, &provider));
    let (mut peer, id) = planned(&daemon, &session);
    fill(&daemon, &home, &session, "turns");
    let ran = home.run(&["approve", &id, "--yes"]);
    assert!(ran.err.contains("nothing was done"), "{ran:?}");
    assert!(is_owed(&home));
    unbound(&daemon);
    peer.ask("well?").plan_id();
    let prompt = home.prompts().pop().unwrap().to_string();
    assert!(
        prompt.contains("a person approved it, and it was not carried out"),
        "{prompt}"
    );
    assert!(!is_owed(&home));
    let told = || {
        let turns = text(&home, &session, "turns");
        [turns.matches(":ABOUT").count(), turns.matches("here you are").count()]
    };
    let before = told();
    assert_eq!(before[0], 1);
    daemon.kill();
    let daemon = home.start();
    assert!(
        !daemon.log().contains("nobody knows how far it came"),
        "{}",
        daemon.log()
    );
    daemon.kill();
    assert_eq!(told(), before);
}

/// How many bytes the daemon has read so far, from whatever file.
fn read_so_far(daemon: &Daemon<'_>) -> u64 {
    let counts = fs::read_to_string(format!("/proc/{}/io", daemon.pid())).unwrap();
    let own = counts.lines().find_map(|line| line.strip_prefix("rchar: "));
    own.unwrap().parse().unwrap()
}

#[test]
fn of_plans_that_lapse_together_the_conversation_is_read_once_and_hears_of_each() {
    let (home, session) = home_with_session("loop.heartbeat_seconds = 1\ngates.approval_expiry_seconds = 3\n");
    for _ in 0..40 {
        lengthen(&home, &session, "turns");
    }
    let answers: Vec<String> = (0..8).map(|at| proposal(&format!("touch made{at}"))).collect();
    let daemon = home.start_scripted(&answers);
    let mut peer = daemon.connect();
    peer.join(&session);
    (0..8).for_each(|_| drop(peer.ask("make it").plan_id().to_owned()));
    let length = fs::metadata(kept(&home, &session, "turns")).unwrap().len();
    let before = read_so_far(&daemon);
    daemon.wait_until("all have lapsed", || {
        let turns = text(&home, &session, "turns");
        turns.matches("REJECTED: nobody answered in time").count() == 8
    });
    let read = read_so_far(&daemon) - before;
    // They were made in more than one second, perhaps.
    assert!(read < 4 * length, "{read} bytes were read of {length}");
}

#[test]
fn a_turn_reads_its_own_conversation_once_for_all_that_is_owed_to_it_and_none_for_what_is_owed_to_others() {
    let (home, session) = home_with_session(QUIET);
    for _ in 0..40 {
        lengthen(&home, &session, "turns");
    }
    let mut answers: Vec<String> = (0..4).map(|at| proposal(&format!("touch made{at}"))).collect();
    answers.extend(["elsewhere", "as you wish"].map(message));
    let provider = home.script(&answers);
    let daemon = home.start_command(&mut bounded(&home, &provider));
    let mut peer = daemon.connect();
    peer.join(&session);
    let ids: Vec<String> = (0..4).map(|_| peer.ask("make it").plan_id().to_owned()).collect();
    let length = fs::metadata(kept(&home, &session, "turns")).unwrap().len();
    fill(&daemon, &home, &session, "turns");
    for id in &ids {
        let ran = home.run(&["deny", id, "--reason", &format!("not {id}")]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    let owed = || {
        home.run(&["status"])
            .out
            .contains("what became of 4 plans has still to be told")
    };
    assert!(owed());
    let mut other = daemon.connect();
    let before = read_so_far(&daemon);
    assert_eq!(other.ask("anything").reply(), "elsewhere");
    let read = read_so_far(&daemon) - before;
    assert!(read < length, "another session's turn read {read} bytes");
    let before = read_so_far(&daemon);
    assert_eq!(peer.ask("well?").outcome(), "FAILED");
    let read = read_so_far(&daemon) - before;
    assert!(read < 2 * length, "its own turn read {read} bytes of {length}");
    assert!(owed());
    unbound(&daemon);
    assert_eq!(peer.ask("well?").reply(), "as you wish");
    let prompt = home.prompts().pop().unwrap().to_string();
    for id in &ids {
        assert_eq!(prompt.matches(&format!("not {id}")).count(), 1, "{prompt}");
    }
    assert!(!home.run(&["status"]).out.contains("has still to be told"));
}
