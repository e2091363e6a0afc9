//! Functions of lists, vectors and strings alike.

use super::{Builtin, argument, plain};
use crate::arithmetic;
use crate::fault::{Fault, Outcome};
use crate::heap::check_length;
use crate::number::Number;
use crate::value::{NIL, Object, Value};
use crate::world::World;

pub(super) const FUNCTIONS: &[Builtin] = &[
    plain("LENGTH", 1, Some(1), |world, arguments| {
        Ok(Value::Integer(length(world, arguments[0])? as i64))
    }),
    plain("ELT", 2, Some(2), |world, arguments| {
        element(world, arguments[0], arguments[1])
    }),
    plain("AREF", 2, Some(2), |world, arguments| {
        element(world, arguments[0], arguments[1])
    }),
    plain("SVREF", 2, Some(2), |world, arguments| {
        element(world, arguments[0], arguments[1])
    }),
    plain("CHAR", 2, Some(2), |world, arguments| {
        element(world, arguments[0], arguments[1])
    }),
    plain("SCHAR", 2, Some(2), |world, arguments| {
        element(world, arguments[0], arguments[1])
    }),
    plain("%SET-ELT", 3, Some(3), set_element),
    plain("SUBSEQ", 2, Some(3), |world, arguments| {
        let items = items(world, arguments[0])?;
        let range = world.range(arguments[1], argument(arguments, 2), items.len())?;
        like(world, &items[range], arguments[0])
    }),
    plain("COPY-SEQ", 1, Some(1), |world, arguments| {
        let items = items(world, arguments[0])?;
        like(world, &items, arguments[0])
    }),
    plain("REVERSE", 1, Some(1), reverse),
    plain("NREVERSE", 1, Some(1), reverse),
    plain("CONCATENATE", 1, None, |world, arguments| {
        let mut all = Vec::new();
        for &sequence in &arguments[1..] {
            all.extend(items(world, sequence)?);
            check_length(all.len())?;
        }
        of_type(world, &all, arguments[0])
    }),
    plain("COERCE", 2, Some(2), coerce),
    plain("VECTOR", 0, None, |world, arguments| {
        world.heap.vector(arguments.to_vec())
    }),
    plain("MAKE-ARRAY", 1, None, make_array),
    plain("FILL", 2, Some(2), |world, arguments| {
        let count = length(world, arguments[0])?;
        for place in 0..count {
            set_element(world, &[arguments[0], Value::Integer(place as i64), arguments[1]])?;
        }
        Ok(arguments[0])
    }),
    plain("%ITEMS", 1, Some(1), |world, arguments| match arguments[0] {
        list @ (NIL | Value::Cons(_)) => Ok(list),
        other => {
            let items = items(world, other)?;
            world.heap.list(&items)
        }
    }),
    plain("%LIKE", 2, Some(2), |world, arguments| match arguments[1] {
        NIL | Value::Cons(_) => Ok(arguments[0]),
        other => {
            let items = items(world, arguments[0])?;
            like(world, &items, other)
        }
    }),
    plain("%OF-TYPE", 2, Some(2), |world, arguments| {
        let items = items(world, arguments[0])?;
        of_type(world, &items, arguments[1])
    }),
    plain("%SEARCH", 2, Some(3), search),
];

/// How many items a sequence has.
fn length(world: &mut World, sequence: Value) -> Outcome<usize> {
    if let Some(characters) = world.text(sequence) {
        return Ok(characters.len());
    }
    Ok(items(world, sequence)?.len())
}

/// The items of a sequence.
pub(super) fn items(world: &mut World, sequence: Value) -> Outcome<Vec<Value>> {
    match sequence {
        NIL | Value::Cons(_) => world.heap.items(sequence),
        Value::Object(id) => {
            let items: Vec<Value> = match world.heap.get(id) {
                Object::Text(characters) => characters
                    .iter()
                    .map(|character| Value::Character(*character))
                    .collect(),
                Object::Vector(items) => items.clone(),
                _ => return Err(world.wrong_type(sequence, "SEQUENCE")),
            };
            world.heap.charge(items.len() / 4)?;
            Ok(items)
        }
        _ => Err(world.wrong_type(sequence, "SEQUENCE")),
    }
}

/// A new sequence of the kind that `model` is.
fn like(world: &mut World, items: &[Value], model: Value) -> Outcome<Value> {
    if world.text(model).is_some() {
        return text_of(world, items);
    }
    match model {
        NIL | Value::Cons(_) => world.heap.list(items),
        _ => world.heap.vector(items.to_vec()),
    }
}

fn text_of(world: &mut World, items: &[Value]) -> Outcome<Value> {
    let mut characters = Vec::with_capacity(items.len());
    for &item in items {
        match item {
            Value::Character(character) => characters.push(character),
            other => return Err(world.wrong_type(other, "CHARACTER")),
        }
    }
    world.heap.text(characters)
}

/// A new sequence of the type with this name.
fn of_type(world: &mut World, items: &[Value], kind: Value) -> Outcome<Value> {
    let name = match world.heap.parts(kind) {
        Some((name, _)) => name,
        None => kind,
    };
    let id = world.symbol(name)?;
    match world.symbols.get(id).name.as_str() {
        "LIST" | "CONS" | "NULL" => world.heap.list(items),
        "VECTOR" | "SIMPLE-VECTOR" | "ARRAY" | "SIMPLE-ARRAY" => world.heap.vector(items.to_vec()),
        "STRING" | "SIMPLE-STRING" | "BASE-STRING" => text_of(world, items),
        other => {
            let text = format!("{other} is not the name of a sequence type");
            Err(Fault::new("TYPE-ERROR", text))
        }
    }
}

fn element(world: &mut World, sequence: Value, index: Value) -> Outcome<Value> {
    let place = world.index(index)?;
    let found = match sequence {
        Value::Object(id) => match world.heap.get(id) {
            Object::Text(characters) => characters.get(place).map(|character| Value::Character(*character)),
            Object::Vector(items) => items.get(place).copied(),
            _ => return Err(world.wrong_type(sequence, "SEQUENCE")),
        },
        _ => items(world, sequence)?.get(place).copied(),
    };
    match found {
        Some(value) => Ok(value),
        None => Err(out_of_bounds(world, sequence, place)),
    }
}

fn out_of_bounds(world: &mut World, sequence: Value, place: usize) -> Fault {
    let bound = length(world, sequence).unwrap_or(0);
    Fault::new(
        "INVALID-ARRAY-INDEX-ERROR",
        format!(
            "Invalid index {place} for a sequence of length {bound}, should be a non-negative integer below {bound}."
        ),
    )
}

fn set_element(world: &mut World, arguments: &[Value]) -> Outcome<Value> {
    let (sequence, place, value) = (arguments[0], world.index(arguments[1])?, arguments[2]);
    world.heap.charge(1)?;
    if let Value::Cons(_) = sequence {
        let mut at = sequence;
        for _ in 0..place {
            world.heap.charge(1)?;
            at = world.cdr(at)?;
        }
        if let Value::Cons(id) = at
            && let Object::Cons(car, _) = world.heap.get_mut(id)
        {
            *car = value;
            return Ok(value);
        }
        return Err(out_of_bounds(world, sequence, place));
    }
    let Value::Object(id) = sequence else {
        return Err(world.wrong_type(sequence, "SEQUENCE"));
    };
    let slot_found = match world.heap.get_mut(id) {
        Object::Vector(items) => items.get_mut(place).map(|slot| *slot = value),
        Object::Text(characters) => match value {
            Value::Character(character) => characters.get_mut(place).map(|slot| *slot = character),
            _ => return Err(world.wrong_type(value, "CHARACTER")),
        },
        _ => return Err(world.wrong_type(sequence, "SEQUENCE")),
    };
    match slot_found {
        Some(()) => Ok(value),
        None => Err(out_of_bounds(world, sequence, place)),
    }
}

fn reverse(world: &mut World, arguments: &[Value]) -> Outcome<Value> {
    let mut items = items(world, arguments[0])?;
    items.reverse();
    like(world, &items, arguments[0])
}

fn coerce(world: &mut World, arguments: &[Value]) -> Outcome<Value> {
    let (value, kind) = (arguments[0], arguments[1]);
    let name = match kind {
        Value::Symbol(id) => world.symbols.get(id).name.clone(),
        _ => String::new(),
    };
    match name.as_str() {
        "T" => Ok(value),
        "FLOAT" | "SINGLE-FLOAT" | "SHORT-FLOAT" => match (world.number(value)?, name.as_str()) {
            (Number::Double(_), "FLOAT") => Ok(value),
            (number, _) => Number::Single(number.to_single()).into_value(&mut world.heap),
        },
        "DOUBLE-FLOAT" | "LONG-FLOAT" => {
            let number = world.number(value)?;
            Number::Double(number.to_double()).into_value(&mut world.heap)
        }
        "INTEGER" => {
            let number = world.number(value)?;
            let (whole, rest) = arithmetic::divide(&number, &Number::Integer(1), arithmetic::Rounding::Truncate)?;
            if !arithmetic::is_zero(&rest) || number.is_float() {
                return Err(world.wrong_type(value, "INTEGER"));
            }
            whole.into_value(&mut world.heap)
        }
        "CHARACTER" => match world.designated_text(value)?.as_slice() {
            [single] => Ok(Value::Character(*single)),
            _ => Err(world.wrong_type(value, "CHARACTER")),
        },
        _ => {
            let items = items(world, value)?;
            of_type(world, &items, kind)
        }
    }
}

/// One dimension only.
fn make_array(world: &mut World, arguments: &[Value]) -> Outcome<Value> {
    let dimension = match world.heap.parts(arguments[0]) {
        Some((dimension, NIL)) => dimension,
        Some(_) => {
            return Err(Fault::unsupported(
                "Arrays of more than one dimension are not supported here.",
            ));
        }
        None => arguments[0],
    };
    let count = world.index(dimension)?;
    check_length(count)?;
    let contents = world.key(&arguments[1..], "INITIAL-CONTENTS")?;
    let element = world.key(&arguments[1..], "INITIAL-ELEMENT")?;
    let kind = world.key(&arguments[1..], "ELEMENT-TYPE")?;
    if world.key(&arguments[1..], "FILL-POINTER")?.is_some_and(Value::is_true) {
        return Err(Fault::unsupported(
            "Fill pointers are not supported here; use a list and PUSH.",
        ));
    }
    let items = match contents {
        Some(contents) => items(world, contents)?,
        None => vec![element.unwrap_or(Value::Integer(0)); count],
    };
    if items.len() != count {
        let given = items.len();
        return Err(Fault::simple(format!(
            "{given} initial contents for an array of {count}"
        )));
    }
    let is_text = match kind {
        Some(Value::Symbol(id)) => matches!(
            world.symbols.get(id).name.as_str(),
            "CHARACTER" | "BASE-CHAR" | "STANDARD-CHAR"
        ),
        _ => false,
    };
    if is_text && contents.is_none() && element.is_none() {
        return world.heap.text(vec![' '; count]);
    }
    if is_text {
        text_of(world, &items)
    } else {
        world.heap.vector(items)
    }
}

/// Where the first sequence begins in the second, from a start on; items are compared with `eql`.
fn search(world: &mut World, arguments: &[Value]) -> Outcome<Value> {
    let (wanted, all) = (items(world, arguments[0])?, items(world, arguments[1])?);
    let start = world.index(arguments.get(2).copied().unwrap_or(Value::Integer(0)))?;
    if wanted.len() > all.len() {
        return Ok(NIL);
    }
    for begin in start..=all.len() - wanted.len() {
        let mut same = 0;
        while same < wanted.len() && super::eql(world, wanted[same], all[begin + same]) {
            same += 1;
        }
        world.heap.charge(1 + same / 4)?;
        if same == wanted.len() {
            return Ok(Value::Integer(begin as i64));
        }
    }
    Ok(NIL)
}
