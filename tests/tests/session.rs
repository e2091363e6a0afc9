//! Sessions with a scripted model, over the real socket, against the built binary: what a model proposes, what gates
//! make of it, and what comes back to the model.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_tests::model::HeldModel;
use passepartout_tests::script::{eval, last_message, messages, system, unexplained};
use passepartout_tests::{Home, message, proposal};

const RUIN: &str = "shell-remove-everything";

#[test]
fn a_message_is_answered_by_the_model_and_reaches_the_client() {
    let home = Home::new();
    let daemon = home.start_scripted(&[message("hi there")]);
    let turn = daemon.connect().ask("hello");
    assert_eq!((turn.reply(), turn.outcome()), ("hi there", "ANSWERED"));
}

#[test]
fn plain_text_of_a_model_is_a_reply() {
    let home = Home::new();
    let daemon = home.start_scripted(&["Just text, (with brackets) and \"quotes\".".to_owned()]);
    let turn = daemon.connect().ask("hello");
    assert_eq!(turn.reply(), "Just text, (with brackets) and \"quotes\".");
}

#[test]
fn a_shell_action_asks_is_approved_in_the_chat_runs_and_its_output_is_reasoned_over() {
    let home = Home::new();
    let daemon = home.start_scripted(&[
        proposal("echo $((6*7)) > made.txt; cat made.txt"),
        message("it says 42"),
    ]);
    let mut peer = daemon.connect();
    let asked = peer.ask("compute");
    assert_eq!(asked.outcome(), "WAITING");
    assert!(
        !home.workspace().join("made.txt").exists(),
        "it ran before it was approved"
    );
    let approved = peer.ask(&format!("/approve {}", asked.plan_id()));
    assert_eq!((approved.reply(), approved.outcome()), ("it says 42", "ANSWERED"));
    assert_eq!(
        std::fs::read_to_string(home.workspace().join("made.txt")).unwrap(),
        "42\n"
    );
    let prompts = home.prompts();
    let (role, text) = last_message(&prompts[1]);
    assert!(
        role == "TOOL" && text.contains("exit code 0") && text.contains("42"),
        "{role}: {text}"
    );
}

#[test]
fn a_denied_shell_action_does_not_run_and_the_model_is_told_why() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("touch made.txt"), message("then not")]);
    let mut peer = daemon.connect();
    let asked = peer.ask("make a file");
    let id = asked.plan_id();
    let denied = peer.ask(&format!("/deny {id} not in this folder"));
    assert_eq!((denied.reply(), denied.outcome()), ("then not", "ANSWERED"));
    assert!(!home.workspace().join("made.txt").exists());
    let prompts = home.prompts();
    let (role, text) = last_message(&prompts[1]);
    assert_eq!(role, "TOOL");
    assert!(
        text.contains("REJECTED") && text.contains("not in this folder"),
        "{text}"
    );
    let late = peer.ask(&format!("/approve {id}"));
    assert_eq!(late.outcome(), "REFUSED-MESSAGE");
    assert!(late.errors()[0].contains("denied"), "{late:?}");
    assert!(
        !home.workspace().join("made.txt").exists(),
        "a denied plan was carried out"
    );
}

#[test]
fn a_shell_proposal_without_an_explanation_is_rejected_and_the_second_one_accepted() {
    let home = Home::new();
    let daemon = home.start_scripted(&[unexplained("echo one | tee said"), proposal("echo two | tee said")]);
    let turn = daemon.connect().ask("do it");
    assert_eq!(turn.outcome(), "WAITING");
    assert!(turn.plan().text_at("text").unwrap().contains("echo two"), "{turn:?}");
    assert!(
        turn.all("REFUSAL").is_empty(),
        "the user is told of a refusal that the model repaired"
    );
    assert_trace_in_second_prompt(
        &home,
        "policy",
        "missing-explanation",
        &unexplained("echo one | tee said"),
    );
}

#[test]
fn a_message_without_an_explanation_is_rejected_and_the_second_one_accepted() {
    let bare = "(:TYPE :REQUEST :PAYLOAD (:ACTION :MESSAGE :TEXT \"psst\"))";
    let home = Home::new();
    let daemon = home.start_scripted(&[bare.to_owned(), message("hello")]);
    let turn = daemon.connect().ask("hi");
    assert_eq!((turn.reply(), turn.outcome()), ("hello", "ANSWERED"));
    assert_trace_in_second_prompt(&home, "policy", "missing-explanation", bare);
}

#[test]
fn an_explanation_of_ten_characters_is_too_short() {
    let short = "(:TYPE :REQUEST :PAYLOAD (:ACTION :MESSAGE :TEXT \"psst\" :EXPLANATION \"  ten chars.  \"))";
    let home = Home::new();
    let daemon = home.start_scripted(&[short.to_owned(), message("hello")]);
    assert_eq!(daemon.connect().ask("hi").reply(), "hello");
    assert_trace_in_second_prompt(&home, "policy", "short-explanation", short);
}

#[test]
fn removing_the_root_of_the_file_system_is_rejected_and_never_becomes_a_plan() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("rm -rf /"), message("I won't")]);
    let mut peer = daemon.connect();
    let turn = peer.ask("clean up");
    assert_eq!((turn.reply(), turn.outcome()), ("I won't", "ANSWERED"));
    assert!(turn.all("PLAN").is_empty());
    assert_trace_in_second_prompt(&home, "dispatcher", RUIN, &proposal("rm -rf /"));
    assert_eq!(peer.ask("/plans").reply(), "Nothing waits for you in this session.");
}

/// The first prompt knows of no rejection; the second has this one in its system prompt and, after the refused answer,
/// as the last message.
fn assert_trace_in_second_prompt(home: &Home, gate: &str, rule: &str, refused: &str) {
    let prompts = home.prompts();
    assert_eq!(prompts.len(), 2);
    let trace = format!("(:GATE \"{gate}\" :RULE \"{rule}\" :FIELD \"payload");
    assert!(!system(&prompts[0]).contains("REJECTED"), "{}", prompts[0]);
    assert!(system(&prompts[1]).contains(&trace), "{}", prompts[1]);
    let said = messages(&prompts[1]);
    let (role, text) = said[said.len() - 1];
    assert!(role == "TOOL" && text.contains(&trace), "{role}: {text}");
    assert_eq!(said[said.len() - 2], ("ASSISTANT", refused));
}

#[test]
fn three_rejections_in_a_row_end_in_a_notice_with_gate_and_rule_of_each() {
    let home = Home::new();
    let silent = "(:TYPE :REQUEST :PAYLOAD (:ACTION :MESSAGE :TEXT \"psst\"))";
    let answers = [
        unexplained("touch made.txt"),
        proposal("rm -rf /"),
        silent.to_owned(),
        message("still here"),
    ];
    let daemon = home.start_scripted(&answers);
    let mut peer = daemon.connect();
    let turn = peer.ask("go");
    assert_eq!(turn.outcome(), "REFUSED");
    assert_eq!(
        turn.rejections(),
        [
            ("policy", "missing-explanation"),
            ("dispatcher", RUIN),
            ("policy", "missing-explanation")
        ]
    );
    assert!(
        turn.replies().is_empty() && turn.all("PLAN").is_empty(),
        "something was dispatched: {turn:?}"
    );
    assert!(!home.workspace().join("made.txt").exists());
    let prompts = home.prompts();
    assert_eq!(prompts.len(), 3, "a fourth proposal was asked for");
    assert!(system(&prompts[2]).contains("missing-explanation") && system(&prompts[2]).contains(RUIN));
    assert_eq!(peer.ask("and now?").reply(), "still here");
    assert!(
        !system(&home.prompts()[3]).contains("REJECTED"),
        "rejections of one turn are held against the next"
    );
}

#[test]
fn a_refusal_is_told_on_the_command_line_with_an_exit_code_of_its_own() {
    let home = Home::new();
    let answers = [unexplained("ls"), unexplained("ls"), unexplained("ls")];
    let _daemon = home.start_scripted(&answers);
    let ran = home.run(&["send", "go"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert_eq!(ran.err.matches("policy (missing-explanation)").count(), 1, "{ran:?}");
    assert!(ran.err.contains("3 times in a row"), "{ran:?}");
    assert!(ran.out.is_empty(), "{ran:?}");
}

#[test]
fn a_turn_deeper_than_ten_is_stopped_and_said_so_and_goes_on_when_told_to() {
    let home = Home::new();
    let mut answers: Vec<String> = (1..=12).map(|step| eval(&format!("(list :step {step})"))).collect();
    answers.push(message("all steps are done"));
    let mut daemon = home.start_scripted(&answers);
    let mut peer = daemon.connect();
    let turn = peer.ask("go step by step");
    assert_eq!(turn.outcome(), "FAILED");
    let [error] = turn.all("ERROR")[..] else {
        panic!("{turn:?}")
    };
    assert!(error.at("code").is_some_and(|code| code.is_kw("DEPTH")), "{error}");
    assert!(error.text_at("text").unwrap().contains("/continue"), "{error}");
    assert_eq!(
        home.prompts().len(),
        11,
        "depths 0 to 10 were reasoned over, and no other"
    );

    let mut other = daemon.connect();
    let nothing = other.ask("/continue");
    assert!(nothing.errors()[0].contains("nothing to continue"), "{nothing:?}");

    let more = peer.ask("/continue");
    assert_eq!((more.reply(), more.outcome()), ("all steps are done", "ANSWERED"));
    let prompts = home.prompts();
    assert_eq!(prompts.len(), 13);
    let (role, text) = last_message(&prompts[11]);
    assert!(
        role == "TOOL" && text.contains("STEP 11"),
        "the dropped result is lost: {text}"
    );
    assert_eq!(
        peer.ask("/continue").outcome(),
        "FAILED",
        "what was continued once is continued again"
    );
    daemon.assert_healthy();
}

/// The answers of a model that goes a step too deep.
fn too_deep() -> Vec<String> {
    (1..=11).map(|step| eval(&format!("(list :step {step})"))).collect()
}

#[test]
fn after_a_stop_for_its_depth_the_model_knows_the_last_result_whatever_the_person_says_next() {
    let home = Home::new();
    let mut answers = too_deep();
    answers.push(message("it was the eleventh"));
    let daemon = home.start_scripted(&answers);
    let mut peer = daemon.connect();
    assert_eq!(peer.ask("go step by step").outcome(), "FAILED");
    assert_eq!(peer.ask("which step was that?").reply(), "it was the eleventh");
    let prompts = home.prompts();
    let said = messages(&prompts[11]);
    let [.., (_, call), (role, result), (_, over), last] = &said[..] else {
        panic!("{said:?}")
    };
    assert!(call.contains("step 11"), "{call}");
    assert!(*role == "TOOL" && result.contains("STEP 11"), "{role}: {result}");
    assert!(
        over.contains("is over") && over.contains("the host stopped it"),
        "{over}"
    );
    assert_eq!(*last, ("USER", "which step was that?"));
    let nothing = peer.ask("/continue");
    assert!(nothing.errors()[0].contains("nothing to continue"), "{nothing:?}");
}

#[test]
fn a_turn_that_was_stopped_for_its_depth_goes_on_after_everybody_left_and_after_a_restart_with_its_result_said_once()
{
    let home = Home::new();
    let session = {
        let daemon = home.start_scripted(&too_deep());
        let mut peer = daemon.connect();
        assert_eq!(peer.ask("go step by step").outcome(), "FAILED");
        let session = peer.session().to_owned();
        drop(peer);
        daemon.wait_until_put_away();
        session
    };
    let daemon = home.start_scripted(&[message("all steps are done")]);
    let mut peer = daemon.connect();
    peer.join(&session);
    assert_eq!(peer.ask("/continue").reply(), "all steps are done");
    let prompts = home.prompts();
    let last = prompts.last().unwrap();
    let (role, text) = last_message(last);
    assert!(role == "TOOL" && text.contains("STEP 11"), "{role}: {text}");
    let results = messages(last)
        .iter()
        .filter(|(_, text)| text.contains("STEP 11"))
        .count();
    assert_eq!(results, 1, "{last}");
    assert_eq!(peer.ask("/continue").outcome(), "FAILED");
}

#[test]
fn a_continued_turn_that_is_stopped_before_it_says_anything_can_be_continued_again() {
    let home = Home::new();
    {
        let daemon = home.start_scripted(&too_deep());
        assert_eq!(daemon.connect().ask("go step by step").outcome(), "FAILED");
        assert!(daemon.stop().success());
    }
    let turns = std::fs::read_dir(home.path().join("data/turns")).unwrap();
    let name = turns.flatten().next().unwrap().file_name().into_string().unwrap();
    let session = name.strip_suffix(".turns").unwrap();
    let model = HeldModel::start();
    let home = home.config(&format!(
        "[model]\ncascade = [\"local\"]\n\n[providers.local]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\n",
        model.port
    ));
    let daemon = home.start();
    let mut peer = daemon.connect();
    peer.join(session);
    // The first is stopped while the model is asked, the second before it begins.
    let first = peer.say("/continue");
    model.asked();
    let second = peer.say("/continue");
    for request in [first, second] {
        peer.say("/stop");
        assert_eq!(peer.turn(&request).outcome(), "CANCELLED");
    }
    model.answer();
    // What answers the last `/stop` may come only now.
    let turn = peer.ask("/continue");
    assert!(turn.replies().contains(&"hi"), "{turn:#?}");
}

#[test]
fn when_no_provider_answers_the_user_is_told_and_the_daemon_lives() {
    let home = Home::new();
    let mut daemon = home.start_scripted(&[message("my only answer")]);
    let mut peer = daemon.connect();
    assert_eq!(peer.ask("one").reply(), "my only answer");
    let turn = peer.ask("two");
    assert_eq!(turn.outcome(), "EXHAUSTED");
    assert!(turn.replies().is_empty());
    let [error] = turn.all("ERROR")[..] else {
        panic!("{turn:?}")
    };
    assert!(
        error.at("code").is_some_and(|code| code.is_kw("PROVIDERS-EXHAUSTED")),
        "{error}"
    );
    assert!(
        error.text_at("text").unwrap().contains("script"),
        "it names who was asked: {error}"
    );
    daemon.assert_healthy();
    let ran = home.run(&["send", "three"]);
    assert_eq!(ran.code, 6, "{ran:?}");
}
