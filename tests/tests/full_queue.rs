//! Answers to plans that can't be taken up, as where as many turns wait in their session as may: a plan waits on and is
//! said to, and a denial stands and is told by itself.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;

use passepartout_host::sexp::Form;
use passepartout_tests::full::{append, bound, bounded, kept, session_of, unbound};
use passepartout_tests::{Daemon, Home, Peer, message, proposal};

const CONFIG: &str = "loop.heartbeat_seconds = 1\nsettings.dispatcher.writes = \"pass\"\n";

/// A plan that waits in a session which takes no more turns, and the peer that is in it.
fn plan_in_full_session(home: &Home, daemon: &Daemon<'_>) -> (Peer, String) {
    let mut peer = daemon.connect();
    let id = peer.ask("remove it").plan_id().to_owned();
    peer.say("wait");
    daemon.wait_until("the turn has begun", || home.workspace().join("begun").exists());
    let requests: Vec<String> = (0..65).map(|at| peer.say(&format!("message {at}"))).collect();
    let last = peer.turn(requests.last().unwrap());
    assert_eq!(last.outcome(), "REFUSED-MESSAGE", "{last:?}");
    (peer, id)
}

const WAITS: &str = "touch begun; sleep 600";

/// A home with a file that a plan would remove.
fn home() -> Home {
    let home = Home::new().config(CONFIG);
    home.file("workspace/folder/file", b"");
    home
}

/// The scripted answers of a session that is filled, and ends with this.
fn answers(last: &str) -> Vec<String> {
    let mut answers = vec![proposal("rm -r folder"), proposal(WAITS)];
    answers.extend((0..64).map(|_| message("one of many")));
    answers.push(message(last));
    answers
}

/// Stops what runs in the session of `peer`, so that all the others have their turn.
fn let_go(peer: &mut Peer) {
    peer.say("/stop");
    for _ in 0..64 {
        while !peer.next().to_string().contains("one of many") {}
    }
}

#[test]
fn an_approval_whose_turn_can_t_be_queued_leaves_the_plan_waiting_and_says_so() {
    let home = home();
    let daemon = home.start_scripted(&answers("it is gone"));
    let (mut peer, id) = plan_in_full_session(&home, &daemon);
    let said = format!("plan {id} was not approved and still waits: this session has 64 turns waiting already");
    let ran = home.run(&["approve", &id, "--yes"]);
    assert!(ran.code != 0 && ran.err.contains(&said), "{ran:?}");
    let turn = peer.ask(&format!("/approve {id}"));
    assert!(turn.errors().iter().any(|own| own.contains(&said)), "{turn:?}");
    assert!(home.run(&["status"]).out.contains(&id));
    let_go(&mut peer);
    assert!(home.workspace().join("folder").exists());
    let ran = home.run(&["approve", &id, "--yes"]);
    assert!(ran.code == 0 && ran.out.contains("it is gone"), "{ran:?}");
    assert!(!home.workspace().join("folder").exists());
}

#[test]
fn a_denial_whose_turn_can_t_be_queued_stands_and_is_told_by_itself_once() {
    let home = home();
    let daemon = home.start_scripted(&answers("as you wish"));
    let (mut peer, id) = plan_in_full_session(&home, &daemon);
    let ran = home.run(&["deny", &id, "--reason", "not now"]);
    let said = "it is denied, and its conversation does not say so yet, which is tried again by itself with each heartbeat: \
                this session has 64 turns waiting already";
    assert!(ran.code != 0 && ran.err.contains(said), "{ran:?}");
    assert!(!home.run(&["status"]).out.contains(&id));
    daemon.wait_until("nothing is owed", || {
        !home.run(&["status"]).out.contains("has still to be told")
    });
    let session = peer.session().to_owned();
    let told = || {
        let count = |name: &str, said: &str| {
            let text = fs::read_to_string(kept(&home, &session, name)).unwrap();
            text.matches(said).count()
        };
        [
            count("record.log", ":KIND :DENIAL"),
            count("turns", "REJECTED: the person denied"),
        ]
    };
    assert_eq!(told(), [1, 1]);
    let_go(&mut peer);
    assert_eq!(peer.ask("well?").reply(), "as you wish");
    let prompt = home.prompts().pop().unwrap().to_string();
    assert_eq!(prompt.matches("not now").count(), 1, "{prompt}");
    daemon.kill();
    home.start().kill();
    assert_eq!(told(), [1, 1]);
    assert!(home.workspace().join("folder").exists());
}

#[test]
fn an_approval_once_and_for_all_that_can_t_be_kept_leaves_the_plan_waiting_though_not_even_that_can_be_kept() {
    for is_killed in [false, true] {
        let home = Home::new().config("loop.heartbeat_seconds = 1\n");
        let session = session_of(&home);
        for (name, bytes) in [("record.log", 250_000), ("plans.log", 200_000)] {
            let entry = Form::plist([("NOTHING", "x".repeat(bytes).as_str().into())]);
            append(&kept(&home, &session, name), &entry);
        }
        let provider = home.script(&[proposal("echo paid >> ledger"), message("it is paid")]);
        let daemon = home.start_command(&mut bounded(&home, &provider));
        let mut peer = daemon.connect();
        peer.join(&session);
        let id = peer.ask("pay").plan_id().to_owned();
        // There is room for the approval, and neither for what stands nor for taking the approval back.
        let plans = || kept(&home, &session, "plans.log");
        bound(&daemon, fs::metadata(plans()).unwrap().len() + 80);
        let ran = home.run(&["approve", &id, "--yes", "--remember"]);
        let said = format!("plan {id} was not approved and still waits");
        assert!(ran.code != 0 && ran.err.contains(&said), "{ran:?}");
        let text = fs::read_to_string(plans()).unwrap();
        assert!(text.ends_with(":STATE :APPROVED)\n"), "{}", &text[200_000..]);
        assert!(home.run(&["status"]).out.contains(&id));
        let daemon = if is_killed {
            daemon.kill();
            home.start_scripted(&[message("it is paid")])
        } else {
            unbound(&daemon);
            daemon.wait_until("nothing is owed", || {
                !home.run(&["status"]).out.contains("has still to be told")
            });
            let text = fs::read_to_string(plans()).unwrap();
            let last = text.lines().last().unwrap();
            assert!(last.contains(":STATE :WAITING"), "{last}");
            daemon
        };
        assert!(home.run(&["status"]).out.contains(&id), "{is_killed}");
        let ran = home.run(&["approve", &id, "--yes"]);
        assert!(ran.code == 0 && ran.out.contains("it is paid"), "{ran:?}");
        let ledger = fs::read_to_string(home.workspace().join("ledger")).unwrap();
        assert_eq!(ledger, "paid\n");
        daemon.kill();
    }
}
