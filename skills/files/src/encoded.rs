//! Private keys in other letters than their own: written out once more in base64 or in hexadecimal digits, as in Kubernetes'
//! secrets and in what base64(1) and xxd(1) print, and texts in UTF-16.

use memchr::memmem::{find, find_iter};

use super::armour::{ARMOUR, bodies};
use super::binary::{is_key, is_key_alone};

/// The fewest letters in which a key is written out.
const SHORTEST: usize = 48;
/// The fewest in a line of one: programs write 60 and more.
const LINE: usize = 24;
/// The fewest of one of GnuPG, with whose it is.
const PACKET: usize = 256;
/// How much of a text tells that it is in UTF-16.
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
    let pairs = APART.iter().flat_map(|pair| find_iter(bytes, *pair));
    pairs.filter_map(|at| bytes.get(at..)).any(|rest| {
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
        rest = rest.get(at..).unwrap_or_default();
        // A word, or what stands on the line above a key: that one begins with the next line.
        let together = rest.iter().take_while(|byte| is_letter(byte)).count();
        if together < LINE {
            rest = rest.get(together..).unwrap_or_default();
            continue;
        }
        let run = Run::at(rest);
        if run.letters.len() >= SHORTEST && run.is_a_key() {
            return true;
        }
        rest = rest.get(run.length..).unwrap_or_default();
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
    matches!(byte, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' | b'-' | b'_')
}

/// Letters that stand together, over the ends of lines and what indents them.
#[derive(Default)]
struct Run {
    letters: Vec<u8>,
    /// Where a line begins among them.
    lines: Vec<usize>,
    /// How many bytes all that takes.
    length: usize,
}

impl Run {
    /// Those at the start of `bytes`.
    fn at(bytes: &[u8]) -> Run {
        let mut run = Run::default();
        run.lines.push(0);
        while let Some(byte) = bytes.get(run.length) {
            if is_letter(byte) {
                run.letters.push(*byte);
                run.length += 1;
                continue;
            }
            let rest = bytes.get(run.length..).unwrap_or_default();
            let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            // Within a line a blank is one between words; in a text of JSON its end has two letters.
            let end = match rest {
                [b'\\', b'r', b'\\', b'n', ..] => 4,
                [b'\\', b'n', ..] => 2,
                _ if rest.iter().take(blank).any(|byte| *byte == b'\n') => blank,
                _ => break,
            };
            run.length += end;
            run.lines.push(run.letters.len());
        }
        run
    }

    /// What stands before a key, on lines above it, may be letters too.
    fn is_a_key(&self) -> bool {
        let armoured = PHASES.iter().any(|(letters_of_it, before)| {
            let at = find(&self.letters, letters_of_it).and_then(|at| at.checked_sub(*before));
            at.is_some_and(|at| has_a_body(&decoded(self.letters.get(at..).unwrap_or_default())))
        });
        let mut lines = self.lines.iter().filter_map(|at| self.letters.get(*at..));
        // A packet is told by few bytes, which others have by chance: it must be as long as one is.
        let is_packet =
            self.letters.len() >= PACKET && is_key(&decoded(self.letters.get(..SHORTEST).unwrap_or_default()));
        armoured || in_digits(&self.letters) || lines.any(begins_a_key) || is_packet
    }
}

/// Whether letters hold a key in hexadecimal digits.
fn in_digits(letters: &[u8]) -> bool {
    let lower = letters.to_ascii_lowercase();
    let digits = |at: usize| {
        let digits = lower.get(at..).unwrap_or_default();
        let count = digits.iter().take_while(|letter| letter.is_ascii_hexdigit()).count();
        decoded_digits(digits.get(..count).unwrap_or_default())
    };
    find(&lower, DIGITS).is_some_and(|at| has_a_body(&digits(at)))
}

/// Whether letters are those of a key without armour, by how it begins.
fn begins_a_key(letters: &[u8]) -> bool {
    let begin = letters.get(..SHORTEST.min(letters.len())).unwrap_or_default();
    let digits = begin.strip_prefix(b"0x").or(begin.strip_prefix(b"x")).unwrap_or(begin);
    let is_digits = digits.len() >= 2 && digits.iter().all(u8::is_ascii_hexdigit);
    let in_digits = is_digits && is_key_alone(&decoded_digits(&digits.to_ascii_lowercase()));
    letters.len() >= SHORTEST && (in_digits || is_key_alone(&decoded(begin)))
}

fn has_a_body(text: &[u8]) -> bool {
    bodies(text).any(|body| body.is_key)
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
