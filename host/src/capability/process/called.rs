//! What hooks run in their turn: githooks(5).
//!
//! A hook is often a line or two that start a script elsewhere in the work tree, or a link to one. Tools that bring hooks
//! keep their own in one folder, and what those call, under the same names, in the folder above. Whoever changes such a
//! script changes the hook.

use super::elsewhere::{Leads, What};
use super::gitconfig::Setting;
use super::listing::inside;
use super::words;
use rustix::fs::{Mode, OFlags};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Most hooks, and scripts that they call, that are read; how deep they call one another; how much of each is read, in bytes.
const MOST: usize = 200;
const DEEPEST: usize = 4;
const LONGEST: u64 = 32 << 10;

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
/// belongs to the repository itself, where nothing beside it is anybody's script.
pub(super) fn called(workspace: &Path, folder: &Path, own: bool, trees: &[PathBuf]) -> Vec<Leads> {
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
    let hooks = names(&folder);
    let mut found = Vec::new();
    let mut waiting = Vec::new();
    for name in &hooks {
        let hook = folder.join(name);
        if hook.is_symlink() {
            found.extend(leads(&hook));
        }
        waiting.push((hook, 0));
    }
    if let Some(above) = folder.parent().filter(|above| !own && above.starts_with(workspace)) {
        let known: BTreeSet<OsString> = hooks.into_iter().chain(NAMES.map(OsString::from)).collect();
        for place in known
            .iter()
            .map(|name| above.join(name))
            .filter(|place| place.is_file())
        {
            found.extend(leads(&place));
            waiting.push((place, 1));
        }
    }
    let mut read = BTreeSet::new();
    while let Some((script, depth)) = waiting.pop() {
        let Ok(real) = script.canonicalize() else { continue };
        if depth > DEEPEST || read.len() >= MOST || !read.insert(real.clone()) {
            continue;
        }
        // By the folder of the script, or the one above, many name what lies beside them.
        let around = real.ancestors().skip(1).take(2).map(Path::to_owned);
        let from: Vec<PathBuf> = trees.iter().cloned().chain(around).collect();
        for leads in lines(&real).flat_map(|line| words::named(workspace, &from, &line)) {
            let place = workspace.join(&leads.path);
            if is_script(&place) && !found.iter().any(|known: &Leads| known.path == leads.path) {
                waiting.push((place, depth + 1));
                found.push(leads);
            }
        }
    }
    found
}

/// What is in a folder of hooks but samples, in the order of the names.
fn names(folder: &Path) -> BTreeSet<OsString> {
    let entries = folder.read_dir().into_iter().flatten().flatten().take(MOST);
    let names = entries.map(|entry| entry.file_name());
    names
        .filter(|name| !name.to_string_lossy().ends_with(".sample"))
        .collect()
}

/// The lines of a script, each as an alias is that names what it runs.
fn lines(script: &Path) -> impl Iterator<Item = Setting> {
    let text = text(script);
    let own = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let lines: BTreeSet<String> = own.map(str::to_owned).collect();
    lines.into_iter().map(|value| Setting {
        section: "alias".to_owned(),
        part: None,
        key: String::new(),
        value,
        plain: true,
    })
}

/// The beginning of a script. What is no text, or nobody can read, names nothing.
fn text(script: &Path) -> String {
    let mut bytes = Vec::new();
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NOCTTY;
    if let Ok(file) = rustix::fs::open(script, flags, Mode::empty()).map(File::from)
        && file.metadata().is_ok_and(|metadata| metadata.is_file())
    {
        // What was read before an error counts.
        let _ = file.take(LONGEST).read_to_end(&mut bytes);
    }
    if bytes.contains(&0) {
        return String::new();
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
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_hooks_call_is_found_by_name_by_link_and_by_what_stands_beside_their_folder() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().canonicalize().unwrap();
        let put = |path: &str, text: &str| {
            let place = workspace.join(path);
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::fs::write(place, text).unwrap();
        };
        put(".husky/_/pre-commit", ". \"$(dirname \"$0\")/h\"");
        put(
            ".husky/_/h",
            "s=$(dirname \"$(dirname \"$0\")\")/$n\nsh -e \"$s\" \"$@\"\n",
        );
        put(
            ".husky/pre-commit",
            "# tools/said.sh\n. \"$(dirname \"$0\")/common.sh\"\nnpx lint src/main.rs Cargo.toml\n",
        );
        put(".husky/common.sh", "node tools/check.js\nbash tools/more\n");
        for path in [
            "tools/check.js",
            "tools/more",
            "tools/said.sh",
            "src/main.rs",
            "Cargo.toml",
            ".husky/README.md",
        ] {
            put(path, "");
        }
        let places = |hooks: &str, own: bool| -> BTreeSet<String> {
            let found = called(
                &workspace,
                &workspace.join(hooks),
                own,
                std::slice::from_ref(&workspace),
            );
            found.iter().map(|leads| leads.path.display().to_string()).collect()
        };
        let found = places(".husky/_", false);
        for there in [".husky/pre-commit", ".husky/common.sh", "tools/check.js", "tools/more"] {
            assert!(found.contains(there), "{there}: {found:?}");
        }
        for none in ["tools/said.sh", "src/main.rs", "Cargo.toml", ".husky/README.md"] {
            assert!(!found.contains(none), "{none}: {found:?}");
        }
        put("scripts/commit", "exit 0");
        put(".git/pre-commit", "exit 0");
        std::fs::create_dir_all(workspace.join(".git/hooks")).unwrap();
        std::os::unix::fs::symlink("../../scripts/commit", workspace.join(".git/hooks/pre-commit")).unwrap();
        assert_eq!(
            places(".git/hooks", true),
            BTreeSet::from(["scripts/commit".to_owned()])
        );
    }
}
