//! What a name in the workspace says about what it names: a key, settings that hold secrets, or a start-up file.

use super::guarded::{Cover, Look, is_any};
use super::listing::Entry;
use super::{keys, pattern};
use std::path::Path;

/// Start-up files, and folders of them, of shells, git, and the user's services: bash(1), zsh(1), fish(1), git-config(1),
/// systemd.unit(5).
const STARTED: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".kshrc",
    ".cshrc",
    ".inputrc",
    ".xinitrc",
    ".xprofile",
    ".pam_environment",
    ".gitconfig",
    ".config/git",
    ".config/fish",
    ".config/autostart",
    ".config/systemd",
    ".local/share/systemd",
];

/// Why a place is covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// Git obeys it.
    Obeyed,
    /// A key, by its name.
    Key,
    /// A key, or what the operator protects, by the way to it.
    KeyByWay,
    /// Settings that may hold secrets, and that programs must read.
    Variables,
    /// A private key, or passwords, by what is in it.
    Secret,
    /// What a shell, or another program, starts with.
    Started,
}

impl Sort {
    /// How such a place is covered.
    pub(super) fn cover(self, look: Look<'_>) -> Option<Cover> {
        match (self, look) {
            (Sort::Key | Sort::KeyByWay, _) | (Sort::Variables | Sort::Secret, Look::Unasked(_)) => {
                Some(Cover::Absent)
            }
            (Sort::Secret, _) => None,
            _ => look.writes().then_some(Cover::ReadOnly),
        }
    }
}

/// What the entry of that path is, if its name says so.
pub(super) fn sort(workspace: &Path, path: &Path, entry: &Entry, protected: &[String]) -> Option<Sort> {
    let name = path.file_name()?;
    // By its own name it is one wherever it is moved.
    let by_name = pattern::is_protected(workspace, Path::new(name), protected);
    if by_name || keys::is_key(name) {
        return Some(Sort::Key);
    }
    if pattern::is_protected(workspace, path, protected) {
        return Some(Sort::KeyByWay);
    }
    // Projects have one of their own, which npm must read.
    if is_any(name, &[".npmrc"]) || entry.is_file() && keys::is_environment(name) {
        return Some(Sort::Variables);
    }
    if keys::is_key_place_itself(Path::new(name)) {
        return Some(Sort::Key);
    }
    if keys::is_key_place_itself(path) {
        return Some(Sort::KeyByWay);
    }
    let started = STARTED.iter().any(|place| keys::ends_so(path, place));
    // In a work tree or a module `.git` is a file that says where the repository is.
    let link = entry.is_file() && is_any(name, &[".git"]);
    (started || link).then_some(Sort::Started)
}
