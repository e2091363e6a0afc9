//! What scripted models answer, and what they were asked.

use passepartout_host::sexp::Form;

use crate::peer::{Peer, Turn};

/// `text` as a string of a plist, quotes and all.
pub fn string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A call of the tool `eval`, as a model writes it.
pub fn eval(code: &str) -> String {
    format!(
        "(:TOOL \"eval\" :ARGS (:CODE {}) :EXPLANATION \"to compute what was asked for\")",
        string(code)
    )
}

/// A call of the tool `name` with these arguments, such as `:PATH "x"`, as a model writes it.
pub fn call(name: &str, args: &str) -> String {
    format!("(:TOOL \"{name}\" :ARGS ({args}) :EXPLANATION \"to do what was asked for\")")
}

/// A shell proposal that does not say why.
pub fn unexplained(command: &str) -> String {
    format!("(:TYPE :REQUEST :TARGET :SHELL :PAYLOAD (:CMD {}))", string(command))
}

/// The system prompt of a recorded request to a model.
pub fn system(prompt: &Form) -> &str {
    prompt.text_at("system").expect("a request has a system prompt")
}

/// The messages of a recorded request: role and text.
pub fn messages(prompt: &Form) -> Vec<(&str, &str)> {
    let messages = prompt.get("MESSAGES").and_then(Form::items).unwrap_or_default();
    messages
        .iter()
        .map(|message| {
            let role = message
                .get("ROLE")
                .and_then(Form::keyword)
                .expect("a message has a role");
            (role, message.text_at("text").expect("a message has a text"))
        })
        .collect()
}

/// The last message of a recorded request: role and text.
pub fn last_message(prompt: &Form) -> (&str, &str) {
    messages(prompt).pop().expect("a request has messages")
}

/// Every frame up to and with the end of the turn that `request` opened, also where a response answers it before.
pub fn turn_behind(peer: &mut Peer, request: &str) -> Turn {
    let mut turn = peer.turn(request);
    let ended = |turn: &Turn| {
        let last = turn.frames.last().expect("a turn has frames");
        !last.get("TYPE").is_some_and(|kind| kind.is_kw("RESPONSE"))
    };
    while !ended(&turn) {
        let more = peer.turn(request);
        turn.frames.extend(more.frames);
    }
    turn
}

/// The plans that wait, as the daemon lists them.
pub fn waiting(peer: &mut Peer) -> Vec<Form> {
    let answer = peer.admin("(:ACTION :PLANS)");
    let plans = answer.get("PLANS").and_then(Form::items).unwrap_or_default();
    plans.to_vec()
}
