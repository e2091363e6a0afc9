//! The cascade: providers in order, until one answers.
//!
//! This is the one place that tries again: a provider waits for nobody and repeats nothing itself. Every failure is
//! logged with its cause and kept for `status`; the whole takes no longer than `total_timeout`; when all are exhausted
//! the caller gets every cause, never a panic and never silence. What is configured can be exchanged at any time: a
//! question is answered by those who were there when it was asked.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use super::breaker::{BreakerPolicy, Turn};
use super::line::{Line, Pace};
use super::slot::{ProviderStatus, Slot};
use super::{
    Answer, Attempt, Class, Estimate, Heard, LlmError, Meter, ModelRequest, Provider, ProviderError, Purse,
    TimeoutStage, Unbounded,
};
use crate::sexp::is_blank;

/// How often one provider that asks to wait is waited for within one request. A second refusal after a wait it chose
/// itself says that it is overloaded: the next one is asked.
const WAITS: u32 = 1;

/// How much longer than it should be a wait may become by chance, as a part of it. Clients that were refused at the same
/// moment must not come back at the same moment.
const JITTER: f64 = 0.5;

/// The providers, as they are configured now.
pub struct Cascade {
    line: RwLock<Arc<Line>>,
    /// Whether the last question that somebody was asked got no answer.
    exhausted: AtomicBool,
    purse: Arc<dyn Purse>,
    unused: OnceLock<Unused>,
}

/// Says why what is configured now is not in use, where that is so.
type Unused = Box<dyn Fn() -> Option<String> + Send + Sync>;

impl Cascade {
    /// These providers in this order, asked in the manner of `pace`.
    pub fn new(providers: impl IntoIterator<Item = Arc<dyn Provider>>, pace: Pace, policy: BreakerPolicy) -> Cascade {
        Cascade::over(Line::new(providers, pace, policy))
    }

    pub(super) fn over(line: Line) -> Cascade {
        Cascade {
            line: RwLock::new(Arc::new(line)),
            exhausted: AtomicBool::new(false),
            purse: Arc::new(Unbounded),
            unused: OnceLock::new(),
        }
    }

    /// Has whoever gets no answer told what `why` says then: why what the operator has changed meanwhile is not in use. What
    /// is said first stays.
    pub fn tell_unused(&self, why: impl Fn() -> Option<String> + Send + Sync + 'static) {
        let _ = self.unused.set(Box::new(why));
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
        self.line().names()
    }

    /// How each provider has done.
    pub fn status(&self) -> Vec<ProviderStatus> {
        self.line().slots().iter().map(|slot| slot.status()).collect()
    }

    /// Whether the last question that somebody was asked got no answer, whoever is to blame. It stays so until one is
    /// answered: that time has passed proves nothing.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted.load(Ordering::Relaxed)
    }

    pub(super) fn line(&self) -> Arc<Line> {
        self.line.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn put(&self, line: Line) {
        *self.line.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(line);
    }

    /// Asks one after the other until one answers; where all failed, those once more that may have failed for a reason
    /// which passes. Dropping the future cancels whatever is in flight.
    ///
    /// # Errors
    /// When nobody answered: with every cause.
    pub async fn ask(&self, request: &ModelRequest) -> Result<Answer, LlmError> {
        let line = self.line();
        let outcome = self.through(&line, &line.order(request), request).await;
        match &outcome {
            Ok(_) => self.exhausted.store(false, Ordering::Relaxed),
            Err(error) => {
                // Whether it makes a provider rest is another question: who answers none is not well.
                if error.attempts.iter().any(|attempt| !attempt.cause.is_unasked()) {
                    self.exhausted.store(true, Ordering::Relaxed);
                }
                tracing::error!(attempts = error.attempts.len(), "no provider answered");
            }
        }
        outcome
    }

    /// Asks the provider `name` and no other, in the same manner.
    ///
    /// # Errors
    /// When it did not answer; without an attempt where there is no such provider, or a rule leaves it out.
    pub async fn ask_only(&self, name: &str, request: &ModelRequest) -> Result<Answer, LlmError> {
        let line = self.line();
        let own = line.only(name, request);
        self.through(&line, own.as_slice(), request).await
    }

    async fn through(&self, line: &Line, order: &[Arc<Slot>], request: &ModelRequest) -> Result<Answer, LlmError> {
        let mut asked = Asked {
            request,
            purse: &*self.purse,
            pace: line.pace(),
            deadline: Instant::now() + line.pace().total_timeout,
            attempts: Vec::new(),
        };
        match asked.all(order).await {
            Some(answer) => Ok(answer),
            None => {
                let cascade = order.iter().map(|slot| slot.name().to_owned()).collect();
                let unused = self.unused.get().and_then(|why| why());
                Err(asked.into_error(cascade, unused))
            }
        }
    }
}

/// One question on its way through the providers.
struct Asked<'a> {
    request: &'a ModelRequest,
    purse: &'a dyn Purse,
    pace: &'a Pace,
    deadline: Instant,
    attempts: Vec<Attempt>,
}

/// Which time it is that a provider is asked within one request.
#[derive(Clone, Copy, PartialEq)]
enum Round {
    First,
    Second,
}

/// What came of asking one provider.
enum Came {
    Answer(Answer),
    /// It failed for a reason that may pass, and has asked for no wait.
    Again,
    Next,
}

impl Asked<'_> {
    async fn all(&mut self, order: &[Arc<Slot>]) -> Option<Answer> {
        let (mut resting, mut again) = (Vec::new(), Vec::new());
        for slot in order {
            match slot.breaker.turn() {
                Some(turn) => match self.one(slot, turn, Round::First).await {
                    Came::Answer(answer) => return Some(answer),
                    Came::Again => again.push(slot),
                    Came::Next => {}
                },
                None => resting.push(slot),
            }
        }
        for slot in resting {
            match self.one(slot, slot.breaker.last_resort(), Round::First).await {
                Came::Answer(answer) => return Some(answer),
                Came::Again => again.push(slot),
                Came::Next => {}
            }
        }
        let pause = jittered(self.pace.retry_pause);
        if again.is_empty() || pause >= self.remaining() {
            return None;
        }
        tracing::info!(
            milliseconds = pause.as_millis() as u64,
            "all failed; asking again after a pause"
        );
        sleep(pause).await;
        for slot in again {
            match self.one(slot, slot.breaker.last_resort(), Round::Second).await {
                Came::Answer(answer) => return Some(answer),
                Came::Again | Came::Next => {}
            }
        }
        None
    }

    /// The one retry loop.
    async fn one(&mut self, slot: &Slot, turn: Turn<'_>, round: Round) -> Came {
        let name = slot.name();
        let mut waits = 0;
        loop {
            let remaining = self.remaining();
            if remaining.is_zero() {
                if round == Round::First {
                    let cause = ProviderError::NotAsked {
                        after: self.pace.total_timeout,
                    };
                    tracing::warn!(provider = name, %cause, "provider passed over");
                    slot.passed_over(&cause);
                    self.note(name, cause);
                }
                return Came::Next;
            }
            let cause = match self.pay(slot, remaining).await {
                Ok(answer) => {
                    turn.answered();
                    slot.answered();
                    return Came::Answer(answer);
                }
                Err(cause) => cause,
            };
            if cause.is_unasked() {
                tracing::warn!(provider = name, %cause, "provider passed over");
                slot.passed_over(&cause);
            } else {
                tracing::warn!(provider = name, %cause, "provider failed");
                slot.failed(&cause);
            }
            self.request.watch.hear(|| Heard::Failed {
                provider: name.to_owned(),
                cause: cause.to_string(),
            });
            self.note(name, cause.clone());
            match self.worthwhile_wait(&cause) {
                Some(wait) if waits < WAITS && round == Round::First => {
                    waits += 1;
                    tracing::info!(
                        provider = name,
                        milliseconds = wait.as_millis() as u64,
                        "waiting as it asked"
                    );
                    sleep(wait).await;
                }
                _ => {
                    // A question that is put twice counts once: the breaker is about questions.
                    if cause.blames_provider() && round == Round::First {
                        turn.failed();
                    }
                    return match cause.class() {
                        Class::Again if cause.retry_after().is_none() => Came::Again,
                        Class::Again | Class::Next => Came::Next,
                    };
                }
            }
        }
    }

    /// Asks once, within `remaining`, if it can be paid.
    async fn pay(&self, slot: &Slot, remaining: Duration) -> Result<Answer, ProviderError> {
        let request = self.request;
        let hold = match slot.provider.model() {
            Some(model) => {
                let estimate = Estimate {
                    model,
                    input_bytes: request.bytes(),
                    answer_tokens: slot.provider.answer_tokens(),
                };
                Some(self.purse.reserve(&request.payer, &estimate)?)
            }
            None => None,
        };
        request.watch.hear(|| Heard::Asking {
            provider: slot.name().to_owned(),
        });
        let bounded = slot
            .provider
            .model()
            .is_some_and(|model| self.purse.bounds(&request.payer, model));
        let meter = Meter::new(bounded);
        let outcome = match timeout(remaining, slot.provider.ask(request, &meter)).await {
            Ok(outcome) => outcome.and_then(refuse_blank),
            Err(_) => Err(ProviderError::Timeout {
                stage: TimeoutStage::Cascade,
                after: self.pace.total_timeout,
            }),
        };
        let consumed = meter.read();
        slot.consumed(consumed);
        if let Some(hold) = hold {
            match &outcome {
                Err(cause) if cause.costs_nothing() => self.purse.give_back(hold),
                Err(cause) if cause.leaves_open() => self.purse.spend(hold, consumed),
                _ => self.purse.settle(hold, consumed),
            }
        }
        outcome
    }

    /// The wait that the server asked for, if the cap and the time left allow it. What will fail again is not waited for.
    fn worthwhile_wait(&self, cause: &ProviderError) -> Option<Duration> {
        let (wait, cap) = (cause.retry_after()?, self.pace.retry_after_cap);
        if cause.class() != Class::Again || wait > cap {
            return None;
        }
        let wait = jittered(wait).min(cap);
        (wait < self.remaining()).then_some(wait)
    }

    fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    fn note(&mut self, provider: &str, cause: ProviderError) {
        self.attempts.push(Attempt {
            provider: provider.to_owned(),
            cause,
        });
    }

    fn into_error(self, cascade: Vec<String>, unused: Option<String>) -> LlmError {
        let asked = |attempt: &&Attempt| !attempt.cause.is_unasked();
        let last = self.attempts.iter().rev().find(asked);
        LlmError {
            provider: last.map(|attempt| attempt.provider.clone()),
            cascade,
            attempts: self.attempts,
            unused,
        }
    }
}

/// Holds every provider to what [`Answer`] promises.
fn refuse_blank(answer: Answer) -> Result<Answer, ProviderError> {
    if is_blank(&answer.text) && answer.calls.is_empty() {
        Err(ProviderError::Empty)
    } else {
        Ok(answer)
    }
}

/// `wait`, or a little more. Without a source of chance it is the wait itself, which only is less considerate.
fn jittered(wait: Duration) -> Duration {
    let chance = getrandom::u32().map_or(0.0, |chance| f64::from(chance) / f64::from(u32::MAX));
    wait.saturating_add(wait.mul_f64(JITTER * chance))
}
