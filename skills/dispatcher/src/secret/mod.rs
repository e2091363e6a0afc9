//! Secrets in text: known formats, private keys, passwords in addresses, and values given to names that say they are
//! secret. One pass, no going back. Hashes, UUIDs, lock files and encoded images are not secrets.
//!
//! What only looks random is no finding of its own: [`suspicion`] is a note for who is asked anyway.

mod formats;
mod lines;
mod named;
mod shaped;
mod words;

use formats::{Chars, beginning_with, begins_some, may_begin};
use words::{DEFAULTS, KEY_ENDINGS};

/// The fewest characters of a key's body.
const SHORTEST_BODY: usize = 16;

/// The longest label between `-----BEGIN ` and the dashes after it (RFC 7468 sets no bound; known ones have 25).
const LONGEST_LABEL: usize = 64;

/// A secret that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Secret {
    /// What it is.
    pub(crate) what: &'static str,
    /// Enough of the text to find the place by, without the secret itself.
    pub(crate) part: String,
}

impl Secret {
    fn new(what: &'static str, beginning: &str) -> Secret {
        Secret {
            what,
            part: format!("{beginning}…"),
        }
    }
}

/// What a byte can begin or mark.
const START: u8 = 1;
const MARK: u8 = 2;

const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        if begins_some(byte as u8) || matches!(byte as u8, b'e' | b'm' | b'M' | b'N' | b'O' | b'P') {
            kinds[byte] = START;
        }
        if matches!(byte as u8, b':' | b'=' | b'-' | b'~' | b'<' | b'$') {
            kinds[byte] = MARK;
        }
        byte += 1;
    }
    kinds
};

/// The first secret that a text holds, if it holds one.
pub(crate) fn find(text: &str) -> Option<Secret> {
    let bytes = text.as_bytes();
    // How far what could be a web token has been looked at.
    let mut seen = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let found = match KINDS[usize::from(*byte)] {
            START if is_in_word(bytes, at) => None,
            START if joined(bytes, at) => known_format(bytes, at, Place::Joined),
            START if begins_word(bytes, at) => known_format(bytes, at, Place::Alone).or_else(|| {
                let entry = match byte {
                    b'm' => shaped::netrc(text, at),
                    b'P' => shaped::putty_key(text, at),
                    _ => None,
                };
                if entry.is_some() || at < seen {
                    return entry;
                }
                let (found, end) = dotted_token(text, at)?;
                seen = end;
                found
            }),
            MARK => match byte {
                b'<' => shaped::element(text, at),
                b'$' => shaped::crypt(text, at),
                b'-' => private_key(text, at)
                    .or_else(|| shaped::ssh2_key(text, at))
                    .or_else(|| shaped::mailchimp(bytes, at))
                    .or_else(|| starts_option(bytes, at).then(|| named::option(text, at)).flatten()),
                b'~' => azure_secret(bytes, at),
                b':' if bytes[at..].starts_with(b"://") => password_in_address(text, at),
                b':' => telegram(bytes, at).or_else(|| named::assigned(text, at)),
                _ => named::assigned(text, at),
            },
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Where something that could be a secret begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// At the beginning of a word.
    Alone,
    /// Behind a dash or an underscore, as in `-pghp_…` or Markdown's `_ghp_…_`.
    Joined,
}

/// Whether a secret can begin at `at`: not in the middle of a word.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| bytes[before]) else {
        return true;
    };
    !(before.is_ascii_alphanumeric() || matches!(before, b'_' | b'-')) || ends_escape(&bytes[..at])
}

/// Whether `at` is surely in the middle of a word: no escape and no option ends there, as far as a glance tells.
fn is_in_word(bytes: &[u8], at: usize) -> bool {
    match &bytes[at.saturating_sub(3)..at] {
        [one, two, last] => last.is_ascii_alphanumeric() && !matches!(two, b'\\' | b'-') && *one != b'%',
        _ => false,
    }
}

/// Whether a word goes on at `at` behind a dash or an underscore, or the letter of a short option.
fn joined(bytes: &[u8], at: usize) -> bool {
    matches!(bytes[..at], [.., b'_' | b'-'] | [.., b' ', b'-', b'a'..=b'z' | b'A'..=b'Z'])
}

/// Whether `before` ends with an escape, which is no part of a word: `\n` as code writes it, `%20` as addresses do.
fn ends_escape(before: &[u8]) -> bool {
    match before {
        [.., b'\\', b'n' | b't' | b'r'] => true,
        [.., b'%', one, two] => one.is_ascii_hexdigit() && two.is_ascii_hexdigit(),
        _ => false,
    }
}

/// Whether an option with a long name begins at `at`.
fn starts_option(bytes: &[u8], at: usize) -> bool {
    bytes[at..].starts_with(b"--") && at.checked_sub(1).is_none_or(|before| bytes[before] == b' ')
}

/// A row of the table.
fn known_format(bytes: &[u8], at: usize, place: Place) -> Option<Secret> {
    if !may_begin(bytes[at], bytes.get(at + 1)) {
        return None;
    }
    beginning_with(bytes[at]).find_map(|format| {
        // In the middle of a word only what nobody writes by chance.
        if place == Place::Joined && !(format.prefix.len() >= 4 && format.prefix.ends_with(['_', '-'])) {
            return None;
        }
        let prefix = format.prefix.as_bytes();
        if bytes.get(at + prefix.len() - 1) != prefix.last() {
            return None;
        }
        let rest = bytes[at..].strip_prefix(prefix)?;
        // What could be base64 may stand in the middle of more of it.
        let in_base64 = at > 0 && matches!(bytes[at - 1], b'+' | b'/');
        if in_base64 && format.prefix.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return None;
        }
        format.body_of(rest)?;
        Some(Secret::new(format.name, format.prefix))
    })
}

/// A JSON web token, of whose three parts the first two are JSON in base64 (RFC 7519), or a Discord bot's token: an id in
/// base64, six characters of time, and 27 and more of signature. And where the dotted text ends.
fn dotted_token(text: &str, at: usize) -> Option<(Option<Secret>, usize)> {
    let rest = &text[at..];
    let bot = matches!(rest.as_bytes()[0], b'M' | b'N' | b'O');
    if !bot && !rest.starts_with("eyJ") {
        return None;
    }
    let length = rest.bytes().take_while(|byte| Chars::DOTTED.holds(*byte)).count();
    let mut parts = rest[..length].split('.');
    let (Some(first), Some(second), Some(third)) = (parts.next(), parts.next(), parts.next()) else {
        return Some((None, at + length));
    };
    let found = if bot {
        let random =
            first.bytes().any(|byte| byte.is_ascii_digit()) && third.bytes().any(|byte| byte.is_ascii_digit());
        let fits = (23..=28).contains(&first.len()) && second.len() == 6 && (27..=40).contains(&third.len());
        (fits && random && parts.next().is_none()).then(|| Secret::new("a Discord bot token", &first[..3]))
    } else {
        (first.len() >= 16 && second.starts_with("eyJ") && second.len() >= 16 && third.len() >= 16)
            .then(|| Secret::new("a JSON web token", "eyJ"))
    };
    Some((found, at + length))
}

/// `-----BEGIN … PRIVATE KEY-----` at `at`, with something behind it.
fn private_key(text: &str, at: usize) -> Option<Secret> {
    let rest = text[at..].strip_prefix("-----BEGIN ")?;
    let line = rest.get(..rest.floor_char_boundary(LONGEST_LABEL)).unwrap_or_default();
    let line = line.split('\n').next().unwrap_or_default();
    KEY_ENDINGS.iter().find_map(|ending| {
        let end = line.find(ending)? + ending.len();
        // A key's body follows, on the next line or after a written `\n`; prose that names the line is none.
        let body = rest[end..]
            .trim_start_matches(|char: char| char.is_whitespace() || matches!(char, '\\' | 'n' | 'r' | '"' | '\''));
        let length = body
            .bytes()
            .take(LONGEST_LABEL)
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"+/=:".contains(byte))
            .count();
        let is_key = length >= SHORTEST_BODY
            || body.starts_with("Version:")
            || body.starts_with("Proc-Type:")
            || lines::hold_a_key(&rest[end..]);
        is_key.then(|| Secret::new("a private key", &format!("-----BEGIN {}", &line[..end])))
    })
}

/// A Telegram bot's token: 8 to 10 digits, the colon at `at`, 35 characters that begin with `A`.
fn telegram(bytes: &[u8], at: usize) -> Option<Secret> {
    if bytes.get(at + 1) != Some(&b'A') {
        return None;
    }
    let before = bytes[..at].iter().rev().take(11);
    let digits = before.take_while(|byte| byte.is_ascii_digit()).count();
    let after = bytes[at + 1..].iter().take(36);
    let length = after.take_while(|byte| Chars::WORD.holds(**byte)).count();
    let random = bytes[at + 1..].iter().take(length).any(u8::is_ascii_digit);
    ((8..=10).contains(&digits) && length == 35 && random).then(|| {
        let number = String::from_utf8_lossy(&bytes[at - digits..at]).into_owned();
        Secret::new("a Telegram bot token", &format!("{number}:"))
    })
}

/// A client secret of Azure's directory: three characters, a digit and `Q~`, and 31 to 34 more.
fn azure_secret(bytes: &[u8], at: usize) -> Option<Secret> {
    let start = at.checked_sub(5)?;
    let holds = |byte: &u8| Chars::DOTTED.holds(*byte) || *byte == b'~';
    let fits = bytes[at - 1] == b'Q' && bytes[at - 2].is_ascii_digit() && bytes[start..at - 2].iter().all(holds);
    let length = bytes[at + 1..].iter().take(35).take_while(|byte| holds(byte)).count();
    (fits && begins_word(bytes, start) && (31..=34).contains(&length))
        .then(|| Secret::new("an Azure client secret", "…Q~"))
}

/// `user:password@host` behind the `://` at `at`.
fn password_in_address(text: &str, at: usize) -> Option<Secret> {
    let rest = &text[at + 3..];
    let end = rest
        .find(|char: char| char.is_whitespace() || matches!(char, '/' | '?' | '#' | '"' | '\'' | '<' | '>' | '`'));
    let authority = &rest[..end.unwrap_or(rest.len())];
    let (who, host) = authority.rsplit_once('@')?;
    let Some((user, password)) = who.split_once(':') else {
        return shaped::is_token_of_forge(who, host).then(|| Secret {
            what: "an address with a token in it",
            part: format!("…@{host}"),
        });
    };
    let is_default = DEFAULTS
        .iter()
        .chain([&user])
        .any(|own| own.eq_ignore_ascii_case(password));
    (password.len() >= 6 && !is_default && !named::is_placeholder(password)).then(|| Secret {
        what: "an address with a password in it",
        part: format!("{user}:…@{host}"),
    })
}

/// The fewest characters of a text that is suspected for being random alone.
const SHORTEST_RANDOM: usize = 32;

/// The fewest bits of entropy for each of its characters.
const LEAST_ENTROPY: f64 = 4.3;

/// Whether a text holds something that looks as random as a key does: many characters in both cases and digits. This alone
/// refuses nothing and asks nobody.
pub(crate) fn suspicion(text: &str) -> bool {
    let mut rest = text.as_bytes();
    let holds = |byte: &u8| Chars::WORD.holds(*byte) || matches!(byte, b'+' | b'/' | b'=');
    while let Some(start) = rest.iter().position(holds) {
        let length = rest[start..].iter().take_while(|byte| holds(byte)).count();
        let word = &rest[start..start + length];
        rest = &rest[start + length..];
        // Digests in lock files (Subresource Integrity) say what they are, and paths and encoded files are longer words.
        let is_digest = word.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(b"sha"));
        if (SHORTEST_RANDOM..=4 * SHORTEST_RANDOM).contains(&length) && !is_digest && is_random(word) {
            return true;
        }
    }
    false
}

fn is_random(word: &[u8]) -> bool {
    let mixed = word.iter().any(u8::is_ascii_lowercase)
        && word.iter().any(u8::is_ascii_uppercase)
        && word.iter().filter(|byte| byte.is_ascii_digit()).count() >= 3;
    let mut counts = [0_u32; 256];
    for byte in word {
        counts[usize::from(*byte)] += 1;
    }
    let length = word.len() as f64;
    let entropy: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / length)
        .map(|share| -share * share.log2())
        .sum();
    mixed && entropy >= LEAST_ENTROPY
}

#[cfg(test)]
mod tests;
