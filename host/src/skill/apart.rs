//! Looking into a file and compiling it in a process of its own, which the kernel ends when it takes too much.
//!
//! What that takes can't be told for sure from the bytes: [`super::inspect`] counts what is known to be dear, and refuses
//! most at once and in better words. This holds whatever nobody thought of, in time and in memory, and keeps a compiler
//! that crashes from taking the daemon with it.

mod message;
mod running;

use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::panic::PanicHookInfo;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, Signal};
use wasmtime::Engine;

use super::inspect::{self, Sizes, Survey};
use super::workshop::LoadFault;
use super::{compile, tuning};
use crate::capability::Purpose;
use message::{Answer, Header};
use running::Running;

/// The hidden first argument that makes the host's binary a compiler.
const ARGUMENT: &str = "__compile";

/// The most processor time that it may take where others wait for it.
pub(super) const QUICK: Duration = Duration::from_secs(5);

/// How much longer it may take where other programs have the processors.
const BUSY: u32 = 4;

/// The most that may be found in a file, in bytes: so many, and so many more for each of the file's. Most are the names of what
/// it imports, written as JSON.
const FOUND: u64 = 256 << 10;
const FOUND_EACH: u64 = 16;

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
    let answer = match header.task {
        Task::Look => match serde_json::to_vec(&inspect::survey(&bytes, &header.most)) {
            Ok(found) => Answer::Done(found),
            Err(error) => Answer::Failed(error.to_string()),
        },
        Task::Pure => compiled(&tuning::pure(), &bytes, header.code),
        Task::Acting => compiled(&tuning::acting(), &bytes, header.code),
    };
    answer.write(&mut io::stdout().lock())
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

fn compiled(config: &wasmtime::Config, bytes: &[u8], most: u64) -> Answer {
    let engine = match Engine::new(config) {
        Ok(engine) => engine,
        Err(error) => return Answer::Failed(super::fault::one_line(&error)),
    };
    match compile::compile(&engine, bytes, most) {
        Ok(code) => Answer::Done(code),
        Err(LoadFault::Code { asked, .. }) => Answer::Large(asked),
        Err(LoadFault::Compile(problem)) => Answer::Failed(problem),
        Err(fault) => Answer::Failed(fault.to_string()),
    }
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
    pub(super) fn look(&self, bytes: &[u8], most: &Sizes, time: Duration) -> Result<Survey, LoadFault> {
        let room = FOUND.saturating_add(FOUND_EACH.saturating_mul(bytes.len() as u64));
        let found = self.run(Task::Look, bytes, most, room, time)?;
        serde_json::from_slice(&found)
            .map_err(|error| LoadFault::NoCompiler(format!("what it found can't be read: {error}")))
    }

    /// Has the bytes of a file compiled, in at most `time` of the processor, in whole seconds, to code of at most `code` bytes.
    ///
    /// # Errors
    /// When it takes too much, the compiler fails, or no process comes to an end of it.
    pub(super) fn compile(
        &self,
        purpose: Purpose,
        bytes: &[u8],
        code: u64,
        time: Duration,
    ) -> Result<Vec<u8>, LoadFault> {
        let task = match purpose {
            Purpose::Pure => Task::Pure,
            Purpose::Act => Task::Acting,
        };
        // It was looked into already.
        let most = Sizes {
            file: 0,
            memory: 0,
            table_entries: 0,
        };
        self.run(task, bytes, &most, code, time)
    }

    fn run(
        &self,
        task: Task,
        bytes: &[u8],
        most: &Sizes,
        allowed: u64,
        time: Duration,
    ) -> Result<Vec<u8>, LoadFault> {
        if time.as_secs() == 0 {
            return Err(LoadFault::TooSlow { allowed: time });
        }
        let header = Header {
            task,
            seconds: time.as_secs(),
            memory: self.memory,
            most: *most,
            code: allowed,
            length: bytes.len() as u64,
        };
        let unavailable = |error: io::Error| LoadFault::NoCompiler(error.to_string());
        let mut running = Running::start(&self.binary).map_err(unavailable)?;
        let patience = time * BUSY;
        let answer = running.ask(&header.to_bytes(), bytes, allowed, patience);
        let is_whole = !matches!(answer, Err(_) | Ok(Some(Answer::Large(_))));
        let status = running.end(is_whole).map_err(unavailable)?;
        let answer = match answer {
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                return Err(LoadFault::Stalled { waited: patience });
            }
            // How it ended says more.
            Err(_) => None,
            Ok(answer) => answer,
        };
        match (answer, status.signal()) {
            (Some(Answer::Large(asked)), _) => Err(LoadFault::Code { asked, allowed }),
            (Some(Answer::Done(made)), None) if status.success() => Ok(made),
            (Some(Answer::Failed(problem)), None) if status.success() => Err(LoadFault::Compile(problem)),
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::config::SkillLimits;

    #[test]
    fn each_end_that_is_no_answer_has_its_own_words() {
        let none = Apart::new("/nowhere/passepartout-host".into(), 1 << 30);
        let of = |signal| none.ended(Some(signal), ExitStatus::from_raw(signal), QUICK);
        assert!(matches!(of(libc::SIGXCPU), LoadFault::TooSlow { allowed: QUICK }));
        assert!(matches!(of(libc::SIGABRT), LoadFault::TooBig { .. }));
        assert!(of(libc::SIGSEGV).to_string().contains("crashed on it (signal 11)"));
        let fault = none.look(b"", &Sizes::of(&SkillLimits::DEFAULT), QUICK).unwrap_err();
        assert!(
            matches!(fault, LoadFault::NoCompiler(_)) && !fault.is_about_the_bytes(),
            "{fault}"
        );
    }
}
