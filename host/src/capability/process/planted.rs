//! What a command left behind that git would run or obey, where nothing was before: found after each command, and put
//! out of git's reach.
//!
//! Hooks and configuration that exist are covered while a command runs ([`super::guarded`]). But a command may make
//! repositories, as `git init` does, and what was not there could not be covered. An operator whose prompt asks git about
//! the folder would run what the configuration of such a repository names. So what a new repository needs to work
//! stays, and what would make git run or obey something is renamed, and said. The rename is by descriptor, without
//! following links, since another command may be running in the same workspace.

use super::guarded::{Repository, Survey};
use rustix::fd::OwnedFd;
use rustix::fs::{CWD, FileType, Mode, OFlags, RenameFlags, ResolveFlags};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Configuration of a repository that only describes it: git-config(1). Everything else may name a command, or a file
/// that does.
const HARMLESS: &[&str] = &[
    "core.repositoryformatversion",
    "core.filemode",
    "core.bare",
    "core.logallrefupdates",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.symlinks",
    "core.autocrlf",
    "core.eol",
    "core.safecrlf",
    "core.quotepath",
    "core.worktree",
    "extensions.objectformat",
    "extensions.refstorage",
    "user.name",
    "user.email",
    "init.defaultbranch",
    "branch.*.remote",
    "branch.*.merge",
    "branch.*.rebase",
    "remote.*.url",
    "remote.*.fetch",
    "remote.*.pushurl",
    "submodule.*.url",
    "submodule.*.active",
    "submodule.active",
    "pull.rebase",
    "pull.ff",
    "push.default",
    "push.autosetupremote",
    "merge.conflictstyle",
    "color.ui",
    "commit.gpgsign",
    "tag.gpgsign",
    "gc.auto",
];

/// Longest configuration that is read, in bytes. Longer ones are not harmless.
const LONGEST: u64 = 64 << 10;

/// What is added to a name.
const ENDING: &str = "untrusted";

/// Compares the workspace with how it was `before`, and answers what was renamed, in words.
pub(super) fn disarm(workspace: &Path, before: &Survey, after: &Survey) -> Vec<String> {
    let Ok(root) = open(CWD, workspace, OFlags::DIRECTORY, ResolveFlags::empty()) else {
        return Vec::new();
    };
    let mut notes = Vec::new();
    for repository in &after.repositories {
        // The same folder at the same place. One that was moved is not what git would have found there.
        let known = before
            .repositories
            .iter()
            .find(|known| known.path == repository.path && known.identity == repository.identity);
        for name in &repository.obeyed {
            if known.is_some_and(|known| known.obeyed.contains(name)) {
                continue;
            }
            let Some(name) = name.to_str() else { continue };
            notes.extend(judge(&root, repository, name));
        }
    }
    notes
}

/// Renames `name` in `repository` if git must not obey it.
fn judge(root: &OwnedFd, repository: &Repository, name: &str) -> Option<String> {
    let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    let path = if repository.path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &repository.path
    };
    let folder = open(root, path, OFlags::DIRECTORY, beneath).ok()?;
    let harmless = match name.to_ascii_lowercase().as_str() {
        "hooks" => only_samples(&folder, name),
        "config" | "config.worktree" => text(&folder, name).is_some_and(|text| only_describes(&text)),
        // A work tree's own folder says so of the repository that it lies in.
        "commondir" => {
            let holder = repository.path.parent().and_then(Path::file_name);
            holder.is_some_and(|holder| holder == "worktrees")
                && text(&folder, name).is_some_and(|text| text.trim_end() == "../..")
        }
        _ => true,
    };
    if harmless {
        return None;
    }
    let shown = Path::new(path).join(name);
    for number in 1..=100 {
        let other = if number == 1 {
            format!("{name}.{ENDING}")
        } else {
            format!("{name}.{ENDING}-{number}")
        };
        match rustix::fs::renameat_with(&folder, name, &folder, &other, RenameFlags::NOREPLACE) {
            Ok(()) => {
                return Some(format!(
                    "{} was new, and would make git run or obey something: it was renamed to {other}. A person may \
                     rename it back",
                    shown.display()
                ));
            }
            Err(rustix::io::Errno::EXIST) => {}
            Err(error) => {
                return Some(format!(
                    "{} is new, and makes git run or obey something; it could not be renamed: {error}",
                    shown.display()
                ));
            }
        }
    }
    None
}

fn open(
    from: impl rustix::fd::AsFd,
    path: impl AsRef<Path>,
    flags: OFlags,
    resolve: ResolveFlags,
) -> rustix::io::Result<OwnedFd> {
    // Whatever it is, opening it must not wait.
    let flags = flags | OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    rustix::fs::openat2(from, path.as_ref(), flags, Mode::empty(), resolve)
}

/// Whether the folder of hooks holds only what git does not run.
fn only_samples(repository: &OwnedFd, name: &str) -> bool {
    let listed = open(repository, name, OFlags::DIRECTORY, ResolveFlags::NO_SYMLINKS);
    let Ok(entries) = listed.and_then(rustix::fs::Dir::new) else {
        return false;
    };
    entries.into_iter().all(|entry| {
        entry.is_ok_and(|entry| {
            let name = entry.file_name().to_bytes();
            matches!(name, b"." | b"..") || name.ends_with(b".sample") && entry.file_type() == FileType::RegularFile
        })
    })
}

fn text(repository: &OwnedFd, name: &str) -> Option<String> {
    let file = File::from(open(repository, name, OFlags::empty(), ResolveFlags::NO_SYMLINKS).ok()?);
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > LONGEST {
        return None;
    }
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Whether each line is a comment, a section's head alone on its line, or one of the keys that only describe. What is
/// written in another way is not.
fn only_describes(config: &str) -> bool {
    let mut section = String::new();
    config.lines().map(str::trim).all(|line| {
        if line.is_empty() || line.starts_with(['#', ';']) {
            return true;
        }
        if let Some(head) = line.strip_prefix('[') {
            let Some(head) = head.strip_suffix(']') else {
                return false;
            };
            let (name, rest) = head.split_once(' ').unwrap_or((head, ""));
            let quoted = rest.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            let below = if rest.is_empty() { "" } else { ".*" };
            section = format!("{}{below}", name.to_ascii_lowercase());
            return name.chars().all(|char| char.is_ascii_alphanumeric() || char == '-')
                && (rest.is_empty() || quoted.is_some_and(|name| !name.contains(['"', '\\', ']'])));
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let key = format!("{section}.{}", key.trim().to_ascii_lowercase());
        // A backslash goes on in the next line; "ext::" names a command.
        HARMLESS.contains(&key.as_str()) && !value.contains(['\\', '"']) && !value.contains("::")
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::guarded::survey;
    use super::*;
    use std::os::unix::fs::symlink;

    const INITIAL: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n";

    /// Makes what `make` makes, and answers what was said about it.
    fn after(known: &[&str], make: impl Fn(&Path)) -> (tempfile::TempDir, Vec<String>) {
        let workspace = tempfile::tempdir().unwrap();
        for folder in known {
            std::fs::create_dir_all(workspace.path().join(folder)).unwrap();
        }
        let before = survey(workspace.path(), &[]);
        make(workspace.path());
        let notes = disarm(workspace.path(), &before, &survey(workspace.path(), &[]));
        (workspace, notes)
    }

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn a_repository_as_git_makes_it_stays_as_it_is() {
        let (workspace, notes) = after(&[], |root| {
            write(root, "new/.git/HEAD", "ref: refs/heads/main\n");
            write(root, "new/.git/config", INITIAL);
            write(root, "new/.git/hooks/pre-commit.sample", "");
        });
        assert_eq!(notes, Vec::<String>::new());
        assert!(workspace.path().join("new/.git/config").exists());
    }

    #[test]
    fn hooks_and_configuration_that_run_something_are_renamed_and_named() {
        let (workspace, notes) = after(&[".git/refs"], |root| {
            write(root, ".git/hooks/pre-commit", "#!/bin/sh\n");
            write(root, ".git/commondir", "../evil\n");
            write(root, "evil/HEAD", "");
            write(root, "evil/objects/x", "");
            write(root, "evil/refs/x", "");
            write(root, "evil/config", "[core]\n\tfsmonitor = evil\n");
            symlink("/tmp", root.join("evil/hooks")).unwrap();
        });
        assert_eq!(notes.len(), 4, "{notes:?}");
        for gone in [".git/hooks", ".git/commondir", "evil/config", "evil/hooks"] {
            assert!(workspace.path().join(gone).symlink_metadata().is_err(), "{gone}");
            assert!(notes.iter().any(|note| note.starts_with(gone)), "{gone}: {notes:?}");
        }
        assert!(workspace.path().join("evil/config.untrusted").exists());
    }

    #[test]
    fn what_was_there_before_is_left_alone() {
        let (workspace, notes) = after(&[".git/hooks"], |root| {
            write(root, ".git/hooks/pre-commit", "#!/bin/sh\n");
        });
        assert!(notes.is_empty() && workspace.path().join(".git/hooks/pre-commit").exists());
    }

    #[test]
    fn configuration_that_is_written_in_another_way_does_not_only_describe() {
        assert!(only_describes(INITIAL));
        assert!(only_describes(
            "[remote \"origin\"]\n url = https://example.org/a.git\n fetch = +refs/heads/*:refs/remotes/origin/*\n"
        ));
        for text in [
            "[core] fsmonitor = evil",
            "[core]\nfsmonitor = evil",
            "[core]\nFSMonitor=evil",
            "[include]\npath = ../evil",
            "[alias]\nst = !evil",
            "[remote \"o\"]\nurl = ext::sh -c evil",
            "[core]\nbare = false \\\nfsmonitor = evil",
            "[core \"x\"]y\nbare = true",
            "[core.x]\nfsmonitor = evil",
            "[user \"a\\\"]b\"]\nname = x",
            "bare = true",
        ] {
            assert!(!only_describes(text), "{text}");
        }
    }
}
