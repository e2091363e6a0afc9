//! `chat` on a terminal: what a model wrote acts on nothing there, and Ctrl-C stops what is running.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use passepartout_tests::daemon::PATIENCE;
use passepartout_tests::server::{Deed, Server, answer};
use passepartout_tests::{Home, host_binary, message, proposal};

/// A chat whose terminal is the test.
struct Terminal {
    child: Child,
    keys: ChildStdin,
    screen: ChildStdout,
    shown: Vec<u8>,
}

impl Terminal {
    fn open(home: &Home) -> Terminal {
        Terminal::of(home, "chat")
    }

    /// What the subcommand `command` shows.
    fn of(home: &Home, command: &str) -> Terminal {
        let mut terminal = Terminal::asking(home, command);
        terminal.until("you> ");
        terminal
    }

    /// The same of one that is no chat.
    fn asking(home: &Home, command: &str) -> Terminal {
        let command = format!("exec {} {command}", host_binary().display());
        let mut child = Command::new("script")
            .args(["-qec", &command, "/dev/null"])
            .env_clear()
            .env("PASSEPARTOUT_HOME", home.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("TERM", "xterm")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("run `script`, which gives a terminal");
        let (keys, screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Terminal {
            child,
            keys,
            screen,
            shown: Vec::new(),
        }
    }

    fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Reads what is shown until `words` are there, and gives all of it.
    fn until(&mut self, words: &str) -> String {
        let mut chunk = [0; 4096];
        loop {
            let shown = String::from_utf8_lossy(&self.shown).into_owned();
            if shown.contains(words) {
                return shown;
            }
            let count = self.screen.read(&mut chunk).unwrap();
            assert!(count > 0, "it ended without showing `{words}`: {shown}");
            self.shown.extend_from_slice(&chunk[..count]);
        }
    }

    /// Types Ctrl-D, and gives all that was shown.
    fn close(mut self) -> String {
        self.types("\u{4}");
        self.screen.read_to_end(&mut self.shown).unwrap();
        assert!(self.child.wait().unwrap().success());
        String::from_utf8_lossy(&self.shown).into_owned()
    }
}

fn home(port: u16) -> Home {
    Home::new().config(&format!(
        "[model]\ncascade = [\"only\"]\n[providers.only]\nbase_url = \"http://127.0.0.1:{port}/v1\"\nmodel = \"tiny\"\n"
    ))
}

#[test]
fn what_a_model_wrote_acts_on_nothing() {
    // Colours, the title, the clipboard, another direction, the C1 introducer, a carriage return over the line before.
    let hidden = [
        "\u{1b}[31m",
        "\u{1b}]0;owned\u{7}",
        "\u{1b}]52;c;AAAA\u{7}",
        "\u{202e}",
        "\u{9b}2J",
        "\rapproved",
    ];
    let server = Server::start(vec![answer(&format!("before {} behind", hidden.concat()))]);
    let home = home(server.port);
    let _daemon = home.start();
    let mut terminal = Terminal::open(&home);
    terminal.types("go\r");
    let shown = terminal.until(" behind");
    assert!(shown.contains("before <U+001B>[31m"), "{shown:?}");
    let all = terminal.close();
    for raw in hidden {
        assert!(!all.contains(raw), "{raw:?} is in {all:?}");
    }
    // And the way back is told.
    let session = all
        .split("passepartout-host chat --session ")
        .nth(1)
        .expect("how to go on");
    let session = &session[..32];
    let again = Terminal::of(&home, &format!("chat --session {session}"));
    assert!(again.close().contains(session));
}

#[test]
fn whoever_goes_on_with_a_session_is_told_that_a_plan_waits_in_it() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("echo a > a.txt")]);
    let mut peer = daemon.connect();
    let id = peer.ask("write a").plan_id().to_owned();
    let session = peer.session().to_owned();
    let mut own = Terminal::of(&home, &format!("chat --session {session}"));
    own.until("A plan waits for you in this session: /plans shows it.");
    own.types("/plans\r");
    own.until(&format!("/approve {id}"));
    own.close();
    let mut other = Terminal::open(&home);
    other.types("/plans\r");
    other.until("1 waits in another session: `passepartout-host status`");
    let other = other.close();
    assert!(!other.contains("waits for you in this session:"), "{other:?}");
}

#[test]
fn control_c_at_the_question_says_that_the_plan_still_waits() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("echo a > a.txt"), message("written")]);
    let id = daemon.connect().ask("write a").plan_id().to_owned();
    for (keys, code) in [("\u{3}", 4), ("no\r", 4), ("yes\r", 0)] {
        let mut own = Terminal::asking(&home, &format!("approve {id}"));
        own.until("Type yes: ");
        own.types(keys);
        own.screen.read_to_end(&mut own.shown).unwrap();
        let shown = String::from_utf8_lossy(&own.shown).into_owned();
        assert_eq!(own.child.wait().unwrap().code(), Some(code), "{keys:?}: {shown}");
        assert_eq!(shown.contains("not approved, and it still waits"), code == 4, "{shown}");
    }
}

#[test]
fn the_daemon_that_starts_says_how_many_plans_wait() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("echo a > a.txt")]);
    daemon.connect().ask("write a").plan_id();
    daemon.kill();
    let all = Terminal::of(&home, "run").close();
    assert!(
        all.contains("plans: 1 waits for you; `passepartout-host status` shows it"),
        "{all}"
    );
}

#[test]
fn a_chat_says_what_control_d_ends_and_it_does() {
    let home = Home::new();
    let with_daemon = "Ctrl-D ends the chat and the daemon with it.";
    let mut own = Terminal::of(&home, "run");
    own.until(with_daemon);
    let mut other = Terminal::open(&home);
    other.until("Ctrl-D ends the chat.");
    other.close();
    assert_eq!(home.run(&["status"]).code, 0, "the daemon goes on");
    own.close();
    assert_eq!(home.run(&["status"]).code, 5);
}

#[test]
fn control_c_stops_the_question_and_the_chat_goes_on() {
    let server = Server::start(vec![Deed::Silence, answer(&message("still here"))]);
    let home = home(server.port);
    let daemon = home.start();
    let mut terminal = Terminal::open(&home);
    terminal.types("hello\r");
    let start = Instant::now();
    while server.seen().is_empty() {
        assert!(start.elapsed() < PATIENCE, "the model is not asked:\n{}", daemon.log());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    terminal.types("\u{3}");
    terminal.until("Stopping what is running.");
    terminal.until("Stopped.");
    terminal.types("are you there?\r");
    terminal.until("still here");
    assert_eq!(server.seen().len(), 2);
    terminal.close();
}
