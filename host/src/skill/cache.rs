//! Compiled code on disk, so that a file that was seen before is ready at once.
//!
//! Serialised code has no integrity of its own, and whoever can change it runs as the host. So each entry is
//! authenticated with a key that only the host's user can read, is read into memory whole, and is handed to the engine
//! only once it has proved to be what was written under this very name. Whatever is doubtful is compiled again and
//! counted; nothing here is ever an error for a skill. A skill steers nothing but the bytes it is made of.

mod folder;
mod key;

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest as _, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use super::ENGINE_VERSION;
use super::fault::one_line;
use crate::audit::create_private_dir;
use crate::sexp::Digest;
use folder::{Folder, Refusal};
use key::{Key, MAC};

/// The folder below `state/`.
const FOLDER: &str = "code";

/// How often the cache helped, and how often it could not be believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounts {
    /// Taken from the cache.
    pub hits: u64,
    /// Compiled, because there was no entry.
    pub misses: u64,
    /// Compiled, because there was an entry that could not be believed.
    pub refused: u64,
}

/// The cache of one home.
#[derive(Debug)]
pub struct CodeCache {
    folder: Folder,
    key: Key,
    hits: AtomicU64,
    misses: AtomicU64,
    refused: AtomicU64,
}

/// The cache can't be used; everything is compiled instead.
#[derive(Debug, thiserror::Error)]
#[error("compiled code can't be kept in {path}: {problem}")]
pub struct CacheError {
    path: PathBuf,
    problem: String,
}

impl CodeCache {
    /// The cache below `state`, a folder of the host's own, of at most `longest` bytes. The folder and the key are made
    /// on first use; what earlier writers left half-done is removed.
    ///
    /// # Errors
    /// When there can be none: the folder is not ours, or can't be written.
    pub fn open(state: &Path, longest: u64) -> Result<CodeCache, CacheError> {
        let path = state.join(FOLDER);
        let refuse = |problem: String| CacheError {
            path: path.clone(),
            problem,
        };
        create_private_dir(state).map_err(|error| refuse(error.to_string()))?;
        let folder = Folder::open(&path, longest).map_err(|refusal| refuse(refusal.to_string()))?;
        let key = Key::load_or_make(state).map_err(|error| refuse(error.to_string()))?;
        folder.tidy(None);
        Ok(CodeCache {
            folder,
            key,
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        })
    }

    /// What happened so far.
    pub fn counts(&self) -> CacheCounts {
        CacheCounts {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
        }
    }

    /// Whether there is an entry for the file `digest`, which may still not be believed.
    pub(super) fn has(&self, engine: &Engine, digest: &Digest) -> bool {
        self.folder.has(&name(engine, digest))
    }

    /// The code for the file `digest`, from the cache or from `compile`, whose answer is kept for the next time.
    pub(super) fn component<E>(
        &self,
        engine: &Engine,
        digest: &Digest,
        compile: impl FnOnce() -> Result<(Vec<u8>, Component), E>,
    ) -> Result<Component, E> {
        let name = name(engine, digest);
        match self.take(engine, &name) {
            Ok(Some(component)) => {
                self.hits.fetch_add(1, Ordering::Relaxed);
                return Ok(component);
            }
            Ok(None) => {
                self.misses.fetch_add(1, Ordering::Relaxed);
            }
            Err(refusal) => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                tracing::warn!("compiled code of an earlier run is not used ({refusal}); compiling again");
                self.folder.remove(&name);
            }
        }
        let (code, component) = compile()?;
        self.keep(&name, &code);
        Ok(component)
    }

    /// What is kept under `name`, if it can be believed.
    fn take(&self, engine: &Engine, name: &str) -> Result<Option<Component>, Refusal> {
        let Some(entry) = self.folder.read(name)? else {
            return Ok(None);
        };
        let code = open_entry(&self.key, name, &entry)?;
        let component = deserialize(engine, code)?;
        self.folder.touch(name);
        Ok(Some(component))
    }

    /// Puts code under the name of the file `digest`, as this host would have.
    #[cfg(test)]
    pub(super) fn plant(&self, engine: &Engine, digest: &Digest, code: &[u8]) {
        let name = name(engine, digest);
        self.folder.write(&name, &seal(&self.key, &name, code)).ok();
    }

    fn keep(&self, name: &str, code: &[u8]) {
        match self.folder.write(name, &seal(&self.key, name, code)) {
            Ok(()) => self.folder.tidy(Some(name)),
            Err(refusal) => tracing::warn!("compiled code could not be kept for the next start: {refusal}"),
        }
    }
}

/// The name of an entry: what the code was made from, and for which engine.
fn name(engine: &Engine, digest: &Digest) -> String {
    let mut hash = Hashing(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut hash);
    let engine: [u8; 32] = hash.0.finalize().into();
    let parts = [digest.bytes(), engine.as_slice(), ENGINE_VERSION.as_bytes()].concat();
    Digest::of("passepartout-code-name-1", &parts).to_string()
}

/// Lets the engine hash itself into a digest that means the same in the next process.
struct Hashing(Sha256);

impl Hasher for Hashing {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Never asked for: the digest is taken instead.
    fn finish(&self) -> u64 {
        0
    }
}

/// An entry: the authentication, then the code.
fn seal(key: &Key, name: &str, code: &[u8]) -> Vec<u8> {
    let mut entry = Vec::with_capacity(MAC + code.len());
    entry.extend_from_slice(&key.mac(name, code));
    entry.extend_from_slice(code);
    entry
}

/// The code in `entry`, if it is what was sealed under `name`.
fn open_entry<'e>(key: &Key, name: &str, entry: &'e [u8]) -> Result<&'e [u8], Refusal> {
    let (mac, code) = entry.split_at_checked(MAC).ok_or(Refusal::Cut)?;
    if key.vouches_for(name, code, mac) {
        Ok(code)
    } else {
        Err(Refusal::Forged)
    }
}

fn deserialize(engine: &Engine, code: &[u8]) -> Result<Component, Refusal> {
    if Engine::detect_precompiled(code).is_none() {
        return Err(Refusal::Code("it is no compiled component".to_owned()));
    }
    let attempt = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: The bytes were authenticated under this name with a key that only this user can read, so they are
        // what this program serialised for an engine of the same configuration and version. They are in memory of our
        // own, where nobody changes them between the check and the use.
        unsafe { Component::deserialize(engine, code) }
    }));
    match attempt {
        Ok(component) => component.map_err(|error| Refusal::Code(one_line(&error))),
        Err(_) => Err(Refusal::Code("the engine could not read it".to_owned())),
    }
}
