//! The reader: text to values, without recursion and without ever running anything. Reader macros that execute, that
//! share structure, or that depend on the machine are refused by name.

mod atoms;

use crate::bounds::READ_DEPTH;
use crate::fault::{Fault, Outcome};
use crate::symbols::known;
use crate::token;
use crate::value::{NIL, SymbolId, Value};
use crate::world::World;

/// Reads one value after the other from a text.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    text: &'a [char],
    at: usize,
    open: Vec<Open>,
}

/// Something begun and not finished.
#[derive(Debug)]
enum Open {
    List {
        items: Vec<Value>,
        tail: Tail,
        begin: usize,
    },
    Vector {
        items: Vec<Value>,
        begin: usize,
    },
    /// A quote and the like, around the value that follows.
    Wrap(SymbolId, usize),
}

/// What stands behind the dot of a list.
#[derive(Debug)]
enum Tail {
    None,
    Expected,
    Given(Value),
}

impl<'a> Reader<'a> {
    /// A reader of this text.
    pub(crate) fn new(text: &'a [char]) -> Reader<'a> {
        Reader {
            text,
            at: 0,
            open: Vec::new(),
        }
    }

    /// The next value, or nothing at the end of the text.
    ///
    /// # Errors
    /// A reader error that says what was wrong and on which line.
    pub(crate) fn next(&mut self, world: &mut World) -> Outcome<Option<Value>> {
        loop {
            self.skip_blank()?;
            world.heap.charge(1)?;
            let Some(first) = self.peek() else {
                return match self.open.last() {
                    None => Ok(None),
                    Some(open) => {
                        let (what, begin) = open.described();
                        let line = self.line_of(begin);
                        Err(Fault::reader(format!(
                            "end of file: {what} of line {line} is not finished"
                        )))
                    }
                };
            };
            let complete = match first {
                ')' => Some(self.close(world)?),
                '(' => self.begin(Open::List {
                    items: Vec::new(),
                    tail: Tail::None,
                    begin: self.at,
                })?,
                '\'' => self.wrap(known::QUOTE)?,
                '`' => self.wrap(known::QUASIQUOTE)?,
                ',' => {
                    self.at += 1;
                    if self.peek() == Some('@') {
                        self.wrap(known::UNQUOTE_SPLICING)?
                    } else {
                        self.at -= 1;
                        self.wrap(known::UNQUOTE)?
                    }
                }
                '"' => Some(self.string(world)?),
                '#' => self.dispatch(world)?,
                _ => self.atom(world)?,
            };
            if let Some(value) = complete
                && let Some(finished) = self.deliver(value, world)?
            {
                return Ok(Some(finished));
            }
        }
    }

    /// How many characters have been read.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    /// The line of a place. Counted only for errors, since it takes as long as the text.
    fn line_of(&self, at: usize) -> usize {
        1 + self.text[..at.min(self.text.len())]
            .iter()
            .filter(|character| **character == '\n')
            .count()
    }

    fn fault(&self, text: &str) -> Fault {
        Fault::reader(format!("line {}: {text}", self.line_of(self.at)))
    }

    fn begin(&mut self, open: Open) -> Outcome<Option<Value>> {
        if self.open.len() >= READ_DEPTH {
            return Err(self.fault(&format!("nested deeper than {READ_DEPTH}")));
        }
        self.at += 1;
        self.open.push(open);
        Ok(None)
    }

    fn wrap(&mut self, symbol: SymbolId) -> Outcome<Option<Value>> {
        self.begin(Open::Wrap(symbol, self.at))
    }

    /// Puts a finished value where it belongs. Gives it back when nothing is open.
    fn deliver(&mut self, value: Value, world: &mut World) -> Outcome<Option<Value>> {
        let mut value = value;
        loop {
            match self.open.last_mut() {
                None => return Ok(Some(value)),
                Some(Open::Wrap(symbol, _)) => {
                    value = world.heap.list(&[Value::Symbol(*symbol), value])?;
                    self.open.pop();
                }
                Some(Open::Vector { items, .. }) => {
                    items.push(value);
                    return Ok(None);
                }
                Some(Open::List { items, tail, .. }) => {
                    match tail {
                        Tail::None => items.push(value),
                        Tail::Expected => *tail = Tail::Given(value),
                        Tail::Given(_) => return Err(self.fault("more than one value behind the dot of a list")),
                    }
                    return Ok(None);
                }
            }
        }
    }

    fn close(&mut self, world: &mut World) -> Outcome<Value> {
        let value = match self.open.pop() {
            Some(Open::List {
                items,
                tail: Tail::None,
                ..
            }) => world.heap.list(&items)?,
            Some(Open::List {
                items,
                tail: Tail::Given(tail),
                ..
            }) => world.heap.list_with_tail(&items, tail)?,
            Some(Open::List {
                tail: Tail::Expected, ..
            }) => return Err(self.fault("nothing behind the dot of a list")),
            Some(Open::Vector { items, .. }) => world.heap.vector(items)?,
            Some(Open::Wrap(..)) => return Err(self.fault("a quote or comma with nothing behind it")),
            None => return Err(self.fault("unmatched close parenthesis")),
        };
        self.at += 1;
        Ok(value)
    }

    fn skip_blank(&mut self) -> Outcome<()> {
        loop {
            match self.peek() {
                Some(character) if character.is_whitespace() => self.at += 1,
                Some(';') => {
                    while self.peek().is_some_and(|character| character != '\n') {
                        self.at += 1;
                    }
                }
                Some('#') if self.text.get(self.at + 1) == Some(&'|') => self.skip_block_comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn skip_block_comment(&mut self) -> Outcome<()> {
        let begin = self.at;
        let mut depth = 0usize;
        loop {
            match (self.peek(), self.text.get(self.at + 1)) {
                (Some('#'), Some('|')) => {
                    depth += 1;
                    self.at += 2;
                }
                (Some('|'), Some('#')) => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return Ok(());
                    }
                }
                (Some(_), _) => self.at += 1,
                (None, _) => {
                    return Err(Fault::reader(format!(
                        "end of file: the comment of line {} has no end",
                        self.line_of(begin)
                    )));
                }
            }
        }
    }

    fn string(&mut self, world: &mut World) -> Outcome<Value> {
        let begin = self.at;
        let mut characters = Vec::new();
        self.at += 1;
        loop {
            let Some(mut character) = self.peek() else {
                return Err(Fault::reader(format!(
                    "end of file: the string of line {} has no end",
                    self.line_of(begin)
                )));
            };
            self.at += 1;
            match character {
                '"' => return world.heap.text(characters),
                '\\' => {
                    let Some(escaped) = self.peek() else { continue };
                    character = escaped;
                    self.at += 1;
                }
                _ => {}
            }
            characters.push(character);
        }
    }

    fn dispatch(&mut self, world: &mut World) -> Outcome<Option<Value>> {
        let Some(&second) = self.text.get(self.at + 1) else {
            return Err(self.fault("end of file behind #"));
        };
        match second {
            '\'' => {
                self.at += 1;
                self.wrap(known::FUNCTION)
            }
            '(' => {
                self.at += 1;
                self.begin(Open::Vector {
                    items: Vec::new(),
                    begin: self.at,
                })
            }
            '\\' => self.character().map(Some),
            ':' => {
                self.at += 2;
                let token = self.token(world)?;
                world.symbols.uninterned(&token.name).map(|id| Some(Value::Symbol(id)))
            }
            'b' | 'B' => self.radix(world, 2).map(Some),
            'o' | 'O' => self.radix(world, 8).map(Some),
            'x' | 'X' => self.radix(world, 16).map(Some),
            '.' => Err(self.fault("#. runs code while reading, which is refused; write the expression itself")),
            '+' | '-' => Err(self.fault("#+ and #- are not read here; write the form that is meant")),
            other => Err(self.fault(&format!("the reader macro #{other} is not read here"))),
        }
    }
}

impl Open {
    /// What it is, and where it begins.
    fn described(&self) -> (&'static str, usize) {
        match self {
            Open::List { begin, .. } => ("the list", *begin),
            Open::Vector { begin, .. } => ("the vector", *begin),
            Open::Wrap(_, begin) => ("what the quote or comma stands before", *begin),
        }
    }
}

fn is_delimiter(character: char) -> bool {
    character.is_whitespace() || matches!(character, '(' | ')' | '"' | '\'' | '`' | ',' | ';')
}

/// Whether the token `name`, printed as it is, would be read back as the same symbol.
pub(crate) fn reads_back(name: &str) -> bool {
    !name.is_empty()
        && !name.chars().all(|character| character == '.')
        && !name.chars().any(|character| {
            is_delimiter(character)
                || matches!(character, '|' | '\\' | ':')
                || crate::character::upper(character) != character
        })
        && !name.starts_with('#')
        && matches!(token::number(name), Ok(None))
}

/// The items of a quote form such as `(QUOTE X)`: the name, and the one thing behind it.
pub(crate) fn quoted(world: &World, value: Value) -> Option<(SymbolId, Value)> {
    let (Value::Symbol(name), rest) = world.heap.parts(value)? else {
        return None;
    };
    let (thing, end) = world.heap.parts(rest)?;
    (end == NIL).then_some((name, thing))
}
