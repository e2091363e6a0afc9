//! The frames of the machine's control stack: what is to be done with the value that is being computed.

use crate::fault::{Cause, Fault};
use crate::heap::Roots;
use crate::value::{Environment, ObjectId, SymbolId, Value};

/// One thing that waits for a value.
#[derive(Debug)]
pub(crate) enum Frame {
    /// Drop the value, go on with the rest of a body.
    Progn {
        rest: Value,
        environment: Environment,
    },
    /// Choose a branch.
    If {
        branches: Value,
        environment: Environment,
    },
    /// The value is the test of the first clause.
    Cond {
        clauses: Value,
        environment: Environment,
    },
    And {
        rest: Value,
        environment: Environment,
    },
    Or {
        rest: Value,
        environment: Environment,
    },
    When {
        wanted: bool,
        body: Value,
        environment: Environment,
    },
    /// The value is an argument; those before are operands from `base` on.
    Arguments {
        function: Value,
        rest: Value,
        environment: Environment,
        base: u32,
    },
    /// The value belongs to the first of `rest`; those before are operands from `base` on.
    Let {
        rest: Value,
        form: Value,
        environment: Environment,
        base: u32,
    },
    LetStar {
        rest: Value,
        body: Value,
        environment: Environment,
    },
    /// The value belongs to the variable that is the first of `rest`.
    Setq {
        rest: Value,
        environment: Environment,
    },
    /// The value belongs to this global variable.
    Define {
        symbol: SymbolId,
        constant: bool,
    },
    Block {
        mark: i64,
        base: u32,
    },
    ReturnFrom {
        mark: i64,
    },
    Tagbody {
        mark: i64,
        body: Value,
        rest: Value,
        environment: Environment,
        base: u32,
    },
    /// The value is the tag of a catch.
    CatchTag {
        body: Value,
        environment: Environment,
    },
    Catch {
        tag: Value,
        base: u32,
    },
    /// The value is the tag of a throw.
    ThrowTag {
        form: Value,
        environment: Environment,
    },
    Throw {
        tag: Value,
    },
    /// `unwind-protect`: these forms run whatever happens.
    Cleanup {
        forms: Value,
        environment: Environment,
        base: u32,
    },
    /// Drop the value and give these instead.
    Yield {
        value: Value,
        multiple: Option<Vec<Value>>,
    },
    /// Drop the value and go on leaving.
    Leave(Box<Exit>),
    Handler {
        clauses: Value,
        environment: Environment,
        base: u32,
    },
    /// Undo a dynamic binding.
    Restore {
        symbol: SymbolId,
        old: Option<Value>,
    },
    /// The value is what a macro form stands for.
    Expansion {
        form: Option<ObjectId>,
        environment: Environment,
    },
    /// The value is the expansion itself.
    Expanded,
    MultipleValueList,
    /// The value is the default of a parameter.
    Default(Box<Parameters>),
    /// The value is to be taken apart.
    Destructure {
        form: Value,
        environment: Environment,
    },
}

/// A way out of the frames on top.
#[derive(Debug)]
pub(crate) enum Exit {
    Block {
        mark: i64,
        value: Value,
        multiple: Option<Vec<Value>>,
    },
    Go {
        mark: i64,
        tag: SymbolId,
    },
    Throw {
        tag: Value,
        value: Value,
        multiple: Option<Vec<Value>>,
    },
    Fault(Fault),
}

/// Which part of a lambda list is being bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Section {
    Required,
    Optional,
    /// Behind `&rest`.
    Rest,
    /// The lambda list from the first key on, and whether keys that it does not name are allowed.
    Key {
        all: Value,
        open: bool,
    },
    Aux,
}

/// The binding of parameters, in the middle.
#[derive(Debug)]
pub(crate) struct Parameters {
    /// Lambda lists and what they are bound to, innermost last.
    pub(crate) pending: Vec<(Value, Value, Section)>,
    pub(crate) environment: Environment,
    pub(crate) body: Value,
    /// Who is called, for errors.
    pub(crate) name: Value,
    /// Whether a parameter may itself be a lambda list.
    pub(crate) destructuring: bool,
    /// The variable that waits for its default.
    pub(crate) waiting: Option<(Value, Value)>,
}

impl Frame {
    /// Adds what the frame holds.
    pub(crate) fn trace(&self, roots: &mut Roots) {
        match self {
            Frame::Progn {
                rest: value,
                environment,
            }
            | Frame::If {
                branches: value,
                environment,
            }
            | Frame::Cond {
                clauses: value,
                environment,
            }
            | Frame::And {
                rest: value,
                environment,
            }
            | Frame::Or {
                rest: value,
                environment,
            }
            | Frame::When {
                body: value,
                environment,
                ..
            }
            | Frame::Setq {
                rest: value,
                environment,
            }
            | Frame::CatchTag {
                body: value,
                environment,
            }
            | Frame::ThrowTag {
                form: value,
                environment,
            }
            | Frame::Cleanup {
                forms: value,
                environment,
                ..
            }
            | Frame::Handler {
                clauses: value,
                environment,
                ..
            }
            | Frame::Destructure {
                form: value,
                environment,
            } => {
                roots.values.push(*value);
                roots.environment(*environment);
            }
            Frame::Arguments {
                function: first,
                rest: second,
                environment,
                ..
            }
            | Frame::Let {
                rest: first,
                form: second,
                environment,
                ..
            }
            | Frame::LetStar {
                rest: first,
                body: second,
                environment,
            }
            | Frame::Tagbody {
                body: first,
                rest: second,
                environment,
                ..
            } => {
                roots.values.extend([*first, *second]);
                roots.environment(*environment);
            }
            Frame::Catch { tag, .. } | Frame::Throw { tag } => roots.values.push(*tag),
            Frame::Yield { value, multiple } => {
                roots.values.push(*value);
                roots.values.extend(multiple.iter().flatten());
            }
            Frame::Leave(exit) => exit.trace(roots),
            Frame::Restore { symbol, old } => {
                roots.values.push(Value::Symbol(*symbol));
                roots.values.extend(*old);
            }
            Frame::Expansion { form, environment } => {
                roots.environments.extend(*form);
                roots.environment(*environment);
            }
            Frame::Default(parameters) => parameters.trace(roots),
            Frame::Define { symbol, .. } => roots.values.push(Value::Symbol(*symbol)),
            Frame::Block { .. } | Frame::ReturnFrom { .. } | Frame::Expanded | Frame::MultipleValueList => {}
        }
    }
}

impl Exit {
    fn trace(&self, roots: &mut Roots) {
        match self {
            Exit::Block { value, multiple, .. } => {
                roots.values.push(*value);
                roots.values.extend(multiple.iter().flatten());
            }
            Exit::Throw { tag, value, multiple } => {
                roots.values.extend([*tag, *value]);
                roots.values.extend(multiple.iter().flatten());
            }
            Exit::Go { tag, .. } => roots.values.push(Value::Symbol(*tag)),
            Exit::Fault(fault) => {
                if let Cause::Signalled(value) = fault.cause() {
                    roots.values.push(*value);
                }
            }
        }
    }
}

impl Parameters {
    fn trace(&self, roots: &mut Roots) {
        for (parameters, arguments, section) in &self.pending {
            roots.values.extend([*parameters, *arguments]);
            if let Section::Key { all, .. } = section {
                roots.values.push(*all);
            }
        }
        roots.environment(self.environment);
        roots.values.extend([self.body, self.name]);
        if let Some((variable, supplied)) = self.waiting {
            roots.values.extend([variable, supplied]);
        }
    }
}
