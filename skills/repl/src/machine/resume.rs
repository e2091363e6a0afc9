//! What each frame does with the value it waited for.

use super::frame::{Exit, Frame};
use super::{Machine, State};
use crate::fault::{Fault, Outcome};
use crate::symbols::Home;
use crate::value::{BindingKind, Environment, NIL, Object, ObjectId, SymbolId, Value};

impl Machine {
    /// Gives `value` to the frame.
    pub(super) fn resume(&mut self, frame: Frame, value: Value) -> Outcome<State> {
        match frame {
            Frame::Progn { rest, environment } => self.body(rest, environment),
            Frame::If { branches, environment } => {
                let (then, others) = self.split(branches, "IF")?;
                let chosen = if value.is_true() { then } else { self.world.car(others)? };
                Ok(State::Evaluate(chosen, environment))
            }
            Frame::When {
                wanted,
                body,
                environment,
            } if value.is_true() == wanted => self.body(body, environment),
            Frame::When { .. } => self.give(NIL),
            Frame::Cond { clauses, environment } => self.resume_cond(clauses, value, environment),
            Frame::And { rest, environment } if value.is_true() => self.and(rest, environment),
            Frame::Or { rest, environment } if !value.is_true() => self.or(rest, environment),
            Frame::And { .. } | Frame::Or { .. } => self.give(value),
            Frame::Arguments {
                function,
                rest,
                environment,
                base,
            } => {
                self.operands.push(value);
                match self.world.heap.parts(rest) {
                    Some((next, rest)) => {
                        self.push(Frame::Arguments {
                            function,
                            rest,
                            environment,
                            base,
                        })?;
                        Ok(State::Evaluate(next, environment))
                    }
                    None => Ok(State::Call(function, base as usize)),
                }
            }
            Frame::Let {
                rest,
                form,
                environment,
                base,
            } => self.resume_let(rest, form, value, environment, base),
            Frame::LetStar {
                rest,
                body,
                environment,
            } => {
                let (binding, rest) = self.split(rest, "LET*")?;
                let (variable, _) = self.binding(binding)?;
                let environment = self.bind_variable(variable, value, environment)?;
                self.let_star(rest, body, environment)
            }
            Frame::Setq { rest, environment } => {
                let (variable, values) = self.split(rest, "SETQ")?;
                let name = self.world.symbol(variable)?;
                self.set_variable(name, value, environment)?;
                let rest = self.world.cdr(values)?;
                self.setq(rest, value, environment)
            }
            Frame::Define { symbol, constant } => {
                let cell = self.world.symbols.get_mut(symbol);
                (cell.value, cell.special, cell.constant) = (Some(value), true, constant);
                self.give(Value::Symbol(symbol))
            }
            Frame::ReturnFrom { mark } => {
                let multiple = self.multiple.take();
                self.leave(Exit::Block { mark, value, multiple })
            }
            Frame::Tagbody {
                mark,
                body,
                rest,
                environment,
                base,
            } => self.next_statement(mark, body, rest, environment, base),
            Frame::CatchTag { body, environment } => {
                let base = self.base();
                self.push(Frame::Catch { tag: value, base })?;
                self.body(body, environment)
            }
            Frame::ThrowTag { form, environment } => {
                self.push(Frame::Throw { tag: value })?;
                Ok(State::Evaluate(form, environment))
            }
            Frame::Throw { tag } => {
                let multiple = self.multiple.take();
                self.leave(Exit::Throw { tag, value, multiple })
            }
            Frame::Cleanup { forms, environment, .. } => {
                let multiple = self.multiple.take();
                self.push(Frame::Yield { value, multiple })?;
                self.body(forms, environment)
            }
            Frame::Yield { value, multiple } => {
                self.multiple = multiple;
                Ok(State::Return(value))
            }
            Frame::Leave(exit) => self.leave(*exit),
            Frame::Handler {
                clauses, environment, ..
            } => self.no_error(clauses, value, environment),
            Frame::Restore { symbol, old } => {
                self.world.symbols.get_mut(symbol).value = old;
                Ok(State::Return(value))
            }
            Frame::Block { .. } | Frame::Catch { .. } => Ok(State::Return(value)),
            Frame::Expansion { form, environment } => {
                if let Some(form) = form {
                    self.expansions.insert(form, value);
                }
                Ok(State::Evaluate(value, environment))
            }
            Frame::Expanded => self.give_all(vec![value, crate::value::T]),
            Frame::MultipleValueList => {
                let values = self.multiple.take().unwrap_or_else(|| vec![value]);
                let list = self.world.heap.list(&values)?;
                self.give(list)
            }
            Frame::Default(parameters) => self.resume_parameters(parameters, value),
            Frame::Destructure { form, environment } => {
                let (pattern, body) = self.split(form, "DESTRUCTURING-BIND")?;
                self.destructure(pattern, value, body, environment)
            }
        }
    }

    fn resume_cond(&mut self, clauses: Value, value: Value, environment: Environment) -> Outcome<State> {
        let (clause, others) = self.split(clauses, "COND")?;
        if !value.is_true() {
            return self.cond(others, environment);
        }
        match self.world.cdr(clause)? {
            NIL => self.give(value),
            body => self.body(body, environment),
        }
    }

    fn resume_let(
        &mut self,
        rest: Value,
        form: Value,
        value: Value,
        environment: Environment,
        base: u32,
    ) -> Outcome<State> {
        self.operands.push(value);
        let rest = self.world.cdr(rest)?;
        if let Some((next, _)) = self.world.heap.parts(rest) {
            let (_, init) = self.binding(next)?;
            self.push(Frame::Let {
                rest,
                form,
                environment,
                base,
            })?;
            return Ok(State::Evaluate(init, environment));
        }
        let (mut bindings, body) = self.split(form, "LET")?;
        let mut inner = environment;
        let mut next = base as usize;
        while let Some((binding, rest)) = self.world.heap.parts(bindings) {
            let (variable, _) = self.binding(binding)?;
            let Some(&value) = self.operands.get(next) else { break };
            inner = self.bind_variable(variable, value, inner)?;
            next += 1;
            bindings = rest;
        }
        self.operands.truncate(base as usize);
        self.body(body, inner)
    }

    fn set_variable(&mut self, name: SymbolId, value: Value, environment: Environment) -> Outcome<()> {
        if let Some(binding) = self.find(environment, BindingKind::Variable, name) {
            self.rebind(binding, value);
            return Ok(());
        }
        let symbol = self.world.symbols.get_mut(name);
        if symbol.constant || symbol.home == Home::Keyword {
            let shown = self.world.shown(Value::Symbol(name));
            return Err(Fault::program(format!("{shown} is a constant and thus can't be set.")));
        }
        symbol.value = Some(value);
        Ok(())
    }

    /// Changes what a binding binds.
    pub(super) fn rebind(&mut self, id: ObjectId, value: Value) {
        if let Object::Binding(binding) = self.world.heap.get_mut(id) {
            binding.value = value;
        }
    }

    /// The next statement of a tagbody.
    pub(super) fn next_statement(
        &mut self,
        mark: i64,
        body: Value,
        rest: Value,
        environment: Environment,
        base: u32,
    ) -> Outcome<State> {
        let mut rest = rest;
        while let Some((statement, others)) = self.world.heap.parts(rest) {
            rest = others;
            if !matches!(statement, Value::Symbol(_)) {
                self.push(Frame::Tagbody {
                    mark,
                    body,
                    rest,
                    environment,
                    base,
                })?;
                return Ok(State::Evaluate(statement, environment));
            }
        }
        self.give(NIL)
    }

    /// A handled form ended well: a `:no-error` clause gets its values.
    fn no_error(&mut self, clauses: Value, value: Value, environment: Environment) -> Outcome<State> {
        let wanted = self.world.keyword("NO-ERROR")?;
        for clause in self.world.heap.items(clauses)? {
            let (name, lambda) = self.split(clause, "HANDLER-CASE")?;
            if name == wanted {
                let values = self.multiple.take().unwrap_or_else(|| vec![value]);
                let function = self.closure(NIL, lambda, environment)?;
                let base = self.operands.len();
                self.operands.extend(values);
                return Ok(State::Call(function, base));
            }
        }
        Ok(State::Return(value))
    }
}
