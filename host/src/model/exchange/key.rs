//! The key of a server: how it travels, and that it is shown nowhere.

use reqwest::header::{HeaderName, HeaderValue};

use super::dialect::Dialect;
use super::surrogates::settled;
use crate::model::ProviderError;
use crate::sexp::visible;

/// How much of a server's error is shown, in characters.
const ERROR_CHARS: usize = 300;

/// The key as it travels, and as it must never be shown.
pub(super) struct Key {
    pub(super) name: HeaderName,
    pub(super) header: HeaderValue,
    text: String,
}

impl Key {
    /// The key `text`, which `variable` holds.
    ///
    /// # Errors
    /// When it can't travel in a header.
    pub(super) fn new(text: &str, dialect: &dyn Dialect, variable: Option<&str>) -> Result<Key, ProviderError> {
        let (name, prefix) = dialect.key_header();
        if text.trim().contains(char::is_whitespace) {
            return Err(ProviderError::Misconfigured {
                problem: format!(
                    "the key in {} has a blank in it",
                    variable.unwrap_or("the configuration")
                ),
                remedy: "no key has one: leave out what stands behind it; a comment has a line of its own".to_owned(),
            });
        }
        let mut header =
            HeaderValue::from_str(&format!("{prefix}{text}")).map_err(|_| ProviderError::Misconfigured {
                problem: format!(
                    "the key in {} holds a character that no key has",
                    variable.unwrap_or("the configuration")
                ),
                remedy: "copy it again, without line breaks".to_owned(),
            })?;
        header.set_sensitive(true);
        Ok(Key {
            name,
            header,
            text: text.to_owned(),
        })
    }
}

/// Shortest beginning of a key that is hidden where a text breaks off in it, in characters.
const BEGINNING: usize = 8;

/// `text` with stars in the place of `key`, in whichever case a server repeats it: broken by white space, in base64, or, at
/// the end, cut off.
fn without(key: &str, text: &str) -> String {
    // The text without white space, and where each of its bytes comes from.
    let (mut bare, mut places) = (String::new(), Vec::new());
    for (at, char) in text
        .char_indices()
        .filter(|(_, char)| !char.is_whitespace() && !char.is_control())
    {
        bare.push(char.to_ascii_lowercase());
        places.resize(bare.len(), at..at + char.len_utf8());
    }
    let mut hidden: Vec<std::ops::Range<usize>> = Vec::new();
    for form in forms(key) {
        let mut hide = |from: usize, to: usize| {
            if let (Some(first), Some(last)) = (places.get(from), to.checked_sub(1).and_then(|at| places.get(at))) {
                hidden.push(first.start..last.end);
            }
        };
        for (at, found) in bare.match_indices(&form) {
            hide(at, at + found.len());
        }
        let beginnings = form
            .char_indices()
            .map(|(at, _)| at)
            .filter(|at| *at >= BEGINNING)
            .rev();
        let mut cut = beginnings
            .filter_map(|at| form.get(..at))
            .filter(|own| bare.ends_with(own));
        if let Some(own) = cut.next() {
            hide(bare.len() - own.len(), bare.len());
        }
    }
    hidden.sort_unstable_by_key(|place| (place.start, place.end));
    let (mut shown, mut from) = (String::with_capacity(text.len()), 0);
    for place in hidden {
        if place.start >= from {
            shown.push_str(text.get(from..place.start).unwrap_or_default());
            shown.push_str("***");
        }
        from = from.max(place.end);
    }
    shown.push_str(text.get(from..).unwrap_or_default());
    shown
}

/// The key as it may be repeated, in small letters and without white space: as it is, and within base64, where three places
/// are possible.
fn forms(key: &str) -> Vec<String> {
    let key: String = key.chars().filter(|char| !char.is_whitespace()).collect();
    let encoded = (0..3).flat_map(|before| ["+/", "-_"].map(|last| base64(key.as_bytes(), before, last)));
    let long = encoded.filter(|text| text.len() >= BEGINNING);
    let mut forms: Vec<String> = std::iter::once(key.clone())
        .filter(|key| !key.is_empty())
        .chain(long)
        .collect();
    forms.iter_mut().for_each(|form| form.make_ascii_lowercase());
    forms
}

/// What of `bytes` in base64 does not depend on the bytes around them, `before` of which stand in the same group of three.
fn base64(bytes: &[u8], before: usize, last: &str) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let letters = [LETTERS, last.as_bytes()].concat();
    let bit = |at: usize| bytes.get(at / 8).map(|byte| usize::from(byte >> (7 - at % 8) & 1));
    // The first letter that is of nothing else.
    let first = (6 - before * 8 % 6) % 6;
    let groups = (first..)
        .step_by(6)
        .map_while(|from| (from..from + 6).try_fold(0, |all, at| Some(all << 1 | bit(at)?)));
    groups
        .filter_map(|group| letters.get(group).map(|letter| char::from(*letter)))
        .collect()
}

/// A foreign text on one line, short, without the key and without anything that a terminal would obey.
pub(super) fn presentable(key: Option<&Key>, text: &str) -> String {
    let text = settled(text.to_owned());
    let text = match key {
        Some(key) => without(&key.text, &text),
        None => text,
    };
    let line = visible(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    match line.char_indices().nth(ERROR_CHARS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// The same error, with what it quotes of an answer made presentable.
pub(super) fn quoted(key: Option<&Key>, error: ProviderError) -> ProviderError {
    let shown = |text: String| presentable(key, &text);
    match error {
        ProviderError::Status {
            code,
            message,
            retry_after,
            asked,
        } => ProviderError::Status {
            code,
            message: shown(message),
            retry_after,
            asked,
        },
        ProviderError::NotJson { problem } => ProviderError::NotJson {
            problem: shown(problem),
        },
        ProviderError::CutOff { reason } => ProviderError::CutOff { reason: shown(reason) },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-proj-AbCdEf0123456789";

    #[test]
    fn a_key_is_hidden_whole_broken_encoded_and_cut_off() {
        for (text, shown) in [
            ("é SK-proj-ABCDEF0123456789 é", "é *** é"),
            ("a sk-proj-Ab\n  CdEf0123\t456789 b", "a *** b"),
            ("a sk-proj-AbCdEf01", "a ***"),
            ("a sk-proj-A bCd", "a ***"),
            ("a sk-proj", "a sk-proj"),
            ("auth c2stcHJvai1BYkNkRWYwMTIzNDU2Nzg5 b", "auth *** b"),
            // "Bearer " and "a:" before it, which begin at other places of a group.
            (
                "auth QmVhcmVyIHNrLXByb2otQWJDZEVmMDEyMzQ1Njc4OQ==",
                "auth QmVhcmVyIH***Q==",
            ),
            ("auth YTpzay1wcm9qLUFiQ2RFZjAxMjM0NTY3ODk=", "auth YTp***k="),
        ] {
            assert_eq!(without(KEY, text), shown, "{text}");
        }
    }
}
