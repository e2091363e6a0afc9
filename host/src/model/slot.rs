//! One provider's place among the others: its breaker, and how it has done.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use super::breaker::{Breaker, BreakerPolicy, Standing};
use super::meter::Figure;
use super::{Consumed, Provider, ProviderError, Usage};

/// A provider, and what is remembered of it.
pub(super) struct Slot {
    pub(super) provider: Arc<dyn Provider>,
    pub(super) breaker: Breaker,
    record: Mutex<Record>,
}

#[derive(Clone, Debug, Default)]
struct Record {
    asked: bool,
    answers: u64,
    failures: u64,
    last_failure: Option<(SystemTime, ProviderError)>,
    failed_last: bool,
    passed_over: u64,
    last_passed_over: Option<(SystemTime, ProviderError)>,
    usage: Usage,
    /// Whether it has told more tokens than can be.
    told_impossible: bool,
}

/// How one provider has done, for `status` and `doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderStatus {
    /// Its name.
    pub name: String,
    /// The model it asks, where there is one.
    pub model: Option<String>,
    /// Whether it is asked in its turn.
    pub state: ProviderState,
    /// Whether it can work as it is configured.
    pub is_usable: bool,
    /// Whether it was asked since the start.
    pub is_asked: bool,
    /// How often it answered since the start.
    pub answers: u64,
    /// How often it was asked since the start and failed.
    pub failures: u64,
    /// When it failed last, and why.
    pub last_failure: Option<(SystemTime, ProviderError)>,
    /// Whether it failed when it was asked last, whoever is to blame.
    pub failed_last: bool,
    /// How often it was passed over since the start, and never heard of the question.
    pub passed_over: u64,
    /// When that was last, and why.
    pub last_passed_over: Option<(SystemTime, ProviderError)>,
    /// What it was asked and what it answered, together, as far as it said so.
    pub usage: Usage,
}

/// Whether a provider is asked in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderState {
    /// It is.
    Ready,
    /// It failed several times in a row and is asked after all others.
    Resting {
        /// What is left of its rest.
        remaining: Duration,
    },
    /// Its rest is over, and the next request will find out whether it works again.
    Due,
    /// Its rest is over, and one request is finding out whether it works again.
    Probing,
}

impl Slot {
    pub(super) fn new(provider: Arc<dyn Provider>, policy: BreakerPolicy) -> Slot {
        Slot {
            provider,
            breaker: Breaker::new(policy),
            record: Mutex::default(),
        }
    }

    pub(super) fn name(&self) -> &str {
        self.provider.name()
    }

    pub(super) fn answered(&self) {
        let mut record = self.record();
        record.answers += 1;
        record.failed_last = false;
    }

    /// It was asked: adds what that cost, whether or not it answered. What can't be true is left out, and said once.
    pub(super) fn consumed(&self, consumed: Consumed) {
        let figures = [consumed.asked(), consumed.answered()];
        let [input, output] = figures.map(|figure| match figure {
            Figure::Tokens(told) => told,
            Figure::Untold | Figure::Impossible => 0,
        });
        let mut record = self.record();
        record.asked = true;
        record.usage.input_tokens = record.usage.input_tokens.saturating_add(input);
        record.usage.output_tokens = record.usage.output_tokens.saturating_add(output);
        if figures.contains(&Figure::Impossible) && !record.told_impossible {
            record.told_impossible = true;
            tracing::warn!(
                provider = self.name(),
                input = consumed.input_tokens,
                output = consumed.output_tokens,
                "it tells more tokens than can be: what was put aside, or came, counts in their place; this is said once"
            );
        }
    }

    /// It was not asked, for which it can't be blamed.
    pub(super) fn passed_over(&self, cause: &ProviderError) {
        let mut record = self.record();
        record.passed_over += 1;
        record.last_passed_over = Some((SystemTime::now(), cause.clone()));
    }

    pub(super) fn failed(&self, cause: &ProviderError) {
        let mut record = self.record();
        record.failures += 1;
        record.failed_last = true;
        record.last_failure = Some((SystemTime::now(), cause.clone()));
    }

    pub(super) fn status(&self) -> ProviderStatus {
        let record = self.record().clone();
        ProviderStatus {
            name: self.name().to_owned(),
            model: self.provider.model().map(str::to_owned),
            state: match self.breaker.standing() {
                Standing::Ready => ProviderState::Ready,
                Standing::Resting { remaining } => ProviderState::Resting { remaining },
                Standing::Due => ProviderState::Due,
                Standing::Probing => ProviderState::Probing,
            },
            is_usable: self.provider.is_usable(),
            is_asked: record.asked,
            answers: record.answers,
            failures: record.failures,
            last_failure: record.last_failure,
            failed_last: record.failed_last,
            passed_over: record.passed_over,
            last_passed_over: record.last_passed_over,
            usage: record.usage,
        }
    }

    /// A poisoned lock only means that a thread died between two plain assignments: the numbers are still good.
    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
