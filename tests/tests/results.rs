//! What a model sees of what its tools found: all that they say they show, and nothing passed over in silence.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;

use passepartout_tests::pages::Pages;
use passepartout_tests::script::{call, last_message, messages};
use passepartout_tests::{Home, message};

/// What the model was told of the result of this one call.
fn told(home: &Home, call: &str) -> String {
    let daemon = home.start_scripted(&[call.to_owned(), message("seen")]);
    let mut peer = daemon.connect();
    let asked = peer.ask("look");
    if let [plan] = asked.all("PLAN")[..] {
        peer.ask(&format!("/approve {}", plan.text_at("plan").unwrap()));
    }
    let prompts = home.prompts();
    let (role, text) = last_message(prompts.last().unwrap());
    assert_eq!(role, "TOOL", "{text}");
    text.to_owned()
}

#[test]
fn every_line_that_read_file_says_it_shows_reaches_the_model() {
    let home = Home::new();
    let lines: String = (1..=25_000)
        .map(|number| format!("line {number:06} xxxxxxxxxxxxxxxxxxxxxxx\n"))
        .collect();
    home.file("workspace/big.txt", lines.as_bytes());
    let told = told(&home, &call("read-file", ":PATH \"big.txt\""));
    let last = told
        .split_once("lines 1 to ")
        .and_then(|(_, rest)| rest.split_once(';')?.0.parse::<usize>().ok())
        .expect("it says which lines it shows");
    assert!(last > 100, "{told:.100}");
    for number in 1..=last {
        assert!(
            told.contains(&format!("line {number:06} x")),
            "line {number} of {last} is missing"
        );
    }
    assert!(!told.contains("are left out"), "{told:.100}");
}

#[test]
fn what_is_found_or_fetched_reaches_the_model_whole_or_says_itself_where_it_ends() {
    let pages = Pages::start();
    pages.serve("text/plain", &"a line of the page\n".repeat(10_000));
    let home = Home::new();
    let right = format!("http-private:127.0.0.1:{}", pages.port);
    fs::create_dir_all(home.workspace()).unwrap();
    assert_eq!(home.run(&["skill", "grant", "web", &right]).code, 0);
    for number in 0..2_000 {
        home.file(
            &format!("workspace/many/a-name-of-some-length-{number}"),
            b"a line of some length\n",
        );
    }
    for (call, end) in [
        (call("list-directory", ":PATH \"many\""), "more entries"),
        (call("find-files", ":PATTERN \"*\""), "more files"),
        (call("search-text", ":PATTERN \"length\""), "more lines"),
        (
            call("fetch-url", &format!(":URL \"http://127.0.0.1:{}/\"", pages.port)),
            "[cut here]",
        ),
    ] {
        let told = told(&home, &call);
        assert!(told.contains(end) && told.len() > 15_000, "{call}: {told:.300}");
        assert!(!told.contains("of this result"), "{call}: {told:.300}");
    }
}

#[test]
fn a_result_that_is_cut_all_the_same_says_which_of_its_lines_are_missing() {
    let home = Home::new();
    let lines: String = (1..=1_000)
        .map(|number| format!("line {number:06} xxxxxxxxxxxxxxxxxxxxxxx\n"))
        .collect();
    home.file("workspace/big.txt", lines.as_bytes());
    let home = home.config("[loop]\nhistory_bytes = 8000\n");
    let told = told(&home, &call("read-file", ":PATH \"big.txt\""));
    let shown: Vec<&str> = told.lines().collect();
    let note = shown
        .iter()
        .find(|line| line.ends_with("are left out]"))
        .expect("a note");
    let words: Vec<&str> = note.split(' ').collect();
    let (first, last): (usize, usize) = (words[1].parse().unwrap(), words[3].parse().unwrap());
    // The first line of the result is not the first one of the file.
    let of_file = |line: &str| line.split(' ').nth(1).unwrap().parse::<usize>().unwrap();
    let at = shown.iter().position(|line| line == note).unwrap();
    let head = first - 1 - of_file(shown[at - 1]);
    assert_eq!(of_file(shown[at + 1]), last + 1 - head, "{note}");
}

#[test]
fn a_change_that_cannot_be_made_stands_before_why_it_cannot() {
    let home = Home::new();
    home.file("workspace/list.txt", b"milk\n");
    let edit = |old: &str| call("edit-file", &format!(":PATH \"list.txt\" :OLD \"{old}\" :NEW \"tea\""));
    let daemon = home.start_scripted(&[edit("bread"), edit("butter"), message("it has neither")]);
    let turn = daemon.connect().ask("change it");
    assert!(turn.all("PLAN").is_empty(), "{turn:#?}");
    assert_eq!(turn.reply(), "it has neither");
    let prompts = home.prompts();
    let said = messages(prompts.last().unwrap());
    let roles: Vec<&str> = said.iter().map(|(role, _)| *role).collect();
    assert_eq!(roles, ["USER", "ASSISTANT", "TOOL", "ASSISTANT", "TOOL"], "{said:#?}");
    for (at, old) in [(1, "bread"), (3, "butter")] {
        assert!(said[at].1.contains(&format!(":OLD \"{old}\"")), "{said:#?}");
        assert!(said[at + 1].1.contains("can't be changed so"), "{said:#?}");
    }
}

#[test]
fn a_search_finds_what_a_file_in_another_encoding_holds() {
    let home = Home::new();
    home.file("workspace/latin.c", b"/* caf\xe9 */\nint secret_fn(void);\n");
    home.file("workspace/a.o", b"\x7fELF\0secret_fn\0");
    let told = told(&home, &call("search-text", ":PATTERN \"secret_fn\""));
    assert!(told.contains("latin.c:2: int secret_fn(void);"), "{told}");
    assert!(told.contains("1 file that is no text has it: a.o"), "{told}");
    assert!(told.contains("1 file is not all UTF-8"), "{told}");
}

#[test]
fn a_page_in_latin_1_is_read_with_its_letters_and_its_code_as_it_is_indented() {
    let pages = Pages::start();
    pages.serve_bytes(
        "text/html; charset=iso-8859-1",
        b"<p>caf\xe9</p><pre>if x:\n    y\n</pre>",
    );
    let home = Home::new();
    fs::create_dir_all(home.workspace()).unwrap();
    let right = format!("http-private:127.0.0.1:{}", pages.port);
    assert_eq!(home.run(&["skill", "grant", "web", &right]).code, 0);
    let fetch = call("fetch-url", &format!(":URL \"http://127.0.0.1:{}/\"", pages.port));
    let told = told(&home, &fetch);
    assert!(told.contains("caf\u{e9}\n") && told.contains("if x:\n    y"), "{told}");
}
