//! What came of what nobody was asked about: whatever is full or killed meanwhile, it is said in its conversation, once,
//! before a model is asked again, which would do it a second time.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs::{self, OpenOptions};

use passepartout_host::sexp::{Form, kw};
use passepartout_tests::full::{append, bounded, fill, kept, unbound};
use passepartout_tests::paid::{PAY, home_with_session, joined, payments, turns};
use passepartout_tests::{Daemon, Home, message, proposal};

const QUIET: &str = "loop.heartbeat_seconds = 3600\nsettings.dispatcher.writes = \"pass\"\n";

fn is_owed(home: &Home) -> bool {
    let status = home.run(&["status"]).out;
    status.contains("what became of 1 action has still to be told")
}

/// The newest question holds what was printed, once.
fn assert_heard(home: &Home) {
    let prompt = home.prompts().pop().unwrap().to_string();
    assert_eq!(prompt.matches("shell: exit code").count(), 1, "{prompt}");
    assert!(prompt.contains("a line of text"), "{prompt}");
}

#[test]
fn what_the_conversation_has_no_room_for_is_said_before_a_model_is_asked_again_and_nothing_is_done_twice() {
    let (home, session) = home_with_session(QUIET);
    let provider = home.script(&[proposal(PAY), message("it is paid")]);
    let daemon = home.start_command(&mut bounded(&home, &provider));
    let mut peer = joined(&daemon, &session);
    fill(&daemon, &home, &session, 3_000);
    let turn = peer.ask("pay once");
    assert!(
        turn.outcome() == "FAILED" && format!("{turn:?}").contains("it was done"),
        "{turn:#?}"
    );
    assert!(is_owed(&home));
    // There would be room for the question.
    let asked = home.prompts().len();
    let turn = peer.ask("is it paid?");
    let said = "the conversation does not say yet what came of what was done before";
    assert!(
        turn.outcome() == "FAILED" && format!("{turn:?}").contains(said),
        "{turn:#?}"
    );
    assert_eq!((home.prompts().len(), payments(&home)), (asked, 1));
    // Whoever comes later finds it so as well.
    drop(peer);
    daemon.wait_until_put_away();
    let mut peer = joined(&daemon, &session);
    assert_eq!(peer.ask("is it paid?").outcome(), "FAILED");
    unbound(&daemon);
    assert_eq!(peer.ask("is it paid?").reply(), "it is paid");
    assert_heard(&home);
    assert!(!is_owed(&home));
    assert_eq!(payments(&home), 1);
    let before = turns(&home, &session).matches(":ABOUT").count();
    assert_eq!(before, 1);
    daemon.kill();
    let daemon = home.start_scripted(&[message("yes")]);
    assert_eq!(joined(&daemon, &session).ask("is it?").reply(), "yes");
    assert_heard(&home);
    assert_eq!(turns(&home, &session).matches(":ABOUT").count(), before);
}

#[test]
fn no_model_is_asked_either_before_what_came_of_a_plan_is_said() {
    let (home, session) = home_with_session("loop.heartbeat_seconds = 3600\n");
    let provider = home.script(&[proposal(PAY), message("it is paid")]);
    let daemon = home.start_command(&mut bounded(&home, &provider));
    let mut peer = joined(&daemon, &session);
    let id = peer.ask("pay once").plan_id().to_owned();
    // Of what the record has of it, which is cut, there is no room either.
    fill(&daemon, &home, &session, 1_000);
    let ran = home.run(&["approve", &id, "--yes"]);
    assert!(ran.err.contains("it was done"), "{ran:?}");
    let asked = home.prompts().len();
    assert_eq!(peer.ask("is it paid?").outcome(), "FAILED");
    assert_eq!((home.prompts().len(), payments(&home)), (asked, 1));
    unbound(&daemon);
    assert_eq!(peer.ask("is it paid?").reply(), "it is paid");
    let prompt = home.prompts().pop().unwrap().to_string();
    assert!(prompt.contains("a line of text"), "{prompt}");
}

#[test]
fn what_was_owed_is_said_by_itself_once_there_is_room() {
    let (home, session) = home_with_session(&QUIET.replace("3600", "1"));
    let provider = home.script(&[proposal(PAY), message("it is paid")]);
    let daemon = home.start_command(&mut bounded(&home, &provider));
    let mut peer = joined(&daemon, &session);
    fill(&daemon, &home, &session, 3_000);
    assert_eq!(peer.ask("pay once").outcome(), "FAILED");
    assert!(is_owed(&home));
    unbound(&daemon);
    daemon.wait_until("nothing is owed", || !is_owed(&home));
    assert_eq!(turns(&home, &session).matches("shell: exit code").count(), 1);
    assert_eq!(peer.ask("is it paid?").reply(), "it is paid");
    assert_heard(&home);
}

#[test]
fn what_was_owed_when_the_daemon_was_killed_is_found_in_the_record() {
    let (home, session) = home_with_session(QUIET);
    let provider = home.script(&[proposal(PAY)]);
    let daemon = home.start_command(&mut bounded(&home, &provider));
    let mut peer = joined(&daemon, &session);
    fill(&daemon, &home, &session, 3_000);
    assert_eq!(peer.ask("pay once").outcome(), "FAILED");
    daemon.kill();
    for _ in 0..2 {
        let daemon = home.start_scripted(&[message("it is paid")]);
        assert_eq!(joined(&daemon, &session).ask("is it paid?").reply(), "it is paid");
        assert_heard(&home);
        daemon.kill();
    }
    assert_eq!(turns(&home, &session).matches(":ABOUT").count(), 1);
}

/// Cuts off what the conversation has from `mark` on, as if the daemon had been killed before.
fn cut_before(home: &Home, session: &str, mark: &str) {
    let text = turns(home, session);
    let at = text.find(mark).unwrap();
    let line = text[..at].rfind('\n').unwrap() + 1;
    let path = kept(home, session, "turns");
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(line as u64).unwrap();
}

#[test]
fn killed_while_something_is_done_it_says_that_nobody_knows_how_far_it_came_and_afterwards_what_the_record_says() {
    let (home, session) = home_with_session(QUIET);
    let command = "echo paid >> ledger; sleep 60";
    let daemon = home.start_scripted(&[proposal(command)]);
    joined(&daemon, &session).say("pay once");
    daemon.wait_until("it is paid", || payments(&home) == 1);
    daemon.kill();
    for _ in 0..2 {
        let daemon = home.start_scripted(&[message("nobody knows"), message("nobody knows")]);
        let mut peer = joined(&daemon, &session);
        for question in ["is it paid?", "is it?"] {
            assert_eq!(peer.ask(question).reply(), "nobody knows");
            let prompt = home.prompts().pop().unwrap().to_string();
            let unknown = "shell: the daemon ended while it was carried out, and nobody knows how far it came";
            assert_eq!(prompt.matches(unknown).count(), 1, "{prompt}");
            // Before what was asked then.
            assert!(prompt.find(unknown) < prompt.find(question), "{prompt}");
        }
        daemon.kill();
    }
    // The same where it had ended, and a kill came before that was said.
    let (home, session) = home_with_session(QUIET);
    let daemon = home.start_scripted(&[proposal(PAY), message("it is paid")]);
    assert_eq!(joined(&daemon, &session).ask("pay once").reply(), "it is paid");
    daemon.kill();
    cut_before(&home, &session, "shell: exit code");
    for _ in 0..2 {
        let daemon = home.start_scripted(&[message("it is paid")]);
        assert_eq!(joined(&daemon, &session).ask("is it paid?").reply(), "it is paid");
        assert_heard(&home);
        daemon.kill();
    }
    assert_eq!(
        (payments(&home), turns(&home, &session).matches(":ABOUT").count()),
        (1, 1)
    );
}

#[test]
fn what_leaves_nothing_to_say_is_not_said_to_be_broken_off() {
    let (home, session) = home_with_session(&format!("{QUIET}loop.silent_actuators = [\"shell\"]\n"));
    let daemon = home.start_scripted(&[proposal("ls")]);
    let mut peer = joined(&daemon, &session);
    assert_eq!(peer.ask("look").outcome(), "ANSWERED");
    // A plan that waits is one, and none that was broken off.
    daemon.kill();
    let daemon = home.start_scripted(&[proposal("rm -r big")]);
    let mut peer = joined(&daemon, &session);
    peer.ask("remove it").plan_id();
    daemon.kill();
    let daemon = home.start_scripted(&[message("hello")]);
    assert_eq!(joined(&daemon, &session).ask("hello").reply(), "hello");
    let prompt = home.prompts().pop().unwrap().to_string();
    assert!(!prompt.contains("nobody knows"), "{prompt}");
    assert!(!turns(&home, &session).contains(":ABOUT"));
}

/// How many bytes the daemon has read so far, from whatever file.
fn read_so_far(daemon: &Daemon<'_>) -> u64 {
    let counts = fs::read_to_string(format!("/proc/{}/io", daemon.pid())).unwrap();
    let own = counts.lines().find_map(|line| line.strip_prefix("rchar: "));
    own.unwrap().parse().unwrap()
}

#[test]
fn neither_the_record_nor_the_conversation_is_read_for_a_turn_with_nothing_to_find_out() {
    let (home, session) = home_with_session(QUIET);
    let entry = Form::plist([("NOTHING", "x".repeat(2_000_000).as_str().into())]);
    for name in ["record.log", "turns"] {
        append(&kept(&home, &session, name), &entry);
    }
    let daemon = home.start_scripted(&[proposal(PAY), message("it is paid"), message("yes")]);
    let mut peer = joined(&daemon, &session);
    assert_eq!(peer.ask("pay once").reply(), "it is paid");
    let before = read_so_far(&daemon);
    assert_eq!(peer.ask("is it?").reply(), "yes");
    let read = read_so_far(&daemon) - before;
    assert!(read < 2_000_000, "a turn read {read} bytes");
}

/// The record is begun anew, as after somebody put it away: it gives the same numbers again.
fn put_record_away(home: &Home) {
    let record = home.path().join("data/record.log");
    fs::rename(&record, record.with_extension("away")).unwrap();
}

/// A home with a session in which something was proposed and told of, whose decision was the first of the record.
fn home_with_first_decision() -> (Home, String) {
    let home = Home::new().config(QUIET);
    home.file("workspace/big", "a line of text\n".repeat(1_000).as_bytes());
    let daemon = home.start_scripted(&[proposal("touch first"), message("it is there")]);
    let mut peer = daemon.connect();
    assert_eq!(peer.ask("make a file").reply(), "it is there");
    let session = peer.session().to_owned();
    assert!(daemon.stop().success());
    put_record_away(&home);
    (home, session)
}

/// How many proposals of the conversation were the first decision of a record.
fn first_decisions(home: &Home, session: &str) -> usize {
    let turns = turns(home, session);
    [" ", ")"]
        .map(|end| turns.matches(&format!(":DECISION 1{end}")).count())
        .iter()
        .sum()
}

#[test]
fn what_was_said_of_a_decision_says_nothing_of_one_with_the_same_number_in_a_record_that_was_begun_anew() {
    let (home, session) = home_with_first_decision();
    let daemon = home.start_scripted(&[proposal("echo paid >> ledger; sleep 60")]);
    joined(&daemon, &session).say("pay once");
    daemon.wait_until("it is paid", || payments(&home) == 1);
    daemon.kill();
    assert_eq!(first_decisions(&home, &session), 2);
    for _ in 0..2 {
        let daemon = home.start_scripted(&[message("nobody knows")]);
        assert_eq!(joined(&daemon, &session).ask("is it paid?").reply(), "nobody knows");
        let prompt = home.prompts().pop().unwrap().to_string();
        assert_eq!(prompt.matches("nobody knows how far it came").count(), 1, "{prompt}");
        daemon.kill();
    }
}

#[test]
fn nor_where_there_was_no_room_for_what_came_of_the_later_one() {
    let (home, session) = home_with_first_decision();
    let entry = Form::plist([("NOTHING", "x".repeat(200_000).as_str().into())]);
    append(&kept(&home, &session, "turns"), &entry);
    let provider = home.script(&[proposal(PAY), message("it is paid")]);
    let daemon = home.start_command(&mut bounded(&home, &provider));
    let mut peer = joined(&daemon, &session);
    fill(&daemon, &home, &session, 3_000);
    assert_eq!(peer.ask("pay once").outcome(), "FAILED");
    assert_eq!(first_decisions(&home, &session), 2);
    unbound(&daemon);
    assert_eq!(peer.ask("is it paid?").reply(), "it is paid");
    let prompt = home.prompts().pop().unwrap().to_string();
    assert!(prompt.contains("a line of text"), "{prompt}");
    assert_eq!(payments(&home), 1);
}

#[test]
fn conversations_of_older_versions_which_name_decisions_by_number_alone_are_read_by_their_order() {
    let (home, session) = home_with_session(QUIET);
    let line = |role: &str, text: &str| Form::plist([("ROLE", kw(role)), ("TEXT", text.into())]);
    let proposed = |command: &str| line("ASSISTANT", &proposal(command)).with("DECISION", 1_u64);
    let conversation = kept(&home, &session, "turns");
    append(&conversation, &proposed("touch first"));
    append(
        &conversation,
        &line("TOOL", "shell: exit code 0").with("ABOUT", "decision 1"),
    );
    append(&conversation, &proposed("touch second"));
    append(&conversation, &proposed("touch third"));
    for _ in 0..2 {
        let daemon = home.start_scripted(&[message("nobody knows")]);
        assert_eq!(joined(&daemon, &session).ask("is it there?").reply(), "nobody knows");
        let prompt = home.prompts().pop().unwrap().to_string();
        assert_eq!(prompt.matches("nobody knows how far it came").count(), 2, "{prompt}");
        daemon.kill();
    }
}
