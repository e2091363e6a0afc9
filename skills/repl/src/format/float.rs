//! Floats with a fixed number of digits. Rounding works on the shortest decimal digits, half away from zero, as SBCL's
//! does.

use crate::decimal::Decimal;
use crate::number::Number;

/// As `~columns,digitsF` prints it, without padding: so many digits behind the point, or as many as it has.
pub(super) fn fixed(number: &Number, columns: usize, digits: Option<usize>) -> String {
    let (is_negative, decimal) = number.to_decimal();
    let (whole, fraction) = decimal.parts();
    let sign = if is_negative { "-" } else { "" };
    let digits = match digits {
        Some(digits) => Some(digits),
        // Without a number of digits, as many as fit the columns.
        None if columns > 0 => {
            let free = columns.saturating_sub(whole.len() + 1 + sign.len());
            (free < fraction.len()).then_some(free)
        }
        None => None,
    };
    let (mut whole, fraction) = match digits {
        Some(digits) => decimal.fixed(digits),
        None if fraction.is_empty() => (whole, "0".to_owned()),
        None => (whole, fraction),
    };
    let length = whole.len() + 1 + fraction.len() + sign.len();
    if whole == "0" && columns > 0 && length > columns && !fraction.is_empty() {
        whole.clear();
    }
    format!("{sign}{whole}.{fraction}")
}

/// As `~,digitsE` prints it.
pub(super) fn exponential(number: &Number, digits: Option<usize>) -> String {
    let (is_negative, decimal) = number.to_decimal();
    let mut exponent = if decimal.digits == "0" { 0 } else { decimal.point - 1 };
    let mantissa = Decimal {
        digits: decimal.digits,
        point: 1,
    };
    let (mut whole, mut fraction) = match digits {
        Some(digits) => mantissa.fixed(digits),
        None => mantissa.parts(),
    };
    if whole.len() > 1 {
        // It was rounded up to ten.
        whole.pop();
        exponent += 1;
    }
    if fraction.is_empty() {
        fraction.push('0');
    }
    format!("{}{whole}.{fraction}e{exponent:+}", if is_negative { "-" } else { "" })
}
