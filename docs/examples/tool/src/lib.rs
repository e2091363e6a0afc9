//! A tool that the model can call: counts the words of a text.

use passepartout_sdk::{Action, Description, Function, Parameter, Signal, Skill, Tool, export};

/// What stands at this path of an action is the argument `text` of the call.
const TEXT: &str = "payload.args.text";

/// The skill.
#[derive(Debug)]
pub struct CountWords;

impl Skill for CountWords {
    fn describe() -> Description {
        let tool = Tool::new("count-words", "Counts the words of a text.")
            .parameter(Parameter::string("text", "the text").required());
        Description::new("count-words", env!("CARGO_PKG_VERSION"))
            .tool(tool)
            .function(Function::CallTool)
    }

    fn call_tool(_name: &str, action: &Action, _signal: &Signal) -> Result<String, String> {
        match action.text(TEXT) {
            Some(text) => Ok(format!("{} words", text.split_whitespace().count())),
            None => Err("the argument :TEXT is missing".to_owned()),
        }
    }
}

export!(CountWords);

#[cfg(test)]
mod tests {
    use passepartout_sdk::test::Harness;

    use super::*;

    fn call(args: &str) -> Result<String, String> {
        let action =
            format!("(:TYPE :REQUEST :TARGET :TOOL :PAYLOAD (:TOOL \"count-words\" :ARGS {args}))");
        Harness::new()
            .action(&action)
            .call_tool::<CountWords>("count-words")
    }

    #[test]
    fn words_are_counted() {
        assert_eq!(call("(:TEXT \"one two  three\")").as_deref(), Ok("3 words"));
        assert_eq!(call("(:TEXT \"\")").as_deref(), Ok("0 words"));
    }

    #[test]
    fn a_call_without_the_text_is_an_error_that_says_so() {
        assert_eq!(call("NIL"), Err("the argument :TEXT is missing".to_owned()));
    }
}
