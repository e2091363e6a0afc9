//! How much is looked up elsewhere for one survey. What there is to be looked up is a command's to choose: it can write
//! words into scripts, and make work trees and repositories for each of them to be looked for in.

use std::cell::Cell;

/// Most lookups of one survey: each is about one call to the kernel for a path.
const MOST: usize = 300_000;
/// How long a path is of which one counts as one, in bytes: what was found is kept.
const A_PATH: usize = 256;

/// What is left of them.
#[derive(Debug)]
pub(super) struct Lookups {
    left: Cell<usize>,
    /// As how many one counts.
    each: Cell<usize>,
    short: Cell<bool>,
}

impl Default for Lookups {
    fn default() -> Lookups {
        Lookups::of(MOST)
    }
}

impl Lookups {
    pub(super) fn of(most: usize) -> Lookups {
        Lookups {
            left: Cell::new(most),
            each: Cell::new(1),
            short: Cell::new(false),
        }
    }

    /// That the next ones are about paths of up to so many bytes.
    pub(super) fn weigh(&self, longest: usize) {
        self.each.set(1 + longest / A_PATH);
    }

    /// Takes so many, before they are made. Where there are not as many left, there are none from then on.
    #[must_use]
    pub(super) fn take(&self, count: usize) -> bool {
        let left = self.left.get().checked_sub(count.saturating_mul(self.each.get()));
        self.left.set(left.unwrap_or(0));
        if left.is_none() {
            self.fall_short();
        }
        left.is_some()
    }

    /// That something is not looked up, for whatever reason.
    pub(super) fn fall_short(&self) {
        self.short.set(true);
    }

    /// Whether something was not looked up since this was last asked.
    pub(super) fn fell_short(&self) -> bool {
        self.short.replace(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_paths_count_for_several() {
        let lookups = Lookups::of(100);
        assert!(lookups.take(40) && !lookups.fell_short());
        lookups.weigh(A_PATH * 9);
        assert!(lookups.take(6) && !lookups.take(1) && lookups.fell_short());
        lookups.weigh(0);
        assert!(!lookups.take(1));
    }
}
