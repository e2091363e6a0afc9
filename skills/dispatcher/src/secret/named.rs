//! Values given to names that say they are secret: `API_KEY=…`, `"password": "…"`, `--token …`, `Authorization: Bearer …`.

use super::formats::Chars;
use super::words::{HARMLESS_NAMES, PLACEHOLDERS, SECRET_NAMES};
use super::{Secret, shaped};

/// The fewest characters of a value that a name makes a secret: the original's bound.
const SHORTEST_VALUE: usize = 16;

/// The most characters of such a value: what is longer is data.
const LONGEST_VALUE: usize = 512;

/// The longest name that is looked at.
const LONGEST_NAME: usize = 64;

/// Ways of proving who one is, which stand between a header's name and its secret (RFC 7235).
const SCHEMES: &[&str] = &["bearer ", "basic ", "token ", "apikey "];

/// The secret that is given to a name by the `=` or `:` at `at`.
pub(super) fn assigned(text: &str, at: usize) -> Option<Secret> {
    let bytes = text.as_bytes();
    if matches!(bytes.get(at + 1), Some(b'=' | b':')) {
        return None;
    }
    let mut end = at;
    while end > 0 && at - end < 8 && matches!(bytes[end - 1], b' ' | b'\t' | b'"' | b'\'' | b':' | b'\\') {
        end -= 1;
    }
    let length = name_length(bytes[..end].iter().rev());
    let name = &bytes[end - length..end];
    // What the environment is given stands right behind its name.
    let environment = end == at
        && bytes[at] == b'='
        && name
            .iter()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
    let rest = &text[at + 1..];
    let found = shaped::kept(name, rest) || is_secret_name(name) && value(rest, environment);
    found.then(|| secret(name, bytes[at]))
}

/// The secret that follows the option which begins with the dashes at `at`: `--password …`.
pub(super) fn option(text: &str, at: usize) -> Option<Secret> {
    let rest = text[at..].trim_start_matches('-');
    let length = name_length(rest.as_bytes().iter());
    let (name, after) = rest.split_at(length);
    if !after.starts_with(' ') || !is_secret_name(name.as_bytes()) {
        return None;
    }
    value(after, false).then(|| secret(name.as_bytes(), b' '))
}

fn secret(name: &[u8], mark: u8) -> Secret {
    Secret {
        what: "a value whose name says that it is secret",
        part: format!("{}{}…", String::from_utf8_lossy(name), char::from(mark)),
    }
}

fn name_length<'a>(bytes: impl Iterator<Item = &'a u8>) -> usize {
    bytes
        .take(LONGEST_NAME)
        .take_while(|byte| Chars::WORD.holds(**byte))
        .count()
}

/// Whether the words of a name (`apiKey`, `API_KEY`, `api-key`) say that its value is secret.
pub(super) fn is_secret_name(name: &[u8]) -> bool {
    // The words, lower case and one behind the other, and where each begins.
    let mut letters = [0_u8; LONGEST_NAME];
    let mut starts = [0_usize; LONGEST_NAME + 1];
    let (mut length, mut words) = (0, 0);
    let mut lower_before = false;
    let mut new_word = true;
    for byte in name.iter().take(LONGEST_NAME) {
        new_word |= byte.is_ascii_uppercase() && lower_before;
        lower_before = byte.is_ascii_lowercase();
        if !byte.is_ascii_alphanumeric() {
            new_word = true;
            continue;
        }
        if std::mem::take(&mut new_word) {
            starts[words] = length;
            words += 1;
        }
        letters[length] = byte.to_ascii_lowercase();
        length += 1;
    }
    starts[words] = length;
    let word = |from: usize, to: usize| &letters[starts[from]..starts[to]];
    let is_one_of = |list: &[&str], word: &[u8]| list.iter().any(|own| own.as_bytes() == word);
    if (0..words).any(|at| is_one_of(HARMLESS_NAMES, word(at, at + 1))) {
        return false;
    }
    (0..words).any(|at| {
        is_one_of(SECRET_NAMES, word(at, at + 1)) || (at + 2 <= words && is_one_of(SECRET_NAMES, word(at, at + 2)))
    })
}

/// Whether a secret value stands at the start of `text`, which is given to a variable of the environment or to something else.
fn value(text: &str, environment: bool) -> bool {
    let after = text.trim_start_matches(['>', '=', ' ', '\t', '\\']);
    let (after, quote) = match after.chars().next() {
        Some(quote @ ('"' | '\'' | '`')) => (&after[1..], Some(quote)),
        _ => (after, None),
    };
    let scheme = SCHEMES.iter().find(|scheme| {
        after
            .get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    let after = scheme.map_or(after, |scheme| &after[scheme.len()..]);
    let end = match quote {
        Some(quote) => after
            .bytes()
            .take(LONGEST_VALUE + 1)
            .take_while(|byte| char::from(*byte) != quote && !matches!(byte, b'\n' | b'\\'))
            .count(),
        None => after
            .bytes()
            .take(LONGEST_VALUE + 1)
            .take_while(|byte| Chars::WORD.holds(*byte) || b"+/=~.!@#%^".contains(byte))
            .count(),
    };
    // A name or a call goes on with these.
    if quote.is_none() && matches!(after.as_bytes().get(end), Some(b'(' | b'[' | b':' | b'{')) {
        return false;
    }
    let Some(value) = after.get(..end) else {
        return false;
    };
    let value = if quote.is_none() {
        value.trim_end_matches('.')
    } else {
        value
    };
    // No code stands there, so that one digit tells as much as between quotes.
    let mixed =
        value.bytes().any(|byte| byte.is_ascii_lowercase()) && value.bytes().any(|byte| byte.is_ascii_uppercase());
    is_secret_value(value, quote.is_some() || environment && mixed, scheme.is_some())
}

/// Whether a value looks like one a machine made or a person chose as a secret, and not like a word or a reference.
pub(super) fn is_secret_value(value: &str, quoted: bool, proves: bool) -> bool {
    let length = value.chars().count();
    if !(SHORTEST_VALUE..=LONGEST_VALUE).contains(&length)
        || value.contains(char::is_whitespace)
        || is_placeholder(value)
    {
        return false;
    }
    let lower = value.bytes().any(|byte| byte.is_ascii_lowercase());
    let upper = value.bytes().any(|byte| byte.is_ascii_uppercase());
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let random = digits >= if quoted { 1 } else { 2 } || (proves && lower && upper);
    let is_path = value.starts_with(['/', '.', '~']) || value.contains("://");
    let is_call = value.contains(['(', '{', '$', '<']);
    let mut seen = [false; 256];
    for byte in value.bytes() {
        seen[usize::from(byte)] = true;
    }
    let distinct = seen.iter().filter(|seen| **seen).count();
    (lower || upper) && random && distinct >= 8 && !is_path && !is_call && !is_name(value) && !is_uuid(value)
}

/// Words and numbers with something between them, as in `session-token-v2` and `self.next_token_2`: names, and no keys.
pub(super) fn is_name(value: &str) -> bool {
    value.split(['-', '_', '.', '/', '@']).all(|piece| {
        let letters = piece.trim_end_matches(|char: char| char.is_ascii_digit());
        piece.len() - letters.len() <= 4 && letters.bytes().all(|byte| byte.is_ascii_alphabetic()) && {
            // One case, or a capital first: `Piece`, `PIECE`, `piece`, and `camelCase` as far as it has few humps.
            let humps = letters.bytes().skip(1).filter(u8::is_ascii_uppercase).count();
            humps == 0 || humps + 1 >= letters.len() || humps * 4 <= letters.len()
        }
    })
}

/// Whether a value stands for another.
pub(super) fn is_placeholder(value: &str) -> bool {
    if value.starts_with(['$', '<', '{', '%', '*']) {
        return true;
    }
    let lower = value.to_ascii_lowercase();
    PLACEHOLDERS.iter().any(|word| lower.contains(word))
}

/// 8-4-4-4-12 hexadecimal digits (RFC 9562): names things, and is no secret.
fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
