//! The protocol over real sockets, with a small service behind it: `talk` is what clients may say, `hostile` what they
//! should not, `proof` the TCP door.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod hostile;
mod proof;
mod talk;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::daemon_file::{load_or_create_token, socket_path};
use super::frame::{Decoder, LIMIT, encode};
use super::handshake::Token;
use super::*;
use crate::config::{TcpAuth, WireConfig};
use crate::plist;
use crate::sexp::{Form, Limits, kw, read, read_with};
use crate::signal::frames::{self, Outcome, Reply};
use crate::signal::{Meta, SessionId};

const HEALTH: &str = "000015(:TYPE :HEALTH-CHECK)";
const HEALTHY: &str = "(:TYPE :HEALTH-RESPONSE :STATUS :HEALTHY :CHECKED-P T)";

/// Answers every text with itself; everything it was told can be looked at.
struct Echo {
    hub: Hub,
    sessions: Mutex<Vec<SessionId>>,
    events: Mutex<Vec<(Peer, ClientEvent)>>,
    left: Mutex<Vec<Peer>>,
}

impl Echo {
    fn proposals(&self) -> Vec<Form> {
        let kinds = self
            .events
            .lock()
            .unwrap()
            .iter()
            .map(|(_, event)| event.kind.clone())
            .collect::<Vec<_>>();
        kinds
            .into_iter()
            .filter_map(|kind| {
                if let EventKind::Proposal(form) = kind {
                    Some(form)
                } else {
                    None
                }
            })
            .collect()
    }
}

fn reply(meta: &Meta, text: &str) -> Form {
    let reply = Reply {
        text: text.into(),
        explanation: "an echo".into(),
        gate_trace: Vec::new(),
        rule_count: 0,
        foveal_id: None,
    };
    frames::reply(meta, reply)
}

impl Service for Echo {
    fn handshake(&self) -> Form {
        plist!("TYPE" => kw("EVENT"), "PAYLOAD" => plist!("ACTION" => kw("HANDSHAKE"), "VERSION" => "test"))
    }

    fn health(&self) -> Health {
        Health::Healthy
    }

    fn join(&self, join: Join, _source: &str, peer: &Peer) -> Result<SessionId, Refusal> {
        let mut sessions = self.sessions.lock().unwrap();
        match join {
            Join::New(id) => sessions.push(id),
            Join::Existing(id) => {
                assert!(peer.may_approve());
                if !sessions.contains(&id) {
                    return Err(Refusal::new(
                        "no-such-session",
                        Some(":META :SESSION-ID"),
                        "there is no such session",
                    ));
                }
            }
        }
        match join {
            Join::New(id) | Join::Existing(id) => Ok(id),
        }
    }

    fn event(&self, peer: &Peer, event: ClientEvent) -> Result<(), Refusal> {
        self.events.lock().unwrap().push((peer.clone(), event.clone()));
        let meta = &event.meta;
        if let EventKind::Sensed { payload, .. } = &event.kind {
            match payload.text_at("text") {
                Some("panic") => panic!("a service that panics"),
                Some("refuse") => return Err(Refusal::new("queue-full", None, "the queue is full")),
                Some(text) => self.hub.send(meta.session, reply(meta, text)),
                None => {}
            }
        }
        self.hub
            .send(meta.session, frames::cycle_end(meta, Outcome::Answered, None));
        Ok(())
    }

    fn admin(&self, _peer: &Peer, _meta: Option<Meta>, request: AdminRequest) -> BoxFuture<Result<Form, Refusal>> {
        Box::pin(async move {
            match request.action {
                AdminAction::Trace => panic!("a request that panics"),
                AdminAction::Deny => Err(Refusal::new(
                    "no-such-plan",
                    Some(":PAYLOAD :PLAN"),
                    "there is no such plan",
                )),
                action => Ok(plist!("ACTION" => kw(action.name()), "TEXT" => "done")),
            }
        })
    }

    fn left(&self, peer: &Peer) {
        self.left.lock().unwrap().push(peer.clone());
    }
}

/// A daemon's protocol side, serving from a folder of its own until it is dropped.
struct Daemon {
    state: TempDir,
    port: u16,
    echo: Arc<Echo>,
    stop: CancellationToken,
    serving: JoinHandle<()>,
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn wire() -> WireConfig {
    WireConfig {
        port: 0,
        tcp_auth: TcpAuth::Token,
        frame_timeout: Duration::from_secs(60),
        connections: 64,
    }
}

async fn daemon(wire: WireConfig) -> Daemon {
    let state = tempfile::tempdir().unwrap();
    let hub = Hub::new();
    let echo = Arc::new(Echo {
        hub: hub.clone(),
        sessions: Mutex::default(),
        events: Mutex::default(),
        left: Mutex::default(),
    });
    let server = Server::bind(&wire, state.path(), "CLI").await.unwrap();
    let (port, stop) = (server.port(), CancellationToken::new());
    let serving = tokio::spawn(server.serve(Arc::clone(&echo) as Arc<dyn Service>, hub, stop.clone()));
    Daemon {
        state,
        port,
        echo,
        stop,
        serving,
    }
}

impl Daemon {
    fn socket(&self) -> PathBuf {
        socket_path(self.state.path())
    }

    fn token(&self) -> Token {
        load_or_create_token(self.state.path()).unwrap()
    }

    /// A raw connection by the Unix socket, past the greeting.
    async fn unix(&self) -> Raw {
        let (reader, writer) = UnixStream::connect(self.socket()).await.unwrap().into_split();
        Raw::greeted(Box::new(reader), Box::new(writer)).await
    }

    /// A raw connection by TCP, past the greeting.
    async fn tcp(&self) -> Raw {
        let (reader, writer) = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap().into_split();
        Raw::greeted(Box::new(reader), Box::new(writer)).await
    }

    /// Somebody else is still served.
    async fn is_well(&self) {
        let mut other = self.unix().await;
        other.write(HEALTH).await;
        assert_eq!(other.text().await.as_deref(), Some(HEALTHY));
    }
}

/// A connection on which a test writes what bytes it likes.
struct Raw {
    reader: Box<dyn AsyncRead + Unpin + Send>,
    writer: Box<dyn AsyncWrite + Unpin + Send>,
    decoder: Decoder,
}

impl Raw {
    async fn greeted(reader: Box<dyn AsyncRead + Unpin + Send>, writer: Box<dyn AsyncWrite + Unpin + Send>) -> Raw {
        let mut raw = Raw {
            reader,
            writer,
            decoder: Decoder::new(LIMIT),
        };
        assert!(raw.form().await.at("payload.action").unwrap().is_kw("HANDSHAKE"));
        raw
    }

    async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.writer.write_all(bytes.as_ref()).await.unwrap();
    }

    /// Sends the form that `text` is.
    async fn say(&mut self, text: &str) {
        self.write(format!("{:06X}{text}", text.len())).await;
    }

    async fn send(&mut self, form: &Form) {
        self.write(encode(form).unwrap()).await;
    }

    /// The next frame's text; `None` once the daemon has closed.
    async fn text(&mut self) -> Option<String> {
        let mut chunk = vec![0; 64 << 10];
        loop {
            if let Some(text) = self.decoder.next_frame().unwrap() {
                return Some(text);
            }
            match self.reader.read(&mut chunk).await {
                Ok(0) | Err(_) => return None,
                Ok(read) => self.decoder.push(&chunk[..read]),
            }
        }
    }

    async fn form(&mut self) -> Form {
        read_with(
            &self.text().await.expect("the daemon closed the connection"),
            Limits::STORED,
        )
        .unwrap()
    }

    /// The next frame is an error with this code; its field and text.
    async fn error(&mut self, code: &str) -> (String, String) {
        let form = self.form().await;
        assert!(form.get("LEVEL").is_some_and(|level| level.is_kw("ERROR")), "{form}");
        assert!(form.at("payload.code").unwrap().is_kw(code), "{form}");
        let text = |path| form.text_at(path).unwrap_or_default().to_owned();
        assert!(!text("payload.text").is_empty());
        (text("payload.field"), text("payload.text"))
    }

    /// An error with this code, and then nothing more.
    async fn closed_with(&mut self, code: &str) {
        self.error(code).await;
        assert_eq!(self.text().await, None, "the connection is closed");
    }

    /// This connection is still served.
    async fn is_open(&mut self) {
        self.write(HEALTH).await;
        assert_eq!(self.text().await.as_deref(), Some(HEALTHY));
    }

    /// Says `text` as a user; the reply, once the end of the turn has come too.
    async fn chat(&mut self, text: &str) -> Form {
        self.send(&input(text)).await;
        let reply = self.form().await;
        assert!(self.form().await.at("payload.action").unwrap().is_kw("CYCLE-END"));
        reply
    }
}

fn input(text: &str) -> Form {
    plist!(
        "TYPE" => kw("EVENT"), "META" => plist!("SOURCE" => kw("TUI")),
        "PAYLOAD" => plist!("SENSOR" => kw("USER-INPUT"), "TEXT" => text),
    )
}

/// A test on a runtime with two workers, since the daemon's has several.
macro_rules! over_sockets {
    ($($(#[$about:meta])* async fn $name:ident() $body:block)*) => {
        $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)] $(#[$about])* async fn $name() $body)*
    };
}
use over_sockets;
