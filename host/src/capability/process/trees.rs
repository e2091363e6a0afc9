//! The work trees of a repository, as far as it knows them itself: gitrepository-layout(5).

use super::gitconfig::settings;
use super::listing::Root;
use super::lookups::Lookups;
use super::obeyed;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Most work trees that are looked for: the others are found by the `.git` in them.
const MOST: usize = 1_000;

/// Where the repository's files may be checked out: beside it, where its configuration says, its other work trees, and
/// `others`, as far as they are folders. Relative names go from there. Absolute.
pub(super) fn work_trees(
    root: &Root,
    workspace: &Path,
    folder: &Path,
    others: &[PathBuf],
    lookups: &Lookups,
) -> BTreeSet<PathBuf> {
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
    trees.extend_from_slice(others);
    let others = folder.join("worktrees");
    for entry in root.list(&others, MOST).unwrap_or_default() {
        if !lookups.take(1) {
            break;
        }
        let own = others.join(entry.name);
        let said = obeyed::bytes(root, &own.join("gitdir")).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        // Where it is relative it goes from there.
        let tree = Path::new(said.trim_end()).parent();
        trees.extend(tree.map(|tree| workspace.join(&own).join(tree)));
    }
    // In what is not there nothing is named.
    let trees = trees.into_iter().take_while(|_| lookups.take(1));
    trees.filter(|tree| tree.is_dir()).collect()
}
