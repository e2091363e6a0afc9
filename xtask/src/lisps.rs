//! The real SBCL and the real Emacs, which one test asks whether they read what we print. They are installed from the
//! system's packages where that is allowed, after saying so; otherwise the command is printed.

use std::process::{Command, Stdio};

use anyhow::{Result, bail};

/// Program, and the package of Debian and its kin that brings it.
const LISPS: &[(&str, &str)] = &[("sbcl", "sbcl"), ("emacs", "emacs-nox")];

/// Sees to it that both are there.
///
/// # Errors
/// When one is missing and can't be installed; the text has the command that would.
pub(crate) fn provide() -> Result<()> {
    let missing = missing();
    if missing.is_empty() {
        return Ok(());
    }
    let install = format!("apt-get install -y --no-install-recommends {}", missing.join(" "));
    let by_hand =
        format!("run `apt-get update && {install}` as root, or install SBCL and Emacs in this system's own way");
    if !succeeds("apt-get", "--version") {
        bail!("SBCL or Emacs is missing, and there is no apt-get to install them with; {by_hand}");
    }
    if !is_root() {
        bail!("SBCL or Emacs is missing, and only root may install them; {by_hand}");
    }
    eprintln!("tests need SBCL and Emacs; installing from the system's packages: {install}");
    let done = apt("apt-get update") && apt(&install);
    if !done || !self::missing().is_empty() {
        bail!("SBCL or Emacs is missing, and apt-get did not install them; {by_hand}");
    }
    Ok(())
}

fn missing() -> Vec<&'static str> {
    LISPS
        .iter()
        .filter(|(program, _)| !succeeds(program, "--version"))
        .map(|(_, package)| *package)
        .collect()
}

fn succeeds(program: &str, argument: &str) -> bool {
    Command::new(program)
        .arg(argument)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn apt(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let Some(program) = words.next() else { return false };
    Command::new(program)
        .args(words)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
