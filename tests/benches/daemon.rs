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

use passepartout_host::skill::BUNDLED;
use passepartout_tests::guest::Guest;
use passepartout_tests::skills::{Folder, Watcher};
use passepartout_tests::{Daemon, Home, host_binary};

/// The gate that is dropped.
const NAME: &str = "large";

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
    // No configuration leaves one out, so that the figure has them all.
    let all = BUNDLED.len();
    let what = format!("start to listening, all {all} bundled skills");
    figure(&what, "≤ 60 ms for four", &spread(&mut times));
    let daemon = home.start();
    Watcher::of(&daemon).wait_state("policy", "ready");
    std::thread::sleep(Duration::from_secs(2));
    figure(
        "resident memory, idle, the bundled skills",
        "≤ 60 MB",
        &format!("{:.1} MB", resident(&daemon)),
    );
}

fn resident(daemon: &Daemon<'_>) -> f64 {
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1_024.0
}

/// How many functions the gate has beside its own: as many as make about 200 KB of it.
const FUNCTIONS: usize = 1_850;

/// A gate of about 200 KB, of functions with loops, branches and memory, as compilers make them. Nobody calls them: what
/// takes long is to compile them. With a section of no meaning at its end, so that its digest is new.
fn gate(number: usize) -> Vec<u8> {
    static BODY: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| {
        let mut guest = Guest::gate(NAME);
        for at in 0..FUNCTIONS {
            guest.more.push_str(&format!(
                "(func $f{at} (param i32 i32) (result i32) (local i32 i64)
                  (loop $again
                    (local.set 2 (i32.add (local.get 2) (i32.const {at})))
                    (if (i32.lt_u (local.get 2) (local.get 1))
                      (then
                        (i32.store (i32.and (local.get 0) (i32.const 1023))
                          (i32.xor (i32.load (i32.and (local.get 2) (i32.const 1023))) (i32.const {})))
                        (local.set 3 (i64.mul (i64.extend_i32_u (local.get 2)) (i64.const {})))
                        (local.set 0 (i32.wrap_i64 (i64.shr_u (local.get 3) (i64.const 7)))))
                      (else (local.set 1 (i32.sub (local.get 1) (i32.const 3)))))
                    (br_if $again (i32.gt_s (local.get 1) (i32.const 12))))
                  (call $f{} (local.get 0) (i32.clz (local.get 2))))\n",
                at * 7 + 1,
                at * 31 + 5,
                (at + 1) % FUNCTIONS,
            ));
        }
        guest.build()
    });
    let mut bytes = BODY.clone();
    let content = format!("\u{5}bench{number:06}");
    bytes.push(0);
    bytes.push(u8::try_from(content.len()).unwrap());
    bytes.extend_from_slice(content.as_bytes());
    bytes
}

/// From the moment a file is moved in until the version in use is it.
fn reload(folder: &Folder, watcher: &mut Watcher, bytes: &[u8]) -> Duration {
    let begun = Instant::now();
    folder.moved(NAME, bytes);
    watcher.wait_file(NAME, bytes);
    begun.elapsed()
}

fn reloads() {
    let home = Home::new();
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
    let home = Home::new();
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
