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

/// Has the host's log told what a panic says and where it was. Where there is no standard error nobody else would, and the
/// trap that ends it says nothing. The host shows it as the reason.
fn tell_panics() {
    #[cfg(target_arch = "wasm32")]
    {
        static TOLD: std::sync::Once = std::sync::Once::new();
        TOLD.call_once(|| {
            std::panic::set_hook(Box::new(|panic| {
                crate::log::error(panic.to_string().replace('\n', " "));
            }));
        });
    }
}

/// The exported interface, answered by the skill `S`. Only [`export!`] names it.
#[doc(hidden)]
#[derive(Debug)]
pub struct Component<S>(PhantomData<S>);

impl<S: Skill> exported::Guest for Component<S> {
    fn describe() -> String {
        tell_panics();
        S::describe().to_string()
    }

    fn trigger(signal: u32) -> bool {
        tell_panics();
        S::trigger(&Signal::from_handle(signal))
    }

    fn prompt(signal: u32) -> Option<String> {
        tell_panics();
        S::prompt(&Signal::from_handle(signal))
    }

    fn mandate(signal: u32) -> Option<String> {
        tell_panics();
        S::mandate(&Signal::from_handle(signal))
    }

    fn gate(action: u32, signal: u32) -> exported::Verdict {
        tell_panics();
        match S::gate(&Action::from_handle(action), &Signal::from_handle(signal)) {
            Verdict::Pass => exported::Verdict::Pass,
            Verdict::Revise(payload) => exported::Verdict::Revise(payload),
            Verdict::Reject(rejection) => exported::Verdict::Reject(rejection.to_string()),
            Verdict::Ask(ask) => exported::Verdict::Ask(ask.to_string()),
        }
    }

    fn act(action: u32, signal: u32) -> Result<String, String> {
        tell_panics();
        S::act(&Action::from_handle(action), &Signal::from_handle(signal))
    }

    fn call_tool(name: String, action: u32, signal: u32) -> Result<String, String> {
        tell_panics();
        S::call_tool(&name, &Action::from_handle(action), &Signal::from_handle(signal))
    }

    fn recover(error: u32, signal: u32) -> Option<String> {
        tell_panics();
        S::recover(&Failure::from_handle(error), &Signal::from_handle(signal)).map(|restart| restart.to_string())
    }
}
