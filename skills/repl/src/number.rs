//! Numbers as they are computed with: the five kinds, how they become values, and how floats are printed. The
//! operations are in `arithmetic`.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{FromPrimitive, One, ToPrimitive};

use crate::bounds::INTEGER_BITS;
use crate::fault::{Fault, Outcome};
use crate::heap::Heap;
use crate::value::{Object, Value};

/// A real number.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    Integer(i64),
    /// An integer that does not fit 64 bits.
    Big(BigInt),
    /// A ratio that is no integer.
    Ratio(BigRational),
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
                Object::Big(integer) => Some(Number::Big((**integer).clone())),
                Object::Ratio(ratio) => Some(Number::Ratio((**ratio).clone())),
                _ => None,
            },
            _ => None,
        }
    }

    /// The number as a value.
    ///
    /// # Errors
    /// An integer that is too long, a float that is not finite, or a full heap.
    pub(crate) fn into_value(self, heap: &mut Heap) -> Outcome<Value> {
        match self {
            Number::Integer(integer) => Ok(Value::Integer(integer)),
            Number::Single(float) if float.is_finite() => Ok(Value::Single(float)),
            Number::Double(float) if float.is_finite() => Ok(Value::Double(float)),
            Number::Single(_) | Number::Double(_) => Err(overflow()),
            Number::Big(integer) => {
                check_bits(integer.bits())?;
                heap.keep(Object::Big(Box::new(integer))).map(Value::Object)
            }
            Number::Ratio(ratio) => {
                check_bits(ratio.numer().bits().max(ratio.denom().bits()))?;
                heap.keep(Object::Ratio(Box::new(ratio))).map(Value::Object)
            }
        }
    }

    /// An integer in its smallest form.
    pub(crate) fn from_big(integer: BigInt) -> Number {
        match integer.to_i64() {
            Some(small) => Number::Integer(small),
            None => Number::Big(integer),
        }
    }

    /// A rational number in its smallest form.
    pub(crate) fn from_ratio(ratio: BigRational) -> Number {
        if ratio.denom().is_one() {
            Number::from_big(ratio.numer().clone())
        } else {
            Number::Ratio(ratio)
        }
    }

    /// The integer that it is, if it is one.
    pub(crate) fn to_big(&self) -> Option<BigInt> {
        match self {
            Number::Integer(integer) => Some(BigInt::from(*integer)),
            Number::Big(integer) => Some(integer.clone()),
            _ => None,
        }
    }

    /// The exact rational number; nothing for a float that is not finite.
    pub(crate) fn to_ratio(&self) -> Option<BigRational> {
        match self {
            Number::Integer(integer) => Some(BigRational::from_integer(BigInt::from(*integer))),
            Number::Big(integer) => Some(BigRational::from_integer(integer.clone())),
            Number::Ratio(ratio) => Some(ratio.clone()),
            Number::Single(float) => BigRational::from_f32(*float),
            Number::Double(float) => BigRational::from_f64(*float),
        }
    }

    /// The nearest double; infinite when out of range.
    pub(crate) fn to_double(&self) -> f64 {
        match self {
            Number::Integer(integer) => *integer as f64,
            Number::Big(integer) => integer.to_f64().unwrap_or(f64::INFINITY),
            Number::Ratio(ratio) => ratio.to_f64().unwrap_or(f64::INFINITY),
            Number::Single(float) => f64::from(*float),
            Number::Double(float) => *float,
        }
    }

    /// The nearest single; infinite when out of range.
    pub(crate) fn to_single(&self) -> f32 {
        match self {
            Number::Integer(integer) => *integer as f32,
            Number::Single(float) => *float,
            other => other.to_double() as f32,
        }
    }

    /// The integer that a float without fraction is.
    pub(crate) fn from_whole_double(float: f64) -> Outcome<Number> {
        BigInt::from_f64(float).map(Number::from_big).ok_or_else(overflow)
    }

    /// How many bits it takes, about.
    pub(crate) fn bits(&self) -> u64 {
        match self {
            Number::Integer(_) | Number::Single(_) | Number::Double(_) => 64,
            Number::Big(integer) => integer.bits(),
            Number::Ratio(ratio) => ratio.numer().bits() + ratio.denom().bits(),
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

/// A single float, as `1.5` or `1.0e10`.
pub(crate) fn print_single(float: f32) -> String {
    print_float(&format!("{float:e}"), 'e', false)
}

/// A double float, as `1.5d0` or `1.0d10`.
pub(crate) fn print_double(float: f64) -> String {
    print_float(&format!("{float:e}"), 'd', true)
}

/// Prints from the shortest digits, given as `1.5e3`: plain from 0.001 up to ten million, else with an exponent.
fn print_float(shortest: &str, marker: char, always_marked: bool) -> String {
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let is_zero = digits.chars().all(|digit| digit == '0');
    if is_zero || (-3..7).contains(&exponent) {
        let plain = if exponent < 0 {
            format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize))
        } else {
            let whole = exponent as usize + 1;
            let padded = format!("{digits:0<whole$}");
            let (whole, fraction) = padded.split_at(whole);
            format!("{whole}.{}", if fraction.is_empty() { "0" } else { fraction })
        };
        return if always_marked {
            format!("{sign}{plain}{marker}0")
        } else {
            format!("{sign}{plain}")
        };
    }
    let (first, rest) = digits.split_at(1);
    format!(
        "{sign}{first}.{}{marker}{exponent}",
        if rest.is_empty() { "0" } else { rest }
    )
}
