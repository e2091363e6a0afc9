//! Functions that make quotients whole, and what belongs to whole numbers.

use super::{Builtin, multiple, plain};
use crate::arithmetic::{self, Rounding};
use crate::fault::Outcome;
use crate::number::Number;
use crate::value::Value;
use crate::world::World;

pub(super) const FUNCTIONS: &[Builtin] = &[
    multiple("FLOOR", 1, Some(2), |world, arguments| {
        divide(world, arguments, Rounding::Floor)
    }),
    multiple("CEILING", 1, Some(2), |world, arguments| {
        divide(world, arguments, Rounding::Ceiling)
    }),
    multiple("TRUNCATE", 1, Some(2), |world, arguments| {
        divide(world, arguments, Rounding::Truncate)
    }),
    multiple("ROUND", 1, Some(2), |world, arguments| {
        divide(world, arguments, Rounding::Round)
    }),
    multiple("FFLOOR", 1, Some(2), |world, arguments| {
        divide_to_float(world, arguments, Rounding::Floor)
    }),
    multiple("FROUND", 1, Some(2), |world, arguments| {
        divide_to_float(world, arguments, Rounding::Round)
    }),
    plain("MOD", 2, Some(2), |world, arguments| {
        Ok(divide(world, arguments, Rounding::Floor)?[1])
    }),
    plain("REM", 2, Some(2), |world, arguments| {
        Ok(divide(world, arguments, Rounding::Truncate)?[1])
    }),
    plain("EVENP", 1, Some(1), |world, arguments| {
        Ok(Value::truth(!is_odd(world, arguments[0])?))
    }),
    plain("ODDP", 1, Some(1), |world, arguments| {
        Ok(Value::truth(is_odd(world, arguments[0])?))
    }),
];

fn divide(world: &mut World, arguments: &[Value], rounding: Rounding) -> Outcome<Vec<Value>> {
    let left = world.number(arguments[0])?;
    let right = match arguments.get(1) {
        Some(&divisor) => world.number(divisor)?,
        None => Number::Integer(1),
    };
    world
        .heap
        .charge(arithmetic::square_cost(left.bits().max(right.bits())))?;
    let (quotient, remainder) = arithmetic::divide(&left, &right, rounding)?;
    Ok(vec![
        quotient.into_value(&mut world.heap)?,
        remainder.into_value(&mut world.heap)?,
    ])
}

fn divide_to_float(world: &mut World, arguments: &[Value], rounding: Rounding) -> Outcome<Vec<Value>> {
    let double = arguments.iter().any(|argument| matches!(argument, Value::Double(_)));
    let mut values = divide(world, arguments, rounding)?;
    let quotient = world.number(values[0])?;
    values[0] = if double {
        Value::Double(quotient.to_double())
    } else {
        Value::Single(quotient.to_single())
    };
    Ok(values)
}

fn is_odd(world: &World, value: Value) -> Outcome<bool> {
    match value {
        Value::Integer(integer) => Ok(integer & 1 == 1),
        _ => Ok(world.whole(value)?.numerator.is_odd()),
    }
}
