//! What lies in the skills folder at one moment, and reading one file of it.
//!
//! Looking is cheap, so that it can be done again and again: what a watcher tells are hints, what is seen here is the
//! truth.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::num::ParseIntError;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::inspect::{self, FileFault};
use super::workshop::LoadFault;

/// How much of a file tells what kind it is.
const HEAD: u64 = 4096;

/// After so long a change has another time than one before, on every file system.
pub(super) const COARSE: Duration = Duration::from_secs(3);

/// What tells one state of a file from the next without reading it: which file it is, how long, and when it changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    file: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(about: &Metadata) -> Stamp {
        Stamp {
            file: (about.dev(), about.ino()),
            size: about.len(),
            modified: (about.mtime(), about.mtime_nsec()),
            changed: (about.ctime(), about.ctime_nsec()),
        }
    }

    /// Whether the file, read at the time `at`, may be changed after that without another stamp: where the file system knows times
    /// by the second, and the last change is not clearly earlier.
    pub(super) fn may_hide_a_change(&self, at: SystemTime) -> bool {
        let (seconds, rest) = self.changed;
        let changed = UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
        rest == 0 && self.modified.1 == 0 && at < changed + COARSE
    }

    /// When anything of the file was changed last, which nobody can set.
    pub(super) fn since(&self) -> (i64, i64) {
        self.changed
    }

    /// Roughly how long the file is: the next number for twice as long.
    pub(super) fn magnitude(&self) -> Option<u32> {
        self.size.checked_ilog2()
    }

    /// The state of the file at `path`; one that can't be looked at is like one that does not exist.
    pub(super) fn at(path: &Path) -> Stamp {
        fs::metadata(path).as_ref().map(Stamp::of).unwrap_or_default()
    }
}

/// Which folder it is that bears a path: device, number, and when it was made, in nanoseconds, where the file system
/// knows. A folder that is made anew may get the number of the one before, and each disk's first folder has the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    device: u64,
    number: u64,
    made: Option<u128>,
}

impl Place {
    fn of(about: &Metadata) -> Place {
        let made = about
            .created()
            .ok()
            .and_then(|made| made.duration_since(UNIX_EPOCH).ok());
        Place {
            device: about.dev(),
            number: about.ino(),
            made: made.map(|made| made.as_nanos()),
        }
    }

    /// Whether it is surely the folder at `other`. Where nobody knows when they were made, it may be another.
    pub(super) fn is_surely(&self, other: Place) -> bool {
        self.made.is_some() && *self == other
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.device, self.number)?;
        match self.made {
            Some(made) => write!(f, "-{made}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Place {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Place, ParseIntError> {
        let mut parts = text.splitn(3, '-');
        let mut next = || parts.next().unwrap_or_default();
        Ok(Place {
            device: next().parse()?,
            number: next().parse()?,
            made: parts.next().map(str::parse).transpose()?,
        })
    }
}

/// A file that is meant to be a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sighting {
    pub(super) path: PathBuf,
    pub(super) stamp: Stamp,
}

/// The skill files in `folder` by the name of their skill, and which folder that is. Those that are `known` are looked for by
/// their names as well: a list of what lies in a folder is no snapshot, and may lack what is replaced meanwhile.
///
/// # Errors
/// When the folder can't be read, or is not there, as one that is on another disk may be: then nothing is known, of
/// deleted files neither.
pub(super) fn look<'a>(
    folder: &Path,
    known: impl Iterator<Item = &'a String>,
) -> io::Result<(Place, BTreeMap<String, Sighting>)> {
    let mut options = OpenOptions::new();
    let opened = options.read(true).custom_flags(libc::O_DIRECTORY).open(folder)?;
    let place = Place::of(&opened.metadata()?);
    let mut files = BTreeMap::new();
    // By its descriptor: another folder may come to bear the path meanwhile.
    let inside = PathBuf::from(format!("/proc/self/fd/{}", opened.as_raw_fd()));
    for entry in fs::read_dir(&inside)? {
        let entry = entry?.path();
        if let (Some(stem), Some(name)) = (skill_of(&entry), entry.file_name()) {
            let (path, stamp) = (folder.join(name), Stamp::at(&entry));
            files.insert(stem, Sighting { path, stamp });
        }
    }
    add_unlisted(&mut files, folder, &inside, known);
    Ok((place, files))
}

/// Adds those of `known` that are there and were not listed. `inside` leads to what bears the path `folder`. Only what
/// surely is not there is missing.
fn add_unlisted<'a>(
    files: &mut BTreeMap<String, Sighting>,
    folder: &Path,
    inside: &Path,
    known: impl Iterator<Item = &'a String>,
) {
    for name in known {
        let file = format!("{name}.wasm");
        let own = inside.join(&file);
        let is_missing =
            || matches!(fs::symlink_metadata(&own), Err(error) if error.kind() == io::ErrorKind::NotFound);
        if !files.contains_key(name) && !is_missing() {
            let (path, stamp) = (folder.join(&file), Stamp::at(&own));
            files.insert(name.clone(), Sighting { path, stamp });
        }
    }
}

/// The names of the skills that have a file in `folder`, in alphabetical order.
///
/// # Errors
/// When the folder can't be read.
pub fn files_in(folder: &Path) -> io::Result<Vec<String>> {
    Ok(look(folder, std::iter::empty())?.1.into_keys().collect())
}

/// The skill that a file of this name would be, if it would be one: `.wasm`, and not hidden.
fn skill_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    let is_skill = !name.starts_with('.') && path.extension().is_some_and(|extension| extension == "wasm");
    is_skill
        .then(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))
        .flatten()
}

/// Reads a file once, as it is at this moment, never more than `longest` bytes, and never one that could block.
///
/// # Errors
/// When it is no plain file, is too long, or can't be read.
pub fn read_whole(path: &Path, longest: u64) -> Result<Vec<u8>, LoadFault> {
    let (file, about) = open(path).1?;
    read_opened(file, &about, longest, |_| Ok(()))
}

/// The same for what is to be a component, which is seen before the most of it is read; and the state of the very file that
/// was read: another may come to bear the path meanwhile.
pub(super) fn read_component(path: &Path, longest: u64) -> (Stamp, Result<Vec<u8>, LoadFault>) {
    let (stamp, opened) = open(path);
    let check = |head: &[u8]| Ok(inspect::check_kind(head, longest)?);
    let bytes = opened.and_then(|(file, about)| read_opened(file, &about, longest, check));
    (stamp, bytes)
}

fn open(path: &Path) -> (Stamp, Result<(File, Metadata), LoadFault>) {
    // Of what can't be opened nothing is read: then the path tells.
    let seen = Stamp::at(path);
    let mut options = OpenOptions::new();
    let opened = options.read(true).custom_flags(libc::O_NONBLOCK).open(path);
    match opened.and_then(|file| Ok((file.metadata()?, file))) {
        Ok((about, file)) => (Stamp::of(&about), Ok((file, about))),
        Err(error) => (seen, Err(LoadFault::Unreadable(error))),
    }
}

fn read_opened(
    file: File,
    about: &Metadata,
    longest: u64,
    check: impl FnOnce(&[u8]) -> Result<(), LoadFault>,
) -> Result<Vec<u8>, LoadFault> {
    if !about.is_file() {
        return Err(LoadFault::Unreadable(io::Error::other("it is no plain file")));
    }
    if about.len() > longest {
        return Err(FileFault::TooLong {
            asked: about.len(),
            allowed: longest,
        }
        .into());
    }
    let (mut file, mut bytes) = (file.take(longest.saturating_add(1)), Vec::new());
    (&mut file)
        .take(HEAD)
        .read_to_end(&mut bytes)
        .map_err(LoadFault::Unreadable)?;
    check(&bytes)?;
    bytes.reserve_exact(usize::try_from(about.len()).unwrap_or(0).saturating_sub(bytes.len()));
    file.read_to_end(&mut bytes).map_err(LoadFault::Unreadable)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_a_file_whose_times_are_whole_seconds_and_that_was_just_changed_may_be_another_unseen() {
        let at = |seconds: u64| UNIX_EPOCH + Duration::from_secs(seconds);
        let stamp = |modified, changed| Stamp {
            modified,
            changed,
            ..Stamp::default()
        };
        let coarse = stamp((1_000, 0), (1_000, 0));
        assert!(coarse.may_hide_a_change(at(1_000)) && coarse.may_hide_a_change(at(1_002)));
        assert!(!coarse.may_hide_a_change(at(1_004)));
        for fine in [stamp((1_000, 0), (1_000, 7)), stamp((1_000, 7), (1_000, 0))] {
            assert!(!fine.may_hide_a_change(at(1_000)));
        }
    }

    #[test]
    fn a_file_that_a_list_lacks_is_seen_by_its_name_and_only_what_is_not_there_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["listed.wasm", "lacking.wasm"] {
            fs::write(at(name), name).unwrap();
        }
        std::os::unix::fs::symlink("/nowhere", at("dangling.wasm")).unwrap();
        let known = ["listed", "lacking", "dangling", "deleted"].map(str::to_owned);
        let (_, whole) = look(folder.path(), std::iter::empty()).unwrap();
        let mut files = whole.clone();
        files.retain(|name, _| name == "listed");
        add_unlisted(&mut files, folder.path(), folder.path(), known.iter());
        assert_eq!(files, whole, "as if the list had been whole");
        assert_eq!(look(folder.path(), known.iter()).unwrap().1, whole);
    }
}
