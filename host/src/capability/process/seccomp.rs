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
use std::io;

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
    libc::SYS_quotactl_fd,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
];

/// What changes how the first process runs, which watches over the others: by which argument a call names a process.
/// Its limits, which `prlimit64` sets, would keep it from looking; where and when it runs, from looking in time.
const OF_THE_FIRST: &[(libc::c_long, u8)] = &[
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
];

/// The first process's number in its namespace.
const FIRST: libc::c_int = 1;

/// What sends, and which argument holds its flags. With one of them it connects as well, which Landlock does not see.
const SENDING: &[(libc::c_long, u8)] = &[(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)];

/// What programs try and do without: "no such system call", after which they take the older way.
const ABSENT: &[libc::c_long] = &[
    // Its flags lie in memory, where no filter sees them; `clone` is the older way.
    libc::SYS_clone3,
    // Memory that belongs to no process and no file system, and so to none of the bounds.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    // The mode of what it makes lies in memory too; `openat` is the older way.
    libc::SYS_openat2,
];

/// What gives a file its mode, and which argument says it: of these whatever they are called with, of those that open only
/// where they make a file, which the argument before it says.
const MODES: &[(libc::c_long, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (libc::SYS_fchmodat2, 2),
    (libc::SYS_mknodat, 2),
];
const OPENING: &[(libc::c_long, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 2),
    (libc::SYS_openat, 3),
];

/// What makes a file: `O_TMPFILE` has a bit of its own beside that for folders.
const MAKING: [libc::c_int; 2] = [libc::O_CREAT, libc::O_TMPFILE & !libc::O_DIRECTORY];

/// With these bits a file lends the rights of its owner or group to whoever runs it, outside the jail as well.
const LENDING: [u32; 2] = [libc::S_ISUID, libc::S_ISGID];

/// The last system call that was looked at (`removexattrat`), on every architecture: what is newer is absent.
const REVIEWED: u32 = 466;

/// The socket families that a network namespace holds. Netlink is how the C library looks at interfaces.
const FAMILIES: [libc::c_int; 3] = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// Of the two Internet families: by default, TCP, UDP, and the two of ping. Multipath TCP gets round what is said of TCP.
const PROTOCOLS: [libc::c_int; 5] = [
    0,
    libc::IPPROTO_TCP,
    libc::IPPROTO_UDP,
    libc::IPPROTO_ICMP,
    libc::IPPROTO_ICMPV6,
];

/// A socket's type is the lower four bits; the others are flags.
const TYPES: SeccompCmpOp = SeccompCmpOp::MaskedEq(0xf);

/// Namespaces of its own would give a command power over them, and more of the kernel to attack.
const NAMESPACES: [libc::c_int; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// `who` is a user: setpriority(2), ioprio_set(2).
const PRIO_USER: libc::c_int = 2;
const IOPRIO_WHO_USER: libc::c_int = 3;

/// The personalities that programs ask for: the usual one, asking which it is, and addresses that stay where they are.
const PERSONALITIES: [libc::c_int; 3] = [0, -1, libc::ADDR_NO_RANDOMIZE];

/// What sets how much a socket buffers. The kernel takes such a wish and grants what it likes; here that is what it was,
/// so that each socket has a bound that is known.
const BUFFERS: [libc::c_int; 2] = [libc::SO_SNDBUF, libc::SO_RCVBUF];

/// The limit on core files: getrlimit(2).
const RLIMIT_CORE: libc::c_int = 4;

/// Puts this process and its descendants behind the filters, for good.
pub(super) fn apply(strength: &mut Strength) -> Result<(), Trouble> {
    let trouble = |error: io::Error| Trouble::new("filtering system calls", error);
    for program in programs().map_err(|error| trouble(io::Error::other(error)))? {
        seccompiler::apply_filter(&program).map_err(|error| trouble(io::Error::other(error)))?;
    }
    strength
        .enforced
        .push("system calls: no Unix sockets, no mounts, no tracing, no keys, no namespaces, no files that lend their owner's rights".to_owned());
    Ok(())
}

/// One filter for what is refused, one for what is said not to exist, and one for what is taken and not done: a filter has
/// one answer only.
fn programs() -> Result<[BpfProgram; 3], Error> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    let filter = |rules, answer: libc::c_int| {
        let answer = SeccompAction::Errno(answer.unsigned_abs());
        BpfProgram::try_from(SeccompFilter::new(rules, SeccompAction::Allow, answer, architecture)?)
    };
    let absent = ABSENT.iter().map(|&call| (call, Vec::new())).collect();
    let mut newer = newer_calls();
    newer.extend(filter(absent, libc::ENOSYS)?);
    let wishes = BUFFERS.iter().map(|&option| {
        let of_the_socket = argument(1, SeccompCmpOp::Eq, libc::SOL_SOCKET)?;
        SeccompRule::new(vec![of_the_socket, argument(2, SeccompCmpOp::Eq, option)?])
    });
    // What programs ask for so that they leave no core file would let the machine's own handler of crashes start.
    let core = |index| argument(index, SeccompCmpOp::Eq, RLIMIT_CORE);
    let sets = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    let wishes = BTreeMap::from([
        (libc::SYS_setsockopt, wishes.collect::<Result<_, Error>>()?),
        (libc::SYS_setrlimit, vec![SeccompRule::new(vec![core(0)?])?]),
        (libc::SYS_prlimit64, vec![SeccompRule::new(vec![core(1)?, sets])?]),
    ]);
    Ok([filter(rules()?, libc::EPERM)?, newer, filter(wishes, 0)?])
}

fn rules() -> Result<BTreeMap<i64, Vec<SeccompRule>>, Error> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = DENIED.iter().map(|&call| (call, Vec::new())).collect();
    rules.insert(libc::SYS_socket, sockets()?);
    rules.insert(libc::SYS_socketpair, pairs()?);
    let equal = |index, value| SeccompRule::new(vec![argument(index, SeccompCmpOp::Eq, value)?]);
    // Typing into a terminal that somebody else reads.
    let typing = [libc::TIOCSTI, libc::TIOCLINUX]
        .iter()
        .map(|&request| equal(1, libc::c_int::try_from(request).unwrap_or(libc::c_int::MAX)));
    rules.insert(libc::SYS_ioctl, typing.collect::<Result<_, Error>>()?);
    // Everybody may have other limits, but only for itself, which is written 0.
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(none_of(0, &[0])?)?]);
    for &(call, index) in OF_THE_FIRST {
        rules.insert(call, vec![equal(index, FIRST)?]);
    }
    // All of a user's are the first process too. A group's are not: it is in none that can be named here.
    for (call, of_a_user) in [
        (libc::SYS_setpriority, PRIO_USER),
        (libc::SYS_ioprio_set, IOPRIO_WHO_USER),
    ] {
        rules.entry(call).or_default().push(equal(0, of_a_user)?);
    }
    for &(call, index) in SENDING {
        let mask = SeccompCmpOp::MaskedEq(u64::from(libc::MSG_FASTOPEN.unsigned_abs()));
        rules.insert(
            call,
            vec![SeccompRule::new(vec![argument(index, mask, libc::MSG_FASTOPEN)?])?],
        );
    }
    for bit in LENDING {
        let bit = libc::c_int::try_from(bit).unwrap_or(libc::c_int::MAX);
        let has =
            |index: u8, bit: libc::c_int| argument(index, SeccompCmpOp::MaskedEq(u64::from(bit.unsigned_abs())), bit);
        for &(call, mode) in MODES {
            rules
                .entry(call)
                .or_default()
                .push(SeccompRule::new(vec![has(mode, bit)?])?);
        }
        for &(call, mode) in OPENING {
            for making in MAKING {
                let rule = SeccompRule::new(vec![has(mode - 1, making)?, has(mode, bit)?])?;
                rules.entry(call).or_default().push(rule);
            }
        }
    }
    let namespaces = NAMESPACES.iter().map(|&flag| {
        let mask = u64::from(flag.unsigned_abs());
        SeccompRule::new(vec![argument(0, SeccompCmpOp::MaskedEq(mask), flag)?])
    });
    rules.insert(libc::SYS_clone, namespaces.collect::<Result<_, Error>>()?);
    rules.insert(
        libc::SYS_personality,
        vec![SeccompRule::new(none_of(0, &PERSONALITIES)?)?],
    );
    Ok(rules)
}

/// Which sockets are refused: all but TCP, UDP and ping, and netlink that only looks at interfaces.
fn sockets() -> Result<Vec<SeccompRule>, Error> {
    let mut rules = vec![SeccompRule::new(none_of(0, &FAMILIES)?)?];
    for family in [libc::AF_INET, libc::AF_INET6] {
        let mut other_protocol = none_of(2, &PROTOCOLS)?;
        other_protocol.push(argument(0, SeccompCmpOp::Eq, family)?);
        rules.push(SeccompRule::new(other_protocol)?);
        for other_type in [libc::SOCK_RAW, libc::SOCK_RDM, libc::SOCK_SEQPACKET, libc::SOCK_DCCP] {
            rules.push(SeccompRule::new(vec![
                argument(0, SeccompCmpOp::Eq, family)?,
                argument(1, TYPES, other_type)?,
            ])?);
        }
    }
    rules.push(SeccompRule::new(vec![
        argument(0, SeccompCmpOp::Eq, libc::AF_NETLINK)?,
        argument(2, SeccompCmpOp::Ne, libc::NETLINK_ROUTE)?,
    ])?);
    Ok(rules)
}

/// Which pairs are refused: all but connected ones, which reach nobody else and which programs talk to their children
/// through. One of datagrams can be connected anew, or send to any address, and the kernel takes "raw" for datagrams.
fn pairs() -> Result<Vec<SeccompRule>, Error> {
    let mut rules = vec![SeccompRule::new(none_of(0, &[libc::AF_UNIX])?)?];
    let connected = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET];
    for other in (0..16).filter(|kind| !connected.contains(kind)) {
        rules.push(SeccompRule::new(vec![argument(1, TYPES, other)?])?);
    }
    Ok(rules)
}

/// That an argument is none of `values`.
fn none_of(index: u8, values: &[libc::c_int]) -> Result<Vec<SeccompCondition>, Error> {
    let differs = values.iter().map(|&value| argument(index, SeccompCmpOp::Ne, value));
    differs.collect()
}

/// The kernel looks at 32 bits of these arguments, and so must we.
fn argument(index: u8, comparison: SeccompCmpOp, value: libc::c_int) -> Result<SeccompCondition, Error> {
    SeccompCondition::new(
        index,
        SeccompCmpArgLen::Dword,
        comparison,
        u64::from(value.cast_unsigned()),
    )
}

/// Says of every call that was not reviewed that it does not exist: those of later kernels, and on x86-64 the second set
/// of numbers ("x32") that some kernels have for the same calls.
fn newer_calls() -> BpfProgram {
    const ABSENT: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    let instruction = |code: u32, k: u32, jump_false: u8| {
        // Instruction codes are below 0x100.
        sock_filter {
            code: code as u16,
            jt: 0,
            jf: jump_false,
            k,
        }
    };
    vec![
        // The call's number is the first field of what the filter is shown.
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
        instruction(libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K, REVIEWED, 1),
        instruction(libc::BPF_RET | libc::BPF_K, ABSENT, 0),
    ]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn the_filters_fit_into_the_kernels_bound() {
        for program in programs().unwrap() {
            assert!(program.len() < libc::BPF_MAXINSNS as usize, "{}", program.len());
        }
    }
}
