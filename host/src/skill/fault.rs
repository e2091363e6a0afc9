//! What ended a call, named: which bound was hit, with what was asked and what is allowed.

use std::time::{Duration, Instant};

use wasmtime::component::ResourceTableError;
use wasmtime::{PoolConcurrencyLimitError, Trap, WasmBacktrace};

use super::engine::{MEMORIES, TABLES};
use super::tuning::STACK;
use super::wasi::{Ended, HANDLES};
use crate::capability::{Meters, Stop};
use crate::config::SkillLimits;
use crate::gate::GateFault;

/// What the engine says when a guest hands over more than its bound; it has no type of its own for that.
const COPIED: &str = "too much data is being copied between the host and the guest";

/// The bounds on one call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) fuel: u64,
    pub(super) wall_ms: u64,
    pub(super) limits: SkillLimits,
}

impl Bounds {
    /// The longest a call may take.
    pub(super) fn wall(&self) -> Duration {
        Duration::from_millis(self.wall_ms)
    }

    /// Full meters for a call that begins `now`.
    pub(super) fn meters(&self, now: Instant) -> Meters {
        Meters::new(self.limits.host_calls, self.limits.log_lines, self.wall(), now)
    }
}

/// When something went wrong.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Stage {
    Start,
    Call,
}

/// Names what went wrong.
pub(super) fn fault(
    refused: Option<&GateFault>,
    error: &wasmtime::Error,
    bounds: &Bounds,
    stage: Stage,
) -> GateFault {
    if let Some(stop) = error.downcast_ref::<Stop>() {
        return match stop {
            Stop::Calls { what, allowed } => GateFault::Calls {
                what,
                allowed: *allowed,
            },
            Stop::Forbidden { name } => GateFault::Forbidden { name: name.clone() },
            Stop::Text { asked, allowed } => GateFault::Given {
                asked: *asked,
                allowed: *allowed,
            },
            Stop::Time => GateFault::Time {
                allowed_ms: bounds.wall_ms,
            },
            Stop::Waits { asked_ms, allowed_ms } => GateFault::Waits {
                asked_ms: *asked_ms,
                allowed_ms: *allowed_ms,
            },
            Stop::Withdrawn | Stop::Cancelled => GateFault::Unavailable {
                reason: stop.to_string(),
            },
            Stop::BadHandle(_) | Stop::Waiting => GateFault::Trap {
                reason: stop.to_string(),
            },
        };
    }
    let handles = match error.downcast_ref::<ResourceTableError>() {
        Some(ResourceTableError::Full) => Some(Ended::Handles {
            asked: HANDLES + 1,
            allowed: HANDLES,
        }),
        _ => None,
    };
    if let Some(ended) = error.downcast_ref::<Ended>().or(handles.as_ref()) {
        return GateFault::Trap {
            reason: ended.to_string(),
        };
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::StackOverflow) => return GateFault::Stack { allowed: STACK as u64 },
        Some(Trap::OutOfFuel) => return GateFault::Fuel { allowed: bounds.fuel },
        Some(Trap::Interrupt) => {
            return GateFault::Time {
                allowed_ms: bounds.wall_ms,
            };
        }
        _ => {}
    }
    if let Some(refused) = refused {
        return refused.clone();
    }
    if let Some(full) = error.downcast_ref::<PoolConcurrencyLimitError>() {
        return GateFault::Unavailable {
            reason: format!("no place for another instance is free now ({full}); try again in a moment"),
        };
    }
    let reason = one_line(error);
    if reason.contains(COPIED) {
        return GateFault::Copied {
            allowed: bounds.limits.memory,
        };
    }
    // Compilers put the stack of their own where nothing lies below it.
    if let Some(Trap::MemoryOutOfBounds) = error.downcast_ref::<Trap>() {
        return GateFault::Trap {
            reason: format!("{reason} (as when a program's own stack in its memory is used up, by a deep recursion)"),
        };
    }
    if let Some(count) = count(&reason, bounds.limits.instances) {
        return count;
    }
    // What ends a guest carries its stack; what does not is about what it returned, or that it could not begin.
    let ended = error.downcast_ref::<Trap>().is_some() || error.downcast_ref::<WasmBacktrace>().is_some();
    match stage {
        _ if ended => GateFault::Trap { reason },
        Stage::Start => GateFault::Unavailable { reason },
        Stage::Call => GateFault::Nonsense { reason },
    }
}

/// Whether an instance could not be made because there are as many as there can be.
pub(super) fn is_full(error: &wasmtime::Error) -> bool {
    error.downcast_ref::<PoolConcurrencyLimitError>().is_some()
}

/// Reads what the engine says of too many instances, memories or tables; it has no type of its own for that.
fn count(reason: &str, instances: u64) -> Option<GateFault> {
    let (before, asked) = reason.rsplit_once(" count too high at ")?;
    let counted = [
        ("instance", "core instances", instances),
        ("memory", "memories", u64::from(MEMORIES)),
        ("table", "tables", u64::from(TABLES)),
    ];
    let (_, what, allowed) = counted.into_iter().find(|(what, ..)| before.ends_with(what))?;
    Some(GateFault::Count {
        what,
        asked: asked.parse().ok()?,
        allowed,
    })
}

/// What the engine said, without the frames: the causes from the inmost on, in one line.
pub(super) fn one_line(error: &wasmtime::Error) -> String {
    let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    let last = causes
        .iter()
        .rev()
        .find_map(|cause| cause.lines().next())
        .unwrap_or("no reason given");
    // A trap's own text is the cause that says most; what stands before it names the frames.
    let text = if causes.len() > 1 && error.downcast_ref::<Trap>().is_none() {
        let first = causes
            .first()
            .and_then(|cause| cause.lines().next())
            .unwrap_or_default();
        format!("{first}: {last}")
    } else {
        last.to_owned()
    };
    let text = text.strip_prefix("wasm trap: ").unwrap_or(&text);
    text[..text.floor_char_boundary(400)].to_owned()
}
