//! Other grants than before: what they take away, and what goes on with what is left.

use std::sync::{Arc, Weak};

use super::{Grants, Loader, Phase, Skill};
use crate::skill::dropped::REGRANTED;

impl Loader {
    /// Takes up other grants: what is no longer allowed goes, in one step with what comes in its place, and who waited for
    /// them is tried again.
    pub(super) fn take_grants(&mut self, grants: Grants) -> bool {
        if grants == self.grants {
            return false;
        }
        let before = std::mem::replace(&mut self.grants, grants);
        for skill in self.abroad.iter().filter_map(Weak::upgrade) {
            if self.workshop.check_allowed(&skill, self.bundled, &self.grants).is_err()
                || !self.once_ready.admits(&skill, &self.grants)
            {
                skill.withdraw();
            }
        }
        // A bundled one has what it comes with in any case.
        for skill in self.own.values_mut().filter_map(|own| own.as_mut().ok()) {
            match self.workshop.regrant(skill, self.bundled, &self.grants) {
                Some(now) if !Arc::ptr_eq(&now, skill) => {
                    tracing::info!("the skill `{}` goes on with what it is granted now", skill.name());
                    self.abroad.push(Arc::downgrade(&now));
                    let used = self.in_use.get_mut(skill.name());
                    if let Some(used) = used.filter(|used| Arc::ptr_eq(used, skill)) {
                        *used = now.clone();
                    }
                    *skill = now;
                }
                _ => {}
            }
        }
        for (name, file) in &mut self.files {
            if self.grants.of(name).eq(before.of(name)) {
                continue;
            }
            let (newest, last_good) = (file.newest.take(), file.last_good.take());
            // What there is goes on with what it is granted now, if that is enough.
            let mut again = |skill: &Arc<Skill>| {
                let now = self.workshop.regrant(skill, self.bundled, &self.grants);
                // What is no gate stands in the place of one only as long as the operator wants it.
                let now = now.filter(|skill| self.once_ready.admits(skill, &self.grants));
                match &now {
                    None => tracing::info!("the skill `{name}` is no longer granted what it needs"),
                    Some(now) if Arc::ptr_eq(now, skill) => {}
                    Some(now) => {
                        tracing::info!("the skill `{name}` goes on with what it is granted now");
                        self.abroad.push(Arc::downgrade(now));
                        // It keeps what it has against newcomers.
                        if let Some(used) = self.in_use.get_mut(name).filter(|used| Arc::ptr_eq(used, skill)) {
                            *used = now.clone();
                        }
                    }
                }
                now
            };
            file.last_good = last_good.as_ref().and_then(&mut again);
            file.newest = match (&newest, &last_good) {
                (Some(newest), Some(last)) if Arc::ptr_eq(newest, last) => file.last_good.clone(),
                _ => newest.as_ref().and_then(again),
            };
            let is_trusted_as_before = |skill: &Arc<Skill>| {
                let digest = skill.digest();
                self.grants.trusts(name, &digest) == before.trusts(name, &digest)
            };
            if matches!(file.phase, Phase::Made) && file.newest.as_ref().is_some_and(is_trusted_as_before) {
                continue;
            }
            // It is tried again with what it has now.
            file.newest = None;
            file.renew(&mut self.editions);
            file.phase = Phase::Seen {
                closed: true,
                why: REGRANTED.to_owned(),
            };
        }
        true
    }
}
