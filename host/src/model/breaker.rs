//! The breaker: after some failures in a row a provider rests for a while.
//!
//! It lives inside the cascade, one a provider, so that a dead one is not waited for again and again. It only changes
//! the order: who rests is asked last, never not at all, so that a cascade of one still recovers the moment its
//! provider does.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// When a provider rests, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreakerPolicy {
    /// Failures in a row after which it rests.
    pub failures: u32,
    /// How long.
    pub rest: Duration,
}

impl BreakerPolicy {
    /// Two failures can be chance, three in a row rarely are; half a minute is about what a server takes to restart.
    pub const DEFAULT: BreakerPolicy = BreakerPolicy {
        failures: 3,
        rest: Duration::from_secs(30),
    };
}

/// How a provider stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is asked in its turn.
    Ready,
    /// It rests until then.
    Resting {
        /// What is left of its rest.
        remaining: Duration,
    },
    /// Its rest is over, and nobody has found out yet whether it works again.
    Due,
    /// Its rest is over, and one request is finding out whether it works again.
    Probing,
}

#[derive(Debug)]
pub(super) struct Breaker {
    policy: BreakerPolicy,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    failures: u32,
    rests_until: Option<Instant>,
    probing: bool,
}

/// The right to ask a provider in its turn. Dropping it without a word (a cancelled request) ends a probe unanswered.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    breaker: &'a Breaker,
    probe: bool,
}

impl Breaker {
    pub(super) fn new(policy: BreakerPolicy) -> Breaker {
        Breaker {
            policy,
            state: Mutex::default(),
        }
    }

    /// The right to ask now, in turn; none while the provider rests or another request probes it.
    pub(super) fn turn(&self) -> Option<Turn<'_>> {
        let mut state = self.state();
        match state.rests_until {
            None => Some(Turn {
                breaker: self,
                probe: false,
            }),
            Some(until) if Instant::now() >= until && !state.probing => {
                state.probing = true;
                Some(Turn {
                    breaker: self,
                    probe: true,
                })
            }
            Some(_) => None,
        }
    }

    /// The right to ask although it rests: nobody else is left.
    pub(super) fn last_resort(&self) -> Turn<'_> {
        Turn {
            breaker: self,
            probe: false,
        }
    }

    pub(super) fn standing(&self) -> Standing {
        let state = self.state();
        match state.rests_until {
            None => Standing::Ready,
            Some(_) if state.probing => Standing::Probing,
            Some(until) => match until.checked_duration_since(Instant::now()) {
                Some(remaining) if !remaining.is_zero() => Standing::Resting { remaining },
                _ => Standing::Due,
            },
        }
    }

    /// A poisoned lock only means that a thread died between two plain assignments: the numbers are still good.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn<'_> {
    /// It answered: all is forgiven.
    pub(super) fn answered(self) {
        let mut state = self.breaker.state();
        state.failures = 0;
        state.rests_until = None;
    }

    /// It failed, and the fault is its own.
    pub(super) fn failed(self) {
        let mut state = self.breaker.state();
        state.failures = state.failures.saturating_add(1);
        if state.failures >= self.breaker.policy.failures {
            state.rests_until = Instant::now().checked_add(self.breaker.policy.rest);
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.probe {
            self.breaker.state().probing = false;
        }
    }
}
