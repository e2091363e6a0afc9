//! Options by which a program that otherwise reads runs or changes something: the manuals of GNU sort, find, fd, tar, sed, git,
//! man, ripgrep, less.

use super::hidden::Invocation;

/// What is said of one of which no more is known.
pub(super) const SOMETHING: &str = "runs or changes something by an option";

/// What is said of a setting that may name a program.
const SETTING: &str = "does what a setting says that it is given, which can run a program";

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
    (
        "zip",
        &["-TT", "--unzip-command"],
        "runs a command to test what it packed",
    ),
    ("split", &["--filter"], "runs a command on what it splits"),
    ("less", &["-o", "-O", "+"], SOMETHING),
    (
        "openssl",
        &["-config", "-engine", "-provider", "-writerand"],
        "loads code or settings that it is told to load",
    ),
    ("apt", &["-o", "-c", "--option", "--config-file"], SETTING),
    ("apt-cache", &["-o", "-c", "--option", "--config-file"], SETTING),
    ("apt-get", &["-o", "-c", "--option", "--config-file"], SETTING),
    ("cargo", &["--config", "-Z"], SETTING),
    ("pip", &["--python", "--log"], SETTING),
    ("pip3", &["--python", "--log"], SETTING),
    (
        "rsync",
        &["--log-file", "--write-batch", "--only-write-batch"],
        "writes a file that an option names",
    ),
];

/// What the program `name` is made to do by an option, if it is.
pub(super) fn told(name: &str, invocation: &Invocation<'_>) -> Option<&'static str> {
    let given = |begins: &&str| {
        let mut options = invocation.arguments().iter().take_while(|field| field.text != "--");
        options.any(|field| is_given(&field.text, begins))
    };
    let mut rows = OPTIONS.iter().filter(|(own, ..)| *own == name);
    rows.find_map(|(_, options, words)| options.iter().any(&given).then_some(*words))
}

/// The fewest characters of a long option that stand for it, with the dashes.
const SHORTEST: usize = 5;

/// Whether an argument begins so, or is an abbreviation of that: getopt_long(3).
fn is_given(text: &str, begins: &str) -> bool {
    let name = text.split('=').next().unwrap_or_default();
    let is_abbreviated = name.len() >= SHORTEST && name.starts_with("--") && begins.starts_with(name);
    text.starts_with(begins) || is_abbreviated
}
