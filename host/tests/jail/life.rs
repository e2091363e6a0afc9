//! How commands end: by themselves, in time, cancelled, with their host, or not begun at all.

use crate::{House, PATIENCE, binary, runs_on_host, wait_until};
use passepartout_host::capability::process::{self, Command, LINE_BYTES, ProcessError, View, Writes};
use passepartout_host::config::{JailMode, ShellConfig};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

#[test]
fn a_command_says_how_it_ended_and_what_it_printed() {
    let house = House::new();
    let output = house.run("echo out; echo err >&2; exit 7");
    assert_eq!((output.exit_code, output.signal), (Some(7), None));
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("out\n", "err\n"));
    assert!(!output.truncated && !output.timed_out && !output.network);
}

#[test]
fn a_signal_that_ends_bash_is_reported_as_a_signal() {
    let output = House::new().run("kill -TERM $$");
    assert_eq!((output.exit_code, output.signal), (None, Some(15)));
}

#[test]
fn killing_everything_inside_harms_nothing_outside() {
    let house = House::new();
    let mut bystander = std::process::Command::new("sleep").arg("300").spawn().unwrap();
    house.run(&format!("kill -9 {}; kill -9 -1; kill -9 1; true", bystander.id()));
    assert!(bystander.try_wait().unwrap().is_none());
    bystander.kill().unwrap();
    bystander.wait().unwrap();
}

#[test]
fn children_with_a_session_of_their_own_end_with_bash() {
    let house = House::new();
    let begun = Instant::now();
    let mark = format!("299.{}", std::process::id());
    let output = house.run(&format!(
        "setsid sleep {mark} & (setsid nohup sleep {mark} &) ; sleep 0.1; echo started"
    ));
    assert_eq!(output.stdout, "started\n");
    assert!(begun.elapsed() < PATIENCE);
    assert!(!runs_on_host(&mark));
}

#[test]
fn the_time_out_ends_everything() {
    let mut house = House::new();
    house.config.timeout = Duration::from_secs(1);
    let mark = format!("298.{}", std::process::id());
    let output = house.run(&format!(
        "echo before; setsid sleep {mark} & trap '' TERM INT; sleep {mark}"
    ));
    assert!(output.timed_out);
    assert!(
        output.complaints().contains("longer than 1 s (shell.timeout_seconds)"),
        "{output:?}"
    );
    assert_eq!(
        (output.exit_code, output.signal, output.stdout.as_str()),
        (None, Some(9), "before\n")
    );
    assert!(!runs_on_host(&mark));
}

#[test]
fn of_output_over_the_bound_the_beginning_and_the_end_are_kept_and_it_does_not_block() {
    let mut house = House::new();
    house.config.output = 1000;
    let output = house.run("yes | head -c 5000000; yes no | head -c 5000000 >&2; echo end >&2; exit 3");
    assert_eq!((output.exit_code, output.truncated), (Some(3), true));
    let parts = [
        (&output.stdout, "y\ny\n", "y\ny\n"),
        (&output.stderr, "no\nno\n", "noend\n"),
    ];
    for (written, begin, end) in parts {
        assert!(written.starts_with(begin) && written.ends_with(end), "{written}");
        assert!(written.contains(" of 50000") && written.len() < 1_100, "{written}");
    }
    house.config.timeout = Duration::from_millis(500);
    assert!(house.run("yes").timed_out);
    house.config.output = 4;
    let exact = house.run("printf 1234");
    assert_eq!((exact.stdout.as_str(), exact.truncated), ("1234", false));
}

#[test]
fn output_that_is_not_utf8_is_still_text() {
    assert_eq!(House::new().prints("printf 'a\\377b'"), "a\u{fffd}b");
}

#[test]
fn a_fork_bomb_is_bounded_and_ends_with_the_time_out() {
    let mut house = House::new();
    house.config.timeout = Duration::from_secs(3);
    let before = std::fs::read_to_string("/proc/sys/kernel/pid_max").unwrap();
    let output = house.run("for i in $(seq 3000); do sleep 297 & done; echo $(ls -d /proc/[0-9]* | wc -l)");
    assert!(
        output.timed_out || output.complaints().contains("shell.processes"),
        "{output:?}"
    );
    assert_eq!(std::fs::read_to_string("/proc/sys/kernel/pid_max").unwrap(), before);
}

#[test]
fn cancelling_ends_a_command_promptly_and_whole() {
    let house = House::new();
    let mark = format!("296.{}", std::process::id());
    let begun = Instant::now();
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !runs_on_host(&mark) {
                std::thread::sleep(Duration::from_millis(5));
            }
            house.cancel.cancel();
        });
        house.try_run(&format!("setsid sleep {mark} & sleep {mark}"))
    });
    assert_eq!(result, Err(ProcessError::Cancelled));
    assert!(begun.elapsed() < PATIENCE);
    assert!(!runs_on_host(&mark));
    assert_eq!(house.try_run("touch ran"), Err(ProcessError::Cancelled));
    assert!(!house.workspace().join("ran").exists());
}

#[test]
fn what_cannot_be_run_is_refused_with_what_to_do() {
    let mut house = House::new();
    let too_long = format!("true {}", "x".repeat(LINE_BYTES));
    for (line, said) in [(too_long.as_str(), "bytes"), ("true\0", "zero byte")] {
        let error = house.try_run(line).unwrap_err();
        assert!(
            matches!(error, ProcessError::Failed { .. }) && error.to_string().contains(said),
            "{error}"
        );
    }
    house.hidden.push(house.workspace().join("inside"));
    assert!(house.try_run("true").unwrap_err().to_string().contains("contains"));
    for path in ["/", "state", "/nowhere/../state"] {
        house.hidden = vec![path.into()];
        assert!(
            house
                .try_run("true")
                .unwrap_err()
                .to_string()
                .contains("can't be hidden")
        );
    }
    house.hidden.clear();
    std::fs::remove_dir(house.workspace()).unwrap();
    let error = house.try_run("true").unwrap_err().to_string();
    assert!(
        error.contains("No such file") && error.contains("--workspace"),
        "{error}"
    );
}

#[test]
fn a_line_of_the_greatest_length_runs() {
    let line = format!("true {}", "\\".repeat(LINE_BYTES - 5));
    assert_eq!(House::new().run(&line).exit_code, Some(0));
}

#[test]
fn a_jail_that_cannot_be_made_is_unavailable_and_nothing_runs() {
    let house = House::new();
    let workspace = house.workspace();
    let command = Command {
        line: "touch ran",
        workspace: &workspace,
        state: &house.path("state"),
        view: View::Machine,
        hidden: &house.hidden,
        protected: &[],
        closed_ports: &[],
        config: &house.config,
        cancel: &house.cancel,
    };
    // A program that is no host, and one that is not there.
    for binary in ["/bin/false", "/nonexistent"] {
        let error = process::run_from(Path::new(binary), &command).unwrap_err();
        assert!(matches!(error, ProcessError::Unavailable { .. }), "{error}");
        assert!(error.to_string().contains("jail = \"weak\""), "{error}");
        assert!(!process::probe_from(Path::new(binary)).jailed());
    }
    assert!(!workspace.join("ran").exists());
}

/// A host binary on a machine whose kernel grants no user namespaces.
fn binary_without_namespaces(house: &House) -> PathBuf {
    let path = house.path("host");
    let script = format!(
        "#!/bin/sh\nexec unshare --user --map-root-user /bin/sh -c 'echo 0 > /proc/sys/user/max_user_namespaces && exec \
         {} \"$@\"' sh \"$@\"\n",
        binary().display()
    );
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    path
}

#[test]
fn where_the_kernel_cannot_a_command_runs_only_if_the_operator_said_weak() {
    let mut house = House::new();
    let binary = binary_without_namespaces(&house);
    let workspace = house.workspace();
    let token = house.path("state/token");
    let line = format!("touch ran; cat {}; env", token.display());
    let state = house.path("state");
    let run = |config: &ShellConfig, line: &str| {
        let command = Command {
            line,
            workspace: &workspace,
            state: &state,
            view: View::Machine,
            hidden: &house.hidden,
            protected: &[],
            closed_ports: &[],
            config,
            cancel: &CancellationToken::new(),
        };
        process::run_from(&binary, &command)
    };

    let error = run(&house.config, &line).unwrap_err();
    assert!(matches!(error, ProcessError::Unavailable { .. }), "{error}");
    assert!(
        error
            .to_string()
            .contains("entering user, mount and process namespaces"),
        "{error}"
    );
    assert!(!workspace.join("ran").exists());

    house.config.jail = JailMode::Weak;
    let output = run(&house.config, &line).unwrap();
    assert_eq!(
        (output.exit_code, output.jailed, output.network),
        (Some(0), false, true),
        "{output:?}"
    );
    assert!(output.stdout.starts_with("the secret"), "{output:?}");
    assert!(!output.stdout.contains("CARGO"), "{output:?}");

    // Nobody was asked about this one, and nothing else would hold it.
    let unasked = Command {
        line: "true",
        workspace: &workspace,
        state: &state,
        view: View::Commons {
            home: None,
            writes: Writes::Refused,
        },
        hidden: &house.hidden,
        protected: &[],
        closed_ports: &[],
        config: &house.config,
        cancel: &CancellationToken::new(),
    };
    let error = process::run_from(&binary, &unasked).unwrap_err();
    assert!(matches!(error, ProcessError::Unavailable { .. }), "{error}");

    let mark = format!("295.{}", std::process::id());
    let left = run(
        &house.config,
        &format!("setsid sleep {mark} & (setsid nohup sleep {mark} &); sleep 0.1"),
    )
    .unwrap();
    assert!(left.exit_code == Some(0) && !runs_on_host(&mark));
    house.config.timeout = Duration::from_millis(700);
    let late = run(
        &house.config,
        &format!("echo before; setsid sleep {mark} & sleep {mark}"),
    )
    .unwrap();
    assert!(
        late.timed_out && late.stdout == "before\n" && !runs_on_host(&mark),
        "{late:?}"
    );
}

#[test]
fn weak_is_only_what_is_allowed_and_not_what_is_wanted() {
    let mut house = House::new();
    house.config.jail = JailMode::Weak;
    house.refuses(&format!("cat {}", house.path("state/token").display()));
}

/// Starts a keeper by hand, as a host that will come to harm.
fn keeper(house: &House, line: &str) -> (std::process::Child, std::os::unix::net::UnixStream) {
    let (mut ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    let child = std::process::Command::new(binary())
        .arg("__jail")
        .stdin(std::os::fd::OwnedFd::from(theirs))
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let workspace = house.workspace().display().to_string();
    let lock = house.path("state/token").display().to_string();
    let specification = serde_json::json!({
        "line": line, "workspace": workspace, "lock": lock, "writes": "Allowed", "shown": "Machine", "identity": "", "links": true, "hidden": [], "guarded": [], "network": false, "closed_ports": [],
        "bounds": {"memory": 1 << 30, "processes": 512, "cpu_seconds": 60}, "walls": "Enforced"
    });
    std::io::Write::write_all(&mut ours, format!("{specification}\n").as_bytes()).unwrap();
    (child, ours)
}

#[test]
fn a_host_that_dies_takes_its_commands_with_it() {
    let house = House::new();
    let mark = format!("294.{}", std::process::id());
    let (mut child, socket) = keeper(&house, &format!("setsid sleep {mark} & sleep {mark}"));
    wait_until("starts", || runs_on_host(&mark));
    drop(socket);
    child.wait().unwrap();
    assert!(!runs_on_host(&mark));
}

#[test]
fn a_keeper_that_dies_takes_its_command_with_it() {
    let house = House::new();
    let mark = format!("293.{}", std::process::id());
    let (mut child, _socket) = keeper(&house, &format!("setsid sleep {mark} & sleep {mark}"));
    wait_until("starts", || runs_on_host(&mark));
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("ends", || !runs_on_host(&mark));
}

#[test]
fn many_commands_at_once_leave_no_descriptor_and_no_process() {
    let house = House::new();
    let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    house.prints("true");
    std::thread::scope(|scope| {
        for number in 0..4 {
            let house = &house;
            scope.spawn(move || {
                for _ in 0..5 {
                    assert_eq!(house.prints(&format!("echo {number}")), format!("{number}\n"));
                }
            });
        }
    });
    // Other tests run beside this one: only a leak in each of the twenty shows.
    assert!(open() < 200, "{}", open());
}

/// The process on the host that holds the one with `mark` in its command line: the nearest ancestor that is a host.
fn holder_of(mark: &str) -> Option<i32> {
    let command = |pid: i32| std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let parent = |pid: i32| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        status
            .lines()
            .find_map(|line| line.strip_prefix("PPid:")?.trim().parse::<i32>().ok())
    };
    let numbers = std::fs::read_dir("/proc").unwrap().flatten();
    let mut pid = numbers
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .find(|pid| command(*pid).contains(mark))?;
    while !command(pid).contains("__jail") {
        pid = parent(pid)?;
    }
    Some(pid)
}

#[test]
fn a_jail_that_is_killed_from_outside_is_a_failure_and_no_exit_code() {
    let mut house = House::new();
    // Not even then may it run a second time, without walls.
    house.config.jail = JailMode::Weak;
    let mark = format!("292.{}", std::process::id());
    let times = house.workspace().join("times");
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            wait_until("starts", || {
                runs_on_host(&mark) && std::fs::read(&times).is_ok_and(|told| told.ends_with(b"\n"))
            });
            let holder = holder_of(&mark).unwrap();
            assert!(
                std::process::Command::new("kill")
                    .args(["-9", &holder.to_string()])
                    .status()
                    .unwrap()
                    .success()
            );
        });
        house.try_run(&format!("echo once >> times; sleep {mark}"))
    });
    assert!(matches!(result, Err(ProcessError::Failed { .. })), "{result:?}");
    assert_eq!(std::fs::read_to_string(&times).unwrap(), "once\n");
    assert!(!runs_on_host(&mark));
}
