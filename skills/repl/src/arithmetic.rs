//! Arithmetic on numbers of all kinds, with Common Lisp's rules of contagion. Results that would be too long to
//! compute with are refused before they are computed.

use std::cmp::Ordering;

use crate::fault::{Fault, Outcome};
use crate::natural::Natural;
use crate::number::{Number, check_bits, overflow, print_float};
use crate::rational::Rational;

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
        // Of two singles, what a double gives rounds to what a single gives.
        (Single(_), _) | (_, Single(_)) => {
            let result = by(operation, f64::from(left.to_single()), f64::from(right.to_single()));
            finite_single(result as f32)
        }
        _ => {
            check_bits(left.bits() / 2 + right.bits() / 2)?;
            Ok(exact(operation, &left.to_rational(), &right.to_rational()))
        }
    }
}

fn exact(operation: Operation, left: &Rational, right: &Rational) -> Number {
    Number::from_rational(match operation {
        Operation::Add => left.plus(right),
        Operation::Subtract => left.plus(&right.clone().negated()),
        Operation::Multiply => left.times(right),
        Operation::Divide => left.over(right),
    })
}

fn by(operation: Operation, left: f64, right: f64) -> f64 {
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
        Number::Single(_) | Number::Double(_) => print_float(left),
        Number::Exact(_) => "…".to_owned(),
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
        Number::Exact(_) => false,
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
        _ => left.to_rational().cmp(&right.to_rational()),
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
        let is_below = remainder != 0 && (remainder < 0) != (*right < 0);
        match rounding {
            Rounding::Floor if is_below => return Ok((Integer(quotient - 1), Integer(remainder + right))),
            Rounding::Floor | Rounding::Truncate => return Ok((Integer(quotient), Integer(remainder))),
            _ if remainder == 0 => return Ok((Integer(quotient), Integer(0))),
            _ => {}
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
        _ => Number::from_rational(whole(
            &left.to_rational().unreduced_over(&right.to_rational()),
            rounding,
        )),
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

fn whole(quotient: &Rational, rounding: Rounding) -> Rational {
    let (floor, rest) = quotient.floor();
    let goes_up = match (rounding, rest) {
        (_, None) | (Rounding::Floor, _) => false,
        (Rounding::Ceiling, _) => true,
        (Rounding::Truncate, _) => quotient.negative,
        (Rounding::Round, Some(Ordering::Equal)) => floor.numerator.is_odd(),
        (Rounding::Round, Some(half)) => half == Ordering::Greater,
    };
    if goes_up {
        floor.plus(&Rational::from_i64(1))
    } else {
        floor
    }
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
            let base = base.to_rational();
            let bits = base.numerator.bits().max(base.denominator.bits());
            check_bits(bits.saturating_sub(1).saturating_mul(*count as u64))?;
            let count = u32::try_from(*count).map_err(|_| overflow())?;
            Ok(Number::from_rational(Rational {
                negative: base.negative && count % 2 == 1,
                numerator: base.numerator.power(count),
                denominator: base.denominator.power(count),
            }))
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
pub(crate) fn whole_square_root(number: &Rational) -> Outcome<Number> {
    if number.negative {
        return Err(complex());
    }
    Ok(Number::from_rational(Rational::integer(
        false,
        number.numerator.square_root(),
    )))
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
pub(crate) fn shift(number: &Rational, count: i64) -> Outcome<Number> {
    let magnitude = &number.numerator;
    if count >= 0 {
        if magnitude.is_zero() {
            return Ok(Number::Integer(0));
        }
        check_bits(magnitude.bits().saturating_add(count as u64))?;
        let shifted = magnitude.shifted_left(count as u64);
        return Ok(Number::from_rational(Rational::integer(number.negative, shifted)));
    }
    let count = count.unsigned_abs().min(magnitude.bits() + 1);
    // Below zero, the integer below is meant.
    let divisor = Natural::from_u64(1).shifted_left(count);
    let quotient =
        Rational::integer(number.negative, magnitude.clone()).unreduced_over(&Rational::integer(false, divisor));
    Ok(Number::from_rational(quotient.floor().0))
}

/// What an operation on these two costs, in units of work.
pub(crate) fn cost(operation: Operation, left: &Number, right: &Number) -> usize {
    let is_whole = |number: &Number| !matches!(number, Number::Exact(exact) if !exact.is_integer());
    if left.is_float() || right.is_float() {
        return 0;
    }
    let (left_words, right_words) = (left.bits() as usize / 64, right.bits() as usize / 64);
    match operation {
        _ if left_words.max(right_words) <= 1 => 0,
        Operation::Add | Operation::Subtract if is_whole(left) && is_whole(right) => left_words.max(right_words) / 16,
        Operation::Multiply if is_whole(left) && is_whole(right) => left_words * right_words / 16,
        // Reducing to lowest terms takes longest; it has as many steps as the shorter number has bits.
        _ => left_words * right_words / 8 + left_words.min(right_words).pow(2) * 8,
    }
}

/// What it costs to print or read a number of so many bits, or to divide by a much shorter one.
pub(crate) fn square_cost(bits: u64) -> usize {
    (bits as usize / 64).pow(2) / 8
}

fn complex() -> Fault {
    Fault::unsupported("The result would be a complex number, which this evaluator does not have.")
}
