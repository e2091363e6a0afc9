//! What is left over where patterns keep names out, and what is picked by a pattern that spells nothing. `! -name '[!.]*'`
//! names no file, and finds only hidden ones: it picks them as well as `-name '.*'` does. Which names a pattern speaks of
//! is told by trying it with some that are everywhere, and with those that are protected.

use super::glob;
use super::pattern::set_length;
use super::table::{Effect, Match, ROWS, WORDS};

/// Files as they lie everywhere: as many beneath a folder as not, of all lengths, in small letters mostly.
const EVERYDAY: &[&str] = &[
    "LICENSE",
    "Makefile",
    "README.md",
    "a.py",
    "index.html",
    "logo.png",
    "main.rs",
    "notes.txt",
    "package.json",
    "x.c",
    "bin/run.sh",
    "data/2024.csv",
    "docs/index.md",
    "include/api.h",
    "lib/Tool.java",
    "src/app.ts",
    "src/lib.rs",
    "src/main.py",
    "src/util.go",
    "tests/test_all.py",
];
/// More than so many of a hundred are most.
const MOST: usize = 59;
/// More patterns are not tried, and no longer ones, in bytes.
const MOST_TRIED: usize = 64;
const LONGEST: usize = 256;
/// Fewer letters spell nothing.
const TELLING: usize = 2;
/// How programs name a file of the folder they begin at.
const STARTS: &[&str] = &["", "./"];
/// The classes of characters that a set may name, and what they are made of: POSIX.1-2024, 9.3.5.
const CLASSES: &[(&str, &str)] = &[
    ("alnum", "a-zA-Z0-9"),
    ("alpha", "a-zA-Z"),
    ("blank", " "),
    ("digit", "0-9"),
    ("graph", "!-~"),
    ("lower", "a-z"),
    ("print", " -~"),
    ("punct", "!-.:-@_~"),
    ("space", " "),
    ("upper", "A-Z"),
    ("word", "a-zA-Z0-9_"),
    ("xdigit", "0-9a-fA-F"),
];

/// A pattern that keeps out what it matches.
#[derive(Clone, Debug)]
pub(crate) struct KeptOut {
    pattern: String,
    /// It is compared with the last part of a path alone.
    by_name: bool,
    any_case: bool,
    /// If most is kept out, it is by this: how long a name is, or which letters it has, says what is meant.
    chooses: bool,
}

impl KeptOut {
    /// A pattern of the shell's kind. One with a folder in it is compared with paths. `None` if it keeps out what it names.
    pub(crate) fn glob(pattern: &str, any_case: bool) -> Option<KeptOut> {
        let pattern = plain(&pattern.replace('\\', ""));
        let by_name = !pattern.contains('/');
        let chooses = pattern.contains(['?', '[']);
        KeptOut {
            pattern,
            by_name,
            any_case,
            chooses,
        }
        .broad()
    }

    /// What a regular expression matches of a path, in one of its alternatives; if it is `unclear`, perhaps less.
    pub(crate) fn spelt(pattern: &str, any_case: bool, unclear: bool) -> Option<KeptOut> {
        KeptOut {
            pattern: plain(pattern),
            by_name: false,
            any_case,
            chooses: unclear,
        }
        .broad()
    }

    /// The same, if it says nothing by letters; else what is left without the folders, if that does not. Other patterns
    /// keep out what they name.
    fn broad(self) -> Option<KeptOut> {
        // One that is too long to be tried is left to be found so.
        if self.pattern.len() > LONGEST || spells(&self.pattern) < TELLING {
            return Some(self);
        }
        let (_, name) = self.pattern.rsplit_once('/')?;
        let chosen = name.contains('[') || self.chooses && name.contains('?');
        (chosen && spells(name) < TELLING).then(|| KeptOut {
            pattern: name.to_owned(),
            by_name: true,
            ..self.clone()
        })
    }

    fn matches(&self, start: &str, path: &str) -> bool {
        let path = if self.by_name {
            last(path).to_owned()
        } else {
            format!("{start}{path}")
        };
        let lower = || glob(&self.pattern.to_lowercase(), &path.to_lowercase());
        glob(&self.pattern, &path) || self.any_case && lower()
    }
}

/// Whether, where all these are kept out, hardly anything is left over but what is protected or hidden.
pub(crate) fn leaves_protected(kept_out: &[KeptOut], own: &[String]) -> bool {
    let choose = kept_out.iter().any(|one| one.chooses);
    // What is more than anybody writes is there to keep us busy.
    let long = kept_out.iter().any(|one| one.pattern.len() > LONGEST);
    if long || kept_out.len() > MOST_TRIED {
        return true;
    }
    STARTS.iter().any(|start| {
        let is_out = |path: &str| kept_out.iter().any(|one| one.matches(start, path));
        let gone = EVERYDAY.iter().filter(|path| is_out(path)).count();
        gone * 100 > EVERYDAY.len() * MOST && (choose || protected(own).any(|path| !is_out(&path)))
    })
}

/// Whether a part of a pattern of paths spells nothing, and matches hardly anything but what is hidden.
pub(crate) fn picks_hidden(pattern: &str) -> bool {
    // What is more than anybody writes is there to keep us busy.
    if pattern.len() > LONGEST {
        return true;
    }
    let pattern = plain(&pattern.replace('\\', ""));
    let hidden = |part: &str| {
        part.contains(['*', '?', '['])
            && spells(part) == 0
            && !EVERYDAY.iter().any(|path| glob(part, last(path)))
            && protected(&[]).any(|path| path.starts_with('.') && glob(part, first(&path)))
    };
    pattern.split('/').any(hidden)
}

/// Names and paths that must not be read unasked, one for each row of the table, and for each of an operator's `own` patterns.
fn protected(own: &[String]) -> impl Iterator<Item = String> {
    let rows = ROWS.iter().filter(|(_, read, ..)| *read != Effect::Allow);
    let rows = rows.filter_map(|(what, ..)| match what {
        Match::Name(name) => Some((*name).to_owned()),
        Match::Stem(stem) => Some(format!("{stem}x")),
        Match::Suffix(suffix) => Some(format!("server{suffix}")),
        Match::Part(parts) => Some(parts.join("/")),
        Match::Root(_) => None,
    });
    let own = own.iter().map(|pattern| pattern.replace(['*', '?'], "x"));
    rows.chain(WORDS.iter().map(|word| (*word).to_owned())).chain(own)
}

fn first(path: &str) -> &str {
    path.split('/').next().unwrap_or(path)
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// How many letters and digits a pattern has beside its sets.
fn spells(pattern: &str) -> usize {
    let chars: Vec<char> = pattern.chars().collect();
    // No set ends behind the last of these.
    let end = chars.iter().rposition(|char| *char == ']').unwrap_or_default();
    let (mut at, mut letters) = (0, 0);
    while let Some(char) = chars.get(at) {
        let set = (*char == '[' && at < end).then(|| set_length(&chars[at..])).flatten();
        letters += usize::from(set.is_none() && char.is_alphanumeric());
        at += set.unwrap_or(1);
    }
    letters
}

/// A pattern with each class that a set of it names written out.
fn plain(pattern: &str) -> String {
    let with = |made: String, (name, members): &(&str, &str)| made.replace(&format!("[:{name}:]"), members);
    CLASSES.iter().fold(pattern.to_owned(), with)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(patterns: &[&str]) -> bool {
        let kept_out = patterns.iter().filter_map(|pattern| KeptOut::glob(pattern, false));
        let kept_out: Vec<KeptOut> = kept_out.collect();
        leaves_protected(&kept_out, &[])
    }

    #[test]
    fn patterns_that_keep_out_nearly_everything_leave_over_what_is_protected() {
        for patterns in [
            ["[!.]*", ""],
            ["[^.]*", ""],
            ["*[!v]", ""],
            ["*[!y]", "*.rs"],
            ["[a-z]*", ""],
            ["[[:alnum:]]*", ""],
            ["[![:punct:]]*", ""],
            ["?*", ""],
            ["?????*", ""],
            ["*.*", ""],
            ["[a-m]*", "[A-Zn-z0-9]*"],
            ["src/[!.]*", ""],
            ["./[!.]*/*", "./[!.]*"],
            ["*[!v]", "!x"],
        ] {
            assert!(leaves(&patterns), "{patterns:?}");
        }
    }

    #[test]
    fn patterns_that_keep_out_what_they_name_leave_over_everything_else() {
        for patterns in [
            ["*.o", "*.a"],
            ["*.min.js", "*~"],
            [".*", ".[!.]*"],
            ["*/.*", "./.git/*"],
            ["*/node_modules/*", "target"],
            ["*/*", "*/*/*"],
            ["*", "**"],
            ["*.[ch]", "*[0-9]*"],
            ["[A-Z]*", "_*"],
            ["#*#", "*.sw?"],
            ["test_*.py", "*test*"],
            ["build/**", "docs/*.md"],
        ] {
            assert!(!leaves(&patterns), "{patterns:?}");
        }
    }

    #[test]
    fn no_more_is_tried_than_anybody_writes() {
        let begun = std::time::Instant::now();
        let many = vec![KeptOut::glob("?x*", true).unwrap_or_else(|| unreachable!()); 10_000];
        assert!(leaves_protected(&many, &[]));
        assert!(leaves(&["*?".repeat(60_000).as_str()]));
        assert!(picks_hidden(&".?/".repeat(40_000)));
        for open in ["[", "[[:", "[[:]", "[x"] {
            let long = open.repeat(100_000);
            assert!(picks_hidden(&long) && leaves(&[&long]), "{open}");
            let short = open.repeat(64);
            assert!(!picks_hidden(&short), "{open}");
        }
        assert!(begun.elapsed().as_secs() < 2);
    }

    #[test]
    fn what_only_matches_hidden_names_picks_them() {
        for pattern in [".*", "[.]*", ".[!.]*", ".???", "*/.*", "[!a-zA-Z0-9_]*", "*/.*/*"] {
            assert!(picks_hidden(pattern), "{pattern}");
        }
        for pattern in [
            "*",
            "*.*",
            "????",
            ".gitignore",
            ".github/*",
            "[!a]*",
            "./*",
            ".[ch]",
            "*.[ch]",
        ] {
            assert!(!picks_hidden(pattern), "{pattern}");
        }
    }
}
