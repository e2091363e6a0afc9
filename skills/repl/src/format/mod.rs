//! `format`: control strings with their directives. This file takes control strings apart and carries out the
//! directives that steer; those that print one value are in `print` and `float`.

mod directive;
mod float;
mod print;

use crate::bounds::FORMAT_DEPTH;
use crate::builtins;
use crate::character;
use crate::fault::{Fault, Outcome};
use crate::value::{NIL, Value};
use crate::world::World;

use directive::Directive;

/// What a control string makes of these arguments.
pub(crate) fn to_text(world: &mut World, control: Value, arguments: &[Value]) -> Outcome<String> {
    let Some(control) = world.text(control).map(<[char]>::to_vec) else {
        return Err(world.wrong_type(control, "STRING"));
    };
    let mut formatter = Formatter {
        world,
        out: String::new(),
        arguments: arguments.to_vec(),
        next: 0,
        depth: 0,
    };
    formatter.run(&control)?;
    Ok(formatter.out)
}

/// How a piece of a control string ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    AtItsEnd,
    /// By `~^`, with no arguments left.
    Early,
}

struct Formatter<'a> {
    world: &'a mut World,
    out: String,
    arguments: Vec<Value>,
    next: usize,
    depth: usize,
}

impl Formatter<'_> {
    fn run(&mut self, control: &[char]) -> Outcome<Ended> {
        if self.depth > FORMAT_DEPTH {
            return Err(fault(&format!("nested deeper than {FORMAT_DEPTH}")));
        }
        let mut at = 0;
        while let Some(&character) = control.get(at) {
            self.world.heap.charge(1)?;
            if self.out.len() > crate::bounds::SEQUENCE_ITEMS * 4 {
                return Err(fault("the text becomes too long"));
            }
            if character != '~' {
                self.out.push(character);
                at += 1;
                continue;
            }
            let (mut directive, behind) = directive::parse(control, at)?;
            at = behind;
            self.fill_in(&mut directive)?;
            match directive.letter {
                '{' => {
                    let (inside, behind) = directive::block(control, at, '{', '}')?;
                    at = behind;
                    self.iterate(&directive, inside)?;
                }
                '(' => {
                    let (inside, behind) = directive::block(control, at, '(', ')')?;
                    at = behind;
                    if self.change_case(&directive, inside)? == Ended::Early {
                        return Ok(Ended::Early);
                    }
                }
                '[' => {
                    let (inside, behind) = directive::block(control, at, '[', ']')?;
                    at = behind;
                    if self.choose(&directive, inside)? == Ended::Early {
                        return Ok(Ended::Early);
                    }
                }
                '^' if self.next >= self.arguments.len() => return Ok(Ended::Early),
                '^' => {}
                '\n' => {
                    if directive.at {
                        self.out.push('\n');
                    }
                    while !directive.colon && control.get(at).is_some_and(|character| character.is_whitespace()) {
                        at += 1;
                    }
                }
                _ => self.simple(&directive)?,
            }
        }
        Ok(Ended::AtItsEnd)
    }

    /// Takes `v` parameters from the arguments, and `#` from their number.
    fn fill_in(&mut self, directive: &mut Directive) -> Outcome<()> {
        for place in 0..directive.parameters.len() {
            directive.parameters[place] = match directive.parameters[place] {
                directive::Parameter::Argument => match self.argument()? {
                    Value::Integer(number) => directive::Parameter::Number(number),
                    Value::Character(character) => directive::Parameter::Character(character),
                    NIL => directive::Parameter::Default,
                    other => return Err(self.world.wrong_type(other, "(OR INTEGER CHARACTER)")),
                },
                directive::Parameter::Remaining => {
                    directive::Parameter::Number((self.arguments.len() - self.next) as i64)
                }
                given => given,
            };
        }
        Ok(())
    }

    fn argument(&mut self) -> Outcome<Value> {
        match self.arguments.get(self.next) {
            Some(&value) => {
                self.next += 1;
                Ok(value)
            }
            None => Err(fault("there are not enough arguments")),
        }
    }

    /// Runs a piece with other arguments.
    fn with_arguments(&mut self, control: &[char], arguments: Vec<Value>) -> Outcome<Ended> {
        let (outer, next) = (
            std::mem::replace(&mut self.arguments, arguments),
            std::mem::take(&mut self.next),
        );
        self.depth += 1;
        let ended = self.run(control);
        self.depth -= 1;
        (self.arguments, self.next) = (outer, next);
        ended
    }

    fn nested(&mut self, control: &[char]) -> Outcome<Ended> {
        self.depth += 1;
        let ended = self.run(control);
        self.depth -= 1;
        ended
    }

    /// `~{…~}`: the piece again and again, until the arguments are used up.
    fn iterate(&mut self, directive: &Directive, inside: &[char]) -> Outcome<()> {
        let most = directive.number(0).unwrap_or(i64::MAX);
        let items = if directive.at {
            self.arguments.split_off(self.next.min(self.arguments.len()))
        } else {
            let list = self.argument()?;
            self.world.heap.items(list)?
        };
        if directive.colon {
            for (round, list) in items.into_iter().enumerate() {
                if round as i64 >= most {
                    break;
                }
                let items = self.world.heap.items(list)?;
                self.with_arguments(inside, items)?;
            }
            return Ok(());
        }
        let (outer, next) = (
            std::mem::replace(&mut self.arguments, items),
            std::mem::take(&mut self.next),
        );
        let mut round = 0;
        let mut outcome = Ok(Ended::AtItsEnd);
        while self.next < self.arguments.len() && round < most {
            let before = self.next;
            outcome = self.nested(inside);
            if !matches!(outcome, Ok(Ended::AtItsEnd)) {
                break;
            }
            if self.next == before {
                outcome = Err(fault("~{ goes on for ever, since what is inside takes no argument"));
                break;
            }
            round += 1;
        }
        (self.arguments, self.next) = (outer, next);
        outcome.map(|_| ())
    }

    /// `~(…~)`.
    fn change_case(&mut self, directive: &Directive, inside: &[char]) -> Outcome<Ended> {
        let outer = std::mem::take(&mut self.out);
        let ended = self.nested(inside)?;
        let text = std::mem::replace(&mut self.out, outer);
        match (directive.colon, directive.at) {
            (false, false) => self.out.push_str(&character::lower_text(&text)),
            (true, true) => self.out.push_str(&character::upper_text(&text)),
            (true, false) => {
                let text: Vec<char> = text.chars().collect();
                self.out.extend(builtins::capitalized(&text));
            }
            (false, true) => {
                let mut letters = text.chars();
                self.out.extend(letters.next().into_iter().map(character::upper));
                self.out.push_str(&character::lower_text(letters.as_str()));
            }
        }
        Ok(ended)
    }

    /// `~[…~;…~]`.
    fn choose(&mut self, directive: &Directive, inside: &[char]) -> Outcome<Ended> {
        let (clauses, last_is_default) = directive::clauses(inside)?;
        if directive.at {
            let value = self.argument()?;
            if value == NIL {
                return Ok(Ended::AtItsEnd);
            }
            self.next -= 1;
            return self.nested(clauses.first().copied().unwrap_or_default());
        }
        let chosen = if directive.colon {
            usize::from(self.argument()?.is_true())
        } else {
            let value = match directive.number(0) {
                Some(number) => Value::Integer(number),
                None => self.argument()?,
            };
            match value {
                Value::Integer(number) => usize::try_from(number).unwrap_or(usize::MAX),
                other => return Err(self.world.wrong_type(other, "INTEGER")),
            }
        };
        match clauses.get(chosen) {
            Some(clause) => self.nested(clause),
            None if last_is_default => self.nested(clauses.last().copied().unwrap_or_default()),
            None => Ok(Ended::AtItsEnd),
        }
    }

    /// `~*`: skips arguments, or goes back (`:`), or goes to one (`@`).
    fn skip(&mut self, directive: &Directive) -> Outcome<()> {
        let count = directive.number(0).unwrap_or(if directive.at { 0 } else { 1 });
        let target = match (directive.colon, directive.at) {
            (_, true) => count,
            (true, _) => self.next as i64 - count,
            _ => (self.next as i64).saturating_add(count),
        };
        match usize::try_from(target) {
            Ok(target) if target <= self.arguments.len() => {
                self.next = target;
                Ok(())
            }
            _ => Err(fault("~* goes to an argument that is not there")),
        }
    }

    /// `~?`: a control string that is an argument, and its arguments.
    fn indirect(&mut self) -> Outcome<()> {
        let control = self.argument()?;
        let list = self.argument()?;
        let Some(control) = self.world.text(control).map(<[char]>::to_vec) else {
            return Err(self.world.wrong_type(control, "STRING"));
        };
        let items = self.world.heap.items(list)?;
        self.with_arguments(&control, items).map(|_| ())
    }
}

fn fault(text: &str) -> Fault {
    Fault::new("FORMAT-ERROR", format!("error in FORMAT: {text}"))
}
