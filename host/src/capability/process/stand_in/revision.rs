//! What a word is to git that may name a version of files, or a file of one. Only what of gitrevisions(7) is known here is read.

/// The fewest digits that git takes for a hash.
const SHORTEST: usize = 4;
/// By what is said which kind of object is meant; the last one is the folder at the top.
const PEELED: [&str; 3] = ["^{}", "^{commit}", TOP];
pub(super) const TOP: &str = "^{tree}";
/// By which the parents of a commit are meant, or it without them; a number may stand behind the last one.
const PARENTS: [&str; 3] = ["^@", "^!", "^-"];

/// What stands for a version, or for a file of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Revision<'a> {
    /// All of it.
    pub(super) whole: &'a str,
    /// What is a name or a hash, and of which the rest is told. Nothing: HEAD, or the index.
    pub(super) base: &'a str,
    /// That with what of its history is meant.
    pub(super) version: &'a str,
    /// Which file or folder.
    pub(super) path: Option<&'a str>,
}

impl<'a> Revision<'a> {
    /// Reads a word that is no range, without the sign before what is left out.
    pub(super) fn of(whole: &'a str) -> Option<Revision<'a>> {
        let base = base(whole)?;
        let mut rest = &whole[base.len()..];
        let (mut end, mut is_last) = (base.len(), false);
        while !is_last && !rest.is_empty() && !rest.starts_with(':') {
            let step = step(rest).filter(|_| !base.is_empty())?;
            rest = &rest[step.len()..];
            is_last = PARENTS.iter().any(|parents| step.starts_with(parents)) || step == TOP;
            end = if is_last { end } else { whole.len() - rest.len() };
        }
        let path = rest.strip_prefix(':');
        let is_read = rest.is_empty() || path.is_some() && !is_disguised(whole);
        is_read.then(|| Revision {
            whole,
            base,
            version: &whole[..end],
            path,
        })
    }

    /// Whether the index is meant.
    pub(super) fn is_of_index(&self) -> bool {
        self.version.is_empty() && self.path.is_some()
    }
}

/// The name or the hash at the beginning: git lets no other signs be in names, and what stands in `@{…}` looks for nothing.
fn base(word: &str) -> Option<&str> {
    let mut rest = word;
    loop {
        let at = rest.find(|sign: char| sign.is_control() || " :^~{}*?[\\".contains(sign));
        let Some(at) = at else { return Some(word) };
        let (before, behind) = rest.split_at(at);
        let end = word.len() - behind.len();
        match behind.strip_prefix('{') {
            Some(inner) if before.ends_with('@') => {
                let (inner, behind) = inner.split_once('}')?;
                let is_plain = |sign: char| sign.is_ascii_alphanumeric() || sign == '-';
                rest = inner.chars().all(is_plain).then_some(behind)?;
            }
            None if behind.starts_with([':', '^', '~']) => return Some(&word[..end]),
            _ => return None,
        }
    }
}

/// One more step into the history of a commit, or what of it is meant, at the beginning of `rest`.
fn step(rest: &str) -> Option<&str> {
    if let Some(peeled) = PEELED.iter().find(|peeled| rest.starts_with(**peeled)) {
        return Some(&rest[..peeled.len()]);
    }
    let parents = PARENTS.iter().find(|parents| rest.starts_with(**parents));
    let sign = parents.map_or(1, |parents| parents.len());
    let is_number = |digit: &u8| digit.is_ascii_digit();
    let digits = rest.bytes().skip(sign).take_while(is_number).count();
    let step = &rest[..sign + digits];
    match parents {
        // Behind these nothing else can stand.
        Some(parents) => (step == rest && (digits == 0 || *parents == "^-")).then_some(step),
        None => (rest.starts_with(['^', '~']) && !rest.starts_with("^{")).then_some(step),
    }
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

/// The sides of a range: git takes a word for one at its first two dots, if both sides are versions.
pub(super) fn sides(word: &str) -> impl Iterator<Item = &str> {
    let range = word.split_once("..");
    let sides = range.map(|(from, to)| [from, to.strip_prefix('.').unwrap_or(to)]);
    sides.into_iter().flatten()
}

/// A word, and its sides if it is a range, each without the sign before what is left out.
pub(super) fn meant(word: &str) -> impl Iterator<Item = &str> {
    let all = std::iter::once(word).chain(sides(word));
    all.map(|one| one.strip_prefix('^').unwrap_or(one))
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

    #[test]
    fn a_revision_is_a_name_a_way_into_its_history_and_a_path() {
        for (word, base, version, path) in [
            ("HEAD", "HEAD", "HEAD", None),
            ("", "", "", None),
            ("v1.0-3-g4203a90", "v1.0-3-g4203a90", "v1.0-3-g4203a90", None),
            ("me@host~2^2", "me@host", "me@host~2^2", None),
            ("a@{u}@{1}^", "a@{u}@{1}", "a@{u}@{1}^", None),
            ("@{-1}^{}~3:a/b:c", "@{-1}", "@{-1}^{}~3", Some("a/b:c")),
            ("HEAD^{tree}", "HEAD", "HEAD", None),
            ("HEAD^{tree}:x", "HEAD", "HEAD", Some("x")),
            ("v1^-2", "v1", "v1", None),
            ("v1~1^!", "v1", "v1~1", None),
            (":2:x", "", "", Some("2:x")),
            ("main:", "main", "main", Some("")),
            ("main:x^{/two}", "main", "main", Some("x^{/two}")),
        ] {
            let read = Revision::of(word);
            let told = Revision {
                whole: word,
                base,
                version,
                path,
            };
            assert_eq!(read, Some(told), "{word}");
        }
    }

    #[test]
    fn what_is_not_known_of_a_revision_is_none() {
        for word in [
            "HEAD^{/two}",
            "HEAD^{blob}",
            "HEAD^{tree}~1",
            "HEAD^!~1",
            "HEAD^!3",
            "HEAD~x",
            "HEAD~1@{1}",
            "HEAD@{^{/x}}",
            "HEAD@{a:b}",
            "HEAD@{1",
            "~1",
            "^{}",
            "a b",
            "a*",
            "a{b}",
            "a\\b",
            "a\u{1}",
            "a~b-g4203a90",
            "main:x-g4203a90",
        ] {
            assert_eq!(Revision::of(word), None, "{word}");
        }
    }
}
