//! What hooks run in their turn: githooks(5).
//!
//! A hook is often a line or two that start a script elsewhere in the work tree, or a link to one. Tools that bring hooks
//! keep their own in one folder, and what those call, under the same names, in the folder above. Whoever changes such a
//! script changes the hook.

use super::elsewhere::{Leads, What};
use super::gitconfig::Setting;
use super::listing::inside;
use super::lookups::Lookups;
use super::words;
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
/// How deep they call one another, how much of each is read, in bytes, and for how many lookups that counts.
const DEEPEST: usize = 4;
const LONGEST: u64 = 32 << 10;
const A_SCRIPT: usize = 16;

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
        waiting.push_back((hook, 0));
    }
    if let Some(above) = folder.parent().filter(|above| !own && above.starts_with(workspace)) {
        let known: BTreeSet<OsString> = hooks.into_iter().chain(NAMES.map(OsString::from)).collect();
        for place in known
            .iter()
            .map(|name| above.join(name))
            .filter(|place| place.is_file())
        {
            found.extend(leads(&place));
            waiting.push_back((place, 1));
        }
    }
    let mut known: BTreeSet<PathBuf> = found.iter().map(|leads: &Leads| leads.path.clone()).collect();
    let mut read = BTreeSet::new();
    while let Some((script, depth)) = waiting.pop_front() {
        let Ok(real) = script.canonicalize() else { continue };
        if depth > DEEPEST || read.contains(&real) {
            continue;
        }
        if read.len() >= MOST_READ || !lookups.take(A_SCRIPT + trees.len()) {
            lookups.fall_short();
            break;
        }
        // By the folder of the script, or the one above, many name what lies beside them.
        let around = real.ancestors().skip(1).take(2);
        let from: BTreeSet<&Path> = trees.iter().copied().chain(around).collect();
        for leads in lines(&real).flat_map(|line| words::named(workspace, &from, &line, lookups)) {
            let place = workspace.join(&leads.path);
            if is_script(&place) && known.insert(leads.path.clone()) {
                waiting.push_back((place, depth + 1));
                found.push(leads);
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

/// The lines of a script, each as an alias is that names what it runs. The first may say what runs the script itself.
fn lines(script: &Path) -> impl Iterator<Item = Setting> {
    let text = text(script);
    let runs = text.lines().next().and_then(|line| line.strip_prefix("#!"));
    let runs = runs.map(|program| format!("source {}", program.trim()));
    let own = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let lines: BTreeSet<String> = own.map(str::to_owned).chain(runs).collect();
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
            let trees = BTreeSet::from([workspace.as_path()]);
            let found = called(&workspace, &workspace.join(hooks), own, &trees, &Lookups::default());
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

    #[test]
    fn a_heap_of_files_keeps_no_hook_of_gits_from_being_read_and_what_is_not_read_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(workspace.join("checks")).unwrap();
        for tool in ["one", "two", "interpreter"] {
            std::fs::write(workspace.join(tool), "").unwrap();
        }
        let run = format!("#!{}/interpreter -x\nsh one\n# sh two\n", workspace.display());
        std::fs::write(workspace.join("checks/pre-push"), run).unwrap();
        let paths = |lookups: &Lookups| -> BTreeSet<PathBuf> {
            let trees = BTreeSet::from([workspace.as_path()]);
            let found = called(&workspace, &workspace.join("checks"), false, &trees, lookups);
            found.into_iter().map(|leads| leads.path).collect()
        };
        let both = BTreeSet::from(["interpreter", "one"].map(PathBuf::from));
        let add = |ending: &str| {
            for number in 0..MOST {
                std::fs::write(workspace.join(format!("checks/a{number}{ending}")), "").unwrap();
            }
        };
        add(".sample");
        let lookups = Lookups::default();
        assert_eq!((paths(&lookups), lookups.fell_short()), (both.clone(), false));
        add("");
        assert_eq!((paths(&lookups), lookups.fell_short()), (both, true));
        let few = Lookups::of(3);
        assert_eq!((paths(&few), few.fell_short()), (BTreeSet::new(), true));
    }
}
