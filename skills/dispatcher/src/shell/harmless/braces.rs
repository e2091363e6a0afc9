//! Braces: `{a,b}` and `{1..3}` in a word of plain text, which bash writes out before it does anything else with it.

use super::syntax::{What, Word};

/// More words than so many are not written out.
const MOST: usize = 64;
/// What would be read otherwise once it is written out, or makes it harder to say where a brace ends.
const ODD: &[char] = &['\\', '\'', '"', '`', '$', '~', '[', ']', '!', '(', ')'];

/// The words that one with braces stands for, each of at least one character. `None` if it has none, or others than these.
pub(super) fn spelt(word: &Word<'_>) -> Option<Vec<String>> {
    let brace = |what: &What<'_>| matches!(what, What::Brace);
    let plain = |what: &What<'_>| matches!(what, What::Text(text) if !text.contains(['{', '}']));
    let all = word.pieces.iter();
    if !all.clone().any(|piece| brace(&piece.what))
        || !all
            .clone()
            .all(|piece| !piece.quoted && (brace(&piece.what) || plain(&piece.what)))
        || word.raw.contains(ODD)
    {
        return None;
    }
    let mut words = vec![String::new()];
    let mut rest = word.raw;
    while let Some((before, behind)) = rest.split_once('{') {
        let (inner, after) = behind.split_once('}')?;
        if before.contains('}') || inner.contains('{') {
            return None;
        }
        let parts = parts(inner)?;
        if words.len() * parts.len() > MOST {
            return None;
        }
        words = words
            .iter()
            .flat_map(|word| parts.iter().map(move |part| format!("{word}{before}{part}")))
            .collect();
        rest = after;
    }
    if rest.contains('}') {
        return None;
    }
    for word in &mut words {
        word.push_str(rest);
    }
    // One that comes to nothing is no argument.
    words.iter().all(|word| !word.is_empty()).then_some(words)
}

fn parts(inner: &str) -> Option<Vec<String>> {
    if inner.contains(',') {
        return Some(inner.split(',').map(str::to_owned).collect());
    }
    // Bash leaves it as it is.
    if !inner.is_empty() && !inner.contains("..") {
        return Some(vec![format!("{{{inner}}}")]);
    }
    // With a zero before it a number is filled up with others.
    let number = |text: &str| {
        let plain = text.len() < 4
            && text.bytes().all(|byte| byte.is_ascii_digit())
            && (text == "0" || !text.starts_with('0'));
        text.parse::<u16>().ok().filter(|_| plain)
    };
    let (from, to) = inner.split_once("..")?;
    let (from, to) = (number(from)?, number(to)?);
    if usize::from(from.abs_diff(to)) >= MOST {
        return None;
    }
    let mut parts: Vec<String> = (from.min(to)..=from.max(to)).map(|one| one.to_string()).collect();
    if from > to {
        parts.reverse();
    }
    Some(parts)
}
