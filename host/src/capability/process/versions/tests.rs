#![allow(clippy::unwrap_used, clippy::expect_used)]
use super::*;
use proptest::prelude::*;

const KEY: &str = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n\
                   MARK\n-----END OPENSSH PRIVATE KEY-----\n";

fn of(file: &str, text: &str) -> String {
    let count = text.lines().count();
    let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
    let head = format!(
        "diff --git a/{file} b/{file}\nnew file mode 100644\n--- /dev/null\n+++ b/{file}\n@@ -0,0 +1,{count} @@\n"
    );
    head + &lines
}

/// What is handed on, and whether something was left out.
fn handed_on(text: &[u8]) -> (Vec<u8>, bool) {
    by(true, text)
}

fn by(by_line: bool, text: &[u8]) -> (Vec<u8>, bool) {
    let how = How {
        by_line,
        several: false,
        files: Vec::new(),
    };
    let mut versions = Versions::new(Vec::new(), None, how);
    versions.all(text).unwrap();
    (versions.out, versions.left_out)
}

fn shown(text: &str) -> (String, bool) {
    let (out, left_out) = handed_on(text.as_bytes());
    (String::from_utf8(out).unwrap(), left_out)
}

#[test]
fn of_what_git_shows_only_what_is_private_is_left_out() {
    for commit in ["commit 1a2b3c4d", "1a2b3c4 one", "From 1a2b3c4d Mon Sep 17"] {
        let commit = |name: &str| format!("{commit} {name}\n");
        let text = [
            commit("first"),
            of("a/notes.txt", KEY),
            of("main.rs", "fn main() {}"),
            of(".env", "A=MARK"),
            commit("second"),
            of("b.txt", "plain"),
            of("\"\\303\\274bung/.env", "A=MARK").replace("bung/.env", "bung/.env\""),
            of("home/.aws/config", "a = MARK"),
        ]
        .concat();
        let (shown, left_out) = shown(&text);
        assert!(!shown.contains("MARK") && left_out, "{shown}");
        for kept in ["first", "fn main() {}", "second", "+plain", "b/a/notes.txt"] {
            assert!(shown.contains(kept), "{kept}: {shown}");
        }
    }
}

#[test]
fn what_git_is_not_known_to_say_of_a_file_may_be_what_is_in_it() {
    for text in [
        "GIT binary patch\nliteral 6\nNMARK\n",
        "  @@ -1 +1 @@\n+A=MARK\n",
        "A=MARK\n",
        "+A=MARK\n",
    ] {
        let text = format!("diff --git a/.env b/.env\nindex 12..34 100644\n{text}");
        let (shown, left_out) = shown(&text);
        assert!(!shown.contains("MARK") && left_out, "{shown}");
    }
}

#[test]
fn what_is_not_private_is_shown_as_it_is() {
    let source = format!("{}const KEY: &str = \"{KEY}\";\n", "let a = 1;\n".repeat(200));
    for text in [
        String::new(),
        "no newline".to_owned(),
        of("tests/keys.rs", &source),
        of("notes.txt", "-----BEGIN OPENSSH PRIVATE KEY-----\nis how a key begins"),
        "commit 1a2b3c4d\n\n commit\n".to_owned(),
        "\x1b[32m+a\x1b[m\n".to_owned(),
        "diff --git a/.env b/.env\nold mode 100644\nnew mode 100755\n".to_owned(),
        "@@ -1,2 +1,2 @@\n a\n".to_owned(),
        "a\0b\0".to_owned(),
        "x".repeat(3 * LONGEST),
    ] {
        assert_eq!(shown(&text), (text.clone(), false));
    }
}

#[test]
fn a_key_is_found_whichever_way_it_is_shown() {
    let coloured = of("x.txt", KEY)
        .replace('+', "\x1b[32m+\x1b[m")
        .replace("diff", "\x1b[1mdiff");
    let merged = of("x.txt", KEY)
        .replace("diff --git a/x.txt b/", "diff --cc ")
        .replace("@@ -0,0 +1", "@@@ -0,0 -0,0 +1")
        .replace("@@\n", "@@@\n")
        .replace("\n+", "\n++");
    let blamed: String = KEY
        .lines()
        .map(|line| format!("1a2b3c4d (me 2026-01-02 03:04:05 +0100 1) {line}\n"))
        .collect();
    let bare = of("x.txt", KEY)
        .replace("a/x.txt b/x.txt", "x.txt x.txt")
        .replace("b/x.txt", "x.txt");
    let removed = of("x.txt", KEY).replace("\n+", "\n-");
    let of_words = of("x.txt", KEY).replace("\n+", "\n");
    let crlf = of("x.txt", KEY).replace('\n', "\r\n");
    for text in [coloured, merged, blamed, bare, removed, of_words, crlf, KEY.to_owned()] {
        let (shown, left_out) = shown(&text);
        assert!(!shown.contains("MARK") && left_out, "{text}\n{shown}");
    }
}

#[test]
fn of_a_private_file_that_is_longer_than_is_looked_at_nothing_is_shown() {
    let long = of(".env", &"A=MARK\n".repeat(LONGEST / 3));
    let (shown, left_out) = shown(&[long, of("b.txt", "plain")].concat());
    assert!(!shown.contains("MARK") && shown.contains("+plain") && left_out);
    assert_eq!(shown.matches("not shown").count(), 1);
}

#[test]
fn nothing_that_stands_in_a_private_file_ends_it() {
    let text = "From 2024 on it is so:\ncommit 1a2b3c4d\ndiff --git a/x b/x\n@@ -1 +1 @@\nA=MARK";
    let nul = "a\0b\0c\nA=MARK";
    let long = format!("{}\nA=MARK", "x".repeat(2 * LONGEST));
    let head = "diff --git a/x b/x\nA=MARK";
    let cut = format!("{}\0{head}", "x".repeat(LONGEST - 2));
    for text in [text, nul, &long, head, &cut] {
        for sign in ["+", " ", "-"] {
            let part = of("secrets/n.txt", text).replace("\n+", &format!("\n{sign}"));
            let count = text.lines().count();
            let part = match sign {
                "+" => part,
                " " => part.replace(&format!("-0,0 +1,{count}"), &format!("-1,{count} +1,{count}")),
                _ => part.replace(&format!("-0,0 +1,{count}"), &format!("-1,{count} +0,0")),
            };
            let part = part.replace(&format!("{sign}++ b/"), "+++ b/");
            let all = [part, of("b.txt", "plain")].concat();
            let (shown, left_out) = handed_on(all.as_bytes());
            let shown = String::from_utf8_lossy(&shown).into_owned();
            assert!(!shown.contains("MARK") && left_out, "{sign}: {shown}");
            assert!(shown.contains("plain"), "{sign}: {shown}");
        }
    }
}

#[test]
fn where_words_are_marked_what_is_private_goes_on() {
    let text = of(".env", "A=1\ncommit 1a2b3c4d\nB=MARK").replace("\n+", "\n");
    let (shown, _) = by(false, [of("a.txt", "plain"), text].concat().as_bytes());
    let shown = String::from_utf8(shown).unwrap();
    assert!(!shown.contains("MARK") && shown.contains("plain"), "{shown}");
    assert!(
        shown.ends_with("nor is anything that follows, since words are marked and not lines)\n"),
        "{shown}"
    );
}

#[test]
fn where_versions_were_merged_a_wrong_count_of_lines_ends_nothing() {
    let merged = "diff --cc .env\nindex 1234,5678..9abc\n@@@ -1,0 -1,1 +1,0 @@@\n- A=MARK\n+ KEY=MARK\n -Z=MARK\n";
    let one = "diff --git a/.env b/.env\nindex 1234..5678 100644\n@@ -1,0 +1 @@\n+A=MARK\n+B=MARK\n-C=MARK\n";
    for text in [merged, one] {
        let (shown, left_out) = shown(&[text, &of("b.txt", "plain")].concat());
        assert!(
            !shown.contains("MARK") && left_out && shown.contains("+plain"),
            "{shown}"
        );
    }
}

#[test]
fn what_a_file_was_called_counts_as_well() {
    let moved = "diff --git a/.env b/sample.txt\nsimilarity index 60%\nrename from .env\nrename to sample.txt\nindex 12..34 100644\n\
                 --- a/.env\n+++ b/sample.txt\n@@ -1 +1 @@\n-A=MARK\n+A=\n";
    let (shown, left_out) = shown(moved);
    assert!(!shown.contains("MARK") && left_out, "{shown}");
}

proptest! {
    #[test]
    fn whatever_git_prints_is_handed_on_or_left_out(
        text in prop::collection::vec(
            prop_oneof![
                prop::collection::vec(any::<u8>(), 0..20),
                prop::sample::select(vec![
                    b"diff --git a/x b/x\n".to_vec(), b"@@ -1,2 +3,4 @@\n".to_vec(), b"@@@ -1 -2 +3 @@@\n".to_vec(),
                    b"+++ b/.env\n".to_vec(), b"--- \"a/\\3\n".to_vec(), b"index 1234..0000\n".to_vec(), b"| ".to_vec(),
                    b"\x1b[".to_vec(), b"\n".to_vec(), b"+a\n".to_vec(), b"\\ No newline\n".to_vec(),
                ]),
            ],
            0..30,
        ),
    ) {
        let text = text.concat();
        let (out, left_out) = handed_on(&text);
        prop_assert!(left_out || out == text);
    }
}
