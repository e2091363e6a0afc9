//! A clock that goes wrong for a while: nothing fires because of it, and nothing is put off for long.

use super::*;

#[test]
fn a_clock_that_was_behind_for_a_while_makes_nothing_fire_before_its_time() {
    let (_folder, path) = place();
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    add(&schedule, "notes", r#"(:EVERY "1day" :TEXT "daily")"#).unwrap();
    add(&schedule, "notes", r#"(:CRON "0 7 * * *" :TEXT "at seven")"#).unwrap();
    add(&schedule, "notes", r#"(:EVERY "1h" :TEXT "waits for its skill")"#).unwrap();
    let put_off = schedule.due(NOW + 3_600);
    schedule.settle(&[], &put_off, NOW + 3_600).unwrap();
    for behind in [10 * DAY, 5 * DAY, 20 * DAY] {
        let schedule = Schedule::open(&path, &Writes::default()).unwrap();
        for look in 0..3 {
            let now = NOW - behind + 20 * look;
            schedule.bring_back(now).unwrap();
            assert!(due(&schedule, now).is_empty(), "{behind} behind");
        }
        // Also for whoever is started then.
        let schedule = Schedule::open(&path, &Writes::default()).unwrap();
        let now = NOW + 3_601;
        assert!(due(&schedule, now).is_empty(), "after {behind} behind");
        schedule.bring_back(now).unwrap();
        assert!(due(&schedule, now).is_empty(), "after {behind} behind");
        assert!(!fs::read_to_string(&path).unwrap().contains(":EARLY"));
    }
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    assert_eq!(due(&schedule, NOW + 3_602), ["waits for its skill"]);
    assert_eq!(due(&schedule, NOW + 19 * 3_600), ["waits for its skill", "at seven"]);
    assert!(!due(&schedule, NOW + DAY - 1).contains(&"daily".to_owned()));
    assert!(due(&schedule, NOW + DAY).contains(&"daily".to_owned()));
}

#[test]
fn what_began_to_wait_by_a_clock_that_was_ahead_fires_within_its_interval_also_through_restarts() {
    let (_folder, path) = place();
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    let ahead = NOW + 1_000 * DAY;
    for entry in [
        r#"(:EVERY "1day" :TEXT "daily")"#,
        r#"(:CRON "0 7 * * *" :TEXT "at seven")"#,
    ] {
        schedule.add(owner("notes"), &read(entry).unwrap(), ahead).unwrap();
    }
    // Every hour another daemon.
    let mut fired = Vec::new();
    for hour in 0..=24 {
        let (schedule, now) = (Schedule::open(&path, &Writes::default()).unwrap(), NOW + hour * 3_600);
        schedule.bring_back(now).unwrap();
        fired.extend(due(&schedule, now).into_iter().map(|text| (hour, text)));
    }
    assert_eq!(fired, [(19, "at seven".to_owned()), (24, "daily".to_owned())]);
    let schedule = Schedule::open(&path, &Writes::default()).unwrap();
    assert_eq!(schedule.next_due(NOW + DAY), Some(NOW + DAY + 19 * 3_600));
}
