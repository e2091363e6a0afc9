//! What a command may not change in its own workspace, and what it may not even see there: found by looking through the
//! workspace before each command ([`super::walk`]).
//!
//! Git runs what its hooks and its configuration name, and trusts them because they lie in the repository; so do shells
//! and direnv with their start-up files. Keys are not for reading either. All of it lies where a command may write, so
//! each place is covered by a mount of its own. What is not there can't be covered; [`super::planted`] looks at that
//! afterwards.

use super::Writes;
use super::listing::{About, Entry, Identity, Root};
use super::obeyed::Obeyed;
use super::pointers::Pointer;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// How a place is covered. One that comes later here holds more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Cover {
    /// It can be changed, but not renamed or replaced, since what is covered lies below it.
    Pinned,
    /// It can be read and not changed.
    ReadOnly,
    /// What git keeps of every version there was: an empty folder is in its place, in which only git finds the way to it.
    Apart,
    /// An empty folder, or a file that can't be opened, is in its place.
    Absent,
}

/// A place in the workspace, and how it is covered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Guarded {
    /// Beneath the workspace.
    #[serde(with = "super::bytes")]
    pub(super) path: PathBuf,
    pub(super) cover: Cover,
    /// Which file or folder it must be; nothing else is covered in its stead. Otherwise it may be gone.
    pub(super) identity: Option<Identity>,
    /// What is to be read there instead.
    pub(super) instead: Option<String>,
}

impl Guarded {
    /// Whether what is there can't be read there.
    pub(super) fn hides(&self) -> bool {
        matches!(self.cover, Cover::Apart | Cover::Absent) || self.instead.is_some()
    }

    pub(super) fn new(path: PathBuf, cover: Cover) -> Guarded {
        Guarded {
            path,
            cover,
            identity: None,
            instead: None,
        }
    }
}

/// What was found in a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Survey {
    /// In the order in which they must be covered: a folder before what is in it.
    #[serde(skip)]
    pub(super) guarded: Vec<Guarded>,
    /// The folders in which git keeps a repository.
    pub(super) repositories: Vec<Repository>,
    /// What leads to them from elsewhere.
    #[serde(default)]
    pub(super) pointers: Vec<Pointer>,
    /// What can be read and not changed, of what has such a name.
    pub(super) kept: Vec<Kept>,
    /// The folders that can't be listed or entered, wherever they are: another at the same place is not the operator's.
    #[serde(default)]
    pub(super) shut: BTreeSet<Identity>,
    /// The folders that lie too deep to be looked into, likewise.
    #[serde(default)]
    pub(super) deep: BTreeSet<Identity>,
    /// The folders that could not be looked at after a command, and that it may have made.
    #[serde(skip)]
    pub(super) unseen: Vec<PathBuf>,
    /// Whether there was more than is looked at, or can be covered.
    pub(super) cut: bool,
    /// Whether that is because there was no more time.
    #[serde(default)]
    pub(super) late: bool,
    /// Folders that are covered whole, since there is too much in them for one cover each.
    #[serde(skip)]
    pub(super) whole: Vec<PathBuf>,
    /// Private files that were added to git and never committed, one for each index that is not there for that.
    #[serde(skip)]
    pub(super) added: Vec<PathBuf>,
    /// Whether nothing can have been overlooked because it was moved meanwhile. Only known where nobody was asked.
    #[serde(skip)]
    pub(super) steady: bool,
    /// What was last changed earlier, in nanoseconds since 1970, was so when this was taken.
    pub(super) taken: i64,
}

/// A folder in which git keeps a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Repository {
    /// Beneath the workspace.
    #[serde(with = "super::bytes")]
    pub(super) path: PathBuf,
    pub(super) identity: Identity,
    /// What git obeys in it, or because of it, by what it is called.
    pub(super) obeyed: BTreeMap<String, Obeyed>,
    /// Whether it leads to more than was looked up.
    #[serde(default)]
    pub(super) cut: bool,
}

/// A place that is covered for its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    /// Beneath the workspace.
    #[serde(with = "super::bytes")]
    pub(super) path: PathBuf,
    /// Which folder it was in. In that one its cover keeps it from being replaced.
    pub(super) folder: Identity,
    pub(super) about: About,
}

/// Most entries that are looked at before a command, nearest the workspace first.
pub(super) const MOST_ENTRIES: usize = 200_000;
/// The same for afterwards, when there may be more, and where nothing runs if there are more.
pub(super) const MOST_ENTRIES_AFTER: usize = 2_000_000;

/// How a workspace is looked through.
#[derive(Clone, Copy)]
pub(super) enum Look<'a> {
    /// Before a command: what is there is the operator's.
    Before,
    /// Before one that no person was asked about: the same, but what may hold secrets is not there for it. Where it can't
    /// write, that is all that is looked for.
    Unasked(Writes),
    /// After one, beside how it was: a folder that it closed to us is opened.
    After(&'a Survey),
}

impl Look<'_> {
    pub(super) fn writes(self) -> bool {
        !matches!(self, Look::Unasked(Writes::Refused))
    }
}

impl Survey {
    /// One in which nothing was found yet.
    pub(super) fn begun() -> Survey {
        Survey {
            taken: now(),
            ..Survey::default()
        }
    }
}

/// A little in the past: file systems note times in steps.
fn now() -> i64 {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    let since = since.saturating_sub(std::time::Duration::from_secs(1));
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

impl Kept {
    /// What is at `path`, in `folder`.
    pub(super) fn read(root: &Root, folder: &Path, path: &Path) -> Option<Kept> {
        Some(Kept {
            path: path.to_owned(),
            folder: root.about(folder).ok()?.identity,
            about: root.about(path).ok()?,
        })
    }
}

/// A folder that git takes for a repository: by its name, or by what is in it, as bare ones, modules and work trees are.
pub(super) fn is_repository(folder: &Path, entries: &[Entry]) -> bool {
    let has = |name: &str| entries.iter().any(|entry| is_any(&entry.name, &[name]));
    let named = folder.file_name().is_some_and(|name| is_any(name, &[".git"]));
    // What others take their configuration from need have no HEAD.
    named && !entries.is_empty() || has("HEAD") && has("commondir") || has("objects") && has("refs")
}

/// File systems may take both cases for one.
pub(super) fn is_any(name: &OsStr, known: &[&str]) -> bool {
    known.iter().any(|own| name.eq_ignore_ascii_case(own))
}

#[cfg(test)]
mod tests;
