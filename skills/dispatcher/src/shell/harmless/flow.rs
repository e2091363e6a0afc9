//! Following control flow: what stands in it is followed for each word that a loop goes over, and each way that may be taken.
//! Nothing in it sets a variable that is seen outside, since nobody knows how often it does.

use super::expand::{Argument, Kind};
use super::paths::shown;
use super::state::{self, Output, State};
use super::syntax::{Command, Script, Simple, Word};
use super::{Doubt, Proof, Prover, UNKNOWN};
use crate::path::Access;

impl Prover<'_> {
    /// Control flow.
    pub(super) fn control(&mut self, command: &Command<'_>, state: &mut State) -> Proof<()> {
        match command {
            Command::For { name, words, body } => self.each(name, words, body, state),
            Command::While { condition, body } => self.repeated(condition, body, state),
            Command::If { branches, otherwise } => self.branches(branches, otherwise.as_ref(), state),
            Command::Case { word, items } => self.cases(word, items, state),
            Command::Test(words) => words.iter().try_for_each(|word| self.text(word, state).map(drop)),
            Command::Simple(_) | Command::Group(_) | Command::Subshell(_) => Ok(()),
        }
    }

    /// `for NAME in WORDS`: words that are known, names that match a pattern in the workspace, or what only running tells, of which
    /// nothing is known in the body.
    pub(super) fn each(&mut self, name: &str, words: &[Word<'_>], body: &Script<'_>, state: &mut State) -> Proof<()> {
        own(name)?;
        let mut values: Vec<Argument> = Vec::new();
        for word in words {
            values.extend(self.arguments(word, state)?);
        }
        if values.is_empty() {
            return Err(Doubt::new("it loops over nothing that is known", name));
        }
        for value in &values {
            if value.kind == Kind::Pattern {
                self.file(value, Access::Look, state)?;
            }
        }
        self.looped(state, |prover, state| {
            for value in &values {
                if value.kind == Kind::Pattern {
                    state.pick(name, &value.text);
                    prover.again(body, state)?;
                } else if !value.is_known() {
                    // It may be any number of words, or none.
                    state.set(name, UNKNOWN.to_string());
                    prover.again(body, state)?;
                } else {
                    state.set(name, value.text.clone());
                    prover.script(body, state, &Output::Unknown)?;
                }
            }
            Ok(())
        })?;
        state.set(name, UNKNOWN.to_string());
        Ok(())
    }

    /// `while read NAME`, which ends with what it reads.
    pub(super) fn repeated(&mut self, condition: &Script<'_>, body: &Script<'_>, state: &mut State) -> Proof<()> {
        let Some(simple) = only(condition) else {
            return Err(Doubt::new("it repeats something, nobody knows how often", "while"));
        };
        let names = self.read_into(simple, state)?;
        for name in &names {
            state.set(name, UNKNOWN.to_string());
        }
        self.looped(state, |prover, state| prover.again(body, state))
    }

    /// The variables that `read` sets: plain ones, with options that change only where a line ends.
    fn read_into(&mut self, simple: &Simple<'_>, state: &State) -> Proof<Vec<String>> {
        let odd = |part: &str| Doubt::new("it repeats something, nobody knows how often", part);
        // What is read is not used as anything but a text.
        for (name, value) in &simple.assignments {
            if *name != "IFS" {
                return Err(odd(name));
            }
            self.text(value, state)?;
        }
        let mut words = Vec::new();
        for word in &simple.words {
            let text = self.text(word, state)?;
            if text.contains(UNKNOWN) || word.runs() {
                return Err(odd(&shown(&text)));
            }
            words.push(text);
        }
        let mut rest = words.iter();
        if rest.next().is_none_or(|word| word != "read") {
            return Err(odd("while"));
        }
        let mut names = Vec::new();
        while let Some(word) = rest.next() {
            match word.as_str() {
                "-r" if names.is_empty() => {}
                "-d" if names.is_empty() && rest.next().is_some() => {}
                name => {
                    own(name)?;
                    names.push(name.to_owned());
                }
            }
        }
        if names.is_empty() { Err(odd("read")) } else { Ok(names) }
    }

    /// `if`, `elif`, `else`: each condition may be asked, and each way taken.
    pub(super) fn branches(
        &mut self,
        branches: &[(Script<'_>, Script<'_>)],
        otherwise: Option<&Script<'_>>,
        state: &mut State,
    ) -> Proof<()> {
        let (sure, last) = (state.sure, state.last);
        for (condition, body) in branches {
            state.last = false;
            self.script(condition, state, &Output::Unknown)?;
            (state.sure, state.last) = (false, last);
            self.script(body, state, &Output::Unknown)?;
        }
        if let Some(body) = otherwise {
            self.script(body, state, &Output::Unknown)?;
        }
        (state.sure, state.last) = (sure, last);
        Ok(())
    }

    /// `case`: each pattern may match.
    pub(super) fn cases(
        &mut self,
        word: &Word<'_>,
        items: &[(Vec<Word<'_>>, Script<'_>)],
        state: &mut State,
    ) -> Proof<()> {
        self.text(word, state)?;
        let sure = std::mem::replace(&mut state.sure, false);
        for (patterns, body) in items {
            for pattern in patterns {
                self.text(pattern, state)?;
            }
            self.script(body, state, &Output::Unknown)?;
        }
        state.sure = sure;
        Ok(())
    }

    /// Follows what may be run any number of times, which must leave things as they were for the next.
    fn again(&mut self, body: &Script<'_>, state: &mut State) -> Proof<()> {
        let here = state.here.clone();
        self.script(body, state, &Output::Unknown)?;
        if state.here == here {
            return Ok(());
        }
        Err(Doubt::new("it changes the folder in a loop", "cd"))
    }

    /// Within a loop: what stands in it is not the last that is done, nor surely done.
    fn looped(&mut self, state: &mut State, inner: impl FnOnce(&mut Self, &mut State) -> Proof<()>) -> Proof<()> {
        let (sure, last) = (state.sure, state.last);
        (state.sure, state.last) = (false, false);
        self.loops += 1;
        inner(self, state)?;
        self.loops -= 1;
        (state.sure, state.last) = (sure, last);
        Ok(())
    }
}

/// The one command that a script is made of, if it is a plain one.
fn only<'s, 't>(script: &'s Script<'t>) -> Option<&'s Simple<'t>> {
    let [list] = script.lists.as_slice() else { return None };
    let [(command, redirects)] = list.first.commands.as_slice() else {
        return None;
    };
    let bare = list.rest.is_empty() && list.first.prefixes.is_empty() && redirects.is_empty();
    match command {
        Command::Simple(simple) if bare => Some(simple),
        _ => None,
    }
}

/// Shows that a loop may set this variable.
fn own(name: &str) -> Proof<()> {
    let plain = super::read::name_length(name.as_bytes()) == name.len() && !name.is_empty();
    if plain && state::is_own(name) {
        return Ok(());
    }
    let why = format!("it sets {}, which may change what runs or where", shown(name));
    Err(Doubt::new(why, shown(name)))
}
