//! `search-text`: lines of files, by a text or a regular expression.

use passepartout_sdk::Action;
use passepartout_sdk::files::{self, Kind};
use regex_lite::{Regex, RegexBuilder};

use crate::glob::Glob;
use crate::private::{LOOKED_AT, Named, is_innocently_named, is_private, named};
use crate::shown::{self, LONGEST_LINE, Lines};
use crate::walk::walk;
use crate::{flag, folder, optional, required, unasked};

/// Longest file that is searched, in bytes. What is longer is data, and said to be left out.
const LONGEST_FILE: usize = 2 << 20;

/// Longest pattern, in bytes.
const LONGEST_PATTERN: usize = 4 << 10;

/// Carries the tool out.
pub(crate) fn call(action: &Action) -> Result<String, String> {
    let pattern = pattern(action)?;
    let glob = optional(action, "glob")?.map(|glob| Glob::new(&glob)).transpose()?;
    let folder = folder(action)?;
    let mut search = Search {
        pattern,
        lines: Lines::default(),
        files: 0,
        too_long: 0,
        unreadable: 0,
        private: 0,
    };
    let about = files::about(&folder).map_err(|failure| failure.to_string())?;
    let mut notes = String::new();
    if about.kind == Kind::Folder {
        let walked = walk(&folder, |path, below, _| {
            if glob.as_ref().is_none_or(|glob| glob.matches(below)) {
                // Of the folder itself, which was named, a gate was asked.
                search.file(path, named(below));
            }
            true
        })?;
        notes = walked.notes();
    } else {
        // If that holds a key whose name says nothing, no gate was asked about it.
        if let Ok(bytes) = files::read(&folder, 0, LOOKED_AT as u32)
            && is_innocently_named(&folder, &bytes)
        {
            return Err(unasked(&folder));
        }
        search.file(&folder, Named::Not);
    }
    Ok(search.finish() + &notes)
}

fn pattern(action: &Action) -> Result<Regex, String> {
    let pattern = required(action, "pattern")?;
    if pattern.is_empty() {
        return Err("the pattern is empty, and would be in every line".to_owned());
    }
    if pattern.len() > LONGEST_PATTERN {
        return Err(format!("the pattern has more than {LONGEST_PATTERN} bytes"));
    }
    let pattern = match flag(action, "regex") {
        true => pattern,
        false => regex_lite::escape(&pattern),
    };
    RegexBuilder::new(&pattern)
        .case_insensitive(flag(action, "ignore-case"))
        .build()
        .map_err(|error| format!("the pattern is no regular expression: {error}"))
}

struct Search {
    pattern: Regex,
    lines: Lines,
    /// Files in which it was found.
    files: usize,
    too_long: usize,
    unreadable: usize,
    /// Files that a gate would ask about if they were named.
    private: usize,
}

impl Search {
    /// Searches one file, unless it holds a secret. `named` is what its name says of that.
    fn file(&mut self, path: &str, named: Named) {
        if named == Named::Secret {
            self.private += 1;
            return;
        }
        let bytes = match whole(path) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => {
                self.too_long += 1;
                return;
            }
            Err(()) => {
                self.unreadable += 1;
                return;
            }
        };
        let looked_at = match named {
            Named::ByKey => bytes.get(..LOOKED_AT).unwrap_or(&bytes),
            _ => &bytes,
        };
        if is_private(named, looked_at) {
            self.private += 1;
            return;
        }
        // What is no text has no lines.
        let Ok(text) = String::from_utf8(bytes) else { return };
        if text.contains('\0') {
            return;
        }
        let shown_path = shown::line(path);
        let before = self.lines.count();
        for (number, line) in text.lines().enumerate() {
            if self.pattern.is_match(line) {
                let (piece, whole) = shown::cut(line, LONGEST_LINE);
                let rest = if whole { "" } else { " …" };
                self.lines
                    .push(&format!("{shown_path}:{}: {}{rest}", number + 1, shown::line(piece)));
            }
        }
        self.files += usize::from(self.lines.count() > before);
    }

    fn finish(self) -> String {
        let mut text = match self.lines.count() {
            0 => "no line has it\n".to_owned(),
            1 => self.lines.finish("lines"),
            count => format!("{count} lines in {} files:\n{}", self.files, self.lines.finish("lines")),
        };
        if self.too_long > 0 {
            text.push_str(&format!(
                "{} files longer than {LONGEST_FILE} bytes are left out\n",
                self.too_long
            ));
        }
        if self.private > 0 {
            text.push_str(&format!(
                "{} files that may hold keys or passwords are left out: name one as the path to search it\n",
                self.private
            ));
        }
        if self.unreadable > 0 {
            text.push_str(&format!("{} files can't be read\n", self.unreadable));
        }
        text
    }
}

/// The whole file; nothing where it is too long.
fn whole(path: &str) -> Result<Option<Vec<u8>>, ()> {
    let mut bytes = Vec::new();
    loop {
        let most = u32::try_from(LONGEST_FILE + 1).unwrap_or(u32::MAX);
        let part = files::read(path, bytes.len() as u64, most).map_err(drop)?;
        if part.is_empty() {
            return Ok(Some(bytes));
        }
        bytes.extend_from_slice(&part);
        if bytes.len() > LONGEST_FILE {
            return Ok(None);
        }
    }
}
