//! What skills scheduled: it reaches them when it is due, through the gates, once, and tells the person.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use passepartout_tests::daemon::{PATIENCE, make_private};
use passepartout_tests::full::session_of;
use passepartout_tests::guest::Guest;
use passepartout_tests::hostile::longer;
use passepartout_tests::script::waiting;
use passepartout_tests::{Home, Peer, message};

const SAID: &str = "the plants are thirsty";

/// A home with a skill that answers every action with [`SAID`], and a session; returns the session's id.
fn home_with_reminder(rights: &[&str]) -> (Home, String) {
    let home = Home::new();
    let mut guest = Guest::actuator("reminder", "(:REMIND)");
    let said = guest.text(SAID);
    guest.act = format!("(call $say (i32.const 0) {said})");
    home.file("skills/reminder.wasm", &guest.build());
    rights.iter().for_each(|right| grant(&home, right));
    let session = session_of(&home);
    (home, session)
}

/// Grants the reminder `right`, as its file is now.
fn grant(home: &Home, right: &str) {
    let ran = home.run(&["skill", "grant", "reminder", right]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

/// Schedules entries that were due long ago: skill, and how often.
fn schedule(home: &Home, session: &str, entries: &[(&str, &str)]) {
    let mut text = format!("(:SCHEDULE 1 :ENTRIES {})\n", entries.len());
    for (at, (skill, every)) in entries.iter().enumerate() {
        text += &format!(
            "(:ID \"entry-{at}\" :SKILL \"{skill}\" :SESSION \"{session}\" :TEXT \"water\" :TAINTED NIL :NEXT 1 {every})\n"
        );
    }
    make_private(&home.file("data/schedule", text.as_bytes()));
}

fn scheduled(home: &Home) -> String {
    fs::read_to_string(home.path().join("data/schedule")).unwrap()
}

fn record(home: &Home) -> String {
    fs::read_to_string(home.path().join("data/record.log")).unwrap()
}

fn conversation(home: &Home, session: &str) -> String {
    fs::read_to_string(home.path().join(format!("data/turns/{session}.turns"))).unwrap()
}

#[test]
fn what_is_due_reaches_its_skill_through_the_gates_and_what_it_says_is_told_to_the_person() {
    let (home, session) = home_with_reminder(&["schedule"]);
    schedule(&home, &session, &[("reminder", ""), ("reminder", ":EVERY 3600")]);
    {
        // Without an answer: no model is asked.
        let daemon = home.start_scripted(&[message("unused")]);
        daemon.wait_until("both are told", || {
            conversation(&home, &session).matches(SAID).count() == 2 && !scheduled(&home).contains(":FIRING")
        });
    }
    assert!(home.prompts().len() == 1, "{:#?}", home.prompts());
    let record = record(&home);
    assert_eq!(record.matches(":ACTION :FIRED").count(), 2, "{record}");
    assert_eq!(
        record.matches(&format!(":TEXT \"{SAID}\" :EXPLANATION")).count(),
        2,
        "{record}"
    );
    // What fired once is gone, what fires again waits for its next time.
    let left = scheduled(&home);
    assert!(
        left.contains(":ENTRIES 1") && left.contains(":EVERY 3600") && !left.contains(":NEXT 1 "),
        "{left}"
    );
    let daemon = home.start_scripted(&[message("hello again")]);
    assert_eq!(daemon.connect().ask("hello").reply(), "hello again");
    assert_eq!(conversation(&home, &session).matches(SAID).count(), 2);
}

/// What a chat prints in which nobody says anything.
fn chat(home: &Home) -> String {
    let ran = home.run(&["chat"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.out
}

#[test]
fn what_is_said_while_nobody_is_attached_is_told_once_to_whoever_comes_also_after_a_kill() {
    let (home, session) = home_with_reminder(&["schedule"]);
    schedule(&home, &session, &[("reminder", "")]);
    let kept = home.path().join("data/unheard");
    {
        let daemon = home.start_scripted(&[message("unused")]);
        daemon.wait_until("it is said", || {
            conversation(&home, &session).contains(SAID) && !scheduled(&home).contains(":FIRING")
        });
        daemon.kill();
    }
    {
        let daemon = home.start_scripted(&[message("hello again")]);
        let status = home.run(&["status"]);
        assert!(status.out.contains("unheard    1 message arrived"), "{status:?}");
        let told = chat(&home);
        assert!(
            told.contains("1 message arrived while nobody was attached")
                && told.contains(&format!("session {session}, "))
                && told.contains(SAID),
            "{told}"
        );
        assert_eq!(chat(&home), "");
        assert!(!home.run(&["status"]).out.contains("unheard"));
        daemon.wait_until("that it was told is kept", || fs::metadata(&kept).unwrap().len() == 0);
        daemon.kill();
    }
    let daemon = home.start_scripted(&[message("hello again")]);
    assert_eq!(chat(&home), "");
    let turn = daemon.connect().ask("hello");
    assert!(turn.all("UNHEARD").is_empty(), "{turn:#?}");
    assert_eq!(turn.reply(), "hello again");
}

#[test]
fn who_has_not_proven_to_be_the_operator_is_not_told_what_others_have_not_heard() {
    let (home, session) = home_with_reminder(&["schedule"]);
    let home = home.config("[tcp]\nauth = \"none\"\n");
    let entries = [("reminder", ""); 25];
    schedule(&home, &session, &entries);
    let daemon = home.start_scripted(&[message("to a stranger"), message("to the operator")]);
    daemon.wait_until("all are said", || {
        conversation(&home, &session).matches(SAID).count() == entries.len()
    });
    let mut stranger = Peer::tcp(daemon.port());
    stranger.next();
    let asked = stranger.admin("(:ACTION :UNHEARD)");
    assert!(asked.to_string().contains("NOT-THE-OPERATOR"), "{asked}");
    let turn = stranger.ask("hello");
    assert_eq!(turn.reply(), "to a stranger");
    assert!(turn.all("UNHEARD").is_empty(), "{turn:#?}");

    // Whoever says something without having asked is told all the same, and before anything else.
    let turn = daemon.connect().ask("hello");
    let first = turn.frames[0].get("PAYLOAD").unwrap();
    assert!(first.get("ACTION").unwrap().is_kw("UNHEARD"), "{turn:#?}");
    assert_eq!(first.at("count").unwrap().as_int(), Some(25));
    // Of the older ones only the number.
    assert_eq!(first.get("MESSAGES").unwrap().items().unwrap().len(), 20);
    assert!(first.text_at("text").unwrap().contains("5 older than these"), "{first}");
    assert_eq!(turn.reply(), "to the operator");
}

#[test]
fn entries_of_a_skill_that_is_gone_or_may_not_schedule_do_nothing() {
    let (home, session) = home_with_reminder(&[]);
    schedule(&home, &session, &[("reminder", ""), ("gone", ":EVERY 60")]);
    let daemon = home.start_scripted(&[message("hello again")]);
    daemon.wait_until("both are logged", || {
        daemon.log().matches("nothing is done").count() == 2
    });
    assert_eq!(daemon.connect().ask("hello").reply(), "hello again");
    assert!(!conversation(&home, &session).contains(SAID));
    assert!(!record(&home).contains(":FIRED"));
}

#[test]
fn an_entry_whose_skill_may_not_schedule_any_more_is_shown_as_held() {
    let (home, session) = home_with_reminder(&["schedule"]);
    schedule(&home, &session, &[("reminder", ":EVERY 3600")]);
    let text = scheduled(&home).replace(":NEXT 1 ", ":NEXT 99999999999 ");
    make_private(&home.file("data/schedule", text.as_bytes()));
    let daemon = home.start_scripted(&[message("unused")]);
    let line = || {
        let status = home.run(&["status"]).out;
        let line = status.lines().find(|line| line.starts_with("scheduled"));
        line.unwrap_or_else(|| panic!("{status}")).to_owned()
    };
    assert!(!line().contains("held"), "{}", line());
    let ran = home.run(&["skill", "revoke", "reminder", "schedule"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    daemon.wait_until("it is held", || line().contains("held, since its skill "));
}

#[test]
fn the_operator_ends_what_a_skill_scheduled_also_where_the_skill_is_gone() {
    let (home, session) = home_with_reminder(&["schedule"]);
    schedule(
        &home,
        &session,
        &[
            ("gone", ":EVERY 3600"),
            ("gone", ":EVERY 3600"),
            ("reminder", ":EVERY 3600"),
        ],
    );
    let text = scheduled(&home).replace(":NEXT 1 ", ":NEXT 99999999999 ");
    make_private(&home.file("data/schedule", text.as_bytes()));
    let daemon = home.start_scripted(&[message("unused")]);
    let lines = || {
        let status = home.run(&["status"]).out;
        let lines = status.lines().filter(|line| line.starts_with("scheduled"));
        lines.map(str::to_owned).collect::<Vec<String>>()
    };
    let told = lines();
    assert_eq!(told.len(), 3, "{told:?}");
    assert_eq!(
        told.iter()
            .filter(|line| line.contains("`passepartout-host skill unschedule gone` ends it"))
            .count(),
        2,
        "{told:?}"
    );
    let status = home.run(&["status", "--json"]).out;
    let status: serde_json::Value = serde_json::from_str(&status).expect("JSON");
    let of_gone = |own: &&serde_json::Value| own["skill"] == "gone";
    let id = status["scheduled"].as_array().unwrap().iter().find(of_gone).unwrap()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let capitals = id.to_uppercase();
    for (args, code) in [
        (vec!["reminder", id.as_str()], 1),
        (vec!["gone", capitals.as_str()], 0),
        (vec!["gone", id.as_str()], 1),
        (vec!["gone"], 0),
        (vec!["gone"], 1),
    ] {
        let ran = home.run(&[&["skill", "unschedule"], args.as_slice()].concat());
        assert_eq!(ran.code, code, "{args:?}: {ran:?}");
    }
    let told = lines();
    assert!(told.len() == 1 && told[0].contains("reminder"), "{told:?}");
    daemon.kill();
    assert!(
        !scheduled(&home).contains("gone"),
        "it was on the disk when it was said"
    );
}

#[test]
fn what_is_due_before_its_skill_is_in_use_is_told_once_it_is() {
    let (home, session) = home_with_reminder(&["schedule"]);
    let file = home.path().join("skills/reminder.wasm");
    let whole = fs::read(&file).unwrap();
    schedule(&home, &session, &[("reminder", "")]);
    // More than is compiled at the start.
    let long = (0..3).fold(whole.clone(), |file, _| longer(file, 2 << 20));
    fs::write(&file, long).unwrap();
    grant(&home, "schedule");
    let daemon = home.start_scripted(&[message("unused")]);
    daemon.wait_until("it is told", || conversation(&home, &session).contains(SAID));
    assert!(daemon.log().contains("which is discovered"), "{}", daemon.log());
    drop(daemon);

    // One that is broken at the start, and mended afterwards.
    schedule(&home, &session, &[("reminder", "")]);
    fs::write(&file, &whole).unwrap();
    grant(&home, "schedule");
    fs::write(&file, b"broken").unwrap();
    let daemon = home.start_scripted(&[message("unused")]);
    daemon.wait_until("it waits", || daemon.log().contains("which has failed"));
    fs::write(&file, whole).unwrap();
    daemon.wait_until("it is told", || {
        conversation(&home, &session).matches(SAID).count() == 2
    });
    assert!(scheduled(&home).contains(":ENTRIES 0"));
}

/// Puts a reminder in the place of the one that is there that never comes to an end.
fn never_ends(home: &Home) -> Vec<u8> {
    let file = home.path().join("skills/reminder.wasm");
    let whole = fs::read(&file).unwrap();
    let mut guest = Guest::actuator("reminder", "(:REMIND)");
    guest.act = "(loop $again (br $again)) (unreachable)".to_owned();
    fs::write(&file, guest.build()).unwrap();
    grant(home, "schedule");
    whole
}

#[test]
fn what_is_due_and_has_not_begun_when_the_daemon_is_stopped_fires_afterwards_and_nothing_twice() {
    let (home, session) = home_with_reminder(&["schedule"]);
    let whole = never_ends(&home);
    home.file("config/config.toml", b"loop.shutdown_seconds = 0\n");
    schedule(&home, &session, &[("reminder", ""); 6]);
    {
        let daemon = home.start_scripted(&[message("unused")]);
        daemon.wait_until("one has begun", || record(&home).contains(":ACTION :FIRED"));
        assert!(daemon.stop().success());
    }
    assert!(scheduled(&home).contains(":ENTRIES 5"), "{}", scheduled(&home));
    // It did not end by itself, and not for its time either.
    let told = record(&home);
    assert!(
        told.contains("was ended, because the turn was stopped") && !told.contains("took longer"),
        "{told}"
    );
    fs::write(home.path().join("skills/reminder.wasm"), whole).unwrap();
    grant(&home, "schedule");
    let daemon = home.start_scripted(&[message("unused")]);
    daemon.wait_until("the others are told", || {
        conversation(&home, &session).matches(SAID).count() == 5
    });
    assert!(scheduled(&home).contains(":ENTRIES 0"), "{}", scheduled(&home));
    assert_eq!(record(&home).matches(":ACTION :FIRED").count(), 6);
}

#[test]
fn what_is_due_while_the_configuration_has_a_fault_is_told_once_it_has_none() {
    let (home, session) = home_with_reminder(&["schedule"]);
    schedule(&home, &session, &[("reminder", ""), ("reminder", ":EVERY 3600")]);
    let config = home.file("config/config.toml", b"loop.max_depth = \"many\"\n");
    {
        let daemon = home.start_scripted(&[message("unused")]);
        daemon.wait_until("it waits", || daemon.log().contains("because nothing can pass"));
        assert!(daemon.stop().success());
    }
    assert!(scheduled(&home).contains(":ENTRIES 2") && !record(&home).contains(":FIRED"));
    fs::remove_file(config).unwrap();
    let daemon = home.start_scripted(&[message("unused")]);
    daemon.wait_until("both are told", || {
        conversation(&home, &session).matches(SAID).count() == 2
    });
}

#[test]
fn what_a_clock_that_was_ahead_has_put_off_is_due_within_its_interval_again() {
    let (home, session) = home_with_reminder(&["schedule"]);
    const FAR: &str = ":NEXT 9000000000 ";
    let entries = [
        ("reminder", ":EVERY 60"),
        ("reminder", ":CRON \"0 7 * * *\""),
        ("reminder", ""),
    ];
    schedule(&home, &session, &entries);
    make_private(&home.file(
        "data/schedule",
        scheduled(&home).replacen(":NEXT 1 ", FAR, 3).as_bytes(),
    ));
    let daemon = home.start_scripted(&[message("unused")]);
    daemon.wait_until("both are brought back", || {
        scheduled(&home).matches(":EARLY").count() == 2
    });
    let kept = scheduled(&home);
    assert_eq!(
        kept.matches(FAR.trim_end()).count(),
        3,
        "when they were to fire is known: {kept}"
    );
    let once = kept
        .lines()
        .find(|line| !line.contains(":EARLY") && line.contains(FAR.trim_end()))
        .unwrap();
    assert!(once.contains("entry-2"), "what was asked for stays: {once}");
    let shown = home.run(&["status"]).out;
    let far = shown.matches("scheduled  2255").count();
    assert_eq!((shown.matches("scheduled  ").count(), far), (3, 1), "{shown}");
}

#[test]
fn what_was_firing_when_the_daemon_was_killed_is_told_once_and_not_done_again() {
    let (home, session) = home_with_reminder(&["schedule"]);
    let whole = never_ends(&home);
    schedule(&home, &session, &[("reminder", "")]);
    {
        let daemon = home.start_scripted(&[message("unused")]);
        daemon.wait_until("it has begun", || record(&home).contains(":ACTION :FIRED"));
        daemon.kill();
    }
    let firing = scheduled(&home);
    assert!(firing.contains(":ENTRIES 0 :FIRING 1"), "{firing}");
    fs::write(home.path().join("skills/reminder.wasm"), whole).unwrap();
    grant(&home, "schedule");
    let told = || {
        conversation(&home, &session)
            .matches("nobody knows how far it came")
            .count()
    };
    for _ in 0..2 {
        // Also where it is killed when it has told it and not let it go yet.
        make_private(&home.file("data/schedule", firing.as_bytes()));
        let daemon = home.start_scripted(&[message("unused")]);
        assert!(!scheduled(&home).contains(":FIRING"), "{}", scheduled(&home));
        assert_eq!(told(), 1, "{}", conversation(&home, &session));
        let status = home.run(&["status"]).out;
        assert!(status.contains("unheard    1 message arrived"), "{status}");
        daemon.kill();
    }
    let daemon = home.start_scripted(&[message("hello again")]);
    let heard = chat(&home);
    assert!(
        heard.contains("reminder had scheduled was due when the daemon ended") && heard.contains(": water"),
        "{heard}"
    );
    assert_eq!(chat(&home), "");
    assert_eq!(daemon.connect().ask("hello").reply(), "hello again");
    assert_eq!(told(), 1);
    assert_eq!(
        record(&home).matches(":ACTION :FIRED").count(),
        1,
        "it is not done again"
    );
}

#[test]
fn a_thousand_entries_that_are_due_at_once_hold_nobody_else_and_are_logged_once() {
    let (home, session) = home_with_reminder(&["schedule"]);
    never_ends(&home);
    home.file("skills/broken.wasm", b"broken");
    home.file("config/config.toml", b"loop.shutdown_seconds = 0\n");
    let mut entries = vec![("broken", ""); 500];
    entries.extend([("reminder", ""); 500]);
    schedule(&home, &session, &entries);
    let daemon = home.start_scripted(&[message("hello again")]);
    daemon.wait_until("one has begun", || scheduled(&home).contains(":ENTRIES 999"));
    assert_eq!(daemon.connect().ask("hello").reply(), "hello again");
    daemon.wait_until("the others wait", || {
        daemon
            .log()
            .contains("is due, and waits for its skill, which has failed")
    });
    // One line for all five hundred; of the others one may wait for a moment, when its session is just put away.
    let log = daemon.log();
    assert_eq!(log.matches("is due, and waits for its skill").count(), 1, "{log}");
    assert!(log.matches("is due, and").count() < 5, "{log}");
    let threads = fs::read_dir(format!("/proc/{}/task", daemon.pid())).unwrap().count();
    assert!(threads < 100, "{threads} threads");
    assert!(daemon.stop().success());
    let left = scheduled(&home);
    assert!(left.contains(":ENTRIES 999") && left.matches(":SINCE").count() == 500);
}

#[test]
fn what_a_reminded_skill_says_meets_the_gates() {
    let (home, session) = home_with_reminder(&["schedule"]);
    let mut command = home.command();
    command.args(["vault", "set", "words"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(SAID.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    schedule(&home, &session, &[("reminder", "")]);
    let daemon = home.start_scripted(&[message("hello again")]);
    daemon.wait_until("it is refused", || record(&home).contains("secret-of-vault"));
    // It is gone from the schedule: whoever comes is told of it, without what was not to be said.
    daemon.wait_until("that is noted", || {
        home.run(&["status"]).out.contains("unheard    1 message arrived")
    });
    let refused = conversation(&home, &session);
    assert!(refused.contains("is due. It was not done: "), "{refused}");
    assert_eq!(daemon.connect().ask("hello").reply(), "hello again");
    assert!(!conversation(&home, &session).contains(SAID));
    assert!(!record(&home).contains(SAID));
}

#[test]
fn a_person_who_is_asked_about_what_is_due_hears_what_its_skill_says_and_no_model_does() {
    let (home, session) = home_with_reminder(&["schedule"]);
    let mut warden =
        Guest::new("(:NAME \"warden\" :VERSION \"1\" :FUNCTIONS (:GATE) :GATE-TARGETS (:SCHEDULE))".to_owned());
    let ask = warden.text("(:RULE \"due\" :FIELD \"payload.action\" :SUMMARY \"wakes a skill\" :RISK \"low\")");
    warden.gate = format!("(call $say (i32.const 3) {ask})");
    home.file("skills/warden.wasm", &warden.build());
    schedule(&home, &session, &[("reminder", ""), ("reminder", ":EVERY 3600")]);
    let daemon = home.start_scripted(&[message("a model was asked")]);
    let mut operator = daemon.connect();
    let start = Instant::now();
    let plans = loop {
        let plans = waiting(&mut operator);
        if plans.len() == 2 {
            break plans;
        }
        assert!(start.elapsed() < PATIENCE, "nobody is asked: {plans:#?}");
        std::thread::sleep(Duration::from_millis(20));
    };
    let [approved, denied] = [&plans[0], &plans[1]].map(|plan| plan.text_at("plan").unwrap());
    let ran = home.run(&["approve", approved, "--yes"]);
    assert_eq!((ran.code, ran.out.trim()), (0, SAID), "{ran:?}");
    assert_eq!(conversation(&home, &session).matches(SAID).count(), 1);
    operator.join(&session);
    let turn = operator.ask(&format!("/deny {denied}"));
    assert_eq!(turn.outcome(), "ANSWERED");
    assert!(turn.reply().contains("denied"), "{turn:?}");
    assert_eq!(conversation(&home, &session).matches(SAID).count(), 1);
    assert_eq!(home.prompts().len(), 1, "{:#?}", home.prompts());
}

#[test]
fn a_schedule_that_is_damaged_is_said_and_left_alone_and_the_daemon_goes_on() {
    let (home, session) = home_with_reminder(&["schedule"]);
    schedule(&home, &session, &[("reminder", "")]);
    let damaged = scheduled(&home).replace(":ENTRIES 1", ":ENTRIES 2");
    make_private(&home.file("data/schedule", damaged.as_bytes()));
    let daemon = home.start_scripted(&[message("hello again")]);
    assert_eq!(daemon.connect().ask("hello").reply(), "hello again");
    assert!(
        daemon.log().contains("the schedule:") && daemon.log().contains("backup"),
        "{}",
        daemon.log()
    );
    assert_eq!(scheduled(&home), damaged);
    let doctor = home.run(&["doctor"]);
    assert!(
        doctor.out.contains("schedule") && doctor.out.contains("backup"),
        "{doctor:?}"
    );
}
