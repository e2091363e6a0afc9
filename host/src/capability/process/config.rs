//! What a repository's configuration says beyond describing it: git-config(1).
//!
//! Git's configuration can name commands, and files that name commands, in ways that grow with each version. So what is
//! known only to describe a repository is a list, and every other entry is told from every other one: an entry that was
//! there before a command ran is the operator's, and one that was not is the command's.

use super::gitconfig::{Setting, settings};
use crate::sexp::Digest;
use std::collections::BTreeSet;

/// Configuration of a repository that only describes it. Everything else may name a command, or a file that does.
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

/// Whether such an entry only describes a repository.
pub(super) fn only_describes(entry: &Setting) -> bool {
    HARMLESS.contains(&entry.kind().as_str())
}

/// Longest configuration that is looked through, in bytes. A longer one is taken as a whole.
const LONGEST: usize = 64 << 10;

/// The entries of `config` that do more than describe, each as one text that tells it from every other. Where git
/// could not read it, the whole is one.
///
/// The files of a repository may lie elsewhere, but not outside of the workspace, to which `depth` steps lead up from it.
pub(super) fn beyond_describing(config: &[u8], depth: usize) -> BTreeSet<String> {
    let whole = || BTreeSet::from([format!("configuration {}", Digest::of("passepartout-config-1", config))]);
    let text = std::str::from_utf8(config).ok().filter(|text| text.len() <= LONGEST);
    text.and_then(|text| entries(text, depth)).unwrap_or_else(whole)
}

/// `None` where git can't read it.
fn entries(text: &str, depth: usize) -> Option<BTreeSet<String>> {
    let (settings, true) = settings(text.as_bytes()) else {
        return None;
    };
    let beyond = settings.into_iter().filter(|one| {
        // "ext::" names a command.
        let plain = one.plain && !one.value.contains("::");
        let stays = one.kind() != "core.worktree" || stays_inside(&one.value, depth);
        !(plain && stays && only_describes(one))
    });
    let told = beyond.map(|one| {
        let entry = [one.section, one.part.unwrap_or_default(), one.key, one.value].join("\n");
        format!("entry {}", Digest::of("passepartout-config-entry-1", entry.as_bytes()))
    });
    Some(told.collect())
}

/// Whether a path goes up so many steps at most, and then only down.
fn stays_inside(path: &str, depth: usize) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let up = parts.iter().take_while(|part| **part == "..").count();
    let down = parts.get(up..).unwrap_or_default();
    up <= depth && !path.starts_with(['/', '~']) && down.iter().all(|part| !matches!(*part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INITIAL: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n";

    #[test]
    fn configuration_that_only_describes_has_nothing_beyond() {
        for text in [
            INITIAL,
            "",
            "[remote \"origin\"]\n url = https://example.org/a.git\n fetch = +refs/heads/*:refs/remotes/origin/*\n",
            "[core]\nworktree = ../module",
        ] {
            assert!(beyond_describing(text.as_bytes(), 1).is_empty(), "{text}");
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
            assert!(!beyond_describing(text.as_bytes(), 1).is_empty(), "{text}");
        }
        assert!(!beyond_describing(b"[core]\nbare = \xff\nx = 1", 1).is_empty());
        assert!(!beyond_describing(&[b'#'; LONGEST + 1], 1).is_empty());
    }

    #[test]
    fn what_was_added_is_told_from_what_was_there() {
        let before = beyond_describing(b"[alias]\nst = !status\n[core]\nhooksPath = checks\n", 1);
        let same = beyond_describing(b"[core]\nHOOKSPATH=checks\nbare = false\n[alias]\nst = !status\n", 1);
        assert_eq!(before, same);
        for text in [
            "[alias]\nst = !other\n",
            "[alias]\nst = !status\nsd = !status\n",
            "[core]\nst = !status\n",
            "[alias \"x\"]\nst = !status\n",
            "[alias]\nst = !status \\\nx\n",
        ] {
            assert!(!beyond_describing(text.as_bytes(), 1).is_subset(&before), "{text}");
        }
    }
}
