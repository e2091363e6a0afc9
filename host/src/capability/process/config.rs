//! What a repository's configuration says beyond describing it: git-config(1).
//!
//! Git's configuration can name commands, and files that name commands, in ways that grow with each version. So what is
//! known only to describe a repository is a list, and every other entry is told from every other one: an entry that was
//! there before a command ran is the operator's, and one that was not is the command's.

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

/// Whether such an entry only describes a repository. The section is as it stands between its brackets.
pub(super) fn only_describes(section: &str, key: &str) -> bool {
    section_of(section).is_some_and(|(_, kind)| HARMLESS.contains(&format!("{kind}.{key}").as_str()))
}

/// Longest configuration that is looked through, in bytes. A longer one is taken as a whole.
const LONGEST: usize = 64 << 10;

/// The entries of `config` that do more than describe, each as one text that tells it from every other. Where something
/// is written in another way than git itself writes it, the whole is one.
///
/// The files of a repository may lie elsewhere, but not outside of the workspace, to which `depth` steps lead up from it.
pub(super) fn beyond_describing(config: &[u8], depth: usize) -> BTreeSet<String> {
    let whole = || BTreeSet::from([format!("configuration {}", Digest::of("passepartout-config-1", config))]);
    let text = std::str::from_utf8(config).ok().filter(|text| text.len() <= LONGEST);
    text.and_then(|text| entries(text, depth)).unwrap_or_else(whole)
}

/// `None` where a line can't be told apart for sure.
fn entries(text: &str, depth: usize) -> Option<BTreeSet<String>> {
    // The section as git compares it, and as the list above has it.
    let (mut section, mut kind) = (String::new(), String::new());
    let mut found = BTreeSet::new();
    for line in text.lines().map(str::trim) {
        // It goes on in the next line.
        if line.ends_with('\\') {
            return None;
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(head) = line.strip_prefix('[') {
            (section, kind) = head.strip_suffix(']').and_then(section_of)?;
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
        // "ext::" names a command.
        let plain = !value.contains(['\\', '"']) && !value.contains("::");
        let stays = (kind.as_str(), key.as_str()) != ("core", "worktree") || stays_inside(value, depth);
        if !(plain && stays && HARMLESS.contains(&format!("{kind}.{key}").as_str())) {
            let entry = format!("{section}\n{key}\n{value}");
            found.insert(format!(
                "entry {}",
                Digest::of("passepartout-config-entry-1", entry.as_bytes())
            ));
        }
    }
    Some(found)
}

/// Whether a path goes up so many steps at most, and then only down.
fn stays_inside(path: &str, depth: usize) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let up = parts.iter().take_while(|part| **part == "..").count();
    let down = parts.get(up..).unwrap_or_default();
    up <= depth && !path.starts_with(['/', '~']) && down.iter().all(|part| !matches!(*part, "" | "." | ".."))
}

/// `name` or `name "part"`, as it is and with a star for the part.
fn section_of(head: &str) -> Option<(String, String)> {
    let (name, rest) = head.split_once(' ').unwrap_or((head, ""));
    if !name.chars().all(|char| char.is_ascii_alphanumeric() || char == '-') {
        return None;
    }
    let name = name.to_ascii_lowercase();
    if rest.is_empty() {
        return Some((name.clone(), name));
    }
    let part = rest.strip_prefix('"')?.strip_suffix('"')?;
    (!part.contains(['"', '\\', ']'])).then(|| (format!("{name}\n{part}"), format!("{name}.*")))
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
            "\u{feff}[core]\nbare = true",
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
