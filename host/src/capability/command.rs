//! `process`: running commands, by reference into the cleared action.
//!
//! The text that runs is read from the action on the host's side; what the guest hands over is a handle and a path.
//! A command of the guest's own is a proposal, which the loop takes through every gate. How a command is jailed is
//! not known here: [`Effects`] is carried out by whoever holds the turn.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use wasmtime::StoreContextMut;
use wasmtime::component::{ComponentType, Lift, Linker, Lower};

use super::{Call, HasCall, Stop, charge};
use crate::signal::Action;

/// Longest command or explanation of a skill's own, in bytes: the longest line a kernel takes.
const LONGEST: usize = 128 << 10;

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq, Default, ComponentType, Lower, Lift)]
#[component(record)]
pub struct Output {
    /// The exit code, unless a signal ended it.
    #[component(name = "exit-code")]
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// What it wrote.
    pub stdout: String,
    /// What it complained.
    pub stderr: String,
    /// Whether output beyond the bound was thrown away.
    pub truncated: bool,
    /// Whether the time-out ended it.
    #[component(name = "timed-out")]
    pub timed_out: bool,
    /// Whether the operating system's jail held it.
    pub jailed: bool,
    /// How long it took.
    pub milliseconds: u64,
}

/// Why a command did not run.
#[derive(Clone, Debug, PartialEq, Eq, ComponentType, Lower, Lift, thiserror::Error)]
#[component(variant)]
pub enum Failure {
    /// The argument is not the cleared action's, or it was run already.
    #[component(name = "not-cleared")]
    #[error("not cleared: {0}")]
    NotCleared(String),
    /// A gate refused it.
    #[component(name = "rejected")]
    #[error("rejected: {0}")]
    Rejected(String),
    /// A person must approve first; a plan has been made.
    #[component(name = "needs-approval")]
    #[error("needs approval: {0}")]
    NeedsApproval(String),
    /// This machine cannot jail it, and the operator did not allow less.
    #[component(name = "unavailable")]
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// It could not be started, or the turn was cancelled.
    #[component(name = "failed")]
    #[error("failed: {0}")]
    Failed(String),
}

/// What carrying out an action may do beyond reading. Calls block.
pub trait Effects: Send + Sync {
    /// Runs `command`, which the host took from the cleared action.
    ///
    /// # Errors
    /// Whatever kept it from running.
    fn run(&self, command: &str) -> Result<Output, Failure>;

    /// Takes a command that the skill `skill` made itself through every gate, as an action of its own, and runs it if
    /// they pass.
    ///
    /// # Errors
    /// Whatever kept it from running.
    fn propose(&self, skill: &str, command: &str, explanation: &str) -> Result<Output, Failure>;
}

/// The cleared action that a call carries out, and what of it has been run.
pub struct Deed {
    action: Action,
    handle: u32,
    effects: Arc<dyn Effects>,
    ran: bool,
}

impl fmt::Debug for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deed")
            .field("action", &self.action.digest())
            .field("ran", &self.ran)
            .finish_non_exhaustive()
    }
}

impl Deed {
    /// The carrying-out of `action`, which the guest knows by `handle`.
    pub fn new(action: Action, handle: u32, effects: Arc<dyn Effects>) -> Deed {
        Deed {
            action,
            handle,
            effects,
            ran: false,
        }
    }

    /// The command line at `path` of the form `handle`, if it is the cleared action's and has not been taken.
    fn take(&mut self, handle: u32, path: &str) -> Result<(String, Arc<dyn Effects>), Failure> {
        let refuse = |why: String| Err(Failure::NotCleared(why));
        if handle != self.handle {
            return refuse(format!("handle {handle} is not the cleared action"));
        }
        if !path.eq_ignore_ascii_case("payload.cmd") || self.action.target() != "SHELL" {
            return refuse(format!(
                "`{path}` of an action for :{} is no command that the gates judged; only payload.cmd of :SHELL is. Use \
                 process.propose for a command of the skill's own",
                self.action.target()
            ));
        }
        let Some(command) = self.action.form().text_at("payload.cmd") else {
            return refuse("the action has no text at payload.cmd".to_owned());
        };
        if std::mem::replace(&mut self.ran, true) {
            return refuse("the command of this action was run already; each is run once".to_owned());
        }
        Ok((command.to_owned(), self.effects.clone()))
    }
}

/// Links the interface: for real, for calls that carry out an action.
///
/// # Errors
/// When it is linked already.
pub fn link<T: HasCall>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    let mut process = linker.instance("passepartout:skill/process@0.1.0")?;
    process.func_wrap("run", |mut store: StoreContextMut<'_, T>, (of, path): (u32, String)| {
        charge(&mut store, path.len())?;
        let outcome = match deed(store.data_mut().call_mut()).and_then(|deed| deed.take(of, &path)) {
            Ok((command, effects)) => waited(&mut store, || effects.run(&command))?,
            Err(failure) => Err(failure),
        };
        Ok((outcome,))
    })?;
    process.func_wrap(
        "propose",
        |mut store: StoreContextMut<'_, T>, (command, why): (String, String)| {
            charge(&mut store, command.len() + why.len())?;
            let longer = command.len().max(why.len());
            if longer > LONGEST {
                return Err(Stop::Text {
                    asked: longer as u64,
                    allowed: LONGEST as u64,
                }
                .into());
            }
            let call = store.data_mut().call_mut();
            let skill = call.skill.clone();
            let outcome = match deed(call).map(|deed| deed.effects.clone()) {
                Ok(effects) => waited(&mut store, || effects.propose(&skill, &command, &why))?,
                Err(failure) => Err(failure),
            };
            Ok((outcome,))
        },
    )
}

/// Links the interface as it is in a gate: every function ends the call.
///
/// # Errors
/// When it is linked already.
pub fn link_forbidden<T: HasCall>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    type Outcome = (Result<Output, Failure>,);
    let mut process = linker.instance("passepartout:skill/process@0.1.0")?;
    process.func_wrap(
        "run",
        |_: StoreContextMut<'_, T>, (_, _): (u32, String)| -> wasmtime::Result<Outcome> {
            Err(Stop::Forbidden { name: "process.run" }.into())
        },
    )?;
    process.func_wrap(
        "propose",
        |_: StoreContextMut<'_, T>, (_, _): (String, String)| -> wasmtime::Result<Outcome> {
            Err(Stop::Forbidden {
                name: "process.propose",
            }
            .into())
        },
    )
}

fn deed(call: &mut Call) -> Result<&mut Deed, Failure> {
    call.deed
        .as_mut()
        .ok_or_else(|| Failure::NotCleared("this call carries out no action".to_owned()))
}

/// Runs `work`, which has deadlines of its own: the time it takes is not the guest's.
fn waited<T: HasCall, R>(store: &mut StoreContextMut<'_, T>, work: impl FnOnce() -> R) -> wasmtime::Result<R> {
    let began = Instant::now();
    if began >= store.data().call().meters.until {
        return Err(Stop::Time.into());
    }
    let result = work();
    let meters = &mut store.data_mut().call_mut().meters;
    meters.until += began.elapsed();
    let ticks = meters.ticks();
    store.set_epoch_deadline(ticks);
    Ok(result)
}
