//! Giving up, for this process and all its descendants, what a command must not have: privileges, descriptors,
//! unbounded resources.

use super::message::{Bounds, During, Trouble, Walls};
use rustix::io::Errno;
use rustix::process::{DumpableBehavior, Resource, Rlimit};
use rustix::thread::{CapabilitiesSecureBits, CapabilitySet, CapabilitySets};
use std::time::Duration;

/// Open files of one process.
const OPEN_FILES: u64 = 1024;
/// Largest file that can be written, in bytes: 1 GiB, far more than a build makes.
const FILE_BYTES: u64 = 1 << 30;
/// Largest core file. Not 0, which a handler of the machine does not mind: 1 says that it is not to be started (core(5)).
const CORE_BYTES: u64 = 1;
/// How much a command yields to the daemon, of 19.
const NICENESS: i32 = 5;

/// Sets bounds on each process, for jailed commands and others. What all use together is [`super::usage`]'s.
pub(super) fn bounds(walls: Walls, of: &Bounds) -> Result<(), Trouble> {
    let bounds = [
        (Resource::Core, CORE_BYTES),
        (Resource::Nofile, OPEN_FILES),
        (Resource::Fsize, FILE_BYTES),
        (Resource::Cpu, of.cpu_seconds.saturating_add(1)),
        // Messages and signals that wait are memory of no process.
        (Resource::Msgqueue, 1 << 20),
    ];
    // Counted in the user namespace; outside of one, all that the operator runs would count. Does not bind root.
    let processes = (walls == Walls::Enforced).then_some((Resource::Nproc, of.processes));
    for (resource, most) in bounds.into_iter().chain(processes) {
        // A bound that is lower already stays.
        let most = rustix::process::getrlimit(resource)
            .maximum
            .map_or(most, |now| now.min(most));
        // At its first bound on time a process gets a signal that says so, at the second it is killed.
        let grace = u64::from(matches!(resource, Resource::Cpu));
        let limit = Rlimit {
            current: Some(most.saturating_sub(grace)),
            maximum: Some(most),
        };
        rustix::process::setrlimit(resource, limit).during("setting resource limits")?;
    }
    rustix::process::nice(NICENESS).during("lowering the priority")?;
    rustix::thread::set_no_new_privs(true).during("forbidding new privileges")
}

/// Keeps a crash from starting the machine's own handler of crashes, which would run outside and as root. Where no
/// limit may be raised any more, as an ordinary user whose own is nothing, this does nothing.
pub(super) fn no_crash_handler() {
    let limit = Rlimit {
        current: Some(CORE_BYTES),
        maximum: Some(CORE_BYTES),
    };
    let _ = rustix::process::setrlimit(Resource::Core, limit);
}

/// Gives up every capability for good, so that root is like anybody, and hides this process from the others.
pub(super) fn privileges() -> Result<(), Trouble> {
    for number in 0..u64::BITS {
        let capability = CapabilitySet::from_bits_retain(1 << number);
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            // No kernel has a capability of this number.
            Err(Errno::INVAL) => break,
            other => other.during("dropping capabilities")?,
        }
    }
    let bits = CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED
        | CapabilitiesSecureBits::NO_SETUID_FIXUP
        | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
        | CapabilitiesSecureBits::KEEP_CAPS_LOCKED;
    rustix::thread::set_capabilities_secure_bits(bits).during("locking capabilities")?;
    rustix::thread::clear_ambient_capability_set().during("dropping capabilities")?;
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    rustix::thread::set_capabilities(None, none).during("dropping capabilities")?;
    // Nobody inside may look into this process, which holds the socket to the host.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).during("hiding the first process")
}

/// Closes all descriptors but the standard ones, whatever was inherited.
pub(super) fn descriptors() -> Result<(), Trouble> {
    // SAFETY: called before this process has opened anything, so no value owns one of these descriptors.
    let result = unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) };
    match result {
        0 => Ok(()),
        _ => Err(super::mount::last_error()).during("closing inherited descriptors"),
    }
}

/// The signal that a child has ended is not acted on but kept, for [`wait_for_a_child`]. Bash does not inherit this.
pub(super) fn hold_children_back() -> Result<(), Trouble> {
    // SAFETY: the set is ours, was emptied before anything is added, and nobody else changes this process's mask.
    let result = unsafe {
        let set = ended_child();
        libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut())
    };
    match result {
        0 => Ok(()),
        _ => Err(super::mount::last_error()).during("keeping track of what ends"),
    }
}

/// Waits until a child has ended, but no longer than `patience`. It may also return for nothing.
pub(super) fn wait_for_a_child(patience: Duration) {
    let patience = libc::timespec {
        tv_sec: libc::time_t::try_from(patience.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: patience.subsec_nanos().into(),
    };
    // SAFETY: the set and the time outlive the call, and nothing is asked about the signal. Failing means that no child
    // has ended.
    unsafe {
        let set = ended_child();
        libc::sigtimedwait(&raw const set, std::ptr::null_mut(), &raw const patience);
    }
}

fn ended_child() -> libc::sigset_t {
    // SAFETY: plain old data, for which all zeroes is a value, and which is then made an empty set.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        set
    }
}
