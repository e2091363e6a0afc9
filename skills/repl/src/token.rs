//! What a token of the reader means: a number or a name. It knows nothing of brackets, quotes or symbols.

use crate::bounds::INTEGER_BITS;
use crate::decimal;
use crate::fault::{Fault, Outcome};
use crate::natural::Natural;
use crate::number::Number;
use crate::rational::{Precision, Rational};

/// Most digits of a float.
const FLOAT_DIGITS: usize = 1_000;

/// Most digits on either side of a ratio: it has to be reduced to lowest terms.
const RATIO_DIGITS: usize = 1_000;

/// The number that `token` is written as, if it is one.
///
/// # Errors
/// A number out of range, or a ratio with a denominator of zero.
pub(crate) fn number(token: &str) -> Outcome<Option<Number>> {
    let unsigned = token.strip_prefix(['+', '-']).unwrap_or(token);
    let begins_like_number = unsigned.starts_with(|first: char| first.is_ascii_digit())
        || (unsigned.starts_with('.') && unsigned.len() > 1);
    if !begins_like_number {
        return Ok(None);
    }
    if let Some(integer) = integer(token.strip_suffix('.').unwrap_or(token), 10)? {
        return Ok(Some(integer));
    }
    if let Some((numerator, denominator)) = token.split_once('/') {
        return ratio(numerator, denominator, 10);
    }
    float(token)
}

/// A rational number written in the base `radix`.
pub(crate) fn rational(token: &str, radix: u32) -> Outcome<Option<Number>> {
    match token.split_once('/') {
        Some((numerator, denominator)) => ratio(numerator, denominator, radix),
        None => integer(token, radix),
    }
}

fn integer(digits: &str, radix: u32) -> Outcome<Option<Number>> {
    let unsigned = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    if unsigned.is_empty() || !unsigned.chars().all(|digit| digit.is_digit(radix)) {
        return Ok(None);
    }
    if let Ok(small) = i64::from_str_radix(digits, radix) {
        return Ok(Some(Number::Integer(small)));
    }
    // A digit is at most six bits here: no number is built that would be refused.
    if unsigned.len() as u64 > INTEGER_BITS / 3 {
        return Err(Fault::reader("an integer is longer than this evaluator reads"));
    }
    let magnitude = Natural::parse(unsigned, radix).unwrap_or_default();
    Ok(Some(Number::from_rational(Rational::integer(
        digits.starts_with('-'),
        magnitude,
    ))))
}

fn ratio(numerator: &str, denominator: &str, radix: u32) -> Outcome<Option<Number>> {
    if !denominator.starts_with(|first: char| first.is_digit(radix)) {
        return Ok(None);
    }
    if numerator.len().max(denominator.len()) > RATIO_DIGITS {
        return Err(Fault::reader(format!("a ratio of more than {RATIO_DIGITS} digits")));
    }
    let (Some(numerator), Some(denominator)) = (integer(numerator, radix)?, integer(denominator, radix)?) else {
        return Ok(None);
    };
    let (numerator, denominator) = (numerator.to_rational(), denominator.to_rational());
    if denominator.numerator.is_zero() {
        return Err(Fault::reader("a ratio has a denominator of zero"));
    }
    Ok(Some(Number::from_rational(numerator.over(&denominator))))
}

fn float(token: &str) -> Outcome<Option<Number>> {
    let lower = token.to_ascii_lowercase();
    let (mantissa, exponent, marker) = match lower.find(['e', 'f', 's', 'd', 'l']) {
        Some(at) => (&lower[..at], &lower[at + 1..], lower.as_bytes()[at]),
        None => (lower.as_str(), "0", b'e'),
    };
    let digits = mantissa.strip_prefix(['+', '-']).unwrap_or(mantissa);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.chars().all(|digit| digit.is_ascii_digit());
    let exponent_digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let well_formed = all_digits(whole)
        && all_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && !exponent_digits.is_empty()
        && all_digits(exponent_digits);
    if !well_formed {
        return Ok(None);
    }
    if digits.len() > FLOAT_DIGITS {
        return Err(Fault::reader(format!("a float of more than {FLOAT_DIGITS} digits")));
    }
    // An exponent that does not fit is far out of range; so is the one that stands for it.
    let far = if exponent.starts_with('-') {
        -1_000_000
    } else {
        1_000_000
    };
    let exponent = exponent.parse().unwrap_or(far).clamp(-1_000_000, 1_000_000) - fraction.len() as i32;
    let sign = if mantissa.starts_with('-') { -1.0 } else { 1.0 };
    let all = format!("{whole}{fraction}");
    let is_double = matches!(marker, b'd' | b'l');
    let precision = if is_double {
        Precision::DOUBLE
    } else {
        Precision::SINGLE
    };
    let float = sign * decimal::nearest(&all, exponent, precision);
    let number = if is_double {
        Number::Double(float)
    } else {
        Number::Single(float as f32)
    };
    if !number.to_double().is_finite() {
        return Err(Fault::reader(format!("{token} is out of range")));
    }
    Ok(Some(number))
}
