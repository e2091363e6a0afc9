//! Where a tool can't be led by what it meets on the way, through the running daemon: to what the operator's setting
//! `dispatcher.protected` names, and to a host that no gate judged.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::symlink;

use passepartout_tests::pages::Pages;
use passepartout_tests::script::{call, last_message};
use passepartout_tests::{Home, message};

#[test]
fn what_the_operator_protects_comes_out_through_no_search_no_folder_and_no_link() {
    let home =
        Home::new().config("[settings.dispatcher]\nprotected = [\"notes/secret*\", \"private\", \"*.sqlite\"]\n");
    for path in ["notes/secret1", "private/deep/key", "data.sqlite", "notes/open"] {
        home.file(&format!("workspace/{path}"), b"SEC of this file\n");
    }
    let workspace = home.workspace();
    // A repository may bring them.
    for (link, target) in [
        ("nl", "notes"),
        ("ls1", "notes/secret1"),
        ("pl", "private"),
        ("dl", "data.sqlite"),
    ] {
        symlink(target, workspace.join(link)).unwrap();
    }
    let calls = [
        (call("search-text", ":PATTERN \"SEC\""), "notes/open:1:"),
        (call("search-text", ":PATTERN \"SEC\" :PATH \"notes\""), "notes/open:1:"),
        (
            call("search-text", ":PATTERN \"SEC\" :PATH \"ls1\""),
            "dispatcher.protected",
        ),
        (
            call("search-text", ":PATTERN \"SEC\" :PATH \"pl\""),
            "dispatcher.protected",
        ),
        (call("read-file", ":PATH \"nl/secret1\""), "dispatcher.protected"),
        (call("read-file", ":PATH \"ls1\""), "dispatcher.protected"),
        (call("read-file", ":PATH \"pl/deep/key\""), "dispatcher.protected"),
        (call("read-file", ":PATH \"dl\""), "dispatcher.protected"),
        (call("list-directory", ":PATH \"pl/deep\""), "dispatcher.protected"),
        (
            call("find-files", ":PATTERN \"k*\" :PATH \"pl\""),
            "dispatcher.protected",
        ),
        (call("find-files", ":PATTERN \"k*\""), "no file"),
    ];
    let answers: Vec<String> = calls
        .iter()
        .flat_map(|(call, _)| [call.clone(), message("next")])
        .collect();
    let daemon = home.start_scripted(&answers);
    let mut peer = daemon.connect();
    for _ in &calls {
        let turn = peer.ask("try it");
        assert_eq!(turn.reply(), "next", "{turn:#?}");
    }
    let prompts = home.prompts();
    for (at, (call, expected)) in calls.iter().enumerate() {
        let (role, told) = last_message(&prompts[2 * at + 1]);
        assert_eq!(role, "TOOL", "{call}: {told}");
        assert!(told.contains(expected), "{call}: {told}");
        let given = told
            .lines()
            .filter(|line| line.contains("SEC of") && !line.contains("open:1:"));
        assert_eq!(given.count(), 0, "{call}: {told}");
    }
    drop((peer, daemon));
    for path in ["nl/secret2", "pl/new"] {
        let write = call("write-file", &format!(":PATH \"{path}\" :TEXT \"mine\""));
        let daemon = home.start_scripted(&[write, message("not written")]);
        let mut peer = daemon.connect();
        let asked = peer.ask("write it");
        if let [plan] = asked.all("PLAN")[..] {
            peer.ask(&format!("/approve {}", plan.text_at("plan").unwrap()));
        }
        assert!(
            fs::symlink_metadata(workspace.join(path)).is_err(),
            "{path}: {asked:#?}"
        );
    }
}

#[test]
fn a_link_with_a_harmless_name_leads_no_tool_to_what_asks_or_is_refused_by_its_own() {
    let home = Home::new().config("[settings.dispatcher]\ntools.write-file = \"allow\"\n");
    home.file("workspace/server.key", b"SEC of this file\n");
    home.file("workspace/.vscode/launch.json", b"{}\n");
    let workspace = home.workspace();
    fs::create_dir_all(workspace.join(".config/autostart")).unwrap();
    for (link, target) in [("lk.txt", "server.key"), ("l2", ".vscode"), ("la", ".config/autostart")] {
        symlink(target, workspace.join(link)).unwrap();
    }
    let calls = [
        (call("read-file", ":PATH \"lk.txt\""), "leads by a link to server.key"),
        (
            call("write-file", ":PATH \"l2/tasks.json\" :TEXT \"x\""),
            "leads by a link to .vscode/tasks.json",
        ),
        (
            call("write-file", ":PATH \"la/x.desktop\" :TEXT \"x\""),
            "leads by a link to .config/autostart/x.desktop",
        ),
    ];
    let answers = calls.iter().flat_map(|(call, _)| [call.clone(), message("next")]);
    let daemon = home.start_scripted(&answers.collect::<Vec<_>>());
    let mut peer = daemon.connect();
    for (at, (call, expected)) in calls.iter().enumerate() {
        assert_eq!(peer.ask("try it").reply(), "next", "{call}");
        let prompts = home.prompts();
        let (_, told) = last_message(&prompts[2 * at + 1]);
        assert!(told.contains(expected) && !told.contains("SEC of"), "{call}: {told}");
    }
    assert!(!workspace.join(".vscode/tasks.json").exists());
    assert!(!workspace.join(".config/autostart/x.desktop").exists());
}

#[test]
fn a_redirect_to_another_host_is_told_so_that_the_gates_judge_it() {
    let (first, second) = (Pages::start(), Pages::start());
    second.serve("text/plain", "reached");
    let there = format!("http://127.0.0.1:{}/leak?data", second.port);
    first.redirect(&there);
    let home = Home::new();
    // The grants reach both.
    for port in [first.port, second.port] {
        let right = format!("http-private:127.0.0.1:{port}");
        assert_eq!(home.run(&["skill", "grant", "web", &right]).code, 0);
    }
    let daemon = home.start_scripted(&[
        call("fetch-url", &format!(":URL \"http://127.0.0.1:{}/r\"", first.port)),
        call("fetch-url", &format!(":URL \"{there}\"")),
        message("seen"),
    ]);
    let mut peer = daemon.connect();
    let asked = peer.ask("fetch it");
    let asked = peer.ask(&format!("/approve {}", asked.plan_id()));
    let prompts = home.prompts();
    let (_, told) = last_message(&prompts[1]);
    assert!(told.contains("302 from") && told.contains(&there), "{told}");
    assert_eq!((first.asked(), second.asked()), (1, 0), "{asked:#?}");
    // The other one is a proposal of its own.
    assert_eq!(peer.ask(&format!("/approve {}", asked.plan_id())).reply(), "seen");
    assert_eq!(second.asked(), 1);
}
