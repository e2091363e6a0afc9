//! One daemon a home: a lock on a file of the state folder, taken before anything there is opened for writing, and
//! let go by the kernel whichever way the process ends.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

/// Held while this process is the home's daemon.
#[derive(Debug)]
pub(super) struct HomeLock {
    _file: File,
}

/// Why this process may not be the home's daemon.
#[derive(Debug, thiserror::Error)]
pub(super) enum LockError {
    /// Another one is.
    #[error("a daemon already serves this home ({} is locked); stop it, or set PASSEPARTOUT_HOME to another folder", path.display())]
    Held {
        /// The file.
        path: PathBuf,
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

impl HomeLock {
    /// Takes the lock of the state folder `state`, which exists.
    ///
    /// # Errors
    /// When another process holds it, or it can't be made.
    pub(super) fn take(state: &Path) -> Result<HomeLock, LockError> {
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
            Err(rustix::io::Errno::WOULDBLOCK) => Err(LockError::Held { path }),
            Err(error) => Err(io(error.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    #[test]
    fn a_home_has_one_daemon_at_a_time() {
        let state = tempfile::tempdir().unwrap();
        let first = HomeLock::take(state.path()).unwrap();
        assert!(matches!(HomeLock::take(state.path()), Err(LockError::Held { .. })));
        drop(first);
        HomeLock::take(state.path()).unwrap();
    }
}
