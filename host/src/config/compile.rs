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
    /// Some four times what a JavaScript engine of 12 MB took, the heaviest that a compiler had made: 83 s by a host that is not
    /// optimised, and 410 MB.
    pub const DEFAULT: CompileLimits = CompileLimits {
        time: Duration::from_secs(300),
        memory: 2 << 30,
    };
}
