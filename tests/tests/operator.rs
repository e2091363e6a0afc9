//! What the operator is told at the command line: how a wish ended, what changed, and what to do next.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_tests::guest::Guest;
use passepartout_tests::hostile::{looping_gate, passing_gate, running_actuator, trapping_gate};
use passepartout_tests::skills::{Folder, Watcher};
use passepartout_tests::{Home, Ran, message, proposal};
use serde_json::Value;

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

/// A text on one line, however it was broken.
fn unbroken(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// The plan that the answer to `send` shows.
fn plan_of(ran: &Ran) -> String {
    let how = ran.err.split_once("passepartout-host approve ").expect("a plan").1;
    how.split_whitespace().next().expect("an id").to_owned()
}

#[test]
fn send_exits_as_refused_when_the_answer_only_says_that_it_was() {
    let home = Home::new();
    let _daemon = home.start();
    let refused = home.run(&["send", &proposal("rm -rf /")]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.out.contains("That was refused"), "{refused:?}");
    let refused = home.run(&["send", "--json", &proposal("rm -rf /")]);
    assert_eq!(refused.code, 3, "{refused:?}");
    let answer = json(&refused);
    assert_eq!(
        (&answer["outcome"], &answer["upshot"]),
        (&"answered".into(), &"refused".into())
    );
    let unknown = home.run(&[
        "send",
        "(:TOOL \"nosuch\" :ARGS (:A 1) :EXPLANATION \"to see what happens\")",
    ]);
    assert_eq!(unknown.code, 3, "{unknown:?}");
    let passed = home.run(&["send", "--json", &proposal("ls")]);
    assert_eq!(
        (passed.code, &json(&passed)["upshot"]),
        (0, &"done".into()),
        "{passed:?}"
    );
    let asked = home.run(&["send", "hello"]);
    assert_eq!(asked.code, 0, "there was nothing to refuse: {asked:?}");
}

#[test]
fn send_exits_well_when_something_else_was_done_instead_or_an_answer_was_said_otherwise() {
    let home = Home::new();
    let _daemon = home.start_scripted(&[
        proposal("rm -rf /"),
        proposal("ls"),
        message("here they are"),
        message("API_KEY=q8Zr2Lk9Wx4Tn7Vb5M"),
        message("it is in the drawer"),
    ]);
    for said in ["here they are", "it is in the drawer"] {
        let ran = home.run(&["send", "go"]);
        assert_eq!((ran.code, ran.out.trim()), (0, said), "{ran:?}");
    }
}

#[test]
fn approve_exits_with_what_became_of_the_action_whatever_the_model_says_of_it() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start_scripted(&[
        proposal("touch made; exit 7"),
        message("all is well"),
        proposal("touch more"),
        proposal("rm -rf /"),
        message("all is well"),
        proposal("touch never"),
        message("all is well"),
    ]);
    let failing = plan_of(&home.run(&["send", "go"]));
    let ran = home.run(&["approve", &failing, "--yes"]);
    assert_eq!((ran.code, ran.out.trim()), (1, "all is well"), "{ran:?}");
    assert!(home.workspace().join("made").exists());

    let well = plan_of(&home.run(&["send", "go"]));
    let ran = home.run(&["approve", &well, "--yes"]);
    assert_eq!(
        (ran.code, ran.out.trim()),
        (0, "all is well"),
        "what is refused afterwards was not what was approved: {ran:?}"
    );

    let refused = plan_of(&home.run(&["send", "go"]));
    let mut guard = Guest::new("(:NAME \"guard\" :VERSION \"1\" :FUNCTIONS (:GATE) :GATE-TARGETS (:SHELL))");
    let text = guard.text("(:RULE \"new\" :REASON \"no more commands\")");
    guard.gate = format!("(call $say (i32.const 2) {text})");
    folder.moved("guard", &guard.build());
    Watcher::of(&daemon).wait_state("guard", "ready");
    let ran = home.run(&["approve", &refused, "--yes"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(!home.workspace().join("never").exists());
}

#[test]
fn the_time_an_approval_may_stand_is_checked_before_anything_is_said_or_asked() {
    let home = Home::new();
    let ran = home.run(&["approve", "1a2b3c4d", "--remember", "--for", "500days"]);
    assert_eq!(ran.code, 2, "no daemon is asked: {ran:?}");
    assert!(
        ran.err.contains("up to 366 days") && ran.err.contains("--for"),
        "{ran:?}"
    );
}

#[test]
fn approving_once_and_for_all_in_a_chat_is_answered_with_the_command_that_does_it() {
    let home = Home::new();
    let _daemon = home.start_scripted(&[proposal("touch made")]);
    let id = plan_of(&home.run(&["send", "go"]));
    let ran = home.run(&["send", &format!("/approve {id} --remember")]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.err.contains("nothing was approved")
            && ran
                .err
                .contains(&format!("`passepartout-host approve {id} --remember`")),
        "{ran:?}"
    );
    assert!(!home.workspace().join("made").exists());
}

#[test]
fn a_running_daemon_says_that_its_configuration_changed_and_that_it_must_be_started_again() {
    let home = Home::new().config("[loop]\nmax_depth = 7\n");
    let daemon = home.start();
    let said = || ["status", "doctor"].map(|word| home.run(&[word]));
    for ran in said() {
        assert!(ran.code == 0 && !ran.out.contains("changed after"), "{ran:?}");
    }
    let read = |out: &str| out.contains("good configuration understood, as it was read at the start");
    assert!(read(&unbroken(&home.run(&["doctor"]).out)));
    home.file("config/config.toml", b"[loop]\nmax_depth = 8\n");
    for ran in said() {
        let out = unbroken(&ran.out);
        assert_eq!(ran.code, 0, "nothing is broken: {ran:?}");
        assert!(
            out.contains("note configuration") && out.contains("config.toml changed after the daemon read it"),
            "{out}"
        );
        let how = format!("`kill {}`), then `passepartout-host run`", daemon.pid());
        assert!(out.contains(&how), "{out}");
    }
    assert_eq!(json(&home.run(&["status", "--json"]))["health"], "healthy");

    home.file("config/config.toml", b"[loop]\nmax_dept = 8\n");
    for ran in said() {
        let out = unbroken(&ran.out);
        assert!(
            out.contains("degraded configuration") && out.contains("line 2: there is no key `loop.max_dept`"),
            "{out}"
        );
    }
    // Saved again as it was, it says what the daemon goes by.
    home.file("config/config.toml", b"[loop]\nmax_depth = 7\n");
    for ran in said() {
        assert!(!ran.out.contains("changed after"), "{ran:?}");
    }
}

#[test]
fn what_was_approved_counts_as_carried_out_although_no_model_can_say_so() {
    let home = Home::new();
    let _daemon = home.start_scripted(&[proposal("touch made")]);
    let id = plan_of(&home.run(&["send", "make it"]));
    let ran = home.run(&["approve", &id, "--yes"]);
    assert!(home.workspace().join("made").exists());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.err.contains("what was approved was carried out") && ran.err.contains("exhausted"),
        "{ran:?}"
    );
}

#[test]
fn a_permission_for_a_tool_that_nobody_offers_is_noted_and_no_fault() {
    let home = Home::new().config("[settings.dispatcher]\ntools.nosuch = \"allow\"\ntools.shell = \"ask\"\n");
    for with_daemon in [false, true] {
        let daemon = with_daemon.then(|| home.start());
        let ran = home.run(&["doctor"]);
        let out = unbroken(&ran.out);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(
            out.contains("tools.nosuch = \"allow\", and no loaded skill offers")
                && out.contains("there are edit-file, eval, ")
                && !out.contains("tools.shell"),
            "{out}"
        );
        drop(daemon);
    }
}

#[test]
fn that_no_compiled_code_can_be_kept_is_told_with_what_to_do() {
    let home = Home::new();
    home.file("state/code", b"in the way");
    let daemon = home.start();
    for words in ["status", "doctor"] {
        let told = home.run(&[words]).out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains("remove it, and it is made anew"), "{words}: {told}");
    }
    drop(daemon);
}

#[test]
fn status_doctor_and_list_have_no_line_that_runs_on_and_on() {
    let home = Home::new();
    Folder::of(&home).copy("sly", &running_actuator("sly", "SLY", "payload.cmd"));
    let daemon = home.start();
    Watcher::of(&daemon).wait_state("sly", "waiting");
    for words in [&["status"][..], &["doctor"], &["skill", "list"]] {
        let ran = home.run(words);
        let long: Vec<&str> = ran.out.lines().filter(|line| line.chars().count() > 120).collect();
        assert!(long.is_empty(), "{words:?}: {long:#?}");
        let command = "passepartout-host skill grant sly process";
        assert!(ran.out.lines().any(|line| line.ends_with(command)), "{ran:?}");
        let walls: Vec<&str> = ran.out.lines().filter(|line| line.contains("files:")).collect();
        match words {
            ["doctor"] => assert!(
                walls[0].starts_with("  "),
                "each wall has a line of its own: {}",
                ran.out
            ),
            ["status"] => assert!(walls.is_empty(), "{walls:?}"),
            _ => {}
        }
    }
    let status = home.run(&["status"]).out;
    let at = status
        .lines()
        .position(|line| line.contains("jail: "))
        .expect("the jail");
    let below = status
        .lines()
        .skip(at + 1)
        .take_while(|line| line.starts_with(' '))
        .count();
    assert!(below <= 1, "where it is well the jail is said in few words: {status}");
    let checks = json(&home.run(&["doctor", "--json"]))["checks"].clone();
    let jail = checks.as_array().unwrap().iter().find(|check| check["check"] == "jail");
    let text = jail.expect("the jail")["text"].as_str().expect("a text").to_owned();
    assert!(
        text.contains("files:") && text.contains("They have no network") && !text.contains('\n'),
        "programs read it as before: {text}"
    );
}

#[test]
fn weak_walls_where_stronger_ones_can_be_had_are_told_by_status_and_doctor() {
    let home = Home::new().config("[shell]\njail = \"weak\"\n");
    let alone = home.run(&["doctor", "--json"]);
    let _daemon = home.start();
    for ran in [alone, home.run(&["doctor", "--json"])] {
        let checks = json(&ran)["checks"].clone();
        let jail = checks.as_array().unwrap().iter().find(|check| check["check"] == "jail");
        let jail = jail.expect("the jail");
        assert_eq!(jail["level"], "degraded", "{jail}");
        assert!(
            jail["text"].as_str().unwrap().starts_with("shell.jail is weak"),
            "{jail}"
        );
    }
    let status = home.run(&["status"]).out;
    let status = status.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        status.contains("degraded jail: shell.jail is weak although"),
        "{status}"
    );
}

#[test]
fn a_key_that_is_no_slip_of_another_is_answered_with_those_there_are() {
    let home = Home::new().config("foo = 1\n");
    let out = unbroken(&home.run(&["doctor"]).out);
    assert!(
        out.contains("there is no key `foo`; remove it; at the top there are assistant, ")
            && !out.contains("did you mean"),
        "{out}"
    );
}

#[test]
fn an_ask_about_an_unknown_target_names_what_it_is_about_and_the_setting_that_answers_it() {
    let home = Home::new();
    home.file("skills/robot.wasm", &Guest::actuator("robot", "(:ROBOT)").build());
    let action = "(:TARGET :ROBOT :PAYLOAD (:TEXT \"go\" :EXPLANATION \"to see whether it moves\"))";
    let ran = home.run(&["gate", "check", "--action", action]);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(
        ran.out
            .contains("targets.robot = \"allow\" under [settings.dispatcher] in config.toml")
            && !ran.out.contains("``"),
        "{ran:?}"
    );
    let home = home.config("[settings.dispatcher]\ntargets.robot = \"allow\"\n");
    assert_eq!(
        home.run(&["gate", "check", "--action", action]).code,
        0,
        "it does answer it"
    );
}

#[test]
fn a_target_that_nobody_has_is_said_to_have_nobody_and_no_setting_is_offered_for_it() {
    let home = Home::new();
    let action =
        |target: &str| format!("(:TARGET :{target} :PAYLOAD (:CMD \"ls\" :EXPLANATION \"to see what is there\"))");
    for with_daemon in [false, true] {
        let daemon = with_daemon.then(|| home.start());
        for (target, said) in [("SHEL", "did you mean :SHELL?"), ("ROBOT", "there are :SHELL, ")] {
            let ran = home.run(&["gate", "check", "--action", &action(target)]);
            assert_eq!(ran.code, 4, "what the gates say is told all the same: {ran:?}");
            assert!(
                ran.out.contains(&format!(
                    "nothing would come of it: no skill carries out actions for :{target}; {said}"
                )),
                "{ran:?}"
            );
            assert!(!ran.out.contains("for good"), "{ran:?}");
        }
        drop(daemon);
    }
    let daemon = home.start();
    let mut peer = daemon.connect();
    let turn = peer.ask(&format!("(:TYPE :REQUEST {}", &action("SHEL")[1..]));
    assert!(turn.reply().contains("did you mean :SHELL?"), "{turn:#?}");
}

#[test]
fn a_tool_that_nobody_has_is_answered_with_the_one_that_was_meant_or_all_there_are() {
    let home = Home::new();
    for (tool, said) in [
        ("shel", "did you mean shell?"),
        ("dance", "there are edit-file, eval, "),
    ] {
        let call = format!("(:TOOL \"{tool}\" :ARGS (:CMD \"ls\") :EXPLANATION \"to see what is there\")");
        let ran = home.run(&["gate", "check", "--action", &call]);
        assert_eq!(ran.code, 3, "{ran:?}");
        assert!(
            ran.out.contains(&format!("there is no tool named {tool}")) && ran.out.contains(said),
            "{ran:?}"
        );
    }
}

#[test]
fn a_gate_that_gave_no_verdict_is_named_with_what_can_be_done_about_it() {
    for (bytes, rule, advice) in [
        (
            looping_gate("guard"),
            "gate-fuel",
            "`fuel` under [limits.guard] in config.toml",
        ),
        (trapping_gate("guard"), "gate-trap", "something plainer may pass guard"),
    ] {
        let home = Home::new();
        home.file("skills/guard.wasm", &bytes);
        let ran = home.run(&["gate", "check", "--", "ls"]);
        assert_eq!(ran.code, 3, "{ran:?}");
        assert!(ran.out.contains(rule) && unbroken(&ran.out).contains(advice), "{ran:?}");
        for said in [
            "the fault is its own",
            "`passepartout-host skill install FILE`",
            "skill remove guard`",
        ] {
            assert!(unbroken(&ran.out).contains(said), "{said}: {ran:?}");
        }
    }
    let home = Home::new();
    home.file("skills/guard.wasm", &passing_gate("guard"));
    assert_eq!(home.run(&["gate", "check", "--", "ls"]).code, 0);
}

#[test]
fn the_result_of_a_command_says_which_bound_ended_it_and_what_is_gone() {
    let home = Home::new().config("[shell]\ntimeout_seconds = 2\n");
    let _daemon = home.start_scripted(&[
        proposal("touch begun; sleep 60"),
        message("it took too long"),
        proposal("echo x > /tmp/report.txt"),
        message("it is written"),
    ]);
    let told = |code: i32| {
        let plan = plan_of(&home.run(&["send", "go"]));
        let ran = home.run(&["approve", &plan, "--yes"]);
        assert_eq!(ran.code, code, "{ran:?}");
        home.prompts().pop().expect("the model is told").to_string()
    };
    let late = told(1);
    assert!(late.contains("longer than 2 s (shell.timeout_seconds)"), "{late}");
    let lost = told(0);
    assert!(lost.contains("what the command wrote to /tmp is gone"), "{lost}");
}

#[test]
fn what_is_no_session_id_is_answered_with_what_one_is_and_the_command_that_lists_them() {
    let home = Home::new();
    let listing = "passepartout-host status --sessions";
    for args in [
        vec!["send", "--session", "nope", "hello"],
        vec!["chat", "--session", "0123"],
        vec!["repl", "--session", "nope", "1"],
    ] {
        let ran = home.run(&args);
        assert_eq!(ran.code, 2, "{ran:?}");
        for said in ["32 hexadecimal digits", listing] {
            assert!(unbroken(&ran.err).contains(said), "{said}: {ran:?}");
        }
    }
    let daemon = home.start_scripted(&[message("hello"), message("and again")]);
    let nobodys = "0123456789abcdef0123456789abcdef";
    let ran = home.run(&["send", "--session", nobodys, "hello"]);
    assert!(ran.code == 1 && ran.err.contains(listing), "{ran:?}");
    let mut chat = home
        .command()
        .args(["chat", "--session", nobodys])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut chat.stdin.take().unwrap(), b"hello\nhello again\n").unwrap();
    let ran = chat.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(
        ran.status.code() == Some(1) && said.matches(listing).count() == 1,
        "{said}"
    );

    let ran = home.run(&["send", "--json", "hello"]);
    let session = json(&ran)["session"].as_str().expect("a session").to_owned();
    let ran = home.run(&["status", "--sessions"]);
    assert!(ran.code == 0 && ran.out.starts_with("SESSION "), "{ran:?}");
    assert!(ran.out.contains(&session) && !ran.out.contains(nobodys), "{ran:?}");
    let line = ran.out.lines().find(|line| line.contains(&session)).unwrap_or_default();
    let used = line.split_whitespace().nth(1).unwrap_or_default();
    assert!(
        used.starts_with("20") && used.ends_with('Z'),
        "when it was last used: {line}"
    );
    let ids = json(&home.run(&["status", "--sessions", "--json"]))["sessions"].clone();
    let ids = ids.as_array().expect("a list");
    assert!(ids.iter().any(|own| own["session_id"] == session.as_str()), "{ids:?}");
    let ran = home.run(&["send", "--session", &session, "and now?"]);
    assert!(ran.code == 0 && ran.out.contains("and again"), "{ran:?}");
    drop(daemon);
}
