//! What can go wrong in a cycle: one typed hierarchy.

use super::Refused;
use crate::audit::LogError;
use crate::gate::approval::ApprovalError;
use crate::gate::standing::StandingError;
use crate::memory::MemoryError;
use crate::model::{LlmError, ProviderError};
use crate::signal::{Sensor, Signal};

/// The code by which clients know that no provider answered.
pub(super) const EXHAUSTED: &str = "providers-exhausted";

/// Gates refused all that a model proposed about one signal.
#[derive(Debug, thiserror::Error)]
#[error("gates refused all that was proposed{}", last(.refusals))]
pub struct GateError {
    /// Every refusal, in order.
    pub(super) refusals: Vec<Refused>,
}

/// The last refusal in words. What was refused is not among them: it may hold what must not be read again.
fn last(refusals: &[Refused]) -> String {
    refusals.last().map_or(String::new(), |last| {
        let rejection = &last.rejection;
        format!(
            "; the last one by {} ({}): {}",
            rejection.gate, rejection.rule, rejection.reason
        )
    })
}

/// Any failure between Perceive and Act.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// No provider answered.
    #[error(transparent)]
    Llm(#[from] LlmError),
    /// Gates let nothing pass.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// What must be kept before anything acts could not be kept.
    #[error("nothing was done, because it could not be recorded: {0}")]
    Store(#[from] LogError),
    /// What was done or decided already, and could not be kept.
    #[error("{so}: {error}")]
    After {
        /// What is so, and what of it could not be kept.
        so: &'static str,
        /// Why.
        error: LogError,
    },
    /// What is so already could not be recorded yet.
    #[error(
        "it holds, and could not be recorded yet: {0}. That is tried again by itself, before anything else is recorded, with \
         each heartbeat, and when the daemon stops"
    )]
    Owed(LogError),
    /// What came of an earlier action could not be said in the conversation yet.
    #[error(
        "no model was asked, because the conversation does not say yet what came of what was done before, and a model would do \
         it again: {0}. That is tried again before each question, and with each heartbeat"
    )]
    Unsaid(String),
    /// A plan could not be made, consumed or finished.
    #[error(transparent)]
    Approval(#[from] ApprovalError),
    /// What was approved once and for all could not be kept or taken back.
    #[error(transparent)]
    Standing(#[from] StandingError),
    /// What an editor sent is nothing that memory can hold.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The person stopped the turn.
    #[error("the turn was stopped")]
    Cancelled,
    /// A part of the host panicked; the cycle is lost, the daemon goes on.
    #[error("an internal error ended the cycle: {0}")]
    Internal(String),
}

/// What is so though it could not be kept: after an effect, and after a decision.
const DONE: &str = "it was done, and what came of it could not be kept";
const FAILED: &str = "it did not succeed, and why could not be kept";
const REFUSED: &str = "it was refused, and the conversation does not say so yet";
pub(super) const DENIED: &str = "it is denied, and the conversation does not say so yet";
pub(super) const UNRECORDED: &str =
    "it is denied, and the record does not say so yet, which is tried again by itself with each heartbeat";
/// The same of whoever goes on: what came before was done, recorded and told.
const NO_STEP: &str = "what came before holds, and the next step was not done, because it could not be recorded";
pub(super) const STOPPED: &str = "it was stopped, and that could not be kept";

impl PipelineError {
    /// That `result` could not be kept, which comes after whatever led to it, and after that has `failed` where it has.
    pub(super) fn unkept(result: &Signal, failed: bool, error: LogError) -> PipelineError {
        let so = match result.sensor {
            // Such as what a command printed that ended with an error.
            Sensor::ToolOutput if failed => FAILED,
            Sensor::ToolOutput => DONE,
            // A refusal names no tool: none was called.
            Sensor::ToolError if result.payload.get("TOOL").is_none() => REFUSED,
            Sensor::ToolError => FAILED,
            _ => return PipelineError::Store(error),
        };
        PipelineError::After { so, error }
    }

    /// The same of a step that follows from what was done already: that nothing was done is true of this step alone.
    pub(super) fn of_next_step(self) -> PipelineError {
        match self {
            PipelineError::Store(error) => PipelineError::After { so: NO_STEP, error },
            other => other,
        }
    }

    /// The same of what could not be recorded yet, where `so` is what is so.
    pub(super) fn after(self, so: &'static str) -> PipelineError {
        match self {
            PipelineError::Store(error) | PipelineError::Owed(error) | PipelineError::After { error, .. } => {
                PipelineError::After { so, error }
            }
            other => other,
        }
    }

    /// The same of an effect, by whether it succeeded.
    pub(super) fn after_effect(self, failed: bool) -> PipelineError {
        self.after(if failed { FAILED } else { DONE })
    }

    /// Whether something could not be kept, so that it has still to be told.
    pub(super) fn is_unkept(&self) -> bool {
        matches!(self, PipelineError::Store(_) | PipelineError::After { .. })
    }

    /// A short stable name, for the error frame.
    pub fn code(&self) -> &'static str {
        match self {
            PipelineError::Llm(_) => EXHAUSTED,
            PipelineError::Gate(_) => "refused",
            PipelineError::Store(_)
            | PipelineError::After { .. }
            | PipelineError::Owed(_)
            | PipelineError::Unsaid(_) => "record",
            PipelineError::Approval(_) => "approval",
            PipelineError::Standing(_) => "standing-approval",
            PipelineError::Memory(_) => "memory",
            PipelineError::Cancelled => "cancelled",
            PipelineError::Internal(_) => "internal",
        }
    }

    /// Its name among those that skills may recover from. A model that was not asked because nothing is left to pay it
    /// with is told apart from one that did not answer.
    pub(super) fn condition(&self) -> &'static str {
        let unpaid = |error: &LlmError| {
            let mut causes = error.attempts.iter().map(|attempt| &attempt.cause).peekable();
            causes.peek().is_some() && causes.all(|cause| matches!(cause, ProviderError::Budget(_)))
        };
        match self {
            PipelineError::Llm(error) if unpaid(error) => "BUDGET-ERROR",
            PipelineError::Llm(_) => "LLM-ERROR",
            PipelineError::Gate(_) => "GATE-ERROR",
            PipelineError::Store(_)
            | PipelineError::After { .. }
            | PipelineError::Owed(_)
            | PipelineError::Unsaid(_) => "STORE-ERROR",
            PipelineError::Approval(_) | PipelineError::Standing(_) => "APPROVAL-ERROR",
            PipelineError::Memory(_) => "MEMORY-ERROR",
            PipelineError::Cancelled => "CANCELLED",
            PipelineError::Internal(_) => "INTERNAL-ERROR",
        }
    }
}
