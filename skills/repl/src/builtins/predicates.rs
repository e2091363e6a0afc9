//! What kind of thing a value is, and whether two are the same.

use super::equality::{Depth, eql, equal};
use super::{Builtin, Run, plain};
use crate::symbols::{Home, Operator};
use crate::value::{NIL, Object, Value};
use crate::world::World;

pub(super) const FUNCTIONS: &[Builtin] = &[
    plain("EQ", 2, Some(2), |_, arguments| {
        Ok(Value::truth(arguments[0] == arguments[1]))
    }),
    plain("EQL", 2, Some(2), |world, arguments| {
        Ok(Value::truth(eql(world, arguments[0], arguments[1])))
    }),
    plain("EQUAL", 2, Some(2), |world, arguments| {
        equal(world, arguments[0], arguments[1], Depth::Equal).map(Value::truth)
    }),
    plain("EQUALP", 2, Some(2), |world, arguments| {
        equal(world, arguments[0], arguments[1], Depth::Equalp).map(Value::truth)
    }),
    plain("NOT", 1, Some(1), |_, arguments| Ok(Value::truth(arguments[0] == NIL))),
    plain("NULL", 1, Some(1), |_, arguments| Ok(Value::truth(arguments[0] == NIL))),
    test("ATOM", |_, value| !matches!(value, Value::Cons(_))),
    test("CONSP", |_, value| matches!(value, Value::Cons(_))),
    test("LISTP", |_, value| matches!(value, Value::Cons(_)) || value == NIL),
    test("SYMBOLP", |_, value| matches!(value, Value::Symbol(_))),
    test(
        "KEYWORDP",
        |world, value| matches!(value, Value::Symbol(id) if world.symbols.get(id).home == Home::Keyword),
    ),
    test("CHARACTERP", |_, value| matches!(value, Value::Character(_))),
    test("FLOATP", |_, value| {
        matches!(value, Value::Single(_) | Value::Double(_))
    }),
    test("STRINGP", |world, value| world.text(value).is_some()),
    test("INTEGERP", is_integer),
    test("RATIONALP", |world, value| {
        is_integer(world, value) || is_ratio(world, value)
    }),
    test("NUMBERP", is_number),
    test("REALP", is_number),
    test("VECTORP", is_vector),
    test("ARRAYP", is_vector),
    test("SIMPLE-VECTOR-P", |world, value| {
        object(world, value, |object| matches!(object, Object::Vector(_)))
    }),
    test("FUNCTIONP", |world, value| {
        matches!(value, Value::Native(_)) || object(world, value, |object| matches!(object, Object::Closure(_)))
    }),
    test("HASH-TABLE-P", |world, value| {
        object(world, value, |object| matches!(object, Object::Table(_)))
    }),
    test("STREAMP", |world, value| {
        value == crate::value::T || object(world, value, |object| matches!(object, Object::Stream(_)))
    }),
    test(
        "BOUNDP",
        |world, value| matches!(value, Value::Symbol(id) if world.symbols.get(id).value.is_some()),
    ),
    test(
        "FBOUNDP",
        |world, value| matches!(value, Value::Symbol(id) if world.symbols.get(id).operator.is_some()),
    ),
    test(
        "%MACRO-P",
        |world, value| matches!(value, Value::Symbol(id) if matches!(world.symbols.get(id).operator, Some(Operator::Macro(_)))),
    ),
    plain("TYPE-OF", 1, Some(1), type_of),
    plain("%IS-KIND", 2, Some(2), |world, arguments| {
        let kind = world
            .condition(arguments[0])
            .map(|(kind, _)| world.symbols.get(kind).name.clone());
        let wanted = world.symbol(arguments[1])?;
        let wanted = &world.symbols.get(wanted).name;
        Ok(Value::truth(
            kind.is_some_and(|kind| crate::fault::is_kind(&kind, wanted)),
        ))
    }),
];

/// A predicate of one value.
const fn test(name: &'static str, test: fn(&World, Value) -> bool) -> Builtin {
    Builtin {
        name,
        least: 1,
        most: Some(1),
        run: Run::Test(test),
    }
}

fn object(world: &World, value: Value, holds: fn(&Object) -> bool) -> bool {
    matches!(value, Value::Object(id) if holds(world.heap.get(id)))
}

fn is_integer(world: &World, value: Value) -> bool {
    matches!(value, Value::Integer(_))
        || object(
            world,
            value,
            |object| matches!(object, Object::Exact(exact) if exact.is_integer()),
        )
}

fn is_ratio(world: &World, value: Value) -> bool {
    object(
        world,
        value,
        |object| matches!(object, Object::Exact(exact) if !exact.is_integer()),
    )
}

fn is_number(world: &World, value: Value) -> bool {
    is_integer(world, value) || is_ratio(world, value) || matches!(value, Value::Single(_) | Value::Double(_))
}

fn is_vector(world: &World, value: Value) -> bool {
    object(world, value, |object| {
        matches!(object, Object::Vector(_) | Object::Text(_))
    })
}

/// The name of a value's type; where SBCL gives a list with bounds, only the name.
fn type_of(world: &mut World, arguments: &[Value]) -> crate::fault::Outcome<Value> {
    let name = match arguments[0] {
        crate::value::T => "BOOLEAN",
        NIL => "NULL",
        Value::Symbol(id) if world.symbols.get(id).home == Home::Keyword => "KEYWORD",
        Value::Symbol(_) => "SYMBOL",
        Value::Integer(_) => "INTEGER",
        Value::Single(_) => "SINGLE-FLOAT",
        Value::Double(_) => "DOUBLE-FLOAT",
        Value::Character(_) => "STANDARD-CHAR",
        Value::Native(_) => "COMPILED-FUNCTION",
        Value::Cons(_) => "CONS",
        Value::Object(id) => match world.heap.get(id) {
            Object::Text(_) => "STRING",
            Object::Vector(_) => "SIMPLE-VECTOR",
            Object::Exact(exact) if exact.is_integer() => "INTEGER",
            Object::Exact(_) => "RATIO",
            Object::Table(_) => "HASH-TABLE",
            Object::Closure(_) => "FUNCTION",
            Object::Stream(_) => "STRING-OUTPUT-STREAM",
            Object::Condition(kind, _) | Object::Record(kind, _) => return Ok(Value::Symbol(*kind)),
            Object::Free(_) | Object::Cons(..) | Object::Binding(_) => "T",
        },
    };
    world.symbols.intern(name).map(Value::Symbol)
}
