//! `cargo xtask run`: from a fresh clone to a running daemon. It ends by becoming the daemon, so that signals and the
//! terminal are the daemon's own.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::skills;
use crate::step::{Cargo, Steps};

/// The host's name.
const HOST: &str = "passepartout-host";

/// Builds the skills and the host, and becomes it. Returns only when that was not possible, with the reason.
///
/// # Errors
/// When something does not build.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<io::Error> {
    // The host is built into the folder that we were built into. Asked now: once we are built anew, it is not known.
    let ourselves = std::env::current_exe().context("cannot find the folder that cargo builds into")?;
    let host = ourselves.with_file_name(HOST);
    let mut steps = Steps::new(2);
    steps.step("skills", || skills::build_skills(root))?;
    // Of the whole workspace, as the tests build it: cargo unifies features over what it is asked for, and so compiles
    // everything once. Of that only the host: what tests alone need can wait.
    steps.step("host (the first time takes some minutes)", || {
        Cargo::new(root, "build --workspace --bin passepartout-host").run()
    })?;
    if !host.is_file() {
        bail!(
            "cargo built no {}; run `cargo build --workspace` and start {HOST} from its target folder",
            host.display()
        );
    }
    let arguments = command_line(arguments);
    Ok(Command::new(&host).args(arguments).exec())
}

/// The host's arguments: options alone are those of its `run`.
fn command_line(arguments: &[OsString]) -> Vec<OsString> {
    let names_a_command = arguments
        .first()
        .is_some_and(|first| !first.as_encoded_bytes().starts_with(b"-"));
    let run = (!names_a_command).then(|| OsString::from("run"));
    run.into_iter().chain(arguments.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(arguments: &[&str]) -> Vec<OsString> {
        command_line(&arguments.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn options_go_to_run_and_a_command_stands_for_itself() {
        assert_eq!(line(&[]), ["run"]);
        assert_eq!(line(&["--provider", "offline"]), ["run", "--provider", "offline"]);
        assert_eq!(line(&["status", "--json"]), ["status", "--json"]);
    }
}
