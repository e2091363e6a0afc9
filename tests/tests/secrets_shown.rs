//! A secret that a model repeats where no gate looks, in what the host itself refuses, is shown and kept nowhere.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use passepartout_tests::Home;
use passepartout_tests::server::{Deed, Server};
use serde_json::{Value, json};

const KEY: &str = "zq-vault-9f8E7d6c5B4a39281706fedc";

fn called(name: &str, arguments: &str) -> Value {
    json!({"content": null, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}]})
}

fn whole(message: &Value) -> Deed {
    let body = json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string();
    Deed::Answer(200, "Content-Type: application/json\r\n".to_owned(), body.into())
}

/// The files under `folder` that hold the key, in whichever case.
fn holding(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding(&path));
        } else if is_in(&String::from_utf8_lossy(&fs::read(&path).unwrap_or_default())) {
            found.push(path.display().to_string());
        }
    }
    found
}

fn is_in(text: &str) -> bool {
    text.to_ascii_lowercase().contains(&KEY.to_ascii_lowercase())
}

#[test]
fn what_the_host_refuses_shows_no_secret_to_people_records_logs_or_the_next_provider() {
    let explained = |more: Value| {
        let mut arguments = json!({"cmd": "ls", "explanation": "to see what is there"});
        arguments
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        arguments.to_string()
    };
    let repeats = [
        called(KEY, "{}"),
        called("shell", &explained(json!({KEY: 1}))),
        called("shell", &format!("{{\"{KEY}\": 1, \"{KEY}\": 2}}")),
        called("shell", &format!("{{\"cmd\": \"{KEY}\"")),
        called("shell", &json!(KEY).to_string()),
        called("shell", &explained(json!({"cmd": [KEY]}))),
        json!({"content": format!("(:TYPE :REQUEST :TARGET \"{KEY}\" :PAYLOAD (:X 1 :EXPLANATION \"to do it well\"))")}),
        json!({"content": format!("(:TYPE :REQUEST :TARGET :{KEY} :PAYLOAD (:X 1 :EXPLANATION \"to do it well\"))")}),
        json!({"content": format!("(:TOOL \"{KEY}\" :ARGS () :EXPLANATION \"to do it well\")")}),
        json!({"content": format!("(:TOOL \"shell\" :ARGS (:CMD #.{KEY}) :EXPLANATION \"to do it\")")}),
        json!({"content": format!(
            "(:TYPE :REQUEST :TARGET :SYSTEM :PAYLOAD (:ACTION :{KEY} :EXPLANATION \"to do it well\"))")}),
        json!({"content": format!("YOUR KEY IS {}", KEY.to_uppercase())}),
    ];
    for message in repeats {
        let (one, other) = (
            Server::start(vec![whole(&message), Deed::Answer(500, String::new(), Vec::new())]),
            Server::start(vec![whole(&json!({"content": "from the other"}))]),
        );
        let home = Home::new().config(&format!(
            "[model]\ncascade = [\"one\", \"other\"]\nretry_pause_milliseconds = 0\n\
             [providers.one]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\nkey = \"vault:one\"\n\
             [providers.other]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\n",
            one.port, other.port
        ));
        let mut set = home
            .command()
            .args(["vault", "set", "one"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        set.stdin.take().unwrap().write_all(KEY.as_bytes()).unwrap();
        assert!(set.wait().unwrap().success());
        let mut daemon = home.start();
        let turn = daemon.connect().ask("what is it?");
        assert!(!is_in(&format!("{turn:?}")), "{message}: {turn:#?}");
        assert_eq!(holding(home.path()), [""; 0], "{message}");
        assert!(!is_in(&daemon.log()), "{message}: {}", daemon.log());
        for seen in other.seen().iter().chain(&one.seen()) {
            assert!(!is_in(&seen.body.to_string()), "{message}: {}", seen.body);
        }
        assert_eq!(turn.reply(), "from the other", "{message}: {turn:#?}");
        daemon.assert_healthy();
    }
}

#[test]
fn what_a_person_says_of_a_secret_is_kept_without_it() {
    let home = Home::new();
    let mut set = home
        .command()
        .args(["vault", "set", "one"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    set.stdin.take().unwrap().write_all(KEY.as_bytes()).unwrap();
    assert!(set.wait().unwrap().success());
    let daemon = home.start_scripted(&["I see".to_owned()]);
    let turn = daemon.connect().ask(&format!("it is {KEY}, or {}", KEY.to_uppercase()));
    assert_eq!(turn.reply(), "I see");
    assert_eq!(holding(&home.path().join("data")), [""; 0]);
    assert!(!is_in(&format!("{:?}", home.prompts())));
}
