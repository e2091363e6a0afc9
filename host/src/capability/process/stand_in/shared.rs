//! Whether a commit that is called by its hash is in a branch or a tag: then every clone has it. By its hash git also knows what
//! was stashed, or taken back. Source: gitrevisions(7).

use super::line::Line;
use super::words::sides;

/// The fewest digits that git takes for a hash.
const SHORTEST: usize = 4;

/// Whether it is called by its hash, or as git-describe(1) says: `v1.0-3-g4203a90`.
fn is_hash(name: &str) -> bool {
    let name = name.rsplit_once("-g").map_or(name, |(_, hash)| hash);
    name.len() >= SHORTEST && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl Line<'_> {
    /// The first of these words that calls a commit by its hash which is in no branch or tag, if it is not told that there is
    /// none.
    pub(super) fn unshared<'a>(&self, words: &[&'a str]) -> Option<&'a str> {
        // What is behind it is of the same history.
        let base = |name: &'a str| {
            let name = name.trim_start_matches('^');
            name.split([':', '~', '^', '@']).next().unwrap_or_default()
        };
        let names = words.iter().flat_map(|word| sides(word).chain([*word])).map(base);
        let hashes: Vec<&str> = names.filter(|name| is_hash(name)).collect();
        let asked: Vec<String> = hashes.iter().map(|hash| format!("{hash}^{{commit}}")).collect();
        let Some(objects) = self.objects(&asked) else {
            return hashes.first().copied();
        };
        let of_commits = hashes
            .iter()
            .zip(&objects)
            .filter(|(_, object)| object.kind == "commit");
        let (hashes, names): (Vec<&str>, Vec<&str>) =
            of_commits.map(|(hash, object)| (*hash, object.name.as_str())).unzip();
        let first = hashes.first().copied()?;
        let known = ["--not", "HEAD", "--branches", "--remotes", "--tags", "--"];
        let others = self.asked(["rev-list", "--max-count=1"].into_iter().chain(names).chain(known));
        match others {
            Some(others) if others.status.success() && others.stdout.is_empty() => None,
            _ => Some(first),
        }
    }
}
