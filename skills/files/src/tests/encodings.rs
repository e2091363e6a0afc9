//! Files that are no text in UTF-8, and how a search speaks of them.

use super::*;

fn search(harness: &Harness, args: &str) -> String {
    call(harness.clone(), "search-text", args).unwrap()
}

/// The text in UTF-16, behind the mark that says so.
fn wide(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    format!("\u{feff}{text}").encode_utf16().flat_map(bytes).collect()
}

#[test]
fn lines_are_found_in_text_of_any_encoding_and_what_stands_for_other_bytes_is_said() {
    let harness = Harness::new()
        .file("a.c", b"// caf\xe9\nint secret_fn(void);\n")
        .file("b.c", wide("x\r\nsecret_fn(\"é\");\r\n", u16::to_le_bytes))
        .file("c.c", wide("secret_fn();", u16::to_be_bytes))
        .file("d.c", "\u{feff}secret_fn();\n");
    assert_eq!(
        search(&harness, ":PATTERN \"secret_fn\""),
        "4 lines in 4 files:\na.c:2: int secret_fn(void);\nb.c:2: secret_fn(\"é\");\nc.c:1: secret_fn();\n\
         d.c:1: secret_fn();\n1 file is not all UTF-8: bytes that are not stand as \u{fffd}, and match a pattern as that sign\n"
    );
    assert_eq!(
        search(&harness, ":PATTERN \"^secret_fn\" :REGEX T :GLOB \"[b-d].c\""),
        "3 lines in 3 files:\nb.c:2: secret_fn(\"é\");\nc.c:1: secret_fn();\nd.c:1: secret_fn();\n"
    );
    assert_eq!(
        search(&harness, ":PATTERN \"café\" :PATH \"a.c\""),
        "no line has it\n1 file is not all UTF-8: bytes that are not stand as \u{fffd}, and match a pattern as that sign\n"
    );
    assert_eq!(
        search(&harness, ":PATTERN \"caf\" :PATH \"a.c\"").lines().next(),
        Some("a.c:1: // caf\u{fffd}")
    );
    // As it is said: that sign finds them, and so does what stands for any.
    for args in [":PATTERN \"caf\u{fffd}\"", ":PATTERN \"caf.$\" :REGEX T"] {
        let found = search(&harness, &format!("{args} :PATH \"a.c\""));
        assert_eq!(found.lines().next(), Some("a.c:1: // caf\u{fffd}"), "{args}");
    }
}

#[test]
fn one_file_or_folder_is_spoken_of_as_one_and_several_as_several() {
    let long = "x\n".repeat(1 << 21);
    let kinds: [(&str, &[u8], &str, &str); 3] = [
        (
            "bin",
            b"x\0",
            "1 file that is no text is left out: in such files, ",
            "2 files that are no text are left out: in those, ",
        ),
        (
            "latin",
            b"\xe9\n",
            "1 file is not all UTF-8: ",
            "2 files are not all UTF-8: ",
        ),
        (
            "long",
            long.as_bytes(),
            "1 file longer than 2097152 bytes is left out\n",
            "2 files longer than 2097152 bytes are left out\n",
        ),
    ];
    for (name, bytes, one, two) in kinds {
        let harness = Harness::new().file(&format!("{name}.1"), bytes);
        let found = search(&harness, ":PATTERN \"x$\" :REGEX T");
        assert!(found.contains(&format!("no line has it\n{one}")), "{found}");
        let found = search(&harness.file(&format!("{name}.2"), bytes), ":PATTERN \"x$\" :REGEX T");
        assert!(found.contains(&format!("no line has it\n{two}")), "{found}");
    }
    for (closed, notes) in [
        (0, ""),
        (1, "1 folder can't be looked into\n"),
        (2, "2 folders can't be looked into\n"),
    ] {
        let walked = crate::walk::Walked { closed, stopped: false };
        assert_eq!(walked.notes(), notes);
    }
}

#[test]
fn a_file_that_is_no_text_is_named_where_it_has_the_pattern_and_never_shown() {
    let without_mark: Vec<u8> = "secret_fn".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let harness = Harness::new()
        .file("a.o", b"\x7fELF\0secret_fn\0other")
        .file("b.o", b"\x7fELF\0none")
        .file("c.exe", without_mark);
    let found = "no line has it\n2 files that are no text have it: a.o, c.exe\n";
    assert_eq!(search(&harness, ":PATTERN \"secret_fn\""), found);
    assert_eq!(search(&harness, ":PATTERN \"SECRET_FN\" :IGNORE-CASE T"), found);
    assert_eq!(search(&harness, ":PATTERN \"SECRET_FN\""), "no line has it\n");
    let left_out =
        "no line has it\n3 files that are no text are left out: in those, only a plain pattern is looked for\n";
    assert_eq!(search(&harness, ":PATTERN \"secret_fn\" :REGEX T"), left_out);
    assert_eq!(search(&harness, ":PATTERN \"É\" :IGNORE-CASE T"), left_out);
    let many = (0..20).fold(Harness::new(), |harness, number| {
        harness.file(&format!("{number:02}"), b"x\0")
    });
    assert_eq!(
        search(&many, ":PATTERN \"x\""),
        "no line has it\n20 files that are no text have it: 00, 01, 02, 03, 04, 05, 06, 07, …\n"
    );
}

#[test]
fn a_key_in_another_encoding_is_a_key() {
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n";
    let harness = Harness::new()
        .file("a.pem", wide(key, u16::to_le_bytes))
        .file("credentials.txt", wide(key, u16::to_be_bytes))
        .file("my_key", [key.as_bytes(), b"\xe9"].concat());
    let found = search(&harness, ":PATTERN \"MII\"");
    assert!(!found.contains(": MII"), "{found}");
    assert!(found.contains("3 files that may hold keys or passwords"), "{found}");
}

#[test]
fn of_a_long_line_the_piece_around_the_match_is_shown() {
    let line = format!("{}needle{}", "é".repeat(500), "z".repeat(500));
    let harness = Harness::new().file("a.min.js", format!("{line}\nneedle{}\n", "z".repeat(500)));
    let found = search(&harness, ":PATTERN \"needle\"");
    let lines: Vec<&str> = found.lines().skip(1).collect();
    assert!(
        lines[0].starts_with("a.min.js:1: … éé") && lines[0].contains("éneedlez"),
        "{found}"
    );
    assert!(lines[0].ends_with("z …") && lines[0].len() < 300, "{found}");
    assert!(lines[1].starts_with("a.min.js:2: needlezz"), "{found}");
}

#[test]
fn where_no_file_was_searched_no_line_is_spoken_of() {
    let harness = Harness::new()
        .file("a.txt", "x\n")
        .file_fails("b.txt", Failure::Failed("it is on fire".to_owned()));
    assert_eq!(
        search(&harness, ":PATTERN \"x\" :GLOB \"*.rs\""),
        "no file has such a name\n"
    );
    assert_eq!(
        search(&Harness::new().file(".git/config", "x\n"), ":PATTERN \"x\""),
        "there is no file to search\n"
    );
    let error = call(harness, "search-text", ":PATTERN \"x\" :PATH \"b.txt\"").unwrap_err();
    assert!(error.contains("on fire"), "{error}");
}

#[test]
fn a_file_in_utf_16_is_said_to_be_in_it() {
    let harness = Harness::new().file("a.txt", wide("one\n", u16::to_le_bytes));
    let error = call(harness, "read-file", ":PATH \"a.txt\"").unwrap_err();
    assert_eq!(error, "a.txt is text in UTF-16, and only UTF-8 is read");
}
