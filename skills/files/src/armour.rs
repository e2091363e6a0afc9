//! The armour around a key: what stands between two lines of dashes.

use memchr::memmem::{find, find_iter};

/// How the armour of a key begins and ends (RFC 7468, RFC 9580), and what it names if that is private; openvpn(8) has one
/// of its own.
pub(crate) const ARMOUR: &[u8] = b"-----BEGIN ";
const DASHES: &[u8] = b"-----";
pub(crate) const PRIVATE: &[u8] = b"PRIVATE KEY";
pub(crate) const SHARED: &[u8] = b"OpenVPN Static key";

/// The fewest characters in which a key is written.
const SHORTEST: usize = 40;
/// The fewest in a line of one that is not its last: openvpn(8). How far below the armour the first may stand, for the headers.
const LINE: usize = 32;
const HEADERS: usize = 256;

/// What stands between armour, from the dashes that begin it to those that end it.
pub(crate) struct Body {
    pub(crate) length: usize,
    /// Whether it is called private.
    pub(crate) is_private: bool,
    /// Whether it could be decoded as well.
    pub(crate) is_key: bool,
}

/// Where armour begins.
pub(crate) fn begun(bytes: &[u8]) -> impl Iterator<Item = usize> {
    find_iter(bytes, ARMOUR)
}

/// Those in a text.
pub(crate) fn bodies(bytes: &[u8]) -> impl Iterator<Item = Body> {
    begun(bytes).filter_map(|at| {
        let rest = bytes.get(at + ARMOUR.len()..)?;
        let dashes = |text: &[u8]| find(text, DASHES);
        let named = dashes(rest.get(..64).unwrap_or(rest))?;
        let label = rest.get(..named)?;
        let body = rest.get(named + DASHES.len()..)?;
        let ended = dashes(body);
        let end = ended.unwrap_or(body.len());
        let text = body.get(..end)?;
        let says = |part: &[u8]| find(label, part).is_some();
        let is_private = says(PRIVATE) || says(SHARED);
        let is_key = is_private && (ended.is_some() && is_encoded(text) || begins_encoded(text));
        // What no end follows, and is none, is no more than a beginning.
        let length = if ended.is_some() || is_key { end } else { 0 };
        // With the dashes, the name at both ends and the word.
        Some(Body {
            length: length + 2 * (ARMOUR.len() + named + DASHES.len()),
            is_private,
            is_key,
        })
    })
}

/// Whether a byte may be one of a text in base64 or in hexadecimal digits.
pub(crate) fn is_digit(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether a text is mostly a key in base64 or in hexadecimal digits, in lines, or with `\\n` between them as in JSON.
fn is_encoded(body: &[u8]) -> bool {
    let mut digits = 0;
    for line in body.split(|byte| matches!(byte, b'\n' | b'\r' | b'\\')) {
        // What is left of `\n`, and headers such as `Proc-Type: 4,ENCRYPTED`.
        let line = line.trim_ascii();
        if line.iter().all(is_digit) {
            digits += line.len();
        }
    }
    let shown = body.iter().filter(|byte| !byte.is_ascii_whitespace()).count();
    digits >= SHORTEST && 2 * digits > shown
}

/// Whether a key begins a text that may go on with anything, or be cut off, whatever stands between its lines: signs of
/// quotation, or blanks.
fn begins_encoded(text: &[u8]) -> bool {
    let (mut at, mut digits) = (0, 0);
    for run in text.split(|byte| !is_digit(byte)) {
        // No word is as long, and a path has no numbers, or few.
        if run.len() >= LINE && run.iter().any(u8::is_ascii_digit) {
            digits += run.len();
        } else if digits == 0 && at > HEADERS {
            return false;
        }
        at += run.len() + 1;
    }
    digits >= SHORTEST
}
