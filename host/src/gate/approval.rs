//! Flight plans: actions that wait for a person, and the approvals that come of them.
//!
//! A plan belongs to one digest of canonical action, session and asks. It is kept on disk before anyone sees it,
//! consumed on disk before its effect begins, and so carried out at most once, whatever is killed in between. Only
//! [`PlanStore::consume`] makes an [`Approval`], and only a person's request leads there.

use std::collections::BTreeMap;
use std::path::Path;

use super::verdict::Ask;
use crate::audit::{AppendLog, Durability, LogError, Recovery};
use crate::plist;
use crate::sexp::{Digest, Form, kw};
use crate::signal::{Action, SessionId, random_hex};

/// A moment on the wall clock, in seconds since 1970: plans expire across restarts.
pub type UnixSeconds = u64;

/// An action that waits, or waited, for a person.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The name that people use, eight hexadecimal digits.
    pub id: String,
    /// What would run, to the byte.
    pub action: Action,
    /// The conversation in which it was proposed.
    pub session: SessionId,
    /// What is asked.
    pub asks: Vec<Ask>,
    /// The signal that led to it, so that its turn can go on.
    pub signal: Form,
    /// When it lapses.
    pub expires: UnixSeconds,
    /// The digest of action, session and asks.
    pub digest: Digest,
    /// How far it has come.
    pub state: PlanState,
}

/// How far a plan has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanState {
    /// Nobody has answered yet.
    Waiting,
    /// A person approved it, and its effect may have begun.
    Approved,
    /// A person refused it.
    Denied,
    /// Nobody answered in time.
    Expired,
    /// It was carried out, or rejected when the chain ran again.
    Done,
    /// The daemon ended between approval and outcome: whether it ran is not known, and it is not tried again.
    Unknown,
}

const STATES: &[(&str, PlanState)] = &[
    ("WAITING", PlanState::Waiting),
    ("APPROVED", PlanState::Approved),
    ("DENIED", PlanState::Denied),
    ("EXPIRED", PlanState::Expired),
    ("DONE", PlanState::Done),
    ("UNKNOWN", PlanState::Unknown),
];

impl PlanState {
    /// The keyword's name.
    pub fn name(self) -> &'static str {
        STATES
            .iter()
            .find(|(_, state)| *state == self)
            .map_or("", |(name, _)| name)
    }
}

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

/// Why a plan could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalError {
    /// There is no such plan.
    #[error("there is no plan {id}; `passepartout-host status` lists those that wait")]
    NoSuchPlan {
        /// What was asked for.
        id: String,
    },
    /// It was answered before, or has expired.
    #[error("plan {id} is no longer waiting: it is {state}")]
    NotWaiting {
        /// The plan.
        id: String,
        /// Its state, for people.
        state: String,
    },
    /// A chat may answer its own session's plans only.
    #[error("plan {id} belongs to another session; approve it there, or with `passepartout-host approve {id}`")]
    OtherSession {
        /// The plan.
        id: String,
    },
    /// What was shown is not what waits.
    #[error("plan {id} is not the text that was shown to you (its digest differs); look at it again")]
    OtherText {
        /// The plan.
        id: String,
    },
    /// The system gave no random numbers for an id.
    #[error("the system gives no random numbers: {0}")]
    Random(#[from] getrandom::Error),
    /// It could not be put on disk; nothing has happened.
    #[error(transparent)]
    Log(#[from] LogError),
}

/// All plans, on disk and in memory.
#[derive(Debug)]
pub struct PlanStore {
    log: AppendLog,
    plans: BTreeMap<String, Plan>,
}

impl PlanStore {
    /// Opens the store. Plans that were approved and whose outcome is not recorded become [`PlanState::Unknown`].
    ///
    /// # Errors
    /// When the file can't be used; then nothing that asks can be approved.
    pub fn open(path: &Path) -> Result<(PlanStore, Recovery), LogError> {
        let (log, entries, recovery) = AppendLog::open(path)?;
        let mut plans: BTreeMap<String, Plan> = BTreeMap::new();
        for entry in entries {
            if let Some(plan) = Plan::from_entry(&entry) {
                plans.insert(plan.id.clone(), plan);
            } else if let (Some(id), Some(state)) = (entry.text_at("plan"), state_of(&entry))
                && let Some(plan) = plans.get_mut(id)
            {
                plan.state = state;
            }
        }
        let mut store = PlanStore { log, plans };
        let begun: Vec<String> = store.ids_in(PlanState::Approved);
        for id in begun {
            store.advance(&id, PlanState::Unknown)?;
        }
        Ok((store, recovery))
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

    /// Makes a plan under `id`, which is [new](PlanStore::new_id), and keeps it on disk.
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
        expires: UnixSeconds,
    ) -> Result<Plan, ApprovalError> {
        let digest = digest(&action, session, &asks);
        let plan = Plan {
            id,
            action,
            session,
            asks,
            signal,
            expires,
            digest,
            state: PlanState::Waiting,
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

    /// Consumes the plan: from now on it can't be approved again, also after a crash.
    ///
    /// # Errors
    /// When the plan doesn't wait, has expired, is not this approver's, or can't be consumed on disk.
    pub fn consume(&mut self, id: &str, by: Approver, now: UnixSeconds) -> Result<(Plan, Approval), ApprovalError> {
        let plan = self.answerable(id, by, now)?;
        self.advance(id, PlanState::Approved)?;
        let approval = Approval {
            plan: plan.id.clone(),
            action: plan.action.digest(),
            asks: plan.asks.clone(),
        };
        Ok((plan, approval))
    }

    /// Refuses the plan.
    ///
    /// # Errors
    /// As [`PlanStore::consume`].
    pub fn deny(&mut self, id: &str, by: Approver, now: UnixSeconds) -> Result<Plan, ApprovalError> {
        let plan = self.answerable(id, by, now)?;
        self.advance(id, PlanState::Denied)?;
        Ok(plan)
    }

    /// Notes that an approved plan has had its outcome.
    ///
    /// # Errors
    /// When that can't be kept; after a restart the outcome will be called unknown.
    pub fn finish(&mut self, id: &str) -> Result<(), ApprovalError> {
        Ok(self.advance(id, PlanState::Done)?)
    }

    /// Lets a plan wait again whose answer could not be taken up, so that nothing has begun.
    ///
    /// # Errors
    /// When that can't be kept.
    pub fn reopen(&mut self, id: &str) -> Result<(), ApprovalError> {
        Ok(self.advance(id, PlanState::Waiting)?)
    }

    /// The plans that wait although their time is over.
    pub fn over(&self, now: UnixSeconds) -> Vec<Plan> {
        let over = self.waiting(None).filter(|plan| plan.expires <= now);
        over.cloned().collect()
    }

    /// Notes that nobody answered the plan in time.
    ///
    /// # Errors
    /// When that can't be kept.
    pub fn expire(&mut self, id: &str) -> Result<(), ApprovalError> {
        Ok(self.advance(id, PlanState::Expired)?)
    }

    fn ids_in(&self, state: PlanState) -> Vec<String> {
        self.plans
            .values()
            .filter(|plan| plan.state == state)
            .map(|plan| plan.id.clone())
            .collect()
    }

    fn answerable(&self, id: &str, by: Approver, now: UnixSeconds) -> Result<Plan, ApprovalError> {
        let id_owned = || id.to_owned();
        let plan = self
            .plans
            .get(id)
            .ok_or_else(|| ApprovalError::NoSuchPlan { id: id_owned() })?
            .clone();
        if plan.state != PlanState::Waiting {
            let state = plan.state.name().to_lowercase();
            return Err(ApprovalError::NotWaiting { id: id_owned(), state });
        }
        match by {
            Approver::Chat(session) if session != plan.session => {
                return Err(ApprovalError::OtherSession { id: id_owned() });
            }
            Approver::Operator(shown) if shown != plan.digest => {
                return Err(ApprovalError::OtherText { id: id_owned() });
            }
            _ => {}
        }
        // Recorded as a time-out by whoever looks after that; here it is only no longer to be answered.
        if plan.expires <= now {
            return Err(ApprovalError::NotWaiting {
                id: id_owned(),
                state: "expired".to_owned(),
            });
        }
        Ok(plan)
    }

    fn advance(&mut self, id: &str, state: PlanState) -> Result<(), LogError> {
        self.log
            .append(&plist!("PLAN" => id, "STATE" => kw(state.name())), Durability::Synced)?;
        if let Some(plan) = self.plans.get_mut(id) {
            plan.state = state;
        }
        Ok(())
    }
}

fn digest(action: &Action, session: SessionId, asks: &[Ask]) -> Digest {
    let asks = Form::list(asks.iter().map(Ask::to_form).collect());
    let text = plist!("ACTION" => action.form().clone(), "SESSION" => session.to_string(), "ASKS" => asks);
    Digest::of("passepartout-plan-1", text.to_string().as_bytes())
}

fn state_of(entry: &Form) -> Option<PlanState> {
    let name = entry.at("state")?.keyword()?;
    STATES.iter().find(|(own, _)| *own == name).map(|(_, state)| *state)
}

impl Plan {
    fn to_entry(&self) -> Form {
        plist!(
            "PLAN" => &self.id, "STATE" => kw(self.state.name()), "SESSION" => self.session.to_string(),
            "EXPIRES" => self.expires, "ACTION" => self.action.form().clone(),
            "ASKS" => Form::list(self.asks.iter().map(Ask::to_form).collect()), "SIGNAL" => self.signal.clone(),
        )
    }

    fn from_entry(entry: &Form) -> Option<Plan> {
        let action = Action::from_stored(entry.at("action")?)?;
        let session: SessionId = entry.text_at("session")?.parse().ok()?;
        let asks: Vec<Ask> = entry.at("asks")?.items()?.iter().filter_map(Ask::from_form).collect();
        let digest = digest(&action, session, &asks);
        Some(Plan {
            id: entry.text_at("plan")?.to_owned(),
            action,
            session,
            asks,
            signal: entry.at("signal")?.clone(),
            expires: u64::try_from(entry.at("expires")?.as_int()?).ok()?,
            digest,
            state: state_of(entry)?,
        })
    }
}

#[cfg(test)]
mod tests;
