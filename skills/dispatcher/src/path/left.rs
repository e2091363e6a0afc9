//! What is left over where patterns keep names out. `! -name '[!.]*'` names no file, and finds only hidden ones: it picks
//! them as well as `-name '.*'` does. Which names a pattern speaks of is told by trying it with some that are everywhere,
//! and with those that are protected.

use super::glob;
use super::set::{plain, set_length, tails};
use super::table::{Effect, Match, ROWS};
use super::words::WORDS;
use crate::text;

/// Files as they lie everywhere: as many beneath a folder as not, of all lengths, in small letters mostly.
pub(super) const EVERYDAY: &[&str] = &[
    "LICENSE",
    "Makefile",
    "README.md",
    "a.py",
    "index.html",
    "my-logo.png",
    "main.rs",
    "notes.txt",
    "package.json",
    "ui.c",
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
pub(super) const MOST: usize = 59;
/// More patterns are not tried, and no longer ones, in bytes.
pub(super) const MOST_TRIED: usize = 64;
pub(super) const LONGEST: usize = 256;
const LONG: usize = 32;
/// Fewer letters spell nothing.
const TELLING: usize = 2;
/// How programs name a file of the folder they begin at.
pub(super) const STARTS: &[&str] = &["", "./"];

/// A pattern that keeps out what it matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeptOut {
    pattern: String,
    /// It is compared with the last part of a path alone.
    by_name: bool,
    /// The same in small letters, if any case will do.
    lower: Option<String>,
    /// If most is kept out, it is by this: how long a name is, or which letters it has, says what is meant.
    chooses: bool,
    /// It is a part of what was written.
    pub(super) part: bool,
    /// It spells what it keeps out.
    pub(crate) names: bool,
    /// What it matches is not told.
    pub(super) unread: bool,
}

impl KeptOut {
    /// A pattern of the shell's kind. One with a folder in it is compared with paths.
    pub(crate) fn glob(pattern: &str, any_case: bool) -> Vec<KeptOut> {
        // Where a set ends is not followed then.
        let unclear = pattern.contains('\\') && pattern.contains('[');
        let read = Some(pattern.replace('\\', "")).filter(|_| !unclear && pattern.len() <= LONGEST);
        KeptOut::of(read.as_deref().and_then(plain), any_case)
    }

    /// The same of a pattern of paths, of which a sign may stand for that between folders.
    pub(crate) fn paths(pattern: &str, any_case: bool) -> Vec<KeptOut> {
        let mut all = KeptOut::glob(pattern, any_case);
        if pattern.len() <= LONGEST {
            all.extend(KeptOut::behind(&pattern.replace('\\', ""), any_case));
        }
        all
    }

    /// What a pattern of paths keeps out behind each such sign, if it chooses names there.
    fn behind(pattern: &str, any_case: bool) -> impl Iterator<Item = KeptOut> {
        let choosing = tails(pattern).into_iter().filter(|tail| tail.contains(['?', '[']));
        let all = choosing.flat_map(move |tail| KeptOut::of(plain(&tail), any_case));
        all.filter(|one| !one.names).map(|one| KeptOut { part: true, ..one })
    }

    /// What a regular expression matches of a path, in one of its alternatives; if it is `unclear`, perhaps less.
    pub(crate) fn spelt(pattern: &str, any_case: bool, unclear: bool) -> Vec<KeptOut> {
        let read = Some(pattern.to_owned()).filter(|_| pattern.len() <= LONGEST);
        let mut all = KeptOut::of(read, any_case);
        for one in &mut all {
            // It is compared with all of a path, if it is not about a part of it.
            one.by_name &= pattern.contains('/') && one.pattern.len() < pattern.len();
            one.chooses |= unclear;
        }
        if pattern.len() <= LONGEST {
            all.extend(KeptOut::behind(pattern, any_case));
        }
        all
    }

    /// A pattern from the folder at which it all begins; and each part of it that chooses names and says nothing by letters.
    fn of(pattern: Option<String>, any_case: bool) -> Vec<KeptOut> {
        let made = |pattern: &str| KeptOut {
            pattern: pattern.to_owned(),
            by_name: !pattern.contains('/'),
            lower: any_case.then(|| pattern.to_lowercase()),
            chooses: pattern.contains(['?', '[']),
            part: false,
            names: spells(pattern) >= TELLING,
            unread: false,
        };
        let Some(pattern) = pattern else {
            let unread = true;
            return vec![KeptOut { unread, ..made("") }];
        };
        let pattern = from_start(&pattern);
        let choosing = |part: &&str| pattern.len() > part.len() && part.contains(['?', '[']);
        let parts = pattern.split('/').filter(choosing).map(made);
        let parts = parts.map(|one| KeptOut { part: true, ..one });
        let mut all = vec![made(pattern)];
        all.extend(parts.filter(|one| !one.names));
        all
    }

    /// How much of a pattern it is: a long one is several.
    pub(super) fn weight(&self) -> usize {
        1 + self.pattern.len() / LONG
    }

    pub(super) fn matches(&self, path: &str) -> bool {
        let path = if self.by_name { last(path) } else { path };
        let is_small = || path.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        let lower = |pattern: &String| match is_small() {
            true => glob(pattern, path),
            false => glob(pattern, &path.to_lowercase()),
        };
        glob(&self.pattern, path) || self.lower.as_ref().is_some_and(lower)
    }
}

/// Whether, where all these are kept out, hardly anything is left over but what is protected or hidden. Those that spell it
/// keep out what they name.
pub(crate) fn leaves_protected(kept_out: &[KeptOut], own: &[String]) -> bool {
    let kept_out: Vec<&KeptOut> = kept_out.iter().filter(|one| !one.names).collect();
    let choose = kept_out.iter().any(|one| one.chooses);
    let by_letters = kept_out.iter().filter(|one| spells(&one.pattern) == 1).nth(1).is_some();
    // What is more than anybody writes is there to keep us busy.
    if kept_out.iter().any(|one| one.unread) || kept_out.len() > MOST_TRIED {
        return true;
    }
    if kept_out.is_empty() {
        return false;
    }
    STARTS.iter().any(|start| {
        let is_out = |path: &str| {
            let path = format!("{start}{path}");
            kept_out.iter().any(|one| one.matches(&path))
        };
        let gone = EVERYDAY.iter().filter(|path| is_out(path)).count();
        if gone * 100 <= EVERYDAY.len() * MOST || choose {
            return gone * 100 > EVERYDAY.len() * MOST;
        }
        let protected: Vec<String> = protected(own).collect();
        let left = protected.iter().filter(|path| !is_out(path)).count();
        // Beside everyday names that are left over, some that are protected are so by chance, unless letters were chosen.
        left * 100 > protected.len() * MOST || left > 0 && (gone == EVERYDAY.len() || by_letters)
    })
}

/// A pattern of paths without what says that it begins where all of them do, and without the sign of a folder at its end.
fn from_start(pattern: &str) -> &str {
    let mut rest = pattern;
    while let Some(more) = rest.strip_prefix("./").or_else(|| rest.strip_prefix('/')) {
        rest = more;
    }
    rest.trim_end_matches('/')
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

pub(super) fn last(path: &str) -> &str {
    text::behind_last(path, b'/')
}

/// How many letters and digits a pattern has beside its sets.
pub(super) fn spells(pattern: &str) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(patterns: &[&str]) -> bool {
        let kept_out = patterns.iter().flat_map(|pattern| KeptOut::glob(pattern, false));
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
            ["[a-m]*", "[A-Zn-z0-9]*"],
            ["src/[!.]*", ""],
            ["./*/[!.]*", ""],
            ["././[!.]*", ""],
            ["/[!.]*", ""],
            ["[!.]*/", ""],
            ["[!.]*/*", ""],
            ["[![.period.]]*", ""],
            ["[![=.=]]*", ""],
            ["[!--/]*", ""],
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
            ["*.*", ""],
            ["*.*", "Makefile"],
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
        let many = ["?x*"; 10_000]
            .iter()
            .flat_map(|one| KeptOut::glob(one, true))
            .collect::<Vec<_>>();
        assert!(leaves_protected(&many, &[]));
        assert!(leaves(&["*?".repeat(60_000).as_str()]));
        for open in ["[", "[[:", "[[:]", "[x"] {
            assert!(leaves(&[&open.repeat(100_000)]), "{open}");
        }
    }
}
