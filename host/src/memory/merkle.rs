//! The hashes of memory objects: SHA-256 over an object and its children's hashes, so that equal hashes mean equal
//! trees.
//!
//! Every part is preceded by its length, so that no two objects have one hash because of where a separator falls, and
//! the form has a version in front. The original's form had neither; [`OriginalForm`] checks hashes that it made.

use std::fmt::Write;

use super::object::{Attributes, ObjectId};
use crate::sexp::{Digest, Form, Name, kw};

/// The version of the form: a change of it is a new name.
const DOMAIN: &str = "passepartout-object-1";

/// The hash of an object with these parts; `children` are the hashes of its children, in order.
pub(super) fn hash(
    id: &ObjectId,
    kind: &Name,
    attributes: &Attributes,
    content: &str,
    children: &[Digest],
) -> Digest {
    Digest::of(DOMAIN, &encode(id.as_str(), kind, attributes, content, children))
}

fn encode(id: &str, kind: &str, attributes: &Attributes, content: &str, children: &[Digest]) -> Vec<u8> {
    let mut out = Vec::with_capacity(id.len() + kind.len() + content.len() + 32 * children.len() + 128);
    part(&mut out, id);
    part(&mut out, kind);
    number(&mut out, attributes.iter().len());
    let mut printed = String::new();
    for (key, value) in attributes.iter() {
        part(&mut out, key);
        printed.clear();
        value.print_into(&mut printed);
        part(&mut out, &printed);
    }
    part(&mut out, content);
    number(&mut out, children.len());
    for child in children {
        out.extend_from_slice(child.bytes());
    }
    out
}

fn number(out: &mut Vec<u8>, number: usize) {
    out.extend_from_slice(&(number as u64).to_be_bytes());
}

fn part(out: &mut Vec<u8>, text: &str) {
    number(out, text.len());
    out.extend_from_slice(text.as_bytes());
}

/// The parts of an object as the original hashed them, to check a hash that it made. Its separators were not escaped,
/// so two objects may share such a hash: it tells damage, not identity.
#[derive(Clone, Copy, Debug)]
pub struct OriginalForm<'a> {
    /// The id.
    pub id: &'a str,
    /// The type, such as `HEADLINE`.
    pub kind: &'a str,
    /// The attributes, the id among them.
    pub attributes: &'a Attributes,
    /// The content: for a headline its title, a newline, and its text.
    pub content: &'a str,
    /// The hashes of the children, as they were printed, in order.
    pub children: &'a [&'a str],
}

impl OriginalForm<'_> {
    /// The hash, or none for text above U+00FF, which the original could not hash: it took each character for a byte.
    pub fn hash(&self) -> Option<Digest> {
        let bytes = self
            .preimage()
            .chars()
            .map(|char| u8::try_from(u32::from(char)).ok())
            .collect::<Option<Vec<u8>>>();
        bytes.map(|bytes| Digest::of_file(&bytes))
    }

    /// Whether the original gave this object the hash `printed`, 64 hexadecimal digits of either case.
    pub fn matches(&self, printed: &str) -> bool {
        match (self.hash(), printed.parse::<Digest>()) {
            (Some(own), Ok(theirs)) => own == theirs,
            _ => false,
        }
    }

    fn preimage(&self) -> String {
        let alist = self
            .attributes
            .iter()
            .map(|(key, value)| cons(kw(key), value))
            .collect();
        let mut out = String::new();
        let _ = write!(
            out,
            "ID:{}|TYPE:{}|ATTRS:{}|CONTENT:{}|CHILDREN:",
            self.id,
            kw(self.kind),
            Form::list(alist),
            self.content
        );
        self.children.iter().for_each(|hash| out.push_str(hash));
        out
    }
}

/// `(key . value)`, which Lisp prints as one longer list where the value is a list.
fn cons(key: Form, value: &Form) -> Form {
    match value {
        Form::Nil => Form::List(vec![key]),
        Form::List(items) => Form::List([vec![key], items.clone()].concat()),
        Form::Dotted(items, tail) => Form::Dotted([vec![key], items.clone()].concat(), tail.clone()),
        other => Form::Dotted(vec![key], Box::new(other.clone())),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use proptest::prelude::*;

    use super::*;
    use crate::sexp::read;

    fn attributes(plist: &str) -> Attributes {
        Attributes::from_plist(&read(plist).unwrap(), ":ATTRIBUTES").unwrap()
    }

    #[test]
    fn the_originals_sample_has_the_hash_it_printed() {
        let attributes = attributes("(:TITLE \"Node 1\" :ID \"test-1\")");
        let sample = OriginalForm {
            id: "test-1",
            kind: "HEADLINE",
            attributes: &attributes,
            content: "Node 1\n",
            children: &[],
        };
        assert_eq!(
            sample.preimage(),
            "ID:test-1|TYPE::HEADLINE|ATTRS:((:ID . \"test-1\") (:TITLE . \"Node 1\"))|CONTENT:Node 1\n|CHILDREN:"
        );
        assert!(sample.matches("8f42ad4ee9ac9698e3f7477edc461499845e08feb5e58e1e6c80ad8032223828"));
        assert!(
            !OriginalForm {
                content: "Node 2\n",
                ..sample
            }
            .matches(&sample.hash().unwrap().to_string())
        );
        assert!(
            !OriginalForm {
                children: &["ab"],
                ..sample
            }
            .matches(&sample.hash().unwrap().to_string())
        );
        assert!(!sample.matches("no hash"));
    }

    #[test]
    fn the_originals_form_prints_lists_among_attributes_as_lisp_does() {
        let attributes = attributes("(:TAGS (\"a\" \"b\") :DONE NIL :RANGE (1 . 2))");
        let form = OriginalForm {
            id: "i",
            kind: "HEADLINE",
            attributes: &attributes,
            content: "",
            children: &[],
        };
        assert!(
            form.preimage()
                .contains("ATTRS:((:DONE) (:RANGE 1 . 2) (:TAGS \"a\" \"b\"))|")
        );
    }

    #[test]
    fn the_original_has_no_hash_for_text_above_latin_1() {
        let attributes = Attributes::default();
        let form = |content| OriginalForm {
            id: "i",
            kind: "HEADLINE",
            attributes: &attributes,
            content,
            children: &[],
        };
        assert!(form("caf\u{e9}").hash().is_some());
        assert_eq!(form("\u{2713}").hash(), None);
    }

    #[test]
    fn two_objects_that_the_original_could_not_tell_apart_have_two_hashes() {
        let none = Attributes::default();
        let original = |id, kind, content| OriginalForm {
            id,
            kind,
            attributes: &none,
            content,
            children: &[],
        };
        let (one, other) = ("x|CONTENT:y", "x");
        // In the original's form the end of the content and the list of children run into each other.
        let a = OriginalForm {
            content: "x|CHILDREN:",
            ..original("i", "H", "")
        };
        let b = OriginalForm {
            content: "x",
            children: &["|CHILDREN:"],
            ..original("i", "H", "")
        };
        assert_eq!(a.hash(), b.hash());
        let own = |id: &str, content: &str| hash(&ObjectId::known(id), &Name::new("H"), &none, content, &[]);
        assert_ne!(own(one, ""), own(other, "|CONTENT:y"));
    }

    type Parts = (String, String, Vec<(String, String)>, String, u8);

    fn parts() -> impl Strategy<Value = Parts> {
        let text = "[a|:\"() ]{0,4}";
        let pairs = proptest::collection::btree_map("[A-C|]{1,2}", text, 0..3);
        (text, text, pairs, text, 0u8..3).prop_map(|(id, kind, pairs, content, children)| {
            (id, kind, pairs.into_iter().collect(), content, children)
        })
    }

    fn encoded((id, kind, pairs, content, children): &Parts) -> Vec<u8> {
        let plist = Form::plist(pairs.iter().map(|(key, value)| (key.as_str(), Form::from(value))));
        let children: Vec<_> = (0..*children).map(|child| Digest::of_file(&[child])).collect();
        encode(
            id,
            kind,
            &Attributes::from_plist(&plist, "").unwrap(),
            content,
            &children,
        )
    }

    proptest! {
        #[test]
        fn two_different_objects_never_have_one_hash_because_of_where_a_separator_falls(a in parts(), b in parts()) {
            prop_assert_eq!(encoded(&a) == encoded(&b), a == b);
        }

        #[test]
        fn moving_a_boundary_between_two_parts_changes_the_hash(text in "[a|:(]{1,12}", one: usize, other: usize) {
            let (one, other) = (one % (text.len() + 1), other % (text.len() + 1));
            let split = |at: usize| (text[..at].to_owned(), text[at..].to_owned());
            let (a, b) = (split(one), split(other));
            let id_and_kind = |(id, kind): &(String, String)| encoded(&(id.clone(), kind.clone(), vec![], String::new(), 0));
            let kind_and_content = |(kind, content): &(String, String)| {
                encoded(&(String::new(), kind.clone(), vec![], content.clone(), 0))
            };
            prop_assert_eq!(id_and_kind(&a) == id_and_kind(&b), one == other);
            prop_assert_eq!(kind_and_content(&a) == kind_and_content(&b), one == other);
        }
    }
}
