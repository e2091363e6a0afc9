//! Finding where a bracketed or quoted part of a command line ends, and the scripts that stand inside a text.
//! One pass with a stack of its own: no input makes it recurse or go back.

/// The deepest nesting of brackets and quotes that is followed.
const MOST_NESTING: usize = 64;

/// What is open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Open {
    /// `(`, closed by `)`.
    Paren,
    /// `${`, closed by `}`.
    Brace,
    /// `"`.
    Double,
    /// A backtick.
    Backtick,
}

/// Whether a compound command ends where the text does.
pub(crate) fn closes(text: &[char]) -> bool {
    let blanks = |char: &char| matches!(char, ' ' | '\t');
    let end = text
        .iter()
        .rposition(|char| !blanks(char) && !char.is_ascii_digit())
        .map_or(0, |last| last + 1);
    let text = &text[..end];
    let ends_with = |word: &str| {
        let Some((before, end)) = text.len().checked_sub(word.len()).map(|at| text.split_at(at)) else {
            return false;
        };
        let is_apart = before
            .last()
            .is_none_or(|char| !char.is_alphanumeric() && !matches!(char, '_' | '-' | '/'));
        is_apart && end.iter().copied().eq(word.chars())
    };
    matches!(text.last(), Some(')' | '}')) || ["done", "fi", "esac"].into_iter().any(ends_with)
}

/// Where the part that opened just before `from` closes. `None` if it doesn't, or nests too deep.
pub(crate) fn close(text: &[char], from: usize, open: Open) -> Option<usize> {
    let mut stack = vec![open];
    let mut at = from;
    while at < text.len() {
        let top = *stack.last()?;
        let next = text.get(at + 1).copied();
        match (text[at], top) {
            ('\\', _) => at += 1,
            ('\'', Open::Paren | Open::Brace) if !stack.contains(&Open::Double) || top == Open::Paren => {
                at = find(text, at + 1, '\'')?;
            }
            ('"', Open::Double) | ('`', Open::Backtick) | (')', Open::Paren) | ('}', Open::Brace) => {
                stack.pop();
                if stack.is_empty() {
                    return Some(at);
                }
            }
            ('"', _) => stack.push(Open::Double),
            ('`', _) => stack.push(Open::Backtick),
            ('$', _) if next == Some('(') => {
                stack.push(Open::Paren);
                at += 1;
            }
            ('$', _) if next == Some('{') => {
                stack.push(Open::Brace);
                at += 1;
            }
            ('(', Open::Paren) => stack.push(Open::Paren),
            ('#', Open::Paren) if at == from || text[at - 1].is_whitespace() || text[at - 1] == ';' => {
                at = find(text, at, '\n')?;
            }
            _ => {}
        }
        if stack.len() > MOST_NESTING {
            return None;
        }
        at += 1;
    }
    None
}

/// The next `wanted` at or after `from`.
pub(crate) fn find(text: &[char], from: usize, wanted: char) -> Option<usize> {
    text.get(from..)?
        .iter()
        .position(|char| *char == wanted)
        .map(|offset| from + offset)
}

/// The scripts of the command substitutions in a text that bash expands like the inside of double quotes (the body of
/// a here-document, arithmetic, `${…}`). `false` if one of them does not close.
pub(crate) fn substitutions(text: &[char], scripts: &mut Vec<String>) -> bool {
    let mut at = 0;
    let mut whole = true;
    while at < text.len() {
        let next = text.get(at + 1).copied();
        let (start, open) = match (text[at], next) {
            ('\\', _) => {
                at += 2;
                continue;
            }
            ('$' | '<' | '>', Some('(')) => (at + 2, Open::Paren),
            ('`', _) => (at + 1, Open::Backtick),
            _ => {
                at += 1;
                continue;
            }
        };
        match close(text, start, open) {
            Some(end) => {
                scripts.push(script(&text[start..end], open));
                at = end + 1;
            }
            None => {
                whole = false;
                scripts.push(script(&text[start..], open));
                at = text.len();
            }
        }
    }
    whole
}

/// The script that stood between the brackets. Between backticks, a backslash before three characters goes.
pub(crate) fn script(inner: &[char], open: Open) -> String {
    if open != Open::Backtick {
        return inner.iter().collect();
    }
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.iter().peekable();
    while let Some(char) = chars.next() {
        match chars.peek() {
            Some(next) if *char == '\\' && matches!(next, '$' | '`' | '\\') => {}
            _ => out.push(*char),
        }
        if *char == '\\'
            && let Some(next) = chars.next_if(|next| matches!(next, '$' | '`' | '\\'))
        {
            out.push(*next);
        }
    }
    out
}

/// What `$'…'` means, from just after the quote: the characters, and where it closes.
pub(crate) fn ansi_c(text: &[char], from: usize) -> Option<(Vec<char>, usize)> {
    let mut out = Vec::new();
    let mut at = from;
    loop {
        let char = *text.get(at)?;
        at += 1;
        if char == '\'' {
            return Some((out, at));
        }
        if char != '\\' {
            out.push(char);
            continue;
        }
        let escape = *text.get(at)?;
        at += 1;
        let (radix, most) = match escape {
            'x' => (16, 2),
            'u' => (16, 4),
            'U' => (16, 8),
            '0'..='7' => {
                at -= 1;
                (8, 3)
            }
            _ => {
                out.push(match escape {
                    'a' => '\u{7}',
                    'b' => '\u{8}',
                    'e' | 'E' => '\u{1b}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'v' => '\u{b}',
                    'c' => {
                        let control = *text.get(at)?;
                        at += 1;
                        char::from_u32(control as u32 & 0x1f)?
                    }
                    other => other,
                });
                continue;
            }
        };
        let mut value = 0u32;
        let mut digits = 0;
        while let Some(digit) = text
            .get(at)
            .and_then(|char| char.to_digit(radix))
            .filter(|_| digits < most)
        {
            value = value.wrapping_mul(radix).wrapping_add(digit);
            digits += 1;
            at += 1;
        }
        out.push(char::from_u32(value).unwrap_or('\u{FFFD}'));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn brackets_in_quotes_do_not_close() {
        let text = chars("echo ')' \")\" \\) $(x) # )\n)rest");
        assert_eq!(close(&text, 0, Open::Paren), Some(text.len() - 5));
        assert_eq!(close(&chars("a \"b"), 0, Open::Paren), None);
    }

    #[test]
    fn substitutions_are_found_wherever_bash_expands() {
        let mut scripts = Vec::new();
        assert!(substitutions(
            &chars("a $(one $(two)) `three \\`four\\`` \\$(no)"),
            &mut scripts
        ));
        assert_eq!(scripts, ["one $(two)", "three `four`"]);
        assert!(!substitutions(&chars("$(open"), &mut scripts));
    }

    #[test]
    fn ansi_c_quoting_is_decoded() {
        let (out, end) = ansi_c(&chars("\\x72\\155\\u0020\\n'rest"), 0).unwrap();
        assert_eq!(out, chars("rm \n"));
        assert_eq!(end, 17);
    }
}
