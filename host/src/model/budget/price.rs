//! What tokens cost: the operator's prices, those that come with the host, and what is counted where neither knows.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

use crate::config::{BudgetConfig, Price, prices_in};

/// What comes with the host.
const LISTED: &str = include_str!("../../../data/prices.toml");

/// Money, in millionths of a millionth of a US dollar: what a token costs is a whole number of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money(pub u64);

/// How many of them a dollar has.
const DOLLAR: u64 = 1_000_000_000_000;

/// Most that is counted, of both: what a number on disk can hold. Nine million dollars.
const MOST: u64 = u64::MAX >> 1;

impl Money {
    /// Hundredths of a dollar.
    pub fn cents(cents: u64) -> Money {
        Money(cents.saturating_mul(DOLLAR / 100))
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rounded up: what costs something is never shown as nothing.
        let parts = self.0.div_ceil(DOLLAR / 10_000);
        write!(f, "${}.{:04}", parts / 10_000, parts % 10_000)
    }
}

/// What was spent, or may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Tokens asked and answered.
    pub tokens: u64,
    /// What they cost.
    pub money: Money,
}

impl Spent {
    /// What so many tokens cost at this price.
    pub(super) fn at(price: Price, input: u64, output: u64) -> Spent {
        let money = input
            .saturating_mul(price.input)
            .saturating_add(output.saturating_mul(price.output));
        Spent {
            tokens: input.saturating_add(output).min(MOST),
            money: Money(money.min(MOST)),
        }
    }

    /// The same without `other`.
    pub(super) fn without(self, other: Spent) -> Spent {
        Spent {
            tokens: self.tokens.saturating_sub(other.tokens),
            money: Money(self.money.0.saturating_sub(other.money.0)),
        }
    }
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Spent) {
        self.tokens = self.tokens.saturating_add(other.tokens).min(MOST);
        self.money = Money(self.money.0.saturating_add(other.money.0).min(MOST));
    }
}

/// The prices of models.
#[derive(Clone, Debug)]
pub(super) struct Prices {
    own: BTreeMap<String, Price>,
    listed: BTreeMap<String, Price>,
    unknown: Price,
}

impl Prices {
    pub(super) fn new(config: &BudgetConfig) -> Prices {
        Prices {
            own: config.prices.clone(),
            // That it can be read is tested; if not, everything would cost what is unknown.
            listed: prices_in(LISTED).unwrap_or_default(),
            unknown: config.unknown_price,
        }
    }

    /// What `model` costs: by its whole name, by the part after the last slash, as some providers put the maker before it,
    /// and by either without the date at its end.
    pub(super) fn of(&self, model: &str) -> Price {
        self.find(model).unwrap_or(self.unknown)
    }

    /// Whether anybody knows what `model` costs.
    pub(super) fn is_known(&self, model: &str) -> bool {
        self.find(model).is_some()
    }

    fn find(&self, model: &str) -> Option<Price> {
        let last = model.rsplit('/').next().unwrap_or(model);
        [model, last, without_date(model), without_date(last)]
            .into_iter()
            .find_map(|name| self.own.get(name).or_else(|| self.listed.get(name)))
            .copied()
    }
}

/// `gpt-5-mini-2025-08-07` and `claude-sonnet-4-5-20250929` are versions of what stands before the date.
fn without_date(name: &str) -> &str {
    let all = |text: &str, count: usize| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((before, day)) = name.rsplit_once('-') else {
        return name;
    };
    if all(day, 8) {
        return before;
    }
    let date = before.rsplit_once('-').and_then(|(before, month)| {
        let (before, year) = before.rsplit_once('-')?;
        (all(day, 2) && all(month, 2) && all(year, 4)).then_some(before)
    });
    date.unwrap_or(name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;
    use crate::model::known::KNOWN;

    fn prices(own: &[(&str, u64)]) -> Prices {
        let price = |input: &u64| Price {
            input: *input,
            output: 0,
        };
        Prices {
            own: own
                .iter()
                .map(|(name, input)| ((*name).to_owned(), price(input)))
                .collect(),
            listed: prices_in(LISTED).unwrap(),
            unknown: price(&7),
        }
    }

    #[test]
    fn the_list_can_be_read_and_knows_the_models_that_are_asked_unless_another_is_named() {
        let listed = prices(&[]);
        assert!(listed.listed.len() > 20);
        for known in KNOWN {
            // OpenRouter chooses a model itself, and what needs no key is on the operator's own machine.
            let model = known.model.filter(|model| *model != "openrouter/auto");
            if let Some(model) = model.filter(|_| known.key_variable.is_some()) {
                assert!(listed.listed.contains_key(model), "{model} has no price");
            }
        }
    }

    #[test]
    fn a_dated_version_and_one_with_its_maker_cost_what_the_model_does() {
        let listed = prices(&[]);
        let mini = listed.of("gpt-5-mini");
        assert_eq!(mini.input, 250_000);
        for name in [
            "gpt-5-mini-2025-08-07",
            "openai/gpt-5-mini",
            "openai/gpt-5-mini-2025-08-07",
        ] {
            assert_eq!(listed.of(name), mini, "{name}");
        }
        assert_eq!(listed.of("claude-sonnet-4-5-20250929").input, 3_000_000);
        for name in ["gpt-5-mini-2", "gpt-5-mini-fast", "no-such", "", "-", "--"] {
            assert_eq!(listed.of(name).input, 7, "{name}");
        }
    }

    #[test]
    fn the_operators_price_counts_before_the_list() {
        let own = prices(&[("gpt-5-mini", 1), ("mine", 2)]);
        assert_eq!([own.of("gpt-5-mini").input, own.of("mine").input], [1, 2]);
    }

    #[test]
    fn what_costs_something_is_never_shown_as_nothing() {
        let price = Price {
            input: 250_000,
            output: 2_000_000,
        };
        assert_eq!(Spent::at(price, 1_000_000, 1_000_000).money.to_string(), "$2.2500");
        assert_eq!(Spent::at(price, 1, 0).money.to_string(), "$0.0001");
        assert_eq!(Money(0).to_string(), "$0.0000");
        assert_eq!(Spent::at(price, u64::MAX, u64::MAX).tokens, MOST);
    }
}
