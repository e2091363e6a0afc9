//! The empty world of one store: a context that grants nothing, the handles the guest holds, half-written lines, and how
//! far the random numbers have come.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use wasmtime::component::Resource;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{DynPollable, OutputStream, Pollable, StreamError, StreamResult, subscribe};
use wasmtime_wasi::{
    Deterministic, HostMonotonicClock, HostWallClock, ResourceTable, WasiCtx, WasiCtxView, async_trait,
};

use crate::capability::log::{self, Level};
use crate::capability::{Call, Stop};
use crate::sexp::Digest;

/// Handles of WASI that one instance may hold at once: streams and timers, of which programs have a handful.
pub(in crate::skill) const HANDLES: usize = 1_000;

/// Longest line that is waited for the end of, in bytes.
const LINE: usize = 4 << 10;

/// Most that one write takes, in bytes.
const WRITE: usize = 64 << 10;

/// Why the empty world ended a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::skill) enum Ended {
    /// It wanted to end a process.
    #[error("asked to exit, and a skill has no process to end: return instead")]
    Exit,
    /// It called what there is nothing to call on.
    #[error("called {name}, and there is no such thing in a skill's world: no files, no network, no terminal")]
    Absent {
        /// The function.
        name: String,
    },
    /// Too many random bytes at once.
    #[error("asked for {asked} random bytes at once and may have {allowed}")]
    Random {
        /// How many.
        asked: u64,
        /// The bound.
        allowed: u64,
    },
    /// Too many handles at once.
    #[error("held {asked} handles of WASI at once and may hold {allowed}")]
    Handles {
        /// How many.
        asked: usize,
        /// The bound.
        allowed: usize,
    },
}

/// The world of one store. Most of it is made when the guest first asks for any of it.
#[derive(Default)]
pub(in crate::skill) struct World {
    made: Option<Box<Made>>,
    unfinished: [Vec<u8>; 2],
    drawn: u64,
}

struct Made {
    ctx: WasiCtx,
    table: ResourceTable,
    written: Written,
    /// What every pollable of a timer hangs on: one that is over, and one that never is.
    timers: Option<[Resource<Timer>; 2]>,
}

impl Made {
    fn new() -> Made {
        let written = Written::default();
        let stream = |at| LogStream {
            written: written.clone(),
            at,
        };
        let mut table = ResourceTable::new();
        table.set_max_capacity(HANDLES);
        let ctx = WasiCtx::builder()
            // Never drawn from, because ours are linked instead.
            .secure_random(Deterministic::new(vec![0]))
            .insecure_random(Deterministic::new(vec![0]))
            .insecure_random_seed(0)
            .wall_clock(Stopped)
            .monotonic_clock(Stopped)
            .allow_tcp(false)
            .allow_udp(false)
            .allow_ip_name_lookup(false)
            .stdout(stream(0))
            .stderr(stream(1))
            .build();
        Made {
            ctx,
            table,
            written,
            timers: None,
        }
    }
}

impl World {
    fn made(&mut self) -> &mut Made {
        self.made.get_or_insert_with(|| Box::new(Made::new()))
    }

    pub(in crate::skill) fn view(&mut self) -> WasiCtxView<'_> {
        let made = self.made();
        WasiCtxView {
            ctx: &mut made.ctx,
            table: &mut made.table,
        }
    }

    /// A pollable of a timer that is over, or of one that never is.
    pub(super) fn timer(&mut self, over: bool) -> wasmtime::Result<Resource<DynPollable>> {
        let made = self.made();
        let timers = match &made.timers {
            Some(timers) => timers,
            None => {
                // They are not the guest's.
                made.table.set_max_capacity(HANDLES + 2);
                let timers = [
                    made.table.push(Timer { over: false })?,
                    made.table.push(Timer { over: true })?,
                ];
                made.timers.insert(timers)
            }
        };
        let timer = timers[usize::from(over)].rep();
        subscribe(&mut made.table, Resource::<Timer>::new_borrow(timer))
    }

    /// Begins again where a fresh instance would: random numbers come in the same order.
    pub(in crate::skill) fn rewind(&mut self) {
        self.drawn = 0;
    }

    /// `length` random bytes, the same for each fresh instance of the skill `name`.
    pub(in crate::skill) fn random(&mut self, name: &str, length: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(length.next_multiple_of(32));
        while bytes.len() < length {
            let block = [&self.drawn.to_be_bytes(), name.as_bytes()].concat();
            bytes.extend_from_slice(Digest::of("passepartout-wasi-random-1", &block).bytes());
            self.drawn += 1;
        }
        bytes.truncate(length);
        bytes
    }

    /// Writes what the guest has written since into the log, line by line. What has no end yet waits for it.
    pub(in crate::skill) fn tell(&mut self, call: &mut Call) -> Result<(), Stop> {
        let Some(made) = &self.made else { return Ok(()) };
        let written = std::mem::take(&mut *made.written.lock().unwrap_or_else(PoisonError::into_inner));
        for (at, bytes) in written.iter().enumerate() {
            for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
                self.unfinished[at].extend_from_slice(piece);
                if piece.ends_with(b"\n") || self.unfinished[at].len() > LINE {
                    self.finish_line(call, at)?;
                }
            }
        }
        Ok(())
    }

    /// Writes what never got an end, as far as the bound on lines allows: the call has ended.
    pub(in crate::skill) fn finish(&mut self, call: &mut Call) {
        for at in 0..self.unfinished.len() {
            // Beyond the bound there is nobody left to tell but the log itself, which is full.
            let _ = self.finish_line(call, at);
        }
    }

    fn finish_line(&mut self, call: &mut Call, at: usize) -> Result<(), Stop> {
        if self.unfinished[at].is_empty() {
            return Ok(());
        }
        let bytes = std::mem::take(&mut self.unfinished[at]);
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(());
        }
        let level = if at == 0 { Level::Info } else { Level::Warn };
        log::write(call, level, line)
    }
}

/// What was written and is not in the log yet, to standard output and to standard error.
type Written = Arc<Mutex<[Vec<u8>; 2]>>;

/// Standard output or standard error. Takes whatever it is given, at once, for [`World::tell`].
#[derive(Clone)]
struct LogStream {
    written: Written,
    at: usize,
}

impl IsTerminal for LogStream {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for LogStream {
    fn async_stream(&self) -> Box<dyn tokio::io::AsyncWrite + Send + Sync> {
        // Only for later versions of WASI, which are not linked.
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
        if bytes.len() > WRITE {
            let (asked, allowed) = (bytes.len() as u64, WRITE as u64);
            return Err(StreamError::Trap(Stop::Text { asked, allowed }.into()));
        }
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written[self.at].extend_from_slice(&bytes);
        Ok(())
    }

    /// A line of zeros says nothing: it is taken, and left out of the log.
    fn write_zeroes(&mut self, _: usize) -> StreamResult<()> {
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE)
    }
}

/// What a pollable of a clock that stands still waits for.
struct Timer {
    over: bool,
}

#[async_trait]
impl Pollable for Timer {
    async fn ready(&mut self) {
        if !self.over {
            std::future::pending::<()>().await;
        }
    }
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
