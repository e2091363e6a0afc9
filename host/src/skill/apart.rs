//! Looking into a file and compiling it in a process of its own, which the kernel ends when it takes too much.
//!
//! What that takes can't be told for sure from the bytes: [`super::inspect`] counts what is known to be dear, and refuses
//! most at once and in better words. This holds whatever nobody thought of, in time and in memory, and keeps a compiler
//! that crashes from taking the daemon with it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::panic::PanicHookInfo;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Resource, Rlimit, Signal};
use wasmtime::Engine;

use super::inspect::{self, Survey};
use super::workshop::LoadFault;
use super::{compile, tuning};
use crate::capability::Purpose;

/// The hidden first argument that makes the host's binary a compiler.
const ARGUMENT: &str = "__compile";

/// The most processor time that it may take where others wait for it.
pub(super) const QUICK: Duration = Duration::from_secs(5);

/// The most code that is taken, in bytes: what the heaviest of those that compilers make comes to, many times over.
const CODE: u64 = 512 << 20;

/// How much longer it may take where other programs have the processors.
const BUSY: u32 = 4;

/// Where memory runs out, it is ended before the daemon: half-way up the scale of 1,000.
const MEMORY_BADNESS: &str = "500";

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Looking into it.
    Look,
    /// Compiling it for what is pure.
    Pure,
    /// Compiling it for what acts.
    Acting,
}

const TASKS: [Task; 3] = [Task::Look, Task::Pure, Task::Acting];

/// What stands before an answer: that it was done, or that it could not be.
const DONE: u8 = 1;
const FAILED: u8 = 2;

/// What stands before the bytes of a file: the task, processor time in seconds, memory, the longest file, and how many bytes
/// follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    task: Task,
    seconds: u64,
    memory: u64,
    longest: u64,
    length: u64,
}

impl Header {
    const BYTES: usize = 33;

    fn to_bytes(self) -> [u8; Header::BYTES] {
        let mut bytes = [0; Header::BYTES];
        bytes[0] = self.task as u8;
        for (at, number) in [self.seconds, self.memory, self.longest, self.length]
            .into_iter()
            .enumerate()
        {
            bytes[1 + 8 * at..9 + 8 * at].copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; Header::BYTES]) -> Option<Header> {
        let number = |at: usize| {
            let mut own = [0; 8];
            own.copy_from_slice(&bytes[1 + 8 * at..9 + 8 * at]);
            u64::from_le_bytes(own)
        };
        Some(Header {
            task: *TASKS.get(usize::from(bytes[0]))?,
            seconds: number(0),
            memory: number(1),
            longest: number(2),
            length: number(3),
        })
    }
}

/// Does a compiler's work and exits, if this process was started to be one. Must be called before any thread is started;
/// returns at once otherwise.
pub fn compile_if_asked() {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == ARGUMENT) {
        std::process::exit(i32::from(serve().is_err()));
    }
}

/// The other side: reads what is to be done, within bounds, and answers.
fn serve() -> io::Result<()> {
    let no_request = || io::Error::from(io::ErrorKind::InvalidData);
    let mut stdin = io::stdin().lock();
    let mut header = [0; Header::BYTES];
    stdin.read_exact(&mut header)?;
    let header = Header::from_bytes(&header).ok_or_else(no_request)?;
    bound(header.seconds, header.memory)?;
    std::panic::set_hook(Box::new(end_without_memory));
    let mut bytes = Vec::new();
    stdin.take(header.length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != header.length {
        return Err(no_request());
    }
    let made = match header.task {
        Task::Look => {
            let survey = inspect::survey(&bytes, header.longest);
            serde_json::to_vec(&survey).map_err(|error| error.to_string())
        }
        Task::Pure => compiled(tuning::pure(), &bytes),
        Task::Acting => compiled(tuning::acting(), &bytes),
    };
    let (status, answer) = match made {
        Ok(code) => (DONE, code),
        Err(problem) => (FAILED, problem.into_bytes()),
    };
    let mut stdout = io::stdout().lock();
    stdout.write_all(&[status])?;
    stdout.write_all(&answer)?;
    stdout.flush()
}

/// Ends the process where the compiler reports as a panic that memory has run out, as it does where it does not abort by
/// itself. To unwind, or to say where it was, takes memory. Other panics are caught and told.
fn end_without_memory(panic: &PanicHookInfo<'_>) {
    let payload = panic.payload();
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    if text.is_some_and(|text| text.contains("out of memory")) {
        std::process::abort();
    }
}

fn compiled(config: wasmtime::Config, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let engine = Engine::new(&config).map_err(|error| super::fault::one_line(&error))?;
    compile::compile(&engine, bytes)
}

/// Bounds this process, before it sees anything of the file. It ends with whoever asked.
fn bound(seconds: u64, memory: u64) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    for (resource, most) in [(Resource::Core, 0), (Resource::Cpu, seconds), (Resource::Data, memory)] {
        let now = rustix::process::getrlimit(resource).maximum;
        // At its first bound on time it gets a signal that says so, at the second it is killed.
        let last = most + u64::from(resource == Resource::Cpu);
        let limit = Rlimit {
            current: Some(now.map_or(most, |now| now.min(most))),
            maximum: Some(now.map_or(last, |now| now.min(last))),
        };
        rustix::process::setrlimit(resource, limit)?;
    }
    // Without it the machine chooses by size.
    let _ = std::fs::write("/proc/self/oom_score_adj", MEMORY_BADNESS);
    Ok(())
}

/// Starts such processes.
#[derive(Debug)]
pub(super) struct Apart {
    binary: PathBuf,
    memory: u64,
}

impl Apart {
    /// `binary` calls [`compile_if_asked`] first. Each may take so much `memory`, in bytes.
    pub(super) fn new(binary: PathBuf, memory: u64) -> Apart {
        Apart { binary, memory }
    }

    /// Has the bytes of a file looked into, in at most `time` of the processor, in whole seconds. Nothing of that is done
    /// here as well: it may take as much memory as the process may.
    ///
    /// # Errors
    /// When it takes too much, or no process comes to an end of it.
    pub(super) fn look(&self, bytes: &[u8], longest: u64, time: Duration) -> Result<Survey, LoadFault> {
        let found = self.run(Task::Look, bytes, longest, time)?;
        serde_json::from_slice(&found)
            .map_err(|error| LoadFault::NoCompiler(format!("what it found can't be read: {error}")))
    }

    /// Has the bytes of a file compiled, in at most `time` of the processor, in whole seconds.
    ///
    /// # Errors
    /// When it takes too much, the compiler fails, or no process comes to an end of it.
    pub(super) fn compile(&self, purpose: Purpose, bytes: &[u8], time: Duration) -> Result<Vec<u8>, LoadFault> {
        let task = match purpose {
            Purpose::Pure => Task::Pure,
            Purpose::Act => Task::Acting,
        };
        self.run(task, bytes, 0, time)
    }

    fn run(&self, task: Task, bytes: &[u8], longest: u64, time: Duration) -> Result<Vec<u8>, LoadFault> {
        if time.as_secs() == 0 {
            return Err(LoadFault::TooSlow { allowed: time });
        }
        let header = Header {
            task,
            seconds: time.as_secs(),
            memory: self.memory,
            longest,
            length: bytes.len() as u64,
        };
        let unavailable = |error: io::Error| LoadFault::NoCompiler(error.to_string());
        let mut running = Running::start(&self.binary).map_err(unavailable)?;
        let patience = time * BUSY;
        let answer = running.ask(&header.to_bytes(), bytes, patience);
        let status = running.end(answer.is_ok()).map_err(unavailable)?;
        let answer = match answer {
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                return Err(LoadFault::Stalled { waited: patience });
            }
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                return Err(LoadFault::Compile(format!(
                    "its code would have more than {} MiB",
                    CODE >> 20
                )));
            }
            // How it ended says more.
            Err(_) => Vec::new(),
            Ok(answer) => answer,
        };
        match (answer.split_first(), status.signal()) {
            (Some((&DONE, code)), None) if status.success() => Ok(code.to_vec()),
            (Some((&FAILED, problem)), None) if status.success() => {
                Err(LoadFault::Compile(String::from_utf8_lossy(problem).into_owned()))
            }
            (_, signal) => Err(self.ended(signal, status, time)),
        }
    }

    /// What a process that did not answer came to.
    fn ended(&self, signal: Option<i32>, status: ExitStatus, time: Duration) -> LoadFault {
        match signal {
            Some(libc::SIGXCPU) => LoadFault::TooSlow { allowed: time },
            Some(libc::SIGABRT) => LoadFault::TooBig { allowed: self.memory },
            Some(signal @ (libc::SIGSEGV | libc::SIGBUS | libc::SIGILL | libc::SIGFPE | libc::SIGTRAP)) => {
                LoadFault::Compile(format!("the compiler crashed on it (signal {signal})"))
            }
            // By the kernel, or by a person: the bytes are not to blame.
            Some(libc::SIGKILL) => {
                LoadFault::NoCompiler("it was killed; perhaps the machine has no memory left".to_owned())
            }
            Some(signal) => LoadFault::NoCompiler(format!("it was ended by signal {signal}")),
            None => LoadFault::NoCompiler(format!("it ended with {status} and said nothing")),
        }
    }
}

/// A process that was started. Dropped, it is ended and reaped.
struct Running {
    child: Child,
}

impl Running {
    fn start(binary: &std::path::Path) -> io::Result<Running> {
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

    /// Hands it the file, and waits for the whole answer.
    fn ask(&mut self, header: &[u8], bytes: &[u8], patience: Duration) -> io::Result<Vec<u8>> {
        let deadline = Instant::now() + patience;
        if let Some(stdin) = self.child.stdin.take() {
            // It reads all before it does anything.
            let mut stdin = File::from(OwnedFd::from(stdin));
            rustix::io::ioctl_fionbio(&stdin, true)?;
            write_whole(&mut stdin, header, deadline)?;
            write_whole(&mut stdin, bytes, deadline)?;
        }
        let Some(stdout) = self.child.stdout.take() else {
            return Ok(Vec::new());
        };
        let mut stdout = File::from(OwnedFd::from(stdout));
        let (mut answer, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
        loop {
            wait(&stdout, PollFlags::IN, deadline)?;
            match stdout.read(&mut buffer)? {
                0 => return Ok(answer),
                count => answer.extend_from_slice(&buffer[..count]),
            }
            if answer.len() as u64 > CODE {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
        }
    }

    /// Ends it, unless it has answered whole and ends by itself, and says how it did.
    fn end(mut self, answered: bool) -> io::Result<ExitStatus> {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_asked_reads_as_it_was_written() {
        for task in TASKS {
            let header = Header {
                task,
                seconds: 5,
                memory: 2 << 30,
                longest: 32 << 20,
                length: u64::MAX,
            };
            assert_eq!(Header::from_bytes(&header.to_bytes()), Some(header));
        }
        assert_eq!(Header::from_bytes(&[9; Header::BYTES]), None);
    }

    #[test]
    fn each_end_that_is_no_answer_has_its_own_words() {
        let none = Apart::new("/nowhere/passepartout-host".into(), 1 << 30);
        let of = |signal| none.ended(Some(signal), ExitStatus::from_raw(signal), QUICK);
        assert!(matches!(of(libc::SIGXCPU), LoadFault::TooSlow { allowed: QUICK }));
        assert!(matches!(of(libc::SIGABRT), LoadFault::TooBig { .. }));
        assert!(of(libc::SIGSEGV).to_string().contains("crashed on it (signal 11)"));
        let fault = none.run(Task::Look, b"", 1, QUICK).unwrap_err();
        assert!(
            matches!(fault, LoadFault::NoCompiler(_)) && !fault.is_about_the_bytes(),
            "{fault}"
        );
    }
}
