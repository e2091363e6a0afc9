//! What is known of one file of the skills folder, from one look to the next.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::folder::Stamp;
use super::loaded::Skill;
use super::refusal::Refusal;

/// After this long without a change a file counts as complete, whoever may still have it open.
pub(super) const QUIET: Duration = Duration::from_secs(2);

/// Said of a file that somebody writes, or that is read and compiled.
pub(super) const WRITING: &str = "somebody is writing it: it is read once it is closed, or has not changed for 2 s";
pub(super) const LOADING: &str = "it is being read and compiled, which takes a moment for each megabyte";
pub(super) const COMPILING: &str =
    "it is being compiled, or waits for another large one that is, which takes a moment for each megabyte";
pub(super) const REGRANTED: &str = "what it is granted has changed";

/// One file of the folder.
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) stamp: Stamp,
    pub(super) changed: Instant,
    pub(super) phase: Phase,
    /// What was made of it as it is now.
    pub(super) newest: Option<Arc<Skill>>,
    /// What was in use from it last.
    pub(super) last_good: Option<Arc<Skill>>,
    /// Which state this is of the file, and of what it is granted: another at each change.
    pub(super) edition: u64,
    /// Whether this edition is being tried.
    pub(super) in_hand: bool,
    /// Whether compiling this edition takes so long that it is done beside the others.
    pub(super) is_large: bool,
    /// When this edition is tried again, if it failed in a way that may pass, and how often it did; or is read again, because
    /// its stamp may hide a change.
    pub(super) again: Option<Instant>,
    pub(super) failures: u32,
    /// Whether that last was done.
    pub(super) is_reread: bool,
}

/// Numbers the editions of all files. No two are alike, so that a file which comes back under a name is never taken for the
/// one that was there.
#[derive(Debug, Default)]
pub(super) struct Editions(u64);

impl Editions {
    pub(super) fn next(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }
}

pub(super) enum Phase {
    /// To be read; at once, if whoever wrote it is done.
    Seen { closed: bool, why: String },
    /// Read, and made into `newest`.
    Made,
    /// Read, and no skill.
    Refused(Refusal),
    /// Read, and a skill whose compiled code, of this many bytes, is too much beside that of the others.
    Crowded(Refusal, u64),
}

impl File {
    pub(super) fn is_quiet(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.changed) >= QUIET
    }

    /// Begins another edition: what is being tried of the one before is of no use.
    pub(super) fn renew(&mut self, editions: &mut Editions) {
        self.edition = editions.next();
        self.in_hand = false;
        self.is_large = false;
        self.again = None;
        self.failures = 0;
        self.is_reread = false;
    }

    /// Whether it is to be read `now`.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        match &self.phase {
            Phase::Seen { closed, .. } => *closed || self.is_quiet(now),
            Phase::Made | Phase::Refused(_) => self.again.is_some_and(|again| again <= now),
            Phase::Crowded(..) => false,
        }
    }

    /// When it is to be read, if nothing changes.
    pub(super) fn due(&self) -> Option<Instant> {
        match &self.phase {
            Phase::Seen { .. } => Some(self.changed + QUIET),
            Phase::Made | Phase::Refused(_) => self.again,
            Phase::Crowded(..) => None,
        }
    }
}
