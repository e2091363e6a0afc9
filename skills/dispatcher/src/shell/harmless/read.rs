//! Reading a script: only what every shell reads in the same way. Whatever is unusual ends it with the reason, so what this
//! reader takes is what bash takes.

use super::syntax::{Command, Join, List, Pipeline, Redirect, Script, Simple, What, Word};
use super::{Doubt, Proof};

/// How deep scripts in scripts are read.
const DEEPEST: usize = 6;
/// The longest script that is read, in bytes.
const LONGEST: usize = 4 << 10;

/// Words that begin or go on something else where a command's name stands. Sorted.
const RESERVED: &[&str] = &[
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while", "{", "}",
];

/// Which shell reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Bash,
    /// A plain POSIX shell.
    Posix,
}

/// Reads a script.
///
/// # Errors
/// What in it is not followed.
pub(super) fn read(text: &str, dialect: Dialect) -> Proof<Whole<'_>> {
    if text.len() > LONGEST {
        return Err(Doubt::new("it is too long to be followed", ""));
    }
    if let Some(control) = text
        .chars()
        .find(|char| char.is_control() && !matches!(char, '\t' | '\n'))
    {
        let control = control.escape_default().to_string();
        return Err(Doubt::new("it holds a control character", control));
    }
    let mut reader = Reader {
        text,
        at: 0,
        dialect,
        depth: 0,
        flows: false,
    };
    let script = reader.script(None)?;
    Ok(Whole {
        script,
        flows: reader.flows,
    })
}

/// A whole script.
pub(super) struct Whole<'t> {
    pub(super) script: Script<'t>,
    /// Whether there is control flow in it.
    pub(super) flows: bool,
}

/// What ends a script that stands in another.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Closer {
    Bracket,
    Brace,
    /// One of these reserved words, which whoever asked steps over.
    Word(&'static [&'static str]),
    /// `;;`, which is stepped over, or `esac`, which is not.
    Item,
}

pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) dialect: Dialect,
    pub(super) depth: usize,
    /// Whether there was control flow.
    pub(super) flows: bool,
}

impl<'t> Reader<'t> {
    pub(super) fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    pub(super) fn starts(&self, with: &str) -> bool {
        self.text[self.at..].starts_with(with)
    }

    /// Whether a word could not go on here.
    pub(super) fn is_between(&self) -> bool {
        matches!(
            self.byte(0),
            None | Some(b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b')')
        )
    }

    pub(super) fn odd<T>(&self, why: &str) -> Proof<T> {
        Err(Doubt::new(why, crate::finding::line(&self.text[self.at..], 40)))
    }

    /// Steps over blanks, and over a remark behind them.
    pub(super) fn blanks(&mut self) {
        let start = self.at;
        while matches!(self.byte(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let begins = self.at > start || matches!(self.text[..self.at].bytes().next_back(), None | Some(b'\n'));
        if begins && self.byte(0) == Some(b'#') {
            self.at = self.text[self.at..]
                .find('\n')
                .map_or(self.text.len(), |length| self.at + length);
        }
    }

    pub(super) fn lines(&mut self) {
        self.blanks();
        while self.byte(0) == Some(b'\n') {
            self.at += 1;
            self.blanks();
        }
    }

    /// Reads commands up to the end, or to what closes them, which is stepped over.
    pub(super) fn script(&mut self, closer: Option<Closer>) -> Proof<Script<'t>> {
        if self.depth >= DEEPEST {
            return self.odd("it nests too deep to be followed");
        }
        self.depth += 1;
        let mut lists = Vec::new();
        self.lines();
        while !self.closes(closer)? {
            lists.push(self.list()?);
            self.blanks();
            match self.byte(0) {
                None | Some(b')') => {
                    if closer == Some(Closer::Brace) {
                        return self.odd("a group in it does not end");
                    }
                }
                Some(b'\n') => {}
                Some(b';') if !matches!(self.byte(1), Some(b';' | b'&' | b'|')) => self.at += 1,
                Some(b';') if closer == Some(Closer::Item) && self.byte(1) == Some(b';') => {}
                Some(b'&') => return self.odd("it runs something in the background"),
                _ => return self.odd("it can't be followed from here on"),
            }
            self.lines();
        }
        self.depth -= 1;
        if lists.is_empty() && closer.is_some_and(|closer| closer != Closer::Item) {
            return self.odd("there is no command between the brackets");
        }
        Ok(Script { lists })
    }

    /// Whether the script ends here.
    fn closes(&mut self, closer: Option<Closer>) -> Proof<bool> {
        let closes = match (self.byte(0), closer) {
            (None, None) => return Ok(true),
            (Some(b')'), Some(Closer::Bracket)) => true,
            (Some(b'}'), Some(Closer::Brace)) => {
                let next = self.byte(1);
                matches!(next, None | Some(b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b')'))
            }
            (_, Some(Closer::Word(words))) if self.reserved(words).is_some() => return Ok(true),
            (Some(b';'), Some(Closer::Item)) if self.byte(1) == Some(b';') => {
                self.at += 1;
                true
            }
            (_, Some(Closer::Item)) if self.reserved(&["esac"]).is_some() => return Ok(true),
            (None, Some(Closer::Word(_) | Closer::Item)) => {
                return self.odd("it holds control flow that does not end");
            }
            (None, Some(_)) => return self.odd("a bracket in it does not close"),
            (Some(b')'), _) => return self.odd("a bracket in it was not opened"),
            _ => false,
        };
        self.at += usize::from(closes);
        Ok(closes)
    }

    fn list(&mut self) -> Proof<List<'t>> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.blanks();
            let join = if self.starts("&&") {
                Join::And
            } else if self.starts("||") {
                Join::Or
            } else {
                return Ok(List { first, rest });
            };
            self.at += 2;
            self.lines();
            rest.push((join, self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Proof<Pipeline<'t>> {
        let mut prefixes = Vec::new();
        while let Some(prefix) = ["! ", "time "].into_iter().find(|prefix| self.starts(prefix)) {
            // To a plain shell it is a program, which what stands before it may have changed.
            if prefix == "time " {
                self.bash_only()?;
            }
            prefixes.push(&self.text[self.at..self.at + prefix.len() - 1]);
            self.at += prefix.len();
            self.blanks();
            if self.byte(0) == Some(b'-') {
                return self.odd("what an option does to `time` is not known");
            }
        }
        if prefixes.len() > 1 {
            return self.odd("it is read differently by different shells");
        }
        let mut commands = vec![self.command()?];
        loop {
            self.blanks();
            if self.byte(0) != Some(b'|') || self.byte(1) == Some(b'|') {
                return Ok(Pipeline { prefixes, commands });
            }
            self.at += 1;
            if self.byte(0) == Some(b'&') {
                self.bash_only()?;
                let both = Redirect {
                    number: "2",
                    sign: ">&",
                    target: Word {
                        raw: "1",
                        pieces: Vec::new(),
                    },
                };
                if let Some((_, redirects)) = commands.last_mut() {
                    redirects.push(both);
                }
                self.at += 1;
            }
            self.lines();
            commands.push(self.command()?);
        }
    }

    pub(super) fn bash_only(&self) -> Proof<()> {
        match self.dialect {
            Dialect::Bash => Ok(()),
            Dialect::Posix => self.odd("it is read differently by different shells"),
        }
    }

    fn command(&mut self) -> Proof<(Command<'t>, Vec<Redirect<'t>>)> {
        let command = match (self.byte(0), self.byte(1)) {
            (Some(b'('), Some(b'(')) => return self.odd("it computes, or opens two brackets at once"),
            (Some(b'('), _) => {
                self.at += 1;
                Command::Subshell(self.script(Some(Closer::Bracket))?)
            }
            (Some(b'{'), Some(b' ' | b'\t' | b'\n')) => {
                self.at += 1;
                Command::Group(self.script(Some(Closer::Brace))?)
            }
            _ => match self.control()? {
                Some(compound) => compound,
                None => return self.simple(),
            },
        };
        if !self.is_between() {
            return self.odd("it is read differently by different shells");
        }
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok((command, redirects)),
            }
        }
    }

    fn simple(&mut self) -> Proof<(Command<'t>, Vec<Redirect<'t>>)> {
        let mut simple = Simple::default();
        let mut redirects = Vec::new();
        let start = self.at;
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            if self.is_between() {
                break;
            }
            if simple.words.is_empty()
                && let Some(name) = self.assigned()?
            {
                self.at += name.len() + 1;
                let value = self.word()?;
                simple.assignments.push((name, value));
                continue;
            }
            let word = self.word()?;
            if simple.words.is_empty() && RESERVED.binary_search(&word.raw).is_ok() {
                return Err(Doubt::new("it holds control flow that can't be followed", word.raw));
            }
            simple.words.push(word);
        }
        if self.at == start {
            return self.odd("a command is missing in it");
        }
        Ok((Command::Simple(simple), redirects))
    }

    /// The name of a variable, if an assignment begins here.
    fn assigned(&self) -> Proof<Option<&'t str>> {
        let rest = &self.text[self.at..];
        let name = &rest[..name_length(rest.as_bytes())];
        let behind = &rest[name.len()..];
        if name.is_empty() {
            return Ok(None);
        }
        if behind.starts_with("+=") || behind.starts_with('[') {
            return self.odd("it adds to a variable, or sets an element of it");
        }
        Ok(behind.starts_with('=').then_some(name))
    }

    /// A redirection, if one begins here.
    fn redirect(&mut self) -> Proof<Option<Redirect<'t>>> {
        let rest = &self.text[self.at..];
        let number = &rest[..rest.bytes().take_while(u8::is_ascii_digit).count()];
        let behind = &rest[number.len()..];
        let both = number.is_empty() && behind.starts_with("&>");
        if !behind.starts_with(['<', '>']) && !both {
            return Ok(None);
        }
        if number.is_empty() && behind.starts_with("<(") {
            return Ok(None);
        }
        // The longest first.
        const SIGNS: &[&str] = &["<<<", "&>>", "<<", "<>", "<&", ">>", ">&", ">|", "&>", "<", ">"];
        let Some(sign) = SIGNS.iter().find(|sign| behind.starts_with(**sign)) else {
            return Ok(None);
        };
        if number.len() > 1 || *sign == "<<" || *sign == "<>" || behind[sign.len()..].starts_with('(') {
            return self.odd("a redirection in it is not followed");
        }
        // Where output goes stays what it was, or a file that is opened for output: so that what /dev/stdout names is no file
        // that was opened to be read.
        if sign.starts_with('<') && !matches!(number, "" | "0") {
            return self.odd("a redirection in it is not followed");
        }
        if matches!(*sign, "<<<" | "&>" | "&>>") {
            self.bash_only()?;
        }
        self.at += number.len() + sign.len();
        while matches!(self.byte(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        if self.is_between() || matches!(self.byte(0), Some(b'#' | b'<' | b'>')) && !self.starts("<(") {
            return self.odd("a redirection in it lacks its file");
        }
        let target = self.word()?;
        let process = target.pieces.iter().any(|piece| matches!(piece.what, What::Process(_)));
        if process && *sign != "<" {
            return self.odd("a redirection in it is not followed");
        }
        Ok(Some(Redirect { number, sign, target }))
    }
}

/// How long the name of a variable is that stands at the start.
pub(super) fn name_length(bytes: &[u8]) -> usize {
    if bytes.first().is_none_or(u8::is_ascii_digit) {
        return 0;
    }
    bytes
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
        .count()
}
