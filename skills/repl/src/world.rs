//! What builtin functions work on: the heap, the symbols, and where output goes. It knows nothing of the machine that
//! calls them, so no builtin function can call back into the program.

use crate::bounds::Bounds;
use crate::fault::{Fault, Outcome};
use crate::heap::Heap;
use crate::printer::{self, Style};
use crate::symbols::{Home, Symbols, known};
use crate::value::{NIL, Object, SymbolId, T, Value};

/// Heap, symbols and output of one session.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) heap: Heap,
    pub(crate) symbols: Symbols,
    /// What was printed in this evaluation.
    pub(crate) output: String,
    output_characters: usize,
    /// State of `random`: the same numbers in every session.
    pub(crate) seed: u64,
}

impl World {
    /// A world with the well-known symbols and nothing else.
    pub(crate) fn new(bounds: Bounds) -> World {
        World {
            heap: Heap::new(bounds),
            symbols: Symbols::new(),
            output: String::new(),
            output_characters: 0,
            seed: 0x9E37_79B9_7F4A_7C15,
        }
    }

    /// Begins a new evaluation.
    pub(crate) fn begin(&mut self) {
        self.heap.refill();
        self.output.clear();
        self.output_characters = 0;
    }

    /// The value, as `prin1` prints it for an error text: short, whatever it is.
    pub(crate) fn shown(&self, value: Value) -> String {
        printer::print_within(self, value, Style::Readable, 200)
    }

    /// The error for a value of the wrong type.
    pub(crate) fn wrong_type(&self, value: Value, expected: &str) -> Fault {
        Fault::new(
            "TYPE-ERROR",
            format!("The value {} is not of type {expected}", self.shown(value)),
        )
    }

    /// The name of a symbol with its package, as errors give it.
    pub(crate) fn qualified(&self, id: SymbolId) -> String {
        let shown = self.shown(Value::Symbol(id));
        match self.symbols.get(id).home {
            Home::Lisp => format!("COMMON-LISP:{shown}"),
            Home::User => format!("COMMON-LISP-USER::{shown}"),
            Home::Keyword | Home::Uninterned => shown,
        }
    }

    /// The symbol that this value is.
    pub(crate) fn symbol(&self, value: Value) -> Outcome<SymbolId> {
        match value {
            Value::Symbol(id) => Ok(id),
            _ => Err(self.wrong_type(value, "SYMBOL")),
        }
    }

    /// The keyword of this name, as a value.
    pub(crate) fn keyword(&mut self, name: &str) -> Outcome<Value> {
        self.symbols.keyword(name).map(Value::Symbol)
    }

    /// The characters of a string.
    pub(crate) fn text(&self, value: Value) -> Option<&[char]> {
        match value {
            Value::Object(id) => match self.heap.get(id) {
                Object::Text(characters) => Some(characters),
                _ => None,
            },
            _ => None,
        }
    }

    /// The characters of a string designator: a string, a symbol, or a character.
    pub(crate) fn designated_text(&self, value: Value) -> Outcome<Vec<char>> {
        match value {
            Value::Symbol(id) => Ok(self.symbols.get(id).name.chars().collect()),
            Value::Character(character) => Ok(vec![character]),
            _ => match self.text(value) {
                Some(characters) => Ok(characters.to_vec()),
                None => Err(self.wrong_type(value, "STRING")),
            },
        }
    }

    /// A new string with this text.
    pub(crate) fn new_text(&mut self, text: &str) -> Outcome<Value> {
        self.heap.text(text.chars().collect())
    }

    /// First half of a cons or of NIL.
    pub(crate) fn car(&self, value: Value) -> Outcome<Value> {
        match self.heap.parts(value) {
            Some((car, _)) => Ok(car),
            None if value == NIL => Ok(NIL),
            None => Err(self.wrong_type(value, "LIST")),
        }
    }

    /// Second half of a cons or of NIL.
    pub(crate) fn cdr(&self, value: Value) -> Outcome<Value> {
        match self.heap.parts(value) {
            Some((_, cdr)) => Ok(cdr),
            None if value == NIL => Ok(NIL),
            None => Err(self.wrong_type(value, "LIST")),
        }
    }

    /// Prints `text` to a stream: NIL and T stand for the standard output.
    pub(crate) fn write(&mut self, stream: Value, text: &str) -> Outcome<()> {
        self.heap.charge(1 + text.len() / 16)?;
        let stream = match stream {
            NIL | T => self.symbols.get(known::STANDARD_OUTPUT).value.unwrap_or(T),
            other => other,
        };
        if stream == T {
            self.write_console(text);
            return Ok(());
        }
        let Value::Object(id) = stream else {
            return Err(self.wrong_type(stream, "STREAM"));
        };
        if !matches!(self.heap.get(id), Object::Stream(_)) {
            return Err(self.wrong_type(stream, "STREAM"));
        }
        let added: Vec<char> = text.chars().collect();
        self.heap.grown(added.len() * 4)?;
        if let Object::Stream(characters) = self.heap.get_mut(id) {
            characters.extend(added);
            crate::heap::check_length(characters.len())?;
        }
        Ok(())
    }

    /// Whether the next character printed to `stream` begins a line.
    pub(crate) fn at_line_start(&self, stream: Value) -> bool {
        let stream = match stream {
            NIL | T => self.symbols.get(known::STANDARD_OUTPUT).value.unwrap_or(T),
            other => other,
        };
        match stream {
            Value::Object(id) => match self.heap.get(id) {
                Object::Stream(characters) => characters.last().is_none_or(|last| *last == '\n'),
                _ => true,
            },
            _ => self.output.is_empty() || self.output.ends_with('\n'),
        }
    }

    /// Adds to the output, up to its bound; what is beyond is dropped, and said to be.
    pub(crate) fn write_console(&mut self, text: &str) {
        let bound = self.heap.bounds().output;
        for character in text.chars() {
            if self.output_characters == bound {
                self.output.push_str("\n[output beyond this point was dropped]\n");
            }
            self.output_characters += 1;
            if self.output_characters <= bound {
                self.output.push(character);
            }
        }
    }
}
