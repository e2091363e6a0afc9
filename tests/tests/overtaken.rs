//! Files that are deleted or replaced while they are looked into and compiled: what comes of them then is of no use.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;

use passepartout_host::sexp::Digest;
use passepartout_tests::compilers::{sent, signal};
use passepartout_tests::guest::{Guest, SECRETS};
use passepartout_tests::skills::{Folder, Watcher, assert_judges, enlarged, gate, large_gate};
use passepartout_tests::{Daemon, Home};

/// Who looks into a file and compiles it.
#[derive(Clone, Copy, PartialEq)]
enum Lane {
    /// Who has what is quickly done: what comes after it waits.
    Quick,
    /// Who has what takes long: what comes after it under the same name may be done before it.
    Slow,
}

const LANES: [Lane; 2] = [Lane::Quick, Lane::Slow];

/// A daemon in whose folder a file was put, and deleted while it was looked into, which is held up.
struct Overtaken<'h> {
    daemon: Daemon<'h>,
    folder: Folder,
    watcher: Watcher,
    lane: Lane,
    compiler: u32,
    bytes: Vec<u8>,
}

impl<'h> Overtaken<'h> {
    fn new(home: &'h Home, lane: Lane, name: &str, bytes: Vec<u8>) -> Overtaken<'h> {
        let folder = Folder::of(home);
        // What was looked into for a grant is to be compiled all the same.
        let kept = home.path().join("state/code");
        if kept.exists() {
            fs::remove_dir_all(kept).unwrap();
        }
        let daemon = home.start();
        let mut watcher = Watcher::of(&daemon);
        folder.copy(name, &bytes);
        if lane == Lane::Slow {
            watcher.wait(name, |row| row.reason.contains("another large one"));
        }
        let compiler = signal(&daemon, "STOP");
        folder.delete(name);
        daemon.wait_until("the file is forgotten", || {
            watcher.rows_of(name).iter().all(|row| row.source == "bundled")
        });
        Overtaken {
            daemon,
            folder,
            watcher,
            lane,
            compiler,
            bytes,
        }
    }

    /// Puts another file there, lets the first one be compiled to its end, and waits until that is known.
    fn replace(&mut self, name: &str, bytes: &[u8]) {
        self.folder.moved(name, bytes);
        if self.lane == Lane::Slow {
            self.wait_settled(name);
        }
        assert!(sent("CONT", self.compiler));
        match self.lane {
            Lane::Quick => self.wait_settled(name),
            Lane::Slow => {
                self.folder.moved("last", &large_gate("last"));
                self.watcher.wait_state("last", "ready");
            }
        }
    }

    fn wait_settled(&mut self, name: &str) {
        self.watcher
            .wait(name, |row| row.source != "bundled" && row.state != "discovered");
    }

    /// Asserts that the file which was deleted was not in use for a moment.
    fn assert_never_used(&mut self, name: &str) {
        let digest = Digest::of_file(&self.bytes);
        let rows = self.watcher.rows_of(name);
        assert!(rows.iter().all(|row| row.digest != digest.to_string()), "{rows:#?}");
        let log = self.daemon.log();
        assert!(!log.contains(&format!("({})", digest.short())), "{log}");
    }
}

/// The file of a skill for the lane.
fn first(lane: Lane, guest: Guest) -> Vec<u8> {
    let functions = match lane {
        // Long enough to be caught at it.
        Lane::Quick => 60,
        Lane::Slow => 600,
    };
    enlarged(guest, functions)
}

#[test]
fn a_file_that_was_deleted_while_it_was_compiled_is_not_taken_for_the_one_that_comes_next() {
    for lane in LANES {
        let home = Home::new();
        let mut overtaken = Overtaken::new(&home, lane, "guard", first(lane, Guest::gate("guard")));
        overtaken.replace("guard", &gate("guard", "second"));
        overtaken.watcher.wait_version("guard", "second");
        assert_judges(&mut overtaken.daemon.connect(), "guard", "second");
        overtaken.assert_never_used("guard");
    }
}

#[test]
fn a_required_gate_is_not_replaced_by_a_file_that_was_deleted_and_is_no_longer_trusted() {
    for lane in LANES {
        let home = Home::new();
        let bytes = first(lane, Guest::gate("policy"));
        let aside = home.file("aside/policy.wasm", &bytes);
        let run = |args: &[&str]| assert_eq!(home.run(args).code, 0, "{args:?}");
        run(&["skill", "trust", aside.to_str().unwrap()]);
        let mut overtaken = Overtaken::new(&home, lane, "policy", bytes);
        let before = overtaken.watcher.in_use();
        run(&["skill", "revoke", "policy"]);
        overtaken.replace("policy", &gate("policy", "second"));
        let row = overtaken.watcher.wait_state("policy", "waiting");
        assert!(row.reason.contains("skill trust"), "{row:?}");
        let mut after = overtaken.watcher.in_use();
        after.retain(|(name, _)| name != "last");
        assert_eq!(after, before);
        overtaken.assert_never_used("policy");
        assert_eq!(overtaken.daemon.connect().ask("hello").outcome(), "ANSWERED");
    }
}

#[test]
fn a_file_that_was_deleted_and_lost_its_rights_never_comes_and_the_next_one_stays() {
    for lane in LANES {
        let home = Home::new();
        let run = |args: &[&str]| assert_eq!(home.run(args).code, 0, "{args:?}");
        let bytes = first(lane, Guest::gate("guard").import(&SECRETS));
        let aside = home.file("aside/guard.wasm", &bytes);
        run(&["skill", "grant", aside.to_str().unwrap(), "contains-secret"]);
        let mut overtaken = Overtaken::new(&home, lane, "guard", bytes);
        run(&["skill", "revoke", "guard"]);
        overtaken.replace("guard", &gate("guard", "second"));
        overtaken.watcher.wait_version("guard", "second");
        assert_judges(&mut overtaken.daemon.connect(), "guard", "second");
        overtaken.assert_never_used("guard");
    }
}
