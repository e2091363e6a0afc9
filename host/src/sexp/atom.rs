//! Single atoms: what a token without lists and strings means, and which names need bars.
//!
//! `lexpr` tells numbers from symbols where it can; what it takes for symbols although Common Lisp reads numbers
//! (`1/2`, `1.5d0`, `.5`) is told here.

use std::borrow::Cow;

use super::form::{Form, Number, NumberKind};
use super::name::Name;

/// The names of characters that have no shape of their own, as SBCL prints them, then the other names it reads.
const CHARS: &[(&str, char)] = &[
    ("Space", ' '),
    ("Newline", '\n'),
    ("Tab", '\t'),
    ("Return", '\r'),
    ("Nul", '\0'),
    ("Soh", '\u{1}'),
    ("Stx", '\u{2}'),
    ("Etx", '\u{3}'),
    ("Eot", '\u{4}'),
    ("Enq", '\u{5}'),
    ("Ack", '\u{6}'),
    ("Bel", '\u{7}'),
    ("Backspace", '\u{8}'),
    ("Vt", '\u{b}'),
    ("Page", '\u{c}'),
    ("So", '\u{e}'),
    ("Si", '\u{f}'),
    ("Dle", '\u{10}'),
    ("Dc1", '\u{11}'),
    ("Dc2", '\u{12}'),
    ("Dc3", '\u{13}'),
    ("Dc4", '\u{14}'),
    ("Nak", '\u{15}'),
    ("Syn", '\u{16}'),
    ("Etb", '\u{17}'),
    ("Can", '\u{18}'),
    ("Em", '\u{19}'),
    ("Sub", '\u{1a}'),
    ("Esc", '\u{1b}'),
    ("Fs", '\u{1c}'),
    ("Gs", '\u{1d}'),
    ("Rs", '\u{1e}'),
    ("Us", '\u{1f}'),
    ("Rubout", '\u{7f}'),
    ("Linefeed", '\n'),
    ("Null", '\0'),
    ("Escape", '\u{1b}'),
    ("Delete", '\u{7f}'),
];

/// The character that `name` (what stands after `#\`) means.
pub(super) fn char_by_name(name: &str) -> Option<char> {
    let mut chars = name.chars();
    if let (Some(only), None) = (chars.next(), chars.next()) {
        return Some(only);
    }
    CHARS
        .iter()
        .find(|(own, _)| own.eq_ignore_ascii_case(name))
        .map(|(_, char)| *char)
        .or_else(|| {
            let digits = name.strip_prefix(['U', 'u'])?;
            let digits = digits.strip_prefix('+').unwrap_or(digits);
            if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return None;
            }
            char::from_u32(u32::from_str_radix(digits, 16).ok()?)
        })
}

/// The name by which `char` is printed where its own shape would not do.
pub(super) fn char_name(char: char) -> Option<Cow<'static, str>> {
    match CHARS.iter().find(|(_, own)| *own == char) {
        Some((name, _)) => Some(Cow::Borrowed(name)),
        None if char.is_control() || char.is_whitespace() => Some(format!("U+{:04X}", char as u32).into()),
        None => None,
    }
}

/// What the unescaped token `text` means: a number, or a symbol or keyword in upper case.
pub(super) fn plain(text: &str) -> Result<Form, String> {
    if let Some(kind) = number_kind(text)? {
        return Ok(Form::Number(Number {
            kind,
            text: text.into(),
        }));
    }
    if let Some(name) = text.strip_prefix(':') {
        return match name {
            "" => Err("a colon without a name".to_owned()),
            _ if name.contains(':') => Err(format!("`{}`, which has a colon inside its name,", cut(text))),
            _ => Ok(Form::Keyword(Name::upcased(name))),
        };
    }
    if text.contains(':') {
        return Err(format!(
            "`{}`, a symbol of a package (only keywords and plain symbols are)",
            cut(text)
        ));
    }
    if text.bytes().all(|byte| byte == b'.') {
        return Err(format!("`{}`: dots alone name nothing, and", cut(text)));
    }
    Ok(match text.eq_ignore_ascii_case("NIL") {
        true => Form::Nil,
        false => Form::Symbol(Name::upcased(text)),
    })
}

/// The symbol `name`; `NIL` is the empty list.
pub(super) fn named(name: &str) -> Form {
    if name == "NIL" {
        Form::Nil
    } else {
        Form::Symbol(Name::new(name))
    }
}

/// The number that `text` is, if it is one. A ratio over zero is an error, as it is in Lisp.
fn number_kind(text: &str) -> Result<Option<NumberKind>, String> {
    if !looks_numeric(text) {
        return Ok(None);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits(unsigned.strip_suffix('.').unwrap_or(unsigned)) {
        return Ok(Some(NumberKind::Integer));
    }
    if let Some((over, under)) = unsigned.split_once('/') {
        return match digits(over) && digits(under) {
            true if under.bytes().all(|byte| byte == b'0') => Err(format!("the ratio `{}` over zero", cut(text))),
            true => Ok(Some(NumberKind::Ratio)),
            false => Ok(None),
        };
    }
    Ok(is_float(unsigned).then_some(NumberKind::Float))
}

/// Whether `unsigned` is `1.5`, `.5`, `2e9`, `1.e5` or `1.5d0`.
fn is_float(unsigned: &str) -> bool {
    // Common Lisp's exponent markers; lexpr knows only `e`.
    let (mantissa, exponent) = match unsigned.find(|char: char| "esfdlESFDL".contains(char)) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    if exponent.is_some_and(|exponent| !digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))) {
        return false;
    }
    match mantissa.split_once('.') {
        Some(("", fraction)) => digits(fraction),
        Some((whole, "")) => digits(whole) && exponent.is_some(),
        // The one shape that lexpr and Common Lisp agree on.
        Some(_) => lexpr::from_str(mantissa).is_ok_and(|value| value.is_number()),
        None => digits(mantissa) && exponent.is_some(),
    }
}

fn digits(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
}

/// At most 24 characters of `text`, for error messages.
pub(super) fn cut(text: &str) -> &str {
    text.char_indices().nth(24).map_or(text, |(at, _)| &text[..at])
}

/// Whether a keyword's name must be printed between bars.
pub(super) fn keyword_needs_bars(name: &str) -> bool {
    name.bytes().all(|byte| byte == b'.') || !name.bytes().all(is_plain)
}

/// Whether a symbol's name must be printed between bars.
pub(super) fn symbol_needs_bars(name: &str) -> bool {
    keyword_needs_bars(name) || looks_numeric(name)
}

/// Wider than what is a number: Common Lisp reserves such tokens.
fn looks_numeric(name: &str) -> bool {
    let unsigned = name.strip_prefix(['+', '-']).unwrap_or(name);
    unsigned
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Characters that need no bars: what any Lisp reads as part of a name and leaves as it is.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'+' | b'*' | b'/' | b'<' | b'>' | b'=' | b'!' | b'?' | b'_'
        | b'%' | b'&' | b'$' | b'^' | b'~' | b'@' | b'.')
}
