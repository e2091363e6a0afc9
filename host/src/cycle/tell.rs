//! Telling what became of what was proposed, where no turn tells it.
//!
//! A proposal that stands in a conversation gets a line of the tool there, whatever became of it: else the next question
//! is asked as if it were still to be answered. It is told first and marked as told then, so that a kill in between costs
//! nothing but a line that is there twice.

use std::collections::HashSet;
use std::sync::Arc;

use super::condition::PipelineError;
use super::session::Session;
use super::{Core, Refused};
use crate::audit::{Durability, LogError, read_entries};
use crate::capability::schedule::is_fired;
use crate::context::{Line, Speaker};
use crate::gate::Rejection;
use crate::gate::approval::{Plan, PlanState};
use crate::plist;
use crate::sexp::{Form, kw};
use crate::signal::{Action, Origin, Signal};

const BROKEN_OFF: &str =
    "the daemon ended while it was carried out, and nobody knows how far it came; it is not tried again";

/// The entries that the record has about plans, by their kind.
#[derive(Debug, Default)]
struct Recorded(HashSet<(String, String)>);

impl Recorded {
    /// Whether the record has an entry of this kind about this plan.
    fn has(&self, entry: &Form) -> bool {
        key(entry).is_some_and(|key| self.0.contains(&key))
    }
}

/// The kind of an entry, and its plan.
fn key(entry: &Form) -> Option<(String, String)> {
    let kind = entry.get("KIND").and_then(Form::keyword)?;
    Some((kind.to_owned(), entry.text_at("plan")?.to_owned()))
}

impl Core {
    /// Tells what became of each plan of which that was not told before the daemon last ended. What can't be told is logged,
    /// keeps no other from being told, and is told at the next start. Returns, for whoever starts the daemon, of which ones
    /// nobody knows how far they came.
    pub fn tell_untold(&self) -> Vec<String> {
        let plans = self.plans().untold();
        let recorded = self.recorded(&plans);
        for plan in &plans {
            match &recorded {
                Ok(recorded) => self.tell_once(plan, recorded),
                Err(_) if !is_recorded_when_told(plan.state) => self.tell_once(plan, &Recorded::default()),
                Err(error) => not_told(plan, error),
            }
        }
        let unknown = plans.iter().filter(|plan| plan.state == PlanState::Unknown);
        unknown.map(|plan| format!("plan {}: {BROKEN_OFF}", plan.id)).collect()
    }

    /// What the record has already about those of `plans` of which it may: it is long, and read once for all of them.
    fn recorded(&self, plans: &[Plan]) -> Result<Recorded, LogError> {
        if !plans.iter().any(|plan| is_recorded_when_told(plan.state)) {
            return Ok(Recorded::default());
        }
        let entries = read_entries(&self.record_path())?;
        let ids: HashSet<&str> = plans.iter().map(|plan| plan.id.as_str()).collect();
        let about = entries.iter().filter_map(key);
        Ok(Recorded(about.filter(|(_, id)| ids.contains(id.as_str())).collect()))
    }

    /// Tells what became of a plan that has just lapsed, as far as it can.
    pub(super) fn tell_lapsed(&self, plan: &Plan) {
        self.tell_once(plan, &Recorded::default());
    }

    fn tell_once(&self, plan: &Plan, recorded: &Recorded) {
        if let Err(error) = self.tell_of(plan, recorded) {
            not_told(plan, &error);
        }
    }

    fn tell_of(&self, plan: &Plan, recorded: &Recorded) -> Result<(), PipelineError> {
        let for_model = is_for_model(&plan.action);
        match plan.state {
            PlanState::Denied => {
                self.keep_once(denial(plan), recorded)?;
                if for_model {
                    self.say_of(plan, denied(plan))?;
                }
            }
            PlanState::Unknown => {
                let digest = plan.action.digest().to_string();
                let entry = plist!(
                    "KIND" => kw("UNKNOWN"), "PLAN" => &plan.id, "DIGEST" => digest, "REASON" => BROKEN_OFF,
                );
                self.keep_once(entry, recorded)?;
                self.say_of(plan, format!("{}: {BROKEN_OFF}", plan.action.label()))?;
            }
            // Its record was written when it lapsed.
            PlanState::Expired => {
                let said = plan.action.payload().text_at("text").filter(|_| is_fired(&plan.action));
                let what = said.map_or_else(
                    || plan.action.label(),
                    |text| format!("{}: {text}", plan.action.label()),
                );
                let text = self.secrets.now().hide(format!("{} ({what})", lapsed(plan)));
                if for_model {
                    let text =
                        "REJECTED: nobody answered in time whether this may be done, and it was not carried out";
                    self.say_of(plan, format!("{text}: {}", plan.action))?;
                } else if *plan.action.origin() != Origin::Person {
                    self.say_of(plan, text.clone())?;
                }
                self.note_unheard_of(plan.session, &text);
            }
            PlanState::Waiting | PlanState::Approved | PlanState::Done => {}
        }
        Ok(self.plans().told(&plan.id)?)
    }

    /// Adds a line of the tool to the conversation of a plan. It is the host's own, but for what the action itself says.
    fn say_of(&self, plan: &Plan, text: String) -> Result<(), PipelineError> {
        let line = Line {
            speaker: Speaker::Tool,
            text: text.into(),
            tainted: plan.signal.at("tainted").is_some_and(Form::is_true),
        };
        Ok(self.sessions.add_line(plan.session, line)?)
    }

    /// Adds `entry` to the record, unless one of its kind about its plan is there.
    fn keep_once(&self, entry: Form, recorded: &Recorded) -> Result<(), LogError> {
        if !recorded.has(&entry) {
            self.keep(entry, Durability::Synced)?;
        }
        Ok(())
    }

    /// Tells that gates refused what nobody in the session asked for: a skill that was to be woken, or what it says.
    pub(super) async fn refuse_unasked(
        self: &Arc<Core>,
        session: &Session,
        signal: &Signal,
        why: &str,
        refused: Refused,
    ) {
        let Rejection { gate, rule, reason, .. } = &refused.rejection;
        let text = format!("{why} It was not done: {gate} rejected it ({rule}): {reason}");
        let text = self.secrets.now().hide(text);
        let line = Line {
            speaker: Speaker::Tool,
            text: text.clone().into(),
            tainted: signal.tainted,
        };
        if let Err(error) = session.say(line) {
            session.note(format!("what was refused could not be kept: {error}"));
        }
        // What is refused at each beat is no news.
        if !self.unheard.has(session.id(), &text) {
            self.note_unheard(session.id(), &text).await;
        }
        self.refuse(session, &signal.meta, &[refused]);
    }
}

fn not_told(plan: &Plan, error: &dyn std::fmt::Display) {
    tracing::error!(
        plan = plan.id,
        "what became of it can't be told, and is at the next start: {error}"
    );
}

/// Whether telling of a plan in this state also records it. That a plan lapsed was recorded when it did.
fn is_recorded_when_told(state: PlanState) -> bool {
    matches!(state, PlanState::Denied | PlanState::Unknown)
}

/// Whether a model proposed it, or goes on with what comes of it; else a person did, or a skill is woken by it.
pub(super) fn is_for_model(action: &Action) -> bool {
    *action.origin() != Origin::Person && !(is_fired(action) && matches!(action.origin(), Origin::Skill(_)))
}

/// The entry of a denial in the record.
pub(super) fn denial(plan: &Plan) -> Form {
    plist!(
        "KIND" => kw("DENIAL"), "PLAN" => &plan.id, "DIGEST" => plan.action.digest().to_string(),
        "REASON" => plan.reason.clone(),
    )
}

/// What the model hears of a plan that was denied.
pub(super) fn denied(plan: &Plan) -> String {
    let reason = plan.reason.as_ref().map(|reason| format!(" and said why: {reason}"));
    format!(
        "REJECTED: the person denied this action{}. It was not carried out: {}",
        reason.unwrap_or_default(),
        plan.action
    )
}

/// What people hear of a plan that lapsed.
pub(super) fn lapsed(plan: &Plan) -> String {
    format!(
        "plan {} lapsed: nobody answered it in time, and it was not carried out",
        plan.id
    )
}
