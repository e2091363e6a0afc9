//! Secrets in text: known formats, private keys, passwords in addresses, and values given to names that say they are
//! secret. One pass, no going back. Hashes, UUIDs, lock files and encoded images are not secrets.

mod table;

use table::{Alphabet, FORMATS, HARMLESS_NAMES, KEY_ENDINGS, PLACEHOLDERS, SECRET_NAMES};

/// The fewest characters of a value that a name makes a secret: the original's bound.
const SHORTEST_VALUE: usize = 16;

/// The most characters of such a value: what is longer is data.
const LONGEST_VALUE: usize = 512;

/// How far into what could be a secret one look goes, so that no text takes more than a few passes.
const LONGEST_LOOK: usize = 2_048;

/// The longest label between `-----BEGIN ` and the dashes after it (RFC 7468 sets no bound; known ones have 25).
const LONGEST_LABEL: usize = 64;

/// What secret a text holds, if it holds one.
pub(crate) fn find(text: &str) -> Option<&'static str> {
    private_key(text)
        .or_else(|| known_format(text))
        .or_else(|| web_token(text))
        .or_else(|| telegram(text))
        .or_else(|| password_in_address(text).or_else(|| named_value(text)))
}

/// `-----BEGIN … PRIVATE KEY-----` with something behind it.
fn private_key(text: &str) -> Option<&'static str> {
    let mut rest = text;
    while let Some(at) = rest.find("-----BEGIN ") {
        rest = &rest[at + 11..];
        let line: &str = rest.get(..rest.floor_char_boundary(LONGEST_LABEL)).unwrap_or_default();
        let line = line.split('\n').next().unwrap_or_default();
        for ending in KEY_ENDINGS {
            if let Some(end) = line.find(ending) {
                // A key's body follows, on the next line or after a written `\n`; prose that names the line is none.
                let body = rest[end + ending.len()..].trim_start_matches(|char: char| {
                    char.is_whitespace() || matches!(char, '\\' | 'n' | 'r' | '"' | '\'')
                });
                let length = body
                    .bytes()
                    .take(LONGEST_LABEL)
                    .take_while(|byte| byte.is_ascii_alphanumeric() || b"+/=:".contains(byte))
                    .count();
                if length >= SHORTEST_VALUE || body.starts_with("Version:") || body.starts_with("Proc-Type:") {
                    return Some("a private key");
                }
            }
        }
    }
    None
}

/// A row of the table.
fn known_format(text: &str) -> Option<&'static str> {
    let bytes = text.as_bytes();
    // First bytes of the prefixes, so that most positions cost one look.
    let mut first = [false; 256];
    for format in FORMATS {
        first[usize::from(format.prefix.as_bytes()[0])] = true;
    }
    for at in 0..bytes.len() {
        if !first[usize::from(bytes[at])] {
            continue;
        }
        for format in FORMATS {
            let Some(rest) = bytes[at..].strip_prefix(format.prefix.as_bytes()) else {
                continue;
            };
            if !begins_here(bytes, at, format.prefix) {
                continue;
            }
            let length = rest
                .iter()
                .take(LONGEST_LOOK)
                .take_while(|byte| format.alphabet.holds(**byte))
                .count();
            let ends = length == LONGEST_LOOK || rest.get(length).is_none_or(|next| !next.is_ascii_alphanumeric());
            let value = &rest[..length];
            let fits = length >= format.least && format.most.is_none_or(|most| length <= most) && ends;
            if fits && looks_random(value, format.alphabet) {
                return Some(format.name);
            }
        }
    }
    None
}

/// Whether a secret can begin at `at`: not in the middle of a word, nor of encoded data.
fn begins_here(bytes: &[u8], at: usize, prefix: &str) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| bytes[before]) else {
        return true;
    };
    if before.is_ascii_alphanumeric() || before == b'_' || before == b'-' {
        return false;
    }
    let could_be_base64 = prefix.bytes().all(|byte| byte.is_ascii_alphanumeric());
    !(could_be_base64 && matches!(before, b'+' | b'/'))
}

/// A value of one character over and over, or with words in place of it, is an example.
fn looks_random(value: &[u8], alphabet: Alphabet) -> bool {
    let mut seen = [false; 256];
    for byte in value {
        seen[usize::from(*byte)] = true;
    }
    let distinct = seen.iter().filter(|seen| **seen).count();
    let has_digit = value.iter().any(u8::is_ascii_digit);
    let words = matches!(alphabet, Alphabet::Url | Alphabet::Word | Alphabet::Dotted);
    let lower = String::from_utf8_lossy(value).to_ascii_lowercase();
    distinct >= 6 && (has_digit || !words) && !lower.ends_with("example") && !lower.contains("xxxx")
}

/// A JSON web token: three parts, of which the first two are JSON in base64 (RFC 7519).
fn web_token(text: &str) -> Option<&'static str> {
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(offset) = text[from..].find("eyJ") {
        let start = from + offset;
        let end = start
            + bytes[start..]
                .iter()
                .take_while(|byte| Alphabet::Dotted.holds(**byte))
                .count();
        from = end.max(start + 3);
        let parts: Vec<&str> = text[start..end].split('.').collect();
        if begins_here(bytes, start, "eyJ")
            && let [header, payload, signature, ..] = parts.as_slice()
            && header.len() >= 16
            && payload.starts_with("eyJ")
            && payload.len() >= 16
            && signature.len() >= 16
        {
            return Some("a JSON web token");
        }
    }
    None
}

/// A Telegram bot's token: 8 to 10 digits, a colon, 35 characters that begin with `A`.
fn telegram(text: &str) -> Option<&'static str> {
    let bytes = text.as_bytes();
    for (at, _) in text.match_indices(":A") {
        let digits = bytes[..at]
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let length = bytes[at + 1..]
            .iter()
            .take_while(|byte| Alphabet::Url.holds(**byte))
            .count();
        if (8..=10).contains(&digits) && length == 35 && looks_random(&bytes[at + 1..at + 36], Alphabet::Url) {
            return Some("a Telegram bot token");
        }
    }
    None
}

/// `scheme://user:password@host`.
fn password_in_address(text: &str) -> Option<&'static str> {
    for (at, _) in text.match_indices("://") {
        let rest = &text[at + 3..];
        let end = rest.find(|char: char| {
            char.is_whitespace() || matches!(char, '/' | '?' | '#' | '"' | '\'' | '<' | '>' | '`')
        });
        let authority = &rest[..end.unwrap_or(rest.len())];
        if let Some((user, _)) = authority.rsplit_once('@')
            && let Some((_, password)) = user.split_once(':')
            && password.len() >= 6
            && !is_placeholder(password)
            && !password.eq_ignore_ascii_case("password")
        {
            return Some("an address with a password in it");
        }
    }
    None
}

/// `API_KEY=…`, `"password": "…"`: a name that says it is secret, with a value of 16 characters or more.
fn named_value(text: &str) -> Option<&'static str> {
    let bytes = text.as_bytes();
    for (at, byte) in text.bytes().enumerate() {
        if !matches!(byte, b'=' | b':') || matches!(bytes.get(at + 1), Some(b'=' | b':')) {
            continue;
        }
        if !is_secret_name(name_before(bytes, at)) {
            continue;
        }
        let after = text[at + 1..].trim_start_matches(['>', ' ', '\t']);
        let (value, quoted) = match after.chars().next() {
            Some(quote @ ('"' | '\'' | '`')) => (after[1..].split([quote, '\n']).next().unwrap_or_default(), true),
            _ => {
                let end = after
                    .bytes()
                    .take(LONGEST_VALUE + 1)
                    .take_while(|byte| Alphabet::Url.holds(*byte) || b"+/=~".contains(byte))
                    .count();
                // A name or a call goes on with these.
                if matches!(after.as_bytes().get(end), Some(b'(' | b'.' | b'[' | b':' | b'{')) {
                    continue;
                }
                (&after[..end], false)
            }
        };
        if is_secret_value(value, quoted) {
            return Some("a value whose name says that it is secret");
        }
    }
    None
}

/// The name that ends just before `at`, quotes and blanks between taken away.
fn name_before(bytes: &[u8], at: usize) -> &str {
    let mut end = at;
    while end > 0 && at - end < 8 && matches!(bytes[end - 1], b' ' | b'\t' | b'"' | b'\'' | b':') {
        end -= 1;
    }
    let length = bytes[..end]
        .iter()
        .rev()
        .take(64)
        .take_while(|byte| Alphabet::Url.holds(**byte))
        .count();
    // Those bytes are ASCII.
    std::str::from_utf8(&bytes[end - length..end]).unwrap_or_default()
}

/// Whether the words of a name (`apiKey`, `API_KEY`, `api-key`) say that its value is secret.
fn is_secret_name(name: &str) -> bool {
    let mut words = vec![String::new()];
    let mut lower_before = false;
    for char in name.chars() {
        if char == '_' || char == '-' || (char.is_ascii_uppercase() && lower_before) {
            words.push(String::new());
        }
        lower_before = char.is_ascii_lowercase();
        if char.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(char.to_ascii_lowercase());
        }
    }
    if words.iter().any(|word| HARMLESS_NAMES.contains(&word.as_str())) {
        return false;
    }
    let single = words.iter().any(|word| SECRET_NAMES.contains(&word.as_str()));
    single
        || words
            .windows(2)
            .any(|pair| SECRET_NAMES.contains(&pair.concat().as_str()))
}

/// Whether a value looks like one a machine made or a person chose as a secret, and not like a word or a reference.
fn is_secret_value(value: &str, quoted: bool) -> bool {
    let length = value.chars().count();
    if !(SHORTEST_VALUE..=LONGEST_VALUE).contains(&length)
        || value.contains(char::is_whitespace)
        || is_placeholder(value)
    {
        return false;
    }
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let is_path = value.starts_with(['/', '.', '~']) || value.contains("://");
    let is_call = value.contains(['(', '{', '$', '<']);
    let mut seen = [false; 256];
    for byte in value.bytes() {
        seen[usize::from(byte)] = true;
    }
    let distinct = seen.iter().filter(|seen| **seen).count();
    letters && digits >= if quoted { 1 } else { 2 } && distinct >= 8 && !is_path && !is_call && !is_uuid(value)
}

fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    value.starts_with(['$', '<', '{', '%', '*']) || PLACEHOLDERS.iter().any(|word| lower.contains(word))
}

/// 8-4-4-4-12 hexadecimal digits (RFC 9562): names things, and is no secret.
fn is_uuid(value: &str) -> bool {
    let lengths: Vec<usize> = value.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && value.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests;
