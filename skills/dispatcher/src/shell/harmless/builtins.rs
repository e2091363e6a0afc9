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
    "globasciiranges",
    "globstar",
    "gnu_errfmt",
    "histappend",
    "histreedit",
    "histverify",
    "hostcomplete",
    "huponexit",
    "inherit_errexit",
    "lithist",
    "mailwarn",
    "no_empty_cmd_completion",
    "nocasematch",
    "progcomp",
    "promptvars",
    "xpg_echo",
];

/// Options that are off in a script unless it puts them on.
const OFF_AT_FIRST: &[&str] = &[
    "cdable_vars",
    "dotglob",
    "expand_aliases",
    "failglob",
    "lastpipe",
    "nocaseglob",
    "nullglob",
];

/// The same of `set -o`.
const SET_OPTIONS: &[&str] = &[
    "braceexpand",
    "emacs",
    "errexit",
    "errtrace",
    "hashall",
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
        // In a function all of them are local.
        "local" | "declare" | "typeset" => {
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
                // A part of a name may be a name of something else.
                let part = told.has("andNu") || state.moved;
                let value = if separators || part || matches!(input, Output::Text(_)) {
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
                    if let Some((_, value)) = operand.text.split_once('=')
                        && (value.starts_with(['(', UNKNOWN]) || operand.splits)
                    {
                        return Err(Doubt::new(
                            "it may assign a list, which is expanded again",
                            shown(&operand.text),
                        ));
                    }
                    if name == "local" && !self.in_function {
                        return Err(Doubt::new(
                            "it makes a variable local outside a function",
                            shown(&operand.text),
                        ));
                    }
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
                    // In a function a local one may go, and another come to light.
                    let left = if self.in_function {
                        UNKNOWN.to_string()
                    } else {
                        String::new()
                    };
                    state.variables.insert(operand.text.clone(), vec![left]);
                }
            }
            Operands::Set => self.set_options(operands, state)?,
            Operands::Shopt => {
                // To ask changes nothing, and what is off at first may be put off.
                let puts_off = operands.first().is_some_and(|first| first.text == "-u");
                let sets = operands
                    .iter()
                    .any(|operand| matches!(operand.text.as_str(), "-s" | "-u"));
                for operand in operands {
                    let text = operand.text.as_str();
                    let asked = !sets && self.plain_name(text).is_ok();
                    let known = matches!(text, "-s" | "-u" | "-q" | "-p")
                        || HARMLESS_OPTIONS.contains(&text)
                        || (puts_off && OFF_AT_FIRST.contains(&text));
                    if !asked && !known {
                        return Err(unknown("shopt", text));
                    }
                }
            }
            _ => return Err(Doubt::new(format!("`{name}` is not known to be harmless"), name)),
        }
        // Without operands these print what is set.
        Ok(match grammar.operands {
            Operands::Read | Operands::Test | Operands::Unset => Output::Nothing,
            _ => Output::Unknown,
        })
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
                    let values: Vec<&&Argument> = values.collect();
                    let several = values.iter().any(|argument| argument.moves_others());
                    let values: Vec<String> =
                        values.into_iter().map(|argument| (*argument).clone().value()).collect();
                    let known = !several && !operand.splits;
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
                    if let Some(letter) = letters.chars().find(|letter| !"euxvCEobfhmn".contains(*letter)) {
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
                state.move_to(Some(vec![Place::clone(&state.home)]));
            } else {
                state.move_to(None);
            }
            return;
        };
        let text = folder.text.as_str();
        if text == "-" || text.contains(UNKNOWN) || folder.splits || folder.glob || text.starts_with('+') {
            state.move_to(None);
            return;
        }
        let text = if text.starts_with('~') {
            format!("./{text}")
        } else {
            text.to_owned()
        };
        let folders = match &state.here {
            Some(folders) => Some(folders.iter().map(|here| Place::of(&text, here)).collect()),
            None if text.starts_with('/') => Some(vec![Place::absolute(&text)]),
            None => None,
        };
        state.move_to(folders);
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
            .any(|operand| operand.splits || operand.text.starts_with([UNKNOWN, super::NAME]));
        if operands.iter().any(|operand| operand.splits || operand.glob) || (open && texts.len() > 4) {
            return Err(Doubt::new("what is tested may be several arguments", ""));
        }
        if open && texts.iter().any(|text| text.contains('[')) {
            return Err(Doubt::new("what is tested may evaluate a subscript", ""));
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
            "break" | "continue" if !told.operands.is_empty() => {
                return Err(Doubt::new("it leaves several loops at once", name));
            }
            "break" | "continue" => self.jumps.push(state.clone()),
            "exit" => self.exits = true,
            "return" => self.returns.push(state.clone()),
            "shift" => state.arguments = None,
            _ => {}
        }
        Ok(())
    }
}
