//! Skills that wait, give way, are left alone or taken back while the daemon runs.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_host::sexp::kw;
use passepartout_tests::guest::{Guest, SECRETS, TEXT};
use passepartout_tests::hostile;
use passepartout_tests::reaching;
use passepartout_tests::skills::{Folder, Watcher, assert_judges, gate, gate_with, large_gate};
use passepartout_tests::{Home, message};

#[test]
fn one_more_capability_waits_for_its_grant_and_the_earlier_version_goes_on() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("guard", &gate("guard", "v1"));
    let daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    watcher.wait_version("guard", "v1");
    let mut more = Guest::new("(:NAME \"guard\" :VERSION \"v2\" :FUNCTIONS (:GATE))").import(&SECRETS);
    let text = more.text("(:RULE \"v2\" :REASON \"always\")");
    more.gate = format!("(call $say (i32.const 2) {text})");
    folder.moved("guard", &more.build());
    let row = watcher.wait_state("guard", "waiting");
    assert!(
        row.reason
            .contains("passepartout-host skill grant guard contains-secret"),
        "{row:?}"
    );
    assert_judges(&mut peer, "guard", "v1");
    let ran = home.run(&["skill", "grant", "guard", "contains-secret"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    watcher.wait_version("guard", "v2");
    assert_judges(&mut peer, "guard", "v2");
    // What is taken back is gone at once, and a gate without what it needs rejects rather than vanishes.
    std::fs::write(home.path().join("config/grants"), b"").unwrap();
    watcher.wait("guard", |row| row.state == "waiting");
    assert_judges(&mut peer, "guard", "gate-unavailable");
}

#[test]
fn a_dispatcher_that_nobody_trusts_changes_nothing_by_coming_nor_by_going() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    let before = watcher.in_use();
    folder.moved("dispatcher", &gate("dispatcher", "mine"));
    let row = watcher.wait_state("dispatcher", "waiting");
    assert!(row.reason.contains("skill trust"), "{row:?}");
    assert_eq!(watcher.in_use(), before);
    assert_eq!(peer.ask("hello").outcome(), "ANSWERED");
    folder.delete("dispatcher");
    watcher.wait("dispatcher", |row| row.source == "bundled");
    assert_eq!(watcher.in_use(), before);

    // With trust it is used, and deleting it brings the bundled one back.
    folder.moved("dispatcher", &gate("dispatcher", "mine"));
    watcher.wait_state("dispatcher", "waiting");
    let ran = home.run(&["skill", "trust", folder.file("dispatcher").to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{ran:?}");
    watcher.wait_version("dispatcher", "mine");
    assert_judges(&mut peer, "dispatcher", "mine");

    // Taking trust back does not: what it was about is rejected, and whoever takes it back is told so.
    let ran = home.run(&["skill", "revoke", "dispatcher"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.out.contains("the bundled dispatcher does not come back by itself")
            && ran.out.contains("`passepartout-host skill remove dispatcher`"),
        "{ran:?}"
    );
    watcher.wait_state("dispatcher", "waiting");
    assert_judges(&mut peer, "dispatcher", "gate-unavailable");
    folder.delete("dispatcher");
    daemon.wait_until("the file is forgotten", || {
        watcher.rows_of("dispatcher").iter().all(|row| row.source == "bundled")
    });
    assert_eq!(watcher.in_use(), before);
    assert_eq!(peer.ask("hello").outcome(), "ANSWERED");
}

#[test]
fn skills_that_depend_on_others_wait_for_them_in_whatever_order_they_come() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    folder.copy("c", &gate_with("c", "v1", ":DEPENDS-ON (\"b\")"));
    folder.copy("b", &gate_with("b", "v1", ":DEPENDS-ON (\"a\")"));
    assert!(
        watcher
            .wait_state("b", "waiting")
            .reason
            .contains("`a`, which is not loaded")
    );
    watcher.wait_state("c", "waiting");
    folder.copy("a", &gate("a", "v1"));
    for name in ["a", "b", "c"] {
        watcher.wait_version(name, "v1");
    }
    // One that goes takes along who needs it, and brings them back with it.
    folder.delete("a");
    watcher.wait_gone("a");
    watcher.wait_state("b", "waiting");
    watcher.wait_state("c", "waiting");
    folder.copy("a", &gate("a", "v2"));
    watcher.wait_version("c", "v1");
    // A newcomer that closes a circle gives way, and the circle is named.
    folder.copy("a", &gate_with("a", "v3", ":DEPENDS-ON (\"c\")"));
    let row = watcher.wait_state("a", "failed");
    assert!(row.reason.contains("a → c → b → a"), "{row:?}");
    for (name, version) in [("a", "v2"), ("b", "v1"), ("c", "v1")] {
        watcher.wait_version(name, version);
    }
}

#[test]
fn who_has_a_target_keeps_it_and_who_waits_for_it_gets_it_when_it_is_free() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    folder.copy("zed", &Guest::actuator("zed", "(:ERRANDS)").build());
    watcher.wait_state("zed", "ready");
    folder.copy("abe", &Guest::actuator("abe", "(:ERRANDS)").build());
    assert!(
        watcher
            .wait_state("abe", "failed")
            .reason
            .contains("belongs to the skill `zed`")
    );
    folder.delete("zed");
    watcher.wait_state("abe", "ready");
}

#[test]
fn a_skill_that_traps_again_and_again_is_left_alone_until_its_file_is_replaced() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let mut guest = Guest::actuator("wreck", "(:WRECK)");
    guest.act = "unreachable".to_owned();
    folder.copy("wreck", &guest.build());
    let asked = "(:TYPE :REQUEST :TARGET :WRECK :PAYLOAD (:CMD \"go\" :EXPLANATION \"to see it fail again\"))";
    let mut answers = Vec::new();
    for _ in 0..4 {
        answers.extend([asked.to_owned(), message("it failed")]);
    }
    answers.extend([asked.to_owned(), message("it went well")]);
    let daemon = home.start_scripted(&answers);
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    watcher.wait_state("wreck", "ready");
    let mut go = || {
        let turn = peer.ask("do it");
        peer.ask(&format!("/approve {}", turn.plan_id()))
    };
    for _ in 0..3 {
        go();
    }
    let row = watcher.wait_state("wreck", "quarantined");
    assert!(
        row.reason.contains("unreachable") && row.reason.contains("left alone"),
        "{row:?}"
    );
    go();
    let told = home.prompts().last().unwrap().to_string();
    assert!(told.contains("left alone"), "the model is told why: {told}");
    guest = Guest::actuator("wreck", "(:WRECK)");
    let text = guest.text("mended");
    guest.act = format!("(call $say (i32.const 0) {text})");
    folder.moved("wreck", &guest.build());
    watcher.wait_state("wreck", "ready");
    go();
    assert!(home.prompts().last().unwrap().to_string().contains("mended"));
}

#[test]
fn a_gate_is_never_quarantined_by_what_it_is_asked_about() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("wreck", &hostile::trapping_gate("wreck"));
    let daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    watcher.wait_state("wreck", "ready");
    for _ in 0..5 {
        assert_judges(&mut peer, "wreck", "gate-trap");
    }
    watcher.wait_state("wreck", "ready");
}

#[test]
fn of_a_gate_whose_calls_fail_doctor_and_the_list_of_skills_say_why() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("wreck", &hostile::trapping_gate("wreck"));
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    watcher.wait_state("wreck", "ready");
    let told = || {
        let ran = home.run(&["doctor", "--json"]);
        let found: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        let checks = found["checks"].as_array().expect("checks").iter();
        let text = |check: &serde_json::Value| check["text"].as_str().unwrap_or_default().to_owned();
        let own = checks.filter(|check| text(check).contains("wreck"));
        own.map(|check| (check["level"].as_str().unwrap_or_default().to_owned(), text(check)))
            .collect::<Vec<(String, String)>>()
    };
    assert!(told().is_empty(), "{:?}", told());
    let health = || daemon.connect().admin("(:ACTION :STATUS)").get("HEALTH").cloned();
    let degraded = Some(kw("DEGRADED"));
    // A check is no call: nothing comes of it.
    assert_eq!(home.run(&["gate", "check", "--", "ls"]).code, 3);
    assert!(told().is_empty() && health() != degraded, "{:?}", told());
    // Three proposals of one turn.
    assert_judges(&mut daemon.connect(), "wreck", "gate-trap");
    let often = told();
    assert!(
        often[0].0 == "degraded"
            && often[0].1.contains("the last 3 of 3 calls")
            && often[0].1.contains("unreachable"),
        "{often:?}"
    );
    assert!(
        often[0].1.contains("`passepartout-host skill remove wreck`"),
        "{often:?}"
    );
    assert_eq!(health(), degraded);
    let list = home.run(&["skill", "list"]).out;
    assert!(
        list.contains("its last call that failed: it") && list.contains("unreachable"),
        "{list}"
    );
    // Another file begins anew.
    folder.copy("wreck", &gate("wreck", "v2"));
    watcher.wait_version("wreck", "v2");
    assert!(told().is_empty(), "{:?}", told());
}

#[test]
fn what_was_tried_again_and_refused_in_the_same_words_is_shown_once() {
    let home = Home::new();
    Folder::of(&home).copy("wreck", &hostile::trapping_gate("wreck"));
    let _daemon = home.start();
    let ran = home.run(&["send", "hello"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert_eq!(ran.err.matches("gate-trap").count(), 1, "{ran:?}");
    assert!(ran.err.contains("3 times in a row"), "{ran:?}");
    assert_eq!(ran.err.matches("explain 3").count(), 1, "{ran:?}");
}

#[test]
fn the_health_of_the_daemon_follows_its_skills() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    let health = || daemon.connect().admin("(:ACTION :DOCTOR)").to_string();
    assert!(!health().contains("`nowhere`"));
    folder.copy("guard", &gate_with("guard", "v1", ":DEPENDS-ON (\"nowhere\")"));
    watcher.wait_state("guard", "waiting");
    assert!(health().contains("`nowhere`"), "{}", health());
    folder.delete("guard");
    watcher.wait_gone("guard");
    assert!(!health().contains("`nowhere`"), "{}", health());
}

#[test]
fn an_action_for_a_skill_that_waits_is_told_that_it_waits() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("doer", &hostile::running_actuator("doer", "DOER", "payload.cmd"));
    let daemon = home.start();
    Watcher::of(&daemon).wait_state("doer", "waiting");
    let ran = home.run(&[
        "send",
        "(:TYPE :REQUEST :TARGET :DOER :PAYLOAD (:CMD \"true\" :EXPLANATION \"to see what comes of it\"))",
    ]);
    let told = format!("{}{}", ran.out, ran.err);
    assert!(
        told.contains("no skill carries out actions for :DOER now") && told.contains("skill list"),
        "{told}"
    );
}

#[test]
fn what_is_taken_back_or_deleted_counts_at_once_while_a_large_file_is_compiled() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("doer", &hostile::running_actuator("doer", "DO", "payload.cmd"));
    let text = "(:NAME \"teller\" :VERSION \"1\" :FUNCTIONS (:PROMPT))";
    folder.copy("teller", &Guest::new(text).build());
    assert_eq!(home.run(&["skill", "grant", "doer", "process"]).code, 0);
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    watcher.wait_state("doer", "ready");
    folder.moved("large", &large_gate("large"));
    watcher.wait_state("large", "discovered");
    assert_eq!(home.run(&["skill", "revoke", "doer", "process"]).code, 0);
    folder.delete("teller");
    watcher.wait("doer", |row| row.state != "ready");
    watcher.wait_gone("teller");
    let rows = watcher.rows_of("large");
    assert_eq!(
        rows.first().map(|row| row.state.as_str()),
        Some("discovered"),
        "it is compiled still: {rows:?}"
    );
    watcher.wait_state("large", "ready");
    watcher.wait_state("doer", "waiting");
}

/// A gate that revises every payload into this one.
fn revising(name: &str, payload: &str, rights: &str) -> Vec<u8> {
    let mut guest = Guest::new(format!(
        "(:NAME \"{name}\" :VERSION \"1\" :FUNCTIONS (:GATE) :RIGHTS ({rights}))"
    ));
    let text = guest.text(payload);
    guest.gate = format!("(call $say (i32.const 1) {text})");
    guest.build()
}

#[test]
fn a_gate_revises_only_with_the_right_and_never_the_explanation_or_the_target() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    folder.copy("mender", &revising("mender", "(:ACTION :MESSAGE :TEXT \"mended\")", ""));
    watcher.wait_state("mender", "ready");
    assert_judges(&mut peer, "mender", "revise-without-right");
    // A right that it does not ask for makes no difference, and that is said.
    let said = home.run(&["skill", "grant", "mender", "revise"]);
    assert!(
        said.code == 0 && said.err.contains("neither imports nor asks for what takes revise"),
        "{said:?}"
    );
    assert_judges(&mut peer, "mender", "revise-without-right");

    // With the right, but at what no gate may touch.
    let explained = "(:ACTION :MESSAGE :TEXT \"mended\" :EXPLANATION \"trust me, it is all fine\")";
    let bytes = revising("mender", explained, ":REVISE");
    folder.moved("mender", &bytes);
    watcher.wait_state("mender", "waiting");
    assert_eq!(home.run(&["skill", "grant", "mender", "revise", "--follow"]).code, 0);
    watcher.wait_file("mender", &bytes);
    assert_judges(&mut peer, "mender", "revise-fixed-field");
    // A target in the payload is no target: what is revised is the payload and nothing else.
    let moved = "(:TARGET :SHELL :CMD \"touch moved\" :ACTION :MESSAGE :TEXT \"x\")";
    let bytes = revising("mender", moved, ":REVISE");
    folder.moved("mender", &bytes);
    watcher.wait_file("mender", &bytes);
    peer.ask("hello");
    assert!(!home.workspace().join("moved").exists());
}

#[test]
fn a_gate_that_traps_on_one_action_judges_the_next_one_rightly() {
    let home = Home::new();
    let folder = Folder::of(&home);
    // Traps on a text of more than a hundred bytes, and rejects the others.
    let mut guest = Guest::gate("moody").import(&TEXT);
    let (path, said) = (
        guest.text("payload.text"),
        guest.text("(:RULE \"short\" :REASON \"always\")"),
    );
    guest.gate = format!(
        "(call $text (local.get 0) {path} (i32.const 128)) (if (i32.gt_u (i32.load (i32.const 136)) (i32.const 100)) (then \
         unreachable)) (call $say (i32.const 2) {said})"
    );
    folder.copy("moody", &guest.build());
    let long = "long ".repeat(50);
    let answers = [
        message(&long),
        message("short"),
        message(&long),
        message("short"),
        message("short"),
        message("short"),
    ];
    let daemon = home.start_scripted(&answers);
    let turn = daemon.connect().ask("hello");
    assert_eq!(
        turn.rejections(),
        [("moody", "gate-trap"), ("moody", "short"), ("moody", "gate-trap")],
        "{turn:#?}"
    );
    let doctor = home.run(&["doctor"]).out;
    let doctor = doctor.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        doctor.contains("note skills 2 of 3 calls of moody failed, the last of these because it trapped"),
        "{doctor}"
    );
}

#[test]
fn a_name_is_the_skill_of_that_name_also_where_a_folder_is_called_so() {
    let home = Home::new();
    home.file(
        "skills/sly.wasm",
        &hostile::running_actuator("sly", "SLY", "payload.cmd"),
    );
    let place = tempfile::tempdir().unwrap();
    std::fs::create_dir(place.path().join("sly")).unwrap();
    let grant = |name: &str| {
        let mut command = home.command();
        command
            .current_dir(place.path())
            .args(["skill", "grant", name, "process"]);
        command.output().expect("run the binary")
    };
    let daemon = home.start();
    Watcher::of(&daemon).wait_state("sly", "waiting");
    let ran = grant("sly");
    assert!(ran.status.success(), "{ran:?}");
    Watcher::of(&daemon).wait_state("sly", "ready");
    let ran = grant("nobody");
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(
        !ran.status.success() && said.contains("there is no skill `nobody`"),
        "{said}"
    );
}

#[test]
fn a_skill_that_loses_one_right_of_several_is_ready_all_the_while() {
    let home = Home::new();
    Folder::of(&home).copy("reader", &reaching::reader("reader", "NOTES", "notes"));
    let both = ["files:read:workspace", "files:read:workspace/old"];
    let ran = home.run(&["skill", "grant", "reader", both[0], both[1]]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    watcher.wait_state("reader", "ready");
    let rights = || {
        let ran = home.run(&["skill", "list", "--json"]);
        let rows: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let own = rows.as_array().unwrap().iter().find(|row| row["name"] == "reader");
        own.unwrap()["rights"].clone()
    };
    assert_eq!(rights(), serde_json::json!(both));
    let ran = home.run(&["skill", "revoke", "reader", both[1]]);
    assert_eq!(ran.code, 0, "{ran:?}");
    loop {
        let states: Vec<String> = (0..100)
            .flat_map(|_| watcher.rows_of("reader"))
            .map(|row| row.state)
            .collect();
        assert!(states.iter().all(|state| state == "ready"), "{states:?}");
        if rights() == serde_json::json!([both[0]]) {
            break;
        }
    }
    let ran = home.run(&["skill", "revoke", "reader"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    watcher.wait_state("reader", "waiting");
}

/// Answers with as many letters as its instance was called.
fn counter(version: &str) -> Vec<u8> {
    let describe = format!("(:NAME \"counts\" :VERSION \"{version}\" :FUNCTIONS (:ACT) :TARGETS (:COUNTS) :STATE T)");
    let mut guest = Guest::new(describe);
    let letters = guest.text(&"q".repeat(100));
    let at = letters.split(')').next().unwrap().to_owned();
    guest.more = "(global $calls (mut i32) (i32.const 0))".to_owned();
    guest.act = format!(
        "(global.set $calls (i32.add (global.get $calls) (i32.const 1)))
         (call $say (i32.const 0) {at}) (global.get $calls))"
    );
    guest.build()
}

#[test]
fn what_a_session_kept_survives_a_grant_that_makes_no_difference_and_a_swap_says_that_it_is_lost() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("counts", &counter("1"));
    let asked = "(:TYPE :REQUEST :TARGET :COUNTS :PAYLOAD (:CMD \"go\" :EXPLANATION \"to count once more\"))";
    let answers: Vec<String> = (0..5).flat_map(|_| [asked.to_owned(), message("counted")]).collect();
    let daemon = home.start_scripted(&answers);
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    watcher.wait_version("counts", "1");
    let mut go = || {
        let turn = peer.ask("do it");
        peer.ask(&format!("/approve {}", turn.plan_id()));
        home.prompts().last().unwrap().to_string()
    };
    go();
    let ran = home.run(&["skill", "grant", "counts", "memory:read"]);
    assert!(ran.code == 0 && ran.err.contains("makes no difference"), "{ran:?}");
    let settled = |watcher: &mut Watcher, name: &str| {
        // What is granted is taken up with, or before, what comes later.
        folder.copy(name, &gate_with(name, "1", ":GATE-TARGETS (:NOBODY)"));
        watcher.wait_version(name, "1");
    };
    settled(&mut watcher, "first");
    let told = go();
    assert!(told.contains("qq") && !told.contains("defined earlier"), "{told}");
    assert_eq!(home.run(&["skill", "revoke", "counts"]).code, 0);
    settled(&mut watcher, "second");
    let told = go();
    assert!(told.contains("qqq") && !told.contains("defined earlier"), "{told}");
    folder.moved("counts", &counter("2"));
    watcher.wait_version("counts", "2");
    let told = go();
    assert!(
        told.contains("what this session had defined earlier was dropped"),
        "{told}"
    );
    // While no file is there nothing is lost for good, nor is it without a word once one is.
    folder.delete("counts");
    watcher.wait_gone("counts");
    folder.copy("counts", &counter("3"));
    watcher.wait_version("counts", "3");
    let noted = told.matches("is another now").count();
    let told = go();
    assert!(told.matches("is another now").count() > noted, "{told}");
}

#[test]
fn a_file_in_place_of_a_required_gate_says_that_nothing_passes_without_it() {
    let home = Home::new().config("[gates]\nrequired = [\"policy\", \"dispatcher\", \"guard\"]\n");
    let folder = Folder::of(&home);
    let daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    folder.moved("guard", b"no component");
    let row = watcher.wait_state("guard", "failed");
    assert!(
        row.reason.contains("so nothing passes until one loads in its place"),
        "{row:?}"
    );
    assert_judges(&mut peer, "host", "required-gate");
    // Deleting it does not help, and so nothing says that it would.
    folder.delete("guard");
    daemon.wait_until("the file is forgotten", || watcher.rows_of("guard").is_empty());
    assert_judges(&mut peer, "host", "required-gate");
}
