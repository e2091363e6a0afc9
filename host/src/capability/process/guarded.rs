//! What a command may not change in its own workspace, and what it may not even see there: found by looking through the
//! workspace before each command.
//!
//! Git runs what its hooks and its configuration name, and trusts them because they lie in the repository; so do shells
//! and direnv with their start-up files. Keys are not for reading either. All of it lies where a command may write, so
//! each place is covered by a mount of its own. What is not there can't be covered; [`super::planted`] looks at that
//! afterwards.

use super::listing::{About, Entry, Identity, Root, about, enter, is_absent, list};
use super::lookups::Lookups;
use super::obeyed::{self, OBEYED, Obeyed};
use super::pointers::{Pointer, Trees};
use super::sorts::{Sort, sort};
use super::{Writes, covers, private};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// How a place is covered. One that comes later here holds more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Cover {
    /// It can be changed, but not renamed or replaced, since what is covered lies below it.
    Pinned,
    /// It can be read and not changed.
    ReadOnly,
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
}

impl Guarded {
    pub(super) fn new(path: PathBuf, cover: Cover) -> Guarded {
        Guarded {
            path,
            cover,
            identity: None,
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
    pub(super) shut: Vec<Identity>,
    /// The folders that could not be looked at after a command, and that it may have made.
    #[serde(skip)]
    pub(super) unseen: Vec<PathBuf>,
    /// Whether there was more than is looked at, or can be covered.
    pub(super) cut: bool,
    /// Folders that are covered whole, since there is too much in them for one cover each.
    #[serde(skip)]
    pub(super) whole: Vec<PathBuf>,
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
const MOST_ENTRIES: usize = 200_000;
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
    fn writes(self) -> bool {
        !matches!(self, Look::Unasked(Writes::Refused))
    }
}

impl Sort {
    fn cover(self, look: Look<'_>) -> Option<Cover> {
        match (self, look) {
            (Sort::Key | Sort::KeyByWay, _) | (Sort::Variables | Sort::Secret, Look::Unasked(_)) => {
                Some(Cover::Absent)
            }
            (Sort::Secret, _) => None,
            _ => look.writes().then_some(Cover::ReadOnly),
        }
    }
}

/// A folder that is still to be looked at.
struct Waiting {
    path: PathBuf,
    /// Whether a cover lies over it, so that nothing in it needs one.
    covered: bool,
    /// Whether the names in it are those of branches.
    branches: bool,
}

/// Looks through `workspace`: every folder of it, since git takes each for a repository that looks like one, wherever it
/// lies. `protected` holds the operator's patterns (`dispatcher.protected`).
pub(super) fn survey(workspace: &Path, protected: &[String], look: Look<'_>) -> Survey {
    let most = match look {
        Look::Before => MOST_ENTRIES,
        Look::Unasked(_) | Look::After(_) => MOST_ENTRIES_AFTER,
    };
    survey_of(workspace, protected, look, most)
}

/// [`survey`], where at most so many entries are looked at.
fn survey_of(workspace: &Path, protected: &[String], look: Look<'_>, most: usize) -> Survey {
    let mut survey = Survey {
        taken: now(),
        ..Survey::default()
    };
    let Ok(root) = Root::open(workspace) else {
        survey.cut = true;
        survey.unseen.push(PathBuf::new());
        return survey;
    };
    let (mut names, mut ways) = (Vec::new(), BTreeSet::new());
    let mut repositories = Vec::new();
    let (unasked, mut reader) = (matches!(look, Look::Unasked(_)), private::Reader::default());
    let (mut listed, mut gone, mut own_seen) = (covers::Listed::default(), false, false);
    // The workspace's own repository comes first, so that no heap of files can keep it from being looked at.
    let first = |path: &str| Waiting {
        path: path.into(),
        covered: false,
        branches: false,
    };
    let mut waiting = VecDeque::from([first(".git"), first("")]);
    let mut seen = 0;
    while let Some(folder) = waiting.pop_front() {
        let opened = root.reach(&folder.path, OFlags::RDONLY | OFlags::DIRECTORY);
        // One more than is looked at shows that there is more.
        let entries = opened.and_then(|opened| {
            enter(&opened)?;
            if unasked {
                listed.note(&folder.path, about(&opened, "".as_ref())?);
            }
            list(opened, most + 1)
        });
        let entries = match entries {
            Ok(entries) => {
                own_seen |= folder.path == Path::new(".git");
                entries
            }
            Err(error) if is_absent(error) => {
                gone |= folder.path != Path::new(".git");
                continue;
            }
            Err(error) => match survey.shut(&root, &folder.path, folder.covered, error, look) {
                Some(entries) => entries,
                None => continue,
            },
        };
        seen += entries.len() + 1;
        if seen > most && folder.path != Path::new(".git") {
            survey.cut = true;
            // Where there was too much before as well, it was never told apart.
            if matches!(look, Look::After(before) if !before.cut) {
                survey.unseen.push(folder.path);
            }
            break;
        }
        let repository = is_repository(&folder.path, &entries);
        if repository && look.writes() {
            repositories.extend(survey.note_repository(&root, &folder, &entries));
        }
        for entry in entries {
            // It was looked at already.
            if own_seen && entry.name == ".git" && folder.path.as_os_str().is_empty() && entry.is_folder() {
                continue;
            }
            let path = folder.path.join(&entry.name);
            if look.writes() {
                survey.pointers.extend(Pointer::read(&root, workspace, &path, &entry));
            }
            let own = Waiting {
                covered: folder.covered,
                branches: folder.branches || repository && is_any(&entry.name, &["refs", "logs"]),
                path: path.clone(),
            };
            let sort = if repository && is_any(&entry.name, &OBEYED) {
                Some(Sort::Obeyed)
            } else if own.branches || own.covered {
                None
            } else {
                let mut looked_into = || unasked && entry.is_file() && reader.holds_a_secret(&root, &path);
                sort(workspace, &path, &entry, protected).or_else(|| looked_into().then_some(Sort::Secret))
            };
            let sort = sort.filter(|_| entry.is_folder() || entry.is_file());
            let cover = sort.and_then(|sort| sort.cover(look));
            if let (Some(sort), Some(cover)) = (sort, cover.filter(|_| !folder.covered)) {
                if matches!(sort, Sort::Variables | Sort::Started) {
                    survey.kept.extend(kept(&root, &folder.path, &path));
                }
                // By another way it would be another place.
                if sort == Sort::KeyByWay && look.writes() {
                    ways.extend(folder.path.ancestors().map(Path::to_owned));
                }
                let places = if sort == Sort::Obeyed {
                    &mut survey.guarded
                } else {
                    &mut names
                };
                places.push(Guarded::new(path, cover));
            }
            if entry.is_folder() {
                waiting.push_back(Waiting {
                    covered: own.covered || cover.is_some(),
                    ..own
                });
            }
        }
    }
    let mut elsewhere = BTreeSet::new();
    let (trees, lookups) = (Trees::of(workspace, &survey.pointers), Lookups::default());
    for (path, identity, entries) in repositories {
        let others = trees.of_repository(&workspace.join(&path));
        let (obeyed, places) = obeyed::look(&root, workspace, &path, &entries, &others, &lookups);
        elsewhere.extend(places);
        let cut = lookups.fell_short();
        survey.cut |= cut;
        survey.repositories.push(Repository {
            path,
            identity,
            obeyed,
            cut,
        });
    }
    ways.remove(Path::new(""));
    let own = std::mem::take(&mut survey.guarded);
    let places = covers::by_importance(own, ways, names, elsewhere);
    if unasked {
        let (mut places, all) = covers::identify(&root, covers::in_order(places));
        let (whole, fits) = covers::by_folders(&mut places);
        // Those that are covered whole are others.
        let (guarded, still) = covers::identify(&root, places);
        survey.cut |= !fits;
        survey.steady = all && still && !gone && listed.holds(&root);
        (survey.guarded, survey.whole) = (guarded, whole);
    } else {
        let (guarded, more) = covers::as_many_as_possible(places);
        survey.cut |= more;
        survey.guarded = guarded;
    }
    survey
}

impl Survey {
    /// Answers what is to be looked at when all that leads there is known.
    fn note_repository(
        &mut self,
        root: &Root,
        folder: &Waiting,
        entries: &[Entry],
    ) -> Option<(PathBuf, Identity, Vec<Entry>)> {
        let path = &folder.path;
        let identity = match root.about(path) {
            Ok(about) => about.identity,
            Err(error) => {
                self.unseen.extend((!is_absent(error)).then(|| path.clone()));
                return None;
            }
        };
        if !folder.covered && !path.as_os_str().is_empty() {
            self.guarded.push(Guarded::new(path.clone(), Cover::Pinned));
        }
        let obeyed = entries.iter().filter(|entry| is_any(&entry.name, &OBEYED));
        Some((path.clone(), identity, obeyed.cloned().collect()))
    }
}

/// A little in the past: file systems note times in steps.
fn now() -> i64 {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    let since = since.saturating_sub(std::time::Duration::from_secs(1));
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

fn kept(root: &Root, folder: &Path, path: &Path) -> Option<Kept> {
    Some(Kept {
        path: path.to_owned(),
        folder: root.about(folder).ok()?.identity,
        about: root.about(path).ok()?,
    })
}

/// A folder that git takes for a repository: by its name, or by what is in it, as bare ones, modules and work trees are.
fn is_repository(folder: &Path, entries: &[Entry]) -> bool {
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
