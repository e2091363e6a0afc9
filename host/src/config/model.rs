//! What is configured of models: the cascade, the providers in it, and the bounds on both.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::{Places, Secret};

/// Models.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelConfig {
    /// The providers in the order in which they are tried: names of `providers`, `offline`, or `script:FILE`.
    pub cascade: Vec<String>,
    /// Providers by name.
    pub providers: BTreeMap<String, ProviderConfig>,
    /// How long to wait for a connection.
    pub connect_timeout: Duration,
    /// How long to wait for the first byte of an answer.
    pub first_byte_timeout: Duration,
    /// How long an answer that has begun may fall silent.
    pub idle_timeout: Duration,
    /// How long one answer may take.
    pub answer_timeout: Duration,
    /// How long the whole cascade may take.
    pub total_timeout: Duration,
    /// Longest answer, in bytes.
    pub answer_bytes: usize,
    /// Longest answer in the provider's own tokens: told to it, and put aside before it is asked.
    pub answer_tokens: u64,
    /// Longest that a server's Retry-After is waited for.
    pub retry_after_cap: Duration,
    /// Where nobody answered: the pause before those are asked once more that failed for a reason which may pass. By chance
    /// it is up to half as much longer.
    pub retry_pause: Duration,
    /// Which questions go to other providers, or to the same in another order. The first rule that holds counts, in the
    /// order of their names.
    pub select: BTreeMap<String, SelectRule>,
    /// Who must agree where consensus is needed, whether or not they are in the cascade. The one that proposed counts as one
    /// of them.
    pub consulted: Vec<String>,
    /// Whether the cascade was given at the start, so that the file's counts for nothing.
    pub given: bool,
    /// The file in which an operator sets all this, to be told to whoever has not yet.
    pub file: PathBuf,
    /// Where all this stands.
    pub places: Places,
}

/// To whom questions of a kind go. All that it names must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectRule {
    /// The sensor of the signal that the turn began with, in upper case.
    pub sensor: Option<String>,
    /// The skill that claimed the turn's first question, by its prompt or on the heartbeat, or which asks for itself.
    pub skill: Option<String>,
    /// The question is longer than this, in bytes of text.
    pub longer_than_bytes: Option<usize>,
    /// The providers in the order in which they are tried.
    pub cascade: Vec<String>,
}

/// What a server speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Chat completions, as OpenAI has them and nearly everybody else.
    #[default]
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

/// One server that answers over HTTP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderConfig {
    /// Up to and without `/chat/completions` or `/messages`, such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// What it speaks; where that is left open, what the well-known provider of its name speaks, else chat completions.
    pub dialect: Option<Dialect>,
    /// The model's name.
    pub model: String,
    /// The environment variable that holds the key, if one is needed.
    pub key_variable: Option<String>,
    /// The name of the secret in the vault that is the key, where it must come from there.
    pub key_secret: Option<String>,
    /// The key itself, read from that secret, that variable, or the secret of that variable's name at start. Never
    /// printed.
    pub key: Option<Secret>,
    /// Where that was found, where it was looked for.
    pub key_place: Option<KeyPlace>,
}

/// Where the key of a provider is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPlace {
    /// In the environment file, or the environment.
    Variable,
    /// In the vault.
    Vault,
}

impl ProviderConfig {
    /// Whether it is asked with a key, and there is none.
    pub fn lacks_key(&self) -> bool {
        self.key.is_none() && (self.key_secret.is_some() || self.key_variable.is_some())
    }
}

impl ModelConfig {
    /// Asks these providers and no others, whatever the file says.
    pub fn only(&mut self, cascade: Vec<String>) {
        self.cascade = cascade;
        self.select.clear();
        self.given = true;
        self.places.overrule("model.cascade", "--provider");
    }

    /// Every provider that any question may go to, each once, in order.
    pub fn names(&self) -> Vec<&String> {
        let mut names: Vec<&String> = Vec::new();
        for name in self
            .cascade
            .iter()
            .chain(self.select.values().flat_map(|rule| &rule.cascade))
            .chain(&self.consulted)
        {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The defaults, which `file` changes: nobody is configured, so that `offline` answers.
    pub(super) fn defaults(file: PathBuf) -> ModelConfig {
        ModelConfig {
            cascade: vec!["offline".to_owned()],
            providers: BTreeMap::new(),
            connect_timeout: Duration::from_secs(5),
            first_byte_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(30),
            answer_timeout: Duration::from_secs(120),
            total_timeout: Duration::from_secs(180),
            answer_bytes: 1 << 20,
            // What a model of today can write in one go; what it thinks counts too.
            answer_tokens: 16_384,
            retry_after_cap: Duration::from_secs(20),
            // What a server takes to drop a connection and take up the next.
            retry_pause: Duration::from_secs(1),
            select: BTreeMap::new(),
            consulted: Vec::new(),
            given: false,
            file,
            places: Places::default(),
        }
    }
}
