//! What the host says by itself of what was done before takes nothing from `/continue`.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_tests::full::{bounded, fill, unbound};
use passepartout_tests::paid::{PAY, home_with_session, joined, payments, turns};
use passepartout_tests::{Home, message, proposal};

/// What is looked at passes, and what is written asks; a turn stops after two steps.
const SHALLOW: &str = "loop.heartbeat_seconds = 1\nloop.max_depth = 1\ngates.approval_expiry_seconds = 3\n";

/// The newest question holds it once.
fn assert_heard(home: &Home, what: &str) {
    let prompt = home.prompts().pop().unwrap().to_string();
    assert_eq!(prompt.matches(what).count(), 1, "{prompt}");
}

#[test]
fn a_turn_that_can_be_continued_still_can_be_once_there_is_room_for_what_came_of_it() {
    let config = SHALLOW.replace("= 1\nloop", "= 3600\nloop") + "settings.dispatcher.writes = \"pass\"\n";
    let (home, session) = home_with_session(&config);
    let provider = home.script(&[proposal("touch one"), proposal(PAY), message("went on")]);
    let daemon = home.start_command(&mut bounded(&home, &provider));
    let mut peer = joined(&daemon, &session);
    fill(&daemon, &home, &session, 3_000);
    let turn = peer.ask("do the steps");
    assert!(
        turn.outcome() == "FAILED" && format!("{turn:?}").contains("/continue"),
        "{turn:#?}"
    );
    unbound(&daemon);
    assert_eq!(peer.ask("/continue").reply(), "went on");
    assert_heard(&home, "stdout:");
    assert_eq!(payments(&home), 1);
}

#[test]
fn a_turn_that_can_be_continued_still_can_be_after_a_plan_has_lapsed() {
    for is_there in [true, false] {
        let (home, session) = home_with_session(SHALLOW);
        home.file("workspace/marker", b"it came to this");
        let steps = [
            proposal(PAY),
            proposal("ls big"),
            proposal("cat marker"),
            message("went on"),
        ];
        let daemon = home.start_scripted(&steps);
        let mut peer = joined(&daemon, &session);
        peer.ask("pay once").plan_id();
        let turn = peer.ask("look at it");
        assert!(
            turn.outcome() == "FAILED" && format!("{turn:?}").contains("/continue"),
            "{turn:#?}"
        );
        if !is_there {
            drop(peer);
            daemon.wait_until_put_away();
            peer = daemon.connect();
        }
        let lapsed = "nobody answered in time whether this may be done";
        daemon.wait_until("the plan lapses", || turns(&home, &session).contains(lapsed));
        // Nobody has joined it since.
        if !is_there {
            peer.join(&session);
        }
        assert_eq!(peer.ask("/continue").reply(), "went on");
        assert_heard(&home, lapsed);
        // What it was stopped at was said before, and is not said again.
        assert_heard(&home, "it came to this");
        assert_eq!(payments(&home), 0);
    }
}
