//! When the file of a gate that was ready counts as deleted, and the gate is forgotten.
//!
//! Who replaces a file may delete it first and copy the new one then. So a file is deleted once it has been missing for a
//! while; until then the gate judges on, and a bad file that comes in its place is one as any other.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::OnceReady;
use crate::skill::dropped::QUIET;
use crate::skill::folder::{Place, Sighting};

impl OnceReady {
    /// The names of all gates that were ready.
    pub(in crate::skill) fn names(&self) -> impl Iterator<Item = &String> {
        self.gates.keys()
    }

    /// Notes which of the files are missing `now` among those `seen` in the folder at `place`, and forgets the gates whose file
    /// lay in the very same folder and has been missing in it for `patience`: the operator deleted it. Says whether there are
    /// any.
    pub(in crate::skill) fn forget_deleted(
        &mut self,
        place: Place,
        seen: &BTreeMap<String, Sighting>,
        patience: Duration,
        now: Instant,
    ) -> bool {
        let before = std::mem::take(&mut self.missing);
        let missing = self.gates.iter().filter(|(name, known)| {
            !seen.contains_key(*name) && known.place.is_some_and(|place_before| place_before.is_surely(place))
        });
        self.missing = missing
            .map(|(name, _)| (name.clone(), before.get(name).copied().unwrap_or(now)))
            .collect();
        let gone = self
            .missing
            .extract_if(.., |_, since| now.saturating_duration_since(*since) >= patience);
        let gone: Vec<String> = gone.map(|(name, _)| name).collect();
        for name in &gone {
            tracing::warn!(
                "the file of the gate `{name}` is deleted, so the gate is gone, and nothing is judged by it any more"
            );
            self.gates.remove(name);
        }
        if !gone.is_empty() {
            self.store();
        }
        !gone.is_empty()
    }

    /// Notes that the file of the gate `name` was there since the last look: it has to be missing anew for as long.
    pub(in crate::skill) fn came_back(&mut self, name: &str) {
        self.missing.remove(name);
    }

    /// Whether the file of the gate `name` is missing, and not for so long that it counts as deleted.
    pub(in crate::skill) fn is_missed(&self, name: &str) -> bool {
        self.missing.contains_key(name)
    }

    /// When the first of the files that are missing counts as deleted.
    pub(in crate::skill) fn next_deleted(&self, now: Instant) -> Option<Duration> {
        let since = self.missing.values().min()?;
        Some((*since + QUIET).saturating_duration_since(now))
    }
}
