//! The schedule: entries that are due become turns of their conversation, in which their skill is asked to act.
//!
//! Such a turn asks no model by itself. The action by which the entry reaches its skill meets every gate, and what the
//! skill gives back is a message to the person, which meets them too.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::close::message;
use super::condition::PipelineError;
use super::queue::NotQueued;
use super::reason::closing;
use super::turn::{Entry, Job, Surroundings};
use super::{Core, Cycle, unix_now};
use crate::capability::schedule::{Entry as Due, Schedule, fired, is_fired};
use crate::plist;
use crate::sexp::{Form, kw};
use crate::signal::frames::{self, Outcome};
use crate::signal::{Action, Meta, Origin, Sensor, Signal};
use crate::skill::Readiness;

/// Longest time between two looks at the clock, which can be set while nobody looks.
const LOOK: Duration = Duration::from_secs(30);

/// How long an entry waits whose turn could not begin, in seconds.
pub(super) const PAUSE: u64 = 60;

/// How often a session is opened for one turn that is put away in between.
const OPENINGS: usize = 5;

/// How long an entry waits for a skill that is there and not in use, in seconds: a day.
const PATIENCE: u64 = 86_400;

/// Fires what is due, until `stop`. What could not be fired is logged, and fires later where it can: one of a skill that is
/// not in use yet, or not at the moment, within a day, and all of it once the gates let anything pass.
pub async fn schedule(core: Arc<Core>, stop: CancellationToken) {
    let Some(schedule) = core.services.schedule.clone() else {
        return;
    };
    let mut was_closed = false;
    loop {
        let now = unix_now();
        let wait = match schedule.next_due(now) {
            Some(due) if due <= now => Duration::ZERO,
            Some(due) => LOOK.min(Duration::from_secs(due - now)),
            None => LOOK,
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = schedule.changed() => continue,
            () = tokio::time::sleep(wait) => {}
        }
        let (own, due) = (core.clone(), schedule.clone());
        match core.blocking(move |_| own.look(&due)).await {
            Ok(None) => {
                was_closed = false;
                continue;
            }
            Ok(Some(closed)) => {
                // Said once; it may stay so for long.
                if !was_closed {
                    tracing::warn!("what is due of the schedule waits, because nothing can pass: {closed}");
                }
                was_closed = true;
            }
            Err(error) => tracing::error!("what is due can't be fired: {error}"),
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

/// What becomes of an entry that is due.
enum Fate {
    /// A turn is queued for it, or as many as may wait in its session are: it stays due.
    Queued,
    /// It does nothing.
    Never(&'static str),
    /// It waits for its skill.
    Later(String),
    /// It waits for its session.
    Held(String),
}

impl Core {
    /// Looks at all that is due, and queues turns. Returns why nothing can pass, where that is so and something is due: it
    /// would only be refused, and be gone.
    fn look(self: &Arc<Core>, schedule: &Schedule) -> Result<Option<String>, PipelineError> {
        let now = unix_now();
        schedule
            .bring_back(now)
            .map_err(|error| PipelineError::Internal(error.to_string()))?;
        let due = schedule.due(now);
        if due.is_empty() {
            return Ok(None);
        }
        if let Some(closed) = self.closed() {
            return Ok(Some(closed.reason));
        }
        let (mut never, mut later) = (Vec::new(), Vec::new());
        // A thousand may be due at once: they are written at once, and logged by why they do not fire.
        let mut said: BTreeMap<(String, String), usize> = BTreeMap::new();
        for entry in due {
            let mut say = |why: String| *said.entry((entry.skill.clone(), why)).or_default() += 1;
            match self.fire(schedule, &entry, now) {
                Fate::Queued => {}
                Fate::Never(why) => {
                    say(format!("{why}; nothing is done"));
                    never.push(entry);
                }
                Fate::Later(why) => {
                    // Said once; it may be tried a thousand times.
                    if entry.since.is_none() {
                        say(why);
                    }
                    later.push(entry);
                }
                Fate::Held(why) => {
                    schedule.release(&entry.id, now + PAUSE);
                    say(why);
                }
            }
        }
        for ((skill, why), entries) in said {
            tracing::warn!(skill, entries, "what it scheduled is due, and {why}");
        }
        schedule
            .settle(&never, &later, now)
            .map_err(|error| PipelineError::Internal(error.to_string()))?;
        Ok(None)
    }

    /// Queues the turn of an entry that is due. One of a skill that is gone, or may not schedule any more, does nothing.
    fn fire(self: &Arc<Core>, schedule: &Schedule, due: &Due, now: u64) -> Fate {
        match self.registry.current().readiness(&due.skill) {
            Readiness::Ready(skill) if skill.may_schedule() => {}
            Readiness::Ready(_) => return Fate::Never("its skill may not schedule"),
            Readiness::Absent => return Fate::Never("its skill is gone"),
            Readiness::NotNow(_) if due.since.is_some_and(|since| now > since + PATIENCE) => {
                return Fate::Never("its skill has not been in use for a day");
            }
            Readiness::NotNow(state) => return Fate::Later(format!("waits for its skill, which {}", state.told())),
        }
        if !schedule.queue(due) {
            return Fate::Queued;
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
        let mut job = Job::new(Entry::Signal(signal), meta);
        // A session may be put away just between finding it and handing it something: then it is opened anew.
        for _ in 0..OPENINGS {
            let opened = match self.sessions.find(due.session) {
                Ok(Some(opened)) => opened,
                Ok(None) => {
                    schedule.release(&due.id, now);
                    return Fate::Never("its session is gone");
                }
                Err(error) => return Fate::Held(format!("waits, since its session can't be read: {error}")),
            };
            if let Some(queue) = opened.queue {
                tokio::spawn(self.clone().work_off(opened.session.clone(), queue));
            }
            match opened.session.enqueue(job) {
                Ok(()) => return Fate::Queued,
                Err(NotQueued::PutAway(back)) => job = *back,
                Err(full) => return Fate::Held(format!("waits: {full}")),
            }
        }
        Fate::Held("waits, since its session was just put away".to_owned())
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
                self.refuse_unasked(session, signal, &woken.why, refused).await;
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
            Some(text) => {
                let told = self.tell(around, woken, &result, &text).await;
                told.map_err(PipelineError::of_next_step)
            }
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
                self.refuse_unasked(session, signal, &woken.why, refused).await;
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
