//! The empty world: the same answers every time, nothing that waits, everything counted.

use super::guest::{ABSENT, BLOCK, CLOCK, EXIT, Guest, RANDOM, SUBSCRIBE};
use super::*;

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
fn waiting_for_what_is_ready_returns_at_once() {
    let mut guest = Guest::gate("waits").import(&BLOCK).import(&SUBSCRIBE);
    guest.gate = "(call $block (call $subscribe (i64.const 0))) (call $pass)".to_owned();
    assert_eq!(verdict(guest, "waits"), Ok(Verdict::Pass));
}

#[test]
fn calls_of_wasi_are_host_calls_and_cost_fuel() {
    let asking = |times: u32| {
        let mut guest = Guest::gate("asks").import(&CLOCK);
        guest.gate = format!(
            "(local $n i32) (local.set $n (i32.const {times}))
             (loop (drop (call $now))
               (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))) (call $pass)"
        );
        verdict(guest, "asks")
    };
    assert_eq!(asking(100), Ok(Verdict::Pass));
    assert_eq!(
        asking(101),
        Err(GateFault::Calls {
            what: "host calls",
            allowed: 100
        })
    );
    let mut guest = Guest::gate("wide").import(&RANDOM);
    guest.gate = "(loop (drop (call $random)) (br 0)) unreachable".to_owned();
    let fault = verdict(guest, "wide").unwrap_err();
    assert!(matches!(fault, GateFault::Fuel { .. }), "{fault}");
}

#[test]
fn handles_of_wasi_are_bounded() {
    let holding = |times: u32| {
        let mut guest = Guest::gate("wide").import(&BLOCK).import(&SUBSCRIBE);
        guest.gate = format!(
            "(local $n i32) (local.set $n (i32.const {times}))
             (loop (drop (call $subscribe (i64.const 0)))
               (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))) (call $pass)"
        );
        verdict(guest, "wide")
    };
    assert_eq!(holding(1_000), Ok(Verdict::Pass));
    let Err(GateFault::Trap { reason }) = holding(1_001) else {
        panic!("it held them")
    };
    assert!(reason.contains("1001") && reason.contains("1000"), "{reason}");
}

#[test]
fn what_an_empty_world_has_no_use_for_ends_the_call_by_name() {
    let mut guest = Guest::gate("exits").import(&EXIT);
    guest.gate = "(call $exit (i32.const 0)) (call $pass)".to_owned();
    let Err(GateFault::Trap { reason }) = verdict(guest, "exits") else {
        panic!("it went on")
    };
    assert!(reason.contains("no process to end"), "{reason}");
    let mut guest = Guest::gate("reaches").import(&ABSENT);
    guest.gate = "(call $absent) (call $pass)".to_owned();
    let Err(GateFault::Trap { reason }) = verdict(guest, "reaches") else {
        panic!("it went on")
    };
    assert!(reason.contains("wasi:cli/environment#later"), "{reason}");
}
