//! The form itself: one parsed s-expression.

use std::sync::Arc;

use super::name::Name;

/// Text inside a form, shared and immutable, so that forms are cheap to clone.
pub type Text = Arc<str>;

/// One s-expression. Nesting is bounded by [`Limits`](super::Limits), so the derived recursive operations are safe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// `NIL`, `nil` and `()`: one value, false and empty.
    Nil,
    /// A keyword such as `:TYPE`, by its name.
    Keyword(Name),
    /// Any other symbol, never `NIL`. `T` is the one that means true.
    Symbol(Name),
    /// A string.
    String(Text),
    /// A number, kept as it was written.
    Number(Number),
    /// A character such as `#\a`.
    Char(char),
    /// A pathname such as `#P"/x"`.
    Pathname(Text),
    /// A proper list, never empty: [`Form::list`] makes the empty one `NIL`.
    List(Vec<Form>),
    /// A dotted list: one item at least, then what stands after the dot.
    Dotted(Vec<Form>, Box<Form>),
    /// A vector such as `#(1 2)`.
    Vector(Vec<Form>),
}

/// A number as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    pub(super) kind: NumberKind,
    pub(super) text: Text,
}

/// What sort of number the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// `42`, `-7`, `1.`
    Integer,
    /// `1/3`
    Ratio,
    /// `1.5`, `2e9`, `1.5d0`
    Float,
}

impl Number {
    /// What sort of number this is.
    pub fn kind(&self) -> NumberKind {
        self.kind
    }

    /// The digits as they were written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The keyword `:NAME`.
pub fn kw(name: &str) -> Form {
    Form::Keyword(Name::new(name))
}

impl Form {
    /// A plist with these keys and values, in this order.
    pub fn plist<'a>(pairs: impl IntoIterator<Item = (&'a str, Form)>) -> Form {
        Form::list(pairs.into_iter().flat_map(|(key, value)| [kw(key), value]).collect())
    }

    /// A proper list; the empty one is `NIL`.
    pub fn list(items: Vec<Form>) -> Form {
        if items.is_empty() { Form::Nil } else { Form::List(items) }
    }

    /// `T` or `NIL`.
    pub fn truth(value: bool) -> Form {
        if value { Form::Symbol(Name::new("T")) } else { Form::Nil }
    }

    /// Everything but `NIL` is true.
    pub fn is_true(&self) -> bool {
        !matches!(self, Form::Nil)
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Form::String(text) => Some(text),
            _ => None,
        }
    }

    /// The shared text of a string.
    pub fn as_text(&self) -> Option<&Text> {
        match self {
            Form::String(text) => Some(text),
            _ => None,
        }
    }

    /// The name of a keyword.
    pub fn keyword(&self) -> Option<&str> {
        match self {
            Form::Keyword(name) => Some(name),
            _ => None,
        }
    }

    /// Whether this is the keyword `:NAME`, whatever its case.
    pub fn is_kw(&self, name: &str) -> bool {
        matches!(self, Form::Keyword(own) if own.is_key(name))
    }

    /// The name of a keyword or symbol, or the text of a string: what a peer may mean by `:SHELL`, `shell` or
    /// `"shell"`.
    pub fn designator(&self) -> Option<&str> {
        match self {
            Form::Keyword(name) | Form::Symbol(name) => Some(name),
            Form::String(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a proper list; none for `NIL`.
    pub fn items(&self) -> Option<&[Form]> {
        match self {
            Form::Nil => Some(&[]),
            Form::List(items) => Some(items),
            _ => None,
        }
    }

    /// An integer that fits 64 bits.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Form::Number(number) if number.kind == NumberKind::Integer => {
                number.text.trim_end_matches('.').parse().ok()
            }
            _ => None,
        }
    }
}

impl From<&str> for Form {
    fn from(text: &str) -> Form {
        Form::String(text.into())
    }
}

impl From<String> for Form {
    fn from(text: String) -> Form {
        Form::String(text.into())
    }
}

impl From<&String> for Form {
    fn from(text: &String) -> Form {
        Form::String(text.as_str().into())
    }
}

impl From<Text> for Form {
    fn from(text: Text) -> Form {
        Form::String(text)
    }
}

impl From<bool> for Form {
    fn from(value: bool) -> Form {
        Form::truth(value)
    }
}

impl From<i64> for Form {
    fn from(value: i64) -> Form {
        Form::Number(Number {
            kind: NumberKind::Integer,
            text: value.to_string().into(),
        })
    }
}

impl From<u64> for Form {
    fn from(value: u64) -> Form {
        Form::Number(Number {
            kind: NumberKind::Integer,
            text: value.to_string().into(),
        })
    }
}

impl From<i32> for Form {
    fn from(value: i32) -> Form {
        Form::from(i64::from(value))
    }
}

impl From<u32> for Form {
    fn from(value: u32) -> Form {
        Form::from(u64::from(value))
    }
}

impl From<usize> for Form {
    fn from(value: usize) -> Form {
        Form::from(value as u64)
    }
}

impl From<Vec<Form>> for Form {
    fn from(items: Vec<Form>) -> Form {
        Form::list(items)
    }
}

impl<T: Into<Form>> From<Option<T>> for Form {
    fn from(value: Option<T>) -> Form {
        value.map_or(Form::Nil, Into::into)
    }
}
