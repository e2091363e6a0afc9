//! What is configured of models: the cascade, the providers in it, and the bounds on both.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Secret;

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
    /// Longest answer in the provider's own tokens, for providers that must be told.
    pub answer_tokens: u64,
    /// Longest that a server's Retry-After is waited for.
    pub retry_after_cap: Duration,
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
}

impl ModelConfig {
    /// The defaults: nobody is configured, so that `offline` answers.
    pub(super) fn defaults() -> ModelConfig {
        ModelConfig {
            cascade: vec!["offline".to_owned()],
            providers: BTreeMap::new(),
            connect_timeout: Duration::from_secs(5),
            first_byte_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(30),
            answer_timeout: Duration::from_secs(120),
            total_timeout: Duration::from_secs(180),
            answer_bytes: 1 << 20,
            // What every model that must be told can write in one go.
            answer_tokens: 8_192,
            retry_after_cap: Duration::from_secs(20),
        }
    }
}
