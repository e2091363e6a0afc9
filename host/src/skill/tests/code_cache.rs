//! Compiled code on disk: believed only when it is what was written under its name, bounded, and never an error.

mod found;

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::{Duration, SystemTime};

use wasmtime::component::Component;

use super::guest::Guest;
use super::*;
use crate::sexp::Digest;
use crate::skill::inspect::{Anatomy, Sizes, survey};
use crate::skill::{CacheCounts, CodeCache};

const LARGE: u64 = 64 << 20;

/// A home's `state/`, and files in it.
struct State(tempfile::TempDir);

impl State {
    fn new() -> State {
        State(tempfile::tempdir().unwrap())
    }

    fn open(&self, longest: u64) -> CodeCache {
        CodeCache::open(self.0.path(), longest).unwrap()
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join("code")
    }

    /// The finished entries, in the order of their names.
    fn entries(&self) -> Vec<PathBuf> {
        let mut entries: Vec<PathBuf> = fs::read_dir(self.folder())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        entries.sort();
        entries
    }

    fn only(&self) -> PathBuf {
        let entries = self.entries();
        assert_eq!(entries.len(), 1, "{entries:?}");
        entries[0].clone()
    }
}

fn made(engine: &wasmtime::Engine, wasm: &[u8]) -> Result<(Vec<u8>, Component), wasmtime::Error> {
    let component = Component::from_binary(engine, wasm)?;
    Ok((component.serialize()?, component))
}

fn anatomy(wasm: &[u8]) -> Anatomy {
    survey(wasm, &Sizes::of(&SkillLimits::DEFAULT)).whole().unwrap()
}

/// Asks for the code of `wasm`; says whether it was compiled.
fn compiles(cache: &CodeCache, wasm: &[u8]) -> bool {
    let engine = WORKSHOP.engines().pure();
    let compiled = Cell::new(false);
    let made = cache.component(engine, &anatomy(wasm), || {
        compiled.set(true);
        made(engine, wasm)
    });
    // Whatever it came from, it is this component.
    let exports = made.unwrap().component_type().exports(engine).len();
    assert_eq!(exports, 1);
    compiled.get()
}

fn counts(hits: u64, misses: u64, refused: u64) -> CacheCounts {
    CacheCounts { hits, misses, refused }
}

#[test]
fn what_was_compiled_once_is_there_the_next_time() {
    let (state, wasm) = (State::new(), Guest::gate("x").build());
    let cache = state.open(LARGE);
    assert!(compiles(&cache, &wasm));
    assert!(!compiles(&cache, &wasm));
    assert_eq!(cache.counts(), counts(1, 1, 0));
    let again = state.open(LARGE);
    assert!(!compiles(&again, &wasm));
    assert_eq!(again.counts(), counts(1, 0, 0));
    assert!(compiles(&again, &Guest::gate("y").build()), "another file");
}

#[test]
fn only_the_owner_can_reach_the_folder_the_entries_and_the_key() {
    let state = State::new();
    compiles(&state.open(LARGE), &Guest::gate("x").build());
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(&state.folder()), 0o700);
    assert_eq!(mode(&state.only()), 0o600);
    let key = state.0.path().join("code.key");
    assert_eq!((mode(&key), fs::read(&key).unwrap().len()), (0o600, 32));
    assert_eq!(
        fs::read_dir(state.0.path()).unwrap().count(),
        2,
        "nothing is left beside"
    );
}

#[test]
fn an_entry_cut_anywhere_is_compiled_again_and_counted() {
    let (state, wasm) = (State::new(), Guest::gate("x").build());
    let cache = state.open(LARGE);
    compiles(&cache, &wasm);
    let whole = fs::read(state.only()).unwrap();
    let mut cuts: Vec<usize> = (0..whole.len()).step_by(whole.len() / 40).collect();
    cuts.extend([1, 31, 32, 33, whole.len() - 1]);
    for (at, cut) in cuts.iter().enumerate() {
        fs::write(state.only(), &whole[..*cut]).unwrap();
        assert!(compiles(&cache, &wasm), "cut to {cut} of {}", whole.len());
        assert_eq!(cache.counts(), counts(0, 1, at as u64 + 1));
    }
    assert!(!compiles(&cache, &wasm), "the last one is whole again");
}

#[test]
fn an_entry_with_a_flipped_bit_is_compiled_again_and_counted() {
    let (state, wasm) = (State::new(), Guest::gate("x").build());
    let cache = state.open(LARGE);
    compiles(&cache, &wasm);
    let whole = fs::read(state.only()).unwrap();
    let step = whole.len() / 60;
    for turn in 0..60 {
        let mut changed = whole.clone();
        changed[turn * step] ^= 1 << (turn % 8);
        fs::write(state.only(), &changed).unwrap();
        assert!(compiles(&cache, &wasm), "flipped at byte {}", turn * step);
    }
    fs::write(state.only(), [&whole[..], b"x"].concat()).unwrap();
    assert!(compiles(&cache, &wasm), "with a byte more");
    assert_eq!(cache.counts(), counts(0, 1, 61));
}

#[test]
fn an_entry_that_others_could_have_written_or_that_is_no_plain_file_is_compiled_again() {
    let (state, wasm) = (State::new(), Guest::gate("x").build());
    let cache = state.open(LARGE);
    compiles(&cache, &wasm);
    let path = state.only();
    for mode in [0o640, 0o606, 0o622, 0o666] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        assert!(compiles(&cache, &wasm), "{mode:o}");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    }
    let elsewhere = state.0.path().join("elsewhere");
    fs::rename(&path, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    assert!(compiles(&cache, &wasm), "a link");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(compiles(&cache, &wasm), "a folder");
    assert_eq!(cache.counts(), counts(0, 1, 6));
    assert!(!compiles(&cache, &wasm));
}

#[test]
fn the_code_of_one_skill_is_never_taken_for_anothers() {
    let state = State::new();
    let (one, other) = (Guest::gate("one").build(), Guest::gate("other").build());
    let cache = state.open(LARGE);
    compiles(&cache, &one);
    let first = state.only();
    compiles(&cache, &other);
    let second = state.entries().into_iter().find(|entry| *entry != first).unwrap();
    fs::copy(&first, &second).unwrap();
    assert!(compiles(&cache, &other));
    assert_eq!(cache.counts(), counts(0, 2, 1));
    assert!(!compiles(&cache, &one));
}

#[test]
fn what_another_key_vouched_for_is_not_believed_and_an_open_key_is_replaced() {
    let (state, wasm) = (State::new(), Guest::gate("x").build());
    compiles(&state.open(LARGE), &wasm);
    let key = state.0.path().join("code.key");
    let first = fs::read(&key).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    let cache = state.open(LARGE);
    assert_ne!(fs::read(&key).unwrap(), first, "others may know the first one");
    assert!(compiles(&cache, &wasm));
    assert_eq!(cache.counts(), counts(0, 0, 1));
    for bad in [b"".as_slice(), &[7; 31], &[7; 33]] {
        fs::write(&key, bad).unwrap();
        assert!(compiles(&state.open(LARGE), &wasm));
    }
    assert!(!compiles(&state.open(LARGE), &wasm));
}

#[test]
fn code_that_the_engine_does_not_take_is_compiled_again() {
    let (state, wasm) = (State::new(), Guest::gate("x").build());
    let cache = state.open(LARGE);
    let (pure, acting) = (WORKSHOP.engines().pure(), WORKSHOP.engines().acting());
    let anatomy = anatomy(&wasm);
    // An earlier build of this host with another configuration could have written it under the same name.
    let foreign = acting.precompile_component(&wasm).unwrap();
    let whole = pure.precompile_component(&wasm).unwrap();
    for (at, code) in [b"".as_slice(), b"no code", &foreign, &whole[..whole.len() / 2]]
        .iter()
        .enumerate()
    {
        cache.plant(pure, &anatomy, code);
        assert!(compiles(&cache, &wasm));
        assert_eq!(cache.counts(), counts(0, 0, at as u64 + 1));
    }
    cache.plant(pure, &anatomy, &whole);
    assert!(!compiles(&cache, &wasm));
}

#[test]
fn the_two_engines_code_is_kept_apart() {
    let (state, wasm) = (State::new(), Guest::gate("x").build());
    let (cache, anatomy) = (state.open(LARGE), anatomy(&wasm));
    for engine in [WORKSHOP.engines().pure(), WORKSHOP.engines().acting()] {
        cache.component(engine, &anatomy, || made(engine, &wasm)).unwrap();
    }
    assert_eq!((cache.counts(), state.entries().len()), (counts(0, 2, 0), 2));
}

#[test]
fn a_file_that_does_not_compile_is_not_kept() {
    let state = State::new();
    let cache = state.open(LARGE);
    let engine = WORKSHOP.engines().pure();
    let made = cache.component(engine, &anatomy(&Guest::gate("x").build()), || made(engine, b"x"));
    assert!(made.is_err());
    assert!(state.entries().is_empty());
}

#[test]
fn the_folder_stays_within_its_bound_and_what_was_unused_longest_goes_first() {
    let (state, names) = (State::new(), ["a", "b", "c", "d", "e"]);
    let files: Vec<Vec<u8>> = names.iter().map(|name| Guest::gate(name).build()).collect();
    compiles(&state.open(LARGE), &files[0]);
    let size = fs::metadata(state.only()).unwrap().len();
    let cache = state.open(4 * size + size / 2);
    let long_ago = |age: u64| {
        let when = SystemTime::now() - Duration::from_secs(age);
        move |path: &PathBuf| fs::File::open(path).unwrap().set_modified(when).unwrap()
    };
    let mut known = state.entries();
    for (file, age) in files[1..4].iter().zip([300, 200, 100]) {
        compiles(&cache, file);
        let new: Vec<PathBuf> = state.entries().into_iter().filter(|own| !known.contains(own)).collect();
        new.iter().for_each(long_ago(age));
        known = state.entries();
    }
    assert_eq!(known.len(), 4);
    // The first was used just now, so the second is the oldest.
    assert!(!compiles(&cache, &files[0]));
    compiles(&cache, &files[4]);
    assert_eq!(state.entries().len(), 4);
    assert!([0, 2, 3, 4].iter().all(|own| !compiles(&cache, &files[*own])));
    assert!(compiles(&cache, &files[1]));
    let all: u64 = state.entries().iter().map(|own| fs::metadata(own).unwrap().len()).sum();
    assert!(all <= 4 * size + size / 2, "{all}");
}

#[test]
fn an_entry_longer_than_a_quarter_of_the_bound_is_not_kept_and_nothing_else_goes_for_it() {
    let (state, wasm) = (State::new(), Guest::gate("x").build());
    compiles(&state.open(LARGE), &wasm);
    let size = fs::metadata(state.only()).unwrap().len();
    let mut large = Guest::gate("y");
    large.more = format!(
        "(memory $second 4) (data (memory $second) (i32.const 0) \"{}\")",
        "x".repeat(200_000)
    );
    let cache = state.open(4 * size);
    let large = large.build();
    assert!(!compiles(&cache, &wasm), "just a quarter");
    assert!(compiles(&cache, &large) && compiles(&cache, &large));
    assert!(!compiles(&cache, &wasm), "it is still there");
    let cache = state.open(4 * size - 4);
    fs::remove_file(state.only()).unwrap();
    assert!(
        compiles(&cache, &wasm) && compiles(&cache, &wasm),
        "just more than a quarter"
    );
    assert!(state.entries().is_empty());
    assert_eq!(cache.counts(), counts(0, 2, 0));
}

#[test]
fn what_a_writer_left_behind_is_removed_and_what_is_being_written_stays() {
    let state = State::new();
    drop(state.open(LARGE));
    let (old, new, other) = (
        state.folder().join(".0123.new"),
        state.folder().join(".4567.new"),
        state.folder().join("note"),
    );
    for path in [&old, &new, &other] {
        fs::write(path, b"half").unwrap();
    }
    let yesterday = SystemTime::now() - Duration::from_secs(86_400);
    for path in [&old, &other] {
        fs::File::open(path).unwrap().set_modified(yesterday).unwrap();
    }
    state.open(LARGE);
    assert!(!old.exists() && new.exists() && other.exists());
}

#[test]
fn of_many_that_start_at_once_all_use_one_key_and_none_sees_half_an_entry() {
    let (state, wasm) = (State::new(), Guest::gate("x").build());
    let starts = std::sync::Barrier::new(8);
    let refused: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    starts.wait();
                    let cache = state.open(LARGE);
                    for _ in 0..5 {
                        compiles(&cache, &wasm);
                    }
                    cache.counts().refused
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(refused, 0);
    assert!(!compiles(&state.open(LARGE), &wasm));
    assert_eq!(state.entries().len(), 1, "nothing is left behind");
}

#[test]
fn a_folder_that_is_not_ours_alone_is_closed_and_where_there_is_none_to_be_had_everything_is_compiled() {
    let state = State::new();
    fs::create_dir(state.folder()).unwrap();
    fs::set_permissions(state.folder(), fs::Permissions::from_mode(0o777)).unwrap();
    drop(state.open(LARGE));
    assert_eq!(fs::metadata(state.folder()).unwrap().mode() & 0o777, 0o700);
    let state = State::new();
    fs::write(state.folder(), b"in the way").unwrap();
    let error = CodeCache::open(state.0.path(), LARGE).unwrap_err();
    assert!(error.to_string().contains("no folder of this user's"), "{error}");
    // A key that can't be used is told as that: the folder is as it should be.
    let other = State::new();
    fs::create_dir(other.0.path().join("code.key")).unwrap();
    let error = CodeCache::open(other.0.path(), LARGE).unwrap_err().to_string();
    assert!(
        error.contains("code.key: the key") && error.contains("remove it"),
        "{error}"
    );
    // A workshop without one makes skills all the same, and knows why.
    let workshop = workshop(GateInstances::Fresh).keeping_code(state.0.path());
    assert_eq!(workshop.cache_counts(), None);
    let fault = workshop.cache_fault().unwrap();
    assert!(fault.contains("compiled at every start"), "{fault}");
    assert!(make_in(&workshop, "x", &Guest::gate("x").build(), &[]).is_ok());
}

#[test]
fn a_skill_whose_code_was_kept_judges_as_before() {
    let state = State::new();
    let mut guest = Guest::gate("keeps");
    let text = guest.text("(:RULE \"r\" :REASON \"s\")");
    guest.gate = format!("(call $say (i32.const 2) {text})");
    let bytes = guest.build();
    let verdicts: Vec<_> = (0..2)
        .map(|_| {
            let workshop = workshop(GateInstances::Fresh).keeping_code(state.0.path());
            let gate = make_in(&workshop, "keeps", &bytes, &[]).unwrap();
            (judge(&gate, shell("ls")), workshop.cache_counts().unwrap())
        })
        .collect();
    assert_eq!(verdicts[0].0, verdicts[1].0);
    assert!(matches!(verdicts[0].0, Ok(Verdict::Reject(_))));
    assert_eq!((verdicts[0].1, verdicts[1].1), (counts(0, 1, 0), counts(1, 0, 0)));
}
