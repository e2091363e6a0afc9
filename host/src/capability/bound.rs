//! Bounds: how far the capabilities of one skill reach, as the operator granted it.
//!
//! A bound is written as `class:what`, such as `files:read:workspace` or `http:api.example.org`. Only who carries out a
//! call asks here; that a bound was really granted is for the room that reads the grants.

mod folder;
mod host;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use folder::Folder;
pub use host::HostPattern;

/// A capability that needs at least one bound before a skill can have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The interface `files`.
    Files,
    /// The interface `http`.
    Http,
    /// The interface `memory`.
    Memory,
    /// The interface `model`.
    Model,
    /// The interface `vault`, and secrets in requests.
    Vault,
    /// The interface `schedule`.
    Schedule,
}

impl Class {
    /// What a grant of it looks like, with words in capitals for what the operator must choose.
    pub fn example(self) -> &'static str {
        match self {
            Class::Files => "files:read:DIR",
            Class::Http => "http:HOST",
            Class::Memory => "memory:read",
            Class::Model => "model",
            Class::Vault => "vault:NAME",
            Class::Schedule => "schedule",
        }
    }

    /// Each way in which it may reach, so that the operator grants no more than is needed.
    pub fn choices(self) -> &'static str {
        match self {
            Class::Files => "files:read:DIR or files:write:DIR",
            Class::Memory => "memory:read or memory:write",
            other => other.example(),
        }
    }
}

/// One bound.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    /// Files beneath a folder may be read.
    FilesRead(Folder),
    /// Files beneath a folder may be written. Reading them takes a bound of its own.
    FilesWrite(Folder),
    /// Requests may go to these hosts, at public addresses and over https.
    Http(HostPattern),
    /// Requests may go to these hosts, wherever their addresses are, and without encryption.
    HttpPrivate(HostPattern),
    /// Memory may be read.
    MemoryRead,
    /// Memory may be written.
    MemoryWrite,
    /// The model may be asked.
    Model,
    /// A secret may be used.
    Vault(String),
    /// Entries may be scheduled.
    Schedule,
}

impl Bound {
    /// Every form that a bound can have, for help and errors.
    pub const FORMS: &'static str = "files:read:DIR, files:write:DIR (DIR is absolute, or begins with `workspace`), \
                                     http:HOST, http:HOST:PORT, http:*.DOMAIN, http:*, http-private:HOST:PORT, memory:read, \
                                     memory:write, model, vault:NAME, schedule";

    /// Whether all that `other` lets be done may be done by this one too. Of a folder of the workspace and an absolute one
    /// that is not known, and so no.
    pub fn covers(&self, other: &Bound) -> bool {
        match (self, other) {
            (Bound::FilesRead(own), Bound::FilesRead(other)) | (Bound::FilesWrite(own), Bound::FilesWrite(other)) => {
                own.holds(other)
            }
            (Bound::Http(own) | Bound::HttpPrivate(own), Bound::Http(other))
            | (Bound::HttpPrivate(own), Bound::HttpPrivate(other)) => own.holds(other),
            _ => self == other,
        }
    }

    /// What it is a bound of.
    pub fn class(&self) -> Class {
        match self {
            Bound::FilesRead(_) | Bound::FilesWrite(_) => Class::Files,
            Bound::Http(_) | Bound::HttpPrivate(_) => Class::Http,
            Bound::MemoryRead | Bound::MemoryWrite => Class::Memory,
            Bound::Model => Class::Model,
            Bound::Vault(_) => Class::Vault,
            Bound::Schedule => Class::Schedule,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::FilesRead(folder) => write!(f, "files:read:{folder}"),
            Bound::FilesWrite(folder) => write!(f, "files:write:{folder}"),
            Bound::Http(host) => write!(f, "http:{host}"),
            Bound::HttpPrivate(host) => write!(f, "http-private:{host}"),
            Bound::MemoryRead => f.write_str("memory:read"),
            Bound::MemoryWrite => f.write_str("memory:write"),
            Bound::Model => f.write_str("model"),
            Bound::Vault(name) => write!(f, "vault:{name}"),
            Bound::Schedule => f.write_str("schedule"),
        }
    }
}

/// Why a text is no bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadBound {
    /// It does not begin like one.
    #[error("there is no such bound")]
    NoBound,
    /// It begins like one.
    #[error("{0}")]
    Wrong(String),
}

fn wrong<T>(problem: impl Into<String>) -> Result<T, BadBound> {
    Err(BadBound::Wrong(problem.into()))
}

impl FromStr for Bound {
    type Err = BadBound;

    fn from_str(text: &str) -> Result<Bound, BadBound> {
        let (class, rest) = text.split_once(':').unwrap_or((text, ""));
        let class = class.to_ascii_lowercase();
        let lower = rest.to_ascii_lowercase();
        Ok(match (class.as_str(), lower.as_str()) {
            ("model", "") => Bound::Model,
            ("schedule", "") => Bound::Schedule,
            ("model" | "schedule", _) => return wrong(format!("`{class}` stands alone, without `:{rest}`")),
            ("memory", "read") => Bound::MemoryRead,
            ("memory", "write") => Bound::MemoryWrite,
            ("memory", _) => return wrong("write memory:read or memory:write"),
            ("files", _) => match rest.split_once(':') {
                Some((way, folder)) if way.eq_ignore_ascii_case("read") => Bound::FilesRead(folder.parse()?),
                Some((way, folder)) if way.eq_ignore_ascii_case("write") => Bound::FilesWrite(folder.parse()?),
                _ => return wrong("write files:read:DIR or files:write:DIR"),
            },
            ("http", _) => Bound::Http(rest.parse()?),
            ("http-private", _) => Bound::HttpPrivate(rest.parse()?),
            ("vault", _) => Bound::Vault(secret_name(rest)?),
            _ => return Err(BadBound::NoBound),
        })
    }
}

/// `name`, if it can name a secret of the vault.
fn secret_name(name: &str) -> Result<String, BadBound> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if name == "NAME" {
        return wrong("NAME stands for the name of the secret; write that");
    }
    if name.is_empty() || name.len() > 64 || !name.bytes().all(fits) {
        return wrong(format!(
            "`{name}` can't name a secret: a name is 1 to 64 letters, digits, `-`, `_` and `.`"
        ));
    }
    Ok(name.to_owned())
}

/// The bounds that one version of a skill was granted. Cheap to clone; all clones are withdrawn together.
#[derive(Clone, Debug, Default)]
pub struct Rights {
    bounds: Arc<[Bound]>,
    withdrawn: Arc<AtomicBool>,
}

impl Rights {
    /// These bounds.
    pub fn new(bounds: impl IntoIterator<Item = Bound>) -> Rights {
        Rights {
            bounds: bounds.into_iter().collect(),
            withdrawn: Arc::default(),
        }
    }

    /// Whether exactly this bound is among them.
    pub fn has(&self, bound: &Bound) -> bool {
        self.iter().any(|own| own == bound)
    }

    /// All of them; none once they are withdrawn.
    pub fn iter(&self) -> impl Iterator<Item = &Bound> {
        let left = if self.are_withdrawn() { &[] } else { &*self.bounds };
        left.iter()
    }

    /// Takes all of them back, from what is running too.
    pub fn withdraw(&self) {
        self.withdrawn.store(true, Ordering::Release);
    }

    /// Whether they were taken back.
    pub fn are_withdrawn(&self) -> bool {
        self.withdrawn.load(Ordering::Acquire)
    }
}
