//! Reading: one loop that builds the lists from what [`scan`](super::scan) finds, within [`Limits`].
//!
//! It never recurses, and every list it makes is bounded in depth before it is made, so that neither reading nor
//! dropping what was read can overflow the stack.

use super::form::Form;
use super::limits::Limits;
use super::name::Name;
use super::scan::{Found, Opening, Scanner};

/// Why a text is no form. `at` is the offset in bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Nothing but white space and comments.
    #[error("there is no form in the text")]
    Empty,
    /// The text ends inside a form.
    #[error("the text ends inside {what} that begins at byte {at}")]
    Unfinished {
        /// A list, a string, …
        what: &'static str,
        /// Where it begins.
        at: usize,
    },
    /// A closing parenthesis without an opening one.
    #[error("`{found}` at byte {at} closes nothing")]
    Unopened {
        /// The closing character.
        found: char,
        /// Where.
        at: usize,
    },
    /// Something stands after the form.
    #[error("there is more text after the form, at byte {at}; one form belongs here")]
    Trailing {
        /// Where the rest begins.
        at: usize,
    },
    /// A syntax that is never read: it could execute, allocate without bound, or has no meaning here.
    #[error("{what} at byte {at} is not read here")]
    Refused {
        /// The syntax, named.
        what: String,
        /// Where.
        at: usize,
    },
    /// A bound was passed.
    #[error("the text has more {what} than the {allowed} allowed (at byte {at}); send less at once")]
    TooLarge {
        /// Bytes, nested lists, lists, or atoms.
        what: &'static str,
        /// The bound.
        allowed: usize,
        /// Where it was passed.
        at: usize,
    },
}

/// What square brackets mean: an error on the wire, a list where a model wrote them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brackets {
    /// An error that names them.
    Refuse,
    /// The same as parentheses.
    AsList,
}

/// Reads the one form that `text` is, within the bounds of the wire.
///
/// # Errors
/// When the text is no single form, is over a bound, or holds a syntax that is never read.
pub fn read(text: &str) -> Result<Form, ReadError> {
    read_with(text, Limits::INPUT)
}

/// Reads the one form that `text` is, within `limits`.
///
/// # Errors
/// As [`read`].
pub fn read_with(text: &str, limits: Limits) -> Result<Form, ReadError> {
    let mut reader = Reader::new(text, limits, Brackets::Refuse)?;
    let form = reader.form()?;
    match reader.scanner.rest()? {
        Some(at) => Err(ReadError::Trailing { at }),
        None => Ok(form),
    }
}

/// Reads the form that `text` begins with, within the bounds of the wire, and says after how many bytes it ends.
///
/// # Errors
/// As [`read`], but what stands after the form is not looked at.
pub fn read_prefix(text: &str, brackets: Brackets) -> Result<(Form, usize), ReadError> {
    let mut reader = Reader::new(text, Limits::INPUT, brackets)?;
    let form = reader.form()?;
    Ok((form, reader.scanner.at()))
}

/// What there is of the form that `text` begins and does not end, as if each list were closed where the text is over; none
/// where it ends, or can't be read.
pub fn read_begun(text: &str, brackets: Brackets) -> Option<Form> {
    let mut reader = Reader::new(text, Limits::INPUT, brackets).ok()?;
    match reader.form() {
        Err(ReadError::Unfinished { .. }) => reader.begun(),
        _ => None,
    }
}

/// A list or vector that is not closed yet. Its items are those on the stack from `from` on.
struct Open {
    opening: Opening,
    at: usize,
    from: usize,
    tail: Tail,
}

/// Where a list stands with regard to a dot.
#[derive(Clone, Copy, PartialEq)]
enum Tail {
    /// No dot so far.
    None,
    /// The dot was read; one form belongs after it.
    Expected,
    /// That form was read, and is the last on the stack.
    Read,
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    limits: Limits,
    atoms: usize,
    lists: usize,
    open: Vec<Open>,
    /// The items of all open lists, so that each list is allocated once, at its true size.
    stack: Vec<Form>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, limits: Limits, brackets: Brackets) -> Result<Reader<'a>, ReadError> {
        if text.len() > limits.bytes {
            return Err(too_large("bytes", limits.bytes, limits.bytes));
        }
        let scanner = Scanner::new(text, brackets);
        Ok(Reader {
            scanner,
            limits,
            atoms: 0,
            lists: 0,
            open: Vec::new(),
            stack: Vec::new(),
        })
    }

    fn form(&mut self) -> Result<Form, ReadError> {
        loop {
            let (at, found) = self.scanner.next()?;
            let done = match found {
                Found::Opening(opening) => {
                    self.begin(opening, at)?;
                    continue;
                }
                Found::Dot => {
                    self.dot(at)?;
                    continue;
                }
                Found::Closing(found) => self.end(found, at)?,
                Found::Atom(atom) => {
                    self.count_atom(at)?;
                    atom
                }
                Found::End => {
                    return Err(match self.open.last() {
                        Some(list) => ReadError::Unfinished {
                            what: list.opening.name(),
                            at: list.at,
                        },
                        None => ReadError::Empty,
                    });
                }
            };
            if let Some(whole) = self.place(done, at)? {
                return Ok(whole);
            }
        }
    }

    /// What is open, closed as it stands.
    fn begun(&mut self) -> Option<Form> {
        let mut inner: Option<Form> = None;
        while let Some(list) = self.open.pop() {
            let items = self.stack.drain(list.from..).chain(inner.take()).collect();
            inner = Some(Form::list(items));
        }
        inner
    }

    fn begin(&mut self, opening: Opening, at: usize) -> Result<(), ReadError> {
        if self.open.len() >= self.limits.depth {
            return Err(too_large("nested lists", self.limits.depth, at));
        }
        // Lists cost more memory than the text they are written in, so they are bounded like atoms.
        self.lists += 1;
        if self.lists > self.limits.atoms {
            return Err(too_large("lists", self.limits.atoms, at));
        }
        // The operator it stands for is an atom of the form too, and will be one where the printed form is read.
        if opening.abbreviates().is_some() {
            self.count_atom(at)?;
        }
        self.open.push(Open {
            opening,
            at,
            from: self.stack.len(),
            tail: Tail::None,
        });
        Ok(())
    }

    fn count_atom(&mut self, at: usize) -> Result<(), ReadError> {
        self.atoms += 1;
        if self.atoms > self.limits.atoms {
            return Err(too_large("atoms", self.limits.atoms, at));
        }
        Ok(())
    }

    fn dot(&mut self, at: usize) -> Result<(), ReadError> {
        match self.open.last_mut() {
            Some(list)
                if list.from < self.stack.len()
                    && list.tail == Tail::None
                    && matches!(list.opening, Opening::List | Opening::BracketList) =>
            {
                list.tail = Tail::Expected;
                Ok(())
            }
            _ => Err(refused("a dot outside a dotted list", at)),
        }
    }

    /// Closes the innermost list.
    fn end(&mut self, found: char, at: usize) -> Result<Form, ReadError> {
        let list = self.open.pop().ok_or(ReadError::Unopened { found, at })?;
        let closed_by = match list.opening {
            Opening::List | Opening::Vector => ')',
            Opening::BracketList => ']',
            Opening::Quote | Opening::Function => return Err(refused("a quote before nothing", list.at)),
        };
        if closed_by != found {
            return Err(refused(&format!("`{found}` where `{closed_by}` belongs"), at));
        }
        let tail = match list.tail {
            Tail::None => None,
            Tail::Read => self.stack.pop(),
            Tail::Expected => return Err(refused("a dot before nothing", at)),
        };
        let mut items = Vec::with_capacity(self.stack.len() - list.from + tail.as_ref().map_or(0, length));
        items.extend(self.stack.drain(list.from..));
        Ok(match tail {
            Some(tail) => dotted(items, tail),
            None if list.opening == Opening::Vector => Form::Vector(items),
            None => Form::list(items),
        })
    }

    /// Puts a finished form into the list that is open, and finishes the quotes that stood before it. Gives back the
    /// form that was asked for once nothing is open any more.
    fn place(&mut self, mut done: Form, at: usize) -> Result<Option<Form>, ReadError> {
        while let Some(list) = self.open.last_mut() {
            let Some(name) = list.opening.abbreviates() else {
                list.tail = match list.tail {
                    Tail::None => Tail::None,
                    Tail::Expected => Tail::Read,
                    Tail::Read => return Err(refused("a second form after a dot", at)),
                };
                self.stack.push(done);
                return Ok(None);
            };
            self.open.pop();
            done = Form::List(vec![Form::Symbol(Name::new(name)), done]);
        }
        Ok(Some(done))
    }
}

/// How many items `form` adds to a list when it stands after its dot.
fn length(form: &Form) -> usize {
    match form {
        Form::List(items) | Form::Dotted(items, _) => items.len(),
        _ => 0,
    }
}

/// `(a . (b c))` is `(a b c)`, and `(a . (b . c))` is `(a b . c)`.
fn dotted(mut items: Vec<Form>, tail: Form) -> Form {
    match tail {
        Form::Nil => Form::list(items),
        Form::List(more) => {
            items.extend(more);
            Form::List(items)
        }
        Form::Dotted(more, tail) => {
            items.extend(more);
            Form::Dotted(items, tail)
        }
        atom => Form::Dotted(items, Box::new(atom)),
    }
}

fn too_large(what: &'static str, allowed: usize, at: usize) -> ReadError {
    ReadError::TooLarge { what, allowed, at }
}

/// The error for a syntax that is not read.
pub(super) fn refused(what: &str, at: usize) -> ReadError {
    ReadError::Refused {
        what: what.to_owned(),
        at,
    }
}
