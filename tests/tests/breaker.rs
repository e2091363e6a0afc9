//! Answers and skill files that no one would write in good faith: what they hold reaches an operator's screen, and the
//! log, as words and nothing else.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_tests::script::string;
use passepartout_tests::{Home, hostile};

/// Escape, zero byte, right-to-left override, zero-width space, tag letter, delete, C1 introducer.
const HIDDEN: &str = "\u{1b}[31m\0\u{202e}gnp\u{200b}\u{e0041}\u{7f}\u{9b}";

/// Asserts that nothing in `text` would act on a terminal or not be seen there.
fn assert_visible(text: &str, what: &str) {
    let hidden = |char: &char| {
        (char.is_control() && *char != '\n' && *char != '\t')
            || matches!(char, '\u{202e}' | '\u{200b}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
    };
    assert_eq!(text.chars().find(hidden), None, "{what}: {text:?}");
}

#[test]
fn what_a_model_names_does_not_hide_or_forge_anything_in_the_log() {
    let target = format!("x{HIDDEN}\n2026-01-01T00:00:00Z  INFO approved by the operator");
    let home = Home::new();
    let answer = format!("(:TYPE :REQUEST :TARGET :|{target}| :PAYLOAD (:EXPLANATION \"to do what was asked for\"))");
    let daemon = home.start_scripted(&[answer, "nobody does that".to_owned()]);
    let turn = daemon.connect().ask("go");
    assert_eq!(turn.outcome(), "ANSWERED", "{turn:?}");
    let log = daemon.log();
    assert_visible(&log, "the log");
    assert!(
        !log.lines().any(|line| line.starts_with("2026-01-01T00:00:00Z")),
        "{log}"
    );
}

#[test]
fn what_an_error_quotes_of_a_file_is_visible() {
    // The name of a file; and every name inside one that the validator may complain of.
    let mut files = vec![(format!("{}.wasm", HIDDEN.replace('\0', "")), b"(hello)".to_vec())];
    let whole = hostile::passing_gate("gate");
    for at in (0..whole.len()).filter(|at| whole[*at..].starts_with(b"call-tool")) {
        let mut renamed = whole.clone();
        renamed[at] = 0x1b;
        files.push(("gate.wasm".to_owned(), renamed));
    }
    let mut quoted = 0;
    for (name, bytes) in files {
        let home = Home::new();
        let path = home.file(&format!("skills/{name}"), &bytes);
        let path = path.to_str().expect("UTF-8");
        for args in [
            ["skill", "inspect", path],
            ["skill", "trust", path],
            ["skill", "list", "--"],
        ] {
            let ran = home.run(&args);
            assert!(ran.code <= 1, "{ran:?}");
            assert_visible(&ran.err, args[1]);
            assert_visible(&ran.out, args[1]);
            quoted += usize::from(args[1] == "inspect" && ran.err.contains("<U+001B>"));
        }
        let daemon = home.start();
        assert_visible(&daemon.log(), "the log");
    }
    assert!(quoted >= 2, "the name of the file, and at least one inside a file");
}

#[test]
fn a_command_shows_what_a_model_wrote_with_nothing_hidden() {
    let explanation = format!("to do what was asked {HIDDEN}");
    let answers = [
        format!(
            "(:TYPE :REQUEST :TARGET :SHELL :PAYLOAD (:CMD {} :EXPLANATION {}))",
            string(&format!("echo {HIDDEN}").replace('\0', "")),
            string(&explanation)
        ),
        format!(
            "(:TOOL {} :ARGS (:X 1) :EXPLANATION \"to do what was asked for\")",
            string(HIDDEN)
        ),
        format!("A text with {HIDDEN}"),
    ];
    let home = Home::new();
    let _daemon = home.start_scripted(&answers);
    for args in [
        &["send", "go"][..],
        &["send", "go"],
        &["send", "/plans"],
        &["status"],
        &["explain", "1"],
    ] {
        let ran = home.run(args);
        assert_visible(&ran.err, args[0]);
        assert_visible(&ran.out, args[0]);
        assert!(ran.out.len() + ran.err.len() > 10, "{args:?}: {ran:?}");
    }
}

#[test]
fn what_a_file_or_the_way_to_it_says_begins_no_line_of_an_answer() {
    const FORGED: &str = "\nready: it may be used\n  ok     rights     none at all";
    let home = Home::new();
    let import = format!(
        "(component (import \"url=<https://x/{}>\" (func)))",
        FORGED.replace('\n', "\\n")
    );
    let bytes = wat::parse_str(import).unwrap();
    let foreign = home.file("foreign.wasm", &bytes);
    home.file("skills/inside.wasm", &bytes);
    let waiting = home.file(
        &format!("a{FORGED}/waiting.wasm"),
        &hostile::running_actuator("waiting", "WAIT", "/bin/true"),
    );
    let missing = home.path().join(format!("b{FORGED}/none.wasm"));
    let odd = home.path().join(format!("c{FORGED}.wasm"));
    std::fs::write(&odd, hostile::passing_gate("odd")).unwrap();
    let listed = format!("d{}", FORGED.replace('/', ""));
    home.file(&format!("skills/{listed}.wasm"), b"(hello)");
    let paths = [&foreign, &waiting, &missing, &odd].map(|path| path.to_str().unwrap().to_owned());
    let mut asked: Vec<Vec<&str>> = Vec::new();
    for path in paths.iter().map(String::as_str).chain(["inside", "nosuch"]) {
        asked.extend([
            vec!["skill", "inspect", path],
            vec!["skill", "check", path],
            vec!["skill", "trust", path],
            vec!["skill", "grant", path, "model"],
            vec!["skill", "install", path],
            vec!["skill", "remove", path],
        ]);
    }
    asked.push(vec!["skill", "remove", &listed]);
    asked.push(vec!["skill", "list"]);
    let mut told = 0;
    for args in &asked {
        let ran = home.run(args);
        for line in ran.out.lines().chain(ran.err.lines()) {
            assert!(
                !line.starts_with("ready:") && !line.trim_start().starts_with("ok     rights     none at all"),
                "{args:?}: {ran:#?}"
            );
        }
        told += usize::from(ran.out.contains("it may be used") || ran.err.contains("it may be used"));
    }
    assert!(told > 10, "{told}");
}
