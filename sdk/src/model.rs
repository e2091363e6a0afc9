//! Asking the model for a text. Needs the grant `model`, and cannot be called from a gate.
//!
//! The answer is text for the skill: whatever stands in it, nothing of it is carried out. How often skills may ask in one
//! turn is bounded.

pub use crate::capability::Failure;
use crate::{Action, imports};

/// The model's answer to the prompt that stands at `path` of the cleared action: `payload.prompt` of `:MODEL`, or
/// `payload.args.prompt` of a call of a tool. Each action asks once.
///
/// # Errors
/// Why there is no answer.
pub fn ask(action: &Action, path: &str) -> Result<String, Failure> {
    imports::model::ask(action.handle(), path)
}

/// Proposes a prompt of the skill's own. It is an action of its own, meets every gate, and needs an explanation.
///
/// # Errors
/// Why there is no answer.
pub fn propose_ask(prompt: &str, explanation: &str) -> Result<String, Failure> {
    imports::model::propose_ask(prompt, explanation)
}
