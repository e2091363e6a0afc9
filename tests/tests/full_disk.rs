//! A disk that is full, or a file that can't be written: the daemon says so as long as it lasts, what was taken back stays
//! taken back, and all of it goes by itself.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use passepartout_host::sexp::Form;
use passepartout_tests::bash::in_bash;
use passepartout_tests::daemon::make_private;
use passepartout_tests::full::{append, bound, bounded, session_of, unbound};
use passepartout_tests::guest::Guest;
use passepartout_tests::script::eval;
use passepartout_tests::server::{answer, home_with_server};
use passepartout_tests::skills::{Folder, Watcher, gate};
use passepartout_tests::{Daemon, Home, Ran, host_binary, message, proposal};

/// What `status` says of what can't be written.
fn unwritten(home: &Home) -> Vec<String> {
    let ran = home.run(&["status", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let status: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let checks = status["checks"].as_array().unwrap();
    let own = checks
        .iter()
        .filter(|own| own["check"] == "storage" && own["text"].as_str().unwrap().contains("can't be written"));
    let texts: Vec<String> = own.map(|own| own["text"].as_str().unwrap().to_owned()).collect();
    if !texts.is_empty() {
        assert_ne!(status["health"], "HEALTHY", "{status}");
    }
    texts
}

fn until_written(daemon: &Daemon<'_>, home: &Home) {
    daemon.wait_until("everything is written", || unwritten(home).is_empty());
}

/// Makes a log longer than all others, with entries that mean nothing to it, and returns its length.
fn lengthen(home: &Home, name: &str) -> u64 {
    let entry = Form::plist([("NOTHING", "x".repeat(200_000).as_str().into())]);
    append(&home.path().join("data").join(name), &entry)
}

#[test]
fn a_store_that_can_t_be_written_degrades_the_daemon_until_it_is_written_again() {
    for (file, called, answer) in [
        ("record.log", "the decision record", message("said")),
        ("plans.log", "the flight plans", proposal("touch made")),
        ("turns", "a conversation", message("said")),
    ] {
        let home = Home::new();
        let session = session_of(&home);
        let length = match file {
            "turns" => lengthen(&home, &format!("turns/{session}.turns")),
            file => lengthen(&home, file),
        };
        let provider = home.script(&[answer.clone(), answer.clone(), answer.clone()]);
        let daemon = home.start_command(&mut bounded(&home, &provider));
        let mut peer = daemon.connect();
        peer.join(&session);
        assert!(unwritten(&home).is_empty(), "{file}");
        bound(&daemon, length);
        peer.ask("say it");
        let said = unwritten(&home);
        assert_eq!(said.len(), 1, "{file}: {said:?}");
        for part in [called, "since 2", "os error", "make room", file] {
            assert!(said[0].contains(part), "{part}: {said:?}");
        }
        let doctor = home.run(&["doctor"]);
        assert!(
            doctor.out.contains(called) && doctor.out.contains("degraded"),
            "{doctor:?}"
        );
        unbound(&daemon);
        let turn = peer.ask("say it");
        assert!(turn.errors().is_empty(), "{file}: {turn:#?}");
        assert_eq!(unwritten(&home), Vec::<String>::new(), "{file}");
    }
}

#[test]
fn a_store_that_nobody_writes_to_is_well_again_as_soon_as_there_is_room_and_not_before() {
    for (file, answer) in [
        ("record.log", message("said")),
        ("plans.log", proposal("touch made")),
        ("turns", message("said")),
    ] {
        let home = Home::new().config(QUICK);
        let session = session_of(&home);
        let name = match file {
            "turns" => format!("turns/{session}.turns"),
            file => file.to_owned(),
        };
        let length = lengthen(&home, &name);
        let provider = home.script(&[answer]);
        let daemon = home.start_command(&mut bounded(&home, &provider));
        let mut peer = daemon.connect();
        peer.join(&session);
        bound(&daemon, length);
        peer.ask("say it");
        // Neither it nor its conversation, which is put away, is in anybody's hands from now on.
        drop(peer);
        daemon.wait_until_put_away();
        let kept = fs::read(home.path().join("data").join(&name)).unwrap();
        // More heartbeats than one.
        std::thread::sleep(Duration::from_millis(2_500));
        assert_eq!(unwritten(&home).len(), 1, "{file}: there is no room yet");
        unbound(&daemon);
        until_written(&daemon, &home);
        assert_eq!(fs::read(home.path().join("data").join(&name)).unwrap(), kept, "{file}");
        let names = |folder: &str| -> Vec<String> {
            let entries = fs::read_dir(home.path().join(folder)).unwrap();
            entries
                .map(|own| own.unwrap().file_name().into_string().unwrap())
                .collect()
        };
        let left = [names("data"), names("data/turns")].concat();
        assert!(!left.iter().any(|name| name.ends_with(".room")), "{file}: {left:?}");
    }
}

#[test]
fn a_conversation_that_can_t_be_written_is_said_to_be_until_that_one_can_whatever_is_said_in_others() {
    let home = Home::new().config(QUICK);
    let (first, second) = (session_of(&home), session_of(&home));
    let turns = |session: &str| format!("turns/{session}.turns");
    let length = lengthen(&home, &turns(&first));
    assert_eq!(lengthen(&home, &turns(&second)), length);
    let provider = home.script(&[message("said"), message("said"), message("said"), message("said")]);
    let daemon = home.start_command(&mut bounded(&home, &provider));
    bound(&daemon, length);
    let fail = |id: &str| {
        let mut peer = daemon.connect();
        peer.join(id);
        assert_eq!(peer.ask("say it").outcome(), "FAILED");
        peer
    };
    let mut peer = fail(&first);
    let mut other = daemon.connect();
    assert_eq!(other.ask("say it").reply(), "said");
    let said = unwritten(&home);
    assert!(said.len() == 1 && said[0].contains(&turns(&first)), "{said:?}");
    assert!(!said[0].contains("more file"), "{said:?}");
    let mut second_peer = fail(&second);
    assert_eq!(other.ask("say it").reply(), "said");
    // More heartbeats than one.
    std::thread::sleep(Duration::from_millis(2_500));
    let said = unwritten(&home);
    assert!(
        said.len() == 1 && said[0].contains(&turns(&first)) && said[0].contains("and 1 more file"),
        "{said:?}"
    );
    unbound(&daemon);
    assert_eq!(peer.ask("say it").reply(), "said");
    assert_eq!(second_peer.ask("say it").reply(), "said");
    until_written(&daemon, &home);
}

#[test]
fn what_is_kept_of_skills_is_written_as_soon_as_it_can_be_though_no_skill_changes() {
    for (name, called) in [
        ("state/skills-in-use", "what skills claim"),
        ("data/gates-once-ready", "gates that were ready"),
    ] {
        let home = Home::new().config(QUICK);
        let daemon = home.start();
        let blocked = Blocked::at(&home, name);
        Folder::of(&home).copy("warden", &gate("warden", "v1"));
        Watcher::of(&daemon).wait_state("warden", "ready");
        daemon.wait_until("it can't be written", || {
            unwritten(&home).iter().any(|text| text.contains(called))
        });
        drop(blocked);
        until_written(&daemon, &home);
        let kept = fs::read_to_string(home.path().join(name)).unwrap();
        assert!(kept.contains("warden"), "{name}: {kept}");
    }
}

#[test]
fn the_schedule_is_well_again_as_soon_as_it_can_be_written_though_nothing_is_due() {
    let home = Home::new().config(QUICK);
    let guest = Guest::actuator("reminder", "(:REMIND)");
    home.file("skills/reminder.wasm", &guest.build());
    let ran = home.run(&["skill", "grant", "reminder", "schedule"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let session = session_of(&home);
    let entry = format!(
        "(:SCHEDULE 1 :ENTRIES 1)\n(:ID \"entry\" :SKILL \"reminder\" :SESSION \"{session}\" :TEXT \"water\" :TAINTED NIL :NEXT 1)\n"
    );
    make_private(&home.file("data/schedule", entry.as_bytes()));
    let blocked = Blocked::beside(&home, "schedule");
    let daemon = home.start();
    daemon.wait_until("its turn could not begin, and waits", || {
        unwritten(&home).iter().any(|text| text.contains("the schedule"))
    });
    drop(blocked);
    // What is due is tried again after a minute only.
    let since = Instant::now();
    until_written(&daemon, &home);
    assert!(since.elapsed() < Duration::from_secs(30));
}

#[test]
fn what_nobody_heard_is_written_as_soon_as_it_can_be() {
    let home = Home::new().config("loop.heartbeat_seconds = 1\ngates.approval_expiry_seconds = 1\n");
    let daemon = home.start_scripted(&[proposal("touch made")]);
    let blocked = Blocked::beside(&home, "unheard");
    daemon.connect().ask("make it").plan_id();
    daemon.wait_until("it lapsed, and that nobody heard it is not written", || {
        unwritten(&home).iter().any(|text| text.contains("nobody has heard"))
    });
    drop(blocked);
    until_written(&daemon, &home);
    daemon.kill();
    let _daemon = home.start();
    let status = home.run(&["status"]);
    assert!(status.out.contains("1 message arrived"), "{status:?}");
}

/// What is in the place of the file that is written beside another one, so that this can't be replaced by anybody.
struct Blocked(PathBuf);

impl Blocked {
    fn beside(home: &Home, name: &str) -> Blocked {
        Blocked::at(home, &format!("data/{name}"))
    }

    /// The same of a file of the home.
    fn at(home: &Home, name: &str) -> Blocked {
        let path = home.path().join(format!("{name}.new"));
        fs::create_dir(&path).unwrap();
        Blocked(path)
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// A home in which evaluating is asked about, and can be approved once and for all.
fn guarded(config: &str) -> Home {
    let mut guest =
        Guest::new("(:NAME \"warden\" :VERSION \"v1\" :FUNCTIONS (:GATE) :GATE-TARGETS (:SYSTEM))".to_owned());
    let ask = guest.text(
        "(:RULE \"evaluates\" :FIELD \"payload.action\" :SUMMARY \"evaluates\" :RISK \"low\" :REMEMBER \"evaluating this\")",
    );
    guest.gate = format!("(call $say (i32.const 3) {ask})");
    let home = Home::new().config(config);
    Folder::of(&home).copy("warden", &guest.build());
    home
}

const QUICK: &str = "loop.heartbeat_seconds = 1\n";

fn answers() -> Vec<String> {
    vec![eval("(* 6 7)"), message("42 it is"), eval("(* 6 7)"), eval("(* 6 7)")]
}

/// Approves what is asked for once and for all, and returns the id of what stands then.
fn remembered(home: &Home, daemon: &Daemon<'_>) -> String {
    let asked = daemon.connect().ask("compute");
    let ran = home.run(&["approve", asked.plan_id(), "--yes", "--remember"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let listed = standing(home);
    assert_eq!(listed.len(), 1, "{listed:?}");
    listed[0].clone()
}

/// The ids of what stands.
fn standing(home: &Home) -> Vec<String> {
    let ran = home.run(&["approvals", "list", "--json"]);
    let list: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let all = list["approvals"].as_array().unwrap();
    all.iter().map(|own| own["id"].as_str().unwrap().to_owned()).collect()
}

fn revoked(home: &Home, id: &str) -> usize {
    let record = fs::read_to_string(home.path().join("data/record.log")).unwrap();
    let entries = record.lines().filter(|line| line.contains(":KIND :REVOKED"));
    entries.filter(|line| line.contains(id)).count()
}

fn says_that_it_is_tried_again(ran: &Ran) -> bool {
    ran.code != 0 && ran.err.contains("tried again by itself")
}

/// Nothing stands in the next daemon either, and the record says so once.
fn assert_gone(home: &Home, id: &str) {
    let daemon = home.start_scripted(&[eval("(* 6 7)")]);
    assert_eq!(standing(home), Vec::<String>::new());
    assert_eq!(daemon.connect().ask("compute").outcome(), "WAITING", "it came back");
    assert_eq!(revoked(home, id), 1);
}

#[test]
fn what_is_taken_back_while_its_file_can_t_be_written_is_written_by_itself_and_never_comes_back() {
    for revoke in ["one", "--all"] {
        let home = guarded(QUICK);
        let daemon = home.start_scripted(&answers());
        let id = remembered(&home, &daemon);
        let blocked = Blocked::beside(&home, "approvals");
        let ran = home.run(&["approvals", "revoke", if revoke == "one" { &id } else { revoke }]);
        assert!(
            says_that_it_is_tried_again(&ran) && ran.err.contains("for as long as the daemon runs"),
            "{ran:?}"
        );
        let said = unwritten(&home);
        assert!(said.len() == 1 && said[0].contains("once and for all"), "{said:?}");
        assert_eq!(daemon.connect().ask("compute").outcome(), "WAITING", "it still counts");
        drop(blocked);
        until_written(&daemon, &home);
        daemon.kill();
        assert_gone(&home, &id);
    }
}

#[test]
fn what_is_taken_back_while_nothing_can_be_written_is_recorded_and_written_by_itself() {
    let home = guarded(QUICK);
    let provider = home.script(&answers());
    let daemon = home.start_command(&mut bounded(&home, &provider));
    let id = remembered(&home, &daemon);
    bound(&daemon, 10);
    let ran = home.run(&["approvals", "revoke", &id]);
    assert!(says_that_it_is_tried_again(&ran), "{ran:?}");
    let said = unwritten(&home).concat();
    assert!(
        said.contains("the decision record") && said.contains("once and for all"),
        "{said}"
    );
    assert_eq!((revoked(&home, &id), standing(&home).len()), (0, 0));
    unbound(&daemon);
    until_written(&daemon, &home);
    assert_eq!(revoked(&home, &id), 1);
    daemon.kill();
    assert_gone(&home, &id);
}

#[test]
fn what_is_owed_to_the_record_comes_before_whatever_is_recorded_next() {
    // No heartbeat comes meanwhile.
    let home = guarded("loop.heartbeat_seconds = 3600\n");
    let provider = home.script(&answers());
    let daemon = home.start_command(&mut bounded(&home, &provider));
    let id = remembered(&home, &daemon);
    bound(&daemon, 10);
    let ran = home.run(&["approvals", "revoke", &id]);
    assert!(says_that_it_is_tried_again(&ran), "{ran:?}");
    unbound(&daemon);
    assert_eq!(daemon.connect().ask("compute").outcome(), "WAITING");
    assert_eq!(revoked(&home, &id), 1);
    assert!(daemon.stop().success());
    assert_gone(&home, &id);
}

#[test]
fn what_is_taken_back_is_written_when_the_daemon_stops_in_order() {
    let home = guarded("loop.heartbeat_seconds = 3600\n");
    let daemon = home.start_scripted(&answers());
    let id = remembered(&home, &daemon);
    let blocked = Blocked::beside(&home, "approvals");
    let ran = home.run(&["approvals", "revoke", &id]);
    assert!(says_that_it_is_tried_again(&ran), "{ran:?}");
    drop(blocked);
    assert!(daemon.stop().success());
    assert_gone(&home, &id);
}

#[test]
fn what_can_t_be_kept_once_and_for_all_does_not_stand_and_the_record_says_so() {
    let home = guarded(QUICK);
    let daemon = home.start_scripted(&answers());
    let asked = daemon.connect().ask("compute");
    let blocked = Blocked::beside(&home, "approvals");
    let ran = home.run(&["approve", asked.plan_id(), "--yes", "--remember"]);
    assert_ne!(ran.code, 0, "{ran:?}");
    assert_eq!(standing(&home), Vec::<String>::new());
    let record = fs::read_to_string(home.path().join("data/record.log")).unwrap();
    assert!(
        record.contains(":KIND :REMEMBERED") && record.contains(":KIND :REVOKED"),
        "{record}"
    );
    assert_eq!(unwritten(&home).len(), 1);
    drop(blocked);
    until_written(&daemon, &home);
}

#[test]
fn doctor_says_when_next_to_no_room_is_left() {
    let home = Home::new();
    assert!(home.start().stop().success());
    let plenty = home.run(&["doctor"]);
    let doctor = |size: &str| {
        let script = format!(
            "exec unshare --user --map-root-user --mount bash -c 'mount -t tmpfs -o size={size},mode=700 tmpfs {} && exec {} doctor'",
            home.path().join("data").display(),
            host_binary().display()
        );
        let output = in_bash(&home, &script).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let little = doctor("8m");
    assert!(
        little.contains("degraded") && little.contains("has 8 MiB left"),
        "{little}"
    );
    let more = doctor("200m");
    assert!(more.contains("checked:") && !more.contains("MiB left"), "{more}");
    assert!(plenty.code == 0, "{plenty:?}");
}

#[test]
fn where_the_books_can_t_be_written_no_server_is_asked_that_a_budget_bounds() {
    let (server, home) = home_with_server(vec![answer("said")]);
    let config = fs::read_to_string(home.path().join("config/config.toml")).unwrap();
    let home = home.config(&format!("{config}\n[budget]\nday_tokens = 1_000_000\n"));
    let daemon = home.start();
    assert_eq!(daemon.connect().ask("say it").reply(), "said");
    assert!(daemon.stop().success());
    let length = lengthen(&home, "budget.log");
    let daemon = home.start_command(&mut bounded(&home, "local"));
    let mut peer = daemon.connect();
    assert_eq!(peer.ask("say it").reply(), "said");
    bound(&daemon, length);
    let asked = server.seen().len();
    let turn = peer.ask("say it");
    assert_ne!(turn.outcome(), "ANSWERED", "{turn:#?}");
    assert_eq!(server.seen().len(), asked, "who is asked costs something");
    let said = unwritten(&home);
    assert!(
        said.len() == 1 && said[0].contains("the books on what models cost"),
        "{said:?}"
    );
    unbound(&daemon);
    assert_eq!(peer.ask("say it").reply(), "said");
    assert_eq!(unwritten(&home), Vec::<String>::new());
}
