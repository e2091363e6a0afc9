//! The schedule on disk: one owner-only file, written whole, synced before anything is acknowledged.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::entry::{Entry, SHORTEST};
use super::text::{parse, print};
use crate::audit::{LogError, PrivateFault, Writes, read_private};
use crate::sexp::Form;
use crate::signal::{SessionId, random_hex};

/// Longest file that is read, in bytes.
const LONGEST: u64 = 64 << 20;

/// Longest file to which an entry is added, in bytes: what is put off needs a little more room afterwards.
const FULL: usize = 32 << 20;

/// How many turns of entries may wait in one session: the others stay due, and leave room for who says something there.
const FEW: usize = 4;

/// How soon an entry that could not fire is tried again, in seconds: what it lacks may come with the daemon's start.
const SOONEST: u64 = 2;

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
    entries: Mutex<Vec<Entry>>,
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
        let entries = match read_private(path, LONGEST)? {
            Some(bytes) => parse(&bytes).ok_or_else(|| ScheduleError::Damaged(path.to_owned()))?,
            None => Vec::new(),
        };
        Ok(Schedule {
            path: path.to_owned(),
            writes: writes.clone(),
            entries: Mutex::new(entries),
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
        let added = self.change(|entries| {
            let own = entries.iter().filter(|entry| entry.skill == owner.skill).count();
            if own as u64 >= owner.most {
                return Err(ScheduleError::TooMany {
                    skill: owner.skill.to_owned(),
                    allowed: owner.most,
                });
            }
            entries.push(Entry {
                id: id.clone(),
                skill: owner.skill.to_owned(),
                session: owner.session,
                text,
                tainted: owner.tainted,
                when,
                next,
                since: None,
            });
            match print(entries).len() {
                size if size > FULL => Err(ScheduleError::Full { size }),
                _ => Ok(true),
            }
        });
        added.map(|_| id)
    }

    /// All entries, in the order in which they are due.
    pub fn all(&self) -> Vec<Entry> {
        let mut all = self.entries().clone();
        all.sort_by_key(|entry| entry.next);
        all
    }

    /// The entries of the skill `skill`, in the order in which they were added.
    pub fn of(&self, skill: &str) -> Vec<Entry> {
        self.entries()
            .iter()
            .filter(|entry| entry.skill == skill)
            .cloned()
            .collect()
    }

    /// Removes the entry `id` of the skill `skill`; says whether there was one. One whose turn waits does not fire any more.
    ///
    /// # Errors
    /// When it can't be written; then the entry stays.
    pub fn remove(&self, skill: &str, id: &str) -> Result<bool, ScheduleError> {
        self.change(|entries| {
            let before = entries.len();
            entries.retain(|entry| entry.skill != skill || entry.id != id);
            Ok(entries.len() < before)
        })
    }

    /// The entries that are due at `now` and may have a turn, those that have waited longest first. Nothing is changed by
    /// this: whoever fires one [queues](Schedule::queue) it, and its turn [begins](Schedule::begin) with it.
    pub fn due(&self, now: u64) -> Vec<Entry> {
        if self.closing.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let entries = self.entries();
        let mut held = self.held();
        held.retain(|_, held| !matches!(held, Held::Until(until) if *until <= now));
        let waiting = waiting(&held);
        let mut due: Vec<Entry> = entries
            .iter()
            .filter(|entry| entry.next <= now && !held.contains_key(&entry.id) && has_room(&waiting, entry))
            .cloned()
            .collect();
        due.sort_by_key(|entry| entry.next);
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

    /// Notes that the turn of an entry begins at `now`: on the disk, it has fired when this returns, so that a crash costs at
    /// most the firing that has begun and never makes two. One that was missed while nobody looked fires once. Says whether
    /// it fires: not where it was removed meanwhile, or has fired.
    ///
    /// # Errors
    /// When it can't be written; then it has not fired, and is to be [released](Schedule::release).
    pub fn begin(&self, id: &str, now: u64) -> Result<bool, ScheduleError> {
        let begun = self.change(|entries| {
            let at = entries.iter().position(|entry| entry.id == id && entry.next <= now);
            if let Some(at) = at {
                fire(entries, at, now);
            }
            Ok(at.is_some())
        })?;
        self.held().remove(id);
        self.changed.notify_one();
        Ok(begun)
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
        self.change(|entries| {
            let mut changed = false;
            for at in (0..entries.len()).rev() {
                let entry = &mut entries[at];
                if entry.next > now {
                    continue;
                }
                if never.contains(&*entry.id) {
                    fire(entries, at, now);
                    changed = true;
                } else if later.contains(&*entry.id) {
                    let since = entry.since.unwrap_or(now).min(now);
                    entry.next = now + (now - since).clamp(SOONEST, SHORTEST);
                    entry.since = Some(since);
                    changed = true;
                }
            }
            Ok(changed)
        })
        .map(drop)
    }

    /// Brings back what a clock that was ahead has put off further than an entry can wait at `now`.
    ///
    /// # Errors
    /// When it can't be written; then nothing has changed.
    pub fn bring_back(&self, now: u64) -> Result<(), ScheduleError> {
        self.held()
            .retain(|_, held| !matches!(held, Held::Until(until) if *until > now + SHORTEST));
        let is_late = |entry: &Entry| entry.next > now && entry.latest(now).is_some_and(|latest| entry.next > latest);
        if !self.entries().iter().any(is_late) {
            return Ok(());
        }
        self.change(|entries| {
            for entry in entries.iter_mut().filter(|entry| is_late(entry)) {
                entry.next = entry.latest(now).unwrap_or(entry.next);
                entry.since = entry.since.map(|since| since.min(now));
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

    /// When the next entry is due that may have a turn, in seconds since 1970.
    pub fn next_due(&self) -> Option<u64> {
        let entries = self.entries();
        let held = self.held();
        let waiting = waiting(&held);
        let moments = entries.iter().filter_map(|entry| match held.get(&entry.id) {
            Some(Held::Queued(_)) => None,
            _ if !has_room(&waiting, entry) => None,
            Some(Held::Until(until)) => Some(entry.next.max(*until)),
            None => Some(entry.next),
        });
        moments.min()
    }

    /// Waits until an entry was added or removed, or its turn began or could not.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Changes the entries, on the disk first. `change` says whether it did anything.
    fn change(
        &self,
        change: impl FnOnce(&mut Vec<Entry>) -> Result<bool, ScheduleError>,
    ) -> Result<bool, ScheduleError> {
        let mut entries = self.entries();
        let mut changed = entries.clone();
        if !change(&mut changed)? {
            return Ok(false);
        }
        self.writes.private(&self.path, print(&changed).as_bytes())?;
        *entries = changed;
        drop(entries);
        self.changed.notify_one();
        Ok(true)
    }

    /// Locked while the entries are, or alone, and never the other way round.
    fn held(&self) -> MutexGuard<'_, HashMap<String, Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        // Replaced whole, so that they are whole even if a holder panicked.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Moves the entry at `at` on to its next time after `now`; one that has none is gone.
fn fire(entries: &mut Vec<Entry>, at: usize, now: u64) {
    match entries[at].after(now) {
        Some(next) => (entries[at].next, entries[at].since) = (next, None),
        None => drop(entries.remove(at)),
    }
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
