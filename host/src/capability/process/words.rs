//! The files that a value of git's configuration may name: a command line, of which no part is known to be a path.

use super::elsewhere::{Leads, WORD, What};
use super::gitconfig::Setting;
use super::listing::inside;
use super::lookups::Lookups;
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Most parts of one value that are looked at.
const MOST: usize = 64;
/// Most folders that a value is taken to go into.
const MOST_FOLDERS: usize = 16;

/// What goes into the folder that stands somewhere behind it.
const GOING: [&str; 5] = ["cd", "pushd", "-C", "--chdir", "--directory"];

/// What runs the file that stands behind it.
const INTERPRETERS: [&str; 13] = [
    "sh", "bash", "dash", "zsh", "ksh", "source", ".", "python", "python3", "perl", "ruby", "node", "php",
];

/// What `entry` names in the work trees, which are absolute, as far as there are `lookups` left.
pub(super) fn named(workspace: &Path, trees: &BTreeSet<&Path>, entry: &Setting, lookups: &Lookups) -> Vec<Leads> {
    let mut found = Vec::new();
    let mut before = "";
    // Where a word may be meant from, beside the work trees: what folders the value goes into.
    let mut entered: Vec<PathBuf> = Vec::new();
    let mut goes = false;
    for part in parts(&entry.value).into_iter().take(MOST) {
        let interpreted = INTERPRETERS.contains(&before.rsplit('/').next().unwrap_or(before));
        before = part.text;
        // Each step below looks into each of the places at most twice.
        let places = trees.len() + entered.len() + 1;
        if !lookups.take(if goes { 3 * places } else { places }) {
            break;
        }
        if goes {
            go_into(workspace, trees, &mut entered, part.text);
        }
        goes |= GOING.contains(&part.text);
        let text = part
            .text
            .trim_start_matches(|char: char| part.text.starts_with('-') && (char == '-' || char == '+'));
        if !looks_like_a_path(text) {
            found.extend(all(trees, &entered).filter_map(|from| {
                let place = from.join(text);
                let metadata = place.metadata().ok().filter(|metadata| metadata.is_file())?;
                let runs = interpreted || metadata.permissions().mode() & 0o111 != 0;
                leads(workspace, &place, WORD).filter(|_| runs)
            }));
            continue;
        }
        let mut whole = found_in(workspace, trees.iter().copied(), text, "named");
        let runs = interpreted || text.starts_with("./");
        let how = if runs { "named" } else { WORD };
        whole.extend(found_in(workspace, entered.iter().map(PathBuf::as_path), text, how));
        // In an alias a folder is mostly where something is done.
        if entry.section == "alias" || !text.contains('/') {
            whole.retain(|leads| workspace.join(&leads.path).is_file());
        }
        // Nobody could work where all of a work tree is kept.
        whole.retain(|leads| {
            let place = workspace.join(&leads.path);
            // What lies below it follows it.
            let next = trees.range(place.as_path()..).next();
            next.is_none_or(|tree| !tree.starts_with(&place))
        });
        // What is outside is not the command's to change.
        let outside = text.starts_with('/') && Path::new(text).exists();
        if whole.is_empty() && !outside {
            let ends = text.match_indices('/').map(|(at, _)| &text[at + 1..]);
            for (number, end) in ends.filter(|end| !end.is_empty()).enumerate() {
                if !lookups.take(places) {
                    break;
                }
                // The first may be a variable that holds the work tree.
                let how = if part.expanded && number == 0 { "named" } else { WORD };
                let files = found_in(workspace, all(trees, &entered), end, how).into_iter();
                whole.extend(files.filter(|leads| workspace.join(&leads.path).is_file()));
            }
        }
        found.append(&mut whole);
    }
    found
}

/// The work trees, and what folders a value goes into.
fn all<'a>(trees: &'a BTreeSet<&Path>, entered: &'a [PathBuf]) -> impl Iterator<Item = &'a Path> {
    trees.iter().copied().chain(entered.iter().map(PathBuf::as_path))
}

/// Adds the folders in the workspace that `text` names from one of those, as long as there are not too many.
fn go_into(workspace: &Path, trees: &BTreeSet<&Path>, entered: &mut Vec<PathBuf>, text: &str) {
    let mut new = Vec::new();
    for from in all(trees, entered) {
        // What stands before a slash may be a variable that holds the work tree.
        for text in [text, text.trim_start_matches('/')] {
            let place = from.join(text);
            let known = trees.contains(place.as_path()) || entered.contains(&place) || new.contains(&place);
            let fits = entered.len() + new.len() < MOST_FOLDERS;
            if fits && !known && place.is_dir() && inside(workspace, &place).is_some() {
                new.push(place);
            }
        }
    }
    entered.append(&mut new);
}

fn found_in<'a>(workspace: &Path, from: impl Iterator<Item = &'a Path>, text: &str, how: &str) -> Vec<Leads> {
    let places = from.map(|folder| folder.join(text));
    places.filter_map(|place| leads(workspace, &place, how)).collect()
}

fn leads(workspace: &Path, place: &Path, how: &str) -> Option<Leads> {
    Some(Leads {
        said: format!("{how} {}", place.display()),
        what: What::Named,
        path: inside(workspace, place)?,
    })
}

/// A part of a value that may be a path.
struct Part<'a> {
    text: &'a str,
    /// Whether it begins with what the shell puts something else for.
    expanded: bool,
}

fn parts(value: &str) -> Vec<Part<'_>> {
    let in_path = |char: char| char.is_ascii_alphanumeric() || "_./+-@,%".contains(char) || !char.is_ascii();
    let mut found = Vec::new();
    let mut rest = value;
    let mut last = ' ';
    while let Some(begin) = rest.find(in_path) {
        if begin > 0 {
            last = rest[..begin].chars().last().unwrap_or(' ');
        }
        rest = &rest[begin..];
        let end = rest.find(|char| !in_path(char)).unwrap_or(rest.len());
        let text = &rest[..end];
        // A variable, or what comes behind one in braces, or behind a command.
        let expanded = "${})`\"'".contains(last) && (last == '$' || text.starts_with('/'));
        found.push(Part { text, expanded });
        rest = &rest[end..];
    }
    found
}

fn looks_like_a_path(text: &str) -> bool {
    text.contains('/') || text.trim_start_matches('.').contains('.')
}
