//! Who pays for answers. What an answer may cost is put aside, on disk, before it is asked for, and settled once it is
//! known: no restart and no kill makes money that was spent come back.

mod books;
mod bounds;
mod price;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::meter::{Figure, tokens_in};
use super::{Consumed, Payer};
use crate::audit::{LogError, Recovery, Writes};
use crate::config::BudgetConfig;

use books::{Books, Held};
use bounds::{Bound, Bounds, DAY, TOO_SMALL, tokens};
use price::Prices;
pub use price::{Money, Spent};

/// The money or the tokens don't suffice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the budget of {of} {lack}: {requested} may be needed, and {remaining}; {remedy}")]
pub struct BudgetError {
    /// Whose budget, and of which kind.
    pub of: String,
    /// What is the matter with it.
    pub lack: &'static str,
    /// What there is, with its unit.
    pub remaining: String,
    /// What the request may cost at most, with its unit.
    pub requested: String,
    /// What to do.
    pub remedy: String,
}

/// What was put aside for one question. One that is never settled stays spent: it may have been answered.
#[derive(Debug, PartialEq, Eq)]
pub struct Hold(pub u64);

/// How one budget stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balance {
    /// Whose.
    pub of: &'static str,
    /// What was spent, and what is put aside.
    pub spent: Spent,
    /// Tokens that are left, where they are bounded.
    pub tokens_left: Option<u64>,
    /// Money that is left, where it is bounded.
    pub money_left: Option<Money>,
}

impl Balance {
    /// Whether nothing is left of what is bounded.
    pub fn is_used_up(&self) -> bool {
        self.tokens_left == Some(0) || self.money_left == Some(Money(0))
    }
}

/// What a question may cost.
#[derive(Clone, Copy, Debug)]
pub struct Estimate<'a> {
    /// The model, as price lists call it.
    pub model: &'a str,
    /// Bytes of the question.
    pub input_bytes: usize,
    /// The longest answer that is asked for, in tokens.
    pub answer_tokens: u64,
}

/// Who pays.
pub trait Purse: Send + Sync {
    /// Puts aside what a question may cost. What it returned is on disk.
    ///
    /// # Errors
    /// When that is more than is left: then nothing is asked.
    fn reserve(&self, payer: &Payer, estimate: &Estimate<'_>) -> Result<Hold, BudgetError>;

    /// Whether what `payer` asks of `model` has a bound on what it may cost.
    fn bounds(&self, _: &Payer, _: &str) -> bool {
        false
    }

    /// Settles `hold` by what is known of the cost, once nothing will be added to it.
    fn settle(&self, hold: Hold, consumed: Consumed);

    /// Settles `hold` where nobody waits for the answer's end any more, which the server may still come to.
    fn spend(&self, hold: Hold, consumed: Consumed);

    /// What an answer of so many tokens costs at most at `model`, without the question.
    fn least(&self, _model: &str, _answer_tokens: u64) -> Spent {
        Spent::default()
    }

    /// Why the last question could not be paid by what this day has, or by all that a session may have, if that was so.
    fn refused(&self) -> Option<BudgetError> {
        None
    }

    /// Gives back all of `hold`: nobody was reached who could have counted anything, or the question was refused for its form.
    fn give_back(&self, hold: Hold);

    /// How the budgets stand: the day's, and that of the payer's account.
    fn balances(&self, _: &Payer) -> Vec<Balance> {
        Vec::new()
    }
}

/// Who never asks what it costs.
pub struct Unbounded;

impl Purse for Unbounded {
    fn reserve(&self, _: &Payer, _: &Estimate<'_>) -> Result<Hold, BudgetError> {
        Ok(Hold(0))
    }

    fn settle(&self, _: Hold, _: Consumed) {}

    fn spend(&self, _: Hold, _: Consumed) {}

    fn give_back(&self, _: Hold) {}
}

/// A purse whose books are kept on disk.
pub struct Budget {
    bounds: Bounds,
    prices: Prices,
    books: Mutex<Books>,
    /// That the day could not pay the last question, and which day that was.
    refused: Mutex<Option<(u64, BudgetError)>>,
    now: fn() -> u64,
}

fn settle_in(books: &mut Books, hold: &Hold, cost: Spent) {
    if let Err(error) = books.settle(hold.0, cost) {
        tracing::warn!(
            "what an answer cost can't be written down, and what was put aside for it stays spent: {error}"
        );
    }
}

impl Budget {
    /// The purse whose books are in `file`. `now` tells the seconds since 1970.
    ///
    /// # Errors
    /// When the books can't be read: what was spent is then not known.
    pub fn open(
        file: &Path,
        config: &BudgetConfig,
        now: fn() -> u64,
        writes: &Writes,
    ) -> Result<(Budget, Recovery), LogError> {
        let (books, recovery) = Books::open(file, writes)?;
        let budget = Budget {
            bounds: Bounds::new(config),
            prices: Prices::new(config),
            books: Mutex::new(books),
            refused: Mutex::default(),
            now,
        };
        Ok((budget, recovery))
    }

    /// Days since 1970. A day begins at 00:00 UTC, everywhere.
    fn today(&self) -> u64 {
        (self.now)() / 86_400
    }

    /// A poisoned lock only means that a thread died between two additions, each of which is on disk.
    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As good as the books: it is written in one step.
    fn last_refused(&self) -> MutexGuard<'_, Option<(u64, BudgetError)>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was spent of each budget that `payer` draws on, beside its bound.
    fn drawn<'a>(&'a self, books: &Books, payer: &Payer) -> impl Iterator<Item = (&'a Bound, Spent)> {
        let of_account = payer
            .account
            .as_deref()
            .map(|account| (self.bounds.of_account(payer), books.of_account(account)));
        of_account
            .into_iter()
            .chain([(&self.bounds.day, books.of_day(self.today()))])
    }

    fn is_bounded(&self) -> bool {
        self.bounds
            .all()
            .iter()
            .any(|bound| bound.tokens.is_some() || bound.money.is_some())
    }
}

/// Tokens of a question: what the server told, unless that is nothing where something was, or more than can be.
fn asked(consumed: Consumed, held: &Held) -> u64 {
    match consumed.asked() {
        Figure::Tokens(told) if told > 0 || held.input == 0 => told,
        _ => held.input,
    }
}

/// Tokens of an answer. A count that was told before its end is the least that it was, and who tells more than can be gets
/// no more than was put aside, but for what came.
fn answered(consumed: Consumed, held: &Held) -> u64 {
    let by_length = tokens_in(consumed.bytes);
    match consumed.answered() {
        Figure::Tokens(told) if told > 0 && consumed.is_final => told,
        Figure::Tokens(told) => told.max(by_length),
        Figure::Untold => by_length,
        Figure::Impossible => by_length.max(held.output),
    }
}

impl Purse for Budget {
    fn reserve(&self, payer: &Payer, estimate: &Estimate<'_>) -> Result<Hold, BudgetError> {
        let model = estimate.model;
        let (price, input) = (self.prices.of(model), tokens_in(estimate.input_bytes));
        let wanted = Spent::at(price, input, estimate.answer_tokens);
        let mut books = self.books();
        for (bound, spent) in self.drawn(&books, payer) {
            if let Err(error) = bound.check(spent, wanted, self.prices.is_known(model)) {
                // What one session has used up is there for another.
                if bound.of == DAY || error.lack == TOO_SMALL {
                    *self.last_refused() = Some((self.today(), error.clone()));
                }
                return Err(error);
            }
        }
        *self.last_refused() = None;
        let held = books.hold(
            self.today(),
            payer.account.as_deref(),
            model,
            price,
            (input, estimate.answer_tokens),
            wanted,
        );
        match held {
            Ok(id) => Ok(Hold(id)),
            // Where nothing is bounded, a count that is lost keeps nobody from an answer.
            Err(error) if !self.is_bounded() => {
                tracing::warn!("what models cost can't be counted: {error}");
                Ok(Hold(0))
            }
            Err(error) => Err(BudgetError {
                of: "this day".to_owned(),
                lack: "can't be written down, so that nothing is spent",
                remaining: "nothing is left".to_owned(),
                requested: tokens(wanted.tokens),
                remedy: error.to_string(),
            }),
        }
    }

    fn bounds(&self, payer: &Payer, model: &str) -> bool {
        let costs = self.prices.of(model).output > 0;
        self.drawn(&self.books(), payer)
            .any(|(bound, _)| bound.tokens.is_some() || (bound.money.is_some() && costs))
    }

    fn least(&self, model: &str, answer_tokens: u64) -> Spent {
        Spent::at(self.prices.of(model), 0, answer_tokens)
    }

    fn refused(&self) -> Option<BudgetError> {
        let (day, error) = self.last_refused().clone()?;
        (day == self.today()).then_some(error)
    }

    fn settle(&self, hold: Hold, consumed: Consumed) {
        let mut books = self.books();
        let Some(held) = books.held(hold.0) else { return };
        let cost = Spent::at(held.price, asked(consumed, &held), answered(consumed, &held));
        settle_in(&mut books, &hold, cost);
    }

    fn spend(&self, hold: Hold, consumed: Consumed) {
        if consumed.is_final {
            return self.settle(hold, consumed);
        }
        let mut books = self.books();
        let Some(held) = books.held(hold.0) else { return };
        let (input, output) = (asked(consumed, &held), answered(consumed, &held));
        let cost = Spent::at(held.price, input.max(held.input), output.max(held.output));
        settle_in(&mut books, &hold, cost);
    }

    fn give_back(&self, hold: Hold) {
        settle_in(&mut self.books(), &hold, Spent::default());
    }

    fn balances(&self, payer: &Payer) -> Vec<Balance> {
        let books = self.books();
        self.drawn(&books, payer)
            .map(|(bound, spent)| Balance {
                of: bound.of,
                spent,
                tokens_left: bound.tokens_left(spent),
                money_left: bound.money_left(spent),
            })
            .collect()
    }
}
