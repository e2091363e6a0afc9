//! All sessions of the daemon: those in use, and those that wait on disk until somebody joins them.

use std::collections::HashMap;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use tokio::sync::mpsc;

use super::hiding::Turns;
use super::kept::{Kept, Owner, for_continue, is_told, said};
use super::session::Session;
use super::turn::Job;
use crate::audit::{AppendLog, Durability, LogError, Recovery, Writes, read_entries};
use crate::context::Line;
use crate::signal::SessionId;
use crate::vault::Secrets;

/// All sessions of the daemon: those in use, and those on disk.
#[derive(Debug)]
pub struct Sessions {
    folder: PathBuf,
    note_limit: usize,
    writes: Writes,
    secrets: Secrets,
    open: Mutex<HashMap<SessionId, Arc<Session>>>,
}

impl Sessions {
    /// Sessions that are kept in `folder`, which exists. How writing them goes is noted in `writes`.
    pub fn new(folder: &Path, note_limit: usize, writes: Writes) -> Sessions {
        Sessions {
            folder: folder.to_owned(),
            note_limit,
            writes,
            secrets: Secrets::default(),
            open: Mutex::default(),
        }
    }

    /// The same, which keep nothing of what `secrets` are.
    #[must_use]
    pub(super) fn hiding(self, secrets: Secrets) -> Sessions {
        Sessions { secrets, ..self }
    }

    /// The session `id`, if there is one: in use, or on disk. A session that was not in use comes with the queue of
    /// its turns, which whoever opened it must work off.
    ///
    /// # Errors
    /// When its file can't be read.
    pub fn find(&self, id: SessionId) -> Result<Option<Opened>, LogError> {
        if let Some(session) = self.open().get(&id) {
            return Ok(Some(Opened {
                session: session.clone(),
                queue: None,
            }));
        }
        if !self.path(id).exists() {
            return Ok(None);
        }
        self.open_session(id, None).map(Some)
    }

    /// The session with this id; where there is none yet, a new one of this owner.
    ///
    /// # Errors
    /// When its file can't be made.
    pub fn create(&self, id: SessionId, owner: Owner) -> Result<Opened, LogError> {
        self.open_session(id, Some(owner))
    }

    /// Adds a line to the conversation `id`, in use or not, that tells the `end` of a plan, unless one there does, and says
    /// whether one did. Does nothing where there is no such conversation.
    ///
    /// # Errors
    /// When its file can't be read, or added to.
    pub(super) fn tell_end(&self, id: SessionId, line: Line, end: &str) -> Result<bool, LogError> {
        let mut stood = Vec::new();
        self.tell_ends(id, &[(line, end.to_owned())], &mut stood)?;
        Ok(stood == [true])
    }

    /// The same of several ends, for which the conversation is read once. Each that is told adds to `stood` whether a line
    /// did so before. After the first one that can't be told, the rest is not tried.
    ///
    /// # Errors
    /// As [`Sessions::tell_end`].
    pub(super) fn tell_ends(
        &self,
        id: SessionId,
        ends: &[(Line, String)],
        stood: &mut Vec<bool>,
    ) -> Result<(), LogError> {
        // Under the lock: nobody opens it meanwhile.
        let (path, open) = (self.path(id), self.open());
        if ends.is_empty() || !path.exists() {
            stood.resize(ends.len(), false);
            return Ok(());
        }
        let entries = read_entries(&path)?;
        let mut closed = None;
        let told: Result<(), LogError> = ends.iter().try_for_each(|(line, end)| {
            let stands = is_told(&entries, end);
            if let Some(session) = open.get(&id).filter(|_| !stands) {
                session.tell_end(line.clone(), end)?;
            } else if !stands {
                let log = match &mut closed {
                    Some(log) => log,
                    None => {
                        let (log, _, recovery) = AppendLog::open(&path, &self.writes)?;
                        report(id, &recovery);
                        closed.insert(Turns::on(log, &self.secrets))
                    }
                };
                log.append(&said(line, Some(end)), Durability::Written)?;
            }
            stood.push(stands);
            Ok(())
        });
        // What could be gone on with still can be: it is the last entry again.
        if let (Some(mut log), Some(waiting)) = (closed, for_continue(&entries))
            && let Err(error) = log.append(waiting, Durability::Written)
        {
            tracing::warn!(session = %id, "what a turn could go on with can't be kept: {error}");
        }
        told
    }

    /// Puts the turns of a session aside, beside itself, if they are more than `bytes` and it is not in use.
    pub(super) fn begin_anew(&self, id: SessionId, bytes: u64) {
        let (path, open) = (self.path(id), self.open());
        let is_long = std::fs::metadata(&path).is_ok_and(|file| file.len() > bytes);
        if is_long
            && !open.contains_key(&id)
            && let Err(error) = std::fs::rename(&path, path.with_extension("turns.before"))
        {
            tracing::warn!(session = %id, "its turns can't be put aside: {error}");
        }
    }

    /// The sessions in use.
    pub fn all(&self) -> Vec<Arc<Session>> {
        self.open().values().cloned().collect()
    }

    /// Puts a session away that nobody is connected to, if it has nothing left to do: its file is closed, and it is read
    /// again when somebody joins it.
    pub fn put_away(&self, id: SessionId) {
        let mut open = self.open();
        if open.get(&id).is_some_and(|session| session.put_away()) {
            open.remove(&id);
        }
    }

    /// The ids of all sessions, in use or on disk.
    pub fn ids(&self) -> Vec<SessionId> {
        let mut ids: Vec<SessionId> = self.open().keys().copied().collect();
        ids.extend(files(&self.folder).map(|(id, _)| id));
        ids.sort();
        ids.dedup();
        ids
    }

    /// When the file of a session was last added to; nothing where it has none.
    pub fn last_used(&self, id: SessionId) -> Option<SystemTime> {
        std::fs::metadata(self.path(id)).ok()?.modified().ok()
    }

    /// Opens a session, which is `owner`'s if it is begun now.
    fn open_session(&self, id: SessionId, owner: Option<Owner>) -> Result<Opened, LogError> {
        // Under the lock: two connections that join at once must get one session.
        let mut open = self.open();
        if let Some(session) = open.get(&id) {
            return Ok(Opened {
                session: session.clone(),
                queue: None,
            });
        }
        let (log, entries, recovery) = AppendLog::open(&self.path(id), &self.writes)?;
        let mut log = Turns::on(log, &self.secrets);
        report(id, &recovery);
        let kept = Kept::read(&entries);
        // Damage can make something else look like the beginning.
        let known = kept.owner.filter(|_| recovery.damaged == 0);
        let owner = match (known, owner) {
            (Some(owner), _) => owner,
            // Before anything is said in it: however it is opened again, it stays its owner's.
            (None, Some(owner)) if entries.is_empty() => {
                log.append(&owner.to_form(), Durability::Written)?;
                owner
            }
            // No client can open it.
            (None, _) if id == SessionId::HEARTBEAT => Owner::Operator,
            // A file of an older version, or one whose beginning is damaged: it may have been a stranger's.
            (None, _) => Owner::Stranger,
        };
        let (session, queue) = Session::new(id, owner, kept, log, self.note_limit);
        let session = Arc::new(session);
        open.insert(id, session.clone());
        Ok(Opened {
            session,
            queue: Some(queue),
        })
    }

    fn path(&self, id: SessionId) -> PathBuf {
        self.folder.join(format!("{id}.turns"))
    }

    fn open(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Session>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The sessions that have a file in `folder`, and when it was last added to. A folder that can't be read has none.
pub fn kept_in(folder: &Path) -> Vec<(SessionId, SystemTime)> {
    let used = |entry: DirEntry| entry.metadata().and_then(|about| about.modified()).ok();
    files(folder)
        .filter_map(|(id, entry)| Some((id, used(entry)?)))
        .collect()
}

/// The files of sessions in `folder`.
fn files(folder: &Path) -> impl Iterator<Item = (SessionId, DirEntry)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some((entry.path().file_stem()?.to_str()?.parse().ok()?, entry)))
}

/// Says what was wrong with the file of a session: whoever opens it first has cut a torn end off.
fn report(id: SessionId, recovery: &Recovery) {
    if *recovery != Recovery::default() {
        tracing::warn!(session = %id, torn = recovery.torn, damaged = recovery.damaged, "its turns were damaged; the rest is kept");
    }
}

/// A session, and its queue if it has just come into use.
#[derive(Debug)]
pub struct Opened {
    /// The session.
    pub session: Arc<Session>,
    /// Its turns, for whoever must work them off; none when somebody does already.
    pub queue: Option<mpsc::Receiver<Job>>,
}
