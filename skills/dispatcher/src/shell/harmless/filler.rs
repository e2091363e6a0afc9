//! Gathering the text of a word piece by piece, and splitting it where bash would. And the pieces of a plain word.

use brush_parser::word::{Parameter, ParameterExpr, SpecialParameter};

use super::expand::{Argument, LONGEST_WORD};
use super::plain::name_length;
use super::state::State;
use super::{Doubt, NAME, Proof, Prover, UNKNOWN};

impl Prover<'_> {
    /// Writes a word that is plain into `filler`, as its parsed pieces would be. `false`, and nothing written, if its
    /// tilde is none that is known.
    pub(super) fn fill_plain(&mut self, raw: &str, filler: &mut Filler, state: &mut State) -> Proof<bool> {
        let mut rest = raw;
        if let Some(behind) = raw.strip_prefix('~') {
            if !behind.is_empty() && !behind.starts_with(['/', ':', ';', '}']) {
                return Ok(false);
            }
            filler.home(state);
            rest = behind;
        }
        let mut quoted = false;
        while let Some(byte) = rest.bytes().next() {
            match byte {
                b'\'' if !quoted => {
                    let (inner, behind) = rest[1..].split_once('\'').unwrap_or((&rest[1..], ""));
                    filler.literal(inner, true);
                    rest = behind;
                }
                b'"' => {
                    quoted = !quoted;
                    filler.present = true;
                    rest = &rest[1..];
                }
                b'\\' if !quoted || matches!(rest.as_bytes().get(1), Some(b'$' | b'`' | b'"' | b'\\')) => {
                    let length = rest[1..].chars().next().map_or(0, char::len_utf8);
                    let (escaped, behind) = rest[1..].split_at(length);
                    filler.literal(escaped, true);
                    rest = behind;
                }
                b'$' => rest = self.fill_dollar(rest, quoted, filler, state)?,
                _ => {
                    let ends = |byte: u8| matches!(byte, b'"' | b'$' | b'\\') || (byte == b'\'' && !quoted);
                    // What was looked at does not end it: a backslash between quotes may be one.
                    let length = 1 + rest.bytes().skip(1).take_while(|byte| !ends(*byte)).count();
                    let (text, behind) = rest.split_at(length);
                    filler.literal(text, quoted);
                    rest = behind;
                }
            }
            filler.bound()?;
        }
        Ok(true)
    }

    /// A dollar, and what it expands if it does. What is left of the word.
    fn fill_dollar<'t>(
        &mut self,
        word: &'t str,
        quoted: bool,
        filler: &mut Filler,
        state: &mut State,
    ) -> Proof<&'t str> {
        let behind = &word[1..];
        let (inner, brace) = match behind.strip_prefix('{') {
            Some(inner) => (inner, 1),
            None => (behind, 0),
        };
        let named = name_length(inner.as_bytes());
        let (parameter, length) = match behind.bytes().next() {
            _ if named > 0 => (Parameter::Named(inner[..named].to_owned()), named + 2 * brace),
            Some(digit @ b'1'..=b'9') => (Parameter::Positional(u32::from(digit - b'0')), 1),
            Some(sign) => match special(sign) {
                Some(special) => (Parameter::Special(special), 1),
                None => {
                    filler.literal("$", quoted);
                    return Ok(behind);
                }
            },
            None => {
                filler.literal("$", quoted);
                return Ok(behind);
            }
        };
        let expression = ParameterExpr::Parameter {
            parameter,
            indirect: false,
        };
        self.fill_parameter(&expression, quoted, filler, state)?;
        Ok(&behind[length..])
    }
}

fn special(sign: u8) -> Option<SpecialParameter> {
    Some(match sign {
        b'@' => SpecialParameter::AllPositionalParameters { concatenate: false },
        b'*' => SpecialParameter::AllPositionalParameters { concatenate: true },
        b'#' => SpecialParameter::PositionalParameterCount,
        b'?' => SpecialParameter::LastExitStatus,
        b'-' => SpecialParameter::CurrentOptionFlags,
        b'$' => SpecialParameter::ProcessId,
        b'!' => SpecialParameter::LastBackgroundProcessId,
        b'0' => SpecialParameter::ShellName,
        _ => return None,
    })
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '(']) || text.split_once('[').is_some_and(|(_, rest)| rest.contains(']'))
}

/// Gathers the text of a word, and splits it where bash would.
#[derive(Default)]
pub(super) struct Filler {
    done: Vec<Argument>,
    pub(super) now: Argument,
    /// Whether there is an argument even if it is empty.
    pub(super) present: bool,
    /// Nothing is split.
    pub(super) whole: bool,
    size: usize,
}

impl Filler {
    /// One for a text that is not split.
    pub(super) fn undivided() -> Filler {
        Filler {
            whole: true,
            ..Filler::default()
        }
    }

    /// The home folder, which a tilde stands for.
    pub(super) fn home(&mut self, state: &State) {
        self.literal(&state.home.to_string(), true);
    }

    /// Nothing, as long as the word is not too long.
    pub(super) fn bound(&self) -> Proof<()> {
        if self.size > LONGEST_WORD {
            return Err(Doubt::new("a word in it is too long to be followed", ""));
        }
        Ok(())
    }

    pub(super) fn literal(&mut self, text: &str, quoted: bool) {
        self.size += text.len();
        self.now.text.push_str(text);
        self.now.glob |= !quoted && is_pattern(text);
        self.present |= quoted || !text.is_empty();
    }

    /// The value of an expansion.
    pub(super) fn value(&mut self, value: &str, quoted: bool) {
        self.size += value.len();
        if quoted || self.whole {
            self.now.text.push_str(value);
            self.present |= quoted || !value.is_empty();
            return;
        }
        for (at, piece) in value.split([' ', '\t', '\n']).enumerate() {
            if at > 0 && self.present {
                self.next();
            }
            self.now.text.push_str(piece);
            self.present |= !piece.is_empty();
            self.now.glob |= is_pattern(piece);
            // In a pattern from a value a backslash hides, and goes.
            self.now.splits |= piece.contains([UNKNOWN, '\\']);
            self.now.several |= piece.contains(NAME);
            self.now.parted |= piece.contains(NAME);
        }
    }

    /// Begins the next argument.
    pub(super) fn next(&mut self) {
        if self.whole {
            self.now.text.push(' ');
            return;
        }
        self.done.push(std::mem::take(&mut self.now));
        self.present = false;
    }

    pub(super) fn end(mut self) -> Vec<Argument> {
        if self.present {
            self.done.push(self.now);
        }
        self.done
    }
}
