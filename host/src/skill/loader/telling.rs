//! What is said of the files and the skills: in the log, and of what is not in use in the set.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Fallen, Loader, Phase, Refusal, Settled, SkillState, SkillStatus, Source, about};
use crate::skill::loaded::Skill;

/// Says in the log what is different from what was in use `before`.
pub(super) fn tell(settled: &Settled, before: &BTreeMap<String, Arc<Skill>>, fallen: &[Fallen]) {
    for (name, skill) in &settled.chosen {
        match before.get(name) {
            Some(before) if Arc::ptr_eq(before, skill) => {}
            _ if fallen.iter().any(|gate| gate.name == *name) => tracing::warn!(
                "the skill `{name}` ({}) judges, and what a file of its name was about is rejected: that was ready in its \
                 place and is not now",
                about(skill)
            ),
            Some(_) => tracing::info!("the skill `{name}` is replaced: {}", about(skill)),
            None => tracing::info!("the skill `{name}` is ready: {}", about(skill)),
        }
    }
    for (skill, fault) in &settled.refused {
        let (name, source) = (skill.name(), &skill.source);
        tracing::warn!("the skill `{name}` ({source}) {}: {fault}", fault.state().told());
    }
}

impl Loader {
    /// What is not in use, and why. Among it are the `fallen`, also those that have no file.
    pub(super) fn absent(&self, settled: &Settled, fallen: &[Fallen]) -> Vec<SkillStatus> {
        let of = |skill: &Arc<Skill>| Some(Refusal::of(settled.refusal(skill)?, Some(skill.digest())));
        let own = self.own.iter().filter_map(|(name, made)| match made {
            Ok(skill) => Some(of(skill)?.status(name, Source::Bundled, None)),
            Err(refusal) => Some(refusal.clone().status(name, Source::Bundled, None)),
        });
        let files = self.files.iter().filter_map(|(name, file)| {
            let refusal = match (&file.phase, &file.newest) {
                (Phase::Refused(refusal) | Phase::Crowded(refusal, _), _) => {
                    refusal.clone().without_grants(self.grants.fault())
                }
                (Phase::Seen { why, .. }, _) => Refusal::discovered(why),
                (Phase::Made, newest) => of(newest.as_ref()?)?,
            };
            let is_fallen = fallen.iter().any(|gate| gate.name == *name);
            // What is rejected is not up to the one that stays.
            let stays = settled.chosen.get(name).filter(|_| !is_fallen);
            let required = stays.is_none() && self.workshop.is_required(name);
            let refusal = refusal.in_place_of_gate(is_fallen, required, self.own.contains_key(name.as_str()));
            Some(refusal.status(name, Source::File(file.path.clone()), stays))
        });
        let gone = fallen.iter().filter(|gate| !self.files.contains_key(&gate.name));
        let gone = gone.map(|gate| {
            let of_skill = || self.folder.join(format!("{}.wasm", gate.name));
            let source = Source::File(gate.list.clone().unwrap_or_else(of_skill));
            SkillStatus::absent(&gate.name, source, SkillState::Failed, Some(gate.reason.clone()))
        });
        own.chain(files).chain(gone).chain(self.crowded()).collect()
    }
}
