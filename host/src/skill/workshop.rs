//! From bytes to a skill that is ready: every check in order, each failure with its own words.
//!
//! Checked before anything is compiled; compiled; instantiated under its limits; its types and its description
//! checked; its rights compared with what is granted. Only what passed all of it becomes a [`Skill`].

mod check;
mod fault;
mod regrant;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use wasmtime::component::Component;

use super::apart::Apart;
use super::cache::{CacheCounts, CodeCache};
use super::compile::{compile, fresh, precompiled};
use super::component::{Code, Linkers, Tenant};
use super::describe::{self, Description, Function};
use super::engine::{EngineError, Engines};
use super::grants::Grants;
use super::inspect::{self, Anatomy, Asked, Inspection, Sizes, Survey};
use super::loaded::{Skill, Source};
use super::quarantine::Quarantine;
use super::right::{self, Needs};
use super::sessions::Sessions;
use super::stock::Shelf;
use super::tally::Tally;
use crate::capability::{Purpose, Rights};
use crate::config::{SkillConfig, SkillLimits};
use crate::gate::verdict::Settings;
use crate::sexp::Digest;
use crate::vault::Secrets;
pub use fault::{LoadFault, takes_your_word};

/// A skill that is part of the host: its component, and what the build made of it.
pub struct Bundled {
    /// Its name.
    pub name: &'static str,
    /// The component.
    pub wasm: &'static [u8],
    /// Compiled for what is pure.
    pub pure: &'static [u8],
    /// Compiled for what acts, if the skill does.
    pub acting: Option<&'static [u8]>,
}

/// What is to be made into a skill.
pub(super) struct Candidate<'a> {
    pub(super) name: &'a str,
    pub(super) bytes: &'a [u8],
    /// What the build compiled, for the bundled ones.
    pub(super) compiled: Option<&'a Bundled>,
    /// What was found in it, where it was looked into already.
    pub(super) anatomy: Option<Anatomy>,
    pub(super) source: Source,
    /// The most processor time that looking into it and compiling it may take, each.
    pub(super) time: Duration,
}

/// Engines, linkers, and the operator's choices: all that is needed to make skills.
pub struct Workshop {
    engines: Engines,
    linkers: Linkers,
    cache: Option<CodeCache>,
    cache_fault: Option<String>,
    apart: Option<Apart>,
    limits: SkillConfig,
    required: Vec<String>,
    settings: Settings,
    secrets: Secrets,
}

impl Workshop {
    /// Starts the engines.
    ///
    /// # Errors
    /// When they can't be started on this machine.
    pub fn new(
        limits: SkillConfig,
        required: Vec<String>,
        settings: Settings,
        secrets: impl Into<Secrets>,
    ) -> Result<Workshop, EngineError> {
        let engines = Engines::new()?;
        let linkers = Linkers::new(&engines)?;
        Ok(Workshop {
            engines,
            linkers,
            cache: None,
            cache_fault: None,
            apart: None,
            limits,
            required,
            settings,
            secrets: secrets.into(),
        })
    }

    /// Keeps compiled code below `state`, a folder of the host's own, from now on. Where that can't be, it is said in
    /// the log, and every file is compiled again at every start.
    #[must_use]
    pub fn keeping_code(mut self, state: &Path) -> Workshop {
        match CodeCache::open(state, self.limits.code_cache) {
            Ok(cache) => self.cache = Some(cache),
            Err(error) => {
                let fault = format!("{error}; skills that don't come compiled are compiled at every start");
                tracing::warn!("{fault}");
                self.cache_fault = Some(fault);
            }
        }
        self
    }

    /// Looks into files and compiles them in processes of their own from now on, which are `binary`, started again: it calls
    /// [`compile_if_asked`](super::compile_if_asked) first. Else that is done here, and nothing bounds what it takes.
    #[must_use]
    pub fn compiling_apart(self, binary: PathBuf) -> Workshop {
        Workshop {
            apart: Some(Apart::new(binary, self.limits.compile.memory)),
            ..self
        }
    }

    /// What a file is. It is looked into within bounds.
    ///
    /// # Errors
    /// The first thing because of which it is no skill of this host; or that looking into it takes too much.
    pub(super) fn look(
        &self,
        bytes: &[u8],
        digest: &Digest,
        most: &Sizes,
        time: Duration,
    ) -> Result<Anatomy, LoadFault> {
        Ok(self.survey(bytes, digest, most, time)?.whole()?)
    }

    /// What is found in a file: also what a file has that is no skill, and all that is wrong with it.
    fn survey(&self, bytes: &[u8], digest: &Digest, most: &Sizes, time: Duration) -> Result<Survey, LoadFault> {
        match &self.apart {
            Some(apart) if inspect::check_kind(bytes, most.file).is_ok() => {
                // It was looked into when it was compiled, and had no fault within the bounds of then.
                match self.kept(digest).filter(|anatomy| most.hold(anatomy)) {
                    Some(anatomy) => Ok(Survey {
                        anatomy: Some(anatomy),
                        faults: Vec::new(),
                    }),
                    None => apart.look(bytes, most, time),
                }
            }
            _ => Ok(inspect::survey(bytes, most)),
        }
    }

    /// What was found in the file with this digest, where its code is kept and that can be believed.
    fn kept(&self, digest: &Digest) -> Option<Anatomy> {
        self.cache.as_ref()?.anatomy(self.engines.pure(), digest)
    }

    /// Whether code for the file with this digest is kept, as far as can be seen without a look at the code.
    pub(super) fn keeps(&self, digest: &Digest) -> bool {
        self.kept(digest).is_some()
    }

    /// How often compiled code was found, where it is kept.
    pub fn cache_counts(&self) -> Option<CacheCounts> {
        self.cache.as_ref().map(CodeCache::counts)
    }

    /// Why no compiled code is kept, where it should be.
    pub(super) fn cache_fault(&self) -> Option<&str> {
        self.cache_fault.as_deref()
    }

    /// The engines.
    pub fn engines(&self) -> &Engines {
        &self.engines
    }

    /// Ends every call of a skill that runs now, as if its time were over.
    pub fn end_calls(&self) {
        self.engines.end_calls();
    }

    /// The bounds on the skill `name`.
    pub fn limits_of(&self, name: &str) -> SkillLimits {
        self.limits.limits_of(name)
    }

    /// The most compiled code that all files of the folder may come to, in bytes.
    pub(super) fn most_code(&self) -> u64 {
        self.limits.code
    }

    pub(super) fn is_required(&self, name: &str) -> bool {
        self.required.iter().any(|own| own == name)
    }

    /// What `skill inspect FILE` shows, as if nothing were granted.
    ///
    /// # Errors
    /// When the file is no skill of this host.
    pub fn inspect(&self, name: &str, bytes: &[u8]) -> Result<Inspection, LoadFault> {
        let tenant = self.tenant(name);
        let candidate = self.alone(name, bytes);
        let anatomy = self.look(
            bytes,
            &Digest::of_file(bytes),
            &Sizes::of(&tenant.limits),
            candidate.time,
        )?;
        let described = self
            .compile(Purpose::Pure, &candidate, &anatomy)
            .and_then(|component| self.describe(&tenant, &component))
            .map(|(_, description)| description)
            .map_err(|fault| fault.to_string());
        let needs = Needs::new(&anatomy.interfaces(), described.as_ref().ok());
        let (rights, open) = needs.missing(&BTreeSet::new());
        Ok(Inspection {
            asked: Asked::new(name, &needs, &BTreeSet::new()),
            rights: right::wanted(&rights, &open),
            needs,
            anatomy,
            description: described,
        })
    }

    /// What the loader would make of a file `bytes` called `name`, if it is not to replace another: every check and every
    /// step, without putting it into use.
    ///
    /// # Errors
    /// What is in the way.
    pub fn try_load(&self, name: &str, bytes: &[u8], grants: &Grants) -> Result<Skill, LoadFault> {
        self.make(&self.alone(name, bytes), grants)
    }

    /// A file that nobody waits for but who asked.
    fn alone<'a>(&self, name: &'a str, bytes: &'a [u8]) -> Candidate<'a> {
        Candidate {
            name,
            bytes,
            compiled: None,
            anatomy: None,
            source: Source::File(format!("{name}.wasm").into()),
            time: self.compile_time(),
        }
    }

    /// The most processor time that looking into a file and compiling it may take, each.
    pub(super) fn compile_time(&self) -> Duration {
        self.limits.compile.time
    }

    /// Makes a skill, or says what is in the way.
    pub(super) fn make(&self, candidate: &Candidate, grants: &Grants) -> Result<Skill, LoadFault> {
        let name = candidate.name;
        if !describe::is_name(name) {
            return Err(LoadFault::BadStem(name.to_owned()));
        }
        let mut tenant = self.tenant(name);
        let most = Sizes::of(&tenant.limits);
        let anatomy = match (&candidate.anatomy, candidate.compiled) {
            (Some(found), _) => found.clone(),
            (None, Some(_)) => inspect::built_in(candidate.bytes, &most)?,
            (None, None) => {
                let digest = Digest::of_file(candidate.bytes);
                self.look(candidate.bytes, &digest, &most, candidate.time)?
            }
        };
        let component = self.compile(Purpose::Pure, candidate, &anatomy)?;
        let (pure, description) = self.describe(&tenant, &component)?;
        if description.name != name {
            return Err(LoadFault::WrongName {
                stem: name.to_owned(),
                described: description.name,
            });
        }
        let granted = right::granted(name, &anatomy.digest, &candidate.source, grants);
        let needs = Needs::new(&anatomy.interfaces(), Some(&description));
        let (rights, open) = needs.missing(&granted);
        if !rights.is_empty() || !open.is_empty() {
            return Err(LoadFault::NotGranted {
                name: name.to_owned(),
                rights,
                open,
            });
        }
        let rights = needs.used(&granted);
        tenant.rights = right::bounds(&rights);
        let acting = if description.acts() {
            let component = self.compile(Purpose::Act, candidate, &anatomy)?;
            Some(Code::link(&self.linkers, &component, Purpose::Act).map_err(LoadFault::Link)?)
        } else {
            None
        };
        let Anatomy { digest, imports, .. } = anatomy.clone();
        let is_gate = description.functions.contains(&Function::Gate);
        Ok(Skill {
            shelf: Shelf::new(pure.clone(), tenant.clone(), self.limits.gates, is_gate),
            required: self.is_required(name),
            rights,
            tenant,
            digest,
            source: candidate.source.clone(),
            description,
            imports,
            sessions: acting.as_ref().map(Sessions::of).unwrap_or_default(),
            pure,
            acting,
            tally: Tally::default(),
            quarantine: Quarantine::default(),
        })
    }

    fn tenant(&self, name: &str) -> Tenant {
        Tenant {
            name: Arc::from(name),
            limits: self.limits.limits_of(name),
            settings: self.settings.clone(),
            secrets: self.secrets.clone(),
            rights: Rights::default(),
        }
    }

    /// Links, instantiates under limits, checks every type, and asks the skill what it is.
    fn describe(&self, tenant: &Tenant, component: &Component) -> Result<(Code, Description), LoadFault> {
        let code = Code::link(&self.linkers, component, Purpose::Pure).map_err(LoadFault::Link)?;
        let mut running = code.start(tenant).map_err(LoadFault::Start)?;
        running.check_types(&code.exports).map_err(LoadFault::Link)?;
        running
            .begin(Instant::now(), &tenant.settings, &tenant.secrets.now(), 0)
            .map_err(LoadFault::Start)?;
        let (text,): (String,) = running.call(&code.exports.describe, ()).map_err(LoadFault::Start)?;
        let text = running.bounded(text).map_err(LoadFault::Start)?;
        Ok((code, describe::parse(&text)?))
    }

    /// Compiles for the engine of `purpose`, or takes what the build made, or an earlier start.
    fn compile(
        &self,
        purpose: Purpose,
        candidate: &Candidate<'_>,
        anatomy: &Anatomy,
    ) -> Result<Component, LoadFault> {
        let engine = self.engines.of(purpose);
        if let Some(built) = candidate.compiled {
            let compiled = match purpose {
                Purpose::Pure => Some(built.pure),
                Purpose::Act => built.acting,
            };
            match compiled
                .ok_or("the build left it out".to_owned())
                .and_then(|code| precompiled(engine, code))
            {
                Ok(component) => return Ok(component),
                Err(why) => tracing::info!(
                    skill = built.name,
                    "what was compiled when the host was built does not fit here ({why}); compiling again"
                ),
            }
        }
        let made = || {
            let code = self.code(purpose, candidate, anatomy.most_code)?;
            let component = fresh(engine, &code)?;
            Ok((code, component))
        };
        match &self.cache {
            Some(cache) => cache.component(engine, anatomy, made),
            None => made().map(|(_, component)| component),
        }
    }

    fn code(&self, purpose: Purpose, candidate: &Candidate<'_>, most: u64) -> Result<Vec<u8>, LoadFault> {
        match &self.apart {
            Some(apart) => apart.compile(purpose, candidate.bytes, most, candidate.time),
            None => compile(self.engines.of(purpose), candidate.bytes, most),
        }
    }
}
