//! Leaving frames before they have their value: returns from blocks, jumps, throws and errors. On the way out dynamic
//! bindings are undone and cleanup forms run; only a bound runs none, since there is nothing left to run them with.

use super::frame::{Exit, Frame};
use super::{Machine, State};
use crate::fault::{Cause, Fault, Outcome, is_kind};
use crate::value::{BindingKind, Environment, NIL, Object, SymbolId, Value};

impl Machine {
    /// Leaves frames until one takes the exit.
    ///
    /// # Errors
    /// The fault that no frame took.
    pub(super) fn leave(&mut self, exit: Exit) -> Outcome<State> {
        let mut exit = if self.can_leave(&exit) {
            exit
        } else {
            let text = match &exit {
                Exit::Throw { tag, .. } => {
                    format!(
                        "attempt to THROW to a tag that does not exist: {}",
                        self.world.shown(*tag)
                    )
                }
                _ => "attempt to RETURN-FROM a block or GO to a tag that no longer exists".to_owned(),
            };
            Exit::Fault(Fault::new("CONTROL-ERROR", text))
        };
        while let Some(frame) = self.frames.pop() {
            match frame {
                Frame::Restore { symbol, old } => self.world.symbols.get_mut(symbol).value = old,
                Frame::Cleanup {
                    forms,
                    environment,
                    base,
                } if !matches!(&exit, Exit::Fault(fault) if fault.is_bound()) => {
                    self.operands.truncate(base as usize);
                    self.push(Frame::Leave(Box::new(exit)))?;
                    return self.body(forms, environment);
                }
                Frame::Block { mark, base } => match exit {
                    Exit::Block {
                        mark: wanted,
                        value,
                        multiple,
                    } if wanted == mark => {
                        self.operands.truncate(base as usize);
                        self.multiple = multiple;
                        return Ok(State::Return(value));
                    }
                    other => exit = other,
                },
                Frame::Tagbody {
                    mark,
                    body,
                    environment,
                    base,
                    ..
                } => match exit {
                    Exit::Go { mark: wanted, tag } if wanted == mark => {
                        self.operands.truncate(base as usize);
                        let rest = self.behind_tag(body, tag)?;
                        return self.next_statement(mark, body, rest, environment, base);
                    }
                    other => exit = other,
                },
                Frame::Catch { tag, base } => match exit {
                    Exit::Throw {
                        tag: wanted,
                        value,
                        multiple,
                    } if wanted == tag => {
                        self.operands.truncate(base as usize);
                        self.multiple = multiple;
                        return Ok(State::Return(value));
                    }
                    other => exit = other,
                },
                Frame::Handler {
                    clauses,
                    environment,
                    base,
                } => match exit {
                    Exit::Fault(fault) => {
                        self.operands.truncate(base as usize);
                        match self.handle(clauses, environment, &fault)? {
                            Some(state) => return Ok(state),
                            None => exit = Exit::Fault(fault),
                        }
                    }
                    other => exit = other,
                },
                _ => {}
            }
        }
        match exit {
            Exit::Fault(fault) => Err(fault),
            Exit::Block { .. } | Exit::Go { .. } | Exit::Throw { .. } => Err(Fault::new("CONTROL-ERROR", "lost")),
        }
    }

    /// Whether a frame waits for this exit.
    fn can_leave(&self, exit: &Exit) -> bool {
        match exit {
            Exit::Fault(_) => true,
            Exit::Block { mark, .. } => self
                .frames
                .iter()
                .rev()
                .any(|frame| matches!(frame, Frame::Block { mark: at, .. } if at == mark)),
            Exit::Go { mark, .. } => self
                .frames
                .iter()
                .rev()
                .any(|frame| matches!(frame, Frame::Tagbody { mark: at, .. } if at == mark)),
            Exit::Throw { tag, .. } => self
                .frames
                .iter()
                .rev()
                .any(|frame| matches!(frame, Frame::Catch { tag: at, .. } if at == tag)),
        }
    }

    /// The statements behind a tag.
    fn behind_tag(&self, body: Value, tag: SymbolId) -> Outcome<Value> {
        let mut at = body;
        while let Some((statement, rest)) = self.world.heap.parts(at) {
            if statement == Value::Symbol(tag) {
                return Ok(rest);
            }
            at = rest;
        }
        Ok(NIL)
    }

    /// Begins the clause that takes the fault, if there is one.
    fn handle(&mut self, clauses: Value, environment: Environment, fault: &Fault) -> Outcome<Option<State>> {
        if fault.is_bound() {
            return Ok(None);
        }
        for clause in self.world.heap.items(clauses)? {
            let (specifier, rest) = self.split(clause, "HANDLER-CASE")?;
            if !self.takes(specifier, fault)? {
                continue;
            }
            let (variables, body) = self.split(rest, "HANDLER-CASE")?;
            let mut inner = environment;
            if let Some((variable, _)) = self.world.heap.parts(variables) {
                let condition = self.condition(fault)?;
                let name = self.world.symbol(variable)?;
                inner = self.bind(BindingKind::Variable, name, condition, inner)?;
            }
            return self.body(body, inner).map(Some);
        }
        Ok(None)
    }

    /// Whether a clause for this type takes the fault.
    fn takes(&mut self, specifier: Value, fault: &Fault) -> Outcome<bool> {
        let kind = match fault.cause() {
            Cause::Condition { kind, .. } => (*kind).to_owned(),
            Cause::Signalled(condition) => match self.world.condition(*condition) {
                Some((kind, _)) => self.world.symbols.get(kind).name.clone(),
                None => return Ok(false),
            },
            Cause::Bound(_) => return Ok(false),
        };
        let matches = |specifier: Value| match specifier {
            Value::Symbol(id) => is_kind(&kind, &self.world.symbols.get(id).name),
            _ => false,
        };
        // `(or type …)` beside a plain name.
        match self.world.heap.parts(specifier) {
            None => Ok(matches(specifier)),
            Some((_, types)) => {
                let mut at = types;
                while let Some((one, rest)) = self.world.heap.parts(at) {
                    if matches(one) {
                        return Ok(true);
                    }
                    at = rest;
                }
                Ok(false)
            }
        }
    }

    /// The condition object of a fault.
    fn condition(&mut self, fault: &Fault) -> Outcome<Value> {
        match fault.cause() {
            Cause::Condition { kind, text } => {
                let kind = self.world.symbols.intern(kind)?;
                self.world
                    .heap
                    .keep(Object::Condition(kind, text.clone()))
                    .map(Value::Object)
            }
            Cause::Signalled(value) => Ok(*value),
            Cause::Bound(_) => Ok(NIL),
        }
    }
}
