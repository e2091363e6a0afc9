//! Floats as decimal digits, and digits as floats: the shortest digits that name a float, and the nearest float to
//! digits. Done with exact numbers, which is slow and small.

use crate::natural::Natural;
use crate::rational::{Precision, Rational};

/// The digits of a positive number: 0.DIGITS times ten to the power of `point`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(crate) digits: String,
    /// Where the point is, counted from the first digit.
    pub(crate) point: i32,
}

impl Decimal {
    /// The shortest digits that name this float and no other. Its sign is left out; zero has the digit 0.
    pub(crate) fn shortest(float: f64, precision: Precision) -> Decimal {
        if float == 0.0 {
            return Decimal {
                digits: "0".to_owned(),
                point: 1,
            };
        }
        let float = float.abs();
        let exact = Rational::from_float(float);
        // 17 digits name any double. Where some number of digits is enough, any larger number is, so that the least can
        // be found by halving.
        let (mut too_few, mut enough) = (0, 17);
        let mut shortest = Decimal::rounded(&exact, enough);
        while enough - too_few > 1 {
            let count = (too_few + enough) / 2;
            let decimal = Decimal::rounded(&exact, count);
            if decimal.to_rational().to_float(precision) == float {
                (enough, shortest) = (count, decimal);
            } else {
                too_few = count;
            }
        }
        shortest
    }

    /// The number, to so many digits. It must be above zero.
    fn rounded(exact: &Rational, count: i32) -> Decimal {
        // The estimate of the point is at most one too low.
        let size = exact.numerator.bits() as i32 - exact.denominator.bits() as i32;
        let mut point = (f64::from(size - 1) * std::f64::consts::LOG10_2).floor() as i32;
        loop {
            let (whole, half) = exact.scaled(count - point).floor();
            let goes_up = match half {
                None | Some(std::cmp::Ordering::Less) => false,
                Some(std::cmp::Ordering::Equal) => whole.numerator.is_odd(),
                Some(std::cmp::Ordering::Greater) => true,
            };
            let whole = whole.numerator.plus(&Natural::from_u64(u64::from(goes_up)));
            let digits = whole.to_text(10);
            if digits.len() as i32 <= count {
                return Decimal { digits, point };
            }
            point += 1;
        }
    }

    fn to_rational(&self) -> Rational {
        let digits = Natural::parse(&self.digits, 10).unwrap_or_default();
        Rational::integer(false, digits).scaled(self.point - self.digits.len() as i32)
    }

    /// So many digits behind the point, rounded half up. The digits before the point, and those behind it.
    pub(crate) fn fixed(&self, count: usize) -> (String, String) {
        let (whole, fraction) = self.parts();
        let kept: String = fraction.chars().chain(std::iter::repeat('0')).take(count).collect();
        if fraction.as_bytes().get(count).is_none_or(|digit| *digit < b'5') {
            return (whole, kept);
        }
        let all = Natural::parse(&format!("{whole}{kept}"), 10).unwrap_or_default();
        let all = all.plus(&Natural::from_u64(1)).to_text(10);
        let all = "0".repeat((count + 1).saturating_sub(all.len())) + &all;
        let (whole, fraction) = all.split_at(all.len() - count);
        (whole.to_owned(), fraction.to_owned())
    }

    /// The digits before the point, at least a zero, and those behind it, maybe none.
    pub(crate) fn parts(&self) -> (String, String) {
        let count = self.digits.len() as i32;
        if self.point <= 0 {
            let fraction = "0".repeat(self.point.unsigned_abs() as usize) + &self.digits;
            let fraction = if self.digits == "0" { String::new() } else { fraction };
            return ("0".to_owned(), fraction);
        }
        if self.point >= count {
            return (
                self.digits.clone() + &"0".repeat((self.point - count) as usize),
                String::new(),
            );
        }
        let (whole, fraction) = self.digits.split_at(self.point as usize);
        (whole.to_owned(), fraction.to_owned())
    }
}

/// The float that is nearest to these digits times ten to the power of `exponent`; infinite when out of range.
pub(crate) fn nearest(digits: &str, exponent: i32, precision: Precision) -> f64 {
    let digits = digits.trim_start_matches('0');
    let size = exponent.saturating_add(digits.len() as i32);
    match size {
        _ if digits.is_empty() => 0.0,
        400.. => f64::INFINITY,
        ..-400 => 0.0,
        _ => {
            let digits = Natural::parse(digits, 10).unwrap_or_default();
            Rational::integer(false, digits).scaled(exponent).to_float(precision)
        }
    }
}
