//! What the daemon lends to capabilities, the same for every turn.
//!
//! Made once by whoever puts the rooms together. A capability that needs a room further left, such as the models, gets
//! it from here as a trait.

use std::sync::{Arc, Mutex};

use super::Failure;
use super::effects::Turn;
use super::schedule::Schedule;
use crate::config::{Home, Secret};
use crate::memory::Memory;
use crate::vault::Vault;

/// Everything that is lent.
pub struct Services {
    /// The folders of this daemon: where the workspace is, and what is not to be touched.
    pub home: Home,
    /// The operator's patterns of what nobody may touch (`dispatcher.protected`).
    pub protected: Vec<String>,
    /// Who knows the secrets that requests may carry.
    pub secrets: Box<dyn SecretsForHosts>,
    /// The vault, where there is one.
    pub vault: Option<Arc<Vault>>,
    /// The memory.
    pub memory: Arc<Mutex<Memory>>,
    /// The models.
    pub models: Box<dyn Models>,
    /// What happens later, where anything can.
    pub schedule: Option<Arc<Schedule>>,
}

impl Services {
    /// The services of a daemon that has its folders and an empty memory, and nothing else to lend.
    pub fn bare(home: Home) -> Services {
        Services {
            home,
            protected: Vec::new(),
            secrets: Box::new(NoSecrets),
            vault: None,
            memory: Arc::default(),
            models: Box::new(NoModels),
            schedule: None,
        }
    }
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

impl SecretsForHosts for Arc<Vault> {
    fn for_host(&self, name: &str, host: &str) -> Result<Secret, String> {
        match self.reveal_for(name, host) {
            Ok(value) => Ok(Secret(value.to_string())),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Who can be asked for a text.
pub trait Models: Send + Sync {
    /// The answer to `prompt`, which the skill `skill` asks in `turn` and at the cost of its session, or whatever kept
    /// everybody from answering. Blocks, until the turn is stopped at the latest, and belongs on a thread that may wait.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] where nobody can be asked, [`Failure::Failed`] where nobody answered.
    fn ask(&self, skill: &str, turn: &Turn, prompt: &str) -> Result<String, Failure>;
}

/// No model at all.
pub struct NoModels;

impl Models for NoModels {
    fn ask(&self, _: &str, _: &Turn, _: &str) -> Result<String, Failure> {
        Err(Failure::Unavailable("there is no model here".to_owned()))
    }
}
