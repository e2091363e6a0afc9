//! Models: whoever answers a prompt with text.
//!
//! A [`Provider`] is one such source; the [`Cascade`] asks them in order until one answers, within a bounded time, and
//! remembers why the others did not. What comes back is text and only text: this room promises nothing about what it
//! says, and must not know proposals' meaning, gates, or sessions. Keys never appear in an error, a log line or a
//! prompt.

mod anthropic;
mod breaker;
mod budget;
mod cascade;
mod error;
mod exchange;
pub mod known;
mod lenient;
mod line;
mod meter;
mod offline;
mod openai_compatible;
mod recipe;
mod request;
mod retry_after;
mod script;
mod setup;
mod shape;
mod slot;
mod status;
#[cfg(test)]
mod tests;
mod tools;
mod usage;
mod verbatim;

use std::future::Future;
use std::pin::Pin;

pub use breaker::BreakerPolicy;
pub use budget::{Balance, Budget, BudgetError, Estimate, Hold, Money, Purse, Spent, Unbounded};
pub use cascade::Cascade;
pub use error::{Attempt, Class, LlmError, ProviderError, TimeoutStage};
pub use exchange::Remote;
pub use line::Pace;
pub use meter::{Consumed, Figure, Meter, Sent};
pub use offline::{Offline, SKILL_PROMPT_MARK};
pub use request::{Heard, ModelRequest, Payer, Route, ToolParameter, ToolSchema, Watch};
pub use script::{Script, ScriptError};
pub use slot::{ProviderState, ProviderStatus};
pub use status::Asked;

/// Who said something in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// What an action gave back. Data, whoever wrote it: no provider may pass it on as a person's words.
    Tool,
}

/// One thing said in a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who said it.
    pub role: Role,
    /// What.
    pub text: String,
}

/// Who asks a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asker {
    /// The loop, for a proposal.
    #[default]
    Cycle,
    /// A skill, for a text of its own use.
    Skill,
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The text, never longer than the configured bound; blank only where there are `calls`.
    pub text: String,
    /// What it called the native way, in order, where the provider has such calls.
    pub calls: Vec<NativeCall>,
    /// The name of the provider that answered.
    pub provider: String,
}

/// One call of a tool as providers have them, besides the text. It is a proposal and no more than that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeCall {
    /// The tool, as the model named it.
    pub name: String,
    /// The arguments as the model wrote them: a text that should be a JSON object.
    pub arguments: String,
}

/// What answers cost together, in the provider's own tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of what was asked.
    pub input_tokens: u64,
    /// Tokens of what was answered.
    pub output_tokens: u64,
}

/// The call in flight. Dropping it cancels it.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Result<Answer, ProviderError>> + Send + 'a>>;

/// One source of answers.
pub trait Provider: Send + Sync {
    /// Its name in the configuration's cascade.
    fn name(&self) -> &str;

    /// The model it asks, as its price list calls it; none where asking costs nothing.
    fn model(&self) -> Option<&str> {
        None
    }

    /// The longest answer that it asks for, in its own tokens.
    fn answer_tokens(&self) -> u64 {
        0
    }

    /// Whether it can work as it is configured.
    fn is_usable(&self) -> bool {
        true
    }

    /// Asks once, and notes on `meter` what it costs as soon as that is known. Bounded by the provider's own time-outs; nothing is tried again here, that is the cascade's part.
    fn ask<'a>(&'a self, request: &'a ModelRequest, meter: &'a Meter) -> Asking<'a>;
}
