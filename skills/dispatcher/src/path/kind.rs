//! Kinds of regular expressions: what is a sign to one is a letter to another; POSIX.1-2024, chapter 9, and the manuals of grep
//! and findutils.

use super::set::set_length;

/// A kind of regular expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegexKind {
    /// grep's.
    Basic,
    /// That of `grep -E`, and of Perl.
    Extended,
    /// find's, which is that of Emacs.
    Emacs,
    /// It is not known which.
    Open,
}

/// What stands for a letter that is a sign elsewhere: no name that is tried has it.
const LETTER: char = '\u{7f}';

/// An expression in which only what is a sign to its own kind is one to any. `None` if that can't be told.
pub(crate) fn lettered(regex: &str, kind: RegexKind) -> Option<String> {
    let chars: Vec<char> = regex.chars().collect();
    let (mut at, mut made) = (0, String::new());
    // Whether nothing is there yet that could be repeated.
    let mut begins = true;
    while let Some(char) = chars.get(at) {
        let escaped = *char == '\\';
        let own = if escaped { *chars.get(at + 1)? } else { *char };
        let length = match own {
            '[' if !escaped => set_length(&chars[at..])?,
            _ => 1 + usize::from(escaped),
        };
        let text = &chars[at..at + length];
        at += length;
        let sign = match own {
            '*' if !escaped && begins && kind == RegexKind::Basic => false,
            '*' if !escaped && begins => return None,
            '\n' if matches!(kind, RegexKind::Emacs | RegexKind::Open) => return None,
            '(' | ')' | '|' | '{' | '}' | '+' | '?' => is_sign(own, escaped, kind)?,
            _ => {
                made.extend(text);
                begins = own == '\n' || begins && own == '^' && !escaped;
                continue;
            }
        };
        // What repeats nothing is read in more than one way.
        if sign && begins && matches!(own, '+' | '?' | '{') {
            return None;
        }
        begins = sign && matches!(own, '(' | '|');
        match sign {
            true => made.extend(text),
            false => made.push(LETTER),
        }
    }
    Some(made)
}

/// Whether one of these is a sign. `None` if that can't be told.
fn is_sign(own: char, escaped: bool, kind: RegexKind) -> Option<bool> {
    match kind {
        RegexKind::Basic => Some(escaped),
        RegexKind::Extended => Some(!escaped),
        RegexKind::Emacs => match own {
            '+' | '?' => Some(!escaped),
            // Versions differ in whether they count.
            '{' | '}' if escaped => None,
            _ => Some(escaped),
        },
        RegexKind::Open => None,
    }
}

/// An expression that matches this text, line by line.
pub(crate) fn fixed(text: &str) -> String {
    let mut made = String::new();
    for char in text.chars() {
        match char {
            '(' | ')' | '|' | '{' | '}' | '+' | '?' => made.push(LETTER),
            '.' | '*' | '[' | ']' | '\\' | '^' | '$' => made.extend(['\\', char]),
            _ => made.push(char),
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_letter_to_its_own_kind_is_no_sign() {
        use RegexKind::{Basic, Emacs, Extended, Open};
        for (regex, kind, read) in [
            ("a|b", Basic, Some("a\u{7f}b")),
            ("a\\|b", Basic, Some("a\\|b")),
            ("*a", Basic, Some("\u{7f}a")),
            ("^*a", Basic, Some("^\u{7f}a")),
            ("a+", Basic, Some("a\u{7f}")),
            ("a|b", Extended, Some("a|b")),
            ("a\\|b", Extended, Some("a\u{7f}b")),
            ("a|*b", Extended, None),
            (".*|x", Emacs, Some(".*\u{7f}x")),
            (".+\\|x", Emacs, Some(".+\\|x")),
            ("a\\{2\\}", Emacs, None),
            ("[|(]\\.", Emacs, Some("[|(]\\.")),
            ("a|b", Open, None),
            ("a\\(b", Open, None),
            ("a.*b", Open, Some("a.*b")),
        ] {
            assert_eq!(lettered(regex, kind).as_deref(), read, "{regex} {kind:?}");
        }
    }
}
