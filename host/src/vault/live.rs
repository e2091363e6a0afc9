//! A vault in use: what is in it now, whoever changed it and when.
//!
//! Each use looks at the file from outside and reads it again only when it is another one, so that what
//! `vault set` wrote counts from the next decision on. A vault that can no longer be read keeps being recognised as it
//! was, so that nothing that was secret leaks meanwhile; but nothing in it can be used.

use std::sync::{Arc, PoisonError, RwLock};

use hmac::{Hmac, KeyInit, Mac as _};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::secrets::SecretSet;
use super::store::{Contents, Stamp, Store};
use super::{Entry, VaultError};

/// A vault in use.
#[derive(Debug)]
pub struct Vault {
    store: Store,
    /// What is secret beside it: keys from the environment.
    beside: RwLock<Vec<Zeroizing<String>>>,
    seen: RwLock<Arc<Seen>>,
}

/// The vault as it was found.
#[derive(Debug, Default)]
struct Seen {
    stamp: Option<Stamp>,
    contents: Contents,
    secrets: SecretSet,
    /// Whether the file could be read when it was looked at last. If not, the contents are those before.
    readable: bool,
}

impl Vault {
    /// The vault of `store`, and the values of `beside`, which are secret too. A vault that can't be read is no error
    /// here: it is logged, and every use of a secret says why.
    pub fn new(store: Store, beside: impl IntoIterator<Item = String>) -> Vault {
        let vault = Vault {
            store,
            beside: RwLock::new(beside.into_iter().map(Zeroizing::new).collect()),
            seen: RwLock::default(),
        };
        vault.now();
        vault
    }

    /// From now on `values` are secret as well. What was secret stays so.
    pub fn also(&self, values: impl IntoIterator<Item = String>) {
        let mut own = self.seen.write().unwrap_or_else(PoisonError::into_inner);
        let mut beside = self.beside.write().unwrap_or_else(PoisonError::into_inner);
        for value in values.into_iter().map(Zeroizing::new) {
            if !beside.contains(&value) {
                beside.push(value);
            }
        }
        let values = own.contents.entries().map(|entry| entry.value.text().clone());
        *own = Arc::new(Seen {
            stamp: own.stamp.clone(),
            secrets: SecretSet::of(values.chain(beside.iter().cloned())),
            contents: own.contents.clone(),
            readable: own.readable,
        });
    }

    fn beside(&self) -> Vec<Zeroizing<String>> {
        self.beside.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The values that must not leave, at this moment.
    pub fn secrets(&self) -> SecretSet {
        self.now().secrets.clone()
    }

    /// The same, and whether that is all of them.
    pub fn moment(&self) -> Moment {
        match self.usable() {
            Ok(seen) => Moment {
                secrets: seen.secrets.clone(),
                fault: None,
            },
            Err((seen, error)) => Moment {
                secrets: seen.secrets.clone(),
                fault: Some(error),
            },
        }
    }

    /// The names of the secrets, sorted.
    ///
    /// # Errors
    /// When the vault can't be read.
    pub fn names(&self) -> Result<Vec<String>, VaultError> {
        let seen = self.contents()?;
        Ok(seen.contents.names())
    }

    /// HMAC-SHA256 of `data` under the secret `name`.
    ///
    /// # Errors
    /// When the vault can't be read, or has no such secret.
    pub fn hmac_sha256(&self, name: &str, data: &[u8]) -> Result<[u8; 32], VaultError> {
        let seen = self.contents()?;
        let key = seen.entry(name)?.value.text();
        // HMAC takes keys of every length, so that this can't fail.
        let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).map_err(|_| VaultError::Sealing)?;
        mac.update(data);
        Ok(mac.finalize().into_bytes().into())
    }

    /// The value of the secret `name`, to be sent to `host`: a name or an address without port, case does not matter.
    /// Whoever calls this must have checked that the skill it acts for may use the secret.
    ///
    /// # Errors
    /// When the vault can't be read, has no such secret, or the secret may not be sent there.
    pub fn reveal_for(&self, name: &str, host: &str) -> Result<Zeroizing<String>, VaultError> {
        let seen = self.contents()?;
        let entry = seen.entry(name)?;
        if !entry.is_for(host) {
            return Err(VaultError::NotForHost {
                name: entry.name.clone(),
                host: host.chars().take(253).collect(),
            });
        }
        Ok(entry.value.text().clone())
    }

    /// What is there now, if it can be read; else what was there before, and why.
    fn usable(&self) -> Result<Arc<Seen>, (Arc<Seen>, VaultError)> {
        let seen = self.now();
        if seen.readable {
            return Ok(seen);
        }
        // Reading it again says what is wrong with it, and finds it mended where no outward sign did.
        match self.store.load() {
            Ok(contents) => Ok(Arc::new(self.found(None, contents))),
            Err(error) => Err((seen, error)),
        }
    }

    /// What can be used of it.
    fn contents(&self) -> Result<Arc<Seen>, VaultError> {
        self.usable().map_err(|(_, error)| error)
    }

    /// A vault that holds `contents`.
    fn found(&self, stamp: Option<Stamp>, contents: Contents) -> Seen {
        let values = contents.entries().map(|entry| entry.value.text().clone());
        Seen {
            stamp,
            secrets: SecretSet::of(values.chain(self.beside())),
            contents,
            readable: true,
        }
    }

    fn now(&self) -> Arc<Seen> {
        let stamp = Some(self.store.stamp());
        let seen = self.seen.read().unwrap_or_else(PoisonError::into_inner).clone();
        if seen.stamp == stamp {
            return seen;
        }
        let mut own = self.seen.write().unwrap_or_else(PoisonError::into_inner);
        // Looked at before it is read: if it changes in between, the next use reads it once more.
        let stamp = Some(self.store.stamp());
        let mut fault = None;
        if own.stamp != stamp {
            let seen = match self.store.load() {
                Ok(contents) => self.found(stamp, contents),
                Err(error) => {
                    fault = Some(error);
                    let secrets = match own.stamp {
                        Some(_) => own.secrets.clone(),
                        None => SecretSet::of(self.beside()),
                    };
                    Seen {
                        stamp,
                        contents: own.contents.clone(),
                        secrets,
                        readable: false,
                    }
                }
            };
            *own = Arc::new(seen);
        }
        let seen = own.clone();
        drop(own);
        // The log asks what is secret: it is written when nothing is held any more.
        if let Some(error) = fault {
            tracing::error!("the vault: {error}");
        }
        seen
    }
}

impl Seen {
    fn entry(&self, name: &str) -> Result<&Entry, VaultError> {
        self.contents.get(name).ok_or_else(|| VaultError::Unknown {
            name: name.chars().take(64).collect(),
        })
    }
}

/// What must not leave, as one look found it.
#[derive(Debug)]
pub struct Moment {
    /// The values; where they can't be read, those of before.
    pub secrets: SecretSet,
    /// Why the vault can't be read: what is in it now could not be recognised.
    pub fault: Option<VaultError>,
}

impl Default for Secrets {
    fn default() -> Secrets {
        Secrets::Fixed(SecretSet::default())
    }
}

/// What the operator keeps secret, as those see it who look for it: asked anew for each decision, and the same
/// throughout one. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Secrets {
    /// These, for good.
    Fixed(SecretSet),
    /// Those of a vault in use.
    Vault(Arc<Vault>),
}

impl Secrets {
    /// The values of this moment.
    pub fn now(&self) -> SecretSet {
        match self {
            Secrets::Fixed(set) => set.clone(),
            Secrets::Vault(vault) => vault.secrets(),
        }
    }

    /// The same, and whether that is all of them, from one look.
    pub fn moment(&self) -> Moment {
        match self {
            Secrets::Fixed(set) => Moment {
                secrets: set.clone(),
                fault: None,
            },
            Secrets::Vault(vault) => vault.moment(),
        }
    }
}

impl From<SecretSet> for Secrets {
    fn from(set: SecretSet) -> Secrets {
        Secrets::Fixed(set)
    }
}

impl From<Arc<Vault>> for Secrets {
    fn from(vault: Arc<Vault>) -> Secrets {
        Secrets::Vault(vault)
    }
}
