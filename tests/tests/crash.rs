//! Killed at any moment, given torn files, or without room to write: nothing that was acknowledged is lost, nothing
//! happens twice, and what can't be recorded does not happen.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use passepartout_host::sexp::Form;
use passepartout_tests::full::{bound, bounded};
use passepartout_tests::{Home, Peer, message, proposal};

/// Numbers that differ, from a seed that a failing test prints.
struct Chance(u64);

impl Chance {
    fn new() -> Chance {
        let since = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .expect("a clock");
        let seed = u64::from(since.subsec_nanos()) | 1;
        eprintln!("seed {seed}");
        Chance(seed)
    }

    /// From 0 up to and without `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).expect("a small number")
    }
}

/// What one client has seen, over all lives of the daemon.
#[derive(Debug, Default)]
struct Witness {
    session: Option<String>,
    /// How many things it has said.
    count: usize,
    replies: Vec<String>,
    /// The plans it was shown, and the number of the effect that each would have.
    plans: Vec<(String, usize)>,
    approved: BTreeSet<usize>,
}

/// Talks to the daemon until the connection ends.
fn talk(socket: &Path, name: &str, witness: &Mutex<Witness>) {
    if std::os::unix::net::UnixStream::connect(socket).is_err() {
        return;
    }
    let mut peer = Peer::unix(socket);
    if peer.try_next().is_none() {
        return;
    }
    if let Some(session) = &witness.lock().unwrap().session {
        peer.join(session);
    }
    loop {
        let number = {
            let mut witness = witness.lock().unwrap();
            witness.count += 1;
            witness.count
        };
        let text = format!("{name} reply {number}.");
        let asked = match number % 2 {
            0 => message(&text),
            _ => proposal(&format!("echo {name}-{number} >> effects")),
        };
        let request = peer.say(&asked);
        let Some(frames) = turn(&mut peer, &request, witness) else {
            return;
        };
        let plan = frames.iter().find(|frame| is(frame, "PLAN"));
        let Some(plan) = plan.and_then(|frame| frame.text_at("payload.plan")) else {
            continue;
        };
        witness.lock().unwrap().plans.push((plan.to_owned(), number));
        if number % 4 == 1 {
            witness.lock().unwrap().approved.insert(number);
            let request = peer.say(&format!("/approve {plan}"));
            if turn(&mut peer, &request, witness).is_none() {
                return;
            }
        }
    }
}

fn is(frame: &Form, action: &str) -> bool {
    frame.at("payload.action").is_some_and(|own| own.is_kw(action))
}

/// The frames of a turn, each noted as soon as it is seen; nothing when the connection ended before the turn.
fn turn(peer: &mut Peer, request: &str, witness: &Mutex<Witness>) -> Option<Vec<Form>> {
    let mut frames = Vec::new();
    loop {
        let frame = peer.try_next()?;
        {
            let mut witness = witness.lock().unwrap();
            if let Some(session) = frame.text_at("meta.session-id") {
                if witness.session.is_none() {
                    peer.join(session);
                }
                witness.session = Some(session.to_owned());
            }
            if is(&frame, "MESSAGE")
                && let Some(text) = frame.text_at("payload.text")
            {
                witness.replies.push(text.to_owned());
            }
        }
        let refused = is(&frame, "ERROR") && !frame.at("payload.turn").is_some_and(Form::is_true);
        let ended = is(&frame, "CYCLE-END") || refused;
        let own = frame.text_at("meta.request-id") == Some(request);
        frames.push(frame);
        if own && ended {
            return Some(frames);
        }
    }
}

/// What is in the workspace's file of effects: each effect, and how often it happened.
fn effects(home: &Home) -> BTreeMap<String, usize> {
    let mut effects = BTreeMap::new();
    for line in std::fs::read_to_string(home.workspace().join("effects"))
        .unwrap_or_default()
        .lines()
    {
        *effects.entry(line.to_owned()).or_default() += 1;
    }
    effects
}

/// What the log must not hold, however often the daemon was killed.
fn assert_record_whole(log: &str) {
    for bad in ["is not whole", "no entry", "panicked"] {
        assert!(!log.contains(bad), "{bad}:\n{log}");
    }
}

#[test]
fn killed_at_any_moment_it_loses_nothing_that_was_seen_and_does_nothing_twice() {
    const KILLS: usize = 36;
    const NAMES: [&str; 3] = ["ann", "bob", "cyd"];
    let home = Home::new();
    let mut chance = Chance::new();
    let witnesses: Vec<Arc<Mutex<Witness>>> = NAMES.iter().map(|_| Arc::default()).collect();
    for _ in 0..KILLS {
        let daemon = home.start();
        let socket = home.path().join("state/socket");
        let clients: Vec<_> = NAMES
            .iter()
            .zip(&witnesses)
            .map(|(name, witness)| {
                let (socket, witness) = (socket.clone(), witness.clone());
                std::thread::spawn(move || talk(&socket, name, &witness))
            })
            .collect();
        std::thread::sleep(Duration::from_millis(20 + chance.below(300) as u64));
        daemon.kill();
        for client in clients {
            client.join().expect("a client");
        }
    }
    let seen: usize = witnesses
        .iter()
        .map(|witness| witness.lock().unwrap().replies.len())
        .sum();
    let shown: usize = witnesses
        .iter()
        .map(|witness| witness.lock().unwrap().plans.len())
        .sum();
    assert!(
        seen > 20 && shown > 20,
        "too little was done between the kills to prove anything: {seen}, {shown}"
    );

    // Every reply is in the conversation that the next prompt shows.
    home.file("config/config.toml", b"[loop]\nhistory_bytes = 4000000\n");
    let answers: Vec<String> = NAMES.iter().map(|_| message("the end")).collect();
    let daemon = home.start_scripted(&answers);
    assert_record_whole(&daemon.log());
    for (name, witness) in NAMES.iter().zip(&witnesses) {
        let witness = witness.lock().unwrap();
        let mut peer = daemon.connect();
        peer.join(witness.session.as_ref().expect("a session"));
        assert_eq!(peer.ask("what was said?").reply(), "the end");
        let prompts = home.prompts();
        let prompt = prompts.last().expect("a prompt").to_string();
        for reply in witness.replies.iter().filter(|reply| reply.contains(" reply ")) {
            assert!(
                prompt.contains(reply.as_str()),
                "{name} has seen {reply:?}, and it is gone"
            );
        }
    }

    // Every plan is there: it waits, or has been answered.
    for witness in &witnesses {
        let witness = witness.lock().unwrap();
        let mut peer = daemon.connect();
        peer.join(witness.session.as_ref().expect("a session"));
        for (plan, number) in &witness.plans {
            // Each by its name: they may be more than a list shows.
            let named = peer.admin(&format!("(:ACTION :PLANS :PLAN \"{plan}\")"));
            if named.get("PLANS").is_some_and(Form::is_true) {
                continue;
            }
            let turn = peer.ask(&format!("/deny {plan}"));
            assert!(turn.errors().concat().contains("no longer waiting"), "{turn:#?}");
            assert!(
                witness.approved.contains(number),
                "plan {plan} was not answered, and waits no more"
            );
        }
    }
    for (effect, count) in effects(&home) {
        assert_eq!(count, 1, "{effect} happened {count} times");
        let (name, number) = effect.split_once('-').expect("NAME-NUMBER");
        let at = NAMES.iter().position(|own| *own == name).expect("a name");
        let number: usize = number.parse().expect("a number");
        assert!(
            witnesses[at].lock().unwrap().approved.contains(&number),
            "{effect} was not approved"
        );
    }
    assert_record_whole(&daemon.log());
}

#[test]
fn a_plan_killed_in_the_middle_of_its_effect_is_unknown_and_not_tried_again() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("echo once >> effects; sleep 30; echo never >> effects")]);
    let mut peer = daemon.connect();
    let turn = peer.ask("do it slowly");
    let (plan, session) = (turn.plan_id().to_owned(), peer.session().to_owned());
    peer.say(&format!("/approve {plan}"));
    let mut waited = 0;
    while effects(&home).is_empty() {
        waited += 1;
        assert!(waited < 3000, "the command does not begin");
        std::thread::sleep(Duration::from_millis(20));
    }
    daemon.kill();
    let daemon = home.start_scripted(&[message("x")]);
    let mut peer = daemon.connect();
    peer.join(&session);
    let turn = peer.ask(&format!("/approve {plan}"));
    assert!(turn.errors().concat().contains("unknown"), "{turn:#?}");
    assert_eq!(home.run(&["approve", &plan, "--yes"]).code, 1);
    assert_eq!(effects(&home), BTreeMap::from([("once".to_owned(), 1)]));
    // Both who asks why and the model hear of it.
    const UNKNOWN: &str = "nobody knows how far it came";
    assert!(daemon.log().contains(UNKNOWN), "{}", daemon.log());
    let ran = home.run(&["explain", &plan]);
    assert!(ran.out.contains(UNKNOWN), "{ran:?}");
    assert_eq!(peer.ask("well?").reply(), "x");
    let prompts = home.prompts();
    assert!(prompts[prompts.len() - 1].to_string().contains(UNKNOWN));
}

/// A home with a conversation, a plan that was carried out and one that waits, without a daemon. Returns the session
/// and the plan that waits.
fn lived_in() -> (Home, String, String) {
    let home = Home::new();
    let daemon = home.start_scripted(&[
        message("the first answer"),
        proposal("echo first >> effects"),
        message("the second answer"),
        proposal("echo second >> effects"),
        message("the last answer"),
    ]);
    let mut peer = daemon.connect();
    peer.ask("one");
    let turn = peer.ask("two");
    peer.ask(&format!("/approve {}", turn.plan_id()));
    let turn = peer.ask("three");
    peer.ask("four");
    let plan = turn.plan_id().to_owned();
    assert!(daemon.stop().success());
    std::fs::remove_file(home.path().join("stderr.log")).unwrap();
    let session = peer.session().to_owned();
    (home, session, plan)
}

/// Every file under `folder`.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn files_cut_in_the_middle_are_reported_and_keep_what_was_whole() {
    let (home, session, plan) = lived_in();
    let mut chance = Chance::new();
    let record = home.path().join("data/record.log");
    let plans = home.path().join("data/plans.log");
    let turns = home.path().join(format!("data/turns/{session}.turns"));
    let whole: Vec<Vec<u8>> = [&record, &plans, &turns]
        .map(|path| std::fs::read(path).unwrap())
        .to_vec();
    for round in 0..12 {
        let mut kept = Vec::new();
        for (path, bytes) in [&record, &plans, &turns].into_iter().zip(&whole) {
            let cut = match round {
                0 => bytes.len() - 1,
                1 => 1,
                _ => 1 + chance.below(bytes.len() - 1),
            };
            std::fs::write(path, &bytes[..cut]).unwrap();
            kept.push(cut);
        }
        // A text in an entry may have lines too.
        let torn = |at: usize| !whole[at][..kept[at]].ends_with(b")\n");
        let mut daemon = home.start_scripted(&[message("still here")]);
        daemon.assert_healthy();
        let mut peer = daemon.connect();
        peer.join(&session);
        assert_eq!(peer.ask("hello").reply(), "still here");
        let log = daemon.log();
        assert_eq!(
            torn(0),
            log.contains("the decision record ended in the middle"),
            "{log}"
        );
        assert_eq!(torn(1), log.contains("the flight plans ended in the middle"), "{log}");
        assert_eq!(torn(2), log.contains("its turns were damaged"), "{log}");
        assert!(!log.contains("panicked"), "{log}");
        // What ends before the cut is in the next prompt, and what comes after it is not.
        let prompt = home.prompts().last().expect("a prompt").to_string();
        for text in ["the first answer", "the second answer", "the last answer"] {
            let entry = whole[2]
                .windows(text.len())
                .position(|own| own == text.as_bytes())
                .unwrap();
            let end = entry + whole[2][entry..].iter().position(|byte| *byte == b'\n').unwrap();
            assert_eq!(
                kept[2] > end,
                prompt.contains(text),
                "cut at {}: {text}: {prompt}",
                kept[2]
            );
        }
        let waiting = peer.ask("/plans").reply().to_owned();
        let entry = whole[1]
            .windows(plan.len())
            .position(|own| own == plan.as_bytes())
            .unwrap();
        let end = entry + whole[1][entry..].iter().position(|byte| *byte == b'\n').unwrap();
        assert_eq!(kept[1] > end, waiting.contains(&plan), "cut at {}: {waiting}", kept[1]);
        assert!(daemon.stop().success());
        // What was cut off has gone, so that the next start has nothing to say.
        std::fs::remove_file(home.path().join("stderr.log")).unwrap();
        let daemon = home.start();
        assert!(!daemon.log().contains("in the middle"), "{}", daemon.log());
        drop(daemon);
        std::fs::remove_file(home.path().join("stderr.log")).unwrap();
        std::fs::remove_file(home.path().join("script.txt.prompts")).unwrap();
    }
    assert_eq!(
        effects(&home),
        BTreeMap::from([("first".to_owned(), 1)]),
        "nothing was done again"
    );
}

#[test]
fn a_record_that_was_tampered_with_is_reported_and_goes_on() {
    let (home, ..) = lived_in();
    let path = home.path().join("data/record.log");
    let whole = std::fs::read(&path).unwrap();
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    assert!(lines.len() >= 4, "a record of some length");
    // A line taken out: each entry is whole, and the chain is not.
    std::fs::write(&path, [&lines[..1], &lines[2..]].concat().concat()).unwrap();
    let daemon = home.start_scripted(&[message("on")]);
    assert!(daemon.log().contains("is not whole"), "{}", daemon.log());
    assert_eq!(daemon.connect().ask("hello").reply(), "on");
    assert!(daemon.stop().success());
    std::fs::remove_file(home.path().join("stderr.log")).unwrap();
    // A byte changed in the middle.
    let mut changed = whole.clone();
    let middle = lines[0].len() + lines[1].len() / 2;
    changed[middle] ^= 1;
    std::fs::write(&path, &changed).unwrap();
    let daemon = home.start_scripted(&[message("on")]);
    let log = daemon.log();
    assert!(
        log.contains("that are no entry") && log.contains("is not whole"),
        "{log}"
    );
    assert_eq!(daemon.connect().ask("hello").reply(), "on");
}

#[test]
fn any_file_of_the_home_filled_with_noise_keeps_no_daemon_from_starting() {
    let (home, session, _) = lived_in();
    let mut chance = Chance::new();
    let mut all = files(&home.path().join("data"));
    all.extend(files(&home.path().join("state")));
    assert!(all.len() >= 4, "{all:?}");
    for path in all {
        // Another of these may have put it away.
        if !path.exists() {
            continue;
        }
        let noise: Vec<u8> = (0..500).map(|_| chance.below(256) as u8).collect();
        std::fs::write(&path, noise).unwrap();
        let mut daemon = home.start_scripted(&[message("started")]);
        daemon.assert_healthy();
        let mut peer = daemon.connect();
        peer.join(&session);
        let turn = peer.ask("hello");
        assert_eq!(turn.replies(), ["started"], "{}: {turn:#?}", path.display());
        assert!(
            !daemon.log().contains("panicked"),
            "{}: {}",
            path.display(),
            daemon.log()
        );
    }
}

#[test]
fn a_record_that_can_t_be_opened_is_a_clear_error_at_the_start() {
    for name in ["record.log", "plans.log"] {
        let home = Home::new();
        std::fs::create_dir_all(home.path().join("data").join(name)).unwrap();
        let ran = home.run(&["run", "--no-chat"]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains(name), "{ran:?}");
        assert!(!ran.err.contains("panicked"), "{ran:?}");
        assert!(
            !home.path().join("state/daemon.json").exists(),
            "nobody is told that it listens"
        );
    }
}

#[test]
fn what_can_t_be_recorded_does_not_happen_and_the_user_is_told() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("touch marker")]);
    let mut peer = daemon.connect();
    let turn = peer.ask("make it");
    let (plan, session) = (turn.plan_id().to_owned(), peer.session().to_owned());
    assert!(daemon.stop().success());
    let length = std::fs::metadata(home.path().join("data/record.log")).unwrap().len();
    let provider = home.script(&[message("a reply"), message("another")]);
    {
        // Room for the plan's consumption, which is short, but for no whole entry of the record.
        let mut daemon = home.start_command(&mut bounded(&home, &provider));
        bound(&daemon, length + 200);
        let mut peer = daemon.connect();
        peer.join(&session);
        let turn = peer.ask(&format!("/approve {plan}"));
        assert_eq!(turn.outcome(), "FAILED", "{turn:#?}");
        assert!(turn.errors().concat().contains("record"), "{turn:#?}");
        assert!(turn.replies().is_empty(), "{turn:#?}");
        assert!(
            !home.workspace().join("marker").exists(),
            "it was done, and is not recorded"
        );
        // Replies are recorded too before anyone sees them.
        let turn = peer.ask("hello");
        assert_eq!(turn.outcome(), "FAILED", "{turn:#?}");
        assert!(turn.replies().is_empty(), "{turn:#?}");
        daemon.assert_healthy();
    }
    // With room again it works, and the record is whole: nothing of what failed is in it.
    let daemon = home.start_scripted(&[message("room again"), message("made at last")]);
    assert_record_whole(&daemon.log());
    let mut peer = daemon.connect();
    peer.join(&session);
    assert_eq!(peer.ask("hello").reply(), "room again");
    assert!(!home.workspace().join("marker").exists());
    // It had not begun, and waits again; then it is used once.
    assert_eq!(peer.ask(&format!("/approve {plan}")).reply(), "made at last");
    assert!(home.workspace().join("marker").exists());
    assert!(
        peer.ask(&format!("/approve {plan}")).outcome() != "ANSWERED",
        "an approval is used once"
    );
}

#[test]
fn a_plan_that_can_t_be_kept_is_not_shown() {
    let home = Home::new();
    let provider = home.script(&[proposal("touch marker")]);
    assert!(home.start().stop().success());
    let daemon = home.start_command(&mut bounded(&home, &provider));
    bound(&daemon, 400);
    let turn = daemon.connect().ask("make it");
    assert_eq!(turn.outcome(), "FAILED", "{turn:#?}");
    assert!(turn.all("PLAN").is_empty(), "{turn:#?}");
    assert!(!turn.errors().is_empty(), "{turn:#?}");
    drop(daemon);
    let ran = home.run(&["status"]);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(!home.workspace().join("marker").exists());
}

#[test]
fn a_full_disk_where_it_keeps_its_state_ends_no_daemon() {
    let home = Home::new();
    let provider = home.script(&[message("one"), message("two"), message("three")]);
    assert!(home.start().stop().success());
    let mut daemon = home.start_command(&mut bounded(&home, &provider));
    bound(&daemon, 200);
    let mut peer = daemon.connect();
    for _ in 0..3 {
        let turn = peer.ask("hello, which is long enough not to fit beside what else is there");
        assert_eq!(turn.outcome(), "FAILED", "{turn:#?}");
        assert!(!turn.errors().is_empty() && turn.replies().is_empty(), "{turn:#?}");
    }
    daemon.assert_healthy();
}
