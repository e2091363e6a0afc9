//! What git goes on with when something stopped in the middle: a rebase, an `am`, a cherry-pick or a revert.
//!
//! Git notes in a folder what is still to be done and how, and obeys it: a list can hold commands, and a strategy names a
//! program. So everything in there counts that is not known to be harmless.

use super::gitconfig;
use super::listing::{Root, list};
use super::obeyed::{self, Obeyed, one};
use rustix::fs::OFlags;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The folders: git-rebase(1), git-am(1), git-cherry-pick(1).
pub(super) const STATES: [&str; 3] = ["rebase-merge", "rebase-apply", "sequencer"];

/// The list of what is still to be done, by folder.
const TODO: [&str; 2] = ["git-rebase-todo", "todo"];

/// What only describes: names, messages, numbers, and switches.
const HARMLESS: &[&str] = &[
    "abort-safety",
    "allow_rerere_autoupdate",
    "amend",
    "amend-type",
    "applying",
    "author-script",
    "autostash",
    "cdate_is_adate",
    "current-fixups",
    "dirtyindex",
    "done",
    "drop_redundant_commits",
    "end",
    "final-commit",
    "git-rebase-todo.backup",
    "gpg_sign_opt",
    "head",
    "head-name",
    "ignore_date",
    "info",
    "interactive",
    "keep",
    "keep_redundant_commits",
    "last",
    "message",
    "message-fixup",
    "message-squash",
    "messageid",
    "msg",
    "msgnum",
    "next",
    "no-inbody",
    "no-reschedule-failed-exec",
    "no_inbody",
    "onto",
    "orig-head",
    "original-commit",
    "patch",
    "patch-merge-index",
    "quiet",
    "quoted-cr",
    "quoted_cr",
    "rebasing",
    "refs-to-delete",
    "reschedule-failed-exec",
    "rewritten",
    "rewritten-list",
    "rewritten-pending",
    "scissors",
    "sign",
    "signoff",
    "squash-onto",
    "stopped-sha",
    "strategy_opts",
    "threeway",
    "update-refs",
    "utf8",
    "verbose",
];

/// Options of a cherry-pick, beside its strategy: none names a program.
const OPTIONS: &[&str] = &[
    "options.no-commit",
    "options.edit",
    "options.allow-empty",
    "options.allow-empty-message",
    "options.drop-redundant-commits",
    "options.keep-redundant-commits",
    "options.signoff",
    "options.record-origin",
    "options.allow-ff",
    "options.mainline",
    "options.gpg-sign",
    "options.strategy-option",
    "options.allow-rerere-auto",
    "options.default-msg-cleanup",
];

/// Most files that are looked at in one of the folders: an `am` has one for each patch. One with more is taken as a whole.
const MOST: usize = 10_000;

/// What makes git run something in the folders of the repository at `path`.
pub(super) fn look(root: &Root, path: &Path) -> BTreeMap<String, Obeyed> {
    let mut found = BTreeMap::new();
    for state in STATES {
        let folder = path.join(state);
        if root.reach(&folder, OFlags::PATH).is_err() {
            continue;
        }
        let features = features(root, &folder);
        if !features.is_empty() {
            let path = folder.clone();
            found.insert(state.to_owned(), Obeyed { path, features });
        }
        for todo in TODO.map(|name| folder.join(name)) {
            let features = obeyed::commands_in(root, &todo);
            if !features.is_empty() {
                found.insert(todo.display().to_string(), Obeyed { path: todo, features });
            }
        }
    }
    found
}

fn features(root: &Root, folder: &Path) -> BTreeSet<String> {
    let opened = root.reach(folder, OFlags::RDONLY | OFlags::DIRECTORY);
    let Ok(entries) = opened.and_then(|opened| list(opened, MOST + 1)) else {
        // A link, or what can't be opened.
        return one("state", obeyed::last_change(root, folder).as_bytes());
    };
    if entries.len() > MOST {
        return one("state", obeyed::last_change(root, folder).as_bytes());
    }
    let mut found = BTreeSet::new();
    for entry in entries {
        let (path, name) = (folder.join(&entry.name), entry.name.to_string_lossy());
        // Such a name was given to what was put away.
        if name.contains(".untrusted") || entry.is_file() && is_harmless(root, &path, &name) {
            continue;
        }
        let content = match entry.is_file() {
            true => obeyed::content(root, &path),
            false => obeyed::last_change(root, &path),
        };
        found.extend(one("state", format!("{name}\n{content}").as_bytes()));
    }
    found
}

fn is_harmless(root: &Root, path: &Path, name: &str) -> bool {
    match name {
        // Its commands are told one by one.
        name if TODO.contains(&name) => true,
        "strategy" => text(root, path).is_some_and(|text| is_plain(text.trim_end())),
        "apply-opt" => text(root, path).is_some_and(|text| text.split_whitespace().all(is_harmless_option)),
        "opts" => text(root, path).is_some_and(|text| {
            let (settings, whole) = gitconfig::settings(text.as_bytes());
            let plain = |one: &gitconfig::Setting| match one.kind().as_str() {
                "options.strategy" => is_plain(&one.value),
                kind => OPTIONS.contains(&kind),
            };
            whole && settings.iter().all(plain)
        }),
        // Patches.
        name if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) => true,
        name => HARMLESS.contains(&name),
    }
}

/// The name of a strategy that lies where git's own do.
fn is_plain(name: &str) -> bool {
    name.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// For `git apply`, as the shell would quote it.
fn is_harmless_option(option: &str) -> bool {
    let option = option.trim_matches('\'');
    let number = |prefix| {
        option
            .strip_prefix(prefix)
            .is_some_and(|rest: &str| rest.parse::<u32>().is_ok())
    };
    option.is_empty() || number("-p") || number("-C") || option.starts_with("--whitespace=")
}

fn text(root: &Root, path: &Path) -> Option<String> {
    let bytes = obeyed::bytes(root, path)?;
    String::from_utf8(bytes).ok()
}
