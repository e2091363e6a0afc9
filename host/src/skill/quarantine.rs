//! Skills that fail again and again are left alone for a while, longer each time.
//!
//! Nobody waits for a skill that traps on every call, and one that recovers is found out by a single call. Each of its
//! functions is counted by itself: a mandate that goes well says nothing of an `act` that does not. Another file begins with a
//! clean slate. What a gate judges never counts: whoever could quarantine a gate by what it is asked about could switch it
//! off.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::describe::Function;
use crate::gate::GateFault;

/// Faults in a row after which a skill is left alone.
const IN_A_ROW: u32 = 3;

/// How long at first; doubled each time.
const FIRST: Duration = Duration::from_secs(10);

/// How long at most: whoever mends what it was about should not wait for hours.
const LONGEST: Duration = Duration::from_secs(600);

/// Whether one version of a skill is left alone, and until when.
#[derive(Debug, Default)]
pub(super) struct Quarantine(Mutex<BTreeMap<Function, Record>>);

#[derive(Debug, Default)]
struct Record {
    in_a_row: u32,
    times: u32,
    /// When it was last said until when, and until when.
    since: Option<Instant>,
    until: Option<Instant>,
    reason: String,
}

/// Why a skill is not asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LeftAlone {
    /// What its last call failed with.
    pub(super) reason: String,
    /// How much longer.
    pub(super) left: Duration,
}

impl fmt::Display for LeftAlone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "it failed again and again, the last time because it {}; it is left alone for {} s more, or until another \
             build of it takes its place",
            self.reason,
            self.left.as_secs() + 1
        )
    }
}

impl Quarantine {
    /// Whether the skill is left alone at `now`. Once the time is over, the next call is the one that finds out.
    pub(super) fn check(&self, now: Instant) -> Option<LeftAlone> {
        let records = self.records();
        let lasting = records.values().filter_map(|record| {
            let left = record.until?.checked_duration_since(now)?;
            (!left.is_zero()).then_some((left, record))
        });
        let (left, record) = lasting.max_by_key(|(left, _)| *left)?;
        Some(LeftAlone {
            reason: record.reason.clone(),
            left,
        })
    }

    /// Notes how a call of this function that had `begun` then has ended: with a fault, or well. One that failed beside others
    /// was no try that should have known better.
    pub(super) fn note(&self, function: Function, fault: Option<&GateFault>, begun: Instant) {
        self.note_at(function, fault, begun, Instant::now());
    }

    fn note_at(&self, function: Function, fault: Option<&GateFault>, begun: Instant, now: Instant) {
        let mut records = self.records();
        let reason = match fault {
            None => return drop(records.remove(&function)),
            // What the host had no room for, or a person stopped, is no fault of the skill's.
            Some(GateFault::Unavailable { .. }) => return,
            Some(fault) => fault.to_string(),
        };
        let record = records.entry(function).or_default();
        if record.since.is_some_and(|since| begun < since) {
            return;
        }
        record.in_a_row = record.in_a_row.saturating_add(1);
        if record.in_a_row >= IN_A_ROW {
            let time = FIRST.saturating_mul(1 << record.times.min(16)).min(LONGEST);
            record.times = record.times.saturating_add(1);
            record.since = Some(now);
            record.until = now.checked_add(time);
            record.reason = reason;
        }
    }

    fn records(&self) -> MutexGuard<'_, BTreeMap<Function, Record>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trap(reason: &str) -> GateFault {
        GateFault::Trap {
            reason: reason.to_owned(),
        }
    }

    fn left(quarantine: &Quarantine, now: Instant) -> Option<u64> {
        quarantine.check(now).map(|alone| alone.left.as_secs())
    }

    #[test]
    fn the_third_fault_in_a_row_quarantines_and_each_failed_try_doubles_the_time() {
        let (quarantine, begin) = (Quarantine::default(), Instant::now());
        quarantine.note_at(Function::Act, Some(&trap("trap")), begin, begin);
        quarantine.note_at(Function::Act, Some(&trap("trap")), begin, begin);
        assert_eq!(left(&quarantine, begin), None);
        quarantine.note_at(Function::Act, Some(&trap("trap")), begin, begin);
        assert_eq!(left(&quarantine, begin), Some(10));
        let over = begin + Duration::from_secs(10);
        assert_eq!(left(&quarantine, over), None, "the next call finds out");
        quarantine.note_at(Function::Act, Some(&trap("trap again")), over, over);
        assert_eq!(left(&quarantine, over), Some(20));
        assert_eq!(
            quarantine.check(over).map(|alone| alone.reason),
            Some(trap("trap again").to_string())
        );
        for _ in 0..40 {
            quarantine.note_at(Function::Act, Some(&trap("trap")), over, over);
        }
        assert_eq!(left(&quarantine, over), Some(LONGEST.as_secs()));
    }

    #[test]
    fn one_call_that_goes_well_begins_a_clean_slate() {
        let (quarantine, begin) = (Quarantine::default(), Instant::now());
        for _ in 0..4 {
            quarantine.note_at(Function::Act, Some(&trap("trap")), begin, begin);
        }
        let over = begin + LONGEST;
        quarantine.note_at(Function::Act, None, begin, begin);
        quarantine.note_at(Function::Act, Some(&trap("trap")), over, over);
        quarantine.note_at(Function::Act, Some(&trap("trap")), over, over);
        assert_eq!(left(&quarantine, over), None);
        quarantine.note_at(Function::Act, Some(&trap("trap")), over, over);
        assert_eq!(left(&quarantine, over), Some(10));
    }

    #[test]
    fn faults_with_good_calls_between_them_quarantine_nothing() {
        let (quarantine, begin) = (Quarantine::default(), Instant::now());
        for _ in 0..20 {
            quarantine.note_at(Function::Act, Some(&trap("trap")), begin, begin);
            quarantine.note_at(Function::Act, Some(&trap("trap")), begin, begin);
            quarantine.note_at(Function::Act, None, begin, begin);
        }
        assert_eq!(left(&quarantine, begin), None);
    }

    #[test]
    fn what_another_function_does_well_says_nothing_of_the_one_that_fails() {
        let (quarantine, begin) = (Quarantine::default(), Instant::now());
        for _ in 0..3 {
            quarantine.note_at(Function::Mandate, None, begin, begin);
            quarantine.note_at(Function::Act, Some(&trap("trap")), begin, begin);
        }
        assert_eq!(left(&quarantine, begin), Some(10), "the whole skill is left alone");
        quarantine.note_at(Function::Mandate, None, begin, begin);
        let over = begin + Duration::from_secs(10);
        quarantine.note_at(Function::Act, Some(&trap("trap")), over, over);
        assert_eq!(left(&quarantine, over), Some(20));
    }

    #[test]
    fn calls_that_fail_side_by_side_are_one_failed_try() {
        let (quarantine, begin) = (Quarantine::default(), Instant::now());
        let end = begin + Duration::from_secs(1);
        for _ in 0..8 {
            quarantine.note_at(Function::Act, Some(&trap("trap")), begin, end);
        }
        assert_eq!(left(&quarantine, end), Some(10));
        let over = end + Duration::from_secs(10);
        quarantine.note_at(Function::Act, Some(&trap("trap")), over, over);
        assert_eq!(left(&quarantine, over), Some(20));
    }
}
