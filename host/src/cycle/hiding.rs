//! What the operator keeps secret stays so, whoever repeats it: in what is sent to people, and in what is kept of a
//! conversation. The record hides it where it is [added to](Core::keep), the daemon's log where it is written, and a prompt
//! where it is made.

use std::sync::Arc;

use super::{Core, Outlet};
use crate::audit::{AppendLog, Durability, LogError};
use crate::sexp::Form;
use crate::signal::SessionId;
use crate::vault::Secrets;

/// The way to people, which no secret takes.
pub(super) struct Hiding {
    outlet: Arc<dyn Outlet>,
    secrets: Secrets,
}

impl Hiding {
    /// To those whom `outlet` reaches.
    pub(super) fn before(outlet: Arc<dyn Outlet>, secrets: &Secrets) -> Arc<dyn Outlet> {
        let secrets = secrets.clone();
        Arc::new(Hiding { outlet, secrets })
    }
}

impl Outlet for Hiding {
    fn send(&self, session: SessionId, frame: Form) {
        // Whom it is for is the client's own word, by which it knows its answers.
        let hidden = frame.get("PAYLOAD").and_then(|own| self.secrets.now().redact(own));
        let frame = match hidden {
            Some(payload) => frame.with("PAYLOAD", payload),
            None => frame,
        };
        self.outlet.send(session, frame);
    }

    fn is_heard(&self, session: SessionId) -> bool {
        self.outlet.is_heard(session)
    }
}

/// The file of a conversation.
#[derive(Debug)]
pub(super) struct Turns {
    log: AppendLog,
    secrets: Secrets,
}

impl Turns {
    /// The file that `log` adds to.
    pub(super) fn on(log: AppendLog, secrets: &Secrets) -> Turns {
        let secrets = secrets.clone();
        Turns { log, secrets }
    }

    /// Adds `entry`, without what is secret.
    ///
    /// # Errors
    /// When it can't be kept.
    pub(super) fn append(&mut self, entry: &Form, durability: Durability) -> Result<(), LogError> {
        let hidden = self.secrets.now().redact(entry);
        self.log.append(hidden.as_ref().unwrap_or(entry), durability)?;
        Ok(())
    }
}

impl Core {
    /// `text` without what is secret.
    pub(super) fn hidden(&self, text: &str) -> String {
        self.secrets.now().hide(text.to_owned())
    }
}
