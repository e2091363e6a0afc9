//! Calling, several values, and signalling errors.

use super::{Builtin, MachineCall, Run, argument, multiple, plain};
use crate::fault::{Fault, Outcome};
use crate::format;
use crate::value::{NIL, Object, SymbolId, Value};
use crate::world::World;

pub(super) const FUNCTIONS: &[Builtin] = &[
    machine("FUNCALL", 1, None, MachineCall::Funcall),
    machine("APPLY", 2, None, MachineCall::Apply),
    machine("VALUES", 0, None, MachineCall::Values),
    machine("EVAL", 1, Some(1), MachineCall::Eval),
    machine("MACROEXPAND-1", 1, Some(2), MachineCall::MacroExpandOnce),
    machine("SYMBOL-FUNCTION", 1, Some(1), MachineCall::FunctionOf),
    machine("FDEFINITION", 1, Some(1), MachineCall::FunctionOf),
    multiple("VALUES-LIST", 1, Some(1), |world, arguments| {
        world.heap.items(arguments[0])
    }),
    plain("IDENTITY", 1, Some(1), |_, arguments| Ok(arguments[0])),
    plain("ERROR", 1, None, error),
    plain("WARN", 1, None, warn),
    plain("%CONTROL-ERROR", 1, Some(1), |world, arguments| {
        Err(Fault::new("CONTROL-ERROR", world.shown(arguments[0])))
    }),
    plain("%TYPE-ERROR", 2, Some(2), |world, arguments| {
        let expected = world.shown(arguments[1]);
        Err(world.wrong_type(arguments[0], &expected))
    }),
    plain("%PROGRAM-ERROR", 1, None, |world, arguments| {
        let text = format::to_text(world, arguments[0], &arguments[1..])?;
        Err(Fault::program(text))
    }),
    plain("%UNSUPPORTED", 1, None, |world, arguments| {
        let text = format::to_text(world, arguments[0], &arguments[1..])?;
        Err(Fault::unsupported(text))
    }),
];

const fn machine(name: &'static str, least: usize, most: Option<usize>, call: MachineCall) -> Builtin {
    Builtin {
        name,
        least,
        most,
        run: Run::Machine(call),
    }
}

impl World {
    /// The type's name and the text of a condition.
    pub(crate) fn condition(&self, value: Value) -> Option<(SymbolId, &str)> {
        match value {
            Value::Object(id) => match self.heap.get(id) {
                Object::Condition(kind, text) => Some((*kind, text)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// `(error "control string" …)`, `(error 'type :format-control …)`, or `(error condition)`.
fn error(world: &mut World, arguments: &[Value]) -> Outcome<Value> {
    let datum = arguments[0];
    if world.condition(datum).is_some() {
        return Err(Fault::signalled(datum));
    }
    if let Value::Symbol(kind) = datum {
        let text = match world.key(&arguments[1..], "FORMAT-CONTROL")? {
            Some(control) => {
                let given = world.key(&arguments[1..], "FORMAT-ARGUMENTS")?.unwrap_or(NIL);
                let given = world.heap.items(given)?;
                format::to_text(world, control, &given)?
            }
            None => format!("Condition {} was signalled.", world.shown(datum)),
        };
        let condition = world.heap.keep(Object::Condition(kind, text))?;
        return Err(Fault::signalled(Value::Object(condition)));
    }
    let text = format::to_text(world, datum, &arguments[1..])?;
    Err(Fault::simple(text))
}

fn warn(world: &mut World, arguments: &[Value]) -> Outcome<Value> {
    let text = format::to_text(world, argument(arguments, 0), &arguments[1..])?;
    world.write(NIL, &format!("WARNING: {text}\n"))?;
    Ok(NIL)
}
