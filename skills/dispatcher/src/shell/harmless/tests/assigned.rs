//! Variables that are set: what is expanded behind them, on the same line too, is given what they hold.

use super::super::state::INERT;
use super::{proof, reads};

#[test]
fn a_variable_that_means_something_is_set_by_nothing_that_expands_more_behind_it() {
    // Other names mean nothing to a program, and may be used all the same.
    let others = ["FOO", "RUSTC_WRAPPER", "Mixed"];
    let behind = [
        "x=$(ls)",
        "x=`ls`",
        "x=a$(ls)b",
        "x=\"$(cat $FOO ~/f)\"",
        "y=1 x=$(ls)",
        "x=$(: $(ls))",
    ];
    let around = |line: &str| {
        [
            line.to_owned(),
            format!("ls; {line}"),
            format!("ls && {line}"),
            format!("cd src; {line}"),
            format!("({line})"),
            format!("{{ {line}; }}"),
            format!("ls | {line}"),
            format!("echo $({line})"),
            format!("bash -c '{line}'"),
            format!("sh -c '{line}'"),
            format!("watch '{line}'"),
        ]
    };
    let mut passing = Vec::new();
    for name in INERT.iter().chain(&others) {
        for behind in behind {
            let lines = [
                format!("{name}=. {behind}"),
                format!("a=b {name}=. {behind}"),
                format!("{name}= {behind}"),
                format!("{name}=. {name}=/ {behind}"),
            ];
            passing.extend(lines.iter().flat_map(|line| around(line)).filter(|line| reads(line)));
        }
    }
    assert!(passing.is_empty(), "{passing:#?}");
    // Each trace of what comes behind it expands this one.
    for name in INERT {
        assert!(!reads(&format!("{name}=x y=1")), "{name}");
    }
}

#[test]
fn a_variable_that_nothing_sees_may_be_set() {
    let commands = [
        "PATH=$PATH:/usr/games",
        "x=$(ls) PATH=.",
        "PATH=$(ls)",
        "FOO=1 BAR=2",
        "FOO=$(ls) BAR=2",
        "a=1 b=$(ls) c=$b; echo $c",
        "PS1='$ '",
    ];
    let wrong: Vec<_> = commands
        .iter()
        .filter(|command| !reads(command))
        .map(|c| (c, proof(c)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
