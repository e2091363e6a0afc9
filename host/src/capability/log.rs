//! `log`: lines in the host's log, labelled with the skill's name, bounded in number and length.

use wasmtime::StoreContextMut;
use wasmtime::component::{ComponentType, Lift, WasmStr};

use super::interface::Acting;
use super::{Call, HasCall, Stop, charge};
use crate::sexp::visible;

/// What the SDK's line about a panic begins with. The trap that follows says nothing itself.
const PANICKED: &str = "panicked at ";

/// Longest line that is kept, in bytes: a line of a log is read by people.
const LINE: usize = 4 << 10;

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ComponentType, Lift)]
#[component(enum)]
#[repr(u8)]
pub enum Level {
    /// For authors.
    #[component(name = "debug")]
    Debug,
    /// For the curious.
    #[component(name = "info")]
    Info,
    /// Something is not as it should be.
    #[component(name = "warn")]
    Warn,
    /// Something failed.
    #[component(name = "error")]
    Error,
}

/// Links the interface.
///
/// # Errors
/// When it is linked already.
pub(super) fn link<T: HasCall>(log: &mut Acting<'_, T>) -> wasmtime::Result<()> {
    log.func(
        "write",
        |mut store: StoreContextMut<'_, T>, (level, line): (Level, WasmStr)| {
            let (line, cost) = {
                let line = line.to_str(&store)?;
                (cut(&line).to_owned(), line.len())
            };
            charge(&mut store, cost)?;
            write(store.data_mut().call_mut(), level, &line)?;
            Ok(())
        },
    )
}

/// Writes one line for the running call.
///
/// # Errors
/// [`Stop::Calls`] when the call has written all the lines it may.
pub fn write(call: &mut Call, level: Level, line: &str) -> Result<(), Stop> {
    call.meters.log_lines.0 += 1;
    let (written, allowed) = call.meters.log_lines;
    if written > allowed {
        return Err(Stop::Calls {
            what: "log lines",
            allowed,
        });
    }
    if level == Level::Error && line.starts_with(PANICKED) {
        call.meters.panicked = Some(visible(cut(line)));
    }
    emit(&call.skill, level, line);
    Ok(())
}

/// Writes one line of the skill `skill`, cut to a bearable length, control characters made visible.
pub fn emit(skill: &str, level: Level, line: &str) {
    let line = visible(cut(line));
    match level {
        Level::Debug => tracing::debug!(target: "skill", skill, "{line}"),
        Level::Info => tracing::info!(target: "skill", skill, "{line}"),
        Level::Warn => tracing::warn!(target: "skill", skill, "{line}"),
        Level::Error => tracing::error!(target: "skill", skill, "{line}"),
    }
}

fn cut(line: &str) -> &str {
    &line[..line.floor_char_boundary(LINE)]
}
