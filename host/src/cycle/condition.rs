//! What can go wrong in a cycle: one typed hierarchy.

use crate::audit::LogError;
use crate::gate::approval::ApprovalError;
use crate::gate::standing::StandingError;
use crate::memory::MemoryError;
use crate::model::LlmError;

/// Any failure between Perceive and Act.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// No provider answered.
    #[error(transparent)]
    Llm(#[from] LlmError),
    /// What must be kept before anything acts could not be kept.
    #[error("nothing was done, because it could not be recorded: {0}")]
    Store(#[from] LogError),
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

impl PipelineError {
    /// A short stable name, for the error frame.
    pub fn code(&self) -> &'static str {
        match self {
            PipelineError::Llm(_) => "providers-exhausted",
            PipelineError::Store(_) => "record",
            PipelineError::Approval(_) => "approval",
            PipelineError::Standing(_) => "standing-approval",
            PipelineError::Memory(_) => "memory",
            PipelineError::Cancelled => "cancelled",
            PipelineError::Internal(_) => "internal",
        }
    }
}
