//! Sets of characters in patterns and expressions, as POSIX.1-2024, 9.3.5 has them.

/// The classes of characters that a set may name, and what they are made of.
const CLASSES: &[(&str, &str)] = &[
    ("alnum", "a-zA-Z0-9"),
    ("alpha", "a-zA-Z"),
    ("blank", " "),
    ("cntrl", "\u{1}-\u{1f}"),
    ("digit", "0-9"),
    ("graph", "!-~"),
    ("lower", "a-z"),
    ("print", " -~"),
    ("punct", "!-.:-@_~"),
    ("space", " "),
    ("upper", "A-Z"),
    ("word", "a-zA-Z0-9_"),
    ("xdigit", "0-9a-fA-F"),
];
/// No class or sign has a longer name.
const LONGEST_NAME: usize = 32;
/// What is behind so many characters of a pattern is not looked at by itself: one that is longer is not followed.
const LONGEST_PATTERN: usize = 256;
/// What would be a sign where a set is written again, or is one between folders. No name that is told by them has one of
/// the others.
const SIGNS: &str = "/{},\\!^[]";

/// How long the set is that begins here, with its brackets. One that comes first in it is one of the set.
pub(super) fn set_length(chars: &[char]) -> Option<usize> {
    let mut at = 1 + usize::from(matches!(chars.get(1), Some('!' | '^')));
    let first = at;
    loop {
        match chars.get(at)? {
            ']' if at > first => return Some(at + 1),
            _ => at += inner(&chars[at..]).map_or(1, |name| name + 4),
        }
    }
}

/// How long the name is of a class, `[:alpha:]`, or of a sign, `[.x.]` and `[=x=]`, that begins here in a set.
fn inner(chars: &[char]) -> Option<usize> {
    let ['[', kind @ (':' | '.' | '='), rest @ ..] = chars else {
        return None;
    };
    let rest = &rest[..rest.len().min(LONGEST_NAME + 2)];
    let length = rest.windows(2).position(|pair| pair == [*kind, ']'])?;
    let is_name = *kind != ':' || rest[..length].iter().all(|char| char.is_ascii_lowercase());
    (length > 0 && is_name).then_some(length)
}

/// Whether each set of an expression is read the same by every kind of them. Perl's takes a backslash in one for a sign, knows
/// classes of what is not in another, and marks of places that are written like one: pcre2pattern(3), "Square brackets".
pub(crate) fn has_plain_sets(regex: &str) -> bool {
    let chars: Vec<char> = regex.chars().collect();
    let mut at = 0;
    while let Some(char) = chars.get(at) {
        at += match char {
            '\\' => 2,
            '[' => {
                let Some(length) = set_length(&chars[at..]) else {
                    return false;
                };
                let set = &chars[at + 1..at + length];
                let named = |at: usize| inner(&set[at..]).is_some_and(|_| set[at + 1] == ':');
                if (0..set.len()).any(|at| set[at] == '\\' || set[at] == '[' && !named(at)) {
                    return false;
                }
                length
            }
            _ => 1,
        };
    }
    true
}

/// A pattern in which each set is written plainly: what is in it, character by character or from one to another, and none
/// that is a sign elsewhere. `None` if one can't be read.
pub(crate) fn plain(pattern: &str) -> Option<String> {
    let chars: Vec<char> = pattern.chars().collect();
    // No set ends behind the last of these.
    let end = chars.iter().rposition(|char| *char == ']').unwrap_or_default();
    let (mut at, mut made) = (0, String::new());
    while let Some(char) = chars.get(at) {
        let length = (*char == '[' && at < end).then(|| set_length(&chars[at..])).flatten();
        match length {
            Some(length) => made.push_str(&plain_set(&chars[at..at + length])?),
            None => made.push(*char),
        }
        at += length.unwrap_or(1);
    }
    Some(made)
}

/// The same of one set.
pub(super) fn plain_set(set: &[char]) -> Option<String> {
    let negated = matches!(set.get(1), Some('!' | '^'));
    let members = set.get(1 + usize::from(negated)..set.len().checked_sub(1)?)?;
    let mut ranges = Vec::new();
    for (from, to) in read(members)? {
        cut(from, to, &mut ranges);
    }
    if ranges.is_empty() {
        let any = negated || members == ['/'];
        // No name has this one.
        return Some(if any { "?" } else { "[\u{7f}]" }.to_owned());
    }
    // Last it stands for itself.
    ranges.sort_by_key(|(from, to)| *from == '-' && *to == '-');
    let mut made = String::from(if negated { "[!" } else { "[" });
    for (from, to) in ranges {
        made.push(from);
        if from != to {
            made.extend(['-', to]);
        }
    }
    made.push(']');
    Some(made)
}

/// What stands behind each sign of a pattern of paths that may stand for the sign between folders, as a pattern of its own.
pub(crate) fn tails(pattern: &str) -> Vec<String> {
    let chars: Vec<char> = pattern.chars().take(LONGEST_PATTERN).collect();
    // No set ends behind the last of these.
    let end = chars.iter().rposition(|char| *char == ']').unwrap_or_default();
    let (mut at, mut found) = (0, Vec::new());
    while let Some(char) = chars.get(at) {
        let length = (*char == '[' && at < end).then(|| set_length(&chars[at..])).flatten();
        let behind = at + length.unwrap_or(1);
        // No path begins with it, and no folder in one is called `.`.
        let first = at == 0 || at > 1 && chars[at - 2..at] == ['/', '.'];
        let crosses = match length {
            Some(_) => !first && spans_folders(&chars[at..behind]),
            None => *char == '*' || *char == '?' && !first,
        };
        if crosses {
            let star = (*char == '*').then_some('*');
            found.push(star.into_iter().chain(chars[behind..].iter().copied()).collect());
        }
        at = behind;
    }
    found
}

/// Whether a set may stand for the sign between folders.
pub(super) fn spans_folders(set: &[char]) -> bool {
    let negated = matches!(set.get(1), Some('!' | '^'));
    let members = &set[1 + usize::from(negated)..set.len() - 1];
    let has = read(members).is_none_or(|all| all.iter().any(|(from, to)| (*from..=*to).contains(&'/')));
    has != negated
}

/// What is in a set, from each first character to its last.
fn read(members: &[char]) -> Option<Vec<(char, char)>> {
    let (mut at, mut ranges) = (0, Vec::new());
    while at < members.len() {
        let (from, length) = match inner(&members[at..]) {
            Some(name) if members[at + 1] == ':' => {
                let name: String = members[at + 2..at + 2 + name].iter().collect();
                let (_, members) = CLASSES.iter().find(|(own, _)| *own == name)?;
                ranges.extend(read(&members.chars().collect::<Vec<char>>())?);
                at += name.len() + 4;
                continue;
            }
            _ => sign(&members[at..])?,
        };
        at += length;
        let mut to = from;
        if members.get(at) == Some(&'-') && at + 1 < members.len() {
            let (last, length) = sign(&members[at + 1..])?;
            to = last;
            at += 1 + length;
        }
        // What is the wrong way round is nothing to some, and an error to others.
        if from > to {
            return None;
        }
        ranges.push((from, to));
    }
    Some(ranges)
}

/// The character at the start, which may be written as `[.x.]` or `[=x=]`, and how much stands for it.
fn sign(members: &[char]) -> Option<(char, usize)> {
    match inner(members) {
        None => Some((*members.first()?, 1)),
        // Which others have names, or are like it, is told by the language that is set.
        Some(1) if members[1] != ':' => Some((members[2], 5)),
        Some(_) => None,
    }
}

/// Adds what is from one to another without the signs.
fn cut(mut from: char, to: char, ranges: &mut Vec<(char, char)>) {
    let near = |char: char, by: i64| {
        u32::try_from(i64::from(u32::from(char)) + by)
            .ok()
            .and_then(char::from_u32)
    };
    let mut signs: Vec<char> = SIGNS.chars().filter(|sign| (from..=to).contains(sign)).collect();
    signs.sort_unstable();
    for sign in signs {
        if let Some(before) = near(sign, -1).filter(|before| from <= *before) {
            ranges.push((from, before));
        }
        let Some(next) = near(sign, 1) else { return };
        from = next;
    }
    if from <= to {
        ranges.push((from, to));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_written_plainly() {
        for (set, plainly) in [
            ("[!.]*", "[!.]*"),
            ("[^.]*", "[!.]*"),
            ("[[:alpha:]_]", "[a-zA-Z_]"),
            ("[+-/]*", "[+--.]*"),
            ("[[=.=]]", "[.]"),
            ("[[.-.]a]", "[a-]"),
            ("[]a]", "[a]"),
            ("[^/]", "?"),
            ("[/]", "?"),
            ("[,]", "[\u{7f}]"),
            ("[x", "[x"),
            ("[[:]x", "[:]x"),
        ] {
            assert_eq!(plain(set).as_deref(), Some(plainly), "{set}");
        }
        for set in ["[[:dot:]]*", "[[.full-stop.]]*", "[z-a]", "[[=ab=]]"] {
            assert_eq!(plain(set), None, "{set}");
        }
    }

    #[test]
    fn what_may_be_between_folders_has_a_name_behind_it() {
        for (pattern, behind) in [
            ("src?[!.]*", &["[!.]*", "*", "*"][..]),
            ("./src[/].*", &[".*", "*"]),
            ("./s[+-0]x", &["x"]),
            ("./s[a-z]x", &[]),
            ("./s[^/]x", &[]),
            ("*/.?x", &["*/.?x"]),
            ("?x", &[]),
            (".?x", &["x"]),
            ("a*b", &["*b"]),
        ] {
            assert_eq!(tails(pattern), behind, "{pattern}");
        }
    }

    #[test]
    fn what_perl_reads_otherwise_in_a_set_is_not_plain() {
        for regex in [
            "[\\]e]",
            "[\\w]",
            "x[^\\].]",
            "[[:^alpha:]]",
            "[[:<:]]x",
            "[a[b]",
            "[[.x.]]",
            "[a",
        ] {
            assert!(!has_plain_sets(regex), "{regex}");
        }
        for regex in ["[a-z]+\\.rs", "\\[x", "[]a]", "[^]a]", "[[:alpha:]_]", "\\w[.]"] {
            assert!(has_plain_sets(regex), "{regex}");
        }
    }

    #[test]
    fn where_a_set_ends_is_soon_told() {
        for open in ["[[:", "[[.", "[[=", "[[:a", "[[=]"] {
            let many = open.repeat(200_000);
            assert_eq!(set_length(&many.chars().collect::<Vec<char>>()), None, "{open}");
            // What ends nowhere stands for itself, but for what begins like a set.
            let stands = plain(&many).is_some_and(|made| made == many);
            assert_eq!(stands, open != "[[=]", "{open}");
        }
    }
}
