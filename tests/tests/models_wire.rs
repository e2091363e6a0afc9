//! Model servers that fail, over real HTTP: who is asked instead, what the user, the log and the doctor are told of it,
//! and that it passes by itself.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::process::Command;

use passepartout_host::sexp::Form;
use passepartout_tests::daemon::make_private;
use passepartout_tests::server::{Deed, Server, answer, failure, json_answer};
use passepartout_tests::{Daemon, Home, message};
use serde_json::json;

const KEY: &str = "sk-test-77c1d04be9a2";

/// A home whose cascade is these servers, in this order, with these lines of the model's table.
fn home(lines: &str, servers: &[(&str, u16)]) -> Home {
    let names: Vec<String> = servers.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    let mut config = format!("[model]\ncascade = [{}]\n{lines}\n", names.join(", "));
    for (name, port) in servers {
        config.push_str(&format!(
            "[providers.{name}]\nbase_url = \"http://127.0.0.1:{port}/v1\"\nmodel = \"tiny\"\n"
        ));
    }
    Home::new().config(&config)
}

/// A port on which nobody listens, and that no other test is given.
fn nobody() -> u16 {
    1
}

/// Asserts that after a first server that does this the second answers, and that the log names the cause.
fn next_answers(deed: Deed, lines: &str, cause: &str) {
    let first = Server::start(vec![deed]);
    let second = Server::start(vec![answer(&message("from the second"))]);
    let home = home(lines, &[("first", first.port), ("second", second.port)]);
    let mut daemon = home.start();
    let before = health(&daemon);
    let turn = daemon.connect().ask("hello");
    assert_eq!(
        (turn.reply(), turn.outcome()),
        ("from the second", "ANSWERED"),
        "{cause}"
    );
    assert_eq!(health(&daemon), before, "one of two is not all");
    assert_eq!((first.seen().len(), second.seen().len()), (1, 1), "{cause}");
    let log = daemon.log();
    let told = log.lines().find(|line| line.contains("provider failed")).expect(cause);
    assert!(told.contains("first") && told.contains(cause), "{cause}: {told}");
    let ran = home.run(&["status"]);
    let line = ran.out.lines().find(|line| line.contains("first (tiny)")).unwrap();
    assert!(
        line.contains("failing") && line.contains("0 answered, 1 failed") && line.contains(cause),
        "{line}"
    );
    daemon.assert_healthy();
}

fn http(head: &str, body: &str) -> Deed {
    Deed::Bytes(format!("HTTP/1.1 {head}\r\n\r\n{body}").into_bytes())
}

fn limited(headers: &str) -> Deed {
    let body = json!({"error": {"message": "slow down"}}).to_string();
    Deed::Answer(429, headers.to_owned(), body.into_bytes())
}

#[test]
fn after_one_that_accepts_and_never_answers_the_next_is_asked() {
    next_answers(
        Deed::Silence,
        "first_byte_timeout_seconds = 1",
        "the first byte of the answer took longer",
    );
}

#[test]
fn where_all_are_silent_the_user_is_told_within_the_total_time() {
    let (one, two) = (Server::start(vec![Deed::Silence]), Server::start(vec![Deed::Silence]));
    let home = home("total_timeout_seconds = 1", &[("one", one.port), ("two", two.port)]);
    let daemon = home.start();
    let turn = daemon.connect().ask("hello");
    assert_eq!(turn.outcome(), "EXHAUSTED", "{turn:#?}");
    let told = turn.errors().concat();
    assert!(
        told.contains("one: asking all providers together took longer than 1 s"),
        "{told}"
    );
    assert!(told.contains("two: not asked"), "{told}");
    assert_eq!((one.seen().len(), two.seen().len()), (1, 0));
}

#[test]
fn who_asks_for_a_short_wait_is_waited_for() {
    let ran = Command::new("date")
        .args(["-u", "-d", "+2 seconds", "+%a, %d %b %Y %H:%M:%S GMT"])
        .env("LC_ALL", "C")
        .output()
        .unwrap();
    let date = String::from_utf8(ran.stdout).unwrap();
    for wish in ["1", date.trim()] {
        let first = Server::start(vec![
            limited(&format!("Retry-After: {wish}\r\n")),
            answer(&message("after a pause")),
        ]);
        let second = Server::start(vec![answer(&message("never needed"))]);
        let home = home("", &[("first", first.port), ("second", second.port)]);
        let daemon = home.start();
        assert_eq!(daemon.connect().ask("hello").reply(), "after a pause", "{wish}");
        assert_eq!((first.seen().len(), second.seen().len()), (2, 0), "{wish}");
    }
}

#[test]
fn who_asks_for_years_is_not() {
    for wish in [
        "Retry-After: 274579000\r\n",
        "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\n",
    ] {
        next_answers(limited(wish), "", "slow down; it asks to wait");
    }
}

#[test]
fn after_an_error_of_the_server_the_next_answers_and_the_log_names_the_cause() {
    for (code, cause) in [
        (500, "500 (internal error)"),
        (502, "502 (bad gateway)"),
        (503, "503 (unavailable)"),
    ] {
        next_answers(failure(code, "the model is on holiday"), "", cause);
    }
    let half = "Content-Type: application/json\r\nContent-Length: 500";
    next_answers(
        http(&format!("200 OK\r\n{half}"), "{\"choices\":"),
        "",
        "the connection ended before the answer",
    );
}

#[test]
fn after_one_that_refuses_the_connection_the_next_answers() {
    let second = Server::start(vec![answer(&message("from the second"))]);
    let home = home("", &[("first", nobody()), ("second", second.port)]);
    let daemon = home.start();
    assert_eq!(daemon.connect().ask("hello").reply(), "from the second");
    let log = daemon.log();
    let told = log.lines().find(|line| line.contains("provider failed")).unwrap();
    assert!(
        told.contains("first") && told.contains("no connection to http://127.0.0.1:"),
        "{told}"
    );
}

#[test]
fn a_refused_key_is_asked_about_once_and_the_doctor_says_which_it_is() {
    for (code, key, named) in [
        (
            401,
            "key_variable = \"FIRST_KEY\"",
            "check the key in FIRST_KEY, which config/env or the environment sets",
        ),
        (
            402,
            "key = \"vault:work-key\"",
            "check the key in work-key, which is in the vault",
        ),
        (
            404,
            "key_variable = \"FIRST_KEY\"",
            "/v1/chat/completions; check `base_url` and `model`)",
        ),
    ] {
        let first = Server::start(vec![Deed::Answer(code, "Retry-After: 0\r\n".to_owned(), KEY.into())]);
        let second = Server::start(vec![answer(&message("from the second"))]);
        let home = Home::new().config(&format!(
            "[model]\ncascade = [\"first\", \"second\"]\n\
             [providers.first]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\n{key}\n\
             [providers.second]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\n",
            first.port, second.port
        ));
        make_private(&home.file("config/env", format!("FIRST_KEY={KEY}\n").as_bytes()));
        if key.contains("vault") {
            set_secret(&home, "work-key", KEY);
        }
        let daemon = home.start();
        assert_eq!(daemon.connect().ask("hello").reply(), "from the second");
        assert_eq!(first.seen().len(), 1, "{code}");
        let ran = home.run(&["doctor"]);
        let line = ran
            .out
            .lines()
            .find(|line| line.contains("first (tiny)"))
            .expect(&ran.out);
        assert!(line.starts_with("degraded"), "{line}");
        let out = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(out.contains(named), "{out}");
        assert!(
            !ran.out.contains(KEY) && !daemon.log().contains(KEY),
            "the key is shown"
        );
    }
}

/// Puts a secret into the vault, as the operator does.
fn set_secret(home: &Home, name: &str, value: &str) {
    use std::io::Write;
    let mut child = home
        .command()
        .args(["vault", "set", name])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(value.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn what_is_no_answer_counts_as_a_failure_and_the_next_answers() {
    let json_head = "200 OK\r\nContent-Type: application/json\r\nConnection: close";
    next_answers(answer(""), "", "the answer was empty");
    next_answers(answer(" \n\t"), "", "the answer was empty");
    next_answers(
        http(
            "200 OK\r\nContent-Type: text/html\r\nConnection: close",
            "<html>Welcome to the hotel</html>",
        ),
        "",
        "the answer is a web page",
    );
    next_answers(http(json_head, "<html>Welcome</html>"), "", "the answer is a web page");
    next_answers(
        http(json_head, "{\"choices\":[{\"message\":{\"content\":\"hel"),
        "",
        "half a JSON",
    );
}

fn health(daemon: &Daemon<'_>) -> String {
    let status = daemon.connect().admin("(:ACTION :STATUS)");
    status.get("HEALTH").and_then(Form::keyword).unwrap().to_owned()
}

#[test]
fn with_every_provider_dead_the_user_is_told_why_and_the_daemon_recovers_by_itself() {
    let broken = Server::start(vec![
        failure(500, "out of memory"),
        failure(500, "out of memory"),
        answer(&message("back again")),
    ]);
    let silent = Server::start(vec![Deed::Silence]);
    let servers = [("dead", nobody()), ("silent", silent.port), ("broken", broken.port)];
    let home = home(
        "first_byte_timeout_seconds = 1\nretry_pause_milliseconds = 10",
        &servers,
    );
    let daemon = home.start();
    let mut peer = daemon.connect();
    let before = health(&daemon);
    let turn = peer.ask("hello");
    assert_eq!(turn.outcome(), "EXHAUSTED", "{turn:#?}");
    let told = turn.errors().concat();
    for cause in [
        "dead: no connection to http://127.0.0.1:",
        "silent: the first byte of the answer took longer than 1 s",
        "broken: the server answered 500 (internal error): out of memory (asked 2 times)",
        "doctor",
    ] {
        assert!(told.contains(cause), "`{cause}` is missing in: {told}");
    }
    assert_eq!(
        silent.seen().len(),
        1,
        "whoever was waited for is not waited for once more"
    );
    assert_eq!(health(&daemon), "DEGRADED");
    let ran = home.run(&["doctor"]);
    assert!(ran.out.contains("nobody answered the last question"), "{}", ran.out);
    assert!(home.run(&["status", "--json"]).out.contains("\"degraded\""));
    // Nothing but another question can show that it has passed.
    assert_eq!(peer.ask("and now?").reply(), "back again");
    assert_eq!(health(&daemon), before);
    assert!(!home.run(&["doctor"]).out.contains("nobody answered"));
}

#[test]
fn the_exit_code_of_send_says_that_nobody_answered() {
    let home = home("retry_pause_milliseconds = 0", &[("dead", nobody())]);
    let _daemon = home.start();
    let ran = home.run(&["send", "hello"]);
    assert_eq!(ran.code, 6, "{ran:?}");
    assert!(
        ran.out.contains("no connection") || ran.err.contains("no connection"),
        "{ran:?}"
    );
}

#[test]
fn who_listens_hears_who_failed_and_who_is_asked_instead_but_nothing_that_was_said() {
    let first = Server::start(vec![failure(500, "out of memory")]);
    let second = Server::start(vec![answer(&message("a secret plan"))]);
    let home = home("", &[("first", first.port), ("second", second.port)]);
    let daemon = home.start();
    let turn = daemon.connect().ask("hello");
    assert_eq!(turn.reply(), "a secret plan");
    let heard: Vec<&str> = turn
        .all("PROGRESS")
        .into_iter()
        .filter(|payload| payload.get("STAGE").is_some_and(|stage| stage.is_kw("MODEL")))
        .filter_map(|payload| payload.text_at("detail"))
        .collect();
    assert!(
        heard[0].starts_with("first failed: the server answered 500"),
        "{heard:?}"
    );
    assert_eq!(heard[1], "asking second");
    assert!(!heard.concat().contains("secret plan"), "{heard:?}");
}

#[test]
fn a_model_is_told_of_the_tools_with_an_explanation_that_must_be_given() {
    let server = Server::start(vec![answer(&message("hello"))]);
    let home = home("", &[("only", server.port)]);
    let daemon = home.start();
    assert_eq!(daemon.connect().ask("hello").outcome(), "ANSWERED");
    let seen = server.seen();
    let tools = seen[0].body["tools"].as_array().expect("tools");
    for tool in tools {
        let required = tool["function"]["parameters"]["required"].as_array().unwrap();
        assert!(required.contains(&json!("explanation")), "{tool}");
    }
    assert!(
        tools.iter().any(|tool| tool["function"]["name"] == "shell"),
        "{tools:?}"
    );
}

#[test]
fn servers_of_anthropics_dialect_fail_and_answer_like_the_others_and_their_key_is_shown_nowhere() {
    let told =
        json!({"type": "error", "error": {"type": "overloaded_error", "message": format!("too much for {KEY}")}});
    let said = json!({
        "type": "message", "role": "assistant", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": message("from the other dialect")}],
        "usage": {"input_tokens": 1200, "output_tokens": 34},
    });
    let (first, second) = (
        Server::start(vec![json_answer(529, &told)]),
        Server::start(vec![json_answer(200, &said)]),
    );
    let described = |name: &str, port: u16| {
        format!(
            "[providers.{name}]\nbase_url = \"http://127.0.0.1:{port}/v1\"\nmodel = \"tiny\"\ndialect = \"anthropic\"\n\
             key_variable = \"THE_KEY\"\n"
        )
    };
    let home = Home::new().config(&format!(
        "[model]\ncascade = [\"first\", \"second\"]\n{}{}",
        described("first", first.port),
        described("second", second.port)
    ));
    make_private(&home.file("config/env", format!("THE_KEY={KEY}\n").as_bytes()));
    let daemon = home.start();
    let turn = daemon.connect().ask("hello");
    assert_eq!(turn.reply(), "from the other dialect", "{turn:#?}");
    let seen = second.seen();
    assert!(seen[0].head.starts_with("POST /v1/messages "), "{}", seen[0].head);
    assert!(
        seen[0].head.to_lowercase().contains(&format!("x-api-key: {KEY}")),
        "{}",
        seen[0].head
    );
    assert!(
        seen[0].body["tools"]
            .as_array()
            .unwrap()
            .iter()
            .any(|tool| tool["name"] == "shell")
    );
    let ran = home.run(&["status"]);
    assert!(ran.out.contains("529 (overloaded): too much for ***"), "{}", ran.out);
    assert!(ran.out.contains("1200 tokens asked, 34 answered"), "{}", ran.out);
    for text in [format!("{turn:?}"), daemon.log(), ran.out] {
        assert!(!text.contains(KEY), "{text}");
    }
}
