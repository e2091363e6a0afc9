#![allow(clippy::unwrap_used, clippy::expect_used)]

mod clocks;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::*;
use crate::audit::Writes;
use crate::signal::SessionId;

/// Noon of a day in 2026.
const NOW: u64 = 1_795_867_200;

fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("schedule");
    (folder, path)
}

fn owner(skill: &str) -> Owner<'_> {
    Owner {
        skill,
        session: SessionId::random().unwrap(),
        tainted: false,
        most: 3,
    }
}

fn add(schedule: &Schedule, skill: &str, entry: &str) -> Result<String, ScheduleError> {
    schedule.add(owner(skill), &read(entry).unwrap(), NOW)
}

/// The texts of what is due at `now`, each of which fires.
fn due(schedule: &Schedule, now: u64) -> Vec<String> {
    let due = schedule.due(now);
    for entry in &due {
        assert!(schedule.begin(&entry.id, now).unwrap());
        assert!(!schedule.begin(&entry.id, now).unwrap(), "nothing fires twice");
    }
    due.iter().map(|entry| entry.text.to_string()).collect()
}

#[test]
fn what_was_added_is_there_after_reopening_and_only_its_owner_can_read_it() {
    let (_folder, path) = place();
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    let id = add(&schedule, "notes", r#"(:EVERY "15m" :TEXT "water the plants")"#).unwrap();
    add(
        &schedule,
        "other",
        r#"(:AT "2026-12-24T18:00:00Z" :TEXT "with \"quotes\"")"#,
    )
    .unwrap();
    let again = Schedule::open(&path, &Writes::default()).unwrap();
    assert_eq!(again.of("notes"), schedule.of("notes"));
    assert_eq!(again.of("other"), schedule.of("other"));
    let shown = again.of("notes")[0].shown(NOW);
    assert_eq!(shown.text_at("id"), Some(&*id));
    assert_eq!(shown.text_at("every"), Some("15m"));
    assert_eq!(
        again.of("other")[0].shown(NOW).text_at("at"),
        Some("2026-12-24T18:00:00Z")
    );
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn an_entry_with_a_cron_fires_at_its_moments_and_those_that_were_missed_fire_once() {
    const DAY: u64 = 86_400;
    /// Monday at seven.
    const FIRST: u64 = NOW + 2 * DAY - 5 * 3_600;
    let (_folder, path) = place();
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    add(&schedule, "notes", r#"(:CRON "0 7 * * 1-5" :TEXT "stand up")"#).unwrap();
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    assert_eq!(schedule.of("notes")[0].shown(NOW).text_at("cron"), Some("0 7 * * 1-5"));
    assert_eq!(schedule.next_due(NOW), Some(FIRST));
    assert!(due(&schedule, FIRST - 1).is_empty());
    assert_eq!(due(&schedule, FIRST), ["stand up"]);
    assert_eq!(schedule.next_due(NOW), Some(FIRST + DAY));
    // Nobody looked until Friday noon.
    assert_eq!(due(&schedule, FIRST + 4 * DAY + 5 * 3_600), ["stand up"]);
    assert_eq!(schedule.next_due(NOW), Some(FIRST + 7 * DAY));
    for (wrong, named) in [
        (r#"(:CRON "0 7 * *" :TEXT "x")"#, "five fields"),
        (r#"(:CRON "0 0 30 2 *" :TEXT "x")"#, "no such day"),
        (r#"(:CRON 7 :TEXT "x")"#, "as a string"),
        (r#"(:CRON "0 7 * * *" :EVERY "1h" :TEXT "x")"#, "one of"),
    ] {
        let error = add(&schedule, "notes", wrong).unwrap_err().to_string();
        assert!(error.contains(named), "{error}");
    }
}

#[test]
fn an_entry_fires_when_it_is_due_once_or_again_and_again() {
    let (_folder, path) = place();
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    add(&schedule, "notes", r#"(:EVERY "1m" :TEXT "again")"#).unwrap();
    let at = humantime::format_rfc3339_seconds(UNIX_EPOCH + std::time::Duration::from_secs(NOW + 90));
    add(&schedule, "notes", &format!("(:AT \"{at}\" :TEXT \"once\")")).unwrap();
    assert_eq!(schedule.next_due(NOW), Some(NOW + 60));
    assert!(due(&schedule, NOW + 59).is_empty());
    assert_eq!(due(&schedule, NOW + 60), ["again"]);
    assert!(due(&schedule, NOW + 60).is_empty());
    // What has fired has, whatever becomes of this process.
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    assert_eq!(due(&schedule, NOW + 119), ["once"]);
    // What was missed many times fires once.
    assert_eq!(due(&schedule, NOW + 100_000), ["again"]);
    assert_eq!(schedule.next_due(NOW), Some(NOW + 100_060));
    assert_eq!(schedule.of("notes").len(), 1);
}

#[test]
fn one_that_could_not_fire_is_tried_again_soon_and_then_each_minute() {
    let (_folder, path) = place();
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    add(&schedule, "notes", r#"(:AT "2026-12-24T18:00:00Z" :TEXT "once")"#).unwrap();
    let christmas = schedule.next_due(NOW).unwrap();
    schedule.settle(&[], &schedule.due(christmas), christmas).unwrap();
    assert!(due(&schedule, christmas + 1).is_empty());
    // Since when it waits is known after a restart, too.
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    let waiting = schedule.due(christmas + 1_000);
    assert_eq!(waiting[0].since, Some(christmas));
    schedule.settle(&[], &waiting, christmas + 1_000).unwrap();
    assert!(due(&schedule, christmas + 1_059).is_empty());
    assert_eq!(due(&schedule, christmas + 1_060), ["once"]);
}

#[test]
fn what_its_skill_removed_while_its_turn_waited_does_not_fire() {
    let (_folder, path) = place();
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    for entry in [
        r#"(:EVERY "1h" :TEXT "again")"#,
        r#"(:AT "2026-12-24T18:00:00Z" :TEXT "once")"#,
    ] {
        let id = add(&schedule, "notes", entry).unwrap();
        let now = schedule.next_due(NOW).unwrap();
        let waiting = schedule.due(now);
        assert!(schedule.queue(&waiting[0]));
        assert!(schedule.clear("other", Some(&id)).unwrap() == 0);
        assert!(schedule.clear("notes", Some(&id)).unwrap() == 1);
        assert!(!schedule.begin(&id, now).unwrap(), "{entry}");
        schedule.settle(&waiting, &waiting, now).unwrap();
        assert!(schedule.of("notes").is_empty(), "{entry}");
        assert!(
            Schedule::open(&path, &Writes::default())
                .unwrap()
                .of("notes")
                .is_empty(),
            "{entry}"
        );
        // One that has fired for good is none any more.
        let id = add(&schedule, "notes", entry).unwrap();
        assert_eq!(due(&schedule, now * 2).len(), 1);
        assert_eq!(
            schedule.clear("notes", Some(&id)).unwrap() == 1,
            entry.contains("again"),
            "{entry}"
        );
    }
}

#[test]
fn what_waits_for_its_turn_is_not_due_and_is_there_after_a_restart() {
    let (_folder, path) = place();
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    let session = SessionId::random().unwrap();
    let owner = Owner {
        session,
        most: 10,
        ..owner("notes")
    };
    for text in 0..6 {
        let entry = format!("(:AT \"2026-12-24T18:00:00Z\" :TEXT \"{text}\")");
        schedule.add(owner, &read(&entry).unwrap(), NOW).unwrap();
    }
    let now = schedule.next_due(NOW).unwrap();
    let all = schedule.due(now);
    assert_eq!(all.len(), 6);
    let queued = all.iter().filter(|entry| schedule.queue(entry)).count();
    assert_eq!(queued, 4, "room is left for whoever says something there");
    assert!(schedule.due(now).is_empty());
    assert_eq!(schedule.next_due(NOW), None);
    // One begins, and one could not: there is room for two.
    assert!(schedule.begin(&all[0].id, now).unwrap());
    schedule.release(&all[1].id, now + 60);
    assert_eq!(schedule.due(now).len(), 2);
    assert_eq!(schedule.next_due(NOW), Some(now));
    assert_eq!(schedule.due(now + 60).len(), 3);
    assert_eq!(Schedule::open(&path, &Writes::default()).unwrap().due(now).len(), 5);
    schedule.close();
    assert!(schedule.due(now + 60).is_empty());
}

#[test]
fn a_file_longer_than_one_form_may_be_is_read_and_one_that_would_be_too_long_is_not_written() {
    let (_folder, path) = place();
    let session = SessionId::random().unwrap();
    let text = "\\\"".repeat(4_096);
    let write = |count: usize| {
        let mut file = format!("(:SCHEDULE 1 :ENTRIES {count})\n");
        for at in 0..count {
            file += &format!(
                "(:ID \"{at}\" :SKILL \"notes\" :SESSION \"{session}\" :TEXT \"{text}\" :TAINTED NIL :NEXT 1)\n"
            );
        }
        fs::write(&path, file).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    };
    write(1_000);
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    assert_eq!(schedule.of("notes").len(), 1_000);
    add(&schedule, "other", r#"(:EVERY "1h" :TEXT "a")"#).unwrap();
    assert_eq!(Schedule::open(&path, &Writes::default()).unwrap().of("other").len(), 1);
    write(4_200);
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    let error = add(&schedule, "other", r#"(:EVERY "1h" :TEXT "a")"#).unwrap_err();
    assert!(error.to_string().contains("may have no more than 33554432"), "{error}");
    assert_eq!(
        Schedule::open(&path, &Writes::default()).unwrap().of("notes").len(),
        4_200
    );
    assert!(schedule.begin("0", NOW).unwrap());
}

#[test]
fn a_skill_lists_and_removes_its_own_entries_alone() {
    let (_folder, path) = place();
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    let id = add(&schedule, "notes", r#"(:EVERY "1h" :TEXT "a")"#).unwrap();
    assert!(schedule.clear("other", Some(&id)).unwrap() == 0);
    assert!(list("other", &schedule).is_empty());
    assert_eq!(list("notes", &schedule).len(), 1);
    assert!(schedule.clear("notes", Some(&id)).unwrap() == 1);
    assert!(schedule.clear("notes", Some(&id)).unwrap() == 0);
    assert!(
        Schedule::open(&path, &Writes::default())
            .unwrap()
            .of("notes")
            .is_empty()
    );
}

#[test]
fn a_skill_has_as_many_entries_as_it_may() {
    let (_folder, path) = place();
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    for _ in 0..3 {
        add(&schedule, "notes", r#"(:EVERY "1h" :TEXT "a")"#).unwrap();
    }
    let error = add(&schedule, "notes", r#"(:EVERY "1h" :TEXT "a")"#).unwrap_err();
    assert!(error.to_string().contains("limits.notes.schedule_entries"), "{error}");
    add(&schedule, "other", r#"(:EVERY "1h" :TEXT "a")"#).unwrap();
}

#[test]
fn entries_that_can_not_be_are_refused_with_what_to_write() {
    let (_folder, path) = place();
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    let long = format!("(:EVERY \"1h\" :TEXT \"{}\")", "x".repeat(5_000));
    for (bad, said) in [
        ("\"x\"", "plist"),
        ("(:TEXT \"x\")", "one of :EVERY"),
        (
            "(:EVERY \"1h\" :AT \"2026-12-24T18:00:00Z\" :TEXT \"x\")",
            "one of :EVERY",
        ),
        ("(:EVERY \"1h\")", ":TEXT"),
        ("(:EVERY \"1h\" :TEXT \" \")", ":TEXT"),
        ("(:EVERY \"59s\" :TEXT \"x\")", "one minute"),
        ("(:EVERY \"9000days\" :TEXT \"x\")", "366 days"),
        ("(:EVERY \"often\" :TEXT \"x\")", "\"15m\""),
        ("(:EVERY 900 :TEXT \"x\")", "\"15m\""),
        ("(:AT \"tomorrow\" :TEXT \"x\")", "in UTC"),
        ("(:AT \"2026-11-28T12:00:59Z\" :TEXT \"x\")", "at least a minute"),
        ("(:AT \"2020-01-01T00:00:00Z\" :TEXT \"x\")", "at least a minute"),
        ("(:AT \"2126-01-01T00:00:00Z\" :TEXT \"x\")", "ten years"),
        ("(:EVERY \"1h\" :TEXT \"x\" :SKILL \"other\")", ":SKILL"),
        (&long, "4096"),
    ] {
        let error = add(&schedule, "notes", bad).unwrap_err().to_string();
        assert!(error.contains(said), "{bad}: {error}");
    }
    assert!(!path.exists(), "nothing was written");
}

#[test]
fn a_file_cut_anywhere_is_an_error_and_is_not_written_over() {
    let (_folder, path) = place();
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    for text in ["a", "b"] {
        add(&schedule, "notes", &format!("(:EVERY \"1h\" :TEXT \"{text}\")")).unwrap();
    }
    let whole = fs::read(&path).unwrap();
    for cut in 0..whole.len() - 1 {
        fs::write(&path, &whole[..cut]).unwrap();
        let refused = Schedule::open(&path, &Writes::default());
        assert!(matches!(refused, Err(ScheduleError::Damaged(_))), "cut at byte {cut}");
    }
    fs::write(&path, &whole).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(
        Schedule::open(&path, &Writes::default()),
        Err(ScheduleError::Private(_))
    ));
}

#[test]
fn what_cannot_be_written_was_not_added_and_did_not_fire() {
    let (folder, path) = place();
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    add(&schedule, "notes", r#"(:EVERY "1h" :TEXT "a")"#).unwrap();
    // A folder in the place of what is written beside.
    let beside = folder.path().join("schedule.new");
    fs::create_dir_all(beside.join("x")).unwrap();
    assert!(add(&schedule, "notes", r#"(:EVERY "1h" :TEXT "b")"#).is_err());
    let id = schedule.of("notes")[0].id.clone();
    assert!(schedule.begin(&id, NOW + 86_400).is_err());
    fs::remove_dir_all(&beside).unwrap();
    assert_eq!(due(&schedule, NOW + 86_400), ["a"]);
}

const DAY: u64 = 86_400;

#[test]
fn what_has_begun_to_fire_is_known_after_a_kill_until_it_has_ended_and_never_fires_twice() {
    let (_folder, path) = place();
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    for entry in [
        r#"(:EVERY "1h" :TEXT "again")"#,
        r#"(:AT "2026-12-24T18:00:00Z" :TEXT "once")"#,
    ] {
        add(&schedule, "notes", entry).unwrap();
    }
    let now = NOW + 30 * DAY;
    assert_eq!(due(&schedule, now).len(), 2);
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    assert!(schedule.due(now).is_empty());
    let firing = schedule.firing();
    let texts: Vec<&str> = firing.iter().map(|entry| &*entry.text).collect();
    assert_eq!(texts, ["again", "once"]);
    assert_eq!(
        schedule.of("notes").len(),
        1,
        "what fires for good is none of its skill's any more"
    );
    for entry in &firing {
        schedule.ended(&entry.id).unwrap();
        schedule.ended(&entry.id).unwrap();
    }
    assert!(Schedule::open(&path, &Writes::default()).unwrap().firing().is_empty());
    assert_eq!(due(&schedule, now + 3_600), ["again"]);
}
