//! What the jail refused, in words for whoever reads a command's output.
//!
//! The kernel refuses with an error number and tells nobody else, so this goes by what programs print of it, in the
//! language that the jail's environment sets. It says what may be behind a message, and never that it is.

use super::{Writes, said};
use std::path::{Path, PathBuf};

/// What is known about how a command was held.
pub(super) struct Held<'a> {
    /// Whether it could write to the workspace.
    pub(super) writes: Writes,
    pub(super) network: bool,
    /// Whether links in the workspace were followed.
    pub(super) links: bool,
    pub(super) hidden: &'a [PathBuf],
    /// What is absent in the workspace, by its whole path.
    pub(super) absent: &'a [PathBuf],
    /// Where that is.
    pub(super) workspace: &'a Path,
    /// Whether no person was asked.
    pub(super) unasked: bool,
}

/// What programs print where nothing can be written.
const READ_ONLY: &[&str] = &["Read-only file system", "os error 30"];

/// What programs print where a link is not followed.
const LINKS: &[&str] = &["Too many levels of symbolic links", "os error 40)"];

/// What programs print, and the wall that may be behind it.
const SIGNS: &[(&[&str], &str)] = &[
    (
        &["Operation not permitted", "operation not permitted", "os error 1)"],
        "Unix sockets, mounts, namespaces, tracing other processes and privileges are refused",
    ),
    (
        &["Permission denied", "os error 13"],
        "keys and protected files in the workspace can't be opened, and root has no privileges here",
    ),
    (
        &["command not found"],
        "it is not installed, or lies in a home folder: programs are looked for in the system's folders only; one in a home \
         folder must be named by its whole path, and is there for commands that a person approved",
    ),
    (
        &["Invalid cross-device link", "os error 18"],
        "a protected file can't be moved, nor linked",
    ),
    (
        &["Device or resource busy", "os error 16"],
        "a protected file or a repository's own folder can't be moved or deleted",
    ),
    (
        &["Resource temporarily unavailable", "fork: retry", "os error 11)"],
        "the number of processes is bounded (shell.processes)",
    ),
    (
        &["No space left on device", "os error 28"],
        "temporary folders are kept in memory and bounded; the workspace is on disk",
    ),
    (
        &["File size limit exceeded", "File too large", "os error 27"],
        "a file of more than 1 GiB can't be written",
    ),
];

/// The same for the network, unless it is granted.
const NO_NETWORK: &[&str] = &[
    "Network is unreachable",
    "Temporary failure in name resolution",
    "Could not resolve",
    "Name or service not known",
    "Connection refused",
    "os error 101",
    "os error 111",
];

/// The notes on what was `written` by a command that was `held` so.
pub(super) fn notes(written: &[&str], held: &Held<'_>) -> Vec<String> {
    let said = |signs: &[&'static str]| {
        let mut found = signs
            .iter()
            .filter(|sign| written.iter().any(|text| text.contains(**sign)));
        found.next().copied()
    };
    let mut notes = Vec::new();
    let read_only = match held.writes {
        Writes::Allowed => {
            "only the workspace and the temporary folders can be written; in the workspace git's hooks and configuration, \
             environment files and start-up files can't be changed"
        }
        Writes::Refused => "a command that no person was asked about can write to the temporary folders only",
    };
    let links = "in the workspace no link is followed by a command that may write and that no person was asked about, or \
                 agreed to once and for all: name the place itself";
    let own = [(READ_ONLY, read_only), (LINKS, links)];
    let own = own.iter().filter(|(signs, _)| *signs != LINKS || !held.links);
    for (signs, wall) in own.chain(SIGNS) {
        if let Some(sign) = said(signs) {
            notes.push(format!("\"{sign}\" may be the jail: {wall}"));
        }
    }
    if let Some(sign) = said(NO_NETWORK).filter(|_| !held.network) {
        notes.push(format!(
            "\"{sign}\" may be the jail: it has no network but a loopback of its own. The operator can grant the network to \
             commands that a person approved, with network = true under [shell] in config.toml"
        ));
    }
    notes.extend(named(written, held));
    for path in held.hidden.iter().chain(held.absent) {
        if written.iter().any(|text| names(text, path)) {
            notes.push(format!(
                "{} is the program's own, holds keys, or is protected: it is not there for commands",
                path.display()
            ));
        }
    }
    notes
}

/// What programs print of a file that can't be opened.
const CLOSED: &[&str] = &["ermission denied", "cannot hash", "cannot open", "No such file"];
/// How many of them are named.
const MOST_NAMED: usize = 5;
/// How a list shows a file that can't be opened: ls(1).
const EMPTY: &str = "----------";

/// That files which are named, by what the command calls them, are hidden, where no person was asked.
fn named(written: &[&str], held: &Held<'_>) -> Option<String> {
    if !held.unasked {
        return None;
    }
    let lines = written.iter().flat_map(|text| text.lines());
    let closed: Vec<&str> = lines
        .filter(|line| CLOSED.iter().any(|sign| line.contains(sign)))
        .collect();
    let below = |path: &'_ Path| path.strip_prefix(held.workspace).map(Path::to_owned).ok();
    // Of what git keeps it says itself what to do.
    let is_git = |path: &PathBuf| path.iter().any(|step| step == ".git");
    let hidden = held
        .absent
        .iter()
        .filter_map(|path| below(path))
        .filter(|path| !is_git(path));
    let files = hidden.filter(|path| closed.iter().any(|line| names(line, path)));
    let files: Vec<String> = files.map(|path| said::on_one_line(&path.to_string_lossy())).collect();
    let first = files.first()?;
    let name = Path::new(first).file_name().unwrap_or_default().to_string_lossy();
    let (shown, more) = files.split_at(files.len().min(MOST_NAMED));
    Some(format!(
        "{}{} hidden from commands that no person was asked about, and not empty: there may be a secret in {}, by the name or by \
         what is in it. A command that names such a file may ask a person; leave it out, in git by `-- . ':(exclude){first}'`, \
         in grep by `--exclude={name}`",
        shown.join(", "),
        match (files.len(), more.len()) {
            (1, _) => " is",
            (_, 0) => " are",
            _ => " and others are",
        },
        if files.len() == 1 { "it" } else { "each" },
    ))
}

/// That what a list shows as empty is hidden, where no person was asked.
pub(super) fn listed(printed: &str, held: &Held<'_>) -> Option<String> {
    let lists = printed.lines().filter(|line| line.trim_start().starts_with(EMPTY));
    let names: Vec<String> = held
        .absent
        .iter()
        .filter_map(|path| path.file_name()?.to_str().map(str::to_owned))
        .collect();
    let shows = lists.flat_map(|line| line.split_whitespace().last()).any(|last| {
        names
            .iter()
            .any(|name| last == name || last.ends_with(&format!("/{name}")))
    });
    (held.unasked && shows).then(|| {
        format!(
            "files that stand there as `{EMPTY}` are not empty: they may hold secrets, and are hidden from commands that no person \
             was asked about"
        )
    })
}

/// Whether `text` names `path`, and not only one that begins like it.
fn names(text: &str, path: &Path) -> bool {
    // A folder's may end with one.
    let Some(path) = path.to_str().map(|path| path.trim_end_matches('/')) else {
        return false;
    };
    text.match_indices(path).any(|(at, _)| {
        let next = text[at + path.len()..].chars().next();
        next.is_none_or(|char| !(char.is_alphanumeric() || matches!(char, '-' | '_' | '.')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(network: bool, hidden: &[PathBuf]) -> Held<'_> {
        Held {
            writes: Writes::Allowed,
            network,
            links: true,
            hidden,
            absent: &[],
            workspace: Path::new("/w"),
            unasked: true,
        }
    }

    #[test]
    fn a_message_points_to_the_wall_that_may_be_behind_it() {
        let notes = notes(
            &["touch: cannot touch '/etc/x': Read-only file system"],
            &held(false, &[]),
        );
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].contains("may be the jail: only the workspace"), "{notes:?}");
    }

    #[test]
    fn the_network_is_named_only_where_it_is_not_granted() {
        let written = ["curl: (6) Could not resolve host: example.org"];
        assert!(notes(&written, &held(false, &[]))[0].contains("network = true"));
        assert!(notes(&written, &held(true, &[])).is_empty());
    }

    #[test]
    fn a_hidden_file_is_named_as_the_command_calls_it_where_no_person_was_asked() {
        let absent = ["/w/a/.env", "/w/b.key", "/w/a/.git/index"].map(PathBuf::from);
        let held = Held {
            absent: &absent,
            ..held(true, &[])
        };
        assert_eq!(super::named(&["cat: a/.git/index: Permission denied"], &held), None);
        for line in ["cat: a/.env: Permission denied", "error: cannot hash a/.env"] {
            let notes = notes(&[line], &held);
            assert!(
                notes.iter().any(|note| note.starts_with("a/.env is hidden")),
                "{line}: {notes:?}"
            );
        }
        let both = "cat: a/.env: Permission denied\ncat: b.key: Permission denied";
        let note = super::named(&[both], &held).unwrap_or_default();
        assert!(note.starts_with("a/.env, b.key are hidden"), "{note}");
        assert!(
            !notes(&["cat: b/.env: Permission denied"], &held)
                .iter()
                .any(|note| note.contains("is hidden"))
        );
        assert!(listed("total 0\n---------- 1 me me 0 Jan 1 00:00 .env\n", &held).is_some());
        assert_eq!(listed("---------- 1 me me 0 Jan 1 00:00 x\n.env\n", &held), None);
        let asked = Held { unasked: false, ..held };
        assert!(
            !notes(&["cat: a/.env: Permission denied"], &asked)
                .iter()
                .any(|note| note.contains("is hidden"))
        );
    }

    #[test]
    fn a_hidden_path_is_named_and_one_that_begins_like_it_is_not() {
        let hidden = [PathBuf::from("/home/ada/.ssh/")];
        let note = notes(&["cat: /home/ada/.ssh/id: No such file"], &held(true, &hidden));
        assert!(note.len() == 1 && note[0].starts_with("/home/ada/.ssh/ is"), "{note:?}");
        assert!(notes(&["cat: /home/ada/.ssh-old: No such file"], &held(true, &hidden)).is_empty());
    }
}
