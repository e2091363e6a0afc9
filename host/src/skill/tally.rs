//! What happened with a skill so far, for `skill list`: calls, faults, how long they took, how much memory they had.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hdrhistogram::Histogram;

/// Longest call that is told from longer ones: more than any bound allows.
const LONGEST: Duration = Duration::from_secs(600);

/// Counts of one version of a skill.
#[derive(Debug)]
pub(super) struct Tally {
    calls: Mutex<Calls>,
    memory: AtomicU64,
}

#[derive(Debug)]
struct Calls {
    all: u64,
    faults: u64,
    in_a_row: u64,
    last_fault: Option<String>,
    /// In microseconds, to two digits. Nothing if it could not be made, which its constant bounds rule out.
    times: Option<Histogram<u32>>,
}

impl Default for Tally {
    fn default() -> Tally {
        let longest = u64::try_from(LONGEST.as_micros()).unwrap_or(u64::MAX);
        Tally {
            calls: Mutex::new(Calls {
                all: 0,
                faults: 0,
                in_a_row: 0,
                last_fault: None,
                times: Histogram::new_with_bounds(1, longest, 2).ok(),
            }),
            memory: AtomicU64::new(0),
        }
    }
}

/// What was counted, at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls.
    pub calls: u64,
    /// Calls that failed: trapped, or hit a bound.
    pub faults: u64,
    /// How many of the last calls, one after the other, failed.
    pub in_a_row: u64,
    /// What the last call that failed did, in words that follow "it".
    pub last_fault: Option<String>,
    /// Most memory that one instance had, in bytes.
    pub memory: u64,
    /// Half of the calls took no longer, in microseconds. Nothing before the first.
    pub p50_us: Option<u64>,
    /// Of a hundred calls 99 took no longer, in microseconds. Nothing before the first.
    pub p99_us: Option<u64>,
}

impl Tally {
    /// Counts one call that took `time`, and perhaps failed.
    pub(super) fn count(&self, time: Duration, fault: Option<String>) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.all += 1;
        match fault {
            None => calls.in_a_row = 0,
            Some(fault) => {
                calls.faults += 1;
                calls.in_a_row += 1;
                calls.last_fault = Some(fault);
            }
        }
        if let Some(times) = &mut calls.times {
            times.saturating_record(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
        }
    }

    /// Remembers how much memory an instance had, if it is the most so far.
    pub(super) fn saw_memory(&self, bytes: u64) {
        // It seldom is, and looking costs less.
        if bytes > self.memory.load(Ordering::Relaxed) {
            self.memory.fetch_max(bytes, Ordering::Relaxed);
        }
    }

    /// What was counted so far.
    pub(super) fn counts(&self) -> Counts {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let quantile = |share: f64| {
            let times = calls.times.as_ref()?;
            (!times.is_empty()).then(|| times.value_at_quantile(share))
        };
        Counts {
            calls: calls.all,
            faults: calls.faults,
            in_a_row: calls.in_a_row,
            last_fault: calls.last_fault.clone(),
            memory: self.memory.load(Ordering::Relaxed),
            p50_us: quantile(0.5),
            p99_us: quantile(0.99),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_calls_and_all_but_one_of_a_hundred_are_told_to_two_digits() {
        let tally = Tally::default();
        assert_eq!(tally.counts(), Counts::default());
        for micros in 1..=100 {
            let fault = (micros > 98).then(|| format!("trapped in call {micros}"));
            tally.count(Duration::from_micros(micros), fault);
        }
        let counts = tally.counts();
        assert_eq!((counts.calls, counts.faults, counts.in_a_row), (100, 2, 2));
        assert_eq!(counts.last_fault.as_deref(), Some("trapped in call 100"));
        assert_eq!((counts.p50_us, counts.p99_us), (Some(50), Some(99)));
    }

    #[test]
    fn a_call_that_goes_well_ends_a_row_of_faults_and_forgets_no_fault() {
        let tally = Tally::default();
        for fault in [Some("trapped".to_owned()), None] {
            tally.count(Duration::ZERO, fault);
        }
        let counts = tally.counts();
        assert_eq!((counts.faults, counts.in_a_row), (1, 0));
        assert_eq!(counts.last_fault.as_deref(), Some("trapped"));
    }

    #[test]
    fn a_call_longer_than_any_bound_counts_as_the_longest() {
        let tally = Tally::default();
        tally.count(Duration::from_secs(1_000_000), None);
        let longest = tally.counts().p50_us.unwrap_or_default();
        assert!(longest >= 600_000_000, "{longest}");
    }
}
