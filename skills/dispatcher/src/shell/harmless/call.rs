//! One program with its arguments.

use std::rc::Rc;

use super::arguments::{Arguments, PRINTERS, WITH_OPTIONS_THAT_ACT};
use super::expand::Argument;
use super::paths::shown;
use super::state::{Function, Output, State};
use super::{Doubt, NAME, Proof, Prover, UNKNOWN, is_open};
use crate::path::Access;
use crate::shell::grammar::{Grammar, Operands, Prints};
use crate::shell::programs;

/// Where programs are: the search path of a command, and its usual links.
const FOLDERS: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/usr/sbin",
];

/// Whether a filter may be told by one more option to replace its files.
fn replaces(grammar: &Grammar, arguments: &[Argument]) -> bool {
    let prints = |one: &Argument| one.text.starts_with('-') && !one.text.starts_with("--") && one.text.contains('c');
    grammar.operands == Operands::Filter && !arguments.iter().any(prints)
}

impl Prover<'_> {
    /// Follows a command: a function, a builtin or a program. What it prints.
    pub(super) fn run(&mut self, words: &[Argument], state: &mut State, input: &Output) -> Proof<Output> {
        let Some((name, arguments)) = words.split_first() else {
            return Ok(Output::Nothing);
        };
        if !name.is_known() {
            return Err(Doubt::new(
                "it runs a program whose name only running tells",
                shown(&name.text),
            ));
        }
        let mut printed = Output::Nothing;
        if let Some(function) = state.functions.get(&name.text).cloned() {
            printed = self.function(&name.text, &function, arguments, state, input)?;
            if function.sure {
                return Ok(printed);
            }
        }
        let output = self.program(&name.text, arguments, state, input)?;
        Ok(printed.and(output))
    }

    fn function(
        &mut self,
        name: &str,
        function: &Function,
        arguments: &[Argument],
        state: &mut State,
        input: &Output,
    ) -> Proof<Output> {
        self.step()?;
        // An argument that may be several, or none, moves all that come behind it.
        let given = (!arguments.iter().any(Argument::moves_others))
            .then(|| arguments.iter().cloned().map(Argument::value).collect::<Vec<String>>());
        let before = state.clone();
        let outer = std::mem::replace(&mut state.arguments, given);
        let locals = std::mem::take(&mut state.locals);
        let returns = std::mem::take(&mut self.returns);
        let outside = std::mem::replace(&mut self.in_function, true);
        let printed = self.deeper(name, |prover| {
            let mut printed = Output::Nothing;
            let mut ends = Vec::new();
            for (_, body) in &function.bodies {
                let mut inside = state.clone();
                let body = Rc::clone(body);
                let (input, seen) = prover.redirects(body.1.as_ref(), &mut inside, input)?;
                let output = prover.compound(&body.0, &mut inside, &input)?;
                printed = printed.and(seen.of(output));
                ends.push(inside);
            }
            let mut ends = ends.into_iter();
            if let Some(first) = ends.next() {
                *state = first;
            }
            ends.for_each(|end| state.join(end));
            Ok(printed)
        })?;
        self.in_function = outside;
        let returned = std::mem::replace(&mut self.returns, returns);
        let printed = if returned.is_empty() || !matches!(printed, Output::Text(_)) {
            printed
        } else {
            Output::Unknown
        };
        for end in returned {
            state.join(end);
        }
        // What was local is again what it was.
        for local in std::mem::replace(&mut state.locals, locals) {
            match before.variables.get(&local) {
                _ if state.unclear.remove(&local) => state.variables.insert(local, vec![UNKNOWN.to_string()]),
                Some(value) => state.variables.insert(local, value.clone()),
                None => state.variables.remove(&local),
            };
        }
        state.arguments = outer;
        Ok(printed)
    }

    /// Follows a program, whatever functions there are.
    pub(super) fn program(
        &mut self,
        path: &str,
        arguments: &[Argument],
        state: &mut State,
        input: &Output,
    ) -> Proof<Output> {
        self.step()?;
        let bare = !path.contains('/');
        let name = match path.rsplit_once('/') {
            None => path,
            Some((folder, name)) if FOLDERS.contains(&folder) => name,
            Some(_) => return Err(Doubt::new("it runs a file", path)),
        };
        let row = programs::row(name);
        if let ([only], Some(_)) = (arguments, row)
            && matches!(only.text.as_str(), "--help" | "--version")
        {
            return Ok(Output::Unknown);
        }
        let Some(grammar) = row.and_then(|row| row.grammar.as_ref()) else {
            return Err(Doubt::new(format!("`{name}` is not known to be harmless"), name));
        };
        if let Some(open) = arguments.iter().find(|one| one.splits || one.text.starts_with(UNKNOWN))
            && !PRINTERS.contains(&name)
        {
            return Err(Doubt::new(
                "it may be given an option that only running tells",
                shown(&open.text),
            ));
        }
        if let Some(open) = arguments.iter().find(|one| one.glob || one.text.starts_with(NAME))
            && WITH_OPTIONS_THAT_ACT.contains(&name)
            && (open.text.starts_with(['*', '?', '[', NAME]))
        {
            return Err(Doubt::new(
                "a file that is called like an option would be one",
                shown(&open.text),
            ));
        }
        // What has a blank in its name is two arguments here, and the second may be any option. That of a program which
        // only reads may name a file outside: the jail shows it none that is a secret.
        if let Some(open) = arguments.iter().find(|one| one.parted)
            && (WITH_OPTIONS_THAT_ACT.contains(&name) || name == "find" || replaces(grammar, arguments))
        {
            return Err(Doubt::new(
                "a file with a blank in its name would be an option",
                shown(&open.text),
            ));
        }
        let leading = matches!(grammar.operands, Operands::Command | Operands::Watch);
        let own = matches!(
            grammar.operands,
            Operands::Shell
                | Operands::Env
                | Operands::Xargs
                | Operands::Find
                | Operands::Sed
                | Operands::Awk
                | Operands::Git
                | Operands::Tar
        );
        if own {
            return self.special(name, grammar, arguments, state, input);
        }
        let told = self.tell_apart(name, grammar, arguments, leading, state)?;
        match grammar.operands {
            Operands::Command => {
                // Given no command it does nothing, or only complains.
                let Some(words) = told.operands.get(grammar.skip..).filter(|words| !words.is_empty()) else {
                    return Ok(Output::Unknown);
                };
                let words: Vec<Argument> = words.iter().map(|word| (*word).clone()).collect();
                return match name {
                    "command" if told.has("vV") => Ok(Output::Unknown),
                    // These run in this very shell.
                    "builtin" | "command" if words[0].is_known() => {
                        self.deeper(name, |prover| prover.program(&words[0].text, &words[1..], state, input))
                    }
                    _ => self.wrapped(&words, state, input),
                };
            }
            Operands::None if told.operands.is_empty() => {}
            Operands::None => {
                return Err(Doubt::new(
                    format!("what `{name}` does with an operand is not known"),
                    name,
                ));
            }
            Operands::Data => self.printf(name, &told, state)?,
            Operands::Files => self.files(&told.operands, Access::Read, state)?,
            // One that stands for several would write the second.
            Operands::First
                if told.operands.len() < 2 && !told.operands.iter().any(|one| one.glob || is_open(&one.text)) =>
            {
                self.files(&told.operands, Access::Read, state)?
            }
            Operands::First => return Err(Doubt::new(format!("`{name}` writes its second operand"), name)),
            Operands::Look => {
                if told.operands.is_empty() {
                    self.file(&Argument::plain("."), Access::Look, state)?;
                }
                self.files(&told.operands, Access::Look, state)?;
            }
            Operands::Pattern => self.searched(name, grammar, &told, state)?,
            Operands::One if told.operands.len() < 2 && told.operands.iter().all(|one| one.is_known()) => {}
            Operands::One => {
                return Err(Doubt::new(
                    format!("what `{name}` does with its operands is not known"),
                    name,
                ));
            }
            Operands::Temporary if told.operands.is_empty() => {}
            Operands::Temporary
                if (told.has("t") || told.long.contains(&"tmpdir"))
                    && told
                        .operands
                        .iter()
                        .all(|one| one.is_known() && !one.text.contains('/')) => {}
            Operands::Temporary => {
                return Err(Doubt::new(
                    format!("`{name}` makes a file where its operand says"),
                    name,
                ));
            }
            Operands::Query if !told.has(grammar.names_by) => {
                return Err(Doubt::new(format!("what `{name}` does is not known"), name));
            }
            Operands::Query => {}
            Operands::Let => {
                for operand in &told.operands {
                    if operand.splits {
                        return Err(Doubt::new("it computes what only running tells", shown(&operand.text)));
                    }
                    self.computed(&operand.text, state)?;
                }
            }
            Operands::Dd => {
                for operand in &told.operands {
                    match operand.text.split_once('=') {
                        Some(("if", file)) => self.file(&Argument::plain(file), Access::Read, state)?,
                        Some(("bs" | "count" | "skip" | "ibs" | "cbs" | "status" | "conv" | "iflag", _)) => {}
                        _ => return Err(super::arguments::unknown(name, &operand.text)),
                    }
                }
            }
            Operands::Watch => return self.watch(&told, state),
            Operands::Alias if self.posix => return Err(Doubt::new("it names commands anew", name)),
            Operands::Alias => {}
            Operands::Writes
            | Operands::Copies
            | Operands::Moves
            | Operands::Deletes
            | Operands::Mode
            | Operands::Filter => {
                self.changes(name, grammar, &told, state)?;
            }
            _ => return self.builtin(name, grammar, &told, state, input),
        }
        // The same names, with another sign between them.
        if name == "tr" && told.short.is_empty() && told.long.is_empty() {
            let texts: Vec<&str> = told.operands.iter().map(|operand| operand.text.as_str()).collect();
            if matches!(texts.as_slice(), ["\\n" | "\n", "\\0" | "\\000"]) && input.is_names() {
                return Ok(input.clone());
            }
        }
        if name == "finger" && told.operands.iter().any(|operand| operand.text.contains('@')) {
            return Err(Doubt::new("it asks another machine", name));
        }
        if name == "pwd" {
            return Ok(match state.here.as_deref() {
                Some([here]) => Output::Text(format!("{here}\n")),
                _ => Output::Unknown,
            });
        }
        let output = self.printed(name, grammar, &told, input);
        // One that is named by its folder may not be there.
        Ok(if bare { output } else { output.unsure() })
    }

    fn special(
        &mut self,
        name: &str,
        grammar: &'static Grammar,
        arguments: &[Argument],
        state: &mut State,
        input: &Output,
    ) -> Proof<Output> {
        match grammar.operands {
            Operands::Shell => self.shell(name, arguments, state, input),
            Operands::Env => self.env(arguments, state, input),
            Operands::Xargs => self.xargs(arguments, state, input),
            Operands::Find => self.find(arguments, state),
            Operands::Sed => self.sed(arguments, state),
            Operands::Awk => self.awk(arguments, state),
            Operands::Git => self.git(arguments, state),
            _ => self.tar(arguments, state),
        }
    }

    pub(super) fn files(&mut self, operands: &[&Argument], access: Access, state: &State) -> Proof<()> {
        operands
            .iter()
            .filter(|operand| operand.text != "-")
            .try_for_each(|operand| self.file(operand, access, state))
    }

    /// A pattern, if none was given by an option, and files.
    fn searched(&mut self, name: &str, grammar: &Grammar, told: &Arguments<'_>, state: &State) -> Proof<()> {
        let given =
            told.has(grammar.pattern_by) || told.long.iter().any(|name| grammar.pattern_by_long.contains(name));
        let skip = usize::from(!given);
        if name == "jq"
            && let Some(program) = told.operands.first()
            && ["import", "include"].iter().any(|word| program.text.contains(word))
        {
            return Err(Doubt::new("its program reads other files", shown(&program.text)));
        }
        if let Some(pattern) = told.operands.first().filter(|pattern| skip == 1 && pattern.splits) {
            return Err(Doubt::new("its pattern may be several arguments", shown(&pattern.text)));
        }
        let files = told.operands.get(skip..).unwrap_or_default();
        if files.is_empty() && (told.has("rR") || !name.ends_with("grep")) {
            self.file(&Argument::plain("."), Access::Read, state)?;
        }
        self.files(files, Access::Read, state)
    }

    /// A program that makes, changes or deletes files.
    fn changes(&mut self, name: &str, grammar: &Grammar, told: &Arguments<'_>, state: &State) -> Proof<()> {
        let operands = told.operands.as_slice();
        let (reads, writes): (&[&Argument], &[&Argument]) = match (grammar.operands, operands) {
            (Operands::Filter, []) => return Ok(()),
            // Of two modes the last one wins: to list or to test is harmless only without another.
            (Operands::Filter, files)
                if told.has("c") || (told.has("lt") && told.short.chars().all(|letter| "ltvq".contains(letter))) =>
            {
                (files, &[])
            }
            (Operands::Copies, [files @ .., _]) => (files, &operands[operands.len() - 1..]),
            (Operands::Mode, [_, files @ ..]) => (&[], files),
            (Operands::Deletes, files) if files.iter().any(|file| file.glob || is_open(&file.text)) => {
                return Err(Doubt::new(format!("`{name}` deletes what only running tells"), name));
            }
            (_, files) => (&[], files),
        };
        self.files(reads, Access::Read, state)?;
        self.files(writes, Access::Write, state)
    }

    /// What a program prints.
    fn printed(&self, name: &str, grammar: &Grammar, told: &Arguments<'_>, input: &Output) -> Output {
        let operands = &told.operands;
        match grammar.prints {
            Prints::Nothing => Output::Nothing,
            Prints::Text => Output::Unknown,
            Prints::Number if told.has(grammar.breaks) || !told.long.is_empty() => Output::Unknown,
            // Beside its number stands the name of each file.
            Prints::Number if grammar.operands == Operands::Files && !operands.is_empty() => Output::Unknown,
            Prints::Number => Output::Number,
            Prints::Names if told.has(grammar.breaks) || !told.long.is_empty() => Output::Unknown,
            Prints::Names => Output::Names,
            Prints::Lines if told.has(grammar.names_by) && told.long.is_empty() => Output::Names,
            Prints::Lines if told.has(grammar.breaks) || !told.long.is_empty() => Output::Unknown,
            Prints::Lines => {
                // What lies in files may be anything.
                let patterns = usize::from(grammar.operands == Operands::Pattern && !told.has(grammar.pattern_by));
                match input {
                    Output::Text(_) => Output::Unknown,
                    input if operands.len() <= patterns && !told.has("rR") => input.clone(),
                    _ => Output::Unknown,
                }
            }
            Prints::Arguments => {
                let known = operands.iter().all(|operand| operand.is_known());
                let texts: Vec<&str> = operands.iter().map(|operand| operand.text.as_str()).collect();
                let plain = |text: &str| !text.contains(['\\', '%']) && !text.starts_with('-');
                if operands.is_empty() {
                    Output::Text("\n".to_owned())
                } else if known && (name != "printf" || texts.len() == 1) && texts.iter().all(|text| plain(text)) {
                    Output::Text(texts.join(" ") + "\n")
                } else {
                    Output::Unknown
                }
            }
        }
    }
}
