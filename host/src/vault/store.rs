//! The vault's file and its key: reading, and changing one entry under a lock.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::FlockOperation;
use zeroize::Zeroizing;

use super::entry::{Entry, Host, MOST_HOSTS, SecretName, Value};
use super::seal::{self, KEY_BYTES, Key};
use super::{MOST_SECRETS, VaultError};
use crate::audit::{create_private_dir, read_private, write_private};

/// Longest file that is read, in bytes: a thousand secrets of the longest kind.
const LONGEST: u64 = 80 << 20;

/// Where a secret could be sent before it was set, and where it may be sent now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The earlier one's hosts; none where there was no earlier one.
    pub before: Option<Vec<Host>>,
    /// This one's hosts.
    pub now: Vec<Host>,
}

/// Where a vault is kept.
#[derive(Clone, Debug)]
pub struct Store {
    file: PathBuf,
    key: PathBuf,
}

/// The secrets of a vault.
#[derive(Clone, Debug, Default)]
pub struct Contents(BTreeMap<String, Entry>);

impl Contents {
    /// The secrets, sorted by name.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &Entry> {
        self.0.values()
    }

    /// Their names.
    pub fn names(&self) -> Vec<String> {
        self.entries().map(|entry| entry.name.as_str().to_owned()).collect()
    }

    /// The secret `name`.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.0.get(&name.to_ascii_lowercase())
    }

    /// The value of the secret `name`, for the host's own use as a provider's key.
    pub fn key_of_provider(&self, name: &str) -> Option<Zeroizing<String>> {
        self.get(name).map(|entry| entry.value.text().clone())
    }
}

/// What a file looks like from outside: another one, or one that was changed, looks otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamp([Option<FileStamp>; 2]);

/// Device, inode, length, and when it was last changed: seconds and nanoseconds.
type FileStamp = (u64, u64, u64, i64, i64);

impl Store {
    /// The vault of a home with these folders: `vault` in `data`, and its key `vault.key` in `config`, so that a copy of
    /// one of the folders alone shows nothing.
    pub fn new(config: &Path, data: &Path) -> Store {
        Store {
            file: data.join("vault"),
            key: config.join("vault.key"),
        }
    }

    /// The vault's file.
    pub fn path(&self) -> &Path {
        &self.file
    }

    /// What is in it; nothing where there is no file.
    ///
    /// # Errors
    /// When it can't be read, others have access to it, or it is not what was written.
    pub fn load(&self) -> Result<Contents, VaultError> {
        let Some(file) = read_private(&self.file, LONGEST)? else {
            return Ok(Contents::default());
        };
        let key = self.key()?.ok_or_else(|| VaultError::NoKey {
            vault: self.file.clone(),
            key: self.key.clone(),
        })?;
        let entries = seal::open(&key, &file).map_err(|seal::NotSealed| VaultError::Damaged {
            vault: self.file.clone(),
            key: self.key.clone(),
        })?;
        Ok(Contents(
            entries.into_iter().map(|entry| (entry.name.key(), entry)).collect(),
        ))
    }

    /// Sets a secret, in place of an earlier one of its name, and says where that could be sent, and where this one may be.
    /// Without `hosts` it is for those the earlier one was for. When this returns, the secret is on the disk.
    ///
    /// # Errors
    /// As [`Store::load`], or when it can't be written; then the vault is as it was.
    pub fn set(&self, name: SecretName, value: Value, hosts: Vec<Host>) -> Result<Reach, VaultError> {
        if hosts.len() > MOST_HOSTS {
            return Err(VaultError::TooManyHosts);
        }
        self.change(|contents| {
            let before = contents.get(name.as_str()).map(|earlier| earlier.hosts.clone());
            if before.is_none() && contents.0.len() >= MOST_SECRETS {
                return Err(VaultError::Full);
            }
            let mut hosts = match &before {
                Some(earlier) if hosts.is_empty() => earlier.clone(),
                _ => hosts,
            };
            hosts.sort();
            hosts.dedup();
            let entry = Entry {
                hosts: hosts.clone(),
                set: SystemTime::now(),
                value,
                name,
            };
            contents.0.insert(entry.name.key(), entry);
            Ok(Reach { before, now: hosts })
        })
    }

    /// Removes a secret. When this returns, it is gone from the disk, as far as the file system overwrites.
    ///
    /// # Errors
    /// When there is none of that name; and as [`Store::set`].
    pub fn remove(&self, name: &str) -> Result<(), VaultError> {
        self.change(|contents| match contents.0.remove(&name.to_ascii_lowercase()) {
            Some(_) => Ok(()),
            None => Err(VaultError::Unknown {
                name: name.chars().take(64).collect(),
            }),
        })
    }

    fn change<R>(&self, change: impl FnOnce(&mut Contents) -> Result<R, VaultError>) -> Result<R, VaultError> {
        for folder in [&self.file, &self.key].into_iter().filter_map(|path| path.parent()) {
            create_private_dir(folder)?;
        }
        let folder = self.file.parent().unwrap_or(Path::new("."));
        let lock = |source: std::io::Error| VaultError::Lock {
            path: folder.to_owned(),
            source,
        };
        // Two commands at once must not lose each other's entries.
        let held = File::open(folder).map_err(lock)?;
        rustix::fs::flock(&held, FlockOperation::LockExclusive).map_err(|error| lock(error.into()))?;
        let mut contents = self.load()?;
        let result = change(&mut contents)?;
        let key = match self.key()? {
            Some(key) => key,
            None => self.new_key()?,
        };
        let entries: Vec<&Entry> = contents.entries().collect();
        write_private(&self.file, &seal::seal(&key, &entries)?)?;
        Ok(result)
    }

    fn key(&self) -> Result<Option<Key>, VaultError> {
        let Some(bytes) = read_private(&self.key, 4 << 10)? else {
            return Ok(None);
        };
        let key: &[u8; KEY_BYTES] = bytes.as_slice().try_into().map_err(|_| VaultError::BadKey {
            key: self.key.clone(),
            bytes: bytes.len(),
        })?;
        Ok(Some(Zeroizing::new(*key)))
    }

    /// Called only where there is no vault yet: a vault without its key is an error before.
    fn new_key(&self) -> Result<Key, VaultError> {
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        getrandom::fill(&mut key[..])?;
        write_private(&self.key, &key[..])?;
        Ok(key)
    }

    /// What vault and key look like now.
    pub fn stamp(&self) -> Stamp {
        let seen = |path: &Path| {
            let about = fs::symlink_metadata(path).ok()?;
            Some((about.dev(), about.ino(), about.len(), about.ctime(), about.ctime_nsec()))
        };
        Stamp([seen(&self.file), seen(&self.key)])
    }
}
