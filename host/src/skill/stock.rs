//! Instances made ready off the hot path.
//!
//! Each decision of a gate has an instance of its own, so that nothing an earlier one left behind can matter. Making
//! and dropping one costs several times what a call does, so both are done by a thread that belongs to the engines:
//! it keeps a few instances ready on a shelf for each gate, and clears away those that were used. What an instance can
//! see while it is made is the same whenever that is, so one from the shelf judges as one made on the spot.
//!
//! Places for instances are few. What is held here is bounded over all skills, and given up when somebody needs a place.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Instant;

use super::component::{Code, Running, Tenant};
use crate::capability::Purpose;
use crate::config::{GateInstances, GateStock};
use crate::gate::GateFault;

/// Instances ready over all skills: half of the places there are.
const READY: usize = 128;

/// Used instances that may wait to be cleared away, over all skills.
const SPENT: usize = 32;

/// Holds instances that it can do without.
pub(super) trait Lender: Send + Sync {
    /// How many it could give up now.
    fn spare(&self) -> usize;
    /// Gives up at least one, if it has any.
    fn give_up(&self);
}

/// The thread that fills and clears shelves, and what everybody who holds instances has in common.
pub(super) struct Stockroom {
    room: Arc<Room>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Room {
    queue: Mutex<Queue>,
    wake: Condvar,
    ready: AtomicUsize,
    spent: AtomicUsize,
    shelves: AtomicUsize,
    lenders: Mutex<Vec<(Purpose, Weak<dyn Lender>)>>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Weak<Shelf>>,
    closed: bool,
}

impl Stockroom {
    /// Starts the thread.
    pub(super) fn open() -> std::io::Result<Stockroom> {
        let room = Arc::new(Room::default());
        let theirs = room.clone();
        let thread = std::thread::Builder::new()
            .name("skill-stock".to_owned())
            .spawn(move || theirs.work())?;
        Ok(Stockroom {
            room,
            thread: Some(thread),
        })
    }

    /// Remembers somebody who holds instances of the engine for `purpose`.
    pub(super) fn register(&self, purpose: Purpose, lender: Weak<dyn Lender>) {
        let mut lenders = self.room.lenders();
        lenders.retain(|(_, lender)| lender.strong_count() > 0);
        lenders.push((purpose, lender));
    }

    /// Frees a place in the engine for `purpose`: whoever can spare most gives one up. Says whether anybody could.
    pub(super) fn reclaim(&self, purpose: Purpose) -> bool {
        let lenders: Vec<Arc<dyn Lender>> = self
            .room
            .lenders()
            .iter()
            .filter(|(own, _)| *own == purpose)
            .filter_map(|(_, lender)| lender.upgrade())
            .collect();
        let richest = lenders.iter().max_by_key(|lender| lender.spare());
        match richest.filter(|lender| lender.spare() > 0) {
            Some(lender) => {
                lender.give_up();
                true
            }
            None => false,
        }
    }

    /// How many instances are ready.
    #[cfg(test)]
    pub(super) fn ready(&self) -> usize {
        self.room.ready.load(Ordering::Relaxed)
    }
}

impl Drop for Stockroom {
    fn drop(&mut self) {
        self.room.queue().closed = true;
        self.room.wake.notify_all();
        if let Some(thread) = self.thread.take() {
            // The last holder may be a shelf that the thread itself was filling.
            if thread.thread().id() != std::thread::current().id() {
                // It can't have panicked in a way that matters now.
                let _ = thread.join();
            }
        }
    }
}

impl Room {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lenders(&self) -> MutexGuard<'_, Vec<(Purpose, Weak<dyn Lender>)>> {
        self.lenders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        while let Some(shelf) = self.next() {
            // A skill that was unloaded meanwhile needs nothing.
            if let Some(shelf) = shelf.upgrade() {
                shelf.tend();
            }
        }
    }

    /// The next shelf to tend; nothing at the end.
    fn next(&self) -> Option<Weak<Shelf>> {
        let mut queue = self.queue();
        loop {
            if queue.closed {
                return None;
            }
            if let Some(shelf) = queue.waiting.pop_front() {
                return Some(shelf);
            }
            queue = self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The instances of one skill for what is pure.
pub(super) struct Shelf {
    code: Code,
    tenant: Tenant,
    manner: GateInstances,
    wanted: usize,
    room: Arc<Room>,
    own: Weak<Shelf>,
    asked: AtomicBool,
    held: Mutex<Instances>,
}

#[derive(Default)]
struct Instances {
    /// For decisions: never used, or, where the operator chose so, used without a fault.
    ready: Vec<Running>,
    /// Used, waiting to be cleared away.
    spent: Vec<Running>,
    /// For prompts, mandates and triggers, which may keep what they like.
    kept: Option<Running>,
}

impl Shelf {
    /// The shelf of a skill. Only a gate has instances made ready, as `stock` says.
    pub(super) fn new(code: Code, tenant: Tenant, stock: GateStock, is_gate: bool) -> Arc<Shelf> {
        let room = code.house().stock().room.clone();
        let shelf = Arc::new_cyclic(|own| Shelf {
            manner: stock.instances,
            wanted: if is_gate { stock.ready } else { 0 },
            room,
            own: own.clone(),
            asked: AtomicBool::new(false),
            held: Mutex::default(),
            code,
            tenant,
        });
        let weak: Weak<Shelf> = Arc::downgrade(&shelf);
        shelf.code.house().stock().register(Purpose::Pure, weak);
        if shelf.wanted > 0 {
            shelf.room.shelves.fetch_add(1, Ordering::Relaxed);
            shelf.ask();
        }
        shelf
    }

    /// An instance for one decision.
    pub(super) fn take(&self) -> Result<Running, GateFault> {
        let (found, left) = {
            let mut held = self.held();
            (held.ready.pop(), held.ready.len())
        };
        if found.is_some() {
            self.room.ready.fetch_sub(1, Ordering::Relaxed);
        }
        if self.manner == GateInstances::Fresh && self.wanted > 0 && left <= self.share() / 2 {
            self.ask();
        }
        match found {
            Some(running) => Ok(running),
            None => self.code.start(&self.tenant),
        }
    }

    /// Takes an instance back after a decision that came to a verdict: to be cleared away, or, where the operator
    /// chose so, to be used again. After a fault it is dropped instead, since a trap poisons it.
    pub(super) fn put_back(&self, running: Running) {
        let mut held = self.held();
        match self.manner {
            GateInstances::Warm if held.ready.len() < self.share() && !running.is_worn() => {
                held.ready.push(running);
                self.room.ready.fetch_add(1, Ordering::Relaxed);
            }
            GateInstances::Fresh if self.wanted > 0 && self.room.spent.load(Ordering::Relaxed) < SPENT => {
                held.spent.push(running);
                self.room.spent.fetch_add(1, Ordering::Relaxed);
                let many = held.spent.len() > self.share() / 2;
                drop(held);
                if many {
                    self.ask();
                }
            }
            _ => {
                drop(held);
                drop(running);
            }
        }
    }

    /// Calls `work` with the instance that is kept for what is no decision; after a fault it is dropped.
    pub(super) fn with_kept<R>(
        &self,
        work: impl FnOnce(&mut Running) -> Result<R, GateFault>,
    ) -> Result<R, GateFault> {
        let kept = self.held().kept.take();
        let mut running = match kept {
            Some(running) => running,
            None => self.code.start(&self.tenant)?,
        };
        let outcome = running
            .begin(Instant::now(), &self.tenant.settings, &self.tenant.secrets.now(), 0)
            .and_then(|()| work(&mut running))?;
        if !running.is_worn() {
            // Of two that were used at once, one is enough.
            let other = self.held().kept.replace(running);
            drop(other);
        }
        Ok(outcome)
    }

    /// How many it would have ready if it were alone.
    #[cfg(test)]
    pub(super) fn wanted(&self) -> usize {
        self.wanted
    }

    /// Has the thread look after this shelf.
    fn ask(&self) {
        if !self.asked.swap(true, Ordering::AcqRel) {
            self.room.queue().waiting.push_back(self.own.clone());
            self.room.wake.notify_one();
        }
    }

    /// Clears away what was used, and fills up.
    fn tend(&self) {
        self.asked.store(false, Ordering::Release);
        let spent = std::mem::take(&mut self.held().spent);
        self.room.spent.fetch_sub(spent.len(), Ordering::Relaxed);
        drop(spent);
        while self.held().ready.len() < self.share() && self.room.ready.load(Ordering::Relaxed) < READY {
            match self.code.start_if_free(&self.tenant) {
                Ok(running) => {
                    self.held().ready.push(running);
                    self.room.ready.fetch_add(1, Ordering::Relaxed);
                }
                // Whoever needs one next makes it, and is told why it can't be made.
                Err(fault) => {
                    tracing::debug!(
                        skill = &*self.tenant.name,
                        "no instance could be made ready: it {fault}"
                    );
                    break;
                }
            }
        }
    }

    /// How many this shelf may have ready: fewer where there are many skills.
    fn share(&self) -> usize {
        let shelves = self.room.shelves.load(Ordering::Relaxed).max(1);
        self.wanted.min((READY / shelves).max(1))
    }

    fn held(&self) -> MutexGuard<'_, Instances> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lender for Shelf {
    fn spare(&self) -> usize {
        let held = self.held();
        held.ready.len() + held.spent.len() + usize::from(held.kept.is_some())
    }

    fn give_up(&self) {
        let held = std::mem::take(&mut *self.held());
        self.room.ready.fetch_sub(held.ready.len(), Ordering::Relaxed);
        self.room.spent.fetch_sub(held.spent.len(), Ordering::Relaxed);
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        self.give_up();
        if self.wanted > 0 {
            self.room.shelves.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
