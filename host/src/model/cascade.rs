//! The cascade: providers in order, until one answers.
//!
//! This is the one place that tries again: a provider waits for nobody and repeats nothing itself. Every failure is
//! logged with its cause and kept for `status`; the whole takes no longer than `total_timeout`; when all are exhausted
//! the caller gets every cause, never a panic and never silence.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::time::{Instant, sleep, timeout};

use super::breaker::{Breaker, BreakerPolicy, Standing, Turn};
use super::{
    Answer, Attempt, Heard, LlmError, ModelRequest, Provider, ProviderError, Purse, TimeoutStage, Unbounded,
};

/// How often one provider that asks to wait is waited for within one request. A second refusal after a wait it chose
/// itself says that it is overloaded: the next one is asked.
const WAITS: u32 = 1;

/// The providers in order.
pub struct Cascade {
    slots: Vec<Slot>,
    total_timeout: Duration,
    retry_after_cap: Duration,
    purse: Arc<dyn Purse>,
}

struct Slot {
    provider: Arc<dyn Provider>,
    breaker: Breaker,
    record: Mutex<Record>,
}

#[derive(Clone, Debug, Default)]
struct Record {
    answers: u64,
    failures: u64,
    last_failure: Option<(SystemTime, ProviderError)>,
}

/// How one provider has done, for `status` and `doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderStatus {
    /// Its name.
    pub name: String,
    /// Whether it is asked in its turn.
    pub state: ProviderState,
    /// How often it answered since the start.
    pub answers: u64,
    /// How often it failed since the start.
    pub failures: u64,
    /// When it failed last, and why.
    pub last_failure: Option<(SystemTime, ProviderError)>,
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
    /// Its rest is over, and one request is finding out whether it works again.
    Probing,
}

impl Cascade {
    /// These providers in this order. All of them together may take `total_timeout`; a wait that a server asks for is
    /// granted up to `retry_after_cap`.
    pub fn new(
        providers: impl IntoIterator<Item = Arc<dyn Provider>>,
        total_timeout: Duration,
        retry_after_cap: Duration,
        policy: BreakerPolicy,
    ) -> Cascade {
        let slots = providers
            .into_iter()
            .map(|provider| Slot {
                provider,
                breaker: Breaker::new(policy),
                record: Mutex::default(),
            })
            .collect();
        Cascade {
            slots,
            total_timeout,
            retry_after_cap,
            purse: Arc::new(Unbounded),
        }
    }

    /// The same, paid from `purse`.
    pub fn paid_from(self, purse: Arc<dyn Purse>) -> Cascade {
        Cascade { purse, ..self }
    }

    /// Who pays.
    pub fn purse(&self) -> &dyn Purse {
        &*self.purse
    }

    /// The providers' names in their order.
    pub fn names(&self) -> Vec<String> {
        self.slots.iter().map(|slot| slot.provider.name().to_owned()).collect()
    }

    /// How each provider has done.
    pub fn status(&self) -> Vec<ProviderStatus> {
        self.slots.iter().map(Slot::status).collect()
    }

    /// Asks one after the other until one answers. Dropping the future cancels whatever is in flight.
    ///
    /// # Errors
    /// When nobody answered: with every cause.
    pub async fn ask(&self, request: &ModelRequest) -> Result<Answer, LlmError> {
        let deadline = Instant::now() + self.total_timeout;
        let mut attempts = Vec::new();
        let mut resting = Vec::new();
        for slot in &self.slots {
            match slot.breaker.turn() {
                Some(turn) => {
                    if let Some(answer) = self.ask_one(slot, turn, request, deadline, &mut attempts).await {
                        return Ok(answer);
                    }
                }
                None => resting.push(slot),
            }
        }
        for slot in resting {
            let turn = slot.breaker.last_resort();
            if let Some(answer) = self.ask_one(slot, turn, request, deadline, &mut attempts).await {
                return Ok(answer);
            }
        }
        let provider = attempts
            .iter()
            .rev()
            .find(|attempt| !matches!(attempt.cause, ProviderError::NotAsked { .. }))
            .map(|attempt| attempt.provider.clone());
        let error = LlmError {
            provider,
            cascade: self.names(),
            attempts,
        };
        tracing::error!(attempts = error.attempts.len(), "no provider answered");
        Err(error)
    }

    /// The one retry loop.
    async fn ask_one(
        &self,
        slot: &Slot,
        turn: Turn<'_>,
        request: &ModelRequest,
        deadline: Instant,
        attempts: &mut Vec<Attempt>,
    ) -> Option<Answer> {
        let name = slot.provider.name();
        let mut waits = 0;
        loop {
            let remaining = deadline.saturating_duration_since(Instant::now());
            if remaining.is_zero() {
                let cause = ProviderError::NotAsked {
                    after: self.total_timeout,
                };
                tracing::warn!(provider = name, %cause, "provider skipped");
                attempts.push(Attempt {
                    provider: name.to_owned(),
                    cause,
                });
                return None;
            }
            request.watch.hear(|| Heard::Asking {
                provider: name.to_owned(),
            });
            let outcome = self.pay(slot, request, remaining).await;
            let cause = match outcome {
                Ok(answer) => {
                    turn.answered();
                    slot.record().answers += 1;
                    return Some(answer);
                }
                Err(cause) => cause,
            };
            tracing::warn!(provider = name, %cause, "provider failed");
            slot.failed(&cause);
            request.watch.hear(|| Heard::Failed {
                provider: name.to_owned(),
                cause: cause.to_string(),
            });
            attempts.push(Attempt {
                provider: name.to_owned(),
                cause: cause.clone(),
            });
            match self.worthwhile_wait(&cause, deadline) {
                Some(wait) if waits < WAITS => {
                    waits += 1;
                    tracing::info!(
                        provider = name,
                        milliseconds = wait.as_millis() as u64,
                        "waiting as it asked"
                    );
                    sleep(wait).await;
                }
                _ => {
                    if cause.blames_provider() {
                        turn.failed();
                    }
                    return None;
                }
            }
        }
    }

    /// Asks once, within `remaining`, if it can be paid.
    async fn pay(&self, slot: &Slot, request: &ModelRequest, remaining: Duration) -> Result<Answer, ProviderError> {
        let hold = match slot.provider.model() {
            Some(model) => Some(self.purse.reserve(&request.payer, model, request.bytes())?),
            None => None,
        };
        let outcome = match timeout(remaining, slot.provider.ask(request)).await {
            Ok(outcome) => outcome.and_then(refuse_blank),
            Err(_) => Err(ProviderError::Timeout {
                stage: TimeoutStage::Cascade,
                after: self.total_timeout,
            }),
        };
        if let Some(hold) = hold {
            self.purse.settle(hold, outcome.as_ref().ok());
        }
        outcome
    }

    /// The wait that the server asked for, if the cap and the time left allow it.
    fn worthwhile_wait(&self, cause: &ProviderError, deadline: Instant) -> Option<Duration> {
        let wait = cause.retry_after()?;
        let remaining = deadline.saturating_duration_since(Instant::now());
        (wait <= self.retry_after_cap && wait < remaining).then_some(wait)
    }
}

/// Holds every provider to what [`Answer`] promises.
fn refuse_blank(answer: Answer) -> Result<Answer, ProviderError> {
    if answer.text.trim().is_empty() && answer.calls.is_empty() {
        Err(ProviderError::Empty)
    } else {
        Ok(answer)
    }
}

impl Slot {
    fn failed(&self, cause: &ProviderError) {
        let mut record = self.record();
        record.failures += 1;
        record.last_failure = Some((SystemTime::now(), cause.clone()));
    }

    fn status(&self) -> ProviderStatus {
        let record = self.record().clone();
        ProviderStatus {
            name: self.provider.name().to_owned(),
            state: match self.breaker.standing() {
                Standing::Ready => ProviderState::Ready,
                Standing::Resting { remaining } => ProviderState::Resting { remaining },
                Standing::Probing => ProviderState::Probing,
            },
            answers: record.answers,
            failures: record.failures,
            last_failure: record.last_failure,
        }
    }

    /// A poisoned lock only means that a thread died between two plain assignments: the numbers are still good.
    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
