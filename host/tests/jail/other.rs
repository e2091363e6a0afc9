//! Everything here once more, as the other kind of user: as nobody when root runs it, and as root when somebody else
//! does. Root's bounds are others than everybody's.

use crate::{AGAIN, House, binary, ground, left_out};
use std::collections::VecDeque;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// `nobody`, which every system has and which owns nothing.
const NOBODY: u32 = 65_534;

#[test]
fn every_wall_stands_for_root_and_for_an_ordinary_user() {
    if std::env::var_os(AGAIN).is_some() {
        return;
    }
    let this = std::env::current_exe().unwrap();
    if rustix::process::geteuid().is_root() {
        let (place, this, host) = reachable(&this);
        let mut tests = Command::new(this);
        // The groups are given up as well, which the standard library does for root.
        tests.uid(NOBODY).gid(NOBODY).env("JAIL_TEST_BINARY", host);
        run(&mut tests, &place.path().join("ground"));
        return;
    }
    let can = Command::new("sudo").args(["-n", "true"]).output();
    if !can.is_ok_and(|output| output.status.success()) {
        left_out("the jail as root: run these tests as root as well, or where `sudo -n` works");
        return;
    }
    let place = tempfile::tempdir_in(ground()).unwrap();
    let mut tests = Command::new("sudo");
    let again = [AGAIN, "JAIL_TEST_GROUND", "JAIL_TEST_BINARY", "HOME", "CI"].join(",");
    tests.args(["-n", &format!("--preserve-env={again}")]).arg(this);
    tests.env("JAIL_TEST_BINARY", binary());
    run(&mut tests, place.path());
}

/// Whoever else uses the machine, beside a hidden folder things come and go while the new root is made.
#[test]
fn what_goes_away_while_a_jail_is_made_keeps_no_command_from_running() {
    let house = House::new();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut there = VecDeque::new();
            while !over.load(Ordering::Relaxed) {
                there.push_back(tempfile::tempdir_in(ground()).unwrap());
                if there.len() > 60 {
                    there.pop_front();
                }
            }
        });
        let runs: Vec<_> = (0..60).map(|_| house.try_run("true")).collect();
        over.store(true, Ordering::Relaxed);
        for run in runs {
            assert_eq!(run.unwrap().exit_code, Some(0));
        }
    });
}

fn run(tests: &mut Command, place: &Path) {
    tests
        .env(AGAIN, "yes")
        .env("JAIL_TEST_GROUND", place)
        .env("HOME", place);
    let output = tests.current_dir("/").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "as the other kind of user:\n{said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let ran: usize = said
        .lines()
        .find_map(|line| line.strip_prefix("running ")?.split(' ').next()?.parse().ok())
        .unwrap();
    assert!(ran > 40, "{said}");
}

/// A folder of nobody's, this program, and the host's, where nobody can get at them: the build may lie in root's home.
fn reachable(this: &Path) -> (tempfile::TempDir, PathBuf, PathBuf) {
    let places = [ground(), "/srv".into(), "/opt".into(), "/var/lib".into()];
    for place in places {
        let Ok(folder) = tempfile::tempdir_in(&place) else {
            continue;
        };
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let own = folder.path().join("ground");
        std::fs::create_dir(&own).unwrap();
        chown(&own, Some(NOBODY), Some(NOBODY)).unwrap();
        if !as_nobody(&["test", "-w"], &own) {
            continue;
        }
        let get = |path: &Path| {
            if as_nobody(&["test", "-x"], path) {
                return path.to_owned();
            }
            let copy = folder.path().join(path.file_name().unwrap());
            std::fs::copy(path, &copy).unwrap();
            copy
        };
        let (this, host) = (get(this), get(&binary()));
        return (folder, this, host);
    }
    panic!("nobody can write to no folder outside of /tmp: make /srv one that everybody may enter");
}

fn as_nobody(test: &[&str], path: &Path) -> bool {
    let mut command = Command::new(test[0]);
    command
        .args(&test[1..])
        .arg(path)
        .uid(NOBODY)
        .gid(NOBODY)
        .current_dir("/");
    command.status().is_ok_and(|status| status.success())
}
