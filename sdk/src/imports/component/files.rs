//! `files`.

use super::wit::files as wit;
use crate::capability::Failure;
use crate::files::{Entry, Kind};

pub(crate) fn read(path: &str, offset: u64, length: u32) -> Result<Vec<u8>, Failure> {
    wit::read(path, offset, length).map_err(|error| failure!(wit, error))
}

pub(crate) fn about(path: &str) -> Result<Entry, Failure> {
    wit::about(path).map(entry).map_err(|error| failure!(wit, error))
}

pub(crate) fn sha256(path: &str) -> Result<String, Failure> {
    wit::sha256(path).map_err(|error| failure!(wit, error))
}

pub(crate) fn list_folder(path: &str) -> Result<Vec<Entry>, Failure> {
    wit::list_folder(path)
        .map(|entries| entries.into_iter().map(entry).collect())
        .map_err(|error| failure!(wit, error))
}

pub(crate) fn write(action: u32, path: &str, text: &str) -> Result<u64, Failure> {
    wit::write(action, path, text).map_err(|error| failure!(wit, error))
}

pub(crate) fn edit(action: u32, path: &str, old: &str, new: &str) -> Result<u64, Failure> {
    wit::edit(action, path, old, new).map_err(|error| failure!(wit, error))
}

pub(crate) fn propose_write(path: &str, text: &str, replace: bool, explanation: &str) -> Result<u64, Failure> {
    wit::propose_write(path, text, replace, explanation).map_err(|error| failure!(wit, error))
}

fn entry(entry: wit::Entry) -> Entry {
    Entry {
        name: entry.name,
        kind: match entry.kind {
            wit::Kind::File => Kind::File,
            wit::Kind::Folder => Kind::Folder,
            wit::Kind::Link => Kind::Link,
            wit::Kind::Other => Kind::Other,
        },
        size: entry.size,
        modified: entry.modified,
    }
}
