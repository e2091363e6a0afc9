//! When a guest is ended that does not end by itself: once its time is over, and, where it acts, once its turn was stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use wasmtime::{Store, StoreContextMut, Trap, UpdateDeadline};

use super::State;
use crate::capability::{self, LOOKING, Purpose, Stop};
use crate::gate::GateFault;
use crate::skill::fault::{Bounds, one_line};

/// How often all calls were ended: now, and when this one began.
#[derive(Debug)]
pub(super) struct Ends {
    now: Arc<AtomicU64>,
    begun: u64,
}

impl From<Arc<AtomicU64>> for Ends {
    fn from(now: Arc<AtomicU64>) -> Ends {
        let begun = now.load(Ordering::Relaxed);
        Ends { now, begun }
    }
}

/// Sees to it that whatever runs in `store` is ended so, what it does at its start too.
pub(super) fn watch(store: &mut Store<State>, purpose: Purpose, bounds: &Bounds) {
    begin(store, purpose, bounds);
    if purpose == Purpose::Act {
        store.epoch_deadline_callback(goes_on);
    }
}

/// Sets the time of a call that begins now.
pub(super) fn begin(store: &mut Store<State>, purpose: Purpose, bounds: &Bounds) {
    let ends = &mut store.data_mut().ends;
    ends.begun = ends.now.load(Ordering::Relaxed);
    let ticks = capability::ticks(bounds.wall());
    store.set_epoch_deadline(match purpose {
        Purpose::Pure => ticks,
        Purpose::Act => ticks.min(LOOKING),
    });
}

/// Whether what acts may go on at a deadline: not once its time is over, all calls were ended, or its turn was stopped.
fn goes_on(store: StoreContextMut<'_, State>) -> wasmtime::Result<UpdateDeadline> {
    let State { call, ends, .. } = store.data();
    let turn = call.deed.as_ref().map(|deed| deed.effects().turn());
    if turn.is_some_and(|turn| turn.cancel().is_cancelled()) {
        return Err(Stop::Cancelled.into());
    }
    let left = call.meters.until.checked_duration_since(Instant::now());
    match left.filter(|_| ends.now.load(Ordering::Relaxed) == ends.begun) {
        None => Err(Trap::Interrupt.into()),
        Some(left) => Ok(UpdateDeadline::Continue(capability::ticks(left).min(LOOKING))),
    }
}

/// Gives a call the fuel that it may use, where that is counted.
pub(super) fn fuel(store: &mut Store<State>, purpose: Purpose, bounds: &Bounds) -> Result<(), GateFault> {
    if purpose == Purpose::Act {
        return Ok(());
    }
    store.set_fuel(bounds.fuel).map_err(|error| GateFault::Trap {
        reason: one_line(&error),
    })
}
