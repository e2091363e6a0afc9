//! Any bytes as the file of a skill: refused, or ready and judging within its bounds, the same every time. Never a crash,
//! never a hang.
//!
//! The mutator knows what a component is made of, so that what it makes gets beyond the first check.
#![no_main]

mod sections;
mod workshop;

use std::sync::LazyLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use passepartout_host::gate::{Gate, GateFault, Subject};
use passepartout_host::skill::{Grants, LoadFault, Workshop};

static BENCH: LazyLock<(Workshop, Grants, Subject)> =
    LazyLock::new(|| (workshop::workshop(), workshop::all_granted(), workshop::subject()));

fuzz_target!(|bytes: &[u8]| {
    let (workshop, grants, subject) = &*BENCH;
    let made = match workshop.try_load(workshop::NAMES[0], bytes, grants) {
        // It says that it is another, so it is tried as that one.
        Err(LoadFault::WrongName { described, .. }) => workshop.try_load(&described, bytes, grants),
        made => made,
    };
    match made {
        Ok(skill) => {
            let (first, second) = (skill.judge(subject), skill.judge(subject));
            let by_the_clock = |verdict: &Result<_, GateFault>| matches!(verdict, Err(GateFault::Time { .. }));
            if !by_the_clock(&first) && !by_the_clock(&second) {
                assert_eq!(first, second, "two verdicts on the same action");
            }
        }
        Err(fault) => assert!(!fault.to_string().is_empty(), "refused without a word"),
    }
});

fuzz_mutator!(|bytes: &mut [u8], size: usize, longest: usize, seed: u32| {
    let plain = |bytes: &mut [u8], size| fuzzer_mutate(bytes, size, longest);
    // Now and then any bytes at all.
    if seed % 8 == 0 {
        return plain(bytes, size);
    }
    match sections::mutate(&bytes[..size], seed) {
        Some(changed) if changed.len() <= longest.min(bytes.len()) => {
            bytes[..changed.len()].copy_from_slice(&changed);
            changed.len()
        }
        _ => plain(bytes, size),
    }
});
