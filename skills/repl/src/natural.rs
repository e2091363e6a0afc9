//! Natural numbers of any length, in the few operations that arithmetic needs. The plain methods of school are used
//! throughout: numbers here have a bounded length, and a component has a bounded size, which a library for numbers of
//! millions of digits would not fit.

use std::cmp::Ordering;

/// A natural number: digits in base 2³², the lowest first, no zero at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Natural(Vec<u32>);

impl Natural {
    /// The number of this machine integer.
    pub(crate) fn from_u64(number: u64) -> Natural {
        Natural(vec![number as u32, (number >> 32) as u32]).trimmed()
    }

    /// The machine integer of this number, if it fits.
    pub(crate) fn to_u64(&self) -> Option<u64> {
        match self.0.as_slice() {
            [] => Some(0),
            [low] => Some(u64::from(*low)),
            [low, high] => Some(u64::from(*low) | u64::from(*high) << 32),
            _ => None,
        }
    }

    /// Its digits in base 2³².
    pub(crate) fn digits(&self) -> &[u32] {
        &self.0
    }

    /// Whether it is zero.
    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it is odd.
    pub(crate) fn is_odd(&self) -> bool {
        self.0.first().is_some_and(|digit| digit & 1 == 1)
    }

    /// How many bits it has.
    pub(crate) fn bits(&self) -> u64 {
        match self.0.last() {
            Some(last) => self.0.len() as u64 * 32 - u64::from(last.leading_zeros()),
            None => 0,
        }
    }

    fn trimmed(mut self) -> Natural {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    /// The sum.
    pub(crate) fn plus(&self, other: &Natural) -> Natural {
        let (long, short) = if self.0.len() >= other.0.len() {
            (self, other)
        } else {
            (other, self)
        };
        let mut sum = Vec::with_capacity(long.0.len() + 1);
        let mut carry = 0;
        for (place, &digit) in long.0.iter().enumerate() {
            let total = u64::from(digit) + u64::from(short.0.get(place).copied().unwrap_or(0)) + carry;
            sum.push(total as u32);
            carry = total >> 32;
        }
        sum.push(carry as u32);
        Natural(sum).trimmed()
    }

    /// The difference; `other` must not be larger.
    pub(crate) fn minus(&self, other: &Natural) -> Natural {
        let mut difference = self.0.clone();
        let mut borrow = 0;
        for (place, digit) in difference.iter_mut().enumerate() {
            let taken = u64::from(other.0.get(place).copied().unwrap_or(0)) + borrow;
            let left = u64::from(*digit);
            borrow = u64::from(left < taken);
            *digit = (left + (borrow << 32) - taken) as u32;
        }
        Natural(difference).trimmed()
    }

    /// The product.
    pub(crate) fn times(&self, other: &Natural) -> Natural {
        let mut product = vec![0u32; self.0.len() + other.0.len()];
        for (place, &left) in self.0.iter().enumerate() {
            let mut carry = 0;
            let (row, above) = product[place..].split_at_mut(other.0.len());
            for (slot, &digit) in row.iter_mut().zip(&other.0) {
                let total = u64::from(left) * u64::from(digit) + u64::from(*slot) + carry;
                *slot = total as u32;
                carry = total >> 32;
            }
            // This row is the first to reach so far.
            if let Some(slot) = above.first_mut() {
                *slot = carry as u32;
            }
        }
        Natural(product).trimmed()
    }

    /// The power.
    pub(crate) fn power(&self, exponent: u32) -> Natural {
        let mut result = Natural::from_u64(1);
        for bit in (0..u32::BITS - exponent.leading_zeros()).rev() {
            result = result.times(&result);
            if exponent >> bit & 1 == 1 {
                result = result.times(self);
            }
        }
        result
    }

    /// Shifted to the left.
    pub(crate) fn shifted_left(&self, bits: u64) -> Natural {
        let mut shifted = vec![0; (bits / 32) as usize];
        shifted.extend(&self.0);
        Natural(shifted).times(&Natural::from_u64(1 << (bits % 32)))
    }

    /// Shifted to the right; what falls out is dropped.
    pub(crate) fn shifted_right(&self, bits: u64) -> Natural {
        let whole = (bits / 32) as usize;
        let rest = bits % 32;
        let kept = self.0.get(whole..).unwrap_or_default();
        let digit = |place: usize| u64::from(kept.get(place).copied().unwrap_or(0));
        Natural(
            (0..kept.len())
                .map(|place| ((digit(place) | digit(place + 1) << 32) >> rest) as u32)
                .collect(),
        )
        .trimmed()
    }

    /// Divides by a number of one digit, in place, and gives the remainder.
    fn divide_by_digit(&mut self, divisor: u32) -> u32 {
        let mut remainder = 0;
        for digit in self.0.iter_mut().rev() {
            let part = remainder << 32 | u64::from(*digit);
            let quotient = part / u64::from(divisor);
            *digit = quotient as u32;
            remainder = part - quotient * u64::from(divisor);
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        remainder as u32
    }

    /// Quotient and remainder. The divisor must not be zero.
    pub(crate) fn divided_by(&self, divisor: &Natural) -> (Natural, Natural) {
        if let [digit] = divisor.0.as_slice() {
            let mut quotient = self.clone();
            let remainder = quotient.divide_by_digit(*digit);
            return (quotient, Natural::from_u64(u64::from(remainder)));
        }
        if *self < *divisor || divisor.is_zero() {
            return (Natural::default(), self.clone());
        }
        // Knuth's algorithm D: the divisor's highest bit is set, so that each digit is guessed at most two too high.
        let shift = u64::from(divisor.0.last().map_or(0, |digit| digit.leading_zeros()));
        let divisor = divisor.shifted_left(shift).0;
        let mut left = self.shifted_left(shift).0;
        left.resize(self.0.len() + 1, 0);
        let count = divisor.len();
        let mut quotient = vec![0; left.len() - count];
        for place in (0..quotient.len()).rev() {
            let high = u64::from(left[place + count]) << 32 | u64::from(left[place + count - 1]);
            let top = u64::from(divisor[count - 1]);
            let (mut guess, mut rest) = (high / top, high % top);
            while guess >> 32 != 0
                || guess * u64::from(divisor[count - 2]) > (rest << 32 | u64::from(left[place + count - 2]))
            {
                guess -= 1;
                rest += top;
                if rest >> 32 != 0 {
                    break;
                }
            }
            if subtract_multiple(&mut left[place..=place + count], &divisor, guess) {
                guess -= 1;
                add_back(&mut left[place..=place + count], &divisor);
            }
            quotient[place] = guess as u32;
        }
        (
            Natural(quotient).trimmed(),
            Natural(left).trimmed().shifted_right(shift),
        )
    }

    /// The greatest common divisor.
    pub(crate) fn common_divisor(&self, other: &Natural) -> Natural {
        let (mut left, mut right) = (self.clone(), other.clone());
        while !right.is_zero() {
            if right.to_u64() == Some(1) {
                return right;
            }
            let (_, remainder) = left.divided_by(&right);
            left = std::mem::replace(&mut right, remainder);
        }
        left
    }

    /// The largest number whose square is not above this one.
    pub(crate) fn square_root(&self) -> Natural {
        if self.is_zero() {
            return Natural::default();
        }
        let mut root = Natural::from_u64(1).shifted_left(self.bits().div_ceil(2));
        loop {
            let next = root.plus(&self.divided_by(&root).0).shifted_right(1);
            if next >= root {
                return root;
            }
            root = next;
        }
    }

    /// The number that these digits name.
    pub(crate) fn parse(digits: &str, radix: u32) -> Option<Natural> {
        let (step, _) = block(radix);
        let mut number = Natural::default();
        let mut digits = digits.chars();
        loop {
            // As many digits at a time as fit one of ours.
            let (mut part, mut factor) = (0, 1);
            for digit in digits.by_ref().take(step) {
                part = part * radix + digit.to_digit(radix)?;
                factor *= radix;
            }
            if factor == 1 {
                return Some(number);
            }
            let mut carry = u64::from(part);
            for slot in &mut number.0 {
                let total = u64::from(*slot) * u64::from(factor) + carry;
                *slot = total as u32;
                carry = total >> 32;
            }
            if carry > 0 {
                number.0.push(carry as u32);
            }
        }
    }

    /// Its digits in another base, as text with capital letters.
    pub(crate) fn to_text(&self, radix: u32) -> String {
        let (step, block) = block(radix);
        let mut left = self.clone();
        let mut text = Vec::new();
        while !left.is_zero() {
            let mut part = left.divide_by_digit(block);
            for _ in 0..step {
                text.extend(char::from_digit(part % radix, radix).map(|digit| digit.to_ascii_uppercase()));
                part /= radix;
            }
        }
        while text.last() == Some(&'0') {
            text.pop();
        }
        if text.is_empty() {
            text.push('0');
        }
        text.into_iter().rev().collect()
    }
}

/// How many digits in base `radix` fit one of ours, and the power of `radix` that is.
fn block(radix: u32) -> (usize, u32) {
    let mut count = 1;
    let mut power = radix;
    while let Some(next) = power.checked_mul(radix) {
        power = next;
        count += 1;
    }
    (count, power)
}

/// Takes `factor` times the divisor from `left`; whether that was too much.
fn subtract_multiple(left: &mut [u32], divisor: &[u32], factor: u64) -> bool {
    let (mut carry, mut borrow) = (0, 0);
    for (slot, digit) in left.iter_mut().zip(divisor.iter().chain(&[0])) {
        let product = factor * u64::from(*digit) + carry;
        carry = product >> 32;
        let taken = (product & 0xFFFF_FFFF) + borrow;
        borrow = u64::from(u64::from(*slot) < taken);
        *slot = (u64::from(*slot) + (borrow << 32) - taken) as u32;
    }
    borrow > 0
}

fn add_back(left: &mut [u32], divisor: &[u32]) {
    let mut carry = 0;
    for (slot, digit) in left.iter_mut().zip(divisor.iter().chain(&[0])) {
        let total = u64::from(*slot) + u64::from(*digit) + carry;
        *slot = total as u32;
        carry = total >> 32;
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Natural) -> Ordering {
        self.0
            .len()
            .cmp(&other.0.len())
            .then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Natural) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
