//! How a plan ended is told once, in the record, in its conversation and to whoever was not there, at whatever moment the
//! daemon is killed; and what had not begun waits again.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use passepartout_host::sexp::Digest;
use passepartout_tests::model::HeldModel;
use passepartout_tests::script::waiting;
use passepartout_tests::{Daemon, Home, message, proposal};

const UNKNOWN: &str = "nobody knows how far it came";
const NOT_BEGUN: &str = "the daemon ended before it had begun";

/// The entries of a log, each of which says how long it is.
fn entries(mut text: &str) -> Vec<&str> {
    let mut entries = Vec::new();
    while !text.is_empty() {
        let length = usize::from_str_radix(&text[..8], 16).unwrap();
        let (entry, rest) = text.split_at(18 + length + 1);
        entries.push(entry);
        text = rest;
    }
    entries
}

/// What is kept of a plan and of what became of it.
#[derive(Clone, Debug)]
struct Files {
    plans: String,
    record: String,
    turns: String,
    unheard: String,
}

fn paths(home: &Home, session: &str) -> [PathBuf; 4] {
    let turns = format!("data/turns/{session}.turns");
    ["data/plans.log", "data/record.log", &turns, "data/unheard"].map(|name| home.path().join(name))
}

impl Files {
    fn of(home: &Home, session: &str) -> Files {
        let [plans, record, turns, unheard] =
            paths(home, session).map(|path| fs::read_to_string(path).unwrap_or_default());
        Files {
            plans,
            record,
            turns,
            unheard,
        }
    }

    fn restore(&self, home: &Home, session: &str) {
        let texts = [&self.plans, &self.record, &self.turns, &self.unheard];
        for (path, text) in paths(home, session).iter().zip(texts) {
            fs::write(path, text).unwrap();
        }
    }

    /// What a kill has left of what `after` has more: so many entries of plans, record and conversation.
    fn and(&self, after: &Files, plans: usize, record: usize, turns: usize) -> Files {
        let more = |before: &str, after: &str, count: usize| {
            let new = after.strip_prefix(before).expect("it was only added to");
            format!("{before}{}", entries(new)[..count].concat())
        };
        Files {
            plans: more(&self.plans, &after.plans, plans),
            record: more(&self.record, &after.record, record),
            turns: more(&self.turns, &after.turns, turns),
            unheard: self.unheard.clone(),
        }
    }

    /// How often each of the three says `kind`, `said` and `heard`.
    fn counts(&self, kind: &str, said: &str, heard: &str) -> [usize; 3] {
        [
            self.record.matches(&format!(":KIND :{kind}")).count(),
            self.turns.matches(said).count(),
            self.unheard.matches(heard).count(),
        ]
    }

    /// Whether nothing has still to be told.
    fn is_told(&self) -> bool {
        entries(&self.plans)
            .last()
            .is_some_and(|last| !last.contains(":UNTOLD T"))
    }
}

/// A plan that waits, of this command, without a daemon. Returns the plan and its session.
fn planned(home: &Home, command: &str) -> (String, String) {
    let daemon = home.start_scripted(&[proposal(command)]);
    let mut peer = daemon.connect();
    let id = peer.ask("do it").plan_id().to_owned();
    let session = peer.session().to_owned();
    daemon.kill();
    (id, session)
}

/// What the daemon's next starts make of `files`, twice.
fn started(home: &Home, session: &str, files: &Files) -> Files {
    files.restore(home, session);
    for _ in 0..2 {
        let daemon = home.start();
        daemon.wait_until("all is told", || Files::of(home, session).is_told());
        daemon.kill();
    }
    Files::of(home, session)
}

fn approving(home: &Home, id: &str) -> Child {
    let mut command = home.command();
    command.args(["approve", id, "--yes"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn ended(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().unwrap();
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

fn all_are_taken(daemon: &Daemon<'_>) {
    daemon.wait_until("all are taken", || waiting(&mut daemon.connect()).is_empty());
}

#[test]
fn of_several_approved_plans_of_one_session_each_is_told_and_what_had_not_begun_waits_again() {
    let home = Home::new();
    let commands = ["touch one; sleep 300", "touch two", "touch three"];
    let daemon = home.start_scripted(&commands.map(proposal));
    let mut peer = daemon.connect();
    let ids = commands.map(|_| peer.ask("do it").plan_id().to_owned());
    let session = peer.session().to_owned();
    for id in &ids {
        peer.say(&format!("/approve {id}"));
    }
    daemon.wait_until("the first has begun", || home.workspace().join("one").exists());
    all_are_taken(&daemon);
    daemon.kill();
    for _ in 0..2 {
        let daemon = home.start();
        let plans = waiting(&mut daemon.connect());
        let mut waits: Vec<&str> = plans.iter().filter_map(|plan| plan.text_at("plan")).collect();
        let mut wanted = [&*ids[1], &*ids[2]];
        waits.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(waits, wanted, "what had begun is not tried again, what had not waits");
        assert!(daemon.log().contains(NOT_BEGUN), "{}", daemon.log());
        daemon.kill();
        let files = Files::of(&home, &session);
        assert_eq!(files.counts("UNKNOWN", UNKNOWN, UNKNOWN), [1, 1, 1], "{files:#?}");
        assert_eq!(files.counts("REOPENED", NOT_BEGUN, NOT_BEGUN), [2, 2, 2], "{files:#?}");
        let said = files.turns.lines().find(|line| line.contains(UNKNOWN)).unwrap();
        assert!(said.contains("touch one"), "{said}");
    }
    let daemon = home.start_scripted(&[message("two is there")]);
    let status = home.run(&["status"]);
    assert!(status.out.contains("3 messages arrived"), "{status:?}");
    let ran = home.run(&["approve", &ids[1], "--yes"]);
    assert_eq!((&*ran.out, ran.code), ("two is there\n", 0), "{ran:?}");
    assert!(home.workspace().join("two").exists() && !home.workspace().join("three").exists());
    drop(daemon);
}

#[test]
fn a_plan_that_lapsed_is_told_once_at_whatever_moment_the_daemon_is_killed() {
    let home = Home::new().config("loop.heartbeat_seconds = 3600\ngates.approval_expiry_seconds = 1\n");
    let (_, session) = planned(&home, "touch made");
    let before = Files::of(&home, &session);
    home.file("config/config.toml", b"loop.heartbeat_seconds = 1\n");
    let daemon = home.start();
    let is_lapsed = || Files::of(&home, &session).plans.contains("EXPIRED");
    daemon.wait_until("it has lapsed", || is_lapsed() && Files::of(&home, &session).is_told());
    daemon.kill();
    let after = Files::of(&home, &session);
    const SAID: &str = "REJECTED: nobody answered in time";
    assert_eq!(after.counts("EXPIRY", SAID, "lapsed"), [1, 1, 1]);
    for [plans, record, turns, unheard] in [[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]] {
        let mut killed = before.and(&after, plans, record, turns);
        if unheard == 1 {
            killed.unheard.clone_from(&after.unheard);
        }
        killed.restore(&home, &session);
        for _ in 0..2 {
            let daemon = home.start();
            daemon.wait_until("it is told", || is_lapsed() && Files::of(&home, &session).is_told());
            daemon.kill();
        }
        let files = Files::of(&home, &session);
        assert_eq!(
            files.counts("EXPIRY", SAID, "lapsed"),
            [1, 1, 1],
            "{killed:#?}\n{files:#?}"
        );
    }
}

#[test]
fn two_plans_of_one_session_that_lapsed_are_told_each() {
    let home = Home::new().config("loop.heartbeat_seconds = 1\ngates.approval_expiry_seconds = 2\n");
    let daemon = home.start_scripted(&[proposal("touch one"), proposal("touch two")]);
    let session = {
        let mut peer = daemon.connect();
        peer.ask("one");
        peer.ask("two");
        peer.session().to_owned()
    };
    daemon.wait_until("both have lapsed", || {
        let files = Files::of(&home, &session);
        files.counts("EXPIRY", "REJECTED: nobody", "lapsed")[..2] == [2, 2] && files.is_told()
    });
}

#[test]
fn what_came_of_an_approved_plan_is_told_once_at_whatever_moment_the_daemon_is_killed() {
    let home = Home::new();
    let (id, session) = planned(&home, "echo once >> effects");
    let before = Files::of(&home, &session);
    let daemon = home.start_scripted(&[message("it is done")]);
    let ran = home.run(&["approve", &id, "--yes"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    daemon.kill();
    let after = Files::of(&home, &session);
    const CAME: &str = "exit code 0";
    assert_eq!(after.counts("UNKNOWN", CAME, &id), [0, 1, 0]);
    // Approved; decided; carried out, in the record and then in the conversation.
    let not_begun = started(&home, &session, &before.and(&after, 1, 0, 0));
    assert_eq!(
        not_begun.counts("REOPENED", NOT_BEGUN, NOT_BEGUN),
        [1, 1, 1],
        "{not_begun:#?}"
    );
    assert_eq!(not_begun.counts("UNKNOWN", UNKNOWN, UNKNOWN), [0, 0, 0]);
    let begun = started(&home, &session, &before.and(&after, 1, 1, 0));
    assert_eq!(begun.counts("UNKNOWN", UNKNOWN, UNKNOWN), [1, 1, 1], "{begun:#?}");
    let ended = format!("plan {id} had come to its end");
    for turns in 0..2 {
        let done = started(&home, &session, &before.and(&after, 1, 2, turns));
        // Where the conversation had it, that was told.
        assert_eq!(done.counts("UNKNOWN", CAME, &ended), [0, 1, 1 - turns], "{done:#?}");
        assert!(!done.turns.contains(UNKNOWN), "{done:#?}");
    }
    let told = started(&home, &session, &before.and(&after, 2, 2, 1));
    assert_eq!(told.counts("UNKNOWN", CAME, &id), [0, 1, 0], "{told:#?}");
    let effects = fs::read_to_string(home.workspace().join("effects")).unwrap();
    assert_eq!(effects, "once\n");
}

#[test]
fn that_a_gate_refused_what_was_approved_is_told_once_at_whatever_moment_the_daemon_is_killed() {
    let home = Home::new();
    let (id, session) = planned(&home, "cat notes.txt > copy.txt");
    let before = Files::of(&home, &session);
    let home = home.config("settings.dispatcher.protected = [\"notes.txt\"]\n");
    let daemon = home.start_scripted(&[message("so it is protected")]);
    let ran = home.run(&["approve", &id, "--yes"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    daemon.kill();
    let after = Files::of(&home, &session);
    const SAID: &str = "REJECTED: a person approved it, but a gate rejects it now";
    assert_eq!(after.turns.matches(SAID).count(), 1);
    let ended = format!("plan {id} had come to its end");
    for turns in 0..2 {
        let files = started(&home, &session, &before.and(&after, 1, 1, turns));
        assert_eq!(files.counts("UNKNOWN", SAID, &ended), [0, 1, 1 - turns], "{files:#?}");
    }
}

#[test]
fn what_the_end_of_the_daemon_stops_says_so_and_a_plan_that_had_not_begun_waits() {
    let home = Home::new().config("loop.shutdown_seconds = 0\n");
    let daemon = home.start_scripted(&[proposal("touch begun; sleep 300"), proposal("touch second")]);
    let (first, second, session) = {
        let mut peer = daemon.connect();
        let [first, second] = [0, 1].map(|_| peer.ask("do it").plan_id().to_owned());
        (first, second, peer.session().to_owned())
    };
    let running = approving(&home, &first);
    daemon.wait_until("the first has begun", || home.workspace().join("begun").exists());
    let queued = approving(&home, &second);
    all_are_taken(&daemon);
    assert!(daemon.stop().success());
    let (code, said) = ended(running);
    assert!(
        code == Some(1) && said.contains("the daemon was told to stop"),
        "{code:?}: {said}"
    );
    let (code, said) = ended(queued);
    assert!(
        code == Some(4) && said.contains(&format!("plan {second} was not carried out, and still waits")),
        "{said}"
    );
    let files = Files::of(&home, &session);
    // Whether it was waited for to its end or not.
    let stopped = ["the end of the daemon stopped it", "because the turn was stopped"];
    assert!(stopped.iter().any(|said| files.turns.contains(said)), "{files:#?}");

    let daemon = home.start_scripted(&[message("the second is there")]);
    assert_eq!(Files::of(&home, &session).record.matches(":KIND :REOPENED").count(), 1);
    assert_eq!(waiting(&mut daemon.connect()).len(), 1);
    assert_eq!(home.run(&["approve", &second, "--yes"]).code, 0);
    assert!(home.workspace().join("second").exists());
}

#[test]
fn a_question_that_the_end_of_the_daemon_stops_says_so() {
    let model = HeldModel::start();
    let home = Home::new().config(&format!(
        "[loop]\nshutdown_seconds = 0\n[model]\ncascade = [\"local\"]\n\n[providers.local]\nbase_url = \
         \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\n",
        model.port
    ));
    let daemon = home.start();
    let mut command = home.command();
    let asking = command
        .args(["send", "hello"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let asking = asking.spawn().unwrap();
    model.asked();
    assert!(daemon.stop().success());
    let (code, said) = ended(asking);
    assert!(
        code == Some(1) && said.contains("the daemon was told to stop"),
        "{code:?}: {said}"
    );
}

/// An entry of a log as it would be with `to` for `from`.
fn forged(line: &str, from: &str, to: &str) -> String {
    let text = line[18..].replace(from, to);
    let check = Digest::of("passepartout-entry-1", text.as_bytes()).to_string();
    format!("{:08x} {} {text}", text.len(), &check[..8])
}

#[test]
fn a_plan_that_was_made_by_a_clock_that_was_ahead_lapses_within_its_time_however_often_the_daemon_starts() {
    let home = Home::new().config("loop.heartbeat_seconds = 3600\ngates.approval_expiry_seconds = 3\n");
    let (_, session) = planned(&home, "touch made");
    let mut files = Files::of(&home, &session);
    let moment = |key: &str| -> u64 {
        let (_, rest) = files.plans.split_once(&format!(":{key} ")).unwrap();
        rest.split(' ').next().unwrap().parse().unwrap()
    };
    let ahead = |key: &str| {
        (
            format!(":{key} {}", moment(key)),
            format!(":{key} {}", moment(key) + 864_000),
        )
    };
    let moments = ["MADE", "EXPIRES"].map(ahead);
    let line = moments
        .iter()
        .fold(files.plans.trim_end().to_owned(), |line, (from, to)| {
            forged(&line, from, to)
        });
    files.plans = format!("{line}\n");
    files.restore(&home, &session);
    home.file("config/config.toml", b"loop.heartbeat_seconds = 1\n");
    for _ in 0..2 {
        let daemon = home.start();
        daemon.wait_until("that is noted", || {
            Files::of(&home, &session).plans.contains(":EARLIER")
        });
        daemon.kill();
    }
    let daemon = home.start();
    daemon.wait_until("it has lapsed", || Files::of(&home, &session).plans.contains("EXPIRED"));
    daemon.kill();
    let files = Files::of(&home, &session);
    assert_eq!(files.plans.matches(":EARLIER").count(), 1, "{}", files.plans);
}
