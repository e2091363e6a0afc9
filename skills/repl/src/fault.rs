//! Why an evaluation did not give a value: a condition that the program could have handled, or a bound that nothing
//! in the program can get around.

use crate::bounds::Bound;
use crate::value::Value;

/// What stopped a step. It is kept small, since nearly everything here may return one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault(Box<Cause>);

/// The kinds of faults.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cause {
    /// A condition of the evaluator's own; `kind` is the name of its Common Lisp type.
    Condition { kind: &'static str, text: String },
    /// A condition object that the program signalled.
    Signalled(Value),
    /// A bound. `handler-case` does not see it.
    Bound(Bound),
}

/// What most of the evaluator returns.
pub(crate) type Outcome<T> = Result<T, Fault>;

impl Fault {
    /// A condition of the type `kind`.
    #[cold]
    #[inline(never)]
    pub(crate) fn owned(kind: &'static str, text: String) -> Fault {
        Fault(Box::new(Cause::Condition { kind, text }))
    }

    /// A condition of the type `kind`, with a text that may have to be made.
    pub(crate) fn new(kind: &'static str, text: impl Into<String>) -> Fault {
        Fault::owned(kind, text.into())
    }

    /// A condition object that the program signals.
    pub(crate) fn signalled(condition: Value) -> Fault {
        Fault(Box::new(Cause::Signalled(condition)))
    }

    /// A plain error with this text.
    pub(crate) fn simple(text: impl Into<String>) -> Fault {
        Fault::new("SIMPLE-ERROR", text)
    }

    /// A form that makes no sense.
    pub(crate) fn program(text: impl Into<String>) -> Fault {
        Fault::new("SIMPLE-PROGRAM-ERROR", text)
    }

    /// A call with too few or too many arguments.
    pub(crate) fn arguments(count: usize) -> Fault {
        Fault::program(format!("invalid number of arguments: {count}"))
    }

    /// Text that can't be read.
    pub(crate) fn reader(text: impl Into<String>) -> Fault {
        Fault::new("READER-ERROR", text)
    }

    /// A function or an operation that this evaluator leaves out.
    pub(crate) fn unsupported(text: impl Into<String>) -> Fault {
        Fault::new("UNSUPPORTED", text)
    }

    /// What it is.
    pub(crate) fn cause(&self) -> &Cause {
        &self.0
    }

    /// Whether a bound was reached.
    pub(crate) fn is_bound(&self) -> bool {
        matches!(*self.0, Cause::Bound(_))
    }
}

impl From<Bound> for Fault {
    #[cold]
    #[inline(never)]
    fn from(bound: Bound) -> Fault {
        Fault(Box::new(Cause::Bound(bound)))
    }
}

/// Whether a condition of type `kind` is also of type `wanted`: the part of the standard's tree that we signal.
pub(crate) fn is_kind(kind: &str, wanted: &str) -> bool {
    let mut at = kind;
    loop {
        if at == wanted {
            return true;
        }
        at = match at {
            "DIVISION-BY-ZERO" | "FLOATING-POINT-OVERFLOW" | "FLOATING-POINT-INVALID-OPERATION" => "ARITHMETIC-ERROR",
            "UNBOUND-VARIABLE" | "UNDEFINED-FUNCTION" => "CELL-ERROR",
            "SIMPLE-TYPE-ERROR" => "TYPE-ERROR",
            "SIMPLE-PROGRAM-ERROR" => "PROGRAM-ERROR",
            "READER-ERROR" | "SIMPLE-READER-ERROR" => "PARSE-ERROR",
            "ERROR" => "SERIOUS-CONDITION",
            "SERIOUS-CONDITION" | "WARNING" => "CONDITION",
            "CONDITION" => "T",
            "T" => return false,
            _ => "ERROR",
        };
    }
}
