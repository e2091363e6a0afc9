//! What a description may name and tell, and how much of it.

use crate::skill::{DescribeError, Description};

fn described(more: &str) -> Result<Description, String> {
    let text = format!("(:NAME \"x\" :VERSION \"1\" {more})");
    text.parse().map_err(|error: DescribeError| error.to_string())
}

#[test]
fn targets_actions_and_parameters_are_named_as_skills_are() {
    let long = "x".repeat(65);
    for bad in [
        "foo bar",
        "shell :payload (:cmd \\\"ls\\\") :x",
        "",
        "a\nb",
        "a\u{1b}[2J",
        "shell/eval",
        "ΐ",
        "\u{212A}",
        "1st",
        &long,
    ] {
        for (more, field) in [
            (format!(":FUNCTIONS (:ACT) :TARGETS (\"{bad}\")"), ":TARGETS"),
            (format!(":FUNCTIONS (:ACT) :TARGETS ((:GOOD \"{bad}\"))"), ":TARGETS"),
            (format!(":FUNCTIONS (:GATE) :GATE-TARGETS (\"{bad}\")"), ":GATE-TARGETS"),
        ] {
            let error = described(&more).unwrap_err();
            assert!(
                error.contains(field) && error.contains("letters, digits"),
                "{more}: {error}"
            );
            assert!(
                error.len() < 400 && !error.contains('\n') && !error.contains('\u{1b}'),
                "{error}"
            );
        }
        let tool = format!(
            ":FUNCTIONS (:CALL-TOOL) :TOOLS ((:NAME \"t\" :DESCRIPTION \"d\" :PARAMETERS ((:NAME \"{bad}\" :TYPE :STRING))))"
        );
        let error = described(&tool).unwrap_err();
        assert!(error.contains(":PARAMETERS 0 :NAME") && error.len() < 400, "{error}");
    }
    let good =
        described(":FUNCTIONS (:ACT :GATE) :TARGETS (:notes (\"radio-2\" say)) :GATE-TARGETS (shell)").unwrap();
    assert_eq!(good.targets[1].target, "RADIO-2");
    assert_eq!(good.gate_targets, Some(vec!["SHELL".to_owned()]));
}

#[test]
fn no_skill_is_called_as_the_host_is_which_refuses_in_its_own_name() {
    let called = |name: &str, more: &str| {
        let text = format!("(:NAME \"{name}\" :VERSION \"1\" :FUNCTIONS (:GATE) {more})");
        text.parse::<Description>().map_err(|error| error.to_string())
    };
    let error = called(crate::gate::chain::HOST, "").unwrap_err();
    assert!(
        error.contains(":NAME") && error.contains("the daemon itself refuses"),
        "{error}"
    );
    let waits_for_nobody = called("x", ":DEPENDS-ON (\"host\")").unwrap_err();
    assert!(waits_for_nobody.contains("can't name a skill"), "{waits_for_nobody}");
    assert!(called("hosts", ":GATE-TARGETS (:HOST)").is_ok());
}

#[test]
fn what_is_told_to_the_model_of_tools_has_bounds_each_for_itself_and_all_together() {
    let tools = |count: usize, told: usize, parameters: usize, of_each: usize| {
        let parameter = |n| {
            format!(
                "(:NAME \"p{n}\" :TYPE :STRING :DESCRIPTION \"{}\")",
                "x".repeat(of_each)
            )
        };
        let parameters: String = (0..parameters).map(parameter).collect();
        let tool = |n| {
            let told = "x".repeat(told);
            format!("(:NAME \"t{n}\" :DESCRIPTION \"{told}\" :PARAMETERS ({parameters}))")
        };
        let tools: String = (0..count).map(tool).collect();
        described(&format!(":FUNCTIONS (:CALL-TOOL) :TOOLS ({tools})"))
    };
    assert!(tools(1, 2_000, 50, 500).is_ok());
    for (count, told, parameters, of_each, said) in [
        (
            1,
            2_001,
            0,
            0,
            ":TOOLS 0 :DESCRIPTION: it has 2001 bytes, and 2000 is the most",
        ),
        (
            1,
            10,
            1,
            501,
            ":TOOLS 0 :PARAMETERS 0 :DESCRIPTION: it has 501 bytes, and 500",
        ),
        (20, 2_000, 0, 0, "all of it together is 41"),
    ] {
        let error = tools(count, told, parameters, of_each).unwrap_err();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn what_a_trigger_compares_and_how_far_a_skill_would_reach_have_bounds() {
    let long = "x".repeat(5_000);
    for (more, said) in [
        (
            format!(":FUNCTIONS (:PROMPT) :TRIGGERS ((:SOURCE \"{long}\"))"),
            "64 is the most",
        ),
        (
            format!(":FUNCTIONS (:PROMPT) :TRIGGERS ((:SENSOR \"{long}\"))"),
            "64 is the most",
        ),
        (
            format!(":FUNCTIONS (:PROMPT) :TRIGGERS ((:FIELD \"payload.text\" :EQUALS \"{long}\"))"),
            "500 is the most",
        ),
        (
            format!(":FUNCTIONS (:ACT) :TARGETS (:X) :RIGHTS (\"files:read:/{long}\")"),
            "a right has at most",
        ),
        (format!(":FUNCTIONS (:{long})"), "there is no function"),
        (format!(":FUNCTIONS (:GATE) :{long} 1"), "there is no key"),
    ] {
        let error = described(&more).unwrap_err();
        assert!(error.contains(said) && error.len() < 500, "{error}");
    }
}

#[test]
fn no_tool_and_no_parameter_is_declared_twice() {
    let tool = |name: &str, first: &str, second: &str| {
        format!(
            "(:NAME \"{name}\" :DESCRIPTION \"d\" :PARAMETERS ((:NAME \"{first}\" :TYPE :STRING) (:NAME \"{second}\" :TYPE \
             :STRING)))"
        )
    };
    let tools = |all: [String; 2]| described(&format!(":FUNCTIONS (:CALL-TOOL) :TOOLS ({})", all.join(" ")));
    assert!(tools([tool("one", "a", "b"), tool("two", "a", "b")]).is_ok());
    let error = tools([tool("one", "a", "b"), tool("one", "c", "d")]).unwrap_err();
    assert!(error.contains("the tool one is declared twice"), "{error}");
    for again in ["a_b", "A_b", "a-b"] {
        let error = tools([tool("one", "a_b", again), tool("two", "a", "b")]).unwrap_err();
        assert!(error.contains("the parameter a-b is declared twice"), "{error}");
    }
}
