//! From the skills folder to the set in use, again and again: what is new is tried, what is gone goes, and whatever
//! fails leaves what was in use as it was. A file is read once it is closed, or once it has not changed for [`QUIET`]; what is incomplete until then is
//! *discovered*. The newest version of each skill that could be made is placed among the others; where it does not
//! fit, the one before stays. One bad file harms nothing else: it is listed with its reason.

mod anew;
mod crowd;
mod lost;
mod next;
mod taking;
mod telling;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::apart;
use super::attempt::Hopeless;
use super::dropped::{Editions, File, LOADING, Phase, QUIET, WRITING};
use super::fallen::{Fallen, OnceReady};
use super::folder::{self, Place, Sighting};
use super::grants::Grants;
use super::loaded::{Skill, Source};
use super::owned::Owned;
use super::refusal::{Refusal, about};
use super::registry::SkillSet;
use super::settle::{Precedence, Settled, settle};
use super::status::{SkillState, SkillStatus};
use super::workshop::{Bundled, Candidate, Workshop};
use crate::audit::Writes;

/// How much work compiling may be that is done at once, in about a second at the most. What is more is done beside.
const QUICK: u64 = 1_000_000;

/// How long loading may take at the start before what is not ready is left for later. Who waits for it waits for every gate that
/// judged before, and for what else there is only this part of it.
const AT_START: Duration = Duration::from_secs(10);
const FOR_OTHERS: u32 = 5;

/// Loads everything once: `bundled`, and what lies in `folder` as it is now.
pub fn load(workshop: &Arc<Workshop>, bundled: &'static [Bundled], folder: &Path, grants: &Grants) -> SkillSet {
    let mut loader = Loader::new(workshop.clone(), bundled, folder.to_owned());
    loader.begin(grants.clone())
}

/// What is known of the skills, from one look to the next.
pub struct Loader {
    workshop: Arc<Workshop>,
    bundled: &'static [Bundled],
    pub(super) folder: PathBuf,
    grants: Grants,
    files: BTreeMap<String, File>,
    editions: Editions,
    /// The bundled skills, made when they are first needed.
    own: BTreeMap<&'static str, Result<Arc<Skill>, Refusal>>,
    hopeless: Arc<Hopeless>,
    once_ready: OnceReady,
    /// Who had what when it was last in use.
    owned: Owned,
    /// Every version that was made, as long as anybody uses it: a cycle keeps what it began with.
    abroad: Vec<Weak<Skill>>,
    /// What was used last.
    in_use: BTreeMap<String, Arc<Skill>>,
    /// What the last version of a skill kept that is not in use.
    gone: BTreeMap<String, lost::Gone>,
    /// Which folder was read last; nothing if it could not be: then nothing is known of what was deleted.
    place: Option<Place>,
    /// Whether the folder could be read at the last look.
    was_read: bool,
    /// The first file that is one too many, and how many there are.
    beyond: Option<(Sighting, String, usize)>,
}

impl Loader {
    /// A loader that has looked at nothing yet. It remembers in `folder` itself which gates were ready.
    pub fn new(workshop: Arc<Workshop>, bundled: &'static [Bundled], folder: PathBuf) -> Loader {
        let once_ready = OnceReady::beside(&folder);
        Loader {
            workshop,
            bundled,
            folder,
            grants: Grants::default(),
            files: BTreeMap::new(),
            editions: Editions::default(),
            own: BTreeMap::new(),
            hopeless: Arc::default(),
            once_ready,
            owned: Owned::default(),
            abroad: Vec::new(),
            in_use: BTreeMap::new(),
            gone: BTreeMap::new(),
            place: None,
            was_read: true,
            beyond: None,
        }
    }

    /// The same, remembering in the folder `data` which gates were ready: the skills folder may vanish. How writing that goes
    /// is noted in `writes`.
    #[must_use]
    pub fn remembering_in(self, data: &Path, writes: Writes) -> Loader {
        let once_ready = OnceReady::in_data(data, writes);
        Loader { once_ready, ..self }
    }

    /// The same, without writing anything: what is remembered is the daemon's.
    #[must_use]
    pub fn only_seeing(self) -> Loader {
        let (once_ready, owned) = (self.once_ready.only_seen(), self.owned.only_seen());
        Loader {
            once_ready,
            owned,
            ..self
        }
    }

    /// Keeps in `state`, a folder of the host's own, who has which targets and tools, and goes by what is kept there. How
    /// writing that goes is noted in `writes`.
    #[must_use]
    pub fn keeping_owners(mut self, state: &Path, writes: Writes) -> Loader {
        self.owned = Owned::load(state, writes);
        self
    }

    /// What its skills are made in.
    pub fn workshop(&self) -> &Arc<Workshop> {
        &self.workshop
    }

    /// Loads everything as it is now.
    pub fn begin(&mut self, grants: Grants) -> SkillSet {
        self.begin_within(grants, u64::MAX)
    }

    /// Loads everything as it is now, and compiles no more than `room` units of work for it: what is beyond that, and not
    /// kept from an earlier start, is left to [`watch`](super::watch). A gate that was ready before rejects until then.
    /// In the place of a bundled or required skill nothing is left out, because the other would judge meanwhile.
    pub fn begin_within(&mut self, grants: Grants, room: u64) -> SkillSet {
        self.begin_in_time(grants, room, AT_START)
    }

    /// The same, in about so much `time`: once it is over, nothing is read any more of what may be left out.
    pub(super) fn begin_in_time(&mut self, grants: Grants, mut room: u64, time: Duration) -> SkillSet {
        let (is_bounded, mut left) = (room < u64::MAX, Vec::new());
        let now = Instant::now();
        // Who goes on looking waits also here: a daemon may start between the two halves of a replacement.
        let patience = match is_bounded && !self.once_ready.is_only_seen() {
            true => QUIET,
            false => Duration::ZERO,
        };
        self.notice_after(grants, &|_| true, patience, now);
        for file in self.files.values_mut() {
            // What is incomplete at the start counts as it is.
            file.changed = now.checked_sub(QUIET).unwrap_or(now);
        }
        while let Some(mut job) = self.next_job(now, false) {
            let may_be_left = is_bounded && self.workshop.needs_trust(&job.name, self.bundled).is_none();
            let whole = match may_be_left && !job.was_gate {
                true => time / FOR_OTHERS,
                false => time,
            };
            let rest = whole.saturating_sub(now.elapsed());
            if may_be_left && rest.is_zero() {
                left.push(job.name);
                continue;
            }
            // Whatever it counts for.
            let time = apart::QUICK.min(rest);
            (job.room, job.time, job.untrusted) = (u64::MAX, self.workshop.compile_time(), time);
            if may_be_left {
                (job.room, job.time) = (room, job.time.min(time));
            }
            let done = job.run();
            room = room.saturating_sub(done.compiled);
            self.finish(done, now);
        }
        for name in left {
            if let Some(file) = self.files.get_mut(&name) {
                file.in_hand = false;
            }
        }
        self.place()
    }

    /// Looks at the folder and at what is granted, without reading a file: forgets what was deleted and what is no
    /// longer allowed, and notes what changed. Whether a file was closed by who wrote it, or moved there, is known to
    /// `closed`. Says whether anything is different from before.
    pub(super) fn notice(&mut self, grants: Grants, closed: &dyn Fn(&Path) -> bool, now: Instant) -> bool {
        self.notice_after(grants, closed, QUIET, now)
    }

    /// Takes note of files that were made, or moved to where they are, since the last look, although they may be gone again.
    pub(super) fn came_back(&mut self, paths: &HashSet<PathBuf>) {
        for name in paths.iter().filter(|path| path.parent() == Some(&self.folder)) {
            if let Some(name) = name.file_stem().and_then(|stem| stem.to_str()) {
                self.once_ready.came_back(name);
            }
        }
    }

    /// The same. The file of a gate that was ready counts as deleted once it has been missing for `patience`.
    fn notice_after(
        &mut self,
        grants: Grants,
        closed: &dyn Fn(&Path) -> bool,
        patience: Duration,
        now: Instant,
    ) -> bool {
        self.once_ready.save_again();
        self.owned.save_again();
        // What was placed while nothing was known of the folder is still to be remembered.
        let mut different = self.take_grants(grants) || !self.was_read;
        let looked = folder::look(&self.folder, self.files.keys().chain(self.once_ready.names()));
        let was_read = std::mem::replace(&mut self.was_read, true);
        self.place = looked.as_ref().ok().map(|(place, _)| *place);
        let seen = match looked {
            Ok((place, seen)) => {
                different |= self.once_ready.adopt(&self.folder, place);
                different |= self.once_ready.forget_deleted(place, &seen, patience, now);
                seen
            }
            Err(error) => {
                // At each look it would be said again.
                if was_read {
                    tracing::error!("the skills folder {} can't be read: {error}", self.folder.display());
                }
                self.was_read = false;
                return different;
            }
        };
        let before = self.files.len();
        self.files.retain(|name, file| {
            let stays = seen.contains_key(name) || self.once_ready.is_missed(name);
            if !stays && file.last_good.is_some() {
                tracing::info!("the file of the skill `{name}` is gone, and so is the skill");
            }
            stays
        });
        different |= self.files.len() != before;
        different |= self.take_in(seen, closed, now);
        different | self.let_in()
    }

    fn sighted(&mut self, name: String, seen: Sighting, closed: &dyn Fn(&Path) -> bool, now: Instant) -> bool {
        let is_closed = closed(&seen.path);
        let fresh = || Phase::Seen {
            closed: is_closed,
            why: if is_closed { LOADING } else { WRITING }.to_owned(),
        };
        let Some(file) = self.files.get_mut(&name) else {
            let file = File {
                phase: fresh(),
                path: seen.path,
                stamp: seen.stamp,
                changed: now,
                newest: None,
                last_good: None,
                edition: self.editions.next(),
                in_hand: false,
                is_large: false,
                again: None,
                failures: 0,
                is_reread: false,
            };
            self.files.insert(name, file);
            return true;
        };
        if file.stamp != seen.stamp {
            file.phase = fresh();
            file.stamp = seen.stamp;
            file.changed = now;
            file.renew(&mut self.editions);
            return true;
        }
        match &mut file.phase {
            Phase::Seen { closed, why } if is_closed && !*closed => {
                (*closed, *why) = (true, LOADING.to_owned());
                true
            }
            Phase::Seen { .. } if !file.in_hand => false,
            // Who wrote it since it was read may have left it the same stamp, as where times are whole seconds.
            _ if is_closed => {
                file.phase = fresh();
                file.changed = now;
                file.renew(&mut self.editions);
                true
            }
            _ => false,
        }
    }

    /// Places what there is, and says what is in use from now on, and what is not and why.
    pub(super) fn place(&mut self) -> SkillSet {
        for own in self.bundled {
            // Also while a file stands in for it: what it claims stays its own.
            if !self.own.contains_key(own.name) {
                let made = self.make_own(own);
                self.abroad.retain(|skill| skill.strong_count() > 0);
                self.abroad.extend(made.iter().map(Arc::downgrade));
                self.own.insert(own.name, made);
            }
        }
        let mut versions: BTreeMap<String, Vec<Arc<Skill>>> = BTreeMap::new();
        for (name, file) in &self.files {
            let both = file.newest.iter().chain(&file.last_good);
            versions.entry(name.clone()).or_default().extend(both.cloned());
        }
        for (name, own) in &self.own {
            versions
                .entry((*name).to_owned())
                .or_default()
                .extend(own.iter().cloned());
        }
        for versions in versions.values_mut() {
            versions.dedup_by(|one, other| Arc::ptr_eq(one, other));
        }
        let is_coming =
            |name: &str| matches!(self.files.get(name), Some(file) if matches!(file.phase, Phase::Seen { .. }));
        let precedence = Precedence {
            in_use: &self.in_use,
            owned: &self.owned,
            is_coming: &is_coming,
            since: &|name| Some(self.files.get(name)?.stamp.since()),
        };
        let settled = settle(versions, &precedence);
        let before = std::mem::replace(&mut self.in_use, settled.chosen.clone());
        if self.place.is_some() {
            let coming = self.files.keys().filter(|name| is_coming(name)).cloned().collect();
            self.owned.update(&self.in_use, &coming);
        }
        self.hand_over(&before);
        for (name, file) in &mut self.files {
            let from_file = |skill: &&Arc<Skill>| skill.source != Source::Bundled;
            if let Some(skill) = settled.chosen.get(name).filter(from_file) {
                file.last_good = Some(skill.clone());
            }
        }
        self.remember_gates();
        let is_coming =
            |name: &str| matches!(self.files.get(name), Some(file) if matches!(file.phase, Phase::Seen { .. }));
        let has_file = |name: &str| self.files.contains_key(name);
        let fallen = self.once_ready.fallen(&self.in_use, &self.grants, has_file, is_coming);
        telling::tell(&settled, &before, &fallen);
        SkillSet::new(
            settled.chosen.values().cloned().collect(),
            self.absent(&settled, &fallen),
            fallen,
        )
        .with_code(self.workshop.cache_counts(), self.workshop.cache_fault())
        .with_grants_fault(self.grants.fault())
    }

    fn make_own(&self, own: &Bundled) -> Result<Arc<Skill>, Refusal> {
        let candidate = Candidate {
            name: own.name,
            bytes: own.wasm,
            compiled: Some(own),
            anatomy: None,
            source: Source::Bundled,
            time: self.workshop.compile_time(),
        };
        let made = self.workshop.make(&candidate, &self.grants);
        made.map(Arc::new).map_err(|fault| {
            tracing::error!("the bundled skill `{}` can't be loaded: {fault}", own.name);
            Refusal::of(&fault, None)
        })
    }

    fn remember_gates(&mut self) {
        let Some(place) = self.place else { return };
        let files: BTreeSet<&String> = self.files.keys().collect();
        self.once_ready
            .update(place, &files, self.in_use.values(), &self.grants);
    }
}
