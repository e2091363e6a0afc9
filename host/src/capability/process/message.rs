//! What the host and the process that makes the jail say to each other: one JSON value a line over one socket.
//!
//! The host sends one [`Specification`] and then nothing: closing its side means "end it now". The other side answers
//! with [`Report`]s. The command inside never holds this socket, so it can't fake a report. No secret travels here.

use super::Writes;
use super::guarded::Guarded;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::path::PathBuf;

/// What is to be run, and behind which walls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Specification {
    /// The command line.
    pub(super) line: String,
    /// Absolute, without symbolic links.
    #[serde(with = "super::bytes")]
    pub(super) workspace: PathBuf,
    /// The file whose lock the keeper holds while the command runs, if it can change the workspace.
    pub(super) lock: Option<Lock>,
    /// Whether it can be written to.
    pub(super) writes: Writes,
    /// How much of the machine is shown beside.
    pub(super) shown: Shown,
    /// What git is told of the operator, as a configuration.
    pub(super) identity: String,
    /// Whether links in the workspace are followed.
    pub(super) links: bool,
    /// Absolute, without symbolic links as far as they exist.
    #[serde(with = "super::bytes::each")]
    pub(super) hidden: Vec<PathBuf>,
    /// What is covered in the workspace, a folder before what is in it.
    pub(super) guarded: Vec<Guarded>,
    /// Whether the host's network is shared.
    pub(super) network: bool,
    /// TCP ports that stay out of reach where it is.
    pub(super) closed_ports: Vec<u16>,
    /// What its processes may use together.
    pub(super) bounds: Bounds,
    /// How it is held.
    pub(super) walls: Walls,
}

/// A file whose lock says that a command runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Lock(#[serde(with = "super::bytes")] pub(super) PathBuf);

/// How much of the machine is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Shown {
    /// All of it.
    Machine,
    /// What is everyone's.
    Commons,
}

/// What all processes of a command may use together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Bounds {
    /// Memory that is no file's, in bytes.
    pub(super) memory: u64,
    /// Processes and threads at a time.
    pub(super) processes: u64,
    /// Processor time.
    pub(super) cpu_seconds: u64,
}

/// How a command is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Walls {
    /// By the kernel.
    Enforced,
    /// With a clean environment and bounds only.
    Weak,
}

/// What the process that makes the jail reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Report {
    /// A step of making the jail failed. Nothing was run.
    Unavailable(Trouble),
    /// The jail stood, but bash could not be started in it.
    NotStarted(Trouble),
    /// The walls stand, and bash is started next. Whatever ends after this may have run something.
    Ready(Strength),
    /// The command has ended.
    Ended {
        /// The exit code.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
        /// The temporary folders that hold something, which ends with the jail.
        lost: Vec<String>,
    },
    /// The command passed this bound, and is being ended.
    Passed(String),
}

/// Which walls stand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Strength {
    /// Those that do, in plain words.
    pub(super) enforced: Vec<String>,
    /// Bounds that this kernel can't set.
    pub(super) missing: Vec<String>,
}

/// A step that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{step}: {problem}")]
pub(super) struct Trouble {
    /// What was being done.
    pub(super) step: String,
    /// What the kernel said.
    pub(super) problem: String,
    /// Its number for that.
    pub(super) errno: Option<i32>,
    /// Whether that is because of what the workspace holds, and not of what the kernel lacks.
    pub(super) held: bool,
}

impl Trouble {
    /// The system call of `step` failed.
    pub(super) fn new(step: impl Into<String>, error: impl Into<std::io::Error>) -> Trouble {
        let error = error.into();
        Trouble {
            step: step.into(),
            problem: error.to_string(),
            errno: error.raw_os_error(),
            held: false,
        }
    }
}

/// Says which step failed.
pub(super) trait During<T> {
    /// Names the step, in words that follow "can't be made here:".
    fn during(self, step: &str) -> Result<T, Trouble>;
}

impl<T, E: Into<std::io::Error>> During<T> for Result<T, E> {
    fn during(self, step: &str) -> Result<T, Trouble> {
        self.map_err(|error| Trouble::new(step, error))
    }
}

/// The longest message: a command line of [`super::LINE_BYTES`] and all the paths that can be hidden or covered, of which
/// every byte is escaped.
const MESSAGE_BYTES: u64 = 64 << 20;

/// Sends one message.
pub(super) fn send<T: Serialize>(mut to: impl Write, message: &T) -> std::io::Result<()> {
    let mut text = serde_json::to_vec(message).map_err(std::io::Error::from)?;
    text.push(b'\n');
    if text.len() as u64 > MESSAGE_BYTES {
        let problem = format!(
            "{} bytes are more than the {MESSAGE_BYTES} that can be told",
            text.len()
        );
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, problem));
    }
    to.write_all(&text)
}

/// Receives the only message that is under way.
pub(super) fn receive<T: for<'de> Deserialize<'de>>(from: impl Read) -> std::io::Result<T> {
    let mut from = from.take(MESSAGE_BYTES);
    let mut text = Vec::new();
    let mut buffer = [0; 8192];
    while text.last() != Some(&b'\n') {
        match from.read(&mut buffer)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            count => text.extend_from_slice(&buffer[..count]),
        }
    }
    Ok(serde_json::from_slice(&text)?)
}
