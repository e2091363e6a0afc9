//! What a skill says it is about, where nothing is: a gate judges nothing by that, a prompt is never meant, and its author
//! believes that they are.

use std::collections::BTreeSet;

use super::describe::{Description, Function};
use super::registry::SkillSet;
use super::right::CORE_TARGETS;
use crate::capability::own::own_targets;
use crate::config::{is_slip, meant};
use crate::signal::Sensor;

/// Every target that there is: of the host, of the skills that are loaded, and of `beside`, lower case.
pub fn all_targets(set: &SkillSet, beside: Option<&Description>) -> BTreeSet<String> {
    let own = own_targets().chain(CORE_TARGETS.iter().copied()).map(str::to_lowercase);
    let claims = set
        .claimed_targets()
        .chain(beside.into_iter().flat_map(|own| &own.targets));
    own.chain(claims.map(|claim| claim.target.to_lowercase())).collect()
}

/// Of so many targets it is told by name that nothing has them.
const TOLD: usize = 3;

/// One sentence for each target that the gate names and nothing has, beside the skills of `set`.
pub fn aimless(description: &Description, set: &SkillSet) -> Vec<String> {
    let is_gate = description.functions.contains(&Function::Gate);
    let Some(named) = description.gate_targets.as_ref().filter(|_| is_gate) else {
        return Vec::new();
    };
    let known = all_targets(set, Some(description));
    let unknown: Vec<&String> = named
        .iter()
        .filter(|target| !known.contains(&target.to_lowercase()))
        .collect();
    let more = unknown.len().saturating_sub(TOLD);
    let more = (more > 0).then(|| format!("so it is with {more} more of the targets that it names"));
    unknown
        .into_iter()
        .take(TOLD)
        .map(|target| {
            let shown = target.to_uppercase();
            match set.tool(&target.to_lowercase()) {
                Some((_, tool)) => format!(
                    "it judges actions for :{shown}, which is a tool and no target: calls of tools are actions for :TOOL with \
                     :TOOL \"{}\" in the payload",
                    tool.name
                ),
                None => format!(
                    "it judges actions for :{shown}, and nothing has that target now, so that it judges nothing by it; {}",
                    meant(&target.to_lowercase(), known.iter().map(String::as_str))
                ),
            }
        })
        .chain(more)
        .collect()
}

/// One sentence for each trigger that can decide nothing, or names a sensor which no signal of the host's has. Only where it
/// is like one of those, it is a slip for certain: programs that connect may have sensors of their own.
pub fn deaf(description: &Description, slips_only: bool) -> Vec<String> {
    let sensors: Vec<String> = Sensor::names().map(str::to_lowercase).collect();
    let known = || sensors.iter().map(String::as_str);
    let unknown = description.triggers.iter().filter_map(|rule| match &rule.sensor {
        Some(Sensor::Other(name)) => Some(name.to_lowercase()),
        _ => None,
    });
    let mut told: Vec<String> = unknown
        .filter(|name| !slips_only || is_slip(name, known()))
        .map(|name| {
            format!(
                "a trigger names the sensor {name}, which no signal of the host's has, so that it fits only what a program that \
                 connects sends; {}",
                meant(&name, known())
            )
        })
        .collect();
    let asked = [Function::Prompt, Function::Act];
    if !description.triggers.is_empty() && !asked.iter().any(|own| description.functions.contains(own)) {
        told.push(
            "its triggers say when its `prompt` is meant, or what of the heartbeat is its own, and it has neither a `prompt` nor \
             an `act`"
                .to_owned(),
        );
    }
    told
}
