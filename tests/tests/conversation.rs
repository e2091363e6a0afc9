//! Sessions as conversations: who hears what, what is still known after a restart, and how one is stopped.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use passepartout_host::sexp::Form;
use passepartout_tests::daemon::PATIENCE;
use passepartout_tests::script::messages;
use passepartout_tests::{Home, Peer, message, proposal};

#[test]
fn every_connection_of_a_session_gets_the_same_frames_in_the_same_order() {
    let home = Home::new();
    let daemon = home.start_scripted(&[message("one"), message("two"), message("three")]);
    let mut first = daemon.connect();
    first.ask("1");
    let mut second = daemon.connect();
    second.join(first.session());
    second.ask("/plans");
    let mut stranger = daemon.connect();
    stranger.ask("/plans");

    let requests = [first.say("2"), first.say("3")];
    let own: Vec<Form> = requests.iter().flat_map(|request| first.turn(request).frames).collect();
    let others: Vec<Form> = requests
        .iter()
        .flat_map(|request| second.turn(request).frames)
        .collect();
    // The first connection has also heard the other's command.
    let own: Vec<&Form> = own
        .iter()
        .filter(|frame| {
            requests
                .iter()
                .any(|request| frame.text_at("meta.request-id") == Some(request))
        })
        .collect();
    assert_eq!(own, others.iter().collect::<Vec<_>>());
    let texts: Vec<&str> = others
        .iter()
        .filter_map(|frame| frame.text_at("payload.text"))
        .collect();
    assert_eq!(texts, ["two", "three"]);

    let heard = stranger.ask("/plans");
    assert_eq!(
        heard.replies(),
        ["Nothing waits for you in this session."],
        "a session hears another's replies"
    );
}

#[test]
fn each_session_has_a_conversation_of_its_own() {
    let home = Home::new();
    let daemon = home.start_scripted(&[message("noted"), message("and you are?")]);
    daemon.connect().ask("my name is Phileas");
    daemon.connect().ask("who am I?");
    let prompts = home.prompts();
    assert_eq!(messages(&prompts[1]), [("USER", "who am I?")]);
}

#[test]
fn a_session_that_is_joined_after_a_kill_has_its_conversation() {
    let home = Home::new();
    let daemon = home.start_scripted(&[
        message("good day, Phileas"),
        proposal("echo around the world | tee said"),
    ]);
    let mut peer = daemon.connect();
    peer.ask("my name is Phileas");
    let id = peer.ask("say it").plan_id().to_owned();
    let session = peer.session().to_owned();
    peer.ask(&format!("/deny {id} too far"));
    daemon.kill();

    let before = home.prompts().len();
    let daemon = home.start_scripted(&[message("you are Phileas")]);
    let mut peer = daemon.connect();
    peer.join(&session);
    assert_eq!(peer.ask("who am I?").reply(), "you are Phileas");
    let prompts = home.prompts();
    let said = messages(&prompts[before]);
    assert_eq!(said[0], ("USER", "my name is Phileas"));
    assert_eq!(said[1], ("ASSISTANT", "good day, Phileas"));
    assert_eq!(said[2], ("USER", "say it"));
    assert!(
        said.iter()
            .any(|(role, text)| *role == "TOOL" && text.contains("too far")),
        "{said:?}"
    );
    assert_eq!(said.last(), Some(&("USER", "who am I?")));
}

#[test]
fn a_session_that_does_not_exist_can_not_be_joined() {
    let home = Home::new();
    let mut daemon = home.start_scripted(&[message("hello")]);
    for id in ["00000000000000000000000000000000", "../../etc/passwd", "12", ""] {
        let mut peer = daemon.connect();
        peer.join(id);
        let turn = peer.ask("hi");
        if id.is_empty() {
            continue;
        }
        assert_eq!(turn.outcome(), "REFUSED-MESSAGE", "{id}");
        assert!(!turn.errors().is_empty(), "{id}: {turn:?}");
    }
    daemon.assert_healthy();
}

#[test]
fn an_interrupt_stops_the_command_of_its_own_session_and_no_other() {
    stops_one_session(|peer| peer.event("(:SENSOR :INTERRUPT)"));
}

#[test]
fn a_stop_in_the_chat_does_the_same() {
    stops_one_session(|peer| peer.say("/stop"));
}

#[test]
fn so_does_the_administrative_request() {
    stops_one_session(|peer| peer.request(":PAYLOAD (:ACTION :STOP)"));
}

/// Two sessions wait in a command each for a file; one is stopped, then the file comes.
fn stops_one_session(stop: impl Fn(&mut Peer) -> String) {
    let waits = |name: &str| {
        proposal(&format!(
            "touch {name}-begun; while [ ! -e go ]; do sleep 0.05; done; touch {name}-ended; echo {name} ended"
        ))
    };
    let home = Home::new();
    let mut daemon = home.start_scripted(&[waits("a"), waits("b"), message("b has ended"), message("still here")]);
    let (mut a, mut b) = (daemon.connect(), daemon.connect());
    let begin = |peer: &mut Peer, name: &str| {
        let id = peer.ask("wait").plan_id().to_owned();
        let request = peer.say(&format!("/approve {id}"));
        wait_for(&home.workspace().join(format!("{name}-begun")));
        (id, request)
    };
    let (plan, approved) = begin(&mut a, "a");
    let (_, other) = begin(&mut b, "b");

    stop(&mut a);
    assert_eq!(a.turn(&approved).outcome(), "CANCELLED");
    home.file("workspace/go", b"");
    let ended = b.turn(&other);
    assert_eq!((ended.reply(), ended.outcome()), ("b has ended", "ANSWERED"));
    assert!(home.workspace().join("b-ended").exists());
    assert!(
        !home.workspace().join("a-ended").exists(),
        "the stopped command went on"
    );

    assert_eq!(a.ask("are you there?").reply(), "still here");
    assert_eq!(
        a.ask(&format!("/approve {plan}")).outcome(),
        "REFUSED-MESSAGE",
        "a stopped plan can be approved again"
    );
    assert!(
        a.ask("/stop")
            .replies()
            .contains(&"Nothing is running in this session.")
    );
    daemon.assert_healthy();
}

#[test]
fn what_waits_behind_another_clients_turn_is_stopped_and_heard_by_itself() {
    let waits = "touch begun; while [ ! -e go ]; do sleep 0.05; done";
    let home = Home::new();
    let daemon = home.start_scripted(&[
        proposal(waits),
        message("the answer to it"),
        message("the answer to me"),
    ]);
    let mut peer = daemon.connect();
    // These clients count their requests, and no two may have the same name.
    (0..5).for_each(|_| drop(peer.ask("/plans")));
    let plan = peer.ask("wait").plan_id().to_owned();
    let running = peer.say(&format!("/approve {plan}"));
    wait_for(&home.workspace().join("begun"));
    let mut other = daemon.connect();
    other.join(peer.session());
    let mine = other.say("not to be done");
    other.event(&format!("(:SENSOR :INTERRUPT :REQUEST-IDS (\"{mine}\"))"));
    let heard = home.piped(&["send", "--session", peer.session(), "and mine?"]);
    // So that it waits as well; were it too short, less would be tested.
    sleep(Duration::from_millis(500));
    home.file("workspace/go", b"");
    let turn = peer.turn(&running);
    assert!(turn.replies().contains(&"the answer to it"), "{turn:#?}");
    assert_eq!(other.turn(&mine).outcome(), "CANCELLED");
    let heard = heard.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&heard.stdout), "the answer to me\n");
    let asked: Vec<String> = home.prompts().iter().map(Form::to_string).collect();
    assert!(!asked.concat().contains("not to be done"), "{asked:#?}");
}

#[test]
fn a_stop_that_comes_right_behind_an_approval_is_not_lost() {
    let home = Home::new();
    let commands: Vec<String> = (0..10).map(|_| proposal("touch begun; sleep 300")).collect();
    let mut daemon = home.start_scripted(&commands);
    let mut peer = daemon.connect();
    for _ in 0..10 {
        let id = peer.ask("wait").plan_id().to_owned();
        let approved = peer.say(&format!("/approve {id}"));
        let stopped = peer.say("/stop");
        // Whether or not it had begun by then.
        let turn = peer.turn(&approved);
        assert_eq!(turn.outcome(), "CANCELLED", "{turn:?}");
        let told = turn.replies();
        let told = if told.is_empty() {
            peer.turn(&stopped).reply().to_owned()
        } else {
            told[0].to_owned()
        };
        assert_eq!(told, format!("Stopped: plan {id}"));
    }
    daemon.assert_healthy();
}

#[test]
fn a_computation_without_end_can_be_stopped() {
    let home = Home::new();
    let mut daemon = home.start();
    let mut peer = daemon.connect();
    let request = peer.event("(:SENSOR :REPL-EVAL :CODE \"(loop)\")");
    peer.event("(:SENSOR :INTERRUPT)");
    assert_eq!(peer.turn(&request).outcome(), "CANCELLED");
    let request = peer.event("(:SENSOR :REPL-EVAL :CODE \"(+ 1 2)\")");
    let turn = peer.turn(&request);
    assert_eq!(turn.replies().last().map(|text| text.trim_end()), Some("3"), "{turn:?}");
    daemon.assert_healthy();
}

#[test]
fn messages_that_come_faster_than_answers_are_answered_in_order() {
    let home = Home::new();
    let answers: Vec<String> = (0..20).map(|number| message(&format!("answer {number}"))).collect();
    let daemon = home.start_scripted(&answers);
    let mut peer = daemon.connect();
    let requests: Vec<String> = (0..20).map(|number| peer.say(&format!("question {number}"))).collect();
    for (number, request) in requests.iter().enumerate() {
        let turn = peer.turn(request);
        assert_eq!(turn.reply(), format!("answer {number}"));
    }
    for (number, prompt) in home.prompts().iter().enumerate() {
        let said = messages(prompt);
        assert_eq!(said.len(), 2 * number + 1);
        assert_eq!(said.last(), Some(&("USER", &*format!("question {number}"))));
    }
}

/// Waits until `path` is there, but not for ever.
fn wait_for(path: &Path) {
    let start = Instant::now();
    while !path.exists() {
        assert!(start.elapsed() < PATIENCE, "{} never came", path.display());
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_chat_through_a_pipe_prints_the_answer_to_its_last_line_before_it_ends() {
    let home = Home::new();
    let answers: Vec<String> = (0..20).map(|number| message(&format!("answer {number}"))).collect();
    let _daemon = home.start_scripted(&answers);
    // Which thread is quicker differs from one run to the next.
    for run in 0..10 {
        let mut child = home
            .command()
            .arg("chat")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"one\ntwo\n").unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let wanted = [2 * run, 2 * run + 1].map(|number| format!("answer {number}"));
        assert_eq!(said.lines().collect::<Vec<_>>(), wanted, "run {run}");
    }
}

#[test]
fn a_line_of_a_pipe_that_can_t_be_said_is_an_error_and_nothing_is_passed_over_in_silence() {
    let long = ["one\n", &"\"".repeat(2_200_000), "\nthree\n"].concat();
    for (lines, why) in [
        (&b"one\ntwo \xff bad\nthree\n"[..], "not UTF-8 from its byte 5 on"),
        (long.as_bytes(), "takes 4400002 bytes to say and"),
    ] {
        let home = Home::new();
        let _daemon = home.start_scripted(&[message("the first"), message("unused")]);
        let mut command = home.command();
        command.arg("chat").stdin(Stdio::piped());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), lines).unwrap();
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "the first\n",
            "what came before is answered"
        );
        assert!(err.contains("line 2") && err.contains(why), "{err}");
        assert_eq!(home.prompts().len(), 1);
    }
}
