//! Running one command line: the only place in Passepartout that starts processes.
//!
//! A command runs in a jail that the kernel enforces, made by the host's own binary executed again (see `inside`):
//! everything is read-only but the workspace, folders named as hidden do not exist, nothing is inherited, output and
//! time are bounded, and when it ends nothing of it is left. Where the kernel can't do that, nothing runs, unless the
//! operator allowed less. This room knows nothing of actions and gates: whoever calls [`run`] has them behind it.

mod alias;
mod apart;
mod blobs;
mod bytes;
mod called;
mod calls;
mod carve;
mod commons;
mod config;
mod covers;
mod credentials;
mod elsewhere;
mod follows;
mod gitconfig;
mod gone;
mod guarded;
mod head;
mod identity;
mod inside;
mod keys;
mod landlock;
mod leads;
mod ledger;
mod listing;
mod lookups;
mod matching;
mod message;
mod mount;
mod names;
mod namespace;
mod obeyed;
mod objects;
mod outside;
mod parts;
mod pattern;
mod planted;
mod pointers;
mod private;
mod programs;
mod refused;
mod remedy;
mod root;
mod said;
mod seal;
mod searched;
mod seccomp;
mod shut;
mod since;
mod sorts;
mod stand_in;
mod states;
mod tcp;
mod tidy;
mod time;
mod tracked;
mod trees;
mod trial;
mod usage;
mod versions;
mod walk;
mod watched;
mod words;

use crate::config::{JailMode, ShellConfig};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

pub use inside::enter_if_asked;
pub use keys::{closed_places, is_environment, is_key, is_key_place, keys_of};
pub use leads::leads_out;
pub use names::every_name;
pub use pattern::is_in_protected;

/// The host's own binary, whatever its path is now: right even after an upgrade has replaced the file.
pub const OWN_BINARY: &str = "/proc/self/exe";

/// The longest command line, in bytes: the kernel's bound on one argument (`MAX_ARG_STRLEN`), less its final zero.
pub const LINE_BYTES: usize = 128 * 1024 - 1;

/// One command line to run.
#[derive(Clone, Copy, Debug)]
pub struct Command<'a> {
    /// What bash is given. At most [`LINE_BYTES`].
    pub line: &'a str,
    /// Where it runs, and the only folder it can write to, if it can. Must exist.
    pub workspace: &'a Path,
    /// A folder of the caller's own, which is hidden: in it is kept what the workspace was like, for as long as commands
    /// run. All that run in one workspace must be given the same.
    pub state: &'a Path,
    /// How much of the machine it sees beside.
    pub view: View<'a>,
    /// Folders and files that do not exist for it. May lie beside the workspace or contain it, never be inside it.
    pub hidden: &'a [PathBuf],
    /// The operator's patterns of what in the workspace is not there for it either (`dispatcher.protected`).
    pub protected: &'a [String],
    /// TCP ports that it can't connect to although the network is granted: the daemon's own.
    pub closed_ports: &'a [u16],
    /// Bounds, network, and whether less than the kernel's jail will do.
    pub config: &'a ShellConfig,
    /// Ends it early.
    pub cancel: &'a CancellationToken,
}

/// How much of the machine a command sees beside its workspace, read-only and without what is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View<'a> {
    /// All of it: a person agreed to the command.
    Machine,
    /// The same, where a person agreed to it once and for all: no link in the workspace is followed, since it may have come to
    /// lead elsewhere.
    Remembered,
    /// What is everyone's: system-wide software and its settings. For commands that no person was asked about, since a
    /// link in the workspace may lead them anywhere, and a gate may have misjudged them. Nor is there any network, and
    /// what may hold secrets in the workspace is not there, rather than only read.
    Commons {
        /// The operator's home folder, wherever it is.
        home: Option<&'a Path>,
        /// Whether they may write to the workspace.
        writes: Writes,
    },
}

/// Whether a command may write to its workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Writes {
    /// It may.
    Allowed,
    /// It can read it and nothing else.
    Refused,
}

/// How a command ended, and what it printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The exit code, unless a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// What it wrote to standard output, invalid UTF-8 replaced: at most `config.output` bytes of it, of what is longer the
    /// beginning and the end, with a line between them that says what is missing.
    pub stdout: String,
    /// The same for standard error.
    pub stderr: String,
    /// Whether output beyond the bound was thrown away.
    pub truncated: bool,
    /// Whether the time-out ended it.
    pub timed_out: bool,
    /// Whether the kernel's jail held it. Without, its output counts as coming from outside.
    pub jailed: bool,
    /// Whether it could reach the network.
    pub network: bool,
    /// How long it took, with the making of the jail, in milliseconds.
    pub milliseconds: u64,
    /// What the jail ended or put away, and what of the output points to something it refused, in sentences. Names in them
    /// may be the command's: [`Output::complaints`] makes a line of each.
    pub notes: Vec<String>,
}

impl Output {
    /// The notes, each on a line of its own, followed by standard error. They come first so that nothing cuts them off. What
    /// looks like a note and is the command's own has a backslash before it.
    pub fn complaints(&self) -> String {
        let mut text: String = self.notes.iter().map(|note| said::note(note)).collect();
        text.push_str(&said::told_apart(&self.stderr));
        text
    }

    /// Standard output, told from the notes in the same way.
    pub fn printed(&self) -> String {
        said::told_apart(&self.stdout)
    }
}

/// Why a command did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProcessError {
    /// This machine can't make the jail, and the operator did not allow less. Nothing was run.
    #[error(
        "the shell's jail can't be made here: {}: {}; {remedy}",
        said::on_one_line(step),
        said::on_one_line(problem)
    )]
    Unavailable {
        /// What was being done. Names in it may be a command's.
        step: String,
        /// What the kernel said.
        problem: String,
        /// What the operator can do.
        remedy: String,
    },
    /// It could not be started, or how it ended is not known.
    #[error("{}; {remedy}", said::on_one_line(problem))]
    Failed {
        /// What went wrong. Names in it may be a command's.
        problem: String,
        /// What to do about it.
        remedy: String,
    },
    /// The turn was cancelled. Nothing of the command is left running.
    #[error("because the turn was stopped, the command was ended; what of it was done by then is not known")]
    Cancelled,
}

/// What the kernel can enforce here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JailReport {
    /// The walls that were seen to stand, in plain words; empty if there is no jail.
    pub enforced: Vec<String>,
    /// What was asked for and is not there although the jail is: bounds that this kernel can't set.
    pub missing: Vec<String>,
    /// Why there is no jail, and what to do. `None` when there is one.
    pub problem: Option<ProcessError>,
}

impl JailReport {
    /// Whether commands are held by the kernel.
    pub fn jailed(&self) -> bool {
        self.problem.is_none()
    }
}

/// Runs `command` to its end. Blocks: call it on a thread of its own, in a process whose `main` begins with
/// [`enter_if_asked`].
///
/// # Errors
/// [`ProcessError::Unavailable`] when the kernel can't make the jail, and `config.jail` is [`JailMode::Enforced`] or nobody
/// was asked about the command;
/// [`ProcessError::Failed`] when the workspace, the hidden list or the line is unusable, or when the jail itself was
/// killed from outside; [`ProcessError::Cancelled`]. What the command itself does wrong is in [`Output`].
pub fn run(command: &Command<'_>) -> Result<Output, ProcessError> {
    run_from(Path::new(OWN_BINARY), command)
}

/// [`run`], with the path of a host binary: for programs that are not one themselves, such as tests.
///
/// # Errors
/// As [`run`].
pub fn run_from(binary: &Path, command: &Command<'_>) -> Result<Output, ProcessError> {
    let mut notes = Vec::new();
    let mut result = run_once(binary, command, &mut notes);
    for _ in 1..TRIES {
        if !matches!(&result, Err(error) if *error == outside::changed_meanwhile()) {
            break;
        }
        // Nothing has run.
        result = run_once(binary, command, &mut notes);
    }
    match result {
        Ok(mut output) => {
            notes.append(&mut output.notes);
            output.notes = notes;
            Ok(output)
        }
        Err(error) => Err(tidy::told(error, &notes)),
    }
}

/// How often a jail is made for a command while others move what is to be hidden from it.
const TRIES: u32 = 3;

/// Runs it once. What was done about what commands left, and is in no output, is added to `notes`.
fn run_once(binary: &Path, command: &Command<'_>, notes: &mut Vec<String>) -> Result<Output, ProcessError> {
    let mut job = outside::Job::prepare(command)?;
    let agreed = !matches!(command.view, View::Commons { .. });
    let result = match (job.launch(binary, message::Walls::Enforced), command.config.jail) {
        // Nothing has run yet: Unavailable is only said before bash is started. What nobody was asked about has no other
        // wall, and does not run without it.
        (Err(ProcessError::Unavailable { .. }), JailMode::Weak) if agreed => {
            job.launch(binary, message::Walls::Weak).map(|ended| ended.output)
        }
        (result, _) => result.map(|ended| ended.output),
    };
    notes.append(&mut job.notes);
    result
}

/// Looks after the commands that were running in `workspace` when the daemon before this one was killed: what they planted
/// is put out of git's reach. Answers what was done, in sentences of one line each. Blocks.
///
/// # Errors
/// [`ProcessError::Failed`] when there is no such workspace, or what is kept in `state` can't be read.
pub fn look_after_killed(workspace: &Path, state: &Path) -> Result<Vec<String>, ProcessError> {
    let notes = tidy::look_after_killed(workspace, state)?;
    Ok(notes.iter().map(|note| said::on_one_line(note)).collect())
}

/// What the kernel can enforce here, found out by running `true` in a jail once. Blocks for some milliseconds.
pub fn probe() -> JailReport {
    probe_from(Path::new(OWN_BINARY))
}

/// [`probe`], with the path of a host binary.
pub fn probe_from(binary: &Path) -> JailReport {
    match trial::try_out(binary) {
        Ok(strength) => JailReport {
            enforced: strength.enforced,
            missing: strength.missing,
            problem: None,
        },
        Err(problem) => JailReport {
            enforced: Vec::new(),
            missing: Vec::new(),
            problem: Some(problem),
        },
    }
}
