//! What a running daemon leaves in its state folder for its clients: where to find it (`daemon.json`) and the secret of
//! the TCP door (`token`). Both are written whole or not at all, and readable by their owner alone.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::handshake::Token;
use crate::audit::write_private;

/// Where a running daemon is found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DaemonFile {
    /// Its TCP port on loopback.
    pub port: u16,
    /// Its process.
    pub pid: u32,
    /// Its version.
    pub version: String,
}

impl DaemonFile {
    /// This process, listening on `port`.
    pub fn of_this_process(port: u16) -> DaemonFile {
        DaemonFile {
            port,
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// Writes `daemon.json` in `state`.
    ///
    /// # Errors
    /// When the folder can't be written.
    pub fn write(&self, state: &Path) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        write_private(&daemon_path(state), &text).map_err(io::Error::other)
    }

    /// The `daemon.json` in `state`; `None` where there is none.
    ///
    /// # Errors
    /// When it can't be read, or is nothing a daemon wrote.
    pub fn read(state: &Path) -> io::Result<Option<DaemonFile>> {
        match fs::read(daemon_path(state)) {
            Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// When the daemon began that left a `daemon.json` in `state`, as one does that was killed.
    pub fn left_since(state: &Path) -> Option<SystemTime> {
        fs::metadata(daemon_path(state)).ok()?.modified().ok()
    }

    /// Removes `daemon.json` from `state`, if this process wrote it.
    pub fn remove(state: &Path) {
        if matches!(DaemonFile::read(state), Ok(Some(file)) if file.pid == std::process::id()) {
            let _ = fs::remove_file(daemon_path(state));
        }
    }
}

/// `daemon.json` in `state`.
pub fn daemon_path(state: &Path) -> PathBuf {
    state.join("daemon.json")
}

/// The Unix socket in `state`.
pub fn socket_path(state: &Path) -> PathBuf {
    state.join("socket")
}

/// The token's file in `state`.
pub fn token_path(state: &Path) -> PathBuf {
    state.join("token")
}

/// The token in `state`, made if there is none yet. One that others could have read, or that is torn, is replaced: it
/// is worth nothing, and clients read the file anew each time.
///
/// # Errors
/// When the folder can't be read or written, or the system gives no random numbers.
pub fn load_or_create_token(state: &Path) -> io::Result<Token> {
    let path = token_path(state);
    match fs::symlink_metadata(&path) {
        Ok(about) => {
            let own =
                about.is_file() && about.uid() == rustix::process::geteuid().as_raw() && about.mode() & 0o077 == 0;
            if own && let Some(token) = fs::read_to_string(&path).ok().as_deref().and_then(Token::from_hex) {
                return Ok(token);
            }
            tracing::warn!(path = %path.display(), "the token was torn or open to others; a new one is made");
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let token = Token::random().map_err(io::Error::other)?;
    write_private(&path, format!("{}\n", token.to_hex()).as_bytes()).map_err(io::Error::other)?;
    Ok(token)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_token_is_owner_only_and_stays_the_same() {
        let state = tempfile::tempdir().unwrap();
        let token = load_or_create_token(state.path()).unwrap();
        assert_eq!(fs::metadata(token_path(state.path())).unwrap().mode() & 0o777, 0o600);
        assert_eq!(load_or_create_token(state.path()).unwrap(), token);
        assert_eq!(
            fs::read_dir(state.path()).unwrap().count(),
            1,
            "nothing is left beside it"
        );
    }

    #[test]
    fn a_torn_token_or_one_open_to_others_is_replaced() {
        let state = tempfile::tempdir().unwrap();
        let path = token_path(state.path());
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let first = load_or_create_token(state.path()).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_ne!(load_or_create_token(state.path()).unwrap(), first);
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn the_daemon_file_comes_back_and_only_its_own_process_removes_it() {
        let state = tempfile::tempdir().unwrap();
        assert_eq!(DaemonFile::read(state.path()).unwrap(), None);
        let own = DaemonFile::of_this_process(9105);
        own.write(state.path()).unwrap();
        assert_eq!(DaemonFile::read(state.path()).unwrap(), Some(own.clone()));
        DaemonFile {
            pid: own.pid + 1,
            ..own.clone()
        }
        .write(state.path())
        .unwrap();
        DaemonFile::remove(state.path());
        assert!(daemon_path(state.path()).exists());
        own.write(state.path()).unwrap();
        DaemonFile::remove(state.path());
        assert!(!daemon_path(state.path()).exists());
    }
}
