//! Reading the commonest scripts without the grammar's parser, which takes ten times as long: simple commands, what
//! stands between them, and redirections. What comes of it is what the parser makes, but for places in the text, at
//! which nobody looks. Whatever is unusual is not read here: brackets, reserved words, comments, here-documents,
//! substitutions, lines that are joined.

use brush_parser::SourceSpan;
use brush_parser::ast::{
    AndOr, AndOrList, Assignment, AssignmentName, AssignmentValue, Command, CommandPrefix, CommandPrefixOrSuffixItem,
    CommandSuffix, CompoundList, CompoundListItem, IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, Pipeline,
    Program, SeparatorOperator, SimpleCommand, Word,
};

/// Words that begin or go on something else where a command's name stands. Sorted.
const RESERVED: &[&str] = &[
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while", "{", "}",
];

/// Reads a script. `None` if something in it is not plain, or wrong.
pub(super) fn parse(text: &str) -> Option<Program> {
    let mut reader = Reader {
        text,
        at: 0,
        token: Token::End,
    };
    reader.program()
}

/// Whether a word holds nothing but texts, quotes, backslashes and the plainest expansions: `$x`, `${x}`.
pub(super) fn is_word(raw: &str) -> bool {
    let mut reader = Reader {
        text: raw,
        at: 0,
        token: Token::End,
    };
    reader.word().is_some() && reader.at == raw.len()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token<'t> {
    End,
    Newline,
    Word(&'t str),
    Semicolon,
    Ampersand,
    And,
    Or,
    Pipe,
    /// A redirection from or to a file or descriptor.
    File(File),
    /// `&>`, or `&>>` if it appends.
    Both {
        appends: bool,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum File {
    Read,
    Write,
    Append,
    Clobber,
    Both,
    InputOf,
    OutputOf,
}

struct Reader<'t> {
    text: &'t str,
    /// Just behind the token.
    at: usize,
    token: Token<'t>,
}

impl<'t> Reader<'t> {
    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// Reads the next token. `None` if it is not plain.
    fn advance(&mut self) -> Option<()> {
        while matches!(self.byte(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let Some(byte) = self.byte(0) else {
            self.token = Token::End;
            return Some(());
        };
        let next = self.byte(1);
        let (token, length) = match (byte, next) {
            (b'\n', _) => (Token::Newline, 1),
            (b';', Some(b';' | b'&')) | (b'|', Some(b'&')) | (b'<', Some(b'<')) => return None,
            (b';', _) => (Token::Semicolon, 1),
            (b'&', Some(b'&')) => (Token::And, 2),
            (b'&', Some(b'>')) if self.byte(2) == Some(b'>') => (Token::Both { appends: true }, 3),
            (b'&', Some(b'>')) => (Token::Both { appends: false }, 2),
            (b'&', _) => (Token::Ampersand, 1),
            (b'|', Some(b'|')) => (Token::Or, 2),
            (b'|', _) => (Token::Pipe, 1),
            // `{name}>file` sets a variable.
            (b'<' | b'>', _) if self.at > 0 && self.text.as_bytes()[self.at - 1] == b'}' => return None,
            (b'<', Some(b'&')) => (Token::File(File::InputOf), 2),
            (b'<', Some(b'>')) => (Token::File(File::Both), 2),
            (b'<', _) => (Token::File(File::Read), 1),
            (b'>', Some(b'&')) => (Token::File(File::OutputOf), 2),
            (b'>', Some(b'>')) => (Token::File(File::Append), 2),
            (b'>', Some(b'|')) => (Token::File(File::Clobber), 2),
            (b'>', _) => (Token::File(File::Write), 1),
            (b'#', _) => return None,
            _ => {
                self.token = Token::Word(self.word()?);
                return Some(());
            }
        };
        self.at += length;
        self.token = token;
        Some(())
    }

    /// The word that begins here. `None` if something in it is not plain.
    fn word(&mut self) -> Option<&'t str> {
        let start = self.at;
        while let Some(byte) = self.byte(0) {
            match byte {
                b' ' | b'\t' | b'\n' | b'&' | b';' | b'|' | b'<' | b'>' => break,
                b'(' | b')' | b'`' => return None,
                b'\\' if matches!(self.byte(1), None | Some(b'\n')) => return None,
                b'\\' => self.at += 2,
                // The parser takes a dollar before the quote for its beginning, even if it was escaped.
                b'\'' if self.at > start && self.text.as_bytes()[self.at - 1] == b'$' => return None,
                b'\'' => {
                    self.at += 2 + self.text.as_bytes()[self.at + 1..]
                        .iter()
                        .position(|byte| *byte == b'\'')?
                }
                b'"' => self.double()?,
                b'$' if self.byte(1) == Some(b'"') => return None,
                b'$' => self.dollar()?,
                _ => self.at += 1,
            }
        }
        Some(&self.text[start..self.at])
    }

    /// Steps over what stands between double quotes.
    fn double(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            match self.byte(0)? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'`' => return None,
                b'\\' if matches!(self.byte(1), None | Some(b'\n')) => return None,
                b'\\' => self.at += 2,
                b'$' => self.dollar()?,
                _ => self.at += 1,
            }
        }
    }

    /// Steps over a dollar, and over the name between braces behind it.
    fn dollar(&mut self) -> Option<()> {
        match self.byte(1) {
            Some(b'(' | b'[' | b'\'') => None,
            Some(b'{') => {
                let length = name_length(&self.text.as_bytes()[self.at + 2..]);
                if length == 0 || self.byte(2 + length) != Some(b'}') {
                    return None;
                }
                self.at += length + 3;
                Some(())
            }
            _ => {
                self.at += 1;
                Some(())
            }
        }
    }

    fn newlines(&mut self) -> Option<()> {
        while self.token == Token::Newline {
            self.advance()?;
        }
        Some(())
    }

    fn program(&mut self) -> Option<Program> {
        let mut complete_commands = Vec::new();
        self.advance()?;
        self.newlines()?;
        while self.token != Token::End {
            complete_commands.push(self.list()?);
            if !matches!(self.token, Token::End | Token::Newline) {
                return None;
            }
            self.newlines()?;
        }
        Some(Program { complete_commands })
    }

    fn list(&mut self) -> Option<CompoundList> {
        let mut items = Vec::new();
        loop {
            let commands = self.and_or()?;
            let (separator, ends) = match self.token {
                Token::Semicolon => (SeparatorOperator::Sequence, false),
                Token::Ampersand => (SeparatorOperator::Async, false),
                _ => (SeparatorOperator::Sequence, true),
            };
            items.push(CompoundListItem(commands, separator));
            if ends {
                return Some(CompoundList(items));
            }
            self.advance()?;
            if matches!(self.token, Token::End | Token::Newline) {
                return Some(CompoundList(items));
            }
        }
    }

    fn and_or(&mut self) -> Option<AndOrList> {
        let first = self.pipeline()?;
        let mut additional = Vec::new();
        loop {
            let next = match self.token {
                Token::And => AndOr::And,
                Token::Or => AndOr::Or,
                _ => return Some(AndOrList { first, additional }),
            };
            self.advance()?;
            self.newlines()?;
            additional.push(next(self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Option<Pipeline> {
        let mut seq = vec![Command::Simple(self.simple()?)];
        while self.token == Token::Pipe {
            self.advance()?;
            self.newlines()?;
            seq.push(Command::Simple(self.simple()?));
        }
        Some(Pipeline {
            timed: None,
            bang: false,
            seq,
        })
    }

    fn simple(&mut self) -> Option<SimpleCommand> {
        let mut prefix = Vec::new();
        while let Some(item) = self.item()? {
            prefix.push(item);
        }
        let name = match self.token {
            Token::Word(text) if RESERVED.binary_search(&text).is_ok() => return None,
            Token::Word(text) => Some(Word::new(text)),
            _ => None,
        };
        let mut suffix = Vec::new();
        if name.is_some() {
            self.advance()?;
            loop {
                if let Some(item) = self.item()? {
                    suffix.push(item);
                } else if let Token::Word(text) = self.token {
                    suffix.push(CommandPrefixOrSuffixItem::Word(Word::new(text)));
                    self.advance()?;
                } else {
                    break;
                }
            }
        } else if prefix.is_empty() {
            return None;
        }
        Some(SimpleCommand {
            prefix: (!prefix.is_empty()).then_some(CommandPrefix(prefix)),
            word_or_name: name,
            suffix: (!suffix.is_empty()).then_some(CommandSuffix(suffix)),
        })
    }

    /// A redirection or an assignment, if one stands here.
    fn item(&mut self) -> Option<Option<CommandPrefixOrSuffixItem>> {
        let item = match self.token {
            Token::Word(text)
                if matches!(self.byte(0), Some(b'<' | b'>')) && text.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                let number = text.parse().ok()?;
                self.advance()?;
                let Token::File(file) = self.token else { return None };
                CommandPrefixOrSuffixItem::IoRedirect(self.redirect(Some(number), file)?)
            }
            Token::Word(text) => match assignment(text)? {
                Some(assignment) => CommandPrefixOrSuffixItem::AssignmentWord(assignment, Word::new(text)),
                None => return Some(None),
            },
            Token::File(file) => CommandPrefixOrSuffixItem::IoRedirect(self.redirect(None, file)?),
            Token::Both { appends } => {
                let word = self.target()?;
                CommandPrefixOrSuffixItem::IoRedirect(IoRedirect::OutputAndError(word, appends))
            }
            _ => return Some(None),
        };
        self.advance()?;
        Some(Some(item))
    }

    fn redirect(&mut self, number: Option<i32>, file: File) -> Option<IoRedirect> {
        let word = self.target()?;
        let (kind, target) = match file {
            File::InputOf => (
                IoFileRedirectKind::DuplicateInput,
                IoFileRedirectTarget::Duplicate(word),
            ),
            File::OutputOf => (
                IoFileRedirectKind::DuplicateOutput,
                IoFileRedirectTarget::Duplicate(word),
            ),
            File::Read => (IoFileRedirectKind::Read, IoFileRedirectTarget::Filename(word)),
            File::Write => (IoFileRedirectKind::Write, IoFileRedirectTarget::Filename(word)),
            File::Append => (IoFileRedirectKind::Append, IoFileRedirectTarget::Filename(word)),
            File::Clobber => (IoFileRedirectKind::Clobber, IoFileRedirectTarget::Filename(word)),
            File::Both => (IoFileRedirectKind::ReadAndWrite, IoFileRedirectTarget::Filename(word)),
        };
        Some(IoRedirect::File(number, kind, target))
    }

    /// The word behind the sign of a redirection, which is left as the token.
    fn target(&mut self) -> Option<Word> {
        self.advance()?;
        match self.token {
            Token::Word(text) => Some(Word::new(text)),
            _ => None,
        }
    }
}

/// How much the expansions in a text weigh that the parser may read more than once: one for each, and four more for each
/// with a subscript that is not plain. Which of them are inside one another is not looked at.
pub(super) fn weight(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut weight = 0;
    for (at, byte) in bytes.iter().enumerate() {
        weight += match (byte, bytes.get(at + 1)) {
            (b'`', _) | (b'$', Some(b'(' | b'[')) => 1,
            (b'$', Some(b'{')) => {
                let inner = &bytes[at + 2..];
                let inner = &inner[usize::from(matches!(inner.first(), Some(b'!' | b'#')))..];
                let rest = &inner[name_length(inner)..];
                match rest {
                    [b'}', ..] | [b'[', b'@' | b'*', b']', ..] => 0,
                    [b'[', subscript @ ..] if !subscript.iter().take_while(|byte| **byte != b']').all(is_plain) => 5,
                    _ => 1,
                }
            }
            _ => 0,
        };
    }
    weight
}

/// Whether a byte of a subscript stands for itself.
fn is_plain(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'-' | b' ')
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

/// `NAME=value` or `NAME+=value`, if the word is one. `None` if it may be an element of an array.
fn assignment(text: &str) -> Option<Option<Assignment>> {
    let (name, rest) = text.split_at(name_length(text.as_bytes()));
    if name.is_empty() {
        return Some(None);
    }
    if rest.starts_with('[') && rest.contains('=') {
        return None;
    }
    let (append, value) = match rest.strip_prefix("+=") {
        Some(value) => (true, Some(value)),
        None => (false, rest.strip_prefix('=')),
    };
    Some(value.map(|value| Assignment {
        name: AssignmentName::VariableName(name.to_owned()),
        value: AssignmentValue::Scalar(Word::new(value)),
        append,
        loc: SourceSpan::default(),
    }))
}
