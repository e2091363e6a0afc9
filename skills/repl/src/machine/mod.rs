//! The machine that evaluates forms. It keeps what is still to be done in frames on the heap, so that recursion in the
//! program is no recursion in Rust: its depth is a number to compare with a bound, and never a crash.

mod apply;
mod evaluate;
mod expansions;
mod forms;
mod frame;
mod parameters;
mod resume;
mod unwind;

use crate::bounds::{Bound, Bounds};
use crate::builtins;
use crate::fault::Outcome;
use crate::heap::Roots;
use crate::special::SpecialForm;
use crate::symbols::Operator;
use crate::value::{Binding, BindingKind, Environment, NIL, Object, ObjectId, SymbolId, Value};
use crate::world::World;

use expansions::Expansions;
use frame::{Exit, Frame};

/// The machine, and the world it works on.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) world: World,
    frames: Vec<Frame>,
    operands: Vec<Value>,
    /// All values, when the last form gave another number of them than one.
    multiple: Option<Vec<Value>>,
    /// What macro forms stand for.
    expansions: Expansions,
    /// Values that the caller needs to survive.
    pub(crate) kept: Vec<Value>,
    next_mark: i64,
}

/// What the machine does next.
#[derive(Clone, Copy, Debug)]
enum State {
    Evaluate(Value, Environment),
    /// Call this function with the operands from here on.
    Call(Value, usize),
    Return(Value),
}

impl Machine {
    /// A machine that knows the special forms and the builtin functions.
    ///
    /// # Errors
    /// The bounds are too small for that.
    pub(crate) fn new(bounds: Bounds) -> Outcome<Machine> {
        let mut world = World::new(bounds);
        for (name, form) in SpecialForm::ALL {
            let id = world.symbols.intern(name)?;
            world.symbols.get_mut(id).operator = Some(Operator::Special(*form));
        }
        builtins::install(&mut world)?;
        Ok(Machine {
            world,
            frames: Vec::new(),
            operands: Vec::new(),
            multiple: None,
            expansions: Expansions::default(),
            kept: Vec::new(),
            next_mark: 1,
        })
    }

    /// Evaluates one form, and gives all its values.
    ///
    /// # Errors
    /// The condition that no handler took, or the bound that was reached. The machine can be used again.
    pub(crate) fn evaluate(&mut self, form: Value) -> Outcome<Vec<Value>> {
        self.frames.clear();
        self.operands.clear();
        self.multiple = None;
        let mut state = State::Evaluate(form, None);
        loop {
            let next = match self.prepare_step(state) {
                Err(fault) => Err(fault),
                Ok(()) => match state {
                    State::Evaluate(form, environment) => self.evaluate_form(form, environment),
                    State::Call(function, base) => self.call(function, base),
                    State::Return(value) => match self.frames.pop() {
                        Some(frame) => self.resume(frame, value),
                        None => return Ok(self.multiple.take().unwrap_or_else(|| vec![value])),
                    },
                },
            };
            state = self.settle(next)?;
        }
    }

    /// Collects what nothing reaches, if it is time to.
    ///
    /// # Errors
    /// What is alive is more than the bounds allow.
    pub(crate) fn tidy(&mut self) -> Outcome<()> {
        self.frames.clear();
        self.operands.clear();
        self.multiple = None;
        if self.wants_collection() {
            self.collect(State::Return(NIL))
        } else {
            Ok(())
        }
    }

    /// Takes faults to those who handle them; leaving may fail in its turn.
    fn settle(&mut self, outcome: Outcome<State>) -> Outcome<State> {
        let mut outcome = outcome;
        loop {
            match outcome {
                Err(fault) if !self.frames.is_empty() => outcome = self.leave(Exit::Fault(fault)),
                settled => return settled,
            }
        }
    }

    fn prepare_step(&mut self, state: State) -> Outcome<()> {
        self.world.heap.charge(1)?;
        if self.wants_collection() {
            self.collect(state)
        } else {
            Ok(())
        }
    }

    fn wants_collection(&self) -> bool {
        self.world.heap.wants_collection() || self.world.symbols.wants_sweep()
    }

    fn collect(&mut self, state: State) -> Outcome<()> {
        self.expansions.clear();
        let mut roots = Roots::default();
        match state {
            State::Evaluate(value, environment) => {
                roots.values.push(value);
                roots.environment(environment);
            }
            State::Call(value, _) | State::Return(value) => roots.values.push(value),
        }
        roots.values.extend(
            self.operands
                .iter()
                .chain(&self.kept)
                .chain(self.multiple.iter().flatten()),
        );
        roots.values.extend(self.world.symbols.values());
        for frame in &self.frames {
            frame.trace(&mut roots);
        }
        let symbols = self.world.symbols.len();
        // Too much is alive: the evaluation ends, and what only it held is freed the next time.
        let reached = self.world.heap.collect(roots, symbols)?;
        self.world.symbols.sweep(&reached);
        Ok(())
    }

    fn push(&mut self, frame: Frame) -> Outcome<()> {
        let bound = self.world.heap.bounds().frames;
        if self.frames.len() >= bound || self.operands.len() >= bound * 4 {
            return Err(Bound::Frames(bound).into());
        }
        self.frames.push(frame);
        Ok(())
    }

    /// One value.
    fn give(&mut self, value: Value) -> Outcome<State> {
        self.multiple = None;
        Ok(State::Return(value))
    }

    /// Any number of values.
    fn give_all(&mut self, values: Vec<Value>) -> Outcome<State> {
        let first = values.first().copied().unwrap_or(NIL);
        self.multiple = (values.len() != 1).then_some(values);
        Ok(State::Return(first))
    }

    /// The forms of a body, one after the other; the last in place of the whole.
    fn body(&mut self, body: Value, environment: Environment) -> Outcome<State> {
        let Some((first, rest)) = self.world.heap.parts(body) else {
            return if body == NIL {
                self.give(NIL)
            } else {
                Err(self.world.wrong_type(body, "LIST"))
            };
        };
        if rest != NIL {
            self.push(Frame::Progn { rest, environment })?;
        }
        Ok(State::Evaluate(first, environment))
    }

    /// The innermost binding of this kind and name.
    fn find(&self, environment: Environment, kind: BindingKind, name: SymbolId) -> Option<ObjectId> {
        let mut at = environment;
        while let Some(id) = at {
            let Object::Binding(binding) = self.world.heap.get(id) else {
                return None;
            };
            if binding.name == name && binding.kind == kind {
                return Some(id);
            }
            at = binding.next;
        }
        None
    }

    /// What a binding binds.
    fn bound(&self, id: ObjectId) -> Value {
        match self.world.heap.get(id) {
            Object::Binding(binding) => binding.value,
            _ => NIL,
        }
    }

    /// Binds something that is not a variable.
    fn bind(&mut self, kind: BindingKind, name: SymbolId, value: Value, next: Environment) -> Outcome<Environment> {
        self.world.heap.bind(Binding {
            kind,
            name,
            value,
            next,
        })
    }

    /// Binds a variable: lexically, or dynamically when it was declared so.
    fn bind_variable(&mut self, variable: Value, value: Value, environment: Environment) -> Outcome<Environment> {
        let name = self.world.symbol(variable)?;
        let symbol = self.world.symbols.get(name);
        if symbol.constant {
            return Err(crate::fault::Fault::program(format!(
                "{} names a constant, and can't be bound or set.",
                self.world.shown(variable)
            )));
        }
        if !symbol.special {
            return self.bind(BindingKind::Variable, name, value, environment);
        }
        self.push(Frame::Restore {
            symbol: name,
            old: self.world.symbols.get(name).value,
        })?;
        self.world.symbols.get_mut(name).value = Some(value);
        Ok(environment)
    }

    fn mark(&mut self) -> i64 {
        self.next_mark += 1;
        self.next_mark
    }

    fn base(&self) -> u32 {
        // Operands are bounded far below.
        self.operands.len() as u32
    }
}
