//! The host that the native imports talk to: what a harness holds, put on its thread while a skill's function runs.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};

use super::form::TestForm;
use super::lent::Lent;
use super::request::Request;
use crate::capability::Failure;
use crate::http::Response;
use crate::log::Level;
use crate::process::Output;

/// The handle of the action.
pub(crate) const ACTION: u32 = 1;
/// The handle of the signal.
pub(crate) const SIGNAL: u32 = 2;
/// The handle of what a cycle failed with.
pub(crate) const FAILURE: u32 = 3;

/// What a skill can see and do.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) action: TestForm,
    pub(crate) signal: TestForm,
    pub(crate) failure: TestForm,
    pub(crate) settings: BTreeMap<String, String>,
    pub(crate) secrets: Vec<String>,
    pub(crate) log: Vec<(Level, String)>,
    pub(crate) answers: VecDeque<Result<Output, Failure>>,
    pub(crate) commands: Vec<String>,
    pub(crate) ran_paths: Vec<String>,
    /// The functions that were called which no gate can call.
    pub(crate) acts: Vec<&'static str>,
    /// Effects of the action that have happened.
    pub(crate) done: Vec<&'static str>,
    /// What is in a file, or why it can't be had.
    pub(crate) files: BTreeMap<String, Result<Vec<u8>, Failure>>,
    pub(crate) digests: BTreeMap<String, String>,
    pub(crate) responses: VecDeque<Result<Response, Failure>>,
    pub(crate) requests: Vec<Request>,
    pub(crate) lent: Lent,
}

impl World {
    /// Notes that `command` was run, and gives the next scripted answer.
    pub(crate) fn answer(&mut self, command: String) -> Result<Output, Failure> {
        self.commands.push(command);
        let unscripted = || {
            Err(Failure::Unavailable(
                "the harness has no further answer for a command".to_owned(),
            ))
        };
        self.answers.pop_front().unwrap_or_else(unscripted)
    }

    /// Notes that the effect `name` of the action happens, which it does once.
    pub(crate) fn once(&mut self, name: &'static str) -> Result<(), Failure> {
        if self.done.contains(&name) {
            return Err(Failure::NotCleared(format!("{name} of this action was done already")));
        }
        self.done.push(name);
        Ok(())
    }
}

thread_local! {
    static CURRENT: RefCell<Option<World>> = const { RefCell::new(None) };
}

/// Runs `call` with `world` on this thread, and gives back its result and what became of the world. The thread has no
/// world afterwards, even when `call` panics.
pub(crate) fn during<T>(world: World, call: impl FnOnce() -> T) -> (T, World) {
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            CURRENT.take();
        }
    }
    let outer = CURRENT.replace(Some(world));
    assert!(outer.is_none(), "a harness calls a skill inside another harness's call");
    let leave = Leave;
    let result = call();
    let world = with(|world| world.clone());
    drop(leave);
    (result, world)
}

/// Looks at the world of the running call.
///
/// # Panics
/// Outside a call: natively there is no host.
pub(crate) fn with<T>(look: impl FnOnce(&mut World) -> T) -> T {
    CURRENT.with_borrow_mut(|current| match current {
        Some(world) => look(world),
        None => panic!("natively, a skill's code runs inside a call of passepartout_sdk::test::Harness"),
    })
}

/// Looks at what stands at `path` of the form behind `handle`.
pub(crate) fn form_at<T>(handle: u32, path: &str, look: impl FnOnce(Option<&TestForm>) -> T) -> T {
    with(|world| {
        let form = match handle {
            ACTION => Some(&world.action),
            SIGNAL => Some(&world.signal),
            FAILURE => Some(&world.failure),
            _ => None,
        };
        look(form.and_then(|form| form.at(path)))
    })
}
