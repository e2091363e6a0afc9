//! What a model hears of a request that is over without an answer, in what its server was sent.

use serde_json::{Value, json};

use crate::server::{Deed, Server, json_answer};
use crate::{Daemon, Home, Peer};

/// The dialects that servers speak.
pub const DIALECTS: [&str; 2] = ["openai", "anthropic"];

/// What is said of each of them.
pub const OVER: &str = "The request above is over without an answer";

/// What is asked and gets no answer.
pub const ASKED: &str = "delete the whole project";
/// What is said after that.
pub const NEXT: &str = "how are you?";

/// A home whose only model `server` is, which speaks this dialect, with `more` of a configuration.
pub fn home(server: &Server, dialect: &str, more: &str) -> Home {
    Home::new().config(&format!(
        "{more}\n[model]\ncascade = [\"local\"]\nretry_pause_milliseconds = 1\n\n[providers.local]\n\
         base_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\ndialect = \"{dialect}\"\n",
        server.port
    ))
}

/// An answer as the servers of this dialect give it.
pub fn said(dialect: &str, text: &str) -> Deed {
    let body = match dialect {
        "anthropic" => json!({
            "type": "message", "role": "assistant", "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn", "usage": {"input_tokens": 9, "output_tokens": 3},
        }),
        _ => json!({
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        }),
    };
    json_answer(200, &body)
}

/// A step that passes without asking.
pub fn eval(code: &str) -> String {
    format!("(:TOOL \"eval\" :ARGS (:CODE \"{code}\") :EXPLANATION \"to do what was asked for\")")
}

/// What the newest request held beside the system prompt: by whom, and each text or call of it.
fn newest(server: &Server) -> Vec<(String, String)> {
    let body = server.seen().pop().unwrap().body;
    let messages = body["messages"].as_array().unwrap().iter();
    let parts = messages.flat_map(|message| {
        let role = message["role"].as_str().unwrap().to_owned();
        let parts: Vec<Value> = match &message["content"] {
            Value::Array(blocks) => blocks.clone(),
            Value::Null => message["tool_calls"].as_array().unwrap().clone(),
            text => vec![text.clone()],
        };
        parts.into_iter().map(move |part| (role.clone(), part.to_string()))
    });
    parts.filter(|(role, _)| role != "system").collect()
}

/// Asserts that between the two there is a word that the first is over and `why`, in a voice that is not the person's, and that
/// the voices take turns.
pub fn assert_over(server: &Server, asked: &str, why: &str, next: &str) {
    let parts = newest(server);
    let at = |text: &str| {
        let found = parts.iter().position(|(_, part)| part.contains(text));
        found.unwrap_or_else(|| panic!("no {text:?} in {parts:#?}"))
    };
    let word = at(OVER);
    assert!(parts[word].1.contains(why), "no {why:?} in {parts:#?}");
    assert!(at(asked) < word && word < at(next), "{parts:#?}");
    assert_eq!(parts.iter().filter(|(_, part)| part.contains(OVER)).count(), 1);
    assert!(!parts[at(asked)].1.contains(next), "{parts:#?}");
    let (role, part) = &parts[word];
    assert!(role == "tool" || part.contains("tool_result"), "{parts:#?}");
    assert_paired(server);
}

/// Asserts that calls and results are paired, and that the person's voice and the model's take turns.
pub fn assert_paired(server: &Server) {
    let body = server.seen().pop().unwrap().body;
    let messages = body["messages"].as_array().unwrap();
    let mut open: Vec<Value> = Vec::new();
    let mut last = "";
    for message in messages.iter().filter(|message| message["role"] != "system") {
        let role = message["role"].as_str().unwrap();
        let none = Vec::new();
        let blocks = message["content"].as_array().unwrap_or(&none);
        let results = blocks.iter().filter(|block| block["type"] == "tool_result");
        let answers: Vec<&Value> = results
            .map(|block| &block["tool_use_id"])
            .chain(message.get("tool_call_id"))
            .collect();
        for id in answers {
            let at = open.iter().position(|call| call == id);
            open.remove(at.unwrap_or_else(|| panic!("{id} answers no call in {body:#}")));
        }
        assert!(role == "tool" || open.is_empty(), "a call without a result in {body:#}");
        assert!(role == "tool" || role != last, "{role} twice in {body:#}");
        last = role;
        let uses = blocks.iter().filter(|block| block["type"] == "tool_use");
        let calls = message["tool_calls"].as_array().unwrap_or(&none);
        open.extend(uses.chain(calls).map(|call| call["id"].clone()));
    }
    assert!(open.is_empty(), "{body:#}");
}

/// Asserts that nothing in the newest request is over.
pub fn assert_not_over(server: &Server) {
    let parts = newest(server);
    assert!(parts.iter().all(|(_, part)| !part.contains(OVER)), "{parts:#?}");
}

/// Waits until the model has been asked so often.
pub fn wait_asked(daemon: &Daemon<'_>, server: &Server, times: usize) {
    daemon.wait_until("the model is asked", || server.seen().len() == times);
}

/// Says something while the model holds its tongue, and stops it.
pub fn ask_and_stop(daemon: &Daemon<'_>, server: &Server, peer: &mut Peer, text: &str) {
    let before = server.seen().len();
    let request = peer.say(text);
    wait_asked(daemon, server, before + 1);
    peer.say("/stop");
    let turn = peer.turn(&request);
    assert_eq!(turn.outcome(), "CANCELLED", "{turn:#?}");
    assert!(!format!("{turn:?}").contains(OVER), "a person's chat has it: {turn:#?}");
}
