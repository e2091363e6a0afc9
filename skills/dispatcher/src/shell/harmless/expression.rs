//! What each test of an expression of find(1) is for: it asks for what it matches, or keeps it out of what is asked for.
//! `-name x -prune -o …` keeps `x` out of all that stands behind the `-o`; POSIX.1-2024, "find".

use super::expand::Argument;
use super::find::{ALONE, WITH_DATA, WITH_FILE, compares_times, is_negation};

/// What a test is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It asks for what it matches.
    Picks,
    /// It keeps out all that it matches.
    KeepsOut,
    /// It keeps out no more than what it matches.
    Narrows,
    /// It may do the one or the other.
    Either,
}

/// An expression, and what is known of its tests.
pub(super) struct Expression<'a> {
    words: &'a [&'a Argument],
    /// Tests of names in what is pruned, and in brackets that are turned round, and what each is for.
    told: Vec<(usize, Role)>,
    /// Where what is behind all that is pruned begins.
    behind: usize,
    /// Whether there each test must hold.
    joined: bool,
}

impl<'a> Expression<'a> {
    pub(super) fn read(words: &'a [&'a Argument]) -> Expression<'a> {
        let mut read = Expression {
            words,
            told: Vec::new(),
            behind: 0,
            joined: false,
        };
        let spoken = spoken(words);
        // A comma begins anew, and where a folder comes behind what is in it, some versions prune nothing.
        if !spoken.iter().any(|at| matches!(read.text(*at), "," | "-depth")) {
            while let Some(behind) = read.clause(read.behind) {
                read.behind = behind;
            }
        }
        // Where nothing is to be done with what is found behind it, what is pruned is named as well.
        let acts = |at: &usize| *at >= read.behind && ACTS.contains(&read.text(*at));
        if !spoken.iter().any(acts) {
            (read.behind, read.told) = (0, Vec::new());
        }
        let rest = &words[read.behind..];
        let turned = |pair: &[&Argument]| is_negation(&pair[0].text) && pair[1].text == "(";
        let joined = !rest.iter().any(|word| is_other_than_and(word)) && !rest.windows(2).any(turned);
        read.joined = joined || read.turned_round(&spoken);
        read
    }

    /// Reads what stands behind all that is pruned, if each test must hold there but those in `( … -o … )`, of which one must,
    /// and in `! ( … -o … )`, of which none may. Whether that is so.
    fn turned_round(&mut self, spoken: &[usize]) -> bool {
        let mut told = Vec::new();
        let mut rest = spoken.iter().copied().filter(|at| *at >= self.behind).peekable();
        let text = |at: usize| self.words[at].text.as_str();
        while let Some(at) = rest.next() {
            if !self.words[at].is_known() || matches!(text(at), ")" | "," | "-o" | "-or") {
                return false;
            }
            let turned = is_negation(text(at));
            let opens = if turned {
                rest.next_if(|next| text(*next) == "(").is_some()
            } else {
                text(at) == "("
            };
            if !opens {
                continue;
            }
            let role = if turned { Role::KeepsOut } else { Role::Either };
            // The one sign may stand nowhere but between two tests.
            loop {
                match rest.next() {
                    Some(at) if is_of_names(text(at)) => told.push((at, role)),
                    _ => return false,
                }
                match rest.next().map(text) {
                    Some("-o" | "-or") => {}
                    Some(")") => break,
                    _ => return false,
                }
            }
            // What is turned round twice is not.
            if turned && at > 0 && is_negation(text(at - 1)) {
                return false;
            }
        }
        self.told.extend(told);
        true
    }

    /// What the test at this word is for, before which there are so many negations.
    pub(super) fn role(&self, at: usize, negations: usize) -> Role {
        if let Some((_, role)) = self.told.iter().find(|(own, _)| *own == at) {
            return *role;
        }
        match negations {
            _ if at < self.behind => Role::Either,
            0 if self.joined => Role::Picks,
            1 if self.joined => Role::KeepsOut,
            _ => Role::Either,
        }
    }

    fn text(&self, at: usize) -> &'a str {
        self.words.get(at).map_or("", |word| word.text.as_str())
    }

    /// Reads tests of which what they match is pruned, and the `-o` behind them. Where the next begin.
    fn clause(&mut self, at: usize) -> Option<usize> {
        let known = self.told.len();
        let end = self.tests(at, 0).filter(|end| self.text(*end) == "-prune");
        let behind = end.filter(|end| matches!(self.text(end + 1), "-o" | "-or"));
        if behind.is_none() {
            self.told.truncate(known);
        }
        behind.map(|end| end + 2)
    }

    /// Reads tests that must all hold, up to what is none.
    fn tests(&mut self, mut at: usize, depth: usize) -> Option<usize> {
        let known = self.told.len();
        // How many of them are about names, and whether there are others.
        let (mut of_names, mut others) = (0, false);
        let mut negations = 0;
        while let Some(word) = self.words.get(at).filter(|word| word.is_known()) {
            let text = word.text.as_str();
            let before = std::mem::take(&mut negations);
            match text {
                "!" | "-not" => negations = before + 1,
                "-a" | "-and" => {}
                "(" => {
                    let first = self.told.len();
                    at = self.group(at + 1, depth)?;
                    if before > 0 {
                        self.unclear_from(first);
                    }
                    let named = self.told.len() > first;
                    of_names += usize::from(named);
                    others |= !named;
                }
                // What is turned round is no such clause: `! -prune` never holds.
                ")" | "," | "-o" | "-or" | "-prune" | "-quit" if before > 0 => return None,
                ")" | "," | "-o" | "-or" | "-prune" | "-quit" => break,
                _ if ACTS.contains(&text) => break,
                _ if WITH_DATA.binary_search(&text).is_ok() => {
                    let named = is_of_names(text);
                    if named {
                        let role = match before {
                            0 => Role::KeepsOut,
                            1 => Role::Picks,
                            _ => Role::Either,
                        };
                        self.told.push((at, role));
                    }
                    of_names += usize::from(named);
                    others |= !named;
                    at += 1;
                }
                _ if WITH_FILE.binary_search(&text).is_ok() || compares_times(text) => {
                    others = true;
                    at += 1;
                }
                _ if ALONE.binary_search(&text).is_ok() => others = true,
                _ => return None,
            }
            at += 1;
        }
        if of_names > 1 {
            self.unclear_from(known);
        } else if others {
            self.narrow_from(known);
        }
        Some(at)
    }

    /// Reads what is in brackets, of which one must hold, and the bracket that closes them, which is not stepped over.
    fn group(&mut self, mut at: usize, depth: usize) -> Option<usize> {
        // Nobody writes more.
        if depth > 8 {
            return None;
        }
        loop {
            at = self.tests(at, depth + 1)?;
            match self.text(at) {
                ")" => return Some(at),
                "-o" | "-or" => at += 1,
                _ => return None,
            }
        }
    }

    fn unclear_from(&mut self, first: usize) {
        self.told[first..].iter_mut().for_each(|(_, role)| *role = Role::Either);
    }

    fn narrow_from(&mut self, first: usize) {
        let kept_out = self.told[first..]
            .iter_mut()
            .filter(|(_, role)| *role == Role::KeepsOut);
        kept_out.for_each(|(_, role)| *role = Role::Narrows);
    }
}

/// Actions but for `-prune` and `-quit`: with one of these, nothing else is done with what is found.
const ACTS: &[&str] = &["-exec", "-execdir", "-ls", "-print", "-print0", "-printf"];

/// Whether a test is about names.
fn is_of_names(test: &str) -> bool {
    let named = ["name", "path", "regex"].iter().any(|end| test.ends_with(end));
    named && WITH_DATA.binary_search(&test).is_ok()
}

/// Which words are tests, actions and signs, and not the value of one, nor of a command that is run.
fn spoken(words: &[&Argument]) -> Vec<usize> {
    let (mut at, mut found) = (0, Vec::new());
    while let Some(word) = words.get(at) {
        found.push(at);
        at += 1 + values(&word.text, &words[at + 1..]);
    }
    found
}

/// How many words behind a test or an action are its own.
fn values(text: &str, behind: &[&Argument]) -> usize {
    if matches!(text, "-exec" | "-execdir") {
        let ends = |at: &usize| match behind[*at].text.as_str() {
            ";" => true,
            "+" => *at > 0 && behind[at - 1].text == "{}",
            _ => false,
        };
        return (0..behind.len()).find(ends).map_or(behind.len(), |end| end + 1);
    }
    let one =
        WITH_DATA.binary_search(&text).is_ok() || WITH_FILE.binary_search(&text).is_ok() || compares_times(text);
    usize::from(one)
}

/// Whether by this word an expression may be more than tests of which each must hold.
fn is_other_than_and(word: &Argument) -> bool {
    matches!(word.text.as_str(), "," | "-o" | "-or") || !word.is_known()
}
