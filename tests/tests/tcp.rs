//! The TCP door: who has not proven the token gets nothing but the daemon's health, and the proof goes both ways.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU16, Ordering};

use hmac::{Hmac, KeyInit as _, Mac as _};
use passepartout_host::sexp::Form;
use passepartout_tests::wire::{closed_with, error, still_usable};
use passepartout_tests::{Daemon, Home, Peer, message, proposal};
use sha2::Sha256;

const NONCE: &str = "000102030405060708090a0b0c0d0e0f";

/// The proof, computed from what the protocol says and nothing of the host's: HMAC-SHA256 over five parts, each with
/// its length in front as four bytes, big-endian.
fn proof(token: &[u8], role: &str, port: u16, client: &str, server: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(token).unwrap();
    let (client, server) = (hex::decode(client).unwrap(), hex::decode(server).unwrap());
    let port = port.to_string();
    for part in [
        &b"passepartout-1"[..],
        role.as_bytes(),
        port.as_bytes(),
        &client,
        &server,
    ] {
        mac.update(&u32::try_from(part.len()).unwrap().to_be_bytes());
        mac.update(part);
    }
    hex::encode(mac.finalize().into_bytes())
}

fn token(home: &Home) -> Vec<u8> {
    let text = std::fs::read_to_string(home.path().join("state/token")).unwrap();
    hex::decode(text.trim()).unwrap()
}

/// A TCP client past the greeting.
fn greeted(daemon: &Daemon<'_>) -> Peer {
    let mut peer = Peer::tcp(daemon.port());
    let greeting = peer.next();
    assert!(greeting.at("payload.action").unwrap().is_kw("HANDSHAKE"), "{greeting}");
    peer
}

/// Says hello, and returns the server's nonce and its proof.
fn hello(peer: &mut Peer, nonce: &str) -> (String, String) {
    peer.send(&format!("(:TYPE :EVENT :PAYLOAD (:ACTION :HELLO :NONCE \"{nonce}\"))"));
    let answer = peer.next();
    assert!(answer.at("payload.action").unwrap().is_kw("PROOF"), "{answer}");
    let text = |key| answer.text_at(key).unwrap().to_owned();
    (text("payload.nonce"), text("payload.mac"))
}

fn prove(peer: &mut Peer, mac: &str) {
    peer.send(&format!("(:TYPE :EVENT :PAYLOAD (:ACTION :PROOF :MAC \"{mac}\"))"));
}

/// A client that has proven the token, and the session it was given.
fn proven(home: &Home, daemon: &Daemon<'_>) -> (Peer, String) {
    let mut peer = greeted(daemon);
    let (server, _) = hello(&mut peer, NONCE);
    prove(&mut peer, &proof(&token(home), "client", daemon.port(), NONCE, &server));
    let ready = peer.next();
    assert!(ready.at("payload.action").unwrap().is_kw("READY"), "{ready}");
    let session = ready.text_at("payload.session-id").unwrap().to_owned();
    (peer, session)
}

fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn both_sides_prove_the_token_and_then_the_client_has_a_session() {
    let home = Home::new();
    let daemon = home.start_scripted(&[message("hi")]);
    let mut peer = greeted(&daemon);
    let (server, mac) = hello(&mut peer, NONCE);
    assert_eq!(server.len(), 32);
    assert_eq!(mac, proof(&token(&home), "server", daemon.port(), NONCE, &server));
    prove(
        &mut peer,
        &proof(&token(&home), "client", daemon.port(), NONCE, &server),
    );
    let ready = peer.next();
    let session = ready.text_at("payload.session-id").unwrap().to_owned();
    assert_eq!(session.len(), 32);
    assert_eq!(peer.ask("hello").reply(), "hi");
    assert_eq!(peer.session(), session);
}

#[test]
fn the_secret_never_travels_and_each_greeting_has_another_nonce() {
    let home = Home::new();
    let daemon = home.start();
    let secret = hex::encode(token(&home));
    let mut nonces = std::collections::HashSet::new();
    for _ in 0..20 {
        let (server, mac) = hello(&mut greeted(&daemon), NONCE);
        assert!(nonces.insert(server) && nonces.insert(mac.clone()));
        assert_ne!(mac, secret);
    }
    assert!(!daemon.log().contains(&secret));
}

#[test]
fn a_wrong_proof_closes_the_connection_and_says_why() {
    let home = Home::new();
    let mut daemon = home.start();
    let (right, port) = (token(&home), daemon.port());
    let wrong = vec![7; right.len()];
    let swapped = |server: &str| proof(&right, "client", port, server, NONCE);
    type Attempt<'a> = (&'a str, Box<dyn Fn(&str, &str) -> String + 'a>);
    let attempts: Vec<Attempt<'_>> = vec![
        (
            "another token",
            Box::new(|server, _| proof(&wrong, "client", port, NONCE, server)),
        ),
        ("the server's own proof, sent back", Box::new(|_, mac| mac.to_owned())),
        (
            "the server's role",
            Box::new(|server, _| proof(&right, "server", port, NONCE, server)),
        ),
        (
            "another port",
            Box::new(|server, _| proof(&right, "client", port.wrapping_add(1), NONCE, server)),
        ),
        ("the nonces the other way round", Box::new(|server, _| swapped(server))),
        (
            "another nonce",
            Box::new(|_, _| proof(&right, "client", port, NONCE, NONCE)),
        ),
        ("nothing", Box::new(|_, _| String::new())),
        (
            "the beginning of the right one",
            Box::new(|server, _| proof(&right, "client", port, NONCE, server)[..62].to_owned()),
        ),
        (
            "more than the right one",
            Box::new(|server, _| proof(&right, "client", port, NONCE, server) + "00"),
        ),
    ];
    for (what, attempt) in attempts {
        let mut peer = greeted(&daemon);
        let (server, mac) = hello(&mut peer, NONCE);
        prove(&mut peer, &attempt(&server, &mac));
        assert_eq!(
            error(&peer.next()),
            ("PROOF-FAILED".to_owned(), ":PAYLOAD :MAC".to_owned()),
            "{what}"
        );
        assert_eq!(peer.try_next(), None, "{what}");
    }
    daemon.assert_healthy();
}

#[test]
fn a_proof_of_an_earlier_connection_or_without_a_hello_is_refused() {
    let home = Home::new();
    let daemon = home.start();
    let mut first = greeted(&daemon);
    let (server, _) = hello(&mut first, NONCE);
    let mac = proof(&token(&home), "client", daemon.port(), NONCE, &server);
    prove(&mut first, &mac);
    assert!(first.next().at("payload.action").unwrap().is_kw("READY"));
    let mut again = greeted(&daemon);
    hello(&mut again, NONCE);
    prove(&mut again, &mac);
    closed_with(&mut again, "PROOF-FAILED");
    let mut bare = greeted(&daemon);
    prove(&mut bare, &mac);
    closed_with(&mut bare, "PROOF-FAILED");
}

#[test]
fn a_second_hello_does_not_get_a_second_proof() {
    // Or a client could collect proofs, or turn one of ours into one of its own.
    let home = Home::new();
    let daemon = home.start();
    let mut peer = greeted(&daemon);
    hello(&mut peer, NONCE);
    peer.send(&format!("(:TYPE :EVENT :PAYLOAD (:ACTION :HELLO :NONCE \"{NONCE}\"))"));
    assert_eq!(error(&peer.next()).0, "NO-PROOF-HERE");
    let mut bad = greeted(&daemon);
    for nonce in ["", "00", "zz", &"0".repeat(31), &"0".repeat(34)] {
        bad.send(&format!("(:TYPE :EVENT :PAYLOAD (:ACTION :HELLO :NONCE \"{nonce}\"))"));
        assert_eq!(
            error(&bad.next()),
            ("BAD-FIELD".to_owned(), ":PAYLOAD :NONCE".to_owned()),
            "{nonce}"
        );
    }
}

#[test]
fn before_the_proof_only_a_health_check_is_answered() {
    let home = Home::new();
    let daemon = home.start_scripted(&[message("never")]);
    let mut operator = daemon.connect();
    operator.ask("/help");
    let session = operator.session().to_owned();
    let mut peer = greeted(&daemon);
    still_usable(&mut peer);
    let mut refused = vec![
        "(:TYPE :EVENT :PAYLOAD (:SENSOR :USER-INPUT :TEXT \"hello\"))".to_owned(),
        "(:TYPE :EVENT :PAYLOAD (:SENSOR :USER-INPUT :TEXT \"/plans\"))".to_owned(),
        "(:TYPE :EVENT :PAYLOAD (:SENSOR :INTERRUPT))".to_owned(),
        format!("(:TYPE :EVENT :META (:SESSION-ID \"{session}\") :PAYLOAD (:SENSOR :INTERRUPT))"),
        "(:TYPE :REQUEST :TARGET :SHELL :PAYLOAD (:CMD \"touch harm\"))".to_owned(),
    ];
    refused.extend(
        [
            "STATUS",
            "DOCTOR",
            "PLANS",
            "APPROVE",
            "DENY",
            "APPROVALS",
            "REVOKE",
            "STOP",
            "CONTINUE",
            "SKILLS",
            "SESSIONS",
            "TRACE",
            "EXPLAIN",
            "REPL",
        ]
        .map(|action| format!("(:TYPE :REQUEST :PAYLOAD (:ACTION :{action} :PLAN \"1\" :ID \"1\" :CODE \"1\"))")),
    );
    for form in refused {
        peer.send(&form);
        assert_eq!(error(&peer.next()).0, "PROOF-NEEDED", "{form}");
        still_usable(&mut peer);
    }
    // Between the two proofs no more than before them.
    hello(&mut peer, NONCE);
    peer.send("(:TYPE :EVENT :PAYLOAD (:SENSOR :USER-INPUT :TEXT \"hello\"))");
    assert_eq!(error(&peer.next()).0, "PROOF-NEEDED");
    assert!(home.prompts().is_empty(), "a model was asked by nobody");
}

#[test]
fn a_stranger_may_not_send_long_frames_nor_stay_for_ever() {
    let home = Home::new().config("[wire]\nframe_timeout_seconds = 1\n");
    let mut daemon = home.start();
    let mut long = greeted(&daemon);
    long.write(b"010000");
    closed_with(&mut long, "FRAME-TOO-LONG");
    closed_with(&mut greeted(&daemon), "TIMEOUT");
    // Health checks don't prolong the stay.
    let mut busy = greeted(&daemon);
    let mut answered = 0;
    loop {
        busy.send("(:TYPE :HEALTH-CHECK)");
        let Some(frame) = busy.try_next() else { break };
        if frame.get("TYPE").unwrap().is_kw("HEALTH-RESPONSE") {
            answered += 1;
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        assert!(answered < 1_000, "it stays as long as it asks");
    }
    assert!(answered > 0);
    let (mut peer, _) = proven(&home, &daemon);
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    still_usable(&mut peer);
    daemon.assert_healthy();
}

#[test]
fn an_operator_who_has_proven_the_token_can_approve_and_join() {
    let home = Home::new();
    let daemon = home.start_scripted(&[proposal("touch made"), message("done")]);
    let mut first = daemon.connect();
    let asked = first.ask("make it");
    let (mut peer, _) = proven(&home, &daemon);
    peer.join(first.session());
    // But not once and for all: that is for the machine's own command.
    let plan = peer
        .admin("(:ACTION :PLANS)")
        .get("PLANS")
        .and_then(Form::items)
        .unwrap()[0]
        .clone();
    let digest = plan.text_at("digest").unwrap();
    let asked_for = format!(
        "(:ACTION :APPROVE :PLAN \"{}\" :DIGEST \"{digest}\" :REMEMBER T)",
        asked.plan_id()
    );
    let answer = peer.admin(&asked_for);
    assert!(
        answer.get("CODE").is_some_and(|code| code.is_kw("REMEMBER")),
        "{answer}"
    );
    let approved = peer.ask(&format!("/approve {}", asked.plan_id()));
    assert_eq!(approved.reply(), "done");
    assert!(home.workspace().join("made").exists());
    assert!(peer.admin("(:ACTION :SESSIONS)").to_string().contains(first.session()));
}

#[test]
fn the_token_and_the_socket_are_the_owners_alone() {
    let home = Home::new();
    // A folder that was there before is made private too.
    let state = home.path().join("state");
    std::fs::create_dir(&state).unwrap();
    std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o755)).unwrap();
    let daemon = home.start();
    assert_eq!(mode(&state), 0o700);
    for name in ["socket", "token", "daemon.json"] {
        assert_eq!(mode(&home.path().join("state").join(name)), 0o600, "{name}");
    }
    assert_eq!(token(&home).len(), 32);
    drop(daemon);
}

/// The first of eleven ports in a row that nobody listens on, and listeners on all of them.
fn eleven_ports() -> (u16, Vec<TcpListener>) {
    static NEXT: AtomicU16 = AtomicU16::new(11_000);
    loop {
        let first = NEXT.fetch_add(20, Ordering::Relaxed);
        assert!(first < 30_000, "no eleven free ports in a row");
        let taken: Result<Vec<TcpListener>, _> = (first..=first + 10)
            .map(|port| TcpListener::bind(("127.0.0.1", port)))
            .collect();
        if let Ok(taken) = taken {
            return (first, taken);
        }
    }
}

#[test]
fn a_taken_port_makes_the_daemon_take_the_next_free_one_and_write_it_down() {
    let (first, mut taken) = eleven_ports();
    let last = taken.pop().unwrap();
    drop(taken.remove(3));
    let home = Home::new().config(&format!("[tcp]\nport = {first}\n"));
    let daemon = home.start();
    assert_eq!(daemon.port(), first + 3);
    still_usable(&mut greeted(&daemon));
    assert!(daemon.log().contains(&(first + 3).to_string()), "{}", daemon.log());
    // The proof is bound to the port that was taken, not to the one that was asked for.
    proven(&home, &daemon);
    // The last of the eleven counts too.
    drop(last);
    let second = Home::new().config(&format!("[tcp]\nport = {first}\n"));
    assert_eq!(second.start().port(), first + 10);
}

#[test]
fn with_all_eleven_ports_taken_the_daemon_says_so_and_exits_with_1() {
    let (first, taken) = eleven_ports();
    let home = Home::new().config(&format!("[tcp]\nport = {first}\n"));
    let ran = home.run(&["run", "--no-chat"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let last = first + 10;
    for word in [
        first.to_string(),
        last.to_string(),
        "taken".to_owned(),
        "port".to_owned(),
    ] {
        assert!(ran.err.contains(&word), "{word} is not in {ran:?}");
    }
    assert!(!ran.err.contains("panicked"), "{ran:?}");
    for left in ["socket", "daemon.json"] {
        assert!(!home.path().join("state").join(left).exists(), "{left} was left");
    }
    drop(taken);
    still_usable(&mut greeted(&home.start()));
}

#[test]
fn without_the_proof_the_daemon_warns_at_every_start() {
    let home = Home::new().config("[tcp]\nauth = \"none\"\n");
    for start in 1..=2 {
        let daemon = home.start();
        let warnings = || {
            let log = daemon.log();
            log.lines()
                .filter(|line| line.contains("WARN") && line.contains("tcp.auth"))
                .count()
        };
        // It listens a moment before it says so.
        let until = std::time::Instant::now() + passepartout_tests::daemon::PATIENCE;
        while warnings() < start && std::time::Instant::now() < until {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert_eq!(warnings(), start, "{}", daemon.log());
    }
    let quiet = Home::new();
    assert!(!quiet.start().log().contains("tcp.auth"));
}

#[test]
fn an_unproven_client_has_a_session_of_its_own_and_no_rights_over_others() {
    let home = Home::new().config("[tcp]\nauth = \"none\"\n");
    let mut daemon = home.start_scripted(&[proposal("touch harm"), proposal("touch harm"), message("hi")]);
    let mut operator = daemon.connect();
    let asked = operator.ask("one");
    let mut stranger = greeted(&daemon);
    let own = stranger.ask("two");
    assert_eq!(own.outcome(), "WAITING");
    assert_ne!(stranger.session(), operator.session());
    for plan in [asked.plan_id(), own.plan_id()] {
        for text in [
            format!("/approve {plan}"),
            format!("/deny {plan}"),
            format!("  /approve {plan}  "),
        ] {
            let turn = stranger.ask(&text);
            assert_eq!(turn.outcome(), "REFUSED-MESSAGE", "{text}");
            assert_eq!(error(turn.frames.last().unwrap()).0, "NOT-THE-OPERATOR", "{text}");
        }
        let payload = format!("(:ACTION :APPROVE :PLAN \"{plan}\" :DIGEST \"{}\")", "0".repeat(64));
        assert!(stranger.admin(&payload).get("CODE").unwrap().is_kw("NOT-THE-OPERATOR"));
    }
    for action in ["STATUS", "PLANS", "APPROVALS", "REVOKE", "SESSIONS", "TRACE", "EXPLAIN"] {
        let answer = stranger.admin(&format!("(:ACTION :{action} :ID \"1\")"));
        assert!(
            answer.get("CODE").is_some_and(|code| code.is_kw("NOT-THE-OPERATOR")),
            "{action}: {answer}"
        );
    }
    // What it may list is its own.
    assert!(!stranger.ask("/plans").reply().contains(asked.plan_id()));
    let mut joining = greeted(&daemon);
    joining.join(operator.session());
    let turn = joining.ask("hello");
    assert_eq!(
        error(turn.frames.last().unwrap()),
        ("NOT-THE-OPERATOR".to_owned(), ":META :SESSION-ID".to_owned())
    );
    // Nor may it change to another session later.
    stranger.join(operator.session());
    assert_eq!(error(stranger.ask("hello").frames.last().unwrap()).0, "BOUND");
    assert!(!home.workspace().join("harm").exists());
    let plans = operator.admin("(:ACTION :PLANS)");
    assert_eq!(
        plans.get("PLANS").and_then(Form::items).map(<[Form]>::len),
        Some(2),
        "{plans}"
    );
    daemon.assert_healthy();
}
