//! The schedule: entries that are due become turns of their conversation, in which their skill is asked to act.
//!
//! Such a turn asks no model by itself. The action by which the entry reaches its skill meets every gate, and what the
//! skill gives back is a message to the person, which meets them too.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::close::message;
use super::condition::PipelineError;
use super::reason::closing;
use super::session::NotQueued;
use super::turn::{Entry, Job, Surroundings};
use super::{Core, Cycle, unix_now};
use crate::capability::schedule::{Entry as Due, fired, is_fired};
use crate::plist;
use crate::sexp::{Form, kw};
use crate::signal::frames::{self, Outcome};
use crate::signal::{Action, Meta, Origin, Sensor, Signal};
use crate::skill::Readiness;

/// Longest time between two looks at the clock, which can be set while nobody looks.
const LOOK: Duration = Duration::from_secs(30);

/// How long an entry waits for a skill that is there and not in use, in seconds: a day.
const PATIENCE: u64 = 86_400;

/// Fires what is due, until `stop`. What could not be fired is logged, and fires later where it can: one of a skill that is
/// not in use yet, or not at the moment, within a day.
pub async fn schedule(core: Arc<Core>, stop: CancellationToken) {
    let Some(schedule) = core.services.schedule.clone() else {
        return;
    };
    loop {
        let now = unix_now();
        let wait = match schedule.next_due() {
            Some(due) if due <= now => Duration::ZERO,
            Some(due) => LOOK.min(Duration::from_secs(due - now)),
            None => LOOK,
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = schedule.changed() => continue,
            () = tokio::time::sleep(wait) => {}
        }
        let own = schedule.clone();
        let taken = core
            .blocking(move |_| {
                own.take_due(unix_now())
                    .map_err(|error| PipelineError::Internal(error.to_string()))
            })
            .await;
        match taken {
            Ok(due) => due.into_iter().for_each(|entry| core.fire(entry)),
            Err(error) => {
                tracing::error!("what is due can't be fired: {error}");
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = tokio::time::sleep(LOOK) => {}
                }
            }
        }
    }
}

impl Core {
    /// Queues the turn of an entry that is due. One of a skill that is gone, or may not schedule any more, does nothing.
    fn fire(self: &Arc<Core>, due: Due) {
        let given_up = match self.registry.current().readiness(&due.skill) {
            Readiness::Ready(skill) if skill.may_schedule() => None,
            Readiness::Ready(_) => Some("its skill may not schedule"),
            Readiness::Absent => Some("its skill is gone"),
            Readiness::NotNow(_) if due.since.is_some_and(|since| unix_now() > since + PATIENCE) => {
                Some("its skill has not been in use for a day")
            }
            Readiness::NotNow(state) => {
                // Said once; it may be tried a thousand times.
                if due.since.is_none() {
                    tracing::warn!(
                        skill = due.skill,
                        entry = due.id,
                        "an entry of the schedule is due and waits for its skill, which is {state}"
                    );
                }
                return self.postpone(due);
            }
        };
        if let Some(why) = given_up {
            tracing::warn!(
                skill = due.skill,
                entry = due.id,
                "an entry of the schedule is due, and {why}; nothing is done"
            );
            return self.settle(&due);
        }
        let opened = match self.sessions.find(due.session) {
            Ok(Some(opened)) => opened,
            Ok(None) => {
                tracing::warn!(
                    skill = due.skill,
                    entry = due.id,
                    "an entry is due whose session is gone"
                );
                return self.settle(&due);
            }
            Err(error) => {
                tracing::error!(
                    skill = due.skill,
                    entry = due.id,
                    "an entry is due whose session can't be read: {error}"
                );
                return self.postpone(due);
            }
        };
        if let Some(queue) = opened.queue {
            tokio::spawn(self.clone().work_off(opened.session.clone(), queue));
        }
        let meta = Meta {
            source: self.config.cycle.default_actuator.clone(),
            session: due.session,
            request_id: None,
        };
        let signal = Signal {
            sensor: Sensor::Schedule,
            meta: meta.clone(),
            payload: plist!("SENSOR" => kw(Sensor::Schedule.name()), "ENTRY" => due.to_form()),
            depth: 0,
            tainted: due.tainted,
            began: None,
        };
        match opened.session.enqueue(Job::new(Entry::Signal(signal), meta)) {
            Ok(()) => self.settle(&due),
            Err(error) => {
                let why = match error {
                    NotQueued::PutAway(_) => "its session was just put away".to_owned(),
                    full => full.to_string(),
                };
                tracing::warn!(skill = due.skill, entry = due.id, "an entry is due and waits: {why}");
                self.postpone(due);
            }
        }
    }

    fn settle(&self, due: &Due) {
        if let Some(schedule) = &self.services.schedule {
            schedule.settle(due);
        }
    }

    fn postpone(self: &Arc<Core>, due: Due) {
        let core = self.clone();
        tokio::task::spawn_blocking(move || {
            let Some(schedule) = &core.services.schedule else {
                return;
            };
            if let Err(error) = schedule.postpone(due, unix_now()) {
                tracing::error!("an entry of the schedule could not be put off, and is gone: {error}");
            }
        });
    }

    /// The turn of an entry that is due.
    pub(super) async fn due(
        self: &Arc<Core>,
        around: Surroundings<'_>,
        signal: Signal,
    ) -> Result<Cycle, PipelineError> {
        let Surroundings { session, .. } = around;
        let Some(due) = signal.payload.get("ENTRY").and_then(Due::from_form) else {
            return Err(PipelineError::Internal("a due entry that is none".to_owned()));
        };
        session.note(format!("an entry that {} scheduled is due", due.skill));
        let woken = Woken::by_schedule(&due.skill);
        self.wake(around, &signal, fired(&due), woken).await
    }

    /// Asks a skill to act by `action`, which is no person's and no model's wish, and tells the person what it gives back.
    pub(super) async fn wake(
        self: &Arc<Core>,
        around: Surroundings<'_>,
        signal: &Signal,
        action: Action,
        woken: Woken<'_>,
    ) -> Result<Cycle, PipelineError> {
        let Surroundings { session, .. } = around;
        let acted = self.decide_and_act(around, signal, action, None);
        match acted.await? {
            Ok(Cycle::Feedback(result)) => self.awoken(around, signal, result, woken).await,
            Ok(cycle) => Ok(cycle),
            Err(refused) => {
                self.refuse(session, &signal.meta, &[refused]);
                Ok(Cycle::End(Outcome::Refused))
            }
        }
    }

    /// Tells the person what a skill gave back that was woken: no model hears of it.
    pub(super) async fn awoken(
        self: &Arc<Core>,
        around: Surroundings<'_>,
        signal: &Signal,
        result: Signal,
        woken: Woken<'_>,
    ) -> Result<Cycle, PipelineError> {
        let Surroundings { session, .. } = around;
        if result.sensor == Sensor::ToolError {
            let text = result.payload.text_at("message").unwrap_or_default();
            let text = format!("{} It failed: {text}", woken.why);
            let code = signal.sensor.name().to_lowercase();
            self.note_unheard(session.id(), &text).await;
            self.outlet
                .send(session.id(), frames::turn_error(&signal.meta, &code, &text));
            return Ok(Cycle::End(Outcome::Failed));
        }
        let said = result.payload.get("RESULT").and_then(Form::as_text).cloned();
        match said.filter(|text| !text.trim().is_empty()) {
            Some(text) => self.tell(around, woken, &result, &text).await,
            None => Ok(Cycle::End(Outcome::Answered)),
        }
    }

    /// What a skill says, as its message to the person.
    pub(super) async fn tell(
        self: &Arc<Core>,
        around: Surroundings<'_>,
        woken: Woken<'_>,
        signal: &Signal,
        text: &str,
    ) -> Result<Cycle, PipelineError> {
        let Surroundings { session, set, .. } = around;
        let action = {
            let closing = closing(set, Origin::Skill(woken.skill.to_owned()), &signal.meta.source);
            message(&closing, text, &woken.why)
        };
        match self.decide_and_act(around, signal, action, None).await? {
            Ok(cycle) => Ok(cycle),
            Err(refused) => {
                self.refuse(session, &signal.meta, &[refused]);
                Ok(Cycle::End(Outcome::Refused))
            }
        }
    }
}

/// A skill that is asked to act of its own accord, and the sentence that says why.
pub(super) struct Woken<'a> {
    pub(super) skill: &'a str,
    pub(super) why: String,
}

impl<'a> Woken<'a> {
    /// The skill that scheduled an entry.
    fn by_schedule(skill: &'a str) -> Woken<'a> {
        Woken {
            skill,
            why: format!("What the skill {skill} had scheduled is due."),
        }
    }

    /// The skill that claims the heartbeat.
    pub(super) fn by_heartbeat(skill: &'a str) -> Woken<'a> {
        Woken {
            skill,
            why: format!("The skill {skill} was called on the heartbeat."),
        }
    }

    /// The skill that `action` wakes, which `signal` led to, if it wakes one.
    pub(super) fn by(action: &'a Action, signal: &Signal) -> Option<Woken<'a>> {
        match action.origin() {
            Origin::Skill(skill) if is_fired(action) && signal.sensor == Sensor::Heartbeat => {
                Some(Woken::by_heartbeat(skill))
            }
            Origin::Skill(skill) if is_fired(action) => Some(Woken::by_schedule(skill)),
            _ => None,
        }
    }
}
