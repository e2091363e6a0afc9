//! When a file that is missing counts as deleted, told by a clock that the test sets.

use std::fs;
use std::time::{Duration, Instant};

use super::folder::bundled;
use super::guest::Guest;
use super::*;
use crate::skill::dropped::QUIET;
use crate::skill::loader::Loader;
use crate::skill::{SkillState, SkillStatus};

/// A gate that rejects, by a rule of its own.
fn rejecting(name: &str) -> Vec<u8> {
    let mut guest = Guest::gate(name);
    let no = guest.text("(:RULE \"no\" :REASON \"always\")");
    guest.gate = format!("(call $say (i32.const 2) {no})");
    guest.build()
}

/// A daemon's loader, and the clock by which it looks.
struct Looker {
    loader: Loader,
    now: Instant,
}

impl Looker {
    fn begin(folder: &Path) -> Looker {
        let mut loader = Loader::new(WORKSHOP.clone(), bundled(), folder.to_owned());
        loader.begin(Grants::default());
        let now = Instant::now();
        Looker { loader, now }
    }

    /// Looks so much later, and loads what is due.
    fn after(&mut self, time: Duration) -> crate::skill::SkillSet {
        self.now += time;
        self.loader.notice(Grants::default(), &|_| true, self.now);
        self.loader.work(self.now);
        self.loader.place()
    }
}

fn judges(set: &crate::skill::SkillSet, name: &str) -> bool {
    let gate = set.gates().iter().find(|gate| gate.name() == name);
    gate.is_some_and(|gate| matches!(judge(gate.as_ref(), shell("ls")), Ok(Verdict::Reject(_))))
}

const MOMENT: Duration = Duration::from_millis(100);

#[test]
fn a_gate_whose_file_is_missing_for_a_moment_judges_on_and_the_next_file_is_a_replacement_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "guard.wasm", &rejecting("guard"));
    let mut looker = Looker::begin(folder.path());
    fs::remove_file(&path).unwrap();
    assert!(judges(&looker.after(MOMENT), "guard"), "it may be being replaced");
    assert!(judges(&looker.after(MOMENT), "guard"));
    write(folder.path(), "guard.wasm", b"\0asm broken");
    looker.after(MOMENT);
    let set = looker.after(QUIET);
    let is_told = |own: &SkillStatus| own.name == "guard" && own.state == SkillState::Failed;
    assert!(set.statuses().iter().any(is_told));
    assert!(
        judges(&set, "guard"),
        "what was ready stays, and the bad file changes nothing"
    );
    assert!(judges(&looker.after(10 * QUIET), "guard"));
    // And it is not forgotten.
    let set = Loader::new(WORKSHOP.clone(), bundled(), folder.path().to_owned()).begin(Grants::default());
    let guard = set.gates().iter().find(|gate| gate.name() == "guard").unwrap();
    assert!(matches!(
        judge(guard.as_ref(), shell("ls")),
        Err(GateFault::Unavailable { .. })
    ));
}

#[test]
fn what_comes_and_goes_is_never_deleted_before_it_was_missing_all_the_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "guard.wasm", &rejecting("guard"));
    let mut looker = Looker::begin(folder.path());
    for _ in 0..3 {
        fs::remove_file(&path).unwrap();
        assert!(judges(&looker.after(QUIET - MOMENT), "guard"));
        assert!(judges(&looker.after(QUIET - MOMENT), "guard"));
        write(folder.path(), "guard.wasm", &rejecting("guard"));
        assert!(judges(&looker.after(QUIET - MOMENT), "guard"));
    }
}

#[test]
fn a_gate_is_gone_once_its_file_was_missing_for_two_seconds_and_anything_else_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let guard = write(folder.path(), "guard.wasm", &rejecting("guard"));
    let text = "(:NAME \"teller\" :VERSION \"1\" :FUNCTIONS (:PROMPT))";
    let teller = write(folder.path(), "teller.wasm", &Guest::new(text).build());
    let mut looker = Looker::begin(folder.path());
    fs::remove_file(&guard).unwrap();
    fs::remove_file(&teller).unwrap();
    let set = looker.after(MOMENT);
    assert!(judges(&set, "guard"));
    assert!(!set.skills().iter().any(|skill| skill.name() == "teller"));
    assert_eq!(
        looker.loader.look_again(looker.now),
        Some(QUIET),
        "it is looked at again then"
    );
    let set = looker.after(QUIET);
    assert_eq!(set.gates().len(), 1, "only the bundled one is left");
    // What comes later has nothing to do with it.
    write(folder.path(), "guard.wasm", b"\0asm broken");
    assert_eq!(looker.after(QUIET).gates().len(), 1);
}

/// What the one gate that is not bundled says of an action, if there is one.
fn unavailable(set: &crate::skill::SkillSet) -> Option<String> {
    let gate = set.gates().iter().find(|gate| gate.name() == "guard")?;
    match judge(gate.as_ref(), shell("ls")) {
        Err(GateFault::Unavailable { reason }) => Some(reason),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_gate_whose_file_is_missing_when_the_daemon_starts_rejects_for_two_seconds_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "guard.wasm", &rejecting("guard"));
    Looker::begin(folder.path());
    for comes_back in [true, false] {
        fs::remove_file(&path).unwrap();
        let mut loader = Loader::new(WORKSHOP.clone(), bundled(), folder.path().to_owned());
        let set = loader.begin_within(Grants::default(), 1 << 40);
        let why = unavailable(&set).expect("it rejects");
        assert!(why.contains("is missing"), "{why}");
        let now = Instant::now();
        let mut looker = Looker { loader, now };
        if comes_back {
            write(folder.path(), "guard.wasm", b"\0asm broken");
            let set = looker.after(10 * QUIET);
            assert!(unavailable(&set).is_some(), "a bad file ends no gate");
            write(folder.path(), "guard.wasm", &rejecting("guard"));
            assert!(judges(&looker.after(QUIET), "guard"));
        } else {
            assert_eq!(looker.after(QUIET).gates().len(), 1);
        }
    }
}

#[test]
fn a_file_that_was_there_between_two_looks_has_to_be_missing_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "guard.wasm", &rejecting("guard"));
    let mut looker = Looker::begin(folder.path());
    fs::remove_file(&path).unwrap();
    for _ in 0..5 {
        assert!(judges(&looker.after(QUIET - MOMENT), "guard"));
        // Made and deleted, as the system told.
        looker.loader.came_back(&[path.clone()].into());
    }
    looker.after(MOMENT);
    assert_eq!(looker.after(QUIET).gates().len(), 1);
}

#[test]
fn a_gate_that_became_ready_while_the_folder_could_not_be_read_is_remembered_once_it_can() {
    let folder = tempfile::tempdir().unwrap();
    let skills = folder.path().join("skills");
    fs::create_dir(&skills).unwrap();
    let mut looker = Looker::begin(&skills);
    let path = write(&skills, "guard.wasm", &rejecting("guard"));
    looker.loader.notice(Grants::default(), &|_| true, looker.now);
    let job = looker.loader.next_job(looker.now, false).unwrap();
    let done = job.run();
    let away = folder.path().join("away");
    fs::rename(&skills, &away).unwrap();
    looker.loader.notice(Grants::default(), &|_| true, looker.now);
    looker.loader.finish(done, looker.now);
    looker.loader.place();
    fs::rename(&away, &skills).unwrap();
    let different = looker.loader.notice(Grants::default(), &|_| true, looker.now);
    assert!(different, "there is something to make up for");
    looker.loader.place();
    fs::write(&path, b"\0asm broken").unwrap();
    let set = Loader::new(WORKSHOP.clone(), bundled(), skills).begin(Grants::default());
    assert!(unavailable(&set).is_some(), "it was ready, and is remembered");
}

#[test]
fn what_was_deleted_while_nothing_looked_is_gone_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "guard.wasm", &rejecting("guard"));
    Looker::begin(folder.path());
    fs::remove_file(&path).unwrap();
    let set = Loader::new(WORKSHOP.clone(), bundled(), folder.path().to_owned()).begin(Grants::default());
    assert_eq!(set.gates().len(), 1);
}
