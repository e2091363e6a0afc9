//! The standing approval that a person means: by its id, or by the beginning of it.

use super::{StandingError, StandingStore};
use crate::gate::approval::{SHORTEST, as_kept, is_of_digits};

impl StandingStore {
    /// The id of the one that `id` names, or begins, in small letters or capitals.
    ///
    /// # Errors
    /// When there is none, or several.
    pub fn named(&self, id: &str) -> Result<String, StandingError> {
        let id = as_kept(id);
        if !is_of_digits(&id) {
            return Err(StandingError::NoId { id });
        }
        if id.len() < SHORTEST {
            return Err(StandingError::TooShort { id });
        }
        let ids = self.list(0).map(|own| &own.id);
        let matching: Vec<String> = ids.filter(|own| own.starts_with(&id)).cloned().collect();
        let exact = matching.iter().find(|own| **own == id);
        match (exact, matching.as_slice()) {
            (Some(own), _) | (None, [own]) => Ok(own.clone()),
            (None, []) => Err(StandingError::NoSuchApproval { id }),
            (None, _) => Err(StandingError::Ambiguous { id, matching }),
        }
    }
}
