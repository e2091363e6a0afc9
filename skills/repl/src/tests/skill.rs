use passepartout_sdk::Skill;
use passepartout_sdk::test::Harness;

use crate::Repl;

fn action(code: &str) -> String {
    let code = code.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "(:TYPE :REQUEST :TARGET :SYSTEM :ORIGIN :PERSON :PAYLOAD (:ACTION :EVAL :CODE \"{code}\" :EXPLANATION \"…\"))"
    )
}

fn act(code: &str) -> Result<String, String> {
    Harness::new().action(&action(code)).act::<Repl>()
}

#[test]
fn the_sum_of_one_and_two_is_three_and_nothing_more() {
    assert_eq!(act("(+ 1 2)").as_deref(), Ok("3"));
}

#[test]
fn definitions_stay_from_one_action_to_the_next() {
    assert_eq!(act("(defun twice (x) (* 2 x))").as_deref(), Ok("TWICE"));
    assert_eq!(act("(defvar *count* 20)").as_deref(), Ok("*COUNT*"));
    assert_eq!(act("(twice (incf *count*))").as_deref(), Ok("42"));
    assert_eq!(act("*count*").as_deref(), Ok("21"));
}

#[test]
fn an_error_is_a_tool_error_and_the_session_goes_on() {
    let error = act("(setq kept 7) (undefined-thing 1)").unwrap_err();
    assert!(
        error.contains("The function COMMON-LISP-USER::UNDEFINED-THING is undefined."),
        "{error}"
    );
    assert_eq!(act("kept").as_deref(), Ok("7"));
}

#[test]
fn an_action_without_code_is_refused_with_what_it_needs() {
    for more in ["", " :CODE NIL", " :CODE (+ 1 2)", " :FORM \"1\""] {
        let error = Harness::new()
            .action(&format!("(:TARGET :SYSTEM :PAYLOAD (:ACTION :EVAL{more}))"))
            .act::<Repl>()
            .unwrap_err();
        assert!(error.contains(":CODE"), "for{more}: {error}");
    }
}

#[test]
fn the_description_declares_target_tool_and_state() {
    let printed = Repl::describe().to_string();
    for part in [
        "(:NAME \"repl\"",
        ":PRIORITY 200 :FUNCTIONS (:ACT) :TARGETS ((:SYSTEM :EVAL))",
        ":TOOLS ((:NAME \"eval\"",
        "(:NAME \"code\" :TYPE :STRING :REQUIRED T",
        "(:NAME \"explanation\" :TYPE :STRING :REQUIRED T",
        ":STATE T",
    ] {
        assert!(printed.contains(part), "{part} in {printed}");
    }
}
