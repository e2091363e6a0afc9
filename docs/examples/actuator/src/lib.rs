//! An actuator: carries out what goes to the target `:running-total`. It adds numbers up, each session for itself.

use std::cell::Cell;

use passepartout_sdk::{Action, Description, Function, Signal, Skill, export};

/// What stands at this path of an action is what is to be added.
const NUMBER: &str = "payload.add";

/// How the model learns of the target. It becomes part of the system prompt.
const MANDATE: &str = "To add a number to the running total of this conversation: \
    (:TYPE :REQUEST :TARGET :RUNNING-TOTAL :PAYLOAD (:ADD 3 :EXPLANATION \"why it is added\"))";

thread_local! {
    // The host gives each session an instance of its own, because the description says that state
    // is kept. So what stands here is the session's.
    static TOTAL: Cell<i64> = const { Cell::new(0) };
}

/// The skill.
#[derive(Debug)]
pub struct RunningTotal;

impl Skill for RunningTotal {
    fn describe() -> Description {
        Description::new("running-total", env!("CARGO_PKG_VERSION"))
            .target("running-total")
            .function(Function::Mandate)
            .keeps_state()
    }

    fn mandate(_signal: &Signal) -> Option<String> {
        Some(MANDATE.to_owned())
    }

    fn act(action: &Action, _signal: &Signal) -> Result<String, String> {
        let Some(number) = action.integer(NUMBER) else {
            return Err("the payload needs an integer: :ADD 3".to_owned());
        };
        let Some(total) = TOTAL.get().checked_add(number) else {
            return Err("the total would be too large".to_owned());
        };
        TOTAL.set(total);
        Ok(format!("the total is {total}"))
    }
}

export!(RunningTotal);

#[cfg(test)]
mod tests {
    use passepartout_sdk::test::Harness;

    use super::*;

    fn add(payload: &str) -> Result<String, String> {
        let action = format!("(:TYPE :REQUEST :TARGET :RUNNING-TOTAL :PAYLOAD {payload})");
        Harness::new().action(&action).act::<RunningTotal>()
    }

    #[test]
    fn numbers_are_added_up_from_call_to_call() {
        assert_eq!(add("(:ADD 3)").as_deref(), Ok("the total is 3"));
        assert_eq!(add("(:ADD -1)").as_deref(), Ok("the total is 2"));
    }

    #[test]
    fn what_is_no_integer_is_an_error_that_says_so() {
        assert!(add("(:ADD \"three\")").is_err());
        assert!(add("NIL").is_err());
    }
}
