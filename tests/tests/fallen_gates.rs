//! Gates that were ready and no longer load, whatever becomes of their files, their folder and the grants.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use passepartout_host::sexp::Form;
use passepartout_tests::guest::Guest;
use passepartout_tests::skills::{Folder, Watcher, assert_judges, gate, gate_with};
use passepartout_tests::{Daemon, Home, Peer};

/// Trusts `bytes` as the skill `name`, before they lie in the skills folder.
fn trust(home: &Home, name: &str, bytes: &[u8]) -> PathBuf {
    let file = home.file(&format!("aside/{name}.wasm"), bytes);
    let ran = home.run(&["skill", "trust", file.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{ran:?}");
    file
}

fn assert_rejects(peer: &mut Peer, name: &str) {
    assert_judges(peer, name, "gate-unavailable");
}

/// The text of the checks named `check` of `doctor`, all of which are broken.
fn broken(peer: &mut Peer, check: &str) -> Vec<String> {
    let answer = peer.admin("(:ACTION :DOCTOR)");
    let checks = answer.get("CHECKS").and_then(Form::items).unwrap_or_default();
    let is_broken = |form: &&Form| {
        form.text_at("check") == Some(check) && form.get("LEVEL").is_some_and(|level| level.is_kw("BROKEN"))
    };
    let texts = checks.iter().filter(is_broken).filter_map(|form| form.text_at("text"));
    texts.map(str::to_owned).collect()
}

/// What `doctor` says is broken or less than it should be.
fn ailments(peer: &mut Peer) -> String {
    let answer = peer.admin("(:ACTION :DOCTOR)");
    let checks = answer.get("CHECKS").and_then(Form::items).unwrap_or_default().to_vec();
    let bad = checks
        .into_iter()
        .filter(|check| !check.get("LEVEL").is_some_and(|level| level.is_kw("GOOD")));
    bad.map(|check| format!("{check}\n")).collect()
}

#[test]
fn the_bundled_gate_is_no_substitute_for_a_trusted_one_that_was_ready_and_broke() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let mine = gate("policy", "mine");
    trust(&home, "policy", &mine);
    folder.copy("policy", &mine);
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    watcher.wait_version("policy", "mine");
    assert_judges(&mut daemon.connect(), "policy", "mine");
    folder.copy("policy", &mine[..mine.len() / 2]);
    watcher.wait_state("policy", "failed");
    assert_judges(&mut daemon.connect(), "policy", "mine");
    daemon.stop();

    let daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    assert_rejects(&mut peer, "policy");
    let row = watcher.wait_state("policy", "failed");
    assert!(row.reason.contains("so nothing passes until"), "{row:?}");
    let told = ailments(&mut peer);
    assert!(told.contains("the required gate policy is not loaded"), "{told}");
    // Mended it judges again, and without the file the bundled one does.
    folder.moved("policy", &mine);
    watcher.wait_version("policy", "mine");
    assert_judges(&mut peer, "policy", "mine");
    folder.delete("policy");
    watcher.wait("policy", |row| row.source == "bundled" && row.state == "ready");
    assert_eq!(peer.ask("hello").outcome(), "ANSWERED");
    daemon.stop();
    let daemon = home.start();
    assert_eq!(daemon.connect().ask("hello").outcome(), "ANSWERED");
}

#[test]
fn a_fault_in_the_grants_is_told_and_puts_no_bundled_gate_in_the_place_of_a_trusted_one() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let mine = gate("policy", "mine");
    trust(&home, "policy", &mine);
    folder.copy("policy", &mine);
    let grants = home.path().join("config/grants");
    let good = fs::read_to_string(&grants).unwrap();
    let told = |daemon: &Daemon, watcher: &mut Watcher| {
        let row = watcher.wait("policy", |row| row.state == "waiting" && row.source != "bundled");
        assert!(row.reason.contains("grants, line 2"), "{row:?}");
        let mut peer = daemon.connect();
        assert_rejects(&mut peer, "policy");
        let told = ailments(&mut peer);
        assert!(told.contains(":CHECK \"grants\" :LEVEL :BROKEN"), "{told}");
    };
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    watcher.wait_version("policy", "mine");
    fs::write(&grants, format!("{good}(:GRANT :SKILL")).unwrap();
    told(&daemon, &mut watcher);
    daemon.stop();
    let ran = home.run(&["doctor"]);
    assert!(ran.code == 1 && ran.out.contains("grants, line 2"), "{ran:?}");

    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    told(&daemon, &mut watcher);
    fs::write(&grants, &good).unwrap();
    watcher.wait_version("policy", "mine");
    let mut peer = daemon.connect();
    assert_judges(&mut peer, "policy", "mine");
    assert!(!ailments(&mut peer).contains("grants"));
}

#[test]
fn what_is_no_gate_leaves_the_place_of_one_when_its_trust_is_taken_back() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("guard", &gate("guard", "v1"));
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    watcher.wait_version("guard", "v1");
    let other = Guest::actuator("guard", "(:GUARD)").build();
    trust(&home, "guard", &other);
    folder.moved("guard", &other);
    watcher.wait_file("guard", &other);
    let mut peer = daemon.connect();
    assert_eq!(peer.ask("hello").outcome(), "ANSWERED");
    // The next build of it is what the operator wanted, too.
    let next = Guest::new("(:NAME \"guard\" :VERSION \"next\" :FUNCTIONS (:ACT) :TARGETS (:GUARD))").build();
    folder.moved("guard", &next);
    watcher.wait_file("guard", &next);

    assert_eq!(home.run(&["skill", "revoke", "guard"]).code, 0);
    let row = watcher.wait_state("guard", "waiting");
    assert!(row.reason.contains("skill trust"), "{row:?}");
    assert_rejects(&mut peer, "guard");
    daemon.stop();
    let daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    assert_rejects(&mut peer, "guard");
    trust(&home, "guard", &next);
    watcher.wait_file("guard", &next);
    assert_eq!(peer.ask("hello").outcome(), "ANSWERED");
}

#[test]
fn a_folder_that_vanishes_or_is_another_deletes_no_gate() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("guard", &gate("guard", "v1"));
    folder.copy("other", &gate("other", "o1"));
    let daemon = home.start();
    Watcher::of(&daemon).wait_version("guard", "v1");
    Watcher::of(&daemon).wait_version("other", "o1");
    let away = home.path().join("away");
    fs::rename(folder.path(), &away).unwrap();
    // What an unmounted disk leaves.
    fs::create_dir(folder.path()).unwrap();
    let mut watcher = Watcher::of(&daemon);
    let row = watcher.wait_state("guard", "failed");
    assert!(row.reason.contains("put the folder or the file back"), "{row:?}");
    let mut peer = daemon.connect();
    assert_rejects(&mut peer, "guard");
    assert!(ailments(&mut peer).contains("guard has failed"));
    // Another gate that becomes ready makes nobody forget.
    folder.copy("new", &gate("new", "n1"));
    watcher.wait_version("new", "n1");
    daemon.stop();

    // It is missing at a start, too, and comes back with a gate that is broken and without another.
    fs::remove_dir_all(folder.path()).unwrap();
    let daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    assert_rejects(&mut peer, "guard");
    watcher.wait_state("guard", "failed");
    fs::remove_dir(folder.path()).unwrap();
    fs::rename(&away, folder.path()).unwrap();
    watcher.wait_version("guard", "v1");
    watcher.wait_version("other", "o1");
    let row = watcher.wait_state("new", "failed");
    assert!(row.reason.contains("gates-once-ready"), "{row:?}");
    folder.copy("guard", b"\0asm broken");
    watcher.wait("guard", |row| row.state == "failed");
    daemon.stop();

    let daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    assert_rejects(&mut peer, "guard");
    // Who deletes a file says so, and who deletes its line.
    folder.delete("guard");
    folder.delete("other");
    watcher.wait_gone("guard");
    watcher.wait_gone("other");
    assert_rejects(&mut peer, "new");
    daemon.stop();
    let list = home.path().join("data/gates-once-ready");
    let text = fs::read_to_string(&list).unwrap();
    assert!(text.lines().count() == 1 && text.contains("\"new\""), "{text}");
    fs::write(&list, b"").unwrap();
    assert_eq!(home.start().connect().ask("hello").outcome(), "ANSWERED");
}

#[test]
fn a_folder_that_is_made_anew_deletes_no_gate_though_it_gets_the_number_of_the_one_before() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("guard", &gate("guard", "v1"));
    let daemon = home.start();
    Watcher::of(&daemon).wait_version("guard", "v1");
    daemon.stop();
    let number = fs::metadata(folder.path()).unwrap().ino();
    // The system gives away what is free again, sooner or later.
    fs::remove_dir_all(folder.path()).unwrap();
    for attempt in 0..100 {
        fs::create_dir(folder.path()).unwrap();
        if fs::metadata(folder.path()).unwrap().ino() == number {
            break;
        }
        fs::rename(folder.path(), home.path().join(format!("aside-{attempt}"))).unwrap();
    }
    fs::create_dir_all(folder.path()).unwrap();
    let daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    watcher.wait_state("guard", "failed");
    assert_rejects(&mut peer, "guard");
}

#[test]
fn folders_that_change_places_again_and_again_make_nobody_forget_a_gate() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("guard", &gate("guard", "v1"));
    let daemon = home.start();
    Watcher::of(&daemon).wait_version("guard", "v1");
    let (other, between) = (home.path().join("other"), home.path().join("between"));
    fs::create_dir(&other).unwrap();
    let change_places = || {
        fs::rename(folder.path(), &between).unwrap();
        fs::rename(&other, folder.path()).unwrap();
        fs::rename(&between, &other).unwrap();
    };
    let mut peer = daemon.connect();
    for round in 0..301 {
        change_places();
        if round % 20 == 0 {
            let turn = peer.ask("hello");
            assert_ne!(turn.outcome(), "ANSWERED", "round {round}: {turn:#?}");
        }
    }
    // The empty one is there now.
    let mut watcher = Watcher::of(&daemon);
    watcher.wait_state("guard", "failed");
    assert_rejects(&mut peer, "guard");
    change_places();
    watcher.wait_version("guard", "v1");
    assert_judges(&mut peer, "guard", "v1");
}

#[test]
fn who_only_looks_changes_nothing_of_what_the_daemon_remembers() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("guard", &gate("guard", "v1"));
    let file = home.file("aside/guard.wasm", &gate("guard", "v2"));
    {
        let daemon = home.start();
        let mut watcher = Watcher::of(&daemon);
        watcher.wait_version("guard", "v1");
        let tool =
            "(:NAME \"tool\" :VERSION \"1\" :FUNCTIONS (:CALL-TOOL) :TOOLS ((:NAME \"dup\" :DESCRIPTION \"x\")))";
        folder.copy("tool", &Guest::new(tool).build());
        watcher.wait_state("tool", "ready");
        daemon.stop();
    }
    let remembered = || {
        ["data/gates-once-ready", "state/skills-in-use"].map(|file| {
            let path = home.path().join(file);
            (fs::read(&path).unwrap(), fs::metadata(&path).unwrap().ino())
        })
    };
    let before = remembered();
    // What is there now would be remembered otherwise.
    folder.copy("tool", b"\0asm broken");
    folder.delete("guard");
    let file = file.to_str().unwrap();
    for command in [
        &["doctor"][..],
        &["skill", "list"],
        &["skill", "check", file],
        &["skill", "inspect", "guard"],
        &["gate", "check", "ls"],
    ] {
        home.run(command);
        assert!(remembered() == before, "{command:?} wrote");
    }
}

#[test]
fn what_an_earlier_host_kept_beside_the_files_is_taken_over_once() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("guard", b"\0asm broken");
    let old = folder.path().join(".gates-once-ready");
    fs::write(&old, "(:GATE \"guard\" :TARGETS T)\n(:GATE \"deleted\" :TARGETS T)\n").unwrap();
    let daemon = home.start();
    // Its file is missing, and for two seconds it might come yet.
    Watcher::of(&daemon).wait_gone("deleted");
    assert_rejects(&mut daemon.connect(), "guard");
    assert!(!old.exists());
    daemon.stop();
    let daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    assert_rejects(&mut peer, "guard");
    folder.delete("guard");
    watcher.wait_gone("guard");
    assert_eq!(peer.ask("hello").outcome(), "ANSWERED");
}

#[test]
fn doctor_is_broken_while_a_gate_of_the_operators_rejects_because_its_file_broke() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let guard = gate("guard", "mine");
    folder.copy("guard", &guard);
    let daemon = home.start();
    Watcher::of(&daemon).wait_version("guard", "mine");
    assert!(!ailments(&mut daemon.connect()).contains("guard"));
    daemon.stop();
    folder.copy("guard", b"no component at all");
    let daemon = home.start();
    let mut peer = daemon.connect();
    assert_rejects(&mut peer, "guard");
    let told = ailments(&mut peer);
    assert!(
        told.contains(":BROKEN") && told.contains("the gate guard was ready once and is not now"),
        "{told}"
    );
    assert_eq!(home.run(&["doctor"]).code, 1);
}

#[test]
fn doctor_is_broken_also_while_a_bundled_gate_that_is_not_required_judges_beside_one_that_broke() {
    let home = Home::new().config("[gates]\nrequired = [\"policy\"]\n");
    let folder = Folder::of(&home);
    let mine = gate("dispatcher", "mine");
    trust(&home, "dispatcher", &mine);
    folder.copy("dispatcher", &mine);
    let daemon = home.start();
    Watcher::of(&daemon).wait_version("dispatcher", "mine");
    assert!(broken(&mut daemon.connect(), "gate").is_empty());
    daemon.stop();
    folder.copy("dispatcher", b"no component at all");
    let daemon = home.start();
    let mut peer = daemon.connect();
    assert_rejects(&mut peer, "dispatcher");
    let told = broken(&mut peer, "gate");
    assert!(
        told.len() == 1
            && told[0].contains("the gate dispatcher was ready once and is not now")
            && told[0].contains("with the bundled one"),
        "{told:?}"
    );
    // Nothing says of the bundled one that it is ready, as if all were well.
    let row = Watcher::of(&daemon).wait("dispatcher", |row| row.source == "bundled");
    assert!(
        row.state == "waiting" && row.reason.contains("`passepartout-host skill remove dispatcher`"),
        "{row:?}"
    );
    let skills = peer.admin("(:ACTION :STATUS)").get("SKILLS").unwrap().to_string();
    assert!(skills.contains("policy") && !skills.contains("dispatcher"), "{skills}");
    assert!(
        !daemon.log().contains("the skill `dispatcher` is ready: version 0.1.0"),
        "{}",
        daemon.log()
    );
    assert_eq!(home.run(&["skill", "remove", "dispatcher"]).code, 0);
    Watcher::of(&daemon).wait_state("dispatcher", "ready");
    assert!(broken(&mut peer, "gate").is_empty());
    folder.copy("dispatcher", b"no component at all");
    daemon.stop();
    assert_eq!(home.run(&["doctor"]).code, 0, "it was deleted, and this is none");
}

#[test]
fn a_list_of_gates_that_is_damaged_is_told_of_by_its_own_name_until_it_is_deleted() {
    let home = Home::new();
    let list = home.file("data/gates-once-ready", b"(:GATE");
    let daemon = home.start();
    let mut peer = daemon.connect();
    assert_rejects(&mut peer, ".gates-once-ready");
    let told = broken(&mut peer, "gates");
    let path = list.display().to_string();
    assert!(
        told.len() == 1 && told[0].contains(&path) && told[0].contains("delete that file"),
        "{told:?}"
    );
    assert!(broken(&mut peer, "gate").is_empty(), "it is no gate that anybody wrote");
    let row = Watcher::of(&daemon).wait_state(".gates-once-ready", "failed");
    assert_eq!(row.source, path);
    assert!(row.reason.contains("delete that file"), "{row:?}");
    daemon.stop();
    fs::remove_file(&list).unwrap();
    let daemon = home.start();
    let mut peer = daemon.connect();
    assert!(broken(&mut peer, "gates").is_empty());
    assert_eq!(peer.ask("hello").outcome(), "ANSWERED");
}

#[test]
fn a_required_gate_of_ones_own_takes_ones_word_and_a_name_that_nothing_has_is_told_with_the_key_that_names_it() {
    let home = Home::new().config("[gates]\nrequired = [\"policy\", \"dispatcher\", \"no-fryday\"]\n");
    let folder = Folder::of(&home);
    let file = home.file("elsewhere/no-friday.wasm", &gate("no-friday", "v1"));
    assert_eq!(home.run(&["skill", "install", "--yes", file.to_str().unwrap()]).code, 0);
    let doctor = |home: &Home| {
        home.run(&["doctor"])
            .out
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let told = doctor(&home);
    for said in [
        "the required gate no-fryday is not loaded",
        "`gates.required` in config.toml names it",
        "did you mean no-friday?",
        "take the name out of `gates.required`",
    ] {
        assert!(told.contains(said), "{said}: {told}");
    }
    assert!(
        !told.contains("skill remove no-fryday"),
        "there is nothing to remove: {told}"
    );

    home.file(
        "config/config.toml",
        b"[gates]\nrequired = [\"policy\", \"dispatcher\", \"no-friday\"]\n",
    );
    let told = doctor(&home);
    assert!(
        told.contains("`gates.required` in config.toml names it, so that each build of it takes your word")
            && told.contains("skill trust"),
        "{told}"
    );
    let installed = folder.file("no-friday");
    assert_eq!(home.run(&["skill", "trust", installed.to_str().unwrap()]).code, 0);
    assert!(doctor(&home).contains("no-friday is loaded"));
    let ran = home.run(&["skill", "remove", "no-friday"]);
    assert!(
        ran.out.contains("`gates.required` in config.toml names no-friday"),
        "{ran:?}"
    );
}

#[test]
fn many_gates_with_all_that_they_may_claim_are_known_again_after_a_restart() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let targets: String = (0..200).map(|n| format!(":{n:X>64} ")).collect();
    let name = |n: usize| format!("gate-{n}");
    // All together claim more than the list of those that were ready may have.
    for n in 0..90 {
        let more = format!(":GATE-TARGETS ({targets})");
        folder.copy(&name(n), &gate_with(&name(n), "1", &more));
    }
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    for n in 0..90 {
        watcher.wait_state(&name(n), "ready");
    }
    assert_eq!(daemon.connect().ask("hello").outcome(), "ANSWERED");
    daemon.stop();
    let list = home.path().join("data/gates-once-ready");
    assert!(fs::metadata(&list).unwrap().len() <= 1 << 20);
    folder.copy(&name(7), b"no component at all");
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    for n in (0..90).filter(|n| *n != 7) {
        watcher.wait_state(&name(n), "ready");
    }
    // What is no component may be one that is still being copied.
    watcher.wait_state(&name(7), "failed");
    assert!(broken(&mut daemon.connect(), "gates").is_empty());
    assert_eq!(
        broken(&mut daemon.connect(), "gate").len(),
        1,
        "only the one that broke rejects"
    );
    assert_eq!(home.run(&["skill", "remove", &name(7)]).code, 0);
    watcher.wait_gone(&name(7));
    assert_eq!(daemon.connect().ask("hello").outcome(), "ANSWERED");
}

#[test]
fn a_list_of_gates_that_is_too_long_is_told_of_in_words_of_its_own() {
    let home = Home::new();
    home.file("data/gates-once-ready", &vec![b' '; (4 << 20) + 1]);
    let daemon = home.start();
    let mut peer = daemon.connect();
    let told = peer.ask("hello");
    let told = format!("{told:?}") + &broken(&mut peer, "gates").concat();
    assert!(
        told.contains("4194304 is the most") && told.contains("delete that file"),
        "{told}"
    );
    for wrong in ["file_bytes", "skill remove", "skill install", "component"] {
        assert!(!told.contains(wrong), "{wrong}: {told}");
    }
}
