//! What nobody has heard yet: what was said while nobody was attached, and what the daemon before this one left.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::runtime::Handle;

use super::service::Daemon;
use crate::cycle::Core;
use crate::protocol::BoxFuture;
use crate::sexp::Form;
use crate::signal::SessionId;

/// How long somebody waits to hear what the daemon before left: a few of thousands of conversations were used last.
const PATIENCE: Duration = Duration::from_secs(5);

/// All of it, once. That it was told is kept behind the caller's back.
fn tell(core: &Arc<Core>, runtime: &Handle) -> Option<Form> {
    let told = core.unheard.tell()?;
    let core = core.clone();
    runtime.spawn_blocking(move || {
        if let Err(error) = core.unheard.save() {
            tracing::error!(
                "that it was told what nobody had heard can't be kept, so that it is told again: {error}"
            );
        }
    });
    Some(told)
}

impl Daemon {
    /// What nobody has heard yet, for an operator, as far as it is known at this moment.
    pub(super) fn tell_unheard(&self) -> Option<Form> {
        tell(&self.core, &self.runtime)
    }

    /// The same for whoever asks: all of it, also what the daemon before left, which is looked for at the start.
    pub(super) fn all_unheard(&self) -> BoxFuture<Option<Form>> {
        let (core, runtime, mut told) = (self.core.clone(), self.runtime.clone(), self.told.subscribe());
        Box::pin(async move {
            // What is not found by then is heard by whoever comes next.
            let _ = tokio::time::timeout(PATIENCE, told.wait_for(|told| *told)).await;
            tell(&core, &runtime)
        })
    }

    /// Tells, behind the caller's back, of what the daemon before this one left that began at `since` and was killed.
    pub(super) fn begin_telling(self: &Arc<Daemon>, since: SystemTime) {
        self.told.send_replace(false);
        let daemon = self.clone();
        self.runtime.spawn_blocking(move || {
            daemon.tell_broken_off_requests(since);
            daemon.told.send_replace(true);
        });
    }

    /// Tells of the requests that the daemon before this one, which began at `since` and was killed, left without an answer, and
    /// of those that it had not begun.
    /// Blocks.
    fn tell_broken_off_requests(&self, since: SystemTime) {
        let sessions = &self.core.sessions;
        let is_one = |id: &SessionId| {
            // What the heart asks is no request of anybody's.
            *id != SessionId::HEARTBEAT && sessions.last_used(*id).is_some_and(|used| used >= since)
        };
        for id in sessions.ids().into_iter().filter(is_one) {
            // Held: the first heartbeat puts away what nobody hears, and it would be told here while it is opened anew.
            if let Ok(session) = self.held(id) {
                self.core.tell_broken_off_request(&session);
                self.core.tell_unbegun(&session);
            }
            if !self.core.outlet.is_heard(id) {
                sessions.put_away(id);
            }
        }
    }
}
