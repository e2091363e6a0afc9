//! One attempt to make a skill of a file: reading, and all that takes time. It knows nothing that changes, so it runs on
//! whatever thread there is, while everything else goes on.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::dropped::QUIET;
use super::folder::{Stamp, read_component};
use super::grants::Grants;
use super::inspect::Sizes;
use super::loaded::{Skill, Source};
use super::refusal::Refusal;
use super::workshop::{Bundled, Candidate, LoadFault, Workshop};
use crate::sexp::Digest;

/// Files whose failure is remembered, so that the same bytes are not compiled again.
const REFUSALS: usize = 1_000;

/// Why these bytes under this name can never be a skill here.
#[derive(Debug, Default)]
pub(super) struct Hopeless(Mutex<HashMap<(String, Digest), Refusal>>);

impl Hopeless {
    fn find(&self, known: &(String, Digest)) -> Option<Refusal> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(known)
            .cloned()
    }

    fn remember(&self, known: (String, Digest), refusal: Refusal) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= REFUSALS {
            all.clear();
        }
        all.insert(known, refusal);
    }
}

/// What is to be tried.
pub(super) struct Job {
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// Which state of the file, and of what it is granted, this is about.
    pub(super) edition: u64,
    /// How often in a row this failed in a way that may pass.
    pub(super) failures: u32,
    /// Whether the file counts as complete.
    pub(super) quiet: bool,
    /// What was made of it before and may go on, if it has the same bytes.
    pub(super) versions: Vec<Arc<Skill>>,
    /// How much work compiling it may be now.
    pub(super) room: u64,
    /// How much processor time it may take now.
    pub(super) time: Duration,
    /// How much what needs trust, and has none, may take to be looked into.
    pub(super) untrusted: Duration,
    /// Whether it is one of those that keep whoever compiles busy for long.
    pub(super) is_large: bool,
    /// Whether a gate of this name was ready, of which there is still a file.
    pub(super) was_gate: bool,
    pub(super) workshop: Arc<Workshop>,
    pub(super) bundled: &'static [Bundled],
    pub(super) grants: Grants,
    pub(super) hopeless: Arc<Hopeless>,
}

/// What came of it.
pub(super) struct Done {
    pub(super) name: String,
    pub(super) edition: u64,
    /// The file as it was when it was read.
    pub(super) read: Stamp,
    /// Whether it may have been changed since, and bear the same stamp.
    pub(super) may_hide_a_change: bool,
    /// What bore its path when all was done.
    pub(super) stamp: Stamp,
    pub(super) outcome: Outcome,
    /// How much work was compiled for it, or tried.
    pub(super) compiled: u64,
    pub(super) is_large: bool,
}

pub(super) enum Outcome {
    Made(Arc<Skill>),
    Refused(Refusal),
    /// It would have to be compiled, and is too much for that now.
    Later,
    /// It may not be complete yet, as this fault says.
    Incomplete(String),
}

/// Why a file that fails with `fault` does not count as failed yet.
fn waited_for(fault: &LoadFault) -> String {
    format!(
        "it may not be complete yet: {fault}; the rest is waited for, and the file fails once it has not changed for {} s",
        QUIET.as_secs()
    )
}

impl Job {
    /// Tries it. Takes as long as compiling takes.
    pub(super) fn run(self) -> Done {
        let (mut compiled, begun) = (0, SystemTime::now());
        let (read, bytes) = read_component(&self.path, self.workshop.limits_of(&self.name).file);
        let outcome = match bytes {
            Ok(bytes) => self.outcome(&bytes, &mut compiled),
            Err(fault) => self.failed(&fault, None),
        };
        Done {
            compiled,
            may_hide_a_change: read.may_hide_a_change(begun),
            read,
            stamp: Stamp::at(&self.path),
            name: self.name,
            edition: self.edition,
            is_large: self.is_large,
            outcome,
        }
    }

    fn outcome(&self, bytes: &[u8], compiled: &mut u64) -> Outcome {
        let digest = Digest::of_file(bytes);
        let known = (self.name.clone(), digest);
        if let Some(refusal) = self.hopeless.find(&known) {
            return Outcome::Refused(refusal);
        }
        // The same bytes again, as after a touch: the skill goes on, with all it keeps.
        let made = match self.versions.iter().find(|skill| skill.digest() == digest) {
            Some(skill) => Ok(skill.clone()),
            None => match self.make(bytes, &digest, compiled) {
                Ok(None) => return Outcome::Later,
                Ok(Some(skill)) => Ok(Arc::new(skill)),
                Err(fault) => Err(fault),
            },
        };
        match made.and_then(|skill| self.check_gate(&skill).map(|()| skill)) {
            Ok(skill) => Outcome::Made(skill),
            Err(fault) => {
                let outcome = self.failed(&fault, Some(digest));
                if let Outcome::Refused(refusal) = &outcome
                    && fault.is_about_the_bytes()
                {
                    self.hopeless.remember(known, refusal.clone());
                }
                outcome
            }
        }
    }

    /// What a fault comes to: nothing yet, where the rest of the file may still come.
    fn failed(&self, fault: &LoadFault, digest: Option<Digest>) -> Outcome {
        if fault.may_be_incomplete() && !self.quiet {
            return Outcome::Incomplete(waited_for(fault));
        }
        self.refused(fault, digest)
    }

    /// A gate does not go away because a version comes that is none.
    fn check_gate(&self, skill: &Skill) -> Result<(), LoadFault> {
        if !self.was_gate || skill.is_gate() || self.grants.trusts(&self.name, &skill.digest()) {
            return Ok(());
        }
        Err(LoadFault::NoGate {
            path: self.path.display().to_string(),
        })
    }

    fn refused(&self, fault: &LoadFault, digest: Option<Digest>) -> Outcome {
        let refusal = Refusal::of(fault, digest).after(fault, self.failures);
        let (name, path) = (&self.name, self.path.display());
        tracing::warn!(
            "the skill `{name}` ({path}) {}: {}",
            refusal.state.told(),
            refusal.reason
        );
        Outcome::Refused(refusal)
    }

    /// Makes it, unless that is too much work for now.
    fn make(&self, bytes: &[u8], digest: &Digest, compiled: &mut u64) -> Result<Option<Skill>, LoadFault> {
        let most = Sizes::of(&self.workshop.limits_of(&self.name));
        let trust = self
            .workshop
            .check_trusted(&self.name, &self.path, bytes, self.bundled, &self.grants);
        let time = match trust {
            Ok(()) => self.time,
            Err(_) => self.time.min(self.untrusted),
        };
        let anatomy = match (self.workshop.look(bytes, digest, &most, time), trust) {
            // Whatever it is.
            (Err(fault), Err(untrusted)) if fault.is_for_want_of_time() => return Err(untrusted),
            (Err(fault), _) if fault.is_for_want_of_time() && self.may_be_later() => return Ok(None),
            // What it is comes first: a text file is not something to trust.
            (looked, trust) => {
                let anatomy = looked?;
                trust?;
                anatomy
            }
        };
        if !self.workshop.keeps(digest) {
            if anatomy.work > self.room {
                return Ok(None);
            }
            *compiled = anatomy.work;
        }
        let candidate = Candidate {
            name: &self.name,
            bytes,
            compiled: None,
            anatomy: Some(anatomy),
            source: Source::File(self.path.clone()),
            time: self.time,
        };
        match self.workshop.make(&candidate, &self.grants) {
            Err(fault) if fault.is_for_want_of_time() && self.may_be_later() => Ok(None),
            made => made.map(Some),
        }
    }

    /// Whether it may be tried again with more time.
    fn may_be_later(&self) -> bool {
        self.time < self.workshop.compile_time()
    }
}
