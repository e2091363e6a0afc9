//! Entering namespaces of our own: users, mounts, processes, and what else can be shared with the host.

use super::apart::BUFFER;
use super::message::{During, Trouble};
use rustix::fd::AsRawFd;
use rustix::net::{AddressFamily, SocketType};
use rustix::process::{getegid, geteuid};
use rustix::thread::UnshareFlags;

/// Network shared with the host, or none at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Network {
    /// The host's.
    Shared,
    /// A namespace without any way out.
    None,
}

/// Moves this process into new namespaces; the process namespace takes its children. It must have one thread.
///
/// User and group stay the same numbers, so that what is made in the workspace belongs to the operator. Root is no
/// exception: in the new user namespace it is root over nothing but its own files, and loses that too when sealed.
pub(super) fn enter(network: Network) -> Result<(), Trouble> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let mut wanted = UnshareFlags::NEWUSER
        | UnshareFlags::NEWNS
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS
        | UnshareFlags::NEWCGROUP;
    if network == Network::None {
        wanted |= UnshareFlags::NEWNET;
    }
    // SAFETY: the process has one thread and shares its descriptor table with nobody (FILES is not among the flags).
    unsafe { rustix::thread::unshare_unsafe(wanted) }.during("entering user, mount and process namespaces")?;
    std::fs::write("/proc/self/setgroups", "deny").during("fixing the groups of the user namespace")?;
    std::fs::write("/proc/self/uid_map", format!("{user} {user} 1")).during("mapping the user into the namespace")?;
    std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
        .during("mapping the group into the namespace")?;
    if network == Network::None {
        raise_loopback().during("raising the jail's own loopback")?;
        bound_buffers();
    }
    Ok(())
}

/// Bounds what TCP buffers in this namespace, of each socket: it could be megabytes otherwise. Where the files can't be
/// written, as in some containers, the host's bound stays.
fn bound_buffers() {
    for (name, usual) in [("tcp_rmem", 131_072), ("tcp_wmem", 16_384)] {
        let _ = std::fs::write(format!("/proc/sys/net/ipv4/{name}"), format!("4096 {usual} {BUFFER}"));
    }
}

/// Lets programs talk to themselves, as test suites do. It is this namespace's loopback and leads nowhere else.
fn raise_loopback() -> rustix::io::Result<()> {
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    // SAFETY: plain old data, for which all zeroes is a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(c"lo".to_bytes()) {
        *to = from.cast_signed();
    }
    // Both flags are in the lower half.
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: the socket is open, and this request reads one `ifreq`, which outlives the call.
    match unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request) } {
        0 => Ok(()),
        _ => Err(super::mount::last_error()),
    }
}
