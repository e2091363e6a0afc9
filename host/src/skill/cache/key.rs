//! The key that authenticates compiled code: 32 random bytes in a file of the owner's.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use hmac::{Hmac, KeyInit, Mac as _};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::folder::write_new;

/// The file below `state/`.
pub(super) const FILE: &str = "code.key";

const LENGTH: usize = 32;

/// Length of an authentication code, in bytes.
pub(super) const MAC: usize = 32;

/// What the key is used for, so that no other use of it could make an entry.
const DOMAIN: &[u8] = b"passepartout-code-2\n";

/// The key. Its `Debug` shows nothing of it.
pub(super) struct Key(Zeroizing<[u8; LENGTH]>);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(***)")
    }
}

impl Key {
    /// The key of this home, made on first use. One that others could have read or written is replaced, so that nothing
    /// it vouched for is believed any more.
    pub(super) fn load_or_make(state: &Path) -> io::Result<Key> {
        let path = state.join(FILE);
        match Key::load(&path) {
            Ok(Some(key)) => return Ok(key),
            Ok(None) => {}
            Err(problem) => {
                tracing::warn!(
                    "{}: {problem}; a new key is made, and what was compiled before is compiled again",
                    path.display()
                );
                fs::remove_file(&path)?;
            }
        }
        let mut bytes = Zeroizing::new([0; LENGTH]);
        getrandom::fill(bytes.as_mut_slice()).map_err(|error| io::Error::other(error.to_string()))?;
        let beside = write_new(state, bytes.as_slice())?;
        // A link fails where a file is: of two that start at once, both use the first one's key.
        let linked = fs::hard_link(&beside, &path);
        fs::remove_file(&beside)?;
        match linked {
            Ok(()) => Ok(Key(bytes)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match Key::load(&path) {
                Ok(Some(key)) => Ok(key),
                Ok(None) => Err(error),
                Err(problem) => Err(io::Error::other(problem)),
            },
            Err(error) => Err(error),
        }
    }

    /// The key in the file, or nothing where there is no file.
    fn load(path: &Path) -> Result<Option<Key>, String> {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        let mut file = match options.open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("it can't be read: {error}")),
        };
        is_private(&file)?;
        let mut bytes = Zeroizing::new(Vec::with_capacity(LENGTH + 1));
        (&mut file)
            .take(LENGTH as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| format!("it can't be read: {error}"))?;
        match <[u8; LENGTH]>::try_from(bytes.as_slice()) {
            Ok(bytes) => Ok(Some(Key(Zeroizing::new(bytes)))),
            Err(_) => Err(format!("it has not the {LENGTH} bytes of a key")),
        }
    }

    /// The authentication code of `code` under `name`.
    pub(super) fn mac(&self, name: &str, code: &[u8]) -> [u8; MAC] {
        self.hmac(name, code).finalize().into_bytes().into()
    }

    /// Whether `mac` is that of `code` under `name`, compared in constant time.
    pub(super) fn vouches_for(&self, name: &str, code: &[u8], mac: &[u8]) -> bool {
        self.hmac(name, code).verify_slice(mac).is_ok()
    }

    fn hmac(&self, name: &str, code: &[u8]) -> Hmac<Sha256> {
        // A shorter key is filled up with zeros to the hash's block: HMAC's own rule, which saves the fallible constructor.
        let mut block = Zeroizing::new([0; 64]);
        block[..LENGTH].copy_from_slice(self.0.as_slice());
        let mut hmac = Hmac::<Sha256>::new(&(*block).into());
        hmac.update(DOMAIN);
        for part in [name.as_bytes(), code] {
            hmac.update(&(part.len() as u64).to_be_bytes());
            hmac.update(part);
        }
        hmac
    }
}

/// Whether the file is a plain one, ours, and nobody else's to read or write.
pub(super) fn is_private(file: &File) -> Result<(), String> {
    let about = file.metadata().map_err(|error| error.to_string())?;
    if !about.is_file() {
        return Err("it is no plain file".to_owned());
    }
    let own = rustix::process::geteuid().as_raw();
    if about.uid() != own {
        return Err(format!("it belongs to user {}, not to user {own}", about.uid()));
    }
    if about.mode() & 0o077 != 0 {
        return Err(format!("others can reach it (mode {:o})", about.mode() & 0o777));
    }
    Ok(())
}
