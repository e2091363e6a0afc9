//! `process`: running commands, by reference into the cleared action.
//!
//! The text that runs is read from the action on the host's side; what the guest hands over is a handle and a path.
//! A command of the guest's own is a proposal, which the loop takes through every gate. How a command is jailed is
//! not known here: [`Effects`] is carried out by whoever holds the turn.

use wasmtime::StoreContextMut;
use wasmtime::component::{ComponentType, Lift, Lower};

use super::effects::{ByReference, Effects, check_length, deed, effects, text_of, waited};
use super::interface::Acting;
use super::{Failure, HasCall, charge};
use crate::gate::Consent;
use crate::plist;

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

/// Where gates judge a command line.
const RUN: ByReference = ByReference {
    name: "process.run",
    places: &[("SHELL", &["payload.cmd"])],
    otherwise: "process.propose",
};

/// Links the interface.
///
/// # Errors
/// When it is linked already.
pub(super) fn link<T: HasCall>(process: &mut Acting<'_, T>) -> wasmtime::Result<()> {
    process.func("run", |mut store: StoreContextMut<'_, T>, (of, path): (u32, String)| {
        charge(&mut store, path.len())?;
        let taken = deed(store.data_mut().call_mut()).and_then(|deed| {
            let command = deed.take(&RUN, of, &[&path], |action| text_of(action, &path).map(str::to_owned))?;
            Ok((command, deed.consent(), deed.stays_within(), deed.effects().clone()))
        });
        let outcome = match taken {
            Ok((command, consent, within, effects)) => {
                waited(&mut store, || run(&*effects, &command, consent, within))?
            }
            Err(failure) => Err(failure),
        };
        Ok((outcome,))
    })?;
    process.func(
        "propose",
        |mut store: StoreContextMut<'_, T>, (command, why): (String, String)| {
            charge(&mut store, command.len() + why.len())?;
            check_length(&[&command, &why], LONGEST)?;
            let call = store.data_mut().call_mut();
            let skill = call.skill.clone();
            let outcome = match effects(call) {
                Ok(effects) => waited(&mut store, || propose(&*effects, &skill, &command, &why))?,
                Err(failure) => Err(failure),
            };
            Ok((outcome,))
        },
    )
}

fn propose(effects: &dyn Effects, skill: &str, command: &str, why: &str) -> Result<Output, Failure> {
    let payload = plist!("CMD" => command, "EXPLANATION" => why);
    let cleared = effects.clear(skill, "SHELL", payload)?;
    // What runs is what was cleared: a gate may have revised it.
    let command = text_of(cleared.get(), "payload.cmd")?;
    run(effects, command, cleared.consent(), cleared.stays_within())
}

/// Runs a command, and taints the turn if it saw the whole machine and may have read something there: whoever agreed to the
/// command did not write what it printed.
fn run(effects: &dyn Effects, command: &str, consent: Consent, within: bool) -> Result<Output, Failure> {
    let output = effects.run(command, consent)?;
    if consent != Consent::Nobody && !within {
        effects.turn().read_outside();
    }
    Ok(output)
}
