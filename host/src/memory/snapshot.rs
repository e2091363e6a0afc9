//! Named snapshots of the memory objects: pointer copies, however many objects there are.
//!
//! A snapshot is never changed by what happens after it was taken, nor by a rollback to it.

use std::collections::VecDeque;

use super::MemoryError;
use super::store::Store;

/// How many snapshots are kept, as many as the original kept. One more takes the place of the oldest.
const KEPT: usize = 20;

/// Longest name, in characters: it has to fit a line of a listing.
const NAME_CHARS: usize = 64;

/// One snapshot.
#[derive(Clone, Debug)]
pub struct Snapshot {
    name: String,
    pub(super) store: Store,
}

impl Snapshot {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many objects it holds.
    pub fn objects(&self) -> usize {
        self.store.len()
    }
}

/// The snapshots, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshots(VecDeque<Snapshot>);

impl Snapshots {
    pub(super) fn take(&mut self, name: &str, store: Store) -> Result<(), MemoryError> {
        if name.trim().is_empty() || name.chars().count() > NAME_CHARS || name.chars().any(char::is_control) {
            return Err(MemoryError::BadSnapshotName {
                name: name.escape_debug().to_string(),
                most: NAME_CHARS,
            });
        }
        self.0.retain(|snapshot| snapshot.name != name);
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(Snapshot {
            name: name.to_owned(),
            store,
        });
        Ok(())
    }

    pub(super) fn find(&self, name: &str) -> Result<&Snapshot, MemoryError> {
        self.0
            .iter()
            .find(|snapshot| snapshot.name == name)
            .ok_or_else(|| MemoryError::UnknownSnapshot {
                name: name.to_owned(),
                known: match self.0.is_empty() {
                    true => "there is none".to_owned(),
                    false => format!(
                        "there are: {}",
                        self.iter().map(Snapshot::name).collect::<Vec<_>>().join(", ")
                    ),
                },
            })
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &Snapshot> {
        self.0.iter()
    }
}
