//! What bash offers to who presses TAB: the script that `completions` prints, read by a real bash and asked as bash asks it.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use passepartout_host::signal::SessionId;
use passepartout_tests::bash::in_bash;
use passepartout_tests::guest::Guest;
use passepartout_tests::script::eval;
use passepartout_tests::skills::{Folder, gate};
use passepartout_tests::{Home, host_binary, message, proposal};

/// The words of a line as bash sees them: it splits at blanks that have no backslash before them, and at runs of `:` and `=`,
/// which are words themselves.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let marked = line.replace("\\ ", "\0");
    for part in marked.split(' ').map(|part| part.replace('\0', "\\ ")) {
        let mut word = String::new();
        for char in part.chars() {
            let breaks = |char: char| char == ':' || char == '=';
            if word.chars().last().is_some_and(|last| breaks(last) != breaks(char)) {
                words.push(std::mem::take(&mut word));
            }
            word.push(char);
        }
        words.push(word);
    }
    words
}

fn quoted(word: &str) -> String {
    format!("'{word}'")
}

/// What bash offers in `folder` for the last word of `line`, or what to put in the place of what stands behind its last `:`.
fn offered_in(home: &Home, folder: &Path, line: &str) -> Vec<String> {
    let words: Vec<String> = words(line).iter().map(|word| quoted(word)).collect();
    let script = format!(
        "cd {}; PATH={}:$PATH; source <(passepartout-host completions bash); COMP_WORDS=({}); COMP_CWORD={}; COMP_LINE={}; \
         COMP_POINT=${{#COMP_LINE}}; _passepartout_host passepartout-host; for own in \"${{COMPREPLY[@]}}\"; do echo \
         \"$own\"; done",
        quoted(&folder.display().to_string()),
        quoted(&host_binary().parent().unwrap().display().to_string()),
        words.join(" "),
        words.len() - 1,
        quoted(line),
    );
    let ran = in_bash(home, &script).output().expect("bash starts");
    assert!(
        ran.stderr.is_empty(),
        "{line}: {}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let said = String::from_utf8(ran.stdout).expect("UTF-8");
    said.lines().map(str::to_owned).collect()
}

fn offered(home: &Home, line: &str) -> Vec<String> {
    offered_in(home, home.path(), &format!("passepartout-host {line}"))
}

/// Every file below `folder`.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        }
        all.push(path);
    }
    all.sort();
    all
}

#[test]
fn bash_completes_commands_their_commands_and_the_values_of_options() {
    let home = Home::new();
    assert_eq!(offered(&home, "stat"), ["status"]);
    assert_eq!(offered(&home, "skill insp"), ["inspect"]);
    assert_eq!(offered(&home, "skill new x --kind act"), ["actuator"]);
    assert_eq!(offered(&home, "skill new x --kind=act"), ["actuator"]);
    assert_eq!(offered(&home, "approvals revoke --al"), ["--all"]);
}

#[test]
fn skills_are_completed_by_their_names_and_no_folder_stands_in_for_one() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("no-shouting", &gate("no-shouting", "v1"));
    folder.copy("no\u{1b}[2Jbody", b"a file whose name would clear the terminal");
    fs::create_dir_all(home.path().join("no-bak")).unwrap();
    fs::write(home.path().join("other.wasm"), "not looked into").unwrap();
    for command in ["inspect", "remove", "grant", "revoke", "unschedule"] {
        assert_eq!(
            offered(&home, &format!("skill {command} no-")),
            ["no-shouting"],
            "{command}"
        );
    }
    for command in ["inspect", "grant", "revoke", "unschedule"] {
        assert_eq!(
            offered(&home, &format!("skill {command} poli")),
            ["policy"],
            "{command}"
        );
        let all = offered(&home, &format!("skill {command} "));
        for name in ["no-shouting", "policy", "dispatcher"] {
            assert!(all.iter().any(|own| own == name), "{command}: {all:?}");
        }
        let strange = |own: &String| own.starts_with('-') || own.contains("no-bak") || own.contains("body");
        assert!(!all.iter().any(strange), "{command}: {all:?}");
    }
    assert_eq!(
        offered(&home, "skill remove "),
        ["no-shouting"],
        "what is bundled can't be removed"
    );
    assert_eq!(offered(&home, "skill inspect ot"), ["other.wasm"]);
    assert_eq!(offered(&home, "skill revoke ot"), [""; 0]);
    assert_eq!(offered(&home, "skill inspect --"), ["--json", "--help"]);
}

#[test]
fn rights_are_completed_also_behind_a_colon_and_to_revoke_only_what_was_granted() {
    let home = Home::new();
    Folder::of(&home).copy("guard", &gate("guard", "v1"));
    assert_eq!(offered(&home, "skill grant guard pro"), ["process"]);
    // Bash puts these in the place of what stands behind the last colon.
    assert_eq!(
        offered(&home, "skill grant guard files:"),
        ["read:workspace", "write:workspace"]
    );
    assert_eq!(offered(&home, "skill grant guard process memory:re"), ["read"]);
    assert_eq!(offered(&home, "skill revoke guard "), ["--help"], "it has nothing");
    let ran = home.run(&["skill", "grant", "guard", "process", "files:read:workspace", "--follow"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(
        offered(&home, "skill revoke guard "),
        ["files:read:workspace", "process"]
    );
    assert_eq!(offered(&home, "skill revoke guard files:read:"), ["workspace"]);
    assert_eq!(offered(&home, "skill revoke policy pro"), [""; 0]);
}

#[test]
fn keys_of_the_configuration_are_completed_up_to_a_name_of_your_choice() {
    let home = Home::new();
    assert_eq!(offered(&home, "config shell.tim"), ["shell.timeout_seconds"]);
    assert_eq!(offered(&home, "config provid"), ["providers"]);
}

#[test]
fn plans_that_wait_are_completed_with_and_without_a_daemon_and_those_that_are_over_are_not() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("touch first"), message("one waits")]);
    let id = daemon.connect().ask("make a file").plan_id().to_owned();
    let plan = |home: &Home| offered(home, "approve ").into_iter().find(|own| !own.starts_with('-'));
    assert_eq!(plan(&home), Some(id.clone()));
    assert_eq!(offered(&home, &format!("deny {}", &id[..4])), [id.as_str()]);
    assert!(daemon.stop().success());
    assert_eq!(plan(&home), Some(id.clone()), "it is in the file");
    let daemon = home.start_scripted(&[message("as you wish")]);
    assert_eq!(home.run(&["deny", &id]).code, 0);
    assert_eq!(plan(&home), None);
    drop(daemon);
}

#[test]
fn explain_is_completed_with_the_newest_decision_and_plans_that_are_over_as_well() {
    let home = Home::new();
    assert_eq!(offered(&home, "explain "), ["last"]);
    let daemon = home.start_scripted(&[proposal("touch first"), message("one waits"), message("as you wish")]);
    let id = daemon.connect().ask("make a file").plan_id().to_owned();
    assert_eq!(home.run(&["deny", &id]).code, 0);
    let all = offered(&home, "explain ");
    assert!(
        all.len() == 2 && all.contains(&id) && all.contains(&"last".to_owned()),
        "{all:?}"
    );
    assert_eq!(offered(&home, &format!("explain {}", &id[..4])), [id]);
}

#[test]
fn sessions_that_can_be_joined_are_completed_with_and_without_a_daemon() {
    let home = Home::new();
    let daemon = home.start_scripted(&[message("hello")]);
    let mut peer = daemon.connect();
    peer.ask("hello");
    let session = peer.session().to_owned();
    home.file("data/turns/no-session.turns", b"");
    home.file(&format!("data/turns/{}.turns", SessionId::HEARTBEAT), b"");
    for command in ["chat", "send", "repl"] {
        assert_eq!(
            offered(&home, &format!("{command} --session ")),
            [session.as_str()],
            "{command}"
        );
    }
    assert!(daemon.stop().success());
    assert_eq!(offered(&home, &format!("chat --session {}", &session[..4])), [session]);
}

#[test]
fn providers_are_completed_those_that_are_well_known_and_those_that_are_described() {
    let home = Home::new().config("[providers.house]\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"tiny\"\n");
    assert_eq!(offered(&home, "run --provider ho"), ["house"]);
    assert_eq!(offered(&home, "run --provider olla"), ["ollama"]);
    assert_eq!(offered(&home, "run --provider off"), ["offline"]);
    assert_eq!(offered(&home, "run --provider scr"), ["script:"]);
}

#[test]
fn what_was_approved_once_and_for_all_is_completed_to_take_it_back() {
    let home = Home::new();
    let asks = {
        let mut guest = Guest::new("(:NAME \"warden\" :VERSION \"1\" :FUNCTIONS (:GATE) :GATE-TARGETS (:SYSTEM))");
        let ask = guest.text(
            "(:RULE \"evaluates\" :FIELD \"payload.action\" :SUMMARY \"evaluates\" :RISK \"low\" :REMEMBER \"this\")",
        );
        guest.gate = format!("(call $say (i32.const 3) {ask})");
        guest.build()
    };
    Folder::of(&home).copy("warden", &asks);
    let daemon = home.start_scripted(&[eval("(* 6 7)"), message("42")]);
    let id = daemon.connect().ask("compute").plan_id().to_owned();
    assert_eq!(home.run(&["approve", &id, "--yes", "--remember"]).code, 0);
    let listed = home.run(&["approvals", "list", "--json"]).out;
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let standing = listed["approvals"][0]["id"].as_str().unwrap();
    let first = |line: &str| offered(&home, line).into_iter().find(|own| !own.starts_with('-'));
    assert_eq!(first("approvals revoke ").as_deref(), Some(standing));
    assert_eq!(home.run(&["approvals", "revoke", standing]).code, 0);
    assert_eq!(first("approvals revoke "), None);
}

#[test]
fn what_a_skill_scheduled_is_completed_to_end_it() {
    let home = Home::new();
    let session = "0123456789abcdef0123456789abcdef";
    let entry = |id: &str, skill: &str| {
        format!(
            "(:ID \"{id}\" :SKILL \"{skill}\" :SESSION \"{session}\" :TEXT \"water\" :TAINTED NIL :NEXT 99999999999)\n"
        )
    };
    let text = format!(
        "(:SCHEDULE 1 :ENTRIES 2)\n{}{}",
        entry("a1", "reminder"),
        entry("b2", "other")
    );
    let path = home.file("data/schedule", text.as_bytes());
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(offered(&home, "skill unschedule other b"), ["b2"]);
    assert_eq!(offered(&home, "skill unschedule reminder b"), [""; 0]);
}

#[test]
fn secrets_of_the_vault_are_completed_by_name_where_one_is_removed() {
    let home = Home::new();
    assert_eq!(offered(&home, "vault remove g"), [""; 0]);
    for name in ["github", "gitlab", "other"] {
        let mut set = home.piped(&["vault", "set", name]);
        set.stdin.take().unwrap().write_all(b"a value of this test").unwrap();
        assert!(set.wait().unwrap().success());
    }
    assert_eq!(offered(&home, "vault remove git"), ["github", "gitlab"]);
}

#[test]
fn completing_changes_nothing_and_starts_nothing() {
    let home = Home::new();
    Folder::of(&home).copy("guard", &gate("guard", "v1"));
    let before = files(home.path());
    for line in [
        "skill inspect ",
        "skill revoke guard ",
        "approve ",
        "approvals revoke ",
        "skill unschedule guard ",
        "config ",
        "vault ",
        "vault remove ",
        "send ",
        "explain ",
        "chat --session ",
        "run --provider ",
    ] {
        offered(&home, line);
    }
    assert_eq!(files(home.path()), before);
    assert_eq!(home.run(&["status"]).code, 5, "no daemon runs");
}

#[test]
fn a_path_with_a_blank_in_it_is_completed_further() {
    let home = Home::new();
    home.file("my notes/own.wasm", &gate("own", "v1"));
    for (begun, rest) in [
        ("my", "my\\ notes/"),
        ("my\\ n", "my\\ notes/"),
        ("my\\ notes/", "my\\ notes/own.wasm"),
        ("my\\ notes/o", "my\\ notes/own.wasm"),
    ] {
        assert_eq!(offered(&home, &format!("skill inspect {begun}")), [rest], "{begun}");
    }
}

#[test]
fn a_workspace_is_completed_with_folders_only() {
    let home = Home::new();
    let here = home.path().join("here");
    fs::create_dir_all(here.join("notes")).unwrap();
    fs::write(here.join("note.txt"), "").unwrap();
    for line in [
        "passepartout-host run --workspace no",
        "passepartout-host gate check --workspace no",
    ] {
        let offered = offered_in(&home, &here, line);
        assert!(
            offered.iter().all(|own| own.starts_with("notes")) && !offered.is_empty(),
            "{line}: {offered:?}"
        );
    }
}
