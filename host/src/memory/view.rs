//! What memory holds at one moment, to be read without holding up those who write.
//!
//! What is private, or stands below something that is, is not there: neither found nor named.

use super::object::{Object, ObjectId, Origin};
use super::outline;
use super::store::Store;
use crate::plist;
use crate::sexp::{Form, kw};

/// Memory at one moment. Cheap to make; keeps what it shows alive.
#[derive(Clone, Debug)]
pub struct View(Store);

impl View {
    pub(super) fn new(store: Store) -> View {
        View(store)
    }

    /// The object with the id `id`, unless it is private.
    pub fn get(&self, id: &str) -> Option<&Object> {
        self.open(self.0.get(&ObjectId::known(id))?)
    }

    /// The objects whose title, attributes or text contain `text`, without regard to case, the last changed first, and
    /// at most `most`. Looks at every object; `go_on` is asked from time to time whether to.
    pub fn search(&self, text: &str, most: usize, go_on: impl Fn() -> bool) -> Vec<&Object> {
        let wanted = text.to_lowercase();
        let mut found: Vec<&Object> = Vec::new();
        for (at, object) in self.0.iter().enumerate() {
            if at % 1_024 == 1_023 && !go_on() {
                return Vec::new();
            }
            if says(object, &wanted) && self.open(object).is_some() {
                found.push(object);
            }
        }
        found.sort_unstable_by(|one, other| other.version.cmp(&one.version).then_with(|| one.id.cmp(&other.id)));
        found.truncate(most);
        found
    }

    /// The object as a plist: `(:ID … :TYPE … :ATTRIBUTES (…) :CONTENT … :PARENT … :CHILDREN (…) :VERSION … :HASH …
    /// :ORIGIN …)`.
    pub fn to_form(&self, object: &Object) -> Form {
        let attributes = object.attributes.iter().map(|(key, value)| (key, value.clone()));
        let shown = |id: &&ObjectId| self.0.get(id).is_some_and(|child| child.privacy.is_empty());
        let children: Vec<Form> = object
            .children
            .iter()
            .filter(shown)
            .map(|id| id.as_str().into())
            .collect();
        let origin = match &object.origin {
            Origin::Buffer(path) => plist!("BUFFER" => path.clone()),
            Origin::Skill { name, tainted } => plist!("SKILL" => name.clone(), "TAINTED" => *tainted),
        };
        let form = plist!(
            "ID" => object.id.as_str(), "TYPE" => kw(&object.kind), "ATTRIBUTES" => Form::plist(attributes),
            "CONTENT" => object.content.clone(),
        );
        let form = match &object.place.parent {
            Some(parent) => form.with("PARENT", parent.as_str()),
            None => form,
        };
        form.with("CHILDREN", children)
            .with("VERSION", object.version)
            .with("HASH", object.hash.to_string())
            .with("ORIGIN", origin)
    }

    /// The object, if neither it nor anything above it is private.
    fn open<'a>(&'a self, object: &'a Object) -> Option<&'a Object> {
        outline::above(&self.0, object).map(|_| object)
    }
}

/// Whether the object says `wanted`, which is in lower case.
fn says(object: &Object, wanted: &str) -> bool {
    object.content.to_lowercase().contains(wanted)
        || object.attributes.iter().any(|(_, value)| contains(value, wanted))
}

fn contains(form: &Form, wanted: &str) -> bool {
    match form {
        Form::String(text) | Form::Pathname(text) => text.to_lowercase().contains(wanted),
        Form::Keyword(name) | Form::Symbol(name) => name.to_lowercase().contains(wanted),
        Form::Number(number) => number.text().contains(wanted),
        Form::List(items) | Form::Vector(items) => items.iter().any(|item| contains(item, wanted)),
        Form::Dotted(items, tail) => items.iter().any(|item| contains(item, wanted)) || contains(tail, wanted),
        Form::Nil | Form::Char(_) => false,
    }
}
