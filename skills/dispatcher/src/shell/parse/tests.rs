#![allow(clippy::unwrap_used, clippy::expect_used)]
use super::*;

fn lines(script: &str) -> Vec<String> {
    parse(script)
        .commands
        .iter()
        .map(|command| command.words.iter().map(Word::literal).collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn every_separator_separates() {
    assert_eq!(
        lines("a 1; b 2 && c || d | e |& f & g\nh"),
        ["a 1", "b 2", "c", "d", "e", "f", "g", "h"]
    );
    assert_eq!(lines("(a; b) ; { c; }"), ["a", "b", "c"]);
    assert_eq!(
        lines("if a; then b; else c; fi; while d; do e; done; ! f"),
        ["a", "b", "c", "d", "e", "f"]
    );
}

#[test]
fn quotes_hide_separators_and_escapes_quote() {
    assert_eq!(lines("a 'x; y' \"z && w\" \\; b"), ["a x; y z && w ; b"]);
    assert_eq!(lines("r''m -rf /"), ["rm -rf /"]);
    assert_eq!(lines("r\\\nm -rf /"), ["rm -rf /"]);
    assert_eq!(lines("$'\\x72\\x6d' x"), ["rm x"]);
}

#[test]
fn comments_begin_only_where_a_word_begins() {
    assert_eq!(lines("ls x#; rm -rf src # rm y\nc"), ["ls x#", "rm -rf src", "c"]);
}

#[test]
fn scripts_in_substitutions_are_handed_out() {
    let script = parse("a \"$(b 'c')\" `d` <(e) ${x:-$(f)} $((1 + $(g)))");
    assert_eq!(script.nested, ["b 'c'", "d", "e", "f", "g"]);
    assert!(script.doubts.is_empty());
}

#[test]
fn redirections_are_no_arguments() {
    let script = parse("a 2>&1 >| out < in &> both x");
    assert_eq!(lines("a 2>&1 >| out < in &> both x"), ["a x"]);
    let targets: Vec<_> = script.commands[0]
        .redirects
        .iter()
        .map(|redirect| (redirect.writes, redirect.target.literal()))
        .collect();
    assert_eq!(
        targets,
        [
            (true, "out".to_owned()),
            (false, "in".to_owned()),
            (true, "both".to_owned())
        ]
    );
}

#[test]
fn documents_are_input_and_their_substitutions_scripts() {
    let script = parse("sh <<EOF | b\nrm $(c)\nEOF\nd");
    assert_eq!(script.nested, ["c"]);
    assert_eq!(lines("cat <<'EOF'\n$(no)\nEOF\nd"), ["cat", "d"]);
    assert!(parse("cat <<'EOF'\n$(no)\nEOF\nd").nested.is_empty());
    assert_eq!(parse("cat <<EOF\nrm -rf /").doubts, [Doubt::Unfinished]);
    assert_eq!(lines("((x<<2))\nrm y"), ["rm y"]);
}

#[test]
fn functions_are_followed_into_their_bodies() {
    let script = parse(":(){ :|:& };:");
    assert_eq!(lines(":(){ :|:& };:"), [":", ":", ":"]);
    assert_eq!(script.commands[0].inside, [":"]);
    assert!(script.commands[0].writes_pipe && script.commands[1].reads_pipe);
    assert!(script.commands[2].inside.is_empty());
}

#[test]
fn what_does_not_end_is_a_doubt() {
    for open in ["a 'b", "a \"b", "a $(b", "a `b", "a ${b", "[[ a", "x=(a"] {
        assert_eq!(parse(open).doubts, [Doubt::Unfinished], "{open}");
    }
}

#[test]
fn a_command_knows_where_it_stands_in_the_text() {
    let written = |script: &str| -> Vec<String> {
        let script = parse(script);
        let part = |(from, to): (usize, usize)| script.text[from..to].iter().collect();
        script.commands.iter().map(|command| part(command.span)).collect()
    };
    assert_eq!(
        written("cd a && cat 'x y';A=1 rm -rf \"$B\" 2> log  # all of it\nwhile read l; do echo $l; done < in"),
        [
            "cd a",
            "cat 'x y'",
            "A=1 rm -rf \"$B\" 2> log",
            "read l",
            "echo $l",
            "< in"
        ]
    );
    assert_eq!(
        written("(a; b) | { c <<E; }\nd\nE\n[[ x && y ]]"),
        ["a", "b", "c <<E", "[[ x && y ]]"]
    );
}
