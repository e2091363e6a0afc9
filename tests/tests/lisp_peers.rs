//! The real SBCL and the real Emacs read what we print, and we read what they print.
//!
//! Each case goes to the peer twice: as we print it, and as a recipe of code points that builds what we meant without
//! any of the syntax under test. The peer compares the two and prints what it read, which we read again.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::process::Command;

use passepartout_host::sexp::{Brackets, Form, Name, NumberKind, kw, read, read_prefix};

const SBCL: &str = include_str!("lisp_peers/peer.lisp");
const EMACS: &str = include_str!("lisp_peers/peer.el");

/// Texts that have been mangled somewhere on the way between two Lisps.
const TEXTS: &[&str] = &[
    "",
    "plain",
    "say \"hi\"",
    "back\\slash",
    "\\\\n is no newline",
    "two\nlines\n",
    "tab\tstop",
    "cr\r\nlf",
    "nul\0nul",
    "bell\u{7} esc\u{1b}[31m del\u{7f}",
    "ünïcödé ß",
    "日本語",
    "emoji 😀👩‍👩‍👧",
    "separators \u{2028} and \u{2029}",
    "bidi \u{202e}evil\u{202c}",
    "bom \u{feff}",
    "zero\u{200b}width",
    "last \u{10ffff}",
    "; no comment",
    "#| no comment |#",
    "(a . b) 'c `d ,e",
    "ends in a backslash\\",
    "\"",
    "\\\"",
];

#[test]
fn sbcl_reads_what_we_print_as_what_we_meant_and_prints_it_so_that_we_read_the_same() {
    let mut forms: Vec<Form> = TEXTS.iter().map(|text| Form::from(*text)).collect();
    for char in (0..128).map(char::from) {
        let names = [
            char.to_string(),
            format!("A{char}"),
            format!("{char}A"),
            format!("a{char}b"),
            format!("1{char}2"),
        ];
        // SBCL prints a square bracket in a name bare. To Emacs that is a vector, so we read it in no name.
        for name in names
            .iter()
            .filter(|_| !matches!(char, '[' | ']'))
            .map(|name| Name::new(name))
        {
            forms.push(Form::Keyword(name.clone()));
            forms.push(Form::Symbol(name));
        }
        forms.extend([Form::from(format!("a{char}b")), Form::Char(char)]);
    }
    for name in [
        "", ".", "..", "...", "NIL", "nil", "1+", "+1", "-1.5", "1/2", "1E5", "1D0", ".5", "Ä", "straße", "日本",
        "A😀", "é x",
    ] {
        forms.push(kw(name));
        forms.push(if name == "NIL" {
            Form::Nil
        } else {
            Form::Symbol(Name::new(name))
        });
    }
    for text in [
        "0",
        "42",
        "-7",
        "123456789012345678901234567890",
        "1/3",
        "-22/7",
        "1.5",
        "-0.25",
        "1.5d0",
        "1.0e10",
        "2.5d-4",
        "(a . b)",
        "(a b . \"c\")",
        "(1 (2 (3 ())) nil)",
        "#(1 2)",
        "#()",
        "#(a #(\"b\") (c))",
        "'x",
        "#'car",
        "(quote x y)",
        "#P\"/x\"",
        "#P\"/a/b c.txt\"",
        "(:TYPE :EVENT :META (:SOURCE :TUI) :PAYLOAD (:SENSOR :USER-INPUT :TEXT \"hello\"))",
    ] {
        forms.push(read(text).unwrap());
    }
    forms.push(read(&format!("{}x{}", "(".repeat(99), ")".repeat(99))).unwrap());
    forms.push(Form::list((0..10_000_i64).map(Form::from).collect()));
    compare(&forms, run_sbcl);
}

#[test]
fn emacs_reads_what_we_print_as_what_we_meant_and_prints_it_so_that_we_read_the_same() {
    let mut forms: Vec<Form> = TEXTS.iter().map(|text| Form::from(*text)).collect();
    forms.extend((0..128).map(char::from).map(|char| Form::from(format!("a{char}b"))));
    forms.extend(["TYPE", "USER-INPUT", "A1", "CHECKED-P", "*X*", "A+B", "A/B"].map(kw));
    for text in [
        "0",
        "42",
        "-7",
        "123456789012345678901234567890",
        "1.5",
        "-0.25",
        "1.5e+20",
        "2.5e-07",
        "(1 \"two\" :THREE (4.5))",
        "(:A . :B)",
        "(:TYPE :EVENT :META (:SOURCE :TUI) :PAYLOAD (:SENSOR :USER-INPUT :TEXT \"hello\"))",
    ] {
        forms.push(read(text).unwrap());
    }
    forms.push(read(&format!("{}:X{}", "(".repeat(99), ")".repeat(99))).unwrap());
    forms.push(Form::list((0..10_000_i64).map(Form::from).collect()));
    compare(&forms, run_emacs);
}

#[test]
fn emacs_sees_our_nil_and_t_as_symbols_that_its_client_maps() {
    let answers = run_emacs("NIL (Y 78 73 76)\nT (Y 84)\n(NIL T) (L (Y 78 73 76) (Y 84))\n");
    assert_eq!(
        answers,
        read("((:OK NIL) (:OK T) (:OK (NIL T)))").unwrap().items().unwrap()
    );
}

#[test]
fn what_sbcl_prints_of_its_own_we_read() {
    let cases = [
        ("(intern \"low\" :keyword)", ":|low|"),
        ("'foo", "FOO"),
        ("(/ 1 3)", "1/3"),
        ("1.5d0", "1.5d0"),
        ("#\\a", "#\\a"),
        ("(vector 1 2)", "#(1 2)"),
        ("#P\"/x\"", "#P\"/x\""),
        ("''x", "(QUOTE X)"),
        ("'(function car)", "(FUNCTION CAR)"),
        ("'(nil t () . x)", "(NIL T NIL . X)"),
        ("'(1 . (2 . (3)))", "(1 2 3)"),
        ("(list -1 1f20 -2.5d-10)", "(-1 1.0e20 -2.5d-10)"),
        ("#\\Newline", "#\\Newline"),
        ("(code-char 0)", "#\\Nul"),
        (
            "(list 'a+ '1+ '|1| '|a b| '|x\\|y| (intern \"\"))",
            "(A+ |1+| |1| |a b| |x\\|y| ||)",
        ),
        ("(format nil \"a~%b~cc\" #\\Tab)", "\"a\nb\tc\""),
        ("(expt 10 40)", "10000000000000000000000000000000000000000"),
    ];
    let recipes: String = cases
        .iter()
        .map(|(expression, _)| format!("0 (EVAL {expression})\n"))
        .collect();
    let answers = run_sbcl(&recipes);
    assert_eq!(answers.len(), cases.len());
    for ((expression, meant), answer) in cases.iter().zip(&answers) {
        assert_eq!(answer.at("printed"), Some(&read(meant).unwrap()), "{expression}");
    }
}

#[test]
fn sbcl_reads_characters_beyond_ascii_from_their_shape_or_code_point() {
    // It prints them by their Unicode names, which we refuse with the advice to write the code point.
    let chars = [
        'ä',
        '\u{85}',
        '\u{a0}',
        'ß',
        '\u{2028}',
        '\u{202e}',
        '日',
        '😀',
        '\u{10ffff}',
    ];
    let recipes: String = chars
        .iter()
        .map(|char| format!("{}\n(CODE)\n", Form::Char(*char)))
        .collect();
    let answers = run_sbcl(&recipes);
    assert_eq!(answers.len(), chars.len());
    for (char, answer) in chars.iter().zip(&answers) {
        assert_eq!(answer.at("printed"), Some(&Form::from(*char as u32)), "{char:?}");
    }
}

#[test]
fn sbcl_upcases_names_as_we_do() {
    // Latin, Greek, Cyrillic and Armenian, without the digraphs that have a title case, which SBCL takes apart anyway,
    // and without the three letters whose upper case is newer than SBCL's tables.
    let digraph_or_new = |char: &char| matches!(char, 'Ǆ'..='ǌ' | 'Ǳ'..='ǳ' | 'ƛ' | 'ɤ' | 'ʂ');
    let letters = (0x21..0x590)
        .filter_map(char::from_u32)
        .filter(|char| char.is_alphabetic());
    let cases: Vec<char> = letters.filter(|char| !digraph_or_new(char)).collect();
    let recipes: String = cases
        .iter()
        .map(|char| format!("0 (UPCASE {})\n", *char as u32))
        .collect();
    for (char, answer) in cases.iter().zip(run_sbcl(&recipes)) {
        let ours = read(&format!(":{char}")).unwrap();
        let theirs = answer.at("printed").and_then(Form::as_str);
        assert_eq!(ours.keyword(), theirs, "{char} U+{:04X}", *char as u32);
    }
}

#[test]
fn what_emacs_prints_of_its_own_we_read() {
    let cases = [
        ("nil", "NIL"),
        ("t", "T"),
        ("'(nil t :type :TYPE)", "(NIL T :TYPE :TYPE)"),
        ("?a", "97"),
        ("1.5", "1.5"),
        ("1e20", "1e+20"),
        ("-1e-7", "-1e-07"),
        ("''x", "(QUOTE X)"),
        ("'#'car", "(FUNCTION CAR)"),
        ("'(a . b)", "(A . B)"),
        ("\"a\\nb\\tc \\\"q\\\" \\\\\"", "\"a\nb\tc \\\"q\\\" \\\\\""),
        ("(let ((print-escape-newlines t)) (list \"x\"))", "(\"x\")"),
    ];
    let recipes: String = cases
        .iter()
        .map(|(expression, _)| format!("0 (EVAL {expression})\n"))
        .collect();
    let answers = run_emacs(&recipes);
    assert_eq!(answers.len(), cases.len());
    for ((expression, meant), answer) in cases.iter().zip(&answers) {
        assert_eq!(answer.at("printed"), Some(&read(meant).unwrap()), "{expression}");
    }
}

/// Sends each form and its recipe to the peer, and holds what it answers against the form. Floats among the forms are
/// written as the peer writes them, since for us a number is what was written.
fn compare(forms: &[Form], run: fn(&str) -> Vec<Form>) {
    let recipes: String = forms.iter().map(|form| format!("{form}\n{}\n", recipe(form))).collect();
    let answers = run(&recipes);
    for (form, answer) in forms.iter().zip(&answers) {
        assert_eq!(
            answer.at("ok"),
            Some(form),
            "the peer read {form} as something else: {answer}"
        );
    }
    assert_eq!(answers.len(), forms.len(), "the peer stopped early");
}

/// Builds what `form` means, out of ASCII letters, integers and lists alone.
fn recipe(form: &Form) -> String {
    let all = |forms: &[Form]| forms.iter().map(recipe).collect::<Vec<_>>().join(" ");
    match form {
        Form::Nil => "(L)".to_owned(),
        Form::Keyword(name) => format!("(K{})", codes(name)),
        Form::Symbol(name) => format!("(Y{})", codes(name)),
        Form::String(text) => format!("(S{})", codes(text)),
        Form::Pathname(text) => format!("(P{})", codes(text)),
        Form::Char(char) => format!("(C {})", *char as u32),
        Form::List(items) => format!("(L {})", all(items)),
        Form::Dotted(items, tail) => format!("(D {} {})", all(items), recipe(tail)),
        Form::Vector(items) => format!("(V {})", all(items)),
        Form::Number(number) => match number.kind() {
            NumberKind::Integer => format!("(I{})", codes(number.text())),
            NumberKind::Ratio => match number.text().split_once('/') {
                Some((over, under)) => format!("(R {over} {under})"),
                None => panic!("{form} is no ratio"),
            },
            NumberKind::Float => float(number.text()),
        },
    }
}

/// `(F 15 -1 DOUBLE)` is 15 times ten to the -1, in double precision.
fn float(text: &str) -> String {
    let (mantissa, exponent) = text.split_once(['e', 'd']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').expect("a float with a fraction");
    let scale = exponent.parse::<i64>().expect("an exponent") - fraction.len() as i64;
    let precision = if text.contains('d') { "DOUBLE" } else { "SINGLE" };
    let sign = if whole.starts_with('-') { "-" } else { "" };
    let digits = format!("{whole}{fraction}").parse::<i64>().expect("digits").abs();
    format!("(F {sign}{digits} {scale} {precision})")
}

fn codes(text: &str) -> String {
    text.chars().map(|char| format!(" {}", char as u32)).collect()
}

fn run_sbcl(cases: &str) -> Vec<Form> {
    run("sbcl", &["--script"], "peer.lisp", SBCL, cases)
}

fn run_emacs(cases: &str) -> Vec<Form> {
    run("emacs", &["--batch", "-Q", "-l"], "peer.el", EMACS, cases)
}

/// Runs the peer once over all cases, and reads the forms it answers with.
fn run(program: &str, arguments: &[&str], name: &str, script: &str, cases: &str) -> Vec<Form> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path(name), script).expect("the script is written");
    fs::write(path("cases"), cases).expect("the cases are written");
    let ran = Command::new(program)
        .args(arguments)
        .arg(path(name))
        .env("PEER_CASES", path("cases"))
        .env("PEER_ANSWERS", path("answers"))
        .output()
        .unwrap_or_else(|error| {
            panic!("`{program}` can't be run ({error}): this test needs it; install it with `apt-get install sbcl emacs-nox`")
        });
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{program} failed: {errors}");
    let answers = fs::read_to_string(path("answers")).expect("the answers are UTF-8");
    let mut rest = answers.as_str();
    let mut forms = Vec::new();
    while !rest.trim().is_empty() {
        let (form, end) = read_prefix(rest, Brackets::Refuse)
            .unwrap_or_else(|error| panic!("{program} printed what we don't read: {error}: {:.200}", rest));
        forms.push(form);
        rest = &rest[end..];
    }
    forms
}
