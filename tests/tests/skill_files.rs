//! Files that are no skills, or not yet: each is named with what is wrong, and nothing has happened.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_tests::guest::{Guest, LOG, SECRETS};
use passepartout_tests::hostile;
use passepartout_tests::skills::{Folder, Watcher, assert_judges, gate, gate_with};
use passepartout_tests::{Home, message};

#[test]
fn cut_at_every_byte_a_component_is_never_used_unless_it_is_complete() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let whole = gate("cut-0000", "v1");
    let mut daemon = home.start();
    let (mut peer, mut watcher) = (daemon.connect(), Watcher::of(&daemon));
    let lengths: Vec<usize> = (0..=whole.len()).collect();
    for batch in lengths.chunks(300) {
        let name = |length: usize| format!("cut-{length:04}");
        for length in batch {
            let bytes = gate(&name(*length), "v1");
            assert_eq!(bytes.len(), whole.len(), "names of one length make files of one length");
            folder.moved(&name(*length), &bytes[..*length]);
        }
        for length in batch {
            let row = watcher.wait(&name(*length), |row| row.state == "failed" || row.state == "ready");
            // What has lost no more than the names for debuggers, sections of their own at the end, is complete in what it
            // does.
            let may_be_used = whole[*length..].first().is_none_or(|section| *section == 0);
            assert!(row.state == "failed" || may_be_used, "{row:?}");
            assert!(row.state == "ready" || *length < whole.len(), "{row:?}");
            if row.state == "ready" {
                assert_judges(&mut peer, &name(*length), "v1");
            }
            folder.delete(&name(*length));
            if row.state == "ready" {
                // A gate judges on until its file counts as deleted.
                watcher.wait_gone(&name(*length));
            }
        }
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
            Guest::gate("guard").import(&SECRETS).build(),
            "waiting",
            "skill grant guard contains-secret",
        ),
        (
            "needs another",
            gate_with("guard", "v2", ":DEPENDS-ON (\"nowhere\")"),
            "waiting",
            "`nowhere`, which is not loaded",
        ),
        (
            "it is no gate any more",
            Guest::actuator("guard", "(:OTHERS)").build(),
            "waiting",
            "skill trust",
        ),
        (
            "claims what is taken",
            describing("(:NAME \"guard\" :VERSION \"2\" :FUNCTIONS (:GATE :ACT) :TARGETS (:ERRANDS))"),
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
    folder.copy("native", b"\x7fELF\x02\x01\x01\x00 and so on");
    let mut reasons: Vec<String> = ["text", "core", "native"]
        .iter()
        .map(|name| watcher.wait_state(name, "failed").reason)
        .collect();
    assert!(
        reasons[0].contains("text") && reasons[1].contains("core") && reasons[2].contains("for a machine"),
        "{reasons:?}"
    );
    reasons.dedup();
    assert_eq!(reasons.len(), 3);
}

#[test]
fn a_file_that_is_no_component_is_told_what_fits_what_it_is() {
    let home = Home::new();
    for (name, bytes, said, unsaid) in [
        ("noise", vec![0xfe; 300], "not WebAssembly", "cargo component"),
        ("text", b"(component)".to_vec(), "wasm-tools parse", "cargo component"),
        (
            "core",
            hostile::core_module(),
            "inside the crate's own folder",
            "not WebAssembly",
        ),
    ] {
        let file = home.file(&format!("elsewhere/{name}.wasm"), &bytes);
        let ran = home.run(&["skill", "check", file.to_str().unwrap()]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(
            ran.out.contains(said) && !ran.out.contains(unsaid),
            "{name}: {}",
            ran.out
        );
    }
}

#[test]
fn what_is_not_complete_yet_is_said_to_be_waited_for_and_a_check_says_at_once_that_it_is_cut() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let whole = gate("slow", "v1");
    let cut = &whole[..whole.len() / 2];
    let daemon = home.start();
    let mut list = String::new();
    daemon.wait_until("the list says what is waited for", || {
        // Changed again and again, as by a copier that goes on, so that it does not count as complete meanwhile.
        folder.copy("slow", cut);
        // In whatever lines it is set.
        let said = home.run(&["skill", "list"]).out;
        list = said.split_whitespace().collect::<Vec<_>>().join(" ");
        list.contains("may not be complete yet")
    });
    let ends = format!("ends in the middle, after {} bytes", cut.len());
    for said in ["discovered", &ends, "the rest is waited for", "has not changed for 2 s"] {
        assert!(list.contains(said), "{said}: {list}");
    }
    let file = folder.file("slow");
    for command in ["check", "install"] {
        let ran = home.run(&["skill", command, file.to_str().unwrap()]);
        assert!(
            ran.code == 1 && format!("{}{}", ran.out, ran.err).contains(&ends),
            "{ran:?}"
        );
    }
    let mut watcher = Watcher::of(&daemon);
    let row = watcher.wait_state("slow", "failed");
    assert!(
        row.reason.contains(&ends) && !row.reason.contains("waited for"),
        "{row:?}"
    );
    folder.copy("slow", &whole);
    watcher.wait_version("slow", "v1");
}

#[test]
fn inspecting_finds_an_installed_skill_by_its_name_and_an_unknown_one_is_told_what_there_is() {
    let home = Home::new();
    Folder::of(&home).copy("guard", &gate("guard", "v1"));
    for name in ["guard", "guard.wasm"] {
        let ran = home.run(&["skill", "inspect", name]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.out.contains("guard v1"), "{ran:?}");
    }
    for name in ["gaurd", "gaurd.wasm"] {
        let ran = home.run(&["skill", "inspect", name]);
        assert_eq!(ran.code, 1, "{ran:?}");
        for known in ["gaurd", "guard", "policy", "dispatcher"] {
            assert!(ran.err.contains(known), "{known}: {ran:?}");
        }
    }
}

#[test]
fn a_skill_is_removed_by_its_name_and_a_bundled_one_comes_back() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    for name in ["guard", "policy"] {
        folder.copy(name, &gate(name, "v1"));
    }
    watcher.wait_version("guard", "v1");
    watcher.wait("policy", |row| row.source != "bundled");
    let remove = |name: &str| home.run(&["skill", "remove", name]);
    let ran = remove("guard");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.out.contains("within three seconds, in which the gate judges on"),
        "{ran:?}"
    );
    watcher.wait_gone("guard");
    let ran = remove("policy.wasm");
    assert!(
        ran.code == 0 && ran.out.contains("the bundled policy takes its place"),
        "{ran:?}"
    );
    watcher.wait("policy", |row| row.source == "bundled");

    // Nor can the way to a file pass for what is said of it.
    let folder = "elsewhere/x\nready: dropped in it would be used";
    let file = home.file(&format!("{folder}/guard.wasm"), &hostile::trapping_gate("other"));
    let ran = home.run(&["skill", "check", file.to_str().unwrap()]);
    assert!(ran.code == 1 && !ran.out.contains("\nready: dropped in it"), "{ran:?}");

    let elsewhere = home.file("elsewhere/mine.wasm", b"kept");
    for (name, said) in [
        ("guard", "there is none"),
        ("policy", "what is bundled"),
        ("../elsewhere/mine", "no file of a skill"),
    ] {
        let ran = remove(name);
        assert!(ran.code == 1 && ran.err.contains(said), "{name}: {ran:?}");
    }
    assert!(elsewhere.exists());
}

#[test]
fn a_gate_for_a_target_that_nothing_has_is_noted_before_and_after_it_is_installed() {
    let home = Home::new();
    let judging = |name: &str, target: &str| {
        let mut guest = Guest::new(format!(
            "(:NAME \"{name}\" :VERSION \"1\" :FUNCTIONS (:GATE) :GATE-TARGETS (:{target}))"
        ));
        guest.gate = "(call $say (i32.const 0) (i32.const 0) (i32.const 0))".to_owned();
        home.file(&format!("{name}.wasm"), &guest.build())
    };
    for (name, target, told) in [
        ("slip", "SHEL", "did you mean shell?"),
        ("tool-name", "WRITE-FILE", "calls of tools are actions for :TOOL"),
    ] {
        let file = judging(name, target);
        let ran = home.run(&["skill", "check", file.to_str().unwrap()]);
        assert!(ran.code == 0 && ran.out.contains(told), "{ran:?}");
        let ran = home.run(&["skill", "install", "--yes", file.to_str().unwrap()]);
        assert!(ran.code == 0 && ran.out.contains(told), "{ran:?}");
        // It wraps its lines.
        let doctor = home.run(&["doctor"]).out;
        let doctor: Vec<&str> = doctor.split_whitespace().collect();
        let doctor = doctor.join(" ");
        assert!(
            doctor.contains(&format!("the gate {name} is not asked")) && doctor.contains(told),
            "{doctor}"
        );
    }
    let file = judging("right", "SHELL");
    let ran = home.run(&["skill", "check", file.to_str().unwrap()]);
    assert!(ran.code == 0 && !ran.out.contains("it judges actions for"), "{ran:?}");
}

#[test]
fn a_trigger_for_a_sensor_that_nothing_has_is_noted_and_a_slip_also_once_it_is_installed() {
    let home = Home::new();
    for (name, sensor, told, doctor_tells) in [
        ("slip", "USER-INPUTT", "did you mean user-input?", true),
        ("own", "DOOR-BELL", "there are approval-required, ", false),
    ] {
        let describe =
            format!("(:NAME \"{name}\" :VERSION \"1\" :FUNCTIONS (:PROMPT) :TRIGGERS ((:SENSOR :{sensor})))");
        let file = home.file(&format!("{name}.wasm"), &Guest::new(describe).build());
        let ran = home.run(&["skill", "install", "--yes", file.to_str().unwrap()]);
        assert!(ran.code == 0 && ran.out.contains(told), "{ran:?}");
        let doctor = home.run(&["doctor"]).out;
        let named = format!("{name}: a trigger names the sensor");
        assert_eq!(doctor.contains(&named), doctor_tells, "{doctor}");
    }
    let nobody = "(:NAME \"mute\" :VERSION \"1\" :FUNCTIONS (:GATE) :TRIGGERS ((:SENSOR :USER-INPUT)))";
    let file = home.file("mute.wasm", &Guest::new(nobody).build());
    let ran = home.run(&["skill", "check", file.to_str().unwrap()]);
    assert!(
        ran.code == 0 && ran.out.contains("it has neither a `prompt`"),
        "{ran:?}"
    );
}

#[test]
fn checking_a_file_says_when_the_daemon_goes_by_an_older_configuration() {
    let home = Home::new().config("[limits.guard]\nfuel = 10000\n");
    let mut guest = Guest::gate("guard");
    guest.more = "(func $spin (local $i i32) (loop $on (local.set $i (i32.add (local.get $i) (i32.const 1))) \
                  (br_if $on (i32.lt_u (local.get $i) (i32.const 5000)))))(start $spin)"
        .to_owned();
    let file = home.file("guard.wasm", &guest.build());
    let file = file.to_str().unwrap();
    let _daemon = home.start();
    let ran = home.run(&["skill", "check", file]);
    assert!(
        ran.code == 1 && ran.out.contains("`fuel` under [limits.NAME]") && ran.err.is_empty(),
        "{ran:?}"
    );
    home.file("config/config.toml", b"");
    let ran = home.run(&["skill", "check", file]);
    assert!(
        ran.code == 0 && ran.err.contains("changed after the daemon read it"),
        "{ran:?}"
    );
    let ran = home.run(&["skill", "install", "--yes", file]);
    assert!(
        ran.code == 1 && ran.err.contains("changed after the daemon read it"),
        "{ran:?}"
    );
}

#[test]
fn a_skill_that_names_no_function_is_told_how_to_name_one() {
    let home = Home::new();
    for (more, told) in [
        ("", ".function(Function::Gate)"),
        (
            ":TOOLS ((:NAME \"say\" :DESCRIPTION \"says it\"))",
            ".function(Function::CallTool)",
        ),
    ] {
        let guest = Guest::new(format!("(:NAME \"idle\" :VERSION \"1\" {more})"));
        let file = home.file("idle.wasm", &guest.build());
        let ran = home.run(&["skill", "check", file.to_str().unwrap()]);
        assert!(ran.code == 1 && ran.out.contains(told), "{ran:?}");
    }
}

/// A skill that judges one target, acts for another, and claims a sensor; with words that would begin a line of their own.
fn talker() -> Vec<u8> {
    let mut guest = Guest::new(
        "(:NAME \"talker\" :VERSION \"1\" :FUNCTIONS (:GATE :ACT :CALL-TOOL) :GATE-TARGETS (:SHELL) \
         :TARGETS (:TALK (:RADIO :SAY)) :TRIGGERS ((:SENSOR :HEARTBEAT) (:SOURCE :EMACS)) \
         :TOOLS ((:NAME \"say\" :DESCRIPTION \"says it\ndigest     none\")))",
    );
    guest.gate = "(call $say (i32.const 0) (i32.const 0) (i32.const 0))".to_owned();
    guest.build()
}

#[test]
fn inspecting_checking_and_installing_say_the_same_of_what_a_skill_is_for() {
    let home = Home::new();
    let file = home.file("talker.wasm", &talker());
    let file = file.to_str().unwrap();
    for command in ["inspect", "check", "install"] {
        let ran = home.run(&["skill", command, file]);
        let lines: Vec<String> = ran
            .out
            .lines()
            .map(|line| line.replace("ok     ", "").trim().to_owned())
            .collect();
        for (about, text) in [
            ("functions", "gate, act, call-tool"),
            ("judges", "shell"),
            ("acts for", "talk"),
            ("acts for", "radio say"),
            ("triggers", "sensor heartbeat; or source emacs"),
        ] {
            let is_said = |line: &String| line.starts_with(about) && line.ends_with(text);
            assert!(lines.iter().any(is_said), "{command}: {about} {text}: {ran:?}");
        }
        let tools: Vec<&String> = lines.iter().filter(|line| line.starts_with("tool ")).collect();
        assert!(
            tools.len() == 1 && tools[0].contains("say: says it") && tools[0].contains("digest     none"),
            "{command}: what it says stays in its line: {ran:?}"
        );
    }
    let ran = home.run(&["skill", "inspect", file, "--json"]);
    let seen: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        seen["triggers"],
        serde_json::json!(["sensor heartbeat", "source emacs"])
    );
    assert_eq!(seen["acts-for"], serde_json::json!(["talk", "radio say"]));
    assert_eq!(seen["judges"], serde_json::json!(["shell"]));
}

#[test]
fn inspecting_a_file_that_is_no_skill_shows_what_can_be_read_off_it_and_then_why_it_is_none() {
    let home = Home::new();
    let core =
        wat::parse_str("(module (import \"env\\ndigest     none\" \"\\1b[2Jclear\" (func)) (func (export \"run\")))")
            .unwrap();
    // As far as it can be read: its end is missing, its imports are there.
    let whole = Guest::gate("guard").import(&LOG).build();
    let cut = whole[..whole.len() - 1].to_vec();
    let text = b"hello".to_vec();
    for (name, bytes, shown) in [
        ("core", core, &["  env", "<U+001B>[2Jclear", "  run"][..]),
        ("cut", cut, &["  passepartout:skill/log@0.1.0"]),
        ("text", text, &["exports    none", "imports    none"]),
    ] {
        let file = home.file(&format!("{name}.wasm"), &bytes);
        let ran = home.run(&["skill", "inspect", file.to_str().unwrap()]);
        assert!(ran.code == 1 && ran.err.contains("error: "), "{name}: {ran:?}");
        assert!(
            ran.out.contains(&format!("size       {} bytes\n", bytes.len())),
            "{name}: {ran:?}"
        );
        let digests = ran.out.lines().filter(|line| line.starts_with("digest     "));
        assert_eq!(digests.count(), 1, "{name}: {ran:?}");
        for shown in shown {
            assert!(ran.out.contains(shown), "{name}: {shown}: {ran:?}");
        }
        let ran = home.run(&["skill", "inspect", file.to_str().unwrap(), "--json"]);
        let seen: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!((ran.code, &seen["size"]), (1, &bytes.len().into()), "{name}");
        assert!(
            seen["problem"].as_str().is_some_and(|why| ran.err.contains(why)),
            "{name}: {seen}"
        );
    }
}

#[test]
fn names_in_a_file_that_is_no_skill_are_shown_as_far_as_a_person_reads_them() {
    let home = Home::new();
    let name = "\\01".repeat(10_000);
    let imports: String = (0..300)
        .map(|number| format!("(import \"{number}{name}\" \"f\" (func))"))
        .collect();
    let bytes = wat::parse_str(format!("(module {imports})")).unwrap();
    let file = home.file("many.wasm", &bytes);
    for args in [&["skill", "inspect"][..], &["skill", "inspect", "--json"]] {
        let ran = home.run(&[args, &[file.to_str().unwrap()]].concat());
        assert!(ran.code == 1 && ran.out.contains("and others"), "{}", ran.out.len());
        assert!(ran.out.len() < 1 << 20, "{} bytes", ran.out.len());
    }
}

#[test]
fn names_and_texts_that_are_too_long_or_look_like_something_else_are_refused_and_nothing_of_them_is_kept() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start_scripted(&[message("hello")]);
    let mut watcher = Watcher::of(&daemon);
    let long = "x".repeat(50_000);
    let describing = |name: &str, more: &str| {
        Guest::new(format!(
            "(:NAME \"{name}\" :VERSION \"1\" :FUNCTIONS (:GATE :ACT :CALL-TOOL) {more})"
        ))
        .build()
    };
    for (name, more, said) in [
        ("blank", ":TARGETS (\"foo bar\")".to_owned(), ":TARGETS"),
        ("slash", ":TARGETS (\"shell/eval\")".to_owned(), ":TARGETS"),
        ("escape", ":TARGETS (\"a\n\u{1b}[2Jb\")".to_owned(), ":TARGETS"),
        ("long", format!(":TARGETS (:GOOD \"{long}\")"), ":TARGETS"),
        (
            "gate",
            format!(":TARGETS (:GATED) :GATE-TARGETS (\"{long}\")"),
            ":GATE-TARGETS",
        ),
        (
            "told",
            format!(":TARGETS (:TOLD) :TOOLS ((:NAME \"told\" :DESCRIPTION \"{long}\"))"),
            "2000 is the most",
        ),
        (
            "reach",
            format!(":TARGETS (:REACH) :RIGHTS (\"files:read:/{long}\")"),
            "a right has at most",
        ),
    ] {
        let bytes = describing(name, &more);
        folder.moved(name, &bytes);
        let row = watcher.wait_state(name, "failed");
        assert!(row.reason.contains(said) && row.reason.len() < 1_000, "{row:?}");
        let ran = home.run(&["skill", "check", folder.file(name).to_str().unwrap()]);
        assert!(
            ran.code == 1 && ran.out.contains(said) && !ran.out.contains('\u{1b}'),
            "{ran:?}"
        );
    }
    assert_eq!(daemon.connect().ask("hello").outcome(), "ANSWERED");
    let prompts = home.prompts();
    assert!(prompts.iter().all(|prompt| !prompt.to_string().contains("xxxxx")));
    daemon.stop();
    // Nor does any of it come back at the next start.
    let daemon = home.start();
    assert_eq!(daemon.connect().ask("hello").outcome(), "ANSWERED");
}
