//! Reading one word: its quotes, escapes and expansions. The scripts of substitutions are handed out on the way.

use super::{Doubt, Reader};
use crate::shell::scan::{self, Open};
use crate::shell::word::{Glyph, Word};

/// Room for a word, in characters: most have no more.
const USUAL_LENGTH: usize = 16;

impl Reader {
    /// One word. `None` where none begins here.
    pub(super) fn word(&mut self) -> Option<Word> {
        let mut word = Word {
            glyphs: Vec::with_capacity(USUAL_LENGTH),
            quoted: false,
        };
        let start = self.at;
        while let Some(char) = self.peek(0) {
            match char {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | ')' => break,
                '(' => break,
                '<' | '>' if self.peek(1) == Some('(') => {
                    self.at += 2;
                    self.nested(Open::Paren);
                    // A pipe, and no file of which only running tells the name.
                    word.glyphs.extend("/dev/fd/".chars().map(Glyph::Quoted));
                    word.glyphs.push(Glyph::hole("", true));
                }
                '<' | '>' => break,
                '\\' => {
                    match self.peek(1) {
                        Some('\n') => {}
                        Some(next) => {
                            word.glyphs.push(Glyph::Quoted(next));
                            word.quoted = true;
                        }
                        None => word.glyphs.push(Glyph::Quoted('\\')),
                    }
                    self.at = (self.at + 2).min(self.text.len());
                }
                '\'' => {
                    word.quoted = true;
                    self.at += 1;
                    let end = scan::find(&self.text, self.at, '\'');
                    if end.is_none() {
                        self.doubt(Doubt::Unfinished);
                    }
                    let end = end.unwrap_or(self.text.len());
                    word.glyphs
                        .extend(self.text[self.at..end].iter().copied().map(Glyph::Quoted));
                    self.at = (end + 1).min(self.text.len());
                }
                '"' => {
                    self.at += 1;
                    self.double(&mut word);
                }
                '$' => self.dollar(&mut word, false),
                '`' => {
                    self.at += 1;
                    self.nested(Open::Backtick);
                    word.glyphs.push(Glyph::hole("", false));
                }
                _ => {
                    word.glyphs.push(Glyph::Bare(char));
                    self.at += 1;
                }
            }
        }
        (self.at > start).then_some(word)
    }

    /// What stands between double quotes, from just after the first.
    fn double(&mut self, word: &mut Word) {
        word.quoted = true;
        loop {
            let Some(char) = self.peek(0) else {
                return self.doubt(Doubt::Unfinished);
            };
            match char {
                '"' => {
                    self.at += 1;
                    return;
                }
                '\\' => {
                    match self.peek(1) {
                        Some('\n') => {}
                        Some(next @ ('$' | '`' | '"' | '\\')) => word.glyphs.push(Glyph::Quoted(next)),
                        Some(next) => word.glyphs.extend([Glyph::Quoted('\\'), Glyph::Quoted(next)]),
                        None => {}
                    }
                    self.at = (self.at + 2).min(self.text.len());
                }
                '$' => self.dollar(word, true),
                '`' => {
                    self.at += 1;
                    self.nested(Open::Backtick);
                    word.glyphs.push(Glyph::hole("", true));
                }
                _ => {
                    word.glyphs.push(Glyph::Quoted(char));
                    self.at += 1;
                }
            }
        }
    }

    /// `$` and what it begins.
    fn dollar(&mut self, word: &mut Word, quoted: bool) {
        let hole = |expression: String| Glyph::hole(expression, quoted);
        self.at += 1;
        match self.peek(0) {
            Some('\'') if !quoted => {
                word.quoted = true;
                match scan::ansi_c(&self.text, self.at + 1) {
                    Some((chars, end)) => {
                        word.glyphs.extend(chars.into_iter().map(Glyph::Quoted));
                        self.at = end;
                    }
                    None => {
                        self.doubt(Doubt::Unfinished);
                        self.at = self.text.len();
                    }
                }
            }
            Some('"') if !quoted => {
                self.at += 1;
                self.double(word);
            }
            Some('(') => {
                self.at += 1;
                self.nested(Open::Paren);
                word.glyphs.push(hole(String::new()));
            }
            Some('{') => {
                self.at += 1;
                let end = scan::close(&self.text, self.at, Open::Brace);
                if end.is_none() {
                    self.doubt(Doubt::Unfinished);
                }
                let end = end.unwrap_or(self.text.len());
                let inner = self.text[self.at..end].to_vec();
                self.at = (end + 1).min(self.text.len());
                self.harvest(&inner);
                let expression: String = inner.into_iter().collect();
                if expression.ends_with("@P") || (expression.starts_with('!') && expression.len() > 1) {
                    self.doubt(Doubt::Indirect);
                }
                let dynamic = expression.is_empty() || expression.contains(['$', '`']);
                word.glyphs.push(hole(if dynamic { String::new() } else { expression }));
            }
            Some('[') => {
                let end = scan::find(&self.text, self.at, ']').map_or(self.text.len(), |end| end + 1);
                let inner = self.text[self.at..end].to_vec();
                self.at = end;
                self.harvest(&inner);
                word.glyphs.push(hole(String::new()));
            }
            Some(char) if char.is_ascii_alphabetic() || char == '_' => {
                let mut name = String::new();
                while let Some(char) = self.peek(0).filter(|char| char.is_ascii_alphanumeric() || *char == '_') {
                    name.push(char);
                    self.at += 1;
                }
                word.glyphs.push(hole(name));
            }
            Some(char) if char.is_ascii_digit() || matches!(char, '@' | '*' | '#' | '?' | '$' | '!' | '-') => {
                self.at += 1;
                word.glyphs.push(hole(char.to_string()));
            }
            _ => word
                .glyphs
                .push(if quoted { Glyph::Quoted('$') } else { Glyph::Bare('$') }),
        }
    }

    /// The script of a substitution, from just after its bracket, is handed out, and stepped over.
    fn nested(&mut self, open: Open) {
        let end = scan::close(&self.text, self.at, open);
        if end.is_none() {
            self.doubt(Doubt::Unfinished);
        }
        let end = end.unwrap_or(self.text.len());
        let inner = &self.text[self.at..end];
        let arithmetic = inner.first() == Some(&'(')
            && scan::close(inner, 1, Open::Paren).is_some_and(|close| close + 1 == inner.len());
        if arithmetic {
            let inner = inner.to_vec();
            self.harvest(&inner);
        } else {
            self.out.nested.push(scan::script(inner, open));
        }
        self.at = (end + 1).min(self.text.len());
    }
}
