//! Options by which a program that otherwise reads runs or changes something: the manuals of GNU sort, find, fd, tar, sed, git,
//! man, ripgrep, less.

use super::hidden::Invocation;

/// What is said of one of which no more is known.
pub(super) const SOMETHING: &str = "runs or changes something by an option";

/// Of a program, how such options begin, and what they do in words.
const OPTIONS: &[(&str, &[&str], &str)] = &[
    ("find", &["-delete"], "deletes what it finds"),
    (
        "find",
        &["-exec", "-execdir", "-ok", "-okdir"],
        "runs a command on what it finds",
    ),
    (
        "find",
        &["-fls", "-fprint", "-fprint0", "-fprintf"],
        "writes what it finds to a file",
    ),
    ("fd", &["-x", "-X", "--exec"], "runs a command on what it finds"),
    ("sort", &["-o", "--o"], "writes what it sorted to a file"),
    ("sort", &["--co"], SOMETHING),
    ("rg", &["--pre", "--hostname-bin"], SOMETHING),
    ("sed", &["-i", "--i"], "changes files in their places"),
    ("sed", &["-s"], SOMETHING),
    ("man", &["-P", "--pager", "-H", "--html"], SOMETHING),
    (
        "tar",
        &[
            "-I",
            "--use-compress",
            "--checkpoint-action",
            "--to-command",
            "-F",
            "--rsh-command",
        ],
        SOMETHING,
    ),
    (
        "git",
        &["-c", "--upload-pa", "--receive-pa", "--exec", "-u", "--config-env"],
        SOMETHING,
    ),
    ("less", &["-o", "-O", "+"], SOMETHING),
];

/// What the program `name` is made to do by an option, if it is.
pub(super) fn told(name: &str, invocation: &Invocation<'_>) -> Option<&'static str> {
    let given = |begins: &&str| {
        let mut options = invocation.arguments().iter().take_while(|field| field.text != "--");
        options.any(|field| field.text.starts_with(begins))
    };
    let mut rows = OPTIONS.iter().filter(|(own, ..)| *own == name);
    rows.find_map(|(_, options, words)| options.iter().any(&given).then_some(*words))
}
