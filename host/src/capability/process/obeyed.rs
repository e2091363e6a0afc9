//! What git would run or obey in a repository, told apart by its content.
//!
//! Everything that makes git run or obey something is a *feature*: one text that tells it from every other one. What a
//! repository had before a command ran is the operator's; a feature that is there afterwards and was not before is the
//! command's, by whatever way it came: written, linked, moved there, or put behind a link that leads elsewhere.

use super::elsewhere::{self, Leads, What};
use super::guarded::is_any;
use super::listing::{Entry, Root, about, inside, list};
use super::lookups::Lookups;
use super::{config, states};
use crate::sexp::Digest;
use rustix::fs::{FileType, OFlags};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What git obeys in a repository: githooks(5), git-config(1), gitrepository-layout(5). With `commondir` it takes the
/// other two from somewhere else; `gitdir` says where a work tree is.
pub(super) const OBEYED: [&str; 5] = ["hooks", "config", "config.worktree", "commondir", "gitdir"];

/// How much of one file is read, in bytes. Of a larger one it counts when it was last changed.
const LONGEST: u64 = 1 << 20;
/// Reading so much takes about as long as a lookup, in bytes.
const A_LOOKUP: usize = 16 << 10;
/// Most files that are read of one folder of hooks, and how deep. One with more is told by when it was last changed.
const MOST_HOOKS: usize = 1_000;
const DEEPEST: usize = 8;

/// One thing that git obeys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Obeyed {
    /// Beneath the workspace: what is put away when it is not the operator's.
    #[serde(with = "super::bytes")]
    pub(super) path: PathBuf,
    /// What it makes git run or obey. Empty if it only describes.
    pub(super) features: BTreeSet<String>,
}

/// What git obeys in the repository at `path`, by name, and the places elsewhere in the workspace from which it takes more.
/// `trees` are its work trees, as far as something in them says so. What lies elsewhere is looked at for as long as there
/// are `lookups` left.
pub(super) fn look(
    root: &Root,
    workspace: &Path,
    path: &Path,
    entries: &[Entry],
    trees: &[PathBuf],
    lookups: &Lookups,
) -> (BTreeMap<String, Obeyed>, BTreeSet<PathBuf>) {
    let mut found = BTreeMap::new();
    for entry in entries.iter().filter(|entry| is_any(&entry.name, &OBEYED)) {
        let own = path.join(&entry.name);
        let features = features(root, workspace, &own, entry);
        found.insert(
            entry.name.to_string_lossy().into_owned(),
            Obeyed { path: own, features },
        );
    }
    found.extend(states::look(root, path));
    let mut places = BTreeSet::new();
    // Many ways may lead to one place.
    let mut known: BTreeMap<(What, PathBuf), BTreeSet<String>> = BTreeMap::new();
    for Leads { said, what, path } in elsewhere::named(root, workspace, path, trees, lookups) {
        places.insert(path.clone());
        // The link itself was looked at above.
        if what == What::Linked || !lookups.take(1) {
            continue;
        }
        let features = known.entry((what, path.clone())).or_insert_with(|| {
            let (features, read) = look_elsewhere(root, what, &path);
            // What it took is known only now. Without it the next one is not looked at.
            let _ = lookups.take(features.len() + read / A_LOOKUP);
            features
        });
        let features = features.clone();
        found.insert(said, Obeyed { path, features });
    }
    (found, places)
}

/// What git obeys at such a place, and how much was read there, in bytes.
fn look_elsewhere(root: &Root, what: What, path: &Path) -> (BTreeSet<String>, usize) {
    let mut read = 0;
    let features = match what {
        // What it names goes from the repository that includes it, which may be another each time.
        What::Configuration => configuration_at(root, path, None),
        What::Named if is_file(root, path) => one("named", content_of(root, path, &mut read).as_bytes()),
        What::Linked | What::Hooks | What::Named => hooks_read(root, path, &mut read),
    };
    (features, read)
}

fn features(root: &Root, workspace: &Path, path: &Path, entry: &Entry) -> BTreeSet<String> {
    let name = entry.name.to_string_lossy().to_ascii_lowercase();
    let is_hooks = name == "hooks";
    match entry.kind {
        FileType::Directory if is_hooks => hooks_at(root, path),
        FileType::RegularFile => match name.as_str() {
            "config" | "config.worktree" => configuration_at(root, path, path.parent()),
            "commondir" => common_folder(root, path),
            // It only says where a work tree is.
            "gitdir" => BTreeSet::new(),
            _ => one("odd", name.as_bytes()),
        },
        FileType::Symlink => {
            let target = root
                .reach(path, OFlags::PATH)
                .and_then(|link| rustix::fs::readlinkat(link, "", Vec::new()));
            let mut found = one("link", target.as_deref().map_or(&b""[..], CStr::to_bytes));
            // Outside of the workspace nothing is a command's to change.
            if let Some(place) = inside(workspace, &workspace.join(path)) {
                found.extend(if is_hooks {
                    hooks_at(root, &place)
                } else {
                    configuration_at(root, &place, path.parent())
                });
            }
            found
        }
        _ => one("odd", name.as_bytes()),
    }
}

fn is_file(root: &Root, path: &Path) -> bool {
    let kind = root.reach(path, OFlags::PATH).and_then(rustix::fs::fstat);
    kind.is_ok_and(|status| FileType::from_raw_mode(status.st_mode).is_file())
}

/// What a folder of hooks runs: everything in it but samples, which git leaves alone.
fn hooks_at(root: &Root, path: &Path) -> BTreeSet<String> {
    hooks_read(root, path, &mut 0)
}

/// [`hooks_at`], and how many bytes were read for it.
fn hooks_read(root: &Root, path: &Path, read: &mut usize) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![(PathBuf::new(), 0)];
    let mut seen = 0;
    while let Some((folder, depth)) = waiting.pop() {
        let listed = root
            .reach(&path.join(&folder), OFlags::RDONLY | OFlags::DIRECTORY)
            .and_then(|opened| list(opened, MOST_HOOKS + 1));
        let Ok(entries) = listed else {
            // What is not there runs nothing.
            if root.reach(&path.join(&folder), OFlags::PATH).is_ok() {
                found.extend(one("unreadable", folder.as_os_str().as_bytes()));
            }
            continue;
        };
        seen += entries.len();
        for entry in entries {
            let name = folder.join(&entry.name);
            let sample = folder.as_os_str().is_empty() && entry.name.as_bytes().ends_with(b".sample");
            if sample && entry.is_file() {
                continue;
            }
            if entry.is_folder() && depth < DEEPEST && seen <= MOST_HOOKS {
                waiting.push((name, depth + 1));
                continue;
            }
            let content = match entry.kind {
                FileType::RegularFile if seen <= MOST_HOOKS => content_of(root, &path.join(&name), read),
                _ => last_change(root, &path.join(&name)),
            };
            let text = [name.as_os_str().as_bytes(), b"\n", content.as_bytes()].concat();
            found.extend(one("hook", &text));
        }
    }
    found
}

/// The commands in a list of what a rebase goes on with.
pub(super) fn commands_in(root: &Root, path: &Path) -> BTreeSet<String> {
    if root.reach(path, OFlags::PATH).is_err() {
        return BTreeSet::new();
    }
    let Some(bytes) = bytes(root, path) else {
        return one("list", last_change(root, path).as_bytes());
    };
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let runs = |line: &&[u8]| {
        let word = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        word == b"exec" || word == b"x"
    };
    lines.filter(runs).flat_map(|line| one("command", line)).collect()
}

/// What a configuration says beyond describing, and whether it can be changed by another name. `repository` is the folder
/// whose configuration it is, if it is that of one.
fn configuration_at(root: &Root, path: &Path, repository: Option<&Path>) -> BTreeSet<String> {
    let read = open(root, path).and_then(|file| {
        let names = about(&file, "".as_ref()).map_or(2, |about| about.names);
        let mut bytes = Vec::new();
        file.take(LONGEST).read_to_end(&mut bytes).ok()?;
        Some((names, bytes))
    });
    let Some((names, bytes)) = read else {
        return one("unreadable", last_change(root, path).as_bytes());
    };
    let mut found = config::beyond_describing(&bytes, repository.map(|folder| (root, folder)));
    if names > 1 {
        found.insert("has another name".to_owned());
    }
    found
}

/// A work tree's own folder says that the rest is in the repository that it lies in. Everything else leads elsewhere.
fn common_folder(root: &Root, path: &Path) -> BTreeSet<String> {
    let holder = path.parent().and_then(Path::parent).and_then(Path::file_name);
    let mut text = String::new();
    let read = open(root, path).and_then(|file| file.take(LONGEST).read_to_string(&mut text).ok());
    let usual = holder.is_some_and(|holder| holder == "worktrees") && text.trim_end() == "../..";
    if read.is_some() && usual {
        return BTreeSet::new();
    }
    one("common folder", text.as_bytes())
}

/// What is in a file, unless it is too long or none.
pub(super) fn bytes(root: &Root, path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    open(root, path)?.take(LONGEST + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= LONGEST).then_some(bytes)
}

/// The digest of a file, or what tells that it is another one.
pub(super) fn content(root: &Root, path: &Path) -> String {
    content_of(root, path, &mut 0)
}

fn content_of(root: &Root, path: &Path, read: &mut usize) -> String {
    let bytes = bytes(root, path);
    *read += bytes.as_ref().map_or(LONGEST as usize, Vec::len);
    bytes.map_or_else(
        || last_change(root, path),
        |bytes| Digest::of("passepartout-content-1", &bytes).to_string(),
    )
}

pub(super) fn last_change(root: &Root, path: &Path) -> String {
    let about = root
        .reach(path, OFlags::PATH)
        .and_then(|place| about(place, "".as_ref()));
    about.map_or_else(
        |_| "nothing".to_owned(),
        |about| format!("{:?} since {}", about.identity, about.changed),
    )
}

fn open(root: &Root, path: &Path) -> Option<File> {
    let file = File::from(root.reach(path, OFlags::RDONLY).ok()?);
    file.metadata().is_ok_and(|metadata| metadata.is_file()).then_some(file)
}

pub(super) fn one(kind: &str, text: &[u8]) -> BTreeSet<String> {
    BTreeSet::from([format!("{kind} {}", Digest::of("passepartout-obeyed-1", text))])
}
