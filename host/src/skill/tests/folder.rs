//! The skills folder and the grants file: one bad file stops nothing else, and an error in the grants grants nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::guest::{Guest, RUN};
use super::*;
use crate::sexp::Digest;
use crate::skill::compile::precompiled;
use crate::skill::{Bundled, GrantError, SkillSet, SkillState, load};

/// A bundled gate `policy` and a bundled actuator `shell`.
pub(super) fn bundled() -> &'static [Bundled] {
    let of = |name: &'static str, guest: Guest| Bundled {
        name,
        wasm: Box::leak(guest.build().into_boxed_slice()),
        pure: b"not compiled",
        acting: None,
    };
    Box::leak(Box::new([
        of("policy", Guest::gate("policy")),
        of("shell", Guest::actuator("shell", "(:SHELL)").import(&RUN)),
    ]))
}

pub(super) fn loaded(folder: &Path, grants: &Grants) -> SkillSet {
    load(&WORKSHOP, bundled(), folder, grants)
}

fn states(set: &SkillSet) -> Vec<(String, SkillState, String)> {
    let mut states: Vec<_> = set
        .statuses()
        .into_iter()
        .map(|own| (own.name, own.state, own.source.to_string()))
        .collect();
    states.sort_by(|a, b| (&a.0, &a.2).cmp(&(&b.0, &b.2)));
    states
}

pub(super) fn state_of(set: &SkillSet, name: &str) -> (SkillState, String) {
    let found = set
        .statuses()
        .into_iter()
        .find(|own| own.name == name && own.source != Source::Bundled);
    let found = found.unwrap_or_else(|| panic!("{name} is not listed"));
    (found.state, found.reason.unwrap_or_default())
}

#[test]
fn one_bad_file_beside_three_good_ones_is_listed_and_harms_none() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        write(folder.path(), &format!("{name}.wasm"), &Guest::gate(name).build());
    }
    write(folder.path(), "bad.wasm", b"not a component");
    write(folder.path(), "notes.txt", b"ignored");
    write(folder.path(), ".hidden.wasm", b"ignored");
    fs::create_dir(folder.path().join("dir.wasm")).unwrap();
    let set = loaded(folder.path(), &Grants::default());
    let names: Vec<&str> = set.gates().iter().map(|gate| gate.name()).collect();
    assert_eq!(names, ["a", "b", "c", "policy"]);
    assert_eq!(state_of(&set, "bad").0, SkillState::Failed);
    assert!(state_of(&set, "bad").1.contains("is text"));
    assert!(state_of(&set, "dir").1.contains("no plain file"));
    assert_eq!(set.digests().len(), 5);
}

#[test]
fn a_folder_that_is_not_there_has_no_skills() {
    let set = loaded(Path::new("/nonexistent/skills"), &Grants::default());
    assert_eq!(set.skills().len(), 2);
}

#[test]
fn a_bundled_skill_is_replaced_only_with_trust_and_goes_on_without() {
    let folder = tempfile::tempdir().unwrap();
    let mut guest = Guest::gate("policy");
    guest.gate = "unreachable".to_owned();
    let bytes = guest.build();
    let path = write(folder.path(), "policy.wasm", &bytes);
    let set = loaded(folder.path(), &Grants::default());
    let (state, reason) = state_of(&set, "policy");
    assert_eq!(state, SkillState::Waiting);
    assert!(reason.contains(&format!("skill trust {}", path.display())), "{reason}");
    assert_eq!(judge(set.gates()[0].as_ref(), shell("ls")), Ok(Verdict::Pass));

    let file = folder.path().join("grants");
    let trust = Entry::Trust {
        skill: "policy".to_owned(),
        digest: Digest::of_file(&bytes),
    };
    grants::add(&file, &trust).unwrap();
    let set = loaded(folder.path(), &Grants::load(&file).unwrap());
    assert!(judge(set.gates()[0].as_ref(), shell("ls")).is_err());

    // Trust is in one file, not in the name.
    write(folder.path(), "policy.wasm", &Guest::gate("policy").build());
    let set = loaded(folder.path(), &Grants::load(&file).unwrap());
    assert_eq!(state_of(&set, "policy").0, SkillState::Waiting);

    fs::remove_file(&path).unwrap();
    let set = loaded(folder.path(), &Grants::load(&file).unwrap());
    assert_eq!(
        states(&set)[0],
        ("policy".to_owned(), SkillState::Ready, "bundled".to_owned())
    );
}

#[test]
fn a_trusted_file_that_fails_leaves_the_bundled_one_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = Guest::gate("another").build();
    write(folder.path(), "policy.wasm", &bytes);
    let file = folder.path().join("grants");
    let trust = Entry::Trust {
        skill: "policy".to_owned(),
        digest: Digest::of_file(&bytes),
    };
    grants::add(&file, &trust).unwrap();
    let set = loaded(folder.path(), &Grants::load(&file).unwrap());
    assert_eq!(state_of(&set, "policy").0, SkillState::Failed);
    assert_eq!(set.gates().len(), 1);
}

#[test]
fn a_second_claimant_of_a_target_or_a_tool_fails_and_the_first_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let tool = |name: &str| {
        Guest::new(format!(
            "(:NAME \"{name}\" :VERSION \"1\" :FUNCTIONS (:CALL-TOOL) :TOOLS ((:NAME \"look\" :DESCRIPTION \"looks\")))"
        ))
    };
    write(folder.path(), "a.wasm", &tool("a").build());
    write(folder.path(), "b.wasm", &tool("b").build());
    write(
        folder.path(),
        "aaa.wasm",
        &Guest::actuator("aaa", "((:SHELL :FAST))").build(),
    );
    let set = loaded(folder.path(), &granting("aaa", &["target:shell/fast"]));
    assert!(
        state_of(&set, "b")
            .1
            .contains("the tool `look` belongs to the skill `a`")
    );
    assert!(
        state_of(&set, "aaa")
            .1
            .contains("the target :SHELL belongs to the skill `shell`")
    );
    assert_eq!(set.tool("look").unwrap().0.name(), "a");
    assert_eq!(set.actuator(&shell("ls")).unwrap().name(), "shell");
}

#[test]
fn what_a_skill_depends_on_must_be_there() {
    let folder = tempfile::tempdir().unwrap();
    let needing = |name: &str, on: &str| {
        Guest::new(format!(
            "(:NAME \"{name}\" :VERSION \"1\" :FUNCTIONS (:GATE) :DEPENDS-ON (\"{on}\"))"
        ))
        .build()
    };
    write(folder.path(), "a.wasm", &needing("a", "policy"));
    write(folder.path(), "b.wasm", &needing("b", "nowhere"));
    write(folder.path(), "c.wasm", &needing("c", "d"));
    write(folder.path(), "d.wasm", &needing("d", "c"));
    let set = loaded(folder.path(), &Grants::default());
    assert_eq!(state_of(&set, "a").0, SkillState::Ready);
    assert_eq!(state_of(&set, "b").0, SkillState::Waiting);
    assert!(state_of(&set, "c").1.contains("c → d → c"));
}

#[test]
fn prompts_are_chosen_by_trigger_and_priority() {
    let folder = tempfile::tempdir().unwrap();
    let mut low = Guest::new("(:NAME \"low\" :VERSION \"1\" :PRIORITY 1 :FUNCTIONS (:PROMPT))");
    let text = low.text("from low");
    low.prompt = format!("(call $say (i32.const 1) {text})");
    write(folder.path(), "low.wasm", &low.build());
    let mut high = Guest::new(
        "(:NAME \"high\" :VERSION \"1\" :PRIORITY 9 :FUNCTIONS (:PROMPT)
          :TRIGGERS ((:SENSOR :USER-INPUT :FIELD \"payload.text\" :EQUALS \"help\")))",
    );
    let text = high.text("from high");
    high.prompt = format!("(call $say (i32.const 1) {text})");
    write(folder.path(), "high.wasm", &high.build());
    let set = loaded(folder.path(), &Grants::default());
    let prompt = |text: &str| {
        let payload = plist!("SENSOR" => crate::sexp::kw("USER-INPUT"), "TEXT" => text);
        set.prompt_for(&Signal { payload, ..signal() }).unwrap().1
    };
    assert_eq!(prompt("help"), "from high");
    assert_eq!(prompt("hello"), "from low");
}

#[test]
fn a_grant_is_bound_to_the_digest_unless_it_follows_the_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grants");
    let (own, other) = (Digest::of_file(b"own"), Digest::of_file(b"other"));
    grants::add(
        &path,
        &Entry::Grant {
            skill: "x".to_owned(),
            pin: Pin::Digest(own),
            right: Right::Process,
        },
    )
    .unwrap();
    grants::add(
        &path,
        &Entry::Grant {
            skill: "y".to_owned(),
            pin: Pin::Follow,
            right: Right::Revise,
        },
    )
    .unwrap();
    let read = Grants::load(&path).unwrap();
    assert!(read.rights_of("x", &own).contains(&Right::Process));
    assert!(!read.rights_of("x", &other).contains(&Right::Process));
    assert!(!read.rights_of("x", &own).contains(&Right::Revise));
    assert!(read.rights_of("y", &other).contains(&Right::Revise));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn an_error_in_the_grants_names_the_line_and_grants_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grants");
    let good = "; ours\n(:GRANT :SKILL \"x\" :FOLLOW T :CAPABILITY \"process\")\n";
    for bad in [
        "(:GRANT :SKILL \"x\"",
        "(:GRANT :SKILL \"x\" :FOLLOW T :CAPABILITY \"fly\")",
        "(:GRANT :SKILL \"x\" :CAPABILITY \"process\")",
        "(:GRANT :SKILL \"x\" :DIGEST \"12\" :CAPABILITY \"process\")",
        "(:GRANT :SKILL \"x\" :FOLLOW T :CAPABILITY \"process\" :ROOT \"/\")",
        "(:TRUST :SKILL \"x\")",
        "(:ALLOW :SKILL \"x\")",
        "hello",
        ")",
    ] {
        fs::write(&path, format!("{good}\n{bad}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let error = Grants::load(&path).unwrap_err();
        assert!(matches!(error, GrantError::Entry { line: 4, .. }), "{bad}: {error}");
        let entry = Entry::Grant {
            skill: "y".to_owned(),
            pin: Pin::Follow,
            right: Right::Revise,
        };
        assert!(grants::add(&path, &entry).is_err());
    }
}

#[test]
fn a_grants_file_that_others_could_have_written_counts_for_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grants");
    fs::write(&path, "").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o620)).unwrap();
    assert!(matches!(Grants::load(&path), Err(GrantError::NotPrivate { .. })));
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let told = Grants::load(&link).unwrap_err().to_string();
    assert!(told.contains("it is a symbolic link, and none is followed"), "{told}");
}

#[test]
fn removing_a_grant_keeps_the_others_and_the_comments() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grants");
    let entry = |right: Right| Entry::Grant {
        skill: "x".to_owned(),
        pin: Pin::Follow,
        right,
    };
    fs::write(&path, "; keep me\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    for right in [Right::Process, Right::Revise, Right::Process] {
        grants::add(&path, &entry(right)).unwrap();
    }
    assert_eq!(Grants::load(&path).unwrap().entries().len(), 2);
    assert_eq!(grants::remove(&path, |own| *own == entry(Right::Process)).unwrap(), 1);
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "; keep me\n(:GRANT :SKILL \"x\" :FOLLOW T :CAPABILITY \"revise\")\n"
    );
}

#[test]
fn a_gate_that_was_ready_and_no_longer_loads_rejects_until_its_file_is_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let text = "(:NAME \"mine\" :VERSION \"1\" :FUNCTIONS (:GATE) :GATE-TARGETS (:SHELL))";
    let path = write(folder.path(), "mine.wasm", &Guest::new(text).build());
    write(folder.path(), "never.wasm", b"never a gate");
    assert_eq!(loaded(folder.path(), &Grants::default()).gates().len(), 2);
    write(folder.path(), "mine.wasm", b"broken");
    for _ in 0..2 {
        let set = loaded(folder.path(), &Grants::default());
        let mine = set.gates().iter().find(|gate| gate.name() == "mine").unwrap();
        assert!(mine.is_about("SHELL") && !mine.is_about("CLI"));
        assert!(matches!(
            judge(mine.as_ref(), shell("ls")),
            Err(GateFault::Unavailable { .. })
        ));
        assert!(!set.gates().iter().any(|gate| gate.name() == "never"));
    }
    fs::remove_file(&path).unwrap();
    assert_eq!(loaded(folder.path(), &Grants::default()).gates().len(), 1);
    assert_eq!(loaded(folder.path(), &Grants::default()).gates()[0].name(), "policy");
}

#[test]
fn the_skills_that_are_part_of_the_host_are_all_ready_with_the_least_they_need() {
    let workshop = Workshop::new(
        SkillConfig {
            limits: SkillLimits::DEFAULT,
            ..SMALL.clone()
        },
        vec!["policy".to_owned(), "dispatcher".to_owned()],
        Arc::default(),
        SecretSet::default(),
    )
    .unwrap();
    for own in crate::skill::BUNDLED {
        precompiled(workshop.engines().pure(), own.pure).unwrap();
        if let Some(code) = own.acting {
            precompiled(workshop.engines().acting(), code).unwrap();
        }
    }
    let set = load(
        &Arc::new(workshop),
        crate::skill::BUNDLED,
        Path::new("/nonexistent/skills"),
        &Grants::default(),
    );
    let found: Vec<_> = set
        .statuses()
        .into_iter()
        .map(|own| (own.name, own.reason, own.rights.join(" ")))
        .collect();
    let ready = |name: &str, rights: &str| (name.to_owned(), None, rights.to_owned());
    assert_eq!(
        found,
        [
            ready("policy", ""),
            ready("repl", "target:system/eval tool:eval"),
            ready("dispatcher", "contains-secret"),
            ready("shell", "process target:shell tool:shell"),
            ready("files", "files:read:workspace files:write:workspace"),
            ready("memory", "memory:read memory:write"),
            ready("web", "http:*"),
        ]
    );
    let gates: Vec<&str> = set.gates().iter().map(|gate| gate.name()).collect();
    assert_eq!(gates, ["policy", "dispatcher"]);
    let unexplained = Action::close("SHELL", Origin::Model, plist!("CMD" => "ls"));
    assert!(matches!(
        judge(set.gates()[0].as_ref(), unexplained),
        Ok(Verdict::Reject(_))
    ));
    assert_eq!(judge(set.gates()[0].as_ref(), shell("ls")), Ok(Verdict::Pass));
}

#[test]
fn where_it_is_not_known_which_gates_were_ready_nothing_passes_until_the_operator_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let broken = write(folder.path(), "guard.wasm", &Guest::gate("guard").build());
    loaded(folder.path(), &Grants::default());
    write(folder.path(), "guard.wasm", b"\0asm broken");
    for damage in ["(", "(:GATE)", "noise"] {
        let known = write(folder.path(), ".gates-once-ready", damage.as_bytes());
        let set = loaded(folder.path(), &Grants::default());
        let gate = set
            .gates()
            .iter()
            .find(|gate| gate.name() == ".gates-once-ready")
            .unwrap();
        let Err(GateFault::Unavailable { reason }) = judge(gate.as_ref(), shell("ls")) else {
            panic!("{damage}: nothing passes");
        };
        assert!(reason.contains("delete that file"), "{reason}");
        assert_eq!(fs::read_to_string(&known).unwrap(), damage, "it is not written over");
        fs::remove_file(known).unwrap();
    }
    fs::remove_file(broken).unwrap();
    assert_eq!(loaded(folder.path(), &Grants::default()).gates().len(), 1);
}
