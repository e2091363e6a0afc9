//! Files that are picked by their names, and not named: what a pattern or an expression picks is judged as if it stood there.

use super::paths::shown;
use super::{Doubt, Proof, Prover, UNKNOWN};
use crate::path::{self, Access, Place};

impl Prover<'_> {
    /// Shows that a pattern of names, as grep's `--include` and ripgrep's `--glob` take it, picks nothing that is protected.
    pub(super) fn picked(&self, pattern: &str) -> Proof<()> {
        // What is kept out is not asked for.
        if pattern.starts_with('!') {
            return Ok(());
        }
        let spelt = path::alternatives(pattern);
        if spelt.is_some_and(|all| !all.iter().any(|one| self.picks_protected(one))) {
            return Ok(());
        }
        Err(Doubt::new(
            "it picks files by their names, of which one may be protected",
            shown(pattern),
        ))
    }

    /// Whether a test of find(1) picks what is protected.
    pub(super) fn finds_protected(&self, test: &str, value: &str) -> bool {
        if test.ends_with("regex") {
            let spelt = path::spelt_by_regex(value);
            return spelt.is_none_or(|all| all.iter().any(|one| self.picks_protected(one)));
        }
        let is_name = ["name", "path"].iter().any(|end| test.ends_with(end));
        is_name && self.picks_protected(value)
    }

    /// Whether a pattern of names or paths picks what is protected.
    fn picks_protected(&self, pattern: &str) -> bool {
        // Where a set ends is not followed then.
        if pattern.contains(UNKNOWN) || pattern.contains('\\') && pattern.contains('[') {
            return true;
        }
        let pattern = pattern.replace('\\', "");
        let protected = |part: &str| {
            let place = Place::of(part, &self.roots.start());
            !part.is_empty() && self.roots.protection(&place, Access::Read).is_some()
        };
        path::may_match_protected(&pattern) || path::may_match_git(&pattern) || pattern.split('/').any(protected)
    }
}
