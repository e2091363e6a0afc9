//! A skill as a gate: a fresh instance for each decision, so that nothing an earlier one left behind can matter.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::component::{GuestVerdict, Tenant};
use super::loaded::Skill;
use super::right::Right;
use super::verdict;
use crate::capability::Held;
use crate::gate::verdict::{Gate, GateFault, Subject, Verdict};
use crate::sexp::Digest;
use crate::vault::Secrets;

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
        self.counted(self.judge_fresh(subject))
    }
}

impl Skill {
    fn judge_fresh(&self, subject: &Subject) -> Result<Verdict, GateFault> {
        let tenant = Tenant {
            settings: Arc::clone(&subject.settings),
            secrets: Secrets::Fixed(subject.secrets.clone()),
            ..self.tenant.clone()
        };
        let mut running = self.pure.start(&tenant, subject.action.canonical().len())?;
        let (action, signal) = running.frame(
            Held::Action(subject.action.clone()),
            Some(Held::Form(subject.signal.clone())),
        );
        let (said,): (GuestVerdict,) = running.call(&self.pure.exports.gate, (action, signal))?;
        self.tally.memory.fetch_max(running.memory(), Ordering::Relaxed);
        let said = match said {
            GuestVerdict::Pass => GuestVerdict::Pass,
            GuestVerdict::Revise(text) => GuestVerdict::Revise(running.bounded(text)?),
            GuestVerdict::Reject(text) => GuestVerdict::Reject(running.bounded(text)?),
            GuestVerdict::Ask(text) => GuestVerdict::Ask(running.bounded(text)?),
        };
        verdict::parse(Skill::name(self), &said)
    }
}
