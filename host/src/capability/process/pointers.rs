//! `.git` where it is no folder: it leads git to a repository that lies elsewhere, and makes a work tree of the folder that
//! it is in. Names in that repository's configuration then go from there.

use super::gitconfig;
use super::guarded::is_any;
use super::listing::{Entry, Identity, Root, about};
use super::obeyed;
use rustix::fs::{FileType, OFlags};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Such a file, or a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pointer {
    /// Beneath the workspace.
    #[serde(with = "super::bytes")]
    pub(super) path: PathBuf,
    pub(super) identity: Identity,
    /// Absolute, and without links where there is something.
    #[serde(with = "super::bytes")]
    pub(super) leads: PathBuf,
    /// Git itself makes none that is a link.
    pub(super) link: bool,
}

impl Pointer {
    /// What the entry at `path` is, if it leads somewhere.
    pub(super) fn read(root: &Root, workspace: &Path, path: &Path, entry: &Entry) -> Option<Pointer> {
        let link = entry.kind == FileType::Symlink;
        if !is_any(&entry.name, &[".git"]) || !(link || entry.is_file()) {
            return None;
        }
        let own = root.reach(path, OFlags::PATH).ok()?;
        let identity = about(&own, "".as_ref()).ok()?.identity;
        let place = workspace.join(path);
        let named = if link {
            place.clone()
        } else {
            let text = text(root, path)?;
            place.parent()?.join(text.strip_prefix("gitdir:")?.trim())
        };
        Some(Pointer {
            path: path.to_owned(),
            identity,
            leads: named.canonicalize().unwrap_or(named),
            link,
        })
    }

    /// The folder that it makes a work tree, beneath the workspace.
    pub(super) fn tree(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Whether the repository says so too, as it does where git made the work tree or the module.
    pub(super) fn is_confirmed(&self, root: &Root, workspace: &Path) -> bool {
        let (Ok(repository), false) = (self.leads.strip_prefix(workspace), self.link) else {
            return false;
        };
        let tree = workspace.join(self.tree());
        let is_own = |place: PathBuf| place.canonicalize().is_ok_and(|place| place == tree);
        if let Some(said) = text(root, &repository.join("gitdir")) {
            let file = self.leads.join(said.trim_end());
            return file.file_name().is_some_and(|name| name == ".git")
                && file.parent().is_some_and(|folder| is_own(folder.to_owned()));
        }
        let config = obeyed::bytes(root, &repository.join("config")).unwrap_or_default();
        let (settings, _) = gitconfig::settings(&config);
        let set = settings.iter().rfind(|one| one.kind() == "core.worktree");
        set.is_some_and(|set| is_own(self.leads.join(&set.value)))
    }
}

/// The work trees (absolute) that pointers make, by where those lead.
pub(super) struct Trees(BTreeMap<PathBuf, Vec<PathBuf>>);

impl Trees {
    pub(super) fn of(workspace: &Path, pointers: &[Pointer]) -> Trees {
        let mut trees: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
        for pointer in pointers {
            let tree = workspace.join(pointer.tree());
            trees.entry(pointer.leads.clone()).or_default().push(tree);
        }
        Trees(trees)
    }

    /// Those of the repository at `folder`, which is absolute.
    pub(super) fn of_repository(&self, folder: &Path) -> Vec<PathBuf> {
        let others = folder.join("worktrees");
        let below = self.0.range(others.clone()..);
        let below = below.take_while(|(leads, _)| leads.starts_with(&others));
        let own = self.0.get(folder).into_iter().chain(below.map(|(_, trees)| trees));
        own.flatten().cloned().collect()
    }
}

fn text(root: &Root, path: &Path) -> Option<String> {
    let bytes = obeyed::bytes(root, path)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
