//! Files that are picked by their names, and not named: what a pattern or an expression picks is judged as if it stood there.

use super::arguments::Arguments;
use super::paths::shown;
use super::reach::is_plain;
use super::{Doubt, Proof, Prover, UNKNOWN};
use crate::path::{self, Access, KeptOut, Pattern, Place, RegexKind, Selection, Span};

/// More patterns than so many are not tried for one command line: a call may do only so much. One this long, in bytes, counts
/// twice, and each set in one as another.
const MOST_TRIED: usize = 160;
const LONG: usize = 32;
/// An expression with more alternatives is not followed at all: each is tried in several ways.
const MOST_ALTERNATIVES: usize = 40;

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
        if !self.any_hidden(spelt.as_deref()) && !self.any_picks(spelt, case) {
            return Ok(());
        }
        Err(Doubt::new(
            "it picks files by their names, of which one may be protected",
            shown(pattern),
        ))
    }

    /// Shows that where these patterns keep out names, not only such are left over. `read` says what one of them is. What
    /// they leave.
    pub(super) fn left_over(
        &self,
        kept_out: &[(String, Case)],
        read: fn(&str, bool) -> Vec<KeptOut>,
    ) -> Proof<Selection> {
        let mut selection = Selection::default();
        let Some((last, _)) = kept_out.last() else {
            return Ok(selection);
        };
        let mut all = Vec::new();
        for (pattern, case) in kept_out {
            let Some(spelt) = path::alternatives(pattern).filter(|_| !pattern.contains(UNKNOWN)) else {
                return Err(leaves(pattern));
            };
            all.extend(spelt.iter().flat_map(|one| read(one, *case == Case::Any)));
        }
        let alone = self.leaves_protected(&all);
        selection.keep_out(all);
        if alone || self.leaves_hidden(&selection) {
            return Err(leaves(last));
        }
        Ok(selection)
    }

    /// Whether a test of find(1) picks what is protected.
    pub(super) fn finds_protected(&self, test: &str, value: &str, kind: RegexKind) -> bool {
        let case = Case::any_if(test.starts_with("-i"));
        if test.ends_with("regex") {
            let matched = path::lettered(value, kind).and_then(|own| path::matched_by_regex(&own, Span::Whole));
            return self.any_hidden(matched.as_deref())
                || self.any_picks(path::spelt_by_regex(value, Span::Whole), case);
        }
        let picks = |value: &str| self.picks_protected(value, case);
        if matches!(test, "-name" | "-iname") {
            return path::picks_hidden(value) || picks(value);
        }
        let plain = value.replace('\\', "");
        is_of_names(test)
            && (self.picks_hidden_beneath(&plain)
                || picks(value)
                || path::tails(&plain).iter().any(|tail| picks(tail)))
    }

    /// What a test of find(1) is about, by names. `None` if that can't be told.
    pub(super) fn found(&self, test: &str, value: &str, kind: RegexKind) -> Option<Vec<KeptOut>> {
        let any_case = test.starts_with("-i");
        if test.ends_with("regex") {
            let matched = path::matched_by_regex(&path::lettered(value, kind)?, Span::Whole)?;
            if self.is_much(matched.iter().map(|one| 1 + one.len() / LONG).sum()) {
                return None;
            }
            let unclear = path::is_unclear(value);
            let all = matched.iter().flat_map(|one| KeptOut::spelt(one, any_case, unclear));
            return Some(all.collect());
        }
        Some(match test {
            _ if !is_of_names(test) => Vec::new(),
            "-name" | "-iname" => KeptOut::glob(value, any_case),
            _ => KeptOut::paths(value, any_case),
        })
    }

    /// Whether, where all these are kept out, hardly anything is left over but what is protected.
    pub(super) fn leaves_protected(&self, kept_out: &[KeptOut]) -> bool {
        self.is_much(kept_out.iter().filter(|one| !one.names).count())
            || path::leaves_protected(kept_out, &self.roots.protected)
    }

    /// Whether patterns that say little by themselves leave hardly anything together but what is hidden.
    pub(super) fn leaves_hidden(&self, selection: &Selection) -> bool {
        self.is_much(selection.size() / 2) || selection.leaves_hidden()
    }

    /// What grep(1) lets by where these names flow into it. `None` if one may be protected, picked by its pattern.
    pub(super) fn lets_by(
        &self,
        name: &str,
        told: &Arguments<'_>,
        pattern: &str,
        before: &Selection,
    ) -> Option<Selection> {
        let case = Case::any_if(told.has("i"));
        let plain = name == "fgrep" || told.has("F");
        let extended = name == "egrep" || told.has("E");
        let kinds = [plain, extended, told.has("P")].into_iter().filter(|told| *told);
        if kinds.count() > 1 || told.has("P") && !is_of_all_kinds(pattern, told.has("v")) {
            return None;
        }
        let kind = match extended || told.has("P") {
            true => RegexKind::Extended,
            false => RegexKind::Basic,
        };
        let regex = if plain {
            path::fixed(pattern)
        } else {
            path::lettered(pattern, kind)?
        };
        let span = if told.has("x") { Span::Whole } else { Span::Part };
        let matched = path::matched_by_regex(&regex, span)?;
        let unclear = path::is_unclear(&regex);
        let wide = if plain { escaped(pattern) } else { pattern.to_owned() };
        let keeps_out = told.has("v");
        let weight: usize = matched.iter().map(|one| 1 + one.len() / LONG).sum();
        let asks = if keeps_out {
            self.is_much(weight)
        } else {
            matched.len() > MOST_ALTERNATIVES
                || self.any_hidden(Some(&matched))
                || self.any_picks(path::spelt_by_regex(&wide, span), case)
        };
        if asks {
            return None;
        }
        let any_case = case == Case::Any;
        let all: Vec<KeptOut> = matched
            .iter()
            .flat_map(|one| KeptOut::spelt(one, any_case, unclear))
            .collect();
        let mut selection = before.clone();
        let patterns = matched.iter().map(|one| Pattern::read(one, any_case));
        // Of what is kept out it may be less that matches.
        let less = keeps_out && (told.has("w") || unclear || !plain && !is_plain(&regex));
        if let Some(patterns) = patterns.collect::<Option<Vec<Pattern>>>().filter(|_| !less) {
            selection
                .reaches
                .retain(|start| !path::leaves_no_unshown(&patterns, keeps_out, start));
        }
        match keeps_out {
            true if self.leaves_protected(&all) => return None,
            // What it matches may have to be a whole word.
            true if told.has("w") || unclear => selection.may_keep_out(all),
            true => selection.keep_out(all),
            false => selection.pick(all),
        }
        (!self.leaves_hidden(&selection)).then_some(selection)
    }

    /// Whether one of these patterns picks only what is hidden, or that can't be told.
    fn any_hidden(&self, spelt: Option<&[String]>) -> bool {
        let hidden = |one: &String| self.is_much(1 + one.len() / LONG) || self.picks_hidden_beneath(one);
        spelt.is_none_or(|all| all.iter().any(hidden))
    }

    /// Whether a pattern of paths picks only what is hidden, if one of its signs stands for that between folders as well.
    pub(super) fn picks_hidden_beneath(&self, pattern: &str) -> bool {
        // What may be any run of characters picks others beside those.
        let hidden = |tail: &String| {
            let picks = !tail.starts_with('*') && tail.contains(['*', '?', '[']);
            picks && (self.is_much(1) || path::picks_hidden(tail))
        };
        path::picks_hidden(pattern) || path::tails(pattern).iter().any(hidden)
    }

    /// Whether one of these patterns does, or they are too many to tell.
    fn any_picks(&self, spelt: Option<Vec<String>>, case: Case) -> bool {
        spelt.is_none_or(|all| all.iter().any(|one| self.picks_protected(one, case)))
    }

    /// Whether with so many more patterns more are tried than any command of use has.
    pub(super) fn is_much(&self, more: usize) -> bool {
        self.tried.set(self.tried.get() + more);
        self.tried.get() > MOST_TRIED
    }

    /// Whether a pattern of names or paths picks what is protected.
    fn picks_protected(&self, pattern: &str, case: Case) -> bool {
        // Where a set ends is not followed then.
        if self.is_much(1 + pattern.len() / LONG + pattern.matches('[').count())
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

/// Whether a regular expression of Perl's kind means what it does in every other: it says nothing by a group, and names no
/// character by a number or a word. Where it keeps names out, nothing says how much of a repetition is taken either.
fn is_of_all_kinds(pattern: &str, keeps_out: bool) -> bool {
    let greedy = |sign: &str| pattern.contains(&format!("{sign}?")) || pattern.contains(&format!("{sign}+"));
    let named = |rest: &str| rest.starts_with(|sign: char| sign.is_alphanumeric() && !"dDwWsSbB".contains(sign));
    let mut behind = pattern.match_indices('\\').map(|(at, _)| &pattern[at + 1..]);
    if ["(?", "(*"].iter().any(|group| pattern.contains(group))
        || keeps_out && ["*", "+", "?", "}"].into_iter().any(greedy)
    {
        return false;
    }
    !behind.any(named) && path::has_plain_sets(pattern)
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
