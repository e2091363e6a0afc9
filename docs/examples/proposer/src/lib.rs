//! A tool that proposes a command of its own making: copies a folder of the workspace before it is changed.

use passepartout_sdk::{
    Action, Description, Function, Parameter, Signal, Skill, Tool, export, process,
};

/// What stands at this path of an action is the argument `folder` of the call.
const FOLDER: &str = "payload.args.folder";

/// The skill.
#[derive(Debug)]
pub struct CopyFolder;

impl Skill for CopyFolder {
    fn describe() -> Description {
        let tool = Tool::new("copy-folder", "Copies a folder of the workspace.")
            .parameter(Parameter::string("folder", "its name").required());
        Description::new("copy-folder", env!("CARGO_PKG_VERSION"))
            .tool(tool)
            .function(Function::CallTool)
    }

    fn call_tool(_name: &str, action: &Action, _signal: &Signal) -> Result<String, String> {
        let Some(folder) = action.text(FOLDER) else {
            return Err("the argument :FOLDER is missing".to_owned());
        };
        // A shell reads the command, so what is no plain name does not get into it.
        let is_plain = |char: char| char.is_ascii_alphanumeric() || char == '-';
        if folder.is_empty() || !folder.chars().all(is_plain) {
            return Err(format!("`{folder}` is no plain name of a folder"));
        }
        let command = format!("cp -r -- {folder} {folder}.copy");
        let explanation = format!("to keep {folder} as it is before it is changed");
        match process::propose(&command, &explanation) {
            Ok(output) if output.exit_code == Some(0) => Ok(format!("{folder}.copy is there")),
            Ok(output) => Err(format!("it was not copied: {}", output.stderr.trim())),
            // A gate refused it, or a person is asked first: the text says which.
            Err(failure) => Err(failure.to_string()),
        }
    }
}

export!(CopyFolder);

#[cfg(test)]
mod tests {
    use passepartout_sdk::process::{Failure, Output};
    use passepartout_sdk::test::Harness;

    use super::*;

    fn copying(folder: &str) -> Harness {
        let action = format!(
            "(:TYPE :REQUEST :TARGET :TOOL :PAYLOAD (:TOOL \"copy-folder\" :ARGS (:FOLDER \"{folder}\")))"
        );
        Harness::new().action(&action)
    }

    fn ended(exit_code: i32, stderr: &str) -> Output {
        Output {
            exit_code: Some(exit_code),
            stderr: stderr.to_owned(),
            ..Output::default()
        }
    }

    #[test]
    fn the_command_is_made_of_the_argument_and_proposed() {
        let mut harness = copying("notes").answers(ended(0, ""));
        let said = harness.call_tool::<CopyFolder>("copy-folder");
        assert_eq!(said.as_deref(), Ok("notes.copy is there"));
        assert_eq!(harness.commands(), ["cp -r -- notes notes.copy"]);
    }

    #[test]
    fn what_is_no_plain_name_gets_into_no_command() {
        for folder in ["notes; rm -rf .", "../elsewhere", "$HOME", ""] {
            let mut harness = copying(folder).answers(ended(0, ""));
            assert!(harness.call_tool::<CopyFolder>("copy-folder").is_err());
            assert!(harness.commands().is_empty(), "{folder}");
        }
    }

    #[test]
    fn the_model_is_told_that_a_person_is_asked_or_what_went_wrong() {
        let asked = Failure::NeedsApproval("plan 1a2b3c4d".to_owned());
        let mut harness = copying("notes").fails(asked);
        let said = harness.call_tool::<CopyFolder>("copy-folder");
        assert!(said.is_err_and(|why| why.contains("1a2b3c4d")));

        let mut harness = copying("notes").answers(ended(1, "cp: no such folder\n"));
        let said = harness.call_tool::<CopyFolder>("copy-folder");
        assert_eq!(
            said,
            Err("it was not copied: cp: no such folder".to_owned())
        );
    }
}
