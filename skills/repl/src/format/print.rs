//! The directives that print one value, or some fixed text.

use super::directive::Directive;
use super::{Formatter, fault, float};
use crate::arithmetic;
use crate::bounds::FORMAT_WIDTH;
use crate::character;
use crate::fault::{Fault, Outcome};
use crate::number::{Number, print_rational};
use crate::printer::Style;
use crate::value::{NIL, Value};

impl Formatter<'_> {
    /// Carries out a directive that has no block.
    pub(super) fn simple(&mut self, directive: &Directive) -> Outcome<()> {
        match directive.letter {
            'a' => self.padded(directive, Style::Plain),
            's' | 'w' => self.padded(directive, Style::Readable),
            'd' => self.integer(directive, 10, 0),
            'b' => self.integer(directive, 2, 0),
            'o' => self.integer(directive, 8, 0),
            'x' => self.integer(directive, 16, 0),
            'r' => match directive.number(0) {
                Some(radix @ 2..=36) => self.integer(directive, radix as u32, 1),
                _ => Err(Fault::unsupported("~R without a base is not supported here; use ~D.")),
            },
            'f' => self.float(
                directive,
                directive.number(0),
                directive.number(1),
                directive.character(4),
            ),
            '$' => self.float(
                directive,
                directive.number(2),
                Some(directive.number(0).unwrap_or(2)),
                None,
            ),
            'e' => {
                let value = self.argument()?;
                let number = self.real(value)?;
                let digits = directive.number(1).map(width).transpose()?;
                self.out.push_str(&float::exponential(&number, digits));
                Ok(())
            }
            'c' => self.character(directive),
            'p' => self.plural(directive),
            '%' => self.repeated("\n", directive),
            '~' => self.repeated("~", directive),
            '|' => self.repeated("\u{c}", directive),
            '&' => {
                if !self.out.is_empty() && !self.out.ends_with('\n') {
                    self.out.push('\n');
                }
                Ok(())
            }
            't' => self.tabulate(directive),
            '*' => self.skip(directive),
            '?' => self.indirect(),
            other => Err(fault(&format!("unknown directive ~{other}"))),
        }
    }

    fn repeated(&mut self, text: &str, directive: &Directive) -> Outcome<()> {
        let count = width(directive.number(0).unwrap_or(1))?;
        self.out.push_str(&text.repeat(count));
        Ok(())
    }

    /// `~mincol,colinc,minpad,padcharA`
    fn padded(&mut self, directive: &Directive, style: Style) -> Outcome<()> {
        let value = self.argument()?;
        let mut text = self.world.printed(value, style)?;
        if value == NIL && directive.colon {
            text = "()".to_owned();
        }
        let least = width(directive.number(0).unwrap_or(0))?;
        let step = width(directive.number(1).unwrap_or(1))?.max(1);
        let mut padding = width(directive.number(2).unwrap_or(0))?;
        let length = text.chars().count();
        while length + padding < least {
            padding += step;
        }
        let padding = directive.character(3).unwrap_or(' ').to_string().repeat(padding);
        if directive.at {
            self.out.push_str(&padding);
            self.out.push_str(&text);
        } else {
            self.out.push_str(&text);
            self.out.push_str(&padding);
        }
        Ok(())
    }

    /// `~mincol,padchar,commachar,intervalD` and its kind; `skip` parameters come before.
    fn integer(&mut self, directive: &Directive, radix: u32, skip: usize) -> Outcome<()> {
        let value = self.argument()?;
        let number = Number::of(&self.world.heap, value).and_then(|number| number.to_whole());
        let mut text = match number {
            Some(number) => {
                self.world.heap.charge(1 + arithmetic::square_cost(number.bits()))?;
                let mut digits = print_rational(&number, radix);
                if directive.colon {
                    let separator = directive.character(skip + 2).unwrap_or(',');
                    let interval = width(directive.number(skip + 3).unwrap_or(3))?.max(1);
                    digits = grouped(&digits, separator, interval);
                }
                if directive.at && !digits.starts_with('-') {
                    digits.insert(0, '+');
                }
                digits
            }
            None => self.world.printed(value, Style::Plain)?,
        };
        let least = width(directive.number(skip).unwrap_or(0))?;
        let missing = least.saturating_sub(text.chars().count());
        if missing > 0 {
            let padding = directive.character(skip + 1).unwrap_or(' ').to_string().repeat(missing);
            text.insert_str(0, &padding);
        }
        self.out.push_str(&text);
        Ok(())
    }

    fn real(&self, value: Value) -> Outcome<Number> {
        Number::of(&self.world.heap, value).ok_or_else(|| self.world.wrong_type(value, "REAL"))
    }

    fn float(
        &mut self,
        directive: &Directive,
        columns: Option<i64>,
        digits: Option<i64>,
        pad: Option<char>,
    ) -> Outcome<()> {
        let value = self.argument()?;
        let Some(number) = Number::of(&self.world.heap, value) else {
            let text = self.world.printed(value, Style::Plain)?;
            self.out.push_str(&text);
            return Ok(());
        };
        let columns = width(columns.unwrap_or(0))?;
        let digits = digits.map(width).transpose()?;
        let mut text = float::fixed(&number, columns, digits);
        if directive.at && !text.starts_with('-') {
            text.insert(0, '+');
        }
        let missing = columns.saturating_sub(text.chars().count());
        self.out.push_str(&pad.unwrap_or(' ').to_string().repeat(missing));
        self.out.push_str(&text);
        Ok(())
    }

    fn character(&mut self, directive: &Directive) -> Outcome<()> {
        match self.argument()? {
            Value::Character(character) if directive.at => {
                self.out.push_str("#\\");
                self.out.push_str(&character::name(character));
            }
            Value::Character(character) if directive.colon => self.out.push_str(&character::name(character)),
            Value::Character(character) => self.out.push(character),
            other => return Err(self.world.wrong_type(other, "CHARACTER")),
        }
        Ok(())
    }

    /// `~P`: an s unless the argument is 1; with `:` of the argument before.
    fn plural(&mut self, directive: &Directive) -> Outcome<()> {
        if directive.colon {
            self.next = self.next.saturating_sub(1);
        }
        let is_one = self.argument()? == Value::Integer(1);
        self.out.push_str(match (directive.at, is_one) {
            (false, true) => "",
            (false, false) => "s",
            (true, true) => "y",
            (true, false) => "ies",
        });
        Ok(())
    }

    /// `~column,stepT`: spaces up to a column; with `@`, that many, and then up to a multiple of the step.
    fn tabulate(&mut self, directive: &Directive) -> Outcome<()> {
        let here = self.out.rsplit('\n').next().unwrap_or("").chars().count();
        let wanted = width(directive.number(0).unwrap_or(1))?;
        let step = width(directive.number(1).unwrap_or(1))?;
        let target = if directive.at {
            let least = here + wanted;
            if step > 0 { least.div_ceil(step) * step } else { least }
        } else if here < wanted {
            wanted
        } else {
            let steps = (here - wanted).checked_div(step);
            steps.map_or(here, |steps| wanted + (steps + 1) * step)
        };
        self.out.push_str(&" ".repeat(target - here));
        Ok(())
    }
}

/// A width or a count, within bounds.
fn width(number: i64) -> Outcome<usize> {
    match usize::try_from(number) {
        Ok(width) if width <= FORMAT_WIDTH => Ok(width),
        _ => Err(fault(&format!("{number} is no width between 0 and {FORMAT_WIDTH}"))),
    }
}

/// Digits in groups.
fn grouped(digits: &str, separator: char, interval: usize) -> String {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", digits),
    };
    let mut out = String::from(sign);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(interval) {
            out.push(separator);
        }
        out.push(digit);
    }
    out
}
