//! From the skills folder to the set in use, again and again: what is new is tried, what is gone goes, and whatever
//! fails leaves what was in use as it was.
//!
//! A file is read once it is closed, or once it has not changed for [`QUIET`]; what is incomplete until then is
//! *discovered*. The newest version of each skill that could be made is placed among the others; where it does not
//! fit, the one before stays. One bad file harms nothing else: it is listed with its reason.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::fallen::OnceReady;
use super::folder::{self, Sighting, Stamp, read_whole};
use super::grants::Grants;
use super::inspect;
use super::loaded::{Skill, Source};
use super::refusal::{Attempt, Refusal, about};
use super::registry::SkillSet;
use super::settle::{Settled, settle};
use super::status::SkillStatus;
use super::workshop::{Bundled, Candidate, LoadFault, Workshop};
use crate::sexp::Digest;

/// After this long without a change a file counts as complete, whoever may still have it open.
pub(super) const QUIET: Duration = Duration::from_secs(2);

/// What is said of a file while somebody writes it, and while it is read and compiled.
const WRITING: &str = "it is being written";
const LOADING: &str = "it is being loaded";

/// Files whose failure is remembered, so that the same bytes are not compiled again.
const REFUSALS: usize = 1_000;

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
    /// The bundled skills, made when they are first needed.
    own: BTreeMap<&'static str, Result<Arc<Skill>, Refusal>>,
    /// Why these bytes under this name can never be a skill here.
    hopeless: HashMap<(String, Digest), Refusal>,
    once_ready: OnceReady,
    /// What was used last.
    in_use: BTreeMap<String, Arc<Skill>>,
    /// Whether the folder could be read: if not, nothing is known of what was deleted.
    readable: bool,
}

/// One file of the folder.
struct File {
    path: PathBuf,
    stamp: Stamp,
    changed: Instant,
    phase: Phase,
    /// What was made of it as it is now.
    newest: Option<Arc<Skill>>,
    /// What was in use from it last.
    last_good: Option<Arc<Skill>>,
    /// What it is granted is other than when it was made.
    granted_anew: bool,
}

enum Phase {
    /// To be read; at once, if whoever wrote it is done.
    Seen { closed: bool, why: String },
    /// Read, and made into `newest`.
    Made,
    /// Read, and no skill.
    Refused(Refusal),
}

impl Loader {
    /// A loader that has looked at nothing yet.
    pub fn new(workshop: Arc<Workshop>, bundled: &'static [Bundled], folder: PathBuf) -> Loader {
        let once_ready = OnceReady::load(&folder);
        Loader {
            workshop,
            bundled,
            folder,
            grants: Grants::default(),
            files: BTreeMap::new(),
            own: BTreeMap::new(),
            hopeless: HashMap::new(),
            once_ready,
            in_use: BTreeMap::new(),
            readable: false,
        }
    }

    /// Loads everything as it is now.
    pub fn begin(&mut self, grants: Grants) -> SkillSet {
        let now = Instant::now();
        let everything = |_: &Path| true;
        self.notice(grants, &everything, now);
        for file in self.files.values_mut() {
            // What is incomplete at the start counts as it is.
            file.changed = now.checked_sub(QUIET).unwrap_or(now);
        }
        self.work(now);
        self.place()
    }

    /// Looks at the folder and at what is granted, without reading a file: forgets what was deleted and what is no
    /// longer allowed, and notes what changed. Whether a file was closed by who wrote it, or moved there, is known to
    /// `closed`. Says whether anything is different from before.
    pub(super) fn notice(&mut self, grants: Grants, closed: &dyn Fn(&Path) -> bool, now: Instant) -> bool {
        let mut different = self.take_grants(grants);
        let looked = folder::look(&self.folder);
        self.readable = looked.is_ok();
        let seen = match looked {
            Ok(seen) => seen,
            Err(error) => {
                tracing::error!("the skills folder {} can't be read: {error}", self.folder.display());
                return different;
            }
        };
        let before = self.files.len();
        self.files.retain(|name, file| {
            let stays = seen.contains_key(name);
            if !stays && file.last_good.is_some() {
                tracing::info!("the file of the skill `{name}` is gone, and so is the skill");
            }
            stays
        });
        different |= self.files.len() != before;
        for (name, sighting) in seen {
            different |= self.sighted(name, sighting, closed, now);
        }
        different
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
                granted_anew: false,
            };
            self.files.insert(name, file);
            return true;
        };
        if file.stamp != seen.stamp {
            file.phase = fresh();
            file.stamp = seen.stamp;
            file.changed = now;
            return true;
        }
        match &mut file.phase {
            Phase::Seen { closed, why } if is_closed && !*closed => {
                (*closed, *why) = (true, LOADING.to_owned());
                true
            }
            _ => false,
        }
    }

    /// Takes up other grants: what is no longer allowed goes, and who was granted something else is made again.
    fn take_grants(&mut self, grants: Grants) -> bool {
        if grants == self.grants {
            return false;
        }
        let before = std::mem::replace(&mut self.grants, grants);
        for (name, file) in &mut self.files {
            if self.grants.of(name).eq(before.of(name)) {
                continue;
            }
            let allowed = |skill: &mut Option<Arc<Skill>>| {
                let gone =
                    skill.take_if(|skill| self.workshop.check_allowed(skill, self.bundled, &self.grants).is_err());
                if gone.is_some() {
                    tracing::info!("the skill `{name}` is no longer granted what it needs, and is not used any more");
                }
            };
            allowed(&mut file.last_good);
            // It is made again with what it has now; until then what there is goes on.
            file.newest = None;
            file.granted_anew = true;
            file.phase = Phase::Seen {
                closed: true,
                why: "what it is granted has changed".to_owned(),
            };
        }
        true
    }

    /// When there is something to do without anything new happening.
    pub(super) fn look_again(&self, now: Instant) -> Option<Duration> {
        let due = |file: &File| match &file.phase {
            Phase::Seen { .. } => Some((file.changed + QUIET).saturating_duration_since(now)),
            _ => None,
        };
        self.files.values().filter_map(due).min()
    }

    /// Reads and makes what is due. Takes as long as compiling takes. Says whether anything is different from before.
    pub(super) fn work(&mut self, now: Instant) -> bool {
        let due: Vec<String> = self
            .files
            .iter()
            .filter(|(_, file)| match &file.phase {
                Phase::Seen { closed, .. } => *closed || now.saturating_duration_since(file.changed) >= QUIET,
                _ => false,
            })
            .map(|(name, _)| name.clone())
            .collect();
        for name in &due {
            self.attempt(name, now);
        }
        !due.is_empty()
    }

    fn attempt(&mut self, name: &str, now: Instant) {
        let Some(file) = self.files.get(name) else { return };
        let (path, newest) = (file.path.clone(), file.newest.clone());
        let quiet = now.saturating_duration_since(file.changed) >= QUIET;
        let (phase, newest) = match self.read(name, &path) {
            Ok(skill) => (Phase::Made, Some(skill)),
            // Whoever writes it may not be done; the next change, or the end of the time, tells.
            Err(Attempt::Fault(fault, _)) if fault.may_be_incomplete() && !quiet => {
                let why = fault.to_string();
                (Phase::Seen { closed: false, why }, newest)
            }
            Err(Attempt::Fault(fault, digest)) => {
                let refusal = Refusal::of(&fault, digest);
                tracing::warn!("the skill `{name}` ({}) is {}: {fault}", path.display(), refusal.state);
                (Phase::Refused(refusal), None)
            }
            Err(Attempt::Known(refusal)) => (Phase::Refused(refusal), None),
        };
        // What changed while it was read is read again.
        let stamp = Stamp::at(&path);
        if let Some(file) = self.files.get_mut(name)
            && file.stamp == stamp
        {
            (file.phase, file.newest) = (phase, newest);
            file.granted_anew = false;
        }
    }

    fn read(&mut self, name: &str, path: &Path) -> Result<Arc<Skill>, Attempt> {
        let longest = self.workshop.limits_of(name).file;
        let bytes = read_whole(path, longest).map_err(|fault| Attempt::Fault(fault, None))?;
        let digest = Digest::of_file(&bytes);
        let known = (name.to_owned(), digest);
        if let Some(refusal) = self.hopeless.get(&known) {
            return Err(Attempt::Known(refusal.clone()));
        }
        // The same bytes again, as after a touch: the skill goes on, with all it keeps.
        let file = self.files.get(name).filter(|file| !file.granted_anew);
        let versions = file
            .into_iter()
            .flat_map(|file| file.newest.iter().chain(&file.last_good));
        if let Some(skill) = versions.into_iter().find(|skill| skill.digest() == digest) {
            return Ok(skill.clone());
        }
        let made = self.make(name, path, &bytes);
        if let Err(fault) = &made
            && fault.is_about_the_bytes()
        {
            if self.hopeless.len() >= REFUSALS {
                self.hopeless.clear();
            }
            self.hopeless.insert(known, Refusal::of(fault, Some(digest)));
        }
        made.map(Arc::new).map_err(|fault| Attempt::Fault(fault, Some(digest)))
    }

    fn make(&self, name: &str, path: &Path, bytes: &[u8]) -> Result<Skill, LoadFault> {
        // What it is comes first: a text file is not something to trust.
        inspect::dissect(bytes, self.workshop.limits_of(name).file)?;
        self.workshop
            .check_trusted(name, path, bytes, self.bundled, &self.grants)?;
        let candidate = Candidate {
            name,
            bytes,
            compiled: None,
            source: Source::File(path.to_owned()),
        };
        self.workshop.make(&candidate, &self.grants)
    }

    /// Places what there is, and says what is in use from now on, and what is not and why.
    pub(super) fn place(&mut self) -> SkillSet {
        for own in self.bundled {
            let has_file = self.files.get(own.name).is_some_and(|file| file.newest.is_some());
            if !has_file && !self.own.contains_key(own.name) {
                let made = self.make_own(own);
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
        let settled = settle(versions, &self.in_use);
        self.tell(&settled);
        self.in_use = settled.chosen.clone();
        for (name, file) in &mut self.files {
            let from_file = |skill: &&Arc<Skill>| skill.source != Source::Bundled;
            if let Some(skill) = settled.chosen.get(name).filter(from_file) {
                file.last_good = Some(skill.clone());
            }
        }
        self.remember_gates();
        let names: Vec<String> = self.in_use.keys().cloned().collect();
        SkillSet::new(
            settled.chosen.values().cloned().collect(),
            self.absent(&settled),
            self.once_ready.fallen(&names),
        )
        .with_code(self.workshop.cache_counts())
    }

    fn make_own(&self, own: &Bundled) -> Result<Arc<Skill>, Refusal> {
        let candidate = Candidate {
            name: own.name,
            bytes: own.wasm,
            compiled: Some(own),
            source: Source::Bundled,
        };
        let made = self.workshop.make(&candidate, &self.grants);
        made.map(Arc::new).map_err(|fault| {
            tracing::error!("the bundled skill `{}` can't be loaded: {fault}", own.name);
            Refusal::of(&fault, None)
        })
    }

    /// Says in the log what is different from before.
    fn tell(&self, settled: &Settled) {
        for (name, skill) in &settled.chosen {
            match self.in_use.get(name) {
                Some(before) if Arc::ptr_eq(before, skill) => {}
                Some(_) => tracing::info!("the skill `{name}` is replaced: {}", about(skill)),
                None => tracing::info!("the skill `{name}` is ready: {}", about(skill)),
            }
        }
        for (skill, fault) in &settled.refused {
            let (name, source) = (skill.name(), &skill.source);
            tracing::warn!("the skill `{name}` ({source}) is {}: {fault}", fault.state());
        }
    }

    fn remember_gates(&mut self) {
        if !self.readable {
            return;
        }
        let files: BTreeSet<&String> = self.files.keys().collect();
        let ready = self.in_use.values().map(Arc::as_ref);
        self.once_ready.update(&self.folder, &files, ready);
    }

    /// What is not in use, and why.
    fn absent(&self, settled: &Settled) -> Vec<SkillStatus> {
        let of = |skill: &Arc<Skill>| Some(Refusal::of(settled.refusal(skill)?, Some(skill.digest())));
        let own = self.own.iter().filter_map(|(name, made)| match made {
            Ok(skill) => Some(of(skill)?.status(name, Source::Bundled, None)),
            Err(refusal) => Some(refusal.clone().status(name, Source::Bundled, None)),
        });
        let files = self.files.iter().filter_map(|(name, file)| {
            let refusal = match (&file.phase, &file.newest) {
                (Phase::Refused(refusal), _) => refusal.clone(),
                (Phase::Seen { why, .. }, _) => Refusal::discovered(why),
                (Phase::Made, newest) => of(newest.as_ref()?)?,
            };
            let stays = settled.chosen.get(name);
            Some(refusal.status(name, Source::File(file.path.clone()), stays))
        });
        own.chain(files).collect()
    }
}
