//! Writing: a new file, or another content for one that is still as it was when the action was closed.
//!
//! What is written is first a file of its own beside the other, and then takes its name: whoever looks sees the old
//! content or the new one, and a crash leaves one of the two.

use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;

use super::Way;
use super::place::{self, Place, failed};
use super::read::digest_of;
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
                .and_then(|(file, _)| digest_of(file, &place.path))
                .map(Some)
        }
    }
}

/// Writes, and returns how many bytes the file has.
pub(super) fn write(order: &Order, on: &OnBehalf<'_>) -> Result<u64, Failure> {
    on.turn.check()?;
    let place = Place::find(&order.path, Way::Write, on)?;
    let (folder, name) = place.parent(on)?;
    let shown = visible(&place.path.display().to_string());
    let there = place::look(&folder, &name, &place.path)?;
    if let Some(status) = &there {
        place::check_plain(status, &place.path)?;
    }
    let kept = match (&there, &order.base) {
        (None, None) => None,
        (None, Some(_)) => {
            return Err(Failure::Failed(format!(
                "{shown} was deleted after this was proposed; propose it again"
            )));
        }
        (Some(_), _) if !order.replace => {
            return Err(exists(&place.path));
        }
        (Some(_), base) => {
            let (file, status) = open(&folder, &name, &place.path)?;
            if base.as_deref() != Some(digest_of(file, &place.path)?.as_str()) {
                return Err(changed(&place.path));
            }
            Some(status)
        }
    };
    place_whole(&folder, &name, &place.path, order.text.as_bytes(), kept.as_ref())
}

/// There is a file already, and the action does not say that it may be replaced.
pub(super) fn exists(path: &Path) -> Failure {
    Failure::Failed(format!(
        "{} exists already; :REPLACE T replaces it, after a look at what it holds",
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

/// Gives the file `name` of `folder` this content, all at once, and returns how many bytes it has. `replaced` is the file
/// that had the name until now; without one the name must be free.
pub(super) fn place_whole(
    folder: &OwnedFd,
    name: &Path,
    path: &Path,
    content: &[u8],
    replaced: Option<&Stat>,
) -> Result<u64, Failure> {
    let mut beside = Beside::create(folder, path)?;
    beside.fill(content, replaced)?;
    beside.take_the_name(name, replaced.is_some())?;
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

/// The file that is written before it takes the name. Removed again if it never does.
struct Beside<'a> {
    folder: &'a OwnedFd,
    path: &'a Path,
    name: PathBuf,
    file: File,
    placed: bool,
}

impl<'a> Beside<'a> {
    fn create(folder: &'a OwnedFd, path: &'a Path) -> Result<Beside<'a>, Failure> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|error| Failure::Unavailable(format!("no random numbers: {error}")))?;
        let name = PathBuf::from(format!(".passepartout-{}.new", hex::encode(random)));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(folder, &name, flags, Mode::from_raw_mode(0o666))
            .map_err(|error| failed(path, "write", error))?;
        Ok(Beside {
            folder,
            path,
            name,
            file: File::from(file),
            placed: false,
        })
    }

    /// Writes the content down to the disk, with the mode of the file that it replaces.
    fn fill(&mut self, bytes: &[u8], replaced: Option<&Stat>) -> Result<(), Failure> {
        if let Some(status) = replaced {
            // Without the bits by which a file lends rights to whoever runs it.
            let mode = Mode::from_raw_mode(status.st_mode & 0o777);
            rustix::fs::fchmod(&self.file, mode).map_err(|error| failed(self.path, "keep the mode of", error))?;
        }
        let written = self.file.write_all(bytes).and_then(|()| self.file.sync_all());
        written.map_err(|error| {
            Failure::Failed(format!(
                "can't write {}: {error}",
                visible(&self.path.display().to_string())
            ))
        })
    }

    /// Takes the name; one that exists is taken only if it is to be replaced.
    fn take_the_name(&mut self, name: &Path, replace: bool) -> Result<(), Failure> {
        let taken = if replace {
            rustix::fs::renameat(self.folder, &self.name, self.folder, name)
        } else {
            match rustix::fs::renameat_with(self.folder, &self.name, self.folder, name, RenameFlags::NOREPLACE) {
                // The file system can't; a second name fails if it exists, too, and the first one is dropped.
                Err(Errno::INVAL | Errno::NOSYS) => {
                    rustix::fs::linkat(self.folder, &self.name, self.folder, name, AtFlags::empty())
                        .and_then(|()| rustix::fs::unlinkat(self.folder, &self.name, AtFlags::empty()))
                }
                other => other,
            }
        };
        match taken {
            Ok(()) => self.placed = true,
            Err(Errno::EXIST) => {
                return Err(Failure::Failed(format!(
                    "{} was made by somebody else after this was proposed; read it, and propose it again",
                    visible(&self.path.display().to_string())
                )));
            }
            Err(error) => return Err(failed(self.path, "write", error)),
        }
        // The name is durable only once the folder is synced.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::openat(self.folder, ".", flags, Mode::empty())
            .and_then(rustix::fs::fsync)
            .map_err(|error| failed(self.path, "sync the folder of", error))
    }
}

impl Drop for Beside<'_> {
    fn drop(&mut self) {
        if !self.placed {
            // What is left of a write that failed; the failure itself is told.
            let _ = rustix::fs::unlinkat(self.folder, &self.name, AtFlags::empty());
        }
    }
}
