//! Files that come, change and go while the daemon runs: each is live, or nothing has happened.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::io::Write;
use std::time::{Duration, Instant};

use passepartout_tests::Home;
use passepartout_tests::model::HeldModel;
use passepartout_tests::skills::{Folder, Watcher, assert_judges, gate, large_gate};

#[test]
fn a_file_that_is_copied_in_judges_the_next_action_and_one_that_is_deleted_no_longer_does() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let mut daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    assert_eq!(peer.ask("hello").outcome(), "ANSWERED");
    folder.copy("guard", &gate("guard", "v1"));
    watcher.wait_version("guard", "v1");
    assert_judges(&mut peer, "guard", "v1");
    folder.copy("guard", &gate("guard", "v2"));
    watcher.wait_version("guard", "v2");
    assert_judges(&mut peer, "guard", "v2");
    folder.delete("guard");
    watcher.wait_gone("guard");
    assert_eq!(peer.ask("hello").outcome(), "ANSWERED");
    daemon.assert_healthy();
}

#[test]
fn a_gate_whose_file_is_deleted_and_copied_anew_judges_on_even_if_the_copy_is_broken() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("guard", &gate("guard", "v1"));
    let daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    // As an installation does it. On a machine that stands still meanwhile the file is deleted, and it is done again.
    for _ in 0..10 {
        watcher.wait_version("guard", "v1");
        let begun = Instant::now();
        folder.delete("guard");
        std::thread::sleep(Duration::from_millis(500));
        folder.copy("guard", b"\0asm broken");
        if begun.elapsed() < Duration::from_millis(1_500) {
            break;
        }
        folder.copy("guard", &gate("guard", "v1"));
    }
    watcher.wait_state("guard", "failed");
    assert_judges(&mut peer, "guard", "v1");
    daemon.stop();

    let daemon = home.start();
    assert_judges(&mut daemon.connect(), "guard", "gate-unavailable");
    folder.delete("guard");
    Watcher::of(&daemon).wait_gone("guard");
    let log = std::fs::read_to_string(home.path().join("stderr.log")).unwrap();
    let said = log
        .lines()
        .find(|line| line.contains("`guard` is deleted, so the gate is gone"));
    assert!(said.is_some_and(|line| line.contains("WARN")), "{log}");
}

#[test]
fn each_of_ten_files_moved_over_the_same_name_is_seen() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    for version in 0..10 {
        let version = format!("v{version}");
        folder.moved("guard", &gate("guard", &version));
        watcher.wait_version("guard", &version);
        assert_judges(&mut peer, "guard", &version);
    }
    // As fast as files can be moved: the last one counts.
    for version in 10..20 {
        folder.moved("guard", &gate("guard", &format!("v{version}")));
    }
    watcher.wait_version("guard", "v19");
    assert_judges(&mut peer, "guard", "v19");
}

#[test]
fn a_file_that_is_copied_slowly_is_loaded_once_at_the_end() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("guard", &gate("guard", "v1"));
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    watcher.wait_version("guard", "v1");
    let bytes = gate("guard", "v2");
    let mut file = std::fs::File::create(folder.file("guard")).unwrap();
    for piece in bytes.chunks(bytes.len().div_ceil(10)) {
        file.write_all(piece).unwrap();
        file.flush().unwrap();
        let rows = watcher.rows_of("guard");
        assert!(
            rows.iter().any(|row| row.state == "ready" && row.version == "v1"),
            "what was there goes on: {rows:#?}"
        );
        std::thread::sleep(std::time::Duration::from_millis(120));
    }
    drop(file);
    watcher.wait_version("guard", "v2");
    let loads = daemon.log().matches("the skill `guard` is replaced").count();
    assert_eq!(loads, 1, "{}", daemon.log());
}

#[test]
fn a_file_in_ten_pieces_by_ten_programs_is_loaded_once_at_the_end() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    let bytes = gate("guard", "v1");
    for piece in bytes.chunks(bytes.len().div_ceil(10)) {
        let mut file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(folder.file("guard"))
            .unwrap();
        file.write_all(piece).unwrap();
        drop(file);
        let row = watcher.wait("guard", |_| true);
        assert!(row.state == "discovered" || row.version == "v1", "{row:?}");
    }
    watcher.wait_version("guard", "v1");
    assert_eq!(daemon.log().matches("the skill `guard` is ready").count(), 1);
    assert!(!daemon.log().contains("has failed"), "{}", daemon.log());
}

#[test]
fn a_cycle_ends_with_the_version_it_began_with() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("guard", &gate("guard", "v1"));
    let model = HeldModel::start();
    let home = home.config(&format!(
        "[model]\ncascade = [\"held\"]\n[providers.held]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"m\"\n",
        model.port
    ));
    let daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    watcher.wait_version("guard", "v1");
    let request = peer.say("hello");
    model.asked();
    folder.moved("guard", &gate("guard", "v2"));
    watcher.wait_version("guard", "v2");
    model.answer();
    let turn = peer.turn(&request);
    assert_eq!(turn.rejections(), [("guard", "v1"); 3], "{turn:#?}");
    assert_judges(&mut peer, "guard", "v2");
}

#[test]
fn the_daemon_answers_while_a_large_component_is_compiled() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let mut daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    folder.moved("large", &large_gate("large"));
    watcher.wait_state("large", "discovered");
    let mut answered = 0;
    while watcher.rows_of("large").iter().all(|row| row.state == "discovered") {
        daemon.assert_healthy();
        assert_eq!(peer.ask("hello").outcome(), "ANSWERED");
        answered += 1;
    }
    assert!(answered > 3, "answered {answered} times while it was compiled");
    watcher.wait_state("large", "ready");
}

#[test]
fn three_hundred_reloads_leave_memory_files_and_threads_as_they_were() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    let mut reload = |from: u32, to: u32| {
        for version in from..to {
            let version = format!("v{version}");
            folder.moved("guard", &gate("guard", &version));
            watcher.wait_version("guard", &version);
        }
    };
    reload(0, 100);
    let before = footprint(daemon.pid());
    reload(100, 400);
    let after = footprint(daemon.pid());
    // Of threads a few more or less are at rest, and a connection may be closing.
    assert!(
        after.threads < before.threads + 20 && after.files < before.files + 4,
        "before {before:?}, after {after:?}"
    );
    assert!(
        after.kilobytes < before.kilobytes + 6_000 && after.mappings < before.mappings + 150,
        "before {before:?}, after {after:?}"
    );
}

#[derive(Debug)]
struct Footprint {
    kilobytes: usize,
    files: usize,
    threads: usize,
    mappings: usize,
}

fn footprint(pid: u32) -> Footprint {
    let count = |what: &str| std::fs::read_dir(format!("/proc/{pid}/{what}")).unwrap().count();
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    Footprint {
        kilobytes: resident.trim().trim_end_matches(" kB").parse().unwrap(),
        files: count("fd"),
        threads: count("task"),
        mappings: std::fs::read_to_string(format!("/proc/{pid}/maps"))
            .unwrap()
            .lines()
            .count(),
    }
}

#[test]
fn a_folder_that_is_deleted_and_made_again_is_still_watched() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("guard", &gate("guard", "v1"));
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    watcher.wait_version("guard", "v1");
    // A folder that is away, as one on another disk may be, says nothing of what was deleted.
    std::fs::rename(folder.path(), home.path().join("away")).unwrap();
    assert_judges(&mut daemon.connect(), "guard", "v1");
    let folder = Folder::of(&home);
    folder.copy("guard", &gate("guard", "v2"));
    watcher.wait_version("guard", "v2");
    folder.moved("guard", &gate("guard", "v3"));
    watcher.wait_version("guard", "v3");
}

#[test]
fn a_touched_file_is_the_same_skill_and_one_that_failed_is_not_tried_again() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    let (good, bad) = (gate("guard", "v1"), gate("another", "v1"));
    folder.copy("guard", &good);
    folder.copy("bad", &bad);
    watcher.wait_version("guard", "v1");
    watcher.wait_state("bad", "failed");
    let said = |what: &str| daemon.log().matches(what).count();
    let before = (said("the skill `guard` is"), said("the skill `bad`"));
    folder.copy("guard", &good);
    folder.copy("bad", &bad);
    folder.copy("last", &gate("last", "v1"));
    watcher.wait_version("last", "v1");
    watcher.wait_state("bad", "failed");
    assert_eq!(
        before,
        (said("the skill `guard` is"), said("the skill `bad`")),
        "{}",
        daemon.log()
    );
}

/// How often a thread of this name has waited and gone on. That others took its turn is not counted.
fn switches(pid: u32, name: &str) -> u64 {
    let mut sum = 0;
    for thread in std::fs::read_dir(format!("/proc/{pid}/task")).unwrap() {
        // One that has just ended says nothing any more.
        let status = std::fs::read_to_string(thread.unwrap().path().join("status")).unwrap_or_default();
        if status.lines().any(|line| line == format!("Name:\t{name}")) {
            let counts = status
                .lines()
                .filter(|line| line.starts_with("voluntary_ctxt_switches"));
            sum += counts
                .filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok())
                .sum::<u64>();
        }
    }
    sum
}

#[test]
fn a_folder_in_which_nothing_happens_is_looked_at_now_and_then_and_not_all_the_time() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("guard", &gate("guard", "v1"));
    let daemon = home.start();
    Watcher::of(&daemon).wait_version("guard", "v1");
    daemon.wait_until("a thread of that name waits", || {
        switches(daemon.pid(), "skill-watch") > 0
    });
    let before = switches(daemon.pid(), "skill-watch");
    std::thread::sleep(std::time::Duration::from_secs(3));
    let after = switches(daemon.pid(), "skill-watch");
    assert!(
        after < before + 100,
        "it went on {} times in three seconds",
        after - before
    );
}
