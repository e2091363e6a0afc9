//! Following the structure of a script: lists, pipelines, groups, redirections, assignments.

use super::expand::{Argument, Kind};
use super::paths::shown;
use super::state::{self, Output, State};
use super::syntax::{Command, List, Pipeline, Redirect, Script, Simple, What, Word};
use super::{Doubt, Proof, Prover, UNKNOWN};
use crate::path::Access;

/// Variables that change nothing but how texts are shown, and may be set for one command.
pub(super) const SHOWN: &[&str] = &["CLICOLOR", "COLUMNS", "LINES", "NO_COLOR", "TZ"];

/// Devices that output may go to. A program that is told to write one may as well delete it, or put a file in its place.
const DEVICES: &[&str] = &["/dev/full", "/dev/null", "/dev/stderr", "/dev/stdout"];

impl Prover<'_> {
    /// Follows a script. What it prints, as far as that is known of the only command in it.
    pub(super) fn script(&mut self, script: &Script<'_>, state: &mut State, input: &Output) -> Proof<Output> {
        self.deeper("", |prover| {
            let last = state.last;
            let mut printed = Output::Unknown;
            for (at, list) in script.lists.iter().enumerate() {
                state.last = last && at + 1 == script.lists.len();
                printed = prover.list(list, state, input)?;
            }
            state.last = last;
            Ok(if script.lists.len() == 1 {
                printed
            } else {
                Output::Unknown
            })
        })
    }

    fn list(&mut self, list: &List<'_>, state: &mut State, input: &Output) -> Proof<Output> {
        let (sure, last) = (state.sure, state.last);
        state.last = last && list.rest.is_empty();
        let mut printed = self.pipeline(&list.first, state, input)?;
        for (at, (_, pipeline)) in list.rest.iter().enumerate() {
            // Whether it runs depends on those before it.
            state.sure = false;
            state.last = last && at + 1 == list.rest.len();
            self.pipeline(pipeline, state, input)?;
            printed = Output::Unknown;
        }
        (state.sure, state.last) = (sure, last);
        Ok(printed)
    }

    fn pipeline(&mut self, pipeline: &Pipeline<'_>, state: &mut State, input: &Output) -> Proof<Output> {
        if let [(command, redirects)] = pipeline.commands.as_slice() {
            return self.command(command, redirects, state, input);
        }
        let mut flowing = input.clone();
        for (command, redirects) in &pipeline.commands {
            // Each runs in a shell of its own, the last one as well.
            flowing = self.command(command, redirects, &mut state.beneath(), &flowing)?;
        }
        Ok(flowing)
    }

    fn command(
        &mut self,
        command: &Command<'_>,
        redirects: &[Redirect<'_>],
        state: &mut State,
        input: &Output,
    ) -> Proof<Output> {
        self.step()?;
        let mut whole = true;
        let mut piped = true;
        for redirect in redirects {
            self.redirect(redirect, state)?;
            // Errors that are thrown away.
            whole &= redirect.number == "2" && redirect.sign == ">" && redirect.target.raw == "/dev/null";
            piped &= redirect.sign.starts_with('>') && redirect.number != "0";
        }
        let input = match piped {
            true => input,
            false if self.is_given(redirects, state)? => &Output::Given,
            false => &Output::Unknown,
        };
        let output = match command {
            Command::Simple(simple) => self.simple(simple, redirects, state, input)?,
            // The folder may be another one, so that names mean something else.
            Command::Group(script) => {
                // Where a file can't be opened the group does not run at all.
                let sure = state.sure;
                state.sure &= redirects.is_empty();
                let printed = self.script(script, state, &Output::Unknown)?;
                state.sure = sure;
                printed
            }
            Command::Subshell(script) => self.script(script, &mut state.beneath(), &Output::Unknown)?,
            compound => {
                let sure = state.sure;
                state.sure &= redirects.is_empty();
                self.control(compound, state)?;
                state.sure = sure;
                Output::Unknown
            }
        };
        Ok(if whole { output } else { Output::Unknown })
    }

    fn simple(
        &mut self,
        simple: &Simple<'_>,
        redirects: &[Redirect<'_>],
        state: &mut State,
        input: &Output,
    ) -> Proof<Output> {
        let mut arguments: Vec<Argument> = Vec::new();
        let tests = simple
            .words
            .first()
            .is_some_and(|word| matches!(word.raw, "[" | "test"));
        let known = tests.then(|| state.without_patterns());
        for word in &simple.words {
            arguments.extend(self.arguments(word, known.as_ref().unwrap_or(state))?);
        }
        if simple.words.is_empty() {
            if let Some((name, _)) = simple.assignments.first()
                && !redirects.is_empty()
            {
                return Err(Doubt::new("it may set a variable or not", *name));
            }
            for (at, (name, value)) in simple.assignments.iter().enumerate() {
                // What comes behind it on the line is expanded when it is set.
                let behind = simple.assignments.get(at + 1..).unwrap_or_default();
                let unseen =
                    behind.is_empty() || !state::is_reserved(name) && !behind.iter().any(|(_, value)| value.runs());
                self.assign(name, value, unseen, state)?;
            }
            return Ok(Output::Unknown);
        }
        for (name, value) in &simple.assignments {
            // What is read into a variable is not used.
            if *name == "IFS" && simple.words.first().is_some_and(|word| word.raw == "read") {
                self.text(value, state)?;
            } else {
                lent(name, value.raw)?;
            }
        }
        if arguments.is_empty() {
            return Ok(Output::Unknown);
        }
        self.run(&arguments, state, input)
    }

    /// `NAME=value`. `unseen` if nothing of the same line is given what it sets.
    fn assign(&mut self, name: &str, value: &Word<'_>, unseen: bool, state: &mut State) -> Proof<()> {
        let text = self.text(value, state)?;
        // What no command follows that could see it does nothing.
        if unseen && state.last && state::is_inert(name) {
            return Ok(());
        }
        if !state::is_own(name) {
            return Err(Doubt::new(
                format!("it sets {name}, which may change what runs or where"),
                name,
            ));
        }
        if !state.sure || self.forks {
            return Err(Doubt::new("it may set a variable or not", name));
        }
        state.set(name, text);
        Ok(())
    }

    /// Whether input comes from nothing but a known text.
    fn is_given(&mut self, redirects: &[Redirect<'_>], state: &mut State) -> Proof<bool> {
        let mut inputs = redirects.iter().filter(|redirect| !redirect.sign.starts_with('>'));
        match (inputs.next(), inputs.next()) {
            (Some(only), None) if only.sign == "<<<" => Ok(!self.text(&only.target, state)?.contains(UNKNOWN)),
            _ => Ok(false),
        }
    }

    /// Shows that where input comes from may be read, and where output goes may be written.
    fn redirect(&mut self, redirect: &Redirect<'_>, state: &State) -> Proof<()> {
        if let [piece] = redirect.target.pieces.as_slice()
            && let What::Process(script) = &piece.what
        {
            return self.script(script, &mut state.beneath(), &Output::Unknown).map(drop);
        }
        if redirect.sign == "<<<" {
            return self.text(&redirect.target, state).map(drop);
        }
        let raw = redirect.target.raw;
        // No other descriptor is open, or it is one that is read.
        if redirect.sign == ">&" && matches!(raw, "1" | "2" | "-") || redirect.sign == "<&" && raw == "-" {
            return Ok(());
        }
        if redirect.sign == "<&" {
            return Err(Doubt::new("it reads from where only running tells", raw));
        }
        let target = self.argument(&redirect.target, state)?;
        // Of several names that match none is opened.
        let matches = |target: &Argument| redirect.sign == "<" && target.kind == Kind::Pattern;
        let Some(target) = target.filter(|target| target.is_known() || matches(target)) else {
            return Err(Doubt::new(
                "it reads or writes a file that only running tells",
                shown(raw),
            ));
        };
        if redirect.sign.ends_with('&') && !target.text.contains(|char: char| !char.is_ascii_digit() && char != '-') {
            return Err(Doubt::new("it writes to where only running tells", shown(raw)));
        }
        if redirect.sign == "<" {
            return self.file(&target, Access::Read, state);
        }
        if target.kind == Kind::One && DEVICES.contains(&target.text.as_str()) {
            return Ok(());
        }
        self.file(&target, Access::Write, state)
    }
}

/// `NAME=value command`: whether a program may be given this variable with this value.
pub(super) fn lent(name: &str, value: &str) -> Proof<()> {
    let plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '.' | '-' | '+' | ',' | '@');
    // In other sets of characters than these, a quote or a bracket may be a part of another character.
    let locale = name == "LANG" || name.starts_with("LC_");
    let sets = ["C", "POSIX"].contains(&value) || value.ends_with(".UTF-8") || value.ends_with(".utf8");
    let known = SHOWN.contains(&name) || locale && (value.is_empty() || sets);
    let harmless = value.chars().all(|char| plain(char) || (name == "TZ" && char == '/'));
    if known && harmless && !value.starts_with('/') && !value.contains("..") {
        return Ok(());
    }
    Err(Doubt::new(
        format!("it sets {name} for a program, which may change what that does"),
        name,
    ))
}
