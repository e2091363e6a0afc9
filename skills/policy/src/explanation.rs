//! What counts as an explanation. Works on plain text.

use std::fmt;

/// More than this many characters, after trimming.
const TOO_SHORT: usize = 10;

/// What is wrong with an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// There is none.
    Missing,
    /// It is not a string.
    NoText,
    /// It has this many characters after trimming.
    Short(usize),
}

impl Fault {
    /// The name of the rule it breaks.
    pub(crate) fn rule(self) -> &'static str {
        match self {
            Fault::Missing => "missing-explanation",
            Fault::NoText => "malformed-explanation",
            Fault::Short(_) => "short-explanation",
        }
    }

    /// What a model can do about it.
    pub(crate) fn repair(self) -> &'static str {
        match self {
            Fault::Missing | Fault::NoText => {
                "Propose the same again, with a sentence in its payload that says why, such as :EXPLANATION \"Lists the \
                 workspace to find the report\"."
            }
            Fault::Short(_) => {
                "Propose the same again, with a sentence of more than 10 characters that says why, such as :EXPLANATION \
                 \"Lists the workspace to find the report\"."
            }
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Missing => write!(f, "the action does not say why: its payload has no :EXPLANATION"),
            Fault::NoText => write!(f, "the :EXPLANATION is not a string"),
            Fault::Short(characters) => {
                write!(
                    f,
                    "the :EXPLANATION has {characters} characters, and more than {TOO_SHORT} are needed"
                )
            }
        }
    }
}

/// Whether `text` is long enough, not counting what is invisible at its ends.
pub(crate) fn check(text: &str) -> Result<(), Fault> {
    let characters = text.trim_matches(is_blank).chars().count();
    if characters > TOO_SHORT {
        Ok(())
    } else {
        Err(Fault::Short(characters))
    }
}

/// White space, and what looks like none at all.
fn is_blank(char: char) -> bool {
    char.is_whitespace()
        || char.is_control()
        || matches!(char, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_characters_are_too_few_and_eleven_are_enough() {
        assert_eq!(check("1234567890"), Err(Fault::Short(10)));
        assert_eq!(check("12345678901"), Ok(()));
    }

    #[test]
    fn characters_count_and_not_bytes() {
        assert_eq!(check("äöüäöüäöüä"), Err(Fault::Short(10)));
        assert_eq!(check("äöüäöüäöüäö"), Ok(()));
    }

    #[test]
    fn white_space_and_invisible_characters_at_the_ends_do_not_count() {
        assert_eq!(check(" \n\t 1234567890 \u{a0}\u{3000}"), Err(Fault::Short(10)));
        assert_eq!(check(&"\u{200B}".repeat(50)), Err(Fault::Short(0)));
        assert_eq!(check("two words in"), Ok(()));
    }
}
