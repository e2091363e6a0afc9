//! However much is kept, and however long it is: what is asked about it is answered.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;

use passepartout_tests::daemon::make_private;
use passepartout_tests::script::call;
use passepartout_tests::{Home, message};

/// How long a text is of which a few are more than one frame holds.
const LONG: usize = 850_000;

/// The longest text of one frame, in bytes.
const FRAME: usize = 4 << 20;

#[test]
fn however_long_the_plans_are_that_wait_they_are_listed_and_each_is_shown_whole_answered_and_explained() {
    let home = Home::new();
    let big = |at: usize| {
        let text = format!("{}the end of {at}", "x".repeat(LONG));
        call("write-file", &format!(":PATH \"big{at}.txt\" :TEXT \"{text}\""))
    };
    let mut answers: Vec<String> = (0..6).map(big).collect();
    answers.extend([message("written"), message("as you like")]);
    let daemon = home.start_scripted(&answers);
    let mut ids = Vec::new();
    for at in 0..6 {
        // What was said is recorded with what was decided.
        let said = if at == 0 {
            "a long story ".repeat(280_000)
        } else {
            "write".to_owned()
        };
        let mut peer = daemon.connect();
        ids.push(peer.ask(&said).plan_id().to_owned());
        let listed = peer.ask("/plans");
        assert!(listed.reply().contains("bytes in all") && listed.reply().len() < 20_000);
    }

    let status = home.run(&["status"]);
    assert_eq!(status.code, 0, "{}", status.err);
    for id in &ids {
        let whole = format!("passepartout-host approve {id} shows the whole before it asks");
        assert!(status.out.contains(&whole), "{}", status.out);
    }
    assert!(status.out.len() < 60_000 && status.out.contains(" bytes in all)"));
    let json: serde_json::Value = serde_json::from_str(&home.run(&["status", "--json"]).out).unwrap();
    assert_eq!(json["plans"].as_array().unwrap().len(), 6);
    assert!(json["plans"][0]["text_bytes"].as_u64().unwrap() > LONG as u64);

    let whole = |at: usize| format!("{}the end of {at}", "x".repeat(LONG));
    let unsure = home.run(&["approve", &ids[0]]);
    assert!(unsure.code == 4 && unsure.err.contains(&whole(0)), "{}", unsure.code);
    let approved = home.run(&["approve", &ids[0], "--yes"]);
    assert_eq!((approved.code, approved.out.as_str()), (0, "written\n"));
    assert!(approved.err.contains(&whole(0)));
    assert_eq!(fs::read_to_string(home.workspace().join("big0.txt")).unwrap(), whole(0));
    let denied = home.run(&["deny", &ids[1]]);
    assert_eq!(
        (denied.code, denied.out.as_str()),
        (0, "as you like\n"),
        "{}",
        denied.err
    );

    let last = home.run(&["explain", "last"]);
    assert_eq!(last.code, 0, "{}", last.err);
    let explained = home.run(&["explain", &ids[0], "--json"]);
    assert_eq!((explained.code, explained.err.as_str()), (0, ""));
    assert!(explained.out.contains(&whole(0)) && explained.out.len() > FRAME);

    // The same for who reads frames himself.
    let mut peer = daemon.connect();
    let asked = peer.request(&format!(":PAYLOAD (:ACTION :EXPLAIN :ID \"{}\")", ids[0]));
    let mut parts = 0;
    let answer = loop {
        let frame = peer.next();
        assert_eq!(frame.text_at("meta.request-id"), Some(asked.as_str()));
        if frame.get("TYPE").unwrap().is_kw("RESPONSE") {
            break frame;
        }
        parts += 1;
        assert!(
            frame.at("payload.action").unwrap().is_kw("PART"),
            "{}",
            frame.shortened(200)
        );
        assert_eq!(frame.at("payload.index").unwrap().as_int(), Some(parts));
    };
    assert!(parts > 1);
    assert_eq!(
        answer.get("PAYLOAD").unwrap().to_string(),
        "(:ACTION :EXPLAIN :PRINTED T)"
    );
}

#[test]
fn a_schedule_that_is_longer_than_a_frame_is_shown() {
    let home = Home::new();
    let (count, text) = (2_000, "x".repeat(4_000));
    let mut kept = format!("(:SCHEDULE 1 :ENTRIES {count})\n");
    for at in 0..count {
        kept += &format!(
            "(:ID \"{at}\" :SKILL \"notes\" :SESSION \"0123456789abcdef0123456789abcdef\" :TEXT \"{text}\" :TAINTED NIL \
             :NEXT 9000000000)\n"
        );
    }
    make_private(&home.file("data/schedule", kept.as_bytes()));
    let _daemon = home.start();
    let status = home.run(&["status"]);
    assert_eq!(status.code, 0, "{}", status.err);
    assert!(status.out.contains("scheduled  and 1990 more"), "{}", status.out);
    let json: serde_json::Value = serde_json::from_str(&home.run(&["status", "--json"]).out).unwrap();
    assert_eq!(json["scheduled"].as_array().unwrap().len(), count);
}
