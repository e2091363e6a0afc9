//! Why a skill is not in use: each failure in its own words, with what to do.

use std::time::Duration;

use crate::capability::Class;
use crate::config::shell_word;
use crate::gate::GateFault;
use crate::sexp::visible_line;
use crate::skill::describe::{DescribeError, is_name};
use crate::skill::inspect::FileFault;
use crate::skill::order::OrderFault;
use crate::skill::right::{self, Right};
use crate::skill::status::SkillState;

/// Why a skill is not in use.
#[derive(Debug, thiserror::Error)]
pub enum LoadFault {
    /// The file can't be read.
    #[error("the file can't be read: {0}")]
    Unreadable(std::io::Error),
    /// The file's name can't name a skill.
    #[error(
        "`{}` can't name a skill: {}", visible_line(.0), visible_line(&remedy(.0))
    )]
    BadStem(String),
    /// There are more files than are looked at.
    #[error(
        "it is not looked at, nor are {others} others: there are {asked} files in the skills folder and {allowed} is the most; \
         remove those that are no skills of yours"
    )]
    TooMany {
        /// How many more are not looked at.
        others: usize,
        /// How many files there are.
        asked: usize,
        /// The bound.
        allowed: usize,
    },
    /// It is no skill.
    #[error(transparent)]
    File(#[from] FileFault),
    /// The engine refuses it.
    #[error("it can't be compiled: {}", visible_line(.0))]
    Compile(String),
    /// It is compiled to more than what is in it stands for.
    #[error(
        "compiled it has {asked} bytes, and {allowed} is the most for what is in it: build it without what makes much of \
         little, such as large tables and memories of which it sets a few places"
    )]
    Code {
        /// How many, in bytes.
        asked: u64,
        /// The bound.
        allowed: u64,
    },
    /// All skills together are compiled to more than is held.
    #[error(
        "the compiled code of all files in the skills folder would come to {asked} bytes with it, and {allowed} is the most: \
         remove skills that you don't need, or set `skills.code_bytes` to more"
    )]
    NoRoom {
        /// How many it would be, in bytes.
        asked: u64,
        /// The bound.
        allowed: u64,
    },
    /// It takes too long to compile.
    #[error(
        "it takes more than {} s of processor time to look into it or to compile it, which is the most: build it with \
         optimization (`--release`), and without what it does not need", .allowed.as_secs()
    )]
    TooSlow {
        /// The bound.
        allowed: Duration,
    },
    /// Other programs had the processors, or the process was stopped.
    #[error(
        "it was not looked into or compiled within {} s, because the machine is busy or the process that does it was \
         stopped", .waited.as_secs()
    )]
    Stalled {
        /// How long that was waited for.
        waited: Duration,
    },
    /// It takes too much memory to compile.
    #[error(
        "it takes more than {} MiB of memory to look into it or to compile it, which is the most: build it with optimization \
         (`--release`), and without what it does not need", .allowed >> 20
    )]
    TooBig {
        /// The bound, in bytes.
        allowed: u64,
    },
    /// No process could be started that compiles, or something else ended it.
    #[error("the process that looks into it and compiles it did not do so: {0}")]
    NoCompiler(String),
    /// It doesn't fit our interface.
    #[error("{}", visible_line(.0))]
    Link(String),
    /// It failed before it said what it is.
    #[error("it could not say what it is: {}", at_start(.0))]
    Start(GateFault),
    /// What it said is wrong.
    #[error(transparent)]
    Describe(#[from] DescribeError),
    /// It says it is another.
    #[error(
        "the file is called `{}`, but the skill says that its name is `{}`: make both the same, in `Description::new(…)` or by \
         renaming the file, and build again", visible_line(.stem), visible_line(.described)
    )]
    WrongName {
        /// The file's stem.
        stem: String,
        /// The name in the description.
        described: String,
    },
    /// The operator has not granted what it asks for.
    #[error("it asks for what is not granted: {}; to grant it: {}", right::wanted(.rights, .open).join(", "), right::command(.name, .rights, .open))]
    NotGranted {
        /// The skill.
        name: String,
        /// What is missing.
        rights: Vec<Right>,
        /// Capabilities that are missing, where the skill does not say how far they should reach.
        open: Vec<Class>,
    },
    /// It would replace a bundled or required skill.
    #[error("{}: passepartout-host skill trust {}", takes_your_word(what), shell_word(path))]
    NotTrusted {
        /// Bundled, or required.
        what: &'static str,
        /// The file.
        path: String,
    },
    /// It would take the place of a gate, and is none.
    #[error(
        "it would replace the gate of this name and is none itself, so that nothing would judge in its place, which takes \
         your word: passepartout-host skill trust {}",
        shell_word(path)
    )]
    NoGate {
        /// The file.
        path: String,
    },
    /// Another skill has the name already.
    #[error(
        "{what} belongs to the skill `{owner}`, and only one skill can have it: name it otherwise in `describe`, or do without \
         `{owner}`"
    )]
    Claimed {
        /// The target or tool.
        what: String,
        /// Who has it.
        owner: String,
    },
    /// It can't be placed.
    #[error(transparent)]
    Order(#[from] OrderFault),
}

/// What to do about a file whose name can't name a skill.
/// Why a file can't take this name by itself.
pub fn takes_your_word(what: &str) -> String {
    match what {
        "required" => "`gates.required` in config.toml names it, so that each build of it takes your word".to_owned(),
        what => format!("it would replace the {what} skill of this name, which takes your word"),
    }
}

fn remedy(stem: &str) -> String {
    let meant = stem.replace('_', "-").to_lowercase();
    match is_name(&meant) {
        true => format!("rename the file to `{meant}.wasm`"),
        false => {
            "rename the file to lower-case letters, digits and `-`, beginning with a letter, and `.wasm`".to_owned()
        }
    }
}

/// What went wrong before there was a description, and what to do: there is no action that it could be about.
fn at_start(fault: &GateFault) -> String {
    let what = match fault {
        // Nothing of the skill's ran: what can be done is said already.
        GateFault::Unavailable { .. } | GateFault::Count { .. } => return format!("it {fault}"),
        GateFault::Fuel { allowed } => format!("ran out of fuel: it may use {allowed} units"),
        other => other.to_string(),
    };
    let bound = fault.limit("pure_milliseconds");
    let raised = bound.map(|key| {
        format!(", or, if `{key}` under [limits.NAME] in config.toml is set low, raise it and start the daemon again")
    });
    format!(
        "its `describe`, which only has to return the description, or what runs before that, {what}; mend it and build it again{}",
        raised.unwrap_or_default()
    )
}

impl LoadFault {
    /// Whether something the operator or another file can bring is missing, or the skill itself is at fault.
    pub fn state(&self) -> SkillState {
        match self {
            LoadFault::NotGranted { .. }
            | LoadFault::NotTrusted { .. }
            | LoadFault::NoGate { .. }
            | LoadFault::NoRoom { .. }
            | LoadFault::Order(OrderFault::Missing(_)) => SkillState::Waiting,
            _ => SkillState::Failed,
        }
    }
}
