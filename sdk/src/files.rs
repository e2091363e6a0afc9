//! Files beneath the folders that the operator granted. Needs a grant, `files:read:DIR` or `files:write:DIR`, and cannot
//! be called from a gate.
//!
//! A path is absolute, or begins in the workspace. Reading is bounded by the grant alone. What is written is what the
//! gates saw: [`write()`] takes paths into the cleared action, and the host reads path and text there. A file of the
//! skill's own is an action of its own: [`propose_write`].

pub use crate::capability::Failure;
use crate::{Action, imports};

/// What an entry of a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A plain file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// Anything else.
    Other,
}

/// One entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name; for [`about`], the last step of the path.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// In bytes; 0 for what is no plain file.
    pub size: u64,
    /// Seconds since 1970, of the last change.
    pub modified: u64,
}

/// At most `length` bytes of the file from `offset` on, and no more than the host's bound for one read. Empty at the end.
///
/// # Errors
/// Why it cannot be read.
pub fn read(path: &str, offset: u64, length: u32) -> Result<Vec<u8>, Failure> {
    imports::files::read(path, offset, length)
}

/// The whole file as text, as far as `longest` bytes.
///
/// # Errors
/// Why it cannot be read; it is longer; or it is not UTF-8.
pub fn read_text(path: &str, longest: usize) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    loop {
        let part = read(path, bytes.len() as u64, u32::try_from(longest + 1).unwrap_or(u32::MAX))?;
        if part.is_empty() {
            break;
        }
        bytes.extend_from_slice(&part);
        if bytes.len() > longest {
            return Err(Failure::Failed(format!("{path} has more than {longest} bytes")));
        }
    }
    String::from_utf8(bytes).map_err(|_| Failure::Failed(format!("{path} is no text in UTF-8")))
}

/// What stands at the path. A symbolic link is told of, and not followed.
///
/// # Errors
/// Why nothing can be said of it.
pub fn about(path: &str) -> Result<Entry, Failure> {
    imports::files::about(path)
}

/// The SHA-256 of the whole file, as 64 hexadecimal digits.
///
/// # Errors
/// Why it cannot be read.
pub fn sha256(path: &str) -> Result<String, Failure> {
    imports::files::sha256(path)
}

/// The entries of a folder, by name.
///
/// # Errors
/// Why it cannot be listed.
pub fn list_folder(path: &str) -> Result<Vec<Entry>, Failure> {
    imports::files::list_folder(path)
}

/// Writes the text at `text` of the cleared action into the file whose path stands at `path` of it, and returns how many
/// bytes the file has. For a tool those are `payload.args.path` and `payload.args.text`, and nothing else is cleared. Once
/// for each action.
///
/// A file that exists is replaced only if `:REPLACE T` stands beside its path. The host refuses calls of a tool with
/// parameters that it did not declare, so a tool that is to replace files declares that one too:
///
/// ```
/// use passepartout_sdk::{Parameter, Tool};
///
/// let tool = Tool::new("keep-note", "Writes a note into the workspace.")
///     .parameter(Parameter::string("path", "where").required())
///     .parameter(Parameter::string("text", "the note").required())
///     .parameter(Parameter::boolean("replace", "T to write over a note that is there"));
/// ```
///
/// # Errors
/// Why it was not written.
pub fn write(action: &Action, path: &str, text: &str) -> Result<u64, Failure> {
    imports::files::write(action.handle(), path, text)
}

/// Replaces the text at `old` of the cleared action, which must stand exactly once in the file whose path stands at `path`
/// of it, by the text at `new`, and returns how many bytes the file has then. For a call of a tool only, at
/// `payload.args.path`, `payload.args.old` and `payload.args.new`. Once for each action.
///
/// # Errors
/// Why nothing was changed.
pub fn edit(action: &Action, path: &str, old: &str, new: &str) -> Result<u64, Failure> {
    imports::files::edit(action.handle(), path, old, new)
}

/// Whether a file that exists may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and nothing is written.
    Keep,
    /// It is replaced.
    Replace,
}

/// Proposes a file of the skill's own. It is an action of its own, meets every gate, and needs an explanation.
///
/// # Errors
/// Why it was not written.
pub fn propose_write(path: &str, text: &str, existing: Existing, explanation: &str) -> Result<u64, Failure> {
    imports::files::propose_write(path, text, existing == Existing::Replace, explanation)
}
