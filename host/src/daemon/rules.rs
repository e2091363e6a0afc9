//! Rules of the operator's that hold for nothing: a name in them that nothing has. They stand, and whoever wrote one believes
//! that it holds. What a skill that is yet to come may have is noted, and no fault.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::health::{Check, Level};
use crate::config::{Config, ModelConfig, is_slip, meant};
use crate::skill::{BUNDLED, Skill, SkillSet, aimless, all_targets, deaf, is_name};

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

/// What is wrong with `[consensus]` and `[select]`, and what tools, targets and skills are set to that are not there, beside the
/// skills that are loaded. `model` is whom questions go to by now.
pub(super) fn checks(config: &Config, model: &ModelConfig, set: &SkillSet) -> Vec<Check> {
    let mut checks = consensus(config, model, set);
    checks.extend(select(model, set));
    checks.extend(tools(config, set));
    checks.extend(targets(config, set));
    checks.extend(skills(config, set));
    checks.extend(aims(set));
    checks
}

fn is_target(set: &SkillSet, target: &str) -> bool {
    all_targets(set, None).contains(&target.to_lowercase())
}

/// Which target may be meant by one that there is not, or which there are.
fn meant_target(set: &SkillSet, target: &str) -> String {
    meant(target, all_targets(set, None).iter().map(String::as_str))
}

/// What the operator permits or denies by name under `[settings.dispatcher]` in the table `kind`.
fn permissions<'c>(config: &'c Config, kind: &'static str) -> impl Iterator<Item = (&'c str, &'c str)> {
    config.settings.iter().filter_map(move |(key, permission)| {
        let name = key.strip_prefix("dispatcher.")?.strip_prefix(kind)?.strip_prefix('.')?;
        Some((name, permission.as_str()))
    })
}

/// Tools that are permitted or denied and that nobody offers: perhaps a slip, perhaps a skill that is yet to come.
fn tools(config: &Config, set: &SkillSet) -> Vec<Check> {
    permissions(config, "tools")
        .filter(|(name, _)| set.tool(name).is_none())
        .map(|(name, permission)| {
            let known = || set.tools().map(|tool| tool.name.as_str());
            let rule = format!(
                "config.toml sets tools.{name} = \"{permission}\", and no loaded skill offers a tool of that name"
            );
            let slip = permission != "allow" && is_slip(name, known());
            uncounted("tools", &rule, slip, &meant(name, known()))
        })
        .collect()
}

/// The same of targets.
fn targets(config: &Config, set: &SkillSet) -> Vec<Check> {
    permissions(config, "targets")
        .filter(|(target, _)| !is_target(set, target))
        .map(|(target, permission)| {
            let instead = match set.tool(target) {
                Some(_) => format!("a tool is permitted and denied with tools.{target}"),
                None => meant_target(set, target),
            };
            let rule = format!(
                "config.toml sets targets.{target} = \"{permission}\", and no loaded skill has a target of that name"
            );
            let known = all_targets(set, None);
            let slip = permission != "allow" && is_slip(target, known.iter().map(String::as_str));
            uncounted("targets", &rule, slip, &instead)
        })
        .collect()
}

/// A rule that counts for nothing. Was it a `slip`, something happens unasked that was to be denied or asked about.
fn uncounted(about: &'static str, rule: &str, slip: bool, instead: &str) -> Check {
    let (level, so_far) = match slip {
        true => (Level::Degraded, ", and until then denies nothing and asks nobody"),
        false => (Level::Note, ""),
    };
    Check::new(
        about,
        level,
        format!("{rule}: it counts once one does{so_far}; {instead}"),
    )
}

/// Tables of settings and of limits for skills that are not there.
fn skills(config: &Config, set: &SkillSet) -> Vec<Check> {
    // One that waits or failed is there, and its state is told. A file whose name can't name a skill is none.
    let statuses = set.statuses();
    let listed = statuses.iter().map(|own| own.name.as_str());
    let known: BTreeSet<&str> = listed
        .chain(BUNDLED.iter().map(|own| own.name))
        .filter(|name| is_name(name))
        .collect();
    let with_settings: BTreeSet<&str> = config.settings_by_skill().collect();
    let limited = config.skills.overrides.keys().map(String::as_str);
    let tables = with_settings.into_iter().map(|name| ("settings", name));
    tables
        .chain(limited.map(|name| ("limits", name)))
        .filter(|(_, name)| !known.contains(name))
        .map(|(table, name)| {
            let text = format!(
                "config.toml has [{table}.{name}], and no loaded skill has that name: it counts once one does; {}",
                meant(name, known.iter().copied())
            );
            Check::new("skills", Level::Note, text)
        })
        .collect()
}

/// Skills that name what nothing has: a target that they would judge, a sensor that they wait for.
fn aims(set: &SkillSet) -> Vec<Check> {
    let of = |skill: &Arc<Skill>| {
        let told = aimless(skill.description(), set);
        let name = skill.name().to_owned();
        let gate = name.clone();
        let judged = told.into_iter().map(move |text| {
            Check::new(
                "gates",
                Level::Note,
                format!("the gate {gate} is not asked about all that it names: {text}"),
            )
        });
        let deaf = deaf(skill.description(), true).into_iter();
        judged.chain(deaf.map(move |text| Check::new("skills", Level::Note, format!("{name}: {text}"))))
    };
    set.skills().iter().flat_map(of).collect()
}

fn consensus(config: &Config, model: &ModelConfig, set: &SkillSet) -> Vec<Check> {
    let degraded = |text: String| Check::new("consensus", Level::Degraded, text);
    let targets = &config.consensus.targets;
    let is_tool = |target: &str| set.tools().any(|tool| tool.name.eq_ignore_ascii_case(target));
    let mut known = all_targets(set, None);
    known.extend(set.tools().map(|tool| tool.name.to_lowercase()));
    let mut checks: Vec<Check> = targets
        .iter()
        .filter(|target| !is_target(set, target) && !is_tool(target))
        .map(|target| {
            degraded(format!(
                "{}consensus.targets names {target}, which is no target and no tool of any loaded skill: nothing needs consensus \
                 because of it; {}",
                config.model.at("consensus.targets"),
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
            "{}{why}: no action for {targets} can be agreed on, and each is refused after it was paid for",
            config.model.at("consensus.providers"),
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

/// Rules under `[select]` for a beginning that no turn has.
pub(super) fn sensors(model: &ModelConfig) -> Vec<String> {
    let named = model
        .select
        .iter()
        .filter_map(|(name, rule)| Some((name, rule.sensor.as_ref()?)));
    named
        .filter(|(_, sensor)| !BEGINNINGS.contains(&sensor.as_str()))
        .map(|(name, sensor)| {
            let known = BEGINNINGS.join(", ").to_lowercase();
            never(
                model,
                (name, "sensor"),
                &format!("no turn begins with the sensor {sensor:?}; there are {known}"),
            )
        })
        .collect()
}

fn select(model: &ModelConfig, set: &SkillSet) -> Vec<Check> {
    let with_skill = model
        .select
        .iter()
        .filter_map(|(name, rule)| Some((name, rule.skill.as_ref()?)));
    let skills = with_skill
        .filter(|(_, skill)| !set.skills().iter().any(|own| own.name().eq_ignore_ascii_case(skill)))
        .map(|(name, skill)| {
            let loaded = set.skills().iter().map(|own| own.name());
            let what = format!("no skill {skill:?} is loaded; {}", meant(skill, loaded));
            never(model, (name, "skill"), &what)
        });
    let never = sensors(model).into_iter().chain(skills);
    never.map(|text| Check::new("model", Level::Degraded, text)).collect()
}

fn never(model: &ModelConfig, (rule, key): (&str, &str), what: &str) -> String {
    let at = model.at(&format!("select.{rule}.{key}"));
    format!("{at}select.{rule} holds for no question: {what}")
}
