//! Reason: a model proposes, gates judge, and what they refuse goes back to the model, up to three times.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::act::Acted;
use super::act::{cut, not_carried_out};
use super::answer::{Reading, read_answer};
use super::close::{Closing, PROSE_EXPLANATION, ToolParameter, close, message};
use super::condition::PipelineError;
use super::perceive::Perceived;
use super::session::Session;
use super::{Core, Cycle, Decision, Refused, Verdicts};
use crate::actuator::is_reply;
use crate::context::{Line, Parts, Speaker, ToolText, system_prompt};
use crate::gate::chain::host_rejection;
use crate::gate::{Approval, Rejection};
use crate::model::{
    self, Answer, Asker, Message, ModelRequest, Payer, Role, Route, SKILL_PROMPT_MARK, ToolSchema, Watch,
};
use crate::sexp::Form;
use crate::signal::frames::{self, Outcome, Upshot};
use crate::signal::{Action, Origin, Signal};
use crate::skill::{Parameter, SkillSet, ToolDeclaration};

/// How much of its own refused answer a model sees again, in bytes: enough to mend it.
const REFUSED_BYTES: usize = 8_000;

/// What could not be made an action.
struct Unclosed {
    rejection: Rejection,
    /// Whether it was meant for a person to read.
    reply: bool,
}

impl Core {
    /// Asks the model until gates let something through, and acts on it.
    pub(super) async fn reason(
        self: &Arc<Core>,
        session: &Arc<Session>,
        set: &Arc<SkillSet>,
        perceived: Perceived,
        cancel: &CancellationToken,
    ) -> Result<Cycle, PipelineError> {
        let signal = perceived.signal();
        let mut refusals: Vec<Refused> = Vec::new();
        let mut refused_answer: Option<String> = None;
        for _ in 0..self.config.cycle.proposals {
            let request = self
                .request(session, set, signal, &refusals, refused_answer.take())
                .await?;
            self.outlet.send(
                session.id(),
                frames::progress(&signal.meta, "REASON", "asking the model"),
            );
            let answer = tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(PipelineError::Cancelled),
                answer = self.cascade.ask(&request) => answer?,
            };
            let refused = match self.proposed(set, signal, &answer) {
                Ok(action) => match self.decide_and_act(session, set, signal, action, None, cancel).await? {
                    Ok(cycle) => return Ok(cycle),
                    Err(refused) => refused,
                },
                Err(Unclosed { rejection, reply }) => {
                    session.note(format!("a proposal could not be read ({})", rejection.rule));
                    if !reply {
                        session.became(Upshot::Refused);
                    }
                    Refused {
                        rejection,
                        record: None,
                    }
                }
            };
            let Rejection { gate, rule, reason, .. } = &refused.rejection;
            let detail = format!("{gate} rejected it ({rule}): {reason}");
            self.outlet
                .send(session.id(), frames::rejected(&signal.meta, &detail, refused.record));
            refusals.push(refused);
            refused_answer = Some(cut(&answer.text, REFUSED_BYTES));
        }
        // The refusal is told to the user; it is never an action.
        self.refuse(session, &signal.meta, &refusals);
        Ok(Cycle::End(Outcome::Refused))
    }

    /// Decides on `action` and, if it is cleared, carries it out; the inner error is a rejection.
    pub(super) async fn decide_and_act(
        self: &Arc<Core>,
        session: &Arc<Session>,
        set: &Arc<SkillSet>,
        signal: &Signal,
        action: Action,
        approval: Option<Approval>,
        cancel: &CancellationToken,
    ) -> Result<Result<Cycle, Refused>, PipelineError> {
        let label = action.label();
        let reply = is_reply(&action, set);
        let (decision, verdicts): (Decision, Verdicts) = {
            let (session, set, signal) = (session.clone(), set.clone(), signal.clone());
            self.blocking(move |core| {
                // What a person approved is decided as it was shown to them.
                let action = if approval.is_none() {
                    core.with_base(&session, &set, action)
                } else {
                    action
                };
                core.decide(&session, &set, &signal, action, approval.as_ref())
            })
            .await?
        };
        // From here on the decision is on disk; the verdicts hold for this cycle, whose skills stay the same.
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
            Decision::Nowhere(reason) => {
                session.became(Upshot::Failed);
                session.note(format!("no actuator for {label}: {reason}"));
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
                if cancel.is_cancelled() {
                    let text = "the turn was stopped before it began, and it was not carried out";
                    return self.was_stopped(verdicts.record, text).await;
                }
                match self.act(session, set, signal, verdicts, cleared, cancel).await? {
                    Acted::Replied | Acted::Feedback(None) => Ok(Ok(Cycle::End(Outcome::Answered))),
                    Acted::Feedback(Some(signal)) => Ok(Ok(Cycle::Feedback(signal))),
                }
            }
        }
    }

    /// The action that the model's answer proposes.
    fn proposed(&self, set: &SkillSet, signal: &Signal, answer: &Answer) -> Result<Action, Unclosed> {
        let closing = closing(set, Origin::Model, &signal.meta.source);
        match read_answer(&answer.text) {
            Reading::Proposal(form) => {
                let reply = form.at("payload.action").is_some_and(|verb| verb.is_kw("MESSAGE"));
                close(form, &closing).map_err(|rejection| Unclosed { rejection, reply })
            }
            Reading::Prose(text) => Ok(message(&closing, &text, PROSE_EXPLANATION)),
            Reading::Unreadable(why) => {
                let mut rejection =
                    host_rejection("unreadable-proposal", format!("the proposal can't be read: {why}"));
                rejection.repair = "write one plain plist, without reader macros".to_owned();
                // Most of what a model writes is an answer.
                Err(Unclosed { rejection, reply: true })
            }
        }
    }

    async fn request(
        self: &Arc<Core>,
        session: &Arc<Session>,
        set: &Arc<SkillSet>,
        signal: &Signal,
        refusals: &[Refused],
        refused_answer: Option<String>,
    ) -> Result<ModelRequest, PipelineError> {
        let asked = {
            let (set, signal) = (set.clone(), signal.clone());
            self.blocking(move |_| Ok((set.mandates(&signal), set.prompt_for(&signal))))
                .await?
        };
        let (mandates, prompt) = asked;
        let tools: Vec<ToolText> = set
            .tools()
            .map(|tool| ToolText {
                name: tool.name.clone(),
                description: tool.description.clone(),
                parameters: tool
                    .parameters
                    .iter()
                    .map(|parameter| {
                        (
                            parameter.name.clone(),
                            parameter.description.clone(),
                            parameter.required,
                        )
                    })
                    .collect(),
            })
            .collect();
        let memory = self.memory().outline();
        let rejections: Vec<Rejection> = refusals.iter().map(|refused| refused.rejection.clone()).collect();
        let system = system_prompt(&Parts {
            assistant: &self.config.cycle.assistant,
            rejections: &rejections,
            tools: &tools,
            memory: &memory,
            log: &session.notes(),
            mandates: &mandates,
        });
        let (lines, left_out) = session.recent(self.config.cycle.history_bytes);
        let mut messages: Vec<Message> = lines.into_iter().map(to_message).collect();
        if left_out > 0
            && let Some(first) = messages.first_mut()
        {
            first.text = format!("[{left_out} earlier messages are left out]\n{}", first.text);
        }
        let asked_by = prompt.as_ref().map(|(skill, _)| skill.clone());
        if let (Some((skill, text)), Some(last)) = (prompt, messages.last_mut()) {
            last.text = format!("{}{SKILL_PROMPT_MARK}{skill}]\n{text}", last.text);
        }
        if let Some(text) = refused_answer {
            messages.push(Message {
                role: Role::Assistant,
                text,
            });
            let feedback: Vec<String> = rejections
                .iter()
                .map(|rejection| rejection.to_form().to_string())
                .collect();
            messages.push(Message {
                role: Role::Tool,
                text: format!("REJECTED\n{}", feedback.join("\n")),
            });
        }
        // What one provider is told is no business of another's key, whoever wrote it: a person, a tool, or a refused answer.
        let secrets = self.secrets.now();
        for message in &mut messages {
            message.text = secrets.hide(std::mem::take(&mut message.text));
        }
        Ok(ModelRequest {
            system: secrets.hide(system),
            messages,
            asker: Asker::Cycle,
            tools: set.tools().map(tool_schema).collect(),
            route: Route {
                sensor: signal.sensor.name().to_owned(),
                skill: asked_by,
            },
            payer: Payer {
                account: Some(session.id().to_string()),
            },
            watch: Watch::default(),
        })
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

fn tool_parameters(set: &SkillSet, name: &str) -> Option<Vec<ToolParameter>> {
    let (_, tool) = set.tool(name)?;
    let parameter = |own: &Parameter| ToolParameter {
        name: own.name.clone(),
        required: own.required,
    };
    Some(tool.parameters.iter().map(parameter).collect())
}

fn tool_schema(tool: &ToolDeclaration) -> ToolSchema {
    let parameter = |own: &Parameter| model::ToolParameter {
        name: own.name.clone(),
        kind: own.kind.to_lowercase(),
        description: own.description.clone(),
        required: own.required,
    };
    ToolSchema {
        name: tool.name.clone(),
        description: tool.description.clone(),
        parameters: tool.parameters.iter().map(parameter).collect(),
    }
}

fn to_message(line: Line) -> Message {
    let role = match line.speaker {
        Speaker::User => Role::User,
        Speaker::Assistant => Role::Assistant,
        Speaker::Tool => Role::Tool,
    };
    Message {
        role,
        text: line.text.to_string(),
    }
}
