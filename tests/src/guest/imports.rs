//! What the skills of tests can import.

/// One imported function.
pub struct Import {
    /// The instance's name.
    pub instance: &'static str,
    /// What the instance is called in the text.
    pub id: &'static str,
    /// The instance's type.
    pub ty: &'static str,
    /// The function's name.
    pub function: &'static str,
    /// Its name in the core module.
    pub core: &'static str,
    /// Its core type.
    pub core_type: &'static str,
    /// What the component says after the import.
    pub after: &'static str,
}

/// `forms.text`, called `$text`: handle, path, where to put the result.
pub const TEXT: Import = Import {
    instance: "passepartout:skill/forms@0.1.0",
    id: "forms",
    ty: r#"(export "text" (func (param "of" u32) (param "path" string) (result (option string))))
           (export "printed" (func (param "of" u32) (param "path" string) (result (option string))))"#,
    function: "text",
    core: "text",
    core_type: "(param i32 i32 i32 i32)",
    after: "",
};

/// Our interface, of a version that this host does not speak.
pub const LATER: Import = Import {
    instance: "passepartout:skill/forms@0.2.0",
    ..TEXT
};

/// `forms.printed`, called `$printed`: handle, path, where to put the result.
pub const PRINTED: Import = Import {
    function: "printed",
    core: "printed",
    ..TEXT
};

/// `log.write`, called `$write`: level, line.
pub const LOG: Import = Import {
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

/// `secrets.contains-secret`, called `$contains`: handle, path.
pub const SECRETS: Import = Import {
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

macro_rules! failure {
    () => {
        r#"(type $f (variant (case "not-cleared" string) (case "rejected" string) (case "needs-approval" string)
               (case "unavailable" string) (case "failed" string)))
           (export "failure" (type $failure (eq $f)))"#
    };
}

/// `files.read`, called `$read-file`: path, offset, length, where to put the result.
pub const READ_FILE: Import = Import {
    instance: "passepartout:skill/files@0.1.0",
    id: "files",
    ty: concat!(
        failure!(),
        r#"(export "read" (func (param "path" string) (param "offset" u64) (param "length" u32)
               (result (result (list u8) (error $failure)))))
           (export "propose-write" (func (param "path" string) (param "text" string) (param "replace" bool)
               (param "explanation" string) (result (result u64 (error $failure)))))"#
    ),
    function: "read",
    core: "read-file",
    core_type: "(param i32 i32 i64 i32 i32)",
    after: "",
};

/// `files.propose-write`, called `$propose-write`: path, text, whether to replace, explanation, where to put the result.
pub const PROPOSE_WRITE: Import = Import {
    function: "propose-write",
    core: "propose-write",
    core_type: "(param i32 i32 i32 i32 i32 i32 i32 i32)",
    ..READ_FILE
};

/// `http.get`, called `$get`: URL, headers, where to put the result.
pub const GET: Import = Import {
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

/// `model.propose-ask`, called `$propose-ask`: prompt, explanation, where to put the result.
pub const PROPOSE_ASK: Import = Import {
    instance: "passepartout:skill/model@0.1.0",
    id: "model",
    ty: concat!(
        failure!(),
        r#"(export "propose-ask" (func (param "prompt" string) (param "explanation" string)
               (result (result string (error $failure)))))"#
    ),
    function: "propose-ask",
    core: "propose-ask",
    core_type: "(param i32 i32 i32 i32 i32)",
    after: "",
};

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

/// The monotonic clock's time, called `$now`.
pub const CLOCK: Import = Import {
    instance: "wasi:clocks/monotonic-clock@0.2.0",
    id: "clock",
    ty: r#"(export "now" (func (result u64)))"#,
    function: "now",
    core: "now",
    core_type: "(result i64)",
    after: "",
};

/// Waiting for a pollable, called `$block`.
pub const BLOCK: Import = Import {
    instance: "wasi:io/poll@0.2.0",
    id: "poll",
    ty: r#"(export "pollable" (type $p (sub resource)))
           (export "[method]pollable.block" (func (param "self" (borrow $p))))"#,
    function: "[method]pollable.block",
    core: "block",
    core_type: "(param i32)",
    after: "(alias export $poll \"pollable\" (type $pollable))",
};

/// A timer, called `$subscribe`: nanoseconds. Needs [`BLOCK`] before it.
pub const SUBSCRIBE: Import = Import {
    instance: "wasi:clocks/monotonic-clock@0.2.0",
    id: "timer",
    ty: r#"(alias outer 1 $pollable (type $p)) (export "pollable" (type $q (eq $p)))
           (export "subscribe-duration" (func (param "when" u64) (result (own $q))))"#,
    function: "subscribe-duration",
    core: "subscribe",
    core_type: "(param i64) (result i32)",
    after: "",
};

/// A random number, called `$random`.
pub const RANDOM: Import = Import {
    instance: "wasi:random/random@0.2.0",
    id: "random",
    ty: r#"(export "get-random-u64" (func (result u64)))"#,
    function: "get-random-u64",
    core: "random",
    core_type: "(result i64)",
    after: "",
};

/// Ending the process, called `$exit`: 0 for well.
pub const EXIT: Import = Import {
    instance: "wasi:cli/exit@0.2.3",
    id: "exit",
    ty: r#"(export "exit" (func (param "status" (result))))"#,
    function: "exit",
    core: "exit",
    core_type: "(param i32)",
    after: "",
};

/// A function of WASI that has nothing to work on, called `$absent`.
pub const ABSENT: Import = Import {
    instance: "wasi:cli/environment@0.2.9",
    id: "later",
    ty: r#"(export "later" (func))"#,
    function: "later",
    core: "absent",
    core_type: "",
    after: "",
};

/// `settings.get`, called `$get`: key, where to put the result.
pub const SETTINGS: Import = Import {
    instance: "passepartout:skill/settings@0.1.0",
    id: "settings",
    ty: r#"(export "get" (func (param "key" string) (result (option string))))"#,
    function: "get",
    core: "get",
    core_type: "(param i32 i32 i32)",
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
