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
        Ok(found.filter(|folder| *folder != workspace).map(Path::to_owned))
    }
}
