//! Skills that use capabilities: components written as text, which each do one thing and say what came of it.

use crate::hostile::{Guest, Import};

macro_rules! failure {
    () => {
        r#"(type $f (variant (case "not-cleared" string) (case "rejected" string) (case "needs-approval" string)
               (case "unavailable" string) (case "failed" string)))
           (export "failure" (type $failure (eq $f)))"#
    };
}

const FILES: &str = concat!(
    failure!(),
    r#"(export "read" (func (param "path" string) (param "offset" u64) (param "length" u32)
           (result (result (list u8) (error $failure)))))
       (export "propose-write" (func (param "path" string) (param "text" string) (param "replace" bool)
           (param "explanation" string) (result (result u64 (error $failure)))))"#
);

/// `files.read`, called `$read`.
const READ: Import = Import {
    instance: "passepartout:skill/files@0.1.0",
    id: "files",
    ty: FILES,
    function: "read",
    core: "read",
    core_type: "(param i32 i32 i64 i32 i32)",
    after: "",
};

/// `files.propose-write`, called `$propose-write`.
const PROPOSE_WRITE: Import = Import {
    function: "propose-write",
    core: "propose-write",
    core_type: "(param i32 i32 i32 i32 i32 i32 i32 i32)",
    ..READ
};

/// `http.get`, called `$get`.
const GET: Import = Import {
    instance: "passepartout:skill/http@0.1.0",
    id: "http",
    ty: concat!(
        failure!(),
        r#"(type $h (record (field "name" string) (field "value" string)))
           (export "header" (type $header (eq $h)))
           (type $r (record (field "status" u16) (field "headers" (list $header)) (field "body" (list u8))
               (field "truncated" bool) (field "url" string)))
           (export "response" (type $response (eq $r)))
           (export "get" (func (param "url" string) (param "headers" (list $header))
               (result (result $response (error $failure)))))"#
    ),
    function: "get",
    core: "get",
    core_type: "(param i32 i32 i32 i32 i32)",
    after: "",
};

/// An actuator for `target` that reads the file at `path`, and answers with what is in it.
pub fn reader(name: &str, target: &str, path: &str) -> Vec<u8> {
    let mut guest = Guest::actuator(name, &format!("(:{target})")).import(&READ);
    let path = guest.text(path);
    guest.act = format!(
        "(call $read {path} (i64.const 0) (i32.const 9999) (i32.const 128)) {}",
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
