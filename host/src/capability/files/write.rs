//! Writing: a new file, or another content for one that is still as it was when the action was closed.
//!
//! What is written is first a file of its own, without a name where the file system has that, and then takes the name:
//! whoever looks sees the old content or the new one, and a crash leaves one of the two. What somebody else saved
//! meanwhile comes back out of the exchange, and is put back.

use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;

use super::leftover::{Intent, Noted};
use super::place::{self, Place, failed};
use super::read::digest_of;
use super::{Way, keep};
use crate::capability::Failure;
use crate::capability::own::OnBehalf;
use crate::sexp::visible;

/// What is to be written, as the cleared action says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) path: String,
    pub(super) text: String,
    /// Whether a file that exists may be replaced.
    pub(super) replace: bool,
    /// The SHA-256 of the file when the action was closed; nothing if there was none.
    pub(super) base: Option<String>,
}

/// The SHA-256 of the file at `path`, for an action that would write there; nothing if there is none.
///
/// # Errors
/// When it could not be written there either.
pub(super) fn base(path: &str, on: &OnBehalf<'_>) -> Result<Option<String>, Failure> {
    let place = Place::find(path, Way::Write, on)?;
    let (folder, name) = place.parent(on)?;
    match place::look(&folder, &name, &place.path)? {
        None => Ok(None),
        Some(status) => {
            place::check_plain(&status, &place.path)?;
            open(&folder, &name, &place.path)
                .and_then(|(file, _)| digest_of(&file, &place.path))
                .map(Some)
        }
    }
}

/// Writes, and returns how many bytes the file has.
pub(super) fn write(order: &Order, on: &OnBehalf<'_>) -> Result<u64, Failure> {
    on.turn.check()?;
    let place = Place::find(&order.path, Way::Write, on)?;
    let (folder, name) = place.parent(on)?;
    let there = place::look(&folder, &name, &place.path)?;
    if let Some(status) = &there {
        place::check_plain(status, &place.path)?;
    }
    let before = match (&there, &order.base) {
        (None, None) => None,
        (None, Some(_)) => {
            return Err(deleted(&place.path));
        }
        (Some(_), _) if !order.replace => {
            return Err(exists(&place.path));
        }
        (Some(_), base) => {
            let (file, status) = open(&folder, &name, &place.path)?;
            let digest = digest_of(&file, &place.path)?;
            if base.as_deref() != Some(digest.as_str()) {
                return Err(changed(&place.path));
            }
            Some(Before { file, status, digest })
        }
    };
    let (text, data) = (order.text.as_bytes(), &on.turn.services().home.data);
    place_whole(&folder, &name, &place.path, text, before.as_ref(), data)
}

/// There is a file already, and the action does not say that it may be replaced.
pub(super) fn exists(path: &Path) -> Failure {
    Failure::Failed(format!(
        "{} exists already; :REPLACE T replaces it, after a look at what it holds",
        visible(&path.display().to_string())
    ))
}

/// The file is gone that the action would change.
pub(super) fn deleted(path: &Path) -> Failure {
    Failure::Failed(format!(
        "{} was deleted after this was proposed; propose it again",
        visible(&path.display().to_string())
    ))
}

/// The file is not what it was when the action was closed.
pub(super) fn changed(path: &Path) -> Failure {
    Failure::Failed(format!(
        "{} has changed after this was proposed; read it again, and propose what fits it now",
        visible(&path.display().to_string())
    ))
}

/// A file whose name another one takes, as it was when it was looked through.
#[derive(Debug)]
pub(super) struct Before {
    pub(super) file: File,
    pub(super) status: Stat,
    /// The SHA-256 of its content.
    pub(super) digest: String,
}

impl Before {
    fn is(&self, other: &Stat) -> bool {
        (self.status.st_dev, self.status.st_ino) == (other.st_dev, other.st_ino)
    }

    /// Whether nobody has changed anything of it, as far as the system notes that.
    fn is_still(&self, now: &Stat) -> bool {
        let times = |status: &Stat| {
            let changed = (status.st_ctime, status.st_ctime_nsec);
            (status.st_size, status.st_mtime, status.st_mtime_nsec, changed)
        };
        self.is(now) && times(&self.status) == times(now)
    }
}

/// Gives the file `name` of `folder` this content, all at once, and returns how many bytes it has. `replaced` is the file
/// that had the name until now; without one the name must be free. What it is called in between is noted in `data`.
///
/// # Errors
/// When it can't be written, and when the name leads to something else by now. Then that is still there.
pub(super) fn place_whole(
    folder: &OwnedFd,
    name: &Path,
    path: &Path,
    content: &[u8],
    replaced: Option<&Before>,
    data: &Path,
) -> Result<u64, Failure> {
    let intent = Intent::to_write(data, replaced.map(|before| before.digest.as_str()), content);
    let mut beside = Beside::create(folder, path, replaced.is_some(), &intent)?;
    beside.fill(content, replaced)?;
    match replaced {
        None => beside.take_free_name(name)?,
        Some(before) => beside.take_name_of(name, before, &intent)?,
    }
    // The name is durable only once the folder is synced.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::openat(folder, ".", flags, Mode::empty())
        .and_then(rustix::fs::fsync)
        .map_err(|error| failed(path, "sync the folder of", error))?;
    Ok(content.len() as u64)
}

/// Opens a plain file of `folder` for reading; no link, and nothing that waits.
pub(super) fn open(folder: &OwnedFd, name: &Path, path: &Path) -> Result<(File, Stat), Failure> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::openat(folder, name, flags, Mode::empty()).map_err(|error| failed(path, "read", error))?;
    let status = rustix::fs::fstat(&file).map_err(|error| failed(path, "look at", error))?;
    place::check_plain(&status, path)?;
    Ok((File::from(file), status))
}

/// The file that is written before it takes the name.
struct Beside<'a> {
    folder: &'a OwnedFd,
    path: &'a Path,
    file: File,
    /// What it is called until then, if anything. Removed at the end.
    name: Option<PathBuf>,
    /// That it is called so is noted until it no longer is.
    noted: Option<Noted>,
}

impl<'a> Beside<'a> {
    /// A file that replaces another is at first for nobody but its owner.
    fn create(
        folder: &'a OwnedFd,
        path: &'a Path,
        replaces: bool,
        intent: &Intent<'_>,
    ) -> Result<Beside<'a>, Failure> {
        let mode = Mode::from_raw_mode(if replaces { 0o600 } else { 0o666 });
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        let mut noted = None;
        // One without a name is gone if nobody is left to give it one.
        let (file, name) = match rustix::fs::openat(folder, ".", flags | OFlags::TMPFILE, mode) {
            Ok(file) => (file, None),
            // Not every file system has that.
            Err(_) => {
                let name = name_beside()?;
                noted = Some(intent.note(folder, &name)?);
                let flags = flags | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
                let file =
                    rustix::fs::openat(folder, &name, flags, mode).map_err(|error| failed(path, "write", error))?;
                (file, Some(name))
            }
        };
        Ok(Beside {
            folder,
            path,
            file: File::from(file),
            name,
            noted,
        })
    }

    /// Writes the content down to the disk, for those who could read the file that it replaces.
    fn fill(&mut self, bytes: &[u8], replaced: Option<&Before>) -> Result<(), Failure> {
        if let Some(before) = replaced {
            if before.status.st_nlink > 1 {
                // They may be anywhere, so what is written here must not be written there as well.
                let shown = visible(&self.path.display().to_string());
                tracing::warn!("{shown} was written under this name alone; its other names keep what it had before");
            }
            let lost = keep::hand_on(&before.file, &before.status, &self.file)
                .map_err(|error| failed(self.path, "keep the mode of", error))?;
            if !lost.is_empty() {
                let (shown, lost) = (self.path.display(), lost.join(", "));
                tracing::warn!("{shown} was written, and {lost} could not be kept: fewer may read it than before");
            }
        }
        let written = self.file.write_all(bytes).and_then(|()| self.file.sync_all());
        written.map_err(|error| {
            Failure::Failed(format!(
                "can't write {}: {error}",
                visible(&self.path.display().to_string())
            ))
        })
    }

    /// Takes a name that nothing has.
    fn take_free_name(&mut self, name: &Path) -> Result<(), Failure> {
        let taken = match &self.name {
            None => self.link(name),
            Some(own) => {
                match rustix::fs::renameat_with(self.folder, own, self.folder, name, RenameFlags::NOREPLACE) {
                    // The file system can't; a second name fails if it exists, too, and the first one is dropped.
                    Err(Errno::INVAL | Errno::NOSYS) => {
                        rustix::fs::linkat(self.folder, own, self.folder, name, AtFlags::empty())
                            .and_then(|()| rustix::fs::unlinkat(self.folder, own, AtFlags::empty()))
                    }
                    other => other,
                }
            }
        };
        match taken {
            Ok(()) => {
                self.name = None;
                Ok(())
            }
            Err(Errno::EXIST) => Err(Failure::Failed(format!(
                "{} was made by somebody else after this was proposed; read it, and propose it again",
                visible(&self.path.display().to_string())
            ))),
            Err(error) => Err(failed(self.path, "write", error)),
        }
    }

    /// Takes the name of the file that was there `before`, if it still is.
    fn take_name_of(&mut self, name: &Path, before: &Before, intent: &Intent<'_>) -> Result<(), Failure> {
        // Whoever saves now is mostly seen here; in the moment between this and the exchange, only afterwards.
        match place::look(self.folder, name, self.path)? {
            None => return Err(deleted(self.path)),
            Some(now) if !before.is_still(&now) => return Err(changed(self.path)),
            Some(_) => {}
        }
        let own = match self.name.take() {
            Some(own) => own,
            None => {
                let own = name_beside()?;
                self.noted = Some(intent.note(self.folder, &own)?);
                self.link(&own).map_err(|error| failed(self.path, "write", error))?;
                own
            }
        };
        match rustix::fs::renameat_with(self.folder, &own, self.folder, name, RenameFlags::EXCHANGE) {
            Ok(()) => {}
            // The file system can't.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                let taken = rustix::fs::renameat(self.folder, &own, self.folder, name);
                self.name = taken.is_err().then_some(own);
                return taken.map_err(|error| failed(self.path, "write", error));
            }
            Err(error) => {
                self.name = Some(own);
                return Err(match error {
                    Errno::NOENT => deleted(self.path),
                    error => failed(self.path, "write", error),
                });
            }
        }
        let same = open(self.folder, &own, self.path).is_ok_and(|(file, status)| {
            before.is(&status) && digest_of(&file, self.path).is_ok_and(|digest| digest == before.digest)
        });
        if !same {
            return Err(self.put_back(name, own));
        }
        rustix::fs::unlinkat(self.folder, &own, AtFlags::empty())
            .map_err(|error| failed(self.path, "remove the old content of", error))
    }

    /// Gives what somebody saved its name back, which is called `own` now, and answers why nothing was written. What can't
    /// be put back is left where it is, and told.
    fn put_back(&mut self, name: &Path, own: PathBuf) -> Failure {
        let back = rustix::fs::renameat_with(self.folder, &own, self.folder, name, RenameFlags::EXCHANGE);
        let is_ours = || {
            let there = place::look(self.folder, &own, self.path).ok()??;
            let ours = rustix::fs::fstat(&self.file).ok()?;
            Some((there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino))
        };
        if back.is_ok() && is_ours() == Some(true) {
            self.name = Some(own);
            return changed(self.path);
        }
        Failure::Failed(format!(
            "{} was saved by somebody else in the moment in which it was written; one of the two contents is in \
             {} beside it: compare them, and tell the person",
            visible(&self.path.display().to_string()),
            own.display()
        ))
    }

    /// Gives it a name that nothing has.
    fn link(&self, name: &Path) -> Result<(), Errno> {
        let unnamed = place::own_link(&self.file);
        rustix::fs::linkat(CWD, unnamed, self.folder, name, AtFlags::SYMLINK_FOLLOW)
    }
}

impl Drop for Beside<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // What is left of a write that failed; the failure itself is told.
            let _ = rustix::fs::unlinkat(self.folder, name, AtFlags::empty());
        }
    }
}

/// A name that nothing has.
fn name_beside() -> Result<PathBuf, Failure> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| Failure::Unavailable(format!("no random numbers: {error}")))?;
    Ok(PathBuf::from(format!(".passepartout-{}.new", hex::encode(random))))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn whoever_is_killed_while_writing_leaves_nothing_behind() {
        let root = tempfile::tempdir().unwrap();
        let folder = OwnedFd::from(File::open(root.path()).unwrap());
        let path = root.path().join("a");
        let intent = Intent::to_write(root.path(), None, b"half of it");
        let mut beside = Beside::create(&folder, &path, false, &intent).unwrap();
        beside.fill(b"half of it", None).unwrap();
        // As a kill would, without any tidying.
        std::mem::forget(beside);
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
    }

    #[test]
    fn whoever_is_killed_while_a_file_takes_the_name_of_another_leaves_what_the_next_start_removes() {
        let (root, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (folder, path) = (OwnedFd::from(File::open(root.path()).unwrap()), root.path().join("a"));
        std::fs::write(&path, "old").unwrap();
        let (file, status) = open(&folder, Path::new("a"), &path).unwrap();
        let digest = digest_of(&file, &path).unwrap();
        let before = Before { file, status, digest };
        let intent = Intent::to_write(data.path(), Some(&before.digest), b"new");
        let mut beside = Beside::create(&folder, &path, true, &intent).unwrap();
        beside.fill(b"new", Some(&before)).unwrap();
        let own = name_beside().unwrap();
        beside.noted = Some(intent.note(&folder, &own).unwrap());
        beside.link(&own).unwrap();
        std::mem::forget(beside);
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 2);
        assert_eq!(super::super::look_after_writing(data.path()), [""; 0]);
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 1);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        // And a write that ends leaves no note.
        place_whole(&folder, Path::new("a"), &path, b"new", Some(&before), data.path()).unwrap();
        assert_eq!(std::fs::read_dir(data.path().join("writing")).unwrap().count(), 0);
    }
}
