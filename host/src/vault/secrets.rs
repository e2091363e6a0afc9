//! Values that must not leave: found in texts and forms, and taken out of them, whatever the case of their letters.
//!
//! The host writes targets, keys and actions in upper case, and tools in lower case, so that what was a secret in a proposal
//! may come back in either.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use zeroize::Zeroizing;

use crate::sexp::Form;

/// Shortest value that is looked for, in characters: shorter ones occur in innocent text.
const SHORTEST: usize = 8;

/// Below this many letters a secret without digits may be a word that the host itself uses as a keyword.
const WORD: usize = 16;

/// Whether a value is long enough to be looked for.
pub(super) fn is_long_enough(value: &str) -> bool {
    value.chars().count() >= SHORTEST
}

/// The values that must not leave, at one moment. Its `Debug` shows how many there are. Cheap to clone.
#[derive(Clone, Default)]
pub struct SecretSet(Arc<[Secret]>);

/// One of them.
struct Secret {
    value: Zeroizing<String>,
    /// The same in small letters, as it is looked for.
    small: Zeroizing<String>,
    /// Whether it is but a word: then a keyword is only that secret in the very same case, or the host's own keywords
    /// would be.
    is_word: bool,
}

impl Secret {
    fn new(value: Zeroizing<String>) -> Secret {
        let is_word = value.len() < WORD && value.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
        Secret {
            small: Zeroizing::new(value.to_ascii_lowercase()),
            is_word,
            value,
        }
    }
}

impl SecretSet {
    /// The set of those `values` that have eight characters or more.
    pub fn new(values: impl IntoIterator<Item = String>) -> SecretSet {
        SecretSet::of(values.into_iter().map(Zeroizing::new))
    }

    /// The set of those `values` that are long enough.
    pub(super) fn of(values: impl IntoIterator<Item = Zeroizing<String>>) -> SecretSet {
        let mut values: Vec<Zeroizing<String>> = values.into_iter().filter(|value| is_long_enough(value)).collect();
        values.sort_unstable_by(|one, other| one.as_str().cmp(other));
        values.dedup();
        SecretSet(values.into_iter().map(Secret::new).collect())
    }

    /// Whether `text` contains one of them, in whichever case.
    pub fn contains(&self, text: &str) -> bool {
        if self.is_empty() {
            return false;
        }
        let small = text.to_ascii_lowercase();
        self.0.iter().any(|secret| small.contains(secret.small.as_str()))
    }

    /// Whether a keyword or symbol contains one of them.
    fn contains_in_name(&self, name: &str) -> bool {
        let small = name.to_ascii_lowercase();
        self.0.iter().any(|secret| {
            if secret.is_word {
                name.contains(secret.value.as_str())
            } else {
                small.contains(secret.small.as_str())
            }
        })
    }

    /// Whether any string inside `form` contains one of them.
    pub fn contains_in(&self, form: &Form) -> bool {
        match form {
            Form::String(text) | Form::Pathname(text) => self.contains(text),
            Form::Keyword(name) | Form::Symbol(name) => self.contains_in_name(name),
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
            Form::Keyword(name) | Form::Symbol(name) if self.contains_in_name(name) => Form::from(self.without(name)),
            Form::Number(number) if self.contains(number.text()) => Form::from(self.without(number.text())),
            Form::List(items) => Form::List(all(items)),
            Form::Vector(items) => Form::Vector(all(items)),
            Form::Dotted(items, tail) => Form::Dotted(all(items), Box::new(self.redacted(tail))),
            other => other.clone(),
        }
    }

    fn without(&self, text: &str) -> String {
        let small = text.to_ascii_lowercase();
        let places = |secret: &Secret| -> Vec<Range<usize>> {
            let found = small.match_indices(secret.small.as_str());
            found.map(|(at, found)| at..at + found.len()).collect()
        };
        let mut places: Vec<Range<usize>> = self.0.iter().flat_map(places).collect();
        places.sort_unstable_by_key(|place| (place.start, place.end));
        let mut shown = String::with_capacity(text.len());
        let mut from = 0;
        for place in places {
            // What one of them shares with another is taken out with that.
            if place.start >= from {
                shown.push_str(text.get(from..place.start).unwrap_or_default());
                shown.push_str("[secret]");
            }
            from = from.max(place.end);
        }
        shown.push_str(text.get(from..).unwrap_or_default());
        shown
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plist;
    use crate::sexp::kw;

    fn set(values: &[&str]) -> SecretSet {
        SecretSet::new(values.iter().map(|value| (*value).to_owned()))
    }

    #[test]
    fn a_secret_is_found_and_taken_out_in_whichever_case_it_comes_back() {
        let set = set(&["sk-Proj-0123456789", "ghp_abcdef12"]);
        for text in ["sk-Proj-0123456789", "SK-PROJ-0123456789", "sk-proj-0123456789"] {
            assert!(set.contains(&format!("é{text}é")));
            assert_eq!(set.hide(format!("é{text}é GHP_ABCDEF12")), "é[secret]é [secret]");
        }
        let form = plist!("TARGET" => kw("SK-PROJ-0123456789"), "LIST" => vec![Form::from("x Ghp_Abcdef12")]);
        assert_eq!(
            set.redact(&form).map(|form| form.to_string()).as_deref(),
            Some("(:TARGET \"[secret]\" :LIST (\"x [secret]\"))")
        );
    }

    #[test]
    fn secrets_that_overlap_leave_nothing_of_each_other() {
        let set = set(&["abcdefgh12", "gh12345678", "cdefgh12"]);
        assert_eq!(set.hide("<abcdefgh12345678>".to_owned()), "<[secret]>");
        assert_eq!(set.hide("<abcdefgh12abcdefgh12>".to_owned()), "<[secret][secret]>");
    }

    #[test]
    fn a_secret_that_is_a_word_leaves_the_hosts_own_keywords_alone() {
        let set = set(&["explanation"]);
        assert_eq!(set.redact(&plist!("EXPLANATION" => "none")), None);
        assert!(set.contains_in(&plist!("EXPLANATION" => "an Explanation")));
    }
}
