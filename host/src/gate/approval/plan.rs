//! A plan, and how it is written down.

use std::collections::BTreeMap;
use std::path::Path;

use super::{UnixSeconds, clock};
use crate::audit::read_entries;
use crate::gate::Ask;
use crate::plist;
use crate::sexp::{Digest, Form, kw};
use crate::signal::{Action, SessionId};

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
    /// The workspace that it was shown for: what the action names relatively lies there. Empty in one that an older version
    /// made, which is none.
    pub workspace: String,
    /// The signal that led to it, so that its turn can go on.
    pub signal: Form,
    /// When it was made, by the clock of that moment; 0 in one that an older version made.
    pub made: UnixSeconds,
    /// When it would lapse by that clock; see [`Plan::until`].
    pub expires: UnixSeconds,
    /// The earliest moment that a clock has shown afterwards which was before it was made.
    pub(super) earlier: Option<UnixSeconds>,
    /// How often a person has answered it.
    pub(super) answers: u64,
    /// The digest of action, session, asks and workspace.
    pub digest: Digest,
    /// How far it has come.
    pub state: PlanState,
    /// Whether it is over, and whoever proposed it has still to be told.
    pub untold: bool,
    /// Why a person denied it.
    pub reason: Option<String>,
}

/// How far a plan has come, as a line of the file says it.
#[derive(Clone, Debug)]
pub(super) struct Progress {
    pub(super) state: PlanState,
    pub(super) untold: bool,
    pub(super) reason: Option<String>,
}

/// How long a file may be that is read at once for whoever completes a line, in bytes.
const QUICKLY_READ: u64 = 16 << 20;

/// The ids of the plans that wait at the moment `now`, by the file of a daemon that may be writing it. Changes nothing, and
/// what can't be read is none.
pub fn waiting_in(path: &Path, now: UnixSeconds) -> Vec<String> {
    let waits = |plan: &Plan| plan.state == PlanState::Waiting && now < plan.until();
    let plans = plans_in(path).into_values().filter(waits);
    plans.map(|plan| plan.id).collect()
}

/// The ids of the `most` plans that were made last, in the same way, whatever became of them.
pub fn latest_in(path: &Path, most: usize) -> Vec<String> {
    let mut plans: Vec<Plan> = plans_in(path).into_values().collect();
    plans.sort_by_key(|plan| std::cmp::Reverse(plan.made));
    plans.into_iter().take(most).map(|plan| plan.id).collect()
}

fn plans_in(path: &Path) -> BTreeMap<String, Plan> {
    // Who completes a line waits for it, and for no pipe.
    if !path
        .metadata()
        .is_ok_and(|about| about.is_file() && about.len() <= QUICKLY_READ)
    {
        return BTreeMap::new();
    }
    let mut plans: BTreeMap<String, Plan> = BTreeMap::new();
    for entry in read_entries(path).unwrap_or_default() {
        if let Some(plan) = Plan::from_entry(&entry) {
            plans.insert(plan.id.clone(), plan);
        } else if let Some(plan) = entry.text_at("plan").and_then(|id| plans.get_mut(id)) {
            match Progress::read(&entry) {
                Some(progress) => plan.state = progress.state,
                None => clock::read(plan, &entry),
            }
        }
    }
    plans
}

impl Progress {
    pub(super) fn to(state: PlanState) -> Progress {
        Progress {
            state,
            untold: false,
            reason: None,
        }
    }

    /// A state that has still to be told.
    pub(super) fn untold(state: PlanState, reason: Option<String>) -> Progress {
        Progress {
            state,
            untold: true,
            reason,
        }
    }

    pub(super) fn read(entry: &Form) -> Option<Progress> {
        let name = entry.at("state")?.keyword()?;
        let (_, state) = STATES.iter().find(|(own, _)| *own == name)?;
        Some(Progress {
            state: *state,
            untold: entry.at("untold").is_some_and(Form::is_true),
            reason: entry.text_at("reason").map(str::to_owned),
        })
    }

    pub(super) fn to_entry(&self, id: &str) -> Form {
        let entry = plist!("PLAN" => id, "STATE" => kw(self.state.name()));
        let entry = if self.untold { entry.with("UNTOLD", true) } else { entry };
        match &self.reason {
            Some(reason) => entry.with("REASON", reason),
            None => entry,
        }
    }
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

    /// Whether nothing can come of the plan any more.
    pub(super) fn is_over(self) -> bool {
        !matches!(self, PlanState::Waiting | PlanState::Approved)
    }
}

pub(super) fn digest(action: &Action, session: SessionId, asks: &[Ask], workspace: &str) -> Digest {
    let asks = Form::list(asks.iter().map(Ask::to_form).collect());
    let text = plist!(
        "ACTION" => action.form().clone(), "SESSION" => session.to_string(), "ASKS" => asks, "WORKSPACE" => workspace,
    );
    Digest::of("passepartout-plan-2", text.to_string().as_bytes())
}

impl Plan {
    /// Whether it is over, its outcome known, and told.
    pub(super) fn is_settled(&self) -> bool {
        self.state.is_over() && self.state != PlanState::Unknown && !self.untold
    }

    pub(super) fn progress(&self) -> Progress {
        Progress {
            state: self.state,
            untold: self.untold,
            reason: self.reason.clone(),
        }
    }

    /// When it lapses. Where a clock has shown a moment before the plan was made, one of the two was wrong: it waits no
    /// longer from that moment than it would have from when it was made.
    pub fn until(&self) -> UnixSeconds {
        let bound = self.expires.saturating_sub(self.made);
        let earlier = self.earlier.map(|earlier| earlier.saturating_add(bound));
        earlier.map_or(self.expires, |earlier| earlier.min(self.expires))
    }

    /// What names how it has ended, or that it waits again: no two ends of one plan share it, nor do those of two plans.
    pub fn end(&self) -> String {
        match self.state {
            PlanState::Expired => format!("{} lapsed", self.id),
            _ => format!("{} {}", self.id, self.answers),
        }
    }

    /// How often a person has answered it, where that was more than once.
    pub fn answered_again(&self) -> Option<u64> {
        (self.answers > 1).then_some(self.answers)
    }

    pub(super) fn note(&mut self, progress: Progress) {
        let is_answer = matches!(progress.state, PlanState::Approved | PlanState::Denied);
        if self.state == PlanState::Waiting && is_answer {
            self.answers += 1;
        }
        (self.state, self.untold, self.reason) = (progress.state, progress.untold, progress.reason);
    }

    pub(super) fn to_entry(&self) -> Form {
        let entry = self.progress().to_entry(&self.id).joined(plist!(
            "SESSION" => self.session.to_string(), "ANSWERS" => self.answers,
            "WORKSPACE" => &self.workspace, "MADE" => self.made, "EXPIRES" => self.expires,
            "ACTION" => self.action.form().clone(),
            "ASKS" => Form::list(self.asks.iter().map(Ask::to_form).collect()), "SIGNAL" => self.signal.clone(),
        ));
        match self.earlier {
            Some(earlier) => entry.with("EARLIER", earlier),
            None => entry,
        }
    }

    pub(super) fn from_entry(entry: &Form) -> Option<Plan> {
        let action = Action::from_stored(entry.at("action")?)?;
        let session: SessionId = entry.text_at("session")?.parse().ok()?;
        let asks: Vec<Ask> = entry.at("asks")?.items()?.iter().filter_map(Ask::from_form).collect();
        let workspace = entry.text_at("workspace").unwrap_or_default().to_owned();
        let digest = digest(&action, session, &asks, &workspace);
        let Progress { state, untold, reason } = Progress::read(entry)?;
        let number = |key: &str| {
            entry
                .at(key)
                .and_then(Form::as_int)
                .and_then(|int| u64::try_from(int).ok())
        };
        Some(Plan {
            id: entry.text_at("plan")?.to_owned(),
            action,
            session,
            asks,
            workspace,
            signal: entry.at("signal")?.clone(),
            made: number("made").unwrap_or(0),
            expires: number("expires")?,
            earlier: number("earlier"),
            answers: number("answers").unwrap_or(0),
            digest,
            state,
            untold,
            reason,
        })
    }
}
