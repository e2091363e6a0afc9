//! Capabilities: what a skill can import, one file an interface.
//!
//! Each file links its functions for any store that has a [`Call`], the frame of the call that is running, so that
//! each can be tested without a skill. What has an effect takes its argument by reference into the cleared action,
//! never from the guest, or makes an action of its own of it. How far a capability reaches is a [`Bound`]. This room
//! knows nothing of files of skills, the file of grants, or the loop.

pub mod bound;
pub mod command;
pub mod effects;
mod failure;
pub mod files;
pub mod forms;
pub mod http;
pub mod interface;
pub mod log;
mod memory;
mod model;
pub mod own;
pub mod process;
pub mod schedule;
pub mod secrets;
pub mod services;
pub mod settings;
#[cfg(test)]
mod tests;
mod vault;

use std::sync::Arc;
use std::time::{Duration, Instant};

use wasmtime::{StoreContextMut, Trap};

use crate::config::SkillLimits;
use crate::gate::verdict::Settings;
use crate::sexp::Form;
use crate::signal::Action;

pub use bound::{Bound, Class, Rights};
pub use command::Output;
pub use effects::{Deed, Effects, Turn};
pub use failure::Failure;
pub use interface::{Interface, link_all};
pub use services::Services;

pub use crate::vault::SecretSet;

/// The WIT package that host and skills share.
pub const PACKAGE: &str = "passepartout:skill";

/// The version of it that this host speaks.
pub const PACKAGE_VERSION: &str = "0.1.0";

/// How long one tick of the engines' clock takes. Deadlines are counted in ticks: coarse enough to cost nothing when
/// idle, fine against bounds of seconds.
pub const TICK: Duration = Duration::from_millis(10);

/// What a call is for, which decides what it can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Judging, choosing, describing: nothing to act with, and fuel, so that even running out is reproducible.
    Pure,
    /// Carrying out a cleared action.
    Act,
}

/// The forms of the running call. Handles are numbers that are never used twice in one store, so that one kept from
/// an earlier call means nothing.
#[derive(Debug)]
pub struct Frame {
    base: u32,
    held: [Option<Held>; 2],
}

/// One form that a handle stands for. Cheap to make: it shares what the host holds.
#[derive(Clone, Debug)]
pub enum Held {
    /// A closed action.
    Action(Action),
    /// Any other form.
    Form(Arc<Form>),
}

impl Held {
    fn form(&self) -> &Form {
        match self {
            Held::Action(action) => action.form(),
            Held::Form(form) => form,
        }
    }
}

impl Frame {
    /// No forms at all, for `describe`.
    pub const fn empty() -> Frame {
        Frame {
            base: 1,
            held: [None, None],
        }
    }

    /// Replaces the forms by those of the next call, and returns their handles.
    pub fn next(&mut self, first: Held, second: Option<Held>) -> (u32, u32) {
        self.base = self.base.wrapping_add(2).max(1);
        self.held = [Some(first), second];
        (self.base, self.base.wrapping_add(1))
    }

    /// The form that `handle` stands for.
    ///
    /// # Errors
    /// [`Stop::BadHandle`] when it stands for none of the running call.
    pub fn form(&self, handle: u32) -> Result<&Form, Stop> {
        let at = handle.wrapping_sub(self.base) as usize;
        self.held
            .get(at)
            .and_then(Option::as_ref)
            .map(Held::form)
            .ok_or(Stop::BadHandle(handle))
    }
}

/// Why the host ended a call from within one of its own functions. Reaches the caller through the engine's error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// Too many host calls or log lines.
    #[error("made more than the {allowed} {what} it may")]
    Calls {
        /// Host calls or log lines.
        what: &'static str,
        /// The bound.
        allowed: u64,
    },
    /// Something that can't be called from a gate.
    #[error("{name} is not callable from a gate")]
    Forbidden {
        /// The function, with its interface.
        name: String,
    },
    /// A handle that stands for no form of this call.
    #[error("{0} is no handle on a form of this call; handles mean nothing after the call they were given for")]
    BadHandle(u32),
    /// A text that is longer than the host takes.
    #[error("gave the host a text of {asked} bytes where it takes {allowed}")]
    Text {
        /// How long it was.
        asked: u64,
        /// The bound.
        allowed: u64,
    },
    /// The wall clock.
    #[error("took longer than it may")]
    Time,
    /// The host waited for what it asked for, again and again.
    #[error("had the host wait for {asked_ms} ms and may have it wait for {allowed_ms}")]
    Waits {
        /// How long it was, in milliseconds.
        asked_ms: u64,
        /// The bound, in milliseconds.
        allowed_ms: u64,
    },
    /// The operator took back something that it was granted when the call began.
    #[error("something that it was granted was taken back while it ran")]
    Withdrawn,
    /// The turn that it acts in was stopped.
    #[error("the turn was stopped while it ran")]
    Cancelled,
    /// It asked to wait.
    #[error("asked to wait or sleep, which no skill can: its clock stands still")]
    Waiting,
}

/// What is left of the bounds on host calls and log lines, and when the call must end.
#[derive(Debug)]
pub struct Meters {
    /// Host calls so far, and how many there may be.
    pub host_calls: (u64, u64),
    /// Log lines so far, and how many there may be.
    pub log_lines: (u64, u64),
    /// Bytes from files and the network so far.
    pub outside_bytes: u64,
    /// When the call must have ended. What the host waits for is added to it.
    pub until: Instant,
    /// What the guest said of its own end: a panic with its place, if it logged one.
    pub panicked: Option<String>,
    /// How long the host has waited.
    pub waited: Duration,
}

impl Meters {
    /// Full bounds, for a call that begins `now` and may take `wall`.
    pub fn new(host_calls: u64, log_lines: u64, wall: Duration, now: Instant) -> Meters {
        Meters {
            host_calls: (0, host_calls),
            log_lines: (0, log_lines),
            outside_bytes: 0,
            until: now + wall,
            panicked: None,
            waited: Duration::ZERO,
        }
    }

    /// How many ticks are left until the deadline; the tick that is running does not count.
    pub fn ticks(&self) -> u64 {
        ticks(self.until.saturating_duration_since(Instant::now()))
    }
}

/// After so many ticks a guest that acts is asked whether its turn goes on.
pub const LOOKING: u64 = 5;

/// How many ticks `time` takes; the tick that is running does not count.
pub fn ticks(time: Duration) -> u64 {
    u64::try_from(time.as_millis().div_ceil(TICK.as_millis())).unwrap_or(u64::MAX / 2) + 1
}

/// Everything a host function may look at while a guest is running.
#[derive(Debug)]
pub struct Call {
    /// The skill's name.
    pub skill: Arc<str>,
    /// What the call is for.
    pub purpose: Purpose,
    /// The forms it is about.
    pub frame: Frame,
    /// What the operator configured for skills.
    pub settings: Settings,
    /// What the operator keeps secret.
    pub secrets: SecretSet,
    /// What the operator granted it, and how far that reaches.
    pub rights: Rights,
    /// Its bounds.
    pub limits: SkillLimits,
    /// What is left of those that count.
    pub meters: Meters,
    /// The action it carries out, if it does.
    pub deed: Option<Deed>,
}

/// A store's data that holds the running call.
pub trait HasCall: Send + 'static {
    /// The running call.
    fn call(&self) -> &Call;
    /// The running call.
    fn call_mut(&mut self) -> &mut Call;
}

/// Fuel that each host call costs beside what it copies: about what 50 ns of a guest's own work cost.
const FUEL_A_CALL: u64 = 300;

/// Counts one host call, and takes `units` of fuel (about one a byte that was looked at or copied) where fuel is
/// counted: the engine's own counting stands still inside host functions.
pub(crate) fn charge<T: HasCall>(store: &mut StoreContextMut<'_, T>, units: usize) -> wasmtime::Result<()> {
    let call = store.data_mut().call_mut();
    let purpose = call.purpose;
    call.meters.host_calls.0 += 1;
    let (made, allowed) = call.meters.host_calls;
    if made > allowed {
        return Err(Stop::Calls {
            what: "host calls",
            allowed,
        }
        .into());
    }
    if purpose == Purpose::Act {
        return if call.rights.are_withdrawn() {
            Err(Stop::Withdrawn.into())
        } else {
            Ok(())
        };
    }
    let cost = FUEL_A_CALL.saturating_add(units as u64);
    let left = store.get_fuel()?;
    if left < cost {
        store.set_fuel(0)?;
        return Err(Trap::OutOfFuel.into());
    }
    store.set_fuel(left - cost)
}
