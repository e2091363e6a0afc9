//! What can go wrong with a model, told apart by what a caller does next.
//!
//! Every text is fit to be shown to a person: it says what happened and what to do, and holds no key.

use std::fmt;
use std::time::Duration;

use super::BudgetError;
use super::status::{Asked, in_words};
use crate::config::KeyPlace;

/// Why one provider did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// Something took too long.
    #[error("{stage} took longer than {}", seconds(*.after))]
    Timeout {
        /// What did.
        stage: TimeoutStage,
        /// The bound.
        after: Duration,
    },
    /// No connection could be made.
    #[error("no connection to {address}: {problem}; is the server running, and is its `base_url` right?")]
    Unreachable {
        /// Scheme, host and port.
        address: String,
        /// The cause, as the system gives it.
        problem: String,
    },
    /// The connection ended in the middle of the answer.
    #[error("the connection ended before the answer did: {problem}")]
    Closed {
        /// The cause, as far as it is known.
        problem: String,
    },
    /// The server answered with an error.
    #[error("the server answered {}{}{}", in_words(*.code, .asked.as_ref()), detail(.message), wish(*.retry_after))]
    Status {
        /// The HTTP status.
        code: u16,
        /// What the server said about it, shortened.
        message: String,
        /// How long it asks to wait.
        retry_after: Option<Duration>,
        /// Where it was asked; not told where it had begun to answer.
        asked: Option<Asked>,
    },
    /// The server wants a key, another key, or money.
    #[error("the server answered {}: {}", in_words(*.code, None), key_remedy(.key_variable.as_deref(), *.place))]
    Unauthorised {
        /// The HTTP status: 401, 402 or 403.
        code: u16,
        /// The variable, or the secret in the vault, that holds the key.
        key_variable: Option<String>,
        /// Where it was found, if that is known.
        place: Option<KeyPlace>,
    },
    /// A key is needed and there is none, so nothing was sent.
    #[error(
        "it needs a key and {variable} is not set; put `{variable}=…` into the environment file (config/env), or run \
         `passepartout-host vault set {variable}`"
    )]
    NoKey {
        /// The variable that would hold it.
        variable: String,
    },
    /// Its key should be in the vault and is not, so nothing was sent.
    #[error(
        "its key should be the secret `{name}`, which the vault does not have; run `passepartout-host vault set {name}`"
    )]
    NoSecret {
        /// The name of the secret.
        name: String,
    },
    /// An answer without text.
    #[error("the answer was empty")]
    Empty,
    /// An answer that is not whole.
    #[error("the answer was cut off: {reason}")]
    CutOff {
        /// Why.
        reason: String,
    },
    /// A web page where an answer belongs.
    #[error("the answer is a web page and no JSON; does `base_url` end where the interface begins, as in …/v1?")]
    Html,
    /// Something else that is no answer.
    #[error("the answer can't be read: {problem}")]
    NotJson {
        /// What was wrong with it.
        problem: String,
    },
    /// An answer that passed the bound while it was read.
    #[error("the answer is longer than {limit} bytes; `model.answer_bytes` raises that bound")]
    TooLarge {
        /// The bound, in bytes.
        limit: usize,
    },
    /// A script has no answer left.
    #[error("the script {file} is exhausted: its {answers} answers have all been given")]
    Exhausted {
        /// The file.
        file: String,
        /// How many answers it held.
        answers: usize,
    },
    /// The provider can't work as it is configured.
    #[error("{problem}; {remedy}")]
    Misconfigured {
        /// What is wrong.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// It takes no bound on its answer, and a budget bounds what one may cost.
    #[error(
        "it takes no bound of {tokens} tokens on its answer, so that no budget can bound what one costs; lower \
         `model.answer_tokens` if its model has less room, or ask it where no budget is bounded"
    )]
    Unlimited {
        /// The bound.
        tokens: u64,
    },
    /// It may cost more than is left, so nothing was sent.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// The cascade's time was over before this provider's turn came.
    #[error("not asked, because the {} for all providers together were over", seconds(*.after))]
    NotAsked {
        /// The bound.
        after: Duration,
    },
}

/// What is worth doing about a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It may have passed in a moment: the same provider is worth asking once more.
    Again,
    /// It will be the same again: only another provider is worth asking.
    Next,
}

/// What took too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeoutStage {
    /// Making the connection.
    Connect,
    /// Waiting for the first byte of the answer.
    FirstByte,
    /// A silence inside the answer.
    Idle,
    /// The answer as a whole.
    Whole,
    /// All providers together.
    Cascade,
}

impl fmt::Display for TimeoutStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TimeoutStage::Connect => "connecting",
            TimeoutStage::FirstByte => "the first byte of the answer",
            TimeoutStage::Idle => "a silence in the middle of the answer",
            TimeoutStage::Whole => "the answer",
            TimeoutStage::Cascade => "asking all providers together",
        })
    }
}

impl ProviderError {
    /// How long to wait before this provider is worth asking again, where it said so itself.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            ProviderError::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// What kind of failure it is, in words that are all the host's own.
    pub fn kind(&self) -> &'static str {
        match self {
            ProviderError::Timeout { .. } => "it took too long",
            ProviderError::Unreachable { .. } => "there is no connection to it",
            ProviderError::Closed { .. } => "the connection to it ended early",
            ProviderError::Status { .. } => "its server answered with an error",
            ProviderError::Unauthorised { .. } => "its server wants a key, another key, or money",
            ProviderError::NoKey { .. } | ProviderError::NoSecret { .. } => "it has no key",
            ProviderError::Empty => "its answer was empty",
            ProviderError::CutOff { .. } => "its answer was cut off",
            ProviderError::Html | ProviderError::NotJson { .. } => "its answer can't be read",
            ProviderError::TooLarge { .. } => "its answer is too long",
            ProviderError::Exhausted { .. } => "its script is exhausted",
            ProviderError::Misconfigured { .. } => "it is not configured right",
            ProviderError::Unlimited { .. } => "it takes no bound on its answer",
            ProviderError::Budget(_) => "it may cost more than is left",
            ProviderError::NotAsked { .. } => "the time for all of them was over",
        }
    }

    /// What is worth doing about it.
    pub fn class(&self) -> Class {
        match self {
            ProviderError::Unreachable { .. } | ProviderError::Closed { .. } | ProviderError::Empty => Class::Again,
            ProviderError::Status {
                code: 408 | 425 | 429 | 500 | 502 | 503 | 504 | 529,
                ..
            } => Class::Again,
            // Whoever has been waited for until a bound is not waited for once more.
            ProviderError::Timeout { .. }
            | ProviderError::Status { .. }
            | ProviderError::Unauthorised { .. }
            | ProviderError::NoKey { .. }
            | ProviderError::NoSecret { .. }
            | ProviderError::CutOff { .. }
            | ProviderError::Html
            | ProviderError::NotJson { .. }
            | ProviderError::TooLarge { .. }
            | ProviderError::Exhausted { .. }
            | ProviderError::Misconfigured { .. }
            | ProviderError::Unlimited { .. }
            // Another one may cost less, or nothing.
            | ProviderError::Budget(_)
            | ProviderError::NotAsked { .. } => Class::Next,
        }
    }

    /// Whether the provider was passed over, and never heard of the question.
    pub fn is_unasked(&self) -> bool {
        matches!(self, ProviderError::Budget(_) | ProviderError::NotAsked { .. })
    }

    /// Whether it can have cost nothing: the question left for nobody, or it was refused before it was worked on.
    pub fn costs_nothing(&self) -> bool {
        matches!(
            self,
            ProviderError::Unlimited { .. }
                | ProviderError::Unreachable { .. }
                | ProviderError::Timeout {
                    stage: TimeoutStage::Connect,
                    ..
                }
                | ProviderError::NoKey { .. }
                | ProviderError::NoSecret { .. }
                | ProviderError::Misconfigured { .. }
                | ProviderError::Exhausted { .. }
                | ProviderError::Unauthorised { .. }
                // As RFC 9110 has them: refused for the question, the place, what it would cost, or how many there were.
                | ProviderError::Status {
                    code: 400 | 402 | 404 | 405 | 413 | 415 | 422 | 429,
                    ..
                }
        )
    }

    /// Whether the question left for somebody who may still answer it, though nobody waits for that.
    pub fn leaves_open(&self) -> bool {
        matches!(self, ProviderError::Timeout { .. }) && !self.costs_nothing()
    }

    /// Whether the fault lies with the provider and not with what it was asked: only such faults make it rest.
    pub fn blames_provider(&self) -> bool {
        let is_of_the_question = matches!(
            self,
            ProviderError::CutOff { .. }
                | ProviderError::TooLarge { .. }
                // It may well answer a question that no budget bounds.
                | ProviderError::Unlimited { .. }
                | ProviderError::Status {
                    code: 400 | 413 | 422,
                    ..
                }
        );
        !is_of_the_question && !self.is_unasked()
    }
}

/// One provider's failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Its name.
    pub provider: String,
    /// Why it did not answer.
    pub cause: ProviderError,
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.provider, self.cause)
    }
}

/// No provider of the cascade answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LlmError {
    /// The provider that was asked last; none where all were passed over.
    pub provider: Option<String>,
    /// The providers in their order.
    pub cascade: Vec<String>,
    /// Every failure, in the order in which they came. A provider that was asked twice is here twice.
    pub attempts: Vec<Attempt>,
    /// Why what the operator has written meanwhile is not in use, where that is so.
    pub unused: Option<String>,
}

impl std::error::Error for LlmError {}

impl fmt::Display for LlmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.cascade.is_empty() {
            f.write_str(
                "No model can answer, because none is configured. Set `model.cascade` in config.toml or \
                 PROVIDER_CASCADE, for example to `ollama` or `offline`.",
            )?;
            return self.fmt_unused(f);
        }
        f.write_str("No model answered.")?;
        for (at, attempt) in self.attempts.iter().enumerate() {
            if self.attempts.iter().take(at).any(|before| before == attempt) {
                continue;
            }
            write!(f, "\n- {attempt}")?;
            let times = self.attempts.iter().filter(|other| *other == attempt).count();
            if times > 1 {
                write!(f, " (asked {times} times)")?;
            }
        }
        self.fmt_unused(f)?;
        f.write_str("\n`passepartout-host doctor` shows what each of them said last; ask again once one works.")
    }
}

impl LlmError {
    /// Whoever mended what is told above, and mistyped it, would find no fault in what the old one says.
    fn fmt_unused(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.unused {
            Some(why) => write!(f, "\nBesides, {why}"),
            None => Ok(()),
        }
    }
}

fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 10.0 {
        format!("{} s", (seconds * 100.0).round() / 100.0)
    } else {
        format!("{seconds:.0} s")
    }
}

fn detail(message: &str) -> String {
    if message.is_empty() {
        String::new()
    } else {
        format!(": {message}")
    }
}

fn wish(retry_after: Option<Duration>) -> String {
    retry_after
        .map(|wait| format!("; it asks to wait {}", seconds(wait)))
        .unwrap_or_default()
}

fn key_remedy(variable: Option<&str>, place: Option<KeyPlace>) -> String {
    match (variable, place) {
        (Some(variable), Some(KeyPlace::Variable)) => format!(
            "check the key in {variable}, which config/env or the environment sets (it goes before one in the vault), and \
             the account it belongs to"
        ),
        (Some(name), Some(KeyPlace::Vault)) => format!(
            "check the key in {name}, which is in the vault (`passepartout-host vault set {name}` replaces it), and the \
             account it belongs to"
        ),
        (Some(name), None) => format!(
            "check the key in {name} (`passepartout-host vault set {name}` replaces one in the vault), and the account it \
             belongs to"
        ),
        (None, _) => "it wants a key; name its variable as `key_variable` of this provider".to_owned(),
    }
}
