//! Memory: the objects of the memex, in RAM, as a Merkle tree in structure-sharing maps.
//!
//! A signal writes to an [`Overlay`], which is committed whole or dropped whole; a snapshot and a rollback are pointer
//! copies; a rollback touches memory objects and nothing else. This room knows forms and nothing of who asks.

mod ingest;
mod keep;
mod merkle;
mod object;
mod outline;
mod overlay;
mod privacy;
mod snapshot;
mod store;
#[cfg(test)]
mod tests;
mod view;

pub use merkle::OriginalForm;
pub use object::{Attributes, Object, ObjectId, Origin, Place};
pub use outline::Outline;
pub use overlay::Overlay;
pub use privacy::PrivacyTags;
pub use snapshot::Snapshot;
pub use view::View;

use overlay::State;
use snapshot::Snapshots;

use crate::sexp::PlistError;

/// What memory refuses, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// A form that should be a plist and is none.
    #[error(transparent)]
    Plist(#[from] PlistError),
    /// A key that must be there is not.
    #[error("{field} needs {keys}")]
    Missing {
        /// Where.
        field: String,
        /// What belongs there.
        keys: &'static str,
    },
    /// A value of the wrong sort.
    #[error("{field} is {found}; {expected} belongs there")]
    Wrong {
        /// Where.
        field: String,
        /// What belongs there.
        expected: &'static str,
        /// What stands there, shortened.
        found: String,
    },
    /// A key that nodes do not have.
    #[error(
        "{field} has the key :{key}, which nodes do not have; they have :ID :TYPE :ATTRIBUTES :CONTENT :CHILDREN \
         :LINE :TAGS, and everything else belongs into :ATTRIBUTES"
    )]
    UnknownKey {
        /// Where.
        field: String,
        /// The key.
        key: String,
    },
    /// An id that no node may have.
    #[error("{field} {problem}")]
    BadId {
        /// Where.
        field: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Two nodes of one buffer with one id.
    #[error("{field} is \"{id}\", which an earlier node of this buffer has; give one of the two another id")]
    IdTwice {
        /// Where it stands the second time.
        field: String,
        /// The id.
        id: ObjectId,
    },
    /// Nodes nested too deep.
    #[error("{field} is nested more than {depth} nodes deep; flatten the tree or send its branches as buffers")]
    TooDeep {
        /// Where.
        field: String,
        /// The bound.
        depth: usize,
    },
    /// A point in an object that memory does not have.
    #[error("no memory object has the id \"{id}\"; send its buffer in a :BUFFER-UPDATE first")]
    UnknownId {
        /// The id.
        id: ObjectId,
    },
    /// A point in a buffer that memory does not have.
    #[error("memory has no buffer \"{path}\"; send it in a :BUFFER-UPDATE first")]
    UnknownPath {
        /// The path.
        path: String,
    },
    /// A key that objects of skills do not have.
    #[error(
        "the object has the key :{key}, which objects of skills do not have; they have :ID :TYPE :ATTRIBUTES :CONTENT \
         :TAGS, and everything else belongs into :ATTRIBUTES"
    )]
    UnknownKeptKey {
        /// The key.
        key: String,
    },
    /// An object with nothing in it.
    #[error("the object has neither :CONTENT nor :ATTRIBUTES; give it one of them")]
    Nothing,
    /// An object that is too large.
    #[error("the object has {bytes} bytes and may have {most}; split it into several")]
    TooLarge {
        /// How many it has.
        bytes: usize,
        /// The bound.
        most: usize,
    },
    /// A skill that keeps too many objects.
    #[error("the skill keeps {most} objects, and may keep no more; write over one, by its :ID")]
    TooMany {
        /// The bound.
        most: usize,
    },
    /// A name that no snapshot may have.
    #[error("\"{name}\" can't name a snapshot: a name is one line of 1 to {most} characters, not all blank")]
    BadSnapshotName {
        /// The name, control characters escaped.
        name: String,
        /// The bound.
        most: usize,
    },
    /// No snapshot of that name.
    #[error("there is no snapshot \"{name}\"; {known}")]
    UnknownSnapshot {
        /// The name.
        name: String,
        /// Those there are.
        known: String,
    },
}

/// The memory.
#[derive(Debug, Default)]
pub struct Memory {
    state: State,
    snapshots: Snapshots,
    /// How many commits and rollbacks there were, by which an overlay sees that another came first.
    changes: u64,
    privacy: PrivacyTags,
}

impl Memory {
    /// An empty memory in which objects with these tags are private.
    pub fn new(privacy: PrivacyTags) -> Memory {
        Memory {
            privacy,
            ..Memory::default()
        }
    }

    /// An overlay for the writes of one signal. A pointer copy.
    pub fn overlay(&self) -> Overlay {
        Overlay::new(self.state.clone(), self.changes, self.privacy.clone())
    }

    /// Makes an overlay's writes the memory's. If another overlay was committed, or a snapshot rolled back to, since
    /// this one began, its writes are made again on top of that, so that neither is lost.
    pub fn commit(&mut self, overlay: Overlay) {
        if overlay.writes.is_empty() {
            return;
        }
        if overlay.base == self.changes {
            self.state = overlay.state;
        } else {
            overlay.writes.iter().for_each(|write| self.state.apply(write));
        }
        self.changes += 1;
    }

    /// What memory holds at this moment, to be looked through without keeping anybody waiting. A pointer copy.
    pub fn view(&self) -> View {
        View::new(self.state.store.clone())
    }

    /// The object with the id `id`.
    pub fn get(&self, id: &str) -> Option<&Object> {
        self.state.store.get(&ObjectId::known(id)).map(|object| &**object)
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.state.store.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id of the object in focus, if there is one.
    pub fn foveal_id(&self) -> Option<String> {
        let focus = self.state.focus.as_ref()?;
        self.state.store.get(focus).map(|object| object.id.to_string())
    }

    /// What a model is shown: the object in focus whole, what surrounds it in outline, nothing that is private. Empty
    /// when there is nothing to show. At most some 40 KiB, and no dearer for any number of objects.
    pub fn outline(&self) -> Outline {
        outline::outline(&self.state.store, self.state.focus.as_ref())
    }

    /// Keeps the objects as they are now under `name`. Of one name the later snapshot stays; of more than twenty the
    /// oldest goes.
    ///
    /// # Errors
    /// When the name is blank, too long or more than one line.
    pub fn snapshot(&mut self, name: &str) -> Result<(), MemoryError> {
        self.snapshots.take(name, self.state.store.clone())
    }

    /// Makes the objects what they were when the snapshot `name` was taken. The snapshot stays as it is.
    ///
    /// # Errors
    /// When there is no such snapshot; the error names those there are.
    pub fn rollback(&mut self, name: &str) -> Result<(), MemoryError> {
        self.state.store = self.snapshots.find(name)?.store.clone();
        self.changes += 1;
        Ok(())
    }

    /// The snapshots, oldest first.
    pub fn snapshots(&self) -> impl ExactSizeIterator<Item = &Snapshot> {
        self.snapshots.iter()
    }
}
