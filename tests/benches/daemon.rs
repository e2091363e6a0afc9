//! What a person feels: how long the daemon takes to start, how much memory it holds, how soon a dropped file serves,
//! and whether a thousand of them leave anything behind. Run by `cargo xtask bench`.
//!
//! The daemon is the real one, optimised, and everything goes through its doors. One line a figure, beside the goal.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a measurement that can't go on has failed"
)]

use std::fs;
use std::time::{Duration, Instant};

use passepartout_tests::skills::{Folder, Watcher};
use passepartout_tests::{Daemon, Home, host_binary};

/// Starts of the daemon that are measured.
const STARTS: usize = 21;

/// Reloads for the two figures of latency.
const RELOADS: usize = 31;

/// Reloads for the figure of growth.
const MANY: usize = 1_000;

fn main() {
    println!("daemon: {}", host_binary().display());
    starts();
    reloads();
    growth();
}

/// One line of the table.
fn figure(what: &str, goal: &str, seen: &str) {
    println!("| {what} | {goal} | {seen} |");
}

/// Milliseconds: the median, and the lowest and the highest.
fn spread(times: &mut [Duration]) -> String {
    times.sort();
    let millis = |time: Option<&Duration>| time.map_or(0.0, Duration::as_secs_f64) * 1_000.0;
    format!(
        "{:.1} [{:.1} .. {:.1}] ms",
        millis(times.get(times.len() / 2)),
        millis(times.first()),
        millis(times.last())
    )
}

/// From the start of the process until a client is greeted.
fn starts() {
    let home = Home::new();
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let _ = fs::remove_file(home.path().join("state/socket"));
        let begun = Instant::now();
        let mut child = home
            .command()
            .args(["run", "--no-chat"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("start the daemon");
        while std::os::unix::net::UnixStream::connect(home.path().join("state/socket")).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(30), "the daemon does not listen");
            std::thread::sleep(Duration::from_micros(200));
        }
        times.push(begun.elapsed());
        child.kill().expect("end the daemon");
        child.wait().expect("the daemon is gone");
    }
    figure(
        "start to listening, four bundled skills",
        "≤ 60 ms",
        &spread(&mut times),
    );
    let daemon = home.start();
    Watcher::of(&daemon).wait_state("policy", "ready");
    std::thread::sleep(Duration::from_secs(2));
    figure(
        "resident memory, idle, four skills",
        "≤ 60 MB",
        &format!("{:.1} MB", resident(&daemon)),
    );
}

fn resident(daemon: &Daemon<'_>) -> f64 {
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1_024.0
}

/// The bundled dispatcher, a gate of about 260 KB, with a section of no meaning at its end, so that its digest is new.
fn gate(number: usize) -> Vec<u8> {
    let bundled = passepartout_host::skill::BUNDLED
        .iter()
        .find(|own| own.name == "dispatcher");
    let mut bytes = bundled.expect("the dispatcher is bundled").wasm.to_vec();
    let content = format!("\u{5}bench{number:06}");
    bytes.push(0);
    bytes.push(u8::try_from(content.len()).unwrap());
    bytes.extend_from_slice(content.as_bytes());
    bytes
}

/// From the moment a file is moved in until the version in use is it.
fn reload(folder: &Folder, watcher: &mut Watcher, bytes: &[u8]) -> Duration {
    let begun = Instant::now();
    folder.moved("dispatcher", bytes);
    watcher.wait_file("dispatcher", bytes);
    begun.elapsed()
}

/// A home in which every file may replace the dispatcher.
fn trusting(numbers: impl Iterator<Item = usize>) -> Home {
    let home = Home::new();
    let mut text = String::from("(:GRANT :SKILL \"dispatcher\" :FOLLOW T :CAPABILITY \"contains-secret\")\n");
    for number in numbers {
        let digest = passepartout_host::sexp::Digest::of_file(&gate(number));
        text.push_str(&format!("(:TRUST :SKILL \"dispatcher\" :DIGEST \"{digest}\")\n"));
    }
    passepartout_tests::daemon::make_private(&home.file("config/grants", text.as_bytes()));
    home
}

fn reloads() {
    let home = trusting(0..RELOADS);
    let folder = Folder::of(&home);
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    let size = gate(0).len();
    let mut fresh: Vec<Duration> = (0..RELOADS)
        .map(|number| reload(&folder, &mut watcher, &gate(number)))
        .collect();
    figure(
        &format!("dropped → serving, a gate of {} KB, not in the cache", size / 1_000),
        "≤ 500 ms",
        &spread(&mut fresh),
    );
    let mut known: Vec<Duration> = (0..RELOADS)
        .map(|number| reload(&folder, &mut watcher, &gate(number)))
        .collect();
    figure("the same, from the cache", "≤ 50 ms", &spread(&mut known));
}

fn growth() {
    let home = trusting(0..10);
    let folder = Folder::of(&home);
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    let mut many = |count: usize| {
        for number in 0..count {
            reload(&folder, &mut watcher, &gate(number % 10));
        }
    };
    many(100);
    let files = || fs::read_dir(format!("/proc/{}/fd", daemon.pid())).unwrap().count();
    let (before, open) = (resident(&daemon), files());
    many(MANY / 2);
    let middle = resident(&daemon);
    many(MANY / 2);
    figure(
        "a thousand reloads, after a hundred",
        "no growth",
        &format!(
            "{before:.1} → {middle:.1} → {:.1} MB, {open} → {} open files",
            resident(&daemon),
            files()
        ),
    );
}
