//! Telling the options of a program from its operands, by its row in the table.

use super::expand::Argument;
use super::paths::shown;
use super::state::State;
use super::{Doubt, Proof, Prover, UNKNOWN};
use crate::path::Access;
use crate::shell::grammar::{Grammar, Operands, Takes};

/// Programs without an option that does anything but change what they print.
pub(super) const PRINTERS: &[&str] = &[
    ":", "[", "basename", "break", "cd", "continue", "dirname", "echo", "exit", "expr", "false", "groups", "id",
    "printf", "ps", "pstree", "return", "seq", "shift", "sleep", "test", "top", "tr", "true", "type", "wait",
    "which", "yes",
];
/// Programs that an option makes write or run.
pub(super) const WITH_OPTIONS_THAT_ACT: &[&str] = &[
    "date", "file", "git", "iconv", "rg", "sed", "shuf", "sort", "tar", "tree", "uuencode",
];

/// The arguments of a program, told apart.
#[derive(Debug, Default)]
pub(super) struct Arguments<'a> {
    /// The letters of the short options.
    pub(super) short: String,
    /// The names of the long ones.
    pub(super) long: Vec<&'static str>,
    /// What is no option.
    pub(super) operands: Vec<&'a Argument>,
}

impl Arguments<'_> {
    /// Whether one of these short options was given.
    pub(super) fn has(&self, letters: &str) -> bool {
        self.short.contains(|letter| letters.contains(letter))
    }
}

impl Prover<'_> {
    /// Tells the arguments of `program` apart. With `leading`, options end at the first operand.
    pub(super) fn tell_apart<'a>(
        &mut self,
        program: &str,
        grammar: &'static Grammar,
        arguments: &'a [Argument],
        leading: bool,
        state: &State,
    ) -> Proof<Arguments<'a>> {
        let mut told = Arguments::default();
        if grammar.bare {
            told.operands = arguments.iter().collect();
            return Ok(told);
        }
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let text = argument.text.as_str();
            if argument.splits || text.starts_with(UNKNOWN) {
                // It may be an option, or several. Where options do nothing to files, that is no harm.
                told.operands.push(argument);
                continue;
            }
            if text == "--" {
                told.operands.extend(rest.by_ref());
            } else if let Some(long) = text.strip_prefix("--") {
                self.long(program, grammar, long, &mut rest, &mut told, state)?;
            } else if let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                if grammar.numbers && letters.bytes().all(|byte| byte.is_ascii_digit()) {
                    continue;
                }
                self.short(program, grammar, letters, &mut rest, &mut told, state)?;
            } else if text.starts_with('+') && text.len() > 1 && !grammar.plus && takes_files(grammar) {
                return Err(unknown(program, text));
            } else {
                told.operands.push(argument);
                if leading {
                    told.operands.extend(rest.by_ref());
                }
            }
        }
        Ok(told)
    }

    fn long<'a>(
        &mut self,
        program: &str,
        grammar: &'static Grammar,
        option: &str,
        rest: &mut std::slice::Iter<'a, Argument>,
        told: &mut Arguments<'a>,
        state: &State,
    ) -> Proof<()> {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        let found = grammar.long.binary_search_by_key(&name, |(own, _)| own).ok();
        let Some((name, takes)) = found.and_then(|at| grammar.long.get(at)) else {
            return Err(unknown(program, &format!("--{name}")));
        };
        told.long.push(name);
        match (takes, value) {
            (Takes::Nothing, Some(_)) => Err(unknown(program, &format!("--{option}"))),
            (Takes::Nothing | Takes::Maybe, _) | (Takes::Value, Some(_)) => Ok(()),
            // Without its value the program only complains.
            (Takes::Value, None) => {
                rest.next();
                Ok(())
            }
            (Takes::File, Some(value)) => self.file(&Argument::plain(value), Access::Read, state),
            (Takes::File, None) => match rest.next() {
                Some(value) => self.file(value, Access::Read, state),
                None => Ok(()),
            },
        }
    }

    fn short<'a>(
        &mut self,
        program: &str,
        grammar: &'static Grammar,
        letters: &str,
        rest: &mut std::slice::Iter<'a, Argument>,
        told: &mut Arguments<'a>,
        state: &State,
    ) -> Proof<()> {
        for (at, letter) in letters.char_indices() {
            told.short.push(letter);
            let value = &letters[at + letter.len_utf8()..];
            if grammar.optional.contains(letter) {
                return Ok(());
            }
            let reads = grammar.reads.contains(letter);
            if reads || grammar.values.contains(letter) {
                let given = if value.is_empty() {
                    rest.next().cloned()
                } else {
                    Some(Argument::plain(value))
                };
                return match given {
                    Some(given) if reads => self.file(&given, Access::Read, state),
                    // Without its value the program only complains.
                    _ => Ok(()),
                };
            }
            if !grammar.flags.contains(letter) {
                return Err(unknown(program, &format!("-{letter}")));
            }
        }
        Ok(())
    }
}

/// Some programs that read files take `+…` for an option.
fn takes_files(grammar: &Grammar) -> bool {
    matches!(grammar.operands, Operands::Files | Operands::First)
}

pub(super) fn unknown(program: &str, option: &str) -> Doubt {
    let option = shown(option);
    Doubt::new(format!("what {option} does to `{program}` is not known"), option)
}
