//! What one version of a skill kept for sessions, and the next does not know: the sessions are told that it is lost.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use super::{Loader, Skill};
use crate::signal::SessionId;

/// What is known of the last version of a skill in whose place nothing is now.
#[derive(Debug, Default)]
pub(super) struct Gone {
    skill: Weak<Skill>,
    /// The sessions for which something was kept.
    sessions: Vec<SessionId>,
}

impl Loader {
    /// Has what is in use now know of which sessions those versions kept something that were in use `before`.
    pub(super) fn hand_over(&mut self, before: &BTreeMap<String, Arc<Skill>>) {
        for (name, earlier) in before {
            match self.in_use.get(name) {
                Some(now) if Arc::ptr_eq(now, earlier) => {}
                Some(now) => now.sessions.replace(&earlier.sessions),
                None => {
                    let sessions = earlier.sessions.known();
                    if !sessions.is_empty() {
                        let skill = Arc::downgrade(earlier);
                        self.gone.insert(name.clone(), Gone { skill, sessions });
                    }
                }
            }
        }
        for (name, now) in &self.in_use {
            // The very same one has it still.
            if let Some(gone) = self.gone.remove(name)
                && !std::ptr::eq(gone.skill.as_ptr(), Arc::as_ptr(now))
            {
                now.sessions.lack(gone.sessions);
            }
        }
    }
}
