//! What can be wrong with the schedule, or with an entry that is asked for.

use std::path::PathBuf;

use super::store::FULL;
use crate::audit::{LogError, PrivateFault};

/// Why the schedule can't be used, or an entry can't be kept.
#[derive(Debug, thiserror::Error)]
pub enum ScheduleError {
    /// A file that can't be read, or that others have access to.
    #[error(transparent)]
    Private(#[from] PrivateFault),
    /// It could not be written whole; it is as it was.
    #[error(transparent)]
    Write(#[from] LogError),
    /// It is not what was written.
    #[error(
        "{0} is not whole, or holds what is no entry; nothing is scheduled, and nothing is written over it, until it is \
         brought back from a backup or removed"
    )]
    Damaged(PathBuf),
    /// An entry that can't be understood.
    #[error("the entry can't be scheduled: {0}")]
    Malformed(String),
    /// Too many of one skill.
    #[error(
        "the skill has {allowed} entries, and may have no more; remove one first, or the operator can change \
         limits.{skill}.schedule_entries"
    )]
    TooMany {
        /// The skill.
        skill: String,
        /// The bound.
        allowed: u64,
    },
    /// Too much of all skills.
    #[error(
        "the schedule has {size} bytes with it, and may have no more than {FULL}; entries must be removed first, or fire"
    )]
    Full {
        /// How long the file would be, in bytes.
        size: usize,
    },
    /// No randomness.
    #[error("the system gave no random numbers: {0}")]
    Random(#[from] getrandom::Error),
}
