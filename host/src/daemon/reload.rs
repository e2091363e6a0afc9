//! The models, configured anew while the daemon runs.
//!
//! Whoever may write the operator's files may change who is asked; nothing that comes over the wire can. A file that
//! can't be used changes nothing, and it is said so. Only what concerns models is taken up: the rest counts from the next
//! start on.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::config::{Config, ConfigFault, Home, ModelConfig, Variables};
use crate::model::Cascade;
use crate::vault::{self, Vault};

/// How often the files are looked at. One is read once it has not changed for as long: an editor may be half-way.
const LOOK: Duration = Duration::from_secs(1);

/// The variable that stands above the file's cascade.
const CASCADE: &str = "PROVIDER_CASCADE";

/// What keeps the models as the operator's files have them.
pub(super) struct Reload {
    home: Home,
    /// The variables of the process, which stand above the environment file.
    process: Variables,
    cascade: Arc<Cascade>,
    vault: Arc<Vault>,
    store: vault::Store,
    /// What was wrong with the configuration from the start on.
    at_start: Vec<ConfigFault>,
    state: Mutex<State>,
}

struct State {
    /// What is in use.
    model: ModelConfig,
    /// What is wrong with it all the same.
    faults: Vec<ConfigFault>,
    /// The files that can't be used, as they looked from outside, and why.
    refused: Option<(Stamps, String)>,
}

impl Reload {
    /// Of a daemon that was started with `config`, whose models have these `faults`.
    pub(super) fn new(
        config: &Config,
        process: Variables,
        cascade: Arc<Cascade>,
        vault: Arc<Vault>,
        faults: Vec<ConfigFault>,
    ) -> Reload {
        Reload {
            home: config.home.clone(),
            process,
            cascade,
            vault,
            store: super::vault_store(config),
            at_start: config.faults.clone(),
            state: Mutex::new(State {
                model: config.model.clone(),
                faults,
                refused: None,
            }),
        }
    }

    /// What is configured, and in use.
    pub(super) fn model(&self) -> ModelConfig {
        self.state().model.clone()
    }

    /// What is wrong with it.
    pub(super) fn faults(&self) -> Vec<ConfigFault> {
        self.state().faults.clone()
    }

    /// The variables of the process.
    pub(super) fn process(&self) -> &Variables {
        &self.process
    }

    /// The variables as they hold now, those of the environment's file among them. Blocks.
    pub(super) fn variables(&self) -> Variables {
        Config::load(self.home.clone(), &self.process).1
    }

    /// The names of the secrets in the vault. Blocks.
    pub(super) fn secrets(&self) -> Vec<String> {
        self.vault.names().unwrap_or_default()
    }

    /// Why the files as they are now are not in use, where that is so.
    pub(super) fn refused(&self) -> Option<String> {
        let (stamps, why) = self.state().refused.clone()?;
        // What has changed since is yet to be read.
        (stamps == self.stamps()).then_some(why)
    }

    /// Looks at the files until `stop`.
    pub(super) async fn watch(self: Arc<Reload>, stop: CancellationToken) {
        let (mut read, mut before) = (None, None);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
            let now = self.stamps();
            let quiet = before.as_ref() == Some(&now);
            before = Some(now.clone());
            if !quiet || read.as_ref() == Some(&now) {
                continue;
            }
            read = Some(now.clone());
            let own = self.clone();
            if let Err(error) = tokio::task::spawn_blocking(move || own.look(now)).await {
                tracing::error!("the configuration could not be looked at: {error}");
            }
        }
    }

    /// Reads the files, which look like this from outside, and takes up what they say of models. Blocks.
    fn look(&self, stamps: Stamps) {
        let (mut config, variables) = Config::load(self.home.clone(), &self.process);
        let mut state = self.state();
        if state.model.given {
            config.model.only(state.model.cascade.clone());
        }
        let faults = super::complete_providers(&mut config, &variables);
        config.add_faults(faults);
        let new: Vec<&ConfigFault> = config
            .faults
            .iter()
            .filter(|fault| !self.at_start.contains(fault))
            .collect();
        if !new.is_empty() {
            state.refuse(stamps, &new);
            return;
        }
        if config.model == state.model {
            state.refused = None;
            return;
        }
        // Before anybody can send or repeat them.
        let is_new = !config.model.says_the_same(&state.model);
        let keys = config.model.providers.values().filter_map(|own| own.key.as_ref());
        self.vault.also(keys.map(|key| key.0.clone()));
        match self.cascade.renew(&config.model, &state.faults) {
            Ok(faults) => {
                *state = State {
                    model: config.model,
                    faults,
                    refused: None,
                };
                let why = match (state.model.given, self.process.contains_key(CASCADE)) {
                    (true, _) => ", as it was given at the start",
                    (false, true) => ", as PROVIDER_CASCADE says, which stands above the file",
                    (false, false) => "",
                };
                // Lines that have moved are no news.
                if is_new {
                    tracing::info!(
                        "the models were configured anew: the cascade is {}{why}",
                        self.cascade.names().join(", ")
                    );
                }
            }
            Err(faults) => state.refuse(stamps, &faults.iter().collect::<Vec<&ConfigFault>>()),
        }
    }

    fn stamps(&self) -> Stamps {
        let seen = |name: &str| stamp(&self.home.config.join(name));
        (seen("config.toml"), seen("env"), self.store.stamp())
    }

    /// A poisoned lock only means that a thread died over it: what is in use is still what is in use.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn refuse(&mut self, stamps: Stamps, faults: &[&ConfigFault]) {
        let all: Vec<String> = faults.iter().map(ToString::to_string).collect();
        let text = format!(
            "the configuration changed and can't be used, so that the models stay as they were: {}",
            all.join("; ")
        );
        if self.refused.as_ref().is_none_or(|(_, before)| *before != text) {
            tracing::error!("{text}");
        }
        self.refused = Some((stamps, text));
    }
}

/// What the files look like from outside.
type Stamps = (Option<FileStamp>, Option<FileStamp>, vault::Stamp);

type FileStamp = (u64, u64, u64, i64, i64, u32);

fn stamp(path: &Path) -> Option<FileStamp> {
    let about = std::fs::metadata(path).ok()?;
    Some((
        about.dev(),
        about.ino(),
        about.len(),
        about.ctime(),
        about.ctime_nsec(),
        about.mode(),
    ))
}
