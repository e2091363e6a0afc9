//! What the operator takes back, replaces or adds, seen by the loader: what runs ends, gates stay, and the start is short.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::acts::{Recorder, cleared, turn};
use super::folder::{bundled, state_of};
use super::guest::{Guest, PROPOSE, READ_FILE, RUN, TEXT};
use super::*;
use crate::audit::write_private;
use crate::capability::{Effects, Failure, Output, Turn};
use crate::gate::chain::{Cleared, Consent};
use crate::sexp::Digest;
use crate::skill::attempt::Outcome;
use crate::skill::loader::Loader;
use crate::skill::{GrantsFile, SkillFault, SkillSet, SkillState};

/// A loader of `folder`, and what it begins with.
fn begun(folder: &Path, grants: &Grants) -> (Loader, SkillSet) {
    let mut loader = Loader::new(WORKSHOP.clone(), bundled(), folder.to_owned());
    let set = loader.begin(grants.clone());
    (loader, set)
}

/// What `loader` makes of the folder now.
fn looked(loader: &mut Loader, grants: &Grants) -> SkillSet {
    loader.notice(grants.clone(), &|_| true, Instant::now());
    loader.work(Instant::now());
    loader.place()
}

fn trusting(name: &str, bytes: &[u8]) -> Grants {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grants");
    let entry = Entry::Trust {
        skill: name.to_owned(),
        digest: Digest::of_file(bytes),
    };
    grants::add(&path, &entry).unwrap();
    Grants::load(&path).unwrap()
}

fn gate<'s>(set: &'s SkillSet, name: &str) -> Option<&'s Arc<dyn Gate>> {
    set.gates().iter().find(|gate| gate.name() == name)
}

#[test]
fn an_action_that_runs_ends_at_its_next_host_call_once_a_right_of_its_skill_is_taken_back() {
    /// Takes everything back while the gates judge what is proposed.
    struct Revoking {
        loader: Mutex<Loader>,
        turn: Turn,
        revokes: bool,
    }
    impl Effects for Revoking {
        fn run(&self, _: &str, _: Consent) -> Result<Output, Failure> {
            Err(Failure::Failed("nothing is run here".to_owned()))
        }

        fn clear(&self, _: &str, _: &str, _: Form) -> Result<Cleared<Action>, Failure> {
            if self.revokes {
                let mut loader = self.loader.lock().unwrap();
                loader.notice(Grants::default(), &|_| true, Instant::now());
            }
            Err(Failure::NeedsApproval("plan 7".to_owned()))
        }

        fn turn(&self) -> &Turn {
            &self.turn
        }
    }
    let mut guest = Guest::actuator("runner", "(:RUNNER)").import(&PROPOSE).import(&TEXT);
    let path = guest.text("payload.cmd");
    guest.act = format!(
        "(call $propose {path} {path} (i32.const 128))
         (call $text (local.get 0) {path} (i32.const 256))
         (call $say (i32.const 0) (i32.const 0) (i32.const 0))"
    );
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "runner.wasm", &guest.build());
    let may = granting("runner", &["process"]);
    for revokes in [false, true] {
        let (loader, set) = begun(folder.path(), &may);
        let skill = set.named("runner").unwrap().clone();
        let effects = Revoking {
            loader: Mutex::new(loader),
            turn: turn(),
            revokes,
        };
        let action = Action::close("RUNNER", Origin::Model, plist!("CMD" => "ls"));
        let said = skill.act(&cleared(action), &signal(), Arc::new(effects));
        match said {
            Ok(_) => assert!(!revokes),
            Err(fault) => assert!(revokes && fault.to_string().contains("taken back"), "{fault}"),
        }
    }
}

#[test]
fn a_version_that_is_no_gate_takes_the_place_of_one_only_with_the_operators_word() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "mine.wasm", &Guest::gate("mine").build());
    let (mut loader, set) = begun(folder.path(), &Grants::default());
    assert!(gate(&set, "mine").is_some());

    let other = Guest::actuator("mine", "(:MINE)").build();
    write(folder.path(), "mine.wasm", &other);
    let set = looked(&mut loader, &Grants::default());
    let told = set.statuses();
    let waits = told.iter().find(|own| own.state == SkillState::Waiting);
    let why = waits.and_then(|own| own.reason.as_deref()).unwrap_or_default();
    assert!(why.contains("skill trust") && why.contains("stays in use"), "{told:#?}");
    assert_eq!(
        judge(gate(&set, "mine").unwrap().as_ref(), shell("ls")),
        Ok(Verdict::Pass)
    );
    // After a restart there is no earlier version, and still nothing passes without it.
    let (_, set) = begun(folder.path(), &Grants::default());
    assert!(matches!(
        judge(gate(&set, "mine").unwrap().as_ref(), shell("ls")),
        Err(GateFault::Unavailable { .. })
    ));

    let trusted = trusting("mine", &other);
    let set = looked(&mut loader, &trusted);
    assert_eq!(state_of(&set, "mine").0, SkillState::Ready);
    assert!(gate(&set, "mine").is_none());
    // It is no gate as long as the operator's word holds, also when it breaks.
    write(folder.path(), "mine.wasm", b"broken");
    let (_, set) = begun(folder.path(), &trusted);
    assert!(gate(&set, "mine").is_none());
    let (_, set) = begun(folder.path(), &Grants::default());
    assert!(gate(&set, "mine").is_some());
}

#[test]
fn what_is_too_long_to_compile_at_the_start_comes_afterwards_and_a_gate_rejects_until_then() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "mine.wasm", &Guest::gate("mine").build());
    let policy = Guest::new("(:NAME \"policy\" :VERSION \"2\" :FUNCTIONS (:GATE))").build();
    write(folder.path(), "policy.wasm", &policy);
    let trusted = trusting("policy", &policy);
    begun(folder.path(), &trusted);
    write(folder.path(), "new.wasm", &Guest::actuator("new", "(:NEW)").build());

    let mut loader = Loader::new(WORKSHOP.clone(), bundled(), folder.path().to_owned());
    let set = loader.begin_within(trusted.clone(), 1);
    for name in ["mine", "new"] {
        assert_eq!(state_of(&set, name).0, SkillState::Discovered, "{name}");
    }
    match judge(gate(&set, "mine").unwrap().as_ref(), shell("ls")) {
        Err(GateFault::Unavailable { reason }) => assert!(reason.contains("is being loaded"), "{reason}"),
        other => panic!("{other:?}"),
    }
    // The bundled one would judge in its place meanwhile.
    let version = set.named("policy").map(|skill| skill.description().version.clone());
    assert_eq!(version.as_deref(), Some("2"));

    let set = looked(&mut loader, &trusted);
    for name in ["mine", "new"] {
        assert_eq!(state_of(&set, name).0, SkillState::Ready, "{name}");
    }
    assert_eq!(
        judge(gate(&set, "mine").unwrap().as_ref(), shell("ls")),
        Ok(Verdict::Pass)
    );
}

#[test]
fn what_only_computes_ends_when_all_calls_are_ended() {
    let mut limits = SMALL.clone();
    limits.limits.act_ms = 3_600_000;
    let workshop = Workshop::new(limits, Vec::new(), Arc::default(), secrets()).unwrap();
    let mut guest = Guest::actuator("spins", "(:SPINS)");
    guest.act = "(loop (br 0)) unreachable".to_owned();
    let skill = make_in(&workshop, "spins", &guest.build(), &[]).unwrap();
    let over = AtomicBool::new(false);
    let said = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                workshop.end_calls();
                std::thread::yield_now();
            }
        });
        let action = Action::close("SPINS", Origin::Model, plist!("CMD" => "x"));
        let effects = super::acts::Recorder::default();
        let said = skill.act(&cleared(action), &signal(), Arc::new(effects));
        over.store(true, Ordering::Relaxed);
        said
    });
    let ended = |fault: &GateFault| matches!(fault, GateFault::Time { .. });
    assert!(
        matches!(&said, Err(SkillFault::Failed { fault, .. }) if ended(fault)),
        "{said:?}"
    );
}

#[test]
fn a_skill_goes_on_with_the_rights_that_are_left_and_its_earlier_self_ends() {
    let mut guest = Guest::actuator("clerk", "(:NOTES)").import(&READ_FILE);
    let path = guest.text("notes");
    let ok = guest.text("it was read or refused");
    guest.act = format!(
        "(call $read-file {path} (i64.const 0) (i32.const 99) (i32.const 128)) (call $say (i32.const 0) {ok})"
    );
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "clerk.wasm", &guest.build());
    let (mut loader, set) = begun(
        folder.path(),
        &granting("clerk", &["files:read:/opt", "files:read:/srv"]),
    );
    let first = set.named("clerk").unwrap().clone();
    let act = |skill: &Skill| {
        let action = cleared(Action::close(
            "NOTES",
            Origin::Model,
            plist!("EXPLANATION" => "to read"),
        ));
        skill.act(&action, &signal(), Arc::new(Recorder::in_home("/nowhere")))
    };
    // Nothing is read, and nothing is compiled, between what it had and what it has.
    let mut noticed = |grants: Grants| {
        loader.notice(grants, &|_| true, Instant::now());
        loader.place().named("clerk").cloned()
    };
    let second = noticed(granting("clerk", &["files:read:/srv"])).unwrap();
    let shown: Vec<String> = second.rights.iter().map(Right::to_string).collect();
    assert_eq!(shown, ["files:read:/srv"]);
    assert!(act(&second).is_ok());
    assert!(act(&first).unwrap_err().to_string().contains("taken back"));

    let third = noticed(granting("clerk", &["files:read:/srv", "process"])).unwrap();
    assert!(
        Arc::ptr_eq(&second, &third),
        "what it does not need changes nothing for it"
    );
    let fourth = noticed(granting("clerk", &["files:read:/srv", "files:read:/opt"])).unwrap();
    assert_eq!(fourth.rights.len(), 2, "more comes as less went");
    assert!(
        noticed(Grants::default()).is_none(),
        "without a right of the kind it is not used"
    );
    assert!(act(&fourth).unwrap_err().to_string().contains("taken back"));
}

#[test]
fn a_skill_whose_rights_change_keeps_its_target_against_one_that_waits_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let clerk = Guest::actuator("clerk", "(:NOTES)").import(&READ_FILE).build();
    write(folder.path(), "clerk.wasm", &clerk);
    let may = granting("clerk", &["files:read:/opt", "files:read:/srv"]);
    let (mut loader, _) = begun(folder.path(), &may);
    write(
        folder.path(),
        "aaron.wasm",
        &Guest::actuator("aaron", "(:NOTES)").build(),
    );
    let set = looked(&mut loader, &may);
    assert!(set.named("clerk").is_some() && set.named("aaron").is_none());
    let set = looked(&mut loader, &granting("clerk", &["files:read:/srv"]));
    assert!(set.named("clerk").is_some() && set.named("aaron").is_none());
}

#[test]
fn grants_that_are_gone_or_half_written_count_only_once_nothing_has_changed_for_a_moment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grants");
    let entry = Entry::Trust {
        skill: "policy".to_owned(),
        digest: Digest::of_file(b"mine"),
    };
    grants::add(&path, &entry).unwrap();
    let good = std::fs::read(&path).unwrap();
    let (mut file, begin) = (GrantsFile::open(&path), Instant::now());
    let trusted = file.grants().clone();
    let (nobody, writer) = (HashSet::new(), HashSet::from([path.clone()]));
    let later = |seconds| begin + Duration::from_secs(seconds);
    // As an editor does that moves the old file aside, and as one that writes over it.
    std::fs::remove_file(&path).unwrap();
    assert_eq!(file.renewed(&nobody, later(10)), trusted);
    assert_eq!(file.renewed(&writer, later(11)), trusted, "it was moved by somebody");
    write_private(&path, b"").unwrap();
    assert_eq!(file.renewed(&nobody, later(11)), trusted);
    write_private(&path, &good).unwrap();
    assert_eq!(file.renewed(&writer, later(12)), trusted);
    assert_eq!(file.renewed(&nobody, later(20)), trusted);
    // What stays gone counts, and so does what was written to its end.
    std::fs::remove_file(&path).unwrap();
    assert_eq!(file.renewed(&nobody, later(30)), trusted);
    assert_eq!(file.renewed(&nobody, later(40)), Grants::default());
    write_private(&path, &good).unwrap();
    assert_eq!(file.renewed(&nobody, later(41)), Grants::default());
    assert_eq!(file.renewed(&writer, later(41)), trusted);
    write_private(&path, b"(:TRUST").unwrap();
    assert_eq!(file.renewed(&writer, later(50)), trusted);
    let faulty = file.renewed(&nobody, later(60));
    assert!(faulty.entries().is_empty() && faulty.fault().is_some_and(|fault| fault.contains("line 1")));
}

#[test]
fn what_was_made_by_grants_that_are_gone_does_not_come_into_use() {
    let folder = tempfile::tempdir().unwrap();
    let policy = Guest::new("(:NAME \"policy\" :VERSION \"2\" :FUNCTIONS (:GATE))").build();
    write(folder.path(), "policy.wasm", &policy);
    let runner = Guest::actuator("runner", "(:RUNNER)").import(&RUN).build();
    write(folder.path(), "runner.wasm", &runner);
    let cases = [
        ("policy", trusting("policy", &policy)),
        ("runner", granting("runner", &["process"])),
    ];
    for (name, grants) in cases {
        let mut loader = Loader::new(WORKSHOP.clone(), bundled(), folder.path().to_owned());
        let now = Instant::now();
        loader.notice(grants, &|_| true, now);
        let next = |loader: &mut Loader| {
            let mut jobs = std::iter::from_fn(|| loader.next_job(now, false));
            jobs.find(|job| job.name == name).unwrap()
        };
        let mut done = next(&mut loader).run();
        assert!(matches!(done.outcome, Outcome::Made(_)), "{name}");
        loader.notice(Grants::default(), &|_| true, now);
        // As if it were about the file as it is now.
        done.edition = next(&mut loader).edition;
        assert!(loader.finish(done, now));
        loader.work(now);
        assert_eq!(state_of(&loader.place(), name).0, SkillState::Waiting, "{name}");
    }
}

#[test]
fn once_the_time_at_the_start_is_over_nothing_is_read_but_what_needs_the_operators_word() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "mine.wasm", &Guest::gate("mine").build());
    write(folder.path(), "text.wasm", b"no component");
    let policy = Guest::new("(:NAME \"policy\" :VERSION \"2\" :FUNCTIONS (:GATE))").build();
    write(folder.path(), "policy.wasm", &policy);
    let trusted = trusting("policy", &policy);
    let mut loader = Loader::new(WORKSHOP.clone(), bundled(), folder.path().to_owned());
    let set = loader.begin_in_time(trusted.clone(), 1_000_000_000, Duration::ZERO);
    for name in ["mine", "text"] {
        assert_eq!(state_of(&set, name).0, SkillState::Discovered, "{name}");
    }
    let version = set.named("policy").map(|skill| skill.description().version.clone());
    assert_eq!(version.as_deref(), Some("2"));
    let set = looked(&mut loader, &trusted);
    assert_eq!(state_of(&set, "mine").0, SkillState::Ready);
    assert_eq!(state_of(&set, "text").0, SkillState::Failed);
}
