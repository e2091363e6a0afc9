//! What a skill may do, as the operator sees and changes it on the command line.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_tests::bash::in_bash;
use passepartout_tests::guest::{GET, Guest, READ_FILE, RUN};
use passepartout_tests::script::{call, messages};
use passepartout_tests::skills::{Folder, Watcher, assert_judges};
use passepartout_tests::{Home, Ran, host_binary, hostile, message, reaching};

fn skill(home: &Home, args: &[&str]) -> Ran {
    home.run(&[&["skill"], args].concat())
}

fn inspected(home: &Home, name: &str) -> serde_json::Value {
    let ran = skill(home, &["inspect", name, "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    serde_json::from_str(&ran.out).expect("JSON")
}

#[test]
fn inspecting_an_installed_skill_says_what_it_was_granted_and_what_not_and_how_to_grant_it() {
    let home = Home::new();
    let describe = "(:NAME \"reader\" :VERSION \"1\" :FUNCTIONS (:ACT) :TARGETS (:READER) \
                    :RIGHTS (\"files:read:workspace\" \"http:status.example.org\" \"http:other.example.org\"))";
    let reader = Guest::new(describe)
        .import(&READ_FILE)
        .import(&GET)
        .import(&RUN)
        .build();
    Folder::of(&home).copy("reader", &reader);

    let before = inspected(&home, "reader");
    let asked = [
        "process",
        "files:read:workspace",
        "http:other.example.org",
        "http:status.example.org",
    ];
    assert_eq!(before["rights"], serde_json::json!(asked));
    assert_eq!(before["granted"], serde_json::json!([]));
    assert_eq!(before["not-granted"], serde_json::json!(asked));
    assert_eq!(before["waits-for-a-grant"], true);
    let command = before["grant-command"].as_str().expect("a command");
    assert_eq!(
        command,
        format!("passepartout-host skill grant reader {}", asked.join(" "))
    );

    let grant = ["grant", "reader", "process", "http:status.example.org"];
    assert_eq!(skill(&home, &grant).code, 0);
    let ran = skill(&home, &["inspect", "reader"]);
    for line in [
        "process (granted)",
        "http:status.example.org (granted)",
        "files:read:workspace (not granted)",
        "http:other.example.org (not granted)",
        "passepartout-host skill grant reader files:read:workspace http:other.example.org",
    ] {
        assert!(ran.out.contains(line), "{line}: {}", ran.out);
    }
    assert!(ran.out.contains("waits      until this is granted"), "{}", ran.out);

    // Of a capability any bound is enough, another one than it asks for too.
    assert_eq!(skill(&home, &["grant", "reader", "files:read:workspace/notes"]).code, 0);
    let after = inspected(&home, "reader");
    let granted = ["process", "files:read:workspace/notes", "http:status.example.org"];
    assert_eq!(after["granted"], serde_json::json!(granted));
    assert_eq!(after["waits-for-a-grant"], false);
    let list = skill(&home, &["list", "--json"]);
    let list: serde_json::Value = serde_json::from_str(&list.out).expect("JSON");
    let row = list
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["name"] == "reader")
        .unwrap();
    assert_eq!(
        (&row["state"], &row["rights"]),
        (&serde_json::json!("ready"), &after["granted"])
    );

    // A file that is not installed is named by its path, and the bundled ones have what they come with.
    let elsewhere = home.file(
        "elsewhere/sly.wasm",
        &hostile::running_actuator("sly", "SLY", "payload.cmd"),
    );
    let elsewhere = elsewhere.to_str().unwrap();
    let command = format!("passepartout-host skill grant {elsewhere} process");
    assert_eq!(inspected(&home, elsewhere)["grant-command"], command);
    let shell = inspected(&home, "shell");
    assert_eq!(shell["granted"], shell["rights"]);
    assert!(shell["grant-command"].is_null(), "{shell}");
}

#[test]
fn a_right_that_several_builds_have_is_told_once_and_what_was_taken_back_by_its_name() {
    let home = Home::new();
    for path in ["payload.cmd", "payload.other"] {
        Folder::of(&home).copy("sly", &hostile::running_actuator("sly", "SLY", path));
        assert_eq!(skill(&home, &["grant", "sly", "process", "model"]).code, 0);
    }
    let ran = skill(&home, &["revoke", "sly", "revise"]);
    assert!(
        ran.code == 1
            && ran
                .err
                .contains("sly has process (for 2 files of the name), model (for 2 files of the name); revise was not granted to it\n"),
        "{ran:?}"
    );
    let ran = skill(&home, &["revoke", "sly", "model"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let said = "taken back: model (for 2 files of the name); sly now has process (for 2 files of the name)\n";
    assert!(ran.out.starts_with(said), "{ran:?}");
    assert_eq!(skill(&home, &["grant", "sly", "model", "--follow"]).code, 0);
    let ran = skill(&home, &["revoke", "sly"]);
    assert!(ran.out.contains("model (whatever file bears the name)"), "{ran:?}");
    assert!(ran.out.contains("sly now has nothing"), "{ran:?}");
    assert!(
        !std::fs::read_to_string(home.path().join("config/grants"))
            .unwrap()
            .contains("sly")
    );
}

#[test]
fn what_an_earlier_build_was_granted_and_the_new_one_does_not_ask_for_is_told_when_it_is_installed() {
    let home = Home::new();
    for (path, kept) in [("payload.cmd", true), ("payload.other", false)] {
        let file = home.file("sly.wasm", &hostile::running_actuator("sly", "SLY", path));
        let ran = home.run(&["skill", "install", "--yes", file.to_str().unwrap()]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(!ran.out.contains("not kept   model"), kept, "{ran:?}");
        assert_eq!(skill(&home, &["grant", "sly", "model"]).code, 0);
    }
}

#[test]
fn what_a_build_would_use_beside_a_grant_that_follows_the_name_is_told_and_granted_by_a_persons_yes() {
    let home = Home::new();
    let build = |rights: &str| {
        let describe = format!("(:NAME \"jot\" :VERSION \"1\" :FUNCTIONS (:ACT) :TARGETS (:JOT) :RIGHTS ({rights}))");
        home.file("jot.wasm", &Guest::new(describe).import(&READ_FILE).build())
    };
    let file = build("\"files:write:workspace/jots\"");
    let file = file.to_str().unwrap();
    assert_eq!(skill(&home, &["install", "--yes", file]).code, 0);
    let follow = ["grant", "jot", "files:write:workspace/jots", "--follow"];
    assert_eq!(skill(&home, &follow).code, 0);
    build("\"files:read:workspace/jots\" \"files:write:workspace/jots/deep\" \"files:write:workspace/jots\"");

    let ran = skill(&home, &["check", file]);
    let command = format!("passepartout-host skill grant {file} files:read:workspace/jots");
    assert!(
        ran.code == 0 && ran.out.contains("it can be used without") && ran.out.contains(&command),
        "{ran:?}"
    );
    assert!(
        !ran.out.contains("jots/deep is not granted"),
        "a grant covers that: {ran:?}"
    );
    // Whoever was granted a part gets no more without being asked.
    let ran = skill(&home, &["install", "--yes", file]);
    let asked = "asks for   files:read:workspace/jots: to read files";
    assert!(ran.out.contains(&format!("{asked} (not granted: --yes")), "{ran:?}");
    let lacking = || inspected(&home, "jot")["not-granted"].clone();
    // Nor does the next build.
    assert_eq!(skill(&home, &["revoke", "jot"]).code, 0);
    assert_eq!(skill(&home, &["grant", "jot", "files:write:workspace/jots"]).code, 0);
    let describe = "(:NAME \"jot\" :VERSION \"2\" :FUNCTIONS (:ACT) :TARGETS (:JOT) \
                    :RIGHTS (\"files:read:workspace/jots\" \"files:write:workspace/jots/deep\"))";
    home.file("jot.wasm", &Guest::new(describe).import(&READ_FILE).build());
    let ran = skill(&home, &["install", "--yes", file]);
    assert!(
        ran.out.contains(&format!("{asked} (not granted: --yes"))
            && ran.err.contains("without files:read:workspace/jots; to grant it"),
        "{ran:?}"
    );
    assert_eq!(lacking(), serde_json::json!(["files:read:workspace/jots"]));
    let install = format!(
        "echo yes | script -qec '{} skill install {file}' /dev/null",
        host_binary().display()
    );
    let ran = in_bash(&home, &install).output().unwrap();
    assert!(String::from_utf8_lossy(&ran.stdout).contains(asked), "{ran:?}");
    assert_eq!(lacking(), serde_json::json!([]));
}

#[test]
fn a_private_address_is_granted_only_as_such_and_it_is_said_what_that_means() {
    let home = Home::new();
    let file = reaching::fetcher("reader", "PAGE", "http://127.0.0.1:8080/");
    Folder::of(&home).copy("reader", &file);
    for (right, instead) in [
        ("http:127.0.0.1:8080", "http-private:127.0.0.1:8080"),
        ("http:localhost", "http-private:localhost:PORT"),
        ("http:192.168.0.1", "http-private:192.168.0.1:PORT"),
        ("http:[::1]", "http-private:[::1]:PORT"),
    ] {
        let ran = skill(&home, &["grant", "reader", "http:api.example.org", right]);
        assert_eq!(ran.code, 1, "{ran:?}");
        let said = ["would reach nothing", instead, "nothing was granted"];
        assert!(said.iter().all(|said| ran.err.contains(said)), "{right}: {ran:?}");
    }
    assert!(!home.path().join("config/grants").exists(), "nothing was written");
    let ran = skill(&home, &["grant", "reader", "http-private:127.0.0.1:8080"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.err.contains("warning: with http-private:127.0.0.1:8080") && ran.err.contains("without encryption"),
        "{ran:?}"
    );
    let ran = skill(&home, &["grant", "reader", "http:api.example.org"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");

    // Who installs a skill that asks for it is told the same.
    let describe =
        "(:NAME \"near\" :VERSION \"1\" :FUNCTIONS (:ACT) :TARGETS (:NEAR) :RIGHTS (\"http-private:10.0.0.1:80\"))";
    let near = home.file("elsewhere/near.wasm", &Guest::new(describe).import(&GET).build());
    let ran = skill(&home, &["install", near.to_str().unwrap(), "--yes"]);
    assert!(
        ran.out
            .contains("http-private:10.0.0.1:80: to speak to hosts of this machine or a private network"),
        "{ran:?}"
    );
    assert!(ran.out.contains("10.0.0.1:80 it sends requests to 10.0.0.1"), "{ran:?}");
}

#[test]
fn who_takes_back_what_a_ready_gate_needs_is_told_that_it_rejects_and_how_that_ends() {
    let home = Home::new();
    let describe = "(:NAME \"greedy\" :VERSION \"1\" :FUNCTIONS (:GATE) :RIGHTS (\"revise\"))";
    Folder::of(&home).copy("greedy", &Guest::new(describe).build());
    let said = [
        "all that it is about is rejected",
        "skill grant greedy revise",
        "skill remove greedy",
    ];
    // One that was never ready holds nothing up.
    assert_eq!(skill(&home, &["grant", "greedy", "revise"]).code, 0);
    let ran = skill(&home, &["revoke", "greedy", "revise"]);
    assert!(ran.code == 0 && !ran.out.contains("rejected"), "{ran:?}");

    assert_eq!(skill(&home, &["grant", "greedy", "revise", "model"]).code, 0);
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    watcher.wait_state("greedy", "ready");
    // It goes on without what it does not need.
    let ran = skill(&home, &["revoke", "greedy", "model"]);
    assert!(ran.code == 0 && !ran.out.contains("rejected"), "{ran:?}");
    let ran = skill(&home, &["revoke", "greedy", "revise"]);
    assert!(
        ran.code == 0 && said.iter().all(|said| ran.out.contains(said)),
        "{ran:?}"
    );
    watcher.wait_state("greedy", "waiting");
    assert_judges(&mut daemon.connect(), "greedy", "gate-unavailable");

    // The same without a daemon, and no word of it once the file is gone.
    assert_eq!(skill(&home, &["grant", "greedy", "revise"]).code, 0);
    watcher.wait_state("greedy", "ready");
    daemon.stop();
    let ran = skill(&home, &["revoke", "greedy"]);
    assert!(
        ran.code == 0 && said.iter().all(|said| ran.out.contains(said)),
        "{ran:?}"
    );
    assert_eq!(skill(&home, &["grant", "greedy", "revise"]).code, 0);
    assert_eq!(skill(&home, &["remove", "greedy"]).code, 0);
    let ran = skill(&home, &["revoke", "greedy"]);
    assert!(ran.code == 0 && !ran.out.contains("rejected"), "{ran:?}");
}

#[test]
fn what_was_granted_anew_is_ready_when_install_ends_though_the_daemon_had_it_waiting() {
    let home = Home::new();
    let file = home.file(
        "aside/sly.wasm",
        &hostile::running_actuator("sly", "SLY", "payload.cmd"),
    );
    let file = file.to_str().unwrap();
    let daemon = home.start();
    assert_eq!(skill(&home, &["install", file, "--yes"]).code, 0);
    let mut watcher = Watcher::of(&daemon);
    for _ in 0..3 {
        assert_eq!(skill(&home, &["revoke", "sly", "process"]).code, 0);
        watcher.wait_state("sly", "waiting");
        let ran = skill(&home, &["install", file, "--yes"]);
        assert!(ran.code == 0 && ran.out.contains("sly is ready"), "{ran:?}");
    }
}

#[test]
fn an_upgrade_says_which_reach_is_to_be_granted_anew_and_check_what_a_gate_can_not_use() {
    let home = Home::new();
    let build = |version: &str, functions: &str| {
        let describe = format!("(:NAME \"keen\" :VERSION \"{version}\" :FUNCTIONS {functions})");
        Guest::new(&describe).import(&READ_FILE).build()
    };
    let acting = "(:GATE :ACT) :TARGETS (:KEEN)";
    Folder::of(&home).copy("keen", &build("1", acting));
    assert_eq!(skill(&home, &["grant", "keen", "files:read:workspace"]).code, 0);
    let file = home.file("aside/keen.wasm", &build("2", acting));
    let file = file.to_str().unwrap();
    let ran = skill(&home, &["install", file, "--yes"]);
    let kept = "not kept   files:read:workspace, which an earlier build was granted: this one does not say how far";
    assert!(ran.out.contains(kept), "{ran:?}");
    let file = home.file("aside/keen.wasm", &build("3", "(:GATE)"));
    let file = file.to_str().unwrap();
    let unused = "it uses files, and has neither `act` nor a tool: a gate";
    for command in [&["check", file][..], &["install", file, "--yes"], &["list"]] {
        let ran = skill(&home, command);
        let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            ran.code == 0 && said.contains(unused) && !said.contains("skill grant"),
            "{ran:?}"
        );
    }
}

#[test]
fn a_model_that_calls_the_tool_of_a_skill_that_waits_is_told_so_and_the_list_says_how_to_grant() {
    let home = Home::new();
    let describe = "(:NAME \"runner\" :VERSION \"1\" :FUNCTIONS (:CALL-TOOL) \
                    :TOOLS ((:NAME \"runner\" :DESCRIPTION \"runs\")))";
    Folder::of(&home).copy("runner", &Guest::new(describe).import(&RUN).build());
    let daemon = home.start_scripted(&[call("runner", ""), call("absent", ""), message("neither is there")]);
    Watcher::of(&daemon).wait_state("runner", "waiting");
    daemon.connect().ask("run it");
    let prompts = home.prompts();
    let told = |number: usize| -> String { messages(&prompts[number]).into_iter().map(|(_, text)| text).collect() };
    let waits = "there is no tool named runner now: the skill of that name is waiting; `passepartout-host skill list` says why";
    assert!(told(1).contains(waits), "{}", told(1));
    assert!(told(2).contains("there is no tool named absent"), "{}", told(2));
    assert!(!told(2).contains("absent now"), "{}", told(2));
    let list = skill(&home, &["list"]);
    assert!(
        list.out.contains("passepartout-host skill grant runner process"),
        "{list:?}"
    );
}

#[test]
fn what_a_skill_has_already_is_said_and_not_granted_again() {
    let home = Home::new();
    let sly = hostile::running_actuator("sly", "SLY", "payload.cmd");
    Folder::of(&home).copy("sly", &sly);
    let granted = |args: &[&str]| {
        let ran = skill(&home, args);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.out
    };
    let first = granted(&["grant", "sly", "process"]);
    assert!(first.contains("sly may now: process"), "{first}");
    let file = || std::fs::read_to_string(home.path().join("config/grants")).unwrap();
    let before = file();
    let again = granted(&["grant", "sly", "process"]);
    assert!(
        again.contains("was granted this before") && again.contains("nothing has changed"),
        "{again}"
    );
    let own = granted(&["grant", "files", "files:read:workspace"]);
    assert!(
        own.contains("files comes with this, without a grant: files:read:workspace")
            && own.contains("nothing has changed"),
        "{own}"
    );
    assert_eq!(file(), before);
    let more = granted(&["grant", "files", "files:read:workspace", "files:read:/srv/notes"]);
    assert!(
        more.contains("files may now: files:read:/srv/notes") && more.contains("comes with this"),
        "{more}"
    );

    let policy = home.file("elsewhere/policy.wasm", &hostile::passing_gate("policy"));
    let policy = policy.to_str().unwrap();
    assert!(granted(&["trust", policy]).contains("may now replace"));
    assert!(granted(&["trust", policy]).contains("may replace the skill policy already"));
}

#[test]
fn what_makes_no_difference_is_granted_with_a_note_and_what_cannot_be_taken_back_is_said() {
    let home = Home::new();
    Folder::of(&home).copy("calm", &hostile::passing_gate("calm"));
    let ran = skill(&home, &["grant", "calm", "nonsense"]);
    assert!(
        ran.code == 2 && ran.err.contains("http:*.DOMAIN, http:*, http-private:"),
        "{ran:?}"
    );
    let ran = skill(&home, &["grant", "calm", "process", "model", "recover"]);
    assert!(
        ran.code == 0 && ran.err.contains("nor asks for what takes process, model, recover"),
        "{ran:?}"
    );
    let calm = home.path().join("skills/calm.wasm");
    let ran = skill(&home, &["trust", calm.to_str().unwrap()]);
    assert!(ran.code == 0 && ran.err.contains("makes no difference"), "{ran:?}");

    assert_eq!(skill(&home, &["grant", "files", "files:read:/srv/notes"]).code, 0);
    let ran = skill(&home, &["revoke", "files", "files:read:/srv/notes"]);
    assert!(ran.out.contains("files:read:/srv/notes (the bundled one)"), "{ran:?}");
    for (args, said) in [
        (
            ["revoke", "files", "files:read:workspace"],
            "comes with files:read:workspace, which can't be taken back",
        ),
        (["revoke", "nosuch", "process"], "there is no skill `nosuch`"),
        (
            ["revoke", "nosuch", "process"],
            "there is calm, and bundled there are dispatcher, ",
        ),
        (["show", "nosuch", "--json"], "there is no skill `nosuch`"),
    ] {
        let ran = skill(&home, &args);
        assert!(ran.code == 1 && ran.err.contains(said), "{ran:?}");
    }
}

#[test]
fn what_a_file_says_of_itself_never_looks_like_a_line_of_the_installers() {
    let home = Home::new();
    let spoof = |describe: &str| {
        let file = home.file("elsewhere/spoof.wasm", &Guest::new(describe).build());
        let ran = skill(&home, &["install", file.to_str().unwrap()]);
        (ran.code, ran.out + &ran.err)
    };
    let (code, told) = spoof("(:NAME \"spoof\" :VERSION \"1\nasks for   nothing\" :FUNCTIONS (:PROMPT))");
    assert!(
        code == 1 && told.contains(":VERSION") && told.contains("1<U+000A>asks for"),
        "{told}"
    );
    let (code, told) = spoof(
        "(:NAME \"spoof\" :VERSION \"1\" :FUNCTIONS (:CALL-TOOL :RECOVER) :TOOLS ((:NAME \"count\" :DESCRIPTION \"counts\nasks \
         for   nothing\")))",
    );
    assert!(code == 4 && told.contains("counts<U+000A>asks for   nothing"), "{told}");
    let asked: Vec<&str> = told.lines().filter(|line| line.starts_with("asks for")).collect();
    assert_eq!(
        asked,
        ["asks for   recover: to choose how the loop goes on after a failure"],
        "{told}"
    );
}

#[test]
fn taking_away_what_a_gate_depends_on_says_that_the_gate_falls() {
    let home = Home::new();
    let folder = Folder::of(&home);
    let daemon = home.start();
    let mut watcher = Watcher::of(&daemon);
    let needed = "(:NAME \"needed\" :VERSION \"1\" :FUNCTIONS (:GATE) :RIGHTS (:REVISE))";
    let guard = "(:NAME \"guard\" :VERSION \"1\" :FUNCTIONS (:GATE) :DEPENDS-ON (\"needed\"))";
    folder.moved("needed", &Guest::new(needed).build());
    folder.moved("guard", &Guest::new(guard).build());
    let grant = |watcher: &mut Watcher| {
        assert_eq!(skill(&home, &["grant", "needed", "revise", "--follow"]).code, 0);
        watcher.wait_state("guard", "ready");
    };
    grant(&mut watcher);
    let said = skill(&home, &["revoke", "needed", "revise"]);
    for name in ["needed", "guard"] {
        let falls = format!("{name} was ready as a gate and is not now, so that all that it is about is rejected");
        assert!(said.code == 0 && said.out.contains(&falls), "{name}: {said:?}");
    }
    grant(&mut watcher);
    let said = skill(&home, &["remove", "needed"]);
    assert!(
        said.code == 0 && said.out.contains("guard was ready as a gate and is not now"),
        "{said:?}"
    );
    assert!(!said.out.contains("needed was ready"), "{said:?}");
}

#[test]
fn grants_that_would_be_longer_than_what_is_read_are_refused_and_those_there_are_can_be_taken_back() {
    let home = Home::new();
    let calm = hostile::passing_gate("calm");
    Folder::of(&home).copy("calm", &calm);
    let path = home.path().join("config/grants");
    assert_eq!(skill(&home, &["grant", "calm", "model"]).code, 0);
    let begun = std::fs::read_to_string(&path).unwrap();
    // As if comments had nearly filled it.
    let full = format!("; {}\n{begun}", "x".repeat((1 << 20) - begun.len() - 10));
    std::fs::write(&path, &full).unwrap();
    let ran = skill(&home, &["grant", "calm", "process", "recover"]);
    assert!(ran.code == 1 && ran.err.contains("nothing was written"), "{ran:?}");
    let describe = "(:NAME \"asks\" :VERSION \"1\" :FUNCTIONS (:GATE) :RIGHTS (:REVISE :RECOVER))";
    let asks = home.file("elsewhere/asks.wasm", &Guest::new(describe).build());
    let ran = skill(&home, &["install", asks.to_str().unwrap(), "--yes"]);
    assert!(ran.code == 1 && ran.err.contains("nothing was written"), "{ran:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), full);
    assert!(!Folder::of(&home).file("asks").exists());
    let ran = skill(&home, &["revoke", "calm", "model"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let far = format!("files:read:/{}", "x".repeat(5_000));
    let ran = skill(&home, &["grant", "calm", &far]);
    assert!(
        ran.code == 2 && ran.err.contains("a right has at most 4128 bytes"),
        "{ran:?}"
    );
}

#[test]
fn a_folder_that_no_grant_opens_is_not_granted_and_one_that_is_not_there_is_told() {
    let home = Home::new();
    let _daemon = home.start_scripted(&[message("unused")]);
    let file = home.file("elsewhere/file", b"");
    let link = home.path().join("elsewhere/link");
    std::os::unix::fs::symlink(home.path().join("state"), &link).unwrap();
    let data = home.path().join("data").display().to_string();
    for place in [&data, link.to_str().unwrap(), file.to_str().unwrap(), "workspace/.ssh"] {
        let right = format!("files:read:{place}");
        let ran = skill(&home, &["grant", "files", "files:read:/usr", &right]);
        assert_eq!(ran.code, 1, "{ran:?}");
        let said = [&*format!("`{right}` would reach nothing"), "nothing was granted"];
        assert!(said.iter().all(|said| ran.err.contains(said)), "{ran:?}");
    }
    assert!(!home.path().join("config/grants").exists(), "nothing was written");
    let ran = skill(
        &home,
        &["grant", "files", "files:read:/nowhere/at/all", "files:read:/usr"],
    );
    assert!(
        ran.code == 0 && ran.err.contains("note: /nowhere/at/all is not there"),
        "{ran:?}"
    );
    assert!(!ran.err.contains("/usr"), "{ran:?}");
    let ran = skill(&home, &["revoke", "files", "process"]);
    assert!(
        ran.code == 1 && ran.err.contains("process was not granted to it"),
        "{ran:?}"
    );
}
