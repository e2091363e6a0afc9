//! What is lost where a command takes away all of the workspace, or what git keeps of it.

use super::hidden::Invocation;
use super::ruin;
use super::word::Field;
use crate::path::{Place, Roots, glob};

/// What git keeps of all versions, beneath its folder: gitrepository-layout(5).
const KEPT: &[&str] = &["logs", "objects", "packed-refs", "refs"];

/// What would be lost, in words.
pub(super) fn told(invocation: &Invocation<'_>, here: Option<&Place>, roots: &Roots) -> Vec<String> {
    let Some(here) = here else {
        return Vec::new();
    };
    if invocation.name == "mv"
        && invocation
            .operands()
            .last()
            .is_some_and(|last| last.text == "/dev/null")
    {
        return vec!["throws away what is moved there".to_owned()];
    }
    let start = Field::from(".");
    let taken: Vec<&Field> = match invocation.name.as_ref() {
        "rm" | "srm" | "wipe" if ruin::is_recursive(invocation) => invocation.operands().collect(),
        "find" if ruin::finds_all_to_delete(invocation) => {
            let given: Vec<&Field> = ruin::starts_of_find(invocation).collect();
            if given.is_empty() { vec![&start] } else { given }
        }
        "rsync" if ruin::syncs_deletions(invocation) => invocation.operands().last().into_iter().collect(),
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    for file in taken
        .into_iter()
        .filter(|file| file.is_known() && !file.text.is_empty())
    {
        if is_all(file, here, roots) {
            found.push("deletes all of the workspace".to_owned());
        } else if let Some(name) = history(file, here) {
            found.push(format!("deletes {name}, the history of the repository"));
        }
    }
    found
}

/// Whether it is the workspace, or what is in it.
fn is_all(file: &Field, here: &Place, roots: &Roots) -> bool {
    let mut place = Place::of(&file.text, here);
    while file.glob && place.parts().next_back().is_some_and(matches_most) {
        place.pop();
    }
    roots.is_workspace(&place)
}

/// Whether a part of a pattern matches whatever is not hidden.
fn matches_most(part: &str) -> bool {
    let bare = crate::path::widened(part);
    !bare.starts_with('.') && bare.contains('*') && bare.bytes().all(|byte| matches!(byte, b'*' | b'?' | b'.'))
}

/// The folder with the history that is taken away, as it is written.
fn history(file: &Field, here: &Place) -> Option<String> {
    let place = Place::of(&file.text, here);
    let mut parts = place.parts().rev();
    let last = parts.next()?;
    let is_git = last == ".git" || file.glob && last.starts_with('.') && glob(last, ".git");
    let of_git = parts.next() == Some(".git") && (KEPT.contains(&last) || file.glob && matches_most(last));
    (is_git || of_git).then(|| crate::finding::line(&file.text, 40))
}
