//! Rules of the operator's that hold for nothing: a name in them that nothing has. They stand, and whoever wrote one believes
//! that it holds.

use std::sync::Arc;

use super::health::{Check, Level};
use crate::config::Config;
use crate::skill::{Skill, SkillSet};

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

/// Targets of the host, beside those of skills. `EVAL` is a tool whose calls go to the host's own `SYSTEM`.
const TARGETS: &[&str] = &["SHELL", "SYSTEM", "EVAL", "TOOL", "CLI", "TUI", "EMACS"];

/// What is wrong with `[consensus]`, `[select]` and what targets are set to, beside the skills that are loaded.
pub(super) fn checks(config: &Config, set: &SkillSet) -> Vec<Check> {
    let mut checks = consensus(config, set);
    checks.extend(select(config, set));
    checks.extend(targets(config, set));
    checks
}

fn is_target(set: &SkillSet, target: &str) -> bool {
    let own = |skill: &Arc<Skill>| {
        let claims = &skill.description().targets;
        claims.iter().any(|own| own.target.eq_ignore_ascii_case(target))
    };
    TARGETS.iter().any(|own| own.eq_ignore_ascii_case(target)) || set.skills().iter().any(own)
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
                format!("; a tool is permitted and denied with tools.{target}")
            } else {
                String::new()
            };
            let text = format!(
                "config.toml sets targets.{target} = \"{permission}\", which is no target of the host or of any loaded skill: it \
                 holds for nothing{instead}"
            );
            Check::new("targets", Level::Degraded, text)
        })
        .collect()
}

fn consensus(config: &Config, set: &SkillSet) -> Vec<Check> {
    let degraded = |text: String| Check::new("consensus", Level::Degraded, text);
    let rule = &config.consensus;
    let is_tool = |target: &str| set.tools().any(|tool| tool.name.eq_ignore_ascii_case(target));
    let mut checks: Vec<Check> = rule
        .targets
        .iter()
        .filter(|target| !is_target(set, target) && !is_tool(target))
        .map(|target| {
            degraded(format!(
                "consensus.targets names {target}, which is no target and no tool of any loaded skill: nothing needs consensus \
                 because of it"
            ))
        })
        .collect();
    let first = config.model.cascade.first();
    let others = config
        .model
        .consulted
        .iter()
        .filter(|name| Some(*name) != first)
        .count();
    if !rule.targets.is_empty() && others == 0 {
        let first = first.map_or("whoever answers first", String::as_str);
        checks.push(degraded(format!(
            "consensus.providers names nobody beside {first}: no action for {} can be agreed on, and each is refused after it \
             was paid for",
            rule.targets.join(", ")
        )));
    }
    checks
}

fn select(config: &Config, set: &SkillSet) -> Vec<Check> {
    let mut checks = Vec::new();
    for (name, rule) in &config.model.select {
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
            never(format!("no skill {skill:?} is loaded"));
        }
    }
    checks
}
