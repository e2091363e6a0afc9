//! The standing approval that a person means: by its id, or by the beginning of it.

use super::{StandingError, StandingStore};
use crate::gate::approval::SHORTEST;

impl StandingStore {
    /// The id of the one that `id` names, or begins.
    ///
    /// # Errors
    /// When there is none, or several.
    pub fn named(&self, id: &str) -> Result<String, StandingError> {
        let ids = self.list(0).map(|own| &own.id);
        let matching: Vec<String> = ids.filter(|own| own.starts_with(id)).cloned().collect();
        let is_one = |own: &String| own == id || id.len() >= SHORTEST && matching.len() == 1;
        if let Some(own) = matching.iter().find(|own| is_one(own)) {
            return Ok(own.clone());
        }
        let id = id.to_owned();
        match matching.len() > 1 && id.len() >= SHORTEST {
            true => Err(StandingError::Ambiguous { id, matching }),
            false => Err(StandingError::NoSuchApproval { id }),
        }
    }
}
