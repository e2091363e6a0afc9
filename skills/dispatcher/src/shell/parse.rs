//! A careful reader of command lines: it finds every simple command in a script, wherever it stands in lists,
//! pipelines, groups, loops and functions, and hands out the scripts of substitutions to be read as well. It judges
//! nothing, never recurses, and says when it is not sure.
//!
//! The structure is flattened: a rule asks what may run, not in which order.

mod redirects;
mod words;

use super::scan::{self, Open};
use super::word::{Glyph, Word};

/// A simple command, or the redirections of a compound one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Command {
    /// `NAME=value` before the words: the name, whether it appends, the value.
    pub(crate) assignments: Vec<(String, bool, Word)>,
    /// The program and its arguments.
    pub(crate) words: Vec<Word>,
    /// Whether it is no command, but where the input and output of a compound one go.
    pub(crate) compound: bool,
    /// Where its input and output go.
    pub(crate) redirects: Vec<Redirect>,
    /// What stood in its here-documents and here-strings.
    pub(crate) input: Vec<Word>,
    /// Whether the command before it writes into it.
    pub(crate) reads_pipe: bool,
    /// Whether it writes into the command after it.
    pub(crate) writes_pipe: bool,
    /// The functions in whose bodies it stands.
    pub(crate) inside: Vec<String>,
    /// Where it begins and ends in the text of its script.
    pub(crate) span: (usize, usize),
}

/// A redirection to or from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Redirect {
    /// Whether the file is written.
    pub(crate) writes: bool,
    /// Whether what was in it is lost.
    pub(crate) replaces: bool,
    /// The file.
    pub(crate) target: Word,
}

/// Why a reading is not certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Doubt {
    /// A quote, bracket or here-document does not end.
    Unfinished,
    /// `${x@P}`, `${!x}`: a value that is expanded again.
    Indirect,
}

/// What was found in one script.
#[derive(Debug, Default)]
pub(crate) struct Script {
    /// Every simple command, in order.
    pub(crate) commands: Vec<Command>,
    /// Scripts of substitutions, to be read as well.
    pub(crate) nested: Vec<String>,
    /// What was not certain.
    pub(crate) doubts: Vec<Doubt>,
    /// Its text.
    pub(crate) text: Vec<char>,
}

/// Words after which a command begins.
const RESERVED: &[&str] = &[
    "!", "{", "}", "coproc", "do", "done", "elif", "else", "esac", "fi", "if", "then", "time", "until", "while",
];

/// Reads one script.
pub(crate) fn parse(script: &str) -> Script {
    let text: Vec<char> = script.chars().collect();
    let mut reader = Reader {
        text,
        ..Reader::default()
    };
    reader.read();
    reader.out.text = reader.text;
    reader.out
}

#[derive(Default)]
struct Reader {
    text: Vec<char>,
    at: usize,
    out: Script,
    command: Command,
    /// Here-documents whose bodies begin on the next line: delimiter, whether it was quoted, whether tabs go.
    documents: Vec<(String, bool, bool)>,
    /// Open `{` and `(`, and the function whose body each is.
    groups: Vec<Option<String>>,
    /// A function's name, until its body opens.
    function: Option<String>,
    /// Inside `[[ … ]]`.
    in_test: bool,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn doubt(&mut self, doubt: Doubt) {
        if !self.out.doubts.contains(&doubt) {
            self.out.doubts.push(doubt);
        }
    }

    /// Notes that what was read since `from` is a part of the command.
    fn mark(&mut self, from: usize) {
        let (start, end) = self.command.span;
        self.command.span = (if end == 0 { from } else { start }, self.at);
    }

    fn at_start(&self) -> bool {
        self.command.words.is_empty() && self.command.assignments.is_empty()
    }

    fn read(&mut self) {
        while let Some(char) = self.peek(0) {
            match char {
                ' ' | '\t' => self.at += 1,
                '\\' if self.peek(1) == Some('\n') => self.at += 2,
                '\n' if self.in_test => self.at += 1,
                '\n' => {
                    self.at += 1;
                    self.end(false);
                    self.read_documents();
                }
                '#' => self.at = scan::find(&self.text, self.at, '\n').unwrap_or(self.text.len()),
                '<' | '>' if self.peek(1) == Some('(') => self.read_word(),
                '&' | '|' | '(' | ')' | '<' | '>' | ';' if self.in_test => {
                    self.at += 1;
                    self.command.words.push(Word {
                        glyphs: vec![Glyph::Bare(char)],
                        quoted: false,
                    });
                    self.mark(self.at - 1);
                }
                ';' => {
                    self.at += 1;
                    self.end(false);
                }
                '&' if self.peek(1) == Some('>') => {
                    self.at += 1;
                    self.read_redirect();
                }
                '&' | '|' => self.read_connection(char),
                '(' => self.read_open(),
                ')' => {
                    self.at += 1;
                    self.end(false);
                    self.groups.pop();
                }
                '<' | '>' => self.read_redirect(),
                _ => self.read_word(),
            }
        }
        if !self.documents.is_empty() || self.in_test {
            self.doubt(Doubt::Unfinished);
        }
        self.end(false);
    }

    /// `&`, `&&`, `|`, `||`, `|&`.
    fn read_connection(&mut self, char: char) {
        let next = self.peek(1);
        let pipe = char == '|' && next != Some('|');
        self.at += if next == Some(char) || (pipe && next == Some('&')) {
            2
        } else {
            1
        };
        self.end(pipe);
    }

    /// `(`: arithmetic, a function's brackets, or a group.
    fn read_open(&mut self) {
        if self.at_start() && self.peek(1) == Some('(') {
            let end = scan::close(&self.text, self.at + 1, Open::Paren);
            let inner = scan::close(&self.text, self.at + 2, Open::Paren);
            if let (Some(end), Some(inner)) = (end, inner)
                && end == inner + 1
            {
                let arithmetic = self.text[self.at + 2..inner].to_vec();
                self.harvest(&arithmetic);
                self.at = end + 1;
                return;
            }
        }
        let name = match self.command.words.as_slice() {
            [only] if self.command.assignments.is_empty() => Some(only.literal()),
            _ => None,
        };
        if let Some(name) = name {
            let mut ahead = 1;
            while matches!(self.peek(ahead), Some(' ' | '\t')) {
                ahead += 1;
            }
            if self.peek(ahead) == Some(')') {
                self.at += ahead + 1;
                self.command = Command::default();
                self.function = Some(name);
                return;
            }
        }
        self.at += 1;
        self.end(false);
        let function = self.function.take();
        self.groups.push(function);
    }

    /// Ends the command that was being read.
    fn end(&mut self, pipe: bool) {
        self.in_test = false;
        let mut command = std::mem::take(&mut self.command);
        let empty = command.words.is_empty() && command.assignments.is_empty() && command.redirects.is_empty();
        // A pipe after a group comes from the last command in it.
        if empty && pipe {
            if let Some(last) = self.out.commands.last_mut() {
                last.writes_pipe = true;
            }
        } else if !empty {
            command.writes_pipe = pipe;
            command.inside = self.groups.iter().flatten().cloned().collect();
            self.out.commands.push(command);
        }
        self.command.reads_pipe = pipe;
    }

    fn harvest(&mut self, text: &[char]) {
        if !scan::substitutions(text, &mut self.out.nested) {
            self.doubt(Doubt::Unfinished);
        }
    }

    /// A word, and what it means where it stands.
    fn read_word(&mut self) {
        let from = self.at;
        let Some(word) = self.word() else {
            // Nothing that a word could begin with: step over it, so that reading always ends.
            self.at += 1;
            return self.doubt(Doubt::Unfinished);
        };
        if self.in_test {
            self.in_test = word.bare().as_deref() != Some("]]");
        } else if self.at_start() {
            match word.bare().as_deref() {
                Some("function") => {
                    while matches!(self.peek(0), Some(' ' | '\t')) {
                        self.at += 1;
                    }
                    self.function = self.word().map(|name| name.literal());
                    if self.peek(0) == Some('(') && self.peek(1) == Some(')') {
                        self.at += 2;
                    }
                    return;
                }
                Some(reserved) if RESERVED.contains(&reserved) => {
                    match reserved {
                        "{" => {
                            let function = self.function.take();
                            self.groups.push(function);
                        }
                        "}" => {
                            self.groups.pop();
                        }
                        "time" => self.skip_while(|word| matches!(word, "-p" | "--")),
                        // A name stands there only before a group.
                        "coproc" => {
                            let before = self.at;
                            self.skip_while(|word| !RESERVED.contains(&word));
                            if self.peek(0) != Some('(') && self.peek(0) != Some('{') {
                                self.at = before;
                            }
                        }
                        _ => {}
                    }
                    return;
                }
                Some("[[") => self.in_test = true,
                _ => {}
            }
        }
        if self.command.words.is_empty()
            && let Some((name, append, mut value)) = word.assignment()
        {
            if value.glyphs.is_empty() && self.peek(0) == Some('(') {
                value = self.array();
            }
            self.command.assignments.push((name, append, value));
            return self.mark(from);
        }
        self.command.words.push(word);
        self.mark(from);
    }

    /// Steps over blanks, and over one word after the other that is `meant`.
    fn skip_while(&mut self, meant: impl Fn(&str) -> bool) {
        loop {
            while matches!(self.peek(0), Some(' ' | '\t')) {
                self.at += 1;
            }
            let before = self.at;
            let word = self.word().and_then(|word| word.bare());
            if !word.is_some_and(|word| meant(&word)) {
                self.at = before;
                return;
            }
        }
    }

    /// The elements of `(a b c)`, with blanks between them.
    fn array(&mut self) -> Word {
        let mut all = Word::default();
        self.at += 1;
        loop {
            match self.peek(0) {
                None => {
                    self.doubt(Doubt::Unfinished);
                    return all;
                }
                Some(')') => {
                    self.at += 1;
                    return all;
                }
                Some(' ' | '\t' | '\n') => self.at += 1,
                Some('#') => self.at = scan::find(&self.text, self.at, '\n').unwrap_or(self.text.len()),
                Some(_) => match self.word() {
                    Some(word) => {
                        all.glyphs.push(Glyph::Bare(' '));
                        all.glyphs.extend(word.glyphs);
                    }
                    None => self.at += 1,
                },
            }
        }
    }
}

#[cfg(test)]
mod tests;
