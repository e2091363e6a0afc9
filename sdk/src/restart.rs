//! What a skill with the right to recover chooses after a cycle failed.

use std::fmt;

use crate::plist::Plist;

/// How the loop goes on after a failed cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Restart {
    /// Drops the signal and goes on with the next.
    SkipSignal,
    /// Answers the user with this text instead.
    UseFallback(String),
    /// Tries the same signal again; twice at most.
    Retry,
    /// Ends the turn.
    AbortPipeline,
}

impl fmt::Display for Restart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let restart = |name| Plist::new().keyword("restart", name);
        match self {
            Restart::SkipSignal => restart("skip-signal"),
            Restart::UseFallback(text) => restart("use-fallback").text("text", text),
            Restart::Retry => restart("retry"),
            Restart::AbortPipeline => restart("abort-pipeline"),
        }
        .fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restarts_print_as_the_host_reads_them() {
        assert_eq!(Restart::SkipSignal.to_string(), "(:RESTART :SKIP-SIGNAL)");
        let fallback = Restart::UseFallback("Try later.".to_owned());
        assert_eq!(fallback.to_string(), r#"(:RESTART :USE-FALLBACK :TEXT "Try later.")"#);
        assert_eq!(Restart::AbortPipeline.to_string(), "(:RESTART :ABORT-PIPELINE)");
    }
}
