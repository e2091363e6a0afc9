//! Deciding: the chain judges an action, the decision is recorded, and what must wait for a person becomes a plan.

mod futile;

use std::sync::Arc;

use futile::writer;
use tokio_util::sync::CancellationToken;

use super::condition::PipelineError;
use super::kept::stored;
use super::session::Session;
use super::unfinished::DEED;
use super::{Core, unix_now};
use crate::audit::Durability;
use crate::capability::Turn;
use crate::gate::approval::Plan;
use crate::gate::chain::{self, Step};
use crate::gate::standing::StandingNow;
use crate::gate::{Approval, Ask, Cleared, Gate, Judgement, Outcome, Rejection, Rules, Subject};
use crate::plist;
use crate::sexp::{Form, Text, kw};
use crate::signal::frames::{self, PlanNotice};
use crate::signal::{Action, Meta, Signal};
use crate::skill::SkillSet;

/// What was decided.
#[derive(Debug)]
pub enum Decision {
    /// It may be carried out.
    Cleared(Cleared<Action>),
    /// A plan was made.
    Waiting(Box<Plan>),
    /// It must not happen.
    Rejected(Rejection),
    /// A person would have to approve it, and then it could not be carried out.
    Futile {
        /// As the gates left it.
        action: Box<Action>,
        /// Why.
        reason: String,
    },
}

/// How it was decided.
#[derive(Clone, Debug)]
pub struct Verdicts {
    /// Its number in the record.
    pub record: u64,
    /// What each gate said.
    pub steps: Vec<Form>,
}

impl Core {
    /// Decides on `action`. Blocks: gates run, and the disk is written.
    pub(super) fn decide(
        &self,
        session: &Session,
        set: &SkillSet,
        signal: &Signal,
        action: Action,
        approval: Option<&Approval>,
    ) -> Result<(Decision, Verdicts), PipelineError> {
        let form = Arc::new(signal.to_form());
        let judgement = loop {
            let standing = self.standing_in(session);
            let judgement = self.judge(set, form.clone(), action.clone(), approval, standing.as_ref());
            // What was taken back while the gates ran no longer counts.
            if judgement
                .standing
                .iter()
                .all(|id| self.standing().stands(id, unix_now()))
            {
                break judgement;
            }
        };
        // Only clients hear of approvals.
        for id in &judgement.standing {
            let text = format!("the standing approval {id} covers what was asked");
            self.outlet
                .send(session.id(), frames::progress(&signal.meta, "APPROVED", &text));
        }
        for revision in &judgement.revisions {
            session.note_with(&format!("changed by {}", revision.gate), &revision.after.to_string());
            let text = format!("changed by {}", revision.gate);
            self.outlet
                .send(session.id(), frames::progress(&signal.meta, "REVISED", &text));
        }
        let steps: Vec<Form> = judgement.steps.iter().map(Step::to_form).collect();
        let entry = self.entry(set, &form, &judgement, &steps, approval);
        let (decision, record) = match judgement.outcome {
            Outcome::Cleared(cleared) => {
                // Before any effect the decision is on disk; a reply only has to survive a killed process.
                let reply = crate::actuator::is_reply(cleared.get(), set);
                let durability = if reply { Durability::Written } else { Durability::Synced };
                let says = cleared
                    .get()
                    .payload()
                    .get("ACTION")
                    .is_some_and(|verb| verb.is_kw("MESSAGE"));
                let entry = if says && !reply && !crate::actuator::is_note(cleared.get(), set) {
                    entry.with(DEED, true)
                } else {
                    entry
                };
                (Decision::Cleared(cleared), self.keep(entry, durability)?)
            }
            Outcome::Rejected { rejection, action } => {
                // Its target may be any word that a model chose.
                session.note_with(
                    &format!("an action was rejected by {} ({})", rejection.gate, rejection.rule),
                    &format!("it was for {}", kw(action.target())),
                );
                (Decision::Rejected(rejection), self.keep(entry, Durability::Written)?)
            }
            Outcome::Waiting { action, .. } if let Some(reason) = self.futile(session, set, &form, &action) => {
                let entry = entry.with("OUTCOME", kw("FUTILE")).with("REASON", &reason);
                let record = self.keep(entry, Durability::Written)?;
                let action = Box::new(action);
                (Decision::Futile { action, reason }, record)
            }
            Outcome::Waiting { action, asks }
                if let Some(plan) = self.waits_already(session, signal, &action, &asks) =>
            {
                let record = self.keep(entry.with("PLAN", &plan.id), Durability::Written)?;
                (Decision::Waiting(Box::new(plan)), record)
            }
            Outcome::Waiting { action, asks } => {
                // Named before it is made, so that the record knows which plan this decision led to.
                let id = self.plans().new_id()?;
                let record = self.keep(entry.with("PLAN", &id), Durability::Written)?;
                let (now, stored) = (unix_now(), stored(signal));
                let waits = now..now.saturating_add(self.config.gates.approval_expiry.as_secs());
                let plan = self.plans().add(id, action, asks, session.id(), stored, waits)?;
                (Decision::Waiting(Box::new(plan)), record)
            }
        };
        Ok((decision, Verdicts { record, steps }))
    }

    /// The plan that waits for the very same already: it is shown again, and not made twice.
    fn waits_already(&self, session: &Session, signal: &Signal, action: &Action, asks: &[Ask]) -> Option<Plan> {
        let plans = self.plans();
        let mut waiting = plans.waiting(Some(session.id()));
        waiting
            .find(|plan| {
                plan.action == *action
                    && plans.is_here(plan)
                    && plan.asks == asks
                    && plan.until() > unix_now()
                    // What is known of the turn it came from is judged again on approval.
                    && plan.signal.at("tainted").is_some_and(Form::is_true) == signal.tainted
            })
            .cloned()
    }

    /// `action`, closed to the end: a call of a tool that would write to a file that exists gets the digest of what the
    /// file holds now, so that what is judged is not written over something else. Blocks: the file is read.
    pub(super) fn with_base(&self, session: &Session, set: &SkillSet, action: Action) -> Action {
        let payload = action.payload();
        let name = payload.get("TOOL").and_then(Form::designator).unwrap_or_default();
        let (true, Some(args)) = (action.target() == "TOOL", payload.get("ARGS")) else {
            return action;
        };
        let Some((skill, _)) = set.tool(name) else {
            return action;
        };
        let turn = Turn::new(session.id(), CancellationToken::new(), self.services.clone());
        match skill.base_of(args, &turn) {
            Form::Nil => action,
            base => action.with_payload(payload.clone().joined(base)),
        }
    }

    /// What the chain is told beside the action.
    pub(super) fn rules<'a>(
        &'a self,
        closed: Option<&'a str>,
        approval: Option<&'a Approval>,
        standing: Option<&'a StandingNow>,
    ) -> Rules<'a> {
        Rules {
            required: &self.config.gates.required,
            revisions: self.config.cycle.revisions,
            closed,
            approval,
            standing,
        }
    }

    /// The chain's judgement alone: nothing is recorded, nothing can come of it.
    fn judge(
        &self,
        set: &SkillSet,
        signal: Arc<Form>,
        action: Action,
        approval: Option<&Approval>,
        standing: Option<&StandingNow>,
    ) -> Judgement {
        let gates: &[Arc<dyn Gate>] = set.gates();
        // One look: what is recognised is what was known to be all of it.
        let moment = self.secrets.moment();
        let closed = self.why_closed_at(&moment);
        let settings = crate::actuator::settings_for(&self.settings, &action, set);
        chain::verify(
            gates,
            &Subject {
                action,
                signal,
                settings,
                secrets: moment.secrets,
                trial: false,
            },
            &self.rules(closed.as_deref(), approval, standing),
        )
    }

    /// How a file would change by `plan`, for the person who is asked and nobody else. Nothing where it writes none, or
    /// lies in another workspace.
    /// Blocks: the file is read.
    pub fn changes(&self, plan: &Plan) -> Option<String> {
        if !self.plans().is_here(plan) {
            return None;
        }
        let skill = writer(&self.registry.current(), &plan.action)?;
        let turn = Turn::new(plan.session, CancellationToken::new(), self.services.clone());
        let changes = skill.changes(&plan.action, &turn)?;
        Some(self.secrets.now().hide(changes))
    }

    /// Shows a plan to its session. Blocks.
    pub(super) fn show_plan(&self, session: &Session, meta: &Meta, plan: &Plan) {
        // Not among the session's own log lines: no model hears of approvals.
        tracing::info!(session = %session.id(), plan = plan.id, "{} waits for a person", plan.action.label());
        let expires = std::time::UNIX_EPOCH + std::time::Duration::from_secs(plan.until());
        let notice = PlanNotice {
            plan: &plan.id,
            text: Text::clone(plan.action.canonical()),
            asks: plan.asks.iter().map(Ask::to_form).collect(),
            expires: humantime::format_rfc3339_seconds(expires).to_string(),
            diff: self.changes(plan),
            not_remembered: self.why_not_remembered(),
        };
        self.outlet.send(session.id(), frames::plan(meta, notice));
    }

    fn entry(
        &self,
        set: &SkillSet,
        signal: &Form,
        judgement: &Judgement,
        steps: &[Form],
        approval: Option<&Approval>,
    ) -> Form {
        let (outcome, action) = match &judgement.outcome {
            Outcome::Cleared(cleared) => ("CLEARED", cleared.get()),
            Outcome::Waiting { action, .. } => ("WAITING", action),
            Outcome::Rejected { action, .. } => ("REJECTED", action),
        };
        let skills = set
            .digests()
            .into_iter()
            .map(|(name, digest)| Form::list(vec![name.into(), digest.to_string().into()]));
        let revisions = judgement.revisions.iter().map(|revision| {
            plist!("GATE" => &revision.gate, "BEFORE" => revision.before.form().clone(), "AFTER" => revision.after.form().clone())
        });
        let entry = plist!(
            "KIND" => kw("DECISION"), "OUTCOME" => kw(outcome), "ACTION" => action.form().clone(),
            "DIGEST" => action.digest().to_string(), "SIGNAL" => signal.clone(), "STEPS" => steps.to_vec(),
            "SKILLS" => skills.collect::<Vec<Form>>(), "ENGINE" => crate::skill::ENGINE_VERSION,
            "SETTINGS" => self.settings_digest.to_string(),
        );
        let entry = match &judgement.outcome {
            Outcome::Rejected { rejection, .. } => entry.with("REJECTION", rejection.to_form()),
            _ => entry,
        };
        let entry = match approval {
            Some(approval) => entry.with("APPROVAL", approval.plan()),
            None => entry,
        };
        let entry = match judgement.standing.as_slice() {
            [] => entry,
            ids => entry.with("STANDING", ids.iter().map(Form::from).collect::<Vec<Form>>()),
        };
        if judgement.revisions.is_empty() {
            entry
        } else {
            entry.with("REVISIONS", revisions.collect::<Vec<Form>>())
        }
    }
}
