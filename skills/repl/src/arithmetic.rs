//! Arithmetic on numbers of all kinds, with Common Lisp's rules of contagion. Results that would be too long to
//! compute with are refused before they are computed.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_rational::BigRational;
use num_traits::{Pow, Signed, ToPrimitive, Zero};

use crate::fault::{Fault, Outcome};
use crate::number::{Number, check_bits, overflow};

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Operation {
    fn sign(self) -> char {
        match self {
            Operation::Add => '+',
            Operation::Subtract => '-',
            Operation::Multiply => '*',
            Operation::Divide => '/',
        }
    }
}

/// How a quotient is made whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    Floor,
    Ceiling,
    Truncate,
    /// To the nearest, and halfway to the even one.
    Round,
}

/// The result of `left operation right`.
pub(crate) fn compute(operation: Operation, left: &Number, right: &Number) -> Outcome<Number> {
    use Number::{Double, Integer, Single};
    if let (Integer(left), Integer(right)) = (left, right) {
        let small = match operation {
            Operation::Add => left.checked_add(*right),
            Operation::Subtract => left.checked_sub(*right),
            Operation::Multiply => left.checked_mul(*right),
            Operation::Divide if *right != 0 && left.checked_rem(*right) == Some(0) => left.checked_div(*right),
            Operation::Divide => None,
        };
        if let Some(small) = small {
            return Ok(Integer(small));
        }
    }
    if operation == Operation::Divide && is_zero(right) {
        return Err(division_by_zero(operation.sign(), left));
    }
    match (left, right) {
        (Double(_), _) | (_, Double(_)) => finite_double(by(operation, left.to_double(), right.to_double())),
        (Single(_), _) | (_, Single(_)) => finite_single(by(operation, left.to_single(), right.to_single())),
        _ => {
            check_bits(left.bits() / 2 + right.bits() / 2)?;
            exact(operation, left, right)
        }
    }
}

fn exact(operation: Operation, left: &Number, right: &Number) -> Outcome<Number> {
    if let (Some(left), Some(right)) = (left.to_big(), right.to_big()) {
        return Ok(match operation {
            Operation::Add => Number::from_big(left + right),
            Operation::Subtract => Number::from_big(left - right),
            Operation::Multiply => Number::from_big(left * right),
            Operation::Divide => Number::from_ratio(BigRational::new(left, right)),
        });
    }
    match (left.to_ratio(), right.to_ratio()) {
        (Some(left), Some(right)) => Ok(Number::from_ratio(by(operation, left, right))),
        _ => Err(overflow()),
    }
}

fn by<N>(operation: Operation, left: N, right: N) -> N
where
    N: std::ops::Add<Output = N> + std::ops::Sub<Output = N> + std::ops::Mul<Output = N> + std::ops::Div<Output = N>,
{
    match operation {
        Operation::Add => left + right,
        Operation::Subtract => left - right,
        Operation::Multiply => left * right,
        Operation::Divide => left / right,
    }
}

fn finite_double(float: f64) -> Outcome<Number> {
    if float.is_finite() {
        Ok(Number::Double(float))
    } else {
        Err(overflow())
    }
}

fn finite_single(float: f32) -> Outcome<Number> {
    if float.is_finite() {
        Ok(Number::Single(float))
    } else {
        Err(overflow())
    }
}

fn division_by_zero(sign: char, left: &Number) -> Fault {
    let left = match left {
        Number::Integer(integer) => integer.to_string(),
        Number::Single(float) => crate::number::print_single(*float),
        Number::Double(float) => crate::number::print_double(*float),
        Number::Big(_) | Number::Ratio(_) => "…".to_owned(),
    };
    Fault::new(
        "DIVISION-BY-ZERO",
        format!("arithmetic error DIVISION-BY-ZERO signalled\nOperation was ({sign} {left} 0)."),
    )
}

/// Whether it is zero.
pub(crate) fn is_zero(number: &Number) -> bool {
    match number {
        Number::Integer(integer) => *integer == 0,
        Number::Single(float) => *float == 0.0,
        Number::Double(float) => *float == 0.0,
        Number::Big(_) | Number::Ratio(_) => false,
    }
}

/// Whether it is below zero.
pub(crate) fn is_negative(number: &Number) -> bool {
    compare(number, &Number::Integer(0)) == Ordering::Less
}

/// How two numbers compare: exactly, floats too.
pub(crate) fn compare(left: &Number, right: &Number) -> Ordering {
    use Number::{Double, Integer, Single};
    match (left, right) {
        (Integer(left), Integer(right)) => left.cmp(right),
        (Single(_) | Double(_), Single(_) | Double(_)) => left
            .to_double()
            .partial_cmp(&right.to_double())
            .unwrap_or(Ordering::Equal),
        _ => left.to_ratio().cmp(&right.to_ratio()),
    }
}

/// The whole quotient, and the remainder.
pub(crate) fn divide(left: &Number, right: &Number, rounding: Rounding) -> Outcome<(Number, Number)> {
    use Number::{Double, Integer, Single};
    if is_zero(right) {
        return Err(division_by_zero('/', left));
    }
    if let (Integer(left), Integer(right)) = (left, right)
        && let (Some(quotient), Some(remainder)) = (left.checked_div(*right), left.checked_rem(*right))
    {
        if remainder == 0 || rounding == Rounding::Truncate {
            return Ok((Integer(quotient), Integer(remainder)));
        }
        if rounding == Rounding::Floor {
            let (quotient, remainder) = left.div_mod_floor(right);
            return Ok((Integer(quotient), Integer(remainder)));
        }
    }
    let whole = match (left, right) {
        (Double(_), _) | (_, Double(_)) => {
            Number::from_whole_double(whole_double(left.to_double() / right.to_double(), rounding))?
        }
        (Single(_), _) | (_, Single(_)) => {
            let quotient = f64::from(left.to_single() / right.to_single());
            Number::from_whole_double(whole_double(quotient, rounding))?
        }
        _ => match (left.to_ratio(), right.to_ratio()) {
            (Some(left), Some(right)) => Number::from_big(whole_ratio(&(left / right), rounding)),
            _ => return Err(overflow()),
        },
    };
    let product = compute(Operation::Multiply, &whole, right)?;
    let remainder = compute(Operation::Subtract, left, &product)?;
    Ok((whole, remainder))
}

fn whole_double(quotient: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Floor => quotient.floor(),
        Rounding::Ceiling => quotient.ceil(),
        Rounding::Truncate => quotient.trunc(),
        Rounding::Round => quotient.round_ties_even(),
    }
}

fn whole_ratio(quotient: &BigRational, rounding: Rounding) -> BigInt {
    match rounding {
        Rounding::Floor => quotient.floor().to_integer(),
        Rounding::Ceiling => quotient.ceil().to_integer(),
        Rounding::Truncate => quotient.trunc().to_integer(),
        Rounding::Round => {
            let floor = quotient.floor().to_integer();
            let twice = (quotient - BigRational::from_integer(floor.clone())) * BigInt::from(2);
            let up = match twice.cmp(&BigRational::from_integer(BigInt::from(1))) {
                Ordering::Less => false,
                Ordering::Greater => true,
                Ordering::Equal => floor.is_odd(),
            };
            if up { floor + 1 } else { floor }
        }
    }
}

/// The greatest common divisor of two integers.
pub(crate) fn gcd(left: &BigInt, right: &BigInt) -> Number {
    Number::from_big(left.gcd(right))
}

/// `base` to the power of `exponent`.
pub(crate) fn power(base: &Number, exponent: &Number) -> Outcome<Number> {
    let Number::Integer(count) = exponent else {
        let double = matches!(base, Number::Double(_)) || matches!(exponent, Number::Double(_));
        if is_negative(base) {
            return Err(complex());
        }
        let power = base.to_double().powf(exponent.to_double());
        return if double {
            finite_double(power)
        } else {
            finite_single(power as f32)
        };
    };
    match base {
        Number::Single(float) => finite_single(f64::from(*float).powf(*count as f64) as f32),
        Number::Double(float) => finite_double(float.powf(*count as f64)),
        _ if *count < 0 => {
            let positive = power(base, &compute(Operation::Subtract, &Number::Integer(0), exponent)?)?;
            compute(Operation::Divide, &Number::Integer(1), &positive)
        }
        Number::Integer(0 | 1) => Ok(if *count == 0 { Number::Integer(1) } else { base.clone() }),
        Number::Integer(-1) => Ok(Number::Integer(if count % 2 == 0 { 1 } else { -1 })),
        _ => {
            let bits = match base {
                // Of a small number its own bits, not the 64 it is kept in.
                Number::Integer(integer) => u64::from(64 - integer.unsigned_abs().leading_zeros()),
                other => other.bits() / 2,
            };
            check_bits(bits.saturating_sub(1).saturating_mul(*count as u64))?;
            let count = u32::try_from(*count).map_err(|_| overflow())?;
            match base.to_ratio() {
                Some(ratio) => {
                    let (numerator, denominator) = ratio.into_raw();
                    Ok(Number::from_ratio(BigRational::new_raw(
                        numerator.pow(count),
                        denominator.pow(count),
                    )))
                }
                None => Err(overflow()),
            }
        }
    }
}

/// The square root: exact where SBCL's is, else a float.
pub(crate) fn square_root(number: &Number) -> Outcome<Number> {
    if is_negative(number) {
        return Err(complex());
    }
    match number {
        Number::Double(float) => Ok(Number::Double(float.sqrt())),
        other => finite_single(other.to_double().sqrt() as f32),
    }
}

/// The largest integer whose square is not above `number`.
pub(crate) fn whole_square_root(number: &BigInt) -> Outcome<Number> {
    if number.is_negative() {
        return Err(complex());
    }
    Ok(Number::from_big(number.sqrt()))
}

/// A function of one float, computed in double precision, with the precision of its argument.
pub(crate) fn by_float(number: &Number, function: fn(f64) -> f64) -> Outcome<Number> {
    let result = function(number.to_double());
    if result.is_nan() {
        return Err(complex());
    }
    match number {
        Number::Double(_) => finite_double(result),
        _ => finite_single(result as f32),
    }
}

/// An integer shifted left by `count` bits, or right when it is negative.
pub(crate) fn shift(number: &BigInt, count: i64) -> Outcome<Number> {
    if count >= 0 {
        if number.is_zero() {
            return Ok(Number::Integer(0));
        }
        check_bits(number.bits().saturating_add(count as u64))?;
        return Ok(Number::from_big(number << count as u64));
    }
    let count = count.unsigned_abs().min(number.bits() + 1);
    Ok(Number::from_big(number >> count))
}

/// What long arithmetic on these two costs, in units of work.
pub(crate) fn cost(left: &Number, right: &Number) -> usize {
    ((left.bits() / 64) * (right.bits() / 64) / 32)
        .to_usize()
        .unwrap_or(usize::MAX)
}

fn complex() -> Fault {
    Fault::new(
        "UNSUPPORTED",
        "The result would be a complex number, which this evaluator does not have.",
    )
}
