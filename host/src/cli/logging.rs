//! Where the daemon's own log goes: standard error, or a file when a chat has the terminal.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt;

use crate::sexp::visible;
use crate::vault::for_log;

/// A log larger than this begins anew at the next start, in bytes; the old one is kept as `daemon.log.old`.
const LARGEST: u64 = 10 << 20;

/// Logs to standard error.
pub(super) fn to_stderr() {
    use std::io::IsTerminal;
    let colours = std::io::stderr().is_terminal();
    fmt()
        .with_writer(|| Indented(std::io::stderr()))
        .with_ansi(colours)
        .with_max_level(LevelFilter::INFO)
        // It would complain on standard error with a macro that panics: a full disk must not end turns.
        .log_internal_errors(false)
        .init();
}

/// Logs to `state/daemon.log`.
pub(super) fn to_file(state: &Path) -> anyhow::Result<()> {
    crate::audit::create_private_dir(state)?;
    let path = state.join("daemon.log");
    if path.metadata().is_ok_and(|metadata| metadata.len() > LARGEST) {
        std::fs::rename(&path, state.join("daemon.log.old")).context("cannot put the old log aside")?;
    }
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(&path)
        .with_context(|| format!("cannot open {}", path.display()))?;
    let file = Arc::new(file);
    fmt()
        .with_writer(move || Indented(Arc::clone(&file)))
        .with_ansi(false)
        .with_max_level(LevelFilter::INFO)
        // It would complain on standard error with a macro that panics: a full disk must not end turns.
        .log_internal_errors(false)
        .init();
    Ok(())
}

/// Where one event after the other is written, each in one piece. What an event quotes may have lines of its own:
/// they are indented, so that nobody's words look like an event. Its control and bidirectional characters are made
/// visible; the escapes that are left are the colours of the event itself. What the operator keeps secret is not in it.
struct Indented<W>(W);

impl<W: Write> Write for Indented<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = for_log(String::from_utf8_lossy(event).into_owned());
        let (body, end) = match text.strip_suffix('\n') {
            Some(body) => (body, "\n"),
            None => (text.as_str(), ""),
        };
        let pieces: Vec<String> = body.split('\u{1b}').map(shown).collect();
        self.0.write_all((pieces.join("\u{1b}") + end).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn shown(text: &str) -> String {
    let lines: Vec<String> = text.split(['\n', '\r']).map(visible).collect();
    lines.join("\n    ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    #[test]
    fn only_the_first_line_of_an_event_begins_at_the_margin() {
        let mut out = Indented(Vec::new());
        for event in ["one\n", "two\nforged\rtoo\n", "three"] {
            out.write_all(event.as_bytes()).unwrap();
        }
        assert_eq!(
            String::from_utf8(out.0).unwrap(),
            "one\ntwo\n    forged\n    too\nthree"
        );
    }

    #[test]
    fn what_would_not_be_seen_is_made_visible_and_colours_stay() {
        let mut out = Indented(Vec::new());
        out.write_all("\u{1b}[32m INFO\u{1b}[0m shell\0\u{202e}\u{200b} waits\n".as_bytes())
            .unwrap();
        assert_eq!(
            String::from_utf8(out.0).unwrap(),
            "\u{1b}[32m INFO\u{1b}[0m shell<U+0000><U+202E><U+200B> waits\n"
        );
    }
}
