//! The heartbeat: what has to be looked after while nobody says anything.
//!
//! By itself it asks no model. A skill that has the right to may claim a beat: with a prompt, a model is asked, and
//! without one, the skill is asked to act. Either is a turn of the heartbeat's own conversation, in which every action
//! meets the gates as it would in any other, and a plan waits for the operator. While such a turn runs there is no
//! other.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::condition::PipelineError;
use super::kept::Owner;
use super::schedule::Woken;
use super::session::Session;
use super::turn::{Entry, Job, Surroundings};
use super::{Core, Cycle};
use crate::audit::LogError;
use crate::capability::schedule::beaten;
use crate::model::SKILL_PROMPT_MARK;
use crate::plist;
use crate::sexp::kw;
use crate::signal::{Began, Meta, Sensor, SessionId, Signal};
use crate::skill::Claim;

/// How long the file of the heartbeat's conversation may get, in bytes, before the next one is begun: some thousand beats.
const LONG: u64 = 4 << 20;

/// Beats until `stop`: lapses plans and standing approvals whose time is over, tries again what could not be written, looks
/// whether there is room again, calls the skills that claim the beat, puts sessions away that nobody hears. A beat that fails
/// is logged, and the next one comes.
pub async fn heartbeat(core: Arc<Core>, stop: CancellationToken) {
    let mut beat = tokio::time::interval(core.config.cycle.heartbeat);
    beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = beat.tick() => {}
        }
        if let Err(error) = core.blocking(Core::expire).await {
            tracing::error!("a heartbeat failed: {error}");
        }
        if let Err(error) = core.blocking(Core::write_again).await {
            tracing::error!("what could not be written still can't be: {error}");
        }
        let looked = core.blocking(|core| {
            core.write_faults.look_again();
            Ok(())
        });
        if let Err(error) = looked.await {
            tracing::error!("a heartbeat failed: {error}");
        }
        if let Err(error) = core.beat().await {
            tracing::error!("a heartbeat reached no skill: {error}");
        }
        for session in core.sessions.all() {
            if !core.outlet.is_heard(session.id()) {
                core.sessions.put_away(session.id());
            }
        }
    }
}

impl Core {
    /// Queues a turn for each skill that claims this beat, unless turns of an earlier one run still.
    async fn beat(self: &Arc<Core>) -> Result<(), PipelineError> {
        let own = |session: &Arc<Session>| session.id() == SessionId::HEARTBEAT && session.is_running();
        if self.sessions.all().iter().any(own) {
            return Ok(());
        }
        let meta = Meta {
            source: self.config.cycle.default_actuator.clone(),
            session: SessionId::HEARTBEAT,
            request_id: None,
        };
        let beat = Signal {
            sensor: Sensor::Heartbeat,
            meta: meta.clone(),
            payload: plist!("SENSOR" => kw(Sensor::Heartbeat.name())),
            depth: 0,
            tainted: false,
            began: None,
        };
        let set = self.registry.current();
        let claims = {
            let beat = beat.clone();
            self.blocking(move |_| Ok(set.claims(&beat))).await?
        };
        if claims.is_empty() {
            return Ok(());
        }
        let session = self.heartbeats_session()?;
        for Claim { skill, prompt } in claims {
            let payload = beat.payload.clone().with("SKILL", skill.as_str());
            let payload = match prompt {
                Some(prompt) => {
                    let text = format!("{SKILL_PROMPT_MARK}{skill}]\n{prompt}");
                    payload.with("TEXT", text.trim_start())
                }
                None => payload,
            };
            let began = Began {
                sensor: Sensor::Heartbeat,
                skill: Some(skill.clone()),
            };
            let signal = Signal {
                payload,
                began: Some(began),
                ..beat.clone()
            };
            if let Err(error) = session.enqueue(Job::new(Entry::Signal(signal), meta.clone())) {
                tracing::warn!(skill, "the heartbeat does not reach it this time: {error}");
            }
        }
        Ok(())
    }

    /// The conversation of the heartbeat. Nobody ends it, so that it is begun anew once it is long.
    fn heartbeats_session(self: &Arc<Core>) -> Result<Arc<Session>, LogError> {
        self.sessions.begin_anew(SessionId::HEARTBEAT, LONG);
        let opened = self.sessions.create(SessionId::HEARTBEAT, Owner::Operator)?;
        if let Some(queue) = opened.queue {
            tokio::spawn(self.clone().work_off(opened.session.clone(), queue));
        }
        Ok(opened.session)
    }

    /// The turn of a skill that claimed a beat.
    pub(super) async fn beaten(
        self: &Arc<Core>,
        around: Surroundings<'_>,
        signal: Signal,
    ) -> Result<Cycle, PipelineError> {
        let Surroundings { session, set, .. } = around;
        if signal.payload.text_at("text").is_some() {
            let perceived = self.perceive(session, set, signal).await?;
            return self.reason(around, perceived).await;
        }
        let skill = signal.payload.text_at("skill").unwrap_or_default().to_owned();
        let woken = Woken::by_heartbeat(&skill);
        self.wake(around, &signal, beaten(&skill), woken).await
    }
}
