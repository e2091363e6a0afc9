//! What is cut off in the middle: by a kill, of what a person typed themselves, and by Ctrl-C, of what `send` asked for.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::process::{Command, Stdio};

use passepartout_tests::daemon::proposal;
use passepartout_tests::{Home, message};

const TYPED: &str =
    ":TARGET :SHELL :PAYLOAD (:CMD \"echo paid >> ledger; touch begun; sleep 30\" :EXPLANATION \"typed by me\")";

fn home() -> Home {
    Home::new().config("settings.dispatcher.writes = \"pass\"\n")
}

#[test]
fn what_a_person_typed_and_a_kill_cut_off_is_told_once_and_has_an_outcome_in_the_record() {
    let home = home();
    let daemon = home.start_scripted(&[message("hello"), message("I see")]);
    let mut peer = daemon.connect();
    peer.ask("hello");
    let session = peer.session().to_owned();
    peer.request(TYPED);
    let begun = home.workspace().join("begun");
    daemon.wait_until("it has begun", || begun.exists());
    assert!(home.run(&["explain", "last"]).out.contains("no outcome is known"));
    daemon.kill();
    for start in 0..2 {
        let daemon = home.start_scripted(&[message("I see")]);
        let explained = home.run(&["explain", "last"]).out;
        assert!(
            explained.contains("unknown") && explained.contains("not tried again"),
            "{explained}"
        );
        let told = daemon.connect().admin("(:ACTION :UNHEARD)").to_string();
        assert_eq!(
            told.matches("nobody knows how far it came").count() > 0,
            start == 0,
            "{told}"
        );
        let turns = std::fs::read_to_string(home.path().join(format!("data/turns/{session}.turns"))).unwrap();
        assert_eq!(turns.matches("nobody knows how far it came").count(), 1, "{turns}");
        daemon.stop();
    }
    let ledger = std::fs::read_to_string(home.workspace().join("ledger")).unwrap();
    assert_eq!(ledger, "paid\n");
}

#[test]
fn ctrl_c_stops_what_send_asked_for_and_says_so() {
    let home = home();
    let daemon = home.start_scripted(&[proposal("touch begun; sleep 30; touch late")]);
    let mut command = home.command();
    command
        .args(["send", "do it"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let begun = home.workspace().join("begun");
    daemon.wait_until("it has begun", || begun.exists());
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(
        said.contains("stopping what is running") && said.contains("Stopped."),
        "{said}"
    );
    let record = std::fs::read_to_string(home.path().join("data/record.log")).unwrap();
    assert!(record.contains(":STOPPED T"), "{record}");
    assert!(home.run(&["send", "--help"]).out.contains("Ctrl-C"));
}
