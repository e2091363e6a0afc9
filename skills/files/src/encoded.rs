//! Private keys in other letters than their own: written out once more in base64 or in hexadecimal digits, as in Kubernetes'
//! secrets and in what base64(1) and xxd(1) print, and texts in UTF-16.

use super::armour::{ARMOUR, bodies};
use super::binary::is_key;

/// The fewest letters in which a key is written out.
const SHORTEST: usize = 64;
/// How much of what is decoded tells a key without armour.
const BEGINNING: usize = 64;
/// What armour begins with is these letters in base64, as it stands behind none, one or two bytes of three; of the last two the
/// letters before them depend on those bytes, and how many those are.
const PHASES: [(&[u8], usize); 3] = [(b"LS0tLS1CRUdJTi", 0), (b"LS0tQkVHSU4g", 4), (b"LS0tLUJFR0lO", 4)];
/// The same in hexadecimal digits.
const DIGITS: &[u8] = b"2d2d2d2d2d424547494e20";

/// The same in digits of which each two stand apart, as how the first of them does, and how many bytes may stand between:
/// in lists of numbers, texts of programs and addresses.
const APART: [&[u8]; 2] = [b"2d", b"2D"];
const BETWEEN: usize = 12;
/// How armour begins in an address (RFC 3986, section 2.1).
const IN_ADDRESS: &[u8] = b"-----BEGIN%20";

/// Whether text holds a key that is written out so.
pub(crate) fn holds_one(bytes: &[u8]) -> bool {
    in_letters(bytes) || in_pairs(bytes) || find(bytes, IN_ADDRESS).is_some_and(|at| in_address(bytes.get(at..)))
}

/// Whether digits that stand apart are a key's.
fn in_pairs(bytes: &[u8]) -> bool {
    let pairs = bytes.windows(2).enumerate().filter(|(_, own)| APART.contains(own));
    pairs.filter_map(|(at, _)| bytes.get(at..)).any(|rest| {
        // Most pairs begin nothing of the kind.
        pairs_of(rest, ARMOUR.len()) == ARMOUR && has_a_body(&pairs_of(rest, rest.len()))
    })
}

/// The bytes, at most so many, that pairs of digits at the start stand for, whatever separates them.
fn pairs_of(bytes: &[u8], most: usize) -> Vec<u8> {
    let (mut decoded, mut rest) = (Vec::new(), bytes);
    while decoded.len() < most {
        let is_between = |byte: &&u8| byte.is_ascii_whitespace() || b",:;\"'\\{}[]()+%".contains(byte);
        let between = rest.iter().take(BETWEEN).take_while(is_between).count();
        let behind = rest.get(between..).unwrap_or_default();
        let digits = [&b"0x"[..], b"0X", b"x"]
            .iter()
            .find_map(|sign| behind.strip_prefix(*sign));
        let digits = digits.unwrap_or(behind);
        let Some((pair, next)) = digits.split_at_checked(2) else {
            break;
        };
        if !pair.iter().all(u8::is_ascii_hexdigit) {
            break;
        }
        decoded.extend(decoded_digits(&pair.to_ascii_lowercase()));
        rest = next;
    }
    decoded
}

/// Whether what is written as a part of an address holds a key.
fn in_address(text: Option<&[u8]>) -> bool {
    let (mut decoded, mut rest) = (Vec::new(), text.unwrap_or_default());
    while let Some((byte, next)) = rest.split_first() {
        let digits = next
            .get(..2)
            .filter(|pair| *byte == b'%' && pair.iter().all(u8::is_ascii_hexdigit));
        match digits {
            Some(pair) => decoded.extend(decoded_digits(&pair.to_ascii_lowercase())),
            None => decoded.push(*byte),
        }
        rest = next.get(digits.map_or(0, <[u8]>::len)..).unwrap_or_default();
    }
    has_a_body(&decoded)
}

/// Whether letters that stand together are a key's.
fn in_letters(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(is_letter) {
        let (run, length) = run(rest.get(at..).unwrap_or_default());
        if run.len() >= SHORTEST && is_one(&run) {
            return true;
        }
        rest = rest.get(at + length.max(1)..).unwrap_or_default();
    }
    false
}

/// A text in UTF-16 in one byte a letter; nothing of what is none. Letters that take two are left out: none is in a key.
pub(crate) fn narrow(bytes: &[u8]) -> Option<Vec<u8>> {
    let half = |low: usize| bytes.chunks_exact(2).map(move |pair| (pair[low], pair[1 - low]));
    let is_wide = |low: usize| {
        let (mut seen, mut wide) = (0, 0);
        for (byte, other) in half(low).take(BEGINNING) {
            seen += 1;
            wide += usize::from(byte != 0 && other == 0);
        }
        seen > 0 && 4 * wide > 3 * seen
    };
    let low = (0..2).find(|low| is_wide(*low))?;
    Some(
        half(low)
            .filter(|(_, other)| *other == 0)
            .map(|(byte, _)| byte)
            .collect(),
    )
}

fn is_letter(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/-_".contains(byte)
}

/// The letters that stand together at the start, over the ends of lines and what indents them, and how many bytes all that is.
fn run(bytes: &[u8]) -> (Vec<u8>, usize) {
    let (mut letters, mut at) = (Vec::new(), 0);
    while let Some(byte) = bytes.get(at) {
        if is_letter(byte) {
            letters.push(*byte);
            at += 1;
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        // Within a line a blank is one between words; in a text of JSON its end has two letters.
        let end = match rest {
            [b'\\', b'r', b'\\', b'n', ..] => 4,
            [b'\\', b'n', ..] => 2,
            _ if rest.iter().take(blank).any(|byte| *byte == b'\n') => blank,
            _ => break,
        };
        at += end;
    }
    (letters, at)
}

fn is_one(letters: &[u8]) -> bool {
    let is_digits = letters.iter().all(u8::is_ascii_hexdigit);
    if is_digits {
        let lower = letters.to_ascii_lowercase();
        let whole = find(&lower, DIGITS).map(|at| decoded_digits(lower.get(at..).unwrap_or_default()));
        return whole.is_some_and(|text| has_a_body(&text)) || begins_a_key(&decoded_digits(&lower));
    }
    let begun = PHASES.iter().any(|(letters_of_it, before)| {
        let at = find(letters, letters_of_it).and_then(|at| at.checked_sub(*before));
        at.is_some_and(|at| has_a_body(&decoded(letters.get(at..).unwrap_or_default())))
    });
    begun || begins_a_key(&decoded(letters.get(..BEGINNING).unwrap_or(letters)))
}

fn has_a_body(text: &[u8]) -> bool {
    bodies(text).any(|body| body.is_key)
}

fn begins_a_key(bytes: &[u8]) -> bool {
    is_key(bytes.get(..BEGINNING).unwrap_or(bytes))
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|own| own == part)
}

/// The bytes that letters of base64 stand for, of either alphabet.
fn decoded(letters: &[u8]) -> Vec<u8> {
    let value = |letter: &u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' | b'-' => 62,
        _ => 63,
    };
    let (mut bytes, mut held, mut bits) = (Vec::with_capacity(letters.len()), 0_u32, 0);
    for letter in letters {
        held = held << 6 | u32::from(value(letter));
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
            held &= (1 << bits) - 1;
        }
    }
    bytes
}

/// The bytes that hexadecimal digits, in lower case, stand for.
fn decoded_digits(digits: &[u8]) -> Vec<u8> {
    let value = |digit: u8| match digit {
        b'0'..=b'9' => digit - b'0',
        _ => digit - b'a' + 10,
    };
    let pairs = digits.chunks_exact(2);
    pairs.map(|pair| value(pair[0]) << 4 | value(pair[1])).collect()
}
