//! The path of a skill's author: `skill new`, cargo alone and offline, `skill check`, `skill install`, and a daemon that
//! asks the new skill.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use passepartout_tests::author::{Crate, cargo, drop_in};
use passepartout_tests::guest::Guest;
use passepartout_tests::skills::Watcher;
use passepartout_tests::{Home, Ran, hostile, message};

const PLAIN: &str = "wasm32-unknown-unknown";
const WASIP2: &str = "wasm32-wasip2";

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

fn run(home: &Home, command: &str, file: &Path, more: &[&str]) -> Ran {
    let mut args = vec!["skill", command, text(file)];
    args.extend(more);
    home.run(&args)
}

/// The state of the skill in the file NAME.wasm, and why.
fn state(home: &Home, name: &str) -> (String, String) {
    let ran = home.run(&["skill", "list", "--json"]);
    let list: serde_json::Value = serde_json::from_str(&ran.out).expect("a JSON array");
    let skills = list.as_array().expect("a JSON array").iter();
    let found = skills
        .filter(|skill| skill["name"] == name && skill["source"] != "bundled")
        .collect::<Vec<_>>();
    assert_eq!(found.len(), 1, "{name}: {list:#}");
    let word = |key: &str| found[0][key].as_str().unwrap_or_default().to_owned();
    (word("state"), word("reason"))
}

#[test]
fn a_new_gate_builds_offline_for_each_target_and_judges_in_a_daemon() {
    let home = Home::new();
    let skill = Crate::new(&home, "loud-guard", "gate");
    let said = skill.cargo(&["test", "--offline"]);
    assert!(said.contains("4 passed"), "{said}");
    for target in [PLAIN, WASIP2] {
        skill.cargo(&["build", "--offline", "--release", "--target", target]);
        let ran = run(&home, "check", &skill.built(target), &["--json"]);
        let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!(
            (ran.code, &report["state"]),
            (0, &serde_json::json!("ready")),
            "{ran:?}"
        );

        let answers = [message("IT IS DONE"), message("IT IS DONE"), message("it is done")];
        let daemon = home.start_scripted(&answers);
        // One that was deleted while no daemon ran might still come back.
        Watcher::of(&daemon).wait_gone("loud-guard");
        assert_eq!(
            daemon.connect().ask("hello").reply(),
            "IT IS DONE",
            "no gate is against it yet"
        );
        drop_in(&home, &daemon, "loud-guard", &skill.built(target));
        let turn = daemon.connect().ask("hello");
        assert_eq!(
            (turn.reply(), turn.outcome()),
            ("it is done", "ANSWERED"),
            "{target}: {turn:#?}"
        );
        let told = home.prompts().last().expect("a prompt").to_string();
        assert!(
            told.contains("write it in lower case"),
            "the model is told what to do: {told}"
        );
        assert!(daemon.stop().success());
        std::fs::remove_file(home.path().join("skills/loud-guard.wasm")).unwrap();
    }
}

#[test]
fn a_new_actuator_carries_out_what_was_approved_and_keeps_its_state() {
    let home = Home::new();
    let skill = Crate::new(&home, "my-sum", "actuator");
    assert!(skill.cargo(&["test", "--offline"]).contains("2 passed"));
    skill.cargo(&["build", "--offline", "--release", "--target", WASIP2]);
    let ran = run(&home, "install", &skill.built(WASIP2), &["--yes"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("acts for   my-sum"), "{}", ran.out);

    let add = |number: i64| {
        format!("(:TYPE :REQUEST :TARGET :MY-SUM :PAYLOAD (:ADD {number} :EXPLANATION \"to know the sum\"))")
    };
    let daemon = home.start_scripted(&[add(3), message("three"), add(4), message("seven")]);
    let mut peer = daemon.connect();
    for total in ["the total is 3", "the total is 7"] {
        let turn = peer.ask("add it");
        let turn = peer.ask(&format!("/approve {}", turn.plan_id()));
        assert_eq!(turn.outcome(), "ANSWERED", "{turn:#?}");
        let told = home.prompts().last().expect("a prompt").to_string();
        assert!(told.contains(total), "{told}");
    }
}

#[test]
fn what_a_file_asks_for_is_shown_with_the_command_that_grants_it() {
    let home = Home::new();
    let file = home.file(
        "elsewhere/sly.wasm",
        &hostile::running_actuator("sly", "SLY", "payload.cmd"),
    );
    let ran = run(&home, "check", &file, &[]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let command = format!("passepartout-host skill grant {} process", file.display());
    assert!(
        ran.out.contains(&command) && ran.out.contains("waiting:"),
        "{}",
        ran.out
    );
    let ran = run(&home, "install", &file, &["--yes"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("process: to run commands"), "{}", ran.out);
    assert_eq!(state(&home, "sly").0, "ready");
}

#[test]
fn a_new_tool_is_offered_to_the_model_and_called() {
    let home = Home::new().config("[settings.dispatcher]\ntools.words = \"allow\"\n");
    let skill = Crate::new(&home, "words", "tool");
    assert!(skill.cargo(&["test", "--offline"]).contains("2 passed"));
    skill.cargo(&["build", "--offline", "--release", "--target", PLAIN]);
    let ran = run(&home, "install", &skill.built(PLAIN), &["--yes"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let call = "(:TOOL \"words\" :ARGS (:TEXT \"one two three\") :EXPLANATION \"to count what was asked\")";
    let daemon = home.start_scripted(&[call.to_owned(), message("three")]);
    let turn = daemon.connect().ask("how many?");
    assert_eq!(turn.outcome(), "ANSWERED", "{turn:#?}");
    assert!(
        home.prompts()[0].to_string().contains("Counts the words"),
        "it is among the tools"
    );
    assert!(
        home.prompts()[1].to_string().contains("3 words"),
        "{}",
        home.prompts()[1]
    );
}

#[test]
fn a_new_fetcher_builds_offline_and_waits_for_all_that_it_reaches_for() {
    let home = Home::new();
    let skill = Crate::new(&home, "who-is-up", "fetcher");
    assert!(skill.cargo(&["test", "--offline"]).contains("4 passed"));
    skill.cargo(&["build", "--offline", "--release", "--target", PLAIN]);
    let ran = run(&home, "check", &skill.built(PLAIN), &[]);
    assert_eq!(ran.code, 1, "{ran:?}");
    for right in ["files:read:workspace", "http:status.example.org", "vault:status-token"] {
        assert!(
            ran.out.contains(&format!("{right} is not granted")),
            "{right}: {}",
            ran.out
        );
    }
}

#[test]
fn nothing_is_overwritten_and_a_name_that_can_be_none_is_refused() {
    let home = Home::new();
    let skill = Crate::new(&home, "mine", "gate");
    std::fs::write(skill.folder().join("src/lib.rs"), "// my own work").unwrap();
    let parent = text(skill.folder().parent().unwrap()).to_owned();
    for (name, said, code) in [
        ("mine", "is there already", 1),
        ("Mine", "can't name a skill", 2),
        ("../mine", "can't name a skill", 2),
        ("match", "means something else to Rust", 2),
        ("host", "the daemon itself refuses", 2),
    ] {
        let ran = home.run(&["skill", "new", name, "--path", &parent]);
        assert_eq!(ran.code, code, "{ran:?}");
        assert!(ran.err.contains(said), "{ran:?}");
    }
    let kept = std::fs::read_to_string(skill.folder().join("src/lib.rs")).unwrap();
    assert_eq!(kept, "// my own work");
}

#[test]
fn nothing_is_installed_without_a_yes_nor_what_has_a_fault() {
    let home = Home::new();
    let file = home.file(
        "elsewhere/sly.wasm",
        &hostile::running_actuator("sly", "SLY", "payload.cmd"),
    );
    let ran = run(&home, "install", &file, &[]);
    assert_eq!(ran.code, 4, "it waits for a yes: {ran:?}");
    assert!(
        ran.err.contains("nothing has changed") && ran.err.contains("--yes"),
        "{ran:?}"
    );
    let broken = home.file("elsewhere/broken.wasm", b"\0asm\x0d\0\x01\0");
    let ran = run(&home, "install", &broken, &["--yes"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("does not export"), "{ran:?}");
    assert!(!home.path().join("config/grants").exists(), "nothing was granted");
    assert!(!home.path().join("skills/sly.wasm").exists());
    assert!(!home.path().join("skills/broken.wasm").exists());
}

#[test]
fn what_is_installed_and_waits_for_another_skill_is_told_apart_by_the_exit_code() {
    let home = Home::new();
    let needy = Guest::new("(:NAME \"needy\" :VERSION \"1\" :FUNCTIONS (:GATE) :DEPENDS-ON (\"nobody\"))").build();
    let file = home.file("elsewhere/needy.wasm", &needy);
    let ran = run(&home, "install", &file, &["--yes"]);
    assert!(ran.code == 4 && ran.err.contains("nobody"), "{ran:?}");
    assert_eq!(state(&home, "needy").0, "waiting");
    let _daemon = home.start();
    let ran = run(&home, "install", &file, &["--yes"]);
    assert!(ran.code == 4 && ran.err.contains("it is waiting"), "{ran:?}");
}

#[test]
fn what_was_granted_on_installing_is_for_that_file_and_can_be_taken_back() {
    let home = Home::new();
    let sly = |path: &str| home.file("elsewhere/sly.wasm", &hostile::running_actuator("sly", "SLY", path));
    let ran = run(&home, "install", &sly("payload.cmd"), &["--yes"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(state(&home, "sly").0, "ready");

    // Another build, copied by hand, has to ask again.
    std::fs::copy(sly("payload.other"), home.path().join("skills/sly.wasm")).unwrap();
    assert_eq!(state(&home, "sly").0, "waiting");
    let ran = run(&home, "install", &sly("payload.other"), &["--yes"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(state(&home, "sly").0, "ready");

    let ran = home.run(&["skill", "revoke", "sly", "revise"]);
    assert!(ran.code == 1 && ran.err.contains("sly has process"), "{ran:?}");
    let ran = home.run(&["skill", "revoke", "sly", "process"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let (state, why) = state(&home, "sly");
    assert!(
        state == "waiting" && why.contains("skill grant sly process"),
        "{state}: {why}"
    );
}

#[test]
fn installing_over_a_bundled_skill_says_so_and_revoking_brings_the_bundled_one_back() {
    let home = Home::new();
    let file = home.file("elsewhere/policy.wasm", &hostile::passing_gate("policy"));
    let ran = run(&home, "check", &file, &[]);
    assert!(ran.code == 1 && ran.out.contains("skill trust"), "{ran:?}");
    // What asks nobody does not replace a gate that everything depends on.
    let ran = run(&home, "install", &file, &["--yes"]);
    assert!(ran.code == 1 && ran.err.contains("skill trust"), "{ran:?}");
    assert!(ran.out.contains("replaces   the bundled skill policy"), "{}", ran.out);
    assert!(!home.path().join("skills/policy.wasm").exists());
    let ran = run(&home, "trust", &file, &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = run(&home, "install", &file, &["--yes"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(state(&home, "policy").0, "ready");
    let ran = home.run(&["skill", "revoke", "policy"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(state(&home, "policy").0, "waiting");
}

#[test]
fn a_component_of_another_version_is_told_both_versions_and_which_side_to_update() {
    // The names are text in the file, and these are as long as ours.
    let with = |bytes: &[u8], from: &str, to: &str| {
        let at: Vec<usize> = (0..bytes.len() - from.len())
            .filter(|at| bytes[*at..].starts_with(from.as_bytes()))
            .collect();
        assert!(!at.is_empty(), "{from} is not in the component");
        let mut bytes = bytes.to_vec();
        for at in at {
            bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        }
        bytes
    };
    let home = Home::new();
    let gate = hostile::passing_gate("other");
    let actuator = hostile::running_actuator("other", "OTHER", "payload.cmd");
    for (bytes, interface, version, remedy) in [
        (&gate, "skill", "0.2.0", "update the host"),
        (
            &gate,
            "skill",
            "0.0.9",
            "build the skill again with the SDK of this host",
        ),
        (&actuator, "process", "0.2.0", "update the host"),
        (
            &actuator,
            "process",
            "0.0.9",
            "build the skill again with the SDK of this host",
        ),
    ] {
        let ours = format!("passepartout:skill/{interface}@0.1.0");
        let theirs = format!("passepartout:skill/{interface}@{version}");
        let file = home.file("skills/other.wasm", &with(bytes, &ours, &theirs));
        let said =
            format!("built for passepartout:skill@{version} and this host speaks passepartout:skill@0.1.0: {remedy}");
        let ran = run(&home, "check", &file, &[]);
        assert!(ran.code == 1 && ran.out.contains(&said), "{ran:?}");
        let daemon = home.start();
        let (state, why) = state(&home, "other");
        assert!(state == "failed" && why.contains(&said), "{state}: {why}");
        assert!(daemon.stop().success());
    }
}

fn project() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    root.expect("the tests stand in a project").to_owned()
}

/// The folders of the examples, and the skills in them.
const EXAMPLES: [(&str, &str); 8] = [
    ("gate", "no-shouting"),
    ("actuator", "running-total"),
    ("tool", "count-words"),
    ("fetcher", "service-status"),
    ("proposer", "copy-folder"),
    ("reminder", "remind-later"),
    ("heartbeat", "stand-up"),
    ("hint", "house-style"),
];

#[test]
fn the_examples_of_the_guide_are_ready_once_they_are_installed() {
    let home = Home::new();
    let target = home.path().join("target");
    for (kind, name) in EXAMPLES {
        let folder = project().join("docs/examples").join(kind);
        let args = [
            "build",
            "--locked",
            "--release",
            "--target",
            PLAIN,
            "--target-dir",
            text(&target),
        ];
        cargo(&folder, &home.path().join("cargo-home"), &args);
        let file = target
            .join(PLAIN)
            .join("release")
            .join(format!("{}.wasm", name.replace('-', "_")));
        let ran = run(&home, "install", &file, &["--yes"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(state(&home, name).0, "ready", "{kind}");
    }
}

#[test]
fn the_code_in_the_guide_and_in_the_readme_is_that_of_the_examples() {
    let read =
        |path: &str| std::fs::read_to_string(project().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let sources = EXAMPLES.map(|(kind, _)| read(&format!("docs/examples/{kind}/src/lib.rs")));
    let mut shown = 0;
    for document in ["docs/writing-skills.md", "README.md"] {
        let text = read(document);
        for block in text.split("```rust\n").skip(1) {
            let block = block.split("```").next().unwrap_or_default();
            assert!(
                sources.iter().any(|source| source.contains(block)),
                "{document} shows code that no example in docs/examples has:\n{block}"
            );
            shown += 1;
        }
    }
    assert!(
        shown >= 11,
        "the guide shows two parts of a gate, an actuator, a tool, two parts of a fetcher, a proposer, a reminder, a \
         heartbeat and a hint, the README a gate; found {shown}"
    );
}

#[test]
fn a_skill_written_by_hand_in_the_text_format_is_one_like_any_other() {
    let home = Home::new();
    let wat = project().join("docs/examples/by-hand/brief.wat");
    let bytes = wat::parse_file(&wat).unwrap_or_else(|error| panic!("{error}"));
    let file = home.file("skills/brief.wasm", &bytes);
    let ran = run(&home, "check", &file, &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let (long, short) = ("a".repeat(501), "a".repeat(500));
    let daemon = home.start_scripted(&[message(&long), message(&short)]);
    let turn = daemon.connect().ask("hello");
    assert_eq!(
        (turn.reply(), turn.outcome()),
        (short.as_str(), "ANSWERED"),
        "{turn:#?}"
    );
    assert!(
        home.prompts()[1].to_string().contains("say it in 500 bytes"),
        "{}",
        home.prompts()[1]
    );
}
