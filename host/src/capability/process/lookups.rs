//! How much is looked up elsewhere for one survey. What there is to be looked up is a command's to choose: it can write
//! words into scripts, and make work trees and repositories for each of them to be looked for in.

use std::cell::Cell;

/// Most lookups of one survey: each is about one call to the kernel for a path.
const MOST: usize = 300_000;

/// What is left of them.
#[derive(Debug)]
pub(super) struct Lookups {
    left: Cell<usize>,
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
            short: Cell::new(false),
        }
    }

    /// Takes so many, before they are made. Where there are not as many left, there are none from then on.
    #[must_use]
    pub(super) fn take(&self, count: usize) -> bool {
        let left = self.left.get().checked_sub(count);
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
