//! `$((1 + 2))`: computing with numbers alone. What names a variable may hold what is computed in turn, and runs things.

/// A number longer than this is not taken, in digits: none of so few overflows by being read.
const LONGEST: usize = 9;
/// How deep brackets are followed.
const DEEPEST: usize = 8;

/// What stands at the start of `text`, up to the two brackets that close it, comes to, and how long that is with them.
/// `None` for all but `+ - * / %` and brackets, and for what fails.
pub(super) fn value(text: &str) -> Option<(i64, usize)> {
    let mut sum = Sum {
        text: text.as_bytes(),
        at: 0,
        depth: 0,
    };
    let value = sum.sum()?;
    let closed = text.get(sum.at..)?.starts_with("))");
    closed.then_some((value, sum.at + 2))
}

struct Sum<'t> {
    text: &'t [u8],
    at: usize,
    depth: usize,
}

impl Sum<'_> {
    /// The next byte that is no blank.
    fn next(&mut self) -> Option<u8> {
        while matches!(self.text.get(self.at), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn sum(&mut self) -> Option<i64> {
        let negative = self.next() == Some(b'-');
        self.at += usize::from(negative);
        let first = self.product()?;
        let mut value = if negative { first.checked_neg()? } else { first };
        while let Some(sign @ (b'+' | b'-')) = self.next() {
            self.at += 1;
            let next = self.product()?;
            value = if sign == b'+' {
                value.checked_add(next)?
            } else {
                value.checked_sub(next)?
            };
        }
        Some(value)
    }

    fn product(&mut self) -> Option<i64> {
        let mut value = self.number()?;
        while let Some(sign @ (b'*' | b'/' | b'%')) = self.next() {
            self.at += 1;
            let next = self.number()?;
            value = match sign {
                b'*' => value.checked_mul(next)?,
                b'/' => value.checked_div(next)?,
                _ => value.checked_rem(next)?,
            };
        }
        Some(value)
    }

    fn number(&mut self) -> Option<i64> {
        if self.next()? == b'(' {
            self.at += 1;
            self.depth += 1;
            let value = if self.depth > DEEPEST { None } else { self.sum() }?;
            self.depth -= 1;
            return (self.next()? == b')').then(|| {
                self.at += 1;
                value
            });
        }
        let rest = self.text.get(self.at..)?;
        let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let digits = std::str::from_utf8(rest.get(..length)?).ok()?;
        // One that begins with 0 counts by eights, and letters behind one by something else.
        let plain = length <= LONGEST && (length == 1 || !digits.starts_with('0'));
        self.at += length;
        digits.parse().ok().filter(|_| plain)
    }
}
