//! awk(1): a program passes that neither runs, writes nor reads beside its input. POSIX.1-2024, and the GNU awk manual.

use super::arguments::{looks_like_option, unknown};
use super::expand::{Argument, Kind};
use super::paths::shown;
use super::read::name_length;
use super::state::{Output, State};
use super::{Doubt, Proof, Prover};
use crate::path::Access;

impl Prover<'_> {
    pub(super) fn awk(&mut self, arguments: &[Argument], state: &State) -> Proof<Output> {
        let mut rest = arguments.iter();
        let mut program = None;
        while let Some(argument) = rest.next() {
            let text = argument.text.as_str();
            match text {
                "-F" | "-v" => {
                    let value = rest.next();
                    if value.is_none_or(|value| value.kind != Kind::One || looks_like_option(&value.text)) {
                        return Err(Doubt::new(format!("the value of {text} of `awk` is not known"), text));
                    }
                }
                _ if argument.kind != Kind::One => {
                    return Err(Doubt::new("what awk is given is only told by running", shown(text)));
                }
                "--" => {
                    program = rest.next();
                    break;
                }
                _ if text.starts_with("-F") || text.starts_with("-v") => {}
                _ if text.starts_with('-') => return Err(unknown("awk", text)),
                _ => {
                    program = Some(argument);
                    break;
                }
            }
        }
        let Some(program) = program else {
            return Err(Doubt::new("awk is given no program", "awk"));
        };
        if !program.is_known() {
            return Err(Doubt::new(
                "the program of awk is only told by running",
                shown(&program.text),
            ));
        }
        if let Some(what) = acts(&program.text) {
            return Err(Doubt::new(what, shown(&program.text)));
        }
        for operand in rest {
            // `name=value` sets a variable, but a file may be called so too.
            let text = operand.text.as_str();
            let sets = text
                .split_once('=')
                .is_some_and(|(name, _)| !name.is_empty() && name_length(name.as_bytes()) == name.len());
            if !(sets && operand.kind == Kind::One) && text != "-" {
                self.file(operand, Access::Read, state)?;
            }
        }
        Ok(Output::Unknown)
    }
}

/// What a program does beside computing and printing.
pub(in crate::shell) fn acts(program: &str) -> Option<&'static str> {
    // Where a slash divides and where it begins a pattern is hard to tell, and a pattern may hold a quote: so these count
    // wherever they stand, in strings as well.
    if ["system", "getline"].iter().any(|word| program.contains(word)) {
        return Some("awk may run a command");
    }
    if ["ARGV", "ARGC", "SYMTAB", "FUNCTAB"]
        .iter()
        .any(|word| program.contains(word))
    {
        return Some("awk changes which files it reads");
    }
    // Only what prints writes, or has a command read it, and the sign for that comes behind the word.
    let printing = program.find("print").map_or("", |at| &program[at..]);
    let leads = printing.contains('>') || printing.replace("||", "").contains('|');
    if program.contains('@') || program.contains('/') && leads {
        return Some("the program of awk can't be followed");
    }
    let chars: Vec<char> = program.chars().collect();
    let mut at = 0;
    // Within a statement that prints, and the brackets open in it, `>` writes.
    let mut printing = false;
    let mut depth = 0_usize;
    // Whether a `/` would begin a pattern: behind a value it divides.
    let mut value = false;
    while at < chars.len() {
        let char = chars[at];
        match char {
            '"' => {
                at += 1;
                while at < chars.len() && chars[at] != '"' {
                    at += if chars[at] == '\\' { 2 } else { 1 };
                }
                value = true;
            }
            '/' if !value => {
                at += 1;
                let mut set = false;
                while at < chars.len() && (set || chars[at] != '/') {
                    match chars[at] {
                        '\\' => at += 1,
                        '[' => set = true,
                        ']' => set = false,
                        '\n' => return Some("the program of awk can't be followed"),
                        _ => {}
                    }
                    at += 1;
                }
                value = true;
            }
            '#' => {
                while at < chars.len() && chars[at] != '\n' {
                    at += 1;
                }
                continue;
            }
            '@' => return Some("awk loads an extension or calls by name"),
            '|' if chars.get(at + 1) == Some(&'|') => {
                at += 1;
                value = false;
            }
            '|' => return Some("awk runs a command"),
            '>' if printing && depth == 0 => return Some("awk writes a file"),
            // `getline < file` reads another file; less than is looked at there.
            '(' => {
                depth += 1;
                value = false;
            }
            ')' => {
                depth = depth.saturating_sub(1);
                value = true;
            }
            // Behind a comma or an operator the statement goes on in the next line: a newline ends nothing here.
            '\n' => value = false,
            ';' | '{' | '}' => {
                printing = false;
                depth = 0;
                value = false;
            }
            _ if char.is_ascii_alphabetic() || char == '_' => {
                let start = at;
                while at < chars.len() && (chars[at].is_ascii_alphanumeric() || chars[at] == '_') {
                    at += 1;
                }
                let word: String = chars[start..at].iter().collect();
                match word.as_str() {
                    "system" => return Some("awk runs a command"),
                    "ARGV" | "ARGC" => return Some("awk changes which files it reads"),
                    "getline" => return Some("awk reads what its program names"),
                    "print" | "printf" => {
                        printing = true;
                        depth = 0;
                    }
                    _ => {}
                }
                value = !matches!(
                    word.as_str(),
                    "print" | "printf" | "return" | "in" | "if" | "while" | "else" | "do"
                );
                continue;
            }
            ' ' | '\t' | '\r' => {}
            '\\' => at += 1,
            _ => value = char.is_ascii_digit() || matches!(char, ']' | '$'),
        }
        at += 1;
    }
    None
}
