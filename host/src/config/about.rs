//! What the keys of `config.toml` mean, for who writes one: `passepartout-host config`. What a key takes is asked of the
//! table by which the file is read, so that it can't say otherwise. It is long because it is one table of
//! all keys.

use std::path::PathBuf;

use toml::de::DeTable;

use super::keys::{KEYS, Key};
pub use super::nearest::key_meant;
use super::{Config, Home};

/// One key, explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Its full name, dots between tables. `*` stands for a name of the operator's choice, or of a skill.
    pub name: &'static str,
    /// The value that holds without it, as it would stand in the file. Empty: there is none.
    pub default: &'static str,
    /// Which values it takes.
    pub takes: String,
    /// What it sets.
    pub meaning: &'static str,
}

/// Name, default, meaning.
const MEANINGS: &[(&str, &str, &str)] = &[
    ("assistant", "\"Passepartout\"", "what the assistant is called"),
    (
        "loop.max_depth",
        "10",
        "signals that one message may lead to, one after the other, before it takes a /continue",
    ),
    (
        "loop.proposals",
        "3",
        "proposals that the model may make for one signal",
    ),
    ("loop.heartbeat_seconds", "60", "between two heartbeats"),
    (
        "loop.auto_save_seconds",
        "300",
        "between two saves of memory; without effect in this release, which keeps it in RAM",
    ),
    (
        "loop.default_actuator",
        "\"CLI\"",
        "where an action goes that names no target and whose conversation has none",
    ),
    (
        "loop.silent_actuators",
        "[]",
        "targets whose results the model is not asked about",
    ),
    ("loop.log_lines", "20", "lines of the host's log that the model sees"),
    (
        "loop.history_bytes",
        "32768",
        "how much of earlier turns the model sees, in bytes; of what is long it is shown the beginning and the end; the bundled \
         tools give 20 KiB at a time whatever this says",
    ),
    (
        "loop.shutdown_seconds",
        "10",
        "how long what is in flight may take when the daemon ends",
    ),
    (
        "tcp.port",
        "9105",
        "the first port that is tried on loopback; the ten behind it are tried too",
    ),
    (
        "tcp.auth",
        "\"token\"",
        "whether a program on TCP proves that it knows state/token; with none it can't approve",
    ),
    (
        "wire.frame_timeout_seconds",
        "10",
        "how long a program may take over one frame",
    ),
    ("wire.connections", "512", "connections at once"),
    (
        "model.cascade",
        "[\"offline\"]",
        "providers, in the order in which they are tried",
    ),
    ("model.connect_timeout_seconds", "5", "to reach a provider"),
    (
        "model.first_byte_timeout_seconds",
        "30",
        "until a provider begins to answer",
    ),
    ("model.idle_timeout_seconds", "30", "between two pieces of an answer"),
    ("model.answer_timeout_seconds", "120", "for one answer"),
    (
        "model.total_timeout_seconds",
        "180",
        "for one question, all providers and retries together",
    ),
    ("model.answer_bytes", "1048576", "longest answer"),
    (
        "model.answer_tokens",
        "16384",
        "longest answer, as it is told to the server and put aside from the budget",
    ),
    (
        "model.retry_after_cap_seconds",
        "20",
        "longest that a server's Retry-After is waited for",
    ),
    (
        "model.retry_pause_milliseconds",
        "1000",
        "before the same provider is asked again",
    ),
    (
        "select.*.sensor",
        "",
        "the rule is for signals of this sensor, such as \"chat-message\"",
    ),
    (
        "select.*.skill",
        "",
        "the rule is for signals for which this skill adds the prompt",
    ),
    (
        "select.*.longer_than_bytes",
        "",
        "the rule is for questions longer than this",
    ),
    (
        "select.*.cascade",
        "",
        "the providers that are asked where the rule matches",
    ),
    (
        "providers.*.base_url",
        "",
        "where its API is, such as \"http://127.0.0.1:8080/v1\"",
    ),
    ("providers.*.dialect", "", "what it speaks"),
    ("providers.*.model", "", "the model that is asked for"),
    (
        "providers.*.key_variable",
        "",
        "the variable of the environment that holds its key",
    ),
    ("providers.*.key", "", "the name of its key in the vault"),
    ("budget.session_tokens", "", "most tokens of one conversation"),
    (
        "budget.session_cents",
        "",
        "most that one conversation may cost, in US cents",
    ),
    ("budget.day_tokens", "", "most tokens of one day (UTC)"),
    ("budget.day_cents", "", "most that one day (UTC) may cost, in US cents"),
    (
        "budget.unknown_price",
        "{ input = 3.0, output = 15.0 }",
        "what a model costs whose price is not known, in US dollars for a million tokens",
    ),
    (
        "prices",
        "",
        "what models cost, by their names, in US dollars for a million tokens",
    ),
    (
        "consensus.targets",
        "[]",
        "targets whose actions several providers must agree on",
    ),
    ("consensus.providers", "[]", "the providers that must agree"),
    (
        "gates.required",
        "[\"policy\", \"dispatcher\"]",
        "gates without which nothing acts",
    ),
    ("gates.approval_expiry_seconds", "900", "how long a plan waits for you"),
    (
        "gates.instances",
        "\"fresh\"",
        "warm costs less, and gives up that a gate can't remember anything",
    ),
    ("gates.ready", "4", "instances of a gate that are kept ready"),
    (
        "skills.code_bytes",
        "268435456",
        "compiled code of all files in the skills folder that is held in memory",
    ),
    (
        "skills.code_cache_bytes",
        "268435456",
        "compiled code of skills that is kept on disk, of one skill a quarter at most",
    ),
    (
        "skills.compile_seconds",
        "300",
        "processor time that compiling a skill may take",
    ),
    (
        "skills.compile_memory_bytes",
        "2147483648",
        "memory that compiling a skill may take",
    ),
    (
        "limits.*.memory_bytes",
        "67108864",
        "memory of one instance of the skill",
    ),
    (
        "limits.*.fuel",
        "50000000",
        "steps of one gate call, before what grows with the action",
    ),
    (
        "limits.*.fuel_per_byte",
        "2000",
        "steps more for each byte of the action",
    ),
    (
        "limits.*.pure_milliseconds",
        "2000",
        "wall time of one gate, trigger, prompt or mandate",
    ),
    (
        "limits.*.act_milliseconds",
        "120000",
        "wall time of one act or tool call",
    ),
    (
        "limits.*.wait_milliseconds",
        "300000",
        "how long one call may wait for commands, requests and the model together",
    ),
    ("limits.*.table_entries", "100000", "entries of its tables together"),
    (
        "limits.*.instances",
        "64",
        "core instances that the component may be made of",
    ),
    ("limits.*.host_calls", "100000", "calls of the host in one call"),
    ("limits.*.log_lines", "100", "log lines of one call"),
    ("limits.*.text_bytes", "4194304", "longest text that it may return"),
    ("limits.*.file_bytes", "33554432", "longest component file"),
    ("limits.*.read_bytes", "4194304", "most that one read of a file returns"),
    (
        "limits.*.http_bytes",
        "4194304",
        "longest body of a response; the rest is cut",
    ),
    ("limits.*.http_seconds", "30", "for one HTTP request, redirects and all"),
    (
        "limits.*.outside_bytes",
        "268435456",
        "most that one call gets from files and the network together",
    ),
    (
        "limits.*.model_calls",
        "8",
        "questions of skills to the model in one turn",
    ),
    (
        "limits.*.model_prompt_bytes",
        "65536",
        "longest question of its own to the model",
    ),
    (
        "limits.*.model_answer_bytes",
        "65536",
        "most that it gets of the answer",
    ),
    (
        "limits.*.schedule_entries",
        "32",
        "entries that it may have in the schedule",
    ),
    (
        "shell.jail",
        "\"enforced\"",
        "weak: where the kernel can't jail a command it runs without, and every command asks",
    ),
    (
        "shell.network",
        "false",
        "whether commands that you approved have the network",
    ),
    ("shell.timeout_seconds", "30", "for one command"),
    (
        "shell.output_bytes",
        "100000",
        "how much of each of the two outputs of a command is kept, in bytes: of what is longer the beginning and the end",
    ),
    (
        "shell.memory_bytes",
        "4294967296",
        "memory of all processes of one command together",
    ),
    (
        "shell.processes",
        "512",
        "processes and threads of one command at a time",
    ),
    (
        "shell.cpu_seconds",
        "600",
        "processor time of all processes of one command together",
    ),
    ("settings.dispatcher.network.allow", "", "hosts that may be reached"),
    (
        "settings.dispatcher.privacy-tags",
        "",
        "tags of what must not leave this machine; @personal without it",
    ),
    (
        "settings.dispatcher.protected",
        "",
        "files that nobody may touch: names, paths, * for any run of characters",
    ),
    (
        "settings.dispatcher.writes",
        "",
        "pass: commands that only write inside the workspace are not asked about; README says what that gives up",
    ),
    (
        "settings.dispatcher.tools.*",
        "",
        "what is done about uses of this tool",
    ),
    (
        "settings.dispatcher.targets.*",
        "",
        "what is done about actions for this target",
    ),
];

/// Every key of `config.toml`, in the order of the table, and the pattern of those that skills of others read.
pub fn keys() -> Vec<About> {
    KEYS.iter()
        .map(|key| {
            let row = MEANINGS.iter().find(|(name, ..)| *name == key.name);
            let (default, meaning) = row.map_or(("", ""), |(_, default, meaning)| (*default, *meaning));
            About {
                name: key.name,
                default,
                takes: takes(key),
                meaning,
            }
        })
        .chain([About {
            name: "settings.NAME.KEY",
            default: "",
            takes: "a string in quotes, a whole number, true or false, or a list of strings".to_owned(),
            meaning: "for a skill of yours called NAME, any key that it reads: `settings::get(\"NAME.KEY\")`",
        }])
        .collect()
}

/// What the key says that it must be, when it is given what it does not take.
fn takes(key: &Key) -> String {
    const WRONG: [&str; 3] = ["\"\"", "-1", "true"];
    let mut said = WRONG.iter().filter_map(|value| {
        let error = set(key, value, &mut Config::defaults(nowhere())).err()?;
        Some(error.split_once("must be ")?.1.to_owned())
    });
    let first = said.next().unwrap_or_default();
    // Of a number the bounds are said once it is one.
    match first.as_str() {
        "a whole number" => said.next().map_or(first, |bounds| format!("a whole number {bounds}")),
        _ => first,
    }
}

/// Sets a key to a value as it would stand in the file.
fn set(key: &Key, value: &str, config: &mut Config) -> Result<(), String> {
    let line = format!("x = {value}");
    let table = DeTable::parse(&line).map_err(|error| error.to_string())?;
    let value = table.get_ref().values().next().ok_or("is nothing")?;
    (key.set)(config, &["example"], value.get_ref())
}

/// Nothing is looked for there.
fn nowhere() -> Home {
    let path = PathBuf::new;
    Home {
        config: path(),
        data: path(),
        state: path(),
        skills: path(),
        workspace: path(),
        user: None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::config::SkillLimits;

    #[test]
    fn each_key_has_a_meaning_and_nothing_else_has_one() {
        for About {
            name, takes, meaning, ..
        } in keys()
        {
            assert!(
                !meaning.is_empty() && !takes.is_empty(),
                "{name}: {takes:?}, {meaning:?}"
            );
        }
        for (name, ..) in MEANINGS {
            assert!(KEYS.iter().any(|key| key.name == *name), "{name} is no key");
        }
        assert_eq!(MEANINGS.len(), KEYS.len());
    }

    #[test]
    fn a_default_that_is_told_is_the_one_that_holds() {
        let defaults = Config::defaults(nowhere());
        for key in KEYS {
            let (_, default, _) = MEANINGS.iter().find(|(name, ..)| *name == key.name).unwrap();
            if default.is_empty() {
                continue;
            }
            let mut config = defaults.clone();
            set(key, default, &mut config).unwrap();
            config
                .skills
                .overrides
                .retain(|_, limits| *limits != SkillLimits::DEFAULT);
            assert_eq!(config, defaults, "{}", key.name);
        }
    }

    #[test]
    fn what_a_key_takes_is_what_its_errors_say() {
        let takes = |name: &str| keys().into_iter().find(|key| key.name == name).unwrap().takes;
        assert_eq!(takes("loop.max_depth"), "a whole number from 1 to 100");
        assert_eq!(takes("tcp.auth"), "\"token\" or \"none\"");
        assert_eq!(takes("shell.network"), "true or false");
        assert_eq!(takes("assistant"), "a string in quotes");
    }
}
