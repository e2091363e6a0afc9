//! Gates: what judges an action before anything happens.
//!
//! [`chain`] is the only place that can make a [`Cleared`] action. This room knows skills only as the [`Gate`] trait,
//! so that it is tested without WebAssembly, and knows nothing of actuators.

pub mod verdict;

pub use verdict::{Ask, Gate, GateFault, Rejection, Subject, Verdict};
