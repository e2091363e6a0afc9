//! Files that come, change and go while the daemon runs: each is live, or nothing has happened.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

use passepartout_tests::daemon::PATIENCE;
use passepartout_tests::hostile::{self, Guest, RUN};
use passepartout_tests::skills::{Folder, Watcher};
use passepartout_tests::{Home, Peer, message};

/// A gate that rejects everything, by a rule that is its version.
fn gate(name: &str, version: &str) -> Vec<u8> {
    gate_with(name, version, "")
}

/// The same, with more to say of itself.
fn gate_with(name: &str, version: &str, more: &str) -> Vec<u8> {
    let mut guest = Guest::new(format!(
        "(:NAME \"{name}\" :VERSION \"{version}\" :FUNCTIONS (:GATE) {more})"
    ));
    let text = guest.text(&format!("(:RULE \"{version}\" :REASON \"always\")"));
    guest.gate = format!("(call $say (i32.const 2) {text})");
    guest.build()
}

/// Asserts that `name` rejects by `version`, now.
fn assert_judges(peer: &mut Peer, name: &str, version: &str) {
    let turn = peer.ask("hello");
    assert_eq!(turn.rejections().first(), Some(&(name, version)), "{turn:#?}");
}

#[test]
fn a_file_that_is_copied_in_judges_the_next_action_and_one_that_is_deleted_no_longer_does() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let mut daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    assert_eq!(peer.ask("hello").outcome(), "ANSWERED");
    folder.copy("guard", &gate("guard", "v1"));
    watcher.wait_version("guard", "v1");
    assert_judges(&mut peer, "guard", "v1");
    folder.copy("guard", &gate("guard", "v2"));
    watcher.wait_version("guard", "v2");
    assert_judges(&mut peer, "guard", "v2");
    folder.delete("guard");
    watcher.wait_gone("guard");
    assert_eq!(peer.ask("hello").outcome(), "ANSWERED");
    daemon.assert_healthy();
}

#[test]
fn each_of_ten_files_moved_over_the_same_name_is_seen() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    for version in 0..10 {
        let version = format!("v{version}");
        folder.moved("guard", &gate("guard", &version));
        watcher.wait_version("guard", &version);
        assert_judges(&mut peer, "guard", &version);
    }
    // As fast as files can be moved: the last one counts.
    for version in 10..20 {
        folder.moved("guard", &gate("guard", &format!("v{version}")));
    }
    watcher.wait_version("guard", "v19");
    assert_judges(&mut peer, "guard", "v19");
}

#[test]
fn a_file_that_is_copied_slowly_is_loaded_once_at_the_end() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("guard", &gate("guard", "v1"));
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    watcher.wait_version("guard", "v1");
    let bytes = gate("guard", "v2");
    let mut file = std::fs::File::create(folder.file("guard")).unwrap();
    for piece in bytes.chunks(bytes.len().div_ceil(10)) {
        file.write_all(piece).unwrap();
        file.flush().unwrap();
        let rows = watcher.rows_of("guard");
        assert!(
            rows.iter().any(|row| row.state == "ready" && row.version == "v1"),
            "what was there goes on: {rows:#?}"
        );
        std::thread::sleep(std::time::Duration::from_millis(120));
    }
    drop(file);
    watcher.wait_version("guard", "v2");
    let loads = daemon.log().matches("the skill `guard` is replaced").count();
    assert_eq!(loads, 1, "{}", daemon.log());
}

#[test]
fn a_file_in_ten_pieces_by_ten_programs_is_loaded_once_at_the_end() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    let bytes = gate("guard", "v1");
    for piece in bytes.chunks(bytes.len().div_ceil(10)) {
        let mut file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(folder.file("guard"))
            .unwrap();
        file.write_all(piece).unwrap();
        drop(file);
        let row = watcher.wait("guard", |_| true);
        assert!(row.state == "discovered" || row.version == "v1", "{row:?}");
    }
    watcher.wait_version("guard", "v1");
    assert_eq!(daemon.log().matches("the skill `guard` is ready").count(), 1);
    assert!(!daemon.log().contains("is failed"), "{}", daemon.log());
}

#[test]
fn cut_at_every_byte_a_component_is_never_used_unless_it_is_complete() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let whole = gate("cut-0000", "v1");
    let mut complete = Vec::new();
    let mut daemon = home.start();
    for length in 0..=whole.len() {
        let name = format!("cut-{length:04}");
        let bytes = gate(&name, "v1");
        assert_eq!(bytes.len(), whole.len(), "names of one length make files of one length");
        if length == bytes.len() {
            complete.push(name.clone());
        }
        folder.moved(&name, &bytes[..length]);
    }
    let mut watcher = Watcher::of(&daemon);
    watcher.wait_state(&complete[0], "ready");
    let last = format!("cut-{:04}", whole.len() - 1);
    watcher.wait_state(&last, "failed");
    let rows = watcher.rows();
    let cut = rows.iter().filter(|row| row.name.starts_with("cut-"));
    let ready: Vec<&String> = cut
        .clone()
        .filter(|row| row.state == "ready")
        .map(|row| &row.name)
        .collect();
    assert!(ready.contains(&&complete[0]), "{ready:?}");
    assert_eq!(cut.count(), whole.len() + 1);
    // What has lost no more than the names for debuggers, sections of their own at the end, is complete in what it does.
    let mut peer = daemon.connect();
    for name in ready {
        let length: usize = name["cut-".len()..].parse().unwrap();
        assert!(
            whole[length..].first().is_none_or(|section| *section == 0),
            "{name} is used"
        );
        assert_judges(&mut peer, name, "v1");
        folder.delete(name);
        watcher.wait_gone(name);
    }
    daemon.assert_healthy();
    assert!(!daemon.log().contains("panicked"), "{}", daemon.log());
}

#[test]
fn whatever_can_fail_leaves_what_is_in_use_exactly_as_it_was() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("guard", &gate("guard", "v1"));
    folder.copy("owner", &Guest::actuator("owner", "(:ERRANDS)").build());
    let mut daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    watcher.wait_version("guard", "v1");
    let before = watcher.in_use();
    let good = gate("guard", "v2");
    let describing = |text: &str| Guest::new(text).build();
    let mut looping = Guest::gate("guard");
    looping.gate = "(call $pass)".to_owned();
    let faults: Vec<(&str, Vec<u8>, &str, &str)> = vec![
        ("nothing", Vec::new(), "failed", "is empty"),
        ("text", b"(component)".to_vec(), "failed", "text"),
        ("noise", vec![0xfe; 300], "failed", "not WebAssembly"),
        (
            "core module",
            hostile::core_module(),
            "failed",
            "core WebAssembly module",
        ),
        ("cut", good[..good.len() / 2].to_vec(), "failed", "cut"),
        (
            "malformed",
            [&good[..good.len() / 2], &vec![0xff; good.len() / 2][..]].concat(),
            "failed",
            "no valid component",
        ),
        ("no export", wat_component(), "failed", "does not export"),
        (
            "unknown import",
            hostile::reaching_skill("guard"),
            "failed",
            "passepartout:skill/teleport@0.1.0",
        ),
        ("other name", gate("another", "v2"), "failed", "`another`"),
        ("nonsense of itself", describing("(:NAME"), "failed", "its description"),
        (
            "a key too many",
            describing("(:NAME \"guard\" :VERSION \"2\" :FUNCTIONS (:GATE) :COLOUR 1)"),
            "failed",
            "COLOUR",
        ),
        (
            "asks for more",
            Guest::gate("guard").import(&RUN).build(),
            "waiting",
            "skill grant guard process",
        ),
        (
            "needs another",
            gate_with("guard", "v2", ":DEPENDS-ON (\"nowhere\")"),
            "waiting",
            "`nowhere`, which is not loaded",
        ),
        (
            "claims what is taken",
            Guest::actuator("guard", "(:ERRANDS)").build(),
            "failed",
            "belongs to the skill `owner`",
        ),
        (
            "depends on itself",
            gate_with("guard", "v2", ":DEPENDS-ON (\"guard\")"),
            "failed",
            "guard → guard",
        ),
    ];
    for (what, bytes, state, said) in faults {
        folder.moved("guard", &bytes);
        let row = watcher.wait("guard", |row| row.state == state && row.reason.contains(said));
        assert!(
            row.reason.contains("stays in use"),
            "{what}: the reason says what goes on: {}",
            row.reason
        );
        assert_eq!(watcher.in_use(), before, "{what}");
        assert_judges(&mut peer, "guard", "v1");
    }
    folder.moved("guard", &good);
    watcher.wait_version("guard", "v2");
    assert_judges(&mut peer, "guard", "v2");
    assert_eq!(watcher.rows_of("guard").len(), 1);
    daemon.assert_healthy();
}

/// A component that is none of ours.
fn wat_component() -> Vec<u8> {
    let text = "(component (core module $m (func (export \"f\"))) (core instance $i (instantiate $m)) \
                (func (export \"f\") (canon lift (core func $i \"f\"))))";
    wat::parse_str(text).unwrap()
}

#[test]
fn each_kind_of_wrong_file_has_its_own_message() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    folder.copy("text", b"(component) ; renamed from .wat");
    folder.copy("core", &hostile::core_module());
    folder.copy("compiled", b"\x7fELF\x02\x01\x01\x00 and so on");
    let mut reasons: Vec<String> = ["text", "core", "compiled"]
        .iter()
        .map(|name| watcher.wait_state(name, "failed").reason)
        .collect();
    assert!(
        reasons[0].contains("text") && reasons[1].contains("core") && reasons[2].contains("compiled"),
        "{reasons:?}"
    );
    reasons.dedup();
    assert_eq!(reasons.len(), 3);
}

#[test]
fn one_more_capability_waits_for_its_grant_and_the_earlier_version_goes_on() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("guard", &gate("guard", "v1"));
    let daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    watcher.wait_version("guard", "v1");
    let mut more = Guest::new("(:NAME \"guard\" :VERSION \"v2\" :FUNCTIONS (:GATE))").import(&RUN);
    let text = more.text("(:RULE \"v2\" :REASON \"always\")");
    more.gate = format!("(call $say (i32.const 2) {text})");
    folder.moved("guard", &more.build());
    let row = watcher.wait_state("guard", "waiting");
    assert!(
        row.reason.contains("passepartout-host skill grant guard process"),
        "{row:?}"
    );
    assert_judges(&mut peer, "guard", "v1");
    let ran = home.run(&["skill", "grant", "guard", "process"]);
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
    folder.delete("dispatcher");
    watcher.wait("dispatcher", |row| row.source == "bundled" && row.state == "ready");
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
fn a_cycle_ends_with_the_version_it_began_with() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("guard", &gate("guard", "v1"));
    let model = HeldModel::start();
    let home = home.config(&format!(
        "[model]\ncascade = [\"held\"]\n[providers.held]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"m\"\n",
        model.port
    ));
    let daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    watcher.wait_version("guard", "v1");
    let request = peer.say("hello");
    model.asked();
    folder.moved("guard", &gate("guard", "v2"));
    watcher.wait_version("guard", "v2");
    model.answer();
    let turn = peer.turn(&request);
    assert_eq!(turn.rejections(), [("guard", "v1"); 3], "{turn:#?}");
    assert_judges(&mut peer, "guard", "v2");
}

/// A model that holds its first answer until the test lets it go.
struct HeldModel {
    port: u16,
    asked: Receiver<()>,
    go: Sender<()>,
}

impl HeldModel {
    fn start() -> HeldModel {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (tell, asked) = channel();
        let (go, wait) = channel::<()>();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                if read_request(&stream).is_none() {
                    continue;
                }
                // Only the first: once nobody listens or sends any more, there is nothing to wait for.
                let _ = tell.send(());
                let _ = wait.recv();
                let body = r#"{"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "hi"}}]}"#;
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
                    body.len()
                );
            }
        });
        HeldModel { port, asked, go }
    }

    /// Waits until the model has been asked.
    fn asked(&self) {
        self.asked.recv_timeout(PATIENCE).expect("the model is asked");
    }

    /// Lets it answer from now on.
    fn answer(&self) {
        for _ in 0..20 {
            self.go.send(()).unwrap();
        }
    }
}

/// Reads one whole request.
fn read_request(stream: &TcpStream) -> Option<Vec<u8>> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(body)
}

#[test]
fn the_daemon_answers_while_a_large_component_is_compiled() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let mut daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    folder.moved("large", &large_gate("large"));
    watcher.wait_state("large", "discovered");
    let mut answered = 0;
    while watcher.rows_of("large").iter().all(|row| row.state == "discovered") {
        daemon.assert_healthy();
        assert_eq!(peer.ask("hello").outcome(), "ANSWERED");
        answered += 1;
    }
    assert!(answered > 3, "answered {answered} times while it was compiled");
    watcher.wait_state("large", "ready");
}

/// A gate with some megabytes of code.
fn large_gate(name: &str) -> Vec<u8> {
    let mut guest = Guest::gate(name);
    let work: String = (0..300)
        .map(|n| format!("(local.set 0 (i32.add (i32.mul (local.get 0) (i32.const {n})) (i32.rotl (local.get 0) (i32.const 7))))"))
        .collect();
    guest.more = (0..1_500)
        .map(|n| format!("(func (param i32) (result i32) (local.set 0 (i32.const {n})) {work} (local.get 0))"))
        .collect();
    guest.build()
}

#[test]
fn three_hundred_reloads_leave_memory_files_and_threads_as_they_were() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    let mut reload = |from: u32, to: u32| {
        for version in from..to {
            let version = format!("v{version}");
            folder.moved("guard", &gate("guard", &version));
            watcher.wait_version("guard", &version);
        }
    };
    reload(0, 100);
    let before = footprint(daemon.pid());
    reload(100, 400);
    let after = footprint(daemon.pid());
    assert_eq!(before.files, after.files);
    // Of threads a few more or less are at rest.
    assert!(
        after.threads < before.threads + 20,
        "before {before:?}, after {after:?}"
    );
    assert!(
        after.kilobytes < before.kilobytes + 6_000 && after.mappings < before.mappings + 150,
        "before {before:?}, after {after:?}"
    );
}

#[derive(Debug)]
struct Footprint {
    kilobytes: usize,
    files: usize,
    threads: usize,
    mappings: usize,
}

fn footprint(pid: u32) -> Footprint {
    let count = |what: &str| std::fs::read_dir(format!("/proc/{pid}/{what}")).unwrap().count();
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    Footprint {
        kilobytes: resident.trim().trim_end_matches(" kB").parse().unwrap(),
        files: count("fd"),
        threads: count("task"),
        mappings: std::fs::read_to_string(format!("/proc/{pid}/maps"))
            .unwrap()
            .lines()
            .count(),
    }
}

#[test]
fn a_folder_that_is_deleted_and_made_again_is_still_watched() {
    let home = Home::new();
    let folder = Folder::of(&home);
    folder.copy("guard", &gate("guard", "v1"));
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    watcher.wait_version("guard", "v1");
    // The daemon notes there which gates it has seen, perhaps just now.
    while std::fs::remove_dir_all(folder.path()).is_err() {}
    watcher.wait_gone("guard");
    let folder = Folder::of(&home);
    folder.copy("guard", &gate("guard", "v2"));
    watcher.wait_version("guard", "v2");
    folder.moved("guard", &gate("guard", "v3"));
    watcher.wait_version("guard", "v3");
}

#[test]
fn a_touched_file_is_the_same_skill_and_one_that_failed_is_not_tried_again() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    let (good, bad) = (gate("guard", "v1"), gate("another", "v1"));
    folder.copy("guard", &good);
    folder.copy("bad", &bad);
    watcher.wait_version("guard", "v1");
    watcher.wait_state("bad", "failed");
    let said = |what: &str| daemon.log().matches(what).count();
    let before = (said("the skill `guard` is"), said("the skill `bad`"));
    folder.copy("guard", &good);
    folder.copy("bad", &bad);
    folder.copy("last", &gate("last", "v1"));
    watcher.wait_version("last", "v1");
    watcher.wait_state("bad", "failed");
    assert_eq!(
        before,
        (said("the skill `guard` is"), said("the skill `bad`")),
        "{}",
        daemon.log()
    );
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
