//! What is done with a command line of git: what shows no contents is git's own, what shows changes or files is looked through,
//! and what shows them so that it can't be told of what file they are is withheld.

use super::super::versions::How;
use super::grammar::{Given, VALUED};
use super::line::Line;
use super::revision::{TOP, is_disguised};
use super::words::{Named, Word};

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
    "worktree",
];
/// Those of them that can be told to ask about each part of a change.
const PICKING: &[&str] = &["add", "checkout", "commit", "reset", "restore", "stash"];
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
/// Whether an option of that command has git ask about each part of a change, in full or as far as git needs it.
fn picks(name: &str, option: &str) -> bool {
    let letters = option.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    // Behind it stands a message.
    let end = if name == "commit" { 'm' } else { '\0' };
    let letters = letters.and_then(|letters| letters.split(end).next());
    let begins = |long: &&str| option.len() > 2 && long.starts_with(option);
    letters.is_some_and(|letters| letters.contains(['p', 'i', 'e']))
        || ["--patch", "--interactive"].iter().any(begins)
}

fn of_no_branch(word: &str) -> String {
    format!("what `{word}` stands for and is in no branch or tag")
}

/// Whether `git status` and its like are told to show changes too.
fn is_told_more(option: &str) -> bool {
    let letters = option.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    option.starts_with("--v") || letters.is_some_and(|letters| letters.contains('v'))
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

    pub(super) fn options(&self) -> impl Iterator<Item = &str> {
        self.texts().take_while(|text| *text != "--")
    }

    fn planned(&self, name: &str) -> Result<Plan, String> {
        let is_read = !CHANGING.contains(&name) || name == "stash";
        if let Some(word) = self.texts().find(|text| is_read && is_disguised(text)) {
            return Err(format!("what `{word}` stands for"));
        }
        let changes = || Given::of_changes(self.texts(), matches!(name, "show" | "diff"), name != "diff");
        match name {
            "log" | "show" | "diff" | "whatchanged" => self.of_changes(name, &changes()),
            "reflog" => match changes() {
                given if given.shows || given.checks || given.unfit.is_some() => {
                    Err("what was taken back".to_owned())
                }
                _ => Ok(Plan::AsItIs),
            },
            "cat-file" => self.of_object(),
            // What looks like an option may be the value of one: then it is refused all the same.
            "grep" => match self
                .texts()
                .find(|text| text.starts_with("--ca") || text.starts_with("--en"))
            {
                // What is in the index need be nowhere else.
                Some(other) => Err(format!("what `git grep` finds with `{other}`")),
                None if self.has_frozen(false) => Err(
                    "what `git grep` finds in files that git takes for unchanged (`grep -rn` searches the work tree)"
                        .to_owned(),
                ),
                None => self.of_lines("grep", &self.words_of_grep()),
            },
            "blame" | "annotate" => {
                let given = Given::of_blame(self.texts());
                if let Some(unfit) = given.unfit {
                    return Err(format!("what `git {name}` shows with `{unfit}`"));
                }
                let words: Vec<&str> = given.words.into_iter().chain(given.files).collect();
                // What else is neither a version nor a file is nothing.
                let may_be = |word: &&&str| word.contains(['^', '~', ':', '@', '{', '*']) || word.contains("..");
                let odd = |word: &&&str| may_be(word) && self.object(word).is_none() && !self.has(word);
                match words.iter().find(odd) {
                    Some(other) => Err(format!("what `git {name}` shows of {other}")),
                    None => self.of_lines(name, &words),
                }
            }
            "stash" if self.texts().eq(["list"]) => Ok(Plan::AsItIs),
            // It takes what is no option out first, values too.
            "stash" if self.texts().next() == Some("show") && self.texts().any(|text| VALUED.contains(&text)) => {
                Err("what was stashed".to_owned())
            }
            "stash" if self.texts().next() == Some("show") => {
                self.of_changes("stash show", &Given::of_changes(self.texts().skip(1), true, false))
            }
            "stash" if self.texts().any(|text| matches!(text, "list" | "show")) => Err("what was stashed".to_owned()),
            "config" if self.texts().any(|text| text.starts_with("--bl")) => {
                Err("configuration that a version has".to_owned())
            }
            _ if LISTING.contains(&name) => match self.texts().any(asks_for_all) {
                true => Err("what `%(raw)` stands for".to_owned()),
                false => Ok(Plan::AsItIs),
            },
            "bisect" if self.texts().any(|text| matches!(text, "view" | "visualize")) => {
                Err("what `git bisect` was told to look at".to_owned())
            }
            // What it asks stands before what it shows.
            _ if PICKING.contains(&name) && self.texts().any(|text| picks(name, text)) => {
                Err(format!("what `git {name}` asks about, part by part,"))
            }
            _ if CHANGING.contains(&name) => {
                if matches!(name, "commit" | "status") && self.texts().any(is_told_more) {
                    self.check_sides()?;
                }
                Ok(Plan::Through(How {
                    by_line: true,
                    several: false,
                    files: Vec::new(),
                }))
            }
            _ => Err(format!("what `git {name}` shows")),
        }
    }

    /// For what shows changes, or what else such a command is given.
    fn of_changes(&self, name: &str, given: &Given<'_>) -> Result<Plan, String> {
        // More than two versions are compared at once whatever these say.
        let apart = |option: &&str| name == "diff" && matches!(*option, "-m" | "--first-parent");
        if let Some(unfit) = given.unfit.or_else(|| self.options().find(apart)) {
            return Err(format!("what `git {name}` shows with `{unfit}`"));
        }
        let searches = self
            .options()
            .any(|option| option.starts_with("-S") || option.starts_with("-G"));
        // A file is shown whatever is said of changes.
        let of_files = name == "show" && given.words.iter().any(|word| word.contains(':'));
        let looks = given.shows || given.checks || searches || of_files;
        if !looks && name != "show" {
            return Ok(Plan::AsItIs);
        }
        let named = self.named(&given.words).map_err(of_no_branch)?;
        if looks && name != "stash show" {
            let is_all = |option: &&str| *option == "--all" || option.starts_with("--glob");
            if let Some(unshared) = self.options().find(is_all).or_else(|| self.unshared(&named)) {
                return Err(of_no_branch(unshared));
            }
        }
        if given.checks {
            // It names no file as others do.
            let other = given.turns || given.names_versions || self.another(&given.words).is_some();
            // A file that is not looked at is as the index has it, beside a version.
            let is_of_index = !given.words.is_empty() && self.has_frozen(true);
            let is_known = !is_of_index && self.check_sides().is_ok();
            return match name == "diff" && !other && is_known && !given.words.iter().any(|word| self.is_odd(word)) {
                true => Ok(Plan::Through(How {
                    by_line: true,
                    several: false,
                    files: Vec::new(),
                })),
                false => Err(format!("what `git {name} --check` finds in other versions")),
            };
        }
        if name == "diff" || named.iter().any(Named::is_of_index) {
            self.check_sides()?;
        }
        let words: Vec<Word> = named.iter().map(|named| self.kind(named)).collect();
        if words.contains(&Word::Nameless)
            || matches!(name, "show" | "diff") && given.names_versions && self.has_nameless()
        {
            return Err("what has a name for less than a commit".to_owned());
        }
        if name == "diff" && words.contains(&Word::Folder) {
            return Err("what a comparison of folders shows, which leaves out their names,".to_owned());
        }
        let has_files = words.iter().any(|word| matches!(word, Word::File(..)));
        if name == "show" && has_files {
            // Where git's own words are handed on, each of them is one of a file or of names.
            let mut whole = named.iter().zip(&words).filter(|(named, _)| named.is_all);
            let is_known = |word: &Word| matches!(word, Word::File(..) | Word::Folder | Word::Top);
            return match !given.names_versions && whole.all(|(_, word)| is_known(word)) {
                true => self.of_files(&words),
                false => Err("what a version has beside files of versions".to_owned()),
            };
        }
        if !given.shows {
            return Ok(Plan::AsItIs);
        }
        let versions = words
            .iter()
            .filter(|word| matches!(word, Word::Version | Word::Top))
            .count();
        let mut parents = given
            .words
            .iter()
            .flat_map(|word| ["^!", "^@", "^-"].map(|all| word.contains(all)));
        let is_of_parents = parents.any(|is_one| is_one);
        let files = words.into_iter().filter_map(|word| match word {
            Word::File(path, _) => Some(path),
            _ => None,
        });
        Ok(Plan::Through(How {
            by_line: !given.marks_words,
            several: name == "show" || name == "diff" && (versions > 2 || given.names_versions || is_of_parents),
            files: files.collect(),
        }))
    }

    /// For what shows files of versions as they are.
    fn of_files(&self, words: &[Word]) -> Result<Plan, String> {
        let mut blobs = self.blobs();
        for word in words {
            let Word::File(path, object) = word else { continue };
            let last = self.object(&format!("HEAD:{}", path.display()));
            let is_last = last.is_some_and(|last| last.trim_ascii_end() == object.as_bytes());
            if !is_last && blobs.is_private(path, object.as_bytes()) != Some(false) {
                return Err(format!("what another version has as {}", path.display()));
            }
        }
        Ok(Plan::AsItIs)
    }

    /// For `git cat-file`.
    fn of_object(&self) -> Result<Plan, String> {
        let texts: Vec<&str> = self.texts().collect();
        let object = match texts.as_slice() {
            ["-t" | "-s" | "-e", _] => return Ok(Plan::AsItIs),
            ["-p" | "blob" | "commit" | "tag" | "tree", object] => object,
            _ => return Err("what `git cat-file` shows so".to_owned()),
        };
        let named = self.named(&[object]).map_err(of_no_branch)?;
        if let Some(unshared) = self.unshared(&named) {
            return Err(of_no_branch(unshared));
        }
        if named.iter().any(Named::is_of_index) {
            self.check_sides()?;
        }
        let words: Vec<Word> = named.iter().map(|named| self.kind(named)).collect();
        match words.contains(&Word::Nameless) && !object.ends_with(TOP) {
            true => Err("what has a name for less than a commit".to_owned()),
            false => self.of_files(&words),
        }
    }

    /// For what shows lines of files that are there or in the last commit, unless another version is meant.
    fn of_lines(&self, name: &str, words: &[&str]) -> Result<Plan, String> {
        // What is no UTF-8 is read as nothing.
        let unread = words.iter().copied().find(|word| word.is_empty());
        match unread.or_else(|| self.another(words)) {
            Some(other) => Err(format!("what `git {name}` finds in {other}")),
            None => Ok(Plan::AsItIs),
        }
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
                // What is looked for may be called so.
                _ if text == "--" && (given || first.is_some()) => break,
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
