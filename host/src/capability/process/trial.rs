//! Trying the jail out: what `doctor` says is enforced is what was seen to stand.

use super::message::{Strength, Walls};
use super::outside::{Job, failed};
use super::{Command, ProcessError, View};
use crate::config::{JailMode, ShellConfig};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Runs `true` in a jail once, in an empty folder, and says which walls stood.
pub(super) fn try_out(binary: &Path) -> Result<Strength, ProcessError> {
    let folder = Scratch::make()?;
    let config = ShellConfig {
        jail: JailMode::Enforced,
        network: false,
        timeout: Duration::from_secs(10),
        output: 4096,
        memory: 256 << 20,
        processes: 64,
        cpu: Duration::from_secs(10),
    };
    let cancel = CancellationToken::new();
    let command = Command {
        line: "true",
        workspace: &folder.workspace(),
        state: &folder.state(),
        view: View::Machine,
        hidden: &[],
        protected: &[],
        closed_ports: &[],
        config: &config,
        cancel: &cancel,
    };
    let ended = Job::prepare(&command)?.launch(binary, Walls::Enforced)?;
    if ended.output.exit_code == Some(0) {
        return Ok(ended.strength);
    }
    let problem = format!("a trial run of \"true\" ended with {:?}", ended.output);
    Err(failed(problem, "see whether /bin/bash works on this machine"))
}

/// A folder that is deleted in the end, with an empty workspace in it.
struct Scratch(PathBuf);

impl Scratch {
    fn workspace(&self) -> PathBuf {
        self.0.join("workspace")
    }

    fn state(&self) -> PathBuf {
        self.0.join("state")
    }

    fn make() -> Result<Scratch, ProcessError> {
        use std::os::unix::fs::DirBuilderExt;
        let nanoseconds = std::time::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_nanos());
        let name = format!("passepartout-trial-{}-{nanoseconds}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::DirBuilder::new()
            .mode(0o700)
            .create(&path)
            .map_err(|error| unmade(&path, &error))?;
        let scratch = Scratch(path);
        std::fs::create_dir(scratch.workspace()).map_err(|error| unmade(&scratch.workspace(), &error))?;
        Ok(scratch)
    }
}

fn unmade(path: &Path, error: &std::io::Error) -> ProcessError {
    failed(
        format!("{} can't be made: {error}", path.display()),
        "make room in the temporary folder",
    )
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Its name is used once: if it stays, it harms nothing.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
