//! A signal's writes: one overlay over the state that it began with, committed whole or dropped whole.
//!
//! Making one copies pointers. Dropping one leaves no trace, since nothing else ever sees what is in it.

use super::MemoryError;
use super::ingest::{self, Target, Update};
use super::keep::{self, Kept};
use super::object::ObjectId;
use super::privacy::PrivacyTags;
use super::store::Store;
use crate::sexp::Form;

/// What memory holds at one moment.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) store: Store,
    pub(super) focus: Option<ObjectId>,
    /// The number of the last change to any object. A rollback does not set it back.
    pub(super) version: u64,
}

/// A write that was checked when it was read: it can't fail any more.
#[derive(Debug)]
pub(super) enum Write {
    Buffer(ingest::Buffer),
    Kept(Kept),
    Focus(ObjectId),
}

impl State {
    pub(super) fn apply(&mut self, write: &Write) {
        match write {
            Write::Buffer(buffer) => {
                if self.store.write(buffer, self.version + 1) {
                    self.version += 1;
                }
            }
            Write::Kept(kept) => {
                if self.store.keep(&kept.node, &kept.origin, self.version + 1) {
                    self.version += 1;
                }
            }
            Write::Focus(id) => self.focus = Some(id.clone()),
        }
    }
}

/// The writes of one signal, seen by nobody else until [`Memory::commit`](super::Memory::commit).
#[derive(Debug)]
pub struct Overlay {
    pub(super) state: State,
    /// How many commits and rollbacks the memory had seen when this began.
    pub(super) base: u64,
    pub(super) writes: Vec<Write>,
    privacy: PrivacyTags,
}

impl Overlay {
    pub(super) fn new(state: State, base: u64, privacy: PrivacyTags) -> Overlay {
        Overlay {
            state,
            base,
            writes: Vec::new(),
            privacy,
        }
    }

    /// Takes in what a signal's payload says: a `:buffer-update` makes a buffer what the editor says it is, a
    /// `:point-update` moves the focus. Other sensors mean nothing to memory.
    ///
    /// # Errors
    /// When the payload is malformed, or the point is in nothing that memory knows. Nothing is written then.
    pub fn perceive(&mut self, payload: &Form) -> Result<(), MemoryError> {
        let write = match ingest::read(payload, &self.privacy)? {
            None => return Ok(()),
            Some(Update::Buffer(buffer)) => Write::Buffer(buffer),
            Some(Update::Focus(target)) => Write::Focus(self.resolve(target)?),
        };
        self.state.apply(&write);
        self.writes.push(write);
        Ok(())
    }

    /// Keeps the object that `form` describes, as the skill `skill`'s, in place of an earlier one of its id, and returns
    /// that id. `tainted` says whether anything in it may have come from outside the workspace.
    ///
    /// # Errors
    /// When the object is malformed or too large, or the skill keeps as many as it may. Nothing is written then.
    pub fn keep(&mut self, skill: &str, tainted: bool, form: &Form) -> Result<ObjectId, MemoryError> {
        let kept = keep::read(skill, tainted, form, &self.privacy)?;
        let id = kept.node.id.clone();
        if self.state.store.get(&id).is_none() && self.state.store.kept_by(skill) >= keep::MOST {
            return Err(MemoryError::TooMany { most: keep::MOST });
        }
        let write = Write::Kept(kept);
        self.state.apply(&write);
        self.writes.push(write);
        Ok(id)
    }

    fn resolve(&self, target: Target) -> Result<ObjectId, MemoryError> {
        match target {
            Target::Id(id) if self.state.store.get(&id).is_some() => Ok(id),
            Target::Id(id) => Err(MemoryError::UnknownId { id }),
            Target::Line(path, line) => match self.state.store.at_line(&path, line) {
                Some(object) => Ok(object.id.clone()),
                None => Err(MemoryError::UnknownPath { path: path.to_string() }),
            },
        }
    }
}
