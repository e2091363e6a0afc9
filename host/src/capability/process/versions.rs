//! What git printed of private files, for a command that no person was asked about: versions lie in no file that could be
//! hidden before it runs, so that what it shows of them is looked at afterwards. Sources: git-diff(1), "Generating patch text
//! with -p"; git-log(1), `--graph`.

use super::private::is_private_version;
use super::said;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

/// What stands where something was left out.
const LEFT_OUT: &str = "(not shown: it may be private)\n";
/// Most of the names that are told.
const MOST: usize = 5;
/// The fewest digits by which a commit is called.
const SHORTEST: usize = 4;

/// What may be shown of what commands printed, and of which files something was left out.
#[derive(Debug, Default)]
pub(super) struct Versions {
    files: BTreeSet<String>,
    /// Whether something was left out that is said to be of no file.
    others: bool,
}

/// Whether git may have printed something of what `line` prints.
pub(super) fn may_be_gits(line: &str) -> bool {
    line.contains("git")
}

impl Versions {
    /// What may be shown of `text`.
    pub(super) fn shown(&mut self, text: &str) -> String {
        parts(text).into_iter().map(|part| self.part(&part)).collect()
    }

    /// What was left out, and what can be done about it.
    pub(super) fn note(&self) -> Option<String> {
        let mut named: Vec<&str> = self.files.iter().take(MOST).map(String::as_str).collect();
        named.extend((self.files.len() > MOST).then_some("other files"));
        named.extend(self.others.then_some("what holds a private key"));
        if named.is_empty() {
            return None;
        }
        let without = self
            .files
            .first()
            .map(|file| format!(", one that ends in `-- . ':(exclude){file}'` leaves that file out"));
        Some(format!(
            "git showed {}, which is left out here, since no person was asked: a command that calls the commit by its \
             hash, as `git show 1a2b3c4`, asks one{}",
            named.join(", "),
            without.unwrap_or_default()
        ))
    }

    fn part<'a>(&mut self, part: &Part<'a>) -> Cow<'a, str> {
        let path = part.file.as_deref().map(Path::new);
        if !is_private_version(path, part.content.as_bytes()) {
            return Cow::Borrowed(part.text);
        }
        let Some(file) = &part.file else {
            self.others = true;
            return Cow::Borrowed(LEFT_OUT);
        };
        self.files.insert(said::on_one_line(file));
        let head = part.text.split_inclusive('\n').next().unwrap_or_default();
        Cow::Owned(format!("{head}{LEFT_OUT}"))
    }
}

/// What is about one file, or about none.
#[derive(Debug, Default)]
struct Part<'a> {
    text: &'a str,
    file: Option<String>,
    /// Its lines without the signs before them.
    content: String,
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = vec![Part::default()];
    let (mut begin, mut at) = (0, 0);
    // How wide the graph is, how many signs stand before a line, and whether lines of a file have begun.
    let (mut graph, mut signs, mut lines) = (0, 0, true);
    for line in text.split_inclusive('\n') {
        let plain = without_colours(line);
        let width = width_of_graph(&plain);
        let rest = plain.get(width..).unwrap_or_default();
        let file = of_a_file(rest);
        if file.is_some() || is_commit(rest) {
            finish(&mut parts, &text[begin..at]);
            begin = at;
            (graph, signs, lines) = (width, 0, file.is_none());
            parts.push(Part {
                file,
                ..Part::default()
            });
        }
        at += line.len();
        let Some(part) = parts.last_mut() else { continue };
        let rest = plain.get(graph..).unwrap_or_default();
        if part.file.is_none() {
            part.content.push_str(&plain);
        } else if rest.starts_with("@@") {
            (signs, lines) = (rest.bytes().take_while(|byte| *byte == b'@').count() - 1, true);
        } else if lines {
            part.content.push_str(rest.get(signs..).unwrap_or_default());
        } else if let Some(name) = rest.strip_prefix("+++ ").or_else(|| rest.strip_prefix("--- ")) {
            part.file = named(name.trim_end()).or(part.file.take());
        }
    }
    finish(&mut parts, &text[begin..]);
    parts
}

fn finish<'a>(parts: &mut [Part<'a>], text: &'a str) {
    if let Some(part) = parts.last_mut() {
        part.text = text;
    }
}

/// The file that a line begins the changes of.
fn of_a_file(line: &str) -> Option<String> {
    let behind = ["diff --git ", "diff --cc ", "diff --combined "]
        .iter()
        .find_map(|begin| line.strip_prefix(begin))?;
    let behind = behind.trim_end();
    // Of two names that are the same the second begins behind the blank in the middle.
    let second = behind.get(behind.len() / 2 + 1..).unwrap_or_default();
    let both = line.starts_with("diff --git ") && behind.as_bytes().get(behind.len() / 2) == Some(&b' ');
    named(if both { second } else { behind })
}

/// A name without what says that it is that of the one or of the other side, unless it is none.
fn named(name: &str) -> Option<String> {
    let name = name.trim_matches('"');
    let sides = ["a/", "b/", "c/", "i/", "o/", "w/"];
    let bare = sides.iter().find_map(|side| name.strip_prefix(side)).unwrap_or(name);
    (name != "/dev/null").then(|| bare.to_owned())
}

fn is_commit(line: &str) -> bool {
    line.strip_prefix("commit ").is_some_and(|name| {
        let digits = name.bytes().take_while(u8::is_ascii_hexdigit).count();
        digits >= SHORTEST && name.bytes().nth(digits).is_none_or(|byte| byte.is_ascii_whitespace())
    })
}

/// How many signs of a graph stand before what is in a line.
fn width_of_graph(line: &str) -> usize {
    let width = line.len() - line.trim_start_matches(['*', '|', '/', '\\', '_', ' ']).len();
    let is_graph = line.get(..width).is_some_and(|signs| signs.contains(['|', '*']));
    if is_graph { width } else { 0 }
}

/// A line without the signs by which a terminal shows colours.
fn without_colours(line: &str) -> Cow<'_, str> {
    if !line.contains('\x1b') {
        return Cow::Borrowed(line);
    }
    let mut pieces = line.split("\x1b[");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece
            .find(|char: char| char.is_ascii_alphabetic())
            .map_or(piece.len(), |at| at + 1);
        plain.push_str(piece.get(end..).unwrap_or_default());
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n\
                       MARK\n-----END OPENSSH PRIVATE KEY-----\n";

    fn of(file: &str, text: &str, before: &str) -> String {
        let lines = text.lines().map(|line| format!("{before}+{line}\n"));
        let head = format!(
            "diff --git a/{file} b/{file}\nnew file mode 100644\n--- /dev/null\n+++ b/{file}\n@@ -0,0 +1,4 @@\n"
        );
        let head = head.lines().map(|line| format!("{before}{line}\n"));
        head.chain(lines).collect()
    }

    fn shown(text: &str) -> (String, Option<String>) {
        let mut versions = Versions::default();
        (versions.shown(text), versions.note())
    }

    #[test]
    fn of_what_git_shows_only_what_is_private_is_left_out() {
        for before in ["", "| ", "| | "] {
            let commit = |hash: &str| format!("{}commit {hash}\n{before}Author: me\n", before.replacen('|', "*", 1));
            let text = [
                commit("1a2b3c4d"),
                of("a/notes.txt", KEY, before),
                of("main.rs", "fn main() {}", before),
                of(".env", "A=MARK", before),
                commit("5a2b3c4d"),
                of("b.txt", "plain", before),
            ]
            .concat();
            let (shown, note) = shown(&text);
            assert!(!shown.contains("MARK"), "{shown}");
            for kept in [
                "commit 1a2b3c4d",
                "fn main() {}",
                "commit 5a2b3c4d",
                "+plain",
                "b/a/notes.txt",
            ] {
                assert!(shown.contains(kept), "{kept}: {shown}");
            }
            let note = note.unwrap_or_default();
            assert!(note.contains("git showed .env, a/notes.txt, which"), "{note}");
        }
    }

    #[test]
    fn what_is_not_private_is_shown_as_it_is() {
        let source = format!("{}const KEY: &str = \"{KEY}\";\n", "let a = 1;\n".repeat(200));
        for text in [
            "".to_owned(),
            "no newline".to_owned(),
            of("tests/keys.rs", &source, ""),
            of(
                "notes.txt",
                "-----BEGIN OPENSSH PRIVATE KEY-----\nis how a key begins",
                "",
            ),
            "commit 1a2b3c4d\n\n commit\n".to_owned(),
            "\x1b[32m+a\x1b[m\n".to_owned(),
        ] {
            assert_eq!(shown(&text), (text.clone(), None));
        }
    }

    #[test]
    fn a_key_is_found_whichever_way_it_is_shown() {
        let coloured = of("x.txt", KEY, "")
            .replace('+', "\x1b[32m+\x1b[m")
            .replace("diff", "\x1b[1mdiff");
        let merged = of("x.txt", KEY, "")
            .replace("diff --git a/x.txt b/", "diff --cc ")
            .replace("@@", "@@@")
            .replace("\n+", "\n++");
        let grepped: String = KEY.lines().map(|line| format!("v1:conf/x:{line}\n")).collect();
        let blamed: String = KEY
            .lines()
            .map(|line| format!("1a2b3c4d (me 2026-01-02 03:04:05 +0100 1) {line}\n"))
            .collect();
        let without = of("x.txt", KEY, "")
            .replace("a/x.txt b/x.txt", "x.txt x.txt")
            .replace("b/x.txt", "x.txt");
        let removed = of("x.txt", KEY, "").replace("\n+", "\n-");
        for text in [coloured, merged, grepped, blamed, without, removed, KEY.to_owned()] {
            let (shown, note) = shown(&text);
            assert!(!shown.contains("MARK") && note.is_some(), "{text}\n{shown}");
        }
    }
}
