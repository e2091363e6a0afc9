//! How much may be spent, of what, and what to tell whoever wants more.

use super::{BudgetError, Money, Payer, Spent};
use crate::config::BudgetConfig;

/// What a day's budget is called.
pub(super) const DAY: &str = "this day (UTC)";

/// What a session's budget is called.
const SESSION: &str = "this session";

/// What the budget of the heartbeat's session is called.
const HEARTBEAT: &str = "this day's heartbeats";

/// When a day's budget is a new one.
const NEXT_DAY: &str = "the next day begins at 00:00 UTC";

/// What is the matter with a budget that would not pay a question if all of it were left.
pub(super) const TOO_SMALL: &str = "is too small for this question";

/// How much may be spent of one budget.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) of: &'static str,
    pub(super) tokens: Option<u64>,
    pub(super) money: Option<Money>,
    /// What gives more of it by itself.
    pub(super) renewal: &'static str,
    /// The keys of both.
    pub(super) keys: [&'static str; 2],
}

/// The two bounds on what a payer spends: of its account, and of the day.
#[derive(Debug)]
pub(super) struct Bounds {
    pub(super) session: Bound,
    /// That of a session, for one that is another every day.
    pub(super) heartbeat: Bound,
    pub(super) day: Bound,
}

impl Bounds {
    pub(super) fn new(config: &BudgetConfig) -> Bounds {
        let session = Bound {
            of: SESSION,
            tokens: config.session_tokens,
            money: config.session_cents.map(Money::cents),
            renewal: "a new session has one of its own",
            keys: ["budget.session_tokens", "budget.session_cents"],
        };
        let heartbeat = Bound {
            of: HEARTBEAT,
            renewal: NEXT_DAY,
            ..session
        };
        let day = Bound {
            of: DAY,
            tokens: config.day_tokens,
            money: config.day_cents.map(Money::cents),
            renewal: NEXT_DAY,
            keys: ["budget.day_tokens", "budget.day_cents"],
        };
        Bounds {
            session,
            heartbeat,
            day,
        }
    }

    pub(super) fn all(&self) -> [&Bound; 3] {
        [&self.session, &self.heartbeat, &self.day]
    }

    pub(super) fn of_account(&self, payer: &Payer) -> &Bound {
        if payer.is_heartbeat() {
            &self.heartbeat
        } else {
            &self.session
        }
    }
}

impl Bound {
    /// `known` says whether the price of what is asked is known.
    ///
    /// # Errors
    /// When `wanted` is more than what `spent` leaves.
    pub(super) fn check(&self, spent: Spent, wanted: Spent, known: bool) -> Result<(), BudgetError> {
        if let (Some(whole), Some(left)) = (self.tokens, self.tokens_left(spent))
            && wanted.tokens > left
        {
            let [key, _] = self.keys;
            let remedies =
                format!("`{key}` raises it, and a smaller `model.answer_tokens` lowers what may be needed");
            return Err(self.lacking(wanted.tokens, left, whole, tokens, &remedies));
        }
        if let (Some(whole), Some(left)) = (self.money, self.money_left(spent))
            && wanted.money > left
        {
            let [_, key] = self.keys;
            let priced = if known {
                ""
            } else {
                ", as does the model's own price under `[prices]`"
            };
            let remedies =
                format!("`{key}` raises it, and a smaller `model.answer_tokens` lowers what may be needed{priced}");
            return Err(self.lacking(wanted.money, left, whole, |money| money.to_string(), &remedies));
        }
        Ok(())
    }

    /// That `wanted` is more than what is `left` of the `whole`. Nobody is told to wait for what no waiting brings.
    fn lacking<T: Copy + PartialOrd + Default>(
        &self,
        wanted: T,
        left: T,
        whole: T,
        shown: impl Fn(T) -> String,
        remedies: &str,
    ) -> BudgetError {
        let is_too_small = wanted > whole;
        let (lack, remaining) = match left == T::default() {
            _ if is_too_small => (TOO_SMALL, format!("all of it is {}", shown(whole))),
            true => ("is used up", "nothing is left".to_owned()),
            false => (
                "has too little left for this question",
                format!("what is left is {}", shown(left)),
            ),
        };
        BudgetError {
            of: self.of.to_owned(),
            lack,
            remaining,
            requested: shown(wanted),
            remedy: match is_too_small {
                true => remedies.to_owned(),
                false => format!("{}, {remedies}", self.renewal),
            },
        }
    }

    pub(super) fn tokens_left(&self, spent: Spent) -> Option<u64> {
        Some(self.tokens?.saturating_sub(spent.tokens))
    }

    pub(super) fn money_left(&self, spent: Spent) -> Option<Money> {
        Some(Money(self.money?.0.saturating_sub(spent.money.0)))
    }
}

pub(super) fn tokens(count: u64) -> String {
    match count {
        1 => "1 token".to_owned(),
        count => format!("{count} tokens"),
    }
}
