//! Programs that run what is in their arguments: shells, env, xargs, and the like; and tar, which only lists here.

use std::rc::Rc;

use super::arguments::{Arguments, unknown};
use super::expand::Argument;
use super::paths::shown;
use super::state::{Output, State};
use super::variables::exportable;
use super::{Doubt, NAME, Proof, Prover, UNKNOWN};
use crate::path::Access;

/// What bash and a plain POSIX shell read differently.
const BASH_ONLY: &[&str] = &[
    "((", "[[", "&>", "|&", "function", "<<<", "<(", ">(", "$'", "$\"", "{", "+=", "coproc", "select", ";&", "==",
    "=~",
];

impl Prover<'_> {
    /// A command that another one runs: no function, and no builtin that changes the shell.
    pub(super) fn wrapped(&mut self, words: &[Argument], state: &State, input: &Output) -> Proof<Output> {
        let Some((name, arguments)) = words.split_first() else {
            return Ok(Output::Nothing);
        };
        if !name.is_known() || name.text.starts_with('-') || name.text.contains('=') {
            return Err(Doubt::new(
                "it runs a program whose name only running tells",
                shown(&name.text),
            ));
        }
        self.deeper(&name.text, |prover| {
            prover.program(&name.text, arguments, &mut state.clone(), input)
        })
        .map(Output::unsure)
    }

    /// `sh -c 'script' name arguments`.
    pub(super) fn shell(
        &mut self,
        name: &str,
        arguments: &[Argument],
        state: &State,
        input: &Output,
    ) -> Proof<Output> {
        let [option, script, rest @ ..] = arguments else {
            return Err(Doubt::new(format!("`{name}` runs what it reads"), name));
        };
        let plain = option
            .text
            .strip_prefix('-')
            .is_some_and(|letters| letters.ends_with('c') && letters.chars().all(|letter| "ceux".contains(letter)));
        if !plain {
            return Err(unknown(name, &option.text));
        }
        if !script.is_known() || script.text.starts_with('-') {
            return Err(Doubt::new(
                "it runs a script that only running tells",
                shown(&script.text),
            ));
        }
        if name != "bash" && BASH_ONLY.iter().any(|sign| script.text.contains(sign)) {
            return Err(Doubt::new(
                format!("what `{name}` makes of its script is not known"),
                shown(&script.text),
            ));
        }
        let mut inside = State::new(&state.home);
        inside.here = state.here.clone();
        // The first one is the name of the script.
        let values: Vec<String> = rest.iter().skip(1).cloned().map(Argument::value).collect();
        let spread = rest.iter().any(Argument::moves_others);
        inside.arguments = (!spread).then_some(values);
        if let Some(zero) = rest.first().filter(|_| !spread) {
            inside.zero = Rc::from(zero.clone().value());
        }
        let outer = self.posix;
        self.posix |= name != "bash";
        let function = std::mem::replace(&mut self.in_function, false);
        let printed = self.script(&script.text, &mut inside, input.clone());
        self.posix = outer;
        self.in_function = function;
        printed.map(Output::unsure)
    }

    /// watch(1) gives its operands, with blanks between them, to `sh -c`.
    pub(super) fn watch(&mut self, told: &Arguments<'_>, state: &State) -> Proof<Output> {
        if !told.operands.iter().all(|operand| operand.is_known()) {
            return Err(Doubt::new("it runs a script that only running tells", "watch"));
        }
        let texts: Vec<&str> = told.operands.iter().map(|operand| operand.text.as_str()).collect();
        let words = [Argument::plain("-c"), Argument::plain(texts.join(" "))];
        self.shell("sh", &words, state, &Output::Nothing)
    }

    pub(super) fn env(&mut self, arguments: &[Argument], state: &State, input: &Output) -> Proof<Output> {
        let mut rest = arguments;
        while let [first, more @ ..] = rest {
            let text = first.text.as_str();
            match text {
                "-0" | "--null" => {}
                _ if text.starts_with('-') => return Err(unknown("env", text)),
                _ => match text.split_once('=') {
                    Some((name, _)) => exportable(name)?,
                    None => return self.wrapped(rest, state, input),
                },
            }
            rest = more;
        }
        Ok(Output::Unknown)
    }

    pub(super) fn xargs(&mut self, arguments: &[Argument], state: &State, input: &Output) -> Proof<Output> {
        let mut rest = arguments;
        let mut placeholder: Option<String> = None;
        let mut separator = false;
        // Whether only whole lines, or what a NUL ends, are told apart.
        let mut exact = false;
        // Whether an option says how many go together, which takes a placeholder back.
        let mut bounded = false;
        while let [first, more @ ..] = rest {
            let text = first.text.as_str();
            if !text.starts_with('-') || text == "-" {
                break;
            }
            rest = more;
            let value = |inline: Option<&str>, rest: &mut &[Argument]| -> Proof<String> {
                if let Some(inline) = inline {
                    return Ok(inline.to_owned());
                }
                let [value, more @ ..] = *rest else {
                    return Err(Doubt::new(format!("{text} of `xargs` lacks its value"), text));
                };
                *rest = more;
                Ok(value.text.clone())
            };
            let parts = |signs: String| !matches!(signs.as_str(), "\n" | "\\n" | "\\0");
            if text == "--" {
                break;
            }
            if let Some(long) = text.strip_prefix("--") {
                let (name, inline) = match long.split_once('=') {
                    Some((name, inline)) => (name, Some(inline)),
                    None => (long, None),
                };
                match (name, inline) {
                    ("null", None) => exact = true,
                    ("no-run-if-empty" | "verbose" | "exit", None) | ("eof", _) => {}
                    ("max-args", _) => {
                        bounded = true;
                        value(inline, &mut rest)?;
                    }
                    ("max-lines", _) => bounded = true,
                    ("max-procs" | "max-chars", _) => drop(value(inline, &mut rest)?),
                    ("delimiter", _) => (separator, exact) = (parts(value(inline, &mut rest)?), true),
                    ("replace", _) => placeholder = Some(inline.unwrap_or("{}").to_owned()),
                    _ => return Err(unknown("xargs", text)),
                }
                continue;
            }
            // Letters may stand together, and what is behind one that takes a value is that.
            for (at, letter) in text.char_indices().skip(1) {
                let inline = Some(&text[at + letter.len_utf8()..]).filter(|inline| !inline.is_empty());
                match letter {
                    '0' => {
                        exact = true;
                        continue;
                    }
                    'r' | 't' | 'x' => continue,
                    'l' => bounded = true,
                    'e' => {}
                    'i' => placeholder = Some(inline.unwrap_or("{}").to_owned()),
                    'I' => placeholder = Some(value(inline, &mut rest)?),
                    'n' | 'L' => {
                        bounded = true;
                        value(inline, &mut rest)?;
                    }
                    'P' | 's' | 'E' => drop(value(inline, &mut rest)?),
                    'd' => (separator, exact) = (parts(value(inline, &mut rest)?), true),
                    _ => return Err(unknown("xargs", &format!("-{letter}"))),
                }
                break;
            }
        }
        let item = if separator || state.moved {
            UNKNOWN.to_string()
        } else {
            input.item()
        };
        if placeholder.is_some() && bounded {
            return Err(Doubt::new(
                "which of its options xargs takes depends on their order",
                "xargs",
            ));
        }
        let item = if *input == Output::Nothing { String::new() } else { item };
        if rest.is_empty() {
            // It prints what it reads, as echo does.
            return Ok(if item == NAME.to_string() {
                Output::Names
            } else {
                Output::Unknown
            });
        }
        let mut words: Vec<Argument> = rest.to_vec();
        match placeholder.filter(|text| !text.is_empty()) {
            Some(placeholder) => {
                if words[0].text.contains(&placeholder) {
                    return Err(Doubt::new("it runs a program whose name only running tells", "xargs"));
                }
                for word in &mut words[1..] {
                    word.text = word.text.replace(&placeholder, &item);
                }
            }
            None if item.is_empty() => {}
            None => words.push(Argument {
                splits: item.contains(UNKNOWN),
                several: item.contains(NAME),
                parted: item.contains(NAME) && !exact,
                text: item,
                ..Argument::default()
            }),
        }
        self.wrapped(&words, state, &Output::Nothing)
    }

    /// tar(1), only where it lists.
    pub(super) fn tar(&mut self, arguments: &[Argument], state: &State) -> Proof<Output> {
        let mut rest = arguments.iter();
        let mut lists = false;
        let mut first = true;
        while let Some(argument) = rest.next() {
            let text = argument.text.as_str();
            let letters = match text.strip_prefix('-') {
                Some(letters) if !letters.starts_with('-') => letters,
                None if first => text,
                _ if matches!(
                    text,
                    "--list" | "--verbose" | "--gzip" | "--wildcards" | "--numeric-owner"
                ) =>
                {
                    lists |= text == "--list";
                    continue;
                }
                Some(_) => return Err(unknown("tar", text)),
                // A member of the archive.
                None => continue,
            };
            first = false;
            for (at, letter) in letters.char_indices() {
                match letter {
                    't' => lists = true,
                    'v' | 'z' | 'j' | 'J' | 'a' => {}
                    'f' if at + 1 == letters.len() => {
                        let file = rest
                            .next()
                            .ok_or_else(|| Doubt::new("-f of `tar` lacks its value", "tar"))?;
                        if file.text.contains(':') {
                            return Err(Doubt::new("tar reads from another machine", shown(&file.text)));
                        }
                        self.file(file, Access::Read, state)?;
                    }
                    _ => return Err(unknown("tar", &format!("-{letter}"))),
                }
            }
        }
        if lists {
            return Ok(Output::Unknown);
        }
        Err(Doubt::new("tar does more than list", "tar"))
    }
}
