//! What models cost: the books are opened with the daemon, and `status` and `doctor` say what is left.

use std::sync::Arc;

use anyhow::Context;

use super::health::{Check, Level};
use super::service::Daemon;
use crate::audit::Writes;
use crate::config::Config;
use crate::cycle::{Core, unix_now};
use crate::model::{Balance, Budget, Money, Payer, Purse};
use crate::plist;
use crate::sexp::Form;
use crate::signal::Meta;

/// The purse of this home.
///
/// # Errors
/// When its books can't be read: whatever was spent would count for nothing.
pub(super) fn open(config: &Config, writes: &Writes) -> anyhow::Result<Arc<dyn Purse>> {
    let file = config.home.data.join("budget.log");
    let opened = Budget::open(&file, &config.budget, unix_now, writes);
    let (budget, recovery) = opened.context("the books on what models cost")?;
    super::report_recovery("the books on what models cost", &recovery);
    Ok(Arc::new(budget))
}

/// `answer`, and how the budgets stand beside it: the day's, and that of the session that asks.
pub(super) fn beside(daemon: &Daemon, meta: Option<Meta>, answer: Form) -> Form {
    let payer = meta.map_or_else(Payer::default, |meta| Payer::of(meta.session, unix_now()));
    let balances = daemon.core.cascade.purse().balances(&payer);
    answer.with("BUDGETS", balances.iter().map(form).collect::<Vec<Form>>())
}

fn form(balance: &Balance) -> Form {
    plist!(
        "OF" => balance.of, "TOKENS" => balance.spent.tokens, "MONEY" => balance.spent.money.to_string(),
        "TOKENS-LEFT" => balance.tokens_left, "MONEY-LEFT" => balance.money_left.map(|left| left.to_string()),
    )
}

/// Whether anything is left of the day's budget, and questions can be paid whose answers may have `most` tokens.
pub(super) fn check(core: &Core, most: u64) -> Check {
    let balances = core.cascade.purse().balances(&Payer::default());
    let left = |own: &Balance| {
        let tokens = own.tokens_left.map(|left| format!("{left} tokens left"));
        let money = own.money_left.map(|left| format!("{left} left"));
        let left: Vec<String> = tokens.into_iter().chain(money).collect();
        let (tokens, money) = (own.spent.tokens, own.spent.money);
        let left = match left[..] {
            [] => "no bound of its own".to_owned(),
            _ => left.join(", "),
        };
        format!("{}: {tokens} tokens and {money} spent, {left}", own.of)
    };
    let text: Vec<String> = balances.iter().map(left).collect();
    let text = text.join("; ");
    // What an answer may cost is put aside before each question.
    let too_little = |own: &Balance| own.tokens_left.is_some_and(|left| left <= most);
    if let Some(why) = never_enough(core, most) {
        return Check::new("budget", Level::Degraded, format!("{text}; {why}"));
    }
    // How long questions are is known only by asking one.
    if let Some(why) = core.cascade.purse().refused() {
        let text = format!("{text}; the last question could not be paid: {why}");
        return Check::new("budget", Level::Degraded, text);
    }
    if balances.iter().any(|own| own.is_used_up() || too_little(own)) {
        // What costs no money is still asked where only that is used up.
        let which = if balances.iter().any(too_little) {
            "models"
        } else {
            "models that cost money"
        };
        let text = format!(
            "{text}; that is too little for a question: {which} are not asked until the next day (UTC), or `budget.day_…` raises it"
        );
        Check::new("budget", Level::Degraded, text)
    } else {
        Check::new("budget", Level::Good, text)
    }
}

/// Which bound is too little for any question at all, however little was spent, and what to do about it.
fn never_enough(core: &Core, most: u64) -> Option<String> {
    let budget = &core.config.budget;
    let remedy = "lower that, which a running daemon takes up, or raise the budget and start the daemon again";
    let tokens = [
        ("session_tokens", budget.session_tokens),
        ("day_tokens", budget.day_tokens),
    ];
    // The text of a question comes to it.
    if let Some((key, bound)) = tokens
        .into_iter()
        .find_map(|(key, bound)| Some((key, bound.filter(|bound| *bound <= most)?)))
    {
        return Some(format!(
            "budget.{key} = {bound} is too little for any question, since one answer may have {most} tokens \
             (model.answer_tokens): {remedy}"
        ));
    }
    let cents = [("session_cents", budget.session_cents), ("day_cents", budget.day_cents)];
    let models = core
        .cascade
        .status()
        .into_iter()
        .filter_map(|own| Some((own.name, own.model?)));
    for (name, model) in models {
        let least = core.cascade.purse().least(&model, most).money;
        let short = cents
            .iter()
            .find_map(|(key, bound)| Some((key, bound.filter(|bound| Money::cents(*bound) < least)?)));
        if let Some((key, bound)) = short {
            return Some(format!(
                "budget.{key} = {bound} is too little for any question to {name}, since one answer of {most} tokens \
                 (model.answer_tokens) may cost {least} there, by its price under [prices] or `budget.unknown_price`: {remedy}"
            ));
        }
    }
    None
}
