//! The instances of a skill that keeps state: one a session, a bounded number, none after a fault.
//!
//! State that is lost is never lost without a word: the next answer in that session says so.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::component::{Code, Running};
use super::stock::Lender;
use crate::capability::{Purpose, Turn};
use crate::gate::GateFault;
use crate::signal::SessionId;

/// Sessions with state at once. Each holds an instance of tens to hundreds of KiB.
pub(super) const SESSIONS: usize = 64;

/// What is said before the first answer of a session whose state was dropped.
const LOST: &str = "; note: what this session had defined earlier was dropped, because too many others were in use\n";

/// The kept instances of one skill.
#[derive(Default)]
pub(super) struct Sessions(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    slots: HashMap<SessionId, Slot>,
    /// Counts uses, so that the oldest can be told without a clock.
    uses: u64,
    dropped: HashSet<SessionId>,
}

/// One session's instance; nothing before the first call, and after a fault.
type Place = Arc<Mutex<Option<Keeps>>>;

/// An instance, and what it may have kept.
struct Keeps {
    running: Running,
    /// Whether a turn used it that had read something from outside the workspace.
    tainted: bool,
}

struct Slot {
    running: Place,
    used: u64,
}

impl Sessions {
    /// No instances yet. When places for those of `code` run out, the session that was idle longest gives up its own.
    pub(super) fn of(code: &Code) -> Sessions {
        let sessions = Sessions::default();
        let kept: Weak<Mutex<Kept>> = Arc::downgrade(&sessions.0);
        code.house().stock().register(Purpose::Act, kept);
        sessions
    }

    /// Calls `work` with the session's instance, which `start` makes if there is none. After a fault it is dropped. Whatever
    /// a tainted turn has used taints `turn`: what it says may be what that turn had it keep.
    pub(super) fn with(
        &self,
        session: SessionId,
        turn: &Turn,
        start: impl FnOnce() -> Result<Running, GateFault>,
        work: impl FnOnce(&mut Running) -> Result<Result<String, String>, GateFault>,
    ) -> Result<Result<String, String>, GateFault> {
        let (slot, lost) = self.slot(session)?;
        let mut held = slot.lock().unwrap_or_else(PoisonError::into_inner);
        // Taken out, so that neither a fault nor a panic leaves a poisoned instance behind.
        let (mut running, tainted) = match held.take() {
            Some(own) => (own.running, own.tainted),
            None => (start()?, false),
        };
        if tainted {
            turn.read_outside();
        }
        let outcome = work(&mut running)?;
        *held = Some(Keeps {
            running,
            tainted: turn.has_read_outside(),
        });
        let note = |text: String| if lost { format!("{LOST}{text}") } else { text };
        Ok(match outcome {
            Ok(text) => Ok(note(text)),
            Err(text) => Err(note(text)),
        })
    }

    /// How many instances there are.
    pub(super) fn count(&self) -> usize {
        self.kept().slots.len()
    }

    /// The session's place, and whether what was there before has been dropped.
    fn slot(&self, session: SessionId) -> Result<(Place, bool), GateFault> {
        let mut kept = self.kept();
        kept.uses += 1;
        let used = kept.uses;
        if let Some(slot) = kept.slots.get_mut(&session) {
            slot.used = used;
            return Ok((slot.running.clone(), false));
        }
        if kept.slots.len() >= SESSIONS {
            kept.drop_oldest_idle()?;
        }
        let running = Arc::new(Mutex::new(None));
        kept.slots.insert(
            session,
            Slot {
                running: running.clone(),
                used,
            },
        );
        let lost = kept.dropped.remove(&session);
        Ok((running, lost))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lender for Mutex<Kept> {
    fn spare(&self) -> usize {
        let kept = self.lock().unwrap_or_else(PoisonError::into_inner);
        kept.idle().count()
    }

    fn give_up(&self) {
        let mut kept = self.lock().unwrap_or_else(PoisonError::into_inner);
        // Used meanwhile: then there is nothing to give up, and whoever asked asks elsewhere.
        let _ = kept.drop_oldest_idle();
    }
}

impl Kept {
    /// Those that nobody uses at the moment: whoever does holds a second reference.
    fn idle(&self) -> impl Iterator<Item = (&SessionId, &Slot)> {
        self.slots
            .iter()
            .filter(|(_, slot)| Arc::strong_count(&slot.running) == 1)
    }

    fn drop_oldest_idle(&mut self) -> Result<(), GateFault> {
        let Some(oldest) = self
            .idle()
            .min_by_key(|(_, slot)| slot.used)
            .map(|(session, _)| *session)
        else {
            return Err(GateFault::Unavailable {
                reason: format!("all {SESSIONS} sessions that may keep state are busy; try again in a moment"),
            });
        };
        tracing::warn!(%oldest, "too many sessions keep state; the one that was idle longest loses what it defined");
        self.slots.remove(&oldest);
        // Bounded, like the sessions themselves: beyond that many nobody is waiting for the note any more.
        if self.dropped.len() >= 16 * SESSIONS {
            self.dropped.clear();
        }
        self.dropped.insert(oldest);
        Ok(())
    }
}
