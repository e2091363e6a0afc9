//! Privacy tags: text that a person marked as theirs does not leave the machine.

/// The tag that `text` carries, if any. `@personal` is found as a word of its own, and as Org's `:personal:`.
pub(crate) fn tag_in<'a>(text: &str, tags: &'a [String]) -> Option<&'a str> {
    tags.iter().map(String::as_str).find(|tag| {
        let name = tag.trim_start_matches('@').trim_matches(':');
        !name.is_empty()
            && ((text.contains('@') && has_word(text, &format!("@{name}"), is_word))
                || (text.contains(':') && has_word(text, &format!(":{name}:"), |_| false)))
    })
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_' || char == '-'
}

/// Whether `word` stands in `text`, in any case, with nothing on either side that `joins` it to another.
fn has_word(text: &str, word: &str, joins: fn(char) -> bool) -> bool {
    let (text, word) = (text.to_lowercase(), word.to_lowercase());
    text.match_indices(&word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(|char| joins(char) || (char == '.' && joins('a'))) && !after.is_some_and(joins)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn a_tag_is_a_word_of_its_own() {
        let tags = ["@personal".to_owned()];
        for text in [
            "@personal",
            "note (@Personal) here",
            "* Heading :work:personal:\n",
            "x @personal.",
        ] {
            assert_eq!(tag_in(text, &tags), Some("@personal"), "{text}");
        }
        for text in [
            "personal",
            "me@personal.example",
            "@personally",
            "@personal-computer",
            "impersonal",
        ] {
            assert_eq!(tag_in(text, &tags), None, "{text}");
        }
        assert_eq!(tag_in("@personal", &[]), None);
        assert_eq!(tag_in("anything", &[String::new()]), None);
    }
}
