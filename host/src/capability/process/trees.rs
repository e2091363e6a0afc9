//! The work trees of a repository, as far as it knows them itself: gitrepository-layout(5).

use super::gitconfig::settings;
use super::listing::Root;
use super::obeyed;
use std::path::{Path, PathBuf};

/// Most work trees that are looked for: the others are found by the `.git` in them.
const MOST: usize = 1_000;

/// Where the repository's files may be checked out: beside it, where its configuration says, and its other work trees.
/// Relative names go from there. Absolute.
pub(super) fn work_trees(root: &Root, workspace: &Path, folder: &Path) -> Vec<PathBuf> {
    let repository = workspace.join(folder);
    let mut trees = vec![repository.parent().unwrap_or(workspace).to_owned()];
    if repository.file_name().is_none_or(|name| name != ".git") {
        trees.push(repository.clone());
    }
    for name in ["config", "config.worktree"] {
        let (settings, _) = settings(&obeyed::bytes(root, &folder.join(name)).unwrap_or_default());
        let set = settings.into_iter().filter(|one| one.kind() == "core.worktree");
        trees.extend(set.map(|one| repository.join(one.value)));
    }
    let others = folder.join("worktrees");
    for entry in root.list(&others, MOST).unwrap_or_default() {
        let own = others.join(entry.name);
        let said = obeyed::bytes(root, &own.join("gitdir")).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        // Where it is relative it goes from there.
        let tree = Path::new(said.trim_end()).parent();
        trees.extend(tree.map(|tree| workspace.join(&own).join(tree)));
    }
    trees
}
