//! Skills that misbehave, each in one way, as real files.

use crate::guest::{Guest, LOG, PRINTED, PROPOSE, RUN, TEXT, UNKNOWN};

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

/// A gate that grows its memory by so many pages, and traps when it may not.
pub fn growing_gate(name: &str, pages: u32) -> Vec<u8> {
    with_gate(
        name,
        &format!("(if (i32.eq (memory.grow (i32.const {pages})) (i32.const -1)) (then unreachable)) (call $pass)"),
    )
}

/// A gate that wants a table of so many entries, and traps when it may not.
pub fn tabling_gate(name: &str, entries: u32) -> Vec<u8> {
    let mut guest = Guest::gate(name);
    guest.more = "(table $t 0 funcref)".to_owned();
    guest.gate = format!(
        "(if (i32.eq (table.grow $t (ref.null func) (i32.const {entries})) (i32.const -1)) (then unreachable))
         (call $pass)"
    );
    guest.build()
}

/// A gate that calls itself so deep.
pub fn diving_gate(name: &str, depth: u32) -> Vec<u8> {
    let mut guest = Guest::gate(name);
    guest.more = "(func $dive (param i32) (result i32)
        (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 0))
          (else (i32.add (call $dive (i32.sub (local.get 0) (i32.const 1))) (i32.const 1)))))"
        .to_owned();
    guest.gate = format!("(drop (call $dive (i32.const {depth}))) (call $pass)");
    guest.build()
}

/// A gate that turns so many times before it passes.
pub fn turning_gate(name: &str, times: u32) -> Vec<u8> {
    with_gate(name, &again(times, ""))
}

/// A gate that asks the host for a text so many times.
pub fn asking_gate(name: &str, times: u32) -> Vec<u8> {
    let mut guest = Guest::gate(name).import(&TEXT);
    let path = guest.text("target");
    guest.gate = again(times, &format!("(call $text (local.get 0) {path} (i32.const 64))"));
    guest.build()
}

/// A gate that writes so many lines into the log.
pub fn logging_gate(name: &str, times: u32) -> Vec<u8> {
    let mut guest = Guest::gate(name).import(&LOG);
    let line = guest.text("a line of a hostile skill");
    guest.gate = again(times, &format!("(call $write (i32.const 1) {line})"));
    guest.build()
}

/// A gate that rejects everything, in so many bytes of text.
pub fn talking_gate(name: &str, length: usize) -> Vec<u8> {
    let (before, after) = ("(:RULE \"talk\" :REASON \"", "\")");
    let reason = "x".repeat(length - before.len() - after.len());
    let mut guest = Guest::gate(name);
    let text = guest.text(&format!("{before}{reason}{after}"));
    guest.gate = format!("(call $say (i32.const 2) {text})");
    guest.build()
}

/// A skill that is made of so many more core instances than the two that every one has.
pub fn manifold_skill(name: &str, more: usize) -> Vec<u8> {
    let mut guest = Guest::gate(name);
    guest.parts = format!("(core module $m) {}", "(core instance (instantiate $m))".repeat(more));
    guest.build()
}

/// A small file that no count foresees: its tables of branches are compiled for far longer than its size says.
pub fn branching_gate(name: &str) -> Vec<u8> {
    let (blocks, tables, locals) = (500, 150, 20);
    let targets: String = (0..blocks).map(|n| format!("{n} ")).collect();
    let sets: String = (1..=locals).map(|n| format!("(local.set {n} (local.get 0))")).collect();
    let gets: String = (1..=locals).map(|n| format!("(local.get {n}) drop ")).collect();
    let switch = format!("{sets} (block (br_table {targets} (local.get 0)))");
    let mut guest = Guest::gate(name);
    guest.more = format!(
        "(func (param i32) (local {}) {} {} {} {gets})",
        "i32 ".repeat(locals),
        "(block ".repeat(blocks),
        switch.repeat(tables),
        ")".repeat(blocks)
    );
    guest.build()
}

/// A passing gate with so many modules beside it that nothing instantiates. Each has so many tables of so many entries, the last
/// of which is set.
pub fn tabled_gate(name: &str, modules: usize, tables: usize, entries: u32) -> Vec<u8> {
    let last = entries.saturating_sub(1);
    let table = |n| format!("(table $t{n} {entries} funcref) (elem (table $t{n}) (i32.const {last}) func $far)");
    let tables: String = (0..tables).map(table).collect();
    beside(name, modules, &format!("(func $far) {tables}"))
}

/// The same with memories of so many pages, the first and the last byte of which are set.
pub fn holed_gate(name: &str, modules: usize, memories: usize, pages: u32) -> Vec<u8> {
    let last = (pages << 16).saturating_sub(1);
    let memory = |n| {
        format!(
            "(memory $m{n} {pages}) (data (memory $m{n}) (i32.const 0) \"x\") (data (memory $m{n}) (i32.const {last}) \"x\")"
        )
    };
    beside(name, modules, &(0..memories).map(memory).collect::<String>())
}

fn beside(name: &str, modules: usize, module: &str) -> Vec<u8> {
    let mut guest = Guest::gate(name);
    guest.parts = format!("(core module {module})").repeat(modules);
    guest.build()
}

/// A skill that never gets to be an instance.
pub fn endless_start(name: &str) -> Vec<u8> {
    let mut guest = Guest::gate(name);
    guest.more = "(func $forever (loop (br 0))) (start $forever)".to_owned();
    guest.build()
}

/// A skill that says so much of itself.
pub fn verbose_skill(name: &str, length: u32) -> Vec<u8> {
    let mut guest = Guest::gate(name);
    guest.describe_body = Some(format!("(call $string (i32.const 0) (i32.const {length}))"));
    guest.build()
}

/// An actuator for `target` that has the host print the action again and again.
pub fn bombing_actuator(name: &str, target: &str) -> Vec<u8> {
    let mut guest = Guest::actuator(name, &format!("(:{target})")).import(&PRINTED);
    let path = guest.text("payload");
    // What came before is thrown away, so that the memory does not end before the time does.
    guest.realloc = "(if (i32.gt_u (local.get 3) (i32.const 100000))
        (then (global.set $next (i32.const 8192))))"
        .to_owned();
    guest.act = format!("(loop (call $printed (local.get 0) {path} (i32.const 64)) (br 0)) unreachable");
    guest.build()
}

/// Does `what` so many times, then passes.
fn again(times: u32, what: &str) -> String {
    format!(
        "(local $n i32) (local.set $n (i32.const {times}))
         (loop {what} (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))) (call $pass)"
    )
}

/// A file with so many bytes more, in a section that nobody reads.
pub fn padded(bytes: Vec<u8>, count: usize) -> Vec<u8> {
    let mut section = vec![1, b'x'];
    section.resize(section.len() + count, 0);
    with_section(bytes, 0, &section)
}

/// A file with so many bytes more that are compiled: a module with a function that does nothing so often.
pub fn longer(bytes: Vec<u8>, count: usize) -> Vec<u8> {
    let mut body = vec![0];
    body.resize(1 + count, 0x01);
    body.push(0x0b);
    let function = [&[1][..], &length(body.len()), &body].concat();
    let mut module = b"\0asm\x01\0\0\0".to_vec();
    module.extend([1, 4, 1, 0x60, 0, 0]);
    module.extend([3, 2, 1, 0]);
    module = with_section(module, 10, &function);
    with_section(bytes, 1, &module)
}

/// What is at the end of a file and belongs to its outermost part.
fn with_section(mut bytes: Vec<u8>, kind: u8, section: &[u8]) -> Vec<u8> {
    bytes.push(kind);
    bytes.extend(length(section.len()));
    bytes.extend(section);
    bytes
}

/// A number in five groups of seven bits.
fn length(number: usize) -> [u8; 5] {
    [0, 1, 2, 3, 4].map(|group| (number >> (7 * group) & 0x7f) as u8 | if group < 4 { 0x80 } else { 0 })
}
