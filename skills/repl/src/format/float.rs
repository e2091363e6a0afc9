//! Floats with a fixed number of digits. Rounding works on the shortest decimal digits, half away from zero, as SBCL's
//! does.

use crate::number::Number;

/// As `~columns,digitsF` prints it, without padding: so many digits behind the point, or as many as it has.
pub(super) fn fixed(number: &Number, columns: usize, digits: Option<usize>) -> String {
    let (is_negative, whole, fraction) = decimal(number);
    let digits = match digits {
        Some(digits) => Some(digits),
        // Without a number of digits, as many as fit the columns.
        None if columns > 0 => {
            let free = columns.saturating_sub(whole.len() + 1 + usize::from(is_negative));
            (free < fraction.len()).then_some(free)
        }
        None => None,
    };
    let (mut whole, fraction) = match digits {
        Some(digits) => rounded(&whole, &fraction, digits),
        None if fraction.is_empty() => (whole, "0".to_owned()),
        None => (whole, fraction),
    };
    let length = whole.len() + 1 + fraction.len() + usize::from(is_negative);
    if whole == "0" && columns > 0 && length > columns && !fraction.is_empty() {
        whole.clear();
    }
    format!("{}{whole}.{fraction}", if is_negative { "-" } else { "" })
}

/// As `~,digitsE` prints it.
pub(super) fn exponential(float: f64, digits: Option<i64>) -> String {
    let shortest = match digits.and_then(|digits| usize::try_from(digits).ok()) {
        Some(digits) => format!("{float:.*e}", digits.min(crate::bounds::FORMAT_WIDTH)),
        None => format!("{:e}", float as f32),
    };
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with('-') { "" } else { "+" };
    format!("{mantissa}{point}e{sign}{exponent}")
}

/// Sign, whole digits and digits behind the point, from the shortest that name the number.
fn decimal(number: &Number) -> (bool, String, String) {
    let shortest = match number {
        Number::Double(float) => format!("{float}"),
        // Other numbers become single floats first, as `~F` says.
        other => format!("{}", other.to_single()),
    };
    let (is_negative, text) = match shortest.strip_prefix('-') {
        Some(text) => (true, text.to_owned()),
        None => (false, shortest),
    };
    match text.split_once('.') {
        Some((whole, fraction)) => (is_negative, whole.to_owned(), fraction.to_owned()),
        None => (is_negative, text, String::new()),
    }
}

/// Rounds to so many digits behind the point.
fn rounded(whole: &str, fraction: &str, digits: usize) -> (String, String) {
    let mut fraction_digits: String = fraction.chars().chain(std::iter::repeat('0')).take(digits).collect();
    let goes_up = fraction.as_bytes().get(digits).is_some_and(|digit| *digit >= b'5');
    let mut whole = whole.to_owned();
    if goes_up {
        let mut all: Vec<u8> = whole.bytes().chain(fraction_digits.bytes()).collect();
        let mut carry = true;
        for digit in all.iter_mut().rev() {
            carry = *digit == b'9';
            *digit = if carry { b'0' } else { *digit + 1 };
            if !carry {
                break;
            }
        }
        if carry {
            all.insert(0, b'1');
        }
        let split = all.len() - digits;
        whole = all[..split].iter().map(|digit| char::from(*digit)).collect();
        fraction_digits = all[split..].iter().map(|digit| char::from(*digit)).collect();
    }
    (whole, fraction_digits)
}
