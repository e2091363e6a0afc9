//! The actuator for `:shell`: runs the one command line of a cleared action in the operating system's jail, and tells the
//! model how it ended. It judges nothing, and cannot run any other command: it hands the host a path, not a text.

mod report;

use passepartout_sdk::{Action, Description, Kind, Parameter, Signal, Skill, Tool, export, process};

const COMMAND: &str = "payload.cmd";

/// The skill.
#[derive(Debug)]
pub struct Shell;

impl Skill for Shell {
    fn describe() -> Description {
        let tool = Tool::new(
            "shell",
            "Runs one command line with bash in the workspace, in a jail without the user's own files. Gives back how it \
             ended and what it wrote. A person may have to approve it first.",
        )
        .parameter(Parameter::string("cmd", "the command line, such as: grep -rn TODO src | head").required())
        .parameter(Parameter::string("explanation", "why it should run, in more than 10 characters").required());
        Description::new("shell", env!("CARGO_PKG_VERSION"))
            .priority(50)
            .target("shell")
            .tool(tool)
    }

    fn act(action: &Action, _signal: &Signal) -> Result<String, String> {
        match action.kind(COMMAND) {
            Kind::Text => {}
            Kind::Missing | Kind::Nil => return Err("there is no command: the payload needs :CMD \"…\"".to_owned()),
            _ => return Err("the command is not a string: the payload needs :CMD \"…\"".to_owned()),
        }
        process::run(action, COMMAND)
            .map(|output| report::of(&output))
            .map_err(|failure| failure.to_string())
    }
}

export!(Shell);

#[cfg(test)]
mod tests {
    use passepartout_sdk::process::{Failure, Output};
    use passepartout_sdk::test::Harness;

    use super::*;

    const LIST: &str = "(:TYPE :REQUEST :TARGET :SHELL :ORIGIN :MODEL :PAYLOAD (:CMD \"ls -l\" :EXPLANATION \"…\"))";

    #[test]
    fn the_command_of_the_action_is_run_once_and_its_output_given_back() {
        let ended = Output {
            exit_code: Some(0),
            stdout: "a.txt\n".to_owned(),
            jailed: true,
            ..Output::default()
        };
        let mut harness = Harness::new().action(LIST).answers(ended);
        assert_eq!(harness.act::<Shell>().as_deref(), Ok("exit code 0\nstdout:\na.txt\n"));
        assert_eq!(harness.commands(), ["ls -l"]);
    }

    #[test]
    fn a_command_that_fails_is_output_and_not_an_error() {
        let ended = Output {
            exit_code: Some(1),
            jailed: true,
            ..Output::default()
        };
        let result = Harness::new().action(LIST).answers(ended).act::<Shell>();
        assert_eq!(result.as_deref(), Ok("exit code 1\nno output\n"));
    }

    #[test]
    fn a_command_that_could_not_run_is_an_error_that_says_why() {
        let refused = Failure::Unavailable("no user namespaces".to_owned());
        let error = Harness::new()
            .action(LIST)
            .fails(refused)
            .act::<Shell>()
            .err()
            .unwrap_or_default();
        assert!(error.contains("no user namespaces"), "{error}");
    }

    #[test]
    fn an_action_without_a_command_runs_nothing() {
        for payload in [
            "NIL",
            "(:CMD NIL)",
            "(:CMD :LS)",
            "(:CMD (\"ls\"))",
            "(:COMMAND \"ls\")",
        ] {
            let mut harness = Harness::new().action(&format!("(:TARGET :SHELL :PAYLOAD {payload})"));
            let error = harness.act::<Shell>().err().unwrap_or_default();
            assert!(error.contains(":CMD"), "for {payload}: {error}");
            assert!(harness.commands().is_empty());
        }
    }

    #[test]
    fn the_description_declares_the_target_and_the_tool() {
        let printed = Shell::describe().to_string();
        assert!(
            printed.contains(":PRIORITY 50 :FUNCTIONS (:ACT) :TARGETS (:SHELL) :TOOLS ((:NAME \"shell\""),
            "{printed}"
        );
    }
}
