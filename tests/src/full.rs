//! A disk that is full for a daemon and for nobody else, and has room again; and logs that are long.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use passepartout_host::sexp::{Digest, Form};

use crate::bash::in_bash;
use crate::daemon::{Daemon, Home, host_binary};
use crate::message;

/// A session in which something was said, of a daemon that has stopped.
pub fn session_of(home: &Home) -> String {
    let daemon = home.start_scripted(&[message("hello")]);
    let mut peer = daemon.connect();
    assert_eq!(peer.ask("hello").reply(), "hello");
    let session = peer.session().to_owned();
    assert!(daemon.stop().success());
    session
}

/// The file `name` of what the daemon keeps, or the `turns` of the session.
pub fn kept(home: &Home, session: &str, name: &str) -> PathBuf {
    let data = home.path().join("data");
    match name {
        "turns" => data.join(format!("turns/{session}.turns")),
        name => data.join(name),
    }
}

/// A daemon that can be [`bound`]: what it can't write is an error, and no signal that ends it.
pub fn bounded(home: &Home, provider: &str) -> Command {
    let script = format!(
        "trap '' XFSZ; exec {} run --no-chat --provider {provider} 2> /dev/null",
        host_binary().display()
    );
    in_bash(home, &script)
}

/// The same, whose files grow no longer than `bytes` from its start on.
pub fn bounded_to(home: &Home, provider: &str, bytes: u64) -> Command {
    let script = format!(
        "trap '' XFSZ; prlimit --pid $$ --fsize={bytes}:; exec {} run --no-chat --provider {provider} 2> /dev/null",
        host_binary().display()
    );
    in_bash(home, &script)
}

/// From now on no file of the daemon grows beyond `bytes`, as on a full disk.
pub fn bound(daemon: &Daemon<'_>, bytes: u64) {
    limit(daemon, &bytes.to_string());
}

/// From now on the conversation takes lines of `room` bytes together, and no more.
pub fn fill(daemon: &Daemon<'_>, home: &Home, session: &str, room: u64) {
    let length = fs::metadata(kept(home, session, "turns")).unwrap().len();
    bound(daemon, length + room);
}

/// From now on there is room again.
pub fn unbound(daemon: &Daemon<'_>) {
    limit(daemon, "unlimited");
}

fn limit(daemon: &Daemon<'_>, bytes: &str) {
    // The soft limit alone: who lowered the other one may not raise it again.
    let ran = Command::new("prlimit")
        .args(["--pid", &daemon.pid().to_string(), &format!("--fsize={bytes}:")])
        .status()
        .expect("prlimit");
    assert!(ran.success());
}

/// Adds an entry to a log of a daemon that does not run, and returns how long the log is then.
pub fn append(log: &Path, entry: &Form) -> u64 {
    let text = entry.to_string();
    let digest = Digest::of("passepartout-entry-1", text.as_bytes()).to_string();
    let mut file = OpenOptions::new().append(true).open(log).expect("open a log");
    writeln!(file, "{:08x} {} {text}", text.len(), &digest[..8]).expect("add to a log");
    file.metadata().expect("a log has a length").len()
}
