#![allow(clippy::unwrap_used, clippy::expect_used)]

mod assigned;
mod attacked;
mod bash;
mod beneath;
mod broken;
mod disguised;
mod flow;
mod left;
mod named;
mod outside;
mod passwords;
mod picked;
mod reach;
mod rewritings;
mod run;
mod together;
mod unshown;
mod untold;

use super::*;
use crate::path::Place;

pub(super) fn roots() -> Roots {
    Roots {
        workspace: Some(Place::absolute("/home/me/work/project")),
        private: vec![Place::absolute("/home/me/.config/passepartout")],
        protected: vec!["*.secret".to_owned()],
    }
}

pub(super) fn proof(command: &str) -> Proof<Level> {
    prove(command, &roots())
}

fn reads(command: &str) -> bool {
    proof(command) == Ok(Level::Reads)
}

#[test]
fn each_example_of_the_table_comes_out_as_it_says() {
    let wrong: Vec<_> = crate::shell::programs::EXAMPLES
        .iter()
        .filter(|(example, passes)| reads(example) != *passes)
        .map(|(example, _)| (example, proof(example)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn everyday_reading_is_harmless() {
    let commands = [
        "ls",
        "cat README.md && wc -l src/*.rs | sort -n | tail -5",
        "find . -name '*.rs' | xargs grep -n unsafe",
        "git status; git log --oneline -5; git diff --cached -- src",
        "[ -f Cargo.toml ] && cat Cargo.toml",
        "cd src && ls && cat main.rs",
        "x=README.md; cat \"$x\"",
        "echo {1..3}",
        "diff <(sort a) <(sort b)",
        "grep foo src/main.rs || echo 'not there'",
        "LC_ALL=C sort words.txt | uniq -c",
        "cat ~/notes.txt",
        "bash -c 'ls | wc -l'",
        "find . -name '*.c' -exec grep -l main {} +",
        "find src -print0 | xargs -0 sort",
        "find . -name '*.txt' -print0 | xargs -0rn1 head",
        "awk -F: '$3 > 1000 { print $1 }' users.txt",
        "sed -n '/start/,/end/p' log.txt",
        "set -e; ls",
        "set -euo pipefail\ncd src && ls; x=a; cat $x",
        "awk '/x/ && $1 > 3 {print}' log.txt",
        "awk '$1 > 3 || /a|b/ { n++ } END { print n }' log.txt",
        "sed 's/[[:space:]]*$//; s/[]]/x/; s/[^]a]//' log.txt",
        "sed 's/a/[/; y/[]/()/' log.txt",
        "sed -E 's/[\\/]+/x/g; /[^\\\\]/d' log.txt",
        "sed ':a;N;$!ba;s/a/b/' log.txt",
        "sed -n '/x/{:a;n;p;ba};p' log.txt",
        "cat missing 2>/dev/null; echo done >&2",
    ];
    let wrong: Vec<_> = commands
        .iter()
        .filter(|command| !reads(command))
        .map(|c| (c, proof(c)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_changes_the_workspace_and_nothing_else_is_known_as_that() {
    for command in [
        "echo x > notes.txt",
        "mkdir -p a/b",
        "cp a b",
        "mv a b",
        "rm a",
        "sed -i s/a/b/ x",
        "touch x",
        "ls | tee out",
    ] {
        assert_eq!(proof(command), Ok(Level::Writes), "{command}");
    }
}

#[test]
fn what_may_do_more_is_not() {
    let commands = [
        // Other places, in all their spellings.
        "cat /etc/hosts",
        "cat ../other/x",
        "cat src/../../x",
        "cd ..; cat x",
        "cd / && ls",
        "cd sub; cat ../x",
        "x=/etc; cat $x/hosts",
        "x=/etc/hosts; false && x=README.md; cat $x",
        "if true; then x=/etc/hosts; else x=a; fi; cat $x",
        "x=a; for i in 1 2; do cat $x; x=/etc/hosts; done",
        "x=a; while true; do cat $x; x=$y; y=$z; z=/etc/hosts; done",
        "f() { x=/etc/hosts; }; x=a; f; cat $x",
        "f() { [ a ] && return; x=a; }; x=/etc/hosts; f; cat $x",
        "x=/etc/hosts; for i in 1 2; do [ a ] && break; x=a; done; cat $x",
        "cat $(echo /etc/hosts)",
        "cat $(cat list)",
        "cat /etc/host{s,name}",
        "cat /etc/host{s..s}",
        "cat ${x:-/etc/hosts}",
        "cat \"${x:=/etc/hosts}\"",
        "echo /etc/hosts | xargs cat",
        "echo /etc/hosts | while read f; do cat $f; done",
        "find /etc -name hosts | xargs cat",
        "cat < /etc/hosts",
        "x=a > $x",
        "find . -newer /etc/shadow",
        "ls ~root",
        "cat $OLDPWD/x",
        // Protected names.
        "cat .env",
        "cat .e*",
        "cat .ssh/id_rsa",
        "cat id_r*",
        "cat keys.secret",
        "x=nv; cat .e$x",
        // Programs.
        "python x.py",
        "make",
        "./x",
        "src/ls",
        "$1x",
        "$(echo ./ls) x",
        "ls() { rm x; }; ls",
        "eval ls",
        ". x",
        "alias l=rm; sh -c 'alias ls=rm\nls x'",
        "trap 'rm x' EXIT",
        "exec ls",
        "PATH=. ls",
        "export PATH=.; ls",
        "LD_PRELOAD=./x.so ls",
        "GIT_PAGER=x git log",
        "hash -p ./x ls; ls",
        "enable -f ./x y",
        "coproc ls",
        "BASH_ENV=x bash -c ls",
        "PS4='$(rm x)'; set -x; ls",
        "time rm x",
        "! rm x",
        "ls & rm x",
        "ls | rm x",
        "{ rm x; }",
        "(rm x)",
        "[[ -n $(rm x) ]]",
        "[[ a[$(rm x)] -eq 1 ]]",
        "x='a[$(rm y)]'; [[ $x -eq 1 ]]",
        "x='a[$(rm y)]'; echo $((x))",
        "read x < f; echo $((x))",
        "( ( rm x ) )",
        "((ls) )",
        "( (x) )",
        "((rm x))",
        "(\\\n(x))",
        "echo $((rm x); (rm y))",
        "echo ${x@P}",
        "echo ${!x}",
        "echo ${x:$(rm y)}",
        "echo ${x/a/$(rm y)}",
        "echo ${x[$(rm y)]}",
        "cat <<EOF\n$(rm x)\nEOF",
        "cat <<< $(rm x)",
        "ls <(rm x)",
        "ls > >(sh)",
        "for ((i=$(rm x); i<1; i++)); do ls; done",
        "printf -v 'a[$(rm x)]' y",
        "read 'a[$(rm x)]'",
        "declare -n r=PATH; r=.; ls",
        "mapfile -C rm x",
        // What decides what runs, or computes, is followed in its plainest form only.
        "while true; do ls; done",
        "until false; do ls; done",
        "select x in a; do ls; done",
        "f() { ls; }; f",
        "function f { ls; }",
        "((1))",
        "echo $[1]",
        "let x=1; ls",
        "a=(b)",
        "a[0]=b; ls",
        "x+=a; echo $x",
        "echo ${a[0]}",
        "ls &",
        "echo @(a|b)",
        "cat <<EOF\na\nEOF",
        "ls > >(cat)",
        "read x; echo $x",
        "unset x; ls",
        "export x=1",
        "declare x=1",
        "echo $\"a\"",
        "X=1; ls",
        "false && x=1; ls",
        "x=1; ls || ls",
        "x=1 >a; ls",
        "FOO=1 ls",
        // Options.
        "sort --compress-program=sh a",
        "find . $(cat x)",
        "xargs -a list rm",
        "uniq *",
        "ls | xargs uniq",
        "sed \"s/a/$(cat x)/\" y",
        "awk \"$(cat x)\" y",
    ];
    let wrong: Vec<_> = commands.iter().filter(|command| reads(command)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn nothing_is_known_where_the_workspace_is_not() {
    assert!(prove("ls", &Roots::default()).is_err());
}

#[test]
fn reasons_name_the_part() {
    let doubt = proof("sort --compress-program=sh x").unwrap_err();
    assert_eq!(doubt.part, "--compress-program");
    assert!(doubt.why.contains("`sort`"), "{}", doubt.why);
    assert_eq!(proof("ls && cat /etc/hosts").unwrap_err().part, "/etc/hosts");
}

#[test]
fn what_nests_or_repeats_without_bound_is_given_up() {
    for command in [
        format!("{}ls{}", "$(".repeat(5000), ")".repeat(5000)),
        format!("{}ls{}", "(".repeat(5000), ")".repeat(5000)),
        format!("{}ls", "! ".repeat(1000)),
        format!("{}ra{}cat{}", "(".repeat(12), "(".repeat(4), "(".repeat(8)),
        "x=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; x=$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x; ls".to_owned(),
        format!("ls {}", "a ".repeat(5000)),
    ] {
        assert!(proof(&command).is_err(), "{}", &command[..command.len().min(60)]);
    }
}
