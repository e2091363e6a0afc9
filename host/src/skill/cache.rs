//! Compiled code on disk, so that a file that was seen before is ready at once.
//!
//! Serialised code has no integrity of its own, and whoever can change it runs as the host. So each entry is
//! authenticated with a key that only the host's user can read, is read into memory whole, and is handed to the engine
//! only once it has proved to be what was written under this very name. What was found in the file stands before its code,
//! authenticated for itself, so that it can be read alone. Whatever is doubtful is compiled again and
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
use super::inspect::Anatomy;
use crate::audit::create_private_dir;
use crate::sexp::Digest;
use folder::{Folder, Refusal};
use key::{Key, MAC};

/// The folder below `state/`.
const FOLDER: &str = "code";

/// The most that is kept of what was found in a file, in bytes.
const ANATOMY: usize = 1 << 20;

/// The length of it stands before it, in so many bytes.
const LENGTH: usize = 4;

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
#[error("compiled code can't be kept: {path}: {problem}")]
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
        let refuse_key = |error: std::io::Error| CacheError {
            path: state.join(key::FILE),
            problem: format!("the key that vouches for it can't be used ({error}); remove it, and it is made anew"),
        };
        create_private_dir(state).map_err(|error| refuse(error.to_string()))?;
        let folder = Folder::open(&path, longest).map_err(|refusal| refuse(refusal.to_string()))?;
        let key = Key::load_or_make(state).map_err(refuse_key)?;
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

    /// What was found in the file `digest` before it was compiled, if that is kept and can be believed. What can't be is
    /// counted once the code is asked for.
    pub(super) fn anatomy(&self, engine: &Engine, digest: &Digest) -> Option<Anatomy> {
        let name = name(engine, digest);
        let most = 2 * MAC + LENGTH + ANATOMY;
        let start = self.folder.read_start(&name, most as u64).ok()??;
        let (found, _) = open_start(&self.key, &name, start.get(MAC..)?).ok()?;
        let anatomy: Anatomy = serde_json::from_slice(found).ok()?;
        (anatomy.digest == *digest).then_some(anatomy)
    }

    /// The code for the file of this `anatomy`, from the cache or from `compile`, whose answer is kept for the next time.
    pub(super) fn component<E>(
        &self,
        engine: &Engine,
        anatomy: &Anatomy,
        compile: impl FnOnce() -> Result<(Vec<u8>, Component), E>,
    ) -> Result<Component, E> {
        let name = name(engine, &anatomy.digest);
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
        self.keep(&name, anatomy, &code);
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

    /// Puts code under the name of the file of this `anatomy`, as this host would have.
    #[cfg(test)]
    pub(super) fn plant(&self, engine: &Engine, anatomy: &Anatomy, code: &[u8]) {
        let name = name(engine, &anatomy.digest);
        self.folder.write(&name, &seal(&self.key, &name, anatomy, code)).ok();
    }

    fn keep(&self, name: &str, anatomy: &Anatomy, code: &[u8]) {
        match self.folder.write(name, &seal(&self.key, name, anatomy, code)) {
            Ok(()) => self.folder.tidy(Some(name)),
            Err(refusal) => tracing::warn!("compiled code could not be kept for the next start: {refusal}"),
        }
    }
}

/// The name of an entry: what the code was made from, for which engine, and which host looked into it.
fn name(engine: &Engine, digest: &Digest) -> String {
    let mut hash = Hashing(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut hash);
    let engine: [u8; 32] = hash.0.finalize().into();
    let host = concat!(env!("CARGO_PKG_VERSION"), "\n").as_bytes();
    let parts = [digest.bytes(), engine.as_slice(), host, ENGINE_VERSION.as_bytes()].concat();
    Digest::of("passepartout-code-name-3", &parts).to_string()
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

/// An entry: the authentication of all that follows; that of what was found in the file alone, how long that is, and it
/// itself; then the code.
fn seal(key: &Key, name: &str, anatomy: &Anatomy, code: &[u8]) -> Vec<u8> {
    // Without it the file is looked into again each time.
    let mut found = serde_json::to_vec(anatomy).unwrap_or_default();
    if found.len() > ANATOMY {
        found.clear();
    }
    let length = u32::try_from(found.len()).unwrap_or(0).to_be_bytes();
    let rest = [key.mac(&part(name), &found).as_slice(), length.as_slice(), &found, code].concat();
    [key.mac(name, &rest).as_slice(), &rest].concat()
}

/// Under what name that which was found in the file is authenticated alone.
fn part(name: &str) -> String {
    format!("{name} anatomy")
}

/// What was found in the file, if it is what was sealed under `name`, and what follows it. `rest` is an entry without the
/// authentication of it all.
fn open_start<'e>(key: &Key, name: &str, rest: &'e [u8]) -> Result<(&'e [u8], &'e [u8]), Refusal> {
    let (mac, rest) = rest.split_at_checked(MAC).ok_or(Refusal::Cut)?;
    let (length, rest) = rest.split_first_chunk::<LENGTH>().ok_or(Refusal::Cut)?;
    let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
    let (found, rest) = rest.split_at_checked(length).ok_or(Refusal::Cut)?;
    if key.vouches_for(&part(name), found, mac) {
        Ok((found, rest))
    } else {
        Err(Refusal::Forged)
    }
}

/// The code in `entry`, if it is what was sealed under `name`.
fn open_entry<'e>(key: &Key, name: &str, entry: &'e [u8]) -> Result<&'e [u8], Refusal> {
    let (mac, rest) = entry.split_at_checked(MAC).ok_or(Refusal::Cut)?;
    if !key.vouches_for(name, rest, mac) {
        return Err(Refusal::Forged);
    }
    Ok(open_start(key, name, rest)?.1)
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
