//! The names of characters, and their case: of the alphabets of Europe, one letter for one. Tables for all of Unicode
//! would be a tenth of the component.

const NAMES: &[(&str, char)] = &[
    ("Space", ' '),
    ("Newline", '\n'),
    ("Tab", '\t'),
    ("Return", '\r'),
    ("Page", '\u{c}'),
    ("Backspace", '\u{8}'),
    ("Rubout", '\u{7f}'),
    ("Nul", '\0'),
    ("Esc", '\u{1b}'),
    ("Linefeed", '\n'),
    ("Null", '\0'),
    ("Escape", '\u{1b}'),
    ("Delete", '\u{7f}'),
];

/// The character of this name; case doesn't matter. `U+…` and `U…` with hexadecimal digits name any.
pub(crate) fn by_name(name: &str) -> Option<char> {
    if let Some((_, character)) = NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
        return Some(*character);
    }
    let digits = name.strip_prefix(['U', 'u'])?;
    char::from_u32(u32::from_str_radix(digits.strip_prefix('+').unwrap_or(digits), 16).ok()?)
}

/// How a character is printed behind `#\`.
pub(crate) fn name(character: char) -> String {
    match NAMES.iter().find(|(_, known)| *known == character) {
        Some((name, _)) => (*name).to_owned(),
        None if character.is_control() || character.is_whitespace() => format!("U{:04X}", character as u32),
        None => character.to_string(),
    }
}

/// The letter in upper case; any other character as it is.
pub(crate) fn upper(character: char) -> char {
    moved(character, Case::Lower)
}

/// The letter in lower case; any other character as it is.
pub(crate) fn lower(character: char) -> char {
    moved(character, Case::Upper)
}

/// The text in upper case.
pub(crate) fn upper_text(text: &str) -> String {
    text.chars().map(upper).collect()
}

/// The text in lower case.
pub(crate) fn lower_text(text: &str) -> String {
    text.chars().map(lower).collect()
}

/// Which letters are to be changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Upper,
    Lower,
}

/// Ranges of capital letters, and how far behind them their small letters are.
const DISTANCES: &[(u32, u32, u32)] = &[
    (0x41, 0x5A, 32),
    (0xC0, 0xD6, 32),
    (0xD8, 0xDE, 32),
    (0x391, 0x3A1, 32),
    (0x3A3, 0x3AB, 32),
    (0x410, 0x42F, 32),
    (0x400, 0x40F, 80),
];

/// Ranges in which capital and small letters take turns, beginning with a capital.
const PAIRS: &[(u32, u32)] = &[
    (0x100, 0x12F),
    (0x132, 0x137),
    (0x139, 0x148),
    (0x14A, 0x177),
    (0x179, 0x17E),
    (0x460, 0x481),
    (0x48A, 0x4BF),
    (0x4D0, 0x52F),
    (0x1E00, 0x1E95),
    (0x1EA0, 0x1EFF),
];

/// The other letter of a pair, if `character` has the case `from`.
fn moved(character: char, from: Case) -> char {
    let code = character as u32;
    for &(first, last, distance) in DISTANCES {
        let (begin, change) = match from {
            Case::Upper => (first, distance as i32),
            Case::Lower => (first + distance, -(distance as i32)),
        };
        if (begin..=begin + last - first).contains(&code) {
            return char::from_u32(code.wrapping_add_signed(change)).unwrap_or(character);
        }
    }
    if let Some(&(first, _)) = PAIRS.iter().find(|(first, last)| (*first..=*last).contains(&code)) {
        let is_capital = (code - first).is_multiple_of(2);
        let other = match from {
            Case::Upper if is_capital => code + 1,
            Case::Lower if !is_capital => code - 1,
            _ => code,
        };
        return char::from_u32(other).unwrap_or(character);
    }
    match (from, character) {
        (Case::Lower, 'ÿ') => 'Ÿ',
        (Case::Upper, 'Ÿ') => 'ÿ',
        _ => character,
    }
}
