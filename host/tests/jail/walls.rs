//! What a command can't see, change or reach.

use crate::{House, binary, left_out, works_outside};
use passepartout_host::capability::process::{self, JailReport};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

#[test]
fn it_starts_in_the_workspace_at_its_real_path() {
    let house = House::new();
    assert_eq!(house.prints("pwd"), format!("{}\n", house.workspace().display()));
}

#[test]
fn hidden_folders_exist_outside_and_not_inside() {
    let house = House::new();
    for name in ["config", "data", "state", "state/token"] {
        let path = house.path(name);
        assert!(path.exists());
        let said = house.refuses(&format!("ls -d {}", path.display()));
        assert!(said.contains("No such file or directory"), "{said}");
    }
    assert_eq!(
        house.prints(&format!("ls -A {}", house.root.path().display())),
        "workspace\n"
    );
}

#[test]
fn a_hidden_folder_is_hidden_by_every_name_it_has() {
    let mut house = House::new();
    symlink(house.path("state"), house.path("alias")).unwrap();
    house.hidden = vec![house.path("alias")];
    house.refuses(&format!("cat {}", house.path("state/token").display()));
    let outside = house.path("alias/token");
    assert!(works_outside(&format!("cat {} > /dev/null", outside.display())));
    house.refuses(&format!("cat {}", outside.display()));
    for way in [
        "/proc/self/root",
        "/proc/1/root",
        "/proc/1/cwd/../../../../../../..",
        "/.host",
    ] {
        house.refuses(&format!("cat {way}{}", house.path("state/token").display()));
    }
}

#[test]
fn a_hidden_folder_is_hidden_where_it_is_mounted_a_second_time() {
    const INSIDE: &str = "JAIL_TEST_MAY_MOUNT";
    if std::env::var_os(INSIDE).is_none() {
        // Once more, where mounting is allowed and is seen by nobody else.
        let this = std::env::current_exe().unwrap();
        let mut again = std::process::Command::new("unshare");
        again
            .args(["--user", "--map-root-user", "--mount"])
            .arg(this)
            .env(INSIDE, "yes");
        again.args([
            "--exact",
            "walls::a_hidden_folder_is_hidden_where_it_is_mounted_a_second_time",
        ]);
        assert!(again.status().unwrap().success());
        return;
    }
    let house = House::new();
    let second = house.path("second");
    std::fs::create_dir(&second).unwrap();
    assert!(works_outside(&format!(
        "mount --bind {} {}",
        house.path("state").display(),
        second.display()
    )));
    assert!(second.join("token").exists());
    house.refuses(&format!("ls {}", second.display()));
}

#[test]
fn a_hidden_folder_that_holds_the_workspace_leaves_only_the_workspace() {
    let mut house = House::new();
    house.hidden = vec![house.root.path().to_owned()];
    assert_eq!(
        house.prints(&format!("ls -A {}; touch made", house.root.path().display())),
        "workspace\n"
    );
    assert!(house.workspace().join("made").exists());
}

#[test]
fn the_workspace_is_writable_and_what_is_made_there_is_the_operators() {
    let house = House::new();
    house.prints("mkdir new && echo text > new/file && chmod 700 new");
    let made = house.workspace().join("new/file").metadata().unwrap();
    let ours = house.root.path().metadata().unwrap();
    assert_eq!((made.uid(), made.gid()), (ours.uid(), ours.gid()));
    assert_eq!(made.permissions().mode() & 0o777, 0o666 & !umask());
}

/// What files that this process makes may not be: proc_pid_status(5).
fn umask() -> u32 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("Umask:")).unwrap();
    u32::from_str_radix(line.trim(), 8).unwrap()
}

#[test]
fn outside_the_workspace_nothing_can_be_changed() {
    let house = House::new();
    let file = house.path("file");
    std::fs::write(&file, "before").unwrap();
    let shown = file.display();
    for line in [
        format!("echo after > {shown}"),
        format!("chmod 777 {shown}"),
        format!("rm {shown}"),
    ] {
        let said = house.refuses(&line);
        assert!(said.contains("Read-only file system"), "{line}: {said}");
    }
    house.refuses(&format!("ln -s {shown} link && echo after > link"));
    for place in [
        "/",
        "/usr",
        "/etc",
        "/dev",
        "/proc",
        "/sys",
        house.root.path().to_str().unwrap(),
    ] {
        house.refuses(&format!("touch {place}/made"));
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "before");
    assert!(works_outside(&format!("chmod 755 {shown} && echo after > {shown}")));
}

#[test]
fn temporary_folders_are_private_and_gone_afterwards() {
    let house = House::new();
    let outside = tempfile::NamedTempFile::new_in("/tmp").unwrap();
    let inside =
        house.prints("echo x > /tmp/jail-test-mark && ls -A /tmp /var/tmp /run /dev/shm | grep -v '^/\\|^$'");
    assert_eq!(inside, "identity\njail-test-mark\n");
    assert!(outside.path().exists() && !Path::new("/tmp/jail-test-mark").exists());
    house.refuses("ls /tmp/jail-test-mark");
}

#[test]
fn a_command_that_left_something_in_a_temporary_folder_is_told_that_it_is_gone() {
    let house = House::new();
    let left = house.run("echo x > /tmp/report.txt; mkdir /var/tmp/more");
    let notes = left.notes.join("\n");
    assert!(
        notes.contains("wrote to /tmp and /var/tmp is gone") && notes.contains("workspace"),
        "{notes}"
    );
    let tidy = house.run("echo x > /tmp/report.txt; rm /tmp/report.txt; echo y > kept.txt; cat <<< z");
    assert_eq!((tidy.exit_code, tidy.notes), (Some(0), Vec::new()));
}

#[test]
fn the_environment_is_clean() {
    let house = House::new();
    let inside = house.prints("env | grep -v '^_=' | sort");
    let expected = format!(
        "GIT_CONFIG_COUNT=3\nGIT_CONFIG_GLOBAL=/run/identity/gitconfig\nGIT_CONFIG_KEY_0=safe.bareRepository\n\
         GIT_CONFIG_KEY_1=diff.ignoreSubmodules\nGIT_CONFIG_KEY_2=diff.autoRefreshIndex\nGIT_CONFIG_VALUE_0=explicit\n\
         GIT_CONFIG_VALUE_1=all\nGIT_CONFIG_VALUE_2=false\nGIT_NO_LAZY_FETCH=1\nGIT_OPTIONAL_LOCKS=0\nHOME={0}\nINPUTRC=/dev/null\nLANG=C.UTF-8\nLESSKEY=/dev/null\nLESSKEYIN=/dev/null\nLESSSECURE=1\n\
         PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\nPWD={0}\nSHLVL=1\nTERM=dumb\nTMPDIR=/tmp\n",
        house.workspace().display()
    );
    assert_eq!(inside, expected);
}

#[test]
fn only_the_standard_descriptors_are_open_and_input_is_empty() {
    let house = House::new();
    // The fourth is the listing's own.
    assert_eq!(house.prints("ls /proc/self/fd"), "0\n1\n2\n3\n");
    assert_eq!(house.prints("cat; readlink /proc/self/fd/0"), "/dev/null\n");
}

#[test]
fn only_its_own_processes_are_to_be_seen() {
    let house = House::new();
    assert!(works_outside("test -e /proc/2 -o -e /proc/self"));
    let seen = house.prints("ls /proc | grep '^[0-9]*$' | wc -l");
    assert!(seen.trim().parse::<u32>().unwrap() <= 6, "{seen}");
    for file in ["environ", "mem", "maps"] {
        house.refuses(&format!("cat /proc/1/{file}"));
    }
    for link in ["fd/0", "fd/1", "root", "cwd", "exe"] {
        house.refuses(&format!("readlink /proc/1/{link}"));
    }
}

#[test]
fn there_is_no_network_unless_it_is_granted() {
    let mut house = House::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let line = format!("exec 3<> /dev/tcp/127.0.0.1/{}", listener.local_addr().unwrap().port());
    house.refuses(&line);
    assert!(works_outside(&line));
    house.config.network = true;
    let granted = house.run(&line);
    assert_eq!((granted.exit_code, granted.network), (Some(0), true));
}

#[test]
fn a_unix_socket_outside_cannot_be_reached() {
    let mut house = House::new();
    // In the workspace, where its path is seen and may be written to: only the system call is in the way.
    let socket = house.workspace().join("agent");
    let _listener = UnixListener::bind(&socket).unwrap();
    let line = format!(
        "perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Peer => \"{}\") or die \"refused: $!\"'",
        socket.display()
    );
    assert!(works_outside(&line));
    for network in [false, true] {
        house.config.network = network;
        let said = house.refuses(&line);
        assert!(said.contains("refused: Operation not permitted"), "{said}");
    }
}

#[test]
fn a_pair_of_datagram_sockets_is_refused_and_one_of_streams_is_not() {
    let house = House::new();
    let pair = |kind: &str| format!("perl -MSocket -e 'socketpair(A, B, AF_UNIX, {kind}, 0) or die $!'");
    assert!(works_outside(&pair("SOCK_DGRAM")));
    house.refuses(&pair("SOCK_DGRAM"));
    house.prints(&pair("SOCK_STREAM"));
}

#[test]
fn nothing_inside_has_or_gets_any_privilege() {
    let house = House::new();
    let status = house.prints("grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status");
    for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
        assert!(status.contains(&format!("{set}:\t0000000000000000\n")), "{status}");
    }
    assert!(
        status.contains("NoNewPrivs:\t1\n") && status.contains("Seccomp:\t2\n"),
        "{status}"
    );
    for line in [
        "unshare -Ur true",
        "unshare -m true",
        "mount -t tmpfs none /tmp",
        "chroot / true",
    ] {
        house.refuses(line);
    }
    house.refuses("echo 1 > /proc/sys/kernel/panic; test $? = 0");
    house.refuses("umount -l /proc");
}

#[test]
fn what_git_runs_by_itself_cannot_be_planted() {
    let house = House::new();
    let repository = house.workspace().join(".git");
    std::fs::create_dir_all(repository.join("hooks")).unwrap();
    std::fs::write(repository.join("config"), "[core]\n").unwrap();
    for line in [
        "echo evil > .git/hooks/pre-commit",
        "echo evil >> .git/config",
        "rm .git/config",
        "mv .git/hooks .git/others",
        "mv .git other && mkdir -p .git/hooks && echo evil > .git/hooks/pre-commit",
    ] {
        house.refuses(line);
    }
    house.prints("echo fine > .git/index");
    assert!(works_outside(&format!(
        "echo fine > {}/hooks/pre-commit",
        repository.display()
    )));
}

#[test]
fn inside_there_is_a_loopback_of_its_own() {
    let house = House::new();
    let line = "perl -MIO::Socket::INET -e '$l = IO::Socket::INET->new(Listen => 1, LocalAddr => \"127.0.0.1\") or die $!; \
                IO::Socket::INET->new(PeerAddr => \"127.0.0.1\", PeerPort => $l->sockport) or die $!'";
    house.prints(line);
}

#[test]
fn a_trial_says_which_walls_stand() {
    let report: JailReport = process::probe_from(&binary());
    assert!(report.jailed(), "{report:?}");
    for wall in [
        "files",
        "network",
        "privileges",
        "processes",
        "system calls",
        "Landlock",
    ] {
        assert!(report.enforced.iter().any(|text| text.starts_with(wall)), "{report:?}");
    }
}

#[test]
fn a_workspace_in_a_temporary_folder_is_there_and_its_neighbours_are_not() {
    let mut house = House::new();
    house.root = tempfile::tempdir_in("/tmp").unwrap();
    house.hidden.clear();
    std::fs::create_dir(house.workspace()).unwrap();
    std::fs::write(house.path("neighbour"), "").unwrap();
    house.prints("echo text > made");
    assert!(house.workspace().join("made").exists());
    assert_eq!(
        house.prints(&format!("ls -A {}", house.root.path().display())),
        "workspace\n"
    );
}

#[test]
fn a_linked_workspace_is_the_folder_it_leads_to() {
    let house = House::new();
    std::fs::rename(house.workspace(), house.path("real")).unwrap();
    symlink(house.path("real"), house.workspace()).unwrap();
    assert_eq!(
        house.prints("touch made; pwd -P"),
        format!("{}\n", house.path("real").display())
    );
    assert!(house.path("real/made").exists());
}

#[test]
fn keys_of_the_operator_are_found_where_they_are_kept() {
    let house = House::new();
    std::fs::create_dir_all(house.path(".ssh")).unwrap();
    std::fs::write(house.path(".netrc"), "").unwrap();
    let keys = process::keys_of(house.root.path());
    assert_eq!(keys, [house.path(".ssh"), house.path(".netrc")]);
}

#[test]
fn a_crash_starts_no_handler_of_the_machine() {
    let house = House::new();
    let own = rustix::process::getrlimit(rustix::process::Resource::Core).maximum;
    if own == Some(0) && !rustix::process::geteuid().is_root() {
        left_out("handlers of crashes: the limit on core files can't be raised here");
        return;
    }
    // 1 says that there is to be none; 0 would not be minded.
    let limit = "grep 'core file' /proc/self/limits | tr -s ' '";
    for line in [
        limit.to_owned(),
        format!("ulimit -c 0; {limit}"),
        format!("ulimit -Sc 0; {limit}"),
    ] {
        assert_eq!(house.prints(&line).trim(), "Max core file size 1 1 bytes", "{line}");
    }
}

#[test]
fn resources_are_bounded_and_new_files_are_as_open_as_the_operators_own() {
    let house = House::new();
    let umask = umask();
    assert_eq!(
        house.prints("ulimit -c; ulimit -n; umask"),
        format!("0\n1024\n{umask:04o}\n")
    );
    house.refuses("truncate -s 2G big");
    house.refuses("head -c 600M /dev/zero > /tmp/big");
}
