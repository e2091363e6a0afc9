//! The keys of `config.toml`: one table, from which the file is read and errors are explained. It is long because it is that
//! one table.

use std::collections::BTreeSet;
use std::time::Duration;

use toml::de::{DeString, DeValue};

use super::budget::{Price, prices};
use super::rules::{check_host, check_path, check_rule, permission, rules};
use super::{Config, Dialect, GateInstances, JailMode, ProviderConfig, SelectRule, SkillLimits, TcpAuth};

/// One key of the file.
pub(super) struct Key {
    /// Its full name, dots between tables. `*` stands for one name of the operator's choice.
    pub name: &'static str,
    /// Sets it. Gets the names that `*` stood for, and the value.
    pub set: fn(&mut Config, &[&str], &DeValue<'_>) -> Result<(), String>,
}

macro_rules! key {
    ($name:literal, $set:expr) => {
        Key {
            name: $name,
            set: $set,
        }
    };
}

/// Every key. The defaults stand in [`Config::defaults`].
pub(super) const KEYS: &[Key] = &[
    key!("assistant", |config, _, value| {
        config.cycle.assistant = text(value)?;
        Ok(())
    }),
    key!("loop.max_depth", |config, _, value| {
        config.cycle.max_depth = number(value, 1, 100)? as u32;
        Ok(())
    }),
    key!("loop.proposals", |config, _, value| {
        config.cycle.proposals = number(value, 1, 10)? as u32;
        Ok(())
    }),
    key!("loop.heartbeat_seconds", |config, _, value| {
        config.cycle.heartbeat = seconds(value, 1, 86_400)?;
        Ok(())
    }),
    key!("loop.auto_save_seconds", |config, _, value| {
        config.cycle.auto_save = seconds(value, 1, 86_400)?;
        Ok(())
    }),
    key!("loop.default_actuator", |config, _, value| {
        config.cycle.default_actuator = text(value)?.to_uppercase();
        Ok(())
    }),
    key!("loop.silent_actuators", |config, _, value| {
        config.cycle.silent_actuators = upper(texts(value)?);
        Ok(())
    }),
    key!("loop.log_lines", |config, _, value| {
        config.cycle.log_lines = number(value, 0, 1_000)? as usize;
        Ok(())
    }),
    key!("loop.history_bytes", |config, _, value| {
        config.cycle.history_bytes = number(value, 1_000, 4_000_000)? as usize;
        Ok(())
    }),
    key!("loop.shutdown_seconds", |config, _, value| {
        config.cycle.shutdown = seconds(value, 0, 600)?;
        Ok(())
    }),
    key!("tcp.port", |config, _, value| {
        config.wire.port = number(value, 1_024, 65_525)? as u16;
        Ok(())
    }),
    key!("tcp.auth", |config, _, value| {
        config.wire.tcp_auth = choice(value, &[("token", TcpAuth::Token), ("none", TcpAuth::None)])?;
        Ok(())
    }),
    key!("wire.frame_timeout_seconds", |config, _, value| {
        config.wire.frame_timeout = seconds(value, 1, 600)?;
        Ok(())
    }),
    key!("wire.connections", |config, _, value| {
        config.wire.connections = number(value, 1, 10_000)? as usize;
        Ok(())
    }),
    key!("model.cascade", |config, _, value| {
        config.model.cascade = texts(value)?;
        Ok(())
    }),
    key!("model.connect_timeout_seconds", |config, _, value| {
        config.model.connect_timeout = seconds(value, 1, 600)?;
        Ok(())
    }),
    key!("model.first_byte_timeout_seconds", |config, _, value| {
        config.model.first_byte_timeout = seconds(value, 1, 3_600)?;
        Ok(())
    }),
    key!("model.idle_timeout_seconds", |config, _, value| {
        config.model.idle_timeout = seconds(value, 1, 3_600)?;
        Ok(())
    }),
    key!("model.answer_timeout_seconds", |config, _, value| {
        config.model.answer_timeout = seconds(value, 1, 3_600)?;
        Ok(())
    }),
    key!("model.total_timeout_seconds", |config, _, value| {
        config.model.total_timeout = seconds(value, 1, 7_200)?;
        Ok(())
    }),
    key!("model.answer_bytes", |config, _, value| {
        config.model.answer_bytes = number(value, 1_000, 64_000_000)? as usize;
        Ok(())
    }),
    key!("model.answer_tokens", |config, _, value| {
        config.model.answer_tokens = number(value, 16, 1_000_000)?;
        Ok(())
    }),
    key!("model.retry_after_cap_seconds", |config, _, value| {
        config.model.retry_after_cap = seconds(value, 0, 600)?;
        Ok(())
    }),
    key!("model.retry_pause_milliseconds", |config, _, value| {
        config.model.retry_pause = Duration::from_millis(number(value, 0, 60_000)?);
        Ok(())
    }),
    key!("select.*.sensor", |config, names, value| {
        rule(config, names).sensor = Some(text(value)?.trim_start_matches(':').to_uppercase());
        Ok(())
    }),
    key!("select.*.skill", |config, names, value| {
        rule(config, names).skill = Some(text(value)?);
        Ok(())
    }),
    key!("select.*.longer_than_bytes", |config, names, value| {
        rule(config, names).longer_than_bytes = Some(number(value, 0, 1 << 30)? as usize);
        Ok(())
    }),
    key!("select.*.cascade", |config, names, value| {
        rule(config, names).cascade = texts(value)?;
        Ok(())
    }),
    key!("providers.*.base_url", |config, names, value| {
        provider(config, names).base_url = text(value)?;
        Ok(())
    }),
    key!("providers.*.dialect", |config, names, value| {
        let choices = [("openai", Dialect::OpenAi), ("anthropic", Dialect::Anthropic)];
        provider(config, names).dialect = Some(choice(value, &choices)?);
        Ok(())
    }),
    key!("providers.*.model", |config, names, value| {
        provider(config, names).model = text(value)?;
        Ok(())
    }),
    key!("providers.*.key_variable", |config, names, value| {
        let name = text(value)?;
        if !is_variable(&name) {
            // The value is not shown: somebody may have written the key itself.
            return Err(
                "must be the name of a variable, such as MY_KEY: capital letters, digits and `_`; the key itself belongs into \
                 config/env, as MY_KEY=…, or into the vault"
                    .to_owned(),
            );
        }
        provider(config, names).key_variable = Some(name);
        Ok(())
    }),
    key!("providers.*.key", |config, names, value| {
        let text = text(value)?;
        let Some(name) = text.strip_prefix("vault:").filter(|name| !name.is_empty()) else {
            // The value is not shown: somebody may have written the key itself.
            return Err(
                "must be \"vault:NAME\"; put the key itself into the vault with `passepartout-host vault set NAME`"
                    .to_owned(),
            );
        };
        provider(config, names).key_secret = Some(name.to_owned());
        Ok(())
    }),
    key!("budget.session_tokens", |config, _, value| {
        config.budget.session_tokens = Some(number(value, 1, 1 << 50)?);
        Ok(())
    }),
    key!("budget.session_cents", |config, _, value| {
        config.budget.session_cents = Some(number(value, 1, 100_000_000)?);
        Ok(())
    }),
    key!("budget.day_tokens", |config, _, value| {
        config.budget.day_tokens = Some(number(value, 1, 1 << 50)?);
        Ok(())
    }),
    key!("budget.day_cents", |config, _, value| {
        config.budget.day_cents = Some(number(value, 1, 100_000_000)?);
        Ok(())
    }),
    key!("budget.unknown_price", |config, _, value| {
        config.budget.unknown_price = Price::of(value)?;
        Ok(())
    }),
    key!("prices", |config, _, value| {
        config.budget.prices = prices(value)?;
        Ok(())
    }),
    key!("consensus.targets", |config, _, value| {
        config.consensus.targets = names_of(value)?;
        Ok(())
    }),
    key!("consensus.providers", |config, _, value| {
        config.model.consulted = texts(value)?;
        // Whoever is named twice is asked once.
        let mut seen = BTreeSet::new();
        config.model.consulted.retain(|name| seen.insert(name.clone()));
        Ok(())
    }),
    key!("gates.required", |config, _, value| {
        config.gates.required = texts(value)?;
        Ok(())
    }),
    key!("gates.approval_expiry_seconds", |config, _, value| {
        config.gates.approval_expiry = seconds(value, 1, 7 * 86_400)?;
        Ok(())
    }),
    key!("gates.instances", |config, _, value| {
        let choices = [("fresh", GateInstances::Fresh), ("warm", GateInstances::Warm)];
        config.skills.gates.instances = choice(value, &choices)?;
        Ok(())
    }),
    key!("gates.ready", |config, _, value| {
        config.skills.gates.ready = number(value, 0, 32)? as usize;
        Ok(())
    }),
    key!("skills.code_bytes", |config, _, value| {
        config.skills.code = number(value, 1 << 20, 1 << 40)?;
        Ok(())
    }),
    key!("skills.code_cache_bytes", |config, _, value| {
        config.skills.code_cache = number(value, 1 << 20, 1 << 40)?;
        Ok(())
    }),
    key!("skills.compile_seconds", |config, _, value| {
        config.skills.compile.time = seconds(value, 1, 3_600)?;
        Ok(())
    }),
    key!("skills.compile_memory_bytes", |config, _, value| {
        config.skills.compile.memory = number(value, 256 << 20, 1 << 40)?;
        Ok(())
    }),
    key!("limits.*.memory_bytes", |config, names, value| {
        limits(config, names).memory = number(value, 65_536, 4 << 30)?;
        Ok(())
    }),
    key!("limits.*.fuel", |config, names, value| {
        limits(config, names).fuel = number(value, 10_000, 1 << 40)?;
        Ok(())
    }),
    key!("limits.*.fuel_per_byte", |config, names, value| {
        limits(config, names).fuel_per_byte = number(value, 0, 1 << 30)?;
        Ok(())
    }),
    key!("limits.*.pure_milliseconds", |config, names, value| {
        limits(config, names).pure_ms = number(value, 10, 600_000)?;
        Ok(())
    }),
    key!("limits.*.act_milliseconds", |config, names, value| {
        limits(config, names).act_ms = number(value, 10, 3_600_000)?;
        Ok(())
    }),
    key!("limits.*.wait_milliseconds", |config, names, value| {
        limits(config, names).wait_ms = number(value, 10, 3_600_000)?;
        Ok(())
    }),
    key!("limits.*.table_entries", |config, names, value| {
        limits(config, names).table_entries = number(value, 1, 10_000_000)?;
        Ok(())
    }),
    key!("limits.*.instances", |config, names, value| {
        limits(config, names).instances = number(value, 1, u64::from(SkillLimits::MOST_INSTANCES))?;
        Ok(())
    }),
    key!("limits.*.host_calls", |config, names, value| {
        limits(config, names).host_calls = number(value, 1, 1_000_000_000)?;
        Ok(())
    }),
    key!("limits.*.log_lines", |config, names, value| {
        limits(config, names).log_lines = number(value, 0, 100_000)?;
        Ok(())
    }),
    key!("limits.*.text_bytes", |config, names, value| {
        limits(config, names).text = number(value, 100, 64 << 20)?;
        Ok(())
    }),
    key!("limits.*.file_bytes", |config, names, value| {
        limits(config, names).file = number(value, 1_000, 1 << 30)?;
        Ok(())
    }),
    key!("limits.*.read_bytes", |config, names, value| {
        limits(config, names).read_bytes = number(value, 1_000, 256 << 20)?;
        Ok(())
    }),
    key!("limits.*.http_bytes", |config, names, value| {
        limits(config, names).http_bytes = number(value, 1_000, 256 << 20)?;
        Ok(())
    }),
    key!("limits.*.http_seconds", |config, names, value| {
        limits(config, names).http_ms = number(value, 1, 600)? * 1_000;
        Ok(())
    }),
    key!("limits.*.outside_bytes", |config, names, value| {
        limits(config, names).outside_bytes = number(value, 1_000, 1 << 40)?;
        Ok(())
    }),
    key!("limits.*.model_calls", |config, names, value| {
        limits(config, names).model_calls = number(value, 0, 10_000)?;
        Ok(())
    }),
    key!("limits.*.model_prompt_bytes", |config, names, value| {
        limits(config, names).model_prompt = number(value, 100, 4 << 20)?;
        Ok(())
    }),
    key!("limits.*.model_answer_bytes", |config, names, value| {
        limits(config, names).model_answer = number(value, 100, 4 << 20)?;
        Ok(())
    }),
    key!("limits.*.schedule_entries", |config, names, value| {
        limits(config, names).schedule_entries = number(value, 0, 10_000)?;
        Ok(())
    }),
    key!("shell.jail", |config, _, value| {
        config.shell.jail = choice(value, &[("enforced", JailMode::Enforced), ("weak", JailMode::Weak)])?;
        Ok(())
    }),
    key!("shell.network", |config, _, value| {
        config.shell.network = truth(value)?;
        Ok(())
    }),
    key!("shell.timeout_seconds", |config, _, value| {
        config.shell.timeout = seconds(value, 1, 3_600)?;
        Ok(())
    }),
    key!("shell.output_bytes", |config, _, value| {
        config.shell.output = number(value, 100, 16 << 20)? as usize;
        Ok(())
    }),
    key!("shell.memory_bytes", |config, _, value| {
        config.shell.memory = number(value, 16 << 20, 1 << 40)?;
        Ok(())
    }),
    key!("shell.processes", |config, _, value| {
        config.shell.processes = number(value, 8, 100_000)?;
        Ok(())
    }),
    key!("shell.cpu_seconds", |config, _, value| {
        config.shell.cpu = seconds(value, 1, 86_400)?;
        Ok(())
    }),
    key!("settings.dispatcher.network.allow", |config, _, value| {
        rules(config, "dispatcher.network.allow", value, check_host)
    }),
    key!("settings.dispatcher.privacy-tags", |config, _, value| {
        rules(config, "dispatcher.privacy-tags", value, check_rule)
    }),
    key!("settings.dispatcher.protected", |config, _, value| {
        rules(config, "dispatcher.protected", value, check_path)
    }),
    key!("settings.dispatcher.writes", |config, _, value| {
        let writes = choice(value, &[("ask", "ask"), ("pass", "pass")])?;
        config
            .settings
            .insert("dispatcher.writes".to_owned(), writes.to_owned());
        Ok(())
    }),
    key!("settings.dispatcher.tools.*", |config, names, value| {
        permission(config, "tools", names, value)
    }),
    key!("settings.dispatcher.targets.*", |config, names, value| {
        permission(config, "targets", names, value)
    }),
];

/// What belongs to skills that are not bundled: any key under their own name.
pub(super) fn free_setting(config: &mut Config, name: &str, value: &DeValue<'_>) -> Option<Result<(), String>> {
    let own = name.strip_prefix("settings.")?;
    let (skill, _) = own.split_once('.')?;
    // One that is nearly the name of a bundled skill is more likely a slip, which must not go unseen.
    let taken = |name: &&str| strsim::jaro_winkler(name, skill) > 0.9;
    let ours = [
        "dispatcher",
        "policy",
        "shell",
        "repl",
        "files",
        "memory",
        "web",
        "workspace",
        "home",
        "approvals",
    ]
    .iter()
    .any(taken);
    (!ours).then(|| setting(config, own, value))
}

/// The names that `*` stood for, if `name` is this key.
pub(super) fn matches<'n>(key: &Key, name: &'n str) -> Option<Vec<&'n str>> {
    let (pattern, steps) = (key.name.split('.'), name.split('.'));
    if pattern.clone().count() != steps.clone().count() {
        return None;
    }
    let mut names = Vec::new();
    for (own, step) in pattern.zip(steps) {
        match own {
            "*" => names.push(step),
            own if own == step => {}
            _ => return None,
        }
    }
    Some(names)
}

fn provider<'c>(config: &'c mut Config, names: &[&str]) -> &'c mut ProviderConfig {
    let name = names.first().copied().unwrap_or_default().to_owned();
    config.model.providers.entry(name).or_default()
}

fn rule<'c>(config: &'c mut Config, names: &[&str]) -> &'c mut SelectRule {
    let name = names.first().copied().unwrap_or_default().to_owned();
    config.model.select.entry(name).or_default()
}

fn limits<'c>(config: &'c mut Config, names: &[&str]) -> &'c mut SkillLimits {
    let name = names.first().copied().unwrap_or_default().to_owned();
    let default = config.skills.limits;
    config.skills.overrides.entry(name).or_insert(default)
}

fn setting(config: &mut Config, name: &str, value: &DeValue<'_>) -> Result<(), String> {
    let value = match value {
        DeValue::Array(_) => texts(value)?.join("\n"),
        DeValue::Boolean(truth) => truth.to_string(),
        DeValue::Integer(integer) => integer.to_string(),
        other => text(other)?,
    };
    config.settings.insert(name.to_owned(), value);
    Ok(())
}

fn text(value: &DeValue<'_>) -> Result<String, String> {
    match value {
        DeValue::String(text) => Ok(DeString::to_string(text)),
        other => Err(format!("is {}, and must be a string in quotes", kind(other))),
    }
}

pub(super) fn texts(value: &DeValue<'_>) -> Result<Vec<String>, String> {
    match value {
        DeValue::Array(items) => items.iter().map(|item| text(item.get_ref())).collect(),
        other => Err(format!(
            "is {}, and must be a list of strings such as [\"a\", \"b\"]",
            kind(other)
        )),
    }
}

/// Names of targets or tools, which may be written as keywords.
fn names_of(value: &DeValue<'_>) -> Result<Vec<String>, String> {
    let names = texts(value)?.into_iter().map(|text| {
        let name = text.trim().trim_start_matches(':').to_uppercase();
        let plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.' | '/');
        if name.is_empty() || !name.chars().all(plain) {
            return Err(format!("holds {text:?}, and must be names such as \"shell\""));
        }
        Ok(name)
    });
    names.collect()
}

fn upper(texts: Vec<String>) -> Vec<String> {
    texts.into_iter().map(|text| text.to_uppercase()).collect()
}

fn truth(value: &DeValue<'_>) -> Result<bool, String> {
    match value {
        DeValue::Boolean(truth) => Ok(*truth),
        other => Err(format!("is {}, and must be true or false", kind(other))),
    }
}

/// Whether this is the name of an environment variable, as those of keys are written.
fn is_variable(name: &str) -> bool {
    let is_part = |char: char| char.is_ascii_uppercase() || char.is_ascii_digit() || char == '_';
    name.starts_with(|char: char| char.is_ascii_uppercase() || char == '_') && name.chars().all(is_part)
}

fn number(value: &DeValue<'_>, least: u64, most: u64) -> Result<u64, String> {
    let DeValue::Integer(integer) = value else {
        return Err(format!("is {}, and must be a whole number", kind(value)));
    };
    let number = i64::from_str_radix(integer.as_str(), integer.radix())
        .ok()
        .and_then(|number| u64::try_from(number).ok());
    match number {
        Some(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!("is {integer}, and must be from {least} to {most}")),
    }
}

fn seconds(value: &DeValue<'_>, least: u64, most: u64) -> Result<Duration, String> {
    number(value, least, most).map(Duration::from_secs)
}

pub(super) fn choice<T: Copy>(value: &DeValue<'_>, choices: &[(&str, T)]) -> Result<T, String> {
    let text = text(value)?;
    choices
        .iter()
        .find(|(name, _)| *name == text)
        .map(|(_, choice)| *choice)
        .ok_or_else(|| {
            let names: Vec<String> = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect();
            format!("is \"{text}\", and must be {}", names.join(" or "))
        })
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
