//! Instances made ready beforehand judge as those made on the spot, are used once, and are gone with their skill.

use std::time::{Duration, Instant};

use super::guest::{Guest, SETTINGS, TEXT};
use super::*;
use crate::skill::engine::{INSTANCES, MEMORIES, TABLES};

/// Waits for what another thread does; a test that waits for ever has failed.
fn eventually(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn ready(workshop: &Workshop) -> usize {
    workshop.engines().house().stock().ready()
}

/// A workshop whose gates have so many instances ready.
fn stocking(ready: usize) -> Workshop {
    let mut limits = SMALL.clone();
    limits.gates.ready = ready;
    Workshop::new(limits, Vec::new(), Arc::default(), SecretSet::default()).unwrap()
}

/// A gate that takes `turns` to pass, and took many more to be made.
fn turning(turns: u64) -> Vec<u8> {
    let mut guest = Guest::gate("turns");
    let loops = |count: u64| {
        format!(
            "(local $n i64) (local.set $n (i64.const {count}))
             (loop (br_if 0 (i64.ne (local.tee $n (i64.sub (local.get $n) (i64.const 1))) (i64.const 0))))"
        )
    };
    guest.more = format!("(func $warm-up {}) (start $warm-up)", loops(50_000));
    guest.gate = format!("{} (call $pass)", loops(turns));
    guest.build()
}

#[test]
fn an_instance_that_was_ready_has_the_fuel_of_one_made_on_the_spot_to_the_last_unit() {
    let (spot, stock) = (stocking(0), stocking(4));
    let passes = |workshop: &Workshop, turns: u64| {
        let gate = make_in(workshop, "turns", &turning(turns), &[]).unwrap();
        if gate.shelf.wanted() > 0 {
            eventually("the shelf is filled", || ready(workshop) == 4);
        }
        judge(&gate, shell("ls")).is_ok()
    };
    let (mut enough, mut many) = (1, LIMITS.fuel);
    while many - enough > 1 {
        let middle = enough.midpoint(many);
        if passes(&spot, middle) {
            enough = middle;
        } else {
            many = middle;
        }
    }
    assert!(passes(&stock, enough));
    assert!(!passes(&stock, many));
}

#[test]
fn what_an_instance_sees_while_it_is_made_does_not_depend_on_when_that_is() {
    // Remembers from its start whether there was a setting, and rejects if there was.
    let mut guest = Guest::gate("early").import(&SETTINGS);
    let (key, text) = (guest.text("workspace"), guest.text("(:RULE \"r\" :REASON \"s\")"));
    guest.more = format!(
        "(global $there (mut i32) (i32.const 0))
         (func $look (call $get {key} (i32.const 64)) (global.set $there (i32.load8_u (i32.const 64))))
         (start $look)"
    );
    guest.gate = format!(
        "(if (result i32) (global.get $there)
           (then (call $say (i32.const 2) {text})) (else (call $pass)))"
    );
    let gate = make("early", guest, &[]);
    for _ in 0..20 {
        assert_eq!(judge(&gate, shell("ls")), Ok(Verdict::Pass));
    }
}

#[test]
fn settings_that_changed_after_an_instance_was_made_reach_it() {
    let mut guest = Guest::gate("asks").import(&SETTINGS);
    let (key, text) = (guest.text("mood"), guest.text("(:RULE \"r\" :REASON \"s\")"));
    guest.gate = format!(
        "(call $get {key} (i32.const 64))
         (if (result i32) (i32.load8_u (i32.const 64))
           (then (call $say (i32.const 2) {text})) (else (call $pass)))"
    );
    for instances in [GateInstances::Fresh, GateInstances::Warm] {
        let workshop = workshop(instances);
        let gate = make_in(&workshop, "asks", &guest.clone().build(), &[]).unwrap();
        let judged = |settings: &[(&str, &str)]| {
            let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
            gate.judge(&Subject {
                action: shell("ls"),
                signal: Arc::new(signal().to_form()),
                settings: Arc::new(settings.iter().map(own).collect()),
                secrets: SecretSet::default(),
                trial: false,
            })
        };
        for _ in 0..5 {
            assert_eq!(judged(&[]), Ok(Verdict::Pass));
            assert!(matches!(judged(&[("mood", "bad")]), Ok(Verdict::Reject(_))));
        }
    }
}

/// A gate that rejects every decision but its instance's first.
fn counting(name: &str) -> Guest {
    let mut guest = Guest::gate(name);
    let text = guest.text("(:RULE \"again\" :REASON \"I was used before\")");
    guest.more = "(global $seen (mut i32) (i32.const 0))".to_owned();
    guest.gate = format!(
        "(global.set $seen (i32.add (global.get $seen) (i32.const 1)))
         (if (result i32) (i32.gt_u (global.get $seen) (i32.const 1))
           (then (call $say (i32.const 2) {text})) (else (call $pass)))"
    );
    guest
}

#[test]
fn a_hidden_counter_never_counts_however_many_judge_at_once() {
    let gate = make("counts", counting("counts"), &[]);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert_eq!(judge(&gate, shell("ls")), Ok(Verdict::Pass));
                }
            });
        }
    });
}

#[test]
fn warm_instances_are_used_again_with_full_bounds_until_a_fault() {
    let workshop = workshop(GateInstances::Warm);
    let gate = make_in(&workshop, "counts", &counting("counts").build(), &[]).unwrap();
    let verdicts: Vec<_> = (0..10).map(|_| judge(&gate, shell("ls")).unwrap()).collect();
    assert!(verdicts.iter().any(|verdict| matches!(verdict, Verdict::Reject(_))));

    // Each decision takes all the host calls there are, and grows until it is worn.
    let mut guest = Guest::gate("takes").import(&TEXT);
    let path = guest.text("payload.cmd");
    guest.gate = format!(
        "(local $n i32) (local.set $n (i32.const 100))
         (drop (memory.grow (i32.const 5)))
         (loop (call $text (local.get 0) {path} (i32.const 64))
           (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
         (if (i32.eq (i32.load (i32.const 72)) (i32.const 3)) (then unreachable)) (call $pass)"
    );
    let gate = make_in(&workshop, "takes", &guest.build(), &[]).unwrap();
    for turn in 0..40 {
        let command = if turn % 10 == 9 { "pwd" } else { "ls" };
        let verdict = judge(&gate, shell(command));
        if command == "ls" {
            assert_eq!(verdict, Ok(Verdict::Pass), "turn {turn}");
        } else {
            assert!(matches!(verdict, Err(GateFault::Trap { .. })), "{verdict:?}");
        }
    }
}

#[test]
fn what_is_ready_goes_with_its_skill_and_is_bounded_over_all() {
    let workshop = stocking(4);
    for _ in 0..50 {
        let gate = make_in(&workshop, "x", &Guest::gate("x").build(), &[]).unwrap();
        judge(&gate, shell("ls")).unwrap();
    }
    eventually("nothing is left of those that are gone", || ready(&workshop) == 0);
    let gates: Vec<Skill> = (0..60)
        .map(|at| {
            let name = format!("g{at}");
            make_in(&workshop, &name, &Guest::gate(&name).build(), &[]).unwrap()
        })
        .collect();
    eventually("the shelves are filled", || ready(&workshop) >= 60);
    assert!(ready(&workshop) <= 128, "{}", ready(&workshop));
    for gate in &gates {
        assert_eq!(judge(gate, shell("ls")), Ok(Verdict::Pass));
    }
    drop(gates);
    eventually("nothing is left", || ready(&workshop) == 0);
}

#[test]
fn when_no_place_is_free_it_is_said_and_afterwards_all_is_well() {
    let workshop = stocking(4);
    assert!(workshop.engines().pooled());
    let hog = make_in(&workshop, "hog", &Guest::gate("hog").build(), &[]).unwrap();
    let gate = make_in(&workshop, "gate", &Guest::gate("gate").build(), &[]).unwrap();
    let mut taken = Vec::new();
    let fault = loop {
        match hog.pure.start(&hog.tenant) {
            Ok(running) => taken.push(running),
            Err(fault) => break fault,
        }
    };
    assert!(
        matches!(&fault, GateFault::Unavailable { reason } if reason.contains("no place") && reason.contains("256")),
        "{fault}"
    );
    assert_eq!(taken.len(), 256, "what was ready has been given up");
    assert!(matches!(judge(&gate, shell("ls")), Err(GateFault::Unavailable { .. })));
    drop(taken);
    for _ in 0..10 {
        assert_eq!(judge(&gate, shell("ls")), Ok(Verdict::Pass));
    }
}

#[test]
fn each_place_there_is_has_room_for_the_most_that_one_skill_may_have() {
    let workshop = stocking(0);
    let mut guest = Guest::gate("greedy");
    // It has a memory and two core instances anyway.
    let parts = u64::from(MEMORIES - 1);
    let tables = "(table 0 funcref)".repeat(usize::try_from(u64::from(TABLES) / parts).unwrap().min(4));
    guest.parts = format!("(core module $m (memory 0) {tables}) (core module $n)");
    guest.parts += &"(core instance (instantiate $m))".repeat(usize::try_from(parts).unwrap());
    guest.parts += &"(core instance (instantiate $n))".repeat(usize::try_from(LIMITS.instances - 2 - parts).unwrap());
    let gate = make_in(&workshop, "greedy", &guest.build(), &[]).unwrap();
    let held: Vec<_> = (0..INSTANCES).map(|_| gate.shelf.take()).collect();
    let faults: Vec<_> = held.iter().filter_map(|place| place.as_ref().err()).collect();
    assert!(faults.is_empty(), "{} of {INSTANCES}: {:?}", faults.len(), faults[0]);
    assert!(matches!(gate.shelf.take(), Err(GateFault::Unavailable { .. })));
}
