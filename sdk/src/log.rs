//! Lines in the host's log, labelled with the skill's name. The host bounds their number and their length.

use crate::imports;

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// For the skill's author.
    Debug,
    /// Worth knowing.
    Info,
    /// Something is odd, and it goes on.
    Warn,
    /// Something failed.
    Error,
}

/// Writes a line of the given level.
pub fn write(level: Level, line: &str) {
    imports::log::write(level, line);
}

/// Writes a line for the skill's author.
pub fn debug(line: impl AsRef<str>) {
    write(Level::Debug, line.as_ref());
}

/// Writes a line that is worth knowing.
pub fn info(line: impl AsRef<str>) {
    write(Level::Info, line.as_ref());
}

/// Writes that something is odd.
pub fn warn(line: impl AsRef<str>) {
    write(Level::Warn, line.as_ref());
}

/// Writes that something failed.
pub fn error(line: impl AsRef<str>) {
    write(Level::Error, line.as_ref());
}
