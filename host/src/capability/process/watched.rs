//! What can be seen of a running command from outside: its two outputs, the keeper's reports, and a bell for the cancel
//! token.
//!
//! Reading only: what to do about it is decided in [`super::outside`].

use super::message::{Report, Strength, Walls};
use super::outside::{changed_meanwhile, failed};
use super::{ProcessError, remedy};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::task::Wake;
use std::time::Instant;

/// How much is read at once: a pipe's whole buffer.
const PIECE: usize = 64 << 10;

/// What there was to be seen of one run.
pub(super) struct Watched {
    pub(super) stdout: Kept,
    pub(super) stderr: Kept,
    pub(super) reports: Reports,
    pub(super) timed_out: bool,
    pub(super) cancelled: bool,
}

/// How the command ended.
pub(super) enum End {
    /// By itself.
    Known {
        code: Option<i32>,
        signal: Option<i32>,
        /// The temporary folders in which it left something.
        lost: Vec<String>,
    },
    /// The time-out ended it.
    TimedOut,
    /// It was ended because it passed this bound.
    Passed(String),
}

impl Watched {
    pub(super) fn new(bound: usize) -> Watched {
        Watched {
            stdout: Kept::new(bound),
            stderr: Kept::new(bound),
            reports: Reports::default(),
            timed_out: false,
            cancelled: false,
        }
    }

    /// How the command ended, if it began at all.
    pub(super) fn verdict(&self, walls: Walls) -> Result<End, ProcessError> {
        let reports = &self.reports;
        if let Some(refusal) = &reports.refusal {
            return Err(refusal.clone());
        }
        if let Some(bound) = &reports.passed {
            return Ok(End::Passed(bound.clone()));
        }
        if let Some((code, signal, lost)) = &reports.ended {
            return Ok(End::Known {
                code: *code,
                signal: *signal,
                lost: lost.clone(),
            });
        }
        // The command may have ended by itself just before it was to be ended: then that is what happened.
        if self.cancelled {
            return Err(ProcessError::Cancelled);
        }
        if self.timed_out {
            return Ok(End::TimedOut);
        }
        if reports.ready.is_some() {
            let problem = "the process that held the command was killed, and the command with it";
            return Err(failed(problem, "see whether the machine ran out of memory"));
        }
        let said = self.stderr.text();
        Err(ProcessError::Unavailable {
            step: match walls {
                Walls::Enforced => "making the jail".to_owned(),
                Walls::Weak => "starting the command without a jail".to_owned(),
            },
            problem: format!("the process that holds it ended without a report {}", said.trim())
                .trim()
                .to_owned(),
            remedy: remedy::advice(None, Path::new("/proc/sys")),
        })
    }
}

/// The keeper's reports, as they come in.
#[derive(Default)]
pub(super) struct Reports {
    pending: Vec<u8>,
    pub(super) closed: bool,
    pub(super) ready: Option<Strength>,
    ended: Option<(Option<i32>, Option<i32>, Vec<String>)>,
    passed: Option<String>,
    refusal: Option<ProcessError>,
}

impl Reports {
    pub(super) fn read(&mut self, mut socket: &UnixStream) {
        let mut piece = [0; 4096];
        match socket.read(&mut piece) {
            Ok(count) if count > 0 => self.pending.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Closed, or reset because the keeper died with something unread.
            _ => self.closed = true,
        }
        while let Some(end) = self.pending.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.pending.drain(..=end).collect();
            self.note(&line);
        }
    }

    fn note(&mut self, line: &[u8]) {
        match serde_json::from_slice(line) {
            Ok(Report::Ready(strength)) => self.ready = Some(strength),
            Ok(Report::Ended { code, signal, lost }) => self.ended = Some((code, signal, lost)),
            Ok(Report::Passed(bound)) => self.passed = Some(bound),
            Ok(Report::Unavailable(trouble)) if trouble.errno == Some(libc::ESTALE) => {
                self.refusal = Some(changed_meanwhile());
            }
            Ok(Report::Unavailable(trouble)) if trouble.held => {
                self.refusal = Some(failed(
                    format!("nothing was run: {trouble}"),
                    "rename or delete it, or make it one that you can read and change",
                ));
            }
            Ok(Report::Unavailable(trouble)) => {
                self.refusal = Some(ProcessError::Unavailable {
                    step: trouble.step,
                    problem: trouble.problem,
                    remedy: remedy::advice(trouble.errno, Path::new("/proc/sys")),
                });
            }
            Ok(Report::NotStarted(trouble)) => {
                self.refusal = Some(failed(
                    trouble.to_string(),
                    "see whether bash is installed and can be run",
                ));
            }
            Err(error) => {
                self.refusal = Some(failed(
                    format!("the jail's report can't be read: {error}"),
                    "report this",
                ));
            }
        }
    }
}

/// The beginning and the end of one output: what it is about stands at the beginning, and what went wrong mostly at the end.
pub(super) struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// How much is kept of both together, in bytes.
    bound: usize,
    /// How much there was, in bytes.
    total: usize,
}

impl Kept {
    pub(super) fn new(bound: usize) -> Kept {
        Kept {
            head: Vec::new(),
            tail: VecDeque::new(),
            bound,
            total: 0,
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len());
        let room = self.bound.div_ceil(2).saturating_sub(self.head.len());
        let (first, rest) = bytes.split_at(bytes.len().min(room));
        self.head.extend_from_slice(first);
        let most = self.bound / 2;
        self.tail.extend(&rest[rest.len().saturating_sub(most)..]);
        let over = self.tail.len().saturating_sub(most);
        self.tail.drain(..over);
    }

    /// Whether something of it was thrown away.
    pub(super) fn is_cut(&self) -> bool {
        self.total > self.head.len() + self.tail.len()
    }

    /// All of it; or whole lines of its beginning and its end, where there are any, with a note of what is missing between them. A
    /// secret that is in one line is not shown in half.
    pub(super) fn text(&self) -> String {
        let is_end = |byte: &u8| *byte == b'\n';
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        if !self.is_cut() {
            return String::from_utf8_lossy(&[&*self.head, &tail].concat()).into_owned();
        }
        let head = self.head.iter().rposition(is_end).map_or(self.head.len(), |at| at + 1);
        let from = tail.iter().position(is_end).map_or(0, |at| at + 1);
        let (head, tail) = (&self.head[..head], &tail[from..]);
        let missing = self.total - head.len() - tail.len();
        let begins = if head.ends_with(b"\n") { "" } else { "\n" };
        format!(
            "{}{begins}[{missing} bytes of {} are left out here]\n{}",
            String::from_utf8_lossy(head),
            self.total,
            String::from_utf8_lossy(tail)
        )
    }
}

/// What can be read now.
pub(super) struct Ready {
    stdout: bool,
    stderr: bool,
    pub(super) socket: bool,
}

impl Ready {
    /// Waits until something can be read, the bell rings, or it is `until`.
    pub(super) fn wait(
        stdout: &Option<impl AsFd>,
        stderr: &Option<impl AsFd>,
        socket: &UnixStream,
        bell: Option<&Arc<Bell>>,
        until: Option<Instant>,
    ) -> io::Result<Ready> {
        let mut events = vec![PollFd::new(socket, PollFlags::IN)];
        events.extend(stdout.iter().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        events.extend(stderr.iter().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        events.extend(bell.iter().map(|bell| PollFd::new(&bell.0, PollFlags::IN)));
        let patience = until.map(|until| until.saturating_duration_since(Instant::now()));
        let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
        match rustix::event::poll(&mut events, patience.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut happened = events.iter().map(|event| !event.revents().is_empty());
        let socket = happened.next().unwrap_or(false);
        let stdout = stdout.is_some() && happened.next().unwrap_or(false);
        let stderr = stderr.is_some() && happened.next().unwrap_or(false);
        Ok(Ready { stdout, stderr, socket })
    }

    /// Reads the outputs that are ready, and forgets those that have ended. Says whether there was anything.
    pub(super) fn take(
        &mut self,
        stdout: &mut Option<impl Read>,
        stderr: &mut Option<impl Read>,
        watched: &mut Watched,
    ) -> bool {
        let mut any = false;
        if self.stdout {
            any |= take_from(stdout, &mut watched.stdout);
        }
        if self.stderr {
            any |= take_from(stderr, &mut watched.stderr);
        }
        any
    }
}

fn take_from(pipe: &mut Option<impl Read>, kept: &mut Kept) -> bool {
    let Some(reader) = pipe else { return false };
    let mut piece = [0; PIECE];
    match reader.read(&mut piece) {
        Ok(count) if count > 0 => kept.add(&piece[..count]),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
        _ => *pipe = None,
    }
    true
}

/// Wakes the loop when the cancel token is cancelled, from whatever thread.
pub(super) struct Bell(OwnedFd);

impl Bell {
    pub(super) fn new() -> io::Result<Bell> {
        Ok(Bell(rustix::event::eventfd(
            0,
            EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK,
        )?))
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        // It can only fail when it is ringing already.
        let _ = rustix::io::write(&self.0, &1u64.to_ne_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(bound: usize, pieces: &[&str]) -> Kept {
        let mut kept = Kept::new(bound);
        pieces.iter().for_each(|piece| kept.add(piece.as_bytes()));
        kept
    }

    #[test]
    fn what_is_as_long_as_may_be_is_kept_as_it_is_however_it_comes() {
        for pieces in [&["12345678"][..], &["1", "23456", "78"], &["1234", "5678"], &[""]] {
            let kept = kept(8, pieces);
            assert_eq!((kept.text(), kept.is_cut()), (pieces.concat(), false));
        }
    }

    #[test]
    fn of_what_is_longer_whole_lines_of_the_beginning_and_the_end_are_kept_and_it_is_said_what_is_missing() {
        let lines: String = (1..=1000).map(|line| format!("line {line}\n")).collect();
        for size in [1, 7, 100, 5000] {
            let pieces: Vec<&str> = lines
                .as_bytes()
                .chunks(size)
                .map(|piece| str::from_utf8(piece).unwrap_or(""))
                .collect();
            let kept = kept(60, &pieces);
            assert!(kept.is_cut());
            assert_eq!(
                kept.text(),
                format!(
                    "line 1\nline 2\nline 3\nline 4\n[{} bytes of {} are left out here]\nline 998\nline 999\nline 1000\n",
                    lines.len() - 28 - 28,
                    lines.len()
                )
            );
        }
    }

    #[test]
    fn one_line_that_is_too_long_is_kept_in_part() {
        let kept = kept(9, &["0123456789", "abcdefghij"]);
        assert_eq!(kept.text(), "01234\n[11 bytes of 20 are left out here]\nghij");
        assert!(kept.is_cut());
    }
}
