//! Where git is called, and which repository it would find there.

use super::line::Line;
use std::path::{Path, PathBuf};

impl Line<'_> {
    /// The folder of a repository that is not the one of `workspace`, if git would look there first. A bare one it takes only if
    /// told to (`safe.bareRepository`).
    ///
    /// # Errors
    /// If the folder can't be told; then git can't go there either.
    pub(super) fn other_repository(&self, workspace: &Path) -> std::io::Result<Option<PathBuf>> {
        let place = self
            .folders()
            .fold(std::env::current_dir()?, |place, folder| place.join(folder));
        let place = place.canonicalize()?;
        let mut nearest = place.ancestors();
        let found = nearest.find(|folder| *folder == workspace || folder.join(".git").symlink_metadata().is_ok());
        let is_own = |folder: &Path| folder == workspace || is_work_tree(folder, workspace);
        Ok(found.filter(|folder| !is_own(folder)).map(Path::to_owned))
    }
}

/// Whether a folder is one more work tree of the repository at `workspace`: gitrepository-layout(5), `gitdir`.
fn is_work_tree(folder: &Path, workspace: &Path) -> bool {
    // As git reads it, to the blank.
    let told = |file: PathBuf| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        text.trim_end_matches(['\r', '\n']).to_owned()
    };
    let text = told(folder.join(".git"));
    let leads = text.strip_prefix("gitdir: ").map(|place| folder.join(place));
    let place = leads.and_then(|place| place.canonicalize().ok());
    place.is_some_and(|place| {
        place.parent() == Some(&workspace.join(".git/worktrees")) && told(place.join("commondir")) == "../.."
    })
}
