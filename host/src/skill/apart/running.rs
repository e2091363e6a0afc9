//! A process that looks into a file or compiles it, seen from the daemon.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};

use super::ARGUMENT;
use super::message::{Answer, Head};

/// A process that was started. Dropped, it is ended and reaped.
pub(super) struct Running {
    child: Child,
}

impl Running {
    pub(super) fn start(binary: &std::path::Path) -> io::Result<Running> {
        let child = Command::new(binary)
            .arg(ARGUMENT)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Running { child })
    }

    /// Hands it the file, and waits for the whole answer, of which no more is taken than `most` bytes. No answer is none that
    /// is whole.
    pub(super) fn ask(
        &mut self,
        header: &[u8],
        bytes: &[u8],
        most: u64,
        patience: Duration,
    ) -> io::Result<Option<Answer>> {
        let deadline = Instant::now() + patience;
        if let Some(stdin) = self.child.stdin.take() {
            // It reads all before it does anything.
            let mut stdin = File::from(OwnedFd::from(stdin));
            rustix::io::ioctl_fionbio(&stdin, true)?;
            write_whole(&mut stdin, header, deadline)?;
            write_whole(&mut stdin, bytes, deadline)?;
        }
        let Some(stdout) = self.child.stdout.take() else {
            return Ok(None);
        };
        let mut stdout = File::from(OwnedFd::from(stdout));
        let mut head = Vec::with_capacity(Head::BYTES);
        read_up_to(&mut stdout, &mut head, Head::BYTES, deadline)?;
        let Ok(head) = <[u8; Head::BYTES]>::try_from(head) else {
            return Ok(None);
        };
        let head = Head::from_bytes(head);
        if head.follow() > most {
            return Ok(Some(Answer::Large(head.length)));
        }
        // As much as it is, at once: to grow it would take twice that.
        let length = usize::try_from(head.follow()).unwrap_or(usize::MAX);
        let mut rest = Vec::with_capacity(length);
        read_up_to(&mut stdout, &mut rest, length, deadline)?;
        wait(&stdout, PollFlags::IN, deadline)?;
        match stdout.read(&mut [0])? {
            0 => Ok(head.with(rest)),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    /// Ends it, unless it has answered whole and ends by itself, and says how it did.
    pub(super) fn end(mut self, answered: bool) -> io::Result<ExitStatus> {
        if !answered {
            let _ = self.child.kill();
        }
        self.child.wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Writes all of `bytes` into a pipe that blocks nobody.
fn write_whole(to: &mut File, mut bytes: &[u8], deadline: Instant) -> io::Result<()> {
    while !bytes.is_empty() {
        wait(to, PollFlags::OUT, deadline)?;
        match to.write(bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Waits until the other side is ready for it, or gone.
fn wait(side: &impl AsFd, ready: PollFlags, deadline: Instant) -> io::Result<()> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let mut polled = [PollFd::new(side, ready)];
        let left = rustix::time::Timespec::try_from(left).ok();
        match rustix::event::poll(&mut polled, left.as_ref()) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Reads from a pipe until `into` has `length` bytes, or there are no more.
fn read_up_to(from: &mut File, into: &mut Vec<u8>, length: usize, deadline: Instant) -> io::Result<()> {
    let mut buffer = vec![0; length.min(64 << 10)];
    while into.len() < length {
        wait(from, PollFlags::IN, deadline)?;
        let wanted = buffer.len().min(length - into.len());
        match from.read(&mut buffer[..wanted])? {
            0 => break,
            count => into.extend_from_slice(&buffer[..count]),
        }
    }
    Ok(())
}
