//! Who is asked, in which order, and how long: what is configured, as one value that is exchanged as a whole.
//!
//! A rule sends questions of a kind to other providers, or to the same in another order. All orders are over the same
//! places, so that a provider that fails for one fails for all of them. Where a rule holds, nobody else is asked: who
//! sends a kind of question to a model at home does not want it to end up elsewhere. What a turn began with decides, so that
//! the rule holds for all its questions.

use std::sync::Arc;
use std::time::Duration;

use super::breaker::BreakerPolicy;
use super::recipe::Recipe;
use super::slot::Slot;
use super::{ModelRequest, Provider};
use crate::config::SelectRule;

/// How long is waited, and how long all may take together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// For all providers together.
    pub total_timeout: Duration,
    /// Longest that a server's wish to wait is granted.
    pub retry_after_cap: Duration,
    /// Before providers are asked once more that may have failed for a reason which passes; by chance half as much longer.
    pub retry_pause: Duration,
}

/// What is configured.
pub(super) struct Line {
    slots: Vec<Arc<Slot>>,
    /// From what each of the slots was made; none where it must be made anew every time.
    recipes: Vec<Option<Recipe>>,
    order: Vec<Arc<Slot>>,
    rules: Vec<(SelectRule, Vec<Arc<Slot>>)>,
    pace: Pace,
}

impl Line {
    /// These providers in this order, whatever is asked.
    pub(super) fn new(
        providers: impl IntoIterator<Item = Arc<dyn Provider>>,
        pace: Pace,
        policy: BreakerPolicy,
    ) -> Line {
        let slots: Vec<Arc<Slot>> = providers
            .into_iter()
            .map(|provider| Arc::new(Slot::new(provider, policy)))
            .collect();
        Line {
            recipes: slots.iter().map(|_| None).collect(),
            order: slots.clone(),
            slots,
            rules: Vec::new(),
            pace,
        }
    }

    /// Nobody yet.
    pub(super) fn empty(pace: Pace) -> Line {
        Line {
            slots: Vec::new(),
            recipes: Vec::new(),
            order: Vec::new(),
            rules: Vec::new(),
            pace,
        }
    }

    /// Adds a provider that no order names yet.
    pub(super) fn add(&mut self, slot: Arc<Slot>, recipe: Option<Recipe>) {
        self.slots.push(slot);
        self.recipes.push(recipe);
    }

    /// The slot that was made from `recipe`.
    pub(super) fn made_from(&self, recipe: &Recipe) -> Option<Arc<Slot>> {
        let at = self.recipes.iter().position(|own| own.as_ref() == Some(recipe))?;
        self.slots.get(at).cloned()
    }

    /// The order where no rule holds: those of the added that have these names.
    pub(super) fn set_order(&mut self, names: &[String]) {
        self.order = self.named(names);
    }

    /// The order where `rule` holds and none before it does.
    pub(super) fn add_rule(&mut self, rule: SelectRule) {
        let order = self.named(&rule.cascade);
        self.rules.push((rule, order));
    }

    fn named(&self, names: &[String]) -> Vec<Arc<Slot>> {
        let find = |name: &String| self.slots.iter().find(|slot| slot.name() == name).cloned();
        names.iter().filter_map(find).collect()
    }

    /// Who is asked this, in order.
    pub(super) fn order(&self, request: &ModelRequest) -> Vec<Arc<Slot>> {
        self.ruled(request).unwrap_or(&self.order).to_vec()
    }

    /// The place of the provider `name`, whether or not it is in the order, unless a rule says that only others are asked
    /// this.
    pub(super) fn only(&self, name: &str, request: &ModelRequest) -> Option<Arc<Slot>> {
        let asked = self.ruled(request).unwrap_or(&self.slots);
        asked.iter().find(|slot| slot.name() == name).cloned()
    }

    /// The order of the rule that holds.
    fn ruled(&self, request: &ModelRequest) -> Option<&[Arc<Slot>]> {
        let rule = self.rules.iter().find(|(rule, _)| holds(rule, request))?;
        Some(&rule.1)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.order.iter().map(|slot| slot.name().to_owned()).collect()
    }

    /// Whether somebody is asked who was not before, or otherwise than before: what came of the last question says nothing
    /// of those.
    pub(super) fn asks_anew(&self, before: &Line) -> bool {
        let asked = |line: &Line| -> Vec<Arc<Slot>> {
            let of_rules = line.rules.iter().flat_map(|(_, order)| order);
            line.order.iter().chain(of_rules).cloned().collect()
        };
        let known = asked(before);
        let is_known = |slot: &Arc<Slot>| known.iter().any(|own| Arc::ptr_eq(own, slot));
        self.pace != before.pace || !asked(self).iter().all(is_known)
    }

    pub(super) fn slots(&self) -> &[Arc<Slot>] {
        &self.slots
    }

    pub(super) fn pace(&self) -> &Pace {
        &self.pace
    }
}

/// Whether all that `rule` says is so.
fn holds(rule: &SelectRule, request: &ModelRequest) -> bool {
    let route = &request.route;
    let same = |wanted: &String, own: &str| own.eq_ignore_ascii_case(wanted);
    rule.sensor.as_ref().is_none_or(|wanted| same(wanted, &route.sensor))
        && rule
            .skill
            .as_ref()
            .is_none_or(|wanted| route.skill.as_deref().is_some_and(|own| same(wanted, own)))
        && rule.longer_than_bytes.is_none_or(|bytes| request.bytes() > bytes)
}
