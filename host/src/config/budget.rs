//! What models may cost, and what they cost.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

/// Bounds on what models cost, and what is counted where nobody tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetConfig {
    /// For one session, in tokens asked and answered; no bound if there is none. The same of the other three.
    pub session_tokens: Option<u64>,
    /// For one session, in hundredths of a US dollar.
    pub session_cents: Option<u64>,
    /// For all sessions together on one day (UTC), in tokens.
    pub day_tokens: Option<u64>,
    /// For all sessions together on one day (UTC), in hundredths of a US dollar.
    pub day_cents: Option<u64>,
    /// What a model costs whose price nobody has told.
    pub unknown_price: Price,
    /// Prices by model, which count before those that come with the host.
    pub prices: BTreeMap<String, Price>,
}

/// What a model costs, in millionths of a US dollar for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Price {
    /// Of what it is asked.
    pub input: u64,
    /// Of what it answers.
    pub output: u64,
}

/// Highest price that is taken for one, in dollars for a million tokens.
const HIGHEST: u64 = 1_000_000;

impl BudgetConfig {
    /// No bounds.
    pub(super) fn defaults() -> BudgetConfig {
        BudgetConfig {
            session_tokens: None,
            session_cents: None,
            day_tokens: None,
            day_cents: None,
            // As much as a large model of the better known ones: rather counted too much than too little.
            unknown_price: Price {
                input: 3_000_000,
                output: 15_000_000,
            },
            prices: BTreeMap::new(),
        }
    }
}

impl Price {
    /// A table with `input` and `output`, in dollars for a million tokens.
    pub(super) fn of(value: &DeValue<'_>) -> Result<Price, String> {
        let DeValue::Table(table) = value else {
            return Err("must be a table such as { input = 0.25, output = 2.0 }".to_owned());
        };
        let mut price = Price::default();
        for (key, value) in table.iter() {
            let amount = amount(value.get_ref());
            let amount = amount.map_err(|problem| format!("has the {} {problem}", key.get_ref()))?;
            match &**key.get_ref() {
                "input" => price.input = amount,
                "output" => price.output = amount,
                other => return Err(format!("has `{other}`, and can have only `input` and `output`")),
            }
        }
        if table.len() < 2 {
            return Err("must have both `input` and `output`, in US dollars for a million tokens".to_owned());
        }
        Ok(price)
    }
}

/// A table of prices, by model.
pub(super) fn prices(value: &DeValue<'_>) -> Result<BTreeMap<String, Price>, String> {
    let DeValue::Table(table) = value else {
        return Err("must be a table of models".to_owned());
    };
    let mut prices = BTreeMap::new();
    for (model, price) in table.iter() {
        let price = Price::of(price.get_ref());
        let price = price.map_err(|problem| format!("of {:?} {problem}", &**model.get_ref()))?;
        prices.insert(model.get_ref().to_string(), price);
    }
    Ok(prices)
}

/// Where the first model stands whose price is none, if the `value` of this key is prices.
pub(super) fn odd_price(key: &str, value: &DeValue<'_>) -> Option<usize> {
    let DeValue::Table(table) = value else { return None };
    let mut priced = table.iter().filter(|_| key == "prices");
    let (model, _) = priced.find(|(_, price)| Price::of(price.get_ref()).is_err())?;
    Some(model.span().start)
}

/// The prices that come with the host, in the form that `config.toml` has.
///
/// # Errors
/// In words, when it is no such text.
pub fn prices_in(text: &str) -> Result<BTreeMap<String, Price>, String> {
    let table = DeTable::parse(text).map_err(|error| error.message().to_owned())?;
    match table.get_ref().iter().find(|(key, _)| &**key.get_ref() == "prices") {
        Some((_, value)) => prices(value.get_ref()),
        None => Ok(BTreeMap::new()),
    }
}

/// Dollars, in millionths.
fn amount(value: &DeValue<'_>) -> Result<u64, String> {
    let text = match value {
        DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str(),
        DeValue::Float(float) => float.as_str(),
        _ => return Err("that is no decimal number".to_owned()),
    };
    let wrong = || format!("{text}, and must be from 0 to {HIGHEST} with at most six decimals, such as 0.25");
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || part.len() > 6 || !digits(whole) || !digits(part) {
        return Err(wrong());
    }
    let whole: u64 = whole.parse().map_err(|_| wrong())?;
    let part: u64 = format!("{part:0<6}").parse().map_err(|_| wrong())?;
    match whole.checked_mul(1_000_000) {
        Some(millionths) if whole <= HIGHEST => Ok(millionths + part),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    #[test]
    fn prices_are_read_to_the_millionth() {
        let prices = prices_in(
            "[prices.\"gpt-4.1\"]\ninput = 2\noutput = 0.000001\n[prices.\"a/b:free\"]\ninput = 0.0\noutput = 0\n",
        )
        .unwrap();
        assert_eq!(
            prices["gpt-4.1"],
            Price {
                input: 2_000_000,
                output: 1
            }
        );
        assert_eq!(prices["a/b:free"], Price::default());
    }

    #[test]
    fn what_is_no_price_is_named() {
        for (text, said) in [
            ("[prices.m]\ninput = 1\n", "both"),
            ("[prices.m]\ninput = -1\noutput = 1\n", "-1"),
            ("[prices.m]\ninput = 1e3\noutput = 1\n", "1e3"),
            ("[prices.m]\ninput = 1\noutput = \"2\"\n", "no decimal number"),
            ("[prices.m]\ninput = 1\noutput = 2_000_000\n", "2000000"),
            ("[prices.m]\ninput = 0.0000001\noutput = 2\n", "six decimals"),
            ("[prices.m]\ninput = 1\noutputs = 2\n", "outputs"),
            ("[prices]\nm = 1\n", "\"m\""),
            ("prices = 1\n", "table"),
        ] {
            let problem = prices_in(text).unwrap_err();
            assert!(problem.contains(said), "{text}: {problem}");
        }
    }
}
