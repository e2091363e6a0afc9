//! Entering namespaces of our own: users, mounts, processes, and what else can be shared with the host.

use super::message::{During, Trouble};
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
        .during("mapping the group into the namespace")
}
