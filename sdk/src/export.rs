//! From a [`Skill`] to the component's exports.

use std::marker::PhantomData;

use crate::bindings::exports::passepartout::skill::skill as exported;
use crate::{Action, Failure, Signal, Skill, Verdict};

/// Makes the type the skill that this crate's component exports. Write it once, at the end of the crate.
///
/// On a native target it exports nothing: there, the crate's tests call the skill.
#[cfg(target_arch = "wasm32")]
#[macro_export]
macro_rules! export {
    ($skill:ty) => {
        const _: () = {
            type Exported = $crate::Component<$skill>;
    $crate::bindings::export_component!(Exported with_types_in $crate::bindings);
        };
    };
}

/// Makes the type the skill that this crate's component exports. Write it once, at the end of the crate.
///
/// On a native target it exports nothing: there, the crate's tests call the skill.
#[cfg(not(target_arch = "wasm32"))]
#[macro_export]
macro_rules! export {
    ($skill:ty) => {
        const _: fn() -> $crate::Description = <$skill as $crate::Skill>::describe;
    };
}

/// The exported interface, answered by the skill `S`. Only [`export!`] names it.
#[doc(hidden)]
#[derive(Debug)]
pub struct Component<S>(PhantomData<S>);

impl<S: Skill> exported::Guest for Component<S> {
    fn describe() -> String {
        S::describe().to_string()
    }

    fn trigger(signal: u32) -> bool {
        S::trigger(&Signal::from_handle(signal))
    }

    fn prompt(signal: u32) -> Option<String> {
        S::prompt(&Signal::from_handle(signal))
    }

    fn mandate(signal: u32) -> Option<String> {
        S::mandate(&Signal::from_handle(signal))
    }

    fn gate(action: u32, signal: u32) -> exported::Verdict {
        match S::gate(&Action::from_handle(action), &Signal::from_handle(signal)) {
            Verdict::Pass => exported::Verdict::Pass,
            Verdict::Revise(payload) => exported::Verdict::Revise(payload),
            Verdict::Reject(rejection) => exported::Verdict::Reject(rejection.to_string()),
            Verdict::Ask(ask) => exported::Verdict::Ask(ask.to_string()),
        }
    }

    fn act(action: u32, signal: u32) -> Result<String, String> {
        S::act(&Action::from_handle(action), &Signal::from_handle(signal))
    }

    fn call_tool(name: String, action: u32, signal: u32) -> Result<String, String> {
        S::call_tool(&name, &Action::from_handle(action), &Signal::from_handle(signal))
    }

    fn recover(error: u32, signal: u32) -> Option<String> {
        S::recover(&Failure::from_handle(error), &Signal::from_handle(signal)).map(|restart| restart.to_string())
    }
}
