//! A line of a script, taken apart into what may be names of files. The script may be in any language, so nothing is
//! known of its grammar: names are what is written as names are.

use std::borrow::Cow;

/// A part of a line that may be a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) kind: Kind,
    /// Where it begins in the line.
    pub(super) begin: usize,
    /// What stands between it and the plain part before.
    pub(super) gap: &'a str,
}

/// How it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// With a blank in it or the like, between quotes or with backslashes. The plain parts of it follow.
    Quoted,
    /// With what a shell puts the names for that match. The plain parts of it follow.
    Pattern,
    /// Without any of that.
    Plain,
}

impl Part<'_> {
    /// Whether it begins with what the shell puts something else for: a variable, or what comes behind one in braces, or
    /// behind a command.
    pub(super) fn expanded(&self) -> bool {
        let last = self.gap.chars().last().unwrap_or(' ');
        let quoted = self.kind == Kind::Quoted && self.variable();
        quoted || last == '$' || "{})`\"'".contains(last) && self.text.starts_with('/')
    }

    /// Whether it begins with the name of a variable.
    pub(super) fn variable(&self) -> bool {
        self.gap.ends_with('$') || self.gap.ends_with("${")
    }

    /// Where a plain one or a pattern ends in the line.
    pub(super) fn end(&self) -> usize {
        self.begin + self.text.len()
    }
}

/// The parts of a line in their order. Of those that begin together the plain one comes last.
pub(super) fn parts(line: &str) -> Vec<Part<'_>> {
    // Between the elements of a list there is one of these.
    let plain = runs(line, in_path).filter(|(_, text)| *text != ",");
    let plain = plain.map(|(begin, text)| (begin, Kind::Plain, Cow::Borrowed(text)));
    let wide = runs(line, |char| in_path(char) || "*?[]".contains(char));
    let patterns = wide
        .filter(|(_, text)| text.contains(['*', '?']) || text.contains('[') && text.len() > 1)
        .map(|(begin, text)| (begin, Kind::Pattern, Cow::Borrowed(text)));
    let whole = quoted(line)
        .into_iter()
        .map(|(begin, text)| (begin, Cow::Borrowed(text)))
        .chain(escaped(line).into_iter().map(|(begin, text)| (begin, Cow::Owned(text))))
        .map(|(begin, text)| (begin, Kind::Quoted, text));
    let mut all: Vec<_> = plain.chain(patterns).chain(whole).collect();
    all.sort_by_key(|(begin, kind, _)| (*begin, *kind));
    let (mut last, mut found) = (0, Vec::new());
    for (begin, kind, text) in all {
        let gap = line.get(last..begin).unwrap_or_default();
        if kind == Kind::Plain {
            last = begin + text.len();
        }
        found.push(Part { text, kind, begin, gap });
    }
    found
}

fn in_path(char: char) -> bool {
    char.is_ascii_alphanumeric() || "_./+-@,%".contains(char) || !char.is_ascii()
}

/// The longest pieces of such characters, and where they begin.
fn runs(line: &str, is_in: impl Fn(char) -> bool) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let begin = at + line[at..].find(&is_in)?;
        let rest = &line[begin..];
        let text = &rest[..rest.find(|char| !is_in(char)).unwrap_or(rest.len())];
        at = begin + text.len();
        Some((begin, text))
    })
}

/// What stands between two quotes and could not be one name without them.
fn quoted(line: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = line[at..].find(['"', '\'']).map(|open| at + open) {
        let quote = line.as_bytes()[open];
        let bytes = line.as_bytes().iter().enumerate().skip(open + 1);
        let mut escaped = false;
        let close = bytes.into_iter().find(|(_, byte)| {
            let closes = **byte == quote && !escaped;
            escaped = **byte == b'\\' && !escaped && quote == b'"';
            closes
        });
        let Some((close, _)) = close else { break };
        found.extend(one_name(open + 1, &line[open + 1..close]));
        at = close + 1;
    }
    found
}

/// What of a quoted text at `begin` may be one name that is no plain one: behind the last of what stands for something
/// else, as far as that could only be another folder.
fn one_name(begin: usize, text: &str) -> Option<(usize, &str)> {
    let from = match text.rfind('$') {
        Some(dollar) => dollar + 1 + usize::from(text[dollar + 1..].starts_with('{')),
        None => match text.find([')', '}', '`']) {
            // What it closes begins before the quote.
            Some(close) if !text[..close].contains(['(', '{', '`']) => close + text[close..].find('/')?,
            _ => 0,
        },
    };
    let name = &text[from..];
    let own = if from == 0 { name } else { name.split_once('/')?.1 };
    own.contains(|char| !in_path(char)).then_some((begin + from, name))
}

/// What is one name because there are backslashes before its blanks, without these.
fn escaped(line: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let (mut begin, mut text, mut blank, mut slash) = (0, String::new(), false, false);
    for (at, char) in line.char_indices().chain([(line.len(), ' ')]) {
        if slash {
            blank |= char == ' ';
            text.push(char);
            slash = false;
        } else if char == '\\' {
            slash = true;
        } else if in_path(char) {
            text.push(char);
        } else {
            if blank {
                found.push((begin, std::mem::take(&mut text)));
            }
            text.clear();
            (begin, blank) = (at + char.len_utf8(), false);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_kind(line: &str, kind: Kind) -> Vec<String> {
        let parts = parts(line).into_iter().filter(|part| part.kind == kind);
        parts.map(|part| part.text.into_owned()).collect()
    }

    #[test]
    fn a_name_is_plain_or_quoted_or_a_pattern() {
        let line = "sh \"a/w w.sh\" && . b/w\\ w.sh; for i in c/*.sh d[0-9]; do 'e (1)'; done";
        assert_eq!(of_kind(line, Kind::Quoted), ["a/w w.sh", "b/w w.sh", "e (1)"]);
        assert_eq!(of_kind(line, Kind::Pattern), ["c/*.sh", "d[0-9]"]);
        let plain = of_kind(line, Kind::Plain);
        for text in ["sh", "a/w", "w.sh", "c/", ".sh", "e"] {
            assert!(plain.iter().any(|own| own == text), "{text}: {plain:?}");
        }
        for (line, name) in [
            ("\"$R/w w.sh\"", "R/w w.sh"),
            ("\"${R}/w w.sh\"", "R}/w w.sh"),
            ("\"$(dirname \"$0\")/w w.sh\"", "/w w.sh"),
        ] {
            let found = parts(line);
            let found: Vec<&Part<'_>> = found.iter().filter(|part| part.kind == Kind::Quoted).collect();
            assert!(
                matches!(found.as_slice(), [part] if part.text == name && part.expanded()),
                "{line}: {found:?}"
            );
        }
        for line in ["", "\"", "'a b", "\\", "é\\ ", "\"\\\"", "\"$é\"", "$"] {
            let _ = parts(line);
        }
    }
}
