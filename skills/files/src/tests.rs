//! The tools, over the files that a harness has.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod encodings;
mod globs;
mod keys;

use passepartout_sdk::files::Failure;
use passepartout_sdk::test::Harness;

use super::*;

/// A call of the tool `name` with these arguments.
fn call(harness: Harness, name: &str, args: &str) -> Result<String, String> {
    let (answer, _) = after(harness, name, args);
    answer
}

/// The same, and the harness as the call left it.
fn after(harness: Harness, name: &str, args: &str) -> (Result<String, String>, Harness) {
    let mut harness = harness.action(&format!(
        "(:TARGET :TOOL :PAYLOAD (:TOOL \"{name}\" :ARGS ({args}) :EXPLANATION \"to see it\"))"
    ));
    let answer = harness.call_tool::<Files>(name);
    (answer, harness)
}

fn project() -> Harness {
    Harness::new()
        .file("README.md", "# One\n\nTODO: two\n")
        .file("src/main.rs", "fn main() {}\n// TODO later\n")
        .file("src/deep/lib.rs", "// todo\nfn f() { 1.max(2); }\n")
        .file(".git/config", "TODO\n")
        .file("node_modules/x/index.js", "TODO\n")
        .file("out/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")
        .file("out/cached.rs", "TODO\n")
        .file("image.png", b"\x89PNG\0TODO\n")
}

#[test]
fn a_file_is_read_whole_or_from_a_line_on_and_says_whether_more_follows() {
    let file = || Harness::new().file("a.txt", "one\ntwo\nthree");
    assert_eq!(
        call(file(), "read-file", ":PATH \"a.txt\"").unwrap(),
        "a.txt, lines 1 to 3, the last one:\none\ntwo\nthree"
    );
    assert_eq!(
        call(file(), "read-file", ":PATH \"a.txt\" :LINE 2 :LINES 1").unwrap(),
        "a.txt, lines 2 to 2; more follows from line 3 on:\ntwo\n"
    );
    assert_eq!(
        call(file(), "read-file", ":PATH \"a.txt\" :LINE 2").unwrap(),
        "a.txt, lines 2 to 3, the last one:\ntwo\nthree"
    );
    assert_eq!(
        call(file(), "read-file", ":PATH \"a.txt\" :LINE 9").unwrap(),
        "a.txt has 3 lines, and none from line 9 on\n"
    );
    assert_eq!(
        call(Harness::new().file("a.txt", ""), "read-file", ":PATH \"a.txt\"").unwrap(),
        "a.txt is empty\n"
    );
}

#[test]
fn what_is_read_is_bounded_and_the_rest_can_be_asked_for() {
    let line = "0123456789".repeat(10) + "\n";
    let file = || Harness::new().file("a.txt", line.repeat(1_000));
    let first = call(file(), "read-file", ":PATH \"a.txt\"").unwrap();
    assert!(first.len() < shown::LONGEST + 200, "{}", first.len());
    let next: usize = first
        .split("from line ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next()?.parse().ok())
        .expect("where it goes on");
    let second = call(file(), "read-file", &format!(":PATH \"a.txt\" :LINE {next}")).unwrap();
    assert!(
        second.starts_with(&format!("a.txt, lines {next} to ")),
        "{}",
        &second[..60]
    );
    let long = "é".repeat(shown::LONGEST);
    let cut = call(Harness::new().file("a.txt", &long), "read-file", ":PATH \"a.txt\"").unwrap();
    assert!(cut.contains("line 1 is cut") && cut.len() < shown::LONGEST + 200);
    let after_it = Harness::new().file("a.txt", format!("{long}\nshort\n"));
    assert_eq!(
        call(after_it, "read-file", ":PATH \"a.txt\" :LINE 2").unwrap(),
        "a.txt, lines 2 to 2, the last one:\nshort\n"
    );
}

#[test]
fn what_is_no_text_is_said_to_be_none() {
    for bytes in [&b"\x7fELF\0\0"[..], b"caf\xe9\n"] {
        let error = call(Harness::new().file("a", bytes), "read-file", ":PATH \"a\"").unwrap_err();
        assert!(error.contains("is no text"), "{error}");
    }
}

#[test]
fn a_file_is_written_and_edited_as_the_action_says_and_told_how_large_it_is() {
    let (answer, harness) = after(Harness::new(), "write-file", ":PATH \"a.txt\" :TEXT \"one\"");
    assert_eq!(answer.unwrap(), "a.txt has 3 bytes now\n");
    assert_eq!(harness.file_text("a.txt"), Some("one"));
    let (answer, harness) = after(harness, "write-file", ":PATH \"a.txt\" :TEXT \"two\"");
    assert!(answer.unwrap_err().contains(":REPLACE T"));
    let (answer, harness) = after(harness, "edit-file", ":PATH \"a.txt\" :OLD \"ne\" :NEW \"h\"");
    assert_eq!(answer.unwrap(), "a.txt was changed in one place, and has 2 bytes now\n");
    assert_eq!(harness.file_text("a.txt"), Some("oh"));
    let (answer, _) = after(harness, "edit-file", ":PATH \"a.txt\" :OLD \"oh\" :NEW \"!\"");
    assert_eq!(answer.unwrap(), "a.txt was changed in one place, and has 1 byte now\n");
}

#[test]
fn a_folder_is_listed_with_folders_first() {
    assert_eq!(
        call(project(), "list-directory", "").unwrap(),
        ".git/\nnode_modules/\nout/\nsrc/\nREADME.md  17 bytes\nimage.png  10 bytes\n"
    );
    assert_eq!(
        call(project(), "list-directory", ":PATH \"src\"").unwrap(),
        "deep/\nmain.rs  27 bytes\n"
    );
    assert!(call(project(), "list-directory", ":PATH \"nowhere\"").is_err());
}

#[test]
fn files_are_found_by_name_or_by_path_without_what_nobody_looks_for() {
    let find = |args: &str| call(project(), "find-files", args).unwrap();
    assert_eq!(find(":PATTERN \"*.rs\""), "src/deep/lib.rs\nsrc/main.rs\n");
    assert_eq!(find(":PATTERN \"src/*.rs\""), "src/main.rs\n");
    assert_eq!(
        find(":PATTERN \"**/*.rs\" :PATH \"src\""),
        "src/deep/lib.rs\nsrc/main.rs\n"
    );
    assert_eq!(find(":PATTERN \"*.rs\" :PATH \"out\""), "out/cached.rs\n");
    assert_eq!(find(":PATTERN \"*.py\""), "no file has such a name\n");
    for pattern in ["", "/etc/*", "a[", "{a", "{a{b}}"] {
        assert!(
            call(project(), "find-files", &format!(":PATTERN \"{pattern}\"")).is_err(),
            "{pattern}"
        );
    }
}

#[test]
fn lines_are_found_by_text_or_expression_with_their_places() {
    let search = |args: &str| call(project(), "search-text", args).unwrap();
    assert_eq!(
        search(":PATTERN \"TODO\""),
        "2 lines in 2 files:\nREADME.md:3: TODO: two\nsrc/main.rs:2: // TODO later\n\
         1 file that is no text has it: image.png\n"
    );
    assert_eq!(
        search(":PATTERN \"TODO\" :IGNORE-CASE T :GLOB \"*.rs\""),
        "2 lines in 2 files:\nsrc/deep/lib.rs:1: // todo\nsrc/main.rs:2: // TODO later\n"
    );
    // A text is no expression, unless it is said to be one.
    assert_eq!(
        search(":PATTERN \"1.max(2)\""),
        "src/deep/lib.rs:2: fn f() { 1.max(2); }\n"
    );
    assert_eq!(
        search(":PATTERN \"1.max(2)\" :REGEX T :PATH \"src\""),
        "no line has it\n"
    );
    assert_eq!(
        search(":PATTERN \"^fn m\" :REGEX T :PATH \"src\""),
        "src/main.rs:1: fn main() {}\n"
    );
    assert_eq!(
        search(":PATTERN \"TODO\" :PATH \"README.md\""),
        "README.md:3: TODO: two\n"
    );
    for args in [":PATTERN \"\"", ":PATTERN \"(\" :REGEX T", ":PATTERN 7", ""] {
        assert!(call(project(), "search-text", args).is_err(), "{args}");
    }
}

#[test]
fn many_matches_are_cut_and_counted_and_no_line_is_shown_at_length() {
    let harness = Harness::new().file("a.txt", format!("x{}\n", "y".repeat(1_000)).repeat(2_000));
    let found = call(harness, "search-text", ":PATTERN \"x\"").unwrap();
    assert!(found.starts_with("2000 lines in 1 files:\n"), "{}", &found[..40]);
    assert!(found.len() < shown::LONGEST + 200, "{}", found.len());
    assert!(found.ends_with(" more lines\n"), "{}", &found[found.len() - 40..]);
}

#[test]
fn a_name_can_not_pretend_to_be_another_line() {
    let harness = Harness::new().file("a\nb.txt", "x").file("c\u{1b}[31m", "x");
    assert_eq!(
        call(harness.clone(), "find-files", ":PATTERN \"*\"").unwrap(),
        "a\\nb.txt\nc\\u{1b}[31m\n"
    );
    let listed = call(harness, "list-directory", "").unwrap();
    assert_eq!(listed.lines().count(), 2, "{listed}");
}

#[test]
fn what_can_not_be_read_is_counted_and_the_host_says_why_where_it_was_named() {
    let refused = || Failure::Rejected("protected".to_owned());
    let harness = Harness::new().file("a.txt", "x").file_fails("b.txt", refused());
    assert_eq!(
        call(harness.clone(), "search-text", ":PATTERN \"x\"").unwrap(),
        "a.txt:1: x\n1 file can't be read\n"
    );
    let error = call(harness, "read-file", ":PATH \"b.txt\"").unwrap_err();
    assert!(error.contains("protected"), "{error}");
}

#[test]
fn keys_and_passwords_are_searched_only_where_they_are_named() {
    let certificate = "-----BEGIN CERTIFICATE-----\nMII\n";
    let harness = Harness::new()
        .file("a.pem", "-----BEGIN RSA PRIVATE KEY-----\nMII\n")
        .file("both.PEM", format!("{certificate}-----BEGIN PRIVATE KEY-----\nMII\n"))
        .file("c/bundle.crt", format!("{certificate}-----BEGIN EC PRIVATE KEY-----\n"))
        .file("c/ca.pem", certificate)
        .file("c/public.key", "-----BEGIN PUBLIC KEY-----\nMII\n")
        .file("c/wg.key", "MIIyAnz5TF+l=\n")
        .file("d/main.rs", "\"-----BEGIN RSA PRIVATE KEY-----\\nMII\"\n")
        .file("d/store.p12", "MII")
        .file("d/keys.rs", "fn none() {}\n")
        .file("d/id_rsa_work", key() + "MII\n")
        .file("d/id_rsa_work.pub", "ssh-rsa MIJ\n")
        .file("d/server.pem~", "-----BEGIN PRIVATE KEY-----\nMII\n")
        .file("d/prod.env", "MII")
        .file("e/.npmrc.bak", "MII")
        .file("e/.htpasswd", "MII")
        .file("e/.my.cnf", "MII")
        .file("e/auth.json", "MII")
        .file("e/kubeconfig", "MII")
        .file("e/me.asc", "-----BEGIN PGP PRIVATE KEY BLOCK-----\nMII\n")
        .file("e/terraform.tfstate", "MII")
        .file("e/terraform.tfstate.backup", "MII")
        .file("f/.dockercfg", "MII")
        .file("f/prod.tfvars", "MII")
        .file("f/local.settings.json", "MII")
        .file("f/app-secrets.yml", "MII")
        .file("f/tokens/a.json", "MII")
        .file("f/tokens/a.rs", "MII");
    assert_eq!(
        call(harness.clone(), "search-text", ":PATTERN \"MII\"").unwrap(),
        "4 lines in 4 files:\nc/ca.pem:2: MII\nc/public.key:2: MII\n\
         d/main.rs:1: \"-----BEGIN RSA PRIVATE KEY-----\\nMII\"\nf/tokens/a.rs:1: MII\n\
         21 files that may hold keys or passwords are left out: name one as the path to search it, \
         or `grep` by the shell if git tracks it\n"
    );
    for (args, line) in [
        (":PATTERN \"MII\" :PATH \"a.pem\"", "a.pem:2: MII\n"),
        (":PATTERN \"MII\" :PATH \"e/auth.json\"", "e/auth.json:1: MII\n"),
        (
            ":PATTERN \"MII\" :PATH \"f/tokens\" :GLOB \"*.json\"",
            "f/tokens/a.json:1: MII\n",
        ),
    ] {
        assert_eq!(call(harness.clone(), "search-text", args).unwrap(), line);
    }
    // Naming it by a pattern is not naming it.
    assert_eq!(
        call(harness, "search-text", ":PATTERN \"MII\" :GLOB \"*.p12\"").unwrap(),
        "no line has it
1 file that may hold keys or passwords is left out: name it as the path to search it, or `grep` by \
         the shell if git tracks it
"
    );
}

/// The text of a key.
fn key() -> String {
    let line = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt".to_owned() + "\n";
    format!(
        "-----BEGIN OPENSSH PRIVATE KEY-----\n{}-----END OPENSSH PRIVATE KEY-----\n",
        line.repeat(5)
    )
}

#[test]
fn a_key_under_a_name_that_says_nothing_is_neither_found_nor_shown() {
    let json = format!("{{\"private_key\": \"{}\"}}\n", key().replace('\n', "\\n"));
    let quoted = format!("{}const KEY: &str = \"{}\";\n", "// why\n".repeat(100), key());
    let names = [
        "plain",
        "a.log",
        "conf.toml",
        "deploy.sh",
        "foo.txt",
        "notes.md",
        "d.py",
        "main.rs.bak",
        "id_rsa_x",
        "a.p8",
    ];
    let mut harness = Harness::new().file("gcp.json", &*json).file("quoted.rs", &*quoted);
    for name in names {
        harness = harness.file(name, &*key());
    }
    let found = call(harness.clone(), "search-text", ":PATTERN \"b3Blbn\"").unwrap();
    assert!(
        found.contains("quoted.rs:102:") && found.contains("11 files that may hold"),
        "{found}"
    );
    for name in names.iter().chain(&["gcp.json"]) {
        assert!(!found.contains(&format!("{name}:")), "{name}: {found}");
        for (tool, args) in [
            ("read-file", ""),
            ("read-file", " :LINE 3"),
            ("search-text", " :PATTERN \"b3\""),
        ] {
            let told = call(harness.clone(), tool, &format!(":PATH \"{name}\"{args}")).unwrap_err();
            assert!(
                told.contains("holds a private key") && told.contains("`cat` by the shell") && !told.contains("b3B"),
                "{tool} {name}: {told}"
            );
        }
    }
    assert!(
        call(harness, "read-file", ":PATH \"quoted.rs\"")
            .unwrap()
            .contains("b3Blbn")
    );
    // About such a name a gate was asked, and what is about keys holds none.
    let asked = Harness::new().file("server.key", &*key());
    assert!(
        call(asked, "read-file", ":PATH \"server.key\"")
            .unwrap()
            .contains("b3Blbn")
    );
    let about = Harness::new().file(
        "guide.txt",
        "It begins with -----BEGIN RSA PRIVATE KEY-----\nand so on.\n",
    );
    assert!(
        call(about, "read-file", ":PATH \"guide.txt\"")
            .unwrap()
            .contains("and so on")
    );
}

#[test]
fn an_argument_of_another_kind_is_named() {
    for (tool, args, named) in [
        ("read-file", "", ":PATH"),
        ("read-file", ":PATH 1", ":PATH"),
        ("read-file", ":PATH \"a\" :LINE 0", ":LINE"),
        ("read-file", ":PATH \"a\" :LINES \"2\"", ":LINES"),
        ("find-files", "", ":PATTERN"),
        ("list-directory", ":PATH (1)", ":PATH"),
    ] {
        let error = call(project(), tool, args).unwrap_err();
        assert!(error.contains(named), "{tool} {args}: {error}");
    }
}
