//! Flight plans: actions that wait for a person, and the approvals that come of them.
//!
//! A plan belongs to one digest of canonical action, session, asks and workspace. It is kept on disk before anyone sees it,
//! consumed on disk before its effect begins, and so carried out at most once, whatever is killed in between. Only
//! [`PlanStore::consume`] makes an [`Approval`], and only a person's request leads there.

mod clock;
mod error;
mod named;
mod plan;

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

pub use error::{Answer, ApprovalError};
pub use named::{SHORTEST, as_kept, is_of_digits};
pub use plan::{Plan, PlanState, latest_in, waiting_in};
use plan::{Progress, digest};

use super::verdict::Ask;
use crate::audit::{AppendLog, Durability, LogError, Recovery, Writes};
use crate::sexp::{Digest, Form};
use crate::signal::{Action, SessionId, random_hex};

/// A moment on the wall clock, in seconds since 1970: plans expire across restarts.
pub type UnixSeconds = u64;

/// How many plans are kept that are over, so that a late answer hears what became of its plan. Those whose outcome is not
/// known are kept beside them.
const KEPT: usize = 500;

/// How long one that is over is kept after its time, in seconds: thirty days.
const KEPT_FOR: UnixSeconds = 30 * 86_400;

/// A file that is longer than this, in bytes, is summed up when it is opened.
const LONG: u64 = 1 << 20;

/// Who answers a plan, and how far that reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approver {
    /// A person in the chat of this session: that session's plans, which were shown there.
    Chat(SessionId),
    /// A person at the operator's door: any plan, by the digest of what was shown.
    Operator(Digest),
}

/// That a person approved one action. Single-use: made by consuming a plan.
#[derive(Clone, Debug)]
pub struct Approval {
    plan: String,
    action: Digest,
    asks: Vec<Ask>,
}

impl Approval {
    /// Whether the approval names this ask of this action.
    pub fn covers(&self, action: &Action, ask: &Ask) -> bool {
        self.is_of(action) && self.asks.contains(ask)
    }

    /// Whether this is the action that was approved, to the byte.
    pub fn is_of(&self, action: &Action) -> bool {
        self.action == action.digest()
    }

    /// The plan it came from.
    pub fn plan(&self) -> &str {
        &self.plan
    }
}

/// All plans, on disk and in memory.
#[derive(Debug)]
pub struct PlanStore {
    log: AppendLog,
    /// The workspace that new plans are made for, and that approved ones are carried out in.
    workspace: String,
    plans: BTreeMap<String, Plan>,
    /// Those that are over and whose outcome is known, in the order in which they ended.
    over: VecDeque<String>,
    /// What the clock showed when it was looked at last, and when that was.
    looked: Option<(UnixSeconds, Instant)>,
}

impl PlanStore {
    /// Opens the store of a daemon that works in `workspace`. Plans that were approved and whose outcome is not recorded
    /// become [`PlanState::Unknown`], which is [untold](PlanStore::untold). A file that has become long is replaced by one
    /// with the plans alone that are kept; whoever is killed meanwhile leaves the one or the other.
    ///
    /// # Errors
    /// When the file can't be used; then nothing that asks can be approved.
    pub fn open(path: &Path, workspace: &Path, writes: &Writes) -> Result<(PlanStore, Recovery), LogError> {
        let (log, entries, recovery) = AppendLog::open(path, writes)?;
        let mut store = PlanStore {
            log,
            workspace: workspace.to_string_lossy().into_owned(),
            plans: BTreeMap::new(),
            over: VecDeque::new(),
            looked: None,
        };
        for entry in entries {
            if let Some(plan) = Plan::from_entry(&entry) {
                let (id, progress) = (plan.id.clone(), plan.progress());
                store.plans.insert(id.clone(), plan);
                store.note(&id, progress);
            } else if let (Some(id), Some(progress)) = (entry.text_at("plan"), Progress::read(&entry)) {
                store.note(id, progress);
            } else if let Some(plan) = entry.text_at("plan").and_then(|id| store.plans.get_mut(id)) {
                clock::read(plan, &entry);
            }
        }
        // Not written: until it has been told, the file says what it said.
        for id in store.ids_in(PlanState::Approved) {
            store.note(&id, Progress::untold(PlanState::Unknown, None));
        }
        if fs::metadata(path).is_ok_and(|status| status.len() > LONG) {
            match AppendLog::anew(path, &store.entries(), writes) {
                Ok(log) => store.log = log,
                // It is as good as before, and longer than it needs to be.
                Err(error) => {
                    tracing::warn!("the plans can't be summed up: {error}");
                    store.log = AppendLog::open(path, writes)?.0;
                }
            }
        }
        Ok((store, recovery))
    }

    /// The plans that are over, and of which it has still to be told what became of them: in the conversation, and in the
    /// record. Also after a restart, until each was [told](PlanStore::told).
    pub fn untold(&self) -> Vec<Plan> {
        self.plans.values().filter(|plan| plan.untold).cloned().collect()
    }

    /// Notes that it was told what became of the plan.
    ///
    /// # Errors
    /// When that can't be kept; then it is told again after a restart.
    pub fn told(&mut self, id: &str) -> Result<(), ApprovalError> {
        let Some(plan) = self.plans.get(id).filter(|plan| plan.untold) else {
            return Ok(());
        };
        let progress = Progress {
            untold: false,
            ..plan.progress()
        };
        Ok(self.advance(id, progress)?)
    }

    /// An id that no plan has.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn new_id(&self) -> Result<String, ApprovalError> {
        loop {
            let id = random_hex(4)?;
            if !self.plans.contains_key(&id) {
                return Ok(id);
            }
        }
    }

    /// Makes a plan under `id`, which is [new](PlanStore::new_id), and keeps it on disk. It waits from the beginning of
    /// `waits`, which is now, to its end.
    ///
    /// # Errors
    /// When it can't be kept; then it must not be shown.
    pub fn add(
        &mut self,
        id: String,
        action: Action,
        asks: Vec<Ask>,
        session: SessionId,
        signal: Form,
        waits: Range<UnixSeconds>,
    ) -> Result<Plan, ApprovalError> {
        let digest = digest(&action, session, &asks, &self.workspace);
        let plan = Plan {
            id,
            action,
            session,
            asks,
            workspace: self.workspace.clone(),
            signal,
            made: waits.start,
            expires: waits.end,
            earlier: None,
            answers: 0,
            digest,
            state: PlanState::Waiting,
            untold: false,
            reason: None,
        };
        self.log.append(&plan.to_entry(), Durability::Synced)?;
        self.plans.insert(plan.id.clone(), plan.clone());
        Ok(plan)
    }

    /// The plan `id`.
    pub fn get(&self, id: &str) -> Option<&Plan> {
        self.plans.get(id)
    }

    /// The plans that wait, of one session or of all.
    pub fn waiting(&self, session: Option<SessionId>) -> impl Iterator<Item = &Plan> {
        self.plans.values().filter(move |plan| {
            plan.state == PlanState::Waiting && session.is_none_or(|session| plan.session == session)
        })
    }

    /// Whether the plan was shown for the workspace that the daemon works in now. What it names relatively is something else
    /// in another one.
    pub fn is_here(&self, plan: &Plan) -> bool {
        plan.workspace == self.workspace
    }

    /// Consumes the plan: from now on it can't be approved again, also after a crash.
    ///
    /// # Errors
    /// When the plan doesn't wait, has expired, is not this approver's or another workspace's, or can't be consumed on disk.
    pub fn consume(&mut self, id: &str, by: Approver, now: UnixSeconds) -> Result<(Plan, Approval), ApprovalError> {
        let mut plan = self.answerable(id, by, Answer::Approve, now)?;
        if !self.is_here(&plan) {
            return Err(ApprovalError::OtherWorkspace {
                id: plan.id,
                shown: plan.workspace,
                own: self.workspace.clone(),
            });
        }
        self.advance(id, Progress::to(PlanState::Approved))?;
        plan.note(Progress::to(PlanState::Approved));
        let approval = Approval {
            plan: plan.id.clone(),
            action: plan.action.digest(),
            asks: plan.asks.clone(),
        };
        Ok((plan, approval))
    }

    /// Refuses the plan, whatever workspace it was shown for. What it was proposed in has still to be [told](PlanStore::told).
    ///
    /// # Errors
    /// As [`PlanStore::consume`].
    pub fn deny(
        &mut self,
        id: &str,
        by: Approver,
        reason: Option<String>,
        now: UnixSeconds,
    ) -> Result<Plan, ApprovalError> {
        let mut plan = self.answerable(id, by, Answer::Deny, now)?;
        let progress = Progress::untold(PlanState::Denied, reason);
        self.advance(id, progress.clone())?;
        plan.note(progress);
        Ok(plan)
    }

    /// Notes that an approved plan has had its outcome.
    ///
    /// # Errors
    /// When that can't be kept; after a restart the outcome will be called unknown.
    pub fn finish(&mut self, id: &str) -> Result<(), ApprovalError> {
        Ok(self.advance(id, Progress::to(PlanState::Done))?)
    }

    /// Lets a plan wait again whose answer could not be taken up, so that nothing has begun.
    ///
    /// # Errors
    /// When that can't be kept; then it waits for as long as the daemon runs.
    pub fn reopen(&mut self, id: &str) -> Result<(), ApprovalError> {
        let kept = self.advance(id, Progress::to(PlanState::Waiting));
        self.note(id, Progress::to(PlanState::Waiting));
        Ok(kept?)
    }

    /// Notes how the plan turned out, or that it waits again, which has still to be [told](PlanStore::told).
    ///
    /// # Errors
    /// When that can't be kept; it is so for as long as the daemon runs.
    pub fn turned_out(&mut self, id: &str, state: PlanState, reason: Option<String>) -> Result<(), ApprovalError> {
        let kept = self.advance(id, Progress::untold(state, reason.clone()));
        self.note(id, Progress::untold(state, reason));
        Ok(kept?)
    }

    /// The plans that wait although their time is over.
    pub fn over(&self, now: UnixSeconds) -> Vec<Plan> {
        let over = self.waiting(None).filter(|plan| plan.until() <= now);
        over.cloned().collect()
    }

    /// Forgets plans that have been over for long.
    pub fn forget(&mut self, now: UnixSeconds) {
        self.plans
            .retain(|_, plan| !plan.state.is_over() || plan.untold || plan.until().saturating_add(KEPT_FOR) > now);
        self.over.retain(|id| self.plans.contains_key(id));
    }

    /// Notes that nobody answered the plan in time, which has still to be [told](PlanStore::told).
    ///
    /// # Errors
    /// When that can't be kept.
    pub fn expire(&mut self, id: &str) -> Result<(), ApprovalError> {
        Ok(self.advance(id, Progress::untold(PlanState::Expired, None))?)
    }

    fn ids_in(&self, state: PlanState) -> Vec<String> {
        self.plans
            .values()
            .filter(|plan| plan.state == state)
            .map(|plan| plan.id.clone())
            .collect()
    }

    fn answerable(&self, id: &str, by: Approver, answer: Answer, now: UnixSeconds) -> Result<Plan, ApprovalError> {
        let id_owned = || id.to_owned();
        let plan = self
            .plans
            .get(id)
            .ok_or_else(|| ApprovalError::NoSuchPlan { id: id_owned() })?
            .clone();
        if plan.state != PlanState::Waiting {
            let state = plan.state;
            return Err(ApprovalError::NotWaiting { id: id_owned(), state });
        }
        match by {
            Approver::Chat(session) if session != plan.session => {
                return Err(ApprovalError::OtherSession { id: id_owned(), answer });
            }
            Approver::Operator(shown) if shown != plan.digest => {
                return Err(ApprovalError::OtherText { id: id_owned() });
            }
            _ => {}
        }
        match self.why_over(&plan, now) {
            Some(over) => Err(over),
            None => Ok(plan),
        }
    }

    fn advance(&mut self, id: &str, progress: Progress) -> Result<(), LogError> {
        self.log.append(&progress.to_entry(id), Durability::Synced)?;
        self.note(id, progress);
        Ok(())
    }

    /// What is kept, those that are over first, in the order in which they ended.
    fn entries(&self) -> Vec<Form> {
        let over = self.over.iter().filter_map(|id| self.plans.get(id));
        let others = self.plans.values().filter(|plan| !plan.is_settled());
        over.chain(others).map(Plan::to_entry).collect()
    }

    /// Notes how far a plan has come, and forgets the one that ended first where too many are over.
    fn note(&mut self, id: &str, progress: Progress) {
        let Some(plan) = self.plans.get_mut(id) else { return };
        plan.note(progress);
        self.over.retain(|own| own != id);
        if plan.is_settled() {
            self.over.push_back(id.to_owned());
        }
        while self.over.len() > KEPT {
            if let Some(first) = self.over.pop_front() {
                self.plans.remove(&first);
            }
        }
    }
}

#[cfg(test)]
mod tests;
