//! What passes is run by the program itself: it writes nothing, runs nothing, and reads no other file.

use proptest::prelude::*;
use std::path::Path;
use std::process::Command;

use super::reads;

/// What another file holds.
const OTHER: &str = "SECOND";

/// Pieces of scripts of sed, of which many are read otherwise than they look.
const OF_SED: &[&str] = &[
    "s",
    "/",
    "/",
    ",",
    "[",
    "]",
    "[]",
    "[^]",
    "[[:alpha:]",
    "[[:",
    ":]",
    "[a",
    "\\",
    "^",
    ";",
    "#",
    "\n",
    "p",
    "a ",
    "{",
    "}",
    "1",
    "!",
    "y",
    "x",
    "g",
    "[.",
    ".]",
    "[=",
    "=]",
    ":a",
    "ba",
    "b",
    "t",
    " ",
    "$",
    "*",
    "I",
    "\\/",
    "\\]",
    "e touch made",
    "w made",
    "r other",
];
/// The same of awk.
const OF_AWK: &[&str] = &[
    "/",
    "/",
    "\"",
    "[",
    "]",
    "[]",
    "[^]",
    "\\",
    "{",
    "}",
    "(",
    ")",
    ";",
    "\n",
    "print",
    "printf",
    " ",
    ">",
    ">",
    "|",
    "||",
    "\"made\"",
    "\"touch made\"",
    "x",
    "$1",
    "1",
    ",",
    "=",
    "~",
    "!",
    "#",
    "a[1]",
    "BEGIN",
    "END",
    "if",
    "else",
];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("in", "abc]x\n/a/[b] 3\n:,;\n"), ("other", OTHER)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// What is wrong with what it did, if it passes.
fn wrong(folder: &Path, program: &str, script: &str) -> Option<String> {
    let quoted = format!("'{}'", script.replace('\'', "'\\''"));
    if !reads(&format!("{program} {quoted} in")) {
        return None;
    }
    let mut words = program.split(' ').chain([script, "in"]);
    // Some scripts go round for ever.
    let done = Command::new("timeout")
        .arg("1")
        .args(words.by_ref())
        .current_dir(folder)
        .output()
        .unwrap();
    let made = std::fs::read_dir(folder).unwrap().count() != 2;
    let read = String::from_utf8_lossy(&done.stdout).contains(OTHER);
    (made || read).then(|| format!("{program} {script:?}: {done:?}"))
}

/// Anything that may be taken for a script, and perhaps what acts behind it.
fn pieces() -> impl Strategy<Value = String> {
    let begins = prop::sample::select(vec!["", "s/", "/", "s,", "\\,", "1,/", "s/a/"]);
    let pieces = prop::collection::vec(prop::sample::select(OF_SED), 1..10);
    let acts = prop::sample::select(vec!["", ";e touch made", ";w made", "/w made", "e touch made"]);
    (begins, pieces, acts).prop_map(|(first, pieces, last)| [first, &pieces.concat(), last].concat())
}

/// A set of which it is hard to say where it ends, what follows if it ended, and what acts if it did not.
fn sets() -> impl Strategy<Value = String> {
    let choose = |of: &[&'static str]| prop::sample::select(of.to_vec());
    let parts = [
        choose(&["s/", "/", "1,/", "s,", "\\,"]),
        choose(&[
            "[]",
            "[^]",
            "[[:alpha:]",
            "[a[.].]",
            "[x[=a=]",
            "[a\\]",
            "[\\/",
            "[",
            "[^]]",
            "\\[",
        ]),
        choose(&["/A/", "/", "/p", ",x,", ",", ""]),
        choose(&[";#", ";a ", ";", "}#", ""]),
        choose(&["]/C/", "]/", "],y,", "],", "]", "/"]),
        choose(&[
            ";e touch made",
            "e touch made",
            ";w made",
            "w made",
            ";r other",
            "r other",
            "p",
        ]),
    ];
    parts.prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn a_script_of_sed_that_passes_does_nothing_else(script in prop_oneof![pieces(), sets()]) {
        let folder = folder();
        prop_assert_eq!(wrong(folder.path(), "sed", &script), None);
    }

    #[test]
    fn a_program_of_awk_that_passes_does_nothing_else(
        pieces in prop::collection::vec(prop::sample::select(OF_AWK), 1..12),
        last in prop::sample::select(vec!["", "{print > \"made\"}", " > \"made\"}", " | \"touch made\"}"]),
    ) {
        let folder = folder();
        prop_assert_eq!(wrong(folder.path(), "awk", &[&pieces.concat(), last].concat()), None);
    }
}

#[test]
fn what_these_tests_look_for_would_be_seen() {
    for (program, script) in [
        ("sed", "w made"),
        ("sed", "1e touch made"),
        ("awk", "{print > \"made\"}"),
    ] {
        let folder = folder();
        let done = Command::new(program)
            .args([script, "in"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(
            done.status.success() && folder.path().join("made").exists(),
            "{script}: {done:?}"
        );
    }
}
