//! Whether git has a file as it is, in its index and in the last commit: then it is in every copy of the repository, and
//! hiding it here would hide nothing, but would have git take it for changed, and fail where it shows what was. One that was
//! changed since is another matter: what git has of it are the defaults, and what was written into it here nobody else has.
//! Nor has anybody what was only added to the index: git would show it all the same, by that.

use super::head::{Head, Written, written};
use super::listing::Root;
use super::objects::{NAME, Name};
use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY};
use rustix::fs::OFlags;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Most of an index that is read, in bytes: some hundred thousand files. What is in a longer one counts as not tracked.
const LONGEST: u64 = 32 << 20;
/// Most that are read, so that a workspace of many repositories costs little. The same of the others.
const MOST: usize = 8;

/// Where a repository is in a work tree, and its index in that.
const REPOSITORY: &str = ".git";
const INDEX: &str = ".git/index";
/// How an index begins, and which versions of it are read; in the last of them an entry says only how its path differs from the
/// one before: gitformat-index(5).
const SIGNATURE: &[u8] = b"DIRC";
const VERSIONS: [u32; 3] = [2, 3, 4];
const DIFFERING: u32 = 4;
/// Where the entries begin; where in each its flags are, and how long it is up to its path.
const START: usize = 12;
const MODIFIED: usize = 8;
const LENGTH: usize = 36;
const OBJECT: usize = 40;
const FLAGS: usize = 60;
const FIXED: usize = 62;
/// Most that is read of files to be compared with what git has, in bytes. One that is not counts as changed.
const COMPARED: u64 = 64 << 20;
/// That an entry has two more bytes of flags, and that it is one of several that a merge left of a file.
const EXTENDED: u16 = 0x4000;
const UNMERGED: u16 = 0x3000;
/// Of nothing, as git has it: gitglossary(7), "intent to add".
const EMPTY: Name = [
    0xe6, 0x9d, 0xe2, 0x9b, 0xb2, 0xd1, 0xd6, 0x43, 0x4b, 0x8b, 0x29, 0xae, 0x77, 0x5a, 0xd8, 0xc2, 0xe4, 0x8c, 0x53,
    0x91,
];
/// What follows the entries begins with four letters and its length; this notes folders. At the end is a sum.
const NOTED: &[u8] = b"TREE";
const SUM: usize = NAME;

/// What git has of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tracked {
    /// When it was last written to when git looked at it, in seconds and nanoseconds, and how long it was.
    modified: (u32, u32),
    length: u32,
    /// The digest of what git has.
    object: Name,
}

/// What git has of files, by their paths.
#[derive(Debug, Default, PartialEq, Eq)]
struct Entries {
    merged: BTreeMap<Vec<u8>, Tracked>,
    unmerged: Vec<(Vec<u8>, Tracked)>,
}

impl Entries {
    fn all(&self) -> impl Iterator<Item = (&Vec<u8>, &Tracked)> {
        self.merged
            .iter()
            .chain(self.unmerged.iter().map(|(path, tracked)| (path, tracked)))
    }
}

/// One index, as far as it could be read.
#[derive(Debug)]
struct Index {
    entries: Entries,
    written: Written,
    /// When it was written.
    modified: (i64, i64),
    /// What was committed last in its repository.
    head: Head,
    /// Which of its files are private by what is in them.
    private: BTreeSet<Vec<u8>>,
}

/// The indexes that were read.
#[derive(Debug)]
pub(super) struct Indexes {
    read: BTreeMap<PathBuf, Option<Index>>,
    /// In which work tree each folder lies that was asked about, if in any.
    folders: BTreeMap<PathBuf, Option<PathBuf>>,
    /// How much may still be compared.
    left: u64,
}

impl Default for Indexes {
    fn default() -> Indexes {
        Indexes {
            read: BTreeMap::new(),
            folders: BTreeMap::new(),
            left: COMPARED,
        }
    }
}

impl Indexes {
    /// Whether the file at `path` is in the index of the repository in whose work tree it lies, and in the last commit, and is
    /// as it is there.
    pub(super) fn have(&mut self, root: &Root, path: &Path) -> bool {
        let Some(folder) = path.parent().and_then(|folder| self.work_tree(root, folder)) else {
            return false;
        };
        self.load(root, &folder);
        let below = path.strip_prefix(&folder).unwrap_or(path);
        let Some(index) = self.read.get_mut(&folder).and_then(Option::as_mut) else {
            return false;
        };
        let Some(tracked) = index.entries.merged.get(below.as_os_str().as_bytes()) else {
            return false;
        };
        is_unchanged(root, path, tracked, index.modified, &mut self.left)
            && index.head.has(root, below, &tracked.object, &index.written)
    }

    /// Reads the index of a work tree, once.
    fn load(&mut self, root: &Root, folder: &Path) {
        if !self.read.contains_key(folder) {
            let index = (self.read.len() < MOST).then(|| read(root, folder)).flatten();
            self.read.insert(folder.to_owned(), index);
        }
    }

    /// Takes note that the file at `path`, about which it was asked before, is private by what is in it.
    pub(super) fn note_private(&mut self, path: &Path) {
        let folder = path.parent().and_then(|folder| self.folders.get(folder)?.clone());
        let Some(folder) = folder else { return };
        if let Some(index) = self.read.get_mut(&folder).and_then(Option::as_mut) {
            let below = path.strip_prefix(&folder).unwrap_or(path);
            index.private.insert(below.as_os_str().as_bytes().to_owned());
        }
    }

    /// The indexes in which is what is private, by that or by its name as `is_named` says, and was not committed as it is there:
    /// git would show it, whether or not it still lies in the work tree. Each with the first such file.
    pub(super) fn showing(&mut self, root: &Root, is_named: impl Fn(&Path) -> bool) -> Vec<(PathBuf, PathBuf)> {
        // There may be no file in the work tree about which it could have been asked.
        self.load(root, Path::new(""));
        let read = self.read.iter_mut();
        let shows = |index: &mut Index| {
            let Index {
                entries,
                written,
                head,
                private,
                ..
            } = index;
            entries.all().find_map(|(bytes, tracked)| {
                let path = Path::new(OsStr::from_bytes(bytes));
                let is_private = private.contains(bytes) || is_named(path);
                let is_shown =
                    is_private && tracked.object != EMPTY && !head.has(root, path, &tracked.object, written);
                is_shown.then(|| path.to_owned())
            })
        };
        let showing = read.filter_map(|(folder, index)| {
            let file = shows(index.as_mut()?)?;
            Some((folder.join(INDEX), folder.join(file)))
        });
        showing.collect()
    }

    /// The work tree in which a folder lies: the nearest one with an index.
    fn work_tree(&mut self, root: &Root, folder: &Path) -> Option<PathBuf> {
        if let Some(known) = self.folders.get(folder) {
            return known.clone();
        }
        let found = match root.reach(&folder.join(INDEX), OFlags::PATH) {
            Ok(_) => Some(folder.to_owned()),
            Err(_) => folder.parent().and_then(|above| self.work_tree(root, above)),
        };
        self.folders.insert(folder.to_owned(), found.clone());
        found
    }
}

/// Whether the file is as git has it: told by its time, as git does, and else by what is in it.
fn is_unchanged(root: &Root, path: &Path, tracked: &Tracked, written: (i64, i64), left: &mut u64) -> bool {
    let Ok(file) = root.reach(path, OFlags::RDONLY | OFlags::NOCTTY) else {
        return false;
    };
    let file = File::from(file);
    let Ok(about) = file.metadata() else { return false };
    let modified = (about.mtime(), about.mtime_nsec());
    let noted = (i64::from(tracked.modified.0), i64::from(tracked.modified.1));
    // What was written at the same time as the index may have been written after it.
    if modified == noted && modified < written && about.len() == u64::from(tracked.length) {
        return true;
    }
    let Some(rest) = left.checked_sub(about.len()) else {
        return false;
    };
    *left = rest;
    let mut bytes = Vec::new();
    let read = file.take(about.len() + 1).read_to_end(&mut bytes);
    let mut digest = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
    digest.update(format!("blob {}\0", bytes.len()).as_bytes());
    digest.update(&bytes);
    read.is_ok() && digest.finish().as_ref() == tracked.object
}

/// The index of the work tree at `folder`.
fn read(root: &Root, folder: &Path) -> Option<Index> {
    let file = File::from(root.reach(&folder.join(INDEX), OFlags::RDONLY | OFlags::NOCTTY).ok()?);
    let about = file.metadata().ok()?;
    let is_short = about.is_file() && about.len() <= LONGEST;
    let mut bytes = Vec::new();
    let read = is_short.then(|| file.take(LONGEST).read_to_end(&mut bytes))?;
    read.ok()?;
    let (entries, behind) = entries(&bytes)?;
    Some(Index {
        entries,
        written: noted(behind).and_then(written).unwrap_or_default(),
        modified: (about.mtime(), about.mtime_nsec()),
        head: Head::of(root, &folder.join(REPOSITORY)),
        private: BTreeSet::new(),
    })
}

/// What an index notes of folders, in what follows its entries.
fn noted(mut behind: &[u8]) -> Option<&[u8]> {
    while behind.len() > SUM {
        let (start, rest) = behind.split_at_checked(8)?;
        let length = u32::from_be_bytes(start.get(4..)?.try_into().ok()?);
        let (own, next) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        if start.starts_with(NOTED) {
            return Some(own);
        }
        behind = next;
    }
    None
}

/// The entries of an index, by their paths, and what follows them, if it can be read.
fn entries(index: &[u8]) -> Option<(Entries, &[u8])> {
    let number = |at: usize| Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?));
    if !index.starts_with(SIGNATURE) || !VERSIONS.contains(&number(4)?) {
        return None;
    }
    let differ = number(4)? == DIFFERING;
    let (mut found, mut at, mut last) = (Entries::default(), START, Vec::new());
    for _ in 0..number(8)? {
        let flags = u16::from_be_bytes(index.get(at + FLAGS..at + FIXED)?.try_into().ok()?);
        let before = if flags & EXTENDED == 0 { FIXED } else { FIXED + 2 };
        let rest = index.get(at + before..)?;
        let (kept, rest, length) = match differ {
            false => (0, rest, before),
            true => {
                let (dropped, digits) = number_of(rest)?;
                (last.len().checked_sub(dropped)?, rest.get(digits..)?, before + digits)
            }
        };
        let behind = &rest[..rest.iter().position(|byte| *byte == 0)?];
        last.truncate(kept);
        last.extend_from_slice(behind);
        let tracked = Tracked {
            modified: (number(at + MODIFIED)?, number(at + MODIFIED + 4)?),
            length: number(at + LENGTH)?,
            object: index.get(at + OBJECT..at + FLAGS)?.try_into().ok()?,
        };
        match flags & UNMERGED {
            0 => _ = found.merged.insert(last.clone(), tracked),
            _ => found.unmerged.push((last.clone(), tracked)),
        }
        let length = length + behind.len() + 1;
        // Zeros up to a multiple of eight, and at least one.
        at += if differ { length } else { length.next_multiple_of(8) };
    }
    Some((found, index.get(at..)?))
}

/// A number of which each byte has seven bits, and how many bytes it has: gitformat-pack(5), "offset encoding".
fn number_of(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut number: usize = 0;
    for (at, byte) in bytes.iter().enumerate() {
        number = number.checked_mul(128)?.checked_add(usize::from(byte & 127))?;
        if byte & 128 == 0 {
            return Some((number, at + 1));
        }
        number = number.checked_add(1)?;
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn index(version: u8, entries: &[(u16, &str)]) -> Vec<u8> {
        let count = u8::try_from(entries.len()).unwrap();
        let mut bytes = [SIGNATURE, &[0, 0, 0, version, 0, 0, 0, count]].concat();
        for (flags, path) in entries {
            let mut entry = vec![7; FLAGS];
            entry.extend(flags.to_be_bytes());
            entry.extend(vec![0; if flags & EXTENDED == 0 { 0 } else { 2 }]);
            entry.extend(path.bytes());
            entry.resize((entry.len() + 8) & !7, 0);
            bytes.extend(entry);
        }
        bytes
    }

    #[test]
    fn the_paths_of_an_index_are_read_as_git_writes_them() {
        let given = [
            (9, "a/one.pem"),
            (EXTENDED | 7, "two.key"),
            (7, "main.rs"),
            (5, "b.key"),
        ];
        let bytes = index(3, &given);
        let found = entries(&bytes).unwrap().0;
        let paths: Vec<_> = found.all().map(|(path, _)| str::from_utf8(path).unwrap()).collect();
        assert_eq!(paths, ["a/one.pem", "b.key", "main.rs", "two.key"]);
        assert!(found.all().all(|(_, tracked)| tracked.object == [7; 20]));
        assert_eq!(entries(&index(5, &given)), None);
        let left = index(2, &[(0x1000, "a"), (0x2000, "a"), (0x3000, "a"), (0, "b")]);
        let found = entries(&left).unwrap().0;
        assert_eq!((found.merged.len(), found.unmerged.len()), (1, 3));
        let whole = index(2, &given[2..]);
        assert!(entries(&whole).is_some());
        assert_eq!(entries(&whole[..whole.len() - 30]), None);
    }

    #[test]
    fn an_index_of_git_is_read_the_same_in_each_version() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(folder.path()).unwrap();
        let git = |words: &str| {
            let run = std::process::Command::new("git")
                .args(words.split(' '))
                .current_dir(folder.path())
                .output();
            assert!(run.unwrap().status.success(), "{words}");
        };
        git("init -q");
        std::fs::create_dir_all(folder.path().join("deep/er")).unwrap();
        let long = format!("deep/{}", "x".repeat(200));
        for name in [long.as_str(), "deep/er/a", "deep/er/ab", "b", "c.txt"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        git("add -N b");
        git("add deep c.txt");
        let versions = [2, 4].map(|version| {
            git(&format!("update-index --index-version {version}"));
            let bytes = std::fs::read(folder.path().join(INDEX)).unwrap();
            // It has an entry with more flags.
            assert_eq!(bytes[7], if version == 2 { 3 } else { 4 });
            read(&root, Path::new("")).unwrap().entries
        });
        assert_eq!(versions[0], versions[1]);
        assert_eq!(versions[0].merged.len(), 5);
    }

    #[test]
    fn what_git_has_as_it_is_is_told_from_what_was_changed_whatever_the_time_says() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "hello\n").unwrap();
        let root = Root::open(folder.path()).unwrap();
        let object = hex::decode("ce013625030ba8dba906f756967f9e9ca394464a").unwrap();
        let tracked = Tracked {
            modified: (1, 1),
            length: 6,
            object: object.try_into().unwrap(),
        };
        let unchanged = |left: &mut u64| is_unchanged(&root, Path::new("a"), &tracked, (9, 9), left);
        assert!(unchanged(&mut 10));
        assert!(!unchanged(&mut 3));
        std::fs::write(folder.path().join("a"), "hallo\n").unwrap();
        assert!(!unchanged(&mut 10));
    }
}
