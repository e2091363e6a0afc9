//! Model servers that send more than anybody asked for, over real HTTP: what it costs in memory and in patience.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_tests::server::{Deed, Server};
use passepartout_tests::{Daemon, Home, Peer};

/// Bytes of the lists below. Less than what may come in one piece.
const LONG: usize = 7 << 20;

/// How much more memory such an answer may take, in bytes. To keep its elements took hundreds of megabytes.
const MEMORY: u64 = 96 << 20;

fn home(port: u16, dialect: &str, lines: &str) -> Home {
    Home::new().config(&format!(
        "[model]\ncascade = [\"local\"]\n{lines}\n\
         [providers.local]\nbase_url = \"http://127.0.0.1:{port}/v1\"\nmodel = \"tiny\"\ndialect = \"{dialect}\"\n"
    ))
}

/// The most memory that the daemon has held so far, in bytes.
fn most_held(daemon: &Daemon<'_>) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() << 10
}

/// `body` with a list of nothing but `element` in the place of its star.
fn filled(body: &str, element: &str) -> String {
    let elements = vec![element; LONG / (element.len() + 1)].join(",");
    body.replacen('*', &elements, 1)
}

fn whole(body: &str) -> Deed {
    Deed::Answer(200, "Content-Type: application/json\r\n".to_owned(), body.into())
}

fn event(data: &str) -> Deed {
    Deed::Answer(
        200,
        "Content-Type: text/event-stream\r\n".to_owned(),
        format!("data: {data}\n\n").into(),
    )
}

#[test]
fn a_long_list_in_an_answer_or_an_event_of_one_takes_little_more_memory_than_its_bytes() {
    let openai = [
        (r#"{"choices":[*]}"#, "{}"),
        (
            r#"{"choices":[{"message":{"content":[*]},"finish_reason":"stop"}]}"#,
            "{}",
        ),
        (r#"{"choices":[{"message":{"tool_calls":[*]}}]}"#, "{}"),
        (
            r#"{"choices":[{"message":{"tool_calls":[{"function":{"name":"shell","arguments":{"a":[*]}}}]}}]}"#,
            "[]",
        ),
        (r#"{"choices":[{"message":{"reasoning":[*]}}]}"#, "{}"),
        (r#"{"choices":[],"usage":[*]}"#, "1"),
        (r#"{"choices":[],"usage":{"prompt_tokens":[*]}}"#, "1"),
        (r#"{"error":{"message":"no","code":[*]}}"#, "1"),
    ];
    let anthropic = [
        (r#"{"content":[*]}"#, "{}"),
        (r#"{"type":"message_start","message":{"content":[*]}}"#, "{}"),
        (
            r#"{"type":"content_block_start","content_block":{"type":"tool_use","input":{"a":[*]}}}"#,
            "[]",
        ),
        (r#"{"type":"message_delta","usage":[*]}"#, "1"),
        (r#"{"type":"error","error":{"code":[*]}}"#, "1"),
    ];
    for (dialect, bodies) in [("openai", &openai[..]), ("anthropic", &anthropic[..])] {
        let bodies = bodies.iter().map(|(body, element)| filled(body, element));
        let deeds: Vec<Deed> = bodies.flat_map(|body| [whole(&body), event(&body)]).collect();
        let asked = deeds.len();
        let server = Server::start(deeds);
        let home = home(server.port, dialect, "retry_pause_milliseconds = 0");
        let mut daemon = home.start();
        let mut peer = daemon.connect();
        let before = most_held(&daemon);
        while server.seen().len() < asked {
            let at = server.seen().len();
            peer.ask("hello");
            let more = most_held(&daemon) - before;
            assert!(more < MEMORY, "{dialect}: by answer {at} it took {more} bytes more");
        }
        daemon.assert_healthy();
    }
}

#[test]
fn an_event_without_an_end_is_read_no_further_than_an_answer_in_one_piece() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: ";
    let server = Server::start(vec![Deed::Flood(head.into(), 100 << 20)]);
    let home = home(server.port, "openai", "");
    let mut daemon = home.start();
    let before = most_held(&daemon);
    let turn = daemon.connect().ask("hello");
    assert!(
        turn.errors().concat().contains("the answer is longer than"),
        "{turn:#?}"
    );
    let more = most_held(&daemon) - before;
    assert!(more < MEMORY, "it took {more} bytes more");
    daemon.assert_healthy();
}

/// A server that sends interim answers without end.
fn interim_server() -> Server {
    let interim = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n".repeat(50_000);
    Server::start(vec![Deed::Again(interim.into())])
}

#[test]
fn who_sends_interim_answers_without_end_holds_nobody_up_and_is_read_no_further_once_it_is_stopped() {
    /// More than there are workers in the runtime of a small machine, so that all of them would be held up.
    const ASKED: usize = 4;
    let server = interim_server();
    // Longer than anything here waits for anything: nobody is given up by itself.
    let bounds = "first_byte_timeout_seconds = 600\nanswer_timeout_seconds = 600\ntotal_timeout_seconds = 600";
    let home = home(server.port, "openai", bounds);
    let mut daemon = home.start();
    let mut peers: Vec<Peer> = (0..ASKED).map(|_| daemon.connect()).collect();
    let asked: Vec<String> = peers.iter_mut().map(|peer| peer.say("hello")).collect();
    daemon.wait_until("all are asked", || server.seen().len() == ASKED);
    daemon.assert_healthy();
    assert_eq!(server.done(), 0, "all are still read");
    for (peer, asked) in peers.iter_mut().zip(&asked) {
        peer.say("/stop");
        assert_eq!(peer.turn(asked).outcome(), "CANCELLED");
    }
    daemon.wait_until("the connections are over", || server.done() == ASKED);
    daemon.assert_healthy();
}

#[test]
fn who_sends_interim_answers_without_end_is_given_up_in_its_time() {
    let server = interim_server();
    let home = home(server.port, "openai", "first_byte_timeout_seconds = 1");
    let mut daemon = home.start();
    let told = daemon.connect().ask("hello").errors().concat();
    let late = "the first byte of the answer took longer than 1 s";
    assert!(told.contains(late), "{told}");
    daemon.wait_until("the connection is over", || server.done() == server.seen().len());
    daemon.assert_healthy();
}
