//! A tool that comes back later: the model calls it to have the person reminded of something.

use passepartout_sdk::{
    Action, Description, Function, Parameter, Signal, Skill, Tool, export, schedule,
};

/// What stands at this path of an action are the arguments of the call. They are an entry of the
/// schedule as they are: `:TEXT`, and `:AT`, `:EVERY` or `:CRON`.
const ENTRY: &str = "payload.args";

/// The skill.
#[derive(Debug)]
pub struct RemindLater;

impl Skill for RemindLater {
    fn describe() -> Description {
        let at = "once, at this moment in UTC, such as 2026-12-24T18:00:00Z";
        let every = "or again and again, this far apart: 15m, 2h, 1day";
        let cron = "or by minute, hour, day, month and day of the week in UTC: 0 7 * * 1-5";
        let tool = Tool::new("remind-later", "Reminds the person of something.")
            .parameter(Parameter::string("text", "of what").required())
            .parameter(Parameter::string("at", at))
            .parameter(Parameter::string("every", every))
            .parameter(Parameter::string("cron", cron));
        Description::new("remind-later", env!("CARGO_PKG_VERSION"))
            .tool(tool)
            .function(Function::CallTool)
            // `act` is what is called when an entry is due, and who acts has a target.
            .target("remind-later")
    }

    fn call_tool(_name: &str, action: &Action, _signal: &Signal) -> Result<String, String> {
        let id = schedule::add(action, ENTRY).map_err(|failure| failure.to_string())?;
        Ok(format!("the person will be reminded; this is entry {id}"))
    }

    fn act(action: &Action, _signal: &Signal) -> Result<String, String> {
        if action.target() != "SCHEDULE" {
            return Err("nothing is done for this target; call the tool".to_owned());
        }
        let text = action.text("payload.text").unwrap_or_default();
        Ok(format!("You wanted to be reminded: {text}"))
    }
}

export!(RemindLater);

#[cfg(test)]
mod tests {
    use passepartout_sdk::test::Harness;

    use super::*;

    fn call(args: &str) -> Harness {
        let action = format!(
            "(:TYPE :REQUEST :TARGET :TOOL :PAYLOAD (:TOOL \"remind-later\" :ARGS {args}))"
        );
        Harness::new().action(&action)
    }

    #[test]
    fn what_the_model_asks_for_is_scheduled() {
        let mut harness = call("(:TEXT \"water the plants\" :EVERY \"1day\")");
        let said = harness.call_tool::<RemindLater>("remind-later");
        assert!(said.is_ok(), "{said:?}");
        let [entry] = &harness.scheduled()[..] else {
            panic!("one entry: {:?}", harness.scheduled());
        };
        assert!(entry.contains(":TEXT \"water the plants\" :EVERY \"1day\""));
    }

    #[test]
    fn without_a_time_nothing_is_scheduled_and_the_model_is_told_what_is_missing() {
        let mut harness = call("(:TEXT \"water the plants\")");
        let said = harness.call_tool::<RemindLater>("remind-later");
        assert!(said.is_err_and(|why| why.contains(":EVERY")));
        assert!(harness.scheduled().is_empty());
    }

    #[test]
    fn when_it_is_due_the_person_is_told_and_at_other_times_nothing_happens() {
        let due = "(:TARGET :SCHEDULE :PAYLOAD (:ACTION :FIRED :ID \"1\" :TEXT \"the plants\"))";
        assert_eq!(
            Harness::new().action(due).act::<RemindLater>().as_deref(),
            Ok("You wanted to be reminded: the plants")
        );
        let other = "(:TARGET :REMIND-LATER :PAYLOAD (:TEXT \"the plants\"))";
        assert!(Harness::new().action(other).act::<RemindLater>().is_err());
    }
}
