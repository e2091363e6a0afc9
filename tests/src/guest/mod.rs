//! Small skills for tests: components written as text, assembled here into real ones.
//!
//! Nothing of the SDK or of the host is used, so that they can do what those would not let them. The host's own tests
//! use this file too, by its path.

mod imports;

use std::fmt::Write as _;

pub use imports::*;

/// A skill under construction. Bodies are core instructions; each has the parameters of its function by number.
#[derive(Clone)]
pub struct Guest {
    describe: String,
    imports: Vec<&'static Import>,
    texts: Vec<(usize, String)>,
    free: usize,
    /// The body of `gate`: parameters 0 (action) and 1 (signal), result the address of a verdict.
    pub gate: String,
    /// The body of `act`: parameters 0 (action) and 1 (signal), result the address of a result of two texts.
    pub act: String,
    /// The body of `prompt`: parameter 0 (signal), result the address of an optional text.
    pub prompt: String,
    /// The body of `recover`: parameters 0 (error) and 1 (signal), result the address of an optional text.
    pub recover: String,
    /// The body of `describe`, instead of one that answers with the description.
    pub describe_body: Option<String>,
    /// What `realloc` does first.
    pub realloc: String,
    /// Whatever else the core module defines.
    pub more: String,
    /// Whatever else the component is made of.
    pub parts: String,
    /// Pages of memory to begin with.
    pub pages: u32,
    /// Leaves this function out of the exported interface.
    pub without: Option<&'static str>,
    /// The name of the exported interface.
    pub interface: String,
}

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
            prompt: "(call $say (i32.const 0) (i32.const 0) (i32.const 0))".to_owned(),
            recover: "(call $pass)".to_owned(),
            describe_body: None,
            realloc: String::new(),
            more: String::new(),
            parts: String::new(),
            pages: 1,
            without: None,
            interface: "passepartout:skill/skill@0.1.0".to_owned(),
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
    pub fn build(self) -> Vec<u8> {
        self.build_changed(str::to_owned)
    }

    /// The component, after `change` of its text.
    pub fn build_changed(mut self, change: impl Fn(&str) -> String) -> Vec<u8> {
        let describe = self.describe.clone();
        let describe = self.text(&describe);
        let describe = self
            .describe_body
            .take()
            .unwrap_or(format!("(call $string {describe})"));
        wat::parse_str(change(&self.assemble(&describe))).expect("the text of a component")
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
            recover,
            realloc,
            more,
            parts,
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
      {realloc}
      (local.set $at (i32.and (i32.add (global.get $next) (i32.const 7)) (i32.const -8)))
      (global.set $next (i32.add (local.get $at) (local.get 3)))
      (loop $more
        (if (i32.gt_u (global.get $next) (i32.mul (memory.size) (i32.const 65536)))
          (then
            (if (i32.eq (memory.grow (i32.const 1)) (i32.const -1)) (then unreachable))
            (br $more))))
      (local.get $at)))
  (core instance $libc (instantiate $libc-module))
  {parts}
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
    (func (export "recover") (param i32 i32) (result i32) {recover}))
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
