//! Counts tests in what cargo prints: each `test result:` line, and the names of those that were ignored.

use std::fmt;

/// How many tests there were, summed over all binaries.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Passed.
    pub(crate) passed: u64,
    /// Failed.
    pub(crate) failed: u64,
    /// Not run, on their own wish.
    pub(crate) ignored: u64,
    /// The names of those.
    pub(crate) names: Vec<String>,
}

impl Tally {
    /// Counts one line of output.
    pub(crate) fn see(&mut self, line: &str) {
        if let Some(counts) = line.strip_prefix("test result: ") {
            for part in counts.split(['.', ';']).map(str::trim) {
                let Some((number, what)) = part.split_once(' ') else {
                    continue;
                };
                let Ok(number) = number.parse::<u64>() else { continue };
                match what {
                    "passed" => self.passed += number,
                    "failed" => self.failed += number,
                    "ignored" => self.ignored += number,
                    _ => {}
                }
            }
        } else if let Some((name, result)) = line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... "))
            && (result == "ignored" || result.starts_with("ignored, "))
        {
            self.names.push(name.to_owned());
        }
    }
}

/// The one line that other programs look for.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(output: &str) -> Tally {
        let mut tally = Tally::default();
        output.lines().for_each(|line| tally.see(line));
        tally
    }

    #[test]
    fn the_results_of_all_binaries_are_summed() {
        let sum = tally(
            "running 3 tests\ntest a ... ok\ntest b ... FAILED\n\
             test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 4 filtered out; finished in 0.01s\n\n\
             test result: ok. 40 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s\n",
        );
        assert_eq!(sum.to_string(), "41 passed, 1 failed");
        assert_eq!((sum.ignored, sum.names.len()), (0, 0));
    }

    #[test]
    fn ignored_tests_are_named_with_or_without_a_reason() {
        let sum = tally(
            "test slow::one ... ignored\ntest two ... ignored, needs a printer\ntest src/lib.rs - (line 6) ... ignored\n\
             test ignored_in_name ... ok\n\
             test result: ok. 1 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
        );
        assert_eq!(sum.ignored, 3);
        assert_eq!(sum.names, ["slow::one", "two", "src/lib.rs - (line 6)"]);
    }

    #[test]
    fn what_a_test_prints_is_not_counted() {
        assert_eq!(
            tally("5 passed; 3 failed\nthe test result: 4 passed\n"),
            Tally::default()
        );
    }
}
