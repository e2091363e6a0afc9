//! From what a provider was made, so that one whose configuration has not changed stays the one it is.

use crate::config::{ModelConfig, Places, ProviderConfig};

/// From what a provider was made.
#[derive(Clone, PartialEq)]
pub(super) enum Recipe {
    /// From its name alone: `offline`, or a script, which goes on where it stands.
    Name(String),
    /// From its name, its own configuration, and the bounds of all.
    Remote(String, ProviderConfig, Box<ModelConfig>),
}

impl Recipe {
    /// Of the server `name`.
    pub(super) fn remote(name: &str, own: &ProviderConfig, config: &ModelConfig) -> Recipe {
        let bounds = ModelConfig {
            cascade: Vec::new(),
            providers: std::collections::BTreeMap::new(),
            select: std::collections::BTreeMap::new(),
            consulted: Vec::new(),
            places: Places::default(),
            ..config.clone()
        };
        Recipe::Remote(name.to_owned(), own.clone(), Box::new(bounds))
    }
}
