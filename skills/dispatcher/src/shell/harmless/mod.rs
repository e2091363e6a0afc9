//! The proof that a command line is harmless. It is parsed with a grammar of bash and followed as bash would run it:
//! what each variable may hold, in which folder a command runs, what flows through each pipe. It passes only if every
//! program in it, each of its options, and every file it names is known, and none does more than read the workspace
//! (or, if that is asked for, write there). Whatever is not understood ends the proof, with the reason.
//!
//! This never refuses anything; that is the work of the other reader, in the folder above. So a command passes only if
//! two readers, which have nothing in common, find nothing against it.

mod arguments;
mod arithmetic;
mod awk;
mod builtins;
mod call;
mod conditions;
mod expand;
mod filler;
mod find;
mod git;
mod looks;
mod parameter;
mod paths;
mod plain;
mod print;
mod redirect;
mod sed;
mod state;
mod tree;
mod variables;
mod wrappers;

use std::rc::Rc;

use brush_parser::ast::Program;
use brush_parser::{ParserOptions, parse_tokens, uncached_tokenize_str};

use super::word::UNKNOWN;
use crate::path::Roots;
use state::{Output, State};

/// Stands for a name of a file inside the workspace, or of one beneath it: never empty, never with `..` in it.
const NAME: char = '\u{FFFA}';
/// Stands for a number: one or more digits.
const NUMBER: char = '\u{FFF9}';

/// The most commands that are followed, those of loops and functions as often as they are gone through.
const MOST_STEPS: usize = 1_000;
/// How deep scripts in scripts, and functions in functions, are followed.
const DEEPEST: usize = 8;
/// The most brackets and reserved words that open something. The grammar's parser goes one call deeper with each.
const MOST_OPENERS: usize = 48;
/// The most pairs of brackets that may open arithmetic.
const MOST_PAIRS: usize = 6;
/// The longest script that is parsed, in bytes.
const LONGEST: usize = 4 << 10;

/// How much a harmless command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// It reads, and only the workspace.
    Reads,
    /// It makes or changes files too, and only in the workspace.
    Writes,
}

/// Why something could not be shown to be harmless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Doubt {
    /// The reason, to go behind "because".
    pub(super) why: String,
    /// The part of the command it is about.
    pub(super) part: String,
}

impl Doubt {
    fn new(why: impl Into<String>, part: impl Into<String>) -> Doubt {
        Doubt {
            why: why.into(),
            part: part.into(),
        }
    }
}

/// The one form of `command`: commands that differ only in blanks, lines and the like have the same. `None` for what can't
/// be parsed, and for here-documents.
pub(super) fn canonical(command: &str) -> Option<String> {
    let program = parse(command, &ParserOptions::default()).ok()?;
    print::program(&program)
}

type Proof<T> = Result<T, Doubt>;

/// Shows that `command` does no more than the answer says.
///
/// # Errors
/// Why that can't be shown.
pub(super) fn prove(command: &str, roots: &Roots) -> Proof<Level> {
    let mut prover = Prover::new(roots);
    let Some(workspace) = &roots.workspace else {
        return Err(Doubt::new("it is not known where the workspace is", ""));
    };
    if command.contains([UNKNOWN, NAME, NUMBER]) {
        return Err(Doubt::new("it holds characters that stand for nothing", ""));
    }
    prover.script(command, &mut State::new(&Rc::new(workspace.clone())), Output::Nothing)?;
    Ok(prover.level)
}

/// What goes along while a command line is followed.
struct Prover<'r> {
    roots: &'r Roots,
    options: ParserOptions,
    level: Level,
    steps: usize,
    depth: usize,
    /// What is known where a loop was left, or begun anew.
    jumps: Vec<State>,
    /// What is known where a function was left.
    returns: Vec<State>,
    /// Whether the command that is to run has separators of its own for what it reads.
    separators: bool,
    /// Whether the shell is one that follows POSIX to the letter.
    posix: bool,
    /// Whether the command that is followed opens a file, which may fail.
    opened: bool,
    /// Whether something beside it prints as well.
    aside: bool,
    /// Whether a function runs.
    in_function: bool,
    /// Whether the script may end before its end.
    exits: bool,
}

impl Prover<'_> {
    fn new(roots: &Roots) -> Prover<'_> {
        Prover {
            roots,
            options: ParserOptions::default(),
            level: Level::Reads,
            steps: 0,
            depth: 0,
            jumps: Vec::new(),
            returns: Vec::new(),
            separators: false,
            posix: false,
            opened: false,
            aside: false,
            in_function: false,
            exits: false,
        }
    }

    /// Follows a script, with `input` flowing in. What it prints.
    fn script(&mut self, text: &str, state: &mut State, input: Output) -> Proof<Output> {
        let program = parse(text, &self.options)?;
        self.deeper(text, |prover| {
            let mut printed = Output::Nothing;
            // An error in a computation ends the line, and the next one goes on with what was before.
            let several = program.complete_commands.len() > 1;
            let errors = ["((", "$[", "let ", ":?", "declare", "typeset"]
                .iter()
                .any(|sign| several && text.contains(sign));
            for list in &program.complete_commands {
                let before = errors.then(|| state.clone());
                printed = printed.and(prover.list(list, state, &input)?);
                if let Some(before) = before {
                    state.join(before);
                }
            }
            // What stands behind `exit` may not be printed.
            Ok(if prover.exits && matches!(printed, Output::Text(_)) {
                Output::Unknown
            } else {
                printed
            })
        })
    }

    /// Goes one level deeper, if there is one.
    fn deeper<T>(&mut self, part: &str, inner: impl FnOnce(&mut Self) -> Proof<T>) -> Proof<T> {
        if self.depth >= DEEPEST {
            return Err(Doubt::new("it nests too deep to be followed", part));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn step(&mut self) -> Proof<()> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(Doubt::new("it is too long to be followed", ""));
        }
        Ok(())
    }

    fn raise(&mut self, level: Level) {
        self.level = self.level.max(level);
    }
}

/// Whether a value holds something that only running tells.
fn is_open(value: &str) -> bool {
    value.contains([UNKNOWN, NAME, NUMBER])
}

/// Parses a script, unless the parser is known to be wrong about it, or not to come back.
fn parse(text: &str, options: &ParserOptions) -> Proof<Program> {
    if text.len() > LONGEST {
        return Err(Doubt::new("it is too long to be followed", ""));
    }
    if has_long_number(text) {
        return Err(Doubt::new("it holds a number that no shell can count to", ""));
    }
    match plain::parse(text) {
        Some(program) => Ok(program),
        None => parse_guarded(text, options),
    }
}

/// The same by the grammar's parser.
fn parse_guarded(text: &str, options: &ParserOptions) -> Proof<Program> {
    // The end of a here-document may be joined from two lines; and `{name}<file` sets a variable.
    if (text.contains("<<") && text.contains("\\\n")) || text.contains("}<") || text.contains("}>") {
        return Err(Doubt::new("it is read differently by different shells", ""));
    }
    if has_crowded_document(text) {
        return Err(Doubt::new("more stands on the line where a here-document begins", ""));
    }
    if has_loose_brackets(text) {
        return Err(Doubt::new("its brackets may be arithmetic or commands", ""));
    }
    // The parser takes each pair for arithmetic first, and goes back.
    if text.as_bytes().windows(2).filter(|pair| *pair == b"((").count() > MOST_PAIRS {
        return Err(Doubt::new("it opens too many brackets to be followed", ""));
    }
    if openers(text) > MOST_OPENERS {
        return Err(Doubt::new("it opens too many brackets to be followed", ""));
    }
    parse_unguarded(text, options)
}

fn parse_unguarded(text: &str, options: &ParserOptions) -> Proof<Program> {
    // A backslash at the very end is one; the parser wants it said.
    let backslashes = text.bytes().rev().take_while(|byte| *byte == b'\\').count();
    let ended = if backslashes % 2 == 1 {
        &format!("{text}\\")
    } else {
        text
    };
    uncached_tokenize_str(ended, &options.tokenizer_options())
        .ok()
        .and_then(|tokens| parse_tokens(&tokens, options).ok())
        .ok_or_else(|| Doubt::new("it can't be parsed as bash", text))
}

/// How many brackets and words there are that may open something. Quotes are not looked at: too many is no harm.
fn openers(text: &str) -> usize {
    let brackets = text
        .bytes()
        .filter(|byte| matches!(byte, b'(' | b'{' | b'`' | b'!'))
        .count();
    let escaped = text.matches("\\(").count() + text.matches("{}").count();
    let words = text
        .split(|char: char| !char.is_ascii_alphabetic())
        .filter(|word| matches!(*word, "if" | "for" | "while" | "until" | "case" | "select" | "coproc"))
        .count();
    brackets.saturating_sub(escaped) + words
}

/// Whether two brackets stand beside each other with only blanks between. For bash they are then two, and hold commands;
/// for the parser they may be the one that holds arithmetic.
fn has_loose_brackets(text: &str) -> bool {
    let text = text.replace("\\\n", " ");
    ['(', ')'].into_iter().any(|bracket| {
        text.match_indices(bracket).any(|(at, _)| {
            let rest = &text[at + 1..];
            let next = rest.trim_start();
            next.len() < rest.len() && next.starts_with(bracket) && !text[..at].ends_with('\\')
        })
    })
}

/// Whether behind the beginning of a here-document there is on its line what may hold commands: the parser (brush 0.4)
/// loses a substitution there.
fn has_crowded_document(text: &str) -> bool {
    text.match_indices("<<").any(|(at, _)| {
        let line = text[at + 2..].lines().next().unwrap_or_default();
        line.contains(['$', '`', '(', ')', '{', '}', '\\'])
    })
}

/// Whether a number stands where the parser takes one for a descriptor, a folder of the stack or a sequence, and is more
/// than it can hold.
fn has_long_number(text: &str) -> bool {
    const MOST_DIGITS: usize = 9;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        if at - start > MOST_DIGITS {
            let signed = start > 0 && matches!(bytes[start - 1], b'+' | b'-');
            let before = start
                .checked_sub(1 + usize::from(signed))
                .and_then(|before| bytes.get(before));
            if matches!(before, Some(b'~' | b'{' | b'.')) || matches!(bytes.get(at), Some(b'<' | b'>')) {
                return true;
            }
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests;
