//! What the shell does itself, and programs with rules of their own that are short.

use super::arguments::Arguments;
use super::expand::{Argument, Kind};
use super::paths::{climbs, shown};
use super::read::name_length;
use super::state::{State, is_reserved};
use super::{Doubt, Proof, Prover};
use crate::path::Place;
use crate::shell::grammar::{Grammar, Operands};
use crate::shell::word::Field;

impl Prover<'_> {
    /// What changes the shell, or reads into a variable: harmless only where the shell ends behind it.
    pub(super) fn changes_shell(
        &self,
        name: &str,
        grammar: &Grammar,
        told: &Arguments<'_>,
        state: &State,
    ) -> Proof<()> {
        if name == "set" && only_ends_early(&told.operands) {
            return Ok(());
        }
        // Without a name it is read into one that nothing is known of.
        let nameless = grammar.operands == Operands::Read && told.operands.is_empty() && !told.has("a");
        // The rest of one round, or all rounds that come, may be left out anyway.
        let leaves = self.loops > 0 && matches!(name, "break" | "continue") && told.operands.is_empty();
        if !state.last && !nameless && !leaves {
            return Err(Doubt::new(format!("what `{name}` changes is not followed"), name));
        }
        for operand in &told.operands {
            if !operand.is_known() {
                return Err(Doubt::new(
                    format!("what `{name}` is given is only told by running"),
                    shown(&operand.text),
                ));
            }
            // A subscript would be computed, and what some variables are given as well.
            let plain = name_length(operand.text.as_bytes()) == operand.text.len() && !operand.text.is_empty();
            let harmless = match grammar.operands {
                Operands::Read => plain && !is_reserved(&operand.text),
                Operands::Unset => plain,
                _ => true,
            };
            if !harmless {
                return Err(Doubt::new("it names no plain variable", shown(&operand.text)));
            }
        }
        Ok(())
    }

    /// cd. Nobody knows whether it succeeds.
    pub(super) fn change_folder(&self, operands: &[&Argument], state: &mut State) {
        let to = match operands {
            [] => Some(vec![Place::clone(&state.home)]),
            [folder]
                if folder.is_known()
                    && !folder.text.starts_with('-')
                    && !folder.text.is_empty()
                    && !climbs(&folder.text, state) =>
            {
                let text = if folder.text.starts_with('~') {
                    format!("./{}", folder.text)
                } else {
                    folder.text.clone()
                };
                let here = state.here.as_deref();
                here.map(|folders| folders.iter().map(|here| Place::of(&text, here)).collect())
            }
            _ => None,
        };
        state.may_move(to);
    }

    /// date(1) sets the clock with an operand that is no format.
    pub(super) fn dated(&self, operands: &[&Argument]) -> Proof<()> {
        match operands
            .iter()
            .find(|operand| !operand.text.starts_with('+') || operand.kind != Kind::One)
        {
            Some(sets) => Err(Doubt::new(
                "date sets the clock with an operand that is no format",
                shown(&sets.text),
            )),
            None => Ok(()),
        }
    }
}

/// Whether what `set` is given has the shell end sooner than it would, and does nothing else: bash(1), "set". With `-x` it runs
/// what stands in `PS4`.
fn only_ends_early(operands: &[&Argument]) -> bool {
    let mut rest = operands.iter();
    while let Some(operand) = rest.next() {
        let letters = operand.text.strip_prefix('-').filter(|_| operand.is_known());
        let named = letters.is_some_and(|letters| letters.ends_with('o'));
        let letters = letters.map(|letters| letters.strip_suffix('o').unwrap_or(letters));
        let is_plain = letters.is_some_and(|letters| letters.bytes().all(|letter| b"eu".contains(&letter)));
        let ends = |name: &&Argument| matches!(name.text.as_str(), "errexit" | "nounset" | "pipefail");
        if !is_plain || operand.text == "-" || named && !rest.next().is_some_and(ends) {
            return false;
        }
    }
    !operands.is_empty()
}

/// test(1). What is not known must not be taken for an operator: `-v` computes a subscript.
pub(super) fn tested(operands: &[&Argument]) -> Proof<()> {
    let doubt = |part: &str| Err(Doubt::new("what is tested may compute a subscript", shown(part)));
    let operands: Vec<&Argument> = operands.iter().copied().filter(|one| one.text != "]").collect();
    if let Some(names) = operands.iter().find(|one| matches!(one.text.as_str(), "-v" | "-R")) {
        return doubt(&names.text);
    }
    let single = operands.iter().all(|one| matches!(one.kind, Kind::One | Kind::Found));
    let known: Vec<bool> = operands.iter().map(|one| one.is_known()).collect();
    match known.as_slice() {
        _ if !single => doubt(""),
        [] | [_] | [true, _] | [_, true, _] => Ok(()),
        all if all.iter().all(|known| *known) => Ok(()),
        _ => doubt(""),
    }
}

/// printf(1) sets a variable by an option, and by one of its formats: each that is not a plain one is not known.
pub(super) fn formatted(operands: &[&Argument]) -> Proof<()> {
    let format = match operands {
        [end, format, ..] if end.is_known() && end.text == "--" => format,
        [format, ..] => format,
        [] => return Ok(()),
    };
    let plain = format.is_known() && !format.text.starts_with('-') && is_plain_format(&format.text);
    if plain {
        return Ok(());
    }
    Err(Doubt::new(
        "what the format of printf does is not known",
        shown(&format.text),
    ))
}

/// ps(1) prints the environment of processes with an `e` among the letters of its old options.
pub(super) fn listed(operands: &[&Argument]) -> Proof<()> {
    let mut value = false;
    for operand in operands {
        let text = operand.text.as_str();
        if !operand.is_known() || text.contains("environ") || (!value && !text.starts_with('-') && text.contains('e'))
        {
            return Err(Doubt::new("ps may print the environment of processes", shown(text)));
        }
        const VALUES: [char; 10] = ['o', 'O', 'C', 'u', 'U', 'p', 'g', 'G', 't', 's'];
        // Behind the first that has a value stands that value.
        let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        value = letters.is_some_and(|letters| letters.find(VALUES).is_some_and(|at| at + 1 == letters.len()));
    }
    Ok(())
}

/// Whether a program whose options are not told apart sets no variable and computes no subscript with these arguments, by
/// the rule that it has. Of a new one nothing is known.
pub(in crate::shell) fn sets_nothing(name: &str, arguments: &[Field]) -> bool {
    let argument = |field: &Field| Argument {
        text: field.text.clone(),
        kind: if field.glob { Kind::Pattern } else { Kind::One },
    };
    let arguments: Vec<Argument> = arguments.iter().map(argument).collect();
    let operands: Vec<&Argument> = arguments.iter().collect();
    match name {
        "printf" => formatted(&operands).is_ok(),
        "test" | "[" => tested(&operands).is_ok(),
        "ps" => listed(&operands).is_ok(),
        ":" | "dd" | "echo" | "expr" | "false" | "true" => true,
        _ => false,
    }
}

/// Whether a format of printf only prints.
fn is_plain_format(format: &str) -> bool {
    let mut rest = format.split('%');
    rest.next();
    let mut escaped = false;
    for part in rest {
        if std::mem::take(&mut escaped) {
            continue;
        }
        if part.is_empty() {
            escaped = true;
            continue;
        }
        let kind = part.trim_start_matches(|char: char| char.is_ascii_digit() || "-+ #.'".contains(char));
        if !kind.starts_with(['s', 'd', 'i', 'u', 'x', 'X', 'o', 'c', 'b', 'q', 'f', 'e', 'g']) {
            return false;
        }
    }
    true
}
