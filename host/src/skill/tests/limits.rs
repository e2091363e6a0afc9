//! Every bound: kept to the last unit, and told with what was asked and what is allowed.

use super::guest::{Guest, LOG, PRINTED, TEXT};
use super::*;
use crate::skill::FileFault;
use crate::skill::engine::{MEMORIES, TABLES};

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
        matches!(fault, LoadFault::File(FileFault::Begins { asked: 6_553_600, .. })),
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
fn fuel_is_enough_to_the_last_turn_and_one_more_is_too_many() {
    let turns = |count: u64| {
        let mut guest = Guest::gate("turns");
        guest.gate = format!(
            "(local $n i64) (local.set $n (i64.const {count}))
             (loop (br_if 0 (i64.ne (local.tee $n (i64.sub (local.get $n) (i64.const 1))) (i64.const 0))))
             (call $pass)"
        );
        judge(&make("turns", guest, &[]), shell("ls"))
    };
    let (mut enough, mut many) = (1, LIMITS.fuel);
    while many - enough > 1 {
        let middle = enough.midpoint(many);
        match turns(middle) {
            Ok(_) => enough = middle,
            Err(fault) => {
                let allowed = LIMITS.fuel + LIMITS.fuel_per_byte * shell("ls").canonical().len() as u64;
                assert_eq!(fault, GateFault::Fuel { allowed });
                many = middle;
            }
        }
    }
    for _ in 0..5 {
        assert_eq!(turns(enough), Ok(Verdict::Pass), "the same every time");
        assert!(turns(many).is_err(), "the same every time");
    }
}

#[test]
fn the_memory_of_all_memories_together_is_bounded() {
    // Beside the one that every component has, which is a page.
    let with = |pages: u32| {
        let mut guest = Guest::gate("many");
        guest.parts = format!(
            "(core module $m (memory {pages})) (core instance (instantiate $m)) (core instance (instantiate $m))"
        );
        make_of("many", &guest.build(), &[])
    };
    assert!(with(15).is_ok());
    let fault = with(16).unwrap_err();
    let (asked, allowed) = (33 << 16, LIMITS.memory);
    assert!(
        matches!(&fault, LoadFault::Start(own) if *own == GateFault::Memory { asked, allowed }),
        "{fault}"
    );
}

#[test]
fn the_entries_of_all_tables_together_are_bounded() {
    let with = |entries: u32| {
        let mut guest = Guest::gate("many");
        guest.parts = format!(
            "(core module $m (table {entries} funcref)) (core instance (instantiate $m))
             (core instance (instantiate $m))"
        );
        make_of("many", &guest.build(), &[])
    };
    assert!(with(500).is_ok());
    let fault = with(501).unwrap_err();
    let (asked, allowed) = (1_002, LIMITS.table_entries);
    assert!(
        matches!(&fault, LoadFault::Start(own) if *own == GateFault::Table { asked, allowed }),
        "{fault}"
    );
}

#[test]
fn what_a_component_is_made_of_is_counted() {
    // Every component has two core instances and a memory of its own; each of these modules has as many as it says.
    let (memories, tables) = (u64::from(MEMORIES), u64::from(TABLES));
    for (what, module, own, each, allowed) in [
        ("core instances", "", 2, 1, LIMITS.instances),
        ("memories", "(memory 0)", 1, 1, memories),
        ("tables", "(table 0 funcref) (table 0 funcref)", 0, 2, tables),
    ] {
        let with = |count: u64| {
            let mut guest = Guest::gate("parts");
            guest.parts = format!("(core module $m {module})");
            guest.parts += &"(core instance (instantiate $m))".repeat(usize::try_from(count).unwrap());
            make_of("parts", &guest.build(), &[])
        };
        let fits = (allowed - own) / each;
        assert!(with(fits).is_ok(), "{fits} {what}");
        let fault = with(fits + 1).unwrap_err();
        let asked = own + (fits + 1) * each;
        assert!(
            matches!(&fault, LoadFault::Start(told) if *told == GateFault::Count { what, asked, allowed }),
            "{what}: {fault}"
        );
    }
}

#[test]
fn deep_recursion_uses_up_the_stack_and_says_how_much_there_was() {
    let deep = |depth: u32| {
        let mut guest = Guest::gate("deep");
        guest.more = "(func $deep (param i32) (result i32)
            (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 0))
              (else (i32.add (call $deep (i32.sub (local.get 0) (i32.const 1))) (i32.const 1)))))"
            .to_owned();
        guest.gate = format!("(drop (call $deep (i32.const {depth}))) (call $pass)");
        judge(&make("deep", guest, &[]), shell(&"x".repeat(1_000_000)))
    };
    // A frame takes 16 bytes at least, and here at most some 64.
    assert_eq!(deep(5_000), Ok(Verdict::Pass));
    assert_eq!(deep(100_000), Err(GateFault::Stack { allowed: 512 << 10 }));
}

#[test]
fn a_program_that_runs_out_of_its_own_stack_in_its_memory_is_told_what_that_looks_like() {
    // As a compiler does it: the stack grows down from where the memory begins.
    let mut guest = Guest::gate("deep");
    guest.more = "(global $stack (mut i32) (i32.const 1024))
        (func $deep
          (global.set $stack (i32.sub (global.get $stack) (i32.const 64)))
          (i32.store (global.get $stack) (i32.const 0))
          (call $deep))"
        .to_owned();
    guest.gate = "(call $deep) (call $pass)".to_owned();
    let fault = verdict(guest, "deep").unwrap_err();
    assert!(
        matches!(&fault, GateFault::Trap { reason } if reason.contains("deep recursion")),
        "{fault}"
    );
}

#[test]
fn an_instance_that_is_never_finished_is_ended_while_it_is_made() {
    let mut guest = Guest::gate("starts");
    guest.more = "(func $forever (loop (br 0))) (start $forever)".to_owned();
    let fault = make_of("starts", &guest.build(), &[]).unwrap_err();
    let allowed = LIMITS.fuel;
    assert!(
        matches!(&fault, LoadFault::Start(own) if *own == GateFault::Fuel { allowed }),
        "{fault}"
    );
    // What the host puts into the guest's memory goes through a function of the guest's.
    let mut guest = Guest::gate("allocates").import(&TEXT);
    let path = guest.text("payload.cmd");
    guest.gate = format!("(call $text (local.get 0) {path} (i32.const 64)) (call $pass)");
    guest.realloc = "(loop (br 0))".to_owned();
    let fault = judge(&make("allocates", guest, &[]), shell("ls")).unwrap_err();
    assert!(matches!(fault, GateFault::Fuel { .. }), "{fault}");
}

#[test]
fn a_description_is_as_long_as_a_text_may_be_and_no_longer() {
    let describing = |length: usize| {
        let empty = "(:NAME \"long\" :VERSION \"\" :FUNCTIONS (:GATE))";
        let version = "1".repeat(length - empty.len());
        let text = format!("(:NAME \"long\" :VERSION \"{version}\" :FUNCTIONS (:GATE))");
        make_of("long", &Guest::new(text).build(), &[])
    };
    let allowed = LIMITS.text;
    let fits = describing(usize::try_from(allowed).unwrap());
    assert!(!matches!(fits, Err(LoadFault::Start(_))), "{:?}", fits.map(|_| ()));
    let fault = describing(usize::try_from(allowed).unwrap() + 1).unwrap_err();
    let asked = allowed + 1;
    assert!(
        matches!(&fault, LoadFault::Start(own) if *own == GateFault::Text { asked, allowed }),
        "{fault}"
    );
}

#[test]
fn a_file_is_as_long_as_it_may_be_and_no_longer() {
    let padded = |length: u64| {
        let mut bytes = Guest::gate("padded").build();
        // A section that means nothing, as long as it takes: its length is written in five bytes.
        let name = b"\x03pad";
        let content = u32::try_from(length).unwrap() - u32::try_from(bytes.len()).unwrap() - 6;
        bytes.push(0);
        let mut left = content;
        for at in 0..5 {
            let more = if at < 4 { 0x80 } else { 0 };
            bytes.push(u8::try_from(left & 0x7f).unwrap() | more);
            left >>= 7;
        }
        bytes.extend_from_slice(name);
        bytes.resize(usize::try_from(length).unwrap(), 0);
        make_of("padded", &bytes, &[])
    };
    assert!(padded(LIMITS.file).is_ok());
    let text = padded(LIMITS.file + 1).unwrap_err().to_string();
    assert!(
        text.contains("has 1048577 bytes") && text.contains("may have 1048576"),
        "{text}"
    );
}

#[test]
fn what_was_refused_in_one_call_is_not_held_against_the_next() {
    // Takes no for an answer, and traps for another reason the second time.
    let mut guest = Guest::gate("modest");
    guest.more = "(global $calls (mut i32) (i32.const 0))".to_owned();
    guest.gate = "(if (i32.eqz (global.get $calls))
          (then (global.set $calls (i32.const 1)) (drop (memory.grow (i32.const 1000))))
          (else unreachable))
        (call $pass)"
        .to_owned();
    let gate = make_in(&workshop(GateInstances::Warm), "modest", &guest.build(), &[]).unwrap();
    assert_eq!(judge(&gate, shell("ls")), Ok(Verdict::Pass));
    let mut reasons = Vec::new();
    for _ in 0..8 {
        if let Err(fault) = judge(&gate, shell("ls")) {
            reasons.push(fault);
        }
    }
    assert!(!reasons.is_empty(), "it was used again");
    assert!(
        reasons.iter().all(|fault| matches!(fault, GateFault::Trap { .. })),
        "{reasons:?}"
    );
}

#[test]
fn modules_that_nothing_instantiates_begin_with_no_more_than_the_others_may_and_are_told_from_the_bytes_alone() {
    let with = |module: &str| {
        let mut guest = Guest::gate("idle");
        guest.parts = format!("(core module {module})").repeat(3);
        make_of("idle", &guest.build(), &[])
    };
    // Beside the page that every component has.
    for (under, over, asked, allowed, key) in [
        ("(memory 10)", "(memory 11)", 34 << 16, LIMITS.memory, "memory_bytes"),
        (
            "(table 333 funcref)",
            "(table 334 funcref)",
            1_002,
            LIMITS.table_entries,
            "table_entries",
        ),
    ] {
        assert!(with(under).is_ok(), "{under}");
        let fault = with(over).unwrap_err();
        assert!(
            matches!(&fault, LoadFault::File(FileFault::Begins { asked: own, allowed: most, key: named, .. })
                if (*own, *most) == (asked, allowed) && named == key),
            "{over}: {fault}"
        );
    }
}
