//! Standing approvals: what the operator approved once and for all is not asked again, and nothing else is let through.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::thread::sleep;
use std::time::{Duration, Instant};

use passepartout_host::sexp::Form;
use passepartout_tests::daemon::PATIENCE;
use passepartout_tests::guest::Guest;
use passepartout_tests::script::{eval, waiting};
use passepartout_tests::skills::{Folder, Watcher};
use passepartout_tests::{Home, Peer, Ran, message, proposal};

/// A gate that asks about whatever is evaluated, by `rule`, and offers to remember it.
fn warden(version: &str, rule: &str) -> Vec<u8> {
    let mut guest = Guest::new(format!(
        "(:NAME \"warden\" :VERSION \"{version}\" :FUNCTIONS (:GATE) :GATE-TARGETS (:SYSTEM))"
    ));
    let ask = guest.text(&format!(
        "(:RULE \"{rule}\" :FIELD \"payload.action\" :SUMMARY \"evaluates\" :RISK \"low\" :REMEMBER \"evaluating this\")"
    ));
    guest.gate = format!("(call $say (i32.const 3) {ask})");
    guest.build()
}

fn guarded() -> Home {
    let home = Home::new();
    Folder::of(&home).copy("warden", &warden("v1", "evaluates"));
    home
}

/// Approves `id` once and for all.
fn remember(home: &Home, id: &str, more: &[&str]) -> Ran {
    let ran = home.run(&[&["approve", id, "--yes", "--remember"], more].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    ran
}

/// What stands, as a program sees it.
fn standing(home: &Home) -> Vec<serde_json::Value> {
    let ran = home.run(&["approvals", "list", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let list: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    list["approvals"].as_array().unwrap().clone()
}

fn only_id(home: &Home) -> String {
    let standing = standing(home);
    assert_eq!(standing.len(), 1, "{standing:?}");
    standing[0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn what_was_approved_once_and_for_all_runs_in_every_session_unasked_and_each_use_is_recorded() {
    let home = guarded();
    let daemon = home.start_scripted(&[
        eval("(* 6 7)"),
        message("42 it is"),
        eval("(* 6 7)"),
        message("42 again"),
        eval("(* 6 8)"),
    ]);
    let asked = daemon.connect().ask("compute");
    assert_eq!(asked.outcome(), "WAITING", "{asked:?}");
    let ran = remember(&home, asked.plan_id(), &[]);
    assert_eq!(ran.out, "42 it is\n", "{ran:?}");
    assert!(
        ran.err.contains("warden (evaluates): evaluating this"),
        "what it makes is shown: {ran:?}"
    );
    let id = only_id(&home);
    assert!(ran.err.contains(&format!("approvals revoke {id}")), "{ran:?}");

    let mut other = daemon.connect();
    let again = other.ask("compute it again");
    assert_eq!((again.reply(), again.outcome()), ("42 again", "ANSWERED"), "{again:?}");
    // Nobody has read it this time, so that what was done is said.
    let told = format!("{again:?}");
    assert!(
        told.contains("by a standing approval, ") && told.contains(": (* 6 7): done"),
        "{told}"
    );
    let used = &standing(&home)[0];
    assert_eq!(used["uses"], 1, "{used}");
    let explained = home.run(&["explain", &id]);
    assert!(
        explained.out.contains(&format!("standing approval {id} covers")),
        "{explained:?}"
    );
    let shown = home.run(&["approvals", "list"]);
    assert!(shown.out.contains(&id) && shown.out.contains("used once"), "{shown:?}");

    let different = other.ask("compute something else");
    assert_eq!(
        different.outcome(),
        "WAITING",
        "another form was let through: {different:?}"
    );
    let prompts = home.prompts();
    assert!(
        prompts.iter().all(|prompt| !prompt.to_string().contains(&id)),
        "a model heard of it"
    );
}

#[test]
fn a_tool_that_the_dispatcher_knows_is_remembered_with_exactly_its_arguments() {
    let home = Home::new();
    let skill = |name: &str, tool: &str| {
        Guest::new(format!(
            "(:NAME \"{name}\" :VERSION \"1\" :FUNCTIONS (:CALL-TOOL) :TOOLS ((:NAME \"{tool}\" :DESCRIPTION \"a tool\" \
             :PARAMETERS ((:NAME \"text\" :DESCRIPTION \"what\")))))"
        ))
    };
    Folder::of(&home).copy("post", &skill("post", "send-message").build());
    Folder::of(&home).copy("unknown", &skill("unknown", "do-things").build());
    let call = |tool: &str, text: &str| {
        format!("(:TOOL \"{tool}\" :ARGS (:TEXT \"{text}\") :EXPLANATION \"to do what was asked for\")")
    };
    let daemon = home.start_scripted(&[
        call("send-message", "good morning"),
        message("sent"),
        call("send-message", "good morning"),
        message("sent unasked"),
        call("send-message", "good evening"),
        call("do-things", "good morning"),
    ]);
    let asked = daemon.connect().ask("greet them");
    assert!(asked.plan().to_string().contains("tool-sends"), "{asked:?}");
    assert_eq!(remember(&home, asked.plan_id(), &[]).out, "sent\n");
    assert_eq!(daemon.connect().ask("greet them").reply(), "sent unasked");
    let other = daemon.connect().ask("wish a good evening");
    assert_eq!(other.outcome(), "WAITING", "{other:?}");
    let unknown = daemon.connect().ask("do things");
    let ran = home.run(&["approve", unknown.plan_id(), "--remember", "--yes"]);
    assert!(ran.code == 1 && ran.err.contains("tool-unknown"), "{ran:?}");
}

#[test]
fn it_survives_a_kill_and_is_taken_back_for_good() {
    let home = guarded();
    let daemon = home.start_scripted(&[eval("(* 6 7)"), message("42 it is")]);
    let asked = daemon.connect().ask("compute");
    remember(&home, asked.plan_id(), &["--for", "7days"]);
    let before = standing(&home);
    daemon.kill();
    assert_eq!(
        standing(&home)[0]["id"],
        before[0]["id"],
        "it is listed without a daemon too"
    );

    let daemon = home.start_scripted(&[eval("(* 6 7)"), message("unasked"), eval("(* 6 7)")]);
    assert_eq!(daemon.connect().ask("compute").reply(), "unasked");
    let id = only_id(&home);
    let wrong = home.run(&["approvals", "revoke", "00000000"]);
    assert!(wrong.code == 1 && wrong.err.contains("approvals list"), "{wrong:?}");
    let revoked = home.run(&["approvals", "revoke", &id]);
    assert_eq!((revoked.code, revoked.out.contains(&id)), (0, true), "{revoked:?}");
    assert!(standing(&home).is_empty());
    assert_eq!(daemon.connect().ask("compute").outcome(), "WAITING");
    daemon.kill();

    let daemon = home.start_scripted(&[eval("(* 6 7)")]);
    assert_eq!(daemon.connect().ask("compute").outcome(), "WAITING", "it came back");
    let explained = home.run(&["explain", &id]);
    assert!(
        explained.out.contains("remembered of plan") && explained.out.contains("revoked"),
        "{explained:?}"
    );
}

#[test]
fn it_lapses() {
    let home = guarded();
    let daemon = home.start_scripted(&[eval("(* 6 7)"), message("42 it is"), eval("(* 6 7)")]);
    let asked = daemon.connect().ask("compute");
    remember(&home, asked.plan_id(), &["--for", "1s"]);
    let start = Instant::now();
    while !standing(&home).is_empty() {
        assert!(start.elapsed() < PATIENCE, "it stands for ever");
        sleep(Duration::from_millis(50));
    }
    assert_eq!(daemon.connect().ask("compute").outcome(), "WAITING");
}

#[test]
fn what_runs_text_or_files_of_the_workspace_is_never_remembered_and_its_plan_still_waits() {
    let home = Home::new();
    for command in [
        "make",
        "npm test",
        "cargo build",
        "pytest",
        "bash run.sh",
        "python3 -c 1",
        "env make",
        "ls | xargs rm",
    ] {
        let daemon = home.start_scripted(&[proposal(command)]);
        let mut peer = daemon.connect();
        let asked = peer.ask("do it");
        let id = asked.plan_id().to_owned();
        let ran = home.run(&["approve", &id, "--remember", "--yes"]);
        assert_eq!(ran.code, 1, "{command}: {ran:?}");
        assert!(ran.err.contains("without --remember"), "{command}: {ran:?}");
        // Nor does the daemon believe a client that asks all the same.
        let mut operator = daemon.connect();
        let plan = waiting(&mut operator).pop().unwrap();
        let digest = plan.text_at("digest").unwrap();
        let answer = operator.admin(&format!(
            "(:ACTION :APPROVE :PLAN \"{id}\" :DIGEST \"{digest}\" :REMEMBER T)"
        ));
        assert!(
            answer.get("CODE").is_some_and(|code| code.is_kw("REMEMBER")),
            "{command}: {answer}"
        );
        assert_eq!(waiting(&mut operator).len(), 1, "{command}: the plan was used up");
        assert!(standing(&home).is_empty(), "{command}");
        peer.ask(&format!("/deny {id}"));
    }
}

#[test]
fn neither_a_chat_nor_a_proposal_can_make_one() {
    let home = guarded();
    let claim =
        "(:TOOL \"eval\" :ARGS (:CODE \"(* 6 7)\") :REMEMBER T :EXPLANATION \"to compute what was asked for\")";
    let daemon = home.start_scripted(&[claim.to_owned(), message("42 it is"), eval("(* 6 7)")]);
    let mut peer = daemon.connect();
    let id = peer.ask("compute").plan_id().to_owned();
    for text in [
        format!("/approve {id} --remember"),
        format!("/approve {id} :REMEMBER T"),
    ] {
        assert_eq!(peer.ask(&text).outcome(), "REFUSED-MESSAGE", "{text}");
    }
    assert_eq!(peer.ask(&format!("/approve {id}")).reply(), "42 it is");
    assert!(standing(&home).is_empty());
    assert_eq!(
        peer.ask("compute").outcome(),
        "WAITING",
        "an approval in the chat counts once"
    );
}

#[test]
fn the_gates_of_the_moment_judge_each_time() {
    let home = guarded();
    let folder = Folder::of(&home);
    let daemon = home.start_scripted(&[
        eval("(* 6 7)"),
        message("42 it is"),
        eval("(* 6 7)"),
        eval("(* 6 7)"),
        message("unasked again"),
    ]);
    let mut watcher = Watcher::of(&daemon);
    let asked = daemon.connect().ask("compute");
    remember(&home, asked.plan_id(), &[]);
    folder.copy("warden", &warden("v2", "evaluates-in-a-new-way"));
    watcher.wait_version("warden", "v2");
    let mut peer = daemon.connect();
    let anew = peer.ask("compute");
    assert_eq!(
        anew.outcome(),
        "WAITING",
        "a rule that nobody approved was covered: {anew:?}"
    );
    folder.copy("warden", &warden("v1", "evaluates"));
    watcher.wait_version("warden", "v1");
    assert_eq!(peer.ask("compute").reply(), "unasked again");
}

#[test]
fn it_does_not_count_for_somebody_who_has_not_proven_to_be_the_operator() {
    let home = guarded().config("tcp.auth = \"none\"\n");
    let daemon = home.start_scripted(&[eval("(* 6 7)"), message("42 it is"), eval("(* 6 7)")]);
    let asked = daemon.connect().ask("compute");
    remember(&home, asked.plan_id(), &[]);
    let mut stranger = Peer::tcp(daemon.port());
    stranger.next();
    assert_eq!(stranger.ask("compute").outcome(), "WAITING", "a stranger used it");
    for action in ["(:ACTION :APPROVALS)", "(:ACTION :REVOKE :ALL T)"] {
        let answer = stranger.admin(action);
        assert!(
            answer.get("CODE").is_some_and(|code| code.is_kw("NOT-THE-OPERATOR")),
            "{answer}"
        );
    }
    assert_eq!(standing(&home).len(), 1);
}

#[test]
fn a_strangers_session_stays_a_strangers_when_it_is_opened_again() {
    let home = guarded().config("tcp.auth = \"none\"\n");
    let mut answers = vec![eval("(* 6 7)"), message("42 it is"), eval("(* 6 8)")];
    // After the plan of somebody who has left: what the operator approved once and for all.
    answers.push(eval("(* 6 7)"));
    let daemon = home.start_scripted(&answers);
    let asked = daemon.connect().ask("compute");
    remember(&home, asked.plan_id(), &[]);
    let mut stranger = Peer::tcp(daemon.port());
    stranger.next();
    let id = stranger.ask("compute").plan_id().to_owned();
    let session = stranger.session().to_owned();
    drop(stranger);
    daemon.wait_until_put_away();
    home.run(&["approve", &id, "--yes"]);
    let mut operator = daemon.connect();
    let [plan] = &waiting(&mut operator)[..] else {
        panic!("the operator's standing approval counted in a stranger's session")
    };
    assert_eq!(plan.text_at("session-id"), Some(&*session), "{plan}");
    assert_eq!(standing(&home)[0]["uses"], 0);
    drop(operator);
    daemon.kill();

    // Nor does the next daemon take it for the operator's, whoever joins it.
    let daemon = home.start_scripted(&[eval("(* 6 7)"), eval("(* 6 7)"), message("unasked")]);
    let mut operator = daemon.connect();
    operator.join(&session);
    assert_eq!(operator.ask("compute").outcome(), "WAITING");
    drop(operator);
    let mut own = daemon.connect();
    own.ask("/help");
    let session = own.session().to_owned();
    drop(own);
    daemon.wait_until_put_away();
    let mut own = daemon.connect();
    own.join(&session);
    assert_eq!(own.ask("compute").reply(), "unasked", "the operator's own is forgotten");
}

#[test]
fn a_session_of_which_nobody_knows_whose_it_is_is_a_strangers() {
    let home = guarded();
    let daemon = home.start_scripted(&[eval("(* 6 7)"), message("42 it is")]);
    let mut peer = daemon.connect();
    let asked = peer.ask("compute");
    remember(&home, asked.plan_id(), &[]);
    let session = peer.session().to_owned();
    daemon.kill();
    // As an older version left it: without an entry that says whose it is.
    let path = home.path().join(format!("data/turns/{session}.turns"));
    let text = std::fs::read_to_string(&path).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    assert!(first.ends_with("(:OWNER :OPERATOR)"), "{first}");
    std::fs::write(&path, rest).unwrap();

    let daemon = home.start_scripted(&[eval("(* 6 7)"), eval("(* 6 7)"), message("unasked")]);
    let mut peer = daemon.connect();
    peer.join(&session);
    assert_eq!(peer.ask("compute").outcome(), "WAITING");
    let prompt = home.prompts().last().unwrap().to_string();
    assert!(prompt.contains("42 it is"), "what was said in it is lost: {prompt}");
    assert_eq!(daemon.connect().ask("compute").reply(), "unasked");
}

#[test]
fn a_file_with_an_error_approves_nothing_names_the_line_and_can_be_emptied() {
    let home = guarded();
    let daemon = home.start_scripted(&[eval("(* 6 7)"), message("42 it is")]);
    let asked = daemon.connect().ask("compute");
    remember(&home, asked.plan_id(), &[]);
    daemon.kill();
    let path = home.path().join("data/approvals");
    let text = std::fs::read_to_string(&path).unwrap();
    let broken = format!("{text}(:STANDING \"no\" :ANYTHING T)\n");
    std::fs::write(&path, &broken).unwrap();
    let entry = text.lines().nth(1).unwrap();
    let id = entry.split('"').nth(1).unwrap();

    let daemon = home.start_scripted(&[eval("(* 6 7)"), message("then once")]);
    let mut peer = daemon.connect();
    let asked = peer.ask("compute");
    assert_eq!(asked.outcome(), "WAITING", "half a file was believed: {asked:?}");
    let listed = home.run(&["approvals", "list"]);
    assert!(
        listed.code == 1 && listed.err.contains("line 3") && listed.err.contains("ANYTHING"),
        "{listed:?}"
    );
    let doctor = home.run(&["doctor"]);
    assert!(
        (doctor.out + &doctor.err).contains("line 3"),
        "the doctor says nothing of it"
    );
    let refused = home.run(&["approve", asked.plan_id(), "--remember", "--yes"]);
    let said = format!("plan {} was not approved and still waits", asked.plan_id());
    assert!(
        refused.code == 1 && refused.err.contains("line 3") && refused.err.contains(&said),
        "{refused:?}"
    );
    assert!(!refused.err.contains("This would be approved"), "{refused:?}");
    let status = home.run(&["status"]);
    assert!(status.out.contains(asked.plan_id()), "{status:?}");
    assert!(
        !status.out.contains("--remember"),
        "what can only fail is offered: {status:?}"
    );
    assert!(
        listed.out.contains("Nothing counts") && !listed.out.contains("Nothing is"),
        "what was approved is there: {listed:?}"
    );
    let ran = home.run(&["approvals", "revoke", "--all"]);
    assert_eq!((ran.code, &*ran.out), (0, &*format!("taken back: {id}\n")), "{ran:?}");
    for said in ["note: ", "line 3", "ANYTHING", "It is empty now"] {
        assert!(ran.err.contains(said), "{said}: {ran:?}");
    }
    assert!(standing(&home).is_empty());
    let explained = home.run(&["explain", id]);
    assert!(explained.out.contains("revoked"), "{explained:?}");
    let ran = home.run(&["approvals", "revoke", "--all"]);
    assert_eq!(ran.out, "Nothing was approved once and for all.\n", "{ran:?}");
    assert!(ran.err.is_empty(), "{ran:?}");
    let once = remember(&home, asked.plan_id(), &[]);
    assert_eq!((&*once.out, standing(&home).len()), ("then once\n", 1));
}

#[test]
fn json_shows_no_raw_control_or_bidirectional_character_and_means_the_same() {
    let home = Home::new();
    let hidden = "a\u{9b}31m\u{202e}b\u{7f}";
    let _daemon = home.start_scripted(&[message(hidden)]);
    let ran = home.run(&["send", "--json", "hello"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("\\u202e") && ran.out.contains("\\u009b"), "{ran:?}");
    assert!(
        !ran.out
            .trim_end()
            .chars()
            .any(|char| char.is_control() || char == '\u{202e}'),
        "{ran:?}"
    );
    let value: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let texts: Vec<&str> = value["frames"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|frame| frame["text"].as_str())
        .collect();
    assert!(texts.contains(&hidden), "{texts:?}");
}

#[test]
fn who_revokes_says_what() {
    let home = Home::new();
    let daemon = home.start();
    let mut peer = daemon.connect();
    for payload in ["(:ACTION :REVOKE)", "(:ACTION :REVOKE :ID \"1a2b3c4d\" :ALL T)"] {
        let answer = peer.admin(payload);
        assert!(answer.get("CODE").is_some_and(|code| code.is_kw("REVOKE")), "{answer}");
    }
    let answer = peer.admin("(:ACTION :APPROVALS)");
    assert!(
        answer.get("APPROVALS").is_some_and(|list| *list == Form::Nil),
        "{answer}"
    );
}

#[test]
fn a_folder_in_the_place_of_the_file_is_to_be_moved_away() {
    let home = guarded();
    let path = home.path().join("data/approvals");
    std::fs::create_dir_all(path.join("something")).unwrap();
    let _daemon = home.start_scripted(&[message("unused")]);
    for args in [&["approvals", "list"][..], &["approvals", "revoke", "--all"]] {
        let ran = home.run(args);
        assert!(ran.code == 1 && ran.err.contains("no plain file"), "{ran:?}");
        assert!(ran.err.contains("move it away"), "{ran:?}");
    }
    std::fs::rename(&path, home.path().join("moved")).unwrap();
    assert_eq!(home.run(&["approvals", "revoke", "--all"]).code, 0);
    assert!(standing(&home).is_empty());
}
