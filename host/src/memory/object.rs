//! Memory objects: the nodes of the memex, and the ids by which they are found.
//!
//! An object is never changed in place: a change makes a new one beside it, so that a snapshot keeps what it had.
//! Where an object came from is set by the host and can't be written by what is ingested.

use std::fmt;
use std::sync::Arc;

use super::MemoryError;
use crate::sexp::{Digest, Form, Name, Text};

/// Longest id, in bytes. Org ids are UUIDs; this leaves room for ids made of paths.
const ID_BYTES: usize = 512;

/// What the ids of buffers, and of what skills keep, begin with. No node of a buffer may take one of these.
const BUFFER_PREFIX: &str = "buffer:";
const SKILL_PREFIX: &str = "skill:";

/// The id of a memory object: not blank and at most 512 bytes, unless it is a buffer's own. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(Text);

impl ObjectId {
    /// The id `text` that a node claims. `field` names the place in errors.
    ///
    /// # Errors
    /// When it is blank, too long, or a buffer's.
    pub fn claimed(text: &Text, field: &str) -> Result<ObjectId, MemoryError> {
        let bad = |problem: String| MemoryError::BadId {
            field: field.to_owned(),
            problem,
        };
        if text.trim().is_empty() {
            return Err(bad("is blank; leave the key out, and the node gets an id".to_owned()));
        }
        if text.len() > ID_BYTES {
            return Err(bad(format!("has {} bytes; an id has at most {ID_BYTES}", text.len())));
        }
        if text.starts_with(BUFFER_PREFIX) {
            return Err(bad(format!(
                "begins with `{BUFFER_PREFIX}`, as only the ids of whole buffers do"
            )));
        }
        if text.starts_with(SKILL_PREFIX) {
            return Err(bad(format!(
                "begins with `{SKILL_PREFIX}`, as only the ids of what skills keep do"
            )));
        }
        Ok(ObjectId(text.clone()))
    }

    /// The id of what the skill `skill` keeps under its own name `id`: no skill reaches another's, nor a buffer's.
    pub(super) fn of_skill(skill: &str, id: &str) -> ObjectId {
        ObjectId(format!("{SKILL_PREFIX}{skill}:{id}").into())
    }

    /// The id of the object that stands for the whole buffer at `path`.
    pub fn of_buffer(path: &str) -> ObjectId {
        ObjectId(format!("{BUFFER_PREFIX}{path}").into())
    }

    /// The id that is made for a node without one, from a digest of what tells it from others.
    pub(super) fn derived(digest: Digest) -> ObjectId {
        ObjectId(format!("auto:{}", hex::encode(&digest.bytes()[..16])).into())
    }

    /// The id that `text` is, to look it up.
    pub(super) fn known(text: &str) -> ObjectId {
        ObjectId(text.into())
    }

    /// The text of the id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectId({:?})", &*self.0)
    }
}

/// The attributes of an object, sorted by key, each key in upper case and there once. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes(Arc<[(Text, Form)]>);

impl Attributes {
    /// The attributes that a plist holds. `field` names it in errors.
    ///
    /// # Errors
    /// When it is no plist, or has a key twice.
    pub fn from_plist(form: &Form, field: &str) -> Result<Attributes, MemoryError> {
        form.check_plist(field)?;
        let mut pairs: Vec<(Text, Form)> = form
            .pairs()
            .map(|(key, value)| (key.to_uppercase().into(), value.clone()))
            .collect();
        pairs.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Attributes(pairs.into()))
    }

    /// The value of `key`, which is given in upper case.
    pub fn get(&self, key: &str) -> Option<&Form> {
        self.0
            .binary_search_by(|(own, _)| (**own).cmp(key))
            .ok()
            .map(|at| &self.0[at].1)
    }

    /// Keys and values, sorted by key.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Form)> {
        self.0.iter().map(|(key, value)| (&**key, value))
    }
}

/// Where an object came from. Only the host sets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An editor's buffer, by its path.
    Buffer(Text),
    /// A skill, by its name.
    Skill {
        /// Its name.
        name: Text,
        /// Whether it had read something from outside the workspace when it kept the object.
        tainted: bool,
    },
}

impl Origin {
    /// The path of the buffer, or the name of the skill.
    pub fn name(&self) -> &Text {
        match self {
            Origin::Buffer(path) => path,
            Origin::Skill { name, .. } => name,
        }
    }

    /// Whether the object holds what came from outside the workspace.
    pub fn is_tainted(&self) -> bool {
        matches!(self, Origin::Skill { tainted: true, .. })
    }
}

/// Where an object stands in its tree. Both neighbours are kept, so that what surrounds an object is found without
/// looking through all the children of its parent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The object it is a child of; none for a buffer.
    pub parent: Option<ObjectId>,
    /// The sibling before it.
    pub previous: Option<ObjectId>,
    /// The sibling after it.
    pub next: Option<ObjectId>,
}

/// One node of the memex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its id.
    pub id: ObjectId,
    /// What it is, such as `HEADLINE`.
    pub kind: Name,
    /// Its attributes.
    pub attributes: Attributes,
    /// Its own text, without that of its children.
    pub content: Text,
    /// Where it stands.
    pub place: Place,
    /// Its children, in order.
    pub children: Arc<[ObjectId]>,
    /// The number of the change that last touched what the object itself says. It only grows, and is never given to
    /// two states of one object, even after a rollback.
    pub version: u64,
    /// The Merkle hash: of the object and all that is below it.
    pub hash: Digest,
    /// Where it came from.
    pub origin: Origin,
    /// The privacy tags that the object itself bears. What is below such an object is as private as it is.
    pub privacy: Arc<[Text]>,
}

impl Object {
    /// What a person would call it: its title, else the first line of its text, else the name of where it came from.
    pub fn title(&self) -> &str {
        title(&self.attributes, &self.content).unwrap_or_else(|| self.origin.name())
    }
}

/// The title of a node with these attributes and this text, if it has one.
pub(super) fn title<'a>(attributes: &'a Attributes, content: &'a str) -> Option<&'a str> {
    let said = attributes
        .get("TITLE")
        .and_then(Form::as_str)
        .map(str::trim)
        .filter(|title| !title.is_empty());
    said.or_else(|| content.lines().map(str::trim).find(|line| !line.is_empty()))
}
