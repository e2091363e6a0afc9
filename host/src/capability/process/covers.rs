//! Which of the places that were found are covered when they are more than can be, and what must hold of them for a
//! command that no person was asked about.

use super::guarded::{Cover, Guarded};
use super::listing::{About, Root};
use super::time::Time;
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

/// All places, what matters most first: what lies in repositories or is shut (`own`), keys with the `ways` to them, what
/// git obeys `elsewhere`, and last what of `names` is only kept. A cloned script can name any number of places elsewhere.
///
/// The folders above those are pinned: with one of them they could be renamed away.
pub(super) fn by_importance(
    own: Vec<Guarded>,
    ways: BTreeSet<PathBuf>,
    names: Vec<Guarded>,
    elsewhere: BTreeSet<PathBuf>,
) -> Vec<Guarded> {
    let (keys, kept): (Vec<Guarded>, Vec<Guarded>) =
        names.into_iter().partition(|place| place.cover == Cover::Absent);
    let pinned = |path: PathBuf| Guarded::new(path, Cover::Pinned);
    let mut known: BTreeSet<PathBuf> = own.iter().map(|place| place.path.clone()).collect();
    known.extend(ways.iter().cloned());
    known.insert(PathBuf::new());
    let mut all = own;
    all.extend(ways.into_iter().map(pinned));
    all.extend(keys);
    for place in elsewhere {
        for way in place.ancestors().skip(1) {
            if known.insert(way.to_owned()) {
                all.push(pinned(way.to_owned()));
            }
        }
        all.push(Guarded::new(place, Cover::ReadOnly));
    }
    all.extend(kept);
    all
}

/// The places in the order in which they must be covered: a folder before what is in it, and of two covers over one place
/// last the one that holds more.
pub(super) fn in_order(mut places: Vec<Guarded>) -> Vec<Guarded> {
    places.sort_by_cached_key(|place| (place.path.iter().count(), place.cover));
    places
}

/// The same, with one cover over each place: the one that holds most. What is read instead of a file is another file.
pub(super) fn one_each(mut places: Vec<Guarded>) -> Vec<Guarded> {
    places.sort_by_cached_key(|place| Reverse((place.cover, place.instead.is_some())));
    let mut known = BTreeSet::new();
    places.retain(|place| known.insert(place.path.clone()));
    in_order(places)
}

/// As many of the places as can be covered, in order, and whether some stay open. What matters most comes first.
pub(super) fn as_many_as_possible(mut places: Vec<Guarded>) -> (Vec<Guarded>, bool) {
    let more = places.len() > MOST;
    places.truncate(MOST);
    (in_order(places), more)
}

/// Hides whole folders until what is left of `places` can be covered. Answers those folders, and whether it can in time.
pub(super) fn by_folders(places: &mut Vec<Guarded>, time: Time<'_>) -> (Vec<PathBuf>, bool) {
    let mut whole = BTreeSet::new();
    while places.len() > MOST && whole.len() < MOST_WHOLE {
        let too_many = places.len() - MOST;
        let Some(folder) = worth_hiding(places, too_many, time) else {
            break;
        };
        places.retain(|place| !place.path.starts_with(&folder));
        places.push(Guarded::new(folder.clone(), Cover::Absent));
        whole.retain(|other: &PathBuf| !other.starts_with(&folder));
        whole.insert(folder);
    }
    (whole.into_iter().collect(), places.len() <= MOST)
}

/// The deepest folder that is enough to hide, or else the one that holds most. Never the workspace itself, and none where
/// there is no more time.
fn worth_hiding(places: &[Guarded], too_many: usize, time: Time<'_>) -> Option<PathBuf> {
    let mut holds: BTreeMap<&Path, usize> = BTreeMap::new();
    for place in places.iter().filter(|place| place.cover == Cover::Absent) {
        if time.is_over() {
            return None;
        }
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
/// are there, as far as there is time.
///
/// What the user can't get at is hidden with the folder that keeps it. What lies below something hidden needs no cover.
pub(super) fn identify(root: &Root, places: Vec<Guarded>, time: Time<'_>) -> (Vec<Guarded>, bool) {
    let (mut found, mut hidden, mut all) = (Vec::new(), BTreeSet::new(), true);
    for mut place in places {
        if time.is_over() {
            return (found, false);
        }
        let mut known = root.about(&place.path);
        while known == Err(Errno::ACCESS) && place.path.pop() {
            known = root.about(&place.path);
            place.cover = Cover::Absent;
        }
        let nothing = place.path.as_os_str().is_empty();
        all &= known.is_ok() && !nothing;
        if nothing || place.path.ancestors().any(|path| hidden.contains(path)) {
            continue;
        }
        place.identity = known.ok().map(|about| about.identity);
        if matches!(place.cover, Cover::Apart | Cover::Absent) {
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

    /// Whether all of it is still as it was: then it was so all at once. Where there is no more time it is not known.
    pub(super) fn holds(&self, root: &Root, time: Time<'_>) -> bool {
        self.0.iter().all(|(path, was, at)| {
            let settled = was.changed < at.saturating_sub(STEP);
            settled && !time.is_over() && root.about(path) == Ok(*was)
        })
    }
}

fn now() -> i64 {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const MINUTE: Duration = Duration::from_secs(60);

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
        assert_eq!(by_folders(&mut places, Time::of(MINUTE)), (vec!["a/many".into()], true));
        assert_eq!(places.len(), 141);
        // No single one is enough.
        let mut places: Vec<Guarded> = (0..8).flat_map(|number| keys(&format!("{number}"), 300)).collect();
        let (whole, fits) = by_folders(&mut places, Time::of(MINUTE));
        assert!(fits && whole.len() == 5, "{whole:?}");
        let mut at_the_top: Vec<Guarded> = keys("", 1_100);
        for place in &mut at_the_top {
            place.path = place.path.strip_prefix("/").map(Path::to_owned).unwrap_or_default();
        }
        assert_eq!(by_folders(&mut at_the_top, Time::of(MINUTE)), (Vec::new(), false));
    }

    #[test]
    fn what_is_named_elsewhere_pushes_out_neither_what_repositories_have_nor_keys() {
        let own = [".git", ".git/config", ".git/hooks"].map(|path| Guarded::new(path.into(), Cover::ReadOnly));
        let mut names = keys("z", 5);
        names.push(Guarded::new(".bashrc".into(), Cover::ReadOnly));
        let elsewhere = (0..1_000).map(|number| format!("a{number}/script").into()).collect();
        let ways = BTreeSet::from(["z".into()]);
        let places = by_importance(own.to_vec(), ways, names.clone(), elsewhere);
        let (covered, more) = as_many_as_possible(places);
        assert!(more && covered.len() == MOST);
        for place in own.iter().chain(&names[..5]) {
            assert!(covered.contains(place), "{place:?}");
        }
        assert!(!covered.contains(&names[5]));
        for (at, place) in covered.iter().enumerate() {
            let folder = place.path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let before = |folder| covered[..at].iter().any(|other| other.path == folder);
            assert!(folder.is_none_or(before), "{place:?}");
        }
    }
}
