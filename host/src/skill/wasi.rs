//! WASI, linked to an empty world: Rust's standard library imports it, so it is there, and there is nothing in it.
//!
//! No files, no network, no environment, no arguments; a clock that stands still, random numbers from a fixed seed,
//! output to the log. Nothing waits: with a clock that stands still no sleep would ever end, so asking to wait ends
//! the call. It is the same for gates and for what acts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, Resource};
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{DynPollable, OutputStream, Pollable, StreamError, StreamResult};
use wasmtime_wasi::{
    Deterministic, HostMonotonicClock, HostWallClock, ResourceTable, WasiCtx, WasiCtxView, WasiView, async_trait,
};

use super::component::State;
use crate::capability::Stop;
use crate::capability::log::{Level, emit};
use crate::sexp::Digest;

/// Most random bytes in one call: seeds need 32.
const RANDOM_BYTES: u64 = 4 << 10;

/// Most that one write takes, in bytes.
const WRITE: usize = 64 << 10;

/// The world of one store. Made when a guest first asks for any of it.
pub(super) struct EmptyWorld {
    ctx: WasiCtx,
    table: ResourceTable,
}

impl EmptyWorld {
    /// A world for the skill `skill`, which may write `lines` lines.
    pub(super) fn new(skill: &Arc<str>, lines: u64) -> EmptyWorld {
        let seed = Digest::of("passepartout-wasi-seed-1", skill.as_bytes());
        let random = || Deterministic::new(seed.bytes().to_vec());
        let left = Arc::new(AtomicU64::new(lines));
        let stream = |level| LogStream {
            skill: skill.clone(),
            level,
            lines,
            left: left.clone(),
        };
        let ctx = WasiCtx::builder()
            .secure_random(random())
            .insecure_random(random())
            .insecure_random_seed(0x7061_7373_6570_6172)
            .max_random_size(RANDOM_BYTES)
            .wall_clock(Stopped)
            .monotonic_clock(Stopped)
            .allow_tcp(false)
            .allow_udp(false)
            .stdout(stream(Level::Info))
            .stderr(stream(Level::Warn))
            .build();
        EmptyWorld {
            ctx,
            table: ResourceTable::new(),
        }
    }

    pub(super) fn view(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.ctx,
            table: &mut self.table,
        }
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        self.world().view()
    }
}

/// Links WASI.
///
/// # Errors
/// When it is linked already.
pub(super) fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    wasmtime_wasi::p2::add_to_linker_sync(linker)?;
    // The stock functions sleep on real time, whatever the clock says, on the thread that called.
    linker.allow_shadowing(true);
    let mut poll = linker.instance("wasi:io/poll@0.2.12")?;
    poll.func_wrap(
        "poll",
        |_: StoreContextMut<'_, State>, (_,): (Vec<Resource<DynPollable>>,)| no_waiting::<(Vec<u32>,)>(),
    )?;
    poll.func_wrap(
        "[method]pollable.block",
        |_: StoreContextMut<'_, State>, (_,): (Resource<DynPollable>,)| no_waiting::<()>(),
    )?;
    linker.allow_shadowing(false);
    Ok(())
}

fn no_waiting<R>() -> wasmtime::Result<R> {
    Err(Stop::Waiting.into())
}

/// A clock that stands still at the beginning of time.
struct Stopped;

impl HostWallClock for Stopped {
    fn resolution(&self) -> Duration {
        Duration::from_nanos(1)
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

impl HostMonotonicClock for Stopped {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        0
    }
}

/// Standard output and standard error: each write is a line of the log, as far as the bound on lines allows.
#[derive(Clone)]
struct LogStream {
    skill: Arc<str>,
    level: Level,
    lines: u64,
    left: Arc<AtomicU64>,
}

impl IsTerminal for LogStream {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for LogStream {
    fn async_stream(&self) -> Box<dyn tokio::io::AsyncWrite + Send + Sync> {
        Box::new(tokio::io::sink())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[async_trait]
impl Pollable for LogStream {
    async fn ready(&mut self) {}
}

#[async_trait]
impl OutputStream for LogStream {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        for line in String::from_utf8_lossy(&bytes)
            .lines()
            .filter(|line| !line.trim().is_empty())
        {
            let take = self
                .left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
            if take.is_err() {
                return Err(StreamError::Trap(
                    Stop::Calls {
                        what: "log lines",
                        allowed: self.lines,
                    }
                    .into(),
                ));
            }
            emit(&self.skill, self.level, line);
        }
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE)
    }
}
