//! What waits in a session for its turn when the daemon ends: nothing of it is done, and nothing of it is lost.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_tests::full::{bounded, fill, unbound};
use passepartout_tests::over::{DIALECTS, NEXT, OVER, assert_paired, home, said, wait_asked};
use passepartout_tests::paid::{home_with_session, joined, turns};
use passepartout_tests::server::{Deed, Server};
use passepartout_tests::{Daemon, Home, message, proposal};

const SAID: [&str; 3] = ["paint the fence", "mow the lawn", "water the roses"];

/// A daemon whose session works at the first of what was said, while the others wait, and nobody is attached.
fn busy<'a>(home: &'a Home, server: &Server) -> (Daemon<'a>, String) {
    let daemon = home.start();
    let mut peer = daemon.connect();
    peer.say(SAID[0]);
    wait_asked(&daemon, server, 1);
    drop(peer);
    let session = session_of(home);
    for text in &SAID[1..] {
        let timeout = ["--session", &session, "--timeout", "1"];
        let ran = home.run(&[&["send", text][..], &timeout].concat());
        assert!(ran.err.contains("you are told what came of it"), "{ran:?}");
    }
    (daemon, session)
}

/// The only session that is kept.
fn session_of(home: &Home) -> String {
    let mut turns = std::fs::read_dir(home.path().join("data/turns")).unwrap();
    let path = turns.next().unwrap().unwrap().path();
    path.file_stem().unwrap().to_str().unwrap().to_owned()
}

/// What whoever comes is told, at once.
fn heard(daemon: &Daemon<'_>) -> String {
    let heard = daemon.connect().admin("(:ACTION :UNHEARD)");
    assert_eq!(heard.at("count").and_then(|count| count.as_int()), Some(3), "{heard}");
    heard.to_string()
}

fn assert_told_once(heard: &str, text: &str, why: &str) {
    let told: Vec<&str> = heard.lines().filter(|line| line.contains(text)).collect();
    assert!(told.iter().all(|line| line.contains(why)), "{text} in {heard}");
    assert!(!told.is_empty(), "no {text} in {heard}");
}

#[test]
fn each_request_that_waited_when_the_daemon_was_killed_is_told_once_and_none_is_worked_at() {
    let server = Server::start(vec![Deed::Silence, said(DIALECTS[0], "I am well")]);
    let home = home(&server, DIALECTS[0], "");
    let (daemon, session) = busy(&home, &server);
    daemon.kill();
    let daemon = home.start();
    let heard = heard(&daemon);
    assert_told_once(
        &heard,
        SAID[0],
        "it ended without an answer, because the daemon was killed",
    );
    assert_told_once(&heard, SAID[1], "it was never begun, because the daemon was killed");
    assert_told_once(&heard, SAID[2], "it was never begun, because the daemon was killed");
    // Whoever starts it again is told nothing more, and no model has heard of any of it.
    daemon.wait_until("all of it is said to be over", || {
        turns(&home, &session).matches(OVER).count() == 3
    });
    assert!(!home.run(&["status"]).out.contains("unheard"));
    daemon.kill();
    let daemon = home.start();
    let mut peer = joined(&daemon, &session);
    peer.admin("(:ACTION :STATUS)");
    let status = home.run(&["status"]).out;
    assert!(!status.contains("unheard"), "{status}");
    assert_eq!(server.seen().len(), 1);
    assert_eq!(peer.ask(NEXT).reply(), "I am well");
    let body = server.body(1);
    assert_eq!(body.matches(OVER).count(), 3, "{body}");
    for text in SAID {
        assert_eq!(body.matches(text).count(), 1, "{body}");
    }
    assert_paired(&server);
}

#[test]
fn so_is_each_that_waited_when_the_daemon_was_told_to_stop_by_its_own_beginning() {
    let server = Server::start(vec![Deed::Silence, said(DIALECTS[0], "I am well")]);
    let home = home(&server, DIALECTS[0], "[loop]\nshutdown_seconds = 1\n");
    let (daemon, session) = busy(&home, &server);
    assert!(daemon.stop().success());
    let daemon = home.start();
    let heard = heard(&daemon);
    assert_told_once(&heard, SAID[0], "stopped with it before it had ended: paint");
    assert_told_once(&heard, SAID[1], "stopped with it before it had begun: mow");
    assert_told_once(&heard, SAID[2], "stopped with it before it had begun: water");
    assert_eq!(joined(&daemon, &session).ask(NEXT).reply(), "I am well");
    let body = server.body(1);
    assert!(SAID.iter().all(|text| body.matches(text).count() == 1), "{body}");
    assert_eq!(body.matches(OVER).count(), 3, "{body}");
    assert!(!turns(&home, &session).contains("never begun"));
}

#[test]
fn what_waited_and_had_its_turn_is_told_to_nobody_and_is_in_the_conversation_once() {
    let home = Home::new();
    let daemon = home.start_scripted(&[message("one"), message("two"), message("three")]);
    let mut peer = daemon.connect();
    let requests: Vec<String> = SAID.iter().map(|text| peer.say(text)).collect();
    for (request, reply) in requests.iter().zip(["one", "two", "three"]) {
        assert_eq!(peer.turn(request).reply(), reply);
    }
    let session = peer.session().to_owned();
    daemon.kill();
    let daemon = home.start_scripted(&[message("well")]);
    assert_eq!(joined(&daemon, &session).ask(NEXT).reply(), "well");
    assert!(!home.run(&["status"]).out.contains("unheard"));
    let prompt = home.prompts().pop().unwrap().to_string();
    assert!(SAID.iter().all(|text| prompt.matches(text).count() == 1), "{prompt}");
    assert!(!prompt.contains(OVER), "{prompt}");
}

#[test]
fn what_would_have_to_wait_and_can_t_be_kept_is_refused_at_once() {
    let (home, session) = home_with_session("settings.dispatcher.writes = \"pass\"\n");
    let provider = home.script(&[proposal("touch begun; sleep 600"), message("later")]);
    let daemon = home.start_command(&mut bounded(&home, &provider));
    let mut peer = joined(&daemon, &session);
    peer.say(SAID[0]);
    daemon.wait_until("it has begun", || home.workspace().join("begun").exists());
    fill(&daemon, &home, &session, 20);
    let turn = peer.ask(SAID[1]);
    assert_eq!(turn.outcome(), "REFUSED-MESSAGE", "{turn:?}");
    assert!(
        turn.errors().iter().any(|own| own.contains("was not taken")),
        "{turn:?}"
    );
    unbound(&daemon);
    let request = peer.say(SAID[2]);
    peer.say("/stop");
    let turn = peer.turn(&request);
    assert!(turn.replies().contains(&"later"), "{turn:?}");
    assert!(!turns(&home, &session).contains(SAID[1]));
}
