//! What the words are that git is given: versions, files of versions, or something else. Git itself says what is there.

use super::line::Line;
use super::objects::Object;
use super::revision::{Revision, TOP, meant};
use std::path::{Path, PathBuf};

/// What a word is to git.
#[derive(PartialEq)]
pub(super) enum Word {
    /// A commit, or some.
    Version,
    /// A folder, of a version.
    Folder,
    /// All of a version.
    Top,
    /// A file of a version, called so, and how git calls what it holds.
    File(PathBuf, String),
    /// A file or a folder that a name was given to: nothing says what it is called.
    Nameless,
    /// A file, a pattern, or nothing.
    Other,
}

/// A word, or a side of one, and what git has under it.
pub(super) struct Named<'a> {
    /// Of what it is, as it was given.
    pub(super) word: &'a str,
    /// Whether it is all of that.
    pub(super) is_all: bool,
    /// How it is read. What is read as nothing git has nothing for.
    revision: Option<Revision<'a>>,
    /// The commit that is named, of whose history the one that is meant is.
    pub(super) base: Option<String>,
    /// The commit that is meant, or whose file is.
    commit: Option<String>,
    /// The folder at the top of that.
    pub(super) top: Option<String>,
    object: Option<Object>,
}

impl Named<'_> {
    /// Whether git has something under it.
    pub(super) fn is_something(&self) -> bool {
        self.object.is_some() || self.commit.is_some()
    }

    /// Whether the index is meant.
    pub(super) fn is_of_index(&self) -> bool {
        self.revision.is_some_and(|revision| revision.is_of_index())
    }

    /// Whether it is a commit that no name on the way says anything of: a tag of less than a commit, or what a version has at a path
    /// for a module.
    pub(super) fn is_apart(&self) -> bool {
        let is_of_a_path = self.revision.is_some_and(|revision| revision.path.is_some());
        let kind = self.object.as_ref().map(|object| object.kind.as_str());
        (self.base.is_none() || is_of_a_path) && matches!(kind, Some("commit" | "tag"))
    }
}

/// Whether a word, or a side of it, looks for a commit of any name by what it says.
fn searches(text: &str) -> bool {
    text.starts_with(":/")
}

impl Line<'_> {
    /// What git has under words, of which each may be a version or some: each as a whole, and the sides of ranges.
    ///
    /// # Errors
    /// With the word of which it can't be told, since it is read by git alone.
    pub(super) fn named<'a>(&self, words: &[&'a str]) -> Result<Vec<Named<'a>>, &'a str> {
        let mut all = Vec::new();
        for word in words {
            for (place, text) in meant(word).enumerate() {
                let revision = Revision::of(text);
                if searches(text) || revision.is_none() && text.contains('{') {
                    return Err(word);
                }
                all.push((*word, place == 0, text, revision));
            }
        }
        let asked = all.iter().flat_map(|(_, _, text, revision)| {
            let named = |name: &str| if name.is_empty() { "HEAD" } else { name }.to_owned();
            let (base, version) = revision.map_or((*text, *text), |revision| (revision.base, revision.version));
            let (base, version) = (named(base), named(version));
            let whole = named(text);
            [
                format!("{base}^{{commit}}"),
                format!("{version}^{{commit}}"),
                format!("{version}{TOP}"),
                whole,
            ]
        });
        let asked: Vec<String> = asked.collect();
        let Some(objects) = self.objects(&asked) else {
            return words.first().map_or(Ok(Vec::new()), |word| Err(*word));
        };
        let mut objects = objects.into_iter().map(Object::there);
        let mut told = Vec::new();
        for (word, is_all, _, revision) in all {
            let (Some(base), Some(commit), Some(top), Some(object)) =
                (objects.next(), objects.next(), objects.next(), objects.next())
            else {
                break;
            };
            let is_odd = revision.is_none() && [&base, &commit, &top, &object].iter().any(|object| object.is_some());
            if is_odd {
                return Err(word);
            }
            let is_of_index = revision.is_some_and(|revision| revision.is_of_index());
            let name = |object: Option<Object>| object.filter(|_| !is_of_index).map(|object| object.name);
            told.push(Named {
                word,
                is_all,
                revision,
                base: name(base),
                commit: name(commit),
                top: name(top),
                object,
            });
        }
        Ok(told)
    }

    /// What it is.
    pub(super) fn kind(&self, named: &Named<'_>) -> Word {
        let path = named.revision.and_then(|revision| revision.path);
        let Some(object) = &named.object else {
            return match named.commit.is_some() && path.is_none() {
                true => Word::Version,
                false => Word::Other,
            };
        };
        match (path, object.kind.as_str()) {
            _ if named.commit.is_none() && !named.is_of_index() => Word::Nameless,
            (None, _) => Word::Version,
            (Some(path), "blob") => Word::File(self.beneath_top(Path::new(path)), object.name.clone()),
            (Some(""), "tree") => Word::Top,
            (Some(_), "tree") => Word::Folder,
            _ => Word::Nameless,
        }
    }

    /// The first of these words that names a version, or something of one, that has other files than the last commit, or of which it
    /// can't be told.
    pub(super) fn another<'a>(&self, words: &[&'a str]) -> Option<&'a str> {
        let named = match self.named(words) {
            Ok(named) => named,
            Err(word) => return Some(word),
        };
        let mut there = named.iter().filter(|named| named.is_something()).peekable();
        there.peek()?;
        let last = self.named(&["HEAD"]).ok().and_then(|last| last.into_iter().next()?.top);
        let is_another = |named: &&Named<'_>| named.is_apart() || named.top.is_none() || named.top != last;
        there.find(is_another).map(|named| named.word)
    }

    /// The path of a file of a version: some count from where git is called.
    fn beneath_top(&self, path: &Path) -> PathBuf {
        // `:2:x` is one of three in the index.
        let text = path.to_str().unwrap_or_default();
        let staged = ["0:", "1:", "2:", "3:"]
            .iter()
            .find_map(|stage| text.strip_prefix(stage));
        let path = staged.map_or(path, Path::new);
        let is_from_here = path.starts_with(".") || path.starts_with("..");
        let mut whole = if is_from_here { self.folder() } else { PathBuf::new() };
        for step in path {
            if step == ".." {
                whole.pop();
            } else {
                whole.push(step);
            }
        }
        whole
    }
}
