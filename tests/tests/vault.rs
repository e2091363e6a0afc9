//! The vault through its door, the command line: what is set is used and recognised, and shown nowhere.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use passepartout_tests::daemon::{Ran, host_binary, make_private};
use passepartout_tests::{Home, message, proposal};

/// A value that occurs nowhere by chance.
const VALUE: &str = "zebra-7f31-quilt-90ac";

/// Runs `vault set` with `input` on standard input.
fn set(home: &Home, args: &[&str], input: &str) -> Ran {
    let mut command = home.command();
    command.args(["vault", "set"]).args(args);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("run the binary");
    // One that refuses its arguments reads nothing.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn names(home: &Home) -> Vec<String> {
    let ran = home.run(&["vault", "list", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let list: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let secrets = list.as_array().expect("an array").iter();
    secrets
        .map(|secret| secret["name"].as_str().expect("a name").to_owned())
        .collect()
}

/// The files under `folder` that hold `text`.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding(&path, text));
        } else if fs::read(&path)
            .unwrap_or_default()
            .windows(text.len())
            .any(|part| part == text.as_bytes())
        {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn a_secret_is_set_listed_and_removed_and_its_value_is_shown_nowhere() {
    let home = Home::new();
    assert!(names(&home).is_empty());
    let ran = set(&home, &["github", "--host", "API.github.com"], &format!("{VALUE}\n"));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
    assert!(
        ran.out.contains("github is set") && ran.out.contains("api.github.com"),
        "{ran:?}"
    );
    assert_eq!(set(&home, &["other"], "another-long-value").code, 0);
    let list = home.run(&["vault", "list"]);
    assert!(
        list.out.contains("github") && list.out.contains("api.github.com"),
        "{list:?}"
    );
    // Each column is as wide as its head says, whatever stands in it.
    let columns: Vec<Vec<usize>> = list
        .out
        .lines()
        .map(|line| {
            let words = line.split("  ").map(str::trim).filter(|word| !word.is_empty());
            words.map(|word| line.find(word).unwrap()).collect()
        })
        .collect();
    assert!(
        columns.len() == 3 && columns.iter().all(|own| *own == columns[0]),
        "{}",
        list.out
    );
    assert!(
        list.out.contains("MAY BE SENT TO") && list.out.contains("nowhere"),
        "{}",
        list.out
    );
    assert_eq!(names(&home), ["github", "other"]);
    for ran in [ran, list, home.run(&["vault", "list", "--json"]), home.run(&["doctor"])] {
        assert!(!format!("{ran:?}").contains(VALUE), "{ran:?}");
    }
    assert_eq!(holding(home.path(), VALUE), [""; 0]);
    let ran = home.run(&["vault", "remove", "GitHub"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(names(&home), ["other"]);
    let ran = home.run(&["vault", "remove", "github"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("vault list"), "what to do next: {ran:?}");
}

#[test]
fn what_can_not_be_set_is_refused_with_what_to_do_and_changes_nothing() {
    let home = Home::new();
    // A value is never an argument, and what stands where a name belongs may be one: it is not repeated.
    let ran = set(&home, &["github", VALUE], "");
    assert_eq!(ran.code, 2, "{ran:?}");
    let ran = set(&home, &["1-secret-typed-as-a-name"], VALUE);
    assert_eq!(ran.code, 2, "{ran:?}");
    let ran = set(&home, &["github", "--host", "https://api.github.com/x"], VALUE);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("without https://"), "{ran:?}");
    for empty in ["", "\n", "  \r\n"] {
        let ran = set(&home, &["github"], empty);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains("standard input"), "{ran:?}");
    }
    assert!(names(&home).is_empty());
    let ran = set(&home, &["pin"], "1234");
    assert!(ran.code == 0 && ran.err.contains("fewer than 8 characters"), "{ran:?}");
}

#[test]
fn on_a_terminal_the_value_is_asked_for_and_not_shown() {
    let home = Home::new();
    let command = format!("{} vault set github", host_binary().display());
    let mut child = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .env("PASSEPARTOUT_HOME", home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("run `script`, which gives a terminal");
    let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut shown = String::new();
    while !shown.contains("not shown") {
        let mut byte = [0];
        assert_eq!(screen.read(&mut byte).unwrap(), 1, "it ended without asking: {shown}");
        shown.push(char::from(byte[0]));
    }
    keys.write_all(format!("{VALUE}\r").as_bytes()).unwrap();
    screen.read_to_string(&mut shown).unwrap();
    drop(keys);
    assert!(child.wait().unwrap().success(), "{shown}");
    assert!(shown.contains("github is set") && !shown.contains(VALUE), "{shown}");
    assert_eq!(names(&home), ["github"]);
}

#[test]
fn a_running_daemon_recognises_what_is_set_from_the_next_decision_on() {
    let home = Home::new();
    let says = message(&format!("the key is {VALUE}"));
    let runs = proposal(&format!("curl -H 'X-Key: {VALUE}' https://example.org"));
    let answers = [
        says.clone(),
        says.clone(),
        runs,
        message("I can't say it"),
        says.clone(),
        message("good bye"),
        says,
    ];
    let daemon = home.start_scripted(&answers);
    let mut peer = daemon.connect();
    // What shows that it is the vault that makes the difference.
    assert!(peer.ask("hello").reply().contains(VALUE));
    let before = (holding(&home.path().join("data"), VALUE), home.prompts().len());
    assert_eq!(set(&home, &["key"], VALUE).code, 0);
    let turn = daemon.connect().ask("say the key");
    assert_eq!(turn.reply(), "I can't say it", "{turn:#?}");
    let rejected = turn
        .all("PROGRESS")
        .iter()
        .map(|form| form.to_string())
        .collect::<String>();
    assert_eq!(rejected.matches("secret-of-vault").count(), 2, "{rejected}");
    let prompts = &home.prompts()[before.1..];
    assert!(prompts.len() >= 3);
    for prompt in prompts {
        assert!(!prompt.to_string().contains(VALUE), "{prompt}");
    }
    // A new session, so that nothing said before the secret was set is among what is kept of it.
    let refused = daemon.connect().ask("again");
    assert!(!format!("{refused:?}").contains(VALUE), "{refused:#?}");
    assert_eq!(
        holding(&home.path().join("data"), VALUE),
        before.0,
        "nothing new holds the value"
    );
    let record = fs::read_to_string(home.path().join("data/record.log")).unwrap();
    assert!(record.contains("[secret]"), "the decisions are kept without it");
    let since = record.find("[secret]").unwrap();
    assert!(!record[since..].contains(VALUE));
    assert_eq!(home.run(&["vault", "remove", "key"]).code, 0);
    assert!(daemon.connect().ask("once more").reply().contains(VALUE));
}

#[test]
fn a_vault_that_was_changed_closes_the_gates_and_is_not_written_over() {
    let home = Home::new();
    assert_eq!(set(&home, &["key"], VALUE).code, 0);
    let path = home.path().join("data/vault");
    let whole = fs::read(&path).unwrap();
    let mut changed = whole.clone();
    changed[40] ^= 1;
    fs::write(&path, &changed).unwrap();
    for args in [&["vault", "list"][..], &["vault", "remove", "key"]] {
        let ran = home.run(args);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(
            ran.err.contains("cut or changed") && ran.err.contains("backup"),
            "{ran:?}"
        );
    }
    assert_eq!(set(&home, &["other"], "another-long-value").code, 1);
    assert_eq!(fs::read(&path).unwrap(), changed);
    {
        let daemon = home.start_scripted(&[message("a"), message("b"), message("c")]);
        let turn = daemon.connect().ask("hello");
        assert_eq!(turn.outcome(), "REFUSED", "{turn:#?}");
        assert!(daemon.log().contains("cut or changed"), "{}", daemon.log());
    }
    fs::write(&path, &whole).unwrap();
    let daemon = home.start_scripted(&[message("well again")]);
    assert_eq!(daemon.connect().ask("hello").reply(), "well again");
    assert_eq!(names(&home), ["key"]);
}

#[test]
fn a_set_that_is_killed_loses_nothing_that_was_acknowledged() {
    let home = Home::new();
    let mut acknowledged = Vec::new();
    for round in 0..40_u64 {
        let name = format!("key-{round}");
        let mut command = home.command();
        command.args(["vault", "set", &name]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let _ = child.stdin.take().unwrap().write_all(VALUE.as_bytes());
        std::thread::sleep(Duration::from_micros(round * 400));
        let _ = child.kill();
        if child.wait().unwrap().success() {
            acknowledged.push(name);
        }
    }
    assert_eq!(set(&home, &["last"], VALUE).code, 0);
    acknowledged.push("last".to_owned());
    let there = names(&home);
    for name in &acknowledged {
        assert!(there.contains(name), "{name} was acknowledged, and there is {there:?}");
    }
}

#[test]
fn commands_at_once_lose_none_of_each_other() {
    let home = Home::new();
    std::thread::scope(|scope| {
        for at in 0..8 {
            let home = &home;
            scope.spawn(move || assert_eq!(set(home, &[&format!("key-{at}")], VALUE).code, 0));
        }
    });
    assert_eq!(names(&home).len(), 8);
}

#[test]
fn setting_a_secret_for_other_hosts_tells_which_it_had_and_which_it_has() {
    let home = Home::new();
    let ran = set(
        &home,
        &["token", "--host", "one.example", "--host", "two.example"],
        VALUE,
    );
    assert!(!ran.out.contains("before"), "{ran:?}");
    let ran = set(&home, &["token", "--host", "127.0.0.1"], VALUE);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.out
            .contains("it may be sent to 127.0.0.1; before that was one.example, two.example"),
        "{ran:?}"
    );
    let ran = set(&home, &["token"], VALUE);
    assert!(ran.out.contains("127.0.0.1") && !ran.out.contains("before"), "{ran:?}");
    let ran = home.run(&["vault", "set", "--help"]);
    assert!(ran.out.contains("replace those that it had"), "{ran:?}");
}

#[test]
fn a_key_of_the_vault_that_others_can_read_is_told_with_one_remedy_that_can_be_run_as_it_is() {
    let home = Home::new();
    assert_eq!(set(&home, &["k"], VALUE).code, 0);
    let key = home.path().join("config/vault.key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    let ran = home.run(&["config", "shell"]);
    let told = ran
        .err
        .lines()
        .find(|line| line.starts_with("fault: the vault: "))
        .expect(&ran.err);
    let remedy = format!("(mode 644); run: chmod 600 {}", key.display());
    assert!(told.ends_with(&remedy), "{told}");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(home.run(&["config", "shell"]).code, 0);
}

#[test]
fn a_vault_that_is_damaged_while_the_daemon_runs_closes_the_gates_until_it_is_mended() {
    let home = Home::new();
    assert_eq!(set(&home, &["k"], VALUE).code, 0);
    let daemon = home.start_scripted(&[message("never"), message("well again")]);
    let vault = home.path().join("data/vault");
    let whole = fs::read(&vault).unwrap();
    assert_eq!(home.run(&["gate", "check", "--", "ls"]).code, 0);

    fs::write(&vault, [whole.as_slice(), b"x"].concat()).unwrap();
    let ran = home.run(&["gate", "check", "--", "ls"]);
    assert!(ran.code == 3 && ran.out.contains("the vault can't be read"), "{ran:?}");
    assert_eq!(daemon.connect().ask("hello").outcome(), "REFUSED");
    let ran = home.run(&["doctor"]);
    assert!(ran.code == 1 && ran.out.contains("broken    vault"), "{ran:?}");

    fs::write(&vault, whole).unwrap();
    assert_eq!(home.run(&["gate", "check", "--", "ls"]).code, 0);
    assert_eq!(daemon.connect().ask("hello").reply(), "never");
    assert!(home.run(&["doctor"]).out.contains("1 secret"));
}

#[test]
fn whoever_sets_a_key_that_another_goes_before_is_told_so() {
    let home = Home::new().config(
        "[model]\ncascade = [\"loc\"]\n[providers.loc]\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"tiny\"\n\
         key_variable = \"LOC_KEY\"\n",
    );
    let ran = set(&home, &["LOC_KEY"], VALUE);
    assert!(
        ran.out.contains("it is the key of loc; a running daemon takes that up"),
        "{ran:?}"
    );
    let env = home.file("config/env", b"LOC_KEY=another-key-of-some-length\n");
    make_private(&env);
    for ran in [
        set(&home, &["LOC_KEY"], VALUE),
        home.run(&["vault", "remove", "LOC_KEY"]),
    ] {
        assert!(
            ran.code == 0
                && ran
                    .out
                    .contains("nothing changes for loc: its key is LOC_KEY as config/env"),
            "{ran:?}"
        );
        assert!(!ran.out.contains("takes that up"), "{ran:?}");
    }
}

#[test]
fn a_name_that_no_secret_can_have_is_shown_whole_only_where_it_is_short() {
    let home = Home::new();
    for (name, shown) in [
        ("bad name", "`bad name`"),
        (VALUE, "`zebra-7f…`"),
        ("päßwört", "`päßwört`"),
    ] {
        let name = format!("{name}{}", if name == VALUE { "!" } else { "" });
        let ran = set(&home, &[&name], VALUE);
        assert!(ran.code == 2 && ran.err.contains(shown), "{ran:?}");
    }
}

#[test]
fn control_c_at_the_value_says_that_nothing_was_set() {
    let home = Home::new();
    let command = format!("{} vault set github", host_binary().display());
    let mut child = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .env("PASSEPARTOUT_HOME", home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("run `script`, which gives a terminal");
    let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut shown = String::new();
    while !shown.contains("not shown): ") {
        let mut byte = [0];
        assert_eq!(screen.read(&mut byte).unwrap(), 1, "it ended without asking: {shown}");
        shown.push(char::from(byte[0]));
    }
    keys.write_all(b"sec\x03").unwrap();
    screen.read_to_string(&mut shown).unwrap();
    drop(keys);
    assert_eq!(child.wait().unwrap().code(), Some(1), "{shown}");
    assert!(
        shown.contains("error: nothing was set") && !shown.contains("terminal"),
        "{shown}"
    );
}
