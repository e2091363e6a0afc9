//! What a gate says it is about, where no action is: it would judge nothing by that, and its author believes that it does.

use std::collections::BTreeSet;

use super::describe::{Description, Function};
use super::registry::SkillSet;
use super::right::CORE_TARGETS;
use crate::capability::own::own_targets;
use crate::config::meant;

/// Every target that there is: of the host, of the skills that are loaded, and of `beside`, lower case.
pub fn all_targets(set: &SkillSet, beside: Option<&Description>) -> BTreeSet<String> {
    let own = own_targets().chain(CORE_TARGETS.iter().copied()).map(str::to_lowercase);
    let claims = set
        .claimed_targets()
        .chain(beside.into_iter().flat_map(|own| &own.targets));
    own.chain(claims.map(|claim| claim.target.to_lowercase())).collect()
}

/// One sentence for each target that the gate names and nothing has, beside the skills of `set`.
pub fn aimless(description: &Description, set: &SkillSet) -> Vec<String> {
    let is_gate = description.functions.contains(&Function::Gate);
    let Some(named) = description.gate_targets.as_ref().filter(|_| is_gate) else {
        return Vec::new();
    };
    let known = all_targets(set, Some(description));
    let unknown = named.iter().filter(|target| !known.contains(&target.to_lowercase()));
    unknown
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
        .collect()
}
