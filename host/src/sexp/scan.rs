//! Scanning: what stands at the next place of a text — an opening, a closing, a dot, or one whole atom.
//!
//! It knows where comments, strings and names begin and end, and which syntaxes are refused. What a list is, and how
//! many there may be, is the reader's business.

use super::atom;
use super::form::{Form, Text};
use super::name::{Name, upcase_char};
use super::read::{Brackets, ReadError, refused};

/// What was found at one place.
pub(super) enum Found {
    /// The beginning of a list, a vector, or a quote.
    Opening(Opening),
    /// `)` or `]`.
    Closing(char),
    /// A dot that stands alone.
    Dot,
    /// A whole atom.
    Atom(Form),
    /// Nothing but blanks and comments until the end.
    End,
}

/// What begins something that holds other forms.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// `(`
    List,
    /// `[`
    BracketList,
    /// `#(`
    Vector,
    /// `'`
    Quote,
    /// `#'`
    Function,
}

impl Opening {
    /// What it begins, for error messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Opening::List | Opening::BracketList => "a list",
            Opening::Vector => "a vector",
            Opening::Quote | Opening::Function => "a quoted form",
        }
    }

    /// The operator that it is short for: `'x` is `(QUOTE X)`. What it begins ends with the next form.
    pub(super) fn abbreviates(self) -> Option<&'static str> {
        match self {
            Opening::Quote => Some("QUOTE"),
            Opening::Function => Some("FUNCTION"),
            Opening::List | Opening::BracketList | Opening::Vector => None,
        }
    }
}

pub(super) struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    brackets: Brackets,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, brackets: Brackets) -> Scanner<'a> {
        Scanner {
            text,
            bytes: text.as_bytes(),
            at: 0,
            brackets,
        }
    }

    /// The offset behind what was found last, in bytes.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Where something that is neither blank nor comment still stands, if anything does.
    pub(super) fn rest(&mut self) -> Result<Option<usize>, ReadError> {
        self.skip_blanks()?;
        Ok((self.at < self.bytes.len()).then_some(self.at))
    }

    /// What stands next, and where it begins.
    pub(super) fn next(&mut self) -> Result<(usize, Found), ReadError> {
        self.skip_blanks()?;
        let start = self.at;
        let Some(&first) = self.bytes.get(start) else {
            return Ok((start, Found::End));
        };
        let second = self.bytes.get(start + 1).copied();
        let as_list = self.brackets == Brackets::AsList;
        let (width, found) = match first {
            b'(' => (1, Found::Opening(Opening::List)),
            b')' => (1, Found::Closing(')')),
            b'[' if as_list => (1, Found::Opening(Opening::BracketList)),
            b']' if as_list => (1, Found::Closing(']')),
            b'\'' => (1, Found::Opening(Opening::Quote)),
            b'#' if second == Some(b'(') => (2, Found::Opening(Opening::Vector)),
            b'#' if second == Some(b'\'') => (2, Found::Opening(Opening::Function)),
            b'.' if second.is_none_or(ends_token) => (1, Found::Dot),
            b'"' => return Ok((start, Found::Atom(Form::String(self.string()?)))),
            b'#' => return Ok((start, Found::Atom(self.hash()?))),
            b'`' | b',' => return Err(refused("a backquote or comma", start)),
            b'[' | b']' => return Err(refused("a square bracket", start)),
            _ => return Ok((start, Found::Atom(self.token()?))),
        };
        self.at += width;
        Ok((start, found))
    }

    /// The string that begins here.
    fn string(&mut self) -> Result<Text, ReadError> {
        let start = self.at;
        let unfinished = || ReadError::Unfinished {
            what: "a string",
            at: start,
        };
        self.at += 1;
        let mut unescaped = String::new();
        loop {
            let rest = &self.bytes[self.at..];
            let run = rest
                .iter()
                .position(|byte| matches!(byte, b'"' | b'\\'))
                .ok_or_else(unfinished)?;
            let piece = &self.text[self.at..self.at + run];
            self.at += run + 1;
            if rest[run] == b'"' {
                // Most strings have no escape, and are copied once.
                if unescaped.is_empty() {
                    return Ok(piece.into());
                }
                unescaped.push_str(piece);
                return Ok(unescaped.into());
            }
            unescaped.push_str(piece);
            let escaped = self.text[self.at..].chars().next().ok_or_else(unfinished)?;
            // Models write `\n` and `\t` and mean newline and tab; Lisp printers never write them.
            unescaped.push(match escaped {
                'n' => '\n',
                't' => '\t',
                other => other,
            });
            self.at += escaped.len_utf8();
        }
    }

    /// What begins with `#` and is an atom: a character or a pathname.
    fn hash(&mut self) -> Result<Form, ReadError> {
        let start = self.at;
        match self.bytes.get(start + 1) {
            Some(b'\\') => self.character(),
            Some(b'P' | b'p') if self.bytes.get(start + 2) == Some(&b'"') => {
                self.at += 2;
                Ok(Form::Pathname(self.string()?))
            }
            Some(b'.') => Err(refused("the reader macro `#.`, which would execute,", start)),
            Some(b'0'..=b'9') => Err(refused(
                "the reader macro `#` with a number (labels, sized arrays)",
                start,
            )),
            Some(_) => {
                let name = self.text[start + 1..].chars().next().unwrap_or(' ');
                Err(refused(&format!("the reader macro `#{}`", name.escape_debug()), start))
            }
            None => Err(ReadError::Unfinished {
                what: "a reader macro",
                at: start,
            }),
        }
    }

    /// `#\a`, `#\(`, `#\Newline`, `#\U+E4`.
    fn character(&mut self) -> Result<Form, ReadError> {
        let start = self.at;
        let name = start + 2;
        let Some(first) = self.text[name..].chars().next() else {
            return Err(ReadError::Unfinished {
                what: "a character",
                at: start,
            });
        };
        let mut end = name + first.len_utf8();
        while self.bytes.get(end).is_some_and(|byte| !ends_token(*byte)) {
            end += 1;
        }
        self.at = end;
        let name = &self.text[name..end];
        atom::char_by_name(name).map(Form::Char).ok_or_else(|| {
            refused(
                &format!(
                    "the character name `{}` (write it as #\\U+E4, by its code point)",
                    atom::cut(name)
                ),
                start,
            )
        })
    }

    /// A symbol, keyword or number, with Common Lisp's escapes: `|as is|` and a backslash before one character.
    fn token(&mut self) -> Result<Form, ReadError> {
        let start = self.at;
        let length = self.bytes[start..].iter().position(|byte| ends_plain_token(*byte));
        let end = length.map_or(self.bytes.len(), |length| start + length);
        match self.bytes.get(end) {
            Some(b'|' | b'\\') => self.escaped_token(),
            Some(byte) if !ends_token(*byte) => Err(refused("a control character in a name", end)),
            _ => {
                self.at = end;
                atom::plain(&self.text[start..end]).map_err(|what| refused(&what, start))
            }
        }
    }

    fn escaped_token(&mut self) -> Result<Form, ReadError> {
        let start = self.at;
        let unfinished = || ReadError::Unfinished {
            what: "a name with bars or backslashes",
            at: start,
        };
        // Only an unescaped colon in front makes a keyword; one inside bars belongs to the name.
        let keyword = self.bytes[start] == b':';
        let mut name = String::new();
        let mut barred = false;
        let mut chars = self.text[start..].char_indices().skip(usize::from(keyword));
        let end = loop {
            match chars.next() {
                None if barred => return Err(unfinished()),
                None => break self.text.len(),
                Some((_, '|')) => barred = !barred,
                Some((_, '\\')) => name.push(chars.next().ok_or_else(unfinished)?.1),
                Some((_, char)) if barred => name.push(char),
                Some((at, char)) if char.is_ascii() && ends_token(char as u8) => break start + at,
                Some((at, ':')) => return Err(refused("a colon inside a name", start + at)),
                Some((at, char)) if char.is_ascii_control() => {
                    return Err(refused("a control character in a name", start + at));
                }
                Some((_, char)) => name.push(upcase_char(char)),
            }
        };
        self.at = end;
        Ok(if keyword {
            Form::Keyword(Name::new(&name))
        } else {
            atom::named(&name)
        })
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
        Err(ReadError::Unfinished {
            what: "a comment",
            at: start,
        })
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 0x0c)
}

/// Whether a token ends before this byte. Brackets end one here, as they do for Emacs.
fn ends_token(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b'(' | b')' | b'[' | b']' | b'"' | b';' | b'\'' | b'`' | b',')
}

/// Whether a token without escapes ends before this byte: it ends, an escape begins, or it is a control character,
/// some of which SBCL refuses in names.
fn ends_plain_token(byte: u8) -> bool {
    byte.is_ascii_control() || byte == b'|' || byte == b'\\' || ends_token(byte)
}
