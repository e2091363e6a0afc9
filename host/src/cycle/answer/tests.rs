//! What of answers is a proposal, and what is text.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use proptest::prelude::*;

use super::*;
use crate::model::NativeCall;

const PROPOSAL: &str = r#"(:TYPE :REQUEST :TARGET :SHELL :PAYLOAD (:CMD "ls"))"#;

fn is_proposal(answer: &str) -> bool {
    matches!(read_text(answer), Reading::Proposal(form) if form.text_at("payload.cmd") == Some("ls"))
}

fn is_prose(answer: &str) -> bool {
    matches!(read_text(answer), Reading::Prose(text) if text == answer.trim())
}

#[test]
fn a_plist_alone_in_a_fence_before_or_after_prose_is_the_proposal() {
    assert!(is_proposal(PROPOSAL));
    assert!(is_proposal(&format!("```lisp\n{PROPOSAL}\n```")));
    assert!(
        is_proposal(&format!("```lisp\n{PROPOSAL}\n")),
        "a fence without its end"
    );
    assert!(is_proposal(&format!("I will look.\n\n{PROPOSAL}")));
    assert!(is_proposal(&format!("{PROPOSAL}\nThat lists the files.")));
    assert!(is_proposal(&format!(
        "{PROPOSAL}\n(:TYPE :REQUEST :TARGET :SHELL :PAYLOAD (:CMD \"rm x\"))"
    )));
    assert!(is_proposal(&format!("```\n{PROPOSAL}\n(:TOOL \"other\")\n```")));
}

#[test]
fn brackets_and_bare_keys_are_read_as_models_mean_them() {
    assert!(is_proposal(r#"[TYPE :REQUEST TARGET :SHELL :payload (:cmd "ls")]"#));
    assert!(matches!(
        read_text(r#"(:tool "read-file" :args (:path "x"))"#),
        Reading::Proposal(_)
    ));
}

#[test]
fn what_is_quoted_is_text() {
    assert!(is_prose(&format!("> {PROPOSAL}")));
    assert!(is_prose(&format!("The file says {PROPOSAL} and more.")));
    assert!(is_prose(&format!("    {PROPOSAL}")), "indented code");
    assert!(
        is_prose(&format!("```sh\necho hi\n{PROPOSAL}\n```")),
        "a fence that holds more than forms"
    );
    assert!(is_prose(&format!("(list\n{PROPOSAL}\n)")), "inside another form");
    assert!(
        is_prose(&format!("(\"a string with\n{PROPOSAL}\n\")")),
        "inside a string"
    );
    assert!(is_prose("(defun f (x) x) is a function."));
}

#[test]
fn a_message_whose_text_has_fences_and_brackets_is_unharmed() {
    let text = "Use:\n```lisp\n(:TOOL \"shell\")\n```\nand ((( too";
    let answer = crate::plist!(
        "TYPE" => crate::sexp::kw("REQUEST"),
        "PAYLOAD" => crate::plist!("ACTION" => crate::sexp::kw("MESSAGE"), "TEXT" => text),
    );
    match read_text(&answer.to_string()) {
        Reading::Proposal(form) => assert_eq!(form.text_at("payload.text"), Some(text)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_would_execute_is_unreadable_and_said_so() {
    for answer in ["(:TYPE :REQUEST :PAYLOAD #.(run))", "(:tool \"x\" :args #1=(#1#))"] {
        assert!(
            matches!(read_text(answer), Reading::Unreadable(why) if why.contains('#')),
            "{answer}"
        );
    }
}

#[test]
fn an_answer_made_to_be_read_again_and_again_is_read_once() {
    // Read anew at each step, they take minutes.
    let forms = format!("```\n(:TOOL \"x\"){}{}\n```", "()".repeat(90_000), " ".repeat(900_000));
    assert!(matches!(read_text(&forms), Reading::Proposal(_)));
    let line = format!("({}\n", "#|x|#".repeat(20));
    assert!(is_prose(&format!("{}#.x", line.repeat(10_000))));
}

#[test]
fn what_a_broken_form_holds_is_text_up_to_where_it_breaks() {
    assert!(is_prose(&format!("(list\n{PROPOSAL}\n#.x)")));
    assert!(is_proposal(&format!("(e.g. a, b)\n{PROPOSAL}")));
}

#[test]
fn unbalanced_brackets_are_text_for_the_user() {
    assert!(is_prose("(:TYPE :REQUEST :PAYLOAD (:ACTION :MESSAGE :TEXT \"hi\""));
    assert!(is_prose("(:TYPE :REQUEST :PAYLOAD (:ACTION :MESSAGE :TEXT \"hi"));
    assert!(is_prose(")))"));
}

#[test]
fn an_action_that_the_answer_ends_in_without_its_end_is_unreadable() {
    let is_unreadable = |answer: &str| matches!(read_text(answer), Reading::Unreadable(why) if why == UNFINISHED);
    for begun in [
        r#"(:TOOL "read-file" :ARGS (:PATH "x") :EXPLANATION "to see it""#,
        r#"(:TOOL "read-file" :ARGS (:PATH "x" :EXPLANATION "to see it")"#,
        r#"(:TOOL "read-file" :ARGS (:PATH "x") :EXPLANATION "to see it)"#,
        r#"(tool "read-file" :args (:path "x")"#,
        r#"[:tool "read-file" :args [:path "x"]"#,
        r#"(:TYPE :REQUEST :TARGET :SHELL :PAYLOAD (:CMD "ls")"#,
        r#"(:TYPE :REQUEST :TARGET :SHELL :PAYLOAD (:CMD "echo :MESSAGE")"#,
        r#"(:TARGET :SHELL :TYPE :REQUEST"#,
    ] {
        assert!(is_unreadable(begun), "{begun}");
        assert!(is_unreadable(&format!("I will look at it.\n{begun}\n")), "{begun}");
        assert!(is_unreadable(&format!("```lisp\n{begun}\n```\n")), "{begun}");
        assert!(is_unreadable(&format!("```lisp\n{begun}")), "{begun}");
        assert!(
            is_prose(&format!("So it begins:\n```lisp\n{begun}\n```\nAnd so on.")),
            "{begun}"
        );
        assert!(is_prose(&format!("> {begun}")), "{begun}");
        assert!(is_prose(&format!("The file says {begun}")), "{begun}");
        assert!(is_prose(&format!("    {begun}")), "{begun}");
    }
    for prose in [
        r#"(:TYPE :REQUEST :TARGET :CLI :PAYLOAD (:ACTION :MESSAGE :TEXT "use (:TOOL "#,
        "(Tool calls are shown here",
        "(Target shooting is meant",
        "(:TOOL",
    ] {
        assert!(is_prose(prose), "{prose}");
    }
}

#[test]
fn nothing_but_a_call_as_models_are_trained_to_write_it_is_unreadable() {
    let call = "<tool_call>\n{\"name\": \"shell\", \"arguments\": {\"cmd\": \"ls\"}}\n</tool_call>";
    let is_foreign = |answer: &str| matches!(read_text(answer), Reading::Unreadable(why) if why == FOREIGN);
    assert!(is_foreign(call) && is_foreign(&format!("\n{call}\n{call}\n")));
    assert!(is_foreign(call.trim_end_matches("</tool_call>")));
    for prose in [
        format!("Some models write\n{call}"),
        format!("{call}\nis how some models write it."),
        format!("```\n{call}\n```"),
        format!("> {call}"),
        "<tool_call> is a mark that some models write".to_owned(),
    ] {
        assert!(is_prose(&prose), "{prose}");
    }
}

#[test]
fn the_first_native_call_is_the_proposal_whatever_stands_in_the_text() {
    let call = |arguments: &str| NativeCall {
        name: "shell".to_owned(),
        arguments: arguments.to_owned(),
    };
    let answer = |calls| Answer {
        text: format!("I look.\n{PROPOSAL}"),
        calls,
        provider: String::new(),
    };
    let two = answer(vec![call(r#"{"cmd": "pwd"}"#), call(r#"{"cmd": "rm x"}"#)]);
    match read_answer(&two) {
        Reading::Proposal(form) => assert_eq!(form.to_string(), r#"(:TOOL "shell" :ARGS (:CMD "pwd"))"#),
        other => panic!("{other:?}"),
    }
    // One that can't be read is not passed over for the next, nor for the text.
    let broken = answer(vec![call(r#"{"cmd": "ls", "CMD": "rm"}"#), call(r#"{"cmd": "pwd"}"#)]);
    assert!(matches!(read_answer(&broken), Reading::Unreadable(why) if why.contains("twice")));
    assert!(matches!(read_answer(&answer(Vec::new())), Reading::Proposal(_)));
}

proptest! {
    #[test]
    fn no_answer_panics(answer in "(\\PC|\\n|[(`\"):])*") {
        let _ = read_text(&answer);
    }

    #[test]
    fn no_quotation_is_a_proposal(before in "[a-z ]{1,20}") {
        let quoted = format!("{before}{PROPOSAL}");
        prop_assert!(before.trim().is_empty() || is_prose(&quoted));
    }
}
