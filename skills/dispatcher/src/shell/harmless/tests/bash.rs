//! What is shown to be harmless is given to the real bash, which must then have changed nothing and run nothing else.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::strategy::ValueTree;

use crate::path::{Place, Roots};
use crate::settings::Unasked;
use crate::shell::{Context, judge};

/// A workspace with some files, and beside it a folder with the only programs there are.
pub(super) struct Stage {
    pub(super) folder: tempfile::TempDir,
}

/// Programs that would act: each only leaves a mark. Without an argument, or with `--` alone, `rm` and `touch` only complain.
const ACTORS: &[&str] = &["act", "rm", "touch"];

/// As it is judged by default.
pub(super) fn asking(roots: &Roots) -> Context<'_> {
    Context {
        roots,
        allowed: &[],
        unasked: Unasked::Reads,
        offline: false,
    }
}

impl Stage {
    pub(super) fn roots(&self) -> Roots {
        Roots {
            workspace: Some(Place::absolute(&self.workspace().display().to_string())),
            ..Roots::default()
        }
    }

    pub(super) fn new() -> Stage {
        let stage = Stage {
            folder: tempfile::tempdir().unwrap(),
        };
        for folder in ["programs", "workspace/sub"] {
            fs::create_dir_all(stage.folder.path().join(folder)).unwrap();
        }
        for name in ["a", "b.txt", "sub/c"] {
            fs::write(stage.workspace().join(name), "touch a\nact\n$(act)\n").unwrap();
        }
        let mark = stage.folder.path().join("mark");
        for name in ACTORS {
            let file = stage.folder.path().join("programs").join(name);
            fs::write(
                &file,
                format!(
                    "#!/bin/bash\n[ \"${{0##*/}}\" = act -o \"${{*#--}}\" ] && echo \"$0 $*\" >> {}\n",
                    mark.display()
                ),
            )
            .unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        for name in [
            "cat", "ls", "sort", "head", "xargs", "find", "grep", "wc", "env", "sh", "bash",
        ] {
            let file = stage.folder.path().join("programs").join(name);
            let real = ["/bin", "/usr/bin"]
                .iter()
                .map(|bin| Path::new(bin).join(name))
                .find(|path| path.exists());
            std::os::unix::fs::symlink(real.unwrap(), file).unwrap();
        }
        stage
    }

    pub(super) fn workspace(&self) -> std::path::PathBuf {
        self.folder.path().join("workspace")
    }

    /// Everything that is there, and what is in it.
    fn state(&self) -> Vec<(String, Vec<u8>)> {
        let mut found = Vec::new();
        let mut folders = vec![self.workspace()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                found.push((path.display().to_string(), fs::read(&path).unwrap_or_default()));
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        found.sort();
        found
    }

    /// Runs a command. What it prints is in the file `printed` afterwards, beside the workspace.
    pub(super) fn run(&self, command: &str) {
        let printed = fs::File::create(self.folder.path().join("printed")).unwrap();
        let mut bash = Command::new("/bin/bash");
        bash.args(["--noprofile", "--norc", "-c", command]).env_clear();
        bash.env("PATH", self.folder.path().join("programs"))
            .env("HOME", self.workspace())
            .env("TMPDIR", "/tmp");
        bash.current_dir(self.workspace())
            .stdin(Stdio::null())
            .stdout(printed)
            .stderr(Stdio::null());
        let mut child = bash.spawn().unwrap();
        for _ in 0..400 {
            if child.try_wait().unwrap().is_some() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        // A loop without end does nothing either.
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

/// Pieces of scripts, put together without any grammar: where bash and the proof read differently, this shows it.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "act",
        "touch z",
        ")#",
        "<(ls)",
        "<(ls",
        "@(",
        "env $x z",
        "env \"$x\" z",
        "env `echo act`",
        "x=ls",
        "x=touch",
        "{ x=ls; }",
        "(x=ls)",
        "cd sub",
        "${x-touch}",
        "${x%a}",
        "$'\\n'",
        "xargs env",
        "xargs -0 env",
        "xargs -I% env %",
        "find . -print0",
        "find . -name * -exec",
        "-exec env {} \\;",
        "sh -c 'env \"$0\" z'",
        "echo touch",
        "echo act",
        "< a",
        "$(< a)",
        "<<< act",
        "2>/dev/null",
        "--",
        "[a]*",
        "%",
        ":-",
        "LC_ALL=C",
        "echo",
        "rm a",
        "echo",
        "cat",
        "ls",
        "sh",
        "x=act",
        "x=a",
        "$x",
        "${x}",
        "\"$x\"",
        "${x:-act}",
        "$(act)",
        "$(echo act)",
        "`act`",
        "`echo a`",
        "\\",
        "'",
        "\"",
        "$'",
        "$\"",
        ";",
        "&&",
        "||",
        "|",
        "&",
        "\n",
        "(",
        ")",
        "{",
        "}",
        "((",
        "))",
        "[[",
        "]]",
        "#",
        "<<E",
        "<<'E'",
        "\nE\n",
        "<<<",
        "<(",
        ">(",
        ">",
        "> /dev/null",
        "2>&1",
        "if",
        "then",
        "fi",
        "else",
        "for i in a b",
        "do",
        "done",
        "while",
        "case a in",
        "a)",
        ";;",
        "esac",
        "function f",
        "f()",
        "f",
        "!",
        "time",
        "env",
        "xargs",
        "-exec act ;",
        "find .",
        "command",
        "set --",
        "$1",
        "$@",
        "local",
        "export",
        "a",
        "b.txt",
        "*",
        "{a,b}",
        "{a..c}",
        "~",
        "=",
        "==",
        "-n",
        "$((",
        "1",
        "+",
        "x++",
        "read x",
        "\\\n",
        "\t",
        "return",
        "break",
        "${x",
        "$(",
        "eval",
        "\\'",
        "\\\"",
        "=~",
        "?",
        "[",
        "]",
        "select i in a",
        "until",
        "coproc",
        "-c",
        "printf '%s' act",
    ]);
    let blank = prop::sample::select(vec![" ", " ", " ", ""]);
    prop::collection::vec((piece, blank), 1..12).prop_map(|pieces| {
        pieces
            .into_iter()
            .map(|(piece, blank)| format!("{piece}{blank}"))
            .collect()
    })
}

/// Scripts that move a harmless and an acting program about in a variable, and then run what it holds.
fn moves() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "x=ls",
        "x=touch",
        "x=",
        "x=$(echo touch)",
        "x=ls y=touch",
        "y=touch",
        "x=$y",
        "true",
        "false",
        "cd sub",
        "cd nowhere",
        "read x",
        "read x <<< touch",
        "unset x",
        "set -- touch",
        "x=touch ls",
        "x=ls < nowhere",
        ": ${x=touch}",
        ": $nowhere",
        "LC_ALL=C x=ls",
        "ls",
        "exit",
        "# x=ls",
        "break",
        "continue",
        "for x in ls touch; do true; done",
        "for x in touch ls; do break; done",
        "while read x; do true; done < a",
        "[[ -f a && $x == l* ]]",
        "[[ $x == t* ]] && x=ls",
    ])
    .prop_map(str::to_owned);
    let script = leaf.prop_recursive(4, 12, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            two.clone().prop_map(|(a, b)| format!("{a}; {b}")),
            two.clone().prop_map(|(a, b)| format!("{a}\n{b}")),
            two.clone().prop_map(|(a, b)| format!("{a} && {b}")),
            two.clone().prop_map(|(a, b)| format!("{a} || {b}")),
            two.clone().prop_map(|(a, b)| format!("{a} | {b}")),
            two.clone().prop_map(|(a, b)| format!("if {a}; then {b}; fi")),
            two.clone()
                .prop_map(|(a, b)| format!("if true; then {a}; else {b}; fi < nowhere")),
            two.clone()
                .prop_map(|(a, b)| format!("case $x in touch) {a};; l*) {b};; esac")),
            two.prop_map(|(a, b)| format!("for y in ls {{t,}}ouch; do {a}; {b}; done")),
            inner.clone().prop_map(|a| format!("for x in ls ls; do {a}; done")),
            inner.clone().prop_map(|a| format!("for y in *; do {a}; done")),
            inner.clone().prop_map(|a| format!("while read -r y; do {a}; done < a")),
            inner.clone().prop_map(|a| format!("{{ {a}; }}")),
            inner.clone().prop_map(|a| format!("{{ {a}; }} < nowhere")),
            inner.clone().prop_map(|a| format!("( {a} )")),
            inner.clone().prop_map(|a| format!("! {a}")),
            inner.clone().prop_map(|a| format!(": $( {a} )")),
            inner.clone().prop_map(|a| format!("cat <( {a} )")),
            inner.clone().prop_map(|a| format!("bash -c '{a}'")),
            inner.prop_map(|a| format!("time {a}")),
        ]
    });
    let end = prop::sample::select(vec![
        "$x z",
        "env $x z",
        "env \"$x\" z",
        "echo z | xargs $x",
        "sh -c \"$x z\"",
        "for y in 1 2; do $x z; x=$y; done",
        "for y in 1 2; do $x z; done",
        "if [ -f a ]; then $x z; fi",
    ]);
    (script, end).prop_map(|(script, end)| format!("x=ls; {script}; {end}"))
}

/// How many scripts are made. Few are harmless, and of those few hold anything that could act.
const SCRIPTS: u32 = 40_000;

/// Gives those of the scripts that pass, and could act, to the real bash. Each must do nothing.
fn run_what_passes(scripts: impl Strategy<Value = String>, count: u32) {
    let stage = Stage::new();
    let roots = stage.roots();
    let context = asking(&roots);
    let before = stage.state();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::default());
    let mut ran = 0;
    for _ in 0..count {
        let command = scripts.new_tree(&mut runner).unwrap().current();
        let could_act = ACTORS.iter().any(|actor| command.contains(actor));
        if !could_act || !judge(&command, "payload.cmd", &context).is_empty() {
            continue;
        }
        ran += 1;
        stage.run(&command);
        let mark = fs::read_to_string(stage.folder.path().join("mark")).unwrap_or_default();
        assert!(mark.is_empty(), "shown to be harmless, and ran {mark}: {command}");
        assert_eq!(
            stage.state(),
            before,
            "shown to be harmless, and changed something: {command}"
        );
    }
    assert!(
        ran > 50,
        "only {ran} of the scripts were harmless: the test shows nothing"
    );
}

#[test]
fn what_is_shown_to_be_harmless_does_nothing_in_the_real_bash() {
    run_what_passes(soup(), SCRIPTS);
}

#[test]
fn a_variable_holds_in_the_real_bash_what_it_is_shown_to_hold() {
    run_what_passes(moves(), SCRIPTS / 8);
}
