//! The processes in which a daemon looks into files and compiles them: seen, stopped and ended from outside.

use std::fs;
use std::process::Command;

use crate::Daemon;

/// The process that compiles now, if there is one.
fn compiler(daemon: &Daemon<'_>) -> Option<u32> {
    let own = daemon.pid();
    let processes = fs::read_dir("/proc").expect("the processes").flatten();
    let mut numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.find(|number| {
        let read = |file: &str| fs::read_to_string(format!("/proc/{number}/{file}")).unwrap_or_default();
        let status = read("status");
        read("cmdline").contains("__compile") && status.lines().any(|line| line == format!("PPid:\t{own}"))
    })
}

/// Stops a process, and whether it stands still then: one that has come to its end meanwhile does not.
fn stopped(number: u32) -> bool {
    if !sent("STOP", number) {
        return false;
    }
    loop {
        let status = fs::read_to_string(format!("/proc/{number}/status")).unwrap_or_default();
        match status.lines().find_map(|line| line.strip_prefix("State:\t")) {
            Some(state) if state.starts_with('T') => return true,
            Some(state) if !state.starts_with(['Z', 'X']) => std::thread::yield_now(),
            _ => return false,
        }
    }
}

/// Sends a signal to a process, and whether there was one.
pub fn sent(name: &str, number: u32) -> bool {
    let signal = [&format!("-{name}"), &number.to_string()];
    let output = Command::new("kill").args(signal).output();
    output.expect("send a signal").status.success()
}

/// Sends a signal to the next process that looks into a file or compiles. The first is there for a moment only, so it is
/// stopped until it has the signal.
pub fn signal(daemon: &Daemon<'_>, name: &str) -> u32 {
    let mut caught = None;
    daemon.wait_until("something is compiled", || {
        caught = compiler(daemon).filter(|number| stopped(*number));
        caught.is_some()
    });
    let number = caught.expect("it was waited for");
    if name != "STOP" {
        assert!(sent(name, number));
        // One that was killed needs it no more.
        sent("CONT", number);
    }
    number
}
