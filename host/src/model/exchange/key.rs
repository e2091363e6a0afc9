//! The key of a server: how it travels, and that it is shown nowhere.

use reqwest::header::{HeaderName, HeaderValue};

use super::dialect::Dialect;
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

/// `text` with stars in the place of `key`, in whichever case a server repeats it.
fn without(key: &str, text: &str) -> String {
    let (small, key) = (text.to_ascii_lowercase(), key.to_ascii_lowercase());
    let mut shown = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in small.match_indices(&key) {
        shown.push_str(&text[from..at]);
        shown.push_str("***");
        from = at + key.len();
    }
    shown.push_str(&text[from..]);
    shown
}

/// A foreign text on one line, short, without the key and without anything that a terminal would obey.
pub(super) fn presentable(key: Option<&Key>, text: &str) -> String {
    let text = match key {
        Some(key) => without(&key.text, text),
        None => text.to_owned(),
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
        } => ProviderError::Status {
            code,
            message: shown(message),
            retry_after,
        },
        ProviderError::NotJson { problem } => ProviderError::NotJson {
            problem: shown(problem),
        },
        ProviderError::CutOff { reason } => ProviderError::CutOff { reason: shown(reason) },
        other => other,
    }
}
