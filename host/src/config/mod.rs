//! Configuration: one typed value, every default in one place.
//!
//! The file and the environment are read in `load`; the folders are laid out in `home`. A line that can't be understood
//! never stops the daemon: the safe default stands, the fault is in [`Config::faults`], and no gate passes anything.

pub mod about;
mod budget;
mod compile;
mod consensus;
mod file;
mod home;
mod keys;
mod load;
mod model;
mod nearest;
mod places;
mod rules;
mod secret;
mod sources;
mod word;

use std::collections::BTreeMap;
use std::time::Duration;

pub use budget::{BudgetConfig, Price, prices_in};
pub use compile::CompileLimits;
pub use consensus::Consensus;
pub use home::{Home, HomeError};
pub use load::Variables;
pub use model::{Dialect, KeyPlace, ModelConfig, ProviderConfig, SelectRule};
pub use nearest::{is_slip, meant};
pub use places::Places;
pub use secret::Secret;
pub use sources::Sources;
pub use word::shell_word;

/// All that an operator can set.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Where things are kept.
    pub home: Home,
    /// The loop.
    pub cycle: CycleConfig,
    /// The doors.
    pub wire: WireConfig,
    /// Models.
    pub model: ModelConfig,
    /// What models may cost.
    pub budget: BudgetConfig,
    /// What several models must agree on.
    pub consensus: Consensus,
    /// Gates and approvals.
    pub gates: GateConfig,
    /// Bounds on skills.
    pub skills: SkillConfig,
    /// The shell's jail.
    pub shell: ShellConfig,
    /// What skills may read, as flat keys such as `dispatcher.network.allow`; lists are lines.
    pub settings: BTreeMap<String, String>,
    /// What was wrong with the configuration. While there is anything, gates reject everything.
    pub faults: Vec<ConfigFault>,
    /// What it was read from.
    pub sources: Sources,
}

/// One thing wrong with the configuration, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}; {remedy}")]
pub struct ConfigFault {
    /// The file and line, or the environment variable.
    pub place: String,
    /// What was wrong.
    pub problem: String,
    /// What to do.
    pub remedy: String,
}

fn fault(place: impl ToString, problem: impl Into<String>, remedy: impl Into<String>) -> ConfigFault {
    ConfigFault {
        place: place.to_string(),
        problem: problem.into(),
        remedy: remedy.into(),
    }
}

/// The loop.
#[derive(Clone, Debug, PartialEq)]
pub struct CycleConfig {
    /// Deepest signal that is still processed.
    pub max_depth: u32,
    /// How often the model may propose for one signal.
    pub proposals: u32,
    /// How often gates may revise one action.
    pub revisions: u32,
    /// Between two heartbeats.
    pub heartbeat: Duration,
    /// Between two saves of memory.
    pub auto_save: Duration,
    /// Where an action without a target goes when its session has no source. Upper case.
    pub default_actuator: String,
    /// Targets whose results are not reasoned over, beside those that reply to a person. Upper case.
    pub silent_actuators: Vec<String>,
    /// What the assistant is called.
    pub assistant: String,
    /// How many of the host's log lines the model sees.
    pub log_lines: usize,
    /// How much of a session's earlier turns goes along, in bytes of text (about four a token).
    pub history_bytes: usize,
    /// How long a way down may take.
    pub shutdown: Duration,
}

/// The doors.
#[derive(Clone, Debug, PartialEq)]
pub struct WireConfig {
    /// First TCP port that is tried on loopback; the ten after it are tried too.
    pub port: u16,
    /// Whether TCP clients must prove that they know the token.
    pub tcp_auth: TcpAuth,
    /// How long a peer may take over one frame, or over its proof.
    pub frame_timeout: Duration,
    /// Most connections at once, both doors together.
    pub connections: usize,
}

/// Whether TCP clients must prove that they know the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpAuth {
    /// Both sides prove it.
    Token,
    /// Nobody does: for clients that can't. Such a connection can't approve, and has a session of its own.
    None,
}

/// Gates and approvals.
#[derive(Clone, Debug, PartialEq)]
pub struct GateConfig {
    /// Gates without which nothing acts.
    pub required: Vec<String>,
    /// How long a plan waits for a person.
    pub approval_expiry: Duration,
}

/// Bounds on skills: the defaults, and what is different for single skills.
#[derive(Clone, Debug, PartialEq)]
pub struct SkillConfig {
    /// For every skill.
    pub limits: SkillLimits,
    /// For single skills, by name.
    pub overrides: BTreeMap<String, SkillLimits>,
    /// Where gates get their instances.
    pub gates: GateStock,
    /// Compiled code that is kept on disk, in bytes.
    pub code_cache: u64,
    /// Compiled code of all files of the skills folder that is held in memory, in bytes.
    pub code: u64,
    /// What compiling one may take.
    pub compile: CompileLimits,
}

/// Where gates get their instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GateStock {
    /// What an instance is used for.
    pub instances: GateInstances,
    /// Instances that are kept ready, for each gate.
    pub ready: usize,
}

/// What an instance of a gate is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateInstances {
    /// One decision: what a gate remembers is gone with it, so the same question gets the same verdict every time.
    Fresh,
    /// Many decisions, which costs less. Gives up that a gate which keeps something from one decision to the next says
    /// the same every time, here and when a decision is replayed. Bounds hold, and after a fault the instance is gone.
    Warm,
}

/// Bounds on one skill. The reasons stand with the defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkillLimits {
    /// Linear memory of all its memories together, in bytes.
    pub memory: u64,
    /// Fuel of one gate call, before what grows with the action.
    pub fuel: u64,
    /// Fuel added for each byte of the action's canonical text.
    pub fuel_per_byte: u64,
    /// Wall time of one pure call (gate, trigger, prompt, mandate, describe), in milliseconds.
    pub pure_ms: u64,
    /// Wall time of one act or tool call, in milliseconds.
    pub act_ms: u64,
    /// How long the host may wait for what one call asked of it, all waits together, in milliseconds.
    pub wait_ms: u64,
    /// Entries of all its tables together.
    pub table_entries: u64,
    /// Core instances it may be made of.
    pub instances: u64,
    /// Host calls of one call.
    pub host_calls: u64,
    /// Log lines of one call.
    pub log_lines: u64,
    /// Longest text it may return, in bytes.
    pub text: u64,
    /// Longest component file, in bytes.
    pub file: u64,
    /// Most that one read of a file returns, in bytes.
    pub read_bytes: u64,
    /// Longest body of an HTTP response, in bytes; what is longer is cut.
    pub http_bytes: u64,
    /// How long one HTTP request may take, redirects and all, in milliseconds.
    pub http_ms: u64,
    /// Most that one call gets from files and the network together, in bytes.
    pub outside_bytes: u64,
    /// How often skills may ask the model in one turn, those of other skills counted.
    pub model_calls: u64,
    /// Longest prompt of its own, in bytes.
    pub model_prompt: u64,
    /// Most that it gets of an answer, in bytes.
    pub model_answer: u64,
    /// How many entries it may have in the schedule.
    pub schedule_entries: u64,
}

/// The shell's jail.
#[derive(Clone, Debug, PartialEq)]
pub struct ShellConfig {
    /// How it is enforced.
    pub jail: JailMode,
    /// Whether commands have network.
    pub network: bool,
    /// How long one command may take.
    pub timeout: Duration,
    /// How much output is kept, in bytes, of each of the two streams.
    pub output: usize,
    /// How much memory that is no file's all processes of one command may have together, in bytes.
    pub memory: u64,
    /// How many processes and threads one command may have at a time.
    pub processes: u64,
    /// How much processor time all processes of one command may use together.
    pub cpu: Duration,
}

/// How the shell's jail is enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JailMode {
    /// By the kernel, or not at all: without it no command runs.
    Enforced,
    /// Where the kernel can't, commands run with a clean environment and bounds only.
    Weak,
}

impl SkillLimits {
    /// The most core instances that a configuration can let a skill have.
    pub const MOST_INSTANCES: u32 = 1_000;

    /// The defaults.
    pub const DEFAULT: SkillLimits = SkillLimits {
        // The dispatcher, the largest gate there is, needs 3 MiB.
        memory: 64 << 20,
        // 50 M units of a tight loop take 8 ms; a gate that formats a message uses 3,000.
        fuel: 50_000_000,
        // Scanning a text several times for several patterns.
        fuel_per_byte: 2_000,
        // Far above what the fuel allows: only a backstop.
        pure_ms: 2_000,
        // A command's time-out is shorter, so that it is the command that is ended and not the skill.
        act_ms: 120_000,
        // Several commands or requests, each of which has a time-out of its own.
        wait_ms: 300_000,
        table_entries: 100_000,
        // A component of the SDK has four, one memory and two tables.
        instances: 64,
        host_calls: 100_000,
        log_lines: 100,
        text: 4 << 20,
        file: 32 << 20,
        // A guest holds it two or three times while it reads it, in 64 MiB.
        read_bytes: 4 << 20,
        // Far above a page of text.
        http_bytes: 4 << 20,
        // As long as a command may take.
        http_ms: 30_000,
        // What a skill that looks through a project reads.
        outside_bytes: 256 << 20,
        // A few questions about one thing; a loop that asks on and on is stopped before it costs much.
        model_calls: 8,
        // Some 16,000 tokens, which every model takes.
        model_prompt: 64 << 10,
        model_answer: 64 << 10,
        schedule_entries: 32,
    };
}

impl Config {
    /// The operator's patterns of what nobody may touch, one a line in the settings, as the dispatcher reads them.
    pub fn protected(&self) -> Vec<String> {
        let patterns = self.settings.get("dispatcher.protected");
        let lines = patterns.map_or("", String::as_str).lines();
        lines.map(|line| line.trim().to_owned()).collect()
    }

    /// Why no gate may pass anything under it: its first fault, how many there are beside, and what to do.
    pub fn why_closed(&self) -> Option<String> {
        let fault = self.first_fault("doctor")?;
        Some(format!(
            "the configuration has a fault, and until it is mended and the daemon started again nothing passes: {fault}"
        ))
    }

    /// Its first fault, and how many there are beside, with the command that `shows` all.
    pub fn first_fault(&self, shows: &str) -> Option<String> {
        let (first, others) = self.faults.split_first()?;
        Some(match others.len() {
            0 => first.to_string(),
            more => format!("{first} (and {more} more: `passepartout-host {shows}` shows all)"),
        })
    }

    /// Adds faults that are found when more is known than the file; they stand by line then, whoever found them.
    pub fn add_faults(&mut self, faults: Vec<ConfigFault>) {
        self.faults.extend(faults);
        places::by_line(&mut self.faults);
    }

    /// The defaults, in this home.
    pub fn defaults(home: Home) -> Config {
        let model = ModelConfig::defaults(home.config.join("config.toml"));
        Config {
            home,
            cycle: CycleConfig {
                max_depth: 10,
                proposals: 3,
                revisions: 8,
                heartbeat: Duration::from_secs(60),
                auto_save: Duration::from_secs(300),
                default_actuator: "CLI".to_owned(),
                silent_actuators: Vec::new(),
                assistant: "Passepartout".to_owned(),
                log_lines: 20,
                history_bytes: 32 << 10,
                shutdown: Duration::from_secs(10),
            },
            wire: WireConfig {
                port: 9105,
                tcp_auth: TcpAuth::Token,
                frame_timeout: Duration::from_secs(10),
                connections: 512,
            },
            model,
            budget: BudgetConfig::defaults(),
            consensus: Consensus::default(),
            gates: GateConfig {
                required: vec!["policy".to_owned(), "dispatcher".to_owned()],
                approval_expiry: Duration::from_secs(15 * 60),
            },
            skills: SkillConfig {
                limits: SkillLimits::DEFAULT,
                overrides: BTreeMap::new(),
                // A decision takes a few microseconds, making an instance some ten: a few bridge a burst.
                gates: GateStock {
                    instances: GateInstances::Fresh,
                    ready: 4,
                },
                // About five times the component each; hundreds of skills.
                code_cache: 256 << 20,
                // As many as that, where each is used in both ways.
                code: 256 << 20,
                compile: CompileLimits::DEFAULT,
            },
            shell: ShellConfig {
                jail: JailMode::Enforced,
                network: false,
                timeout: Duration::from_secs(30),
                output: 100_000,
                // A build with a large linker needs two.
                memory: 4 << 30,
                // A test suite with a pool of threads for each of some ten processes.
                processes: 512,
                // All of twenty processors until the time-out.
                cpu: Duration::from_secs(600),
            },
            settings: BTreeMap::new(),
            faults: Vec::new(),
            sources: Sources::default(),
        }
    }
}

impl SkillConfig {
    /// The bounds on the skill `name`.
    pub fn limits_of(&self, name: &str) -> SkillLimits {
        self.overrides.get(name).copied().unwrap_or(self.limits)
    }
}
