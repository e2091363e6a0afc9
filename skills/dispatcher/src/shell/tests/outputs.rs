//! What is written by an option or an operand of a program that otherwise reads.

use super::*;

pub(super) fn summary(command: &str) -> String {
    match verdict(command) {
        Some(Finding::Ask { summary, .. }) => summary,
        other => panic!("{command} asks: {other:?}"),
    }
}

/// Ways to write `NAME`.
const WRITING: &[&str] = &[
    "uniq x NAME",
    "uniq -f 1 x NAME",
    "uniq -- x NAME",
    "xxd -r x NAME",
    "xxd -r -ps x NAME",
    "xxd -len 5 x NAME",
    "shuf x -o NAME",
    "shuf -n 3 -oNAME x",
    "shuf --output=NAME x",
    "sort -o NAME x",
    "sort -uoNAME x",
    "sort --out NAME x",
    "sed -n 'w NAME' x",
    "sed -e p -e 's/a/b/w NAME' x",
    "sed 'w y\nw NAME' x",
    "sed '/a/w NAME' x",
    "tar -cf NAME x",
    "tar -cfNAME x",
    "tar -c --file=NAME x",
    "git diff --output=NAME",
    "git archive -o NAME HEAD",
    "find . -fprint NAME",
    "find . -name x -fprintf NAME %p",
    "wget -O NAME https://allowed.example/x",
    "wget -ONAME https://allowed.example/x",
    "curl -q -oNAME localhost",
    "curl -q -o NAME localhost",
    "curl -sSLo NAME https://allowed.example/x",
    "curl --output NAME https://allowed.example/x",
    "curl -D NAME https://allowed.example/x",
    "gcc -o NAME x.c",
    "iconv -f l1 -o NAME x",
    "openssl rand -out NAME 5",
    "gpg -o NAME -d x",
];

#[test]
fn protected_names_are_refused_however_they_are_written() {
    for way in WRITING {
        for name in [".bashrc", ".git/hooks/pre-commit", "~/.profile"] {
            let command = way.replace("NAME", name);
            // In these a tilde is none.
            let literal = name.starts_with('~') && (way.contains("'") || !way.contains(" NAME"));
            assert!(literal || is_rejected(&command), "{command}: {:?}", verdict(&command));
        }
    }
}

#[test]
fn what_is_written_is_said_and_no_small_risk() {
    for way in WRITING {
        let command = way.replace("NAME", "out.txt");
        let said = summary(&command);
        // Where it reaches the network that is what is said.
        assert!(
            said.contains("writes") || said.contains("reaches localhost"),
            "{command}: {said}"
        );
        assert!(risk(&command) >= Risk::Medium, "{command}");
    }
    assert!(summary("uniq a b").contains("writes b"));
    assert!(!summary("curl -q -o .x localhost").contains("reaches .x"));
    for command in [
        "sort -t o -k 1 .bashrc",
        "uniq -w 5 .bashrc",
        "xxd -l 5 .bashrc",
        "grep -o x .bashrc",
    ] {
        assert!(!is_rejected(command), "{command}");
    }
}

#[test]
fn a_host_without_a_dot_is_one() {
    for command in [
        "curl -q -o f localhost",
        "curl -q -o f -s localhost/x",
        "curl --silent localhost",
        "wget -q localhost",
        "nc -w 3 localhost 80",
        "ping -c 1 localhost",
        "telnet localhost 25",
    ] {
        assert!(
            summary(command).contains("localhost"),
            "{command}: {}",
            summary(command)
        );
        assert!(
            matches!(verdict(command), Some(Finding::Ask { remember: None, .. })),
            "{command}"
        );
    }
    for command in [
        "curl metadata",
        "curl 2852039166",
        "nc instance-data 80",
        "wget -q -O f metadata/x",
    ] {
        assert!(is_rejected(command), "{command}");
    }
    let said = summary("curl -q -X POST -d x https://allowed.example/x");
    assert!(!said.contains("reaches post"), "{said}");
    for command in ["nc -l 8080", "nc -lp 8080", "nc -U socket"] {
        assert!(!summary(command).contains("reaches"), "{command}: {}", summary(command));
    }
}

#[test]
fn what_set_makes_the_arguments_is_followed() {
    for command in [
        "set -- -rf /; rm \"$@\"",
        "set -- -rf /; rm $*",
        "set - -rf /; rm \"$@\"",
        "set -eu -- -rf /; rm \"$@\"",
        "set -euo pipefail -- -rf /; rm \"$@\"",
        "set +x -- -rf /; rm \"$@\"",
        "set +o posix -o pipefail -- -rf /; rm \"$@\"",
        "set -- -rf /; set -e; rm \"$@\"",
        "set -- -rf /; set -o pipefail; rm \"$@\"",
    ] {
        assert!(is_rejected(command), "{command}: {:?}", verdict(command));
    }
    for command in ["set -- -rf build; rm \"$@\"", "set -- -rf /; set --; rm \"$@\""] {
        assert!(!is_rejected(command), "{command}");
    }
}
