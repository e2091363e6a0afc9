//! A skill as a gate: a fresh instance for each decision, so that nothing an earlier one left behind can matter, unless
//! the operator chose otherwise.

use std::time::Instant;

use super::component::{GuestVerdict, Running};
use super::loaded::Skill;
use super::right::Right;
use super::verdict;
use crate::capability::Held;
use crate::gate::verdict::{Gate, GateFault, Subject, Verdict};
use crate::sexp::Digest;

impl Gate for Skill {
    fn name(&self) -> &str {
        Skill::name(self)
    }

    fn priority(&self) -> i64 {
        self.description.priority
    }

    fn digest(&self) -> Digest {
        self.digest
    }

    fn is_about(&self, target: &str) -> bool {
        // A required gate is about everything, whatever it says.
        self.required
            || self
                .description
                .gate_targets
                .as_ref()
                .is_none_or(|own| own.iter().any(|own| own == target))
    }

    fn may_revise(&self) -> bool {
        self.rights.contains(&Right::Revise)
    }

    fn judge(&self, subject: &Subject) -> Result<Verdict, GateFault> {
        if subject.trial {
            return self.decide(subject, Instant::now());
        }
        self.counted(|now| self.decide(subject, now))
    }
}

impl Skill {
    fn decide(&self, subject: &Subject, now: Instant) -> Result<Verdict, GateFault> {
        let mut running = self.shelf.take()?;
        let verdict = self.verdict(&mut running, subject, now)?;
        self.shelf.put_back(running);
        Ok(verdict)
    }

    fn verdict(&self, running: &mut Running, subject: &Subject, now: Instant) -> Result<Verdict, GateFault> {
        let size = subject.action.canonical().len();
        running.begin(now, &subject.settings, &subject.secrets, size)?;
        let (action, signal) = running.frame(
            Held::Action(subject.action.clone()),
            Some(Held::Form(subject.signal.clone())),
        );
        let said = running.judge(action, signal)?;
        self.tally.saw_memory(running.memory());
        let said = match said {
            GuestVerdict::Pass => GuestVerdict::Pass,
            GuestVerdict::Revise(text) => GuestVerdict::Revise(running.bounded(text)?),
            GuestVerdict::Reject(text) => GuestVerdict::Reject(running.bounded(text)?),
            GuestVerdict::Ask(text) => GuestVerdict::Ask(running.bounded(text)?),
        };
        verdict::parse(Skill::name(self), &said)
    }
}
