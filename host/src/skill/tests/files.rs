//! Files that are no skills, or not whole, or not ours: each is refused with its own words.

use proptest::prelude::*;

use super::guest::{Guest, Import, RUN, TEXT, UNKNOWN};
use super::*;
use crate::skill::FileFault;

fn refusal(name: &str, bytes: &[u8]) -> String {
    match make_of(name, bytes, &[]) {
        Ok(_) => panic!("{name} was taken"),
        Err(fault) => fault.to_string(),
    }
}

#[test]
fn each_wrong_kind_of_file_has_its_own_message() {
    let compiled = WORKSHOP
        .engines()
        .pure()
        .precompile_component(&Guest::gate("x").build())
        .unwrap();
    let module = wat::parse_str("(module)").unwrap();
    let nothing = wat::parse_str("(component)").unwrap();
    for (bytes, part) in [
        (b"".as_slice(), "is empty"),
        (b"(component)", "is text"),
        (
            b"\x7fELF\x02\x01\x01",
            "build the skill with `cargo build --release --target wasm32",
        ),
        (b"MZ\x90\0", "library or program for a machine"),
        (&compiled, "machine code"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "not WebAssembly"),
        (&module, "core WebAssembly module"),
        (&module, "plain cargo for wasm32-wasip1 makes none"),
        (&nothing, "does not export passepartout:skill/skill@0.1.0"),
        (b"\0as", "ends in the middle"),
        (&vec![b'a'; 2 << 20], "may have 1048576"),
    ] {
        let text = refusal("x", bytes);
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn another_version_of_the_package_is_named_with_what_to_update() {
    for (version, remedy) in [
        ("0.2.0", "update the host"),
        ("0.10.0", "update the host"),
        ("0.1.1-rc.1", "update the host"),
        ("0.0.9", "build the skill again"),
        ("0.1.0-rc.1", "build the skill again"),
    ] {
        let mut guest = Guest::gate("x");
        guest.interface = format!("passepartout:skill/skill@{version}");
        let text = refusal("x", &guest.build());
        assert!(
            text.contains(version) && text.contains("0.1.0") && text.contains(remedy),
            "{text}"
        );
    }
}

#[test]
fn a_missing_function_is_named() {
    let mut guest = Guest::gate("x");
    guest.without = Some("recover");
    let text = refusal("x", &guest.build());
    assert!(text.contains("`recover`"), "{text}");
}

#[test]
fn an_import_that_we_dont_have_is_named_with_the_remedy() {
    let text = refusal("x", &Guest::gate("x").import(&UNKNOWN).build());
    assert!(
        text.contains("passepartout:skill/teleport@0.1.0") && text.contains("later version"),
        "{text}"
    );
    assert!(text.contains("there are files, forms, "), "{text}");
    let slip = Import {
        instance: "passepartout:skill/settingz@0.1.0",
        ..UNKNOWN
    };
    let text = refusal("x", &Guest::gate("x").import(Box::leak(Box::new(slip))).build());
    assert!(text.contains("did you mean settings?"), "{text}");
}

#[test]
fn what_is_not_granted_waits_and_names_the_command() {
    let fault = make_of("x", &Guest::actuator("x", "(:OWN)").import(&RUN).build(), &[]).unwrap_err();
    assert_eq!(fault.state(), crate::skill::SkillState::Waiting);
    assert!(
        fault.to_string().contains("passepartout-host skill grant x process"),
        "{fault}"
    );
    let fault = make_of("x", &Guest::actuator("x", "(:CLI (:SYSTEM :EVAL) :OWN)").build(), &[]).unwrap_err();
    assert!(fault.to_string().contains("target:cli, target:system/eval"), "{fault}");
    make_of("x", &Guest::actuator("x", "(:OWN)").build(), &[]).unwrap();
}

#[test]
fn a_skill_that_says_it_is_another_is_refused_with_both_names() {
    let text = refusal("x", &Guest::gate("policy").build());
    assert!(text.contains("`x`") && text.contains("`policy`"), "{text}");
    let text = refusal("Bad Name", &Guest::gate("x").build());
    assert!(text.contains("can't name a skill"), "{text}");
}

#[test]
fn a_description_that_is_wrong_names_the_field() {
    for (describe, part) in [
        ("nothing", "no plist"),
        ("(:NAME \"x\" :VERSION \"1\")", ":FUNCTIONS"),
        ("(:NAME \"x\" :FUNCTIONS (:GATE))", ":VERSION"),
        ("(:NAME \"x\" :VERSION \"1\" :FUNCTIONS (:FLY))", ":FLY"),
        (
            "(:NAME \"x\" :VERSION \"1\" :FUNCTIONS (:GATE) :PRIORITY \"high\")",
            ":PRIORITY",
        ),
        (
            "(:NAME \"x\" :VERSION \"1\" :FUNCTIONS (:GATE) :PRIORTY 5)",
            "did you mean :PRIORITY",
        ),
        (
            "(:NAME \"x\" :VERSION \"1\" :FUNCTIONS (:GATE) :TARGETS (:OWN))",
            ":TARGETS",
        ),
        ("(:NAME \"x\" :VERSION \"1\" :FUNCTIONS (:ACT))", ":ACT"),
        (
            "(:NAME \"x\" :VERSION \"1\" :FUNCTIONS (:GATE) :DEPENDS-ON (\"no name\"))",
            "`no name` can't name a skill",
        ),
        (
            "(:NAME \"x\" :VERSION \"1\" :FUNCTIONS (:CALL-TOOL) :TOOLS ((:NAME \"t\")))",
            ":TOOLS 0 :DESCRIPTION",
        ),
        (
            "(:NAME \"x\" :VERSION \"1\" :FUNCTIONS (:GATE) :TRIGGERS ((:FIELD \"a\")))",
            ":TRIGGERS 0",
        ),
        (
            "(:NAME \"x\" :VERSION \"1\" :FUNCTIONS (:GATE) :RIGHTS (:FLY))",
            "no right",
        ),
    ] {
        let text = refusal("x", &Guest::new(describe).build());
        assert!(text.contains(part), "{describe}: {text}");
    }
}

#[test]
fn a_skill_that_fails_before_it_says_what_it_is_is_refused_with_the_bound() {
    let mut guest = Guest::gate("x");
    guest.describe_body = Some("(loop (br 0)) unreachable".to_owned());
    let text = refusal("x", &guest.build());
    assert!(text.contains("ran out of fuel"), "{text}");
    assert!(
        text.contains("`describe`, which only has to return the description") && !text.contains("action"),
        "{text}"
    );
}

#[test]
fn a_component_cut_anywhere_is_refused_unless_all_that_it_exports_is_there() {
    let whole = Guest::gate("cut").import(&TEXT).build();
    let imports = WORKSHOP.inspect("cut", &whole).unwrap().anatomy.imports;
    let mut taken = 0;
    for length in 0..whole.len() {
        if let Ok(skill) = make_of("cut", &whole[..length], &[]) {
            assert_eq!(
                judge(&skill, shell("ls")),
                Ok(Verdict::Pass),
                "cut to {length} of {}",
                whole.len()
            );
            assert_eq!(skill.imports, imports, "cut to {length} of {}", whole.len());
            taken += 1;
        }
    }
    // Only the names at the end can be missing, which are one section.
    assert!(taken <= 1, "{taken} cut points were taken");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_file_with_changed_bytes_is_refused_or_runs_within_its_bounds(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = Guest::gate("flip").import(&TEXT).build();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(skill) = make_of("flip", &bytes, &[]) {
            let _ = judge(&skill, shell("ls"));
        }
    }

    #[test]
    fn no_bytes_at_all_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(make_of("noise", &bytes, &[]).is_err());
        let mut dressed = b"\0asm\x0d\0\x01\0".to_vec();
        dressed.extend(bytes);
        let refused = matches!(
            make_of("noise", &dressed, &[]),
            Err(LoadFault::File(FileFault::NoExport | FileFault::Cut { .. } | FileFault::Malformed { .. }))
        );
        prop_assert!(refused);
    }
}

#[test]
fn code_compiled_at_build_time_fits_the_engines_that_run_it() {
    use crate::skill::{compile::precompiled, tuning};
    let engines = WORKSHOP.engines();
    let wasm = Guest::gate("x").build();
    for (engine, config) in [(engines.pure(), tuning::pure()), (engines.acting(), tuning::acting())] {
        let code = wasmtime::Engine::new(&config)
            .unwrap()
            .precompile_component(&wasm)
            .unwrap();
        precompiled(engine, Box::leak(code.into_boxed_slice())).unwrap();
    }
    // The two engines' code is not the same, and neither takes the other's.
    let code = wasmtime::Engine::new(&tuning::acting())
        .unwrap()
        .precompile_component(&wasm)
        .unwrap();
    assert!(precompiled(engines.pure(), Box::leak(code.into_boxed_slice())).is_err());
    assert!(precompiled(engines.pure(), b"nothing of the kind").is_err());
}

#[test]
fn inspecting_a_file_shows_what_it_is_and_needs_without_any_grant() {
    let guest = Guest::actuator("shell", "(:SHELL)").import(&RUN);
    let shown = WORKSHOP.inspect("shell", &guest.build()).unwrap();
    let text = shown.to_string();
    for part in [
        "shell 1, priority 0",
        "act",
        "process (not granted)",
        "target:shell (not granted)",
        "skill grant shell process target:shell",
        "passepartout:skill/process@0.1.0",
        "bytes",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json = shown.json();
    assert_eq!(json["name"], "shell");
    assert_eq!(json["digest"], shown.anatomy.digest.to_string());
    assert_eq!(json["exports"][0], "passepartout:skill/skill@0.1.0");
}
