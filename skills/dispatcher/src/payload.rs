//! The payload of an action, taken apart once: every text in it with its path, so that nothing can hide where no check
//! looks. It reads canonical printing, which the host makes, and nothing else; it keeps no structure.

/// What kind of value a leaf is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A string.
    Text,
    /// A keyword, without its colon.
    Keyword,
    /// A symbol, number or character, as it was printed.
    Atom,
}

/// A value that is no list, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// Lower-case keys and positions, such as `payload.args.path` or `payload.args.headers.0`.
    pub(crate) path: String,
    /// The text.
    pub(crate) text: String,
    /// What it is.
    pub(crate) kind: Kind,
}

/// A payload's leaves, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Payload {
    leaves: Vec<Leaf>,
    /// Paths at which a list stands.
    lists: Vec<String>,
}

/// A list that is being read.
struct Open {
    path: String,
    /// The keyword that was read last, if a value may follow it.
    key: Option<String>,
    count: usize,
}

impl Payload {
    /// Takes the canonical printing of a payload apart.
    pub(crate) fn read(printed: &str) -> Payload {
        let mut payload = Payload::default();
        let mut stack = Vec::new();
        let mut rest = printed;
        while let Some(char) = rest.chars().next() {
            match char {
                '(' => {
                    let path = next_path(&mut stack);
                    payload.lists.push(path.clone());
                    stack.push(Open {
                        path,
                        key: None,
                        count: 0,
                    });
                    rest = &rest[1..];
                }
                ')' => {
                    stack.pop();
                    rest = &rest[1..];
                }
                '"' => {
                    let (text, after) = delimited(&rest[1..], '"');
                    rest = after;
                    payload.leaf(&mut stack, text, Kind::Text);
                }
                ':' => {
                    let (name, after) = name(&rest[1..]);
                    rest = after;
                    payload.keyword(&mut stack, name);
                }
                '#' if rest.starts_with("#\\") => {
                    let length = rest[2..].chars().next().map_or(0, char::len_utf8);
                    let (_, tail) = rest.split_at(2 + length);
                    let more = tail.find([' ', ')']).unwrap_or(tail.len());
                    let (atom, after) = rest.split_at(2 + length + more);
                    rest = after;
                    payload.leaf(&mut stack, atom.to_owned(), Kind::Atom);
                }
                // `#P"…"` and `#(…)`: what follows is read for itself.
                '#' => rest = rest.strip_prefix("#P").unwrap_or(&rest[1..]),
                _ if char.is_whitespace() => rest = &rest[char.len_utf8()..],
                _ => {
                    let (name, after) = name(rest);
                    if after.len() == rest.len() {
                        // No atom begins here; canonical printing has nothing like it. Step over it.
                        rest = &rest[char.len_utf8()..];
                        continue;
                    }
                    rest = after;
                    payload.leaf(&mut stack, name, Kind::Atom);
                }
            }
        }
        payload
    }

    fn leaf(&mut self, stack: &mut [Open], text: String, kind: Kind) {
        let path = next_path(stack);
        self.leaves.push(Leaf { path, text, kind });
    }

    /// A keyword is a key where a value may follow, and a value behind a key.
    fn keyword(&mut self, stack: &mut [Open], name: String) {
        match stack.last_mut() {
            Some(open) if open.key.is_none() => {
                open.key = Some(name.to_lowercase());
                self.leaves.push(Leaf {
                    path: [&open.path, ".", &open.count.to_string()].concat(),
                    text: name,
                    kind: Kind::Keyword,
                });
                open.count += 1;
            }
            _ => self.leaf(stack, name, Kind::Keyword),
        }
    }

    /// Everything in it that is no list. Keys stand under their positions.
    pub(crate) fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// The leaf at a path.
    pub(crate) fn at(&self, path: &str) -> Option<&Leaf> {
        self.leaves.iter().find(|leaf| leaf.path == path)
    }

    /// The string at a path.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.at(path)
            .filter(|leaf| leaf.kind == Kind::Text)
            .map(|leaf| leaf.text.as_str())
    }

    /// The name at a path, whether it was written as a string, a keyword or a symbol; upper case.
    pub(crate) fn name(&self, path: &str) -> Option<String> {
        self.at(path).map(|leaf| leaf.text.to_uppercase())
    }

    /// Whether something stands at a path that is not nothing.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.lists.iter().any(|own| own == path)
            || self
                .at(path)
                .is_some_and(|leaf| leaf.kind != Kind::Atom || leaf.text != "NIL")
    }
}

/// The deepest list whose path is told apart: the host reads none deeper.
const DEEPEST: usize = 100;

/// Where the next value stands.
fn next_path(stack: &mut [Open]) -> String {
    let depth = stack.len();
    let Some(open) = stack.last_mut() else {
        return "payload".to_owned();
    };
    if depth > DEEPEST {
        return open.path.clone();
    }
    let step = open.key.take().unwrap_or_else(|| open.count.to_string());
    open.count += 1;
    [&open.path, ".", &step].concat()
}

/// A name, between bars or plain, and what follows it.
fn name(text: &str) -> (String, &str) {
    if let Some(rest) = text.strip_prefix('|') {
        return delimited(rest, '|');
    }
    let end = text
        .find(|char: char| char.is_whitespace() || matches!(char, '(' | ')' | '"' | '|'))
        .unwrap_or(text.len());
    (text[..end].to_owned(), &text[end..])
}

/// The text up to `end`, with its backslashes taken away, and what follows.
fn delimited(text: &str, end: char) -> (String, &str) {
    let mut out = String::new();
    let mut rest = text;
    // Both marks are ASCII, so that they are found among bytes.
    while let Some(at) = rest.bytes().position(|byte| byte == b'\\' || char::from(byte) == end) {
        let (plain, mark) = rest.split_at(at);
        out.push_str(plain);
        if mark.starts_with(end) {
            return (out, &mark[1..]);
        }
        let mut after = mark[1..].chars();
        out.extend(after.next());
        rest = after.as_str();
    }
    out.push_str(rest);
    (out, "")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn every_text_is_found_at_its_path() {
        let payload = Payload::read(
            "(:TOOL \"write-file\" :ARGS (:PATH \"a \\\"b\\\\\" :N 3 :LIST (\"x\" (:K \"y\")) :NONE NIL) :ACTION :EVAL)",
        );
        assert_eq!(payload.text("payload.tool"), Some("write-file"));
        assert_eq!(payload.text("payload.args.path"), Some("a \"b\\"));
        assert_eq!(payload.text("payload.args.list.0"), Some("x"));
        assert_eq!(payload.text("payload.args.list.1.k"), Some("y"));
        assert_eq!(payload.name("payload.action").as_deref(), Some("EVAL"));
        assert_eq!(payload.text("payload.args.n"), None);
        assert!(payload.has("payload.args.n") && payload.has("payload.args") && !payload.has("payload.args.none"));
    }

    #[test]
    fn odd_atoms_hide_nothing_behind_them() {
        let payload = Payload::read(
            "(:A (#\\\" #\\( #\\Space |b \" ( c| :|k \" x| #P\"/p\" #(1 \"v\") (X . \"tail\")) :B \"seen\")",
        );
        assert_eq!(payload.text("payload.b"), Some("seen"));
        let texts: Vec<&str> = payload
            .leaves()
            .iter()
            .filter(|leaf| leaf.kind == Kind::Text)
            .map(|leaf| leaf.text.as_str())
            .collect();
        assert_eq!(texts, ["/p", "v", "tail", "seen"]);
    }

    #[test]
    fn no_text_makes_it_fail() {
        for text in [
            "",
            ")",
            "(\"",
            "(:",
            "(|",
            "#",
            "#\\",
            "\\",
            "((((",
            "(:A :B :C)",
            "\"\\",
        ] {
            let _ = Payload::read(text);
        }
        let _ = Payload::read(&"(".repeat(100_000));
    }
}
