//! Folders that can't be looked into, before commands and after them: they can't be listed or entered, or lie too deep.

use super::guarded::{Cover, Guarded, Look, MOST_ENTRIES_AFTER, Survey};
use super::listing::{Entry, Root, is_absent};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::path::{Path, PathBuf};

/// Most places that are named as not looked at. When those are gone, others are.
const MOST_NAMED: usize = 10;
/// How many names of one that lies too deep are said: the way to it is no way for a person.
const SAID: usize = 8;

impl Survey {
    /// That a folder was not looked at, and that a command may have made it.
    pub(super) fn overlook(&mut self, path: &Path) {
        if self.unseen.len() < MOST_NAMED {
            self.unseen.push(path.to_owned());
        }
    }

    /// Notes the folder at `path`, which lies too deep to be looked into. It is not there for commands, unless it is `covered`
    /// anyway; so one that was there before holds what it held. One that has come to be there is owed.
    pub(super) fn too_deep(&mut self, root: &Root, path: &Path, covered: bool, look: Look<'_>) -> Option<Guarded> {
        let identity = match root.about(path) {
            Err(error) if is_absent(error) => return None,
            about => about.map(|about| about.identity),
        };
        if let Look::After(before) = look
            && (before.cut || !identity.is_ok_and(|own| before.deep.contains(&own)))
        {
            let above: PathBuf = path.iter().take(SAID).collect();
            if !self.unseen.contains(&above) {
                self.overlook(&above);
            }
        }
        self.deep.extend(identity);
        (!covered).then(|| Guarded::new(path.to_owned(), Cover::Absent))
    }

    /// Notes the folder at `path`, which can't be listed or entered because of `error`. It can be all the same by whoever
    /// knows a name in it, or gives itself the right; so it is not there for commands, unless it is `covered` anyway.
    /// Afterwards it is opened, with what leads there, unless it was so before. What can't be opened then is owed.
    pub(super) fn shut(
        &mut self,
        root: &Root,
        path: &Path,
        covered: bool,
        error: Errno,
        look: Look<'_>,
    ) -> Option<Vec<Entry>> {
        if let Look::After(before) = look {
            if error == Errno::ACCESS
                && before.open_up(root, path)
                && let Ok(entries) = root.list(path, MOST_ENTRIES_AFTER + 1)
            {
                return Some(entries);
            }
            if !before.knows_shut(root, path, error) {
                self.overlook(path);
            }
        }
        self.shut.extend(root.about(path).map(|about| about.identity));
        if !covered && !path.as_os_str().is_empty() {
            self.guarded.push(Guarded::new(path.to_owned(), Cover::Absent));
        }
        None
    }

    /// Opens the folder at `path`, and those above it, unless one of them was shut when this was taken.
    fn open_up(&self, root: &Root, path: &Path) -> bool {
        let mut ways: Vec<&Path> = path.ancestors().collect();
        ways.reverse();
        ways.into_iter().all(|way| {
            let was_shut = || root.about(way).is_ok_and(|own| self.shut.contains(&own.identity));
            let listed = || root.reach(way, OFlags::RDONLY | OFlags::DIRECTORY).is_ok();
            root.can_enter(way) && (way != path || listed()) || !was_shut() && root.open_up(way).is_ok()
        })
    }

    /// Whether the folder that is shut because of `error` was so when this was taken, or no command can have made it.
    fn knows_shut(&self, root: &Root, path: &Path, error: Errno) -> bool {
        match root.about(path) {
            Ok(about) => {
                self.shut.contains(&about.identity)
                    || self.cut && about.changed < self.taken
                    // Somebody else made it meanwhile, and gives nobody a right to it.
                    || error == Errno::ACCESS && root.is_anothers(path)
            }
            Err(gone) => is_absent(gone),
        }
    }
}
