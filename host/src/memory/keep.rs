//! What skills keep in memory: single objects, read from plists and checked whole before anything is written.
//!
//! An object is its skill's alone: its id has the skill's name in it, which the host puts there, so that no skill writes
//! over what another keeps, nor over what an editor said.

use super::MemoryError;
use super::ingest::{Node, attributes, text};
use super::object::{Attributes, ObjectId, Origin};
use super::privacy::PrivacyTags;
use crate::sexp::{Digest, Form, Name, Text};

/// Most objects that one skill keeps. Memory is in RAM: with the next bound this is 640 MB at the very worst, and some
/// MB for notes of a few lines.
pub(super) const MOST: usize = 10_000;

/// Most bytes of one object, printed.
const BYTES: usize = 64 << 10;

const KEYS: &[&str] = &["ID", "TYPE", "ATTRIBUTES", "CONTENT", "TAGS"];

/// One object that a skill keeps.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) node: Node,
    pub(super) origin: Origin,
}

/// Reads an object: `(:ID "…" :TYPE :NOTE :ATTRIBUTES (:TITLE "…") :CONTENT "…" :TAGS (…))`. Each key may be missing, but
/// not both content and attributes. Without an id it gets one that is the same for the same object.
pub(super) fn read(skill: &str, tainted: bool, form: &Form, privacy: &PrivacyTags) -> Result<Kept, MemoryError> {
    const FIELD: &str = "the object";
    form.check_plist(FIELD)?;
    let known = |key: &str| KEYS.iter().any(|own| own.eq_ignore_ascii_case(key));
    if let Some((key, _)) = form.pairs().find(|(key, _)| !known(key)) {
        return Err(MemoryError::UnknownKeptKey {
            key: key.to_uppercase(),
        });
    }
    let printed = form.to_string();
    if printed.len() > BYTES {
        return Err(MemoryError::TooLarge {
            bytes: printed.len(),
            most: BYTES,
        });
    }
    let attributes: Attributes = attributes(form.get("ATTRIBUTES"), form, FIELD)?;
    let content = match form.get("CONTENT").filter(|content| content.is_true()) {
        Some(content) => text(content, "the object's :CONTENT")?.clone(),
        None => Text::from(""),
    };
    if content.trim().is_empty() && attributes.iter().len() == 0 {
        return Err(MemoryError::Nothing);
    }
    let kind = match form.get("TYPE").filter(|kind| kind.is_true()) {
        Some(kind) => kind.designator().ok_or_else(|| MemoryError::Wrong {
            field: "the object's :TYPE".to_owned(),
            expected: "a keyword",
            found: kind.shortened(40),
        })?,
        None => "NOTE",
    };
    let id = match form.get("ID").filter(|id| id.is_true()) {
        Some(id) => {
            let own = text(id, "the object's :ID")?;
            // A skill may say the id that it was given back, too.
            let own = own.strip_prefix(ObjectId::of_skill(skill, "").as_str()).unwrap_or(own);
            ObjectId::claimed(&own.into(), "the object's :ID")?;
            ObjectId::of_skill(skill, own)
        }
        None => {
            let digest = Digest::of("passepartout-kept-object-1", printed.as_bytes());
            ObjectId::of_skill(skill, &digest.short())
        }
    };
    let node = Node {
        id,
        kind: Name::new(&kind.to_uppercase()),
        privacy: privacy.borne(&attributes, &content),
        attributes,
        content,
        children: Vec::new(),
    };
    let origin = Origin::Skill {
        name: skill.into(),
        tainted,
    };
    Ok(Kept { node, origin })
}
