//! A loaded skill: everything the loop can ask of one, under its bounds.
//!
//! All calls block, and belong on threads where that does no harm. A call that fails says why and leaves nothing
//! behind. Decisions and actions have fresh instances; what is kept, for prompts or because the skill keeps state, is
//! dropped after a fault.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use super::component::{Code, Running, Tenant};
use super::describe::{Description, Function, TargetClaim};
use super::quarantine::{LeftAlone, Quarantine};
use super::right::Right;
use super::sessions::Sessions;
use super::stock::Shelf;
use super::tally::Tally;
use crate::capability::own::{CarryOut, OnBehalf};
use crate::capability::{Bound, Effects, Failure, Held, Turn, files};
use crate::gate::GateFault;
use crate::gate::chain::Cleared;
use crate::sexp::{Digest, Form, is_blank};
use crate::signal::{Action, Signal};

/// Where a skill came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// It is part of the host.
    Bundled,
    /// A file of the skills folder.
    File(PathBuf),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Bundled => f.write_str("bundled"),
            Source::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Why an action was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SkillFault {
    /// The skill said so itself.
    #[error("{0}")]
    Said(String),
    /// It failed, or hit a bound.
    #[error("the skill `{skill}` {fault}{}{}", fault.acting_bound(.skill), if *.state_lost { "; what it kept for this session is gone" } else { "" })]
    Failed {
        /// The skill.
        skill: String,
        /// What happened.
        fault: GateFault,
        /// Whether state of the session went with it.
        state_lost: bool,
    },
}

/// A skill that is ready.
pub struct Skill {
    pub(super) tenant: Tenant,
    pub(super) digest: Digest,
    pub(super) source: Source,
    pub(super) description: Description,
    pub(super) rights: BTreeSet<Right>,
    pub(super) imports: Vec<String>,
    pub(super) required: bool,
    pub(super) pure: Code,
    pub(super) shelf: Arc<Shelf>,
    pub(super) acting: Option<Code>,
    pub(super) sessions: Sessions,
    pub(super) tally: Tally,
    pub(super) quarantine: Quarantine,
}

/// What a cleared action is carried out by.
#[derive(Clone, Copy)]
enum Job<'a> {
    Act,
    Tool(&'a str),
}

impl Skill {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.tenant.name
    }

    /// The digest of its file.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// How much compiled code it holds, in bytes.
    pub(super) fn code(&self) -> u64 {
        self.pure.size() + self.acting.as_ref().map_or(0, Code::size)
    }

    /// What it says of itself.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Carries out an action of the skill's own that the host does itself, within what the skill is granted.
    ///
    /// # Errors
    /// Whatever kept it from being done.
    pub fn on_behalf(&self, carry_out: CarryOut, action: &Cleared<Action>, turn: &Turn) -> Result<String, Failure> {
        carry_out(action, &self.granted(turn))
    }

    /// What the host adds to a call of one of the skill's tools with `args`: the digest of the file that it would write
    /// to, or nothing. Blocks.
    pub fn base_of(&self, args: &Form, turn: &Turn) -> Form {
        if files::may_write(&self.tenant.rights) {
            files::base_of(args, &self.granted(turn))
        } else {
            Form::Nil
        }
    }

    /// How a file would change, were `action` carried out by it: for people only. Nothing where it writes none. Blocks: the
    /// file is read.
    pub fn changes(&self, action: &Action, turn: &Turn) -> Option<String> {
        files::may_write(&self.tenant.rights).then(|| files::changes(action, &self.granted(turn)))?
    }

    /// Why `action` would fail, were it carried out by it now, where that is certain. Blocks: the disk is asked.
    pub fn futile(&self, action: &Action, turn: &Turn) -> Option<String> {
        files::may_write(&self.tenant.rights).then(|| files::futile(action, &self.granted(turn)))?
    }

    /// Why `action` would fail or change nothing, by what the file holds that it would write. Only for a model that may read
    /// that file, unasked. Blocks: the file is read.
    pub fn futile_by_content(&self, action: &Action, turn: &Turn) -> Option<String> {
        files::may_write(&self.tenant.rights).then(|| files::futile_by_content(action, &self.granted(turn)))?
    }

    fn granted<'a>(&'a self, turn: &'a Turn) -> OnBehalf<'a> {
        OnBehalf {
            skill: self.name(),
            rights: &self.tenant.rights,
            limits: &self.tenant.limits,
            turn,
        }
    }

    /// Takes back what it was granted, from its actions that run too: the next thing that one asks of the host ends it.
    pub(super) fn withdraw(&self) {
        self.tenant.rights.withdraw();
    }

    /// Whether it may schedule.
    pub fn may_schedule(&self) -> bool {
        self.tenant.rights.has(&Bound::Schedule)
    }

    /// Whether it may be called on the heartbeat.
    pub(super) fn may_claim_the_heartbeat(&self) -> bool {
        self.rights.contains(&Right::Heartbeat)
    }

    pub(super) fn has(&self, function: Function) -> bool {
        self.description.functions.contains(&function)
    }

    pub(super) fn is_gate(&self) -> bool {
        self.has(Function::Gate)
    }

    /// The claim by which `action` is the skill's to carry out.
    pub fn claim(&self, action: &Action) -> Option<&TargetClaim> {
        self.description.targets.iter().find(|claim| claim.covers(action))
    }

    /// Carries out `action` for a target of the skill's.
    ///
    /// # Errors
    /// What the skill answered with, or what ended it.
    pub fn act(
        &self,
        action: &Cleared<Action>,
        signal: &Signal,
        effects: Arc<dyn Effects>,
    ) -> Result<String, SkillFault> {
        self.carry_out(action, signal, effects, Job::Act)
    }

    /// Runs the tool `name` for `action`.
    ///
    /// # Errors
    /// What the skill answered with, or what ended it.
    pub fn call_tool(
        &self,
        name: &str,
        action: &Cleared<Action>,
        signal: &Signal,
        effects: Arc<dyn Effects>,
    ) -> Result<String, SkillFault> {
        self.carry_out(action, signal, effects, Job::Tool(name))
    }

    fn carry_out(
        &self,
        action: &Cleared<Action>,
        signal: &Signal,
        effects: Arc<dyn Effects>,
        job: Job,
    ) -> Result<String, SkillFault> {
        let failed = |fault: GateFault, state_lost: bool| SkillFault::Failed {
            skill: self.name().to_owned(),
            fault,
            state_lost,
        };
        let Some(code) = &self.acting else {
            let reason = "it has no function that carries out actions".to_owned();
            return Err(failed(GateFault::Unavailable { reason }, false));
        };
        let its = effects.clone();
        let start = || code.start(&self.tenant);
        let work = |running: &mut Running| {
            running.begin(
                Instant::now(),
                &self.tenant.settings,
                &self.tenant.secrets.now(),
                action.get().canonical().len(),
            )?;
            let (own, about) = running.frame(
                Held::Action(action.get().clone()),
                Some(Held::Form(Arc::new(signal.to_form()))),
            );
            running.carry_out(action, own, effects);
            let (said,): (Result<String, String>,) = match job {
                Job::Act => running.call(&code.exports.act, (own, about)),
                Job::Tool(name) => running.call(&code.exports.call_tool, (name.to_owned(), own, about)),
            }?;
            self.tally.saw_memory(running.memory());
            match said {
                Ok(text) => running.bounded(text).map(Ok),
                Err(text) => running.bounded(text).map(Err),
            }
        };
        let function = match job {
            Job::Act => Function::Act,
            Job::Tool(_) => Function::CallTool,
        };
        let mut state_lost = false;
        let outcome = self.ask(function, || {
            if self.description.state {
                let outcome = self.sessions.with(signal.meta.session, its.turn(), start, work);
                state_lost = outcome.as_ref().is_err_and(|ended| ended.state_lost);
                outcome.map_err(|ended| ended.fault)
            } else {
                start().and_then(|mut running| work(&mut running))
            }
        });
        match outcome {
            Ok(Ok(text)) => Ok(text),
            Ok(Err(text)) => Err(SkillFault::Said(text)),
            Err(fault) => Err(failed(fault, state_lost)),
        }
    }

    /// Whether the skill's prompt is meant for the signal: by its declared triggers, without a call, or by its own
    /// function. A skill with neither is always meant.
    ///
    /// # Errors
    /// What ended the call.
    pub fn is_triggered(&self, signal: &Arc<Form>) -> Result<bool, GateFault> {
        if self.description.triggers.iter().any(|rule| rule.matches(signal)) {
            return Ok(true);
        }
        if self.has(Function::Trigger) {
            return self.pure_call(Function::Trigger, signal, |running, code, signal| {
                running.call(&code.exports.trigger, (signal,)).map(|(meant,)| meant)
            });
        }
        Ok(self.description.triggers.is_empty())
    }

    /// What is said to the model beside the user's text. Nothing to read is nothing. It is kept with each turn it begins, so
    /// that one which is longer than the skill may ask a model is cut, and says so.
    ///
    /// # Errors
    /// What ended the call.
    pub fn prompt(&self, signal: &Arc<Form>) -> Result<Option<String>, GateFault> {
        let prompt = self.text_of(Function::Prompt, signal, |code| &code.exports.prompt)?;
        let allowed = self.tenant.limits.model_prompt;
        let most = usize::try_from(allowed).unwrap_or(usize::MAX);
        Ok(prompt.filter(|prompt| !is_blank(prompt)).map(|mut prompt| {
            if prompt.len() > most {
                let length = prompt.len();
                prompt.truncate(prompt.floor_char_boundary(most));
                prompt += &format!(
                    "\n[Cut here: it has {length} bytes and may have {allowed}; the operator can change \
                     limits.{}.model_prompt_bytes.]",
                    self.name()
                );
            }
            prompt
        }))
    }

    /// What the skill adds to the system prompt.
    ///
    /// # Errors
    /// What ended the call.
    pub fn mandate(&self, signal: &Arc<Form>) -> Result<Option<String>, GateFault> {
        self.text_of(Function::Mandate, signal, |code| &code.exports.mandate)
    }

    fn text_of(
        &self,
        function: Function,
        signal: &Arc<Form>,
        export: fn(&Code) -> &wasmtime::component::ComponentExportIndex,
    ) -> Result<Option<String>, GateFault> {
        if !self.has(function) {
            return Ok(None);
        }
        self.pure_call(function, signal, |running, code, signal| {
            let (text,): (Option<String>,) = running.call(export(code), (signal,))?;
            text.map(|text| running.bounded(text)).transpose()
        })
    }

    /// What the skill would do about a cycle that failed with `error`: `(:RESTART …)`, or nothing.
    ///
    /// # Errors
    /// What ended the call.
    pub fn recover(&self, error: &Arc<Form>, signal: &Arc<Form>) -> Result<Option<String>, GateFault> {
        if !self.has(Function::Recover) {
            return Ok(None);
        }
        self.ask(Function::Recover, || {
            self.shelf.with_kept(|running| {
                let (first, second) = running.frame(Held::Form(error.clone()), Some(Held::Form(signal.clone())));
                let (text,): (Option<String>,) = running.call(&self.pure.exports.recover, (first, second))?;
                text.map(|text| running.bounded(text)).transpose()
            })
        })
    }

    fn pure_call<R>(
        &self,
        function: Function,
        signal: &Arc<Form>,
        work: impl FnOnce(&mut Running, &Code, u32) -> Result<R, GateFault>,
    ) -> Result<R, GateFault> {
        self.ask(function, || {
            self.shelf.with_kept(|running| {
                let (handle, _) = running.frame(Held::Form(signal.clone()), None);
                work(running, &self.pure, handle)
            })
        })
    }

    /// Why the skill is not asked at the moment, if it is not. Its gate is asked all the same.
    pub(super) fn left_alone(&self) -> Option<LeftAlone> {
        self.quarantine.check(Instant::now())
    }

    /// Does `work` for a `function` that is not the gate, unless the skill is left alone.
    fn ask<R>(&self, function: Function, work: impl FnOnce() -> Result<R, GateFault>) -> Result<R, GateFault> {
        if let Some(alone) = self.left_alone() {
            return Err(GateFault::Unavailable {
                reason: alone.to_string(),
            });
        }
        let begun = Instant::now();
        let outcome = self.counted(|_| work());
        self.quarantine.note(function, outcome.as_ref().err(), begun);
        outcome
    }

    /// Does `work`, which is told when it begins, and counts it.
    pub(super) fn counted<R>(&self, work: impl FnOnce(Instant) -> Result<R, GateFault>) -> Result<R, GateFault> {
        let begun = Instant::now();
        let outcome = work(begun);
        let fault = outcome.as_ref().err().map(ToString::to_string);
        if let Some(fault) = &fault {
            tracing::warn!(skill = self.name(), "{fault}");
        }
        self.tally.count(begun.elapsed(), fault);
        outcome
    }
}

impl fmt::Debug for Skill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Skill")
            .field("name", &self.name())
            .field("digest", &self.digest)
            .finish_non_exhaustive()
    }
}
