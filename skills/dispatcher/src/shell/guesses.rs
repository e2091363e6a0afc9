//! What a command may read although it does not say so: a file whose name only running tells, or one that a pattern matches.

use super::Walk;
use super::grammar::{Grammar, Takes};
use super::hidden::Invocation;
use super::outputs::{Outputs, part};
use super::programs::Does;
use super::web;
use super::word::{Field, UNKNOWN};
use crate::finding::{Risk, line};
use crate::path::{self, Access};

/// What is said of a file whose name only running tells.
const UNKNOWN_FILE: &str = "reads what only running tells, perhaps .env or a key";

/// Programs that read what they are given, beside those whose kind says so.
const READING: &[&str] = &["awk", "bsdtar", "cpio", "gawk", "mawk", "nawk", "tar", "zip"];

/// More patterns are not looked at in one command line.
const MOST_PATTERNS: usize = 256;

/// Whether a program reads the files that it is given.
pub(super) fn reads(invocation: &Invocation<'_>) -> bool {
    matches!(invocation.does, Some(Does::Reads | Does::Searches | Does::Copies))
        || READING.contains(&invocation.name.as_ref())
}

impl Walk<'_> {
    /// Notes what the files may be that an invocation is given.
    pub(super) fn guesses(&mut self, invocation: &Invocation<'_>, outputs: &Outputs) {
        let reads = reads(invocation);
        let access = match invocation.does {
            // They read no file, or only its name.
            Some(Does::Prints | Does::Steers | Does::Looks) => return,
            _ if web::read(invocation).is_some() => return,
            // How much goes is said elsewhere.
            Some(Does::Deletes) => return,
            Some(Does::Writes | Does::Formats) if !reads => Access::Write,
            _ => Access::Read,
        };
        let files = files(invocation, outputs);
        let target = invocation.does == Some(Does::Copies) && files.len() > 1;
        let last = files.len().saturating_sub(1);
        for (at, file) in files.iter().enumerate().filter(|(_, file)| file.is_known() || reads) {
            match target && at == last {
                true if file.is_known() => self.guess(file, Access::Write),
                true => {}
                false => self.guess(file, access),
            }
        }
    }

    /// Notes what a file may be.
    pub(super) fn guess(&mut self, file: &Field, access: Access) {
        let is_pattern = file.text.contains(['*', '?', '[']);
        self.patterns += usize::from(is_pattern);
        if is_pattern && self.patterns > MOST_PATTERNS {
            self.guess_any();
        } else if is_pattern && path::may_match_protected(&file.text) {
            let matches = format!("what {} matches, perhaps .env or a key", line(&file.text, 40));
            match access {
                Access::Write => self.effects.add(format!("changes {matches}"), Risk::High),
                Access::Look | Access::Read => self.effects.read(&format!("reads {matches}"), Risk::High),
            }
            // Nobody approves that for good.
            self.effects.vary();
        } else if !file.is_known() && !is_other(&file.text) {
            self.guess_any();
        }
    }

    /// Notes that it may be any.
    pub(super) fn guess_any(&mut self) {
        self.effects.read(UNKNOWN_FILE, Risk::Medium);
        self.effects.vary();
    }
}

/// Whether what is known of a name says that it is source code or prose, or that another command prints it.
fn is_other(text: &str) -> bool {
    let end = text.rsplit(UNKNOWN).next().unwrap_or_default();
    let ending = end.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(path::is_source) || text.starts_with("/dev/fd/")
}

/// What stands behind an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Any,
    Value,
    File,
}

/// The files among the arguments, as far as it is known which those are: no values of options, no pattern, no program text.
fn files(invocation: &Invocation<'_>, outputs: &Outputs) -> Vec<Field> {
    let row = invocation.row.and_then(|row| row.grammar.as_ref());
    let name = invocation.name.as_ref();
    let is_awk = matches!(name, "awk" | "gawk" | "mawk" | "nawk");
    let mut first_is_text = invocation.does == Some(Does::Searches) || is_awk;
    let (mut found, mut next, mut options) = (Vec::new(), Next::Any, true);
    for (at, field) in invocation.arguments().iter().enumerate() {
        match std::mem::replace(&mut next, Next::Any) {
            Next::Value => continue,
            Next::File => {
                found.push(field.clone());
                continue;
            }
            Next::Any if outputs.written.contains(&at) => continue,
            Next::Any => {}
        }
        let text = field.text.as_str();
        if options && text == "--" {
            options = false;
        } else if options && text.len() > 1 && text.starts_with('-') {
            first_is_text &= !gives_text(row, is_awk, text);
            let (takes, value) = option(row, is_awk, text);
            match value {
                Some(value) if takes == Next::File => found.push(part(field, value)),
                Some(_) => {}
                None => next = takes,
            }
        } else if std::mem::take(&mut first_is_text) {
        } else if name == "dd" {
            found.extend(text.strip_prefix("if=").map(|file| part(field, file)));
        } else if !text.contains("://") {
            found.push(part(field, text.trim_start_matches('@')));
        }
    }
    found
}

/// Whether an option gives the pattern or the program text, so that the first operand is a file.
fn gives_text(row: Option<&Grammar>, is_awk: bool, text: &str) -> bool {
    let long = text
        .strip_prefix("--")
        .map(|long| long.split('=').next().unwrap_or_default());
    match long {
        Some(long) => {
            matches!(long, "expression" | "file" | "files" | "regexp")
                || row.is_some_and(|row| row.pattern_by_long.contains(&long))
        }
        None if is_awk => text.starts_with("-f"),
        None => {
            text.contains(['e', 'f']) && row.is_none_or(|row| text.contains(|char| row.pattern_by.contains(char)))
        }
    }
}

/// What an option takes, and its value, if it stands in the same argument.
fn option<'t>(row: Option<&Grammar>, is_awk: bool, text: &'t str) -> (Next, Option<&'t str>) {
    if let Some(long) = text.strip_prefix("--") {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        let known = row.and_then(|row| row.long.iter().find(|(own, _)| *own == name));
        let takes = match known.map(|(_, takes)| takes) {
            Some(Takes::File | Takes::Names) => Next::File,
            Some(Takes::Value | Takes::Others) => Next::Value,
            Some(Takes::Nothing | Takes::Maybe) => Next::Any,
            // What is left out is not read.
            None if name.starts_with("exclude") || name.starts_with("ignore") => Next::Value,
            None => Next::Any,
        };
        return (takes, value);
    }
    let is_in = |letters: Option<&str>, letter: char| letters.is_some_and(|letters| letters.contains(letter));
    for (at, letter) in text.char_indices().skip(1) {
        let rest = &text[at + letter.len_utf8()..];
        let value = (!rest.is_empty()).then_some(rest);
        if is_in(row.map(|row| row.reads), letter) || is_in(row.map(|row| row.picks), letter) {
            return (Next::File, value);
        }
        let valued = is_in(row.map(|row| row.values), letter) || is_in(row.map(|row| row.leaves), letter);
        if valued || is_awk && matches!(letter, 'F' | 'v') {
            return (Next::Value, value);
        }
    }
    (Next::Any, None)
}
