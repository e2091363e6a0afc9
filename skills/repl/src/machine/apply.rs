//! Calling a function with arguments that have been evaluated.

use super::{Machine, State};
use crate::builtins::{self, MachineCall, Run};
use crate::fault::{Fault, Outcome};
use crate::value::{Closure, NIL, Object, Value};

use super::frame::{Parameters, Section};
use super::parameters::is_lambda_keyword;

impl Machine {
    /// Calls `function` with the operands from `base` on.
    pub(super) fn call(&mut self, function: Value, base: usize) -> Outcome<State> {
        match function {
            Value::Native(place) => self.call_native(place, base),
            Value::Symbol(name) => Ok(State::Call(self.global_function(name)?, base)),
            Value::Object(id) => match self.world.heap.get(id) {
                Object::Closure(closure) => {
                    let closure = **closure;
                    self.call_closure(closure, base)
                }
                _ => Err(self.world.wrong_type(function, "(OR FUNCTION SYMBOL)")),
            },
            _ => Err(self.world.wrong_type(function, "(OR FUNCTION SYMBOL)")),
        }
    }

    fn call_native(&mut self, place: u16, base: usize) -> Outcome<State> {
        let builtin = builtins::get(place);
        let count = self.operands.len() - base;
        if count < builtin.least || builtin.most.is_some_and(|most| count > most) {
            return Err(Fault::new(
                "SIMPLE-PROGRAM-ERROR",
                format!("invalid number of arguments to {}: {count}", builtin.name),
            ));
        }
        match builtin.run {
            Run::Plain(function) => {
                let value = function(&mut self.world, &self.operands[base..])?;
                self.operands.truncate(base);
                self.give(value)
            }
            Run::Multiple(function) => {
                let values = function(&mut self.world, &self.operands[base..])?;
                self.operands.truncate(base);
                self.give_all(values)
            }
            Run::Test(test) => {
                let holds = test(&self.world, self.operands[base]);
                self.operands.truncate(base);
                self.give(Value::truth(holds))
            }
            Run::Machine(call) => self.machine_call(call, base),
        }
    }

    fn machine_call(&mut self, call: MachineCall, base: usize) -> Outcome<State> {
        let first = self.operands.get(base).copied().unwrap_or(NIL);
        match call {
            MachineCall::Funcall => {
                self.operands.remove(base);
                Ok(State::Call(first, base))
            }
            MachineCall::Apply => {
                self.operands.remove(base);
                let last = self.operands.pop().unwrap_or(NIL);
                let spread = self.world.heap.items(last)?;
                self.operands.extend(spread);
                Ok(State::Call(first, base))
            }
            MachineCall::Values => {
                let values = self.operands.split_off(base);
                self.give_all(values)
            }
            MachineCall::Eval => {
                self.operands.truncate(base);
                Ok(State::Evaluate(first, None))
            }
            MachineCall::MacroExpandOnce => {
                self.operands.truncate(base);
                self.expand_global(first)
            }
            MachineCall::FunctionOf => {
                self.operands.truncate(base);
                let name = self.world.symbol(first)?;
                let function = self.global_function(name)?;
                self.give(function)
            }
        }
    }

    fn call_closure(&mut self, closure: Closure, base: usize) -> Outcome<State> {
        let count = self.operands.len() - base;
        let mut environment = closure.environment;
        let mut parameters = closure.parameters;
        let mut next = base;
        while let Some((parameter, rest)) = self.world.heap.parts(parameters) {
            if is_lambda_keyword(parameter) {
                let arguments = self.world.heap.list(&self.operands[next..])?;
                self.operands.truncate(base);
                return self.bind_parameters(Box::new(Parameters {
                    pending: vec![(parameters, arguments, Section::Required)],
                    environment,
                    body: closure.body,
                    name: closure.name,
                    destructuring: false,
                    waiting: None,
                }));
            }
            let Some(&argument) = self.operands.get(next) else {
                return Err(self.wrong_count(closure.name, count));
            };
            environment = self.bind_variable(parameter, argument, environment)?;
            next += 1;
            parameters = rest;
        }
        if next < self.operands.len() {
            return Err(self.wrong_count(closure.name, count));
        }
        self.operands.truncate(base);
        self.body(closure.body, environment)
    }

    fn wrong_count(&self, name: Value, count: usize) -> Fault {
        match name {
            NIL => Fault::arguments(count),
            name => Fault::program(format!(
                "invalid number of arguments to {}: {count}",
                self.world.shown(name)
            )),
        }
    }
}
