//! Requests that are over without an answer, over real HTTP: what the model hears of them with the next message, however they
//! ended and whether the daemon was started anew since.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_tests::over::{
    ASKED, DIALECTS, NEXT, OVER, ask_and_stop, assert_not_over, assert_over, assert_paired, eval, home, said,
    wait_asked,
};
use passepartout_tests::paid::joined;
use passepartout_tests::server::{Deed, Server, failure};
use passepartout_tests::{Daemon, Home, message, proposal};

#[test]
fn what_a_person_stopped_is_over_for_the_model_with_the_next_message_and_the_person_hears_nothing_of_it() {
    for dialect in DIALECTS {
        let server = Server::start(vec![Deed::Silence, said(dialect, "I am well"), said(dialect, "it is")]);
        let home = home(&server, dialect, "");
        let daemon = home.start();
        let mut peer = daemon.connect();
        ask_and_stop(&daemon, &server, &mut peer, ASKED);
        let turn = peer.ask(NEXT);
        assert_eq!(turn.reply(), "I am well");
        assert!(!format!("{turn:?}").contains(OVER), "{turn:#?}");
        assert_over(&server, ASKED, "the person stopped it", NEXT);
        // What was answered is not over in that way.
        assert_eq!(peer.ask("is the weather fine?").reply(), "it is");
        assert_over(&server, ASKED, "the person stopped it", NEXT);
    }
}

#[test]
fn so_is_what_was_refused_what_no_model_answered_and_what_failed() {
    let ruin = proposal("rm -rf /");
    for dialect in DIALECTS {
        for (deeds, outcome, why) in [
            (vec![said(dialect, &ruin); 3], "REFUSED", "was refused"),
            (vec![failure(401, "no")], "EXHAUSTED", "no model answered"),
        ] {
            let well = said(dialect, "I am well");
            let server = Server::start(deeds.into_iter().chain([well]).collect());
            let home = home(&server, dialect, "");
            let daemon = home.start();
            let mut peer = daemon.connect();
            let turn = peer.ask(ASKED);
            assert_eq!(turn.outcome(), outcome, "{turn:#?}");
            assert_eq!(peer.ask(NEXT).reply(), "I am well");
            assert_over(&server, ASKED, why, NEXT);
        }
    }
}

#[test]
fn so_is_what_was_stopped_after_its_first_step() {
    for dialect in DIALECTS {
        let server = Server::start(vec![
            said(dialect, &eval("(* 6 7)")),
            Deed::Silence,
            said(dialect, "I am well"),
        ]);
        let home = home(&server, dialect, "");
        let daemon = home.start();
        let mut peer = daemon.connect();
        let request = peer.say(ASKED);
        wait_asked(&daemon, &server, 2);
        peer.say("/stop");
        assert_eq!(peer.turn(&request).outcome(), "CANCELLED");
        assert_eq!(peer.ask(NEXT).reply(), "I am well");
        assert_over(&server, ASKED, "the person stopped it", NEXT);
        assert_over(&server, "42", "the person stopped it", NEXT);
    }
}

/// How a daemon ends.
type End = fn(Daemon<'_>);

const ENDS: [(End, &str); 2] = [
    (|daemon| daemon.kill(), "it was broken off"),
    (|daemon| assert!(daemon.stop().success()), "the daemon ended"),
];

#[test]
fn so_is_what_the_end_of_the_daemon_cut_off_once_it_is_started_again() {
    for dialect in DIALECTS {
        for (end, why) in ENDS {
            let server = Server::start(vec![Deed::Silence, said(dialect, "I am well")]);
            let home = home(&server, dialect, "");
            let daemon = home.start();
            let mut peer = daemon.connect();
            peer.say(ASKED);
            wait_asked(&daemon, &server, 1);
            end(daemon);
            let session = session_of(&home);
            for _ in 0..2 {
                let daemon = home.start();
                assert_eq!(joined(&daemon, &session).ask(NEXT).reply(), "I am well");
                assert_over(&server, ASKED, why, NEXT);
                end(daemon);
            }
        }
    }
}

/// The only session that is kept.
fn session_of(home: &Home) -> String {
    let mut turns = std::fs::read_dir(home.path().join("data/turns")).unwrap();
    let path = turns.next().unwrap().unwrap().path();
    path.file_stem().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn why_it_is_over_is_known_after_a_new_start_as_well() {
    for (end, _) in ENDS {
        let server = Server::start(vec![Deed::Silence, said("openai", "I am well")]);
        let home = home(&server, "openai", "");
        let daemon = home.start();
        let mut peer = daemon.connect();
        ask_and_stop(&daemon, &server, &mut peer, ASKED);
        end(daemon);
        let daemon = home.start();
        assert_eq!(joined(&daemon, &session_of(&home)).ask(NEXT).reply(), "I am well");
        assert_over(&server, ASKED, "the person stopped it", NEXT);
    }
}

#[test]
fn so_is_what_a_kill_cut_off_between_its_steps_or_after_what_was_approved() {
    for dialect in DIALECTS {
        for (step, approve) in [(eval("(* 6 7)"), false), (proposal("touch x; echo 42"), true)] {
            let server = Server::start(vec![said(dialect, &step), Deed::Silence, said(dialect, "I am well")]);
            let home = home(&server, dialect, "");
            let daemon = home.start();
            let mut peer = daemon.connect();
            if approve {
                let plan = peer.ask(ASKED).plan_id().to_owned();
                peer.say(&format!("/approve {plan}"));
            } else {
                peer.say(ASKED);
            }
            wait_asked(&daemon, &server, 2);
            daemon.kill();
            let daemon = home.start();
            assert_eq!(joined(&daemon, &session_of(&home)).ask(NEXT).reply(), "I am well");
            assert_over(&server, "42", "it was broken off", NEXT);
        }
    }
}

#[test]
fn whoever_comes_is_told_once_of_a_request_that_a_kill_left_without_an_answer() {
    let server = Server::start(vec![Deed::Silence]);
    let home = home(&server, DIALECTS[0], "");
    let daemon = home.start();
    let mut peer = daemon.connect();
    peer.say(ASKED);
    wait_asked(&daemon, &server, 1);
    drop(peer);
    daemon.kill();
    let daemon = home.start();
    let told = || home.run(&["status"]).out;
    daemon.wait_until("it is told", || told().contains("unheard    1 message"));
    let heard = format!("{:?}", daemon.connect().admin("(:ACTION :UNHEARD)"));
    assert!(
        heard.contains("because the daemon was killed or could not write") && heard.contains(ASKED),
        "{heard}"
    );
    daemon.kill();
    let daemon = home.start();
    // The session was read again by then.
    let mut peer = joined(&daemon, &session_of(&home));
    peer.admin("(:ACTION :STATUS)");
    assert!(!told().contains("unheard"), "{}", told());
}

#[test]
fn each_of_two_requests_that_end_alike_while_nobody_is_attached_is_told() {
    let server = Server::start(vec![Deed::Silence]);
    let home = home(&server, DIALECTS[0], "");
    home.file(
        "config/config.toml",
        format!(
            "[model]\ncascade = [\"local\"]\nfirst_byte_timeout_seconds = 1\nretry_pause_milliseconds = 1\n\
             [providers.local]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\n",
            server.port
        )
        .as_bytes(),
    );
    let daemon = home.start();
    let mut peer = daemon.connect();
    peer.say("one");
    peer.say("two");
    wait_asked(&daemon, &server, 1);
    drop(peer);
    let told = || home.run(&["status"]).out;
    daemon.wait_until("both are told", || told().contains("unheard    2 messages"));
}

#[test]
fn so_is_what_was_approved_and_cut_off_while_it_was_carried_out() {
    let server = Server::start(vec![
        said("openai", &proposal("touch begun; sleep 30")),
        said("openai", "I am well"),
    ]);
    let home = home(&server, "openai", "");
    let daemon = home.start();
    let mut peer = daemon.connect();
    let plan = peer.ask(ASKED).plan_id().to_owned();
    peer.say(&format!("/approve {plan}"));
    daemon.wait_until("it has begun", || home.workspace().join("begun").exists());
    daemon.kill();
    let daemon = home.start();
    assert_eq!(joined(&daemon, &session_of(&home)).ask(NEXT).reply(), "I am well");
    assert_over(&server, "nobody knows how far it came", "it was broken off", NEXT);
}

#[test]
fn what_was_answered_or_waits_for_a_person_is_not_over_whenever_the_daemon_ends() {
    let server = Server::start(vec![
        said("openai", "good day"),
        said("openai", &proposal("touch x")),
        said("openai", "it is there"),
    ]);
    let home = home(&server, "openai", "");
    let daemon = home.start();
    let mut peer = daemon.connect();
    assert_eq!(peer.ask("good day").reply(), "good day");
    daemon.kill();
    let session = session_of(&home);
    let daemon = home.start();
    let plan = joined(&daemon, &session).ask("make x").plan_id().to_owned();
    assert_not_over(&server);
    daemon.kill();
    let daemon = home.start();
    let turn = joined(&daemon, &session).ask(&format!("/approve {plan}"));
    assert_eq!(turn.reply(), "it is there", "{turn:#?}");
    assert_not_over(&server);
}

/// A home whose model goes on without end, until it answers with `last`, and how often it was asked by then.
fn endless(dialect: &str, last: &str) -> (Server, Home) {
    let step = said(dialect, &eval("(* 6 7)"));
    let server = Server::start(vec![step.clone(), step.clone(), step, said(dialect, last)]);
    let home = home(&server, dialect, "");
    (server, home)
}

#[test]
fn what_can_be_continued_is_not_over_even_where_the_daemon_was_killed_or_continuing_was_stopped() {
    for dialect in DIALECTS {
        for killed in [false, true] {
            let (server, home) = endless(dialect, "went on");
            let daemon = home.start();
            let mut peer = daemon.connect();
            let turn = peer.ask(ASKED);
            assert!(format!("{turn:?}").contains("/continue"), "{turn:#?}");
            let daemon = if killed {
                daemon.kill();
                home.start()
            } else {
                daemon
            };
            let mut peer = joined(&daemon, &session_of(&home));
            assert_eq!(peer.ask("/continue").reply(), "went on");
            assert_not_over(&server);
            assert_paired(&server);
        }
    }
    let step = said("openai", &eval("(* 6 7)"));
    let deeds = vec![
        step.clone(),
        step.clone(),
        step,
        Deed::Silence,
        said("openai", "went on"),
    ];
    let server = Server::start(deeds);
    let home = home(&server, "openai", "");
    let daemon = home.start();
    let mut peer = daemon.connect();
    assert_eq!(peer.ask(ASKED).outcome(), "FAILED");
    ask_and_stop(&daemon, &server, &mut peer, "/continue");
    assert_eq!(peer.ask("/continue").reply(), "went on");
    assert_not_over(&server);
}

#[test]
fn what_could_be_continued_is_over_once_something_else_is_said() {
    for dialect in DIALECTS {
        for killed in [false, true] {
            let (server, home) = endless(dialect, "I am well");
            let daemon = home.start();
            assert_eq!(daemon.connect().ask(ASKED).outcome(), "FAILED");
            let daemon = if killed {
                daemon.kill();
                home.start()
            } else {
                daemon
            };
            let mut peer = joined(&daemon, &session_of(&home));
            assert_eq!(peer.ask(NEXT).reply(), "I am well");
            assert_over(&server, ASKED, "the host stopped it", NEXT);
            assert_eq!(peer.ask("/continue").outcome(), "FAILED", "there is nothing left");
        }
    }
}

#[test]
fn the_smallest_window_has_room_for_it_beside_a_long_request_and_a_long_result() {
    let (long, dialect) = (format!("{ASKED} {}", "x".repeat(900)), "openai");
    let server = Server::start(vec![
        said(dialect, &proposal("touch made; cat long")),
        Deed::Silence,
        said(dialect, "so it is"),
    ]);
    let home = home(&server, dialect, "loop.history_bytes = 1000\n");
    home.file("workspace/long", "a line of text\n".repeat(1_000).as_bytes());
    let daemon = home.start();
    let mut peer = daemon.connect();
    let plan = peer.ask("make it").plan_id().to_owned();
    ask_and_stop(&daemon, &server, &mut peer, &long);
    // What is approved now belongs to the request before; the newest message of the person's is the one that was stopped.
    assert_eq!(peer.ask(&format!("/approve {plan}")).reply(), "so it is");
    assert_over(&server, ASKED, "the person stopped it", "a line of text");
}

#[test]
fn where_there_is_no_room_for_it_no_model_is_asked_about_anything_else() {
    use passepartout_tests::full::{bounded, fill, unbound};
    use passepartout_tests::paid::home_with_session;
    let (home, session) = home_with_session("loop.heartbeat_seconds = 3600\n");
    let provider = home.script(&[
        proposal("rm -rf /"),
        proposal("rm -rf /"),
        proposal("rm -rf /"),
        message("I am well"),
    ]);
    let daemon = home.start_command(&mut bounded(&home, &provider));
    let mut peer = joined(&daemon, &session);
    // Room for what is asked, and for nothing else.
    fill(&daemon, &home, &session, 180);
    assert_eq!(peer.ask(ASKED).outcome(), "REFUSED");
    let asked = home.prompts().len();
    assert_eq!(peer.ask("no").outcome(), "FAILED");
    assert_eq!(home.prompts().len(), asked, "a model was asked");
    unbound(&daemon);
    assert_eq!(peer.ask(NEXT).reply(), "I am well");
    let prompt = home.prompts().pop().unwrap().to_string();
    assert_eq!(prompt.matches(OVER).count(), 1, "{prompt}");
    assert!(
        prompt.find(OVER) < prompt.find(NEXT) && prompt.contains("was refused"),
        "{prompt}"
    );
}
