//! Other grants for a skill that is there: it goes on without a moment in which it is not served.

use std::sync::Arc;

use super::{Bundled, Workshop};
use crate::skill::grants::Grants;
use crate::skill::inspect;
use crate::skill::loaded::{Skill, Source};
use crate::skill::right::{self, Needs};
use crate::skill::sessions::Sessions;
use crate::skill::stock::Shelf;

impl Workshop {
    /// `skill` with what `grants` give it now, made of the code that is there: nothing is compiled. It is the very same where
    /// nothing is different for it; otherwise it has instances of its own, since what was granted before may be known to the
    /// earlier ones. Nothing where it lacks what it needs.
    pub(in crate::skill) fn regrant(
        &self,
        skill: &Arc<Skill>,
        bundled: &[Bundled],
        grants: &Grants,
    ) -> Option<Arc<Skill>> {
        let (name, digest) = (skill.name(), skill.digest());
        let is_bundled = skill.source == Source::Bundled;
        if !is_bundled && self.needs_trust(name, bundled).is_some() && !grants.trusts(name, &digest) {
            return None;
        }
        let granted = right::granted(name, &digest, &skill.source, grants);
        let needs = Needs::new(&inspect::interfaces(&skill.imports), Some(&skill.description));
        let (missing, open) = needs.missing(&granted);
        if !missing.is_empty() || !open.is_empty() {
            return None;
        }
        let rights = needs.used(&granted);
        if rights == skill.rights {
            return Some(skill.clone());
        }
        let sessions = skill.acting.as_ref().map(Sessions::of).unwrap_or_default();
        sessions.replace(&skill.sessions);
        let mut tenant = skill.tenant.clone();
        tenant.rights = right::bounds(&rights);
        Some(Arc::new(Skill {
            shelf: Shelf::new(skill.pure.clone(), tenant.clone(), self.limits.gates, skill.is_gate()),
            sessions,
            rights,
            tenant,
            digest,
            source: skill.source.clone(),
            description: skill.description.clone(),
            imports: skill.imports.clone(),
            required: skill.required,
            pure: skill.pure.clone(),
            acting: skill.acting.clone(),
            tally: Default::default(),
            quarantine: Default::default(),
        }))
    }
}
