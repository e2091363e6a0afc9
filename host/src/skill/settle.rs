//! Which version of each skill is used: the newest that fits with the others.
//!
//! A target or a tool belongs to one skill, and what a skill depends on must be there. A new version that breaks either
//! gives way to the one before it, so that nothing which was in use is lost to a newcomer.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::describe::Description;
use super::loaded::{Skill, Source};
use super::order::{self, OrderFault};
use super::workshop::LoadFault;

/// Versions of one skill, the wanted one first.
pub(super) type Versions = Vec<Arc<Skill>>;

/// What was decided.
pub(super) struct Settled {
    /// The version of each skill that is used, by name.
    pub(super) chosen: BTreeMap<String, Arc<Skill>>,
    /// The versions that had to give way, and why.
    pub(super) refused: Vec<(Arc<Skill>, LoadFault)>,
}

impl Settled {
    /// Why `version` had to give way, if it had to.
    pub(super) fn refusal(&self, version: &Arc<Skill>) -> Option<&LoadFault> {
        let of = |(skill, _): &&(Arc<Skill>, LoadFault)| Arc::ptr_eq(skill, version);
        self.refused.iter().find(of).map(|(_, fault)| fault)
    }
}

/// Chooses among `versions`. Who is in use already, by `in_use`, keeps what it has against newcomers.
pub(super) fn settle(mut versions: BTreeMap<String, Versions>, in_use: &BTreeMap<String, Arc<Skill>>) -> Settled {
    let is_in_use = |skill: &Arc<Skill>| in_use.get(skill.name()).is_some_and(|own| Arc::ptr_eq(own, skill));
    let mut refused = Vec::new();
    loop {
        versions.retain(|_, versions| !versions.is_empty());
        let first = |versions: &Versions| versions.first().cloned();
        let mut chosen: Vec<Arc<Skill>> = versions.values().filter_map(first).collect();
        chosen.sort_by_key(|skill| {
            (
                !is_in_use(skill),
                skill.source != Source::Bundled,
                skill.name().to_owned(),
            )
        });
        let losers = losers(&chosen, &is_in_use);
        if losers.is_empty() {
            let chosen = chosen
                .into_iter()
                .map(|skill| (skill.name().to_owned(), skill))
                .collect();
            return Settled { chosen, refused };
        }
        for (name, fault) in losers {
            if let Some(versions) = versions.get_mut(&name)
                && !versions.is_empty()
            {
                refused.push((versions.remove(0), fault));
            }
        }
    }
}

/// Who must give way next among `chosen`, who have precedence in their order: those whose fault is not the consequence
/// of another's.
fn losers(chosen: &[Arc<Skill>], is_in_use: &dyn Fn(&Arc<Skill>) -> bool) -> Vec<(String, LoadFault)> {
    for (at, skill) in chosen.iter().enumerate() {
        let earlier = chosen.iter().take(at);
        if let Some((what, owner)) = earlier.into_iter().find_map(|own| {
            let mut both = contested(own.description(), skill.description()).into_iter();
            both.next().map(|what| (what, own))
        }) {
            let owner = owner.name().to_owned();
            return vec![(skill.name().to_owned(), LoadFault::Claimed { what, owner })];
        }
    }
    let wanted: BTreeMap<String, Vec<String>> = chosen
        .iter()
        .map(|skill| (skill.name().to_owned(), skill.description().depends_on.clone()))
        .collect();
    let (_, faults) = order::sort(&wanted);
    // Others fail only because these do; once these gave way, they may be well again.
    let is_root = |name: &String, fault: &OrderFault| {
        matches!(fault, OrderFault::Cycle(_))
            || wanted
                .get(name)
                .is_some_and(|needed| needed.iter().any(|needed| !wanted.contains_key(needed)))
    };
    // A newcomer that closes a circle gives way, and not those that were there.
    let new: Vec<&String> = chosen
        .iter()
        .filter(|skill| !is_in_use(skill))
        .map(|skill| &skill.description().name)
        .collect();
    let mut roots: Vec<(String, OrderFault)> = faults
        .into_iter()
        .filter(|(name, fault)| is_root(name, fault))
        .collect();
    if roots.iter().any(|(name, _)| new.contains(&name)) {
        roots.retain(|(name, _)| new.contains(&name));
    }
    roots
        .into_iter()
        .map(|(name, fault)| (name, LoadFault::Order(fault)))
        .collect()
}

/// What both claim: targets and tools.
pub(super) fn contested(own: &Description, its: &Description) -> Vec<String> {
    let targets = its
        .targets
        .iter()
        .filter(|claim| own.targets.iter().any(|held| held.meets(claim)))
        .map(|claim| format!("the target :{}", claim.target));
    let tools = its
        .tools
        .iter()
        .filter(|tool| own.tools.iter().any(|held| held.name == tool.name))
        .map(|tool| format!("the tool `{}`", tool.name));
    targets.chain(tools).collect()
}
