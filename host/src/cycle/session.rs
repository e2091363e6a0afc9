//! A session: one conversation, its turns kept on disk, one cycle at a time.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

use super::hiding::Turns;
use super::kept::{Kept, Owner, said};
use super::over::Over;
use super::queue::{QUEUE, Queue, Queued};
use super::repeats::Repeats;
use super::turn::{Job, Stopper, TurnUpshot};
use super::unbegun::Waits;
use super::unsaid::{BrokenOff, Unsaid};
use crate::audit::{Durability, LogError};
use crate::context::{Conversation, Line, Speaker, Window};
use crate::plist;
use crate::sexp::{Form, Text};
use crate::signal::SessionId;
use crate::signal::frames::Upshot;

/// Longest note, in characters.
const NOTE: usize = 1_000;

/// One conversation.
#[derive(Debug)]
pub struct Session {
    id: SessionId,
    queue: Mutex<Queue>,
    state: Mutex<State>,
    /// How often skills have asked the model in the turn that is running.
    model_calls: Arc<AtomicU64>,
    upshot: Mutex<TurnUpshot>,
    owner: Owner,
    /// What the turn that is running has done last.
    repeats: Mutex<Repeats>,
    /// Whether the cycle that runs is another attempt at the same signal.
    again: AtomicBool,
    /// Whether the daemon ends, and not a person stopped what was running.
    ends: AtomicBool,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) conversation: Conversation,
    pub(super) log: Turns,
    notes: VecDeque<String>,
    note_limit: usize,
    /// What `/continue` goes on with: what was stored of a signal that says what the last line says.
    pub(super) deferred: Option<Form>,
    /// Whether the running turn asks a model.
    pub(super) asks: bool,
    /// Whether it goes on with what was deferred, and has not said anything else to go on with.
    pub(super) goes_on: bool,
    /// Why the request before got no answer, where the conversation does not say yet that it is over.
    pub(super) over: Option<Over>,
    /// The end of a plan that is told by what is said.
    telling: Option<String>,
    /// Whether anything has told it.
    told: bool,
    /// What the running turn has to say of what it does.
    pub(super) unsaid: Option<Unsaid>,
    /// What had not been said of what was done before, when the session was opened.
    pub(super) broken_off: Vec<BrokenOff>,
    /// The requests that wait.
    pub(super) waits: Waits,
}

impl State {
    pub(super) fn say(&mut self, line: Line, end: Option<&str>) -> Result<(), LogError> {
        let entry = said(&line, end);
        self.keep(line, &entry)
    }

    pub(super) fn keep(&mut self, line: Line, entry: &Form) -> Result<(), LogError> {
        self.log.append(entry, Durability::Written)?;
        self.conversation.push(line);
        let waited = self.deferred.take().filter(|_| !self.asks);
        self.over = waited.as_ref().map(Over::of_waiting).or(self.over);
        Ok(())
    }
}

impl Session {
    /// The session `id`, and the queue of its turns.
    pub(super) fn new(
        id: SessionId,
        owner: Owner,
        kept: Kept,
        log: Turns,
        note_limit: usize,
    ) -> (Session, mpsc::Receiver<Job>) {
        let (sender, queue) = mpsc::channel(QUEUE);
        let session = Session {
            id,
            queue: Mutex::new(Queue::to(sender)),
            state: Mutex::new(State {
                conversation: Conversation::new(kept.lines),
                log,
                notes: VecDeque::new(),
                note_limit,
                deferred: kept.deferred,
                asks: false,
                goes_on: false,
                over: kept.is_broken_off.then_some(Over::BrokenOff),
                telling: None,
                told: false,
                unsaid: None,
                broken_off: kept.broken_off,
                waits: Waits::left(kept.unbegun),
            }),
            model_calls: Arc::default(),
            upshot: Mutex::default(),
            owner,
            repeats: Mutex::default(),
            again: AtomicBool::new(false),
            ends: AtomicBool::new(false),
        };
        (session, queue)
    }

    /// The id.
    pub fn id(&self) -> SessionId {
        self.id
    }

    /// Whose it is.
    pub(super) fn owner(&self) -> Owner {
        self.owner
    }

    /// Notes that a turn begins.
    pub(super) fn begin(&self) {
        self.model_calls.store(0, Ordering::Relaxed);
        self.again.store(false, Ordering::Relaxed);
        *self.repeats() = Repeats::default();
        *self.turn_upshot() = TurnUpshot::default();
        self.tells(None);
    }

    /// Notes what became of something the running turn set out to do.
    pub(super) fn became(&self, upshot: Upshot) {
        self.turn_upshot().became(upshot);
    }

    /// What was noted last is what a person approved: whatever follows in the turn follows from it.
    pub(super) fn keep_upshot(&self) {
        self.turn_upshot().keep();
    }

    /// What became of what the turn set out to do.
    pub(super) fn upshot(&self) -> Option<Upshot> {
        self.turn_upshot().upshot()
    }

    /// Whether what the turn did last has failed.
    pub(super) fn has_failed(&self) -> bool {
        self.turn_upshot().last() == Some(Upshot::Failed)
    }

    fn turn_upshot(&self) -> MutexGuard<'_, TurnUpshot> {
        self.upshot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the turn that is running has done last.
    pub(super) fn repeats(&self) -> MutexGuard<'_, Repeats> {
        self.repeats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How often skills have asked the model in the turn that is running.
    pub(super) fn model_calls(&self) -> Arc<AtomicU64> {
        self.model_calls.clone()
    }

    /// Notes that the turn that was running is over: from here on it can't be stopped, but its end is still to be told.
    pub(super) fn ending(&self) {
        let mut queue = self.queue();
        queue.turns.pop_front();
        queue.ending = true;
    }

    /// Notes that the end of the turn has been told.
    pub(super) fn ended(&self) {
        self.queue().ending = false;
    }

    /// Stops the turn that is running, or was about to. What it was asked for, if there was one.
    pub fn stop(&self) -> Option<Text> {
        let queue = self.queue();
        let turn = queue.turns.front()?;
        turn.cancel.cancel();
        Some(turn.told())
    }

    /// What the turn that is running, or is about to, was asked for.
    pub fn running(&self) -> Option<Text> {
        self.queue().turns.front().map(Queued::told)
    }

    /// Stops the first turn that runs or waits for one of these requests, and no other. Clients that name theirs alike can't
    /// be told apart.
    pub fn stop_one_of(&self, requests: &[Form]) {
        let queue = self.queue();
        let is_one = |turn: &&Queued| turn.request.as_ref().is_some_and(|own| requests.contains(own));
        if let Some(turn) = queue.turns.iter().find(is_one) {
            turn.cancel.cancel();
        }
    }

    /// Stops the turn that is running and all that wait, because the daemon ends.
    pub fn end_all(&self) {
        self.ends.store(true, Ordering::Relaxed);
        self.queue().turns.iter().for_each(|turn| turn.cancel.cancel());
    }

    /// Who stopped a turn that is stopped.
    pub(super) fn stopper(&self) -> Stopper {
        if self.ends.load(Ordering::Relaxed) {
            Stopper::Daemon
        } else {
            Stopper::Person
        }
    }

    /// Whether a turn is running or waits, or has an end that nobody has been told yet.
    pub fn is_running(&self) -> bool {
        !self.queue().is_idle()
    }

    /// Notes that the cycle that begins is another attempt at the same signal: what that says was said already.
    pub(super) fn try_again(&self) {
        self.again.store(true, Ordering::Relaxed);
    }

    /// Adds what a signal says to the conversation, unless it is there from an earlier attempt: a model is asked about it.
    ///
    /// # Errors
    /// As [`Session::say`].
    pub(super) fn hear(&self, line: Line) -> Result<(), LogError> {
        if self.again.swap(false, Ordering::Relaxed) && self.state().was_said_last(&line) {
            return Ok(());
        }
        self.say_by(line, State::ask)
    }

    /// What is said from now on tells the `end` of a plan, so that it is not told again after a kill; or nothing does. Returns
    /// whether the one before was told.
    pub(super) fn tells(&self, end: Option<String>) -> bool {
        let mut state = self.state();
        state.telling = end;
        std::mem::take(&mut state.told)
    }

    /// Adds a line to the conversation, on disk first. From then on there is nothing else to go on with.
    ///
    /// # Errors
    /// When it can't be kept; then it was not said.
    pub(super) fn say(&self, line: Line) -> Result<(), LogError> {
        self.say_by(line, State::say)
    }

    fn say_by(
        &self,
        line: Line,
        say: impl FnOnce(&mut State, Line, Option<&str>) -> Result<(), LogError>,
    ) -> Result<(), LogError> {
        let mut state = self.state();
        let end = state.telling.clone();
        if end.is_none() && line.speaker == Speaker::Tool && state.unsaid.is_some() {
            return state.say_outcome(line);
        }
        let said = say(&mut state, line, end.as_deref());
        state.told |= said.is_ok() && end.is_some();
        said
    }

    /// What of the conversation goes to the model, within `tokens`.
    pub(super) fn window(&self, tokens: usize) -> Window {
        self.state().conversation.window(tokens)
    }

    /// Adds a line to the host's log of this session, which the model is shown as the host's own words: one line of bounded
    /// length. It says what happened, and by whom; what a model, a skill or a peer said is none of it.
    pub(super) fn note(&self, line: impl AsRef<str>) {
        let line = one_line(line.as_ref());
        tracing::info!(session = %self.id, "{line}");
        self.keep_note(line);
    }

    /// The same with a `detail`, which is for the daemon's log alone: what may be a page's words by way of a model or a
    /// skill comes back to no model as the host's.
    pub(super) fn note_with(&self, line: &str, detail: &str) {
        let line = one_line(line);
        tracing::info!(session = %self.id, "{line}: {}", one_line(detail));
        self.keep_note(line);
    }

    fn keep_note(&self, line: String) {
        let mut state = self.state();
        if state.notes.len() >= state.note_limit {
            state.notes.pop_front();
        }
        state.notes.push_back(line);
    }

    /// The newest lines of the host's log of this session.
    pub(super) fn notes(&self) -> Vec<String> {
        self.state().notes.iter().cloned().collect()
    }

    pub(super) fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while the lock is held; if it did, the state would still be whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `text` on one line, what can't be seen made visible, cut after [`NOTE`] characters.
fn one_line(text: &str) -> String {
    let shown: String = text.chars().take(NOTE).collect();
    let cut = if shown.len() < text.len() { "…" } else { "" };
    crate::sexp::visible(&shown.replace(['\n', '\t'], " ")) + cut
}

impl Session {
    /// A line for `sessions`: `(:SESSION-ID … :LINES …)`.
    pub fn to_form(&self) -> Form {
        let (running, lines) = (self.is_running(), self.state().conversation.lines().len());
        plist!("SESSION-ID" => self.id.to_string(), "LINES" => lines, "RUNNING" => running)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;
    use crate::audit::{AppendLog, Writes};
    use crate::vault::Secrets;

    fn line(text: &str) -> Line {
        Line {
            speaker: Speaker::User,
            text: text.into(),
            tainted: false,
        }
    }

    #[test]
    fn what_is_said_again_in_another_turn_is_heard_though_an_attempt_before_heard_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (log, ..) = AppendLog::open(&folder.path().join("a.turns"), &Writes::default()).unwrap();
        let id = SessionId::random().unwrap();
        let (session, _queue) = Session::new(
            id,
            Owner::Operator,
            Kept::read(&[]),
            Turns::on(log, &Secrets::default()),
            10,
        );
        let heard = || session.state().conversation.lines().len();
        session.begin();
        session.hear(line("hello")).unwrap();
        session.try_again();
        session.hear(line("hello")).unwrap();
        assert_eq!(heard(), 1, "another attempt at the same");
        // An attempt at what says nothing to the model.
        session.try_again();
        session.begin();
        session.hear(line("hello")).unwrap();
        assert_eq!(heard(), 2, "a person said it twice");
    }
}
