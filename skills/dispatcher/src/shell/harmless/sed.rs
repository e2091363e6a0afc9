//! sed(1): its script is read command by command, so that one that writes, reads or runs is seen. POSIX.1-2024, and GNU
//! sed 4.9.

use super::arguments::unknown;
use super::expand::Argument;
use super::paths::shown;
use super::state::{Output, State};
use super::{Doubt, Proof, Prover};
use crate::path::Access;

impl Prover<'_> {
    pub(super) fn sed(&mut self, arguments: &[Argument], state: &State) -> Proof<Output> {
        let mut scripts: Vec<&Argument> = Vec::new();
        let mut operands: Vec<&Argument> = Vec::new();
        let mut in_place = false;
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let text = argument.text.as_str();
            if text == "--" {
                operands.extend(rest.by_ref());
            } else if let Some(long) = text.strip_prefix("--") {
                match long
                    .split_once('=')
                    .map_or((long, None), |(name, value)| (name, Some(value)))
                {
                    (
                        "quiet" | "silent" | "regexp-extended" | "null-data" | "separate" | "unbuffered" | "posix"
                        | "sandbox" | "debug",
                        None,
                    ) => {}
                    ("in-place", None) => in_place = true,
                    ("expression", None) => scripts.extend(rest.next()),
                    _ => return Err(unknown("sed", text)),
                }
            } else if let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                for (at, letter) in letters.char_indices() {
                    match letter {
                        'n' | 'r' | 'E' | 'z' | 's' | 'u' => {}
                        'i' if at + 1 == letters.len() => in_place = true,
                        'e' if at + 1 == letters.len() => scripts.extend(rest.next()),
                        _ => return Err(unknown("sed", &format!("-{letter}"))),
                    }
                }
            } else {
                operands.push(argument);
            }
        }
        let mut operands = operands.into_iter();
        if scripts.is_empty() {
            scripts.extend(operands.next());
        }
        // What is put into a script may hold commands of its own.
        if let Some(open) = scripts.iter().find(|script| !script.is_known()) {
            return Err(Doubt::new(
                "the script of sed is only told by running",
                shown(&open.text),
            ));
        }
        // They are one script: what one of them begins may go on in the next.
        let script: Vec<&str> = scripts.iter().map(|script| script.text.as_str()).collect();
        let script = script.join("\n");
        if let Some(what) = acts(&script) {
            return Err(Doubt::new(what, shown(&script)));
        }
        let operands: Vec<&Argument> = operands.collect();
        if in_place {
            self.files(&operands, Access::Write, state)?;
            return Ok(Output::Unknown);
        }
        self.files(&operands, Access::Read, state)?;
        Ok(Output::Unknown)
    }
}

/// What a script does beside changing the text that flows by.
pub(in crate::shell) fn acts(script: &str) -> Option<&'static str> {
    let chars: Vec<char> = script.chars().collect();
    first_act(&chars, 0).map(|(what, _)| what)
}

/// What a script does beside changing the text that flows by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::shell) enum Act {
    Writes(String),
    Reads(String),
    /// Runs this, or what it puts together.
    Runs(Option<String>),
}

/// What a script does, as far as it can be followed.
pub(in crate::shell) fn done_by(script: &str) -> Vec<Act> {
    let chars: Vec<char> = script.chars().collect();
    let (mut acts, mut from) = (Vec::new(), 0);
    while let Some((what, at)) = first_act(&chars, from).filter(|(what, _)| *what != UNREADABLE) {
        // Whatever it is, what follows to the end of the line is its file, or its command.
        from = line_end(&chars, at);
        let text: String = chars[at + 1..from].iter().collect();
        let text = text.trim_start().to_owned();
        acts.push(match what {
            WRITES => Act::Writes(text),
            READS => Act::Reads(text),
            RUNS => Act::Runs(Some(text).filter(|text| !text.is_empty())),
            _ => Act::Runs(None),
        });
    }
    acts
}

const UNREADABLE: &str = "the script of sed can't be followed";
const WRITES: &str = "sed writes a file";
const READS: &str = "sed reads a file that its script names";
const RUNS: &str = "sed runs a command";

/// The first that a script does from there on beside changing the text that flows by, and where that letter stands.
fn first_act(chars: &[char], mut at: usize) -> Option<(&'static str, usize)> {
    while at < chars.len() {
        match chars[at] {
            ' ' | '\t' | '\n' | ';' | '{' | '}' | '!' | ',' | '~' | '+' | '$' | '0'..='9' => at += 1,
            '#' => at = line_end(chars, at),
            '/' => match part(chars, at + 1, '/', Part::Expression) {
                Some(end) => at = flags(chars, end + 1, "IM"),
                None => return Some((UNREADABLE, at)),
            },
            '\\' => {
                let Some(delimiter) = chars.get(at + 1) else {
                    return Some((UNREADABLE, at));
                };
                match part(chars, at + 2, *delimiter, Part::Expression) {
                    Some(end) => at = flags(chars, end + 1, "IM"),
                    None => return Some((UNREADABLE, at)),
                }
            }
            '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => at += 1,
            'q' | 'Q' | 'l' | 'L' => at = flags(chars, at + 1, " 0123456789"),
            ':' | 'b' | 't' | 'T' => {
                let names = chars[at] == ':';
                at += 1;
                while matches!(chars.get(at), Some(' ' | '\t')) {
                    at += 1;
                }
                // A label ends with the line, or, in GNU sed, at a blank or a semicolon.
                while chars
                    .get(at)
                    .is_some_and(|char| !matches!(char, '\n' | ' ' | '\t' | ';' | '}'))
                {
                    at += 1;
                }
                // To some versions a brace is a part of it: where more follows, they go on elsewhere.
                let follows = |char: &&char| !matches!(char, '\n' | ' ' | '\t' | ';' | '}');
                if chars.get(at) == Some(&'}') && (names || chars.get(at + 1).filter(follows).is_some()) {
                    return Some((UNREADABLE, at));
                }
            }
            'a' | 'i' | 'c' => {
                at = line_end(chars, at);
                while at < chars.len() && chars[..at].iter().rev().take_while(|char| **char == '\\').count() % 2 == 1
                {
                    at = line_end(chars, at + 1);
                }
            }
            'y' | 's' => {
                let substitutes = chars[at] == 's';
                let Some(delimiter) = chars.get(at + 1).filter(|char| !matches!(char, '\n' | '\\')) else {
                    return Some((UNREADABLE, at));
                };
                let first = if substitutes { Part::Expression } else { Part::Text };
                let middle = part(chars, at + 2, *delimiter, first);
                let end = middle.and_then(|middle| part(chars, middle + 1, *delimiter, Part::Text));
                let Some(end) = end else { return Some((UNREADABLE, at)) };
                at = end + 1;
                if substitutes {
                    at = flags(chars, at, "gpiIm0123456789M");
                }
                // `w` writes a file, `e` runs what comes out.
                match chars.get(at) {
                    Some('w') => return Some((WRITES, at)),
                    Some('e') => return Some(("sed runs what it puts together", at)),
                    None | Some(' ' | '\t' | '\n' | ';' | '}' | '#') => {}
                    Some(_) => return Some((UNREADABLE, at)),
                }
            }
            'w' | 'W' => return Some((WRITES, at)),
            'r' | 'R' => return Some((READS, at)),
            'e' => return Some((RUNS, at)),
            _ => return Some((UNREADABLE, at)),
        }
    }
    None
}

/// What a part is: in an expression a bracket opens a set.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Expression,
    Text,
}

/// Where the part that began at `from` ends. A delimiter in a set is one of it to some versions and ends the part to others: then
/// the script is not followed.
fn part(chars: &[char], from: usize, delimiter: char, what: Part) -> Option<usize> {
    let mut at = from;
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 2,
            char if char == delimiter => return Some(at),
            '[' if what == Part::Expression => at = set_end(chars, at, delimiter)? + 1,
            _ => at += 1,
        }
    }
    None
}

/// Where the set ends that the bracket at `from` opens: POSIX.1-2024, 9.3.5. `None` if a delimiter stands in it, or if it ends
/// elsewhere where a backslash hides a bracket.
fn set_end(chars: &[char], from: usize, delimiter: char) -> Option<usize> {
    let mut at = from + 1;
    at += usize::from(chars.get(at) == Some(&'^'));
    // One that comes first is one of the set.
    at += usize::from(chars.get(at) == Some(&']'));
    loop {
        match (*chars.get(at)?, chars.get(at + 1)) {
            (']', _) => return Some(at),
            ('\n', _) | ('\\', Some(']' | '\n') | None) => return None,
            ('\\', _) => at += 2,
            ('[', Some(kind @ (':' | '.' | '='))) => {
                let rest = chars.get(at + 2..)?;
                let length = rest.windows(2).position(|pair| pair == [*kind, ']'])?;
                if rest[..length]
                    .iter()
                    .any(|char| matches!(char, '\n' | '\\') || *char == delimiter)
                {
                    return None;
                }
                at += 2 + length + 2;
            }
            (char, _) if char == delimiter => return None,
            _ => at += 1,
        }
    }
}

fn flags(chars: &[char], from: usize, allowed: &str) -> usize {
    let mut at = from;
    while chars.get(at).is_some_and(|char| allowed.contains(*char)) {
        at += 1;
    }
    at
}

fn line_end(chars: &[char], from: usize) -> usize {
    chars[from..]
        .iter()
        .position(|char| *char == '\n')
        .map_or(chars.len(), |length| from + length)
}
