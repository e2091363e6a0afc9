//! Who pays for answers. What an answer may cost is put aside before it is asked for, and settled once it is known.

use super::{Answer, Payer};

/// The money or the tokens are used up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the budget of {of} is used up: {requested} would be needed and {remaining} is left; {remedy}")]
pub struct BudgetError {
    /// Whose budget, and of which kind.
    pub of: String,
    /// What is left, with its unit.
    pub remaining: String,
    /// What the request may cost at most, with its unit.
    pub requested: String,
    /// What to do.
    pub remedy: String,
}

/// What was put aside for one question. One that is never settled stays spent: it may have been answered.
#[derive(Debug, PartialEq, Eq)]
pub struct Hold(pub u64);

/// Who pays.
pub trait Purse: Send + Sync {
    /// Puts aside what asking `model` may cost: `input_bytes` of question. What it returned is on disk.
    ///
    /// # Errors
    /// When that is more than is left: then nothing is asked.
    fn reserve(&self, payer: &Payer, model: &str, input_bytes: usize) -> Result<Hold, BudgetError>;

    /// Settles `hold` by the answer; without one, only what the question cost is spent.
    fn settle(&self, hold: Hold, answer: Option<&Answer>);
}

/// Who never asks what it costs.
pub struct Unbounded;

impl Purse for Unbounded {
    fn reserve(&self, _: &Payer, _: &str, _: usize) -> Result<Hold, BudgetError> {
        Ok(Hold(0))
    }

    fn settle(&self, _: Hold, _: Option<&Answer>) {}
}
