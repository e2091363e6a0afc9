//! Reading: one iterative scan that builds the lists and lifts the strings out, within [`Limits`].

use super::atom;
use super::form::Form;
use super::limits::Limits;
use super::name::Name;

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
    #[error("there is more text after the form, at byte {at}")]
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
    #[error("the text has more {what} than the {allowed} allowed (at byte {at})")]
    TooLarge {
        /// Bytes, nested lists, or atoms.
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
pub fn read(text: &str) -> Result<Form, ReadError> {
    read_with(text, Limits::INPUT)
}

/// Reads the one form that `text` is, within `limits`.
pub fn read_with(text: &str, limits: Limits) -> Result<Form, ReadError> {
    let mut scanner = Scanner::new(text, limits, Brackets::Refuse);
    let form = scanner.form()?;
    scanner.skip_blanks()?;
    if scanner.at < text.len() {
        return Err(ReadError::Trailing { at: scanner.at });
    }
    Ok(form)
}

/// Reads the form that `text` begins with, and says after how many bytes it ends.
pub fn read_prefix(text: &str, brackets: Brackets) -> Result<(Form, usize), ReadError> {
    let mut scanner = Scanner::new(text, Limits::INPUT, brackets);
    let form = scanner.form()?;
    Ok((form, scanner.at))
}

/// An open list or vector, and what has been read into it.
struct Open {
    kind: Kind,
    at: usize,
    items: Vec<Form>,
    tail: Tail,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    List,
    BracketList,
    Vector,
    /// `'x` and `#'x`: a list that closes itself after one form.
    Prefix(&'static str),
}

enum Tail {
    None,
    Expected,
    Read(Form),
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    atoms: usize,
    limits: Limits,
    brackets: Brackets,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str, limits: Limits, brackets: Brackets) -> Scanner<'a> {
        Scanner { text, bytes: text.as_bytes(), at: 0, atoms: 0, limits, brackets }
    }

    fn form(&mut self) -> Result<Form, ReadError> {
        if self.text.len() > self.limits.bytes {
            return Err(ReadError::TooLarge { what: "bytes", allowed: self.limits.bytes, at: self.limits.bytes });
        }
        let mut open: Vec<Open> = Vec::new();
        loop {
            self.skip_blanks()?;
            let start = self.at;
            let Some(&byte) = self.bytes.get(start) else {
                return Err(match open.pop() {
                    Some(list) => ReadError::Unfinished { what: "a list", at: list.at },
                    None => ReadError::Empty,
                });
            };
            let mut done = match byte {
                b'(' => {
                    self.open(&mut open, Kind::List, 1)?;
                    continue;
                }
                b'[' if self.brackets == Brackets::AsList => {
                    self.open(&mut open, Kind::BracketList, 1)?;
                    continue;
                }
                b'\'' => {
                    self.open(&mut open, Kind::Prefix("QUOTE"), 1)?;
                    continue;
                }
                b'#' if self.bytes.get(start + 1) == Some(&b'\'') => {
                    self.open(&mut open, Kind::Prefix("FUNCTION"), 2)?;
                    continue;
                }
                b'#' if self.bytes.get(start + 1) == Some(&b'(') => {
                    self.open(&mut open, Kind::Vector, 2)?;
                    continue;
                }
                b')' => self.close(&mut open, ')')?,
                b']' if self.brackets == Brackets::AsList => self.close(&mut open, ']')?,
                b'.' if self.is_lone_dot() => {
                    self.dot(&mut open)?;
                    continue;
                }
                _ => {
                    self.count_atom()?;
                    self.atom(byte)?
                }
            };
            // A finished form goes into the list that is open; a quote around it is finished with it.
            loop {
                match open.last_mut() {
                    None => return Ok(done),
                    Some(list) => {
                        match &list.tail {
                            Tail::None => list.items.push(done),
                            Tail::Expected => list.tail = Tail::Read(done),
                            Tail::Read(_) => return Err(refused("a second form after a dot", start)),
                        }
                        let Kind::Prefix(name) = list.kind else { break };
                        let items = std::mem::take(&mut list.items);
                        open.pop();
                        done = Form::List([vec![Form::Symbol(Name::new(name))], items].concat());
                    }
                }
            }
        }
    }

    fn open(&mut self, open: &mut Vec<Open>, kind: Kind, width: usize) -> Result<(), ReadError> {
        if open.len() >= self.limits.depth {
            return Err(ReadError::TooLarge { what: "nested lists", allowed: self.limits.depth, at: self.at });
        }
        open.push(Open { kind, at: self.at, items: Vec::new(), tail: Tail::None });
        self.at += width;
        Ok(())
    }

    fn close(&mut self, open: &mut Vec<Open>, found: char) -> Result<Form, ReadError> {
        let at = self.at;
        let list = open.pop().ok_or(ReadError::Unopened { found, at })?;
        let closed_by = match list.kind {
            Kind::BracketList => ']',
            Kind::List | Kind::Vector => ')',
            Kind::Prefix(_) => return Err(refused("a quote before nothing", list.at)),
        };
        if closed_by != found {
            return Err(ReadError::Unopened { found, at });
        }
        self.at += 1;
        match (list.tail, list.kind) {
            (Tail::Expected, _) => Err(refused("a dot before nothing", at)),
            (Tail::Read(tail), _) => Ok(dotted(list.items, tail)),
            (Tail::None, Kind::Vector) => Ok(Form::Vector(list.items)),
            (Tail::None, _) => {
                if list.items.is_empty() {
                    self.count_atom()?;
                }
                Ok(Form::list(list.items))
            }
        }
    }

    fn is_lone_dot(&self) -> bool {
        self.bytes.get(self.at + 1).is_none_or(|next| ends_token(*next))
    }

    fn dot(&mut self, open: &mut [Open]) -> Result<(), ReadError> {
        let at = self.at;
        match open.last_mut() {
            Some(list)
                if !list.items.is_empty()
                    && matches!(list.tail, Tail::None)
                    && matches!(list.kind, Kind::List | Kind::BracketList) =>
            {
                list.tail = Tail::Expected;
                self.at += 1;
                Ok(())
            }
            _ => Err(refused("a dot outside a dotted list", at)),
        }
    }

    fn count_atom(&mut self) -> Result<(), ReadError> {
        self.atoms += 1;
        if self.atoms > self.limits.atoms {
            return Err(ReadError::TooLarge { what: "atoms", allowed: self.limits.atoms, at: self.at });
        }
        Ok(())
    }

    fn atom(&mut self, first: u8) -> Result<Form, ReadError> {
        let start = self.at;
        match first {
            b'"' => self.string().map(|text| Form::String(text.into())),
            b'#' => self.hash(),
            b'`' | b',' => Err(refused("a backquote or comma", start)),
            b'[' | b']' => Err(refused("a square bracket", start)),
            _ => self.token(),
        }
    }

    /// The string that begins here.
    fn string(&mut self) -> Result<String, ReadError> {
        let start = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.bytes[self.at..];
            let Some(run) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')) else {
                return Err(ReadError::Unfinished { what: "a string", at: start });
            };
            out.push_str(&self.text[self.at..self.at + run]);
            self.at += run + 1;
            if rest[run] == b'"' {
                return Ok(out);
            }
            let Some(escaped) = self.text[self.at..].chars().next() else {
                return Err(ReadError::Unfinished { what: "a string", at: start });
            };
            // Models write `\n` and `\t` and mean newline and tab; Lisp printers never write them.
            out.push(match escaped {
                'n' => '\n',
                't' => '\t',
                other => other,
            });
            self.at += escaped.len_utf8();
        }
    }

    fn hash(&mut self) -> Result<Form, ReadError> {
        let start = self.at;
        match self.bytes.get(start + 1) {
            Some(b'\\') => {
                self.at += 2;
                let Some(first) = self.text[self.at..].chars().next() else {
                    return Err(ReadError::Unfinished { what: "a character", at: start });
                };
                let mut end = self.at + first.len_utf8();
                while self.bytes.get(end).is_some_and(|byte| !ends_token(*byte)) {
                    end += 1;
                }
                let name = &self.text[self.at..end];
                self.at = end;
                atom::char_by_name(name)
                    .map(Form::Char)
                    .ok_or_else(|| refused(&format!("the character name `{}`", cut(name)), start))
            }
            Some(b'P' | b'p') if self.bytes.get(start + 2) == Some(&b'"') => {
                self.at += 2;
                self.string().map(|text| Form::Pathname(text.into()))
            }
            Some(next) => {
                let what = match next {
                    b'.' => "the reader macro `#.`, which would execute,".to_owned(),
                    b'0'..=b'9' => "the reader macro `#` with a number (labels, sized arrays)".to_owned(),
                    _ => format!("the reader macro `#{}`", cut(&self.text[start + 1..]).chars().next().unwrap_or(' ')),
                };
                Err(refused(&what, start))
            }
            None => Err(ReadError::Unfinished { what: "a reader macro", at: start }),
        }
    }

    /// A symbol, keyword or number, with Common Lisp's escapes: `|as is|` and a backslash before one character.
    fn token(&mut self) -> Result<Form, ReadError> {
        let start = self.at;
        let mut end = start;
        while self.bytes.get(end).is_some_and(|byte| !ends_token(*byte) && !matches!(byte, b'|' | b'\\')) {
            end += 1;
        }
        if self.bytes.get(end).is_none_or(|byte| ends_token(*byte)) {
            self.at = end;
            return atom::plain(&self.text[start..end]).map_err(|what| refused(&what, start));
        }
        self.escaped_token(start)
    }

    fn escaped_token(&mut self, start: usize) -> Result<Form, ReadError> {
        let unfinished = ReadError::Unfinished { what: "a name between bars", at: start };
        let mut name = String::new();
        // Only an unescaped colon in front makes a keyword; one inside bars belongs to the name.
        let keyword = self.bytes[start] == b':';
        let mut chars = self.text[start..].char_indices().skip(usize::from(keyword));
        let mut barred = false;
        let end = loop {
            match chars.next() {
                None if barred => return Err(unfinished),
                None => break self.text.len(),
                Some((_, '|')) => barred = !barred,
                Some((_, '\\')) => name.push(chars.next().ok_or_else(|| unfinished.clone())?.1),
                Some((_, char)) if barred => name.push(char),
                Some((at, char)) if char.is_ascii() && ends_token(char as u8) => break start + at,
                Some((at, ':')) => return Err(refused("a colon inside a name", start + at)),
                Some((_, char)) => name.push(atom::upcase_char(char)),
            }
        };
        self.at = end;
        Ok(if keyword { Form::Keyword(Name::new(&name)) } else { atom::named(&name) })
    }

    /// Skips white space, `; …` comments and `#| … |#` comments, which nest.
    fn skip_blanks(&mut self) -> Result<(), ReadError> {
        loop {
            match self.bytes.get(self.at) {
                Some(byte) if is_blank(*byte) => self.at += 1,
                Some(b';') => {
                    let rest = &self.bytes[self.at..];
                    self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                }
                Some(b'#') if self.bytes.get(self.at + 1) == Some(&b'|') => self.block_comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn block_comment(&mut self) -> Result<(), ReadError> {
        let start = self.at;
        let mut depth = 0_usize;
        while let Some(byte) = self.bytes.get(self.at) {
            match (byte, self.bytes.get(self.at + 1)) {
                (b'#', Some(b'|')) => {
                    depth += 1;
                    self.at += 2;
                }
                (b'|', Some(b'#')) => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return Ok(());
                    }
                }
                _ => self.at += 1,
            }
        }
        Err(ReadError::Unfinished { what: "a comment", at: start })
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

fn refused(what: &str, at: usize) -> ReadError {
    ReadError::Refused { what: what.to_owned(), at }
}

fn cut(text: &str) -> &str {
    text.char_indices().nth(24).map_or(text, |(at, _)| &text[..at])
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 0x0c)
}

fn ends_token(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b'(' | b')' | b'[' | b']' | b'"' | b';' | b'\'' | b'`' | b',')
}
