//! What macro forms stand for, remembered so that a loop does not expand its body each time round. Forms are told apart
//! by their place in the heap; so everything is forgotten at each collection, and when a macro is defined anew.

use crate::value::{ObjectId, Value};

/// How many expansions are remembered; a form takes the place of an older one with the same remainder.
const PLACES: usize = 1024;

/// Forms and their expansions.
#[derive(Debug, Default)]
pub(super) struct Expansions(Vec<Option<(ObjectId, Value)>>);

impl Expansions {
    /// The expansion of a form, if it is remembered.
    pub(super) fn get(&self, form: ObjectId) -> Option<Value> {
        let (known, expansion) = self.0.get(form.0 as usize % PLACES).copied().flatten()?;
        (known == form).then_some(expansion)
    }

    /// Remembers an expansion.
    pub(super) fn insert(&mut self, form: ObjectId, expansion: Value) {
        self.0.resize(PLACES, None);
        self.0[form.0 as usize % PLACES] = Some((form, expansion));
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
