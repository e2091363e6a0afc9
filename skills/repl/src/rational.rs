//! Exact numbers: a sign, a numerator and a denominator, always in lowest terms. Integers are those with a denominator
//! of one. Conversions from and to floats are exact, or rounded to the nearest.

use std::cmp::Ordering;

use crate::natural::Natural;

/// An exact number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rational {
    /// Whether it is below zero.
    pub(crate) negative: bool,
    pub(crate) numerator: Natural,
    pub(crate) denominator: Natural,
}

/// Which floats: how many bits their digits have, and the least exponent of the last one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Precision {
    bits: u64,
    least_exponent: i64,
}

impl Precision {
    pub(crate) const SINGLE: Precision = Precision {
        bits: 24,
        least_exponent: -149,
    };
    pub(crate) const DOUBLE: Precision = Precision {
        bits: 53,
        least_exponent: -1074,
    };
}

impl Rational {
    /// An integer.
    pub(crate) fn integer(negative: bool, magnitude: Natural) -> Rational {
        Rational {
            negative: negative && !magnitude.is_zero(),
            numerator: magnitude,
            denominator: Natural::from_u64(1),
        }
    }

    /// A machine integer.
    pub(crate) fn from_i64(integer: i64) -> Rational {
        Rational::integer(integer < 0, Natural::from_u64(integer.unsigned_abs()))
    }

    /// A quotient, in lowest terms. The denominator must not be zero.
    pub(crate) fn quotient(negative: bool, numerator: Natural, denominator: Natural) -> Rational {
        let common = numerator.common_divisor(&denominator);
        Rational {
            negative: negative && !numerator.is_zero(),
            numerator: over(&numerator, &common),
            denominator: over(&denominator, &common),
        }
    }

    /// The machine integer that it is, if it is one.
    pub(crate) fn to_i64(&self) -> Option<i64> {
        let magnitude = if self.is_integer() {
            i128::from(self.numerator.to_u64()?)
        } else {
            return None;
        };
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }

    /// Whether the denominator is one.
    pub(crate) fn is_integer(&self) -> bool {
        self.denominator.to_u64() == Some(1)
    }

    /// How many bits numerator and denominator have.
    pub(crate) fn bits(&self) -> u64 {
        self.numerator.bits() + self.denominator.bits()
    }

    pub(crate) fn negated(mut self) -> Rational {
        self.negative = !self.negative && !self.numerator.is_zero();
        self
    }

    /// The sum. Only what the denominators have in common can be reduced, which is mostly little.
    pub(crate) fn plus(&self, other: &Rational) -> Rational {
        let common = self.denominator.common_divisor(&other.denominator);
        let (own, others) = (over(&self.denominator, &common), over(&other.denominator, &common));
        let left = self.numerator.times(&others);
        let right = other.numerator.times(&own);
        let (negative, numerator) = if self.negative == other.negative {
            (self.negative, left.plus(&right))
        } else if left >= right {
            (self.negative, left.minus(&right))
        } else {
            (other.negative, right.minus(&left))
        };
        let shared = numerator.common_divisor(&common);
        Rational {
            negative: negative && !numerator.is_zero(),
            numerator: over(&numerator, &shared),
            denominator: own.times(&over(&other.denominator, &shared)),
        }
    }

    /// The product.
    pub(crate) fn times(&self, other: &Rational) -> Rational {
        let first = self.numerator.common_divisor(&other.denominator);
        let second = other.numerator.common_divisor(&self.denominator);
        let numerator = over(&self.numerator, &first).times(&over(&other.numerator, &second));
        Rational {
            negative: self.negative != other.negative && !numerator.is_zero(),
            numerator,
            denominator: over(&self.denominator, &second).times(&over(&other.denominator, &first)),
        }
    }

    /// The quotient. The divisor must not be zero.
    pub(crate) fn over(&self, divisor: &Rational) -> Rational {
        self.times(&Rational {
            negative: divisor.negative,
            numerator: divisor.denominator.clone(),
            denominator: divisor.numerator.clone(),
        })
    }

    /// The quotient, not reduced to lowest terms: for [`Rational::floor`].
    pub(crate) fn unreduced_over(&self, divisor: &Rational) -> Rational {
        Rational {
            negative: self.negative != divisor.negative,
            numerator: self.numerator.times(&divisor.denominator),
            denominator: self.denominator.times(&divisor.numerator),
        }
    }

    /// The largest integer not above it, and whether the rest is less than, equal to, or more than a half; nothing for
    /// no rest.
    pub(crate) fn floor(&self) -> (Rational, Option<Ordering>) {
        let (whole, rest) = self.numerator.divided_by(&self.denominator);
        if rest.is_zero() {
            return (Rational::integer(self.negative, whole), None);
        }
        let half = rest.plus(&rest).cmp(&self.denominator);
        if self.negative {
            let whole = whole.plus(&Natural::from_u64(1));
            return (Rational::integer(true, whole), Some(half.reverse()));
        }
        (Rational::integer(false, whole), Some(half))
    }

    /// The float that is nearest, of those two equally near the one with an even last digit; infinite when out of range.
    pub(crate) fn to_float(&self, precision: Precision) -> f64 {
        let size = self.numerator.bits() as i64 - self.denominator.bits() as i64;
        if size > 1100 {
            return if self.negative {
                f64::NEG_INFINITY
            } else {
                f64::INFINITY
            };
        }
        let mut exponent = (size - precision.bits as i64).max(precision.least_exponent);
        loop {
            let (numerator, denominator) = if exponent >= 0 {
                (self.numerator.clone(), self.denominator.shifted_left(exponent as u64))
            } else {
                (
                    self.numerator.shifted_left(exponent.unsigned_abs()),
                    self.denominator.clone(),
                )
            };
            let (quotient, rest) = numerator.divided_by(&denominator);
            if quotient.bits() > precision.bits {
                exponent += 1;
                continue;
            }
            let goes_up = match rest.plus(&rest).cmp(&denominator) {
                Ordering::Less => false,
                Ordering::Equal => quotient.is_odd(),
                Ordering::Greater => true,
            };
            // At most 53 bits, or a one and 53 zeros: exact as a float.
            let digits = (quotient.to_u64().unwrap_or(0) + u64::from(goes_up)) as f64;
            let half = exponent / 2;
            let float = digits * power_of_two(half) * power_of_two(exponent - half);
            return if self.negative { -float } else { float };
        }
    }

    /// The exact value of a float, which must be finite.
    pub(crate) fn from_float(float: f64) -> Rational {
        let bits = float.to_bits();
        let exponent = (bits >> 52 & 0x7FF) as i64;
        let fraction = bits & ((1 << 52) - 1);
        let (digits, exponent) = if exponent == 0 {
            (fraction, -1074)
        } else {
            (fraction | 1 << 52, exponent - 1075)
        };
        let digits = Natural::from_u64(digits);
        if exponent >= 0 {
            return Rational::integer(float < 0.0, digits.shifted_left(exponent as u64));
        }
        Rational::quotient(
            float < 0.0,
            digits,
            Natural::from_u64(1).shifted_left(exponent.unsigned_abs()),
        )
    }

    /// The number, times a power of ten. It is not reduced to lowest terms, which would take long and which neither
    /// [`Rational::floor`] nor [`Rational::to_float`] needs.
    pub(crate) fn scaled(&self, exponent: i32) -> Rational {
        let power = Natural::from_u64(10).power(exponent.unsigned_abs());
        let Rational {
            negative,
            numerator,
            denominator,
        } = self.clone();
        if exponent >= 0 {
            Rational {
                negative,
                numerator: numerator.times(&power),
                denominator,
            }
        } else {
            Rational {
                negative,
                numerator,
                denominator: denominator.times(&power),
            }
        }
    }
}

/// A quotient without remainder.
fn over(number: &Natural, divisor: &Natural) -> Natural {
    if divisor.to_u64() == Some(1) {
        number.clone()
    } else {
        number.divided_by(divisor).0
    }
}

/// A power of two between 2⁻⁶⁰⁰ and 2⁶⁰⁰.
fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        match (self.negative, other.negative) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (negative, _) => {
                let left = self.numerator.times(&other.denominator);
                let magnitudes = left.cmp(&other.numerator.times(&self.denominator));
                if negative { magnitudes.reverse() } else { magnitudes }
            }
        }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
