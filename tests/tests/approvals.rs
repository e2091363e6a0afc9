//! Approvals: who can give them, for what, and how often.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_host::sexp::Form;
use passepartout_tests::script::{last_message, turn_behind, waiting};
use passepartout_tests::{Home, Peer, message, proposal};

fn ids(plans: &[Form]) -> Vec<&str> {
    plans.iter().filter_map(|plan| plan.text_at("plan")).collect()
}

#[test]
fn the_command_line_shows_a_plan_carries_it_out_and_prints_what_came_of_it() {
    let home = Home::new();
    let daemon = home.start_scripted(&[
        proposal("echo $((6*7)) > made.txt; cat made.txt"),
        message("it says 42"),
    ]);
    let asked = daemon.connect().ask("compute");
    let id = asked.plan_id();

    let unsure = home.run(&["approve", id]);
    assert_eq!(unsure.code, 4, "without a terminal somebody must say --yes: {unsure:?}");
    assert!(!home.workspace().join("made.txt").exists(), "it ran without a yes");

    let ran = home.run(&["approve", id, "--yes"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.out, "it says 42\n", "{ran:?}");
    assert!(
        ran.err.contains("echo $((6*7)) > made.txt; cat made.txt"),
        "what it approves is shown: {ran:?}"
    );
    assert!(ran.err.contains("shell-command"), "and what is asked: {ran:?}");
    for command in [format!("approve {id}"), format!("deny {id}")] {
        assert!(!ran.err.contains(&command), "it is answered already: {ran:?}");
    }
    assert!(home.workspace().join("made.txt").exists());

    let again = home.run(&["approve", id, "--yes"]);
    assert_eq!(again.code, 1, "{again:?}");
    assert!(
        again.err.contains(id) && again.err.contains("which counts for one time"),
        "{again:?}"
    );
}

#[test]
fn the_command_line_denies_with_a_reason_and_nothing_runs() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("touch made.txt"), message("I will use the other one")]);
    let asked = daemon.connect().ask("make a file");
    let denied = home.run(&["deny", asked.plan_id(), "--reason", "use the other folder"]);
    assert_eq!(denied.code, 0, "{denied:?}");
    assert_eq!(denied.out, "I will use the other one\n");
    let prompts = home.prompts();
    let (role, text) = last_message(&prompts[1]);
    assert!(
        role == "TOOL" && text.contains("REJECTED") && text.contains("use the other folder"),
        "{text}"
    );
    assert!(!home.workspace().join("made.txt").exists());
    assert!(home.run(&["status"]).code == 0);
    assert_eq!(home.run(&["deny", asked.plan_id()]).code, 1, "a plan is answered once");
}

#[test]
fn a_plan_that_waits_ends_a_command_with_its_own_exit_code() {
    let home = Home::new();
    let _daemon = home.start_scripted(&[proposal("ls | tee listing")]);
    let ran = home.run(&["send", "look"]);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(
        ran.err.contains("passepartout-host approve "),
        "a shell is shown a shell's command: {ran:?}"
    );
}

#[test]
fn a_plan_is_carried_out_once_however_often_it_is_approved() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("echo once >> count.txt"), message("done")]);
    let mut peer = daemon.connect();
    let id = peer.ask("count").plan_id().to_owned();
    // All at once, from the chat and from beside it.
    let digest = waiting(&mut peer)[0].text_at("digest").unwrap().to_owned();
    let requests: Vec<String> = (0..4)
        .flat_map(|_| {
            let chat = peer.say(&format!("/approve {id}"));
            let admin = peer.request(&format!(
                ":PAYLOAD (:ACTION :APPROVE :PLAN \"{id}\" :DIGEST \"{digest}\")"
            ));
            [chat, admin]
        })
        .collect();
    let turns: Vec<_> = requests.iter().take(1).map(|request| peer.turn(request)).collect();
    assert_eq!(turns[0].outcome(), "ANSWERED");
    let refused = peer.ask(&format!("/approve {id}"));
    assert_eq!(refused.outcome(), "REFUSED-MESSAGE");
    assert!(
        refused.errors().iter().any(|text| text.contains("no longer waiting")),
        "{refused:?}"
    );
    let text = std::fs::read_to_string(home.workspace().join("count.txt")).unwrap();
    assert_eq!(text, "once\n");
    assert_eq!(home.prompts().len(), 2, "the result was reasoned over once");
}

#[test]
fn a_plan_that_does_not_exist_is_an_error_that_says_where_to_look() {
    let home = Home::new();
    let daemon = home.start();
    let mut peer = daemon.connect();
    for (command, why) in [
        ("/approve 00000000", "there is no plan"),
        ("/deny 00000000", "there is no plan"),
        ("/approve ../plans", "eight hexadecimal digits"),
    ] {
        let turn = peer.ask(command);
        assert_eq!(turn.outcome(), "REFUSED-MESSAGE", "{command}");
        let said = &turn.errors()[0];
        assert!(
            said.contains(why) && said.contains("`/plans` in a chat") && said.contains("`passepartout-host status`"),
            "{turn:?}"
        );
    }
    for args in [["approve", "00000000", "--yes"], ["deny", "00000000", "--reason=no"]] {
        let ran = home.run(&args);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains("passepartout-host status"), "{ran:?}");
    }
    let digits = "at least 4 of its eight digits";
    let hexadecimal = "eight hexadecimal digits";
    for (command, digits) in [
        ("/approve 1", digits),
        ("/deny abc", digits),
        ("/approve \u{202e}", hexadecimal),
        ("/deny zzzz", hexadecimal),
    ] {
        let turn = peer.ask(command);
        let said = &turn.errors()[0];
        assert!(said.contains(digits) && !said.contains("explain"), "{turn:?}");
    }
    peer.ask("hello");
    for args in [
        &["approve", "1", "--yes"][..],
        &["deny", "abc"],
        &["approvals", "revoke", "abc"],
        &["explain", "abc"],
    ] {
        let ran = home.run(args);
        assert!(ran.code == 1 && ran.err.contains(digits), "{args:?}: {ran:?}");
    }
}

#[test]
fn an_id_may_be_typed_in_capitals() {
    let home = Home::new();
    let daemon = home.start_scripted(&[
        proposal("touch one"),
        message("made"),
        proposal("touch two"),
        message("not made"),
        proposal("touch three"),
        message("made too"),
    ]);
    let mut peer = daemon.connect();
    let mut capitals = |text: &str| peer.ask(text).plan_id().to_uppercase();
    let ran = home.run(&["approve", &capitals("one"), "--yes"]);
    assert_eq!((ran.code, &*ran.out), (0, "made\n"), "{ran:?}");
    let denied = capitals("two");
    let ran = home.run(&["deny", &denied[..4]]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = home.run(&["explain", &denied]);
    assert!(ran.code == 0 && ran.out.contains("touch two"), "{ran:?}");
    let in_chat = capitals("three");
    assert_eq!(peer.ask(&format!("/approve {in_chat}")).reply(), "made too");
    drop(peer);
    drop(daemon);
    let ran = home.run(&["explain", &denied[..4]]);
    assert!(ran.code == 0 && ran.out.contains("touch two"), "{ran:?}");
}

#[test]
fn who_denies_in_another_chat_is_told_how_to_deny() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("touch one")]);
    let id = daemon.connect().ask("one").plan_id().to_owned();
    let mut other = daemon.connect();
    for word in ["deny", "approve"] {
        let turn = other.ask(&format!("/{word} {id}"));
        let said = format!("{word} it there, or with `passepartout-host {word} {id}`");
        assert!(turn.errors()[0].contains(&said), "{turn:?}");
    }
}

#[test]
fn a_chat_can_answer_the_plans_of_its_own_session_only() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("touch made.txt"), message("hello")]);
    let mut first = daemon.connect();
    let id = first.ask("make a file").plan_id().to_owned();
    let mut second = daemon.connect();
    second.ask("hi");
    for command in [format!("/approve {id}"), format!("/deny {id} no")] {
        let turn = second.ask(&command);
        assert_eq!(turn.outcome(), "REFUSED-MESSAGE", "{command}");
        assert!(turn.errors()[0].contains("another session"), "{turn:?}");
    }
    assert_eq!(ids(&waiting(&mut first)), [&*id], "it waits as before");
    assert!(!home.workspace().join("made.txt").exists());
}

#[test]
fn saying_yes_is_no_approval() {
    let home = Home::new();
    let daemon = home.start_scripted(&[
        proposal("touch made.txt"),
        message("I need you to type the command"),
        message("really"),
        message("as I said"),
    ]);
    let mut peer = daemon.connect();
    let id = peer.ask("make a file").plan_id().to_owned();
    let hint = format!("`/approve {id}` carries it out");
    for (text, is_hinted) in [
        ("yes", true),
        ("approve", true),
        (&*format!("please /approve {id}\nthanks"), false),
    ] {
        let turn = peer.ask(text);
        assert_eq!(turn.outcome(), "ANSWERED", "{text} went to the model");
        // The person is told what to type instead, and no model is.
        assert_eq!(format!("{turn:?}").contains(&hint), is_hinted, "{text}: {turn:?}");
    }
    assert!(home.prompts().iter().all(|prompt| !prompt.to_string().contains(&hint)));
    assert_eq!(home.prompts().len(), 4);
    assert_eq!(ids(&waiting(&mut peer)), [&*id]);
    assert!(!home.workspace().join("made.txt").exists());
}

#[test]
fn who_watches_a_session_sees_which_command_is_carried_out() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("ls -a"), message("nothing there")]);
    let turn = daemon.connect().ask("look around");
    let told = format!("{turn:?}");
    assert!(told.contains("\"shell: ls -a\""), "{told}");
}

#[test]
fn two_plans_wait_in_one_session_which_goes_on_meanwhile() {
    let home = Home::new();
    let daemon = home.start_scripted(&[
        proposal("echo a > a.txt"),
        proposal("echo b > b.txt"),
        message("meanwhile"),
        message("b is there"),
        message("a is there"),
    ]);
    let mut peer = daemon.connect();
    let a = peer.ask("write a").plan_id().to_owned();
    let b = peer.ask("write b").plan_id().to_owned();
    assert_eq!(
        peer.ask("how are you?").reply(),
        "meanwhile",
        "a pending ask blocks its session"
    );
    let listed = peer.ask("/plans");
    for id in [&a, &b] {
        let answers = format!("/approve {id}   or   /deny {id}");
        assert!(listed.reply().contains(&answers), "{listed:?}");
    }
    // In the other order than they were made.
    assert_eq!(peer.ask(&format!("/approve {b}")).reply(), "b is there");
    assert!(home.workspace().join("b.txt").exists() && !home.workspace().join("a.txt").exists());
    assert_eq!(peer.ask(&format!("/approve {a}")).reply(), "a is there");
    assert!(home.workspace().join("a.txt").exists());
    assert!(waiting(&mut peer).is_empty());
}

#[test]
fn whoever_approves_beside_the_chat_names_the_text_that_was_shown() {
    let home = Home::new();
    let daemon = home.start_scripted(&[
        proposal("touch first.txt"),
        proposal("touch second.txt"),
        message("done"),
    ]);
    let mut peer = daemon.connect();
    let first = peer.ask("one").plan_id().to_owned();
    let second = peer.ask("two").plan_id().to_owned();
    let plans = waiting(&mut peer);
    let digest = |id: &str| {
        let plan = plans.iter().find(|plan| plan.text_at("plan") == Some(id)).unwrap();
        plan.text_at("digest").unwrap().to_owned()
    };
    let zeros = "0".repeat(64);
    for wrong in [digest(&second), zeros] {
        for action in ["APPROVE", "DENY"] {
            let answer = peer.admin(&format!("(:ACTION :{action} :PLAN \"{first}\" :DIGEST \"{wrong}\")"));
            assert!(
                answer.text_at("text").is_some_and(|text| text.contains("shown")),
                "{answer}"
            );
        }
    }
    for missing in ["", ":DIGEST \"\"", ":DIGEST \"12\"", ":DIGEST NIL"] {
        let answer = peer.admin(&format!("(:ACTION :APPROVE :PLAN \"{first}\" {missing})"));
        assert!(
            answer.text_at("field").is_some_and(|field| field.contains(":DIGEST")),
            "{answer}"
        );
    }
    assert_eq!(waiting(&mut peer), plans, "both wait as before");
    assert!(!home.workspace().join("first.txt").exists());

    // From a connection that has no session, with the right one.
    let mut operator = daemon.connect();
    let answer = operator.admin(&format!(
        "(:ACTION :APPROVE :PLAN \"{first}\" :DIGEST \"{}\")",
        digest(&first)
    ));
    assert!(answer.get("QUEUED").is_some_and(Form::is_true), "{answer}");
    // What comes of it is told in the plan's own session.
    let reply = loop {
        let frame = peer.next();
        if let Some(text) = frame.text_at("payload.text") {
            break text.to_owned();
        }
    };
    assert_eq!(reply, "done");
    assert!(home.workspace().join("first.txt").exists() && !home.workspace().join("second.txt").exists());
}

#[test]
fn an_approval_from_within_the_plans_session_opens_a_turn_of_its_own() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("echo done | tee said"), message("it is done")]);
    let mut peer = daemon.connect();
    peer.ask("go");
    let plan = waiting(&mut peer).remove(0);
    let (id, digest) = (plan.text_at("plan").unwrap(), plan.text_at("digest").unwrap());
    let request = peer.request(&format!(
        ":PAYLOAD (:ACTION :APPROVE :PLAN \"{id}\" :DIGEST \"{digest}\")"
    ));
    let turn = turn_behind(&mut peer, &request);
    assert_eq!((turn.reply(), turn.outcome()), ("it is done", "ANSWERED"));
}

#[test]
fn a_connection_that_has_proven_nothing_can_approve_nothing() {
    let home = Home::new().config("tcp.auth = \"none\"\n");
    let daemon = home.start_scripted(&[
        proposal("touch made.txt"),
        proposal("touch other.txt"),
        message("hello"),
    ]);
    let mut operator = daemon.connect();
    let theirs = operator.ask("make a file").plan_id().to_owned();
    let plan = waiting(&mut operator).remove(0);
    let digest = plan.text_at("digest").unwrap();

    let mut stranger = Peer::tcp(daemon.port());
    stranger.next();
    let asked = stranger.ask("make another");
    let own = asked.plan_id();
    for id in [own, &theirs] {
        for command in [format!("/approve {id}"), format!("/deny {id}")] {
            let turn = stranger.ask(&command);
            assert_eq!(turn.outcome(), "REFUSED-MESSAGE", "{command}");
            assert!(turn.errors()[0].contains("proven"), "{turn:?}");
        }
        let answer = stranger.admin(&format!("(:ACTION :APPROVE :PLAN \"{id}\" :DIGEST \"{digest}\")"));
        assert!(
            answer.at("code").is_some_and(|code| code.is_kw("NOT-THE-OPERATOR")),
            "{answer}"
        );
    }
    for action in ["PLANS", "SESSIONS", "TRACE"] {
        let answer = stranger.admin(&format!("(:ACTION :{action})"));
        assert!(
            answer.at("code").is_some_and(|code| code.is_kw("NOT-THE-OPERATOR")),
            "{answer}"
        );
    }
    let mut joining = Peer::tcp(daemon.port());
    joining.next();
    joining.join(operator.session());
    assert_eq!(
        joining.ask("hello").outcome(),
        "REFUSED-MESSAGE",
        "it joined another's session"
    );
    assert_eq!(ids(&waiting(&mut operator)).len(), 2, "both plans wait as before");
    assert!(!home.workspace().join("made.txt").exists() && !home.workspace().join("other.txt").exists());
}
