//! Telling what became of what was proposed, where no turn tells it.
//!
//! A proposal that stands in a conversation gets a line of the tool there, whatever became of it: else the next question
//! is asked as if it were still to be answered. How a plan ended is marked with the plan first. Then one function tells it,
//! to the record, to the conversation and to whoever was not there, to each unless it is there already, and marks it as
//! told: so that a kill at any moment leaves it told once.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::session::Session;
use super::{Core, Refused, unix_now};
use crate::audit::{Durability, LogError, read_entries};
use crate::capability::schedule::is_fired;
use crate::context::{Line, Speaker, cut};
use crate::gate::Rejection;
use crate::gate::approval::{Plan, PlanState};
use crate::plist;
use crate::sexp::{Form, kw};
use crate::signal::frames::{self, Upshot};
use crate::signal::{Action, Meta, Origin, SessionId, Signal};

pub(super) const BROKEN_OFF: &str =
    "the daemon ended while it was carried out, and nobody knows how far it came; it is not tried again";

/// How much of an action is told beside what became of it, in bytes: the whole of it stands above.
pub(super) const NAMED: usize = 2_000;

/// The ends of plans that the record has: kind, plan and which answer to it.
#[derive(Debug, Default)]
pub(super) struct Recorded(HashSet<[String; 3]>);

impl Recorded {
    pub(super) fn of(entries: &[Form]) -> Recorded {
        Recorded(entries.iter().filter_map(key).collect())
    }

    fn has(&self, entry: &Form) -> bool {
        key(entry).is_some_and(|key| self.0.contains(&key))
    }
}

/// How telling the end of a plan went.
#[derive(Debug)]
pub(super) struct Telling {
    pub(super) is_told: bool,
    /// What people hear of it.
    pub(super) word: Option<String>,
}

fn key(entry: &Form) -> Option<[String; 3]> {
    let text = |key: &str| entry.get(key).map_or_else(String::new, Form::to_string);
    entry.text_at("plan")?;
    Some(["KIND", "PLAN", "ANSWER"].map(text))
}

impl Core {
    /// Tells what became of each plan of which that was not told before the daemon last ended. What can't be told is logged,
    /// keeps no other from being told, and is [tried again](Core::write_again). Returns, for whoever starts the daemon, what
    /// nobody else has been told.
    pub fn tell_untold(&self) -> Vec<String> {
        let untold = self.plans().untold();
        if untold.is_empty() {
            return Vec::new();
        }
        // It is long, and read once for all of them.
        let record = match read_entries(&self.record_path()) {
            Ok(record) => record,
            Err(error) => {
                untold.iter().for_each(|plan| self.not_told(&plan.id, &error));
                return untold.iter().filter_map(word).collect();
            }
        };
        self.find_out(&untold, &record, true, unix_now());
        let (untold, recorded) = (self.plans().untold(), Recorded::of(&record));
        let told = self.tell_all(&untold, &recorded);
        told.into_iter().filter_map(|(_, telling)| telling.word).collect()
    }

    /// Tells what has just become of a plan, as far as it can, and says whether it could.
    pub(super) fn tell_ended(&self, plan: &Plan) -> bool {
        let told = self.tell_all([plan], &Recorded::default());
        told.iter().all(|(_, telling)| telling.is_told)
    }

    /// Tells what became of plans; what can't be told is logged, and owed. Each conversation is read once, and left alone
    /// after the first line that can't be added to it.
    pub(super) fn tell_all<'a>(
        &self,
        plans: impl IntoIterator<Item = &'a Plan>,
        recorded: &Recorded,
    ) -> Vec<(&'a Plan, Telling)> {
        let mut conversations: BTreeMap<SessionId, Vec<&Plan>> = BTreeMap::new();
        for plan in plans {
            conversations.entry(plan.session).or_default().push(plan);
        }
        let told = conversations.into_iter();
        told.flat_map(|(session, plans)| self.tell_in(session, plans, recorded))
            .collect()
    }

    /// The same of plans of one conversation: the record has their ends before it.
    fn tell_in<'a>(&self, session: SessionId, plans: Vec<&'a Plan>, recorded: &Recorded) -> Vec<(&'a Plan, Telling)> {
        let kept: Vec<Result<Option<Line>, LogError>> =
            plans.iter().map(|plan| self.record_end(plan, recorded)).collect();
        let lines = plans.iter().zip(&kept);
        let ends: Vec<(Line, String)> = lines
            .filter_map(|(plan, kept)| Some((kept.as_ref().ok()?.clone()?, plan.end())))
            .collect();
        let mut stood = Vec::new();
        let unsaid = self.sessions.tell_ends(session, &ends, &mut stood).err();
        let standing = ends.iter().take(stood.len());
        standing.for_each(|(_, end)| self.untold.stands(end));
        let mut stood = stood.into_iter();
        let told = plans.into_iter().zip(kept).map(|(plan, kept)| {
            let told = match kept {
                Err(error) => Err(error.to_string()),
                Ok(None) => self.give_word(plan, false),
                Ok(Some(_)) => match stood.next() {
                    Some(stood) => self.give_word(plan, stood),
                    None => Err(unsaid.as_ref().map_or_else(String::new, ToString::to_string)),
                },
            };
            (plan, self.telling(plan, told))
        });
        told.collect()
    }

    /// Notes how telling what became of a plan went.
    fn telling(&self, plan: &Plan, told: Result<Option<String>, String>) -> Telling {
        match told {
            Ok(word) => {
                self.untold.is_told(plan);
                Telling { is_told: true, word }
            }
            Err(error) => {
                self.not_told(&plan.id, &error);
                Telling {
                    is_told: false,
                    word: word(plan),
                }
            }
        }
    }

    /// Records the end of a plan unless it is, and returns what its conversation has to hear.
    fn record_end(&self, plan: &Plan, recorded: &Recorded) -> Result<Option<Line>, LogError> {
        if let Some(entry) = entry(plan).filter(|entry| !recorded.has(entry)) {
            self.keep(entry, Durability::Synced)?;
        }
        // It is the host's own, but for what the action and its outcome say.
        Ok(self.heard(plan).map(|text| Line {
            speaker: Speaker::Tool,
            text: text.into(),
            tainted: plan.state == PlanState::Done || plan.signal.at("tainted").is_some_and(Form::is_true),
        }))
    }

    /// Gives people word of what became of a plan that all else was told of, marks it as told, and returns what they hear.
    fn give_word(&self, plan: &Plan, stood_there: bool) -> Result<Option<String>, String> {
        // What came of it was told to whoever was there.
        let is_known = stood_there && plan.state == PlanState::Done;
        let word = word(plan).filter(|_| !is_known);
        if let Some(word) = word.as_ref().filter(|_| self.untold.gives_word(plan)) {
            self.note_unheard_of(plan.session, &self.with_what(plan, word));
        }
        let told = self.plans().told(&plan.id);
        told.map(|()| word).map_err(|error| error.to_string())
    }

    /// What the conversation of a plan hears of its end, if anything.
    pub(super) fn heard(&self, plan: &Plan) -> Option<String> {
        let (label, reason) = (plan.action.label(), plan.reason.as_deref());
        let for_model = is_for_model(&plan.action);
        match plan.state {
            PlanState::Denied => for_model.then(|| denied(plan)),
            PlanState::Unknown => Some(format!("{label}: {BROKEN_OFF}: {}", named(plan))),
            PlanState::Waiting => for_model.then(|| {
                let why = reason.unwrap_or_default();
                format!(
                    "{label}: not carried out so far, because {why}; it waits for the person: {}",
                    named(plan)
                )
            }),
            PlanState::Expired if for_model => {
                let why = reason.map_or_else(
                    || "nobody answered in time whether this may be done".to_owned(),
                    |reason| format!("{reason}, and its time is over"),
                );
                Some(format!("REJECTED: {why}, and it was not carried out: {}", named(plan)))
            }
            PlanState::Expired if *plan.action.origin() == Origin::Person => None,
            PlanState::Expired => Some(self.with_what(plan, &lapsed(plan))),
            PlanState::Done => plan.reason.clone(),
            PlanState::Approved => None,
        }
    }

    /// `word`, and what it is about.
    fn with_what(&self, plan: &Plan, word: &str) -> String {
        let said = plan.action.payload().text_at("text").filter(|_| is_fired(&plan.action));
        let label = plan.action.label();
        let what = said.map_or_else(|| label.clone(), |text| format!("{label}: {text}"));
        self.secrets.now().hide(format!("{word} ({what})"))
    }

    /// Lets a plan wait again that a person has approved and of which nothing has begun, and tells why: to whoever approved it
    /// as well. What of that can't be kept is logged.
    pub(super) async fn wait_again(self: &Arc<Core>, session: &Session, plan: Plan, meta: &Meta, why: String) {
        let text = format!("plan {} was not carried out, and still waits: {why}", plan.id);
        let id = plan.id.clone();
        let kept = self.blocking(move |core| {
            let kept = core.plans().turned_out(&plan.id, PlanState::Waiting, Some(why));
            let waits = core.plans().get(&plan.id).cloned();
            if let Some(plan) = waits {
                core.tell_ended(&plan);
            }
            Ok(kept?)
        });
        if let Err(error) = kept.await {
            tracing::error!(plan = id, "that it waits again can't be kept: {error}");
        }
        session.became(Upshot::Waiting);
        session.keep_upshot();
        self.outlet
            .send(session.id(), frames::turn_error(meta, "plan-waits", &text));
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

/// Whether a model proposed it, or goes on with what comes of it; else a person did, or a skill is woken by it.
pub(super) fn is_for_model(action: &Action) -> bool {
    *action.origin() != Origin::Person && !(is_fired(action) && matches!(action.origin(), Origin::Skill(_)))
}

/// The entry of a denial in the record.
pub(super) fn denial(plan: &Plan) -> Form {
    ended(plan, "DENIAL").with("REASON", plan.reason.clone())
}

/// The entry of how a plan ended; none where the record has that by itself.
fn entry(plan: &Plan) -> Option<Form> {
    match plan.state {
        PlanState::Denied => Some(denial(plan)),
        PlanState::Unknown => Some(ended(plan, "UNKNOWN").with("REASON", BROKEN_OFF)),
        PlanState::Waiting => Some(ended(plan, "REOPENED").with("REASON", plan.reason.clone())),
        PlanState::Expired => Some(match &plan.reason {
            Some(reason) => ended(plan, "EXPIRY").with("REASON", reason),
            None => ended(plan, "EXPIRY"),
        }),
        PlanState::Done | PlanState::Approved => None,
    }
}

fn ended(plan: &Plan, kind: &str) -> Form {
    let entry = plist!("KIND" => kw(kind), "PLAN" => &plan.id, "DIGEST" => plan.action.digest().to_string());
    match plan.answered_again() {
        Some(answer) => entry.with("ANSWER", answer),
        None => entry,
    }
}

/// What the model hears of a plan that was denied.
pub(super) fn denied(plan: &Plan) -> String {
    let reason = plan.reason.as_ref().map(|reason| format!(" and said why: {reason}"));
    format!(
        "REJECTED: the person denied this action{}. It was not carried out: {}",
        reason.unwrap_or_default(),
        named(plan)
    )
}

/// Which action it was.
fn named(plan: &Plan) -> String {
    cut(plan.action.canonical(), NAMED)
}

/// What people hear of a plan that lapsed.
pub(super) fn lapsed(plan: &Plan) -> String {
    let why = plan.reason.as_deref().unwrap_or("nobody answered it in time");
    format!("plan {} lapsed: {why}, and it was not carried out", plan.id)
}

/// What people hear of how a plan ended who were not there; nothing of what they did themselves.
fn word(plan: &Plan) -> Option<String> {
    let (id, reason) = (&plan.id, plan.reason.as_deref());
    match plan.state {
        PlanState::Unknown => Some(format!("plan {id}: {BROKEN_OFF}")),
        PlanState::Waiting => Some(format!("plan {id} was not carried out, and waits again: {}", reason?)),
        PlanState::Expired => Some(lapsed(plan)),
        PlanState::Done => reason.map(|_| {
            format!(
                "plan {id} had come to its end, and that could not be told; `passepartout-host explain {id}` says how"
            )
        }),
        PlanState::Denied | PlanState::Approved => None,
    }
}
