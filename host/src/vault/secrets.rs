//! Values that must not leave: found in texts and forms, and taken out of them.

use std::fmt;
use std::sync::Arc;

use zeroize::Zeroizing;

use crate::sexp::Form;

/// Shortest value that is looked for, in characters: shorter ones occur in innocent text.
const SHORTEST: usize = 8;

/// Whether a value is long enough to be looked for.
pub(super) fn is_long_enough(value: &str) -> bool {
    value.chars().count() >= SHORTEST
}

/// The values that must not leave, at one moment. Its `Debug` shows how many there are. Cheap to clone.
#[derive(Clone, Default)]
pub struct SecretSet(Arc<[Zeroizing<String>]>);

impl SecretSet {
    /// The set of those `values` that have eight characters or more.
    pub fn new(values: impl IntoIterator<Item = String>) -> SecretSet {
        SecretSet::of(values.into_iter().map(Zeroizing::new))
    }

    /// The set of those `values` that are long enough.
    pub(super) fn of(values: impl IntoIterator<Item = Zeroizing<String>>) -> SecretSet {
        let mut values: Vec<Zeroizing<String>> = values.into_iter().filter(|value| is_long_enough(value)).collect();
        // The longest go first, so that one inside another leaves nothing behind when both are taken out.
        values.sort_unstable_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        values.dedup();
        SecretSet(values.into())
    }

    /// Whether `text` contains one of them.
    pub fn contains(&self, text: &str) -> bool {
        self.0.iter().any(|secret| text.contains(secret.as_str()))
    }

    /// Whether any string inside `form` contains one of them.
    pub fn contains_in(&self, form: &Form) -> bool {
        match form {
            Form::String(text) | Form::Pathname(text) => self.contains(text),
            Form::Keyword(name) | Form::Symbol(name) => self.contains(name),
            Form::List(items) | Form::Vector(items) => items.iter().any(|item| self.contains_in(item)),
            Form::Dotted(items, tail) => items.iter().any(|item| self.contains_in(item)) || self.contains_in(tail),
            Form::Number(number) => self.contains(number.text()),
            Form::Nil | Form::Char(_) => false,
        }
    }

    /// `form` with every value replaced by `[secret]`, or nothing if none is inside.
    pub fn redact(&self, form: &Form) -> Option<Form> {
        self.contains_in(form).then(|| self.redacted(form))
    }

    /// `text` with every value replaced by `[secret]`.
    pub fn hide(&self, text: String) -> String {
        if self.contains(&text) {
            self.without(&text)
        } else {
            text
        }
    }

    fn redacted(&self, form: &Form) -> Form {
        let all = |items: &[Form]| items.iter().map(|item| self.redacted(item)).collect::<Vec<Form>>();
        match form {
            Form::String(text) | Form::Pathname(text) if self.contains(text) => Form::from(self.without(text)),
            Form::Keyword(name) | Form::Symbol(name) if self.contains(name) => Form::from(self.without(name)),
            Form::Number(number) if self.contains(number.text()) => Form::from(self.without(number.text())),
            Form::List(items) => Form::List(all(items)),
            Form::Vector(items) => Form::Vector(all(items)),
            Form::Dotted(items, tail) => Form::Dotted(all(items), Box::new(self.redacted(tail))),
            other => other.clone(),
        }
    }

    fn without(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| {
            text.replace(secret.as_str(), "[secret]")
        })
    }

    /// Whether both are one set, and not only of the same values.
    pub fn is_same(&self, other: &SecretSet) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for SecretSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretSet({} values)", self.0.len())
    }
}
