//! What compiling a skill may take.

use std::time::Duration;

/// What looking into a file and compiling it may take, each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileLimits {
    /// Time of all processors together, in whole seconds.
    pub time: Duration,
    /// Memory, in bytes.
    pub memory: u64,
}

impl CompileLimits {
    /// Ten times as long, and four times as much, as the heaviest took that compilers made: Python's and JavaScript's
    /// interpreters, of 9 and 13 MB.
    pub const DEFAULT: CompileLimits = CompileLimits {
        time: Duration::from_secs(60),
        memory: 2 << 30,
    };
}
