//! Whether a commit is in a branch or a tag: then every clone has it. By its hash, and by names of its own, git also knows what
//! was stashed, or taken back. Source: gitrevisions(7).

use super::line::Line;
use super::words::Named;

impl Line<'_> {
    /// The first of these words that calls a commit which is in no branch or tag, whatever it is called, if it is not told that
    /// there is none. Git takes much for a name: each file in its folder that begins with a hash.
    pub(super) fn unshared<'a>(&self, named: &[Named<'a>]) -> Option<&'a str> {
        if let Some(apart) = named.iter().find(|named| named.is_apart()) {
            return Some(apart.word);
        }
        let bases = named
            .iter()
            .filter_map(|named| Some((named.word, named.base.as_deref()?)));
        let mut told: Vec<(&str, &str)> = bases.collect();
        let ends = self.ends(told.iter().map(|(_, commit)| *commit));
        told.retain(|(_, commit)| !ends.split_whitespace().any(|end| end == *commit));
        let (first, _) = told.first()?;
        let commits: Vec<&str> = told.iter().map(|(_, commit)| *commit).collect();
        (!self.are_reached(&commits)).then_some(first)
    }

    /// At which of these a branch or a tag ends, which is told without looking at their history.
    fn ends<'a>(&self, commits: impl Iterator<Item = &'a str>) -> String {
        let points: Vec<String> = commits.map(|commit| format!("--points-at={commit}")).collect();
        if points.is_empty() {
            return String::new();
        }
        let asked = ["for-each-ref", "--format=%(objectname) %(*objectname)"].map(str::to_owned);
        let kinds = ["refs/heads", "refs/remotes", "refs/tags"].map(str::to_owned);
        let ends = self.asked(asked.into_iter().chain(points).chain(kinds));
        String::from_utf8_lossy(&ends.map(|output| output.stdout).unwrap_or_default()).into_owned()
    }

    fn are_reached(&self, commits: &[&str]) -> bool {
        let known = ["--not", "HEAD", "--branches", "--remotes", "--tags", "--"];
        let asked = ["rev-list", "--max-count=1"].into_iter().chain(commits.iter().copied());
        let others = self.asked(asked.chain(known));
        others.is_some_and(|others| others.status.success() && others.stdout.is_empty())
    }
}
