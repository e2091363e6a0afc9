//! Where standing approvals are kept: one file that only its owner can read or write, an entry a line.
//!
//! It is written whole, and synced, before anything in it counts. What is taken back counts no more from then on, whether it
//! can be written or not, and where it can't, [`StandingStore::save`] tries that again. A file with an error approves
//! nothing at all: half of it could be the half before something was revoked. Taking everything back works even then.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::file::{self, StandingFault, to_entry};
use super::{LIFETIME, LONGEST, LONGEST_LIFETIME, Standing, StandingNow, is_bound_to_content, scope};
use crate::audit::{LogError, Writes};
use crate::gate::approval::{Approval, Plan, SHORTEST, UnixSeconds};
use crate::signal::random_hex;

/// How many may stand at once.
pub const MOST: usize = 1_000;

/// The first line, for whoever opens the file.
const HEAD: &str = "; What the operator approved once and for all. `passepartout-host approvals list` shows it.\n";

/// Why something can't be remembered or taken back.
#[derive(Debug, thiserror::Error)]
pub enum StandingError {
    /// One of the asks has to be looked at each time.
    #[error(
        "{gate} does not let this be approved once and for all ({rule}): that is for what its text says whole. What an unknown \
         tool does, or a program that obeys files or servers, is asked about each time, and so are keys, interpreters, shells \
         and wrappers; approve it without --remember"
    )]
    NotOffered {
        /// The gate.
        gate: String,
        /// Its rule.
        rule: String,
    },
    /// What it would cover is over as soon as the plan is carried out.
    #[error(
        "the plan names what the file holds now (:BASE-SHA256), which it changes itself, so that nothing would be the same again; \
         approve it without --remember"
    )]
    BoundToContent,
    /// There is too much to read.
    #[error("it is longer than {LONGEST} bytes, which nobody reads; approve it without --remember")]
    TooLong,
    /// The time is not one.
    #[error(
        "it can stand for 1 second up to {} days, such as 2h, 7days or 6months, and not for {}",
        LONGEST_LIFETIME / 86_400,
        humantime::format_duration(Duration::from_secs(*.seconds))
    )]
    Lifetime {
        /// What was asked for.
        seconds: u64,
    },
    /// There are too many.
    #[error("{MOST} stand already; take some back with `passepartout-host approvals revoke ID`")]
    TooMany,
    /// There is no such approval.
    #[error("there is no standing approval {id}; `passepartout-host approvals list` shows those that stand")]
    NoSuchApproval {
        /// What was asked for.
        id: String,
    },
    /// What was given is the id of nothing.
    #[error(
        "`{id}` is no standing approval's id, which has eight hexadecimal digits; `passepartout-host approvals list` shows those \
         that stand"
    )]
    NoId {
        /// What was asked for.
        id: String,
    },
    /// What was given is so short that it may soon begin another id.
    #[error(
        "`{id}` is too short for the id of a standing approval; write at least {SHORTEST} of its eight digits, as \
         `passepartout-host approvals list` shows them"
    )]
    TooShort {
        /// What was asked for.
        id: String,
    },
    /// What was given begins several ids.
    #[error("several standing approvals have an id that begins with {id}: {}; write more of the one that you mean", .matching.join(", "))]
    Ambiguous {
        /// What was asked for.
        id: String,
        /// Their ids.
        matching: Vec<String>,
    },
    /// The file has an error, so nothing can be added or taken back singly.
    #[error("{fault}")]
    Closed {
        /// What is wrong with it.
        fault: String,
    },
    /// The system gave no random numbers for an id.
    #[error("the system gives no random numbers: {0}")]
    Random(#[from] getrandom::Error),
    /// It could not be put on disk, and does not stand.
    #[error(transparent)]
    Write(LogError),
    /// That it was taken back could not be put on disk yet.
    #[error(
        "it is taken back for as long as the daemon runs, and that could not be written: {0}. It is tried again by itself, \
         with each heartbeat and when the daemon stops, and until `passepartout-host status` says nothing of it any more, what \
         was taken back stands again after a crash"
    )]
    Unwritten(LogError),
    /// The same, because a folder is where the file would be.
    #[error(
        "what was taken back counts no more for as long as the daemon runs, and that could not be written, since {} is no plain \
         file: move it away. Then it is written by itself, with the next heartbeat or when the daemon stops",
        .path.display()
    )]
    NoPlainFile {
        /// Where the file would be.
        path: PathBuf,
    },
}

/// All standing approvals, on disk and in memory.
#[derive(Debug)]
pub struct StandingStore {
    path: PathBuf,
    workspace: Arc<str>,
    approvals: Arc<[Standing]>,
    fault: Option<StandingFault>,
    /// What could be read of a file with an error. It counts for nothing.
    unsure: Vec<Standing>,
    /// Whether the file may say something else than what counts.
    unwritten: bool,
    writes: Writes,
}

impl StandingStore {
    /// Opens the store. Never fails: with an error in its file it approves nothing, and says why. How writing it goes is noted
    /// in `writes`.
    pub fn open(path: &Path, workspace: &Path, writes: &Writes) -> StandingStore {
        let (read, fault) = file::load(path);
        let (approvals, unsure) = match fault {
            None => (read, Vec::new()),
            Some(_) => (Vec::new(), read),
        };
        StandingStore {
            path: path.to_owned(),
            workspace: workspace.to_string_lossy().into(),
            approvals: approvals.into(),
            fault,
            unsure,
            unwritten: false,
            writes: writes.clone(),
        }
    }

    /// What is wrong with the file.
    pub fn fault(&self) -> Option<&StandingFault> {
        self.fault.as_ref()
    }

    /// All that have not lapsed at `now`, oldest first.
    pub fn list(&self, now: UnixSeconds) -> impl Iterator<Item = &Standing> {
        self.approvals.iter().filter(move |own| now < own.expires)
    }

    /// All that the file holds, as far as it can be read, whether they count or not.
    pub fn held(&self) -> impl Iterator<Item = &Standing> {
        self.approvals.iter().chain(&self.unsure)
    }

    /// Whether the approval `id` stands at `now`.
    pub fn stands(&self, id: &str, now: UnixSeconds) -> bool {
        self.list(now).any(|own| own.id == id && own.holds(now))
    }

    /// What the chain is told.
    pub fn at(&self, now: UnixSeconds) -> StandingNow {
        StandingNow {
            approvals: self.approvals.clone(),
            workspace: self.workspace.clone(),
            now,
        }
    }

    /// What remembering `plan` would make: an approval for each ask, not yet kept.
    ///
    /// # Errors
    /// When one of the asks can't be remembered, or no more can be kept.
    pub fn drafts(
        &self,
        plan: &Plan,
        seconds: Option<u64>,
        now: UnixSeconds,
    ) -> Result<Vec<Standing>, StandingError> {
        let seconds = seconds.unwrap_or(LIFETIME);
        if !(1..=LONGEST_LIFETIME).contains(&seconds) {
            return Err(StandingError::Lifetime { seconds });
        }
        self.open_for_changes()?;
        let mut drafts = Vec::with_capacity(plan.asks.len());
        for ask in &plan.asks {
            if ask.remember.is_none() {
                return Err(StandingError::NotOffered {
                    gate: ask.gate.clone(),
                    rule: ask.rule.clone(),
                });
            }
            if is_bound_to_content(plan.action.payload()) {
                return Err(StandingError::BoundToContent);
            }
            let scope = scope(&plan.action, ask, &self.workspace).ok_or(StandingError::TooLong)?;
            drafts.push(Standing {
                id: random_hex(4)?,
                ask: ask.clone(),
                scope,
                plan: plan.id.clone(),
                created: now,
                expires: now.saturating_add(seconds),
            });
        }
        if self.list(now).count() + drafts.len() > MOST {
            return Err(StandingError::TooMany);
        }
        Ok(drafts)
    }

    /// Keeps `drafts` of the plan that a person has just approved. One for the same as before takes its place; those that
    /// were replaced are returned.
    ///
    /// # Errors
    /// When they can't be kept; then none of them stands.
    pub fn keep(
        &mut self,
        drafts: Vec<Standing>,
        approval: &Approval,
        now: UnixSeconds,
    ) -> Result<Vec<Standing>, StandingError> {
        self.open_for_changes()?;
        // Only what was approved just now is remembered.
        let drafts: Vec<Standing> = drafts.into_iter().filter(|own| own.plan == approval.plan()).collect();
        let (replaced, mut all): (Vec<Standing>, Vec<Standing>) = self
            .list(now)
            .cloned()
            .partition(|own| drafts.iter().any(|new| is_for_the_same(new, own)));
        all.extend(drafts);
        // A write that fails late may have been one: then what counts is written over it.
        self.unwritten = true;
        self.write(&all).map_err(StandingError::Write)?;
        self.approvals = all.into();
        Ok(replaced)
    }

    /// Takes `kept` back, and lets what they `replaced` stand again: nothing could come of the plan. What was taken back
    /// meanwhile stays taken back.
    ///
    /// # Errors
    /// As [`StandingStore::revoke`].
    pub fn undo(&mut self, kept: &[Standing], replaced: &[Standing]) -> Result<(), StandingError> {
        self.open_for_changes()?;
        let before = |own: &Standing| {
            if kept.iter().any(|new| new.id == own.id) {
                replaced.iter().find(|old| is_for_the_same(own, old)).cloned()
            } else {
                Some(own.clone())
            }
        };
        let mut all: Vec<Standing> = self.approvals.iter().filter_map(before).collect();
        all.sort_by_key(|own| own.created);
        self.take_back(all)
    }

    /// Takes back the approval `id`.
    ///
    /// # Errors
    /// When there is none, or the file has an error. When it can't be written the approval is taken back in this process
    /// alone until it is [saved](StandingStore::save), and the error says why.
    pub fn revoke(&mut self, id: &str) -> Result<(), StandingError> {
        self.open_for_changes()?;
        let left: Vec<Standing> = self.approvals.iter().filter(|own| own.id != id).cloned().collect();
        if left.len() == self.approvals.len() {
            return Err(StandingError::NoSuchApproval { id: id.to_owned() });
        }
        self.take_back(left)
    }

    /// Takes all of them back, whatever the file holds.
    ///
    /// # Errors
    /// As [`StandingStore::revoke`].
    pub fn revoke_all(&mut self) -> Result<(), StandingError> {
        self.take_back(Vec::new())
    }

    /// Forgets those whose time is over, and returns their ids: the clock can be set back, what lapsed stays lapsed. On the
    /// disk once it is [saved](StandingStore::save).
    pub fn expire(&mut self, now: UnixSeconds) -> Vec<String> {
        let (left, over): (Vec<Standing>, Vec<Standing>) =
            self.approvals.iter().cloned().partition(|own| now < own.expires);
        if !over.is_empty() {
            self.approvals = left.into();
            self.unwritten = true;
        }
        over.into_iter().map(|own| own.id).collect()
    }

    /// Writes what counts, where the file may say something else.
    ///
    /// # Errors
    /// When it can't be written; it is as true as before, and can be tried again.
    pub fn save(&mut self) -> Result<(), StandingError> {
        if self.unwritten {
            let written = self.write(&self.approvals.clone());
            written.map_err(|error| match self.path.is_dir() {
                true => StandingError::NoPlainFile {
                    path: self.path.clone(),
                },
                false => StandingError::Unwritten(error),
            })?;
        }
        Ok(())
    }

    /// Lets no more than `left` count, whatever can be written.
    fn take_back(&mut self, left: Vec<Standing>) -> Result<(), StandingError> {
        (self.approvals, self.unwritten) = (left.into(), true);
        self.save()
    }

    fn write(&mut self, approvals: &[Standing]) -> Result<(), LogError> {
        let lines: String = approvals.iter().map(|own| format!("{}\n", to_entry(own))).collect();
        self.writes.private(&self.path, format!("{HEAD}{lines}").as_bytes())?;
        // It is what was written now: with an error in it, only taking everything back comes here.
        (self.unwritten, self.fault) = (false, None);
        self.unsure.clear();
        Ok(())
    }

    fn open_for_changes(&self) -> Result<(), StandingError> {
        match &self.fault {
            None => Ok(()),
            Some(fault) => Err(StandingError::Closed {
                fault: fault.to_string(),
            }),
        }
    }
}

/// Whether two standing approvals cover the same.
fn is_for_the_same(one: &Standing, other: &Standing) -> bool {
    one.ask == other.ask && one.scope == other.scope
}
