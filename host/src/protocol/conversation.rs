//! What one connection has said so far, and what it may say next: the proof, the binding to a session, the operator's
//! rights. Bytes and sockets are not known here.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::admin::AdminRequest;
use super::client_meta::ClientMeta;
use super::envelope::{Envelope, EventKind, Incoming};
use super::handshake::{self, Exchange, Nonce, Role, Token};
use super::hub::{Hub, Membership};
use super::outbox::{self, Outbox};
use super::service::{ClientEvent, Door, Join, Peer, Refusal, Service};
use crate::config::TcpAuth;
use crate::plist;
use crate::sexp::{Form, kw};
use crate::signal::{Meta, SessionId, frames};

/// Administrative requests of one connection that may be under way.
const REQUESTS: usize = 16;

/// What all connections share.
pub(super) struct Shared {
    pub(super) service: Arc<dyn Service>,
    pub(super) hub: Hub,
    pub(super) token: Token,
    pub(super) port: u16,
    pub(super) tcp_auth: TcpAuth,
    pub(super) frame_timeout: Duration,
    pub(super) default_source: String,
}

/// Whether a connection may do more than ask for the daemon's health and prove itself.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Admission {
    Given,
    ProofBy(Instant),
}

/// Whether the connection goes on after a message.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Next {
    Read,
    Close,
}

/// One connection's side of the talk.
pub(super) struct Conversation {
    shared: Arc<Shared>,
    peer: Peer,
    admission: Admission,
    challenge: Option<Exchange>,
    /// The session that READY announced, until the first event takes it.
    announced: Option<SessionId>,
    outbox: Outbox,
    membership: Option<Membership>,
    requests: JoinSet<()>,
}

impl Conversation {
    /// One that has not begun.
    pub(super) fn new(shared: Arc<Shared>, id: u64, door: Door, outbox: Outbox) -> Conversation {
        let admission = match (door, shared.tcp_auth) {
            (Door::Tcp { proven: false }, TcpAuth::Token) => {
                Admission::ProofBy(Instant::now() + shared.frame_timeout)
            }
            _ => Admission::Given,
        };
        Conversation {
            shared,
            peer: Peer {
                connection: id,
                door,
                session: None,
                source: None,
            },
            admission,
            challenge: None,
            announced: None,
            outbox,
            membership: None,
            requests: JoinSet::new(),
        }
    }

    /// Says the first word.
    pub(super) fn greet(&self) {
        self.send(&self.shared.service.handshake());
    }

    /// Whether the peer may do more than ask for the daemon's health and prove itself.
    pub(super) fn admission(&self) -> Admission {
        self.admission
    }

    /// How long the peer may take over one frame.
    pub(super) fn frame_timeout(&self) -> Duration {
        self.shared.frame_timeout
    }

    /// Waits until one more administrative request has been answered; for ever where there is none.
    pub(super) async fn one_answered(&mut self) {
        if self.requests.join_next().await.is_none() {
            std::future::pending().await
        }
    }

    /// Waits until all administrative requests have been answered.
    pub(super) async fn answered(&mut self) {
        while self.requests.join_next().await.is_some() {}
    }

    /// Answers a message, or hands it on.
    pub(super) fn obey(&mut self, Envelope { meta, body }: Envelope) -> Next {
        let id = meta.request_id.clone();
        let done = match body {
            Incoming::HealthCheck => {
                self.send(&health_response(self.shared.service.health().name(), id.as_ref()));
                Ok(())
            }
            Incoming::Hello { nonce } => return self.hello(id, &nonce),
            Incoming::Proof { mac } => return self.proof(id, &mac),
            Incoming::Event(_) | Incoming::Admin(_) if self.admission != Admission::Given => Err(Refusal::new(
                "proof-needed",
                None,
                "on this port the token has to be proven first: begin with (:TYPE :EVENT :PAYLOAD (:ACTION :HELLO :NONCE \
                 \"32 hexadecimal digits\")); on the Unix socket nothing has to be proven",
            )),
            Incoming::Event(kind) => self.event(&meta, kind),
            Incoming::Admin(request) => self.admin(&meta, request),
        };
        if let Err(refusal) = done {
            self.error(id, refusal.code, refusal.field.as_deref(), &refusal.text);
        }
        Next::Read
    }

    fn event(&mut self, meta: &ClientMeta, kind: EventKind) -> Result<(), Refusal> {
        let meta = self.bind(meta)?;
        self.shared.service.event(&self.peer, ClientEvent { meta, kind })
    }

    fn admin(&mut self, meta: &ClientMeta, request: AdminRequest) -> Result<(), Refusal> {
        if request.action.is_for_the_operator() && !self.peer.may_approve() {
            return Err(not_the_operator(":PAYLOAD :ACTION"));
        }
        let bound = self.membership.is_some() || request.action.is_about_a_session() || meta.session.is_some();
        let own = if bound { Some(self.bind(meta)?) } else { None };
        while self.requests.try_join_next().is_some() {}
        if self.requests.len() >= REQUESTS {
            let text =
                format!("{REQUESTS} requests of this connection are still being answered; wait for one of them");
            return Err(Refusal::new("too-many-requests", None, text));
        }
        let id = meta.request_id.clone();
        let (source, session) = (own.as_ref().map(|own| own.source.clone()), self.peer.session);
        let failed = self.error_frame(
            id.clone(),
            "failed",
            None,
            "the request failed inside the daemon; its log says why",
        );
        let mut answer = Answer {
            outbox: self.outbox.clone(),
            frame: failed,
        };
        let answering = self.shared.service.admin(&self.peer, own.clone(), request);
        self.requests.spawn(async move {
            let frame = match answering.await {
                Ok(payload) => frames::response(source.as_deref(), session, id.as_ref(), payload),
                Err(refusal) => error_frame(
                    own.as_ref(),
                    id.as_ref(),
                    refusal.code,
                    refusal.field.as_deref(),
                    &refusal.text,
                ),
            };
            answer.give(frame);
        });
        Ok(())
    }

    /// Binds the connection to a source and a session by its first event, and holds later ones to it.
    fn bind(&mut self, meta: &ClientMeta) -> Result<Meta, Refusal> {
        if let (Some(source), Some(session)) = (&self.peer.source, self.peer.session) {
            if meta.source.as_ref().is_some_and(|other| other != source) {
                let text =
                    format!("this connection is bound to the source :{source}; open another for another source");
                return Err(Refusal::new("bound", Some(":META :SOURCE"), text));
            }
            if meta.session.is_some_and(|other| other != session) {
                let text = format!("this connection is bound to the session {session}; open another to join another");
                return Err(Refusal::new("bound", Some(":META :SESSION-ID"), text));
            }
            return Ok(Meta {
                source: source.clone(),
                session,
                request_id: meta.request_id.clone(),
            });
        }
        let join = match (meta.session, self.announced) {
            (Some(asked), Some(announced)) if asked == announced => Join::New(announced),
            (Some(_), _) if !self.peer.may_approve() => return Err(not_the_operator(":META :SESSION-ID")),
            (Some(asked), _) => Join::Existing(asked),
            (None, Some(announced)) => Join::New(announced),
            (None, None) => Join::New(SessionId::random().map_err(no_random)?),
        };
        let source = meta
            .source
            .clone()
            .unwrap_or_else(|| self.shared.default_source.clone());
        let session = self.shared.service.join(join, &source, &self.peer)?;
        self.membership = Some(
            self.shared
                .hub
                .enter(session, self.peer.connection, self.outbox.clone()),
        );
        self.peer.session = Some(session);
        self.peer.source = Some(source.clone());
        let meta = Meta {
            source,
            session,
            request_id: meta.request_id.clone(),
        };
        if self.peer.may_approve() {
            // It answers no request.
            let told = Meta {
                request_id: None,
                ..meta.clone()
            };
            if let Some(frame) = self.shared.service.unheard(&told) {
                self.send(&frame);
            }
        }
        Ok(meta)
    }

    fn hello(&mut self, id: Option<Form>, nonce: &str) -> Next {
        if self.peer.door != (Door::Tcp { proven: false }) || self.challenge.is_some() || self.membership.is_some() {
            let text = "a :HELLO opens a proof of the token once, on TCP, before anything else; here none is open";
            self.error(id, "no-proof-here", Some(":PAYLOAD :ACTION"), text);
            return Next::Read;
        }
        let Some(client) = Nonce::from_hex(nonce) else {
            self.error(
                id,
                "bad-field",
                Some(":PAYLOAD :NONCE"),
                ":PAYLOAD :NONCE is no string of 32 hexadecimal digits",
            );
            return Next::Read;
        };
        let server = match Nonce::random() {
            Ok(server) => server,
            Err(error) => {
                let refusal = no_random(error);
                self.error(id, refusal.code, None, &refusal.text);
                return Next::Close;
            }
        };
        let exchange = Exchange {
            port: self.shared.port,
            client,
            server,
        };
        self.send(&handshake::server_proof(
            server,
            exchange.proof(&self.shared.token, Role::Server),
        ));
        self.challenge = Some(exchange);
        if self.admission == Admission::Given {
            self.admission = Admission::ProofBy(Instant::now() + self.shared.frame_timeout);
        }
        Next::Read
    }

    fn proof(&mut self, id: Option<Form>, mac: &str) -> Next {
        let proven = self
            .challenge
            .take()
            .is_some_and(|open| open.check(&self.shared.token, Role::Client, mac));
        if !proven {
            let text = "this proves nothing: either no :HELLO came before it, or the token, the role, the port or a nonce \
                        is another; the connection is closed";
            self.error(id, "proof-failed", Some(":PAYLOAD :MAC"), text);
            return Next::Close;
        }
        match SessionId::random() {
            Ok(session) => {
                self.peer.door = Door::Tcp { proven: true };
                self.admission = Admission::Given;
                self.announced = Some(session);
                self.send(&handshake::ready(session));
                Next::Read
            }
            Err(error) => {
                let refusal = no_random(error);
                self.error(id, refusal.code, None, &refusal.text);
                Next::Close
            }
        }
    }

    fn send(&self, frame: &Form) {
        self.outbox.send(outbox::encode(frame));
    }

    /// Tells the peer what was wrong.
    pub(super) fn error(&self, id: Option<Form>, code: &str, field: Option<&str>, text: &str) {
        tracing::debug!(connection = self.peer.connection, code, field, "a message was refused");
        self.send(&self.error_frame(id, code, field, text));
    }

    fn error_frame(&self, id: Option<Form>, code: &str, field: Option<&str>, text: &str) -> Form {
        let meta = match (&self.peer.source, self.peer.session) {
            (Some(source), Some(session)) => Some(Meta {
                source: source.clone(),
                session,
                request_id: id.clone(),
            }),
            _ => None,
        };
        error_frame(meta.as_ref(), id.as_ref(), code, field, text)
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        if self.membership.take().is_some() {
            self.shared.service.left(&self.peer);
        }
    }
}

/// The answer to an administrative request: sent when it is dropped, so that a request whose work panics is answered
/// too.
struct Answer {
    outbox: Outbox,
    frame: Form,
}

impl Answer {
    fn give(&mut self, frame: Form) {
        self.frame = frame;
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.outbox.send(outbox::encode(&self.frame));
    }
}

fn error_frame(meta: Option<&Meta>, id: Option<&Form>, code: &str, field: Option<&str>, text: &str) -> Form {
    match meta {
        Some(meta) => frames::error(meta, code, field, text),
        None => frames::error_without_session(id, code, field, text),
    }
}

fn health_response(status: &str, id: Option<&Form>) -> Form {
    let form = plist!("TYPE" => kw("HEALTH-RESPONSE"), "STATUS" => kw(status), "CHECKED-P" => true);
    match id {
        Some(id) => form.with("META", plist!("REQUEST-ID" => id.clone())),
        None => form,
    }
}

fn not_the_operator(field: &str) -> Refusal {
    let text = "a TCP connection that has not proven the token has one session of its own: it can neither approve nor \
                join or see others; use the Unix socket, or prove the token";
    Refusal::new("not-the-operator", Some(field), text)
}

fn no_random(error: getrandom::Error) -> Refusal {
    Refusal::new(
        "no-random-numbers",
        None,
        format!("the system gives no random numbers ({error}); try again"),
    )
}
