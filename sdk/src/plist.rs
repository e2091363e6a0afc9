//! Printing plists the canonical way, so that an author never writes parentheses or escapes by hand. It prints only: what
//! comes in is read by the host.

use std::fmt;

/// A plist being printed: keywords in upper case, one space between items, strings with only `"` and `\` escaped.
///
/// ```
/// use passepartout_sdk::plist::Plist;
///
/// let payload = Plist::new().keyword("action", "eval").text("code", "(+ 1 2)").integer("times", 3);
/// assert_eq!(payload.to_string(), r#"(:ACTION :EVAL :CODE "(+ 1 2)" :TIMES 3)"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Plist {
    /// What stands between the parentheses.
    items: String,
}

impl Plist {
    /// An empty plist, which prints as `NIL`.
    pub fn new() -> Plist {
        Plist::default()
    }

    /// Adds a string.
    #[must_use]
    pub fn text(self, key: &str, value: &str) -> Plist {
        self.form(key, &quoted(value))
    }

    /// Adds a keyword; `value` is its name without the colon.
    #[must_use]
    pub fn keyword(self, key: &str, value: &str) -> Plist {
        self.form(key, &keyword(value))
    }

    /// Adds an integer.
    #[must_use]
    pub fn integer(self, key: &str, value: i64) -> Plist {
        self.form(key, &value.to_string())
    }

    /// Adds `T` or `NIL`.
    #[must_use]
    pub fn flag(self, key: &str, value: bool) -> Plist {
        self.form(key, if value { "T" } else { "NIL" })
    }

    /// Adds a form that is printed already, such as what [`Form::printed`](crate::Form::printed) or [`list`] gave.
    #[must_use]
    pub fn form(mut self, key: &str, printed: &str) -> Plist {
        if !self.items.is_empty() {
            self.items.push(' ');
        }
        self.items.push_str(&keyword(key));
        self.items.push(' ');
        self.items.push_str(printed);
        self
    }
}

impl fmt::Display for Plist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.items.is_empty() {
            return f.write_str("NIL");
        }
        f.write_str("(")?;
        f.write_str(&self.items)?;
        f.write_str(")")
    }
}

/// A list of forms that are printed already; `NIL` when there are none.
pub fn list<T: AsRef<str>>(printed: impl IntoIterator<Item = T>) -> String {
    let mut out = String::new();
    for item in printed {
        out.push(if out.is_empty() { '(' } else { ' ' });
        out.push_str(item.as_ref());
    }
    if out.is_empty() {
        return "NIL".to_owned();
    }
    out.push(')');
    out
}

/// A string, between quotes.
pub fn quoted(text: &str) -> String {
    escaped(text, b'"')
}

/// The keyword called `name`: in upper case, between bars where a Lisp would otherwise read something else.
pub fn keyword(name: &str) -> String {
    // Names are ASCII. The tables for all of Unicode would add 15 KB to each skill.
    format!(":{}", self::name(&name.to_ascii_uppercase()))
}

/// The name of a keyword or symbol, in the case it has; between bars where a Lisp would otherwise read something else.
pub(crate) fn name(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"-+*/<>=!?_%&$^~@.".contains(&byte);
    if name.bytes().all(|byte| byte == b'.') || !name.bytes().all(plain) {
        return escaped(name, b'|');
    }
    name.to_owned()
}

/// `text` between two `delimiter`s of ASCII, with a backslash before each of them in it and before each backslash.
fn escaped(text: &str, delimiter: u8) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    let mut rest = text;
    out.push(char::from(delimiter));
    // Both marks are ASCII, so that they are found among bytes.
    while let Some(at) = rest.bytes().position(|byte| byte == delimiter || byte == b'\\') {
        out.push_str(&rest[..at]);
        out.push('\\');
        out.push_str(&rest[at..=at]);
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push(char::from(delimiter));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newlines_stay_newlines_and_only_quotes_and_backslashes_are_escaped() {
        assert_eq!(quoted("a\nb\t\"c\" \\ ü"), "\"a\nb\t\\\"c\\\" \\\\ ü\"");
    }

    #[test]
    fn odd_names_stand_between_bars() {
        assert_eq!(keyword("user-input"), ":USER-INPUT");
        assert_eq!(keyword("two words|"), r":|TWO WORDS\||");
        assert_eq!(keyword(""), ":||");
    }

    #[test]
    fn what_is_empty_prints_as_nil() {
        assert_eq!(Plist::new().to_string(), "NIL");
        assert_eq!(list(Vec::<String>::new()), "NIL");
        assert_eq!(
            Plist::new().form("tools", &list(["1", "(2 3)"])).to_string(),
            "(:TOOLS (1 (2 3)))"
        );
    }
}
