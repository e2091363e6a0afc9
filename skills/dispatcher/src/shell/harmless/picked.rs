//! Files that are picked by their names, and not named: what a pattern or an expression picks is judged as if it stood there.

use super::arguments::Arguments;
use super::paths::shown;
use super::{Doubt, Proof, Prover, UNKNOWN};
use crate::path::{self, Access, KeptOut, Place, Span};

/// More patterns than so many are not tried for one command line: a call may do only so much. One this long, in bytes, counts
/// twice.
const MOST_TRIED: usize = 256;
const LONG: usize = 32;

/// How a pattern is compared with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    /// Letter by letter.
    Same,
    /// Small and capital letters are the same.
    Any,
}

impl Case {
    /// `Any` if it is so.
    pub(super) fn any_if(any: bool) -> Case {
        if any { Case::Any } else { Case::Same }
    }
}

impl Prover<'_> {
    /// Shows that a pattern of names, as grep's `--include` and ripgrep's `--glob` take it, picks nothing that is protected.
    pub(super) fn picked(&self, pattern: &str, case: Case) -> Proof<()> {
        let spelt = path::alternatives(pattern);
        if !any_hidden(spelt.as_deref()) && !self.any_picks(spelt, case) {
            return Ok(());
        }
        Err(Doubt::new(
            "it picks files by their names, of which one may be protected",
            shown(pattern),
        ))
    }

    /// Shows that where these patterns keep out names, not only such are left over. `read` says what one of them is.
    pub(super) fn left_over(&self, kept_out: &[(String, Case)], read: fn(&str, bool) -> Vec<KeptOut>) -> Proof<()> {
        let mut all = Vec::new();
        for (pattern, case) in kept_out {
            let Some(spelt) = path::alternatives(pattern).filter(|_| !pattern.contains(UNKNOWN)) else {
                return Err(leaves(pattern));
            };
            all.extend(spelt.iter().flat_map(|one| read(one, *case == Case::Any)));
        }
        match kept_out.last() {
            Some((last, _)) if self.leaves_protected(&all) => Err(leaves(last)),
            _ => Ok(()),
        }
    }

    /// Whether a test of find(1) picks what is protected.
    pub(super) fn finds_protected(&self, test: &str, value: &str) -> bool {
        let case = Case::any_if(test.starts_with("-i"));
        if test.ends_with("regex") {
            let hidden = any_hidden(path::matched_by_regex(value, Span::Whole).as_deref());
            return hidden || self.any_picks(path::spelt_by_regex(value, Span::Whole), case);
        }
        let picks = |value: &str| self.picks_protected(value, case);
        if matches!(test, "-name" | "-iname") {
            return path::picks_hidden(value) || picks(value);
        }
        let plain = value.replace('\\', "");
        is_of_names(test)
            && (picks_hidden_beneath(&plain) || picks(value) || path::tails(&plain).iter().any(|tail| picks(tail)))
    }

    /// What a test of find(1) keeps out where it is not to hold. `None` if that can't be told.
    pub(super) fn not_found(&self, test: &str, value: &str) -> Option<Vec<KeptOut>> {
        let any_case = test.starts_with("-i");
        if test.ends_with("regex") {
            return kept_out_by_regex(value, Span::Whole, any_case);
        }
        Some(match test {
            _ if !is_of_names(test) => Vec::new(),
            "-name" | "-iname" => KeptOut::glob(value, any_case),
            _ => KeptOut::paths(value, any_case),
        })
    }

    /// Whether, where all these are kept out, hardly anything is left over but what is protected.
    pub(super) fn leaves_protected(&self, kept_out: &[KeptOut]) -> bool {
        self.is_much(kept_out.len()) || path::leaves_protected(kept_out, &self.roots.protected)
    }

    /// Whether grep(1), where names flow into it, lets names by that are protected, picked by its pattern.
    pub(super) fn lets_protected_by(&self, name: &str, told: &Arguments<'_>, pattern: &str) -> bool {
        let case = Case::any_if(told.has("i"));
        if told.has("P") && !is_of_all_kinds(pattern, told.has("v")) {
            return true;
        }
        let plain = name == "fgrep" || told.has("F");
        let pattern = if plain { escaped(pattern) } else { pattern.to_owned() };
        let span = if told.has("x") { Span::Whole } else { Span::Part };
        if told.has("v") {
            let kept_out = kept_out_by_regex(&pattern, span, case == Case::Any);
            return kept_out.is_none_or(|all| self.leaves_protected(&all));
        }
        let hidden = any_hidden(path::matched_by_regex(&pattern, span).as_deref());
        hidden || self.any_picks(path::spelt_by_regex(&pattern, span), case)
    }

    /// Whether one of these patterns does, or they are too many to tell.
    fn any_picks(&self, spelt: Option<Vec<String>>, case: Case) -> bool {
        spelt.is_none_or(|all| all.iter().any(|one| self.picks_protected(one, case)))
    }

    /// Whether with so many more patterns more are tried than any command of use has.
    fn is_much(&self, more: usize) -> bool {
        self.tried.set(self.tried.get() + more);
        self.tried.get() > MOST_TRIED
    }

    /// Whether a pattern of names or paths picks what is protected.
    fn picks_protected(&self, pattern: &str, case: Case) -> bool {
        // Where a set ends is not followed then.
        if self.is_much(1 + pattern.len() / LONG)
            || pattern.contains(UNKNOWN)
            || pattern.contains('\\') && pattern.contains('[')
        {
            return true;
        }
        let Some(pattern) = path::plain(&pattern.replace('\\', "")) else {
            return true;
        };
        let protected = |part: &str| {
            let place = Place::of(part, &self.roots.start());
            !part.is_empty() && self.roots.protection(&place, Access::Read).is_some()
        };
        let picks = |pattern: &str| {
            path::may_match_protected(pattern) || path::may_match_git(pattern) || pattern.split('/').any(protected)
        };
        // There and back: some letters have no other case than that of another.
        let other = || pattern.to_uppercase().to_lowercase();
        picks(&pattern) || case == Case::Any && Some(other()).is_some_and(|other| other != pattern && picks(&other))
    }
}

fn leaves(pattern: &str) -> Doubt {
    let why = "it keeps out so many names that hardly any is left but of files that are hidden or protected";
    Doubt::new(why, shown(pattern))
}

/// Whether a test of find(1) is about names.
fn is_of_names(test: &str) -> bool {
    ["name", "path"].iter().any(|end| test.ends_with(end))
}

/// What a regular expression keeps out of what it is not to match. `None` if it can't be read.
fn kept_out_by_regex(regex: &str, span: Span, any_case: bool) -> Option<Vec<KeptOut>> {
    let unclear = path::is_unclear(regex);
    let spelt = path::kept_out_by_regex(regex, span)?;
    let kept_out = spelt.iter().flat_map(|one| KeptOut::spelt(one, any_case, unclear));
    Some(kept_out.collect())
}

/// Whether one of these patterns picks only what is hidden, or that can't be told.
fn any_hidden(spelt: Option<&[String]>) -> bool {
    spelt.is_none_or(|all| all.iter().any(|one| picks_hidden_beneath(one)))
}

/// Whether a pattern of paths picks only what is hidden, if one of its signs stands for that between folders as well.
pub(super) fn picks_hidden_beneath(pattern: &str) -> bool {
    // What may be any run of characters picks others beside those.
    let hidden = |tail: &String| !tail.starts_with('*') && path::picks_hidden(tail);
    path::picks_hidden(pattern) || path::tails(pattern).iter().any(hidden)
}

/// Whether a regular expression of Perl's kind means what it does in every other: it says nothing by a group, and names no
/// character by a number or a word. Where it keeps names out, nothing says how much of a repetition is taken either.
fn is_of_all_kinds(pattern: &str, keeps_out: bool) -> bool {
    let greedy = |sign: &str| pattern.contains(&format!("{sign}?")) || pattern.contains(&format!("{sign}+"));
    let named = |rest: &str| rest.starts_with(|sign: char| sign.is_alphanumeric() && !"dDwWsSbB".contains(sign));
    let mut behind = pattern.match_indices('\\').map(|(at, _)| &pattern[at + 1..]);
    !pattern.contains("(?")
        && !pattern.contains("(*")
        && !behind.any(named)
        && path::has_plain_sets(pattern)
        && !(keeps_out && ["*", "+", "?", "}"].into_iter().any(greedy))
}

/// A regular expression that matches this text.
fn escaped(text: &str) -> String {
    let mut made = String::new();
    for char in text.chars() {
        if ".*+?()|{}[]\\^$".contains(char) {
            made.push('\\');
        }
        made.push(char);
    }
    made
}
