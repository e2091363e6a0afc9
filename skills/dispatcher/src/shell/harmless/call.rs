//! One program with its arguments.

use super::arguments::{Arguments, READERS};
use super::builtins::{formatted, listed, tested};
use super::expand::{Argument, Kind};
use super::paths::shown;
use super::state::{Output, State};
use super::{Doubt, Proof, Prover, UNKNOWN, unpacked};
use crate::path::Access;
use crate::shell::grammar::{Grammar, Operands};
use crate::shell::programs;

impl Prover<'_> {
    /// Follows a command. What it prints.
    pub(super) fn run(&mut self, words: &[Argument], state: &mut State, input: &Output) -> Proof<Output> {
        let Some((name, arguments)) = words.split_first() else {
            return Ok(Output::Unknown);
        };
        if !name.is_known() {
            return Err(Doubt::new(
                "it runs a program whose name only running tells",
                shown(&name.text),
            ));
        }
        self.program(&name.text, arguments, state, input)
    }

    /// Follows a program, or what the shell does itself.
    pub(super) fn program(
        &mut self,
        path: &str,
        arguments: &[Argument],
        state: &mut State,
        input: &Output,
    ) -> Proof<Output> {
        self.step()?;
        let Some(name) = programs::installed(path) else {
            return Err(Doubt::new("it runs a file", path));
        };
        let tells = matches!(arguments, [only] if only.is_known() && programs::tells(name, &only.text));
        let Some(grammar) = programs::row(name).and_then(|row| row.grammar.as_ref()) else {
            if tells {
                return Ok(Output::Unknown);
            }
            return Err(Doubt::new(format!("`{name}` is not known to be harmless"), name));
        };
        let builtin = matches!(
            grammar.operands,
            Operands::Cd | Operands::Sets | Operands::Read | Operands::Unset
        );
        if builtin && path != name {
            return Err(Doubt::new("what the shell does itself is named by a folder", path));
        }
        if tells {
            return Ok(Output::Unknown);
        }
        self.admit(name, grammar, arguments, state)?;
        match grammar.operands {
            Operands::Shell => return self.shell(name, arguments, state),
            Operands::Env => return self.env(arguments, state, input),
            Operands::Xargs => return self.xargs(arguments, state, input),
            Operands::Find => return self.find(arguments, state),
            Operands::Sed => return self.sed(arguments, state),
            Operands::Awk => return self.awk(arguments, state),
            Operands::Git => return self.git(arguments, state),
            Operands::Tar => return self.tar(arguments, state),
            _ => {}
        }
        // What stands behind the one operand of the third may be the file that it writes, whatever it looks like.
        let leading = matches!(grammar.operands, Operands::Command | Operands::Watch | Operands::First);
        let told = self.tell_apart(name, grammar, arguments, leading, state)?;
        unpacked::unpacks(name, grammar, &told, input)?;
        if !grammar.needs.is_empty() && !told.has(grammar.needs) {
            let one = grammar.needs;
            return Err(Doubt::new(
                format!("without an option of -{one} `{name}` does more than look"),
                name,
            ));
        }
        match grammar.operands {
            Operands::Command => return self.runs(name, grammar, &told, state, input),
            Operands::Watch => return self.watch(&told, state),
            Operands::Cd => self.change_folder(&told.operands, state),
            Operands::Sets | Operands::Read | Operands::Unset => self.changes_shell(name, grammar, &told, state)?,
            Operands::Test => tested(&told.operands)?,
            Operands::Date => self.dated(&told.operands)?,
            Operands::None if told.operands.is_empty() => {}
            Operands::None => return self.puzzled(name),
            Operands::Data => self.printed(name, &told)?,
            // What stands in such a file are options, and other files.
            Operands::Files if name == "strings" && arguments.iter().any(names_options) => return self.puzzled(name),
            Operands::Files => self.files(&told.operands, Access::Read, state)?,
            // Its options stand alone: of two letters it takes the first.
            Operands::First if name == "xxd" && arguments.iter().any(stands_together) => {
                return Err(Doubt::new(format!("which options `{name}` takes is not known"), name));
            }
            Operands::First => match told.operands.as_slice() {
                [] => {}
                [one] if one.is_known() => self.file(one, Access::Read, state)?,
                // One that stands for several would write the second.
                _ => return Err(Doubt::new(format!("`{name}` writes its second operand"), name)),
            },
            Operands::Look => {
                if told.operands.is_empty() {
                    self.file(&Argument::plain("."), Access::Look, state)?;
                }
                // What prints where a link leads does no more, wherever that is.
                let resolves = matches!(name, "readlink" | "realpath");
                let looked = told.operands.iter().copied();
                let looked: Vec<&Argument> = looked.filter(|one| !resolves || one.is_known()).collect();
                self.files(&looked, Access::Look, state)?;
            }
            Operands::Pattern => self.searched(name, grammar, &told, state)?,
            Operands::One if told.operands.len() < 2 && told.operands.iter().all(|one| one.is_known()) => {}
            Operands::One => return self.puzzled(name),
            Operands::Temporary => {
                let there = told.has("t") || told.long.contains(&"tmpdir");
                let plain = |one: &&Argument| one.is_known() && there && !one.text.contains('/');
                let temporary = |one: &&Argument| one.is_known() && self.is_temporary(&one.text);
                if !told.operands.iter().all(|one| plain(one) || temporary(one)) {
                    return Err(Doubt::new(
                        format!("`{name}` makes a file where its operand says"),
                        name,
                    ));
                }
            }
            Operands::Dd => self.copied(name, &told, state)?,
            _ => self.changes(name, grammar, &told, state)?,
        }
        if name == "pwd"
            && let Some([here]) = state.here.as_deref()
        {
            return Ok(Output::Text(here.to_string()));
        }
        if unpacked::is_given(name, grammar, arguments, &told, input) {
            return Ok(Output::Given);
        }
        Ok(self.names(name, arguments, &told, state, input))
    }

    fn puzzled<T>(&self, name: &str) -> Proof<T> {
        Err(Doubt::new(
            format!("what `{name}` does with its operands is not known"),
            name,
        ))
    }

    /// `timeout 5 command`, `nice command`.
    fn runs(
        &mut self,
        name: &str,
        grammar: &Grammar,
        told: &Arguments<'_>,
        state: &mut State,
        input: &Output,
    ) -> Proof<Output> {
        let (skipped, words) = told.operands.split_at(grammar.skip.min(told.operands.len()));
        if skipped.iter().any(|one| !one.is_known()) {
            return self.puzzled(name);
        }
        // Given no command it does nothing, or only complains; and here it only says what it would run.
        if words.is_empty() || (name == "command" && told.has("vV")) {
            return Ok(Output::Unknown);
        }
        let words: Vec<Argument> = words.iter().map(|word| (*word).clone()).collect();
        if name == "command" {
            // It runs in this very shell.
            return self.deeper(name, |prover| prover.run(&words, state, input));
        }
        self.wrapped(&words, state, input)
    }

    /// What prints its arguments, or computes from them.
    fn printed(&self, name: &str, told: &Arguments<'_>) -> Proof<()> {
        match name {
            "printf" => formatted(&told.operands),
            "ps" => listed(&told.operands),
            "finger"
                if told
                    .operands
                    .iter()
                    .any(|one| !one.is_known() || one.text.contains('@')) =>
            {
                Err(Doubt::new("it asks another machine", name))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn files(&mut self, operands: &[&Argument], access: Access, state: &State) -> Proof<()> {
        // What is read is standard input then; what is written is a file of that name.
        operands
            .iter()
            .filter(|operand| operand.text != "-" || access == Access::Write)
            .try_for_each(|operand| self.file(operand, access, state))
    }

    /// A pattern, if none was given by an option, and files.
    fn searched(&mut self, name: &str, grammar: &Grammar, told: &Arguments<'_>, state: &State) -> Proof<()> {
        let given =
            told.has(grammar.pattern_by) || told.long.iter().any(|name| grammar.pattern_by_long.contains(name));
        let skip = usize::from(!given);
        if let Some(pattern) = told.operands.first().filter(|_| skip == 1) {
            if pattern.kind == Kind::Pattern && READERS.contains(&name) {
                // All that it matches but the first is read.
                self.file(pattern, Access::Read, state)?;
            } else if pattern.kind != Kind::One {
                return Err(Doubt::new("its pattern may be several arguments", shown(&pattern.text)));
            }
            let reads = ["import", "include"].iter().any(|word| pattern.text.contains(word));
            if name == "jq" && (reads || !pattern.is_known()) {
                return Err(Doubt::new("its program reads other files", shown(&pattern.text)));
            }
            if name == "jq" && pattern.text.contains("@base64d") {
                return Err(Doubt::new(
                    "its program decodes what nobody has looked into",
                    shown(&pattern.text),
                ));
            }
        }
        let files = told.operands.get(skip..).unwrap_or_default();
        // These are scripts of the shell, of which some were wrong about strange names.
        if name.starts_with('z') && !files.iter().all(|file| file.is_known()) {
            return self.puzzled(name);
        }
        if files.is_empty() && (told.has("rR") || !name.ends_with("grep")) {
            self.file(&Argument::plain("."), Access::Read, state)?;
        }
        self.files(files, Access::Read, state)
    }

    /// dd(1), where it only reads.
    fn copied(&mut self, name: &str, told: &Arguments<'_>, state: &State) -> Proof<()> {
        for operand in &told.operands {
            if !operand.is_known() {
                return self.puzzled(name);
            }
            match operand.text.split_once('=') {
                Some(("if", file)) => self.file(&Argument::plain(file), Access::Read, state)?,
                Some(("bs" | "count" | "skip" | "ibs" | "cbs" | "status" | "conv" | "iflag", _)) => {}
                _ => return Err(super::arguments::unknown(name, &operand.text)),
            }
        }
        Ok(())
    }

    /// A program that makes, changes or deletes files.
    fn changes(&mut self, name: &str, grammar: &Grammar, told: &Arguments<'_>, state: &State) -> Proof<()> {
        let operands = told.operands.as_slice();
        // How much lies in a folder only running tells.
        let whole = |operand: &&Argument| matches!(operand.text.rsplit('/').next(), Some("" | "." | ".."));
        let deep = told.long.iter().any(|long| matches!(*long, "recursive" | "archive"));
        let copies = grammar.operands == Operands::Copies;
        if deep || told.has("R") || copies && told.has("ra") || !copies && operands.iter().any(whole) {
            return Err(Doubt::new(format!("`{name}` changes all that lies in a folder"), name));
        }
        let (reads, writes): (&[&Argument], &[&Argument]) = match (grammar.operands, operands) {
            (Operands::Filter, []) => return Ok(()),
            // Of two modes the last one wins: to list or to test is harmless only without another.
            (Operands::Filter, files) if told.has("c") || unpacked::lists(told) => (files, &[]),
            (Operands::Copies, [files @ .., _]) => (files, &operands[operands.len() - 1..]),
            (Operands::Mode, [mode, files @ ..]) if mode.is_known() && !lends_rights(&mode.text) => (&[], files),
            (Operands::Mode, _) => return self.puzzled(name),
            (Operands::Deletes, files) if files.iter().any(|file| !file.is_known()) => {
                return Err(Doubt::new(format!("`{name}` deletes what only running tells"), name));
            }
            (_, files) => (&[], files),
        };
        self.files(reads, Access::Read, state)?;
        self.files(writes, Access::Write, state)?;
        // What is only read gets no name.
        let named = if grammar.operands == Operands::Filter {
            writes
        } else {
            operands
        };
        self.named(name, grammar, named, state)
    }

    /// What a program prints: names of files, if it is one that lists them or passes on whole lines.
    fn names(
        &mut self,
        name: &str,
        arguments: &[Argument],
        told: &Arguments<'_>,
        state: &State,
        input: &Output,
    ) -> Output {
        let only = |flags: &str| told.short.chars().all(|letter| flags.contains(letter)) && told.long.is_empty();
        let exact = !arguments.iter().any(Argument::may_be_option);
        let lists = match name {
            // What may be looked at may not be read, which is what names are for.
            "ls" if only("1rtSU") && exact => {
                let here = [&Argument::plain(".")];
                let operands = if told.operands.is_empty() {
                    &here
                } else {
                    told.operands.as_slice()
                };
                self.files(operands, Access::Read, state).is_ok()
            }
            "grep" | "egrep" | "fgrep" => told.has("l") && only("lrRiwEFIsqx") && exact && told.operands.len() > 1,
            "rg" => exact && lists_names(told),
            _ => false,
        };
        let operands = told.operands.len();
        let flows = matches!(input, Output::Names(_) | Output::Exact(_));
        let passes = match name {
            _ if !flows => false,
            "sort" if matches!(input, Output::Exact(_)) => told.has("z") && only("znrfu") && operands == 0,
            "sort" => only("nrfuV") && operands == 0,
            "uniq" => only("udi") && operands == 0,
            "head" | "tail" => only("n") && operands == 0,
            _ => false,
        };
        match (input, told.operands.as_slice()) {
            _ if lists => {
                let mut selection = told.selection.clone();
                if self.walks_into_repository(name, arguments, told, state) {
                    selection.reaches.push("*".to_owned());
                }
                Output::Names(selection)
            }
            (Output::Exact(_), _) if passes && name == "sort" => input.clone(),
            (Output::Names(_), _) if passes => input.clone(),
            // A pattern of names would be several operands.
            (Output::Names(before), [pattern])
                if matches!(name, "grep" | "egrep" | "fgrep") && pattern.kind == Kind::One && only("viEFwxP") =>
            {
                let passed = self.lets_by(name, told, &pattern.text, before);
                passed.map_or(Output::Unknown, Output::Names)
            }
            _ => Output::Unknown,
        }
    }
}

/// Whether a mode lets others act with the rights of the file's owner or group, or is no plain one.
fn lends_rights(mode: &str) -> bool {
    let octal = mode.bytes().all(|byte| byte.is_ascii_digit());
    match octal {
        true => mode.trim_start_matches('0').len() > 3,
        false => !mode.bytes().all(|byte| b"ugoarwxX+-=,".contains(&byte)),
    }
}

/// Whether an argument is, or may be, `@file`.
fn names_options(argument: &Argument) -> bool {
    match argument.kind {
        Kind::One | Kind::Pattern => argument.text.starts_with(['@', UNKNOWN, '*', '?', '[']),
        Kind::Found => false,
        Kind::Names | Kind::Anything => true,
    }
}

/// Whether several options, or an option and no number, stand in one argument.
fn stands_together(argument: &Argument) -> bool {
    let rest = argument
        .text
        .strip_prefix('-')
        .and_then(|letters| letters.get(1..))
        .unwrap_or_default();
    !rest.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether ripgrep prints names of files, one a line, and nothing else: its manual.
fn lists_names(told: &Arguments<'_>) -> bool {
    const LISTING: &[&str] = &["files", "files-with-matches"];
    const OTHERS: &[&str] = &[
        "case-sensitive",
        "fixed-strings",
        "glob",
        "hidden",
        "iglob",
        "ignore-case",
        "max-depth",
        "no-ignore",
        "regexp",
        "smart-case",
        "sort",
        "type",
        "type-not",
        "word-regexp",
    ];
    let lists = told.has("l") || told.long.iter().any(|long| LISTING.contains(long));
    let letters = told.short.chars().all(|letter| "lFiSswxPu.gteTd".contains(letter));
    lists
        && letters
        && told
            .long
            .iter()
            .all(|long| LISTING.contains(long) || OTHERS.contains(long))
}
