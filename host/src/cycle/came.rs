//! What the host itself saw come of an action, told to people beside whatever a model says of it.

use super::Core;
use super::session::Session;
use crate::context::cut;
use crate::signal::frames::{self, Came};
use crate::signal::{Action, Sensor, Signal};

impl Core {
    /// What is being done, in one line for a person.
    pub(super) fn doing(&self, action: &Action) -> String {
        let label = action.label();
        match action.about() {
            Some(about) => format!("{label}: {}", self.beginning(about)),
            None => label,
        }
    }

    /// Tells a person why what was decided on could not be carried out.
    pub(super) fn tell_futile(&self, session: &Session, signal: &Signal, record: u64, label: &str, reason: &str) {
        let came = Came {
            detail: format!("{label}: failed: {}", first_line(reason)),
            is_approved: false,
            is_failed: true,
        };
        self.outlet
            .send(session.id(), frames::carried_out(&signal.meta, &came, record));
    }
}

/// What came of an action: of the last command that it ran, or of what its skill says.
pub(super) fn came(label: &str, sensor: &Sensor, text: &str, command: Option<&Ended>, is_approved: bool) -> Came {
    let how = match (sensor, command) {
        (Sensor::ToolError, _) => format!("failed: {}", first_line(text)),
        (_, Some(ended)) => ended.told(),
        (_, None) => "done".to_owned(),
    };
    Came {
        detail: format!("{label}: {how}"),
        is_approved,
        is_failed: *sensor == Sensor::ToolError || command.is_some_and(Ended::is_failed),
    }
}

/// How much of why something failed is told in the line that says so, in bytes.
const WHY: usize = 300;

fn first_line(text: &str) -> String {
    // Some say so themselves.
    let text = text.trim().strip_prefix("failed:").unwrap_or(text);
    cut(text.trim().lines().next().unwrap_or("no reason is known"), WHY)
}

/// How a command ended.
pub(super) struct Ended {
    pub(super) exit_code: Option<i32>,
    pub(super) signal: Option<i32>,
    pub(super) timed_out: bool,
}

impl Ended {
    fn is_failed(&self) -> bool {
        self.exit_code != Some(0)
    }

    fn told(&self) -> String {
        match (self.exit_code, self.signal) {
            (Some(0), _) => "exit code 0".to_owned(),
            _ if self.timed_out => "stopped, because its time was over (failed)".to_owned(),
            (Some(code), _) => format!("exit code {code} (failed)"),
            (None, Some(signal)) => format!("ended by signal {signal} (failed)"),
            (None, None) => "ended without an exit code (failed)".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_command_ended_is_told_by_what_ended_it() {
        let ended = |exit_code, signal, timed_out| {
            let ended = Ended {
                exit_code,
                signal,
                timed_out,
            };
            let came = came("shell", &Sensor::ToolOutput, "exit code 0", Some(&ended), false);
            (came.detail, came.is_failed)
        };
        assert_eq!(ended(Some(0), None, false), ("shell: exit code 0".to_owned(), false));
        for (exit_code, signal, timed_out, told) in [
            (Some(7), None, false, "exit code 7"),
            (None, Some(9), false, "ended by signal 9"),
            (None, Some(9), true, "its time was over"),
            (None, None, false, "without an exit code"),
        ] {
            let (detail, is_failed) = ended(exit_code, signal, timed_out);
            assert!(
                is_failed && detail.contains(told) && detail.ends_with("(failed)"),
                "{detail}"
            );
        }
    }

    #[test]
    fn that_something_failed_is_said_once() {
        let came = came("files", &Sensor::ToolError, "failed: it has changed", None, true);
        assert_eq!(came.detail, "files: failed: it has changed");
    }

    #[test]
    fn a_skill_that_failed_is_told_with_the_first_line_of_why_even_where_its_command_did_not() {
        let ended = Ended {
            exit_code: Some(0),
            signal: None,
            timed_out: false,
        };
        let came = came(
            "fetch",
            &Sensor::ToolError,
            "no such page\nshell: done",
            Some(&ended),
            true,
        );
        assert_eq!(came.detail, "fetch: failed: no such page");
        assert!(came.is_failed && came.is_approved);
    }
}
