//! The folder of compiled code: entries written whole or not at all, read only if they are private, bounded in size.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::key::is_private;

/// How old a file that was never moved into place must be before it is taken for left behind.
const ABANDONED: Duration = Duration::from_secs(600);

/// One entry has no more than this part of the folder, so that there is room for others beside it.
const SHARE: u64 = 4;

/// What a file that is being written ends with.
const UNFINISHED: &str = ".new";

/// Why an entry is not used, or could not be kept.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// Not enough there.
    #[error("it was cut")]
    Cut,
    /// Not what was written under its name.
    #[error("it is not what this host wrote under its name")]
    Forged,
    /// It is not ours alone.
    #[error("{0}")]
    NotPrivate(String),
    /// Longer than an entry may be, which others would go for.
    #[error("it has {asked} bytes and one entry may have {allowed}; `skills.code_cache_bytes` sets that")]
    TooLong {
        /// Its length.
        asked: u64,
        /// The bound.
        allowed: u64,
    },
    /// The engine does not take it.
    #[error("the engine does not take it: {0}")]
    Code(String),
    /// The operating system said no.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// The folder.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    longest: u64,
}

/// One finished entry.
struct Entry {
    path: PathBuf,
    size: u64,
    used: SystemTime,
}

impl Folder {
    /// The folder at `path`, made if it is missing, closed to others if it is open.
    pub(super) fn open(path: &Path, longest: u64) -> Result<Folder, Refusal> {
        match DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
            _ => {}
        }
        let about = fs::symlink_metadata(path)?;
        let own = rustix::process::geteuid().as_raw();
        if !about.is_dir() || about.uid() != own {
            return Err(Refusal::NotPrivate(
                "it is no folder of this user's; remove it, and it is made anew".to_owned(),
            ));
        }
        if about.mode() & 0o777 != 0o700 {
            fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
        }
        Ok(Folder {
            path: path.to_owned(),
            longest,
        })
    }

    /// The bytes of an entry, or nothing where there is none.
    pub(super) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Refusal> {
        self.read_start(name, self.longest)
    }

    /// The first bytes of an entry, `most` of them, or nothing where there is none.
    pub(super) fn read_start(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, Refusal> {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        let file = match options.open(self.path.join(name)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        is_private(&file).map_err(Refusal::NotPrivate)?;
        let asked = file.metadata()?.len();
        if asked > self.longest {
            return Err(Refusal::TooLong {
                asked,
                allowed: self.longest,
            });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(asked.min(most)).unwrap_or(0));
        file.take(most.min(self.longest)).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Writes an entry whole, or leaves what was there.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Refusal> {
        let (asked, allowed) = (bytes.len() as u64, self.longest / SHARE);
        if asked > allowed {
            return Err(Refusal::TooLong { asked, allowed });
        }
        let beside = write_new(&self.path, bytes)?;
        fs::rename(&beside, self.path.join(name)).inspect_err(|_| {
            let _ = fs::remove_file(&beside);
        })?;
        Ok(())
    }

    /// Says that an entry was used just now. That it can't be said costs the entry its place in the order, no more.
    pub(super) fn touch(&self, name: &str) {
        let touched = File::open(self.path.join(name)).and_then(|file| file.set_modified(SystemTime::now()));
        if let Err(error) = touched {
            tracing::debug!("when compiled code was last used could not be noted: {error}");
        }
    }

    /// Removes an entry that is not believed.
    pub(super) fn remove(&self, name: &str) {
        let path = self.path.join(name);
        let removed = match fs::symlink_metadata(&path) {
            Ok(about) if about.is_dir() => fs::remove_dir_all(&path),
            _ => fs::remove_file(&path),
        };
        if let Err(error) = removed {
            tracing::warn!("{} could not be removed: {error}", path.display());
        }
    }

    /// Removes what writers left behind, and as many entries, those unused longest first, as it takes to come down to
    /// the bound. `kept` goes last.
    pub(super) fn tidy(&self, kept: Option<&str>) {
        let mut entries = match self.entries() {
            Ok(entries) => entries,
            Err(error) => {
                tracing::warn!("{} can't be looked through: {error}", self.path.display());
                return;
            }
        };
        let mut size: u64 = entries.iter().map(|entry| entry.size).sum();
        let is_kept = |entry: &Entry| kept.is_some_and(|kept| entry.path.ends_with(kept));
        entries.sort_by_key(|entry| (is_kept(entry), entry.used));
        for entry in entries {
            if size <= self.longest {
                break;
            }
            // Another process may have removed it first.
            let _ = fs::remove_file(&entry.path);
            size = size.saturating_sub(entry.size);
        }
    }

    /// The finished entries. Those that are unfinished and old are removed on the way; other files are left alone.
    fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for found in fs::read_dir(&self.path)? {
            let found = found?;
            let name = found.file_name();
            let name = name.to_string_lossy();
            // It may be gone again by now.
            let Ok(about) = found.metadata() else { continue };
            let used = about.modified()?;
            if name.ends_with(UNFINISHED) {
                if used.elapsed().is_ok_and(|age| age > ABANDONED) {
                    let _ = fs::remove_file(found.path());
                }
            } else if about.is_file() && name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                entries.push(Entry {
                    path: found.path(),
                    size: about.len(),
                    used,
                });
            }
        }
        Ok(entries)
    }
}

/// Writes a file that only its owner can read, under a name that nobody could know before.
pub(super) fn write_new(folder: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
    let path = folder.join(format!(".{}{UNFINISHED}", hex::encode(random)));
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    file.write_all(bytes).inspect_err(|_| {
        let _ = fs::remove_file(&path);
    })?;
    Ok(path)
}
