//! The question that goes to a model: the system prompt, what of the conversation fits, and who asks.

use std::sync::Arc;

use super::perceive::Perceived;
use super::session::Session;
use super::{Core, Refused, unix_now};
use crate::context::{Parts, Shown, Speaker, ToolText, Window, system_prompt};
use crate::gate::Rejection;
use crate::model::{self, Asker, Message, ModelRequest, Payer, Role, Route, SKILL_PROMPT_MARK, ToolSchema};
use crate::skill::{Parameter, SkillSet, ToolDeclaration};

impl Core {
    /// What the model is asked about what was perceived, after these `refusals` of its earlier proposals, the last of which was
    /// `refused_answer`.
    pub(super) fn request(
        self: &Arc<Core>,
        session: &Arc<Session>,
        set: &Arc<SkillSet>,
        perceived: &Perceived,
        refusals: &[Refused],
        refused_answer: Option<String>,
    ) -> ModelRequest {
        let signal = perceived.signal();
        let began = signal.beginning();
        let tools: Vec<ToolText> = set.tools().map(tool_text).collect();
        let rejections: Vec<Rejection> = refusals.iter().map(|refused| refused.rejection.clone()).collect();
        let system = system_prompt(&Parts {
            assistant: &self.config.cycle.assistant,
            rejections: &rejections,
            tools: &tools,
            memory: perceived.memory(),
            log: &session.notes(),
            mandates: perceived.mandates(),
        });
        let mut messages = messages(self.window(session), perceived.prompt());
        if let Some(text) = refused_answer {
            messages.push(said(Role::Assistant, text));
            let feedback: Vec<String> = rejections
                .iter()
                .map(|rejection| rejection.to_form().to_string())
                .collect();
            messages.push(said(Role::Tool, format!("REJECTED\n{}", feedback.join("\n"))));
        }
        // What one provider is told is no business of another's key, whoever wrote it: a person, a tool, or a refused answer.
        let secrets = self.secrets.now();
        for message in &mut messages {
            message.text = secrets.hide(std::mem::take(&mut message.text));
        }
        ModelRequest {
            system: secrets.hide(system),
            messages,
            asker: Asker::Cycle,
            tools: set.tools().map(tool_schema).collect(),
            // As the turn began, also where this question is about what a tool gave back in it.
            route: Route {
                sensor: began.sensor.name().to_owned(),
                skill: began.skill,
            },
            payer: Payer::of(session.id(), unix_now()),
            watch: self.watched(session.id(), &signal.meta),
        }
    }
}

/// The conversation as it is sent. A skill's `prompt`, which comes with its name, stands beside the user's own words and
/// nowhere else: on a result it would be data.
fn messages(window: Window, prompt: Option<&(String, String)>) -> Vec<Message> {
    let user = window.user;
    let mut messages: Vec<Message> = window.shown.into_iter().map(to_message).collect();
    if let Some((skill, text)) = prompt {
        let added = format!("{SKILL_PROMPT_MARK}{skill}]\n{text}");
        match user.and_then(|at| messages.get_mut(at)) {
            Some(own) => own.text.push_str(&added),
            // Nobody has said anything here.
            None => messages.push(said(Role::User, added.trim_start().to_owned())),
        }
    }
    messages
}

fn to_message(shown: Shown) -> Message {
    match shown {
        Shown::LeftOut(1) => said(Role::User, "[1 earlier message is left out]".to_owned()),
        Shown::LeftOut(count) => said(Role::User, format!("[{count} earlier messages are left out]")),
        Shown::Line(line) => {
            let role = match line.speaker {
                Speaker::User => Role::User,
                Speaker::Assistant => Role::Assistant,
                // Between two messages of the person, in a voice that is not theirs.
                Speaker::Tool | Speaker::Host => Role::Tool,
            };
            said(role, line.text.to_string())
        }
    }
}

fn said(role: Role, text: String) -> Message {
    Message { role, text }
}

fn tool_text(tool: &ToolDeclaration) -> ToolText {
    let parameter = |own: &Parameter| (own.name.clone(), own.description.clone(), own.required);
    ToolText {
        name: tool.name.clone(),
        description: tool.description.clone(),
        parameters: tool.parameters.iter().map(parameter).collect(),
    }
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
