//! The vault: named secrets of the operator, encrypted at rest, and used without being shown.
//!
//! A secret whose setting was acknowledged is there after a kill. A file that was cut or changed anywhere is an error,
//! never an empty vault and never another secret; nothing is written over it. Values leave this room in three ways
//! only: to be looked for in texts, to sign with, and to be sent to a host that the operator named. This room must not
//! know who asks, nor what grants are.

mod entry;
mod live;
mod logged;
mod seal;
mod secrets;
mod store;
#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;

use crate::audit::{LogError, PrivateFault};

pub use entry::{Entry, Host, SecretName, Value};
pub use live::{Moment, Secrets, Vault};
pub use logged::{for_log, keep_out_of_logs};
pub use secrets::SecretSet;
pub use store::{Contents, Reach, Stamp, Store};

/// Most secrets in one vault. People have dozens; the bound keeps a runaway script from slowing every decision down.
pub const MOST_SECRETS: usize = 1_000;

/// Why the vault can't be used, or a secret in it.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// A file that can't be read, or that others have access to.
    #[error(transparent)]
    Private(#[from] PrivateFault),
    /// It could not be written whole; it is as it was.
    #[error(transparent)]
    Write(#[from] LogError),
    /// It could not be locked.
    #[error("{path} can't be locked: {source}; check that the folder is yours, and on a file system with locks")]
    Lock {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The key is gone.
    #[error(
        "{vault} is there, but its key {key} is not; bring the key back from a backup, or remove {vault} and set the \
         secrets again with `passepartout-host vault set NAME`"
    )]
    NoKey {
        /// The vault.
        vault: PathBuf,
        /// Where its key belongs.
        key: PathBuf,
    },
    /// The key is no key.
    #[error(
        "{key} holds {bytes} bytes and a key has 32; bring it back from a backup, or, without a vault, remove it"
    )]
    BadKey {
        /// The key's file.
        key: PathBuf,
        /// What it holds.
        bytes: usize,
    },
    /// It is not what was written.
    #[error(
        "{vault} was cut or changed, or sealed with another key than {key}: nothing in it is used, and nothing is \
         written over it; bring both back from a backup, or remove the vault and set the secrets again with \
         `passepartout-host vault set NAME`"
    )]
    Damaged {
        /// The vault.
        vault: PathBuf,
        /// Its key.
        key: PathBuf,
    },
    /// No randomness.
    #[error("the system gave no random numbers: {0}")]
    Random(#[from] getrandom::Error),
    /// The cipher refused.
    #[error("the secrets could not be encrypted; nothing was changed")]
    Sealing,
    /// A name that no secret can have.
    #[error(
        "`{0}` can't name a secret: a name is 1 to 64 letters, digits, `_`, `-` and `.`, and begins with a letter"
    )]
    BadName(String),
    /// A host that is none.
    #[error("`{0}` is no host: write it as api.example.com, without https://, port or path")]
    BadHost(String),
    /// A value that no secret can have.
    #[error("the value {0}")]
    BadValue(&'static str),
    /// Too many hosts.
    #[error(
        "a secret is for at most {} hosts; set another one for the others",
        entry::MOST_HOSTS
    )]
    TooManyHosts,
    /// No secret of that name.
    #[error("the vault has no secret `{name}`; `passepartout-host vault list` shows those there are")]
    Unknown {
        /// The name.
        name: String,
    },
    /// A host the secret is not for.
    #[error(
        "the secret `{name}` may not be sent to {host}; to allow it, set it again with \
         `passepartout-host vault set {name} --host {host}`"
    )]
    NotForHost {
        /// The secret.
        name: SecretName,
        /// The host.
        host: String,
    },
    /// Too many.
    #[error(
        "the vault holds {MOST_SECRETS} secrets and takes no more; remove one with `passepartout-host vault remove NAME`"
    )]
    Full,
}
