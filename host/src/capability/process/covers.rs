//! Which of the places that were found are covered when they are more than can be, and what must hold of them for a
//! command that no person was asked about.

use super::guarded::{Cover, Guarded};
use super::listing::{About, Root, about};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Most places that are covered: each is a mount.
const MOST: usize = 1_000;
/// Most folders that are hidden whole since too much in them would have to be.
const MOST_WHOLE: usize = 100;
/// How long ago a folder must have been changed last for the next change to be told from it, in nanoseconds: file systems
/// note times in steps.
const STEP: i64 = 20_000_000;

/// `guarded`, with what git obeys `elsewhere`, and the folders above that pinned: with one of them it could be renamed away.
pub(super) fn with_what_lies_elsewhere(mut guarded: Vec<Guarded>, elsewhere: BTreeSet<PathBuf>) -> Vec<Guarded> {
    let known: BTreeSet<&Path> = guarded.iter().map(|place| place.path.as_path()).collect();
    let ways: BTreeSet<&Path> = elsewhere.iter().flat_map(|place| place.ancestors().skip(1)).collect();
    let ways = ways
        .into_iter()
        .filter(|way| !way.as_os_str().is_empty() && !known.contains(way));
    // A folder before what is in it.
    let mut all: Vec<Guarded> = ways.map(|way| Guarded::new(way.to_owned(), Cover::Pinned)).collect();
    all.append(&mut guarded);
    all.extend(elsewhere.into_iter().map(|place| Guarded::new(place, Cover::ReadOnly)));
    all
}

/// As many of the places as can be covered, and whether some stay open. Of `names`, keys come before what is only kept.
pub(super) fn as_many_as_possible(mut first: Vec<Guarded>, mut names: Vec<Guarded>) -> (Vec<Guarded>, bool) {
    let more = first.len() + names.len() > MOST;
    if more {
        names.sort_by_key(|place| place.cover != Cover::Absent);
    }
    first.append(&mut names);
    first.truncate(MOST);
    (first, more)
}

/// Hides whole folders until what is left of `places` can be covered. Answers those folders, and whether it can.
pub(super) fn by_folders(places: &mut Vec<Guarded>) -> (Vec<PathBuf>, bool) {
    let mut whole = BTreeSet::new();
    while places.len() > MOST && whole.len() < MOST_WHOLE {
        let too_many = places.len() - MOST;
        let Some(folder) = worth_hiding(places, too_many) else {
            break;
        };
        places.retain(|place| !place.path.starts_with(&folder));
        places.push(Guarded::new(folder.clone(), Cover::Absent));
        whole.retain(|other: &PathBuf| !other.starts_with(&folder));
        whole.insert(folder);
    }
    (whole.into_iter().collect(), places.len() <= MOST)
}

/// The deepest folder that is enough to hide, or else the one that holds most. Never the workspace itself.
fn worth_hiding(places: &[Guarded], too_many: usize) -> Option<PathBuf> {
    let mut holds: BTreeMap<&Path, usize> = BTreeMap::new();
    for place in places.iter().filter(|place| place.cover == Cover::Absent) {
        let above = place.path.ancestors().skip(1);
        for folder in above.filter(|folder| !folder.as_os_str().is_empty()) {
            *holds.entry(folder).or_default() += 1;
        }
    }
    let enough = holds.iter().filter(|(_, count)| **count > too_many);
    let deepest = enough.max_by_key(|(folder, count)| (folder.components().count(), Reverse(**count)));
    let fullest = || {
        let several = holds.iter().filter(|(_, count)| **count > 1);
        several.max_by_key(|(_, count)| **count)
    };
    deepest.or_else(fullest).map(|(folder, _)| (*folder).to_owned())
}

/// Notes which file or folder each of the places is, so that nothing else is covered in its stead. Answers whether all
/// are there.
///
/// What the user can't get at is hidden with the folder that keeps it. What lies below something hidden needs no cover.
pub(super) fn identify(root: &Root, places: Vec<Guarded>) -> (Vec<Guarded>, bool) {
    let (mut found, mut hidden, mut all) = (Vec::new(), BTreeSet::new(), true);
    for mut place in places {
        let mut known = about_at(root, &place.path);
        while known == Err(Errno::ACCESS) && place.path.pop() {
            known = about_at(root, &place.path);
            place.cover = Cover::Absent;
        }
        let nothing = place.path.as_os_str().is_empty();
        all &= known.is_ok() && !nothing;
        if nothing || place.path.ancestors().any(|path| hidden.contains(path)) {
            continue;
        }
        place.identity = known.ok().map(|about| about.identity);
        if place.cover == Cover::Absent {
            hidden.insert(place.path.clone());
        }
        found.push(place);
    }
    (found, all)
}

/// What was listed, and how each folder was just before: a folder that is moved while others are listed may be seen
/// nowhere.
#[derive(Debug, Default)]
pub(super) struct Listed(Vec<(PathBuf, About, i64)>);

impl Listed {
    /// That the folder is about to be listed.
    pub(super) fn note(&mut self, path: &Path, about: About) {
        self.0.push((path.to_owned(), about, now()));
    }

    /// Whether all of it is still as it was: then it was so all at once.
    pub(super) fn holds(&self, root: &Root) -> bool {
        self.0.iter().all(|(path, was, at)| {
            let settled = was.changed < at.saturating_sub(STEP);
            settled && about_at(root, path) == Ok(*was)
        })
    }
}

fn about_at(root: &Root, path: &Path) -> Result<About, Errno> {
    about(root.reach(path, OFlags::PATH)?, "".as_ref())
}

fn now() -> i64 {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(folder: &str, count: usize) -> Vec<Guarded> {
        let path = |number| PathBuf::from(format!("{folder}/.env.{number}"));
        (0..count)
            .map(|number| Guarded::new(path(number), Cover::Absent))
            .collect()
    }

    #[test]
    fn where_there_are_too_many_the_deepest_folder_that_is_enough_is_hidden_and_never_the_workspace() {
        let mut places = keys("a/many", 1_100);
        places.extend(keys("a/few", 50));
        places.extend(keys("b", 90));
        assert_eq!(by_folders(&mut places), (vec!["a/many".into()], true));
        assert_eq!(places.len(), 141);
        // No single one is enough.
        let mut places: Vec<Guarded> = (0..8).flat_map(|number| keys(&format!("{number}"), 300)).collect();
        let (whole, fits) = by_folders(&mut places);
        assert!(fits && whole.len() == 5, "{whole:?}");
        let mut at_the_top: Vec<Guarded> = keys("", 1_100);
        for place in &mut at_the_top {
            place.path = place.path.strip_prefix("/").map(Path::to_owned).unwrap_or_default();
        }
        assert_eq!(by_folders(&mut at_the_top), (Vec::new(), false));
    }
}
