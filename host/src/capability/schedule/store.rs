//! The schedule on disk: one owner-only file, written whole, synced before anything is acknowledged.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::ScheduleError;
use super::entry::{Entry, SHORTEST};
use super::text::{Kept, parse, print};
use crate::audit::{LogError, Writes, read_private};
use crate::sexp::Form;
use crate::signal::{SessionId, random_hex};

/// Longest file that is read, in bytes.
const LONGEST: u64 = 64 << 20;

/// Longest file to which an entry is added, in bytes: what is put off needs a little more room afterwards.
pub(super) const FULL: usize = 32 << 20;

/// How many turns of entries may wait in one session: the others stay due, and leave room for who says something there.
const FEW: usize = 4;

/// How soon an entry that could not fire is tried again, in seconds: what it lacks may come with the daemon's start.
const SOONEST: u64 = 2;

/// For whom an entry is made.
#[derive(Clone, Copy, Debug)]
pub struct Owner<'a> {
    /// The skill.
    pub skill: &'a str,
    /// The conversation in which it is to fire.
    pub session: SessionId,
    /// Whether its text may have come from outside the workspace.
    pub tainted: bool,
    /// How many entries the skill may have.
    pub most: u64,
}

/// What happens later.
#[derive(Debug)]
pub struct Schedule {
    path: PathBuf,
    writes: Writes,
    kept: Mutex<Kept>,
    /// Whether the last write failed. Changed while the entries are locked.
    failed: AtomicBool,
    /// What is due and must not be fired now, by id. In memory alone: after a restart all of it is due again.
    held: Mutex<HashMap<String, Held>>,
    closing: AtomicBool,
    changed: Notify,
}

/// Why an entry that is due is not fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    /// Its turn waits in this session.
    Queued(SessionId),
    /// Its turn could not begin, and is not tried again before this moment, in seconds since 1970.
    Until(u64),
}

impl Schedule {
    /// The schedule that is kept at `path`; an empty one where there is no file. How writing it goes is noted in `writes`.
    ///
    /// # Errors
    /// When the file can't be read, others have access to it, or it is not what was written.
    pub fn open(path: &Path, writes: &Writes) -> Result<Schedule, ScheduleError> {
        let kept = match read_private(path, LONGEST)? {
            Some(bytes) => parse(&bytes).ok_or_else(|| ScheduleError::Damaged(path.to_owned()))?,
            None => Kept::default(),
        };
        Ok(Schedule {
            path: path.to_owned(),
            writes: writes.clone(),
            kept: Mutex::new(kept),
            failed: AtomicBool::new(false),
            held: Mutex::default(),
            closing: AtomicBool::new(false),
            changed: Notify::new(),
        })
    }

    /// Adds the entry that `form` asks for, at `now`, in seconds since 1970. When this returns its id, the entry is on
    /// the disk.
    ///
    /// # Errors
    /// When it is malformed, there are too many, or it can't be written; then nothing was added.
    pub fn add(&self, owner: Owner<'_>, form: &Form, now: u64) -> Result<String, ScheduleError> {
        let (when, next, text) = Entry::asked(form, now)?;
        let id = random_hex(4)?;
        let added = self.change(|kept| {
            let own = kept.entries.iter().filter(|entry| entry.skill == owner.skill).count();
            if own as u64 >= owner.most {
                return Err(ScheduleError::TooMany {
                    skill: owner.skill.to_owned(),
                    allowed: owner.most,
                });
            }
            kept.entries.push(Entry {
                id: id.clone(),
                skill: owner.skill.to_owned(),
                session: owner.session,
                text,
                tainted: owner.tainted,
                when,
                next,
                from: Some(now),
                early: None,
                since: None,
            });
            match print(kept).len() {
                size if size > FULL => Err(ScheduleError::Full { size }),
                _ => Ok(true),
            }
        });
        added.map(|_| id)
    }

    /// All entries, in the order in which they are due, as it is seen at `now`.
    pub fn all(&self, now: u64) -> Vec<Entry> {
        let mut all = self.kept().entries.clone();
        all.sort_by_key(|entry| entry.due_at(now));
        all
    }

    /// The entries of the skill `skill`, in the order in which they were added.
    pub fn of(&self, skill: &str) -> Vec<Entry> {
        self.kept()
            .entries
            .iter()
            .filter(|entry| entry.skill == skill)
            .cloned()
            .collect()
    }

    /// Removes every entry of the skill `skill`, or the one with this id; says how many there were. One whose turn waits does
    /// not fire any more.
    ///
    /// # Errors
    /// When it can't be written; then all of them stay.
    pub fn clear(&self, skill: &str, id: Option<&str>) -> Result<usize, ScheduleError> {
        let mut gone = 0;
        self.change(|Kept { entries, .. }| {
            let before = entries.len();
            entries.retain(|entry| entry.skill != skill || id.is_some_and(|id| entry.id != id));
            gone = before - entries.len();
            Ok(gone > 0)
        })?;
        Ok(gone)
    }

    /// The entries that are due at `now` and may have a turn, those that have waited longest first. Nothing is changed by
    /// this: whoever fires one [queues](Schedule::queue) it, and its turn [begins](Schedule::begin) with it.
    pub fn due(&self, now: u64) -> Vec<Entry> {
        if self.closing.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let kept = self.kept();
        let mut held = self.held();
        held.retain(|_, held| !matches!(held, Held::Until(until) if *until <= now));
        let waiting = waiting(&held);
        let mut due: Vec<Entry> = kept
            .entries
            .iter()
            .filter(|entry| entry.due_at(now) <= now && !held.contains_key(&entry.id) && has_room(&waiting, entry))
            .cloned()
            .collect();
        due.sort_by_key(|entry| entry.due_at(now));
        due
    }

    /// Notes that a turn is queued for an entry that is due, which is not due again before that turn has begun or was
    /// [released](Schedule::release). Not where a few wait in its session already, or it does itself; says whether it did.
    pub fn queue(&self, entry: &Entry) -> bool {
        let mut held = self.held();
        let may = !held.contains_key(&entry.id) && has_room(&waiting(&held), entry);
        if may {
            held.insert(entry.id.clone(), Held::Queued(entry.session));
        }
        may
    }

    /// Lets an entry be due again whose turn could not begin, but not before `until`, in seconds since 1970.
    pub fn release(&self, id: &str, until: u64) {
        self.held().insert(id.to_owned(), Held::Until(until));
        self.changed.notify_one();
    }

    /// Notes that the turn of an entry begins at `now`: on the disk, it has fired when this returns, and is
    /// [firing](Schedule::firing) until that turn has [ended](Schedule::ended), so that a crash never makes two of it, and
    /// none that nobody hears of. One that was missed while nobody looked fires once. Says whether it fires: not where it was
    /// removed meanwhile, or has fired.
    ///
    /// # Errors
    /// When it can't be written; then it has not fired, and is to be [released](Schedule::release).
    pub fn begin(&self, id: &str, now: u64) -> Result<bool, ScheduleError> {
        let begun = self.change(|Kept { entries, firing }| {
            let is_due = |entry: &Entry| entry.id == id && entry.due_at(now) <= now;
            let Some(at) = entries.iter().position(is_due) else {
                return Ok(false);
            };
            firing.retain(|own| own.id != id);
            firing.push(entries[at].clone());
            fire(entries, at, now);
            Ok(true)
        })?;
        self.held().remove(id);
        self.changed.notify_one();
        Ok(begun)
    }

    /// What has begun and not ended. At the start that is what the daemon's last end has broken off.
    pub fn firing(&self) -> Vec<Entry> {
        self.kept().firing.clone()
    }

    /// Notes that the turn of the entry `id` has ended, or that it was told how far it came.
    ///
    /// # Errors
    /// When it can't be written; then it is firing still.
    pub fn ended(&self, id: &str) -> Result<(), ScheduleError> {
        self.change(|Kept { firing, .. }| {
            let before = firing.len();
            firing.retain(|entry| entry.id != id);
            Ok(firing.len() < before)
        })
        .map(drop)
    }

    /// Lets `never` go as if they had fired at `now`, and `later` be due again, since this time they could not fire: soon,
    /// later the longer each has waited, and at most a minute afterwards. All at once, and none that its skill removed
    /// meanwhile.
    ///
    /// # Errors
    /// When it can't be written; then nothing has changed.
    pub fn settle(&self, never: &[Entry], later: &[Entry], now: u64) -> Result<(), ScheduleError> {
        let never: HashSet<&str> = never.iter().map(|entry| &*entry.id).collect();
        let later: HashSet<&str> = later.iter().map(|entry| &*entry.id).collect();
        self.change(|Kept { entries, .. }| {
            let mut changed = false;
            for at in (0..entries.len()).rev() {
                let entry = &mut entries[at];
                if entry.due_at(now) > now {
                    continue;
                }
                if never.contains(&*entry.id) {
                    fire(entries, at, now);
                    changed = true;
                } else if later.contains(&*entry.id) {
                    let since = entry.since.unwrap_or(now).min(now);
                    entry.next = now + (now - since).clamp(SOONEST, SHORTEST);
                    (entry.since, entry.from, entry.early) = (Some(since), Some(now), None);
                    changed = true;
                }
            }
            Ok(changed)
        })
        .map(drop)
    }

    /// Notes of each entry whose wait began by a clock that is ahead of `now` when it fires at the latest if that stays so;
    /// and of those of which it is so no more, that it does not count. Whether that clock was ahead, or this one is behind,
    /// only shows later: when it was to fire is kept.
    ///
    /// # Errors
    /// When it can't be written; then nothing has changed.
    pub fn bring_back(&self, now: u64) -> Result<(), ScheduleError> {
        self.held()
            .retain(|_, held| !matches!(held, Held::Until(until) if *until > now + SHORTEST));
        let differs = |entry: &Entry| entry.early != entry.early_at(now);
        if !self.kept().entries.iter().any(differs) {
            return Ok(());
        }
        self.change(|Kept { entries, .. }| {
            for entry in entries.iter_mut() {
                entry.early = entry.early_at(now);
            }
            Ok(true)
        })
        .map(drop)
    }

    /// Lets nothing more begin: what is due from here on, or waits, is due again after a restart.
    pub fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
    }

    /// Whether nothing more begins.
    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    /// When the next entry is due that may have a turn, as it is seen at `now`, in seconds since 1970.
    pub fn next_due(&self, now: u64) -> Option<u64> {
        let kept = self.kept();
        let held = self.held();
        let waiting = waiting(&held);
        let moments = kept.entries.iter().filter_map(|entry| match held.get(&entry.id) {
            Some(Held::Queued(_)) => None,
            _ if !has_room(&waiting, entry) => None,
            Some(Held::Until(until)) => Some(entry.due_at(now).max(*until)),
            None => Some(entry.due_at(now)),
        });
        moments.min()
    }

    /// Waits until an entry was added or removed, or its turn began or could not.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Changes what is kept, on the disk first. `change` says whether it did anything.
    fn change(&self, change: impl FnOnce(&mut Kept) -> Result<bool, ScheduleError>) -> Result<bool, ScheduleError> {
        let mut kept = self.kept();
        let mut changed = kept.clone();
        if !change(&mut changed)? {
            return Ok(false);
        }
        self.write(&changed)?;
        *kept = changed;
        drop(kept);
        self.changed.notify_one();
        Ok(true)
    }

    /// Writes what is kept once more where the last write failed, so that it shows whether it can be written now. Blocks.
    ///
    /// # Errors
    /// When it can't be.
    pub fn save_again(&self) -> Result<(), LogError> {
        let kept = self.kept();
        if self.failed.load(Ordering::Relaxed) {
            self.write(&kept)?;
        }
        Ok(())
    }

    fn write(&self, kept: &Kept) -> Result<(), LogError> {
        let written = self.writes.private(&self.path, print(kept).as_bytes());
        self.failed.store(written.is_err(), Ordering::Relaxed);
        written
    }

    /// Locked while the entries are, or alone, and never the other way round.
    fn held(&self) -> MutexGuard<'_, HashMap<String, Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Replaced whole, so that it is whole even if a holder panicked.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Moves the entry at `at` on to its next time after `now`; one that has none is gone.
fn fire(entries: &mut Vec<Entry>, at: usize, now: u64) {
    let Some(next) = entries[at].after(now) else {
        entries.remove(at);
        return;
    };
    let entry = &mut entries[at];
    (entry.next, entry.from) = (next, Some(now));
    (entry.early, entry.since) = (None, None);
}

/// How many turns of entries wait in each session.
fn waiting(held: &HashMap<String, Held>) -> HashMap<SessionId, usize> {
    let mut waiting = HashMap::new();
    for held in held.values() {
        if let Held::Queued(session) = held {
            *waiting.entry(*session).or_default() += 1;
        }
    }
    waiting
}

fn has_room(waiting: &HashMap<SessionId, usize>, entry: &Entry) -> bool {
    waiting.get(&entry.session).is_none_or(|count| *count < FEW)
}
