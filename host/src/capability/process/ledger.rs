//! What a workspace was like before commands ran in it, kept on disk while one runs.
//!
//! What a command planted is told from what the operator has by how it was before. Two commands at once have one such
//! "before", from when the first of them began: else what one plants could be taken for the operator's by the other. And
//! a daemon that is killed while a command runs leaves it on disk, so that the next start puts away what was planted. It
//! stays there too for as long as something could not be put away, since what comes later would take that for the operator's.
//! Who is running is told by locks, which the kernel takes back from the dead.

use super::ProcessError;
use super::guarded::Survey;
use super::outside::failed;
use crate::sexp::Digest;
use rustix::fs::FlockOperation;
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The folder, below the state folder.
const FOLDER: &str = "commands";

/// A place in the ledger of one workspace. Dropped, it is given back.
#[derive(Debug)]
pub(super) struct Ledger {
    lock: File,
    lock_path: PathBuf,
    before: PathBuf,
    /// Whether nobody else can be in it.
    alone: bool,
    stage: Stage,
}

/// How far somebody in the ledger has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// It has only looked. What others owe is not its own to strike out.
    Entered,
    /// It wrote the note, and nothing has run under it.
    Noted,
    /// Something runs, or ran and was not looked after.
    Owing,
    /// What ran was looked after, and nothing is left of it.
    Settled,
}

/// Who else is in the ledger.
#[derive(Debug)]
pub(super) enum Others {
    /// Nobody. What there was before commands that nobody looked after, if there were such.
    None(Option<Survey>),
    /// Commands that are running, and what there was before the first of them.
    Running(Survey),
}

impl Ledger {
    /// Enters the ledger of `workspace`, which is kept below `state`. Waits while another one enters it.
    ///
    /// # Errors
    /// When it can't be kept, or was taken away while something was owed: what a command plants could not be told.
    pub(super) fn enter(state: &Path, workspace: &Path) -> Result<(Ledger, Others), ProcessError> {
        let folder = state.join(FOLDER);
        let mut ledger = Ledger::open(&folder, workspace).map_err(|error| unkept(&folder, &error))?;
        let others = ledger.see().map_err(|error| unkept(&folder, &error))?;
        Ok((ledger, others))
    }

    fn open(folder: &Path, workspace: &Path) -> io::Result<Ledger> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let lock_path = lock_path(folder, workspace);
        let mut options = OpenOptions::new();
        let lock = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&lock_path)?;
        Ok(Ledger {
            lock,
            before: note_path(&lock_path),
            lock_path,
            alone: false,
            stage: Stage::Entered,
        })
    }

    fn see(&mut self) -> io::Result<Others> {
        loop {
            match rustix::fs::flock(&self.lock, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {
                    self.alone = true;
                    return match self.read()? {
                        None if self.owes() => Err(self.lone_mark()),
                        left => Ok(Others::None(left)),
                    };
                }
                Err(Errno::WOULDBLOCK) => {}
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            shared(&self.lock)?;
            if let Some(before) = self.read()? {
                return Ok(Others::Running(before));
            }
            // The last of them has just left.
            rustix::fs::flock(&self.lock, FlockOperation::Unlock)?;
        }
    }

    /// That something is owed, and what there was before is not noted: it could not be told from what the operator has.
    fn lone_mark(&self) -> io::Error {
        io::Error::other(format!(
            "{} says that something is left of commands before, and the note of how it was before them is gone",
            owed_path(&self.lock_path).display()
        ))
    }

    fn read(&self) -> io::Result<Option<Survey>> {
        match std::fs::read(&self.before) {
            Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Notes what there is before the first command, and lets others in.
    ///
    /// # Errors
    /// When it can't be written.
    pub(super) fn note(&mut self, before: &Survey) -> Result<(), ProcessError> {
        self.write(before)
            .and_then(|()| shared(&self.lock))
            .map_err(|error| unkept(&self.before, &error))?;
        self.alone = false;
        self.stage = Stage::Noted;
        Ok(())
    }

    fn write(&self, before: &Survey) -> io::Result<()> {
        let beside = self.before.with_extension("new");
        let mut options = OpenOptions::new();
        let mut file = options
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&beside)?;
        file.write_all(&serde_json::to_vec(before)?)?;
        file.sync_data()?;
        std::fs::rename(&beside, &self.before)
    }

    /// The file whose lock says that a command runs. Whoever holds one must hold it.
    pub(super) fn lock_path(&self) -> &Path {
        &self.lock_path
    }

    /// From here on something runs.
    pub(super) fn owe(&mut self) {
        self.stage = Stage::Owing;
    }

    /// What ran has ended, and was looked after: so much could not be put away. For that the note stays.
    pub(super) fn settle(&mut self, owed: &BTreeSet<PathBuf>) {
        let mark = owed_path(&self.lock_path);
        if !owed.is_empty() {
            // Another name takes no room of its own. Without the mark the note stays all the same, and says so when nobody is
            // left, unless another one takes it away.
            if std::fs::hard_link(&self.lock_path, &mark).is_err() {
                let _ = File::create(mark);
            }
            return;
        }
        // Another one may owe something that is not to be seen yet.
        if self.alone {
            let _ = std::fs::remove_file(mark);
        }
        self.stage = Stage::Settled;
    }

    /// Whether something could not be put away.
    pub(super) fn owes(&self) -> bool {
        may_exist(&owed_path(&self.lock_path))
    }
}

/// Whether something could not be put away that commands in `workspace` left, or nobody has looked after them: then there is
/// a note of theirs, and none of them holds the lock.
pub(super) fn owes(state: &Path, workspace: &Path) -> bool {
    let lock = lock_path(&state.join(FOLDER), workspace);
    if may_exist(&owed_path(&lock)) {
        return true;
    }
    // Whoever holds it alone is just entering or leaving, and may be about to look after them.
    let running = |lock: File| {
        let held = rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK);
        held && rustix::fs::flock(&lock, FlockOperation::NonBlockingLockShared).is_ok()
    };
    may_exist(&note_path(&lock)) && !File::open(&lock).is_ok_and(running)
}

fn may_exist(path: &Path) -> bool {
    path.try_exists().unwrap_or(true)
}

/// The file that says what there was before.
fn note_path(lock: &Path) -> PathBuf {
    lock.with_extension("json")
}

/// The file that says so.
fn owed_path(lock: &Path) -> PathBuf {
    lock.with_extension("owed")
}

impl Drop for Ledger {
    fn drop(&mut self) {
        // The last one out takes the note away. Where it can't, the next one in finds it, and looks.
        let last = rustix::fs::flock(&self.lock, FlockOperation::NonBlockingLockExclusive).is_ok();
        if last && matches!(self.stage, Stage::Noted | Stage::Settled) && !self.owes() {
            let _ = std::fs::remove_file(&self.before);
        }
    }
}

fn lock_path(folder: &Path, workspace: &Path) -> PathBuf {
    let name = Digest::of("passepartout-workspace-1", workspace.as_os_str().as_bytes());
    folder.join(format!("{name}.lock"))
}

/// That no command which could change a workspace runs or begins, for as long as this is held.
#[derive(Debug)]
pub(super) struct Alone {
    /// Held, unless none ever ran.
    lock: Option<File>,
    path: PathBuf,
}

impl Alone {
    /// `None` where one runs.
    pub(super) fn now(state: &Path, workspace: &Path) -> Option<Alone> {
        let path = lock_path(&state.join(FOLDER), workspace);
        let lock = match File::open(&path) {
            Ok(lock) => Some(lock),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(_) => return None,
        };
        if let Some(lock) = &lock {
            rustix::fs::flock(lock, FlockOperation::NonBlockingLockExclusive).ok()?;
        }
        Some(Alone { lock, path })
    }

    /// Whether it was so all the time.
    pub(super) fn still(&self) -> bool {
        self.lock.is_some() || !self.path.exists()
    }
}

/// Holds the lock at `path` until the file is dropped. For the keeper, whom the host may not outlive.
pub(super) fn hold(path: &Path) -> io::Result<File> {
    let lock = File::open(path)?;
    shared(&lock)?;
    Ok(lock)
}

fn shared(lock: &File) -> io::Result<()> {
    loop {
        match rustix::fs::flock(lock, FlockOperation::LockShared) {
            Ok(()) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn unkept(path: &Path, error: &io::Error) -> ProcessError {
    failed(
        format!(
            "what the workspace was like before the command can't be kept in {}: {error}",
            path.display()
        ),
        "make room there, and see that it is yours; if a file there can't be read or says that something is left, look \
         through git's configuration in the workspace for what you did not write, and delete the file",
    )
}
