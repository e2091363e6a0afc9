//! What has become of plans and could not be told, or marked as told: tried again while the daemon runs.
//!
//! Only what failed once is tried again here. So nothing is touched that is being told, or carried out, at this moment.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Display;
use std::sync::Mutex;

use super::tell::Recorded;
use super::unread::Unread;
use super::{Core, lock, unix_now};
use crate::audit::LogError;
use crate::context::Line;
use crate::gate::approval::{Plan, PlanState};
use crate::signal::SessionId;

/// The end of a plan that could not be told.
#[derive(Debug, Default)]
struct End {
    /// The line that tells it where the record does not.
    line: Option<String>,
    /// Why it could not be told when it was tried last.
    why: String,
}

/// The plans whose ends are owed to whoever has to hear of them.
#[derive(Debug, Default)]
pub(super) struct Untold {
    /// Those of which it could not be told what became of them.
    ends: Mutex<BTreeMap<String, End>>,
    /// Those of these ends that their conversations tell, as far as that is known: what is left to do is no model's concern.
    in_conversation: Mutex<HashSet<String>>,
    /// Those that were approved and of which all is told, but for the mark that they are over.
    marks: Mutex<BTreeSet<String>>,
    /// The ends of which people were given word, and that are not marked as told yet.
    worded: Mutex<HashSet<String>>,
    /// What came of what nobody was asked about, by the session that has to hear it: with what its line names.
    lines: Mutex<BTreeMap<SessionId, Vec<(Line, String)>>>,
    /// Why a conversation could not be added to, where that failed when it was tried last.
    unsaid: Mutex<BTreeMap<SessionId, String>>,
    /// What was broken off, of which it is not known yet what came of it.
    pub(super) unread: Unread,
    /// Held while it is tried again, so that nothing is told twice at once.
    trying: Mutex<()>,
}

impl Untold {
    /// Notes that people are given word of this end. Says whether they were not yet.
    pub(super) fn gives_word(&self, plan: &Plan) -> bool {
        lock(&self.worded).insert(plan.end())
    }

    /// Notes that the plan is carried out from now on: what was owed of it is over, and nobody else looks how it ends. Waits
    /// for whoever looks at this moment.
    pub(super) fn begins(&self, id: &str) {
        let is_owed = lock(&self.ends).contains_key(id);
        if is_owed {
            let _trying = lock(&self.trying);
            lock(&self.ends).remove(id);
        }
    }

    /// Notes what came of a plan whose end can't be told yet: the line that tells it, unless the record does.
    pub(super) fn came(&self, id: &str, line: String) {
        lock(&self.ends).entry(id.to_owned()).or_default().line = Some(line);
    }

    /// The line that tells what came of a plan whose turn is over.
    pub(super) fn line_of(&self, id: &str) -> Option<String> {
        lock(&self.ends).get(id)?.line.clone()
    }

    /// Notes that a conversation tells this end of a plan.
    pub(super) fn stands(&self, end: &str) {
        lock(&self.in_conversation).insert(end.to_owned());
    }

    /// Whether anything has still to be told.
    pub(super) fn is_owing(&self) -> bool {
        let plans = !lock(&self.ends).is_empty() || !lock(&self.marks).is_empty();
        plans || !lock(&self.lines).is_empty() || self.unread.count() > 0
    }

    /// Notes a line that its conversation lacks, unless it is noted already.
    pub(super) fn owes(&self, session: SessionId, end: String, line: Line) {
        let mut all = lock(&self.lines);
        let lines = all.entry(session).or_default();
        if lines.iter().all(|(_, own)| *own != end) {
            lines.push((line, end));
        }
    }

    /// The lines that the conversation of `session` lacks, or that any does.
    pub(super) fn owed_lines(&self, session: Option<SessionId>) -> Vec<(SessionId, Vec<(Line, String)>)> {
        let lines = lock(&self.lines);
        let wanted = |id: &SessionId| session.is_none_or(|session| session == *id);
        let owed = lines.iter().filter(|(id, _)| wanted(id));
        owed.map(|(id, lines)| (*id, lines.clone())).collect()
    }

    /// Notes that the first `count` lines that a conversation lacked are in it now.
    pub(super) fn are_said(&self, session: SessionId, count: usize) {
        let mut all = lock(&self.lines);
        if let Some(lines) = all.get_mut(&session) {
            lines.drain(..count.min(lines.len()));
            if lines.is_empty() {
                all.remove(&session);
            }
        }
    }

    /// Notes how adding what was owed to a conversation went.
    pub(super) fn notes_saying(&self, session: SessionId, error: Option<String>) {
        let mut unsaid = lock(&self.unsaid);
        match error {
            Some(error) => drop(unsaid.insert(session, error)),
            None => drop(unsaid.remove(&session)),
        }
    }

    /// Notes that all is told of what became of the plan.
    pub(super) fn is_told(&self, plan: &Plan) {
        lock(&self.worded).remove(&plan.end());
        lock(&self.in_conversation).remove(&plan.end());
        lock(&self.ends).remove(&plan.id);
    }
}

impl Core {
    /// How many plans have come to an end that could not be told yet.
    pub fn untold_ends(&self) -> usize {
        lock(&self.untold.ends).len() + lock(&self.untold.marks).len()
    }

    /// Of how many actions that nobody was asked about it could not be told yet what came of them.
    pub fn untold_outcomes(&self) -> usize {
        let lines: usize = lock(&self.untold.lines).values().map(Vec::len).sum();
        lines + self.untold.unread.count()
    }

    /// Why something has still to be told, as far as that is known.
    pub fn why_untold(&self) -> Option<String> {
        let of_conversation = || lock(&self.untold.unsaid).values().next().cloned();
        let of_plan = || lock(&self.untold.ends).values().next().map(|end| end.why.clone());
        let why = self.untold.unread.why(None);
        why.or_else(of_conversation).or_else(of_plan)
    }

    /// Why the conversation of `session` does not say yet what came of something in it, where it does not.
    pub(super) fn why_unsaid(&self, session: SessionId) -> Option<String> {
        let is_owed = lock(&self.untold.lines).contains_key(&session);
        let why = lock(&self.untold.unsaid).get(&session).cloned();
        if let Some(why) = self.untold.unread.why(Some(session)) {
            return Some(why);
        }
        if is_owed {
            return Some(why.unwrap_or_else(|| "it could not be written".to_owned()));
        }
        // What else is owed of a plan than its line keeps no model from being asked.
        let lacks = |plan: &&Plan| {
            let may_have_line = plan.state == PlanState::Approved || self.heard(plan).is_some();
            may_have_line && !lock(&self.untold.in_conversation).contains(&plan.end())
        };
        let owed = self.owed_ends(Some(session));
        let lacking = owed.iter().find(lacks)?;
        lock(&self.untold.ends).get(&lacking.id).map(|end| end.why.clone())
    }

    /// Notes that it could not be told what became of a plan, and why.
    pub(super) fn not_told(&self, id: &str, error: &dyn Display) {
        lock(&self.untold.ends).entry(id.to_owned()).or_default().why = error.to_string();
        tracing::error!(
            plan = id,
            "what became of it can't be told, which is tried again: {error}"
        );
    }

    /// Notes that a plan could not be marked as over, and why.
    pub(super) fn not_finished(&self, id: &str, error: &dyn Display) {
        lock(&self.untold.marks).insert(id.to_owned());
        tracing::error!(
            plan = id,
            "that it is over can't be kept, which is tried again: {error}"
        );
    }

    /// Tries again to tell what could not be told, in `session` or in all. What still can't be is logged. Blocks.
    pub(super) fn tell_again(&self, session: Option<SessionId>) {
        let _trying = lock(&self.untold.trying);
        self.finish_again();
        self.owe_broken_off(session);
        self.say_again(session);
        let untold = self.owed_ends(session);
        // The record is long: nobody reads it for nothing.
        if untold.is_empty() {
            return;
        }
        // Asked before it is read: what it lacks then is in it nowhere.
        let is_recorded = self.is_recorded();
        let (record, is_whole) = match self.read_record() {
            Ok(Some(record)) => (record, is_recorded),
            Ok(None) => (Vec::new(), true),
            Err(error) => return self.tell_without_record(session, &untold, &error),
        };
        self.find_out(&untold, &record, is_whole, unix_now());
        let recorded = Recorded::of(&record);
        let untold = self.owed_ends(session);
        for (plan, telling) in self.tell_all(untold.iter().filter(|plan| plan.untold), &recorded) {
            if telling.is_told && plan.state == PlanState::Expired {
                self.send_lapsed(plan);
            }
        }
    }

    /// Tells what needs no record: what came of plans that have ended while the daemon runs. The others wait, as the record
    /// can't be read.
    fn tell_without_record(&self, session: Option<SessionId>, untold: &[Plan], error: &LogError) {
        for plan in untold {
            let line = self.untold.line_of(&plan.id);
            match line.filter(|_| plan.state == PlanState::Approved) {
                Some(line) => self.notes_outcome(plan, PlanState::Done, Some(line)),
                None => self.not_told(&plan.id, error),
            }
        }
        let known = self.owed_ends(session);
        let known = known.iter().filter(|plan| plan.untold && plan.state == PlanState::Done);
        self.tell_all(known, &Recorded::default());
    }

    /// The plans whose ends are owed, of `session` or of all. One that waits or was answered again meanwhile, or is told, is none.
    fn owed_ends(&self, session: Option<SessionId>) -> Vec<Plan> {
        let mut ends = lock(&self.untold.ends);
        let plans = self.plans();
        let owed = |id: &String| {
            let plan = plans.get(id)?;
            (plan.untold || plan.state == PlanState::Approved).then(|| plan.clone())
        };
        let mut owed: Vec<Plan> = ends.keys().filter_map(owed).collect();
        ends.retain(|id, _| owed.iter().any(|plan| plan.id == *id));
        owed.retain(|plan| session.is_none_or(|session| plan.session == session));
        owed
    }

    fn finish_again(&self) {
        let marks = lock(&self.untold.marks).clone();
        for id in marks {
            match self.plans().finish(&id) {
                Ok(()) => drop(lock(&self.untold.marks).remove(&id)),
                Err(error) => tracing::error!(plan = id, "that it is over still can't be kept: {error}"),
            }
        }
    }
}
