//! What a file holds, for looking through it: text in UTF-8 or UTF-16, text with bytes that are none, or no text at all.

/// Says that UTF-16 follows, the lower byte first or last.
const LOWER_FIRST: &[u8] = &[0xff, 0xfe];
const LOWER_LAST: &[u8] = &[0xfe, 0xff];

/// What a file holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Text(String),
    /// Text in which bytes that are none in its encoding stand as U+FFFD.
    Broken(String),
    Binary(Vec<u8>),
}

impl Content {
    pub(crate) fn of(bytes: Vec<u8>) -> Content {
        if is_utf16(&bytes) {
            let units = bytes[2..].chunks(2).map(|unit| match (unit, bytes[0]) {
                ([first, second], 0xff) => u16::from_le_bytes([*first, *second]),
                ([first, second], _) => u16::from_be_bytes([*first, *second]),
                // Half of one: no character is written so.
                _ => 0xdfff,
            });
            let mut whole = true;
            let text: String = char::decode_utf16(units)
                .map(|unit| {
                    whole &= unit.is_ok();
                    unit.unwrap_or(char::REPLACEMENT_CHARACTER)
                })
                .collect();
            return match (text.contains('\0'), whole) {
                (true, _) => Content::Binary(bytes),
                (false, true) => Content::Text(text),
                (false, false) => Content::Broken(text),
            };
        }
        if bytes.contains(&0) {
            return Content::Binary(bytes);
        }
        match String::from_utf8(bytes) {
            Ok(text) => Content::Text(match text.strip_prefix('\u{feff}') {
                Some(rest) => rest.to_owned(),
                None => text,
            }),
            Err(error) => Content::Broken(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        }
    }
}

/// Whether a file that begins so says that it is text in UTF-16.
pub(crate) fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(LOWER_FIRST) || bytes.starts_with(LOWER_LAST)
}

/// A text as it may stand among bytes that are no text: in UTF-8, and in UTF-16 either way round.
#[derive(Debug)]
pub(crate) struct Literal {
    spellings: [Vec<u8>; 3],
    any_case: bool,
}

impl Literal {
    /// Nothing where upper and lower case would be the same and are not only those of ASCII.
    pub(crate) fn new(text: &str, any_case: bool) -> Option<Literal> {
        if any_case && !text.is_ascii() {
            return None;
        }
        let folded = if any_case {
            text.to_ascii_lowercase()
        } else {
            text.to_owned()
        };
        let wide = |bytes: fn(u16) -> [u8; 2]| folded.encode_utf16().flat_map(bytes).collect();
        Some(Literal {
            spellings: [wide(u16::to_le_bytes), wide(u16::to_be_bytes), folded.into_bytes()],
            any_case,
        })
    }

    pub(crate) fn is_in(&self, bytes: &[u8]) -> bool {
        let folded;
        let bytes = if self.any_case {
            folded = bytes.to_ascii_lowercase();
            &folded
        } else {
            bytes
        };
        let has = |own: &Vec<u8>| bytes.windows(own.len()).any(|part| part == own.as_slice());
        self.spellings.iter().any(has)
    }
}
