//! `secrets`: whether a text contains something the operator keeps secret, without showing it.
//!
//! The values never enter a guest. Needs the right `contains-secret`, which the loader checks before linking.

use std::fmt;
use std::sync::Arc;

use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, WasmStr};

use super::forms::walk;
use super::{HasCall, charge};
use crate::sexp::Form;

/// Shortest value that is looked for, in characters: shorter ones occur in innocent text.
const SHORTEST: usize = 8;

/// The values that must not leave. Its `Debug` shows how many there are.
#[derive(Clone, Default)]
pub struct SecretSet(Arc<[String]>);

impl SecretSet {
    /// The set of those `values` that have eight characters or more.
    pub fn new(values: impl IntoIterator<Item = String>) -> SecretSet {
        let mut values: Vec<String> = values
            .into_iter()
            .filter(|value| value.chars().count() >= SHORTEST)
            .collect();
        values.sort_unstable();
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
            Form::Nil | Form::Number(_) | Form::Char(_) => false,
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
            Form::List(items) => Form::List(all(items)),
            Form::Vector(items) => Form::Vector(all(items)),
            Form::Dotted(items, tail) => Form::Dotted(all(items), Box::new(self.redacted(tail))),
            other => other.clone(),
        }
    }

    /// `text` without them. The longest go first, so that one inside another leaves nothing behind.
    fn without(&self, text: &str) -> String {
        let mut secrets: Vec<&String> = self.0.iter().collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.iter().fold(text.to_owned(), |text, secret| {
            text.replace(secret.as_str(), "[secret]")
        })
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

/// Links the interface.
///
/// # Errors
/// When it is linked already.
pub fn link<T: HasCall>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    let mut secrets = linker.instance("passepartout:skill/secrets@0.1.0")?;
    secrets.func_wrap(
        "contains-secret",
        |mut store: StoreContextMut<'_, T>, (of, path): (u32, WasmStr)| {
            let (answer, cost) = {
                let path = path.to_str(&store)?;
                let call = store.data().call();
                let (found, walked) = walk(call.frame.form(of)?, &path);
                let size = found.map_or(0, weight);
                (
                    found.is_some_and(|form| call.secrets.contains_in(form)),
                    walked + size * (1 + call.secrets.len()),
                )
            };
            charge(&mut store, cost)?;
            Ok((answer,))
        },
    )?;
    secrets.func_wrap(
        "text-contains-secret",
        |mut store: StoreContextMut<'_, T>, (text,): (WasmStr,)| {
            let (answer, cost) = {
                let text = text.to_str(&store)?;
                let secrets = &store.data().call().secrets;
                (secrets.contains(&text), text.len() * (1 + secrets.len()))
            };
            charge(&mut store, cost)?;
            Ok((answer,))
        },
    )
}

/// How much there is to look through, in bytes.
fn weight(form: &Form) -> usize {
    match form {
        Form::String(text) | Form::Pathname(text) => text.len(),
        Form::Keyword(name) | Form::Symbol(name) => name.len(),
        Form::List(items) | Form::Vector(items) => items.iter().map(weight).sum::<usize>() + items.len(),
        Form::Dotted(items, tail) => items.iter().map(weight).sum::<usize>() + weight(tail),
        Form::Nil | Form::Number(_) | Form::Char(_) => 1,
    }
}
