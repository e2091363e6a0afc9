//! Reading a file that must be its owner's alone.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

/// Why a private file can't be used.
#[derive(Debug, thiserror::Error)]
pub enum PrivateFault {
    /// The system said no.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Others than the owner could have read or written it.
    #[error("{path}: {problem}; {remedy}")]
    NotPrivate {
        /// The file.
        path: PathBuf,
        /// Who else could.
        problem: String,
        /// What to do about it.
        remedy: String,
    },
    /// It is longer than any that was written here.
    #[error("{path}: it is longer than {allowed} bytes")]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The bound.
        allowed: u64,
    },
}

/// The bytes of a plain file that only its owner, this user, has access to; none where there is no file. No link is
/// followed, and the memory is wiped when the bytes are dropped.
///
/// # Errors
/// When it can't be read, is longer than `longest` bytes, or others have access to it.
pub fn read_private(path: &Path, longest: u64) -> Result<Option<Zeroizing<Vec<u8>>>, PrivateFault> {
    let io = |source| PrivateFault::Io {
        path: path.to_owned(),
        source,
    };
    let not_private = |problem: String, remedy: String| {
        Err(PrivateFault::NotPrivate {
            path: path.to_owned(),
            problem,
            remedy,
        })
    };
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        // The link itself was opened, and not followed.
        Err(error) if error.raw_os_error() == Some(libc::ELOOP) => {
            return not_private(
                "it is a symbolic link, and none is followed".to_owned(),
                "put the file itself there".to_owned(),
            );
        }
        file => file.map_err(io)?,
    };
    let about = file.metadata().map_err(io)?;
    if !about.is_file() {
        return not_private("it is no plain file".to_owned(), "move it away".to_owned());
    }
    let (own, shown) = (rustix::process::geteuid().as_raw(), path.display());
    if about.uid() != own {
        return not_private(
            format!("it belongs to user {}", about.uid()),
            format!("after a look at what is in it, run: chown {own} {shown} && chmod 600 {shown}"),
        );
    }
    if about.mode() & 0o077 != 0 {
        return not_private(
            format!("others than its owner have access (mode {:o})", about.mode() & 0o777),
            format!("run: chmod 600 {shown}"),
        );
    }
    // Room for all of it at once, so that no half of it stays behind where the buffer grew.
    let room = usize::try_from(about.len().min(longest)).unwrap_or(0) + 1;
    let mut bytes = Zeroizing::new(Vec::with_capacity(room));
    file.take(longest + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > longest {
        return Err(PrivateFault::TooLong {
            path: path.to_owned(),
            allowed: longest,
        });
    }
    Ok(Some(bytes))
}
