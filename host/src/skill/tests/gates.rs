//! Gates that loop, trap, eat, lie: each is a fault that names its bound, and the next call is as if nothing had been.

use super::guest::{BLOCK, CLOCK, Guest, LOG, PRINTED, RANDOM, RUN, SECRETS, SUBSCRIBE, TEXT};
use super::*;
use crate::gate::{Ask, Rejection};

#[test]
fn a_gate_that_passes_passes() {
    assert_eq!(verdict(Guest::gate("fine"), "fine"), Ok(Verdict::Pass));
}

#[test]
fn an_endless_loop_runs_out_of_fuel_on_every_call_and_says_how_much_there_was() {
    let mut guest = Guest::gate("loops");
    guest.gate = "(loop (br 0)) unreachable".to_owned();
    let gate = make("loops", guest, &[]);
    let action = shell("ls");
    let allowed = LIMITS.fuel + LIMITS.fuel_per_byte * action.canonical().len() as u64;
    for _ in 0..3 {
        assert_eq!(judge(&gate, action.clone()), Err(GateFault::Fuel { allowed }));
    }
}

#[test]
fn fuel_grows_with_the_action() {
    let mut guest = Guest::gate("grows");
    // About 600,000 turns of some eight units each.
    guest.gate = "(local $n i32) (local.set $n (i32.const 600000))
        (loop (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))) (call $pass)"
        .to_owned();
    let gate = make("grows", guest, &[]);
    assert!(matches!(judge(&gate, shell("ls")), Err(GateFault::Fuel { .. })));
    assert_eq!(judge(&gate, shell(&"x".repeat(100_000))), Ok(Verdict::Pass));
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
fn memory_is_given_up_to_the_bound_and_the_fault_says_what_was_asked() {
    let pages = |count: u32| {
        let mut guest = Guest::gate("eats");
        guest.gate =
            format!("(if (i32.eq (memory.grow (i32.const {count})) (i32.const -1)) (then unreachable)) (call $pass)");
        verdict(guest, "eats")
    };
    assert_eq!(pages(31), Ok(Verdict::Pass));
    assert_eq!(
        pages(32),
        Err(GateFault::Memory {
            asked: 33 << 16,
            allowed: LIMITS.memory
        })
    );
}

#[test]
fn a_memory_that_begins_beyond_the_bound_is_refused_at_loading() {
    let mut guest = Guest::gate("large");
    guest.pages = 100;
    let fault = make_of("large", &guest.build(), &[]).unwrap_err();
    assert!(
        matches!(fault, LoadFault::Start(GateFault::Memory { asked: 6_553_600, .. })),
        "{fault}"
    );
}

#[test]
fn tables_have_a_bound_of_their_own() {
    let entries = |count: u32| {
        let mut guest = Guest::gate("tables");
        guest.more = "(table $t 0 funcref)".to_owned();
        guest.gate = format!(
            "(if (i32.eq (table.grow $t (ref.null func) (i32.const {count})) (i32.const -1)) (then unreachable))
             (call $pass)"
        );
        verdict(guest, "tables")
    };
    assert_eq!(entries(1_000), Ok(Verdict::Pass));
    assert_eq!(
        entries(1_001),
        Err(GateFault::Table {
            asked: 1_001,
            allowed: 1_000
        })
    );
}

#[test]
fn deep_recursion_is_a_trap() {
    let mut guest = Guest::gate("deep");
    guest.more = "(func $deep (result i32) (i32.add (call $deep) (i32.const 1)))".to_owned();
    guest.gate = "(drop (call $deep)) (call $pass)".to_owned();
    let gate = make("deep", guest, &[]);
    let fault = judge(&gate, shell(&"x".repeat(1_000_000))).unwrap_err();
    assert!(
        matches!(&fault, GateFault::Trap { reason } if reason.contains("stack")),
        "{fault}"
    );
}

#[test]
fn a_text_is_returned_up_to_the_bound() {
    let returning = |length: u64| {
        let mut guest = Guest::gate("talks");
        guest.gate = format!("(call $say (i32.const 1) (i32.const 0) (i32.const {length}))");
        verdict(guest, "talks")
    };
    assert!(matches!(returning(10_000), Err(GateFault::Nonsense { .. })));
    assert_eq!(
        returning(10_001),
        Err(GateFault::Text {
            asked: 10_001,
            allowed: 10_000
        })
    );
}

#[test]
fn host_calls_and_log_lines_are_counted() {
    let calling = |times: u32| {
        let mut guest = Guest::gate("calls").import(&TEXT);
        let path = guest.text("payload.cmd");
        guest.gate = format!(
            "(local $n i32) (local.set $n (i32.const {times}))
             (loop (call $text (local.get 0) {path} (i32.const 64))
               (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))) (call $pass)"
        );
        verdict(guest, "calls")
    };
    assert_eq!(calling(100), Ok(Verdict::Pass));
    assert_eq!(
        calling(101),
        Err(GateFault::Calls {
            what: "host calls",
            allowed: 100
        })
    );

    let logging = |times: u32| {
        let mut guest = Guest::gate("logs").import(&LOG);
        let line = guest.text("a line");
        guest.gate = format!(
            "(local $n i32) (local.set $n (i32.const {times}))
             (loop (call $write (i32.const 1) {line})
               (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))) (call $pass)"
        );
        verdict(guest, "logs")
    };
    assert_eq!(logging(10), Ok(Verdict::Pass));
    assert_eq!(
        logging(11),
        Err(GateFault::Calls {
            what: "log lines",
            allowed: 10
        })
    );
}

#[test]
fn having_a_large_form_printed_again_and_again_costs_fuel_for_every_byte() {
    let printing = |times: u32| {
        let mut guest = Guest::gate("reads").import(&PRINTED);
        let path = guest.text("payload");
        guest.gate = format!(
            "(local $n i32) (local.set $n (i32.const {times}))
             (loop (call $printed (local.get 0) {path} (i32.const 64))
               (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))) (call $pass)"
        );
        judge(&make("reads", guest, &[]), shell(&"x".repeat(5_000)))
    };
    assert_eq!(printing(20), Ok(Verdict::Pass));
    // Eight units a byte, ninety times, are more than the hundred a byte that the action brings.
    let fault = printing(90).unwrap_err();
    assert!(matches!(fault, GateFault::Fuel { .. }), "{fault}");
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
    };
    let text = "(:GATE \"another\" :RULE \"r\" :FIELD \"payload.cmd\" :REASON \"because\" :REPAIR \"try this\")";
    assert_eq!(saying(2, text), Verdict::Reject(rejection));
    let ask = Ask {
        gate: "says".to_owned(),
        rule: "r".to_owned(),
        field: String::new(),
        summary: "runs it".to_owned(),
        risk: "high".to_owned(),
    };
    assert_eq!(
        saying(3, "(:RULE :|r| :SUMMARY \"runs it\" :RISK :HIGH)"),
        Verdict::Ask(ask)
    );
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
fn clock_and_random_numbers_are_the_same_every_time() {
    let mut guest = Guest::gate("dreams").import(&CLOCK).import(&RANDOM);
    let text = guest.text("(:RULE \"r\" :REASON \"????????????????\")");
    let at: u32 = text
        .split_whitespace()
        .nth(1)
        .unwrap()
        .trim_end_matches(')')
        .parse()
        .unwrap();
    // Writes both numbers into the reason, as letters.
    guest.more = "(func $spell (param $at i32) (param $n i64)
        (local $i i32)
        (loop
          (i32.store8 (i32.add (local.get $at) (local.get $i))
            (i32.add (i32.const 97) (i32.and (i32.wrap_i64 (local.get $n)) (i32.const 15))))
          (local.set $n (i64.shr_u (local.get $n) (i64.const 8)))
          (br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 8)))))"
        .to_owned();
    guest.gate = format!(
        "(call $spell (i32.const {}) (call $now)) (call $spell (i32.const {}) (call $random))
         (call $say (i32.const 2) {text})",
        at + 20,
        at + 28
    );
    let gate = make("dreams", guest, &[]);
    let first = judge(&gate, shell("ls")).unwrap();
    let Verdict::Reject(rejection) = &first else {
        panic!("{first:?}")
    };
    assert!(
        rejection.reason.starts_with("aaaaaaaa"),
        "the clock stands still: {}",
        rejection.reason
    );
    for _ in 0..5 {
        assert_eq!(judge(&gate, shell("ls")).unwrap(), first);
    }
}

#[test]
fn a_gate_that_sleeps_is_ended_at_once_by_what_it_did_and_not_by_the_clock() {
    let mut guest = Guest::gate("sleeps").import(&BLOCK).import(&SUBSCRIBE);
    guest.gate = "(call $block (call $subscribe (i64.const 3600000000000))) (call $pass)".to_owned();
    let Err(GateFault::Trap { reason }) = verdict(guest, "sleeps") else {
        panic!("it slept")
    };
    assert!(reason.contains("clock stands still"), "{reason}");
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
