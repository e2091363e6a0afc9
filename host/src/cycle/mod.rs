//! The loop: Perceive, Reason, Act.
//!
//! One signal runs through the three stages; what comes of its action is the next signal, one deeper, until a person
//! has an answer. The loop keeps these promises: nothing is carried out that the chain has not cleared, every decision
//! is recorded before its effect, one bad signal ends neither the daemon nor its session, and each turn ends with
//! exactly one cycle end. It knows providers, gates and actuators only by what they promise, and no bytes.

mod act;
mod answer;
mod approvals;
mod broken_off;
mod came;
mod clock;
mod close;
mod command;
mod condition;
mod consensus;
mod decide;
mod deferred;
mod firing;
mod heartbeat;
mod hiding;
mod kept;
mod native;
mod over;
mod owed;
mod parameters;
mod perceive;
mod person;
mod progress;
mod queue;
mod reason;
mod recover;
mod repeats;
mod request;
mod schedule;
mod session;
mod sessions;
mod tell;
mod turn;
mod unbegun;
mod unfinished;
mod unfollowed;
mod unheard;
mod unread;
mod unsaid;
mod untold;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

pub(crate) use clock::{now, unix_now};
pub use command::{Command, HELP, is_plain_answer};
pub use condition::PipelineError;
pub use decide::{Decision, Verdicts};
pub use heartbeat::heartbeat;
pub use kept::Owner;
use owed::Owed;
pub use queue::{Held, NotQueued};
pub use reason::close_proposal;
use recover::{After, Failed};
pub use schedule::schedule;
pub use session::Session;
pub use sessions::{Opened, Sessions, kept_in};
pub use turn::{Entry, Job};
pub use unfinished::Unfinished;
pub use unheard::Unheard;
use untold::Untold;

use crate::audit::{Record, WriteFaults};
use crate::capability::Services;
use crate::config::Config;
use crate::gate::approval::PlanStore;
use crate::gate::standing::StandingStore;
use crate::gate::{Rejection, Settings};
use crate::memory::Memory;
use crate::model::Cascade;
use crate::sexp::{Digest, Form};
use crate::signal::frames::{self, Outcome};
use crate::signal::{Sensor, SessionId, Signal};
use crate::skill::Registry;
use crate::vault::Secrets;

/// Where frames for a session go. Never waits, never fails.
pub trait Outlet: Send + Sync {
    /// Sends `frame` to every connection of `session`, in order.
    fn send(&self, session: SessionId, frame: Form);

    /// Whether anybody is connected to `session`.
    fn is_heard(&self, session: SessionId) -> bool;
}

/// Everything a cycle needs, shared by all sessions.
pub struct Core {
    /// The configuration.
    pub config: Arc<Config>,
    /// What skills may read of it.
    pub settings: Settings,
    /// The skills.
    pub registry: Arc<Registry>,
    /// The models.
    pub cascade: Arc<Cascade>,
    /// The conversations.
    pub sessions: Sessions,
    /// What the operator keeps secret.
    pub secrets: Secrets,
    /// Where frames go.
    pub outlet: Arc<dyn Outlet>,
    /// What is lent to capabilities.
    pub services: Arc<Services>,
    /// What was said while nobody was attached.
    pub unheard: Arc<Unheard>,
    /// What of all that is kept can't be written.
    pub write_faults: WriteFaults,
    settings_digest: Digest,
    closed: Option<String>,
    plans: Mutex<PlanStore>,
    standing: Mutex<StandingStore>,
    record: Mutex<Record>,
    owed: Mutex<Owed>,
    untold: Untold,
}

/// What a core works on.
pub struct Stores {
    /// The plans.
    pub plans: PlanStore,
    /// The standing approvals.
    pub standing: StandingStore,
    /// The decision record.
    pub record: Record,
    /// What is lent to capabilities.
    pub services: Arc<Services>,
    /// What was said while nobody was attached.
    pub unheard: Arc<Unheard>,
    /// Where all of them note what they can't write.
    pub write_faults: WriteFaults,
}

impl Core {
    /// A core over these parts.
    pub fn new(
        config: Arc<Config>,
        registry: Arc<Registry>,
        cascade: Arc<Cascade>,
        sessions: Sessions,
        secrets: Secrets,
        outlet: Arc<dyn Outlet>,
        stores: Stores,
    ) -> Core {
        let settings: Settings = Arc::new(config.settings.clone());
        let printed: String = settings.iter().map(|(key, value)| format!("{key}={value}\n")).collect();
        let outlet = unfollowed::Unfollowed::before(outlet, &stores.unheard);
        Core {
            settings_digest: Digest::of("passepartout-settings-1", printed.as_bytes()),
            closed: config.why_closed(),
            config,
            settings,
            registry,
            cascade,
            sessions: sessions.hiding(secrets.clone()),
            outlet: hiding::Hiding::before(outlet, &secrets),
            secrets,
            services: stores.services,
            unheard: stores.unheard,
            write_faults: stores.write_faults,
            plans: Mutex::new(stores.plans),
            standing: Mutex::new(stores.standing),
            record: Mutex::new(stores.record),
            owed: Mutex::default(),
            untold: Untold::default(),
        }
    }

    /// The plans.
    pub fn plans(&self) -> MutexGuard<'_, PlanStore> {
        lock(&self.plans)
    }

    /// The memory.
    pub fn memory(&self) -> MutexGuard<'_, Memory> {
        lock(&self.services.memory)
    }

    /// The file of the decision record.
    pub fn record_path(&self) -> std::path::PathBuf {
        lock(&self.record).path().to_owned()
    }

    /// Runs turns of `session` one after the other until its queue is closed.
    pub async fn work_off(self: Arc<Core>, session: Arc<Session>, mut queue: tokio::sync::mpsc::Receiver<Job>) {
        while let Some(job) = queue.recv().await {
            let Job {
                entry,
                meta,
                cancel,
                kept,
            } = job;
            session.begin();
            session.takes(kept);
            let due = firing::due_of(&entry);
            let turn = tokio::spawn(self.clone().loop_process(session.clone(), entry, meta.clone(), cancel));
            let outcome = match turn.await {
                Ok(outcome) => {
                    self.ends(due, outcome).await;
                    outcome
                }
                // A panic ends the turn and nothing else. What was due is told of at the next start.
                Err(error) => {
                    tracing::error!(session = %session.id(), "a cycle panicked: {error}");
                    let frame = frames::turn_error(&meta, "internal", "an internal error ended the turn");
                    self.outlet.send(session.id(), frame);
                    Outcome::Failed
                }
            };
            self.owe_unsaid(&session);
            session.is_over(outcome);
            self.keep_unfollowed(session.id(), &meta).await;
            session.waits_no_longer();
            session.ending();
            self.outlet
                .send(session.id(), frames::cycle_end(&meta, outcome, session.upshot()));
            session.ended();
            // Who left while the turn ran could not take the session along.
            if !self.outlet.is_heard(session.id()) {
                self.sessions.put_away(session.id());
            }
        }
    }

    /// The whole turn that `entry` starts: cycle after cycle, until there is no feedback.
    pub async fn loop_process(
        self: Arc<Core>,
        session: Arc<Session>,
        entry: Entry,
        meta: crate::signal::Meta,
        cancel: CancellationToken,
    ) -> Outcome {
        self.settle_owed(&session).await;
        let which = entry.named();
        if let Err(outcome) = self.begins(&session, &entry, &cancel).await {
            return outcome;
        }
        let mut next = match entry {
            Entry::Continue => match session.continues(&meta) {
                // What it says was said when the last turn was stopped.
                Some(signal) => Entry::Again(signal),
                None => {
                    let text = "there is nothing to continue: no turn of this session was stopped for its depth or for \
                                repeating itself, or something else was said since";
                    self.outlet
                        .send(session.id(), frames::turn_error(&meta, "nothing-to-continue", text));
                    return Outcome::Failed;
                }
            },
            other => other,
        };
        let (mut retries, has_begun) = (0, !cancel.is_cancelled());
        loop {
            if let Entry::Signal(signal) = &next
                && signal.depth > self.config.cycle.max_depth
            {
                return self.too_deep(&session, signal.clone());
            }
            let mut failed = match &next {
                Entry::Signal(signal) | Entry::Again(signal) => Failed {
                    signal: Some(signal.clone()),
                    repeatable: true,
                    retries,
                },
                Entry::Proposal(_, signal) => Failed {
                    signal: Some(signal.clone()),
                    repeatable: false,
                    retries,
                },
                Entry::Approved(..) | Entry::Denied(..) | Entry::Continue => Failed {
                    signal: None,
                    repeatable: false,
                    retries,
                },
            };
            match self.cycle(&session, next, &meta, &cancel).await {
                Ok(Cycle::Feedback(signal)) => match self.not_repeating(&session, signal) {
                    Ok(signal) => (next, retries) = (Entry::Signal(signal), 0),
                    Err(outcome) => return outcome,
                },
                Ok(Cycle::End(outcome)) => return outcome,
                Err(PipelineError::Cancelled) => {
                    self.tell_stopped(&session, &meta, which, has_begun);
                    return Outcome::Cancelled;
                }
                Err(error) => {
                    let error = failed.says(error);
                    // Nothing may be carried out twice.
                    failed.repeatable &= !session.repeats().is_doing();
                    match self.recover(&session, &meta, failed, &error, &cancel).await {
                        After::Retry(signal) => (next, retries) = (Entry::Again(signal), retries + 1),
                        After::Next(entry) => (next, retries) = (entry, 0),
                        After::End(outcome) => return outcome,
                    }
                }
            }
        }
    }

    /// The signal that goes on with the turn, with a word for the model if the turn repeats itself; or its end, if it does so
    /// without end.
    fn not_repeating(&self, session: &Session, mut signal: Signal) -> Result<Signal, Outcome> {
        let times = session.repeats().came(&signal.payload);
        if times >= repeats::MOST {
            session.note("the turn repeated itself and was stopped");
            let text = format!(
                "the same action gave the same result {times} times in a row, and the turn was stopped there; say what to do \
                 instead, or send /continue to let it go on"
            );
            self.outlet
                .send(session.id(), frames::turn_error(&signal.meta, "repeats", &text));
            self.defer(session, &signal);
            return Err(Outcome::Failed);
        }
        if times > 1 {
            for key in ["RESULT", "MESSAGE"] {
                if let Some(text) = signal.payload.get(key).and_then(Form::as_text) {
                    let text = format!("{text}\n{}", repeats::HEARD);
                    signal.payload = signal.payload.with(key, text);
                    break;
                }
            }
        }
        Ok(signal)
    }

    fn too_deep(&self, session: &Session, signal: Signal) -> Outcome {
        let limit = self.config.cycle.max_depth;
        session.note(format!("a signal deeper than {limit} was dropped"));
        let text = format!(
            "the turn went {limit} steps deep without an answer and was stopped there; send /continue to let it go on"
        );
        self.outlet
            .send(session.id(), frames::turn_error(&signal.meta, "depth", &text));
        self.defer(session, &signal);
        Outcome::Failed
    }

    /// Keeps what a turn was stopped before: the result for the model, whatever comes next, and the rest for `/continue`.
    fn defer(&self, session: &Session, signal: &Signal) {
        let result = matches!(signal.sensor, Sensor::ToolOutput | Sensor::ToolError);
        if result && let Err(error) = self.hear(session, signal.clone()) {
            session.note(format!("the last result could not be kept: {error}"));
        }
        session.defer(signal);
    }

    /// Tells the session what was refused.
    pub(super) fn refuse(&self, session: &Session, meta: &crate::signal::Meta, refusals: &[Refused]) {
        let forms = refusals.iter().map(Refused::to_form).collect();
        self.outlet.send(session.id(), frames::refusal(meta, forms));
    }
}

/// A rejection, and the number of the decision in the record if there was one.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    rejection: Rejection,
    record: Option<u64>,
}

impl Refused {
    fn to_form(&self) -> Form {
        let form = self.rejection.to_form();
        match self.record {
            Some(number) => form.with("DECISION", number),
            None => form,
        }
    }
}

/// How one cycle ended.
#[derive(Debug)]
pub(super) enum Cycle {
    /// With the next signal.
    Feedback(Signal),
    /// With the turn.
    End(Outcome),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is behind these locks is changed in single steps, so that it is whole even if a holder panicked.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
