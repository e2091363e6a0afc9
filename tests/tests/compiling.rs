//! The processes in which files are looked into and compiled, when something happens to them that no file asks for.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;

use passepartout_tests::Home;
use passepartout_tests::compilers::signal;
use passepartout_tests::hostile::{branching_gate, tabled_gate};
use passepartout_tests::skills::{Folder, Watcher, assert_judges, gate, large_gate};

#[test]
fn a_compiler_that_was_stopped_is_ended_in_its_time_and_holds_up_nothing_behind_it() {
    let home = Home::new().config("[skills]\ncompile_seconds = 2\n");
    let folder = Folder::of(&home);
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    folder.moved("long", &branching_gate("long"));
    let stopped = signal(&daemon, "STOP");
    folder.moved("guard", &gate("guard", "v1"));
    watcher.wait_version("guard", "v1");
    let row = watcher.wait_state("long", "failed");
    assert!(
        row.reason.contains("was stopped") && row.reason.contains("touch the file"),
        "{row:?}"
    );
    assert!(!fs::exists(format!("/proc/{stopped}")).unwrap(), "nobody ends it");
    // It is tried again, by one that goes on.
    folder.moved("long", &branching_gate("long"));
    watcher.wait("long", |row| row.reason.contains("more than 2 s of processor time"));
}

#[test]
fn what_ends_a_compiler_from_outside_is_no_fault_of_the_file() {
    for name in ["TERM", "KILL"] {
        let home = Home::new();
        let folder = Folder::of(&home);
        let daemon = home.start();
        let mut watcher = Watcher::of(&daemon);
        folder.moved("long", &large_gate("long"));
        signal(&daemon, name);
        let row = watcher.wait_state("long", "failed");
        assert!(row.reason.contains("touch the file"), "{name}: {row:?}");
        folder.moved("long", &large_gate("long"));
        watcher.wait_state("long", "ready");
    }
}

#[test]
fn a_file_whose_types_fill_the_memory_fills_none_of_the_daemons() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let resources: String = (0..1_000)
        .map(|n| format!("(export \"r{n}\" (type (sub resource)))"))
        .collect();
    let imports: String = (0..1_000)
        .map(|n| format!("(import \"i{n}\" (instance (type 0)))"))
        .collect();
    let bytes = wat::parse_str(format!("(component (type (instance {resources})) {imports})")).unwrap();
    // In the place of a bundled one it is there for the start, trusted or not.
    folder.copy("policy", &bytes);
    let daemon = home.start();
    folder.copy("many", &bytes);
    let mut watcher = Watcher::of(&daemon);
    for name in ["many", "policy"] {
        let row = watcher.wait(name, |row| row.source != "bundled" && row.state == "failed");
        assert!(
            row.reason.contains("units of work") || row.reason.contains("type size"),
            "{row:?}"
        );
    }
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .expect("its peak");
    let kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kib < 300 << 10, "{kib} KiB");
}

#[test]
fn what_no_count_foresees_is_ended_by_its_bound_on_time_or_memory_and_holds_nothing_up() {
    let home = Home::new().config("[skills]\ncompile_seconds = 2\ncompile_memory_bytes = 268435456\n");
    let folder = Folder::of(&home);
    let files = [
        ("branches", branching_gate("branches")),
        ("tables", tabled_gate("tables")),
    ];
    let words = ["more than 2 s of processor time", "more than 256 MiB of memory"];
    {
        let daemon = home.start();
        let mut watcher = Watcher::of(&daemon);
        for (name, bytes) in &files {
            folder.moved(name, bytes);
        }
        folder.moved("guard", &gate("guard", "v1"));
        watcher.wait_version("guard", "v1");
        assert_judges(&mut daemon.connect(), "guard", "v1");
        for ((name, _), words) in files.iter().zip(words) {
            let row = watcher.wait_state(name, "failed");
            assert!(row.reason.contains(words), "{row:?}");
        }
    }
    // At the next start they are tried again, and it listens.
    let mut daemon = home.start();
    for (name, _) in &files {
        Watcher::of(&daemon).wait_state(name, "failed");
    }
    daemon.assert_healthy();
    for ((name, _), words) in files.iter().zip(words) {
        let said = home.run(&["skill", "check", folder.file(name).to_str().unwrap()]);
        assert!(said.code == 1 && said.out.contains(words), "{said:?}");
    }
}
