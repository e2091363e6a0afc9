//! What a form means: a variable, a call, a macro, a special form, or itself.

use super::frame::{Frame, Parameters, Section};
use super::{Machine, State};
use crate::fault::{Fault, Outcome};
use crate::symbols::{Home, Operator, known};
use crate::value::{BindingKind, Closure, Environment, NIL, Object, SymbolId, Value};

impl Machine {
    /// Begins the evaluation of a form.
    pub(super) fn evaluate_form(&mut self, form: Value, environment: Environment) -> Outcome<State> {
        match form {
            Value::Symbol(name) => {
                let value = self.variable(name, environment)?;
                self.give(value)
            }
            Value::Cons(_) => self.evaluate_cons(form, environment),
            _ => self.give(form),
        }
    }

    fn variable(&self, name: SymbolId, environment: Environment) -> Outcome<Value> {
        if let Some(binding) = self.find(environment, BindingKind::Variable, name) {
            return Ok(self.bound(binding));
        }
        self.world.symbols.get(name).value.ok_or_else(|| {
            Fault::new(
                "UNBOUND-VARIABLE",
                format!("The variable {} is unbound.", self.world.qualified(name)),
            )
        })
    }

    fn evaluate_cons(&mut self, form: Value, environment: Environment) -> Outcome<State> {
        let Some((head, rest)) = self.world.heap.parts(form) else {
            return self.give(NIL);
        };
        let name = match head {
            Value::Symbol(name) => name,
            _ => return self.call_lambda_form(head, rest, environment),
        };
        // Names of the language can't be bound locally, so most calls need no search.
        if self.world.symbols.get(name).home != Home::Lisp {
            if let Some(function) = self.local_function(name, environment) {
                return self.arguments(function, rest, environment);
            }
            if let Some(binding) = self.find(environment, BindingKind::Macro, name) {
                let expander = self.bound(binding);
                // A local macro may mean something else the next time: its expansion is not remembered.
                return self.expand(
                    expander,
                    rest,
                    Frame::Expansion {
                        form: None,
                        environment,
                    },
                );
            }
        }
        match self.world.symbols.get(name).operator {
            Some(Operator::Special(special)) => self.special_form(special, rest, environment),
            Some(Operator::Function(function)) => self.arguments(function, rest, environment),
            Some(Operator::Macro(expander)) => {
                let Value::Cons(id) = form else { return self.give(NIL) };
                if let Some(expansion) = self.expansions.get(id) {
                    return Ok(State::Evaluate(expansion, environment));
                }
                self.expand(
                    expander,
                    rest,
                    Frame::Expansion {
                        form: Some(id),
                        environment,
                    },
                )
            }
            None => Err(self.undefined(name)),
        }
    }

    /// `((lambda …) …)`.
    fn call_lambda_form(&mut self, head: Value, rest: Value, environment: Environment) -> Outcome<State> {
        match self.world.heap.parts(head) {
            Some((Value::Symbol(known::LAMBDA), lambda)) => {
                let function = self.closure(NIL, lambda, environment)?;
                self.arguments(function, rest, environment)
            }
            _ => Err(Fault::program(format!(
                "illegal function call: {} is not the name of a function",
                self.world.shown(head)
            ))),
        }
    }

    /// The local function of this name. A macro that is nearer hides it.
    fn local_function(&self, name: SymbolId, environment: Environment) -> Option<Value> {
        let mut at = environment;
        while let Some(id) = at {
            let Object::Binding(binding) = self.world.heap.get(id) else {
                return None;
            };
            if binding.name == name && binding.kind == BindingKind::Function {
                return Some(binding.value);
            }
            if binding.name == name && binding.kind == BindingKind::Macro {
                return None;
            }
            at = binding.next;
        }
        None
    }

    /// The error for a function that nobody defined.
    pub(super) fn undefined(&self, name: SymbolId) -> Fault {
        Fault::new(
            "UNDEFINED-FUNCTION",
            format!("The function {} is undefined.", self.world.qualified(name)),
        )
    }

    /// What `#'name` is.
    pub(super) fn function_of(&mut self, designator: Value, environment: Environment) -> Outcome<Value> {
        if let Some((Value::Symbol(known::LAMBDA), lambda)) = self.world.heap.parts(designator) {
            return self.closure(NIL, lambda, environment);
        }
        let name = self.world.symbol(designator)?;
        if let Some(function) = self.local_function(name, environment) {
            return Ok(function);
        }
        self.global_function(name)
    }

    /// The global function of this name.
    pub(super) fn global_function(&self, name: SymbolId) -> Outcome<Value> {
        match self.world.symbols.get(name).operator {
            Some(Operator::Function(function)) => Ok(function),
            Some(Operator::Macro(_) | Operator::Special(_)) => Err(Fault::new(
                "UNDEFINED-FUNCTION",
                format!(
                    "{} names a macro or special form, and no function.",
                    self.world.qualified(name)
                ),
            )),
            None => Err(self.undefined(name)),
        }
    }

    /// A closure of `(parameters . body)`.
    pub(super) fn closure(&mut self, name: Value, lambda: Value, environment: Environment) -> Outcome<Value> {
        let Some((parameters, body)) = self.world.heap.parts(lambda) else {
            return Err(Fault::program("a function without a lambda list"));
        };
        self.world
            .heap
            .keep(Object::Closure(Box::new(Closure {
                name,
                parameters,
                body,
                environment,
            })))
            .map(Value::Object)
    }

    /// Begins the evaluation of arguments.
    fn arguments(&mut self, function: Value, rest: Value, environment: Environment) -> Outcome<State> {
        let base = self.base();
        match self.world.heap.parts(rest) {
            Some((first, rest)) => {
                self.push(Frame::Arguments {
                    function,
                    rest,
                    environment,
                    base,
                })?;
                Ok(State::Evaluate(first, environment))
            }
            None => Ok(State::Call(function, base as usize)),
        }
    }

    /// Calls the expander of a macro with the form's arguments, and `frame` for what comes out.
    pub(super) fn expand(&mut self, expander: Value, arguments: Value, frame: Frame) -> Outcome<State> {
        self.push(frame)?;
        let closure = match expander {
            Value::Object(id) => match self.world.heap.get(id) {
                Object::Closure(closure) => **closure,
                _ => return Err(self.world.wrong_type(expander, "FUNCTION")),
            },
            _ => return Err(self.world.wrong_type(expander, "FUNCTION")),
        };
        self.bind_parameters(Box::new(Parameters {
            pending: vec![(closure.parameters, arguments, Section::Required)],
            environment: closure.environment,
            body: closure.body,
            name: closure.name,
            destructuring: true,
            waiting: None,
        }))
    }

    /// One step of the expansion of a form, when it is a macro form at the top: whether it was.
    pub(super) fn expand_global(&mut self, form: Value) -> Outcome<State> {
        if let Some((Value::Symbol(name), rest)) = self.world.heap.parts(form)
            && let Some(Operator::Macro(expander)) = self.world.symbols.get(name).operator
        {
            return self.expand(expander, rest, Frame::Expanded);
        }
        self.give_all(vec![form, NIL])
    }
}
