//! Which version of each skill is used: the newest that fits with the others.
//!
//! A target or a tool belongs to one skill, and what a skill depends on must be there. A new version that breaks either
//! gives way to the one before it, so that nothing which was in use is lost to a newcomer.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::describe::{Description, actions_meet};
use super::loaded::{Skill, Source};
use super::order::{self, OrderFault};
use super::owned::{Claims, Owned};
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

/// Who has precedence, in this order: what is in use, what is bundled, what was in use before, and the older file.
pub(super) struct Precedence<'a> {
    pub(super) in_use: &'a BTreeMap<String, Arc<Skill>>,
    pub(super) owned: &'a Owned,
    /// Whether a file of this name is still to be read: what it had is kept for it.
    pub(super) is_coming: &'a dyn Fn(&str) -> bool,
    /// When the file of this name was last changed.
    pub(super) since: &'a dyn Fn(&str) -> Option<(i64, i64)>,
}

/// Chooses among `versions`. Who has something keeps it against newcomers.
pub(super) fn settle(mut versions: BTreeMap<String, Versions>, precedence: &Precedence) -> Settled {
    let Precedence { in_use, owned, .. } = precedence;
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
                owned.of(skill.name()).is_none(),
                (precedence.since)(skill.name()),
                skill.name().to_owned(),
            )
        });
        let has_another = |name: &str| versions.get(name).is_some_and(|versions| versions.len() > 1);
        let bundled = versions
            .values()
            .flatten()
            .filter(|skill| skill.source == Source::Bundled);
        let mut owners = Owners::default();
        bundled.for_each(|skill| owners.enter(skill.name(), Claims::of(skill.description())));
        for (name, claims) in owned.all().filter(|(name, _)| (precedence.is_coming)(name)) {
            owners.enter(name, claims.clone());
        }
        let losers = losers(&chosen, owners, &is_in_use, &has_another);
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
/// of another's. What `owners` have from the beginning stays theirs: the bundled ones, also while a file stands in for one.
fn losers<'a>(
    chosen: &'a [Arc<Skill>],
    mut owners: Owners<'a>,
    is_in_use: &dyn Fn(&Arc<Skill>) -> bool,
    has_another: &dyn Fn(&str) -> bool,
) -> Vec<(String, LoadFault)> {
    let mut claimed = Vec::new();
    for skill in chosen {
        let Some((what, owner)) = owners.of_first(skill) else {
            owners.enter(skill.name(), Claims::of(skill.description()));
            continue;
        };
        let (name, owner) = (skill.name().to_owned(), owner.to_owned());
        let stands_back = has_another(&name);
        claimed.push((name, LoadFault::Claimed { what, owner }));
        // The version before it comes in its place first, and may have precedence.
        if stands_back {
            break;
        }
    }
    if !claimed.is_empty() {
        return claimed;
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

/// Whose each claim is, by the name of the skill.
#[derive(Default)]
struct Owners<'a> {
    tools: HashMap<String, &'a str>,
    /// By the action, if only one is claimed.
    targets: HashMap<String, BTreeMap<Option<String>, &'a str>>,
}

impl<'a> Owners<'a> {
    /// Gives `name` what it claims, or claimed, and nobody has.
    fn enter(&mut self, name: &'a str, claims: Claims) {
        for tool in claims.tools {
            self.tools.entry(tool).or_insert(name);
        }
        for (target, action) in claims.targets {
            self.targets.entry(target).or_default().entry(action).or_insert(name);
        }
    }

    /// The first claim of `skill` that another has, and who.
    fn of_first(&self, skill: &Skill) -> Option<(String, &'a str)> {
        let (its, name) = (skill.description(), skill.name());
        let target = its.targets.iter().find_map(|claim| {
            let mut held = self.targets.get(&claim.target)?.iter();
            let meets = |held: &Option<String>| actions_meet(held.as_deref(), claim.action.as_deref());
            let (_, owner) = held.find(|(held, owner)| **owner != name && meets(held))?;
            Some((format!("the target :{}", claim.target), *owner))
        });
        target.or_else(|| {
            its.tools.iter().find_map(|tool| {
                let owner = self.tools.get(&tool.name).filter(|owner| **owner != name)?;
                Some((format!("the tool `{}`", tool.name), *owner))
            })
        })
    }
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
