//! Privacy tags: what bears one of them, and all that is below it, is never shown to a model.
//!
//! Tags are looked for where Org has them and in the text itself, since a buffer may come as one text. When in doubt
//! an object counts as private.

use std::sync::Arc;

use super::object::Attributes;
use crate::sexp::{Form, Text};

/// The tags that make an object private. Compared without regard to case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivacyTags(Arc<[Text]>);

impl Default for PrivacyTags {
    /// `@personal`.
    fn default() -> PrivacyTags {
        PrivacyTags::new(["@personal"])
    }
}

impl PrivacyTags {
    /// These tags; blank ones are left out.
    pub fn new<'a>(tags: impl IntoIterator<Item = &'a str>) -> PrivacyTags {
        let tags = tags
            .into_iter()
            .map(|tag| tag.trim().trim_matches(':'))
            .filter(|tag| !tag.is_empty());
        PrivacyTags(tags.map(|tag| tag.to_lowercase().into()).collect())
    }

    /// Which of the tags an object with these attributes and this text bears.
    pub(super) fn borne(&self, attributes: &Attributes, content: &str) -> Arc<[Text]> {
        if self.0.is_empty() {
            return Arc::default();
        }
        // A tag list is read as text like any other: `("@personal")`, `:a:@personal:` and `@personal` all name it.
        let said = attributes.iter().map(|(key, value)| {
            let mut text = String::new();
            if key.ends_with("TAGS") {
                tag_text(value, &mut text);
            } else if let Form::String(value) = value {
                text.push_str(value);
            }
            text.to_lowercase()
        });
        let texts: Vec<String> = said.chain([content.to_lowercase()]).collect();
        self.0
            .iter()
            .filter(|tag| texts.iter().any(|text| names(text, tag)))
            .cloned()
            .collect()
    }
}

/// The tags in the value of an attribute of tags, each between colons.
fn tag_text(value: &Form, out: &mut String) {
    match value {
        Form::List(items) | Form::Vector(items) => items.iter().for_each(|item| tag_text(item, out)),
        Form::Dotted(items, tail) => {
            items.iter().for_each(|item| tag_text(item, out));
            tag_text(tail, out);
        }
        other => {
            // Words of one text are tags of their own: `@personal work`.
            for tag in other
                .designator()
                .unwrap_or_default()
                .split(|char: char| char.is_whitespace() || char == ',')
            {
                out.extend([":", tag, ":"]);
            }
        }
    }
}

/// Whether `text` names the tag: as `:tag:`, or, for a tag such as `@personal`, which is no word of its own, anywhere
/// as a whole word. Both are in lower case.
fn names(text: &str, tag: &str) -> bool {
    let part_of_tag = |char: char| char.is_alphanumeric() || matches!(char, '_' | '@' | '#' | '%');
    let is_word = tag.starts_with(char::is_alphanumeric);
    text.match_indices(tag).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + tag.len()..].chars().next());
        if is_word {
            before == Some(':') && after == Some(':')
        } else {
            !before.is_some_and(part_of_tag) && !after.is_some_and(part_of_tag)
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;
    use crate::sexp::read;

    fn private(tags: &PrivacyTags, attributes: &str, content: &str) -> bool {
        let attributes = Attributes::from_plist(&read(attributes).unwrap(), "").unwrap();
        !tags.borne(&attributes, content).is_empty()
    }

    #[test]
    fn a_tag_is_found_wherever_org_and_its_clients_put_it() {
        let tags = PrivacyTags::default();
        for attributes in [
            "(:TAGS (\"work\" \"@personal\"))",
            "(:TAGS \":work:@personal:\")",
            "(:TAGS \"@Personal\")",
            "(:ALL-TAGS (:|@personal|))",
            "(:FILETAGS \"work @personal\")",
            "(:TITLE \"Diary :@personal:\")",
        ] {
            assert!(private(&tags, attributes, ""), "{attributes}");
        }
        assert!(private(&tags, "()", "* Diary    :@personal:\nDear diary"));
        assert!(private(&tags, "()", "#+FILETAGS: @personal"));
    }

    #[test]
    fn what_only_looks_like_a_tag_is_none() {
        let tags = PrivacyTags::default();
        assert!(!private(&tags, "(:TITLE \"me@personal.org\")", "@personality"));
        let words = PrivacyTags::new(["home"]);
        assert!(!private(&words, "(:TITLE \"go home\")", "home"));
        assert!(private(&words, "(:TITLE \"Diary :home:\")", ""));
        assert!(private(&words, "(:TAGS (\"home\"))", ""));
    }

    #[test]
    fn without_tags_nothing_is_private() {
        assert!(!private(
            &PrivacyTags::new(["", " "]),
            "(:TAGS (\"@personal\"))",
            "@personal"
        ));
    }
}
