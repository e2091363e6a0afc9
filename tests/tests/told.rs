//! What became of what was proposed is told: to the record, to the conversation, and to a person who was not there,
//! whatever ended it and however often the daemon is killed.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;

use passepartout_host::sexp::{Form, kw};
use passepartout_tests::full::append;
use passepartout_tests::model::HeldModel;
use passepartout_tests::script::waiting;
use passepartout_tests::{Daemon, Home, Peer, message, proposal};

fn record(home: &Home) -> String {
    fs::read_to_string(home.path().join("data/record.log")).unwrap()
}

fn turns(home: &Home, session: &str) -> PathBuf {
    home.path().join(format!("data/turns/{session}.turns"))
}

fn conversation(home: &Home, session: &str) -> String {
    fs::read_to_string(turns(home, session)).unwrap()
}

/// What the model was shown last.
fn shown(home: &Home) -> String {
    home.prompts().pop().expect("a prompt").to_string()
}

/// Puts a plan back to where a kill leaves it whose next start was killed too, before it told anybody: the file says what
/// it said, and neither the record nor the conversation has been added to.
struct Before(Vec<(PathBuf, Vec<u8>)>);

impl Before {
    fn of(paths: &[PathBuf]) -> Before {
        Before(
            paths
                .iter()
                .map(|path| (path.clone(), fs::read(path).unwrap()))
                .collect(),
        )
    }

    fn restore(&self) {
        self.0.iter().for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
    }
}

/// A session whose plan, of this command, was approved and is being carried out.
fn running(home: &Home, daemon: &Daemon<'_>, peer: &mut Peer, begun: &str) -> String {
    let id = peer.ask("do it").plan_id().to_owned();
    peer.say(&format!("/approve {id}"));
    daemon.wait_until("it has begun", || home.workspace().join(begun).exists());
    id
}

const UNKNOWN: &str = "nobody knows how far it came";

#[test]
fn that_a_plan_was_broken_off_is_told_although_the_next_start_is_killed_before_it_could() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("touch begun; sleep 300")]);
    let mut peer = daemon.connect();
    let id = running(&home, &daemon, &mut peer, "begun");
    let session = peer.session().to_owned();
    daemon.kill();

    // A start that can write its plans, and neither the record nor a conversation: as one that is killed in between.
    let kept = Before::of(&[home.path().join("data/record.log"), turns(&home, &session)]);
    home.start().kill();
    kept.restore();
    let log = fs::read_to_string(home.path().join("data/plans.log")).unwrap();
    let told = log.lines().last().unwrap();
    assert!(told.contains("UNKNOWN"), "the first start has told it: {told}");
    // Untold, as the kill has left it.
    fs::write(
        home.path().join("data/plans.log"),
        log.replace(told, "").trim_end().to_owned() + "\n",
    )
    .unwrap();

    let daemon = home.start_scripted(&[message("I see")]);
    assert!(daemon.log().contains(UNKNOWN), "{}", daemon.log());
    assert!(record(&home).contains(":KIND :UNKNOWN"), "{}", record(&home));
    assert!(conversation(&home, &session).contains(UNKNOWN));
    assert!(home.run(&["explain", &id]).out.contains(UNKNOWN));
    drop(daemon);
    // Once.
    let daemon = home.start_scripted(&[message("I see")]);
    assert_eq!(conversation(&home, &session).matches(UNKNOWN).count(), 1);
    let mut peer = daemon.connect();
    peer.join(&session);
    assert_eq!(peer.ask("well?").reply(), "I see");
    assert!(shown(&home).contains(UNKNOWN));
}

#[test]
fn a_plan_that_can_t_be_told_of_keeps_no_other_from_being_told_and_is_told_later() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("touch one; sleep 300"), proposal("touch two; sleep 300")]);
    let (mut one, mut two) = (daemon.connect(), daemon.connect());
    running(&home, &daemon, &mut one, "one");
    running(&home, &daemon, &mut two, "two");
    let sessions = [one.session().to_owned(), two.session().to_owned()];
    daemon.kill();
    for broken in 0..2 {
        let [path, other] = [broken, 1 - broken].map(|at| turns(&home, &sessions[at]));
        let aside = path.with_extension("aside");
        fs::rename(&path, &aside).unwrap();
        fs::create_dir(&path).unwrap();
        home.start().kill();
        let other = fs::read_to_string(other).unwrap();
        assert!(other.contains(UNKNOWN), "{other}");
        fs::remove_dir(&path).unwrap();
        fs::rename(&aside, &path).unwrap();
    }
    home.start().kill();
    for session in &sessions {
        assert_eq!(conversation(&home, session).matches(UNKNOWN).count(), 1);
    }
    assert_eq!(record(&home).matches(":KIND :UNKNOWN").count(), 2);
}

/// How many bytes the daemon has read since it was started.
fn bytes_read(daemon: &Daemon<'_>) -> u64 {
    let counts = fs::read_to_string(format!("/proc/{}/io", daemon.pid())).unwrap();
    let read = counts.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap();
    read.parse().unwrap()
}

#[test]
fn the_record_is_read_once_at_the_start_for_all_plans_that_are_to_be_told_of() {
    const PLANS: usize = 12;
    let home = Home::new();
    let asked: Vec<String> = (0..PLANS).map(|at| proposal(&format!("touch made-{at}"))).collect();
    let daemon = home.start_scripted(&asked);
    let mut peer = daemon.connect();
    let plans: Vec<String> = asked.iter().map(|_| peer.ask("make it").plan_id().to_owned()).collect();
    daemon.kill();
    let entry = Form::plist([("KIND", kw("NOTHING")), ("TEXT", "x".repeat(4_000_000).as_str().into())]);
    let long = append(&home.path().join("data/record.log"), &entry);
    let unknown = || {
        plans
            .iter()
            .all(|plan| record(&home).contains(&format!(":KIND :UNKNOWN :PLAN \"{plan}\"")))
    };
    let without = {
        let daemon = home.start();
        bytes_read(&daemon)
    };
    // They were approved, and killed before anything was known of them.
    for plan in &plans {
        let entry = Form::plist([("PLAN", plan.as_str().into()), ("STATE", kw("APPROVED"))]);
        append(&home.path().join("data/plans.log"), &entry);
    }
    let daemon = home.start();
    daemon.wait_until("all are told", unknown);
    let with = bytes_read(&daemon);
    assert!(
        with.saturating_sub(without) < 2 * long,
        "{with} bytes for {PLANS} plans and {without} without any, of a record of {long}"
    );
}

#[test]
fn a_denial_that_was_acknowledged_is_told_although_a_kill_came_before_its_turn() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("touch begun; sleep 300"), proposal("touch second")]);
    let mut peer = daemon.connect();
    let first = peer.ask("one").plan_id().to_owned();
    let second = peer.ask("two").plan_id().to_owned();
    let session = peer.session().to_owned();
    peer.say(&format!("/approve {first}"));
    daemon.wait_until("the first has begun", || home.workspace().join("begun").exists());
    peer.say(&format!("/deny {second} never do this"));
    daemon.wait_until("it is acknowledged", || waiting(&mut daemon.connect()).is_empty());
    // At once, not only when its turn comes.
    daemon.wait_until("it is recorded", || record(&home).contains(":KIND :DENIAL"));
    daemon.kill();
    home.start().kill();

    let daemon = home.start_scripted(&[message("I see")]);
    let explained = home.run(&["explain", &second]);
    let denial = format!("denial of plan {second}: never do this");
    assert_eq!(explained.out.matches(&denial).count(), 1, "{explained:?}");
    let mut peer = daemon.connect();
    peer.join(&session);
    assert_eq!(peer.ask("go on").reply(), "I see");
    let prompt = shown(&home);
    assert_eq!(prompt.matches("REJECTED: the person denied").count(), 1, "{prompt}");
    assert!(prompt.contains("never do this") && prompt.contains(UNKNOWN), "{prompt}");
    let again = peer.ask(&format!("/approve {second}"));
    assert!(again.errors()[0].contains("denied"), "{again:?}");
    assert!(!home.workspace().join("second").exists());
}

#[test]
fn a_denial_is_recorded_and_heard_by_the_model_once() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("touch made"), message("as you wish")]);
    let mut peer = daemon.connect();
    let id = peer.ask("make it").plan_id().to_owned();
    let turn = peer.ask(&format!("/deny {id} not now"));
    assert_eq!(turn.reply(), "as you wish");
    let session = peer.session().to_owned();
    drop(daemon);
    drop(home.start());
    assert_eq!(record(&home).matches(":KIND :DENIAL").count(), 1);
    assert_eq!(
        conversation(&home, &session)
            .matches("REJECTED: the person denied")
            .count(),
        1
    );
    assert!(shown(&home).contains("not now"));
}

#[test]
fn an_approved_action_that_was_stopped_half_way_is_told_to_the_model() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("touch begun; sleep 300"), message("I see")]);
    let mut peer = daemon.connect();
    running(&home, &daemon, &mut peer, "begun");
    peer.say("/stop");
    daemon.wait_until("it is stopped", || record(&home).contains(":STOPPED T"));
    let mut other = daemon.connect();
    other.join(peer.session());
    assert_eq!(other.ask("well?").reply(), "I see");
    let prompt = shown(&home);
    assert!(
        // Whether it was waited for to its end or not.
        prompt.contains("shell: the person stopped it") || prompt.contains("because the turn was stopped"),
        "{prompt}"
    );
}

#[test]
fn approve_exits_by_what_became_of_the_action_although_what_followed_was_stopped() {
    let home = Home::new();
    let (id, session) = {
        let daemon = home.start_scripted(&[proposal("touch made")]);
        let mut peer = daemon.connect();
        (peer.ask("do it").plan_id().to_owned(), peer.session().to_owned())
    };
    let model = HeldModel::start();
    let home = home.config(&format!(
        "[model]\ncascade = [\"local\"]\n\n[providers.local]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\n",
        model.port
    ));
    let _daemon = home.start();
    let mut command = home.command();
    command.args(["approve", &id, "--yes"]);
    let child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    model.asked();
    home.run(&["send", "--session", &session, "/stop"]);
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(home.workspace().join("made").exists());
    assert!(ended.status.success() && said.contains("was carried out"), "{said}");
}

#[test]
fn a_plan_that_lapsed_while_nobody_was_attached_is_told_to_its_model_and_to_whoever_comes() {
    let home = Home::new().config("loop.heartbeat_seconds = 1\ngates.approval_expiry_seconds = 2\n");
    let daemon = home.start_scripted(&[proposal("touch made"), message("I see")]);
    let session = {
        let mut peer = daemon.connect();
        peer.ask("make it").plan_id();
        peer.session().to_owned()
    };
    daemon.wait_until("it has lapsed", || record(&home).contains(":KIND :EXPIRY"));
    const LAPSED: &str = "REJECTED: nobody answered in time";
    daemon.wait_until("that is kept", || conversation(&home, &session).contains(LAPSED));
    let status = home.run(&["status"]);
    assert!(status.out.contains("1 message arrived"), "{status:?}");
    let mut peer = daemon.connect();
    peer.join(&session);
    let turn = peer.ask("well?");
    assert!(
        turn.frames.iter().any(|frame| frame.to_string().contains("lapsed")),
        "{turn:#?}"
    );
    assert_eq!(turn.reply(), "I see");
    assert!(shown(&home).contains(LAPSED));
    assert_eq!(conversation(&home, &session).matches(LAPSED).count(), 1);
}
