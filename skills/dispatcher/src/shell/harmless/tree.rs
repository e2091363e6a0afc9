//! Following the structure of a script: lists, pipelines, conditions, loops, functions, redirections.

use std::rc::Rc;

use brush_parser::ast::{
    AndOr, AndOrList, Command, CommandPrefixOrSuffixItem, CompoundCommand, CompoundList, FunctionDefinition,
    Pipeline, SeparatorOperator, SimpleCommand,
};

use super::expand::Argument;
use super::redirect::Shown;
use super::state::{Function, Output, State};
use super::{Doubt, Level, NAME, NUMBER, Proof, Prover};

/// Loops over more values than these are not gone through value by value.
const MOST_VALUES: usize = 8;

impl Prover<'_> {
    /// Follows a list. What it prints.
    pub(super) fn list(&mut self, list: &CompoundList, state: &mut State, input: &Output) -> Proof<Output> {
        let mut printed = Output::Nothing;
        for item in &list.0 {
            let output = if matches!(item.1, SeparatorOperator::Async) {
                // It runs beside the rest, in a shell of its own.
                self.and_or(&item.0, &mut state.clone(), &Output::Nothing)?.unsure()
            } else {
                self.and_or(&item.0, state, input)?
            };
            printed = printed.and(output);
        }
        Ok(printed)
    }

    /// Commands with `&&` and `||` between them: which of them run is not known.
    fn and_or(&mut self, list: &AndOrList, state: &mut State, input: &Output) -> Proof<Output> {
        let mut before = state.here.clone();
        let mut printed = self.pipeline(&list.first, state, input)?;
        if list.first.bang {
            state.may_be(before.clone());
        }
        // What is known after each command that may be the last. One that failed has not changed the folder.
        let mut ends: Vec<State> = Vec::new();
        for next in &list.additional {
            let mut end = state.clone();
            end.may_be(before);
            ends.push(end);
            let pipeline = match next {
                AndOr::And(pipeline) => pipeline,
                AndOr::Or(pipeline) => {
                    for end in &ends {
                        state.join(end.clone());
                    }
                    pipeline
                }
            };
            before = state.here.clone();
            // It may not have run.
            printed = printed.and(self.pipeline(pipeline, state, input)?.unsure());
            if pipeline.bang {
                state.may_be(before.clone());
            }
        }
        state.may_be(before);
        for end in ends {
            state.join(end);
        }
        Ok(printed)
    }

    fn pipeline(&mut self, pipeline: &Pipeline, state: &mut State, input: &Output) -> Proof<Output> {
        if let [only] = pipeline.seq.as_slice() {
            return self.command(only, state, input);
        }
        let mut flowing = input.clone();
        for command in &pipeline.seq {
            // Each runs in a shell of its own, the last one as well.
            let mut own = state.clone();
            own.moved = false;
            flowing = self.command(command, &mut own, &flowing)?;
            // Names mean something else in another folder.
            if own.moved && flowing.is_names() {
                flowing = Output::Unknown;
            }
        }
        Ok(flowing)
    }

    fn command(&mut self, command: &Command, state: &mut State, input: &Output) -> Proof<Output> {
        self.step()?;
        let before = state.clone();
        let opened = std::mem::replace(&mut self.opened, false);
        let aside = std::mem::replace(&mut self.aside, false);
        let output = self.command_itself(command, state, input)?;
        let (failed, mixed) = (self.opened, self.aside);
        (self.opened, self.aside) = (opened, aside);
        // Where a file can't be opened the command does not run at all.
        if failed {
            state.join(before);
        }
        Ok(match output {
            Output::Nothing if !mixed => Output::Nothing,
            output if !failed && !mixed => output,
            _ => Output::Unknown,
        })
    }

    fn command_itself(&mut self, command: &Command, state: &mut State, input: &Output) -> Proof<Output> {
        match command {
            Command::Simple(simple) => self.simple(simple, state, input),
            Command::Compound(compound, redirects) => {
                let (input, printed) = self.redirects(redirects.as_ref(), state, input)?;
                let output = self.compound(compound, state, &input)?;
                Ok(printed.of(output))
            }
            Command::Function(definition) => {
                self.define(definition, state);
                Ok(Output::Nothing)
            }
            Command::ExtendedTest(test, redirects) => {
                self.redirects(redirects.as_ref(), state, input)?;
                self.test(&test.expr, state)?;
                Ok(Output::Nothing)
            }
        }
    }

    fn define(&mut self, definition: &FunctionDefinition, state: &mut State) {
        let function = Function {
            bodies: vec![(
                super::print::function(&definition.body).unwrap_or_default(),
                Rc::new(definition.body.clone()),
            )],
            sure: true,
        };
        state.functions.insert(definition.fname.value.clone(), function);
    }

    pub(super) fn compound(
        &mut self,
        compound: &CompoundCommand,
        state: &mut State,
        input: &Output,
    ) -> Proof<Output> {
        match compound {
            CompoundCommand::BraceGroup(group) => self.list(&group.list, state, input),
            CompoundCommand::Subshell(group) => self.list(&group.list, &mut state.clone(), input),
            CompoundCommand::Arithmetic(arithmetic) => {
                self.arithmetic(&arithmetic.expr.value, state)?;
                Ok(Output::Nothing)
            }
            CompoundCommand::ForClause(clause) => {
                let values = match &clause.values {
                    Some(words) => {
                        let mut values = Vec::new();
                        for word in words {
                            values.extend(self.fields(&word.value, state)?.into_iter().map(Argument::value));
                        }
                        values
                    }
                    None => state
                        .arguments
                        .clone()
                        .unwrap_or_else(|| vec![super::UNKNOWN.to_string()]),
                };
                self.settable(&clause.variable_name)?;
                if values.len() <= MOST_VALUES && values.iter().all(|value| !super::is_open(value)) {
                    return self.each(&clause.variable_name, values, &clause.body.list, state, input);
                }
                let value = one_of(values);
                self.repeat(state, |prover, state| {
                    state.set(&clause.variable_name, value.clone());
                    prover.list(&clause.body.list, state, input)
                })
            }
            CompoundCommand::ArithmeticForClause(clause) => {
                if let Some(first) = &clause.initializer {
                    self.arithmetic(&first.value, state)?;
                }
                self.repeat(state, |prover, state| {
                    if let Some(condition) = &clause.condition {
                        prover.arithmetic(&condition.value, state)?;
                    }
                    let output = prover.list(&clause.body.list, state, input)?;
                    if let Some(last) = &clause.updater {
                        prover.arithmetic(&last.value, state)?;
                    }
                    Ok(output)
                })
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.repeat(state, |prover, state| {
                    let tested = prover.list(&clause.0, state, input)?;
                    Ok(tested.and(prover.list(&clause.1.list, state, input)?))
                })
            }
            CompoundCommand::IfClause(clause) => {
                let mut printed = self.list(&clause.condition, state, input)?;
                let mut before = state.clone();
                let then = self.list(&clause.then, state, input)?;
                printed = printed.and(then.unsure());
                let mut complete = false;
                for branch in clause.elses.iter().flatten() {
                    match &branch.condition {
                        Some(condition) => printed = printed.and(self.list(condition, &mut before, input)?.unsure()),
                        None => complete = true,
                    }
                    let mut inside = before.clone();
                    printed = printed.and(self.list(&branch.body, &mut inside, input)?.unsure());
                    state.join(inside);
                }
                if !complete {
                    state.join(before);
                }
                Ok(printed)
            }
            CompoundCommand::CaseClause(clause) => {
                self.text(&clause.value.value, state)?;
                let mut printed = Output::Nothing;
                let before = state.clone();
                for case in &clause.cases {
                    for pattern in &case.patterns {
                        self.text(&pattern.value, state)?;
                    }
                    if let Some(list) = &case.cmd {
                        // `;&` goes on into the next one.
                        let mut inside = state.clone();
                        printed = printed.and(self.list(list, &mut inside, input)?.unsure());
                        state.join(inside);
                    }
                }
                state.join(before);
                Ok(printed)
            }
            CompoundCommand::Coprocess(_) => Err(Doubt::new("it runs a coprocess", compound.to_string())),
        }
    }

    /// Goes through the body of a loop until nothing new is learnt: what may be different after it is not known in it.
    fn repeat(
        &mut self,
        state: &mut State,
        mut body: impl FnMut(&mut Self, &mut State) -> Proof<Output>,
    ) -> Proof<Output> {
        loop {
            self.step()?;
            let mut after = state.clone();
            let jumps = std::mem::take(&mut self.jumps);
            let output = body(self, &mut after)?;
            for jump in std::mem::replace(&mut self.jumps, jumps) {
                after.join(jump);
            }
            let mut joined = state.clone();
            joined.join(after);
            if joined.same(state) {
                // More than once, or not at all.
                return Ok(if matches!(output, Output::Text(_)) {
                    Output::Unknown
                } else {
                    output
                });
            }
            *state = joined;
        }
    }

    /// Goes through a loop over a few values that are known, one after the other.
    fn each(
        &mut self,
        name: &str,
        values: Vec<String>,
        body: &CompoundList,
        state: &mut State,
        input: &Output,
    ) -> Proof<Output> {
        let mut printed = Output::Nothing;
        for value in values {
            self.step()?;
            state.set(name, value);
            let jumps = std::mem::take(&mut self.jumps);
            printed = printed.and(self.list(body, state, input)?);
            let jumped = std::mem::replace(&mut self.jumps, jumps);
            if !jumped.is_empty() {
                printed = printed.unsure();
            }
            for jump in jumped {
                state.join(jump);
            }
        }
        Ok(printed)
    }

    fn simple(&mut self, simple: &SimpleCommand, state: &mut State, input: &Output) -> Proof<Output> {
        let mut arguments: Vec<Argument> = Vec::new();
        let mut assignments = Vec::new();
        let mut redirects = Vec::new();
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            match item {
                CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) => assignments.push(assignment),
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => redirects.push(redirect),
                CommandPrefixOrSuffixItem::Word(word) => arguments.extend(self.fields(&word.value, state)?),
                CommandPrefixOrSuffixItem::ProcessSubstitution(_, shell) => {
                    arguments.push(self.process(&shell.list, state)?);
                }
            }
        }
        if let Some(word) = &simple.word_or_name {
            arguments.extend(self.fields(&word.value, state)?);
        }
        let declares = arguments
            .first()
            .is_some_and(|name| super::builtins::declares(&name.text) && !state.functions.contains_key(&name.text));
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                CommandPrefixOrSuffixItem::AssignmentWord(assignment, word) => {
                    if declares {
                        if arguments[0].text == "local" && !self.in_function {
                            return Err(Doubt::new(
                                "it makes a variable local outside a function",
                                word.value.as_str(),
                            ));
                        }
                        self.assign(assignment, state)?;
                        super::builtins::declare(&arguments[0].text, &assignment.name.to_string(), state)?;
                    } else {
                        arguments.extend(self.fields(&word.value, state)?);
                    }
                }
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => redirects.push(redirect),
                CommandPrefixOrSuffixItem::Word(word) => arguments.extend(self.fields(&word.value, state)?),
                CommandPrefixOrSuffixItem::ProcessSubstitution(_, shell) => {
                    arguments.push(self.process(&shell.list, state)?);
                }
            }
        }
        let mut flowing = input.clone();
        let mut printed = Shown::Whole;
        for redirect in &redirects {
            self.redirect(redirect, state, &mut flowing, &mut printed)?;
        }
        let output = if arguments.is_empty() {
            for assignment in assignments {
                self.assign(assignment, state)?;
            }
            // Where there is no command, bash assigns first; what POSIX says comes first was followed above.
            for redirect in redirects {
                self.redirect(redirect, state, &mut flowing, &mut printed)?;
            }
            Output::Nothing
        } else {
            let name = &arguments[0].text;
            for assignment in assignments {
                self.lend(assignment, name, state)?;
            }
            self.run(&arguments, state, &flowing)?
        };
        Ok(printed.of(output))
    }

    /// Does what writing inside the workspace means.
    pub(super) fn writes(&mut self) {
        self.raise(Level::Writes);
    }
}

/// What stands for each of these values.
fn one_of(values: Vec<String>) -> String {
    let inside = |value: &String| *value == NAME.to_string();
    let number = |value: &String| !value.is_empty() && value.chars().all(|c| c == NUMBER || c.is_ascii_digit());
    match values.as_slice() {
        [one] => one.clone(),
        // A loop over nothing is not gone through.
        [] => String::new(),
        all if all.iter().all(inside) => NAME.to_string(),
        all if all.iter().all(number) => NUMBER.to_string(),
        _ => super::UNKNOWN.to_string(),
    }
}
