//! Any bytes in the place of compiled code that is kept on disk: compiled again and counted, never believed, never an
//! error. Bytes that begin with a number below 250 are a change to what was really kept.
#![no_main]

mod workshop;

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use passepartout_host::gate::{Gate, Subject, Verdict};
use passepartout_host::skill::{Grants, Workshop};
use passepartout_tests::hostile;

struct Bench {
    workshop: Workshop,
    grants: Grants,
    subject: Subject,
    wasm: Vec<u8>,
    entry: PathBuf,
    whole: Vec<u8>,
    _state: tempfile::TempDir,
}

static BENCH: LazyLock<Bench> = LazyLock::new(|| {
    let state = tempfile::tempdir().expect("a temporary folder");
    let (workshop, grants) = (workshop::workshop().keeping_code(state.path()), workshop::all_granted());
    let wasm = hostile::passing_gate("hostile");
    workshop.try_load("hostile", &wasm, &grants).expect("a skill");
    let mut entries = std::fs::read_dir(state.path().join("code")).expect("the cache");
    let entry = entries.next().expect("an entry").expect("an entry").path();
    Bench {
        whole: std::fs::read(&entry).expect("an entry"),
        subject: workshop::subject(),
        workshop,
        grants,
        wasm,
        entry,
        _state: state,
    }
});

fuzz_target!(|bytes: &[u8]| {
    let bench = &*BENCH;
    let planted = match bytes.split_first() {
        Some((kind, change)) if *kind < 250 => changed(&bench.whole, change),
        _ => bytes.to_vec(),
    };
    std::fs::write(&bench.entry, &planted).expect("the entry");
    let hits = || bench.workshop.cache_counts().expect("a cache").hits;
    let before = hits();
    let skill = bench
        .workshop
        .try_load("hostile", &bench.wasm, &bench.grants)
        .expect("a skill");
    assert_eq!(skill.judge(&bench.subject), Ok(Verdict::Pass));
    assert_eq!(
        hits() > before,
        planted == bench.whole,
        "only what was kept is believed"
    );
});

/// Cuts, and changes bytes, each at a place of two bytes' choice.
fn changed(whole: &[u8], change: &[u8]) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for step in change.chunks_exact(4) {
        let place = usize::from(u16::from_be_bytes([step[0], step[1]])) * whole.len() >> 16;
        match step[2] {
            0 => bytes.truncate(place),
            1 => bytes.insert(place.min(bytes.len()), step[3]),
            _ => {
                if let Some(byte) = bytes.get_mut(place) {
                    *byte ^= step[3];
                }
            }
        }
    }
    bytes
}
