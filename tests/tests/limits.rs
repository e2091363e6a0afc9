//! The bounds on skills in a running daemon, each just under and just over: what is over is rejected with what was asked
//! and what is allowed, and nothing else is harmed.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use passepartout_host::sexp::Form;
use passepartout_tests::hostile;
use passepartout_tests::{Daemon, Home, message};

/// Small bounds, so that each is hit quickly.
const BOUNDS: &str = "[limits.hostile]\nmemory_bytes = 1048576\nfuel = 1000000\nfuel_per_byte = 0\n\
    table_entries = 1000\ninstances = 20\nhost_calls = 100\nlog_lines = 10\ntext_bytes = 10000\n";

/// What the gate `hostile` gave as its reason, or nothing if it passed.
fn refused(bytes: &[u8], bounds: &str) -> Option<String> {
    let home = Home::new().config(bounds);
    home.file("skills/hostile.wasm", bytes);
    let mut daemon = home.start_scripted(&[message("one"), message("two"), message("three")]);
    let turn = daemon.connect().ask("hello");
    daemon.assert_healthy();
    let refusals = turn.all("REFUSAL");
    let mut items = refusals
        .iter()
        .filter_map(|payload| payload.get("REJECTIONS"))
        .filter_map(Form::items)
        .flatten();
    let Some(first) = items.next() else {
        assert_eq!(turn.reply(), "one", "{turn:#?}");
        return None;
    };
    assert_eq!(first.text_at("gate"), Some("hostile"), "{turn:#?}");
    first.text_at("reason").map(str::to_owned)
}

/// A gate just under a bound passes; just over it, it is refused with these words.
fn holds(under: &[u8], over: &[u8], said: &str) {
    assert_eq!(refused(under, BOUNDS), None, "just under: {said}");
    let reason = refused(over, BOUNDS).expect("just over");
    assert!(reason.contains(said), "{said}: {reason}");
}

#[test]
fn memory_is_bounded() {
    holds(
        &hostile::growing_gate("hostile", 15),
        &hostile::growing_gate("hostile", 16),
        "asked for 1114112 bytes of memory and may have 1048576",
    );
}

#[test]
fn tables_are_bounded() {
    holds(
        &hostile::tabling_gate("hostile", 1_000),
        &hostile::tabling_gate("hostile", 1_001),
        "asked for a table of 1001 entries and may have 1000",
    );
}

#[test]
fn the_stack_is_bounded() {
    let reason = refused(
        &hostile::diving_gate("hostile", 60_000),
        "[limits.hostile]\nfuel = 100000000\n",
    );
    assert!(
        reason.as_deref().unwrap_or_default().contains("524288 bytes of stack"),
        "{reason:?}"
    );
    assert_eq!(refused(&hostile::diving_gate("hostile", 5_000), BOUNDS), None);
}

#[test]
fn fuel_is_bounded() {
    holds(
        &hostile::turning_gate("hostile", 100_000),
        &hostile::turning_gate("hostile", 1_000_000),
        "ran out of fuel: it may use 1000000 units",
    );
}

#[test]
fn wall_time_is_bounded_where_fuel_is_not() {
    let bounds = "[limits.hostile]\nfuel = 1000000000000\npure_milliseconds = 50\n";
    let reason = refused(&hostile::looping_gate("hostile"), bounds).expect("over");
    assert!(reason.contains("longer than the 50 ms"), "{reason}");
    assert_eq!(refused(&hostile::turning_gate("hostile", 1_000), bounds), None);
}

#[test]
fn host_calls_are_bounded() {
    holds(
        &hostile::asking_gate("hostile", 100),
        &hostile::asking_gate("hostile", 101),
        "made more than the 100 host calls it may",
    );
}

#[test]
fn log_lines_are_bounded() {
    holds(
        &hostile::logging_gate("hostile", 10),
        &hostile::logging_gate("hostile", 11),
        "made more than the 10 log lines it may",
    );
}

#[test]
fn what_is_returned_is_bounded() {
    let reason = refused(&hostile::talking_gate("hostile", 10_000), BOUNDS).expect("it rejects");
    assert!(
        reason.contains("xxxx"),
        "just under it is the gate's own reason: {reason}"
    );
    let reason = refused(&hostile::talking_gate("hostile", 10_001), BOUNDS).expect("over");
    assert!(
        reason.contains("returned 10001 bytes of text and may return 10000"),
        "{reason}"
    );
}

#[test]
fn what_a_component_is_made_of_and_how_it_begins_is_bounded() {
    for (bytes, said) in [
        (hostile::manifold_skill("hostile", 18), None),
        (
            hostile::manifold_skill("hostile", 19),
            Some("has 21 core instances or more and may have 20"),
        ),
        (
            hostile::endless_start("hostile"),
            Some("ran out of fuel: it may use 1000000 units"),
        ),
        (
            hostile::verbose_skill("hostile", 10_001),
            Some("returned 10001 bytes of text and may return 10000"),
        ),
    ] {
        let home = Home::new().config(BOUNDS);
        home.file("skills/hostile.wasm", &bytes);
        let mut daemon = home.start_scripted(&[message("all is well")]);
        let list = home.run(&["skill", "list", "--json"]);
        let list: serde_json::Value = serde_json::from_str(&list.out).expect("JSON");
        let mut listed = list.as_array().expect("an array").iter();
        let own = listed.find(|skill| skill["name"] == "hostile").expect("it is listed");
        match said {
            None => assert_eq!(own["state"], "ready", "{own}"),
            Some(said) => {
                assert_eq!(own["state"], "failed", "{own}");
                assert!(own["reason"].as_str().expect("a reason").contains(said), "{own}");
            }
        }
        assert_eq!(daemon.connect().ask("hello").reply(), "all is well");
        daemon.assert_healthy();
    }
}

/// Approves what `hostile` is to do for its target, and says what the model was told of it.
fn acted(home: &Home, daemon: &Daemon<'_>) -> String {
    let mut peer = daemon.connect();
    let asked = peer.ask("do it");
    assert_eq!(asked.outcome(), "WAITING", "{asked:#?}");
    let done = peer.ask(&format!("/approve {}", asked.plan_id()));
    assert_eq!(done.outcome(), "ANSWERED", "{done:#?}");
    home.prompts()[1].to_string()
}

#[test]
fn host_calls_without_end_are_ended_at_the_deadline_of_what_acts() {
    let home = Home::new().config("[limits.hostile]\nact_milliseconds = 300\nhost_calls = 1000000000\n");
    home.file("skills/hostile.wasm", &hostile::bombing_actuator("hostile", "BOMB"));
    let long = "x".repeat(200_000);
    let proposal = format!(
        "(:TYPE :REQUEST :TARGET :BOMB :PAYLOAD (:CMD \"{long}\" :EXPLANATION \"to do what was asked for\"))"
    );
    let mut daemon = home.start_scripted(&[proposal, message("it was too slow")]);
    let told = acted(&home, &daemon);
    assert!(
        told.contains("longer than the 300 ms"),
        "{}",
        &told[told.len().saturating_sub(2_000)..]
    );
    daemon.assert_healthy();
}

#[test]
fn a_command_that_sleeps_past_its_time_is_ended_and_the_skill_is_told() {
    let home = Home::new().config("[shell]\ntimeout_seconds = 1\n");
    let sleep = "(:TYPE :REQUEST :TARGET :SHELL :PAYLOAD (:CMD \"touch x; sleep 3600\" :EXPLANATION \"to wait for an hour\"))";
    let mut daemon = home.start_scripted(&[sleep.to_owned(), message("it was too slow")]);
    let told = acted(&home, &daemon);
    assert!(told.contains("time"), "{told}");
    daemon.assert_healthy();
}

/// The entries of the code cache.
fn kept(home: &Home) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(home.path().join("state/code")).expect("the cache's folder");
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

#[test]
fn compiled_code_that_was_damaged_between_two_starts_is_compiled_again_without_an_error() {
    let home = Home::new();
    home.file("skills/good.wasm", &hostile::passing_gate("good"));
    assert!(home.start().stop().success());
    let entries = kept(&home);
    assert_eq!(entries.len(), 1, "only what is not part of the host: {entries:?}");
    let whole = fs::read(&entries[0]).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 4;
    for (bytes, mode) in [
        (&whole[..whole.len() / 2], 0o600),
        (&flipped[..], 0o600),
        (b"".as_slice(), 0o600),
        (&whole[..], 0o666),
        (&whole[..], 0o600),
    ] {
        fs::write(&entries[0], bytes).unwrap();
        fs::set_permissions(&entries[0], fs::Permissions::from_mode(mode)).unwrap();
        let daemon = home.start_scripted(&[message("all is well")]);
        assert_eq!(daemon.connect().ask("hello").reply(), "all is well");
        assert!(daemon.stop().success());
        assert_eq!(kept(&home), entries);
        assert_eq!(fs::read(&entries[0]).unwrap().len(), whole.len(), "it is whole again");
    }
}

#[test]
fn two_processes_that_compile_the_same_files_at_once_do_each_other_no_harm() {
    let home = Home::new();
    for name in ["one", "two", "three"] {
        home.file(&format!("skills/{name}.wasm"), &hostile::passing_gate(name));
    }
    let children: Vec<_> = (0..4)
        .map(|_| {
            let mut command = home.command();
            command.args(["gate", "check", "--json", "--", "ls"]);
            command
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::piped());
            command.spawn().expect("start the binary")
        })
        .collect();
    for child in children {
        let ended = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(
            !said.contains("compiling again") && !said.contains("could not be kept"),
            "{said}"
        );
    }
    assert_eq!(kept(&home).len(), 3);
}

#[test]
fn a_daemon_has_its_two_engines_and_no_more_whatever_it_is_asked() {
    let home = Home::new();
    let file = home.file("skills/good.wasm", &hostile::passing_gate("good"));
    let daemon = home.start_scripted(&[message("one"), message("two")]);
    let mut peer = daemon.connect();
    // Each pair of engines has one clock.
    let clocks = || {
        let tasks = fs::read_dir(format!("/proc/{}/task", daemon.pid())).expect("the daemon's threads");
        tasks
            .filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok())
            .filter(|name| name.trim() == "skill-clock")
            .count()
    };
    assert_eq!(clocks(), 1);
    for _ in 0..2 {
        peer.ask("hello");
        for action in ["STATUS", "DOCTOR", "SKILLS"] {
            peer.admin(&format!("(:ACTION :{action})"));
        }
        assert_eq!(home.run(&["skill", "list"]).code, 0);
        assert_eq!(home.run(&["skill", "inspect", file.to_str().expect("UTF-8")]).code, 0);
    }
    assert_eq!(clocks(), 1);
}
