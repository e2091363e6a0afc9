//! What a person is shown who is asked about a write: how the file would change, wherever the plan is shown, and nowhere
//! else.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use passepartout_tests::daemon::Home;
use passepartout_tests::script::{call, waiting};
use passepartout_tests::{message, proposal};

/// What stands around the change, in the file and in no action.
const AROUND: &str = "a line that only the file holds";

fn home() -> Home {
    let home = Home::new();
    home.file("workspace/list.txt", format!("{AROUND}\nmilk\n").as_bytes());
    home
}

const EDITED: [&str; 6] = [
    "--- list.txt (as it is)",
    "+++ list.txt (as it would be)",
    "@@ -1,2 +1,2 @@",
    " a line that only the file holds",
    "-milk",
    "+oat milk",
];

/// Whether any file beneath `folder` holds `text`.
fn holds(folder: &Path, text: &str) -> Option<std::path::PathBuf> {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if let Some(found) = holds(&path, text) {
                return Some(found);
            }
        } else if fs::read(&path).is_ok_and(|bytes| bytes.windows(text.len()).any(|part| part == text.as_bytes())) {
            return Some(path);
        }
    }
    None
}

#[test]
fn how_a_file_would_change_is_shown_wherever_a_person_can_approve_it() {
    let home = home();
    let edit = call("edit-file", ":PATH \"list.txt\" :OLD \"milk\" :NEW \"oat milk\"");
    let daemon = home.start_scripted(&[edit, message("edited")]);
    let mut peer = daemon.connect();
    let asked = peer.ask("change it");
    assert_eq!(
        asked.plan().text_at("diff"),
        Some(EDITED.join("\n").as_str()),
        "{asked:#?}"
    );
    let listed = peer.ask("/plans");
    let status = home.run(&["status"]);
    for line in EDITED {
        assert!(listed.reply().contains(&format!("\n    {line}")), "{}", listed.reply());
        assert!(status.out.contains(&format!("\n    {line}")), "{}", status.out);
    }
    assert_eq!(waiting(&mut peer)[0].text_at("diff"), asked.plan().text_at("diff"));
    let ran = home.run(&["approve", asked.plan_id(), "--yes"]);
    assert!(ran.code == 0 && ran.err.contains("\n    +oat milk\n"), "{ran:?}");
    let text = fs::read_to_string(home.workspace().join("list.txt")).unwrap();
    assert_eq!(text, format!("{AROUND}\noat milk\n"));
}

#[test]
fn what_the_diff_shows_of_the_file_is_kept_nowhere_and_no_model_sees_it() {
    let home = home();
    let edit = call("edit-file", ":PATH \"list.txt\" :OLD \"milk\" :NEW \"oat milk\"");
    let daemon = home.start_scripted(&[edit, message("edited"), message("yes")]);
    let mut peer = daemon.connect();
    let asked = peer.ask("change it");
    assert!(asked.plan().text_at("diff").unwrap().contains(AROUND));
    peer.ask("/plans");
    peer.ask(&format!("/approve {}", asked.plan_id()));
    peer.ask("is it done?");
    assert!(daemon.stop().success());
    for folder in ["data", "state"] {
        assert_eq!(holds(&home.path().join(folder), AROUND), None);
    }
    for file in ["stderr.log", "script.txt.prompts"] {
        assert!(
            !fs::read_to_string(home.path().join(file)).unwrap().contains(AROUND),
            "{file}"
        );
    }
}

#[test]
fn a_new_file_and_one_that_changed_meanwhile_are_told_apart() {
    let home = home();
    let daemon = home.start_scripted(&[
        call("write-file", ":PATH \"new.txt\" :TEXT \"one\ntwo\""),
        call("write-file", ":PATH \"list.txt\" :TEXT \"all new\n\" :REPLACE T"),
        proposal("ls | tee listing"),
    ]);
    let mut peer = daemon.connect();
    let mut diff = |text: &str| {
        let asked = peer.ask(text);
        asked.plan().text_at("diff").map(str::to_owned)
    };
    assert_eq!(
        diff("a new one").unwrap(),
        "--- (no file)\n+++ new.txt (as it would be)\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ no newline at the end"
    );
    let whole = diff("the whole").unwrap();
    assert!(whole.contains("\n-milk\n+all new"), "{whole}");
    assert_eq!(diff("a command"), None);

    // What changes meanwhile is not shown as if it were what was proposed about.
    fs::write(home.workspace().join("list.txt"), "the person's\n").unwrap();
    fs::write(home.workspace().join("new.txt"), "the person's\n").unwrap();
    let plans = waiting(&mut daemon.connect());
    for plan in plans.iter().filter(|plan| !plan.to_string().contains("tee")) {
        let diff = plan.text_at("diff").unwrap();
        assert!(
            diff.contains("has changed after this was proposed") || diff.contains("without :REPLACE T"),
            "{diff}"
        );
        assert!(!diff.contains("+all new") && !diff.contains("the person's"), "{diff}");
    }
}

#[test]
fn nothing_in_a_file_or_its_name_moves_the_terminal_or_passes_for_another_line() {
    let home = Home::new();
    home.file("workspace/odd.txt", "\u{1b}[2Jold\n+forged\u{202e}\n".as_bytes());
    let daemon = home.start_scripted(&[
        call("edit-file", ":PATH \"odd.txt\" :OLD \"old\" :NEW \"new\""),
        call("write-file", ":PATH \"a\n+++ b\" :TEXT \"x\""),
    ]);
    let mut peer = daemon.connect();
    let asked = peer.ask("change it");
    let shown = asked.plan().text_at("diff").unwrap();
    for line in ["-<U+001B>[2Jold", "+<U+001B>[2Jnew", " +forged<U+202E>"] {
        assert!(shown.lines().any(|own| own == line), "{shown}");
    }
    let asked = peer.ask("another");
    let shown = asked.plan().text_at("diff").unwrap();
    assert!(!shown.lines().any(|line| line.starts_with("+++ b")), "{shown}");
    let ran = home.run(&["status"]);
    assert!(
        !ran.out.contains('\u{1b}') && !ran.out.contains('\u{202e}'),
        "{}",
        ran.out
    );
}

#[test]
fn nobody_is_asked_about_a_change_of_a_file_that_is_too_large_to_be_changed() {
    let home = home();
    // A hole: it takes no room on the disk.
    let huge = fs::File::create(home.workspace().join("huge.txt")).unwrap();
    huge.set_len((64 << 20) + 1).unwrap();
    let calls = [
        call("edit-file", ":PATH \"huge.txt\" :OLD \"a\" :NEW \"b\""),
        call("write-file", ":PATH \"huge.txt\" :TEXT \"b\" :REPLACE T"),
    ];
    let daemon = home.start_scripted(&calls.clone().map(|call| [call, message("too large")]).concat());
    let mut peer = daemon.connect();
    for call in calls {
        let turn = peer.ask("change it");
        assert_eq!(turn.reply(), "too large", "{call}: {turn:#?}");
        assert!(turn.all("PLAN").is_empty(), "{call}: {turn:#?}");
        let prompts = home.prompts();
        let told = prompts.last().unwrap().to_string();
        assert!(told.contains("has more than 67108864 bytes"), "{call}: {told}");
    }
}

#[test]
fn nobody_is_asked_about_a_change_that_can_not_be_made_and_the_model_hears_why() {
    let home = home();
    home.file("workspace/twice.txt", b"milk and milk\n");
    home.file("workspace/dos.txt", b"one\r\ntwo\r\n");
    let edit = |args: &str| call("edit-file", args);
    let calls = [
        (
            edit(":PATH \"list.txt\" :OLD \"bread\" :NEW \"oats\""),
            "does not have the text to be replaced",
        ),
        (
            edit(":PATH \"twice.txt\" :OLD \"milk\" :NEW \"oats\""),
            "in several places",
        ),
        (edit(":PATH \"list.txt\" :OLD \"\" :NEW \"oats\""), "empty text"),
        (
            edit(":PATH \"list.txt\" :OLD \"milk\" :NEW \"milk\""),
            "list.txt would stay as it is",
        ),
        (
            edit(":PATH \"dos.txt\" :OLD \"one\ntwo\" :NEW \"1\""),
            "only with CR before each line's end",
        ),
        (
            call("write-file", ":PATH \"twice.txt\" :TEXT \"milk and milk\n\" :REPLACE T"),
            "twice.txt would stay as it is",
        ),
    ];
    let answers: Vec<String> = calls
        .iter()
        .flat_map(|(call, _)| [call.clone(), message("I see")])
        .collect();
    let daemon = home.start_scripted(&answers);
    let mut peer = daemon.connect();
    for (call, reason) in calls {
        let turn = peer.ask("change it");
        assert_eq!(turn.reply(), "I see", "{call}: {turn:#?}");
        assert!(turn.all("PLAN").is_empty(), "{call}: {turn:#?}");
        let prompts = home.prompts();
        let told = prompts.last().unwrap().to_string();
        assert!(told.contains(reason), "{call}: {told}");
    }
}

#[test]
fn what_a_file_holds_that_a_model_may_not_read_unasked_is_not_told_by_whether_a_person_is_asked() {
    let home = home();
    home.file("workspace/passwords.txt", b"WORD=swordfish and swordfish\n");
    let edit = |path: &str, old: &str| call("edit-file", &format!(":PATH \"{path}\" :OLD \"{old}\" :NEW \"x\""));
    let guesses = ["salmon", "swordfish", "WORD"];
    let answers: Vec<String> = guesses.iter().map(|guess| edit("passwords.txt", guess)).collect();
    let daemon = home.start_scripted(&answers);
    let mut peer = daemon.connect();
    for guess in guesses {
        let asked = peer.ask("change it");
        assert_eq!(asked.outcome(), "WAITING", "{guess}: {asked:#?}");
        // The person may see why it would come to nothing.
        let diff = asked.plan().text_at("diff").unwrap();
        assert_eq!(diff.contains("can't be shown"), guess != "WORD", "{guess}: {diff}");
    }
    assert!(daemon.stop().success());
    // Where reading asks, the same holds for any file.
    let home = home.config("[settings.dispatcher]\ntools.read-file = \"ask\"\n");
    let daemon = home.start_scripted(&[edit("list.txt", "bread")]);
    let asked = daemon.connect().ask("change it");
    assert_eq!(asked.outcome(), "WAITING", "{asked:#?}");
}
