//! What `skill new` begins with for skills whose deeds come later than their call, from the crate to the daemon; and where
//! it puts a crate.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;

use passepartout_tests::author::Crate;
use passepartout_tests::bash::in_bash;
use passepartout_tests::daemon::make_private;
use passepartout_tests::{Home, host_binary, message};

const PLAIN: &str = "wasm32-unknown-unknown";

/// A crate of this kind, built and installed in `home`.
fn installed(home: &Home, name: &str, kind: &str) {
    let skill = Crate::new(home, name, kind);
    let said = skill.cargo(&["test", "--offline"]);
    assert!(said.contains(" passed; 0 failed"), "{said}");
    skill.cargo(&["build", "--offline", "--release", "--target", PLAIN]);
    let file = skill.built(PLAIN);
    let ran = home.run(&["skill", "install", file.to_str().unwrap(), "--yes"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn a_new_proposers_command_is_an_action_of_its_own_and_runs_once_a_person_approved_it() {
    let home = Home::new().config("[settings.dispatcher]\ntools.keep-safe = \"allow\"\n");
    installed(&home, "keep-safe", "proposer");
    fs::create_dir_all(home.workspace().join("notes")).unwrap();
    fs::write(home.workspace().join("notes/first.txt"), "a note").unwrap();
    let call = "(:TOOL \"keep-safe\" :ARGS (:FOLDER \"notes\") :EXPLANATION \"to have a copy of the notes\")";
    let daemon = home.start_scripted(&[
        call.to_owned(),
        message("a person is asked about the copy"),
        message("the copy is there"),
        call.to_owned(),
        message("a person is asked once more"),
    ]);
    let mut peer = daemon.connect();
    let turn = peer.ask("keep my notes");
    let plan = turn.plan().to_string();
    for part in [
        "cp -r -- notes notes.copy",
        "to keep notes as it is before it is changed",
        "(:SKILL \\\"keep-safe\\\")",
    ] {
        assert!(plan.contains(part), "{part}: {plan}");
    }
    assert!(!home.workspace().join("notes.copy").exists(), "it ran unapproved");
    let told = home.prompts()[1].to_string();
    assert!(
        told.contains("a person must approve this first: the plan ") && !told.contains("must approve it first"),
        "it is said once: {told}"
    );
    let turn = peer.ask(&format!("/approve {}", turn.plan_id()));
    assert_eq!(turn.outcome(), "ANSWERED", "{turn:#?}");
    let copied = fs::read_to_string(home.workspace().join("notes.copy/first.txt")).unwrap();
    assert_eq!(copied, "a note");
    let ran = home.run(&["send", "keep my notes once more"]);
    assert_eq!(ran.code, 4, "a plan waits: {ran:?}");
}

#[test]
fn what_a_new_reminder_scheduled_is_told_to_the_person_when_it_is_due() {
    let home = Home::new().config("[settings.dispatcher]\ntools.nudge = \"allow\"\n");
    installed(&home, "nudge", "reminder");
    let call =
        "(:TOOL \"nudge\" :ARGS (:TEXT \"water the plants\" :EVERY \"1day\") :EXPLANATION \"so that they live\")";
    let session = {
        let daemon = home.start_scripted(&[call.to_owned(), message("I will")]);
        let mut peer = daemon.connect();
        let turn = peer.ask("remind me of the plants every day");
        assert_eq!((turn.reply(), turn.outcome()), ("I will", "ANSWERED"), "{turn:#?}");
        let told = home.prompts()[1].to_string();
        assert!(told.contains("the person will be reminded"), "{told}");
        let status = home.run(&["status"]);
        let line = status.out.lines().find(|line| line.starts_with("scheduled"));
        assert!(
            line.is_some_and(|line| line.contains("nudge, every 1day: ") && line.ends_with("water the plants")),
            "{status:?}"
        );
        let session = peer.session().to_owned();
        assert!(daemon.stop().success());
        session
    };
    // A day passes.
    let file = home.path().join("data/schedule");
    let kept = fs::read_to_string(&file).unwrap();
    let (before, next) = kept.split_once(":NEXT ").expect("an entry");
    let rest = next.trim_start_matches(|char: char| char.is_ascii_digit());
    fs::write(&file, format!("{before}:NEXT 1{rest}")).unwrap();
    make_private(&file);
    let daemon = home.start_scripted(&[message("unused")]);
    let turns = home.path().join(format!("data/turns/{session}.turns"));
    daemon.wait_until("it is told", || {
        fs::read_to_string(&turns).is_ok_and(|turns| turns.contains("You wanted to be reminded: water the plants"))
    });
}

#[test]
fn a_new_skill_on_the_heartbeat_says_nothing_on_a_beat_until_it_has_something_to_say() {
    let home = Home::new().config("loop.heartbeat_seconds = 1\n\n[settings.stretch]\nbeats = 3\n");
    installed(&home, "stretch", "heartbeat");
    let ran = home.run(&["skill", "inspect", "stretch"]);
    assert!(ran.out.contains("triggers   sensor heartbeat\n"), "{ran:?}");
    let daemon = home.start_scripted(&[message("never asked")]);
    let record = home.path().join("data/record.log");
    let count = |what: &str| fs::read_to_string(&record).unwrap_or_default().matches(what).count();
    let (beat, told) = (":ACTION :FIRED", ":TEXT \"Stand up for a moment.\"");
    daemon.wait_until("a beat says something", || count(told) > 0);
    assert!(count(beat) >= 3, "the beats before it were silent");
    let status = home.run(&["status"]);
    assert!(status.out.contains("arrived while nobody was attached"), "{status:?}");
    let chat = in_bash(&home, &format!("echo | {} chat", host_binary().display()))
        .output()
        .unwrap();
    let heard = String::from_utf8_lossy(&chat.stdout).into_owned();
    assert!(heard.contains("Stand up for a moment."), "{chat:?}");
    assert_eq!(home.prompts().len(), 0, "no model is asked");
}

#[test]
fn a_new_hint_stands_beside_what_the_person_said_where_it_is_meant_and_nowhere_else() {
    let home = Home::new().config("[settings.tone]\nchangelog = \"Ask before you write it.\"\n");
    installed(&home, "tone", "hint");
    let daemon = home.start_scripted(&[message("it is ten"), message("shall I?")]);
    let mut peer = daemon.connect();
    peer.ask("what is the time?");
    peer.ask("write the changelog");
    let told = |question: usize| {
        home.prompts()[question]
            .to_string()
            .contains("Ask before you write it.")
    };
    assert_eq!((told(0), told(1)), (false, true), "{:#?}", home.prompts());
}

#[test]
fn a_crate_is_written_into_a_folder_that_is_made_for_it_and_it_is_said_where() {
    let home = Home::new();
    let place = home.path().join("my own/skills");
    let parent = place.to_str().unwrap();
    let ran = home.run(&["skill", "new", "mine", "--path", parent]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let folder = place.join("mine");
    assert!(folder.join("src/lib.rs").is_file());
    let at = folder.canonicalize().unwrap();
    assert!(ran.out.contains(&format!("written to {}", at.display())), "{ran:?}");

    // What can't be made leaves nothing behind, and says so.
    fs::write(home.path().join("in-the-way"), "a file").unwrap();
    let below = home.path().join("in-the-way/deeper");
    let ran = home.run(&["skill", "new", "mine", "--path", below.to_str().unwrap()]);
    assert!(
        ran.code == 1 && ran.err.contains("in-the-way/deeper can't be made"),
        "{ran:?}"
    );
    let ran = home.run(&[
        "skill",
        "new",
        "No Name",
        "--path",
        home.path().join("other").to_str().unwrap(),
    ]);
    assert!(ran.code == 2 && !home.path().join("other").exists(), "{ran:?}");
}
