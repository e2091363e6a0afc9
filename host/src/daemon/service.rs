//! What clients send, as work for the loop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::approvals::{self, Once};
use super::budget;
use super::health::{self, Check, Level};
use super::older;
use super::providers;
use super::reload::Reload;
use super::storage;
use crate::cycle::{Command, Core, Entry, HELP, Held, Job, NotQueued, Opened, Owner, Session, is_plain_answer};
use crate::gate::approval::Approver;
use crate::plist;
use crate::protocol::{AdminRequest, BoxFuture, ClientEvent, EventKind, Health, Join, Peer, Refusal, Service};
use crate::sexp::{Form, kw};
use crate::signal::frames::{self, Outcome, Reply};
use crate::signal::{Meta, Sensor, SessionId, Signal};
use crate::skill::Workshop;

/// The daemon, as the protocol sees it.
pub(super) struct Daemon {
    pub(super) core: Arc<Core>,
    reload: Arc<Reload>,
    pub(super) runtime: tokio::runtime::Handle,
    checks: Mutex<Vec<Check>>,
    closing: AtomicBool,
    /// Whether all has been said of what the daemon before this one left.
    pub(super) told: watch::Sender<bool>,
}

impl Daemon {
    pub(super) fn new(core: Arc<Core>, reload: Arc<Reload>, runtime: tokio::runtime::Handle) -> Daemon {
        Daemon {
            core,
            reload,
            runtime,
            checks: Mutex::default(),
            closing: AtomicBool::new(false),
            told: watch::Sender::new(true),
        }
    }

    /// Looks after everything once, and reports what is wrong. Never keeps the daemon from starting.
    pub(super) async fn check_health(self: &Arc<Daemon>) {
        let daemon = self.clone();
        let checks = tokio::task::spawn_blocking(move || health::checks(&daemon.core)).await;
        *self.checks.lock().unwrap_or_else(PoisonError::into_inner) = checks.unwrap_or_default();
        for check in self.checks().iter().filter(|check| check.level != Level::Good) {
            tracing::warn!("{}: {}", check.name, check.text);
        }
    }

    /// What a person should know at the start: what is not as it should be, and how many plans wait.
    pub(super) fn notices(&self) -> Vec<String> {
        let checks = self.checks();
        let wrong = checks.iter().filter(|check| check.level != Level::Good);
        let mut notices: Vec<String> = wrong.map(|check| format!("{}: {}", check.name, check.text)).collect();
        let waiting = self.core.plans().waiting(None).count();
        if waiting > 0 {
            notices.push(match waiting {
                1 => "plans: 1 waits for you; `passepartout-host status` shows it".to_owned(),
                _ => format!("plans: {waiting} wait for you; `passepartout-host status` shows them"),
            });
        }
        notices
    }

    /// What the last check found, and how the skills do now.
    pub(super) fn checks(&self) -> Vec<Check> {
        let mut checks = health::of_skills(&self.core.config, &self.reload.model(), &self.core.registry.current());
        checks.extend(health::of_standing(&self.core.standing()));
        checks.extend(health::of_vault(&self.core));
        checks.extend(storage::unwritten(&self.core.write_faults));
        let (ends, outcomes) = (self.core.untold_ends(), self.core.untold_outcomes());
        checks.extend(storage::untold(ends, outcomes, self.core.why_untold()));
        if !self.core.is_record_in_place() {
            checks.push(storage::displaced(&self.core.record_path()));
        }
        checks.push(health::of_workspace(&self.core.config));
        checks.push(budget::check(&self.core, self.reload.model().answer_tokens));
        checks.extend(self.checks.lock().unwrap_or_else(PoisonError::into_inner).clone());
        checks.extend(providers::checks(&self.core, &self.reload));
        checks
    }

    /// How it is all in all, and the same checks of which that is said, with whether the files of the configuration are still what was
    /// read, and whether there is room. Reads them.
    pub(super) fn report(&self) -> (Health, Vec<Check>) {
        let mut checks = self.checks();
        let health = health::overall(&checks);
        checks.extend(older::of_files(&self.core.config, self.reload.process()));
        checks.extend(storage::room(&self.core.config.home.data));
        (health, checks)
    }

    /// Takes no more work, and waits for what is in flight, but no longer than `bound`.
    pub(super) async fn finish(&self, bound: Duration, workshop: &Workshop) {
        self.closing.store(true, Ordering::Relaxed);
        if let Some(schedule) = &self.core.services.schedule {
            schedule.close();
        }
        let running = || self.core.sessions.all().iter().any(|session| session.is_running());
        let wait = async {
            while running() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        if tokio::time::timeout(bound, wait).await.is_err() {
            tracing::warn!("what was in flight took longer than {bound:?} and is stopped");
            for session in self.core.sessions.all() {
                session.end_all();
            }
            // A skill that only computes does not hear of it.
            workshop.end_calls();
            let _ = tokio::time::timeout(Duration::from_secs(3), async {
                while running() {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            })
            .await;
        }
    }

    /// Puts an opened session's queue to work.
    pub(super) fn engage(&self, opened: Opened) -> Arc<Session> {
        if let Some(queue) = opened.queue {
            self.runtime
                .spawn(self.core.clone().work_off(opened.session.clone(), queue));
        }
        opened.session
    }

    /// The session `id`, which nobody puts away meanwhile.
    pub(super) fn held(&self, id: SessionId) -> Result<Held, Refusal> {
        loop {
            // It may be put away between being found and being held.
            if let Some(held) = self.session(id)?.hold() {
                return Ok(held);
            }
        }
    }

    /// The session of a bound connection.
    pub(super) fn session(&self, id: SessionId) -> Result<Arc<Session>, Refusal> {
        match self.core.sessions.find(id) {
            Ok(Some(opened)) => Ok(self.engage(opened)),
            Ok(None) => Err(Refusal::new(
                "no-such-session",
                Some(":META :SESSION-ID"),
                format!("there is no session {id}; `passepartout-host status --sessions` lists those there are"),
            )),
            Err(error) => Err(Refusal::new(
                "session-unreadable",
                Some(":META :SESSION-ID"),
                error.to_string(),
            )),
        }
    }

    pub(super) fn queue(&self, session: &Session, entry: Entry, meta: Meta) -> Result<(), Refusal> {
        if self.closing.load(Ordering::Relaxed) {
            return Err(Refusal::new(
                "closing",
                None,
                "the daemon is stopping; nothing new is begun",
            ));
        }
        let refuse = |error: NotQueued| {
            let is_unkept = matches!(error, NotQueued::NotKept(_));
            Refusal::new(if is_unkept { "record" } else { "busy" }, None, error.to_string())
        };
        let job = Job::new(entry, meta.clone());
        let queued = if session.is_busy() {
            // First, since its turn may come, and end, at once.
            let text = "what runs in this session comes first; /stop ends that";
            self.core
                .outlet
                .send(session.id(), frames::progress(&meta, "QUEUED", text));
            aside(|| session.enqueue(job))
        } else {
            session.enqueue(job)
        };
        match queued {
            // It was put away between being found and being given work.
            Err(NotQueued::PutAway(job)) => self.held(session.id())?.enqueue(*job).map_err(refuse),
            other => other.map_err(refuse),
        }
    }

    /// A command that a person typed into a chat. Answered at once; what it starts is a turn.
    fn command(&self, peer: &Peer, session: &Session, command: Command, meta: Meta) -> Result<(), Refusal> {
        let may = || {
            if peer.may_approve() {
                Ok(())
            } else {
                Err(Refusal::new(
                    "not-the-operator",
                    None,
                    "this connection has not proven that it is the operator, and can answer no plan",
                ))
            }
        };
        match command {
            Command::Approve(id) => {
                may()?;
                let (id, by) = (self.plan_named(&id)?, Approver::Chat(meta.session));
                aside(|| self.approve(&id, by, Once::Only, &meta)).map(drop)
            }
            Command::Deny(id, reason) => {
                may()?;
                let (id, by) = (self.plan_named(&id)?, Approver::Chat(meta.session));
                aside(|| self.deny(&id, by, reason, &meta)).map(drop)
            }
            Command::Continue => self.queue(session, Entry::Continue, meta),
            Command::Stop => {
                let said = match session.stop() {
                    Some(what) => format!("Stopped: {}", self.core.beginning(&what)),
                    None => "Nothing is running in this session.".to_owned(),
                };
                say(&self.core, &meta, &said);
                Ok(())
            }
            Command::Plans => {
                let core = self.core.clone();
                self.runtime
                    .spawn_blocking(move || say(&core, &meta, &approvals::listed(&core, meta.session)));
                Ok(())
            }
            Command::Help => {
                say(&self.core, &meta, HELP);
                Ok(())
            }
        }
    }
}

/// Runs `work`, which waits for the disk, while others have this thread's turn: only the connection that asked for it waits,
/// so that what it sends next comes after.
pub(super) fn aside<T>(work: impl FnOnce() -> T) -> T {
    tokio::task::block_in_place(work)
}

/// The answer to a command, and the end of its turn.
fn say(core: &Core, meta: &Meta, text: &str) {
    let reply = Reply {
        text: text.into(),
        explanation: "The answer to a command.".into(),
        gate_trace: Vec::new(),
        rule_count: core.plans().waiting(None).count(),
        foveal_id: None,
    };
    core.outlet.send(meta.session, frames::reply(meta, reply));
    core.outlet
        .send(meta.session, frames::cycle_end(meta, Outcome::Answered, None));
}

impl Service for Daemon {
    fn handshake(&self) -> Form {
        let capabilities = ["AUTH", "SESSIONS", "PLANS", "PROGRESS"].map(kw).to_vec();
        plist!(
            "TYPE" => kw("EVENT"),
            "PAYLOAD" => plist!(
                "ACTION" => kw("HANDSHAKE"), "VERSION" => env!("CARGO_PKG_VERSION"), "CAPABILITIES" => capabilities,
            ),
        )
    }

    fn health(&self) -> Health {
        health::overall(&self.checks())
    }

    fn join(&self, join: Join, source: &str, peer: &Peer) -> Result<SessionId, Refusal> {
        match join {
            Join::Existing(id) => self.session(id).map(|session| session.id()),
            Join::New(id) => {
                let owner = if peer.may_approve() {
                    Owner::Operator
                } else {
                    Owner::Stranger
                };
                match self.core.sessions.create(id, owner) {
                    Ok(opened) => {
                        tracing::info!(session = %id, "a new session for {source}");
                        Ok(self.engage(opened).id())
                    }
                    Err(error) => Err(Refusal::new("session", None, error.to_string())),
                }
            }
        }
    }

    fn unheard(&self, meta: &Meta) -> Option<Form> {
        self.tell_unheard().map(|said| frames::unheard(meta, said))
    }

    fn event(&self, peer: &Peer, event: ClientEvent) -> Result<(), Refusal> {
        let ClientEvent { meta, kind } = event;
        let session = self.session(meta.session)?;
        let signal = |sensor: Sensor, payload: Form| Signal {
            sensor,
            meta: meta.clone(),
            payload,
            depth: 0,
            tainted: false,
            began: None,
        };
        match kind {
            EventKind::Sensed {
                sensor: Sensor::Interrupt,
                payload,
            } => {
                // Whoever names requests means those, and no turn of another client of the session.
                match payload.get("REQUEST-IDS").and_then(Form::items) {
                    Some(requests) => session.stop_one_of(requests),
                    None => drop(session.stop()),
                }
                self.core
                    .outlet
                    .send(meta.session, frames::cycle_end(&meta, Outcome::Answered, None));
                Ok(())
            }
            EventKind::Sensed { sensor, payload } => {
                let said = matches!(sensor, Sensor::UserInput | Sensor::ChatMessage);
                let command = payload.text_at("text").filter(|_| said).and_then(Command::parse);
                match command {
                    Some(Ok(command)) => self.command(peer, &session, command, meta),
                    Some(Err(text)) => Err(Refusal::new("command", Some(":PAYLOAD :TEXT"), text)),
                    None => {
                        if said && payload.text_at("text").is_some_and(is_plain_answer) {
                            approvals::tell_waiting(&self.core, &meta);
                        }
                        let entry = Entry::Signal(signal(sensor, payload));
                        self.queue(&session, entry, meta.clone())
                    }
                }
            }
            EventKind::Proposal(form) => {
                let payload = plist!("SENSOR" => kw("USER-INPUT"));
                let entry = Entry::Proposal(form, signal(Sensor::UserInput, payload));
                self.queue(&session, entry, meta.clone())
            }
        }
    }

    fn left(&self, peer: &Peer) {
        if let Some(session) = peer.session
            && !self.core.outlet.is_heard(session)
        {
            self.core.sessions.put_away(session);
        }
    }

    fn admin(&self, peer: &Peer, meta: Option<Meta>, request: AdminRequest) -> BoxFuture<Result<Form, Refusal>> {
        super::admin::answer(self, peer.door, meta, request)
    }
}
