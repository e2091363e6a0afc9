//! More than there is room for. Of more files than can be skills, those that were there first are looked at, and the others
//! are counted. Of more compiled code than is held, what came first stays, and what comes then waits until something goes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::{LOADING, Loader, Phase, Refusal, Sighting, SkillStatus, Source};
use crate::skill::loaded::Skill;
use crate::skill::workshop::LoadFault;

/// The most files that are looked at.
const FILES: usize = 1_000;

impl Loader {
    /// Notes what was seen: what is known already first, then gates that were ready, then the oldest.
    pub(super) fn take_in(
        &mut self,
        seen: BTreeMap<String, Sighting>,
        closed: &dyn Fn(&Path) -> bool,
        now: Instant,
    ) -> bool {
        let asked = seen.len();
        let mut seen: Vec<(String, Sighting)> = seen.into_iter().collect();
        if asked > FILES {
            seen.sort_by_cached_key(|(name, sighting)| {
                let (is_known, was_gate) = (
                    self.files.contains_key(name),
                    self.once_ready.guards(name, &self.grants),
                );
                (!is_known, !was_gate, sighting.stamp.since())
            });
        }
        let beyond = seen.split_off(asked.min(FILES));
        let beyond = beyond
            .into_iter()
            .next()
            .map(|(name, sighting)| (sighting, name, asked));
        let mut different = beyond != self.beyond;
        self.beyond = beyond;
        for (name, sighting) in seen {
            different |= self.sighted(name, sighting, closed, now);
        }
        different
    }

    /// What is to be said of the files that are not looked at.
    pub(super) fn crowded(&self) -> Option<SkillStatus> {
        let (sighting, name, asked) = self.beyond.as_ref()?;
        let fault = LoadFault::TooMany {
            others: asked.saturating_sub(FILES + 1),
            asked: *asked,
            allowed: FILES,
        };
        Some(Refusal::of(&fault, None).status(name, Source::File(sighting.path.clone()), None))
    }

    /// What becomes of the file of `skill`, which was made just now, if its code is too much beside that of the others. What is
    /// held already stays.
    pub(super) fn crowded_out(&self, skill: &Arc<Skill>) -> Option<Phase> {
        let file = self.files.get(skill.name())?;
        let mut held = file.newest.iter().chain(&file.last_good);
        let (code, allowed) = (skill.code(), self.workshop.most_code());
        let asked = self.code_beside(skill.name()).saturating_add(code);
        if asked <= allowed || held.any(|held| Arc::ptr_eq(held, skill)) || self.has_room_always(skill.name()) {
            return None;
        }
        let fault = LoadFault::NoRoom { asked, allowed };
        let refusal = Refusal::of(&fault, Some(skill.digest()));
        let (name, source) = (skill.name(), &skill.source);
        tracing::warn!("the skill `{name}` ({source}) {}: {fault}", refusal.state.told());
        Some(Phase::Crowded(refusal, code))
    }

    /// Has those tried again for which there is room now. Says whether there are any.
    pub(super) fn let_in(&mut self) -> bool {
        let crowded = |phase: &Phase| match phase {
            Phase::Crowded(_, code) => Some(*code),
            _ => None,
        };
        let waiting: Vec<_> = self
            .files
            .iter()
            .filter_map(|(name, file)| Some((name.clone(), crowded(&file.phase)?)))
            .collect();
        let mut taken = 0;
        for (name, code) in waiting {
            let asked = self.code_beside(&name).saturating_add(code).saturating_add(taken);
            if asked > self.workshop.most_code() && !self.has_room_always(&name) {
                continue;
            }
            if let Some(file) = self.files.get_mut(&name) {
                taken += code;
                file.renew(&mut self.editions);
                let why = LOADING.to_owned();
                file.phase = Phase::Seen { closed: true, why };
            }
        }
        taken > 0
    }

    /// Whether a file of this name is never left out. In the place of a bundled or required skill the other would judge
    /// meanwhile; in that of a gate which judged, or of what one needs, and of which no version is in use, nothing would, and all
    /// is rejected.
    fn has_room_always(&self, name: &str) -> bool {
        let stays = self.files.get(name).is_some_and(|file| file.last_good.is_some());
        self.workshop.needs_trust(name, self.bundled).is_some() || !stays && self.is_needed_to_judge(name)
    }

    /// Whether a gate that judged has this name, or needs what has it, as far as the files say what they need.
    fn is_needed_to_judge(&self, name: &str) -> bool {
        let mut judges: BTreeSet<&str> = BTreeSet::new();
        let mut found: Vec<&str> = self.files.keys().map(String::as_str).collect();
        found.retain(|own| self.once_ready.guards(own, &self.grants));
        while let Some(own) = found.pop() {
            if judges.insert(own) {
                let file = self.files.get(own);
                let made = file.and_then(|file| file.newest.as_ref().or(file.last_good.as_ref()));
                found.extend(
                    made.into_iter()
                        .flat_map(|skill| &skill.description().depends_on)
                        .map(String::as_str),
                );
            }
        }
        judges.contains(name)
    }

    /// How much compiled code is held for the files of other names, in bytes.
    fn code_beside(&self, name: &str) -> u64 {
        let others = self.files.iter().filter(|(other, _)| *other != name);
        let held = others.flat_map(|(_, file)| {
            // Both, where the newest does not fit among the others.
            let newest = file.newest.as_ref();
            let before = file.last_good.as_ref();
            let before = before.filter(|before| !newest.is_some_and(|newest| Arc::ptr_eq(newest, before)));
            newest.into_iter().chain(before)
        });
        held.map(|skill| skill.code()).sum()
    }
}
