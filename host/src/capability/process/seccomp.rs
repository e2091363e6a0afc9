//! System calls that a command in the jail can't make: those that reach around its walls, and those that only widen
//! what of the kernel can be attacked.
//!
//! The rest is allowed: the walls are the namespaces, and this closes what they leave open, above all Unix sockets,
//! whose paths a read-only mount does not protect, and socket families that no network namespace holds.

use super::message::{Strength, Trouble};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};
use std::collections::BTreeMap;

type Error = seccompiler::BackendError;

/// What no command needs: "operation not permitted".
const DENIED: &[libc::c_long] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // What does its work past this filter.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // The walls themselves.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_open_by_handle_at,
    // Keys, which belong to the user and not to a namespace.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Rarely needed and often attacked.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    // The machine's.
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
];

/// The socket families that a network namespace holds. Netlink is how the C library looks at interfaces.
const FAMILIES: [libc::c_int; 3] = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// Puts this process and its descendants behind the filter, for good.
pub(super) fn apply(strength: &mut Strength) -> Result<(), Trouble> {
    let step = "filtering system calls";
    let program = program().map_err(|error| Trouble::new(step, std::io::Error::other(error)))?;
    seccompiler::apply_filter(&program).map_err(|error| Trouble::new(step, std::io::Error::other(error)))?;
    strength
        .enforced
        .push("system calls: no Unix sockets, no mounts, no tracing, no keys".to_owned());
    Ok(())
}

fn program() -> Result<BpfProgram, Error> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    let not_permitted = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules()?, SeccompAction::Allow, not_permitted, architecture)?;
    let mut program: BpfProgram = foreign_calls();
    program.extend(BpfProgram::try_from(filter)?);
    Ok(program)
}

fn rules() -> Result<BTreeMap<i64, Vec<SeccompRule>>, Error> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = DENIED.iter().map(|&call| (call, Vec::new())).collect();
    let other_family = FAMILIES
        .iter()
        .map(|&family| argument(0, SeccompCmpOp::Ne, family))
        .collect::<Result<Vec<SeccompCondition>, Error>>()?;
    rules.insert(libc::SYS_socket, vec![SeccompRule::new(other_family)?]);
    // A pair of connected streams reaches nobody else. One of datagrams can be connected anew, or send to any address.
    let datagrams = SeccompCmpOp::MaskedEq(0xf);
    rules.insert(
        libc::SYS_socketpair,
        vec![SeccompRule::new(vec![argument(1, datagrams, libc::SOCK_DGRAM)?])?],
    );
    // Typing into a terminal that somebody else reads.
    let typing = [libc::TIOCSTI, libc::TIOCLINUX]
        .iter()
        .map(|&request| {
            let request = libc::c_int::try_from(request).unwrap_or(libc::c_int::MAX);
            SeccompRule::new(vec![argument(1, SeccompCmpOp::Eq, request)?])
        })
        .collect::<Result<Vec<SeccompRule>, Error>>()?;
    rules.insert(libc::SYS_ioctl, typing);
    Ok(rules)
}

/// The kernel looks at 32 bits of these arguments, and so must we.
fn argument(index: u8, comparison: SeccompCmpOp, value: libc::c_int) -> Result<SeccompCondition, Error> {
    SeccompCondition::new(
        index,
        SeccompCmpArgLen::Dword,
        comparison,
        u64::from(value.unsigned_abs()),
    )
}

/// On x86-64, refuses the second set of numbers ("x32") that some kernels have for the same calls.
fn foreign_calls() -> BpfProgram {
    const X32: u32 = 0x4000_0000;
    const REFUSE: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    let instruction = |code: u32, k: u32, jump_false: u8| {
        // Instruction codes are below 0x100.
        sock_filter {
            code: code as u16,
            jt: 0,
            jf: jump_false,
            k,
        }
    };
    if !cfg!(target_arch = "x86_64") {
        return BpfProgram::new();
    }
    vec![
        // The call's number is the first field of what the filter is shown.
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
        instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, X32, 1),
        instruction(libc::BPF_RET | libc::BPF_K, REFUSE, 0),
    ]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn the_filter_fits_into_the_kernels_bound() {
        let program = program().unwrap();
        assert!(program.len() < libc::BPF_MAXINSNS as usize, "{}", program.len());
    }
}
