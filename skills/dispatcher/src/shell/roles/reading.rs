//! Reading options and operands, from left to right, by what is known of a program.

use super::rows::{Rest, Row};
use super::{Role, Roles};
use crate::shell::grammar::{Grammar, Operands, Takes as Value};
use crate::shell::word::Field;

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    /// A text, in the same argument or the next.
    Text,
    /// A file that is read.
    File,
    /// Something else, which is left open.
    Other,
    /// A text in the same argument, or none.
    Joined,
    /// A number, or nothing where what follows is none.
    Number,
    /// A name and a text, in the next two.
    Pair,
    /// A name and a file that is read.
    PairedFile,
}

/// What is known of a program's options.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    pub(super) own: Option<&'static Row>,
    pub(super) grammar: Option<&'static Grammar>,
    /// Whether what it obeys beside its options is given with them.
    pub(super) configured: bool,
}

impl Table {
    fn short(&self, letter: char) -> Option<Takes> {
        let of_grammar = |row: &Grammar| {
            let kinds = [
                (row.reads, Takes::File),
                (row.values, Takes::Text),
                (row.picks, Takes::Text),
                (row.leaves, Takes::Text),
                (row.optional, Takes::Joined),
                (row.flags, Takes::Nothing),
            ];
            kinds
                .iter()
                .find(|(own, _)| own.contains(letter))
                .map(|(_, takes)| *takes)
        };
        let own = self.own.and_then(|own| own.short(letter));
        own.or_else(|| self.grammar.and_then(of_grammar))
    }

    fn long(&self, name: &str) -> Option<Takes> {
        let of_grammar = |row: &Grammar| {
            let (_, takes) = row.long.iter().find(|(own, _)| *own == name)?;
            Some(match takes {
                Value::Nothing => Takes::Nothing,
                Value::Maybe => Takes::Joined,
                Value::File => Takes::File,
                Value::Value | Value::Names | Value::Others => Takes::Text,
            })
        };
        let own = self.own.and_then(|own| own.long(name));
        own.or_else(|| self.grammar.and_then(of_grammar))
    }

    fn is_number(&self, letters: &str) -> bool {
        let numbers = self.own.is_some_and(|own| own.numbered) || self.grammar.is_some_and(|row| row.numbers);
        numbers && letters.bytes().all(|byte| byte.is_ascii_digit())
    }

    fn apart(&self) -> bool {
        self.grammar.is_some_and(|row| row.apart)
    }

    /// What the operands are.
    fn rest(&self, read: &Reading<'_>) -> Rest {
        let given = |short: &str, long: &[&str]| {
            read.letters.contains(|letter| short.contains(letter)) || read.long.iter().any(|name| long.contains(name))
        };
        let own = self.own.map_or(Rest::Open, |own| match own.rest {
            Rest::Pattern if given(own.given_by, own.long_given_by) => Rest::Open,
            Rest::Names | Rest::Listing => {
                match read.whole && !self.configured && own.lists(&read.letters, &read.long) {
                    true => Rest::Names,
                    false => Rest::Open,
                }
            }
            rest => rest,
        });
        match self.grammar.map(|row| (row.operands, row)) {
            Some((Operands::Pattern, _)) if read.long.contains(&"files") => Rest::Names,
            Some((Operands::Pattern, row)) if own == Rest::Open => {
                let by_own = self.own.is_some_and(|own| given(own.given_by, own.long_given_by));
                match by_own || given(row.pattern_by, row.pattern_by_long) {
                    true => Rest::Open,
                    false => Rest::Pattern,
                }
            }
            _ => own,
        }
    }
}

/// The arguments, told apart.
#[derive(Debug, Default)]
pub(super) struct Reading<'a> {
    roles: Vec<Role>,
    /// Where the operands stand.
    operands: Vec<usize>,
    /// The letters of the short options, and the names of the long ones.
    letters: String,
    long: Vec<&'a str>,
    /// Whether it was read to its end.
    whole: bool,
    /// Whether only running tells how many arguments a value is.
    loose: bool,
}

/// What is at an argument.
enum Step {
    /// Go on behind the value that it takes, if any.
    On(Option<Takes>),
    /// What follows can't be told.
    Stop,
}

impl<'a> Reading<'a> {
    /// Reads the arguments from this one on.
    pub(super) fn of(table: &Table, arguments: &'a [Field], from: usize) -> Reading<'a> {
        let mut read = Reading {
            roles: vec![Role::Open; from.min(arguments.len())],
            ..Reading::default()
        };
        let stops = table.own.is_some_and(|own| own.stops);
        let mut options = true;
        while let Some(field) = arguments.get(read.roles.len()) {
            let text = field.text.as_str();
            let at = read.roles.len();
            read.roles.push(Role::Open);
            if options && text == "--" {
                options = false;
            } else if options && text.len() > 1 && text.starts_with('-') {
                // What is in it may be several arguments.
                if is_open(field) && !text.starts_with("--") || !field.is_known() && !text.contains('=') {
                    return read;
                }
                let step = match text.strip_prefix("--") {
                    Some(long) => read.long(table, long, at),
                    None => read.short(table, &text[1..], at),
                };
                let takes = match step {
                    Step::On(takes) => takes,
                    Step::Stop => return read,
                };
                // Whatever matches `--include=*.c` is a part of that option.
                if takes.is_some_and(|takes| !read.values(takes, arguments)) || !field.is_known() {
                    return read;
                }
            } else if stops && matches!(text, "(" | ")") {
                // They group what is looked for.
            } else {
                read.operands.push(at);
                // It may be an option, or several arguments.
                if is_open(field) || stops {
                    return read;
                }
            }
        }
        read.whole = true;
        read
    }

    fn long(&mut self, table: &Table, option: &'a str, at: usize) -> Step {
        let (name, value) = match option.split_once('=') {
            Some((name, _)) => (name, Some(2 + name.len() + 1)),
            None => (option, None),
        };
        self.long.push(name);
        match (table.long(name), value) {
            (Some(Takes::Text | Takes::Joined | Takes::Number), Some(_)) => self.roles[at] = Role::Text,
            (Some(Takes::File), Some(value)) => self.roles[at] = Role::File(value),
            // Whatever it is, it takes nothing from behind it.
            (_, Some(_)) => {}
            (None, None) => return Step::Stop,
            (takes, None) => {
                self.roles[at] = Role::Text;
                return Step::On(takes);
            }
        }
        Step::On(None)
    }

    fn short(&mut self, table: &Table, letters: &'a str, at: usize) -> Step {
        if table.is_number(letters) {
            return Step::On(None);
        }
        for (index, letter) in letters.char_indices() {
            self.letters.push(letter);
            let value = index + letter.len_utf8();
            let rest = &letters[value..];
            match table.short(letter) {
                Some(Takes::Nothing) => continue,
                None => return Step::Stop,
                Some(_) if table.apart() && !rest.bytes().all(|byte| byte.is_ascii_digit()) => return Step::Stop,
                Some(Takes::File) if !rest.is_empty() => self.roles[at] = Role::File(1 + value),
                Some(Takes::Other) if !rest.is_empty() => {}
                takes if rest.is_empty() => {
                    self.roles[at] = Role::Text;
                    return Step::On(takes);
                }
                Some(_) => self.roles[at] = Role::Text,
            }
            return Step::On(None);
        }
        self.roles[at] = Role::Text;
        Step::On(None)
    }

    /// Tells the values that follow an option. `false` where what comes behind them can't be told.
    fn values(&mut self, takes: Takes, arguments: &[Field]) -> bool {
        let roles: &[Role] = match takes {
            Takes::Nothing | Takes::Joined => return true,
            Takes::Number => {
                let next = arguments.get(self.roles.len());
                let number =
                    |field: &Field| !field.text.is_empty() && field.text.bytes().all(|byte| byte.is_ascii_digit());
                if !next.is_some_and(number) {
                    return true;
                }
                &[Role::Text]
            }
            Takes::Text => &[Role::Text],
            Takes::File => &[Role::File(0)],
            Takes::Other => &[Role::Open],
            Takes::Pair => &[Role::Text, Role::Text],
            Takes::PairedFile => &[Role::Text, Role::File(0)],
        };
        for role in roles {
            let Some(field) = arguments.get(self.roles.len()) else {
                return true;
            };
            // Versions differ in which options take values. What has blanks in it is none.
            if field.text.starts_with('-') && field.text.len() > 1 && !field.text.contains(char::is_whitespace) {
                return false;
            }
            self.roles.push(*role);
            if is_open(field) {
                self.loose = true;
                return false;
            }
        }
        true
    }

    /// What the arguments are, once it is known which are operands.
    pub(super) fn roles(mut self, table: &Table) -> Roles {
        let rest = table.rest(&self);
        // Which operand is the pattern may depend on what was not read.
        let told = rest != Rest::Pattern || self.whole || self.loose || !self.operands.is_empty();
        for (count, at) in self.operands.iter().enumerate() {
            self.roles[*at] = match (rest, count) {
                (Rest::Pattern, 0) | (Rest::Texts, _) => Role::Text,
                (Rest::Behind, 1..) => Role::Text,
                (Rest::Names, _) => Role::Name,
                _ => Role::Open,
            };
        }
        Roles {
            roles: self.roles,
            told,
        }
    }
}

/// Whether only running tells what an argument is, or how many it is.
pub(super) fn is_open(field: &Field) -> bool {
    !field.is_known() || field.glob
}
