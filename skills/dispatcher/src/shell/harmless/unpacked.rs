//! What is packed or written out in other letters: nobody has looked into that for what the model must not be shown.

use super::arguments::Arguments;
use super::expand::Argument;
use super::state::Output;
use super::{Doubt, Proof};
use crate::shell::grammar::{Grammar, Operands};

/// Programs that read no input.
const PRINTERS: [&str; 3] = ["echo", "printf", "seq"];

/// Shows that a program unpacks nothing but what the command itself says.
pub(super) fn unpacks(name: &str, grammar: &Grammar, told: &Arguments<'_>, input: &Output) -> Proof<()> {
    let is_on = |option: &&str| told.long.contains(option) || option.len() == 1 && told.has(option);
    let always = grammar.unpacks == ["*"];
    let only_lists = grammar.operands == Operands::Filter && lists(told);
    if only_lists || !(always || grammar.unpacks.iter().any(is_on)) {
        return Ok(());
    }
    // What is unpacked into a file, too, is read by what comes next before that is looked into.
    if *input == Output::Given && told.operands.is_empty() {
        return Ok(());
    }
    Err(Doubt::new(
        format!("`{name}` unpacks or decodes what nobody has looked into"),
        name,
    ))
}

/// Whether a program of gzip(1)'s kind is told to list or to test: of two modes the last one wins, so that it is only without
/// another.
pub(super) fn lists(told: &Arguments<'_>) -> bool {
    told.has("lt") && told.short.chars().all(|letter| "ltvq".contains(letter))
}

/// Whether what a program prints is made of the words of the command alone.
pub(super) fn is_given(
    name: &str,
    grammar: &Grammar,
    arguments: &[Argument],
    told: &Arguments<'_>,
    input: &Output,
) -> bool {
    let reads_given = match grammar.operands {
        Operands::Data => PRINTERS.contains(&name) || *input == Output::Given,
        Operands::Files | Operands::Filter | Operands::First => *input == Output::Given && told.operands.is_empty(),
        _ => false,
    };
    reads_given && arguments.iter().all(Argument::is_known)
}
