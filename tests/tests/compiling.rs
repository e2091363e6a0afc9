//! The processes in which files are looked into and compiled, when something happens to them that no file asks for.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;

use passepartout_tests::compilers::signal;
use passepartout_tests::hostile::{branching_gate, holed_gate, longer, padded, tabled_gate};
use passepartout_tests::skills::{Folder, Watcher, assert_judges, gate, large_gate};
use passepartout_tests::{Daemon, Home};

/// So many bytes more that are compiled let a file have three quarters of a MiB more of code.
const LONGER: usize = 48 << 10;

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
        row.reason.contains("was stopped") && row.reason.contains("tried again by itself"),
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
        assert!(row.reason.contains("tried again by itself"), "{name}: {row:?}");
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
    let peak = peak(&daemon);
    assert!(peak < 300 << 20, "{peak} bytes");
}

/// The most memory that the daemon has had so far, in bytes.
fn peak(daemon: &Daemon<'_>) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: u64 = peak.expect("its peak").trim().trim_end_matches(" kB").parse().unwrap();
    kib << 10
}

/// What a running daemon makes of each of these gates, of which none lets its memory grow by more than `most` bytes. Each is
/// ready, or fails in words with this in them.
fn come_to(bounds: &str, most: u64, files: &[(&str, Vec<u8>, Option<&str>)]) {
    let home = Home::new().config(bounds);
    let folder = Folder::of(&home);
    let mut daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    let before = peak(&daemon);
    for (name, bytes, words) in files {
        folder.moved(name, bytes);
        let row = watcher.wait(name, |row| row.state == "ready" || row.state == "failed");
        let is_so = match words {
            Some(words) => row.state == "failed" && row.reason.contains(words),
            None => row.state == "ready",
        };
        assert!(is_so, "{words:?}: {row:?}");
    }
    let grown = peak(&daemon) - before;
    assert!(grown < most, "{grown} bytes");
    daemon.assert_healthy();
}

#[test]
fn what_modules_begin_with_that_nothing_instantiates_counts_as_if_something_did() {
    come_to(
        "",
        40 << 20,
        &[
            (
                "large",
                tabled_gate("large", 10, 4, 1_048_576),
                Some("ask for 4194304 entries of tables to begin with and may have 100000"),
            ),
            ("tables", longer(tabled_gate("tables", 10, 4, 2_500), LONGER), None),
            (
                "entries",
                tabled_gate("entries", 10, 4, 2_501),
                Some("ask for 100040 entries of tables to begin with and may have 100000"),
            ),
            // Every gate has a page of its own.
            ("pages", holed_gate("pages", 3, 1, 341), None),
            (
                "memories",
                holed_gate("memories", 4, 1, 256),
                Some("ask for 67174400 bytes of memory to begin with and may have 67108864"),
            ),
        ],
    );
    come_to(
        "[limits.few]\ntable_entries = 2000\n[limits.many]\ntable_entries = 2000\n[limits.wide]\nmemory_bytes = 131072\n",
        40 << 20,
        &[
            ("few", tabled_gate("few", 2, 1, 1_000), None),
            (
                "many",
                tabled_gate("many", 2, 1, 1_001),
                Some("`table_entries` under [limits.NAME]"),
            ),
            (
                "wide",
                holed_gate("wide", 1, 1, 2),
                Some("`memory_bytes` under [limits.NAME]"),
            ),
        ],
    );
}

#[test]
fn what_is_kept_of_a_file_from_before_counts_only_within_the_bounds_of_now() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("wide", &longer(tabled_gate("wide", 2, 1, 40_000), LONGER));
    {
        let daemon = home.start();
        Watcher::of(&daemon).wait_state("wide", "ready");
    }
    let home = home.config("[limits.wide]\ntable_entries = 70000\n");
    let daemon = home.start();
    let row = Watcher::of(&daemon).wait_state("wide", "failed");
    assert!(
        row.reason
            .contains("ask for 80000 entries of tables to begin with and may have 70000"),
        "{row:?}"
    );
}

#[test]
fn a_module_has_no_more_tables_and_memories_than_an_instance_has_room_for() {
    let bounds = "[limits.long]\ntable_entries = 10000000\n";
    let files = [
        ("few", tabled_gate("few", 2, 4, 10), None),
        (
            "many",
            tabled_gate("many", 1, 5, 10),
            Some("has 5 tables, and 4 is the most"),
        ),
        (
            "more",
            tabled_gate("more", 1, 40, 1_048_576),
            Some("has 40 tables, and 4 is the most"),
        ),
        ("pages", longer(holed_gate("pages", 2, 4, 1), LONGER), None),
        (
            "holes",
            holed_gate("holes", 1, 5, 1),
            Some("has 5 memories, and 4 is the most"),
        ),
        (
            "long",
            tabled_gate("long", 1, 1, 1_048_577),
            Some("has 1048577 entries in one table, and 1048576 is the most"),
        ),
    ];
    come_to(bounds, 40 << 20, &files);
}

#[test]
fn a_file_is_compiled_to_no_more_than_a_multiple_of_what_is_in_it_and_what_is_more_does_not_reach_the_daemon() {
    // A page with a byte at each end is compiled to all of it.
    let bounds = "[limits.long]\ntable_entries = 10000000\n";
    let files = [
        ("little", longer(holed_gate("little", 3, 4, 1), LONGER), None),
        (
            "much",
            longer(holed_gate("much", 5, 4, 1), LONGER),
            Some("is the most for what is in it"),
        ),
        // What nobody reads buys nothing.
        (
            "padding",
            padded(holed_gate("padding", 3, 4, 1), 4 << 20),
            Some("is the most for what is in it"),
        ),
        // What a few bytes ask for is little, so that many such files come to little.
        (
            "dear",
            tabled_gate("dear", 1, 1, 99_000),
            Some("is the most for what is in it"),
        ),
        (
            "most",
            holed_gate("most", 250, 4, 1),
            Some("is the most for what is in it"),
        ),
        // Where the operator allows for it, it is compiled all the same, and no more.
        (
            "long",
            tabled_gate("long", 2, 4, 1_048_576),
            Some("is the most for what is in it"),
        ),
    ];
    come_to(bounds, 40 << 20, &files);
}

#[test]
fn what_no_count_foresees_is_ended_by_its_bound_on_time_or_memory_and_holds_nothing_up() {
    let home = Home::new().config(
        "[skills]\ncompile_seconds = 2\ncompile_memory_bytes = 268435456\n[limits.holes]\nmemory_bytes = 1073741824\n",
    );
    let folder = Folder::of(&home);
    let files = [
        ("branches", branching_gate("branches")),
        ("holes", holed_gate("holes", 500, 4, 3)),
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

#[test]
fn a_gate_that_is_dropped_behind_many_long_files_does_not_wait_for_them() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    // Each takes a moment to be read, and is no skill.
    let useless = padded(wat::parse_str("(component)").unwrap(), 31 << 20);
    let first = folder.file("useless");
    let aside = home.file("useless", &useless);
    fs::rename(&aside, &first).unwrap();
    for number in 0..200 {
        fs::hard_link(&first, folder.file(&format!("u{number}"))).unwrap();
    }
    folder.moved("guard", &gate("guard", "v1"));
    watcher.wait_version("guard", "v1");
    let waiting = watcher.rows().iter().filter(|row| row.state == "discovered").count();
    assert!(waiting > 100, "{waiting} of 201 were not looked at yet");
}
