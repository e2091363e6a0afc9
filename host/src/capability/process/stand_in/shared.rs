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

/// What in a word may be a commit: all of it, or what is before a path, or before what says which of its history, or which
/// entry of a log, is meant.
fn parts(word: &str) -> [&str; 4] {
    let word = word.trim_start_matches('^');
    let before = |signs: &[char]| word.split(signs).next().unwrap_or_default();
    [
        word,
        before(&[':']),
        before(&[':', '~', '^']),
        before(&[':', '~', '^', '@']),
    ]
}

impl Line<'_> {
    /// The first of these words that calls a commit by its hash, or by what was logged, which is in no branch or tag, if it is not
    /// told that there is none.
    pub(super) fn unshared<'a>(&self, words: &[&'a str]) -> Option<&'a str> {
        let sides = words.iter().flat_map(|word| sides(word).chain([*word]));
        let is_odd = |word: &&str| is_hash(parts(word)[3]) || word.contains("-g") || word.contains("@{");
        let odd: Vec<&str> = sides.filter(is_odd).collect();
        let commit = |name: &str| format!("{name}^{{commit}}");
        let asked: Vec<String> = odd.iter().flat_map(|word| parts(word).map(commit)).collect();
        let Some(objects) = self.objects(&asked) else {
            return odd.first().copied();
        };
        let of_commits = objects.iter().filter(|object| object.kind == "commit");
        let names: Vec<&str> = of_commits.map(|object| object.name.as_str()).collect();
        if names.is_empty() {
            return None;
        }
        let known = ["--not", "HEAD", "--branches", "--remotes", "--tags", "--"];
        let others = self.asked(["rev-list", "--max-count=1"].into_iter().chain(names).chain(known));
        match others {
            Some(others) if others.status.success() && others.stdout.is_empty() => None,
            _ => odd.first().copied(),
        }
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
