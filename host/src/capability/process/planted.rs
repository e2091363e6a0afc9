//! What a command left behind that git would run or obey and that is not the operator's: found after each command, and
//! put out of git's reach.
//!
//! Hooks and configuration that exist are covered while a command runs ([`super::guarded`]). But a command may make
//! repositories, as `git init` does, and what was not there could not be covered; and a cover lies over a name, while a
//! file can have several and a folder above can be renamed. So the content decides: whatever git would run or obey that
//! it would not have before is renamed, and said. An operator whose prompt asks git about the folder would otherwise run
//! what the configuration names. The rename is by descriptor, without following links, since another command may be
//! running in the same workspace.

use super::elsewhere::WORD;
use super::guarded::{Kept, Repository, Survey};
use super::listing::{Identity, Root, is_absent, put_away};
use super::pointers::Pointer;
use super::time::Time;
use rustix::fs::{FileType, OFlags};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What is added to a name.
const ENDING: &str = "untrusted";

/// What was done about what is not the operator's.
#[derive(Debug, Default)]
pub(super) struct Done {
    /// In words.
    pub(super) notes: Vec<String>,
    /// What could not be put away, or not be looked at, beneath the workspace. It is still no operator's.
    pub(super) owed: BTreeSet<PathBuf>,
}

/// Compares the workspace with how it was `before`, and puts away what was not there. What there is no `time` for is owed.
pub(super) fn disarm(workspace: &Path, before: &Survey, after: &Survey, time: Time<'_>) -> Done {
    let mut done = Done::default();
    after.unseen.iter().for_each(|path| done.overlook(path));
    let Ok(root) = Root::open(workspace) else {
        done.overlook(Path::new(""));
        return done;
    };
    let known: BTreeMap<&Path, &Repository> = by_path(&before.repositories, |repository| &repository.path);
    for repository in &after.repositories {
        if done.is_late(time) {
            return done;
        }
        // The same folder at the same place. One that was moved is not what git would have found there.
        let known = known
            .get(repository.path.as_path())
            .filter(|known| known.identity == repository.identity);
        // What was not looked at before may have been there. No command can make it look older than it is.
        let unknown = known.map_or(before.cut, |known| known.cut);
        let older = |path: &Path| unknown && is_older(&root, path, before.taken);
        if repository.cut && !known.is_some_and(|known| known.cut) && !older(&repository.path) {
            done.overlook(&repository.path);
        }
        for (name, obeyed) in &repository.obeyed {
            let was = known.and_then(|known| known.obeyed.get(name));
            if obeyed.features.is_empty() || was.is_some_and(|was| obeyed.features.is_subset(&was.features)) {
                continue;
            }
            // A word need not mean the file that has come to be called so.
            if was.is_none() && name.starts_with(WORD) {
                continue;
            }
            if was.is_none() && older(&obeyed.path) {
                continue;
            }
            done.put_out_of_reach(&root, &obeyed.path, was.is_some());
        }
    }
    let pointers: BTreeMap<&Path, &Pointer> = by_path(&before.pointers, |pointer| &pointer.path);
    let identities: BTreeSet<(Identity, &Path, bool)> = before.pointers.iter().map(leading).collect();
    let kept: BTreeMap<&Path, &Kept> = by_path(&before.kept, |kept| &kept.path);
    for pointer in &after.pointers {
        if done.is_late(time) {
            return done;
        }
        let was = pointers.get(pointer.path.as_path());
        let same = was.is_some_and(|was| was.leads == pointer.leads && was.link == pointer.link);
        let known = same || identities.contains(&leading(pointer)) || kept.contains_key(pointer.path.as_path());
        let older = || before.cut && is_older(&root, &pointer.path, before.taken);
        if known || older() || pointer.is_confirmed(&root, workspace) {
            continue;
        }
        if leads_to_a_new_one(&root, workspace, pointer, before, after) {
            continue;
        }
        done.put_out_of_reach(&root, &pointer.path, was.is_some());
    }
    for kept in &before.kept {
        if done.is_late(time) {
            return done;
        }
        match replaced(&root, kept) {
            Ok(Some(place)) => done.put_another_away(&root, place),
            Ok(None) => {}
            Err(_) => done.overlook(&kept.path),
        }
    }
    done
}

fn by_path<T>(found: &[T], path: impl Fn(&T) -> &PathBuf) -> BTreeMap<&Path, &T> {
    found.iter().map(|one| (path(one).as_path(), one)).collect()
}

/// What tells a pointer wherever it is.
fn leading(pointer: &Pointer) -> (Identity, &Path, bool) {
    (pointer.identity, pointer.leads.as_path(), pointer.link)
}

/// Whether a repository is led to that is no older than what leads there, and is all there is of it: what it makes git run
/// was judged by itself.
fn leads_to_a_new_one(root: &Root, workspace: &Path, pointer: &Pointer, before: &Survey, after: &Survey) -> bool {
    let Ok(path) = pointer.leads.strip_prefix(workspace) else {
        return false;
    };
    let known = |now: &Repository| {
        let mut earlier = before.repositories.iter();
        earlier.any(|was| was.path == now.path || was.identity == now.identity)
    };
    let found = after.repositories.iter().find(|repository| repository.path == path);
    let whole = root.reach(&path.join("commondir"), OFlags::PATH).is_err_and(is_absent);
    !before.cut && !pointer.link && whole && found.is_some_and(|now| !known(now))
}

impl Done {
    fn put_out_of_reach(&mut self, root: &Root, path: &Path, known: bool) {
        let shown = shown(path);
        let how = if known { "changed" } else { "new" };
        match put_away(root, path, ENDING) {
            Ok(other) => self.notes.push(format!(
                "{shown} was {how}, and would make git run or obey something: it was renamed to {other}. A person may \
                 rename it back"
            )),
            // Another command has taken it away.
            Err(Errno::NOENT) => {}
            Err(error) => {
                self.owe(path);
                self.notes.push(format!(
                    "{shown} is {how}, and makes git run or obey something; it could not be renamed: {error}. {OWED}"
                ));
            }
        }
    }

    fn put_another_away(&mut self, root: &Root, path: &Path) {
        let shown = shown(path);
        match put_away(root, path, ENDING) {
            Ok(other) => self.notes.push(format!(
                "{shown} is not the one that was there, which can be read and not changed: it was renamed to {other}. A \
                 person may rename it back"
            )),
            Err(Errno::NOENT) => {}
            Err(error) => {
                self.owe(path);
                self.notes.push(format!(
                    "{shown} is not the one that was there, and could not be renamed: {error}. {OWED}"
                ));
            }
        }
    }

    /// Whether there is no more time. Then all is owed.
    fn is_late(&mut self, time: Time<'_>) -> bool {
        let late = time.is_over();
        if late {
            self.overlook(Path::new(""));
        }
        late
    }

    /// That it is not known what has come to be there.
    fn overlook(&mut self, path: &Path) {
        if self.owe(path) {
            self.notes.push(format!(
                "{} could not be looked through, and what git would run or obey there is not known. See that it can be \
                 listed, or delete what is too much or too deep: until then no command runs that no person was asked about",
                shown(path)
            ));
        }
    }

    /// Answers whether it was not owed yet.
    fn owe(&mut self, path: &Path) -> bool {
        self.owed.insert(path.to_owned())
    }
}

/// How a place beneath the workspace is called.
pub(super) fn shown(path: &Path) -> String {
    match path.as_os_str().is_empty() {
        true => "the workspace".to_owned(),
        false => path.display().to_string(),
    }
}

/// What follows from it.
const OWED: &str = "Rename or delete it: until then no command runs that no person was asked about";

/// What stands in the place of what can be read and not changed: another file, in another folder of the same name, or the
/// same one that was changed by another name of its own. Or a link on the way there.
fn replaced<'a>(root: &Root, kept: &'a Kept) -> Result<Option<&'a Path>, Errno> {
    let now = match root.about(&kept.path) {
        Ok(now) => now,
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => {
            // No link led there before.
            let above: Vec<&Path> = kept.path.ancestors().skip(1).collect();
            let link = above.into_iter().rev().find(|folder| is_link(root, folder));
            return match link {
                Some(link) => Ok(Some(link)),
                None if is_absent(error) => Ok(None),
                None => Err(error),
            };
        }
    };
    if now == kept.about {
        return Ok(None);
    }
    let in_the_same_folder = kept.path.parent().and_then(|folder| identity(root, folder)) == Some(kept.folder);
    // There, its cover holds. A person may have edited it meanwhile.
    if in_the_same_folder && now.names <= 1 {
        return Ok(None);
    }
    Ok(Some(&kept.path))
}

fn is_link(root: &Root, path: &Path) -> bool {
    let kind = root.reach(path, OFlags::PATH).and_then(rustix::fs::fstat);
    kind.is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_symlink())
}

fn is_older(root: &Root, path: &Path, than: i64) -> bool {
    root.about(path).is_ok_and(|about| about.changed < than)
}

fn identity(root: &Root, path: &Path) -> Option<Identity> {
    root.about(path).ok().map(|about| about.identity)
}

#[cfg(test)]
mod tests;
