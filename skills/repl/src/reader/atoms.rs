//! Reading what has no parts: characters, numbers and symbols.

use super::{Open, Reader, Tail, is_delimiter};
use crate::character;
use crate::fault::Outcome;
use crate::token;
use crate::value::Value;
use crate::world::World;

/// The parts of a token.
pub(super) struct Token {
    pub(super) name: String,
    escaped: bool,
    /// Where the colons are: the index of the first in `name`, and how many.
    colons: Option<(usize, usize)>,
}

impl Reader<'_> {
    pub(super) fn character(&mut self) -> Outcome<Value> {
        self.at += 2;
        let begin = self.at;
        if self.peek().is_none() {
            return Err(self.fault("end of file behind #\\"));
        }
        self.at += 1;
        while self.peek().is_some_and(|character| !is_delimiter(character)) {
            self.at += 1;
        }
        let name = &self.text[begin..self.at];
        if let [single] = name {
            return Ok(Value::Character(*single));
        }
        let name: String = name.iter().collect();
        match character::by_name(&name) {
            Some(character) => Ok(Value::Character(character)),
            None => Err(self.fault(&format!("no character is called {name}"))),
        }
    }

    pub(super) fn radix(&mut self, world: &mut World, radix: u32) -> Outcome<Value> {
        self.at += 2;
        let token = self.token(world)?;
        match token::rational(&token.name, radix)? {
            Some(number) => number.into_value(&mut world.heap),
            None => Err(self.fault(&format!("{} is not a number in base {radix}", token.name))),
        }
    }

    /// A number or a symbol; or the dot of a list, which is no value.
    pub(super) fn atom(&mut self, world: &mut World) -> Outcome<Option<Value>> {
        let token = self.token(world)?;
        if !token.escaped {
            if token.name == "." {
                return match self.open.last_mut() {
                    Some(Open::List {
                        items,
                        tail: tail @ Tail::None,
                        ..
                    }) if !items.is_empty() => {
                        *tail = Tail::Expected;
                        Ok(None)
                    }
                    _ => Err(self.fault("a dot that is not inside a list, behind its first item")),
                };
            }
            if token.name.chars().all(|character| character == '.') {
                return Err(self.fault("a token of dots only"));
            }
            if token.colons.is_none()
                && let Some(number) = token::number(&token.name)?
            {
                return number.into_value(&mut world.heap).map(Some);
            }
        }
        self.symbol(&token, world).map(Some)
    }

    fn symbol(&self, token: &Token, world: &mut World) -> Outcome<Value> {
        let Some((at, count)) = token.colons else {
            return world.symbols.intern(&token.name).map(Value::Symbol);
        };
        let (package, name) = (&token.name[..at], &token.name[at + count..]);
        match package {
            _ if name.is_empty() || count > 2 || name.contains(':') => {
                Err(self.fault("misplaced colons in a symbol"))
            }
            "" if count == 1 => world.symbols.keyword(name).map(Value::Symbol),
            "KEYWORD" => world.symbols.keyword(name).map(Value::Symbol),
            "CL" | "COMMON-LISP" | "CL-USER" | "COMMON-LISP-USER" => world.symbols.intern(name).map(Value::Symbol),
            _ => Err(self.fault(&format!("Package {package} does not exist."))),
        }
    }

    pub(super) fn token(&mut self, world: &mut World) -> Outcome<Token> {
        let mut token = Token {
            name: String::new(),
            escaped: false,
            colons: None,
        };
        let mut inside_bars = false;
        let begin = self.at;
        while let Some(character) = self.peek() {
            match character {
                '|' => {
                    inside_bars = !inside_bars;
                    token.escaped = true;
                }
                '\\' => {
                    self.at += 1;
                    token.escaped = true;
                    match self.peek() {
                        Some(escaped) => token.name.push(escaped),
                        None => return Err(self.fault("end of file behind \\")),
                    }
                }
                _ if inside_bars => token.name.push(character),
                _ if is_delimiter(character) => break,
                ':' => {
                    token.colons = match token.colons {
                        None => Some((token.name.len(), 1)),
                        Some((at, count)) if at + count == token.name.len() => Some((at, count + 1)),
                        other => other,
                    };
                    token.name.push(':');
                }
                _ => token.name.push(character::upper(character)),
            }
            self.at += 1;
        }
        let length = self.at - begin;
        // A long number takes time that grows with the square.
        world.heap.charge(length / 16 + length * length / 4096)?;
        if inside_bars {
            return Err(self.fault("end of file inside |…|"));
        }
        Ok(token)
    }
}
