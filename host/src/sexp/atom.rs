//! Single atoms: what a token without lists and strings means, and which names need bars.
//!
//! `lexpr` tells numbers from symbols; what it takes for symbols although Common Lisp reads numbers (`1/2`, `1.5d0`)
//! is told here.

use super::form::{Form, Number, NumberKind};
use super::name::Name;

/// The characters Common Lisp names (the standard's and SBCL's names for those that have no shape of their own).
const CHARS: &[(&str, char)] = &[
    ("Space", ' '),
    ("Newline", '\n'),
    ("Tab", '\t'),
    ("Return", '\r'),
    ("Backspace", '\u{8}'),
    ("Rubout", '\u{7f}'),
    ("Page", '\u{c}'),
    ("Linefeed", '\n'),
    ("Nul", '\0'),
    ("Null", '\0'),
    ("Escape", '\u{1b}'),
];

/// The character that `name` (what stands after `#\`) means.
pub(super) fn char_by_name(name: &str) -> Option<char> {
    let mut chars = name.chars();
    if let (Some(only), None) = (chars.next(), chars.next()) {
        return Some(only);
    }
    CHARS.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, char)| *char).or_else(|| {
        let digits = name.strip_prefix(['U', 'u'])?;
        char::from_u32(u32::from_str_radix(digits.strip_prefix('+').unwrap_or(digits), 16).ok()?)
    })
}

/// The name by which `char` is printed where its own shape would not do.
pub(super) fn char_name(char: char) -> Option<&'static str> {
    CHARS.iter().find(|(_, own)| *own == char).map(|(name, _)| *name)
}

/// What the unescaped token `text` means: a number, or a symbol or keyword in upper case.
pub(super) fn plain(text: &str) -> Result<Form, String> {
    if let Some(kind) = number_kind(text) {
        return Ok(Form::Number(Number { kind, text: text.into() }));
    }
    symbol(upcase(text), text)
}

/// A symbol or keyword named by `name`, as it was written in `source`, which may still hold the colon.
pub(super) fn symbol(name: String, source: &str) -> Result<Form, String> {
    if let Some(rest) = name.strip_prefix(':') {
        if rest.is_empty() {
            return Err("a colon without a name".to_owned());
        }
        if rest.contains(':') {
            return Err(format!("`{source}`, which has a colon inside its name"));
        }
        return Ok(Form::Keyword(Name::new(rest)));
    }
    if name.contains(':') {
        return Err(format!("`{source}`, a symbol of a package; only keywords and plain symbols are read"));
    }
    if name.bytes().all(|byte| byte == b'.') {
        return Err(format!("`{source}`: dots alone name nothing"));
    }
    Ok(named(&name))
}

/// The symbol `name`; `NIL` is the empty list.
pub(super) fn named(name: &str) -> Form {
    if name == "NIL" { Form::Nil } else { Form::Symbol(Name::new(name)) }
}

/// The number that `text` is, if it is one.
fn number_kind(text: &str) -> Option<NumberKind> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !unsigned.starts_with(|char: char| char.is_ascii_digit() || char == '.') {
        return None;
    }
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if digits(unsigned.strip_suffix('.').unwrap_or(unsigned)) {
        return Some(NumberKind::Integer);
    }
    if let Some((over, under)) = unsigned.split_once('/') {
        return (digits(over) && digits(under) && under.bytes().any(|byte| byte != b'0')).then_some(NumberKind::Ratio);
    }
    // Common Lisp's exponent markers; lexpr knows only `e`.
    let mantissa = match unsigned.find(|char: char| "esfdlESFDL".contains(char)) {
        Some(at) => {
            let exponent = &unsigned[at + 1..];
            if !digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)) {
                return None;
            }
            &unsigned[..at]
        }
        None => unsigned,
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let shape = (whole.is_empty() || digits(whole)) && digits(fraction);
    (shape && lexpr_reads_a_number(mantissa)).then_some(NumberKind::Float)
}

fn lexpr_reads_a_number(text: &str) -> bool {
    // lexpr has no numbers that begin with a dot.
    let text = if text.starts_with('.') { format!("0{text}") } else { text.to_owned() };
    lexpr::from_str(&text).is_ok_and(|value| value.is_number())
}

/// Upper case as Common Lisp's reader makes it: one character for one, and only where there is a way back.
pub(super) fn upcase(text: &str) -> String {
    text.chars().map(upcase_char).collect()
}

pub(super) fn upcase_char(char: char) -> char {
    let mut upper = char.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(only), None) if only != char && only.to_lowercase().eq([char]) => only,
        _ => char,
    }
}

/// Whether a keyword's name must be printed between bars.
pub(super) fn keyword_needs_bars(name: &str) -> bool {
    name.is_empty() || name.bytes().all(|byte| byte == b'.') || !name.bytes().all(is_plain)
}

/// Whether a symbol's name must be printed between bars.
pub(super) fn symbol_needs_bars(name: &str) -> bool {
    keyword_needs_bars(name) || looks_numeric(name)
}

/// Wider than what is a number: Common Lisp reserves such tokens.
fn looks_numeric(name: &str) -> bool {
    let unsigned = name.strip_prefix(['+', '-']).unwrap_or(name);
    unsigned.starts_with(|char: char| char.is_ascii_digit() || char == '.')
}

/// Characters that need no bars: what any Lisp reads as part of a name and leaves as it is.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"-+*/<>=!?_%&$^~@.".contains(&byte)
}
