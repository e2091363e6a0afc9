//! Whether git has a file in its index: then it is in every copy of the repository, and hiding it here would hide nothing, but
//! would have git take it for changed, and fail where it shows what was.

use super::listing::Root;
use rustix::fs::OFlags;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Most of an index that is read, in bytes: some hundred thousand files. What is in a longer one counts as not tracked.
const LONGEST: u64 = 32 << 20;
/// Most that are read, so that a workspace of many repositories costs little. The same of the others.
const MOST: usize = 8;

/// How an index begins, and in which versions each entry has its whole path: gitformat-index(5).
const SIGNATURE: &[u8] = b"DIRC";
const VERSIONS: [u32; 2] = [2, 3];
/// Where the entries begin; where in each its flags are, and how long it is up to its path.
const HEAD: usize = 12;
const FLAGS: usize = 60;
const FIXED: usize = 62;
/// That an entry has two more bytes of flags.
const EXTENDED: u16 = 0x4000;

/// The indexes that were read.
#[derive(Debug, Default)]
pub(super) struct Indexes(BTreeMap<PathBuf, BTreeSet<Vec<u8>>>);

impl Indexes {
    /// Whether the file at `path` is in the index of the repository in whose work tree it lies. Only what is of interest is
    /// remembered of an index.
    pub(super) fn have(&mut self, root: &Root, path: &Path, is_of_interest: &dyn Fn(&Path) -> bool) -> bool {
        let mut folders = path.ancestors().skip(1);
        let found = folders.find_map(|folder| {
            let index = folder.join(".git/index");
            let is_there = self.0.contains_key(&index) || root.reach(&index, OFlags::PATH).is_ok();
            is_there.then_some((folder, index))
        });
        let Some((folder, index)) = found else { return false };
        if !self.0.contains_key(&index) {
            let bytes = (self.0.len() < MOST).then(|| read(root, &index)).flatten();
            let paths = bytes.and_then(|bytes| paths(&bytes, is_of_interest));
            self.0.insert(index.clone(), paths.unwrap_or_default());
        }
        let below = path.strip_prefix(folder).unwrap_or(path);
        let tracked = self.0.get(&index);
        tracked.is_some_and(|tracked| tracked.contains(below.as_os_str().as_bytes()))
    }
}

fn read(root: &Root, index: &Path) -> Option<Vec<u8>> {
    let file = File::from(root.reach(index, OFlags::RDONLY | OFlags::NOCTTY).ok()?);
    let is_short = file
        .metadata()
        .is_ok_and(|about| about.is_file() && about.len() <= LONGEST);
    let mut bytes = Vec::new();
    let read = is_short.then(|| file.take(LONGEST).read_to_end(&mut bytes))?;
    read.is_ok().then_some(bytes)
}

/// The paths in an index that are of interest, if it can be read.
fn paths(index: &[u8], is_of_interest: &dyn Fn(&Path) -> bool) -> Option<BTreeSet<Vec<u8>>> {
    let number = |at: usize| Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?));
    if !index.starts_with(SIGNATURE) || !VERSIONS.contains(&number(4)?) {
        return None;
    }
    let (mut found, mut at) = (BTreeSet::new(), HEAD);
    for _ in 0..number(8)? {
        let flags = u16::from_be_bytes(index.get(at + FLAGS..at + FIXED)?.try_into().ok()?);
        let before = if flags & EXTENDED == 0 { FIXED } else { FIXED + 2 };
        let rest = index.get(at + before..)?;
        let path = &rest[..rest.iter().position(|byte| *byte == 0)?];
        if is_of_interest(Path::new(OsStr::from_bytes(path))) {
            found.insert(path.to_owned());
        }
        // Zeros up to a multiple of eight, and at least one.
        at += (before + path.len() + 8) & !7;
    }
    Some(found)
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
    fn the_paths_of_an_index_are_read_in_each_version_that_has_them_whole() {
        let entries = [
            (9, "a/one.pem"),
            (EXTENDED | 7, "two.key"),
            (7, "main.rs"),
            (5, "b.key"),
        ];
        let is_key = |path: &Path| path.extension().is_some_and(|ending| ending != "rs");
        let found = paths(&index(3, &entries), &is_key).unwrap();
        let found: Vec<_> = found.iter().map(|path| str::from_utf8(path).unwrap()).collect();
        assert_eq!(found, ["a/one.pem", "b.key", "two.key"]);
        assert_eq!(paths(&index(4, &entries), &is_key), None);
        let whole = index(2, &entries[2..]);
        assert!(paths(&whole, &is_key).is_some());
        assert_eq!(paths(&whole[..whole.len() - 30], &is_key), None);
    }
}
