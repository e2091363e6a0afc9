//! `search-text`: lines of files, by a text or a regular expression.

use std::ops::Range;

use passepartout_sdk::Action;
use passepartout_sdk::files::{self, Kind};
use regex_lite::{Regex, RegexBuilder};

use crate::glob::Glob;
use crate::private::{LOOKED_AT, Named, is_innocently_named, is_private, named};
use crate::shown::{self, LONGEST_LINE, Lines};
use crate::text::{Content, Literal, is_utf16};
use crate::walk::walk;
use crate::{flag, folder, optional, required, unasked};

/// Longest file that is searched, in bytes. What is longer is data, and said to be left out.
const LONGEST_FILE: usize = 2 << 20;

/// Longest pattern, in bytes.
const LONGEST_PATTERN: usize = 4 << 10;

/// Bytes shown before the match in a line that is too long to be shown.
const BEFORE: usize = 60;

/// How many files that are no text are named.
const NAMED: usize = 8;

/// Carries the tool out.
pub(crate) fn call(action: &Action) -> Result<String, String> {
    let mut search = Search::of(action)?;
    let glob = optional(action, "glob")?.map(|glob| Glob::new(&glob)).transpose()?;
    let folder = folder(action)?;
    let about = files::about(&folder).map_err(|failure| failure.to_string())?;
    if about.kind != Kind::Folder {
        let content = whole(&folder)?;
        // If that holds a key whose name says nothing, no gate was asked about it.
        let beginning = content.as_deref().map(|bytes| bytes.get(..LOOKED_AT).unwrap_or(bytes));
        if beginning.is_some_and(|bytes| is_innocently_named(&folder, bytes)) {
            return Err(unasked(&folder));
        }
        search.content(&folder, Named::Not, content);
        return Ok(search.finish());
    }
    let mut looked_at = false;
    let walked = walk(&folder, |path, below, _| {
        if glob.as_ref().is_none_or(|glob| glob.matches(below)) {
            looked_at = true;
            // Of the folder itself, which was named, a gate was asked.
            search.file(path, named(below));
        }
        true
    })?;
    let found = match (looked_at, glob) {
        (true, _) => search.finish(),
        (false, Some(_)) => "no file has such a name\n".to_owned(),
        (false, None) => "there is no file to search\n".to_owned(),
    };
    Ok(found + &walked.notes())
}

struct Search {
    pattern: Regex,
    /// The same for files that are no text, where it can be looked for in them.
    literal: Option<Literal>,
    lines: Lines,
    /// Files in which it was found.
    files: usize,
    /// Files that are no text and have it: the first of them.
    binary: Vec<String>,
    /// How many more those are.
    more_binary: usize,
    /// Files that are no text and could not be searched.
    not_text: usize,
    /// Files of which some bytes are no text.
    broken: usize,
    too_long: usize,
    unreadable: usize,
    /// Files that a gate would ask about if they were named.
    private: usize,
}

impl Search {
    fn of(action: &Action) -> Result<Search, String> {
        let text = required(action, "pattern")?;
        if text.is_empty() {
            return Err("the pattern is empty, and would be in every line".to_owned());
        }
        if text.len() > LONGEST_PATTERN {
            return Err(format!("the pattern has more than {LONGEST_PATTERN} bytes"));
        }
        let any_case = flag(action, "ignore-case");
        let (pattern, literal) = match flag(action, "regex") {
            // It may take long, and is about lines.
            true => (text, None),
            false => (regex_lite::escape(&text), Literal::new(&text, any_case)),
        };
        let pattern = RegexBuilder::new(&pattern)
            .case_insensitive(any_case)
            .build()
            .map_err(|error| format!("the pattern is no regular expression: {error}"))?;
        Ok(Search {
            pattern,
            literal,
            lines: Lines::default(),
            files: 0,
            binary: Vec::new(),
            more_binary: 0,
            not_text: 0,
            broken: 0,
            too_long: 0,
            unreadable: 0,
            private: 0,
        })
    }

    /// Searches one file, unless it holds a secret. `named` is what its name says of that.
    fn file(&mut self, path: &str, named: Named) {
        if named == Named::Secret {
            self.private += 1;
            return;
        }
        match whole(path) {
            Ok(content) => self.content(path, named, content),
            Err(_) => self.unreadable += 1,
        }
    }

    /// The same, by what it holds; nothing where that is too long.
    fn content(&mut self, path: &str, named: Named, bytes: Option<Vec<u8>>) {
        let Some(bytes) = bytes else {
            self.too_long += 1;
            return;
        };
        let looked_at = match named {
            Named::ByKey => bytes.get(..LOOKED_AT).unwrap_or(&bytes),
            _ => &bytes,
        };
        if is_private(named, looked_at) {
            self.private += 1;
            return;
        }
        let decoded = is_utf16(&bytes);
        let text = match Content::of(bytes) {
            Content::Text(text) => text,
            Content::Broken(text) => {
                self.broken += 1;
                text
            }
            Content::Binary(bytes) => {
                self.bytes(path, &bytes);
                return;
            }
        };
        if decoded && is_private(named, text.as_bytes()) {
            self.private += 1;
            return;
        }
        let shown_path = shown::line(path);
        let before = self.lines.count();
        for (number, line) in text.lines().enumerate() {
            if let Some(found) = self.pattern.find(line) {
                self.lines
                    .push(&format!("{shown_path}:{}: {}", number + 1, piece(line, found.range())));
            }
        }
        self.files += usize::from(self.lines.count() > before);
    }

    /// Searches a file that has no lines.
    fn bytes(&mut self, path: &str, bytes: &[u8]) {
        match &self.literal {
            None => self.not_text += 1,
            Some(literal) if !literal.is_in(bytes) => {}
            Some(_) if self.binary.len() < NAMED => self.binary.push(shown::line(path)),
            Some(_) => self.more_binary += 1,
        }
    }

    fn finish(self) -> String {
        let mut text = match self.lines.count() {
            0 => "no line has it\n".to_owned(),
            1 => self.lines.finish("lines"),
            count => format!("{count} lines in {} files:\n{}", self.files, self.lines.finish("lines")),
        };
        if !self.binary.is_empty() {
            let count = self.binary.len() + self.more_binary;
            let have = shown::files(count, "that is no text has it", "that are no text have it");
            let more = if self.more_binary > 0 { ", …" } else { "" };
            text.push_str(&format!("{have}: {}{more}\n", self.binary.join(", ")));
        }
        let mut note = |count: usize, one: &str, several: &str| {
            if count > 0 {
                text.push_str(&shown::files(count, one, several));
                text.push('\n');
            }
        };
        note(
            self.not_text,
            "that is no text is left out: in such files, only a plain pattern is looked for",
            "that are no text are left out: in those, only a plain pattern is looked for",
        );
        note(
            self.broken,
            "is not all UTF-8: bytes that are not stand as \u{fffd}, and match a pattern as that sign",
            "are not all UTF-8: bytes that are not stand as \u{fffd}, and match a pattern as that sign",
        );
        note(
            self.too_long,
            &format!("longer than {LONGEST_FILE} bytes is left out"),
            &format!("longer than {LONGEST_FILE} bytes are left out"),
        );
        note(
            self.private,
            "that may hold keys or passwords is left out: name it as the path to search it, or `grep` by the shell if git tracks \
             it",
            "that may hold keys or passwords are left out: name one as the path to search it, or `grep` by the shell if git \
             tracks it",
        );
        note(self.unreadable, "can't be read", "can't be read");
        text
    }
}

/// The line, or as much of it as is shown around what was `found`.
fn piece(line: &str, found: Range<usize>) -> String {
    let start = match found.end <= LONGEST_LINE {
        true => 0,
        false => line.floor_char_boundary(found.start.saturating_sub(BEFORE)),
    };
    let (shown, whole) = shown::cut(&line[start..], LONGEST_LINE);
    let before = if start > 0 { "… " } else { "" };
    let behind = if whole { "" } else { " …" };
    format!("{before}{}{behind}", shown::line(shown))
}

/// The whole file; nothing where it is too long.
fn whole(path: &str) -> Result<Option<Vec<u8>>, String> {
    let mut bytes = Vec::new();
    loop {
        let most = u32::try_from(LONGEST_FILE + 1).unwrap_or(u32::MAX);
        let part = files::read(path, bytes.len() as u64, most).map_err(|failure| failure.to_string())?;
        if part.is_empty() {
            return Ok(Some(bytes));
        }
        bytes.extend_from_slice(&part);
        if bytes.len() > LONGEST_FILE {
            return Ok(None);
        }
    }
}
