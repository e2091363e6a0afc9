//! What the last commit of a repository has: only that is in every copy of it. What is no more than in the index was never
//! given to anybody.

use super::listing::Root;
use super::objects::{Kind, NAME, Name, Objects};
use rustix::fs::OFlags;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Most that is read of one file of names, in bytes, and how often one leads to another.
const LONGEST: u64 = 32 << 20;
const DEEPEST: usize = 5;
/// Most folders of a commit that are looked into.
const MOST: usize = 20_000;

/// A folder of a commit: for each name in it whether that is a folder, and which object it is.
type Tree = BTreeMap<Vec<u8>, (bool, Name)>;

/// Folders, by their paths, of which git noted that what is in the index is that object.
pub(super) type Written = BTreeMap<Vec<u8>, Name>;

/// The last commit, as far as it was looked at.
#[derive(Debug)]
pub(super) struct Head {
    objects: Objects,
    /// Its folder at the top.
    top: Option<Name>,
    trees: BTreeMap<Name, Option<Tree>>,
}

impl Head {
    /// That of the repository at `folder`, beneath the workspace.
    pub(super) fn of(root: &Root, folder: &Path) -> Head {
        let mut objects = Objects::of(folder.join("objects"));
        let commit = resolve(root, folder).and_then(|name| objects.read(root, &name, Kind::Commit));
        let top = commit.and_then(|commit| {
            let digits = commit.strip_prefix(b"tree ")?.get(..2 * NAME)?;
            named(digits)
        });
        Head {
            objects,
            top,
            trees: BTreeMap::new(),
        }
    }

    /// Whether it has that file as that object. Where the index is as the commit is, as `written` says, it is not looked
    /// further.
    pub(super) fn has(&mut self, root: &Root, path: &Path, object: &Name, written: &Written) -> bool {
        self.look(root, path, object, written).unwrap_or(false)
    }

    fn look(&mut self, root: &Root, path: &Path, object: &Name, written: &Written) -> Option<bool> {
        let mut folder = self.top?;
        let mut at = PathBuf::new();
        let mut steps = path.iter().peekable();
        while let Some(step) = steps.next() {
            if written.get(at.as_os_str().as_bytes()) == Some(&folder) {
                return Some(true);
            }
            let (is_folder, found) = *self.tree(root, &folder)?.get(step.as_bytes())?;
            if steps.peek().is_none() {
                return Some(!is_folder && found == *object);
            }
            folder = Some(found).filter(|_| is_folder)?;
            at.push(step);
        }
        None
    }

    fn tree(&mut self, root: &Root, name: &Name) -> Option<&Tree> {
        if !self.trees.contains_key(name) {
            let is_left = self.trees.len() < MOST;
            let bytes = is_left.then(|| self.objects.read(root, name, Kind::Tree)).flatten();
            self.trees.insert(*name, bytes.and_then(|bytes| tree(&bytes)));
        }
        self.trees.get(name)?.as_ref()
    }
}

/// What a folder of a commit has.
fn tree(mut bytes: &[u8]) -> Option<Tree> {
    let mut found = Tree::new();
    while !bytes.is_empty() {
        let end = bytes.iter().position(|byte| *byte == 0)?;
        let space = bytes
            .iter()
            .position(|byte| *byte == b' ')
            .filter(|space| *space < end)?;
        let object = bytes.get(end + 1..end + 1 + NAME)?.try_into().ok()?;
        let is_folder = bytes[..space] == *b"40000";
        found.insert(bytes[space + 1..end].to_owned(), (is_folder, object));
        bytes = &bytes[end + 1 + NAME..];
    }
    Some(found)
}

/// Which commit is the last one.
fn resolve(root: &Root, folder: &Path) -> Option<Name> {
    let mut place = "HEAD".to_owned();
    for _ in 0..DEEPEST {
        let Some(text) = text(root, &folder.join(&place)) else {
            return packed(&text_of_all(root, folder)?, &place);
        };
        let text = text.trim_ascii_end();
        let Some(next) = text.strip_prefix(b"ref:") else {
            return named(text);
        };
        let next = str::from_utf8(next.trim_ascii_start()).ok()?;
        let is_plain = next.starts_with("refs/") && next.split('/').all(|step| !matches!(step, "" | "." | ".."));
        place = is_plain.then(|| next.to_owned())?;
    }
    None
}

fn text_of_all(root: &Root, folder: &Path) -> Option<Vec<u8>> {
    text(root, &folder.join("packed-refs"))
}

/// What a list of names says of one.
fn packed(list: &[u8], place: &str) -> Option<Name> {
    let mut lines = list.split(|byte| *byte == b'\n');
    lines.find_map(|line| {
        let (digits, rest) = line.split_at_checked(2 * NAME)?;
        let name = rest.strip_prefix(b" ")?;
        (name.trim_ascii_end() == place.as_bytes()).then(|| named(digits))?
    })
}

fn named(digits: &[u8]) -> Option<Name> {
    hex::decode(digits).ok()?.try_into().ok()
}

fn text(root: &Root, path: &Path) -> Option<Vec<u8>> {
    let file = File::from(root.reach(path, OFlags::RDONLY | OFlags::NOCTTY).ok()?);
    let is_file = file.metadata().is_ok_and(|about| about.is_file());
    let mut bytes = Vec::new();
    is_file.then(|| file.take(LONGEST).read_to_end(&mut bytes))?.ok()?;
    Some(bytes)
}

/// The folders of which an index notes which object they are: gitformat-index(5), "Cache tree". One that was changed since has
/// none.
pub(super) fn written(mut noted: &[u8]) -> Option<Written> {
    let mut found = Written::new();
    // The folders whose own are still to come, and how many.
    let mut above: Vec<(Vec<u8>, usize)> = Vec::new();
    while !noted.is_empty() {
        let end = noted.iter().position(|byte| *byte == 0)?;
        let line = noted
            .iter()
            .position(|byte| *byte == b'\n')
            .filter(|line| *line > end)?;
        let (name, counts) = (&noted[..end], str::from_utf8(&noted[end + 1..line]).ok()?);
        let (entries, below) = counts.split_once(' ')?;
        let (entries, below): (i64, usize) = (entries.parse().ok()?, below.parse().ok()?);
        noted = &noted[line + 1..];
        while above.last().is_some_and(|(_, left)| *left == 0) {
            above.pop();
        }
        let path = match above.last_mut() {
            None => Vec::new(),
            Some((folder, left)) => {
                *left -= 1;
                let between: &[u8] = if folder.is_empty() { b"" } else { b"/" };
                [folder, between, name].concat()
            }
        };
        if entries >= 0 {
            let (object, rest) = noted.split_at_checked(NAME)?;
            found.insert(path.clone(), object.try_into().ok()?);
            noted = rest;
        }
        above.push((path, below));
    }
    Some(found)
}
