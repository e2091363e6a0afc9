//! When a guest is ended that does not end by itself: once its time is over, and, where it acts, once its turn was stopped.

use std::time::Instant;

use wasmtime::{Store, StoreContextMut, Trap, UpdateDeadline};

use super::State;
use crate::capability::{self, Purpose, Stop};
use crate::skill::fault::Bounds;

/// Sees to it that whatever runs in `store` is ended so, what it does at its start too.
pub(super) fn watch(store: &mut Store<State>, purpose: Purpose, bounds: &Bounds) {
    store.set_epoch_deadline(first(purpose, bounds));
    if purpose == Purpose::Act {
        store.epoch_deadline_callback(goes_on);
    }
}

/// At how many ticks from now a guest whose call begins is looked at.
pub(super) fn first(purpose: Purpose, bounds: &Bounds) -> u64 {
    let ticks = capability::ticks(bounds.wall());
    match purpose {
        Purpose::Pure => ticks,
        Purpose::Act => ticks.min(LOOKING),
    }
}

/// After so many ticks a guest that acts is asked whether its turn goes on.
const LOOKING: u64 = 5;

/// Whether what acts may go on at a deadline: not once its time is over, or its turn was stopped.
fn goes_on(store: StoreContextMut<'_, State>) -> wasmtime::Result<UpdateDeadline> {
    let call = &store.data().call;
    let turn = call.deed.as_ref().map(|deed| deed.effects().turn());
    if turn.is_some_and(|turn| turn.cancel().is_cancelled()) {
        return Err(Stop::Cancelled.into());
    }
    match call.meters.until.checked_duration_since(Instant::now()) {
        None => Err(Trap::Interrupt.into()),
        Some(left) => Ok(UpdateDeadline::Continue(capability::ticks(left).min(LOOKING))),
    }
}
