//! The way through a workspace, folder by folder, nearest first.
//!
//! What lies there is a command's to choose. So everything about the way is bounded: entries, what is kept of their paths,
//! how deep it goes, and time. What is beyond a bound is never taken for looked at.

use super::guarded::{
    Cover, Guarded, Look, MOST_ENTRIES, MOST_ENTRIES_AFTER, Repository, Survey, is_any, is_repository,
};
use super::listing::{Entry, Identity, Root, about, enter, is_absent, list};
use super::lookups::Lookups;
use super::obeyed::{self, OBEYED};
use super::pointers::{Pointer, Trees};
use super::sorts::{Sort, sort};
use super::time::Time;
use super::{covers, private};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

mod contents;
mod settings;

/// How deep folders are looked into: levels, and bytes of the path, of which a thousand must fit in a message, each byte
/// escaped. Nothing that a person makes comes near.
const DEEPEST: usize = 256;
const LONGEST: usize = 8_000;
/// Most that is kept of paths, and of what was found there, in bytes: some 100 for each of a million.
const ROOM: usize = 128 << 20;
/// What keeping one takes beside its path.
const EACH: usize = 100;

/// Most that is looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Most {
    pub(super) entries: usize,
    /// Of paths, and of what was found there.
    pub(super) bytes: usize,
}

impl Most {
    fn of(look: Look<'_>) -> Most {
        Most {
            entries: match look {
                Look::Before => MOST_ENTRIES,
                Look::Unasked(_) | Look::After(_) => MOST_ENTRIES_AFTER,
            },
            bytes: ROOM,
        }
    }
}

/// Why the way ends before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beyond {
    /// There is more than is looked at.
    Much,
    /// There is no more time.
    Time,
}

/// A folder that is still to be looked at.
struct Waiting {
    path: PathBuf,
    /// How many folders lie above it.
    depth: usize,
    /// Whether a cover lies over it, so that nothing in it needs one.
    covered: bool,
    /// Whether the names in it are those of branches.
    branches: bool,
    /// Whether it is git's own.
    gits: bool,
}

impl Waiting {
    fn is_own(&self) -> bool {
        self.path == Path::new(".git")
    }
}

/// Looks through `workspace`: every folder of it, since git takes each for a repository that looks like one, wherever it
/// lies. `protected` holds the operator's patterns (`dispatcher.protected`).
pub(super) fn survey(workspace: &Path, protected: &[String], look: Look<'_>, time: Time<'_>) -> Survey {
    survey_of(workspace, protected, look, Most::of(look), time)
}

/// [`survey`], where at most so much is looked at.
pub(super) fn survey_of(
    workspace: &Path,
    protected: &[String],
    look: Look<'_>,
    most: Most,
    time: Time<'_>,
) -> Survey {
    let mut survey = Survey::begun();
    let Ok(root) = Root::open(workspace) else {
        survey.cut = true;
        survey.unseen.push(PathBuf::new());
        return survey;
    };
    let mut walk = Walk {
        root: &root,
        workspace,
        protected,
        look,
        time,
        most,
        unasked: matches!(look, Look::Unasked(_)),
        survey,
        waiting: VecDeque::new(),
        repositories: Vec::new(),
        names: Vec::new(),
        settings: Vec::new(),
        ways: BTreeSet::new(),
        listed: covers::Listed::default(),
        reader: private::Reader::default(),
        room: most.bytes,
        seen: 0,
        own_seen: false,
        gone: false,
    };
    walk.go();
    walk.follow_settings();
    walk.hide_indexes();
    walk.hide_what_is_obeyed();
    walk.cover_other_names();
    let elsewhere = walk.look_into_repositories();
    walk.choose(elsewhere)
}

struct Walk<'a> {
    root: &'a Root,
    workspace: &'a Path,
    protected: &'a [String],
    look: Look<'a>,
    time: Time<'a>,
    most: Most,
    unasked: bool,
    survey: Survey,
    waiting: VecDeque<Waiting>,
    /// What is to be looked at when all that leads there is known.
    repositories: Vec<(PathBuf, Identity, Vec<Entry>)>,
    /// What is covered for its name.
    names: Vec<Guarded>,
    /// The configurations of repositories, where nobody was asked.
    settings: Vec<PathBuf>,
    /// Folders by which something is known for what it is.
    ways: BTreeSet<PathBuf>,
    listed: covers::Listed,
    reader: private::Reader,
    /// What is left of it.
    room: usize,
    /// How many entries there were.
    seen: usize,
    /// Whether the workspace's own repository was looked at.
    own_seen: bool,
    /// Whether something was taken away meanwhile.
    gone: bool,
}

impl Walk<'_> {
    fn go(&mut self) {
        // The workspace's own repository comes first, so that no heap of files can keep it from being looked at.
        for path in [".git", ""] {
            self.waiting.push_back(Waiting {
                path: path.into(),
                depth: Path::new(path).iter().count(),
                covered: false,
                branches: false,
                gits: false,
            });
        }
        while let Some(folder) = self.waiting.pop_front() {
            self.room += folder.path.as_os_str().len() + EACH;
            if let Err(beyond) = self.look_at(&folder) {
                self.end(beyond, &folder.path);
                break;
            }
        }
    }

    /// Takes room for something to be kept.
    fn keep(&mut self, bytes: usize) -> Result<(), Beyond> {
        self.room = self.room.checked_sub(bytes + EACH).ok_or(Beyond::Much)?;
        Ok(())
    }

    fn in_time(&self) -> Result<(), Beyond> {
        if self.time.is_over() { Err(Beyond::Time) } else { Ok(()) }
    }

    /// What is at `path`, and what would have come later, is not looked at.
    fn end(&mut self, beyond: Beyond, path: &Path) {
        self.survey.cut = true;
        self.survey.late |= beyond == Beyond::Time;
        if let Look::After(before) = self.look {
            // Where it was so before as well, it was never told apart.
            let was_so = match beyond {
                Beyond::Much => before.cut,
                Beyond::Time => before.late,
            };
            match beyond {
                _ if was_so => {}
                Beyond::Much => self.survey.overlook(path),
                // Another look may get further, or less far.
                Beyond::Time => self.survey.overlook(Path::new("")),
            }
        }
    }

    fn look_at(&mut self, folder: &Waiting) -> Result<(), Beyond> {
        self.in_time()?;
        if folder.depth > DEEPEST || folder.path.as_os_str().len() > LONGEST {
            self.keep(folder.path.as_os_str().len())?;
            let hidden = self.survey.too_deep(self.root, &folder.path, folder.covered, self.look);
            self.names.extend(hidden);
            return Ok(());
        }
        let Some(entries) = self.list(folder)? else {
            return Ok(());
        };
        self.seen += entries.len() + 1;
        if self.seen > self.most.entries && !folder.is_own() {
            return Err(Beyond::Much);
        }
        let repository = is_repository(&folder.path, &entries);
        if repository && self.look.writes() {
            self.note_repository(folder, &entries)?;
        }
        for entry in entries {
            self.in_time()?;
            // It was looked at already.
            let again = self.own_seen && entry.name == ".git" && folder.path.as_os_str().is_empty();
            if !(again && entry.is_folder()) {
                self.look_at_entry(folder, repository, &entry)?;
            }
        }
        Ok(())
    }

    /// What is in a folder. `None` where it can't be looked into.
    fn list(&mut self, folder: &Waiting) -> Result<Option<Vec<Entry>>, Beyond> {
        if self.unasked {
            self.keep(folder.path.as_os_str().len())?;
        }
        let opened = self.root.reach(&folder.path, OFlags::RDONLY | OFlags::DIRECTORY);
        // One more than is looked at shows that there is more.
        let entries = opened.and_then(|opened| {
            enter(&opened)?;
            if self.unasked {
                self.listed.note(&folder.path, about(&opened, "".as_ref())?);
            }
            list(opened, self.most.entries + 1)
        });
        match entries {
            Ok(entries) => {
                self.own_seen |= folder.is_own();
                Ok(Some(entries))
            }
            Err(error) if is_absent(error) => {
                self.gone |= !folder.is_own();
                Ok(None)
            }
            // The workspace itself can't be hidden.
            Err(Errno::TOOBIG) if folder.path.as_os_str().is_empty() => Err(Beyond::Much),
            Err(error) => Ok(self
                .survey
                .shut(self.root, &folder.path, folder.covered, error, self.look)),
        }
    }

    fn note_repository(&mut self, folder: &Waiting, entries: &[Entry]) -> Result<(), Beyond> {
        let path = &folder.path;
        let identity = match self.root.about(path) {
            Ok(about) => about.identity,
            Err(error) => {
                if !is_absent(error) {
                    self.survey.overlook(path);
                }
                return Ok(());
            }
        };
        self.keep(2 * path.as_os_str().len())?;
        if !folder.covered && !path.as_os_str().is_empty() {
            self.survey.guarded.push(Guarded::new(path.clone(), Cover::Pinned));
        }
        let obeyed = entries.iter().filter(|entry| is_any(&entry.name, &OBEYED));
        let obeyed = obeyed.cloned().collect();
        self.repositories.push((path.clone(), identity, obeyed));
        Ok(())
    }

    fn look_at_entry(&mut self, folder: &Waiting, repository: bool, entry: &Entry) -> Result<(), Beyond> {
        let mut path = folder.path.join(&entry.name);
        let length = path.as_os_str().len();
        if self.look.writes()
            && let Some(pointer) = Pointer::read(self.root, self.workspace, &path, entry)
        {
            self.keep(length + pointer.leads.as_os_str().len())?;
            self.survey.pointers.push(pointer);
        }
        let branches = folder.branches || repository && is_any(&entry.name, &["refs", "logs"]);
        if self.unasked && repository && !folder.covered && self.reword_settings(&path, entry) {
            return Ok(());
        }
        let apart = self.unasked && repository && !folder.covered && self.keep_apart(folder, &path, entry);
        let gits = folder.gits || repository && contents::is_gits(&folder.path, &entry.name);
        let sort = if repository && is_any(&entry.name, &OBEYED) {
            Some(Sort::Obeyed)
        } else if branches || folder.covered || apart {
            None
        } else {
            let of_name = sort(self.workspace, &path, entry, self.protected);
            self.look_into(&path, entry, of_name, gits)
        };
        let sort = sort.filter(|_| entry.is_folder() || entry.is_file());
        let cover = sort.and_then(|sort| sort.cover(self.look));
        if let (Some(sort), Some(cover)) = (sort, cover.filter(|_| !folder.covered)) {
            self.cover(folder, &path, sort, cover)?;
        }
        if entry.is_folder() {
            self.keep(length)?;
            // What was joined may hold twice as much.
            path.shrink_to_fit();
            self.waiting.push_back(Waiting {
                depth: folder.depth + 1,
                covered: folder.covered || apart || cover.is_some(),
                branches,
                gits,
                path,
            });
        }
        Ok(())
    }

    /// Notes what git obeys in the repositories, and answers the places elsewhere from which they take more.
    fn look_into_repositories(&mut self) -> BTreeSet<PathBuf> {
        let mut elsewhere = BTreeSet::new();
        let trees = Trees::of(self.workspace, &self.survey.pointers);
        let lookups = Lookups::default();
        for (path, identity, entries) in std::mem::take(&mut self.repositories) {
            let others = trees.of_repository(&self.workspace.join(&path));
            let (obeyed, places) = obeyed::look(self.root, self.workspace, &path, &entries, &others, &lookups);
            let texts = obeyed.iter().flat_map(|(name, own)| own.features.iter().chain([name]));
            let paths = obeyed.values().map(|own| &own.path).chain(&places);
            let lengths = texts.map(String::len).chain(paths.map(|path| path.as_os_str().len()));
            let bytes = lengths.map(|length| length + EACH).sum();
            if let Err(beyond) = self.in_time().and_then(|()| self.keep(bytes)) {
                self.end(beyond, &path);
                break;
            }
            elsewhere.extend(places);
            let cut = lookups.fell_short();
            self.survey.cut |= cut;
            self.survey.repositories.push(Repository {
                path,
                identity,
                obeyed,
                cut,
            });
        }
        elsewhere
    }

    /// Chooses what is covered.
    fn choose(mut self, elsewhere: BTreeSet<PathBuf>) -> Survey {
        let own = std::mem::take(&mut self.survey.guarded);
        let places = covers::by_importance(own, self.ways, self.names, elsewhere);
        let mut survey = self.survey;
        if !self.unasked {
            let (guarded, more) = covers::as_many_as_possible(places);
            survey.cut |= more;
            survey.guarded = guarded;
            return survey;
        }
        let (root, time) = (self.root, self.time);
        let (mut places, all) = covers::identify(root, covers::one_each(places), time);
        let (whole, fits) = covers::by_folders(&mut places, time);
        // Those that are covered whole are others.
        let (guarded, still) = covers::identify(root, places, time);
        survey.steady = all && still && !self.gone && self.listed.holds(root, time);
        survey.late |= time.is_over();
        survey.cut |= !fits || survey.late;
        (survey.guarded, survey.whole) = (guarded, whole);
        survey
    }
}
