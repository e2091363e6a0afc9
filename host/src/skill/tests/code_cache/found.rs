//! What was found in a file is kept beside its code.

use super::*;

#[test]
fn what_was_found_in_a_file_is_kept_beside_its_code_and_only_what_can_be_believed_is_taken() {
    let (state, wasm) = (State::new(), Guest::gate("x").build());
    let (cache, engine) = (state.open(LARGE), WORKSHOP.engines().pure());
    let (found, digest) = (anatomy(&wasm), Digest::of_file(&wasm));
    assert_eq!(cache.anatomy(engine, &digest), None);
    compiles(&cache, &wasm);
    assert_eq!(cache.anatomy(engine, &digest), Some(found));
    let whole = fs::read(state.only()).unwrap();
    let length = 36 + u32::from_be_bytes(whole[64..68].try_into().unwrap()) as usize;
    for at in 32..32 + length {
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 8);
        fs::write(state.only(), &changed).unwrap();
        assert_eq!(cache.anatomy(engine, &digest), None, "flipped at byte {at}");
        fs::write(state.only(), &whole[..at]).unwrap();
        assert_eq!(cache.anatomy(engine, &digest), None, "cut to {at}");
    }
    assert!(compiles(&cache, &wasm), "and its code is compiled again");
    assert_eq!(cache.counts(), counts(0, 1, 1));
}

#[test]
fn what_is_kept_is_not_looked_into_again_and_what_is_damaged_is_looked_into_apart() {
    let (state, wasm) = (State::new(), Guest::gate("x").build());
    let keeping = || workshop(GateInstances::Fresh).keeping_code(state.0.path());
    make_in(&keeping(), "x", &wasm, &[]).unwrap();
    // There is nobody who would look into it apart.
    let alone = || keeping().compiling_apart("/nowhere/passepartout-host".into());
    assert!(make_in(&alone(), "x", &wasm, &[]).is_ok());
    let mut entry = fs::read(state.only()).unwrap();
    entry[70] ^= 1;
    fs::write(state.only(), &entry).unwrap();
    assert!(matches!(
        make_in(&alone(), "x", &wasm, &[]),
        Err(LoadFault::NoCompiler(_))
    ));
    let again = keeping();
    make_in(&again, "x", &wasm, &[]).unwrap();
    assert_eq!(again.cache_counts(), Some(counts(0, 0, 1)));
    assert!(make_in(&alone(), "x", &wasm, &[]).is_ok());
}
