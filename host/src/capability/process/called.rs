//! What hooks run in their turn: githooks(5).
//!
//! A hook is often a line or two that start a script elsewhere in the work tree, or a link to one. Tools that bring hooks
//! keep their own in one folder, and what those call, under the same names, in the folder above. Whoever changes such a
//! script changes the hook.

use super::elsewhere::{Leads, What};
use super::listing::inside;
use super::lookups::Lookups;
use super::words::{self, Named};
use rustix::fs::{Mode, OFlags};
use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Most hooks of one folder; most of them and of scripts that they call that are read: no more can be covered anyway.
const MOST: usize = 200;
const MOST_READ: usize = 1_000;
/// How much of each is read, in bytes. What is longer was mostly put together by a program.
const LONGEST: usize = 128 << 10;
/// For how many lookups it counts that one is read, and how much of it takes as long as another one, in bytes.
const A_SCRIPT: usize = 16;
const A_LOOKUP: usize = 2 << 10;

/// The names of hooks: githooks(5).
const NAMES: [&str; 19] = [
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-rewrite",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "reference-transaction",
    "sendemail-validate",
];

/// How a file ends that an interpreter is started for. One that ends otherwise is data, unless it can be run by itself.
const SCRIPTS: [&str; 14] = [
    "sh", "bash", "zsh", "ksh", "py", "pl", "rb", "js", "mjs", "cjs", "ts", "php", "lua", "awk",
];

/// What the hooks in `folder` (absolute) lead to in the workspace. They run in one of `trees`. `own` is whether the folder
/// belongs to the repository itself, where nothing beside it is anybody's script. Where there are more than are looked at, or
/// no `lookups` left, those fall short.
pub(super) fn called(
    workspace: &Path,
    folder: &Path,
    own: bool,
    trees: &BTreeSet<&Path>,
    lookups: &Lookups,
) -> Vec<Leads> {
    let Ok(folder) = folder.canonicalize() else {
        return Vec::new();
    };
    let leads = |place: &Path| {
        Some(Leads {
            said: format!("called {}", place.display()),
            what: What::Named,
            path: inside(workspace, place)?,
        })
    };
    let hooks = names(workspace, &folder, lookups);
    let mut found = Vec::new();
    let mut waiting = VecDeque::new();
    for name in &hooks {
        let hook = folder.join(name);
        if hook.is_symlink() {
            found.extend(leads(&hook));
        }
        waiting.push_back(hook);
    }
    if let Some(above) = folder.parent().filter(|above| !own && above.starts_with(workspace)) {
        let known: BTreeSet<OsString> = hooks.into_iter().chain(NAMES.map(OsString::from)).collect();
        for place in known
            .iter()
            .map(|name| above.join(name))
            .filter(|place| place.is_file())
        {
            found.extend(leads(&place));
            waiting.push_back(place);
        }
    }
    let mut known: BTreeSet<PathBuf> = found.iter().map(|leads: &Leads| leads.path.clone()).collect();
    let mut read = BTreeSet::new();
    // However deep they call one another: each is read once, and there are not many.
    while let Some(script) = waiting.pop_front() {
        let Ok(real) = script.canonicalize() else { continue };
        if read.contains(&real) {
            continue;
        }
        if read.len() >= MOST_READ || !lookups.take(A_SCRIPT + trees.len()) {
            lookups.fall_short();
            break;
        }
        let text = text(&real, lookups);
        if !lookups.take(text.len() / A_LOOKUP) {
            break;
        }
        // By the folder of the script, or the one above, many name what lies beside them.
        let around = real.ancestors().skip(1).take(2);
        let from: BTreeSet<&Path> = trees.iter().copied().chain(around).collect();
        for word in words::named(workspace, &from, &lines(&text), Named::Files, lookups) {
            let place = workspace.join(&word.leads.path);
            if (word.runs || is_script(&place)) && known.insert(word.leads.path.clone()) {
                waiting.push_back(place);
                found.push(word.leads);
            }
        }
        read.insert(real);
    }
    found
}

/// What is in a folder of hooks but samples: first what git itself runs, then the others, in the order of the names.
fn names(workspace: &Path, folder: &Path, lookups: &Lookups) -> Vec<OsString> {
    let is_there = |name: &&str| folder.join(name).symlink_metadata().is_ok();
    let mut names: Vec<OsString> = NAMES.iter().filter(|name| is_there(name)).map(OsString::from).collect();
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let others = entries.take_while(|_| lookups.take(1)).map(|entry| entry.file_name());
    let others: BTreeSet<OsString> = others
        .filter(|name| !name.to_string_lossy().ends_with(".sample") && !names.contains(name))
        .collect();
    // What lies outside is not a command's to fill, and git's own hooks are read there too.
    if names.len() + others.len() > MOST && folder.starts_with(workspace) {
        lookups.fall_short();
    }
    names.extend(others);
    names.truncate(MOST);
    names
}

/// The lines of a script. The first may say what runs the script itself.
fn lines(text: &str) -> Vec<String> {
    let runs = text.lines().next().and_then(|line| line.strip_prefix("#!"));
    let runs = runs.map(|program| format!("source {}", program.trim()));
    let whole = text.replace("\\\n", " ");
    let own = whole.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    runs.into_iter().chain(own.map(str::to_owned)).collect()
}

/// What is in a script. What is no text, or nobody can read, names nothing. Where it is longer than what is read, `lookups`
/// fall short.
fn text(script: &Path, lookups: &Lookups) -> String {
    let mut bytes = Vec::new();
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NOCTTY;
    if let Ok(file) = rustix::fs::open(script, flags, Mode::empty()).map(File::from)
        && file.metadata().is_ok_and(|metadata| metadata.is_file())
    {
        // What was read before an error counts.
        let _ = file.take(LONGEST as u64 + 1).read_to_end(&mut bytes);
    }
    if bytes.contains(&0) {
        return String::new();
    }
    if bytes.len() > LONGEST {
        lookups.fall_short();
        bytes.truncate(LONGEST);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether it is one that can be run, or that an interpreter is given, rather than what a program reads or checks.
fn is_script(place: &Path) -> bool {
    let Ok(metadata) = place.metadata() else { return false };
    let ending = place
        .extension()
        .map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let named = ending.is_none_or(|ending| SCRIPTS.contains(&ending.as_str()));
    metadata.is_file() && (named || metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests;
