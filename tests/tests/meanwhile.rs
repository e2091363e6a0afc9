//! What a person sees while something runs: what that is, what waits behind it, and what was stopped.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_host::sexp::Form;
use passepartout_tests::{Daemon, Home, Peer, message, proposal};

/// A command that a person approved and that runs until it is stopped, and the plan's id.
fn begin(home: &Home, daemon: &Daemon<'_>, peer: &mut Peer) -> String {
    let id = peer.ask("wait").plan_id().to_owned();
    peer.say(&format!("/approve {id}"));
    daemon.wait_until("the command runs", || home.workspace().join("begun").exists());
    id
}

#[test]
fn status_names_what_runs_and_whoever_says_something_meanwhile_hears_that_it_waits() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("touch begun; sleep 300"), message("hello yourself")]);
    let idle = home.run(&["status"]).out;
    assert!(!idle.contains("running "), "{idle}");
    let mut peer = daemon.connect();
    let id = begin(&home, &daemon, &mut peer);
    let status = home.run(&["status"]).out;
    let line = status.lines().find(|line| line.starts_with("running ")).unwrap();
    assert!(
        line.contains(&format!("plan {id}")) && line.contains(peer.session()),
        "{line}"
    );

    let request = peer.say("hello");
    let told = loop {
        let frame = peer.next();
        if frame.text_at("meta.request-id") == Some(&request) {
            break frame;
        }
    };
    assert!(
        told.at("payload.stage").is_some_and(|stage| stage.is_kw("QUEUED")),
        "{told}"
    );
    assert!(told.text_at("payload.detail").unwrap().contains("/stop"), "{told}");
    let stop = peer.say("/stop");
    assert_eq!(peer.turn(&stop).reply(), format!("Stopped: plan {id}"));
    assert_eq!(peer.turn(&request).reply(), "hello yourself");
}

#[test]
fn plans_are_listed_in_the_order_in_which_they_were_made_each_with_its_session() {
    let home = Home::new();
    let commands: Vec<String> = (0..4).map(|at| proposal(&format!("touch made{at}"))).collect();
    let daemon = home.start_scripted(&commands);
    let made: Vec<(String, String)> = (0..4)
        .map(|_| {
            let mut peer = daemon.connect();
            let id = peer.ask("make it").plan_id().to_owned();
            // Plans that are made in one second are as old as each other.
            std::thread::sleep(std::time::Duration::from_millis(1_050));
            (id, peer.session().to_owned())
        })
        .collect();
    let status = home.run(&["status"]).out;
    let at = |text: &str| status.find(text).unwrap_or_else(|| panic!("no {text} in {status}"));
    for (one, next) in made.iter().zip(&made[1..]) {
        assert!(at(&one.0) < at(&one.1) && at(&one.1) < at(&next.0), "{status}");
    }
    let mut peer = daemon.connect();
    peer.join(&made[3].1);
    let answer: Form = peer.ask("yes").frames.into_iter().next().unwrap();
    assert!(
        answer.text_at("payload.detail").unwrap().contains(&made[3].0),
        "{answer}"
    );
}

#[test]
fn what_runs_long_is_said_to_run_still() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("touch begun; sleep 300")]);
    let mut peer = daemon.connect();
    begin(&home, &daemon, &mut peer);
    let told = loop {
        let frame = peer.next();
        let detail = frame.text_at("payload.detail").unwrap_or_default().to_owned();
        if detail.contains("still runs") {
            break detail;
        }
    };
    assert!(told.contains("shell") && told.contains("/stop"), "{told}");
    let stop = peer.say("/stop");
    peer.turn(&stop);
    daemon.stop();
}
