//! What little of the empty world a store has to remember: half-written lines, how far the random numbers have come,
//! and how many handles the guest holds.

use crate::capability::log::{self, Level};
use crate::capability::{Call, Stop};
use crate::sexp::Digest;

/// Handles of WASI that one instance may hold at once: streams and timers, of which programs have a handful.
const HANDLES: u32 = 1_000;

/// Longest line that is waited for the end of, in bytes.
const LINE: usize = 4 << 10;

/// Marks a pollable. Its number says whether it is ready.
pub(super) struct Pollable;

impl Pollable {
    pub(super) const READY: u32 = 0;
    pub(super) const NEVER: u32 = 1;
}

/// Marks standard input, which is at its end.
pub(super) struct Input;

/// Marks standard output and standard error. Its number says which.
pub(super) struct Output;

impl Output {
    pub(super) const STANDARD: u32 = 0;
    pub(super) const ERROR: u32 = 1;
}

/// Marks what there is none of: files, sockets, terminals.
pub(super) struct Nothing;

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
        asked: u32,
        /// The bound.
        allowed: u32,
    },
}

/// What one store has to remember.
#[derive(Debug, Default)]
pub(in crate::skill) struct World {
    unfinished: [Vec<u8>; 2],
    drawn: u64,
    handles: u32,
}

impl World {
    /// Begins again where a fresh instance would: random numbers come in the same order.
    pub(in crate::skill) fn rewind(&mut self) {
        self.drawn = 0;
    }

    pub(super) fn hand_out(&mut self) -> Result<(), Ended> {
        if self.handles >= HANDLES {
            return Err(Ended::Handles {
                asked: self.handles + 1,
                allowed: HANDLES,
            });
        }
        self.handles += 1;
        Ok(())
    }

    pub(super) fn give_back(&mut self) {
        self.handles = self.handles.saturating_sub(1);
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

    /// Writes what was written to stream `output` into the log, line by line. What has no end yet waits for it.
    pub(in crate::skill) fn write(&mut self, call: &mut Call, output: u32, bytes: &[u8]) -> Result<(), Stop> {
        let at = usize::from(output != Output::STANDARD);
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.unfinished[at].extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.unfinished[at].len() > LINE {
                self.finish_line(call, at)?;
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
