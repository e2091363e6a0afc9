//! What the daemon lends to capabilities, the same for every turn.
//!
//! Made once by whoever puts the rooms together. A capability that needs a room further left, such as the models, gets
//! it from here as a trait.

use crate::config::{Home, Secret};

/// Everything that is lent.
pub struct Services {
    /// The folders of this daemon: where the workspace is, and what is not to be touched.
    pub home: Home,
    /// Who knows the secrets that requests may carry.
    pub secrets: Box<dyn SecretsForHosts>,
}

/// Who knows secrets, and where each may go.
pub trait SecretsForHosts: Send + Sync {
    /// The value of the secret `name`, to be sent to `host` (as a URL has it, without port).
    ///
    /// # Errors
    /// In words for the operator: there is none of that name, it may not go there, or it can't be read.
    fn for_host(&self, name: &str, host: &str) -> Result<Secret, String>;
}

/// No secrets at all.
pub struct NoSecrets;

impl SecretsForHosts for NoSecrets {
    fn for_host(&self, name: &str, _: &str) -> Result<Secret, String> {
        Err(format!("there is no secret named `{name}`"))
    }
}
