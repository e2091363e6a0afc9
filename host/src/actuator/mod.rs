//! Actuators: who carries out what the gates have cleared.
//!
//! A route is found for a cleared action only, so that code which acts on something unverified does not compile. This
//! room knows skills by what they declare, and nothing of models or sessions.

use std::sync::Arc;

use crate::capability::Effects;
use crate::gate::Cleared;
use crate::sexp::Form;
use crate::signal::{Action, Signal};
use crate::skill::{Skill, SkillSet};

/// Where a cleared action goes.
pub enum Route {
    /// To the person, as a reply. Never fed back.
    Reply,
    /// Into the host's log.
    Log(String),
    /// To a skill.
    Skill(Deed),
    /// Nowhere: why.
    Nowhere(String),
}

/// A cleared action's way into a skill.
pub struct Deed {
    skill: Arc<Skill>,
    tool: Option<String>,
}

impl Deed {
    /// Has the skill carry it out. Blocks.
    ///
    /// # Errors
    /// What the skill, or the host on its behalf, says went wrong; fit for the model.
    pub fn run(
        &self,
        action: &Cleared<Action>,
        signal: &Signal,
        effects: Arc<dyn Effects>,
    ) -> Result<String, String> {
        let done = match &self.tool {
            Some(name) => self.skill.call_tool(name, action, signal, effects),
            None => self.skill.act(action, signal, effects),
        };
        done.map_err(|fault| fault.to_string())
    }
}

/// Where `cleared` goes.
pub fn route(cleared: &Cleared<Action>, set: &SkillSet) -> Route {
    let action = cleared.get();
    let payload = action.payload();
    let verb = payload.get("ACTION").and_then(Form::designator).unwrap_or_default();
    if is_reply(action, set) {
        return Route::Reply;
    }
    if action.target() == "TOOL" {
        let name = payload.get("TOOL").and_then(Form::designator).unwrap_or_default();
        return match set.tool(name) {
            Some((skill, _)) => Route::Skill(Deed {
                skill,
                tool: Some(name.to_owned()),
            }),
            None => Route::Nowhere(format!("there is no tool named {name}")),
        };
    }
    if let Some(skill) = set.actuator(action) {
        return Route::Skill(Deed { skill, tool: None });
    }
    if action.target() == "SYSTEM" && verb.eq_ignore_ascii_case("MESSAGE") {
        return Route::Log(payload.text_at("text").unwrap_or_default().to_owned());
    }
    Route::Nowhere(format!(
        "no skill carries out actions for :{}{}",
        action.target(),
        if verb.is_empty() {
            String::new()
        } else {
            format!(" with :ACTION :{}", verb.to_uppercase())
        }
    ))
}

/// Whether the action is a message to a person: any target that no skill and not the host itself carries out.
pub fn is_reply(action: &Action, set: &SkillSet) -> bool {
    let message = action.payload().get("ACTION").is_some_and(|verb| verb.is_kw("MESSAGE"));
    message && !matches!(action.target(), "SYSTEM" | "TOOL" | "SHELL") && set.actuator(action).is_none()
}
