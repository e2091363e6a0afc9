//! Lines on standard output and standard error.
//!
//! The standard macros panic when nobody reads any more, as with `| head`, or when the disk under a redirection is full.
//! Here a reader who has had enough changes nothing, least of all the exit code; any other failure is said and ends the
//! command with 1. What can't be said on standard error is lost.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

use super::Exit;
use crate::sexp::{is_hidden, visible};

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

/// Writes a line to standard error, which is for people: what an error quotes of a file, its name included, is made
/// visible.
pub(super) fn err(line: Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{}", visible(&line.to_string()));
}

/// Writes JSON to standard output, on one line. What a terminal would obey and a person would not see stands there as
/// `\u` and four digits, which every reader of JSON takes for the same.
pub(super) fn json(value: &serde_json::Value) {
    out(format_args!("{}", escaped(&value.to_string())));
}

/// JSON, in which hidden characters are escaped. They stand in strings only.
pub(super) fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for char in json.chars() {
        if is_hidden(char) {
            for unit in char.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(char);
        }
    }
    out
}

/// An error with its causes, each said once: many texts name their cause already.
pub(super) fn told(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |told, cause| {
        let cause = cause.to_string();
        match told.as_str() {
            "" => cause,
            told if told.contains(&cause) => told.to_owned(),
            told => format!("{told}: {cause}"),
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use std::path::PathBuf;

    use super::{escaped, told};
    use crate::audit::LogError;

    #[test]
    fn json_shows_what_a_terminal_would_obey_and_means_the_same() {
        let text = "a\u{1b}[2K\u{7f}\u{9b}31m\u{202e}b\u{2066}\u{e0041}é\n\t\"";
        let value = serde_json::json!({ "text": text, text: [text] });
        let printed = escaped(&value.to_string());
        assert!(!printed.chars().any(crate::sexp::is_hidden), "{printed}");
        assert!(
            printed.contains("\\u202e") && printed.contains("\\udb40\\udc41") && printed.contains('é'),
            "{printed}"
        );
        assert_eq!(serde_json::from_str::<serde_json::Value>(&printed).unwrap(), value);
    }

    #[test]
    fn a_cause_that_the_text_names_already_is_not_said_again() {
        let source = std::io::Error::other("no room");
        let path = PathBuf::from("x.log");
        let error = LogError::Io {
            doing: "open",
            path,
            source,
        };
        let error = anyhow::Error::from(error).context("the record");
        assert_eq!(told(&error), "the record: cannot open x.log: no room");
        let error = anyhow::anyhow!("inner").context("outer");
        assert_eq!(told(&error), "outer: inner");
    }
}
