//! Whether what find(1) finds may lie in git's own folder, where there may be what was never shown to anybody. Its expression
//! is gone through for each path that a file there may have, as find does, with what a test says of it: yes, no, or either;
//! POSIX.1-2024, "find", and GNU findutils 4.9.

use std::collections::BTreeSet;

use super::expand::Argument;
use super::find::{ALONE, WITH_DATA, WITH_FILE, compares_times, is_negation};
use crate::path::{self, Matched, Pattern, RegexKind, Shape, Span};

/// Nobody writes brackets, or negations, deeper in each other.
const DEEPEST: usize = 16;
/// Expressions of more words, or with longer patterns together, in signs, are not gone through: each is looked at for each path,
/// and each folder above it.
const LONGEST: usize = 120;
const MOST_SIGNS: usize = 600;

/// What may be done with a file that lies there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reach {
    /// The places of the actions that it may come to.
    actions: BTreeSet<usize>,
    /// Whether the whole expression may hold.
    holds: bool,
    /// Whether nothing of this is known.
    unknown: bool,
}

impl Reach {
    /// Of a search that begins at these folders, as they are written, each of which may hold a repository. Of some nobody knows
    /// how they are called.
    pub(super) fn read(words: &[&Argument], starts: &[Option<String>], kind: RegexKind, depth: bool) -> Reach {
        let mut reach = Reach::default();
        if starts.len() > 2 || !starts.is_empty() && words.len() > LONGEST {
            reach.unknown = true;
            return reach;
        }
        let tests: Vec<Option<Named>> = match starts {
            [] => return reach,
            _ => (0..words.len()).map(|at| Named::read(words, at, kind)).collect(),
        };
        let signs = tests.iter().flatten().flat_map(|test| &test.patterns);
        if signs.map(Pattern::length).sum::<usize>() > MOST_SIGNS {
            reach.unknown = true;
            return reach;
        }
        let known: Vec<bool> = words.iter().map(|word| word.is_known()).collect();
        let (least, most) = depths(words);
        // What is in a folder comes before it then, and it prunes nothing.
        let prunes = words.iter().any(|word| word.text == "-prune");
        let depth_first = depth || words.iter().any(|word| matches!(word.text.as_str(), "-depth" | "-d"));
        // Where no name is asked for, what lies nearest stands for all.
        let alike = tests.iter().all(Option::is_none);
        let files = starts.iter().flat_map(|start| {
            let all = path::unshown(start.as_deref());
            match alike {
                true => all.min_by_key(Shape::depth).into_iter().collect(),
                false => all.collect::<Vec<Shape<'_>>>(),
            }
        });
        for file in files {
            if most.is_some_and(|most| file.depth() > most) || reach.unknown {
                continue;
            }
            let walk = |shape: Shape<'_>, folder: bool| {
                let mut walk = Walk {
                    words,
                    tests: &tests,
                    known: &known,
                    shape,
                    folder,
                    at: 0,
                    depth: 0,
                    actions: BTreeSet::new(),
                    pruned: false,
                };
                let holds = walk.comma(Truth::Yes).filter(|_| walk.at == words.len());
                (holds, walk.actions, walk.pruned)
            };
            let mut looked = file.above().filter(|folder| folder.depth() >= least);
            if prunes && !depth_first && looked.any(|folder| walk(folder, true).2) {
                continue;
            }
            let (holds, actions, _) = walk(file, false);
            reach.unknown |= holds.is_none();
            reach.holds |= holds.is_some_and(|holds| holds != Truth::No);
            reach.actions.extend(actions);
        }
        reach
    }

    /// Whether the action at this word may be done with such a file.
    pub(super) fn comes_to(&self, at: usize) -> bool {
        self.unknown || self.actions.contains(&at)
    }

    /// Whether such a file may be printed: by an action, or because there is none.
    pub(super) fn is_printed(&self) -> bool {
        self.unknown || self.holds || !self.actions.is_empty()
    }
}

/// How far beneath the folder that it begins at find looks at least, and at most: that of two the last one counts is not told here.
fn depths(words: &[&Argument]) -> (usize, Option<usize>) {
    let text = |at: usize| words.get(at).map_or("", |word: &&Argument| word.text.as_str());
    let places = |option: &str| {
        (0..words.len())
            .filter(|at| text(*at) == option)
            .collect::<Vec<usize>>()
    };
    // What is behind it may belong to a command.
    let acts = (0..words.len()).find(|at| matches!(text(*at), "-exec" | "-execdir"));
    let least = match places("-mindepth").as_slice() {
        [] => 0,
        [at] => text(at + 1).parse().unwrap_or(usize::MAX),
        _ => usize::MAX,
    };
    let most = match places("-maxdepth").as_slice() {
        [at] if acts.is_none_or(|acts| *at < acts) => text(at + 1).parse().ok(),
        _ => None,
    };
    (least, most)
}

/// What is known of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    No,
    Either,
    Yes,
}

impl Truth {
    fn not(self) -> Truth {
        match self {
            Truth::No => Truth::Yes,
            Truth::Either => Truth::Either,
            Truth::Yes => Truth::No,
        }
    }

    fn and(self, other: Truth) -> Truth {
        match (self, other) {
            (Truth::No, _) | (_, Truth::No) => Truth::No,
            (Truth::Yes, Truth::Yes) => Truth::Yes,
            _ => Truth::Either,
        }
    }

    fn or(self, other: Truth) -> Truth {
        self.not().and(other.not()).not()
    }

    fn of(holds: bool) -> Truth {
        if holds { Truth::Yes } else { Truth::No }
    }
}

impl From<Matched> for Truth {
    fn from(matched: Matched) -> Truth {
        match matched {
            Matched::Never => Truth::No,
            Matched::Perhaps => Truth::Either,
            Matched::Always => Truth::Yes,
        }
    }
}

/// One way through an expression. What is not understood ends it with `None`.
struct Walk<'w> {
    words: &'w [&'w Argument],
    tests: &'w [Option<Named>],
    known: &'w [bool],
    shape: Shape<'w>,
    folder: bool,
    at: usize,
    depth: usize,
    actions: BTreeSet<usize>,
    pruned: bool,
}

impl<'w> Walk<'w> {
    fn text(&self) -> &'w str {
        self.words.get(self.at).map_or("", |word| word.text.as_str())
    }

    fn value(&mut self) -> Option<&'w Argument> {
        let value = self.words.get(self.at).copied();
        self.at += 1;
        value
    }

    /// `live` is whether it comes to this.
    fn comma(&mut self, live: Truth) -> Option<Truth> {
        loop {
            let holds = self.or(live)?;
            if self.text() != "," {
                return Some(holds);
            }
            self.at += 1;
        }
    }

    fn or(&mut self, live: Truth) -> Option<Truth> {
        // None at all holds.
        if self.at == self.words.len() && self.depth == 0 {
            return Some(Truth::Yes);
        }
        let mut holds = self.and(live)?;
        while matches!(self.text(), "-o" | "-or") {
            self.at += 1;
            let next = self.and(live.and(holds.not()))?;
            holds = holds.or(next);
        }
        Some(holds)
    }

    fn and(&mut self, live: Truth) -> Option<Truth> {
        let mut holds = self.test(live)?;
        while !matches!(self.text(), "" | "," | ")" | "-o" | "-or") {
            if matches!(self.text(), "-a" | "-and") {
                self.at += 1;
            }
            let next = self.test(live.and(holds))?;
            holds = holds.and(next);
        }
        Some(holds)
    }

    fn test(&mut self, live: Truth) -> Option<Truth> {
        let at = self.at;
        let word = self.value().filter(|_| self.known[at])?;
        let text = word.text.as_str();
        if text == "(" || is_negation(text) {
            self.depth += 1;
            let inner = match text {
                _ if self.depth > DEEPEST => None,
                "(" => self
                    .comma(live)
                    .filter(|_| self.value().is_some_and(|word| word.text == ")")),
                _ => self.test(live).map(Truth::not),
            };
            self.depth -= 1;
            return inner;
        }
        Some(match text {
            "-print" | "-print0" | "-ls" => self.acts(at, live),
            "-printf" => {
                self.value()?;
                self.acts(at, live)
            }
            "-exec" | "-execdir" => {
                self.acts(at, live);
                loop {
                    let after_braces = self.words[self.at - 1].text == "{}";
                    match self.value()?.text.as_str() {
                        ";" => break Truth::Either,
                        "+" if after_braces => break Truth::Yes,
                        _ => {}
                    }
                }
            }
            "-prune" => {
                self.pruned |= live == Truth::Yes;
                Truth::Yes
            }
            "-false" => Truth::No,
            "-type" | "-xtype" => {
                let own = if self.folder { 'd' } else { 'f' };
                Truth::of(self.value()?.text.contains(own))
            }
            _ if WITH_DATA.binary_search(&text).is_ok() => {
                self.value()?;
                match (&self.tests[at], text) {
                    (Some(named), _) => named.holds(self.shape),
                    (None, "-maxdepth" | "-mindepth" | "-regextype") => Truth::Yes,
                    (None, _) => Truth::Either,
                }
            }
            _ if WITH_FILE.binary_search(&text).is_ok() || compares_times(text) => {
                self.value()?;
                Truth::Either
            }
            "-true" | "-daystart" | "-depth" | "-mount" | "-noleaf" | "-nowarn" | "-warn" | "-xdev" => Truth::Yes,
            ")" | "," | "-a" | "-and" | "-o" | "-or" | "[" | "]" => return None,
            _ if ALONE.binary_search(&text).is_ok() => Truth::Either,
            _ => return None,
        })
    }

    fn acts(&mut self, at: usize, live: Truth) -> Truth {
        if live != Truth::No {
            self.actions.insert(at);
        }
        Truth::Yes
    }
}

/// A test of names or paths.
#[derive(Debug)]
struct Named {
    /// One of these must match.
    patterns: Vec<Pattern>,
    /// They are compared with the last part of a path alone.
    by_name: bool,
    /// It matches no less than they do.
    whole: bool,
}

impl Named {
    /// Of the test at this word. `None` if it is none, or what it matches can't be told.
    fn read(words: &[&Argument], at: usize, kind: RegexKind) -> Option<Named> {
        let test = words[at].text.as_str();
        let value = words.get(at + 1)?.text.as_str();
        let any_case = test.starts_with("-i");
        let by_name = matches!(test, "-name" | "-iname");
        let regex = matches!(test, "-regex" | "-iregex");
        let of_paths = matches!(test, "-path" | "-ipath" | "-wholename" | "-iwholename");
        let all = match regex {
            true => path::matched_by_regex(&path::lettered(value, kind)?, Span::Whole)?,
            false if by_name || of_paths => vec![value.to_owned()],
            false => return None,
        };
        let patterns = all.iter().map(|one| Pattern::read(one, any_case));
        Some(Named {
            patterns: patterns.collect::<Option<Vec<Pattern>>>()?,
            by_name,
            whole: !regex || is_plain(value),
        })
    }

    fn holds(&self, shape: Shape<'_>) -> Truth {
        let all = self.patterns.iter();
        let holds = all.fold(Truth::No, |holds, one| {
            holds.or(shape.matched(one, self.by_name).into())
        });
        holds.and(if self.whole { Truth::Yes } else { Truth::Either })
    }
}

/// Whether a regular expression matches all that the patterns match that are made of it, and not less.
pub(super) fn is_plain(regex: &str) -> bool {
    let rest = regex.replace(".*", "");
    let mut behind = rest.match_indices('\\').map(|(at, _)| &rest[at + 1..]);
    !path::is_unclear(regex)
        && !rest
            .trim_start_matches('^')
            .trim_end_matches('$')
            .contains(['*', '+', '?', '{', '[', '^', '$'])
        && behind.all(|rest| rest.starts_with(['.', '/', '|', '(', ')', '-', '_']))
}
