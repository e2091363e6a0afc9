//! The imports of a component. Each is called only where a skill's code uses it, so that the linker drops the others and
//! the component asks the operator for nothing that it does not need.

use crate::bindings::passepartout::skill as wit;

/// The failure of an interface, each of which has one of its own with the same cases.
macro_rules! failure {
    ($wit:ident, $failure:expr) => {
        match $failure {
            $wit::Failure::NotCleared(why) => Failure::NotCleared(why),
            $wit::Failure::Rejected(why) => Failure::Rejected(why),
            $wit::Failure::NeedsApproval(why) => Failure::NeedsApproval(why),
            $wit::Failure::Unavailable(why) => Failure::Unavailable(why),
            $wit::Failure::Failed(why) => Failure::Failed(why),
        }
    };
}

pub(crate) mod files;
pub(crate) mod http;
mod lent;

pub(crate) use lent::{memory, model, schedule, vault};

pub(crate) mod forms {
    use super::wit::forms::{Kind as Wit, kind_of as wit_kind_of};
    pub(crate) use super::wit::forms::{count, integer, keys, printed, size, text};
    use crate::Kind;

    pub(crate) fn kind_of(of: u32, path: &str) -> Kind {
        match wit_kind_of(of, path) {
            Wit::Missing => Kind::Missing,
            Wit::Nil => Kind::Nil,
            Wit::Keyword => Kind::Keyword,
            Wit::Symbol => Kind::Symbol,
            Wit::Text => Kind::Text,
            Wit::Integer => Kind::Integer,
            Wit::Number => Kind::Number,
            Wit::Character => Kind::Character,
            Wit::Sequence => Kind::Sequence,
            Wit::Other => Kind::Other,
        }
    }
}

pub(crate) mod settings {
    pub(crate) use super::wit::settings::get;
}

pub(crate) mod secrets {
    pub(crate) use super::wit::secrets::{contains_secret, text_contains_secret};
}

pub(crate) mod log {
    use super::wit::log::{Level as Wit, write as wit_write};
    use crate::log::Level;

    pub(crate) fn write(level: Level, line: &str) {
        let level = match level {
            Level::Debug => Wit::Debug,
            Level::Info => Wit::Info,
            Level::Warn => Wit::Warn,
            Level::Error => Wit::Error,
        };
        wit_write(level, line);
    }
}

pub(crate) mod process {
    use super::wit::process as wit;
    use crate::process::{Failure, Output};

    pub(crate) fn run(action: u32, path: &str) -> Result<Output, Failure> {
        wit::run(action, path).map(output).map_err(|error| failure!(wit, error))
    }

    pub(crate) fn propose(command: &str, explanation: &str) -> Result<Output, Failure> {
        wit::propose(command, explanation)
            .map(output)
            .map_err(|error| failure!(wit, error))
    }

    fn output(output: wit::Output) -> Output {
        Output {
            exit_code: output.exit_code,
            signal: output.signal,
            stdout: output.stdout,
            stderr: output.stderr,
            truncated: output.truncated,
            timed_out: output.timed_out,
            jailed: output.jailed,
            milliseconds: output.milliseconds,
        }
    }
}
