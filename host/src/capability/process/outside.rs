//! The host's side of one command: starts the keeper, reads what the command prints, ends it in time.
//!
//! One loop waits for everything at once: both outputs, the keeper's reports, the cancel token and the time-out. What
//! is over the bound is read and thrown away, so that a command never waits for us. When this returns, the keeper has
//! ended and been reaped; no thread and no descriptor is left.

use super::message::{self, Report, Specification, Strength, Walls};
use super::{Command, LINE_BYTES, Output, ProcessError, inside, remedy};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec};
use std::future::Future;
use std::io::{self, Read};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How long the keeper may take to end what it keeps, once told to, before it is killed and takes the jail with it.
const GRACE: Duration = Duration::from_secs(2);
/// How long the keeper may take to listen.
const LISTEN: Duration = Duration::from_secs(10);
/// How much is read at once: a pipe's whole buffer.
const PIECE: usize = 64 << 10;

/// A command that has been looked at and can be launched, more than once if need be.
pub(super) struct Job<'a> {
    specification: Specification,
    command: &'a Command<'a>,
}

/// How a launched command ended.
pub(super) struct Ended {
    pub(super) output: Output,
    pub(super) strength: Strength,
}

impl<'a> Job<'a> {
    /// Looks at what can be wrong before anything is started.
    pub(super) fn prepare(command: &'a Command<'a>) -> Result<Job<'a>, ProcessError> {
        let line = command.line;
        if line.len() > LINE_BYTES {
            let problem = format!("the command line has {} bytes, and at most {LINE_BYTES} are possible", line.len());
            return Err(failed(problem, "put the text into a file of the workspace first"));
        }
        if line.contains('\0') {
            return Err(failed("the command line contains a zero byte", "leave it out"));
        }
        let workspace = existing_folder(command.workspace)?;
        let hidden: Vec<PathBuf> = command.hidden.iter().map(|path| resolved(path)).collect();
        if let Some(path) = hidden.iter().find(|path| path.starts_with(&workspace)) {
            let problem = format!("the workspace {} contains {}", workspace.display(), path.display());
            return Err(failed(problem, "choose a workspace that holds none of the program's own folders"));
        }
        let specification = Specification {
            line: line.to_owned(),
            workspace,
            hidden,
            network: command.config.network,
            walls: Walls::Enforced,
        };
        Ok(Job { specification, command })
    }

    /// Runs the command behind `walls`.
    pub(super) fn launch(&self, binary: &Path, walls: Walls) -> Result<Ended, ProcessError> {
        let begun = Instant::now();
        if self.command.cancel.is_cancelled() {
            return Err(ProcessError::Cancelled);
        }
        let mut keeper = Keeper::start(binary)?;
        let specification = Specification { walls, ..self.specification.clone() };
        // If the keeper is gone already, its reports say why, or their absence does.
        let _ = message::send(&keeper.socket, &specification);
        let watched = keeper.watch(self.command, begun)?;
        drop(keeper);

        let problem = watched.verdict(walls)?;
        let (exit_code, signal) = match problem {
            End::Known { code, signal } => (code, signal),
            End::Killed => (None, Some(libc::SIGKILL)),
        };
        let output = Output {
            exit_code,
            signal,
            truncated: watched.stdout.truncated || watched.stderr.truncated,
            stdout: watched.stdout.text(),
            stderr: watched.stderr.text(),
            timed_out: watched.timed_out,
            jailed: walls == Walls::Enforced,
            network: walls == Walls::Weak || self.specification.network,
            milliseconds: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        Ok(Ended { output, strength: watched.reports.started.unwrap_or_default() })
    }
}

/// Runs `true` in a jail once, in an empty folder, and says which walls stood.
pub(super) fn try_out(binary: &Path) -> Result<Strength, ProcessError> {
    let folder = Scratch::make()?;
    let config = crate::config::ShellConfig {
        jail: crate::config::JailMode::Enforced,
        network: false,
        timeout: Duration::from_secs(10),
        output: 4096,
    };
    let cancel = CancellationToken::new();
    let command =
        Command { line: "true", workspace: &folder.0, hidden: &[], config: &config, cancel: &cancel };
    let ended = Job::prepare(&command)?.launch(binary, Walls::Enforced)?;
    if ended.output.exit_code == Some(0) {
        return Ok(ended.strength);
    }
    let problem = format!("a trial run of \"true\" ended with {:?}", ended.output);
    Err(failed(problem, "see whether /bin/bash works on this machine"))
}

/// An empty folder that is deleted in the end.
struct Scratch(PathBuf);

impl Scratch {
    fn make() -> Result<Scratch, ProcessError> {
        use std::os::unix::fs::DirBuilderExt;
        let nanoseconds = std::time::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_nanos());
        let name = format!("passepartout-trial-{}-{nanoseconds}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::DirBuilder::new().mode(0o700).create(&path).map_err(|error| {
            failed(format!("{} can't be made: {error}", path.display()), "make room in the temporary folder")
        })?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // It is empty and its name is used once: if it stays, it harms nothing.
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// The running keeper. Dropped, it is ended and reaped.
struct Keeper {
    child: Child,
    socket: UnixStream,
}

impl Keeper {
    fn start(binary: &Path) -> Result<Keeper, ProcessError> {
        let unavailable = |error: io::Error| ProcessError::Unavailable {
            step: format!("starting {} to hold the command", binary.display()),
            problem: error.to_string(),
            remedy: remedy::advice(error.raw_os_error(), Path::new("/proc/sys")),
        };
        let (socket, theirs) = UnixStream::pair().map_err(unavailable)?;
        socket.set_write_timeout(Some(LISTEN)).map_err(unavailable)?;
        let child = std::process::Command::new(binary)
            .arg(inside::ARGUMENT)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(unavailable)?;
        Ok(Keeper { child, socket })
    }

    /// Reads until the keeper and all it keeps have ended.
    fn watch(&mut self, command: &Command<'_>, begun: Instant) -> Result<Watched, ProcessError> {
        let lost = |error: io::Error| failed(format!("the command can't be watched: {error}"), "try again");
        let bell = Arc::new(Bell::new().map_err(lost)?);
        let waker = Waker::from(Arc::clone(&bell));
        let mut cancelled = std::pin::pin!(command.cancel.cancelled());
        let mut watched = Watched::new(command.config.output);
        let (mut stdout, mut stderr) = (self.child.stdout.take(), self.child.stderr.take());
        let mut deadline = begun.checked_add(command.config.timeout);
        let mut told = false;
        while !watched.reports.closed {
            if !told {
                watched.cancelled = cancelled.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
            }
            let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if told && late {
                // It did not listen. Its death takes the jail with it.
                let _ = self.child.kill();
                deadline = None;
            } else if !told && (late || watched.cancelled) {
                watched.timed_out = late && !watched.cancelled;
                let _ = self.socket.shutdown(Shutdown::Write);
                told = true;
                deadline = Instant::now().checked_add(GRACE);
            }
            let mut ready = Ready::wait(&stdout, &stderr, &self.socket, (!told).then_some(&bell), deadline)
                .map_err(lost)?;
            ready.take(&mut stdout, &mut stderr, &mut watched);
            if ready.socket {
                watched.reports.read(&self.socket);
            }
        }
        // All are dead, and what they wrote is in the pipes. Without walls something may have got away that still
        // holds them: no more than is there now is read.
        for _ in 0..32 {
            let mut ready =
                Ready::wait(&stdout, &stderr, &self.socket, None, Some(Instant::now())).map_err(lost)?;
            if !ready.take(&mut stdout, &mut stderr, &mut watched) {
                break;
            }
        }
        Ok(watched)
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // Closing our side is what ends a keeper that still keeps something; after that it ends by itself.
        let _ = self.socket.shutdown(Shutdown::Both);
        let patience = Instant::now() + GRACE;
        while matches!(self.child.try_wait(), Ok(None)) {
            if Instant::now() >= patience {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// What there was to be seen of one run.
struct Watched {
    stdout: Kept,
    stderr: Kept,
    reports: Reports,
    timed_out: bool,
    cancelled: bool,
}

/// How the command ended.
enum End {
    Known { code: Option<i32>, signal: Option<i32> },
    Killed,
}

impl Watched {
    fn new(bound: usize) -> Watched {
        Watched {
            stdout: Kept::new(bound),
            stderr: Kept::new(bound),
            reports: Reports::default(),
            timed_out: false,
            cancelled: false,
        }
    }

    fn verdict(&self, walls: Walls) -> Result<End, ProcessError> {
        let reports = &self.reports;
        if self.cancelled {
            return Err(ProcessError::Cancelled);
        }
        if let Some(refusal) = &reports.refusal {
            return Err(refusal.clone());
        }
        if let Some((code, signal)) = reports.ended {
            return Ok(End::Known { code, signal });
        }
        if self.timed_out {
            return Ok(End::Killed);
        }
        if reports.started.is_some() {
            let problem = "the process that held the command was killed, and the command with it";
            return Err(failed(problem, "see whether the machine ran out of memory"));
        }
        let said = self.stderr.text();
        Err(ProcessError::Unavailable {
            step: match walls {
                Walls::Enforced => "making the jail".to_owned(),
                Walls::Weak => "starting the command without a jail".to_owned(),
            },
            problem: format!("the process that holds it ended without a report {}", said.trim()).trim().to_owned(),
            remedy: remedy::advice(None, Path::new("/proc/sys")),
        })
    }
}

/// The keeper's reports, as they come in.
#[derive(Default)]
struct Reports {
    pending: Vec<u8>,
    closed: bool,
    started: Option<Strength>,
    ended: Option<(Option<i32>, Option<i32>)>,
    refusal: Option<ProcessError>,
}

impl Reports {
    fn read(&mut self, mut socket: &UnixStream) {
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
            Ok(Report::Started(strength)) => self.started = Some(strength),
            Ok(Report::Ended { code, signal }) => self.ended = Some((code, signal)),
            Ok(Report::Unavailable(trouble)) => {
                self.refusal = Some(ProcessError::Unavailable {
                    step: trouble.step,
                    problem: trouble.problem,
                    remedy: remedy::advice(trouble.errno, Path::new("/proc/sys")),
                });
            }
            Ok(Report::NotStarted(trouble)) => {
                self.refusal = Some(failed(trouble.to_string(), "see whether bash is installed and can be run"));
            }
            Err(error) => {
                self.refusal = Some(failed(format!("the jail's report can't be read: {error}"), "report this"));
            }
        }
    }
}

/// The beginning of one output.
struct Kept {
    bytes: Vec<u8>,
    bound: usize,
    truncated: bool,
}

impl Kept {
    fn new(bound: usize) -> Kept {
        Kept { bytes: Vec::new(), bound, truncated: false }
    }

    fn add(&mut self, bytes: &[u8]) {
        let room = self.bound.saturating_sub(self.bytes.len());
        self.truncated |= bytes.len() > room;
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// What can be read now.
struct Ready {
    stdout: bool,
    stderr: bool,
    socket: bool,
}

impl Ready {
    /// Waits until something can be read, the bell rings, or it is `until`.
    fn wait(
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
    fn take(&mut self, stdout: &mut Option<impl Read>, stderr: &mut Option<impl Read>, watched: &mut Watched) -> bool {
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
struct Bell(OwnedFd);

impl Bell {
    fn new() -> io::Result<Bell> {
        Ok(Bell(rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        // It can only fail when it is ringing already.
        let _ = rustix::io::write(&self.0, &1u64.to_ne_bytes());
    }
}

fn existing_folder(workspace: &Path) -> Result<PathBuf, ProcessError> {
    let remedy = "create it, or set another one with --workspace";
    let path = std::fs::canonicalize(workspace)
        .map_err(|error| failed(format!("the workspace {} can't be used: {error}", workspace.display()), remedy))?;
    if !path.is_dir() {
        return Err(failed(format!("the workspace {} is not a folder", workspace.display()), remedy));
    }
    if path.parent().is_none() {
        return Err(failed("the workspace is the root of the file system", "choose a folder"));
    }
    Ok(path)
}

/// Where `path` leads, with the symbolic links of the part of it that exists resolved.
fn resolved(path: &Path) -> PathBuf {
    for part in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (std::fs::canonicalize(part), path.strip_prefix(part)) {
            return real.join(rest);
        }
    }
    path.to_owned()
}

fn failed(problem: impl Into<String>, remedy: &str) -> ProcessError {
    ProcessError::Failed { problem: problem.into(), remedy: remedy.to_owned() }
}
