//! Actuators: who carries out what the gates have cleared.
//!
//! A route is found for a cleared action only, so that code which acts on something unverified does not compile. This
//! room knows skills by what they declare, and nothing of models or sessions.

use std::sync::Arc;

use crate::capability::Effects;
use crate::capability::own::{CarryOut, own_target};
use crate::capability::schedule::is_fired;
use crate::config::meant;
use crate::gate::{Cleared, GateFault, Settings};
use crate::sexp::Form;
use crate::signal::{Action, Origin, Signal};
use crate::skill::{Readiness, Skill, SkillFault, SkillSet, TargetClaim};

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

/// A cleared action's way into a skill, or to what the host does on a skill's behalf.
pub struct Deed {
    skill: Arc<Skill>,
    name: String,
    way: Way,
}

enum Way {
    Act,
    Tool(String),
    OnBehalf(CarryOut),
}

impl Deed {
    /// What it is, in words of the host's and of the skill's declaration: `shell`, `system eval`, `tool read-file`.
    pub fn name(&self) -> &str {
        &self.name
    }

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
        let turn = effects.turn().cancel().clone();
        let done = match &self.way {
            Way::Tool(name) => self.skill.call_tool(name, action, signal, effects),
            Way::Act => self.skill.act(action, signal, effects),
            Way::OnBehalf(carry_out) => {
                let done = self.skill.on_behalf(*carry_out, action, effects.turn());
                return done.map_err(|failure| failure.to_string());
            }
        };
        done.map_err(|fault| match fault {
            // A call that is ended with its turn may look like one whose time is over.
            SkillFault::Failed {
                skill,
                fault: GateFault::Time { .. } | GateFault::Unavailable { .. },
                ..
            } if turn.is_cancelled() => format!("the skill `{skill}` was ended, because the turn was stopped"),
            fault => fault.to_string(),
        })
    }
}

/// Where `cleared` goes.
pub fn route(cleared: &Cleared<Action>, set: &SkillSet) -> Route {
    way(cleared.get(), set)
}

/// Why nobody would carry `action` out, so that no person need be asked about it.
pub fn nowhere(action: &Action, set: &SkillSet) -> Option<String> {
    match way(action, set) {
        Route::Nowhere(reason) => Some(reason),
        Route::Reply | Route::Log(_) | Route::Skill(_) => None,
    }
}

/// Whether `action` is a note for the host's log, and no more comes of it.
pub fn is_note(action: &Action, set: &SkillSet) -> bool {
    matches!(way(action, set), Route::Log(_))
}

fn way(action: &Action, set: &SkillSet) -> Route {
    let payload = action.payload();
    let verb = payload.get("ACTION").and_then(Form::designator).unwrap_or_default();
    if is_reply(action, set) {
        return Route::Reply;
    }
    if action.target() == "TOOL" {
        let name = payload.get("TOOL").and_then(Form::designator).unwrap_or_default();
        return match set.tool(name) {
            Some((skill, tool)) => Route::Skill(Deed {
                skill,
                name: format!("tool {}", tool.name),
                way: Way::Tool(name.to_owned()),
            }),
            None => {
                let (why, instead) = set.why_no_tool(name);
                Route::Nowhere(format!("{why}; {instead}"))
            }
        };
    }
    if let Some(carry_out) = own_target(action.target()) {
        return on_behalf(action, set, carry_out);
    }
    if let Some(skill) = set.actuator(action) {
        let name = skill.claim(action).map(ToString::to_string).unwrap_or_default();
        return Route::Skill(Deed {
            skill,
            name,
            way: Way::Act,
        });
    }
    if action.target() == "SYSTEM" && verb.eq_ignore_ascii_case("MESSAGE") {
        return Route::Log(payload.text_at("text").unwrap_or_default().to_owned());
    }
    Route::Nowhere(nobody(action.target(), verb, set))
}

/// Why nobody carries out what `verb` says for `target`: the other actions of a target that there is, or else what other
/// target may be meant.
fn nobody(target: &str, verb: &str, set: &SkillSet) -> String {
    let named = |verb: &str| match verb {
        "" => String::new(),
        verb => format!(" with :ACTION :{}", verb.to_uppercase()),
    };
    let why = format!("no skill carries out actions for :{target}{}", named(verb));
    let claims = set.claimed_targets();
    let (own, others): (Vec<&TargetClaim>, Vec<&TargetClaim>) = claims.partition(|claim| claim.target == target);
    if own.is_empty() {
        // A skill is mostly called like its target.
        if let Readiness::NotNow(state) = set.readiness(&target.to_lowercase()) {
            return format!(
                "{why} now: the skill of that name {}; `passepartout-host skill list` says why",
                state.told()
            );
        }
        let names: Vec<String> = others
            .iter()
            .map(|claim| format!(":{}", claim.target))
            .chain([":TOOL".to_owned()])
            .collect();
        return format!(
            "{why}; {}",
            meant(&format!(":{target}"), names.iter().map(String::as_str))
        );
    }
    let verbs: Vec<String> = own
        .iter()
        .filter_map(|claim| claim.action.as_ref())
        .map(|action| format!(":{}", action.to_uppercase()))
        .collect();
    let verb = format!(":{verb}");
    format!(
        "{why}; for :{target}, {}",
        meant(&verb, verbs.iter().map(String::as_str))
    )
}

/// The name of the setting by which gates are told that nobody carries out what they judge.
const OF_NOBODY: &str = "action.of-nobody";

/// `settings` for the gates that judge `action`: they are told where nobody would carry it out, since what they could advise
/// a person about it would then come to nothing.
pub fn settings_for(settings: &Settings, action: &Action, set: &SkillSet) -> Settings {
    let Some(why) = nowhere(action, set) else {
        return settings.clone();
    };
    let mut told = (**settings).clone();
    told.insert(OF_NOBODY.to_owned(), why);
    Arc::new(told)
}

/// To the host itself, within what the skill is granted that proposed it.
fn on_behalf(action: &Action, set: &SkillSet, carry_out: CarryOut) -> Route {
    let Origin::Skill(name) = action.origin() else {
        return Route::Nowhere(format!(
            ":{} is for what skills propose, and no skill proposed this; use a tool",
            action.target()
        ));
    };
    match set.named(name) {
        // What a skill scheduled comes back to it.
        Some(skill) if is_fired(action) => Route::Skill(Deed {
            skill: skill.clone(),
            name: "schedule fired".to_owned(),
            way: Way::Act,
        }),
        Some(skill) => Route::Skill(Deed {
            skill: skill.clone(),
            name: action.target().to_lowercase(),
            way: Way::OnBehalf(carry_out),
        }),
        None => Route::Nowhere(format!("the skill `{name}`, which proposed it, is not loaded any more")),
    }
}

/// Whether the action is a message to a person: any target that no skill and not the host itself carries out.
pub fn is_reply(action: &Action, set: &SkillSet) -> bool {
    let message = action.payload().get("ACTION").is_some_and(|verb| verb.is_kw("MESSAGE"));
    let host = matches!(action.target(), "SYSTEM" | "TOOL" | "SHELL") || own_target(action.target()).is_some();
    message && !host && set.actuator(action).is_none()
}
