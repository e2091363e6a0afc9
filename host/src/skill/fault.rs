//! What ended a call, named: which bound was hit, with what was asked and what is allowed.

use std::time::Duration;

use wasmtime::{Trap, WasmBacktrace};

use super::limits::CORE_INSTANCES;
use crate::capability::{Meters, Stop};
use crate::config::SkillLimits;
use crate::gate::GateFault;

/// The bounds on one call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) fuel: u64,
    pub(super) wall_ms: u64,
    pub(super) limits: SkillLimits,
}

impl Bounds {
    pub(super) fn meters(&self) -> Meters {
        Meters::new(
            self.limits.host_calls,
            self.limits.log_lines,
            Duration::from_millis(self.wall_ms),
        )
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
            Stop::Text { asked, allowed } => GateFault::Text {
                asked: *asked,
                allowed: *allowed,
            },
            Stop::Time => GateFault::Time {
                allowed_ms: bounds.wall_ms,
            },
            Stop::BadHandle(_) | Stop::Waiting => GateFault::Trap {
                reason: stop.to_string(),
            },
        };
    }
    match error.downcast_ref::<Trap>() {
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
    let reason = one_line(error);
    for what in ["instance", "memory", "table"] {
        if reason.contains(&format!("{what} count too high")) {
            return GateFault::Calls {
                what: "core instances, memories or tables",
                allowed: CORE_INSTANCES as u64,
            };
        }
    }
    // What ends a guest carries its stack; what does not is about what it returned, or that it could not begin.
    let ended = error.downcast_ref::<Trap>().is_some() || error.downcast_ref::<WasmBacktrace>().is_some();
    match stage {
        _ if ended => GateFault::Trap { reason },
        Stage::Start => GateFault::Unavailable { reason },
        Stage::Call => GateFault::Nonsense { reason },
    }
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
