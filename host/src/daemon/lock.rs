//! One daemon a home: a lock on a file of the state folder, taken before anything there is opened for writing, and
//! let go by the kernel whichever way the process ends.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};

use crate::protocol::DaemonFile;

/// How long a lock that is held is waited for. A daemon that was killed while it started a command leaves a child which
/// holds all that it held, until it becomes that command.
const PATIENCE: Duration = Duration::from_secs(2);

/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(10);

/// Held while this process is the home's daemon.
#[derive(Debug)]
pub(super) struct HomeLock {
    _file: File,
}

/// Why this process may not be the home's daemon.
#[derive(Debug, thiserror::Error)]
pub(super) enum LockError {
    /// Another one is.
    #[error("a daemon already serves this home{} ({} is locked). `passepartout-host chat` talks to it; {}; for one beside it, set PASSEPARTOUT_HOME to another folder", of(*pid), path.display(), stop(*pid))]
    Held {
        /// The file.
        path: PathBuf,
        /// Its process, where it says so.
        pid: Option<u32>,
    },
    /// It can't be found out.
    #[error("can't lock {}: {source}; check that the folder is yours, and on a file system with locks", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

fn of(pid: Option<u32>) -> String {
    pid.map(|pid| format!(", as process {pid}")).unwrap_or_default()
}

fn stop(pid: Option<u32>) -> String {
    match pid {
        Some(pid) => format!("`kill {pid}` stops it"),
        None => "`kill` with its process id stops it".to_owned(),
    }
}

impl HomeLock {
    /// Takes the lock of the state folder `state`, which exists.
    ///
    /// # Errors
    /// When another process holds it and goes on to, or it can't be made.
    pub(super) async fn take(state: &Path) -> Result<HomeLock, LockError> {
        let begun = Instant::now();
        loop {
            match HomeLock::try_take(state) {
                Err(LockError::Held { .. }) if begun.elapsed() < PATIENCE => tokio::time::sleep(PAUSE).await,
                decided => return decided,
            }
        }
    }

    fn try_take(state: &Path) -> Result<HomeLock, LockError> {
        let path = state.join("lock");
        let io = |source| LockError::Io {
            path: path.clone(),
            source,
        };
        // Never removed: who locks a file that another has just unlinked holds nothing.
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&path)
            .map_err(io)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(HomeLock { _file: file }),
            Err(rustix::io::Errno::WOULDBLOCK) => {
                let daemon = DaemonFile::read(state).ok().flatten();
                let pid = daemon.map(|daemon| daemon.pid);
                Err(LockError::Held { path, pid })
            }
            Err(error) => Err(io(error.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    #[tokio::test]
    async fn a_home_has_one_daemon_at_a_time() {
        let state = tempfile::tempdir().unwrap();
        let first = HomeLock::take(state.path()).await.unwrap();
        assert!(matches!(
            HomeLock::take(state.path()).await,
            Err(LockError::Held { .. })
        ));
        drop(first);
        HomeLock::take(state.path()).await.unwrap();
    }

    #[tokio::test]
    async fn what_a_killed_daemon_s_child_still_holds_for_a_moment_is_waited_for() {
        let state = tempfile::tempdir().unwrap();
        let left = HomeLock::take(state.path()).await.unwrap();
        let child = tokio::spawn(async move {
            tokio::time::sleep(PAUSE * 3).await;
            drop(left);
        });
        HomeLock::take(state.path()).await.unwrap();
        child.await.unwrap();
    }
}
