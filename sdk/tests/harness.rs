//! What a skill sees when the harness plays the host.

use passepartout_sdk::log::Level;
use passepartout_sdk::process::{Failure as NotRun, Output};
use passepartout_sdk::test::Harness;
use passepartout_sdk::{
    Action, Ask, Description, Failure, Function, Kind, Origin, Restart, Signal, Skill, Tool, Trigger, Verdict,
    export, log, process, secrets, settings,
};

/// Has something of everything.
struct Everything;

impl Skill for Everything {
    fn describe() -> Description {
        Description::new("everything", "0.1.0")
            .function(Function::Trigger)
            .function(Function::Prompt)
            .function(Function::Gate)
            .function(Function::Recover)
            .target("shell")
    }

    fn trigger(signal: &Signal) -> bool {
        signal.sensor() == "USER-INPUT" && signal.source() == "CLI"
    }

    fn prompt(signal: &Signal) -> Option<String> {
        signal.text("payload.text").map(|text| format!("They said {text}."))
    }

    fn gate(action: &Action, signal: &Signal) -> Verdict {
        if signal.tainted() || secrets::contains(action, "payload") || secrets::in_text("nothing to see") {
            return Ask::new("secret", "a secret would leave").into();
        }
        Verdict::Pass
    }

    fn act(action: &Action, _signal: &Signal) -> Result<String, String> {
        let output = process::run(action, "payload.cmd").map_err(|failure| failure.to_string())?;
        log::info(format!("it wrote {} bytes", output.stdout.len()));
        process::run(action, "PAYLOAD.CMD")
            .map(|output| output.stdout)
            .map_err(|failure| failure.to_string())
    }

    fn recover(failure: &Failure, _signal: &Signal) -> Option<Restart> {
        (failure.code() == "LLM-ERROR").then(|| Restart::UseFallback(failure.message()))
    }
}

export!(Everything);

/// Has nothing but a name.
struct Nothing;

impl Skill for Nothing {
    fn describe() -> Description {
        Description::new("nothing", "0.1.0")
    }
}

export!(Nothing);

const SHELL: &str =
    r#"(:TARGET :SHELL :ORIGIN (:SKILL "lint") :PAYLOAD (:CMD "ls" :ARGS ("a" ("hunter2-hunter2") 3)))"#;
const HELLO: &str =
    r#"(:TYPE :EVENT :META (:SOURCE :CLI :TAINTED NIL) :DEPTH 2 :PAYLOAD (:SENSOR :USER-INPUT :TEXT "hello"))"#;

#[test]
fn action_and_signal_answer_for_their_fields() {
    Harness::new().action(SHELL).signal(HELLO).run(|action, signal| {
        assert_eq!(action.target(), "SHELL");
        assert_eq!(action.origin(), Origin::Skill("lint".to_owned()));
        assert_eq!(action.keys("payload"), ["CMD", "ARGS"]);
        assert_eq!(action.count("payload.args"), 3);
        assert_eq!(action.text("payload.args.1.0").as_deref(), Some("hunter2-hunter2"));
        assert_eq!(action.integer("payload.args.2"), Some(3));
        assert_eq!(
            action.printed("payload.args.1").as_deref(),
            Some("(\"hunter2-hunter2\")")
        );
        assert_eq!(action.size("payload.cmd"), 2);
        assert_eq!(
            (
                action.size("target"),
                action.size("nowhere"),
                action.count("payload.cmd")
            ),
            (0, 0, 0)
        );
        assert_eq!(
            (action.kind("payload.cmd"), action.kind("nowhere")),
            (Kind::Text, Kind::Missing)
        );
        assert_eq!((signal.depth(), signal.tainted()), (2, false));
    });
}

#[test]
fn triggers_and_prompts_see_the_signal() {
    let harness = Harness::new().signal(HELLO);
    assert!(harness.trigger::<Everything>());
    assert_eq!(harness.prompt::<Everything>().as_deref(), Some("They said hello."));
}

#[test]
fn secrets_are_found_at_any_depth_and_short_ones_are_not() {
    let harness = Harness::new().action(SHELL);
    assert_eq!(harness.gate::<Everything>(), Verdict::Pass);
    assert_eq!(harness.clone().secret("hunter2").gate::<Everything>(), Verdict::Pass);
    assert!(matches!(
        harness.secret("hunter2-hunter2").gate::<Everything>(),
        Verdict::Ask(_)
    ));
}

#[test]
fn a_command_of_the_action_runs_once_whatever_the_case_of_its_path() {
    let first = Output {
        stdout: "a.txt".to_owned(),
        ..Output::default()
    };
    let mut harness = Harness::new().action(SHELL).answers(first).answers(Output::default());
    let refused = harness.act::<Everything>().err().unwrap_or_default();
    assert!(refused.contains("was run already"), "{refused}");
    assert_eq!(harness.commands(), ["ls"]);
    assert_eq!(harness.log(), [(Level::Info, "it wrote 5 bytes".to_owned())]);
}

#[test]
fn only_a_string_of_the_action_can_be_run() {
    let mut harness = Harness::new().action(SHELL).answers(Output::default());
    harness.run(|action, _| {
        for path in ["target", "payload.args", "payload.nowhere", ""] {
            assert!(
                matches!(process::run(action, path), Err(NotRun::NotCleared(_))),
                "at {path}"
            );
        }
    });
    assert!(harness.commands().is_empty());
}

#[test]
fn as_in_the_host_only_what_the_gates_judged_as_a_command_can_be_run() {
    let mut harness = Harness::new()
        .action("(:TYPE :REQUEST :TARGET :OWN :PAYLOAD (:CMD \"ls\"))")
        .answers(Output::default());
    let refused = harness.run(|action, _| process::run(action, "payload.cmd"));
    assert!(matches!(refused, Err(NotRun::NotCleared(_))), "{refused:?}");
    assert!(harness.commands().is_empty());
}

#[test]
fn a_command_without_a_scripted_answer_is_unavailable() {
    let unscripted = Harness::new().run(|_, _| process::propose("date", "to know the day"));
    assert!(matches!(unscripted, Err(NotRun::Unavailable(_))));
    let refused = NotRun::NeedsApproval("plan 7".to_owned());
    let scripted = Harness::new()
        .fails(refused.clone())
        .run(|_, _| process::propose("date", "to know the day"));
    assert_eq!(scripted, Err(refused));
}

#[test]
fn settings_are_what_the_test_says_and_lists_come_as_lines() {
    let mut harness = Harness::new()
        .setting("workspace", "/home/me/work")
        .setting("hosts", "a.org\n\n b.org \n");
    harness.run(|_, _| {
        assert_eq!(settings::get("workspace").as_deref(), Some("/home/me/work"));
        assert_eq!(settings::list("hosts"), ["a.org", "b.org"]);
        assert_eq!(settings::list("nothing"), Vec::<String>::new());
    });
}

#[test]
fn recovering_sees_the_failure() {
    let harness = Harness::new().failure(r#"(:CODE :LLM-ERROR :TEXT "all providers failed")"#);
    let fallback = Restart::UseFallback("all providers failed".to_owned());
    assert_eq!(harness.recover::<Everything>(), Some(fallback));
}

#[test]
fn a_skill_without_functions_has_harmless_defaults() {
    let mut harness = Harness::new().action(SHELL).signal(HELLO);
    harness.run(|action, signal| {
        assert!(!Nothing::trigger(signal));
        assert_eq!((Nothing::prompt(signal), Nothing::mandate(signal)), (None, None));
        assert_eq!(Nothing::gate(action, signal), Verdict::Pass);
        assert_eq!(
            Nothing::act(action, signal),
            Err("this skill carries out nothing for :SHELL".to_owned())
        );
        assert_eq!(
            Nothing::call_tool("x", action, signal),
            Err("this skill has no tool `x`".to_owned())
        );
    });
}

#[test]
#[should_panic(expected = "add `.function(Function::Gate)`")]
fn a_gate_that_is_not_said_to_be_one_fails_its_test() {
    let _ = Harness::new().action(SHELL).gate::<Nothing>();
}

/// Says that it judges, acts for and offers other things than it is tried with.
struct Elsewhere;

impl Skill for Elsewhere {
    fn describe() -> Description {
        Description::new("elsewhere", "0.1.0")
            .gate_target("shel")
            .target_action("system", "eval")
            .tool(Tool::new("one", "does one thing"))
            .function(Function::CallTool)
    }

    fn act(_action: &Action, _signal: &Signal) -> Result<String, String> {
        Ok("done".to_owned())
    }
}

#[test]
#[should_panic(expected = "names no gate target :SHELL")]
fn a_gate_that_would_not_be_asked_about_the_action_fails_its_test() {
    let _ = Harness::new().action(SHELL).gate::<Elsewhere>();
}

#[test]
#[should_panic(expected = "names no target :SHELL")]
fn an_actuator_that_would_not_get_the_action_fails_its_test() {
    let _ = Harness::new().action(SHELL).act::<Elsewhere>();
}

#[test]
fn an_actuator_gets_the_action_that_its_target_and_verb_fit() {
    let action = r#"(:TARGET :SYSTEM :PAYLOAD (:ACTION :EVAL :CODE "1"))"#;
    assert_eq!(Harness::new().action(action).act::<Elsewhere>(), Ok("done".to_owned()));
}

#[test]
#[should_panic(expected = "declares no parameter \"FOO\"")]
fn an_argument_that_the_tool_does_not_declare_fails_its_test() {
    let action = r#"(:TARGET :TOOL :PAYLOAD (:TOOL "one" :ARGS (:FOO 1)))"#;
    let _ = Harness::new().action(action).call_tool::<Elsewhere>("one");
}

#[test]
#[should_panic(expected = "declares no tool \"two\"")]
fn a_tool_that_nobody_could_call_fails_its_test() {
    let _ = Harness::new().action(SHELL).call_tool::<Elsewhere>("two");
}

#[test]
#[should_panic(expected = "runs inside a call of passepartout_sdk::test::Harness")]
fn outside_a_call_there_is_no_host() {
    let _ = settings::get("workspace");
}

#[test]
#[should_panic(expected = "process.run")]
fn a_gate_that_runs_a_command_fails_its_test() {
    struct Runs;
    impl Skill for Runs {
        fn describe() -> Description {
            Description::new("runs", "0.1.0").function(Function::Gate)
        }
        fn gate(action: &Action, _signal: &Signal) -> Verdict {
            let _ = process::run(action, "payload.cmd");
            Verdict::Pass
        }
    }
    let _ = Harness::new().action(SHELL).gate::<Runs>();
}

#[test]
#[should_panic(expected = "the action of this harness cannot be read: the list that begins at byte 0 does not end")]
fn a_broken_plist_is_named() {
    let _ = Harness::new().action("(:TARGET :SHELL");
}

struct Misnamed;

impl Skill for Misnamed {
    fn describe() -> Description {
        Description::new("misnamed", "0.1.0").target("shell/eval")
    }
}

#[test]
#[should_panic(expected = ":SHELL/EVAL can't name a target")]
fn a_target_that_the_host_would_refuse_fails_the_test() {
    let _ = Harness::new().act::<Misnamed>();
}

/// Would refuse in the host's name.
struct Usurper;

impl Skill for Usurper {
    fn describe() -> Description {
        Description::new("host", "0.1.0").function(Function::Gate)
    }
}

#[test]
#[should_panic(expected = "\"host\" is the name under which the host itself refuses")]
fn a_skill_that_is_called_as_the_host_is_fails_its_test() {
    let _ = Harness::new().gate::<Usurper>();
}

/// Would reach a folder that is named as no grant can be.
struct Reaching;

impl Skill for Reaching {
    fn describe() -> Description {
        Description::new("reaching", "0.1.0")
            .target("notes")
            .reaches("files:read:notes")
    }
}

#[test]
#[should_panic(expected = "\"files:read:notes\" is no right: write the folder as an absolute path, or `workspace`")]
fn a_reach_that_can_be_no_right_fails_its_test() {
    let _ = Harness::new().act::<Reaching>();
}

struct Talkative;

impl Skill for Talkative {
    fn describe() -> Description {
        Description::new("talkative", "0.1.0")
            .function(Function::CallTool)
            .tool(Tool::new("talk", "x".repeat(2_001)))
    }
}

#[test]
#[should_panic(expected = "the description of the tool \"talk\" has more than 2000 bytes")]
fn a_description_that_is_longer_than_the_host_takes_fails_the_test() {
    let _ = Harness::new().call_tool::<Talkative>("talk");
}

/// Waits for what no signal of the tests is.
struct Deaf;

impl Skill for Deaf {
    fn describe() -> Description {
        Description::new("deaf", "0.1.0")
            .trigger(Trigger::new().sensor("user-inptu"))
            .trigger(Trigger::new().sensor("user-input").source("tui"))
            .trigger(Trigger::new().field_equals("payload.text", "bye"))
            .function(Function::Prompt)
    }

    fn prompt(_signal: &Signal) -> Option<String> {
        Some("heard".to_owned())
    }
}

export!(Deaf);

#[test]
#[should_panic(expected = "no trigger of `describe` fits this signal")]
fn a_prompt_that_no_trigger_means_fails_its_test() {
    let _ = Harness::new().signal(HELLO).prompt::<Deaf>();
}

#[test]
fn a_prompt_is_asked_for_where_one_of_its_triggers_fits() {
    for (from, to) in [(":CLI", ":TUI"), ("hello", "bye")] {
        let told = Harness::new().signal(&HELLO.replace(from, to)).prompt::<Deaf>();
        assert_eq!(told.as_deref(), Some("heard"), "{to}");
    }
}
