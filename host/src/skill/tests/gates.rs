//! Gates that trap and lie: each is a fault that names its bound, and the next call is as if nothing had been.

use super::guest::{Guest, LOG, RUN, SECRETS, TEXT};
use super::*;
use crate::gate::{Ask, Rejection};

#[test]
fn a_gate_that_passes_passes() {
    assert_eq!(verdict(Guest::gate("fine"), "fine"), Ok(Verdict::Pass));
}

#[test]
fn after_a_trap_the_next_call_gets_a_fresh_instance_and_the_right_answer() {
    let mut guest = Guest::gate("traps").import(&TEXT);
    let path = guest.text("payload.cmd");
    // Traps when the command has three bytes.
    guest.gate = format!(
        "(call $text (local.get 0) {path} (i32.const 64))
         (if (i32.eq (i32.load (i32.const 72)) (i32.const 3)) (then unreachable)) (call $pass)"
    );
    let gate = make("traps", guest, &[]);
    let Err(GateFault::Trap { reason }) = judge(&gate, shell("pwd")) else {
        panic!("no trap")
    };
    assert!(reason.contains("unreachable"), "{reason}");
    assert_eq!(judge(&gate, shell("ls")), Ok(Verdict::Pass));
}

#[test]
fn what_is_no_verdict_is_nonsense_that_says_what_is_missing() {
    let saying = |case: u32, text: &str| {
        let mut guest = Guest::gate("says");
        let text = guest.text(text);
        guest.gate = format!("(call $say (i32.const {case}) {text})");
        verdict(guest, "says")
    };
    for (case, text, part) in [
        (2, "no list", "more text"),
        (2, "(:RULE \"r\"", "ends inside"),
        (2, "(:RULE \"r\")", ":REASON"),
        (2, "(:REASON \"r\")", ":RULE"),
        (2, "(:RULE \"r\" :RULE \"s\" :REASON \"t\")", "twice"),
        (3, "(:RULE \"r\" :SUMMARY \"s\")", ":RISK"),
        (3, "(:RULE \"r\" :SUMMARY \"s\" :RISK :HUGE)", "huge"),
        (1, "NIL", "empty"),
    ] {
        let Err(GateFault::Nonsense { reason }) = saying(case, text) else {
            panic!("{text} was taken")
        };
        assert!(reason.contains(part), "{text}: {reason}");
    }
    let Err(GateFault::Nonsense { reason }) = saying(4, "") else {
        panic!("a fifth case was taken")
    };
    assert!(reason.contains("discriminant"), "{reason}");
}

#[test]
fn verdicts_come_with_all_their_details_and_the_gates_true_name() {
    let saying = |case: u32, text: &str| {
        let mut guest = Guest::gate("says");
        let text = guest.text(text);
        guest.gate = format!("(call $say (i32.const {case}) {text})");
        verdict(guest, "says").unwrap()
    };
    let rejection = Rejection {
        gate: "says".to_owned(),
        rule: "r".to_owned(),
        field: "payload.cmd".to_owned(),
        reason: "because".to_owned(),
        repair: "try this".to_owned(),
        part: String::new(),
    };
    let text = "(:GATE \"another\" :RULE \"r\" :FIELD \"payload.cmd\" :REASON \"because\" :REPAIR \"try this\")";
    assert_eq!(saying(2, text), Verdict::Reject(rejection));
    let ask = Ask {
        gate: "says".to_owned(),
        rule: "r".to_owned(),
        field: String::new(),
        summary: "runs it".to_owned(),
        risk: "high".to_owned(),
        part: String::new(),
        remember: None,
        within: false,
    };
    let printed = "(:RULE :|r| :SUMMARY \"runs it\" :RISK :HIGH)";
    assert_eq!(saying(3, printed), Verdict::Ask(ask.clone()));
    let part = Ask {
        part: "rm x".to_owned(),
        ..ask.clone()
    };
    assert_eq!(
        saying(3, "(:RULE :|r| :SUMMARY \"runs it\" :RISK :HIGH :PART \"rm x\")"),
        Verdict::Ask(part)
    );
    // Only a text that says something offers that the ask may be remembered.
    for (offer, remember) in [
        ("\"ls '-l'\"", Some("ls '-l'")),
        ("\"\"", None),
        ("\" \"", None),
        ("T", None),
        (":ALL", None),
        ("NIL", None),
        ("(\"ls\")", None),
    ] {
        let printed = printed.replace(')', &format!(" :REMEMBER {offer})"));
        let ask = Ask {
            remember: remember.map(str::to_owned),
            ..ask.clone()
        };
        assert_eq!(saying(3, &printed), Verdict::Ask(ask), "{offer}");
    }
    // Only T says that nothing outside the workspace is read.
    for (said, within) in [("T", true), ("NIL", false), (":YES", false), ("\"T\"", false)] {
        let printed = printed.replace(')', &format!(" :WITHIN {said})"));
        assert_eq!(
            saying(3, &printed),
            Verdict::Ask(Ask { within, ..ask.clone() }),
            "{said}"
        );
    }
    assert_eq!(saying(1, "(:CMD \"ls -l\")"), Verdict::Revise(form("(:CMD \"ls -l\")")));
}

#[test]
fn running_a_command_in_a_gate_is_forbidden_even_with_the_grant() {
    let mut guest = Guest::gate("runs").import(&RUN);
    let path = guest.text("payload.cmd");
    guest.gate = format!("(call $run (local.get 0) {path} (i32.const 64)) (call $pass)");
    let gate = make("runs", guest, &["process"]);
    assert_eq!(
        judge(&gate, shell("ls")),
        Err(GateFault::Forbidden {
            name: "process.run".to_owned()
        })
    );
}

#[test]
fn a_handle_that_was_not_given_ends_the_call() {
    let mut guest = Guest::gate("guesses").import(&TEXT);
    let path = guest.text("payload.cmd");
    guest.gate = format!("(call $text (i32.const 77) {path} (i32.const 64)) (call $pass)");
    let Err(GateFault::Trap { reason }) = verdict(guest, "guesses") else {
        panic!("no trap")
    };
    assert!(reason.contains("77"), "{reason}");
}

#[test]
fn a_hidden_counter_never_counts() {
    let mut guest = Guest::gate("counts");
    guest.more = "(global $seen (mut i32) (i32.const 0))".to_owned();
    guest.gate = "(global.set $seen (i32.add (global.get $seen) (i32.const 1)))
        (if (i32.gt_u (global.get $seen) (i32.const 1)) (then unreachable)) (call $pass)"
        .to_owned();
    let gate = make("counts", guest, &[]);
    for _ in 0..5 {
        assert_eq!(judge(&gate, shell("ls")), Ok(Verdict::Pass));
    }
}

#[test]
fn whether_a_secret_is_inside_is_answered_without_showing_it() {
    let mut guest = Guest::gate("guards").import(&SECRETS);
    let (path, text) = (
        guest.text("payload"),
        guest.text("(:RULE \"secret\" :REASON \"a secret\")"),
    );
    guest.gate = format!(
        "(if (result i32) (call $contains (local.get 0) {path})
           (then (call $say (i32.const 2) {text})) (else (call $pass)))"
    );
    let bytes = guest.build();
    let Err(LoadFault::NotGranted { rights, .. }) = make_of("guards", &bytes, &[]) else {
        panic!("no grant needed")
    };
    assert_eq!(rights, [Right::ContainsSecret]);
    let gate = make_of("guards", &bytes, &["contains-secret"]).unwrap();
    assert_eq!(judge(&gate, shell("echo short")), Ok(Verdict::Pass));
    assert!(matches!(
        judge(&gate, shell(&format!("echo {SECRET}"))),
        Ok(Verdict::Reject(_))
    ));
}

#[test]
fn a_gate_is_about_the_targets_it_names_unless_it_is_required() {
    let about = |name: &str| {
        let text = format!("(:NAME \"{name}\" :VERSION \"1\" :FUNCTIONS (:GATE) :GATE-TARGETS (:SHELL))");
        make(name, Guest::new(text), &[])
    };
    let (own, required) = (about("own"), about("policy"));
    assert!(own.is_about("SHELL") && !own.is_about("CLI"));
    assert!(required.is_about("SHELL") && required.is_about("CLI"));
}

#[test]
fn what_a_guest_says_of_its_panic_is_the_reason_of_the_trap() {
    let mut guest = Guest::gate("panics").import(&LOG);
    let said = guest.text("panicked at src/lib.rs:19:37: each action has a command");
    guest.gate = format!("(call $write (i32.const 3) {said}) unreachable");
    let Err(GateFault::Trap { reason }) = verdict(guest.clone(), "panics") else {
        panic!("it traps");
    };
    assert_eq!(reason, "panicked at src/lib.rs:19:37: each action has a command");
    // What it logged before, and did not end by, is not the reason.
    let mut guest = Guest::gate("logs").import(&LOG);
    let said = guest.text("something else failed");
    guest.gate = format!("(call $write (i32.const 3) {said}) unreachable");
    let Err(GateFault::Trap { reason }) = verdict(guest, "logs") else {
        panic!("it traps");
    };
    assert!(reason.contains("unreachable"), "{reason}");
}
