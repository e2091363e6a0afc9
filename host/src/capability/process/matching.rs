//! The files that a pattern of the shell matches.

use super::lookups::Lookups;
use super::pattern::matches;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Most files and folders that one pattern matches from one folder.
const MOST: usize = 200;

/// What `pattern` matches from the folder `from`, of what lies in the workspace. Where that is more than is looked at,
/// `lookups` fall short.
pub(super) fn matching(workspace: &Path, from: &Path, pattern: &str, lookups: &Lookups) -> Vec<PathBuf> {
    let root = pattern.starts_with('/').then_some(Path::new("/"));
    let mut found = vec![root.unwrap_or(from).to_owned()];
    for step in pattern.split('/').filter(|step| !step.is_empty()) {
        if !step.contains(['*', '?', '[']) {
            found.iter_mut().for_each(|place| place.push(step));
            continue;
        }
        let mut next = Vec::new();
        for folder in found {
            for name in names(workspace, &folder, lookups) {
                let shown = name.to_string_lossy();
                let hidden = shown.starts_with('.') && !step.starts_with('.');
                if !hidden && matches(step, &shown) {
                    next.push(folder.join(&name));
                }
            }
        }
        if next.len() > MOST {
            lookups.fall_short();
            next.truncate(MOST);
        }
        found = next;
    }
    found
}

/// What is in a folder of the workspace, in the order of the names.
fn names(workspace: &Path, folder: &Path, lookups: &Lookups) -> BTreeSet<OsString> {
    let within = folder.canonicalize().is_ok_and(|real| real.starts_with(workspace));
    if !within || !lookups.take(1) {
        return BTreeSet::new();
    }
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let entries = entries.take_while(|_| lookups.take(1));
    entries.map(|entry| entry.file_name()).collect()
}
