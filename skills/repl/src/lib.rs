//! The actuator for `:system` `:eval`: evaluates a subset of Common Lisp in the skill's jail, and keeps a session's
//! definitions. It reaches nothing outside: no files, no network, no clock; all it gives back is text.

mod arithmetic;
mod bounds;
mod builtins;
mod character;
mod decimal;
mod fault;
mod format;
mod heap;
mod machine;
mod natural;
mod number;
mod prelude;
mod printer;
mod rational;
mod reader;
mod session;
mod special;
mod symbols;
mod table;
mod token;
mod value;
mod world;

use std::cell::RefCell;

use passepartout_sdk::{Action, Description, Kind, Parameter, Signal, Skill, Tool, export};

pub use session::Session;

const CODE: &str = "payload.code";

thread_local! {
    // The host calls functions and not an object, and gives each session an instance of its own: so the instance is the
    // only place where a session's definitions can stay.
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
}

/// The skill.
#[derive(Debug)]
pub struct Repl;

impl Skill for Repl {
    fn describe() -> Description {
        let tool = Tool::new(
            "eval",
            "Evaluates Common Lisp forms and gives back what they print and their values, one a line. Definitions stay \
             for the session. It computes: numbers of any length, strings, lists, vectors, hash tables, structures, \
             macros, LOOP, FORMAT, HANDLER-CASE; no CLOS, packages, files, network or clock.",
        )
        .parameter(Parameter::string("code", "the forms, such as: (reduce #'+ '(1 2 3))").required())
        .parameter(Parameter::string("explanation", "why it should be evaluated, in more than 10 characters").required());
        Description::new("repl", env!("CARGO_PKG_VERSION"))
            .priority(200)
            .target_action("system", "eval")
            .tool(tool)
            .keeps_state()
    }

    fn act(action: &Action, _signal: &Signal) -> Result<String, String> {
        match action.kind(CODE) {
            Kind::Text => {}
            Kind::Missing | Kind::Nil => return Err("there is no code: the payload needs :CODE \"…\"".to_owned()),
            _ => return Err("the code is not a string: the payload needs :CODE \"…\"".to_owned()),
        }
        let code = action.text(CODE).unwrap_or_default();
        SESSION.with_borrow_mut(|kept| {
            let session = match kept {
                Some(session) => session,
                None => kept.insert(Session::new()?),
            };
            session.evaluate(&code)
        })
    }
}

export!(Repl);

#[cfg(test)]
mod tests;
