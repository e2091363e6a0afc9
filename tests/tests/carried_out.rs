//! What the host itself says of what was carried out, whatever a model says of it or no model can say anything.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::io::Write;

use passepartout_tests::daemon::Ran;
use passepartout_tests::server::{Deed, Server, failure};
use passepartout_tests::{Home, message, proposal};

/// The line that says that the command ended with this code, and how more is found out.
fn assert_told(home: &Home, text: &str, code: u32) {
    let line = text
        .lines()
        .find(|line| line.contains(&format!("shell: exit code {code}")));
    let line = line.unwrap_or_else(|| panic!("no line tells of exit code {code}: {text}"));
    assert_eq!(line.contains("failed"), code != 0, "{line}");
    let number = line
        .split("passepartout-host explain ")
        .nth(1)
        .expect("how more is found out");
    let explained = home.run(&["explain", number.trim()]);
    assert!(
        explained.code == 0 && explained.out.contains(&format!("exit code {code}")),
        "{explained:?}"
    );
}

fn approved(home: &Home) -> Ran {
    let asked = home.run(&["send", "go"]);
    let id = asked.err.split("passepartout-host approve ").nth(1).expect("a plan");
    home.run(&["approve", &id[..8], "--yes"])
}

#[test]
fn what_was_approved_and_failed_is_told_as_failed_although_the_model_praises_it() {
    let home = Home::new();
    let _daemon = home.start_scripted(&[proposal("touch made; exit 7"), message("All tests pass.")]);
    let ran = approved(&home);
    assert_eq!((ran.code, ran.out.as_str()), (1, "All tests pass.\n"), "{ran:?}");
    assert_told(&home, &ran.err, 7);
}

#[test]
fn a_plan_says_until_when_it_can_be_approved_wherever_it_is_shown() {
    let home = Home::new();
    let _daemon = home.start_scripted(&[proposal("touch made")]);
    let asked = home.run(&["send", "go"]);
    let until = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("Waits for you until "));
        let line = line.unwrap_or_else(|| panic!("it does not say until when: {text}"));
        assert!(line.ends_with(" from now):"), "{line}");
        line.get(.."Waits for you until 2026-03-01T12:15".len())
            .unwrap()
            .to_owned()
    };
    let told = until(&asked.err);
    assert_eq!(until(&home.run(&["status"]).out), told);
}

#[test]
fn what_was_approved_and_done_is_told_with_its_exit_code() {
    let home = Home::new();
    let _daemon = home.start_scripted(&[proposal("touch made"), message("hm")]);
    let ran = approved(&home);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_told(&home, &ran.err, 0);
}

#[test]
fn that_it_failed_is_told_where_no_model_can_say_anything_about_it() {
    let home = Home::new();
    let _daemon = home.start_scripted(&[proposal("touch made; exit 7")]);
    let ran = approved(&home);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_told(&home, &ran.err, 7);
    assert!(
        ran.err.contains("what was approved was carried out, and failed"),
        "{ran:?}"
    );
    assert!(home.workspace().join("made").exists());
}

#[test]
fn what_nobody_was_asked_about_is_told_of_only_where_it_fails() {
    let home = Home::new();
    let _daemon = home.start_scripted(&[proposal("ls"), proposal("ls nowhere"), message("There are many files.")]);
    let ran = home.run(&["send", "what is there?"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "There are many files.\n"), "{ran:?}");
    assert_told(&home, &ran.err, 2);
    assert!(!ran.err.contains("exit code 0"), "{ran:?}");
}

#[test]
fn a_chat_shows_how_an_approved_command_ended() {
    let home = Home::new();
    let _daemon = home.start_scripted(&[proposal("touch made; exit 7"), message("All tests pass.")]);
    let asked = home.run(&["send", "--json", "go"]);
    let asked: serde_json::Value = serde_json::from_str(&asked.out).expect("JSON");
    let session = asked["session"].as_str().expect("a session");
    let frames = asked["frames"].as_array().expect("frames");
    let id = frames.iter().find_map(|frame| frame["plan"].as_str()).expect("a plan");
    let mut chat = home.piped(&["chat", "--session", session]);
    let said = format!("/approve {id}\n");
    chat.stdin.take().unwrap().write_all(said.as_bytes()).unwrap();
    let out = String::from_utf8(chat.wait_with_output().unwrap().stdout).unwrap();
    assert!(out.contains("All tests pass."), "{out}");
    assert_told(&home, &out, 7);
}

#[test]
fn a_turn_that_is_stopped_for_repeating_itself_says_how_a_shell_goes_on_with_it() {
    let home = Home::new();
    let mut answers = vec![proposal("ls"); 3];
    answers.push(message("I went on"));
    let _daemon = home.start_scripted(&answers);
    let ran = home.run(&["send", "look"]);
    let command = ran
        .err
        .split("`passepartout-host ")
        .nth(1)
        .and_then(|rest| rest.split('`').next());
    let command: Vec<&str> = command.unwrap_or_else(|| panic!("{ran:?}")).split(' ').collect();
    assert_eq!((command[0], command.last()), ("send", Some(&"/continue")), "{ran:?}");
    let ran = home.run(&command);
    assert_eq!((ran.code, ran.out.as_str()), (0, "I went on\n"), "{ran:?}");
}

#[test]
fn whoever_gave_up_waiting_is_told_later_that_the_turn_failed() {
    let server = Server::start(vec![Deed::Silence, failure(401, "no")]);
    let home = Home::new().config(&format!(
        "[model]\ncascade = [\"local\"]\nfirst_byte_timeout_seconds = 3\n\
         [providers.local]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\n",
        server.port
    ));
    let daemon = home.start();
    let ran = home.run(&["send", "--timeout", "1", "hello"]);
    assert!(
        ran.code == 7 && ran.err.contains("you are told what came of it the next time"),
        "{ran:?}"
    );
    let unheard = || {
        home.run(&["status"])
            .out
            .contains("1 message arrived while nobody was attached")
    };
    daemon.wait_until("the turn has failed", unheard);
    // It is there after a kill as well.
    daemon.kill();
    let _daemon = home.start_scripted(&[message("hi")]);
    let next = home.run(&["send", "hello again"]);
    let said = next.out.clone() + &next.err;
    assert!(
        said.contains("it ended without an answer") && said.contains("took longer than 3 s"),
        "{next:?}"
    );
    assert!(
        !home.run(&["status"]).out.contains("while nobody was attached"),
        "it is told once"
    );
}

#[test]
fn an_answer_that_is_withheld_after_something_was_done_does_not_say_that_this_was_refused() {
    let home = Home::new();
    home.file("workspace/.env", b"API_KEY=sk-live-0123456789abcdefABCDEF0123456789\n");
    let _daemon = home.start();
    let asked = home.run(&["send", &proposal("cat .env; touch made")]);
    let id = asked.err.split("passepartout-host approve ").nth(1).expect("a plan");
    let ran = home.run(&["approve", &id[..8], "--yes"]);
    assert!(home.workspace().join("made").exists(), "{ran:?}");
    assert!(
        ran.out.contains("was withheld") && !ran.out.contains("That was refused"),
        "{ran:?}"
    );
    assert_told(&home, &ran.err, 0);
}

#[test]
fn whoever_gives_up_at_once_is_told_that_it_goes_on_only_once_the_daemon_has_taken_it_up() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("sleep 1; touch made"), message("done")]);
    let asked = home.run(&["send", "go"]);
    let id = &asked.err.split("passepartout-host approve ").nth(1).expect("a plan")[..8];
    for none in ["0", "0ms"] {
        let ran = home.run(&["approve", id, "--yes", "--timeout", none]);
        assert!(ran.code == 2 && ran.err.contains("at least 1ms"), "{ran:?}");
    }
    let ran = home.run(&["approve", id, "--yes", "--timeout", "1ms"]);
    assert!(ran.code == 7 && ran.err.contains("the turn goes on"), "{ran:?}");
    daemon.wait_until("it is carried out", || home.workspace().join("made").exists());
}

#[test]
fn whoever_waits_when_the_daemon_is_killed_is_told_how_to_go_on() {
    let server = Server::start(vec![Deed::Silence]);
    let home = Home::new().config(&format!(
        "[model]\ncascade = [\"local\"]\n[providers.local]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\n",
        server.port
    ));
    let daemon = home.start();
    let mut waiting = home.command();
    waiting.args(["send", "hello"]).stderr(std::process::Stdio::piped());
    let waiting = waiting.spawn().unwrap();
    daemon.wait_until("the model is asked", || !server.seen().is_empty());
    daemon.kill();
    let output = waiting.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for next in [
        "`passepartout-host run`",
        "`passepartout-host status`",
        "`passepartout-host explain last`",
    ] {
        assert!(said.contains(next), "{next}: {said}");
    }
}

#[test]
fn a_denial_with_a_blank_reason_says_none() {
    for reason in ["", "  "] {
        let home = Home::new();
        let _daemon = home.start_scripted(&[proposal("touch made"), message("well")]);
        let asked = home.run(&["send", "go"]);
        let id = &asked.err.split("passepartout-host approve ").nth(1).expect("a plan")[..8];
        assert_eq!(home.run(&["deny", id, "--reason", reason]).code, 0);
        let prompt = home.prompts().last().unwrap().to_string();
        assert!(prompt.contains("denied this action. It was not"), "{prompt}");
    }
}
