//! Denials while what has to say so can't be written: they stand at once, and are recorded and told by themselves.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;

use passepartout_host::sexp::Form;
use passepartout_tests::full::{append, bound, bounded, kept, session_of, unbound};
use passepartout_tests::{Daemon, Home, proposal};

/// A home whose heart beats quickly, with a session in which something was said.
fn home_with_session() -> (Home, String) {
    let home = Home::new().config("loop.heartbeat_seconds = 1\n");
    let session = session_of(&home);
    (home, session)
}

/// Whether `status` says that the end of one plan has still to be told.
fn is_owed(home: &Home) -> bool {
    let status = home.run(&["status"]).out;
    status.contains("what became of 1 plan has still to be told")
}

/// A denial that can't be told at first stands at once, and is told once, as soon as it can be.
fn assert_denied_and_told(home: &Home, daemon: Daemon<'_>, session: &str, id: &str) {
    let waits = || home.run(&["status"]).out.contains(id);
    assert!(is_owed(home) && !waits());
    let approved = home.run(&["approve", id, "--yes"]);
    assert_ne!(approved.code, 0, "{approved:?}");
    unbound(&daemon);
    daemon.wait_until("nothing is owed", || !is_owed(home));
    let told = || {
        let count = |name: &str, said: &str| {
            fs::read_to_string(kept(home, session, name))
                .unwrap()
                .matches(said)
                .count()
        };
        [
            count("record.log", ":KIND :DENIAL"),
            count("record.log", ":KIND :REOPENED"),
            count("turns", "REJECTED: the person denied"),
        ]
    };
    assert_eq!(told(), [1, 0, 1]);
    daemon.kill();
    let daemon = home.start();
    assert_eq!(told(), [1, 0, 1]);
    assert!(!waits());
    daemon.kill();
    assert!(!home.workspace().join("made").exists());
}

#[test]
fn a_denial_that_the_record_can_t_hold_stands_and_is_recorded_and_told_once_there_is_room() {
    let (home, session) = home_with_session();
    // It is the longest file by far, so that it alone meets the bound.
    let entry = Form::plist([("NOTHING", "x".repeat(200_000).as_str().into())]);
    append(&kept(&home, &session, "record.log"), &entry);
    let provider = home.script(&[proposal("touch made")]);
    let daemon = home.start_command(&mut bounded(&home, &provider));
    let mut peer = daemon.connect();
    peer.join(&session);
    let id = peer.ask("do it").plan_id().to_owned();
    bound(
        &daemon,
        fs::metadata(kept(&home, &session, "record.log")).unwrap().len(),
    );
    let ran = home.run(&["deny", &id]);
    let said = "it is denied, and the record does not say so yet";
    assert!(ran.code != 0 && ran.err.contains(said), "{ran:?}");
    assert_denied_and_told(&home, daemon, &session, &id);
}
