//! What bash does itself, and programs with rules of their own that are short.

use super::arguments::{Arguments, unknown};
use super::expand::Argument;
use super::paths::shown;
use super::state::{Output, State};
use super::variables::exportable;
use super::{Doubt, Proof, Prover, UNKNOWN};
use crate::path::Place;
use crate::shell::grammar::{Grammar, Operands};

/// Options of bash that change only how patterns match and what a failure means: bash(1), "shopt".
const HARMLESS_OPTIONS: &[&str] = &[
    "autocd",
    "cdspell",
    "checkhash",
    "checkjobs",
    "checkwinsize",
    "cmdhist",
    "compat31",
    "compat32",
    "compat40",
    "compat41",
    "compat42",
    "compat43",
    "compat44",
    "direxpand",
    "dirspell",
    "dotglob",
    "extglob",
    "failglob",
    "globasciiranges",
    "globstar",
    "gnu_errfmt",
    "histappend",
    "histreedit",
    "histverify",
    "hostcomplete",
    "huponexit",
    "inherit_errexit",
    "lastpipe",
    "lithist",
    "mailwarn",
    "no_empty_cmd_completion",
    "nocaseglob",
    "nocasematch",
    "nullglob",
    "progcomp",
    "promptvars",
    "xpg_echo",
];

/// The same of `set -o`.
const SET_OPTIONS: &[&str] = &[
    "braceexpand",
    "emacs",
    "errexit",
    "errtrace",
    "hashall",
    "histexpand",
    "history",
    "ignoreeof",
    "monitor",
    "noclobber",
    "noexec",
    "noglob",
    "notify",
    "nounset",
    "pipefail",
    "verbose",
    "vi",
    "xtrace",
];

/// Whether a command takes assignments as its arguments.
pub(super) fn declares(name: &str) -> bool {
    matches!(name, "declare" | "export" | "local" | "readonly" | "typeset")
}

/// What declaring a variable does beside assigning it.
pub(super) fn declare(command: &str, name: &str, state: &mut State) -> Proof<()> {
    match command {
        "export" => exportable(name),
        "local" => {
            state.locals.insert(name.to_owned());
            Ok(())
        }
        _ => Ok(()),
    }
}

impl Prover<'_> {
    /// Follows a builtin. What it prints.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        grammar: &Grammar,
        told: &Arguments<'_>,
        state: &mut State,
        input: &Output,
    ) -> Proof<Output> {
        let operands = &told.operands;
        match grammar.operands {
            Operands::Date => {
                if let Some(sets) = operands.iter().find(|operand| !operand.text.starts_with('+')) {
                    return Err(Doubt::new(
                        "date sets the clock with an operand that is no format",
                        shown(&sets.text),
                    ));
                }
                return Ok(Output::Unknown);
            }
            Operands::Test => self.tested(operands)?,
            Operands::Cd => self.change_folder(name, operands, state),
            Operands::Read => {
                let separators = std::mem::take(&mut self.separators);
                let value = if separators || matches!(input, Output::Text(_)) {
                    UNKNOWN.to_string()
                } else {
                    input.item()
                };
                for operand in operands {
                    self.settable(&operand.text)?;
                    state.set(&operand.text, value.clone());
                }
                if operands.is_empty() {
                    state.set("REPLY", value);
                }
            }
            Operands::Declare => {
                for operand in operands {
                    let (given, value) = match operand.text.split_once('=') {
                        Some((given, value)) => (given, Some(value.to_owned())),
                        // A local variable is empty at first, whatever there was of that name outside.
                        None => (operand.text.as_str(), (name == "local").then(String::new)),
                    };
                    self.settable(given)?;
                    if let Some(value) = value {
                        state.set(given, value);
                    }
                    declare(name, given, state)?;
                }
            }
            Operands::Unset => {
                for operand in operands {
                    self.settable(&operand.text)?;
                    // It may be a function as well.
                    if state.functions.remove(&operand.text).is_some() {
                        return Err(Doubt::new("it takes away a function", operand.text.as_str()));
                    }
                    state.set(&operand.text, String::new());
                }
            }
            Operands::Set => self.set_options(operands, state)?,
            Operands::Shopt => {
                for operand in operands {
                    let text = operand.text.as_str();
                    if !matches!(text, "-s" | "-u" | "-q" | "-p") && !HARMLESS_OPTIONS.contains(&text) {
                        return Err(unknown("shopt", text));
                    }
                }
            }
            _ => return Err(Doubt::new(format!("`{name}` is not known to be harmless"), name)),
        }
        Ok(Output::Nothing)
    }

    /// `set -eu`, `set -o pipefail`, `set -- a b`.
    fn set_options(&mut self, operands: &[&Argument], state: &mut State) -> Proof<()> {
        let mut rest = operands.iter();
        while let Some(operand) = rest.next() {
            let text = operand.text.as_str();
            match text.strip_prefix(['-', '+']) {
                // What is no option, and all behind it, are the new arguments.
                None | Some("-") => {
                    let own = (text != "--").then_some(operand);
                    let values = own.into_iter().chain(rest.by_ref());
                    let values: Vec<String> = values.map(|argument| (*argument).clone().value()).collect();
                    let known = !values.iter().any(|value| value.contains(UNKNOWN)) && !operand.splits;
                    state.arguments = known.then_some(values);
                }
                Some("o") => {
                    let option = rest.next().map(|option| option.text.as_str()).unwrap_or_default();
                    if !SET_OPTIONS.contains(&option) && !option.is_empty() {
                        return Err(unknown("set", option));
                    }
                }
                Some(letters) if !letters.is_empty() => {
                    // `-euo pipefail` names an option in its next argument.
                    if let Some(letter) = letters.chars().find(|letter| !"euxvCEobfhHmn".contains(*letter)) {
                        return Err(unknown("set", &format!("-{letter}")));
                    }
                    if letters.contains('o') {
                        let option = rest.next().map(|option| option.text.as_str()).unwrap_or_default();
                        if !SET_OPTIONS.contains(&option) {
                            return Err(unknown("set", option));
                        }
                    }
                }
                _ => return Err(unknown("set", text)),
            }
        }
        Ok(())
    }

    fn change_folder(&self, name: &str, operands: &[&Argument], state: &mut State) {
        let [folder] = operands else {
            if name == "cd" && operands.is_empty() {
                state.here = Some(vec![state.home.clone()]);
            } else {
                state.here = None;
            }
            return;
        };
        let text = folder.text.as_str();
        if text == "-" || text.contains(UNKNOWN) || folder.splits || folder.glob || text.starts_with('+') {
            state.here = None;
            return;
        }
        let text = if text.starts_with('~') {
            format!("./{text}")
        } else {
            text.to_owned()
        };
        state.here = match &state.here {
            Some(folders) => Some(folders.iter().map(|here| Place::of(&text, here)).collect()),
            None if text.starts_with('/') => Some(vec![Place::absolute(&text)]),
            None => None,
        };
    }

    /// test(1). An argument that is not known must not be taken for an operator.
    fn tested(&self, operands: &[&Argument]) -> Proof<()> {
        let texts: Vec<&str> = operands
            .iter()
            .map(|operand| operand.text.as_str())
            .filter(|text| *text != "]")
            .collect();
        let open = operands
            .iter()
            .any(|operand| operand.splits || operand.text.starts_with(UNKNOWN));
        if operands.iter().any(|operand| operand.splits || operand.glob) || (open && texts.len() > 4) {
            return Err(Doubt::new("what is tested may be several arguments", ""));
        }
        // `-v name` and `-R name` evaluate a subscript.
        let names = texts.windows(2).find(|pair| matches!(pair[0], "-v" | "-R"));
        match names {
            Some(pair) => self.plain_name(pair[1]),
            None => Ok(()),
        }
    }

    /// printf(1) sets a variable with `-v`; all else of its kind only prints. And leaving loops and functions.
    pub(super) fn printf(&mut self, name: &str, told: &Arguments<'_>, state: &mut State) -> Proof<()> {
        match name {
            "printf" => {
                let first = told.operands.first();
                if first
                    .is_some_and(|first| first.splits || first.text.starts_with(['-', UNKNOWN]) && first.text != "--")
                {
                    return Err(Doubt::new("printf may set a variable", "printf"));
                }
            }
            "break" | "continue" => self.jumps.push(state.clone()),
            "return" => self.returns.push(state.clone()),
            "shift" => state.arguments = None,
            _ => {}
        }
        Ok(())
    }
}
