//! Steps: what is run, one after the other, with a numbered line before and after each. A step that fails says which
//! command to run by hand. What the commands mean is not known here.

use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Numbers the steps of one task.
pub(crate) struct Steps {
    next: usize,
    of: usize,
}

impl Steps {
    /// A task of so many steps.
    pub(crate) fn new(of: usize) -> Steps {
        Steps { next: 1, of }
    }

    /// Does one step, with a line before it and a line after it that says how long it took.
    ///
    /// # Errors
    /// Those of the step, which has been announced as failed then.
    pub(crate) fn step<T>(&mut self, name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let head = format!("[{}/{}] {name} …", self.next, self.of);
        self.next += 1;
        eprintln!("{head}");
        let begun = Instant::now();
        let done = work();
        let word = if done.is_ok() { "" } else { " FAILED after" };
        eprintln!("{head}{word} {}", Elapsed(begun.elapsed()));
        done
    }
}

/// A duration as people say it.
pub(crate) struct Elapsed(pub(crate) Duration);

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_secs() {
            0 => write!(f, "{:.1} s", self.0.as_secs_f64()),
            seconds @ 1..60 => write!(f, "{seconds} s"),
            seconds => write!(f, "{} min {} s", seconds / 60, seconds % 60),
        }
    }
}

/// A call of cargo in the folder `root`, with arguments parted by blanks.
pub(crate) struct Cargo<'a> {
    root: &'a Path,
    arguments: &'a str,
}

impl<'a> Cargo<'a> {
    /// `cargo ARGUMENTS` in `root`.
    pub(crate) fn new(root: &'a Path, arguments: &'a str) -> Cargo<'a> {
        Cargo { root, arguments }
    }

    /// Runs it; what it prints goes where ours goes.
    ///
    /// # Errors
    /// When it can't be started or fails; the text has the command.
    pub(crate) fn run(&self) -> Result<()> {
        let status = self.command().status().context(NO_CARGO)?;
        self.judge(status)
    }

    /// Runs it, and gives each line of its standard output to `see`.
    ///
    /// # Errors
    /// When it can't be started or fails; the text has the command.
    pub(crate) fn watch(&self, mut see: impl FnMut(&str)) -> Result<()> {
        let mut child = self.command().stdout(Stdio::piped()).spawn().context(NO_CARGO)?;
        if let Some(output) = child.stdout.take() {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            while output
                .read_until(b'\n', &mut line)
                .context("cannot read what cargo prints")?
                > 0
            {
                see(String::from_utf8_lossy(&line).trim_end());
                line.clear();
            }
        }
        let status = child.wait().context("cannot wait for cargo")?;
        self.judge(status)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .args(self.arguments.split_whitespace())
            .current_dir(self.root)
            .stdin(Stdio::null());
        command
    }

    fn judge(&self, status: std::process::ExitStatus) -> Result<()> {
        if !status.success() {
            bail!(
                "`cargo {}` failed ({status}); run it by hand in {}",
                self.arguments,
                self.root.display()
            );
        }
        Ok(())
    }
}

const NO_CARGO: &str = "cannot start `cargo`; Rust comes from https://rustup.rs";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    #[test]
    fn durations_are_said_in_minutes_from_one_minute_on() {
        let said = |millis| Elapsed(Duration::from_millis(millis)).to_string();
        assert_eq!(said(440), "0.4 s");
        assert_eq!(said(59_900), "59 s");
        assert_eq!(said(61_000), "1 min 1 s");
    }

    #[test]
    fn a_failing_command_is_named_so_that_it_can_be_run_by_hand() {
        let status = std::os::unix::process::ExitStatusExt::from_raw(101 << 8);
        let error = Cargo::new(Path::new("/nowhere"), "no-such-command")
            .judge(status)
            .unwrap_err()
            .to_string();
        assert!(error.contains("`cargo no-such-command` failed"), "{error}");
        assert!(error.contains("by hand in /nowhere"), "{error}");
    }

    #[test]
    fn each_line_of_the_output_is_seen() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut lines = Vec::new();
        Cargo::new(root, "--version")
            .watch(|line| lines.push(line.to_owned()))
            .unwrap();
        assert!(lines.iter().any(|line| line.starts_with("cargo ")), "{lines:?}");
    }
}
