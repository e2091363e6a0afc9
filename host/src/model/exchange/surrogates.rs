//! Halves of UTF-16 pairs that a server escapes one by one: a letter beyond the first 65,536 may be split between two pieces
//! of a stream, and one that was cut off has lost its other half. No text of ours can hold a half, so that it is marked while
//! the pieces are put together, and settled in the whole.

use std::borrow::Cow;

/// Stands before a marked half. Unicode keeps it for uses like this one: no text has it.
const MARK: char = '\u{fdd0}';

/// Where the marked halves begin, in the private range: 2,048 of them.
const FIRST: u32 = 0xe000;

const HALVES: std::ops::RangeInclusive<u32> = 0xd800..=0xdfff;

/// `json` with each lone half marked. Whatever is wrong with it otherwise stays so.
pub(super) fn marked(json: &[u8]) -> Cow<'_, [u8]> {
    let mut out: Option<Vec<u8>> = None;
    let (mut at, mut copied) = (0, 0);
    while let Some(found) = json
        .get(at..)
        .and_then(|rest| rest.iter().position(|byte| *byte == b'\\'))
    {
        at += found;
        match unit(json, at) {
            Some(half) if HALVES.contains(&half) => {
                let is_pair =
                    half < 0xdc00 && unit(json, at + 6).is_some_and(|next| (0xdc00..=0xdfff).contains(&next));
                if is_pair {
                    at += 12;
                    continue;
                }
                let out = out.get_or_insert_default();
                out.extend_from_slice(json.get(copied..at).unwrap_or_default());
                let held = char::from_u32(half - HALVES.start() + FIRST).unwrap_or(char::REPLACEMENT_CHARACTER);
                out.extend_from_slice(format!("{MARK}{held}").as_bytes());
                at += 6;
                copied = at;
            }
            Some(_) => at += 6,
            None => at += 2,
        }
    }
    match out {
        Some(mut out) => {
            out.extend_from_slice(json.get(copied..).unwrap_or_default());
            Cow::Owned(out)
        }
        None => Cow::Borrowed(json),
    }
}

/// The number that the escape at `at` writes, if it is one of that kind.
fn unit(json: &[u8], at: usize) -> Option<u32> {
    let digits = json.get(at..at.checked_add(6)?)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

/// `text` with its marked halves joined, or replaced by U+FFFD where one has lost the other.
pub(super) fn settled(text: String) -> String {
    if !text.contains(MARK) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let half_of = |char: &char| {
        let half = u32::from(*char).checked_sub(FIRST)? + HALVES.start();
        HALVES.contains(&half).then_some(half)
    };
    while let Some(char) = rest.next() {
        let half = rest.peek().and_then(half_of).filter(|_| char == MARK);
        let Some(high) = half else {
            out.push(char);
            continue;
        };
        rest.next();
        let mut ahead = rest.clone();
        let low = ahead.next().filter(|next| *next == MARK).and_then(|_| ahead.next());
        let low = low.as_ref().and_then(half_of);
        match low.filter(|low| high < 0xdc00 && *low >= 0xdc00) {
            Some(low) => {
                let whole = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                out.push(char::from_u32(whole).unwrap_or(char::REPLACEMENT_CHARACTER));
                rest = ahead;
            }
            None => out.push(char::REPLACEMENT_CHARACTER),
        }
    }
    out
}

/// `text`, which may be JSON itself, with its lone halves replaced.
pub(super) fn mended(text: String) -> String {
    let text = settled(text);
    match marked(text.as_bytes()) {
        Cow::Owned(bytes) => settled(String::from_utf8(bytes).unwrap_or(text)),
        Cow::Borrowed(_) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Option<String> {
        serde_json::from_slice::<String>(&marked(json.as_bytes()))
            .ok()
            .map(settled)
    }

    #[test]
    fn pairs_stay_lone_halves_are_replaced_and_what_only_looks_like_one_is_left() {
        for (json, text) in [
            (r#""a\ud83d\ude00b""#, "a😀b"),
            (r#""a\ud83db""#, "a\u{fffd}b"),
            (r#""a\ude00\ud83d""#, "a\u{fffd}\u{fffd}"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
            (r#""\\ud83d\n\"\u00e9""#, "\\ud83d\n\"é"),
        ] {
            assert_eq!(read(json).as_deref(), Some(text), "{json}");
        }
        assert_eq!(read(r#""\ud83""#), None);
    }

    #[test]
    fn halves_in_two_pieces_are_joined_in_the_whole() {
        let piece = |json: &str| serde_json::from_slice::<String>(&marked(json.as_bytes())).ok();
        let (one, other) = (piece(r#""ok \ud83d""#), piece(r#""\ude00!""#));
        assert_eq!(settled(one.unwrap_or_default() + &other.unwrap_or_default()), "ok 😀!");
    }
}
