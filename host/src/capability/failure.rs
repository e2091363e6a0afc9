//! Why a capability did not do what a skill asked for: one type, for the `failure` of every interface.

use wasmtime::component::{ComponentType, Lift, Lower};

/// Why it was not done.
#[derive(Clone, Debug, PartialEq, Eq, ComponentType, Lower, Lift, thiserror::Error)]
#[component(variant)]
pub enum Failure {
    /// The argument is not the cleared action's, or it was used already.
    #[component(name = "not-cleared")]
    #[error("not cleared: {0}")]
    NotCleared(String),
    /// A gate refused it, or no grant covers it.
    #[component(name = "rejected")]
    #[error("rejected: {0}")]
    Rejected(String),
    /// A person must approve first; a plan has been made.
    #[component(name = "needs-approval")]
    #[error("needs approval: {0}")]
    NeedsApproval(String),
    /// This machine, or this daemon as it is set up, cannot do it.
    #[component(name = "unavailable")]
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// It was tried and went wrong, or the turn was cancelled.
    #[component(name = "failed")]
    #[error("failed: {0}")]
    Failed(String),
}
