//! The names of characters.

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
        None if character.is_control() || (character.is_whitespace()) => format!("U{:04X}", character as u32),
        None => character.to_string(),
    }
}
