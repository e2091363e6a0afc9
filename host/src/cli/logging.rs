//! Where the daemon's own log goes: standard error, or a file when a chat has the terminal.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::Context;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt;

/// A log larger than this begins anew at the next start, in bytes; the old one is kept as `daemon.log.old`.
const LARGEST: u64 = 10 << 20;

/// Logs to standard error.
pub(super) fn to_stderr() {
    use std::io::IsTerminal;
    let colours = std::io::stderr().is_terminal();
    fmt()
        .with_writer(std::io::stderr)
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
    fmt()
        .with_writer(std::sync::Mutex::new(file))
        .with_ansi(false)
        .with_max_level(LevelFilter::INFO)
        // It would complain on standard error with a macro that panics: a full disk must not end turns.
        .log_internal_errors(false)
        .init();
    Ok(())
}
