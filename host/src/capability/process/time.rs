//! How long a look through a workspace may take. How much there is to be looked at is a command's to choose, and who waits
//! for it is a person, or a daemon that is to begin or to end.

use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Most that a look takes, whatever for.
const MOST: Duration = Duration::from_secs(60);
/// The same where commands ended before the daemon began, which listens to nobody meanwhile.
const AT_START: Duration = Duration::from_secs(10);
/// How long what a command left is looked for although the turn was stopped: it is owed otherwise.
const GRACE: Duration = Duration::from_secs(5);

/// What bounds the looks for one command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing<'a> {
    /// How long the command may take.
    pub(super) timeout: Duration,
    pub(super) cancel: &'a CancellationToken,
}

impl<'a> Timing<'a> {
    /// For the look before it, from now: at most half of its time, so that something is left for itself.
    pub(super) fn before(self) -> Time<'a> {
        Time::new(MOST.min(self.timeout / 2), Some(self.cancel), Duration::ZERO)
    }

    /// For the look after it, or after those before it, from now.
    pub(super) fn after(self) -> Time<'a> {
        Time::new(MOST, Some(self.cancel), GRACE)
    }
}

/// Until when one look may go on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Time<'a> {
    begun: Instant,
    long: Duration,
    cancel: Option<&'a CancellationToken>,
    /// So long nothing is cancelled.
    grace: Duration,
}

impl<'a> Time<'a> {
    fn new(long: Duration, cancel: Option<&'a CancellationToken>, grace: Duration) -> Time<'a> {
        Time {
            begun: Instant::now(),
            long,
            cancel,
            grace,
        }
    }

    /// So long from now, and nothing else ends it.
    #[cfg(test)]
    pub(super) fn of(long: Duration) -> Time<'a> {
        Time::new(long, None, Duration::ZERO)
    }

    /// For the look before a daemon begins, from now.
    pub(super) fn at_start() -> Time<'a> {
        Time::new(AT_START, None, Duration::ZERO)
    }

    /// As long again, from now.
    pub(super) fn again(self) -> Time<'a> {
        Time::new(self.long, self.cancel, self.grace)
    }

    /// Whether the turn was stopped.
    pub(super) fn is_cancelled(self) -> bool {
        self.cancel.is_some_and(CancellationToken::is_cancelled)
    }

    /// Whether the look must end.
    pub(super) fn is_over(self) -> bool {
        let elapsed = self.begun.elapsed();
        elapsed >= self.long || elapsed >= self.grace && self.is_cancelled()
    }
}
