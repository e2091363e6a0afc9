//! Sessions with a scripted model, over the real socket, against the built binary.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_tests::{Home, message, proposal};

#[test]
fn a_message_is_answered_by_the_model_and_reaches_the_client() {
    let home = Home::new();
    let daemon = home.start_scripted(&[message("hi there")]);
    let turn = daemon.connect().ask("hello");
    assert_eq!((turn.reply(), turn.outcome()), ("hi there", "ANSWERED"));
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
    assert!(
        prompts[1].to_string().contains("42"),
        "the output is in the next prompt: {}",
        prompts[1]
    );
}
