//! What a person does themselves: proposals that they type, and their answers to plans.
//!
//! It meets every gate, as a model's proposals do. What comes of a person's own action is shown to that person, and no
//! model has a part in it; nor is one asked about a skill that was woken. What comes of a model's goes back to the model.

use std::sync::Arc;

use super::broken_off::rejected_now;
use super::close::close;
use super::condition::{DENIED, PipelineError};
use super::kept::restored;
use super::perceive::said_by;
use super::reason::{Kept, closing};
use super::schedule::Woken;
use super::session::Session;
use super::tell::{denied, is_for_model};
use super::turn::Surroundings;
use super::{Core, Cycle, Refused};
use crate::actuator::is_reply;
use crate::context::{Line, Speaker};
use crate::gate::Approval;
use crate::gate::approval::Plan;
use crate::plist;
use crate::sexp::{Form, Text};
use crate::signal::frames::{self, Outcome};
use crate::signal::{Meta, Origin, Sensor, Signal};

impl Core {
    /// A proposal that a person typed: closed as the person's, judged once.
    pub(super) async fn person_proposes(
        self: &Arc<Core>,
        around: Surroundings<'_>,
        proposal: Form,
        signal: Signal,
    ) -> Result<Cycle, PipelineError> {
        let Surroundings { session, set, .. } = around;
        session.has_begun()?;
        let typed = proposal.to_string();
        let closed = close(proposal, &closing(set, Origin::Person, &signal.meta.source));
        let judged = match closed {
            Ok(action) => self.decide_and_act(around, &signal, action, None).await?,
            Err(rejection) => Err(self.met_no_gate(&signal, typed, rejection).await?),
        };
        match judged {
            Ok(Cycle::Feedback(result)) => self.show_result(session, &result).await,
            Ok(cycle) => Ok(cycle),
            Err(refused) => {
                self.refuse(session, &signal.meta, &[refused]);
                Ok(Cycle::End(Outcome::Refused))
            }
        }
    }

    /// What a person approved is judged again, by the gates of this moment, and carried out at most once.
    pub(super) async fn approved(
        self: &Arc<Core>,
        around: Surroundings<'_>,
        plan: Plan,
        approval: Approval,
        meta: &Meta,
    ) -> Result<Cycle, PipelineError> {
        let Surroundings { session, set, .. } = around;
        let signal = stored_signal(&plan, meta);
        let plan = self
            .blocking(move |core| {
                core.untold.begins(&plan.id);
                Ok(plan)
            })
            .await?;
        let decided = self.decided(around, &signal, plan.action.clone(), Some(approval)).await;
        let decided = match decided {
            Ok(decided) => decided,
            // Such as a full disk: nothing has begun.
            Err(error) => {
                let why = "it could not be decided on".to_owned();
                self.wait_again(session, plan, meta, why).await;
                return Err(error);
            }
        };
        // In the conversation before the plan is over, and as its end: a kill in between loses nothing, and tells nothing twice.
        session.tells(Some(plan.end()));
        let acted = self
            .come_of(around, &signal, plan.action.clone(), Kept::Before, decided)
            .await;
        session.keep_upshot();
        let line = line_of(&plan, &acted);
        let (cycle, is_told) = match acted {
            Ok(acted) => {
                let cycle = self.came(around, &plan, &signal, meta, acted).await;
                let is_told = cycle.is_ok();
                (cycle, is_told)
            }
            Err(error) => {
                let is_told = !error.is_unkept();
                (Err(error), is_told)
            }
        };
        let said = session.tells(None);
        // Where it stands in the conversation, that has to say what came of it, whatever that was.
        let stands = *plan.action.origin() == Origin::Model && !is_reply(&plan.action, set);
        let is_told = is_told && (said || !stands || cycle.is_ok());
        // What could not be told now is as soon as it can be: it has ended.
        self.blocking(move |core| {
            if !is_told {
                core.untold.came(&plan.id, line);
                core.not_told(&plan.id, &"what came of it could not be kept");
            } else if let Err(error) = core.plans().finish(&plan.id) {
                core.not_finished(&plan.id, &error);
            }
            Ok(())
        })
        .await?;
        cycle
    }

    /// Tells what came of what a person approved, to whom it belongs.
    async fn came(
        self: &Arc<Core>,
        around: Surroundings<'_>,
        plan: &Plan,
        signal: &Signal,
        meta: &Meta,
        acted: Result<Cycle, Refused>,
    ) -> Result<Cycle, PipelineError> {
        let Surroundings { session, .. } = around;
        let own = *plan.action.origin() == Origin::Person;
        let woken = Woken::by(&plan.action, signal);
        match acted {
            Ok(Cycle::Feedback(result)) if own => self.show_result(session, &result).await,
            Ok(Cycle::Feedback(result)) => match woken {
                Some(woken) => self.awoken(around, signal, result, woken).await,
                None => self.goes_on(session, result),
            },
            Ok(cycle) => Ok(cycle),
            Err(refused) => {
                if let Some(woken) = woken {
                    self.refuse_unasked(session, signal, &woken.why, refused).await;
                    return Ok(Cycle::End(Outcome::Refused));
                }
                self.refuse(session, meta, std::slice::from_ref(&refused));
                if own {
                    return Ok(Cycle::End(Outcome::Refused));
                }
                let text = rejected_now(&refused.rejection.to_form());
                self.goes_on(session, rejected(signal, text))
            }
        }
    }

    /// A denial goes back to the model as a rejection, if it was the model's wish.
    pub(super) async fn denied(
        self: &Arc<Core>,
        session: &Session,
        plan: Plan,
        meta: &Meta,
    ) -> Result<Cycle, PipelineError> {
        session.note(format!("plan {} was denied", plan.id));
        let signal = stored_signal(&plan, meta);
        let cycle = if is_for_model(&plan.action) {
            session.tells(Some(plan.end()));
            let cycle = self.goes_on(session, rejected(&signal, denied(&plan)));
            session.tells(None);
            match cycle.map_err(|error| error.after(DENIED)) {
                Ok(cycle) => cycle,
                // It is denied all the same, and its model hears of it as soon as that can be kept.
                Err(error @ PipelineError::After { .. }) => {
                    self.not_told(&plan.id, &error);
                    let text = format!("{error}. That is tried again with each heartbeat");
                    self.show(session, &signal.meta, text.into());
                    return Ok(Cycle::End(Outcome::Answered));
                }
                Err(error) => return Err(error),
            }
        } else {
            self.show(session, &signal.meta, "It was denied, and not carried out.".into());
            Cycle::End(Outcome::Answered)
        };
        self.blocking(move |core| {
            let told = core.plans().told(&plan.id);
            if let Err(error) = told {
                core.untold.stands(&plan.end());
                core.not_told(&plan.id, &error);
            }
            Ok(())
        })
        .await?;
        Ok(cycle)
    }

    /// Goes on with `result`, which is in the conversation already now; the next cycle does not say it again.
    fn goes_on(&self, session: &Session, result: Signal) -> Result<Cycle, PipelineError> {
        self.hear(session, result.clone())?;
        session.try_again();
        Ok(Cycle::Feedback(result))
    }

    /// The end of a turn in which a person acted: they see the result itself.
    async fn show_result(self: &Arc<Core>, session: &Session, result: &Signal) -> Result<Cycle, PipelineError> {
        let text = result.payload.get("RESULT").or_else(|| result.payload.get("MESSAGE"));
        let text = text.and_then(Form::as_text).cloned().unwrap_or_else(|| "".into());
        let said = session.say(Line {
            speaker: Speaker::Tool,
            text: text.clone(),
            tainted: result.tainted,
        });
        said.map_err(|error| PipelineError::unkept(result, session.has_failed(), error))?;
        self.note_unheard(session.id(), &text).await;
        self.show(session, &result.meta, text);
        let failed = result.sensor == Sensor::ToolError;
        Ok(Cycle::End(if failed { Outcome::Failed } else { Outcome::Answered }))
    }

    fn show(&self, session: &Session, meta: &Meta, text: Text) {
        let reply = frames::Reply {
            text,
            explanation: "What came of what you asked for.".into(),
            gate_trace: Vec::new(),
            rule_count: self.plans().waiting(None).count(),
            foveal_id: self.memory().foveal_id(),
        };
        self.outlet.send(session.id(), frames::reply(meta, reply));
    }
}

/// The line that tells what came of an approved plan where the record does not.
fn line_of(plan: &Plan, acted: &Result<Result<Cycle, Refused>, PipelineError>) -> String {
    let label = plan.action.label();
    match acted {
        Ok(Ok(Cycle::Feedback(result))) => said_by(result).1.to_string(),
        Err(PipelineError::Store(_)) => {
            format!("{label}: a person approved it, and it was not carried out, because it could not be recorded")
        }
        _ => format!("{label}: the host could not go on with it; what of it was done by then is not known"),
    }
}

/// The signal by which a model hears that its action was refused after all. It names no tool: none was called.
fn rejected(signal: &Signal, text: String) -> Signal {
    signal.feedback(Sensor::ToolError, plist!("MESSAGE" => text), false)
}

/// The signal that a plan's action was proposed in, as far as the plan keeps it, addressed to whoever answered.
fn stored_signal(plan: &Plan, meta: &Meta) -> Signal {
    let source = plan.signal.at("source").and_then(Form::keyword);
    let meta = Meta {
        source: source.unwrap_or(&meta.source).to_owned(),
        session: plan.session,
        request_id: meta.request_id.clone(),
    };
    restored(&plan.signal, meta)
}
