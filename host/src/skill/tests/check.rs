//! `skill check`: it says all that is wrong, and what it foretells is what the loader does.

use super::folder::{bundled, loaded, state_of};
use super::guest::{CLOCK, GET, Guest, LATER, READ_FILE, RUN, SECRETS, TEXT, UNKNOWN};
use super::*;
use crate::skill::{Mark, Report, SkillState};

/// What would be said of `bytes` in a file called `file`, beside what lies in `folder`.
fn report(folder: &Path, file: &str, bytes: &[u8], grants: &Grants) -> Report {
    let set = loaded(folder, grants);
    WORKSHOP.check(Path::new(file), bytes, bundled(), grants, &set)
}

fn alone(file: &str, bytes: &[u8]) -> Report {
    let folder = tempfile::tempdir().unwrap();
    report(folder.path(), file, bytes, &Grants::default())
}

fn faults(report: &Report) -> Vec<&str> {
    let bad = |mark| matches!(mark, Mark::Fault | Mark::Waits);
    let found = report.findings.iter().filter(|finding| bad(finding.mark));
    found.map(|finding| finding.text.as_str()).collect()
}

#[test]
fn each_right_is_told_once_and_as_it_is_granted() {
    let guest = || {
        let describe = "(:NAME \"x\" :VERSION \"1\" :FUNCTIONS (:GATE :ACT) :TARGETS (:OWN) :RIGHTS (:REVISE \"http:*.example.org\"))";
        Guest::new(describe).import(&READ_FILE).build()
    };
    let told = |grants: &Grants| {
        let folder = tempfile::tempdir().unwrap();
        let report = report(folder.path(), "x.wasm", &guest(), grants);
        let rights = report.findings.iter().filter(|finding| finding.about == "rights");
        rights
            .map(|finding| (finding.mark, finding.text.clone()))
            .collect::<Vec<_>>()
    };
    let missing = told(&Grants::default());
    assert!(missing.iter().all(|(mark, _)| *mark == Mark::Waits), "{missing:?}");
    let texts: Vec<&str> = missing.iter().map(|(_, text)| text.as_str()).collect();
    let one = "to grant all of them: passepartout-host skill grant x.wasm revise 'http:*.example.org' files:read:DIR";
    let last = format!(
        "files:read:DIR or files:write:DIR is not granted, and it does not say how far it would reach, as `.reaches(…)` in its \
         description would; {one}"
    );
    let each = ["revise is not granted", "http:*.example.org is not granted", &last];
    assert_eq!(texts, each);
    let granted = told(&granting("x", &["revise", "http:example.org", "files:read:/srv"]));
    let fine = |right: &str| (Mark::Fine, format!("{right}, which is granted"));
    let (rest, own) = granted.split_last().unwrap();
    assert_eq!(own, ["revise", "files:read:/srv", "http:example.org"].map(fine));
    assert!(
        rest.0 == Mark::Note
            && rest
                .1
                .starts_with("http:*.example.org is not granted: it can be used without"),
        "{rest:?}"
    );
}

#[test]
fn what_it_foretells_is_what_the_loader_does() {
    let own = |claims: &str| Guest::actuator("x", claims);
    let describe = |rest: &str| Guest::new(format!("(:NAME \"x\" :VERSION \"1\" :FUNCTIONS (:GATE) {rest})"));
    let mut lacking = Guest::gate("x");
    lacking.without = Some("recover");
    let mut older = Guest::gate("x");
    older.interface = "passepartout:skill/skill@0.0.9".to_owned();
    let mut looping = Guest::gate("x");
    looping.describe_body = Some("(loop (br 0)) unreachable".to_owned());
    let files: Vec<(&str, Vec<u8>, SkillState)> = vec![
        ("x", Guest::gate("x").import(&TEXT).build(), SkillState::Ready),
        ("x", Guest::gate("x").import(&CLOCK).build(), SkillState::Ready),
        ("x", own("(:OWN)").import(&RUN).build(), SkillState::Waiting),
        ("x", own("(:OWN)").import(&READ_FILE).build(), SkillState::Waiting),
        ("x", own("(:OWN) :RIGHTS (\"vault:key\")").build(), SkillState::Waiting),
        (
            "x",
            describe(":RIGHTS (\"vault:key\" :PROCESS)").import(&RUN).build(),
            SkillState::Ready,
        ),
        ("host", Guest::gate("host").build(), SkillState::Failed),
        ("x", own("(:FILES)").build(), SkillState::Failed),
        ("x", Guest::gate("x").import(&SECRETS).build(), SkillState::Waiting),
        ("x", own("(:CLI)").build(), SkillState::Waiting),
        ("x", describe(":RIGHTS (:REVISE)").build(), SkillState::Waiting),
        ("x", describe(":DEPENDS-ON (\"a\")").build(), SkillState::Ready),
        ("x", describe(":DEPENDS-ON (\"nowhere\")").build(), SkillState::Waiting),
        ("x", describe(":DEPENDS-ON (\"x\")").build(), SkillState::Failed),
        ("x", describe(":PRIORTY 5").build(), SkillState::Failed),
        ("x", own("(:TAKEN)").build(), SkillState::Failed),
        ("x", Guest::gate("y").build(), SkillState::Failed),
        ("X", Guest::gate("x").build(), SkillState::Failed),
        ("x", Guest::gate("x").import(&UNKNOWN).build(), SkillState::Failed),
        ("x", lacking.build(), SkillState::Failed),
        ("x", older.build(), SkillState::Failed),
        ("x", looping.build(), SkillState::Failed),
        ("policy", Guest::gate("policy").build(), SkillState::Waiting),
        ("x", b"text".to_vec(), SkillState::Failed),
        ("x", vec![b'a'; 2 << 20], SkillState::Failed),
        ("x", wat::parse_str("(module)").unwrap(), SkillState::Failed),
        ("x", Guest::gate("x").build()[..100].to_vec(), SkillState::Failed),
    ];
    for (at, (name, bytes, state)) in files.iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "a.wasm", &Guest::actuator("a", "(:TAKEN)").build());
        let foretold = report(folder.path(), &format!("{name}.wasm"), bytes, &Grants::default());
        assert_eq!(foretold.state(), *state, "file {at}:\n{foretold}");
        write(folder.path(), &format!("{name}.wasm"), bytes);
        let (found, why) = state_of(&loaded(folder.path(), &Grants::default()), name);
        assert_eq!(found, *state, "file {at}: {why}");
    }
}

#[test]
fn every_fault_is_told_and_not_only_the_first() {
    let mut guest = Guest::gate("x").import(&LATER).import(&UNKNOWN);
    guest.without = Some("recover");
    let report = alone("Not A Name.wasm", &guest.build());
    let told = faults(&report).join("\n");
    for part in [
        "built for passepartout:skill@0.2.0 and this host speaks passepartout:skill@0.1.0: update the host",
        "lacks the function `recover`",
        "imports `passepartout:skill/teleport@0.1.0`",
        "can't name a skill",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(report.state(), SkillState::Failed);

    let describe = "(:NAME \"shell\" :VERSION \"1\" :FUNCTIONS (:ACT) :TARGETS (:SHELL) :DEPENDS-ON (\"nowhere\"))";
    let report = alone("shell.wasm", &Guest::new(describe).import(&RUN).build());
    let told = faults(&report).join("\n");
    for part in [
        "process is not granted",
        "target:shell is not granted; to grant all of them: passepartout-host skill grant shell.wasm process target:shell",
        "replace the bundled skill of this name, which takes your word: passepartout-host skill trust shell.wasm",
        "depends on `nowhere`",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(report.state(), SkillState::Waiting);
}

#[test]
fn what_is_granted_and_trusted_is_said_and_nothing_waits_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let grants = granting("x", &["process"]);
    let told = report(
        folder.path(),
        "x.wasm",
        &Guest::actuator("x", "(:OWN)").import(&RUN).build(),
        &grants,
    );
    assert_eq!(told.state(), SkillState::Ready, "{told}");
    assert!(told.to_string().contains("process, which is granted"), "{told}");
    assert_eq!(told.json()["rights"][0]["granted"], true);
}

#[test]
fn the_name_that_cargo_gives_a_file_is_read_as_the_skills() {
    let report = alone("no_shouting.wasm", &Guest::gate("no-shouting").build());
    assert_eq!(
        (report.state(), report.name.as_str()),
        (SkillState::Ready, "no-shouting")
    );
    assert!(report.to_string().contains("copy it as no-shouting.wasm"), "{report}");
}

fn notes<'a>(report: &'a Report, about: &str) -> Vec<&'a str> {
    let all = report.findings.iter();
    let own = all.filter(|finding| finding.mark == Mark::Note && finding.about == about);
    own.map(|finding| finding.text.as_str()).collect()
}

#[test]
fn what_can_never_act_is_told_so_waits_for_no_right_to_and_says_so_in_the_list() {
    let describe = "(:NAME \"x\" :VERSION \"1\" :FUNCTIONS (:GATE :PROMPT) :RIGHTS (\"http:a.example\"))";
    let bytes = Guest::new(describe).import(&READ_FILE).import(&RUN).build();
    let report = alone("x.wasm", &bytes);
    let told = notes(&report, "reach");
    assert!(
        told.len() == 1 && told[0].starts_with("it uses process, files, http, and has neither `act` nor a tool"),
        "{report}"
    );
    assert_eq!(report.state(), SkillState::Ready, "{report}");
    assert!(
        !report.to_string().contains("skill grant"),
        "nothing to grant is proposed: {report}"
    );
    // Granted or not, it is the same skill with the same rights: none.
    for rights in [&[][..], &["process", "files:read:workspace", "http:a.example"]] {
        let skill = WORKSHOP.try_load("x", &bytes, &granting("x", rights)).unwrap();
        assert!(skill.rights.is_empty(), "{:?}", skill.rights);
        assert_eq!(crate::skill::SkillStatus::of(&skill).notes, told);
    }
    // What judges may ask about secrets, and waits for that.
    assert_eq!(
        alone("x.wasm", &Guest::gate("x").import(&SECRETS).build()).state(),
        SkillState::Waiting
    );
}

#[test]
fn a_right_that_no_import_could_use_is_told_with_what_to_call_instead() {
    let asking = |rights: &str| Guest::actuator("x", &format!("(:OWN) :RIGHTS ({rights})"));
    let told = |guest: Guest| notes(&alone("x.wasm", &guest.build()), "reach").join("\n");
    for (right, part) in [
        (
            "\"files:read:workspace/notes\"",
            "it asks for files:read:workspace/notes and imports no `files`, so that granting it changes nothing: std::fs reaches \
             nothing here, use passepartout_sdk::files",
        ),
        ("\"http:a.example\"", "use passepartout_sdk::http"),
        (":PROCESS", "use passepartout_sdk::process"),
        ("\"memory:read\"", "imports no `memory`"),
        (":MODEL", "imports no `model`"),
        ("\"vault:key\"", "imports no `vault`"),
        (":CONTAINS-SECRET", "use passepartout_sdk::secrets"),
    ] {
        let text = told(asking(right));
        assert!(text.contains(part) && text.lines().count() == 1, "{right}: {text}");
    }
    for (right, import) in [
        ("\"files:read:workspace/notes\"", &READ_FILE),
        ("\"vault:key\" \"http:a.example\"", &GET),
    ] {
        assert_eq!(told(asking(right).import(import)), "", "{right}");
    }
    assert_eq!(told(asking(":REVISE \"schedule\"")), "");
}

#[test]
fn of_what_could_not_say_what_it_is_no_right_is_told() {
    let describe = "(:NAME \"x\" :VERSION \"1\" :FUNCTIONS (:ACT) :TARGETS (:OWN) :RIGHTS (\"files:read:notes\"))";
    let report = alone("x.wasm", &Guest::new(describe).import(&READ_FILE).build());
    assert_eq!(notes(&report, "rights"), ["not asked, because of the fault above"]);
    assert!(!report.to_string().contains("does not say how far"), "{report}");
    let [fault] = faults(&report)[..] else {
        panic!("{report}")
    };
    assert!(
        fault.contains(":RIGHTS") && fault.contains("is no folder of a grant"),
        "{report}"
    );
}
