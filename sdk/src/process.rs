//! Running commands in the operating system's jail. Needs the grant `process`, and cannot be called from a gate.
//!
//! What runs is what the gates saw: [`run`] takes a path into the cleared action, and the host reads the command there.
//! A command of the skill's own is an action of its own: [`propose`].

pub use crate::capability::Failure;
use crate::{Action, imports};

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Output {
    /// The exit code, unless a signal ended it.
    pub exit_code: Option<i32>,
    /// The number of the signal that ended it.
    pub signal: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// Whether output beyond the bound was thrown away.
    pub truncated: bool,
    /// Whether the time-out ended it.
    pub timed_out: bool,
    /// Whether the operating system's jail held it.
    pub jailed: bool,
    /// How long it took.
    pub milliseconds: u64,
}

/// Runs the command line that stands at `path` of the cleared action, once. What the gates have judged as a command is
/// `payload.cmd` of an action for `:shell`, so nothing else can be run this way, here and in the host alike.
///
/// # Errors
/// Why it did not run. A command that ran and failed is an [`Output`].
pub fn run(action: &Action, path: &str) -> Result<Output, Failure> {
    imports::process::run(action.handle(), path)
}

/// Proposes a command line of the skill's own. It is an action of its own, meets every gate, and needs an explanation.
///
/// # Errors
/// Why it did not run. A command that ran and failed is an [`Output`].
pub fn propose(command: &str, explanation: &str) -> Result<Output, Failure> {
    imports::process::propose(command, explanation)
}
