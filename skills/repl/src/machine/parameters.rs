//! Binding the parameters of a lambda list that has more than required ones, and taking apart what
//! `destructuring-bind` and macros are given. Defaults are forms, so binding can stop in the middle and go on later.

use super::frame::{Frame, Parameters, Section};
use super::{Machine, State};
use crate::fault::{Fault, Outcome};
use crate::symbols::{Home, known};
use crate::value::{Environment, NIL, SymbolId, Value};

/// Whether it is `&optional` or one of its kind.
pub(super) fn is_lambda_keyword(parameter: Value) -> bool {
    matches!(
        parameter,
        Value::Symbol(
            known::OPTIONAL
                | known::REST
                | known::BODY
                | known::KEY
                | known::AUX
                | known::ALLOW_OTHER_KEYS
                | known::WHOLE
                | known::ENVIRONMENT
        )
    )
}

/// One optional or key parameter, taken apart.
struct Specification {
    key: Option<Value>,
    variable: Value,
    default: Value,
    supplied: Value,
}

impl Machine {
    /// Binds what is pending, then begins the body.
    pub(super) fn bind_parameters(&mut self, mut parameters: Box<Parameters>) -> Outcome<State> {
        while let Some((list, arguments, section)) = parameters.pending.pop() {
            self.world.heap.charge(1)?;
            let Some((parameter, rest)) = self.world.heap.parts(list) else {
                self.end_of_list(&mut parameters, list, arguments, section)?;
                continue;
            };
            if is_lambda_keyword(parameter) {
                self.begin_section(&mut parameters, parameter, rest, arguments, section)?;
                continue;
            }
            let default = match section {
                Section::Required => {
                    let Some((argument, others)) = self.world.heap.parts(arguments) else {
                        return Err(self.mismatch(&parameters, "too few"));
                    };
                    parameters.pending.push((rest, others, section));
                    self.bind_parameter(&mut parameters, parameter, argument)?;
                    None
                }
                Section::Optional => {
                    let wanted = self.specification(parameter)?;
                    let given = self.world.heap.parts(arguments);
                    let others = given.map_or(NIL, |(_, others)| others);
                    parameters.pending.push((rest, others, section));
                    self.bind_given(&mut parameters, &wanted, given.map(|(argument, _)| argument))?
                }
                Section::Key { .. } => {
                    let wanted = self.specification(parameter)?;
                    parameters.pending.push((rest, arguments, section));
                    let key = self.key_of(&wanted)?;
                    let given = self.key_argument(arguments, key)?;
                    self.bind_given(&mut parameters, &wanted, given)?
                }
                Section::Aux => {
                    let wanted = self.specification(parameter)?;
                    parameters.pending.push((rest, arguments, section));
                    self.bind_given(&mut parameters, &wanted, None)?
                }
                Section::Rest => return Err(Fault::program("a variable behind the one of &REST")),
            };
            if let Some(default) = default {
                let environment = parameters.environment;
                self.push(Frame::Default(parameters))?;
                return Ok(State::Evaluate(default, environment));
            }
        }
        self.body(parameters.body, parameters.environment)
    }

    /// Goes on when the default of a parameter has been evaluated.
    pub(super) fn resume_parameters(&mut self, mut parameters: Box<Parameters>, value: Value) -> Outcome<State> {
        if let Some((variable, supplied)) = parameters.waiting.take() {
            self.bind_parameter(&mut parameters, variable, value)?;
            if supplied != NIL {
                self.bind_parameter(&mut parameters, supplied, NIL)?;
            }
        }
        self.bind_parameters(parameters)
    }

    fn bind_parameter(&mut self, parameters: &mut Parameters, parameter: Value, value: Value) -> Outcome<()> {
        if parameters.destructuring && (matches!(parameter, Value::Cons(_)) || parameter == NIL) {
            parameters.pending.push((parameter, value, Section::Required));
            return Ok(());
        }
        parameters.environment = self.bind_variable(parameter, value, parameters.environment)?;
        Ok(())
    }

    /// Binds a parameter to what was given, or gives back the default to evaluate.
    fn bind_given(
        &mut self,
        parameters: &mut Parameters,
        wanted: &Specification,
        given: Option<Value>,
    ) -> Outcome<Option<Value>> {
        if given.is_none() && wanted.default != NIL {
            parameters.waiting = Some((wanted.variable, wanted.supplied));
            return Ok(Some(wanted.default));
        }
        self.bind_parameter(parameters, wanted.variable, given.unwrap_or(NIL))?;
        if wanted.supplied != NIL {
            self.bind_parameter(parameters, wanted.supplied, Value::truth(given.is_some()))?;
        }
        Ok(None)
    }

    fn begin_section(
        &mut self,
        parameters: &mut Parameters,
        keyword: Value,
        rest: Value,
        arguments: Value,
        section: Section,
    ) -> Outcome<()> {
        let next = match keyword {
            Value::Symbol(known::OPTIONAL) => Section::Optional,
            Value::Symbol(known::KEY) => Section::Key { all: rest, open: false },
            Value::Symbol(known::AUX) => {
                self.end_of_list(parameters, NIL, arguments, section)?;
                Section::Aux
            }
            Value::Symbol(known::ALLOW_OTHER_KEYS) => match section {
                Section::Key { all, .. } => Section::Key { all, open: true },
                _ => return Err(Fault::program("&ALLOW-OTHER-KEYS without &KEY")),
            },
            _ => {
                let Some((variable, rest)) = self.world.heap.parts(rest) else {
                    return Err(Fault::program(format!(
                        "no variable behind {}",
                        self.world.shown(keyword)
                    )));
                };
                match keyword {
                    Value::Symbol(known::ENVIRONMENT) => {
                        parameters.pending.push((rest, arguments, section));
                        self.bind_parameter(parameters, variable, NIL)?;
                    }
                    Value::Symbol(known::WHOLE) => return Err(Fault::unsupported("&WHOLE is not supported here.")),
                    _ => {
                        parameters.pending.push((rest, arguments, Section::Rest));
                        self.bind_parameter(parameters, variable, arguments)?;
                    }
                }
                return Ok(());
            }
        };
        parameters.pending.push((rest, arguments, next));
        Ok(())
    }

    /// Checks that nothing is left over.
    fn end_of_list(
        &mut self,
        parameters: &mut Parameters,
        list: Value,
        arguments: Value,
        section: Section,
    ) -> Outcome<()> {
        if list != NIL {
            // A dotted lambda list: the rest goes to the variable behind the dot.
            return self.bind_parameter(parameters, list, arguments);
        }
        match section {
            Section::Required | Section::Optional if arguments != NIL => Err(self.mismatch(parameters, "too many")),
            Section::Key { all, open: false } => self.check_keys(all, arguments),
            _ => Ok(()),
        }
    }

    fn mismatch(&self, parameters: &Parameters, how: &str) -> Fault {
        if parameters.name == NIL {
            return Fault::program(format!("invalid number of arguments: {how}"));
        }
        Fault::program(format!(
            "invalid number of arguments to {}: {how}",
            self.world.shown(parameters.name)
        ))
    }

    /// `name`, `(name default supplied)` or `((key name) default supplied)`.
    fn specification(&self, parameter: Value) -> Outcome<Specification> {
        let Some((name, rest)) = self.world.heap.parts(parameter) else {
            return Ok(Specification {
                key: None,
                variable: parameter,
                default: NIL,
                supplied: NIL,
            });
        };
        let default = self.world.car(rest)?;
        let supplied = self.world.car(self.world.cdr(rest)?)?;
        match self.world.heap.parts(name) {
            Some((key @ Value::Symbol(_), rest)) => Ok(Specification {
                key: Some(key),
                variable: self.world.car(rest)?,
                default,
                supplied,
            }),
            _ => Ok(Specification {
                key: None,
                variable: name,
                default,
                supplied,
            }),
        }
    }

    fn key_of(&mut self, wanted: &Specification) -> Outcome<Value> {
        match wanted.key {
            Some(key) => Ok(key),
            None => {
                let name = self.world.symbol(wanted.variable)?;
                let name = self.world.symbols.get(name).name.clone();
                self.world.keyword(&name)
            }
        }
    }

    fn key_argument(&mut self, arguments: Value, key: Value) -> Outcome<Option<Value>> {
        let mut at = arguments;
        while let Some((name, rest)) = self.world.heap.parts(at) {
            self.world.heap.charge(1)?;
            let Some((value, rest)) = self.world.heap.parts(rest) else {
                return Err(Fault::program("odd number of &KEY arguments"));
            };
            if name == key {
                return Ok(Some(value));
            }
            at = rest;
        }
        Ok(None)
    }

    /// Refuses keys that the lambda list does not name.
    fn check_keys(&mut self, all: Value, arguments: Value) -> Outcome<()> {
        if arguments == NIL {
            return Ok(());
        }
        let allow = self.world.keyword("ALLOW-OTHER-KEYS")?;
        if self.key_argument(arguments, allow)?.is_some_and(Value::is_true) {
            return Ok(());
        }
        let mut named = vec![allow];
        let mut at = all;
        while let Some((parameter, rest)) = self.world.heap.parts(at) {
            if is_lambda_keyword(parameter) {
                break;
            }
            let wanted = self.specification(parameter)?;
            named.push(self.key_of(&wanted)?);
            at = rest;
        }
        let mut at = arguments;
        while let Some((key, rest)) = self.world.heap.parts(at) {
            self.world.heap.charge(1)?;
            if !named.contains(&key) {
                let is_keyword = |id: SymbolId| self.world.symbols.get(id).home == Home::Keyword;
                return Err(match key {
                    Value::Symbol(id) if is_keyword(id) => {
                        Fault::program(format!("unknown &KEY argument: {}", self.world.shown(key)))
                    }
                    _ => Fault::program(format!("keyword argument not a symbol: {}", self.world.shown(key))),
                });
            }
            at = match self.world.heap.parts(rest) {
                Some((_, rest)) => rest,
                None => return Err(Fault::program("odd number of &KEY arguments")),
            };
        }
        Ok(())
    }

    /// Binds `form`'s pattern to `value`, then begins its body: `form` is `(pattern . body)` behind the value form.
    pub(super) fn destructure(
        &mut self,
        pattern: Value,
        value: Value,
        body: Value,
        environment: Environment,
    ) -> Outcome<State> {
        let name = Value::Symbol(self.world.symbols.intern("DESTRUCTURING-BIND")?);
        self.bind_parameters(Box::new(Parameters {
            pending: vec![(pattern, value, Section::Required)],
            environment,
            body,
            name,
            destructuring: true,
            waiting: None,
        }))
    }
}
