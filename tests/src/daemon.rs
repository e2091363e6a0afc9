//! A daemon of the built binary, in a temporary home.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use passepartout_host::sexp::{Brackets, Form, read_prefix};

use crate::peer::Peer;

/// How long anything may take before a test gives up. Generous: machines that build are slow.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The built binary, which lies beside the tests.
pub fn host_binary() -> PathBuf {
    let own = std::env::current_exe().expect("a test knows its own path");
    let folder = own
        .parent()
        .and_then(Path::parent)
        .expect("tests lie in target/PROFILE/deps");
    let binary = folder.join("passepartout-host");
    assert!(
        binary.exists(),
        "{} is not built: run `cargo build --workspace`",
        binary.display()
    );
    binary
}

/// A message proposal with an explanation, as a model writes it.
pub fn message(text: &str) -> String {
    format!(
        "(:TYPE :REQUEST :PAYLOAD (:ACTION :MESSAGE :TEXT \"{text}\" :EXPLANATION \"to answer the user's question\"))"
    )
}

/// A shell proposal with an explanation, as a model writes it.
pub fn proposal(command: &str) -> String {
    let command = command.replace('\\', "\\\\").replace('"', "\\\"");
    format!("(:TYPE :REQUEST :TARGET :SHELL :PAYLOAD (:CMD \"{command}\" :EXPLANATION \"to do what was asked for\"))")
}

/// A temporary home, its configuration, and its script of answers.
pub struct Home {
    folder: tempfile::TempDir,
}

/// What a command printed, and how it ended.
#[derive(Debug)]
pub struct Ran {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Default for Home {
    fn default() -> Home {
        Home::new()
    }
}

impl Home {
    /// An empty one.
    pub fn new() -> Home {
        Home {
            folder: tempfile::Builder::new()
                .prefix("passepartout")
                .tempdir()
                .expect("a temporary folder"),
        }
    }

    /// An empty one below `folder`, for what a private `/tmp` would hide.
    pub fn below(folder: &Path) -> Home {
        Home {
            folder: tempfile::Builder::new()
                .prefix("passepartout")
                .tempdir_in(folder)
                .expect("a temporary folder"),
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The workspace.
    pub fn workspace(&self) -> PathBuf {
        self.path().join("workspace")
    }

    /// Writes `config/config.toml`.
    pub fn config(self, text: &str) -> Home {
        self.file("config/config.toml", text.as_bytes());
        self
    }

    /// Writes a file of the home, and the folders above it.
    pub fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("create a folder");
        fs::write(&path, bytes).expect("write a file");
        path
    }

    /// Writes the script of answers, and names it as a provider.
    pub fn script(&self, answers: &[String]) -> String {
        let path = self.file("script.txt", answers.join("\n---\n").as_bytes());
        format!("script:{}", path.display())
    }

    /// What the scripted model was asked, oldest first: one plist a request, with the system prompt and the messages.
    pub fn prompts(&self) -> Vec<Form> {
        let text = fs::read_to_string(self.path().join("script.txt.prompts")).unwrap_or_default();
        let (mut at, mut forms) = (0, Vec::new());
        while !text[at..].trim().is_empty() {
            let (form, length) = read_prefix(&text[at..], Brackets::Refuse).expect("a recorded prompt");
            forms.push(form);
            at += length;
        }
        forms
    }

    /// The binary, to be run in this home.
    pub fn command(&self) -> Command {
        let mut command = Command::new(host_binary());
        command
            .env_clear()
            .env("PASSEPARTOUT_HOME", self.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.path().join("user")).stdin(Stdio::null());
        command
    }

    /// Runs a subcommand to its end.
    pub fn run(&self, args: &[&str]) -> Ran {
        let output = self.command().args(args).output().expect("run the binary");
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Starts a subcommand that is written to and read from.
    pub fn piped(&self, args: &[&str]) -> Child {
        let mut command = self.command();
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.spawn().expect("start the binary")
    }

    /// Starts a daemon with the offline provider.
    pub fn start(&self) -> Daemon<'_> {
        self.start_with(&[])
    }

    /// Starts a daemon that replays `answers`.
    pub fn start_scripted(&self, answers: &[String]) -> Daemon<'_> {
        let provider = self.script(answers);
        self.start_with(&["--provider", &provider])
    }

    /// Starts a daemon with these arguments, and waits until it listens.
    pub fn start_with(&self, args: &[&str]) -> Daemon<'_> {
        self.start_command(self.command().arg("run").arg("--no-chat").args(args))
    }

    /// Starts a daemon by this command, and waits until it listens.
    pub fn start_command(&self, command: &mut Command) -> Daemon<'_> {
        let log = self.path().join("stderr.log");
        let file = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&log)
            .expect("open the log");
        // What a killed daemon left is not to be taken for this one's; it stays, as it would for anybody.
        let listens = || fs::read_to_string(self.path().join("state/daemon.json")).ok();
        let left = listens();
        let before = fs::metadata(&log).map_or(0, |log| log.len());
        command.stdout(Stdio::null()).stderr(file);
        let child = command.spawn().expect("start the daemon");
        let mut daemon = Daemon { home: self, child };
        let start = Instant::now();
        while listens().is_none_or(|now| Some(now) == left) {
            if let Ok(Some(status)) = daemon.child.try_wait() {
                let log = daemon.log();
                // Where many tests run at once there are more daemons than ports, until one of them ends.
                let crowded = log[usize::try_from(before).unwrap_or(0)..].contains("on 127.0.0.1 are taken");
                assert!(
                    crowded && start.elapsed() < PATIENCE,
                    "the daemon ended at its start ({status}):\n{log}"
                );
                std::thread::sleep(Duration::from_millis(100));
                daemon.child = command.spawn().expect("start the daemon");
            }
            assert!(
                start.elapsed() < PATIENCE,
                "the daemon does not listen:\n{}",
                daemon.log()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        daemon
    }
}

/// A running daemon. Killed when dropped.
pub struct Daemon<'h> {
    home: &'h Home,
    child: Child,
}

impl Daemon<'_> {
    /// A client at the operator's door, past the handshake.
    pub fn connect(&self) -> Peer {
        let mut peer = Peer::unix(&self.home.path().join("state/socket"));
        let greeting = peer.next();
        assert!(
            greeting
                .at("payload.action")
                .is_some_and(|action| action.is_kw("HANDSHAKE")),
            "{greeting}"
        );
        peer
    }

    /// The TCP port, as `state/daemon.json` names it.
    pub fn port(&self) -> u16 {
        let text = fs::read_to_string(self.home.path().join("state/daemon.json")).expect("daemon.json");
        let value: serde_json::Value = serde_json::from_str(&text).expect("daemon.json is JSON");
        u16::try_from(value["port"].as_u64().expect("a port")).expect("a port")
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Everything it has logged.
    pub fn log(&self) -> String {
        let mut text = String::new();
        if let Ok(mut file) = fs::File::open(self.home.path().join("stderr.log")) {
            let _ = file.read_to_string(&mut text);
        }
        text
    }

    /// Waits until something holds, which is `what`.
    pub fn wait_until(&self, what: &str, mut holds: impl FnMut() -> bool) {
        let start = Instant::now();
        while !holds() {
            assert!(start.elapsed() < PATIENCE, "not seen: {what}; the log:\n{}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until it has put every session away that nobody hears.
    pub fn wait_until_put_away(&self) {
        self.wait_until("each session is put away", || {
            let files = fs::read_dir(format!("/proc/{}/fd", self.pid())).expect("its open files");
            let mut links = files.flatten().filter_map(|file| fs::read_link(file.path()).ok());
            !links.any(|link| link.to_string_lossy().contains("/turns/"))
        });
    }

    /// Whether it still runs.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Kills it as a power cut would, with SIGKILL.
    pub fn kill(mut self) {
        self.child.kill().expect("kill the daemon");
        self.child.wait().expect("the daemon is gone");
    }

    /// Asks it to stop, with SIGTERM, and says how it ended.
    pub fn stop(mut self) -> ExitStatus {
        let pid = self.child.id().to_string();
        Command::new("kill").args(["-TERM", &pid]).status().expect("run kill");
        let start = Instant::now();
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return status;
            }
            assert!(start.elapsed() < PATIENCE, "the daemon does not stop:\n{}", self.log());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Asserts that it is alive and answers a health check.
    pub fn assert_healthy(&mut self) {
        assert!(self.is_alive(), "the daemon has ended:\n{}", self.log());
        let mut peer = self.connect();
        peer.send("(:TYPE :HEALTH-CHECK)");
        let answer = peer.next();
        assert!(
            answer.get("TYPE").is_some_and(|kind| kind.is_kw("HEALTH-RESPONSE")),
            "{answer}"
        );
    }
}

impl Drop for Daemon<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("the daemon's log:\n{}", self.log());
        }
    }
}

/// Marks a file as private to its owner.
pub fn make_private(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("set a file's mode");
}
