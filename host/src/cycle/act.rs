//! Act: a cleared action is recorded, then carried out; what comes of it is the next signal.

use std::sync::{Arc, Mutex};

use tokio_util::sync::CancellationToken;

use super::came::{Ended, came};
use super::condition::{PipelineError, STOPPED};
use super::progress::while_it_runs;
use super::session::Session;
use super::tell::is_for_model;
use super::turn::Surroundings;
use super::{Core, Decision, Verdicts, lock};
use crate::actuator::{Deed, Route, is_note, route};
use crate::audit::Durability;
use crate::capability::{Effects, Failure, Output, Turn, process};
use crate::context::{Line, Speaker, cut, without_middle};
use crate::gate::{Cleared, Consent};
use crate::plist;
use crate::sexp::{Form, Text, kw};
use crate::signal::frames::{self, Reply, Upshot};
use crate::signal::{Action, Origin, Sensor, Signal};
use crate::skill::SkillSet;

/// What an action led to.
#[derive(Debug)]
pub(super) enum Acted {
    /// A person got a reply; there is nothing to reason over.
    Replied,
    /// The next signal, or none where the target is silent.
    Feedback(Option<Signal>),
}

/// How much of one result the model sees, in bytes.
const RESULT_BYTES: usize = 100_000;

impl Core {
    /// Carries out `cleared`.
    pub(super) async fn act(
        self: &Arc<Core>,
        around: Surroundings<'_>,
        signal: &Signal,
        verdicts: Verdicts,
        cleared: Cleared<Action>,
    ) -> Result<Acted, PipelineError> {
        let Surroundings { session, set, .. } = around;
        let label = cleared.get().label();
        match route(&cleared, set) {
            Route::Reply => {
                self.reply(session, signal, &verdicts, cleared.get()).await?;
                Ok(Acted::Replied)
            }
            Route::Log(text) => {
                let line = format!(
                    "{} left a note, in decision {}",
                    who(cleared.get().origin()),
                    verdicts.record
                );
                session.note_with(&line, &text);
                session.became(Upshot::Done);
                Ok(Acted::Feedback(None))
            }
            Route::Nowhere(reason) => {
                let line = format!("no actuator for what decision {} is about", verdicts.record);
                session.note_with(&line, &reason);
                session.became(Upshot::Failed);
                self.failed(verdicts.record, &reason).await?;
                self.tell_futile(session, signal, verdicts.record, &label, &reason);
                Ok(Acted::Feedback(Some(not_carried_out(signal, &label, reason))))
            }
            Route::Skill(deed) => {
                let doing = self.doing(cleared.get());
                self.outlet
                    .send(session.id(), frames::progress(&signal.meta, "ACT", &doing));
                let silent = self.is_silent(cleared.get(), set);
                let name = deed.name().to_owned();
                let acted = self.run_deed(around, signal, &verdicts, cleared, deed).await?;
                let (sensor, text, tainted) = acted;
                session.note(format!(
                    "{name}: {}",
                    if sensor == Sensor::ToolOutput { "done" } else { "failed" }
                ));
                let feedback = result_signal(signal, sensor, &label, text, tainted);
                Ok(Acted::Feedback((!silent).then_some(feedback)))
            }
        }
    }

    async fn reply(
        self: &Arc<Core>,
        session: &Session,
        signal: &Signal,
        verdicts: &Verdicts,
        action: &Action,
    ) -> Result<(), PipelineError> {
        let payload = action.payload();
        let text = |key: &str| {
            payload
                .get(key)
                .and_then(Form::as_text)
                .cloned()
                .unwrap_or_else(|| Text::from(""))
        };
        let said = text("TEXT");
        self.note_unheard(session.id(), &said).await;
        // Recorded before it is sent: what a person has seen is there after a crash.
        session.say(Line {
            speaker: Speaker::Assistant,
            text: said.clone(),
            tainted: signal.tainted,
        })?;
        let reply = Reply {
            text: said,
            explanation: text("EXPLANATION"),
            gate_trace: verdicts.steps.clone(),
            rule_count: self.plans().waiting(None).count(),
            foveal_id: self.memory().foveal_id(),
        };
        self.outlet.send(session.id(), frames::reply(&signal.meta, reply));
        Ok(())
    }

    async fn run_deed(
        self: &Arc<Core>,
        around: Surroundings<'_>,
        signal: &Signal,
        verdicts: &Verdicts,
        cleared: Cleared<Action>,
        deed: Deed,
    ) -> Result<(Sensor, Text, bool), PipelineError> {
        let Surroundings { session, set, cancel } = around;
        let turn =
            Turn::new(session.id(), cancel.clone(), self.services.clone()).begun_by(signal.beginning().sensor.name());
        // What the turn read before counts for what is kept and scheduled in this action.
        if signal.tainted {
            turn.read_outside();
        }
        let effects = Arc::new(TurnEffects {
            core: self.clone(),
            session: session.clone(),
            set: set.clone(),
            signal: signal.clone(),
            command: Mutex::default(),
            turn: turn.after_model_calls(session.model_calls()),
        });
        let is_approved = cleared.consent() != Consent::Nobody;
        let label = match cleared.consent() {
            // Nobody has just read it.
            Consent::Standing => format!("by a standing approval, {}", self.doing(cleared.get())),
            Consent::Person | Consent::Nobody => cleared.get().label(),
        };
        let is_told = is_for_model(cleared.get());
        let (core, meta, record) = (self.clone(), signal.meta.clone(), verdicts.record);
        let doing = cleared.get().label();
        let signal = signal.clone();
        let work = tokio::task::spawn_blocking(move || {
            let result = deed.run(&cleared, &signal, effects.clone());
            let (sensor, text) = match result {
                Ok(text) => (Sensor::ToolOutput, text),
                Err(reason) => (Sensor::ToolError, reason),
            };
            let came = came(&label, &sensor, &text, lock(&effects.command).as_ref(), is_approved);
            let failed = came.is_failed;
            let entry = plist!("KIND" => kw("OUTCOME"), "OF" => record, "RESULT" => kw(sensor.name()), "TEXT" => cut(&text, 2_000));
            // Whoever reads the record must see that it did not end by itself.
            let entry = if effects.turn.cancel().is_cancelled() {
                entry.with("STOPPED", true)
            } else {
                entry
            };
            // It has happened: where it can't be recorded now, it is as soon as it can be.
            let kept = core.keep_or_owe(entry, Durability::Written);
            let result = (
                sensor,
                Text::from(without_middle(&text, RESULT_BYTES)),
                effects.turn.has_read_outside(),
            );
            (came, kept.map(|()| result).map_err(|error| error.after_effect(failed)))
        });
        tokio::select! {
            biased;
            done = while_it_runs(&self.outlet, session.id(), &meta, &doing, work) => {
                let (came, result) = done.map_err(|error| PipelineError::Internal(error.to_string()))?;
                if came.is_failed && cancel.is_cancelled() {
                    return self.was_stopped(record, "the turn was stopped, and what it did was ended").await;
                }
                // Here, where it was waited for: what ends later is no part of the turn that runs by then.
                session.became(if came.is_failed { Upshot::Failed } else { Upshot::Done });
                // What nobody goes on with is told whole.
                if is_told {
                    self.outlet.send(session.id(), frames::carried_out(&meta, &came, record));
                }
                result
            }
            // The effect itself hears of it too and is ended, and so does the skill where it computes.
            () = stopped(cancel) => {
                self.was_stopped(record, "the turn was stopped, and what came of it was not waited for").await
            }
        }
    }
}

impl Core {
    /// Whether nothing comes back to a model of what is done by `action`.
    pub(super) fn is_silent(&self, action: &Action, set: &SkillSet) -> bool {
        let mut silent = self.config.cycle.silent_actuators.iter();
        silent.any(|target| target == action.target()) || is_note(action, set)
    }

    /// Notes that the action of decision `record` was not carried out, and why.
    pub(super) async fn failed(self: &Arc<Core>, record: u64, why: &str) -> Result<(), PipelineError> {
        let entry = plist!(
            "KIND" => kw("OUTCOME"), "OF" => record, "RESULT" => kw(Sensor::ToolError.name()), "TEXT" => why,
        );
        let kept = self.blocking(move |core| core.keep_or_owe(entry, Durability::Written));
        kept.await.map_err(|error| error.after_effect(true))
    }

    /// Notes that the action of decision `record` was stopped, which ends its turn.
    pub(super) async fn was_stopped<T>(
        self: &Arc<Core>,
        record: u64,
        text: &'static str,
    ) -> Result<T, PipelineError> {
        let entry = plist!(
            "KIND" => kw("OUTCOME"), "OF" => record, "RESULT" => kw("STOPPED"), "TEXT" => text, "STOPPED" => true,
        );
        self.blocking(move |core| core.keep_or_owe(entry, Durability::Written))
            .await
            .map_err(|error| error.after(STOPPED))?;
        Err(PipelineError::Cancelled)
    }
}

/// Done shortly after the turn was stopped, so that what was cut short can still be recorded.
async fn stopped(cancel: &CancellationToken) {
    cancel.cancelled().await;
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
}

/// Whose an action is, for a note.
fn who(origin: &Origin) -> String {
    match origin {
        Origin::Model => "the model".to_owned(),
        Origin::Person => "the person".to_owned(),
        Origin::Skill(name) => format!("the skill {name}"),
    }
}

/// The signal that says why nobody carries an action out.
pub(super) fn not_carried_out(signal: &Signal, label: &str, reason: String) -> Signal {
    result_signal(signal, Sensor::ToolError, label, reason.into(), false)
}

/// The signal by which a result goes back into the loop.
fn result_signal(signal: &Signal, sensor: Sensor, tool: &str, text: Text, tainted: bool) -> Signal {
    let key = if sensor == Sensor::ToolOutput {
        "RESULT"
    } else {
        "MESSAGE"
    };
    signal.feedback(sensor, plist!("TOOL" => tool, key => text), tainted)
}

/// What a skill that carries out an action may do, in this turn.
struct TurnEffects {
    core: Arc<Core>,
    session: Arc<Session>,
    set: Arc<SkillSet>,
    signal: Signal,
    /// How the last command that it ran ended.
    command: Mutex<Option<Ended>>,
    turn: Turn,
}

impl TurnEffects {
    /// Whether what no person was asked about may change files: if the operator said that it passes.
    fn writes_unasked(&self) -> process::Writes {
        let said = self.core.config.settings.get("dispatcher.writes");
        if said.is_some_and(|said| said == "pass") {
            process::Writes::Allowed
        } else {
            process::Writes::Refused
        }
    }
}

impl Effects for TurnEffects {
    fn run(&self, command: &str, consent: Consent) -> Result<Output, Failure> {
        let home = &self.core.config.home;
        let hidden = process::closed_places(home);
        let protected = self.core.config.protected();
        // Where the daemon may have its door.
        let first = self.core.config.wire.port;
        let ports: Vec<u16> = (first..=first.saturating_add(10)).collect();
        // It may take away what it was led by.
        let led = process::leads_out(command, &home.workspace);
        let output = process::run(&process::Command {
            line: command,
            workspace: &home.workspace,
            state: &home.state,
            view: match consent {
                Consent::Person => process::View::Machine,
                Consent::Standing => process::View::Remembered,
                Consent::Nobody => process::View::Commons {
                    home: home.user.as_deref(),
                    writes: self.writes_unasked(),
                },
            },
            hidden: &hidden,
            protected: &protected,
            closed_ports: &ports,
            config: &self.core.config.shell,
            cancel: self.turn.cancel(),
        });
        match output {
            Ok(output) => {
                *lock(&self.command) = Some(Ended {
                    exit_code: output.exit_code,
                    signal: output.signal,
                    timed_out: output.timed_out,
                });
                if output.network || !output.jailed || led || process::leads_out(command, &home.workspace) {
                    self.turn.read_outside();
                }
                Ok(Output {
                    exit_code: output.exit_code,
                    signal: output.signal,
                    stdout: output.printed(),
                    stderr: output.complaints(),
                    truncated: output.truncated,
                    timed_out: output.timed_out,
                    jailed: output.jailed,
                    milliseconds: output.milliseconds,
                })
            }
            Err(error @ process::ProcessError::Unavailable { .. }) => Err(Failure::Unavailable(error.to_string())),
            Err(error) => Err(Failure::Failed(error.to_string())),
        }
    }

    fn clear(&self, skill: &str, target: &str, payload: Form) -> Result<Cleared<Action>, Failure> {
        self.turn.check()?;
        // An action of its own, one deeper, which meets every gate.
        let mut signal = self.signal.clone();
        signal.depth += 1;
        // What the skill read meanwhile may be what makes it propose this.
        signal.tainted |= self.turn.has_read_outside();
        if signal.depth > self.core.config.cycle.max_depth {
            return Err(Failure::Rejected(format!(
                "it would be deeper than {}",
                self.core.config.cycle.max_depth
            )));
        }
        let action = Action::close(target, Origin::Skill(skill.to_owned()), payload);
        match self.core.decide(&self.session, &self.set, &signal, action, None) {
            Err(error) => Err(Failure::Failed(error.to_string())),
            Ok((Decision::Rejected(rejection), _)) => Err(Failure::Rejected(rejection.to_form().to_string())),
            Ok((Decision::Waiting(plan), _)) => {
                self.core.show_plan(&self.session, &signal.meta, &plan);
                Err(Failure::NeedsApproval(format!("the plan {} was made", plan.id)))
            }
            Ok((Decision::Futile { reason, .. }, _)) => Err(Failure::Failed(reason)),
            Ok((Decision::Cleared(cleared), _)) => Ok(cleared),
        }
    }

    fn turn(&self) -> &Turn {
        &self.turn
    }
}
