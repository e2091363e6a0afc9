//! The host's own targets: effects that skills proposed through a capability, and that the host carries out itself.
//!
//! A skill's proposal that is cleared at once is carried out where it was made. One that had to wait for a person
//! comes back after the approval, when that call is long over: then the host carries it out from here, by the same
//! code, within what the skill that proposed it is granted at that moment.

use super::{Failure, Rights, Turn, files, http, memory, model, schedule};
use crate::config::SkillLimits;
use crate::gate::Cleared;
use crate::signal::Action;

/// For whom a cleared action is carried out.
pub struct OnBehalf<'a> {
    /// The skill that proposed it.
    pub skill: &'a str,
    /// What it was granted.
    pub rights: &'a Rights,
    /// Its bounds.
    pub limits: &'a SkillLimits,
    /// The turn in which it happens.
    pub turn: &'a Turn,
}

/// Carries out a cleared action; says what came of it. Blocks.
pub type CarryOut = fn(&Cleared<Action>, &OnBehalf<'_>) -> Result<String, Failure>;

/// Each target, and by what it is carried out.
const OWN: &[(&str, CarryOut)] = &[
    (files::TARGET, files::carry_out),
    (http::TARGET, http::carry_out),
    (memory::TARGET, memory::carry_out),
    (model::TARGET, model::carry_out),
    (schedule::TARGET, schedule::carry_out),
];

/// The host's own targets.
pub fn own_targets() -> impl Iterator<Item = &'static str> {
    OWN.iter().map(|(target, _)| *target)
}

/// By what actions for `target` are carried out, if it is one of the host's own. Case means nothing.
pub fn own_target(target: &str) -> Option<CarryOut> {
    OWN.iter()
        .find(|(own, _)| own.eq_ignore_ascii_case(target))
        .map(|(_, carry_out)| *carry_out)
}
