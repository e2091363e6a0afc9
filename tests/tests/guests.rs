//! Real components with Rust's standard library in them, in a running daemon: whatever they ask of the world, the answer
//! is the same every time, nothing waits, and what they print is in the log.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_host::sexp::Form;
use passepartout_tests::guests::{Target, dreamer};
use passepartout_tests::peer::Turn;
use passepartout_tests::{Daemon, Home, message};

/// A proposal for the dreamer.
fn dream(command: &str) -> String {
    format!(
        "(:TYPE :REQUEST :TARGET :DREAM :PAYLOAD (:CMD \"{command}\" :EXPLANATION \"to see what there is to see\"))"
    )
}

fn home(target: Target) -> Home {
    let home = Home::new();
    home.file("skills/dreamer.wasm", dreamer(target));
    home
}

/// What the dreamer gave as the reason of each of its rejections.
fn reasons(turn: &Turn) -> Vec<String> {
    let refusals = turn.all("REFUSAL");
    let items = refusals
        .iter()
        .filter_map(|payload| payload.get("REJECTIONS"))
        .filter_map(Form::items)
        .flatten();
    items
        .filter(|item| item.text_at("gate") == Some("dreamer"))
        .map(|item| item.text_at("reason").unwrap_or_default().to_owned())
        .collect()
}

/// What the gate said in one turn, of three proposals.
fn judged(daemon: &Daemon<'_>) -> Vec<String> {
    let turn = daemon.connect().ask("go on");
    assert_eq!(turn.outcome(), "REFUSED", "{turn:#?}");
    let reasons = reasons(&turn);
    assert_eq!(reasons.len(), 3, "{turn:#?}");
    reasons
}

/// Has the gate judge `command` three times in a daemon of its own, which must be well afterwards.
fn judge(target: Target, command: &str) -> (Vec<String>, String) {
    let home = home(target);
    let mut daemon = home.start_scripted(&[dream(command), dream(command), dream(command)]);
    let reasons = judged(&daemon);
    daemon.assert_healthy();
    (reasons, daemon.log())
}

#[test]
fn a_gate_that_reads_clock_random_numbers_environment_and_files_says_the_same_every_time() {
    for target in Target::ALL {
        let home = home(target);
        let mut seen = Vec::new();
        // In one process and in the next, with an instance that was ready and with one that was not.
        for ready in ["", "[gates]\nready = 0\n"] {
            home.file("config/config.toml", ready.as_bytes());
            let answers: Vec<String> = (0..6).map(|_| dream("look")).collect();
            let daemon = home.start_scripted(&answers);
            seen.extend(judged(&daemon));
            seen.extend(judged(&daemon));
            assert!(daemon.stop().success());
        }
        assert!(seen.iter().all(|said| *said == seen[0]), "{target:?}: {seen:#?}");
        for part in [
            "since Ok(0ns)",
            "passed 0ns",
            "variables 0",
            "file Err(",
            "made Err(",
            "folder false",
            "address false",
            "read Ok(0)",
            "calls 0",
        ] {
            assert!(seen[0].contains(part), "{target:?}: {part}: {}", seen[0]);
        }
    }
}

#[test]
fn a_gate_with_a_hidden_counter_says_the_same_every_time() {
    for target in Target::ALL {
        let (reasons, _) = judge(target, "count");
        assert_eq!(reasons, ["call 1"; 3], "{target:?}");
    }
}

#[test]
fn a_gate_that_wants_to_wait_exit_or_panic_is_ended_at_once_and_says_why() {
    for target in Target::ALL {
        for (command, said) in [
            ("sleep", "clock stands still"),
            ("exit", "no process to end"),
            ("panic", "a nightmare"),
            ("wait", "host calls"),
            ("chatter", "100 log lines"),
        ] {
            let (reasons, log) = judge(target, command);
            assert!(
                reasons.iter().all(|reason| reason.contains(said)),
                "{target:?} {command}: {reasons:#?}"
            );
            if command == "panic" {
                assert!(log.contains("a nightmare"), "the panic's message is in the log: {log}");
            }
        }
    }
}

#[test]
fn what_a_skill_prints_is_in_the_log_line_by_line_under_its_name() {
    for target in Target::ALL {
        let (reasons, log) = judge(target, "print");
        assert_eq!(reasons, ["printed"; 3], "{target:?}");
        for line in [
            "the dreamer describes itself",
            "out 1 of 3",
            "out 3 of 3",
            "err 2 of 3",
            "without an end",
        ] {
            let labelled = format!("{line} skill=\"dreamer\"");
            assert!(log.contains(&labelled), "{target:?}: {labelled}: {log}");
        }
    }
}

#[test]
fn what_acts_lives_in_the_same_empty_world_and_no_sleep_holds_a_thread() {
    for target in Target::ALL {
        let home = home(target);
        let mut answers = Vec::new();
        for command in ["act look", "act sleep", "act count"] {
            answers.push(dream(command));
            answers.push(message("that was it"));
        }
        let mut daemon = home.start_scripted(&answers);
        let mut peer = daemon.connect();
        for (turn, said) in ["since Ok(0ns)", "clock stands still", "call 1"].iter().enumerate() {
            let asked = peer.ask("do it");
            assert_eq!(asked.outcome(), "WAITING", "{asked:#?}");
            let done = peer.ask(&format!("/approve {}", asked.plan_id()));
            assert_eq!(done.outcome(), "ANSWERED", "{done:#?}");
            let told = home.prompts()[2 * turn + 1].to_string();
            assert!(told.contains(said), "{target:?}: {said}: {told}");
        }
        daemon.assert_healthy();
    }
}

#[test]
fn while_gates_want_to_sleep_others_are_served() {
    let home = home(Target::Preview2);
    let answers: Vec<String> = (0..24).map(|_| dream("sleep")).collect();
    let mut daemon = home.start_scripted(&answers);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let turn = daemon.connect().ask("go on");
                assert_eq!(reasons(&turn).len(), 3, "{turn:#?}");
            });
        }
        for _ in 0..20 {
            let mut peer = daemon.connect();
            peer.send("(:TYPE :HEALTH-CHECK)");
            assert!(
                peer.next()
                    .get("TYPE")
                    .is_some_and(|kind| kind.is_kw("HEALTH-RESPONSE"))
            );
        }
    });
    daemon.assert_healthy();
}
