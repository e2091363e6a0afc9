//! What is cut off in the middle: by a kill, whoever wanted it, and by Ctrl-C, of what `send` asked for.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::process::{Command, Stdio};

use passepartout_tests::daemon::proposal;
use passepartout_tests::full::{bounded, fill, kept};
use passepartout_tests::guest::{Guest, PROPOSE_ASK};
use passepartout_tests::paid::{PAY, home_with_session, joined, payments, turns};
use passepartout_tests::script::call;
use passepartout_tests::server::{Deed, home_with_server};
use passepartout_tests::{Home, message};

const UNKNOWN: &str = "nobody knows how far it came";

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

/// What an operator who comes is told of, and nobody after that.
fn unheard(home: &Home) -> String {
    let daemon_told = home.run(&["status"]).out;
    let lines = daemon_told.lines().filter(|line| line.starts_with("unheard"));
    lines.collect()
}

#[test]
fn what_a_model_did_unasked_and_a_kill_cut_off_is_told_to_whoever_comes_once_and_to_the_model_once() {
    let command = "echo paid >> ledger; touch begun; sleep 30";
    for step in [proposal(command), call("shell", &format!(":CMD \"{command}\""))] {
        let home = home();
        let daemon = home.start_scripted(&[message("hello"), step]);
        let mut peer = daemon.connect();
        peer.ask("hello");
        let session = peer.session().to_owned();
        peer.say("pay once");
        let begun = home.workspace().join("begun");
        daemon.wait_until("it has begun", || begun.exists());
        daemon.kill();
        for start in 0..2 {
            let logged = std::fs::metadata(home.path().join("stderr.log")).unwrap().len();
            let daemon = home.start_scripted(&[message("nobody knows"), message("nobody knows")]);
            let log = daemon.log()[usize::try_from(logged).unwrap()..].to_owned();
            let warned = log
                .lines()
                .filter(|line| line.contains("WARN") && line.contains(UNKNOWN));
            assert_eq!(warned.count(), usize::from(start == 0), "{log}");
            assert_eq!(
                unheard(&home).contains("1 message arrived"),
                start == 0,
                "{}",
                unheard(&home)
            );
            let mut peer = joined(&daemon, &session);
            let turn = peer.ask("is it paid?");
            let frames = turn.all("UNHEARD");
            assert_eq!(frames.len(), usize::from(start == 0), "{turn:#?}");
            if let [told] = frames[..] {
                let told = told.to_string();
                assert!(
                    told.contains(UNKNOWN) && told.contains("echo paid") && told.contains(&session),
                    "{told}"
                );
            }
            assert_eq!(turn.reply(), "nobody knows");
            let prompt = home.prompts().pop().unwrap().to_string();
            assert_eq!(prompt.matches(UNKNOWN).count(), 1, "{prompt}");
            assert!(
                prompt.contains("shell: the daemon ended while it was carried out"),
                "{prompt}"
            );
            let explained = home.run(&["explain", "last"]).out;
            assert!(!explained.contains("no outcome is known"), "{explained}");
            daemon.stop();
        }
        let record = std::fs::read_to_string(kept(&home, &session, "record.log")).unwrap();
        assert_eq!(record.matches(":RESULT :UNKNOWN").count(), 1, "{record}");
        let ledger = std::fs::read_to_string(home.workspace().join("ledger")).unwrap();
        assert_eq!(ledger, "paid\n");
    }
}

#[test]
fn so_is_what_a_skill_was_doing_of_its_own_accord() {
    let (server, home) = home_with_server(vec![Deed::Silence]);
    let config = home.path().join("config/config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("loop.heartbeat_seconds = 1\n{text}")).unwrap();
    let mut guest = Guest::new(
        "(:NAME \"ticker\" :VERSION \"1\" :FUNCTIONS (:ACT) :TARGETS (:TICK) :PRIORITY 9 \
         :TRIGGERS ((:SENSOR :HEARTBEAT)))",
    )
    .import(&PROPOSE_ASK);
    let (prompt, why) = (
        guest.text("how are the plants"),
        guest.text("the skill looks after the plants"),
    );
    guest.act = format!("(call $propose-ask {prompt} {why} (i32.const 128)) (call $say (i32.const 0) {why})");
    home.file("skills/ticker.wasm", &guest.build());
    for right in ["heartbeat", "model"] {
        assert_eq!(home.run(&["skill", "grant", "ticker", right]).code, 0);
    }
    let daemon = home.start();
    daemon.wait_until("the skill asks", || !server.seen().is_empty());
    daemon.kill();
    std::fs::remove_file(home.path().join("skills/ticker.wasm")).unwrap();
    for start in 0..2 {
        let daemon = home.start();
        let told = unheard(&home);
        assert_eq!(told.contains("1 message arrived"), start == 0, "{told}");
        let told = daemon.connect().admin("(:ACTION :UNHEARD)").to_string();
        assert_eq!(told.contains(UNKNOWN) && told.contains("ticker"), start == 0, "{told}");
        daemon.stop();
    }
}

#[test]
fn what_had_ended_or_waits_or_says_something_is_not_told_of_after_a_kill() {
    let home = home();
    let steps = [
        call("list-directory", ""),
        call("shell", ":CMD \"touch x\""),
        call("shell", ":CMD \"false\""),
        message("all is done"),
        "(:TYPE :REQUEST :TARGET :NOWHERE :PAYLOAD (:ACTION :GO :EXPLANATION \"to see whether it is there\"))"
            .to_owned(),
        message("it is not there"),
        proposal("rm -r x"),
    ];
    let daemon = home.start_scripted(&steps);
    let mut peer = daemon.connect();
    assert_eq!(peer.ask("do it").reply(), "all is done");
    let session = peer.session().to_owned();
    peer.ask("go there");
    peer.ask("remove it").plan_id();
    let turn =
        peer.request(":TARGET :SYSTEM :PAYLOAD (:ACTION :MESSAGE :TEXT \"mine\" :EXPLANATION \"typed by me\")");
    peer.turn(&turn);
    daemon.kill();
    let daemon = home.start_scripted(&[message("well")]);
    assert_eq!(unheard(&home), "");
    assert_eq!(joined(&daemon, &session).ask("how are you?").reply(), "well");
    assert!(!turns(&home, &session).contains(UNKNOWN));
}

#[test]
fn nor_is_what_could_not_be_kept_and_was_not_begun() {
    let (home, session) = home_with_session("loop.heartbeat_seconds = 3600\nsettings.dispatcher.writes = \"pass\"\n");
    let provider = home.script(&[proposal(PAY), message("well")]);
    let daemon = home.start_command(&mut bounded(&home, &provider));
    let mut peer = joined(&daemon, &session);
    // Room for what is asked, and for no proposal.
    fill(&daemon, &home, &session, 120);
    assert_eq!(peer.ask("pay once").outcome(), "FAILED");
    assert_eq!(payments(&home), 0);
    daemon.kill();
    let daemon = home.start_scripted(&[message("well")]);
    // No more is known than that it has no end.
    daemon.wait_until("it is told", || unheard(&home).contains("1 message arrived"));
    let told = daemon.connect().admin("(:ACTION :UNHEARD)").to_string();
    assert!(
        told.contains("could not write: pay once") && !told.contains(UNKNOWN),
        "{told}"
    );
    assert_eq!(joined(&daemon, &session).ask("is it paid?").reply(), "well");
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
