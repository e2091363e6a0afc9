//! `gate check` of everything that it judges, its agreement with the daemon, what `explain` shows of the part that decided,
//! and rules that can't be read.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Write};

use passepartout_tests::guest::Guest;
use passepartout_tests::hostile::{passing_gate, rejecting_gate};
use passepartout_tests::{Home, Ran, message, proposal};
use serde_json::{Value, json};

/// Put together here, so that this file holds no text that scanners of repositories would take for a secret.
fn secret() -> String {
    format!("{}{}", "ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0")
}

fn lines(ran: &Ran) -> Vec<Value> {
    let line = |text: &str| serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    ran.out.lines().map(line).collect()
}

/// Judges these rows.
fn judged(home: &Home, rows: &[Value]) -> (Ran, Vec<Value>) {
    let rows: Vec<String> = rows.iter().map(Value::to_string).collect();
    let file = home.file("rows.jsonl", rows.join("\n").as_bytes());
    let ran = home.run(&["gate", "check", "--jsonl", file.to_str().unwrap()]);
    let answers = lines(&ran);
    (ran, answers)
}

#[test]
fn files_messages_and_actions_are_judged_as_commands_are() {
    let home = Home::new().config("[settings.dispatcher]\ntargets.robot = \"deny\"\n");
    let rows = [
        (json!({"command": "rm -rf /", "label": 1}), "reject", None),
        (
            json!({"write": {"path": "notes.txt", "content": "hello"}}),
            "ask",
            Some("tool-writes"),
        ),
        (
            json!({"write": {"path": "../x", "content": "hello"}}),
            "ask",
            Some("path-outside"),
        ),
        (
            json!({"write": {"path": ".git/hooks/x", "content": "hello"}}),
            "reject",
            Some("path-protected"),
        ),
        (
            json!({"write": {"path": "x.lisp", "content": "(a"}}),
            "reject",
            Some("lisp-unreadable"),
        ),
        (
            json!({"write": {"path": "x", "content": secret()}}),
            "reject",
            Some("secret-in-content"),
        ),
        (json!({"message": "hello"}), "pass", None),
        (json!({"message": secret()}), "reject", Some("secret-in-content")),
        (
            json!({"message": "hello", "to": "telegram"}),
            "ask",
            Some("message-elsewhere"),
        ),
        (json!({"message": "hello", "source": "telegram"}), "pass", None),
        (
            json!({"message": "for @personal use", "source": "telegram"}),
            "reject",
            Some("privacy-tag"),
        ),
        (json!({"message": "for @work use", "source": "telegram"}), "pass", None),
        (
            json!({"message": "for @work use", "source": "telegram", "privacy_tags": ["@work"]}),
            "reject",
            Some("privacy-tag"),
        ),
        (
            json!({"message": "hello", "source": "telegram", "tainted": true}),
            "ask",
            Some("tainted-turn"),
        ),
        (
            json!({"action": "(:TARGET :EMACS :PAYLOAD (:ACTION :EVAL :CODE \"1\" :EXPLANATION \"to see what it says\"))"}),
            "ask",
            Some("emacs-eval"),
        ),
        (
            json!({"action": "(:TARGET :ROBOT :PAYLOAD (:ACTION :MOVE :EXPLANATION \"to see what it says\"))"}),
            "reject",
            Some("target-denied"),
        ),
        (
            json!({"action": "(:TARGET :FILES :PAYLOAD (:ACTION :WRITE))"}),
            "reject",
            Some("host-target"),
        ),
        (
            json!({"action": "(:TOOL \"no-such-tool\" :ARGS NIL)"}),
            "reject",
            Some("unknown-tool"),
        ),
    ];
    let (ran, answers) = judged(&home, &rows.iter().map(|(row, ..)| row.clone()).collect::<Vec<_>>());
    assert_eq!((ran.code, answers.len()), (0, rows.len()), "{ran:?}");
    for ((row, verdict, rule), answer) in rows.iter().zip(&answers) {
        assert_eq!(answer["verdict"], *verdict, "{answer}");
        if let Some(rule) = rule {
            assert_eq!(answer["rule"], *rule, "{answer}");
        }
        for (key, value) in row.as_object().unwrap() {
            assert_eq!(&answer[key], value, "what was asked stands in the answer");
        }
        for key in ["gate", "rule", "reason"] {
            assert_eq!(answer[key].is_null(), *verdict == "pass", "{answer}");
        }
        if *verdict == "reject" {
            assert!(answer["field"].is_string() && answer["repair"].is_string(), "{answer}");
        }
    }
}

#[test]
fn what_a_skill_would_propose_is_judged_as_its_own() {
    let home = Home::new();
    let rejects_files = "(:NAME \"drafts\" :VERSION \"1\" :FUNCTIONS (:GATE) :GATE-TARGETS (:FILES))";
    let mut gate = Guest::new(rejects_files);
    let text = gate.text("(:RULE \"no-files\" :REASON \"always\")");
    gate.gate = format!("(call $say (i32.const 2) {text})");
    home.file("skills/drafts.wasm", &gate.build());
    let files =
        "(:TARGET :FILES :PAYLOAD (:ACTION :WRITE :PATH \"a\" :TEXT \"b\" :EXPLANATION \"to keep it there\"))";
    let http = "(:TARGET :HTTP :PAYLOAD (:URL \"https://a.example/\" :EXPLANATION \"to look at it there\"))";
    let check = |args: &[&str]| home.run(&[&["gate", "check", "--json"], args].concat());
    for with_daemon in [false, true] {
        let daemon = with_daemon.then(|| home.start_scripted(&[message("a")]));
        for (args, code, rule) in [
            (&["--action", files][..], 3, "host-target"),
            (&["--as-skill", "files", "--action", files][..], 3, "no-files"),
            (
                &["--as-skill", "files", "--write", "a", "--text", "b"][..],
                3,
                "no-files",
            ),
            (&["--write", "a", "--text", "b"][..], 4, "tool-writes"),
            (&["--as-skill", "files", "--action", http][..], 4, "network-destination"),
            (
                &["--as-skill", "files", "--", "rm", "-rf", "/"][..],
                3,
                "shell-remove-everything",
            ),
        ] {
            let ran = check(args);
            assert_eq!(
                (ran.code, &lines(&ran)[0]["rule"]),
                (code, &json!(rule)),
                "{args:?}: {ran:?}"
            );
        }
        // What no skill can propose is no question.
        let ran = check(&["--as-skill", "files", "--action", "(:TOOL \"write-file\" :ARGS NIL)"]);
        assert!(ran.code == 1 && ran.err.contains(":FILES :HTTP"), "{ran:?}");
        let ran = check(&["--as-skill", "Files", "--", "ls"]);
        assert!(ran.code == 2 && ran.err.contains("can't name a skill"), "{ran:?}");
        drop(daemon);
    }
    // One that is not there yet is judged as well.
    for with_daemon in [false, true] {
        let daemon = with_daemon.then(|| home.start());
        let ran = check(&["--as-skill", "fils", "--", "ls"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        for said in ["note: ", "there is no skill `fils` here", "did you mean files?"] {
            assert!(ran.err.contains(said), "{ran:?}");
        }
        assert!(
            lines(&ran)[0]["nowhere"].as_str().unwrap().contains("`fils`"),
            "{ran:?}"
        );
        let ran = check(&["--as-skill", "files", "--", "ls"]);
        assert!(ran.err.is_empty() && lines(&ran)[0]["nowhere"].is_null(), "{ran:?}");
        drop(daemon);
    }
    let row = json!({"action": files, "as_skill": "nobody"});
    let (ran, answers) = judged(&home, &[row.clone(), row]);
    assert_eq!(ran.err.matches("note: ").count(), 1, "once is enough: {ran:?}");
    assert_eq!(answers[0]["rule"], "no-files");
    assert!(
        answers[0]["nowhere"].as_str().unwrap().contains("`nobody`"),
        "{}",
        answers[0]
    );
    let ran = home.run(&["gate", "check", "--action", files]);
    let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("--as-skill NAME"), "{ran:?}");
}

#[test]
fn a_protected_folder_is_so_at_each_of_its_three_doors() {
    let home = Home::new().config("[settings.dispatcher]\nprotected = [\"drafts\"]\n");
    for args in [
        &["--write", "drafts/a", "--text", "b"][..],
        &["--as-skill", "files", "--write", "drafts/a", "--text", "b"],
        &["--", "echo b > drafts/a"],
    ] {
        let ran = home.run(&[&["gate", "check", "--json"], args].concat());
        assert_eq!(lines(&ran)[0]["rule"], "path-protected", "{args:?}: {ran:?}");
    }
}

#[test]
fn one_file_or_message_is_judged_with_its_exit_code() {
    let home = Home::new();
    for (args, code) in [
        (vec!["--write", "notes.txt", "--text", "hello"], 4),
        (vec!["--write", "x.lisp", "--text", "(a"], 3),
        (vec!["--write", "notes.org", "--text", "- an item"], 4),
        (vec!["--write", "notes.md", "--text", "---\ntitle: x\n---"], 4),
        (vec!["--message", "hello"], 0),
        (vec!["--message", "- an item"], 0),
        (vec!["--message", "hello", "--to", "telegram"], 4),
        (vec!["--message", "hello", "--source", "telegram", "--tainted"], 4),
        (
            vec![
                "--message",
                "for @mine",
                "--source",
                "telegram",
                "--privacy-tag",
                "@mine",
            ],
            3,
        ),
        (
            vec![
                "--action",
                "(:TOOL \"eval\" :ARGS (:CODE \"1\") :EXPLANATION \"to see what it says\")",
            ],
            0,
        ),
        (vec!["--action", "(no plist"], 1),
        (vec!["--text", "hello"], 2),
        (vec!["--message", "a", "--write", "b"], 2),
    ] {
        let ran = home.run(&[&["gate", "check"], args.as_slice()].concat());
        assert_eq!(ran.code, code, "{args:?}: {ran:?}");
    }
    let mut child = home.piped(&["gate", "check", "--write", "x.org"]);
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"#+begin_src lisp\n(a\n#+end_src\n")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(
        text.contains("line 2") && text.contains("at payload.args.text: (a"),
        "{text}"
    );
}

#[test]
fn each_line_is_answered_before_the_next_is_read() {
    let home = Home::new();
    let mut child = home.piped(&["gate", "check", "--jsonl", "-"]);
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for number in 0..3 {
        writeln!(input, "{{\"message\": \"hello {number}\"}}").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["message"], format!("hello {number}"));
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn lines_that_cannot_be_judged_give_an_error_in_their_place() {
    let home = Home::new();
    let (ran, answers) = judged(
        &home,
        &[
            json!({"message": "a"}),
            json!({"message": "a", "command": "ls"}),
            json!({"write": {"path": "x"}}),
            json!({"message": 7}),
            json!({"message": "a", "tainted": "yes"}),
            json!(["ls"]),
            json!({"action": "(:A"}),
            json!({"message": "b"}),
        ],
    );
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(answers.len(), 8);
    assert_eq!(
        (&answers[0]["message"], &answers[7]["message"]),
        (&json!("a"), &json!("b"))
    );
    for (at, answer) in answers.iter().enumerate().skip(1).take(6) {
        assert_eq!(answer["line"], at + 1, "{answer}");
        assert!(answer["error"].is_string() && answer["verdict"].is_null(), "{answer}");
    }
}

#[test]
fn a_check_says_what_the_running_daemon_says_also_when_a_file_broke_under_it() {
    let home = Home::new();
    home.file("skills/extra.wasm", &passing_gate("extra"));
    let daemon = home.start_scripted(&[message("still here"), message("a"), message("b"), message("c")]);
    let check = || home.run(&["gate", "check", "--message", "hello"]).code;
    assert_eq!(check(), 0);
    // A broken file does not take the version in use away.
    home.file("skills/extra.wasm", b"no component");
    assert_eq!(daemon.connect().ask("hello").outcome(), "ANSWERED");
    assert_eq!(
        check(),
        0,
        "the daemon goes on with the version that works, and so does the check"
    );
    assert!(daemon.stop().success());
    // Without a daemon that knows it, the gate is gone, and what was a gate rejects.
    assert_eq!(check(), 3);
    let daemon = home.start_scripted(&[message("a"), message("b"), message("c")]);
    assert_eq!(daemon.connect().ask("hello").outcome(), "REFUSED");
    assert_eq!(check(), 3);
}

#[test]
fn a_check_says_when_the_daemon_judges_by_an_older_configuration_than_the_files_hold() {
    let home = Home::new();
    let daemon = home.start_scripted(&[message("a")]);
    let check = || home.run(&["gate", "check", "--json", "--message", "hello", "--to", "robot"]);
    assert!(check().err.is_empty(), "{:?}", check());
    home.file("config/config.toml", b"[model]\nanswer_tokens = 1000\n");
    assert!(check().err.is_empty(), "nothing that judges has changed: {:?}", check());
    home.file(
        "config/config.toml",
        b"[settings.dispatcher]\ntargets.robot = \"deny\"\n",
    );
    let ran = check();
    assert!(
        ran.err.contains("config.toml changed after the daemon read it"),
        "{ran:?}"
    );
    assert!(ran.err.contains("passepartout-host run"), "{ran:?}");
    assert_ne!(ran.code, 3, "{ran:?}");
    let rows = [
        json!({"message": "a", "to": "robot"}),
        json!({"message": "b", "to": "robot"}),
    ];
    let (ran, answers) = judged(&home, &rows);
    assert_eq!(
        ran.err.matches("changed after").count(),
        1,
        "once, not with each: {ran:?}"
    );
    assert_eq!(answers.len(), 2);
    assert!(daemon.stop().success());
    let ran = check();
    assert!(ran.err.is_empty(), "{ran:?}");
    assert_eq!(ran.code, 3, "{ran:?}");
}

#[test]
fn a_check_is_judged_by_a_gate_that_was_dropped_in_and_leaves_no_trace() {
    let home = Home::new();
    home.file("skills/strict.wasm", &rejecting_gate("strict", "never"));
    let ran = home.run(&["gate", "check", "--json", "--message", "hello"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert_eq!(lines(&ran)[0]["gate"], "strict");
    assert!(!home.path().join("data/record.log").exists(), "a check is no decision");
}

#[test]
fn explain_shows_which_part_of_the_text_decided_and_last_is_the_last_action() {
    let home = Home::new();
    let hides = format!("echo {} > x", secret());
    let daemon = home.start_scripted(&[proposal(&hides), message("then not")]);
    let turn = daemon.connect().ask("write it down");
    assert_eq!(turn.reply(), "then not", "{turn:#?}");
    let ran = home.run(&["explain", "last"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for said in ["dispatcher", "reject", "secret-in-content", "payload.cmd: ghp_…"] {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
    assert!(
        !ran.out.contains("then not"),
        "what ended the turn was only said: {}",
        ran.out
    );
    let prompts = home.prompts();
    assert!(
        prompts[1].to_string().contains("secret-in-content"),
        "the model hears why"
    );
    assert!(daemon.stop().success());
    let alone = home.run(&["explain", "last"]);
    assert_eq!(alone.out, ran.out, "the same without a daemon");
}

#[test]
fn rules_of_the_dispatcher_that_are_none_close_every_gate_and_name_line_and_reason() {
    for (rules, said) in [
        ("network.allow = \"https://a.example\"", "must be a list of strings"),
        ("network.allow = [\"https://a.example\"]", "is no host"),
        ("network.allow = [\"*\"]", "is no host"),
        ("network.allow = [\"a.example/x\"]", "is no host"),
        ("network.allow = [\"\"]", "is no host"),
        ("network.allow = [7]", "must be a string"),
        ("privacy-tags = true", "must be a list of strings"),
        ("privacy-tags = [\"\"]", "empty"),
        ("protected = [\"a\\nb\"]", "several lines"),
        ("protected = [\"*.{db,sqlite}\"]", "one pattern for each"),
        ("protected = [\"$HOME/x\"]", "write the path out"),
        ("protected = ['a\\ b']", "write the path out"),
        ("protected = [\"!a.db\"]", "nothing is taken out"),
        ("protected = [\"file:///srv/x\"]", "is no path"),
        ("tools.\"read-file \" = \"deny\"", "names \"read-file \""),
        ("tools.\"*\" = \"deny\"", "names \"*\""),
        ("targets.\":\" = \"deny\"", "nothing can be called"),
        ("protcted = [\"a\"]", "did you mean `settings.dispatcher.protected`"),
        ("tools.write-file = \"alow\"", "must be \"allow\""),
        ("tools.write-file = true", "must be a string"),
        ("targets.files = \"never\"", "must be \"allow\""),
        ("targets = \"allow\"", "settings.dispatcher.targets"),
    ] {
        let home = Home::new().config(&format!("[settings.dispatcher]\n# a comment\n{rules}\n"));
        let ran = home.run(&["gate", "check", "--json", "--message", "hello"]);
        assert_eq!(ran.code, 3, "{rules}: {ran:?}");
        let answer = &lines(&ran)[0];
        assert_eq!(
            (&answer["gate"], &answer["rule"]),
            (&json!("host"), &json!("configuration")),
            "{answer}"
        );
        let reason = answer["reason"].as_str().unwrap();
        assert!(reason.contains("line 3") && reason.contains(said), "{rules}: {reason}");
    }
}

#[test]
fn permissions_of_tools_and_targets_decide_what_asks() {
    let rows = [
        json!({"write": {"path": "notes.txt", "content": "hello"}}),
        json!({"command": "ls"}),
        json!({"action": "(:TOOL \"eval\" :ARGS (:CODE \"1\") :EXPLANATION \"to see what it says\")"}),
        json!({"action": "(:TARGET :ROBOT :PAYLOAD (:ACTION :MOVE :EXPLANATION \"to see what it says\"))"}),
        json!({"message": "hello", "to": "telegram"}),
    ];
    let verdicts = |settings: &str| {
        let home = Home::new().config(&format!("[settings.dispatcher]\n{settings}\n"));
        let (ran, answers) = judged(&home, &rows);
        assert_eq!(ran.code, 0, "{ran:?}");
        answers
            .iter()
            .map(|answer| answer["verdict"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let [write, command, eval, robot, message] = [0, 1, 2, 3, 4];
    let given = verdicts("");
    assert_eq!((&*given[write], &*given[eval]), ("ask", "pass"));
    assert_eq!((&*given[robot], &*given[message]), ("ask", "ask"));
    let allowed = verdicts("tools.Write-File = \"allow\"\ntargets.Robot = \"allow\"\ntargets.telegram = \"allow\"");
    assert_eq!(
        (&*allowed[write], &*allowed[robot], &*allowed[message]),
        ("pass", "pass", "pass")
    );
    let denied = verdicts("tools.shell = \"deny\"\ntools.eval = \"ask\"\ntools.write-file = \"deny\"");
    assert_eq!(
        (&*denied[command], &*denied[eval], &*denied[write]),
        ("reject", "ask", "reject")
    );
}

#[test]
fn a_message_that_was_refused_on_the_way_is_told_with_the_command_that_explains_it_and_is_the_last_one() {
    let home = Home::new();
    let daemon = home.start_scripted(&[message(&secret()), message("all is well")]);
    let ran = home.run(&["send", "is all well?"]);
    assert_eq!(ran.out.trim(), "all is well", "{ran:?}");
    for said in ["On the way dispatcher rejected it", "passepartout-host explain 1"] {
        assert!(ran.err.contains(said), "{said}: {ran:?}");
    }
    assert!(!ran.err.contains(&secret()), "{ran:?}");
    let last = home.run(&["explain", "last"]);
    assert_eq!(last.code, 0, "{last:?}");
    assert!(
        last.out.contains("rejected") && !last.out.contains("all is well"),
        "{last:?}"
    );
    assert_eq!(
        last.out,
        home.run(&["explain", "1"]).out,
        "the command that was named shows it"
    );
    assert!(daemon.stop().success());
}

#[test]
fn explain_last_shows_nothing_that_was_recorded_of_another_decision_afterwards() {
    let home = Home::new();
    let daemon = home.start_scripted(&[
        proposal("touch one"),
        proposal("touch two"),
        message("not the one"),
        message("nor the other"),
    ]);
    let mut peer = daemon.connect();
    let first = peer.ask("make one").plan_id().to_owned();
    let second = peer.ask("make two").plan_id().to_owned();
    let ran = home.run(&["deny", &first]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let last = home.run(&["explain", "last"]);
    assert!(last.out.contains("touch two") && last.out.contains(&second), "{last:?}");
    assert!(!last.out.contains("denial") && !last.out.contains(&first), "{last:?}");
    let ran = home.run(&["deny", &second]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let last = home.run(&["explain", "last"]);
    assert!(last.out.contains(&format!("denial of plan {second}")), "{last:?}");
}

#[test]
fn a_target_may_be_a_keyword_and_one_that_nothing_has_is_a_finding() {
    let home = Home::new().config("[settings.dispatcher.targets]\n\":shell\" = \"deny\"\n");
    let ran = home.run(&["gate", "check", "--", "ls"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(!home.run(&["doctor"]).out.contains("config.toml sets targets."));
    home.file(
        "config/config.toml",
        b"[settings.dispatcher.targets]\nbash = \"deny\"\nread-file = \"ask\"\n",
    );
    let doctor = home.run(&["doctor"]).out;
    let doctor = doctor.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "targets.bash = \"deny\", and no loaded skill has a target of that name",
        "it counts once one does; there are cli, emacs, files, ",
        "tools.read-file",
    ] {
        assert!(doctor.contains(said), "{doctor}");
    }
    home.file(
        "config/config.toml",
        b"[settings.dispatcher]\ntargets.shel = \"deny\"\n",
    );
    let ran = home.run(&["doctor"]);
    assert!(ran.out.contains("did you mean shell?"), "{ran:?}");
}

#[test]
fn a_rule_that_was_to_deny_and_is_misspelt_is_no_mere_note() {
    let home = Home::new();
    let level = |rule: &str| {
        home.file(
            "config/config.toml",
            format!("[settings.dispatcher]\n{rule}\n").as_bytes(),
        );
        let ran = home.run(&["doctor", "--json"]);
        let report: Value = serde_json::from_str(&ran.out).unwrap();
        let checks = report["checks"].as_array().unwrap();
        let own = checks
            .iter()
            .find(|own| own["text"].as_str().unwrap().contains("config.toml sets"));
        let own = own.unwrap_or_else(|| panic!("{report}"));
        (
            own["level"].as_str().unwrap().to_owned(),
            own["text"].as_str().unwrap().to_owned(),
        )
    };
    for (rule, meant) in [
        ("tools.write-fiel = \"deny\"", "write-file"),
        ("tools.read-fil = \"ask\"", "read-file"),
        ("targets.shel = \"deny\"", "shell"),
    ] {
        let (level, text) = level(rule);
        assert_eq!(level, "degraded", "{text}");
        assert!(
            text.contains("until then denies nothing") && text.contains(&format!("did you mean {meant}?")),
            "{text}"
        );
    }
    for rule in ["tools.write-fiel = \"allow\"", "tools.weather = \"deny\""] {
        assert_eq!(level(rule).0, "note", "{rule}");
    }
}

#[test]
fn a_check_for_another_folder_judges_as_if_the_agent_worked_there() {
    let home = Home::new();
    let other = home.path().join("other");
    std::fs::create_dir(&other).unwrap();
    let command = format!("cat {}/notes.txt", other.display());
    let _daemon = home.start();
    for (more, code) in [(&[][..], 4), (&["--workspace", other.to_str().unwrap()], 0)] {
        let ran = home.run(&[&["gate", "check"], more, &["--", &command]].concat());
        assert_eq!(ran.code, code, "{ran:?}");
    }
}

#[test]
fn a_check_for_a_folder_that_is_not_there_is_an_error() {
    let home = Home::new();
    let file = home.file("a-file", b"");
    for (wrong, said) in [
        ("/nowhere/at/all", "there is no such folder"),
        (file.to_str().unwrap(), "that is no folder"),
    ] {
        let ran = home.run(&["gate", "check", "--workspace", wrong, "--", "ls"]);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{ran:?}");
        assert!(ran.err.contains(said) && ran.err.contains(wrong), "{ran:?}");
    }
}

#[test]
fn doctor_has_nothing_against_a_target_of_the_hosts_own_nor_against_what_the_readme_shows() {
    let mut rules = "[settings.dispatcher.targets]\n".to_owned();
    for target in [
        "shell", "system", "tool", "cli", "tui", "emacs", "files", "http", "memory", "model", "schedule",
    ] {
        rules.push_str(&format!("{target} = \"deny\"\n"));
    }
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let home = Home::new().config(&rules);
    let doctor = words(home.run(&["doctor"]).out);
    assert!(!doctor.contains("config.toml sets targets."), "{doctor}");
    // Calls of this tool are for another target.
    let home = home.config("[settings.dispatcher.targets]\neval = \"deny\"\n");
    let doctor = words(home.run(&["doctor"]).out);
    assert!(doctor.contains("permitted and denied with tools.eval"), "{doctor}");

    let shown: Vec<&str> = include_str!("../../README.md")
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once("```")?.0))
        .collect();
    assert!(
        shown.iter().any(|sample| sample.contains("targets.files")),
        "{shown:#?}"
    );
    for sample in shown {
        let home = Home::new().config(sample);
        let ran = home.run(&["config"]);
        assert_eq!(ran.code, 0, "{sample}\n{ran:?}");
        let doctor = words(home.run(&["doctor"]).out);
        for said in [
            "holds for no",
            "is no target",
            "can be agreed on",
            "nothing needs consensus",
        ] {
            assert!(!doctor.contains(said), "{sample}\n{doctor}");
        }
    }
}

#[test]
fn a_workspace_that_is_a_file_is_told_as_one_that_is_not_there() {
    let home = Home::new();
    let file = home.file("a-file", b"");
    for (path, what) in [
        (file.to_str().unwrap(), "that is no folder"),
        ("/nowhere/x", "there is no such folder"),
    ] {
        let ran = home.run(&["gate", "check", "--workspace", path, "--", "ls"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(
            ran.err.contains(&format!("and {what}; name one that is there")),
            "{ran:?}"
        );
    }
}

#[test]
fn what_a_line_lacks_or_has_too_much_of_is_named() {
    let home = Home::new();
    for (row, said) in [
        (
            json!({"cmd": "ls"}),
            "it has none of \"command\", \"write\", \"message\" and \"action\", and needs one of them; it has \"cmd\"",
        ),
        (json!({}), "it has nothing"),
        (
            json!({"command": "ls", "message": "hi"}),
            "\"command\" and \"message\"; give each a line of its own",
        ),
        (
            json!({"command": "ls", "as_skill": "Bad Name"}),
            "can't name a skill: write at most 64 lower-case letters",
        ),
    ] {
        let (ran, answers) = judged(&home, &[row]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(answers[0]["error"].as_str().unwrap().contains(said), "{answers:?}");
    }
    let (ran, answers) = judged(&home, &[json!({"command": "ls", "write": null})]);
    assert_eq!((ran.code, &answers[0]["verdict"]), (0, &json!("pass")), "{ran:?}");
}
