//! Secrets that are told by what stands around them: in the files of ssh(1) and PuTTY, in .netrc, in XML, in `docker login`'s
//! configuration and kubeconfig files, in addresses, and as hashes of passwords that can be guessed at.

use super::Secret;
use super::formats::Chars;
use super::words::{DEFAULTS, FORGES};
use super::{lines, named};

/// The fewest characters of a password that stands where passwords do.
const SHORTEST_PASSWORD: usize = 8;
/// The fewest of a token in an address, and of a key in base64.
const SHORTEST_TOKEN: usize = 20;
const SHORTEST_KEY: usize = 40;
/// No password and no entry is longer.
const LONGEST: usize = 256;

/// What begins a private key of another form than RFC 7468's: RFC 4716, section 3.3, as ssh.com writes it, and PuTTY's manual,
/// appendix C, where the kind of the key follows.
const SSH2: &str = "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----";
const PUTTY: &str = "PuTTY-User-Key-File-";

/// A private key in the form of ssh.com at `at`.
pub(super) fn ssh2_key(text: &str, at: usize) -> Option<Secret> {
    let body = text[at..].strip_prefix(SSH2)?;
    // Prose that names the line goes on with something else.
    let body = body.trim_start_matches("\\r").trim_start_matches("\\n");
    let length = body
        .trim_start()
        .bytes()
        .take_while(|byte| !byte.is_ascii_whitespace())
        .take(LONGEST)
        .count();
    (length >= SHORTEST_PASSWORD || lines::hold_a_key(body)).then(|| Secret::new("a private key", SSH2))
}

/// A private key of PuTTY's at `at`.
pub(super) fn putty_key(text: &str, at: usize) -> Option<Secret> {
    let rest = text[at..].strip_prefix(PUTTY)?;
    let kind = rest
        .trim_start_matches(|char: char| char.is_ascii_digit())
        .strip_prefix(": ")?;
    let known = ["ssh-", "ecdsa-"].iter().any(|own| kind.starts_with(own));
    known.then(|| Secret::new("a private key", PUTTY))
}

/// A Mailchimp key, which ends with the centre it is for: 32 hexadecimal digits before the dash at `at`. Mailchimp's
/// documentation, "About API keys".
pub(super) fn mailchimp(bytes: &[u8], at: usize) -> Option<Secret> {
    let rest = bytes[at..].strip_prefix(b"-us")?;
    let digits = rest.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    let ends = !rest.get(digits).is_some_and(u8::is_ascii_alphanumeric);
    let start = at.checked_sub(32)?;
    let hex = bytes[start..at]
        .iter()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let begins = start
        .checked_sub(1)
        .is_none_or(|before| !bytes[before].is_ascii_alphanumeric());
    ((1..4).contains(&digits) && ends && hex && begins && distinct(&bytes[start..at]) >= 6)
        .then(|| Secret::new("a Mailchimp key", "…-us"))
}

/// The hash of a password at `at`, as crypt(5) writes it.
pub(super) fn crypt(text: &str, at: usize) -> Option<Secret> {
    let rest = &text[at..];
    let rest = rest.get(..rest.floor_char_boundary(LONGEST)).unwrap_or_default();
    let mut parts = rest.split('$').skip(1);
    let (method, hash) = (parts.next()?, |part: &str| {
        let sign = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/');
        part.bytes().take_while(sign).count()
    });
    let length = match method {
        "2a" | "2b" | "2x" | "2y" => {
            let cost = parts.next()?;
            (cost.len() == 2 && cost.bytes().all(|byte| byte.is_ascii_digit())).then_some(53)?
        }
        "5" | "6" => {
            let first = parts.next()?;
            let salt = if first.starts_with("rounds=") {
                parts.next()?
            } else {
                first
            };
            (1..=16)
                .contains(&salt.len())
                .then_some(if method == "5" { 43 } else { 86 })?
        }
        "y" | "gy" => {
            parts.next()?;
            (!parts.next()?.is_empty()).then_some(43)?
        }
        _ => return None,
    };
    let last = parts.next()?;
    (hash(last) == length && distinct(&last.as_bytes()[..length]) >= 10)
        .then(|| Secret::new("the hash of a password", &format!("${method}$")))
}

/// An entry of .netrc at `at`: `machine … login … password …`; curl's and ftp(1)'s manuals.
pub(super) fn netrc(text: &str, at: usize) -> Option<Secret> {
    let rest = &text[at..];
    if !rest.starts_with("machine ") {
        return None;
    }
    let rest = rest.get(..rest.floor_char_boundary(LONGEST)).unwrap_or_default();
    let mut words = rest.split_ascii_whitespace().skip(1);
    let host = words.next()?;
    let mut login = false;
    while let (Some(word), Some(value)) = (words.next(), words.next()) {
        match word {
            "login" | "account" => login = true,
            "password" if login => {
                let value = value.split("\\n").next().unwrap_or_default();
                let value = value.trim_end_matches(['"', '\'']);
                return is_password(value)
                    .then(|| Secret::new("a password in .netrc", &format!("machine {host} … password ")));
            }
            _ => return None,
        }
    }
    None
}

/// A password that is an element of XML, or a value that stands beside its name: `<password>…</password>`, and
/// `<add key="ApiKey" value="…"/>` as .NET's configuration has it.
pub(super) fn element(text: &str, at: usize) -> Option<Secret> {
    let rest = &text[at + 1..];
    let rest = rest.get(..rest.floor_char_boundary(2 * LONGEST)).unwrap_or_default();
    let found = |name: &str| Secret::new("a value whose name says that it is secret", &format!("<{name}>"));
    let (tag, inner) = rest.split_once('>')?;
    if let Some(attributes) = tag.strip_prefix("add ") {
        let value = |name: &str| {
            let (_, behind) = attributes.split_once(name)?;
            behind
                .trim_start_matches('\\')
                .strip_prefix(['"', '\''])?
                .split(['"', '\'', '\\'])
                .next()
        };
        let name = value("key=").or_else(|| value("name="))?;
        let secret = named::is_secret_name(name.as_bytes()) && is_token(value("value=")?);
        return secret.then(|| found(name));
    }
    let name = tag.bytes().all(|byte| Chars::WORD.holds(byte)).then_some(tag)?;
    let (value, end) = inner.split_once('<')?;
    let closes = end.strip_prefix('/').is_some_and(|end| end.starts_with(name));
    (closes && named::is_secret_name(name.as_bytes()) && is_password(value.trim())).then(|| found(name))
}

/// A value that a name makes a secret by itself, whatever it looks like: how docker(1) keeps who may log in, npm's tokens, and
/// kubeconfig's keys. `name` stands before the mark, and `rest` behind it.
pub(super) fn kept(name: &[u8], rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', '\t', '\\']);
    let (quoted, value) = match rest.strip_prefix(['"', '\'']) {
        Some(value) => (true, value),
        None => (false, rest),
    };
    let base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let length = value.bytes().take(2 * LONGEST).take_while(base64).count();
    let encoded = &value[..length];
    match name {
        b"auth" if quoted => length >= 12 && decoded(encoded).is_some_and(|text| logs_in(&text)),
        b"_auth" => length >= 12 && decoded(encoded).is_some_and(|text| logs_in(&text)),
        // They may have the form of a UUID: npm's documentation, "About access tokens".
        b"_authToken" => {
            let word = value
                .bytes()
                .take(LONGEST)
                .take_while(|byte| Chars::WORD.holds(*byte))
                .count();
            word >= SHORTEST_TOKEN && distinct(&value.as_bytes()[..word]) >= 8 && !named::is_placeholder(value)
        }
        b"client-key-data" => length >= SHORTEST_KEY && distinct(encoded.as_bytes()) >= 10,
        _ => false,
    }
}

/// A token alone in an address of a forge, as `git clone` takes it, between `://` and `@`.
pub(super) fn is_token_of_forge(who: &str, host: &str) -> bool {
    let host = host.split(':').next().unwrap_or_default();
    FORGES
        .iter()
        .any(|own| host == *own || host.strip_suffix(own).is_some_and(|rest| rest.ends_with('.')))
        && who.len() >= SHORTEST_TOKEN
        && is_token(who)
}

/// Whether a password stands here, and no word, variable or example.
fn is_password(value: &str) -> bool {
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let digits = value.bytes().any(|byte| byte.is_ascii_digit());
    let reference =
        value.contains(['$', '{', '<', '(', '*']) || value.contains(char::is_whitespace) || value.contains("://");
    (SHORTEST_PASSWORD..=LONGEST).contains(&value.len())
        && letters
        && digits
        && !reference
        && !named::is_placeholder(value)
        && !named::is_name(value)
        && !DEFAULTS.iter().any(|own| own.eq_ignore_ascii_case(value))
        && distinct(value.as_bytes()) >= 6
}

fn is_token(value: &str) -> bool {
    named::is_secret_value(value, true, false)
}

/// Whether a text is a name and a password behind a colon.
fn logs_in(text: &str) -> bool {
    let given = |password: &str| {
        password.len() >= 6
            && !named::is_placeholder(password)
            && !DEFAULTS.iter().any(|own| own.eq_ignore_ascii_case(password))
    };
    text.split_once(':').is_some_and(|(user, password)| {
        !user.is_empty()
            && given(password)
            && user.bytes().chain(password.bytes()).all(|byte| byte.is_ascii_graphic())
    })
}

/// What base64 (RFC 4648) stands for, if that is text of ASCII.
fn decoded(text: &str) -> Option<String> {
    let (mut bits, mut held, mut made) = (0_u32, 0, String::new());
    for byte in text.trim_end_matches('=').bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            let byte = (bits >> held & 0xff) as u8;
            made.push(Some(char::from(byte)).filter(char::is_ascii)?);
        }
    }
    Some(made)
}

fn distinct(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    for byte in bytes {
        seen[usize::from(*byte)] = true;
    }
    seen.iter().filter(|seen| **seen).count()
}
