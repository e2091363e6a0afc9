//! What the words are that git is given: versions, files of versions, or something else.

use super::line::{Line, Object};
use std::path::{Path, PathBuf};

/// What of a commit is its folder at the top.
pub(super) const TOP: &str = "^{tree}";

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

/// The sides of a range: git takes a word for one at its first two dots, if both sides are versions. gitrevisions(7).
pub(super) fn sides(word: &str) -> impl Iterator<Item = &str> {
    let range = word.split_once("..");
    let sides = range.map(|(from, to)| [from, to.strip_prefix('.').unwrap_or(to)]);
    sides.into_iter().flatten()
}

/// Whether a word, or a side of it, looks for a commit of any name by what it says.
pub(super) fn searches(word: &str) -> bool {
    let mut all = sides(word).chain([word]);
    all.any(|one| one.trim_start_matches('^').starts_with(":/"))
}

/// Whether what stands in braces looks for nothing, and has nothing in it that means something outside.
pub(super) fn are_plain_braces(word: &str) -> bool {
    let mut inner = word
        .split('{')
        .skip(1)
        .map(|behind| behind.split('}').next().unwrap_or_default());
    inner.all(|inner| inner.chars().all(|char| char.is_ascii_alphanumeric() || char == '-'))
}

impl Line<'_> {
    /// What words are, of which each may be a version, or some: first each as a whole, then the sides of ranges.
    pub(super) fn words(&self, words: &[&str]) -> Result<Vec<Word>, String> {
        if let Some(search) = words.iter().find(|word| searches(word) || !are_plain_braces(word)) {
            return Err(format!("what {search} finds"));
        }
        let sides = words.iter().flat_map(|word| sides(word));
        self.kinds(&words.iter().copied().chain(sides).collect::<Vec<_>>())
    }

    /// What each of these is, of which none is a range.
    pub(super) fn kinds(&self, words: &[&str]) -> Result<Vec<Word>, String> {
        // Of each what is meant, and of which version it is.
        let asked = words.iter().flat_map(|word| {
            let word = word.trim_start_matches('^');
            let version = word.split(':').next().unwrap_or_default();
            let version = version.strip_suffix(TOP).unwrap_or(version);
            let named = |name: &str| {
                if name.is_empty() {
                    "HEAD".to_owned()
                } else {
                    name.to_owned()
                }
            };
            let version = if word.starts_with(':') {
                String::new()
            } else {
                named(version)
            };
            [named(word), format!("{version}^{{}}")]
        });
        let asked: Vec<String> = asked.collect();
        let objects = self.objects(&asked).ok_or("what can't be told now")?;
        let kind = |(word, objects): (&&str, &[Object])| {
            let [whole, version] = objects else { return Word::Other };
            match (word.split_once(':'), whole.kind.as_str(), version.kind.as_str()) {
                // At a path a version may have a commit, of a module.
                (_, _, "blob" | "tree") | (Some(_), "commit" | "tag", _) => Word::Nameless,
                (Some((_, path)), "blob", _) => Word::File(self.beneath_top(Path::new(path)), whole.name.clone()),
                (Some((_, path)), "tree", _) if !path.is_empty() => Word::Folder,
                (Some(_), "tree", _) => Word::Top,
                (None, _, "commit") => Word::Version,
                _ => Word::Other,
            }
        };
        Ok(words.iter().zip(objects.chunks(2)).map(kind).collect())
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
