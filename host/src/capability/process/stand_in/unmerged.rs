//! What a merge left in the index: of a file that one side calls otherwise git tells the merge's own name alone, on all sides.
//! Source: git-ls-files(1), `--unmerged`; gitrevisions(7), `MERGE_HEAD`.

use super::line::Line;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Of what it may come: what is merged, picked or taken from where it was put aside.
const SIDES: [&str; 5] = [
    "CHERRY_PICK_HEAD",
    "MERGE_HEAD",
    "REBASE_HEAD",
    "REVERT_HEAD",
    "refs/stash",
];

/// A line of what is listed: the hash in front of the path.
fn entry(line: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let at = line.iter().position(|byte| *byte == b'\t')?;
    let hash = line[..at].split(|byte| *byte == b' ').find(|word| word.len() >= 40)?;
    Some((hash.to_owned(), &line[at + 1..]))
}

/// Why nothing of the index is shown.
const UNREADABLE: &str = "what the index has, which can't be read";
const UNMERGED: &str =
    "what was not merged, of which a side may have another name (`git diff-files -p` asks a person)";

impl Line<'_> {
    /// Whether the index can be read, and has nothing of a file that was not merged which may be private by what some side calls
    /// it. What no side is known to have may be.
    ///
    /// # Errors
    /// With what is not shown.
    pub(super) fn check_sides(&self) -> Result<(), String> {
        let listed = |arguments: &[&str]| {
            let asked = self.asked(arguments).filter(|output| output.status.success());
            asked.map(|output| output.stdout)
        };
        let Some(left) = listed(&["ls-files", "-u", "-z", "--", ":/"]) else {
            return match self.is_nowhere() {
                Some(true) => Ok(()),
                _ => Err(UNREADABLE.to_owned()),
            };
        };
        let lines = left.split(|byte| *byte == 0).filter_map(entry);
        let mut names: BTreeMap<Vec<u8>, BTreeSet<PathBuf>> = lines
            .map(|(hash, path)| (hash, BTreeSet::from([path_of(path)])))
            .collect();
        if names.is_empty() {
            return Ok(());
        }
        let mut known = BTreeSet::new();
        for version in self.sides_of_a_merge() {
            let files = listed(&["ls-tree", "-r", "-z", "--full-tree", &version]).unwrap_or_default();
            for (hash, path) in files.split(|byte| *byte == 0).filter_map(entry) {
                if let Some(names) = names.get_mut(&hash) {
                    names.insert(path_of(path));
                    known.insert(hash);
                }
            }
        }
        let mut blobs = self.blobs();
        let has_private = names.into_iter().any(|(hash, names)| {
            let mut is_private = |name: &PathBuf| blobs.is_private(name, &hash) != Some(false);
            !known.contains(&hash) || names.iter().any(&mut is_private)
        });
        match has_private {
            true => Err(UNMERGED.to_owned()),
            false => Ok(()),
        }
    }

    /// The versions from which what was not merged comes: of each side its own, the one before it, and the one from which both
    /// come.
    fn sides_of_a_merge(&self) -> BTreeSet<String> {
        let mut versions = BTreeSet::from(["HEAD".to_owned()]);
        for side in SIDES.iter().filter(|side| self.object(side).is_some()) {
            versions.extend(["", "^"].map(|which| format!("{side}{which}")));
            let bases = self
                .asked(["merge-base", "--all", "HEAD", side])
                .map(|output| output.stdout);
            let bases = String::from_utf8_lossy(&bases.unwrap_or_default()).into_owned();
            versions.extend(bases.lines().map(str::to_owned));
        }
        versions
    }
}

fn path_of(bytes: &[u8]) -> PathBuf {
    Path::new(OsStr::from_bytes(bytes)).to_owned()
}
