//! The instances of a skill that keeps state: one a session, a bounded number, none after a fault.
//!
//! State that is lost is never lost without a word: the next answer in that session says so.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::component::{Code, Running};
use super::stock::Lender;
use crate::capability::{Purpose, Turn};
use crate::gate::GateFault;
use crate::signal::SessionId;

/// Sessions with state at once. Each holds an instance of tens to hundreds of KiB.
pub(super) const SESSIONS: usize = 64;

/// Why the state of a session was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    Crowded,
    Replaced,
    Stopped,
}

impl Why {
    /// What is said before the first answer of the session.
    fn told(self) -> &'static str {
        match self {
            Why::Crowded => {
                "; note: what this session had defined earlier was dropped, because too many others were in use\n"
            }
            Why::Replaced => {
                "; note: what this session had defined earlier was dropped, because the skill, or what it is granted, is \
                 another now\n"
            }
            Why::Stopped => "; note: what this session had defined earlier went with the call that was stopped\n",
        }
    }
}

/// What ended a call.
pub(super) struct Ended {
    pub(super) fault: GateFault,
    /// Whether something that was kept for the session went with it.
    pub(super) state_lost: bool,
}

impl From<GateFault> for Ended {
    fn from(fault: GateFault) -> Ended {
        Ended {
            fault,
            state_lost: false,
        }
    }
}

/// The kept instances of one skill.
#[derive(Default)]
pub(super) struct Sessions(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    slots: HashMap<SessionId, Slot>,
    /// Counts uses, so that the oldest can be told without a clock.
    uses: u64,
    dropped: HashMap<SessionId, Why>,
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

impl Slot {
    /// Whether there is an instance. One that is in use at the moment is not waited for.
    fn may_keep(&self) -> bool {
        !self.running.try_lock().is_ok_and(|held| held.is_none())
    }
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
    ) -> Result<Result<String, String>, Ended> {
        let (slot, lost) = self.slot(session)?;
        let mut held = slot.lock().unwrap_or_else(PoisonError::into_inner);
        // Taken out, so that neither a fault nor a panic leaves a poisoned instance behind.
        let own = held.take();
        // The note of what was lost before is not said where there is no answer.
        let state_lost = own.is_some() || lost.is_some();
        let ended = |fault| Ended { fault, state_lost };
        let (mut running, tainted) = match own {
            Some(own) => (own.running, own.tainted),
            None => (start().map_err(ended)?, false),
        };
        if tainted {
            turn.read_outside();
        }
        let outcome = work(&mut running).map_err(|fault| {
            // Whoever stopped it is not there any more to be told.
            if turn.cancel().is_cancelled() {
                self.kept().lost(session, Why::Stopped);
            }
            ended(fault)
        })?;
        *held = Some(Keeps {
            running,
            tainted: turn.has_read_outside(),
        });
        let note = |text: String| match lost {
            Some(why) => format!("{}{text}", why.told()),
            None => text,
        };
        Ok(match outcome {
            Ok(text) => Ok(note(text)),
            Err(text) => Err(note(text)),
        })
    }

    /// Takes the place of `earlier`, which is another version's: of the sessions for which that kept something it is known that
    /// it is lost, there too, where a turn that began before may still call.
    pub(super) fn replace(&self, earlier: &Sessions) {
        if Arc::ptr_eq(&self.0, &earlier.0) {
            return;
        }
        let lost = earlier.kept().give_way();
        self.lack(lost);
    }

    /// Notes that of these sessions another version knew what this one does not.
    pub(super) fn lack(&self, lost: Vec<SessionId>) {
        let mut kept = self.kept();
        for session in lost {
            kept.lost(session, Why::Replaced);
        }
    }

    /// The sessions for which something is kept, or was before without their knowing yet that it is lost.
    pub(super) fn known(&self) -> Vec<SessionId> {
        let kept = self.kept();
        let kept_for = kept.slots.iter().filter(|(_, slot)| slot.may_keep());
        kept_for
            .map(|(session, _)| session)
            .chain(kept.dropped.keys())
            .copied()
            .collect()
    }

    /// How many instances there are.
    pub(super) fn count(&self) -> usize {
        self.kept().slots.len()
    }

    /// The session's place, and why what was there before has been dropped, if it has.
    fn slot(&self, session: SessionId) -> Result<(Place, Option<Why>), GateFault> {
        let mut kept = self.kept();
        kept.uses += 1;
        let used = kept.uses;
        if let Some(slot) = kept.slots.get_mut(&session) {
            slot.used = used;
            let running = slot.running.clone();
            return Ok((running, kept.dropped.remove(&session)));
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
        // A place in which nothing is kept is given up first.
        let Some((oldest, keeps)) = self
            .idle()
            .min_by_key(|(_, slot)| (slot.may_keep(), slot.used))
            .map(|(session, slot)| (*session, slot.may_keep()))
        else {
            return Err(GateFault::Unavailable {
                reason: format!("all {SESSIONS} sessions that may keep state are busy; try again in a moment"),
            });
        };
        self.slots.remove(&oldest);
        if keeps {
            tracing::warn!(%oldest, "too many sessions keep state; the one that was idle longest loses what it defined");
            self.lost(oldest, Why::Crowded);
        }
        Ok(())
    }

    fn lost(&mut self, session: SessionId, why: Why) {
        // Bounded, like the sessions themselves: beyond that many nobody is waiting for the note any more.
        if self.dropped.len() >= 16 * SESSIONS {
            self.dropped.clear();
        }
        self.dropped.insert(session, why);
    }

    /// Drops what is kept, and says for which sessions something was, or has been before without their knowing yet.
    fn give_way(&mut self) -> Vec<SessionId> {
        for (session, slot) in std::mem::take(&mut self.slots) {
            if slot.may_keep() {
                self.lost(session, Why::Replaced);
            }
        }
        self.dropped.keys().copied().collect()
    }
}
