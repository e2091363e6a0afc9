//! The parts of a control string: directives with their parameters, and the blocks that some of them open.

use super::fault;
use crate::fault::Outcome;

/// A directive.
#[derive(Debug)]
pub(super) struct Directive {
    /// Which, in lower case.
    pub(super) letter: char,
    pub(super) parameters: Vec<Parameter>,
    pub(super) colon: bool,
    pub(super) at: bool,
}

/// A parameter before the letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parameter {
    Default,
    Number(i64),
    Character(char),
    /// `v`
    Argument,
    /// `#`
    Remaining,
}

impl Directive {
    /// The number at a place, if one was given.
    pub(super) fn number(&self, place: usize) -> Option<i64> {
        match self.parameters.get(place) {
            Some(Parameter::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// The character at a place, if one was given.
    pub(super) fn character(&self, place: usize) -> Option<char> {
        match self.parameters.get(place) {
            Some(Parameter::Character(character)) => Some(*character),
            _ => None,
        }
    }
}

/// The directive whose tilde is at `begin`, and the place behind it.
pub(super) fn parse(control: &[char], begin: usize) -> Outcome<(Directive, usize)> {
    let mut at = begin + 1;
    let mut parameters = Vec::new();
    let (mut colon, mut has_at) = (false, false);
    loop {
        let Some(&character) = control.get(at) else {
            return Err(fault("the string ended before the directive was found"));
        };
        match character {
            '0'..='9' | '+' | '-' => {
                let end = at
                    + 1
                    + control[at + 1..]
                        .iter()
                        .take_while(|digit| digit.is_ascii_digit())
                        .count();
                let digits: String = control[at..end].iter().collect();
                match digits.parse() {
                    Ok(number) => parameters.push(Parameter::Number(number)),
                    Err(_) => return Err(fault(&format!("{digits} is not a parameter"))),
                }
                at = end;
            }
            '\'' => {
                let Some(&character) = control.get(at + 1) else {
                    return Err(fault("nothing behind '"));
                };
                parameters.push(Parameter::Character(character));
                at += 2;
            }
            'v' | 'V' => {
                parameters.push(Parameter::Argument);
                at += 1;
            }
            '#' => {
                parameters.push(Parameter::Remaining);
                at += 1;
            }
            ',' => {
                parameters.push(Parameter::Default);
                at += 1;
                continue;
            }
            ':' => {
                colon = true;
                at += 1;
                continue;
            }
            '@' => {
                has_at = true;
                at += 1;
                continue;
            }
            letter => {
                let letter = letter.to_ascii_lowercase();
                return Ok((
                    Directive {
                        letter,
                        parameters,
                        colon,
                        at: has_at,
                    },
                    at + 1,
                ));
            }
        }
        // A comma behind a parameter only separates it from the next.
        if control.get(at) == Some(&',') {
            at += 1;
        }
        if parameters.len() > 8 {
            return Err(fault("a directive with more than 8 parameters"));
        }
    }
}

/// What stands up to the directive that closes the block, and the place behind that.
pub(super) fn block(control: &[char], begin: usize, open: char, close: char) -> Outcome<(&[char], usize)> {
    let mut at = begin;
    let mut depth = 1;
    while at < control.len() {
        if control[at] != '~' {
            at += 1;
            continue;
        }
        let (directive, behind) = parse(control, at)?;
        if directive.letter == open {
            depth += 1;
        } else if directive.letter == close {
            depth -= 1;
            if depth == 0 {
                return Ok((&control[begin..at], behind));
            }
        }
        at = behind;
    }
    Err(fault(&format!("no ~{close} for ~{open}")))
}

/// The clauses of `~[`, and whether the last is for all other numbers.
pub(super) fn clauses(inside: &[char]) -> Outcome<(Vec<&[char]>, bool)> {
    let mut clauses = Vec::new();
    let mut last_is_default = false;
    let (mut at, mut begin, mut depth) = (0, 0, 0usize);
    while at < inside.len() {
        if inside[at] != '~' {
            at += 1;
            continue;
        }
        let (directive, behind) = parse(inside, at)?;
        match directive.letter {
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => {
                clauses.push(&inside[begin..at]);
                begin = behind;
                last_is_default = directive.colon;
            }
            _ => {}
        }
        at = behind;
    }
    clauses.push(&inside[begin..]);
    Ok((clauses, last_is_default))
}
