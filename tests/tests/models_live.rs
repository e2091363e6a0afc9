//! Models in a daemon that goes on: answers of any size and kind, a stop while one is asked, another configuration
//! without a new start, and questions that go elsewhere by a rule.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::io::Write;
use std::process::Stdio;

use passepartout_host::sexp::Form;
use passepartout_tests::daemon::make_private;
use passepartout_tests::script::eval;
use passepartout_tests::server::{Deed, Server, answer, json_answer};
use passepartout_tests::{Home, Peer, Ran, message, proposal};
use serde_json::json;

/// Escape, right-to-left override, zero-width space, tag letter, delete, C1 introducer.
const HIDDEN: &str = "\u{1b}[31m\u{1b}]0;title\u{7}\u{202e}gnp\u{200b}\u{e0041}\u{7f}\u{9b}2J";

fn described(name: &str, port: u16) -> String {
    format!("[providers.{name}]\nbase_url = \"http://127.0.0.1:{port}/v1\"\nmodel = \"tiny\"\n")
}

fn home(lines: &str, port: u16) -> Home {
    Home::new().config(&format!(
        "[model]\ncascade = [\"only\"]\n{lines}\n{}",
        described("only", port)
    ))
}

fn assert_visible(text: &str) {
    let hidden = |char: &char| {
        (char.is_control() && *char != '\n' && *char != '\t')
            || matches!(char, '\u{202e}' | '\u{200b}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
    };
    let found = text.chars().find(hidden);
    assert_eq!(found, None, "{:?}", text.chars().take(2_000).collect::<String>());
}

/// Says `lines` to a chat through a pipe.
fn chat(home: &Home, lines: &str) -> Ran {
    let mut child = home
        .command()
        .arg("chat")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn ten_megabytes_are_left_while_they_are_read_and_the_bound_is_named() {
    for kind in ["application/json", "text/event-stream"] {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n");
        let start = match kind {
            "application/json" => "{\"choices\":[{\"message\":{\"content\":\"",
            _ => "data: {\"choices\":[{\"delta\":{\"content\":\"",
        };
        let server = Server::start(vec![Deed::Flood(format!("{head}{start}").into_bytes(), 10 << 20)]);
        let home = home("answer_bytes = 50000", server.port);
        let mut daemon = home.start();
        let ran = home.run(&["send", "tell me everything"]);
        assert_eq!(ran.code, 6, "{kind}: {ran:?}");
        let told = format!("{}{}", ran.out, ran.err);
        assert!(
            told.contains("longer than 50000 bytes; `model.answer_bytes` raises that bound"),
            "{kind}: {told}"
        );
        assert!(told.len() < 2_000 && daemon.log().len() < 100_000, "{kind}");
        daemon.assert_healthy();
    }
}

#[test]
fn ten_megabytes_full_of_escapes_are_harmless_on_the_terminal() {
    let word = format!("{HIDDEN}word ");
    let long = format!("a text {HIDDEN} {}", word.repeat((10 << 20) / word.len()));
    let server = Server::start(vec![answer(&long)]);
    let home = home("answer_bytes = 12000000", server.port);
    let mut daemon = home.start();
    let sent = home.run(&["send", "go"]);
    let talked = chat(&home, "go\n");
    for ran in [sent, talked] {
        assert_eq!(ran.code, 0, "{:?}", ran.err);
        assert!(ran.out.len() > long.len(), "all of it is shown");
        assert_visible(&ran.out);
        assert_visible(&ran.err);
        assert!(
            ran.out.contains("a text <U+001B>[31m"),
            "{:?}",
            ran.out.chars().take(500).collect::<String>()
        );
    }
    assert_visible(&daemon.log());
    daemon.assert_healthy();
}

#[test]
fn an_error_full_of_escapes_is_harmless_on_the_terminal() {
    let body = json!({"error": {"message": format!("no {HIDDEN}\n2026-01-01T00:00:00Z  INFO forged")}});
    let server = Server::start(vec![json_answer(400, &body)]);
    let home = home("", server.port);
    let daemon = home.start();
    for ran in [
        home.run(&["send", "go"]),
        chat(&home, "go\n"),
        home.run(&["status"]),
        home.run(&["doctor"]),
    ] {
        assert_visible(&ran.out);
        assert_visible(&ran.err);
    }
    let log = daemon.log();
    assert_visible(&log);
    assert!(
        !log.lines().any(|line| line.starts_with("2026-01-01T00:00:00Z")),
        "{log}"
    );
}

#[test]
fn a_stop_ends_the_turn_while_the_model_is_asked() {
    let stops: [fn(&mut Peer) -> String; 3] = [
        |peer| peer.say("/stop"),
        |peer| peer.event("(:SENSOR :INTERRUPT)"),
        |peer| peer.request(":PAYLOAD (:ACTION :STOP)"),
    ];
    for stop in stops {
        let server = Server::start(vec![Deed::Silence, answer(&message("still here"))]);
        let home = home("", server.port);
        let daemon = home.start();
        let mut peer = daemon.connect();
        let asked = peer.say("hello");
        daemon.wait_until("the question", || server.seen().len() == 1);
        let stopped = stop(&mut peer);
        // Which of the two ends comes first is a matter of chance.
        let turn = peer.turn(&asked);
        assert_eq!(turn.outcome(), "CANCELLED", "{turn:#?}");
        if !turn
            .frames
            .iter()
            .any(|frame| frame.text_at("meta.request-id") == Some(&stopped))
        {
            peer.turn(&stopped);
        }
        assert_eq!(peer.ask("are you there?").reply(), "still here");
    }
}

#[test]
fn a_stop_ends_the_turn_while_a_servers_wish_to_wait_is_granted() {
    let busy = Deed::Answer(429, "Retry-After: 600\r\n".to_owned(), Vec::new());
    let server = Server::start(vec![busy, answer(&message("still here"))]);
    let home = home(
        "retry_after_cap_seconds = 600\ntotal_timeout_seconds = 7200",
        server.port,
    );
    let daemon = home.start();
    let mut peer = daemon.connect();
    let asked = peer.say("hello");
    daemon.wait_until("the wait", || daemon.log().contains("waiting as it asked"));
    peer.event("(:SENSOR :INTERRUPT)");
    assert_eq!(peer.turn(&asked).outcome(), "CANCELLED");
    assert_eq!(server.seen().len(), 1);
    assert_eq!(peer.ask("are you there?").reply(), "still here");
}

fn providers(peer: &mut Peer) -> Vec<String> {
    let status = peer.admin("(:ACTION :STATUS)");
    let providers = status.get("PROVIDERS").and_then(Form::items).unwrap().to_vec();
    providers
        .iter()
        .filter_map(|own| own.text_at("name"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn another_cascade_counts_without_a_new_start_and_a_faulty_file_changes_nothing() {
    let (one, two) = (
        Server::start(vec![answer(&message("one"))]),
        Server::start(vec![answer(&message("two"))]),
    );
    let both = format!("{}{}", described("one", one.port), described("two", two.port));
    let home = Home::new().config(&format!("[model]\ncascade = [\"one\"]\n{both}"));
    let daemon = home.start();
    let mut peer = daemon.connect();
    assert_eq!(peer.ask("who is there?").reply(), "one");

    home.file(
        "config/config.toml",
        format!("[model]\ncascade = [\"two\", \"one\"]\n{both}").as_bytes(),
    );
    daemon.wait_until("the new cascade", || providers(&mut peer) == ["two", "one"]);
    assert_eq!(peer.ask("and now?").reply(), "two");
    let ran = home.run(&["status"]);
    assert!(
        ran.out.contains("one (tiny): ready; 1 answered"),
        "what was remembered stays: {}",
        ran.out
    );

    for faulty in [
        "[model]\ncascade = [\"one\"",
        "[model]\ncascade = [\"tow\"]\n",
        "[model]\ncascad = [\"one\"]\n",
    ] {
        home.file("config/config.toml", format!("{faulty}\n{both}").as_bytes());
        let said = "the configuration changed and can't be used, so that the models stay as they were";
        let told = |command: &str| {
            let out = home.run(&[command]).out;
            out.split_whitespace().collect::<Vec<_>>().join(" ").contains(said)
        };
        daemon.wait_until("a word about the faulty file", || told("doctor"));
        assert!(told("status") && daemon.log().contains(said));
        assert_eq!(peer.ask("still you?").reply(), "two");
        home.file(
            "config/config.toml",
            format!("[model]\ncascade = [\"two\", \"one\"]\n{both}").as_bytes(),
        );
        daemon.wait_until("the end of it", || !told("doctor"));
    }
}

#[test]
fn who_gets_no_answer_hears_that_the_mended_file_has_a_fault_of_its_own() {
    let dead =
        "[model]\ncascade = [\"only\"]\n[providers.only]\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"tiny\"\n";
    let home = Home::new().config(dead);
    let daemon = home.start();
    let before = home.run(&["send", "hello"]);
    assert!(before.code == 6 && !before.err.contains("Besides"), "{before:?}");
    home.file("config/config.toml", dead.replace("base_url", "base_ulr").as_bytes());
    daemon.wait_until("a word about the faulty file", || daemon.log().contains("did you mean"));
    let ran = home.run(&["send", "hello"]);
    assert_eq!(ran.code, 6, "{ran:?}");
    let said = ran.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("Besides, the configuration changed and can't be used, so that the models stay as they were: ")
            && said.contains("line 4: ")
            && said.contains("did you mean `providers.only.base_url`?"),
        "{ran:?}"
    );
    home.file("config/config.toml", format!("{dead}# mended\n").as_bytes());
    let after = home.run(&["send", "hello"]);
    assert!(after.code == 6 && !after.err.contains("Besides"), "{after:?}");
}

#[test]
fn a_new_key_is_used_and_kept_secret_without_a_new_start() {
    const NEW: &str = "sk-test-new-5520e1c7f3";
    let server = Server::start(vec![answer(&message("hello"))]);
    let home = home("", server.port);
    home.file(
        "config/config.toml",
        format!(
            "[model]\ncascade = [\"only\"]\n{}key_variable = \"ONLY_KEY\"\n",
            described("only", server.port)
        )
        .as_bytes(),
    );
    let daemon = home.start();
    let mut peer = daemon.connect();
    let turn = peer.ask("hello");
    assert_eq!(turn.outcome(), "EXHAUSTED", "{turn:#?}");
    assert!(turn.errors().concat().contains("ONLY_KEY"), "{turn:#?}");

    let partly = home.file("config/env.new", format!("ONLY_KEY={NEW}\n").as_bytes());
    make_private(&partly);
    std::fs::rename(partly, home.path().join("config/env")).unwrap();
    daemon.wait_until("the key", || daemon.log().contains("configured anew"));
    assert_eq!(peer.ask(&format!("use {NEW} please")).outcome(), "ANSWERED");
    let seen = &server.seen()[0];
    assert!(
        seen.head
            .to_lowercase()
            .contains(&format!("authorization: bearer {NEW}")),
        "{}",
        seen.head
    );
    assert!(!seen.body.to_string().contains(NEW), "{}", seen.body);
    assert!(!daemon.log().contains(NEW));
}

#[test]
fn a_secret_that_comes_into_the_vault_is_the_key_from_then_on() {
    let server = Server::start(vec![answer(&message("hello"))]);
    let home = Home::new().config(&format!(
        "[model]\ncascade = [\"only\"]\n{}key = \"vault:only-key\"\n",
        described("only", server.port)
    ));
    let daemon = home.start();
    let mut peer = daemon.connect();
    assert_eq!(peer.ask("hello").outcome(), "EXHAUSTED");
    let mut set = home.command();
    let mut child = set
        .args(["vault", "set", "only-key"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"sk-test-vault-99b1").unwrap();
    assert!(child.wait().unwrap().success());
    daemon.wait_until("the key", || daemon.log().contains("configured anew"));
    assert_eq!(peer.ask("hello").reply(), "hello");
    assert!(server.seen()[0].head.contains("sk-test-vault-99b1"));
}

#[test]
fn who_was_named_at_the_start_stays_whatever_the_file_says() {
    let server = Server::start(vec![answer(&message("from the file"))]);
    let home = Home::new();
    let script = home.script(&[message("from the script"), message("from the script again")]);
    let daemon = home.start_with(&["--provider", &script]);
    let mut peer = daemon.connect();
    assert_eq!(peer.ask("hello").reply(), "from the script");
    let config = format!(
        "[model]\ncascade = [\"only\"]\nanswer_bytes = 2000\n{}",
        described("only", server.port)
    );
    home.file("config/config.toml", config.as_bytes());
    daemon.wait_until("the new bounds", || {
        daemon.log().contains("as it was given at the start")
    });
    assert_eq!(peer.ask("hello").reply(), "from the script again");
}

#[test]
fn a_rule_sends_questions_of_a_kind_to_another_provider() {
    let (usual, chats) = (
        Server::start(vec![answer(&message("usual"))]),
        Server::start(vec![answer(&message("for chats"))]),
    );
    let home = Home::new().config(&format!(
        "[model]\ncascade = [\"usual\"]\n[select.chats]\nsensor = \"user-input\"\ncascade = [\"chats\"]\n\
         [select.endless]\nlonger_than_bytes = 1000000\ncascade = [\"usual\"]\n{}{}",
        described("usual", usual.port),
        described("chats", chats.port)
    ));
    let daemon = home.start();
    assert_eq!(daemon.connect().ask("hello").reply(), "for chats");
    assert_eq!(usual.seen().len(), 0);
}

#[test]
fn a_rule_holds_for_all_questions_of_a_turn_also_after_an_approval() {
    let usual = Server::start(vec![answer(&message("usual"))]);
    let chats = Server::start(vec![
        answer(&eval("(+ 1 2)")),
        answer(&proposal("touch made")),
        answer(&message("it is made")),
    ]);
    let home = Home::new().config(&format!(
        "[model]\ncascade = [\"usual\", \"chats\"]\n[select.chats]\nsensor = \"user-input\"\ncascade = [\"chats\"]\n{}{}",
        described("usual", usual.port),
        described("chats", chats.port)
    ));
    let id = {
        let daemon = home.start();
        let turn = daemon.connect().ask("make it");
        assert_eq!(turn.outcome(), "WAITING", "{turn:#?}");
        assert_eq!(chats.seen().len(), 2);
        turn.plan_id().to_owned()
    };
    // Also where the daemon was started anew in between.
    let daemon = home.start();
    let ran = home.run(&["approve", &id, "--yes"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    daemon.wait_until("the last question", || chats.seen().len() == 3);
    assert!(home.workspace().join("made").exists());
    assert_eq!(usual.seen().len(), 0, "{:#?}", usual.seen());
}

#[test]
fn the_doctor_knows_a_slip_in_the_cascade_before_the_daemon_is_started() {
    let home = Home::new().config("[model]\ncascade = [\"olama\", \"offline\"]\n");
    let ran = home.run(&["doctor"]);
    assert!(ran.out.contains("did you mean `ollama`?"), "{ran:?}");
    // Nothing is near this one: all there are are named, each once, though one is configured that is known.
    let home = Home::new().config("[model]\ncascade = [\"zzz\"]\n[providers.openai]\nmodel = \"own\"\n");
    let ran = home.run(&["doctor"]);
    let (_, named) = ran.out.split_once("use one of ").expect("what there is");
    assert_eq!(
        named.split(", or describe").next().unwrap().matches("openai,").count(),
        1,
        "{ran:?}"
    );
}
