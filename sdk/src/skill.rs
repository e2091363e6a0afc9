//! The one trait a skill implements.

use crate::{Action, Description, Failure, Restart, Signal, Verdict};

/// What a skill gives the host. Each function but [`describe`](Skill::describe) has a default; the host calls only those
/// that the description names.
pub trait Skill {
    /// What the skill is, and which of its functions are real.
    fn describe() -> Description;

    /// Whether the skill's prompt is meant for this signal. It chooses prompts and nothing else: it excuses no gate.
    /// Where a sensor, a source or a field decides, declare a [`Trigger`](crate::Trigger) instead, which costs no call.
    fn trigger(_signal: &Signal) -> bool {
        false
    }

    /// What is said to the model beside the user's text, when this skill is the one that was triggered.
    fn prompt(_signal: &Signal) -> Option<String> {
        None
    }

    /// What the skill adds to the system prompt.
    fn mandate(_signal: &Signal) -> Option<String> {
        None
    }

    /// Judges an action, before anything happens. The verdict may depend on the action, the signal and the settings,
    /// and on nothing else; only [`settings`](crate::settings), [`log`](crate::log) and, if granted,
    /// [`secrets`](crate::secrets) can be used here. A gate that panics has rejected.
    fn gate(_action: &Action, _signal: &Signal) -> Verdict {
        Verdict::Pass
    }

    /// Carries out an action that every gate has passed, for one of the skill's targets. The text goes back to the
    /// model.
    ///
    /// # Errors
    /// What went wrong, in words the model can use. It goes back as a tool error.
    fn act(action: &Action, _signal: &Signal) -> Result<String, String> {
        Err(format!("this skill carries out nothing for :{}", action.target()))
    }

    /// Runs the skill's tool `name` with the arguments in `payload.args` of an action that every gate has passed.
    ///
    /// # Errors
    /// What went wrong, in words the model can use. It goes back as a tool error.
    fn call_tool(name: &str, _action: &Action, _signal: &Signal) -> Result<String, String> {
        Err(format!("this skill has no tool `{name}`"))
    }

    /// Asked when a cycle failed: how to go on, or `None` to leave it to others. Needs the right to recover.
    fn recover(_failure: &Failure, _signal: &Signal) -> Option<Restart> {
        None
    }
}
