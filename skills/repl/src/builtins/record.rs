//! Structures: what `defstruct` is built on. A type's slots are kept in the property list of its name.

use super::{Builtin, plain};
use crate::fault::Fault;
use crate::value::{Object, SymbolId, Value};
use crate::world::World;

pub(super) const FUNCTIONS: &[Builtin] = &[
    plain("%MAKE-RECORD", 1, None, |world, arguments| {
        let name = world.symbol(arguments[0])?;
        world
            .heap
            .keep(Object::Record(name, arguments[1..].to_vec()))
            .map(Value::Object)
    }),
    plain("%RECORD-P", 2, Some(2), |world, arguments| {
        Ok(Value::truth(slots(world, arguments[0], arguments[1]).is_some()))
    }),
    plain("%SLOT", 3, Some(3), |world, arguments| {
        let place = world.index(arguments[2])?;
        let found = slots(world, arguments[0], arguments[1]).and_then(|slots| slots.get(place).copied());
        found.ok_or_else(|| not_a_record(world, arguments))
    }),
    plain("%SET-SLOT", 4, Some(4), |world, arguments| {
        let place = world.index(arguments[2])?;
        if slots(world, arguments[0], arguments[1]).is_some()
            && let Value::Object(id) = arguments[0]
            && let Object::Record(_, slots) = world.heap.get_mut(id)
            && let Some(slot) = slots.get_mut(place)
        {
            *slot = arguments[3];
            return Ok(arguments[3]);
        }
        Err(not_a_record(world, arguments))
    }),
    plain("%COPY-RECORD", 2, Some(2), |world, arguments| {
        let Some(copy) = slots(world, arguments[0], arguments[1]).map(<[Value]>::to_vec) else {
            return Err(not_a_record(world, arguments));
        };
        let name = world.symbol(arguments[1])?;
        world.heap.keep(Object::Record(name, copy)).map(Value::Object)
    }),
];

fn slots(world: &World, record: Value, name: Value) -> Option<&[Value]> {
    match (record, name) {
        (Value::Object(id), Value::Symbol(name)) => match world.heap.get(id) {
            Object::Record(kind, slots) if *kind == name => Some(slots),
            _ => None,
        },
        _ => None,
    }
}

fn not_a_record(world: &World, arguments: &[Value]) -> Fault {
    let expected = world.shown(arguments[1]);
    world.wrong_type(arguments[0], &expected)
}

/// The name of the slot at `place` of the structures called `kind`.
pub(crate) fn slot_name(world: &World, kind: SymbolId, place: usize) -> Option<SymbolId> {
    let mut at = world.symbols.get(kind).properties;
    // The property list holds (… %SLOTS (name …) …); it is short, and bounded all the same.
    for _ in 0..64 {
        let (key, rest) = world.heap.parts(at)?;
        let (value, next) = world.heap.parts(rest)?;
        if matches!(key, Value::Symbol(id) if world.symbols.get(id).name == "%SLOTS") {
            let mut slots = value;
            for _ in 0..place {
                slots = world.heap.parts(slots)?.1;
            }
            return match world.heap.parts(slots)? {
                (Value::Symbol(name), _) => Some(name),
                _ => None,
            };
        }
        at = next;
    }
    None
}
