//! The schedule on disk: one owner-only file, written whole, synced before anything is acknowledged.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::entry::{Entry, SHORTEST, When};
use crate::audit::{LogError, PrivateFault, read_private, write_private};
use crate::plist;
use crate::sexp::{Brackets, Form, read_prefix};
use crate::signal::{SessionId, random_hex};

/// Longest file that is read, in bytes.
const LONGEST: u64 = 64 << 20;

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
    entries: Mutex<Vec<Entry>>,
    /// Entries for once that were taken and may be put off yet, by id, with their skills.
    taken: Mutex<BTreeMap<String, String>>,
    changed: Notify,
}

impl Schedule {
    /// The schedule that is kept at `path`; an empty one where there is no file.
    ///
    /// # Errors
    /// When the file can't be read, others have access to it, or it is not what was written.
    pub fn open(path: &Path) -> Result<Schedule, ScheduleError> {
        let entries = match read_private(path, LONGEST)? {
            Some(bytes) => parse(&bytes).ok_or_else(|| ScheduleError::Damaged(path.to_owned()))?,
            None => Vec::new(),
        };
        Ok(Schedule {
            path: path.to_owned(),
            entries: Mutex::new(entries),
            taken: Mutex::default(),
            changed: Notify::new(),
        })
    }

    /// Adds the entry that `form` asks for, at `now`, in seconds since 1970. When this returns its id, the entry is on
    /// the disk.
    ///
    /// # Errors
    /// When it is malformed, the skill has too many, or it can't be written; then nothing was added.
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
            Ok(true)
        });
        added.map(|_| id)
    }

    /// The entries of the skill `skill`, in the order in which they were added.
    pub fn of(&self, skill: &str) -> Vec<Entry> {
        self.entries()
            .iter()
            .filter(|entry| entry.skill == skill)
            .cloned()
            .collect()
    }

    /// Removes the entry `id` of the skill `skill`; says whether there was one. One that was just taken is not put off any
    /// more.
    ///
    /// # Errors
    /// When it can't be written; then the entry stays.
    pub fn remove(&self, skill: &str, id: &str) -> Result<bool, ScheduleError> {
        let mut was_taken = false;
        let removed = self.change(|entries| {
            let mut taken = self.taken();
            was_taken = taken.get(id).is_some_and(|own| own == skill);
            if was_taken {
                taken.remove(id);
            }
            let before = entries.len();
            entries.retain(|entry| entry.skill != skill || entry.id != id);
            Ok(entries.len() < before)
        });
        Ok(removed? || was_taken)
    }

    /// Takes the entries that are due at `now`: on the disk, each has fired when this returns, so that a crash costs at
    /// most one firing and never makes two. Those that were missed while nobody looked fire once. Whoever takes one lets it
    /// [rest](Schedule::settle) or [puts it off](Schedule::postpone).
    ///
    /// # Errors
    /// When it can't be written; then none has fired.
    pub fn take_due(&self, now: u64) -> Result<Vec<Entry>, ScheduleError> {
        let mut due = Vec::new();
        self.change(|entries| {
            entries.retain_mut(|entry| {
                if entry.next > now {
                    return true;
                }
                due.push(entry.clone());
                match entry.after(now) {
                    Some(next) => {
                        (entry.next, entry.since) = (next, None);
                        true
                    }
                    None => false,
                }
            });
            let once = due.iter().filter(|entry| entry.when == When::Once);
            self.taken()
                .extend(once.map(|entry| (entry.id.clone(), entry.skill.clone())));
            Ok(!due.is_empty())
        })?;
        Ok(due)
    }

    /// Notes that an entry which was taken is not put off: it fired, or never will.
    pub fn settle(&self, entry: &Entry) {
        self.taken().remove(&entry.id);
    }

    /// Lets an entry that was taken at `now` fire again, since this time it could not: soon, later the longer it has
    /// waited, and at most a minute afterwards. One that its skill removed meanwhile does not come back.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn postpone(&self, entry: Entry, now: u64) -> Result<(), ScheduleError> {
        self.change(|entries| {
            let since = entry.since.unwrap_or(now).min(now);
            let put_off = Entry {
                next: now + (now - since).clamp(SOONEST, SHORTEST),
                since: Some(since),
                ..entry
            };
            let was_taken = self.taken().remove(&put_off.id).is_some();
            match entries.iter_mut().find(|own| own.id == put_off.id) {
                Some(own) => *own = put_off,
                None if was_taken => entries.push(put_off),
                None => return Ok(false),
            }
            Ok(true)
        })
        .map(drop)
    }

    /// When the next entry is due, in seconds since 1970.
    pub fn next_due(&self) -> Option<u64> {
        self.entries().iter().map(|entry| entry.next).min()
    }

    /// Waits until an entry was added or removed.
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
        write_private(&self.path, print(&changed).as_bytes())?;
        *entries = changed;
        drop(entries);
        self.changed.notify_one();
        Ok(true)
    }

    /// Locked while the entries are, and never the other way round.
    fn taken(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        // Replaced whole, so that they are whole even if a holder panicked.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many entries there are, then each on a line.
fn print(entries: &[Entry]) -> String {
    let mut text = format!("{}\n", plist!("SCHEDULE" => 1, "ENTRIES" => entries.len()));
    for entry in entries {
        text += &format!("{}\n", entry.to_form());
    }
    text
}

fn parse(bytes: &[u8]) -> Option<Vec<Entry>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (head, mut at) = read_prefix(text, Brackets::Refuse).ok()?;
    if head.get("SCHEDULE")?.as_int() != Some(1) {
        return None;
    }
    let count = usize::try_from(head.get("ENTRIES")?.as_int()?).ok()?;
    let mut entries = Vec::new();
    while !text[at..].trim().is_empty() {
        let (form, length) = read_prefix(&text[at..], Brackets::Refuse).ok()?;
        at += length;
        entries.push(Entry::from_form(&form)?);
    }
    (entries.len() == count).then_some(entries)
}
