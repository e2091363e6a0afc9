//! What the protocol needs of the rest of the daemon, as a trait, and who it tells it about.
//!
//! Everything behind [`Service`] queues its work and returns: it is called on the runtime, between two frames of a
//! client. What has to be on the disk first is waited for where it keeps no other client waiting.

use std::pin::Pin;

use super::admin::AdminRequest;
use super::envelope::EventKind;
use crate::sexp::Form;
use crate::signal::{Meta, SessionId};

/// A future that owns all it needs.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send + 'static>>;

/// How the daemon is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// All is well.
    Healthy,
    /// It works, with less than it should have.
    Degraded,
    /// It does not do its work.
    Unhealthy,
}

impl Health {
    /// The keyword's name, upper case, without colon.
    pub fn name(self) -> &'static str {
        match self {
            Health::Healthy => "HEALTHY",
            Health::Degraded => "DEGRADED",
            Health::Unhealthy => "UNHEALTHY",
        }
    }
}

/// The door by which a peer came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// The Unix socket: the operator.
    Unix,
    /// TCP on loopback: the operator if the token was proven, else anybody on this machine.
    Tcp {
        /// Whether the peer proved that it knows the token.
        proven: bool,
    },
}

/// One connection, as the service sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Unique while the daemon runs.
    pub connection: u64,
    /// How it came in.
    pub door: Door,
    /// Its conversation, once its first event has bound it.
    pub session: Option<SessionId>,
    /// Its reply target, upper case, once its first event has bound it.
    pub source: Option<String>,
}

impl Peer {
    /// Whether this is the operator. Anybody else can neither approve (a `/approve` in a message neither) nor join or
    /// see another's session.
    pub fn may_approve(&self) -> bool {
        self.door != Door::Tcp { proven: false }
    }
}

/// Which session a connection's first event asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// A new one, with this id, which the host made.
    New(SessionId),
    /// One that exists.
    Existing(SessionId),
}

/// What a client gave to the loop, addressed.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientEvent {
    /// Source and session of the connection, and the name the client gave this request.
    pub meta: Meta,
    /// What it is.
    pub kind: EventKind,
}

/// Why the service won't do what a client asked. The client gets it as a framed error; its connection stays.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Refusal {
    /// A short stable name, such as `no-such-session`.
    pub code: &'static str,
    /// The field of the message it is about, if it is about one.
    pub field: Option<String>,
    /// What was wrong, where, and what to do.
    pub text: String,
}

impl Refusal {
    /// A refusal.
    pub fn new(code: &'static str, field: Option<&str>, text: impl Into<String>) -> Refusal {
        Refusal {
            code,
            field: field.map(str::to_owned),
            text: text.into(),
        }
    }
}

/// What the daemon does with what clients send. Called on the runtime: no method waits for more than the disk.
pub trait Service: Send + Sync + 'static {
    /// The greeting: `(:TYPE :EVENT :PAYLOAD (:ACTION :HANDSHAKE :VERSION … :CAPABILITIES (…)))`.
    fn handshake(&self) -> Form;

    /// How the daemon is. Anybody may ask.
    fn health(&self) -> Health;

    /// Opens a session for a connection, or lets it into one. `peer` is not bound yet; it is an operator where `join`
    /// names an existing session.
    ///
    /// # Errors
    /// When there is no such session, or `source` is no reply target.
    fn join(&self, join: Join, source: &str, peer: &Peer) -> Result<SessionId, Refusal>;

    /// The frame that tells an operator who has just been bound what was said while nobody was attached; none where there
    /// is nothing.
    fn unheard(&self, meta: &Meta) -> Option<Form> {
        let _ = meta;
        None
    }

    /// Queues an event. The turn it starts ends with one `:CYCLE-END`; a refused one starts none.
    ///
    /// # Errors
    /// When it can't be queued.
    fn event(&self, peer: &Peer, event: ClientEvent) -> Result<(), Refusal>;

    /// Answers an administrative request with the payload of the answer. `meta` is there if the connection is bound.
    /// Requests for the operator alone reach it from operators only.
    fn admin(&self, peer: &Peer, meta: Option<Meta>, request: AdminRequest) -> BoxFuture<Result<Form, Refusal>>;

    /// A bound connection has gone.
    fn left(&self, peer: &Peer) {
        let _ = peer;
    }
}
