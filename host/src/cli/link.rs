//! A client's conversation with the daemon: send something, take frames until its turn ends.

use std::io::ErrorKind;
use std::time::Duration;

use crate::config::Home;
use crate::plist;
use crate::protocol::{Client, ClientError};
use crate::sexp::{Form, kw};
use crate::signal::frames::{Outcome, Upshot};
use crate::signal::{SessionId, random_hex};

use super::Exit;

/// How long the daemon may take to answer about itself, or to take up what it is sent.
pub(super) const ANSWER: Duration = Duration::from_secs(60);

/// Where the daemon has ended in the middle of something.
const GONE: &str = "the daemon closed the connection: it was stopped, or ended by itself; `passepartout-host run` starts it again, and \
                    then `passepartout-host status` and `passepartout-host explain last` say what came of this";

/// A connection that is bound, or will be by what it sends first.
pub(super) struct Link {
    client: Client,
    session: Option<SessionId>,
}

/// How a turn ended, as a frame said.
pub(super) enum Step {
    /// A frame of the turn, or of another turn of the session.
    Frame(Form),
    /// The end of the turn that was asked for, and what became of what it set out to do.
    End(Outcome, Option<Upshot>),
}

impl Link {
    /// Connects to the daemon of `home`. `session` is joined by the first thing that is sent.
    pub(super) async fn open(home: &Home, session: Option<SessionId>) -> Result<Link, ClientError> {
        Ok(Link {
            client: Client::connect(&home.state).await?,
            session,
        })
    }

    /// Sends an event with this payload, and returns its request id.
    pub(super) async fn event(&mut self, payload: Form) -> anyhow::Result<String> {
        self.send("EVENT", payload).await
    }

    /// Stops the first turn that runs or waits for one of `requests`. What other clients of the session wait for goes on.
    pub(super) async fn interrupt(&mut self, requests: &[impl AsRef<str>]) -> anyhow::Result<String> {
        let ids: Vec<Form> = requests.iter().map(|id| Form::from(id.as_ref())).collect();
        self.event(plist!("SENSOR" => kw("INTERRUPT"), "REQUEST-IDS" => ids))
            .await
    }

    /// Asks the daemon itself for something that starts a turn, and returns the request id.
    pub(super) async fn request(&mut self, payload: Form) -> anyhow::Result<String> {
        self.send("REQUEST", payload).await
    }

    /// Asks the daemon itself, and returns the payload of its answer. Waits no longer than [`ANSWER`]: no model is asked.
    pub(super) async fn ask(&mut self, payload: Form) -> anyhow::Result<Form> {
        match tokio::time::timeout(ANSWER, self.answer(payload)).await {
            Ok(answer) => answer,
            Err(_) => Err(ClientError::Silent { after: ANSWER }.into()),
        }
    }

    async fn answer(&mut self, payload: Form) -> anyhow::Result<Form> {
        let id = self.send("REQUEST", payload).await?;
        loop {
            let frame = self.next().await?;
            if request_id(&frame) != Some(id.as_str()) {
                continue;
            }
            let payload = frame.get("PAYLOAD").cloned().unwrap_or(Form::Nil);
            if frame.get("TYPE").is_some_and(|kind| kind.is_kw("RESPONSE")) {
                return Ok(payload);
            }
            if payload.get("ACTION").is_some_and(|action| action.is_kw("ERROR")) {
                anyhow::bail!("{}", payload.text_at("text").unwrap_or("the daemon refused"));
            }
        }
    }

    /// The next frame, or the end of the turn that `request` started.
    pub(super) async fn step(&mut self, request: &str) -> anyhow::Result<Step> {
        let frame = self.next().await?;
        if request_id(&frame) == Some(request)
            && let Some(outcome) = ended(&frame)
        {
            let upshot = frame.at("payload.upshot").and_then(Form::keyword);
            return Ok(Step::End(outcome, upshot.and_then(Upshot::from_name)));
        }
        Ok(Step::Frame(frame))
    }

    /// The next frame.
    pub(super) async fn next(&mut self) -> anyhow::Result<Form> {
        let frame = match self.client.next().await {
            Ok(Some(frame)) => frame,
            Ok(None) | Err(ClientError::Closed) => anyhow::bail!(GONE),
            // What was sent to it last, it did not read.
            Err(ClientError::Io { source, .. }) if source.kind() == ErrorKind::ConnectionReset => anyhow::bail!(GONE),
            Err(error) => return Err(error.into()),
        };
        if self.session.is_none() {
            self.session = frame.text_at("meta.session-id").and_then(|id| id.parse().ok());
        }
        Ok(frame)
    }

    /// The session, once it is known.
    pub(super) fn session(&self) -> Option<SessionId> {
        self.session
    }

    async fn send(&mut self, kind: &str, payload: Form) -> anyhow::Result<String> {
        let id = random_hex(8)?;
        let meta = plist!("SOURCE" => kw("CLI"), "REQUEST-ID" => &id);
        let meta = match self.session {
            Some(session) => meta.with("SESSION-ID", session.to_string()),
            None => meta,
        };
        let form = plist!("TYPE" => kw(kind), "META" => meta, "PAYLOAD" => payload);
        match tokio::time::timeout(ANSWER, self.client.send(&form)).await {
            Ok(sent) => sent?,
            Err(_) => return Err(ClientError::Silent { after: ANSWER }.into()),
        }
        Ok(id)
    }
}

/// The outcome that an end of a turn names; an error that refuses a request ends it too.
pub(super) fn ended(frame: &Form) -> Option<Outcome> {
    let payload = frame.get("PAYLOAD")?;
    let action = payload.get("ACTION")?;
    if action.is_kw("CYCLE-END") {
        return payload
            .get("OUTCOME")
            .and_then(Form::keyword)
            .and_then(Outcome::from_name);
    }
    None
}

/// The request that a frame answers.
pub(super) fn request_id(frame: &Form) -> Option<&str> {
    frame.text_at("meta.request-id")
}

impl From<Outcome> for Exit {
    fn from(outcome: Outcome) -> Exit {
        match outcome {
            Outcome::Answered => Exit::Ok,
            Outcome::Refused => Exit::Refused,
            Outcome::Waiting => Exit::Waiting,
            Outcome::Exhausted => Exit::Exhausted,
            Outcome::Timeout => Exit::Timeout,
            Outcome::Failed | Outcome::Cancelled => Exit::Error,
        }
    }
}
