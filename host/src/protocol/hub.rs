//! The hub: which connections belong to which session, and the one way by which the loop reaches them.
//!
//! Every connection of a session gets the same frames in the same order. Sending never waits and never fails: a client
//! that reads too slowly is dropped. What the frames say is not known here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::outbox::{self, Outbox};
use crate::sexp::Form;
use crate::signal::SessionId;

/// Sessions and their connections. Clones are the same hub.
#[derive(Clone, Debug, Default)]
pub struct Hub(Arc<Mutex<Sessions>>);

type Sessions = HashMap<SessionId, Vec<(u64, Outbox)>>;

impl Hub {
    /// A hub without sessions.
    pub fn new() -> Hub {
        Hub::default()
    }

    /// Sends `frame` to every connection of `session`; to nobody where there is none.
    pub fn send(&self, session: SessionId, frame: Form) {
        if !self.sessions().contains_key(&session) {
            return;
        }
        let bytes = outbox::encode(&frame);
        // Under the lock, so that all connections of the session see one order.
        for (_, outbox) in self.sessions().get(&session).into_iter().flatten() {
            outbox.send(Arc::clone(&bytes));
        }
    }

    /// How many connections `session` has.
    pub fn connections(&self, session: SessionId) -> usize {
        self.sessions().get(&session).map_or(0, Vec::len)
    }

    /// Adds a connection to a session until the membership is dropped.
    pub(super) fn enter(&self, session: SessionId, connection: u64, outbox: Outbox) -> Membership {
        self.sessions().entry(session).or_default().push((connection, outbox));
        Membership {
            hub: self.clone(),
            session,
            connection,
        }
    }

    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        // Nothing panics while the lock is held; if it did, the map would still be whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection's place in its session.
#[derive(Debug)]
pub(super) struct Membership {
    hub: Hub,
    session: SessionId,
    connection: u64,
}

impl Drop for Membership {
    fn drop(&mut self) {
        let mut sessions = self.hub.sessions();
        if let Some(members) = sessions.get_mut(&self.session) {
            members.retain(|(connection, _)| *connection != self.connection);
            if members.is_empty() {
                sessions.remove(&self.session);
            }
        }
    }
}
