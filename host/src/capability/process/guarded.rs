//! What a command may not change in its own workspace, and what it may not even see there: found by looking through the
//! workspace before each command.
//!
//! Git runs what its hooks and its configuration name, and trusts them because they lie in the repository; so do shells
//! and direnv with their start-up files. Keys are not for reading either. All of it lies where a command may write, so
//! each place is covered by a mount of its own. What is not there can't be covered; [`super::planted`] looks at that
//! afterwards.

use super::{hooks, keys, pattern};
use rustix::fs::{AtFlags, CWD, StatxFlags};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs::FileType;
use std::path::{Path, PathBuf};

/// How a place is covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Cover {
    /// It can be changed, but not renamed or replaced, since what is covered lies below it.
    Pinned,
    /// It can be read and not changed.
    ReadOnly,
    /// An empty folder, or a file that can't be opened, is in its place.
    Absent,
}

/// A place in the workspace, and how it is covered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Guarded {
    /// Beneath the workspace.
    pub(super) path: PathBuf,
    pub(super) cover: Cover,
}

/// What was found in a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Survey {
    /// In the order in which they must be covered: a folder before what is in it.
    pub(super) guarded: Vec<Guarded>,
    /// The folders in which git keeps a repository.
    pub(super) repositories: Vec<Repository>,
    /// Whether there was more than is looked at.
    pub(super) cut: bool,
}

/// A folder in which git keeps a repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Repository {
    /// Beneath the workspace.
    pub(super) path: PathBuf,
    /// Device and number, which stay the same when it is renamed.
    pub(super) identity: (u64, u64),
    /// What git obeys in it, of what is there.
    pub(super) obeyed: BTreeSet<OsString>,
}

/// What git obeys in a repository: githooks(5), git-config(1), gitrepository-layout(5). With `commondir` it takes the
/// other two from somewhere else; `gitdir` says where a work tree is.
pub(super) const OBEYED: [&str; 5] = ["hooks", "config", "config.worktree", "commondir", "gitdir"];

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

/// Most entries that are looked at, nearest the workspace first.
const MOST_ENTRIES: usize = 100_000;
/// Most places that are covered: each is a mount.
const MOST_COVERED: usize = 1_000;

/// Looks through `workspace`. `protected` holds the operator's patterns (`dispatcher.protected`). What can't be listed
/// can't be entered by a command of the same user either.
pub(super) fn survey(workspace: &Path, protected: &[String]) -> Survey {
    let mut survey = Survey::default();
    let mut names = Vec::new();
    // The workspace's own repository comes first, so that no heap of files can keep it from being looked at.
    let mut waiting = VecDeque::from([PathBuf::from(".git"), PathBuf::new()]);
    let mut seen = 0;
    while let Some(folder) = waiting.pop_front() {
        let entries = entries(&workspace.join(&folder));
        seen += entries.len() + 1;
        if seen > MOST_ENTRIES && folder != Path::new(".git") {
            survey.cut = true;
            break;
        }
        let repository = is_repository(&folder, &entries);
        if repository {
            survey.note_repository(workspace, &folder, &entries);
        }
        for (name, kind) in entries {
            let path = folder.join(&name);
            if repository && is_any(&name, &OBEYED) && (kind.is_dir() || kind.is_file()) {
                survey.guarded.push(Guarded {
                    path,
                    cover: Cover::ReadOnly,
                });
                continue;
            }
            let cover = cover(workspace, &path, kind, protected).filter(|_| !repository);
            // In a repository only modules and work trees are repositories again, and nothing else is of interest. The
            // workspace's own was looked at already.
            let enter = (!repository || within_repository(&folder, &name)) && path != Path::new(".git");
            match cover {
                Some(cover) if kind.is_dir() || kind.is_file() => names.push(Guarded { path, cover }),
                _ if kind.is_dir() && enter => waiting.push_back(path),
                _ => {}
            }
        }
    }
    survey.cut |= survey.guarded.len() + names.len() > MOST_COVERED;
    survey.guarded.extend(names);
    survey.guarded.truncate(MOST_COVERED);
    survey
}

impl Survey {
    fn note_repository(&mut self, workspace: &Path, folder: &Path, entries: &[(OsString, FileType)]) {
        let Some(identity) = identity(&workspace.join(folder)) else {
            return;
        };
        let names = entries.iter().map(|(name, _)| name);
        self.repositories.push(Repository {
            path: folder.to_owned(),
            identity,
            obeyed: names.filter(|name| is_any(name, &OBEYED)).cloned().collect(),
        });
        if !folder.as_os_str().is_empty() {
            self.guarded.push(Guarded {
                path: folder.to_owned(),
                cover: Cover::Pinned,
            });
        }
        self.guarded
            .extend(hooks::elsewhere(workspace, folder).into_iter().map(|path| Guarded {
                path,
                cover: Cover::ReadOnly,
            }));
    }
}

/// In the order of their names, so that the outcome is the same each time.
fn entries(folder: &Path) -> Vec<(OsString, FileType)> {
    // A link is not followed; the first two that are looked at were not seen in a listing.
    let is_folder = folder.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    let Some(entries) = is_folder.then(|| std::fs::read_dir(folder).ok()).flatten() else {
        return Vec::new();
    };
    let mut entries: Vec<(OsString, FileType)> = entries
        .flatten()
        .filter_map(|entry| Some((entry.file_name(), entry.file_type().ok()?)))
        // One more than is looked at shows that there is more.
        .take(MOST_ENTRIES + 1)
        .collect();
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    entries
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    let found = rustix::fs::statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::INO).ok()?;
    let device = rustix::fs::makedev(found.stx_dev_major, found.stx_dev_minor);
    Some((device, found.stx_ino))
}

/// A folder that git takes for a repository: by its name, or by what is in it, as bare ones, modules and work trees are.
fn is_repository(folder: &Path, entries: &[(OsString, FileType)]) -> bool {
    let has = |name: &str| entries.iter().any(|(own, _)| own == name);
    let named = folder.file_name().is_some_and(|name| is_any(name, &[".git"]));
    named && !entries.is_empty() || has("HEAD") && (has("commondir") || has("objects") && has("refs"))
}

fn within_repository(folder: &Path, name: &OsStr) -> bool {
    let holder = folder
        .file_name()
        .is_some_and(|name| is_any(name, &["modules", "worktrees"]));
    holder || is_any(name, &["modules", "worktrees"])
}

fn cover(workspace: &Path, path: &Path, kind: FileType, protected: &[String]) -> Option<Cover> {
    let name = path.file_name()?;
    let steps: Vec<&OsStr> = path.iter().collect();
    if keys::is_key(name) || pattern::is_protected(workspace, path, protected) {
        return Some(Cover::Absent);
    }
    // Projects have one of their own, which npm must read.
    if is_any(name, &[".npmrc"]) {
        return Some(Cover::ReadOnly);
    }
    if keys::is_key_place(&steps) {
        return Some(Cover::Absent);
    }
    let started = STARTED.iter().any(|place| {
        let place: Vec<&OsStr> = place.split('/').map(OsStr::new).collect();
        steps.ends_with(&place)
    });
    // In a work tree or a module `.git` is a file that says where the repository is.
    let link = kind.is_file() && is_any(name, &[".git"]);
    (started || link || kind.is_file() && keys::is_environment(name)).then_some(Cover::ReadOnly)
}

/// File systems may take both cases for one.
fn is_any(name: &OsStr, known: &[&str]) -> bool {
    known.iter().any(|own| name.eq_ignore_ascii_case(own))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn workspace(files: &[&str]) -> tempfile::TempDir {
        let workspace = tempfile::tempdir().unwrap();
        for file in files {
            let path = workspace.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            if file.ends_with('/') {
                std::fs::create_dir_all(path).unwrap();
            } else {
                std::fs::write(path, "").unwrap();
            }
        }
        workspace
    }

    fn covered(files: &[&str], protected: &[&str]) -> Vec<(String, Cover)> {
        let workspace = workspace(files);
        let protected: Vec<String> = protected.iter().map(|&pattern| pattern.to_owned()).collect();
        survey(workspace.path(), &protected)
            .guarded
            .into_iter()
            .map(|place| (place.path.display().to_string(), place.cover))
            .collect()
    }

    fn place(path: &str, cover: Cover) -> (String, Cover) {
        (path.to_owned(), cover)
    }

    #[test]
    fn what_git_obeys_is_read_only_in_every_repository_there_is() {
        let files = [
            ".git/HEAD",
            ".git/hooks/",
            ".git/config",
            ".git/modules/a/HEAD",
            ".git/modules/a/objects/",
            ".git/modules/a/refs/",
            ".git/modules/a/config",
            ".git/worktrees/w/HEAD",
            ".git/worktrees/w/commondir",
            "bare/HEAD",
            "bare/objects/",
            "bare/refs/",
            "bare/hooks/",
            "deep/er/.git/config",
            "tree/.git",
        ];
        let found = covered(&files, &[]);
        for (path, cover) in [
            (".git", Cover::Pinned),
            (".git/hooks", Cover::ReadOnly),
            (".git/config", Cover::ReadOnly),
            (".git/modules/a/config", Cover::ReadOnly),
            (".git/worktrees/w/commondir", Cover::ReadOnly),
            ("bare", Cover::Pinned),
            ("bare/hooks", Cover::ReadOnly),
            ("deep/er/.git/config", Cover::ReadOnly),
            ("tree/.git", Cover::ReadOnly),
        ] {
            assert!(found.contains(&place(path, cover)), "{path}: {found:?}");
        }
        let at = |path: &str| found.iter().position(|(own, _)| own == path);
        assert!(at(".git") < at(".git/hooks"), "{found:?}");
    }

    #[test]
    fn keys_are_absent_and_what_is_started_or_holds_variables_is_read_only() {
        let files = [
            ".env",
            ".env.example",
            "sub/.env.local",
            ".bashrc",
            ".npmrc",
            "keys/id_ed25519",
            ".ssh/known_hosts",
            "a/.config/fish/config.fish",
            "src/environment.rs",
        ];
        assert_eq!(
            covered(&files, &[]),
            [
                place(".bashrc", Cover::ReadOnly),
                place(".env", Cover::ReadOnly),
                place(".npmrc", Cover::ReadOnly),
                place(".ssh", Cover::Absent),
                place("keys/id_ed25519", Cover::Absent),
                place("sub/.env.local", Cover::ReadOnly),
                place("a/.config/fish", Cover::ReadOnly),
            ]
        );
    }

    #[test]
    fn what_the_operator_protects_is_absent() {
        let files = ["private/a", "b/private/c", "notes.secret", "privately", "x1"];
        assert_eq!(
            covered(&files, &["private", "*.secret", "x[0-9]"]),
            [
                place("notes.secret", Cover::Absent),
                place("private", Cover::Absent),
                place("x1", Cover::Absent),
                place("b/private", Cover::Absent),
            ]
        );
    }

    #[test]
    fn a_link_is_not_followed_and_a_folder_without_end_is_cut() {
        let workspace = workspace(&["a/.env"]);
        std::os::unix::fs::symlink("..", workspace.path().join("a/up")).unwrap();
        assert_eq!(survey(workspace.path(), &[]).guarded.len(), 1);
        for number in 0..=MOST_ENTRIES {
            std::fs::write(workspace.path().join(number.to_string()), "").unwrap();
        }
        assert!(survey(workspace.path(), &[]).cut);
    }
}
