//! Numbers as they are computed with: the kinds, how they become values, and how floats are printed. The operations are
//! in `arithmetic`.

use crate::bounds::INTEGER_BITS;
use crate::decimal::Decimal;
use crate::fault::{Fault, Outcome};
use crate::heap::Heap;
use crate::rational::{Precision, Rational};
use crate::value::{Object, Value};

/// A real number.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    Integer(i64),
    /// An integer that does not fit 64 bits, or a ratio.
    Exact(Rational),
    Single(f32),
    Double(f64),
}

impl Number {
    /// The number that `value` is, if it is one.
    pub(crate) fn of(heap: &Heap, value: Value) -> Option<Number> {
        match value {
            Value::Integer(integer) => Some(Number::Integer(integer)),
            Value::Single(float) => Some(Number::Single(float)),
            Value::Double(float) => Some(Number::Double(float)),
            Value::Object(id) => match heap.get(id) {
                Object::Exact(exact) => Some(Number::Exact((**exact).clone())),
                _ => None,
            },
            _ => None,
        }
    }

    /// The number as a value.
    ///
    /// # Errors
    /// A number that is too long, a float that is not finite, or a full heap.
    pub(crate) fn into_value(self, heap: &mut Heap) -> Outcome<Value> {
        match self {
            Number::Integer(integer) => Ok(Value::Integer(integer)),
            Number::Single(float) if float.is_finite() => Ok(Value::Single(float)),
            Number::Double(float) if float.is_finite() => Ok(Value::Double(float)),
            Number::Single(_) | Number::Double(_) => Err(overflow()),
            Number::Exact(exact) => {
                check_bits(exact.numerator.bits().max(exact.denominator.bits()))?;
                heap.keep(Object::Exact(Box::new(exact))).map(Value::Object)
            }
        }
    }

    /// An exact number in its smallest form.
    pub(crate) fn from_rational(exact: Rational) -> Number {
        match exact.to_i64() {
            Some(small) => Number::Integer(small),
            None => Number::Exact(exact),
        }
    }

    /// The exact number that it is; a float's exact value.
    pub(crate) fn to_rational(&self) -> Rational {
        match self {
            Number::Integer(integer) => Rational::from_i64(*integer),
            Number::Exact(exact) => exact.clone(),
            Number::Single(float) => Rational::from_float(f64::from(*float)),
            Number::Double(float) => Rational::from_float(*float),
        }
    }

    /// The integer that it is, if it is one; not that of a float.
    pub(crate) fn to_whole(&self) -> Option<Rational> {
        match self {
            Number::Integer(integer) => Some(Rational::from_i64(*integer)),
            Number::Exact(exact) if exact.is_integer() => Some(exact.clone()),
            _ => None,
        }
    }

    /// Whether it is a float.
    pub(crate) fn is_float(&self) -> bool {
        matches!(self, Number::Single(_) | Number::Double(_))
    }

    /// The nearest double; infinite when out of range.
    pub(crate) fn to_double(&self) -> f64 {
        match self {
            Number::Integer(integer) => *integer as f64,
            Number::Exact(exact) => exact.to_float(Precision::DOUBLE),
            Number::Single(float) => f64::from(*float),
            Number::Double(float) => *float,
        }
    }

    /// The nearest single; infinite when out of range.
    pub(crate) fn to_single(&self) -> f32 {
        match self {
            Number::Integer(integer) => *integer as f32,
            Number::Exact(exact) => exact.to_float(Precision::SINGLE) as f32,
            Number::Single(float) => *float,
            Number::Double(float) => *float as f32,
        }
    }

    /// The integer that a float without fraction is.
    pub(crate) fn from_whole_double(float: f64) -> Outcome<Number> {
        if float.is_finite() {
            Ok(Number::from_rational(Rational::from_float(float)))
        } else {
            Err(overflow())
        }
    }

    /// How many bits it takes, about.
    pub(crate) fn bits(&self) -> u64 {
        match self {
            Number::Integer(_) | Number::Single(_) | Number::Double(_) => 64,
            Number::Exact(exact) => exact.bits(),
        }
    }

    /// The shortest digits of the number as a float, and whether it is below zero. Exact numbers become singles first.
    pub(crate) fn to_decimal(&self) -> (bool, Decimal) {
        match self {
            Number::Double(float) => (float.is_sign_negative(), Decimal::shortest(*float, Precision::DOUBLE)),
            other => {
                let float = f64::from(other.to_single());
                (float.is_sign_negative(), Decimal::shortest(float, Precision::SINGLE))
            }
        }
    }
}

/// Refuses integers that are too long.
pub(crate) fn check_bits(bits: u64) -> Outcome<()> {
    if bits > INTEGER_BITS {
        return Err(Fault::new(
            "ARITHMETIC-ERROR",
            format!("an integer of {bits} bits; this evaluator computes with up to {INTEGER_BITS}"),
        ));
    }
    Ok(())
}

/// The error for a float out of range.
pub(crate) fn overflow() -> Fault {
    Fault::new(
        "FLOATING-POINT-OVERFLOW",
        "arithmetic error FLOATING-POINT-OVERFLOW signalled",
    )
}

/// An exact number, as digits in the base `radix`.
pub(crate) fn print_rational(exact: &Rational, radix: u32) -> String {
    let sign = if exact.negative { "-" } else { "" };
    let numerator = exact.numerator.to_text(radix);
    if exact.is_integer() {
        return format!("{sign}{numerator}");
    }
    format!("{sign}{numerator}/{}", exact.denominator.to_text(radix))
}

/// A float: plain from 0.001 up to ten million, else with an exponent. A double has the marker `d` in any case.
pub(crate) fn print_float(number: &Number) -> String {
    let (is_negative, decimal) = number.to_decimal();
    let sign = if is_negative { "-" } else { "" };
    let is_double = matches!(number, Number::Double(_));
    let or_zero = |digits: &str| {
        if digits.is_empty() {
            "0".to_owned()
        } else {
            digits.to_owned()
        }
    };
    if decimal.digits == "0" || (-2..=7).contains(&decimal.point) {
        let (whole, fraction) = decimal.parts();
        let marker = if is_double { "d0" } else { "" };
        return format!("{sign}{whole}.{}{marker}", or_zero(&fraction));
    }
    let (first, rest) = decimal.digits.split_at(1);
    let marker = if is_double { 'd' } else { 'e' };
    format!("{sign}{first}.{}{marker}{}", or_zero(rest), decimal.point - 1)
}
