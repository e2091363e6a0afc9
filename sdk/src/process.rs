//! Running commands in the operating system's jail. Needs the grant `process`, and cannot be called from a gate.
//!
//! What runs is what the gates saw: [`run`] takes a path into the cleared action, and the host reads the command there.
//! A command of the skill's own is an action of its own: [`propose`].

use std::fmt;

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

/// Why a command did not run. Each holds what the host said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The path is not one that the cleared action may run, or it was run already.
    NotCleared(String),
    /// A gate refused it.
    Rejected(String),
    /// A person must approve first; the host has made a plan of it.
    NeedsApproval(String),
    /// This machine cannot jail it, and the operator did not allow less.
    Unavailable(String),
    /// It could not be started, or the turn was cancelled.
    Failed(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::NotCleared(why) => write!(f, "this command was not cleared to run: {why}"),
            Failure::Rejected(why) => write!(f, "a gate refused the command: {why}"),
            Failure::NeedsApproval(why) => write!(f, "a person must approve the command first: {why}"),
            Failure::Unavailable(why) => write!(f, "commands cannot be run on this machine: {why}"),
            Failure::Failed(why) => write!(f, "the command did not run: {why}"),
        }
    }
}

impl std::error::Error for Failure {}

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
