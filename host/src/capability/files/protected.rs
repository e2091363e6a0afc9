//! What no grant opens: the host's own folders, the places where keys are kept, the names of such files anywhere, and what
//! the operator's patterns name.
//!
//! Gates have rules of their own, and finer ones, which look at what an action says. This is looked at last, on the
//! path that a name really led to.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::Way;
use crate::capability::{Bound, process};
use crate::config::Home;

/// What is closed to every skill of one daemon.
#[derive(Clone, Debug)]
pub struct Protected {
    /// The daemon's own places and those of keys, by all their names.
    places: Vec<PathBuf>,
    /// The operator's patterns.
    patterns: Vec<String>,
    /// The workspace, as it is named and as it is found.
    workspace: Vec<PathBuf>,
}

impl Protected {
    /// The places of the daemon in `home`, as they are now, and the operator's `patterns`.
    ///
    /// # Errors
    /// In words, when it can't be found out what they are called.
    pub fn find(home: &Home, patterns: &[String]) -> Result<Protected, String> {
        let places = process::every_name(&process::closed_places(home)).map_err(|error| error.to_string())?;
        let real = home.workspace.canonicalize().ok();
        Ok(Protected {
            places,
            patterns: patterns.to_vec(),
            workspace: real.into_iter().chain([home.workspace.clone()]).collect(),
        })
    }

    /// Why a grant of `bound` would open nothing, in words that begin with it: nothing where it opens something, may come to, or
    /// is none of files.
    pub fn why_useless(&self, bound: &Bound, workspace: &Path) -> Option<String> {
        let (folder, way) = match bound {
            Bound::FilesRead(folder) => (folder.locate(workspace), Way::Read),
            Bound::FilesWrite(folder) => (folder.locate(workspace), Way::Write),
            _ => return None,
        };
        let real = folder.canonicalize().ok();
        let why = [Some(&folder), real.as_ref()]
            .into_iter()
            .flatten()
            .find_map(|path| self.why_closed(path, way));
        let is_file = || folder.exists() && !folder.is_dir();
        let why =
            why.or_else(|| is_file().then_some("is no folder; a grant names the folder that holds the file"))?;
        Some(format!("`{bound}` would reach nothing: {} {why}", folder.display()))
    }

    /// Why `path`, absolute, as it is asked for or without symbolic links, is closed in this `way`: nothing if it is not.
    pub(super) fn why_closed(&self, path: &Path, way: Way) -> Option<&'static str> {
        if self.places.iter().any(|place| path.starts_with(place)) {
            return Some("is the host's own, or holds keys");
        }
        let mut roots = self.workspace.iter().filter(|root| path.starts_with(root));
        let root = roots.next().map_or(Path::new("/"), PathBuf::as_path);
        if process::is_in_protected(root, path, &self.patterns) {
            return Some("is protected by the setting dispatcher.protected");
        }
        let names: Vec<&OsStr> = path
            .components()
            .filter_map(|part| match part {
                Component::Normal(name) => Some(name),
                _ => None,
            })
            .collect();
        if process::is_key_place(&names) || names.iter().any(|name| process::is_key(name)) {
            return Some("is where keys and passwords are kept");
        }
        if names.iter().any(|name| process::is_environment(name)) {
            return Some("is an environment file, which may hold secrets");
        }
        if way == Way::Write && is_of_a_repository(path) {
            return Some(TRUSTED);
        }
        let repository = names.iter().position(|name| is_any(name, &[".git"]))?;
        let inside = &names[repository + 1..];
        match way {
            Way::Write => Some(TRUSTED),
            Way::Read if inside.iter().any(|name| is_any(name, &["config", "config.worktree"])) => {
                Some("is a repository's configuration, which may hold passwords")
            }
            Way::Read => None,
        }
    }
}

const TRUSTED: &str = "belongs to a repository's own files, which git runs and trusts";

/// Whether git would take a folder above `path` for one in which it keeps a repository, whatever it is called, were there
/// something at `path`: gitrepository-layout(5).
fn is_of_a_repository(path: &Path) -> bool {
    path.ancestors().skip(1).any(|folder| {
        let has = |name: &str| {
            let place = folder.join(name);
            place == path || place.symlink_metadata().is_ok()
        };
        has("HEAD") && (has("commondir") || (has("objects") && has("refs")))
    })
}

/// File systems may take both cases for one.
fn is_any(name: &OsStr, known: &[&str]) -> bool {
    known.iter().any(|own| name.eq_ignore_ascii_case(own))
}
