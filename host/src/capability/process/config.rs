//! What a repository's configuration says beyond describing it: git-config(1).
//!
//! Git's configuration can name commands, and files that name commands, in ways that grow with each version. So what is
//! known only to describe a repository is a list, and every other entry is told from every other one: an entry that was
//! there before a command ran is the operator's, and one that was not is the command's.

use super::gitconfig::{Setting, settings};
use super::listing::Root;
use crate::sexp::Digest;
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::path::Path;

/// Configuration of a repository that only describes it, by its name. Everything else may name a command, or a file that does.
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

/// Schemes that git itself reaches: git-clone(1), "Git URLs". Any other makes it run `git-remote-` and that word.
const SCHEMES: &[&str] = &[
    "file", "ftp", "ftps", "git", "git+ssh", "http", "https", "ssh", "ssh+git",
];

/// Whether such an entry only describes a repository.
///
/// Git hands names of remotes and branches, and addresses, to commands of its own, for which what begins with a dash is an
/// option: one of `git fetch` names a command.
pub(super) fn only_describes(entry: &Setting) -> bool {
    let is_option = |text: &str| text.starts_with('-');
    let part = entry.part.as_deref().unwrap_or_default();
    HARMLESS.contains(&entry.kind().as_str())
        && !is_option(part)
        && !is_option(&entry.value)
        && is_reached_by_git(&entry.value)
}

/// Whether a value, if it is an address, makes git run nothing but itself and ssh(1), with no option for that.
fn is_reached_by_git(value: &str) -> bool {
    // "ext::" names a command.
    if value.contains("::") {
        return false;
    }
    let Some((scheme, rest)) = value.split_once("://") else {
        return true;
    };
    let host = rest.split('/').next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    SCHEMES.contains(&scheme) && !host.starts_with('-')
}

/// Longest configuration that is looked through, in bytes. A longer one is taken as a whole.
const LONGEST: usize = 64 << 10;

/// The entries of `config` that do more than describe, each as one text that tells it from every other. Where git
/// could not read it, the whole is one.
///
/// The files of a repository may lie elsewhere, but not outside of the workspace. `from` is the workspace and the folder in
/// it from which git takes such a path: none where that is not known, and then every one counts.
pub(super) fn beyond_describing(config: &[u8], from: Option<(&Root, &Path)>) -> BTreeSet<String> {
    let whole = || BTreeSet::from([format!("configuration {}", Digest::of("passepartout-config-1", config))]);
    let text = std::str::from_utf8(config).ok().filter(|text| text.len() <= LONGEST);
    text.and_then(|text| entries(text, from)).unwrap_or_else(whole)
}

/// `None` where git can't read it.
fn entries(text: &str, from: Option<(&Root, &Path)>) -> Option<BTreeSet<String>> {
    let (settings, true) = settings(text.as_bytes()) else {
        return None;
    };
    let beyond = settings.into_iter().filter(|one| {
        let stays = one.kind() != "core.worktree" || from.is_some_and(|from| stays_inside(&one.value, from));
        !(one.plain && stays && only_describes(one))
    });
    let told = beyond.map(|one| {
        let entry = [one.section, one.part.unwrap_or_default(), one.key, one.value].join("\n");
        format!("entry {}", Digest::of("passepartout-config-entry-1", entry.as_bytes()))
    });
    Some(told.collect())
}

/// Whether a path leads up within the workspace at most, and then only down, by no link: a command could lead one
/// elsewhere at any time. What is not there yet is looked at again after the command that makes it.
fn stays_inside(path: &str, (root, folder): (&Root, &Path)) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let up = parts.iter().take_while(|part| **part == "..").count();
    let down = parts.get(up..).unwrap_or_default();
    let plain = !path.starts_with(['/', '~']) && down.iter().all(|part| !matches!(*part, "" | "." | ".."));
    let Some(start) = folder.ancestors().nth(up).filter(|_| plain) else {
        return false;
    };
    let mut place = start.to_owned();
    place.extend(down);
    let reached = root.reach(&place, OFlags::PATH | OFlags::DIRECTORY);
    place.as_os_str().is_empty() || matches!(reached, Ok(_) | Err(Errno::NOENT))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// In a repository at the top of a workspace with a folder `tree` and links beside it, of which one is in that folder.
    fn beyond(config: &[u8]) -> BTreeSet<String> {
        let workspace = tempfile::tempdir().unwrap();
        let at = |name: &str| workspace.path().join(name);
        std::fs::create_dir_all(at("r")).unwrap();
        std::fs::create_dir_all(at("tree/real")).unwrap();
        for (link, target) in [
            ("link", "tree"),
            ("out", "/"),
            ("nowhere", "gone"),
            ("tree/link", "real"),
        ] {
            std::os::unix::fs::symlink(target, at(link)).unwrap();
        }
        let root = Root::open(workspace.path()).unwrap();
        beyond_describing(config, Some((&root, Path::new("r"))))
    }

    #[test]
    fn a_work_tree_is_in_the_workspace_and_reached_by_no_link() {
        let tree = |path: &str| beyond(format!("[core]\n\tworktree = {path}\n").as_bytes());
        for inside in [
            "..",
            "../tree",
            "../tree/real",
            "../new",
            "../tree/new/er",
            "own",
            "../r",
        ] {
            assert!(tree(inside).is_empty(), "{inside}");
        }
        for outside in [
            "../link",
            "../link/real",
            "../out",
            "../out/etc",
            "../nowhere",
            "../tree/link",
            "../tree/link/new",
            "../..",
            "../../tree",
        ] {
            assert!(!tree(outside).is_empty(), "{outside}");
        }
        assert!(!beyond_describing(b"[core]\nworktree = own\n", None).is_empty());
    }

    const INITIAL: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n";

    #[test]
    fn configuration_that_only_describes_has_nothing_beyond() {
        for text in [
            INITIAL,
            "",
            "[remote \"origin\"]\n url = https://example.org/a.git\n fetch = +refs/heads/*:refs/remotes/origin/*\n",
            "[core]\nworktree = ../module",
            "[branch \"main\"]\n remote = origin\n merge = refs/heads/main\n",
            "[branch \"main\"]\n remote = .\n",
            "[remote \"o\"]\nurl = git@example.org:a/b.git\npushurl = ssh://git@example.org:22/a-b\n",
            "[remote \"o\"]\nurl = ../a\n[submodule \"s-t\"]\nurl = file:///srv/a\nactive = true\n",
        ] {
            assert!(beyond(text.as_bytes()).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_name_or_an_address_that_git_takes_for_an_option_or_a_program_does_not_only_describe() {
        for text in [
            "[branch \"main\"]\nremote = --upload-pack=touch",
            "[branch \"main\"]\nremote = \"--upload-pack=touch x;\"",
            "[branch \"main\"]\nmerge = --upload-pack=touch",
            "[branch \"main\"]\nremote = evil://x",
            "[branch \"main\"]\nremote = ext::evil",
            "[remote \"--upload-pack=touch\"]\nurl = ../a",
            "[remote \"o\"]\nurl = --upload-pack=touch",
            "[remote \"o\"]\nurl = -oProxyCommand=evil:a",
            "[remote \"o\"]\nurl = ssh://-oProxyCommand=evil/a",
            "[remote \"o\"]\nurl = ssh://me@-oProxyCommand=evil/a",
            "[remote \"o\"]\nurl = ext://sh -c x",
            "[remote \"o\"]\npushurl = evil://x",
            "[remote \"o\"]\nurl = HTTP://example.org/a",
            "[remote \"o\"]\nfetch = --upload-pack=touch",
            "[submodule \"s\"]\nurl = --upload-pack=touch",
            "[submodule \"s\"]\nurl = evil://x",
            "[submodule \"-s\"]\nurl = ../a",
        ] {
            assert!(!beyond(text.as_bytes()).is_empty(), "{text}");
        }
    }

    #[test]
    fn configuration_that_is_written_in_another_way_does_not_only_describe() {
        for text in [
            "[core] fsmonitor = evil",
            "[core]\nworktree = /elsewhere",
            "[core]\nworktree = ~/x",
            "[core]\nworktree = ../../outside",
            "[core]\nworktree = a/../../x",
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
            "[core]\nbare = \"true\"",
        ] {
            assert!(!beyond(text.as_bytes()).is_empty(), "{text}");
        }
        assert!(!beyond(b"[core]\nbare = \xff\nx = 1").is_empty());
        assert!(!beyond(&[b'#'; LONGEST + 1]).is_empty());
    }

    #[test]
    fn what_was_added_is_told_from_what_was_there() {
        let before = beyond(b"[alias]\nst = !status\n[core]\nhooksPath = checks\n");
        let same = beyond(b"[core]\nHOOKSPATH=checks\nbare = false\n[alias]\nst = !status\n");
        assert_eq!(before, same);
        for text in [
            "[alias]\nst = !other\n",
            "[alias]\nst = !status\nsd = !status\n",
            "[core]\nst = !status\n",
            "[alias \"x\"]\nst = !status\n",
            "[alias]\nst = !status \\\nx\n",
        ] {
            assert!(!beyond(text.as_bytes()).is_subset(&before), "{text}");
        }
    }
}
