//! Memory that a command uses and that is no process's: what lies in temporary folders, in segments and queues of System
//! V, and in the buffers of sockets and pipes.
//!
//! What the kernel tells is counted; of buffers it tells only how many there can be, and each counts as full.

use super::tcp;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// The folders that are kept in memory.
const FOLDERS: [&str; 4] = ["/tmp", "/var/tmp", "/run", "/dev/shm"];

/// What a descriptor holds besides, in bytes: half a pipe's single page and the kernel's own notes. The kernel gives pipes
/// more only as long as all of a user's have no more than 64 MiB (pipe(7)).
const DESCRIPTOR: u64 = 4096;

/// The most that TCP buffers for a socket in each direction, in bytes, in a network namespace of ours: the kernel's
/// default for other sockets.
pub(super) const BUFFER: u64 = 212_992;

/// The most that TCP buffers for a socket in both directions where the network is the machine's, in bytes: what tcp(7)
/// calls the third values of `tcp_rmem` and `tcp_wmem`, or more.
const SHARED: u64 = 16 << 20;

/// What can be counted of memory apart from processes.
#[derive(Debug)]
pub(super) struct Apart {
    /// The most that a socket's buffers take together, in bytes.
    socket: u64,
    /// Whether the network namespace is the command's own.
    own_network: bool,
}

impl Apart {
    pub(super) fn new(own_network: bool) -> Apart {
        let buffer = |name: &str| {
            let text = std::fs::read_to_string(format!("/proc/sys/net/core/{name}"));
            text.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(BUFFER)
        };
        Apart {
            socket: buffer("wmem_default") + buffer("rmem_default"),
            own_network,
        }
    }

    /// How much it is in all, in bytes, where each of the processes has so many descriptors. `room` is how much there may
    /// be: only what comes near it is looked at closely.
    ///
    /// # Errors
    /// When it can't be counted.
    pub(super) fn in_all(&self, processes: &[(u32, u64)], room: u64) -> io::Result<u64> {
        let descriptors: u64 = processes.iter().map(|(_, descriptors)| descriptors).sum();
        let others = folders()? + segments() + queues() + descriptors * DESCRIPTOR;
        if self.own_network {
            return Ok(others + in_use()? * self.socket);
        }
        if others + descriptors * self.socket.max(SHARED) <= room {
            return Ok(others + descriptors * self.socket);
        }
        let (sockets, unseen) = among(processes);
        let open = sockets.len() as u64 + unseen;
        Ok(others + open * self.socket + tcp::waiting(&sockets))
    }
}

/// How many descriptors a process has open. Its threads may have others than it has itself.
pub(super) fn descriptors(process: &str, threads: u64) -> io::Result<u64> {
    if threads <= 1 {
        return open_in(&format!("{process}/fd"));
    }
    let mut sum = 0;
    for thread in std::fs::read_dir(format!("{process}/task"))? {
        match open_in(&format!("{}/fd", thread?.path().display())) {
            Ok(own) => sum += own,
            Err(error) if super::usage::is_gone(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(sum)
}

/// The size of such a folder is how many are open, since Linux 6.2.
fn open_in(folder: &str) -> io::Result<u64> {
    match std::fs::metadata(folder)?.len() {
        0 => Ok(std::fs::read_dir(folder).map_or(0, |entries| entries.count() as u64)),
        open => Ok(open),
    }
}

fn folders() -> io::Result<u64> {
    let mut sum = 0;
    for folder in FOLDERS {
        let of = rustix::fs::statvfs(folder)?;
        sum += of.f_blocks.saturating_sub(of.f_bfree) * of.f_frsize;
    }
    Ok(sum)
}

/// How many sockets there are in this network namespace, those that are under way from one process to another among them.
fn in_use() -> io::Result<u64> {
    let text = match std::fs::read_to_string("/proc/net/sockstat") {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        other => other?,
    };
    let used = text.lines().find_map(|line| line.strip_prefix("sockets: used "));
    used.and_then(|number| number.trim().parse().ok())
        .ok_or_else(|| io::Error::other("/proc/net/sockstat is not as proc(5) says"))
}

/// The sockets that the processes have open, and how many descriptors can't be looked at.
fn among(processes: &[(u32, u64)]) -> (BTreeSet<u64>, u64) {
    let (mut sockets, mut unseen) = (BTreeSet::new(), 0);
    for (number, descriptors) in processes {
        let Ok(threads) = std::fs::read_dir(format!("/proc/{number}/task")) else {
            continue;
        };
        for thread in threads.flatten() {
            let Ok(open) = std::fs::read_dir(thread.path().join("fd")) else {
                unseen += descriptors;
                break;
            };
            let links = open.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok());
            sockets.extend(links.filter_map(|link| {
                let number = link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?;
                number.parse::<u64>().ok()
            }));
        }
    }
    (sockets, unseen)
}

/// Shared memory of System V, which stays when no process has it attached, in bytes.
fn segments() -> u64 {
    // The last two columns are what is resident and what is swapped out.
    sum_of("shm", |columns| {
        let from = columns.len().saturating_sub(2);
        from..columns.len()
    })
}

/// What waits in queues of System V, in bytes.
fn queues() -> u64 {
    // Key, number, rights, and then this.
    sum_of("msg", |_| 3..4)
}

fn sum_of(table: &str, wanted: impl Fn(&[&str]) -> std::ops::Range<usize>) -> u64 {
    let text = std::fs::read_to_string(Path::new("/proc/sysvipc").join(table)).unwrap_or_default();
    let own = |line: &str| -> u64 {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let wanted = columns.get(wanted(&columns)).unwrap_or_default();
        wanted.iter().filter_map(|number| number.parse::<u64>().ok()).sum()
    };
    text.lines().skip(1).map(own).sum()
}
