//! Reading: a part of a file, what it is, its digest, and what a folder holds.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};
use wasmtime::component::{ComponentType, Lift, Lower};

use super::Way;
use super::place::{self, Place, failed};
use crate::capability::Failure;
use crate::capability::own::OnBehalf;
use crate::sexp::visible;

/// Largest file whose digest is made, in bytes: what is hashed in a fraction of a second.
const LARGEST: u64 = 64 << 20;

/// Most entries of a folder that are listed.
const ENTRIES: usize = 10_000;

/// What an entry of a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ComponentType, Lower, Lift)]
#[component(enum)]
#[repr(u8)]
pub enum Kind {
    /// A plain file.
    #[component(name = "file")]
    File,
    /// A folder.
    #[component(name = "folder")]
    Folder,
    /// A symbolic link.
    #[component(name = "link")]
    Link,
    /// Anything else.
    #[component(name = "other")]
    Other,
}

/// One entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq, ComponentType, Lower, Lift)]
#[component(record)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// In bytes; 0 for what is no plain file.
    pub size: u64,
    /// Seconds since 1970, of the last change.
    pub modified: u64,
}

impl Entry {
    fn new(name: &Path, status: &Stat) -> Entry {
        let kind = match FileType::from_raw_mode(status.st_mode) {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Folder,
            FileType::Symlink => Kind::Link,
            _ => Kind::Other,
        };
        Entry {
            name: name.to_string_lossy().into_owned(),
            kind,
            size: if kind == Kind::File {
                u64::try_from(status.st_size).unwrap_or(0)
            } else {
                0
            },
            modified: u64::try_from(status.st_mtime).unwrap_or(0),
        }
    }
}

/// At most `length` bytes from `offset` on, within the bound on one read.
pub(super) fn read(path: &str, offset: u64, length: u32, on: &OnBehalf<'_>) -> Result<Vec<u8>, Failure> {
    on.turn.check()?;
    let place = Place::find(path, Way::Read, on)?;
    let (mut file, _) = place::open_plain(&place.reach(on)?, &place.path)?;
    let wrong = |error: io::Error| unreadable(&place.path, &error);
    file.seek(SeekFrom::Start(offset)).map_err(wrong)?;
    let mut bytes = Vec::new();
    file.take(u64::from(length).min(on.limits.read_bytes))
        .read_to_end(&mut bytes)
        .map_err(wrong)?;
    Ok(bytes)
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::Failed(format!("can't read {}: {error}", visible(&path.display().to_string())))
}

/// What stands at the path. A link is told of, and not followed.
pub(super) fn about(path: &str, on: &OnBehalf<'_>) -> Result<Entry, Failure> {
    on.turn.check()?;
    let place = Place::find(path, Way::Read, on)?;
    let Some(name) = place.path.file_name().map(Path::new) else {
        return Err(failed(&place.path, "look at", Errno::NOENT));
    };
    let status = if place.is_granted_folder() {
        Some(rustix::fs::fstat(place.reach(on)?).map_err(|error| failed(&place.path, "look at", error))?)
    } else {
        let (folder, last) = place.parent(on)?;
        place::look(&folder, &last, &place.path)?
    };
    let status = status.ok_or_else(|| failed(&place.path, "look at", Errno::NOENT))?;
    Ok(Entry::new(name, &status))
}

/// The SHA-256 of the whole file, in hexadecimal digits.
pub(super) fn sha256(path: &str, on: &OnBehalf<'_>) -> Result<String, Failure> {
    on.turn.check()?;
    let place = Place::find(path, Way::Read, on)?;
    let (file, _) = place::open_plain(&place.reach(on)?, &place.path)?;
    let digest = digest_of(&file, &place.path)?;
    Ok(digest)
}

/// The SHA-256 of an open file.
///
/// # Errors
/// When it can't be read, or is larger than [`LARGEST`].
pub(super) fn digest_of(file: &File, path: &Path) -> Result<String, Failure> {
    let mut hash = Sha256::new();
    each_part(file, path, |part| hash.update(part))?;
    Ok(hex::encode(hash.finalize()))
}

/// The whole content of `file`, and its SHA-256.
///
/// # Errors
/// When it can't be read, or is larger than [`LARGEST`].
pub(super) fn content_of(file: &File, path: &Path) -> Result<(Vec<u8>, String), Failure> {
    let mut content = Vec::new();
    each_part(file, path, |part| content.extend_from_slice(part))?;
    let digest = hex::encode(Sha256::digest(&content));
    Ok((content, digest))
}

/// Hands `take` the file part after part.
fn each_part(file: &File, path: &Path, mut take: impl FnMut(&[u8])) -> Result<(), Failure> {
    let mut file = file.take(LARGEST + 1);
    let mut part = vec![0; 64 << 10];
    let mut size = 0_u64;
    loop {
        match file.read(&mut part) {
            Ok(0) => return Ok(()),
            Ok(read) => {
                size += read as u64;
                take(&part[..read]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unreadable(path, &error)),
        }
        check_size(size, path)?;
    }
}

/// # Errors
/// When a file of `size` bytes is larger than [`LARGEST`].
pub(super) fn check_size(size: u64, path: &Path) -> Result<(), Failure> {
    if size > LARGEST {
        return Err(Failure::Failed(format!(
            "{} has more than {LARGEST} bytes, which is the most that is looked through",
            visible(&path.display().to_string())
        )));
    }
    Ok(())
}

/// The entries of a folder, by name.
pub(super) fn list(path: &str, on: &OnBehalf<'_>) -> Result<Vec<Entry>, Failure> {
    on.turn.check()?;
    let place = Place::find(path, Way::Read, on)?;
    let found = place.reach(on)?;
    let entries = entries(&found).map_err(|error| failed(&place.path, "list", error))?;
    let Some(mut entries) = entries else {
        return Err(Failure::Failed(format!(
            "{} has more than {ENTRIES} entries, which is the most that is listed",
            visible(&place.path.display().to_string())
        )));
    };
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

/// The entries, unless there are too many.
fn entries(found: &OwnedFd) -> Result<Option<Vec<Entry>>, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(found, ".", flags, Mode::empty())?;
    let mut entries = Vec::new();
    for entry in Dir::read_from(&folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        if entries.len() >= ENTRIES {
            return Ok(None);
        }
        let own = Path::new(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(
            name.to_bytes(),
        ));
        match rustix::fs::statat(&folder, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW) {
            Ok(status) => entries.push(Entry::new(own, &status)),
            // Gone since the folder was read.
            Err(Errno::NOENT) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Some(entries))
}
