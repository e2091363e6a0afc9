//! Ways out, one by one. Each fails inside, and the same line on the same set-up succeeds outside: so none fails for
//! another reason than the jail.

use crate::{House, left_out, wait_until};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::process::{Child, Command};

/// Asserts that `line` fails inside and succeeds outside, and answers what it said inside.
fn only_outside(house: &House, line: &str) -> String {
    let said = house.refuses(line);
    assert!(house.works_outside(line), "outside it must succeed: {line}");
    said
}

/// A process of the same user, that is not the command's.
struct Bystander(Child);

impl Bystander {
    fn start() -> Bystander {
        let mut command = Command::new("sleep");
        Bystander(command.arg("300").env("BYSTANDERS_KEY", "secret").spawn().unwrap())
    }

    fn is_alive(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A line that makes a system call and succeeds if it does. Perl is on every machine that has git.
fn call(number: i64, arguments: &str) -> String {
    format!("perl -e '$! = 0; syscall({number}, {arguments}) >= 0 or die \"refused: $!\"'")
}

#[test]
fn a_key_file_is_not_there_to_be_read() {
    let house = House::new();
    only_outside(&house, "cat ../state/token");
}

#[test]
fn no_file_is_left_that_lends_the_rights_of_its_owner_or_group() {
    let house = House::new();
    let made =
        |mode: &str| format!("perl -MFcntl -e 'umask 0; sysopen(my $f, \"m\", O_CREAT|O_RDWR, {mode}) or die $!'");
    for line in [
        "touch a && chmod 4755 a",
        "touch b && chmod g+s b",
        "cp /bin/true c && perl -e 'open(my $f, \"<\", \"c\"); chmod(06711, $f) == 1 or die $!'",
        "install -m 2755 /bin/true d",
        &made("04755"),
        "perl -e 'umask 0; my $p = \"n\"; syscall(133, $p, 0104755, 0) >= 0 or die $!'",
        "perl -e 'umask 0; my $p = \"o\"; syscall(85, $p, 04755) >= 0 or die $!'",
        // openat2 with O_CREAT, whose mode lies in memory.
        "perl -e 'umask 0; my $how = pack(\"Q3\", 0102, 04755, 0); my $p = \"p\"; syscall(437, -100, $p, $how, 24) >= 0 or die $!'",
        // An unnamed file.
        "perl -e 'umask 0; my $p = \".\"; syscall(257, -100, $p, 020200002, 04755) >= 0 or die $!'",
    ] {
        only_outside(&house, line);
        house.works_outside("rm -f ?");
    }
    house.prints("touch plain && chmod 755 plain && chmod 1777 . && cp -p plain q && install -m 644 plain s");
}

#[test]
fn nothing_outside_is_written_nor_gets_another_mode() {
    let house = House::new();
    std::fs::write(house.path("outside"), "before").unwrap();
    for line in [
        "echo after > ../outside",
        "chmod 600 ../outside",
        "touch -d yesterday ../outside",
        "touch ../new",
        "truncate -s 1 ../outside",
        "ln ../outside ../second",
        "mkdir ../folder",
        "perl -e 'utime 1, 1, \"../outside\" or die $!'",
    ] {
        only_outside(&house, line);
    }
}

#[test]
fn a_link_out_of_the_workspace_leads_nowhere() {
    let house = House::new();
    std::fs::write(house.path("outside"), "before").unwrap();
    only_outside(&house, "rm -f link && ln -s ../outside link && echo after > link");
    only_outside(&house, "rm -f link && ln -s ../state/token link && cat link");
    only_outside(&house, "rm -f link && ln ../outside link");
}

#[test]
fn the_ways_round_through_proc_lead_nowhere() {
    let house = House::new();
    let token = house.path("state/token");
    only_outside(&house, &format!("cat /proc/self/root{}", token.display()));
    only_outside(&house, &format!("cat /proc/$$/root{}", token.display()));
    let bystander = Bystander::start();
    let number = bystander.0.id();
    only_outside(&house, &format!("grep -z BYSTANDERS_KEY /proc/{number}/environ"));
    only_outside(&house, &format!("cat /proc/{number}/root{}", token.display()));
    only_outside(&house, &format!("ls /proc/{number}/cwd/ > /dev/null"));
    only_outside(&house, "grep -lzs BYSTANDERS_KEY /proc/[0-9]*/environ | grep -q .");
}

#[test]
fn no_socket_outside_is_reached_by_address_path_or_abstract_name() {
    let house = House::new();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    only_outside(
        &house,
        &format!("exec 3<> /dev/tcp/127.0.0.1/{}", tcp.local_addr().unwrap().port()),
    );
    // In the workspace, where its path is seen, and the daemon's own place, where it is not.
    for place in ["workspace/agent", "state/socket"] {
        let path = house.path(place);
        let _listener = UnixListener::bind(&path).unwrap();
        only_outside(
            &house,
            &format!(
                "perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Peer => \"{}\") or die $!'",
                path.display()
            ),
        );
    }
    let name = format!("passepartout-jail-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _listener = UnixListener::bind_addr(&address).unwrap();
    let abstractly = |domain: &str| {
        format!(
            "perl -MSocket -e 'socket(S, {domain}, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un(\"\\0{name}\")) or die $!'"
        )
    };
    only_outside(&house, &abstractly("AF_UNIX"));
}

#[test]
fn with_the_network_granted_the_daemons_own_port_stays_out_of_reach() {
    let mut house = House::new();
    house.config.network = true;
    let (own, other) = (
        TcpListener::bind("127.0.0.1:0").unwrap(),
        TcpListener::bind("127.0.0.1:0").unwrap(),
    );
    let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
    house.closed_ports = vec![port(&own)];
    let connects = |port: u16| format!("exec 3<> /dev/tcp/127.0.0.1/{port}");
    house.prints(&connects(port(&other)));
    only_outside(&house, &connects(port(&own)));
    // Multipath TCP, which falls back to the plain one, and is another protocol to Landlock.
    only_outside(
        &house,
        &format!(
            "perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 262) or socket(S, AF_INET, \
             SOCK_STREAM, 6) or die $!; connect(S, sockaddr_in({}, INADDR_LOOPBACK)) or die $!'",
            port(&own)
        ),
    );
}

#[test]
fn what_sends_does_not_connect() {
    let mut house = House::new();
    house.config.network = true;
    let own = TcpListener::bind("127.0.0.1:0").unwrap();
    own.set_nonblocking(true).unwrap();
    let port = own.local_addr().unwrap().port();
    house.closed_ports = vec![port];
    // 0x20000000 is MSG_FASTOPEN. A message's own form is for sendmsg and sendmmsg: address, its length, data, and so on.
    let open = "socket(S, AF_INET, SOCK_STREAM, 0) or die $!; $f = 0x20000000";
    let message = format!(
        "$a = sockaddr_in({port}, INADDR_LOOPBACK); $d = \"x\"; $v = pack(\"PQ\", $d, 1); $m = pack(\"PQPQQQLL\", $a, 16, $v, 1, \
         0, 0, 0, 0) . \"\\0\" x 8"
    );
    let (one, many) = (libc::SYS_sendmsg, libc::SYS_sendmmsg);
    for send in [
        format!("send(S, \"x\", $f, sockaddr_in({port}, INADDR_LOOPBACK)) or die $!"),
        format!("{message}; syscall({one}, fileno(S), $m, $f) >= 0 or die $!"),
        format!("{message}; syscall({many}, fileno(S), $m, 1, $f) >= 0 or die $!"),
    ] {
        let said = only_outside(&house, &format!("perl -MSocket -e '{open}; {send}'"));
        assert!(said.contains("Operation not permitted"), "{said}");
        own.accept().expect("the one from outside");
        assert!(own.accept().is_err(), "and no other");
    }
    house.prints(
        "perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) or die $!; send(A, \"x\", 0) or die $!'",
    );
}

#[test]
fn with_the_network_granted_unix_sockets_stay_out_of_reach() {
    let mut house = House::new();
    house.config.network = true;
    let name = format!("passepartout-jail-net-{}", std::process::id());
    let _listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    only_outside(
        &house,
        &format!(
            "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un(\"\\0{name}\")) or die $!'"
        ),
    );
}

#[test]
fn no_pair_of_sockets_becomes_one_that_reaches_outside() {
    let house = House::new();
    let path = house.workspace().join("log");
    let _listener = UnixDatagram::bind(&path).unwrap();
    // "Raw" is another word for datagrams here.
    for kind in ["SOCK_DGRAM", "SOCK_RAW"] {
        only_outside(
            &house,
            &format!(
                "perl -MSocket -e 'socketpair(A, B, AF_UNIX, {kind}, 0) or die $!; send(A, \"out\", 0, \
                 pack_sockaddr_un(\"{}\")) or die $!'",
                path.display()
            ),
        );
    }
    for kind in ["SOCK_STREAM", "SOCK_SEQPACKET"] {
        house.prints(&format!(
            "perl -MSocket -e 'socketpair(A, B, AF_UNIX, {kind}, 0) or die $!'"
        ));
    }
}

#[test]
fn no_process_outside_gets_a_signal() {
    let house = House::new();
    let mut bystander = Bystander::start();
    let line = format!("kill -TERM {}", bystander.0.id());
    house.refuses(&line);
    house.run("kill -TERM -1");
    assert!(bystander.is_alive());
    assert!(house.works_outside(&line));
    wait_until("the bystander ends", || !bystander.is_alive());
}

#[test]
fn nothing_is_traced_neither_outside_nor_inside() {
    let house = House::new();
    let said = only_outside(&house, &call(libc::SYS_ptrace, "0, 0, 0, 0"));
    assert!(said.contains("Operation not permitted"), "{said}");
    // A process of one's own, through its memory: the other way to do the same.
    let line = format!(
        "perl -e '$x = \"mine\"; $b = \"\\0\" x 8; $r = pack(\"PQ\", $x, 4); $v = pack(\"PQ\", $b, 4); syscall({}, $$ + 0, \
         $v, 1, $r, 1, 0) >= 0 or die $!'",
        libc::SYS_process_vm_readv
    );
    only_outside(&house, &line);
}

#[test]
fn what_gets_round_the_filter_is_refused_or_absent() {
    let house = House::new();
    let parameters = "my $p = \"\\0\" x 256";
    for (number, arguments, said) in [
        (libc::SYS_io_uring_setup, "1, $p", "Operation not permitted"),
        (libc::SYS_unshare, "0x10000000", "Operation not permitted"),
        (libc::SYS_clone, "0x10000011, 0, 0, 0, 0", "Operation not permitted"),
        (libc::SYS_clone3, "$p, 88", "Function not implemented"),
        (libc::SYS_keyctl, "0, -3, 0, 0, 0", "Operation not permitted"),
        (libc::SYS_memfd_create, "$p, 0", "Function not implemented"),
        (libc::SYS_personality, "0x0400000", "Operation not permitted"),
        (libc::SYS_open_by_handle_at, "0, $p, 0", "Operation not permitted"),
        // A number that no kernel has yet.
        (4_000, "0", "Function not implemented"),
    ] {
        let line = format!("{parameters}; syscall({number}, {arguments}) >= 0 or die \"refused: $!\"");
        let answer = house.refuses(&format!("perl -e '{line}'"));
        assert!(answer.contains(said), "{number}: {answer}");
    }
    // Multipath TCP, which Landlock's bounds on TCP do not see; raw sockets; netlink for other things than interfaces.
    for socket in [
        "AF_INET, SOCK_STREAM, 262",
        "AF_INET, SOCK_SEQPACKET, 0",
        "AF_INET6, SOCK_RAW, 58",
        "16, SOCK_RAW, 9",
        "40, SOCK_STREAM, 0",
    ] {
        let said = house.refuses(&format!("perl -MSocket -e 'socket(S, {socket}) or die $!'"));
        assert!(said.contains("Operation not permitted"), "{socket}: {said}");
    }
    house.prints(
        "perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 0) && socket(T, AF_INET6, SOCK_DGRAM, 17) or die $!'",
    );
}

#[test]
fn a_fork_bomb_ends_where_it_would_go_on_outside() {
    let mut house = House::new();
    house.config.processes = 60;
    let mark = format!("291.{}", std::process::id());
    let line = format!(
        "for i in $(seq 120); do sleep {mark} & done; sleep 1; test $(jobs -p | wc -l) = 120; ended=$?; kill $(jobs -p); exit $ended"
    );
    let output = house.run(&line);
    assert_ne!(output.exit_code, Some(0), "{output:?}");
    assert!(!crate::runs_on_host(&mark));
    assert!(house.works_outside(&line));
}

#[test]
fn children_with_a_session_of_their_own_outlive_a_time_out_outside_only() {
    let mut house = House::new();
    house.config.timeout = std::time::Duration::from_millis(700);
    let inside = format!("290.{}", std::process::id());
    let line = |mark: &str| format!("setsid sleep {mark} & sleep {mark}");
    assert!(house.run(&line(&inside)).timed_out);
    assert!(!crate::runs_on_host(&inside));

    let outside = format!("289.{}", std::process::id());
    let mut bash = Command::new("/bin/bash").args(["-c", &line(&outside)]).spawn().unwrap();
    // Bash's own command line holds the mark as well, before it has started anything.
    wait_until("it starts", || crate::runs_on_host(&format!("sleep\0{outside}")));
    bash.kill().unwrap();
    bash.wait().unwrap();
    assert!(
        crate::runs_on_host(&format!("sleep\0{outside}")),
        "it must outlive bash outside"
    );
    assert!(house.works_outside(&format!("pkill -f 'sleep {outside}'")));
}

#[test]
fn a_program_that_was_set_user_id_gains_nothing() {
    let house = House::new();
    let shown = ["/usr/bin/su", "/usr/bin/passwd", "/bin/su", "/usr/bin/sudo"];
    let Some(program) = shown.iter().find(|path| std::path::Path::new(path).exists()) else {
        left_out("set-user-id programs: there is none on this machine");
        return;
    };
    house.run(&format!("cp {program} own && chmod u+s own"));
    let status = house.prints("grep -E '^(Uid|NoNewPrivs)' /proc/self/status");
    let own = rustix::process::geteuid().as_raw();
    assert!(
        status.contains(&format!("Uid:\t{own}\t{own}\t{own}\t{own}\n")) && status.contains("NoNewPrivs:\t1"),
        "{status}"
    );
    assert!(
        house
            .prints("findmnt -no OPTIONS -T . || grep nosuid /proc/self/mounts | head -1")
            .contains("nosuid")
    );
}
