//! What is done with a command line of git: what shows no contents is git's own, what shows changes or files is looked through,
//! and what shows them so that it can't be told of what file they are is withheld.

use super::super::versions::How;
use super::grammar::Given;
use super::line::Line;
use std::path::{Path, PathBuf};

/// What is done with it.
pub(super) enum Plan {
    /// Git does it.
    AsItIs,
    /// What git prints is looked through.
    Through(How),
    /// Nothing, for what it would show.
    Withheld(String),
}

/// Commands that print nothing of what files hold, but for what an option asks for.
const LISTING: &[&str] = &[
    "branch",
    "check-ignore",
    "config",
    "count-objects",
    "describe",
    "for-each-ref",
    "help",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge-base",
    "name-rev",
    "remote",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show-ref",
    "symbolic-ref",
    "tag",
    "var",
    "version",
    "worktree",
];
/// Those that change something, and may show what. An operator can let them by.
const CHANGING: &[&str] = &[
    "add",
    "am",
    "apply",
    "bisect",
    "checkout",
    "cherry-pick",
    "clean",
    "clone",
    "commit",
    "fetch",
    "gc",
    "init",
    "lfs",
    "maintenance",
    "merge",
    "mv",
    "prune",
    "pull",
    "push",
    "rebase",
    "repack",
    "reset",
    "restore",
    "revert",
    "rm",
    "sparse-checkout",
    "stash",
    "status",
    "submodule",
    "switch",
    "update-index",
    "update-ref",
];
/// Options of `git grep` whose value may be the next argument: by their letters, and long ones.
const VALUED_LETTERS: &str = "ABCefm";
const VALUED_LONG: &[&str] = &[
    "--after-context",
    "--before-context",
    "--context",
    "--max-count",
    "--max-depth",
    "--threads",
];
/// Those by which it is told what to look for.
const PATTERNS: &str = "ef";
/// What of a commit is its folder at the top.
const TOP: &str = "^{tree}";

/// What a word is to git.
#[derive(PartialEq)]
enum Word {
    /// A commit, or some.
    Version,
    /// A folder, of a version.
    Folder,
    /// A file of a version, called so.
    File(PathBuf),
    /// A file or a folder that a name was given to: nothing says what it is called.
    Nameless,
    /// A file, a pattern, or nothing.
    Other,
}

/// Whether a format shows what has a name as it is.
fn asks_for_all(format: &str) -> bool {
    ["%(raw", "%(*raw"].iter().any(|all| format.contains(all))
}

impl Line<'_> {
    /// What is done with it.
    pub(super) fn plan(&self) -> Plan {
        let planned = match self.is_answered() {
            Ok(true) => return Plan::AsItIs,
            // It shows the manual.
            Ok(false) if self.texts().next() == Some("--help") => return Plan::AsItIs,
            Ok(false) => self.planned(self.name().unwrap_or_default()),
            Err(unknown) => Err(format!("what git shows with `{unknown}`")),
        };
        planned.unwrap_or_else(Plan::Withheld)
    }

    fn planned(&self, name: &str) -> Result<Plan, String> {
        let changes = || Given::of_changes(self.texts(), matches!(name, "show" | "diff"));
        match name {
            "log" | "show" | "diff" | "whatchanged" => self.of_changes(name, &changes()),
            "reflog" if changes().shows || changes().unfit.is_some() => Err("what was taken back".to_owned()),
            "reflog" => Ok(Plan::AsItIs),
            "cat-file" => self.of_object(),
            "grep" => self.of_lines("grep", self.words_of_grep()),
            "blame" | "annotate" => {
                let given = Given::of_blame(self.texts());
                if let Some(unfit) = given.unfit {
                    return Err(format!("what `git {name}` shows with `{unfit}`"));
                }
                let words: Vec<&str> = given.words.into_iter().chain(given.files).collect();
                match words.iter().find(|word| self.object(word).is_none() && !self.has(word)) {
                    Some(other) => Err(format!("what `git {name}` shows of {other}")),
                    None => self.of_lines(name, words),
                }
            }
            "stash" if self.texts().eq(["list"]) => Ok(Plan::AsItIs),
            "stash" if self.texts().next() == Some("show") => {
                self.of_changes("stash show", &Given::of_changes(self.texts().skip(1), true))
            }
            "stash" if self.texts().any(|text| matches!(text, "list" | "show")) => Err("what was stashed".to_owned()),
            "config" if self.texts().any(|text| text.starts_with("--bl")) => {
                Err("configuration that a version has".to_owned())
            }
            _ if LISTING.contains(&name) => match self.texts().any(asks_for_all) {
                true => Err("what `%(raw)` stands for".to_owned()),
                false => Ok(Plan::AsItIs),
            },
            _ if CHANGING.contains(&name) => Ok(Plan::Through(How {
                by_line: true,
                changes: true,
                files: Vec::new(),
            })),
            _ => Err(format!("what `git {name}` shows")),
        }
    }

    /// For what shows changes, or what else such a command is given.
    fn of_changes(&self, name: &str, given: &Given<'_>) -> Result<Plan, String> {
        if let Some(unfit) = given.unfit {
            return Err(format!("what `git {name}` shows with `{unfit}`"));
        }
        if given.checks {
            // It names no file as others do.
            let other = given.names_versions || given.words.iter().any(|word| self.is_another(word));
            return match name == "diff" && !other && !given.words.iter().any(|word| self.is_odd(word)) {
                true => Ok(Plan::Through(How {
                    by_line: true,
                    changes: true,
                    files: Vec::new(),
                })),
                false => Err(format!("what `git {name} --check` finds in other versions")),
            };
        }
        if !given.shows && name != "show" {
            return Ok(Plan::AsItIs);
        }
        let words = self.words(&given.words)?;
        if words.contains(&Word::Nameless) || name == "show" && given.names_versions && self.has_nameless() {
            return Err("what has a name for less than a commit".to_owned());
        }
        if name == "diff" && words.contains(&Word::Folder) {
            return Err("what a comparison of folders shows, which leaves out their names,".to_owned());
        }
        let files: Vec<PathBuf> = words.iter().filter_map(Word::file).collect();
        let is_mixed = given.names_versions || words.contains(&Word::Version);
        if name == "show" && !files.is_empty() && is_mixed {
            return Err("what a version has beside files of versions".to_owned());
        }
        if files.is_empty() && !given.shows {
            return Ok(Plan::AsItIs);
        }
        Ok(Plan::Through(How {
            by_line: !given.marks_words,
            changes: name != "show" || files.is_empty(),
            files,
        }))
    }

    /// For `git cat-file`.
    fn of_object(&self) -> Result<Plan, String> {
        let texts: Vec<&str> = self.texts().collect();
        let object = match texts.as_slice() {
            ["-t" | "-s" | "-e", _] => return Ok(Plan::AsItIs),
            ["-p" | "blob" | "commit" | "tag" | "tree", object] => object,
            _ => return Err("what `git cat-file` shows so".to_owned()),
        };
        match self.words(&[object])?.pop() {
            Some(Word::File(file)) => Ok(Plan::Through(How {
                by_line: true,
                changes: false,
                files: vec![file],
            })),
            Some(Word::Version | Word::Folder) => Ok(Plan::AsItIs),
            _ if object.ends_with(TOP) => Ok(Plan::AsItIs),
            Some(Word::Other) => Ok(Plan::AsItIs),
            _ => Err("what has a name for less than a commit".to_owned()),
        }
    }

    /// For what shows lines of files that are there or in the last commit, unless another version is meant.
    fn of_lines(&self, name: &str, words: Vec<&str>) -> Result<Plan, String> {
        // What is no UTF-8 is read as nothing.
        match words.into_iter().find(|word| word.is_empty() || self.is_another(word)) {
            Some(other) => Err(format!("what `git {name}` finds in {other}")),
            None => Ok(Plan::Through(How {
                by_line: true,
                changes: false,
                files: Vec::new(),
            })),
        }
    }

    /// What words are, of which each may be a version.
    fn words<'a>(&self, words: &[&'a str]) -> Result<Vec<Word>, String> {
        if let Some(search) = words.iter().find(|word| word.starts_with(":/") || word.contains("^{/")) {
            return Err(format!("what {search} finds"));
        }
        // As a whole and as a range.
        let both = |word: &&'a str| {
            let sides = word.split("..").filter(|side| side.len() < word.len());
            std::iter::once(*word).chain(sides)
        };
        let sides: Vec<&str> = words
            .iter()
            .flat_map(both)
            .map(|side| side.trim_start_matches(['^', '.']))
            .filter(|side| !matches!(*side, "" | "@" | "HEAD"))
            .collect();
        // Of each what is meant, and of which version it is.
        let asked = sides.iter().flat_map(|side| {
            let version = side.split(':').next().unwrap_or_default();
            let version = version.strip_suffix(TOP).unwrap_or(version);
            [side.to_string(), format!("{version}^{{}}")]
        });
        let asked: Vec<String> = asked.collect();
        let kinds = self.kinds(&asked).ok_or("what can't be told now")?;
        let is_head =
            |word: &&&str| matches!(**word, "" | "@" | "HEAD") || word.split("..").any(|side| side.is_empty());
        let heads = words.iter().filter(is_head).map(|_| Word::Version);
        let word = |(side, kinds): (&&str, &[String])| match (side.split_once(':'), kinds) {
            (_, [_, version]) if matches!(version.as_str(), "blob" | "tree") => Word::Nameless,
            (Some((_, path)), [kind, _]) if kind == "blob" => Word::File(self.beneath_top(Path::new(path))),
            (Some((_, path)), [kind, _]) if kind == "tree" && !path.is_empty() => Word::Folder,
            (None, [_, version]) if version == "commit" => Word::Version,
            _ => Word::Other,
        };
        Ok(sides.iter().zip(kinds.chunks(2)).map(word).chain(heads).collect())
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

    /// Whether some name is one of less than a commit.
    fn has_nameless(&self) -> bool {
        let kinds = self.kinds_of_all();
        kinds.is_none_or(|kinds| kinds.iter().any(|kind| matches!(kind.as_str(), "blob" | "tree")))
    }

    /// Whether a word may name versions in a way that is not told what they are.
    fn is_odd(&self, word: &str) -> bool {
        word.contains("..") || word.contains(['^', '~', ':', '@']) && self.object(word).is_none()
    }

    /// Whether it names a version that has other files than the last commit.
    fn is_another(&self, word: &str) -> bool {
        let tree = |word: &str| self.object(&format!("{word}{TOP}"));
        self.object(word).is_some() && (tree(word).is_none() || tree(word) != tree("HEAD"))
    }

    /// What `git grep` is given that may be a version: not what is looked for, which the first operand is unless an option says it.
    fn words_of_grep(&self) -> Vec<&str> {
        let (mut words, mut given, mut first, mut skip) = (Vec::new(), false, None, false);
        let mut options = true;
        for text in self.texts() {
            if std::mem::take(&mut skip) {
                continue;
            }
            match text.strip_prefix('-').filter(|_| options) {
                // Before what is looked for it ends the options and nothing else.
                _ if text == "--" && options && !given && first.is_none() => options = false,
                _ if text == "--" => break,
                Some(letters) if letters.starts_with('-') => skip = VALUED_LONG.contains(&text),
                Some(letters) if !letters.is_empty() => {
                    // The first that takes one takes the rest.
                    let valued = letters.find(|letter| VALUED_LETTERS.contains(letter));
                    let letter = valued.and_then(|at| letters.get(at..=at)).unwrap_or_default();
                    given |= !letter.is_empty() && PATTERNS.contains(letter);
                    skip = valued.is_some_and(|at| at + 1 == letters.len());
                }
                _ if first.is_none() => first = Some(text),
                _ => words.push(text),
            }
        }
        words.extend(first.filter(|_| given));
        words
    }
}

impl Word {
    fn file(&self) -> Option<PathBuf> {
        match self {
            Word::File(path) => Some(path.clone()),
            _ => None,
        }
    }
}
