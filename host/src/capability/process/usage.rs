//! What all processes of one command use together, and the bounds on it: looked at several times a second by the
//! first process, which ends them all where a bound is passed.
//!
//! The kernel's own limits hold one process each, and the one on their number does not bind root. Here the whole is
//! counted, for everybody alike. A count lags behind by a look, so this bounds what a command can waste, not what it
//! can touch. Where it can't be looked, nothing can be bounded, and the command is ended as well.

use super::apart::{self, Apart};
use super::message::{Bounds, Specification, Walls};
use rustix::io::Errno;
use rustix::process::Pid;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// How often is looked, unless looking itself takes longer than a twentieth of that: of processor time, so that a command
/// which keeps every processor busy is not looked at less often for it.
const EVERY: Duration = Duration::from_millis(100);

/// Ticks a second of the times in `/proc`: `USER_HZ`, 100 on every architecture there is a jail for (proc_pid_stat(5)).
const TICKS: u64 = 100;

/// Looks at usage when it is time to.
pub(super) struct Meter {
    bounds: Bounds,
    walls: Walls,
    /// Who must be seen whenever it is looked: this process, and bash, which nobody else reaps.
    known: [Option<u32>; 2],
    apart: Apart,
    next: Instant,
}

impl Meter {
    pub(super) fn new(specification: &Specification, bash: Pid) -> Meter {
        let Specification { bounds, walls, .. } = *specification;
        Meter {
            bounds,
            walls,
            known: [
                Some(std::process::id()),
                u32::try_from(bash.as_raw_nonzero().get()).ok(),
            ],
            apart: Apart::new(!specification.network),
            next: Instant::now() + EVERY,
        }
    }

    /// How long until the next look.
    pub(super) fn patience(&self) -> Duration {
        self.next.saturating_duration_since(Instant::now())
    }

    /// Looks, if it is time, and answers which bound is passed, in words.
    pub(super) fn look(&mut self) -> Option<String> {
        let now = Instant::now();
        if now < self.next {
            return None;
        }
        let before = worked();
        let passed = self.uses().and_then(|uses| self.passed(&uses));
        let passed = passed.unwrap_or_else(|error| Some(format!("what it uses could not be counted: {error}")));
        self.next = Instant::now() + EVERY.max(worked().saturating_sub(before) * 20);
        passed
    }

    /// What each process uses.
    ///
    /// # Errors
    /// When that can't be seen, or less is seen than there must be.
    fn uses(&self) -> io::Result<Vec<(u32, Use)>> {
        let numbers = match self.walls {
            // All that are to be seen are the command's, and this one.
            Walls::Enforced => every_number()?,
            Walls::Weak => descendants(),
        };
        let mut uses = Vec::with_capacity(numbers.len());
        for number in numbers {
            match Use::of(number) {
                Ok(own) => uses.push((number, own)),
                // It has ended meanwhile.
                Err(error) if is_gone(&error) => {}
                Err(error) => return Err(error),
            }
        }
        let seen = |known: &Option<u32>| known.is_some_and(|known| uses.iter().any(|(number, _)| *number == known));
        if self.known.iter().all(seen) {
            Ok(uses)
        } else {
            Err(io::Error::other("its processes are not to be seen in /proc"))
        }
    }

    fn passed(&self, uses: &[(u32, Use)]) -> io::Result<Option<String>> {
        let Bounds {
            memory,
            processes,
            cpu_seconds,
        } = self.bounds;
        let tasks: u64 = uses.iter().map(|(_, own)| own.tasks).sum();
        if tasks > processes {
            return Ok(Some(format!(
                "it had more than {processes} processes and threads at once (shell.processes)"
            )));
        }
        let ticks: u64 = uses.iter().map(|(_, own)| own.ticks).sum();
        if ticks > cpu_seconds.saturating_mul(TICKS) {
            return Ok(Some(format!(
                "it used more than {cpu_seconds} seconds of processor time in all (shell.cpu_seconds)"
            )));
        }
        // What is shared after a fork counts in each process here, so this may be too much and never too little.
        let of_processes = uses.iter().map(|(_, own)| own.memory).sum::<u64>();
        let apart = match self.walls {
            Walls::Enforced => {
                let descriptors: Vec<(u32, u64)> =
                    uses.iter().map(|(number, own)| (*number, own.descriptors)).collect();
                self.apart.in_all(&descriptors, memory.saturating_sub(of_processes))?
            }
            // Without walls all that is shared with the machine.
            Walls::Weak => 0,
        };
        if apart + of_processes <= memory {
            return Ok(None);
        }
        let exactly: u64 = uses
            .iter()
            .map(|(number, own)| shared_out(*number).unwrap_or_else(|| alone(*number, own)))
            .sum();
        Ok((apart + exactly > memory).then(|| {
            format!(
                "it used more than {} MiB of memory in all, temporary folders and the buffers of sockets among it \
                 (shell.memory_bytes)",
                memory >> 20
            )
        }))
    }
}

/// Processor time of this thread.
fn worked() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// What one process uses.
struct Use {
    /// Its threads.
    tasks: u64,
    /// Processor time of its own and of its children that have ended, in ticks.
    ticks: u64,
    /// Memory that is no file's, in bytes.
    memory: u64,
    /// Open descriptors.
    descriptors: u64,
}

impl Use {
    fn of(number: u32) -> io::Result<Use> {
        let folder = format!("/proc/{number}");
        let read = |name: &str| std::fs::read(format!("{folder}/{name}"));
        // A process may call itself what is no text.
        let (stat, status) = (read("stat")?, read("status")?);
        let status = String::from_utf8_lossy(&status);
        let mut own = Use::read(&String::from_utf8_lossy(&stat), &status)
            .ok_or_else(|| io::Error::other(format!("{folder}/stat is not as proc(5) says")))?;
        if field(&status, "RssAnon:").is_none() {
            own.memory = of_threads(&folder);
        }
        own.descriptors = apart::descriptors(&folder, own.tasks)?;
        Ok(own)
    }

    fn read(stat: &str, status: &str) -> Option<Use> {
        // The name in brackets may hold anything; after it come the state, and eleven fields on the four times.
        let (_, rest) = stat.rsplit_once(')')?;
        let times = rest.split_whitespace().skip(11).take(4);
        Some(Use {
            tasks: field(status, "Threads:").unwrap_or(1),
            ticks: times.filter_map(|time| time.parse::<u64>().ok()).sum(),
            memory: memory(status),
            descriptors: 0,
        })
    }
}

/// The memory of a process whose first thread has ended, which then shows none: any other shows it.
fn of_threads(folder: &str) -> u64 {
    let threads = std::fs::read_dir(format!("{folder}/task"));
    let mut seen = threads.into_iter().flatten().flatten().filter_map(|thread| {
        let status = std::fs::read(thread.path().join("status")).ok()?;
        let status = String::from_utf8_lossy(&status);
        field(&status, "RssAnon:").map(|_| memory(&status))
    });
    seen.next().unwrap_or(0)
}

/// What a process has of memory that is no file's, with what it shares counted by its part, in bytes.
fn shared_out(number: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{number}/smaps_rollup")).ok()?;
    Some(kibibytes(&text, &["Pss_Anon:", "Pss_Shmem:", "SwapPss:"]))
}

/// What a process has whose part of what is shared can't be told: since it is ending, less than it had.
fn alone(number: u32, before: &Use) -> u64 {
    match Use::of(number) {
        Ok(now) => now.memory,
        Err(error) if is_gone(&error) => 0,
        Err(_) => before.memory,
    }
}

/// Memory that is no file's, with the tables that it takes to find it, in bytes.
fn memory(status: &str) -> u64 {
    kibibytes(status, &["RssAnon:", "RssShmem:", "VmSwap:", "VmPTE:", "HugetlbPages:"])
}

fn kibibytes(text: &str, names: &[&str]) -> u64 {
    let kibibytes: u64 = names.iter().filter_map(|name| field(text, name)).sum();
    kibibytes.saturating_mul(1024)
}

fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

fn every_number() -> io::Result<Vec<u32>> {
    let mut numbers = Vec::new();
    for entry in std::fs::read_dir("/proc")? {
        numbers.extend(entry?.file_name().to_str().and_then(|name| name.parse::<u32>().ok()));
    }
    Ok(numbers)
}

/// Whether the process has ended that was looked at.
pub(super) fn is_gone(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::NOENT | Errno::SRCH))
}

/// The keeper's descendants: it gathers what lost its parent.
fn descendants() -> Vec<u32> {
    let mut found: Vec<u32> = rustix::process::getppid()
        .and_then(|keeper| u32::try_from(keeper.as_raw_nonzero().get()).ok())
        .into_iter()
        .collect();
    let mut looked_at = 0;
    while let Some(number) = found.get(looked_at).copied() {
        looked_at += 1;
        let tasks = std::fs::read_dir(format!("/proc/{number}/task"));
        for task in tasks.into_iter().flatten().flatten() {
            let children = std::fs::read_to_string(task.path().join(Path::new("children"))).unwrap_or_default();
            let children = children
                .split_whitespace()
                .filter_map(|child| child.parse::<u32>().ok());
            let new: Vec<u32> = children.filter(|child| !found.contains(child)).collect();
            found.extend(new);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_whose_name_looks_like_numbers_is_read_right() {
        let stat = "7 (a) 1 2) R 1 7 7 0 -1 4194304 100 200 0 0 11 12 13 14 20 0 3 0 100 1000 50";
        let status = "Name:\ta\nVmSwap:\t       4 kB\nRssAnon:\t    1024 kB\nRssShmem:\t       8 kB\nThreads:\t3\n";
        let read = Use::read(stat, status).map(|own| (own.tasks, own.ticks, own.memory));
        assert_eq!(read, Some((3, 50, 1036 * 1024)));
    }

    #[test]
    fn this_process_is_seen_to_use_something() {
        let own = Use::of(std::process::id())
            .map(|own| (own.tasks > 0, own.memory > 0))
            .ok();
        assert_eq!(own, Some((true, true)));
    }
}
