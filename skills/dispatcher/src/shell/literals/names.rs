//! Names of functions in several languages. Sources: the manuals of Python, Perl, Ruby, PHP, Lua, Node, Deno, Java, Emacs.

/// Parts of the names of functions and modules that run commands.
const RUNNERS: &[&str] = &["exec", "popen", "shell", "spawn", "subprocess", "system"];
/// Other names of such.
const RUNNING: &[&str] = &[
    "Command",
    "Popen",
    "ProcessBuilder",
    "call-process",
    "check_call",
    "check_output",
    "getoutput",
    "getstatusoutput",
    "passthru",
    "qx",
    "start-process",
];
/// Parts of the names of functions that take folders away: Python, Perl, Ruby, Node, Rust, Emacs.
const REMOVERS: &[&str] = &[
    "delete-directory",
    "remove_dir_all",
    "remove_tree",
    "rm_r",
    "rmSync",
    "rmdirSync",
    "rmtree",
];
/// Functions that take a text for a text.
pub(super) const SAYING: &[&str] = &[
    "debug",
    "echo",
    "endsWith",
    "endswith",
    "error",
    "info",
    "log",
    "print",
    "printf",
    "println",
    "puts",
    "say",
    "split",
    "startsWith",
    "startswith",
    "warn",
];
/// What may stand in a call beside literals, and is no value of its own: modules, constants, and functions that put texts
/// together.
pub(super) const MODULES: &[&str] = &[
    "Dir",
    "File",
    "FileUtils",
    "Path",
    "child_process",
    "fs",
    "os",
    "path",
    "pathlib",
    "process",
    "shlex",
    "subprocess",
];
pub(super) const CONSTANTS: &[&str] = &[
    "DEVNULL",
    "False",
    "None",
    "PIPE",
    "STDOUT",
    "True",
    "false",
    "new",
    "nil",
    "null",
    "true",
    "undefined",
];
pub(super) const PURE: &[&str] = &[
    "Path",
    "abspath",
    "encode",
    "expanduser",
    "join",
    "list",
    "resolve",
    "split",
    "str",
];

/// What a name is good for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    Runs,
    Removes,
}

/// What a name does, by what it is called.
pub(super) fn deed(word: &str) -> Option<Deed> {
    if REMOVERS.iter().any(|part| word.contains(part)) {
        Some(Deed::Removes)
    } else if RUNNERS.iter().any(|part| word.contains(part)) || RUNNING.contains(&word) {
        Some(Deed::Runs)
    } else {
        None
    }
}
