//! Plists: lists of keys and values, whose keys are case-insensitive and occur once.

use std::collections::HashSet;

use super::form::{Form, kw};
use super::name::{Name, fold, is_folded};

/// What is wrong with a form that should be a plist. `field` names the place, as in `:PAYLOAD :ARGS`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlistError {
    /// Not a list at all.
    #[error("{field} is no plist: a list of keys and values such as (:KEY \"value\") belongs here")]
    NotAList {
        /// Where.
        field: String,
    },
    /// A dotted list.
    #[error("{field} is a dotted list; a plist has no dot before its last value")]
    Dotted {
        /// Where.
        field: String,
    },
    /// A key without a value.
    #[error("{field} has {items} items, an odd number: the last key `{last}` has no value")]
    Odd {
        /// Where.
        field: String,
        /// How many items.
        items: usize,
        /// The key without a value.
        last: String,
    },
    /// Something that is no keyword where a key belongs.
    #[error("{field} has `{found}` where a key such as :TEXT belongs")]
    BadKey {
        /// Where.
        field: String,
        /// What stands there, shortened.
        found: String,
    },
    /// One key twice.
    #[error("{field} has the key :{key} twice (keys are compared without regard to case)")]
    Twice {
        /// Where.
        field: String,
        /// The key.
        key: String,
    },
}

impl Form {
    /// The value of the key `key` in this plist; the first where a malformed plist has several.
    pub fn get(&self, key: &str) -> Option<&Form> {
        let Form::List(items) = self else { return None };
        items
            .chunks_exact(2)
            .find(|pair| pair[0].is_kw(key))
            .map(|pair| &pair[1])
    }

    /// The keys and values of a plist, in order.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &Form)> {
        let items: &[Form] = self.items().unwrap_or(&[]);
        items
            .chunks_exact(2)
            .filter_map(|pair| Some((pair[0].keyword()?, &pair[1])))
    }

    /// This plist with `key` set to `value`: replaced where it stands, else added at the end.
    #[must_use]
    pub fn with(self, key: &str, value: impl Into<Form>) -> Form {
        let mut items = match self {
            Form::List(items) => items,
            _ => Vec::new(),
        };
        match items.chunks_exact_mut(2).find(|pair| pair[0].is_kw(key)) {
            Some(pair) => pair[1] = value.into(),
            None => items.extend([kw(key), value.into()]),
        }
        Form::List(items)
    }

    /// This plist, then those pairs of `other` whose keys it does not have.
    #[must_use]
    pub fn joined(self, other: Form) -> Form {
        let Form::List(more) = other else { return self };
        let mut items = match self {
            Form::List(items) => items,
            _ => Vec::new(),
        };
        let own = items.len();
        let mut more = more.into_iter();
        while let (Some(key), Some(value)) = (more.next(), more.next()) {
            let taken = key
                .keyword()
                .is_some_and(|name| items[..own].iter().step_by(2).any(|own| own.is_kw(name)));
            if !taken {
                items.extend([key, value]);
            }
        }
        Form::list(items)
    }

    /// This plist without `key`.
    #[must_use]
    pub fn without(self, key: &str) -> Form {
        match self {
            Form::List(items) => {
                let mut kept = Vec::with_capacity(items.len());
                let mut items = items.into_iter();
                while let (Some(own), value) = (items.next(), items.next()) {
                    if !own.is_kw(key) {
                        kept.push(own);
                        kept.extend(value);
                    }
                }
                Form::list(kept)
            }
            other => other,
        }
    }

    /// Checks that this is a plist whose keys are keywords and occur once. `field` names it in the error. The values
    /// are not looked into.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check_plist(&self, field: &str) -> Result<(), PlistError> {
        let field = || field.to_owned();
        let items = match self {
            Form::Nil => return Ok(()),
            Form::List(items) => items,
            Form::Dotted(..) => return Err(PlistError::Dotted { field: field() }),
            _ => return Err(PlistError::NotAList { field: field() }),
        };
        if let Some(bad) = items.iter().step_by(2).find(|key| key.keyword().is_none()) {
            return Err(PlistError::BadKey {
                field: field(),
                found: bad.shortened(40),
            });
        }
        if items.len() % 2 == 1 {
            let last = items.last().map(|key| key.shortened(40)).unwrap_or_default();
            return Err(PlistError::Odd {
                field: field(),
                items: items.len(),
                last,
            });
        }
        match twice(items) {
            Some(key) => Err(PlistError::Twice {
                field: field(),
                key: fold(key),
            }),
            None => Ok(()),
        }
    }

    /// Turns bare symbols at the key places of this list into keywords in upper case: models and Lisp programs write
    /// `(TYPE :REQUEST …)` too. Keys written between bars are folded as well. Only for envelopes: other lists are
    /// code or data, and are left alone.
    #[must_use]
    pub fn with_envelope_keys(self) -> Form {
        match self {
            Form::List(mut items) => {
                for key in items.iter_mut().step_by(2) {
                    match key {
                        Form::Keyword(name) if is_folded(name) => {}
                        Form::Keyword(name) | Form::Symbol(name) => *key = Form::Keyword(Name::new(&fold(name))),
                        _ => {}
                    }
                }
                Form::List(items)
            }
            other => other,
        }
    }
}

/// The first key that occurs a second time among the keys and values `items`.
fn twice(items: &[Form]) -> Option<&str> {
    // Short plists, which are nearly all, are compared pairwise without allocating; a long one must not cost the square.
    if items.len() <= 24 {
        let repeats = |at: &usize| {
            items[*at]
                .keyword()
                .is_some_and(|key| items[..*at].iter().step_by(2).any(|own| own.is_kw(key)))
        };
        (0..items.len())
            .step_by(2)
            .find(repeats)
            .and_then(|at| items[at].keyword())
    } else {
        let mut seen = HashSet::with_capacity(items.len() / 2);
        items
            .iter()
            .step_by(2)
            .filter_map(Form::keyword)
            .find(|key| !seen.insert(fold(key)))
    }
}
