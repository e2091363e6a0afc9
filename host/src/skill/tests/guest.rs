//! Small skills for tests, each misbehaving in one way: components written as text, assembled here.

use std::fmt::Write as _;

/// A skill under construction. Bodies are core instructions; each has the parameters of its function by number.
pub(super) struct Guest {
    describe: String,
    imports: Vec<&'static Import>,
    texts: Vec<(usize, String)>,
    free: usize,
    pub(super) gate: String,
    pub(super) act: String,
    pub(super) prompt: String,
    pub(super) describe_body: Option<String>,
    /// Whatever else the core module defines.
    pub(super) more: String,
    /// Pages of memory to begin with.
    pub(super) pages: u32,
    /// Leaves this function out of the exported interface.
    pub(super) without: Option<&'static str>,
    /// The name of the exported interface.
    pub(super) interface: String,
}

/// One imported function.
pub(super) struct Import {
    /// The instance's name and its type.
    pub(super) instance: &'static str,
    pub(super) id: &'static str,
    pub(super) ty: &'static str,
    /// The function: its name, its name in the core module, and its core type.
    pub(super) function: &'static str,
    pub(super) core: &'static str,
    pub(super) core_type: &'static str,
    /// What the component says after the import.
    pub(super) after: &'static str,
}

pub(super) const TEXT: Import = Import {
    instance: "passepartout:skill/forms@0.1.0",
    id: "forms",
    ty: r#"(export "text" (func (param "of" u32) (param "path" string) (result (option string))))
           (export "printed" (func (param "of" u32) (param "path" string) (result (option string))))"#,
    function: "text",
    core: "text",
    core_type: "(param i32 i32 i32 i32)",
    after: "",
};

pub(super) const PRINTED: Import = Import {
    function: "printed",
    core: "printed",
    ..TEXT
};

pub(super) const LOG: Import = Import {
    instance: "passepartout:skill/log@0.1.0",
    id: "log",
    ty: r#"(type $l (enum "debug" "info" "warn" "error"))
           (export "level" (type $level (eq $l)))
           (export "write" (func (param "level" $level) (param "line" string)))"#,
    function: "write",
    core: "write",
    core_type: "(param i32 i32 i32)",
    after: "",
};

pub(super) const SECRETS: Import = Import {
    instance: "passepartout:skill/secrets@0.1.0",
    id: "secrets",
    ty: r#"(export "contains-secret" (func (param "of" u32) (param "path" string) (result bool)))"#,
    function: "contains-secret",
    core: "contains",
    core_type: "(param i32 i32 i32) (result i32)",
    after: "",
};

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

pub(super) const RUN: Import = Import {
    instance: "passepartout:skill/process@0.1.0",
    id: "process",
    ty: PROCESS,
    function: "run",
    core: "run",
    core_type: "(param i32 i32 i32 i32)",
    after: "",
};

pub(super) const PROPOSE: Import = Import {
    instance: "passepartout:skill/process@0.1.0",
    id: "process",
    ty: PROCESS,
    function: "propose",
    core: "propose",
    core_type: "(param i32 i32 i32 i32 i32)",
    after: "",
};

pub(super) const READ_FILE: Import = Import {
    instance: "passepartout:skill/files@0.1.0",
    id: "files",
    ty: r#"(type $f (variant (case "not-cleared" string) (case "rejected" string) (case "needs-approval" string)
               (case "unavailable" string) (case "failed" string)))
           (export "failure" (type $failure (eq $f)))
           (export "read" (func (param "path" string) (param "offset" u64) (param "length" u32)
               (result (result (list u8) (error $failure)))))"#,
    function: "read",
    core: "read-file",
    core_type: "(param i32 i32 i64 i32 i32)",
    after: "",
};

pub(super) const GET: Import = Import {
    instance: "passepartout:skill/http@0.1.0",
    id: "http",
    ty: r#"(type $f (variant (case "not-cleared" string) (case "rejected" string) (case "needs-approval" string)
               (case "unavailable" string) (case "failed" string)))
           (export "failure" (type $failure (eq $f)))
           (type $h (record (field "name" string) (field "value" string)))
           (export "header" (type $header (eq $h)))
           (type $r (record (field "status" u16) (field "headers" (list $header)) (field "body" (list u8))
               (field "truncated" bool) (field "url" string)))
           (export "response" (type $response (eq $r)))
           (export "get" (func (param "url" string) (param "headers" (list $header))
               (result (result $response (error $failure)))))"#,
    function: "get",
    core: "get",
    core_type: "(param i32 i32 i32 i32 i32)",
    after: "",
};

pub(super) const CLOCK: Import = Import {
    instance: "wasi:clocks/monotonic-clock@0.2.0",
    id: "clock",
    ty: r#"(export "now" (func (result u64)))"#,
    function: "now",
    core: "now",
    core_type: "(result i64)",
    after: "",
};

pub(super) const BLOCK: Import = Import {
    instance: "wasi:io/poll@0.2.0",
    id: "poll",
    ty: r#"(export "pollable" (type $p (sub resource)))
           (export "[method]pollable.block" (func (param "self" (borrow $p))))"#,
    function: "[method]pollable.block",
    core: "block",
    core_type: "(param i32)",
    after: "(alias export $poll \"pollable\" (type $pollable))",
};

/// Needs [`BLOCK`] before it.
pub(super) const SUBSCRIBE: Import = Import {
    instance: "wasi:clocks/monotonic-clock@0.2.0",
    id: "timer",
    ty: r#"(alias outer 1 $pollable (type $p)) (export "pollable" (type $q (eq $p)))
           (export "subscribe-duration" (func (param "when" u64) (result (own $q))))"#,
    function: "subscribe-duration",
    core: "subscribe",
    core_type: "(param i64) (result i32)",
    after: "",
};

pub(super) const RANDOM: Import = Import {
    instance: "wasi:random/random@0.2.0",
    id: "random",
    ty: r#"(export "get-random-u64" (func (result u64)))"#,
    function: "get-random-u64",
    core: "random",
    core_type: "(result i64)",
    after: "",
};

pub(super) const UNKNOWN: Import = Import {
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
    pub(super) fn gate(name: &str) -> Guest {
        Guest::new(format!("(:NAME \"{name}\" :VERSION \"1\" :FUNCTIONS (:GATE))"))
    }

    /// An actuator called `name` for `targets`.
    pub(super) fn actuator(name: &str, targets: &str) -> Guest {
        Guest::new(format!(
            "(:NAME \"{name}\" :VERSION \"1\" :FUNCTIONS (:ACT) :TARGETS {targets})"
        ))
    }

    /// A skill that describes itself so.
    pub(super) fn new(describe: impl Into<String>) -> Guest {
        Guest {
            describe: describe.into(),
            imports: Vec::new(),
            texts: Vec::new(),
            free: 4096,
            gate: "(call $pass)".to_owned(),
            act: "(call $say (i32.const 0) (i32.const 0) (i32.const 0))".to_owned(),
            prompt: "(call $say (i32.const 0) (i32.const 0) (i32.const 0))".to_owned(),
            describe_body: None,
            more: String::new(),
            pages: 1,
            without: None,
            interface: "passepartout:skill/skill@0.1.0".to_owned(),
        }
    }

    pub(super) fn import(mut self, import: &'static Import) -> Guest {
        self.imports.push(import);
        self
    }

    /// Puts a text into the guest's memory; the answer is two constants, its address and its length.
    pub(super) fn text(&mut self, text: &str) -> String {
        let at = self.free;
        self.free += text.len() + 1;
        self.texts.push((at, text.to_owned()));
        format!("(i32.const {at}) (i32.const {})", text.len())
    }

    /// The component.
    pub(super) fn build(self) -> Vec<u8> {
        self.build_changed(str::to_owned)
    }

    /// The component, after `change` of its text.
    pub(super) fn build_changed(mut self, change: impl Fn(&str) -> String) -> Vec<u8> {
        let describe = self.describe.clone();
        let describe = self.text(&describe);
        let describe = self
            .describe_body
            .take()
            .unwrap_or(format!("(call $string {describe})"));
        wat::parse_str(change(&self.assemble(&describe))).unwrap()
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
        for (name, ty) in FUNCTIONS.iter().filter(|(name, _)| Some(*name) != self.without) {
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
        let Guest {
            gate,
            act,
            prompt,
            more,
            pages,
            interface,
            free,
            ..
        } = self;
        format!(
            r#"(component
  (type $verdict (variant (case "pass") (case "revise" string) (case "reject" string) (case "ask" string)))
  {imports}
  (core module $libc-module
    (memory (export "memory") {pages})
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
    {more}
    (func (export "describe") (result i32) {describe})
    (func (export "trigger") (param i32) (result i32) (i32.const 1))
    (func (export "prompt") (param i32) (result i32) {prompt})
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
  (export "{interface}" (instance $skill)))"#,
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
