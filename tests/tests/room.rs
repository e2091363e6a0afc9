//! How much compiled code all files of the skills folder may come to, together.

use passepartout_tests::Home;
use passepartout_tests::guest::Guest;
use passepartout_tests::hostile::{holed_gate, longer};
use passepartout_tests::skills::{Folder, Watcher, assert_judges, gate};

/// Room for two of [`dear`], and for a plain gate beside them.
const ROOM: &str = "[skills]\ncode_bytes = 2097152\n";

/// A gate with three quarters of a MiB of code, and so many bytes more in its file that this is allowed.
fn dear(name: &str) -> Vec<u8> {
    longer(holed_gate(name, 3, 4, 1), 48 << 10)
}

/// The same, of a skill that says this of itself, in a file with so many bytes more.
fn dear_with(name: &str, description: &str, more: usize) -> Vec<u8> {
    let memory = "(memory 1) (data (i32.const 0) \"x\") (data (i32.const 65535) \"x\")";
    let mut guest = Guest::new(format!("(:NAME \"{name}\" :VERSION \"1\" {description})"));
    guest.parts = format!("(core module {memory})").repeat(12);
    longer(guest.build(), more)
}

#[test]
fn what_is_one_too_many_waits_until_another_goes_and_what_still_fits_comes_in() {
    let home = Home::new().config(ROOM);
    let folder = Folder::of(&home);
    let mut daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    for name in ["first", "second"] {
        folder.moved(name, &dear(name));
        watcher.wait_state(name, "ready");
    }
    for name in ["third", "other"] {
        folder.moved(name, &dear(name));
        let row = watcher.wait_state(name, "waiting");
        assert!(
            row.reason.contains("2097152 is the most") && row.reason.contains("`skills.code_bytes`"),
            "{row:?}"
        );
    }
    folder.moved("guard", &gate("guard", "v1"));
    watcher.wait_version("guard", "v1");
    assert_judges(&mut daemon.connect(), "guard", "v1");
    // There is room for one of the two, whichever comes first.
    folder.delete("first");
    let came = watcher.wait("other", |row| row.state == "ready");
    assert_eq!(came.name, "other");
    watcher.wait_state("third", "waiting");
    // And for none as a new version of the one that is there, which stays.
    folder.moved("guard", &dear("guard"));
    let row = watcher.wait("guard", |row| row.state == "waiting");
    assert!(
        row.reason.contains("version v1") && row.reason.contains("stays in use"),
        "{row:?}"
    );
    assert_judges(&mut daemon.connect(), "guard", "v1");
    folder.delete("second");
    folder.delete("other");
    watcher.wait_version("guard", "1");
    watcher.wait_state("third", "ready");
    daemon.assert_healthy();
}

#[test]
fn at_a_start_the_gates_that_were_ready_have_room_before_what_was_dropped_since() {
    let home = Home::new().config(ROOM);
    let folder = Folder::of(&home);
    let names = ["first", "second"];
    {
        let daemon = home.start();
        for name in names {
            folder.moved(name, &dear(name));
            Watcher::of(&daemon).wait_state(name, "ready");
        }
    }
    folder.copy("before", &dear("before"));
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    for name in names {
        watcher.wait_state(name, "ready");
    }
    watcher.wait_state("before", "waiting");
}

#[test]
fn a_gate_that_judged_never_falls_for_want_of_room() {
    let home = Home::new().config(ROOM);
    let folder = Folder::of(&home);
    // One that needs a right, of the same size.
    let asking = |name: &str| dear_with(name, ":FUNCTIONS (:GATE) :RIGHTS (:REVISE)", 48 << 10);
    {
        let daemon = home.start();
        let mut watcher = Watcher::of(&daemon);
        for name in ["first", "second"] {
            folder.moved(name, &asking(name));
            watcher.wait_state(name, "waiting");
            assert_eq!(home.run(&["skill", "grant", name, "revise"]).code, 0);
            watcher.wait_state(name, "ready");
        }
        folder.moved("third", &dear("third"));
        watcher.wait_state("third", "waiting");
        // Its room goes to what waited, and it comes back all the same.
        assert_eq!(home.run(&["skill", "revoke", "second", "revise"]).code, 0);
        watcher.wait_state("third", "ready");
        assert_eq!(home.run(&["skill", "grant", "second", "revise"]).code, 0);
        watcher.wait_state("second", "ready");
        // What is the same as before does not wait for room.
        folder.moved("first", &asking("first"));
        watcher.wait_state("first", "ready");
        assert!(watcher.rows_of("first").iter().all(|row| row.state != "waiting"));
    }
    // Nor at a start, where all have to be compiled again.
    std::fs::remove_dir_all(home.path().join("state/code")).ok();
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    for name in ["first", "second", "third"] {
        watcher.wait_state(name, "ready");
    }
}

#[test]
fn what_a_gate_that_judged_depends_on_does_not_fall_for_want_of_room_either() {
    let home = Home::new().config(ROOM);
    let folder = Folder::of(&home);
    {
        let daemon = home.start();
        let mut watcher = Watcher::of(&daemon);
        folder.moved("needed", &dear_with("needed", ":FUNCTIONS (:PROMPT)", 200 << 10));
        watcher.wait_state("needed", "ready");
        let describe = "(:NAME \"guard\" :VERSION \"1\" :FUNCTIONS (:GATE) :DEPENDS-ON (\"needed\"))";
        folder.moved("guard", &Guest::new(describe).build());
        folder.moved("first", &dear_with("first", ":FUNCTIONS (:PROMPT)", 48 << 10));
        watcher.wait_state("guard", "ready");
        watcher.wait_state("first", "ready");
        folder.moved("second", &dear_with("second", ":FUNCTIONS (:PROMPT)", 48 << 10));
        watcher.wait_state("second", "waiting");
    }
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    for name in ["needed", "guard"] {
        watcher.wait_state(name, "ready");
    }
}

#[test]
fn what_the_operator_trusts_in_the_place_of_a_bundled_skill_has_room_always() {
    let home = Home::new().config("[skills]\ncode_bytes = 1048576\n");
    let folder = Folder::of(&home);
    folder.copy("first", &dear("first"));
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    watcher.wait_state("first", "ready");
    let bytes = dear("policy");
    folder.moved("policy", &bytes);
    let path = folder.file("policy");
    let said = home.run(&["skill", "trust", path.to_str().unwrap_or_default()]);
    assert_eq!(said.code, 0, "{said:?}");
    watcher.wait_file("policy", &bytes);
}
