//! Skills that misbehave, each in one way: components written as text, assembled here into real files.
//!
//! Nothing of the SDK or of the host is used, so that they can do what those would not let them.

use std::fmt::Write as _;

/// A skill under construction. Bodies are core instructions; each has the parameters of its function by number.
pub struct Guest {
    describe: String,
    imports: Vec<&'static Import>,
    texts: Vec<(usize, String)>,
    free: usize,
    /// The body of `gate`: parameters 0 (action) and 1 (signal), result the address of a verdict.
    pub gate: String,
    /// The body of `act`: parameters 0 (action) and 1 (signal), result the address of a result of two texts.
    pub act: String,
}

/// One imported function.
pub struct Import {
    /// The instance's name and its type.
    pub(crate) instance: &'static str,
    pub(crate) id: &'static str,
    pub(crate) ty: &'static str,
    /// The function: its name, its name in the core module, and its core type.
    pub(crate) function: &'static str,
    pub(crate) core: &'static str,
    pub(crate) core_type: &'static str,
    /// What the component says after the import.
    pub(crate) after: &'static str,
}

const PROCESS: &str = r#"
    (type $o (record (field "exit-code" (option s32)) (field "signal" (option s32)) (field "stdout" string)
        (field "stderr" string) (field "truncated" bool) (field "timed-out" bool) (field "jailed" bool)
        (field "milliseconds" u64)))
    (export "output" (type $output (eq $o)))
    (type $f (variant (case "not-cleared" string) (case "rejected" string) (case "needs-approval" string)
        (case "unavailable" string) (case "failed" string)))
    (export "failure" (type $failure (eq $f)))
    (export "run" (func (param "action" u32) (param "path" string) (result (result $output (error $failure)))))
    (export "propose" (func (param "command" string) (param "explanation" string)
        (result (result $output (error $failure)))))"#;

/// `process.run`, called `$run`: handle, path, where to put the result.
pub const RUN: Import = Import {
    instance: "passepartout:skill/process@0.1.0",
    id: "process",
    ty: PROCESS,
    function: "run",
    core: "run",
    core_type: "(param i32 i32 i32 i32)",
    after: "",
};

/// `process.propose`, called `$propose`: command, explanation, where to put the result.
pub const PROPOSE: Import = Import {
    instance: "passepartout:skill/process@0.1.0",
    id: "process",
    ty: PROCESS,
    function: "propose",
    core: "propose",
    core_type: "(param i32 i32 i32 i32 i32)",
    after: "",
};

/// An interface that no host provides.
pub const UNKNOWN: Import = Import {
    instance: "passepartout:skill/teleport@0.1.0",
    id: "teleport",
    ty: r#"(export "beam" (func))"#,
    function: "beam",
    core: "beam",
    core_type: "",
    after: "",
};

impl Guest {
    /// A gate called `name` that passes everything.
    pub fn gate(name: &str) -> Guest {
        Guest::new(format!("(:NAME \"{name}\" :VERSION \"1\" :FUNCTIONS (:GATE))"))
    }

    /// An actuator called `name` for `targets`.
    pub fn actuator(name: &str, targets: &str) -> Guest {
        Guest::new(format!(
            "(:NAME \"{name}\" :VERSION \"1\" :FUNCTIONS (:ACT) :TARGETS {targets})"
        ))
    }

    /// A skill that describes itself so.
    pub fn new(describe: impl Into<String>) -> Guest {
        Guest {
            describe: describe.into(),
            imports: Vec::new(),
            texts: Vec::new(),
            free: 4096,
            gate: "(call $pass)".to_owned(),
            act: "(call $say (i32.const 0) (i32.const 0) (i32.const 0))".to_owned(),
        }
    }

    /// Imports a function; its core name is the last part of its name.
    pub fn import(mut self, import: &'static Import) -> Guest {
        self.imports.push(import);
        self
    }

    /// Puts a text into the guest's memory; the answer is two constants, its address and its length.
    pub fn text(&mut self, text: &str) -> String {
        let at = self.free;
        self.free += text.len() + 1;
        self.texts.push((at, text.to_owned()));
        format!("(i32.const {at}) (i32.const {})", text.len())
    }

    /// The component.
    pub fn build(mut self) -> Vec<u8> {
        let describe = self.describe.clone();
        let describe = self.text(&describe);
        wat::parse_str(self.assemble(&describe)).expect("the text of a component")
    }

    fn assemble(&self, describe: &str) -> String {
        let (mut imports, mut lowered, mut host, mut core) =
            (String::new(), String::new(), String::new(), String::new());
        let mut seen = Vec::new();
        for import in &self.imports {
            let Import {
                instance,
                id,
                ty,
                function,
                core: name,
                core_type,
                after,
            } = import;
            if !seen.contains(id) {
                seen.push(id);
                let _ = writeln!(imports, "(import \"{instance}\" (instance ${id} {ty})) {after}");
            }
            let _ = writeln!(
                lowered,
                "(core func $host-{name} (canon lower (func ${id} \"{function}\") (memory $libc \"memory\") \
                 (realloc (func $libc \"realloc\"))))"
            );
            let _ = writeln!(host, "(export \"{name}\" (func $host-{name}))");
            let _ = writeln!(core, "(import \"host\" \"{name}\" (func ${name} {core_type}))");
        }
        let mut data = String::new();
        for (at, text) in &self.texts {
            let escaped: String = text.bytes().map(|byte| format!("\\{byte:02x}")).collect();
            let _ = writeln!(data, "(data (i32.const {at}) \"{escaped}\")");
        }
        let (mut lifts, mut with, mut shim_imports, mut shim_exports) =
            (String::new(), String::new(), String::new(), String::new());
        for (name, ty) in FUNCTIONS.iter() {
            let options = "(memory $libc \"memory\") (realloc (func $libc \"realloc\"))";
            let _ = writeln!(
                lifts,
                "(func $f-{name} {ty} (canon lift (core func $main \"{name}\") {options}))"
            );
            let _ = writeln!(with, "(with \"f-{name}\" (func $f-{name}))");
            let _ = writeln!(
                shim_imports,
                "(import \"f-{name}\" (func $i-{name} {}))",
                ty.replace("$verdict", "$in")
            );
            let _ = writeln!(
                shim_exports,
                "(export \"{name}\" (func $i-{name}) (func {}))",
                ty.replace("$verdict", "$out")
            );
        }
        let Guest { gate, act, free, .. } = self;
        format!(
            r#"(component
  (type $verdict (variant (case "pass") (case "revise" string) (case "reject" string) (case "ask" string)))
  {imports}
  (core module $libc-module
    (memory (export "memory") 1)
    (global $next (mut i32) (i32.const {heap}))
    (func (export "realloc") (param i32 i32 i32 i32) (result i32)
      (local $at i32)
      (local.set $at (i32.and (i32.add (global.get $next) (i32.const 7)) (i32.const -8)))
      (global.set $next (i32.add (local.get $at) (local.get 3)))
      (loop $more
        (if (i32.gt_u (global.get $next) (i32.mul (memory.size) (i32.const 65536)))
          (then
            (if (i32.eq (memory.grow (i32.const 1)) (i32.const -1)) (then unreachable))
            (br $more))))
      (local.get $at)))
  (core instance $libc (instantiate $libc-module))
  {lowered}
  (core module $main-module
    (import "libc" "memory" (memory 1))
    {core}
    {data}
    (func $string (param i32 i32) (result i32)
      (i32.store (i32.const 16) (local.get 0))
      (i32.store (i32.const 20) (local.get 1))
      (i32.const 16))
    (func $say (param i32 i32 i32) (result i32)
      (i32.store (i32.const 32) (local.get 0))
      (i32.store (i32.const 36) (local.get 1))
      (i32.store (i32.const 40) (local.get 2))
      (i32.const 32))
    (func $pass (result i32) (call $say (i32.const 0) (i32.const 0) (i32.const 0)))
    (func (export "describe") (result i32) (call $string {describe}))
    (func (export "trigger") (param i32) (result i32) (i32.const 1))
    (func (export "prompt") (param i32) (result i32) (call $pass))
    (func (export "mandate") (param i32) (result i32) (call $pass))
    (func (export "gate") (param i32 i32) (result i32) {gate})
    (func (export "act") (param i32 i32) (result i32) {act})
    (func (export "call-tool") (param i32 i32 i32 i32) (result i32) (call $pass))
    (func (export "recover") (param i32 i32) (result i32) (call $pass)))
  (core instance $host {host})
  (core instance $main (instantiate $main-module (with "libc" (instance $libc)) (with "host" (instance $host))))
  {lifts}
  (component $shim
    (type $verdict (variant (case "pass") (case "revise" string) (case "reject" string) (case "ask" string)))
    (import "verdict-in" (type $in (eq $verdict)))
    {shim_imports}
    (export $out "verdict" (type $in))
    {shim_exports})
  (instance $skill (instantiate $shim (with "verdict-in" (type $verdict)) {with}))
  (export "passepartout:skill/skill@0.1.0" (instance $skill)))"#,
            heap = free.next_multiple_of(8),
        )
    }
}

const FUNCTIONS: &[(&str, &str)] = &[
    ("describe", "(result string)"),
    ("trigger", "(param \"signal\" u32) (result bool)"),
    ("prompt", "(param \"signal\" u32) (result (option string))"),
    ("mandate", "(param \"signal\" u32) (result (option string))"),
    (
        "gate",
        "(param \"action\" u32) (param \"signal\" u32) (result $verdict)",
    ),
    (
        "act",
        "(param \"action\" u32) (param \"signal\" u32) (result (result string (error string)))",
    ),
    (
        "call-tool",
        "(param \"name\" string) (param \"action\" u32) (param \"signal\" u32) (result (result string (error string)))",
    ),
    (
        "recover",
        "(param \"error\" u32) (param \"signal\" u32) (result (option string))",
    ),
];

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
