//! Loading at the start: the bundled skills, then the files of the skills folder in the order of their names.
//!
//! One bad file harms nothing else: it is listed with its reason, and where it would have replaced a skill, that
//! skill stays.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::describe::Description;
use super::fallen::OnceReady;
use super::grants::Grants;
use super::inspect::FileFault;
use super::loaded::{Skill, Source};
use super::order;
use super::registry::SkillSet;
use super::status::SkillStatus;
use super::workshop::{Bundled, Candidate, LoadFault, Workshop};

/// Loads everything: `bundled`, and what lies in `folder`.
pub fn load(workshop: &Workshop, bundled: &[Bundled], folder: &Path, grants: &Grants) -> SkillSet {
    let mut loading = Loading {
        workshop,
        bundled,
        grants,
        ready: Vec::new(),
        absent: Vec::new(),
    };
    let files = files(folder).map_err(|error| {
        tracing::error!("the skills folder {} can't be read: {error}", folder.display());
    });
    for (name, path) in files.iter().flatten() {
        match loading.file(name, path) {
            Ok(skill) => loading.ready.push(skill),
            Err(fault) => loading.refuse(name, Source::File(path.clone()), &fault),
        }
    }
    for own in bundled {
        if loading.ready.iter().any(|skill| skill.name() == own.name) {
            continue;
        }
        let candidate = Candidate {
            name: own.name,
            bytes: own.wasm,
            compiled: Some(own),
            source: Source::Bundled,
        };
        match workshop.make(&candidate, grants) {
            Ok(skill) => loading.ready.push(skill),
            Err(fault) => loading.refuse(own.name, Source::Bundled, &fault),
        }
    }
    loading.settle_claims();
    loading.settle_order();
    let mut once_ready = OnceReady::load(folder);
    // A folder that can't be read says nothing about what was deleted.
    if let Ok(files) = &files {
        once_ready.update(folder, files, loading.ready.iter());
    }
    let names: Vec<String> = loading.ready.iter().map(|skill| skill.name().to_owned()).collect();
    let fallen = once_ready.fallen(&names);
    SkillSet::new(
        loading.ready.into_iter().map(Arc::new).collect(),
        loading.absent,
        fallen,
    )
}

struct Loading<'a> {
    workshop: &'a Workshop,
    bundled: &'a [Bundled],
    grants: &'a Grants,
    ready: Vec<Skill>,
    absent: Vec<SkillStatus>,
}

impl Loading<'_> {
    fn file(&self, name: &str, path: &Path) -> Result<Skill, LoadFault> {
        let bytes = read_whole(path, self.workshop.limits_of(name).file)?;
        // What it is comes first: a text file is not something to trust.
        super::inspect::dissect(&bytes, self.workshop.limits_of(name).file)?;
        self.workshop
            .check_trusted(name, path, &bytes, self.bundled, self.grants)?;
        let candidate = Candidate {
            name,
            bytes: &bytes,
            compiled: None,
            source: Source::File(path.to_owned()),
        };
        self.workshop.make(&candidate, self.grants)
    }

    fn refuse(&mut self, name: &str, source: Source, fault: &LoadFault) {
        let state = fault.state();
        tracing::warn!("the skill `{name}` ({source}) is {state}: {fault}");
        self.absent
            .push(SkillStatus::absent(name, source, state, Some(fault.to_string())));
    }

    /// Lets each target and each tool belong to one skill: bundled ones first, then by name.
    fn settle_claims(&mut self) {
        let mut skills = std::mem::take(&mut self.ready);
        skills.sort_by_key(|skill| {
            let bundled = self.bundled.iter().any(|own| own.name == skill.name());
            (!bundled, skill.name().to_owned())
        });
        for skill in skills {
            match self.ready.iter().find_map(|owner| {
                let mut both = contested(owner.description(), skill.description()).into_iter();
                both.next().map(|what| (owner, what))
            }) {
                None => self.ready.push(skill),
                Some((owner, what)) => {
                    let fault = LoadFault::Claimed {
                        what,
                        owner: owner.name().to_owned(),
                    };
                    self.refuse(skill.name(), skill.source.clone(), &fault);
                }
            }
        }
    }

    /// Leaves out those whose dependencies are not there, or that depend on themselves.
    fn settle_order(&mut self) {
        let wanted: BTreeMap<String, Vec<String>> = self
            .ready
            .iter()
            .map(|skill| (skill.name().to_owned(), skill.description().depends_on.clone()))
            .collect();
        let (_, faults) = order::sort(&wanted);
        let out: BTreeSet<&String> = faults.keys().collect();
        let (kept, dropped): (Vec<Skill>, Vec<Skill>) = std::mem::take(&mut self.ready)
            .into_iter()
            .partition(|skill| !out.contains(&skill.name().to_owned()));
        self.ready = kept;
        for skill in dropped {
            if let Some(fault) = faults.get(skill.name()) {
                self.refuse(skill.name(), skill.source.clone(), &LoadFault::Order(fault.clone()));
            }
        }
    }
}

/// What both claim: targets and tools.
pub(super) fn contested(own: &Description, its: &Description) -> Vec<String> {
    let targets = its
        .targets
        .iter()
        .filter(|claim| own.targets.iter().any(|held| held.meets(claim)))
        .map(|claim| format!("the target :{}", claim.target));
    let tools = its
        .tools
        .iter()
        .filter(|tool| own.tools.iter().any(|held| held.name == tool.name))
        .map(|tool| format!("the tool `{}`", tool.name));
    targets.chain(tools).collect()
}

/// The skill files in `folder` by the name of their skill. A folder that does not exist has none.
fn files(folder: &Path) -> io::Result<BTreeMap<String, PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        entries => entries?,
    };
    let mut files = BTreeMap::new();
    for entry in entries {
        let path = entry?.path();
        let hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if !hidden && path.extension().is_some_and(|extension| extension == "wasm") {
            let stem = path
                .file_stem()
                .map(|stem| stem.to_string_lossy().into_owned())
                .unwrap_or_default();
            files.insert(stem, path);
        }
    }
    Ok(files)
}

/// Reads a file once, as it is at this moment, never more than `longest` bytes, and never one that could block.
///
/// # Errors
/// When it is no plain file, is too long, or can't be read.
pub fn read_whole(path: &Path, longest: u64) -> Result<Vec<u8>, LoadFault> {
    let mut options = OpenOptions::new();
    let file = options
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)
        .map_err(LoadFault::Unreadable)?;
    let about = file.metadata().map_err(LoadFault::Unreadable)?;
    if !about.is_file() {
        return Err(LoadFault::Unreadable(io::Error::other("it is no plain file")));
    }
    if about.len() > longest {
        return Err(FileFault::TooLong {
            asked: about.len(),
            allowed: longest,
        }
        .into());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(about.len()).unwrap_or(0));
    file.take(longest.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(LoadFault::Unreadable)?;
    Ok(bytes)
}
