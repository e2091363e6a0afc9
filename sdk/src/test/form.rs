//! The harness's own forms, with the host's rules for paths and printing.

use std::fmt;

use crate::Kind;
use crate::plist::{list, name, quoted};

/// One form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TestForm {
    Nil,
    Keyword(String),
    Symbol(String),
    Text(String),
    /// An integer or another number, as it was written.
    Number(String),
    Character(char),
    List(Vec<TestForm>),
    Dotted(Vec<TestForm>, Box<TestForm>),
}

impl TestForm {
    pub(crate) fn at(&self, path: &str) -> Option<&TestForm> {
        if path.is_empty() {
            return Some(self);
        }
        path.split('.').try_fold(self, |form, step| {
            let item = |position: &str| form.items().get(position.parse::<usize>().ok()?);
            match step.strip_prefix('#') {
                None if step.is_empty() => None,
                Some(position) => item(position),
                None => form.value(step).or_else(|| item(step)),
            }
        })
    }

    /// The value of `key` in a plist.
    fn value(&self, key: &str) -> Option<&TestForm> {
        let is_key = |form: &TestForm| matches!(form, TestForm::Keyword(name) if fold(name) == fold(key));
        self.items()
            .chunks_exact(2)
            .find(|pair| is_key(&pair[0]))
            .map(|pair| &pair[1])
    }

    pub(crate) fn items(&self) -> &[TestForm] {
        match self {
            TestForm::List(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn keys(&self) -> Vec<String> {
        let name = |pair: &[TestForm]| match &pair[0] {
            TestForm::Keyword(name) => Some(fold(name)),
            _ => None,
        };
        self.items().chunks_exact(2).filter_map(name).collect()
    }

    pub(crate) fn kind(&self) -> Kind {
        match self {
            TestForm::Nil => Kind::Nil,
            TestForm::Keyword(_) => Kind::Keyword,
            TestForm::Symbol(_) => Kind::Symbol,
            TestForm::Text(_) => Kind::Text,
            TestForm::Number(_) if self.integer().is_some() => Kind::Integer,
            TestForm::Number(_) => Kind::Number,
            TestForm::Character(_) => Kind::Character,
            TestForm::List(_) => Kind::Sequence,
            TestForm::Dotted(..) => Kind::Other,
        }
    }

    /// The text of a string, a name, or the digits of a number.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            TestForm::Keyword(text) | TestForm::Symbol(text) | TestForm::Text(text) | TestForm::Number(text) => {
                Some(text)
            }
            _ => None,
        }
    }

    /// The text of a string, and of nothing else.
    pub(crate) fn string(&self) -> Option<&str> {
        match self {
            TestForm::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn integer(&self) -> Option<i64> {
        match self {
            TestForm::Number(digits) if is_integer(digits) => digits.trim_end_matches('.').parse().ok(),
            _ => None,
        }
    }

    /// Whether `test` holds for any string in this form.
    pub(crate) fn any_text(&self, test: &impl Fn(&str) -> bool) -> bool {
        match self {
            TestForm::Text(text) => test(text),
            TestForm::List(items) => items.iter().any(|item| item.any_text(test)),
            TestForm::Dotted(items, tail) => items.iter().any(|item| item.any_text(test)) || tail.any_text(test),
            _ => false,
        }
    }
}

impl fmt::Display for TestForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TestForm::Nil => f.write_str("NIL"),
            TestForm::Keyword(text) => write!(f, ":{}", name(text)),
            TestForm::Symbol(text) => f.write_str(&name(text)),
            TestForm::Text(text) => f.write_str(&quoted(text)),
            TestForm::Number(digits) => f.write_str(digits),
            TestForm::Character(' ') => f.write_str("#\\Space"),
            TestForm::Character('\n') => f.write_str("#\\Newline"),
            TestForm::Character('\t') => f.write_str("#\\Tab"),
            TestForm::Character(char) => write!(f, "#\\{char}"),
            TestForm::List(items) => f.write_str(&list(items.iter().map(ToString::to_string))),
            TestForm::Dotted(items, tail) => {
                let head = list(items.iter().map(ToString::to_string));
                write!(f, "{} . {tail})", head.strip_suffix(')').unwrap_or(&head))
            }
        }
    }
}

/// The spelling by which keys are compared.
fn fold(name: &str) -> String {
    name.to_uppercase()
}

fn is_integer(digits: &str) -> bool {
    let unsigned = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    let unsigned = unsigned.strip_suffix('.').unwrap_or(unsigned);
    !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit())
}
