//! The turns of what is due: each begins and ends on the disk, so that it is told of one that was broken off.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::condition::PipelineError;
use super::schedule::PAUSE;
use super::session::Session;
use super::turn::Entry;
use super::{Core, Refused, unix_now};
use crate::capability::schedule::{Entry as Due, Schedule};
use crate::context::{Line, Speaker};
use crate::signal::Sensor;
use crate::signal::frames::{self, Outcome};

/// The entry of the schedule whose turn `entry` starts, if it is one.
pub(super) fn due_of(entry: &Entry) -> Option<Due> {
    match entry {
        Entry::Signal(signal) if signal.sensor == Sensor::Schedule => {
            signal.payload.get("ENTRY").and_then(Due::from_form)
        }
        _ => None,
    }
}

impl Core {
    /// Notes that the turn of `entry` begins, if it is that of an entry of the schedule: from here on it has fired, and not
    /// before, so that what is stopped while it waits is there after a restart. Returns how the turn ends where it must not
    /// begin.
    pub(super) async fn begins(
        self: &Arc<Core>,
        session: &Session,
        entry: &Entry,
        cancel: &CancellationToken,
    ) -> Result<(), Outcome> {
        let (Entry::Signal(signal), Some(due), Some(schedule)) = (entry, due_of(entry), &self.services.schedule)
        else {
            return Ok(());
        };
        let later = || schedule.release(&due.id, unix_now() + PAUSE);
        if cancel.is_cancelled() || schedule.is_closing() {
            later();
            return Err(Outcome::Cancelled);
        }
        let (own, id) = (schedule.clone(), due.id.clone());
        let begun = self.blocking(move |core| match core.closed() {
            Some(rejection) => Ok(Err(rejection)),
            None => own
                .begin(&id, unix_now())
                .map(Ok)
                .map_err(|error| PipelineError::Internal(error.to_string())),
        });
        match begun.await {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => {
                session.note(format!(
                    "an entry that {} scheduled was removed before its turn",
                    due.skill
                ));
                Err(Outcome::Answered)
            }
            Ok(Err(rejection)) => {
                later();
                let refused = Refused {
                    rejection,
                    record: None,
                };
                self.refuse(session, &signal.meta, &[refused]);
                Err(Outcome::Refused)
            }
            Err(error) => {
                later();
                session.note_with("an entry that is due could not begin, and waits", &error.to_string());
                self.outlet.send(
                    session.id(),
                    frames::turn_error(&signal.meta, error.code(), &error.to_string()),
                );
                Err(Outcome::Failed)
            }
        }
    }

    /// Notes that the turn of `due` has ended so. One that the daemon's own end has cancelled is told of at the next start:
    /// nobody else does.
    pub(super) async fn ends(self: &Arc<Core>, due: Option<Due>, outcome: Outcome) {
        let (Some(due), Some(schedule)) = (due, self.services.schedule.clone()) else {
            return;
        };
        if outcome == Outcome::Cancelled && schedule.is_closing() {
            return;
        }
        let ended = self.blocking(move |_| {
            let ended = schedule.ended(&due.id);
            ended.map_err(|error| PipelineError::Internal(error.to_string()))
        });
        if let Err(error) = ended.await {
            tracing::error!("that an entry of the schedule has fired can't be kept, and is told otherwise: {error}");
        }
    }

    /// Tells of each entry of the schedule that was firing when the daemon last ended, once. What can't be told is logged, and
    /// is told at the next start. Blocks.
    pub fn tell_interrupted(&self) {
        let Some(schedule) = &self.services.schedule else {
            return;
        };
        for due in schedule.firing() {
            if let Err(error) = self.tell_of_firing(schedule, &due) {
                tracing::error!(
                    skill = due.skill,
                    "that what it scheduled was broken off can't be told, and is at the next start: {error}"
                );
            }
        }
    }

    /// Tells it first and lets it go then: whatever a kill leaves of that is not told again.
    fn tell_of_firing(&self, schedule: &Schedule, due: &Due) -> Result<(), PipelineError> {
        let Due { id, skill, text, .. } = due;
        let text = format!(
            "What the skill {skill} had scheduled was due when the daemon ended, and nobody knows how far it came; this time it \
             is not done again (entry {id}): {text}"
        );
        let text = self.secrets.now().hide(text);
        tracing::warn!("{text}");
        let line = Line {
            speaker: Speaker::Tool,
            text: text.clone().into(),
            tainted: due.tainted,
        };
        self.sessions
            .tell_end(due.session, line, &format!("{id} {}", due.next))?;
        if !self.unheard.has(due.session, &text) {
            self.note_unheard_of(due.session, &text);
        }
        schedule
            .ended(id)
            .map_err(|error| PipelineError::Internal(error.to_string()))
    }
}
