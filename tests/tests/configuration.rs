//! Configuration that is wrong: the daemon starts, says what is wrong and what to do, and lets nothing through.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use passepartout_tests::daemon::make_private;
use passepartout_tests::{Daemon, Home, hostile, message, proposal};

/// What a health check answers.
fn health(daemon: &Daemon<'_>) -> String {
    let mut peer = daemon.connect();
    peer.send("(:TYPE :HEALTH-CHECK)");
    peer.next().to_string()
}

/// Starts a daemon, which must be unhealthy and reject whatever is proposed with a reason that holds each of `said`.
fn assert_closed(home: &Home, said: &[&str]) {
    let answers = [
        message("one"),
        message("two"),
        message("three"),
        proposal("touch acted"),
        proposal("touch acted"),
        proposal("touch acted"),
    ];
    let daemon = home.start_scripted(&answers);
    let health = health(&daemon);
    assert!(health.contains(":UNHEALTHY"), "{health}");
    for part in said {
        assert!(
            daemon.log().contains(part),
            "the log does not say {part}:\n{}",
            daemon.log()
        );
    }
    for _ in 0..2 {
        let turn = daemon.connect().ask("hello");
        assert_eq!(turn.outcome(), "REFUSED", "{turn:#?}");
        assert!(turn.replies().is_empty() && turn.all("PLAN").is_empty(), "{turn:#?}");
        assert!(home.prompts().is_empty(), "a model is asked although nothing can pass");
        let refusal = turn.all("REFUSAL")[0].to_string();
        for part in said {
            assert!(refusal.contains(part), "the reason does not say {part}: {refusal}");
        }
    }
    assert!(!home.workspace().join("acted").exists());
    let ran = home.run(&["gate", "check", "--", "ls"]);
    assert_eq!(ran.code, 3, "a check closes the same way: {ran:?}");
    let ran = home.run(&["doctor"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("broken") && ran.out.contains(said[0]), "{}", ran.out);
    assert!(daemon.stop().success());
}

/// Starts a daemon, which must let things through again.
fn assert_open(home: &Home) {
    let daemon = home.start_scripted(&[message("well again")]);
    let health = health(&daemon);
    assert!(!health.contains(":UNHEALTHY"), "{health}");
    assert_eq!(daemon.connect().ask("hello").reply(), "well again");
}

#[test]
fn an_unknown_key_closes_every_gate_and_names_the_nearest_until_it_is_mended() {
    let home = Home::new().config("[loop]\nmax_dept = 5\n");
    assert_closed(&home, &["line 2", "loop.max_dept", "did you mean `loop.max_depth`"]);
    home.file("config/config.toml", b"[loop]\nmax_depth = 5\n");
    assert_open(&home);
}

#[test]
fn each_kind_of_bad_line_closes_every_gate_and_says_what_is_wrong() {
    for (text, said) in [
        ("[loop]\nmax_depth = \"5\"\n", "must be a whole number"),
        ("[loop]\nmax_depth = 0\n", "must be from 1 to 100"),
        ("[tcp]\nauth = \"nome\"\n", "must be \"token\" or \"none\""),
        ("[loop\n", "line 1"),
        ("gates = 3\n", "there is no key `gates`"),
        ("[shell]\njail = \"week\"\n", "shell.jail"),
    ] {
        let home = Home::new().config(text);
        // In a frame the reason is a string inside a string.
        let (plain, daemon) = (said, home.start_scripted(&[message("a"), message("b"), message("c")]));
        assert!(daemon.log().contains(plain), "{text}: {}", daemon.log());
        let turn = daemon.connect().ask("hello");
        assert_eq!(turn.outcome(), "REFUSED", "{text}: {turn:#?}");
        let reason = turn.all("REFUSAL")[0]
            .at("rejections")
            .expect("rejections")
            .items()
            .expect("a list")[0]
            .text_at("reason")
            .expect("a reason")
            .to_owned();
        assert!(reason.contains(plain), "{text}: {reason}");
    }
}

#[test]
fn a_configuration_that_can_t_be_read_closes_every_gate() {
    let home = Home::new();
    std::fs::create_dir_all(home.path().join("config/config.toml")).unwrap();
    assert_closed(&home, &["config.toml", "can't be read"]);
    std::fs::remove_dir(home.path().join("config/config.toml")).unwrap();
    home.file("config/config.toml", b"assistant = \"\xe9\"\n");
    assert_closed(&home, &["config.toml", "can't be read"]);
    std::fs::remove_file(home.path().join("config/config.toml")).unwrap();
    assert_open(&home);
}

#[test]
fn an_environment_file_that_others_can_read_is_a_fault_until_it_is_private() {
    let home = Home::new();
    let path = home.file("config/env", b"OPENAI_API_KEY=sk-do-not-show-this-one\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_closed(&home, &["can be read by others", "chmod 600"]);
    make_private(&path);
    assert_open(&home);
}

#[test]
fn a_bad_line_of_the_environment_file_is_named_without_what_it_holds() {
    let home = Home::new();
    let path = home.file("config/env", b"# mine\nsk-do-not-show-this-one\n");
    make_private(&path);
    assert_closed(&home, &["line 2", "NAME=value"]);
    let daemon = home.start();
    assert!(!daemon.log().contains("do-not-show"), "{}", daemon.log());
}

#[test]
fn a_variable_that_is_no_number_closes_every_gate() {
    let home = Home::new();
    let provider = home.script(&[message("a"), message("b"), message("c")]);
    let mut command = home.command();
    command.args(["run", "--no-chat", "--provider", &provider]);
    let daemon = home.start_command(command.env("HEARTBEAT_INTERVAL", "soon"));
    assert!(daemon.log().contains("HEARTBEAT_INTERVAL"), "{}", daemon.log());
    let turn = daemon.connect().ask("hello");
    assert_eq!(turn.outcome(), "REFUSED", "{turn:#?}");
}

#[test]
fn a_required_gate_that_is_not_loaded_closes_every_gate() {
    let home = Home::new().config("[gates]\nrequired = [\"policy\", \"dispatcher\", \"absent\"]\n");
    let daemon = home.start_scripted(&[message("a"), message("b"), message("c")]);
    assert!(health(&daemon).contains(":UNHEALTHY"));
    let turn = daemon.connect().ask("hello");
    assert_eq!(turn.outcome(), "REFUSED", "{turn:#?}");
    assert!(turn.all("REFUSAL")[0].to_string().contains("absent"), "{turn:#?}");
}

/// Runs a daemon with this workspace, which must be refused before anything is made.
fn assert_workspace_refused(home: &Home, workspace: &Path, why: &str) {
    let ran = home.run(&["run", "--no-chat", "--workspace", workspace.to_str().unwrap()]);
    assert_eq!(ran.code, 2, "{}: {ran:?}", workspace.display());
    assert!(ran.err.contains(why), "{}: {ran:?}", workspace.display());
    assert!(ran.err.contains("--workspace"), "it says what to do: {ran:?}");
    assert!(!home.path().join("data").exists(), "nothing is made");
}

#[test]
fn a_workspace_that_would_show_our_own_folders_is_a_usage_error() {
    let home = Home::new();
    let root = home.path();
    assert_workspace_refused(&home, Path::new("/"), "whole system");
    assert_workspace_refused(&home, Path::new("//."), "whole system");
    assert_workspace_refused(&home, root, "contains");
    assert_workspace_refused(&home, &root.join("config"), "host's own");
    assert_workspace_refused(&home, &root.join("data/inside"), "inside");
    assert_workspace_refused(&home, &root.join("workspace/.."), "contains");
    assert_workspace_refused(&home, root.parent().unwrap(), "contains");
    assert_workspace_refused(&home, &root.join("user"), "home folder");
    let link = tempfile_link(root);
    assert_workspace_refused(&home, &link.path().join("link"), "contains");
}

/// A folder with a `link` to `to`.
fn tempfile_link(to: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(to, folder.path().join("link")).unwrap();
    folder
}

#[test]
fn a_workspace_of_its_own_is_where_commands_run() {
    let home = Home::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let provider = home.script(&[proposal("touch here"), message("done")]);
    let daemon = home.start_with(&[
        "--provider",
        &provider,
        "--workspace",
        elsewhere.path().to_str().unwrap(),
    ]);
    let mut peer = daemon.connect();
    let turn = peer.ask("make it");
    let turn = peer.ask(&format!("/approve {}", turn.plan_id()));
    assert_eq!(turn.outcome(), "ANSWERED", "{turn:#?}");
    assert!(elsewhere.path().join("here").exists());
    assert!(!home.workspace().join("here").exists());
}

#[test]
fn an_environment_file_in_the_current_folder_is_never_read() {
    let home = Home::new();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(".env"), "PROVIDER_CASCADE=script:/nowhere\n").unwrap();
    let mut command = home.command();
    command.args(["run", "--no-chat"]).current_dir(folder.path());
    let daemon = home.start_command(&mut command);
    let turn = daemon.connect().ask("hello");
    assert_eq!(turn.outcome(), "ANSWERED", "{turn:#?}");
    assert!(turn.reply().contains("not a language model"), "{turn:#?}");
}

#[test]
fn what_the_daemon_makes_is_its_owner_s_alone() {
    let home = Home::new();
    let daemon = home.start_scripted(&[message("hi")]);
    assert_eq!(daemon.connect().ask("hello").reply(), "hi");
    assert!(daemon.stop().success());
    let mut open = Vec::new();
    for folder in ["config", "data", "state", "skills", "workspace"] {
        walk(&home.path().join(folder), &mut |path| {
            let about = std::fs::symlink_metadata(path).unwrap();
            if about.permissions().mode() & 0o077 != 0 {
                open.push(path.display().to_string());
            }
        });
    }
    assert_eq!(open, Vec::<String>::new());
}

fn walk(path: &Path, see: &mut impl FnMut(&Path)) {
    see(path);
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            walk(&entry.unwrap().path(), see);
        }
    }
}

#[test]
fn settings_of_a_skill_whose_name_is_nearly_a_bundled_ones_are_a_slip_and_close_every_gate() {
    let home = Home::new().config("[settings.dispatchr]\nprotected = [\"*.sqlite\"]\n");
    let ran = home.run(&["gate", "check", "--json", "--", "ls"]);
    assert!(
        ran.out.contains("did you mean `settings.dispatcher.protected`?"),
        "{ran:?}"
    );
    assert_eq!(ran.code, 3, "{ran:?}");
    let other = Home::new().config("[settings.mine]\nprotected = [\"*.sqlite\"]\n");
    assert_eq!(
        other.run(&["gate", "check", "--", "touch", "x"]).code,
        4,
        "a skill of the operator's own has keys of its own"
    );
}

#[test]
fn a_provider_without_its_key_is_named_with_the_variable_by_doctor_with_and_without_a_daemon() {
    let home = Home::new().config("[model]\ncascade = [\"openai\"]\n");
    let alone = home.run(&["doctor"]);
    assert!(alone.out.contains("OPENAI_API_KEY"), "{alone:?}");
    let _daemon = home.start();
    let asked = home.run(&["doctor"]);
    assert!(asked.out.contains("OPENAI_API_KEY"), "{asked:?}");
}

#[test]
fn config_explains_the_keys_and_names_the_faults_of_the_file() {
    let home = Home::new();
    let ran = home.run(&["config", "jail"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.out.contains("shell.jail = \"enforced\"") && ran.out.contains("\"enforced\" or \"weak\""),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("loop.max_depth"), "{}", ran.out);
    let ran = home.run(&["config", "settings"]);
    assert!(
        ran.out.contains("\nsettings.NAME.KEY\n"),
        "what any skill reads: {}",
        ran.out
    );
    for command in [&["config", "check"][..], &["config", "check", "--json"]] {
        let ran = home.run(command);
        assert_eq!(ran.code, 1, "no key is called so: {ran:?}");
        let told = ran.err.contains("no key has \"check\"") && ran.err.contains("as `fault: …`");
        assert!(told || command.contains(&"--json"), "{ran:?}");
    }
    let ran = home.run(&["config", "modle"]);
    assert!(ran.code == 1 && ran.err.contains("did you mean `model`?"), "{ran:?}");
    home.file("config/config.toml", b"[shell]\njail = \"none\"\n");
    let ran = home.run(&["config", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let said: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let names: Vec<_> = said["keys"]
        .as_array()
        .unwrap()
        .iter()
        .map(|key| &key["name"])
        .collect();
    assert!(
        names.len() > 60 && names.contains(&&"budget.day_cents".into()),
        "{names:?}"
    );
    let fault = said["faults"][0].as_str().unwrap();
    assert!(fault.contains("shell.jail") && fault.contains("line 2"), "{fault}");
}

#[test]
fn of_several_faults_the_first_line_is_named_and_how_many_more_there_are() {
    let home =
        Home::new().config("[shell]\njial = 1\n\n[loop]\nzzz = 1\nmax_dept = 3\n\n[providers.x]\nbase_url = 1\n");
    let lines = |text: &str| -> Vec<u32> {
        let numbers = text.split(" line ").skip(1);
        numbers
            .filter_map(|rest| rest.split(':').next()?.parse().ok())
            .collect()
    };
    for with_daemon in [false, true] {
        let _daemon = with_daemon.then(|| home.start());
        let ran = home.run(&["gate", "check", "--", "ls"]);
        let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(ran.code, 3, "{ran:?}");
        assert!(
            said.contains("line 2: ") && said.contains("(and 3 more: `passepartout-host doctor` shows all)"),
            "{said}"
        );
        let doctor = home.run(&["doctor"]).out;
        let broken: Vec<&str> = doctor
            .split("broken ")
            .filter(|part| part.contains("config.toml line"))
            .collect();
        assert_eq!(lines(&broken.join(" ")), [2, 5, 6, 9], "{doctor}");
    }
    assert_eq!(lines(&home.run(&["config"]).err), [2, 5, 6, 9]);
}

#[test]
fn what_is_configured_for_a_skill_that_is_not_there_is_noted_with_the_name_that_may_be_meant() {
    let home = Home::new().config(
        "[settings.nobak]\nending = \"bak\"\n[settings.no-bak]\nending = \"bak\"\n[settings.dispatcher]\ntargets.later = \"deny\"\n\
         tools.later = \"deny\"\n[limits.nosuch]\nfuel = 100000\n[limits.shell]\nfuel = 100000000\n",
    );
    // It waits, and is there.
    home.file(
        "skills/no-bak.wasm",
        &hostile::running_actuator("no-bak", "BAK", "payload.cmd"),
    );
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = [
        "[settings.nobak], and no loaded skill has that name: it counts once one does; did you mean no-bak?",
        "[limits.nosuch], and no loaded skill has that name: it counts once one does; there are dispatcher, ",
        "targets.later = \"deny\", and no loaded skill has a target of that name: it counts once one does; there are ",
        "tools.later = \"deny\", and no loaded skill offers a tool of that name: it counts once one does; there are ",
    ];
    let silent = [
        "[settings.no-bak]",
        "[settings.dispatcher]",
        "[settings.home]",
        "[limits.shell]",
    ];
    let check = |text: String| {
        let text = words(text);
        assert!(said.iter().all(|said| text.contains(said)), "{text}");
        assert!(!silent.iter().any(|table| text.contains(table)), "{text}");
    };
    check(home.run(&["doctor"]).out);
    let daemon = home.start();
    check(home.run(&["doctor"]).out);
    check(home.run(&["status"]).out);
    // All of it is worth knowing, and no fault.
    std::fs::remove_file(home.path().join("skills/no-bak.wasm")).unwrap();
    daemon.wait_until("all is well but for notes", || {
        home.run(&["status"]).out.starts_with("health     healthy\n")
    });
}

#[test]
fn a_protected_path_with_a_variable_is_answered_with_what_to_write() {
    for pattern in ["${HOME}/x", "$HOME/x"] {
        let home = Home::new().config(&format!("[settings.dispatcher]\nprotected = [\"{pattern}\"]\n"));
        let ran = home.run(&["config"]);
        let said = ran.out.clone() + &ran.err;
        assert!(
            said.contains("neither variables nor backslashes mean anything; write the path out"),
            "{ran:?}"
        );
    }
}
