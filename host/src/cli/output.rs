//! Lines on standard output and standard error.
//!
//! The standard macros panic when nobody reads any more, as with `| head`, or when the disk under a redirection is full.
//! Here a reader who has had enough changes nothing, least of all the exit code; any other failure is said and ends the
//! command with 1. What can't be said on standard error is lost.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

use super::Exit;

/// `println!`, for the command line.
macro_rules! outln {
    ($($part:tt)*) => { $crate::cli::output::out(format_args!($($part)*)) };
}

/// `eprintln!`, for the command line.
macro_rules! errln {
    ($($part:tt)*) => { $crate::cli::output::err(format_args!($($part)*)) };
}

/// Writes a line to standard output.
pub(super) fn out(line: Arguments<'_>) {
    match writeln!(std::io::stdout(), "{line}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            err(format_args!("error: standard output can't be written: {error}"));
            std::process::exit(Exit::Error as i32);
        }
        _ => {}
    }
}

/// Writes a line to standard error.
pub(super) fn err(line: Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
