//! Reason: a model proposes, gates judge, and what they refuse goes back to the model, up to three times.

use std::sync::Arc;

use super::act::{Acted, not_carried_out};
use super::answer::{Reading, read_answer, written};
use super::close::{Closing, PROSE_EXPLANATION, close, message};
use super::condition::{GateError, PipelineError};
use super::parameters::ToolParameter;
use super::perceive::Perceived;
use super::session::Session;
use super::turn::Surroundings;
use super::unsaid::Unsaid;
use super::{Core, Cycle, Decision, Refused, Verdicts};
use crate::actuator::is_reply;
use crate::audit::Durability;
use crate::context::{Line, Speaker, cut};
use crate::gate::chain::host_rejection;
use crate::gate::{Approval, Rejection};
use crate::model::Answer;
use crate::plist;
use crate::sexp::{Form, Text, kw};
use crate::signal::frames::{self, Outcome, Upshot};
use crate::signal::{Action, Origin, Signal};
use crate::skill::{Parameter, SkillSet};

/// How much of its own refused answer a model sees again, in bytes: enough to mend it.
const REFUSED_BYTES: usize = 8_000;

/// What a model hears that called several tools at once: each result may change what is right to do next.
const ONE_AT_A_TIME: &str = "[the host took the first of these calls only; propose the others one by one]";

/// What could not be made an action.
pub(super) struct Unclosed {
    pub(super) rejection: Rejection,
    /// Whether it was meant for a person to read.
    pub(super) reply: bool,
}

/// Since when a model's proposal is in the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// Since it was decided on.
    Now,
    /// Since it was made a plan.
    Before,
}

impl Core {
    /// Asks the model until gates let something through, and acts on it.
    pub(super) async fn reason(
        self: &Arc<Core>,
        around: Surroundings<'_>,
        perceived: Perceived,
    ) -> Result<Cycle, PipelineError> {
        let Surroundings { session, set, cancel } = around;
        let signal = perceived.signal();
        let mut refusals: Vec<Refused> = Vec::new();
        let mut refused_answer: Option<String> = None;
        for _ in 0..self.config.cycle.proposals {
            // Nothing can pass, whatever is proposed: no model is asked, and paid, in vain.
            if let Some(rejection) = self.closed() {
                let record = None;
                refusals.push(Refused { rejection, record });
                break;
            }
            // Nor can anything be decided before that is recorded.
            self.pay_owed().await?;
            let request = self.request(session, set, &perceived, &refusals, refused_answer.take());
            self.outlet.send(
                session.id(),
                frames::progress(&signal.meta, "REASON", "asking the model"),
            );
            let answer = tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(PipelineError::Cancelled),
                answer = self.cascade.ask(&request) => answer?,
            };
            let several = answer.calls.len() > 1;
            let proposed = match self.proposed(set, signal, &answer) {
                Ok(action) => {
                    let agreed = self.agreed(around, signal, &request, &answer, &action).await?;
                    agreed.map(|()| action)
                }
                Err(unclosed) => Err(unclosed),
            };
            let refused = match proposed {
                Ok(action) => match self.decide_and_act(around, signal, action, None).await? {
                    Ok(cycle) => {
                        if several {
                            // What came of the first is kept by itself, or says that it can't be.
                            self.remark(session, ONE_AT_A_TIME.into());
                        }
                        return Ok(cycle);
                    }
                    Err(refused) => refused,
                },
                Err(Unclosed { rejection, reply }) => {
                    session.note(format!("a proposal reached no gate ({})", rejection.rule));
                    if !reply {
                        session.became(Upshot::Refused);
                    }
                    self.met_no_gate(signal, written(&answer), rejection).await?
                }
            };
            let Rejection { gate, rule, reason, .. } = &refused.rejection;
            let detail = format!("{gate} rejected it ({rule}): {reason}");
            self.outlet
                .send(session.id(), frames::rejected(&signal.meta, &detail, refused.record));
            refusals.push(refused);
            refused_answer = Some(cut(&written(&answer), REFUSED_BYTES));
        }
        // A refusal is told to the user; it is never an action.
        Err(GateError { refusals }.into())
    }

    /// Records a proposal that met no gate: the host refused it before.
    pub(super) async fn met_no_gate(
        self: &Arc<Core>,
        signal: &Signal,
        proposal: String,
        rejection: Rejection,
    ) -> Result<Refused, PipelineError> {
        let entry = plist!(
            "KIND" => kw("DECISION"), "OUTCOME" => kw("REFUSED"), "PROPOSAL" => proposal,
            "SIGNAL" => signal.to_form(), "REJECTION" => rejection.to_form(),
        );
        let record = self
            .blocking(move |core| Ok(core.keep(entry, Durability::Written)?))
            .await?;
        Ok(Refused {
            rejection,
            record: Some(record),
        })
    }

    /// Decides on `action` and, if it is cleared, carries it out; the inner error is a rejection.
    pub(super) async fn decide_and_act(
        self: &Arc<Core>,
        around: Surroundings<'_>,
        signal: &Signal,
        action: Action,
        approval: Option<Approval>,
    ) -> Result<Result<Cycle, Refused>, PipelineError> {
        let (proposed, kept) = (action.clone(), approval.as_ref().map_or(Kept::Now, |_| Kept::Before));
        let decided = self.decided(around, signal, action, approval).await?;
        self.come_of(around, signal, proposed, kept, decided).await
    }

    /// Decides on `action`. Where this fails nothing was decided, so that nothing has begun.
    pub(super) async fn decided(
        self: &Arc<Core>,
        around: Surroundings<'_>,
        signal: &Signal,
        action: Action,
        approval: Option<Approval>,
    ) -> Result<(Decision, Verdicts), PipelineError> {
        let (session, set, signal) = (around.session.clone(), around.set.clone(), signal.clone());
        self.blocking(move |core| {
            // What a person approved is decided as it was shown to them.
            let action = if approval.is_none() {
                core.with_base(&session, &set, action)
            } else {
                action
            };
            core.decide(&session, &set, &signal, action, approval.as_ref())
        })
        .await
    }

    /// What comes of a decision on what was `proposed`; the inner error is a rejection.
    pub(super) async fn come_of(
        self: &Arc<Core>,
        around: Surroundings<'_>,
        signal: &Signal,
        proposed: Action,
        kept: Kept,
        (decision, verdicts): (Decision, Verdicts),
    ) -> Result<Result<Cycle, Refused>, PipelineError> {
        let Surroundings { session, set, cancel } = around;
        let label = proposed.label();
        let reply = is_reply(&proposed, set);
        // What a model proposed is in the conversation, since now or since it was made a plan; a reply is there as what it says.
        let stands = *proposed.origin() == Origin::Model && !reply;
        // What a person approved was kept when it was proposed, and a person's own action is none of the model's.
        let own = kept == Kept::Now && *proposed.origin() == Origin::Model;
        // From here on the decision is on disk; the verdicts hold for this cycle, whose skills stay the same.
        match (&decision, own) {
            (Decision::Cleared(cleared), true) => {
                if let Err(error) = self.keep_proposed(session, set, signal, cleared.get(), Some(verdicts.record)) {
                    // Nobody is to wonder how far it came.
                    let why = "it was not begun, because it could not be kept";
                    if let Err(unkept) = self.failed(verdicts.record, why).await {
                        tracing::error!(decision = verdicts.record, "{unkept}");
                    }
                    return Err(error);
                }
            }
            (Decision::Waiting(plan), true) => self.keep_proposed(session, set, signal, &plan.action, None)?,
            // Else why it failed would follow nothing, and the model would see no attempt of its own.
            (Decision::Futile { action, .. }, true) => {
                self.keep_proposed(session, set, signal, action, Some(verdicts.record))?;
            }
            (Decision::Rejected(_), true)
            | (
                Decision::Cleared(_) | Decision::Waiting(_) | Decision::Futile { .. } | Decision::Rejected(_),
                false,
            ) => {}
        }
        match decision {
            Decision::Rejected(rejection) => {
                // A reply that was refused and then said otherwise is an answer like any other.
                if !reply {
                    session.became(Upshot::Refused);
                }
                Ok(Err(Refused {
                    rejection,
                    record: Some(verdicts.record),
                }))
            }
            Decision::Futile { reason, .. } => {
                session.became(Upshot::Failed);
                session.repeats().begin(&proposed);
                session.note_with(
                    &format!("what decision {} is about could not be carried out", verdicts.record),
                    &reason,
                );
                self.tell_futile(session, signal, verdicts.record, &label, &reason);
                Ok(Ok(Cycle::Feedback(not_carried_out(signal, &label, reason))))
            }
            Decision::Waiting(plan) => {
                let (session, meta) = (session.clone(), signal.meta.clone());
                self.blocking(move |core| {
                    core.show_plan(&session, &meta, &plan);
                    Ok(())
                })
                .await?;
                Ok(Ok(Cycle::End(Outcome::Waiting)))
            }
            Decision::Cleared(cleared) => {
                session.repeats().begin(cleared.get());
                let record = verdicts.record;
                let is_late = cancel.is_cancelled();
                let acted = if is_late {
                    let text = "the turn was stopped before it began, and it was not carried out";
                    self.was_stopped(record, text).await
                } else {
                    self.act(around, signal, verdicts, cleared).await
                };
                // Of a plan what came of it is told as soon as it is recorded.
                let follows = |error: &PipelineError| kept == Kept::Before && error.is_unkept();
                // It stands in the conversation, where no result will follow.
                if stands
                    && let Err(error) = &acted
                    && !follows(error)
                {
                    let stopper = session.stopper().name();
                    let why = match error {
                        PipelineError::Cancelled if is_late => {
                            format!("{stopper} stopped it before it began, and it was not carried out")
                        }
                        PipelineError::Cancelled => {
                            format!("{stopper} stopped it; what of it was done by then is not known")
                        }
                        PipelineError::After { so, .. } => (*so).to_owned(),
                        other => format!(
                            "the host could not go on with it ({}); what of it was done by then is not known",
                            other.code()
                        ),
                    };
                    self.add(session, format!("{label}: {why}").into());
                }
                match acted? {
                    Acted::Replied | Acted::Feedback(None) => Ok(Ok(Cycle::End(Outcome::Answered))),
                    Acted::Feedback(Some(signal)) => Ok(Ok(Cycle::Feedback(signal))),
                }
            }
        }
    }

    /// Adds the host's own word on what has come of something. Where it can't be kept, that came of it all the same.
    fn add(&self, session: &Session, text: Text) {
        let line = Line {
            speaker: Speaker::Tool,
            text,
            tainted: false,
        };
        if let Err(error) = session.say(line) {
            session.note(format!(
                "what came of it could not be kept in the conversation: {error}"
            ));
        }
    }

    /// Adds a word of the host's to a conversation, beside what comes of things.
    fn remark(&self, session: &Session, text: Text) {
        let line = Line {
            speaker: Speaker::Tool,
            text,
            tainted: false,
        };
        if let Err(error) = session.remark(line) {
            session.note(format!("a word of the host's could not be kept: {error}"));
        }
    }

    /// Keeps what the model proposed in the conversation, before anything comes of it by this `decision` if it was cleared; a
    /// reply is kept as what it says.
    /// What gates refused is not kept: it may hold what must not be read again.
    fn keep_proposed(
        &self,
        session: &Session,
        set: &SkillSet,
        signal: &Signal,
        action: &Action,
        decision: Option<u64>,
    ) -> Result<(), PipelineError> {
        if is_reply(action, set) {
            return Ok(());
        }
        // As the model would write it: the origin is the host's to set.
        let line = Line {
            speaker: Speaker::Assistant,
            text: action.form().clone().without("ORIGIN").to_string().into(),
            tainted: signal.tainted,
        };
        match decision.filter(|_| !self.is_silent(action, set)) {
            Some(decision) => session.propose(line, decision, Unsaid::of(&action.label())?)?,
            None => session.say(line)?,
        }
        Ok(())
    }

    /// The action that the model's answer proposes.
    pub(super) fn proposed(&self, set: &SkillSet, signal: &Signal, answer: &Answer) -> Result<Action, Unclosed> {
        let closing = closing(set, Origin::Model, &signal.meta.source);
        match read_answer(answer) {
            Reading::Proposal(form) => {
                let reply = form.at("payload.action").is_some_and(|verb| verb.is_kw("MESSAGE"));
                close(form, &closing).map_err(|rejection| Unclosed { rejection, reply })
            }
            Reading::Prose(text) => Ok(message(&closing, &text, PROSE_EXPLANATION)),
            Reading::Unreadable(why) => {
                let mut rejection =
                    host_rejection("unreadable-proposal", format!("the proposal can't be read: {why}"));
                rejection.repair = if answer.calls.is_empty() {
                    "write one plain plist, each parenthesis closed, without reader macros".to_owned()
                } else {
                    "write the arguments as one JSON object, each key once".to_owned()
                };
                // Most of what a model writes is an answer; a call is none.
                Err(Unclosed {
                    rejection,
                    reply: answer.calls.is_empty(),
                })
            }
        }
    }
}

/// What closing needs to know of this moment.
pub(super) fn closing<'a>(set: &'a SkillSet, origin: Origin, reply: &'a str) -> Closing<'a> {
    Closing {
        origin,
        reply,
        tool: Box::new(|name| tool_parameters(set, name)),
    }
}

/// Closes what a model proposes in a turn that answers `reply`, as the loop does.
///
/// # Errors
/// As closing it does.
pub fn close_proposal(set: &SkillSet, proposal: Form, reply: &str) -> Result<Action, Rejection> {
    close(proposal, &closing(set, Origin::Model, reply))
}

fn tool_parameters(set: &SkillSet, name: &str) -> Result<Vec<ToolParameter>, (String, String)> {
    let (_, tool) = set.tool(name).ok_or_else(|| set.why_no_tool(name))?;
    let parameter = |own: &Parameter| ToolParameter {
        name: own.name.clone(),
        kind: own.kind.clone(),
        required: own.required,
    };
    Ok(tool.parameters.iter().map(parameter).collect())
}
