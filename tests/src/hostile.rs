//! Skills that misbehave, each in one way, as real files.

use crate::guest::{Guest, PROPOSE, RUN, UNKNOWN};

/// A gate that never answers.
pub fn looping_gate(name: &str) -> Vec<u8> {
    with_gate(name, "(loop (br 0)) unreachable")
}

/// A gate that traps.
pub fn trapping_gate(name: &str) -> Vec<u8> {
    with_gate(name, "unreachable")
}

/// A gate that takes all the memory there is, page after page, and more.
pub fn eating_gate(name: &str) -> Vec<u8> {
    with_gate(
        name,
        "(loop (br_if 0 (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) unreachable",
    )
}

/// A gate whose answer is no verdict.
pub fn babbling_gate(name: &str) -> Vec<u8> {
    with_gate(name, "(call $say (i32.const 77) (i32.const 0) (i32.const 0))")
}

/// A gate whose rejection is no plist.
pub fn mumbling_gate(name: &str) -> Vec<u8> {
    let mut guest = Guest::gate(name);
    let text = guest.text("no, because )(");
    guest.gate = format!("(call $say (i32.const 2) {text})");
    guest.build()
}

/// A gate that rejects everything by this rule.
pub fn rejecting_gate(name: &str, rule: &str) -> Vec<u8> {
    let mut guest = Guest::gate(name);
    let text = guest.text(&format!(
        "(:RULE \"{rule}\" :FIELD \"payload\" :REASON \"this gate rejects everything\" :REPAIR \"remove it\")"
    ));
    guest.gate = format!("(call $say (i32.const 2) {text})");
    guest.build()
}

/// A gate that passes everything.
pub fn passing_gate(name: &str) -> Vec<u8> {
    Guest::gate(name).build()
}

/// An actuator for `target` that has the host run what is at `path` of its action, and says what came of it.
pub fn running_actuator(name: &str, target: &str, path: &str) -> Vec<u8> {
    let mut guest = Guest::actuator(name, &format!("(:{target})")).import(&RUN);
    let path = guest.text(path);
    guest.act = format!("(call $run (local.get 0) {path} (i32.const 128)) {ANSWER}");
    guest.build()
}

/// An actuator for `target` that proposes a command of its own, and says what came of it.
pub fn proposing_actuator(name: &str, target: &str, command: &str) -> Vec<u8> {
    let mut guest = Guest::actuator(name, &format!("(:{target})")).import(&PROPOSE);
    let (command, why) = (guest.text(command), guest.text("the skill wants it for itself"));
    guest.act = format!("(call $propose {command} {why} (i32.const 128)) {ANSWER}");
    guest.build()
}

/// A skill that wants an interface which no host provides.
pub fn reaching_skill(name: &str) -> Vec<u8> {
    Guest::gate(name).import(&UNKNOWN).build()
}

/// A core module: WebAssembly, and no component.
pub fn core_module() -> Vec<u8> {
    wat::parse_str("(module (func (export \"gate\")))").expect("the text of a module")
}

/// Answers with the output of a command, or with the kind of its failure and what the host said. The kinds are those of
/// `process.failure`, by number.
const ANSWER: &str = "(if (result i32) (i32.load8_u (i32.const 128))
    (then (call $say (i32.const 1) (i32.load (i32.const 140)) (i32.load (i32.const 144))))
    (else (call $say (i32.const 0) (i32.load (i32.const 152)) (i32.load (i32.const 156)))))";

fn with_gate(name: &str, body: &str) -> Vec<u8> {
    let mut guest = Guest::gate(name);
    guest.gate = body.to_owned();
    guest.build()
}
