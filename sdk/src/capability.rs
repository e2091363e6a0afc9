//! What the capabilities have in common: why one of them did not do what it was asked.

use std::fmt;

/// Why it was not done. Each case holds what the host said. `files::Failure`, `http::Failure` and so on are all this type;
/// [`Failure`](crate::Failure) at the root is another one, what a cycle failed with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The path is not one that gates judged for this, or it was used already.
    NotCleared(String),
    /// A gate refused it, or no grant covers it.
    Rejected(String),
    /// A person must approve first; the host has made a plan of it.
    NeedsApproval(String),
    /// This machine, or the daemon as it is set up, cannot do it.
    Unavailable(String),
    /// It was tried and went wrong, or the turn was cancelled.
    Failed(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::NotCleared(why) => write!(f, "this was not cleared: {why}"),
            Failure::Rejected(why) => write!(f, "this was refused: {why}"),
            Failure::NeedsApproval(why) => write!(f, "a person must approve this first: {why}"),
            Failure::Unavailable(why) => write!(f, "this cannot be done on this machine: {why}"),
            Failure::Failed(why) => write!(f, "this went wrong: {why}"),
        }
    }
}

impl std::error::Error for Failure {}
