//! Whether a commit is in a branch or a tag: then every clone has it. By its hash, and by names of its own, git also knows what
//! was stashed, or taken back. Source: gitrevisions(7).

use super::line::Line;
use super::words::Named;
use std::collections::BTreeSet;

/// Where branches and tags are named.
const SHARED: [&str; 3] = ["refs/heads/", "refs/remotes/", "refs/tags/"];

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
        let (first, _) = *told.first()?;
        let Some(ends) = self.ends() else { return Some(first) };
        told.retain(|(_, commit)| !ends.contains(*commit));
        let (first, _) = *told.first()?;
        let commits: Vec<&str> = told.iter().map(|(_, commit)| *commit).collect();
        (!self.are_reached(&commits)).then_some(first)
    }

    /// Where branches and tags end, which is told without looking at their history. `None` if one of them is but another name for
    /// what is none.
    fn ends(&self) -> Option<BTreeSet<String>> {
        let asked = self.asked(
            [
                &["for-each-ref", "--format=%(objectname) %(*objectname) %(symref)"][..],
                &SHARED,
            ]
            .concat(),
        )?;
        let listed = String::from_utf8_lossy(&asked.stdout).into_owned();
        let mut ends = BTreeSet::new();
        for line in listed.lines() {
            let mut fields = line.splitn(3, ' ');
            ends.extend(fields.by_ref().take(2).map(str::to_owned));
            let of = fields.next().filter(|of| !of.is_empty());
            if of.is_some_and(|of| !SHARED.iter().any(|kind| of.starts_with(kind))) {
                return None;
            }
        }
        asked.status.success().then_some(ends)
    }

    fn are_reached(&self, commits: &[&str]) -> bool {
        let known = ["--not", "HEAD", "--branches", "--remotes", "--tags", "--"];
        let asked = ["rev-list", "--max-count=1"].into_iter().chain(commits.iter().copied());
        let others = self.asked(asked.chain(known));
        others.is_some_and(|others| others.status.success() && others.stdout.is_empty())
    }
}
