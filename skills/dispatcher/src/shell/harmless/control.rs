//! Reading control flow: `for`, `while`, `if`, `case` and `[[ … ]]`, each only in the form that everybody writes. Reserved words
//! must stand alone, with blanks around them.

use super::Proof;
use super::read::{Closer, Reader, name_length};
use super::syntax::{Command, Piece, Script, What, Word};

/// What may stand before one word between `[[` and `]]`.
const UNARY: &[&str] = &[
    "-G", "-L", "-N", "-O", "-S", "-b", "-c", "-d", "-e", "-f", "-g", "-h", "-k", "-n", "-p", "-r", "-s", "-u", "-w",
    "-x", "-z",
];
/// What may stand between two.
const BINARY: &[&str] = &["!=", "-ef", "-nt", "-ot", "=", "==", "=~"];
/// What computes both, and runs what stands in an index: between numbers only.
const COMPUTING: &[&str] = &["-eq", "-ge", "-gt", "-le", "-lt", "-ne"];

impl<'t> Reader<'t> {
    /// The compound command that begins here with a word, if one does.
    pub(super) fn control(&mut self) -> Proof<Option<Command<'t>>> {
        let ends = |reader: &Self, word: &str, lines: bool| match reader.byte(word.len()) {
            Some(b' ' | b'\t') => true,
            Some(b'\n') => lines,
            _ => false,
        };
        let begins = [
            ("for", false),
            ("case", false),
            ("[[", false),
            ("while", true),
            ("if", true),
        ];
        let found = begins
            .into_iter()
            .find(|(word, lines)| self.starts(word) && ends(self, word, *lines));
        let Some((word, _)) = found else {
            return Ok(None);
        };
        if word == "[[" {
            self.bash_only()?;
        }
        self.flows = true;
        self.at += word.len();
        match word {
            "for" => self.each(),
            "while" => self.repeated(),
            "if" => self.branches(),
            "case" => self.cases(),
            _ => self.tested(),
        }
        .map(Some)
    }

    /// The reserved word of these that stands here alone.
    pub(super) fn reserved(&self, words: &[&'static str]) -> Option<&'static str> {
        let ends = |word: &&&str| {
            matches!(
                self.byte(word.len()),
                None | Some(b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b')')
            )
        };
        words.iter().filter(|word| self.starts(word)).find(ends).copied()
    }

    /// Steps over a reserved word behind which commands stand.
    fn expect(&mut self, word: &'static str) -> Proof<()> {
        let goes_on = matches!(self.byte(word.len()), Some(b' ' | b'\t' | b'\n'));
        if !self.starts(word) || !goes_on {
            return self.odd("it holds control flow that can't be followed");
        }
        self.at += word.len();
        Ok(())
    }

    /// Commands up to one of these words, which is not stepped over.
    fn until(&mut self, words: &'static [&'static str]) -> Proof<Script<'t>> {
        self.script(Some(Closer::Word(words)))
    }

    fn body(&mut self) -> Proof<Script<'t>> {
        self.expect("do")?;
        let body = self.until(&["done"])?;
        self.at += "done".len();
        Ok(body)
    }

    fn each(&mut self) -> Proof<Command<'t>> {
        self.spaces();
        let rest = &self.text[self.at..];
        let name = &rest[..name_length(rest.as_bytes())];
        self.at += name.len();
        let apart = self.spaces();
        if name.is_empty() || !apart || self.reserved(&["in"]).is_none() {
            return self.odd("it holds control flow that can't be followed");
        }
        self.at += "in".len();
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.byte(0) {
                Some(b';') if !matches!(self.byte(1), Some(b';' | b'&' | b'|')) => {
                    self.at += 1;
                    break;
                }
                Some(b'\n') => break,
                None | Some(b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')') => {
                    return self.odd("it holds control flow that can't be followed");
                }
                _ => words.push(self.word()?),
            }
        }
        self.lines();
        let body = self.body()?;
        Ok(Command::For { name, words, body })
    }

    fn repeated(&mut self) -> Proof<Command<'t>> {
        let condition = self.until(&["do"])?;
        let body = self.body()?;
        Ok(Command::While { condition, body })
    }

    fn branches(&mut self) -> Proof<Command<'t>> {
        let mut branches = Vec::new();
        loop {
            let condition = self.until(&["then"])?;
            self.expect("then")?;
            branches.push((condition, self.until(&["elif", "else", "fi"])?));
            if self.reserved(&["elif"]).is_none() {
                break;
            }
            self.expect("elif")?;
        }
        let mut otherwise = None;
        if self.reserved(&["else"]).is_some() {
            self.expect("else")?;
            otherwise = Some(self.until(&["fi"])?);
        }
        self.at += "fi".len();
        Ok(Command::If { branches, otherwise })
    }

    fn cases(&mut self) -> Proof<Command<'t>> {
        self.spaces();
        let word = self.word()?;
        self.spaces();
        if word.raw.is_empty() {
            return self.odd("it holds control flow that can't be followed");
        }
        self.expect("in")?;
        let mut items = Vec::new();
        loop {
            self.lines();
            if self.reserved(&["esac"]).is_some() {
                self.at += "esac".len();
                return Ok(Command::Case { word, items });
            }
            if self.byte(0) == Some(b'(') {
                self.at += 1;
            }
            let mut patterns = Vec::new();
            loop {
                self.spaces();
                let pattern = self.word()?;
                if pattern.raw.is_empty() || pattern.raw == "esac" {
                    return self.odd("it holds control flow that can't be followed");
                }
                patterns.push(pattern);
                self.spaces();
                let more = self.byte(0) == Some(b'|');
                if !more && self.byte(0) != Some(b')') {
                    return self.odd("it holds control flow that can't be followed");
                }
                self.at += 1;
                if !more {
                    break;
                }
            }
            let body = self.script(Some(Closer::Item))?;
            items.push((patterns, body));
        }
    }

    /// `[[ … ]]`, with `!`, `&&` and `||` and without brackets.
    fn tested(&mut self) -> Proof<Command<'t>> {
        let mut words: Vec<Word<'t>> = Vec::new();
        loop {
            let apart = self.spaces();
            let sign = ["&&", "||", "=~"].into_iter().find(|sign| self.starts(sign));
            if let Some(sign) = sign {
                let raw = &self.text[self.at..self.at + sign.len()];
                self.at += sign.len();
                let behind = matches!(self.byte(0), Some(b' ' | b'\t'));
                if !apart || !behind {
                    return self.odd("a test in it can't be followed");
                }
                words.push(Word {
                    raw,
                    pieces: vec![Piece {
                        what: What::Text(raw),
                        quoted: true,
                    }],
                });
                continue;
            }
            if !apart || self.is_between() || matches!(self.byte(0), Some(b'<' | b'>' | b'(' | b'#')) {
                return self.odd("a test in it can't be followed");
            }
            let word = self.word()?;
            if word.raw == "]]" {
                break;
            }
            words.push(word);
        }
        if words.split(|word| matches!(word.raw, "&&" | "||")).all(is_plain_test) {
            return Ok(Command::Test(words));
        }
        self.odd("a test in it can't be followed")
    }

    /// Steps over blanks on the line. Whether there were any.
    fn spaces(&mut self) -> bool {
        let start = self.at;
        while matches!(self.byte(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        self.at > start
    }
}

/// Whether one part of a test computes nothing and sets nothing.
fn is_plain_test(mut words: &[Word<'_>]) -> bool {
    while let [first, rest @ ..] = words
        && first.raw == "!"
    {
        words = rest;
    }
    let is_sign = |word: &Word<'_>| [UNARY, BINARY, COMPUTING].iter().any(|known| known.contains(&word.raw));
    let is_value = |word: &Word<'_>| !is_sign(word) && word.raw != "!";
    let is_number = |word: &Word<'_>| {
        let digits = word.raw.bytes().all(|byte| byte.is_ascii_digit()) && word.raw.len() < 10;
        word.raw == "$#" || digits && (word.raw == "0" || !word.raw.starts_with('0'))
    };
    match words {
        [only] => is_value(only) && !only.raw.starts_with('-'),
        [sign, value] => UNARY.contains(&sign.raw) && is_value(value),
        [one, sign, other] if COMPUTING.contains(&sign.raw) => is_number(one) && is_number(other),
        [one, sign, other] => {
            BINARY.contains(&sign.raw) && is_value(one) && !one.raw.starts_with('-') && is_value(other)
        }
        _ => false,
    }
}
