//! Whether a file holds a private key, by what is in it: the endings of such files are those of certificates and public keys
//! as well, which programs must read.
//!
//! A gate asks before a command reads one that it names. What reads whole folders, or follows a link, names none. The tool
//! `search-text` leaves out the same files, by the same rule, which is that skill's.

#[path = "../../../../skills/files/src/private.rs"]
#[allow(dead_code, reason = "a part of it is about files that a tool is given by name")]
mod rule;

use self::rule::{Named, SWAP, holds_files, is_binary_key, is_private, named, narrow, original};
use super::keys;
use super::listing::Root;
use super::tracked::Indexes;
use rustix::fs::OFlags;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Most that is read of one file, in bytes, and of all together. What is longer, or comes later, counts as one that does.
const LONGEST: usize = 1 << 20;
const LONGEST_IN_ALL: usize = 64 << 20;
/// Most that is read where only a word in the name speaks for a key: none is longer, and what is does not count as one. How
/// much of that shows whether it is text.
const LONGEST_BY_WORD: usize = 64 << 10;
const BEGINNING: usize = 4 << 10;
/// Most files of any other name of which the text is looked at, in all, and in folders that programs fill. Those that come
/// later stay: they are as many as nobody wrote.
const MOST_OTHERS: usize = 10_000;
const MOST_MADE: usize = 1_000;
/// Most files of source code and prose that are looked at, in all. In folders that programs fill none is.
const MOST_SOURCES: usize = 5_000;
/// Most files that are no text of which more than the beginning is looked at, and most of which only that is, since their names
/// say that they are none.
const MOST_BINARIES: usize = 300;
const MOST_UNLIKELY: usize = 2_000;
/// Folders that package managers and builds fill, with what others wrote.
const MADE: [&str; 14] = [
    ".cache",
    ".gradle",
    ".mypy_cache",
    ".next",
    ".pytest_cache",
    ".tox",
    ".venv",
    "__pycache__",
    "bower_components",
    "build",
    "dist",
    "node_modules",
    "target",
    "venv",
];

/// Looks into files, as far as it goes.
#[derive(Debug)]
pub(super) struct Reader {
    left: usize,
    /// How many files are still looked at for a key whatever they are called: others, and those in folders that are filled.
    others: usize,
    made: usize,
    sources: usize,
    binaries: usize,
    unlikely: usize,
    /// How much is still read of those.
    left_of_others: usize,
    indexes: Indexes,
}

impl Default for Reader {
    fn default() -> Reader {
        Reader {
            left: LONGEST_IN_ALL,
            others: MOST_OTHERS,
            made: MOST_MADE,
            sources: MOST_SOURCES,
            binaries: MOST_BINARIES,
            unlikely: MOST_UNLIKELY,
            left_of_others: LONGEST_IN_ALL,
            indexes: Indexes::default(),
        }
    }
}

impl Reader {
    /// Whether the plain file at `path` holds a private key, or passwords, that git does not track. What can't be read by us
    /// can't be by a command.
    pub(super) fn holds_a_secret(&mut self, root: &Root, path: &Path) -> bool {
        let holds = self.is_one(root, path);
        if holds {
            self.indexes.note_private(path);
        }
        holds
    }

    /// The indexes of git by which a private file would be shown that was added to them and never committed, each with that file.
    pub(super) fn showing(&mut self, root: &Root) -> Vec<(PathBuf, PathBuf)> {
        self.indexes.showing(root, is_surely_private)
    }

    fn is_one(&mut self, root: &Root, path: &Path) -> bool {
        match suspect(path) {
            Some(Suspect::Surely) => !self.is_tracked(root, path),
            Some(suspect) => self.reads_as_one(root, path, suspect) && !self.is_tracked(root, path),
            // Most of what is there git has: to know that, nothing is read.
            None => match named(&path.to_string_lossy()) {
                Named::ByKey => {
                    !self.is_tracked(root, path)
                        && self.is_left(path)
                        && self.reads_as_one(root, path, Suspect::ByKey)
                }
                Named::Source => {
                    !self.is_tracked(root, path)
                        && take(&mut self.sources, is_made(path))
                        && self.reads_as_one(root, path, Suspect::Source)
                }
                Named::Not => {
                    !self.is_tracked(root, path)
                        && take(&mut self.unlikely, is_made(path))
                        && self.reads_as_one(root, path, Suspect::Unlikely)
                }
                _ => false,
            },
        }
    }

    /// Whether git has the file as it is.
    pub(super) fn is_tracked(&mut self, root: &Root, path: &Path) -> bool {
        self.indexes.have(root, path)
    }

    /// Takes a file of no such name from those that are still looked at.
    fn is_left(&mut self, path: &Path) -> bool {
        let left = if is_made(path) {
            &mut self.made
        } else {
            &mut self.others
        };
        let some = *left > 0;
        *left = left.saturating_sub(1);
        some
    }

    fn reads_as_one(&mut self, root: &Root, path: &Path, suspect: Suspect) -> bool {
        let Ok(file) = root.reach(path, OFlags::RDONLY | OFlags::NOCTTY) else {
            return false;
        };
        let mut file = File::from(file);
        let mut bytes = Vec::new();
        let longest = match suspect {
            Suspect::ByWord | Suspect::ByKey | Suspect::Source | Suspect::Unlikely => {
                self.begin(&mut file, &mut bytes, suspect);
                match kind(&bytes) {
                    Kind::Key => return true,
                    // A key that is most of a file begins where the file does.
                    _ if suspect == Suspect::Source && !begins_a_key(&bytes) => return false,
                    Kind::Text => LONGEST_BY_WORD,
                    _ if suspect == Suspect::Unlikely => return false,
                    Kind::Archive => LONGEST,
                    Kind::Other if take(&mut self.binaries, is_made(path)) => LONGEST_BY_WORD,
                    Kind::Other => return false,
                }
            }
            _ => LONGEST,
        };
        let left = self.left_of(suspect);
        let most = (*left + bytes.len()).min(longest);
        let before = bytes.len();
        let read = file.take((most + 1 - before.min(most)) as u64).read_to_end(&mut bytes);
        *left = left.saturating_sub(bytes.len() - before);
        let cut = bytes.len() > most;
        match suspect {
            Suspect::Surely => true,
            Suspect::ByText(named) => read.is_err() || cut || is_private(named, &bytes),
            Suspect::ByWord => read.is_err() || cut && most < longest || is_private(Named::ByWord, &bytes),
            Suspect::ByKey | Suspect::Unlikely => is_private(Named::ByKey, &bytes),
            Suspect::Source => is_private(Named::Source, &bytes),
        }
    }

    fn left_of(&mut self, suspect: Suspect) -> &mut usize {
        match suspect {
            Suspect::ByKey | Suspect::Source | Suspect::Unlikely => &mut self.left_of_others,
            _ => &mut self.left,
        }
    }

    /// Reads the beginning of a file, which shows what it is.
    fn begin(&mut self, file: &mut File, bytes: &mut Vec<u8>, suspect: Suspect) {
        let left = self.left_of(suspect);
        // What fails here does so again.
        let _ = file.take(BEGINNING.min(*left) as u64).read_to_end(bytes);
        *left = left.saturating_sub(bytes.len());
    }
}

/// What a file is, by its beginning.
enum Kind {
    /// A key that is no text.
    Key,
    /// Text, or something that has some.
    Text,
    /// It holds other files, as they are.
    Archive,
    /// Neither, in which text may stand.
    Other,
}

fn kind(bytes: &[u8]) -> Kind {
    if is_binary_key(bytes) {
        Kind::Key
    } else if holds_files(bytes) {
        Kind::Archive
    } else if !bytes.contains(&0) || bytes.starts_with(SWAP) || narrow(bytes).is_some() {
        Kind::Text
    } else {
        Kind::Other
    }
}

/// What the name of a file says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Suspect {
    /// It holds secrets.
    Surely,
    /// It may, as its text says.
    ByText(Named),
    /// It may, and does if there is a key in its text.
    ByWord,
    /// Nothing: it does if there is a key where its text begins.
    ByKey,
    /// That it is source code or prose: it does if it is a key and hardly anything else.
    Source,
    /// That it is no text: it does if it is a key, or text all the same in which one stands.
    Unlikely,
}

pub(super) fn suspect(path: &Path) -> Option<Suspect> {
    let whole = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let is_kept = |name: &str| {
        let place = path.with_file_name(name);
        name == ".npmrc" || keys::is_environment(OsStr::new(name)) || keys::is_key_place_itself(&place)
    };
    let copied = || {
        let name = original(&whole);
        name != whole && is_kept(name) || rule::copies::undotted(&whole).is_some_and(|other| is_kept(original(other)))
    };
    // A folder of them may be one in which programs are installed: each file is looked at by itself, as git may have it.
    let in_environment = || path.iter().rev().skip(1).any(keys::is_environment);
    if in_environment() || copied() {
        return Some(Suspect::Surely);
    }
    match named(&path.to_string_lossy()) {
        Named::Secret => Some(Suspect::Surely),
        by_text @ (Named::Likely | Named::Perhaps) => Some(Suspect::ByText(by_text)),
        Named::ByWord => Some(Suspect::ByWord),
        Named::ByKey | Named::Source | Named::Not => None,
    }
}

/// Whether a file of that name is private, whatever is in it.
fn is_surely_private(path: &Path) -> bool {
    let is_named = |name| keys::is_environment(name) || keys::is_key(name);
    let steps: Vec<&OsStr> = path.iter().collect();
    path.file_name().is_some_and(is_named)
        || keys::is_key_place(&steps)
        || matches!(suspect(path), Some(Suspect::Surely))
}

/// Whether a file is source code or prose by its name.
fn is_source(path: &Path) -> bool {
    suspect(path).is_none() && named(&path.to_string_lossy()) == Named::Source
}

/// Whether a text is private, which git showed of a version of the file at `path`, or of what it doesn't name.
pub(super) fn is_private_version(path: Option<&Path>, text: &[u8]) -> bool {
    let by_text = |path: &Path| match suspect(path) {
        Some(Suspect::ByText(named)) => named,
        Some(_) => Named::ByWord,
        None if is_source(path) => Named::Source,
        None => Named::ByKey,
    };
    !text.is_empty() && (path.is_some_and(is_surely_private) || is_private(path.map_or(Named::ByKey, by_text), text))
}

/// Takes one of those that are `left`, unless it is in a folder that programs fill. Whether there was one.
fn take(left: &mut usize, is_made: bool) -> bool {
    let some = *left > 0 && !is_made;
    *left -= usize::from(some);
    some
}

/// Whether a file lies in a folder that programs fill.
fn is_made(path: &Path) -> bool {
    path.iter().any(|step| MADE.iter().any(|own| step == *own))
}

fn begins_a_key(bytes: &[u8]) -> bool {
    rule::armour::begun(bytes).next().is_some()
}

#[cfg(test)]
mod tests;
