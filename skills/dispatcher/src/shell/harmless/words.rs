//! Reading one word of a script: texts, quotes, backslashes, `$x`, `${x}`, `$(…)`, and nothing else that expands.

use super::read::{Closer, Dialect, Reader, name_length};
use super::syntax::{Piece, What, Word};
use super::{Proof, arithmetic};

impl<'t> Reader<'t> {
    /// Reads the word that begins here; an empty one if none does.
    pub(super) fn word(&mut self) -> Proof<Word<'t>> {
        let start = self.at;
        let mut pieces = Vec::new();
        if self.starts("<(") {
            self.process(&mut pieces)?;
            return Ok(Word {
                raw: &self.text[start..self.at],
                pieces,
            });
        }
        while let Some(byte) = self.byte(0) {
            match byte {
                b' ' | b'\t' | b'\n' | b'&' | b';' | b'|' | b')' => break,
                b'<' | b'>' if self.byte(1) == Some(b'(') => {
                    return self.odd("it is read differently by different shells");
                }
                b'<' | b'>' => break,
                b'(' => return self.odd("it defines a function, or matches names in a way that is not followed"),
                b'\'' => {
                    let Some(length) = self.text[self.at + 1..].find('\'') else {
                        return self.odd("a quotation in it does not end");
                    };
                    pieces.push(text(&self.text[self.at + 1..self.at + 1 + length], true));
                    self.at += length + 2;
                }
                b'"' => self.double(&mut pieces)?,
                b'\\' => self.escaped(&mut pieces)?,
                b'$' => self.dollar(false, &mut pieces)?,
                b'`' => self.backquoted(false, &mut pieces)?,
                b'{' if self.byte(1) == Some(b'}') => {
                    pieces.push(text("{}", false));
                    self.at += 2;
                }
                b'{' | b'}' => {
                    self.at += 1;
                    // A variable that is given a descriptor.
                    if matches!(self.byte(0), Some(b'<' | b'>')) {
                        return self.odd("its braces are not followed");
                    }
                    // A plain shell may write braces out or not.
                    let what = match self.dialect {
                        Dialect::Bash => What::Brace,
                        Dialect::Posix => What::Special,
                    };
                    pieces.push(Piece { what, quoted: false });
                }
                b'~' if self.at == start => {
                    self.at += 1;
                    if !(self.is_between() || matches!(self.byte(0), Some(b'/'))) {
                        return self.odd("a tilde in it may lead elsewhere");
                    }
                    pieces.push(Piece {
                        what: What::Home,
                        quoted: true,
                    });
                }
                // Behind these bash writes a tilde out in some places.
                b'=' | b':' if self.byte(1) == Some(b'~') => return self.odd("a tilde in it may lead elsewhere"),
                _ => {
                    let ends = |byte: u8| b" \t\n&;|)<>('\"\\$`{}~=:".contains(&byte);
                    let length = 1 + self.text.as_bytes()[self.at + 1..]
                        .iter()
                        .take_while(|byte| !ends(**byte))
                        .count();
                    pieces.push(text(&self.text[self.at..self.at + length], false));
                    self.at += length;
                }
            }
        }
        Ok(Word {
            raw: &self.text[start..self.at],
            pieces,
        })
    }

    /// A backslash outside of quotes.
    fn escaped(&mut self, pieces: &mut Vec<Piece<'t>>) -> Proof<()> {
        // At the very end it hides nothing, and is one.
        if self.at + 1 == self.text.len() {
            pieces.push(text("\\", true));
            self.at += 1;
            return Ok(());
        }
        let Some(next) = self.text[self.at + 1..].chars().next().filter(|next| *next != '\n') else {
            return self.odd("a line in it goes on in the next one");
        };
        let start = self.at + 1;
        self.at = start + next.len_utf8();
        pieces.push(text(&self.text[start..self.at], true));
        Ok(())
    }

    /// What stands between double quotes.
    fn double(&mut self, pieces: &mut Vec<Piece<'t>>) -> Proof<()> {
        self.at += 1;
        pieces.push(text("", true));
        loop {
            match self.byte(0) {
                None => return self.odd("a quotation in it does not end"),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') if matches!(self.byte(1), Some(b'$' | b'`' | b'"' | b'\\' | b'\n')) => {
                    self.escaped(pieces)?;
                }
                Some(b'$') => self.dollar(true, pieces)?,
                Some(b'`') => self.backquoted(true, pieces)?,
                Some(_) => {
                    let rest = &self.text.as_bytes()[self.at + 1..];
                    let length = 1 + rest.iter().take_while(|byte| !b"\"\\$`".contains(byte)).count();
                    pieces.push(text(&self.text[self.at..self.at + length], true));
                    self.at += length;
                }
            }
        }
    }

    /// A dollar, and what it expands if it does.
    fn dollar(&mut self, quoted: bool, pieces: &mut Vec<Piece<'t>>) -> Proof<()> {
        let behind = &self.text[self.at + 1..];
        let name = &behind[..name_length(behind.as_bytes())];
        let (what, length) = match behind.bytes().next() {
            Some(b'(') if behind.starts_with("((") => match arithmetic::value(&behind[2..]) {
                Some((value, length)) => (What::Computed(value), 2 + length),
                None => return self.odd("it computes"),
            },
            Some(b'(') => {
                self.at += 2;
                let script = self.script(Some(Closer::Bracket))?;
                pieces.push(Piece {
                    what: What::Substitution(script),
                    quoted,
                });
                return Ok(());
            }
            Some(b'{') => {
                let inner = &behind[1..];
                let digit = inner.bytes().next().filter(u8::is_ascii_digit);
                let length = name_length(inner.as_bytes()).max(usize::from(digit.is_some()));
                let behind = &inner[length..];
                if length > 0
                    && let Some(change) = change(behind)
                {
                    (What::Special, 1 + length + change)
                } else if length == 0 || !behind.starts_with('}') {
                    return self.odd("it expands a variable in a way that is not followed");
                } else if let Some(digit) = digit {
                    (What::Positional(usize::from(digit - b'0')), 3)
                } else {
                    (What::Variable(&inner[..length]), length + 2)
                }
            }
            Some(b'[') => return self.odd("it computes"),
            Some(b'\'') if !quoted => return self.ansi(pieces),
            Some(b'"') if !quoted => return self.odd("a quotation in it is not followed"),
            _ if !name.is_empty() => (What::Variable(name), name.len()),
            Some(digit @ b'0'..=b'9') => (What::Positional(usize::from(digit - b'0')), 1),
            Some(b'@' | b'*') => (What::Spread, 1),
            Some(b'#' | b'?' | b'$') => (What::Number, 1),
            Some(b'-' | b'!') => (What::Special, 1),
            _ => (What::Text("$"), 0),
        };
        self.at += 1 + length;
        pieces.push(Piece { what, quoted });
        Ok(())
    }

    /// A script between backticks, as long as nothing in it is hidden by a backslash.
    fn backquoted(&mut self, quoted: bool, pieces: &mut Vec<Piece<'t>>) -> Proof<()> {
        let start = self.at + 1;
        let Some(length) = self.text[start..].find('`') else {
            return self.odd("a quotation in it does not end");
        };
        let inner = &self.text[start..start + length];
        // Before these a backslash is taken out.
        if ["\\\\", "\\$", "\\\""].iter().any(|hidden| inner.contains(hidden)) || inner.ends_with('\\') {
            return self.odd("a substitution in it is not followed");
        }
        let mut reader = Reader {
            text: inner,
            at: 0,
            dialect: self.dialect,
            depth: self.depth,
            flows: false,
        };
        let script = reader.script(None)?;
        self.flows |= reader.flows;
        pieces.push(Piece {
            what: What::Substitution(script),
            quoted,
        });
        self.at = start + length + 1;
        Ok(())
    }

    /// `$'…'`, with the commonest of what a backslash may stand for.
    fn ansi(&mut self, pieces: &mut Vec<Piece<'t>>) -> Proof<()> {
        self.bash_only()?;
        self.at += 2;
        pieces.push(text("", true));
        loop {
            match (self.byte(0), self.byte(1)) {
                (Some(b'\''), _) => {
                    self.at += 1;
                    return Ok(());
                }
                (Some(b'\\'), Some(letter @ (b'n' | b't' | b'\\'))) => {
                    let meant = match letter {
                        b'n' => "\n",
                        b't' => "\t",
                        _ => "\\",
                    };
                    pieces.push(text(meant, true));
                    self.at += 2;
                }
                (None | Some(b'\\'), _) => return self.odd("a quotation in it is not followed"),
                _ => {
                    let rest = &self.text.as_bytes()[self.at..];
                    let length = rest.iter().take_while(|byte| !b"'\\".contains(byte)).count();
                    pieces.push(text(&self.text[self.at..self.at + length], true));
                    self.at += length;
                }
            }
        }
    }

    /// `<(…)`: only where it is a whole word.
    fn process(&mut self, pieces: &mut Vec<Piece<'t>>) -> Proof<()> {
        self.bash_only()?;
        let before = self.text[..self.at].bytes().next_back();
        self.at += 2;
        let script = self.script(Some(Closer::Bracket))?;
        if !matches!(before, Some(b' ' | b'\t')) || !self.is_between() {
            return self.odd("it is read differently by different shells");
        }
        pieces.push(Piece {
            what: What::Process(script),
            quoted: true,
        });
        Ok(())
    }
}

fn text(text: &str, quoted: bool) -> Piece<'_> {
    Piece {
        what: What::Text(text),
        quoted,
    }
}

/// How long the rest of `${name…}` is where it takes a part of the value, or another for it: nothing is computed,
/// assigned or run, and what is there expands no further.
fn change(text: &str) -> Option<usize> {
    let sign = ["%", "#", "/", ":-", ":+", "-", "+"]
        .into_iter()
        .find(|sign| text.starts_with(sign))?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"%#/ ._-*,+".contains(&byte);
    let length = sign.len() + text[sign.len()..].bytes().take_while(|byte| plain(*byte)).count();
    text[length..].starts_with('}').then_some(length + 1)
}
