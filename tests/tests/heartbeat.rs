//! The heartbeat: it asks no model unless a skill that may claims it, and what comes of it meets the gates.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use passepartout_host::sexp::Digest;
use passepartout_tests::daemon::make_private;
use passepartout_tests::guest::{Guest, PROPOSE_ASK};
use passepartout_tests::model::HeldModel;
use passepartout_tests::script::{eval, waiting};
use passepartout_tests::server::{Seen, Server, answer, json_answer};
use passepartout_tests::{Home, message, proposal};
use serde_json::json;

/// What the muse wants the model to be asked.
const PROMPT: &str = "look after the plants";

/// A home whose heart beats each second, and whose only model is behind this port.
fn home(port: u16) -> Home {
    Home::new().config(&format!(
        "[loop]\nheartbeat_seconds = 1\n\n[model]\ncascade = [\"local\"]\n\n[providers.local]\n\
         base_url = \"http://127.0.0.1:{port}/v1\"\nmodel = \"tiny\"\n"
    ))
}

fn install(home: &Home, name: &str, guest: Guest, rights: &[&str]) {
    home.file(&format!("skills/{name}.wasm"), &guest.build());
    for right in rights {
        let ran = home.run(&["skill", "grant", name, right]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
}

/// A skill that claims every beat by its trigger, and acts on it without a word.
fn ticker() -> Guest {
    Guest::new(
        "(:NAME \"ticker\" :VERSION \"1\" :FUNCTIONS (:ACT) :TARGETS (:TICK) :PRIORITY 9 \
         :TRIGGERS ((:SENSOR :HEARTBEAT)))",
    )
}

/// A skill with a prompt that says of each signal that it is meant, and says this about rights.
fn muse(rights: &str) -> Guest {
    let mut guest = Guest::new(format!(
        "(:NAME \"muse\" :VERSION \"1\" :FUNCTIONS (:TRIGGER :PROMPT) {rights})"
    ));
    let prompt = guest.text(PROMPT);
    guest.prompt = format!("(call $say (i32.const 1) {prompt})");
    guest
}

/// How often the ticker was called.
fn ticks(home: &Home) -> usize {
    let record = std::fs::read_to_string(home.path().join("data/record.log")).unwrap_or_default();
    record.matches(":ACTION :FIRED").count()
}

#[test]
fn explain_last_passes_over_heartbeats() {
    let home = Home::new().config("[loop]\nheartbeat_seconds = 1\n");
    install(&home, "ticker", ticker(), &["heartbeat"]);
    let daemon = home.start_scripted(&[proposal("rm -rf /"), message("it was refused")]);
    assert_eq!(daemon.connect().ask("clean up").reply(), "it was refused");
    let before = ticks(&home);
    daemon.wait_until("it beats on", || ticks(&home) > before);
    let last = home.run(&["explain", "last"]);
    assert!(last.out.contains("rm -rf /"), "{last:?}");
}

#[test]
fn three_heartbeats_that_no_skill_claims_for_a_model_make_no_request() {
    let server = Server::start(vec![answer("never asked")]);
    let home = home(server.port);
    // It counts the beats, and would like a model to be asked as little as the muse may.
    install(&home, "ticker", ticker(), &["heartbeat"]);
    install(&home, "muse", muse(""), &[]);
    let daemon = home.start();
    daemon.wait_until("three beats", || ticks(&home) >= 3);
    assert_eq!(server.seen().len(), 0, "{:#?}", server.seen());
}

#[test]
fn a_skill_that_may_claims_the_beat_and_what_the_model_proposes_waits_once() {
    let server = Server::start(vec![answer(&proposal("touch watered"))]);
    let home = home(server.port);
    install(&home, "muse", muse(":RIGHTS (:HEARTBEAT)"), &["heartbeat"]);
    let daemon = home.start();
    daemon.wait_until("the model is asked on three beats", || server.seen().len() >= 3);
    let first = &server.seen()[0].body;
    let last = first["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(last["role"], "user", "{first}");
    let text = last["content"].as_str().unwrap();
    assert!(
        text.contains("[from the skill muse]") && text.contains(PROMPT),
        "{text}"
    );
    let plans = waiting(&mut daemon.connect());
    assert_eq!(
        plans.len(),
        1,
        "one proposal makes one plan, however often it comes: {plans:#?}"
    );
    assert!(plans[0].to_string().contains("touch watered"), "{plans:#?}");
    assert!(!home.workspace().join("watered").exists());
    let status = home.run(&["status"]);
    assert!(status.out.contains("touch watered"), "{status:?}");
}

#[test]
fn a_prompt_that_is_longer_than_the_skill_may_ask_is_cut_and_says_so() {
    let server = Server::start(vec![answer(&message("noted"))]);
    let home = Home::new().config(&format!(
        "[loop]\nheartbeat_seconds = 1\n\n[model]\ncascade = [\"local\"]\n\n[limits.muse]\nmodel_prompt_bytes = 200\n\n\
         [providers.local]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\n",
        server.port
    ));
    let mut guest = muse(":RIGHTS (:HEARTBEAT)");
    let prompt = guest.text(&"plants ".repeat(1_000));
    guest.prompt = format!("(call $say (i32.const 1) {prompt})");
    install(&home, "muse", guest, &["heartbeat"]);
    let daemon = home.start();
    daemon.wait_until("the model is asked", || !server.seen().is_empty());
    let asked = server.seen()[0].body.to_string();
    assert!(asked.contains("limits.muse.model_prompt_bytes"), "{asked}");
    assert!(asked.matches("plants").count() < 50, "{asked}");
}

#[test]
fn a_rule_for_beats_holds_for_all_that_follows_from_one() {
    let usual = Server::start(vec![answer("never asked")]);
    let local = Server::start(vec![answer(&eval("(+ 1 2)"))]);
    for rule in ["sensor = \"heartbeat\"", "skill = \"muse\""] {
        let asked = local.seen().len();
        let home = Home::new().config(&format!(
            "[loop]\nheartbeat_seconds = 1\n\n[model]\ncascade = [\"usual\", \"local\"]\n\n[select.beats]\n{rule}\n\
             cascade = [\"local\"]\n\n[providers.local]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\n\n\
             [providers.usual]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\n",
            local.port, usual.port
        ));
        install(&home, "muse", muse(":RIGHTS (:HEARTBEAT)"), &["heartbeat"]);
        let daemon = home.start();
        daemon.wait_until("a result goes back to the model", || {
            let seen = local.seen();
            let results = |own: &Seen| own.body.to_string().contains("system eval");
            seen[asked..].iter().any(results)
        });
        assert_eq!(usual.seen().len(), 0, "{rule}: {:#?}", usual.seen());
    }
}

#[test]
fn a_rule_for_beats_holds_for_what_a_skill_asks_of_its_own_accord_in_one() {
    let usual = Server::start(vec![answer("never asked")]);
    let local = Server::start(vec![answer("the plants are well")]);
    let home = Home::new().config(&format!(
        "[loop]\nheartbeat_seconds = 1\n\n[model]\ncascade = [\"usual\", \"local\"]\n\n[select.beats]\n\
         sensor = \"heartbeat\"\ncascade = [\"local\"]\n\n[providers.local]\nbase_url = \"http://127.0.0.1:{}/v1\"\n\
         model = \"tiny\"\n\n[providers.usual]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\n",
        local.port, usual.port
    ));
    let mut guest = ticker().import(&PROPOSE_ASK);
    let (prompt, why) = (
        guest.text("how are the plants"),
        guest.text("the skill looks after the plants"),
    );
    guest.act = format!("(call $propose-ask {prompt} {why} (i32.const 128)) (call $say (i32.const 0) {why})");
    install(&home, "ticker", guest, &["heartbeat", "model"]);
    let daemon = home.start();
    daemon.wait_until("the skill's question is asked", || {
        let asks = |own: &Seen| own.body.to_string().contains("how are the plants");
        local.seen().iter().any(asks) || !usual.seen().is_empty()
    });
    assert_eq!(usual.seen().len(), 0, "{:#?}", usual.seen());
}

#[test]
fn what_the_beats_of_yesterday_cost_leaves_those_of_today_their_own_bound() {
    let said = json!({"role": "assistant", "content": message("hi")});
    let choices = json!([{"index": 0, "finish_reason": "stop", "message": said}]);
    let usage = json!({"prompt_tokens": 4_000, "completion_tokens": 10, "total_tokens": 4_010});
    let server = Server::start(vec![json_answer(200, &json!({"choices": choices, "usage": usage}))]);
    let home = Home::new().config(&format!(
        "[loop]\nheartbeat_seconds = 1\n\n[budget]\nsession_tokens = 8_000\n\n[model]\ncascade = [\"local\"]\n\
         answer_tokens = 100\n\n[providers.local]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\n",
        server.port
    ));
    install(&home, "ticker", ticker(), &["heartbeat"]);
    install(&home, "muse", muse(":RIGHTS (:HEARTBEAT)"), &["heartbeat"]);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let yesterday = format!("heartbeat-{}", now / 86_400 - 1);
    let text = format!("(:KIND :ACCOUNT :ACCOUNT \"{yesterday}\" :TOKENS 1000000 :MONEY 0)");
    let check = Digest::of("passepartout-entry-1", text.as_bytes()).to_string();
    let books = format!("{:08x} {} {text}\n", text.len(), &check[..8]);
    make_private(&home.file("data/budget.log", books.as_bytes()));
    let daemon = home.start();
    daemon.wait_until("today's are asked until their bound", || server.seen().len() == 2);
    let before = ticks(&home);
    daemon.wait_until("beats go by", || ticks(&home) >= before + 3);
    assert_eq!(server.seen().len(), 2);
    let log = daemon.log();
    assert!(
        log.contains("the next day begins at 00:00 UTC, `budget.session_tokens` raises it, and")
            && !log.contains("a new session has one of its own"),
        "nobody can begin another session in the heartbeat's place: {log}"
    );
}

#[test]
fn without_the_grant_a_skill_claims_no_beat() {
    let server = Server::start(vec![answer("never asked")]);
    let home = home(server.port);
    install(&home, "muse", muse(":RIGHTS (:HEARTBEAT)"), &[]);
    install(&home, "ticker", ticker(), &["heartbeat"]);
    let daemon = home.start();
    daemon.wait_until("three beats", || ticks(&home) >= 3);
    assert_eq!(server.seen().len(), 0);
    let listed = home.run(&["skill", "list"]);
    assert!(listed.out.contains("skill grant muse heartbeat"), "{listed:?}");
}

#[test]
fn while_the_turn_of_one_beat_runs_there_is_no_other() {
    let model = HeldModel::start();
    let home = home(model.port);
    install(&home, "muse", muse(":RIGHTS (:HEARTBEAT)"), &["heartbeat"]);
    install(&home, "ticker", ticker(), &["heartbeat"]);
    let daemon = home.start();
    model.asked();
    let before = ticks(&home);
    // Beats go by.
    std::thread::sleep(Duration::from_secs(3));
    assert!(ticks(&home) <= before + 1, "a beat began while another's turn ran");
    model.answer();
    daemon.wait_until("the heart beats on", || ticks(&home) >= before + 3);
}

#[test]
fn the_heartbeats_conversation_is_begun_anew_once_it_is_long() {
    const TURNS: &str = "data/turns/6865617274626561742d2d2d2d2d2d2d.turns";
    let server = Server::start(vec![answer("the plants are fine")]);
    let home = home(server.port);
    drop(home.start());
    make_private(&home.file(TURNS, &vec![b' '; 5 << 20]));
    install(&home, "muse", muse(":RIGHTS (:HEARTBEAT)"), &["heartbeat"]);
    let daemon = home.start();
    daemon.wait_until("two beats", || server.seen().len() >= 2);
    let length = |name: &str| std::fs::metadata(home.path().join(name)).map_or(0, |file| file.len());
    assert_eq!(length(&format!("{TURNS}.before")), 5 << 20);
    assert!(length(TURNS) > 0 && length(TURNS) < 100_000);
}
