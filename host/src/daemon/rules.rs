//! Rules of the operator's that hold for nothing: a name in them that nothing has. They stand, and whoever wrote one believes
//! that it holds.

use std::collections::BTreeSet;

use super::health::{Check, Level};
use crate::capability::own::own_targets;
use crate::config::{Config, ModelConfig, meant};
use crate::skill::{CORE_TARGETS, SkillSet};

/// What a turn can begin with.
const BEGINNINGS: &[&str] = &[
    "USER-INPUT",
    "CHAT-MESSAGE",
    "HEARTBEAT",
    "SCHEDULE",
    "REPL-EVAL",
    "BUFFER-UPDATE",
    "POINT-UPDATE",
];

/// What is wrong with `[consensus]`, `[select]` and what targets are set to, beside the skills that are loaded. `model` is
/// whom questions go to by now.
pub(super) fn checks(config: &Config, model: &ModelConfig, set: &SkillSet) -> Vec<Check> {
    let mut checks = consensus(config, model, set);
    checks.extend(select(model, set));
    checks.extend(targets(config, set));
    checks
}

/// Every target that there is: of the host and of the skills that are loaded, lower case.
fn all_targets(set: &SkillSet) -> BTreeSet<String> {
    let own = own_targets().chain(CORE_TARGETS.iter().copied());
    let claimed = set.claimed_targets().map(|claim| claim.target.to_lowercase());
    own.map(str::to_lowercase).chain(claimed).collect()
}

fn is_target(set: &SkillSet, target: &str) -> bool {
    all_targets(set).contains(&target.to_lowercase())
}

/// Which target may be meant by one that there is not, or which there are.
fn meant_target(set: &SkillSet, target: &str) -> String {
    meant(target, all_targets(set).iter().map(String::as_str))
}

/// Targets that are permitted or denied and that nothing has.
fn targets(config: &Config, set: &SkillSet) -> Vec<Check> {
    let named = config
        .settings
        .iter()
        .filter_map(|(key, permission)| Some((key.strip_prefix("dispatcher.targets.")?, permission)));
    named
        .filter(|(target, _)| !is_target(set, target))
        .map(|(target, permission)| {
            let tool = set.tool(target).is_some();
            let instead = if tool {
                format!("a tool is permitted and denied with tools.{target}")
            } else {
                meant_target(set, target)
            };
            let text = format!(
                "config.toml sets targets.{target} = \"{permission}\", which is no target of the host or of any loaded skill: it \
                 holds for nothing; {instead}"
            );
            Check::new("targets", Level::Degraded, text)
        })
        .collect()
}

fn consensus(config: &Config, model: &ModelConfig, set: &SkillSet) -> Vec<Check> {
    let degraded = |text: String| Check::new("consensus", Level::Degraded, text);
    let targets = &config.consensus.targets;
    let is_tool = |target: &str| set.tools().any(|tool| tool.name.eq_ignore_ascii_case(target));
    let mut known = all_targets(set);
    known.extend(set.tools().map(|tool| tool.name.to_lowercase()));
    let mut checks: Vec<Check> = targets
        .iter()
        .filter(|target| !is_target(set, target) && !is_tool(target))
        .map(|target| {
            degraded(format!(
                "consensus.targets names {target}, which is no target and no tool of any loaded skill: nothing needs consensus \
                 because of it; {}",
                meant(target, known.iter().map(String::as_str))
            ))
        })
        .collect();
    if targets.is_empty() {
        return checks;
    }
    // Who is asked to agree stays as it was at the start.
    let consulted = &config.model.consulted;
    let refused = |why: String| {
        let targets = targets.join(", ");
        degraded(format!(
            "{why}: no action for {targets} can be agreed on, and each is refused after it was paid for"
        ))
    };
    let alone = |cascade: &[String]| {
        let first = cascade.first();
        let named = first.map_or("whoever answers first", String::as_str);
        (!consulted.iter().any(|name| Some(name) != first))
            .then(|| format!("consensus.providers names nobody beside {named}"))
    };
    if let Some(why) = alone(&model.cascade) {
        checks.push(refused(why));
        return checks;
    }
    for (name, rule) in model.select.iter().filter(|(_, rule)| !rule.cascade.is_empty()) {
        // Where a rule holds, whom it does not name is not asked whether they agree either.
        let left_out: Vec<&str> = consulted
            .iter()
            .filter(|own| !rule.cascade.contains(own))
            .map(String::as_str)
            .collect();
        let why = if left_out.is_empty() {
            alone(&rule.cascade)
        } else {
            let left_out = left_out.join(" and ");
            Some(format!(
                "consensus.providers names {left_out}, whom select.{name}.cascade leaves out"
            ))
        };
        checks.extend(why.map(|why| refused(format!("where select.{name} holds, {why}"))));
    }
    checks
}

fn select(model: &ModelConfig, set: &SkillSet) -> Vec<Check> {
    let mut checks = Vec::new();
    for (name, rule) in &model.select {
        let mut never = |what: String| {
            let text = format!("select.{name} holds for no question: {what}");
            checks.push(Check::new("model", Level::Degraded, text));
        };
        if let Some(sensor) = &rule.sensor
            && !BEGINNINGS.contains(&sensor.as_str())
        {
            let known = BEGINNINGS.join(", ").to_lowercase();
            never(format!("no turn begins with the sensor {sensor:?}; there are {known}"));
        }
        if let Some(skill) = &rule.skill
            && !set.skills().iter().any(|own| own.name().eq_ignore_ascii_case(skill))
        {
            let loaded = set.skills().iter().map(|own| own.name());
            never(format!("no skill {skill:?} is loaded; {}", meant(skill, loaded)));
        }
    }
    checks
}
