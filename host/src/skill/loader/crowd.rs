//! More files than can be skills: those that were there first are looked at, and the others are counted.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use super::{Loader, Refusal, Sighting, SkillStatus, Source};
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
}
