//! Files that are picked by their names, and not named: what a pattern or an expression picks is judged as if it stood there.

use super::arguments::Arguments;
use super::paths::shown;
use super::{Doubt, Proof, Prover, UNKNOWN};
use crate::path::{self, Access, Place, Span};

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
        // What is kept out is not asked for.
        if pattern.starts_with('!') || !self.any_picks(path::alternatives(pattern), case) {
            return Ok(());
        }
        Err(Doubt::new(
            "it picks files by their names, of which one may be protected",
            shown(pattern),
        ))
    }

    /// Whether a test of find(1) picks what is protected.
    pub(super) fn finds_protected(&self, test: &str, value: &str) -> bool {
        let case = Case::any_if(test.starts_with("-i"));
        if test.ends_with("regex") {
            return self.any_picks(path::spelt_by_regex(value, Span::Whole), case);
        }
        let is_name = ["name", "path"].iter().any(|end| test.ends_with(end));
        is_name && self.picks_protected(value, case)
    }

    /// Whether grep(1), where names flow into it, lets names by that are protected, picked by its pattern.
    pub(super) fn lets_protected_by(&self, name: &str, told: &Arguments<'_>, pattern: &str) -> bool {
        // What is kept out is not asked for.
        if told.has("v") {
            return false;
        }
        let case = Case::any_if(told.has("i"));
        if told.has("P") && !is_of_all_kinds(pattern) {
            return true;
        }
        let plain = name == "fgrep" || told.has("F");
        let pattern = if plain { escaped(pattern) } else { pattern.to_owned() };
        let span = if told.has("x") { Span::Whole } else { Span::Part };
        self.any_picks(path::spelt_by_regex(&pattern, span), case)
    }

    /// Whether one of these patterns does, or they are too many to tell.
    fn any_picks(&self, spelt: Option<Vec<String>>, case: Case) -> bool {
        spelt.is_none_or(|all| all.iter().any(|one| self.picks_protected(one, case)))
    }

    /// Whether a pattern of names or paths picks what is protected.
    fn picks_protected(&self, pattern: &str, case: Case) -> bool {
        // Where a set ends is not followed then.
        if pattern.contains(UNKNOWN) || pattern.contains('\\') && pattern.contains('[') {
            return true;
        }
        let pattern = pattern.replace('\\', "");
        let protected = |part: &str| {
            let place = Place::of(part, &self.roots.start());
            !part.is_empty() && self.roots.protection(&place, Access::Read).is_some()
        };
        let picks = |pattern: &str| {
            path::may_match_protected(pattern) || path::may_match_git(pattern) || pattern.split('/').any(protected)
        };
        // There and back: some letters have no other case than that of another.
        picks(&pattern) || case == Case::Any && picks(&pattern.to_uppercase().to_lowercase())
    }
}

/// Whether a regular expression of Perl's kind means what it does in every other: it says nothing by a group, and names no
/// character by a number or a word.
fn is_of_all_kinds(pattern: &str) -> bool {
    let named = |rest: &str| rest.starts_with(|sign: char| sign.is_alphanumeric() && !"dDwWsSbB".contains(sign));
    let mut behind = pattern.match_indices('\\').map(|(at, _)| &pattern[at + 1..]);
    !pattern.contains("(?") && !pattern.contains("(*") && !behind.any(named)
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
