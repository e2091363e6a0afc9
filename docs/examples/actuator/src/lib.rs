//! An actuator: carries out what goes to the target `:stop-watch`. It runs a command and tells how long that took.

use passepartout_sdk::{Action, Description, Function, Kind, Signal, Skill, export, process};

/// What stands at this path of an action is the command line that the gates have read.
const COMMAND: &str = "payload.cmd";

/// How the model learns of the target. It becomes part of the system prompt.
const MANDATE: &str = "To learn how long a command line takes: (:TYPE :REQUEST \
    :TARGET :STOP-WATCH :PAYLOAD (:CMD \"make\" :EXPLANATION \"why, in more than 10 characters\"))";

/// The skill.
#[derive(Debug)]
pub struct StopWatch;

impl Skill for StopWatch {
    fn describe() -> Description {
        Description::new("stop-watch", env!("CARGO_PKG_VERSION"))
            .target("stop-watch")
            .function(Function::Mandate)
    }

    fn mandate(_signal: &Signal) -> Option<String> {
        Some(MANDATE.to_owned())
    }

    fn act(action: &Action, _signal: &Signal) -> Result<String, String> {
        if action.kind(COMMAND) != Kind::Text {
            return Err("the payload needs a command line: :CMD \"…\"".to_owned());
        }
        // A path into the action, never a text: what runs is what the gates have passed.
        let output = process::run(action, COMMAND).map_err(|failure| failure.to_string())?;
        let ended = match output.exit_code {
            Some(code) => format!("exit code {code}"),
            None => "no exit code".to_owned(),
        };
        Ok(format!(
            "{ended} after {} ms\n{}{}",
            output.milliseconds, output.stdout, output.stderr
        ))
    }
}

export!(StopWatch);

#[cfg(test)]
mod tests {
    use passepartout_sdk::process::Output;
    use passepartout_sdk::test::Harness;

    use super::*;

    const MAKE: &str = "(:TYPE :REQUEST :TARGET :STOP-WATCH :PAYLOAD (:CMD \"make\"))";

    #[test]
    fn the_command_of_the_action_is_run_and_its_time_told() {
        let ended = Output {
            exit_code: Some(0),
            stdout: "done\n".to_owned(),
            milliseconds: 12,
            ..Output::default()
        };
        let mut harness = Harness::new().action(MAKE).answers(ended);
        assert_eq!(
            harness.act::<StopWatch>().as_deref(),
            Ok("exit code 0 after 12 ms\ndone\n")
        );
        assert_eq!(harness.commands(), ["make"]);
    }

    #[test]
    fn without_a_command_nothing_is_run() {
        let mut harness =
            Harness::new().action("(:TYPE :REQUEST :TARGET :STOP-WATCH :PAYLOAD NIL)");
        assert!(harness.act::<StopWatch>().is_err());
        assert!(harness.commands().is_empty());
    }
}
