//! Gates that were once ready and no longer load.
//!
//! A gate that disappears because its file broke would be a hole that nobody sees, so it stays in the chain and
//! rejects what it is about, until its file is deleted. A bundled gate is no substitute for a file that was ready in its
//! place. Which gates have been ready is kept in a file, so that a restart forgets nothing. A file counts as deleted only
//! where it is missing from the very folder in which it was seen last, as [`deleted`] says: one that is not mounted, or was
//! made anew, tells nothing of what the operator wants.

mod deleted;
mod list;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::folder::Place;
use super::grants::Grants;
use super::loaded::{Skill, Source};
use crate::audit::{LogError, Writes};
use crate::gate::verdict::{Gate, GateFault, Subject, Verdict};
use crate::sexp::Digest;

/// Beside the files, where nothing else is said; hidden, so that it is never taken for one.
const BESIDE: &str = ".gates-once-ready";

/// In the folder of the host's data.
const IN_DATA: &str = "gates-once-ready";

/// What a gate was about when it was last ready: all targets, or these.
type About = Option<Vec<String>>;

/// What is known of one gate.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    about: About,
    /// The folder in which its file was seen last.
    place: Option<Place>,
    /// What is no gate and was ready in its place, because the operator trusts it.
    instead: Option<Digest>,
}

/// A list that is known in part only.
#[derive(Clone, Debug)]
struct Damage {
    /// Where it lies.
    list: PathBuf,
    /// What is wrong with it, and what to do.
    reason: String,
}

/// The gates from files that have been ready, and are not deleted.
#[derive(Debug)]
pub(super) struct OnceReady {
    gates: BTreeMap<String, Known>,
    /// What is wrong with the list, where it may have held gates that are not known: then nothing may pass.
    damage: Option<Damage>,
    path: PathBuf,
    writes: Writes,
    /// Whether the file lacks what is known, because the last write failed.
    unwritten: bool,
    /// Whether nothing is written, because somebody only wants to see.
    only_seen: bool,
    /// The folder whose own list was taken over.
    adopted: Option<Place>,
    /// The gates whose files are gone with their folder, as was said last.
    away: Vec<String>,
    /// Since when the files of these have been missing in the folder in which they were seen last.
    missing: BTreeMap<String, Instant>,
}

impl OnceReady {
    /// What is kept in `folder` itself. Where it can't be read, there is one gate more, which rejects everything.
    pub(super) fn beside(folder: &Path) -> OnceReady {
        OnceReady::load(folder.join(BESIDE), Writes::default())
    }

    /// What is kept in the folder `data`, which stays where the skills folder may vanish. How writing it goes is noted in
    /// `writes`.
    pub(super) fn in_data(data: &Path, writes: Writes) -> OnceReady {
        OnceReady::load(data.join(IN_DATA), writes)
    }

    fn load(path: PathBuf, writes: Writes) -> OnceReady {
        let (gates, damage) = list::read(&path).unwrap_or_default();
        OnceReady {
            gates,
            damage,
            path,
            writes,
            unwritten: false,
            only_seen: false,
            adopted: None,
            away: Vec::new(),
            missing: BTreeMap::new(),
        }
    }

    pub(super) fn is_only_seen(&self) -> bool {
        self.only_seen
    }

    /// Writes nothing from now on.
    pub(super) fn only_seen(self) -> OnceReady {
        OnceReady {
            only_seen: true,
            ..self
        }
    }

    /// Takes over what an earlier host kept in `folder`, which is the one at `place`. Says whether there was anything.
    pub(super) fn adopt(&mut self, folder: &Path, place: Place) -> bool {
        let old = folder.join(BESIDE);
        if old == self.path || self.adopted.replace(place) == Some(place) {
            return false;
        }
        let Some((gates, damage)) = list::read(&old) else {
            return false;
        };
        for (name, known) in gates {
            let place = Some(place);
            self.gates.entry(name).or_insert(Known { place, ..known });
        }
        let is_whole = damage.is_none();
        self.damage = self.damage.take().or(damage);
        // What stays there would bring back what is forgotten here.
        if is_whole
            && self.store()
            && !self.only_seen
            && let Err(error) = fs::remove_file(&old)
        {
            tracing::warn!("{} is of no more use and can't be deleted: {error}", old.display());
        }
        true
    }

    /// Whether the gate `name` was ready, its file was not deleted since, and the operator wants nothing else in its place.
    pub(super) fn guards(&self, name: &str, grants: &Grants) -> bool {
        let known = self.gates.get(name);
        known.is_some_and(|known| !known.instead.is_some_and(|digest| grants.trusts(name, &digest)))
    }

    /// Whether `skill` may be used, as far as a gate that was ready under its name is concerned.
    pub(super) fn admits(&self, skill: &Skill, grants: &Grants) -> bool {
        skill.is_gate()
            || skill.source == Source::Bundled
            || !self.guards(skill.name(), grants)
            || grants.trusts(skill.name(), &skill.digest())
    }

    /// Remembers the gates among `ready` that came from `files`, which is all that lies in the folder at `place`.
    pub(super) fn update<'a>(
        &mut self,
        place: Place,
        files: &BTreeSet<&String>,
        ready: impl Iterator<Item = &'a Arc<Skill>>,
        grants: &Grants,
    ) {
        let before = self.gates.clone();
        for name in files {
            if let Some(known) = self.gates.get_mut(*name) {
                known.place = Some(place);
            }
        }
        for skill in ready.filter(|skill| skill.source != Source::Bundled) {
            let (name, digest) = (skill.name(), skill.digest());
            if skill.is_gate() {
                let known = Known {
                    about: skill.description().gate_targets.clone(),
                    place: Some(place),
                    instead: None,
                };
                self.gates.insert(name.to_owned(), known);
            } else if let Some(known) = self.gates.get_mut(name)
                && grants.trusts(name, &digest)
            {
                known.instead = Some(digest);
            }
        }
        let missing = |name: &&String| !files.contains(name);
        let away: Vec<String> = self.gates.keys().filter(missing).cloned().collect();
        if away != self.away && !away.is_empty() {
            tracing::error!(
                "what these gates are about is rejected: {}; {}",
                away.join(", "),
                self.gone_away()
            );
        }
        self.away = away;
        if self.gates != before || self.unwritten {
            self.store();
        }
    }

    /// The gates that have been ready and that nothing of `in_use` stands for. Of those that `is_coming` knows it is not decided
    /// yet whether they will be; those that `has_file` does not know are gone with their folder.
    pub(super) fn fallen(
        &self,
        in_use: &BTreeMap<String, Arc<Skill>>,
        grants: &Grants,
        has_file: impl Fn(&str) -> bool,
        is_coming: impl Fn(&str) -> bool,
    ) -> Vec<Fallen> {
        let is_ready = |name: &str| {
            let skill = in_use.get(name).filter(|skill| skill.source != Source::Bundled);
            skill.is_some_and(|skill| self.admits(skill, grants))
        };
        let fallen = self
            .gates
            .iter()
            .filter(|(name, _)| self.guards(name, grants) && !is_ready(name));
        let known = fallen.map(|(name, known)| Fallen {
            name: name.clone(),
            about: known.about.clone(),
            reason: if is_coming(name) {
                COMING.to_owned()
            } else if self.is_missed(name) {
                MISSED.to_owned()
            } else if has_file(name) {
                GONE.to_owned()
            } else {
                self.gone_away()
            },
            list: None,
        });
        let unknown = self.damage.iter().map(|damage| Fallen {
            name: BESIDE.to_owned(),
            about: None,
            reason: damage.reason.clone(),
            list: Some(damage.list.clone()),
        });
        known.chain(unknown).collect()
    }

    /// Why a gate rejects whose file is gone with its folder.
    fn gone_away(&self) -> String {
        format!(
            "it was ready before, and its file is not in the skills folder, which is another than before or can't be read; \
             put the folder or the file back, or, if the gate is to go: stop the daemon, delete the line that names it in {}, \
             and start the daemon again",
            self.path.display()
        )
    }

    /// Writes it where the last write failed. That it still can't be written was said then.
    pub(super) fn save_again(&mut self) {
        if self.unwritten && !self.only_seen && self.damage.is_none() {
            self.unwritten = self.write().is_err();
        }
    }

    /// Writes what is known, unless there may be more of it. Says whether it is kept.
    fn store(&mut self) -> bool {
        if self.only_seen || self.damage.is_some() {
            return false;
        }
        let stored = self.write();
        if let Err(error) = &stored {
            tracing::error!(
                "which gates are ready could not be kept: {}: {error}",
                self.path.display()
            );
        }
        self.unwritten = stored.is_err();
        stored.is_ok()
    }

    fn write(&self) -> Result<(), LogError> {
        self.writes.private(&self.path, list::text(&self.gates).as_bytes())
    }
}

/// Why a gate that once was ready rejects.
const GONE: &str = "it was ready before and is not now; `passepartout-host skill list` says why";

/// Why one rejects whose file may be about to be replaced.
const MISSED: &str =
    "it was ready before, and its file is missing; if none comes in two seconds, it counts as deleted";

/// Why one that is still to be loaded rejects.
const COMING: &str = "it was ready before and is being loaded; try again in a moment";

/// The place of a gate that no longer loads, or of all those that a damaged list may have held.
pub(super) struct Fallen {
    pub(super) name: String,
    about: About,
    pub(super) reason: String,
    /// The damaged list.
    pub(super) list: Option<PathBuf>,
}

impl Gate for Fallen {
    fn name(&self) -> &str {
        &self.name
    }

    fn priority(&self) -> i64 {
        0
    }

    fn digest(&self) -> Digest {
        Digest::of("passepartout-fallen-gate-1", self.name.as_bytes())
    }

    fn is_about(&self, target: &str) -> bool {
        self.about
            .as_ref()
            .is_none_or(|own| own.iter().any(|own| own == target))
    }

    fn may_revise(&self) -> bool {
        false
    }

    fn judge(&self, _: &Subject) -> Result<Verdict, GateFault> {
        Err(GateFault::Unavailable {
            reason: self.reason.clone(),
        })
    }
}
