//! Whether a commit is in a branch or a tag: then every clone has it. By its hash, and by names of its own, git also knows what
//! was stashed, or taken back. Source: gitrevisions(7).

use super::line::Line;
use super::words::{searches, sides};

/// The fewest digits that git takes for a hash.
const SHORTEST: usize = 4;

/// Whether git takes a word for a hash whatever stands before that: first it reads it as git-describe(1) would call a commit.
/// So `main:x-g4203a90` is no file of `main`.
pub(super) fn is_disguised(word: &str) -> bool {
    word.match_indices("-g").any(|(at, sign)| {
        let (before, behind) = (&word[..at], &word[at + sign.len()..]);
        let digits = behind.bytes().take_while(u8::is_ascii_hexdigit).count();
        let rest = &behind[digits..];
        let ends = rest.is_empty() || rest.starts_with(['~', '^', ':', '@']) || rest.starts_with("..");
        let (_, last) = before.rsplit_once("..").unwrap_or_default();
        let last = if last.is_empty() { before } else { last };
        digits >= SHORTEST && ends && last.trim_start_matches('^').contains([':', '~', '^', '@'])
    })
}

/// What in a word may be a commit: what stands before what says which of its history is meant, what stands before a path, and all
/// of it.
fn parts(word: &str) -> [&str; 3] {
    let word = word.trim_start_matches('^');
    let before = |signs: &[char]| word.split(signs).next().unwrap_or_default();
    [before(&[':', '~', '^']), before(&[':']), word]
}

/// Whether a word may mean another commit as a whole than by its first part: by what was logged, or as git-describe(1) says.
fn is_more(word: &str) -> bool {
    word.contains("@{") || word.contains("-g")
}

impl Line<'_> {
    /// The first of these words that calls a commit which is in no branch or tag, whatever it is called, if it is not told that
    /// there is none. Git takes much for a name: each file in its folder that begins with a hash.
    pub(super) fn unshared<'a>(&self, words: &[&'a str]) -> Option<&'a str> {
        let all: Vec<&str> = words.iter().flat_map(|word| sides(word).chain([*word])).collect();
        if let Some(search) = all.iter().find(|word| searches(word)) {
            return Some(search);
        }
        let asked = all.iter().flat_map(|word| {
            let [first, version, whole] = parts(word);
            let commits = [first, version, whole].map(|part| format!("{part}^{{commit}}"));
            commits.into_iter().chain([whole.to_owned()])
        });
        let Some(objects) = self.objects(&asked.collect::<Vec<_>>()) else {
            return all.first().copied();
        };
        let mut told = Vec::new();
        for (word, objects) in all.iter().zip(objects.chunks(4)) {
            let [parts @ .., whole] = objects else { continue };
            let commits = parts.iter().filter(|object| object.kind == "commit");
            let counted: Vec<&str> = commits.map(|object| object.name.as_str()).collect();
            // At a path a version may have a commit, of a module.
            let is_of_a_path = word.contains(':');
            if (counted.is_empty() || is_of_a_path) && matches!(whole.kind.as_str(), "commit" | "tag") {
                return Some(word);
            }
            let most = if is_more(word) { counted.len() } else { 1 };
            told.extend(counted.into_iter().take(most).map(|commit| (*word, commit)));
        }
        let ends = self.ends(told.iter().map(|(_, commit)| *commit));
        told.retain(|(_, commit)| !ends.split_whitespace().any(|end| end == *commit));
        let first = told.first()?.0;
        let commits: Vec<&str> = told.into_iter().map(|(_, commit)| commit).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_ends_as_one_of_describe_does_is_of_no_version_before_it() {
        for word in [
            "x:y-g4203a90",
            "HEAD:a.txt-g4203A90",
            "main..x:y-g4203a90",
            "a~b-g4203",
            "a@b-g4203^{}",
            "^a^b-g4203:c",
            "x:y-gabcd..main",
        ] {
            assert!(is_disguised(word), "{word}");
        }
        for word in [
            "v1.0-3-g4203a90",
            "v1-g4203:a.txt",
            "main..v1-g4203",
            "^v1-g4203",
            "main:x-gone",
            "main:x-gabcd.c",
        ] {
            assert!(!is_disguised(word), "{word}");
        }
    }
}
