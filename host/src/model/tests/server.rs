//! A server under a test's control: real TCP on loopback, raw bytes as answers, nothing of HTTP hidden.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What the server does with one request.
#[derive(Clone, Debug)]
pub(super) enum Deed {
    /// Sends these bytes and closes.
    Send(Vec<u8>),
    /// Reads the request and never answers.
    Silence,
    /// Sends these bytes, then keeps the connection open and says nothing more.
    Stall(Vec<u8>),
    /// Sends the head, then a byte at a time, forever, with this pause.
    Trickle(Vec<u8>, Duration),
    /// Sends the head, then filler until the other side has had enough.
    Flood(Vec<u8>),
}

/// One request as it arrived.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) head: String,
    pub(super) body: serde_json::Value,
}

impl Seen {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (own, value) = line.split_once(':')?;
            own.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// The server. It does one deed a request, in order, and the last one again and again. Dropped, it is gone.
pub(super) struct Server {
    pub(super) base_url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    pub(super) async fn start(deeds: impl Into<Vec<Deed>>) -> Server {
        let deeds: Vec<Deed> = deeds.into();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let log = seen.clone();
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(stream, deeds.clone(), log.clone()));
            }
        });
        Server { base_url, seen, task }
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(super) fn requests(&self) -> usize {
        self.seen().len()
    }
}

/// An address on which nobody listens.
pub(super) async fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}/v1", listener.local_addr().unwrap())
}

async fn serve(mut stream: TcpStream, deeds: Vec<Deed>, log: Arc<Mutex<Vec<Seen>>>) {
    let Some(request) = read(&mut stream).await else { return };
    let number = {
        let mut log = log.lock().unwrap();
        log.push(request);
        log.len() - 1
    };
    // A client that has had enough closes: writing then fails, which is the end of the deed.
    match deeds[number.min(deeds.len() - 1)].clone() {
        Deed::Send(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Deed::Silence => std::future::pending().await,
        Deed::Stall(bytes) => {
            let _ = stream.write_all(&bytes).await;
            std::future::pending().await
        }
        Deed::Trickle(head, pause) => {
            let _ = stream.write_all(&head).await;
            while stream.write_all(b" ").await.is_ok() {
                tokio::time::sleep(pause).await;
            }
        }
        Deed::Flood(head) => {
            let _ = stream.write_all(&head).await;
            while stream.write_all(&[b'a'; 16 << 10]).await.is_ok() {}
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4096];
        let count = stream.read(&mut chunk).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&chunk[..count]);
        let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8(bytes[..at].to_vec()).unwrap();
        let seen = Seen {
            head,
            body: serde_json::Value::Null,
        };
        let length: usize = seen.header("content-length").unwrap().parse().unwrap();
        if bytes.len() >= at + 4 + length {
            return Some(Seen {
                body: serde_json::from_slice(&bytes[at + 4..]).unwrap(),
                ..seen
            });
        }
    }
}

/// A whole response.
pub(super) fn response(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut bytes = format!(
        "HTTP/1.1 {status}\r\n{headers}Connection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// A response of JSON with status 200.
pub(super) fn json(body: impl AsRef<[u8]>) -> Vec<u8> {
    response("200 OK", "Content-Type: application/json\r\n", body)
}

/// A whole answer that says `text`.
pub(super) fn answer(text: &str) -> Vec<u8> {
    json(
        serde_json::json!({
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
        })
        .to_string(),
    )
}

/// The head of a stream of events, whose end is the end of the connection.
pub(super) const STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

/// A stream of these data lines.
pub(super) fn stream(events: &[&str]) -> Vec<u8> {
    let mut text = STREAM.to_owned();
    for event in events {
        text.push_str(&format!("data: {event}\n\n"));
    }
    text.into_bytes()
}

/// One event that adds `text` to the answer.
pub(super) fn delta(text: &str) -> String {
    serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]}).to_string()
}

/// The event that ends an answer for this reason.
pub(super) fn finish(reason: &str) -> String {
    serde_json::json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}).to_string()
}
