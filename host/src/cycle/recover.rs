//! What happens when a cycle failed: skills that may recover are asked for a restart, and where none knows one the user is
//! told, as a loop error of its own where that makes no circle.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::condition::PipelineError;
use super::schedule::Woken;
use super::session::Session;
use super::turn::{Entry, Surroundings};
use super::{Core, Cycle};
use crate::plist;
use crate::sexp::{is_blank, kw, read};
use crate::signal::frames::{self, Outcome};
use crate::signal::{Meta, Sensor, Signal};

/// How often one signal may be tried again.
const RETRIES: u32 = 2;

/// What a skill would do about a cycle that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Restart {
    SkipSignal,
    UseFallback(String),
    Retry,
    AbortPipeline,
}

impl Restart {
    /// The restart that `(:RESTART …)` names.
    fn read(text: &str) -> Option<Restart> {
        let form = read(text).ok()?;
        match form.get("RESTART")?.designator()?.to_uppercase().as_str() {
            "SKIP-SIGNAL" => Some(Restart::SkipSignal),
            // An answer that nobody can read is none.
            "USE-FALLBACK" => {
                let text = form.text_at("text").filter(|text| !is_blank(text))?;
                Some(Restart::UseFallback(text.to_owned()))
            }
            "RETRY" => Some(Restart::Retry),
            "ABORT-PIPELINE" => Some(Restart::AbortPipeline),
            _ => None,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Restart::SkipSignal => "skip-signal",
            Restart::UseFallback(_) => "use-fallback",
            Restart::Retry => "retry",
            Restart::AbortPipeline => "abort-pipeline",
        }
    }
}

/// The cycle that failed.
pub(super) struct Failed {
    /// The signal it began with; none where a person's answer to a plan began it.
    pub(super) signal: Option<Signal>,
    /// Whether the signal may begin it again: nothing had been carried out yet, and no proposal came beside the signal.
    pub(super) repeatable: bool,
    /// How often the signal was tried again already.
    pub(super) retries: u32,
}

impl Failed {
    /// `error`, as it is of a cycle that went on from what had been done.
    pub(super) fn says(&self, error: PipelineError) -> PipelineError {
        let signal = self.signal.as_ref();
        if signal.is_some_and(|signal| matches!(signal.sensor, Sensor::ToolOutput | Sensor::ToolError)) {
            error.of_next_step()
        } else {
            error
        }
    }
}

/// How a turn goes on after a failure.
pub(super) enum After {
    /// By trying the signal again.
    Retry(Signal),
    /// With another cycle.
    Next(Entry),
    /// Not at all.
    End(Outcome),
}

impl Core {
    /// How the turn goes on after `error`.
    pub(super) async fn recover(
        self: &Arc<Core>,
        session: &Arc<Session>,
        meta: &Meta,
        failed: Failed,
        error: &PipelineError,
        cancel: &CancellationToken,
    ) -> After {
        // What a loop error led to is told, and nobody is asked about it: that would make a circle.
        let signal = match failed.signal {
            Some(signal) if signal.sensor != Sensor::LoopError => signal,
            signal => return self.told(session, meta, signal, error),
        };
        let may_repeat = failed.repeatable && failed.retries < RETRIES;
        let Some((skill, restart)) = self.restart(&signal, error, may_repeat).await else {
            return self.told(session, meta, Some(signal), error);
        };
        let chosen = format!("{skill} chose {} after a failure ({})", restart.name(), error.code());
        session.note_with(&chosen, &error.to_string());
        match restart {
            Restart::Retry => {
                let detail = format!("{skill} has it tried again: {error}");
                self.outlet
                    .send(session.id(), frames::progress(&signal.meta, "RECOVER", &detail));
                After::Retry(signal)
            }
            Restart::SkipSignal => {
                let text = format!("{skill} left out what could not be done: {error}");
                self.outlet
                    .send(session.id(), frames::turn_error(meta, "skipped", &text));
                After::End(error.outcome())
            }
            Restart::AbortPipeline => {
                self.tell_error(session, meta, error);
                After::End(error.outcome())
            }
            Restart::UseFallback(text) => {
                let woken = Woken {
                    skill: &skill,
                    why: format!("The skill {skill} answers, because the turn failed."),
                };
                let set = &self.registry.current();
                let around = Surroundings { session, set, cancel };
                match self.tell(around, woken, &signal, &text).await {
                    Ok(Cycle::End(outcome)) => After::End(outcome),
                    Ok(Cycle::Feedback(signal)) => After::Next(Entry::Signal(signal)),
                    Err(_) => self.told(session, meta, Some(signal), error),
                }
            }
        }
    }

    /// What the first skill by priority that knows something chooses, and its name. Trying again is nothing where it can't be.
    async fn restart(
        self: &Arc<Core>,
        signal: &Signal,
        error: &PipelineError,
        may_repeat: bool,
    ) -> Option<(String, Restart)> {
        let set = self.registry.current();
        let text = self.secrets.now().hide(error.to_string());
        let error = Arc::new(plist!("CODE" => kw(error.condition()), "TEXT" => text, "DEPTH" => signal.depth));
        let signal = Arc::new(signal.to_form());
        let read = move |text: &str| Restart::read(text).filter(|restart| may_repeat || *restart != Restart::Retry);
        self.blocking(move |_| Ok(set.recover(&error, &signal, read)))
            .await
            .unwrap_or_else(|error| {
                tracing::error!("no skill could be asked to recover: {error}");
                None
            })
    }

    /// The failure as the user is told of it.
    fn told(&self, session: &Session, meta: &Meta, signal: Option<Signal>, error: &PipelineError) -> After {
        match signal {
            // A refusal is told as what it is, with each rule.
            Some(signal)
                if signal.sensor.reports_failure()
                    && signal.depth <= 2
                    && !matches!(error, PipelineError::Gate(_)) =>
            {
                session.note_with(&format!("a cycle failed ({})", error.code()), &error.to_string());
                let payload = plist!(
                    "CODE" => kw(&error.code().to_uppercase()), "MESSAGE" => error.to_string(), "DEPTH" => signal.depth,
                );
                After::Next(Entry::Signal(signal.feedback(Sensor::LoopError, payload, false)))
            }
            _ => {
                self.tell_error(session, meta, error);
                After::End(error.outcome())
            }
        }
    }

    fn tell_error(&self, session: &Session, meta: &Meta, error: &PipelineError) {
        if let PipelineError::Gate(error) = error {
            return self.refuse(session, meta, &error.refusals);
        }
        session.note_with(&format!("a cycle failed ({})", error.code()), &error.to_string());
        self.outlet
            .send(session.id(), frames::turn_error(meta, error.code(), &error.to_string()));
    }
}

/// What was said of an error, by its code.
pub(super) fn outcome_of(code: &str) -> Outcome {
    if code.eq_ignore_ascii_case(super::condition::EXHAUSTED) {
        Outcome::Exhausted
    } else {
        Outcome::Failed
    }
}

impl PipelineError {
    /// How a turn ends that this ended.
    fn outcome(&self) -> Outcome {
        match self {
            PipelineError::Gate(_) => Outcome::Refused,
            PipelineError::Cancelled => Outcome::Cancelled,
            other => outcome_of(other.code()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restart_is_read_as_skills_write_it_and_nothing_else_is_one() {
        let fallback = Restart::UseFallback("Try later.".to_owned());
        for (text, restart) in [
            ("(:RESTART :SKIP-SIGNAL)", Some(Restart::SkipSignal)),
            ("(:restart :retry)", Some(Restart::Retry)),
            ("(:RESTART :ABORT-PIPELINE)", Some(Restart::AbortPipeline)),
            ("(:RESTART :USE-FALLBACK :TEXT \"Try later.\")", Some(fallback)),
            ("(:RESTART :USE-FALLBACK)", None),
            ("(:RESTART :USE-FALLBACK :TEXT \" \u{200b}\n\")", None),
            ("(:RESTART :DANCE)", None),
            ("retry", None),
            ("", None),
            ("#.(retry)", None),
        ] {
            assert_eq!(Restart::read(text), restart, "{text}");
        }
    }
}
