//! What is shown to read only the workspace is given to the real bash, which must print nothing that lies beside it.

use std::fs;

use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::bash::{Stage, asking};
use crate::shell::judge;

/// What is in the file beside the workspace, and in no command.
const TOLD: &str = "told from outside";

/// Commands that print files, with words that may lead out in all their spellings.
fn reading() -> impl Strategy<Value = String> {
    let before = prop::sample::select(vec![
        "",
        "",
        "",
        "x=..; ",
        "x=../beside; ",
        "x=/; ",
        "x='..'\n",
        "cd sub; ",
        "cd ..; ",
        "cd sub && ",
        "cd \"$(ls -d sub)\"; ",
        "cd nowhere || ",
        "x=$(cd ..; pwd); ",
        "x=$(pwd); ",
        "{ cd ..; }; ",
        "(cd ..); ",
        "cd sub/..; cd ..; ",
        "cd; ",
        "x=$PWD; ",
        "cd $x; ",
        "x=.; ",
        "x=\n",
        "set -- ..; ",
        "ls | ",
        "find . | ",
        "find .. | ",
        "find . -print0 | ",
    ]);
    let program = prop::sample::select(vec![
        "cat",
        "cat",
        "head",
        "sort",
        "grep -r .",
        "grep -h .",
        "wc -l",
        "cat --",
        "xargs cat",
        "xargs -0 cat",
        "xargs -I% cat %/beside",
        "xargs -I% cat ../%",
        "find . -exec cat",
        "find .. -exec cat",
        "find sub -exec cat {}",
        "bash -c 'cat \"$1\"' _",
        "sh -c 'cat $0'",
        "cat <",
        "cat $(ls",
        "cat `find",
        "cat <(cat",
        "cat $(<",
        "time cat",
        "command cat",
        "grep -f",
        "grep -e x -e",
    ]);
    let word = prop::sample::select(vec![
        "..",
        "../beside",
        "/beside",
        "beside",
        "$x/beside",
        "\"$x\"/beside",
        "${x}/../beside",
        "sub/../../beside",
        "*",
        "../*",
        "./*",
        "../b*e",
        "sub/../../b?side",
        ".*/beside",
        "$(pwd)/../beside",
        "\"$PWD/../beside\"",
        "~/../beside",
        "~/a",
        "a",
        "sub",
        "b.txt",
        ".",
        "./..",
        "$OLDPWD/beside",
        "{..,a}/beside",
        ".{.,}/beside",
        ".\\./beside",
        "'..'/beside",
        ".''./beside",
        "$'..'/beside",
        "${y:-..}/beside",
        "${y-../beside}",
        "$1/beside",
        "$HOME/../beside",
        "{}",
        "{}/../beside",
        "\\;",
        "+",
        ")",
        "`",
        "[.][.]/beside",
        "?./beside",
        "-r",
        "-f",
        "<",
        "|",
        ";",
        "&&",
        "\n",
        "$y",
        "\"$y\"",
        "\"\"",
        "''/beside",
        "''../beside",
        "%",
    ]);
    (before, program, prop::collection::vec(word, 0..4))
        .prop_map(|(before, program, words)| format!("{before}{program} {}", words.join(" ")))
}

/// How many commands are made.
const COMMANDS: u32 = 4_000;

#[test]
fn what_is_shown_to_read_the_workspace_prints_nothing_from_outside() {
    let stage = Stage::new();
    fs::write(stage.folder.path().join("beside"), TOLD).unwrap();
    let roots = stage.roots();
    let context = asking(&roots);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::default());
    let told = || fs::read_to_string(stage.folder.path().join("printed")).is_ok_and(|printed| printed.contains(TOLD));
    stage.run("cat ../beside");
    assert!(told(), "what lies outside can be read");
    let mut ran = 0;
    for _ in 0..COMMANDS {
        let command = reading().new_tree(&mut runner).unwrap().current();
        // Only what speaks of the folder above, or of the file, could read it.
        let could_read = command.contains("..") || command.contains("beside");
        if !could_read || !judge(&command, "payload.cmd", &context).is_empty() {
            continue;
        }
        ran += 1;
        stage.run(&command);
        assert!(!told(), "shown to read only the workspace: {command}");
    }
    assert!(
        ran > 50,
        "only {ran} of the commands were harmless: the test shows nothing"
    );
}
