//! Skills as real files in the skills folder: hostile ones, bad ones, and what the operator lets them do.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::os::unix::fs::PermissionsExt;

use passepartout_tests::guest::Guest;
use passepartout_tests::hostile;
use passepartout_tests::peer::Turn;
use passepartout_tests::skills::Watcher;
use passepartout_tests::{Home, message, proposal};

/// A proposal for a target of a skill's own.
fn proposal_for(target: &str, command: &str) -> String {
    format!(
        "(:TYPE :REQUEST :TARGET :{target} :PAYLOAD (:CMD \"{command}\" :EXPLANATION \"to do what was asked for\"))"
    )
}

fn install(home: &Home, name: &str, bytes: &[u8]) {
    home.file(&format!("skills/{name}.wasm"), bytes);
}

fn grant(home: &Home, name: &str, rights: &[&str]) {
    let mut args = vec!["skill", "grant", name];
    args.extend(rights);
    let ran = home.run(&args);
    assert_eq!(ran.code, 0, "{ran:?}");
}

fn listed(home: &Home) -> Vec<serde_json::Value> {
    let ran = home.run(&["skill", "list", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let list: serde_json::Value = serde_json::from_str(&ran.out).expect("a JSON array");
    list.as_array().expect("a JSON array").clone()
}

/// The one line about this file or skill whose source is a file (`bundled` false) or the binary.
fn status(home: &Home, name: &str, bundled: bool) -> serde_json::Value {
    let of_name = |skill: &&serde_json::Value| skill["name"] == name && (skill["source"] == "bundled") == bundled;
    let list = listed(home);
    let found: Vec<&serde_json::Value> = list.iter().filter(of_name).collect();
    assert_eq!(found.len(), 1, "{name}: {list:#?}");
    found[0].clone()
}

fn reason(status: &serde_json::Value) -> &str {
    status["reason"].as_str().unwrap_or_default()
}

/// All reasons of a refusal, joined.
fn reasons(turn: &Turn) -> String {
    let refusals = turn.all("REFUSAL");
    refusals.iter().map(ToString::to_string).collect()
}

/// A gate that misbehaves rejects with `rule`, harms nothing else, and is gone once its file is.
fn assert_rejects_by(bytes: &[u8], rule: &str, said: &str) {
    let home = Home::new();
    install(&home, "hostile", bytes);
    let answers = [message("one"), message("two"), message("three"), message("four")];
    let mut daemon = home.start_scripted(&answers);
    let mut peer = daemon.connect();
    let turn = peer.ask("hello");
    assert_eq!(turn.outcome(), "REFUSED", "{turn:#?}");
    assert!(turn.replies().is_empty(), "{turn:#?}");
    assert_eq!(turn.rejections(), [("hostile", rule); 3], "{turn:#?}");
    assert!(reasons(&turn).contains(said), "{turn:#?}");
    assert!(
        home.prompts()[1].to_string().contains(rule),
        "the model is told which bound was hit: {}",
        home.prompts()[1]
    );
    daemon.assert_healthy();
    // The next cycle works: this one is judged as well, and the fourth answer is taken, not skipped.
    let turn = peer.ask("again");
    assert_eq!(turn.rejections().first(), None, "{turn:#?}");
    assert_eq!(
        turn.outcome(),
        "EXHAUSTED",
        "three more answers are wanted, one is left: {turn:#?}"
    );
    daemon.assert_healthy();
    assert!(daemon.stop().success());

    std::fs::remove_file(home.path().join("skills/hostile.wasm")).unwrap();
    let daemon = home.start_scripted(&[message("well again")]);
    // For two seconds its file may be about to be replaced.
    Watcher::of(&daemon).wait_gone("hostile");
    let turn = daemon.connect().ask("hello");
    assert_eq!((turn.reply(), turn.outcome()), ("well again", "ANSWERED"));
}

#[test]
fn a_gate_that_loops_rejects_for_want_of_fuel() {
    assert_rejects_by(&hostile::looping_gate("hostile"), "gate-fuel", "fuel");
}

#[test]
fn a_gate_that_traps_rejects_as_trapped() {
    assert_rejects_by(&hostile::trapping_gate("hostile"), "gate-trap", "unreachable");
}

#[test]
fn a_gate_that_eats_memory_rejects_at_its_bound() {
    assert_rejects_by(
        &hostile::eating_gate("hostile"),
        "gate-memory",
        "bytes of memory and may have",
    );
}

#[test]
fn a_gate_whose_answer_is_no_verdict_rejects_as_nonsense() {
    assert_rejects_by(&hostile::babbling_gate("hostile"), "gate-nonsense", "nonsense");
}

#[test]
fn a_gate_whose_details_are_no_plist_rejects_and_breaks_nothing() {
    let home = Home::new();
    install(&home, "mumbles", &hostile::mumbling_gate("mumbles"));
    let mut daemon = home.start_scripted(&[message("one"), message("two"), message("three")]);
    let turn = daemon.connect().ask("hello");
    assert_eq!(turn.outcome(), "REFUSED", "{turn:#?}");
    assert_eq!(turn.rejections().len(), 3, "{turn:#?}");
    assert!(
        turn.rejections().iter().all(|(gate, _)| *gate == "mumbles"),
        "{turn:#?}"
    );
    daemon.assert_healthy();
}

#[test]
fn a_hostile_gate_costs_only_the_cycles_it_judges() {
    // A client of another session, at the same time, gets its health answers while the gate burns its fuel.
    let home = Home::new();
    install(&home, "hostile", &hostile::looping_gate("hostile"));
    let mut daemon = home.start_scripted(&[message("a"), message("b"), message("c")]);
    let mut victim = daemon.connect();
    let request = victim.say("hello");
    for _ in 0..5 {
        daemon.assert_healthy();
    }
    assert_eq!(victim.turn(&request).outcome(), "REFUSED");
}

#[test]
fn a_gate_that_was_ready_and_broke_keeps_rejecting_until_its_file_is_deleted() {
    let home = Home::new();
    install(&home, "guard", &hostile::passing_gate("guard"));
    let daemon = home.start_scripted(&[message("passed")]);
    assert_eq!(daemon.connect().ask("hello").reply(), "passed");
    assert!(daemon.stop().success());

    install(&home, "guard", b"\0asm broken");
    let daemon = home.start_scripted(&[message("x"), message("y"), message("z")]);
    let turn = daemon.connect().ask("hello");
    assert_eq!(turn.rejections(), [("guard", "gate-unavailable"); 3], "{turn:#?}");
    assert!(daemon.stop().success());

    std::fs::remove_file(home.path().join("skills/guard.wasm")).unwrap();
    let daemon = home.start_scripted(&[message("passed again")]);
    Watcher::of(&daemon).wait_gone("guard");
    assert_eq!(daemon.connect().ask("hello").reply(), "passed again");
}

#[test]
fn an_actuator_that_runs_another_command_than_the_cleared_one_runs_nothing() {
    // Each asks the host to run a text of the action that the gates did not judge as a command.
    for (name, target, path, marker) in [
        ("sly", "SLY", "payload.cmd", "by-command"),
        ("slyer", "SLYER", "payload.explanation", "by-explanation"),
        ("slyest", "SLYEST", "payload.other", "by-other"),
    ] {
        let home = Home::new();
        install(&home, name, &hostile::running_actuator(name, target, path));
        grant(&home, name, &["process"]);
        let asked = format!(
            "(:TYPE :REQUEST :TARGET :{target} :PAYLOAD (:CMD \"touch by-command\" :OTHER \"touch by-other\" \
             :EXPLANATION \"touch by-explanation\"))"
        );
        let daemon = home.start_scripted(&[asked, message("it was refused")]);
        assert_eq!(status(&home, name, false)["state"], "ready");
        let mut peer = daemon.connect();
        let turn = peer.ask("do it");
        assert_eq!(turn.outcome(), "WAITING", "what nothing is known of asks: {turn:#?}");
        let turn = peer.ask(&format!("/approve {}", turn.plan_id()));
        assert_eq!(turn.outcome(), "ANSWERED", "{turn:#?}");
        let told = home.prompts()[1].to_string();
        assert!(
            told.contains("process.propose"),
            "the refusal says why and what to do: {told}"
        );
        assert!(
            !home.workspace().join(marker).exists(),
            "{name} ran a command that no gate had cleared"
        );
        let ran = home.run(&["explain", "last"]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
}

#[test]
fn a_command_of_a_skills_own_meets_the_gates_and_waits_for_a_person() {
    let home = Home::new();
    install(
        &home,
        "eager",
        &hostile::proposing_actuator("eager", "EAGER", "touch proposed"),
    );
    grant(&home, "eager", &["process"]);
    let daemon = home.start_scripted(&[
        proposal_for("EAGER", "anything"),
        message("the skill waits for you"),
        message("it is done"),
    ]);
    let mut peer = daemon.connect();
    let first = peer.ask("do it");
    let turn = peer.ask(&format!("/approve {}", first.plan_id()));
    assert!(!home.workspace().join("proposed").exists(), "it ran unapproved");
    let plan = turn.plan();
    assert!(plan.to_string().contains("touch proposed"), "{plan}");
    assert!(
        plan.to_string().contains("(:SKILL \\\"eager\\\")"),
        "it is shown as the skill's own: {plan}"
    );
    let id = turn.plan_id().to_owned();
    let turn = peer.ask(&format!("/approve {id}"));
    assert_eq!(turn.outcome(), "ANSWERED", "{turn:#?}");
    assert!(home.workspace().join("proposed").exists(), "approved, and not run");
}

#[test]
fn a_command_of_a_skills_own_that_a_gate_rejects_never_runs() {
    let home = Home::new();
    install(
        &home,
        "eager",
        &hostile::proposing_actuator("eager", "EAGER", "rm -rf /"),
    );
    grant(&home, "eager", &["process"]);
    let daemon = home.start_scripted(&[proposal_for("EAGER", "anything"), message("refused")]);
    let mut peer = daemon.connect();
    let first = peer.ask("do it");
    let turn = peer.ask(&format!("/approve {}", first.plan_id()));
    assert!(turn.all("PLAN").is_empty(), "{turn:#?}");
    let told = home.prompts()[1].to_string();
    assert!(told.contains("dispatcher"), "which gate, and why: {told}");
}

#[test]
fn bad_files_beside_good_ones_are_named_with_their_reason_and_harm_nothing() {
    let home = Home::new();
    let good = hostile::passing_gate("good");
    install(&home, "good", &good);
    install(&home, "text", b"(component) ; not assembled");
    install(&home, "core", &hostile::core_module());
    install(&home, "cut", &good[..good.len() / 2]);
    install(&home, "empty", b"");
    install(&home, "noise", &[0xfe; 300]);
    install(&home, "other-name", &good);
    install(&home, "Bad Name", &good);
    install(&home, "No_Bak", &good);
    install(&home, "reaching", &hostile::reaching_skill("reaching"));
    let skills = home.path().join("skills");
    std::os::unix::fs::symlink("/dev/zero", skills.join("endless.wasm")).unwrap();
    std::os::unix::fs::symlink("/nowhere/at/all", skills.join("gone.wasm")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(skills.join("pipe.wasm"))
        .status();
    assert!(made.unwrap().success());
    std::fs::create_dir(home.path().join("skills/folder.wasm")).unwrap();
    let mut daemon = home.start_scripted(&[message("all is well")]);
    for (name, said) in [
        ("text", "text"),
        ("core", "core WebAssembly module"),
        (
            "cut",
            "cut, or is not yet copied completely; if it stays so, copy it again",
        ),
        ("empty", "empty"),
        ("noise", "not WebAssembly"),
        ("other-name", "`good`"),
        ("Bad Name", "can't name a skill"),
        ("No_Bak", "rename the file to `no-bak.wasm`"),
        ("reaching", "passepartout:skill/teleport@0.1.0"),
        ("folder", "no plain file"),
        ("endless", "no plain file"),
        ("pipe", "no plain file"),
        ("gone", "can't be read"),
    ] {
        let status = status(&home, name, false);
        assert_eq!(status["state"], "failed", "{status}");
        assert!(reason(&status).contains(said), "{status}");
        assert!(daemon.log().contains(&format!("`{name}`")), "the log names {name} too");
    }
    assert_eq!(status(&home, "good", false)["state"], "ready");
    for name in ["policy", "dispatcher", "shell", "files", "memory", "web"] {
        assert_eq!(status(&home, name, true)["state"], "ready");
    }
    assert_eq!(daemon.connect().ask("hello").reply(), "all is well");
    daemon.assert_healthy();
}

#[test]
fn a_dispatcher_without_trust_is_not_used_and_with_trust_it_is() {
    let home = Home::new();
    install(&home, "dispatcher", &hostile::rejecting_gate("dispatcher", "mine-now"));
    let daemon = home.start_scripted(&[proposal("ls | tee listing")]);
    let waiting = status(&home, "dispatcher", false);
    assert_eq!(waiting["state"], "waiting", "{waiting}");
    assert!(reason(&waiting).contains("skill trust"), "{waiting}");
    assert_eq!(status(&home, "dispatcher", true)["state"], "ready");
    assert_eq!(
        daemon.connect().ask("look").outcome(),
        "WAITING",
        "the bundled one asks"
    );
    assert!(daemon.stop().success());

    let file = home.path().join("skills/dispatcher.wasm");
    let ran = home.run(&["skill", "trust", file.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let daemon = home.start_scripted(&[message("a"), message("b"), message("c")]);
    let turn = daemon.connect().ask("hello");
    assert_eq!(turn.rejections(), [("dispatcher", "mine-now"); 3], "{turn:#?}");
    assert!(daemon.stop().success());

    // Trust is in the file, not in its name: another one waits again.
    install(&home, "dispatcher", &hostile::passing_gate("dispatcher"));
    let ran = home.run(&["gate", "check", "--json", "--", "touch", "x"]);
    let verdict: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_ne!(verdict["verdict"], "pass", "{verdict}");
    std::fs::remove_file(&file).unwrap();
    let daemon = home.start_scripted(&[message("back")]);
    Watcher::of(&daemon).wait("dispatcher", |row| row.source == "bundled" && row.state == "ready");
    assert_eq!(daemon.connect().ask("hello").reply(), "back");
}

#[test]
fn a_skill_that_waits_for_a_grant_is_ready_once_it_has_it_and_another_file_waits_again() {
    let home = Home::new();
    install(
        &home,
        "runner",
        &hostile::running_actuator("runner", "RUNNER", "payload.cmd"),
    );
    let waiting = status(&home, "runner", false);
    assert_eq!(waiting["state"], "waiting", "{waiting}");
    let command = "passepartout-host skill grant runner process";
    assert!(
        reason(&waiting).contains(command),
        "the message is the command: {waiting}"
    );
    grant(&home, "runner", &["process"]);
    assert_eq!(status(&home, "runner", false)["state"], "ready");
    assert_eq!(status(&home, "runner", false)["rights"], serde_json::json!(["process"]));

    install(
        &home,
        "runner",
        &hostile::running_actuator("runner", "RUNNER", "payload.other"),
    );
    assert_eq!(status(&home, "runner", false)["state"], "waiting");
    grant(&home, "runner", &["process", "--follow"]);
    assert_eq!(status(&home, "runner", false)["state"], "ready");
    install(
        &home,
        "runner",
        &hostile::running_actuator("runner", "RUNNER", "target"),
    );
    assert_eq!(status(&home, "runner", false)["state"], "ready");
    let mode = std::fs::metadata(home.path().join("config/grants"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn an_unknown_right_is_refused_and_grants_nothing() {
    let home = Home::new();
    install(
        &home,
        "runner",
        &hostile::running_actuator("runner", "RUNNER", "payload.cmd"),
    );
    let ran = home.run(&["skill", "grant", "runner", "proces"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("process"), "{ran:?}");
    assert_eq!(status(&home, "runner", false)["state"], "waiting");
}

#[test]
fn a_name_that_no_skill_can_have_is_granted_nothing_and_blames_no_file() {
    let home = Home::new();
    let ran = home.run(&["skill", "grant", "Bad Name", "process", "--follow"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("`Bad Name` can't name a skill"), "{ran:?}");
    assert!(!home.path().join("config/grants").exists());
}

#[test]
fn a_file_name_with_a_line_break_forges_no_line_of_the_list() {
    let home = Home::new();
    home.file("skills/x\npolicy         ready.wasm", b"text");
    let ran = home.run(&["skill", "list"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let policies = ran.out.lines().filter(|line| line.starts_with("policy ")).count();
    assert_eq!(policies, 1, "{}", ran.out);
}

#[test]
fn a_grants_file_with_an_error_grants_nothing_and_the_line_is_named() {
    let home = Home::new();
    install(
        &home,
        "runner",
        &hostile::running_actuator("runner", "RUNNER", "payload.cmd"),
    );
    grant(&home, "runner", &["process"]);
    let path = home.path().join("config/grants");
    let good = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{good}; a note\n(:GRANT :SKILL \"runner\" :FOLOW T)\n")).unwrap();
    let daemon = home.start_scripted(&[message("hi")]);
    assert!(daemon.log().contains("line 3"), "{}", daemon.log());
    assert_eq!(status(&home, "runner", false)["state"], "waiting");
    assert_eq!(daemon.connect().ask("hello").reply(), "hi");
    // A file that can't be understood is not added to.
    let ran = home.run(&["skill", "grant", "runner", "process"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("line 3"), "{ran:?}");
    assert!(daemon.stop().success());

    std::fs::write(&path, &good).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
    let daemon = home.start_scripted(&[message("hi")]);
    assert!(daemon.log().contains("chmod 600"), "{}", daemon.log());
    assert_eq!(status(&home, "runner", false)["state"], "waiting");
}

#[test]
fn the_bundled_skills_are_small_components_and_inspect_shows_what_they_are() {
    let home = Home::new();
    for (name, largest) in [
        ("policy", 300_000),
        ("shell", 300_000),
        ("repl", 300_000),
        ("files", 250_000),
        ("memory", 100_000),
        ("web", 150_000),
        // It holds a grammar of bash, and what programs and their subcommands do.
        ("dispatcher", 1_600_000),
    ] {
        let ran = home.run(&["skill", "inspect", name, "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let seen: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!(seen["name"], name);
        assert!(
            seen["size"].as_u64().is_some_and(|size| size > 1_000 && size < largest),
            "{seen}"
        );
        assert_eq!(seen["digest"].as_str().map(str::len), Some(64), "{seen}");
        let texts = |key: &str| -> Vec<String> {
            let items = seen[key].as_array().expect("an array");
            items
                .iter()
                .map(|item| item.as_str().expect("a text").to_owned())
                .collect()
        };
        assert!(
            texts("exports").contains(&"passepartout:skill/skill@0.1.0".to_owned()),
            "{seen}"
        );
        assert!(!texts("imports").is_empty(), "{seen}");
        let ran = home.run(&["skill", "inspect", name]);
        for shown in ["size", "digest", "exports", "imports", "passepartout:skill/skill@0.1.0"] {
            assert!(ran.out.contains(shown), "{shown}: {}", ran.out);
        }
        assert_eq!(status(&home, name, true)["state"], "ready");
        assert_eq!(status(&home, name, true)["digest"], seen["digest"]);
    }
}

#[test]
fn inspecting_a_file_that_is_no_skill_says_why() {
    let home = Home::new();
    let text = home.file("elsewhere/note.wasm", b"hello");
    let core = home.file("elsewhere/core.wasm", &hostile::core_module());
    for (path, said) in [(text, "text"), (core, "core WebAssembly module")] {
        let ran = home.run(&["skill", "inspect", path.to_str().unwrap()]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(
            ran.err.contains(said) && ran.err.contains(path.to_str().unwrap()),
            "{ran:?}"
        );
    }
    let mut mute = Guest::gate("mute");
    mute.describe_body = Some("unreachable".to_owned());
    let mute = home.file("elsewhere/mute.wasm", &mute.build());
    let ran = home.run(&["skill", "inspect", mute.to_str().unwrap()]);
    assert!(ran.code == 1 && ran.out.contains("no description"), "{ran:?}");
    assert!(
        ran.out.contains("`describe`, which only has to return the description")
            && ran.out.contains("build it again"),
        "{ran:?}"
    );
    assert!(ran.out.contains("digest"), "what can be read is shown: {ran:?}");
    let ran = home.run(&["skill", "show", "nobody"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("nobody"), "{ran:?}");
}

#[test]
fn a_file_whose_skill_has_another_name_is_warned_of_and_neither_trusted_nor_granted() {
    let home = Home::new();
    let policy = home.run(&["skill", "inspect", "policy", "--json"]);
    assert_eq!(policy.code, 0, "{policy:?}");
    let bytes = passepartout_host::skill::BUNDLED
        .iter()
        .find(|own| own.name == "policy")
        .expect("policy is bundled")
        .wasm;
    let path = home.file("skills/mine.wasm", bytes);
    let path = path.to_str().expect("a path in UTF-8");
    let seen = home.run(&["skill", "inspect", path]);
    assert!(seen.err.contains("`mine`") && seen.err.contains("`policy`"), "{seen:?}");
    for args in [["skill", "trust", path, "--"], ["skill", "grant", path, "revise"]] {
        let args: Vec<&str> = args.into_iter().filter(|arg| *arg != "--").collect();
        let ran = home.run(&args);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains("make both the same"), "{ran:?}");
    }
    assert!(!home.path().join("config/grants").exists(), "nothing was written");
}

#[test]
fn whoever_names_a_folder_is_told_which_file_a_build_makes_in_it() {
    let home = Home::new();
    home.file("aside/no-bak/Cargo.toml", b"[package]\n");
    home.file("aside/plain/note", b"");
    let built = "target/wasm32-unknown-unknown/release/no_bak.wasm";
    for word in ["check", "install", "inspect", "trust"] {
        for (folder, said) in [("no-bak", built), ("plain", "name the .wasm file")] {
            let path = home.path().join("aside").join(folder);
            let ran = home.run(&["skill", word, path.to_str().unwrap()]);
            assert!(
                ran.code == 1 && ran.err.contains("is a folder") && ran.err.contains(said),
                "{ran:?}"
            );
        }
    }
}
