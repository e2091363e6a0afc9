//! Who watches over a command can't be kept from looking, and sees all there is.

use crate::{House, left_out};

const MIB: u64 = 1 << 20;

/// A line that takes so many MiB in a child and holds them.
fn takes(mebibytes: u64) -> String {
    format!("perl -e '$x = \"x\" x ({mebibytes} << 20); select(undef, undef, undef, 20)'")
}

fn is_ended_for(house: &House, line: &str, bound: &str) {
    let output = house.run(line);
    assert_eq!((output.exit_code, output.signal), (None, Some(9)), "{line}: {output:?}");
    assert!(
        output.notes.iter().any(|note| note.contains(bound)),
        "{line}: {output:?}"
    );
}

/// A line that makes a system call about a process, and succeeds if it does. Bounds, processors and policies are in
/// variables.
fn about(number: i64, arguments: &str) -> String {
    let variables = "$few = pack(\"QQ\", 3, 1024); $some = pack(\"QQ\", 64, 64); $first = pack(\"Q\", 1); $idle = pack(\"L\", 0); \
                     $attributes = pack(\"LLQlLQQQ\", 48, 5, 0, 0, 0, 0, 0, 0)";
    format!("perl -e '{variables}; syscall({number}, {arguments}) >= 0 or die \"refused: $!\"'")
}

#[test]
fn the_first_process_is_not_changed_from_inside() {
    let mut house = House::new();
    house.config.memory = 128 * MIB;
    let (limit, affinity, policy) = (
        libc::SYS_prlimit64,
        libc::SYS_sched_setaffinity,
        libc::SYS_sched_setscheduler,
    );
    let (nice, io) = (libc::SYS_setpriority, libc::SYS_ioprio_set);
    for (number, arguments) in [
        (limit, "1, 7, $few, 0"),
        (limit, "$$ + 0, 7, $few, 0"),
        (affinity, "1, 8, $first"),
        (policy, "1, 5, $idle"),
        (libc::SYS_sched_setparam, "1, $idle"),
        (libc::SYS_sched_setattr, "1, $attributes, 0"),
        (nice, "0, 1, 19"),
        (nice, "2, 0, 19"),
        (io, "1, 1, 24576"),
        (io, "3, $< + 0, 24576"),
    ] {
        let said = house.refuses(&about(number, arguments));
        assert!(
            said.contains("refused: Operation not permitted"),
            "{number} {arguments}: {said}"
        );
    }
    // Everybody may still bound itself.
    for (number, arguments) in [
        (limit, "0, 7, $some, 0"),
        (affinity, "0, 8, $first"),
        (policy, "0, 5, $idle"),
        (nice, "0, 0, 19"),
    ] {
        house.prints(&about(number, arguments));
        assert!(house.works_outside(&about(number, arguments)));
    }
    house.prints("ulimit -n 64; ulimit -n > /dev/null; nice -n 3 true");
    let line = format!("{}; {}; true", about(limit, "1, 7, $few, 0"), takes(400));
    is_ended_for(&house, &line, "128 MiB of memory");
}

#[test]
fn what_is_said_to_a_group_is_not_said_to_those_who_hold_it() {
    let house = House::new();
    let output = house.run("kill -9 0");
    assert_eq!((output.exit_code, output.signal), (None, Some(9)), "{output:?}");
}

#[test]
fn a_process_is_counted_whatever_it_calls_itself_and_whichever_of_its_threads_has_ended() {
    let mut house = House::new();
    house.config.memory = 128 * MIB;
    let named = "perl -e '$0 = \"\\xff) R 1\\n\\xfe\"; $x = \"x\" x (400 << 20); select(undef, undef, undef, 4)'";
    is_ended_for(&house, named, "128 MiB of memory");
    assert!(house.works_outside(named));
    if !house.works_outside("python3 -c 'import ctypes' 2> /dev/null") {
        left_out("a process without its first thread: python3 is not installed");
        return;
    }
    let script = format!(
        "import ctypes, os, threading, time\ndef rest():\n time.sleep(0.1)\n x = b'x' * (400 << 20)\n time.sleep(20)\n \
         os._exit(0)\nthreading.Thread(target=rest).start()\nctypes.CDLL(None).syscall({}, 0)\n",
        libc::SYS_exit
    );
    std::fs::write(house.workspace().join("leaderless.py"), script).unwrap();
    is_ended_for(&house, "python3 leaderless.py", "128 MiB of memory");
}

#[test]
fn memory_that_is_no_processs_counts_as_well() {
    let mut house = House::new();
    house.config.memory = 256 * MIB;
    let sockets = "perl -MSocket -e 'for (1..10) { fork or last } $d = \"x\" x 65536; for (1..400) { my ($a, $b); socketpair($a, $b, AF_UNIX, \
                   SOCK_STREAM, 0) or last; for ($a, $b) { $_->blocking(0); 1 while syswrite($_, $d) } push @s, $a, $b } \
                   select(undef, undef, undef, 20)'";
    is_ended_for(&house, &format!("{sockets}; sleep 1"), "buffers of sockets");
    assert!(house.works_outside("perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) or die'"));
    let files = "head -c 60M /dev/zero > /tmp/a; head -c 60M /dev/zero > /var/tmp/b; head -c 60M /dev/zero > /dev/shm/c; perl -e '$x \
                 = \"x\" x (60 << 20); select(undef, undef, undef, 20)'";
    is_ended_for(&house, files, "temporary folders");
    house.config.network = true;
    is_ended_for(&house, &format!("{sockets}; sleep 1"), "buffers of sockets");
    // Taken, and not taken: a buffer of the machine's own network can grow to megabytes.
    for take in ["accept(my $b, L); push @s, $b;", ""] {
        let connections = format!(
            "perl -MSocket -e '$d = \"x\" x 65536; socket(L, AF_INET, SOCK_STREAM, 0); bind(L, sockaddr_in(0, INADDR_LOOPBACK)) or die; \
             listen(L, 400); for (1..200) {{ socket(my $a, AF_INET, SOCK_STREAM, 0); connect($a, getsockname(L)) or die; {take} \
             $a->blocking(0); push @s, $a }} for $n (1..400) {{ syswrite($_, $d) for grep {{ ref }} @s; select(undef, undef, undef, 0.005) }} \
             select(undef, undef, undef, 20)'"
        );
        is_ended_for(&house, &format!("{connections}; sleep 1"), "buffers of sockets");
    }
    // A queue holds 16 KB, and looking at many takes its time.
    house.config.memory = 64 * MIB;
    let queues = "perl -e '$d = pack(\"q\", 1) . \"x\" x 8000; for (1..6000) { my $q = msgget(0, 0600 | 01000) // last; msgsnd($q, \
                  $d, 04000) for 1..2 } select(undef, undef, undef, 20)'";
    is_ended_for(&house, queues, "64 MiB of memory");
}

#[test]
fn some_sockets_pipes_and_files_are_no_waste() {
    let mut house = House::new();
    house.config.memory = 256 * MIB;
    for network in [false, true] {
        house.config.network = network;
        house.prints(
            "perl -MSocket -e 'for (1..100) { my ($a, $b, $c, $d); socketpair($a, $b, AF_UNIX, SOCK_STREAM, 0) or die $!; pipe($c, $d) or die $!; \
             setsockopt($a, SOL_SOCKET, SO_SNDBUF, 8 << 20) or die $!; push @s, $a, $b, $c, $d } select(undef, undef, undef, 0.6)'",
        );
        house.prints("head -c 50M /dev/zero > /tmp/x && sleep 0.5");
    }
    assert_eq!(
        house.prints(
            "perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 0); $before = getsockopt(S, SOL_SOCKET, SO_RCVBUF); setsockopt(S, \
             SOL_SOCKET, SO_RCVBUF, 64 << 20) or die $!; print getsockopt(S, SOL_SOCKET, SO_RCVBUF) eq $before ? 1 : 0'"
        ),
        "1"
    );
}
