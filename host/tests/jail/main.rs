//! The jail of shell commands, with the real binary and the real kernel. What must fail inside is shown to succeed
//! outside, so that no test passes for the wrong reason.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod bounds;
mod deep;
mod escapes;
mod gits;
mod kept;
mod later;
mod life;
mod meter;
mod named;
mod obeyed;
mod other;
mod owed;
mod planted;
mod secrets;
mod sides;
mod unasked;
mod unmerged;
mod versions;
mod walls;
mod ways;

use passepartout_host::capability::process::{self, Command, Output, ProcessError, View, Writes};
use passepartout_host::config::{JailMode, ShellConfig};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Set where these tests run a second time, as another user.
const AGAIN: &str = "JAIL_TEST_AGAIN";

/// The host's binary, or the copy that a second user can get at.
fn binary() -> PathBuf {
    let copy = std::env::var_os("JAIL_TEST_BINARY");
    copy.map_or_else(|| env!("CARGO_BIN_EXE_passepartout-host").into(), PathBuf::from)
}

/// Says that something was not tested, past what catches a test's output. Where everything must run, that is a failure.
fn left_out(what: &str) {
    // If nobody can be told, the assertion still stands.
    let _ = writeln!(std::io::stderr(), "NOT RUN: {what}");
    let strict = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(!strict, "with CI=true every test must run: {what}");
}

/// Longer than any command here takes, shorter than a sleep that must not be waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where a test's folders are made: not in a temporary folder, which is private in the jail anyway and would prove
/// nothing.
fn ground() -> PathBuf {
    if let Some(ground) = std::env::var_os("JAIL_TEST_GROUND") {
        return ground.into();
    }
    let places = [
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
        PathBuf::from(std::env::var_os("HOME").unwrap()),
    ];
    let public = |place: &&PathBuf| {
        !["/tmp", "/var/tmp", "/run"]
            .iter()
            .any(|private| place.starts_with(private))
    };
    places
        .iter()
        .find(public)
        .expect("neither the build's folder nor HOME may lie in a temporary folder")
        .clone()
}

/// A home as the daemon lays it out.
struct House {
    root: tempfile::TempDir,
    config: ShellConfig,
    /// Whether a person was asked about the commands.
    asked: bool,
    /// Whether that was once and for all.
    remembered: bool,
    /// Whether those may write to the workspace that nobody was asked about.
    writes: Writes,
    hidden: Vec<PathBuf>,
    protected: Vec<String>,
    closed_ports: Vec<u16>,
    cancel: CancellationToken,
}

impl House {
    fn new() -> House {
        let root = tempfile::tempdir_in(ground()).unwrap();
        for name in ["config", "data", "state", "workspace"] {
            std::fs::create_dir(root.path().join(name)).unwrap();
        }
        std::fs::write(root.path().join("state/token"), "the secret").unwrap();
        let hidden = ["config", "data", "state", "skills"]
            .map(|name| root.path().join(name))
            .into();
        let config = ShellConfig {
            jail: JailMode::Enforced,
            network: false,
            timeout: PATIENCE,
            output: 100_000,
            memory: 1 << 30,
            processes: 512,
            cpu: PATIENCE,
        };
        House {
            root,
            config,
            asked: true,
            remembered: false,
            writes: Writes::Refused,
            hidden,
            protected: Vec::new(),
            closed_ports: Vec::new(),
            cancel: CancellationToken::new(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn workspace(&self) -> PathBuf {
        self.path("workspace")
    }

    fn try_run(&self, line: &str) -> Result<Output, ProcessError> {
        let (workspace, hidden) = (self.workspace(), &self.hidden);
        let command = Command {
            line,
            workspace: &workspace,
            state: &self.path("state"),
            view: if self.remembered {
                View::Remembered
            } else if self.asked {
                View::Machine
            } else {
                View::Commons {
                    home: Some(self.root.path()),
                    writes: self.writes,
                }
            },
            hidden,
            protected: &self.protected,
            closed_ports: &self.closed_ports,
            config: &self.config,
            cancel: &self.cancel,
        };
        process::run_from(&binary(), &command)
    }

    fn run(&self, line: &str) -> Output {
        let output = self.try_run(line).unwrap();
        assert!(output.jailed);
        output
    }

    /// Whether `line` succeeds in the workspace without any jail.
    fn works_outside(&self, line: &str) -> bool {
        let mut bash = std::process::Command::new("/bin/bash");
        bash.args(["-c", line]).current_dir(self.workspace());
        bash.status().unwrap().success()
    }

    /// What `line` prints, when it ends well.
    fn prints(&self, line: &str) -> String {
        let output = self.run(line);
        assert_eq!(
            (output.exit_code, output.stderr.as_str()),
            (Some(0), ""),
            "{line}: {output:?}"
        );
        output.stdout
    }

    /// Asserts that `line` fails inside, and answers what it says.
    fn refuses(&self, line: &str) -> String {
        let output = self.run(line);
        assert_ne!(output.exit_code, Some(0), "{line}: {output:?}");
        output.stderr
    }
}

fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether `line` succeeds on the host, without any jail.
fn works_outside(line: &str) -> bool {
    std::process::Command::new("/bin/bash")
        .args(["-c", line])
        .status()
        .unwrap()
        .success()
}

/// Whether a process that has `mark` in its command line is running on the host.
fn runs_on_host(mark: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|process| {
        std::fs::read(process.path().join("cmdline")).is_ok_and(|line| String::from_utf8_lossy(&line).contains(mark))
    })
}
