//! Finding things in the text of sources and documents: imports, tests, words, sections. Text in, names and lines out;
//! no files.

use std::collections::{BTreeMap, BTreeSet};

/// The rooms of the host, from left to right. A room imports only rooms of groups further right, or of its own group
/// where that makes no circle.
pub(crate) const ORDER: &[&[&str]] = &[
    &["cli"],
    &["daemon"],
    &["protocol"],
    &["cycle"],
    &["actuator", "model", "context", "skill"],
    &["capability"],
    &["gate"],
    &["audit", "memory", "vault"],
    &["signal"],
    &["sexp", "config"],
];

pub(crate) const REASON: &str = "long because";
pub(crate) const REASON_WITHIN: usize = 15;

/// The room of a file beneath host/src, and how deep its module lies beneath the crate.
pub(crate) fn place(file: &str) -> Option<(String, usize)> {
    let inner = file.strip_prefix("host/src/")?.strip_suffix(".rs")?;
    if matches!(inner, "lib" | "main") {
        return None;
    }
    let steps: Vec<&str> = inner.split('/').filter(|step| *step != "mod").collect();
    Some(((*steps.first()?).to_owned(), steps.len()))
}

pub(crate) fn rank(room: &str) -> Option<usize> {
    ORDER.iter().position(|group| group.contains(&room))
}

/// The rooms that a text names, with their lines. `depth` is how often `super` leads from its module to the crate.
pub(crate) fn imports(text: &str, depth: usize) -> Vec<(usize, String)> {
    let code = without_comments(text);
    let mut found = Vec::new();
    for root in ["crate::", "passepartout_host::", "super::"] {
        for (at, _) in code.match_indices(root) {
            if code[..at].ends_with(is_word) || code[..at].ends_with("super::") {
                continue;
            }
            let mut rest = &code[at + root.len()..];
            if root == "super::" {
                let mut up = 1;
                while let Some(more) = rest.strip_prefix("super::") {
                    (rest, up) = (more, up + 1);
                }
                if up < depth {
                    continue;
                }
            }
            let line = code[..at].matches('\n').count() + 1;
            found.extend(
                heads(rest)
                    .into_iter()
                    .filter(|name| rank(name).is_some())
                    .map(|name| (line, name)),
            );
        }
    }
    found.sort();
    found
}

/// The first names of a path, or of each path in a group of braces.
pub(crate) fn heads(rest: &str) -> Vec<String> {
    let head = |text: &str| {
        text.trim_start()
            .chars()
            .take_while(|char| is_word(*char))
            .collect::<String>()
    };
    let Some(group) = rest.strip_prefix('{') else {
        return vec![head(rest)];
    };
    let (mut depth, mut from, mut names) = (0, 0, Vec::new());
    for (at, char) in group.char_indices() {
        match char {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                names.push(head(&group[from..at]));
                from = at + 1;
                if char == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names
}

pub(crate) fn reaches(graph: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(room) = open.pop() {
        if room == to {
            return true;
        }
        if seen.insert(room) {
            open.extend(graph.get(room).into_iter().flatten().map(String::as_str));
        }
    }
    false
}

/// The lines with an `unsafe` that no comment close above explains.
pub(crate) fn unexplained(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let code = without_comments(text);
    // It may be a word of a text.
    let is_code = |(_, rest): &(usize, &str)| {
        let rest = rest.trim_start();
        ["{", "fn ", "impl", "extern", "trait "]
            .iter()
            .any(|next| rest.starts_with(next))
    };
    words_before(&code, "unsafe")
        .filter(is_code)
        .map(|(line, _)| line)
        .filter(|line| {
            !lines[line.saturating_sub(4)..*line]
                .iter()
                .any(|line| line.contains("SAFETY:"))
        })
        .collect()
}

pub(crate) fn has_reason(text: &str) -> bool {
    text.lines()
        .take(REASON_WITHIN)
        .any(|line| line.trim_start().starts_with("//") && line.contains(REASON))
}

/// The names of the tests in a text: functions under an attribute that ends in `test`, and functions without arguments
/// inside a macro that stands alone, which makes tests of them.
pub(crate) fn tests_in(text: &str) -> Vec<String> {
    let (mut names, mut announced, mut in_macro) = (Vec::new(), false, false);
    for full in text.lines() {
        let line = full.trim();
        let attribute = line.strip_prefix("#[").and_then(|rest| rest.split([']', '(']).next());
        if !full.starts_with(char::is_whitespace) && !line.is_empty() {
            in_macro = line.strip_suffix("! {").is_some_and(|name| name.chars().all(is_word));
        }
        if let Some(attribute) = attribute {
            announced |= attribute == "test" || attribute.ends_with("::test");
        } else if let Some((_, rest)) = line.split_once("fn ") {
            let name: String = rest.chars().take_while(|char| is_word(*char)).collect();
            if announced || (in_macro && rest[name.len()..].starts_with("()")) {
                names.push(name);
            }
            announced = false;
        }
    }
    names
}

/// The lines in which `word` stands as a word of its own.
pub(crate) fn words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    words_before(text, word).map(|(line, _)| line)
}

/// The same, with what stands behind each.
fn words_before<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = (usize, &'t str)> + 't {
    text.match_indices(word)
        .map(move |(at, _)| (at, &text[at + word.len()..]))
        .filter(move |(at, rest)| !text[..*at].ends_with(is_word) && !rest.starts_with(is_word))
        .map(|(at, rest)| (text[..at].matches('\n').count() + 1, rest))
}

pub(crate) fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// The text without what follows `//` on a line. Lines stay where they are.
pub(crate) fn without_comments(text: &str) -> String {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// What stands between single backquotes, outside of blocks of code.
pub(crate) fn quoted(text: &str) -> Vec<String> {
    let prose: String = text.split("```").step_by(2).collect();
    prose.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// A section of a document, up to the next heading of its level.
pub(crate) fn section<'d>(document: &'d str, heading: &str) -> &'d str {
    let from = document
        .find(&format!("\n{heading}\n"))
        .unwrap_or_else(|| panic!("ARCHITECTURE.md has no heading \"{heading}\""));
    let rest = &document[from + heading.len() + 1..];
    rest.find("\n## ").map_or(rest, |end| &rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_is_seen_in_every_spelling() {
        let seen = |text: &str, depth| {
            imports(text, depth)
                .into_iter()
                .map(|(line, room)| format!("{line} {room}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(seen("use crate::gate::Verdict;", 1), ["1 gate"]);
        assert_eq!(
            seen("// use crate::gate;\n\nfn f() { crate::sexp::read(\"\") }", 1),
            ["3 sexp"]
        );
        assert_eq!(
            seen("use crate::{\n    cycle::{self, Turn},\n    sexp,\n};", 1),
            ["1 cycle", "1 sexp"]
        );
        assert_eq!(seen("use super::super::skill::Set;", 2), ["1 skill"]);
        assert_eq!(seen("use super::{gate, sexp::Form};", 1), ["1 gate", "1 sexp"]);
        assert_eq!(
            seen("use super::gate;", 2),
            [""; 0],
            "that is a module of the same room"
        );
        assert_eq!(seen("use passepartout_host::daemon::serve;", 1), ["1 daemon"]);
        assert_eq!(seen("use other_crate::gate;", 1), [""; 0]);
    }

    #[test]
    fn a_circle_of_neighbours_is_found() {
        let graph = |edges: &[(&str, &str)]| {
            let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for (from, to) in edges {
                graph.entry((*from).to_owned()).or_default().insert((*to).to_owned());
            }
            graph
        };
        assert!(!reaches(&graph(&[("actuator", "skill")]), "skill", "actuator"));
        assert!(reaches(&graph(&[("a", "b"), ("b", "c"), ("c", "a")]), "b", "a"));
    }

    #[test]
    fn unexplained_unsafe_is_found_and_explained_is_not() {
        assert_eq!(unexplained("let x = 1;\nunsafe { f() }\n"), [2]);
        assert_eq!(unexplained("// SAFETY: f has no conditions.\nunsafe { f() }\n"), [0; 0]);
        assert_eq!(unexplained("// SAFETY: too far.\n\n\n\n\nunsafe { f() }\n"), [6]);
        assert_eq!(unexplained("#![deny(unsafe_code)] // unsafe\n"), [0; 0]);
        assert_eq!(unexplained("unsafe impl Send for A {}\n"), [1]);
        assert_eq!(unexplained("f(\"--copy-unsafe-links\");\n"), [0; 0]);
    }

    #[test]
    fn tests_are_told_from_other_functions() {
        let text = "#[test]\nfn one() {}\n#[tokio::test(flavor = \"multi_thread\")]\nasync fn two() {}\nfn three() {}\n\
                    proptest! {\n    #[test]\n    fn four(x in 0..3) {}\n}\n#[test]\n#[cfg(unix)]\nfn five() {}\n\
                    over_sockets! {\n    async fn six() {}\n    fn seven(x: u8) {}\n}\nfn eight() {}\n";
        assert_eq!(tests_in(text), ["one", "two", "four", "five", "six"]);
    }
}
