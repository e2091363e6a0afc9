//! What of other versions git would show without saying of what file it is, so that it is withheld whole.

use super::super::blobs::FATAL;
use super::line::{Line, is_of_version};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::process::Stdio;

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
/// Commands that list what names there are.
const LISTING: &[&str] = &["branch", "for-each-ref", "ls-remote", "show-ref", "status", "tag"];
/// Options by which `git show` is given all names of a kind.
const MANY: &[&str] = &["--all", "--branches", "--glob", "--remotes", "--stdin", "--tags"];

/// Whether that is the kind of something less than a commit.
fn is_less(kind: &str) -> bool {
    matches!(kind, "blob" | "tree")
}

impl Line<'_> {
    /// What it would show of which it is not told of what file that is.
    pub(super) fn withheld(&self, name: &str) -> Option<String> {
        let options = || self.options();
        let given = |begin: &str| options().any(|text| text.starts_with(begin));
        let words = match name {
            "grep" => self.words_of_grep(),
            _ => options().collect(),
        };
        let other = || words.iter().find(|word| self.is_another(word));
        let are_read = self
            .arguments
            .iter()
            .take_while(|argument| *argument != "--")
            .all(|argument| argument.to_str().is_some());
        match name {
            _ if !are_read => Some("what is called by what is no UTF-8".to_owned()),
            "grep" | "blame" | "annotate" => other().map(|version| format!("what `git {name}` finds in {version}")),
            _ if options().any(|text| text.contains("%(raw")) => Some("what `%(raw)` stands for".to_owned()),
            _ if !LISTING.contains(&name) && self.is_given_nameless(name) => {
                Some("what lies beneath a name for less than a commit".to_owned())
            }
            "config" if given("--bl") => Some("configuration that a version has".to_owned()),
            "show" if self.shows_files() => {
                let other = options().find(|text| !text.starts_with('-') && !is_of_version(text));
                other.map(|other| format!("what {other} has beside files of versions"))
            }
            _ if given("-L") => Some("what `-L` picks".to_owned()),
            _ if given("--rel") => Some("what `--relative` leaves of names".to_owned()),
            // It names no file as others do.
            "diff" if given("--ch") => other().map(|version| format!("what `--check` finds in {version}")),
            _ if given("--ch") => Some("what `--check` finds".to_owned()),
            _ => None,
        }
    }

    /// Whether it is given a file, or a folder, that a tag names, so that nothing says what that is called.
    fn is_given_nameless(&self, name: &str) -> bool {
        let words = self.options().filter(|word| !word.starts_with('-'));
        let sides = words.flat_map(|word| word.split(".."));
        let names: BTreeSet<String> = sides
            .filter_map(|word| {
                let word = word.trim_start_matches(['^', '.']).split(':').next()?;
                Some(word.strip_suffix("^{tree}").unwrap_or(word))
            })
            .filter(|name| !matches!(*name, "" | "@" | "HEAD"))
            .map(|name| format!("{name}^{{}}"))
            .collect();
        let many = name == "show"
            && self
                .options()
                .any(|word| MANY.iter().any(|many| word.starts_with(many)));
        let kinds = many.then(|| self.kinds_of_refs()).into_iter();
        let kinds = kinds.chain((!names.is_empty()).then(|| self.kinds(names)));
        // What can't be looked at is none that may be shown.
        { kinds }.any(|kinds| kinds.is_none_or(|kinds| kinds.lines().any(is_less)))
    }

    fn kinds_of_refs(&self) -> Option<String> {
        let asked = ["for-each-ref", "--format=%(objecttype)%0a%(*objecttype)"];
        let output = { self.git(self.globals()) }.args(asked).output().ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// What git says of each of these what it is, if it says it of all: in other places than a repository nothing.
    pub(super) fn kinds(&self, names: impl IntoIterator<Item = String>) -> Option<String> {
        let mut child = { self.git(self.globals()) }
            .args(["cat-file", "--batch-check=%(objecttype)"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let (mut ask, mut answers) = (child.stdin.take()?, child.stdout.take()?);
        let lines: String = names.into_iter().map(|name| name + "\n").collect();
        let mut kinds = String::new();
        let read = std::thread::scope(|scope| {
            scope.spawn(move || ask.write_all(lines.as_bytes()));
            answers.read_to_string(&mut kinds).is_ok()
        });
        let is_done = child.wait().ok()?.success() && read;
        (is_done || !self.is_in_repository()?).then_some(kinds)
    }

    fn is_in_repository(&self) -> Option<bool> {
        let mut asked = self.git(self.globals());
        let asked = asked
            .args(["rev-parse", "--git-dir"])
            .stderr(Stdio::null())
            .output()
            .ok()?;
        Some(asked.status.code() != Some(FATAL))
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

    /// Whether it may name a version that has other files than the last commit.
    fn is_another(&self, word: &str) -> bool {
        // A folder above, or a pattern of paths.
        if word.starts_with("../")
            || word == ".."
            || word.contains("/../")
            || word.starts_with(":(")
            || word.starts_with('-')
        {
            return false;
        }
        // A range, or a file of a version.
        if word.contains("..") || word.contains(':') {
            return true;
        }
        let name = |word: &str| {
            let asked = ["rev-parse", "-q", "--verify", "--end-of-options", word].map(OsStr::new);
            let output = { self.git(self.globals()) }
                .args(asked)
                .stderr(Stdio::null())
                .output()
                .ok()?;
            output.status.success().then_some(output.stdout)
        };
        let tree = |word: &str| name(&format!("{word}^{{tree}}"));
        name(word).is_some() && (tree(word).is_none() || tree(word) != tree("HEAD"))
    }
}
