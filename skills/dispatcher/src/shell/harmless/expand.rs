//! What words come to. A word makes one argument, or none; or it stands for several, of which only the kind is known.

use super::state::{Output, State};
use super::syntax::{Piece, Script, What, Word};
use super::{Doubt, Proof, Prover, UNKNOWN, braces};
use crate::path::Access;
use crate::shell::word::holds_unknown;

/// The longest text that one word may come to, in bytes.
const LONGEST_WORD: usize = 64 << 10;

/// At these a value that is not quoted may be split, or be more than it seems.
const SPLITTING: [char; 5] = [' ', '\t', '\n', '\\', UNKNOWN];
/// With these it may be a pattern.
const MATCHING: [char; 3] = ['*', '?', '['];

/// What an argument stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One argument. What only running tells of it stands as `UNKNOWN` in its text.
    One,
    /// Names of files in the workspace, whole, each with its folder before it: at least one.
    Found,
    /// Names of files that match its text, at least one.
    Pattern,
    /// Names of files in the workspace, cut wherever there is a blank in one: what comes of it may look like anything.
    Names,
    /// Any number of any arguments.
    Anything,
}

/// One argument, as a program gets it, or several of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Argument {
    pub(super) text: String,
    pub(super) kind: Kind,
}

impl Argument {
    pub(super) fn plain(text: impl Into<String>) -> Argument {
        Argument {
            text: text.into(),
            kind: Kind::One,
        }
    }

    /// One of which nothing is known but its kind.
    pub(super) fn of(kind: Kind) -> Argument {
        Argument {
            text: UNKNOWN.to_string(),
            kind,
        }
    }

    /// Whether it is one argument, of which the text is known.
    pub(super) fn is_known(&self) -> bool {
        self.kind == Kind::One && !holds_unknown(&self.text)
    }

    /// Whether something in it may turn out to be an option.
    pub(super) fn may_be_option(&self) -> bool {
        match self.kind {
            Kind::One => self.text.starts_with(UNKNOWN),
            Kind::Found => false,
            Kind::Pattern => self.text.starts_with(['*', '?', '[', '-', '+']),
            Kind::Names | Kind::Anything => true,
        }
    }
}

impl Prover<'_> {
    /// The arguments that a word makes, with its braces written out where that is known.
    pub(super) fn arguments(&mut self, word: &Word<'_>, state: &State) -> Proof<Vec<Argument>> {
        let Some(spelt) = braces::spelt(word) else {
            return Ok(self.argument(word, state)?.into_iter().collect());
        };
        let one = |text: String| Argument {
            kind: if text.contains(MATCHING) {
                Kind::Pattern
            } else {
                Kind::One
            },
            text,
        };
        Ok(spelt.into_iter().map(one).collect())
    }

    /// The argument that a word makes, if it makes one.
    pub(super) fn argument(&mut self, word: &Word<'_>, state: &State) -> Proof<Option<Argument>> {
        let nothing = |piece: &&Piece<'_>| !(piece.quoted && matches!(piece.what, What::Text("")));
        let pieces: Vec<&Piece<'_>> = word.pieces.iter().filter(nothing).collect();
        if let [piece] = pieces.as_slice() {
            match &piece.what {
                What::Process(script) => {
                    self.script(script, &mut state.beneath(), &Output::Unknown)?;
                    return Ok(Some(Argument::plain("/dev/fd/63")));
                }
                What::Substitution(script) if !piece.quoted => {
                    return Ok(Some(match self.substituted(script, state)? {
                        Output::Text(text) if !text.contains(SPLITTING) && !text.contains(MATCHING) => {
                            Argument::plain(text)
                        }
                        Output::Names(names) if names.reaches.is_empty() => Argument::of(Kind::Names),
                        _ => Argument::of(Kind::Anything),
                    }));
                }
                // No arguments make none.
                What::Spread if matches!(word.raw, "$@" | "$*" | "\"$@\"") => {
                    let none = state.arguments.as_ref().is_some_and(|arguments| arguments.len() < 2);
                    return Ok((!none).then(|| Argument::of(Kind::Anything)));
                }
                What::Variable(name) => {
                    if let Some(found) = state.picked(name) {
                        // One that is cut at a blank may be several names.
                        let read = piece.quoted || self.file(&found, Access::Read, state).is_ok();
                        return Ok(Some(match (piece.quoted, read) {
                            (true, _) => found,
                            (false, true) => Argument::of(Kind::Names),
                            (false, false) => Argument::of(Kind::Anything),
                        }));
                    }
                }
                What::Positional(at) => {
                    let argument = state.positional(*at);
                    if piece.quoted && argument.kind == Kind::Found {
                        return Ok(Some(argument));
                    }
                    if argument.kind == Kind::Found {
                        return Ok(Some(Argument::of(Kind::Names)));
                    }
                }
                _ => {}
            }
        }
        let mut made = Argument::plain("");
        let (mut present, mut pattern) = (false, false);
        // Whether there is a sign of a set that is none, and one that is.
        let (mut quoted, mut set) = (false, false);
        for piece in &word.pieces {
            let value = self.value(piece, state)?;
            let literal = matches!(piece.what, What::Text(_));
            let whole = piece.quoted || matches!(piece.what, What::Number | What::Computed(_));
            // What is not quoted may be split, and be a pattern.
            if !whole && !literal && value.contains(SPLITTING) {
                made.kind = Kind::Anything;
            }
            pattern |= !piece.quoted && value.contains(MATCHING);
            quoted |= piece.quoted && value.contains(['[', ']', '!', '^']);
            set |= !piece.quoted && value.contains('[');
            present |= piece.quoted || !value.is_empty();
            made.text.push_str(&value);
            if made.text.len() > LONGEST_WORD {
                return Err(Doubt::new("a word in it is too long to be followed", ""));
            }
        }
        // A bracket that does not close is one.
        let closed = made.text.contains(['*', '?', UNKNOWN])
            || made.text.split_once('[').is_some_and(|(_, rest)| rest.contains(']'));
        if pattern && closed {
            // Which folder it looks into would only be told by running, and where a set ends by the quotes.
            if made.kind != Kind::One || made.text.contains(UNKNOWN) || set && quoted {
                return Err(Doubt::new("a pattern in it can't be followed", word.raw));
            }
            made.kind = Kind::Pattern;
        }
        Ok((present || made.kind == Kind::Anything).then_some(made))
    }

    /// The one text that a word makes where nothing is split, and no pattern matches.
    pub(super) fn text(&mut self, word: &Word<'_>, state: &State) -> Proof<String> {
        let mut text = String::new();
        for piece in &word.pieces {
            text.push_str(&self.value(piece, state)?);
        }
        if text.len() > LONGEST_WORD {
            return Err(Doubt::new("a word in it is too long to be followed", ""));
        }
        Ok(text)
    }

    fn value(&mut self, piece: &Piece<'_>, state: &State) -> Proof<String> {
        Ok(match &piece.what {
            What::Text(text) => (*text).to_owned(),
            What::Home => state.home.to_string(),
            What::Variable(name) => state.variable(name),
            What::Positional(at) => {
                let argument = state.positional(*at);
                if argument.is_known() {
                    argument.text
                } else {
                    UNKNOWN.to_string()
                }
            }
            What::Special | What::Brace => UNKNOWN.to_string(),
            What::Number => format!("1{UNKNOWN}"),
            What::Computed(number) => number.to_string(),
            What::Spread => return Err(Doubt::new("it spreads a list", "")),
            What::Substitution(script) => match self.substituted(script, state)? {
                Output::Text(text) => text,
                _ => UNKNOWN.to_string(),
            },
            What::Process(_) => return Err(Doubt::new("it is read differently by different shells", "")),
        })
    }

    /// What a substitution prints. One that is only a redirection prints the file.
    fn substituted(&mut self, script: &Script<'_>, state: &State) -> Proof<Output> {
        self.script(script, &mut state.beneath(), &Output::Unknown)
    }
}
