//! Whether a command names a link of the workspace that leads out of it, or has a program follow all links below a folder: what it
//! then prints is somebody else's, although each name is one of the workspace.

use super::follows::{self, Segment};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// Most entries of folders that are looked at for one line: beyond that it counts as leading out.
const MOST_ENTRIES: usize = 100_000;
/// Most folders in which what is named may be looked for, as a command may have gone there.
const MOST_FOLDERS: usize = 64;
/// How deep lines in lines are told apart: `bash -c '…'`.
const DEEPEST: usize = 4;

/// Whether a word of `line` is the path of something that lies outside `workspace`, by way of a link, or a pattern that matches
/// beside such a link, or whether a program in it may come to such a link below a folder. Words are told apart roughly: what is
/// no path names nothing that is there.
pub fn leads_out(line: &str, workspace: &Path) -> bool {
    let Ok(root) = workspace.canonicalize() else {
        return false;
    };
    let mut segments = Vec::new();
    follows::tell_apart(line, DEEPEST, &mut segments);
    let braced = segments.iter().flat_map(|segment| &segment.words);
    let braced: Vec<String> = braced
        .filter(|word| word.contains('{'))
        .flat_map(|word| follows::spelt(word))
        .collect();
    let paths: BTreeSet<PathBuf> = candidates(line, &segments)
        .chain(braced.iter().map(String::as_str))
        .filter_map(|word| path(word, workspace))
        .collect();
    let mut ways = Ways::new(&root);
    // What is named by numbers may be anything in it.
    let unclear = follows::has_numbered(line);
    let mut leads = || {
        Some(
            ways.named(&paths)?
                || ways.followed(&segments, workspace)?
                || unclear && ways.comes_out(vec![root.clone()])?,
        )
    };
    // More than can be looked at may hold one.
    leads().unwrap_or(true)
}

/// Each text in a line that may be a path, or a part of one.
fn candidates<'l>(line: &'l str, segments: &'l [Segment]) -> impl Iterator<Item = &'l str> {
    let between = |char: char| char.is_whitespace() || "'\"=;|&<>(){},:$`\\".contains(char);
    let parted = |char: char| "={},:$`".contains(char);
    let whole = segments.iter().flat_map(|segment| &segment.words).map(String::as_str);
    // `-Cfolder`
    let joined = |word: &'l str| {
        let mut letters = word.strip_prefix('-')?.chars();
        letters.next();
        Some(letters.as_str())
    };
    line.split(between)
        .chain(whole.flat_map(move |word| word.split(parted).chain(std::iter::once(word)).chain(joined(word))))
}

/// A word as a path in the workspace. `None` for what is named as outside, which is the gates' to see.
fn path(word: &str, workspace: &Path) -> Option<PathBuf> {
    let whole = Path::new(word);
    let inside = whole.strip_prefix(workspace).unwrap_or(whole);
    // The home folder of a command is the workspace. What stands behind a brace begins with the slash.
    let inside = ["~", "HOME", "PWD", "/"]
        .iter()
        .find_map(|start| inside.strip_prefix(start).ok())
        .unwrap_or(inside);
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let inside: PathBuf = inside.components().all(plain).then(|| {
        let parts = inside.components().filter(|part| *part != Component::CurDir);
        parts.collect()
    })?;
    (!word.is_empty()).then_some(inside)
}

fn is_pattern(part: &OsString) -> bool {
    part.to_string_lossy().contains(['*', '?', '['])
}

/// What an entry of a folder is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Link,
    Folder,
    Other,
}

type Entries = Rc<Vec<(OsString, Kind)>>;

/// What is looked at for one line. What gives `None` was more than that.
struct Ways<'r> {
    root: &'r Path,
    left: usize,
    /// What lies in the folders that were looked at.
    read: HashMap<PathBuf, Entries>,
    /// The workspace, and the folders in it that are named.
    folders: Vec<PathBuf>,
}

impl Ways<'_> {
    fn new(root: &Path) -> Ways<'_> {
        Ways {
            root,
            left: MOST_ENTRIES,
            read: HashMap::new(),
            folders: vec![root.to_owned()],
        }
    }

    fn is_out(&self, place: &Path) -> bool {
        place.canonicalize().is_ok_and(|real| !real.starts_with(self.root))
    }

    /// What lies in a folder.
    fn entries(&mut self, folder: &Path) -> Option<Entries> {
        if let Some(read) = self.read.get(folder) {
            return Some(Rc::clone(read));
        }
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            self.left = self.left.checked_sub(1)?;
            let kind = match entry.file_type() {
                Ok(kind) if kind.is_symlink() => Kind::Link,
                Ok(kind) if kind.is_dir() => Kind::Folder,
                _ => Kind::Other,
            };
            found.push((entry.file_name(), kind));
        }
        let found = Rc::new(found);
        self.read.insert(folder.to_owned(), Rc::clone(&found));
        Some(found)
    }

    /// Whether one of these paths leads out, from the workspace or from a folder that is named as well.
    fn named(&mut self, paths: &BTreeSet<PathBuf>) -> Option<bool> {
        let mut at = 0;
        while let Some(folder) = self.folders.get(at).cloned() {
            at += 1;
            let entries = self.entries(&folder)?;
            let names: HashSet<&OsString> = entries.iter().map(|(name, _)| name).collect();
            for path in paths {
                let parts: Vec<OsString> = path.iter().map(OsString::from).collect();
                let Some(first) = parts.first() else { continue };
                if parts.iter().any(is_pattern) {
                    if self.matched(&folder, &parts)? {
                        return Some(true);
                    }
                    continue;
                }
                if !names.contains(first) {
                    continue;
                }
                let place = folder.join(path);
                if self.is_out(&place) {
                    return Some(true);
                }
                if place.is_dir() && !self.folders.contains(&place) {
                    if self.folders.len() >= MOST_FOLDERS {
                        return None;
                    }
                    self.folders.push(place);
                }
            }
        }
        Some(false)
    }

    /// Whether a pattern matches beside a link that leads out, or something beyond what it matches does.
    fn matched(&mut self, folder: &Path, parts: &[OsString]) -> Option<bool> {
        let Some((first, rest)) = parts.split_first() else {
            return Some(false);
        };
        if !is_pattern(first) {
            let place = folder.join(first);
            return if rest.is_empty() || !place.is_dir() {
                Some(self.is_out(&place))
            } else {
                self.matched(&place, rest)
            };
        }
        for (name, kind) in self.entries(folder)?.iter() {
            let place = folder.join(name);
            if *kind == Kind::Link && self.is_out(&place) {
                return Some(true);
            }
            if *kind == Kind::Other || rest.is_empty() && first != "**" {
                continue;
            }
            // Through a link bash goes no deeper for `**`.
            let deeper = first == "**" && *kind == Kind::Folder && self.matched(&place, parts)?;
            if deeper || place.is_dir() && self.matched(&place, rest)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Whether a program that follows links below a folder comes to one that leads out.
    fn followed(&mut self, segments: &[Segment], workspace: &Path) -> Option<bool> {
        let mut starts: BTreeSet<PathBuf> = BTreeSet::new();
        for segment in segments {
            if !follows::follows(segment) {
                continue;
            }
            let operands = follows::folders(segment);
            let plain = |named: &PathBuf| !named.iter().any(|part| is_pattern(&part.into()));
            let named: Vec<PathBuf> = operands
                .iter()
                .filter_map(|word| path(word, workspace).filter(plain))
                .collect();
            // From where it is called they may be elsewhere.
            let places = named
                .iter()
                .flat_map(|named| self.folders.iter().map(move |base| base.join(named)));
            let found: Vec<PathBuf> = places.filter(|place| place.is_dir()).collect();
            if found.is_empty() || named.len() < operands.len() {
                starts = BTreeSet::from([self.root.to_owned()]);
                break;
            }
            starts.extend(found);
        }
        self.comes_out(starts.into_iter().collect())
    }

    fn comes_out(&mut self, mut folders: Vec<PathBuf>) -> Option<bool> {
        let mut seen = HashSet::new();
        while let Some(folder) = folders.pop() {
            let Ok(real) = folder.canonicalize() else { continue };
            if !seen.insert(real.clone()) {
                continue;
            }
            for (name, kind) in self.entries(&real)?.iter() {
                let place = real.join(name);
                if *kind == Kind::Link && self.is_out(&place) {
                    return Some(true);
                }
                if *kind == Kind::Folder || *kind == Kind::Link && place.is_dir() {
                    folders.push(place);
                }
            }
        }
        Some(false)
    }
}

#[cfg(test)]
mod tests;
