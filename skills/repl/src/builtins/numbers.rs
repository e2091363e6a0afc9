//! Arithmetic, comparison, and functions of real numbers.

use std::cmp::Ordering;

use super::{Builtin, plain};
use crate::arithmetic::{self, Operation};
use crate::fault::{Fault, Outcome};
use crate::natural::Natural;
use crate::number::Number;
use crate::rational::Rational;
use crate::value::Value;
use crate::world::World;

pub(super) const FUNCTIONS: &[Builtin] = &[
    plain("+", 0, None, |world, arguments| {
        fold(world, Operation::Add, Value::Integer(0), arguments)
    }),
    plain("*", 0, None, |world, arguments| {
        fold(world, Operation::Multiply, Value::Integer(1), arguments)
    }),
    plain("-", 1, None, |world, arguments| match arguments {
        [one] => binary(world, Operation::Subtract, Value::Integer(0), *one),
        _ => fold(world, Operation::Subtract, arguments[0], &arguments[1..]),
    }),
    plain("/", 1, None, |world, arguments| match arguments {
        [one] => binary(world, Operation::Divide, Value::Integer(1), *one),
        _ => fold(world, Operation::Divide, arguments[0], &arguments[1..]),
    }),
    plain("1+", 1, Some(1), |world, arguments| {
        binary(world, Operation::Add, arguments[0], Value::Integer(1))
    }),
    plain("1-", 1, Some(1), |world, arguments| {
        binary(world, Operation::Subtract, arguments[0], Value::Integer(1))
    }),
    plain("=", 1, None, |world, arguments| {
        ordered(world, arguments, Ordering::is_eq)
    }),
    plain("<", 1, None, |world, arguments| {
        ordered(world, arguments, Ordering::is_lt)
    }),
    plain(">", 1, None, |world, arguments| {
        ordered(world, arguments, Ordering::is_gt)
    }),
    plain("<=", 1, None, |world, arguments| {
        ordered(world, arguments, Ordering::is_le)
    }),
    plain(">=", 1, None, |world, arguments| {
        ordered(world, arguments, Ordering::is_ge)
    }),
    plain("/=", 1, None, all_different),
    plain("MIN", 1, None, |world, arguments| {
        extreme(world, arguments, Ordering::Less)
    }),
    plain("MAX", 1, None, |world, arguments| {
        extreme(world, arguments, Ordering::Greater)
    }),
    plain("ABS", 1, Some(1), |world, arguments| {
        let number = world.number(arguments[0])?;
        if arithmetic::is_negative(&number) {
            return binary(world, Operation::Subtract, Value::Integer(0), arguments[0]);
        }
        Ok(arguments[0])
    }),
    plain("SIGNUM", 1, Some(1), |world, arguments| {
        let number = world.number(arguments[0])?;
        let sign = arithmetic::compare(&number, &Number::Integer(0)) as i8;
        Ok(match number {
            Number::Single(_) => Value::Single(f32::from(sign)),
            Number::Double(_) => Value::Double(f64::from(sign)),
            _ => Value::Integer(i64::from(sign)),
        })
    }),
    plain("ZEROP", 1, Some(1), |world, arguments| {
        let number = world.number(arguments[0])?;
        Ok(Value::truth(arithmetic::is_zero(&number)))
    }),
    plain("PLUSP", 1, Some(1), |world, arguments| {
        ordered(world, &[arguments[0], Value::Integer(0)], Ordering::is_gt)
    }),
    plain("MINUSP", 1, Some(1), |world, arguments| {
        ordered(world, &[arguments[0], Value::Integer(0)], Ordering::is_lt)
    }),
    plain("GCD", 0, None, |world, arguments| {
        let mut divisor = Natural::default();
        for &argument in arguments {
            let number = world.whole(argument)?.numerator;
            let shorter = number.bits().min(divisor.bits()) as usize / 64;
            world
                .heap
                .charge(1 + shorter.pow(2) * 8 + arithmetic::square_cost(number.bits()))?;
            divisor = divisor.common_divisor(&number);
        }
        Number::from_rational(Rational::integer(false, divisor)).into_value(&mut world.heap)
    }),
    plain("EXPT", 2, Some(2), |world, arguments| {
        let (base, exponent) = (world.number(arguments[0])?, world.number(arguments[1])?);
        let power = arithmetic::power(&base, &exponent)?;
        world.heap.charge(arithmetic::square_cost(power.bits()))?;
        power.into_value(&mut world.heap)
    }),
    plain("SQRT", 1, Some(1), |world, arguments| {
        let root = arithmetic::square_root(&world.number(arguments[0])?)?;
        root.into_value(&mut world.heap)
    }),
    plain("ISQRT", 1, Some(1), |world, arguments| {
        let number = world.whole(arguments[0])?;
        // Twenty divisions at most.
        world.heap.charge(arithmetic::square_cost(number.bits()) * 20)?;
        arithmetic::whole_square_root(&number)?.into_value(&mut world.heap)
    }),
    plain("EXP", 1, Some(1), |world, arguments| {
        by_float(world, arguments[0], f64::exp)
    }),
    plain("SIN", 1, Some(1), |world, arguments| {
        by_float(world, arguments[0], f64::sin)
    }),
    plain("COS", 1, Some(1), |world, arguments| {
        by_float(world, arguments[0], f64::cos)
    }),
    plain("TAN", 1, Some(1), |world, arguments| {
        by_float(world, arguments[0], f64::tan)
    }),
    plain("ASIN", 1, Some(1), |world, arguments| {
        by_float(world, arguments[0], f64::asin)
    }),
    plain("ACOS", 1, Some(1), |world, arguments| {
        by_float(world, arguments[0], f64::acos)
    }),
    plain("ATAN", 1, Some(2), |world, arguments| match arguments {
        [one] => by_float(world, *one, f64::atan),
        _ => {
            let (y, x) = (world.number(arguments[0])?, world.number(arguments[1])?);
            let angle = y.to_double().atan2(x.to_double());
            let double = matches!(y, Number::Double(_)) || matches!(x, Number::Double(_));
            Ok(if double {
                Value::Double(angle)
            } else {
                Value::Single(angle as f32)
            })
        }
    }),
    plain("LOG", 1, Some(2), |world, arguments| match arguments {
        [one] => by_float(world, *one, logarithm),
        _ => {
            let number = by_float(world, arguments[0], logarithm)?;
            let base = by_float(world, arguments[1], logarithm)?;
            binary(world, Operation::Divide, number, base)
        }
    }),
    plain("NUMERATOR", 1, Some(1), |world, arguments| {
        let exact = world.number(arguments[0])?.to_rational();
        Number::from_rational(Rational::integer(exact.negative, exact.numerator)).into_value(&mut world.heap)
    }),
    plain("DENOMINATOR", 1, Some(1), |world, arguments| {
        let exact = world.number(arguments[0])?.to_rational();
        Number::from_rational(Rational::integer(false, exact.denominator)).into_value(&mut world.heap)
    }),
    plain("FLOAT", 1, Some(2), |world, arguments| {
        let number = match (world.number(arguments[0])?, arguments.get(1)) {
            (number, Some(Value::Double(_))) => Number::Double(number.to_double()),
            (number @ (Number::Single(_) | Number::Double(_)), None) => number,
            (number, _) => Number::Single(number.to_single()),
        };
        number.into_value(&mut world.heap)
    }),
    plain("RATIONAL", 1, Some(1), |world, arguments| {
        let exact = world.number(arguments[0])?.to_rational();
        Number::from_rational(exact).into_value(&mut world.heap)
    }),
    plain("ASH", 2, Some(2), |world, arguments| {
        let count = world.integer(arguments[1])?;
        let shifted = arithmetic::shift(&world.whole(arguments[0])?, count)?;
        shifted.into_value(&mut world.heap)
    }),
    plain("LOGAND", 0, None, |world, arguments| {
        bits(world, arguments, -1, |left, right| left & right)
    }),
    plain("LOGIOR", 0, None, |world, arguments| {
        bits(world, arguments, 0, |left, right| left | right)
    }),
    plain("LOGXOR", 0, None, |world, arguments| {
        bits(world, arguments, 0, |left, right| left ^ right)
    }),
    plain("LOGNOT", 1, Some(1), |world, arguments| {
        let sum = binary(world, Operation::Add, arguments[0], Value::Integer(1))?;
        world.whole(arguments[0])?;
        binary(world, Operation::Subtract, Value::Integer(0), sum)
    }),
    plain("INTEGER-LENGTH", 1, Some(1), |world, arguments| {
        let number = world.whole(arguments[0])?;
        let magnitude = if number.negative {
            number.numerator.minus(&Natural::from_u64(1))
        } else {
            number.numerator
        };
        Ok(Value::Integer(magnitude.bits() as i64))
    }),
    plain("RANDOM", 1, Some(2), random),
];

impl World {
    /// The integer that this value is, however long.
    pub(super) fn whole(&self, value: Value) -> Outcome<Rational> {
        Number::of(&self.heap, value)
            .and_then(|number| number.to_whole())
            .ok_or_else(|| self.wrong_type(value, "INTEGER"))
    }
}

/// The result of an operation on two values.
pub(super) fn binary(world: &mut World, operation: Operation, left: Value, right: Value) -> Outcome<Value> {
    let (left, right) = (world.number(left)?, world.number(right)?);
    world.heap.charge(arithmetic::cost(operation, &left, &right))?;
    arithmetic::compute(operation, &left, &right)?.into_value(&mut world.heap)
}

fn fold(world: &mut World, operation: Operation, first: Value, rest: &[Value]) -> Outcome<Value> {
    world.heap.charge(rest.len())?;
    let mut result = world.number(first)?;
    for &value in rest {
        let value = world.number(value)?;
        world.heap.charge(arithmetic::cost(operation, &result, &value))?;
        result = arithmetic::compute(operation, &result, &value)?;
    }
    result.into_value(&mut world.heap)
}

fn ordered(world: &mut World, arguments: &[Value], holds: fn(Ordering) -> bool) -> Outcome<Value> {
    world.heap.charge(arguments.len())?;
    let mut all = true;
    for pair in arguments.windows(2) {
        let (left, right) = (world.number(pair[0])?, world.number(pair[1])?);
        all = all && holds(arithmetic::compare(&left, &right));
    }
    if let [one] = arguments {
        world.number(*one)?;
    }
    Ok(Value::truth(all))
}

fn all_different(world: &mut World, arguments: &[Value]) -> Outcome<Value> {
    for (place, &left) in arguments.iter().enumerate() {
        let left = world.number(left)?;
        for &right in &arguments[place + 1..] {
            world.heap.charge(1)?;
            let right = world.number(right)?;
            if arithmetic::compare(&left, &right).is_eq() {
                return Ok(Value::truth(false));
            }
        }
    }
    Ok(Value::truth(true))
}

fn extreme(world: &mut World, arguments: &[Value], wanted: Ordering) -> Outcome<Value> {
    world.heap.charge(arguments.len())?;
    let mut best = arguments[0];
    let mut best_number = world.number(best)?;
    for &value in &arguments[1..] {
        let number = world.number(value)?;
        if arithmetic::compare(&number, &best_number) == wanted {
            (best, best_number) = (value, number);
        }
    }
    Ok(best)
}

fn by_float(world: &mut World, value: Value, function: fn(f64) -> f64) -> Outcome<Value> {
    let number = world.number(value)?;
    arithmetic::by_float(&number, function)?.into_value(&mut world.heap)
}

/// The natural logarithm; not a number below zero, where it would be complex.
fn logarithm(float: f64) -> f64 {
    float.ln()
}

/// Bit by bit. Integers of 64 bits only: longer ones have no bits below zero.
fn bits(world: &mut World, arguments: &[Value], neutral: i64, operation: fn(i64, i64) -> i64) -> Outcome<Value> {
    let mut result = neutral;
    for &argument in arguments {
        world.heap.charge(1)?;
        match argument {
            Value::Integer(integer) => result = operation(result, integer),
            other => {
                world.whole(other)?;
                return Err(Fault::unsupported(
                    "Bit operations on integers of more than 64 bits are not supported here.",
                ));
            }
        }
    }
    Ok(Value::Integer(result))
}

/// A number that looks random: the same in every session, so that what a program does can be repeated.
fn random(world: &mut World, arguments: &[Value]) -> Outcome<Value> {
    world.seed ^= world.seed << 13;
    world.seed ^= world.seed >> 7;
    world.seed ^= world.seed << 17;
    let fraction = (world.seed >> 11) as f64 / (1u64 << 53) as f64;
    match arguments[0] {
        Value::Integer(limit) if limit > 0 => Ok(Value::Integer((world.seed % limit as u64) as i64)),
        Value::Single(limit) if limit > 0.0 => Ok(Value::Single((fraction * f64::from(limit)) as f32)),
        Value::Double(limit) if limit > 0.0 => Ok(Value::Double(fraction * limit)),
        other => Err(Fault::new(
            "TYPE-ERROR",
            format!(
                "The value {} is not of type (OR (FLOAT (0)) (INTEGER 1)) up to 63 bits",
                world.shown(other)
            ),
        )),
    }
}
