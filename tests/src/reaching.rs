//! Skills that use capabilities: components written as text, which each do one thing and say what came of it.

use crate::guest::{GET, Guest, PROPOSE_WRITE, READ_FILE};

/// An actuator for `target` that reads the file at `path`, and answers with what is in it.
pub fn reader(name: &str, target: &str, path: &str) -> Vec<u8> {
    let mut guest = Guest::actuator(name, &format!("(:{target})")).import(&READ_FILE);
    let path = guest.text(path);
    guest.act = format!(
        "(call $read-file {path} (i64.const 0) (i32.const 9999) (i32.const 128)) {}",
        answer(132, 136)
    );
    guest.build()
}

/// An actuator for `target` that fetches `url`, and answers with the body.
pub fn fetcher(name: &str, target: &str, url: &str) -> Vec<u8> {
    let mut guest = Guest::actuator(name, &format!("(:{target})")).import(&GET);
    let url = guest.text(url);
    guest.act = format!(
        "(call $get {url} (i32.const 0) (i32.const 0) (i32.const 128)) {}",
        answer(144, 136)
    );
    guest.build()
}

/// An actuator for `target` that proposes to write `text` to the file at `path`, over whatever is there.
pub fn writer(name: &str, target: &str, path: &str, text: &str) -> Vec<u8> {
    let mut guest = Guest::actuator(name, &format!("(:{target})")).import(&PROPOSE_WRITE);
    let (path, text, why) = (
        guest.text(path),
        guest.text(text),
        guest.text("the skill keeps its notes"),
    );
    let done = guest.text("written");
    guest.act = format!(
        "(call $propose-write {path} {text} (i32.const 1) {why} (i32.const 128))
         (if (result i32) (i32.load8_u (i32.const 128))
           (then (call $say (i32.const 1) (i32.load (i32.const 140)) (i32.load (i32.const 144))))
           (else (call $say (i32.const 0) {done})))"
    );
    guest.build()
}

/// Answers with the text that stands at `success` of the memory, or with that of a failure, at `failure`.
fn answer(success: u32, failure: u32) -> String {
    format!(
        "(if (result i32) (i32.load8_u (i32.const 128))
           (then (call $say (i32.const 1) (i32.load (i32.const {failure})) (i32.load (i32.const {}))))
           (else (call $say (i32.const 0) (i32.load (i32.const {success})) (i32.load (i32.const {})))))",
        failure + 4,
        success + 4,
    )
}
