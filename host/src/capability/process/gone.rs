//! What git ran or obeyed before a command and does not any more: nothing is put away, and whoever relied on it hears of it.

use super::elsewhere::WORD;
use super::guarded::{Repository, Survey};
use super::states::STATES;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What of `before` is gone `after`, in words.
pub(super) fn gone(before: &Survey, after: &Survey) -> Vec<String> {
    // What was not looked at need not be gone.
    if after.cut {
        return Vec::new();
    }
    let now: BTreeMap<&Path, &Repository> = after
        .repositories
        .iter()
        .map(|repository| (repository.path.as_path(), repository))
        .collect();
    let (mut notes, mut said) = (Vec::new(), BTreeSet::new());
    for was in &before.repositories {
        let now = now.get(was.path.as_path()).filter(|now| now.identity == was.identity);
        for (name, obeyed) in &was.obeyed {
            // Git itself ends what it was in the middle of, and a word need not mean a file.
            let passing = STATES.iter().any(|state| obeyed.path.starts_with(was.path.join(state)));
            if obeyed.features.is_empty() || passing || name.starts_with(WORD) {
                continue;
            }
            let left = now.and_then(|now| now.obeyed.get(name)).map(|now| &now.features);
            let note = match left {
                None => format!("{} is gone, which git ran or obeyed", obeyed.path.display()),
                // What came instead was put away.
                Some(left) if left.is_subset(&obeyed.features) && *left != obeyed.features => {
                    format!("of {} something is gone that git ran or obeyed", obeyed.path.display())
                }
                Some(_) => continue,
            };
            if said.insert(note.clone()) {
                notes.push(note);
            }
        }
    }
    notes
}
