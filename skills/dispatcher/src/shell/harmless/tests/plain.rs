//! What is read without the grammar's parser comes out as the parser would have it, to the last word.

use std::rc::Rc;

use brush_parser::ParserOptions;
use brush_parser::ast::Program;
use proptest::prelude::*;

use super::super::expand::Argument;
use super::super::filler::Filler;
use super::super::state::State;
use super::super::{Prover, parse_unguarded, plain};
use super::roots;
use crate::path::Place;

/// A tree as text, without the places in it.
fn shown(program: &Program) -> String {
    const PLACE: &str = "SourceSpan {";
    let text = format!("{program:?}");
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find(PLACE) {
        out.push_str(&rest[..at]);
        let mut depth = 1;
        let length = rest[at + PLACE.len()..]
            .find(|char| {
                depth += match char {
                    '{' => 1,
                    '}' => -1,
                    _ => 0,
                };
                depth == 0
            })
            .expect("a place ends");
        rest = &rest[at + PLACE.len() + length + 1..];
    }
    (out + rest).replace("loc: Some()", "loc: None")
}

/// Whether a script is read plainly. If it is, the parser makes the same of it.
fn is_read_plainly(text: &str) -> bool {
    let Some(program) = plain::parse(text) else {
        return false;
    };
    let parsed = parse_unguarded(text, &ParserOptions::default()).map(|parsed| shown(&parsed));
    assert_eq!(Ok(shown(&program)), parsed, "{text:?}");
    true
}

/// Whether a word is plain. If it is, its parsed pieces make the same of it.
fn is_filled_plainly(raw: &str) -> bool {
    if !plain::is_word(raw) {
        return false;
    }
    let roots = roots();
    let fill = |whole: bool, plainly: bool| {
        let workspace = Rc::new(Place::absolute("/home/me/work"));
        let mut state = State::new(&workspace);
        state.set("x", "two words*".to_owned());
        state.set("n", super::super::NAME.to_string());
        state.arguments = Some(vec!["first".to_owned(), "a b".to_owned()]);
        let mut prover = Prover::new(&roots);
        let mut filler = if whole { Filler::undivided() } else { Filler::default() };
        let filled = if plainly {
            prover.fill_plain(raw, &mut filler, &mut state)
        } else {
            prover.write_parsed(raw, &mut filler, &mut state).map(|()| true)
        };
        filled.map(|filled| (filled, filler.end()))
    };
    [false, true].into_iter().all(|whole| {
        let plainly: Result<(bool, Vec<Argument>), _> = fill(whole, true);
        if matches!(plainly, Ok((false, _))) {
            return false;
        }
        assert_eq!(plainly, fill(whole, false), "{raw:?}");
        true
    })
}

#[test]
fn commands_of_other_people_are_read_as_the_parser_reads_them() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/corpora/commands.jsonl");
    let text = std::fs::read_to_string(path).expect("the corpus");
    let (mut plain, mut all) = (0, 0);
    for line in text.lines() {
        let row: serde_json::Value = serde_json::from_str(line).expect("a line of the corpus");
        let command = row["command"].as_str().expect("a command");
        all += 1;
        plain += usize::from(is_read_plainly(command));
        for word in command.split_whitespace() {
            is_filled_plainly(word);
        }
    }
    assert!(plain * 10 > all * 7, "only {plain} of {all} were plain");
}

#[test]
fn what_is_not_plain_is_left_to_the_parser() {
    let commands = [
        "(ls)",
        "{ ls; }",
        "! ls",
        "if a; then b; fi",
        "time ls",
        "ls | time ls",
        "x=1 time ls",
        "f() { ls; }",
        "function f { ls; }",
        "[[ a ]]",
        "cat <<E\nE",
        "cat <<<a",
        "ls # all",
        "#ls",
        "echo `ls`",
        "echo $(ls)",
        "echo \"$(ls)\"",
        "echo ${x:-y}",
        "echo $[1]",
        "echo $'a'",
        "echo \\$'a'",
        "echo $\"a\"",
        "echo @(a)",
        "a=(b c)",
        "a[0]=b",
        "l\\\ns",
        "echo \"a\\\nb\"",
        "ls |& cat",
        "ls ;; ls",
        "ls &&",
        "ls | | ls",
        "; ls",
        "ls >",
        "ls 2> | ls",
        "{x}>a ls",
        "echo 'a",
        "echo \"a",
        "echo \\",
    ];
    for command in commands {
        assert!(!is_read_plainly(command), "{command:?}");
    }
}

#[test]
fn what_is_plain_is_read() {
    let commands = [
        "",
        "\n\n",
        "ls",
        "ls;",
        "ls & ls &",
        " ls\t-l ;\n\nls\n",
        "a && b || c |\n d &&\n\n e",
        "x=1 y+=\"a b\" ls z=2",
        "x=",
        "2>&1 >a ls <b 3<>c >>d >|e &>f &>>g 4<&- >&5",
        "echo 2 >a 2>b a2>c 1 2>d",
        "echo 'a b' \"c $d ${e} \\\" \\x 'f'\" g\\ h i\"j\"'k'",
        "find . -name '*.rs' -exec grep -l \\(x {} \\;",
        "echo ~ ~/a ~b a~ $ \"$\" $1 $@ \"$@\" $# $? $$ $! $- $0",
        "echo a#b 'x'#y",
        "echo done in if { }",
        "echo é 'ü' \"ß\" \\ö",
    ];
    for command in commands {
        assert!(is_read_plainly(command), "{command:?}");
    }
    for word in [
        "a",
        "'a b'",
        "\"a b\"",
        "a\\ b",
        "$x",
        "\"$x\"",
        "${x}y",
        "\"${n}z\"",
        "~",
        "~/a",
        "$1$2",
        "\"$@\"",
        "$*",
        "[a]*",
        "[\"a\"]",
        "a'*'?",
        "\"\\a\\\"\"",
        "\"$\"$",
        "$n/x",
        "$unset",
        "\"\"",
        "''",
        "a{}b",
        "é\\é'é'\"é\"",
    ] {
        assert!(is_filled_plainly(word), "{word:?}");
    }
}

/// Texts that are put together at random: what means something to a shell, and what does not.
const PIECES: &[&str] = &[
    "ls", "a", "é", " ", "  ", "\t", "\n", ";", "&", "|", "&&", "||", ">", ">>", "<", "2>", "1", ">&", "<&", "&>",
    "'", "\"", "\\", "$", "$x", "${x}", "{", "}", "(", ")", "`", "#", "=", "x=", "x+=", "x[", "]", "~", "~/", "*",
    "?", "!", "[[", "if", "in", "time", "done", "-", "@", "/", ".", ",", ":", "%", "^", "0", "\r",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_read_plainly_is_what_the_parser_reads(pieces in prop::collection::vec(prop::sample::select(PIECES), 1..14)) {
        is_read_plainly(&pieces.concat());
        is_filled_plainly(&pieces.concat());
    }

    #[test]
    fn quotes_at_random_are_filled_as_the_parser_fills_them(pieces in prop::collection::vec(
        prop::sample::select(&["a", "'b*'", "\"c d\"", "\"", "\\", "$", "$x", "${n}", "$1", "$@", "*", "[", "]", "~", "é", "\\\"", "{", " "][..]),
        1..10,
    )) {
        is_filled_plainly(&pieces.concat());
        is_read_plainly(&format!("echo {}", pieces.concat()));
    }
}
