//! The other side: what the host's own binary does when it is executed to hold a command.
//!
//! Three processes. The *keeper* enters new namespaces and then only waits, for the end or for the host to say "end
//! it" or to die. Its child, the *first* process of the process namespace, makes the root, gives up every privilege,
//! and starts bash; when it ends or is killed, the kernel kills whatever is left. Each process here has one thread.
//! Without the kernel's walls the same three run, and the keeper gathers and kills what bash leaves behind.

use super::message::{During, Report, Shown, Specification, Strength, Trouble, Walls, receive, send};
use super::namespace::Network;
use super::usage::Meter;
use super::{identity, landlock, ledger, namespace, root, seal, seccomp, stand_in};
use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, WaitStatus};
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The hidden first argument that makes the host's binary a keeper.
pub(super) const ARGUMENT: &str = "__jail";

/// The shell, and where it is when it is not in the first place.
const SHELLS: [&str; 3] = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];

/// Where programs are looked for.
const PATH: (&str, &str) = ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");

/// What every command finds in its environment, beside `HOME`, its workspace. Nothing is inherited.
/// Git obeys no configuration that lies in the workspace as if it were the user's, nor a bare repository
/// or a module in it, and looking
/// at a repository does not change it. `less` obeys no file of keys there, which could name a program, and nothing
/// that reads lines a file that could name others.
const ENVIRONMENT: [(&str, &str); 16] = [
    ("LANG", "C.UTF-8"),
    ("TERM", "dumb"),
    ("TMPDIR", "/tmp"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_COUNT", "3"),
    ("GIT_CONFIG_KEY_0", "safe.bareRepository"),
    ("GIT_CONFIG_VALUE_0", "explicit"),
    ("GIT_CONFIG_KEY_1", "diff.ignoreSubmodules"),
    ("GIT_CONFIG_VALUE_1", "all"),
    ("GIT_CONFIG_KEY_2", "diff.autoRefreshIndex"),
    ("GIT_CONFIG_VALUE_2", "false"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("INPUTRC", "/dev/null"),
    ("LESSKEY", "/dev/null"),
    ("LESSKEYIN", "/dev/null"),
    ("LESSSECURE", "1"),
];

/// Without a network: git fetches nothing by itself either, from a repository that it can get at by its path.
const NO_FETCH: (&str, &str) = ("GIT_NO_LAZY_FETCH", "1");

/// For what no person was asked about: git shows no notes with a commit unless it is told to, since nobody who has the
/// repository need have them. They are in no copy of it. An empty name is no branch of any.
const NO_NOTES: [(&str, &str); 2] = [("GIT_NOTES_REF", ""), ("GIT_NOTES_DISPLAY_REF", "")];

/// Out-of-memory killing takes a command before the daemon: half-way up the scale of 1,000.
const MEMORY_BADNESS: &str = "500";

/// Does the keeper's work and exits, or git's in a jail, if this process was started for that. Must be the first thing in `main`, before
/// any thread is started; returns at once otherwise.
pub fn enter_if_asked() {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == ARGUMENT) {
        std::process::exit(keep());
    }
    if let Some(code) = stand_in::code() {
        std::process::exit(code);
    }
}

/// The keeper. Standard input is the socket to the host; what goes wrong is reported there.
fn keep() -> i32 {
    match try_keep() {
        Ok(()) => 0,
        Err(trouble) => {
            report(&Report::Unavailable(trouble));
            1
        }
    }
}

fn try_keep() -> Result<(), Trouble> {
    seal::descriptors()?;
    let specification: Specification = receive(socket()?).during("reading what is to be run")?;
    // Held by this process and the next, to the end of both.
    let running = specification.lock.as_ref().map(|lock| ledger::hold(&lock.0));
    let _running = running.transpose().during("noting that the command runs")?;
    rustix::process::setsid().during("leaving the host's session")?;
    seal::no_crash_handler();
    // Allowed to everybody, in one direction; without it a command is only less likely to be taken first.
    let _ = std::fs::write("/proc/self/oom_score_adj", MEMORY_BADNESS);
    match specification.walls {
        Walls::Enforced => {
            namespace::enter(if specification.network {
                Network::Shared
            } else {
                Network::None
            })?;
        }
        Walls::Weak => rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
            .during("gathering what a command leaves behind")?,
    }
    // SAFETY: this process has one thread, so that the child finds every lock free and may go on as if alone.
    match unsafe { libc::fork() } {
        -1 => Err(super::mount::last_error()).during("starting the jail's first process"),
        0 => std::process::exit(first(&specification)),
        child => watch(child),
    }
}

/// Waits for the first process to end, or for the host to want it ended, and leaves nothing behind.
fn watch(child: libc::pid_t) -> Result<(), Trouble> {
    let step = "watching the jail's first process";
    let child = Pid::from_raw(child).ok_or(rustix::io::Errno::SRCH).during(step)?;
    let alive = rustix::process::pidfd_open(child, PidfdFlags::empty()).during(step)?;
    let host = std::io::stdin();
    let mut events = [PollFd::new(&alive, PollFlags::IN), PollFd::new(&host, PollFlags::IN)];
    while let Err(rustix::io::Errno::INTR) = rustix::event::poll(&mut events, None) {}
    // The host sends nothing more: whatever is to be read means that it closed its side, or is gone.
    // Where this fails the process has ended already.
    let _ = rustix::process::pidfd_send_signal(&alive, Signal::KILL);
    loop {
        // In a process namespace there is nobody else; without, what bash left behind has become ours.
        kill_children();
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return Ok(()),
        }
    }
}

fn kill_children() {
    let Ok(children) = std::fs::read_to_string("/proc/thread-self/children") else {
        return;
    };
    for child in children
        .split_whitespace()
        .filter_map(|number| Pid::from_raw(number.parse().ok()?))
    {
        // It may have ended meanwhile.
        let _ = rustix::process::kill_process(child, Signal::KILL);
    }
}

/// The first process inside: raises the walls, starts bash, reaps whatever ends, and reports how bash ended.
fn first(specification: &Specification) -> i32 {
    let mut strength = Strength::default();
    let sealed = match specification.walls {
        Walls::Enforced => enclose(specification, &mut strength),
        Walls::Weak => seal::bounds(Walls::Weak, &specification.bounds).map(|()| None),
    };
    let git = match sealed {
        Ok(git) => git,
        Err(trouble) => {
            report(&Report::Unavailable(trouble));
            return 1;
        }
    };
    report(&Report::Ready(strength));
    let started = seal::hold_children_back().and_then(|()| start(specification, git.as_deref()));
    let bash = match started {
        Ok(pid) => pid,
        Err(trouble) => {
            report(&Report::NotStarted(trouble));
            return 1;
        }
    };
    match wait_for(bash, Meter::new(specification, bash)) {
        Ok(status) => {
            report(&Report::Ended {
                code: status.exit_status(),
                signal: status.terminating_signal(),
                lost: match specification.walls {
                    Walls::Enforced => root::temporary_folders_in_use(&specification.workspace),
                    Walls::Weak => Vec::new(),
                },
            });
            0
        }
        // With this process the others end.
        Err(Some(bound)) => {
            report(&Report::Passed(bound));
            1
        }
        Err(None) => 1,
    }
}

/// Raises the walls. Where git is, if something stands in for it.
fn enclose(specification: &Specification, strength: &mut Strength) -> Result<Option<PathBuf>, Trouble> {
    // With the keeper gone nobody would end this process.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).during("tying the jail to its keeper")?;
    strength
        .enforced
        .push("processes: a namespace of their own, killed whole".to_owned());
    if !specification.network {
        strength.enforced.push("network: none".to_owned());
    }
    let git = root::make(specification, PATH.1, strength)?;
    seal::bounds(Walls::Enforced, &specification.bounds)?;
    seal::privileges()?;
    strength
        .enforced
        .push("privileges: none, and none to be had".to_owned());
    // Without network there is nothing to connect to but what the command itself made.
    let closed: &[u16] = if specification.network {
        &specification.closed_ports
    } else {
        &[]
    };
    landlock::apply(specification.writes, closed, strength)?;
    seccomp::apply(strength)?;
    Ok(git)
}

/// Starts bash on the line, and answers its process number.
fn start(specification: &Specification, git: Option<&Path>) -> Result<Pid, Trouble> {
    let shell = SHELLS
        .iter()
        .find(|path| Path::new(path).exists())
        .unwrap_or(&SHELLS[0]);
    // Without the walls there is nowhere to put it.
    let is_walled = specification.walls == Walls::Enforced;
    let identity = is_walled.then_some(("GIT_CONFIG_GLOBAL", identity::PLACE));
    let bash = Command::new(shell)
        .args(["--noprofile", "--norc", "-c", &specification.line])
        .env_clear()
        .envs([PATH])
        .envs(ENVIRONMENT)
        .envs(identity)
        .envs(git.map(|git| (stand_in::VARIABLE, git)))
        .envs(git.map(|_| (stand_in::WORKSPACE, &specification.workspace)))
        .env("HOME", &specification.workspace)
        .envs((!specification.network).then_some(NO_FETCH))
        .envs(NO_NOTES.into_iter().filter(|_| specification.shown == Shown::Commons))
        .current_dir(&specification.workspace)
        .stdin(Stdio::null())
        // Not the keeper's and ours: what is said to a group must not be said to us.
        .process_group(0)
        .spawn()
        .during(&format!("starting {shell}"))?;
    // Not waited for through `bash`: as first process we wait for everybody's children.
    let number = i32::try_from(bash.id()).ok().and_then(Pid::from_raw);
    number
        .ok_or(rustix::io::Errno::SRCH)
        .during(&format!("starting {shell}"))
}

/// Reaps whatever ends until bash has. Otherwise the bound that was passed first, if one was.
fn wait_for(bash: Pid, mut meter: Meter) -> Result<WaitStatus, Option<String>> {
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid == bash => return Ok(status),
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => match meter.look() {
                Some(bound) => return Err(Some(bound)),
                None => seal::wait_for_a_child(meter.patience()),
            },
            Err(_) => return Err(None),
        }
    }
}

fn socket() -> Result<File, Trouble> {
    let socket: OwnedFd = std::io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .during("reading what is to be run")?;
    Ok(File::from(socket))
}

/// If the host is gone, so is the reason to report.
fn report(report: &Report) {
    if let Ok(socket) = socket() {
        let _ = send(socket, report);
    }
}
