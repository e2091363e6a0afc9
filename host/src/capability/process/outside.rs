//! The host's side of one command: starts the keeper, reads what the command prints, ends it in time.
//!
//! One loop waits for everything at once: both outputs, the keeper's reports, the cancel token and the time-out. What
//! is over the bound is read and thrown away, so that a command never waits for us. When this returns, the keeper has
//! ended and been reaped; no thread and no descriptor is left.

use super::guarded::{Cover, Look};
use super::message::{self, Bounds, Lock, Shown, Specification, Strength, Walls};
use super::names::{every_name, existing_folder, other_names_of};
use super::refused::Held;
use super::tidy::Watch;
use super::time::Timing;
use super::watched::{Bell, End, Ready, Watched};
use super::{
    Command, LINE_BYTES, Output, ProcessError, View, Writes, commons, identity, inside, refused, remedy, since, tidy,
};
use crate::config::JailMode;
use std::collections::BTreeSet;
use std::future::Future;
use std::io;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

/// How long the keeper may take to end what it keeps, once told to, before it is killed and takes the jail with it.
const GRACE: Duration = Duration::from_secs(2);
/// How long the keeper may take to listen.
const LISTEN: Duration = Duration::from_secs(10);

/// A command that has been looked at and can be launched, more than once if need be.
pub(super) struct Job<'a> {
    specification: Specification,
    command: &'a Command<'a>,
    /// Where it can change the workspace.
    watch: Option<Watch>,
    /// What was put away that commands before this one left, or it itself, and that is in no output.
    pub(super) notes: Vec<String>,
    /// Since when it takes its time.
    since: Instant,
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
            let problem = format!(
                "the command line has {} bytes, and at most {LINE_BYTES} are possible",
                line.len()
            );
            return Err(failed(problem, "put the text into a file of the workspace first"));
        }
        if line.contains('\0') {
            return Err(failed("the command line contains a zero byte", "leave it out"));
        }
        let workspace = existing_folder(command.workspace)?;
        let mut hidden = every_name(command.hidden)?;
        if let Some(path) = hidden.iter().find(|path| path.starts_with(&workspace)) {
            let problem = format!("the workspace {} contains {}", workspace.display(), path.display());
            return Err(failed(
                problem,
                "choose a workspace that holds none of the program's own folders",
            ));
        }
        // By another name, what is covered in it would be there to be read.
        hidden.extend(other_names_of(&workspace)?);
        let config = command.config;
        let (shown, writes, network) = match command.view {
            View::Machine | View::Remembered => (Shown::Machine, Writes::Allowed, config.network),
            View::Commons { home, writes } => {
                hidden.extend(every_name(&commons::homes(home))?);
                hidden.extend(commons::not_everyones(&workspace));
                (Shown::Commons, writes, false)
            }
        };
        let (state, protected) = (command.state, command.protected);
        let timing = Timing {
            timeout: config.timeout,
            cancel: command.cancel,
        };
        let begun = match (shown, config.jail) {
            (Shown::Machine, _) => tidy::begin(state, &workspace, protected, Look::Before, timing)?,
            // Where nothing holds it, it can write all the same.
            (Shown::Commons, JailMode::Enforced) if writes == Writes::Refused => {
                tidy::begin_reading(state, &workspace, protected, timing)?
            }
            (Shown::Commons, _) => tidy::begin(state, &workspace, protected, Look::Unasked(Writes::Allowed), timing)?,
        };
        let mut notes = begun.notes;
        if line.contains("git") {
            notes.extend(begun.of_git);
        }
        let specification = Specification {
            line: line.to_owned(),
            workspace,
            writes,
            shown,
            identity: identity::of_operator(),
            links: command.view == View::Machine || writes == Writes::Refused,
            hidden,
            guarded: begun.guarded,
            lock: begun
                .watch
                .as_ref()
                .map(|watch| Lock(watch.ledger.lock_path().to_owned())),
            network,
            closed_ports: command.closed_ports.to_vec(),
            bounds: Bounds {
                memory: config.memory,
                processes: config.processes,
                cpu_seconds: config.cpu.as_secs(),
            },
            walls: Walls::Enforced,
        };
        Ok(Job {
            specification,
            command,
            watch: begun.watch,
            notes,
            since: begun.since,
        })
    }

    /// Runs the command behind `walls`. Where that fails, what is to be said stays in the job.
    pub(super) fn launch(&mut self, binary: &Path, walls: Walls) -> Result<Ended, ProcessError> {
        let begun = self.since;
        if self.command.cancel.is_cancelled() {
            return Err(ProcessError::Cancelled);
        }
        let mut keeper = Keeper::start(binary)?;
        let specification = Specification {
            walls,
            ..self.specification.clone()
        };
        if let Some(watch) = &mut self.watch {
            watch.ledger.owe();
        }
        match message::send(&keeper.socket, &specification) {
            // What can't be told is no fault of the kernel's.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return Err(failed(
                    format!("what is to be run can't be told to the jail: {error}"),
                    "give what is hidden, or lies in the workspace, shorter names",
                ));
            }
            // If the keeper is gone already, its reports say why, or their absence does.
            _ => {}
        }
        let watched = keeper.watch(self.command, begun);
        drop(keeper);
        // However it ended, and whether or not anybody hears of it.
        self.tidy();
        let watched = watched?;

        let end = watched.verdict(walls)?;
        let mut notes = std::mem::take(&mut self.notes);
        let (exit_code, signal, timed_out) = match end {
            End::Known { code, signal, lost } => {
                notes.extend(gone(&lost));
                (code, signal, false)
            }
            End::TimedOut => {
                let seconds = self.command.config.timeout.as_secs();
                notes.insert(
                    0,
                    format!("the command was ended: it took longer than {seconds} s (shell.timeout_seconds)"),
                );
                (None, Some(libc::SIGKILL), true)
            }
            End::Passed(bound) => {
                notes.insert(0, format!("the command was ended: {bound}"));
                (None, Some(libc::SIGKILL), false)
            }
        };
        let mut output = Output {
            exit_code,
            signal,
            truncated: watched.stdout.is_cut() || watched.stderr.is_cut(),
            stdout: watched.stdout.text(),
            stderr: watched.stderr.text(),
            timed_out,
            jailed: walls == Walls::Enforced,
            network: walls == Walls::Weak || self.specification.network,
            milliseconds: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            notes,
        };
        if self.specification.shown == Shown::Commons {
            let timing = self.timing();
            if let Some(why) = since::withheld(&self.specification, self.command.protected, timing.after()) {
                output.stdout.clear();
                output.stderr.clear();
                output.notes.insert(0, why);
            }
        }
        if output.jailed {
            let refused = self.refused(&output);
            output.notes.extend(refused);
        }
        Ok(Ended {
            output,
            strength: watched.reports.ready.unwrap_or_default(),
        })
    }
}

impl<'a> Job<'a> {
    fn timing(&self) -> Timing<'a> {
        Timing {
            timeout: self.command.config.timeout,
            cancel: self.command.cancel,
        }
    }

    /// Puts out of git's reach what the command planted, and says so.
    fn tidy(&mut self) {
        let timing = self.timing();
        if let Some(watch) = &mut self.watch {
            let done = tidy::look_after(&self.specification.workspace, &watch.before, timing.after());
            watch.ledger.settle(&done.owed);
            // What could not be put away was said before.
            self.notes.extend(done.notes);
            let mut said = BTreeSet::new();
            self.notes.retain(|note| said.insert(note.clone()));
        }
    }

    /// What the output points to. What a command that ended well printed is taken for its result.
    fn refused(&self, output: &Output) -> Vec<String> {
        let Specification {
            workspace,
            hidden,
            guarded,
            writes,
            shown,
            links,
            ..
        } = &self.specification;
        let absent: Vec<PathBuf> = guarded
            .iter()
            .filter(|place| place.cover == Cover::Absent)
            .map(|place| workspace.join(&place.path))
            .collect();
        let held = Held {
            network: output.network,
            writes: *writes,
            links: *links,
            hidden,
            absent: &absent,
            workspace,
            unasked: *shown == Shown::Commons,
        };
        let mut written = vec![output.stderr.as_str()];
        if output.exit_code != Some(0) {
            written.push(&output.stdout);
        }
        let mut notes = refused::notes(&written, &held);
        notes.extend(refused::listed(&output.stdout, &held));
        if *shown == Shown::Commons {
            let out = written.iter().find_map(|text| commons::leading_out(workspace, text));
            notes.extend(out.map(|name| {
                format!(
                    "{name} leads to a part of the machine that is not visible to commands that no person approved: they \
                     see the workspace and what is everyone's (/usr, /etc, /opt and the like). A command that names the \
                     place itself is asked about, and sees it when a person approves"
                )
            }));
        }
        notes
    }
}

/// That what a command wrote to the temporary folders is not to be found any more.
fn gone(lost: &[String]) -> Option<String> {
    (!lost.is_empty()).then(|| {
        format!(
            "what the command wrote to {} is gone: temporary folders are its own and end with it; what is to stay must be \
             written to the workspace",
            lost.join(" and ")
        )
    })
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
            let mut ready =
                Ready::wait(&stdout, &stderr, &self.socket, (!told).then_some(&bell), deadline).map_err(lost)?;
            ready.take(&mut stdout, &mut stderr, &mut watched);
            if ready.socket {
                watched.reports.read(&self.socket);
            }
        }
        // All are dead, and what they wrote is in the pipes. Without walls something may have got away that still
        // holds them: no more than is there now is read.
        for _ in 0..32 {
            let mut ready = Ready::wait(&stdout, &stderr, &self.socket, None, Some(Instant::now())).map_err(lost)?;
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

pub(super) fn failed(problem: impl Into<String>, remedy: &str) -> ProcessError {
    ProcessError::Failed {
        problem: problem.into(),
        remedy: remedy.to_owned(),
    }
}

/// That what is to be hidden from a command that no person was asked about can't be, because others move it.
pub(super) fn changed_meanwhile() -> ProcessError {
    failed(
        "nothing was run: other commands are changing the workspace, and what may hold secrets in it can't be hidden for \
         sure from a command that no person was asked about",
        "wait until they have ended, or let a person approve the command",
    )
}
