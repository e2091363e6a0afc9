//! What came of something is said before a model is asked, also where it is the decision record that can't be written or read.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use passepartout_host::sexp::Form;
use passepartout_tests::full::{append, bounded, bounded_to, fill, kept, unbound};
use passepartout_tests::paid::{PAY, home_with_session, joined, payments, turns};
use passepartout_tests::{Daemon, Home, Peer, message, proposal};

const QUIET: &str = "loop.heartbeat_seconds = 3600\n";

const UNASKED: &str = "settings.dispatcher.writes = \"pass\"\n";

const UNKNOWN: &str = "nobody knows how far it came";

/// A folder stands where a file was, which can't be read.
struct Unreadable(PathBuf);

impl Unreadable {
    fn now(path: &Path) -> Unreadable {
        fs::rename(path, path.with_extension("away")).unwrap();
        fs::create_dir(path).unwrap();
        Unreadable(path.to_owned())
    }

    fn over(self) {
        fs::remove_dir(&self.0).unwrap();
        fs::rename(self.0.with_extension("away"), &self.0).unwrap();
    }
}

/// The newest question holds it once.
fn assert_heard(home: &Home, what: &str) {
    let prompt = home.prompts().pop().unwrap().to_string();
    assert_eq!(prompt.matches(what).count(), 1, "{prompt}");
}

/// A plan is approved and carried out, and there was no room for what came of it, of which there is plenty now.
fn plan_without_room(home: &Home, session: &str, daemon: &Daemon<'_>) -> Peer {
    let mut peer = joined(daemon, session);
    let id = peer.ask("pay once").plan_id().to_owned();
    fill(daemon, home, session, 3_000);
    let ran = home.run(&["approve", &id, "--yes"]);
    assert!(ran.err.contains("it was done"), "{ran:?}");
    unbound(daemon);
    peer
}

#[test]
fn no_model_is_asked_before_the_record_has_room_for_what_became_of_a_plan_that_was_killed() {
    let (home, session) = home_with_session(QUIET);
    let daemon = home.start_scripted(&[proposal("echo paid >> ledger; sleep 60")]);
    let id = joined(&daemon, &session).ask("pay once").plan_id().to_owned();
    let mut approving = home.piped(&["approve", &id, "--yes"]);
    daemon.wait_until("it is paid", || payments(&home) == 1);
    daemon.kill();
    approving.wait().unwrap();
    let entry = Form::plist([("NOTHING", "x".repeat(300_000).as_str().into())]);
    // Longer than all that a daemon needs to begin: the code and data of its gates are bounded as well.
    let record = kept(&home, &session, "record.log");
    let room = (0..20).fold(0, |_, _| append(&record, &entry)) + 10;
    let provider = home.script(&[message("nobody knows")]);
    let daemon = home.start_command(&mut bounded_to(&home, &provider, room));
    let mut peer = joined(&daemon, &session);
    let asked = home.prompts().len();
    let turn = peer.ask("is it paid?");
    let said = "the conversation does not say yet what came of what was done before";
    assert!(
        turn.outcome() == "FAILED" && format!("{turn:?}").contains(said),
        "{turn:#?}"
    );
    assert_eq!(home.prompts().len(), asked);
    unbound(&daemon);
    assert_eq!(peer.ask("is it paid?").reply(), "nobody knows");
    assert_heard(&home, UNKNOWN);
    assert_eq!(turns(&home, &session).matches(":ABOUT").count(), 1);
}

#[test]
fn what_the_daemon_knows_of_a_plan_is_said_though_the_record_cant_be_read_or_is_gone() {
    for is_gone in [false, true] {
        let (home, session) = home_with_session(QUIET);
        let provider = home.script(&[proposal(PAY), message("it is paid"), message("yes")]);
        let daemon = home.start_command(&mut bounded(&home, &provider));
        let mut peer = plan_without_room(&home, &session, &daemon);
        let unreadable = Unreadable::now(&kept(&home, &session, "record.log"));
        if is_gone {
            fs::remove_dir(&unreadable.0).unwrap();
        }
        assert_eq!(peer.ask("is it paid?").reply(), "it is paid");
        assert_heard(&home, "shell: exit code");
        if is_gone {
            fs::create_dir(&unreadable.0).unwrap();
        }
        unreadable.over();
        assert_eq!(peer.ask("is it?").reply(), "yes");
        assert_heard(&home, "shell: exit code");
        assert_eq!(
            (payments(&home), turns(&home, &session).matches(":ABOUT").count()),
            (1, 1)
        );
    }
}

#[test]
fn no_model_is_asked_while_neither_the_record_nor_the_conversation_can_be_read() {
    let (home, session) = home_with_session(QUIET);
    let provider = home.script(&[proposal(PAY), message("it is paid")]);
    let daemon = home.start_command(&mut bounded(&home, &provider));
    let mut peer = plan_without_room(&home, &session, &daemon);
    let asked = home.prompts().len();
    let unreadable = ["record.log", "turns"].map(|name| Unreadable::now(&kept(&home, &session, name)));
    assert_eq!(peer.ask("is it paid?").outcome(), "FAILED");
    assert_eq!((home.prompts().len(), payments(&home)), (asked, 1));
    unreadable.into_iter().for_each(Unreadable::over);
    assert_eq!(peer.ask("is it paid?").reply(), "it is paid");
    assert_heard(&home, "shell: exit code");
}

/// What nobody was asked about was killed while it was carried out.
fn killed(home: &Home, session: &str) {
    let daemon = home.start_scripted(&[proposal("echo paid >> ledger; sleep 60")]);
    joined(&daemon, session).say("pay once");
    daemon.wait_until("it is paid", || payments(home) == 1);
    daemon.kill();
}

/// Whether `status` says, as a fault, what `text` says.
fn status_says(home: &Home, text: &str) -> bool {
    let status = home
        .run(&["status"])
        .out
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    status.starts_with("health degraded") && status.contains(text)
}

#[test]
fn a_record_that_is_gone_keeps_nobody_waiting_for_what_it_says_and_status_says_that_it_is_gone() {
    let (home, session) = home_with_session(&format!("{QUIET}{UNASKED}"));
    killed(&home, &session);
    let daemon = home.start_scripted(&[message("nobody knows"), message("nor now")]);
    let displaced = "was moved, removed or replaced while the daemon runs";
    assert!(!status_says(&home, displaced));
    let record = kept(&home, &session, "record.log");
    fs::rename(&record, record.with_extension("away")).unwrap();
    let mut peer = joined(&daemon, &session);
    assert_eq!(peer.ask("is it paid?").reply(), "nobody knows");
    assert_heard(&home, UNKNOWN);
    assert!(status_says(&home, displaced));
    // One that somebody begins in its place is not the one.
    fs::write(&record, "").unwrap();
    assert!(status_says(&home, displaced));
    fs::rename(record.with_extension("away"), &record).unwrap();
    assert!(!status_says(&home, displaced));
    assert_eq!(peer.ask("is it?").reply(), "nor now");
    assert_heard(&home, UNKNOWN);
}

#[test]
fn a_record_that_cant_be_read_is_tried_again_with_each_heartbeat_whoever_is_there_and_status_says_why() {
    let (home, session) = home_with_session(&format!("{QUIET}{UNASKED}").replace("3600", "1"));
    killed(&home, &session);
    let daemon = home.start_scripted(&[message("nobody knows")]);
    let asked = home.prompts().len();
    let unreadable = Unreadable::now(&kept(&home, &session, "record.log"));
    let mut peer = joined(&daemon, &session);
    let turn = peer.ask("is it paid?");
    assert!(
        turn.outcome() == "FAILED" && format!("{turn:?}").contains("Is a directory"),
        "{turn:#?}"
    );
    assert_eq!(home.prompts().len(), asked);
    let owed = "what became of 1 action has still to be told, because of this: cannot read";
    assert!(status_says(&home, owed));
    drop(peer);
    daemon.wait_until_put_away();
    // Also of whoever came back meanwhile.
    let mut peer = joined(&daemon, &session);
    assert_eq!(peer.ask("is it paid?").outcome(), "FAILED");
    assert!(status_says(&home, owed));
    drop(peer);
    daemon.wait_until_put_away();
    unreadable.over();
    daemon.wait_until("it is said", || turns(&home, &session).contains(UNKNOWN));
    daemon.wait_until("nothing is owed", || !status_says(&home, owed));
    assert_eq!(joined(&daemon, &session).ask("is it paid?").reply(), "nobody knows");
    assert_heard(&home, UNKNOWN);
}
