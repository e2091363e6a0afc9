//! Gates: what judges an action before anything happens.
//!
//! [`chain`] is the only place that can make a [`Cleared`] action, and [`approval`] the only one that can make an
//! [`Approval`]; [`standing`] keeps what the operator approved once and for all. This room knows skills only as the [`Gate`] trait, so that it is tested without WebAssembly, and
//! knows nothing of actuators.

pub mod approval;
pub mod chain;
pub mod standing;
pub mod verdict;

pub use approval::Approval;
pub use chain::{Cleared, Consent, Judgement, Outcome, Rules};
pub use verdict::{Ask, Gate, GateFault, Rejection, Settings, Subject, Verdict};
