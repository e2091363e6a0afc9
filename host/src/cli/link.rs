//! A client's conversation with the daemon: send something, take frames until its turn ends.

use std::time::Duration;

use crate::config::Home;
use crate::plist;
use crate::protocol::{Client, ClientError};
use crate::sexp::{Form, kw};
use crate::signal::frames::{Outcome, Upshot};
use crate::signal::{SessionId, random_hex};

use super::Exit;
use super::time::seconds;

/// How long the daemon may take to answer about itself.
const ANSWER: Duration = Duration::from_secs(60);

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
        let frame = self.client.next().await?;
        let frame = frame.ok_or_else(|| anyhow::anyhow!("the daemon closed the connection; is it stopping?"))?;
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
        self.client
            .send(&plist!("TYPE" => kw(kind), "META" => meta, "PAYLOAD" => payload))
            .await?;
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

/// Runs `work`, but no longer than `longest`.
pub(super) async fn within(
    longest: Duration,
    work: impl Future<Output = anyhow::Result<Exit>>,
) -> anyhow::Result<Exit> {
    match tokio::time::timeout(longest, work).await {
        Ok(done) => done,
        Err(_) => {
            errln!(
                "no end after {}; the turn goes on in the daemon, and you are told what came of it the next time \
                 (`passepartout-host status` shows it while it runs, `--timeout` waits longer)",
                seconds(longest)
            );
            Ok(Exit::Timeout)
        }
    }
}
