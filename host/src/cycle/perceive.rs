//! Perceive: what arrives is sorted by its sensor, kept, and sent on to the stage that is for it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::condition::PipelineError;
use super::recover::outcome_of;
use super::session::Session;
use super::turn::{Entry, Surroundings};
use super::{Core, Cycle};
use crate::context::{Line, Speaker, Window};
use crate::plist;
use crate::sexp::{Form, Text, kw};
use crate::signal::frames::{self, Outcome};
use crate::signal::{Meta, Sensor, Signal};
use crate::skill::SkillSet;

/// A signal that has been perceived: normalised, and kept where it must not be lost. Only [`Core::perceive`] makes one.
#[derive(Debug)]
pub(super) struct Perceived {
    signal: Signal,
    memory: String,
    prompt: Option<(String, String)>,
    mandates: Vec<(String, String)>,
}

impl Perceived {
    pub(super) fn signal(&self) -> &Signal {
        &self.signal
    }

    /// What a model is shown of memory in this cycle. Whatever is in focus by then, the signal is tainted if this is.
    pub(super) fn memory(&self) -> &str {
        &self.memory
    }

    /// The prompt of the skill that this is for, with its name.
    pub(super) fn prompt(&self) -> Option<&(String, String)> {
        self.prompt.as_ref()
    }

    /// What skills add to the system prompt, with their names.
    pub(super) fn mandates(&self) -> &[(String, String)] {
        &self.mandates
    }
}

impl Core {
    /// One signal through the three stages.
    pub(super) async fn cycle(
        self: &Arc<Core>,
        session: &Arc<Session>,
        entry: Entry,
        meta: &Meta,
        cancel: &CancellationToken,
    ) -> Result<Cycle, PipelineError> {
        if cancel.is_cancelled() {
            match entry {
                // Nothing has begun, so that a plan which was just approved waits again.
                Entry::Approved(plan, _) => {
                    let why = format!("{} stopped it before it had begun", session.stopper().name());
                    self.wait_again(session, *plan, meta, why).await;
                }
                // What was denied stays denied, and the model hears of it in the next turn.
                Entry::Denied(plan) => drop(self.denied(session, *plan, meta).await?),
                // So it does of what has been done.
                Entry::Signal(signal) if matches!(signal.sensor, Sensor::ToolOutput | Sensor::ToolError) => {
                    self.hear(session, signal)?;
                }
                entry => self.keep_unbegun(session, &entry),
            }
            return Err(PipelineError::Cancelled);
        }
        // The set of skills that a cycle began with is the one it ends with.
        let set = &self.registry.current();
        let around = Surroundings { session, set, cancel };
        match entry {
            Entry::Signal(signal) => self.signal_cycle(around, signal).await,
            Entry::Again(signal) => {
                session.try_again();
                self.signal_cycle(around, signal).await
            }
            Entry::Proposal(form, signal) => self.person_proposes(around, form, signal).await,
            Entry::Approved(plan, approval) => self.approved(around, *plan, approval, meta).await,
            Entry::Denied(plan) => self.denied(session, *plan, meta).await,
            Entry::Continue => Ok(Cycle::End(Outcome::Answered)),
        }
    }

    async fn signal_cycle(
        self: &Arc<Core>,
        around: Surroundings<'_>,
        signal: Signal,
    ) -> Result<Cycle, PipelineError> {
        let Surroundings { session, set, .. } = around;
        match signal.sensor {
            Sensor::UserInput | Sensor::ChatMessage | Sensor::ToolOutput | Sensor::ToolError => {
                let perceived = self.perceive(session, set, signal).await?;
                self.reason(around, perceived).await
            }
            Sensor::ReplEval => {
                let code = signal
                    .payload
                    .get("CODE")
                    .or_else(|| signal.payload.get("TEXT"))
                    .cloned()
                    .unwrap_or(Form::Nil);
                let payload = plist!("ACTION" => kw("EVAL"), "CODE" => code);
                let proposal = plist!("TYPE" => kw("REQUEST"), "TARGET" => kw("SYSTEM"), "PAYLOAD" => payload);
                self.person_proposes(around, proposal, signal).await
            }
            Sensor::BufferUpdate | Sensor::PointUpdate => {
                self.ingest(&signal)?;
                Ok(Cycle::End(Outcome::Answered))
            }
            // Shown to the user; no model is asked.
            Sensor::LoopError => {
                let text = signal.payload.text_at("message").unwrap_or("a cycle failed");
                let code = signal
                    .payload
                    .at("code")
                    .and_then(Form::keyword)
                    .unwrap_or("LOOP-ERROR");
                self.outlet
                    .send(session.id(), frames::turn_error(&signal.meta, code, text));
                Ok(Cycle::End(outcome_of(code)))
            }
            Sensor::Schedule => self.due(around, signal).await,
            Sensor::Heartbeat => self.beaten(around, signal).await,
            Sensor::Interrupt | Sensor::ApprovalRequired | Sensor::Other(_) => Ok(Cycle::End(Outcome::Answered)),
        }
    }

    /// Keeps what was said, and asks skills what goes along with it.
    pub(super) async fn perceive(
        self: &Arc<Core>,
        session: &Session,
        set: &Arc<SkillSet>,
        signal: Signal,
    ) -> Result<Perceived, PipelineError> {
        // What came of what was done just now is heard, whatever else is not.
        if !session.has_unsaid() {
            self.is_all_said(session)?;
        }
        let (mut signal, memory) = self.hear(session, signal)?;
        let asked = {
            let (set, signal) = (set.clone(), signal.clone());
            self.blocking(move |_| {
                // The prompt of the skill that claimed a beat is what is perceived, and no other goes along.
                let beat = signal.sensor == Sensor::Heartbeat;
                let prompt = (!beat).then(|| set.prompt_for(&signal)).flatten();
                Ok((set.mandates(&signal), prompt))
            })
            .await?
        };
        let (mandates, prompt) = asked;
        let mut began = signal.beginning();
        began.skill = began.skill.or_else(|| prompt.as_ref().map(|(skill, _)| skill.clone()));
        signal.began = Some(began);
        Ok(Perceived {
            signal,
            memory,
            prompt,
            mandates,
        })
    }

    /// Keeps what was said, and marks the signal as tainted where anything the model will be sent is. What it will be shown
    /// of memory comes with it.
    pub(super) fn hear(&self, session: &Session, mut signal: Signal) -> Result<(Signal, String), PipelineError> {
        let (speaker, text) = said_by(&signal);
        let heard = session.hear(Line {
            speaker,
            text,
            tainted: signal.tainted,
        });
        heard.map_err(|error| PipelineError::unkept(&signal, session.has_failed(), error))?;
        let outline = self.memory().outline();
        signal.tainted |= outline.tainted || self.window(session).is_tainted();
        Ok((signal, outline.text))
    }

    /// What of the conversation goes to the model.
    pub(super) fn window(&self, session: &Session) -> Window {
        session.window(self.config.cycle.history_bytes / 4)
    }

    fn ingest(&self, signal: &Signal) -> Result<(), PipelineError> {
        let mut memory = self.memory();
        let mut overlay = memory.overlay();
        // On an error the overlay is dropped, and with it all that the signal wrote.
        overlay.perceive(&signal.payload)?;
        memory.commit(overlay);
        Ok(())
    }

    /// Runs `work`, which blocks, where that does no harm.
    pub(super) async fn blocking<T: Send + 'static>(
        self: &Arc<Core>,
        work: impl FnOnce(&Core) -> Result<T, PipelineError> + Send + 'static,
    ) -> Result<T, PipelineError> {
        let core = self.clone();
        tokio::task::spawn_blocking(move || work(&core))
            .await
            .map_err(|error| PipelineError::Internal(error.to_string()))?
    }
}

/// What a signal says in its conversation, of a result with whose it is.
pub(super) fn said_by(signal: &Signal) -> (Speaker, Text) {
    let (speaker, key) = match signal.sensor {
        Sensor::ToolOutput => (Speaker::Tool, "RESULT"),
        Sensor::ToolError => (Speaker::Tool, "MESSAGE"),
        _ => (Speaker::User, "TEXT"),
    };
    let text = signal.payload.get(key).and_then(Form::as_text).cloned();
    let text = text.unwrap_or_else(|| Text::from(""));
    match (speaker, signal.payload.text_at("tool")) {
        (Speaker::Tool, Some(tool)) => (speaker, format!("{tool}: {text}").into()),
        _ => (speaker, text),
    }
}
