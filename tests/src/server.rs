//! A model server on loopback, scripted by the test: real HTTP, one deed a request.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::Home;

/// What the server does with one request.
#[derive(Clone, Debug)]
pub enum Deed {
    /// Answers with this status, these header lines (each with its end of line) and this body.
    Answer(u16, String, Vec<u8>),
    /// Sends exactly these bytes and closes.
    Bytes(Vec<u8>),
    /// Reads the request and never answers.
    Silence,
    /// Sends these bytes, then keeps the connection open and says nothing more.
    Stall(Vec<u8>),
    /// Sends this head, then so many bytes of filler.
    Flood(Vec<u8>, usize),
    /// Sends these bytes again and again, until the other side has had enough.
    Again(Vec<u8>),
}

/// One request, as it arrived.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The request line and the headers.
    pub head: String,
    /// The body, which is JSON.
    pub body: Value,
}

/// A server that does one deed a request, in order, and the last one again and again.
pub struct Server {
    /// Where it listens.
    pub port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
    done: Arc<AtomicUsize>,
}

impl Server {
    /// Starts it.
    pub fn start(deeds: Vec<Deed>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let done: Arc<AtomicUsize> = Arc::default();
        let (log, ended) = (seen.clone(), done.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                let (deeds, log, ended) = (deeds.clone(), log.clone(), ended.clone());
                std::thread::spawn(move || {
                    if serve(stream, &deeds, &log).is_some() {
                        ended.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        Server { port, seen, done }
    }

    /// The requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// How many of the connections are over on which a request came.
    pub fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    /// What the one request `number` (from 0) said, as text.
    pub fn body(&self, number: usize) -> String {
        self.seen()[number].body.to_string()
    }
}

/// Serves one connection; none where no request came.
fn serve(mut stream: TcpStream, deeds: &[Deed], log: &Mutex<Vec<Seen>>) -> Option<()> {
    let request = read_request(&mut stream)?;
    let at = {
        let mut log = log.lock().unwrap();
        log.push(request);
        log.len() - 1
    };
    // A client that has had enough closes: writing then fails, which is the end of the deed.
    let _ = match &deeds[at.min(deeds.len() - 1)] {
        Deed::Answer(code, headers, body) => {
            let head = format!(
                "HTTP/1.1 {code} X\r\n{headers}Connection: close\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body))
        }
        Deed::Bytes(bytes) => stream.write_all(bytes),
        Deed::Silence => until_closed(&mut stream),
        Deed::Stall(bytes) => stream.write_all(bytes).and_then(|()| until_closed(&mut stream)),
        Deed::Again(bytes) => again(&mut stream, bytes),
        Deed::Flood(head, bytes) => stream.write_all(head).and_then(|()| flood(&mut stream, *bytes)),
    };
    Some(())
}

fn until_closed(stream: &mut TcpStream) -> std::io::Result<()> {
    while stream.read(&mut [0; 64])? > 0 {}
    Ok(())
}

fn again(stream: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    loop {
        stream.write_all(bytes)?;
    }
}

fn flood(stream: &mut TcpStream, bytes: usize) -> std::io::Result<()> {
    let filler = [b'a'; 16 << 10];
    for _ in 0..bytes.div_ceil(filler.len()) {
        stream.write_all(&filler)?;
    }
    Ok(())
}

fn read_request(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let count = stream.read(&mut chunk).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&chunk[..count]);
        let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8(bytes[..at].to_vec()).ok()?;
        let length: usize = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.trim().parse().ok())?
        })?;
        if bytes.len() >= at + 4 + length {
            let body = serde_json::from_slice(&bytes[at + 4..]).ok()?;
            return Some(Seen { head, body });
        }
    }
}

/// An answer of JSON with this status.
pub fn json_answer(code: u16, body: &Value) -> Deed {
    Deed::Answer(
        code,
        "Content-Type: application/json\r\n".to_owned(),
        body.to_string().into_bytes(),
    )
}

/// A whole answer of the model, as chat completions have it.
pub fn answer(text: &str) -> Deed {
    json_answer(
        200,
        &json!({
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
        }),
    )
}

/// A failure as servers tell it.
pub fn failure(code: u16, text: &str) -> Deed {
    json_answer(code, &json!({ "error": { "message": text, "type": "server_error" } }))
}

/// A server that answers with these deeds, and a home whose one provider, `local`, it is.
pub fn home_with_server(deeds: Vec<Deed>) -> (Server, Home) {
    let server = Server::start(deeds);
    let home = Home::new().config(&format!(
        "[model]\ncascade = [\"local\"]\n\n[providers.local]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"tiny\"\n",
        server.port
    ));
    (server, home)
}
