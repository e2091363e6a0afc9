//! How entries are covered, and which of them are for more than their names: for what is in them, for what git
//! has of them, and since they are the same file as one that is covered.

use super::super::guarded::{Cover, Guarded, Kept, Look, is_any};
use super::super::listing::{Entry, Identity, inside};
use super::super::sorts::Sort;
use super::{Beyond, Waiting, Walk};
use rustix::fs::{FileType, OFlags};
use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What git keeps in a folder of its own that is not called so, and that holds nothing a person wrote.
const GITS: [&str; 12] = [
    "branches",
    "hooks",
    "index",
    "info",
    "lfs",
    "logs",
    "modules",
    "objects",
    "packed-refs",
    "refs",
    "rr-cache",
    "worktrees",
];

/// Whether an entry of a repository is git's own: a bare one is known by its entries alone, and others may lie beside them.
pub(super) fn is_gits(repository: &Path, name: &OsStr) -> bool {
    let named = repository.file_name().is_some_and(|own| is_any(own, &[".git"]));
    named || is_any(name, &GITS)
}

/// What programs that only look obey in the home folder, which is the workspace: file(1), jq(1), less(1), lesskey(1), terminfo(5). Nobody has
/// looked into it.
const OBEYED_AT_HOME: [&str; 8] = [
    ".config/lesskey",
    ".jq",
    ".less",
    ".lesskey",
    ".local/share/lesskey",
    ".magic",
    ".magic.mgc",
    ".terminfo",
];

impl Walk<'_> {
    /// Covers the settings of a repository, or a copy of them, with the same without what opens anything: git must read them,
    /// and they may name who fetches, with a password. Answers whether it did.
    pub(super) fn reword_settings(&mut self, path: &Path, entry: &Entry) -> bool {
        let named = entry.name.as_encoded_bytes().get(..6);
        if !entry.is_file() || !named.is_some_and(|start| start.eq_ignore_ascii_case(b"config")) {
            return false;
        }
        if is_any(&entry.name, &["config", "config.worktree"]) {
            self.settings.push(path.to_owned());
        }
        let place = self.reworded(path);
        let hides = place.is_some();
        self.survey.guarded.extend(place);
        hides
    }

    /// Has what a repository keeps of every version there was lie where only git looks for it: in it is what was put aside,
    /// thrown away or never shared. Answers whether it did.
    fn set_apart(&mut self, repository: &Waiting, path: &Path, entry: &Entry) -> bool {
        if !is_any(&entry.name, &["objects"]) {
            return false;
        }
        let place = match entry.kind {
            FileType::Directory if self.is_surely(repository) => path.to_owned(),
            FileType::Symlink => match inside(self.workspace, &self.workspace.join(path)) {
                Some(place) if self.root.reach(&place.join("pack"), OFlags::PATH).is_ok() => place,
                _ => return false,
            },
            _ => return false,
        };
        self.survey.guarded.push(Guarded::new(place, Cover::Apart));
        true
    }

    /// Covers a folder of a repository in which is what no copy of it has. Answers whether it did.
    pub(super) fn keep_apart(&mut self, repository: &Waiting, path: &Path, entry: &Entry) -> bool {
        self.set_apart(repository, path, entry) || self.hide_remotes(repository, path, entry)
    }

    /// Hides where remote repositories are told in an old way, passwords included: gitrepository-layout(5).
    fn hide_remotes(&mut self, repository: &Waiting, path: &Path, entry: &Entry) -> bool {
        let old = entry.is_folder() && is_any(&entry.name, &["remotes", "branches"]);
        let holds = || self.root.list(path, 1).is_ok_and(|entries| !entries.is_empty());
        let hides = old && self.is_surely(repository) && holds();
        if hides {
            self.survey.guarded.push(Guarded::new(path.to_owned(), Cover::Absent));
        }
        hides
    }

    /// Hides the indexes of git that have what is private and was never committed. Without them git shows no more of what was
    /// added than without a repository, and says so.
    pub(super) fn hide_indexes(&mut self) {
        if self.unasked {
            let indexes = self.reader.showing(self.root);
            for (index, file) in indexes {
                self.survey.guarded.push(Guarded::new(index, Cover::Absent));
                self.survey.added.push(file);
            }
        }
    }

    /// Hides what changes what a program does by itself, wherever links lead from its name.
    pub(super) fn hide_what_is_obeyed(&mut self) {
        if self.unasked {
            let places = OBEYED_AT_HOME.map(|name| inside(self.workspace, &self.workspace.join(name)));
            let hidden = places.into_iter().flatten();
            self.names
                .extend(hidden.map(|place| Guarded::new(place, Cover::Absent)));
        }
    }

    /// Whether a folder is git's and nobody else's: others may have one of objects beside one of references.
    fn is_surely(&self, repository: &Waiting) -> bool {
        let path = &repository.path;
        let has = |name: &str| self.root.reach(&path.join(name), OFlags::PATH).is_ok();
        // It has these from the beginning.
        path.file_name().is_some_and(|own| is_any(own, &[".git"])) || has("objects/pack") || has("objects/info")
    }

    /// What an entry is whose name says `of_name`, by what is in it, and by what git has of it, where nobody was asked.
    pub(super) fn look_into(
        &mut self,
        path: &Path,
        entry: &Entry,
        of_name: Option<Sort>,
        gits: bool,
    ) -> Option<Sort> {
        if !self.unasked || !entry.is_file() {
            return of_name;
        }
        match of_name {
            // It can't be changed all the same.
            Some(Sort::Variables) if self.reader.is_tracked(self.root, path) => Some(Sort::Started),
            None if !gits && self.reader.holds_a_secret(self.root, path) => Some(Sort::Secret),
            of_name => of_name,
        }
    }

    /// Covers an entry.
    pub(super) fn cover(&mut self, folder: &Waiting, path: &Path, sort: Sort, cover: Cover) -> Result<(), Beyond> {
        let length = path.as_os_str().len();
        if matches!(sort, Sort::Variables | Sort::Started) {
            self.keep(length)?;
            self.survey.kept.extend(Kept::read(self.root, &folder.path, path));
        }
        // By another way it would be another place.
        if sort == Sort::KeyByWay && self.look.writes() {
            for way in folder.path.ancestors().take_while(|way| !way.as_os_str().is_empty()) {
                // Those above were noted with it.
                if self.ways.contains(way) {
                    break;
                }
                self.keep(way.as_os_str().len())?;
                self.ways.insert(way.to_owned());
            }
        }
        self.keep(length)?;
        let places = match sort {
            Sort::Obeyed => &mut self.survey.guarded,
            _ => &mut self.names,
        };
        places.push(Guarded::new(path.to_owned(), cover));
        Ok(())
    }

    /// Covers the other names in the workspace of each file that is not to be there. Nearly none has any.
    pub(super) fn cover_other_names(&mut self) {
        if matches!(self.look, Look::After(_)) {
            return;
        }
        let hidden: BTreeSet<PathBuf> = self
            .names
            .iter()
            .filter(|place| place.cover == Cover::Absent)
            .map(|place| place.path.clone())
            .collect();
        let linked = |path: &PathBuf| {
            let file = self.root.reach(path, OFlags::PATH).ok()?;
            let about = rustix::fs::fstat(&file).ok()?;
            let is_file = rustix::fs::FileType::from_raw_mode(about.st_mode).is_file();
            let known = self.root.about(path).ok()?;
            (is_file && known.names > 1).then_some(known.identity)
        };
        let linked: BTreeSet<Identity> = hidden.iter().filter_map(linked).collect();
        if linked.is_empty() {
            return;
        }
        let mut folders = VecDeque::from([PathBuf::new()]);
        let mut left = self.most.entries;
        while let Some(folder) = folders.pop_front() {
            for entry in self.root.list(&folder, left).unwrap_or_default() {
                let path = folder.join(&entry.name);
                left = left.saturating_sub(1);
                if hidden.contains(&path) {
                    continue;
                }
                if entry.is_folder() {
                    folders.push_back(path);
                } else if entry.is_file() && self.root.about(&path).is_ok_and(|own| linked.contains(&own.identity)) {
                    self.names.push(Guarded::new(path, Cover::Absent));
                }
            }
            if left == 0 || self.time.is_over() {
                self.survey.cut = true;
                self.survey.late |= self.time.is_over();
                return;
            }
        }
    }
}
